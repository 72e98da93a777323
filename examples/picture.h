/* Pictures without packages, for the programs of this folder: a canvas, antialiased lines, discs and text, an ordered
   colour map, axes and a colour bar, and a PNG writer with its own compressor. Colours are 0xRRGGBB, sizes pixels,
   the origin is the upper left corner. Every function accepts a canvas that could not be allocated. */
#ifndef PICTURE_H
#define PICTURE_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIC_INK   0x222222u
#define PIC_GREY  0x888888u
#define PIC_PALE  0xd8d8d8u
#define PIC_WHITE 0xffffffu

typedef struct picture {
   int            w, h;
   unsigned char *rgb; /* (h, w, 3) */
} picture;

typedef struct pic_frame { /* a rectangle of the canvas and the coordinates of its sides */
   double left, top, right, bottom, x0, x1, y0, y1;
} pic_frame;

static inline picture pic_make(int w, int h)
{
   picture p;
   p.w = w;
   p.h = h;
   p.rgb = (unsigned char *)malloc((size_t)w * (size_t)h * 3);
   if (p.rgb) memset(p.rgb, 255, (size_t)w * (size_t)h * 3);
   return p;
}

static inline void pic_free(picture *p)
{
   free(p->rgb);
   p->rgb = NULL;
}

/* ---- drawing: cover is the share of the pixel that the colour hides */
static inline void pic_dot(picture *p, int x, int y, unsigned colour, double cover)
{
   unsigned char *to;
   if (!p->rgb || x < 0 || y < 0 || x >= p->w || y >= p->h || cover <= 0) return;
   if (cover > 1) cover = 1;
   to = p->rgb + ((size_t)y * (size_t)p->w + (size_t)x) * 3;
   for (int k = 0; k < 3; k++) {
      const double c = (double)(colour >> (16 - 8 * k) & 255u);
      to[k] = (unsigned char)(to[k] + (c - to[k]) * cover + 0.5);
   }
}

static inline void pic_box(picture *p, double left, double top, double right, double bottom, unsigned colour)
{
   for (int y = (int)floor(top + 0.5); y < (int)floor(bottom + 0.5); y++)
      for (int x = (int)floor(left + 0.5); x < (int)floor(right + 0.5); x++) pic_dot(p, x, y, colour, 1);
}

/* A line with round ends; a pixel is covered by how far its centre lies inside. */
static inline void pic_line(picture *p, double ax, double ay, double bx, double by, double thick, unsigned colour)
{
   const double r = thick / 2 + 0.5, dx = bx - ax, dy = by - ay, len2 = dx * dx + dy * dy;
   const int    x0 = (int)floor(fmin(ax, bx) - r), x1 = (int)ceil(fmax(ax, bx) + r);
   const int    y0 = (int)floor(fmin(ay, by) - r), y1 = (int)ceil(fmax(ay, by) + r);
   for (int y = y0 < 0 ? 0 : y0; y <= y1 && y < p->h; y++)
      for (int x = x0 < 0 ? 0 : x0; x <= x1 && x < p->w; x++) {
         const double px = x + 0.5 - ax, py = y + 0.5 - ay;
         double       t = len2 > 0 ? (px * dx + py * dy) / len2 : 0;
         t = t < 0 ? 0 : t > 1 ? 1 : t;
         pic_dot(p, x, y, colour, r - hypot(px - t * dx, py - t * dy));
      }
}

static inline void pic_disc(picture *p, double x, double y, double radius, unsigned colour)
{
   pic_line(p, x, y, x, y, 2 * radius, colour);
}

/* ---- text: every character is a few strokes on a grid with the baseline at 2, small letters up to 6 and capitals
   up to 8. Pairs of digits are points, a space lifts the pen. The sign ` is drawn as a degree sign. */
static inline const char *pic_strokes(char c)
{
   static const char *const glyph[96] = {
      "", "0804 02", "0807 2827", "1317 3337 0444 0646", "453616051434433212 0329", "0248 0708 4342",
      "42060718270403122244", "0807", "18070312", "08171302", "0547 0743 2824", "0545 2723", "0201", "0535", "02", "0248",
      "120307183847433212", "172822 1232", "07183847460242", "07183847463515 354443321203", "32380444",
      "480805354443321203", "3818070312324344351504", "084812", "15060718384746351504031232434435",
      "1232434738180706153546", "03 06", "0201 05", "380532", "0444 0646", "083502", "07183847462423 22",
      "433212030718384745352436", "0206284642 0444", "02083847463505 3544433202", "4738180703123243", "02082846442202",
      "48080242 0535", "480802 0535", "47381807031232434525", "0802 4842 0545", "0222 1218 0828", "4843321203",
      "0208 480542", "080242", "0208254842", "02084248", "120307183847433212", "02083847463505",
      "120307183847433212 2442", "02083847463505 2542", "473818070615354443321203", "0848 2822", "080312324348",
      "082248", "0812253248", "0248 0842", "082548 2522", "08480242", "28080222", "0842", "08282202", "062846", "0141",
      "0718271607", "16364542 441403123243", "0802 0516364543321203", "4536160503123243", "4842 4536160503123243",
      "04444536160503123243", "38281712 0636", "4641301001 4536160503123243", "0802 0516364542", "0206 08",
      "26211000 28", "0802 360432", "080312", "0206 05162522 25364542", "0206 0516364542", "120305163645433212",
      "0600 0516364543321203", "4640 4536160503123243", "0206 051636", "45361605143443321203", "18132232 0636",
      "0603123243 4642", "062246", "0612243246", "0246 0642", "0622 4610", "06460242", "28181605141222",
      "0901", "08181625141202", "05163445", "" };
   return glyph[(c >= 32 && c < 127 ? c : '?') - 32];
}

static inline double pic_char_width(char c)
{
   int widest = 0;
   if (c == ' ') return 4;
   for (const char *s = pic_strokes(c); s[0] && s[1]; s += *s == ' ' ? 1 : 2)
      if (*s != ' ' && *s - '0' > widest) widest = *s - '0';
   return widest + 2.2;
}

static inline double pic_text_width(double size, const char *text)
{
   double w = 0;
   for (; *text; text++) w += pic_char_width(*text) * size / 6;
   return w;
}

/* size is the height of capitals; align 0 begins, 0.5 centres and 1 ends at x; y is the baseline. Upright text that
   reads upwards: up = 1. */
static inline void pic_write(picture *p, double x, double y, double size, double align, int up, unsigned colour, const char *text)
{
   const double unit = size / 6;
   double       at = -align * pic_text_width(size, text);
   for (; *text; text++) {
      const char *s = pic_strokes(*text);
      double      px = 0, py = 0;
      int         down = 0;
      while (s[0] && (*s == ' ' || s[1])) {
         double gx, gy, cx, cy;
         if (*s == ' ') { s++; down = 0; continue; }
         gx = at + (s[0] - '0') * unit;
         gy = (s[1] - '2') * unit;
         cx = up ? x - gy : x + gx;
         cy = up ? y - gx : y - gy;
         if (down || !s[2] || s[2] == ' ') pic_line(p, down ? px : cx, down ? py : cy, cx, cy, size / 8, colour);
         px = cx;
         py = cy;
         down = 1;
         s += 2;
      }
      at += pic_char_width(*text) * unit;
   }
}

static inline void pic_text(picture *p, double x, double y, double size, double align, unsigned colour, const char *text)
{
   pic_write(p, x, y, size, align, 0, colour, text);
}

/* ---- colour: a path through Oklab (B. Ottosson, "A perceptual color space for image processing", 2020) whose
   lightness grows evenly while the hue turns from violet over green to yellow, so that brighter always means more,
   on a grey printer as well. */
static inline double pic_gamma(double c)
{
   if (c <= 0) return 0;
   if (c >= 1) return 1;
   return c < 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

static inline unsigned pic_oklab(double L, double a, double b)
{
   const double l = L + 0.3963377774 * a + 0.2158037573 * b, m = L - 0.1055613458 * a - 0.0638541728 * b;
   const double s = L - 0.0894841775 * a - 1.2914855480 * b, l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;
   const double red = pic_gamma(4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3);
   const double green = pic_gamma(-1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3);
   const double blue = pic_gamma(-0.0041960863 * l3 - 0.7034186147 * m3 + 1.7076147010 * s3);
   return (unsigned)(red * 255 + 0.5) << 16 | (unsigned)(green * 255 + 0.5) << 8 | (unsigned)(blue * 255 + 0.5);
}

/* t from 0 to 1, in 48 steps: the eye sees no more, and equal pixels compress well. */
static inline unsigned pic_colour(double t)
{
   double hue, chroma;
   t = t > 0 ? t < 1 ? t : 1 : 0;
   t = floor(t * 47 + 0.5) / 47;
   hue = (300 - 195 * t) * 3.14159265358979323846 / 180;
   chroma = 0.05 + 0.42 * t * (1 - t) + 0.1 * t;
   if (chroma > 0.15) chroma = 0.15;
   return pic_oklab(0.2 + 0.75 * t, chroma * cos(hue), chroma * sin(hue));
}

/* ---- frames */
static inline double pic_x(const pic_frame *f, double x)
{
   return f->left + (x - f->x0) / (f->x1 - f->x0) * (f->right - f->left);
}

static inline double pic_y(const pic_frame *f, double y)
{
   return f->bottom - (y - f->y0) / (f->y1 - f->y0) * (f->bottom - f->top);
}

/* A step of 1, 2 or 5 times a power of ten that gives about `parts` steps in a range; 30 or 60 degrees on a map of the world. */
static inline double pic_step(double range, int parts)
{
   if (range == 360 || range == 180) return range / parts > 60 ? 60 : 30;
   double power = pow(10, floor(log10(range / parts))), rest = range / parts / power;
   return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

static inline const char *pic_number(char *text, size_t room, double v, double step)
{
   if (fabs(v) < step * 1e-6) v = 0;
   snprintf(text, room, "%.10g", floor(v / (step * 1e-3) + 0.5) * (step * 1e-3));
   return text;
}

/* Ticks outside the frame, labels with units, a title above on the left. NULL or "" leaves a text out. */
static inline void pic_axes(picture *p, const pic_frame *f, const char *xlabel, const char *ylabel, const char *title)
{
   const double size = 9;
   char         text[32];
   double       widest = 0;
   pic_line(p, f->left, f->top, f->right, f->top, 1, PIC_GREY);
   pic_line(p, f->right, f->top, f->right, f->bottom, 1, PIC_GREY);
   pic_line(p, f->left, f->bottom, f->right, f->bottom, 1, PIC_GREY);
   pic_line(p, f->left, f->top, f->left, f->bottom, 1, PIC_GREY);
   if (xlabel) {
      const double step = pic_step(f->x1 - f->x0, 1 + (int)((f->right - f->left) / 90));
      for (double x = ceil(f->x0 / step - 1e-9) * step; x <= f->x1 + 1e-9 * step; x = x + step > x ? x + step : HUGE_VAL) {
         pic_line(p, pic_x(f, x), f->bottom, pic_x(f, x), f->bottom + 5, 1, PIC_GREY);
         pic_text(p, pic_x(f, x), f->bottom + 10 + size, size, 0.5, PIC_INK, pic_number(text, sizeof text, x, step));
      }
      pic_text(p, (f->left + f->right) / 2, f->bottom + 20 + 2.4 * size, size, 0.5, PIC_INK, xlabel);
   }
   if (ylabel) {
      const double step = pic_step(f->y1 - f->y0, 1 + (int)((f->bottom - f->top) / 60));
      for (double y = ceil(f->y0 / step - 1e-9) * step; y <= f->y1 + 1e-9 * step; y = y + step > y ? y + step : HUGE_VAL) {
         pic_line(p, f->left - 5, pic_y(f, y), f->left, pic_y(f, y), 1, PIC_GREY);
         pic_text(p, f->left - 9, pic_y(f, y) + size / 2, size, 1, PIC_INK, pic_number(text, sizeof text, y, step));
         widest = fmax(widest, pic_text_width(size, text));
      }
      pic_write(p, f->left - 20 - widest, (f->top + f->bottom) / 2, size, 0.5, 1, PIC_INK, ylabel);
   }
   if (title) pic_text(p, f->left, f->top - 10, 11, 0, PIC_INK, title);
}

/* A bar whose length can be compared with things in the frame, such as 100 m, in its lower right corner. */
static inline void pic_ruler(picture *p, const pic_frame *f, const char *unit)
{
   const double length = pic_step(f->x1 - f->x0, 6), wide = length / (f->x1 - f->x0) * (f->right - f->left), right = f->right - 12, y = f->bottom - 10;
   char         number[32], text[64];
   snprintf(text, sizeof text, "%s %s", pic_number(number, sizeof number, length, length), unit);
   for (int py = (int)y - 22; py < (int)y + 6; py++)
      for (int px = (int)(right - wide) - 8; px < (int)right + 8; px++) pic_dot(p, px, py, PIC_WHITE, 0.8);
   pic_line(p, right - wide, y, right, y, 2, PIC_INK);
   pic_line(p, right - wide, y - 3, right - wide, y + 3, 1, PIC_INK);
   pic_line(p, right, y - 3, right, y + 3, 1, PIC_INK);
   pic_text(p, right - wide / 2, y - 7, 9, 0.5, PIC_INK, text);
}

/* A colour's place on the scale: power 1 is linear; 1/2 or 1/3 shows weak values beside strong ones. */
static inline double pic_scale(double v, double hi, double power)
{
   return v <= 0 || hi <= 0 ? 0 : v >= hi ? 1 : pow(v / hi, power);
}

/* The legend: a bar from 0 to hi at the right of a frame, with its label written along it. */
static inline void pic_bar(picture *p, double left, double top, double bottom, double hi, double power, const char *label)
{
   const double step = pic_step(hi, 5), size = 9;
   double       widest = 0, last = 1e9;
   char         text[32];
   for (int y = (int)top; y < (int)bottom; y++)
      pic_box(p, left, y, left + 14, y + 1, pic_colour((bottom - y - 0.5) / (bottom - top)));
   for (double v = 0; v <= hi * (1 + 1e-9); v += v + 1e-9 * step < step ? step / 10 : step) {
      const double y = bottom - pic_scale(v, hi, power) * (bottom - top);
      const double next = bottom - pic_scale(step, hi, power) * (bottom - top); /* below the first step, where there is room */
      const int    tenth = (int)floor(10 * v / step + 0.5);
      if (tenth < 10 && tenth && ((tenth != 1 && tenth != 2 && tenth != 5) || y - next < 1.8 * size)) continue;
      if (last - y < 1.8 * size) continue;
      last = y;
      pic_line(p, left + 14, y, left + 18, y, 1, PIC_GREY);
      pic_text(p, left + 22, y + size / 2, size, 0, PIC_INK, pic_number(text, sizeof text, v, step));
      widest = fmax(widest, pic_text_width(size, text));
   }
   pic_write(p, left + 22 + widest + 16, (top + bottom) / 2, size, 0.5, 1, PIC_INK, label);
}

/* Values z (rows, cols) at the middle of equal cells, row 0 at the lower end, drawn smoothly into a frame. */
static inline double pic_between(const double *z, int rows, int cols, double u, double v)
{
   const double c = fmin(fmax(u * cols - 0.5, 0), cols - 1), r = fmin(fmax(v * rows - 0.5, 0), rows - 1);
   const int    i = (int)r < rows - 1 ? (int)r : rows - (rows > 1) - 1, j = (int)c < cols - 1 ? (int)c : cols - (cols > 1) - 1;
   const int    up = rows > 1 ? cols : 0, right = cols > 1;
   const double *at = z + (size_t)i * (size_t)cols + j, y = r - i, x = c - j;
   return (1 - y) * ((1 - x) * at[0] + x * at[right]) + y * ((1 - x) * at[up] + x * at[up + right]);
}

static inline void pic_image(picture *p, const pic_frame *f, const double *z, int rows, int cols, double hi, double power)
{
   const int x0 = (int)f->left, x1 = (int)f->right, y0 = (int)f->top, y1 = (int)f->bottom;
   for (int y = y0; y < y1; y++)
      for (int x = x0; x < x1; x++) {
         const double v = pic_between(z, rows, cols, (x + 0.5 - x0) / (x1 - x0), (y1 - y - 0.5) / (y1 - y0));
         pic_dot(p, x, y, pic_colour(pic_scale(v, hi, power)), 1);
      }
}

/* The value below which a share of all values lies: a scale that one sharp peak cannot spoil. */
static inline int pic_compare(const void *a, const void *b)
{
   const double x = *(const double *)a, y = *(const double *)b;
   return x < y ? -1 : x > y;
}

static inline double pic_quantile(const double *z, size_t count, double share)
{
   double *copy = (double *)malloc((count + 1) * sizeof *copy), v = 0;
   if (!copy || !count) { free(copy); return v; }
   memcpy(copy, z, count * sizeof *copy);
   qsort(copy, count, sizeof *copy, pic_compare);
   v = copy[(size_t)(share * (double)(count - 1))];
   free(copy);
   return v;
}

/* ---- PNG (ISO/IEC 15948) with deflate (RFC 1951): one block with a Huffman code of its own, matches by a chain of
   positions with the same three bytes. */
typedef struct pic_bytes {
   unsigned char *at;
   size_t         used, room;
   unsigned long  bits; /* not yet written */
   int            count, failed;
} pic_bytes;

static inline void pic_put(pic_bytes *b, unsigned v)
{
   if (b->used == b->room) {
      unsigned char *more;
      b->room = b->room ? 2 * b->room : 65536;
      more = b->failed ? NULL : (unsigned char *)realloc(b->at, b->room);
      if (!more) { b->failed = 1; b->room = b->used; return; }
      b->at = more;
   }
   b->at[b->used++] = (unsigned char)(v & 255u);
}

static inline void pic_put32(pic_bytes *b, unsigned long v)
{
   for (int k = 24; k >= 0; k -= 8) pic_put(b, (unsigned)(v >> k & 255u));
}

static inline void pic_bits(pic_bytes *b, unsigned v, int count)
{
   b->bits |= (unsigned long)v << b->count;
   for (b->count += count; b->count >= 8; b->count -= 8, b->bits >>= 8) pic_put(b, (unsigned)(b->bits & 255u));
}

enum { PIC_SYMBOLS = 286, PIC_DISTANCES = 30, PIC_LENGTHS = 19 };

typedef struct pic_code {
   unsigned      count[PIC_SYMBOLS]; /* how often each symbol is used          */
   unsigned      code[PIC_SYMBOLS];
   unsigned char length[PIC_SYMBOLS]; /* bits; 0: not used                      */
   int           n;
} pic_code;

/* Huffman's tree: join the two rarest until one is left. If it is deeper than allowed, the counts are made more alike.
   Then the canonical code of section 3.2.2: by length, then by symbol. */
static inline void pic_huffman(pic_code *c, int n, int deepest)
{
   unsigned long weight[2 * PIC_SYMBOLS];
   int           parent[2 * PIC_SYMBOLS], deep = deepest + 1;
   unsigned      next = 0;
   c->n = n;
   for (int blunt = 0; deep > deepest; blunt++) {
      int nodes = n, left = 0;
      for (int i = 0; i < n; i++) {
         weight[i] = c->count[i] ? (c->count[i] >> blunt) + 1ul : 0;
         parent[i] = -1;
         left += weight[i] > 0;
      }
      for (; left > 1; left--, nodes++) {
         weight[nodes] = 0;
         parent[nodes] = -1;
         for (int twice = 0; twice < 2; twice++) {
            int least = nodes;
            for (int i = 0; i < nodes; i++)
               if (weight[i] && parent[i] < 0 && (least == nodes || weight[i] < weight[least])) least = i;
            parent[least] = nodes;
            weight[nodes] += weight[least];
         }
      }
      deep = 0;
      for (int i = 0; i < n; i++) {
         int bits = weight[i] > 0 && parent[i] < 0; /* the only symbol still needs a bit */
         for (int k = i; parent[k] >= 0; k = parent[k]) bits++;
         c->length[i] = (unsigned char)bits;
         if (bits > deep) deep = bits;
      }
   }
   for (int bits = 1; bits <= deepest; bits++, next <<= 1)
      for (int i = 0; i < n; i++) if (c->length[i] == bits) c->code[i] = next++;
}

/* Codes are sent from their highest bit. */
static inline void pic_symbol(pic_bytes *b, const pic_code *c, unsigned s)
{
   for (int k = c->length[s] - 1; k >= 0; k--) pic_bits(b, c->code[s] >> k & 1u, 1);
}

/* Lengths 3..258 and distances 1..32768, less their smallest, are a class and extra bits; classes double in size every
   `each` steps. */
static inline unsigned pic_class(unsigned v, unsigned each, unsigned *extra)
{
   *extra = 0;
   if (v < 2 * each) return v;
   while (v >> *extra >= 2 * each) ++*extra;
   return each * *extra + (v >> *extra);
}

static inline unsigned pic_length_symbol(unsigned v, unsigned *extra)
{
   *extra = 0;
   return v == 255 ? 285 : 257 + pic_class(v, 4, extra);
}

enum { PIC_CHAINS = 1 << 15 };

static inline size_t pic_hash(const unsigned char *in) { return (in[0] * 2654435u ^ in[1] * 40503u ^ in[2] * 97u) % PIC_CHAINS; }

/* The longest match of what begins at i with something before. chain: the last position with each hash, then the one
   before each position; all + 1, 0 is none. */
static inline size_t pic_longest(const unsigned char *in, size_t n, size_t i, const size_t *chain, size_t *distance)
{
   const size_t *before = chain + PIC_CHAINS;
   size_t        best = 2, c = i + 3 <= n ? chain[pic_hash(in + i)] : 0;
   for (int tries = 0; c && i - (c - 1) <= 32768 && tries < 96; tries++) {
      const unsigned char *q = in + c - 1;
      size_t               len = 0;
      while (len < 258 && i + len < n && q[len] == in[i + len]) len++;
      if (len > best) { best = len; *distance = i - (c - 1); }
      if (len == 258 || before[(c - 1) % PIC_CHAINS] >= c) break; /* the latter was overwritten: older than the window */
      c = before[(c - 1) % PIC_CHAINS];
   }
   return best;
}

/* Into tokens: a byte, or 2^31 + (length - 3) 2^16 + distance - 1. A match waits if the next byte begins a longer one. */
static inline size_t pic_matches(const unsigned char *in, size_t n, unsigned *token, size_t *chain)
{
   size_t tokens = 0, distance = 0, later = 0, found = n ? pic_longest(in, n, 0, chain, &distance) : 0;
   for (size_t i = 0; i < n;) {
      size_t step = 1, next = 0;
      if (i + 3 <= n) {
         const size_t h = pic_hash(in + i);
         chain[PIC_CHAINS + i % PIC_CHAINS] = chain[h];
         chain[h] = i + 1;
      }
      if (found < 64) next = pic_longest(in, n, i + 1, chain, &later);
      if (found < 3 || next > found) token[tokens++] = in[i];
      else {
         token[tokens++] = 0x80000000u | (unsigned)(found - 3) << 16 | (unsigned)(distance - 1);
         step = found;
         for (size_t k = i + 1; k < i + step && k + 3 <= n; k++) {
            const size_t h = pic_hash(in + k);
            chain[PIC_CHAINS + k % PIC_CHAINS] = chain[h];
            chain[h] = k + 1;
         }
         next = pic_longest(in, n, i + step, chain, &later);
      }
      i += step;
      found = next;
      distance = later;
   }
   return tokens;
}

/* The lengths of both codes, themselves in a code (section 3.2.7). */
static inline void pic_put_codes(pic_bytes *b, const pic_code *symbol, const pic_code *distance)
{
   static const unsigned char order[PIC_LENGTHS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
   pic_code own;
   memset(&own, 0, sizeof own);
   for (int i = 0; i < PIC_SYMBOLS; i++) own.count[symbol->length[i]]++;
   for (int i = 0; i < PIC_DISTANCES; i++) own.count[distance->length[i]]++;
   pic_huffman(&own, PIC_LENGTHS, 7);
   pic_bits(b, 5, 3); /* the last block, a code of its own */
   pic_bits(b, PIC_SYMBOLS - 257, 5);
   pic_bits(b, PIC_DISTANCES - 1, 5);
   pic_bits(b, PIC_LENGTHS - 4, 4);
   for (int i = 0; i < PIC_LENGTHS; i++) pic_bits(b, own.length[order[i]], 3);
   for (int i = 0; i < PIC_SYMBOLS; i++) pic_symbol(b, &own, symbol->length[i]);
   for (int i = 0; i < PIC_DISTANCES; i++) pic_symbol(b, &own, distance->length[i]);
}

static inline void pic_deflate(pic_bytes *b, const unsigned char *in, size_t n)
{
   size_t       *head = (size_t *)calloc(2 * PIC_CHAINS, sizeof *head), tokens;
   unsigned     *token = (unsigned *)malloc((n + 1) * sizeof *token), extra, e2;
   unsigned long s1 = 1, s2 = 0;
   pic_code      symbol, distance;
   if (!head || !token) { free(head); free(token); b->failed = 1; return; }
   tokens = pic_matches(in, n, token, head);
   memset(&symbol, 0, sizeof symbol);
   memset(&distance, 0, sizeof distance);
   symbol.count[256] = 1; /* the end */
   for (size_t i = 0; i < tokens; i++) {
      symbol.count[token[i] >> 31 ? pic_length_symbol(token[i] >> 16 & 255u, &extra) : token[i]]++;
      if (token[i] >> 31) distance.count[pic_class(token[i] & 32767u, 2, &extra)]++;
   }
   pic_huffman(&symbol, PIC_SYMBOLS, 15);
   pic_huffman(&distance, PIC_DISTANCES, 15);
   pic_put(b, 0x78);
   pic_put(b, 0x9c);
   pic_put_codes(b, &symbol, &distance);
   for (size_t i = 0; i < tokens; i++) {
      const unsigned length = token[i] >> 16 & 255u, far = token[i] & 32767u;
      if (!(token[i] >> 31)) { pic_symbol(b, &symbol, token[i]); continue; }
      pic_symbol(b, &symbol, pic_length_symbol(length, &extra));
      pic_bits(b, length & ((1u << extra) - 1), (int)extra);
      pic_symbol(b, &distance, pic_class(far, 2, &e2));
      pic_bits(b, far & ((1u << e2) - 1), (int)e2);
   }
   pic_symbol(b, &symbol, 256);
   if (b->count) pic_bits(b, 0, 8 - b->count);
   for (size_t i = 0; i < n; i++) { s1 = (s1 + in[i]) % 65521; s2 = (s2 + s1) % 65521; }
   pic_put32(b, s2 << 16 | s1);
   free(head);
   free(token);
}

static inline void pic_chunk(pic_bytes *out, const char *name, const unsigned char *data, size_t n)
{
   const size_t  from = out->used + 4;
   unsigned long crc = 0xffffffffUL;
   pic_put32(out, (unsigned long)n);
   for (int k = 0; k < 4; k++) pic_put(out, (unsigned)name[k]);
   for (size_t i = 0; i < n; i++) pic_put(out, data[i]);
   if (out->failed) return;
   for (size_t i = from; i < out->used; i++) {
      crc ^= out->at[i];
      for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320UL : crc >> 1;
   }
   pic_put32(out, crc ^ 0xffffffffUL);
}

/* ---- colours of a file: at most 256, so that a pixel is one byte. The first is the most frequent one; each further one
   is that which would be missed most, by the number of its pixels times its squared distance from those chosen. */
enum { PIC_SLOTS = 1 << 16 };

typedef struct pic_palette {
   unsigned      key[PIC_SLOTS]; /* colour + 1; 0: free */
   unsigned      count[PIC_SLOTS], far[PIC_SLOTS];
   unsigned char index[PIC_SLOTS];
   unsigned      colour[256];
   unsigned      used;
   int           colours;
} pic_palette;

static inline unsigned pic_rgb(const unsigned char *at) { return (unsigned)at[0] << 16 | (unsigned)at[1] << 8 | at[2]; }

static inline unsigned pic_slot(const pic_palette *t, unsigned colour)
{
   unsigned h = colour * 2654435761u >> 16;
   while (t->key[h] && t->key[h] != colour + 1) h = (h + 1) % PIC_SLOTS;
   return h;
}

static inline unsigned pic_distance(unsigned a, unsigned b)
{
   unsigned s = 0;
   for (int k = 0; k < 24; k += 8) {
      const int d = (int)(a >> k & 255u) - (int)(b >> k & 255u);
      s += (unsigned)(d * d);
   }
   return s;
}

static inline unsigned char pic_nearest(const pic_palette *t, unsigned colour)
{
   int best = 0;
   for (int k = 1; k < t->colours; k++)
      if (pic_distance(colour, t->colour[k]) < pic_distance(colour, t->colour[best])) best = k;
   return (unsigned char)best;
}

static inline pic_palette *pic_choose(const picture *frame, int count)
{
   pic_palette *t = (pic_palette *)calloc(1, sizeof *t);
   if (!t) return NULL;
   for (int i = 0; i < count; i++)
      for (size_t k = 0; frame[i].rgb && k < (size_t)frame[i].w * (size_t)frame[i].h; k++) {
         const unsigned colour = pic_rgb(frame[i].rgb + 3 * k), h = pic_slot(t, colour);
         if (!t->key[h] && t->used < PIC_SLOTS / 4 * 3) { t->key[h] = colour + 1; t->far[h] = 3 * 255 * 255; t->used++; }
         if (t->key[h]) t->count[h]++;
      }
   while (t->colours < 256) {
      double   most = 0;
      unsigned take = 0;
      for (unsigned h = 0; h < PIC_SLOTS; h++)
         if (t->key[h] && (double)t->count[h] * t->far[h] > most) { most = (double)t->count[h] * t->far[h]; take = h; }
      if (most <= 0) break;
      t->colour[t->colours++] = t->key[take] - 1;
      for (unsigned h = 0; h < PIC_SLOTS; h++) {
         const unsigned d = t->key[h] ? pic_distance(t->key[h] - 1, t->key[take] - 1) : 0;
         if (t->key[h] && d < t->far[h]) t->far[h] = d;
      }
   }
   for (unsigned h = 0; h < PIC_SLOTS; h++) if (t->key[h]) t->index[h] = pic_nearest(t, t->key[h] - 1);
   return t;
}

/* A rectangle of a picture. The rows as they are (filter 0): in flat graphics whole runs repeat, which a filter would hide. */
static inline void pic_pack(const picture *p, const pic_palette *t, const int box[4], pic_bytes *packed)
{
   const size_t   wide = (size_t)(box[2] - box[0]), tall = (size_t)(box[3] - box[1]);
   unsigned char *raw = (unsigned char *)calloc(wide + 1, tall), *to = raw;
   if (!raw) { packed->failed = 1; return; }
   for (int y = box[1]; y < box[3]; y++) {
      *to++ = 0;
      for (int x = box[0]; x < box[2]; x++) {
         const unsigned colour = pic_rgb(p->rgb + ((size_t)y * (size_t)p->w + (size_t)x) * 3), h = pic_slot(t, colour);
         *to++ = t->key[h] ? t->index[h] : pic_nearest(t, colour);
      }
   }
   pic_deflate(packed, raw, (wide + 1) * tall);
   free(raw);
}

/* The smallest rectangle outside of which two pictures are equal; at least one pixel. */
static inline void pic_changed(const picture *a, const picture *b, int box[4])
{
   box[0] = a->w - 1, box[1] = a->h - 1, box[2] = a->w, box[3] = a->h;
   for (int y = 0, any = 0; y < a->h; y++)
      for (int x = 0; x < a->w; x++) {
         const size_t at = ((size_t)y * (size_t)a->w + (size_t)x) * 3;
         if (!memcmp(a->rgb + at, b->rgb + at, 3)) continue;
         if (!any) { box[0] = x, box[1] = y, box[2] = x + 1; any = 1; }
         if (x < box[0]) box[0] = x;
         if (x >= box[2]) box[2] = x + 1;
         box[3] = y + 1;
      }
}

static inline void pic_be(unsigned char *to, unsigned v, int bytes)
{
   for (int k = 0; k < bytes; k++) to[k] = (unsigned char)(v >> 8 * (bytes - 1 - k));
}

/* One frame: of the first all pixels, of the others those that change. */
static inline void pic_put_frame(pic_bytes *out, const picture *frame, int i, int count, int delay, const pic_palette *t, unsigned *sequence)
{
   unsigned char head[26];
   pic_bytes     packed;
   int           box[4];
   memset(&packed, 0, sizeof packed);
   memset(head, 0, sizeof head);
   box[0] = box[1] = 0, box[2] = frame->w, box[3] = frame->h;
   if (i) pic_changed(frame - 1, frame, box);
   if (count > 1) {
      pic_be(head, (*sequence)++, 4);
      pic_be(head + 4, (unsigned)(box[2] - box[0]), 4);
      pic_be(head + 8, (unsigned)(box[3] - box[1]), 4);
      pic_be(head + 12, (unsigned)box[0], 4);
      pic_be(head + 16, (unsigned)box[1], 4);
      pic_be(head + 20, (unsigned)delay, 2);
      pic_be(head + 22, 100, 2);
      pic_chunk(out, "fcTL", head, 26);
   }
   if (i) for (int k = 24; k >= 0; k -= 8) pic_put(&packed, *sequence >> k & 255u);
   if (i) ++*sequence;
   pic_pack(frame, t, box, &packed);
   if (packed.failed) out->failed = 1;
   else pic_chunk(out, i ? "fdAT" : "IDAT", packed.at, packed.used);
   free(packed.at);
}

/* count > 1: an animated PNG of frames of one size, each shown for `delay` hundredths of a second; programs that do not
   know animations show the first. path "-" is the standard output. Returns 1, or 0: no memory, or not written. */
static inline int pic_save_frames(const picture *frame, int count, int delay, const char *path)
{
   static const unsigned char magic[8] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};
   pic_palette  *t = pic_choose(frame, count);
   unsigned char head[3 * 256];
   pic_bytes     out;
   unsigned      sequence = 0;
   FILE         *f;
   int           ok = t != NULL;
   memset(&out, 0, sizeof out);
   for (int i = 0; i < count; i++) ok = ok && frame[i].rgb && frame[i].w == frame[0].w && frame[i].h == frame[0].h;
   if (!ok) { free(t); return 0; }
   for (int k = 0; k < 8; k++) pic_put(&out, magic[k]);
   memset(head, 0, sizeof head);
   pic_be(head, (unsigned)frame[0].w, 4);
   pic_be(head + 4, (unsigned)frame[0].h, 4);
   head[8] = 8; /* bits */
   head[9] = 3; /* index of a colour */
   pic_chunk(&out, "IHDR", head, 13);
   for (int k = 0; k < t->colours; k++) pic_be(head + 3 * k, t->colour[k], 3);
   pic_chunk(&out, "PLTE", head, 3 * (size_t)t->colours);
   pic_be(head, (unsigned)count, 4);
   pic_be(head + 4, 0, 4); /* for ever */
   if (count > 1) pic_chunk(&out, "acTL", head, 8);
   for (int i = 0; i < count && !out.failed; i++) pic_put_frame(&out, frame + i, i, count, delay, t, &sequence);
   free(t);
   pic_chunk(&out, "IEND", NULL, 0);
   if (out.failed) { free(out.at); return 0; }
   f = strcmp(path, "-") ? fopen(path, "wb") : stdout;
   ok = f && fwrite(out.at, 1, out.used, f) == out.used;
   if (f) ok = !(f == stdout ? fflush(f) : fclose(f)) && ok;
   free(out.at);
   return ok;
}

static inline int pic_save(const picture *p, const char *path)
{
   return pic_save_frames(p, 1, 0, path);
}
#endif
