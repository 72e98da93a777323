/* Points from the model of examples/firmware.c, in a block of its own: what a game or a device needs to spawn them.
   Prints the counts and points, which must be those of the whole library (SPAWN_WHOLE) but for rounding. */
#define SNEPPP_REAL_FLOAT
#define SNEPPP_STATIC
#define SNEPPP_MAX_DIM     2
#define SNEPPP_MAX_FACTORS 1
#define SNEPPP_MAX_WIDTH   32
#ifndef SPAWN_WHOLE
   #define SNEPPP_INFERENCE_ONLY
   #define SNEPPP_WITH_SAMPLE
#endif
#define SNEPPP_IMPLEMENTATION
#include "../../sneppp.h"
#include "../../examples/firmware_model.h"

int    spawn(const double *lo, const double *hi, uint64_t seed, size_t count, float *xy, size_t cap);
double spawn_count(const double *lo, const double *hi);

#ifdef SPAWN_NOTHING /* the model alone, to know what the rest takes */
const sneppp_model *spawn_model(void);
const sneppp_model *spawn_model(void) { return &firmware_model; }
#else
static double block[8192 / sizeof(double)];

int spawn(const double *lo, const double *hi, uint64_t seed, size_t count, float *xy, size_t cap)
{
   sneppp_window      box;
   sneppp_region      region;
   sneppp_sample_desc how;
   sneppp_sample_info info;
   memset(&box, 0, sizeof box);
   memset(&region, 0, sizeof region);
   memset(&how, 0, sizeof how);
   box.dim = 2;
   for (int r = 0; r < 2; r++) box.lo[r] = lo[r], box.hi[r] = hi[r];
   region.factor[0] = &box;
   how.region = &region, how.seed = seed, how.count = count, how.mem = block, how.mem_bytes = sizeof block;
   return sneppp_sample(&firmware_model, &how, xy, cap, &info, NULL) == SNEPPP_OK ? (int)info.count : -1;
}

double spawn_count(const double *lo, const double *hi)
{
   double count = -1;
   return sneppp_count_box(&firmware_model, lo, hi, &count, NULL) == SNEPPP_OK ? count : -1;
}

#ifndef SPAWN_NO_MAIN
#include <stdio.h>
/* What draws that find no room, nothing to draw, or too much of it, say and leave behind. */
static void ask(double at, double scale, size_t count, size_t cap, sneppp_rng *rng)
{
   static float       xy[2 * 256];
   sneppp_window      box;
   sneppp_region      region;
   sneppp_sample_desc how;
   sneppp_sample_info info;
   sneppp_status      st;
   memset(&box, 0, sizeof box), memset(&region, 0, sizeof region), memset(&how, 0, sizeof how), memset(&info, 0, sizeof info);
   box.dim = 2, region.factor[0] = &box;
   for (int r = 0; r < 2; r++) box.lo[r] = at, box.hi[r] = at + 150;
   how.region = &region, how.rng = rng, how.scale = scale, how.count = count, how.mem = block, how.mem_bytes = sizeof block;
   st = sneppp_sample(&firmware_model, &how, xy, cap, &info, NULL);
   printf("%d: at %u", (int)st, (unsigned)rng->position);
   if (st == SNEPPP_OK || st == SNEPPP_ERR_SIZE) printf(", %u of %.4f", (unsigned)info.count, info.expected);
   printf("\n");
}

int main(void)
{
   sneppp_rng rng;
   static const double lo[2] = { 100, 50 }, hi[2] = { 260, 210 };
   static float        xy[2 * 256];
   printf("%.6f\n", spawn_count(lo, hi));
   for (uint64_t seed = 1; seed < 4; seed++) {
      int n = spawn(lo, hi, seed, seed == 1 ? 0 : 16, xy, 256);
      printf("%d\n", n);
      for (int i = 0; i < n; i++) printf("%.3f %.3f\n", (double)xy[2 * i], (double)xy[2 * i + 1]);
   }
   sneppp_rng_init(&rng, 7, 0);
   ask(100, 0, 0, 1, &rng), ask(100, 0, 0, 256, &rng); /* no room, and the same again with room */
   ask(1e6, 0, 0, 256, &rng), ask(1e6, 0, 3, 256, &rng); /* beyond the window */
   ask(100, 1e308, 0, 256, &rng), ask(1e6, 1e308, 0, 256, &rng);
   ask(100, -1, 0, 256, &rng);
   return 0;
}
#endif
#endif /* SPAWN_NOTHING */
