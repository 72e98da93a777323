/* cc -O2 -o blas examples/blas.c -lm && ./blas
   cc -O2 -DUSE_CBLAS -o blas examples/blas.c -lopenblas -lm && OPENBLAS_NUM_THREADS=1 ./blas
   Your own linear algebra behind the hooks: define SNEPPP_GEMM and SNEPPP_SYRK before the implementation, and every
   matrix product of the library goes there. Matrices are row-major. Without USE_CBLAS the hooks are plain loops, so that
   the example runs everywhere. */
#include <stddef.h>
#include <stdio.h>
#ifdef USE_CBLAS
#include <cblas.h>
#undef I /* cblas.h brings complex.h along */
#endif

static size_t calls; /* an example may have a counter; the library has no such thing */

/* C (m, n) = alpha op(A) op(B) + beta C; with beta = 0, C is not read. */
static void my_gemm(int ta, int tb, size_t m, size_t n, size_t k, double alpha, const double *A, size_t lda, const double *B, size_t ldb,
                    double beta, double *C, size_t ldc)
{
   calls++;
#ifdef USE_CBLAS
   if (m && n)
      cblas_dgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, (int)m, (int)n, (int)k, alpha, A, (int)lda, B,
                  (int)ldb, beta, C, (int)ldc);
#else
   for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < n; j++) {
         double s = 0;
         for (size_t p = 0; p < k; p++) s += (ta ? A[p * lda + i] : A[i * lda + p]) * (tb ? B[j * ldb + p] : B[p * ldb + j]);
         C[i * ldc + j] = alpha * s + (beta != 0 ? beta * C[i * ldc + j] : 0);
      }
#endif
}

/* C (n, n) = alpha A A' + beta C, or alpha A'A + beta C when trans is 1; both triangles are wanted. */
static void my_syrk(int trans, size_t n, size_t k, double alpha, const double *A, size_t lda, double beta, double *C, size_t ldc)
{
   my_gemm(trans, !trans, n, n, k, alpha, A, lda, A, lda, beta, C, ldc);
}

#define SNEPPP_GEMM my_gemm
#define SNEPPP_SYRK my_syrk
#define SNEPPP_NO_AUTO /* what a program does not ask for need not be compiled */
#define SNEPPP_NO_SURE
#define SNEPPP_NO_SAMPLE
#define SNEPPP_NO_IO
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"

int main(void)
{
   sneppp_desc     desc = {.width = 64, .factor = {{.window = {.space = SNEPPP_SPACE_BOX, .dim = 2, .hi = {1000, 500}}}}};
   sneppp_events   trees = {0};
   sneppp_fit_desc fit = {.events = &trees, .method = SNEPPP_METHOD_CONVEX, .tol = 1e-6};
   sneppp_model    model;
   sneppp_report   report;
   sneppp_error    err;
   csv_table       table;

   if (!csv_read(&table, "examples/data/bei.csv")) { fprintf(stderr, "blas: %s\n", table.error); return 1; }
   trees.x = table.value;
   trees.count = table.rows;
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK || sneppp_fit(&model, &fit, &report, &err) != SNEPPP_OK) {
      fprintf(stderr, "blas: %s\n", err.why);
      return 1;
   }
   printf("%lu matrix products went through the hooks; certified to %.1e nats per event in %.2f s\n", (unsigned long)calls, report.gap, report.seconds);
   csv_free(&table);
   sneppp_free(&model);
   return !(calls > 0 && report.gap <= 1e-6);
}
