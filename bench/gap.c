/* How good are predictions of a gap in time? 200 simulated runs on the sphere times 60 days, watched on [0, 25] and
   [30, 60]; the count in [25, 30] is predicted with its 95 % Poisson interval and compared with the simulated one. The
   interval for the true mean shows what is possible; the rest of the shortfall is the error of the fitted mean, whose
   variance is measured as well. An interval for the wider distribution, Poisson plus estimation, is the check of that. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "bench.h"

enum { gap_runs = 200, gap_most = 4096 };
static const double gap_days = 60, gap_from = 25, gap_to = 30;

/* Events per day: rate(t) = 15 + 6 sin(2 pi t / 45), and the mean of the gap, its integral. */
static double gap_rate(double t) { return 15 + 6 * sin(2 * SNEPPP__PI * t / 45); }

static double gap_integral(double a, double b)
{
   const double w = 2 * SNEPPP__PI / 45;
   return 15 * (b - a) + 6 / w * (cos(w * a) - cos(w * b));
}

/* One run by thinning a uniform process; the places move from one pole to the other as the days go by. */
static size_t gap_simulate(uint64_t seed, sneppp_real *x, size_t *hidden)
{
   sneppp_rng rng;
   size_t count = 0;
   uint64_t drawn;
   sneppp_rng_init(&rng, seed, 11);
   drawn = sneppp_rng_poisson(&rng, 21 * gap_days);
   *hidden = 0;
   for (uint64_t i = 0; i < drawn; i++) {
      double t = gap_days * sneppp_rng_uniform(&rng), keep = 21 * sneppp_rng_uniform(&rng), y[3], north;
      sneppp_rng_sphere(&rng, 3, y);
      north = sneppp_rng_uniform(&rng) < 0.2 + 0.6 * t / gap_days ? 1 : -1;
      if (2 * sneppp_rng_uniform(&rng) > 1 + north * y[2]) y[2] = -y[2]; /* density (1 + north z) / 4 pi */
      if (keep > gap_rate(t)) continue;
      if (t >= gap_from && t < gap_to) {
         ++*hidden;
         continue;
      }
      if (count == gap_most) break;
      for (int r = 0; r < 3; r++) x[4 * count + (size_t)r] = y[r];
      x[4 * count++ + 3] = t;
   }
   return count;
}

/* The expected count of the gap from a fit to the rest; negative if something failed. */
static double gap_predict(sneppp_mix mix, int width, const sneppp_real *x, size_t count)
{
   const double ends[4] = { 0, gap_from, gap_to, gap_days };
   sneppp_window watched = { .space = SNEPPP_INTERVALS, .dim = 1, .count = 2, .ends = ends };
   sneppp_window hidden = { .space = SNEPPP_BOX, .dim = 1, .lo = { gap_from }, .hi = { gap_to } };
   sneppp_region seen = { .factor = { NULL, &watched } }, gap = { .factor = { NULL, &hidden } };
   sneppp_events events = { .x = x, .count = count, .seen = &seen };
   sneppp_desc desc = { .mix = mix,
                        .width = width,
                        .factor = {
                           { .window = { .space = SNEPPP_SPHERE, .dim = 3 }, .unit = { .act = SNEPPP_RELU } },
                           { .window = { .space = SNEPPP_BOX, .dim = 1, .hi = { gap_days } },
                             .unit = { .act = SNEPPP_RELU } } } };
   sneppp_fit_desc fit = { .events = &events, .method = SNEPPP_CONVEX, .tol = 1e-3 };
   sneppp_model model = { 0 };
   sneppp_error err;
   double expected = -1;
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK || sneppp_fit(&model, &fit, NULL, &err) != SNEPPP_OK ||
       sneppp_count(&model, &gap, &expected, &err) != SNEPPP_OK)
      fprintf(stderr, "gap: %s\n", err.why);
   sneppp_free(&model);
   return expected;
}

static int gap_hit(double mean, size_t seen)
{
   uint64_t lo, hi;
   sneppp_poisson_interval(mean, 0.95, &lo, &hi);
   return seen >= lo && seen <= hi;
}

static int gap_report(const char *name, sneppp_mix mix, int width, sneppp_real *x)
{
   const double truth = gap_integral(gap_from, gap_to);
   double mean = 0, square = 0, from_truth = 0, apart = 0, predicted[gap_runs], sd;
   size_t seen[gap_runs];
   int ideal = 0, hits = 0, wide = 0;
   for (int r = 0; r < gap_runs; r++) {
      size_t count = gap_simulate((uint64_t)r + 1, x, &seen[r]);
      double delta = predicted[r] = gap_predict(mix, width, x, count);
      if (delta < 0) return 1;
      delta -= mean;
      mean += delta / (r + 1);
      square += delta * (predicted[r] - mean);
      from_truth += (predicted[r] - truth) * (predicted[r] - truth) / gap_runs;
      apart += ((double)seen[r] - predicted[r]) * ((double)seen[r] - predicted[r]) / gap_runs;
      ideal += gap_hit(truth, seen[r]);
      hits += gap_hit(predicted[r], seen[r]);
   }
   sd = sqrt(square / (gap_runs - 1));
   for (int r = 0; r < gap_runs;
        r++) /* Poisson plus estimation, as a normal interval around the prediction less its mean error */
      wide += fabs((double)seen[r] - predicted[r] + mean - truth) <= 1.96 * sqrt(truth + sd * sd) + 0.5;
   printf("gap %-20s true mean %.1f, predicted %.1f with standard deviation %.1f\n", name, truth, mean, sd);
   printf("gap %-20s in the 95 %% interval: %.1f %% of %d runs; with the true mean %.1f %%; shortfall %.1f "
          "points\n",
          name, 100.0 * hits / gap_runs, (int)gap_runs, 100.0 * ideal / gap_runs,
          100.0 * (ideal - hits) / gap_runs);
   printf("gap %-20s (seen - predicted)^2 is %.1f on average: Poisson %.1f + estimation %.1f, of which bias "
          "%.1f\n",
          name, apart, truth, from_truth, (mean - truth) * (mean - truth));
   printf("gap %-20s with the estimation's variance and bias counted in, the interval holds %.1f %%\n", name,
          100.0 * wide / gap_runs);
   return 0;
}

int main(void)
{
   sneppp_real *x = (sneppp_real *)malloc(gap_most * 4 * sizeof *x);
   int bad = !x;
   (void)bench_measure;
   if (!bad) bad = gap_report("map times profile", SNEPPP_MIX_SEPARABLE, 8, x);
   if (!bad) bad = gap_report("product of features", SNEPPP_MIX_PRODUCT, 24, x);
   free(x);
   return bad;
}
