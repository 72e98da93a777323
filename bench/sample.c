/* How fast are exact samples and single looks? A million points from planar models of 64 features, tiles in a frame loop
   without allocation, and the intensity of an AUTO model of full width. Each model is judged first: the counts of the
   points in 64 cells against the closed forms, by chi-square. Lines: name value unit; processor time, one thread. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "bench.h"

enum { sample_points = 1000000, sample_side = 8 };
static sneppp_real sample_x[2 * sample_points];

/* 63 degrees of freedom: beyond 110 is a chance of 2e-4. */
static double sample_chi_square(const sneppp_model *m, double expected)
{
   size_t count[sample_side * sample_side] = { 0 };
   double chi = 0;
   for (size_t i = 0; i < sample_points; i++)
      count[(size_t)((double)sample_x[2 * i] * sample_side) % sample_side * sample_side +
            (size_t)((double)sample_x[2 * i + 1] * sample_side) % sample_side]++;
   for (int c = 0; c < sample_side * sample_side; c++) {
      sneppp_window w = { .dim = 2 };
      sneppp_region r = { .factor = { &w } };
      double        e = 0;
      for (int k = 0; k < 2; k++) {
         int i = k ? c % sample_side : c / sample_side;
         w.lo[k] = (double)i / sample_side, w.hi[k] = (double)(i + 1) / sample_side;
      }
      if (sneppp_count(m, &r, &e, NULL) != SNEPPP_OK) return 1e300;
      e *= sample_points / expected;
      chi += ((double)count[c] - e) * ((double)count[c] - e) / e;
   }
   return chi;
}

typedef struct sample_job { const sneppp_model *model; sneppp_sample_info info; sneppp_status status; } sample_job;

static void sample_run(void *arg)
{
   sample_job *job = (sample_job *)arg;
   sneppp_rng  rng;
   sneppp_rng_init(&rng, 1, 0);
   job->status = sneppp_sample(job->model, NULL, &rng, sample_points, sample_x, sample_points, &job->info, NULL);
}

static int sample_model(const char *name, const sneppp_model *m)
{
   sample_job job = { .model = m };
   bench_time t = bench_measure(sample_run, &job);
   double     chi = job.status == SNEPPP_OK ? sample_chi_square(m, job.info.expected) : 1e300;
   if (!(chi < 110)) { fprintf(stderr, "sample: %s: chi-square %g of 63 degrees of freedom\n", name, chi); return 1; }
   printf("%s_million %.3f s\n%s_acceptance %.3f points/candidate\n", name, t.median, name, job.info.acceptance);
   return 0;
}

/* Tiles of a level, each asked for once, in a block that was taken before. */
static int sample_tiles(const char *name, const sneppp_model *m)
{
   enum { level = 5, side = 1 << level, cap = 8192 };
   size_t             bytes = sneppp_sample_bytes(m, NULL, cap, NULL), points = 0;
   void              *mem = malloc(bytes);
   sneppp_sample_info info;
   clock_t            start = clock();
   int                failed = !mem;
   for (uint32_t t = 0; !failed && t < side * side; t++) {
      failed = sneppp_sample_tile_in(mem, bytes, m, level, level, t / side, t % side, 1, sample_x, cap, &info, NULL) != SNEPPP_OK;
      points += info.count;
   }
   printf("%s_tile %.1f us\n%s_tile_points %.1f points\n%s_tile_block %zu bytes\n", name,
          (double)(clock() - start) / CLOCKS_PER_SEC / (side * side) * 1e6, name, (double)points / (side * side), name, bytes);
   free(mem);
   return failed;
}

static void sample_looks(void *arg)
{
   const sneppp_model *m = (const sneppp_model *)arg;
   sneppp_events       at = { .x = sample_x, .count = 100000 };
   static sneppp_real  out[100000];
   (void)sneppp_intensities(m, &at, out, NULL, NULL);
}

int main(void)
{
   sneppp_desc      d = { .width = 64, .factor = { { .window = { .dim = 2, .hi = { 1, 1 } }, .unit = { .act = SNEPPP_COS } } } };
   sneppp_model     waves, few, wide;
   sneppp_events    e = { .x = sample_x, .count = 4000 };
   sneppp_fit_desc  fit = { .events = &e };
   sneppp_report    report;
   double           lambda = 1;
   int              failed;
   if (sneppp_init(&waves, &d, NULL) || sneppp_count(&waves, NULL, &lambda, NULL)) return 1;
   waves.alpha *= sample_points / lambda;
   failed = sample_model("cos64", &waves) | sample_tiles("cos64", &waves);
   if (sneppp_init(&few, &d, NULL) || sneppp_fit(&few, &fit, &report, NULL)) return 1;
   d.width = 0;
   if (sneppp_init(&wide, &d, NULL) || sneppp_fit(&wide, &fit, &report, NULL)) return 1;
   failed |= sample_model("auto64", &few);
   few.alpha *= 250, few.floor *= 250; /* a million points */
   failed |= sample_tiles("auto64", &few);
   printf("auto_features %d\nauto_look %.2f us\n", wide.n, bench_measure(sample_looks, &wide).median / 100000 * 1e6);
   sneppp_free(&waves), sneppp_free(&few), sneppp_free(&wide);
   return failed;
}
