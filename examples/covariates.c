/* cc -O2 -o covariates examples/covariates.c -lm && ./covariates
   Do trees follow the ground? 3604 trees of a rain forest, with the elevation and the slope of every 5 m x 5 m cell of the
   plot. Four of five trees are fitted by the ground alone, first as a log-linear model, then by waves of both numbers; and
   with the default fit by the place alone and by both. The fifth that was kept back judges. Then what elevation and slope
   do, each with the other as it is, in bands of 95 % (build/covariates.png, or the file named by the first argument). The
   curves are those of 12 waves: 100 judge better, but where no cell has such a slope at such an elevation they say
   anything, and their bands say so. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include "asc.h"
#include "effect.h"

enum { points = 21, rows = 101, cols = 201, all = rows * cols, most_trees = 4000 };
static const double area = 1000.0 * 500.0, unit = 10000 / (1000.0 * 500.0); /* from trees in the plot to trees per hectare */

static int fail(const char *why)
{
   fprintf(stderr, "covariates: %s\n", why);
   return 1;
}

/* Elevation and slope of every cell. */
static int read_ground(double *z, sneppp_window *w)
{
   static const char *const path[2] = {"examples/data/bei_elevation.asc", "examples/data/bei_gradient.asc"};
   for (size_t q = 0; q < 2; q++) {
      asc_grid g;
      if (!asc_read(&g, path[q])) return !fail(g.error);
      *w = asc_window(&g);
      for (size_t k = 0; k < all && k < g.cells[0] * g.cells[1]; k++) z[2 * k + q] = g.value[k];
      asc_free(&g);
      if (w->cells[0] != cols || w->cells[1] != rows) return !fail("these are other grids");
   }
   return 1;
}

/* Mean test likelihood of events that are `scale` times as many, per event and for a window of volume 1. */
static sneppp_status judge(const sneppp_model *m, const sneppp_events *test, double scale, double *nll, sneppp_error *err)
{
   sneppp_status st = sneppp_test_nll(m, test, 1, scale, nll, NULL, err);
   *nll -= log(area);
   return st;
}

static int draw(const sneppp_model *m, double value[2][points], sneppp_sure effects[2][points], const char *path)
{
   static const char *const label[2] = {"elevation, m", "slope"};
   picture   p = pic_make(1320, 350);
   double   *z = draw_grid(m, 0, 1000, 0, 500, rows, cols, 0, NULL), hi, top = 0;
   pic_frame f = {.left = 70, .top = 40, .right = 570, .bottom = 290, .x0 = 0, .x1 = 1000, .y0 = 0, .y1 = 500};
   int       ok = z && p.rgb;
   if (ok) {
      for (int i = 0; i < rows * cols; i++) z[i] *= 10000;
      hi = pic_quantile(z, rows * cols, 0.98);
      pic_image(&p, &f, z, rows, cols, hi, 0.5);
      pic_axes(&p, &f, "metres east", "metres north", "what the ground says");
      pic_bar(&p, 586, f.top, f.bottom, hi, 0.5, "trees per hectare");
      for (int k = 0; k < 2 * points; k++) top = fmax(top, unit * effects[k / points][k % points].upper); /* one scale for both */
      for (int q = 0; q < 2; q++) {
         f.left = 740 + q * 300, f.right = f.left + 250, f.x0 = value[q][0], f.x1 = value[q][points - 1], f.y0 = 0, f.y1 = 1.05 * top;
         effect_draw(&p, &f, value[q], points, effects[q], unit);
         pic_axes(&p, &f, label[q], q ? NULL : "trees per hectare", q ? "what the slope does" : "what elevation does");
      }
      ok = pic_save(&p, path);
   }
   pic_free(&p);
   free(z);
   return ok;
}

int main(int count, char **arg)
{
   const char     *path = count > 1 ? arg[1] : "build/covariates.png";
   csv_table       trees;
   sneppp_window   w, bare;
   sneppp_error    err;
   sneppp_model    linear, ground, place, two, curves;
   sneppp_events   train = {0}, test = {0};
   static double   z[2 * all], x[2 * most_trees];
   static unsigned char keep[most_trees];
   double          nll[4], value[2][points];
   sneppp_report   report;
   sneppp_sure     effects[2][points];
   size_t          at[2];
   if (!csv_read(&trees, "examples/data/bei.csv")) return fail(trees.error);
   if (trees.rows > most_trees) return fail("these are other data");
   if (!read_ground(z, &w)) return 1;
   sneppp_window box = {.space = SNEPPP_SPACE_BOX, .dim = 2, .hi = {1000, 500}};
   w.hi[0] = 1000, w.hi[1] = 500, w.covariates = 2, w.z = z;
   bare = w, bare.no_place = 1;

   train.count = sneppp_thin(trees.rows, 0.8, 1, keep), test.count = trees.rows - train.count;
   at[0] = train.count, at[1] = 0;
   for (size_t i = 0; i < trees.rows; i++) memcpy(x + 2 * at[keep[i]]++, trees.value + 2 * i, 2 * sizeof *x);
   train.x = x, test.x = x + 2 * train.count;
   if (effect_learn(&linear, &bare, &train, SNEPPP_METHOD_ADAM, 1, SNEPPP_ACT_EXP, NULL, &err) || effect_learn(&ground, &bare, &train, SNEPPP_METHOD_CONVEX, 100, SNEPPP_ACT_COS, NULL, &err) ||
       effect_learn(&curves, &bare, &train, SNEPPP_METHOD_CONVEX, 12, SNEPPP_ACT_COS, NULL, &err) || effect_learn(&place, &box, &train, SNEPPP_METHOD_AUTO, 0, SNEPPP_ACT_DEFAULT, NULL, &err) ||
       effect_learn(&two, &w, &train, SNEPPP_METHOD_AUTO, 0, SNEPPP_ACT_DEFAULT, &report, &err)) return fail(err.why);
   if (judge(&linear, &test, 0.25, &nll[0], &err) || judge(&ground, &test, 0.25, &nll[1], &err) || judge(&place, &test, 0.25, &nll[2], &err) || judge(&two, &test, 0.25, &nll[3], &err)) return fail(err.why);
   printf("nats per tree that was kept back, in a plot of area 1 (an even forest: 0.00)\n");
   printf("   elevation and slope, log-linear     %8.3f\n   elevation and slope, 100 waves      %8.3f\n", nll[0], nll[1]);
   printf("   the place, the default fit          %8.3f\n   both, with the ground to power %-3g  %8.3f\n\n", nll[2], report.tilt, nll[3]);

   for (int q = 0; q < 2; q++) {
      static double sorted[all];
      for (size_t k = 0; k < all; k++) sorted[k] = z[2 * k + (size_t)q];
      for (int k = 0; k < points; k++) value[q][k] = pic_quantile(sorted, all, 0.02) + (pic_quantile(sorted, all, 0.98) - pic_quantile(sorted, all, 0.02)) * k / (points - 1);
      if (effect_curve(&curves, z, (size_t)q, value[q], points, effects[q], &err)) return fail(err.why);
      printf("%s, trees per hectare, and where they are with 95 %%:\n", q ? "slope" : "elevation (m)");
      for (int k = 0; k < points; k += 5) printf("   %8.3f %7.1f  %5.1f to %.1f\n", value[q][k], unit * effects[q][k].mean, unit * effects[q][k].lower, unit * effects[q][k].upper);
   }
   if (!draw(&ground, value, effects, path)) return fail("the picture could not be written");
   printf("\nThe picture is %s\n", path);
   sneppp_free(&linear), sneppp_free(&ground), sneppp_free(&place), sneppp_free(&two), sneppp_free(&curves);
   csv_free(&trees);
   return !(nll[1] < nll[0] && nll[1] < -0.2 && nll[3] < nll[1] && nll[3] < nll[2] + 0.001); /* 0: beside the place it says nothing */
}
