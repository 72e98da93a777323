/* Learn from the past, judge by the future. Thinned splits put every test event beside its own cluster and flatter narrow
   bumps; here the map is fitted to the events before a day and judged by those from that day on:
      nll   -(sum_i log m(x_i) - n - log n!)/n over the n later events, where m is the fitted map times what makes its
            integral n, in a window of volume 1 (uniform: 0 but for (log n!)/n - log n + 1).
   So the rate of the future is given and only the map is judged; nll_by_time, where the fitted rate goes on for the days
   that follow, is printed for the default fit. The default, budgets of it and convex fits stand beside kernels of fixed
   widths, of the width with the best leave-one-out likelihood, and adaptive ones (rivals.h).

      future [folder of the data, ../shared/data unless said] [--quick]

   Fires of Castilla-La Mancha (clmfires.csv: x, y, time; learnt before day 2922), earthquakes of magnitude 5.5 and above
   (earthquakes_1965_2016.csv: lon, lat, time; before day 14,000), and from examples/data the shipped wildfires (before day
   40) and earthquakes of 6.5 and above (before day 14,000). A file that is not there is left out, in words. */
#define _POSIX_C_SOURCE 200112L
#define SNEPPP_PTHREADS
#include "../sneppp.h"
#include <math.h>
#include "bench.h"
#include "../examples/csv.h"
#include "rivals.h"

typedef struct subject {
   const char *name, *folder, *file, *time;
   int sphere;
   double lo[2], hi[2]; /* of the box */
   double day, end;     /* learn before day; what was watched ends */
   const char *unit;
   double one;          /* unit of the widths below, in the rivals' window */
   double width[5];     /* fixed kernels */
   int convex[2];
} subject;

static const subject subjects[] = {
   { "fires", NULL, "clmfires.csv", "time", 0, { 180, 60 }, { 330, 360 }, 2922, 3652, "km", 1 / 150.0, { 1, 2, 4, 8, 16 }, { 64, 200 } },
   { "quakes", NULL, "earthquakes_1965_2016.csv", "time", 1, { 0 }, { 0 }, 14000, 18993, "degrees", RIVAL_PI / 180, { 0.2, 0.4, 0.8, 1.6, 3.2 }, { 64, 200 } },
   { "strong_quakes", "examples/data", "earthquakes.csv", "time", 1, { 0 }, { 0 }, 14000, 18993, "degrees", RIVAL_PI / 180, { 0.4, 0.8, 1.6, 3.2, 6.4 }, { 64, 200 } },
   { "wildfires", "examples/data", "wildfires_sample.csv", "day", 1, { 0 }, { 0 }, 40, 60, "degrees", RIVAL_PI / 180, { 0.2, 0.4, 0.8, 1.6, 3.2 }, { 64, 200 } },
};
enum { subject_count = sizeof subjects / sizeof subjects[0] };

/* Events (count, d) of the model and (count, dim) of the rivals, in whose window one side of a box has length 1. */
typedef struct part {
   sneppp_real *x;
   double *y;
   size_t count;
} part;

typedef struct split {
   const subject *s;
   rival_window win;
   part past, future;
   double volume; /* of the model's window */
} split;

static int split_make(split *out, const subject *s, const char *folder)
{
   const int d = s->sphere ? 3 : 2;
   char path[512];
   csv_table t;
   int column[2], time;
   sneppp_error err;
   memset(out, 0, sizeof *out);
   snprintf(path, sizeof path, "%s/%s", s->folder ? s->folder : folder, s->file);
   if (!csv_read(&t, path)) {
      fprintf(stderr, "bench: %s is left out: %s\n", s->name, t.error);
      return 0;
   }
   column[0] = csv_column(&t, s->sphere ? "lon" : "x");
   column[1] = csv_column(&t, s->sphere ? "lat" : "y");
   time = csv_column(&t, s->time);
   bench_check(column[0] >= 0 && column[1] >= 0 && time >= 0, "%s has not the columns that it should have", path);
   out->s = s;
   out->win.sphere = s->sphere, out->win.box = s->sphere ? 0 : 2;
   out->win.side[0] = 1, out->win.side[1] = s->sphere ? 0 : (s->hi[1] - s->lo[1]) / (s->hi[0] - s->lo[0]);
   out->volume = s->sphere ? 4 * RIVAL_PI : (s->hi[0] - s->lo[0]) * (s->hi[1] - s->lo[1]);
   for (int k = 0; k < 2; k++) {
      part *p = k ? &out->future : &out->past;
      p->x = (sneppp_real *)bench_take(t.rows * (size_t)d, sizeof *p->x);
      p->y = (double *)bench_take(t.rows * (size_t)d, sizeof *p->y);
      for (size_t i = 0; i < t.rows; i++) {
         const double *v = t.value + i * (size_t)t.columns;
         sneppp_real *x = p->x + p->count * (size_t)d;
         if ((v[time] >= s->day) != k) continue;
         if (s->sphere) {
            double lonlat[2] = {v[column[0]], v[column[1]]};
            bench_must(sneppp_lonlats_to_units(1, lonlat, 0, x, 0, &err), &err);
         }
         for (int r = 0; r < d; r++) {
            if (!s->sphere) x[r] = (sneppp_real)v[column[r]];
            p->y[p->count * (size_t)d + (size_t)r] = s->sphere ? (double)x[r] : ((double)x[r] - s->lo[r]) / (s->hi[0] - s->lo[0]);
         }
         p->count++;
      }
   }
   csv_free(&t);
   return 1;
}

static void split_free(split *f)
{
   free(f->past.x), free(f->past.y), free(f->future.x), free(f->future.y);
}

/* mean_log: of the map at the later events, relative to the uniform map of the same integral. */
static double future_nll(double mean_log, double n) { return -mean_log - log(n) + 1 + lgamma(n + 1) / n; }

static void future_model(const split *f, sneppp_method method, int width, const char *name)
{
   sneppp_desc desc;
   sneppp_fit_desc fit;
   sneppp_events past, later;
   sneppp_model model;
   sneppp_report report;
   sneppp_error err;
   double total, nll, by_time, n = (double)f->future.count, start = bench_cpu();
   memset(&desc, 0, sizeof desc), memset(&fit, 0, sizeof fit);
   memset(&past, 0, sizeof past), memset(&later, 0, sizeof later);
   desc.width = width;
   desc.factor[0].window.space = f->s->sphere ? SNEPPP_SPACE_SPHERE : SNEPPP_SPACE_BOX;
   desc.factor[0].window.dim = f->s->sphere ? 3 : 2;
   memcpy(desc.factor[0].window.lo, f->s->lo, sizeof f->s->lo);
   memcpy(desc.factor[0].window.hi, f->s->hi, sizeof f->s->hi);
   past.x = f->past.x, past.count = f->past.count;
   later.x = f->future.x, later.count = f->future.count;
   fit.events = &past, fit.method = method;
   bench_must(sneppp_init(&model, &desc, &err), &err);
   bench_must(sneppp_fit(&model, &fit, &report, &err), &err);
   bench_must(sneppp_count(&model, NULL, &total, &err), &err);
   bench_must(sneppp_test_nll(&model, &later, 1, n / total, &nll, NULL, &err), &err);
   bench_must(sneppp_test_nll(&model, &later, 1, (f->s->end - f->s->day) / f->s->day, &by_time, NULL, &err), &err);
   /* An intensity per unit of the window becomes one per window: log(volume) less. */
   bench_line(nll - log(f->volume), "nats/event", "future_%s_%s_nll", f->s->name, name);
   if (method == SNEPPP_METHOD_AUTO && !width)
      bench_line(by_time - log(f->volume), "nats/event", "future_%s_%s_nll_by_time", f->s->name, name);
   bench_line(report.width, "features", "future_%s_%s_width", f->s->name, name);
   bench_line(bench_cpu() - start, "s", "future_%s_%s_time", f->s->name, name);
   sneppp_free(&model);
}

static void future_kernel(const split *f, const rival_kernel *k, const char *name, double width)
{
   double *at = (double *)bench_take(f->future.count, sizeof *at), sum = 0;
   char label[64];
   rival_kernel_at(k, f->future.y, f->future.count, at);
   for (size_t i = 0; i < f->future.count; i++)
      sum += log(fmax(at[i], 1e-300) * rival_measure(&f->win) / (double)f->past.count) / (double)f->future.count;
   if (width > 0) snprintf(label, sizeof label, "%s_%g_%s", name, width, f->s->unit);
   else snprintf(label, sizeof label, "%s", name);
   bench_line(future_nll(sum, (double)f->future.count), "nats/event", "future_%s_%s_nll", f->s->name, label);
   if (!(width > 0)) bench_line(k->h[0] / f->s->one, f->s->unit, "future_%s_%s_width", f->s->name, label);
   free(at);
}

int main(int count, char **arg)
{
   const char *folder = "../shared/data";
   int quick = 0;
   for (int i = 1; i < count; i++)
      if (!strcmp(arg[i], "--quick")) quick = 1;
      else folder = arg[i];
   rival_check();
   for (int k = 0; k < subject_count; k++) {
      const subject *s = subjects + k;
      rival_kernel kernel, adaptive;
      split f;
      char name[64];
      if (!split_make(&f, s, folder)) continue;
      bench_line((double)f.past.count, "events", "future_%s_learnt", s->name);
      bench_line((double)f.future.count, "events", "future_%s_judged", s->name);
      future_model(&f, SNEPPP_METHOD_AUTO, 0, "default");
      future_model(&f, SNEPPP_METHOD_AUTO, 64, "default_64");
      future_model(&f, SNEPPP_METHOD_AUTO, 256, "default_256");
      for (int c = 0; c < 2 && !quick; c++) {
         snprintf(name, sizeof name, "convex_%d", s->convex[c]);
         future_model(&f, SNEPPP_METHOD_CONVEX, s->convex[c], name);
      }
      rival_kernel_make(&kernel, &f.win, f.past.y, f.past.count);
      for (int w = 0; w < 5; w++) {
         rival_kernel_set(&kernel, s->width[w] * s->one, 1);
         future_kernel(&f, &kernel, "kernel", s->width[w]);
      }
      if (!quick) {
         rival_kernel_choose(&kernel);
         future_kernel(&f, &kernel, "kernel_likelihood", 0);
         rival_kernel_make(&adaptive, &f.win, f.past.y, f.past.count);
         rival_adaptive(&adaptive, &kernel);
         future_kernel(&f, &adaptive, "kernel_adaptive", 0);
         rival_kernel_free(&adaptive);
      }
      rival_kernel_free(&kernel);
      split_free(&f);
   }
   return 0;
}
