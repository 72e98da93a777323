/* examples/check.h: what it says about patterns of known kind, and its pieces against plain sums and known numbers. */
#include "../examples/check.h"

enum { check_room = 2000 };
static sneppp_real check_x[3 * check_room];

static size_t check_flat_pattern(uint64_t seed, size_t count)
{
   sneppp_rng rng;
   sneppp_rng_init(&rng, seed, 91);
   for (size_t i = 0; i < 2 * count; i++) check_x[i] = (sneppp_real)sneppp_rng_uniform(&rng);
   return count;
}

/* Clusters of about ten around uniform parents. */
static size_t check_thomas(uint64_t seed, int parents, double radius)
{
   sneppp_rng rng;
   size_t     n = 0;
   sneppp_rng_init(&rng, seed, 92);
   for (int p = 0; p < parents; p++) {
      const double a = sneppp_rng_uniform(&rng), b = sneppp_rng_uniform(&rng);
      for (uint64_t k = sneppp_rng_poisson(&rng, 10); k > 0; k--) {
         const double x = a + radius * sneppp_rng_normal(&rng), y = b + radius * sneppp_rng_normal(&rng);
         if (x < 0 || x > 1 || y < 0 || y > 1 || n == check_room) continue;
         check_x[2 * n] = (sneppp_real)x, check_x[2 * n++ + 1] = (sneppp_real)y;
      }
   }
   return n;
}

static int check_fitted(sneppp_model *m, int dim, const sneppp_real *x, size_t count)
{
   const double lo[2] = {0, 0}, hi[2] = {1, 1};
   return sneppp_fit_box(m, dim, lo, hi, x, count, NULL) == SNEPPP_OK;
}

TEST check_tails(void)
{
   double u[4] = {0.1, 0.2, 0.3, 0.9};
   ASSERT_IN_RANGE(0.05, check_chi2(18.307, 10), 0.001); /* from tables */
   ASSERT_IN_RANGE(0.01, check_chi2(50.892, 30), 0.001);
   ASSERT_IN_RANGE(0.95, check_chi2(10.117, 19), 0.003);
   ASSERT_IN_RANGE(0.05, check_smirnov(1.3581 / sqrt(1e6), 1000000), 0.001);
   ASSERT_IN_RANGE(0.01, check_smirnov(0.2273, 50), 0.002);
   ASSERT_IN_RANGE(0.45, check_kolmogorov(u, 4), 1e-15);
   PASS();
}

TEST check_pairs_counted(void)
{
   double distance[CHECK_DISTANCES], fast[CHECK_DISTANCES], x[300], slow;
   for (int globe = 0; globe < 2; globe++) {
      sneppp_window w;
      sneppp_rng    rng;
      const int     d = globe ? 3 : 2, n = 100;
      memset(&w, 0, sizeof w);
      w.dim = d;
      w.hi[0] = w.hi[1] = 1;
      if (globe) w.space = SNEPPP_SPACE_SPHERE;
      sneppp_rng_init(&rng, 4, 0);
      for (int i = 0; i < n; i++) ASSERT(sneppp_window_draw(&w, &rng, x + i * d));
      for (int k = 0; k < CHECK_DISTANCES; k++) distance[k] = 0.02 * (k + 1);
      check_count_pairs(&w, x, (size_t)n, distance, fast);
      for (int k = 0; k < CHECK_DISTANCES; k++) {
         slow = 0;
         for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
               double s = 0;
               for (int a = 0; a < d; a++) s += globe ? x[d * i + a] * x[d * j + a] : (x[d * i + a] - x[d * j + a]) * (x[d * i + a] - x[d * j + a]);
               slow += (globe ? acos(fmin(1, s)) : sqrt(s)) <= distance[k];
            }
         ASSERT_EQ_FMT(slow, fast[k], "%g");
      }
      ASSERT(fast[CHECK_DISTANCES - 1] > 100);
   }
   PASS();
}

/* Residuals add up, and cells have the means of the closed form. */
TEST check_residual_counts(void)
{
   const size_t n = check_thomas(5, 12, 0.08);
   sneppp_model m;
   check_grid   g;
   check_cell   c[2];
   sneppp_window half[2];
   sneppp_region region[2];
   double       raw = 0, counted = 0, total = 0, lo[2] = {0, 0}, hi[2], mean;
   ASSERT(check_fitted(&m, 2, check_x, n));
   ASSERT_EQ(SNEPPP_OK, check_cells(&m, check_x, n, &g, NULL));
   ASSERT_EQ(g.rows, g.cols);
   for (int k = 0; k < g.rows * g.cols; k++) raw += g.cell[k].raw, counted += g.cell[k].counted;
   ASSERT_EQ_FMT((double)n, counted, "%g");
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, NULL));
   ASSERT_IN_RANGE((double)n - total, raw, 1e-4 * (double)n);
   hi[0] = hi[1] = 1.0 / g.cols;
   ASSERT_EQ(SNEPPP_OK, sneppp_count_box(&m, lo, hi, &mean, NULL));
   ASSERT_IN_RANGE(mean, g.cell[0].mean, 1e-9 * (mean + 1));
   memset(half, 0, sizeof half);
   memset(region, 0, sizeof region);
   for (int k = 0; k < 2; k++) {
      half[k].dim = 2;
      half[k].lo[0] = 0.5 * k, half[k].hi[0] = 0.5 + 0.5 * k, half[k].hi[1] = 1;
      region[k].factor[0] = &half[k];
   }
   ASSERT_EQ(SNEPPP_OK, check_residuals(&m, check_x, n, region, 2, c, NULL));
   ASSERT_EQ_FMT((double)n, c[0].counted + c[1].counted, "%g");
   for (int k = 0; k < 2; k++) {
      ASSERT_IN_RANGE(c[k].counted - c[k].mean, c[k].raw, 1e-12);
      ASSERT_IN_RANGE(c[k].raw / sqrt(c[k].mean), c[k].pearson, 1e-12);
   }
   ASSERT_IN_RANGE(fabs(c[0].standard), fabs(c[1].standard), 1e-3); /* one is what the other lacks */
   sneppp_free(&m);
   PASS();
}

/* The conditional law by a sum over the line, and draws of the model become uniform. */
TEST check_rosenblatt(void)
{
   const size_t n = check_thomas(6, 4, 0.1), draws = 120;
   double       u[240], v[120], from = 0, all = 0;
   sneppp_model m;
   sneppp_sample_desc how;
   sneppp_error err;
   memset(&how, 0, sizeof how);
   ASSERT(check_fitted(&m, 2, check_x, n));
   how.count = draws;
   how.seed = 3;
   ASSERT_EQ(SNEPPP_OK, sneppp_sample(&m, &how, check_x, draws, NULL, NULL));
   ASSERT_EQ(SNEPPP_OK, check_uniform(&m, check_x, draws, u, &err));
   for (int k = 0; k < 20000; k++) { /* the midpoint rule, in two pieces at y */
      const sneppp_real at[2] = {check_x[0], (sneppp_real)((k + 0.5) / 20000)};
      const double      here = (double)sneppp_intensity(&m, at);
      all += here;
      if (at[1] < check_x[1]) from += here;
   }
   ASSERT_IN_RANGE(from / all, u[1], 2e-3);
   for (int k = 0; k < 2; k++) {
      for (size_t i = 0; i < draws; i++) v[i] = u[2 * i + (size_t)k];
      qsort(v, draws, sizeof *v, check_ascending);
      ASSERT(check_smirnov(check_kolmogorov(v, draws), draws) > 0.001);
   }
   sneppp_free(&m);
   PASS();
}

/* Metropolis steps leave the law of their intensity as it is, also where steps have different lengths. */
TEST check_steps_keep_the_law(void)
{
   enum { points = 1500 };
   static double x[points], y[points], here[points];
   static unsigned char hand[points];
   sneppp_model same[CHECK_FOLDS];
   check_hands  c;
   sneppp_window w;
   sneppp_rng   rng;
   sneppp_model m;
   double       before, total, lo, hi;
   sneppp_rng_init(&rng, 8, 0);
   for (size_t i = 0; i < 300; i++) check_x[i] = (sneppp_real)(i % 3 ? fmin(1, fmax(0, 0.3 + 0.05 * sneppp_rng_normal(&rng))) : sneppp_rng_uniform(&rng));
   ASSERT(check_fitted(&m, 1, check_x, 300));
   memset(&c, 0, sizeof c);
   memset(&w, 0, sizeof w);
   w.dim = 1;
   w.hi[0] = 1;
   c.w = &w;
   c.mean = 300;
   c.step = 0.05;
   c.sharp = 1;
   c.model = same;
   for (int h = 0; h < CHECK_FOLDS; h++) same[h] = m;
   for (size_t i = 0; i < points; i++) hand[i] = (unsigned char)(i % CHECK_FOLDS);
   for (size_t i = 0; i < points; i++) { /* the law: the model and a twentieth of the mean, drawn by refusal */
      do x[i] = sneppp_rng_uniform(&rng);
      while (sneppp_rng_uniform(&rng) * 6000 > check_intensity(&c, 0, &x[i]));
      ASSERT(check_intensity(&c, 0, &x[i]) < 6000);
   }
   for (int s = 0; s < 6; s++) {
      check_look(&c, hand, points, x, here);
      check_shake(&c, hand, points, x, here, y, &rng);
      memcpy(x, y, sizeof x);
   }
   lo = 0;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, NULL));
   for (size_t i = 0; i < points; i++) {
      before = 0;
      hi = x[i];
      if (hi > 0) ASSERT_EQ(SNEPPP_OK, sneppp_count_box(&m, &lo, &hi, &before, NULL));
      y[i] = (before + 15 * x[i]) / (total + 15);
   }
   qsort(y, points, sizeof *y, check_ascending);
   ASSERT(check_smirnov(check_kolmogorov(y, points), points) > 0.01);
   sneppp_free(&m);
   PASS();
}

TEST check_kinds_of_patterns(void)
{
   check_how    how;
   check_report r;
   sneppp_model m;
   sneppp_error err;
   size_t       n = check_thomas(7, 20, 0.02);
   int          rejected = 0, outside = 0;
   memset(&how, 0, sizeof how);
   ASSERT(check_fitted(&m, 2, check_x, n));
   ASSERT_EQ(SNEPPP_OK, check_all(&m, check_x, n, &how, "m", &r, &err));
   ASSERT_EQ(1, r.pair[0].clusters);
   ASSERT(r.pair[0].p < 0.01);
   ASSERT(strstr(r.sentence, "events cluster more than") && strstr(r.sentence, " m (p < 0.01)"));
   ASSERT_IN_RANGE(0.05, r.pair[0].reach, 0.03); /* 0.02 sqrt(2) is the distance of two in a cluster along an axis */
   for (int k = 0; k < CHECK_DISTANCES; k++) outside += r.pair[0].ratio[k] > r.pair[0].hi[k];
   ASSERT(outside >= 4); /* of the envelope that holds all of it if all is well */
   check_forget(&r);
   sneppp_free(&m);
   for (uint64_t seed = 0; seed < 8; seed++) {
      n = check_flat_pattern(seed, 80);
      ASSERT(check_fitted(&m, 2, check_x, n));
      ASSERT_EQ(SNEPPP_OK, check_all(&m, check_x, n, &how, "", &r, &err));
      rejected += r.p <= 0.05;
      if (r.p > 0.05) ASSERT(strstr(r.sentence, "nothing speaks against"));
      check_forget(&r);
      sneppp_free(&m);
   }
   ASSERT(rejected <= 2);
   for (int i = 0; i < 144; i++) { check_x[2 * i] = (sneppp_real)((i % 12 + 0.5) / 12); check_x[2 * i + 1] = (sneppp_real)((i / 12 + 0.5 + 0.1 * (i % 2)) / 12); }
   ASSERT(check_fitted(&m, 2, check_x, 144));
   ASSERT_EQ(SNEPPP_OK, check_all(&m, check_x, 144, &how, "", &r, &err));
   ASSERT_EQ(-1, r.pair[0].clusters);
   ASSERT(strstr(r.sentence, "keep further apart"));
   check_forget(&r);
   sneppp_free(&m);
   PASS();
}

/* Draws of a model that has not seen them are fine; a flat model of a pattern that is not flat is not. */
TEST check_kept_back(void)
{
   sneppp_sample_desc draw;
   check_how    how;
   check_report r;
   sneppp_model m;
   sneppp_error err;
   size_t       n = check_thomas(9, 5, 0.1);
   memset(&how, 0, sizeof how);
   memset(&draw, 0, sizeof draw);
   how.simulations = 99;
   how.kept_back = 1;
   ASSERT(check_fitted(&m, 2, check_x, n));
   draw.count = 200;
   draw.seed = 4;
   ASSERT_EQ(SNEPPP_OK, sneppp_sample(&m, &draw, check_x, 200, NULL, NULL));
   ASSERT_EQ(SNEPPP_OK, check_pairs(&m, check_x, 200, &how, &r.pair[0], &err));
   ASSERT(r.pair[0].p > 0.01);
   sneppp_free(&m);
   n = check_flat_pattern(3, 300);
   ASSERT(check_fitted(&m, 2, check_x, n));
   n = check_thomas(9, 30, 0.1);
   ASSERT_EQ(SNEPPP_OK, check_all(&m, check_x, n, &how, "", &r, &err));
   ASSERT(r.p < 0.01 && r.grid[0].p < 1e-4 && r.grid[0].dispersion > 2);
   ASSERT(strstr(r.sentence, "ounts in cells stray"));
   check_forget(&r);
   sneppp_free(&m);
   PASS();
}

/* On the sphere and in time at once: each factor by itself. */
TEST check_sphere_and_time(void)
{
   static sneppp_real x[4 * 150];
   sneppp_desc     desc;
   sneppp_events   events;
   sneppp_fit_desc fit;
   sneppp_model    m;
   sneppp_error    err;
   sneppp_rng      rng;
   check_how       how;
   check_report    r;
   double          at[3], now[3];
   memset(&desc, 0, sizeof desc);
   memset(&events, 0, sizeof events);
   memset(&fit, 0, sizeof fit);
   memset(&how, 0, sizeof how);
   sneppp_rng_init(&rng, 12, 0);
   desc.factor[0].window.space = SNEPPP_SPACE_SPHERE;
   desc.factor[0].window.dim = 3;
   desc.factor[1].window.dim = 1;
   desc.factor[1].window.hi[0] = 10;
   for (int i = 0; i < 150; i++) { /* clusters of five in space, none in time */
      if (i % 5 == 0) ASSERT(sneppp_window_draw(&desc.factor[0].window, &rng, at));
      check_move(&desc.factor[0].window, &rng, 0.02, at, now);
      ASSERT_IN_RANGE(1, now[0] * now[0] + now[1] * now[1] + now[2] * now[2], 1e-12);
      for (int k = 0; k < 3; k++) x[4 * i + k] = (sneppp_real)now[k];
      x[4 * i + 3] = (sneppp_real)(10 * sneppp_rng_uniform(&rng));
   }
   events.x = x;
   events.count = 150;
   fit.events = &events;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &fit, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, check_all(&m, x, 150, &how, "", &r, &err));
   ASSERT_EQ(2, r.factors);
   ASSERT(r.pair[0].p < 0.01);
   ASSERT(r.pair[1].p > 0.01);
   ASSERT_EQ(150, (int)r.time.count);
   ASSERT(r.grid[0].rows > 1 && r.grid[1].rows == 1);
   ASSERT(strstr(r.sentence, "degrees"));
   check_forget(&r);
   sneppp_free(&m);
   PASS();
}

TEST check_comparisons(void)
{
   sneppp_model     m[2];
   sneppp_events    test;
   sneppp_window    half;
   sneppp_region    region;
   check_difference d;
   double           nll[2];
   size_t           n = check_flat_pattern(11, 200);
   memset(&test, 0, sizeof test);
   ASSERT(check_fitted(&m[1], 2, check_x, n));
   n = check_thomas(11, 6, 0.1);
   ASSERT(check_fitted(&m[0], 2, check_x, n / 2));
   test.x = check_x + n / 2 * 2;
   test.count = n - n / 2;
   ASSERT_EQ(SNEPPP_OK, check_compare(&m[0], &m[0], test.x, test.count, 1, NULL, &d, NULL));
   ASSERT(d.gain == 0 && d.error == 0 && d.events == test.count);
   ASSERT_EQ(SNEPPP_OK, check_compare(&m[0], &m[1], test.x, test.count, 2, NULL, &d, NULL));
   for (int k = 0; k < 2; k++) ASSERT_EQ(SNEPPP_OK, sneppp_test_nll(&m[k], &test, 1, 2, &nll[k], NULL, NULL));
   ASSERT_IN_RANGE(nll[1] - nll[0], d.gain, 1e-4 * (1 + fabs(d.gain)));
   ASSERT(d.error > 0);
   memset(&half, 0, sizeof half);
   memset(&region, 0, sizeof region);
   half.dim = 2;
   half.hi[0] = 0.5, half.hi[1] = 1;
   region.factor[0] = &half;
   ASSERT_EQ(SNEPPP_OK, check_compare(&m[0], &m[1], test.x, test.count, 2, &region, &d, NULL));
   ASSERT(d.events < test.count);
   for (int k = 0; k < 2; k++) sneppp_free(&m[k]);
   PASS();
}

/* Steps are found whatever is in the way of them, and only where all numbers are multiples; which way was it? */
TEST check_rounding_found(void)
{
   const double even[5] = {3, 3.7, 5.8, 7.2, 8.6}, gaps[4] = {0, 6, 10, 15}, odd[4] = {0, 0.31, 0.77, 1}, same[2] = {4, 4};
   double       v[400];
   check_steps  steps;
   sneppp_error err;
   sneppp_window year;
   ASSERT_IN_RANGE(0.7, check_divisor(even, 5, 0.01), 1e-6);
   ASSERT_IN_RANGE(1, check_divisor(gaps, 4, 0.1), 1e-12); /* of 6, 4 and 5 */
   ASSERT_EQ(0, check_divisor(odd, 4, 0.05));
   ASSERT_EQ(0, check_divisor(even, 5, 0.8)); /* too short to matter */
   ASSERT_EQ(0, check_divisor(same, 2, 0.01));
   for (int i = 0; i < 400; i++) v[i] = i % 100;
   ASSERT_EQ(0.5, check_lean(v, 400, 1, 0, 100));    /* 0 to 99: down */
   ASSERT_EQ(-0.5, check_lean(v, 400, 1, -1, 99));   /* up */
   ASSERT_EQ(0, check_lean(v, 400, 1, -0.5, 99.5));  /* cells of the window */
   ASSERT_EQ(0, check_lean(v, 400, 1, -2, 101));
   for (int i = 0; i < 400; i++) v[i] = floor((i % 200) / 2.0 + 0.5);
   ASSERT_EQ(0, check_lean(v, 400, 1, 0, 100)); /* 0 to 100, half of them on the walls: nearest */
   memset(&year, 0, sizeof year);
   year.dim = 1;
   year.lo[0] = 16801, year.hi[0] = 17167;
   for (int i = 0; i < 300; i++) check_x[i] = (sneppp_real)(16801 + i * 7919 % 366); /* days since 1970, which in float are known to minutes */
   ASSERT_EQ(SNEPPP_OK, check_spread(&year, check_x, 300, 300, 1, &steps, &err));
   ASSERT_IN_RANGE(1, steps.step[0], 1e-6);
   ASSERT_EQ(0.5, steps.lean[0]);
   PASS();
}

/* Poisson patterns stay what they are when they are rounded, clusters stay clusters, and nothing is said of distances below
   the step. */
TEST check_rounded_patterns(void)
{
   check_how    how;
   check_report r;
   check_steps  steps;
   sneppp_model m;
   sneppp_error err;
   sneppp_rng   rng;
   sneppp_window globe;
   size_t       n;
   int          rejected = 0;
   memset(&how, 0, sizeof how);
   for (uint64_t seed = 0; seed < 5; seed++) { /* days of a year, rounded down */
      n = 200;
      check_flat_pattern(20 + seed, n);
      for (size_t i = 0; i < n; i++) check_x[i] = (sneppp_real)(floor(365 * (double)check_x[i]) / 365);
      ASSERT(check_fitted(&m, 1, check_x, n));
      ASSERT_EQ(SNEPPP_OK, check_all(&m, check_x, n, &how, "", &r, &err));
      rejected += r.p <= 0.05;
      ASSERT_IN_RANGE(1.0 / 365, r.steps[0].step[0], 1e-6);
      ASSERT(r.pair[0].distance[0] > 0.999 / 365);
      check_forget(&r);
      sneppp_free(&m);
   }
   for (uint64_t seed = 0; seed < 3; seed++) { /* to the nearest in one direction, and less exactly in the other */
      n = check_flat_pattern(30 + seed, 200);
      for (size_t i = 0; i < 2 * n; i++) check_x[i] = (sneppp_real)(floor((i % 2 ? 20 : 50) * (double)check_x[i] + 0.5) / (i % 2 ? 20 : 50));
      ASSERT(check_fitted(&m, 2, check_x, n));
      ASSERT_EQ(SNEPPP_OK, check_all(&m, check_x, n, &how, "", &r, &err));
      rejected += r.p <= 0.05;
      ASSERT_IN_RANGE(0.02, r.steps[0].step[0], 1e-6);
      ASSERT_IN_RANGE(0.05, r.steps[0].step[1], 1e-6);
      ASSERT(r.pair[0].distance[0] > 0.0499);
      check_forget(&r);
      sneppp_free(&m);
   }
   ASSERT(rejected <= 2);
   n = check_thomas(7, 20, 0.02);
   for (size_t i = 0; i < 2 * n; i++) check_x[i] = (sneppp_real)(floor(100 * (double)check_x[i]) / 100);
   ASSERT(check_fitted(&m, 2, check_x, n));
   ASSERT_EQ(SNEPPP_OK, check_all(&m, check_x, n, &how, "", &r, &err));
   ASSERT(r.pair[0].p < 0.01 && r.pair[0].clusters == 1 && r.pair[0].reach > 0.00999);
   check_forget(&r);
   sneppp_free(&m);
   n = check_flat_pattern(40, 200); /* exact numbers stay as they are */
   ASSERT(check_fitted(&m, 2, check_x, n));
   ASSERT_EQ(SNEPPP_OK, check_all(&m, check_x, n, &how, "", &r, &err));
   ASSERT_EQ(0, r.steps[0].coarse);
   check_forget(&r);
   sneppp_free(&m);
   memset(&globe, 0, sizeof globe); /* degrees of the sphere: half a degree of each */
   globe.space = SNEPPP_SPACE_SPHERE;
   globe.dim = 3;
   sneppp_rng_init(&rng, 5, 0);
   for (int i = 0; i < 300; i++) {
      double lonlat[2];
      lonlat[0] = floor(720 * sneppp_rng_uniform(&rng) + 0.5) / 2 - 180;
      lonlat[1] = floor(asin(2 * sneppp_rng_uniform(&rng) - 1) * (360 / 3.14159265358979323846) + 0.5) / 2;
      ASSERT_EQ(SNEPPP_OK, sneppp_lonlats_to_units(1, lonlat, 0, check_x + 3 * i, 0, &err));
   }
   ASSERT_EQ(SNEPPP_OK, check_spread(&globe, check_x, 300, 300, 1, &steps, &err));
   for (int k = 0; k < 2; k++) ASSERT_IN_RANGE(0.5, steps.step[k], 1e-4);
   ASSERT_IN_RANGE(0.5 * 3.14159265358979323846 / 180, steps.coarse, 1e-5);
   ASSERT_EQ(SNEPPP_OK, check_spread(&globe, check_x, 300, 300, 1, &steps, &err)); /* and then there are none */
   ASSERT_EQ(0, steps.coarse);
   PASS();
}

TEST check_refusals(void)
{
   sneppp_model m;
   sneppp_error err;
   check_how    how;
   check_report r;
   check_time   t;
   double       u[2];
   size_t       n = check_flat_pattern(13, 40);
   memset(&how, 0, sizeof how);
   ASSERT(check_fitted(&m, 2, check_x, n));
   ASSERT_EQ(SNEPPP_ERR_DATA, check_all(&m, check_x, 0, &how, "", &r, &err));
   ASSERT(strstr(err.why, "at least 20"));
   ASSERT_EQ(SNEPPP_ERR_DATA, check_all(&m, check_x, 19, &how, "", &r, &err));
   check_x[2 * 30] = 3;
   ASSERT_EQ(SNEPPP_ERR_DATA, check_all(&m, check_x, n, &how, "", &r, &err));
   ASSERT_EQ(30, (int)err.event);
   ASSERT_EQ(SNEPPP_ERR_NO_CLOSED_FORM, check_times(&m, check_x, n, &t, &err));
   sneppp_free(&m);
   memset(&m, 0, sizeof m);
   m.factors = 2;
   ASSERT_EQ(SNEPPP_ERR_NO_CLOSED_FORM, check_uniform(&m, check_x, 1, u, &err));
   PASS();
}

SUITE(check)
{
   RUN_TEST(check_tails);
   RUN_TEST(check_pairs_counted);
   RUN_TEST(check_residual_counts);
   RUN_TEST(check_rosenblatt);
   RUN_TEST(check_steps_keep_the_law);
   RUN_TEST_LONG(check_kinds_of_patterns);
   RUN_TEST(check_kept_back);
   RUN_TEST(check_sphere_and_time);
   RUN_TEST(check_comparisons);
   RUN_TEST(check_rounding_found);
   RUN_TEST_LONG(check_rounded_patterns);
   RUN_TEST(check_refusals);
}
