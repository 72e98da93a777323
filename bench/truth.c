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

   Lists have commas; patterns is one number or one for each number of events; "all" are all truths. --quick leaves all
   rivals out: only needles of the default and, with half as many nodes along each axis and on the sphere, its
   distance. --table writes Markdown, --width is the budget of features. There are no splines on the sphere. Where
   Rscript has spatstat, two of its estimates (peers/truth.R) stand beside in the plane. */
#define _POSIX_C_SOURCE 200112L
#define SNEPPP_PTHREADS
#include "../sneppp.h"
#include <math.h>
#include "bench.h"
#include "rivals.h"

/* ---- the truths: a shape f(x) that need not have integral 1, and a bound of it. Boxes have side 1. */
static double bump(double square, double width) { return exp(-square / (2 * width * width)); }

static double sq(double x) { return x * x; }

static double truth_flat(const double *x) { return x[0] < 2; }

static double truth_smooth(const double *x) { return exp(1.5 * sin(4 * x[0]) * cos(3 * x[1])); }

static double truth_hill(const double *x)
{
   return 0.25 + bump(sq(x[0] - 0.35) + sq(0.8 * (x[1] - 0.6)), 0.24);
}

static double truth_gradient(const double *x) { return 0.2 + 1.2 * x[0] + 0.6 * x[1]; }

static double truth_step(const double *x) { return x[0] + 0.3 * x[1] < 0.6 ? 0.25 : 1; }

static double truth_plateau(const double *x) { return sq(x[0] - 0.45) + sq(x[1] - 0.55) < 0.09 ? 1 : 0.2; }

static double truth_ridge(const double *x) { return 0.05 + bump(sq(x[1] - 0.25 - 0.4 * x[0]), 0.025); }

static double truth_arc(const double *x)
{
   double r = sqrt(sq(x[0] - 0.2) + sq(x[1] - 0.2));
   return 0.03 + bump(sq(r - 0.55), 0.02) * (x[0] > 0.2 || x[1] > 0.2);
}

/* Twenty round clusters of equal weight, widths from 0.008 to 0.15, and a tenth of the events anywhere. */
enum { clusters = 20 };
static double cluster_x[clusters], cluster_y[clusters], cluster_width[clusters], cluster_height[clusters];

static void clusters_make(void)
{
   const rival_window square = { 0, 2, { 1, 1 } };
   sneppp_rng rng;
   sneppp_rng_init(&rng, 14, 1);
   for (int k = 0; k < clusters; k++) {
      double at[2];
      at[0] = cluster_x[k] = 0.08 + 0.84 * sneppp_rng_uniform(&rng);
      at[1] = cluster_y[k] = 0.08 + 0.84 * sneppp_rng_uniform(&rng);
      cluster_width[k] = 0.008 * pow(0.15 / 0.008, k / (clusters - 1.0));
      cluster_height[k] = 0.9 / clusters / rival_mass(&square, 0, at, cluster_width[k]);
   }
}

static double truth_clusters(const double *x)
{
   double sum = 0.1;
   for (int k = 0; k < clusters; k++)
      sum += cluster_height[k] * bump(sq(x[0] - cluster_x[k]) + sq(x[1] - cluster_y[k]), cluster_width[k]);
   return sum;
}

/* Drawn cluster by cluster: a bound would refuse almost everything. */
static void clusters_draw(sneppp_rng *rng, double *x)
{
   int k = (int)sneppp_rng_below(rng, clusters), anywhere = sneppp_rng_uniform(rng) < 0.1;
   do {
      x[0] = anywhere ? sneppp_rng_uniform(rng) : cluster_x[k] + cluster_width[k] * sneppp_rng_normal(rng);
      x[1] = anywhere ? sneppp_rng_uniform(rng) : cluster_y[k] + cluster_width[k] * sneppp_rng_normal(rng);
   } while (x[0] < 0 || x[0] > 1 || x[1] < 0 || x[1] > 1);
}

/* The letter of Baddeley et al. (2012) and Kim et al. (2022): 0.5 exp(5 - 3 d) on [0, 5]^2, here on the unit square, d
   the distance to the outline of the R of DejaVu Sans Bold. Points of a ring are corners where its kind is 1; where it
   is 2 they are middle points of quadratic curves, and two of these in a row have a corner halfway between them. Curves
   are 16 chords. */
enum { letter_most = 256 };
static double letter_segment[letter_most][4];
static int letter_segments;

static void letter_line(const double *from, const double *to)
{
   double *s = letter_segment[letter_segments++];
   for (int r = 0; r < 2; r++) {
      double shift = r ? 1.0513 : 0.9697;
      s[r] = (shift + 0.0019406 * from[r]) / 5;
      s[2 + r] = (shift + 0.0019406 * to[r]) / 5;
   }
}

static void letter_ring(int count, const double (*point)[2], const char *kind)
{
   double at[2] = { point[0][0], point[0][1] };
   for (int k = 1; k <= count; k++) {
      const double *p = point[k % count], *q = point[(k + 1) % count];
      double end[2] = { p[0], p[1] }, from[2] = { at[0], at[1] };
      if (kind[k % count] == '2') {
         int halfway = kind[(k + 1) % count] == '2';
         for (int r = 0; r < 2; r++) end[r] = halfway ? 0.5 * (p[r] + q[r]) : q[r];
         for (int i = 1; i <= 16; i++) {
            double t = i / 16.0, to[2];
            for (int r = 0; r < 2; r++)
               to[r] = (1 - t) * (1 - t) * at[r] + 2 * t * (1 - t) * p[r] + t * t * end[r];
            letter_line(from, to);
            memcpy(from, to, sizeof from);
         }
         k += !halfway;
      } else letter_line(at, end);
      memcpy(at, end, sizeof at);
   }
}

static void letter_make(void)
{
   static const double inner[][2] = { { 735, 831 },  { 856, 831 },  { 961, 921 },
                                      { 961, 1024 }, { 961, 1126 }, { 856, 1214 },
                                      { 735, 1214 }, { 573, 1214 }, { 573, 831 } };
   static const double outer[][2] = { { 573, 565 },  { 573, 0 },     { 188, 0 },     { 188, 1493 },
                                      { 776, 1493 }, { 1071, 1493 }, { 1346, 1295 }, { 1346, 1081 },
                                      { 1346, 933 }, { 1203, 743 },  { 1059, 698 },  { 1138, 680 },
                                      { 1263, 553 }, { 1327, 424 },  { 1536, 0 },    { 1126, 0 },
                                      { 944, 371 },  { 889, 483 },   { 776, 565 },   { 682, 565 } };
   letter_segments = 0;
   letter_ring(9, inner, "122122111");
   letter_ring(20, outer, "11111221221221111221");
}

static double truth_letter(const double *x)
{
   double nearest = 1e9;
   for (int k = 0; k < letter_segments; k++) {
      const double *s = letter_segment[k];
      double u = s[2] - s[0], v = s[3] - s[1], t = ((x[0] - s[0]) * u + (x[1] - s[1]) * v) / (u * u + v * v);
      t = fmin(fmax(t, 0), 1);
      nearest = fmin(nearest, sq(x[0] - s[0] - t * u) + sq(x[1] - s[1] - t * v));
   }
   return exp(-3 * 5 * sqrt(nearest));
}

static double truth_line(const double *x)
{
   return 0.15 + 0.5 * bump(sq(x[0] - 0.3), 0.05) + 0.4 * bump(sq(x[0] - 0.75), 0.12);
}

static double truth_sphere(const double *x)
{
   return 0.1 + 0.5 * bump(sq(0.6 * x[0] + 0.8 * x[2] - 0.3), 0.07) + bump(2 - 2 * x[1], 0.15) +
          0.5 * bump(2 + 2 * x[0], 0.6);
}

static double truth_space(const double *x)
{
   return 0.1 + bump(sq(x[0] - 0.35) + sq(x[1] - 0.4) + sq(x[2] - 0.6), 0.15) +
          0.5 * bump(sq(x[0] - 0.7) + sq(x[1] - 0.6), 0.1);
}

/* A place that wanders along the equator, and a profile in time. */
static double truth_sphere_time(const double *x)
{
   double angle = 2.5 * x[3], place = bump(2 - 2 * (x[0] * cos(angle) + x[1] * sin(angle)), 0.25);
   return (0.1 + place) * (0.6 + 0.4 * sin(6 * x[3]));
}

enum { kind_line, kind_plane, kind_space, kind_sphere, kind_sphere_time, kinds };
static const rival_window window_of[kinds] = {
   { 0, 1, { 1 } }, { 0, 2, { 1, 1 } }, { 0, 3, { 1, 1, 1 } }, { 1, 0, { 0 } }, { 1, 1, { 1 } }
};
static const int fine_side[kinds] = { 4096, 128, 32, 1, 16 }, fine_lattice[kinds] = { 1, 1, 1, 8192, 2048 };
/* Nodes and splines of the log-linear fits, which are smooth. There are no splines on the sphere. */
static const int fit_side[kinds] = { 512, 64, 16, 1, 12 }, fit_lattice[kinds] = { 1, 1, 1, 2048, 1024 };
static const int knots[kinds] = { 40, 20, 8, 0, 0 };

typedef struct truth {
   const char *name;
   int kind;
   double (*shape)(const double *x);
   double bound;
   void (*draw)(sneppp_rng *rng, double *x); /* NULL: by thinning below the bound */
} truth;

static const truth truths[] = {
   { "flat", kind_plane, truth_flat, 1, NULL },
   { "smooth", kind_plane, truth_smooth, 4.5, NULL },
   { "hill", kind_plane, truth_hill, 1.25, NULL },
   { "gradient", kind_plane, truth_gradient, 2, NULL },
   { "step", kind_plane, truth_step, 1, NULL },
   { "plateau", kind_plane, truth_plateau, 1, NULL },
   { "ridge", kind_plane, truth_ridge, 1.05, NULL },
   { "arc", kind_plane, truth_arc, 1.03, NULL },
   { "clusters", kind_plane, truth_clusters, 0, clusters_draw },
   { "letter", kind_plane, truth_letter, 1, NULL },
   { "line", kind_line, truth_line, 1.05, NULL },
   { "sphere", kind_sphere, truth_sphere, 2.1, NULL },
   { "space", kind_space, truth_space, 1.6, NULL },
   { "sphere_time", kind_sphere_time, truth_sphere_time, 1.1, NULL },
};
enum { truth_count = sizeof truths / sizeof truths[0] };

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

static void scene_point(const scene *s, sneppp_rng *rng, double *x)
{
   static const sneppp_window sphere = {.space = SNEPPP_SPACE_SPHERE, .dim = 3};
   if (s->t->draw) {
      s->t->draw(rng, x);
      return;
   }
   do {
      if (s->win->sphere) sneppp_window_draw(&sphere, rng, x);
      for (int r = 0; r < s->win->box; r++) x[3 * s->win->sphere + r] = sneppp_rng_uniform(rng);
   } while (s->t->bound * sneppp_rng_uniform(rng) >= s->t->shape(x));
}

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
   int words = 0, patterns[room], events[room], given, sizes, known = 0, made = 0;
   settings set = { 0, 0, 0, 0, 1 };
   for (int i = 1; i < count; i++) {
      if (!strcmp(arg[i], "--quick")) set.quick = 1;
      else if (!strcmp(arg[i], "--table")) set.table = 1;
      else if (!strcmp(arg[i], "--width") && i + 1 < count) set.width = atoi(arg[++i]);
      else if (!strcmp(arg[i], "--seed") && i + 1 < count) set.seed = (uint64_t)atol(arg[++i]);
      else if (words < 3 && arg[i][0] != '-') word[words++] = arg[i];
      else
         bench_check(0,
                     "usage: truth [patterns [truths [events]]] [--quick] [--table] [--width n] [--seed s]");
   }
   given = numbers(word[0], patterns, room);
   sizes = numbers(word[2], events, room);
   bench_check(given == 1 || given == sizes, "give one number of patterns, or one for each number of events");
   if (word[1] && !strcmp(word[1], "all")) word[1] = NULL;
   for (int k = 0; k < truth_count; k++) known += !word[1] || listed(word[1], truths[k].name);
   bench_check(known > 0, "no truth of this name: %s", word[1]);

   clusters_make();
   letter_make();
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
