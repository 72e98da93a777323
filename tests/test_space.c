/* The space floor: what is refused and how the refusal is worded; mass, membership, statistics. */
#include <stdio.h>
#include <string.h>
#include "pair.h"

static sneppp_error space_error;

/* 1 if the window is refused with `status` and a sentence that holds `text`. */
static int space_refuses(const sneppp_window *win, sneppp_status status, const char *text)
{
   sneppp_status got;
   memset(&space_error, 0, sizeof space_error);
   got = sneppp__window_check(win, &space_error);
   if (got == status && space_error.status == status && strstr(space_error.why, text)) return 1;
   printf("   status %d: %s\n", (int)got, space_error.why);
   return 0;
}

static sneppp_window space_window(sneppp_space space, int dim)
{
   sneppp_window w;
   int           r;
   memset(&w, 0, sizeof w);
   w.space = space;
   w.dim = dim;
   w.radius = 2;
   for (r = 0; r < dim && r < SNEPPP_MAX_DIM; r++) { w.hi[r] = r + 1.0; w.param[r] = r + 1.5; }
   return w;
}

static double space_nan(void)
{
   uint64_t u = 0x7ff8000000000000ULL;
   double   x;
   memcpy(&x, &u, sizeof x);
   return x;
}

static double space_inf(void)
{
   uint64_t u = 0x7ff0000000000000ULL;
   double   x;
   memcpy(&x, &u, sizeof x);
   return x;
}

TEST space_common_fields(void)
{
   sneppp_window w = space_window(SNEPPP_SPACE_BOX, 2);
   ASSERT_EQ(sneppp__window_check(&w, NULL), SNEPPP_OK);
   ASSERT(space_refuses(NULL, SNEPPP_ERR_ARG, "NULL"));
   w.dim = 0;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.dim = 0"));
   w.dim = -3;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.dim = -3"));
   w.dim = SNEPPP_MAX_DIM + 1;
   ASSERT(space_refuses(&w, SNEPPP_ERR_SIZE, "SNEPPP_MAX_DIM"));
   w.dim = 2;
   w.space = SNEPPP_SPACE_END;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.space"));
   w.space = SNEPPP_SPACE_INTERVALS;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "intervals has dimension 1"));
   w.space = SNEPPP_SPACE_POLYGON;
   w.dim = 3;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "a polygon has dimension 2"));
   PASS();
}

TEST space_boxes_and_balls(void)
{
   sneppp_window w = space_window(SNEPPP_SPACE_BOX, 3);
   w.lo[1] = 2;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.lo[1] = 2 is not below window.hi[1] = 2"));
   w.lo[1] = space_nan();
   ASSERT(space_refuses(&w, SNEPPP_ERR_NOT_FINITE, "window.lo[1]"));
   w.lo[1] = 0;
   w.hi[2] = space_inf();
   ASSERT(space_refuses(&w, SNEPPP_ERR_NOT_FINITE, "window.hi[2]"));
   w.hi[2] = 1.7e308;
   w.lo[2] = -1.7e308;
   ASSERT(space_refuses(&w, SNEPPP_ERR_RANGE, "window.hi[2] - window.lo[2]"));
   w = space_window(SNEPPP_SPACE_BALL, 2);
   w.radius = 0;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.radius = 0"));
   w.radius = space_nan();
   ASSERT(space_refuses(&w, SNEPPP_ERR_NOT_FINITE, "window.radius"));
   w.radius = 1;
   w.centre[1] = space_inf();
   ASSERT(space_refuses(&w, SNEPPP_ERR_NOT_FINITE, "window.centre[1]"));
   w = space_window(SNEPPP_SPACE_SPHERE, 2);
   memset(&w.measure, 5, sizeof w.measure); /* no cast: C++ forbids an enumerator out of range */
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.measure"));
   PASS();
}

TEST space_lists(void)
{
   double        scale[4] = { 1, 2, 3, 4 }, mean[4] = { 0, 0, 0, 0 }, weight[2] = { 1, 2 }, ends[4] = { 0, 1, 2, 3 };
   sneppp_window w = space_window(SNEPPP_SPACE_GAUSS, 2);
   w.count = 2;
   w.scale = scale;
   w.mean = mean;
   w.weight = weight;
   ASSERT_EQ(sneppp__window_check(&w, NULL), SNEPPP_OK);
   scale[2] = -3;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.scale[1][0] = -3"));
   scale[2] = space_nan();
   ASSERT(space_refuses(&w, SNEPPP_ERR_NOT_FINITE, "window.scale[1][0]"));
   scale[2] = 1;
   mean[3] = space_inf();
   ASSERT(space_refuses(&w, SNEPPP_ERR_NOT_FINITE, "window.mean[1][1]"));
   mean[3] = 0;
   weight[1] = -0.5;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.weight[1] = -0.5"));
   weight[0] = weight[1] = 0;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.weight are zero"));
   w = space_window(SNEPPP_SPACE_INTERVALS, 1);
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "no intervals"));
   w.count = 2;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.ends is NULL"));
   w.ends = ends;
   ASSERT_EQ(sneppp__window_check(&w, NULL), SNEPPP_OK);
   ends[2] = 1; /* touching intervals are allowed */
   ASSERT_EQ(sneppp__window_check(&w, NULL), SNEPPP_OK);
   ends[2] = 0.5;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "do not overlap"));
   ends[2] = 3;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.ends[1]"));
   ends[2] = space_nan();
   ASSERT(space_refuses(&w, SNEPPP_ERR_NOT_FINITE, "window.ends[1][0]"));
   w = space_window(SNEPPP_SPACE_FINITE, 2);
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "no points"));
   w.count = 2;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.point is NULL"));
   w.point = ends;
   ASSERT(space_refuses(&w, SNEPPP_ERR_NOT_FINITE, "window.point[1][0]"));
   PASS();
}

TEST space_polygons(void)
{
   double        xy[8] = { 0, 0, 1, 1, 1, 0, 0, 1 };
   sneppp_window w = space_window(SNEPPP_SPACE_POLYGON, 2);
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "xy is NULL"));
   w.xy = xy;
   w.count = 2;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "2 vertices"));
   w.count = 4; /* a bow tie */
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "meets edge"));
   xy[3] = 0; /* (0,0) (1,0) (1,0): a vertex twice */
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "coincide"));
   xy[5] = 1;
   ASSERT_EQ(sneppp__window_check(&w, NULL), SNEPPP_OK);
   xy[4] = space_nan();
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "not finite"));
   PASS();
}

TEST space_families(void)
{
   sneppp_window w = space_window(SNEPPP_SPACE_GAMMA, 1);
   w.param[0] = w.param[1] = 2;
   ASSERT_EQ(sneppp__window_check(&w, NULL), SNEPPP_OK);
   w.param[1] = 0;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.param[1] = 0"));
   w.param[0] = space_nan();
   ASSERT(space_refuses(&w, SNEPPP_ERR_NOT_FINITE, "window.param[0]"));
   w = space_window(SNEPPP_SPACE_BINOMIAL, 1);
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "window.param[0] = 1.5 is not a whole number"));
   w = space_window(SNEPPP_SPACE_DIRICHLET, 1);
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "at least two"));
   PASS();
}

static int space_layer_refuses(const sneppp_window *win, const sneppp_layer *layer, sneppp_status status, const char *text)
{
   sneppp_status got;
   memset(&space_error, 0, sizeof space_error);
   got = sneppp__layer_check(win, layer, 0, &space_error);
   if (got == status && strstr(space_error.why, text)) return 1;
   printf("   status %d: %s\n", (int)got, space_error.why);
   return 0;
}

TEST space_layers(void)
{
   double        W[4] = { 1, 2, 3, 4 }, b[2] = { 0, 0 }, width[4] = { 1, 1, 1, 1 };
   sneppp_unit   units[2];
   sneppp_window w = space_window(SNEPPP_SPACE_BOX, 2);
   sneppp_layer  layer;
   memset(&layer, 0, sizeof layer);
   memset(units, 0, sizeof units);
   ASSERT(space_layer_refuses(&w, NULL, SNEPPP_ERR_ARG, "layer is NULL"));
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_ARG, "layer.n = 0"));
   layer.n = 2;
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_ARG, "layer.W is NULL"));
   layer.W = W;
   layer.b = b;
   layer.d = 3;
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_ARG, "layer.d = 3"));
   layer.d = 0;
   ASSERT_EQ(sneppp__layer_check(&w, &layer, 0, NULL), SNEPPP_OK);
   W[3] = space_nan();
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_NOT_FINITE, "layer.W[1][1]"));
   W[3] = 4;
   b[1] = space_inf();
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_NOT_FINITE, "layer.b[1]"));
   b[1] = 0;
   layer.unit.act = SNEPPP_ACT_RBF;
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_ARG, "layer.width is NULL"));
   layer.width = width;
   width[1] = 0;
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_ARG, "layer.width[0][1] = 0"));
   width[1] = 1;
   width[2] = space_inf();
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_NOT_FINITE, "layer.width[1][0] is not finite"));
   width[2] = 1;
   layer.unit.act = SNEPPP_ACT_END;
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_ARG, "unknown"));
   layer.units = units;
   units[0].act = SNEPPP_ACT_COS;
   units[1].act = SNEPPP_ACT_RECT;
   units[1].p = 1.5;
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_ARG, "order p = 1.5 of unit 1"));
   units[1].p = 21;
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_ARG, "unit 1"));
   units[1].act = SNEPPP_ACT_SNAKE;
   units[1].p = 0;
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_ARG, "snake unit 1 is not positive"));
   units[1].p = space_nan();
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_NOT_FINITE, "unit 1"));
   PASS();
}

/* exp units on families: psi_i^2 must be integrable, a first moment needs psi_i only. */
TEST space_natural_parameters(void)
{
   double        W[2] = { -0.9, 0.2 };
   sneppp_window w = space_window(SNEPPP_SPACE_GAMMA, 1);
   sneppp_layer  layer;
   memset(&layer, 0, sizeof layer);
   layer.n = 1;
   layer.W = W;
   layer.unit.act = SNEPPP_ACT_EXP;
   w.param[0] = 1.5;
   w.param[1] = 1;
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_ARG, "layer.W[0][0] = -0.9"));
   ASSERT_EQ(sneppp__layer_check(&w, &layer, 1, NULL), SNEPPP_OK);
   W[0] = 0;
   W[1] = 0.5;
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_ARG, "layer.W[0][1] = 0.5"));
   layer.unit.act = SNEPPP_ACT_COS;
   ASSERT_EQ(sneppp__layer_check(&w, &layer, 0, NULL), SNEPPP_OK);
   w = space_window(SNEPPP_SPACE_NORMAL, 1);
   layer.unit.act = SNEPPP_ACT_EXP;
   ASSERT(space_layer_refuses(&w, &layer, SNEPPP_ERR_ARG, "layer.W[0][1]"));
   PASS();
}

/* The mass is the constant unit's k: two ways to one number. */
TEST space_mass_is_the_integral_of_one(void)
{
   static const double ends[] = { 0, 1, 2, 2.5 }, xy[] = { 0, 0, 2, 0, 2, 3, 0, 3, 0.5, 0.5, 0.5, 1, 1, 1, 1, 0.5 }, mu[] = { 1, 2.5 }, point[] = { 0, 1, 2, 3 };
   static const size_t rings[] = { 4, 4 };
   static const int    dim[] = { 3, 2, 4, 1, 2, 3, 0, 1, 1, 3, 1, 1, 0, 0, 1, 2, 2 };
   int                 s;
   for (s = 0; s < SNEPPP_SPACE_END; s++) {
      sneppp_window w;
      sneppp_layer  layer;
      double        W[4] = { 0, 0, 0, 0 }, k = 0;
      if (!dim[s]) continue; /* infinite mass */
      w = space_window((sneppp_space)s, dim[s]);
      w.param[0] = 3;
      if (s == SNEPPP_SPACE_GAMMA || s == SNEPPP_SPACE_BETA) w.param[1] = 2;
      if (s == SNEPPP_SPACE_INTERVALS) { w.count = 2; w.ends = ends; }
      if (s == SNEPPP_SPACE_POLYGON) { w.rings = 2; w.ring_size = rings; w.xy = xy; }
      if (s == SNEPPP_SPACE_FINITE || s == SNEPPP_SPACE_GAUSS) { w.count = 2; w.weight = mu; w.point = point; }
      if (s == SNEPPP_SPACE_RASTER) { w.origin[0] = w.origin[1] = -1; w.cell[0] = w.cell[1] = 3; w.cells[0] = 2; w.cells[1] = 1; w.weight = mu; }
      memset(&layer, 0, sizeof layer);
      layer.n = 1;
      layer.W = W;
      layer.unit.act = SNEPPP_ACT_ONE;
      ASSERT_EQ(one_pair(&w, &layer, 0, 0, &k), SNEPPP_OK);
      ASSERT(k > 0);
      ASSERT_IN_RANGE(1.0, sneppp_window_mass(&w) / k, 1e-14);
      if (s == SNEPPP_SPACE_BOX) ASSERT_IN_RANGE(6.0, k, 1e-14);
      if (s == SNEPPP_SPACE_POLYGON) ASSERT_IN_RANGE(5.75, k, 1e-14);
      if (s == SNEPPP_SPACE_SPHERE) ASSERT_IN_RANGE(2 * SNEPPP__PI * SNEPPP__PI, k, 1e-13); /* S^3 */
      if (s == SNEPPP_SPACE_BALL) ASSERT_IN_RANGE(4.0 / 3 * SNEPPP__PI * 8, k, 1e-13);
      if (s == SNEPPP_SPACE_BINOMIAL) ASSERT_IN_RANGE(8.0, k, 1e-13);
      if (s == SNEPPP_SPACE_GAMMA) ASSERT_IN_RANGE(2.0 / 8, k, 1e-14);
   }
   {
      sneppp_window plane = space_window(SNEPPP_SPACE_EUCLID, 2), counts = space_window(SNEPPP_SPACE_NEGBINOMIAL, 1);
      ASSERT_EQ(0.0, sneppp_window_mass(&plane)); /* which stands for infinite */
      ASSERT_EQ(0.0, sneppp_window_mass(&counts));
   }
   PASS();
}

TEST space_statistics(void)
{
   sneppp_window w = space_window(SNEPPP_SPACE_GAMMA, 1);
   double        x[2] = { 0.25, 2 }, t[2];
   sneppp__window_stats(&w, x, t);
   ASSERT_EQ(t[0], log(0.25));
   ASSERT_EQ(t[1], 0.25);
   w.space = SNEPPP_SPACE_BETA;
   sneppp__window_stats(&w, x, t);
   ASSERT_IN_RANGE(log(0.75), t[1], 1e-15);
   w.space = SNEPPP_SPACE_NORMAL;
   sneppp__window_stats(&w, x, t);
   ASSERT_EQ(t[1], 0.0625);
   w.space = SNEPPP_SPACE_VONMISES;
   sneppp__window_stats(&w, x, t);
   ASSERT_IN_RANGE(1.0, t[0] * t[0] + t[1] * t[1], 1e-15);
   ASSERT_EQ(sneppp__stats(&w), 2);
   for (int k = -1; k < 8; k++) { /* from 0 to 2 pi, also as a float; degrees and negative angles are outside */
      double angle = k < 7 ? k : (double)(float)6.283185307179586;
      ASSERT_EQ(k != -1, sneppp_window_contains(&w, &angle));
   }
   x[0] = 7;
   ASSERT_EQ(0, sneppp_window_contains(&w, x));
   w = space_window(SNEPPP_SPACE_FINITE, 2);
   ASSERT_EQ(sneppp__coords(&w), 1);
   ASSERT_EQ(sneppp__stats(&w), 2);
   PASS();
}

/* What a factor gets when it names no activation: the one whose integrals its space has. */
TEST space_default_activations(void)
{
   ASSERT_EQ(SNEPPP_ACT_COS, sneppp__act_default(SNEPPP_SPACE_BOX));
   ASSERT_EQ(SNEPPP_ACT_COS, sneppp__act_default(SNEPPP_SPACE_GAUSS));
   ASSERT_EQ(SNEPPP_ACT_COS, sneppp__act_default(SNEPPP_SPACE_INTERVALS));
   ASSERT_EQ(SNEPPP_ACT_COS, sneppp__act_default(SNEPPP_SPACE_POLYGON));
   ASSERT_EQ(SNEPPP_ACT_COS, sneppp__act_default(SNEPPP_SPACE_BALL));
   ASSERT_EQ(SNEPPP_ACT_RBF, sneppp__act_default(SNEPPP_SPACE_EUCLID)); /* the only one that vanishes far away */
   ASSERT_EQ(SNEPPP_ACT_EXP, sneppp__act_default(SNEPPP_SPACE_SPHERE));
   ASSERT_EQ(SNEPPP_ACT_EXP, sneppp__act_default(SNEPPP_SPACE_GAMMA));
   ASSERT_EQ(SNEPPP_ACT_EXP, sneppp__act_default(SNEPPP_SPACE_FINITE));
   PASS();
}

/* Slopes of the activations against differences, away from kinks. */
TEST space_activations(void)
{
   int a, k;
   for (a = SNEPPP_ACT_COS; a < SNEPPP_ACT_END; a++) {
      sneppp_unit u;
      u.act = (sneppp_act)a;
      u.p = a == SNEPPP_ACT_RECT || a == SNEPPP_ACT_MONOMIAL ? 3 : 0.7;
      u.q = 1.3;
      if (a == SNEPPP_ACT_RBF) continue;
      for (k = -3; k <= 3; k++) {
         double z = 0.6 * k + 0.11, h = 1e-4, slope, unused, up = sneppp__act(&u, z + h, &unused), down = sneppp__act(&u, z - h, &unused);
         sneppp__act(&u, z, &slope);
         ASSERT_IN_RANGE((up - down) / (2 * h), slope, 1e-6);
      }
   }
   PASS();
}

/* Membership in the families, borders and neighbours. */
TEST space_members(void)
{
   sneppp_window w = space_window(SNEPPP_SPACE_BETA, 1);
   double        x[3] = {0.5, 0.25, 0.25};
   static const double point[2] = {3, 7};
   ASSERT(sneppp_window_contains(&w, x));
   x[0] = 0;
   ASSERT(!sneppp_window_contains(&w, x));
   x[0] = 1;
   ASSERT(!sneppp_window_contains(&w, x));
   w = space_window(SNEPPP_SPACE_DIRICHLET, 3);
   x[0] = 0.5;
   ASSERT(sneppp_window_contains(&w, x));
   x[0] = 0.6;
   ASSERT(!sneppp_window_contains(&w, x)); /* the sum is not 1 */
   x[0] = 0.75, x[2] = 0;
   ASSERT(!sneppp_window_contains(&w, x));
   w = space_window(SNEPPP_SPACE_POISSON, 1);
   x[0] = 12;
   ASSERT(sneppp_window_contains(&w, x));
   x[0] = 12.5;
   ASSERT(!sneppp_window_contains(&w, x));
   x[0] = -1;
   ASSERT(!sneppp_window_contains(&w, x));
   w = space_window(SNEPPP_SPACE_BINOMIAL, 1);
   w.param[0] = 10;
   x[0] = 10;
   ASSERT(sneppp_window_contains(&w, x));
   x[0] = 11;
   ASSERT(!sneppp_window_contains(&w, x));
   w = space_window(SNEPPP_SPACE_FINITE, 1);
   w.count = 2, w.point = point;
   x[0] = 1;
   ASSERT(sneppp_window_contains(&w, x));
   x[0] = 2;
   ASSERT(!sneppp_window_contains(&w, x));
   { /* how far rounding may put a point outside, and no further */
      sneppp_window simplex = space_window(SNEPPP_SPACE_DIRICHLET, 3), ball = space_window(SNEPPP_SPACE_BALL, 2);
      double        y[3] = { 0.2, 0.3, 0.5 };
      simplex.param[0] = simplex.param[1] = simplex.param[2] = 1;
      for (int side = -1; side <= 1; side += 2) {
         y[2] = 0.5 + side * 9e-7;
         ASSERT_EQ(1, sneppp_window_contains(&simplex, y));
         y[2] = 0.5 + side * 2e-6;
         ASSERT_EQ(0, sneppp_window_contains(&simplex, y));
      }
      y[0] = ball.centre[0] + ball.radius * (1 + 5e-13), y[1] = ball.centre[1];
      ASSERT_EQ(1, sneppp_window_contains(&ball, y));
      y[0] = ball.centre[0] + ball.radius * (1 + 1e-11);
      ASSERT_EQ(0, sneppp_window_contains(&ball, y));
   }
   PASS();
}

/* Densities of the base measures: sums over all counts give known totals, single values known numbers. */
TEST space_densities(void)
{
   sneppp_window w = space_window(SNEPPP_SPACE_POISSON, 1);
   double        x[3] = {0.2, 0.3, 0.5}, sum = 0;
   static const double weight[2] = {0.25, 4}, point[2] = {0, 1};
   w.param[0] = 3;
   for (int k = 0; k < 60; k++) { double y = k; sum += exp(sneppp__window_log_density(&w, &y)); }
   ASSERT_IN_RANGE(exp(3.0), sum, 1e-12);
   w = space_window(SNEPPP_SPACE_BINOMIAL, 1);
   w.param[0] = 10;
   sum = 0;
   for (int k = 0; k <= 10; k++) { double y = k; sum += exp(sneppp__window_log_density(&w, &y)); }
   ASSERT_IN_RANGE(1024.0, sum, 1e-9);
   w = space_window(SNEPPP_SPACE_NEGBINOMIAL, 1);
   w.param[0] = 3;
   {
      double y = 4;
      ASSERT_IN_RANGE(15.0, exp(sneppp__window_log_density(&w, &y)), 1e-12); /* 6 over 4 */
   }
   w = space_window(SNEPPP_SPACE_DIRICHLET, 3);
   w.param[0] = 2, w.param[1] = 3, w.param[2] = 1;
   ASSERT_IN_RANGE(0.2 * 0.3 * 0.3, exp(sneppp__window_log_density(&w, x)), 1e-14);
   w = space_window(SNEPPP_SPACE_BETA, 1);
   w.param[0] = 2, w.param[1] = 3;
   ASSERT_IN_RANGE(0.2 * 0.8 * 0.8, exp(sneppp__window_log_density(&w, x)), 1e-14);
   w = space_window(SNEPPP_SPACE_FINITE, 1);
   w.count = 2, w.point = point;
   x[0] = 1;
   ASSERT_EQ(0.0, sneppp__window_log_density(&w, x));
   w.weight = weight;
   ASSERT_IN_RANGE(4.0, exp(sneppp__window_log_density(&w, x)), 1e-14);
   PASS();
}

/* Points drawn from a window are inside and have its means, within five standard errors of 20,000 draws; a window whose
   mass is not drawn from says so. */
static int space_draws(const sneppp_window *w, int coords, const double *mean, const double *spread)
{
   enum { draws = 20000 };
   sneppp_rng rng;
   double     sum[3] = {0, 0, 0}, x[SNEPPP_MAX_DIM];
   sneppp_rng_init(&rng, 5, 0);
   for (int i = 0; i < draws; i++) {
      if (!sneppp_window_draw(w, &rng, x) || !sneppp_window_contains(w, x)) return 0;
      for (int r = 0; r < coords; r++) sum[r] += x[r];
   }
   for (int r = 0; r < coords; r++)
      if (!(fabs(sum[r] / draws - mean[r]) < 5 * spread[r] / sqrt((double)draws))) {
         printf("   space %d: mean %g, not %g\n", (int)w->space, sum[r] / draws, mean[r]);
         return 0;
      }
   return 1;
}

TEST space_draw(void)
{
   static const double ends[4] = {0, 1, 10, 13}, weight[2] = {1, 3}, mean[4] = {-1, 0, 3, 2}, scale[4] = {1, 2, 0.5, 1},
                       point[4] = {0, 0, 1, 1}, xy[16] = {0, 0, 4, 0, 4, 4, 0, 4, 2, 2, 4, 2, 4, 4, 2, 4};
   static const size_t ring[2] = {4, 4};
   double              at[3], spread[3];
   sneppp_rng          rng;
   sneppp_window       w = space_window(SNEPPP_SPACE_BALL, 3);
   w.centre[0] = 5;
   at[0] = 5, at[1] = at[2] = 0; /* the variance of a coordinate in a ball of radius 2 is 4/5 */
   spread[0] = spread[1] = spread[2] = sqrt(0.8);
   ASSERT(space_draws(&w, 3, at, spread));
   w = space_window(SNEPPP_SPACE_VONMISES, 1);
   at[0] = 3.14159265358979, spread[0] = 1.82;
   ASSERT(space_draws(&w, 1, at, spread));
   w = space_window(SNEPPP_SPACE_INTERVALS, 1);
   w.count = 2, w.ends = ends;
   at[0] = (0.5 * 1 + 11.5 * 3) / 4, spread[0] = 4.9;
   ASSERT(space_draws(&w, 1, at, spread));
   w = space_window(SNEPPP_SPACE_GAUSS, 2);
   at[0] = at[1] = 0, spread[0] = spread[1] = 1;
   ASSERT(space_draws(&w, 2, at, spread));
   w.count = 2, w.weight = weight, w.mean = mean, w.scale = scale;
   at[0] = (-1 + 3 * 3) / 4.0, at[1] = (0 + 3 * 2) / 4.0, spread[0] = spread[1] = 2;
   ASSERT(space_draws(&w, 2, at, spread));
   w = space_window(SNEPPP_SPACE_FINITE, 2);
   w.count = 2, w.point = point;
   at[0] = 0.5, spread[0] = 0.5;
   ASSERT(space_draws(&w, 1, at, spread));
   w.weight = weight;
   at[0] = 0.75;
   ASSERT(space_draws(&w, 1, at, spread));
   w = space_window(SNEPPP_SPACE_POLYGON, 2); /* a square without its upper right quarter */
   w.rings = 2, w.ring_size = ring, w.xy = xy;
   at[0] = at[1] = (16 * 2.0 - 4 * 3.0) / 12, spread[0] = spread[1] = 1.2;
   ASSERT(space_draws(&w, 2, at, spread));
   w = space_window(SNEPPP_SPACE_GAMMA, 1);
   sneppp_rng_init(&rng, 5, 0);
   ASSERT(!sneppp_window_draw(&w, &rng, at));
   PASS();
}

/* Refusals of lists and layers that the other tests do not reach. */
TEST space_more_refusals(void)
{
   static const double point[2] = {0, 1}, square[8] = {0, 0, 1, 0, 1, 1, 0, 1};
   double              weight[2] = {1, 1};
   sneppp_window       w = space_window(SNEPPP_SPACE_FINITE, 1);
   weight[1] = space_nan();
   w.count = 2, w.point = point, w.weight = weight;
   ASSERT(space_refuses(&w, SNEPPP_ERR_NOT_FINITE, "weight[1] is not finite"));
   w.count = SIZE_MAX / 4;
   ASSERT(space_refuses(&w, SNEPPP_ERR_SIZE, "too large"));
   w = space_window(SNEPPP_SPACE_GAUSS, 2);
   w.count = SIZE_MAX / 4, w.mean = point;
   ASSERT(space_refuses(&w, SNEPPP_ERR_SIZE, "too large"));
   w = space_window(SNEPPP_SPACE_POLYGON, 2);
   w.rings = 2, w.xy = square;
   ASSERT(space_refuses(&w, SNEPPP_ERR_ARG, "ring_size is NULL"));
   PASS();
}

/* A model's window must have a mass that is a normal number: others would fit to 0 without a word. Windows of any
   size that have one are taken, in all dimensions, and fit to the number of their events. */
TEST space_mass_must_be_a_number(void)
{
   static const double   xy[8] = {0, 0, 1e-160, 0, 1e-160, 1e-160, 0, 1e-160}, wide[8] = {0, 0, 1e170, 0, 1e170, 1e170, 0, 1e170}, huge_weight[2] = {1e308, 1e308};
   static const double   tiny_weight[2] = {0, 1e-310}, point[2] = {0, 1};
   static const double   size[7] = {1e-200, 1e200, 1e-6, 1e6, 1e-160, 1e160, 1};
   sneppp_desc           d;
   sneppp_model          m;
   sneppp_error          err;
   for (int k = 0; k < 7; k++)
      for (int dim = 1; dim <= SNEPPP_MAX_DIM; dim++) {
         double log_mass = dim * log10(size[k]);
         int    fits = log_mass > -307.6 && log_mass < 308.2;
         for (int ball = 0; ball < 2; ball++) {
            memset(&d, 0, sizeof d);
            d.width = 2;
            d.factor[0].window.dim = dim;
            d.factor[0].window.space = ball ? SNEPPP_SPACE_BALL : SNEPPP_SPACE_BOX;
            d.factor[0].window.radius = size[k];
            for (int r = 0; r < dim; r++) d.factor[0].window.hi[r] = size[k];
            err.why[0] = 0;
            ASSERT_EQ_FMTm(err.why, fits ? SNEPPP_OK : SNEPPP_ERR_RANGE, sneppp_init(&m, &d, &err), "%d");
            if (fits) sneppp_free(&m);
            else ASSERT(strstr(err.why, "factor[0]: the mass of") && strstr(err.why, size[k] < 1 ? "too small" : "too large"));
         }
      }
   for (int k = 0; k < 4; k++) {
      memset(&d, 0, sizeof d);
      d.width = 2;
      d.factor[0].window.space = k < 2 ? SNEPPP_SPACE_POLYGON : SNEPPP_SPACE_FINITE, d.factor[0].window.dim = k < 2 ? 2 : 1;
      d.factor[0].window.count = k < 2 ? 4 : 2, d.factor[0].window.xy = k < 2 ? (k ? wide : xy) : NULL;
      d.factor[0].window.point = k < 2 ? NULL : point, d.factor[0].window.weight = k == 2 ? huge_weight : k == 3 ? tiny_weight : NULL;
      ASSERT(sneppp_init(&m, &d, &err) != SNEPPP_OK);
   }
   memset(&d, 0, sizeof d); /* each factor by itself is fine */
   d.width = 2;
   d.factor[0].window.dim = d.factor[1].window.dim = 1, d.factor[0].window.hi[0] = d.factor[1].window.hi[0] = 1e-200;
   ASSERT_EQ_FMT(SNEPPP_ERR_RANGE, sneppp_init(&m, &d, &err), "%d");
   ASSERT(strstr(err.why, "product of the factors' masses is too small"));
   PASS();
}

/* Thin polygons, which a box around them would almost never hit: draws end, lie inside and are uniform. Areas left of a
   point and lengths below one come from a frame around a hole and from a sliver across the diagonal. */
TEST space_thin_polygons(void)
{
   static const double sliver[8] = {0, 0, 1000, 1000, 1000, 1000.001, 0, 0.001};
   static const double frame[16] = {0, 0, 4, 0, 4, 2, 0, 2, 0.001, 0.001, 3.999, 0.001, 3.999, 1.999, 0.001, 1.999};
   static const size_t rings[2] = {4, 4};
   sneppp_window       w;
   sneppp_rng          rng;
   double              x[2], side[4] = {0, 0, 0, 0}, middle = 1, most = 1e9;
   memset(&w, 0, sizeof w);
   sneppp_rng_init(&rng, 4, 0);
   w.space = SNEPPP_SPACE_POLYGON, w.dim = 2, w.count = 4, w.xy = sliver;
   ASSERT_IN_RANGE(0.25, sneppp__polygon_part(&w, 250, NULL), 1e-9);
   ASSERT_IN_RANGE(0.001, sneppp__polygon_part(&w, 250, &most), 1e-9);
   for (int i = 0; i < 400; i++) {
      ASSERT(sneppp_window_draw(&w, &rng, x) && sneppp_window_contains(&w, x));
      side[(int)fmin(3, x[0] / 250)]++;
   }
   for (int k = 0; k < 4; k++) ASSERT_IN_RANGE(100, side[k], 35); /* four standard deviations */
   w.xy = frame, w.rings = 2, w.ring_size = rings, w.count = 0;
   ASSERT_IN_RANGE(4 - 1.999 * 1.998, sneppp__polygon_part(&w, 2, NULL), 1e-12);
   ASSERT_IN_RANGE(0.002, sneppp__polygon_part(&w, 2, &most), 1e-12);
   ASSERT_IN_RANGE(0.001, sneppp__polygon_part(&w, 2, &middle), 1e-12);
   memset(side, 0, sizeof side);
   for (int i = 0; i < 1200; i++) {
      ASSERT(sneppp_window_draw(&w, &rng, x) && sneppp_window_contains(&w, x));
      side[x[0] < 0.001 ? 0 : x[0] > 3.999 ? 1 : x[1] < 1 ? 2 : 3]++;
   }
   for (int k = 0; k < 4; k++) ASSERT_IN_RANGE(k < 2 ? 200 : 400, side[k], k < 2 ? 52 : 66);
   PASS();
}

/* Draws of windows with all their defaults have the default spread, too; points are looked at from the first number on. */
TEST space_defaults_have_spread(void)
{
   enum { draws = 4000 };
   double        mean[6] = {-1, 0, 3, 2, 7, 1}, point[4] = {0, 0, 1, 1}, sum[2] = {0, 0}, x[SNEPPP_MAX_DIM];
   size_t        near_one = 0;
   sneppp_rng    rng;
   sneppp_window w = space_window(SNEPPP_SPACE_GAUSS, 2);
   sneppp_rng_init(&rng, 5, 0);
   for (int i = 0; i < draws; i++) {
      ASSERT(sneppp_window_draw(&w, &rng, x));
      for (int r = 0; r < 2; r++) sum[r] += x[r] * x[r] / draws;
   }
   for (int r = 0; r < 2; r++) ASSERT_IN_RANGE(1, sum[r], 0.12); /* five standard deviations */
   w.count = 3, w.mean = mean; /* no weights: a third each */
   for (int i = 0; i < draws; i++) {
      ASSERT(sneppp_window_draw(&w, &rng, x));
      near_one += hypot(x[0] - 7, x[1] - 1) < 2;
   }
   ASSERT_IN_RANGE(1.0 / 3 * (1 - exp(-2)) * draws + 0.0005 * draws, (double)near_one, 150);
   w = space_window(SNEPPP_SPACE_FINITE, 2);
   w.count = 2, w.point = point;
   for (int k = 0; k < 4; k++) {
      char words[40];
      sprintf(words, "window.point[%d][%d]", k / 2, k % 2);
      point[k] = space_nan();
      ASSERT(space_refuses(&w, SNEPPP_ERR_NOT_FINITE, words));
      point[k] = 1;
   }
   PASS();
}

/* Each number of each list is looked at, the first as the last, and named where it is not finite. */
TEST space_every_number_is_looked_at(void)
{
   double        mean[6], scale[6], weight[3], ends[6], point[6], W[6], b[3], width[6];
   sneppp_window win[5];
   sneppp_layer  layer;
   struct { const char *name; double *x; int count, cols, of; } list[12] = {
      {"window.weight", weight, 3, 0, 0}, {"window.mean", mean, 6, 2, 0}, {"window.scale", scale, 6, 2, 0}, {"window.ends", ends, 6, 2, 1},
      {"window.point", point, 6, 2, 2}, {"window.weight", weight, 3, 0, 2}, {"window.lo", NULL, 2, 0, 3}, {"window.hi", NULL, 2, 0, 3},
      {"window.centre", NULL, 2, 0, 4}, {"layer.W", W, 6, 2, 5}, {"layer.b", b, 3, 0, 5}, {"layer.width", width, 6, 2, 5}};
   for (int i = 0; i < 6; i++) mean[i] = point[i] = W[i] = i, scale[i] = width[i] = ends[i] = 1 + i, weight[i / 2] = b[i / 2] = 1;
   win[0] = space_window(SNEPPP_SPACE_GAUSS, 2), win[1] = space_window(SNEPPP_SPACE_INTERVALS, 1);
   win[2] = space_window(SNEPPP_SPACE_FINITE, 2), win[3] = space_window(SNEPPP_SPACE_BOX, 2), win[4] = space_window(SNEPPP_SPACE_BALL, 2);
   win[0].count = win[1].count = win[2].count = 3;
   win[0].weight = win[2].weight = weight, win[0].mean = mean, win[0].scale = scale, win[1].ends = ends, win[2].point = point;
   list[6].x = win[3].lo, list[7].x = win[3].hi, list[8].x = win[4].centre;
   memset(&layer, 0, sizeof layer);
   layer.n = 3, layer.W = W, layer.b = b, layer.width = width, layer.unit.act = SNEPPP_ACT_RBF;
   for (int k = 0; k < 12; k++)
      for (int i = 0; i < list[k].count; i++)
         for (int inf = 0; inf < 2; inf++) {
            const double was = list[k].x[i];
            char         words[48];
            if (list[k].cols) sprintf(words, "%s[%d][%d]", list[k].name, i / 2, i % 2);
            else sprintf(words, "%s[%d]", list[k].name, i);
            list[k].x[i] = inf ? space_inf() : space_nan();
            if (list[k].of < 5) ASSERT(space_refuses(&win[list[k].of], SNEPPP_ERR_NOT_FINITE, words));
            else ASSERT(space_layer_refuses(&win[3], &layer, SNEPPP_ERR_NOT_FINITE, words));
            list[k].x[i] = was;
            if (list[k].of < 5) ASSERT_EQ(SNEPPP_OK, sneppp__window_check(&win[list[k].of], NULL));
            else ASSERT_EQ(SNEPPP_OK, sneppp__layer_check(&win[3], &layer, 0, NULL));
         }
   PASS();
}

/* A point without a weight is no part of a finite window, and a small weight is the density that it says. */
TEST space_points_without_weight(void)
{
   static const double weight[3] = {0.5, 0, 1e-301}, point[3] = {3, 7, 5};
   sneppp_window       w = space_window(SNEPPP_SPACE_FINITE, 1);
   w.count = 3, w.point = point, w.weight = weight;
   for (int k = 0; k < 3; k++) {
      double x = k;
      ASSERT_EQ(k != 1, sneppp_window_contains(&w, &x));
      ASSERT_IN_RANGE(weight[k], sneppp_window_density(&w, &x), 1e-12 * weight[k]);
   }
   PASS();
}

/* Squares of what is near the end of the range of doubles are not. */
TEST space_balls_of_any_size(void)
{
   for (double radius = 1e-170; radius < 1e190; radius *= 1e170) {
      sneppp_window w;
      double        in = 0.99 * radius, out = 1e4 * radius;
      memset(&w, 0, sizeof w);
      w.space = SNEPPP_SPACE_BALL, w.dim = 1, w.radius = radius;
      ASSERT(sneppp_window_contains(&w, &in) && sneppp_window_contains(&w, &radius));
      ASSERT(!sneppp_window_contains(&w, &out));
   }
   PASS();
}

TEST space_mixtures_of_little_weight_and_far_points(void)
{
   const double  weight[2] = {1e-300, 1e-300}, mean[2] = {0, 1};
   double        x = 0.5, one;
   sneppp_window w;
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_SPACE_GAUSS, w.dim = 1, w.count = 2, w.mean = mean;
   one = sneppp_window_density(&w, &x); /* weights 1/2 */
   w.weight = weight;
   ASSERT_IN_RANGE(1, sneppp_window_density(&w, &x) / (2e-300 * one), 1e-12);
   x = 1e160; /* without vectors this was NaN */
   ASSERT_EQ(0, sneppp_window_density(&w, &x));
   PASS();
}

/* binom(x + 1, x) = x + 1; beyond 1e8 a difference of three log-gammas has not half of its digits. */
TEST space_densities_of_large_counts(void)
{
   sneppp_window w;
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_SPACE_NEGBINOMIAL, w.dim = 1, w.param[0] = 2;
   for (double x = 0; x < 5e15; x = 10 * x + 1) ASSERT_IN_RANGE(1, sneppp_window_density(&w, &x) / (x + 1), 1e-13);
   PASS();
}

/* A raster of which no cell counts has no point to be drawn. */
TEST space_draw_empty(void)
{
   double        weight[4] = {0, 0, 0, 0}, x[2] = {7, 7};
   sneppp_window w = space_window(SNEPPP_SPACE_RASTER, 2);
   sneppp_rng    rng;
   w.lo[0] = w.lo[1] = w.hi[0] = w.hi[1] = 0;
   w.origin[0] = w.origin[1] = 10, w.cell[0] = w.cell[1] = 1, w.cells[0] = w.cells[1] = 2, w.weight = weight;
   sneppp_rng_init(&rng, 1, 0);
   ASSERT(!sneppp_window_draw(&w, &rng, x));
   weight[2] = 1;
   ASSERT(sneppp_window_draw(&w, &rng, x) && sneppp_window_contains(&w, x));
   PASS();
}

SUITE(space)
{
   RUN_TEST(space_draw_empty);
   RUN_TEST(space_defaults_have_spread);
   RUN_TEST(space_thin_polygons);
   RUN_TEST(space_mass_must_be_a_number);
   RUN_TEST(space_members);
   RUN_TEST(space_densities);
   RUN_TEST(space_default_activations);
   RUN_TEST(space_draw);
   RUN_TEST(space_more_refusals);
   RUN_TEST(space_common_fields);
   RUN_TEST(space_boxes_and_balls);
   RUN_TEST(space_lists);
   RUN_TEST(space_polygons);
   RUN_TEST(space_families);
   RUN_TEST(space_layers);
   RUN_TEST(space_every_number_is_looked_at);
   RUN_TEST(space_natural_parameters);
   RUN_TEST(space_mass_is_the_integral_of_one);
   RUN_TEST(space_statistics);
   RUN_TEST(space_activations);
   RUN_TEST(space_points_without_weight);
   RUN_TEST(space_balls_of_any_size);
   RUN_TEST(space_mixtures_of_little_weight_and_far_points);
   RUN_TEST(space_densities_of_large_counts);
}
