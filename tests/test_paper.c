/* The rivals of bench/paper: every form of the permanental process against the definitions, by plain sums, quadrature
   and a dense solve. */
#include "../bench/paper/permanental.c"

enum { paper_events = 24, paper_side = 7, paper_all = paper_side * paper_side + paper_events };
static double paper_x[2 * paper_events];

static perm_desc paper_pattern(perm_form form, int size)
{
   perm_desc  o;
   sneppp_rng rng;
   memset(&o, 0, sizeof o);
   sneppp_rng_init(&rng, 41, 0);
   o.d = 2, o.lo[0] = -1, o.hi[0] = 1, o.lo[1] = 0, o.hi[1] = 1.5;
   for (int i = 0; i < paper_events; i++) {
      paper_x[2 * i] = -1 + 2 * sneppp_rng_uniform(&rng);
      paper_x[2 * i + 1] = 1.5 * sneppp_rng_uniform(&rng) * sneppp_rng_uniform(&rng);
   }
   o.x = paper_x, o.count = paper_events, o.form = form, o.size = size, o.seed = 5;
   return o;
}

/* A (n, n) y = b by elimination with pivots; A and b are overwritten, b becomes y. Returns log |det A|. */
static double paper_solve(size_t n, double *A, double *b)
{
   double sum = 0;
   for (size_t k = 0; k < n; k++) {
      size_t best = k;
      for (size_t i = k; i < n; i++)
         if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
      for (size_t j = 0; j < n; j++) {
         double t = A[k * n + j];
         A[k * n + j] = A[best * n + j], A[best * n + j] = t;
      }
      { double t = b[k]; b[k] = b[best], b[best] = t; }
      sum += log(fabs(A[k * n + k]));
      for (size_t i = k + 1; i < n; i++) {
         double f = A[i * n + k] / A[k * n + k];
         for (size_t j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
         b[i] -= f * b[k];
      }
   }
   for (size_t k = n; k-- > 0;) {
      for (size_t j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
      b[k] /= A[k * n + k];
   }
   return sum;
}

TEST paper_nodes(void)
{
   double x[40], w[40];
   for (int n = 1; n <= 40; n += 3) {
      perm_legendre(n, -1, 3, x, w);
      for (int power = 0; power < 2 * n && power < 12; power++) {
         double sum = 0, exact = (pow(3, power + 1) - pow(-1, power + 1)) / (power + 1);
         for (int i = 0; i < n; i++) sum += w[i] * pow(x[i], power);
         ASSERT_IN_RANGE(exact, sum, 1e-12 * pow(3, power + 1));
      }
   }
   PASS();
}

/* Integrals of the features over the box: closed forms against 40 x 40 nodes. T T' integrates to a diagonal. */
TEST paper_integrals(void)
{
   const double b[2] = { 1.1, 2.3 };
   double x[40], y[40], wx[40], wy[40];
   perm_legendre(40, -1, 1, x, wx), perm_legendre(40, 0, 1.5, y, wy);
   for (int form = PERM_NYSTROM; form <= PERM_RFM; form++) {
      perm_desc o = paper_pattern((perm_form)form, 12);
      perm_fit  fit;
      double    sum = 0, worst = 0, *T, *Xi, *raw, *G;
      ASSERT(perm_make(&fit, &o, 9, b, NULL));
      T = perm_take(fit.rank, 1), Xi = perm_take(fit.rank, fit.rank), raw = perm_take(fit.raw, 1), G = perm_take(fit.raw, fit.raw);
      perm_gram(&fit, G);
      for (size_t r = 0; r < fit.rank; r++) Xi[r * fit.rank + r] = fit.norm[r];
      for (int i = 0; i < 40; i++)
         for (int j = 0; j < 40; j++) {
            double p[2], mean, variance, weight = wx[i] * wy[j];
            p[0] = x[i], p[1] = y[j];
            perm_at(&fit, p, 1, &mean, &variance);
            sum += weight * (mean * mean + variance);
            perm_features(&fit, p, 1, T), perm_raw(&fit, p, 1, raw);
            for (size_t r = 0; r < fit.rank; r++)
               for (size_t s = 0; s < fit.rank; s++) Xi[r * fit.rank + s] -= weight * T[r] * T[s];
            for (size_t r = 0; r < fit.raw; r++)
               for (size_t s = 0; s < fit.raw; s++) G[r * fit.raw + s] -= weight * raw[r] * raw[s];
         }
      for (size_t r = 0; r < fit.rank * fit.rank; r++) worst = fmax(worst, fabs(Xi[r]));
      for (size_t r = 0; r < fit.raw * fit.raw; r++) worst = fmax(worst, fabs(G[r]));
      ASSERT_IN_RANGE(0, worst, 1e-9);
      perm_free(&fit);
      ASSERT(perm_make(&fit, &o, 9, b, NULL));
      ASSERT_IN_RANGE(sum, perm_integral(&fit), 1e-8 * sum);
      perm_free(&fit);
      free(T), free(Xi), free(raw), free(G);
   }
   PASS();
}

/* The naive form against the process on finitely many points, nodes and events, with the integral a sum over nodes: the
   mode satisfies f = K (2 / f at events - 2 w f at nodes), the covariance is K - K (K + D^-1)^-1 K with D = 2 w and
   2 / f^2, and the evidence has log det(1 + K D), all by elimination. */
TEST paper_naive(void)
{
   const double b[2] = { 0.9, 1.6 };
   static double at[2 * paper_all], f[paper_all], var[paper_all], K[paper_all * paper_all], A[paper_all * paper_all], D[paper_all], c[paper_all];
   perm_desc o = paper_pattern(PERM_NAIVE, paper_side);
   perm_fit  fit;
   double    node[2][paper_side], weight[2][paper_side], evidence = 0, log_det;
   ASSERT(perm_make(&fit, &o, 14, b, NULL));
   ASSERT_IN_RANGE(0, fit.residual, 1e-9);
   for (int r = 0; r < 2; r++) perm_legendre(paper_side, o.lo[r], o.hi[r], node[r], weight[r]);
   for (int i = 0; i < paper_all; i++) {
      int k = i - paper_events;
      at[2 * i] = k < 0 ? paper_x[2 * i] : node[0][k % paper_side];
      at[2 * i + 1] = k < 0 ? paper_x[2 * i + 1] : node[1][k / paper_side];
      D[i] = k < 0 ? 0 : 2 * weight[0][k % paper_side] * weight[1][k / paper_side];
   }
   perm_at(&fit, at, paper_all, f, var);
   for (int i = 0; i < paper_all; i++) c[i] = i < paper_events ? 2 / f[i] : -D[i] * f[i];
   for (int i = 0; i < paper_all; i++) {
      double sum = 0;
      for (int j = 0; j < paper_all; j++) {
         double u = b[0] * (at[2 * i] - at[2 * j]), v = b[1] * (at[2 * i + 1] - at[2 * j + 1]);
         K[i * paper_all + j] = 14 * exp(-u * u - v * v);
         sum += K[i * paper_all + j] * c[j];
      }
      ASSERT_IN_RANGE(f[i], sum, 1e-6);
   }
   for (int i = 0; i < paper_events; i++) {
      D[i] = 2 / (f[i] * f[i]);
      ASSERT_IN_RANGE(1, f[i] * fit.v[i], 1e-7);
      evidence += 2 * log(f[i]) - 1; /* the energy is half of sum c f, over events, which is 2 each, and nodes */
   }
   for (int target = 0; target < paper_all; target += 9) {
      double sum = 0;
      for (int i = 0; i < paper_all; i++) {
         for (int j = 0; j < paper_all; j++) A[i * paper_all + j] = K[i * paper_all + j] + (i == j ? 1 / D[i] : 0);
         c[i] = K[i * paper_all + target];
      }
      paper_solve(paper_all, A, c);
      for (int i = 0; i < paper_all; i++) sum += c[i] * K[i * paper_all + target];
      ASSERT_IN_RANGE(K[target * paper_all + target] - sum, var[target], 1e-6);
   }
   for (int i = 0; i < paper_all; i++) {
      for (int j = 0; j < paper_all; j++) A[i * paper_all + j] = K[i * paper_all + j] * D[j] + (i == j);
      c[i] = 0;
   }
   log_det = paper_solve(paper_all, A, c);
   ASSERT_IN_RANGE(evidence - 0.5 * log_det, fit.evidence, 1e-6);
   perm_free(&fit);
   PASS();
}

/* With all events as points, and covariances that are wide beside their distances, the three agree; random frequencies
   need many. */
TEST paper_forms(void)
{
   const double b[2] = { 0.25, 0.35 };
   perm_desc o[3];
   double    mean[3][16], var[3][16], at[32], evidence[3];
   o[0] = paper_pattern(PERM_NAIVE, 12), o[1] = paper_pattern(PERM_NYSTROM, 0), o[2] = paper_pattern(PERM_RFM, 400);
   for (int i = 0; i < 16; i++) at[2 * i] = -1 + 2 * (i % 4) / 3.0, at[2 * i + 1] = 1.5 * (i / 4) / 3.0;
   for (int k = 0; k < 3; k++) {
      perm_fit fit;
      ASSERT(perm_make(&fit, &o[k], 20, b, NULL));
      perm_at(&fit, at, 16, mean[k], var[k]);
      evidence[k] = fit.evidence;
      perm_free(&fit);
   }
   for (int i = 0; i < 16; i++) {
      ASSERT_IN_RANGE(mean[0][i], mean[1][i], 0.01); /* f is about 3 at the events */
      ASSERT(var[1][i] <= var[0][i] && var[1][i] > 0.9 * var[0][i]); /* what 24 points do not span has no variance */
      ASSERT_IN_RANGE(mean[0][i], mean[2][i], 0.3);
   }
   ASSERT_IN_RANGE(evidence[0], evidence[1], 0.05); /* of 37; eigenvalues below 1e-6 are cut off */
   ASSERT_IN_RANGE(evidence[0], evidence[2], 1);
   PASS();
}

/* Random features of covariance k, not k / a. */
static void paper_phi(const perm_fit *fit, const double *x, double *phi)
{
   perm_raw(fit, x, 1, phi);
   for (size_t r = 0; r < fit->raw; r++) phi[r] *= sqrt(fit->a);
}

/* The evidence of random features from their own weights: -E - log det(1 + 2 Xi + 2 sum phi phi' / f^2) / 2, where
   Xi is a sum over nodes; E is stationary. */
TEST paper_evidence(void)
{
   enum { features = 10 };
   const double b[2] = { 1.2, 0.8 };
   perm_desc o = paper_pattern(PERM_RFM, features);
   perm_fit  fit;
   double    x[30], y[30], wx[30], wy[30], A[features * features] = { 0 }, w[features], g[features], phi[features], E = 0, f;
   ASSERT(perm_make(&fit, &o, 8, b, NULL));
   perm_legendre(30, -1, 1, x, wx), perm_legendre(30, 0, 1.5, y, wy);
   for (int i = 0; i < 900; i++) {
      double p[2];
      p[0] = x[i % 30], p[1] = y[i / 30];
      paper_phi(&fit, p, phi);
      for (int r = 0; r < features; r++)
         for (int s = 0; s < features; s++) A[r * features + s] += 2 * wx[i % 30] * wy[i / 30] * phi[r] * phi[s];
   }
   for (int r = 0; r < features; r++) A[r * features + r] += 1;
   for (int r = 0; r < features; r++) /* f = T'w' = raw'(map'w') */
      for (size_t s = (w[r] = 0, 0); s < fit.rank; s++) w[r] += fit.map[s * fit.raw + (size_t)r] * fit.w[s] / sqrt(fit.a);
   for (int r = 0; r < features; r++) {
      g[r] = 0;
      for (int s = 0; s < features; s++) g[r] += A[r * features + s] * w[s];
      E += 0.5 * w[r] * g[r];
   }
   for (int i = 0; i < paper_events; i++) {
      paper_phi(&fit, paper_x + 2 * i, phi);
      f = 0;
      for (int r = 0; r < features; r++) f += w[r] * phi[r];
      ASSERT_IN_RANGE(1, f * fit.v[i], 1e-7);
      E -= 2 * log(f);
      for (int r = 0; r < features; r++) {
         g[r] -= 2 * phi[r] / f;
         for (int s = 0; s < features; s++) A[r * features + s] += 2 * phi[r] * phi[s] / (f * f);
      }
   }
   for (int r = 0; r < features; r++) ASSERT_IN_RANGE(0, g[r], 1e-6);
   ASSERT_IN_RANGE(-E - 0.5 * paper_solve(features, A, g), fit.evidence, 1e-7);
   perm_free(&fit);
   PASS();
}

TEST paper_medians(void)
{
   ASSERT_IN_RANGE(0.45493642, perm_median(0, 1), 1e-7); /* chi squared with one degree of freedom */
   ASSERT_IN_RANGE(9, perm_median(3, 0), 1e-12);
   ASSERT_IN_RANGE(100 * (1 - 0.01 / 3), perm_median(10, 0.5), 0.3);
   PASS();
}

TEST paper_choice(void)
{
   perm_desc o = paper_pattern(PERM_RFM, 20);
   perm_fit  fit, other;
   double    a, b[2];
   perm_guess(&o, &a, b);
   ASSERT(a > 0 && b[0] > 1 && b[0] < 3 && b[1] > b[0]);
   ASSERT(perm_choose(&fit, &o));
   for (int k = 0; k < 4; k++) {
      double bk[2];
      bk[0] = b[0] * (k % 2 ? 3 : 1.0 / 3), bk[1] = b[1] * (k % 2 ? 3 : 1.0 / 3);
      ASSERT(perm_make(&other, &o, a * (k / 2 ? 3 : 1.0 / 3), bk, NULL));
      ASSERT(other.evidence <= fit.evidence + 1e-6);
      perm_free(&other);
   }
   perm_free(&fit);
   PASS();
}

SUITE(paper)
{
   RUN_TEST(paper_nodes);
   RUN_TEST(paper_integrals);
   RUN_TEST(paper_naive);
   RUN_TEST(paper_forms);
   RUN_TEST(paper_evidence);
   RUN_TEST(paper_medians);
   RUN_TEST(paper_choice);
}
