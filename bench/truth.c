/* How close is a fit to the truth? Patterns are drawn from intensities that are known, and the default fit stands
   beside classical estimates (rivals.h). For each truth and number of events, over all patterns:
      distance   Kullback-Leibler distance between the Poisson processes, per event: the integral of
                 l log(l/m) - l + m, divided by N; l is the truth, m the estimate. The mean, and its standard error.
      square     integral of (m - l)^2, divided by that of l^2. The mean. A bump between two nodes is not seen by it.
      ratio      largest m/l at an event of the pattern. The worst of all patterns.
      needles    patterns with an event of m > 5 l where the kernel estimate of one width has not.
   Integrals are sums over nodes of equal weight: midpoints in boxes (4096 on the line, 128 x 128, 32 x 32 x 32), 8192
   points of a Fibonacci lattice on the sphere, 2048 of them times 16 midpoints on sphere x time. The integral of m
   alone is exact for the default fit and for kernels, so that narrow bumps between nodes cost what they cost. The
   numbers of events are Poisson, and every estimate sees the same patterns.

      truth [patterns [truths [events]]] [--quick] [--table] [--width n] [--seed s]
      truth 400,400,40 flat,smooth,plateau 80,400,2500 --quick
      truth 4 - 200,600,1800 --ground

   Lists have commas; patterns is one number or one for each number of events; "all" are all truths. --quick leaves all
   rivals out: only needles of the default and, with half as many nodes along each axis and on the sphere, its
   distance. --table writes Markdown, --width is the budget of features. There are no splines on the sphere. Where
   Rscript has spatstat, two of its estimates (peers/truth.R) stand beside in the plane. --ground: what follows covariates,
   see ground.h. */
#define _POSIX_C_SOURCE 200112L
#define SNEPPP_PTHREADS
#include "../sneppp.h"
#include <math.h>
#include "bench.h"
#include "rivals.h"
#include "truths.h"
#include "ground.h"

static const int fine_side[kinds] = { 4096, 128, 32, 1, 16 }, fine_lattice[kinds] = { 1, 1, 1, 8192, 2048 };
/* Nodes and splines of the log-linear fits, which are smooth. There are no splines on the sphere. */
static const int fit_side[kinds] = { 512, 64, 16, 1, 12 }, fit_lattice[kinds] = { 1, 1, 1, 2048, 1024 };
static const int knots[kinds] = { 40, 20, 8, 0, 0 };

/* A truth on its nodes: density l (nodes) with integral 1. */
typedef struct scene {
   const truth *t;
   const rival_window *win;
   int lattice, side;
   size_t nodes;
   double weight, *x, *density;
   double total, square; /* integrals of the shape and of the density's square */
} scene;

static void scene_make(scene *s, const truth *t, int coarse)
{
   size_t d;
   s->t = t;
   s->win = &window_of[t->kind];
   s->lattice = fine_lattice[t->kind] / coarse;
   s->side = fine_side[t->kind] / coarse;
   d = (size_t)rival_dim(s->win);
   s->x = rival_nodes(s->win, s->lattice, s->side, &s->nodes, &s->weight);
   s->density = (double *)bench_take(s->nodes, sizeof *s->density);
   s->total = s->square = 0;
   for (size_t i = 0; i < s->nodes; i++) s->total += s->weight * (s->density[i] = t->shape(s->x + i * d));
   for (size_t i = 0; i < s->nodes; i++) s->square += s->weight * sq(s->density[i] /= s->total);
}

static void scene_free(scene *s)
{
   free(s->x);
   free(s->density);
}

static void scene_point(const scene *s, sneppp_rng *rng, double *x) { truth_point(s->t, rng, x); }

/* The truths are what they say: the integrals of the letter that were published with its segments, and moments of the
   draws beside those of the densities on the nodes, within five standard errors. */
static void truths_check(void)
{
   scene s;
   double moment = 0;
   for (int k = 0; k < truth_count; k++) {
      enum { draws = 2000 };
      double mean[rival_most] = { 0 }, square[rival_most] = { 0 }, drawn[rival_most] = { 0 }, x[rival_most];
      sneppp_rng rng;
      int d;
      scene_make(&s, truths + k, 1);
      d = rival_dim(s.win);
      sneppp_rng_init(&rng, 5, (uint64_t)k);
      for (size_t i = 0; i < s.nodes; i++) {
         bench_check(truths[k].draw || s.density[i] * s.total <= truths[k].bound, "%s exceeds its bound",
                     truths[k].name);
         for (int r = 0; r < d; r++) {
            mean[r] += s.weight * s.density[i] * s.x[i * (size_t)d + (size_t)r];
            square[r] += s.weight * s.density[i] * sq(s.x[i * (size_t)d + (size_t)r]);
         }
      }
      for (int i = 0; i < draws; i++) {
         scene_point(&s, &rng, x);
         for (int r = 0; r < d; r++) drawn[r] += x[r] / draws;
      }
      for (int r = 0; r < d; r++)
         bench_check(fabs(drawn[r] - mean[r]) < 5 * sqrt((square[r] - sq(mean[r])) / draws),
                     "draws of %s have the mean %g and not %g", truths[k].name, drawn[r], mean[r]);
      if (!strcmp(truths[k].name, "letter")) {
         const double top = 0.5 * exp(5);
         for (size_t i = 0; i < s.nodes; i++) {
            double l = top * s.total * s.density[i];
            moment += 25 * s.weight * l * log(l);
         }
         bench_check(letter_segments == 203, "the letter has %d segments and not 203", letter_segments);
         rival_near(25 * top * s.total, 590.75, 1e-3, "the integral of the letter");
         rival_near(moment, 2118.06, 2e-3, "the entropy of the letter");
      }
      scene_free(&s);
   }
}

/* ---- estimates: each fills lambda at the nodes and at the events, and says what its integral is */
enum { m_default, m_kernel, m_adaptive, m_quartic, m_spline, m_r_kernel, m_r_adaptive, methods };
static const char *const method_name[methods] = { "default", "kernel",          "adaptive",         "quartic",
                                                  "spline",  "spatstat_kernel", "spatstat_adaptive" };

typedef struct pattern {
   const scene *s;
   double expected; /* of the truth */
   double *x;       /* (count, dim) */
   size_t count;
   double *node, *event, *kernel; /* (nodes) and (count): an estimate; (count): the kernel of one width */
   double integral;
} pattern;

static void estimate_default(pattern *p, int width)
{
   sneppp_desc desc;
   sneppp_fit_desc fit;
   sneppp_events events, at;
   sneppp_model model;
   sneppp_error err;
   int f = 0;
   memset(&desc, 0, sizeof desc), memset(&fit, 0, sizeof fit);
   memset(&events, 0, sizeof events), memset(&at, 0, sizeof at);
   if (p->s->win->sphere) {
      desc.factor[f].window.space = SNEPPP_SPACE_SPHERE;
      desc.factor[f++].window.dim = 3;
   }
   if (p->s->win->box) {
      desc.factor[f].window.dim = p->s->win->box;
      for (int r = 0; r < p->s->win->box; r++) desc.factor[f].window.hi[r] = p->s->win->side[r];
   }
   desc.width = width;
   events.x = p->x, events.count = p->count;
   at.x = p->s->x, at.count = p->s->nodes;
   fit.events = &events;
   bench_must(sneppp_init(&model, &desc, &err), &err);
   bench_must(sneppp_fit(&model, &fit, NULL, &err), &err);
   bench_must(sneppp_intensities(&model, &at, p->node, NULL, &err), &err);
   bench_must(sneppp_intensities(&model, &events, p->event, NULL, &err), &err);
   bench_must(sneppp_count(&model, NULL, 1, &p->integral, NULL, &err), &err);
   sneppp_free(&model);
}

static void estimate_kernel(pattern *p, const rival_kernel *k)
{
   rival_kernel_nodes(k, p->s->lattice, p->s->side, p->node);
   rival_kernel_at(k, p->x, p->count, p->event);
   p->integral = (double)p->count;
}

static void estimate_loglinear(pattern *p, const rival_basis *basis)
{
   const int kind = p->s->t->kind;
   double *beta = (double *)bench_take((size_t)basis->size, sizeof *beta), det;
   rival_table t;
   rival_table_make(&t, basis, fit_lattice[kind], fit_side[kind], p->x, p->count);
   if (basis->from_zero) {
      rival_start(&t, beta);
      rival_newton(&t, 0, beta, &det);
   } else rival_penalised(&t, beta);
   rival_loglinear_at(basis, beta, p->s->x, p->s->nodes, p->node);
   rival_loglinear_at(basis, beta, p->x, p->count, p->event);
   p->integral = 0;
   for (size_t i = 0; i < p->s->nodes; i++) p->integral += p->s->weight * p->node[i];
   rival_table_free(&t);
   free(beta);
}

/* spatstat, in the plane and where Rscript has it: peers/truth.R makes both of its estimates when skip is 0, and skip
   of them are passed over. */
static void estimate_spatstat(pattern *p, int skip)
{
   static const char events[] = "build/bench/truth_events.txt", answer[] = "build/bench/truth_spatstat.txt";
   char command[256];
   double value;
   FILE *file;
   if (!skip) {
      file = fopen(events, "w");
      bench_check(file != NULL, "%s cannot be written", events);
      for (size_t i = 0; i < p->count; i++) fprintf(file, "%.17g %.17g\n", p->x[2 * i], p->x[2 * i + 1]);
      fclose(file);
      snprintf(command, sizeof command, "Rscript bench/peers/truth.R %s %d %s", events, p->s->side, answer);
      bench_check(system(command) == 0, "this failed: %s", command);
   }
   file = fopen(answer, "r");
   bench_check(file != NULL, "%s cannot be read", answer);
   for (int turn = 0; turn <= skip; turn++) {
      p->integral = 0;
      for (size_t i = 0; i < p->s->nodes + p->count; i++) {
         bench_check(fscanf(file, "%lf", &value) == 1, "%s is too short", answer);
         if (i < p->s->nodes) p->integral += p->s->weight * (p->node[i] = value);
         else p->event[i - p->s->nodes] = value;
      }
   }
   fclose(file);
}

/* ---- what is measured, over the patterns of a row */
typedef struct tally {
   double distance, distance2, square, ratio, seconds;
   int needles, sharp; /* patterns: see above; with an event of m > 5 l, whatever the kernel does */
} tally;

static void measure(const pattern *p, tally *out)
{
   const scene *s = p->s;
   double distance = p->integral - p->expected, square = 0;
   int needle = 0, sharp = 0;
   for (size_t i = 0; i < s->nodes; i++) {
      double l = p->expected * s->density[i];
      distance += s->weight * l * log(l / fmax(p->node[i], 1e-300));
      square += s->weight * sq(p->node[i] - l);
   }
   for (size_t i = 0; i < p->count; i++) {
      double l = p->expected * s->t->shape(p->x + i * (size_t)rival_dim(s->win)) / s->total;
      out->ratio = fmax(out->ratio, p->event[i] / l);
      sharp |= p->event[i] > 5 * l;
      needle |= p->event[i] > 5 * l && p->kernel[i] <= 5 * l;
   }
   distance /= p->expected;
   out->distance += distance;
   out->distance2 += distance * distance;
   out->square += square / (sq(p->expected) * s->square);
   out->needles += needle;
   out->sharp += sharp;
}

typedef struct settings {
   int quick, table, width, spatstat;
   uint64_t seed;
} settings;

static int method_used(int method, const rival_window *win, const settings *set)
{
   if (method == m_default) return 1;
   if (method >= m_r_kernel && !(set->spatstat && !win->sphere && win->box == 2)) return 0;
   return !set->quick && !(method == m_spline && win->sphere);
}

static void estimate(pattern *p, int method, const settings *set, rival_kernel *single)
{
   rival_kernel k;
   rival_basis basis;
   switch (method) {
      case m_default: estimate_default(p, set->width); break;
      case m_kernel: estimate_kernel(p, single); break;
      case m_adaptive:
         rival_kernel_make(&k, p->s->win, p->x, p->count);
         rival_adaptive(&k, single);
         estimate_kernel(p, &k);
         rival_kernel_free(&k);
         break;
      case m_quartic:
         basis = rival_quartic(p->s->win, 4);
         estimate_loglinear(p, &basis);
         break;
      case m_r_kernel: estimate_spatstat(p, 0); break;
      case m_r_adaptive: estimate_spatstat(p, 1); break;
      default: basis = rival_spline(p->s->win, knots[p->s->t->kind]); estimate_loglinear(p, &basis);
   }
}

static void row(const scene *s, double expected, int patterns, const settings *set, tally *out)
{
   for (int run = 0; run < patterns; run++) {
      const size_t d = (size_t)rival_dim(s->win);
      rival_kernel single;
      pattern p;
      sneppp_rng rng;
      memset(&p, 0, sizeof p);
      sneppp_rng_init(&rng, set->seed + (uint64_t)run,
                      (uint64_t)(s->t - truths) * 1000003u + (uint64_t)expected);
      p.s = s, p.expected = expected;
      p.count = sneppp_rng_poisson(&rng, expected);
      if (p.count < 2) p.count = 2; /* one event cannot be left out */
      p.x = (double *)bench_take(p.count * d, sizeof *p.x);
      p.event = (double *)bench_take(p.count, sizeof *p.event);
      p.kernel = (double *)bench_take(p.count, sizeof *p.kernel);
      p.node = (double *)bench_take(s->nodes, sizeof *p.node);
      for (size_t i = 0; i < p.count; i++) scene_point(s, &rng, p.x + i * d);
      rival_kernel_make(&single, s->win, p.x, p.count);
      rival_kernel_choose(&single);
      rival_kernel_at(&single, p.x, p.count, p.kernel);
      for (int m = 0; m < methods; m++) {
         double start = bench_cpu();
         if (!method_used(m, s->win, set)) continue;
         estimate(&p, m, set, &single);
         out[m].seconds += bench_cpu() - start;
         measure(&p, out + m);
      }
      rival_kernel_free(&single);
      free(p.x), free(p.event), free(p.kernel), free(p.node);
   }
   for (int m = 0; m < methods; m++) {
      out[m].distance /= patterns;
      out[m].distance2 = sqrt(fmax(out[m].distance2 / patterns - sq(out[m].distance), 0) / patterns);
      out[m].square /= patterns;
      out[m].seconds /= patterns;
   }
}

static void row_lines(const scene *s, int expected, int patterns, const settings *set, const tally *out)
{
   for (int m = 0; m < methods; m++) {
      const char *name = s->t->name, *by = method_name[m];
      if (!method_used(m, s->win, set)) continue;
      bench_line(out[m].distance, "nats/event", "truth_%s_%d_%s_distance", name, expected, by);
      bench_line(out[m].distance2, "nats/event", "truth_%s_%d_%s_distance_error", name, expected, by);
      bench_line(out[m].square, "relative", "truth_%s_%d_%s_square", name, expected, by);
      bench_line(out[m].ratio, "times", "truth_%s_%d_%s_ratio", name, expected, by);
      bench_line(out[m].sharp, "patterns", "truth_%s_%d_%s_above_five", name, expected, by);
      if (m != m_kernel) bench_line(out[m].needles, "patterns", "truth_%s_%d_%s_needles", name, expected, by);
      bench_line(out[m].seconds, "s", "truth_%s_%d_%s_time", name, expected, by);
   }
   bench_line(patterns, "patterns", "truth_%s_%d_of", s->t->name, expected);
}

/* Markdown: one table of each measure, of all rows; the smallest distance of a row is bold. */
typedef struct table_row {
   const truth *t;
   int expected, patterns;
   tally out[methods];
} table_row;

static double table_value(const tally *t, int measure)
{
   return measure == 0 ? t->distance : measure == 1 ? t->square : t->ratio;
}

static void table_print(const table_row *rows, int count, const settings *set)
{
   static const char *const title[3] = { "Distance to the truth, nats per event; needles: patterns with one",
                                         "Squared error, relative",
                                         "Largest ratio to the truth at an event, of all patterns" };
   for (int measured = 0; measured < 3; measured++) {
      printf("%s:\n\n| truth | N | patterns |", title[measured]);
      for (int m = 0; m < methods; m++)
         if (method_used(m, &window_of[kind_plane], set)) printf(" %s |", method_name[m]);
      printf("%s\n|---|---|---|", measured ? "" : " needles |");
      for (int m = 0; m < methods; m++)
         if (method_used(m, &window_of[kind_plane], set)) printf("---|");
      printf("%s\n", measured ? "" : "---|");
      for (const table_row *r = rows; r < rows + count; r++) {
         const rival_window *win = &window_of[r->t->kind];
         int best = 0;
         for (int m = 1; m < methods; m++)
            if (method_used(m, win, set) && r->out[m].distance < r->out[best].distance) best = m;
         printf("| %s | %d | %d |", r->t->name, r->expected, r->patterns);
         for (int m = 0; m < methods; m++) {
            double value = table_value(r->out + m, measured);
            int digits = measured == 0 ? 4 : measured == 1 ? 3 : value < 10;
            if (method_used(m, win, set))
               printf(!measured && m == best ? " **%.*f** |" : " %.*f |", digits, value);
            else if (method_used(m, &window_of[kind_plane], set)) printf(" |");
         }
         if (!measured) printf(" %d |", r->out[m_default].needles);
         printf("\n");
      }
      printf("\n");
   }
}

/* Is name among the names with commas between them? */
static int listed(const char *list, const char *name)
{
   size_t length = strlen(name);
   for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
      if (!strncmp(at, name, length) && (at[length] == ',' || !at[length])) return 1;
   return 0;
}

static int numbers(const char *text, int *out, int room)
{
   int count = 0;
   for (const char *at = text; at && count < room; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
      out[count] = atoi(at);
      bench_check(out[count++] > 0, "'%s' is no list of positive numbers", text);
   }
   return count;
}

int main(int count, char **arg)
{
   enum { room = 16 };
   const char *word[3] = { "20,10,3", NULL, "60,300,3000" };
   static table_row rows[truth_count * room];
   int words = 0, patterns[room], events[room], given, sizes, known = 0, made = 0, ground = 0;
   settings set = { 0, 0, 0, 0, 1 };
   for (int i = 1; i < count; i++) {
      if (!strcmp(arg[i], "--quick")) set.quick = 1;
      else if (!strcmp(arg[i], "--ground")) ground = 1;
      else if (!strcmp(arg[i], "--table")) set.table = 1;
      else if (!strcmp(arg[i], "--width") && i + 1 < count) set.width = atoi(arg[++i]);
      else if (!strcmp(arg[i], "--seed") && i + 1 < count) set.seed = (uint64_t)atol(arg[++i]);
      else if (words < 3 && (arg[i][0] != '-' || !arg[i][1])) word[words++] = arg[i];
      else
         bench_check(0,
                     "usage: truth [patterns [truths [events]]] [--quick] [--table] [--width n] [--seed s] [--ground]");
   }
   given = numbers(word[0], patterns, room);
   sizes = numbers(word[2], events, room);
   bench_check(given == 1 || given == sizes, "give one number of patterns, or one for each number of events");
   if (ground) return ground_table(patterns[0], events, sizes, set.seed), 0;
   if (word[1] && !strcmp(word[1], "all")) word[1] = NULL;
   for (int k = 0; k < truth_count; k++) known += !word[1] || listed(word[1], truths[k].name);
   bench_check(known > 0, "no truth of this name: %s", word[1]);

   truths_make();
   rival_check();
   truths_check();
   if (!set.quick) {
      set.spatstat = system("Rscript -e 'library(spatstat)' > /dev/null 2>&1") == 0;
      if (!set.spatstat)
         fprintf(stderr, "bench: Rscript with spatstat is not installed, so nothing is compared with it\n");
   }
   for (int k = 0; k < truth_count; k++) {
      scene s;
      if (word[1] && !listed(word[1], truths[k].name)) continue;
      scene_make(&s, truths + k, set.quick ? 2 : 1);
      for (int n = 0; n < sizes; n++) {
         table_row *r = rows + made++;
         r->t = truths + k, r->expected = events[n], r->patterns = patterns[given == 1 ? 0 : n];
         row(&s, r->expected, r->patterns, &set, r->out);
         if (!set.table) row_lines(&s, r->expected, r->patterns, &set, r->out);
      }
      scene_free(&s);
   }
   if (set.table) table_print(rows, made, &set);
   return 0;
}
