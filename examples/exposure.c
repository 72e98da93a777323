/* cc -O2 -o exposure examples/exposure.c -lm && ./exposure
   People live unevenly: a map of cases is a map of people. 2000 cases are drawn where 60 x 40 cells hold more or fewer people,
   with twice the risk within 8 km of a chimney. The default fit without the population finds the towns; with it as exposure
   it finds the chimney (build/exposure.png, or the file named by the first argument). A map is smooth, and spreads a jump of
   the risk over its both sides: it says where to look, and too little of how much. Who suspected the chimney before there
   was a map asks by a covariate, 1 in the cells that are near it, and is not smoothed. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "draw.h"

enum { cols = 60, rows = 40, cases = 2000, panels = 3 };
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
   static double   weight[rows * cols], plain[rows * cols], relative[rows * cols], x[2 * cases], near_by[rows * cols], only[2][rows * cols];
   double          ratio[2];
   const double   *shown[panels] = {weight, plain, relative};
   const char     *path = count > 1 ? arg[1] : "build/exposure.png";
   sneppp_window   box = {.space = SNEPPP_SPACE_BOX, .dim = 2, .hi = {cols, rows}};
   sneppp_window   cells = {.space = SNEPPP_SPACE_RASTER, .dim = 2, .cell = {1, 1}, .cells = {cols, rows}, .weight = weight};
   sneppp_events   events = {.x = x, .count = cases};
   sneppp_fit_desc fit = {.events = &events};
   sneppp_model    without, with, rates;
   sneppp_report   report;
   sneppp_error    err;
   sneppp_rng      rng = {.seed = 3};
   sneppp_grid     grid = {.cells = {cols, rows}, .hi = {cols, rows}, .means = 1};
   double          mass[2] = {0, 0};
   for (int k = 0; k < rows * cols; k++) weight[k] = people(k % cols + 0.5, k / cols + 0.5);
   for (int i = 0; i < cases;) {
      double at[2];
      if (!sneppp_window_draw(&cells, &rng, at)) return fail("no place could be drawn");
      if (2 * sneppp_rng_uniform(&rng) < risk(at[0], at[1])) memcpy(x + 2 * i++, at, sizeof at);
   }
   sneppp_desc desc[2] = {{.factor = {{.window = box}}}, {.factor = {{.window = cells}}}};
   if (sneppp_init(&without, &desc[0], &err) || sneppp_fit(&without, &fit, NULL, &err) || sneppp_init(&with, &desc[1], &err) || sneppp_fit(&with, &fit, &report, &err)) return fail(err.why);
   if (sneppp_bake(&without, &grid, plain, NULL, &err) || sneppp_bake(&with, &grid, relative, NULL, &err)) return fail(err.why);
   for (int k = 0; k < rows * cols; k++) {
      int close = hypot(k % cols + 0.5 - chimney[0], k / cols + 0.5 - chimney[1]) < reach;
      relative[k] = weight[k] > 0 ? 1000 * relative[k] / weight[k] : 0; /* a mean over the cell, exact */
      near_by[k] = close, mass[close] += weight[k];
      only[close][k] = weight[k];
   }
   printf("%d cases, %d features, fitted in %.2f s; cases per 1000 people, and where they are with 95 %%\n", cases, report.width, report.seconds);
   for (int asked = 0; asked < 2; asked++) { /* of the map; and of a model that has a rate near the chimney and one elsewhere */
      sneppp_sure sure[2];
      if (asked) {
         desc[1].factor[0].window.covariates = 1, desc[1].factor[0].window.z = near_by, desc[1].factor[0].window.no_place = 1;
         desc[1].width = 4, fit.method = SNEPPP_METHOD_CONVEX;
         if (sneppp_init(&rates, &desc[1], &err) || sneppp_fit(&rates, &fit, NULL, &err)) return fail(err.why);
      }
      for (int k = 0; k < 2; k++) {
         sneppp_window part = cells;
         sneppp_region region = {.factor = {&part}};
         part.weight = only[k]; /* a union of cells */
         if (sneppp_count_sure(asked ? &rates : &with, &region, 1, 0.95, &sure[k], NULL, &err)) return fail(err.why);
         printf("   %-10s %-26s %5.2f, %5.2f to %.2f\n", asked ? "two rates" : "the map", k ? "within 8 km of the chimney" : "elsewhere", 1000 * sure[k].mean / mass[k],
                1000 * sure[k].lower / mass[k], 1000 * sure[k].upper / mass[k]);
      }
      ratio[asked] = sure[1].mean / mass[1] / (sure[0].mean / mass[0]);
      printf("   the risk is %.2f times as high (2 is true)\n", ratio[asked]);
   }
   if (!draw(shown, x, path)) return fail("the picture could not be written");
   printf("The picture is %s\n", path);
   sneppp_free(&without), sneppp_free(&with), sneppp_free(&rates);
   return !(ratio[0] > 1.5 && ratio[0] < 2.2 && ratio[1] > 1.75 && ratio[1] < 2.25);
}
