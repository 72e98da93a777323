/* What must always hold, whatever the program did. Every tolerance is made of the rounding of the precision and the
   size of what cancels, or of two resolutions of a quadrature; where a tolerance is too wide to tell anything, the
   check is counted as undecided and not as passed. */
#ifndef HUNT_CHECKS_H
#define HUNT_CHECKS_H
#include <unistd.h>
#include <sys/time.h>
#include "world.h"

#define EPS (sizeof(sneppp_real) == 4 ? 1.2e-7 : 2.3e-16)

/* ---- what the process tells its parent, in memory that both see */
enum { REASONS = 64 };
typedef struct tally {
   unsigned drawn, refused;
} tally;
typedef struct shared {
   volatile uint64_t seed;     /* of the program that runs now                    */
   volatile int op;            /* its call, -1: making the model                  */
   char check[64], words[512]; /* a finding                                       */
   unsigned long programs, calls, checks, undecided;
   tally space[SNEPPP_SPACE_END], act[SNEPPP_ACT_END], mix[SNEPPP_MIX_END], readout[2], kind[OP_END],
      sequence[SEQUENCES], feature[16];
   double longest[OP_END], spent[OP_END]; /* seconds of processor; spent[0]: making models, checks between calls */
   uint64_t longest_seed[OP_END];
   unsigned reasons;
   struct {
      char why[100];
      unsigned count;
      uint64_t seed;
   } reason[REASONS];
} shared;
static shared *told;
static const char *const feature_names[16] = {
   "seen in part",    "weights",           "realisations",  "events.read",     "stride",
   "caller's memory", "failing allocator", "jobs reversed", "pool of threads", "features of its own",
   "mixed layer",     "unequal widths",    "rank",          "no events",       "layer set by hand",
   "no_bias"
};

static int mute; /* while a program is printed, which may well fail again */
static void finding(const char *check, const char *words, ...)
{
   va_list list;
   if (mute) return;
   snprintf(told->check, sizeof told->check, "%s", check);
   va_start(list, words);
   vsnprintf(told->words, sizeof told->words, words, list);
   va_end(list);
   _exit(7);
}
#define MUST(truth, check, ...) \
   do { \
      told->checks++; \
      if (!(truth)) finding(check, __VA_ARGS__); \
   } while (0)

/* A call may refuse, in words. The same words are counted together: numbers in them do not matter. */
static void refused(const char *call, sneppp_status st, const sneppp_error *err)
{
   char why[100];
   unsigned k, n = 0;
   MUST(err->status == st && memchr(err->why, 0, sizeof err->why) && err->why[0], "a reason",
        "%s: status %d, but no reason (%d)", call, (int)st, (int)err->status);
   for (const char *s = err->why; *s && n + 1 < sizeof why; s++) {
      if (strchr("0123456789.-+e", *s) && n && why[n - 1] == '#') continue;
      why[n++] = (char)(strchr("0123456789", *s) ? '#' : *s);
   }
   why[n] = 0;
   for (k = 0; k < told->reasons && strcmp(told->reason[k].why, why); k++) {}
   if (k == told->reasons && k < REASONS)
      strcpy(told->reason[told->reasons++].why, why), told->reason[k].seed = told->seed;
   if (k < REASONS) told->reason[k].count++;
}

/* ---- processor time: a call that takes more than it may is ended by a signal, which the parent takes for a hang */
static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }
static void time_limit(double seconds)
{
   struct itimerval t;
   memset(&t, 0, sizeof t);
   t.it_value.tv_sec = (long)seconds, t.it_value.tv_usec = (long)(1e6 * (seconds - floor(seconds)));
   setitimer(ITIMER_PROF, &t, NULL);
}

/* ---- threads */
static void run_reversed(void (*job)(size_t index, void *arg), void *arg, size_t count, void *user)
{
   (void)user;
   while (count--) job(count, arg);
}
static sneppp_parallel parallel_of(int par)
{
   sneppp_parallel p;
   memset(&p, 0, sizeof p);
   if (par == 1) p.run = run_reversed;
   if (par == 2 && (w.pool || (w.pool = sneppp_pool_make(3, NULL)) != NULL)) p = sneppp_pool_parallel(w.pool);
   return p;
}

/* ---- a model as bytes, to see whether a call changed it. Models with features of their own cannot be saved. */
enum { PROBES = 5 };
typedef struct snap {
   unsigned char *bytes;
   size_t size;
   sneppp_real lambda[PROBES];
   double count;
   sneppp_status counted;
} snap;

static void probe_at(int k, sneppp_real *x)
{
   for (int f = 0, at = 0; f < w.factors; f++) {
      shape_draw(&w.shape[f], w.p.seed + 99, k + 50 * f, 0, x + at);
      at += w.shape[f].win.space == SNEPPP_SPACE_FINITE ? 1 : w.shape[f].win.dim;
   }
}

static snap snap_of(const sneppp_model *m)
{
   snap s;
   sneppp_real x[MOST_COORDS];
   memset(&s, 0, sizeof s);
   s.size = sneppp_save(m, NULL, 0);
   if (s.size) {
      s.bytes = (unsigned char *)malloc(s.size);
      MUST(sneppp_save(m, s.bytes, s.size) == s.size, "save",
           "saving took another number of bytes than it said");
   }
   for (int k = 0; k < PROBES; k++) probe_at(k, x), s.lambda[k] = sneppp_intensity(m, x);
   s.counted = sneppp_count(m, NULL, 1, &s.count, NULL, NULL);
   return s;
}
static void snap_free(snap *s) { free(s->bytes), s->bytes = NULL; }

static const char *snap_differs(const snap *a, const snap *b)
{
   if (a->size != b->size || (a->size && memcmp(a->bytes, b->bytes, a->size))) return "saved bytes";
   if (memcmp(a->lambda, b->lambda, sizeof a->lambda)) return "intensities";
   if (a->counted != b->counted || (a->counted == SNEPPP_OK && memcmp(&a->count, &b->count, sizeof a->count)))
      return "expected number";
   return NULL;
}

/* A copy through save and load; 0 if the model cannot be saved. */
static int copy_model(const sneppp_model *m, sneppp_model *to)
{
   size_t size = sneppp_save(m, NULL, 0);
   unsigned char *bytes;
   sneppp_error err;
   if (!size) return 0;
   bytes = (unsigned char *)malloc(size);
   sneppp_save(m, bytes, size);
   if (sneppp_load(to, bytes, size, NULL, 0, &w.alloc, &err) != SNEPPP_OK)
      finding("load", "a saved model is refused: %s", err.why);
   free(bytes);
   return 1;
}

/* ---- how large the numbers are that cancel */

/* alpha sum_r (sum_i |V_ri| sqrt K_ii)^2 + floor mu: what the intensity would integrate to if nothing cancelled; and
   the largest argument of a unit in the user's coordinates, which multiplies the rounding of x. 0 if not to be had. A
   diagonal readout is a sum of positive numbers: nothing cancels, and its count is the answer without a matrix. */
static double magnitude(const sneppp_model *m, const sneppp_region *region, double *argument)
{
   size_t n = (size_t)m->n;
   double *K, total = 0, product = 1, mass = 1;
   int diagonal = m->desc.readout == SNEPPP_READOUT_DIAGONAL;
   sneppp_error err;
   *argument = 1;
   if (n > 600 || m->desc.factor[0].own.psi) return 0;
   if (diagonal && sneppp_count(m, region, 1, &total, NULL, &err) != SNEPPP_OK) return 0;
   K = diagonal ? NULL : (double *)malloc(n * n * sizeof *K);
   if (K && sneppp_model_gram(m, region, K, NULL, &err) != SNEPPP_OK) {
      free(K);
      return 0;
   }
   for (int k = 0; K && k < m->readouts; k++) {
      const sneppp_readout_state *R = &m->readout[k];
      double sum = 0;
      for (int r = 0; r < R->m; r++) {
         double row = 0;
         for (int i = 0; i < R->n; i++) {
            size_t at = (size_t)(R->first + i);
            row += fabs((double)R->V[r * R->n + i]) * sqrt(fabs(K[at * n + at]));
         }
         sum += row * row;
      }
      total += sum, product *= sum;
   }
   if (K && m->desc.mix == SNEPPP_MIX_SEPARABLE) total = product;
   for (int f = 0; f < m->factors; f++) {
      const sneppp_layer_state *L = &m->layer[f];
      const sneppp_window *v = region && region->factor[f] ? region->factor[f] : &m->desc.factor[f].window;
      mass *= sneppp_window_mass(L->inside.space == SNEPPP_SPACE_RASTER ? &L->inside : v); /* a box has no exposure */
      for (int i = 0; i < L->n; i++) {
         double z = fabs((double)L->b[i]);
         for (int r = 0; r < L->d; r++) {
            double width = L->width ? (double)L->width[i * L->d + r] : 1,
                   slope = L->width ? 1 / width : fabs((double)L->W[i * L->d + r]);
            z += slope * (2 + fabs(L->shift[r % SNEPPP_MAX_DIM] * L->rate[r % SNEPPP_MAX_DIM]));
         }
         if (z > *argument) *argument = z;
      }
   }
   free(K);
   return diagonal ? total : m->alpha * total + m->floor * mass;
}

/* ---- the integral of the intensity over a product of shapes, by Gauss rules of three resolutions */
typedef struct nodes {
   int count, coords;
   double *x, *weight;
} nodes;

static void gauss_rule(int n, double *x, double *weight) /* on [0, 1] */
{
   for (int i = 0; i < n; i++) {
      double z = cos(3.141592653589793 * (i + 0.75) / (n + 0.5)), d = 1;
      for (int k = 0; k < 60; k++) {
         double p0 = 1, p1 = z, step;
         for (int j = 2; j <= n; j++) {
            double p2 = ((2 * j - 1) * z * p1 - (j - 1) * p0) / j;
            p0 = p1, p1 = p2;
         }
         d = n * (z * p1 - p0) / (z * z - 1);
         step = p1 / d, z -= step;
         if (fabs(step) < 1e-16) break;
      }
      if (n == 1) z = 0, d = 1;
      x[i] = 0.5 * (1 - z), weight[i] = 1 / ((1 - z * z) * d * d);
   }
}

/* Gauss points along one axis of [0, 1]: about n of them, in panels of at most 16. */
static int axis_rule(int n, double *u, double *weight)
{
   int q = n < 16 ? n : 16, panels = (n + q - 1) / q;
   double x[16], v[16];
   gauss_rule(q, x, v);
   for (int p = 0; p < panels; p++)
      for (int i = 0; i < q; i++) u[p * q + i] = (p + x[i]) / panels, weight[p * q + i] = v[i] / panels;
   return panels * q;
}

/* The line from -inf to inf as a range of x that holds everything, for measures without borders. */
static int line_range(const shape *s, const sneppp_model *m, int f, int axis, double *lo, double *hi)
{
   const sneppp_layer_state *L = &m->layer[f];
   const sneppp_window *v = &s->win;
   *lo = 1e300, *hi = -1e300;
   if (v->space == SNEPPP_SPACE_GAUSS) {
      const sneppp_window *in = &L->inside;
      for (size_t k = 0; k < in->count; k++) {
         double c = in->mean[k * (size_t)L->d + (size_t)axis] + L->shift[axis],
                l = in->scale[k * (size_t)L->d + (size_t)axis], push = 0;
         for (int i = 0; i < L->n; i++)
            push = fmax(push, 2 * fabs((double)L->W[i * L->d + axis]) * L->rate[axis] * l);
         *lo = fmin(*lo, c - l * (9 + push)), *hi = fmax(*hi, c + l * (9 + push));
      }
      return 1;
   }
   if (v->space == SNEPPP_SPACE_EUCLID && L->width) {
      for (int i = 0; i < L->n; i++) {
         double c = (double)L->W[i * L->d + axis] / L->rate[axis] + L->shift[axis],
                l = (double)L->width[i * L->d + axis] / L->rate[axis];
         *lo = fmin(*lo, c - 7 * l), *hi = fmax(*hi, c + 7 * l);
      }
      return 1;
   }
   return 0;
}

/* The slowest decay of the intensity against log x at x = 0 (axis 0), or log(1 - x) at 1 (axis 1): the parameter of the
   family, and twice the lowest weight of an exponential unit on that statistic. */
static double slowest_tail(const sneppp_model *m, int f, int axis)
{
   const sneppp_layer_state *L = &m->layer[f];
   double lowest = 0;
   for (int i = 0; i < L->n; i++)
      if ((L->units ? L->units[i] : m->desc.factor[f].unit).act == SNEPPP_ACT_EXP)
         lowest = fmin(lowest, (double)L->W[i * L->d + axis] * L->rate[axis]);
   return m->desc.factor[f].window.param[axis] + 2 * lowest;
}

/* Nodes of one factor with about n per axis, in the user's coordinates. 0 where this is not done. */
static int shape_nodes(const shape *s, const sneppp_model *m, int f, int n, nodes *out)
{
   const sneppp_window *v = &s->win;
   int axes = shape_axes(s), cells = shape_cells(s), d = v->dim, per, total, at = 0, index[SNEPPP_MAX_DIM];
   double u[640], weight[640], t[SNEPPP_MAX_DIM], lo[SNEPPP_MAX_DIM], hi[SNEPPP_MAX_DIM];
   int endless = v->space == SNEPPP_SPACE_GAUSS || v->space == SNEPPP_SPACE_EUCLID,
       odd = v->space == SNEPPP_SPACE_GAMMA || v->space == SNEPPP_SPACE_BETA;
   memset(out, 0, sizeof *out);
   out->coords = v->space == SNEPPP_SPACE_FINITE ? 1 : d;
   if (axes < 0) { /* a sum */
      total = v->space == SNEPPP_SPACE_SPHERE     ? 2
              : v->space == SNEPPP_SPACE_FINITE   ? (int)v->count
              : v->space == SNEPPP_SPACE_BINOMIAL ? (int)v->param[0] + 1
                                            : 120;
      if (v->space == SNEPPP_SPACE_NEGBINOMIAL) return 0;
      out->x = (double *)malloc((size_t)total * sizeof(double)),
      out->weight = (double *)malloc((size_t)total * sizeof(double));
      for (out->count = 0; out->count < total; out->count++) {
         out->x[out->count] = v->space == SNEPPP_SPACE_SPHERE ? 2 * out->count - 1 : out->count;
         out->weight[out->count] = v->space == SNEPPP_SPACE_SPHERE && v->measure == SNEPPP_MEASURE_PROBABILITY ? 0.5 : 1;
         if (v->space == SNEPPP_SPACE_FINITE && !(s->weight[out->count] > 0))
            out->weight[out->count] = 0; /* not in this part */
      }
      return 1;
   }
   if (endless || odd) cells = 1, n *= 3;
   if (endless)
      for (int k = 0; k < d; k++)
         if (!line_range(s, m, f, k, &lo[k], &hi[k])) return 0;
   if (odd) { /* x = e^t, and x = 1 / (1 + e^-t) */
      if (v->param[0] < 0.5 || v->param[1] <= 0) return 0;
      lo[0] = fmin(-60, -40 / slowest_tail(m, f, 0));
      hi[0] = v->space == SNEPPP_SPACE_GAMMA ? 8 - log(v->param[1]) : fmax(60, 40 / slowest_tail(m, f, 1));
      if (!(lo[0] > (sizeof(sneppp_real) == 4 ? -80 : -300)) || !(hi[0] < 300)) return 0; /* or x is 0, or 1 */
      if (v->space == SNEPPP_SPACE_BETA && sizeof(sneppp_real) == 4) return 0;
   }
   if (v->space == SNEPPP_SPACE_NORMAL || v->space == SNEPPP_SPACE_DIRICHLET) return 0;
   for (int k = 0; k < axes; k++) t[k] = 0.5;
   if (!endless && !odd && !(shape_point(s, 0, t, u) > 0)) return 0;
   if (cells > 1) n = n / (cells > 4 ? 4 : cells) + 3;
   per = axis_rule(n, u, weight);
   for (total = cells, at = 0; at < axes; at++) {
      total *= per;
      if (total > 60000) return 0;
   }
   out->x = (double *)malloc((size_t)(total * d) * sizeof(double)),
   out->weight = (double *)malloc((size_t)total * sizeof(double));
   for (int c = 0; c < cells; c++) {
      memset(index, 0, sizeof index);
      for (int more = 1; more;) {
         double volume = 1, *x = out->x + out->count * d;
         for (int k = 0; k < axes; k++) t[k] = u[index[k]], volume *= weight[index[k]];
         if (endless)
            for (int k = 0; k < d; k++) x[k] = lo[k] + t[k] * (hi[k] - lo[k]), volume *= hi[k] - lo[k];
         else if (odd) {
            double e = exp(lo[0] + t[0] * (hi[0] - lo[0]));
            x[0] = v->space == SNEPPP_SPACE_GAMMA ? e : e / (1 + e);
            volume *= (hi[0] - lo[0]) * (v->space == SNEPPP_SPACE_GAMMA ? e : e / ((1 + e) * (1 + e)));
         } else volume *= shape_point(s, c, t, x);
         out->weight[out->count++] = volume;
         more = 0;
         for (int k = 0; k < axes && !more; k++) {
            if (++index[k] < per) more = 1;
            else index[k] = 0;
         }
      }
   }
   return 1;
}
static void nodes_free(nodes *q) { free(q->x), free(q->weight), q->x = q->weight = NULL; }

static int integral_at(const sneppp_model *m, const shape *const *part, int n, double *value)
{
   nodes q[HUNT_FACTORS];
   sneppp_events e;
   sneppp_error err;
   sneppp_real *x, *lambda;
   size_t total = 1, D = (size_t)m->D;
   int made = 0, ok = 1;
   memset(q, 0, sizeof q);
   for (; ok && made < m->factors; made++) {
      ok = shape_nodes(part[made], m, made, n, &q[made]);
      if (ok) total *= (size_t)q[made].count;
      if (total > 60000) ok = 0;
   }
   if (ok) {
      x = (sneppp_real *)malloc(total * D * sizeof *x),
      lambda = (sneppp_real *)malloc(total * sizeof *lambda);
      *value = 0;
      for (size_t i = 0; i < total; i++) {
         size_t rest = i, at = 0;
         for (int f = 0; f < m->factors; f++) {
            size_t k = rest % (size_t)q[f].count;
            rest /= (size_t)q[f].count;
            for (int r = 0; r < q[f].coords; r++)
               x[i * D + at++] = (sneppp_real)q[f].x[k * (size_t)q[f].coords + (size_t)r];
         }
      }
      memset(&e, 0, sizeof e);
      e.x = x, e.count = total;
      if (sneppp_intensities(m, &e, lambda, NULL, &err) != SNEPPP_OK)
         finding("intensities", "refused: %s", err.why);
      for (size_t i = 0; i < total; i++) {
         size_t rest = i;
         double weight = 1;
         for (int f = 0; f < m->factors; f++)
            weight *= q[f].weight[rest % (size_t)q[f].count], rest /= (size_t)q[f].count;
         *value += weight * (double)lambda[i];
      }
      free(x), free(lambda);
   }
   for (int f = 0; f < made; f++) nodes_free(&q[f]);
   return ok;
}

/* A rule with n points along an axis errs by n^-1 where a unit jumps, by n^-2 where it has a kink, and by luck much
   less: resolutions that agree do not prove that both are right. */
static double kink_order(const sneppp_model *m)
{
   double order = 9;
   for (int f = 0; f < m->factors; f++)
      for (int i = 0; i < m->layer[f].n; i++) {
         sneppp_unit u = m->layer[f].units ? m->layer[f].units[i] : m->desc.factor[f].unit;
         if (u.act == SNEPPP_ACT_STEP || (u.act == SNEPPP_ACT_RECT && u.p == 0)) order = fmin(order, 1);
         if (u.act == SNEPPP_ACT_RELU || u.act == SNEPPP_ACT_LEAKY) order = fmin(order, 2);
         if (u.act == SNEPPP_ACT_RECT && u.p > 0) order = fmin(order, u.p + 1);
         if (u.act == SNEPPP_ACT_ELU) order = fmin(order, u.p == 1 ? 3 : 2);
      }
   return order;
}

/* The narrowest bump, as a share of its window: a rule that steps over it sees nothing, at all resolutions alike. */
static double narrowest(const sneppp_model *m)
{
   double least = 1;
   for (int f = 0; f < m->factors; f++) {
      const sneppp_layer_state *L = &m->layer[f];
      for (int i = 0; i < L->n; i++) {
         double length = 0;
         for (int r = 0; r < L->d; r++) {
            if (L->width) least = fmin(least, 0.5 * (double)L->width[i * L->d + r]);
            length += (double)L->W[i * L->d + r] * (double)L->W[i * L->d + r];
         }
         if (L->inside.space == SNEPPP_SPACE_SPHERE) least = fmin(least, 0.3 / sqrt(1 + sqrt(length)));
         else if (!L->width) least = fmin(least, 1 / (1 + sqrt(length)));
      }
   }
   return least;
}

/* What kind of model it is, for the name of a finding: so that one cause does not hide another. */
static const char *peculiar(const sneppp_model *m)
{
   for (int f = 0; f < m->factors; f++) /* R^d and the like; what mixes by masses, floors and alpha = N / mass */
      if (!(sneppp_window_mass(&m->desc.factor[f].window) > 0))
         return " (infinite mass)";
   for (int f = 0; f < m->factors; f++)
      if (m->desc.factor[f].no_bias) return " (no_bias)";
   return m->nodes ? " (tree)" : m->floor > 0 ? " (floor)" : "";
}
static const char *named(const char *check, const sneppp_model *m)
{
   static char name[64];
   snprintf(name, sizeof name, "%s%s", check, peculiar(m));
   return name;
}

/* Corners, those of polygons and those where one line cuts another, are rounded in the user's coordinates, which may be large
   against the shape: by how much of its area, at most, that moves its border. */
static double rounded_corners(const shape *s)
{
   double border = 0, area = 0;
   for (int i = 0; i < (s->plot_count ? s->plot_count : s->wedge_count) && s->win.dim == 2; i++) {
      double p[4][2];
      int n = 4;
      if (s->plot_count) memcpy(p, s->plots[i].p, sizeof p);
      else n = wedge_corners(&s->wedges[i], p);
      for (int k = 0; k < n; k++) {
         const double *a = p[k], *b = p[(k + 1) % n];
         border += hypot(b[0] - a[0], b[1] - a[1]) * (fabs(a[0]) + fabs(a[1]));
         if (k && k + 1 < n) area += 0.5 * across(p[0], a, b);
      }
   }
   return area > 0 ? 2.2e-16 * border / area : 0;
}

/* count = integral, over the region made of `part`. */
static void check_integral(const sneppp_model *m, const shape *const *part, const sneppp_region *region,
                           const char *what)
{
   double value[3] = { 0, 0, 0 }, count = 0, scale, z, tol, kink;
   int axes = 0, finest;
   sneppp_error err;
   if (sneppp_count(m, region, 1, &count, NULL, &err) != SNEPPP_OK) return;
   for (int f = 0; f < m->factors; f++) axes += shape_axes(part[f]) < 0 ? 1 : shape_axes(part[f]);
   scale = magnitude(m, region, &z);
   MUST(count == count && count >= -1e-9 * scale, named("count", m), "%s: the expected number is %g", what,
        count);
   if (axes > 3 || !(scale > 0) || !(scale < 1e300)) {
      told->undecided++;
      return;
   }
   finest = axes == 1 ? 192 : axes == 2 ? 40 : 16;
   if (narrowest(m) * finest < 6) {
      told->undecided++;
      return;
   }
   for (int k = 0; k < 3; k++)
      if (!integral_at(m, part, k == 0 ? finest / 3 : k == 1 ? finest * 2 / 3 : finest, &value[k])) {
         told->undecided++;
         return;
      }
   for (int f = 0; f < m->factors; f++) /* where exponentials overflow and the density is 0, the intensity is NaN */
      if (value[2] != value[2] && m->desc.factor[f].window.space >= SNEPPP_SPACE_GAMMA &&
          m->desc.factor[f].window.space <= SNEPPP_SPACE_NORMAL) {
         told->undecided++;
         return;
      }
   kink = 0.3 * pow(finest, -kink_order(m)) * scale;
   tol = kink + 4 * fmax(fabs(value[2] - value[1]), 0.3 * fabs(value[1] - value[0])) +
         16 * EPS * (z + m->n) * scale + 1e-12 * scale;
   for (int f = 0; f < m->factors; f++) tol += rounded_corners(part[f]) * scale;
   if (!(tol < 0.02 * fmax(fabs(count), fabs(value[2])))) {
      told->undecided++;
      return;
   }
   MUST(fabs(count - value[2]) <= tol, named("count = integral", m),
        "%s: count %.15g, integral %.15g, %.15g, %.15g, tolerance %.3g", what, count, value[0], value[1],
        value[2], tol);
}

/* The density of the base measure at x, written here once more. */
static double base_density(const sneppp_model *m, const sneppp_real *x)
{
   double log_density = 0;
   for (int f = 0; f < m->factors; f++) {
      const sneppp_layer_state *L = &m->layer[f];
      const sneppp_window *v = &m->desc.factor[f].window, *in = &L->inside;
      double y = (double)x[L->first], sum = 0;
      switch (v->space) {
         case SNEPPP_SPACE_GAUSS:
            for (size_t c = 0; c < in->count; c++) {
               double term = in->weight[c];
               for (int r = 0; r < L->d; r++) {
                  double s = in->scale[c * (size_t)L->d + (size_t)r],
                         e =
                            ((double)x[L->first + r] - L->shift[r] - in->mean[c * (size_t)L->d + (size_t)r]) /
                            s;
                  term *= exp(-0.5 * e * e) / (s * 2.5066282746310002);
               }
               sum += term;
            }
            log_density += log(sum);
            break;
         case SNEPPP_SPACE_GAMMA: log_density += (v->param[0] - 1) * log(y) - v->param[1] * y; break;
         case SNEPPP_SPACE_BETA: log_density += (v->param[0] - 1) * log(y) + (v->param[1] - 1) * log(1 - y); break;
         case SNEPPP_SPACE_DIRICHLET:
            for (int r = 0; r < v->dim; r++) log_density += (v->param[r] - 1) * log((double)x[L->first + r]);
            break;
         case SNEPPP_SPACE_POISSON: log_density += y * log(v->param[0]) - lgamma(y + 1); break;
         case SNEPPP_SPACE_BINOMIAL:
            log_density += lgamma(v->param[0] + 1) - lgamma(y + 1) - lgamma(v->param[0] - y + 1);
            break;
         case SNEPPP_SPACE_NEGBINOMIAL:
            log_density += lgamma(y + v->param[0]) - lgamma(y + 1) - lgamma(v->param[0]);
            break;
         case SNEPPP_SPACE_FINITE: log_density += v->weight ? log(v->weight[(size_t)y]) : 0; break;
         case SNEPPP_SPACE_RASTER: {
            size_t at = 0;
            for (int r = v->dim - 1; r >= 0; r--)
               at = at * v->cells[0] + (size_t)(((double)x[L->first + r] - v->origin[r]) / v->cell[r]);
            log_density += v->weight ? log(v->weight[at]) : 0;
            for (int q = 0; v->tilt && q < v->covariates; q++) { /* straight between bends, constant beyond */
               const double *bend = v->tilt + 2 * SNEPPP_BENDS * q, *height = bend + SNEPPP_BENDS;
               double u = v->z[at * (size_t)v->covariates + (size_t)q], on = height[0];
               for (int k = 0; k + 1 < SNEPPP_BENDS && bend[k] <= u; k++)
                  on = u >= bend[k + 1] ? height[k + 1]
                                        : height[k] + (height[k + 1] - height[k]) * (u - bend[k]) / (bend[k + 1] - bend[k]);
               log_density += on;
            }
            break;
         }
         default: break;
      }
   }
   return exp(log_density);
}

/* ---- how sure it is: around the count or, where these contradict it, the events, and wider for a higher level. Refused
   for a reason is right, too. */
static void check_sure(const sneppp_model *m)
{
   static const double level[2] = { 0.5, 0.95 };
   sneppp_sure s[2];
   sneppp_error err;
   double count = 0, own = 0, z, scale = magnitude(m, NULL, &z);
   for (size_t i = 0; i < m->origin.count; i++) own += m->origin.scale * (double)m->origin.weight[i];
   for (int k = 0; k < 2; k++)
      if (sneppp_count_sure(m, NULL, 1, level[k], &s[k], NULL, &err) != SNEPPP_OK) {
         refused("count_sure", err.status, &err);
         return;
      }
   if (sneppp_count(m, NULL, 1, &count, NULL, &err) != SNEPPP_OK) return;
   if (!(scale > 0)) scale = count; /* not known */
   for (int k = 0; k < 2; k++) {
      MUST(s[k].lower >= 0 && s[k].lower <= fmax(s[k].mean, own) && s[k].lower <= s[k].upper &&
              fmin(s[k].mean, own) <= s[k].upper && s[k].upper < 1e300 && s[k].error >= 0, named("sure", m),
           "level %g: %g to %g around %g, error %g", level[k], s[k].lower, s[k].upper, s[k].mean, s[k].error);
      MUST(s[k].count_lower <= s[k].count_upper, named("sure", m), "level %g: a new count from %g to %g", level[k],
           (double)s[k].count_lower, (double)s[k].count_upper);
      MUST(fabs(s[k].mean - count) <= 64 * EPS * (z + m->n) * scale + 1e-9 * scale, named("sure = count", m),
           "%.15g and %.15g", s[k].mean, count);
   }
   MUST(s[1].lower <= s[0].lower * (1 + 1e-6) && s[1].upper >= s[0].upper * (1 - 1e-6) &&
           s[1].count_lower <= s[0].count_lower && s[1].count_upper >= s[0].count_upper, named("sure by level", m),
        "%g to %g at 0.5, %g to %g at 0.95", s[0].lower, s[0].upper, s[1].lower, s[1].upper);
}

/* ---- the answers of a model agree with each other at a few points */
static void check_ask(const sneppp_model *m)
{
   sneppp_real x[PROBES * MOST_COORDS], many[PROBES], *psi;
   sneppp_events e;
   sneppp_error err;
   double z;
   size_t D = (size_t)m->D;
   for (int k = 0; k < PROBES; k++) probe_at(k, x + (size_t)k * D);
   memset(&e, 0, sizeof e);
   e.x = x, e.count = PROBES;
   if (sneppp_intensities(m, &e, many, NULL, &err) != SNEPPP_OK)
      finding("intensities", "refused: %s", err.why);
   psi = (sneppp_real *)malloc((size_t)m->n * sizeof *psi);
   for (int k = 0; k < PROBES; k++) {
      const sneppp_real *at = x + (size_t)k * D;
      double one = (double)sneppp_intensity(m, at), logs = sneppp_log_intensity(m, at), top = 0, sum = 0,
             product = 1, sums = 0, tops = 1, direct;
      MUST(one == one && one >= 0, named("intensity", m), "the intensity at point %d is %g", k, one);
      if (sneppp_features(m, at, psi, &err) != SNEPPP_OK) {
         refused("features", err.status, &err);
         continue;
      }
      for (int r = 0; r < m->readouts; r++) {
         const sneppp_readout_state *R = &m->readout[r];
         double part = 0, most = 0;
         if (m->desc.readout == SNEPPP_READOUT_DIAGONAL)
            for (int i = 0; i < R->n; i++) {
               double v = (double)R->V[i] * (double)psi[R->first + i];
               part += v * v;
            }
         else
            for (int a = 0; a < R->m; a++) {
               double v = 0, size = 0;
               for (int i = 0; i < R->n; i++)
                  v += (double)R->V[a * R->n + i] * (double)psi[R->first + i],
                     size += fabs((double)R->V[a * R->n + i] * (double)psi[R->first + i]);
               part += v * v, most += size * size;
            }
         if (m->desc.readout == SNEPPP_READOUT_DIAGONAL) most = part;
         sum += part, product *= part, sums += most, tops *= most;
      }
      direct = m->alpha * (m->desc.mix == SNEPPP_MIX_SEPARABLE ? product : sum) + m->floor;
      top = m->alpha * (m->desc.mix == SNEPPP_MIX_SEPARABLE ? tops : sums) + m->floor;
      z = base_density(m, at); /* 1 for most */
      if (!(direct > 1e-30 && direct < 1e30 && top < 1e30) || !(z > 1e-30 && z < 1e30)) {
         told->undecided++;
         continue;
      }
      if (
         m->nodes) { /* through the tree, what is left out is small beside the sum of the peaks, not beside the value */
         double peaks = 0;
         for (int i = 0; i < m->n; i++) peaks += (double)m->readout[0].V[i] * (double)m->readout[0].V[i];
         if (m->desc.factor[0].unit.act != SNEPPP_ACT_RBF || m->factors > 1) {
            told->undecided++;
            continue;
         }
         top += (sizeof(sneppp_real) == 4 ? 1e2 : 1e6) * m->alpha * peaks * 1e-12 / EPS / m->n;
         if (sizeof(sneppp_real) == 4) {
            told->undecided++;
            continue;
         }
         MUST(fabs(one / z - direct) <= 1e-8 * direct + 1e-10 * m->alpha * peaks, "tree",
              "point %d: %.15g through the tree, %.15g from the features", k, one / z, direct);
         continue;
      }
      MUST(fabs(one - (double)many[k]) <= 32 * EPS * (m->n + 8) * top * z, "intensity = intensities",
           "point %d: %.15g and %.15g", k, one, (double)many[k]);
      MUST(fabs(log(one) - logs) <= 64 * EPS * (1 + fabs(logs)) + 1e-9 || !(one > 1e-30), "log_intensity",
           "point %d: log %.15g, but %.15g", k, log(one), logs);
      MUST(fabs(one / z - direct) <= 64 * EPS * (m->n + 8) * top, "features",
           "point %d: intensity %.15g, from the features %.15g", k, one / z, direct);
   }
   free(psi);
}
#endif
