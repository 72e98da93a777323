/* cc -O2 -o trees examples/trees.c -lm && ./trees
   3604 trees in 50 hectares of rain forest: where they stand, the fitted intensity beside it (build/trees.png, or the
   file named by the first argument), and what the model says about places that nobody counted by hand. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include "draw.h"

enum { parts = 4 };

static int fail(const char *why)
{
   fprintf(stderr, "trees: %s\n", why);
   return 1;
}

int main(int count, char **arg)
{
   const char     *path = count > 1 ? arg[1] : "build/trees.png";
   const double    hectare = 10000; /* square metres */
   const draw_style style = {.title = "Beilschmiedia trees", .xlabel = "metres east", .ylabel = "metres north", .legend = "trees per hectare", .length = "m", .unit = 10000};
   const double    box[parts][4] = {{0, 250, 0, 250}, {600, 800, 100, 200}, {400, 600, 200, 300}, {0, 1000, 0, 500}};
   sneppp_desc     desc = {.factor = {{.window = {.space = SNEPPP_SPACE_BOX, .dim = 2, .hi = {1000, 500}}}}};
   sneppp_events   trees = {0};
   sneppp_fit_desc fit = {.events = &trees};
   sneppp_model    model;
   sneppp_report   report;
   sneppp_error    err;
   csv_table       table;
   int             outside = 0;

   if (!csv_read(&table, "examples/data/bei.csv")) return fail(table.error);
   trees.x = table.value;
   trees.count = table.rows;
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK) return fail(err.why);
   if (sneppp_fit(&model, &fit, &report, &err) != SNEPPP_OK) return fail(err.why);
   printf("%lu trees, %d features, fitted in %.2f s\n\n", (unsigned long)trees.count, report.width, report.seconds);

   printf("east (m)    north (m)   expected   9 of 10 counts lie in   counted\n");
   for (int k = 0; k < parts; k++) {
      sneppp_window part = {.space = SNEPPP_SPACE_BOX, .dim = 2, .lo = {box[k][0], box[k][2]}, .hi = {box[k][1], box[k][3]}};
      sneppp_region region = {.factor = {&part}};
      double        expected;
      uint64_t      lo, hi;
      size_t        counted = 0;
      if (sneppp_count(&model, &region, 1, &expected, NULL, &err) != SNEPPP_OK) return fail(err.why);
      sneppp_poisson_interval(expected, 0.9, &lo, &hi);
      for (size_t i = 0; i < trees.count; i++) counted += (size_t)sneppp_window_contains(&part, table.value + 2 * i);
      outside += counted < lo || counted > hi;
      printf("%4g-%-6g %4g-%-6g %10.1f   %10lu to %-8lu %8lu\n", box[k][0], box[k][1], box[k][2], box[k][3], expected,
             (unsigned long)lo, (unsigned long)hi, (unsigned long)counted);
   }
   printf("\nAt (100, 450) %.1f trees per hectare, at (720, 120) %.1f.\n",
          hectare * (double)sneppp_intensity(&model, (const sneppp_real[]){100, 450}),
          hectare * (double)sneppp_intensity(&model, (const sneppp_real[]){720, 120}));
   if (!draw_plane(&model, trees.x, trees.count, &style, NULL, path)) return fail("the picture could not be written");
   printf("The picture is %s\n", path);
   csv_free(&table);
   sneppp_free(&model);
   return outside > 1;
}
