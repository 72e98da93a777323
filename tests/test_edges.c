/* Public calls, and refusals of theirs, that the suites of the floors do not come by: regions of every kind in windows of
   every kind, parameters set by hand, distances from a known truth, conditional likelihoods, and saved polygons. */
#include "cases.h"
#include <stdio.h>
#include <string.h>

static sneppp_error edges_error;

/* 1 if the region is refused with a sentence that holds `text`; text NULL: 1 if it is taken. */
static int edges_region(const sneppp_model *m, const sneppp_window *part, const char *text)
{
   sneppp_region r;
   double        value = 0;
   sneppp_status st;
   memset(&r, 0, sizeof r);
   memset(&edges_error, 0, sizeof edges_error);
   r.factor[0] = part;
   st = sneppp__region_check(m, 0, part, &edges_error);
   if (st == SNEPPP_OK) st = sneppp_count(m, &r, &value, &edges_error);
   if (!text && st == SNEPPP_OK && value > 0) return 1;
   if (text && st != SNEPPP_OK && strstr(edges_error.why, text)) return 1;
   printf("   status %d, %g: %s\n", (int)st, value, edges_error.why);
   return 0;
}

static sneppp_window edges_ball(double x, double y, double radius)
{
   sneppp_window w;
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_BALL, w.dim = 2, w.centre[0] = x, w.centre[1] = y, w.radius = radius;
   return w;
}

/* A planar model of cosines, whose integrals over balls are known in closed form. */
static sneppp_status edges_model(sneppp_model *m, const sneppp_window *win)
{
   sneppp_desc d;
   memset(&d, 0, sizeof d);
   d.width = 4;
   d.factor[0].window = *win;
   d.factor[0].unit.act = SNEPPP_COS;
   return sneppp_init(m, &d, &edges_error);
}

TEST edges_regions(void)
{
   static const double l_shape[12] = {0, 0, 4, 0, 4, 2, 2, 2, 2, 4, 0, 4}, hole[16] = {0, 0, 6, 0, 6, 6, 0, 6, 2, 2, 4, 2, 4, 4, 2, 4};
   static const double around[8] = {1, 1, 5, 1, 5, 5, 1, 5}, across[8] = {3, 1, 3.5, 1, 1, 3.5, 1, 3};
   static const size_t rings[2] = {4, 4};
   sneppp_model        m;
   sneppp_window       w, p;
   w = edges_ball(1, 1, 2); /* a ball in a ball */
   ASSERT_EQ_FMTm(edges_error.why, SNEPPP_OK, edges_model(&m, &w), "%d");
   p = edges_ball(1.5, 1, 1.5);
   ASSERT(edges_region(&m, &p, NULL));
   p = edges_ball(1.5, 1, 1.6);
   ASSERT(edges_region(&m, &p, "reaches outside"));
   p.dim = 3;
   ASSERT(edges_region(&m, &p, "but the window has 2"));
   memset(&p, 0, sizeof p);
   p.space = SNEPPP_SPHERE, p.dim = 2;
   ASSERT(edges_region(&m, &p, "no closed form"));
   sneppp_free(&m);

   memset(&w, 0, sizeof w); /* a ball in an L */
   w.space = SNEPPP_POLYGON, w.dim = 2, w.count = 6, w.xy = l_shape;
   ASSERT_EQ_FMTm(edges_error.why, SNEPPP_OK, edges_model(&m, &w), "%d");
   p = edges_ball(1, 1, 1);
   ASSERT(edges_region(&m, &p, NULL));
   p = edges_ball(1.5, 1.5, 0.8); /* the inner corner is 0.71 away */
   ASSERT(edges_region(&m, &p, "reaches outside"));
   p = edges_ball(3, 3, 0.5);
   ASSERT(edges_region(&m, &p, "reaches outside"));
   memset(&p, 0, sizeof p); /* all corners inside, but an edge leaves */
   p.space = SNEPPP_POLYGON, p.dim = 2, p.count = 4, p.xy = across;
   ASSERT(edges_region(&m, &p, "crosses edge"));
   sneppp_free(&m);

   memset(&w, 0, sizeof w); /* around a hole */
   w.space = SNEPPP_POLYGON, w.dim = 2, w.rings = 2, w.ring_size = rings, w.xy = hole;
   ASSERT_EQ_FMTm(edges_error.why, SNEPPP_OK, edges_model(&m, &w), "%d");
   p.xy = around;
   ASSERT(edges_region(&m, &p, "not in the window"));
   sneppp_free(&m);
   PASS();
}

TEST edges_lines_and_points(void)
{
   static const double ends[4] = {0, 2, 5, 9}, inside[4] = {0.5, 1, 6, 7}, gap[2] = {1, 6}, out[2] = {1, 10}, point[6] = {0, 1, 1, 0, 2, 2}, some[3] = {1, 0, 1};
   sneppp_model        m;
   sneppp_window       w, p;
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_INTERVALS, w.dim = 1, w.count = 2, w.ends = ends;
   ASSERT_EQ_FMTm(edges_error.why, SNEPPP_OK, edges_model(&m, &w), "%d");
   p = w;
   p.ends = inside;
   ASSERT(edges_region(&m, &p, NULL));
   p.count = 1, p.ends = gap;
   ASSERT(edges_region(&m, &p, "spans a gap"));
   p.ends = out;
   ASSERT(edges_region(&m, &p, "outside the window"));
   sneppp_free(&m);
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_FINITE, w.dim = 2, w.count = 3, w.point = point;
   ASSERT_EQ_FMTm(edges_error.why, SNEPPP_OK, edges_model(&m, &w), "%d");
   p = w;
   p.weight = some;
   ASSERT(edges_region(&m, &p, NULL));
   p.count = 2;
   ASSERT(edges_region(&m, &p, "has 3 points"));
   sneppp_free(&m);
   PASS();
}

/* M of a diagonal readout and layers by hand: refused with the place named, or taken and seen in the intensity. */
TEST edges_setters(void)
{
   sneppp_desc  d = fit_desc_box(2);
   sneppp_model m;
   double       M[4] = {4, 0, 0, 9}, W[4] = {1, 1, 8, 4}, b[2] = {0, 0}, width[4] = {1, 1, 2, 1}, want;
   sneppp_real  x[2] = {2, 3};
   const double nan = sneppp__nan();
   d.factor[0].unit.act = SNEPPP_RBF;
   d.readout = SNEPPP_READOUT_DIAGONAL;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &edges_error));
   ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, W, NULL, width, &edges_error));
   ASSERT_EQ(SNEPPP_OK, sneppp_set_matrix(&m, M, &edges_error));
   m.alpha = 1, m.floor = 0.5;
   { /* lambda = sum M_ii psi_i^2 + floor, psi_i the features that the layer itself gives */
      double psi[2];
      for (int i = 0; i < 2; i++) {
         double e = 0;
         for (int r = 0; r < 2; r++) { double z = ((double)x[r] - W[2 * i + r]) / width[2 * i + r]; e += 0.5 * z * z; }
         psi[i] = exp(-e);
      }
      want = 4 * psi[0] * psi[0] + 9 * psi[1] * psi[1] + 0.5;
   }
   ASSERT_IN_RANGE(want, (double)sneppp_intensity(&m, x), 1e-5 * want);
   M[1] = 1;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_set_matrix(&m, M, &edges_error));
   ASSERT(strstr(edges_error.why, "M[0][1]"));
   M[1] = 0, M[3] = -1;
   ASSERT_EQ(SNEPPP_ERR_NOT_POSITIVE, sneppp_set_matrix(&m, M, &edges_error));
   memcpy(&M[3], &nan, sizeof nan);
   ASSERT_EQ(SNEPPP_ERR_NOT_FINITE, sneppp_set_matrix(&m, M, &edges_error));
   ASSERT_IN_RANGE(want, (double)sneppp_intensity(&m, x), 1e-5 * want); /* nothing was written */
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_set_layer(&m, 1, W, NULL, width, &edges_error));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_set_layer(&m, 0, W, NULL, NULL, &edges_error));
   width[3] = 0;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_set_layer(&m, 0, W, NULL, width, &edges_error));
   ASSERT(strstr(edges_error.why, "width[1][1]"));
   memcpy(&W[2], &nan, sizeof nan);
   width[3] = 1;
   ASSERT_EQ(SNEPPP_ERR_NOT_FINITE, sneppp_set_layer(&m, 0, W, NULL, width, &edges_error));
   ASSERT(strstr(edges_error.why, "W[1][0]"));
   sneppp_free(&m);
   d = fit_desc_box(2);
   d.factor[0].unit.act = SNEPPP_RELU;
   d.factor[0].no_bias = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &edges_error));
   W[2] = 1, b[1] = 0.5;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_set_layer(&m, 0, W, b, NULL, &edges_error));
   ASSERT(strstr(edges_error.why, "no_bias"));
   sneppp_free(&m);
   PASS();
}

static double edges_truth(const sneppp_real *x, void *user)
{
   const sneppp_model *m = (const sneppp_model *)user;
   return (double)sneppp_intensity(m, x) + ((double)x[0] < 5 ? 2 : -2);
}

/* A truth that is 2 away everywhere has the root mean square error 2. */
TEST edges_rmse(void)
{
   sneppp_desc  d = fit_desc_box(5);
   sneppp_model m;
   double       e = 0;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &edges_error));
   ASSERT_EQ(SNEPPP_OK, sneppp_rmse(&m, edges_truth, &m, 500, 1, &e, &edges_error));
   ASSERT_IN_RANGE(2.0, e, 1e-9);
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_rmse(&m, NULL, NULL, 500, 1, &e, &edges_error));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_rmse(NULL, edges_truth, NULL, 500, 1, &e, &edges_error));
   sneppp_free(&m);
   PASS();
}

/* Given the number of events, the scale of the intensity does not matter: -sum_i log(lambda_i/Lambda). */
TEST edges_conditional_nll(void)
{
   sneppp_events e = fit_events(40);
   sneppp_desc   d = fit_desc_box(5);
   sneppp_model  m;
   double        a = 0, b = 0, want = 0, total = 0;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &edges_error));
   m.alpha = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, &total, &edges_error));
   for (size_t i = 0; i < 40; i++) want += log(total) - sneppp_log_intensity(&m, e.x + 2 * i);
   ASSERT_EQ(SNEPPP_OK, sneppp_conditional_nll(&m, &e, 1, &a, NULL, &edges_error));
   ASSERT_IN_RANGE(want, a, 1e-5 * fabs(want));
   m.alpha = 7;
   ASSERT_EQ(SNEPPP_OK, sneppp_conditional_nll(&m, &e, 0, &b, NULL, &edges_error));
   ASSERT_IN_RANGE(a, b, 1e-5 * fabs(a));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_conditional_nll(&m, NULL, 1, &b, NULL, &edges_error));
   sneppp_free(&m);
   PASS();
}

SUITE(edges)
{
   RUN_TEST(edges_regions);
   RUN_TEST(edges_lines_and_points);
   RUN_TEST(edges_setters);
   RUN_TEST(edges_rmse);
   RUN_TEST(edges_conditional_nll);
}
