/* cc -O2 -o coal examples/coal.c -lm && ./coal
   191 explosions in British coal mines, 1851 to 1962: their rate over time with the range in which counts of five years
   should lie (build/coal.png, or the file named by the first argument). Safer mines show as a falling line. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include "draw.h"

static int fail(const char *why)
{
   fprintf(stderr, "coal: %s\n", why);
   return 1;
}

int main(int count, char **arg)
{
   const char      *path = count > 1 ? arg[1] : "build/coal.png";
   const draw_style style = {.title = "explosions in British coal mines that killed ten or more", .xlabel = "year", .ylabel = "explosions in 5 years", .bin = 5};
   const double     from = 1851.2026, to = 1962.2204, year[] = {1860, 1880, 1900, 1920, 1940, 1960};
   sneppp_desc      desc = {.factor = {{.window = {.space = SNEPPP_SPACE_BOX, .dim = 1, .lo = {from}, .hi = {to}}}}};
   sneppp_events    coal = {0};
   sneppp_fit_desc  fit = {.events = &coal};
   sneppp_model     model;
   sneppp_report    report;
   sneppp_error     err;
   csv_table        table;
   double           before, after;
   int              outside, bars;

   if (!csv_read(&table, "examples/data/coal.csv")) return fail(table.error);
   coal.x = table.value;
   coal.count = table.rows;
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK) return fail(err.why);
   if (sneppp_fit(&model, &fit, &report, &err) != SNEPPP_OK) return fail(err.why);
   printf("%lu explosions, %d features, fitted in %.3f s\n\nyear   explosions per year\n", (unsigned long)coal.count, report.width, report.seconds);
   for (size_t k = 0; k < sizeof year / sizeof *year; k++) printf("%.0f   %.2f\n", year[k], (double)sneppp_intensity(&model, &year[k]));
   if (!draw_expected(&model, from, 1890, &before) || !draw_expected(&model, 1890, to, &after)) return fail("the expected counts could not be had");
   printf("\nexpected before 1890: %.1f, after: %.1f\n", before, after);
   if (!draw_time(&model, coal.x, coal.count, &style, path, &outside, &bars)) return fail("the picture could not be written");
   printf("%d of %d five-year counts lie outside their 90 %% range\nThe picture is %s\n", outside, bars, path);
   csv_free(&table);
   sneppp_free(&model);
   return outside > bars / 3;
}
