/* Exact draws: counts in cells against closed forms, bounds that hold, tiles, refusals. Seeds are fixed, so a test that
   passes once passes always; limits are at a level of about 1e-4 for each chi-square. */

#include "../examples/tile.h"

/* The upper 1e-4 point of chi-square, by Wilson and Hilferty's cube. */
static double sample_limit(double df)
{
   double a = 2 / (9 * df), c = 1 - a + 3.719 * sqrt(a);
   return df * c * c * c;
}

/* A draw or a tile with all that can be said of it. */
static sneppp_status sample_draw(const sneppp_model *m, const sneppp_region *region, sneppp_rng *rng, size_t count, sneppp_real *x,
                                 size_t cap, sneppp_sample_info *info, sneppp_error *err)
{
   sneppp_sample_desc how;
   memset(&how, 0, sizeof how);
   how.region = region, how.rng = rng, how.count = count;
   return sneppp_sample(m, &how, x, cap, info, err);
}

static sneppp_status sample_tile(const sneppp_model *m, int depth, int level, uint32_t ix, uint32_t iy, uint64_t seed, sneppp_real *x,
                                 size_t cap, sneppp_sample_info *info, sneppp_error *err)
{
   tile_desc tile;
   memset(&tile, 0, sizeof tile);
   tile.depth = depth, tile.level = level, tile.ix = ix, tile.iy = iy, tile.seed = seed;
   return tile_sample(m, &tile, x, cap, info, err);
}

static sneppp_desc sample_desc(sneppp_act act, int diagonal, int n)
{
   sneppp_desc d;
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 2;
   d.factor[0].window.lo[0] = 10, d.factor[0].window.hi[0] = 14;
   d.factor[0].window.lo[1] = -1, d.factor[0].window.hi[1] = 1;
   d.factor[0].unit.act = act;
   if (act == SNEPPP_ACT_SNAKE || act == SNEPPP_ACT_BELL || act == SNEPPP_ACT_LEAKY) d.factor[0].unit.p = 0.5;
   if (act == SNEPPP_ACT_RECT) d.factor[0].unit.p = 2;
   if (act == SNEPPP_ACT_MONOMIAL) d.factor[0].unit.p = 3;
   d.width = n;
   d.readout = diagonal ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL;
   return d;
}

static size_t sample_slot(double x, double lo, double hi, size_t cells)
{
   double t = (x - lo) / (hi - lo) * (double)cells;
   return t <= 0 ? 0 : t >= (double)cells ? cells - 1 : (size_t)t;
}

/* Chi-square of the counts of N points in a 6 x 6 grid of the box, against closed forms. Negative: an error. */
static double sample_chi_square(const sneppp_model *m, const sneppp_window *box, size_t N, uint64_t seed, sneppp_sample_info *info)
{
   enum { S = 6 };
   sneppp_real  *x = (sneppp_real *)malloc(N * 2 * sizeof *x);
   size_t        count[S * S] = {0};
   sneppp_region r;
   sneppp_window w = *box;
   sneppp_rng    g;
   double        chi = 0;
   memset(&r, 0, sizeof r);
   r.factor[0] = box;
   sneppp_rng_init(&g, seed, 3);
   if (!x || sample_draw(m, &r, &g, N, x, N, info, NULL) || info->count != N) { free(x); return -1; }
   for (size_t i = 0; i < N; i++) {
      double y[2];
      y[0] = (double)x[2 * i], y[1] = (double)x[2 * i + 1];
      if (!sneppp_window_contains(box, y)) { free(x); return -2; }
      count[sample_slot(y[0], box->lo[0], box->hi[0], S) * S + sample_slot(y[1], box->lo[1], box->hi[1], S)]++;
   }
   r.factor[0] = &w;
   for (int i = 0; i < S; i++)
      for (int j = 0; j < S; j++) {
         double lambda = 0, e;
         w.lo[0] = box->lo[0] + (box->hi[0] - box->lo[0]) * i / S, w.hi[0] = i + 1 < S ? box->lo[0] + (box->hi[0] - box->lo[0]) * (i + 1) / S : box->hi[0];
         w.lo[1] = box->lo[1] + (box->hi[1] - box->lo[1]) * j / S, w.hi[1] = j + 1 < S ? box->lo[1] + (box->hi[1] - box->lo[1]) * (j + 1) / S : box->hi[1];
         if (sneppp_count(m, &r, 1, &lambda, NULL, NULL)) { free(x); return -3; }
         e = lambda / info->expected * (double)N;
         chi += ((double)count[i * S + j] - e) * ((double)count[i * S + j] - e) / (e + 1e-9);
      }
   free(x);
   return chi;
}

TEST sample_cells_against_closed_forms(void)
{
   static const struct { sneppp_act act; int diagonal; double floor; } c[] = {
      {SNEPPP_ACT_RBF, 1, 0}, {SNEPPP_ACT_RBF, 1, 0.2}, {SNEPPP_ACT_RBF, 0, 0}, {SNEPPP_ACT_COS, 0, 0}, {SNEPPP_ACT_COS, 1, 0}, {SNEPPP_ACT_SIN, 0, 0.3},
      {SNEPPP_ACT_EXP, 0, 0}, {SNEPPP_ACT_RELU, 0, 0.1}, {SNEPPP_ACT_STEP, 0, 0}, {SNEPPP_ACT_SNAKE, 0, 0}, {SNEPPP_ACT_BELL, 0, 0}, {SNEPPP_ACT_LEAKY, 0, 0}, {SNEPPP_ACT_MONOMIAL, 0, 0}};
   int tried = 0;
   for (size_t k = 0; k < sizeof c / sizeof c[0]; k++) {
      sneppp_desc        d = sample_desc(c[k].act, c[k].diagonal, 12);
      sneppp_window      part = d.factor[0].window;
      sneppp_model       m;
      sneppp_sample_info info;
      double             chi;
      if (sneppp_init(&m, &d, NULL)) continue; /* no closed form on boxes */
      m.floor = c[k].floor;
      chi = sample_chi_square(&m, &d.factor[0].window, 20000, 11 + k, &info);
      if (chi < 0 || chi > sample_limit(35)) fprintf(stderr, "activation %d: chi-square %g\n", (int)c[k].act, chi);
      ASSERT(chi >= 0 && chi < sample_limit(35));
      ASSERT(info.acceptance > 0.3);
      part.lo[0] = 10.5, part.hi[0] = 11.7, part.lo[1] = 0.25;
      chi = sample_chi_square(&m, &part, 10000, 50 + k, &info);
      ASSERT(chi >= 0 && chi < sample_limit(35));
      sneppp_free(&m);
      tried++;
   }
   ASSERT(tried >= 8);
   PASS();
}

/* The distance from an activation to its tangent is never larger than was said. */
TEST sample_rests_hold(void)
{
   static const double zs[] = {-3, -1.1, -0.2, 0, 0.3, 0.9, 2.5}, hs[] = {0.01, 0.25, 1, 3};
   for (int act = SNEPPP_ACT_COS; act < SNEPPP_ACT_END; act++) {
      if (act == SNEPPP_ACT_RBF) continue;
      for (size_t i = 0; i < sizeof zs / sizeof zs[0]; i++)
         for (size_t j = 0; j < sizeof hs / sizeof hs[0]; j++) {
            sneppp_unit u;
            double      slope, ignored, value, rest;
            u.act = (sneppp_act)act;
            u.p = act == SNEPPP_ACT_RECT || act == SNEPPP_ACT_MONOMIAL ? (double)(i % 4) : 0.7;
            u.q = 1.3;
            value = sneppp__act(&u, zs[i], &slope);
            rest = sneppp__act_rest(&u, zs[i], hs[j]);
            for (int k = -50; k <= 50; k++) {
               double e = hs[j] * k / 50;
               ASSERT(fabs(sneppp__act(&u, zs[i] + e, &ignored) - value - slope * e) <= rest * (1 + 1e-9) + 1e-12);
            }
         }
   }
   PASS();
}

/* Space and time together, for each way of mixing factors. */
TEST sample_mixes_hold(void)
{
   static const sneppp_mix mix[] = {SNEPPP_MIX_PRODUCT, SNEPPP_MIX_OUTER, SNEPPP_MIX_SUM, SNEPPP_MIX_STACK, SNEPPP_MIX_ADDITIVE, SNEPPP_MIX_SEPARABLE};
   enum { N = 8000, S = 4 };
   sneppp_real *x = (sneppp_real *)malloc(N * 3 * sizeof *x);
   ASSERT(x);
   for (size_t k = 0; k < 6; k++) {
      sneppp_desc        d = sample_desc(SNEPPP_ACT_COS, 0, 5);
      sneppp_model       m;
      sneppp_rng         g;
      sneppp_sample_info info;
      sneppp_region      r;
      sneppp_window      w, time;
      double             chi = 0;
      size_t             count[S * S] = {0};
      d.factor[1].window.dim = 1;
      d.factor[1].window.hi[0] = 2;
      d.factor[1].unit.act = k % 2 ? SNEPPP_ACT_RELU : SNEPPP_ACT_COS;
      d.mix = mix[k];
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      sneppp_rng_init(&g, 7, k);
      ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, N, x, N, &info, NULL));
      for (size_t i = 0; i < N; i++) {
         ASSERT_EQ(1, sneppp__inside(&m, x + 3 * i));
         count[sample_slot((double)x[3 * i], 10, 14, S) * S + sample_slot((double)x[3 * i + 2], 0, 2, S)]++;
      }
      memset(&r, 0, sizeof r);
      w = d.factor[0].window, time = d.factor[1].window;
      r.factor[0] = &w, r.factor[1] = &time;
      for (int i = 0; i < S; i++)
         for (int j = 0; j < S; j++) {
            double e = 0;
            w.lo[0] = 10 + i, w.hi[0] = 11 + i;
            time.lo[0] = 0.5 * j, time.hi[0] = 0.5 * j + 0.5;
            ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &r, 1, &e, NULL, NULL));
            e *= N / info.expected;
            chi += ((double)count[i * S + j] - e) * ((double)count[i * S + j] - e) / (e + 1e-9);
         }
      ASSERT(chi < sample_limit(S * S - 1));
      sneppp_free(&m);
   }
   free(x);
   PASS();
}

/* Zones of the sphere about each axis. There is no closed form for zones, so they are summed finely over rings, which
   have equal areas for equal heights; the error of the sum is far below that of the counts. */
TEST sample_spheres(void)
{
   enum { N = 20000, S = 8, FINE = 300 };
   sneppp_real *x = (sneppp_real *)malloc(N * 3 * sizeof *x);
   ASSERT(x);
   for (int k = 0; k < 3; k++) {
      sneppp_desc        d;
      sneppp_model       m;
      sneppp_rng         g;
      sneppp_sample_info info;
      double             mass[S] = {0}, total = 0, chi = 0;
      size_t             count[S] = {0};
      memset(&d, 0, sizeof d);
      d.factor[0].window.dim = 3;
      d.factor[0].window.space = SNEPPP_SPACE_SPHERE;
      d.factor[0].window.measure = k == 2 ? SNEPPP_MEASURE_PROBABILITY : SNEPPP_MEASURE_SURFACE;
      d.factor[0].unit.act = k ? SNEPPP_ACT_COS : SNEPPP_ACT_EXP;
      d.readout = k ? SNEPPP_READOUT_FULL : SNEPPP_READOUT_DIAGONAL;
      d.width = 6;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      m.floor = 0.05;
      sneppp_rng_init(&g, 5, (uint64_t)k);
      ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, N, x, N, &info, NULL));
      ASSERT(k || info.acceptance == 1);
      for (size_t i = 0; i < N; i++) {
         ASSERT_EQ(1, sneppp__inside(&m, x + 3 * i));
         count[sample_slot((double)x[3 * i + (size_t)k], -1, 1, S)]++;
      }
      for (int i = 0; i < FINE; i++) /* heights along axis k have uniform area */
         for (int j = 0; j < FINE; j++) {
            double      h = -1 + (i + 0.5) * 2 / FINE, a = 2 * SNEPPP__PI * j / FINE, r = sqrt(1 - h * h), v;
            sneppp_real y[3];
            y[k] = (sneppp_real)h, y[(k + 1) % 3] = (sneppp_real)(r * cos(a)), y[(k + 2) % 3] = (sneppp_real)(r * sin(a));
            v = (double)sneppp_intensity(&m, y);
            mass[sample_slot(h, -1, 1, S)] += v, total += v;
         }
      for (int i = 0; i < S; i++) {
         double e = mass[i] / total * N;
         chi += ((double)count[i] - e) * ((double)count[i] - e) / e;
      }
      ASSERT(chi < sample_limit(S - 1));
      sneppp_free(&m);
   }
   free(x);
   PASS();
}

/* Over many seeds: the total and the counts of disjoint regions are Poisson with exact means, and do not correlate. */
TEST sample_poisson_and_independent(void)
{
   enum { SEEDS = 2000, CAP = 400 };
   sneppp_real x[CAP * 2];
   for (int diagonal = 0; diagonal < 2; diagonal++) {
      sneppp_desc        d = sample_desc(diagonal ? SNEPPP_ACT_RBF : SNEPPP_ACT_COS, diagonal, 8);
      sneppp_model       m;
      sneppp_sample_info info;
      sneppp_region      r;
      sneppp_window      w = d.factor[0].window;
      double             lambda = 0, left = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &lambda, NULL, NULL));
      m.alpha = 30 / lambda;
      memset(&r, 0, sizeof r);
      w.hi[0] = 12;
      r.factor[0] = &w;
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &r, 1, &left, NULL, NULL));
      for (int s = 0; s < SEEDS; s++) {
         sneppp_rng g;
         double     in = 0, out;
         sneppp_rng_init(&g, 99, (uint64_t)s);
         ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, 0, x, CAP, &info, NULL));
         for (size_t i = 0; i < info.count; i++) in += (double)x[2 * i] < 12;
         out = (double)info.count - in;
         a += in, b += out, aa += (in - left) * (in - left), bb += (out - 30 + left) * (out - 30 + left), ab += (in - left) * (out - 30 + left);
      }
      ASSERT_IN_RANGE(30.0, info.expected, 1e-9);
      ASSERT(fabs(a - SEEDS * left) < 4 * sqrt(SEEDS * left));
      ASSERT(fabs(b - SEEDS * (30 - left)) < 4 * sqrt(SEEDS * (30 - left)));
      ASSERT(fabs(aa / SEEDS / left - 1) < 4 * sqrt((2 + 1 / left) / SEEDS));           /* variance = mean */
      ASSERT(fabs(bb / SEEDS / (30 - left) - 1) < 4 * sqrt((2 + 1 / (30 - left)) / SEEDS));
      ASSERT(fabs(ab / sqrt(aa * bb)) < 4 / sqrt((double)SEEDS));
      sneppp_free(&m);
   }
   PASS();
}

/* A mixture is drawn by its weights, whose sum is the expected number: what the Gram matrix says, in every space, with a
   floor, in the window and in a part of it. */
TEST sample_mixtures_expect_their_count(void)
{
   static const double ends[6] = {0, 1, 1.5, 2, 4, 5};
   for (int k = 0; k < 6; k++) {
      sneppp_desc        d;
      sneppp_model       m;
      sneppp_error       err;
      sneppp_sample_desc how;
      sneppp_sample_info info;
      sneppp_region      part;
      sneppp_window      box;
      sneppp_real        x[8];
      double             count;
      memset(&d, 0, sizeof d), memset(&how, 0, sizeof how), memset(&part, 0, sizeof part), memset(&box, 0, sizeof box);
      d.width = 12, d.seed = 5, d.readout = SNEPPP_READOUT_DIAGONAL, how.count = 2;
      if (k < 2) {
         sneppp_window *w = &d.factor[0].window;
         w->dim = 1 + 2 * k;
         for (int r = 0; r < w->dim; r++) w->lo[r] = -1, w->hi[r] = 2 + r;
         box = *w;
         for (int r = 0; r < w->dim; r++) box.lo[r] = 0, box.hi[r] = 1 + 0.5 * r;
      } else if (k == 2) {
         d.factor[0].window.space = SNEPPP_SPACE_INTERVALS, d.factor[0].window.dim = 1;
         d.factor[0].window.count = 3, d.factor[0].window.ends = ends;
         box = d.factor[0].window, box.count = 2;
      } else {
         d.factor[0].window.space = SNEPPP_SPACE_SPHERE, d.factor[0].window.dim = 3;
         if (k == 4) d.factor[0].window.measure = SNEPPP_MEASURE_PROBABILITY;
         if (k == 5) d.factor[1].window.dim = 1, d.factor[1].window.hi[0] = 7, d.factor[1].unit.act = SNEPPP_ACT_RBF;
      }
      d.factor[0].unit.act = k < 3 ? SNEPPP_ACT_RBF : SNEPPP_ACT_EXP;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
      m.floor = 0.25;
      for (int cut = 0; cut < (k < 3 ? 2 : 1); cut++) {
         if (cut) part.factor[0] = &box, how.region = &part;
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_sample(&m, &how, x, 2, &info, &err), "%d");
         ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&m, how.region, 1, &count, NULL, &err), "%d");
         ASSERT(info.acceptance == 1 && count > 0); /* a mixture without walls keeps every candidate */
         ASSERT_IN_RANGE(1, info.expected / count, 1e-12);
      }
      sneppp_free(&m);
   }
   PASS();
}

TEST sample_truncated_normal(void)
{
   static const double ends[][2] = {{-1, 1}, {-9, 9}, {0, 0.1}, {0, 3}, {0.5, 0.6}, {2, 2.5}, {4, 400}, {-8, -7.9}, {-300, -1}, {30, 31}};
   for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
      enum { N = 4000, S = 10 };
      double     a = ends[k][0], b = ends[k][1], chi = 0, total = sneppp__erf_diff(a / SNEPPP__SQRT2, b / SNEPPP__SQRT2);
      size_t     count[S] = {0};
      sneppp_rng g;
      sneppp_rng_init(&g, 8, k);
      for (int i = 0; i < N; i++) { /* the distribution function of the draw is uniform */
         double z = sneppp__truncated_normal(&g, a, b);
         ASSERT(z >= a && z <= b);
         count[sample_slot(sneppp__erf_diff(a / SNEPPP__SQRT2, z / SNEPPP__SQRT2) / total, 0, 1, S)]++;
      }
      for (int i = 0; i < S; i++) chi += ((double)count[i] - N / S) * ((double)count[i] - N / S) / (N / S);
      ASSERT(chi < sample_limit(S - 1));
   }
   PASS();
}

TEST sample_intervals_and_polygons(void)
{
   enum { N = 10000 };
   static const double ends[4] = {0, 1, 3, 5}, xy[6] = {0, 0, 4, 0, 0, 4};
   sneppp_real *x = (sneppp_real *)malloc(2 * N * sizeof *x);
   ASSERT(x);
   for (int k = 0; k < 3; k++) {
      static const double cut[2] = {3, 4};
      sneppp_desc        d;
      sneppp_model       m;
      sneppp_rng         g;
      sneppp_sample_info info;
      sneppp_region      r;
      sneppp_window      w;
      double             e = 0, in = 0;
      memset(&d, 0, sizeof d);
      memset(&r, 0, sizeof r);
      d.width = 7;
      d.factor[0].window.dim = k == 2 ? 2 : 1;
      d.factor[0].window.space = k == 2 ? SNEPPP_SPACE_POLYGON : SNEPPP_SPACE_INTERVALS;
      d.factor[0].window.count = k == 2 ? 3 : 2;
      d.factor[0].window.ends = k == 2 ? NULL : ends;
      d.factor[0].window.xy = k == 2 ? xy : NULL;
      d.factor[0].unit.act = k ? SNEPPP_ACT_COS : SNEPPP_ACT_RBF;
      d.readout = k ? SNEPPP_READOUT_FULL : SNEPPP_READOUT_DIAGONAL;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      if (!k) m.floor = 0.4; /* in both intervals, as most bumps are not */
      w = d.factor[0].window;
      if (k == 2) { memset(&w, 0, sizeof w); w.dim = 2; w.hi[0] = w.hi[1] = 1.5; }
      else { w.count = 1; w.ends = cut; }
      r.factor[0] = &w;
      sneppp_rng_init(&g, 21, (uint64_t)k);
      ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, N, x, N, &info, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &r, 1, &e, NULL, NULL));
      e /= info.expected;
      for (size_t i = 0; i < N; i++) {
         const sneppp_real *y = x + i * (k == 2 ? 2 : 1);
         ASSERT_EQ(1, sneppp__inside(&m, y));
         in += sneppp__inside_region(&m, &r, y);
      }
      ASSERT(fabs(in - N * e) < 4 * sqrt(N * e * (1 - e)));
      sneppp_free(&m);
   }
   free(x);
   PASS();
}

TEST sample_same_bits(void)
{
   enum { N = 500 };
   sneppp_real x[2 * N], y[2 * N];
   for (int diagonal = 0; diagonal < 2; diagonal++) {
      sneppp_desc  d = sample_desc(diagonal ? SNEPPP_ACT_RBF : SNEPPP_ACT_COS, diagonal, 10);
      sneppp_model m;
      sneppp_rng   g;
      sneppp_sample_desc how;
      sneppp_sample_info info, same;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      sneppp_rng_init(&g, 4, 1);
      ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, N, x, N, NULL, NULL));
      sneppp_rng_init(&g, 4, 1);
      ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, N, y, N, NULL, NULL));
      ASSERT_EQ(0, memcmp(x, y, sizeof x));
      sneppp_rng_init(&g, 4, 2);
      ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, N, y, N, NULL, NULL));
      ASSERT(memcmp(x, y, sizeof x) != 0);
      /* Without a generator there is one of the seed; without a description it is seed 0, and a Poisson number of points. */
      memset(&how, 0, sizeof how);
      how.count = N, how.seed = 4;
      sneppp_rng_init(&g, 4, 0);
      ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, N, x, N, NULL, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_sample(&m, &how, y, N, NULL, NULL));
      ASSERT_EQ(0, memcmp(x, y, sizeof x));
      sneppp_rng_init(&g, 0, 0);
      ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, 0, x, N, &info, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_sample(&m, NULL, y, N, &same, NULL));
      ASSERT(info.count == same.count && info.count > 0);
      ASSERT_EQ(0, memcmp(x, y, 2 * info.count * sizeof *x));
      sneppp_free(&m);
   }
   PASS();
}

/* Is every point of x (2 a row) among those of y? */
static int sample_among(size_t n, const sneppp_real *x, size_t m, const sneppp_real *y)
{
   for (size_t i = 0; i < n; i++) {
      size_t k = 0;
      while (k < m && (x[2 * i] != y[2 * k] || x[2 * i + 1] != y[2 * k + 1])) k++;
      if (k == m) return 0;
   }
   return 1;
}

/* The four children of a tile, one after the other. */
static size_t sample_children(const sneppp_model *m, int depth, int level, uint32_t ix, uint32_t iy, uint64_t seed, sneppp_real *x, size_t cap)
{
   size_t have = 0;
   for (uint32_t k = 0; k < 4; k++) {
      sneppp_sample_info info;
      if (sample_tile(m, depth, level + 1, 2 * ix + k / 2, 2 * iy + k % 2, seed, x + 2 * have, cap - have, &info, NULL)) return 0;
      have += info.count;
   }
   return have;
}

/* Tiles forwards and backwards; a tile's points are among its children's, and are theirs from `depth` on. */
TEST sample_tiles(void)
{
   enum { CAP = 600 };
   static sneppp_real x[CAP * 2], y[CAP * 2], first[64][CAP * 2];
   for (int full = 0; full < 2; full++) {
      sneppp_desc        d = sample_desc(full ? SNEPPP_ACT_COS : SNEPPP_ACT_RBF, !full, 8);
      sneppp_model       m;
      sneppp_sample_info info;
      size_t             count[64], coarse = 0, fine = 0;
      double             lambda = 0;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &lambda, NULL, NULL));
      m.alpha *= 400 / lambda;
      for (uint32_t t = 0; t < 64; t++) {
         ASSERT_EQ(SNEPPP_OK, sample_tile(&m, 3, 3, t / 8, t % 8, 77, first[t], CAP, &info, NULL));
         count[t] = info.count;
         ASSERT(info.acceptance > 0 && info.acceptance <= 1);
         for (size_t i = 0; i < count[t]; i++) {
            ASSERT(first[t][2 * i] >= (sneppp_real)(10 + t / 8 * 0.5) && first[t][2 * i] <= (sneppp_real)(10.5 + t / 8 * 0.5));
            ASSERT(first[t][2 * i + 1] >= (sneppp_real)(-1 + t % 8 * 0.25) && first[t][2 * i + 1] <= (sneppp_real)(-0.75 + t % 8 * 0.25));
         }
      }
      for (uint32_t t = 64; t-- > 0;) {
         ASSERT_EQ(SNEPPP_OK, sample_tile(&m, 3, 3, t / 8, t % 8, 77, x, CAP, &info, NULL));
         ASSERT_EQ(count[t], info.count);
         ASSERT_EQ(0, memcmp(x, first[t], 2 * info.count * sizeof *x));
      }
      for (int level = 0; level < 5; level++)
         for (uint32_t t = 0; t < 4 && t < 1u << (2 * level); t++) {
            uint32_t side = 1u << level, ix = t % side, iy = side - 1 - t / side % side;
            size_t   n, kids;
            ASSERT_EQ(SNEPPP_OK, sample_tile(&m, 3, level, ix, iy, 77, x, CAP, &info, NULL));
            n = info.count;
            kids = sample_children(&m, 3, level, ix, iy, 77, y, CAP);
            ASSERT(sample_among(n, x, kids, y));
            if (level >= 3) ASSERT_EQ(n, kids);
            else coarse += n, fine += kids;
         }
      ASSERT(fine > 3 * coarse && fine < 6 * coarse); /* four times as many are expected */
      for (size_t room = 0; sample_tile(&m, 3, 3, 4, 4, 77, x, room, &info, NULL) != SNEPPP_OK; room = info.count)
         ASSERT(info.count > room && info.count <= CAP); /* what is asked for is enough in the end */
      ASSERT_EQ(count[36], info.count);
      ASSERT_EQ(0, memcmp(x, first[36], 2 * count[36] * sizeof *x));
      sneppp_free(&m);
   }
   PASS();
}

/* Over many seeds the counts of tiles are Poisson with the exact means, and those of neighbours are independent: at the depth,
   above it (a part of the points) and below it (tiles cut out of coarser ones). */
TEST sample_tiles_law(void)
{
   enum { CAP = 300, SEEDS = 200 };
   static sneppp_real x[CAP * 2];
   sneppp_desc        d = sample_desc(SNEPPP_ACT_RBF, 1, 8);
   sneppp_model       m;
   sneppp_sample_info info;
   double             lambda = 0;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &lambda, NULL, NULL));
   m.alpha = 200 / lambda;
   for (int depth = 1; depth <= 3; depth++) {
      double mean[16] = {0}, chi = 0, cross = 0, scale = 0;
      for (uint64_t s = 0; s < SEEDS; s++) {
         double before = 0;
         for (uint32_t t = 0; t < 16; t++) {
            double e;
            ASSERT_EQ(SNEPPP_OK, sample_tile(&m, depth, 2, t / 4, t % 4, s, x, CAP, &info, NULL));
            e = ((double)info.count - info.expected) / sqrt(info.expected);
            chi += e * e, scale += 1 / info.expected, mean[t] += e / sqrt((double)SEEDS);
            if (t % 4) cross += e * before;
            before = e;
         }
      }
      for (int t = 0; t < 16; t++) ASSERT(fabs(mean[t]) < 4.5);
      ASSERT(fabs(chi - 16 * SEEDS) < 4 * sqrt(2.0 * 16 * SEEDS + scale)); /* variance = mean, 16 cells */
      ASSERT(fabs(cross) < 4 * sqrt(12.0 * SEEDS));
   }
   sneppp_free(&m);
   PASS();
}

/* A multiple of the intensity: as many points more in the mean, the same ones if the numbers are; not for a number that is
   given. */
TEST sample_scale(void)
{
   static sneppp_real x[2 * 4000];
   sneppp_desc        d = sample_desc(SNEPPP_ACT_RBF, 1, 8);
   sneppp_model       m;
   sneppp_sample_info info;
   sneppp_sample_desc how;
   sneppp_error       err;
   double             lambda = 0, sum = 0;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &lambda, NULL, NULL));
   m.alpha *= 1000 / lambda;
   memset(&how, 0, sizeof how);
   how.scale = 0.125;
   for (how.seed = 0; how.seed < 50; how.seed++) {
      ASSERT_EQ(SNEPPP_OK, sneppp_sample(&m, &how, x, 4000, &info, &err));
      ASSERT(fabs(info.expected - 125) < 1e-3);
      sum += (double)info.count;
   }
   ASSERT(fabs(sum - 50 * 125) < 4 * sqrt(50 * 125.0));
   how.count = 3;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_sample(&m, &how, x, 4000, &info, &err));
   ASSERT(strstr(err.why, "scale = 0.125"));
   how.count = 0, how.scale = -1;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_sample(&m, &how, x, 4000, &info, &err));
   how.scale = sneppp__nan();
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_sample(&m, &how, x, 4000, &info, &err));
   sneppp_free(&m);
   PASS();
}

TEST sample_refusals(void)
{
   sneppp_desc        d = sample_desc(SNEPPP_ACT_COS, 0, 4);
   sneppp_model       m;
   sneppp_sample_info info;
   sneppp_error       err;
   sneppp_rng         g;
   sneppp_real        x[8] = {5, 5, 5, 5, 5, 5, 5, 5};
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   sneppp_rng_init(&g, 1, 1);
   ASSERT_EQ(SNEPPP_ERR_SIZE, sample_draw(&m, NULL, &g, 5, x, 4, &info, &err));
   ASSERT_EQ((size_t)5, info.count);
   ASSERT_EQ((sneppp_real)5, x[0]);
   ASSERT(strstr(err.why, "room for 4"));
   ASSERT_EQ(SNEPPP_ERR_ARG, sample_draw(NULL, NULL, &g, 5, x, 4, &info, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sample_draw(&m, NULL, &g, 3, NULL, 4, &info, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sample_tile(&m, 2, 2, 4, 0, 1, x, 4, &info, &err));
   ASSERT(strstr(err.why, "tile (4, 0) is outside the level, which has 4 a side"));
   for (int far_off = -1; far_off <= 29; far_off += 30) {
      ASSERT_EQ(SNEPPP_ERR_ARG, sample_tile(&m, far_off, 2, 0, 0, 1, x, 4, &info, &err));
      ASSERT(strstr(err.why, "depth = "));
      ASSERT_EQ(SNEPPP_ERR_ARG, sample_tile(&m, 2, far_off, 0, 0, 1, x, 4, &info, &err));
      ASSERT(strstr(err.why, "level = "));
   }
   ASSERT_EQ(SNEPPP_ERR_ARG, tile_sample(&m, NULL, x, 4, &info, &err));
   m.alpha = 0;
   ASSERT_EQ(SNEPPP_ERR_ARG, sample_draw(&m, NULL, &g, 3, x, 4, &info, &err));
   ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, 0, x, 4, &info, &err));
   ASSERT_EQ((size_t)0, info.count);
   sneppp_free(&m);
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 1;
   d.factor[0].window.space = SNEPPP_SPACE_GAUSS;
   d.factor[0].unit.act = SNEPPP_ACT_COS;
   d.width = 3;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_ERR_NO_CLOSED_FORM, sample_draw(&m, NULL, &g, 3, x, 4, &info, &err));
   ASSERT(strstr(err.why, "bound"));
   ASSERT_EQ(SNEPPP_ERR_ARG, sample_tile(&m, 1, 1, 0, 0, 1, x, 4, &info, &err));
   sneppp_free(&m);
   PASS();
}

/* A tile has the same points whatever there is room for, also where so many are drawn that cells are short. */
TEST sample_tiles_and_room(void)
{
   enum { CAP = 400000 };
   static sneppp_real x[2 * CAP], y[2 * CAP];
   sneppp_desc        d;
   sneppp_model       m;
   sneppp_sample_info info, none, same;
   sneppp_error       err;
   double             count = 0;
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 2;
   d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = 10;
   d.factor[0].unit.act = SNEPPP_ACT_COS;
   d.width = 12;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &count, NULL, &err));
   m.alpha *= 150000 / count;
   ASSERT_EQ(SNEPPP_ERR_SIZE, sample_tile(&m, 0, 1, 1, 0, 7, y, 100, &none, &err));
   ASSERT_EQ(SNEPPP_OK, sample_tile(&m, 0, 1, 1, 0, 7, x, CAP, &info, &err));
   ASSERT_EQ(SNEPPP_OK, sample_tile(&m, 0, 1, 1, 0, 7, y, none.count, &same, &err));
   ASSERT(info.count > 10000);
   ASSERT_EQ(info.count, same.count);
   ASSERT(!memcmp(x, y, 2 * info.count * sizeof *x));
   sneppp_free(&m);
   PASS();
}

/* The k-th allocation fails, for every k: a clear error and nothing lost. */
TEST sample_survives_failing_memory(void)
{
   for (int diagonal = 0; diagonal < 2; diagonal++) {
      size_t k;
      for (k = 1; k < 100; k++) {
         test_alloc    a;
         sneppp_desc   d = sample_desc(diagonal ? SNEPPP_ACT_RBF : SNEPPP_ACT_COS, diagonal, 5);
         sneppp_model  m;
         sneppp_rng    g;
         sneppp_real   x[20];
         sneppp_status st;
         memset(&a, 0, sizeof a);
         a.fail_at = k;
         d.alloc_ctx = &a;
         sneppp_rng_init(&g, 1, 0);
         st = sneppp_init(&m, &d, NULL);
         if (st == SNEPPP_OK) st = sample_draw(&m, NULL, &g, 10, x, 10, NULL, NULL);
         ASSERT(st == SNEPPP_OK || st == SNEPPP_ERR_MEMORY);
         sneppp_free(&m);
         ASSERT_EQ((size_t)0, a.live);
         if (st == SNEPPP_OK) break;
      }
      ASSERT(k > 3 && k < 100);
   }
   PASS();
}

/* Differences of waves that are nearly equal: |V psi| is about 1, |V| is 2e4 (STEEP). */
enum { SAMPLE_STEEP = 4 };
static sneppp_status sample_steep(sneppp_model *m, sneppp_desc *d, sneppp_error *err)
{
   sneppp_status st;
   const double  tiny = 1e-4;
   d->width = SAMPLE_STEEP;
   for (int f = 0; f < SNEPPP_MAX_FACTORS && d->factor[f].window.dim; f++)
      if (d->factor[f].unit.act == SNEPPP_ACT_DEFAULT) d->factor[f].unit.act = SNEPPP_ACT_COS;
   st = sneppp_init(m, d, err);
   if (st) return st;
   for (int f = 0; f < m->factors; f++) {
      sneppp_layer_state *L = &m->layer[f];
      for (int i = 0; i < SAMPLE_STEEP; i++) {
         for (int k = 0; k < L->d; k++)
            L->W[i * L->d + k] = (sneppp_real)((i < 2 ? 2.5 : -1.5) + 0.5 * k + (f ? 0 : i % 2 * tiny * (k % 2 ? -1 : 1)));
         if (L->b) L->b[i] = (sneppp_real)(i < 2 ? 0.5 : -0.25);
      }
   }
   memset(m->readout[0].V, 0, (size_t)m->readout[0].m * SAMPLE_STEEP * sizeof *m->readout[0].V);
   for (int i = 0; i < SAMPLE_STEEP; i++) m->readout[0].V[i / 2 * SAMPLE_STEEP + i] = (sneppp_real)((i % 2 ? -1 : 1) / tiny);
   return SNEPPP_OK;
}

/* In the caller's block: no allocation, the same bits, the size is exact, one byte less is refused with what is needed. */
TEST sample_in_place(void)
{
   enum { CAP = 2000 };
   static sneppp_real x[CAP * 4], y[CAP * 4];
   static const double ring[8] = {10, -1, 14, 0, 13, 1, 11, 0.5};
   for (int kind = 0; kind < 6; kind++) { /* a mixture, an envelope, a product, the sphere, bumps in a polygon, a tree */
      sneppp_desc        d = sample_desc(kind == 0 || kind == 4 ? SNEPPP_ACT_RBF : SNEPPP_ACT_COS, kind == 0 || kind == 4, 12);
      test_alloc         a = {0, 0, 0, 0};
      sneppp_model       m;
      sneppp_sample_info info, same;
      sneppp_error       err;
      sneppp_rng         g, h;
      sneppp_sample_desc how;
      tile_desc          tile;
      unsigned char     *mem;
      double             lambda = 0;
      size_t             bytes, calls, D;
      char               need[24];
      if (kind == 2) d.factor[1].window.dim = 1, d.factor[1].window.hi[0] = 2, d.factor[1].unit.act = SNEPPP_ACT_RELU;
      if (kind == 3) d.factor[0].window.space = SNEPPP_SPACE_SPHERE, d.factor[0].window.dim = 3, d.factor[0].unit.act = SNEPPP_ACT_EXP;
      if (kind == 4) d.factor[0].window.space = SNEPPP_SPACE_POLYGON, d.factor[0].window.count = 4, d.factor[0].window.xy = ring;
      d.alloc_ctx = &a;
      (void)test_wave_terms(kind == 5 ? 0 : 130);
      ASSERT_EQ(SNEPPP_OK, kind == 5 ? sample_steep(&m, &d, NULL) : sneppp_init(&m, &d, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &lambda, NULL, NULL));
      m.alpha *= (kind == 5 ? 60 : 1000) / lambda;
      D = (size_t)m.D;
      sneppp_rng_init(&g, 4, 4);
      h = g;
      ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, 0, x, CAP, &info, &err));
      bytes = sneppp_sample_bytes(&m, NULL, CAP, &err);
      ASSERT(bytes > 0);
      mem = (unsigned char *)malloc(bytes + 64);
      ASSERT(mem != NULL);
      memset(mem, 0x5A, bytes + 64);
      memset(&how, 0, sizeof how), memset(&tile, 0, sizeof tile);
      how.mem = mem, how.mem_bytes = bytes;
      calls = a.calls;
      for (int turn = 0; turn < 2; turn++) {
         sneppp_rng again = h;
         how.rng = &again;
         ASSERT_EQ(SNEPPP_OK, sneppp_sample(&m, &how, y, CAP, &same, &err));
         ASSERT_EQ(info.count, same.count);
         ASSERT_MEM_EQ(x, y, info.count * D * sizeof *x);
         ASSERT(info.acceptance == same.acceptance && info.expected == same.expected && info.counts == same.counts);
         ASSERT(kind != 5 || info.counts > 0);
      }
      for (int k = 0; k < 64; k++) ASSERT_EQ(0x5A, mem[bytes + (size_t)k]);
      how.rng = &g, how.mem_bytes = bytes - 1;
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_sample(&m, &how, y, CAP, &same, &err));
      (void)snprintf(need, sizeof need, "%lu", (unsigned long)bytes);
      ASSERT(strstr(err.why, need) != NULL);
      if (kind < 2) {
         tile.depth = 2, tile.level = 3, tile.ix = 5, tile.iy = 2, tile.seed = 9, tile.mem = mem, tile.mem_bytes = bytes;
         ASSERT_EQ(SNEPPP_OK, tile_sample(&m, &tile, y, CAP, &same, &err));
         ASSERT_EQ(calls, a.calls);
         ASSERT_EQ(SNEPPP_OK, sample_tile(&m, 2, 3, 5, 2, 9, x, CAP, &info, &err));
         ASSERT_EQ(info.count, same.count);
         ASSERT_MEM_EQ(x, y, info.count * D * sizeof *x);
         calls = a.calls;
      }
      ASSERT_EQ(calls, a.calls);
      free(mem);
      sneppp_free(&m);
      ASSERT_EQ((size_t)0, a.live);
   }
   (void)test_wave_terms(130);
   PASS();
}

/* Every mixing rule is sampled, everywhere and in a part with a slice of time, or refused with a reason. */
TEST sample_every_mix(void)
{
   enum { N = 4000, S = 4 };
   static sneppp_real x[N * 3];
   for (int mix = 0; mix < SNEPPP_MIX_END; mix++)
      for (int part = 0; part < 2; part++) {
         sneppp_desc        d = sample_desc(SNEPPP_ACT_COS, 0, 5);
         sneppp_window      space, time;
         sneppp_region      r;
         sneppp_model       m;
         sneppp_sample_info info;
         sneppp_error       err;
         sneppp_rng         g;
         double             chi = 0;
         size_t             count[S] = {0, 0, 0, 0};
         d.mix = (sneppp_mix)mix;
         d.factor[1].window.dim = 1, d.factor[1].window.lo[0] = 2, d.factor[1].window.hi[0] = 5, d.factor[1].unit.act = SNEPPP_ACT_COS;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
         m.floor = 0.1;
         memset(&r, 0, sizeof r);
         space = m.desc.factor[0].window;
         time = d.factor[1].window;
         if (part) space.lo[0] = 11, space.hi[0] = 12.5, time.hi[0] = 3;
         r.factor[0] = &space;
         if (m.factors > 1) r.factor[1] = &time;
         sneppp_rng_init(&g, 8, (uint64_t)mix);
         ASSERT_EQ_FMT(SNEPPP_OK, sample_draw(&m, &r, &g, N, x, N, &info, &err), "%d");
         ASSERT(info.count == N && info.acceptance > 0 && info.acceptance <= 1);
         for (size_t i = 0; i < N; i++) {
            ASSERT(x[3 * i] >= (sneppp_real)space.lo[0] && x[3 * i] <= (sneppp_real)space.hi[0]);
            ASSERT(x[3 * i + 2] >= 2 && x[3 * i + 2] <= (part ? 3 : 5));
            count[sample_slot((double)x[3 * i + 2], 2, part ? 3 : 5, S)]++;
         }
         for (int k = 0; k < S; k++) { /* slices of time against their exact share */
            double lambda = 0, e, side = (part ? 1.0 : 3.0) / S;
            time.lo[0] = 2 + side * k, time.hi[0] = 2 + side * (k + 1);
            ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &r, 1, &lambda, NULL, &err));
            e = lambda / info.expected * N;
            chi += ((double)count[k] - e) * ((double)count[k] - e) / e;
         }
         ASSERT(chi < sample_limit(S - 1));
         sneppp_free(&m);
      }
   PASS();
}

/* ---- work in proportion to the points. Limits are on what info says was done, never on seconds. */
static void sample_uniform(size_t numbers, sneppp_real *x)
{
   sneppp_rng g;
   sneppp_rng_init(&g, 3, 0);
   for (size_t i = 0; i < numbers; i++) x[i] = (sneppp_real)sneppp_rng_uniform(&g);
}

/* A convex fit of 64 waves to 100 events: V is large, V psi is not. All derivatives of waves make the envelope close; from
   second ones alone no envelope of a few thousand cells is, and draws go by the tree. */
TEST sample_convex_of_few_events(void)
{
   enum { EVENTS = 100, N = 100 };
   static sneppp_real x[2 * EVENTS], y[2 * N];
   sneppp_desc        d;
   sneppp_events      e;
   sneppp_fit_desc    fit;
   sneppp_model       m;
   sneppp_sample_info info;
   sneppp_error       err;
   sneppp_rng         g;
   double             chi;
   memset(&d, 0, sizeof d), memset(&e, 0, sizeof e), memset(&fit, 0, sizeof fit);
   sample_uniform(2 * EVENTS, x);
   d.factor[0].window.dim = 2, d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = 1;
   d.factor[0].unit.act = SNEPPP_ACT_COS, d.width = 64;
   e.x = x, e.count = EVENTS, fit.events = &e, fit.method = SNEPPP_METHOD_CONVEX;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &fit, NULL, NULL));
   for (int tree = 0; tree < 2; tree++) {
      (void)test_wave_terms(tree ? 0 : 130);
      sneppp_rng_init(&g, 5, 1);
      ASSERT_EQ_FMT(SNEPPP_OK, sample_draw(&m, NULL, &g, 5, y, N, &info, &err), "%d");
      ASSERT(info.candidates <= 5 * 1024 && info.counts <= 100 * info.candidates);
      chi = sample_chi_square(&m, &m.desc.factor[0].window, N, 12, &info);
      ASSERT(chi >= 0 && chi < sample_limit(35));
      if (tree) ASSERT(info.candidates <= 4 * N && info.counts > 0 && info.counts <= 100 * info.candidates);
      else ASSERT(info.candidates <= 16 * N && !info.counts && info.cells < 1000);
   }
   sneppp_free(&m);
   PASS();
}

/* AUTO in five and sixteen dimensions, where cells are too many to be made. */
TEST sample_many_dimensions(void)
{
   enum { EVENTS = 200, N = 2000 };
   static sneppp_real x[16 * EVENTS], y[16 * N];
   sample_uniform(16 * EVENTS, x);
   for (int dim = 5; dim <= 16; dim += 11) {
      sneppp_desc        d;
      sneppp_events      e;
      sneppp_fit_desc    fit;
      sneppp_model       m;
      sneppp_sample_info info;
      sneppp_region      r;
      sneppp_window      w;
      sneppp_rng         g;
      double             chi = 0;
      size_t             count[8] = {0, 0, 0, 0, 0, 0, 0, 0};
      memset(&d, 0, sizeof d), memset(&e, 0, sizeof e), memset(&fit, 0, sizeof fit), memset(&r, 0, sizeof r);
      d.factor[0].window.dim = dim;
      for (int k = 0; k < dim; k++) d.factor[0].window.hi[k] = 1;
      e.x = x, e.count = EVENTS, fit.events = &e;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &fit, NULL, NULL));
      sneppp_rng_init(&g, 5, 1);
      ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, 5, y, N, &info, NULL));
      ASSERT(info.candidates <= 5 * 1024 && info.cells <= 1536);
      ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, N, y, N, &info, NULL));
      ASSERT(info.candidates <= N * 200);
      for (size_t i = 0; i < N; i++) {
         const sneppp_real *p = y + i * (size_t)dim;
         ASSERT_EQ(1, sneppp__inside(&m, p));
         count[(p[0] > (sneppp_real)0.5) + 2 * (p[1] > (sneppp_real)0.5) + 4 * (p[2] > (sneppp_real)0.5)]++;
      }
      w = m.desc.factor[0].window;
      r.factor[0] = &w;
      for (int k = 0; k < 8; k++) {
         double share = 0;
         for (int q = 0; q < 3; q++) w.lo[q] = (k >> q & 1) ? 0.5 : 0, w.hi[q] = (k >> q & 1) ? 1 : 0.5;
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &r, 1, &share, NULL, NULL));
         share *= N / info.expected;
         chi += ((double)count[k] - share) * ((double)count[k] - share) / share;
      }
      ASSERT(chi < sample_limit(7));
      sneppp_free(&m);
   }
   PASS();
}

/* Points of a region against the exact shares of pieces that fill it. */
static double sample_pieces(const sneppp_model *m, const sneppp_region *r, const sneppp_region *piece, size_t pieces,
                            size_t N, sneppp_sample_info *info)
{
   sneppp_real *x = (sneppp_real *)malloc(N * (size_t)m->D * sizeof *x);
   sneppp_rng   g;
   sneppp_error err;
   double       chi = 0;
   size_t       count[64] = {0}, all = 0;
   sneppp_rng_init(&g, 6, 7);
   if (!x || sample_draw(m, r, &g, N, x, N, info, &err)) {
      fprintf(stderr, "%s\n", x ? err.why : "no memory");
      free(x);
      return -1;
   }
   for (size_t i = 0; i < N; i++) {
      size_t k = 0;
      if (!sneppp__inside(m, x + i * (size_t)m->D)) { free(x); return -2; }
      while (k < pieces && !sneppp__inside_region(m, &piece[k], x + i * (size_t)m->D)) k++;
      if (k < pieces) count[k]++, all++;
   }
   free(x);
   if (all != N) return -3; /* pieces fill the region, so no point may be outside of them */
   for (size_t k = 0; k < pieces; k++) {
      double e = 0;
      if (sneppp_count(m, &piece[k], 1, &e, NULL, NULL)) return -4;
      e *= (double)N / info->expected;
      chi += ((double)count[k] - e) * ((double)count[k] - e) / (e + 1e-9);
   }
   return chi;
}

/* AUTO in polygons: a square, and a window of which most is notch, so that boxes around it are no good. */
TEST sample_bumps_in_polygons(void)
{
   enum { EVENTS = 200, N = 2500 };
   static const double square[8] = {0, 0, 1, 0, 1, 1, 0, 1}, hook[12] = {0, 0, 1, 0, 1, 0.125, 0.125, 0.125, 0.125, 1, 0, 1};
   static sneppp_real  x[2 * EVENTS];
   for (int kind = 0; kind < 2; kind++)
      for (int time = 0; time < 2; time++) {
         sneppp_desc        d;
         sneppp_events      e;
         sneppp_fit_desc    fit;
         sneppp_model       m;
         sneppp_sample_info info;
         sneppp_window      w[8], slice[2], corner;
         sneppp_region      piece[16], r;
         sneppp_real        z[3 * EVENTS];
         double             chi;
         size_t             pieces = 0;
         memset(&d, 0, sizeof d), memset(&e, 0, sizeof e), memset(&fit, 0, sizeof fit), memset(&r, 0, sizeof r);
         memset(w, 0, sizeof w), memset(slice, 0, sizeof slice), memset(piece, 0, sizeof piece), memset(&corner, 0, sizeof corner);
         sample_uniform(2 * EVENTS, x);
         for (size_t i = 0; i < EVENTS; i++) { /* half of them near one place, all of them inside */
            sneppp_real *p = z + i * (size_t)(2 + time), a = x[2 * i], b = x[2 * i + 1];
            if (i % 2) p[0] = (sneppp_real)0.06 + a / 50, p[1] = (sneppp_real)0.05 + b / 50;
            else p[0] = a, p[1] = kind ? b / 8 : b;
            if (time) p[2] = a * b;
         }
         d.factor[0].window.dim = 2, d.factor[0].window.space = SNEPPP_SPACE_POLYGON;
         d.factor[0].window.count = kind ? 6 : 4, d.factor[0].window.xy = kind ? hook : square;
         if (time) d.factor[1].window.dim = 1, d.factor[1].window.hi[0] = 1;
         e.x = z, e.count = EVENTS, fit.events = &e;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
         ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &fit, NULL, NULL));
         ASSERT(m.desc.readout == SNEPPP_READOUT_DIAGONAL);
         for (int k = 0; k < 8; k++) { /* boxes that fill the polygon: halves and quarters of the sides */
            w[k].dim = 2;
            w[k].lo[0] = kind ? (k < 4 ? 0.25 * k : 0) : 0.25 * (k % 4), w[k].hi[0] = kind && k >= 4 ? 0.125 : w[k].lo[0] + 0.25;
            w[k].lo[1] = kind ? (k < 4 ? 0 : 0.125 + 0.21875 * (k - 4)) : 0.5 * (k / 4);
            w[k].hi[1] = kind ? (k < 4 ? 0.125 : 0.125 + 0.21875 * (k - 3)) : 0.5 * (k / 4) + 0.5;
         }
         for (int q = 0; q < 1 + time; q++) {
            slice[q].dim = 1, slice[q].lo[0] = 0.5 * q, slice[q].hi[0] = 0.5 * q + 0.5;
            for (int k = 0; k < 8; k++, pieces++) piece[pieces].factor[0] = &w[k], piece[pieces].factor[1] = time ? &slice[q] : NULL;
         }
         chi = sample_pieces(&m, NULL, piece, pieces, N, &info);
         ASSERT(chi >= 0 && chi < sample_limit((double)pieces - 1));
         ASSERT(info.candidates <= 20 * N && info.cells == 0);
         corner = d.factor[0].window; /* a triangle in the corner, much smaller than the window */
         {
            static const double tip[6] = {1, 0, 1, 0.01, 0.985, 0};
            sneppp_real         y[3 * 50];
            sneppp_rng          g;
            corner.count = 3, corner.xy = tip;
            r.factor[0] = &corner;
            sneppp_rng_init(&g, 1, 1);
            ASSERT_EQ_FMT(SNEPPP_OK, sample_draw(&m, &r, &g, 50, y, 50, &info, NULL), "%d");
            ASSERT(info.candidates <= 50 * 4096);
            for (size_t i = 0; i < 50; i++) ASSERT_EQ(1, sneppp__inside_region(&m, &r, y + i * (size_t)m.D));
         }
         sneppp_free(&m);
      }
   PASS();
}

/* What a cell holds of intervals: those that it cuts, cut, and no others. */
TEST sample_cells_cut_intervals(void)
{
   static const double    ends[6] = {0, 1, 2, 3, 4, 6}, cells[4][2] = {{0, 6}, {0.5, 2.5}, {1.25, 1.75}, {2.5, 5}};
   static const size_t    kept[4] = {3, 2, 0, 2};
   static const double    want[4][6] = {{0, 1, 2, 3, 4, 6}, {0.5, 1, 2, 2.5}, {0}, {2.5, 3, 4, 5}};
   static sneppp__sampler s;
   sneppp_window          all, part;
   double                 room[6];
   memset(&s, 0, sizeof s), memset(&all, 0, sizeof all);
   all.space = SNEPPP_SPACE_INTERVALS, all.dim = 1, all.count = 3, all.ends = ends;
   s.inside = &all, s.P = 1, s.ends[0] = room;
   for (int k = 0; k < 4; k++) {
      sneppp__cell_part(&s, 0, cells[k], &part);
      ASSERT_EQ_FMT(kept[k], part.count, "%zu");
      for (size_t i = 0; i < 2 * kept[k]; i++) ASSERT_EQ(want[k][i], part.ends[i]);
   }
   PASS();
}

/* The tree of cells: every kind of window that has closed forms, and products. */
TEST sample_trees_of_cells(void)
{
   enum { N = 500 };
   static const double ends[6] = {0, 0.5, 0.75, 1.5, 1.75, 2}, el[12] = {0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2};
   int used = 0;
   (void)test_wave_terms(0);
   for (int kind = 0; kind < 7; kind++) {
      sneppp_desc        d;
      sneppp_model       m;
      sneppp_error       err;
      sneppp_sample_info info;
      sneppp_window      w[8], slice[2];
      sneppp_region      piece[16];
      size_t             pieces = 0;
      double             chi;
      memset(&d, 0, sizeof d), memset(w, 0, sizeof w), memset(slice, 0, sizeof slice), memset(piece, 0, sizeof piece);
      d.factor[0].window.dim = kind == 0 ? 2 : kind == 1 ? 3 : kind == 2 ? 5 : kind == 3 ? 1 : 2;
      for (int k = 0; k < 5; k++) d.factor[0].window.hi[k] = 2;
      if (kind == 3) d.factor[0].window.space = SNEPPP_SPACE_INTERVALS, d.factor[0].window.count = 3, d.factor[0].window.ends = ends;
      if (kind == 3) d.factor[1].window.dim = 1, d.factor[1].window.hi[0] = 2;
      if (kind >= 4) d.factor[0].window.space = SNEPPP_SPACE_POLYGON, d.factor[0].window.count = 6, d.factor[0].window.xy = el;
      if (kind >= 5) d.factor[1].window.dim = 1, d.factor[1].window.hi[0] = 2;
      d.mix = kind == 6 ? SNEPPP_MIX_SUM : SNEPPP_MIX_PRODUCT;
      ASSERT_EQ_FMT(SNEPPP_OK, sample_steep(&m, &d, &err), "%d");
      for (int k = 0; k < (kind < 3 ? 8 : 3); k++) {
         w[k] = d.factor[0].window;
         if (kind < 3)
            for (int q = 0; q < 3; q++) w[k].lo[q] = (k >> q & 1) && q < w[k].dim ? 1 : 0, w[k].hi[q] = (k >> q & 1) || q >= w[k].dim ? 2 : 1;
         if (kind == 3) w[k].count = 1, w[k].ends = ends + 2 * k;
         if (kind > 3) memset(&w[k], 0, sizeof w[k]), w[k].dim = 2, w[k].lo[0] = k == 1, w[k].lo[1] = k == 2, w[k].hi[0] = w[k].lo[0] + 1, w[k].hi[1] = w[k].lo[1] + 1;
         if (kind == 0 && k == 4) break;
         for (int q = 0; q < m.factors; q++, pieces++) {
            slice[q].dim = 1, slice[q].lo[0] = q, slice[q].hi[0] = q + 1;
            piece[pieces].factor[0] = &w[k], piece[pieces].factor[1] = m.factors > 1 ? &slice[q] : NULL;
         }
      }
      chi = sample_pieces(&m, NULL, piece, pieces, N, &info);
      if (!(chi >= 0 && chi < sample_limit((double)pieces - 1))) fprintf(stderr, "kind %d: chi-square %g\n", kind, chi);
      ASSERT(chi >= 0 && chi < sample_limit((double)pieces - 1));
      ASSERT(info.candidates <= 1024 * N && info.counts <= 200 * info.candidates);
      used += info.counts > 0;
      sneppp_free(&m);
   }
   ASSERT(used >= 4);
   (void)test_wave_terms(130);
   PASS();
}

/* The same where cells have no closed forms: the sphere by zones, the disc by quadrants, sphere and time. */
TEST sample_trees_without_closed_forms(void)
{
   enum { N = 300, S = 4, FINE = 120 };
   static sneppp_real x[N * 4];
   (void)test_wave_terms(0);
   for (int kind = 0; kind < 3; kind++) {
      sneppp_desc        d;
      sneppp_model       m;
      sneppp_error       err;
      sneppp_sample_info info;
      sneppp_rng         g;
      double             mass[S] = {0}, total = 0, chi = 0, t[SNEPPP__MAX_AXES];
      size_t             count[S] = {0};
      sneppp__draw       w;
      memset(&d, 0, sizeof d);
      d.factor[0].window.dim = kind == 1 ? 2 : 3;
      d.factor[0].window.space = kind == 1 ? SNEPPP_SPACE_BALL : SNEPPP_SPACE_SPHERE;
      d.factor[0].window.radius = 1;
      if (kind == 2) d.factor[1].window.dim = 1, d.factor[1].window.hi[0] = 2;
      ASSERT_EQ_FMT(SNEPPP_OK, sample_steep(&m, &d, &err), "%d");
      sneppp_rng_init(&g, 5, (uint64_t)kind);
      ASSERT_EQ_FMT(SNEPPP_OK, sample_draw(&m, NULL, &g, N, x, N, &info, &err), "%d");
      ASSERT(info.candidates <= 16 * N && info.counts <= 200 * info.candidates);
      for (size_t i = 0; i < N; i++) {
         const sneppp_real *p = x + i * (size_t)m.D;
         ASSERT_EQ(1, sneppp__inside(&m, p));
         count[kind == 1 ? (p[0] > 0) + 2 * (p[1] > 0) : (int)sample_slot((double)p[2], -1, 1, S)]++;
      }
      /* sums in double, as the float build cannot show small differences of large numbers */
      ASSERT_EQ(SNEPPP_OK, sneppp__draw_open(&m, NULL, 1, NULL, 0, &w, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp__sampler_fill(&w.s, &err));
      for (int i = 0; i < FINE; i++)
         for (int j = 0; j < FINE; j++)
            for (int q = 0; q < (kind == 2 ? 20 : 1); q++) {
               double h = -1 + (i + 0.5) * 2 / FINE, a = 2 * SNEPPP__PI * j / FINE, r = sqrt(1 - h * h), v;
               int    slot;
               t[0] = kind == 1 ? h : r * cos(a), t[1] = kind == 1 ? -1 + (j + 0.5) * 2 / FINE : r * sin(a), t[2] = h;
               if (kind == 1 && t[0] * t[0] + t[1] * t[1] > 1) continue;
               if (kind == 2) t[3] = (q + 0.5) * 0.1 - m.layer[1].shift[0];
               v = sneppp__jet_intensity(&w.s, t);
               slot = kind == 1 ? (t[0] > 0) + 2 * (t[1] > 0) : (int)sample_slot(h, -1, 1, S);
               mass[slot] += v, total += v;
            }
      sneppp__block_free(&w.block);
      for (int i = 0; i < S; i++) {
         double e = mass[i] / total * N;
         chi += ((double)count[i] - e) * ((double)count[i] - e) / e;
      }
      if (!(chi < sample_limit(S - 1))) fprintf(stderr, "kind %d: chi-square %g\n", kind, chi);
      ASSERT(chi < sample_limit(S - 1));
      sneppp_free(&m);
   }
   (void)test_wave_terms(130);
   PASS();
}

/* The sphere in R^1 is the points -1 and 1. */
TEST sample_two_points(void)
{
   enum { N = 2000 };
   static sneppp_real x[N];
   sneppp_desc   d;
   sneppp_model  m;
   sneppp_error  err;
   sneppp_rng    g;
   sneppp_real   ends[2] = {-1, 1}, lambda[2];
   double        p, up = 0;
   memset(&d, 0, sizeof d);
   d.factor[0].window.space = SNEPPP_SPACE_SPHERE, d.factor[0].window.dim = 1, d.width = 2, d.seed = 916;
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
   sneppp_rng_init(&g, 5, 1);
   ASSERT_EQ_FMT(SNEPPP_OK, sample_draw(&m, NULL, &g, N, x, N, NULL, &err), "%d");
   for (int k = 0; k < 2; k++) lambda[k] = sneppp_intensity(&m, &ends[k]);
   p = (double)lambda[1] / ((double)lambda[0] + (double)lambda[1]);
   for (size_t i = 0; i < N; i++) {
      ASSERT(x[i] == 1 || x[i] == -1);
      up += x[i] > 0;
   }
   ASSERT(fabs(up - N * p) <= 5 * sqrt(N * p * (1 - p)) + 1e-9);
   sneppp_free(&m);
   PASS();
}

/* Closed forms of a polygon's cells are dear: in small cells a few nodes serve, and agree with the closed forms. */
TEST sample_small_cells_by_nodes(void)
{
   static const double el[12] = {0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2};
   sneppp_desc   d;
   sneppp_model  m;
   sneppp_error  err;
   sneppp__draw  w;
   size_t        at = 0, before = 0;
   memset(&d, 0, sizeof d);
   d.factor[0].window.space = SNEPPP_SPACE_POLYGON, d.factor[0].window.dim = 2, d.factor[0].window.count = 6, d.factor[0].window.xy = el;
   d.factor[0].unit.act = SNEPPP_ACT_COS, d.width = 16, d.seed = 4;
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp__draw_open(&m, NULL, 1, NULL, 0, &w, &err), "%d");
   ASSERT_EQ(SNEPPP_OK, sneppp__sampler_fill(&w.s, &err));
   sneppp__cell_root(&w.s);
   w.s.kid[0] = 0, w.s.count[0] = w.expected;
   for (int level = 0; level < 12; level++) {
      size_t kid = sneppp__tree_cut(&w.s, at, level);
      ASSERT(kid > 0);
      for (size_t h = 0; h < 2; h++) {
         const double *cell = w.s.cell + (kid + h) * w.s.record;
         double        guess = w.s.count[kid + h];
         ASSERT_IN_RANGE(sneppp__cell_count(&w.s, cell, level), guess, 0.1 * w.s.count[at]);
      }
      if (level > 5) ASSERT(w.s.looks > before); /* by nodes */
      before = w.s.looks;
      at = kid + (size_t)(w.s.count[kid + 1] > w.s.count[kid]);
   }
   sneppp__block_free(&w.block);
   sneppp_free(&m);
   PASS();
}

/* Absurd parameters, as a saved file may hold them: a sample or a reason, soon. What is drawn lies in the window. */
TEST sample_hostile_models(void)
{
   static const double huge[] = {1e300, 1e150, 1e30, 1e15, 1e-15, 1e-30, 1e-150, 1e-300, 0};
   static const double ring[8] = {0, 0, 3, 0.5, 2, 2, 0.5, 1};
   int                 drawn = 0, refused = 0;
   for (int act = 0; act < 5; act++)
      for (int space = 0; space < 4; space++)
         for (int what = 0; what < 5; what++)
            for (size_t k = 0; k < sizeof huge / sizeof huge[0]; k++) {
               static const sneppp_act acts[5] = {SNEPPP_ACT_COS, SNEPPP_ACT_EXP, SNEPPP_ACT_RELU, SNEPPP_ACT_RBF, SNEPPP_ACT_RBF};
               sneppp_desc             d;
               sneppp_model            m;
               sneppp_sample_info      info;
               sneppp_error            err;
               sneppp_status           st;
               sneppp_rng              g;
               sneppp_real             x[3 * 4], v = (sneppp_real)huge[k];
               if (!sneppp__finite((double)v)) continue; /* float has no such number, and files with it are refused */
               memset(&d, 0, sizeof d);
               d.factor[0].window.dim = space == 2 ? 3 : space == 3 ? 1 : 2;
               d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = 2;
               if (space == 1) d.factor[0].window.space = SNEPPP_SPACE_POLYGON, d.factor[0].window.count = 4, d.factor[0].window.xy = ring;
               if (space == 2) d.factor[0].window.space = SNEPPP_SPACE_SPHERE;
               d.factor[0].unit.act = acts[act], d.width = 6, d.readout = act == 4 ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL;
               if (sneppp_init(&m, &d, NULL)) continue; /* no closed form */
               if (what == 0) m.readout[0].V[1] = v;
               if (what == 1) m.layer[0].W[1] = v;
               if (what == 2) m.layer[0].b[1] = v;
               if (what == 3) m.alpha = (double)v;
               if (what == 4 && !m.layer[0].width) m.floor = (double)v, m.alpha = 0;
               if (what == 4 && m.layer[0].width && v > 0) m.layer[0].width[1] = v;
               sneppp_rng_init(&g, 2, 2);
               memset(&err, 0, sizeof err);
               st = sample_draw(&m, NULL, &g, 3, x, 4, &info, &err);
               if (st == SNEPPP_OK) {
                  for (size_t i = 0; i < 3; i++) ASSERT_EQ(1, sneppp__inside(&m, x + i * (size_t)m.D));
                  ASSERT(info.candidates <= 3 * 4096 * 50 && info.acceptance > 0);
                  drawn++;
               } else {
                  ASSERT(err.why[0] && err.status == st);
                  refused++;
               }
               sneppp_free(&m);
            }
   ASSERT(drawn > 100 && refused > 20);
   PASS();
}

/* Expected numbers of 0, next to 0, and far beyond any room. */
TEST sample_extreme_counts(void)
{
   for (int kind = 0; kind < 3; kind++) {
      sneppp_desc        d = sample_desc(kind == 1 ? SNEPPP_ACT_COS : SNEPPP_ACT_RBF, kind != 1, 6);
      sneppp_model       m;
      sneppp_sample_info info;
      sneppp_error       err;
      sneppp_rng         g;
      sneppp_real        x[2 * 20], y[2 * 20];
      double             lambda = 0, alpha;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      if (kind == 2) m.alpha = 0, m.floor = 1; /* nothing but the floor */
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &lambda, NULL, NULL));
      alpha = kind == 2 ? m.floor : m.alpha;
      sneppp_rng_init(&g, 1, 1);
      for (int k = 0; k < 3; k++) { /* tiny: no event is expected, but as many as are asked for can be drawn */
         static const double tiny[3] = {1e-300, 1e-100, 1e-10};
         *(kind == 2 ? &m.floor : &m.alpha) = alpha / lambda * tiny[k];
         ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, 0, x, 20, &info, &err));
         ASSERT_EQ((size_t)0, info.count);
         ASSERT_EQ_FMT(SNEPPP_OK, sample_draw(&m, NULL, &g, 20, x, 20, &info, &err), "%d");
         for (size_t i = 0; i < 20; i++) ASSERT_EQ(1, sneppp__inside(&m, x + 2 * i));
         ASSERT(info.candidates <= 20 * 1024);
      }
      *(kind == 2 ? &m.floor : &m.alpha) = alpha / lambda * 1e18; /* huge: refused for want of room, and x is as it was */
      memset(x, 0, sizeof x), memset(y, 0, sizeof y);
      ASSERT_EQ(SNEPPP_ERR_SIZE, sample_draw(&m, NULL, &g, 0, x, 20, &info, &err));
      ASSERT_EQ(0, memcmp(x, y, sizeof x));
      if (SIZE_MAX > 0xffffffffu) ASSERT(fabs((double)info.count / 1e18 - 1) < 1e-6);
      else ASSERT(info.count >= 20); /* as many as size_t can count, or what is left of them: more than there is room for */
      ASSERT_EQ_FMT(SNEPPP_OK, sample_draw(&m, NULL, &g, 20, x, 20, &info, &err), "%d");
      ASSERT_EQ(SNEPPP_ERR_SIZE, sample_tile(&m, 2, 2, 1, 1, 1, x, 20, &info, &err));
      ASSERT(strstr(err.why, "depth") != NULL);
      *(kind == 2 ? &m.floor : &m.alpha) = 1e308; /* beyond numbers */
      m.readout[0].V[0] = (sneppp_real)1e30;
      if (kind == 2) d.factor[0].window.hi[0] = 14, m.floor = 1e308;
      if (kind != 2) ASSERT_EQ_FMT(SNEPPP_ERR_RANGE, sample_draw(&m, NULL, &g, 0, x, 20, &info, &err), "%d");
      sneppp_free(&m);
   }
   PASS();
}

/* A part of the window that is a millionth of it, and parts in which next to nothing is expected. */
TEST sample_small_regions(void)
{
   for (int kind = 0; kind < 3; kind++) {
      sneppp_desc        d = sample_desc(kind == 2 ? SNEPPP_ACT_COS : SNEPPP_ACT_RBF, kind == 0, 10);
      sneppp_window      part = d.factor[0].window;
      sneppp_model       m;
      sneppp_sample_info info;
      double             chi;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      part.lo[0] = 13.996, part.lo[1] = 0.998;
      chi = sample_chi_square(&m, &part, 2000, 5, &info);
      ASSERT(chi >= 0 && chi < sample_limit(35));
      ASSERT(info.candidates <= 2000 * 4);
      for (int i = 0; kind < 2 && i < m.n; i++) /* all bumps narrow and at the other end */
         for (int k = 0; k < 2; k++) m.layer[0].W[2 * i + k] = (sneppp_real)(-1 + 0.02 * i), m.layer[0].width[2 * i + k] = (sneppp_real)0.35;
      chi = sample_chi_square(&m, &part, 500, 6, &info);
      ASSERT(chi >= 0 && chi < sample_limit(35));
      ASSERT(info.candidates <= 500 * 1024);
      sneppp_free(&m);
   }
   PASS();
}

/* An event of the place p in which cells are boxes; 0 if it is outside. Written anew: cells are judged by it. */
static int sample_event(const sneppp_model *m, const double *p, sneppp_real *x)
{
   for (int f = 0; f < m->factors; f++) {
      const sneppp_window *w = &m->desc.factor[f].window;
      double               y[3] = {0, 0, 0};
      if (w->space == SNEPPP_SPACE_SPHERE) {
         y[0] = sqrt(1 - p[0] * p[0]) * cos(p[1]), y[1] = sqrt(1 - p[0] * p[0]) * sin(p[1]), y[2] = p[0], p += 2;
      } else for (int k = 0; k < w->dim; k++) y[k] = *p++ + m->layer[f].shift[k];
      if (w->space != SNEPPP_SPACE_SPHERE && !sneppp_window_contains(w, y)) return 0;
      for (int k = 0; k < w->dim; k++) *x++ = (sneppp_real)y[k];
   }
   return 1;
}

/* What the tree knows about its cells against a lattice of places: whether they are empty, their share in the region, mean
   and number, and a bound that holds and comes close when cells are small. */
TEST sample_cells_know_what_they_hold(void)
{
   enum { SIDE = 24, LEVELS = 13 };
   static const double ends[6] = {0, 0.5, 0.75, 1.5, 1.75, 2}, el[12] = {0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2};
   static const double ring[16] = {0, 0, 2, 0, 2, 2, 0, 2, 0.5, 0.5, 1.25, 0.5, 1.25, 1.5, 0.5, 1.5};
   static const size_t sizes[2] = {4, 4};
   for (int kind = 0; kind < 8; kind++)
      for (int way = 0; way < 2; way++) {
         sneppp_desc    d;
         sneppp_window *w = &d.factor[0].window;
         sneppp_model   m;
         sneppp_error   err;
         sneppp__draw   draw;
         sneppp__sampler *s = &draw.s;
         size_t         at = 0;
         double         first = 0;
         memset(&d, 0, sizeof d);
         w->dim = 2, w->hi[0] = w->hi[1] = 2;
         if (kind == 1) w->dim = 1, w->space = SNEPPP_SPACE_INTERVALS, w->count = 3, w->ends = ends;
         if (kind == 2 || kind == 6) w->space = SNEPPP_SPACE_POLYGON, w->count = 6, w->xy = el;
         if (kind == 3) w->space = SNEPPP_SPACE_POLYGON, w->count = 8, w->xy = ring, w->rings = 2, w->ring_size = sizes;
         if (kind == 4) w->space = SNEPPP_SPACE_BALL, w->radius = 1.5, w->centre[0] = 3, w->centre[1] = -1;
         if (kind == 5) w->space = SNEPPP_SPACE_SPHERE, w->dim = 3;
         if (kind == 1) d.factor[1].window.dim = 1, d.factor[1].window.hi[0] = 3, d.factor[1].unit.act = SNEPPP_ACT_COS;
         d.factor[0].unit.act = SNEPPP_ACT_COS, d.width = 5, d.seed = 3;
         if (kind >= 6) d.readout = SNEPPP_READOUT_DIAGONAL;
         ASSERT_EQ_FMT(SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
         m.floor = 0.25;
         ASSERT_EQ_FMT(SNEPPP_OK, sneppp__draw_open(&m, NULL, 1, NULL, 0, &draw, &err), "%d");
         ASSERT_EQ(SNEPPP_OK, sneppp__sampler_fill(s, &err));
         ASSERT_EQ_FMT(2, s->P, "%d");
         sneppp__cell_root(s);
         s->kid[0] = 0, s->count[0] = draw.expected;
         for (int level = 0; level < LEVELS; level++) {
            size_t kid = sneppp__tree_cut(s, at, level);
            ASSERT(kid > 0);
            for (size_t h = 0; h < 2; h++) {
               double *cell = s->cell + (kid + h) * s->record, sum = 0, top = 0, volume = s->unit, share;
               size_t  hits = 0;
               for (int k = 0; k < 2; k++) volume *= cell[2 + k] - cell[k];
               for (int i = 0; i < SIDE * SIDE; i++) {
                  double      p[2], v[1];
                  sneppp_real x[3], value;
                  p[0] = cell[0] + (cell[2] - cell[0]) * (i / SIDE + 0.5) / SIDE;
                  p[1] = cell[1] + (cell[3] - cell[1]) * (i % SIDE + 0.5) / SIDE;
                  if (!sample_event(&m, p, x)) continue;
                  value = (sneppp_real)sneppp_intensity(&m, x);
                  v[0] = (double)value, hits++, sum += v[0], top = fmax(top, v[0]);
               }
               share = (double)hits / (SIDE * SIDE);
               ASSERT_EQ_FMT(cell[4] == 0, sneppp__cell_share(s, cell) == 0, "%d");
               if (hits) ASSERT(sneppp__cell_share(s, cell) > 0);
               if (share > 0.05 || !hits) ASSERT_IN_RANGE(share, cell[4] == 0 ? 0 : sneppp__cell_share(s, cell), 0.04);
               if (s->closed) ASSERT_IN_RANGE(sum / (SIDE * SIDE) * volume, sneppp__cell_count(s, cell, level), 0.04 * top * volume);
               if (cell[4] == 0) continue;
               if (hits == SIDE * SIDE && level > 6)
                  for (int order = 2; order < 13; order += order < 4 ? 1 : 4)
                     ASSERT_IN_RANGE(sum / (double)hits, sneppp__cell_mean(s, cell, order), 0.02 * top);
               sneppp__cell_bound(s, cell);
               ASSERT(cell[4] >= top * (sizeof(sneppp_real) == 4 ? 0.999 : 1 - 1e-9));
               ASSERT_IN_RANGE(volume, cell[5], 1e-12 * volume);
               if (level == LEVELS - 1 && hits) { ASSERT(cell[4] < 1.25 * top); ASSERT(cell[6] < 0.2); }
               if (level == 0) first = fmax(first, cell[4]);
               if (level == LEVELS - 1) ASSERT(cell[4] <= first * (1 + 1e-9));
            }
            at = kid + (size_t)(way == 0 ? level % 2 : way == 1 ? s->count[kid + 1] > s->count[kid] : level % 3 == 0);
            if (s->cell[at * s->record + 4] == 0) at = kid + !(at - kid);
         }
         sneppp__block_free(&draw.block);
         sneppp_free(&m);
      }
   PASS();
}

/* Of two factors, however they are mixed and whatever their units, no place of a cell has more than the cell's bound, and of a
   small cell the bound is not far above. */
TEST sample_bounds_of_mixes_hold(void)
{
   static const sneppp_act act[5][2] = {{SNEPPP_ACT_EXP, SNEPPP_ACT_RELU}, {SNEPPP_ACT_COS, SNEPPP_ACT_EXP}, {SNEPPP_ACT_RECT, SNEPPP_ACT_SIN},
                                        {SNEPPP_ACT_LEAKY, SNEPPP_ACT_RECT}, {SNEPPP_ACT_RBF, SNEPPP_ACT_RBF}};
   int                     cut = 0;
   for (int mix = 0; mix < SNEPPP_MIX_END; mix++)
      for (int k = 0; k < 5; k++)
         for (int diagonal = 0; diagonal < 2; diagonal++) {
            sneppp_desc      d;
            sneppp_model     m;
            sneppp_error     err;
            sneppp__draw     draw;
            sneppp__sampler *s = &draw.s;
            sneppp_rng       rng;
            memset(&d, 0, sizeof d);
            d.mix = (sneppp_mix)mix, d.readout = diagonal ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL, d.width = 4, d.seed = 2;
            for (int f = 0; f < 2; f++) {
               d.factor[f].window.dim = 1, d.factor[f].window.hi[0] = 2 + f;
               d.factor[f].unit.act = act[k][f], d.factor[f].unit.p = act[k][f] == SNEPPP_ACT_RECT ? 2 : 0.3;
            }
            ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
            for (int f = 0; f < 2; f++) /* values above and below 1, slopes of both signs */
               for (int i = 0; i < m.layer[f].n; i++) {
                  if (m.layer[f].width) m.layer[f].width[i] *= (sneppp_real)0.4;
                  else m.layer[f].W[i] *= 3, m.layer[f].b[i] += (sneppp_real)(i % 2 ? 0.8 : -0.2);
               }
            m.floor = 0.01;
            sneppp__renewed(&m);
            ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp__draw_open(&m, NULL, 1, NULL, 0, &draw, &err), "%d");
            if (s->cell) { /* no sum of bumps, and no sum or product of intensities, which are drawn from one by one */
               ASSERT_EQ(SNEPPP_OK, sneppp__sampler_fill(s, &err));
               ASSERT_EQ_FMT(2, s->P, "%d");
               sneppp__cell_root(s), cut++;
            }
            sneppp_rng_init(&rng, 8, (uint64_t)(mix * 5 + k));
            for (int turn = 0; s->cell && turn < 24; turn++) {
               double cell[64], top = 0, size = turn % 4 == 3 ? 1e-3 : pow(0.5, turn % 4);
               ASSERT(s->record <= 64);
               memcpy(cell, s->cell, s->record * sizeof *cell); /* of all of the window */
               for (int r = 0; r < 2; r++) {
                  double side = size * (cell[2 + r] - cell[r]);
                  cell[r] += (cell[2 + r] - cell[r] - side) * sneppp_rng_uniform(&rng), cell[2 + r] = cell[r] + side;
               }
               sneppp__cell_bound(s, cell);
               for (int i = 0; i < 64; i++) {
                  double      p[2];
                  sneppp_real x[2];
                  p[0] = cell[0] + (cell[2] - cell[0]) * (0.001 + 0.998 * (i / 8) / 7), p[1] = cell[1] + (cell[3] - cell[1]) * (0.001 + 0.998 * (i % 8) / 7);
                  if (sample_event(&m, p, x)) top = fmax(top, (double)sneppp_intensity(&m, x));
               }
               ASSERT(top > 0 && cell[4] >= top * (sizeof(sneppp_real) == 4 ? 0.999 : 1 - 1e-9));
               if (size < 0.01) ASSERT(cell[4] < 1.1 * top);
            }
            sneppp__block_free(&draw.block);
            sneppp_free(&m);
         }
   ASSERT(cut >= 36); /* of 40 in the four other mixes */
   PASS();
}

/* Where |V| is 2e4 and |V psi| is 1, the bound of waves and exponentials of all orders holds from both sides, and is close in
   cells that are far too large for a bound by second derivatives. */
TEST sample_waves_are_bounded(void)
{
   static const sneppp_act act[4][2] = {{SNEPPP_ACT_COS, SNEPPP_ACT_COS}, {SNEPPP_ACT_COS, SNEPPP_ACT_EXP}, {SNEPPP_ACT_EXP, SNEPPP_ACT_EXP},
                                        {SNEPPP_ACT_SIN, SNEPPP_ACT_DEFAULT}};
   for (int kind = 0; kind < 4; kind++) {
      sneppp_desc      d;
      sneppp_model     m;
      sneppp_error     err;
      sneppp__draw     draw;
      sneppp__sampler *s = &draw.s;
      sneppp_rng       rng;
      double           tops, close, coarse;
      memset(&d, 0, sizeof d);
      for (int f = 0; f < 2; f++) {
         if (act[kind][f] == SNEPPP_ACT_DEFAULT) { d.factor[0].window.dim = 2, d.factor[0].window.hi[1] = 2; continue; }
         d.factor[f].window.dim = 1, d.factor[f].window.hi[0] = 2, d.factor[f].unit.act = act[kind][f];
      }
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sample_steep(&m, &d, &err), "%d");
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp__draw_open(&m, NULL, 1, NULL, 0, &draw, &err), "%d");
      ASSERT(s->waves);
      ASSERT_EQ(SNEPPP_OK, sneppp__sampler_fill(s, &err));
      sneppp__cell_root(s), tops = close = coarse = 0;
      sneppp_rng_init(&rng, 2, (uint64_t)kind);
      for (int turn = 0; turn < 40; turn++) {
         double cell[2][64], top = 0, side = turn % 2 ? 0.1 : 1, centre[2], *at = cell[0] + 7, R = at[2];
         memcpy(cell[0], s->cell, s->record * sizeof *s->cell);
         for (int r = 0; r < 2; r++) {
            cell[0][r] += (cell[0][2 + r] - cell[0][r] - side) * sneppp_rng_uniform(&rng), cell[0][2 + r] = cell[0][r] + side;
            centre[r] = cell[0][r] + 0.5 * side;
         }
         memcpy(cell[1], cell[0], s->record * sizeof *s->cell);
         for (int few = 0; few < 2; few++) {
            (void)test_wave_terms(few ? 0 : 130);
            sneppp__cell_bound(s, cell[few]);
         }
         (void)test_wave_terms(130), R = at[2];
         for (int i = 0; i < 50; i++) {
            double t[2], c[2], q, v;
            for (int r = 0; r < 2; r++) t[r] = centre[r] + side * (sneppp_rng_uniform(&rng) - 0.5), c[r] = t[r] - at[r];
            q = sqrt(sneppp__cell_square(at + 3, s->A, c)), v = sneppp__jet_intensity(s, t), top = fmax(top, v);
            ASSERT(sqrt(v / m.alpha) <= (q + R) * (1 + 1e-9) && sqrt(v / m.alpha) >= (q - R) * (1 - 1e-9));
            ASSERT(v <= cell[0][4]);
         }
         ASSERT(cell[0][4] <= cell[1][4]);
         if (side < 0.5) tops += top, close += cell[0][4], coarse += cell[1][4];
      }
      if (!(close < 2 * tops && coarse > 50 * tops)) fprintf(stderr, "kind %d: bounds %g and %g of %g\n", kind, close, coarse, tops);
      ASSERT(close < 2 * tops && coarse > 50 * tops);
      sneppp__block_free(&draw.block);
      sneppp_free(&m);
   }
   PASS();
}

/* Balls of more axes than nodes could fill: numbers are means over points, which know at least how large the ball is. */
TEST sample_balls_of_seven_axes(void)
{
   sneppp_desc        d;
   sneppp_model       m;
   sneppp_error       err;
   sneppp__draw       w;
   sneppp_sample_info info;
   sneppp_rng         g;
   sneppp_real        x[7 * 10];
   double             sum = 0, mass;
   size_t             kid;
   sneppp_status      st;
   memset(&d, 0, sizeof d);
   d.factor[0].window.space = SNEPPP_SPACE_BALL, d.factor[0].window.dim = 7, d.factor[0].window.radius = 2;
   ASSERT_EQ_FMT(SNEPPP_OK, sample_steep(&m, &d, &err), "%d");
   mass = sneppp_window_mass(&d.factor[0].window);
   ASSERT_IN_RANGE(16 * SNEPPP__PI * SNEPPP__PI * SNEPPP__PI / 105 * 128, mass, 1e-9 * mass);
   sneppp_rng_init(&g, 3, 3);
   memset(&err, 0, sizeof err);
   st = sample_draw(&m, NULL, &g, 10, x, 10, &info, &err); /* so steep that it may be given up, in words */
   if (st == SNEPPP_OK) for (size_t i = 0; i < 10; i++) ASSERT_EQ(1, sneppp__inside(&m, x + 7 * i));
   else ASSERT(st == SNEPPP_ERR_NO_CONVERGENCE && strstr(err.why, "of 10 points were drawn"));
   m.alpha = 0, m.floor = 3;
   ASSERT_EQ(SNEPPP_OK, sneppp__draw_open(&m, NULL, 1, NULL, 0, &w, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp__sampler_fill(&w.s, &err));
   sneppp__cell_root(&w.s);
   w.s.kid[0] = 0, w.s.count[0] = w.expected;
   ASSERT_IN_RANGE(3 * mass, sneppp__cell_count(&w.s, w.s.cell, 0), 0.4 * 3 * mass);
   kid = sneppp__tree_cut(&w.s, 0, 1);
   ASSERT(kid > 0);
   for (size_t h = 0; h < 2; h++) {
      ASSERT_IN_RANGE(1.5 * mass, w.s.count[kid + h], 0.5 * 1.5 * mass);
      sum += w.s.count[kid + h];
   }
   ASSERT_IN_RANGE(3 * mass, sum, 0.4 * 3 * mass);
   sneppp__block_free(&w.block);
   sneppp_free(&m);
   PASS();
}

/* A layer of bumps and a constant has no bound and is refused; a readout of zeros leaves the floor, which is drawn evenly. */
TEST sample_mixed_layers_and_zeros(void)
{
   sneppp_desc        d = sample_desc(SNEPPP_ACT_RBF, 0, 2);
   sneppp_unit        units[2];
   sneppp_model       m;
   sneppp_error       err;
   sneppp_sample_info info;
   sneppp_rng         g;
   static sneppp_real x[2 * 400];
   double             chi = 0;
   size_t             count[4] = {0, 0, 0, 0};
   memset(units, 0, sizeof units), memset(&err, 0, sizeof err);
   units[0].act = SNEPPP_ACT_RBF, units[1].act = SNEPPP_ACT_ONE;
   d.factor[0].units = units;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   sneppp_rng_init(&g, 1, 1);
   ASSERT_EQ(SNEPPP_ERR_NO_CLOSED_FORM, sample_draw(&m, NULL, &g, 3, x, 4, &info, &err));
   ASSERT(strstr(err.why, "factor[0]: no bound for a mixed layer"));
   sneppp_free(&m);
   d = sample_desc(SNEPPP_ACT_COS, 0, 4);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   memset(m.readout[0].V, 0, (size_t)m.readout[0].m * 4 * sizeof *m.readout[0].V);
   m.floor = 2;
   ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, 400, x, 400, &info, &err));
   ASSERT_IN_RANGE(2 * 8, info.expected, 1e-9);
   ASSERT(info.candidates == 400);
   for (int i = 0; i < 400; i++) count[(x[2 * i] > 12) + 2 * (x[2 * i + 1] > 0)]++;
   for (int k = 0; k < 4; k++) chi += ((double)count[k] - 100) * ((double)count[k] - 100) / 100;
   ASSERT(chi < sample_limit(3));
   sneppp_free(&m);
   PASS();
}

/* A draw that finds no room has not drawn: who asks again, with as much room as it says, gets that number. */
TEST sample_room_and_generators(void)
{
   for (int diagonal = 0; diagonal < 2; diagonal++) {
      static sneppp_real x[2][2 * 4000];
      sneppp_desc        d = sample_desc(diagonal ? SNEPPP_ACT_RBF : SNEPPP_ACT_COS, diagonal, 6);
      sneppp_model       m;
      sneppp_sample_info none, info;
      sneppp_rng         g, before;
      double             lambda = 0;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &lambda, NULL, NULL));
      m.alpha *= 1000 / lambda;
      sneppp_rng_init(&g, 5, 1);
      for (int k = 0; k < 5; k++) {
         before = g;
         ASSERT_EQ(SNEPPP_ERR_SIZE, sample_draw(&m, NULL, &g, 0, x[0], 10, &none, NULL));
         ASSERT_MEM_EQ(&before, &g, sizeof g);
         ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &g, 0, x[0], none.count, &info, NULL));
         ASSERT_EQ(none.count, info.count);
         ASSERT_EQ(SNEPPP_OK, sample_draw(&m, NULL, &before, 0, x[1], 4000, &info, NULL)); /* as if it had been asked once */
         ASSERT_EQ(none.count, info.count);
         ASSERT(before.position == g.position);
      }
      sneppp_free(&m);
   }
   PASS();
}

/* A number of events that cannot be represented is no number to draw from: not a demand for room. */
TEST sample_too_many(void)
{
   sneppp_desc        d = sample_desc(SNEPPP_ACT_RBF, 1, 4);
   sneppp_model       m;
   sneppp_sample_info info;
   sneppp_sample_desc how;
   sneppp_error       err;
   sneppp_real        x[2] = {7, 7};
   memset(&how, 0, sizeof how);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   m.alpha = 1e200, how.scale = 1e200;
   ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp_sample(&m, &how, x, 1, &info, &err));
   ASSERT_STR_EQ("the expected number of events cannot be represented", err.why);
   ASSERT_EQ((size_t)0, info.count);
   ASSERT_EQ((sneppp_real)7, x[0]);
   sneppp_free(&m);
   PASS();
}

/* Nobody must ask how a tile was drawn. */
TEST sample_tiles_without_info(void)
{
   sneppp_desc        d = sample_desc(SNEPPP_ACT_COS, 0, 4);
   sneppp_model       m;
   sneppp_sample_info info;
   sneppp_error       err;
   static sneppp_real x[2][2 * 2000];
   double             lambda = 0;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &lambda, NULL, NULL));
   m.alpha *= 1000 / lambda;
   ASSERT_EQ(SNEPPP_OK, sample_tile(&m, 1, 2, 1, 2, 7, x[0], 2000, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sample_tile(&m, 1, 2, 1, 2, 7, x[1], 2000, &info, &err));
   ASSERT(info.count > 0);
   ASSERT_MEM_EQ(x[0], x[1], 2 * info.count * sizeof **x);
   ASSERT_EQ(SNEPPP_ERR_ARG, sample_tile(&m, 1, 2, 4, 0, 7, x[0], 2000, NULL, NULL));
   sneppp_free(&m);
   PASS();
}

/* A part of an additive intensity that is flat on a sliver of a raster: its points lie there, or there are none. */
TEST sample_sliver_of_a_raster(void)
{
   static const double exposed[4] = {1, 1, 1, 1};
   sneppp_desc        desc;
   sneppp_model       m;
   sneppp_window      part;
   sneppp_region      region;
   sneppp_sample_info info;
   sneppp_error       err;
   sneppp_real        x[30];
   double             M[16] = {0}, xy[6] = {0.1, 0.1, 0.9, 0.9, 0.9, 0};
   memset(&desc, 0, sizeof desc), memset(&part, 0, sizeof part), memset(&region, 0, sizeof region);
   desc.mix = SNEPPP_MIX_ADDITIVE, desc.width = 2;
   desc.factor[0].window.dim = 1, desc.factor[0].window.hi[0] = 1;
   desc.factor[1].window.space = SNEPPP_SPACE_RASTER, desc.factor[1].window.dim = 2, desc.factor[1].window.weight = exposed;
   for (int r = 0; r < 2; r++) desc.factor[1].window.cell[r] = 0.5, desc.factor[1].window.cells[r] = 2;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, NULL));
   M[0] = M[5] = 1; /* nothing of the second factor */
   ASSERT_EQ(SNEPPP_OK, sneppp_set_matrix(&m, M, NULL));
   part.space = SNEPPP_SPACE_POLYGON, part.dim = 2, part.count = 3, part.xy = xy;
   region.factor[1] = &part;
   for (int k = 0; k < 2; k++) {
      xy[5] = 0.9 + (k ? 1e-7 : 1e-2);
      sneppp_status st = sample_draw(&m, &region, NULL, 10, x, 10, &info, &err);
      ASSERT_EQ_FMT(k ? SNEPPP_ERR_NO_CONVERGENCE : SNEPPP_OK, st, "%d");
      for (int i = 0; st == SNEPPP_OK && i < 10; i++) {
         const double at[2] = {(double)x[3 * i + 1], (double)x[3 * i + 2]};
         ASSERT(sneppp_window_contains(&part, at));
      }
   }
   sneppp_free(&m);
   PASS();
}

/* Points that are asked for in a region where next to none are expected lie under the bump that reaches there. */
TEST sample_light_region(void)
{
#ifdef __FAST_MATH__ /* numbers below 2e-308 are 0 */
   const double light = 1e-290;
#else
   const double light = 1e-306;
#endif
   static const double W[4] = {0.5, 0.2, 1, 0.8}, width[4] = {0.01, 0.02, 0.01, 0.02};
   const double        M[4] = {light, 0, 0, light};
   sneppp_desc         desc;
   sneppp_model        m;
   sneppp_window       part;
   sneppp_region       region;
   sneppp_sample_info  info;
   sneppp_real         x[400];
   if (sizeof(sneppp_real) < sizeof(double)) SKIP();
   memset(&desc, 0, sizeof desc);
   memset(&region, 0, sizeof region);
   desc.factor[0].window.dim = 2, desc.factor[0].window.hi[0] = desc.factor[0].window.hi[1] = 1;
   desc.factor[0].unit.act = SNEPPP_ACT_RBF, desc.width = 2, desc.readout = SNEPPP_READOUT_DIAGONAL, desc.alpha = 1;
   ASSERT_EQ(sneppp_init(&m, &desc, NULL), SNEPPP_OK);
   ASSERT_EQ(sneppp_set_layer(&m, 0, W, NULL, width, NULL), SNEPPP_OK);
   ASSERT_EQ(sneppp_set_matrix(&m, M, NULL), SNEPPP_OK);
   part = desc.factor[0].window, part.hi[0] = 0.5;
   region.factor[0] = &part;
   ASSERT_EQ(sample_draw(&m, &region, NULL, 200, x, 200, &info, NULL), SNEPPP_OK);
   ASSERT(info.expected > 0);
   for (int i = 0; i < 200; i++) ASSERT(x[2 * i] <= (sneppp_real)0.5 && x[2 * i + 1] < (sneppp_real)0.5);
   sneppp_free(&m);
   PASS();
}

SUITE(sample)
{
   RUN_TEST(sample_sliver_of_a_raster);
   RUN_TEST(sample_mixed_layers_and_zeros);
   RUN_TEST(sample_cells_know_what_they_hold);
   RUN_TEST(sample_bounds_of_mixes_hold);
   RUN_TEST(sample_waves_are_bounded);
   RUN_TEST(sample_balls_of_seven_axes);
   RUN_TEST(sample_cells_against_closed_forms);
   RUN_TEST(sample_rests_hold);
   RUN_TEST(sample_mixes_hold);
   RUN_TEST(sample_spheres);
   RUN_TEST(sample_poisson_and_independent);
   RUN_TEST(sample_mixtures_expect_their_count);
   RUN_TEST(sample_truncated_normal);
   RUN_TEST(sample_intervals_and_polygons);
   RUN_TEST(sample_same_bits);
   RUN_TEST(sample_tiles);
   RUN_TEST(sample_tiles_law);
   RUN_TEST(sample_scale);
   RUN_TEST(sample_tiles_and_room);
   RUN_TEST(sample_in_place);
   RUN_TEST(sample_every_mix);
   RUN_TEST(sample_refusals);
   RUN_TEST(sample_survives_failing_memory);
   RUN_TEST(sample_convex_of_few_events);
   RUN_TEST(sample_many_dimensions);
   RUN_TEST(sample_bumps_in_polygons);
   RUN_TEST(sample_cells_cut_intervals);
   RUN_TEST(sample_trees_of_cells);
   RUN_TEST(sample_trees_without_closed_forms);
   RUN_TEST(sample_small_cells_by_nodes);
   RUN_TEST(sample_two_points);
   RUN_TEST(sample_hostile_models);
   RUN_TEST(sample_extreme_counts);
   RUN_TEST(sample_small_regions);
   RUN_TEST(sample_room_and_generators);
   RUN_TEST(sample_too_many);
   RUN_TEST(sample_tiles_without_info);
   RUN_TEST(sample_light_region);
}
