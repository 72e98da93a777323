/* Public calls, and refusals of theirs, that the suites of the floors do not come by: regions of every kind in windows of
   every kind, parameters set by hand, distances from a known truth, conditional likelihoods, and saved polygons. */
#include "cases.h"
#include <stdio.h>
#include <string.h>

static sneppp_error edges_error;

/* 1 if the region, as one of events, which is not cut, is refused with a sentence that holds `text`; text NULL: 1 if it
   is taken. Counts refuse the same, but of boxes and polygons, which they cut. */
static int edges_region(const sneppp_model *m, const sneppp_window *part, const char *text)
{
   sneppp_region r;
   double        value = 0;
   sneppp_status st;
   memset(&r, 0, sizeof r);
   memset(&edges_error, 0, sizeof edges_error);
   r.factor[0] = part;
   st = sneppp__part_check(&m->desc.factor[0].window, 0, part, 0, &edges_error);
   if (!text && st == SNEPPP_OK && sneppp_count(m, &r, 1, &value, NULL, &edges_error) == SNEPPP_OK && value > 0) return 1;
   if (text && st != SNEPPP_OK && strstr(edges_error.why, text)) {
      int flat = sneppp__is_flat(part) && sneppp__is_flat(&m->desc.factor[0].window);
      return flat == (sneppp_count(m, &r, 1, &value, NULL, NULL) == SNEPPP_OK) && value >= 0;
   }
   printf("   status %d, %g: %s\n", (int)st, value, edges_error.why);
   return 0;
}

static sneppp_window edges_ball(double x, double y, double radius)
{
   sneppp_window w;
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_SPACE_BALL, w.dim = 2, w.centre[0] = x, w.centre[1] = y, w.radius = radius;
   return w;
}

/* A planar model of cosines, whose integrals over balls are known in closed form. */
static sneppp_status edges_model(sneppp_model *m, const sneppp_window *win)
{
   sneppp_desc d;
   memset(&d, 0, sizeof d);
   d.width = 4;
   d.factor[0].window = *win;
   d.factor[0].unit.act = SNEPPP_ACT_COS;
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
   p.space = SNEPPP_SPACE_SPHERE, p.dim = 2;
   ASSERT(edges_region(&m, &p, "no closed form"));
   sneppp_free(&m);

   memset(&w, 0, sizeof w); /* a ball in an L */
   w.space = SNEPPP_SPACE_POLYGON, w.dim = 2, w.count = 6, w.xy = l_shape;
   ASSERT_EQ_FMTm(edges_error.why, SNEPPP_OK, edges_model(&m, &w), "%d");
   p = edges_ball(1, 1, 1);
   ASSERT(edges_region(&m, &p, NULL));
   p = edges_ball(1.5, 1.5, 0.8); /* the inner corner is 0.71 away */
   ASSERT(edges_region(&m, &p, "reaches outside"));
   p = edges_ball(3, 3, 0.5);
   ASSERT(edges_region(&m, &p, "reaches outside"));
   memset(&p, 0, sizeof p); /* all corners inside, but an edge leaves */
   p.space = SNEPPP_SPACE_POLYGON, p.dim = 2, p.count = 4, p.xy = across;
   ASSERT(edges_region(&m, &p, "not in the window"));
   sneppp_free(&m);

   memset(&w, 0, sizeof w); /* around a hole */
   w.space = SNEPPP_SPACE_POLYGON, w.dim = 2, w.rings = 2, w.ring_size = rings, w.xy = hole;
   ASSERT_EQ_FMTm(edges_error.why, SNEPPP_OK, edges_model(&m, &w), "%d");
   p.xy = around;
   ASSERT(edges_region(&m, &p, "not in the window"));
   sneppp_free(&m);
   PASS();
}

/* A polygon of `count` vertices, in rings of four if rings > 0, turned by an angle, scaled and moved. */
static sneppp_window edges_polygon(const double *xy, size_t count, size_t rings, double turn, double scale, double move, double *store)
{
   static const size_t sizes[2] = {8, 4};
   sneppp_window       w;
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_SPACE_POLYGON, w.dim = 2, w.count = rings ? 0 : count, w.rings = rings, w.ring_size = rings ? sizes : NULL, w.xy = store;
   for (size_t k = 0; k < count; k++) {
      store[2 * k] = move + scale * (cos(turn) * xy[2 * k] - sin(turn) * xy[2 * k + 1]);
      store[2 * k + 1] = scale * (sin(turn) * xy[2 * k] + cos(turn) * xy[2 * k + 1]) - move;
   }
   return w;
}

/* A U with a square hole in its bottom. Regions that fill its notch, bridge it or are the hole have all corners on
   the window's border and no edge that crosses it, and are refused; those that share borders with the window are taken,
   wherever the window lies and however it is turned. */
TEST edges_notch(void)
{
   static const double u_shape[24] = {0, 0, 9, 0, 9, 9, 6, 9, 6, 3, 3, 3, 3, 9, 0, 9, 4, 1, 5, 1, 5, 2, 4, 2};
   static const double fill[8] = {3, 3, 6, 3, 6, 9, 3, 9}, bridge[8] = {0, 3, 9, 3, 9, 9, 0, 9}, tooth[6] = {3, 9, 4.5, 3, 6, 9};
   static const double hole[8] = {4, 1, 5, 1, 5, 2, 4, 2}, wedges[16] = {0, 0, 9, 0, 5, 1, 9, 3, 5, 2, 4, 2, 0, 3, 4, 1}, over[6] = {0, 9, 9, 9, 0, 8};
   static const double arm[8] = {0, 0, 3, 0, 3, 9, 0, 9}, diagonal[6] = {0, 0, 0, 6, 4, 2}, touch[6] = {0, 6, 0, 0, 3, 3}, back[8] = {0, 9, 3, 9, 3, 3, 0, 3};
   static const double placed[4][3] = {{0, 1, 0}, {0.3, 1, 0}, {1.1, 1e-6, 3}, {2.5, 100, 4e6}};
   double              ws[24], ps[24], whole, part;
   sneppp_model        m;
   sneppp_window       w, p;
   sneppp_region       r;
   memset(&r, 0, sizeof r);
   r.factor[0] = &p;
   for (int k = 0; k < 4; k++) {
      const double turn = placed[k][0], scale = placed[k][1], move = placed[k][2];
      w = edges_polygon(u_shape, 12, 2, turn, scale, move, ws);
      ASSERT_EQ_FMTm(edges_error.why, SNEPPP_OK, edges_model(&m, &w), "%d");
      p = edges_polygon(fill, 4, 0, turn, scale, move, ps);
      ASSERT(edges_region(&m, &p, "not in the window"));
      p = edges_polygon(bridge, 4, 0, turn, scale, move, ps);
      ASSERT(edges_region(&m, &p, "not in the window"));
      p = edges_polygon(tooth, 3, 0, turn, scale, move, ps);
      ASSERT(edges_region(&m, &p, "not in the window"));
      p = edges_polygon(hole, 4, 0, turn, scale, move, ps);
      ASSERT(edges_region(&m, &p, "not in the window"));
      p = edges_polygon(wedges, 8, 0, turn, scale, move, ps); /* through two sides of the hole, on the border */
      ASSERT(edges_region(&m, &p, "not in the window"));
      p = edges_polygon(over, 3, 0, turn, scale, move, ps);
      ASSERT(edges_region(&m, &p, "region.factor[0]"));
      p = edges_polygon(arm, 4, 0, turn, scale, move, ps);
      ASSERT(edges_region(&m, &p, NULL));
      p = edges_polygon(back, 4, 0, turn, scale, move, ps);
      ASSERT(edges_region(&m, &p, NULL));
      p = edges_polygon(diagonal, 3, 0, turn, scale, move, ps); /* through a corner of the notch and one of the hole */
      ASSERT(edges_region(&m, &p, NULL));
      p = edges_polygon(touch, 3, 0, turn, scale, move, ps);
      ASSERT(edges_region(&m, &p, NULL));
      p = edges_polygon(u_shape, 12, 2, turn, scale, move, ps); /* the window itself */
      ASSERT(edges_region(&m, &p, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &whole, NULL, &edges_error));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &r, 1, &part, NULL, &edges_error));
      ASSERT_IN_RANGE(whole, part, 1e-9 * whole);
      for (size_t i = 0; i < 4; i++) { ps[16 + 2 * i] = ws[16 + 2 * (3 - i)]; ps[17 + 2 * i] = ws[17 + 2 * (3 - i)]; }
      ASSERT(edges_region(&m, &p, NULL)); /* its hole given in the other direction */
      p.rings = 1;
      ASSERT(edges_region(&m, &p, "not in the window")); /* without its hole */
      if (!k) {
         memset(&p, 0, sizeof p);
         p.dim = 2, p.lo[0] = 3, p.lo[1] = 3, p.hi[0] = 6, p.hi[1] = 9; /* the notch as a box */
         ASSERT(edges_region(&m, &p, "not in the window"));
         p.lo[1] = 2, p.hi[1] = 3;
         ASSERT(edges_region(&m, &p, NULL));
      }
      sneppp_free(&m);
   }
   PASS();
}

/* Is every point of a triangle, sampled with `fine` steps per side, in the window? */
static int edges_sampled_inside(const sneppp_window *w, const double *xy, int fine)
{
   for (int i = 0; i < fine; i++)
      for (int j = 0; i + j < fine; j++) {
         double a = (i + 1.0 / 3) / fine, b = (j + 1.0 / 3) / fine, x[2];
         for (int r = 0; r < 2; r++) x[r] = a * xy[r] + b * xy[2 + r] + (1 - a - b) * xy[4 + r];
         if (!sneppp_window_contains(w, x)) return 0;
      }
   return 1;
}

/* Triangles between whole points, most of which touch the border in some way: taken as they are if and only if a fine net
   of their points is in the window. */
TEST edges_triangles(void)
{
   static const double u_shape[24] = {0, 0, 6, 0, 6, 6, 4, 6, 3, 3, 2, 3, 2, 6, 0, 6, 2, 1, 3, 1, 3, 2, 2, 2};
   double              ws[24], ps[6], xy[6];
   int                 taken = 0, refused = 0;
   sneppp_model        m;
   sneppp_window       w = edges_polygon(u_shape, 12, 2, 0, 1, 0, ws), p;
   sneppp_rng          rng;
   ASSERT_EQ_FMTm(edges_error.why, SNEPPP_OK, edges_model(&m, &w), "%d");
   sneppp_rng_init(&rng, 4, 0);
   for (int k = 0; k < 3000; k++) {
      int ok, want;
      for (int r = 0; r < 6; r++) xy[r] = floor(7 * sneppp_rng_uniform(&rng));
      p = edges_polygon(xy, 3, 0, 0, 1, 0, ps);
      if (sneppp__window_check(&p, NULL) != SNEPPP_OK) continue;
      ok = sneppp__part_check(&w, 0, &p, 0, &edges_error) == SNEPPP_OK;
      ASSERT_EQ(ok, sneppp__is_inside(&w, &p));
      want = edges_sampled_inside(&w, xy, 30);
      if (ok != want && want) want = edges_sampled_inside(&w, xy, 1000);
      if (ok != want) printf("   (%g %g) (%g %g) (%g %g): %s\n", xy[0], xy[1], xy[2], xy[3], xy[4], xy[5], ok ? "taken" : edges_error.why);
      ASSERT_EQ(want, ok);
      taken += ok, refused += !ok;
   }
   ASSERT(taken > 100 && refused > 1000);
   sneppp_free(&m);
   PASS();
}

TEST edges_lines_and_points(void)
{
   static const double ends[4] = {0, 2, 5, 9}, inside[4] = {0.5, 1, 6, 7}, gap[2] = {1, 6}, out[2] = {1, 10}, point[6] = {0, 1, 1, 0, 2, 2}, some[3] = {1, 0, 1};
   static const double touching[6] = {0, 2, 2, 4, 5, 9}, across[2] = {1, 4};
   sneppp_model        m;
   sneppp_window       w, p;
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_SPACE_INTERVALS, w.dim = 1, w.count = 2, w.ends = ends;
   ASSERT_EQ_FMTm(edges_error.why, SNEPPP_OK, edges_model(&m, &w), "%d");
   p = w;
   p.ends = inside;
   ASSERT(edges_region(&m, &p, NULL));
   p.count = 1, p.ends = gap;
   ASSERT(edges_region(&m, &p, "spans a gap"));
   p.ends = out;
   ASSERT(edges_region(&m, &p, "outside the window"));
   sneppp_free(&m);
   w.count = 3, w.ends = touching; /* there is no gap where two intervals touch */
   ASSERT_EQ_FMTm(edges_error.why, SNEPPP_OK, edges_model(&m, &w), "%d");
   p.ends = across;
   ASSERT(edges_region(&m, &p, NULL));
   p.ends = gap;
   ASSERT(edges_region(&m, &p, "spans a gap"));
   sneppp_free(&m);
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_SPACE_FINITE, w.dim = 2, w.count = 3, w.point = point;
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
   d.factor[0].unit.act = SNEPPP_ACT_RBF;
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
   d.factor[0].unit.act = SNEPPP_ACT_RELU;
   d.factor[0].no_bias = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &edges_error));
   W[2] = 1, b[1] = 0.5;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_set_layer(&m, 0, W, b, NULL, &edges_error));
   ASSERT(strstr(edges_error.why, "no_bias"));
   sneppp_free(&m);
   PASS();
}

/* A region with a hole in a box. Behind its seven corners lies one that is far outside and not part of it. */
TEST edges_rings(void)
{
   static const double xy[16] = {1, 1, 9, 1, 9, 4, 1, 4, 2, 2, 3, 2, 2, 3, 1e9, 1e9};
   static const size_t ring[2] = {4, 3};
   sneppp_desc         d = fit_desc_box(5);
   sneppp_window       part, whole, hole;
   sneppp_region       r;
   sneppp_model        m;
   double              count[3] = {0, 0, 0};
   memset(&part, 0, sizeof part), memset(&r, 0, sizeof r);
   part.space = SNEPPP_SPACE_POLYGON, part.dim = 2, part.xy = xy;
   whole = hole = part;
   part.rings = 2, part.ring_size = ring;
   whole.count = 4;
   hole.count = 3, hole.xy = xy + 8;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &edges_error));
   ASSERT(edges_region(&m, &part, NULL));
   for (int k = 0; k < 3; k++) {
      r.factor[0] = k == 0 ? &part : k == 1 ? &whole : &hole;
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &r, 1, &count[k], NULL, &edges_error));
   }
   ASSERT_IN_RANGE(count[1] - count[2], count[0], 1e-10 * count[1]);
   sneppp_free(&m);
   PASS();
}

/* Given the number of events, the scale of the intensity does not matter: -sum_i log(lambda_i/Lambda). */
TEST edges_conditional_nll(void)
{
   sneppp_events e = fit_events(40);
   sneppp_desc   d = fit_desc_box(5);
   sneppp_model  m;
   double        a = 0, b = 0, joint = 0, want = 0, total = 0;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &edges_error));
   m.alpha = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &edges_error));
   for (size_t i = 0; i < 40; i++) want += log(total) - sneppp_log_intensity(&m, e.x + 2 * i);
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &joint, &a, NULL, NULL, &edges_error));
   ASSERT_IN_RANGE(want, a, 1e-5 * fabs(want));
   want += total - 40 * log(total) + sneppp__lgamma(41);
   ASSERT_IN_RANGE(want, joint, 1e-5 * fabs(want));
   m.alpha = 7;
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 0, &joint, &b, NULL, NULL, &edges_error));
   ASSERT_IN_RANGE(a, b, 1e-5 * fabs(a));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_nll(&m, NULL, 1, &joint, &b, NULL, NULL, &edges_error));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_nll(&m, &e, 1, NULL, &b, NULL, NULL, &edges_error));
   sneppp_free(&m);
   PASS();
}

SUITE(edges)
{
   RUN_TEST(edges_regions);
   RUN_TEST(edges_notch);
   RUN_TEST(edges_triangles);
   RUN_TEST(edges_lines_and_points);
   RUN_TEST(edges_setters);
   RUN_TEST(edges_rings);
   RUN_TEST(edges_conditional_nll);
}
