/* Learn from the past, judge by the future. Thinned splits put every test event beside its own cluster and flatter
   narrow bumps; here the map is fitted to the events before a day and judged by those from that day on:
      nll   -(sum_i log m(x_i) - n - log n!)/n over the n later events, m the fitted map times what makes its integral
            n, in a window of volume 1. A uniform map has about 0.
   So the number of later events is given and only the map is judged. Where the fitted rate goes on for the days that
   follow, the default fit has nll_by_time. Beside the default stand budgets of it, convex fits, kernels of fixed
   widths, of the width with the best leave-one-out likelihood, and adaptive ones (rivals.h). All kernels give 1 % of
   the events to the whole window: without it, one event where none was before costs them hundreds of nats.

      future [folder of the data, ../shared/data unless said] [--quick] [--table]
      future --bound 256

   Fires of Castilla-La Mancha (clmfires.csv: x, y, time; learnt before day 2922), earthquakes of magnitude 5.5 and
   above (earthquakes_1965_2016.csv: lon, lat, time; before day 14,000), and from examples/data the shipped wildfires
   (before day 40) and earthquakes of 6.5 and above (before day 14,000). A file that is not there is left out, in
   words. --quick: only the default, its budgets and fixed kernels; --table: Markdown. --bound: what so many bumps on the
   sphere could say at all, see bound_judge. */
#define _POSIX_C_SOURCE 200112L
#define SNEPPP_PTHREADS
#include "../sneppp.h"
#include <math.h>
#include "bench.h"
#include "../examples/csv.h"
#include "rivals.h"

enum { fixed = 5 };
typedef struct subject {
   const char *name, *folder, *file, *time;
   int sphere;
   double lo[2], hi[2]; /* of the box                                          */
   double day, end;     /* learn before day; what was watched ends             */
   const char *unit;    /* of the widths of fixed kernels                      */
   double one;          /* that unit in the rivals' window                     */
   double width[fixed];
} subject;

static const subject subjects[] = {
   { "fires",
     NULL,
     "clmfires.csv",
     "time",
     0,
     { 180, 60 },
     { 330, 360 },
     2922,
     3652,
     "km",
     1 / 150.0,
     { 1, 2, 4, 8, 16 } },
   { "earthquakes",
     NULL,
     "earthquakes_1965_2016.csv",
     "time",
     1,
     { 0 },
     { 0 },
     14000,
     18993,
     "degrees",
     RIVAL_PI / 180,
     { 0.2, 0.4, 0.8, 1.6, 3.2 } },
   { "strong_earthquakes",
     "examples/data",
     "earthquakes.csv",
     "time",
     1,
     { 0 },
     { 0 },
     14000,
     18993,
     "degrees",
     RIVAL_PI / 180,
     { 0.4, 0.8, 1.6, 3.2, 6.4 } },
   { "wildfires",
     "examples/data",
     "wildfires_sample.csv",
     "day",
     1,
     { 0 },
     { 0 },
     40,
     60,
     "degrees",
     RIVAL_PI / 180,
     { 0.2, 0.4, 0.8, 1.6, 3.2 } },
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
   char path[256];
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
   bench_check(column[0] >= 0 && column[1] >= 0 && time >= 0, "%s has not the columns that it should have",
               path);
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
            p->y[p->count * (size_t)d + (size_t)r] =
               s->sphere ? (double)x[r] : ((double)x[r] - s->lo[r]) / (s->hi[0] - s->lo[0]);
         }
         p->count++;
      }
   }
   csv_free(&t);
   return 1;
}

static void split_free(split *f) { free(f->past.x), free(f->past.y), free(f->future.x), free(f->future.y); }

/* What a table wants to know. */
enum { c_default, c_64, c_256, c_fixed, c_likelihood, c_adaptive, c_convex, c_convex_more, columns };
typedef struct judged {
   double nll[columns], width; /* of the best fixed kernel */
   int table;                  /* 1: print no lines        */
} judged;

static void future_line(const judged *out, const split *f, double value, const char *unit, const char *name,
                        const char *what)
{
   if (!out->table) bench_line(value, unit, "future_%s_%s_%s", f->s->name, name, what);
}

static void future_model(const split *f, judged *out, int column, sneppp_method method, int width,
                         const char *name)
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
   start = bench_cpu() - start;
   bench_must(sneppp_count(&model, NULL, 1, &total, NULL, &err), &err);
   bench_must(sneppp_test_nll(&model, &later, 1, n / total, &nll, NULL, &err), &err);
   bench_must(sneppp_test_nll(&model, &later, 1, (f->s->end - f->s->day) / f->s->day, &by_time, NULL, &err),
              &err);
   /* An intensity per unit of the window becomes one per window. */
   out->nll[column] = nll - log(f->volume);
   future_line(out, f, out->nll[column], "nats/event", name, "nll");
   if (column == c_default) future_line(out, f, by_time - log(f->volume), "nats/event", name, "nll_by_time");
   future_line(out, f, report.width, "features", name, "width");
   future_line(out, f, start, "s", name, "time");
   sneppp_free(&model);
}

static double future_kernel(const split *f, const judged *out, const rival_kernel *k, const char *name)
{
   const double n = (double)f->future.count, anywhere = 0.01;
   double *at = (double *)bench_take(f->future.count, sizeof *at), nll = 1 - log(n) + lgamma(n + 1) / n;
   rival_kernel_at(k, f->future.y, f->future.count, at);
   for (size_t i = 0; i < f->future.count; i++)
      nll -= log((1 - anywhere) * at[i] * rival_measure(&f->win) / (double)f->past.count + anywhere) / n;
   future_line(out, f, nll, "nats/event", name, "nll");
   free(at);
   return nll;
}

static void future_judge(const split *f, judged *out, int quick)
{
   const subject *s = f->s;
   const double n = (double)f->future.count;
   const judged silent = { { 0 }, 0, 1 };
   rival_kernel kernel, adaptive;
   char name[64];
   future_line(out, f, (double)f->past.count, "events", "events", "learnt");
   future_line(out, f, (double)f->future.count, "events", "events", "judged");
   future_model(f, out, c_default, SNEPPP_METHOD_AUTO, 0, "default");
   future_model(f, out, c_64, SNEPPP_METHOD_AUTO, 64, "default_64");
   future_model(f, out, c_256, SNEPPP_METHOD_AUTO, 256, "default_256");
   rival_kernel_make(&kernel, &f->win, f->past.y, f->past.count);
   rival_kernel_set(&kernel, 1e4,
                    1); /* as wide as this, a kernel is uniform, and Stirling knows what remains */
   rival_near(future_kernel(f, &silent, &kernel, ""), 0.5 * log(2 * RIVAL_PI * n) / n, 1e-4,
              "the score of a uniform map");
   for (int w = 0; w < fixed; w++) {
      double nll;
      snprintf(name, sizeof name, "kernel_%g_%s", s->width[w], s->unit);
      rival_kernel_set(&kernel, s->width[w] * s->one, 1);
      nll = future_kernel(f, out, &kernel, name);
      if (!w || nll < out->nll[c_fixed]) out->nll[c_fixed] = nll, out->width = s->width[w];
   }
   if (!quick) {
      rival_kernel_choose(&kernel);
      out->nll[c_likelihood] = future_kernel(f, out, &kernel, "kernel_likelihood");
      future_line(out, f, kernel.h[0] / s->one, s->unit, "kernel_likelihood", "width");
      rival_kernel_make(&adaptive, &f->win, f->past.y, f->past.count);
      rival_adaptive(&adaptive, &kernel);
      out->nll[c_adaptive] = future_kernel(f, out, &adaptive, "kernel_adaptive");
      rival_kernel_free(&adaptive);
      future_model(f, out, c_convex, SNEPPP_METHOD_CONVEX, 64, "convex_64");
      future_model(f, out, c_convex_more, SNEPPP_METHOD_CONVEX, 200, "convex_200");
   }
   rival_kernel_free(&kernel);
}

/* A budget of bumps is poor where events lie on thin lines, whoever chooses them. By plain maximum likelihood (EM, 100
   steps, no teacher) so many bumps and a floor are fitted to the past, and to the future itself, which nobody knows: the
   second is about as low as so many bumps can get there, more than a thousand numbers chosen on what they are judged by. */
typedef struct bump {
   double c[3], kappa, share, sum[4];
} bump;

static double bump_at(const bump *b, const double *x)
{
   return b->share * 2 * b->kappa / -expm1(-2 * b->kappa) *
          exp(b->kappa * (x[0] * b->c[0] + x[1] * b->c[1] + x[2] * b->c[2] - 1));
}

static double bound_nll(const bump *b, size_t bumps, double anywhere, const part *p)
{
   const double n = (double)p->count;
   double nll = 1 - log(n) + lgamma(n + 1) / n;
   for (size_t i = 0; i < p->count; i++) {
      double sum = anywhere;
      for (size_t k = 0; k < bumps; k++) sum += bump_at(b + k, p->y + 3 * i);
      nll -= log(sum) / n;
   }
   return nll;
}

static void bound_judge(const split *f, size_t bumps, int known)
{
   const part *p = known ? &f->future : &f->past;
   bump *b = (bump *)bench_take(bumps, sizeof *b);
   double *value = (double *)bench_take(bumps, sizeof *value), *far = (double *)bench_take(p->count, sizeof *far),
          anywhere = 0.05;
   sneppp_rng rng;
   sneppp_rng_init(&rng, 1, 0);
   for (size_t i = 0; i < p->count; i++) far[i] = 1;
   for (size_t k = 0; k < bumps; k++) { /* centres are events, rather such as lie far from those before */
      double total = 0;
      size_t i = 0;
      for (size_t j = 0; j < p->count; j++) total += far[j];
      total *= sneppp_rng_uniform(&rng);
      while (i + 1 < p->count && (total -= far[i]) > 0) i++;
      memcpy(b[k].c, p->y + 3 * i, sizeof b[k].c);
      b[k].kappa = 1000, b[k].share = (1 - anywhere) / (double)bumps;
      for (size_t j = 0; j < p->count; j++) {
         double square = 0;
         for (size_t r = 0; r < 3; r++) square += pow(p->y[3 * j + r] - b[k].c[r], 2);
         far[j] = fmin(far[j], sqrt(square));
      }
   }
   for (int step = 0; step < 100; step++) {
      double floor = 0;
      for (size_t k = 0; k < bumps; k++) memset(b[k].sum, 0, sizeof b[k].sum);
      for (size_t i = 0; i < p->count; i++) {
         const double *x = p->y + 3 * i;
         double sum = anywhere;
         for (size_t k = 0; k < bumps; k++) sum += value[k] = bump_at(b + k, x);
         floor += anywhere / sum / (double)p->count;
         for (size_t k = 0; k < bumps; k++) {
            b[k].sum[3] += value[k] / sum;
            for (size_t r = 0; r < 3; r++) b[k].sum[r] += value[k] / sum * x[r];
         }
      }
      anywhere = floor;
      for (size_t k = 0; k < bumps; k++) {
         double *s = b[k].sum, length = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]), R;
         b[k].share = s[3] / (double)p->count;
         if (!(length > 1e-9)) continue;
         R = fmin(length / s[3], 1 - 1e-9);
         for (size_t r = 0; r < 3; r++) b[k].c[r] = s[r] / length;
         b[k].kappa = fmin(R * (3 - R * R) / (1 - R * R), 3e7);
      }
   }
   bench_line(bound_nll(b, bumps, anywhere, p), "nats/event", "future_%s_bound_%lu_%s_itself", f->s->name,
              (unsigned long)bumps, known ? "future" : "past");
   bench_line(bound_nll(b, bumps, anywhere, known ? &f->past : &f->future), "nats/event", "future_%s_bound_%lu_%s",
              f->s->name, (unsigned long)bumps, known ? "future_of_past" : "past_of_future");
   free(b), free(value), free(far);
}

int main(int count, char **arg)
{
   const char *folder = "../shared/data";
   int quick = 0, table = 0, bound = 0;
   for (int i = 1; i < count; i++)
      if (!strcmp(arg[i], "--quick")) quick = 1;
      else if (!strcmp(arg[i], "--table")) table = 1;
      else if (!strcmp(arg[i], "--bound") && i + 1 < count) {
         bound = atoi(arg[++i]);
         bench_check(bound > 0, "--bound '%s' is no number of bumps", arg[i]);
      }
      else folder = arg[i];
   rival_check();
   if (table && !bound)
      printf("| pattern | learnt | judged | default | 64 features | 256 features | best fixed kernel | "
             "likelihood width | "
             "adaptive | CONVEX 64 | CONVEX 200 |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
   for (int k = 0; k < subject_count; k++) {
      judged out;
      split f;
      memset(&out, 0, sizeof out);
      out.table = table;
      if (!split_make(&f, subjects + k, folder)) continue;
      for (int known = 0; bound && f.s->sphere && known < 2; known++) bound_judge(&f, (size_t)bound, known);
      if (!bound) future_judge(&f, &out, quick);
      if (table && !bound) {
         printf("| %s | %lu | %lu |", f.s->name, (unsigned long)f.past.count, (unsigned long)f.future.count);
         for (int c = 0; c < columns; c++) {
            if (!quick || c <= c_fixed) printf(" %.3f", out.nll[c]);
            if (c == c_fixed) printf(" (%g %s)", out.width, f.s->unit);
            printf(" |");
         }
         printf("\n");
         fflush(stdout);
      }
      split_free(&f);
   }
   return 0;
}
