/* L-BFGS, its line search, the cone step and the pivoted Cholesky factorisation. */
static double optim_rosenbrock(size_t n, const double *x, double *g)
{
   double f = 0;
   memset(g, 0, n * sizeof *g);
   for (size_t i = 0; i + 1 < n; i++) {
      double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
      f += 100 * a * a + b * b;
      g[i] += -400 * a * x[i] - 2 * b;
      g[i + 1] += 200 * a;
   }
   return f;
}

/* Runs L-BFGS with the line search until the gradient is small; returns the evaluations, 0 if it failed. */
static size_t optim_run(double (*fn)(size_t, const double *, double *), size_t n, double *x, double tol)
{
   static double  space[2 * SNEPPP__PAIRS * 64 + 4096];
   double         g[64], g1[64], d[64], x1[64], f = fn(n, x, g);
   sneppp__lbfgs  L;
   sneppp__carver c = sneppp__measure();
   size_t         calls = 1;
   c.base = (unsigned char *)space;
   sneppp__place_lbfgs(&c, &L, n);
   for (int step = 0; step < 1000 && sqrt(sneppp__dot(n, g, g)) > tol; step++) {
      sneppp__search s;
      double         after;
      int            more;
      sneppp__lbfgs_direction(&L, g, 1e-3, d);
      s = sneppp__search_start(f, sneppp__dot(n, g, d), 1);
      do {
         for (size_t i = 0; i < n; i++) x1[i] = x[i] + s.t * d[i];
         after = fn(n, x1, g1), calls++;
         more = sneppp__search_next(&s, after, sneppp__dot(n, g1, d));
      } while (more > 0);
      if (more < 0) return 0;
      sneppp__lbfgs_learn(&L, s.t, d, g, g1);
      memcpy(x, x1, n * sizeof *x), memcpy(g, g1, n * sizeof *g), f = after;
   }
   return sqrt(sneppp__dot(n, g, g)) > tol ? 0 : calls;
}

TEST optim_finds_the_minimum_of_rosenbrock(void)
{
   double x[20];
   size_t calls;
   for (size_t i = 0; i < 20; i++) x[i] = i % 2 ? 1 : -1.2;
   calls = optim_run(optim_rosenbrock, 20, x, 1e-9);
   ASSERT(calls > 0 && calls < 400);
   for (size_t i = 0; i < 20; i++) ASSERT_IN_RANGE(1.0, x[i], 1e-8);
   PASS();
}

static double optim_quadratic(size_t n, const double *x, double *g)
{
   double f = 0;
   for (size_t i = 0; i < n; i++) { double a = (double)(1 + i * i); g[i] = a * (x[i] - 1); f += 0.5 * a * (x[i] - 1) * (x[i] - 1); }
   return f;
}

TEST optim_quadratics_take_few_steps(void)
{
   double x[12] = {0};
   size_t calls = optim_run(optim_quadratic, 12, x, 1e-10);
   ASSERT(calls > 0 && calls < 60);
   for (size_t i = 0; i < 12; i++) ASSERT_IN_RANGE(1.0, x[i], 1e-9);
   PASS();
}

/* f(t) = -t exp(-t): the step 1 is already the minimum; from 8 it must come back, from 1e-3 go out. */
TEST optim_search_brackets(void)
{
   static const double start[] = {1, 8, 1e-3, 100};
   for (size_t k = 0; k < 4; k++) {
      sneppp__search s = sneppp__search_start(0, -1, start[k]);
      int            more, trials = 0;
      do {
         more = sneppp__search_next(&s, -s.t * exp(-s.t), (s.t - 1) * exp(-s.t));
         trials++;
      } while (more > 0);
      ASSERT_EQ(0, more);
      ASSERT(trials < 15);
      ASSERT(-s.t * exp(-s.t) <= -1e-4 * s.t);
      ASSERT(fabs((s.t - 1) * exp(-s.t)) <= 0.9);
   }
   PASS();
}

TEST optim_pivoted_cholesky_spans(void)
{
   enum { N = 12, RANK = 5 };
   double     F[N * RANK], K[N * N], L[N * N], diagonal[N], worst = 0;
   size_t     pick[N], seen = 0, r;
   sneppp_rng rng;
   sneppp_rng_init(&rng, 3, 0);
   for (size_t i = 0; i < N * RANK; i++) F[i] = sneppp_rng_normal(&rng);
   for (size_t i = 0; i < N; i++) for (size_t j = 0; j < N; j++) K[i * N + j] = sneppp__dot(RANK, F + i * RANK, F + j * RANK);
   r = sneppp__chol_pivoted(N, K, 1e-10, pick, L, diagonal);
   ASSERT_EQ((size_t)RANK, r);
   for (size_t i = 0; i < N; i++) seen |= (size_t)1 << pick[i];
   ASSERT_EQ(((size_t)1 << N) - 1, seen); /* a permutation */
   for (size_t i = 0; i < r; i++)
      for (size_t j = 0; j < r; j++) {
         double e = fabs(sneppp__dot(r, L + i * N, L + j * N) - K[pick[i] * N + pick[j]]);
         if (e > worst) worst = e;
         if (j > i) ASSERT_EQ(0.0, L[i * N + j]);
      }
   ASSERT(worst < 1e-12);
   memset(K, 0, sizeof K);
   ASSERT_EQ((size_t)0, sneppp__chol_pivoted(N, K, 1e-10, pick, L, diagonal));
   PASS();
}

/* min |M - T|_F^2 / 2 over the cone, T = diag(2, -1): one step of length 1 from anywhere is exact. */
TEST optim_cone_step_projects(void)
{
   double M[4] = {1, 0.3, 0.3, 4}, G[4], Q[4], work[4096];
   ASSERT(sneppp__eigh_work(2) + 2 <= sizeof work / sizeof *work);
   G[0] = M[0] - 2, G[1] = G[2] = M[1], G[3] = M[3] + 1;
   for (int i = 0; i < 4; i++) M[i] -= G[i];
   ASSERT_EQ(SNEPPP_OK, sneppp__psd_project(2, M, Q, work));
   ASSERT_IN_RANGE(2.0, M[0], 1e-14);
   ASSERT_IN_RANGE(0.0, M[1], 1e-14);
   ASSERT_IN_RANGE(0.0, M[3], 1e-14);
   PASS();
}

/* Every answer of the line search, by hand: f(0) = f0, f'(0) = d0. */
TEST optim_search_answers(void)
{
   sneppp__search s = sneppp__search_start(0, -1, 1);
   double         noise;
   ASSERT_EQ(1.0, s.t);
   ASSERT_EQ(0, sneppp__search_next(&s, -0.5, 0.9)); /* the border of the second Wolfe condition is inside */
   s = sneppp__search_start(0, -1, 1);
   ASSERT_EQ(0, sneppp__search_next(&s, -0.5, -0.9));
   s = sneppp__search_start(0, -1, 1);
   ASSERT_EQ(0, sneppp__search_next(&s, -1e-4, 0.1)); /* and that of the first */
   s = sneppp__search_start(0, -1, 1);
   ASSERT_EQ(1, sneppp__search_next(&s, -0.99e-4, 0.1)); /* too high: the bracket closes */
   ASSERT(s.hi == 1 && s.lo == 0 && s.fhi == -0.99e-4 && s.dhi == 0.1 && s.trials == 1);
   ASSERT(s.t >= 0.05 && s.t <= 0.95);
   s = sneppp__search_start(0, -1, 1);
   ASSERT_EQ(1, sneppp__search_next(&s, -0.95, -0.91)); /* still steep: further out */
   ASSERT(s.lo == 1 && s.flo == -0.95 && s.dlo == -0.91 && s.hi == 0 && s.t == 4);
   ASSERT_EQ(1, sneppp__search_next(&s, -3, 0.95)); /* steep the other way: between the two, where the cubic has its minimum */
   ASSERT(s.hi == 4 && s.lo == 1 && s.fhi == -3 && s.dhi == 0.95 && s.flo == -0.95);
   {
      double e = -0.91 + 0.95 - 3 * (-3 + 0.95) / 3, root = sqrt(e * e + 0.91 * 0.95);
      ASSERT_IN_RANGE(4 - 3 * (0.95 + root - e) / (0.95 + 0.91 + 2 * root), s.t, 1e-13);
   }
   s = sneppp__search_start(0, -1, 1);
   ASSERT_EQ(1, sneppp__search_next(&s, HUGE_VAL, 0)); /* not finite: half way, and so again */
   ASSERT(s.hi == 1 && s.lo == 0 && s.t == 0.5);
   ASSERT_EQ(1, sneppp__search_next(&s, -0.5, HUGE_VAL));
   ASSERT(s.hi == 0.5 && s.lo == 0 && s.t == 0.25);
   s = sneppp__search_start(0, -1, 1);
   ASSERT_EQ(1, sneppp__search_next(&s, 1e6, 1e6)); /* the cubic asks for nearly 0: at least a twentieth of the bracket */
   ASSERT_IN_RANGE(0.05, s.t, 1e-15);
   s = sneppp__search_start(0, -1, 1);
   s.lo = 1, s.flo = -1, s.dlo = -1e6, s.t = 2;
   ASSERT_EQ(1, sneppp__search_next(&s, -1e6 - 1, 0.95)); /* nearly the right end: a twentieth away from it */
   ASSERT_IN_RANGE(1.95, s.t, 1e-12);
   s = sneppp__search_start(0, -1, 1);
   s.lo = 1 - 0.9e-14, s.flo = -1, s.dlo = -1;
   ASSERT_EQ(-1, sneppp__search_next(&s, 1, 1)); /* nothing between the ends */
   s = sneppp__search_start(0, -1, 1);
   s.lo = 1 - 3e-14, s.flo = -1, s.dlo = -1;
   ASSERT_EQ(1, sneppp__search_next(&s, 1, 1));
   s = sneppp__search_start(0, -1, 1e-30);
   for (int k = 0; k < 29; k++) ASSERT_EQ(1, sneppp__search_next(&s, -1.01 * s.t, -1.01)); /* patience has an end */
   ASSERT_EQ(-1, sneppp__search_next(&s, -1.01 * s.t, -1.01));
   ASSERT_IN_RANGE(1, s.t / 1e-30 / pow(4, 29), 1e-12);

   /* Where f has no digits left its slope decides: f0 = 1000 has a noise of 1e-10. */
   noise = 1e-13 * 1001;
   s = sneppp__search_start(1000, -1e-9, 1);
   ASSERT_EQ(0, sneppp__search_next(&s, 1000 + 0.9 * noise, 0.7e-9));
   s = sneppp__search_start(1000, -1e-9, 1);
   ASSERT_EQ(1, sneppp__search_next(&s, 1000 + 0.9 * noise, 0.85e-9)); /* here the bar is 0.8 */
   ASSERT(s.hi == 1);
   s = sneppp__search_start(1000, -1e-9, 1);
   ASSERT_EQ(1, sneppp__search_next(&s, 1000 + 3 * noise, 0.7e-9)); /* more than noise */
   ASSERT(s.hi == 1);
   s = sneppp__search_start(1000, -1e-9, 1);
   ASSERT_EQ(1, sneppp__search_next(&s, 1000 + 0.9 * noise, -0.95e-9)); /* still falling, whatever f says */
   ASSERT(s.lo == 1 && s.hi == 0 && s.t == 4);
   s = sneppp__search_start(1000, -0.98e-7, 1);
   ASSERT_EQ(0, sneppp__search_next(&s, 1000 + 0.9 * noise, 0)); /* 1000 times the noise is the border */
   s = sneppp__search_start(1000, -1.05e-7, 1);
   ASSERT_EQ(1, sneppp__search_next(&s, 1000 + 0.9 * noise, 0));
   PASS();
}

/* Of f = -t + a t^2 + b t^3 with slope 2 at 1 the search goes to the minimum, wherever that lies, but stays a twentieth of the
   bracket away from its ends. */
TEST optim_search_goes_to_the_minimum(void)
{
   for (int k = 1; k < 5000; k++) {
      double         m = k / 5000.0, b = (1 - 3 * m) / (3 * m * (m - 1)), a = 1.5 * (1 - b);
      sneppp__search s = sneppp__search_start(0, -1, 1);
      ASSERT_EQ(1, sneppp__search_next(&s, -1 + a + b, 2));
      ASSERT(s.lo == 0 && s.hi == 1);
      ASSERT_IN_RANGE(m < 0.05 ? 0.05 : m > 0.95 ? 0.95 : m, s.t, 1e-11);
   }
   PASS();
}

TEST optim_cubic_minimum(void)
{
   /* t^3 - 3 t has its minimum at 1; its values and slopes at 0 and 3 */
   ASSERT_IN_RANGE(1, sneppp__cubic_minimum(0, 0, -3, 3, 18, 24), 1e-14);
   ASSERT_IN_RANGE(1, sneppp__cubic_minimum(0.5, 0.125 - 1.5, -2.25, 2, 2, 9), 1e-14);
   ASSERT_IN_RANGE(2.5, sneppp__cubic_minimum(1, 2.25, -3, 4, 2.25, 3), 1e-14); /* a parabola */
   ASSERT_EQ(2.0, sneppp__cubic_minimum(1, 0, 1, 3, 2, 1)); /* a line has none: half way */
   ASSERT_EQ(2.0, sneppp__cubic_minimum(1, 0, -1e308, 3, 1, 1e308));
   PASS();
}

static sneppp_status optim_memory(size_t n, sneppp__lbfgs *L, sneppp__block *block)
{
   sneppp__carver c = sneppp__measure();
   sneppp_status  st;
   sneppp__place_lbfgs(&c, L, n);
   st = sneppp__block_get(block, &c, NULL, 0, NULL, NULL);
   if (st == SNEPPP_OK) sneppp__place_lbfgs(&c, L, n);
   return st;
}

/* Pairs beyond the sixteenth replace the oldest, in turn; those without curvature are left out. */
TEST optim_memory_turns(void)
{
   enum { n = 3 };
   double        d[n] = {1, 2, -1}, g[n] = {1, 1, 1}, after[n] = {1, 1, 1}, out[n];
   sneppp__lbfgs L;
   sneppp__block block;
   ASSERT_EQ(SNEPPP_OK, optim_memory(n, &L, &block));
   sneppp__lbfgs_direction(&L, g, 0.25, out);
   for (int i = 0; i < n; i++) ASSERT_EQ(-0.25, out[i]);
   sneppp__lbfgs_learn(&L, 0.5, d, g, after); /* no change of the gradient */
   ASSERT(L.used == 0 && L.next == 0);
   for (int i = 0; i < n; i++) after[i] = g[i] - d[i]; /* negative curvature */
   sneppp__lbfgs_learn(&L, 0.5, d, g, after);
   ASSERT(L.used == 0 && L.next == 0);
   for (int k = 0; k < SNEPPP__PAIRS + 3; k++) {
      double h = 1 + k;
      for (int i = 0; i < n; i++) after[i] = g[i] + h * 0.5 * d[i];
      sneppp__lbfgs_learn(&L, 0.5, d, g, after);
      ASSERT_EQ((size_t)(k + 1) % SNEPPP__PAIRS, L.next);
      ASSERT_EQ((size_t)(k < SNEPPP__PAIRS ? k + 1 : SNEPPP__PAIRS), L.used);
      ASSERT_IN_RANGE(1 / h, L.scale, 1e-14);
      ASSERT_IN_RANGE(1 / (h * 0.25 * 6), L.rho[k % SNEPPP__PAIRS], 1e-14);
      sneppp__lbfgs_direction(&L, d, 7, out); /* along d the newest pair tells all */
      for (int i = 0; i < n; i++) ASSERT_IN_RANGE(-d[i] / h, out[i], 1e-13);
   }
   sneppp__block_free(&block);
   PASS();
}

/* What the memory makes of a gradient is symmetric, and takes the newest change of the gradient to the newest step, however
   many pairs in other directions came before. */
TEST optim_memory_is_symmetric_and_secant(void)
{
   enum { n = 4 };
   static const double A[n][n] = {{3, 1, 0, 0.5}, {1, 2, -0.5, 0}, {0, -0.5, 4, 1}, {0.5, 0, 1, 1.5}}, zero[n] = {0, 0, 0, 0};
   sneppp__lbfgs L;
   sneppp__block block;
   ASSERT_EQ(SNEPPP_OK, optim_memory(n, &L, &block));
   for (int k = 0; k < SNEPPP__PAIRS + 3; k++) {
      double d[n], y[n], u[n], v[n], Hu[n], Hv[n];
      for (int i = 0; i < n; i++) d[i] = sin(1.0 + 3 * k + 2 * i), u[i] = cos(1.0 * k + i), v[i] = sin(5.0 * i - k);
      for (int i = 0; i < n; i++) y[i] = 0.5 * sneppp__dot(n, A[i], d);
      sneppp__lbfgs_learn(&L, 0.5, d, zero, y);
      sneppp__lbfgs_direction(&L, y, 7, Hu);
      for (int i = 0; i < n; i++) ASSERT_IN_RANGE(-0.5 * d[i], Hu[i], 1e-13);
      sneppp__lbfgs_direction(&L, u, 7, Hu), sneppp__lbfgs_direction(&L, v, 7, Hv);
      ASSERT_IN_RANGE(sneppp__dot(n, Hu, v), sneppp__dot(n, Hv, u), 1e-13);
      ASSERT(sneppp__dot(n, Hu, u) < 0);
   }
   sneppp__block_free(&block);
   PASS();
}

/* The cut-off is relative to the largest diagonal: of three features of which two are equal two are chosen, whatever the
   scale of all. */
TEST optim_pivots_have_no_scale(void)
{
   static const double A[9] = {2, 2, 0.5, 2, 2, 0.5, 0.5, 0.5, 1};
   for (int e = -30; e <= 30; e += 10) {
      double K[9], L[9], diagonal[3];
      size_t pick[3];
      for (int i = 0; i < 9; i++) K[i] = ldexp(A[i], e);
      ASSERT_EQ_FMT((size_t)2, sneppp__chol_pivoted(3, K, 1e-10, pick, L, diagonal), "%zu");
      ASSERT(pick[0] < 2 && pick[1] == 2);
   }
   PASS();
}

SUITE(optim)
{
   RUN_TEST(optim_memory_is_symmetric_and_secant);
   RUN_TEST(optim_pivots_have_no_scale);
   RUN_TEST(optim_search_answers);
   RUN_TEST(optim_search_goes_to_the_minimum);
   RUN_TEST(optim_cubic_minimum);
   RUN_TEST(optim_memory_turns);
   RUN_TEST(optim_finds_the_minimum_of_rosenbrock);
   RUN_TEST(optim_quadratics_take_few_steps);
   RUN_TEST(optim_search_brackets);
   RUN_TEST(optim_pivoted_cholesky_spans);
   RUN_TEST(optim_cone_step_projects);
}
