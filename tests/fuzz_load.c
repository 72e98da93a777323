/* Hostile bytes for sneppp_load, for checkpoints of a trainer, and for the reader of CSV files. With clang: make fuzz, or
      clang -g -O1 -fsanitize=fuzzer,address,undefined -DFUZZ_LIBFUZZER -o fuzz tests/fuzz_load.c -lm && ./fuzz tests/corpus
   With any compiler a program that mutates models of its own, and the files named, for so many seconds, or for so many
   inputs if that is not 0:
      cc -g -O1 -fsanitize=address,undefined -o fuzz tests/fuzz_load.c -lm && ./fuzz 20 0 tests/corpus/a.snp ...
   and that writes the corpus: ./fuzz --corpus tests/corpus. Each input is loaded as it is and again with length and
   checksum mended, so that the checks behind them are reached. What loads must evaluate, save and load again. */
#include <stdlib.h>
#include <stdio.h>
#include <time.h>
#include <stddef.h>
static size_t fuzz_limit;
static void  *fuzz_malloc(void *ctx, size_t n)
{
   (void)ctx;
   if (n > fuzz_limit) { fprintf(stderr, "%zu bytes were asked for, more than %zu\n", n, fuzz_limit); abort(); }
   return malloc(n);
}
#define SNEPPP_MALLOC(ctx, n) fuzz_malloc(ctx, n)
#define SNEPPP_FREE(ctx, p)   ((void)(ctx), free(p))
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "../examples/csv.h"

/* What is wrong, and the bytes in a file: the input of the day is kept for this. */
static const unsigned char *fuzz_now;
static size_t               fuzz_now_size;
static void fuzz_stop(const char *what)
{
   FILE *f = fopen("build/fuzz/stopped", "wb");
   fprintf(stderr, "%s; the input is in build/fuzz/stopped\n", what);
   if (f) fwrite(fuzz_now, 1, fuzz_now_size, f), fclose(f);
   abort();
}

static size_t fuzz_inputs, fuzz_loads, fuzz_good; /* inputs; loads of them, mended or not; those that succeeded */

static void fuzz_crc(unsigned char *p, size_t n)
{
   uint32_t crc = n > 4 ? sneppp__crc32(p, n - 4) : 0;
   for (int k = 0; k < 4 && n > 4; k++) p[n - 4 + (size_t)k] = (unsigned char)(crc >> 8 * k);
}

static void fuzz_mend(unsigned char *p, size_t n)
{
   if (n < 28) return;
   for (int k = 0; k < 8; k++) p[16 + k] = (unsigned char)((uint64_t)n >> 8 * k);
   fuzz_crc(p, n);
}

static void fuzz_load(const unsigned char *p, size_t n)
{
   sneppp_model  m, again;
   sneppp_error  err;
   sneppp_real   x[SNEPPP_MAX_FACTORS * SNEPPP_MAX_DIM];
   unsigned char *saved;
   size_t         bytes;
   fuzz_limit = 256 * n + 65536; /* memory stays in proportion to the bytes that were given */
   fuzz_loads++;
   if (sneppp_load(&m, p, n, NULL, 0, NULL, &err) != SNEPPP_OK) {
      if (m.factors || m.block || !err.why[0]) fuzz_stop("a model that failed to load is not empty, or no reason is given");
      return;
   }
   fuzz_good++;
   for (int i = 0; i < 4; i++) {
      for (size_t k = 0; k < sizeof x / sizeof *x; k++) x[k] = (sneppp_real)(i < 2 ? i : 0.1 * (double)k - 0.3 * i);
      (void)sneppp_intensity(&m, x);
      (void)sneppp_log_intensity(&m, x);
   }
   bytes = sneppp_save(&m, NULL, 0);
   saved = (unsigned char *)malloc(bytes);
   if (!saved) abort();
   if (sneppp_save(&m, saved, bytes) != bytes) fuzz_stop("saving did not take the bytes that it said");
   if (sneppp_load(&again, saved, bytes, NULL, 0, NULL, &err) != SNEPPP_OK) fuzz_stop(err.why);
   sneppp_free(&again);
   sneppp_free(&m);
   free(saved);
}

/* A small trainer, made once. A checkpoint that is refused must leave it as it was; one that is taken must come out again
   byte by byte, and a step must not trip over it (it may fail with an error: the numbers can be absurd). */
static sneppp_trainer *fuzz_trainer(void)
{
   static sneppp_trainer t;
   static sneppp_model   m;
   static sneppp_real    x[6] = {(sneppp_real)0.1, (sneppp_real)0.4, (sneppp_real)0.5, (sneppp_real)0.7, (sneppp_real)0.8, (sneppp_real)0.9};
   static sneppp_events  e;
   if (!t.block) {
      sneppp_desc     d;
      sneppp_fit_desc f;
      sneppp_error    err;
      memset(&d, 0, sizeof d);
      memset(&f, 0, sizeof f);
      d.width = 3, d.factor[0].window.dim = 1, d.factor[0].window.hi[0] = 1;
      e.x = x, e.count = 6;
      f.events = &e, f.method = SNEPPP_METHOD_ADAM, f.steps = 10;
      fuzz_limit = (size_t)1 << 24;
      if (sneppp_init(&m, &d, &err) != SNEPPP_OK || sneppp_trainer_init(&t, &m, &f, &err) != SNEPPP_OK ||
          sneppp_trainer_step(&t, &err) != SNEPPP_OK) { fprintf(stderr, "trainer: %s\n", err.why); abort(); }
   }
   return &t;
}

static void fuzz_checkpoint(const unsigned char *p, size_t n)
{
   static unsigned char before[2000], after[2000];
   sneppp_trainer      *t = fuzz_trainer();
   sneppp_error         err;
   size_t               bytes = sneppp_trainer_save(t, before, sizeof before);
   int                  taken;
   if (bytes > sizeof before) abort();
   fuzz_loads++;
   taken = sneppp_trainer_load(t, p, n, &err) == SNEPPP_OK;
   if (sneppp_trainer_save(t, after, sizeof after) != bytes) fuzz_stop("the size of a checkpoint changed");
   if (memcmp(after, taken ? p : before, bytes)) fuzz_stop(taken ? "a checkpoint came out changed" : "a bad checkpoint was taken in part");
   if (!taken && !err.why[0]) fuzz_stop("no reason is given");
   if (!taken) return;
   fuzz_good++;
   (void)sneppp_trainer_step(t, &err);
   if (sneppp_trainer_load(t, before, bytes, &err) != SNEPPP_OK) {
      /* The step made numbers that are not finite of absurd ones; a new trainer for the next input. */
      sneppp_model *m = t->model;
      sneppp_trainer_free(t);
      sneppp_free(m);
      memset(t, 0, sizeof *t);
   }
}

static void fuzz_csv(const unsigned char *p, size_t n)
{
   static const char *path = "build/fuzz/input.csv";
   csv_table          t;
   FILE              *f = fopen(path, "wb");
   if (!f || fwrite(p, 1, n, f) != n || fclose(f)) abort();
   fuzz_loads++;
   if (!csv_read(&t, path)) {
      if (!t.error[0] || t.value) fuzz_stop("a CSV file that failed left something, or no reason is given");
      return;
   }
   fuzz_good++;
   for (size_t i = 0; i < t.rows * (size_t)t.columns; i++)
      if (!sneppp__finite(t.value[i]) && !t.head[i % (size_t)t.columns].bad_line) /* NaN stands for text, which is told */
         fuzz_stop("a number of a CSV file is not finite");
   csv_free(&t);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
   unsigned char *copy = (unsigned char *)calloc(size ? size : 1, 1); /* of exactly this size, for the sanitizer */
   if (!copy) return 0;
   if (size) memcpy(copy, data, size);
   fuzz_inputs++;
   fuzz_now = data, fuzz_now_size = size;
   if (size >= 8 && !memcmp(copy, "snepptr\n", 8)) {
      fuzz_checkpoint(copy, size);
      fuzz_crc(copy, size);
      fuzz_checkpoint(copy, size);
   } else if (size && copy[0] == 'x') fuzz_csv(copy, size); /* the header line of the seed is x,y */
   else {
      fuzz_load(copy, size);
      fuzz_mend(copy, size);
      fuzz_load(copy, size);
   }
   free(copy);
   return 0;
}

#ifndef FUZZ_LIBFUZZER
enum { fuzz_cap = 4096, fuzz_most = 40 };
static unsigned char fuzz_seed[fuzz_most][fuzz_cap];
static size_t        fuzz_size[fuzz_most];
static int           fuzz_seeds;

static void fuzz_add(const sneppp_desc *d)
{
   sneppp_model m;
   sneppp_error err;
   size_t       n;
   fuzz_limit = (size_t)1 << 24;
   if (sneppp_init(&m, d, &err) != SNEPPP_OK) { fprintf(stderr, "seed %d: %s\n", fuzz_seeds, err.why); exit(1); }
   n = sneppp_save(&m, fuzz_seed[fuzz_seeds], fuzz_cap);
   if (n <= fuzz_cap && fuzz_seeds < fuzz_most - 8) fuzz_size[fuzz_seeds++] = n;
   sneppp_free(&m);
}

/* One model of every space, of several activations, and of every mixing rule. */
static void fuzz_models(void)
{
   static const double ends[4] = {-1, 0.3, 0.5, 2}, xy[14] = {0, 0, 3, 0, 3, 3, 0, 3, 1, 1, 2, 1, 1, 2}, point[6] = {0, 1, 1, 0, 2, 2};
   static const size_t ring[2] = {4, 3};
   static const int    dim[SNEPPP_SPACE_END] = {2, 2, 3, 1, 2, 2, 2, 1, 1, 3, 1, 1, 1, 1, 1, 2, 2};
   static sneppp_unit  units[4];
   sneppp_desc         d;
   for (int s = 0; s < SNEPPP_SPACE_END + SNEPPP_MIX_END + 2; s++) {
      sneppp_window *w = &d.factor[0].window;
      memset(&d, 0, sizeof d);
      d.width = 4;
      w->space = s < SNEPPP_SPACE_END ? (sneppp_space)s : SNEPPP_SPACE_BOX;
      w->dim = s < SNEPPP_SPACE_END ? dim[s] : 2;
      if (s == SNEPPP_SPACE_NORMAL) continue; /* random exponents have no integral there */
      for (int r = 0; r < SNEPPP_MAX_DIM; r++) w->hi[r] = 2;
      w->radius = 1;
      w->param[0] = w->param[1] = w->param[2] = 30;
      if (s == SNEPPP_SPACE_NEGBINOMIAL || s == SNEPPP_SPACE_POISSON) continue;
      if (s == SNEPPP_SPACE_INTERVALS) w->count = 2, w->ends = ends;
      if (s == SNEPPP_SPACE_FINITE) w->count = 3, w->point = point;
      if (s == SNEPPP_SPACE_POLYGON || s == SNEPPP_SPACE_RASTER) w->rings = 2, w->ring_size = ring, w->xy = xy;
      if (s == SNEPPP_SPACE_RASTER) w->cell[0] = w->cell[1] = 1, w->cells[0] = 3, w->cells[1] = 2, w->covariates = 1, w->z = point;
      if (s >= SNEPPP_SPACE_END) {
         int mix = s - SNEPPP_SPACE_END;
         if (mix < SNEPPP_MIX_END) {
            d.mix = (sneppp_mix)mix;
            d.factor[1].window.dim = 1;
            d.factor[1].window.hi[0] = 3;
         } else if (mix == SNEPPP_MIX_END) {
            for (int i = 0; i < 4; i++) units[i].act = i % 2 ? SNEPPP_ACT_COS : SNEPPP_ACT_SIN;
            d.factor[0].units = units;
         } else {
            d.factor[0].unit.act = SNEPPP_ACT_RBF;
            d.readout = SNEPPP_READOUT_DIAGONAL;
            d.group = 2;
         }
      }
      fuzz_add(&d);
   }
}

static uint32_t fuzz_state = 2463534242u;
static uint32_t fuzz_draw(uint32_t n)
{
   fuzz_state ^= fuzz_state << 13, fuzz_state ^= fuzz_state >> 17, fuzz_state ^= fuzz_state << 5;
   return n ? fuzz_state % n : 0;
}

static size_t fuzz_mutate(unsigned char *p, size_t n)
{
   static const uint32_t odd[12] = {0, 1, 2, 3, 4, 16, 17, 255, 0x7fffffff, 0x80000000u, 0xffffffffu, 0x7ff00000};
   for (uint32_t times = 1 + fuzz_draw(4); times && n > 28; times--) {
      size_t   at = fuzz_draw(4) ? 24 + fuzz_draw((uint32_t)(n < 400 ? n - 28 : 372)) : fuzz_draw((uint32_t)n), k;
      uint32_t v = odd[fuzz_draw(12)];
      switch (fuzz_draw(7)) {
         case 0: p[at] ^= (unsigned char)(1u << fuzz_draw(8)); break;
         case 1: p[at] = (unsigned char)fuzz_draw(256); break;
         case 2: case 3: for (at &= ~(size_t)3, k = 0; k < 4 && at + k < n; k++) p[at + k] = (unsigned char)(v >> 8 * k); break;
         case 4: n -= fuzz_draw((uint32_t)(n / 8)); break;                                         /* cut */
         case 5: k = 4 * (1 + fuzz_draw(8)); if (at + k < n) { memmove(p + at, p + at + k, n - at - k); n -= k; } break; /* take out */
         default: k = 4 * (1 + fuzz_draw(8)); if (n + k <= fuzz_cap) { memmove(p + at + k, p + at, n - at); n += k; } break; /* double */
      }
   }
   return n;
}

int main(int argc, char **argv)
{
   static const char    text[] = "x,y\n# a comment\n1.5,-2e3\n3,4\n0.000000000000000000001,1e-300\n12345678901234567890123,+1.e+5\n";
   static unsigned char work[fuzz_cap];
   clock_t              start = clock();
   double               seconds = argc > 1 ? atof(argv[1]) : 20;
   double               most = argc > 2 ? atof(argv[2]) : 0;
   fuzz_models();
   fuzz_size[fuzz_seeds] = sneppp_trainer_save(fuzz_trainer(), fuzz_seed[fuzz_seeds], fuzz_cap);
   fuzz_seeds++;
   memcpy(fuzz_seed[fuzz_seeds], text, sizeof text - 1);
   fuzz_size[fuzz_seeds++] = sizeof text - 1;
   if (argc > 2 && !strcmp(argv[1], "--corpus")) {
      for (int i = 0; i < fuzz_seeds; i++) {
         char  path[300];
         FILE *f;
         snprintf(path, sizeof path, "%s/model%02d.snp", argv[2], i);
         f = fopen(path, "wb");
         if (!f || fwrite(fuzz_seed[i], 1, fuzz_size[i], f) != fuzz_size[i] || fclose(f)) return 1;
      }
      return 0;
   }
   for (int i = 3; i < argc; i++) {
      FILE *f = fopen(argv[i], "rb");
      size_t n = f ? fread(work, 1, sizeof work, f) : 0;
      if (f) fclose(f);
      LLVMFuzzerTestOneInput(work, n);
      if (n && fuzz_seeds < fuzz_most) { memcpy(fuzz_seed[fuzz_seeds], work, n); fuzz_size[fuzz_seeds++] = n; }
   }
   if (getenv("FUZZ_SEED")) fuzz_state ^= (uint32_t)atoi(getenv("FUZZ_SEED")) * 2654435761u;
   while (most > 0 ? (double)fuzz_inputs < most : (double)(clock() - start) / CLOCKS_PER_SEC < seconds)
      for (int i = 0; i < 200; i++) {
         int    s = (int)fuzz_draw((uint32_t)fuzz_seeds);
         size_t n = fuzz_size[s];
         memcpy(work, fuzz_seed[s], n);
         n = fuzz_mutate(work, n);
         LLVMFuzzerTestOneInput(work, n);
      }
   printf("%zu mutated inputs, %zu loads of them, %zu of these valid, no complaint, %.0f s\n", fuzz_inputs, fuzz_loads, fuzz_good,
          (double)(clock() - start) / CLOCKS_PER_SEC);
   return fuzz_good == 0;
}
#endif
