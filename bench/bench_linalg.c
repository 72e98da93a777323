/* How fast are gemm, syrk and the eigensolver? One line per case: name value unit. Every fast path is checked
   against the plain one before it is timed. With OpenBLAS the ratio to it is printed, measured in alternation:

      cc -O2 -o bench_linalg bench/bench_linalg.c -lm && ./bench_linalg
      cc -O2 -DBENCH_BLAS -o bench_linalg bench/bench_linalg.c -lopenblas -lm && OPENBLAS_NUM_THREADS=1 ./bench_linalg */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef BENCH_BLAS
#include "../tests/blas_hooks.h"
#undef SNEPPP_GEMM
#undef SNEPPP_SYRK
#undef SNEPPP_GEMM_F32
#undef SNEPPP_SYRK_F32
#undef SNEPPP_EIGH
void dsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info);
#endif
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"

static double now(void) /* processor time: the machine may be busy with other things */
{
   struct timespec t;
   clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
   return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t state = 7;
static double uniform(void)
{
   state = state * 6364136223846793005ULL + 1442695040888963407ULL;
   return (double)(int64_t)(state >> 11) / 4503599627370496.0 - 1;
}

typedef struct shape { const char *name; int syrk, ta, tb; size_t m, n, k; } shape;

static const shape shapes[] = {
   {"gemm_nn_4", 0, 0, 0, 4, 4, 4},          {"gemm_nn_8", 0, 0, 0, 8, 8, 8},          {"gemm_nn_16", 0, 0, 0, 16, 16, 16},
   {"gemm_nn_32", 0, 0, 0, 32, 32, 32},      {"gemm_nt_32", 0, 0, 1, 32, 32, 32},      {"gemm_nn_80", 0, 0, 0, 80, 80, 80},
   {"gemm_nn_200", 0, 0, 0, 200, 200, 200},  {"gemm_nn_300", 0, 0, 0, 300, 300, 300},  {"gemm_nt_300", 0, 0, 1, 300, 300, 300},
   {"gemm_tn_300", 0, 1, 0, 300, 300, 300},  {"gemm_tt_300", 0, 1, 1, 300, 300, 300},  {"gemm_nn_512", 0, 0, 0, 512, 512, 512},
   {"gemm_nt_512", 0, 0, 1, 512, 512, 512},  {"gemm_tn_512", 0, 1, 0, 512, 512, 512},
   {"gemm_nn_256x300x300", 0, 0, 0, 256, 300, 300}, {"gemm_tn_300x256x300", 0, 1, 0, 300, 256, 300},
   {"syrk_n_80", 1, 0, 0, 80, 80, 80},       {"syrk_n_200", 1, 0, 0, 200, 200, 200},   {"syrk_n_300", 1, 0, 0, 300, 300, 300},
   {"syrk_t_300", 1, 1, 0, 300, 300, 300},   {"syrk_n_300x256", 1, 0, 0, 300, 300, 256}, {"syrk_t_300x256", 1, 1, 0, 300, 300, 256},
   {"syrk_n_512", 1, 0, 0, 512, 512, 512},   {"syrk_t_512", 1, 1, 0, 512, 512, 512}};

enum { OWN, PLAIN, BLAS };

static void run(const shape *s, int who, int single, const void *A, const void *B, void *C)
{
   size_t lda = s->ta ? s->m : s->k, ldb = s->tb ? s->k : s->n, ldc = s->n;
#define ARGS_GEMM(T) s->ta, s->tb, s->m, s->n, s->k, 1, (const T *)A, lda, (const T *)B, ldb, 0, (T *)C, ldc
#define ARGS_SYRK(T) s->ta, s->n, s->k, 1, (const T *)A, lda, 0, (T *)C, ldc
#ifdef BENCH_BLAS
   if (who == BLAS) { /* syrk: one triangle only, which is less than ours does */
      if (s->syrk && single) cblas_ssyrk(CblasRowMajor, CblasLower, s->ta ? CblasTrans : CblasNoTrans, (int)s->n, (int)s->k, 1, (const float *)A, (int)lda, 0, (float *)C, (int)ldc);
      else if (s->syrk)      cblas_dsyrk(CblasRowMajor, CblasLower, s->ta ? CblasTrans : CblasNoTrans, (int)s->n, (int)s->k, 1, (const double *)A, (int)lda, 0, (double *)C, (int)ldc);
      else if (single)       hook_sgemm(ARGS_GEMM(float));
      else                   hook_dgemm(ARGS_GEMM(double));
      return;
   }
#endif
   if (who == PLAIN) {
      if (s->syrk && single) sneppp__ssyrk_plain(ARGS_SYRK(float));
      else if (s->syrk)      sneppp__dsyrk_plain(ARGS_SYRK(double));
      else if (single)       sneppp__sgemm_plain(ARGS_GEMM(float));
      else                   sneppp__dgemm_plain(ARGS_GEMM(double));
   } else {
      if (s->syrk && single) sneppp__ssyrk(ARGS_SYRK(float));
      else if (s->syrk)      sneppp__dsyrk(ARGS_SYRK(double));
      else if (single)       sneppp__sgemm(ARGS_GEMM(float));
      else                   sneppp__dgemm(ARGS_GEMM(double));
   }
}

static double seconds(const shape *s, int who, int single, const void *A, const void *B, void *C, size_t repeat)
{
   double t = now();
   for (size_t r = 0; r < repeat; r++) run(s, who, single, A, B, C);
   return (now() - t) / (double)repeat;
}

static int bench_shape(const shape *s, int single)
{
   size_t  na = s->m * s->k, nb = s->k * s->n, nc = s->m * s->n;
   double  flops = (s->syrk ? 1.0 : 2.0) * (double)s->m * (double)s->n * (double)s->k, worst = 0, best[3] = {1e9, 1e9, 1e9};
   double *A = (double *)malloc(na * 8), *B = (double *)malloc(nb * 8), *C = (double *)malloc(nc * 8), *D = (double *)malloc(nc * 8);
   size_t  repeat = (size_t)(4e6 / flops) + 1;
   for (size_t i = 0; i < na; i++) { A[i] = uniform(); if (single) ((float *)A)[i] = (float)uniform(); }
   for (size_t i = 0; i < nb; i++) { B[i] = uniform(); if (single) ((float *)B)[i] = (float)uniform(); }
   run(s, OWN, single, A, B, C);
   run(s, PLAIN, single, A, B, D);
   for (size_t i = 0; i < nc; i++) {
      double e = single ? fabs((double)(((float *)C)[i] - ((float *)D)[i])) : fabs(C[i] - D[i]);
      if (e > worst) worst = e;
   }
   if (worst > (double)s->k * (single ? 2e-7 : 4e-16) * sqrt((double)s->k)) { printf("%s WRONG by %g\n", s->name, worst); return 1; }
   for (int round = 0; round < 25; round++)
      for (int who = OWN; who <= BLAS; who++) {
         double t;
#ifndef BENCH_BLAS
         if (who == BLAS) continue;
#endif
         if (who == PLAIN && (s->n > 32 || round > 5)) continue;
         t = seconds(s, who, single, A, B, C, repeat);
         if (t < best[who]) best[who] = t;
      }
   printf("%s_f%d %.2f GFLOP/s", s->name, single ? 32 : 64, 1e-9 * flops / best[OWN]);
   if (s->n <= 32) printf("  %.2f of plain", best[PLAIN] / best[OWN]);
#ifdef BENCH_BLAS
   printf("  %.2f of OpenBLAS", best[BLAS] / best[OWN]);
#endif
   printf("\n");
   free(A); free(B); free(C); free(D);
   return 0;
}

/* A slowly changing matrix, as inside projected gradient: a psd matrix minus a small symmetric step. */
static void pgd_matrix(size_t n, double *A, const double *G, double step)
{
   for (size_t i = 0; i < n * n; i++) A[i] -= step * G[i];
}

static int bench_eigh(size_t n)
{
   size_t  nn = n * n, lwork = 2 * nn + 64 * n + 64;
   double *A = (double *)malloc(nn * 8), *G = (double *)malloc(nn * 8), *Q = (double *)malloc(nn * 8), *w = (double *)malloc(n * 8);
   double *work = (double *)malloc(sneppp__eigh_work(n) * 8), *P = (double *)malloc(nn * 8), *R = (double *)malloc(nn * 8);
   double *lw = (double *)malloc(lwork * 8), own = 1e9, project = 1e9, jacobi = 1e9, lapack = 1e9, worst = 0, t;
   int    *iw = (int *)malloc((10 * n + 16) * sizeof(int));
   for (size_t i = 0; i < n; i++) for (size_t j = 0; j <= i; j++) G[i * n + j] = G[j * n + i] = uniform();
   sneppp__dsyrk(0, n, n / 2, 1, G, n, 0, A, n);
   if (sneppp__psd_project(n, A, Q, 0, work) != SNEPPP_OK) return 1;
   for (int round = 0; round < 12; round++) {
      for (size_t i = 0; i < n; i++) for (size_t j = 0; j <= i; j++) G[i * n + j] = G[j * n + i] = uniform();
      pgd_matrix(n, A, G, 0.05);
      memcpy(P, A, nn * 8);
      t = now();
      if (sneppp__psd_project(n, P, Q, 1, work) != SNEPPP_OK) return 1;
      t = now() - t;
      if (t < project) project = t;
      t = now();
      if (sneppp__eigh(n, A, w, R, 0, work) != SNEPPP_OK) return 1;
      t = now() - t;
      if (t < own) own = t;
#ifdef BENCH_BLAS
      {
         int size = (int)n, lworki = (int)lwork, liwork = (int)(10 * n + 16), info;
         memcpy(R, A, nn * 8);
         t = now();
         dsyevd_("V", "L", &size, R, &size, w, lw, &lworki, iw, &liwork, &info);
         t = now() - t;
         if (t < lapack) lapack = t;
      }
#endif
      if (round == 0) { /* the reference: Jacobi, and the projection rebuilt from it */
         double norm = 0;
         t = now();
         if (sneppp__eigh_jacobi(n, A, w, R, 0, work) != SNEPPP_OK) return 1;
         jacobi = now() - t;
         for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
               double s = 0;
               for (size_t r = 0; r < n; r++) if (w[r] > 0) s += R[i * n + r] * w[r] * R[j * n + r];
               s = fabs(s - P[i * n + j]);
               if (s > worst) worst = s;
               norm += A[i * n + j] * A[i * n + j];
            }
         if (worst > 1e-14 * (double)n * sqrt(norm)) { printf("psd_project_%d WRONG by %g\n", (int)n, worst); return 1; }
      }
      memcpy(A, P, nn * 8);
   }
   printf("psd_project_%d %.3f ms", (int)n, 1e3 * project);
   if (lapack < 1e9) printf("  %.2f x dsyevd", project / lapack);
   printf("\neigh_%d %.3f ms", (int)n, 1e3 * own);
   if (lapack < 1e9) printf("  %.2f x dsyevd", own / lapack);
   printf("\neigh_jacobi_%d %.3f ms\n", (int)n, 1e3 * jacobi);
   if (lapack < 1e9) printf("dsyevd_%d %.3f ms\n", (int)n, 1e3 * lapack);
   free(A); free(G); free(Q); free(w); free(work); free(P); free(R); free(lw); free(iw);
   return 0;
}

int main(void)
{
   int bad = 0;
   setvbuf(stdout, NULL, _IOLBF, 1024);
   for (int single = 0; single < 2; single++)
      for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) bad += bench_shape(&shapes[s], single);
   bad += bench_eigh(80) + bench_eigh(200) + bench_eigh(300);
   return bad != 0;
}
