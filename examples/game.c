/* cc -O2 -o game examples/game.c -lm && ./game
   A forest for a game: the map is learned once from 3604 real trees and kept small (256 features), then a camera walks
   over it and asks only for the tiles that it sees. Nothing is stored: a tile that comes back into view holds the same
   trees, whatever was asked for in between, and all tiles together are one draw of the Poisson process, so that the
   number of trees in a tile can be judged by its exact expectation. From far away a few large tiles show some of the
   trees; those of the next level are the same and three times as many more (build/game.png, or the file named by the
   first argument). */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include "tile.h"
#include "draw.h"
#include <time.h>

enum { depth = 4, side = 1 << depth, tiles = side * side, from_far = 2, room = 1024, stations = 9, seeds = 8 };
static const double   east = 1000, north = 500, sight[2] = {250, 125}; /* metres: the map, and what the camera sees */
static const uint64_t world = 2024;

typedef struct tile {
   sneppp_real xy[2 * room];
   size_t      count;
   double      expected;
} tile;

static int fail(const char *why)
{
   fprintf(stderr, "game: %s\n", why);
   return 1;
}

static int ask(const sneppp_model *map, int level, int t, uint64_t seed, tile *out)
{
   sneppp_sample_info info;
   sneppp_error       err;
   tile_desc          which = {.depth = depth, .level = level, .ix = (uint32_t)(t % (1 << level)), .iy = (uint32_t)(t / (1 << level)), .seed = seed};
   if (tile_sample(map, &which, out->xy, room, &info, &err) != SNEPPP_OK) return !fail(err.why);
   out->count = info.count;
   out->expected = info.expected;
   return 1;
}

static int same(const tile *a, const tile *b)
{
   return a->count == b->count && !memcmp(a->xy, b->xy, 2 * a->count * sizeof *a->xy);
}

static int holds(const tile *t, const sneppp_real *xy)
{
   for (size_t i = 0; i < t->count; i++)
      if (t->xy[2 * i] == xy[0] && t->xy[2 * i + 1] == xy[1]) return 1; /* the same to the last bit */
   return 0;
}

/* All levels, from one tile to the finest: every tree must stand in one of the four children of its tile, too. Returns
   how many do not, or -1. */
static int levels(const sneppp_model *map, tile all[depth + 1][tiles])
{
   int lost = 0;
   for (int l = 0; l <= depth; l++)
      for (int t = 0; t < 1 << 2 * l; t++) if (!ask(map, l, t, world, &all[l][t])) return -1;
   printf("level   tiles   trees   expected   not in the next level\n");
   for (int l = 0; l <= depth; l++) {
      const int across = 1 << l;
      size_t    trees = 0;
      double    expected = 0;
      int       gone = 0;
      for (int t = 0; t < across * across; t++) {
         const tile *child = all[l < depth ? l + 1 : l] + (size_t)(2 * (t / across)) * 2 * (size_t)across + (size_t)(2 * (t % across));
         trees += all[l][t].count;
         expected += all[l][t].expected;
         for (size_t i = 0; l < depth && i < all[l][t].count; i++) {
            const sneppp_real *xy = all[l][t].xy + 2 * i;
            gone += !holds(child, xy) && !holds(child + 1, xy) && !holds(child + 2 * across, xy) && !holds(child + 2 * across + 1, xy);
         }
      }
      printf("%5d %7d %7lu %10.1f %14d\n", l, across * across, (unsigned long)trees, expected, gone);
      lost += gone;
   }
   printf("\n");
   return lost;
}

/* Everything else about a tree follows from its place: 32 bits that look random and are the same on every visit. */
static unsigned dice(const sneppp_real *xy)
{
   uint64_t h = (uint64_t)(int64_t)(1000 * (double)xy[0]) << 32 ^ (uint64_t)(int64_t)(1000 * (double)xy[1]);
   h = (h ^ h >> 31) * 0x9e3779b97f4a7c15u;
   h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
   return (unsigned)(h >> 32);
}

/* ---- the picture */
static void ground(picture *p, const pic_frame *f, const double *z, int rows, int cols, double hi)
{
   for (int y = (int)f->top; y < (int)f->bottom; y++)
      for (int x = (int)f->left; x < (int)f->right; x++) {
         const double u = (f->x0 + (x + 0.5 - f->left) / (f->right - f->left) * (f->x1 - f->x0)) / east;
         const double v = (f->y0 + (f->bottom - y - 0.5) / (f->bottom - f->top) * (f->y1 - f->y0)) / north;
         const double t = floor(pic_scale(pic_between(z, rows, cols, u, v), hi, 0.5) * 12 + 0.5) / 12;
         pic_dot(p, x, y, 0xefe6c8u, 1);
         pic_dot(p, x, y, 0x9cc17au, t);
      }
   for (int k = 0; k <= side; k++) { /* the borders of the tiles */
      const double x = floor(pic_x(f, east * k / side)) + 0.5, y = floor(pic_y(f, north * k / side)) + 0.5;
      if (x >= f->left && x <= f->right) pic_line(p, x, f->top, x, f->bottom, 0.5, 0x9a9a80u);
      if (y >= f->top && y <= f->bottom) pic_line(p, f->left, y, f->right, y, 0.5, 0x9a9a80u);
   }
}

/* A crown with its shadow, lit from the upper left; kind 0 young, 1 grown, 2 old. */
static void sprite(picture *p, double x, double y, int kind)
{
   static const unsigned crown[3] = {0x5c9440u, 0x2f7a3au, 0x1d5a3cu}, light[3] = {0x8fc45fu, 0x58a35au, 0x3d8259u};
   const double          r = 3.2 + 2.2 * kind;
   pic_disc(p, x + 0.35 * r, y + 0.4 * r, r, 0x7d8257u);
   pic_disc(p, x, y, r, crown[kind]);
   pic_disc(p, x - 0.25 * r, y - 0.25 * r, 0.5 * r, light[kind]);
}

static int from_north(const void *a, const void *b)
{
   const sneppp_real u = ((const sneppp_real *)a)[1], v = ((const sneppp_real *)b)[1];
   return u > v ? -1 : u < v;
}

static void rectangle(picture *p, const pic_frame *f, const double *at, double thick, unsigned colour)
{
   const double l = pic_x(f, at[0]), r = pic_x(f, at[0] + sight[0]), b = pic_y(f, at[1]), t = pic_y(f, at[1] + sight[1]);
   pic_line(p, l, t, r, t, thick, colour);
   pic_line(p, r, t, r, b, thick, colour);
   pic_line(p, r, b, l, b, thick, colour);
   pic_line(p, l, b, l, t, thick, colour);
}

static int paint(const sneppp_model *map, const tile *all, const tile *few, const double path[stations][2], int shown, const char *file)
{
   enum { rows = 100, cols = 200 };
   static sneppp_real near[2 * room * tiles / 4];
   static const char *const age[3] = {"young", "grown", "old"};
   picture   p = pic_make(1330, 400);
   double   *z = draw_grid(map, 0, east, 0, north, rows, cols, 0, NULL), hi, seen = 0;
   pic_frame far = {70, 40, 670, 340, 0, east, 0, north};
   pic_frame view = {710, 40, 1310, 340, path[shown][0], path[shown][0] + sight[0], path[shown][1], path[shown][1] + sight[1]};
   size_t    count = 0;
   char      text[100];
   int       ok = 0;
   if (p.rgb && z) {
      for (int t = 0; t < tiles; t++) {
         seen += (double)all[t].count;
         for (size_t i = 0; i < all[t].count; i++) {
            const sneppp_real *xy = all[t].xy + 2 * i;
            if ((double)xy[0] < view.x0 || (double)xy[0] > view.x1 || (double)xy[1] < view.y0 || (double)xy[1] > view.y1) continue;
            if (count < room * tiles / 4) memcpy(near + 2 * count++, xy, 2 * sizeof *xy);
         }
      }
      qsort(near, count, 2 * sizeof *near, from_north);
      hi = pic_quantile(z, (size_t)rows * cols, 0.98);
      ground(&p, &far, z, rows, cols, hi);
      for (int t = 0; t < tiles; t++)
         for (size_t i = 0; i < all[t].count; i++) pic_disc(&p, pic_x(&far, (double)all[t].xy[2 * i]), pic_y(&far, (double)all[t].xy[2 * i + 1]), 0.9, 0x1d5a3cu);
      for (int t = 0; t < 1 << 2 * from_far; t++)
         for (size_t i = 0; i < few[t].count; i++) pic_disc(&p, pic_x(&far, (double)few[t].xy[2 * i]), pic_y(&far, (double)few[t].xy[2 * i + 1]), 2.4, 0x1d5a3cu);
      for (int k = 0; k < stations; k++) {
         rectangle(&p, &far, path[k], k == shown ? 2.5 : 0.7, k == shown ? 0xd0421bu : 0xe08a5au);
         if (k) pic_line(&p, pic_x(&far, path[k - 1][0] + sight[0] / 2), pic_y(&far, path[k - 1][1] + sight[1] / 2), pic_x(&far, path[k][0] + sight[0] / 2), pic_y(&far, path[k][1] + sight[1] / 2), 1.5, 0xe08a5au);
      }
      pic_ruler(&p, &far, "m");
      snprintf(text, sizeof text, "%.0f trees in %d tiles; large: shown from far away", seen, (int)tiles);
      pic_axes(&p, &far, "metres east", "metres north", text);
      ground(&p, &view, z, rows, cols, hi);
      for (size_t i = 0; i < count; i++) sprite(&p, pic_x(&view, (double)near[2 * i]), pic_y(&view, (double)near[2 * i + 1]), (int)(dice(near + 2 * i) % 3));
      pic_box(&p, view.left - 12, view.top - 12, view.right + 12, view.top, PIC_WHITE); /* crowns do not leave the frame */
      pic_box(&p, view.left - 12, view.bottom, view.right + 12, view.bottom + 12, PIC_WHITE);
      pic_box(&p, view.left - 12, view.top, view.left, view.bottom, PIC_WHITE);
      pic_box(&p, view.right, view.top, view.right + 12, view.bottom, PIC_WHITE);
      pic_ruler(&p, &view, "m");
      snprintf(text, sizeof text, "what it sees: %lu trees", (unsigned long)count);
      pic_axes(&p, &view, "metres east", NULL, text);
      for (int k = 0; k < 3; k++) {
         sprite(&p, 1090 + 80 * k, 24, k);
         pic_text(&p, 1102 + 80 * k, 28, 9, 0, PIC_INK, age[k]);
      }
      ok = pic_save(&p, file);
   }
   free(z);
   pic_free(&p);
   return ok;
}

/* Walks from station to station; tiles come into view and are forgotten. Returns how many tiles were asked for again
   and were not the same, or -1. */
static int walk(const sneppp_model *map, const tile *all, const double path[stations][2])
{
   static tile now;
   int visits[tiles] = {0}, inside[tiles] = {0}, changed = 0, again = 0;
   printf("camera looks at (m)       new tiles   trees in them   expected\n");
   for (int k = 0; k < stations; k++) {
      int    fresh = 0;
      size_t trees = 0;
      double expected = 0;
      for (int t = 0; t < tiles; t++) {
         const double x = east / side * (t % side), y = north / side * (t / side); /* lower left corner */
         const int    in = x < path[k][0] + sight[0] && x + east / side > path[k][0] && y < path[k][1] + sight[1] && y + north / side > path[k][1];
         if (in && !inside[t]) {
            if (!ask(map, depth, t, world, &now)) return -1;
            changed += visits[t] && !same(&now, &all[t]);
            again += visits[t]++ > 0;
            fresh++;
            trees += now.count;
            expected += now.expected;
         }
         inside[t] = in;
      }
      printf("%4.0f-%-4.0f x %4.0f-%-4.0f %13d %15lu %10.1f\n", path[k][0], path[k][0] + sight[0], path[k][1], path[k][1] + sight[1], fresh, (unsigned long)trees, expected);
   }
   printf("%d tiles came back into view; %d of them had changed\n", again, changed);
   return changed;
}

int main(int count, char **arg)
{
   static tile     lod[depth + 1][tiles], now;
   const tile     *all = lod[depth];
   const char     *file = count > 1 ? arg[1] : "build/game.png";
   const double    path[stations][2] = {{20, 20}, {230, 60}, {470, 20}, {700, 60}, {730, 340}, {480, 355}, {240, 350}, {30, 250}, {60, 40}};
   sneppp_desc     desc = {.width = 256, .factor = {{.window = {.space = SNEPPP_SPACE_BOX, .dim = 2, .hi = {east, north}}}}};
   sneppp_events   trees = {0};
   sneppp_fit_desc fit = {.events = &trees};
   sneppp_model    map;
   sneppp_report   report;
   sneppp_error    err;
   csv_table       table;
   double          total, found = 0, chi2 = 0, spread = 2 * tiles, seconds, made = 0;
   clock_t         start;
   int             changed = 0;

   if (!csv_read(&table, "examples/data/bei.csv")) return fail(table.error);
   trees.x = table.value;
   trees.count = table.rows;
   if (sneppp_init(&map, &desc, &err) != SNEPPP_OK || sneppp_fit(&map, &fit, &report, &err) != SNEPPP_OK ||
       sneppp_count(&map, NULL, 1, &total, NULL, &err) != SNEPPP_OK) return fail(err.why);
   csv_free(&table);
   printf("a map of %d features, %lu bytes when saved, learned in %.2f s\n\n", report.width, (unsigned long)sneppp_save(&map, NULL, 0), report.seconds);

   changed = levels(&map, lod);
   for (int t = tiles; t-- > 0;) { /* once more, from the end */
      const double e = all[t].expected, n = (double)all[t].count;
      if (!ask(&map, depth, t, world, &now)) return 1;
      changed += !same(&now, &all[t]);
      found += n;
      chi2 += (n - e) * (n - e) / e;
      spread += 1 / e; /* the variance of (n - e)^2 / e is 2 + 1/e */
   }
   changed += walk(&map, all, path);
   printf("\nall %d tiles, asked for from either end: %s\n", (int)tiles, changed ? "NOT the same trees" : "the same trees");
   printf("%.0f trees stand in them, %.1f were expected in the whole map\n", found, total);
   printf("sum of (counted - expected)^2 / expected over the tiles: %.0f, should be %d +- %.0f\n", chi2, (int)tiles, sqrt(spread));

   start = clock();
   for (uint64_t s = 0; s < seeds; s++)
      for (int t = 0; t < tiles; t++) {
         if (!ask(&map, depth, t, s, &now)) return 1;
         made += (double)now.count;
      }
   seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
   printf("%.3f ms for a tile, %.0f trees per millisecond of one processor\n", 1000 * seconds / (tiles * seeds), made / (1000 * seconds + 1e-9));
   if (!paint(&map, all, lod[from_far], path, 3, file)) return fail("the picture could not be written");
   printf("The picture is %s\n", file);
   sneppp_free(&map);
   return changed || fabs(chi2 - tiles) > 4 * sqrt(spread) || fabs(found - total) > 4 * sqrt(total);
}
