/* How fast are gemm, syrk and the eigensolver, beside OpenBLAS and LAPACK where they are installed, and how fast could
   a core be at best? Every path is checked against the plain one before it is timed. */
#include "bench.h"
#ifdef BENCH_BLAS
#include "../tests/blas_hooks.h"
void dsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info);
enum { OWN, PLAIN, BLAS, SIDES };
#else
enum { OWN, PLAIN, SIDES };
#endif
#ifdef SNEPPP_REAL_FLOAT
#define PLAIN_GEMM sneppp__gemm_plain_f32
#define OWN_GEMM sneppp__own_gemm_f32
#define OWN_SYRK sneppp__own_syrk_f32
#else
#define PLAIN_GEMM sneppp__gemm_plain_f64
#define OWN_GEMM sneppp__own_gemm_f64
#define OWN_SYRK sneppp__own_syrk_f64
#endif

typedef struct product { /* C (m, n) = A B, or C (n, n) = A A' or A'A; in float or double */
   int syrk, ta, tb, single, who;
   size_t m, n, k;
   void *A, *B, *C;
} product;

static void run(void *arg)
{
   const product *s = (const product *)arg;
   size_t lda = s->ta ? s->m : s->k, ldb = s->tb ? s->k : s->n, ldc = s->n;
#define ARGS_GEMM(T) \
   s->ta, s->tb, s->m, s->n, s->k, 1, (const T *)s->A, lda, (const T *)s->B, ldb, 0, (T *)s->C, ldc
#define ARGS_PLAIN_SYRK(T) \
   s->ta, !s->ta, s->n, s->n, s->k, 1, (const T *)s->A, lda, (const T *)s->A, lda, 0, (T *)s->C, ldc
#define ARGS_SYRK(T) s->ta, s->n, s->k, 1, (const T *)s->A, lda, 0, (T *)s->C, ldc
#ifdef BENCH_BLAS
#define ARGS_BLAS(T) \
   CblasRowMajor, CblasLower, s->ta ? CblasTrans : CblasNoTrans, (int)s->n, (int)s->k, 1, (const T *)s->A, \
      (int)lda, 0, (T *)s->C, (int)ldc
   if (s->who == BLAS) { /* syrk: one triangle only, which is less than ours does */
      if (s->syrk && s->single) cblas_ssyrk(ARGS_BLAS(float));
      else if (s->syrk) cblas_dsyrk(ARGS_BLAS(double));
      else if (s->single) hook_sgemm(ARGS_GEMM(float));
      else hook_dgemm(ARGS_GEMM(double));
      return;
   }
#endif
   if (s->who == PLAIN && s->syrk) PLAIN_GEMM(ARGS_PLAIN_SYRK(sneppp_real));
   else if (s->who == PLAIN) PLAIN_GEMM(ARGS_GEMM(sneppp_real));
   else if (s->syrk) OWN_SYRK(ARGS_SYRK(sneppp_real));
   else OWN_GEMM(ARGS_GEMM(sneppp_real));
}

static double get(const void *x, size_t i, int single)
{
   return single ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void *random_matrix(size_t count, int single)
{
   void *x = bench_take(count, 8);
   for (size_t i = 0; i < count; i++)
      if (single) ((float *)x)[i] = (float)bench_uniform();
      else ((double *)x)[i] = bench_uniform();
   return x;
}

static void bench_product(int syrk, int ta, int tb, size_t m, size_t n, size_t k, int single)
{
   product side[SIDES];
   bench_job job[SIDES];
   void *A = random_matrix(m * k, single), *B = random_matrix(k * n, single);
   double flops = (syrk ? 1.0 : 2.0) * (double)m * (double)n * (double)k;
   double tol = (double)k * (single ? 2e-7 : 4e-16) * sqrt((double)k);
   char name[64];
   int used =
      snprintf(name, sizeof name, "f%d_%s_%s%s_%d", single ? 32 : 64, syrk ? "syrk" : "gemm", ta ? "t" : "n",
               syrk ? ""
               : tb ? "t"
                    : "n",
               (int)m);
   if (n != m || k != m)
      snprintf(name + used, sizeof name - (size_t)used, syrk ? "x%d" : "x%dx%d", (int)(syrk ? k : n), (int)k);
   for (int who = 0; who < SIDES; who++) {
      product p = { syrk, ta, tb, single, who, m, n, k, A, B, bench_take(m * n, 8) };
      side[who] = p;
      job[who].run = run, job[who].arg = &side[who];
      run(&side[who]);
   }
   for (int who = 0; who < SIDES; who++)
      for (size_t i = 0; i < m * n; i++)
         bench_check((syrk && i % n > i / n && who != OWN) ||
                        fabs(get(side[who].C, i, single) - get(side[PLAIN].C, i, single)) <= tol,
                     "%s is wrong", name);
#ifdef BENCH_BLAS
   { /* side by side, without the plain one, which is slow */
      bench_job two[2] = { job[OWN], job[BLAS] };
      bench_turns(two, 2, 20);
      job[OWN] = two[0], job[BLAS] = two[1];
   }
#else
   bench_turns(job, 1, 20);
#endif
   bench_line(1e-9 * flops / job[OWN].seconds, "GFLOP/s", "%s", name);
#ifdef BENCH_BLAS
   bench_line(1e-9 * flops / job[BLAS].seconds, "GFLOP/s", "%s_openblas", name);
   bench_line(job[BLAS].seconds / job[OWN].seconds, "x", "%s_over_openblas", name);
#endif
   if (m <= 32) {
      bench_turns(&job[PLAIN], 1, 5);
      bench_line(job[PLAIN].seconds / job[OWN].seconds, "x", "%s_over_plain", name);
   }
   for (int who = 0; who < SIDES; who++) free(side[who].C);
   free(A), free(B);
}

/* ---- the eigensolver */
typedef struct eigen {
   size_t n;
   double *A, *w, *Q, *P, *work; /* P: the projection */
   int *iwork;
   size_t lwork;
} eigen;

static void eigh(void *arg)
{
   eigen *e = (eigen *)arg;
   bench_check(sneppp__eigh(e->n, e->A, e->w, e->Q, e->work) == SNEPPP_OK, "eigh failed");
}

static void jacobi(void *arg)
{
   eigen *e = (eigen *)arg;
   bench_check(sneppp__eigh_by(1, e->n, e->A, e->w, e->Q, e->work) == SNEPPP_OK, "Jacobi failed");
}

static void project(void *arg)
{
   eigen *e = (eigen *)arg;
   memcpy(e->P, e->A, e->n * e->n * sizeof *e->P);
   bench_check(sneppp__psd_project(e->n, e->P, e->Q, e->work) == SNEPPP_OK, "psd_project failed");
}

#ifdef BENCH_BLAS
static void dsyevd(void *arg)
{
   eigen *e = (eigen *)arg;
   int n = (int)e->n, lwork = (int)e->lwork, liwork = 10 * n + 16, info;
   memcpy(e->Q, e->A, e->n * e->n * sizeof *e->Q);
   dsyevd_("V", "L", &n, e->Q, &n, e->w, e->work, &lwork, e->iwork, &liwork, &info);
   bench_check(info == 0, "dsyevd failed");
}
#endif

/* A Q = Q w and Q'Q = 1, by plain sums; P, if given, is Q max(w, 0) Q'. Rows of Q belong to coordinates, or, by
   columns as LAPACK leaves them, to eigenvalues. */
static void check_eigen(const eigen *e, const double *P, int by_columns, const char *who)
{
   size_t n = e->n, row = by_columns ? 1 : n, column = by_columns ? n : 1;
   double tol = 1e-14 * (double)n, size = 0;
   for (size_t r = 0; r < n; r++) size = fabs(e->w[r]) > size ? fabs(e->w[r]) : size;
   for (size_t i = 0; i < n; i++)
      for (size_t r = 0; r < n; r++) {
         double Aq = 0, QQ = 0, p = 0;
         for (size_t j = 0; j < n; j++) {
            Aq += e->A[i * n + j] * e->Q[j * row + r * column];
            QQ += e->Q[j * row + i * column] * e->Q[j * row + r * column];
            if (e->w[j] > 0) p += e->Q[i * row + j * column] * e->w[j] * e->Q[r * row + j * column];
         }
         bench_check(fabs(Aq - e->w[r] * e->Q[i * row + r * column]) <= tol * size &&
                        fabs(QQ - (i == r)) <= tol,
                     "%s_%d: these are no eigenvectors", who, (int)n);
         bench_check(!P || fabs(p - P[i * n + r]) <= tol * size, "psd_project_%d is wrong", (int)n);
      }
}

/* A matrix as inside projected gradient: a positive semidefinite one, of half rank, minus a small symmetric step. */
static void bench_eigh(size_t n)
{
   size_t nn = n * n, work = sneppp__eigh_work(n), lwork = 2 * nn + 64 * n + 64;
   double *G = (double *)random_matrix(nn, 0), *A = (double *)bench_take(nn, 8);
   eigen e = { n,
               A,
               bench_take(n, 8),
               bench_take(nn, 8),
               bench_take(nn, 8),
               bench_take(work > lwork ? work : lwork, 8),
               bench_take(10 * n + 16, sizeof(int)),
               lwork };
   bench_job job[3] = { { eigh, &e, 0, 0 }, { project, &e, 0, 0 }, { NULL, &e, 0, 0 } };
   int jobs = 2;
   sneppp__own_syrk_f64(0, n, n / 2, 1, G, n, 0, A, n);
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j <= i; j++) G[i * n + j] = G[j * n + i];
   for (size_t i = 0; i < nn; i++) A[i] -= 0.05 * G[i];
   project(&e);
   eigh(&e), check_eigen(&e, e.P, 0, "eigh");
#ifdef BENCH_BLAS
   dsyevd(&e), check_eigen(&e, NULL, 1, "dsyevd");
   job[jobs++].run = dsyevd;
#endif
   bench_turns(job, (size_t)jobs, 12);
   bench_line(1e3 * job[0].seconds, "ms", "eigh_%d", (int)n);
   bench_line(1e3 * job[1].seconds, "ms", "psd_project_%d", (int)n);
   if (jobs > 2) {
      bench_line(1e3 * job[2].seconds, "ms", "eigh_%d_dsyevd", (int)n);
      bench_line(job[2].seconds / job[0].seconds, "x", "eigh_%d_over_dsyevd", (int)n);
   }
   if (n <= 200) bench_line(1e3 * bench_fastest(jacobi, &e, 1), "ms", "eigh_%d_jacobi", (int)n);
   free(G), free(A), free(e.w), free(e.Q), free(e.P), free(e.work), free(e.iwork);
}

int main(void)
{
   static const size_t sizes[] = { 80, 200, 300, 512 };
   const size_t chunk = SNEPPP__CHUNK; /* events that a training step works on together */
   for (int single = sizeof(sneppp_real) == sizeof(float), once = 1; once; once = 0) {
      bench_line(1e-9 * bench_peak(single), "GFLOP/s", "f%d_peak", single ? 32 : 64);
      for (size_t n = 4; n <= 32; n *= 2) bench_product(0, 0, 0, n, n, n, single);
      for (int s = 0; s < 4; s++) {
         size_t n = sizes[s];
         for (int t = 0; t < 4; t++) bench_product(0, t / 2, t % 2, n, n, n, single);
         for (int t = 0; t < 2; t++) bench_product(1, t, 0, n, n, n, single);
         bench_product(0, 0, 0, chunk, n, n, single); /* Psi M      */
         bench_product(1, 1, 0, n, n, chunk, single); /* Psi' c Psi */
      }
   }
   for (int s = 0; s < 4 && sizeof(sneppp_real) == sizeof(double); s++) bench_eigh(sizes[s]);
   return 0;
}
