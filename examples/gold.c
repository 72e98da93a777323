/* cc -O2 -o gold examples/gold.c -lm && ./gold
   Gold and faults: 255 deposits in the Murchison area of Western Australia, with the distance to the nearest geological fault
   and the share of greenstone in every cell of 3 km. What does the rock say without the place, and the place without the
   rock? Four of five deposits are fitted, the fifth judges, three times over. Then what the distance to a fault does, with
   greenstone as it is, and what greenstone does, with bands (build/gold.png, or the file named by the first argument). Gold
   lies near faults, but faults lie in greenstone: with that known, the distance says less than the map seems to show. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include "asc.h"
#include "effect.h"

enum { points = 25, cols = 111, rows = 135, all = cols * rows, most = 300, splits = 3, fits = 4, few = 6 };
static const double lo[2] = {352.7829, 6699.742}, hi[2] = {682.5896, 7101.484};

static int fail(const char *why)
{
   fprintf(stderr, "gold: %s\n", why);
   return 1;
}

/* The distance is taken as log(1 + km): the first kilometres differ more than the last. */
static double depth(double km) { return log(1 + km); }

static int read_rock(double *z, sneppp_window *w)
{
   static const char *const path[2] = {"examples/data/murchison_fault_km.asc", "examples/data/murchison_greenstone.asc"};
   for (size_t q = 0; q < 2; q++) {
      asc_grid g;
      if (!asc_read(&g, path[q])) return !fail(g.error);
      *w = asc_window(&g);
      for (size_t k = 0; k < all && k < g.cells[0] * g.cells[1]; k++) z[2 * k + q] = q ? g.value[k] : depth(g.value[k]);
      asc_free(&g);
      if (w->cells[0] != cols || w->cells[1] != rows) return !fail("these are other grids");
   }
   for (int r = 0; r < 2; r++) w->lo[r] = lo[r], w->hi[r] = hi[r];
   w->covariates = 2, w->z = z;
   return 1;
}

static int draw(const sneppp_model *m[2], const csv_table *gold, const double *km, const sneppp_sure *fault, double unit, const char *path)
{
   static const char *const title[2] = {"what the rock says", "rock and place"};
   picture p = pic_make(1240, 470);
   int     ok = p.rgb != NULL;
   for (int k = 0; k < 3 && ok; k++) {
      pic_frame f = {.left = 70 + k * 420, .top = 40, .bottom = 410};
      if (k < 2) {
         double *v = draw_grid(m[k], lo[0], hi[0], lo[1], hi[1], rows, cols, 0, NULL), top;
         ok = v != NULL;
         if (!ok) break;
         for (int i = 0; i < all; i++) v[i] *= 1000;
         top = pic_quantile(v, all, 0.995);
         f.x0 = 0, f.x1 = hi[0] - lo[0], f.y0 = 0, f.y1 = hi[1] - lo[1], f.right = f.left + 304;
         pic_image(&p, &f, v, rows, cols, top, 0.5);
         for (size_t i = 0; i < gold->rows; i++) pic_disc(&p, pic_x(&f, gold->value[2 * i] - lo[0]), pic_y(&f, gold->value[2 * i + 1] - lo[1]), 1.4, 0xffffffu);
         pic_axes(&p, &f, "km east", k ? NULL : "km north", title[k]);
         pic_bar(&p, f.right + 10, f.top, f.bottom, top, 0.5, "deposits per 1000 square km");
         free(v);
         continue;
      }
      f.left += 60, f.right = f.left + 250, f.x1 = km[points - 1];
      for (int i = 0; i < points; i++) f.y1 = fmax(f.y1, 1.05 * unit * fault[i].upper);
      effect_draw(&p, &f, km, points, fault, unit);
      pic_axes(&p, &f, "km to the nearest fault", "deposits per 1000 square km", "distance to a fault");
   }
   ok = ok && pic_save(&p, path);
   pic_free(&p);
   return ok;
}

int main(int count, char **arg)
{
   static double        z[2 * all], x[2 * most];
   static unsigned char keep[most];
   static const char *const name[fits] = {"rock, log-linear", "rock, 6 waves", "the place, the default fit", "both"};
   const char    *path = count > 1 ? arg[1] : "build/gold.png";
   const double   area = (hi[0] - lo[0]) * (hi[1] - lo[1]), unit = 1000 / area;
   csv_table      gold;
   sneppp_window  w, rock, box = {.space = SNEPPP_SPACE_BOX, .dim = 2, .lo = {lo[0], lo[1]}, .hi = {hi[0], hi[1]}};
   sneppp_events  events = {0};
   sneppp_model   m[fits];
   sneppp_error   err;
   double         nll[fits] = {0}, gain = 0, spread = 0, km[points], value[points], two[2] = {0, 1};
   sneppp_sure    fault[points], green[2];
   sneppp_report  report;
   if (!csv_read(&gold, "examples/data/murchison_gold.csv")) return fail(gold.error);
   if (gold.rows > most) return fail("these are other data");
   if (!read_rock(z, &w)) return 1;
   rock = w, rock.no_place = 1;

   for (int s = 0; s < splits; s++) {
      sneppp_events train = {0}, test = {0};
      size_t        at[2];
      double        v[fits];
      train.count = sneppp_thin(gold.rows, 0.8, (uint64_t)s + 11, keep), test.count = gold.rows - train.count;
      at[0] = train.count, at[1] = 0;
      for (size_t i = 0; i < gold.rows; i++) memcpy(x + 2 * at[keep[i]]++, gold.value + 2 * i, 2 * sizeof *x);
      train.x = x, test.x = x + 2 * train.count;
      if (effect_learn(&m[0], &rock, &train, SNEPPP_METHOD_ADAM, 1, SNEPPP_ACT_EXP, NULL, &err) || effect_learn(&m[1], &rock, &train, SNEPPP_METHOD_CONVEX, few, SNEPPP_ACT_COS, NULL, &err) ||
          effect_learn(&m[2], &box, &train, SNEPPP_METHOD_AUTO, 0, SNEPPP_ACT_DEFAULT, NULL, &err) || effect_learn(&m[3], &w, &train, SNEPPP_METHOD_AUTO, 0, SNEPPP_ACT_DEFAULT, NULL, &err)) return fail(err.why);
      for (int k = 0; k < fits; k++) {
         if (sneppp_test_nll(&m[k], &test, 1, 0.25, &v[k], NULL, &err)) return fail(err.why);
         nll[k] += (v[k] - log(area)) / splits;
         sneppp_free(&m[k]);
      }
      gain += (v[2] - v[3]) / splits, spread += (v[2] - v[3]) * (v[2] - v[3]) / splits;
   }
   printf("nats per deposit that was kept back, in a window of area 1, mean of %d splits (an even scatter: 0.00)\n", splits);
   for (int k = 0; k < fits; k++) printf("   %-30s %8.3f\n", name[k], nll[k]);
   printf("   both gain %.3f over the place, with a scatter of %.3f from split to split\n", gain, sqrt(fmax(spread - gain * gain, 0)));

   events.x = gold.value, events.count = gold.rows; /* all of them for maps and curve */
   if (effect_learn(&m[1], &rock, &events, SNEPPP_METHOD_CONVEX, few, SNEPPP_ACT_COS, NULL, &err) || effect_learn(&m[3], &w, &events, SNEPPP_METHOD_AUTO, 0, SNEPPP_ACT_DEFAULT, &report, &err)) return fail(err.why);
   printf("   of all deposits it takes what the rock says alone to the power %g\n\n", report.tilt);
   for (int k = 0; k < points; k++) km[k] = 0.5 + 19.5 * k / (points - 1), value[k] = depth(km[k]);
   if (effect_curve(&m[1], z, 0, value, points, fault, &err) || effect_curve(&m[1], z, 1, two, 2, green, &err)) return fail(err.why);
   printf("deposits per 1000 square km at this distance from a fault, greenstone as it is, and where they are with 95 %%:\n");
   for (int k = 0; k < points; k += 3) printf("   %5.1f km %7.2f  %6.2f to %.2f\n", km[k], unit * fault[k].mean, unit * fault[k].lower, unit * fault[k].upper);
   for (int k = 0; k < 2; k++) printf("%s greenstone, faults as they are: %.2f, %.2f to %.2f\n", k ? "all" : "no", unit * green[k].mean, unit * green[k].lower, unit * green[k].upper);
   if (!draw((const sneppp_model *[2]){&m[1], &m[3]}, &gold, km, fault, unit, path)) return fail("the picture could not be written");
   printf("\nThe picture is %s\n", path);
   sneppp_free(&m[1]), sneppp_free(&m[3]);
   csv_free(&gold);
   return !(nll[3] < nll[2] && nll[3] < nll[1] && fault[0].mean > 1.5 * fault[points - 1].mean && green[1].lower > green[0].upper);
}
