/* AUTO on a million events: what the whole data add to the random subset that carries the bumps, and what it costs.
   make build/bench/scale && build/bench/scale              simulated patterns on a line and in the plane
   make build/bench/scale && build/bench/scale FIRES.csv    longitude and latitude in the first two columns
   Four events of five are fitted, through a source; 50,000 of the rest judge the fit. The true intensity of a simulated
   pattern gives the figure that nobody can beat. */
#include "bench.h"

enum { scale_events = 1000000, scale_judges = 50000, scale_clusters = 400 };

typedef struct scale_truth {
   int d;
   double centre[scale_clusters][2], width[scale_clusters];
} scale_truth;

/* A third of the events is uniform; the rest lies in clusters whose widths span two decades. The window is the unit
   cube, on which the clusters are wrapped. */
static void scale_make(scale_truth *t, int d)
{
   sneppp_rng rng;
   sneppp_rng_init(&rng, 7, (uint64_t)d);
   t->d = d;
   for (int c = 0; c < scale_clusters; c++) {
      for (int k = 0; k < 2; k++) t->centre[c][k] = sneppp_rng_uniform(&rng);
      t->width[c] = (d == 1 ? 1e-4 : 1e-3) * pow(100, sneppp_rng_uniform(&rng));
   }
}

static void scale_draw(const scale_truth *t, sneppp_rng *rng, sneppp_real *x)
{
   int c = (int)sneppp_rng_below(rng, scale_clusters), flat = sneppp_rng_below(rng, 3) == 0;
   for (int k = 0; k < t->d; k++) {
      double v = flat ? sneppp_rng_uniform(rng) : t->centre[c][k] + t->width[c] * sneppp_rng_normal(rng);
      x[k] = (sneppp_real)(v - floor(v));
   }
}

static double scale_density(const scale_truth *t, const sneppp_real *x)
{
   double sum = 0;
   for (int c = 0; c < scale_clusters; c++) {
      double r = 0, s = t->width[c];
      for (int k = 0; k < t->d; k++) {
         double e = fabs((double)x[k] - t->centre[c][k]);
         e = e > 0.5 ? 1 - e : e;
         r += e * e;
      }
      sum += exp(-0.5 * r / (s * s)) / pow(sqrt(2 * SNEPPP__PI) * s, t->d);
   }
   return 1.0 / 3 + 2.0 / 3 * sum / scale_clusters;
}

typedef struct scale_store {
   const sneppp_real *x;
   size_t D;
} scale_store;

static size_t scale_read(sneppp_real *dst, size_t first, size_t count, void *user)
{
   const scale_store *s = (const scale_store *)user;
   memcpy(dst, s->x + first * s->D, count * s->D * sizeof *dst);
   return count;
}

static void scale_fit(const char *name, const sneppp_window *win, sneppp_real *x, size_t N, double best)
{
   size_t D = (size_t)win->dim, train = N - N / 5;
   scale_store store = { x, D };
   sneppp_events e = { .read = scale_read, .user = &store, .count = train },
                 judge = { .x = x + train * D, .count = scale_judges };
   sneppp_desc desc = { .factor = { { .window = *win } } };
   sneppp_fit_desc fit = { .events = &e };
   sneppp_model m = { 0 };
   sneppp_report rep = { 0 };
   sneppp_error err = { 0 };
   double nll = 0, start = bench_cpu(), fitted;
   bench_must(sneppp_init(&m, &desc, &err), &err);
   bench_must(sneppp_fit(&m, &fit, &rep, &err), &err);
   fitted = bench_cpu();
   bench_must(sneppp_test_nll(&m, &judge, 1, (double)scale_judges / (double)train, &nll, NULL, &err), &err);
   bench_check(fabs(rep.expected - (double)train) < 1e-3 * (double)train, "%s: %g events expected of %g",
               name, rep.expected, (double)train);
   bench_line((double)train, "events", "%s_events", name);
   bench_line(rep.width, "features", "%s_width", name);
   bench_line(fitted - start, "s", "%s_fit", name);
   bench_line(1e6 * (bench_cpu() - fitted) / scale_judges, "us/point", "%s_evaluate", name);
   bench_line(rep.expected, "events", "%s_expected", name);
   bench_line(nll, "nats/event", "%s_test_nll", name);
   if (best < 1e9) bench_line(best, "nats/event", "%s_true_test_nll", name);
   sneppp_free(&m);
}

static void scale_simulated(int d)
{
   scale_truth truth;
   sneppp_window win = { .dim = d, .hi = { 1, 1 } };
   sneppp_real *x = (sneppp_real *)bench_take(scale_events * (size_t)d, sizeof *x);
   sneppp_rng rng;
   double best = 1;
   scale_make(&truth, d);
   sneppp_rng_init(&rng, 8, (uint64_t)d);
   for (size_t i = 0; i < scale_events; i++) scale_draw(&truth, &rng, x + i * (size_t)d);
   for (size_t i = 0; i < scale_judges; i++) /* -[sum log(n p(x)) - n - log n!] / n */
      best -=
         log(scale_density(&truth, x + (scale_events - scale_events / 5 + i) * (size_t)d)) / scale_judges;
   best += sneppp__lgamma(scale_judges + 1.0) / scale_judges - log((double)scale_judges);
   scale_fit(d == 1 ? "auto_line" : "auto_plane", &win, x, scale_events, best);
   free(x);
}

static void scale_file(const char *path)
{
   sneppp_window win = { .space = SNEPPP_SPACE_SPHERE, .dim = 3 };
   FILE *file = fopen(path, "r");
   char line[256];
   size_t N = 0, room = 0;
   sneppp_real *x = NULL;
   sneppp_rng rng;
   while (file && fgets(line, sizeof line, file)) {
      double at[2];
      if (sscanf(line, "%lf,%lf", &at[0], &at[1]) != 2) continue;
      if (N == room) {
         sneppp_real *more = (sneppp_real *)realloc(x, 3 * (room = 2 * room + 4096) * sizeof *x);
         if (!more) break;
         x = more;
      }
      if (sneppp_lonlats_to_units(1, at, 0, x + 3 * N, 0, NULL) == SNEPPP_OK) N++;
   }
   if (file) fclose(file);
   bench_check(N >= 5 * (size_t)scale_judges, "%s has too few events", path);
   sneppp_rng_init(&rng, 9, 0);
   for (size_t i = N; i > 1; i--) { /* files are sorted by time */
      size_t j = (size_t)sneppp_rng_below(&rng, i);
      sneppp_real t[3];
      memcpy(t, x + 3 * j, sizeof t);
      memcpy(x + 3 * j, x + 3 * (i - 1), sizeof t);
      memcpy(x + 3 * (i - 1), t, sizeof t);
   }
   scale_fit("auto_file", &win, x, N, 1e10);
   free(x);
}

int main(int argc, char **argv)
{
   if (argc > 1) scale_file(argv[1]);
   else scale_simulated(1), scale_simulated(2);
   return 0;
}
