/* cc -O2 -o custom examples/custom.c -lm && ./custom
   Features of your own. A plant spreads along a road and likes low ground; the model is told where the road is and how
   high the land lies, as functions of the place: bells of several widths in the distance from the road, each also times
   the height. They enter through sneppp_factor.own: one callback fills psi(x), another their integrals K over a box, here
   by quadrature that says how exact it was. The fit is convex, so there is a certificate, and since the sightings are
   simulated the truth is known, too (build/custom.png, or the file named by the first argument). */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include "numeric.h"
#include "draw.h"

enum { bells = 5, n = 2 * (bells + 1), corners = 7, rows = 60, cols = 100, bands = 5, most = 4000, bins = 24 };
static const double wide = 10, tall = 6, far = 2.4; /* km; the curve is drawn up to `far` from the road */
static const double road[corners][2] = {{0, 1.2}, {1.8, 1.6}, {3.0, 3.4}, {5.2, 3.0}, {6.4, 4.6}, {8.2, 4.2}, {10, 5.4}};
static const double scale[bells] = {0.1, 0.2, 0.4, 0.8, 1.6};

static int fail(const char *why)
{
   fprintf(stderr, "custom: %s\n", why);
   return 1;
}

/* ---- what is known about the land */
static double distance(const double *x)
{
   double best = 1e300;
   for (int k = 0; k + 1 < corners; k++) {
      const double ex = road[k + 1][0] - road[k][0], ey = road[k + 1][1] - road[k][1];
      double       t = ((x[0] - road[k][0]) * ex + (x[1] - road[k][1]) * ey) / (ex * ex + ey * ey);
      t = fmin(1, fmax(0, t));
      best = fmin(best, hypot(x[0] - road[k][0] - t * ex, x[1] - road[k][1] - t * ey));
   }
   return best;
}

/* From 0 to 1. A raster of measurements would do as well, if it is interpolated. */
static double height(const double *x) { return 0.5 + 0.5 * sin(0.7 * x[0] + 0.4) * cos(0.6 * x[1] - 0.5); }

/* What the model does not know: plants per square kilometre. */
static double truth(const sneppp_real *x, void *user)
{
   const double at[2] = {(double)x[0], (double)x[1]};
   (void)user;
   return 3 + 190 * exp(-distance(at) / 0.3) * (1 - 0.8 * height(at));
}

/* Root of the mean squared difference between a fitted intensity and the truth, on a grid. */
static double rmse(const sneppp_model *m)
{
   double sum = 0;
   for (int i = 0; i < 200 * 120; i++) {
      const sneppp_real at[2] = {(sneppp_real)(wide * (i % 200 + 0.5) / 200), (sneppp_real)(tall * (i / 200 + 0.5) / 120)};
      sum += pow((double)sneppp_intensity(m, at) - truth(at, NULL), 2);
   }
   return sqrt(sum / (200 * 120));
}

/* ---- the features, and their integrals */
static void psi(const double *x, double *out, void *user)
{
   const double d = distance(x), h = height(x);
   (void)user;
   for (int k = 0; k <= bells; k++) {
      out[2 * k] = k ? exp(-d * d / (2 * scale[k - 1] * scale[k - 1])) : 1;
      out[2 * k + 1] = h * out[2 * k];
   }
}

/* The distance has folds where two parts of the road are equally far, so that quadrature takes its time: 1e-6 of the
   largest entry is asked for, and the largest error that remained is kept in `user`. */
static int gram(const sneppp_window *part, double *K, void *user)
{
   double        error = 0;
   sneppp_status st = numeric_gram(part, n, psi, NULL, 1e-6, 400000, K, NULL, &error, NULL);
   if (st != SNEPPP_OK && st != SNEPPP_ERR_NO_CONVERGENCE) return 1;
   *(double *)user = fmax(*(double *)user, error);
   return 0;
}

/* ---- judging */
typedef struct band { double from, to; } band;

static int in_band(const sneppp_real *x, void *user)
{
   const band  *b = (const band *)user;
   const double at[2] = {(double)x[0], (double)x[1]}, d = distance(at);
   return d >= b->from && d < b->to;
}

static size_t simulate(sneppp_real *x)
{
   sneppp_rng rng;
   uint64_t   tries;
   size_t     count = 0;
   sneppp_rng_init(&rng, 4, 0);
   for (tries = sneppp_rng_poisson(&rng, 193 * wide * tall); tries > 0 && count < most; tries--) {
      sneppp_real at[2];
      at[0] = (sneppp_real)(wide * sneppp_rng_uniform(&rng));
      at[1] = (sneppp_real)(tall * sneppp_rng_uniform(&rng));
      if (193 * sneppp_rng_uniform(&rng) < truth(at, NULL)) memcpy(x + 2 * count++, at, sizeof at);
   }
   return count;
}

static void draw_road(picture *p, const pic_frame *f, unsigned colour)
{
   for (int k = 0; k + 1 < corners; k++)
      pic_line(p, pic_x(f, road[k][0]), pic_y(f, road[k][1]), pic_x(f, road[k + 1][0]), pic_y(f, road[k + 1][1]), 1.5, colour);
}

/* Means over all places at a distance: of the truth, of the fit, and what was found there. */
static void draw_curve(picture *p, const pic_frame *f, const double *z, const sneppp_real *x, size_t count)
{
   double area[bins] = {0}, fitted[bins] = {0}, right[bins] = {0}, found[bins] = {0};
   for (int i = 0; i < rows * cols; i++) {
      const double at[2] = {wide * (i % cols + 0.5) / cols, tall * (i / cols + 0.5) / rows};
      const sneppp_real place[2] = {(sneppp_real)at[0], (sneppp_real)at[1]};
      const int    k = (int)(distance(at) / far * bins);
      if (k >= bins) continue;
      area[k] += wide * tall / (rows * cols);
      fitted[k] += z[i];
      right[k] += truth(place, NULL);
   }
   for (size_t i = 0; i < count; i++) {
      const double at[2] = {(double)x[2 * i], (double)x[2 * i + 1]};
      const int    k = (int)(distance(at) / far * bins);
      if (k < bins) found[k]++;
   }
   for (int k = 0; k < bins; k++) {
      const double cells = area[k] * rows * cols / (wide * tall), px = pic_x(f, far * (k + 0.5) / bins);
      fitted[k] /= cells;
      right[k] /= cells;
      pic_line(p, px, pic_y(f, fmin(f->y1, (found[k] + sqrt(found[k])) / area[k])), px, pic_y(f, fmax(0, (found[k] - sqrt(found[k])) / area[k])), 1, PIC_GREY);
      pic_disc(p, px, pic_y(f, fmin(f->y1, found[k] / area[k])), 2.5, 0x204a87u);
   }
   for (int k = 1; k < bins; k++) {
      const double l = pic_x(f, far * (k - 0.5) / bins), r = pic_x(f, far * (k + 0.5) / bins);
      pic_line(p, l, pic_y(f, right[k - 1]), r, pic_y(f, right[k]), 1.5, PIC_INK);
      pic_line(p, l, pic_y(f, fitted[k - 1]), r, pic_y(f, fitted[k]), 2, 0xd0421bu);
   }
}

static int paint(const sneppp_model *m, const sneppp_real *x, size_t count, const char *file)
{
   picture   p = pic_make(1330, 355);
   double   *z = draw_grid(m, 0, wide, 0, tall, rows, cols, 0, NULL), hi;
   pic_frame left = {62, 40, 462, 280, 0, wide, 0, tall}, right = {492, 40, 892, 280, 0, wide, 0, tall}, curve = {1070, 40, 1310, 280, 0, far, 0, 110};
   char      text[80];
   int       ok = 0;
   if (p.rgb && z) {
      hi = pic_quantile(z, (size_t)rows * cols, 0.995);
      draw_road(&p, &left, 0xe0b040u);
      for (size_t i = 0; i < count; i++) pic_disc(&p, pic_x(&left, (double)x[2 * i]), pic_y(&left, (double)x[2 * i + 1]), 1.1, 0x204a87u);
      pic_ruler(&p, &left, "km");
      snprintf(text, sizeof text, "%lu plants, and the road", (unsigned long)count);
      pic_axes(&p, &left, "km east", "km north", text);
      pic_image(&p, &right, z, rows, cols, hi, 0.5);
      draw_road(&p, &right, PIC_WHITE);
      pic_axes(&p, &right, "km east", NULL, "fitted intensity");
      pic_bar(&p, right.right + 16, right.top, right.bottom, hi, 0.5, "plants per km2");
      draw_curve(&p, &curve, z, x, count);
      pic_axes(&p, &curve, "km from the road", "plants per km2", "by distance");
      pic_line(&p, 1145, 60, 1165, 60, 1.5, PIC_INK);
      pic_text(&p, 1172, 64, 9, 0, PIC_INK, "truth");
      pic_line(&p, 1145, 80, 1165, 80, 2, 0xd0421bu);
      pic_text(&p, 1172, 84, 9, 0, PIC_INK, "fit");
      pic_line(&p, 1155, 92, 1155, 108, 1, PIC_GREY);
      pic_disc(&p, 1155, 100, 2.5, 0x204a87u);
      pic_text(&p, 1172, 104, 9, 0, PIC_INK, "found, +- one s.d.");
      ok = pic_save(&p, file);
   }
   free(z);
   pic_free(&p);
   return ok;
}

int main(int count, char **arg)
{
   static sneppp_real x[2 * most];
   const char     *file = count > 1 ? arg[1] : "build/custom.png";
   double          error = 0, expected, rough, right, with, without, west, east, total;
   sneppp_window   land = {.space = SNEPPP_SPACE_BOX, .dim = 2, .hi = {wide, tall}};
   sneppp_window   half[2] = {{.dim = 2, .hi = {wide / 2, tall}}, {.dim = 2, .lo = {wide / 2}, .hi = {wide, tall}}};
   sneppp_region   parts[2] = {{.factor = {&half[0]}}, {.factor = {&half[1]}}};
   sneppp_desc     desc = {.width = n, .factor = {{.window = land, .own = {psi, gram, &error}}}}, plain = {.factor = {{.window = land}}};
   sneppp_events   plants = {.x = x, .count = simulate(x)};
   sneppp_fit_desc fit = {.events = &plants, .method = SNEPPP_METHOD_CONVEX, .tol = 1e-6}, automatic = {.events = &plants};
   sneppp_model    model, other;
   sneppp_report   report;
   sneppp_error    err;
   int             outside = 0;

   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK || sneppp_fit(&model, &fit, &report, &err) != SNEPPP_OK) return fail(err.why);
   printf("%lu plants, %d features of our own; certified to %.1g nats per plant of the optimum in %lu steps and %.2f s\n",
          (unsigned long)plants.count, report.width, report.gap, (unsigned long)report.step, report.seconds);
   printf("integrals of the features: the last refinement changed them by %.1g km2 at most; the largest is %g\n\n", error, wide * tall);

   printf("km from the road      truth   expected   found\n");
   for (int k = 0; k < bands; k++) {
      static const band list[bands] = {{0, 0.1}, {0.1, 0.3}, {0.3, 0.6}, {0.6, 1.2}, {1.2, 9}};
      band     b = list[k];
      size_t   found = 0;
      uint64_t lo, hi;
      sneppp_place near_road = {.inside = in_band, .user = &b, .seed = 1};
      if (sneppp_count_numeric(&model, &near_road, &expected, &rough, &err) != SNEPPP_OK) return fail(err.why);
      right = 0;
      for (int i = 0; i < 400 * 240; i++) {
         const sneppp_real at[2] = {(sneppp_real)(wide * (i % 400 + 0.5) / 400), (sneppp_real)(tall * (i / 400 + 0.5) / 240)};
         if (in_band(at, &b)) right += truth(at, NULL) * wide * tall / (400 * 240);
      }
      for (size_t i = 0; i < plants.count; i++) found += (size_t)in_band(x + 2 * i, &b);
      sneppp_poisson_interval(expected, 0.99, &lo, &hi);
      outside += found < lo || found > hi;
      printf("%5.1f to %-5.1f %13.1f %10.1f %7lu\n", b.from, b.to, right, expected, (unsigned long)found);
   }
   if (sneppp_count(&model, &parts[0], 1, &west, NULL, &err) != SNEPPP_OK || sneppp_count(&model, &parts[1], 1, &east, NULL, &err) != SNEPPP_OK ||
       sneppp_count(&model, NULL, 1, &total, NULL, &err) != SNEPPP_OK) return fail(err.why);
   printf("western half %.2f, eastern half %.2f, together %.2f of %.2f\n\n", west, east, west + east, total);

   if (sneppp_init(&other, &plain, &err) != SNEPPP_OK || sneppp_fit(&other, &automatic, NULL, &err) != SNEPPP_OK) return fail(err.why);
   with = rmse(&model), without = rmse(&other);
   printf("root mean square error of the intensity: %.2f plants per km2; without road and height, by place alone: %.2f\n", with, without);
   if (!paint(&model, x, plants.count, file)) return fail("the picture could not be written");
   printf("The picture is %s\n", file);
   sneppp_free(&model);
   sneppp_free(&other);
   return outside > 1 || !(with < without) || !(report.gap < 1e-5) || fabs(west + east - total) > 1e-3 * total;
}
