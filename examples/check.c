/* cc -O2 -o check examples/check.c -lm && ./check
   Is a Poisson process with the fitted intensity a good description? Trees of a rain forest, whose seeds fall close by,
   points without any such habit, and explosions in coal mines over time. What is wrong with the trees is drawn
   (build/check.png, or the file named by the first argument): residuals, quantiles, and how many more pairs of trees there
   are than the intensity explains. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include "draw.h"
#include "check.h"

enum { points = 800 };

static int fail(const char *why)
{
   fprintf(stderr, "check: %s\n", why);
   return 1;
}

/* Fits the default, checks it, and prints what was found. Returns the chance of it, or -1. */
static double judge(const char *what, const char *unit, int dim, const double *lo, const double *hi, const sneppp_real *x, size_t count, const char *path)
{
   const check_how how = {0};
   check_report    report;
   sneppp_model    model;
   sneppp_error    err;
   if (sneppp_fit_box(&model, dim, lo, hi, x, count, &err) != SNEPPP_OK || check_all(&model, x, count, &how, unit, &report, &err) != SNEPPP_OK ||
       (path && check_draw(&model, x, count, &report, NULL, path, &err) != SNEPPP_OK)) {
      fail(err.why);
      return -1;
   }
   printf("%s: %s.\n", what, report.sentence);
   if (report.time.count) printf("   rescaled times are at most %.3f from uniform, p = %.2f\n", report.time.distance, report.time.p);
   printf("   distance  pairs, relative to those expected  95 of 100 Poisson patterns\n");
   for (int k = 3; k < CHECK_DISTANCES; k += 5)
      printf("   %8.3g  %33.2f  %12.2f to %.2f\n", report.pair[0].distance[k], report.pair[0].ratio[k], report.pair[0].lo[k], report.pair[0].hi[k]);
   check_forget(&report);
   sneppp_free(&model);
   return report.p;
}

int main(int count, char **arg)
{
   const char  *path = count > 1 ? arg[1] : "build/check.png";
   const double lo[2] = {0, 0}, hi[2] = {1000, 500}, from = 1851.2026, to = 1962.2204;
   sneppp_real  x[2 * points];
   sneppp_rng   rng = {.seed = 1};
   csv_table    table;
   double       trees, poisson, coal;

   if (!csv_read(&table, "examples/data/bei.csv")) return fail(table.error);
   trees = judge("3604 trees", "m", 2, lo, hi, table.value, table.rows, path);
   csv_free(&table);
   for (size_t i = 0; i < points;) { /* more and more to the east, and otherwise at random */
      const double east = 1000 * sneppp_rng_uniform(&rng), north = 500 * sneppp_rng_uniform(&rng);
      if (1000 * sneppp_rng_uniform(&rng) > east) continue;
      x[2 * i] = east;
      x[2 * i++ + 1] = north;
   }
   poisson = judge("800 points at random", "m", 2, lo, hi, x, points, NULL);
   if (!csv_read(&table, "examples/data/coal.csv")) return fail(table.error);
   coal = judge("191 explosions", "years", 1, &from, &to, table.value, table.rows, NULL);
   csv_free(&table);
   printf("The picture is %s\n", path);
   return !(trees >= 0 && trees < 0.01 && poisson > 0.05 && coal >= 0);
}
