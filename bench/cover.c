/* Do the intervals hold what they promise? Patterns are drawn from intensities that are known (truths.h), fitted, and
   asked for intervals in the 8 x 8 cells of the plane, in 16 intervals of the line, or in 64 caps of the sphere, each a
   64th of it, whose middles are spread evenly. For each truth and number of events, over all patterns and cells:
      mean95, mean50   how often the 95 % and 50 % intervals of the mean hold the true one, in per cent
      worst            the least mean95 of a single cell over the patterns
      count95          how probable a new count in the 95 % interval of counts is under the truth, in per cent
      width            mean width of the 95 % intervals of the mean, relative to exact (Garwood's) intervals from the
                       cells' own counts: below 1 is what the model is good for

      cover [patterns [truths [events]]] [--method auto|convex|adam] [--width n] [--raster] [--table] [--seed s]
      cover 100,100,20 flat,smooth,step 60,300,3000

   Lists have commas; patterns is one number or one for each number of events. --width is the budget of features, 100
   for convex and adam if it is not given. Numbers of events are Poisson. --raster puts truths of the plane on 32 x 32 cells
   with an exposure that differs 20-fold from place to place, and is 0 in a lake: the truth is times that. --table writes
   Markdown. */
#define _POSIX_C_SOURCE 200112L
#define SNEPPP_PTHREADS
#include "../sneppp.h"
#include <math.h>
#include "bench.h"
#include "rivals.h"
#include "truths.h"

enum { most_cells = 64, table_size = 20000, grid = 32 };

static double people[grid * grid]; /* the exposure of --raster, at most 1 */

static void people_make(void)
{
   for (int k = 0; k < grid * grid; k++) {
      double x = (k % grid + 0.5) / grid, y = (k / grid + 0.5) / grid;
      people[k] = hypot(x - 0.7, y - 0.3) < 0.09 ? 0 : exp(-1.5 + 0.9 * sin(7 * x + 2 * y) + 0.6 * cos(9 * y - 4 * x));
   }
}

static double people_at(const double *x)
{
   int at[2];
   for (int r = 0; r < 2; r++) at[r] = (int)fmin(grid * x[r], grid - 1);
   return people[at[1] * grid + at[0]];
}

/* P(Y <= k) for a Poisson variable; the terms are summed from the mode of the tail, and the other tail is their rest. */
static double poisson_cdf(double mean, double k)
{
   double p, sum = 0;
   if (k < 0) return 0;
   if (!(mean > 0)) return 1;
   p = exp(k * log(mean) - mean - lgamma(k + 1));
   if (k < mean) {
      for (double i = k; i >= 0 && p > 1e-18 * sum; i--) sum += p, p *= i / mean;
      return sum;
   }
   for (double i = k + 1; (p *= mean / i) > 1e-18 * (sum + 1e-300); i++) sum += p;
   return 1 - sum;
}

/* The mean under which no more than k counts have the probability p. */
static double poisson_mean(double k, double p)
{
   double lo = 0, hi = k + 10 * sqrt(k + 1) + 20;
   for (int step = 0; step < 60; step++) {
      double mid = 0.5 * (lo + hi);
      *(poisson_cdf(mid, k) > p ? &lo : &hi) = mid;
   }
   return 0.5 * (lo + hi);
}

/* Width of Garwood's interval of level 0.95. */
static double garwood(size_t n)
{
   static double known[table_size];
   double width = n < table_size ? known[n] : 0;
   if (width > 0) return width;
   width = poisson_mean((double)n, 0.025) - (n ? poisson_mean((double)n - 1, 0.975) : 0);
   if (n < table_size) known[n] = width;
   return width;
}

typedef struct setting {
   sneppp_method method;
   int width, raster;
} setting;

/* A truth with its cells: the true means for one expected event in all, and where the cells are. */
typedef struct scene {
   const truth *t;
   const rival_window *win;
   int cells, side;
   double mean[most_cells], point[most_cells][3]; /* middles of caps */
   sneppp_window box[most_cells];
   sneppp_region region[most_cells];
} scene;

static const double cap_cosine = 1 - 2.0 / most_cells; /* a cap has the area 2 pi (1 - cosine) */

/* The cells that hold a point, from `cell` on; -1: no more. Caps overlap and leave gaps. */
static int scene_next(const scene *s, const double *x, int cell)
{
   int d = rival_dim(s->win), at = 0;
   if (!s->win->sphere) {
      for (int r = d - 1; r >= 0; r--) {
         int k = (int)(s->side * x[r]);
         at = at * s->side + (k < s->side ? k : s->side - 1);
      }
      return cell <= at ? at : -1;
   }
   for (; cell < s->cells; cell++) {
      const double *p = s->point[cell];
      if (p[0] * x[0] + p[1] * x[1] + p[2] * x[2] >= cap_cosine) return cell;
   }
   return -1;
}

static void scene_make(scene *s, const truth *t, int raster)
{
   size_t nodes, fine;
   double weight, total = 0, *x;
   int d;
   memset(s, 0, sizeof *s);
   s->t = t;
   s->win = &window_of[t->kind];
   d = rival_dim(s->win);
   s->side = d == 1 ? 16 : 8;
   s->cells = d == 1 ? 16 : 64;
   fine = s->win->sphere ? 1 : d == 1 ? 16 * 512 : 8 * 96;
   for (int c = 0; c < s->cells; c++) {
      double z = 1 - (2 * c + 1.0) / s->cells, a = 2.399963229728653 * c; /* a Fibonacci lattice */
      s->point[c][0] = sqrt(1 - z * z) * cos(a), s->point[c][1] = sqrt(1 - z * z) * sin(a), s->point[c][2] = z;
      s->box[c].dim = d;
      for (int r = 0, at = c; r < d; r++, at /= s->side) {
         s->box[c].lo[r] = (double)(at % s->side) / s->side;
         s->box[c].hi[r] = (at % s->side + 1.0) / s->side;
      }
      s->region[c].factor[0] = &s->box[c];
   }
   x = rival_nodes(s->win, s->win->sphere ? 500000 : 1, (int)fine, &nodes, &weight);
   for (size_t i = 0; i < nodes; i++) {
      double v = weight * t->shape(x + i * (size_t)d) * (raster ? people_at(x + i * (size_t)d) : 1);
      total += v;
      for (int c = scene_next(s, x + i * (size_t)d, 0); c >= 0; c = scene_next(s, x + i * (size_t)d, c + 1)) s->mean[c] += v;
   }
   free(x);
   for (int c = 0; c < s->cells; c++) s->mean[c] /= total;
}

typedef struct tally {
   double mean95, mean50, count95, width, exact, worst, cells, seconds;
   double cell[most_cells];
} tally;

static void one_pattern(const scene *s, double events, const setting *how, sneppp_rng *rng, tally *out)
{
   const size_t d = (size_t)rival_dim(s->win);
   sneppp_desc desc;
   sneppp_fit_desc fit;
   sneppp_events in;
   sneppp_model model;
   sneppp_error err;
   sneppp_sure wide[most_cells], narrow[most_cells];
   double *x, start;
   size_t count = (size_t)sneppp_rng_poisson(rng, events), inside[most_cells] = {0};
   int ok;
   x = (double *)bench_take(count * d + 1, sizeof *x);
   for (size_t i = 0; i < count; i++) {
      do truth_point(s->t, rng, x + i * d);
      while (how->raster && !(sneppp_rng_uniform(rng) < people_at(x + i * d)));
      for (int c = scene_next(s, x + i * d, 0); c >= 0; c = scene_next(s, x + i * d, c + 1)) inside[c]++;
   }
   memset(&desc, 0, sizeof desc), memset(&fit, 0, sizeof fit), memset(&in, 0, sizeof in);
   desc.factor[0].window.dim = (int)d;
   if (s->win->sphere) desc.factor[0].window.space = SNEPPP_SPACE_SPHERE;
   for (size_t r = 0; r < d; r++) desc.factor[0].window.hi[r] = s->win->sphere ? 0 : 1;
   if (how->raster) {
      sneppp_window *w = &desc.factor[0].window;
      w->space = SNEPPP_SPACE_RASTER, w->weight = people;
      for (int r = 0; r < 2; r++) w->cell[r] = 1.0 / grid, w->cells[r] = grid, w->hi[r] = 0; /* all cells */
   }
   desc.width = how->width;
   fit.method = how->method, fit.tune = how->method == SNEPPP_METHOD_CONVEX;
   in.x = x, in.count = count, fit.events = &in;
   ok = sneppp_init(&model, &desc, &err) == SNEPPP_OK && sneppp_fit(&model, &fit, NULL, &err) == SNEPPP_OK;
   start = bench_cpu();
   for (int c = 0; ok && s->win->sphere && c < s->cells; c++) {
      const double degree = 180 / 3.14159265358979323846, *p = s->point[c];
      sneppp_place cap;
      memset(&cap, 0, sizeof cap);
      cap.shape = SNEPPP_SHAPE_CAP, cap.radius = acos(cap_cosine) * degree;
      cap.lon = atan2(p[1], p[0]) * degree, cap.lat = asin(p[2]) * degree;
      ok = sneppp_count_numeric_sure(&model, &cap, 0.95, wide + c, &err) == SNEPPP_OK &&
           sneppp_count_numeric_sure(&model, &cap, 0.5, narrow + c, &err) == SNEPPP_OK;
   }
   if (ok && !s->win->sphere)
      ok = sneppp_count_sure(&model, s->region, (size_t)s->cells, 0.95, wide, NULL, &err) == SNEPPP_OK &&
           sneppp_count_sure(&model, s->region, (size_t)s->cells, 0.5, narrow, NULL, &err) == SNEPPP_OK;
   out->seconds += bench_cpu() - start;
   bench_check(ok, "%s: %s", s->t->name, err.why);
   for (int c = 0; c < s->cells; c++) {
      double mean = events * s->mean[c];
      int held = wide[c].lower <= mean && mean <= wide[c].upper;
      out->mean95 += held, out->cell[c] += held, out->cells++;
      out->mean50 += narrow[c].lower <= mean && mean <= narrow[c].upper;
      out->width += wide[c].upper - wide[c].lower;
      out->exact += garwood(inside[c]);
      out->count95 += poisson_cdf(mean, (double)wide[c].count_upper) - poisson_cdf(mean, (double)wide[c].count_lower - 1);
   }
   sneppp_free(&model);
   free(x);
}

/* The k-th number of a list, or its last. */
static double listed(const char *list, int k)
{
   for (; k && strchr(list, ','); k--) list = strchr(list, ',') + 1;
   return atof(list);
}

int main(int count, char **arg)
{
   const char *word[3] = {"40,40,10", "flat,smooth,step,ridge,clusters,letter,line,sphere", "60,300,3000"};
   int words = 0, table = 0, sizes = 1;
   uint64_t seed = 1;
   setting how;
   memset(&how, 0, sizeof how);
   for (int i = 1; i < count; i++)
      if (!strcmp(arg[i], "--table")) table = 1;
      else if (!strcmp(arg[i], "--raster")) how.raster = 1, people_make();
      else if (!strcmp(arg[i], "--method") && i + 1 < count) {
         i++;
         how.method = !strcmp(arg[i], "convex") ? SNEPPP_METHOD_CONVEX : !strcmp(arg[i], "adam") ? SNEPPP_METHOD_ADAM : SNEPPP_METHOD_AUTO;
      } else if (!strcmp(arg[i], "--width") && i + 1 < count) how.width = atoi(arg[++i]);
      else if (!strcmp(arg[i], "--seed") && i + 1 < count) seed = (uint64_t)atoi(arg[++i]);
      else bench_check(words < 3 && arg[i][0] != '-', "what is %s?", arg[i]), word[words++] = arg[i];
   if (how.method != SNEPPP_METHOD_AUTO && !how.width) how.width = 100;
   for (const char *c = word[2]; *c; c++) sizes += *c == ',';
   truths_make();
   if (table) printf("| truth, events (patterns) | mean, 95 %% | worst cell | mean, 50 %% | new count, 95 %% | width |\n|---|---|---|---|---|---|\n");
   else printf("%-10s %6s %5s %7s %6s %7s %8s %6s %9s\n", "truth", "events", "runs", "mean95", "worst", "mean50", "count95", "width", "ms/cell");
   for (const char *name = word[1]; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
      int k = truth_named(name, strcspn(name, ","));
      scene s;
      bench_check(k >= 0 && (truths[k].kind == kind_plane || truths[k].kind == kind_line || truths[k].kind == kind_sphere),
                  "no such truth on the line, in the plane or on the sphere: %s", name);
      bench_check(!how.raster || truths[k].kind == kind_plane, "--raster is for truths of the plane, not for %s", name);
      scene_make(&s, truths + k, how.raster);
      for (int size = 0; size < sizes; size++) {
         int runs = (int)listed(word[0], size);
         double events = listed(word[2], size), worst = 100;
         tally t;
         memset(&t, 0, sizeof t);
         for (int run = 0; run < runs; run++) {
            sneppp_rng rng;
            sneppp_rng_init(&rng, seed + 1000 * (uint64_t)size + (uint64_t)run, 77 + (uint64_t)k);
            one_pattern(&s, events, &how, &rng, &t);
         }
         for (int c = 0; c < s.cells; c++) worst = fmin(worst, 100 * t.cell[c] / runs);
         if (table) printf("| %s, %g (%d) | %.1f | %.0f | %.1f | ", s.t->name, events, runs, 100 * t.mean95 / t.cells, worst, 100 * t.mean50 / t.cells);
         else printf("%-10s %6g %5d %7.1f %6.0f %7.1f ", s.t->name, events, runs, 100 * t.mean95 / t.cells, worst, 100 * t.mean50 / t.cells);
         if (table) printf("%.1f | %.2f |\n", 100 * t.count95 / t.cells, t.width / t.exact);
         else printf("%8.1f %6.2f %9.3f\n", 100 * t.count95 / t.cells, t.width / t.exact, 500 * t.seconds / t.cells);
         fflush(stdout);
      }
   }
   return 0;
}
