/* mpicc -O2 -o mpi examples/mpi.c -lm && mpirun -n 2 ./mpi
   The fit of stream.c on more than one machine. Each rank has its shard of the events; all that the library needs of MPI
   is a sum over ranks. Whatever their number is, the model that rank 0 saves has the same bits.

      mpi [events or file [steps [units [model [checkpoint [every]]]]]]      default 100000 30 100
      mpirun -n 4 ./mpi 98000000 100 300 fires.snp run.ckpt 10    a checkpoint every 10 steps; again: goes on from there
      mpirun -n 3 ./mpi fires.csv 100 300 fires.snp               lines of longitude, latitude, years since the beginning
      mpirun -n 3 ./mpi fires.bin 100 300 fires.snp               rows of four doubles: a unit vector and years

   A file is read by position: a rank opens it at its own part and never sees the rest. Of a number, event i is computed
   from i alone: fires of a made-up planet. A rank that dies ends the job, by MPI's own rules; started again, with as
   many ranks as there are then, it goes on from the checkpoint to the same bits. */
#define SNEPPP_REAL_FLOAT
#define SNEPPP_NO_AUTO
#define SNEPPP_NO_SURE
#define SNEPPP_NO_SAMPLE
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { batch = 16384, passes = 52, row = 4 };
static const double years = 22, pi = 3.14159265358979323846;

/* ---- all that the library has to know of MPI */
static int add_over_ranks(double *x, size_t count, void *user)
{
   const size_t most = (size_t)1 << 27; /* MPI counts with int */
   (void)user;
   for (size_t at = 0, some; at < count; at += some) {
      some = count - at < most ? count - at : most;
      if (MPI_Allreduce(MPI_IN_PLACE, x + at, (int)some, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS) return 1;
   }
   return 0;
}

typedef struct shard {
   size_t       first, count; /* of a generated stream or a binary file */
   FILE        *file;         /* the binary file                        */
   sneppp_real *x;            /* (count, row) of a CSV file             */
} shard;

/* Half of the fires are in one of eight regions, which burn in one season, and half are anywhere. */
static void fire(size_t i, double *x)
{
   sneppp_rng rng;
   double     z, a, phase, length = 0;
   sneppp_rng_init(&rng, 2022, 2);
   rng.position = (uint64_t)i * 8;
   z = 2 * sneppp_rng_uniform(&rng) - 1, a = 2 * pi * sneppp_rng_uniform(&rng), phase = sneppp_rng_uniform(&rng);
   x[0] = sqrt(1 - z * z) * cos(a), x[1] = sqrt(1 - z * z) * sin(a), x[2] = z;
   if (sneppp_rng_uniform(&rng) < 0.5) {
      unsigned k = (unsigned)(8 * sneppp_rng_uniform(&rng));
      for (unsigned q = 0; q < 3; q++) x[q] = 0.3 * x[q] + (k >> q & 1 ? 1 : -1);
      phase = phase * phase;
   }
   for (int q = 0; q < 3; q++) length += x[q] * x[q];
   for (int q = 0; q < 3; q++) x[q] /= sqrt(length);
   x[3] = floor(years * sneppp_rng_uniform(&rng)) + phase;
}

static size_t read_made(sneppp_real *dst, size_t first, size_t count, void *user)
{
   const shard *s = (const shard *)user;
   for (size_t i = 0; i < count; i++) {
      double x[row];
      fire(s->first + first + i, x);
      for (int q = 0; q < row; q++) dst[row * i + (size_t)q] = (sneppp_real)x[q];
   }
   return count;
}

static size_t read_binary(sneppp_real *dst, size_t first, size_t count, void *user)
{
   const shard *s = (const shard *)user;
   size_t       i = 0;
   double       x[row];
   if (fseek(s->file, (long)((s->first + first) * sizeof x), SEEK_SET)) return 0;
   for (; i < count && fread(x, sizeof x, 1, s->file) == 1; i++)
      for (int q = 0; q < row; q++) dst[row * i + (size_t)q] = (sneppp_real)x[q];
   return i;
}

/* The lines that begin in the rank's part of the file. Returns 0 if one is not three numbers. */
static int read_csv(shard *s, FILE *f, long bytes, int rank, int ranks)
{
   long   from = (long)((double)bytes * rank / ranks), to = (long)((double)bytes * (rank + 1) / ranks);
   size_t room = 0;
   char   line[256];
   if (from > 0) { /* the line before belongs to the rank before */
      if (fseek(f, from - 1, SEEK_SET)) return 0;
      if (!fgets(line, sizeof line, f)) return 1;
   }
   while (ftell(f) < to && fgets(line, sizeof line, f)) {
      double v[3], unit[3];
      char  *at = line;
      int    k = 0;
      for (; k < 3; k++) {
         char *end;
         v[k] = strtod(at, &end);
         if (end == at) break;
         at = end + (*end == ',');
      }
      if (k < 3 && from == 0 && s->count == 0) continue; /* names of columns */
      if (k < 3) return 0;
      if (s->count == room) {
         sneppp_real *more = (sneppp_real *)realloc(s->x, (2 * room + 1024) * row * sizeof *more);
         if (!more) return 0;
         s->x = more, room = 2 * room + 1024;
      }
      v[0] *= pi / 180, v[1] *= pi / 180;
      unit[0] = cos(v[1]) * cos(v[0]), unit[1] = cos(v[1]) * sin(v[0]), unit[2] = sin(v[1]);
      for (int q = 0; q < 3; q++) s->x[row * s->count + (size_t)q] = (sneppp_real)unit[q];
      s->x[row * s->count++ + 3] = (sneppp_real)v[2];
   }
   return 1;
}

/* The rank's shard of what was asked for; 0 and a message, if there is none. */
static int open_shard(shard *s, sneppp_events *e, const char *what, int rank, int ranks)
{
   char              *end;
   unsigned long long number = strtoull(what, &end, 10);
   size_t             length = strlen(what), total = (size_t)number, r = (size_t)rank, P = (size_t)ranks;
   long               bytes = 0;
   FILE              *f = NULL;
   if (*end || !number) {
      f = fopen(what, "rb");
      if (!f || fseek(f, 0, SEEK_END) || (bytes = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
         fprintf(stderr, "mpi: rank %d cannot read %s\n", rank, what);
         if (f) fclose(f);
         return 0;
      }
      total = (size_t)bytes / (row * sizeof(double));
   }
   if (f && length > 4 && !strcmp(what + length - 4, ".csv")) {
      int good = read_csv(s, f, bytes, rank, ranks);
      fclose(f);
      if (!good) fprintf(stderr, "mpi: rank %d: line %lu of its part is not longitude,latitude,years\n", rank, (unsigned long)s->count + 1);
      e->x = s->x, e->count = s->count;
      return good;
   }
   s->first = total / P * r + (total % P < r ? total % P : r), s->count = total / P + (r < total % P);
   s->file = f;
   e->read = f ? read_binary : read_made, e->user = s, e->count = s->count;
   return 1;
}

/* ---- checkpoints: rank 0 has the file, and shows it to the others */
static int save(const sneppp_trainer *t, const char *path)
{
   char   other[4096];
   size_t bytes = sneppp_trainer_save(t, NULL, 0);
   void  *buf = malloc(bytes);
   FILE  *f;
   int    ok = 0;
   snprintf(other, sizeof other, "%s.new", path);
   f = buf ? fopen(other, "wb") : NULL;
   if (f) {
      ok = sneppp_trainer_save(t, buf, bytes) == bytes && fwrite(buf, 1, bytes, f) == bytes;
      ok = fclose(f) == 0 && ok && rename(other, path) == 0;
   }
   free(buf);
   return ok;
}

static sneppp_status resume(sneppp_trainer *t, const char *path, int rank, sneppp_error *err)
{
   size_t        most = sneppp_trainer_save(t, NULL, 0);
   void         *buf = calloc(most + 1, 1);
   unsigned long got = 0;
   sneppp_status st = SNEPPP_OK;
   if (!rank && buf) {
      FILE *f = fopen(path, "rb");
      if (f) got = fread(buf, 1, most + 1, f), fclose(f);
   }
   MPI_Bcast(&got, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
   if (!buf) MPI_Abort(MPI_COMM_WORLD, 1);
   MPI_Bcast(buf, (int)got, MPI_BYTE, 0, MPI_COMM_WORLD);
   if (got) st = sneppp_trainer_load(t, buf, got, err);
   free(buf);
   return st;
}

static int learn(int count, char **arg, int rank, int ranks, const sneppp_events *events)
{
   const char *model_path = count > 4 ? arg[4] : NULL, *path = count > 5 ? arg[5] : NULL;
   size_t      steps = count > 2 ? (size_t)strtoull(arg[2], NULL, 10) : 30, every = count > 6 ? (size_t)strtoull(arg[6], NULL, 10) : 0;
   int         units = count > 3 ? (int)strtol(arg[3], NULL, 10) : 100, good = 1;
   sneppp_desc   desc = { .width = units,
                          .factor = {
                             { .window = { .space = SNEPPP_SPACE_SPHERE, .dim = 3 }, .unit = { .act = SNEPPP_ACT_RELU }, .no_bias = 1 },
                             { .window = { .space = SNEPPP_SPACE_BOX, .dim = 1, .hi = { 22 } }, .unit = { .act = SNEPPP_ACT_RELU } } } };
   sneppp_fit_desc fit = { .events = events, .batch = batch, .rate = 0.01, .clip = 1, .decay = SNEPPP_NONE,
                           .reduce = add_over_ranks, .rank = (size_t)rank, .ranks = (size_t)ranks };
   sneppp_model    model;
   sneppp_trainer  trainer;
   sneppp_error    err;
   sneppp_status   st;
   double          start, told = 0, mine[2], *each = NULL;
   size_t          first;

   if (!steps || units < 1) {
      if (!rank) fprintf(stderr, "usage: mpi [events or file [steps [units [model [checkpoint [every]]]]]]\n");
      return 1;
   }
   fit.steps = steps; /* the plan */
   st = sneppp_init(&model, &desc, &err);
   if (st == SNEPPP_OK) st = sneppp_trainer_init(&trainer, &model, &fit, &err);
   if (st == SNEPPP_OK && path) st = resume(&trainer, path, rank, &err);
   if (st != SNEPPP_OK) { /* all ranks have the same words */
      if (!rank) fprintf(stderr, "mpi: %s\n", err.why);
      return 1;
   }
   if (!rank)
      printf("%lu events on %d ranks, %d units, %lu parameters, from step %lu\n", (unsigned long)trainer.events, ranks,
             units, (unsigned long)trainer.parameters, (unsigned long)trainer.report.step);
   first = trainer.report.step;
   start = MPI_Wtime();
   while (st == SNEPPP_OK && trainer.report.step < steps) {
      st = sneppp_trainer_step(&trainer, &err);
      if (!rank && st == SNEPPP_OK && (MPI_Wtime() - told > 2 || trainer.report.step == steps)) {
         told = MPI_Wtime();
         printf("step %6lu   NLL %8.4f\n", (unsigned long)trainer.report.step, trainer.report.nll);
         fflush(stdout);
      }
      if (st == SNEPPP_OK && path && every && (trainer.report.step % every == 0 || trainer.report.step == steps) && !rank &&
          !save(&trainer, path)) {
         fprintf(stderr, "mpi: the checkpoint could not be written\n");
         MPI_Abort(MPI_COMM_WORLD, 1);
      }
   }
   if (st != SNEPPP_OK) {
      if (!rank) fprintf(stderr, "mpi: %s\n", err.why);
      return 1;
   }
   mine[0] = MPI_Wtime() - start, mine[1] = (double)events->count;
   each = (double *)calloc((size_t)ranks, sizeof mine);
   if (!each) MPI_Abort(MPI_COMM_WORLD, 1);
   MPI_Gather(mine, 2, MPI_DOUBLE, each, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
   if (!rank && steps > first) {
      double each_step = (double)(trainer.desc.batch ? trainer.desc.batch : trainer.events), total = each_step * (double)(steps - first);
      for (int r = 0; r < ranks; r++)
         printf("rank %d: %.0f events, %.0f per second\n", r, each[2 * r + 1], total / ranks / each[2 * r]);
      printf("in all: %.0f events per second, %d passes in %.2f hours\n", total / mine[0], (int)passes,
             (double)passes * (double)trainer.events / (total / mine[0]) / 3600);
   }
   free(each);
   if (!rank && model_path && sneppp_save_file(&model, model_path, &err) != SNEPPP_OK) {
      fprintf(stderr, "mpi: %s\n", err.why);
      good = 0;
   }
   sneppp_trainer_free(&trainer);
   sneppp_free(&model);
   return !good;
}

static int run(int count, char **arg, int rank, int ranks)
{
   shard         own = { 0, 0, NULL, NULL };
   sneppp_events events = { .count = 0 };
   int           good = open_shard(&own, &events, count > 1 ? arg[1] : "100000", rank, ranks), all = 0, bad;
   MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD); /* a rank that cannot read stops all */
   bad = all ? learn(count, arg, rank, ranks, &events) : 1;
   free(own.x);
   if (own.file) fclose(own.file);
   return bad;
}

int main(int count, char **arg)
{
   int rank = 0, ranks = 1, bad;
   MPI_Init(&count, &arg);
   MPI_Comm_rank(MPI_COMM_WORLD, &rank);
   MPI_Comm_size(MPI_COMM_WORLD, &ranks);
   bad = run(count, arg, rank, ranks);
   MPI_Finalize();
   return bad;
}
