/* What the benchmarks share: the library, the clocks, the fastest of several runs, the lines `name value unit`, and
   the peak of a core. Include it first. All of the library is static, so that only what a program uses is compiled.

   What is compared takes turns in one run and the fastest call counts: on a machine with other users the fastest is
   the one that they disturbed least. A check that fails ends the program before it prints a time. */
#ifndef SNEPPP_BENCH_H
#define SNEPPP_BENCH_H

#define _POSIX_C_SOURCE 200112L
#define SNEPPP_STATIC
#define SNEPPP_PTHREADS
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline double bench_clock(clockid_t id)
{
   struct timespec t;
   clock_gettime(id, &t);
   return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double bench_wall(void)
{
   return bench_clock(CLOCK_MONOTONIC);
} /* where threads are compared */
static inline double bench_cpu(void)
{
   return bench_clock(CLOCK_PROCESS_CPUTIME_ID);
} /* everywhere else            */

/* Processor seconds of everybody else since the machine started, where /proc/stat tells them; otherwise 0. Two threads
   are compared with one only while nobody else uses the cores. */
static inline double bench_others(void)
{
   double t[8] = { 0 };
   FILE *file = fopen("/proc/stat", "r");
   int count = !file ? 0
                     : fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", t, t + 1, t + 2, t + 3, t + 4,
                              t + 5, t + 6, t + 7);
   if (file) fclose(file);
   if (count != 8) return 0; /* user, nice, system, idle, iowait, irq, softirq, steal */
   return (t[0] + t[1] + t[2] + t[5] + t[6] + t[7]) / (double)sysconf(_SC_CLK_TCK) - bench_cpu();
}

/* Waits until others leave the cores alone, but in all turns of a program together no longer than a while. */
static inline void bench_wait(void)
{
   static double patience = 20;
   for (int quiet = 0; patience > 0 && !quiet;) {
      struct timespec nap = { 0, 200000000 };
      double others = bench_others(), wall = bench_wall();
      nanosleep(&nap, NULL);
      wall = bench_wall() - wall;
      quiet = bench_others() - others < 0.15 * wall;
      if (!quiet) patience -= wall;
   }
}

/* One line: the name is made by the format. */
static inline void bench_line(double value, const char *unit, const char *name, ...)
{
   va_list args;
   va_start(args, name);
   vprintf(name, args);
   va_end(args);
   printf(fabs(value) < 1000 ? " %.4g %s\n" : " %.0f %s\n", value, unit);
   fflush(stdout);
}

static inline void bench_check(int good, const char *why, ...)
{
   va_list args;
   if (good) return;
   va_start(args, why);
   fprintf(stderr, "bench: ");
   vfprintf(stderr, why, args);
   fprintf(stderr, "\n");
   va_end(args);
   exit(1);
}

static inline void bench_must(sneppp_status status, const sneppp_error *err)
{
   bench_check(status == SNEPPP_OK, "%s", err->why);
}

static inline void *bench_take(size_t count, size_t size)
{
   void *p = calloc(count ? count : 1, size);
   bench_check(p != NULL, "no memory");
   return p;
}

static inline double bench_uniform(void) /* in (-1, 1), always the same numbers */
{
   static uint64_t state = 7;
   state = state * 6364136223846793005ULL + 1442695040888963407ULL;
   return (double)(state >> 11) / 4503599627370496.0 - 1;
}

typedef struct bench_job {
   void (*run)(void *arg);
   void *arg;
   double seconds; /* out: of the fastest call */
   size_t calls;   /* of a turn */
} bench_job;

/* All jobs in turns. Two before the first warm caches and pages, and count the calls that fill 0.1 ms. */
static inline void bench_turns(bench_job *job, size_t count, int turns)
{
   for (int turn = -2; turn < turns; turn++)
      for (bench_job *j = job; j < job + count; j++) {
         double t = bench_wall();
         if (turn == -2) j->calls = 1;
         if (turn == -1 && j->calls == 1) continue;
         for (size_t call = 0; call < j->calls; call++) j->run(j->arg);
         t = (bench_wall() - t) / (double)j->calls;
         if (turn < 0) j->calls = 1 + (size_t)(turn == -2 ? 1e-5 / (t + 1e-9) : 1e-4 / (t + 1e-9));
         if (turn <= 0 || t < j->seconds) j->seconds = t;
      }
}

static inline double bench_fastest(void (*run)(void *arg), void *arg, int turns)
{
   bench_job job = { run, arg, 0, 0 };
   bench_turns(&job, 1, turns);
   return job.seconds;
}

/* ---- the peak: fused multiply-adds in registers, ten chains that do not wait for each other, with the widest
   vectors that the library uses. Two flops per lane. */
#define BENCH_PEAK(name, target, T, V, lanes, set, fma) \
   target static inline void name(void *arg) \
   { \
      double *flops = (double *)arg; \
      T out[lanes], s = (T)(*flops + 0.1); /* chains that start differently: equal ones would be merged */ \
      V x = set((T)0.999), y = set((T)0.001), a = set(s), b = set(s + 1), c = set(s + 2), d = set(s + 3); \
      V e = set(s + 4), f = set(s + 5), g = set(s + 6), h = set(s + 7), i = set(s + 8), j = set(s + 9); \
      for (int k = 0; k < 100000; k++) { \
         a = fma(a, x, y), b = fma(b, x, y), c = fma(c, x, y), d = fma(d, x, y), e = fma(e, x, y); \
         f = fma(f, x, y), g = fma(g, x, y), h = fma(h, x, y), i = fma(i, x, y), j = fma(j, x, y); \
      } \
      a = fma(a, b, fma(c, d, fma(e, f, fma(g, h, fma(i, j, x))))); \
      memcpy(out, &a, sizeof out); \
      *flops = out[0] > 0 ? 2.0 * 10 * (lanes)*100000 : 0; \
   }
#define BENCH_SAME(x) (x)
#define BENCH_PLAIN(x, y, z) ((x) * (y) + (z))
#define BENCH_NEON64(x, y, z) vfmaq_f64(z, x, y)
#define BENCH_NEON32(x, y, z) vfmaq_f32(z, x, y)
#if defined(SNEPPP__AVX)
BENCH_PEAK(bench_avx2_f64, SNEPPP__TARGET_AVX2, double, __m256d, 4, _mm256_set1_pd, _mm256_fmadd_pd)
BENCH_PEAK(bench_avx2_f32, SNEPPP__TARGET_AVX2, float, __m256, 8, _mm256_set1_ps, _mm256_fmadd_ps)
BENCH_PEAK(bench_avx512_f64, SNEPPP__TARGET_AVX512, double, __m512d, 8, _mm512_set1_pd, _mm512_fmadd_pd)
BENCH_PEAK(bench_avx512_f32, SNEPPP__TARGET_AVX512, float, __m512, 16, _mm512_set1_ps, _mm512_fmadd_ps)
#elif defined(SNEPPP__NEON)
BENCH_PEAK(bench_neon_f64, , double, float64x2_t, 2, vdupq_n_f64, BENCH_NEON64)
BENCH_PEAK(bench_neon_f32, , float, float32x4_t, 4, vdupq_n_f32, BENCH_NEON32)
#endif
BENCH_PEAK(bench_plain_f64, , double, double, 1, BENCH_SAME, BENCH_PLAIN)
BENCH_PEAK(bench_plain_f32, , float, float, 1, BENCH_SAME, BENCH_PLAIN)

static inline double bench_peak(int single) /* flops per second of one core */
{
   void (*run)(void *) = single ? bench_plain_f32 : bench_plain_f64;
   double flops = 0, seconds;
#if defined(SNEPPP__AVX)
   if (__builtin_cpu_supports("avx512f")) run = single ? bench_avx512_f32 : bench_avx512_f64;
   else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      run = single ? bench_avx2_f32 : bench_avx2_f64;
#elif defined(SNEPPP__NEON)
   run = single ? bench_neon_f32 : bench_neon_f64;
#endif
   seconds = bench_fastest(run, &flops, 200);
   return flops / seconds;
}
#endif
