/* The convex fit of the readout: agreement of three methods, the certificate, Proposition 2 of the paper, every mixing
   rule, threads, sources, weights, small samples, refusals. Objectives are computed here from their definition. */
#include "cases.h"
#define CONVEX_MAX 400
static sneppp_real convex_xy[2 * CONVEX_MAX];

/* Events with a bump around (3, 2) in the box [0, 10] x [0, 5]. */
static sneppp_events convex_events(size_t count)
{
   sneppp_events e;
   sneppp_rng    rng;
   sneppp_rng_init(&rng, 9, 0);
   for (size_t i = 0; i < count;) {
      double x = 10 * sneppp_rng_uniform(&rng), y = 5 * sneppp_rng_uniform(&rng);
      if (sneppp_rng_uniform(&rng) * 1.2 > 0.2 + exp(-(x - 3) * (x - 3) / 4 - (y - 2) * (y - 2))) continue;
      convex_xy[2 * i] = (sneppp_real)x, convex_xy[2 * i + 1] = (sneppp_real)y, i++;
   }
   memset(&e, 0, sizeof e);
   e.x = convex_xy;
   e.count = count;
   return e;
}

static sneppp_desc convex_box(int width)
{
   sneppp_desc d;
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 2;
   d.factor[0].window.hi[0] = 10;
   d.factor[0].window.hi[1] = 5;
   d.factor[0].unit.act = SNEPPP_ACT_COS;
   d.width = width;
   return d;
}

static sneppp_desc convex_two(int width, sneppp_mix mix) /* the same box as two factors */
{
   sneppp_desc d;
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = d.factor[1].window.dim = 1;
   d.factor[0].window.hi[0] = 10;
   d.factor[1].window.hi[0] = 5;
   d.factor[0].unit.act = d.factor[1].unit.act = SNEPPP_ACT_COS;
   d.width = width;
   d.mix = mix;
   return d;
}

static sneppp_fit_desc convex_fit(const sneppp_events *e, sneppp_method method, double tol)
{
   sneppp_fit_desc f;
   memset(&f, 0, sizeof f);
   f.events = e;
   f.method = method;
   f.tol = tol;
   return f;
}

/* C(M) per event of equation (a): (alpha tr((M + eps1 I) K) + floor mass)/N - mean log lambda + eps2/2 |M|^2 + trace tr M, for
   a matrix Mp = M + eps1 I of a model with one readout. */
static double convex_objective(const sneppp_model *m, const sneppp_events *e, const sneppp_fit_desc *f, double eps1, const double *Mp)
{
   static double K[64 * 64];
   size_t        n = (size_t)m->n;
   double        sum = 0, penalty = 0, logs = 0;
   sneppp_real   psi[64];
   if (sneppp_model_gram(m, NULL, K, NULL, NULL) != SNEPPP_OK) return 1e300;
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
         double d = Mp[i * n + j] - (i == j ? eps1 : 0);
         sum += m->alpha * Mp[i * n + j] * K[i * n + j] / (double)e->count;
         penalty += 0.5 * f->eps2 * d * d + (i == j ? f->trace * d : 0);
      }
   for (size_t k = 0; k < e->count; k++) {
      double q = 0;
      if (sneppp_features(m, e->x + 2 * k, psi, NULL) != SNEPPP_OK) return 1e300;
      for (size_t i = 0; i < n; i++) for (size_t j = 0; j < n; j++) q += (double)psi[i] * (double)psi[j] * Mp[i * n + j];
      logs += log(m->alpha * q + m->floor) / (double)e->count;
   }
   return sum + m->floor * 50 / (double)e->count - logs + penalty;
}

static double convex_objective_of(const sneppp_model *m, const sneppp_events *e, const sneppp_fit_desc *f, double eps1)
{
   static double M[64 * 64];
   return sneppp_get_matrix(m, M, NULL) == SNEPPP_OK ? convex_objective(m, e, f, eps1, M) : 1e300;
}

static double convex_slack(void) { return sizeof(sneppp_real) == 4 ? 2e-5 : 1e-9; } /* V is rounded to float */

/* Maximum likelihood by the multiplicative iteration X <- S X S of quantum tomography, in coordinates with K = I: shares
   nothing with the library's solver but the features. */
TEST convex_agrees_with_multiplicative_iteration(void)
{
   enum { N = 100, n = 6 };
   static double   z[N * n];
   double          K[n * n], X[n * n], S[n * n], T[n * n], M[n * n], inverse[n * n];
   sneppp_events   e = convex_events(N);
   sneppp_desc     d = convex_box(n);
   sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-7);
   sneppp_model    m;
   sneppp_report   r;
   sneppp_real     psi[n];
   double          mine, other;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
   ASSERT_EQ(SNEPPP_ENDING_CONVERGED, r.ending);
   ASSERT(r.gap <= 1e-7 && r.dropped == 0);
   ASSERT_IN_RANGE((double)N, r.expected, 1e-3);
   ASSERT_EQ(SNEPPP_OK, sneppp_model_gram(&m, NULL, K, NULL, NULL));
   for (size_t i = 0; i < n * n; i++) K[i] *= m.alpha / N;
   ASSERT_EQ(SNEPPP_OK, sneppp__chol(n, K, n));
   for (size_t k = 0; k < N; k++) {
      ASSERT_EQ(SNEPPP_OK, sneppp_features(&m, e.x + 2 * k, psi, NULL));
      for (size_t i = 0; i < n; i++) z[k * n + i] = (double)psi[i];
      sneppp__solve_lower(n, K, n, 0, z + k * n, 1, 1);
   }
   for (size_t i = 0; i < n * n; i++) X[i] = i % (n + 1) ? 0 : 1.0 / n;
   for (int step = 0; step < 4000; step++) {
      double trace = 0;
      memset(S, 0, sizeof S);
      for (size_t k = 0; k < N; k++) {
         const double *y = z + k * n;
         double        q = 0;
         for (size_t i = 0; i < n; i++) q += y[i] * sneppp__dot(n, X + i * n, y);
         for (size_t i = 0; i < n; i++) for (size_t j = 0; j < n; j++) S[i * n + j] += y[i] * y[j] / (q * N);
      }
      sneppp__gemm_plain_f64(0, 0, n, n, n, 1, S, n, X, n, 0, T, n);
      sneppp__gemm_plain_f64(0, 0, n, n, n, 1, T, n, S, n, 0, X, n);
      for (size_t i = 0; i < n; i++) trace += X[i * (n + 1)];
      for (size_t i = 0; i < n * n; i++) X[i] /= trace;
   }
   for (size_t i = 0; i < n * n; i++) inverse[i] = i % (n + 1) == 0; /* M = L^-T X L^-1 */
   sneppp__solve_lower(n, K, n, 1, inverse, n, n);
   sneppp__gemm_plain_f64(0, 0, n, n, n, 1, inverse, n, X, n, 0, T, n);
   sneppp__gemm_plain_f64(0, 1, n, n, n, 1, T, n, inverse, n, 0, M, n);
   other = convex_objective(&m, &e, &f, 0, M);
   mine = convex_objective_of(&m, &e, &f, 0);
   ASSERT(mine - other <= 1e-7 + convex_slack());
   ASSERT(other - mine <= 1e-6 + convex_slack());
   sneppp_free(&m);
   PASS();
}

/* Random matrices, near the solution and far from it, never lie below the certified bound. */
static int convex_bound_holds(const sneppp_model *m, const sneppp_events *e, const sneppp_fit_desc *f, double eps1, double bound)
{
   static double M[64 * 64], T[64 * 64];
   size_t        n = (size_t)m->n;
   sneppp_rng    rng;
   sneppp_rng_init(&rng, 4, 0);
   if (sneppp_get_matrix(m, M, NULL) != SNEPPP_OK) return 0;
   for (int k = 0; k < 20; k++) {
      double size = pow(10, -(k % 5)), v[64];
      for (size_t i = 0; i < n; i++) v[i] = size * sneppp_rng_normal(&rng);
      for (size_t i = 0; i < n; i++)
         for (size_t j = 0; j < n; j++) {
            double old = M[i * n + j] - (i == j ? eps1 : 0);
            T[i * n + j] = (1 + 0.3 * size * (k % 3 - 1)) * old + (i == j ? eps1 : 0);
            if (m->desc.readout == SNEPPP_READOUT_DIAGONAL ? i == j : 1) T[i * n + j] += v[i] * v[j];
         }
      if (convex_objective(m, e, f, eps1, T) < bound) return 0;
   }
   return 1;
}

/* A loose answer is never further from a tight one than its certificate says; with every penalty, full and diagonal. */
TEST convex_certificate_is_valid(void)
{
   static const double setting[][4] = {/* eps1, eps2, trace, floor */
                                       {0, 0, 0, 0}, {0.05, 0, 0, 0}, {0, 0.02, 0, 0}, {0, 0, 0.05, 0}, {0, 0, 0, 0.2}, {0.1, 0.01, 0.02, 0.1}};
   sneppp_events e = convex_events(300);
   for (int diagonal = 0; diagonal < 2; diagonal++)
      for (size_t k = 0; k < 6; k++) {
         sneppp_desc     d = convex_box(14);
         sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-9);
         sneppp_model    m;
         sneppp_report   r;
         double          best, nll;
         d.readout = diagonal ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL;
         f.eps1 = setting[k][0], f.eps2 = setting[k][1], f.trace = setting[k][2], f.floor = setting[k][3];
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
         ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
         best = convex_objective_of(&m, &e, &f, f.eps1);
         ASSERT(r.gap <= 1e-8 && r.gap >= 0); /* 1e-9 may be beyond rounding; the tolerance below knows the gap */
         ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, NULL));
         ASSERT_IN_RANGE(nll / 300, r.nll, 1e-8 + convex_slack());
         ASSERT(convex_bound_holds(&m, &e, &f, f.eps1, best - r.gap - convex_slack()));
         for (double tol = 0.1; tol > 1e-6; tol /= 10) {
            f.tol = tol;
            ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
            ASSERT_EQ(SNEPPP_ENDING_CONVERGED, r.ending);
            ASSERT(r.gap <= tol);
            ASSERT(convex_objective_of(&m, &e, &f, f.eps1) - best <= r.gap + convex_slack());
         }
         sneppp_free(&m);
      }
   PASS();
}

/* Proposition 2, with the corrections of the constants: PGD with step 1/beta has C(M_t) - C* <= (3 beta |M_1 - M*|^2 + C(M_1) - C*)/t
   and |M_t+1 - M*|^2 <= exp(-t eps2 / beta) |M_1 - M*|^2; and it arrives where the default method does. */
TEST convex_pgd_keeps_proposition_2(void)
{
   enum { n = 8 };
   sneppp_events   e = convex_events(150);
   sneppp_desc     d = convex_box(n);
   sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-11);
   sneppp_model    m;
   sneppp_report   r;
   double          best[n * n], first[n * n], now[n * n], K[n * n], least, C1, before, sum = 0, distance = 0, beta;
   f.eps1 = 0.3, f.eps2 = 0.1;
   beta = f.eps2 + 1 / (f.eps1 * f.eps1);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
   ASSERT(r.gap < 1e-9);
   ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, best, NULL));
   least = convex_objective(&m, &e, &f, f.eps1, best);
   ASSERT_EQ(SNEPPP_OK, sneppp_model_gram(&m, NULL, K, NULL, NULL));
   for (size_t i = 0; i < n; i++) sum += K[i * (n + 1)] * m.alpha / 150;
   for (size_t i = 0; i < n * n; i++) first[i] = i % (n + 1) ? 0 : 1 / sum + f.eps1; /* M_1 of the method, plus eps1 I */
   C1 = before = convex_objective(&m, &e, &f, f.eps1, first);
   for (size_t i = 0; i < n * n; i++) distance += (first[i] - best[i]) * (first[i] - best[i]);
   f.method = SNEPPP_METHOD_PGD, f.tol = SNEPPP_NONE;
   for (size_t steps = 1; steps <= 1024; steps *= 2) {
      double C, left = 0;
      f.steps = steps;
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
      ASSERT_EQ(SNEPPP_ENDING_STEP_LIMIT, r.ending);
      ASSERT_EQ(steps, r.step);
      ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, now, NULL));
      C = convex_objective(&m, &e, &f, f.eps1, now);
      for (size_t i = 0; i < n * n; i++) left += (now[i] - best[i]) * (now[i] - best[i]);
      ASSERT(C < before + convex_slack());
      ASSERT(C - least <= (3 * beta * distance + C1 - least) / (double)(steps + 1) + convex_slack());
      ASSERT(sqrt(left) <= exp(-0.5 * (double)steps * f.eps2 / beta) * sqrt(distance) + 1e-4); /* |M*| itself is known to sqrt(2 gap/eps2) */
      ASSERT(C - least <= r.gap + convex_slack());
      before = C;
   }
   ASSERT(before - least < 1e-6 + convex_slack());
   sneppp_free(&m);
   PASS();
}

/* The likelihood around the fit is nowhere better than the certificate allows, for every way to mix factors. */
TEST convex_serves_every_mix(void)
{
   static const sneppp_mix mix[] = {SNEPPP_MIX_PRODUCT, SNEPPP_MIX_OUTER, SNEPPP_MIX_SUM, SNEPPP_MIX_STACK, SNEPPP_MIX_ADDITIVE, SNEPPP_MIX_SEPARABLE};
   sneppp_events e = convex_events(200);
   for (int diagonal = 0; diagonal < 2; diagonal++)
      for (size_t k = 0; k < 6; k++) {
         sneppp_desc     d = convex_two(5, mix[k]);
         sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-6);
         sneppp_model    m;
         sneppp_report   r;
         sneppp_error    err;
         sneppp_rng      rng;
         double          nll, other;
         d.readout = diagonal ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
         ASSERT_EQ_FMT(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
         ASSERT(r.gap <= 1e-6);
         ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, NULL));
         ASSERT_IN_RANGE(nll / 200, r.nll, 1e-7 + convex_slack());
         ASSERT_IN_RANGE(200.0, r.expected, 0.05);
         sneppp_rng_init(&rng, 8, 0);
         for (int t = 0; t < 10; t++) { /* one random step each; V is put back */
            sneppp_real *V = m.readout[t % m.readouts].V;
            size_t       size = (size_t)m.readout[t % m.readouts].m * (size_t)m.readout[t % m.readouts].n, i = (size_t)sneppp_rng_below(&rng, size);
            sneppp_real  old = V[i];
            V[i] += (sneppp_real)(pow(10, -(t % 4)) * sneppp_rng_normal(&rng));
            ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &other, NULL, NULL, NULL, NULL));
            ASSERT(other / 200 >= nll / 200 - r.gap - convex_slack());
            V[i] = old;
         }
         sneppp_free(&m);
      }
   PASS();
}

/* The number of threads moves no bit, nor does reading the events from a source. */
static size_t convex_read(sneppp_real *dst, size_t first, size_t count, void *user)
{
   memcpy(dst, (const sneppp_real *)user + 2 * first, 2 * count * sizeof *dst);
   return count;
}

TEST convex_same_bits_for_threads_and_sources(void)
{
   static sneppp_real want[40 * 40];
   sneppp_events      e = convex_events(CONVEX_MAX);
   for (int method = 0; method < 2; method++)
      for (int k = 0; k < 5; k++) {
         static const int threads[] = {1, 2, 7, 1, 1};
         sneppp_desc      d = convex_box(40);
         sneppp_fit_desc  f = convex_fit(&e, method ? SNEPPP_METHOD_PGD : SNEPPP_METHOD_CONVEX, 1e-5);
         sneppp_model     m;
         sneppp_events    source = e;
         f.steps = method ? 10 : 60;
         source.x = NULL, source.read = convex_read, source.user = convex_xy;
         if (k == 4) f.events = &source;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
#ifdef SNEPPP_PTHREADS
         sneppp_pool *pool = k && k < 3 ? sneppp_pool_make(threads[k], NULL) : NULL;
         if (pool) f.parallel = sneppp_pool_parallel(pool);
#else
         (void)threads;
#endif
         ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, NULL));
#ifdef SNEPPP_PTHREADS
         if (pool) sneppp_pool_free(pool);
#endif
         if (!k) memcpy(want, m.readout[0].V, sizeof want);
         else ASSERT_MEM_EQ(want, m.readout[0].V, sizeof want);
         sneppp_free(&m);
      }
   PASS();
}

TEST convex_weights_are_repetitions(void)
{
   static sneppp_real twice[2 * 200], weight[100];
   sneppp_events      e = convex_events(100), both;
   sneppp_desc        d = convex_box(12);
   sneppp_fit_desc    f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-8);
   sneppp_model       m;
   sneppp_report      a, b;
   for (size_t i = 0; i < 100; i++) {
      weight[i] = 2;
      for (size_t r = 0; r < 4; r++) twice[4 * i + r] = convex_xy[2 * i + r % 2];
   }
   both = e, both.x = twice, both.count = 200;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   f.events = &both;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &a, NULL));
   e.weight = weight, f.events = &e;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &b, NULL));
   ASSERT_IN_RANGE(a.nll * 200, b.nll * 100, 1e-4);
   ASSERT_IN_RANGE(200.0, b.expected, 0.01);
   sneppp_free(&m);
   PASS();
}

/* Of lower rank: V has that many rows, and the gap covers what they cost. */
TEST convex_low_rank(void)
{
   sneppp_events   e = convex_events(300);
   sneppp_desc     d = convex_box(30);
   sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-6);
   sneppp_model    m;
   sneppp_report   full, low;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &full, NULL));
   sneppp_free(&m);
   d.rank = 2;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &low, NULL));
   ASSERT_EQ(2, low.rank);
   ASSERT(low.nll >= full.nll - full.gap - 1e-9);
   ASSERT(low.nll - full.nll <= low.gap + 1e-9);
   ASSERT(low.nll < 1 - log(300 / 50.0) + sneppp__lgamma(301) / 300); /* the constant intensity is far behind */
   f.eps1 = 0.1;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, &low, NULL));
   sneppp_free(&m);
   PASS();
}

TEST convex_few_events(void)
{
   for (size_t count = 0; count < 4; count++) {
      for (int diagonal = 0; diagonal < 2; diagonal++) {
         sneppp_events   e = convex_events(count);
         sneppp_desc     d = convex_box(10);
         sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 0);
         sneppp_model    m;
         sneppp_report   r;
         double          total = -1;
         d.readout = diagonal ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL;
         if (count == 3) convex_xy[2] = convex_xy[0], convex_xy[3] = convex_xy[1]; /* a tie */
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
         ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
         ASSERT(r.gap <= 1e-4);
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, NULL));
         ASSERT_IN_RANGE((double)count, total, 1e-3);
         sneppp_free(&m);
      }
   }
   PASS();
}

static int convex_stop(const sneppp_report *now, const sneppp_model *model, void *user)
{
   size_t *calls = (size_t *)user;
   (void)model;
   (void)now;
   return ++*calls > 4;
}

TEST convex_stops_when_asked(void)
{
   sneppp_events e = convex_events(200);
   for (int method = 0; method < 2; method++) {
      sneppp_desc     d = convex_box(20);
      sneppp_fit_desc f = convex_fit(&e, method ? SNEPPP_METHOD_PGD : SNEPPP_METHOD_CONVEX, 1e-9);
      sneppp_model    m;
      sneppp_report   r;
      size_t          calls = 0;
      double          nll;
      f.progress = convex_stop, f.user = &calls;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
      ASSERT_EQ(SNEPPP_ENDING_ASKED_TO_STOP, r.ending);
      ASSERT_EQ((size_t)4, r.step);
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, NULL));
      ASSERT_IN_RANGE(nll / 200, r.nll, 1e-7 + convex_slack()); /* the model is the one that the report tells of */
      sneppp_free(&m);
   }
   PASS();
}

static int convex_refuses(sneppp_model *m, const sneppp_fit_desc *f, const char *word)
{
   sneppp_error err;
   sneppp_real  before = m->readout[0].V[0];
   double       alpha = m->alpha;
   return sneppp_fit(m, f, NULL, &err) != SNEPPP_OK && strstr(err.why, word) && m->readout[0].V[0] == before && m->alpha == alpha;
}

TEST convex_refuses_what_cannot_be(void)
{
   sneppp_events   e = convex_events(50), bad;
   sneppp_desc     d = convex_box(5);
   sneppp_fit_desc f;
   sneppp_model    m;
   sneppp_real     w[50];
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 0), f.eps1 = -0.5; ASSERT(convex_refuses(&m, &f, "eps1"));
   f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 0), f.eps2 = -0.5; ASSERT(convex_refuses(&m, &f, "eps2"));
   f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 0), f.trace = -0.5; ASSERT(convex_refuses(&m, &f, "trace"));
   f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 0), f.floor = 1.5; ASSERT(convex_refuses(&m, &f, "floor"));
   f = convex_fit(&e, SNEPPP_METHOD_CONVEX, sneppp__nan()); ASSERT(convex_refuses(&m, &f, "tol"));
   f = convex_fit(&e, SNEPPP_METHOD_PGD, 0), f.eps1 = SNEPPP_NONE; ASSERT(convex_refuses(&m, &f, "eps1"));
   convex_xy[7] = 100;
   f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 0); ASSERT(convex_refuses(&m, &f, "outside"));
   e = convex_events(50);
   for (size_t i = 0; i < 50; i++) w[i] = 1;
   w[3] = -1;
   bad = e, bad.weight = w;
   f = convex_fit(&bad, SNEPPP_METHOD_CONVEX, 0); ASSERT(convex_refuses(&m, &f, "weight"));
   sneppp_free(&m);
   d = convex_two(4, SNEPPP_MIX_SEPARABLE);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 0), f.floor = 0.1; ASSERT(convex_refuses(&m, &f, "fit.floor must be 0"));
   f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 0), f.eps1 = 0.1; ASSERT(convex_refuses(&m, &f, "fit.eps1 must be 0"));
   f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 0), f.eps2 = 0.1; ASSERT(convex_refuses(&m, &f, "fit.eps2 must be 0"));
   f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 0), f.trace = 0.1; ASSERT(convex_refuses(&m, &f, "fit.trace must be 0"));
   f = convex_fit(&e, SNEPPP_METHOD_ADAM, 0), f.polish = 1, f.floor = 0.1; ASSERT(convex_refuses(&m, &f, "separable model with a floor"));
   {
      sneppp_events two[2];
      sneppp_region all;
      memset(&all, 0, sizeof all);
      two[0] = two[1] = e, two[1].seen = &all;
      f = convex_fit(two, SNEPPP_METHOD_CONVEX, 0), f.realisations = 2;
      ASSERT(convex_refuses(&m, &f, "events[1].seen"));
   }
   for (size_t i = 0; i < 50; i++) w[i] = (sneppp_real)1e308; /* in float not finite by itself, in double as a sum */
   f = convex_fit(&bad, SNEPPP_METHOD_CONVEX, 0); ASSERT(convex_refuses(&m, &f, "weight"));
   sneppp_free(&m);
   PASS();
}

TEST convex_survives_failing_memory(void)
{
   sneppp_events   e = convex_events(60);
   sneppp_desc     d = convex_box(24);
   sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-4);
   test_alloc      a = {0, 0, 0, 0};
   sneppp_model    m;
   sneppp_status   st = SNEPPP_ERR_MEMORY;
   size_t          held;
   d.alloc_ctx = &a, d.rank = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   held = a.live;
   for (size_t k = 1; st != SNEPPP_OK && k < 60; k++) {
      a.fail_at = a.calls + k;
      st = sneppp_fit(&m, &f, NULL, NULL);
      ASSERT(st == SNEPPP_OK || st == SNEPPP_ERR_MEMORY);
      ASSERT_EQ(held, a.live);
   }
   ASSERT_EQ(SNEPPP_OK, st);
   sneppp_free(&m);
   ASSERT_EQ((size_t)0, a.live);
   PASS();
}

/* All trees of examples/data/bei.csv, 200 fixed random cosines: certified to 1e-6 nats per event. Float features cannot be
   summed to that accuracy, so the bar is for double. */
TEST convex_certifies_bei(void)
{
   sneppp_events   e = fit_trees(1);
   sneppp_desc     d = convex_box(200);
   sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, sizeof(sneppp_real) == 4 ? 1e-5 : 1e-6);
   sneppp_model    m;
   sneppp_report   r;
   double          nll;
   ASSERT_EQ((size_t)3604, e.count);
   d.factor[0].window.hi[0] = 1000, d.factor[0].window.hi[1] = 500;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
   ASSERT_EQ(SNEPPP_ENDING_CONVERGED, r.ending);
   ASSERT(r.gap <= f.tol);
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, NULL));
   ASSERT_IN_RANGE(nll / 3604, r.nll, sizeof(sneppp_real) == 4 ? 1e-3 : 1e-6); /* what the cut-off of K leaves of its rounding */
   sneppp_free(&m);
   PASS();
}

/* Readouts of unequal widths have ranks of their own: of 8 and 64 features and rank 10, 8 and 10 rows, in either order.
   The likelihoods of both orders are those of one problem. */
TEST convex_low_rank_additive(void)
{
   sneppp_events e = convex_events(200), other = e;
   sneppp_real   swapped[400];
   double        nll[2] = {0, 0};
   for (size_t i = 0; i < 200; i++) swapped[2 * i] = convex_xy[2 * i + 1], swapped[2 * i + 1] = convex_xy[2 * i];
   other.x = swapped;
   for (int order = 0; order < 2; order++) {
      sneppp_desc     d = convex_two(8, SNEPPP_MIX_ADDITIVE);
      sneppp_fit_desc f = convex_fit(order ? &other : &e, SNEPPP_METHOD_CONVEX, 1e-6);
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      test_alloc      a;
      double          W[64], b[64], rows[2] = {0, 0};
      memset(&a, 0, sizeof a);
      for (int i = 0; i < 64; i++) W[i] = 0.25 * i, b[i] = 0.7 * i;
      d.alloc_ctx = &a;
      d.rank = 10;
      d.factor[1 - order].width = 64;
      if (order) d.factor[0].window.hi[0] = 5, d.factor[1].window.hi[0] = 10;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      for (int k = 0; k < 2; k++) ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, k, W, b, NULL, &err));
      ASSERT_EQ(8, m.readout[order].m);
      ASSERT_EQ(10, m.readout[1 - order].m);
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
      ASSERT_EQ(18, r.rank);
      for (int k = 0; k < 2; k++)
         for (int i = 0; i < m.readout[k].m; i++) {
            double row = 0;
            for (int j = 0; j < m.readout[k].n; j++) row += fabs((double)m.readout[k].V[i * m.readout[k].n + j]);
            rows[k] += row > 0;
         }
      ASSERT_EQ(8, rows[order]);
      ASSERT_EQ(10, rows[1 - order]);
      nll[order] = r.nll;
      sneppp_free(&m);
      ASSERT_EQ((size_t)0, a.live);
   }
   ASSERT_IN_RANGE(nll[0], nll[1], 1e-5 + convex_slack());
   PASS();
}

/* A model of low rank converges: within tol of the optimum of full rank where the rank suffices, else at rest, with a gap
   that says what the rank costs. Asked to stop, it stops. */
static int convex_stop_once(const sneppp_report *now, const sneppp_model *model, void *user)
{
   size_t *calls = (size_t *)user;
   (void)model;
   (void)now;
   return ++*calls == 5;
}

TEST convex_low_rank_converges(void)
{
   sneppp_events e = convex_events(300);
   for (int rank = 1; rank <= 16; rank *= 2) {
      sneppp_desc     d = convex_box(30);
      sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-4);
      sneppp_model    m;
      sneppp_report   r;
      double          nll = 0;
      size_t          calls = 0;
      d.rank = rank;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
      ASSERT_EQ_FMT(SNEPPP_ENDING_CONVERGED, r.ending, "%d");
      ASSERT(r.step < r.steps);
      ASSERT(rank <= 2 ? r.gap > 1e-4 : rank < 16 || r.gap <= 1e-4);
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, NULL));
      if (sizeof(sneppp_real) == 8) ASSERT_IN_RANGE(nll / 300, r.nll, 1e-9); /* |v psi|^2 of one row has zeros, and
                                                                                 float loses the digits near them */
      f.progress = convex_stop_once, f.user = &calls;
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
      ASSERT_EQ_FMT(SNEPPP_ENDING_ASKED_TO_STOP, r.ending, "%d");
      sneppp_free(&m);
   }
   PASS();
}

/* A factor whose features are all zero in the window takes no part. */
TEST convex_dead_factor(void)
{
   sneppp_events   e = convex_events(100);
   sneppp_desc     d = convex_two(6, SNEPPP_MIX_ADDITIVE);
   sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-4);
   sneppp_model    m;
   sneppp_report   r;
   sneppp_error    err;
   double          W[6] = {0, 0, 0, 0, 0, 0}, b[6] = {-1, -1, -1, -1, -1, -1};
   d.factor[0].unit.act = SNEPPP_ACT_RELU;
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
   ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, W, b, NULL, &err));
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
   ASSERT_EQ(6, r.dropped);
   ASSERT_IN_RANGE(100.0, r.expected, 0.05);
   sneppp_free(&m);
   PASS();
}

/* A unit that is zero in the window has nothing to learn: its weight is what eps1 promises, wherever it stands. */
TEST convex_dead_units(void)
{
   static const double W[8] = {0, 0, 1, 0, 0, 1, 1, 1}, b[4] = {-1, 1, 1, 1};
   for (int dead = 0; dead < 4; dead++) {
      sneppp_events   e = convex_events(60);
      sneppp_desc     d = convex_box(4);
      sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-4);
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      double          turned[8], shift[4], M[16];
      for (int i = 0; i < 4; i++) {
         memcpy(turned + 2 * ((i + dead) % 4), W + 2 * i, 2 * sizeof *W);
         shift[(i + dead) % 4] = b[i];
      }
      d.factor[0].unit.act = SNEPPP_ACT_RELU, d.readout = SNEPPP_READOUT_DIAGONAL;
      f.eps1 = 0.05;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, turned, shift, NULL, &err));
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
      ASSERT_EQ(1, r.dropped);
      ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, M, &err));
      for (int i = 0; i < 4; i++) ASSERT(i == dead ? fabs(M[5 * i] - 0.05) < 1e-6 : M[5 * i] >= 0.05 * (1 - 1e-6));
      sneppp_free(&m);
   }
   PASS();
}

/* As many factors as there may be, of one axis each: the likelihood is that of the sum or the product of their parts. */
TEST convex_most_factors(void)
{
   for (int separable = 0; separable < 2; separable++) {
      enum { N = 40 };
      sneppp_real     x[N * SNEPPP_MAX_FACTORS];
      sneppp_events   e;
      sneppp_desc     d;
      sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-4);
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      sneppp_rng      rng;
      double          logs = 0, count = 0;
      memset(&d, 0, sizeof d), memset(&e, 0, sizeof e);
      for (int k = 0; k < SNEPPP_MAX_FACTORS; k++) {
         d.factor[k].window.dim = 1, d.factor[k].window.hi[0] = 1 + k;
         d.factor[k].unit.act = SNEPPP_ACT_COS;
      }
      sneppp_rng_init(&rng, 2, 0);
      for (int i = 0; i < N; i++)
         for (int k = 0; k < SNEPPP_MAX_FACTORS; k++) x[i * SNEPPP_MAX_FACTORS + k] = (sneppp_real)((1 + k) * sneppp_rng_uniform(&rng));
      d.width = 3, d.mix = separable ? SNEPPP_MIX_SEPARABLE : SNEPPP_MIX_ADDITIVE;
      e.x = x, e.count = N;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
      for (int i = 0; i < N; i++) logs += log((double)sneppp_intensity(&m, x + i * SNEPPP_MAX_FACTORS));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &count, NULL, &err));
      ASSERT_IN_RANGE(N, count, 1e-3 * N);
      ASSERT_IN_RANGE((count - logs + sneppp__lgamma(N + 1)) / N, r.nll, 1e-5);
      sneppp_free(&m);
   }
   PASS();
}

/* Several realisations of a separable process: the intensity is that of one of them. AUTO serves this mix too. */
TEST convex_separable_realisations(void)
{
   sneppp_events e[2];
   e[0] = e[1] = convex_events(150);
   for (int method = 0; method < 2; method++) {
      sneppp_desc     d = convex_two(6, SNEPPP_MIX_SEPARABLE);
      sneppp_fit_desc f = convex_fit(e, method ? SNEPPP_METHOD_CONVEX : SNEPPP_METHOD_AUTO, 1e-5);
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      double          total = 0, nll = 0;
      f.realisations = 2;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
      ASSERT_IN_RANGE(150, total, 1e-3);
      ASSERT_IN_RANGE(300, r.expected, 1e-3);
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, e, 2, &nll, NULL, NULL, NULL, &err));
      ASSERT_IN_RANGE(nll / 300, r.nll, 1e-9 + convex_slack());
      sneppp_free(&m);
   }
   PASS();
}

/* Features of the first factor are 0 for x < 5: the events there have the intensity 0, whatever the second factor says. */
TEST convex_separable_unseen(void)
{
   sneppp_events   e = convex_events(100);
   sneppp_desc     d = convex_two(6, SNEPPP_MIX_SEPARABLE);
   sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-5);
   sneppp_model    m;
   sneppp_report   r;
   sneppp_error    err;
   double          W[6] = {1, 1, 1, 1, 1, 1}, b[6] = {-5, -6, -7, -8, -9, -9.5}, nll = 0, total = 0;
   d.factor[0].unit.act = SNEPPP_ACT_RELU;
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
   ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, W, b, NULL, &err));
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
   ASSERT(nll / 100 > 100); /* most events are not seen */
   ASSERT_IN_RANGE(nll / 100, r.nll, 1e-9 + convex_slack());
   ASSERT_IN_RANGE(total, r.expected, 1e-9 + convex_slack());
   sneppp_free(&m);
   PASS();
}

/* AUTO on a ball: the convex problem with a given floor, and then the best common scale, which likelihood and gap know. */
TEST convex_auto_gap(void)
{
   sneppp_report r[2];
   double        nll = 0;
   for (int k = 0; k < 2; k++) {
      sneppp_events   e = convex_events(200);
      sneppp_desc     d = convex_box(8);
      sneppp_fit_desc f = convex_fit(&e, k ? SNEPPP_METHOD_CONVEX : SNEPPP_METHOD_AUTO, 0.02);
      sneppp_model    m;
      sneppp_error    err;
      d.factor[0].window.space = SNEPPP_SPACE_BALL;
      d.factor[0].window.centre[0] = 5, d.factor[0].window.centre[1] = 2.5;
      d.factor[0].window.radius = 8;
      if (k) f.floor = 0.05;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r[k], &err), "%d");
      ASSERT_EQ(SNEPPP_METHOD_CONVEX, r[k].method);
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &err));
      ASSERT_IN_RANGE(nll / 200, r[k].nll, 1e-9 + convex_slack());
      sneppp_free(&m);
   }
   ASSERT(r[0].nll < r[1].nll); /* the scale gained something */
   ASSERT(r[1].gap > 0 && r[0].gap >= 0);
   ASSERT_IN_RANGE(fmax(r[1].gap - (r[1].nll - r[0].nll), 0), r[0].gap, 1e-9 + convex_slack());
   PASS();
}

/* Windows of infinite mass have fits too, but no floor. */
TEST convex_infinite_mass(void)
{
   sneppp_events e = convex_events(100);
   for (int method = 0; method < 3; method++) {
      static const sneppp_method methods[3] = {SNEPPP_METHOD_CONVEX, SNEPPP_METHOD_AUTO, SNEPPP_METHOD_ADAM};
      sneppp_desc     d = convex_box(8);
      sneppp_fit_desc f = convex_fit(&e, methods[method], 1e-4);
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      double          nll = 0, total = 0, W[16], width[16];
      d.factor[0].window.space = SNEPPP_SPACE_EUCLID;
      d.factor[0].unit.act = SNEPPP_ACT_RBF;
      f.steps = 30;
      if (methods[method] == SNEPPP_METHOD_ADAM) f.tol = 0;
      for (int i = 0; i < 8; i++) W[2 * i] = 1.4 * i, W[2 * i + 1] = 2.5, width[2 * i] = width[2 * i + 1] = 2;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_set_layer(&m, 0, W, NULL, width, &err), "%d");
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &err), "%d");
      ASSERT_IN_RANGE(nll / 100, r.nll, 1e-7 + convex_slack());
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
      ASSERT_IN_RANGE(100, total, method == 2 ? 20 : 0.1);
      f.method = method == 2 ? SNEPPP_METHOD_ADAM : SNEPPP_METHOD_CONVEX;
      f.floor = 0.1;
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, &r, &err));
      ASSERT(strstr(err.why, "finite mass"));
      sneppp_free(&m);
   }
   PASS();
}

/* An optimum of more directions than the sixteen that the solver starts with: waves in six dimensions whose phases the
   events take evenly, so that only the sum of all squares is level. That it is the optimum follows from S, the sum of
   z z'/(z'X z N) over the events in coordinates with K = I: X is within lambda_max(S) - 1 of it. */
TEST convex_grows_directions(void)
{
   enum { n = 40, N = 4000, D = 6 };
   static sneppp_real x[N * D];
   static double      z[n], K[n * n], M[n * n], S[n * n];
   double             W[n * D], b[n], v[n], top = 0, total = 0;
   sneppp_real        psi[n];
   sneppp_rng         rng;
   sneppp_desc        d = convex_box(n);
   sneppp_events      e = convex_events(0);
   sneppp_fit_desc    f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-4);
   sneppp_model       m;
   sneppp_report      r;
   sneppp_error       err;
   memset(&e, 0, sizeof e);
   sneppp_rng_init(&rng, 4, 0);
   for (int i = 0; i < n * D; i++) W[i] = 20 * sneppp_rng_normal(&rng);
   for (int i = 0; i < n; i++) b[i] = 6 * sneppp_rng_uniform(&rng);
   for (int i = 0; i < N * D; i++) x[i] = (sneppp_real)sneppp_rng_uniform(&rng);
   e.x = x, e.count = N;
   d.factor[0].window.dim = D;
   for (int i = 0; i < D; i++) d.factor[0].window.hi[i] = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_set_layer(&m, 0, W, b, NULL, &err), "%d");
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
   ASSERT_EQ(SNEPPP_ENDING_CONVERGED, r.ending);
   ASSERT(r.gap >= 0 && r.gap <= 1e-4);
   ASSERT(r.rank > 16);
   ASSERT_EQ(SNEPPP_OK, sneppp_model_gram(&m, NULL, K, NULL, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, M, NULL));
   for (size_t i = 0; i < n * n; i++) total += m.alpha * M[i] * K[i];
   ASSERT_IN_RANGE(N, total, 0.1);
   ASSERT_EQ(SNEPPP_OK, sneppp__chol(n, K, n));
   memset(S, 0, sizeof S);
   for (size_t k = 0; k < N; k++) {
      double q = 0;
      ASSERT_EQ(SNEPPP_OK, sneppp_features(&m, x + D * k, psi, NULL));
      for (size_t i = 0; i < n; i++) z[i] = (double)psi[i];
      for (size_t i = 0; i < n; i++) q += m.alpha * z[i] * sneppp__dot(n, M + i * n, z);
      sneppp__solve_lower(n, K, n, 0, z, 1, 1); /* K = L L', z <- L^-1 z; alpha tr(M K) = N */
      for (size_t i = 0; i < n; i++) for (size_t j = 0; j < n; j++) S[i * n + j] += z[i] * z[j] / q;
   }
   for (size_t i = 0; i < n; i++) v[i] = 1 + (double)i / n;
   for (int step = 0; step < 3000; step++) { /* power iteration */
      double next[n];
      for (size_t i = 0; i < n; i++) next[i] = sneppp__dot(n, S + i * n, v);
      top = sqrt(sneppp__dot(n, next, next));
      for (size_t i = 0; i < n; i++) v[i] = next[i] / top;
   }
   ASSERT_IN_RANGE(1, top, 2e-3);
   sneppp_free(&m);
   PASS();
}

/* Weights of a diagonal readout that a step made vanish come back where the optimum needs them. The optimum by itself:
   m_i <- m_i S_i/a_i, the iteration of expectation and maximisation, which shares only the features. */
TEST convex_revives_weights(void)
{
   enum { n = 40, N = 100 };
   static double      psi2[N][n];
   static sneppp_real x[N];
   double             a[n], share[n], mine = 0, other = 0, sum = 0, M[n * n], K[n * n];
   sneppp_real        psi[n];
   sneppp_rng         rng;
   sneppp_desc        d = convex_box(n);
   sneppp_events      e = convex_events(0);
   sneppp_fit_desc    f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-6);
   sneppp_model       m;
   sneppp_report      r;
   sneppp_error       err;
   memset(&e, 0, sizeof e);
   sneppp_rng_init(&rng, 15, 0);
   for (int i = 0; i < N; i++) x[i] = (sneppp_real)sneppp_rng_uniform(&rng);
   e.x = x, e.count = N;
   d.factor[0].window.dim = 1, d.factor[0].window.hi[0] = 1;
   d.factor[0].unit.act = SNEPPP_ACT_RBF;
   d.readout = SNEPPP_READOUT_DIAGONAL;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
   ASSERT_EQ(SNEPPP_ENDING_CONVERGED, r.ending);
   ASSERT(r.gap >= 0 && r.gap <= 1e-6);
   ASSERT_EQ(SNEPPP_OK, sneppp_model_gram(&m, NULL, K, NULL, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, M, NULL));
   for (int i = 0; i < n; i++) a[i] = K[i * (n + 1)], share[i] = 1.0 / n / a[i], sum += m.alpha * M[i * (n + 1)] * a[i];
   ASSERT_IN_RANGE(N, sum, 0.01);
   for (int k = 0; k < N; k++) {
      double l = 0;
      ASSERT_EQ(SNEPPP_OK, sneppp_features(&m, x + k, psi, NULL));
      for (int i = 0; i < n; i++) psi2[k][i] = (double)psi[i] * (double)psi[i], l += m.alpha * M[i * (n + 1)] * psi2[k][i];
      mine -= log(l) / N;
   }
   for (int step = 0; step <= 3000; step++) {
      double S[n];
      memset(S, 0, sizeof S);
      other = 0;
      for (int k = 0; k < N; k++) {
         double l = 0;
         for (int i = 0; i < n; i++) l += share[i] * psi2[k][i];
         for (int i = 0; i < n; i++) S[i] += psi2[k][i] / l / N;
         other -= log(N * l) / N;
      }
      for (int i = 0; i < n; i++) share[i] *= S[i] / a[i];
   }
   ASSERT(mine + sum / N - (other + 1) <= 1e-6 + convex_slack()); /* the certificate is true */
   ASSERT(other + 1 - (mine + sum / N) <= 1e-4);                  /* and the iteration nearly there */
   sneppp_free(&m);
   PASS();
}

/* Projected gradients of a diagonal readout come to the same optimum as the factored method. */
TEST convex_pgd_of_a_diagonal(void)
{
   sneppp_events   e = convex_events(100);
   sneppp_desc     d = convex_box(10);
   sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-5);
   sneppp_model    m;
   sneppp_report   a, b;
   sneppp_error    err;
   double          M[2][100];
   int             zeros = 0;
   d.readout = SNEPPP_READOUT_DIAGONAL;
   f.eps1 = 0.05, f.eps2 = 0.05;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &a, &err), "%d");
   ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, M[0], &err));
   f.method = SNEPPP_METHOD_PGD;
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &b, &err), "%d");
   ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, M[1], &err));
   ASSERT(a.ending == SNEPPP_ENDING_CONVERGED && b.ending == SNEPPP_ENDING_CONVERGED);
   ASSERT(a.gap <= 1e-5 && b.gap <= 1e-5);
   for (int i = 0; i < 10; i++) { /* eps2/2 |difference|^2 is at most the gaps */
      ASSERT_IN_RANGE(M[0][11 * i], M[1][11 * i], 0.03);
      ASSERT(M[1][11 * i] >= 0.05 * (1 - 1e-6));
      zeros += M[1][11 * i] < 0.05 * (1 + 1e-6);
   }
   ASSERT(zeros > 0 && zeros < 10); /* some weights are at the border, where the projection holds them */
   sneppp_free(&m);
   PASS();
}

/* A source that gives up at any of its calls ends the fit, which leaves the model as it was. */
static size_t convex_source_calls;
static size_t convex_source(sneppp_real *dst, size_t first, size_t count, void *user)
{
   memcpy(dst, (const sneppp_real *)user + 2 * first, 2 * count * sizeof *dst);
   return convex_source_calls-- ? count : 0;
}

TEST convex_source_fails(void)
{
   sneppp_events e = convex_events(60);
   e.x = NULL, e.read = convex_source, e.user = convex_xy;
   for (int way = 0; way < 4; way++) { /* all directions, PGD, few of them, a diagonal */
      sneppp_desc     d = convex_box(8);
      sneppp_fit_desc f = convex_fit(&e, way == 1 ? SNEPPP_METHOD_PGD : SNEPPP_METHOD_CONVEX, 1e-3);
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      sneppp_real     before[64];
      size_t          entries, calls = 0;
      f.steps = 12;
      if (way == 2) d.rank = 2;
      if (way == 3) d.readout = SNEPPP_READOUT_DIAGONAL;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      entries = (size_t)m.readout[0].n * (size_t)(m.readout[0].m ? m.readout[0].m : 1);
      memcpy(before, m.readout[0].V, entries * sizeof *before);
      for (;; calls++) {
         sneppp_status st;
         convex_source_calls = calls;
         st = sneppp_fit(&m, &f, &r, &err);
         if (st == SNEPPP_OK) break;
         ASSERT_EQ(SNEPPP_ERR_SOURCE, st);
         ASSERT_EQ((size_t)-1, convex_source_calls); /* it was not called again */
         ASSERT_MEM_EQ(before, m.readout[0].V, entries * sizeof *before);
         ASSERT(calls < 1000);
      }
      ASSERT(calls >= 10);
      ASSERT(memcmp(before, m.readout[0].V, entries * sizeof *before));
      sneppp_free(&m);
   }
   PASS();
}

/* Tiny windows with a given alpha, in which the penalty and not the number of events bounds M. A line search that finds no
   step leaves the sums of its trial behind; the report is of the model all the same, the optimum is found, and no multiple
   of it is better by more than the gap. */
TEST convex_tiny_windows(void)
{
   static const struct { double window, alpha, eps2; int N, width, realisations; sneppp_act act; } row[] = {
      {1e-14, 1, 10, 10, 7, 1, SNEPPP_ACT_RELU}, {1e-14, 1e-3, 1e-3, 1, 3, 2, SNEPPP_ACT_RELU}, {1e-14, 10, 0.1, 13, 4, 2, SNEPPP_ACT_RELU},
      {1e-10, 1e-3, 10, 10, 5, 1, SNEPPP_ACT_COS}, {1, 1e-3, 0.1, 8, 4, 2, SNEPPP_ACT_COS}, {1, 0, 0.1, 8, 4, 2, SNEPPP_ACT_COS}};
   sneppp_real x[26];
   for (size_t k = 0; k < sizeof row / sizeof *row; k++)
      for (int diagonal = 0; diagonal < 2; diagonal++) {
         sneppp_desc     d = convex_box(row[k].width);
         sneppp_events   e[2];
         sneppp_fit_desc f;
         sneppp_report   report;
         sneppp_model    m;
         sneppp_error    err;
         sneppp_rng      rng;
         double          nll, other, square = 0, M[49], W = (double)(row[k].N * row[k].realisations);
         size_t          n = (size_t)row[k].width;
         memset(e, 0, sizeof e);
         sneppp_rng_init(&rng, 40 + k, 0);
         for (int i = 0; i < 26; i++) x[i] = (sneppp_real)(row[k].window * sneppp_rng_uniform(&rng));
         e[0].x = x, e[1].x = x + row[k].N, e[0].count = e[1].count = (size_t)row[k].N;
         d.factor[0].window.dim = 1, d.factor[0].window.hi[0] = row[k].window, d.factor[0].unit.act = row[k].act;
         d.alpha = row[k].alpha, d.seed = 49;
         d.readout = diagonal ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL;
         f = convex_fit(e, SNEPPP_METHOD_CONVEX, 0);
         f.realisations = (size_t)row[k].realisations, f.eps2 = row[k].eps2;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &report, &err));
         ASSERT_EQ(SNEPPP_ENDING_CONVERGED, report.ending);
         ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, e, f.realisations, &nll, NULL, NULL, NULL, &err));
         ASSERT_IN_RANGE(nll / W, report.nll, (sizeof(sneppp_real) < sizeof(double) ? 1e-4 : 1e-9) * fabs(nll / W));
         ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, M, &err));
         for (size_t i = 0; i < n * n; i++) square += M[i] * M[i];
         for (int c = 0; c < 2; c++) {
            double scale = c ? 1.1 : 0.9, was = m.alpha;
            m.alpha = scale * was; /* the multiple of M, without its rounding */
            ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, e, f.realisations, &other, NULL, NULL, NULL, &err));
            m.alpha = was;
            ASSERT(other / W + 0.5 * f.eps2 * scale * scale * square >= nll / W + 0.5 * f.eps2 * square - report.gap - 1e-6);
         }
         sneppp_free(&m);
      }
   PASS();
}

/* Weights that vanished and should not have come back as small ones; others stay as they are. */
TEST convex_revives_each(void)
{
   static sneppp__convex cx;
   sneppp__convex_vars   v;
   double                a[5] = {1, 2, 1, 0, 4}, S[5] = {3, 3, 0.5, 9, 4.4}, x[5] = {0, 1, 0, 0, 1e-9};
   memset(&cx, 0, sizeof cx), memset(&v, 0, sizeof v);
   cx.cones = 1, cx.R = 5, cx.S = S, cx.diagonal = 1;
   cx.cone[0].r = 5, cx.cone[0].a = a;
   v.x = x, v.memory.used = 3;
   sneppp__convex_revive(&cx, &v);
   ASSERT_IN_RANGE(sqrt(0.01 / 5), x[0], 1e-15);           /* S/a - 1 = 2, which counts as 1 */
   ASSERT_EQ(1, x[1]);
   ASSERT_EQ(0, x[2]);                                     /* S < a: rightly 0 */
   ASSERT_EQ(0, x[3]);                                     /* zero in the window */
   ASSERT_IN_RANGE(sqrt(0.01 * 0.1 / 5 / 4), x[4], 1e-12); /* S/a - 1 = 0.1 */
   ASSERT_EQ(0, (int)v.memory.used);
   PASS();
}

/* With a trace penalty, however small, equal features are told apart from nothing: none is dropped; without one of
   each pair is. What V does not use is 0 to the bit. */
TEST convex_equal_features(void)
{
   for (int traced = 0; traced < 2; traced++) {
      sneppp_events   e = convex_events(60);
      sneppp_desc     d = convex_box(6);
      sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, 1e-3);
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      size_t          zeros = 0;
      f.trace = traced ? 1e-12 : 0;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      for (int i = 3; i < 6; i++) {
         for (int k = 0; k < m.layer[0].d; k++) m.layer[0].W[i * m.layer[0].d + k] = m.layer[0].W[(i - 3) * m.layer[0].d + k];
         if (m.layer[0].b) m.layer[0].b[i] = m.layer[0].b[i - 3];
      }
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
      ASSERT_EQ_FMT(traced ? 0 : 3, r.dropped, "%d");
      for (int i = 0; i < m.readout[0].m * m.readout[0].n; i++) zeros += m.readout[0].V[i] == 0;
      if (!traced) ASSERT(zeros >= 3 * (size_t)m.readout[0].m + 3 * 3);
      sneppp_free(&m);
   }
   PASS();
}

/* Events of weight 0 change nothing, but a bad one is named all the same. */
TEST convex_checks_weightless_events(void)
{
   static const sneppp_method method[2] = {SNEPPP_METHOD_CONVEX, SNEPPP_METHOD_PGD};
   sneppp_real x[3] = {(sneppp_real)0.2, (sneppp_real)0.9, (sneppp_real)0.4};
   const sneppp_real weight[3] = {0, 0, 0};
   for (int k = 0; k < 2; k++)
      for (int bad = 0; bad < 2; bad++) {
         sneppp_events   e;
         sneppp_desc     d;
         sneppp_fit_desc f = convex_fit(&e, method[k], 0);
         sneppp_model    m;
         sneppp_error    err;
         sneppp_real     V;
         memset(&e, 0, sizeof e);
         memset(&d, 0, sizeof d);
         d.factor[0].window.dim = 1, d.factor[0].window.hi[0] = 1, d.width = 1;
         e.x = x, e.count = 3, e.weight = weight;
         x[1] = (sneppp_real)(bad ? 1.5 : 0.9);
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
         V = m.readout[0].V[0];
         ASSERT_EQ_FMTm(err.why, bad ? SNEPPP_ERR_DATA : SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err), "%d");
         if (bad) ASSERT_EQ(1, (int)err.event);
         if (bad) ASSERT(m.readout[0].V[0] >= V && m.readout[0].V[0] <= V); /* as it was */
         else ASSERT(!(m.readout[0].V[0] > 0));
         sneppp_free(&m);
      }
   PASS();
}

/* What a separable model cannot do by PGD is said in words that can be followed: eps1 is 0 already, and NONE is refused. */
TEST convex_pgd_separable(void)
{
   sneppp_events   e = convex_events(120);
   sneppp_desc     d = convex_two(8, SNEPPP_MIX_SEPARABLE);
   sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_PGD, 0);
   sneppp_model    m;
   sneppp_error    err;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, NULL, &err));
   ASSERT(strstr(err.why, "PGD needs fit.eps1, with which a separable model"));
   sneppp_free(&m);
   PASS();
}

/* Who asks once to stop is told so, whatever the factors after it say. */
TEST convex_separable_stops(void)
{
   sneppp_events   e = convex_events(120);
   sneppp_desc     d = convex_two(8, SNEPPP_MIX_SEPARABLE);
   sneppp_fit_desc f = convex_fit(&e, SNEPPP_METHOD_CONVEX, SNEPPP_NONE);
   sneppp_model    m;
   sneppp_report   r;
   size_t          told = 0;
   f.progress = convex_stop_once, f.user = &told;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
   ASSERT_EQ(SNEPPP_ENDING_ASKED_TO_STOP, r.ending);
   sneppp_free(&m);
   PASS();
}

/* A step that only the far tail of a Gaussian sees, and an event elsewhere: V would be some 1e120. As a float that was infinite,
   and the intensity 0 times infinity. */
TEST convex_beyond_numbers(void)
{
   const double    W[2] = {2.9, -0.0155}, b[2] = {0.95, -0.514};
   sneppp_desc     d;
   sneppp_events   e;
   sneppp_fit_desc f;
   sneppp_model    m;
   sneppp_error    err;
   sneppp_real     x[2] = {(sneppp_real)0.56, (sneppp_real)1.11};
   sneppp_status   st;
   memset(&d, 0, sizeof d), memset(&e, 0, sizeof e);
   d.factor[0].window.dim = d.factor[1].window.dim = 1, d.factor[0].window.hi[0] = 1;
   d.factor[1].window.space = SNEPPP_SPACE_GAUSS, d.factor[1].unit.act = SNEPPP_ACT_STEP;
   d.width = 1;
   e.x = x, e.count = 1;
   f = convex_fit(&e, SNEPPP_METHOD_PGD, 0), f.steps = 40;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   for (int k = 0; k < 2; k++) ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, k, W + k, b + k, NULL, &err));
   st = sneppp_fit(&m, &f, NULL, &err);
   ASSERT_EQ(sizeof(sneppp_real) == 4 ? SNEPPP_ERR_RANGE : SNEPPP_OK, st);
   ASSERT(sneppp_intensity(&m, x) >= 0);
   sneppp_free(&m);
   PASS();
}

SUITE(convex)
{
   RUN_TEST(convex_beyond_numbers);
   RUN_TEST(convex_checks_weightless_events);
   RUN_TEST(convex_revives_each);
   RUN_TEST(convex_equal_features);
   RUN_TEST(convex_grows_directions);
   RUN_TEST(convex_revives_weights);
   RUN_TEST(convex_source_fails);
   RUN_TEST(convex_pgd_of_a_diagonal);
   RUN_TEST(convex_infinite_mass);
   RUN_TEST(convex_separable_unseen);
   RUN_TEST(convex_auto_gap);
   RUN_TEST(convex_separable_realisations);
   RUN_TEST(convex_certifies_bei);
   RUN_TEST(convex_agrees_with_multiplicative_iteration);
   RUN_TEST(convex_certificate_is_valid);
   RUN_TEST(convex_pgd_keeps_proposition_2);
   RUN_TEST(convex_serves_every_mix);
   RUN_TEST(convex_same_bits_for_threads_and_sources);
   RUN_TEST(convex_weights_are_repetitions);
   RUN_TEST(convex_low_rank);
   RUN_TEST(convex_low_rank_additive);
   RUN_TEST(convex_low_rank_converges);
   RUN_TEST(convex_dead_factor);
   RUN_TEST(convex_dead_units);
   RUN_TEST(convex_most_factors);
   RUN_TEST(convex_few_events);
   RUN_TEST(convex_stops_when_asked);
   RUN_TEST(convex_refuses_what_cannot_be);
   RUN_TEST(convex_survives_failing_memory);
   RUN_TEST(convex_tiny_windows);
   RUN_TEST(convex_pgd_separable);
   RUN_TEST(convex_separable_stops);
}
