/* OpenBLAS and LAPACK behind the hooks of sneppp.h: include this file before the implementation.

      #include "blas_hooks.h"
      #define SNEPPP_IMPLEMENTATION
      #include "sneppp.h"

   and link with -lopenblas. Run with OPENBLAS_NUM_THREADS=1: the threads belong to sneppp's parallel hook, and
   results should not depend on how many there are. Sizes above INT_MAX are beyond this interface. */
#ifndef SNEPPP_BLAS_HOOKS_H
#define SNEPPP_BLAS_HOOKS_H
#include <cblas.h>
#include <stddef.h>
#undef I /* cblas.h brings complex.h, whose I is nobody else's business */

#ifdef __cplusplus
extern "C"
#endif
void dsyev_(const char *job, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
            const int *lwork, int *info);

static inline void hook_dgemm(int ta, int tb, size_t m, size_t n, size_t k, double alpha, const double *A, size_t lda,
                       const double *B, size_t ldb, double beta, double *C, size_t ldc)
{
   if (m && n)
      cblas_dgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, (int)m, (int)n,
                  (int)k, alpha, A, (int)lda, B, (int)ldb, beta, C, (int)ldc);
}

static inline void hook_sgemm(int ta, int tb, size_t m, size_t n, size_t k, float alpha, const float *A, size_t lda,
                       const float *B, size_t ldb, float beta, float *C, size_t ldc)
{
   if (m && n)
      cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, (int)m, (int)n,
                  (int)k, alpha, A, (int)lda, B, (int)ldb, beta, C, (int)ldc);
}

/* BLAS fills one triangle, sneppp wants both. */
static inline void hook_dsyrk(int trans, size_t n, size_t k, double alpha, const double *A, size_t lda, double beta,
                       double *C, size_t ldc)
{
   if (!n) return;
   cblas_dsyrk(CblasRowMajor, CblasLower, trans ? CblasTrans : CblasNoTrans, (int)n, (int)k, alpha, A, (int)lda,
               beta, C, (int)ldc);
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < i; j++) C[j * ldc + i] = C[i * ldc + j];
}

static inline void hook_ssyrk(int trans, size_t n, size_t k, float alpha, const float *A, size_t lda, float beta, float *C,
                       size_t ldc)
{
   if (!n) return;
   cblas_ssyrk(CblasRowMajor, CblasLower, trans ? CblasTrans : CblasNoTrans, (int)n, (int)k, alpha, A, (int)lda,
               beta, C, (int)ldc);
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < i; j++) C[j * ldc + i] = C[i * ldc + j];
}

/* dsyev leaves the eigenvectors in the columns of a column-major matrix, which are our rows: transpose. The work
   array has at least 2 n^2 + 64 n + 64 doubles. */
static inline int hook_eigh(size_t n, const double *A, double *w, double *Q, double *work)
{
   int size = (int)n, lwork = (int)(64 * n + 64), info = 0;
   if (!n) return 0;
   for (size_t i = 0; i < n * n; i++) Q[i] = A[i];
   dsyev_("V", "U", &size, Q, &size, w, work, &lwork, &info);
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < i; j++) {
         double t = Q[i * n + j];
         Q[i * n + j] = Q[j * n + i];
         Q[j * n + i] = t;
      }
   return info;
}

#define SNEPPP_GEMM     hook_dgemm
#define SNEPPP_SYRK     hook_dsyrk
#define SNEPPP_GEMM_F32 hook_sgemm
#define SNEPPP_SYRK_F32 hook_ssyrk
#define SNEPPP_EIGH     hook_eigh
#endif
