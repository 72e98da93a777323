/* cc -O2 -o earth examples/earth.c -lm && ./earth
   2297 strong earthquakes on the sphere: globes of the events and of the fitted intensity, and a map of the world
   (build/earth.png, or the file named by the first argument). Points are unit vectors, areas are exact. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include "draw.h"

enum { places = 5, most = 4000 };

static int fail(const char *why)
{
   fprintf(stderr, "earth: %s\n", why);
   return 1;
}

int main(int count, char **arg)
{
   static sneppp_real x[3 * most];
   static const char *const name[places] = {"Tokyo", "Santiago", "Wellington", "Paris", "Brasilia"};
   const double     where[places][2] = {{139.7, 35.7}, {-70.7, -33.4}, {174.8, -41.3}, {2.4, 48.9}, {-47.9, -15.8}};
   const char      *path = count > 1 ? arg[1] : "build/earth.png";
   const double     area = 6371.0 * 6371.0 / 1e6, years = 52; /* a steradian of the Earth is so many million km2 */
   const draw_style style = {.title = "earthquakes of magnitude 6.5 and more, 1965-2016", .legend = "per million km2 and year",
                             .unit = 1 / (6371.0 * 6371.0 / 1e6 * 52), .power = 0.4, .lon = 150, .lat = 5, .places = places, .name = name, .where = where};
   sneppp_desc      desc = {.factor = {{.window = {.space = SNEPPP_SPACE_SPHERE, .dim = 3}}}};
   sneppp_events    quakes = {0};
   sneppp_fit_desc  fit = {.events = &quakes};
   sneppp_model     model;
   sneppp_report    report;
   sneppp_error     err;
   csv_table        table;
   sneppp_real      at[3];
   double           total, tokyo = 0;

   if (!csv_read(&table, "examples/data/earthquakes.csv")) return fail(table.error);
   if (table.rows > most) return fail("there are more earthquakes than this program has room for");
   if (sneppp_lonlats_to_units(table.rows, table.value, (size_t)table.columns, x, 0, &err) != SNEPPP_OK) return fail(err.why);
   quakes.x = x;
   quakes.count = table.rows;
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK) return fail(err.why);
   if (sneppp_fit(&model, &fit, &report, &err) != SNEPPP_OK) return fail(err.why);
   if (sneppp_count(&model, NULL, 1, &total, NULL, &err) != SNEPPP_OK) return fail(err.why);
   printf("%lu earthquakes, %d features, fitted in %.2f s; %.1f expected on the whole sphere\n\n", (unsigned long)quakes.count, report.width, report.seconds, total);
   printf("earthquakes of magnitude 6.5 and more per million km2 and year\n");
   for (int k = 0; k < places; k++) {
      if (sneppp_lonlats_to_units(1, where[k], 0, at, 0, &err) != SNEPPP_OK) return fail(err.why);
      printf("   %-12s %8.4f\n", name[k], (double)sneppp_intensity(&model, at) / area / years);
      if (!k) tokyo = (double)sneppp_intensity(&model, at);
   }
   if (!draw_sphere(&model, x, quakes.count, &style, NULL, path)) return fail("the picture could not be written");
   printf("\nThe picture is %s\n", path);
   csv_free(&table);
   sneppp_free(&model);
   return !(tokyo > (double)quakes.count / 12.566370614359172); /* Tokyo shakes more than the average place */
}
