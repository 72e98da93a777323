/* cc -O2 -o sure examples/sure.c -lm && ./sure
   How sure is it? The rate of explosions in coal mines with the band that holds the true one (build/sure.png, or the
   file named by the first argument); then trees: half of them, drawn at random, are fitted, and each of the 50 hectares
   gets two intervals, one for the number that is to be expected there and one for a new count. The other half is a new
   count, which the fit has not seen: how many hectares hold it? */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include "draw.h"

enum { years = 22, east = 10, north = 5, hectares = east * north };

static int fail(const char *why)
{
   fprintf(stderr, "sure: %s\n", why);
   return 1;
}

static int coal(const char *path)
{
   const double    from = 1851.2026, to = 1962.2204, year[] = {1860, 1880, 1900, 1920, 1940, 1960};
   const draw_style style = {.title = "explosions in British coal mines, expected in five years, with the band of 95 %", .xlabel = "year", .ylabel = "explosions in 5 years"};
   sneppp_desc     desc = {.factor = {{.window = {.space = SNEPPP_SPACE_BOX, .dim = 1, .lo = {from}, .hi = {to}}}}};
   sneppp_events   events = {0}, at = {.x = year, .count = sizeof year / sizeof *year};
   sneppp_fit_desc fit = {.events = &events};
   sneppp_window   span[years] = {{0}};
   sneppp_region   region[years] = {{{0}}};
   sneppp_sure     rate[sizeof year / sizeof *year], five[years];
   double          edge[years + 1];
   sneppp_model    model;
   sneppp_error    err;
   csv_table       table;
   if (!csv_read(&table, "examples/data/coal.csv")) return fail(table.error);
   events.x = table.value;
   events.count = table.rows;
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK || sneppp_fit(&model, &fit, NULL, &err) != SNEPPP_OK) return fail(err.why);
   if (sneppp_intensity_sure(&model, &at, 0.95, rate, &err) != SNEPPP_OK) return fail(err.why);
   printf("year   explosions per year, and where the true rate is with 95 %%\n");
   for (size_t k = 0; k < at.count; k++) printf("%.0f   %5.2f  %5.2f to %.2f\n", year[k], rate[k].mean, rate[k].lower, rate[k].upper);
   for (int k = 0; k <= years; k++) edge[k] = from + (to - from) * k / years;
   for (int k = 0; k < years; k++) {
      span[k] = (sneppp_window){.space = SNEPPP_SPACE_BOX, .dim = 1, .lo = {edge[k]}, .hi = {edge[k + 1]}};
      region[k].factor[0] = &span[k];
   }
   if (sneppp_count_sure(&model, region, years, 0.95, five, NULL, &err) != SNEPPP_OK) return fail(err.why);
   if (!draw_profile(years, edge, five, &style, path)) return fail("the picture could not be written");
   printf("The picture is %s\n", path);
   csv_free(&table);
   sneppp_free(&model);
   return 0;
}

static int trees(void)
{
   sneppp_desc     desc = {.factor = {{.window = {.space = SNEPPP_SPACE_BOX, .dim = 2, .hi = {1000, 500}}}}};
   sneppp_events   half = {0};
   sneppp_fit_desc fit = {.events = &half};
   sneppp_window   hectare[hectares] = {{0}};
   sneppp_region   region[hectares] = {{{0}}};
   sneppp_sure     sure[hectares];
   size_t          other[hectares] = {0};
   int             held = 0, poisson = 0;
   unsigned char  *keep;
   sneppp_model    model;
   sneppp_error    err;
   csv_table       table;
   if (!csv_read(&table, "examples/data/bei.csv")) return fail(table.error);
   keep = (unsigned char *)malloc(table.rows + 1);
   if (!keep) {
      csv_free(&table);
      return fail("not enough memory");
   }
   sneppp_thin(table.rows, 0.5, 2, keep);
   for (size_t i = 0; i < table.rows; i++) { /* the fitted half moves to the front of the table */
      double *x = table.value + 2 * i;
      int     column = (int)fmin(x[0] / 100, east - 1), row = (int)fmin(x[1] / 100, north - 1);
      if (keep[i]) { memmove(table.value + 2 * half.count, x, 2 * sizeof *x); half.count++; }
      else other[row * east + column]++;
   }
   half.x = table.value;
   for (int k = 0; k < hectares; k++) {
      const double x = 100.0 * (k % east), y = 100.0 * (k / east);
      hectare[k] = (sneppp_window){.space = SNEPPP_SPACE_BOX, .dim = 2, .lo = {x, y}, .hi = {x + 100, y + 100}};
      region[k].factor[0] = &hectare[k];
   }
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK || sneppp_fit(&model, &fit, NULL, &err) != SNEPPP_OK) return fail(err.why);
   if (sneppp_count_sure(&model, region, hectares, 0.95, sure, NULL, &err) != SNEPPP_OK) return fail(err.why);
   printf("\nhectare from   expected   the mean is in   a new count is in   the other half\n");
   for (int k = 0; k < hectares; k++) {
      uint64_t lo, hi;
      int      in = other[k] >= sure[k].count_lower && other[k] <= sure[k].count_upper;
      sneppp_poisson_interval(sure[k].mean, 0.95, &lo, &hi);
      held += in;
      poisson += other[k] >= lo && other[k] <= hi;
      if (k % 7 == 0)
         printf("%4.0f, %3.0f      %8.1f   %5.1f to %-5.1f   %7lu to %-6lu %12lu\n", hectare[k].lo[0], hectare[k].lo[1], sure[k].mean, sure[k].lower,
                sure[k].upper, (unsigned long)sure[k].count_lower, (unsigned long)sure[k].count_upper, (unsigned long)other[k]);
   }
   printf("\n%d of %d hectares hold the count of the other half; Poisson intervals, which take the fit for the truth, in %d\n", held, hectares, poisson);
   free(keep);
   csv_free(&table);
   sneppp_free(&model);
   return held < hectares - 8;
}

int main(int count, char **arg)
{
   int failed = coal(count > 1 ? arg[1] : "build/sure.png");
   return failed ? failed : trees();
}
