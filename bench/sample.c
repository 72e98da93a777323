/* How fast are exact samples and single looks? A million points from planar models of 64 features, tiles in a frame
   loop without allocation, and the intensity of an AUTO model of full width. Each model is judged first: counts of
   points in 64 cells against the closed forms, by chi-square. One thread. */
#include "bench.h"
#include "../examples/tile.h"

enum { sample_points = 1000000, sample_side = 8, sample_train = 4000 };
static sneppp_real sample_x[2 * sample_points], sample_events[2 * sample_train];

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
      double e = 0;
      for (int k = 0; k < 2; k++) {
         int i = k ? c % sample_side : c / sample_side;
         w.lo[k] = (double)i / sample_side, w.hi[k] = (double)(i + 1) / sample_side;
      }
      if (sneppp_count(m, &r, 1, &e, NULL, NULL) != SNEPPP_OK) return 1e300;
      e *= sample_points / expected;
      chi += ((double)count[c] - e) * ((double)count[c] - e) / e;
   }
   return chi;
}

typedef struct sample_job {
   const sneppp_model *model;
   sneppp_sample_info info;
   sneppp_status status;
} sample_job;

static void sample_run(void *arg)
{
   sample_job *job = (sample_job *)arg;
   sneppp_sample_desc how = { .count = sample_points, .seed = 1 };
   job->status = sneppp_sample(job->model, &how, sample_x, sample_points, &job->info, NULL);
}

static void sample_model(const char *name, const sneppp_model *m)
{
   sample_job job = { .model = m };
   double chi;
   sample_run(&job);
   bench_check(job.status == SNEPPP_OK, "%s: sample failed", name);
   chi = sample_chi_square(m, job.info.expected);
   bench_check(chi < 110, "%s: chi-square %g of 63 degrees of freedom", name, chi);
   bench_line(bench_fastest(sample_run, &job, 3), "s", "%s_million", name);
   bench_line(job.info.acceptance, "points/candidate", "%s_acceptance", name);
}

/* Tiles of a level, each asked for once, in a block that was taken before. */
enum { tile_level = 5, tile_side = 1 << tile_level, tile_cap = 8192, tiles = 64 };
typedef struct tile_job {
   const sneppp_model *model;
   void *mem;
   size_t bytes, points;
   double expected;
} tile_job;

static void tiles_run(void *arg)
{
   tile_job *job = (tile_job *)arg;
   sneppp_sample_info info;
   sneppp_error err;
   job->points = 0, job->expected = 0;
   for (uint32_t t = 0; t < tiles; t++) { /* of every row two */
      tile_desc tile = { .depth = tile_level, .level = tile_level, .ix = t / 2, .seed = 1,
                           .iy = (t / 2 + t % 2 * 16) % tile_side, .mem = job->mem, .mem_bytes = job->bytes };
      bench_must(tile_sample(job->model, &tile, sample_x, tile_cap, &info, &err), &err);
      job->points += info.count, job->expected += info.expected;
   }
}

static void sample_tiles(const char *name, const sneppp_model *m)
{
   size_t bytes = sneppp_sample_bytes(m, NULL, tile_cap, NULL);
   tile_job job = { .model = m, .mem = bench_take(bytes, 1), .bytes = bytes };
   double t = bench_fastest(tiles_run, &job, 2) / tiles;
   bench_check(fabs((double)job.points - job.expected) < 5 * sqrt(job.expected),
               "%s: %.0f points in the tiles, %.0f expected", name, (double)job.points, job.expected);
   bench_line(1e6 * t, "us", "%s_tile", name);
   bench_line((double)job.points / tiles, "points", "%s_tile_points", name);
   bench_line((double)bytes, "bytes", "%s_tile_block", name);
   free(job.mem);
}

/* 16 points in a rectangle of a polygon level, free and cut by a wall: what a game asks for. */
static const double level_xy[16] = { 0, 0, 100, 0, 100, 40, 60, 40, 60, 60, 100, 60, 100, 100, 0, 100 };
enum { level_points = 16, level_times = 100 };
typedef struct level_job {
   const sneppp_model *model;
   sneppp_sample_desc how;
   sneppp_sample_info info;
} level_job;

static void level_run(void *arg)
{
   level_job *job = (level_job *)arg;
   sneppp_error err;
   for (job->how.seed = 1; job->how.seed <= level_times; job->how.seed++)
      bench_must(sneppp_sample(job->model, &job->how, sample_x, level_points, &job->info, &err), &err);
}

static void sample_level(void)
{
   sneppp_desc d = { .width = 64, .factor = { { .window = { .space = SNEPPP_SPACE_POLYGON, .dim = 2, .count = 8, .xy = level_xy } } } };
   sneppp_window box[2] = { { .dim = 2, .lo = { 10, 10 }, .hi = { 40, 40 } }, { .dim = 2, .lo = { 50, 30 }, .hi = { 80, 70 } } };
   sneppp_events e = { .x = sample_events, .count = 400 };
   sneppp_fit_desc fit = { .events = &e };
   sneppp_model m;
   sneppp_error err;
   sneppp_rng rng;
   sneppp_rng_init(&rng, 3, 0);
   for (size_t i = 0; i < e.count; i++) {
      double y[2];
      (void)sneppp_window_draw(&d.factor[0].window, &rng, y);
      for (size_t r = 0; r < 2; r++) sample_events[2 * i + r] = (sneppp_real)y[r];
   }
   bench_must(sneppp_init(&m, &d, &err), &err);
   bench_must(sneppp_fit(&m, &fit, NULL, &err), &err);
   for (int k = 0; k < 2; k++) {
      sneppp_region r = { .factor = { &box[k] } };
      level_job job = { .model = &m, .how = { .region = &r, .count = level_points } };
      job.how.mem_bytes = sneppp_sample_bytes(&m, &r, level_points, &err);
      job.how.mem = bench_take(job.how.mem_bytes, 1);
      bench_line(1e6 * bench_fastest(level_run, &job, 3) / level_times, "us", k ? "level_cut_16_points" : "level_16_points");
      free(job.how.mem);
   }
   sneppp_free(&m);
}

/* A picture of 512 x 512 cells. */
enum { raster_side = 512 };
static sneppp_real raster_out[raster_side * raster_side];
static void raster_run(void *arg)
{
   const sneppp_grid grid = { .cells = { raster_side, raster_side } };
   (void)sneppp_bake((const sneppp_model *)arg, &grid, raster_out, NULL, NULL);
}

static void convex_run(void *arg)
{
   const sneppp_sample_desc how = { .count = 10000, .seed = 1 };
   sneppp_error err;
   bench_must(sneppp_sample((const sneppp_model *)arg, &how, sample_x, sample_points, NULL, &err), &err);
}

/* The trees of examples/data/bei.csv, by the default fit: a map as it is drawn most often; and points of a convex fit. */
static void raster_trees(void)
{
   sneppp_desc d = { .factor = { { .window = { .dim = 2, .hi = { 1000, 500 } } } } };
   sneppp_events e = { .x = sample_events };
   sneppp_fit_desc fit = { .events = &e };
   sneppp_model m;
   sneppp_error err;
   char line[128];
   double x, y;
   FILE *f = fopen("examples/data/bei.csv", "r");
   bench_check(f != NULL, "examples/data/bei.csv cannot be read%s", "");
   while (fgets(line, sizeof line, f) && e.count < sample_train)
      if (sscanf(line, "%lf,%lf", &x, &y) == 2) {
         sample_events[2 * e.count] = (sneppp_real)x;
         sample_events[2 * e.count++ + 1] = (sneppp_real)y;
      }
   fclose(f);
   bench_check(e.count == 3604, "%d trees", (int)e.count);
   bench_must(sneppp_init(&m, &d, &err), &err);
   bench_must(sneppp_fit(&m, &fit, NULL, &err), &err);
   bench_line(1e3 * bench_fastest(raster_run, &m, 7), "ms", "bei_raster_512");
   sneppp_free(&m);
   d.width = 100, fit.method = SNEPPP_METHOD_CONVEX, fit.tune = 1; /* |V| is large, |V psi| is not */
   bench_must(sneppp_init(&m, &d, &err), &err);
   bench_must(sneppp_fit(&m, &fit, NULL, &err), &err);
   bench_line(bench_fastest(convex_run, &m, 1), "s", "bei_convex100_10000");
   sneppp_free(&m);
}

enum { sample_look_points = 20000 };
static sneppp_real sample_out[sample_look_points];

static void sample_looks(void *arg)
{
   const sneppp_model *m = (const sneppp_model *)arg;
   sneppp_events at = { .x = sample_x, .count = sample_look_points };
   (void)sneppp_intensities(m, &at, sample_out, NULL, NULL);
}

int main(void)
{
   sneppp_desc d = {
      .width = 64, .factor = { { .window = { .dim = 2, .hi = { 1, 1 } }, .unit = { .act = SNEPPP_ACT_COS } } }
   };
   sneppp_model waves, few, wide;
   sneppp_events e = { .x = sample_events, .count = sample_train };
   sneppp_fit_desc fit = { .events = &e };
   sneppp_error err;
   double lambda = 1;
   bench_must(sneppp_init(&waves, &d, &err), &err);
   bench_must(sneppp_count(&waves, NULL, 1, &lambda, NULL, &err), &err);
   waves.alpha *= sample_points / lambda;
   sample_model("cos64", &waves);
   memcpy(sample_events, sample_x, sizeof sample_events);
   sample_tiles("cos64", &waves);
   bench_must(sneppp_init(&few, &d, &err), &err);
   bench_must(sneppp_fit(&few, &fit, NULL, &err), &err);
   d.width = 0;
   bench_must(sneppp_init(&wide, &d, &err), &err);
   bench_must(sneppp_fit(&wide, &fit, NULL, &err), &err);
   sample_model("auto64", &few);
   few.alpha *= sample_points / sample_train,
      few.floor *= sample_points / sample_train; /* a million points */
   sample_tiles("auto64", &few);
   bench_line(wide.n, "features", "auto_features");
   sample_looks(&wide);
   for (size_t i = 0; i < 1000; i++) {
      double one = (double)sneppp_intensity(&wide, sample_x + 2 * i);
      bench_check(fabs(one - (double)sample_out[i]) <= 1e-10 * one, "point %d of a batch", (int)i);
   }
   bench_line(1e6 * bench_fastest(sample_looks, &wide, 3) / sample_look_points, "us/point", "auto_look");
   bench_line(1e3 * bench_fastest(raster_run, &wide, 3), "ms", "auto_raster_512");
   sample_level();
   raster_trees();
   sneppp_free(&waves), sneppp_free(&few), sneppp_free(&wide);
   return 0;
}
