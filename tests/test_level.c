/* What games and maps ask: regions that are cut to the window, points spawned in them, intensities drawn part by part,
   rasters, small batches; and PGD as a lesson. Counts against regions that were cut by hand and against sums, samples
   against counts, rasters against single looks and counts. */
#include "cases.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double level_xy[22] = {0, 0, 10, 0, 10, 4, 6, 4, 6, 8, 0, 8, 1, 1, 3, 1, 3.5, 3, 1.5, 2.5, 1, 2};
static const size_t level_rings[2] = {6, 5};
enum { level_budget = 32 }; /* leaves of a tree hold 16 */
static const double level_tiny = sizeof(sneppp_real) == 4 ? 2e-5 : 1e-11;

/* An L with a hole. */
static sneppp_window level_window(void)
{
   sneppp_window w;
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_SPACE_POLYGON, w.dim = 2, w.rings = 2, w.ring_size = level_rings, w.xy = level_xy;
   return w;
}

static sneppp_window level_box(double x0, double x1, double y0, double y1)
{
   sneppp_window w;
   memset(&w, 0, sizeof w);
   w.dim = 2, w.lo[0] = x0, w.hi[0] = x1, w.lo[1] = y0, w.hi[1] = y1;
   return w;
}

static sneppp_status level_count(const sneppp_model *m, const sneppp_window *part, double *count, sneppp_error *err)
{
   sneppp_region r;
   memset(&r, 0, sizeof r);
   r.factor[0] = part;
   return sneppp_count(m, &r, 1, count, NULL, err);
}

static sneppp_status level_model(sneppp_model *m, sneppp_act act, sneppp_readout readout, const sneppp_window *w, sneppp_error *err)
{
   sneppp_desc d;
   memset(&d, 0, sizeof d);
   d.factor[0].window = *w, d.factor[0].unit.act = act;
   d.readout = readout, d.width = 12, d.alpha = 3;
   return sneppp_init(m, &d, err);
}

/* The L fitted to points of its own; with a budget, whose search takes a while, once: the next are read from its file. */
static sneppp_status level_fit(sneppp_model *m, int width, sneppp_error *err)
{
   static unsigned char file[1 << 16];
   static size_t        bytes;
   static sneppp_real xy[2 * 300];
   sneppp_desc        d;
   sneppp_events      e;
   sneppp_fit_desc    fit;
   sneppp_rng         rng;
   sneppp_window      w = level_window();
   sneppp_status      st;
   if (width && bytes) return sneppp_load(m, file, bytes, NULL, 0, NULL, err);
   memset(&d, 0, sizeof d), memset(&e, 0, sizeof e), memset(&fit, 0, sizeof fit);
   d.factor[0].window = w, d.width = width;
   sneppp_rng_init(&rng, 8, 0);
   for (e.count = 0; e.count < 300;) {
      double y[2], u = sneppp_rng_uniform(&rng);
      sneppp_window_draw(&w, &rng, y);
      if (u > y[0] / 10) xy[2 * e.count] = (sneppp_real)y[0], xy[2 * e.count++ + 1] = (sneppp_real)y[1];
   }
   e.x = xy, fit.events = &e;
   st = sneppp_init(m, &d, err);
   if (st == SNEPPP_OK) st = sneppp_fit(m, &fit, NULL, err);
   if (st == SNEPPP_OK && width) bytes = sneppp_save(m, file, sizeof file), st = bytes && bytes <= sizeof file ? st : SNEPPP_ERR_SIZE;
   return st;
}

TEST level_cut_counts(void)
{
   static const sneppp_act act[2] = {SNEPPP_ACT_COS, SNEPPP_ACT_RBF};
   static const double     whole[6] = {0, 0, 4, 0, 0, 4}, half[6] = {1, 1, 3, 1, 1, 3};
   sneppp_window           tri = level_window(), part = tri, w = level_window(), box;
   sneppp_model            m;
   sneppp_error            err;
   double                  want, got, total, sum;
   tri.rings = part.rings = 0, tri.ring_size = part.ring_size = NULL, tri.count = part.count = 3;
   tri.xy = whole, part.xy = half;
   for (int k = 0; k < 4; k++) {
      sneppp_readout readout = k < 2 ? SNEPPP_READOUT_FULL : SNEPPP_READOUT_DIAGONAL;
      int            none = 0;
      ASSERT_EQ_FMT(SNEPPP_OK, level_model(&m, act[k % 2], readout, &tri, &err), "%d");
      box = level_box(1, 3, 1, 3); /* the wall goes through two of its corners */
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_count(&m, &box, &got, &err), "%d");
      ASSERT_EQ_FMT(SNEPPP_OK, level_count(&m, &part, &want, &err), "%d");
      ASSERT_IN_RANGE(want, got, 1e-12 * want);
      box = level_box(-9, 9, -9, 9);
      ASSERT_EQ_FMT(SNEPPP_OK, level_count(&m, &box, &got, &err), "%d");
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&m, NULL, 1, &want, NULL, &err), "%d");
      ASSERT_IN_RANGE(want, got, 1e-12 * want);
      sneppp_free(&m);
      ASSERT_EQ_FMT(SNEPPP_OK, level_model(&m, act[k % 2], readout, &w, &err), "%d");
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err), "%d");
      sum = 0;
      for (int i = 0; i < 35; i++) { /* pieces of the box around the window, some with walls on their borders */
         box = level_box(10.0 * (i % 7) / 7 - (i % 7 == 0), 10.0 * (i % 7 + 1) / 7, 2.0 * (i / 7) - 1, 2.0 * (i / 7) + 1);
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_count(&m, &box, &got, &err), "%d");
         ASSERT(got >= 0);
         sum += got, none += got == 0;
      }
      ASSERT_EQ(4, none); /* the corner that the L leaves free */
      ASSERT_IN_RANGE(total, sum, 1e-11 * total);
      sneppp_free(&m);
   }
   PASS();
}

/* ---- polygons that are cut. What the count must be is found without cutting anything: along a horizontal line each
   polygon is a list of intervals between its edges, on which Gauss's rule is exact enough, and so it is across the line,
   between heights at which edges begin, end or cross. */
static int level_compare(const void *a, const void *b)
{
   double x = *(const double *)a, y = *(const double *)b;
   return x < y ? -1 : x > y;
}

static size_t level_corners(const sneppp_window *w)
{
   size_t n = 0;
   for (size_t k = 0; k < sneppp__ring_count(w); k++) n += sneppp__ring_size(w, k);
   return n;
}

static size_t level_edge(const sneppp_window *w, size_t k, const double **a, const double **b)
{
   size_t first = 0, ring = 0;
   while (k >= first + sneppp__ring_size(w, ring)) first += sneppp__ring_size(w, ring++);
   *a = w->xy + 2 * k, *b = w->xy + 2 * (k + 1 < first + sneppp__ring_size(w, ring) ? k + 1 : first);
   return k;
}

static double level_line(const sneppp_model *m, const sneppp_window *const *w, double y, const double *node, const double *weight, int n)
{
   double at[128], sum = 0;
   size_t count = 0;
   for (int k = 0; k < 2; k++)
      for (size_t i = 0; i < level_corners(w[k]); i++) {
         const double *a, *b;
         level_edge(w[k], i, &a, &b);
         if ((a[1] > y) != (b[1] > y)) at[count++] = a[0] + (b[0] - a[0]) * ((y - a[1]) / (b[1] - a[1]));
      }
   qsort(at, count, sizeof *at, level_compare);
   for (size_t i = 0; i + 1 < count; i++) {
      double p[2] = {0.5 * (at[i] + at[i + 1]), y};
      if (!(at[i] < at[i + 1]) || !sneppp_window_contains(w[0], p) || !sneppp_window_contains(w[1], p)) continue;
      for (int q = 0; q < n; q++) {
         sneppp_real x[2];
         x[0] = (sneppp_real)(p[0] + 0.5 * (at[i + 1] - at[i]) * node[q]), x[1] = (sneppp_real)y;
         sum += 0.5 * (at[i + 1] - at[i]) * weight[q] * (double)sneppp_intensity(m, x);
      }
   }
   return sum;
}

static double level_integral(const sneppp_model *m, const sneppp_window *u, const sneppp_window *v, int nodes)
{
   const sneppp_window *w[2];
   double               height[4096], node[32], weight[32], sum = 0;
   size_t               count = 0, n[2];
   int                  order = sneppp__gauss_legendre(nodes, node, weight);
   w[0] = u, w[1] = v;
   for (int k = 0; k < 2; k++)
      for (n[k] = level_corners(w[k]); n[k]-- > 0;) height[count++] = w[k]->xy[2 * n[k] + 1];
   for (size_t i = 0; i < level_corners(u); i++)
      for (size_t j = 0; j < level_corners(v); j++) {
         const double *a, *b, *c, *e;
         double        det, t;
         level_edge(u, i, &a, &b), level_edge(v, j, &c, &e);
         det = (b[0] - a[0]) * (e[1] - c[1]) - (b[1] - a[1]) * (e[0] - c[0]);
         if (det == 0) continue;
         t = ((c[0] - a[0]) * (e[1] - c[1]) - (c[1] - a[1]) * (e[0] - c[0])) / det;
         if (t > 0 && t < 1) height[count++] = a[1] + t * (b[1] - a[1]);
      }
   qsort(height, count, sizeof *height, level_compare);
   for (size_t i = 0; i + 1 < count; i++)
      for (int q = 0; q < order && height[i] < height[i + 1]; q++)
         sum += 0.5 * (height[i + 1] - height[i]) * weight[q] *
                level_line(m, w, 0.5 * (height[i] + height[i + 1]) + 0.5 * (height[i + 1] - height[i]) * node[q], node, weight, order);
   return sum;
}

/* A star of n corners, concave, maybe with a hole and a second star in it, in either direction; a frame around
   everything that leaves just the star out, in *rest. Corners are rounded to eighths for odd seeds, so that many lie on
   walls, on corners and on lines through them. */
static sneppp_window level_star(uint64_t seed, size_t n, size_t rings, double *xy, size_t *size, sneppp_window *rest)
{
   static const double frame[8] = {-40, -40, 40, -40, 40, 40, -40, 40};
   sneppp_window       w = level_window();
   sneppp_rng          rng;
   double              c[2], turn, back = seed % 3 ? 1 : -1;
   sneppp_rng_init(&rng, seed, 5);
   memcpy(xy, frame, sizeof frame);
   size[0] = 4;
   do {
      c[0] = 16 * sneppp_rng_uniform(&rng) - 3, c[1] = 14 * sneppp_rng_uniform(&rng) - 3, turn = sneppp_rng_uniform(&rng);
      for (size_t r = 0; r < rings; r++) {
         size[r + 1] = n;
         for (size_t k = 0; k < n; k++) {
            double angle = 6.283185307179586 * ((double)k + turn) / (double)n * back, *to = xy + 8 + 2 * (r * n + k);
            double radius = (0.4 + sneppp_rng_uniform(&rng)) * 4 / pow(4, (double)r);
            to[0] = c[0] + radius * cos(angle), to[1] = c[1] + radius * sin(angle);
            for (int q = 0; q < 2 && seed % 2; q++) to[q] = floor(8 * to[q] + 0.5) / 8;
         }
      }
      w.rings = rings, w.ring_size = size + 1, w.xy = xy + 8;
      *rest = w;
      rest->rings = rings + 1, rest->ring_size = size, rest->xy = xy;
   } while (sneppp__window_check(&w, NULL) != SNEPPP_OK);
   return w;
}

TEST level_cut_polygons(void)
{
   static const sneppp_act act[4] = {SNEPPP_ACT_COS, SNEPPP_ACT_RBF, SNEPPP_ACT_RELU, SNEPPP_ACT_EXP};
   double                  xy[80], box_xy[8] = {2, 1, 9, 1, 9, 7, 2, 7}, total, got, left, want, none = 0;
   size_t                  size[4];
   for (uint64_t k = 0; k < 120; k++) {
      const size_t  n = (size_t)(3 + k / 4 % 7), rings = (size_t)(1 + k / 8 % 3);
      sneppp_window w = level_window(), rest, star, walls;
      sneppp_model  m;
      sneppp_error  err;
      if (k % 5 == 4) w = level_box(2, 9, 1, 7);
      walls = w;
      if (k % 5 == 4) walls.space = SNEPPP_SPACE_POLYGON, walls.count = 4, walls.xy = box_xy;
      star = level_star(k, n, rings, xy, size, &rest);
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_model(&m, act[k % 4], k % 8 < 4 ? SNEPPP_READOUT_FULL : SNEPPP_READOUT_DIAGONAL, &w, &err), "%d");
      m.floor = 0.25;
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err), "%d");
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_count(&m, &star, &got, &err), "%d");
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_count(&m, &rest, &left, &err), "%d");
      ASSERT_IN_RANGE(total, got + left, 1e-11 * total);
      if (act[k % 4] != SNEPPP_ACT_RELU && k % 3 == 0) { /* whose kinks no rule of Gauss likes */
         want = level_integral(&m, &walls, &star, 24);
         ASSERT_IN_RANGE(want, got, level_tiny * total);
         if (want == 0) ASSERT_EQ(0.0, got);
         none += want == 0;
      }
      sneppp_free(&m);
   }
   ASSERT(none > 0);
   PASS();
}

/* A region of right angles, with a hole, is a sum of boxes, each of which is cut by itself. */
TEST level_cut_sums(void)
{
   static const double     comb[40] = {-1, -1, 11, -1, 11, 9, 9, 9, 9, 1, 7, 1, 7, 5, 5, 5, 5, 0.5, 2, 0.5, 2, 6, -1, 6, 0.25, 0.5, 0.25, 4, 1.75, 4, 1.75, 0.5};
   static const size_t     size[2] = {12, 4};
   static const double     piece[7][4] = {{-1, 11, -1, 0.5}, {-1, 2, 4, 6}, {-1, 0.25, 0.5, 4}, {1.75, 2, 0.5, 4}, {5, 7, 0.5, 5}, {7, 9, 0.5, 1}, {9, 11, 0.5, 9}};
   static const sneppp_act act[4] = {SNEPPP_ACT_COS, SNEPPP_ACT_RBF, SNEPPP_ACT_RELU, SNEPPP_ACT_STEP};
   for (int k = 0; k < 8; k++) {
      sneppp_window w = level_window(), part = w;
      sneppp_model  m;
      sneppp_error  err;
      double        sum = 0, got, one;
      if (k >= 4) w = level_box(-0.5, 10, 0, 8);
      part.rings = 2, part.ring_size = size, part.xy = comb;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_model(&m, act[k % 4], SNEPPP_READOUT_FULL, &w, &err), "%d");
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_count(&m, &part, &got, &err), "%d");
      for (int q = 0; q < 7; q++, sum += one) {
         sneppp_window box = level_box(piece[q][0], piece[q][1], piece[q][2], piece[q][3]);
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_count(&m, &box, &one, &err), "%d");
      }
      ASSERT_IN_RANGE(sum, got, 1e-11 * sum);
      sneppp_free(&m);
   }
   PASS();
}

/* Regions that share walls, touch them at a corner, are the window, its hole or beyond it. */
TEST level_cut_touching(void)
{
   static const double hole[10] = {1, 1, 3, 1, 3.5, 3, 1.5, 2.5, 1, 2}, corner[8] = {6, 4, 10, 4, 10, 8, 6, 8}, far[6] = {20, 20, 30, 20, 20, 30};
   static const double touch[6] = {10, 2, 12, 1, 12, 3}, notch[8] = {6, 4, 11, 4, 11, 9, 6, 9}, around[10] = {0, 0, 10, 0, 12, 4, 6, 4, 6, 8};
   static const double kite[8] = {3, 1, 3.5, 3, 6, 8, 6, 4}, out[12] = {0, 0, 10, 0, 10, 4, 6, 4, 6, 8, 0, 8};
   const struct { const double *xy; size_t count; int what; } region[8] = {{hole, 5, 0}, {corner, 4, 0}, {far, 3, 0}, {touch, 3, 0}, {notch, 4, 0}, {around, 5, 1}, {kite, 4, 1}, {out, 6, 2}};
   for (int k = 0; k < 3; k++)
      for (int q = 0; q < 8; q++) {
         sneppp_window      w = level_window(), part = w, tested;
         sneppp_sample_info info;
         sneppp_sample_desc how;
         sneppp_region      r;
         sneppp_model       m;
         sneppp_sure        sure;
         sneppp_error       err;
         sneppp_real        x[2];
         double             xy[12], walls[22], total, got, a = k ? 0.7 * k : 0, by = k ? 1000 * k : 0;
         memset(&r, 0, sizeof r), memset(&how, 0, sizeof how);
         for (size_t i = 0; i < 11; i++) {
            walls[2 * i] = by + cos(a) * level_xy[2 * i] - sin(a) * level_xy[2 * i + 1];
            walls[2 * i + 1] = sin(a) * level_xy[2 * i] + cos(a) * level_xy[2 * i + 1];
         }
         for (size_t i = 0; i < region[q].count; i++) {
            xy[2 * i] = by + cos(a) * region[q].xy[2 * i] - sin(a) * region[q].xy[2 * i + 1];
            xy[2 * i + 1] = sin(a) * region[q].xy[2 * i] + cos(a) * region[q].xy[2 * i + 1];
         }
         w.xy = walls;
         part.rings = 0, part.ring_size = NULL, part.count = region[q].count, part.xy = xy;
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_model(&m, SNEPPP_ACT_COS, SNEPPP_READOUT_FULL, &w, &err), "%d");
         ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err), "%d");
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_count(&m, &part, &got, &err), "%d");
         r.factor[0] = &part, how.region = &r;
         if (region[q].what == 0) {
            ASSERT_IN_RANGE(0, got, k ? 1e-11 * total : 0); /* turned, walls coincide to rounding only */
            ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_sample(&m, &how, x, 1, &info, &err), "%d");
            ASSERT_EQ(0, (int)info.count);
         }
         if (region[q].what == 2) ASSERT_IN_RANGE(total, got, 1e-11 * total);
         tested = part;
         if (region[q].what == 1) ASSERT_IN_RANGE(level_integral(&m, &w, &tested, 24), got, level_tiny * total);
         sneppp_free(&m);
         if (k || region[q].what) continue;
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_fit(&m, level_budget, &err), "%d");
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_count_sure(&m, &r, 1, 0.9, &sure, NULL, &err), "%d");
         ASSERT(sure.mean == 0 && sure.lower == 0 && sure.upper == 0 && sure.count_upper == 0);
         sneppp_free(&m);
      }
   PASS();
}

/* Samples, intervals and marginals of cut polygons, in polygons, in boxes and with a factor of time, as the counts say. */
TEST level_cut_uses(void)
{
   enum { points = 2000 };
   static const double west_xy[18] = {0, 0, 4, 0, 4, 8, 0, 8, 1, 1, 3, 1, 3.5, 3, 1.5, 2.5, 1, 2};
   static const size_t west_size[2] = {4, 5};
   static sneppp_real  x[3 * points];
   for (int k = 0; k < 6; k++) {
      const int          product = k > 3;
      sneppp_window      w = level_window(), star, rest, half;
      sneppp_sample_desc how;
      sneppp_sample_info info;
      sneppp_region      r;
      sneppp_model       m, time, place;
      sneppp_sure        sure;
      sneppp_error       err;
      double             xy[80], total, west = 0, e, both;
      size_t             size[4];
      memset(&r, 0, sizeof r), memset(&how, 0, sizeof how);
      if (k % 2) w = level_box(0, 10, 0, 8);
      star = level_star(15, 9, 2, xy, size, &rest);
      if (k < 2) ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_model(&m, SNEPPP_ACT_COS, SNEPPP_READOUT_FULL, &w, &err), "%d");
      else if (k < 4) ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_model(&m, SNEPPP_ACT_RBF, SNEPPP_READOUT_DIAGONAL, &w, &err), "%d");
      else {
         sneppp_desc d;
         memset(&d, 0, sizeof d);
         d.factor[0].window = w, d.factor[1].window.dim = 1, d.factor[1].window.hi[0] = 3, d.width = 6;
         d.mix = k == 4 ? SNEPPP_MIX_PRODUCT : SNEPPP_MIX_ADDITIVE;
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
      }
      m.floor = 0.125;
      ASSERT_EQ_FMT(SNEPPP_OK, level_count(&m, &star, &total, &err), "%d");
      r.factor[0] = &star, how.region = &r, how.count = points, how.seed = 2;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_sample(&m, &how, x, points, &info, &err), "%d");
      ASSERT_IN_RANGE(total, info.expected, 1e-11 * total);
      for (size_t i = 0; i < points; i++) {
         double y[2];
         for (size_t q = 0; q < 2; q++) y[q] = (double)x[i * (size_t)m.D + q];
         ASSERT(sneppp_window_contains(&w, y) && sneppp_window_contains(&star, y));
         west += y[0] < 4;
      }
      half = level_window(); /* the western half of the window */
      half.xy = west_xy, half.ring_size = west_size, half.rings = k % 2 ? 1 : 2;
      if (product) ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_marginal(&m, 1, NULL, &place, &err), "%d");
      e = level_integral(product ? &place : &m, &half, &star, 8) * points / total; /* 1e-4 of it is far below chance */
      ASSERT(fabs(west - e) <= 4.5 * sqrt(e * (1 - e / points)) + 1);
      if (product) {
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_marginal(&m, 0, &star, &time, &err), "%d");
         ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&time, NULL, 1, &both, NULL, &err), "%d");
         ASSERT_IN_RANGE(total, both, level_tiny * total);
         sneppp_free(&time);
         sneppp_free(&place);
      }
      sneppp_free(&m);
      if (k) continue;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_fit(&m, level_budget, &err), "%d");
      ASSERT_EQ_FMT(SNEPPP_OK, level_count(&m, &star, &total, &err), "%d");
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_count_sure(&m, &r, 1, 0.9, &sure, NULL, &err), "%d");
      ASSERT_IN_RANGE(total, sure.mean, 1e-9 * total);
      ASSERT(sure.lower < total && total < sure.upper); /* the mean is below 1: of new counts its whole part is the first */
      ASSERT((double)sure.count_lower <= floor(total) && floor(total) <= (double)sure.count_upper);
      sneppp_free(&m);
   }
   PASS();
}

/* Boxes in boxes of any dimension. */
TEST level_cut_boxes(void)
{
   for (int d = 1; d < 4; d++) {
      sneppp_window w, part, in;
      sneppp_model  m;
      sneppp_error  err;
      double        a, b;
      memset(&w, 0, sizeof w);
      w.dim = d;
      for (int r = 0; r < d; r++) w.lo[r] = r, w.hi[r] = r + 2;
      part = in = w;
      part.lo[0] = -7, part.hi[0] = in.hi[0] = 1;
      part.hi[d - 1] = d == 1 ? 1 : 99;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_model(&m, SNEPPP_ACT_COS, SNEPPP_READOUT_FULL, &w, &err), "%d");
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_count(&m, &part, &a, &err), "%d");
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_count(&m, &in, &b, &err), "%d");
      ASSERT_IN_RANGE(b, a, 1e-14 * b);
      part.lo[d - 1] = 98, part.hi[d - 1] = 99;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_count(&m, &part, &a, &err), "%d");
      ASSERT_EQ(0.0, a);
      sneppp_free(&m);
   }
   PASS();
}

TEST level_rectangles(void)
{
   static const double turned[8] = {4, 1, 4, 3.5, 5.5, 3.5, 5.5, 1};
   static sneppp_real  x[2][2 * 64];
   sneppp_window       box = level_box(4, 5.5, 1, 3.5), part = level_window();
   sneppp_model        m;
   sneppp_error        err;
   double              count[2];
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_fit(&m, level_budget, &err), "%d");
   part.rings = 0, part.ring_size = NULL, part.count = 4, part.xy = turned;
   ASSERT_EQ_FMT(SNEPPP_OK, level_count(&m, &box, &count[0], &err), "%d");
   ASSERT_EQ_FMT(SNEPPP_OK, level_count(&m, &part, &count[1], &err), "%d");
   ASSERT_EQ(count[0], count[1]);
   for (int k = 0; k < 2; k++) {
      sneppp_region      r;
      sneppp_sample_desc how;
      memset(&r, 0, sizeof r), memset(&how, 0, sizeof how);
      r.factor[0] = k ? &part : &box, how.region = &r, how.count = 64, how.seed = 3;
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_sample(&m, &how, x[k], 64, NULL, &err), "%d");
   }
   ASSERT_MEM_EQ(x[0], x[1], sizeof x[0]);
   sneppp_free(&m);
   PASS();
}

TEST level_cut_samples(void)
{
   enum { points = 20000 };
   static sneppp_real x[2 * points];
   sneppp_window      w = level_window();
   for (int k = 0; k < 3; k++) {
      sneppp_window      box = k ? level_box(0.5, 7, 0.5, 7) : level_box(4, 8, 2, 6), part = box;
      sneppp_region      r;
      sneppp_sample_desc how;
      sneppp_sample_info info;
      sneppp_model       m;
      sneppp_error       err;
      double             total, sum = 0;
      memset(&r, 0, sizeof r), memset(&how, 0, sizeof how);
      if (k < 2) ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_fit(&m, level_budget, &err), "%d");
      else ASSERT_EQ_FMT(SNEPPP_OK, level_model(&m, SNEPPP_ACT_COS, SNEPPP_READOUT_FULL, &w, &err), "%d");
      r.factor[0] = &box, how.region = &r, how.count = points, how.seed = 2;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_sample(&m, &how, x, points, &info, &err), "%d");
      ASSERT_EQ_FMT(SNEPPP_OK, level_count(&m, &box, &total, &err), "%d");
      ASSERT_IN_RANGE(total, info.expected, 1e-12 * total);
      for (size_t i = 0; i < points; i++) {
         double y[2];
         for (size_t q = 0; q < 2; q++) y[q] = (double)x[2 * i + q];
         ASSERT(sneppp_window_contains(&w, y) && sneppp_window_contains(&box, y));
      }
      for (int q = 0; q < 4; q++) { /* quarters, one of which may be outside */
         double mean[2] = {0.5 * (box.lo[0] + box.hi[0]), 0.5 * (box.lo[1] + box.hi[1])}, e = 0, hits = 0;
         part = level_box(q % 2 ? mean[0] : box.lo[0], q % 2 ? box.hi[0] : mean[0], q / 2 ? mean[1] : box.lo[1], q / 2 ? box.hi[1] : mean[1]);
         if (level_count(&m, &part, &e, &err) != SNEPPP_OK) e = 0;
         for (size_t i = 0; i < points; i++) {
            double y[2];
            for (size_t s = 0; s < 2; s++) y[s] = (double)x[2 * i + s];
            hits += sneppp_window_contains(&part, y);
         }
         sum += e, e *= points / total;
         ASSERT(fabs(hits - e) <= 4.5 * sqrt(e * (1 - e / points)) + 1);
      }
      ASSERT_IN_RANGE(total, sum, 1e-11 * total);
      sneppp_free(&m);
   }
   PASS();
}

/* Each part is drawn by itself: few candidates for a point, however many coordinates there are together. */
TEST level_parts(void)
{
   static const sneppp_mix mix[2] = {SNEPPP_MIX_ADDITIVE, SNEPPP_MIX_SEPARABLE};
   enum { points = 20000 };
   static sneppp_real x[4 * points];
   for (int k = 0; k < 4; k++) {
      sneppp_window      w = level_window(), box = level_box(0, 0.5, 0.2, 1.5), cut = level_box(2, 7, 1, 6);
      sneppp_desc        d;
      sneppp_region      r;
      sneppp_sample_desc how;
      sneppp_sample_info info;
      sneppp_model       m;
      sneppp_error       err;
      double             total, e, hits = 0;
      memset(&d, 0, sizeof d), memset(&r, 0, sizeof r), memset(&how, 0, sizeof how);
      d.factor[0].window = level_box(0, 1, 0, 2), d.factor[0].unit.act = SNEPPP_ACT_STEP;
      d.factor[1].window = w, d.factor[1].unit.act = SNEPPP_ACT_RBF;
      d.width = 20, d.mix = mix[k % 2], d.alpha = 1;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err), "%d");
      m.floor = k % 2 ? 0 : 0.1 * total / (2 * sneppp_window_mass(&w));
      how.count = 9;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_sample(&m, &how, x, points, &info, &err), "%d");
      ASSERT(info.candidates + info.evaluations + info.counts + info.cells < 9 * 1000);
      how.count = points, how.seed = 5;
      r.factor[1] = &cut; /* of half of the cases a part, cut by the walls */
      if (k / 2) how.region = &r;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_sample(&m, &how, x, points, &info, &err), "%d");
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&m, how.region, 1, &total, NULL, &err), "%d");
      ASSERT_IN_RANGE(total, info.expected, 1e-12 * total);
      r.factor[0] = &box;
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&m, &r, 1, &e, NULL, &err), "%d");
      for (size_t i = 0; i < points; i++) {
         double y[4];
         for (size_t q = 0; q < 4; q++) y[q] = (double)x[4 * i + q];
         ASSERT(sneppp_window_contains(&w, y + 2) && (!(k / 2) || sneppp_window_contains(&cut, y + 2)));
         hits += sneppp_window_contains(&box, y) && sneppp_window_contains(&cut, y + 2);
      }
      e *= points / total;
      ASSERT(fabs(hits - e) <= 4.5 * sqrt(e));
      sneppp_free(&m);
   }
   PASS();
}

static void level_backwards(void (*job)(size_t index, void *arg), void *arg, size_t count, void *user)
{
   (void)user;
   while (count-- > 0) job(count, arg);
}

/* Centres and means of a grid that reaches over the window, 1 if they are those of single looks and counts. */
static int level_grid_holds(const sneppp_model *m, sneppp_grid *g, const double *inside, sneppp_error *err)
{
   static sneppp_real z[64 * 64], twice[64 * 64];
   const sneppp_parallel back = {level_backwards, NULL};
   const size_t          n = (size_t)g->cells[0] * (size_t)(m->D > 1 ? g->cells[1] : 1);
   double                step[2] = {1, 1}, most = 0, sum = 0, total;
   for (int k = 0; k < m->D; k++) step[k] = (g->hi[k] - g->lo[k]) / g->cells[k];
   g->means = 0;
   if (sneppp_bake(m, g, z, NULL, err) != SNEPPP_OK || sneppp_bake(m, g, twice, &back, err) != SNEPPP_OK) return 0;
   if (memcmp(z, twice, n * sizeof *z) != 0) return 0;
   for (size_t i = 0; i < n; i++) most = fmax(most, (double)z[i]);
   for (size_t i = 0; i < n; i++) {
      sneppp_real x[2];
      for (int k = 0; k < m->D; k++) x[k] = (sneppp_real)(g->lo[k] + ((double)(k ? i / (size_t)g->cells[0] : i % (size_t)g->cells[0]) + 0.5) * step[k]);
      if (fabs((double)z[i] - (double)sneppp_intensity(m, x)) > level_tiny * most) return 0;
   }
   g->means = 1;
   if (sneppp_bake(m, g, z, NULL, err) != SNEPPP_OK || sneppp_count(m, NULL, 1, &total, NULL, err) != SNEPPP_OK) return 0;
   for (size_t i = 0; i < n; i++) {
      double        count = 0, a[2], b[2];
      sneppp_window box = level_box(0, 0, 0, 0);
      int           some = 1;
      sum += (double)z[i] * step[0] * step[1];
      if (i % 7) continue;
      box.dim = m->D;
      for (int k = 0; k < m->D; k++) {
         a[k] = g->lo[k] + (double)(k ? i / (size_t)g->cells[0] : i % (size_t)g->cells[0]) * step[k], b[k] = a[k] + step[k];
         a[k] = fmax(a[k], inside[2 * k]), b[k] = fmin(b[k], inside[2 * k + 1]);
         some = some && a[k] < b[k];
         box.lo[k] = a[k], box.hi[k] = b[k];
      }
      if (some && level_count(m, &box, &count, err) != SNEPPP_OK) count = 0;
      if (fabs((double)z[i] * step[0] * step[1] - count) > level_tiny * (most * step[0] * step[1])) return 0;
   }
   return fabs(sum - total) <= 10 * level_tiny * total;
}

TEST level_raster(void)
{
   static const double line[4] = {-3, 5, 0, 0}, plane[4] = {-3, 5, -3, 6}, around[4] = {0, 10, 0, 8};
   sneppp_model        m;
   sneppp_error        err;
   sneppp_grid         g;
   memset(&err, 0, sizeof err);
   for (int k = 0; k < 4; k++) { /* with a table of wide bumps on the line and the plane, in other shapes, and without */
      ASSERT_EQ_FMT(SNEPPP_OK, radial_model(k ? 2 : 1, k == 2 ? 3 : 0.5, k == 3 ? 1e-2 : 0.8, &m, &err), "%d");
      for (int i = 0; i < m.n; i++) m.readout[0].V[i] = (sneppp_real)(0.5 + i % 3);
      m.floor = 1;
      sneppp__renewed(&m);
      ASSERT(m.nodes);
      memset(&g, 0, sizeof g);
      g.cells[0] = 61, g.cells[1] = k ? 17 : 0;
      g.lo[0] = -3.5, g.hi[0] = 5.25, g.lo[1] = -3, g.hi[1] = 6.5;
      ASSERTm(err.why, level_grid_holds(&m, &g, k ? plane : line, &err));
      sneppp_free(&m);
   }
   for (int k = 0; k < 2; k++) { /* in a polygon, as a sum of bumps and not */
      sneppp_window w = level_window();
      if (!k) ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_fit(&m, 0, &err), "%d");
      else ASSERT_EQ_FMT(SNEPPP_OK, level_model(&m, SNEPPP_ACT_COS, SNEPPP_READOUT_FULL, &w, &err), "%d");
      memset(&g, 0, sizeof g);
      g.cells[0] = 13, g.cells[1] = 11, g.lo[0] = -1, g.hi[0] = 10.5, g.lo[1] = -0.5, g.hi[1] = 9;
      ASSERTm(err.why, level_grid_holds(&m, &g, around, &err));
      sneppp_free(&m);
   }
   PASS();
}

/* More rows than a band of the work has, and more bands than lanes: each cell is what the model says there, and all of them
   together are its events. */
TEST level_raster_of_many_rows(void)
{
   enum { rows = 4001 };
   static sneppp_real z[2 * rows];
   sneppp_model       m;
   sneppp_error       err;
   sneppp_grid        g;
   for (int k = 0; k < 2; k++) { /* with a table of wide bumps and without */
      double sum = 0, total, most = 0;
      ASSERT_EQ_FMT(SNEPPP_OK, radial_model(2, 0.5, k ? 1e-2 : 0.8, &m, &err), "%d");
      for (int i = 0; i < m.n; i++) m.readout[0].V[i] = (sneppp_real)(0.5 + i % 3);
      m.floor = 1;
      sneppp__renewed(&m);
      memset(&g, 0, sizeof g);
      g.cells[0] = 2, g.cells[1] = rows, g.lo[0] = -3.5, g.hi[0] = 5.25, g.lo[1] = -3, g.hi[1] = 6.5;
      ASSERT_EQ(SNEPPP_OK, sneppp_bake(&m, &g, z, NULL, &err));
      for (size_t i = 0; i < 2 * rows; i++) most = fmax(most, (double)z[i]);
      for (size_t i = 0; i < 2 * rows; i += 13) {
         const double at[2] = { -3.5 + 4.375 * ((double)(i % 2) + 0.5), -3 + 9.5 / rows * ((double)(i / 2) + 0.5) };
         double       there[3]; /* at reals on both sides of the middle of the cell, which may be none, and at its own */
         for (int side = 0; side < 3; side++) {
            sneppp_real x[2];
            x[0] = (sneppp_real)at[0], x[1] = (sneppp_real)(at[1] + (side - 1) * (sizeof(sneppp_real) == 4 ? 1e-6 : 1e-15));
            there[side] = (double)sneppp_intensity(&m, x);
         }
         ASSERT_IN_RANGE(there[1], (double)z[i], level_tiny * most + fabs(there[2] - there[0]));
      }
      g.means = 1;
      ASSERT_EQ(SNEPPP_OK, sneppp_bake(&m, &g, z, NULL, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
      for (size_t i = 0; i < 2 * rows; i++) sum += (double)z[i] * 4.375 * 9.5 / rows;
      ASSERT_IN_RANGE(total, sum, 10 * level_tiny * total);
      sneppp_free(&m);
   }
   PASS();
}

TEST level_raster_refuses(void)
{
   static sneppp_real out[64];
   sneppp_model       m;
   sneppp_error       err;
   sneppp_desc        d;
   sneppp_grid        g;
   memset(&d, 0, sizeof d), memset(&g, 0, sizeof g);
   d.factor[0].window = level_box(0, 1, 0, 2), d.factor[0].unit.act = SNEPPP_ACT_COS, d.width = 5;
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_bake(&m, &g, out, NULL, &err));
   ASSERT(strstr(err.why, "cells[0]"));
   g.cells[0] = g.cells[1] = 8;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_bake(&m, &g, NULL, NULL, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_bake(&m, NULL, out, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_bake(&m, &g, out, NULL, &err)); /* lo = hi = 0: all of the window */
   g.lo[1] = 3, g.hi[1] = 2;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_bake(&m, &g, out, NULL, &err));
   ASSERT(strstr(err.why, "lo[1]"));
   sneppp_free(&m);
   memset(&g, 0, sizeof g);
   g.cells[0] = g.cells[1] = 8;
   d.factor[0].window.dim = 3, d.factor[0].window.hi[2] = 1;
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_bake(&m, &g, out, NULL, &err));
   ASSERT(strstr(err.why, "two coordinates"));
   sneppp_free(&m);
   d.factor[0].window.dim = 1;
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_bake(&m, &g, out, NULL, &err));
   ASSERT(strstr(err.why, "one coordinate"));
   sneppp_free(&m);
   d.factor[0].window.space = SNEPPP_SPACE_BALL, d.factor[0].window.dim = 2, d.factor[0].window.radius = 1;
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
   ASSERT_EQ(SNEPPP_OK, sneppp_bake(&m, &g, out, NULL, &err));
   g.means = 1;
   ASSERT_EQ(SNEPPP_ERR_NO_CLOSED_FORM, sneppp_bake(&m, &g, out, NULL, &err));
   sneppp_free(&m);
   PASS();
}

TEST level_few_points(void)
{
   sneppp_model m;
   sneppp_error err;
   sneppp_real  x[2 * 40], out[40];
   sneppp_rng   rng;
   sneppp_rng_init(&rng, 1, 1);
   for (int i = 0; i < 80; i++) x[i] = (sneppp_real)(11 * sneppp_rng_uniform(&rng));
   for (int k = 0; k < 2; k++) {
      sneppp_window w = level_window();
      if (!k) ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_fit(&m, level_budget, &err), "%d");
      else ASSERT_EQ_FMT(SNEPPP_OK, level_model(&m, SNEPPP_ACT_COS, SNEPPP_READOUT_FULL, &w, &err), "%d");
      for (size_t n = 1; n <= 40; n++) {
         sneppp_events at;
         memset(&at, 0, sizeof at);
         at.x = x, at.count = n;
         ASSERT_EQ_FMT(SNEPPP_OK, sneppp_intensities(&m, &at, out, NULL, &err), "%d");
         for (size_t i = 0; i < n; i++) ASSERT_IN_RANGE((double)sneppp_intensity(&m, x + 2 * i), (double)out[i], level_tiny * (1 + (double)out[i]));
      }
      sneppp_free(&m);
   }
   PASS();
}

static int level_looks(const sneppp_report *now, const sneppp_model *model, void *user)
{
   double *first = (double *)user;
   (void)model;
   if (now->step == 0) first[0] = now->nll, first[1] = now->gap;
   return 0;
}

TEST level_pgd(void)
{
   sneppp_desc     d = fit_desc_box(12);
   sneppp_events   e = fit_events(400);
   sneppp_fit_desc fit;
   sneppp_report   report;
   sneppp_model    m;
   sneppp_error    err;
   double          nll[3], first[2] = {0, 0};
   memset(&fit, 0, sizeof fit);
   fit.events = &e, fit.method = SNEPPP_METHOD_PGD, fit.tol = SNEPPP_NONE, fit.steps = 50;
   fit.progress = level_looks, fit.user = first;
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
   for (int k = 0; k < 3; k++) {
      fit.rate = k ? 8 : 0, fit.eps1 = k == 2 ? 1e-3 : 0;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &fit, &report, &err), "%d");
      nll[k] = report.nll;
      ASSERT(!sneppp__finite(first[0]) && !sneppp__finite(first[1]));
   }
   ASSERT(nll[1] < nll[0] - 1e-3); /* longer steps go farther */
   ASSERT(nll[0] < nll[2] - 1e-3); /* and the default farther than 1e-3 does with eight times its own */
   fit.method = SNEPPP_METHOD_CONVEX, fit.eps1 = 0, fit.rate = 2;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &fit, &report, &err));
   ASSERT(strstr(err.why, "rate"));
   sneppp_free(&m);
   PASS();
}

/* A region of two rings, whose lists are not there yet when memory is measured, of a mixture and of waves. */
TEST level_samples_in_rings(void)
{
   enum { points = 3000 };
   static sneppp_real x[2 * points];
   sneppp_window      ell = level_window(), box = level_box(-1, 11, -1, 9), east = level_box(6, 10, 0, 4);
   for (int k = 0; k < 2; k++) {
      sneppp_region      r;
      sneppp_sample_desc how;
      sneppp_sample_info info;
      sneppp_model       m;
      sneppp_error       err;
      double             total, hits = 0, e;
      memset(&r, 0, sizeof r), memset(&how, 0, sizeof how);
      if (k) ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_model(&m, SNEPPP_ACT_RBF, SNEPPP_READOUT_DIAGONAL, &box, &err), "%d");
      else ASSERT_EQ_FMTm(err.why, SNEPPP_OK, level_model(&m, SNEPPP_ACT_COS, SNEPPP_READOUT_FULL, &box, &err), "%d");
      r.factor[0] = &ell, how.region = &r, how.count = points, how.seed = 5;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_sample(&m, &how, x, points, &info, &err), "%d");
      ASSERT_EQ_FMT(SNEPPP_OK, level_count(&m, &ell, &total, &err), "%d");
      ASSERT_IN_RANGE(total, info.expected, 1e-12 * total);
      for (size_t i = 0; i < points; i++) {
         double y[2];
         for (size_t q = 0; q < 2; q++) y[q] = (double)x[2 * i + q];
         ASSERT(sneppp_window_contains(&ell, y));
         hits += sneppp_window_contains(&east, y);
      }
      ASSERT_EQ_FMT(SNEPPP_OK, level_count(&m, &east, &e, &err), "%d"); /* the foot of the L, which has no hole */
      e *= points / total;
      ASSERT(fabs(hits - e) <= 4.5 * sqrt(e * (1 - e / points)) + 1);
      sneppp_free(&m);
   }
   PASS();
}

/* A picture of a product of two lines, beyond both of their ends. */
TEST level_raster_of_lines(void)
{
   sneppp_desc     d;
   sneppp_fit_desc fit;
   sneppp_events   e;
   sneppp_model    m;
   sneppp_grid     g;
   sneppp_error    err;
   sneppp_rng      rng;
   sneppp_real     x[2 * 50], out[12 * 8], at[2];
   memset(&d, 0, sizeof d), memset(&fit, 0, sizeof fit), memset(&e, 0, sizeof e), memset(&g, 0, sizeof g);
   sneppp_rng_init(&rng, 2, 3);
   for (size_t i = 0; i < 50; i++) {
      x[2 * i] = (sneppp_real)(4 * sneppp_rng_uniform(&rng) * sneppp_rng_uniform(&rng));
      x[2 * i + 1] = (sneppp_real)(2 * sneppp_rng_uniform(&rng));
   }
   d.factor[0].window.dim = d.factor[1].window.dim = 1, d.factor[0].window.hi[0] = 4, d.factor[1].window.hi[0] = 2;
   e.x = x, e.count = 50, fit.events = &e;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &fit, NULL, &err), "%d");
   g.cells[0] = 12, g.cells[1] = 8, g.lo[0] = -1, g.hi[0] = 5, g.lo[1] = -1, g.hi[1] = 3;
   ASSERT_EQ(SNEPPP_OK, sneppp_bake(&m, &g, out, NULL, &err));
   for (int k = 0; k < 96; k++) {
      double a = -0.75 + 0.5 * (k % 12), b = -0.75 + 0.5 * (k / 12), want = 0;
      at[0] = (sneppp_real)a, at[1] = (sneppp_real)b;
      if (a > 0 && a < 4 && b > 0 && b < 2) want = (double)sneppp_intensity(&m, at);
      ASSERT_IN_RANGE(want, (double)out[k], 1e-4 * want);
      ASSERT((want > 0) == (out[k] > 0));
   }
   sneppp_free(&m);
   PASS();
}

SUITE(level)
{
   RUN_TEST(level_raster_of_lines);
   RUN_TEST(level_cut_counts);
   RUN_TEST(level_cut_polygons);
   RUN_TEST(level_cut_sums);
   RUN_TEST(level_cut_touching);
   RUN_TEST(level_cut_uses);
   RUN_TEST(level_cut_boxes);
   RUN_TEST(level_rectangles);
   RUN_TEST(level_cut_samples);
   RUN_TEST(level_samples_in_rings);
   RUN_TEST(level_parts);
   RUN_TEST(level_raster);
   RUN_TEST(level_raster_of_many_rows);
   RUN_TEST(level_raster_refuses);
   RUN_TEST(level_few_points);
   RUN_TEST(level_pgd);
}
