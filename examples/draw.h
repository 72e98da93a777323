/* Models as pictures, for the programs of this folder: the plane, the line and the sphere. Include sneppp.h first. Each
   function returns 1, or 0 if memory was short, the model could not be asked, or the file could not be written. */
#ifndef DRAW_H
#define DRAW_H
#include "picture.h"

typedef struct draw_style {
   const char *title;       /* what the events are                                            */
   const char *xlabel;      /* of the first axis, with its unit                               */
   const char *ylabel;      /* of the second axis                                             */
   const char *legend;      /* of the colour bar: "trees per hectare"                         */
   const char *length;      /* unit of length, for a scale bar: "m"; NULL = none              */
   double      unit;        /* intensity in the legend's unit = unit * intensity; 0 = 1       */
   double      power;       /* of the colour scale; 0 = 0.5                                   */
   double      bin;         /* time: width of a bar; 0 = chosen                               */
   double      lon, lat;    /* globe: the point in the middle, degrees                        */
   size_t      most;        /* dots to draw at most; 0 = 20000                                */
   int         places;      /* sphere: names to write on the map, for orientation             */
   const char *const *name; /* (places)                                                       */
   const double (*where)[2]; /* (places) longitude and latitude, degrees                      */
   int         error;       /* maps: 1 = the standard error relative to the intensity         */
   void (*xaxis)(picture *, const pic_frame *); /* time: draws what is below the frame, such as dates; NULL: numbers */
} draw_style;

/* The intensity at points, or its relative standard error. */
static inline int draw_values(const sneppp_model *m, const sneppp_events *at, int error, sneppp_real *v, const sneppp_parallel *par)
{
   sneppp_sure *s;
   int          ok;
   if (!error) return sneppp_intensities(m, at, v, par, NULL) == SNEPPP_OK;
   s = (sneppp_sure *)malloc((at->count + 1) * sizeof *s);
   ok = s && sneppp_intensity_sure(m, at, 0.95, s, NULL) == SNEPPP_OK;
   for (size_t i = 0; ok && i < at->count; i++) v[i] = (sneppp_real)(s[i].mean > 0 ? s[i].error / s[i].mean : 0);
   free(s);
   return ok;
}

/* The intensity in the middle of rows x cols equal cells of a rectangle; rest are the coordinates after the first two. */
static inline double *draw_grid(const sneppp_model *m, double x0, double x1, double y0, double y1, int rows, int cols, int error, const sneppp_parallel *par)
{
   const size_t  count = (size_t)rows * (size_t)cols;
   double       *z = (double *)calloc(count, sizeof *z);
   sneppp_real  *x = (sneppp_real *)malloc(count * 2 * sizeof *x), *v = (sneppp_real *)malloc(count * sizeof *v);
   sneppp_events at;
   sneppp_grid   grid;
   memset(&at, 0, sizeof at);
   at.x = x;
   at.count = count;
   memset(&grid, 0, sizeof grid);
   grid.cells[0] = cols, grid.cells[1] = rows;
   grid.lo[0] = x0, grid.hi[0] = x1, grid.lo[1] = y0, grid.hi[1] = y1;
   if (z && x && v && !error && sneppp_bake(m, &grid, v, par, NULL) == SNEPPP_OK) {
      for (size_t i = 0; i < count; i++) z[i] = (double)v[i];
   } else if (z && x && v) {
      for (size_t i = 0; i < count; i++) {
         x[2 * i] = (sneppp_real)(x0 + (x1 - x0) * ((double)(i % (size_t)cols) + 0.5) / cols);
         x[2 * i + 1] = (sneppp_real)(y0 + (y1 - y0) * ((double)(i / (size_t)cols) + 0.5) / rows);
      }
      if (!draw_values(m, &at, error, v, par)) { free(z); z = NULL; }
      for (size_t i = 0; z && i < count; i++) z[i] = (double)v[i];
   } else { free(z); z = NULL; }
   free(x);
   free(v);
   return z;
}

/* The rectangle around a planar window. */
static inline void draw_extent(const sneppp_window *w, double e[4])
{
   if (w->space == SNEPPP_SPACE_BOX || w->space == SNEPPP_SPACE_RASTER) {
      e[0] = w->lo[0], e[1] = w->hi[0], e[2] = w->lo[1], e[3] = w->hi[1];
   } else if (w->space == SNEPPP_SPACE_BALL) {
      e[0] = w->centre[0] - w->radius, e[1] = w->centre[0] + w->radius;
      e[2] = w->centre[1] - w->radius, e[3] = w->centre[1] + w->radius;
   } else {
      size_t count = w->rings ? 0 : w->count;
      for (size_t r = 0; r < w->rings; r++) count += w->ring_size[r];
      e[0] = e[2] = 1e300;
      e[1] = e[3] = -1e300;
      for (size_t i = 0; i < count; i++)
         for (int k = 0; k < 2; k++) { e[2 * k] = fmin(e[2 * k], w->xy[2 * i + (size_t)k]); e[2 * k + 1] = fmax(e[2 * k + 1], w->xy[2 * i + (size_t)k]); }
   }
}

static inline void draw_outline(picture *p, const pic_frame *f, const sneppp_window *w)
{
   size_t first = 0;
   if (w->space != SNEPPP_SPACE_POLYGON && !(w->space == SNEPPP_SPACE_RASTER && w->xy)) return;
   for (size_t r = 0; r < (w->rings ? w->rings : 1); r++) {
      const size_t n = w->rings ? w->ring_size[r] : w->count;
      for (size_t i = 0; i < n; i++) {
         const double *a = w->xy + 2 * (first + i), *b = w->xy + 2 * (first + (i + 1) % n);
         pic_line(p, pic_x(f, a[0]), pic_y(f, a[1]), pic_x(f, b[0]), pic_y(f, b[1]), 1.5, PIC_INK);
      }
      first += n;
   }
}

#define DRAW_UNSEEN 0xe4e4e4u /* grey, which the scale of colours has not: outside of the window nothing is known */

/* pic_image of a window: values z (rows, cols), NaN in the cells whose middle is outside. Between cells of both kinds
   the point itself is asked, and only values from inside are mixed: what is beyond a wall says nothing about this side. */
static inline void draw_image(picture *p, const pic_frame *f, const sneppp_window *w, const double *z, int rows, int cols,
                              double hi, double power)
{
   const int x0 = (int)f->left, x1 = (int)f->right, y0 = (int)f->top, y1 = (int)f->bottom;
   for (int y = y0; y < y1; y++)
      for (int x = x0; x < x1; x++) {
         const double u = (x + 0.5 - x0) / (x1 - x0), v = (y1 - y - 0.5) / (y1 - y0);
         const double at[2] = {f->x0 + (f->x1 - f->x0) * u, f->y0 + (f->y1 - f->y0) * v};
         const double c = fmin(fmax(u * cols - 0.5, 0), cols - 1), r = fmin(fmax(v * rows - 0.5, 0), rows - 1);
         double       value = pic_between(z, rows, cols, u, v), sum = 0, weight = 0;
         if (isnan(value)) {
            for (int k = 0; k < 4; k++) {
               const int    i = (int)r + k / 2 < rows ? (int)r + k / 2 : rows - 1;
               const int    j = (int)c + k % 2 < cols ? (int)c + k % 2 : cols - 1;
               const double one = z[(size_t)i * (size_t)cols + (size_t)j];
               const double share = (1 - fmin(1, fabs(r - i))) * (1 - fmin(1, fabs(c - j))) + 1e-9; /* never 0 / 0 */
               if (!isnan(one)) sum += share * one, weight += share;
            }
            if (weight > 0 && sneppp_window_contains(w, at)) value = sum / weight;
         }
         pic_dot(p, x, y, isnan(value) ? DRAW_UNSEEN : pic_colour(pic_scale(value, hi, power)), 1);
      }
}

/* The events on the left, the fitted intensity on the right; without events only the intensity. x (count, 2). */
static inline int draw_plane(const sneppp_model *m, const sneppp_real *x, size_t count, const draw_style *s, const sneppp_parallel *par, const char *path)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   const double power = s->power > 0 ? s->power : 0.5, unit = s->unit > 0 ? s->unit : 1;
   const size_t most = s->most ? s->most : 20000, skip = count / most + 1;
   double       e[4], wide = 470, tall, least, *z, *seen, hi;
   picture      p;
   pic_frame    f;
   char         text[120];
   size_t       inside = 0;
   int          rows, cols, ok;
   draw_extent(w, e);
   tall = wide * (e[3] - e[2]) / (e[1] - e[0]);
   if (tall > 520) { wide *= 520 / tall; tall = 520; }
   least = fmax(120, pic_text_width(9, s->legend ? s->legend : "")); /* the bar's label beside a long flat map */
   if (tall < least) tall = least;
   wide = fmax(wide, 120); /* as beside a long flat one */
   wide = floor(wide);
   tall = floor(tall);
   cols = (int)wide / (s->error ? 6 : 2); /* errors are smooth, and take longer */
   rows = (int)tall / (s->error ? 6 : 2);
   z = draw_grid(m, e[0], e[1], e[2], e[3], rows, cols, s->error, par);
   p = pic_make((int)(count ? 2 * wide + 230 : wide + 190), (int)tall + 95);
   seen = (double *)malloc((size_t)rows * (size_t)cols * sizeof *seen);
   if (!z || !p.rgb || !seen) { free(z); free(seen); pic_free(&p); return 0; }
   for (int i = 0; i < rows * cols; i++) {
      const double at[2] = {e[0] + (e[1] - e[0]) * (i % cols + 0.5) / cols, e[2] + (e[3] - e[2]) * (i / cols + 0.5) / rows};
      z[i] = sneppp_window_contains(w, at) ? z[i] * unit : nan("");
      if (!isnan(z[i])) seen[inside++] = z[i];
   }
   hi = fmax(pic_quantile(seen, inside, 0.995), 1e-300);
   free(seen);
   f.left = 75, f.top = 36, f.right = f.left + wide, f.bottom = f.top + tall;
   f.x0 = e[0], f.x1 = e[1], f.y0 = e[2], f.y1 = e[3];
   if (count) {
      const double r = count < 200 ? 2.5 : count < 2000 ? 1.5 : 0.8;
      for (size_t i = 0; i < count; i += skip) pic_disc(&p, pic_x(&f, (double)x[2 * i]), pic_y(&f, (double)x[2 * i + 1]), r, 0x204a87u);
      draw_outline(&p, &f, w);
      if (skip > 1) snprintf(text, sizeof text, "%lu %s (1 of %lu drawn)", (unsigned long)count, s->title, (unsigned long)skip);
      else snprintf(text, sizeof text, "%lu %s", (unsigned long)count, s->title);
      pic_axes(&p, &f, s->xlabel, s->ylabel, text);
      f.left += wide + 40;
      f.right += wide + 40;
   }
   draw_image(&p, &f, w, z, rows, cols, hi, power);
   draw_outline(&p, &f, w);
   if (s->length) pic_ruler(&p, &f, s->length);
   pic_axes(&p, &f, s->xlabel, count ? NULL : s->ylabel, s->error ? "relative standard error" : "fitted intensity");
   pic_bar(&p, f.right + 16, f.top, f.bottom, hi, power, s->legend);
   ok = pic_save(&p, path);
   free(z);
   pic_free(&p);
   return ok;
}

/* Expected number of events in [a, b] of a model on the line. */
static inline int draw_expected(const sneppp_model *m, double a, double b, double *count)
{
   sneppp_window part;
   sneppp_region region;
   memset(&part, 0, sizeof part);
   memset(&region, 0, sizeof region);
   part.space = SNEPPP_SPACE_BOX;
   part.dim = 1;
   part.lo[0] = a;
   part.hi[0] = b;
   region.factor[0] = &part;
   return sneppp_count(m, &region, 1, count, NULL, NULL) == SNEPPP_OK;
}

static inline void draw_axes(picture *p, const pic_frame *f, const draw_style *s, const char *title)
{
   pic_axes(p, f, s->xaxis ? NULL : s->xlabel, s->ylabel, title);
   if (s->xaxis) s->xaxis(p, f);
}

/* Bars count the events of equal intervals, the line is the number expected there, and the band holds nine of ten
   counts of a Poisson variable with that mean: about one bar in ten should end outside. */
static inline int draw_time(const sneppp_model *m, const sneppp_real *x, size_t count, const draw_style *s, const char *path, int *outside, int *bars)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   const double a = w->space == SNEPPP_SPACE_INTERVALS ? w->ends[0] : w->lo[0], b = w->space == SNEPPP_SPACE_INTERVALS ? w->ends[2 * w->count - 1] : w->hi[0];
   const double bin = s->bin > 0 ? s->bin : pic_step(b - a, 30), first = floor(a / bin) * bin;
   const int    n = (int)ceil((b - first) / bin - 1e-9);
   double      *expected, *seen, top = 1;
   picture      p = pic_make(920, 400);
   pic_frame    f;
   char         text[120];
   int          ok = n > 0 && n < 100000 && p.rgb;
   expected = (double *)calloc((size_t)(n > 0 ? 2 * n : 1), sizeof *expected);
   if (!expected || !ok) { free(expected); pic_free(&p); return 0; }
   seen = expected + n;
   for (size_t i = 0; i < count; i++) {
      int k = (int)floor(((double)x[i] - first) / bin);
      seen[k < 0 ? 0 : k >= n ? n - 1 : k] += 1;
   }
   *outside = 0;
   *bars = n;
   for (int k = 0; k < n; k++) {
      uint64_t lo, hi;
      const double from = fmax(a, first + k * bin), to = fmin(b, first + (k + 1) * bin);
      ok = ok && (!(from < to) || draw_expected(m, from, to, &expected[k])); /* rounding may leave a bar no width */
      sneppp_poisson_interval(expected[k], 0.9, &lo, &hi);
      *outside += seen[k] < (double)lo || seen[k] > (double)hi;
      top = fmax(top, fmax(seen[k], (double)hi));
   }
   f.left = 70, f.top = 60, f.right = 900, f.bottom = 340;
   f.x0 = a, f.x1 = b, f.y0 = 0, f.y1 = top * 1.05;
   for (int k = 0; k < n; k++) { /* bars first, the band over them half transparent */
      const double l = pic_x(&f, fmax(a, first + k * bin)), r = pic_x(&f, fmin(b, first + (k + 1) * bin));
      if (seen[k] > 0) pic_box(&p, l + 1, pic_y(&f, seen[k]), r - 1, f.bottom, 0xc3cdd9u);
   }
   for (int k = 0; k < n; k++) {
      const double l = pic_x(&f, fmax(a, first + k * bin)), r = pic_x(&f, fmin(b, first + (k + 1) * bin));
      uint64_t     lo, hi;
      sneppp_poisson_interval(expected[k], 0.9, &lo, &hi);
      for (int y = (int)pic_y(&f, (double)hi); y < (int)pic_y(&f, (double)lo); y++)
         for (int px = (int)floor(l + 0.5); px < (int)floor(r + 0.5); px++) pic_dot(&p, px, y, 0xf5a05au, 0.45);
   }
   for (int i = 0; i < 600; i++) { /* the intensity itself, in events per bar */
      const sneppp_real u = (sneppp_real)(a + (b - a) * (i + 0.0005) / 600), v = (sneppp_real)(a + (b - a) * (i + 0.9995) / 600);
      const double      yu = (double)sneppp_intensity(m, &u) * bin, yv = (double)sneppp_intensity(m, &v) * bin;
      pic_line(&p, pic_x(&f, (double)u), pic_y(&f, fmin(yu, f.y1)), pic_x(&f, (double)v), pic_y(&f, fmin(yv, f.y1)), 2, 0xb03a10u);
   }
   for (size_t i = 0; count <= 2000 && i < count; i++) pic_line(&p, pic_x(&f, (double)x[i]), f.bottom - 6, pic_x(&f, (double)x[i]), f.bottom - 1, 0.8, PIC_INK);
   draw_axes(&p, &f, s, NULL);
   if (count) {
      snprintf(text, sizeof text, "%lu %s", (unsigned long)count, s->title);
      pic_box(&p, f.left, 37, f.left + 14, 47, 0xc3cdd9u);
      pic_text(&p, f.left + 20, 46, 9, 0, PIC_INK, "counted");
   } else snprintf(text, sizeof text, "%s", s->title);
   pic_text(&p, f.left, 24, 11, 0, PIC_INK, text);
   pic_line(&p, f.left + 190, 42, f.left + 204, 42, 2, 0xb03a10u);
   pic_text(&p, f.left + 212, 46, 9, 0, PIC_INK, "fitted intensity");
   for (int y = 37; y < 47; y++) for (int px = 0; px < 14; px++) pic_dot(&p, (int)f.left + 400 + px, y, 0xf5a05au, 0.45);
   pic_text(&p, f.left + 420, 46, 9, 0, PIC_INK, "9 of 10 counts should end here");
   ok = ok && pic_save(&p, path);
   free(expected);
   pic_free(&p);
   return ok;
}

/* Expected numbers in intervals, and the band that holds the true means: edge (bins + 1), sure (bins). */
static inline int draw_profile(size_t bins, const double *edge, const sneppp_sure *sure, const draw_style *s, const char *path)
{
   picture   p = pic_make(920, 400);
   pic_frame f;
   double    top = 0;
   int       ok;
   if (!p.rgb) return 0;
   for (size_t k = 0; k < bins; k++) top = fmax(top, sure[k].upper);
   f.left = 70, f.top = 40, f.right = 900, f.bottom = 340;
   f.x0 = edge[0], f.x1 = edge[bins], f.y0 = 0, f.y1 = top > 0 ? top * 1.05 : 1;
   for (size_t k = 0; k < bins; k++) {
      const double l = pic_x(&f, edge[k]), r = pic_x(&f, edge[k + 1]), y = pic_y(&f, sure[k].mean);
      for (int py = (int)pic_y(&f, sure[k].upper); py < (int)pic_y(&f, sure[k].lower); py++)
         for (int px = (int)floor(l + 0.5); px < (int)floor(r + 0.5); px++) pic_dot(&p, px, py, 0xf5a05au, 0.45);
      pic_line(&p, l, y, r, y, 2, 0xb03a10u);
      if (k) pic_line(&p, l, pic_y(&f, sure[k - 1].mean), l, y, 1, 0xb03a10u);
   }
   draw_axes(&p, &f, s, s->title);
   ok = pic_save(&p, path);
   pic_free(&p);
   return ok;
}

/* The intensity on a grid of longitudes and latitudes, times unit. */
static inline double *draw_sphere_grid(const sneppp_model *m, int rows, int cols, double unit, int error, const sneppp_parallel *par)
{
   const size_t  count = (size_t)rows * (size_t)cols;
   const double  degree = 3.14159265358979323846 / 180;
   double       *z = (double *)malloc(count * sizeof *z);
   sneppp_real  *x = (sneppp_real *)malloc(count * 3 * sizeof *x), *v = (sneppp_real *)malloc(count * sizeof *v);
   sneppp_events at;
   memset(&at, 0, sizeof at);
   at.x = x;
   at.count = count;
   if (z && x && v) {
      for (size_t i = 0; i < count; i++) {
         const double lon = degree * (-180 + 360 * ((double)(i % (size_t)cols) + 0.5) / cols), lat = degree * (-90 + 180 * ((double)(i / (size_t)cols) + 0.5) / rows);
         x[3 * i] = (sneppp_real)(cos(lat) * cos(lon));
         x[3 * i + 1] = (sneppp_real)(cos(lat) * sin(lon));
         x[3 * i + 2] = (sneppp_real)sin(lat);
      }
      if (!draw_values(m, &at, error, v, par)) { free(z); z = NULL; }
      for (size_t i = 0; z && i < count; i++) z[i] = (double)v[i] * unit;
   } else { free(z); z = NULL; }
   free(x);
   free(v);
   return z;
}

/* All longitudes and latitudes, with a line every 30 degrees; sets the coordinates of the frame. */
static inline void draw_world(picture *p, pic_frame *f, const double *z, int rows, int cols, double hi, double power)
{
   f->x0 = -180, f->x1 = 180, f->y0 = -90, f->y1 = 90;
   pic_image(p, f, z, rows, cols, hi, power);
   for (int g = -150; g <= 150; g += 30) pic_line(p, pic_x(f, g), f->top, pic_x(f, g), f->bottom, 0.3, 0xb0b0b0u);
   for (int g = -60; g <= 60; g += 30) pic_line(p, f->left, pic_y(f, g), f->right, pic_y(f, g), 0.3, 0xb0b0b0u);
}

/* One globe seen from far away: colours from the grid z, or white with the events as dots (z NULL). */
static inline void draw_globe(picture *p, double cx, double cy, double r, double lon, double lat, const double *z, int rows, int cols, double hi, double power, const sneppp_real *x, size_t count)
{
   const double degree = 3.14159265358979323846 / 180, sl = sin(lat * degree), cl = cos(lat * degree);
   for (int y = (int)(cy - r) - 1; y <= (int)(cy + r) + 1; y++)
      for (int px = (int)(cx - r) - 1; px <= (int)(cx + r) + 1; px++) {
         const double u = (px + 0.5 - cx) / r, v = (cy - y - 0.5) / r, s = u * u + v * v;
         double       w, la, lo;
         if (s >= 1 || !z) continue;
         w = sqrt(1 - s);
         la = asin(fmin(1, fmax(-1, v * cl + w * sl)));
         lo = lon * degree + atan2(u, w * cl - v * sl);
         lo = lo / (2 * 3.14159265358979323846) + 0.5;
         pic_dot(p, px, y, pic_colour(pic_scale(pic_between(z, rows, cols, lo - floor(lo), la / 3.14159265358979323846 + 0.5), hi, power)), 1);
      }
   for (int g = 0; g < 2; g++) /* parallels, then meridians, every 30 degrees */
      for (int i = g ? -180 : -60; i < (g ? 180 : 61); i += 30) {
         double bx = 0, by = 0;
         int    last = 0;
         for (int j = g ? -90 : -180; j <= (g ? 90 : 180); j += 2) {
            const double la = (g ? j : i) * degree, lo = ((g ? i : j) - lon) * degree, depth = sl * sin(la) + cl * cos(la) * cos(lo);
            const double ax = cx + r * cos(la) * sin(lo), ay = cy - r * (cl * sin(la) - sl * cos(la) * cos(lo));
            if (last && depth > 0) pic_line(p, ax, ay, bx, by, 0.5, z ? 0xb0b0b0u : PIC_PALE);
            bx = ax;
            by = ay;
            last = depth > 0;
         }
      }
   for (size_t i = 0; i < count; i++) {
      const double la = asin((double)x[3 * i + 2]), lo = atan2((double)x[3 * i + 1], (double)x[3 * i]) - lon * degree;
      if (sl * sin(la) + cl * cos(la) * cos(lo) > 0)
         pic_disc(p, cx + r * cos(la) * sin(lo), cy - r * (cl * sin(la) - sl * cos(la) * cos(lo)), count < 2000 ? 1.3 : 0.8, 0x204a87u);
   }
   for (int i = 0; i < 180; i++) pic_line(p, cx + r * cos(2 * i * degree), cy + r * sin(2 * i * degree), cx + r * cos((2 * i + 2) * degree), cy + r * sin((2 * i + 2) * degree), 1, PIC_GREY);
}

/* A globe of the events, a globe of the intensity, and the whole world below. x (count, 3) unit vectors. */
static inline int draw_sphere(const sneppp_model *m, const sneppp_real *x, size_t count, const draw_style *s, const sneppp_parallel *par, const char *path)
{
   const int    rows = s->error ? 45 : 120, cols = 2 * rows;
   const double power = s->power > 0 ? s->power : 0.5, unit = s->unit > 0 ? s->unit : 1, degree = 3.14159265358979323846 / 180;
   double      *z = draw_sphere_grid(m, rows, cols, unit, s->error, par), hi;
   picture      p = pic_make(900, 870);
   pic_frame    f;
   char         text[120];
   int          ok;
   if (!z || !p.rgb) { free(z); pic_free(&p); return 0; }
   hi = fmax(pic_quantile(z, (size_t)rows * (size_t)cols, 0.995), 1e-300);
   if (count) snprintf(text, sizeof text, "%lu %s", (unsigned long)count, s->title);
   else snprintf(text, sizeof text, "%s", s->title);
   pic_text(&p, 75, 24, 11, 0, PIC_INK, text);
   if (count) draw_globe(&p, 240, 230, 165, s->lon, s->lat, NULL, rows, cols, hi, power, x, count);
   else draw_globe(&p, 240, 230, 165, s->lon + 180, -s->lat, z, rows, cols, hi, power, NULL, 0);
   draw_globe(&p, 630, 230, 165, s->lon, s->lat, z, rows, cols, hi, power, NULL, 0);
   pic_text(&p, 240, 52, 9, 0.5, PIC_INK, count ? "events" : "the other side");
   pic_text(&p, 630, 52, 9, 0.5, PIC_INK, s->error ? "relative standard error" : "fitted intensity");
   f.left = 75, f.right = 795, f.top = 440, f.bottom = 800;
   draw_world(&p, &f, z, rows, cols, hi, power);
   for (size_t i = 0; count <= 2000 && i < count; i++)
      pic_disc(&p, pic_x(&f, atan2((double)x[3 * i + 1], (double)x[3 * i]) / degree), pic_y(&f, asin((double)x[3 * i + 2]) / degree), 0.3, PIC_WHITE);
   for (int k = 0; k < s->places; k++) {
      pic_disc(&p, pic_x(&f, s->where[k][0]), pic_y(&f, s->where[k][1]), 2.5, PIC_WHITE);
      pic_text(&p, pic_x(&f, s->where[k][0]) + (s->where[k][0] > 150 ? -7 : 7), pic_y(&f, s->where[k][1]) + 4, 8, s->where[k][0] > 150, PIC_WHITE, s->name[k]);
   }
   pic_axes(&p, &f, "longitude, degrees", "latitude, degrees", NULL);
   pic_bar(&p, f.right + 14, f.top, f.bottom, hi, power, s->legend);
   ok = pic_save(&p, path);
   free(z);
   pic_free(&p);
   return ok;
}

/* The map as GeoJSON: about `cells` squares along the longer side, each with the intensity in its middle and, where there
   is a closed form (boxes), the expected number in it. On the sphere they are cells of longitude and latitude. */
static inline int draw_geojson(const sneppp_model *m, int cells, const sneppp_parallel *par, FILE *to)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   const int            globe = w->space == SNEPPP_SPACE_SPHERE, counted = m->D == 2 && (w->space == SNEPPP_SPACE_BOX || w->space == SNEPPP_SPACE_POLYGON);
   double               e[4] = {-180, 180, -90, 90}, side, *z;
   const char          *comma = "";
   sneppp_real         *mean = NULL;
   sneppp_grid          grid;
   size_t               n;
   int                  rows, cols, ok;
   if (!globe) draw_extent(w, e);
   side = fmax(e[1] - e[0], e[3] - e[2]) / cells;
   cols = (int)fmax(1, ceil((e[1] - e[0]) / side - 1e-9));
   rows = (int)fmax(1, ceil((e[3] - e[2]) / side - 1e-9));
   n = (size_t)rows * (size_t)cols;
   z = globe ? draw_sphere_grid(m, rows, cols, 1, 0, par) : draw_grid(m, e[0], e[1], e[2], e[3], rows, cols, 0, par);
   ok = z != NULL;
   if (ok && counted) {
      memset(&grid, 0, sizeof grid);
      grid.cells[0] = cols, grid.cells[1] = rows, grid.means = 1;
      for (int k = 0; k < 2; k++) grid.lo[k] = e[2 * k], grid.hi[k] = e[2 * k + 1];
      mean = (sneppp_real *)malloc(n * sizeof *mean);
      ok = mean && sneppp_bake(m, &grid, mean, par, NULL) == SNEPPP_OK;
   }
   if (ok) fprintf(to, "{\"type\": \"FeatureCollection\", \"features\": [");
   for (size_t i = 0; ok && i < n; i++) {
      const int    c = (int)(i % (size_t)cols), r = (int)(i / (size_t)cols);
      const double x0 = e[0] + (e[1] - e[0]) * c / cols, x1 = e[0] + (e[1] - e[0]) * (c + 1) / cols;
      const double y0 = e[2] + (e[3] - e[2]) * r / rows, y1 = e[2] + (e[3] - e[2]) * (r + 1) / rows, middle[2] = {(x0 + x1) / 2, (y0 + y1) / 2};
      if (counted ? !(mean[i] > 0) : !globe && !sneppp_window_contains(w, middle)) continue;
      fprintf(to, "%s\n{\"type\": \"Feature\", \"properties\": {\"intensity\": %.8g", comma, z[i]);
      if (counted) fprintf(to, ", \"expected\": %.8g", (double)mean[i] * (x1 - x0) * (y1 - y0));
      fprintf(to, "}, \"geometry\": {\"type\": \"Polygon\", \"coordinates\": [[[%.10g, %.10g], [%.10g, %.10g], [%.10g, %.10g], [%.10g, %.10g], [%.10g, %.10g]]]}}",
              x0, y0, x1, y0, x1, y1, x0, y1, x0, y0);
      comma = ",";
   }
   if (ok) fprintf(to, "\n]}\n");
   free(z);
   free(mean);
   return ok && !ferror(to);
}

/* ---- contours by marching squares. A line of the level crosses edges between neighbouring middles of cells: edge 2 i
   goes from node i to the right, 2 i + 1 up. In a square whose opposite corners are on one side, the mean decides. */
typedef struct draw_field {
   const double  *z;      /* (rows, cols), below 0 outside of the window */
   unsigned char *seen;   /* (2 rows cols) edges that are drawn          */
   int            rows, cols;
   double         level;
} draw_field;

/* The edges of the square above and to the right of node (c, r): below, right, above, left. */
static inline size_t draw_edge(const draw_field *f, int c, int r, int side)
{
   const size_t node = (size_t)(side == 2 ? r + 1 : r) * (size_t)f->cols + (size_t)(side == 1 ? c + 1 : c);
   return 2 * node + (side % 2 ? 1 : 0);
}

/* Where the line that enters a square by one side leaves it; -1 if it does not enter. */
static inline int draw_exit(const draw_field *f, int c, int r, int side)
{
   static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
   double           v[4], mean = 0;
   int              up[4], crossed = 0;
   if (c < 0 || r < 0 || c + 1 >= f->cols || r + 1 >= f->rows) return -1;
   for (int k = 0; k < 4; k++) {
      v[k] = f->z[(size_t)(r + corner[k][1]) * (size_t)f->cols + (size_t)(c + corner[k][0])];
      if (v[k] < 0) return -1;
      up[k] = v[k] > f->level, mean += v[k] / 4;
   }
   if (up[side] == up[(side + 1) % 4]) return -1;
   for (int k = 0; k < 4; k++) crossed += up[k] != up[(k + 1) % 4];
   if (crossed == 4) return (mean > f->level) == up[side] ? (side + 1) % 4 : (side + 3) % 4;
   for (int k = 1; k < 4; k++)
      if (up[(side + k) % 4] != up[(side + k + 1) % 4]) return (side + k) % 4;
   return -1;
}

/* One line from a side of the square (c, r) on: into the file, closed if it comes back. */
static inline void draw_line(draw_field *f, const double e[4], int c, int r, int side, const char *comma, FILE *to)
{
   static const int step[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
   size_t           edge = draw_edge(f, c, r, side);
   fprintf(to, "%s[", comma);
   for (comma = "";; comma = ", ") {
      const size_t node = edge / 2, next = edge % 2 ? node + (size_t)f->cols : node + 1;
      const double t = (f->level - f->z[node]) / (f->z[next] - f->z[node]);
      const double x = (double)(node % (size_t)f->cols) + 0.5 + (edge % 2 ? 0 : t), y = (double)(node / (size_t)f->cols) + 0.5 + (edge % 2 ? t : 0);
      fprintf(to, "%s[%.10g, %.10g]", comma, e[0] + (e[1] - e[0]) * x / f->cols, e[2] + (e[3] - e[2]) * y / f->rows);
      if (f->seen[edge]) break;
      f->seen[edge] = 1;
      side = draw_exit(f, c, r, side);
      if (side < 0) break;
      edge = draw_edge(f, c, r, side);
      c += step[side][0], r += step[side][1], side = (side + 2) % 4;
   }
   fprintf(to, "]");
}

/* Contours as GeoJSON, of `levels` intensities that are denser where they are low; lines end at the window's border. */
static inline int draw_contours(const sneppp_model *m, int cells, int levels, const sneppp_parallel *par, FILE *to)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   const int            globe = w->space == SNEPPP_SPACE_SPHERE;
   double               e[4] = {-180, 180, -90, 90}, side, lo = INFINITY, hi = 0, *z;
   const char          *between = "";
   draw_field           f;
   size_t               n;
   int                  ok;
   if (!globe) draw_extent(w, e);
   side = fmax(e[1] - e[0], e[3] - e[2]) / cells;
   memset(&f, 0, sizeof f);
   f.cols = (int)fmax(1, ceil((e[1] - e[0]) / side - 1e-9));
   f.rows = (int)fmax(1, ceil((e[3] - e[2]) / side - 1e-9));
   n = (size_t)f.rows * (size_t)f.cols;
   z = globe ? draw_sphere_grid(m, f.rows, f.cols, 1, 0, par) : draw_grid(m, e[0], e[1], e[2], e[3], f.rows, f.cols, 0, par);
   f.seen = (unsigned char *)malloc(2 * n);
   f.z = z;
   if (z && f.seen) {
      hi = pic_quantile(z, n, 0.995);
      for (size_t i = 0; !globe && i < n; i++) {
         const double x[2] = {e[0] + (e[1] - e[0]) * ((double)(i % (size_t)f.cols) + 0.5) / f.cols, e[2] + (e[3] - e[2]) * ((double)(i / (size_t)f.cols) + 0.5) / f.rows};
         if (!sneppp_window_contains(w, x)) z[i] = -1;
      }
      for (size_t i = 0; i < n; i++) if (z[i] >= 0) lo = fmin(lo, z[i]);
      fprintf(to, "{\"type\": \"FeatureCollection\", \"features\": [");
      for (int k = 1; k <= levels; k++) {
         const char *comma = NULL; /* a level without lines is left out */
         f.level = lo + (hi - lo) * k / (levels + 1) * k / (levels + 1);
         memset(f.seen, 0, 2 * n);
         for (int open = 1; open >= 0; open--) /* lines that begin at a border first, then those that are closed */
            for (size_t i = 0; i < 4 * n; i++) {
               const int c = (int)(i / 4 % (size_t)f.cols), r = (int)(i / 4 / (size_t)f.cols), s = (int)(i % 4);
               const int to_c = c + (s == 1) - (s == 3), to_r = r + (s == 2) - (s == 0);
               if (draw_exit(&f, c, r, s) < 0 || f.seen[draw_edge(&f, c, r, s)] || (open && draw_exit(&f, to_c, to_r, (s + 2) % 4) >= 0)) continue;
               if (!comma)
                  fprintf(to, "%s\n{\"type\": \"Feature\", \"properties\": {\"intensity\": %.8g}, \"geometry\": "
                          "{\"type\": \"MultiLineString\", \"coordinates\": [", between, f.level);
               draw_line(&f, e, c, r, s, comma ? comma : "", to);
               comma = ", ";
            }
         if (comma) fprintf(to, "]}}"), between = ",";
      }
      fprintf(to, "\n]}\n");
   }
   ok = z && f.seen && !ferror(to);
   free(z);
   free(f.seen);
   return ok;
}
#endif
