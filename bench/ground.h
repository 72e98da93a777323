/* Truths that follow the ground, for truth.c: on the raster of bei's elevation and slope (examples/data, every second cell)
   patterns are drawn from intensities that are constant on cells, and the default fit with covariates stands beside
   that of the places alone and beside that of the covariates alone. Include bench.h first. */
#ifndef SNEPPP_BENCH_GROUND_H
#define SNEPPP_BENCH_GROUND_H
#include "../examples/asc.h"

enum { ground_cols = 100, ground_rows = 50, ground_cells = ground_cols * ground_rows, ground_kinds = 6, ground_fits = 3 };
static const char *const ground_name[ground_kinds] = { "linear", "hump", "place", "both", "clusters", "flat" };

static inline double ground_near(double x, double y, double a, double b, double width)
{
   return exp(-((x - a) * (x - a) + (y - b) * (y - b)) / width);
}

/* Expected numbers in cells, up to a factor: of elevation and slope, of two bumps or of 60 clusters, of products. */
static inline void ground_shape(int kind, const double *z, double *shape)
{
   double mean[2] = { 0 }, dev[2] = { 0 }, centre[120];
   sneppp_rng rng;
   sneppp_rng_init(&rng, 12, 0);
   for (int i = 0; i < 120; i++) centre[i] = (i % 2 ? 1 : 2) * sneppp_rng_uniform(&rng);
   for (int k = 0; k < 2 * ground_cells; k++) mean[k % 2] += z[k] / ground_cells;
   for (int k = 0; k < 2 * ground_cells; k++) dev[k % 2] += (z[k] - mean[k % 2]) * (z[k] - mean[k % 2]) / ground_cells;
   for (int k = 0; k < ground_cells; k++) {
      double x = (k % ground_cols + 0.5) / ground_rows, y = (k / ground_cols + 0.5) / ground_rows,
             high = (z[2 * k] - mean[0]) / sqrt(dev[0]), steep = (z[2 * k + 1] - mean[1]) / sqrt(dev[1]),
             place = 0.3 + 2 * ground_near(x, y, 0.5, 0.6, 0.08) + 3 * ground_near(x, y, 1.5, 0.3, 0.03), patches = 0.1;
      for (int i = 0; i < 60; i++) patches += 2 * ground_near(x, y, centre[2 * i], centre[2 * i + 1], 0.001);
      shape[k] = kind == 0   ? exp(0.7 * high + 0.5 * steep)
                 : kind == 1 ? 0.1 + exp(-3.1 * (high - 0.5) * (high - 0.5)) * (1 + tanh(2 * steep))
                 : kind == 2 ? place
                 : kind == 3 ? place * exp(0.5 * high + 0.7 * steep)
                 : kind == 4 ? patches * exp(0.7 * steep)
                             : 1;
   }
}

/* The distance of a fit to the truth, nats per event; power: to which AUTO took the covariates. */
static inline double ground_fit(const sneppp_window *w, const sneppp_events *events, const double *shape, double scale,
                                double *power)
{
   sneppp_desc desc = { 0 };
   sneppp_fit_desc fit = { 0 };
   sneppp_report report;
   sneppp_model m;
   sneppp_error err;
   double sum = 0, total = 0;
   desc.factor[0].window = *w;
   fit.events = events;
   bench_check(!sneppp_init(&m, &desc, &err) && !sneppp_fit(&m, &fit, &report, &err), "%s", err.why);
   for (int k = 0; k < ground_cells; k++) {
      sneppp_real at[2] = { (sneppp_real)((k % ground_cols + 0.5) * 10), (sneppp_real)((k / ground_cols + 0.5) * 10) };
      double l = scale * shape[k], v = 100 * (double)sneppp_intensity(&m, at);
      sum += l * log(l / fmax(v, 1e-12)) - l + v, total += l;
   }
   sneppp_free(&m);
   *power = report.tilt;
   return sum / total;
}

static inline void ground_table(int patterns, const int *sizes, int size_count, uint64_t seed)
{
   static double z[2 * ground_cells], shape[ground_cells];
   sneppp_window w = { 0 }, part[ground_fits];
   for (int q = 0; q < 2; q++) {
      asc_grid g;
      bench_check(asc_read(&g, q ? "examples/data/bei_gradient.asc" : "examples/data/bei_elevation.asc"), "%s", g.error);
      for (int k = 0; k < ground_cells; k++) z[2 * k + q] = g.value[2 * (k / ground_cols) * 201 + 2 * (k % ground_cols)];
      asc_free(&g);
   }
   w.space = SNEPPP_SPACE_RASTER, w.dim = 2, w.cell[0] = w.cell[1] = 10, w.cells[0] = ground_cols, w.cells[1] = ground_rows;
   part[0] = part[1] = part[2] = w;
   part[0].covariates = part[2].covariates = 2, part[0].z = part[2].z = z, part[2].no_place = 1;
   printf("| truth | N | patterns | default | places alone | covariates alone | power |\n|---|---|---|---|---|---|---|\n");
   for (int kind = 0; kind < ground_kinds; kind++)
      for (int n = 0; n < size_count; n++) {
         double mean[ground_fits] = { 0 }, power = 0, total = 0;
         ground_shape(kind, z, shape);
         for (int k = 0; k < ground_cells; k++) total += shape[k];
         for (int p = 0; p < patterns; p++) {
            sneppp_rng rng;
            sneppp_events events = { 0 };
            sneppp_real *x = (sneppp_real *)bench_take(4 * (size_t)sizes[n] + 400, sizeof *x);
            double tilt[ground_fits];
            sneppp_rng_init(&rng, seed + 76 + (uint64_t)p, (uint64_t)(10 * kind + n));
            for (int k = 0; k < ground_cells; k++)
               for (uint64_t c = sneppp_rng_poisson(&rng, sizes[n] * shape[k] / total); c > 0; c--, events.count++)
                  for (int r = 0; r < 2; r++)
                     x[2 * events.count + (size_t)r] =
                        (sneppp_real)(10 * ((r ? k / ground_cols : k % ground_cols) + sneppp_rng_uniform(&rng)));
            events.x = x;
            for (int f = 0; f < ground_fits; f++)
               mean[f] += ground_fit(&part[f], &events, shape, sizes[n] / total, &tilt[f]) / patterns;
            power += tilt[0] / patterns;
            free(x);
         }
         printf("| %s | %d | %d | %.4f | %.4f | %.4f | %.2f |\n", ground_name[kind], sizes[n], patterns, mean[0], mean[1],
                mean[2], power);
         fflush(stdout);
      }
}
#endif
