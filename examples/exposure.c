/* cc -O2 -o exposure examples/exposure.c -lm && ./exposure
   People live unevenly: a map of cases is a map of people. 900 cases are drawn where 60 x 40 cells hold more or fewer people,
   with twice the risk within 8 km of a chimney. The default fit without the population finds the towns; with it as exposure
   it finds the chimney (build/exposure.png, or the file named by the first argument). */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "draw.h"

enum { cols = 60, rows = 40, cases = 900, panels = 3 };
static const double chimney[2] = {42, 13}, reach = 8;

static int fail(const char *why)
{
   fprintf(stderr, "exposure: %s\n", why);
   return 1;
}

/* People per square kilometre around five towns, none in the lake. */
static double people(double x, double y)
{
   static const double town[5][4] = {{12, 28, 3, 900}, {20, 9, 4, 500}, {35, 30, 2.5, 1500}, {44, 12, 5, 350}, {53, 33, 4, 700}};
   double sum = 25;
   for (int k = 0; k < 5; k++) sum += town[k][3] * exp(-0.5 * ((x - town[k][0]) * (x - town[k][0]) + (y - town[k][1]) * (y - town[k][1])) / (town[k][2] * town[k][2]));
   return hypot(x - 27, y - 20) < 4 ? 0 : sum;
}

static double risk(double x, double y) { return hypot(x - chimney[0], y - chimney[1]) < reach ? 2 : 1; }

static int draw(const double *z[panels], const double *x, const char *path)
{
   static const char *const title[panels] = {"people and cases", "cases per square km", "risk, with the people as exposure"};
   picture p = pic_make(panels * 390 + 50, 300);
   int     ok;
   for (int k = 0; k < panels; k++) {
      pic_frame f = {.left = 45 + k * 390, .top = 36, .x0 = 0, .x1 = cols, .y0 = 0, .y1 = rows};
      double    hi = pic_quantile(z[k], rows * cols, k < 2 ? 0.99 : 0.995);
      f.right = f.left + 300, f.bottom = f.top + 200;
      pic_image(&p, &f, z[k], rows, cols, hi, k < 2 ? 0.5 : 1);
      for (int i = 0; !k && i < cases; i++) pic_disc(&p, pic_x(&f, x[2 * i]), pic_y(&f, x[2 * i + 1]), 1.3, 0xffffffu);
      for (int i = 0; k && i < 90; i++) {
         const double a = 2 * 3.14159265358979 * i / 90, b = 2 * 3.14159265358979 * (i + 0.5) / 90;
         pic_line(&p, pic_x(&f, chimney[0] + reach * cos(a)), pic_y(&f, chimney[1] + reach * sin(a)), pic_x(&f, chimney[0] + reach * cos(b)), pic_y(&f, chimney[1] + reach * sin(b)), 1, 0xffffffu);
      }
      pic_axes(&p, &f, "km", NULL, title[k]);
      pic_bar(&p, f.right + 8, f.top, f.bottom, hi, k < 2 ? 0.5 : 1, k == 2 ? "cases per 1000 people" : "");
   }
   ok = p.rgb && pic_save(&p, path);
   pic_free(&p);
   return ok;
}

int main(int count, char **arg)
{
   static double   weight[rows * cols], plain[rows * cols], relative[rows * cols], x[2 * cases];
   const double   *shown[panels] = {weight, plain, relative};
   const char     *path = count > 1 ? arg[1] : "build/exposure.png";
   sneppp_window   box = {.space = SNEPPP_SPACE_BOX, .dim = 2, .hi = {cols, rows}};
   sneppp_window   cells = {.space = SNEPPP_SPACE_RASTER, .dim = 2, .cell = {1, 1}, .cells = {cols, rows}, .weight = weight};
   sneppp_events   events = {.x = x, .count = cases};
   sneppp_fit_desc fit = {.events = &events};
   sneppp_model    without, with;
   sneppp_report   report;
   sneppp_error    err;
   sneppp_rng      rng = {.seed = 3};
   double          near_by[2] = {0, 0}, other[2] = {0, 0}, truth;
   for (int k = 0; k < rows * cols; k++) weight[k] = people(k % cols + 0.5, k / cols + 0.5);
   for (int i = 0; i < cases;) {
      double at[2];
      if (!sneppp_window_draw(&cells, &rng, at)) return fail("no place could be drawn");
      if (2 * sneppp_rng_uniform(&rng) < risk(at[0], at[1])) memcpy(x + 2 * i++, at, sizeof at);
   }
   sneppp_desc desc[2] = {{.factor = {{.window = box}}}, {.factor = {{.window = cells}}}};
   if (sneppp_init(&without, &desc[0], &err) || sneppp_fit(&without, &fit, NULL, &err) || sneppp_init(&with, &desc[1], &err) || sneppp_fit(&with, &fit, &report, &err)) return fail(err.why);
   for (int k = 0; k < rows * cols; k++) {
      sneppp_window part = {.space = SNEPPP_SPACE_BOX, .dim = 2, .lo = {k % cols, k / cols}, .hi = {k % cols + 1, k / cols + 1}};
      sneppp_region region = {.factor = {&part}};
      double        mass = weight[k], lo[2] = {k % cols, k / cols}, hi[2] = {k % cols + 1, k / cols + 1}, expected;
      int           close = hypot(k % cols + 0.5 - chimney[0], k / cols + 0.5 - chimney[1]) < reach;
      if (sneppp_count_box(&without, lo, hi, &plain[k], &err)) return fail(err.why);
      if (!(mass > 0)) continue;
      if (sneppp_count(&with, &region, 1, &expected, NULL, &err)) return fail(err.why);
      relative[k] = 1000 * expected / mass; /* a mean over the cell, exact */
      near_by[0] += close ? expected : 0, near_by[1] += close ? mass : 0;
      other[0] += close ? 0 : expected, other[1] += close ? 0 : mass;
   }
   truth = near_by[0] / near_by[1] / (other[0] / other[1]);
   printf("%d cases, %d features, fitted in %.2f s\n", cases, report.width, report.seconds);
   printf("risk within %g km of the chimney, relative to elsewhere: %.2f (2 is true)\n", reach, truth);
   printf("at the chimney %.2f cases per 1000 people, in the largest town, 1500 people per square km, %.2f\n",
          1000 * (double)sneppp_intensity(&with, chimney) / sneppp_window_density(&cells, chimney),
          1000 * (double)sneppp_intensity(&with, (const sneppp_real[]){35, 30}) / sneppp_window_density(&cells, (const double[]){35, 30}));
   if (!draw(shown, x, path)) return fail("the picture could not be written");
   printf("The picture is %s\n", path);
   sneppp_free(&without), sneppp_free(&with);
   return !(truth > 1.3 && truth < 2.5);
}
