/* cc -O2 -o districts examples/districts.c -lm && ./districts
   Often nobody has the points, only "12 cases in this district, 3 in that". Four of five trees of a rain forest are
   counted in 5 x 5 districts, and the map is made from these 25 numbers; beside it the map from the trees themselves
   (build/districts.png, or the file named by the first argument). The fifth that was kept back judges both. Then 400
   districts and 100 fixed waves: the convex problem of counts, solved to a certified 1e-6 nats per tree. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include "draw.h"

enum { most = 400, panels = 3, rows = 80, cols = 160 };
static const double east = 1000, north = 500;

typedef struct districts {
   int           side; /* of side x side districts */
   sneppp_window box[most];
   sneppp_region region[most];
   double        counts[most];
} districts;

static int fail(const char *why)
{
   fprintf(stderr, "districts: %s\n", why);
   return 1;
}

static sneppp_events count(districts *d, int side, const double *x, size_t trees)
{
   memset(d, 0, sizeof *d);
   d->side = side;
   for (int k = 0; k < side * side; k++) {
      const double w = east / side, h = north / side;
      d->box[k] = (sneppp_window){.space = SNEPPP_SPACE_BOX, .dim = 2, .lo = {w * (k % side), h * (k / side)}, .hi = {w * (k % side + 1), h * (k / side + 1)}};
      d->region[k].factor[0] = &d->box[k];
   }
   for (size_t i = 0; i < trees; i++)
      d->counts[(int)fmin(x[2 * i + 1] / north * side, side - 1) * side + (int)fmin(x[2 * i] / east * side, side - 1)]++;
   return (sneppp_events){.region = d->region, .counts = d->counts, .regions = (size_t)(side * side)};
}

/* The counts as they are, the map from them, the map from the trees. */
static int draw(const districts *d, const sneppp_model model[2], const char *path)
{
   static const char *const title[panels] = {"trees in 25 districts", "the map from these 25 numbers", "the map from the trees"};
   static double z[panels][rows * cols];
   const double  hectare = 10000, wide = 400, tall = 200, area = east * north / (d->side * d->side);
   picture       p = pic_make((int)(panels * (wide + 30) + 170), (int)tall + 95);
   double        hi;
   int           ok;
   for (int k = 0; k < 2; k++) {
      double *grid = draw_grid(&model[k], 0, east, 0, north, rows, cols, 0, NULL);
      for (int i = 0; grid && i < rows * cols; i++) z[1 + k][i] = hectare * grid[i];
      if (!grid) {
         pic_free(&p);
         return 0;
      }
      free(grid);
   }
   for (int i = 0; i < rows * cols; i++) z[0][i] = hectare / area * d->counts[i / cols * d->side / rows * d->side + i % cols * d->side / cols];
   hi = pic_quantile(z[2], rows * cols, 0.98);
   for (int k = 0; k < panels; k++) {
      pic_frame f = {.left = 75 + k * (wide + 30), .top = 36, .x0 = 0, .x1 = east, .y0 = 0, .y1 = north};
      f.right = f.left + wide, f.bottom = f.top + tall;
      pic_image(&p, &f, z[k], rows, cols, hi, 0.5);
      for (int j = 0; !k && j < d->side * d->side; j++) {
         char text[20];
         snprintf(text, sizeof text, "%.0f", d->counts[j]);
         pic_text(&p, pic_x(&f, d->box[j].lo[0] + 0.5 * east / d->side), pic_y(&f, d->box[j].lo[1] + 0.5 * north / d->side) + 4, 11, 0.5, d->counts[j] > 100 ? PIC_INK : 0xffffffu, text);
      }
      pic_axes(&p, &f, "metres east", k ? NULL : "metres north", title[k]);
      if (k == panels - 1) pic_bar(&p, f.right + 16, f.top, f.bottom, hi, 0.5, "trees per hectare");
   }
   ok = p.rgb && pic_save(&p, path);
   pic_free(&p);
   return ok;
}

/* keep has room for a byte per tree, kept for a copy of all. */
static int maps(const csv_table *csv, unsigned char *keep, double *kept, const char *path)
{
   static districts d, fine;
   sneppp_desc     desc = {.factor = {{.window = {.space = SNEPPP_SPACE_BOX, .dim = 2, .hi = {1000, 500}}}}};
   sneppp_fit_desc fit = {0};
   sneppp_events   train[2] = {{0}}, test = {0}, table;
   sneppp_model    model[2], waves;
   sneppp_report   report;
   sneppp_error    err;
   double          nll[2], even = 0;
   test.count = csv->rows - sneppp_thin(csv->rows, 0.8, 1, keep);
   for (size_t i = 0, k[2] = {test.count, 0}; i < csv->rows; i++) /* those that are kept back come first */
      memcpy(kept + 2 * k[!keep[i]]++, csv->value + 2 * i, 2 * sizeof *kept);
   test.x = kept;
   train[1].x = kept + 2 * test.count, train[1].count = csv->rows - test.count;
   train[0] = count(&d, 5, train[1].x, train[1].count);
   for (int k = 0; k < 2; k++) {
      fit.events = &train[k];
      if (sneppp_init(&model[k], &desc, &err) != SNEPPP_OK || sneppp_fit(&model[k], &fit, &report, &err) != SNEPPP_OK) return fail(err.why);
      if (sneppp_test_nll(&model[k], &test, 1, 0.25, &nll[k], NULL, &err) != SNEPPP_OK) return fail(err.why);
      printf("the map from %s: %d features, %.1f s\n", k ? "the trees" : "25 numbers", report.width, report.seconds);
   }
   table = count(&fine, 5, test.x, test.count); /* the same for trees that are spread evenly over their district */
   for (int k = 0; k < 25; k++) even += 0.25 * d.counts[k] - fine.counts[k] * log(0.25 * d.counts[k] * 25 / (east * north));
   even = (even + lgamma((double)test.count + 1)) / (double)test.count;
   printf("\nnats per tree that was kept back, less than with the counts spread evenly over each district:\n");
   printf("   from 25 numbers %.3f, from the trees %.3f\n\n", even - nll[0], even - nll[1]);
   if (!draw(&d, model, path)) return fail("the picture could not be written");
   printf("The picture is %s\n\n", path);

   table = count(&fine, 20, csv->value, csv->rows);
   desc.width = 100;
   fit.events = &table, fit.method = SNEPPP_METHOD_CONVEX, fit.tol = 1e-6;
   if (sneppp_init(&waves, &desc, &err) != SNEPPP_OK || sneppp_fit(&waves, &fit, &report, &err) != SNEPPP_OK) return fail(err.why);
   printf("400 districts, 100 waves: %.6f nats per tree, certified to %.1e; %lu steps, %.1f s\n", report.nll, report.gap, (unsigned long)report.step, report.seconds);
   for (int k = 0; k < 2; k++) sneppp_free(&model[k]);
   sneppp_free(&waves);
   return !(nll[0] < even && nll[1] < nll[0] && report.gap <= 1e-6);
}

int main(int arguments, char **arg)
{
   unsigned char *keep;
   double        *kept;
   csv_table      csv;
   int            code;
   if (!csv_read(&csv, "examples/data/bei.csv")) return fail(csv.error);
   keep = (unsigned char *)malloc(csv.rows + 1);
   kept = (double *)malloc((2 * csv.rows + 1) * sizeof *kept);
   code = keep && kept ? maps(&csv, keep, kept, arguments > 1 ? arg[1] : "build/districts.png") : fail("not enough memory");
   csv_free(&csv);
   free(keep);
   free(kept);
   return code;
}
