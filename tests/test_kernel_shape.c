/* Rectified units and monomials on intervals, polygons, boxes and spheres: against quadrature that shares nothing
   with the closed forms, against central differences, and by the properties that integrals have. */
#include "pair.h"

static uint64_t kernel_shape_state = 1;

static double kernel_shape_random(void) /* uniform in (-1, 1) */
{
   kernel_shape_state = kernel_shape_state * 6364136223846793005ULL + 1442695040888963407ULL;
   return (double)(kernel_shape_state >> 11) / 4503599627370496.0 - 1;
}

static sneppp_window kernel_shape_window(sneppp_space space, int dim)
{
   sneppp_window w;
   memset(&w, 0, sizeof w);
   w.space = space;
   w.dim = dim;
   w.measure = SNEPPP_MEASURE_PROBABILITY;
   return w;
}

static sneppp_unit kernel_shape_unit(sneppp_act act, double p)
{
   sneppp_unit u;
   memset(&u, 0, sizeof u);
   u.act = act;
   u.p = p;
   return u;
}

typedef struct kernel_shape_two { /* a layer of two units */
   sneppp_layer layer;
   sneppp_unit  unit[2];
   double       W[32], b[2];
} kernel_shape_two;

static void kernel_shape_link(kernel_shape_two *t, int d)
{
   t->layer.n = 2;
   t->layer.d = d;
   t->layer.units = t->unit;
   t->layer.W = t->W;
   t->layer.b = t->b;
}

static void kernel_shape_fill(kernel_shape_two *t, int d, sneppp_unit i, sneppp_unit j, double bias)
{
   memset(t, 0, sizeof *t);
   t->unit[0] = i;
   t->unit[1] = j;
   for (int r = 0; r < 2 * d; r++) t->W[r] = 2 * kernel_shape_random();
   for (int r = 0; r < 2; r++) t->b[r] = bias * kernel_shape_random();
   kernel_shape_link(t, d);
}

/* NaN-like sentinel without NaN: no kernel here is this large. */
static double kernel_shape_value(const sneppp_window *win, const kernel_shape_two *t)
{
   double k = 0;
   return one_pair(win, &t->layer, 0, 1, &k) == SNEPPP_OK ? k : 1e30;
}

static double kernel_shape_act(sneppp_unit u, double z)
{
   switch (u.act) {
      case SNEPPP_ACT_ONE: return 1;
      case SNEPPP_ACT_STEP: return z > 0 ? 1 : 0;
      case SNEPPP_ACT_RELU: return z > 0 ? z : 0;
      case SNEPPP_ACT_RECT: return z > 0 ? pow(z, u.p) : 0;
      case SNEPPP_ACT_LEAKY: return z > 0 ? z : u.p * z;
      default: return pow(z, u.p);
   }
}

static double kernel_shape_product(const kernel_shape_two *t, int d, const double *x)
{
   double z[2];
   for (int i = 0; i < 2; i++) {
      z[i] = t->b[i];
      for (int r = 0; r < d; r++) z[i] += t->W[i * d + r] * x[r];
   }
   return kernel_shape_act(t->unit[0], z[0]) * kernel_shape_act(t->unit[1], z[1]);
}

#define KERNEL_SHAPE_UNITS 7
static sneppp_unit kernel_shape_pick(int k)
{
   switch (k) {
      case 0: return kernel_shape_unit(SNEPPP_ACT_RELU, 1);
      case 1: return kernel_shape_unit(SNEPPP_ACT_STEP, 0);
      case 2: return kernel_shape_unit(SNEPPP_ACT_LEAKY, 0.3);
      case 3: return kernel_shape_unit(SNEPPP_ACT_ONE, 0);
      case 4: return kernel_shape_unit(SNEPPP_ACT_RECT, 2);
      case 5: return kernel_shape_unit(SNEPPP_ACT_MONOMIAL, 1);
      default: return kernel_shape_unit(SNEPPP_ACT_MONOMIAL, 2);
   }
}

static const double kernel_shape_ends[] = { -0.8, 0.1, 0.4, 1.5, 2.0, 2.25 };
/* An L with a square hole: rings in different directions, and the hole in the direction of its ring's choice. */
static const double kernel_shape_xy[] = { 0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75, 0.25 };
static const size_t kernel_shape_rings[] = { 6, 4 };

static sneppp_window kernel_shape_intervals(void)
{
   sneppp_window w = kernel_shape_window(SNEPPP_SPACE_INTERVALS, 1);
   w.count = 3;
   w.ends = kernel_shape_ends;
   return w;
}

static sneppp_window kernel_shape_polygon(void)
{
   sneppp_window w = kernel_shape_window(SNEPPP_SPACE_POLYGON, 2);
   w.rings = 2;
   w.ring_size = kernel_shape_rings;
   w.xy = kernel_shape_xy;
   return w;
}

TEST kernel_shape_interval_quadrature(void)
{
   sneppp_window win = kernel_shape_intervals();
   for (int a = 0; a < KERNEL_SHAPE_UNITS; a++)
      for (int c = a; c < KERNEL_SHAPE_UNITS; c++) {
         kernel_shape_two t;
         double           sum = 0;
         int              n = 20000;
         kernel_shape_fill(&t, 1, kernel_shape_pick(a), kernel_shape_pick(c), 1);
         for (int s = 0; s < 3; s++) {
            double lo = kernel_shape_ends[2 * s], h = (kernel_shape_ends[2 * s + 1] - lo) / n;
            for (int k = 0; k < n; k++) {
               double x = lo + (k + 0.5) * h;
               sum += h * kernel_shape_product(&t, 1, &x);
            }
         }
         /* The midpoint rule errs by h at a jump, h^2 at a kink. */
         ASSERT_IN_RANGE(sum, kernel_shape_value(&win, &t), 2e-3);
      }
   PASS();
}

/* A grid: an event is in the window or not; errors of the order of the perimeter times the step. */
TEST kernel_shape_polygon_quadrature(void)
{
   sneppp_window win = kernel_shape_polygon(), box = kernel_shape_window(SNEPPP_SPACE_BOX, 2);
   box.lo[0] = -0.5;
   box.lo[1] = 0.25;
   box.hi[0] = 1;
   box.hi[1] = 2;
   for (int a = 0; a < KERNEL_SHAPE_UNITS; a++)
      for (int c = a; c < KERNEL_SHAPE_UNITS; c += 2) {
         kernel_shape_two t;
         double           sum = 0, all = 0;
         int              n = 240;
         kernel_shape_fill(&t, 2, kernel_shape_pick(a), kernel_shape_pick(c), 0.5);
         for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
               double x[2];
               x[0] = 2 * (i + 0.5) / n;
               x[1] = 2 * (j + 0.5) / n;
               if (sneppp__polygon_holds(&win, x[0], x[1])) sum += kernel_shape_product(&t, 2, x) * 4 / n / n;
               x[0] = -0.5 + 1.5 * (i + 0.5) / n;
               x[1] = 0.25 + 1.75 * (j + 0.5) / n;
               all += kernel_shape_product(&t, 2, x) * 1.5 * 1.75 / n / n;
            }
         ASSERT_IN_RANGE(sum, kernel_shape_value(&win, &t), 2e-2);
         ASSERT_IN_RANGE(all, kernel_shape_value(&box, &t), 2e-2);
      }
   PASS();
}

/* z and the longitude are independent and uniform on S^2 (Archimedes). */
TEST kernel_shape_sphere_quadrature(void)
{
   sneppp_window two = kernel_shape_window(SNEPPP_SPACE_SPHERE, 3), one = kernel_shape_window(SNEPPP_SPACE_SPHERE, 2);
   for (int a = 0; a < 4; a++)
      for (int c = a; c < 4; c++)
         for (int bias = 0; bias < 2; bias++) {
            kernel_shape_two t, s;
            double           sum = 0, arc = 0;
            int              n = 200;
            kernel_shape_fill(&t, 3, kernel_shape_pick(a), kernel_shape_pick(c), bias * 1.5);
            kernel_shape_fill(&s, 2, kernel_shape_pick(a), kernel_shape_pick(c), bias * 1.5);
            for (int i = 0; i < n; i++)
               for (int j = 0; j < n; j++) {
                  double x[3], z = -1 + 2 * (i + 0.5) / n, phi = 2 * SNEPPP__PI * (j + 0.5) / n;
                  x[0] = sqrt(1 - z * z) * cos(phi);
                  x[1] = sqrt(1 - z * z) * sin(phi);
                  x[2] = z;
                  sum += kernel_shape_product(&t, 3, x) / n / n;
               }
            for (int j = 0; j < n * n; j++) {
               double x[2], phi = 2 * SNEPPP__PI * (j + 0.5) / (n * n);
               x[0] = cos(phi);
               x[1] = sin(phi);
               arc += kernel_shape_product(&s, 2, x) / (n * n);
            }
            ASSERT_IN_RANGE(sum, kernel_shape_value(&two, &t), 1e-2);
            ASSERT_IN_RANGE(arc, kernel_shape_value(&one, &s), 1e-3);
         }
   PASS();
}

/* One coordinate of a uniform point on S^(d-1) has the density (1-z^2)^((d-3)/2); z = sin t removes the singular ends. */
TEST kernel_shape_sphere_moments(void)
{
   for (int d = 2; d <= 7; d++)
      for (int p = 0; p <= 3; p++)
         for (int turn = 0; turn < 8; turn++) {
            sneppp_window    win = kernel_shape_window(SNEPPP_SPACE_SPHERE, d);
            kernel_shape_two t;
            double           n = 0, sum = 0, mass = 0, c = 0;
            int              N = 20000;
            kernel_shape_fill(&t, d, kernel_shape_unit(SNEPPP_ACT_RECT, p), kernel_shape_unit(SNEPPP_ACT_ONE, 0), 4);
            t.layer.n = 1;
            ASSERT_EQ(SNEPPP_OK, sneppp_moments(&win, &t.layer, &c, NULL));
            for (int r = 0; r < d; r++) n += t.W[r] * t.W[r];
            n = sqrt(n);
            for (int k = 0; k < N; k++) {
               double s = SNEPPP__PI * ((k + 0.5) / N - 0.5), w = pow(cos(s), d - 2);
               sum += w * kernel_shape_act(t.unit[0], n * sin(s) + t.b[0]);
               mass += w;
            }
            /* Relative to the largest value; a jump costs the rule one step. */
            ASSERT_IN_RANGE(sum / mass, c, (p ? 1e-6 : 2e-4) * fmax(1, pow(n + fabs(t.b[0]), p)));
         }
   PASS();
}

/* Small caps of units of any order keep their digits: M_p = f n^p int_0^a (cos x - t)^p sin^(d-2) x dx, and d M_p/db = p
   M_(p-1). On S^2 it is n^p (1-t)^(p+1) / (2 (p+1)). */
TEST kernel_shape_small_caps(void)
{
   static const double at[4] = {0.1, 0.7, 0.9, 0.99};
   static const int    dims[5] = {2, 3, 4, 7, 16}, orders[5] = {1, 2, 5, 10, 20};
   for (int k = 0; k < 100; k++) {
      const int         d = dims[k % 5], p = orders[k / 5 % 5], N = 4000;
      const double      t = at[k / 25], angle = acos(t), one = 1;
      sneppp_window     win = kernel_shape_window(SNEPPP_SPACE_SPHERE, d);
      kernel_shape_two  two;
      sneppp_layer_grad out;
      double            c = 0, gb = 0, mass = 0, want[2] = {0, 0};
      memset(&two, 0, sizeof two);
      memset(&out, 0, sizeof out);
      two.unit[0] = kernel_shape_unit(SNEPPP_ACT_RECT, p), two.W[0] = 2, two.b[0] = -2 * t;
      kernel_shape_link(&two, d);
      two.layer.n = 1, out.b = &gb;
      ASSERT_EQ(SNEPPP_OK, sneppp_moments(&win, &two.layer, &c, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_moments_grad(&win, &two.layer, &one, &out, NULL));
      for (int i = 0; i <= N; i++) { /* Simpson's rule */
         double w = i == 0 || i == N ? 1 : i % 2 ? 4 : 2, x = angle * i / N, y = SNEPPP__PI * i / N;
         double u = 4 * sin((angle + x) / 2) * sin((angle - x) / 2), f = w * angle * sneppp__ipow(sin(x), d - 2);
         want[0] += f * sneppp__ipow(u, p);
         want[1] += f * p * sneppp__ipow(u, p - 1);
         mass += w * SNEPPP__PI * sneppp__ipow(sin(y), d - 2);
      }
      ASSERT_IN_RANGE(want[0] / mass, c, 1e-9 * want[0] / mass);
      ASSERT_IN_RANGE(want[1] / mass, gb, 1e-9 * want[1] / mass);
   }
   PASS();
}

/* z^0 is 1 where z is 0, too, and beside a unit with a bias. */
TEST kernel_shape_constant_on_spheres(void)
{
   for (int d = 2; d <= 3; d++)
      for (int act = 0; act < 2; act++) {
         sneppp_window    win = kernel_shape_window(SNEPPP_SPACE_SPHERE, d);
         kernel_shape_two t;
         double           c[2] = {0, 0};
         kernel_shape_fill(&t, d, kernel_shape_unit(SNEPPP_ACT_MONOMIAL, 0),
                           kernel_shape_unit(act ? SNEPPP_ACT_RELU : SNEPPP_ACT_STEP, 1), 0.3);
         for (int r = 0; r < d; r++) t.W[r] = 0;
         t.b[0] = 0, t.b[1] = 0.2;
         ASSERT_EQ(SNEPPP_OK, sneppp_moments(&win, &t.layer, c, NULL));
         ASSERT(c[1] > 0.1);
         ASSERT_IN_RANGE(c[1], kernel_shape_value(&win, &t), 1e-14);
      }
   PASS();
}

/* Central differences of k(0, 1) against the pull-back with G = E_01. */
static int kernel_shape_gradient_ok(const sneppp_window *win, kernel_shape_two *t, int d)
{
   double            G[4] = { 0, 1, 0, 0 }, gW[32], gb[2], scale = 1e-3;
   sneppp_layer_grad out;
   memset(&out, 0, sizeof out);
   memset(gW, 0, sizeof gW);
   memset(gb, 0, sizeof gb);
   out.W = gW;
   out.b = gb;
   if (sneppp_gram_grad(win, &t->layer, G, &out, NULL, NULL) != SNEPPP_OK) return 0;
   for (int r = 0; r < 2 * d; r++) scale = fmax(scale, fabs(gW[r]));
   for (int r = 0; r < 2 * d + 2; r++) {
      double *x = r < 2 * d ? &t->W[r] : &t->b[r - 2 * d], old = *x, h = 1e-5, up, down, got = r < 2 * d ? gW[r] : gb[r - 2 * d];
      if (r >= 2 * d && old == 0) continue; /* a row that knows no bias: the other side has another row */
      *x = old + h;
      up = kernel_shape_value(win, t);
      *x = old - h;
      down = kernel_shape_value(win, t);
      *x = old;
      if (!(fabs((up - down) / (2 * h) - got) <= 1e-7 * scale)) return 0;
   }
   return 1;
}

TEST kernel_shape_differences(void)
{
   int tried = 0, failed = 0;
   for (int a = 0; a < KERNEL_SHAPE_UNITS; a++)
      for (int c = a; c < KERNEL_SHAPE_UNITS; c++)
         for (int turn = 0; turn < 6; turn++)
            for (int where = 0; where < 6; where++) {
               static const int    dim[] = { 1, 2, 2, 2, 3, 5 };
               static const double bias[] = { 1, 1, 1, 1, 1, 0 };
               sneppp_window       win = where == 0 ? kernel_shape_intervals() : where == 1 ? kernel_shape_polygon() : kernel_shape_window(where == 2 ? SNEPPP_SPACE_BOX : SNEPPP_SPACE_SPHERE, dim[where]);
               kernel_shape_two    t;
               win.hi[0] = 1;
               win.hi[1] = 2;
               if ((where == 3 || where == 4) && (a == 4 || c == 4 || c == 6)) continue; /* order 2 with bias */
               kernel_shape_fill(&t, dim[where], kernel_shape_pick(a), kernel_shape_pick(c), bias[where]);
               tried++;
               failed += !kernel_shape_gradient_ok(&win, &t, dim[where]);
            }
   ASSERT(tried > 500);
   /* A kink within 1e-5 of an end of the window, or two kinks that close, makes the difference wrong, not the
      derivative; with these random numbers it happens to at most a few. */
   ASSERT_IN_RANGE(0, failed, 5);
   PASS();
}

TEST kernel_shape_additive(void)
{
   static const double whole[] = { 0, 0, 3, 0, 3, 1, 0, 2 }, left[] = { 0, 0, 1, 0, 1.5, 1.5, 0, 2 }, right[] = { 1, 0, 3, 0, 3, 1, 1.5, 1.5 };
   static const double one[] = { -1, 2 }, cut[] = { -1, 0.3, 0.3, 2 };
   static const double outer[] = { 0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2 }, inner[] = { 0.25, 0.25, 0.75, 0.25, 0.75, 0.75, 0.25, 0.75 };
   for (int turn = 0; turn < 200; turn++) {
      kernel_shape_two t, s;
      sneppp_window    w = kernel_shape_window(SNEPPP_SPACE_POLYGON, 2), l = w, r = w, hole = kernel_shape_polygon(), i = kernel_shape_window(SNEPPP_SPACE_INTERVALS, 1), j = i, b = kernel_shape_window(SNEPPP_SPACE_BOX, 2), p = w;
      double           corners[8];
      kernel_shape_fill(&t, 2, kernel_shape_pick(turn % 7), kernel_shape_pick(turn / 7 % 7), 2);
      kernel_shape_fill(&s, 1, kernel_shape_pick(turn % 7), kernel_shape_pick(turn / 7 % 7), 1);
      w.count = l.count = r.count = p.count = 4;
      w.xy = whole;
      l.xy = left;
      r.xy = right;
      ASSERT_IN_RANGE(kernel_shape_value(&w, &t), kernel_shape_value(&l, &t) + kernel_shape_value(&r, &t), 1e-12);
      i.count = 1;
      i.ends = one;
      j.count = 2;
      j.ends = cut;
      ASSERT_IN_RANGE(kernel_shape_value(&i, &s), kernel_shape_value(&j, &s), 1e-13);
      w.count = 6;
      w.xy = outer;
      l.xy = inner;
      ASSERT_IN_RANGE(kernel_shape_value(&w, &t) - kernel_shape_value(&l, &t), kernel_shape_value(&hole, &t), 1e-12);
      b.lo[0] = kernel_shape_random();
      b.lo[1] = kernel_shape_random();
      b.hi[0] = b.lo[0] + 1.5;
      b.hi[1] = b.lo[1] + 0.5;
      corners[0] = corners[2] = b.lo[0]; /* clockwise, on purpose */
      corners[4] = corners[6] = b.hi[0];
      corners[1] = corners[7] = b.lo[1];
      corners[3] = corners[5] = b.hi[1];
      p.xy = corners;
      ASSERT_IN_RANGE(kernel_shape_value(&b, &t), kernel_shape_value(&p, &t), 1e-13);
      b.dim = 1;
      b.lo[0] = -1;
      b.hi[0] = 2;
      ASSERT_IN_RANGE(kernel_shape_value(&b, &s), kernel_shape_value(&i, &s), 1e-13);
   }
   PASS();
}

/* Moving window and bias together changes nothing; all shifts are exact in binary. */
TEST kernel_shape_far_away(void)
{
   static const double slender[] = { 0, 0, 1, 0.0009765625, 1, 0.001953125, 0, 0.0009765625 };
   for (int turn = 0; turn < 100; turn++) {
      sneppp_window    w = kernel_shape_window(SNEPPP_SPACE_POLYGON, 2), f = w, i = kernel_shape_window(SNEPPP_SPACE_INTERVALS, 1), g = i;
      double           xy[8], ends[2], far_ends[2], near, away;
      kernel_shape_two t, s;
      kernel_shape_fill(&t, 2, kernel_shape_pick(turn % 3), kernel_shape_pick(turn / 3 % 3), 1);
      for (int r = 0; r < 4; r++) t.W[r] = floor(t.W[r] * 64) / 64;
      for (int r = 0; r < 2; r++) t.b[r] = floor(t.b[r] * 1024) / 1024;
      s = t;
      kernel_shape_link(&t, 2);
      kernel_shape_link(&s, 2);
      for (int k = 0; k < 4; k++) { xy[2 * k] = slender[2 * k] + 100000; xy[2 * k + 1] = slender[2 * k + 1] - 30000; }
      for (int k = 0; k < 2; k++) s.b[k] -= t.W[2 * k] * 100000 - t.W[2 * k + 1] * 30000;
      w.count = f.count = 4;
      w.xy = slender;
      f.xy = xy;
      near = kernel_shape_value(&w, &t);
      away = kernel_shape_value(&f, &s);
      ASSERT_IN_RANGE(near, away, 1e-14 * 0.001);
      kernel_shape_link(&t, 1);
      s = t;
      kernel_shape_link(&s, 1);
      for (int k = 0; k < 2; k++) s.b[k] -= t.W[k] * 100000;
      ends[0] = -0.5;
      ends[1] = 1;
      far_ends[0] = 99999.5;
      far_ends[1] = 100001;
      i.count = g.count = 1;
      i.ends = ends;
      g.ends = far_ends;
      /* A kink near 1e5 is known to 1e5 eps = 1.5e-11. */
      ASSERT_IN_RANGE(kernel_shape_value(&i, &t), kernel_shape_value(&g, &s), 1e-9);
   }
   PASS();
}

/* Rotations in the planes (0, 1) and (1, 2), and the two forms at b = 0. */
TEST kernel_shape_rotation(void)
{
   for (int turn = 0; turn < 200; turn++) {
      int              d = 3 + 2 * (turn % 2), a = turn / 2 % 4, c = turn / 8 % 4;
      sneppp_window    win = kernel_shape_window(SNEPPP_SPACE_SPHERE, d);
      kernel_shape_two t, s;
      sneppp__pair     p;
      double           angle = 3 * kernel_shape_random(), before;
      kernel_shape_fill(&t, d, kernel_shape_pick(a), kernel_shape_pick(c), d == 3 ? 1 : 0);
      before = kernel_shape_value(&win, &t);
      s = t;
      kernel_shape_link(&s, d);
      for (int axis = 0; axis < 2; axis++)
         for (int k = 0; k < 2; k++) {
            double *w = s.W + k * d + axis, x = w[0], y = w[1];
            w[0] = cos(angle) * x - sin(angle) * y;
            w[1] = sin(angle) * x + cos(angle) * y;
         }
      ASSERT_IN_RANGE(before, kernel_shape_value(&win, &s), 1e-13);
      win.measure = SNEPPP_MEASURE_SURFACE;
      ASSERT_IN_RANGE(before * sneppp_window_mass(&win), kernel_shape_value(&win, &t), 1e-12);
      if (d != 3) continue;
      memset(&p, 0, sizeof p);
      p.win = &win;
      p.d = 3;
      for (int k = 0; k < 2; k++) p.u[k] = t.unit[k], p.w[k] = t.W + 3 * k;
      for (int k = 0; k < 2; k++) if (p.u[k].act == SNEPPP_ACT_ONE) p.u[k].act = SNEPPP_ACT_MONOMIAL, p.u[k].p = 0;
      ASSERT_IN_RANGE(sneppp__homogeneous_pair(&p, NULL), sneppp__signs_pair(&p, NULL, 1, sneppp__caps_core), 1e-13);
   }
   PASS();
}

/* Whole matrices go through tiles, single values do not. Zero weights and a tiny norm leave the fast path. */
TEST kernel_shape_tiles(void)
{
   enum { N = 37 };
   static double W[3 * N], b[N], K[N * N], G[N * N], gW[3 * N], gb[N], sum[3 * N], sumb[N];
   for (int where = 0; where < 4; where++) {
      sneppp_window     win = where == 1 ? kernel_shape_intervals() : kernel_shape_window(where == 2 ? SNEPPP_SPACE_BOX : SNEPPP_SPACE_SPHERE, where == 2 ? 1 : 3);
      sneppp_layer      layer;
      sneppp_layer_grad out;
      int               d = win.dim;
      win.hi[0] = 1;
      memset(&layer, 0, sizeof layer);
      layer.n = N;
      layer.unit = kernel_shape_unit(SNEPPP_ACT_RELU, 1);
      layer.W = W;
      layer.b = d == 1 ? b : NULL;
      for (int i = 0; i < d * N; i++) W[i] = kernel_shape_random();
      for (int i = 0; i < N; i++) b[i] = kernel_shape_random();
      for (int i = 0; i < N * N; i++) G[i] = kernel_shape_random();
      for (int r = 0; r < d; r++) {
         W[3 * d + r] = W[7 * d + r];               /* parallel */
         W[4 * d + r] = -W[7 * d + r];              /* opposite */
         if (where == 3) W[20 * d + r] = 0;
         if (where == 3) W[5 * d + r] *= 1e-150;
      }
      ASSERT_EQ(SNEPPP_OK, sneppp_gram(&win, &layer, K, NULL, NULL));
      memset(gW, 0, sizeof gW);
      memset(gb, 0, sizeof gb);
      memset(sum, 0, sizeof sum);
      memset(sumb, 0, sizeof sumb);
      memset(&out, 0, sizeof out);
      out.W = gW;
      out.b = gb;
      ASSERT_EQ(SNEPPP_OK, sneppp_gram_grad(&win, &layer, G, &out, NULL, NULL));
      for (int i = 0; i < N; i++)
         for (int j = i; j < N; j++) {
            double       k = 0;
            sneppp__pair p;
            sneppp__pull pull;
            ASSERT_EQ(SNEPPP_OK, one_pair(&win, &layer, i, j, &k));
            ASSERT_IN_RANGE(k, K[i * N + j], 1e-15);
            memset(&p, 0, sizeof p);
            memset(&pull, 0, sizeof pull);
            p.win = &win;
            p.d = d;
            pull.g = i == j ? G[i * N + i] : G[i * N + j] + G[j * N + i];
            for (int s = 0; s < 2; s++) {
               int at = s ? j : i;
               p.u[s] = layer.unit;
               p.w[s] = W + at * d;
               p.b[s] = layer.b ? b[at] : 0;
               pull.w[s] = sum + at * d;
               pull.b[s] = sumb + at;
            }
            if (d == 1) sneppp__signs_pair(&p, &pull, 0, sneppp__cut_core);
            else sneppp__homogeneous_pair(&p, &pull);
         }
      for (int i = 0; i < d * N; i++) ASSERT_IN_RANGE(sum[i], gW[i], 1e-13);
      for (int i = 0; i < N; i++) ASSERT_IN_RANGE(sumb[i], gb[i], 1e-13);
   }
   PASS();
}

/* Nothing that a unit may be makes an infinity: zero, parallel, opposite, nearly so, tiny and large weights. */
TEST kernel_shape_degenerate(void)
{
   static const double factor[] = { 0, 1, -1, 1e-8, 1e3, -1e-150 }, tilt[] = { 0, 1e-16, 1e-9 }, bias[] = { 0, 1, -1, 1e-8, -1e3 };
   for (int where = 0; where < 5; where++)
      for (int a = 0; a < 4; a++)
         for (int c = 0; c < 4; c++)
            for (int f = 0; f < 6; f++)
               for (int e = 0; e < 3; e++)
                  for (int u = 0; u < 25; u++) {
                     static const int  dim[] = { 1, 2, 2, 3, 4 };
                     int               d = dim[where];
                     sneppp_window     win = where == 0 ? kernel_shape_intervals() : where == 1 ? kernel_shape_polygon() : kernel_shape_window(SNEPPP_SPACE_SPHERE, d);
                     kernel_shape_two  t;
                     double            G[4] = { 1, 1, 0, 1 }, gW[32], gb[2], K[4], bound;
                     sneppp_layer_grad out;
                     kernel_shape_fill(&t, d, kernel_shape_pick(a), kernel_shape_pick(c), 0);
                     for (int r = 0; r < d; r++) t.W[d + r] = factor[f] * t.W[r];
                     t.W[d] += tilt[e] * factor[f];
                     if (where < 4) { t.b[0] = bias[u % 5]; t.b[1] = bias[u / 5]; }
                     memset(&out, 0, sizeof out);
                     out.W = gW;
                     out.b = gb;
                     memset(gW, 0, sizeof gW);
                     memset(gb, 0, sizeof gb);
                     ASSERT_EQ(SNEPPP_OK, sneppp_gram(&win, &t.layer, K, NULL, NULL));
                     bound = sqrt(fmax(K[0], 0) * fmax(K[3], 0));
                     ASSERT(K[0] >= 0 && K[3] >= 0);
                     ASSERT(fabs(K[1]) <= bound * (1 + 1e-9) + 1e-13 * (1 + fabs(factor[f])) * (1 + fabs(t.b[0])) * (1 + fabs(t.b[1]))); /* Cauchy-Schwarz */
                     ASSERT_EQ(SNEPPP_OK, sneppp_gram_grad(&win, &t.layer, G, &out, NULL, NULL)); /* refuses what is not finite */
                  }
   PASS();
}

static int kernel_shape_refuses(const double *xy, size_t count, const char *word)
{
   sneppp_window w = kernel_shape_window(SNEPPP_SPACE_POLYGON, 2);
   sneppp_error  err;
   memset(&err, 0, sizeof err);
   w.xy = xy;
   w.count = count;
   return sneppp__polygon_check(&w, &err) == SNEPPP_ERR_ARG && strstr(err.why, word) != NULL;
}

TEST kernel_shape_bad_polygons(void)
{
   static const double bow[] = { 0, 0, 1, 1, 1, 0, 0, 1 }, twice[] = { 0, 0, 1, 0, 1, 0, 0, 1 }, closed[] = { 0, 0, 1, 0, 0, 1, 0, 0 };
   static const double line[] = { 0, 0, 1, 1, 2, 2 }, spike[] = { 0, 0, 2, 0, 1, 0, 1, 1 }, touch[] = { 0, 0, 2, 0, 2, 2, 1, 0, 0, 2 }, good[] = { 0, 0, 1, 0, 2, 0, 2, 1 };
   static const double cross[] = { 0, 0, 2, 0, 2, 2, 0, 2, 1, 1, 3, 1, 3, 3, 1, 3 };
   static const size_t rings[] = { 4, 4 };
   sneppp_window       w = kernel_shape_window(SNEPPP_SPACE_POLYGON, 2);
   sneppp_error        err;
   ASSERT(kernel_shape_refuses(bow, 4, "edge 0 of ring 0 meets edge 2 of ring 0"));
   ASSERT(kernel_shape_refuses(twice, 4, "vertices 1 and 2 coincide"));
   ASSERT(kernel_shape_refuses(closed, 4, "vertices 3 and 0 coincide"));
   ASSERT(kernel_shape_refuses(line, 3, "folds back"));
   ASSERT(kernel_shape_refuses(spike, 4, "folds back"));
   ASSERT(kernel_shape_refuses(touch, 5, "meets"));
   ASSERT(kernel_shape_refuses(line, 2, "needs 3"));
   ASSERT(kernel_shape_refuses(NULL, 3, "NULL"));
   w.xy = good; /* a vertex in the middle of an edge is allowed */
   w.count = 4;
   ASSERT_EQ(SNEPPP_OK, sneppp__polygon_check(&w, NULL));
   ASSERT_IN_RANGE(1.0, sneppp__polygon_area(&w), 1e-15);
   w.xy = cross;
   w.rings = 2;
   w.ring_size = rings;
   memset(&err, 0, sizeof err);
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp__polygon_check(&w, &err));
   ASSERT(strstr(err.why, "ring 1") != NULL);
   w = kernel_shape_polygon();
   ASSERT_EQ(SNEPPP_OK, sneppp__polygon_check(&w, NULL));
   ASSERT_IN_RANGE(2.75, sneppp__polygon_area(&w), 1e-15);
   ASSERT(sneppp__polygon_holds(&w, 0.1, 0.1) && !sneppp__polygon_holds(&w, 0.5, 0.5) && !sneppp__polygon_holds(&w, 1.5, 1.5));
   ASSERT(sneppp__polygon_holds(&w, 0, 0) && sneppp__polygon_holds(&w, 2, 0.5) && sneppp__polygon_holds(&w, 0.25, 0.5)); /* borders belong */
   PASS();
}

/* The slope of a step on the sphere beside a ReLU that is positive everywhere: the integral of the ReLU along the rim. */
TEST kernel_shape_step_in_whole_cap(void)
{
   sneppp_window    w = kernel_shape_window(SNEPPP_SPACE_SPHERE, 3);
   kernel_shape_two t;
   for (int turn = 0; turn < 20; turn++) {
      double            G[4] = {0, 1, 0, 0}, gW[6] = {0}, gb[2] = {0};
      sneppp_layer_grad out;
      kernel_shape_fill(&t, 3, kernel_shape_pick(1), kernel_shape_pick(0), 0.3);
      for (int r = 3; r < 6; r++) t.W[r] *= turn ? 0.1 : 0;
      t.b[1] = 0.7;
      memset(&out, 0, sizeof out);
      out.W = gW, out.b = gb;
      ASSERT_EQ(SNEPPP_OK, sneppp_gram_grad(&w, &t.layer, G, &out, NULL, NULL));
      for (int r = 0; r < 4; r++) {
         double *x = r < 3 ? &t.W[r] : &t.b[0], old = *x, h = 1e-6, up, down;
         *x = old + h, up = kernel_shape_value(&w, &t);
         *x = old - h, down = kernel_shape_value(&w, &t);
         *x = old;
         ASSERT_IN_RANGE((up - down) / (2 * h), r < 3 ? gW[r] : gb[0], 1e-7);
      }
   }
   PASS();
}

TEST kernel_shape_refused(void)
{
   sneppp_window    w = kernel_shape_window(SNEPPP_SPACE_SPHERE, 4);
   kernel_shape_two t;
   double           k = 0;
   kernel_shape_fill(&t, 4, kernel_shape_pick(0), kernel_shape_pick(0), 1);
   ASSERT_EQ(SNEPPP_ERR_NO_CLOSED_FORM, one_pair(&w, &t.layer, 0, 1, &k)); /* bias, d = 4 */
   t.b[0] = t.b[1] = 0;
   ASSERT_EQ(SNEPPP_OK, one_pair(&w, &t.layer, 0, 1, &k));
   w.dim = 3;
   kernel_shape_fill(&t, 3, kernel_shape_pick(4), kernel_shape_pick(4), 1);
   ASSERT_EQ(SNEPPP_ERR_NO_CLOSED_FORM, one_pair(&w, &t.layer, 0, 1, &k)); /* order 2 and bias */
   w = kernel_shape_window(SNEPPP_SPACE_BOX, 3);
   w.hi[0] = w.hi[1] = w.hi[2] = 1;
   ASSERT_EQ(SNEPPP_ERR_NO_CLOSED_FORM, one_pair(&w, &t.layer, 0, 1, &k)); /* polytopes */
   PASS();
}

/* Bells much wider than the window and much narrower than the normal law keep their digits: d/dl of the integral of
   exp(-(x - 1/2)^2 / l^2) over [0, 1] tends to 1/(6 l^3), and its mean under N(0, 1) to l sqrt(1/2) exp(-1/8). */
TEST kernel_shape_bells_of_every_width(void)
{
   static const double width[8] = {1e6, 1e7, 1e8, 1e12, 1e-100, 1e-160, 1e-200, 1e-300};
   for (int k = 0; k < 8; k++) {
      const double      centre = 0.5, one = 1, l = width[k];
      sneppp_window     win = kernel_shape_window(k < 4 ? SNEPPP_SPACE_BOX : SNEPPP_SPACE_GAUSS, 1);
      sneppp_layer      layer;
      sneppp_layer_grad out;
      double            K = 0, gl = 0;
      memset(&layer, 0, sizeof layer);
      memset(&out, 0, sizeof out);
      win.hi[0] = 1, out.width = &gl;
      layer.n = 1, layer.W = &centre, layer.width = &width[k], layer.unit = kernel_shape_unit(SNEPPP_ACT_RBF, 0);
      if (k < 4) {
         ASSERT_EQ(SNEPPP_OK, sneppp_gram_grad(&win, &layer, &one, &out, NULL, NULL));
         ASSERT_IN_RANGE(1, gl * l * l * l * 6, 1e-9);
      } else {
         ASSERT_EQ(SNEPPP_OK, sneppp_gram(&win, &layer, &K, NULL, NULL));
         ASSERT_IN_RANGE(1, K / (l * sqrt(0.5) * exp(-0.125)), 1e-12);
      }
   }
   PASS();
}

SUITE(kernel_shape)
{
   kernel_shape_state = 20240601;
   RUN_TEST(kernel_shape_interval_quadrature);
   RUN_TEST(kernel_shape_polygon_quadrature);
   RUN_TEST(kernel_shape_sphere_quadrature);
   RUN_TEST(kernel_shape_sphere_moments);
   RUN_TEST(kernel_shape_differences);
   RUN_TEST(kernel_shape_additive);
   RUN_TEST(kernel_shape_far_away);
   RUN_TEST(kernel_shape_rotation);
   RUN_TEST(kernel_shape_tiles);
   RUN_TEST(kernel_shape_degenerate);
   RUN_TEST(kernel_shape_bad_polygons);
   RUN_TEST(kernel_shape_step_in_whole_cap);
   RUN_TEST(kernel_shape_refused);
   RUN_TEST(kernel_shape_small_caps);
   RUN_TEST(kernel_shape_constant_on_spheres);
   RUN_TEST(kernel_shape_bells_of_every_width);
}
