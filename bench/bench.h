/* Timing for the benchmarks: repeats a function and tells the median and the spread. Processor time, because the
   machine may be busy with other things. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__clang__)
   #define BENCH_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
   #define BENCH_COMPILER "gcc " __VERSION__
#else
   #define BENCH_COMPILER "unknown compiler"
#endif

enum { bench_runs = 7 };

typedef struct bench_time { double median, spread; } bench_time; /* seconds; (slowest - fastest) / median */

static double bench_once(void (*run)(void *), void *arg)
{
   clock_t start = clock();
   run(arg);
   return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static int bench_compare(const void *a, const void *b)
{
   const double x = *(const double *)a, y = *(const double *)b;
   return (x > y) - (x < y);
}

static bench_time bench_measure(void (*run)(void *), void *arg)
{
   double     t[bench_runs];
   bench_time result;
   run(arg); /* warms caches and pages */
   for (int i = 0; i < bench_runs; i++) t[i] = bench_once(run, arg);
   qsort(t, bench_runs, sizeof *t, bench_compare);
   result.median = t[bench_runs / 2];
   result.spread = result.median > 0 ? (t[bench_runs - 1] - t[0]) / result.median : 0;
   return result;
}
