/* How good are predictions of a gap in time? 200 simulated runs on the sphere times 60 days, watched on [0, 25] and
   [30, 60]; the count in [25, 30] is predicted with its 95 % Poisson interval and compared with the simulated one. The
   interval for the true mean shows what is possible; the rest of the shortfall is the error of the fitted mean, whose
   variance is measured as well. An interval for the wider distribution, Poisson plus estimation, checks that. */
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
      sneppp__rng_sphere(&rng, 3, y);
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
   sneppp_window watched = { .space = SNEPPP_SPACE_INTERVALS, .dim = 1, .count = 2, .ends = ends };
   sneppp_window hidden = { .space = SNEPPP_SPACE_BOX, .dim = 1, .lo = { gap_from }, .hi = { gap_to } };
   sneppp_region seen = { .factor = { NULL, &watched } }, gap = { .factor = { NULL, &hidden } };
   sneppp_events events = { .x = x, .count = count, .seen = &seen };
   sneppp_desc desc = { .mix = mix,
                        .width = width,
                        .factor = {
                           { .window = { .space = SNEPPP_SPACE_SPHERE, .dim = 3 }, .unit = { .act = SNEPPP_ACT_RELU } },
                           { .window = { .space = SNEPPP_SPACE_BOX, .dim = 1, .hi = { gap_days } },
                             .unit = { .act = SNEPPP_ACT_RELU } } } };
   sneppp_fit_desc fit = { .events = &events, .method = SNEPPP_METHOD_CONVEX, .tol = 1e-3 };
   sneppp_model model = { 0 };
   sneppp_error err;
   double expected = -1;
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK || sneppp_fit(&model, &fit, NULL, &err) != SNEPPP_OK ||
       sneppp_count(&model, &gap, 1, &expected, NULL, &err) != SNEPPP_OK)
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
        r++) /* Poisson plus estimation, a normal interval around the prediction less its bias */
      wide += fabs((double)seen[r] - predicted[r] + mean - truth) <= 1.96 * sqrt(truth + sd * sd) + 0.5;
   bench_line(truth, "events", "gap_%s_true_mean", name);
   bench_line(mean, "events", "gap_%s_predicted_mean", name);
   bench_line(sd, "events", "gap_%s_predicted_deviation", name);
   bench_line(100.0 * hits / gap_runs, "percent", "gap_%s_in_interval", name);
   bench_line(100.0 * ideal / gap_runs, "percent", "gap_%s_in_interval_of_true_mean", name);
   bench_line(100.0 * wide / gap_runs, "percent", "gap_%s_in_interval_with_estimation", name);
   bench_line(apart, "events^2", "gap_%s_seen_minus_predicted_squared",
              name); /* Poisson, truth, plus the next line */
   bench_line(from_truth, "events^2", "gap_%s_of_which_estimation", name);
   bench_line((mean - truth) * (mean - truth), "events^2", "gap_%s_of_which_bias", name);
   return 0;
}

int main(void)
{
   sneppp_real *x = (sneppp_real *)malloc(gap_most * 4 * sizeof *x);
   int bad = !x;
   if (!bad) bad = gap_report("map_times_profile", SNEPPP_MIX_SEPARABLE, 8, x);
   if (!bad) bad = gap_report("product_of_features", SNEPPP_MIX_PRODUCT, 24, x);
   free(x);
   return bad;
}
