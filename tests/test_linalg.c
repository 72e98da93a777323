/* Linear algebra: every routine against the definition, written out as plainly as possible. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t linalg_state = 1;

static double linalg_uniform(void) /* in (-1, 1); a generator of its own, so that this suite stands alone */
{
   linalg_state = linalg_state * 6364136223846793005ULL + 1442695040888963407ULL;
   return (double)(int64_t)(linalg_state >> 11) / 4503599627370496.0 - 1;
}

static double *linalg_new(size_t count)
{
   return (double *)malloc((count ? count : 1) * sizeof(double));
}

static void linalg_fill(size_t count, double *x)
{
   for (size_t i = 0; i < count; i++) x[i] = linalg_uniform();
}

static double linalg_at(const double *A, size_t ld, int trans, size_t i, size_t j)
{
   return trans ? A[j * ld + i] : A[i * ld + j];
}

/* ---- gemm: sums in long double; the error is bounded by (k + 3) eps times the sum of absolute values. Tables
   of sizes around the blocks of the fast kernels, strides wider than the rows, and a guard after each row. */
static const size_t linalg_sizes[][3] = {{1, 1, 1},  {2, 3, 1},   {4, 4, 4},    {5, 7, 3},   {6, 8, 5},    {7, 9, 17},
                                         {1, 33, 2}, {12, 16, 8}, {13, 17, 11}, {31, 1, 64}, {65, 40, 33}, {48, 99, 130}};

static const double linalg_scales[][2] = {{1, 0}, {1, 1}, {-0.5, 0.25}, {0, 2}, {2, -1}};

enum { LINALG_PRECISIONS = sizeof(sneppp_real) == sizeof(float) ? 2 : 1 }; /* products of floats are in the float build */

static int linalg_gemm_case(int ta, int tb, const size_t *s, double alpha, double beta, int single)
{
   size_t  m = s[0], n = s[1], k = s[2], lda = (ta ? m : k) + 3, ldb = (tb ? k : n) + 1, ldc = n + 2;
   size_t  na = (ta ? k : m) * lda, nb = (tb ? n : k) * ldb, nc = m * ldc;
   double *A = linalg_new(na), *B = linalg_new(nb), *C = linalg_new(nc), *D = linalg_new(nc);
   float  *Af = (float *)malloc(na * sizeof(float)), *Bf = (float *)malloc(nb * sizeof(float));
   float  *Cf = (float *)malloc(nc * sizeof(float));
   int     bad = 0;
   linalg_fill(na, A);
   linalg_fill(nb, B);
   linalg_fill(nc, C);
   for (size_t i = 0; i < na; i++) { Af[i] = (float)A[i]; if (single) A[i] = (double)Af[i]; }
   for (size_t i = 0; i < nb; i++) { Bf[i] = (float)B[i]; if (single) B[i] = (double)Bf[i]; }
   for (size_t i = 0; i < nc; i++) { Cf[i] = (float)C[i]; if (single) C[i] = (double)Cf[i]; }
   memcpy(D, C, nc * sizeof(double));
#ifdef SNEPPP_REAL_FLOAT
   if (single) SNEPPP_GEMM_F32(ta, tb, m, n, k, (float)alpha, Af, lda, Bf, ldb, (float)beta, Cf, ldc);
#endif
   if (!single) sneppp__gemm_f64(ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, D, ldc);
   for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < ldc; j++) {
         double got = single ? (double)Cf[i * ldc + j] : D[i * ldc + j], eps = single ? 1.2e-7 : 2.3e-16;
         long double sum = 0, size = 0;
         if (j >= n) { if (got != C[i * ldc + j]) bad = 1; continue; } /* the guard */
         for (size_t p = 0; p < k; p++) {
            long double t = (long double)linalg_at(A, lda, ta, i, p) * linalg_at(B, ldb, tb, p, j);
            sum += t;
            size += t < 0 ? -t : t;
         }
         sum = alpha * sum + beta * C[i * ldc + j];
         size = fabs(alpha) * size + fabs(beta * C[i * ldc + j]);
         if (!(fabs(got - (double)sum) <= (double)(k + 3) * eps * (double)size)) bad = 1;
      }
   free(A); free(B); free(C); free(D); free(Af); free(Bf); free(Cf);
   return !bad;
}

TEST linalg_gemm_is_the_definition(void)
{
   for (size_t s = 0; s < sizeof linalg_sizes / sizeof linalg_sizes[0]; s++)
      for (size_t a = 0; a < sizeof linalg_scales / sizeof linalg_scales[0]; a++)
         for (int t = 0; t < 4 * LINALG_PRECISIONS; t++)
            ASSERT(linalg_gemm_case(t & 1, t >> 1 & 1, linalg_sizes[s], linalg_scales[a][0], linalg_scales[a][1], t >> 2));
   PASS();
}

static int linalg_syrk_case(int trans, size_t n, size_t k, double alpha, double beta, int single)
{
   size_t  lda = (trans ? n : k) + 1, na = (trans ? k : n) * lda, ldc = n + 3, nc = n * ldc;
   double *A = linalg_new(na), *C = linalg_new(nc), *D = linalg_new(nc), *E = linalg_new(n * n);
   float  *Af = (float *)malloc(na * sizeof(float)), *Cf = (float *)malloc(nc * sizeof(float));
   int     bad = 0;
   linalg_fill(na, A);
   linalg_fill(nc, C);
   for (size_t i = 0; i < n; i++) for (size_t j = 0; j < i; j++) C[j * ldc + i] = C[i * ldc + j];
   for (size_t i = 0; i < na; i++) { Af[i] = (float)A[i]; if (single) A[i] = (double)Af[i]; }
   for (size_t i = 0; i < nc; i++) { Cf[i] = (float)C[i]; if (single) C[i] = (double)Cf[i]; }
   for (size_t i = 0; i < n; i++) for (size_t j = 0; j < n; j++) E[i * n + j] = C[i * ldc + j];
   memcpy(D, C, nc * sizeof(double));
#ifdef SNEPPP_REAL_FLOAT
   if (single) SNEPPP_SYRK_F32(trans, n, k, (float)alpha, Af, lda, (float)beta, Cf, ldc);
#endif
   if (!single) sneppp__syrk_f64(trans, n, k, alpha, A, lda, beta, D, ldc);
   sneppp__gemm_plain_f64(trans, !trans, n, n, k, alpha, A, lda, A, lda, beta, E, n);
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < ldc; j++) {
         double got = single ? (double)Cf[i * ldc + j] : D[i * ldc + j], eps = single ? 1.2e-7 : 2.3e-16;
         if (j >= n) { if (got != C[i * ldc + j]) bad = 1; continue; }
         if (!(fabs(got - E[i * n + j]) <= (double)(2 * k + 6) * eps * (fabs(alpha) * (double)k + fabs(beta)))) bad = 1;
         if (got != (single ? (double)Cf[j * ldc + i] : D[j * ldc + i])) bad = 1; /* both triangles, same bits */
      }
   free(A); free(C); free(D); free(E); free(Af); free(Cf);
   return !bad;
}

TEST linalg_syrk_is_gemm_and_symmetric(void)
{
   for (size_t s = 0; s < sizeof linalg_sizes / sizeof linalg_sizes[0]; s++)
      for (size_t a = 0; a < sizeof linalg_scales / sizeof linalg_scales[0]; a++)
         for (int t = 0; t < 2 * LINALG_PRECISIONS; t++)
            ASSERT(linalg_syrk_case(t & 1, linalg_sizes[s][1], linalg_sizes[s][2], linalg_scales[a][0], linalg_scales[a][1], t >> 1));
   PASS();
}

/* With beta = 0 the old C must not be read: NaN in it must not come out. Empty sums are zero. */
TEST linalg_gemm_ignores_old_c_and_handles_empty(void)
{
   size_t   n = 9;
   double   A[81], C[81];
   uint64_t nan = 0x7ff8000000000000ULL;
   linalg_fill(81, A);
   for (int t = 0; t < 4; t++) {
      for (size_t i = 0; i < 81; i++) memcpy(C + i, &nan, sizeof nan);
      sneppp__gemm_f64(t & 1, t >> 1, n, n, n, 1, A, n, A, n, 0, C, n);
      for (size_t i = 0; i < 81; i++) ASSERT(sneppp__finite(C[i]));
      for (size_t i = 0; i < 81; i++) memcpy(C + i, &nan, sizeof nan);
      sneppp__syrk_f64(t & 1, n, n, 1, A, n, 0, C, n);
      for (size_t i = 0; i < 81; i++) ASSERT(sneppp__finite(C[i]));
      for (size_t i = 0; i < 81; i++) memcpy(C + i, &nan, sizeof nan);
      sneppp__gemm_f64(t & 1, t >> 1, n, n, 0, 1, A, n, A, n, 0, C, n);
      for (size_t i = 0; i < 81; i++) ASSERT_EQ(C[i], 0.0);
      sneppp__gemm_f64(t & 1, t >> 1, 0, n, n, 1, A, n, A, n, 0, C, n);
      sneppp__gemm_f64(t & 1, t >> 1, n, 0, n, 1, A, n, A, n, 0, C, n);
      sneppp__syrk_f64(t & 1, 0, n, 1, A, n, 0, C, n);
      for (size_t i = 0; i < 81; i++) ASSERT_EQ(C[i], 0.0);
   }
   PASS();
}

/* The loops of the fast eigensolver against their definitions. */
TEST linalg_loops_of_the_eigensolver(void)
{
   size_t  n = 37, ld = 48;
   double *A = linalg_new(n * ld), *B = linalg_new(n * ld), *u = linalg_new(3 * n + 8), *p = linalg_new(n), *turn = linalg_new(2 * n);
   linalg_fill(n * ld, A);
   linalg_fill(3 * n, u);
   for (size_t i = 0; i < 8; i++) B[n * n + i] = u[3 * n + i] = sneppp__nan(); /* what lies behind is not read */
   memcpy(B, A, n * n * sizeof(double));
   sneppp__tri_pass(n, 5, B, u, u + n, u + 2 * n, p);
   memcpy(B + n * n, A + n * n, n * (ld - n) * sizeof(double));
   for (size_t i = 5; i < n; i++) {
      double sum = 0;
      for (size_t j = 5; j < n; j++) {
         A[i * n + j] -= u[i] * u[n + j] + u[n + i] * u[j];
         sum += A[i * n + j] * u[2 * n + j];
      }
      ASSERT_IN_RANGE(sum, p[i], 1e-13);
   }
   for (size_t i = 0; i < n * ld; i++) ASSERT_IN_RANGE(A[i], B[i], 1e-14); /* and nothing else has changed */
   for (size_t i = 0; i < n; i++) { turn[2 * i] = cos(u[i]); turn[2 * i + 1] = sin(u[i]); }
   sneppp__tri_rotate(B + 16, ld, 3, n - 1, turn);
   for (size_t i = n - 1; i-- > 3;)
      for (size_t j = 16; j < 32; j++) {
         double x = A[i * ld + j], y = A[(i + 1) * ld + j];
         A[(i + 1) * ld + j] = turn[2 * i + 1] * x + turn[2 * i] * y;
         A[i * ld + j] = turn[2 * i] * x - turn[2 * i + 1] * y;
      }
   for (size_t i = 0; i < n * ld; i++) ASSERT_IN_RANGE(A[i], B[i], 1e-13);
   free(A); free(B); free(u); free(p); free(turn);
   PASS();
}

/* ---- Cholesky and triangular solves */
static void linalg_random_pd(size_t n, double *A) /* G G' + I/10 */
{
   double *G = linalg_new(n * n);
   linalg_fill(n * n, G);
   sneppp__gemm_plain_f64(0, 1, n, n, n, 1, G, n, G, n, 0, A, n);
   for (size_t i = 0; i < n; i++) A[i * n + i] += 0.1;
   free(G);
}

TEST linalg_chol_rebuilds_and_solves(void)
{
   static const size_t sizes[] = {1, 2, 5, 16, 33, 64, 97, 128, 150};
   for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
      size_t  n = sizes[s], r = 3;
      double *A = linalg_new(n * n), *L = linalg_new(n * n), *R = linalg_new(n * (n + r)), *X = linalg_new(n * r), *B = linalg_new(n * r);
      linalg_random_pd(n, A);
      memcpy(L, A, n * n * sizeof(double));
      for (size_t i = 0; i < n; i++) for (size_t j = i + 1; j < n; j++) L[i * n + j] = HUGE_VAL; /* nobody's business */
      ASSERT_EQ(sneppp__chol(n, L, n), SNEPPP_OK);
      for (size_t i = 0; i < n; i++) for (size_t j = i + 1; j < n; j++) ASSERT_EQ(L[i * n + j], 0.0);
      sneppp__gemm_plain_f64(0, 1, n, n, n, 1, L, n, L, n, 0, R, n);
      for (size_t i = 0; i < n * n; i++) ASSERT_IN_RANGE(A[i], R[i], 4e-16 * (double)n * (double)n);
      linalg_fill(n * r, X); /* B = L X, then L' X */
      for (int trans = 0; trans < 2; trans++) {
         sneppp__gemm_plain_f64(trans, 0, n, r, n, 1, L, n, X, r, 0, B, r);
         sneppp__solve_lower(n, L, n, trans, B, r, r);
         sneppp__gemm_plain_f64(trans, 0, n, r, n, 1, L, n, B, r, 0, R, r);
         sneppp__gemm_plain_f64(trans, 0, n, r, n, -1, L, n, X, r, 1, R, r); /* backward error, not the condition */
         for (size_t i = 0; i < n * r; i++) ASSERT_IN_RANGE(0.0, R[i], 1e-12);
      }
      free(A); free(L); free(R); free(X); free(B);
   }
   PASS();
}

TEST linalg_chol_says_no(void)
{
   double   A[9] = {1, 2, 0, 2, 1, 0, 0, 0, 1}, Z[4] = {0, 0, 0, 0}, N[1] = {-1}, M[4] = {1, 0, 0, 1};
   uint64_t inf = 0x7ff0000000000000ULL, nan = 0x7ff8000000000000ULL;
   ASSERT_EQ(sneppp__chol(3, A, 3), SNEPPP_ERR_NOT_POSITIVE);
   ASSERT_EQ(sneppp__chol(2, Z, 2), SNEPPP_ERR_NOT_POSITIVE);
   ASSERT_EQ(sneppp__chol(1, N, 1), SNEPPP_ERR_NOT_POSITIVE);
   ASSERT_EQ(sneppp__chol(0, N, 1), SNEPPP_OK);
   memcpy(M + 3, &nan, sizeof nan);
   ASSERT_EQ(sneppp__chol(2, M, 2), SNEPPP_ERR_NOT_FINITE);
   memcpy(M + 2, &inf, sizeof inf);
   ASSERT_EQ(sneppp__chol(2, M, 2), SNEPPP_ERR_NOT_FINITE);
   PASS();
}

/* ---- eigenvalues */
typedef sneppp_status (*linalg_eigh_fn)(size_t n, const double *A, double *w, double *Q, double *work);

/* Residual |A Q - Q diag(w)| / |A| and |Q'Q - I|, both in the Frobenius norm; the bar is 1e-14 n for each. */
static int linalg_check_eigh(linalg_eigh_fn fn, size_t n, const double *A, double *w, double *Q)
{
   double *R = linalg_new(n * n), *work = linalg_new(sneppp__eigh_work(n)), a = 0, r = 0, o = 0, big = 0;
   int     ok = fn(n, A, w, Q, work) == SNEPPP_OK;
   for (size_t i = 0; ok && i + 1 < n; i++) if (w[i] > w[i + 1]) ok = 0;
   for (size_t i = 0; i < n * n; i++) if (fabs(A[i]) > big) big = fabs(A[i]);
   sneppp__gemm_f64(0, 0, n, n, n, 1, A, n, Q, n, 0, R, n);
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
         double e = big > 0 ? (R[i * n + j] - Q[i * n + j] * w[j]) / big : w[j], f = big > 0 ? A[i * n + j] / big : 0;
         r += e * e;
         a += f * f;
      }
   sneppp__gemm_f64(1, 0, n, n, n, 1, Q, n, Q, n, 0, R, n);
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) o += (R[i * n + j] - (i == j)) * (R[i * n + j] - (i == j));
   if (!(sqrt(r) <= 1e-14 * (double)n * sqrt(a)) || !(sqrt(o) <= 1e-14 * (double)n)) ok = 0;
   if (!ok) printf("n = %d: residual %g, orthogonality %g\n", (int)n, sqrt(r / (a > 0 ? a : 1)), sqrt(o));
   free(R);
   free(work);
   return ok;
}

/* Q diag(w) Q' with a random orthogonal Q (product of reflections), symmetric to the bit. */
static void linalg_with_spectrum(size_t n, const double *w, double *A)
{
   double *v = linalg_new(n), *u = linalg_new(n);
   for (size_t i = 0; i < n * n; i++) A[i] = 0;
   for (size_t i = 0; i < n; i++) A[i * n + i] = w[i];
   for (int t = 0; t < 3; t++) {
      double vv = 0;
      linalg_fill(n, v);
      for (size_t i = 0; i < n; i++) vv += v[i] * v[i];
      for (int side = 0; side < 2; side++)
         for (size_t i = 0; i < n; i++) { /* A <- A (I - 2 v v'/v'v), by rows, then by columns */
            size_t row = side ? 1 : n, step = side ? n : 1;
            double s = 0;
            for (size_t j = 0; j < n; j++) s += A[i * row + j * step] * v[j];
            for (size_t j = 0; j < n; j++) A[i * row + j * step] -= 2 * s / vv * v[j];
         }
   }
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < i; j++) A[i * n + j] = A[j * n + i] = 0.5 * (A[i * n + j] + A[j * n + i]);
   free(v);
   free(u);
}

enum { LINALG_RANDOM, LINALG_GRADED, LINALG_CLUSTERED, LINALG_DEFICIENT, LINALG_DIAGONAL, LINALG_ZERO, LINALG_ONES,
       LINALG_TRIDIAGONAL, LINALG_HUGE, LINALG_TINY, LINALG_GLUED, LINALG_KINDS };

static void linalg_make(int kind, size_t n, double *A)
{
   double *w = linalg_new(n), scale = kind == LINALG_HUGE ? 1e300 : kind == LINALG_TINY ? 1e-300 : 1;
   for (size_t i = 0; i < n * n; i++) A[i] = 0;
   for (size_t i = 0; i < n; i++) {
      w[i] = linalg_uniform();
      if (kind == LINALG_CLUSTERED) w[i] = (i % 3 ? 1 : -2) * (1 + 1e-15 * (double)(i % 5));
      if (kind == LINALG_DEFICIENT) w[i] = i % 4 ? 0 : fabs(w[i]);
   }
   if (kind == LINALG_CLUSTERED || kind == LINALG_DEFICIENT) linalg_with_spectrum(n, w, A);
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j <= i; j++) {
         double *a = A + i * n + j, u = linalg_uniform();
         switch (kind) {
            case LINALG_RANDOM: case LINALG_HUGE: case LINALG_TINY: *a = u * scale; break;
            case LINALG_GRADED: *a = (i == j ? 1 : 0.4 * u) * pow(10, -24 * (double)(i + j) / (double)(2 * n)); break;
            case LINALG_DIAGONAL: *a = i == j ? u : 0; break;
            case LINALG_ONES: *a = 1; break;
            case LINALG_TRIDIAGONAL: *a = i == j ? 2 : i == j + 1 ? -1 : 0; break;
            case LINALG_GLUED: *a = i == j ? fabs((double)(i % 11) - 5) : i == j + 1 ? (i % 11 ? 1 : 1e-9) : 0; break;
            default: break;
         }
         A[j * n + i] = *a;
      }
   free(w);
}

static enum greatest_test_res linalg_eigh_suite(linalg_eigh_fn fn)
{
   static const size_t sizes[] = {1, 2, 3, 10, 31, 64, 100};
   for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
      for (int kind = 0; kind < LINALG_KINDS; kind++) {
         size_t  n = sizes[s];
         double *A = linalg_new(n * n), *Q = linalg_new(n * n), *w = linalg_new(n);
         linalg_make(kind, n, A);
         ASSERT(linalg_check_eigh(fn, n, A, w, Q));
         for (size_t i = 0; i < n; i++) A[i * n + i] *= 1.001;
         ASSERT(linalg_check_eigh(fn, n, A, w, Q));
         free(A); free(Q); free(w);
      }
   PASS();
}

static sneppp_status linalg_jacobi(size_t n, const double *A, double *w, double *Q, double *work)
{
   return sneppp__eigh_by(1, n, A, w, Q, work);
}

TEST linalg_jacobi_all_kinds(void) { return linalg_eigh_suite(linalg_jacobi); }
TEST linalg_eigh_all_kinds(void) { return linalg_eigh_suite(sneppp__eigh); }

TEST linalg_eigh_large(void)
{
#ifdef __OPTIMIZE__
   size_t n = 200;
#else
   size_t n = 150;
#endif
   double *A = linalg_new(n * n), *Q = linalg_new(n * n), *w = linalg_new(n);
   linalg_make(LINALG_RANDOM, n, A);
   ASSERT(linalg_check_eigh(linalg_jacobi, n, A, w, Q));
   ASSERT(linalg_check_eigh(sneppp__eigh, n, A, w, Q));
   free(A); free(Q); free(w);
   PASS();
}

/* a_ij = 2^(-2|i-j|) 2^(-6(i+j)), exact in double, condition 1e33; eigenvalues from mpmath.eigsy with 80 digits:
      mp.dps = 80; A[i,j] = mpf(2)**(-2*abs(i-j) - 6*(i+j)); eigsy(A, eigvals_only=True) */
TEST linalg_jacobi_small_eigenvalues_of_graded(void)
{
   static const double truth[10] = {
      2.888850825451203491e-33, 1.183291357555880838e-29, 4.846761401677879305e-26, 1.98523347012726642e-22,
      8.131516293641283255e-19, 3.330669073875469621e-15, 1.364242052659392357e-11, 5.587935447692871094e-8,
      2.288818359908159246e-4, 1.000015262515209199};
   double A[100], Q[100], w[10], *work = linalg_new(sneppp__eigh_work(10));
   for (int i = 0; i < 10; i++)
      for (int j = 0; j < 10; j++) A[i * 10 + j] = ldexp(1, -2 * abs(i - j) - 6 * (i + j));
   ASSERT_EQ(linalg_jacobi(10, A, w, Q, work), SNEPPP_OK);
   for (int i = 0; i < 10; i++) ASSERT_IN_RANGE(truth[i], w[i], 1e-14 * truth[i]);
   for (int i = 0; i < 10; i++) /* the same with the grading turned upside down */
      for (int j = 0; j < 10; j++) A[(9 - i) * 10 + 9 - j] = ldexp(1, -2 * abs(i - j) - 6 * (i + j));
   ASSERT_EQ(linalg_jacobi(10, A, w, Q, work), SNEPPP_OK);
   for (int i = 0; i < 10; i++) ASSERT_IN_RANGE(truth[i], w[i], 1e-14 * truth[i]);
   free(work);
   PASS();
}

/* 2 - 2 cos(pi r/(n+1)): the second difference, known in closed form. */
TEST linalg_eigh_second_difference(void)
{
   size_t  n = 60;
   double *A = linalg_new(n * n), *Q = linalg_new(n * n), *w = linalg_new(n), *work = linalg_new(sneppp__eigh_work(n));
   linalg_make(LINALG_TRIDIAGONAL, n, A);
   ASSERT_EQ(sneppp__eigh(n, A, w, Q, work), SNEPPP_OK);
   for (size_t r = 0; r < n; r++) {
      double s = sin(0.5 * SNEPPP__PI * (double)(r + 1) / (double)(n + 1));
      ASSERT_IN_RANGE(4 * s * s, w[r], 4e-15);
   }
   free(A); free(Q); free(w); free(work);
   PASS();
}

TEST linalg_eigh_refuses_nan_and_inf(void)
{
   static const uint64_t bits[] = {0x7ff8000000000000ULL, 0x7ff0000000000000ULL, 0xfff0000000000000ULL};
   size_t  n = 40;
   double *A = linalg_new(n * n), *Q = linalg_new(n * n), *w = linalg_new(n), v, u;
   double *work = linalg_new(sneppp__eigh_work(n) + sneppp__lambda_max_work(n));
   for (int b = 0; b < 3; b++)
      for (size_t at = 0; at < n * n; at += 533) {
         linalg_make(LINALG_RANDOM, n, A);
         memcpy(A + at, &bits[b], sizeof v);
         ASSERT_EQ(linalg_jacobi(n, A, w, Q, work), SNEPPP_ERR_NOT_FINITE);
         ASSERT_EQ(sneppp__eigh(n, A, w, Q, work), SNEPPP_ERR_NOT_FINITE);
         ASSERT_EQ(sneppp__psd_project(n, A, Q, work), SNEPPP_ERR_NOT_FINITE);
         ASSERT_EQ(sneppp__lambda_max(n, A, &v, &u, NULL, work), SNEPPP_ERR_NOT_FINITE);
      }
   for (size_t i = 0; i < n * n; i++) memcpy(Q + i, &bits[0], sizeof v); /* what Q was does not matter */
   linalg_make(LINALG_RANDOM, n, A);
   ASSERT(linalg_check_eigh(linalg_jacobi, n, A, w, Q));
   for (size_t i = 0; i < n * n; i++) memcpy(Q + i, &bits[0], sizeof v);
   ASSERT(linalg_check_eigh(sneppp__eigh, n, A, w, Q));
   free(A); free(Q); free(w); free(work);
   PASS();
}

/* What is not finite turns for ever; after the last sweep it is called by its name. */
TEST linalg_jacobi_does_not_call_nan_a_solution(void)
{
#if !defined(__FAST_MATH__) /* which may assume that there is no NaN */
   static const uint64_t nan = 0x7ff8000000000000ULL;
   double                B[9] = {2, 0, 1, 0, 3, 1, 1, 1, 4}, V[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, d[3];
   sneppp__eigh_room     o;
   memset(&o, 0, sizeof o);
   o.A = B, o.V = V, o.d = d, o.ld = 3;
   ASSERT_EQ(SNEPPP_OK, sneppp__jacobi(3, &o));
   memcpy(&B[1], &nan, sizeof nan);
   memcpy(&B[3], &nan, sizeof nan);
   ASSERT_EQ(SNEPPP_ERR_NO_CONVERGENCE, sneppp__jacobi(3, &o));
#endif
   PASS();
}

/* Nor does QL. */
TEST linalg_eigh_does_not_call_nan_a_solution(void)
{
#if !defined(__FAST_MATH__) /* which may assume that there is no NaN */
   static const uint64_t nan = 0x7ff8000000000000ULL;
   double               *work = linalg_new(sneppp__eigh_work(3));
   sneppp__eigh_room     o;
   (void)sneppp__place_eigh(3, work, &o);
   for (int turn = 0; turn < 2; turn++) {
      for (size_t i = 0; i < 3; i++) {
         o.d[i] = (double)i + 2;
         o.e[i] = i < 2;
         for (size_t j = 0; j < o.ld; j++) o.V[i * o.ld + j] = i == j;
      }
      if (turn) memcpy(&o.e[1], &nan, sizeof nan);
      ASSERT_EQ(turn ? SNEPPP_ERR_NO_CONVERGENCE : SNEPPP_OK, sneppp__ql(3, &o));
   }
   free(work);
#endif
   PASS();
}

TEST linalg_lambda_max_is_enclosed(void)
{
   static const size_t sizes[] = {1, 2, 7, 31, 33, 90};
   for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
      for (int kind = 0; kind < LINALG_KINDS; kind++)
         for (int sign = -1; sign < 2; sign += 2) {
            size_t  n = sizes[s];
            double *A = linalg_new(n * n), *Q = linalg_new(n * n), *w = linalg_new(n), value, upper, norm = 0;
            double *work = linalg_new(sneppp__lambda_max_work(n)), *work2 = linalg_new(sneppp__eigh_work(n));
            double *top = linalg_new(n), off = 0;
            linalg_make(kind, n, A);
            for (size_t i = 0; i < n * n; i++) A[i] *= sign;
            ASSERT_EQ(linalg_jacobi(n, A, w, Q, work2), SNEPPP_OK);
            ASSERT_EQ(sneppp__lambda_max(n, A, &value, &upper, top, work), SNEPPP_OK);
            norm = fabs(w[0]) > fabs(w[n - 1]) ? fabs(w[0]) : fabs(w[n - 1]);
            if (norm == 0) norm = 1;
            ASSERT(value <= upper);
            ASSERT((upper - w[n - 1]) / norm >= -1e-15 * (double)n);
            ASSERT((value - w[n - 1]) / norm <= 1e-14 * (double)n);
            ASSERT((value - w[n - 1]) / norm >= -1e-10);
            ASSERT((upper - w[n - 1]) / norm <= 1e-9);
            ASSERT_IN_RANGE(1, sneppp__dot_f64(n, top, top), 1e-12); /* and the vector is one of that value */
            for (size_t i = 0; i < n; i++) off = fmax(off, fabs(sneppp__dot_f64(n, A + i * n, top) - value * top[i]));
            ASSERT(off / norm <= 1e-4);
            free(top);
            free(A); free(Q); free(w); free(work); free(work2);
         }
   PASS();
}

/* Two vectors, of which the lesser is as smooth as a start vector that one might choose: the bound finds the other. */
TEST linalg_lambda_max_cannot_be_deceived(void)
{
   size_t  n = 50;
   double *A = linalg_new(n * n), *v = linalg_new(n), *x = linalg_new(n), value, upper, vx = 0, vv = 0, xx = 0;
   double *work = linalg_new(sneppp__lambda_max_work(n));
   for (size_t i = 0; i < n; i++) {
      double g = 0.6180339887498949 * (double)(i + 1);
      v[i] = 0.25 + (g - floor(g)) * (i % 3 == 1 ? -1 : 1);
      x[i] = linalg_uniform();
   }
   for (size_t i = 0; i < n; i++) { vx += v[i] * x[i]; vv += v[i] * v[i]; }
   for (size_t i = 0; i < n; i++) { x[i] -= vx / vv * v[i]; xx += x[i] * x[i]; }
   for (size_t i = 0; i < n; i++) /* v v'/v'v + 2 x x'/x'x: eigenvalues 2, 1, 0 */
      for (size_t j = 0; j < n; j++) A[i * n + j] = v[i] * v[j] / vv + 2 * x[i] * x[j] / xx;
   ASSERT_EQ(sneppp__lambda_max(n, A, &value, &upper, NULL, work), SNEPPP_OK);
   ASSERT(upper >= 2 - 1e-14);
   free(A); free(v); free(x); free(work);
   PASS();
}

/* The projection P of A: P psd, P - A psd, and tr P (P - A) = 0 - these conditions say that P is nearest. And
   projecting again changes nothing. */
TEST linalg_psd_project_is_the_nearest(void)
{
   static const size_t sizes[] = {1, 2, 5, 20, 70};
   for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
      for (int kind = 0; kind < LINALG_KINDS; kind++)
         for (int shift = -2; shift < 3; shift += sizes[s] < 70 ? 1 : 2) { /* mostly negative ... mostly positive */
            size_t  n = sizes[s], nn = n * n;
            double *A = linalg_new(nn), *P = linalg_new(nn), *D = linalg_new(nn), *Q = linalg_new(nn), *w = linalg_new(n);
            double *work = linalg_new(sneppp__eigh_work(n)), norm = 0, inner = 0;
            linalg_make(kind == LINALG_HUGE || kind == LINALG_TINY ? LINALG_RANDOM : kind, n, A);
            for (size_t i = 0; i < n; i++) A[i * n + i] += shift * 2.0;
            for (size_t i = 0; i < nn; i++) norm += A[i] * A[i];
            norm = norm > 0 ? sqrt(norm) : 1;
            memcpy(P, A, nn * sizeof(double));
            ASSERT_EQ(sneppp__psd_project(n, P, Q, work), SNEPPP_OK);
            for (size_t i = 0; i < nn; i++) { D[i] = P[i] - A[i]; inner += P[i] * D[i]; }
            ASSERT_IN_RANGE(0.0, inner / norm / norm, 1e-14 * (double)n);
            for (size_t i = 0; i < n; i++) for (size_t j = 0; j < n; j++) ASSERT_EQ(P[i * n + j], P[j * n + i]);
            ASSERT_EQ(linalg_jacobi(n, D, w, Q, work), SNEPPP_OK);
            ASSERT(w[0] >= -1e-14 * (double)n * norm);
            ASSERT_EQ(linalg_jacobi(n, P, w, Q, work), SNEPPP_OK);
            ASSERT(w[0] >= -1e-14 * (double)n * norm);
            memcpy(D, P, nn * sizeof(double));
            ASSERT_EQ(sneppp__psd_project(n, D, Q, work), SNEPPP_OK);
            for (size_t i = 0; i < nn; i++) ASSERT_IN_RANGE(P[i], D[i], 1e-14 * (double)n * norm);
            free(A); free(P); free(D); free(Q); free(w); free(work);
         }
   PASS();
}

/* Not one number more than the matrix has is read or written, and nothing of a matrix of zeros. Sanitizers look on. */
TEST linalg_lambda_max_of_little(void)
{
   for (size_t n = 1; n < 4; n++) {
      double *A = (double *)malloc(n * n * sizeof *A), *work = (double *)malloc(sneppp__lambda_max_work(n) * sizeof *work);
      double  value = 7, upper = 7;
      ASSERT(A && work);
      memset(A, 0, n * n * sizeof *A);
      ASSERT_EQ(SNEPPP_OK, sneppp__lambda_max(n, A, &value, &upper, NULL, work));
      ASSERT(value == 0 && upper == 0);
      for (size_t i = 0; i < n; i++) A[i * n + i] = (double)(i + 1);
      ASSERT_EQ(SNEPPP_OK, sneppp__lambda_max(n, A, &value, &upper, NULL, work));
      ASSERT_IN_RANGE((double)n, value, 1e-12 * (double)n);
      ASSERT(upper >= (double)n && upper <= (double)n * (1 + 1e-9));
      free(A);
      free(work);
   }
   PASS();
}

/* A matrix that no near cache holds, in double and in sneppp_real, against plain sums. */
TEST linalg_gemm_of_a_large_a(void)
{
   enum { M = 500, K = 700, N = 20 };
   double *A = linalg_new(M * K), *B = linalg_new(K * N), *C = linalg_new(M * N);
   sneppp_real *a = (sneppp_real *)malloc(M * K * sizeof *a), *b = (sneppp_real *)malloc(K * N * sizeof *b),
               *c = (sneppp_real *)malloc(M * N * sizeof *c);
   ASSERT(A && B && C && a && b && c);
   linalg_fill(M * K, A), linalg_fill(K * N, B);
   for (int i = 0; i < M * K; i++) a[i] = (sneppp_real)A[i];
   for (int i = 0; i < K * N; i++) b[i] = (sneppp_real)B[i];
   sneppp__dgemm(0, 0, M, N, K, 1, A, K, B, N, 0, C, N);
   sneppp__gemm(0, 0, M, N, K, 1, a, K, b, N, 0, c, N);
   for (int i = 0; i < M; i += 7)
      for (int j = 0; j < N; j++) {
         double sum = 0;
         for (int k = 0; k < K; k++) sum += A[i * K + k] * B[k * N + j];
         ASSERT_IN_RANGE(sum, C[i * N + j], 1e-12 * K);
         ASSERT_IN_RANGE(sum, (double)c[i * N + j], 1e-5 * sqrt((double)K));
      }
   free(A), free(B), free(C), free(a), free(b), free(c);
   PASS();
}

/* The tile of each kind of vectors that this machine has, also of those that it passes over for wider ones. */
#ifdef SNEPPP__VECTOR
typedef void (*linalg_tile)(size_t k, const void *a, size_t rs, size_t cs, const void *b, const double *scale, void *c, size_t ldc,
                            size_t rows, size_t columns);
static int linalg_tile_agrees(linalg_tile tile, size_t size, size_t most)
{
   enum { K = 7, LDC = 40 };
   double A[6 * K], B[K * 32], C[6 * LDC];
   float  a[6 * K], b[K * 32], c[6 * LDC];
   linalg_fill(6 * K, A), linalg_fill(K * 32, B);
   for (size_t i = 0; i < 6 * K; i++) A[i] = (double)(a[i] = (float)A[i]);
   for (size_t i = 0; i < K * 32; i++) B[i] = (double)(b[i] = (float)B[i]);
   for (size_t rows = 1; rows <= 6; rows++)
      for (size_t columns = 1; columns <= most; columns++)
         for (int turned = 0; turned < 2; turned++)
            for (int kind = 0; kind < 3; kind++) {
               const double scale[2] = {kind ? -0.5 : 1.0, kind > 1 ? 2.0 : 0.0};
               size_t       rs = turned ? 1 : K, cs = turned ? 6 : 1;
               for (size_t i = 0; i < 6 * LDC; i++) C[i] = (double)(c[i] = (float)(0.125 * (double)(i % 11)));
               if (size == 8) tile(K, A, rs, cs, B, scale, C, LDC, rows, columns);
               else tile(K, a, rs, cs, b, scale, c, LDC, rows, columns);
               for (size_t i = 0; i < 6 * LDC; i++) {
                  size_t row = i / LDC, column = i % LDC;
                  double old = (double)(float)(0.125 * (double)(i % 11)), want = old, off = 0, got = size == 8 ? C[i] : (double)c[i];
                  if (row < rows && column < columns) {
                     double sum = 0;
                     for (size_t k = 0; k < K; k++) sum += A[row * rs + k * cs] * B[k * most + column];
                     want = scale[0] * sum + scale[1] * old, off = size == 8 ? 1e-14 : 5e-6;
                  }
                  if (!(fabs(got - want) <= off)) return 0; /* nothing else is written */
               }
            }
   return 1;
}
#endif

TEST linalg_tiles_of_every_vector(void)
{
#ifdef SNEPPP__VECTOR
   size_t bytes = sneppp__vector_bytes();
   if (!bytes) SKIPm("this machine has no vectors");
   ASSERT(linalg_tile_agrees(sneppp__tile_f64, 8, 2 * SNEPPP__LANE64));
#ifdef SNEPPP__AVX
   if (bytes == 64) ASSERT(linalg_tile_agrees(sneppp__tile_wide_f64, 8, 16));
#endif
#ifdef SNEPPP_REAL_FLOAT
   ASSERT(linalg_tile_agrees(sneppp__tile_f32, 4, 4 * SNEPPP__LANE64));
#ifdef SNEPPP__AVX
   if (bytes == 64) ASSERT(linalg_tile_agrees(sneppp__tile_wide_f32, 4, 32));
#endif
#endif
   PASS();
#else
   SKIPm("built without vectors");
#endif
}

SUITE(linalg)
{
   RUN_TEST(linalg_tiles_of_every_vector);
   RUN_TEST(linalg_gemm_of_a_large_a);
   RUN_TEST(linalg_lambda_max_of_little);
   RUN_TEST(linalg_gemm_is_the_definition);
   RUN_TEST(linalg_syrk_is_gemm_and_symmetric);
   RUN_TEST(linalg_gemm_ignores_old_c_and_handles_empty);
   RUN_TEST(linalg_loops_of_the_eigensolver);
   RUN_TEST(linalg_chol_rebuilds_and_solves);
   RUN_TEST(linalg_chol_says_no);
   RUN_TEST(linalg_jacobi_all_kinds);
   RUN_TEST(linalg_eigh_all_kinds);
   RUN_TEST(linalg_eigh_large);
   RUN_TEST(linalg_jacobi_small_eigenvalues_of_graded);
   RUN_TEST(linalg_eigh_second_difference);
   RUN_TEST(linalg_eigh_refuses_nan_and_inf);
   RUN_TEST(linalg_jacobi_does_not_call_nan_a_solution);
   RUN_TEST(linalg_eigh_does_not_call_nan_a_solution);
   RUN_TEST(linalg_lambda_max_is_enclosed);
   RUN_TEST(linalg_lambda_max_cannot_be_deceived);
   RUN_TEST(linalg_psd_project_is_the_nearest);
}
