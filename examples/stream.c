/* cc -O2 -o stream examples/stream.c -lm -pthread && ./stream
   A fit to more events than fit into memory. Event number i is computed from i alone, so nothing is stored, and any
   part of the stream can be read, shuffled and read again: the same as with a file that is read by position.

      stream [events [steps [units [checkpoint]]]]      default 100000 30 100
      stream 98000000 100 300 run.ckpt                  the size of the paper's largest study; Ctrl-C stops and saves
      stream 98000000 100 300 run.ckpt                  again: goes on where the file ends
   A batch costs its events and, whatever its size, one integral over the window; and the larger it is, the closer
   are its neighbours, among which many ReLU units are zero together and cost nothing. Hence large batches.
   Fires of a made-up planet: 40 burning regions on the sphere with seasons of their own, and a few fires anywhere. */
#define _POSIX_C_SOURCE 200809L /* a clock on the wall: the library's default counts processor time */
#define SNEPPP_REAL_FLOAT /* events and features; sums over events and the closed forms are double all the same */
#define SNEPPP_PTHREADS
#define SNEPPP_NO_AUTO /* what a program does not ask for need not be compiled */
#define SNEPPP_NO_SURE
#define SNEPPP_NO_SAMPLE
#define SNEPPP_NO_INPUT
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { regions = 40, batch = 16384, draws_per_event = 16, passes = 52 };
static const double years = 22, pi = 3.14159265358979323846;

typedef struct planet {
   double centre[regions][3], spread[regions], season[regions], share[regions]; /* share: cumulated */
} planet;

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
   (void)number;
   stopped = 1;
}

static double now(void)
{
   struct timespec t;
   clock_gettime(CLOCK_MONOTONIC, &t);
   return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void make_planet(planet *p)
{
   sneppp_window globe = {.space = SNEPPP_SPACE_SPHERE, .dim = 3};
   sneppp_rng rng;
   double total = 0;
   memset(p, 0, sizeof *p);
   sneppp_rng_init(&rng, 2022, 1);
   for (int k = 0; k < regions; k++) {
      (void)sneppp_window_draw(&globe, &rng, p->centre[k]);
      p->spread[k] = 0.02 + 0.2 * sneppp_rng_uniform(&rng);
      p->season[k] = sneppp_rng_uniform(&rng);
      p->share[k] = total += 0.2 - log(1 - sneppp_rng_uniform(&rng));
   }
   for (int k = 0; k < regions; k++) p->share[k] *= 0.97 / total; /* the rest burns anywhere */
}

/* Events first .. first + count - 1. Each has its own sixteen draws of the generator, which goes there at once. The season is a
   raised cosine: the year's phase is drawn by rejection, at most five times. */
static size_t read_events(sneppp_real *dst, size_t first, size_t count, void *user)
{
   const planet *p = (const planet *)user;
   for (size_t i = 0; i < count; i++) {
      sneppp_real *x = dst + 4 * i;
      sneppp_rng rng;
      double u, y[3], length = 0, phase = 0, year;
      int k = 0;
      sneppp_rng_init(&rng, 2022, 2);
      rng.position = (uint64_t)(first + i) * draws_per_event;
      u = sneppp_rng_uniform(&rng);
      year = floor(years * sneppp_rng_uniform(&rng));
      while (k < regions && u >= p->share[k]) k++;
      for (int tries = 0; tries < 5; tries++) {
         phase = sneppp_rng_uniform(&rng);
         if (k == regions || 2 * sneppp_rng_uniform(&rng) <= 1 + cos(2 * pi * (phase - p->season[k]))) break;
      }
      rng.position = (uint64_t)(first + i) * draws_per_event + 12;
      { /* z uniform and an azimuth give a point of the sphere; pulled towards the centre it is a round cluster */
         double z = 2 * sneppp_rng_uniform(&rng) - 1, a = 2 * pi * sneppp_rng_uniform(&rng),
                r = sqrt(1 - z * z);
         double far = k < regions ? 2 * p->spread[k] * sqrt(-log(1 - sneppp_rng_uniform(&rng))) : 0;
         y[0] = r * cos(a), y[1] = r * sin(a), y[2] = z;
         for (int q = 0; k < regions && q < 3; q++) y[q] = p->centre[k][q] + far * y[q];
      }
      for (int q = 0; q < 3; q++) length += y[q] * y[q];
      for (int q = 0; q < 3; q++) x[q] = (sneppp_real)(y[q] / sqrt(length));
      x[3] = (sneppp_real)(year + phase);
   }
   return count;
}

static double peak_megabytes(void)
{
   struct rusage use;
   getrusage(RUSAGE_SELF, &use);
   return (double)use.ru_maxrss / 1024; /* kilobytes on Linux */
}

static int fail(const char *why)
{
   fprintf(stderr, "stream: %s\n", why);
   return 1;
}

/* The checkpoint is written beside the old one, which it then replaces: a crash leaves one of the two. */
static int save(const sneppp_trainer *t, const char *path)
{
   char other[4096];
   size_t bytes = sneppp_trainer_save(t, NULL, 0);
   void *buf = malloc(bytes);
   FILE *f;
   int ok = 0;
   snprintf(other, sizeof other, "%s.new", path);
   f = buf ? fopen(other, "wb") : NULL;
   if (f) {
      ok = sneppp_trainer_save(t, buf, bytes) == bytes && fwrite(buf, 1, bytes, f) == bytes;
      ok = fclose(f) == 0 && ok && rename(other, path) == 0;
   }
   free(buf);
   return ok;
}

/* 1 resumed, 0 there is no file, -1 it does not fit. */
static int resume(sneppp_trainer *t, const char *path, sneppp_error *err)
{
   size_t bytes = sneppp_trainer_save(t, NULL, 0), got = 0;
   void *buf = malloc(bytes + 1);
   FILE *f = fopen(path, "rb");
   int result = 0;
   if (f && buf) {
      got = fread(buf, 1, bytes + 1, f);
      result = sneppp_trainer_load(t, buf, got, err) == SNEPPP_OK ? 1 : -1;
   }
   if (f) fclose(f);
   free(buf);
   return result;
}

/* A whole number; 0 if the word is anything else, such as 1e5. */
static size_t whole(const char *word)
{
   char *end;
   unsigned long long v = strtoull(word, &end, 10);
   return *end || *word < '0' || *word > '9' ? 0 : (size_t)v;
}

int main(int count, char **arg)
{
   size_t total = count > 1 ? whole(arg[1]) : 100000;
   size_t steps = count > 2 ? whole(arg[2]) : 30;
   int units = count > 3 ? (int)whole(arg[3]) : 100;
   const char *path = count > 4 ? arg[4] : NULL;
   planet home;
   sneppp_events events = { .count = total, .read = read_events, .user = &home };
   sneppp_desc desc = { .width = units,
                        .factor = {
                           { .window = { .space = SNEPPP_SPACE_SPHERE, .dim = 3 }, .unit = { .act = SNEPPP_ACT_RELU }, .no_bias = 1 },
                           { .window = { .space = SNEPPP_SPACE_BOX, .dim = 1, .hi = { 22 } },
                             .unit = { .act = SNEPPP_ACT_RELU } } } };
   sneppp_pool *pool = sneppp_pool_make(2, NULL);
   sneppp_fit_desc fit = { .events = &events, .batch = batch, .rate = 0.01, .clip = 1, .decay = SNEPPP_NONE };
   sneppp_model model;
   sneppp_trainer trainer;
   sneppp_error err;
   double start, told = 0, each = 0, average = 0, processor;
   size_t done = 0, first;

   if (!total || !steps || units < 1) return fail("usage: stream [events [steps [units [checkpoint]]]]");
   make_planet(&home);
   if (pool) fit.parallel = sneppp_pool_parallel(pool);
   fit.steps = (total * passes + batch - 1) / batch; /* the plan; this run does `steps` of them */
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK) return fail(err.why);
   start = now();
   if (sneppp_trainer_init(&trainer, &model, &fit, &err) != SNEPPP_OK) return fail(err.why);
   printf("%lu events, %d units, %lu parameters; ready after %.2f s\n", (unsigned long)total, units,
          (unsigned long)trainer.parameters, now() - start);
   if (path) {
      int r = resume(&trainer, path, &err);
      if (r < 0) return fail(err.why);
      if (r) printf("resumed after step %lu\n", (unsigned long)trainer.report.step);
   }
   signal(SIGINT, on_signal);
   first = trainer.report.step;
   start = now();
   processor = (double)clock() / CLOCKS_PER_SEC;
   while (!stopped && done < steps && trainer.report.step < fit.steps) {
      if (sneppp_trainer_step(&trainer, &err) != SNEPPP_OK) return fail(err.why);
      done++;
      each = (now() - start) / (double)done;
      average = done == 1 ? trainer.report.nll : average + 0.1 * (trainer.report.nll - average);
      if (now() - told > 2 || done == steps) {
         told = now();
         printf("step %6lu   NLL %8.4f (averaged %8.4f)   %8.0f events/s   %6.1f s left\n",
                (unsigned long)trainer.report.step, trainer.report.nll, average, batch / each,
                each * (double)(steps - done));
         fflush(stdout);
      }
   }
   processor = (double)clock() / CLOCKS_PER_SEC - processor;
   if (path && !save(&trainer, path)) return fail("the checkpoint could not be written");
   printf("%s after %lu steps of %d events, from step %lu: %.0f events per second\n"
          "(%.0f per second of one processor), peak memory %.0f MB\n",
          stopped ? "stopped" : "done", (unsigned long)done, (int)batch, (unsigned long)first, batch / each,
          batch * (double)done / processor, peak_megabytes());
   printf("%d passes over %lu events would take %.1f hours at this speed\n", (int)passes,
          (unsigned long)total, (double)passes * (double)total * each / batch / 3600);
   sneppp_trainer_free(&trainer);
   sneppp_free(&model);
   sneppp_pool_free(pool);
   return 0;
}
