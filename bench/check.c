/* Does `check` cry wolf, and does it see wolves? Patterns of known kind are fitted by the default and checked as the
   program does it: how many are rejected at 5 %? build/bench/check [PATTERNS [EVENTS [KIND [FIRST]]]] (default 100, 300, all
   kinds, patterns from 0 on), or with --table the rows of bench/README.md. Poisson patterns should be rejected in 3 to 7 of 100; Thomas patterns (10 events
   in a cluster of radius 0.03) in more than 95, those that keep apart (hard cores of half the mean distance) too. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "../examples/check.h"

enum { most = 20000 };

typedef struct kind { const char *name; int poisson; } kind;
static const kind kinds[] = {{"flat", 1}, {"smooth", 1}, {"step", 1}, {"ridge of width 0.07", 1}, {"clumps of 60", 1}, {"Thomas", 0}, {"hard core", 0}};

static double truth(int k, double x, double y)
{
   static const double c[5][2] = {{.2, .3}, {.7, .2}, {.5, .6}, {.8, .8}, {.2, .8}};
   double              s = 0.1;
   if (k == 0) return 1;
   if (k == 1) return 0.3 + 0.7 * pow(sin(3 * x + 1) * cos(2 * y), 2);
   if (k == 2) return x + 0.3 * y < 0.6 ? 1 : 0.2;
   if (k == 3) return 0.1 + 0.9 * exp(-pow((y - 0.5 - 0.3 * sin(5 * x)) / 0.07, 2) / 2);
   for (int i = 0; i < 5; i++) s += exp(-(pow(x - c[i][0], 2) + pow(y - c[i][1], 2)) / (2 * 0.05 * 0.05));
   return s / 1.2;
}

static size_t pattern(int k, double events, sneppp_rng *rng, sneppp_real *x)
{
   const size_t want = (size_t)sneppp_rng_poisson(rng, events);
   const double core = 0.5 / sqrt(events);
   size_t       n = 0;
   if (k == 5) {
      const uint64_t parents = sneppp_rng_poisson(rng, events / 10 * 1.44); /* also those outside whose events reach in */
      for (uint64_t p = 0; p < parents; p++) {
         const double   px = 1.2 * sneppp_rng_uniform(rng) - 0.1, py = 1.2 * sneppp_rng_uniform(rng) - 0.1;
         const uint64_t sons = sneppp_rng_poisson(rng, 10);
         for (uint64_t s = 0; s < sons; s++) {
            const double a = px + 0.03 * sneppp_rng_normal(rng), b = py + 0.03 * sneppp_rng_normal(rng);
            if (a < 0 || a > 1 || b < 0 || b > 1 || n == most) continue;
            x[2 * n] = (sneppp_real)a, x[2 * n++ + 1] = (sneppp_real)b;
         }
      }
      return n;
   }
   while (n < want && n < most) {
      const double a = sneppp_rng_uniform(rng), b = sneppp_rng_uniform(rng);
      int          free_place = 1;
      if (k < 5 && sneppp_rng_uniform(rng) >= truth(k, a, b)) continue;
      for (size_t i = 0; k == 6 && i < n; i++) free_place = free_place && hypot((double)x[2 * i] - a, (double)x[2 * i + 1] - b) > core;
      if (free_place) x[2 * n] = (sneppp_real)a, x[2 * n++ + 1] = (sneppp_real)b;
   }
   return n;
}

int main(int count, char **arg)
{
   const int          table = count > 1 && !strcmp(arg[1], "--table");
   const int          patterns = count > 1 && !table ? atoi(arg[1]) : 100, only = count > 3 ? atoi(arg[3]) : -1, first = count > 4 ? atoi(arg[4]) : 0;
   const double       events = count > 2 ? atof(arg[2]) : 300, lo[2] = {0, 0}, hi[2] = {1, 1};
   static sneppp_real x[2 * most];
   if (table) printf("\n| pattern | rejected at 5 %%: all events fitted and checked | by pairs alone |\n|---|---|---|\n");
   for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++) {
      int rejected = 0, by_pairs = 0;
      if (only >= 0 && only != k) continue;
      for (int p = 0; p < patterns; p++) {
         sneppp_rng   rng;
         sneppp_model model;
         sneppp_error err;
         check_how    how;
         check_report report;
         size_t       n;
         memset(&how, 0, sizeof how);
         sneppp_rng_init(&rng, (uint64_t)(first + p), (uint64_t)k);
         n = pattern(k, events, &rng, x);
         how.seed = 1;
         if (sneppp_fit_box(&model, 2, lo, hi, x, n, &err) || check_all(&model, x, n, &how, "", &report, &err)) return fprintf(stderr, "check: %s\n", err.why), 1;
         rejected += report.p <= 0.05;
         by_pairs += report.pair[0].p <= 0.05;
         check_forget(&report);
         sneppp_free(&model);
      }
      if (table) printf("| %s, about %g events | %.1f %% of %d | %.1f %% |\n", kinds[k].name, events, 100.0 * rejected / patterns, patterns, 100.0 * by_pairs / patterns);
      else printf("check %s %s: rejected %d of %d (%.1f %%), by pairs alone %d\n", kinds[k].poisson ? "Poisson," : "not Poisson,", kinds[k].name, rejected, patterns, 100.0 * rejected / patterns, by_pairs);
      fflush(stdout);
   }
   return 0;
}
