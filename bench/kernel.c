/* K for each kernel of the catalogue, n = 200 units: the time of its value and of its pull-back. Pairs of equal units and
   first moments are timed as users call them, by sneppp_gram, sneppp_gram_log and sneppp_moments, after a comparison with
   the pairs, one by one; pairs of two activations, and the pull-backs of logarithms, pair by pair. Pull-backs are compared
   with differences of the values. Measures of the line have one dimension, spheres three, all others two; a number in a
   name is a dimension, a 1 after the space a first moment. */
#include "bench.h"

enum { units = 200 };

typedef struct row { /* a pair of activations that a rule knows */
   const sneppp__rule *rule;
   sneppp_space space;
   sneppp_act act[2];
   int dim, log, swap, mixture;
   char name[64];
} row;

typedef struct kernel {
   const row *row;
   sneppp_window win;
   sneppp_layer layer;
   sneppp_layer_grad grad;
   int pull, stats;
   double *K, *G; /* (units, units), or (units) for first moments */
} kernel;

static const double ends[] = { -1, -0.2, 0.1, 0.9 };
static const double pentagon[] = { -1, -1, 1, -1, 1.2, 0.3, 0.5, 1.1, -0.9, 0.8 };
static const double scales[] = { 1, 0.7, 0.4, 1.2 };
static const double points[] = { -1, 0.5, 0.2, 0.3, -0.6, 1, 0.9, -0.4, 0.1, 0.7 };

static sneppp_window window_of(sneppp_space space, int dim)
{
   sneppp_window w;
   memset(&w, 0, sizeof w);
   w.space = space;
   w.dim = dim > 0 ? dim : 2;
   w.radius = 1;
   w.param[0] = w.param[1] = 3;
   for (int r = 0; r < w.dim; r++) w.lo[r] = -1, w.hi[r] = 1;
   switch (space) {
      case SNEPPP_SPACE_SPHERE: w.dim = dim > 0 ? dim : 3; break;
      case SNEPPP_SPACE_INTERVALS: w.dim = 1, w.count = 2, w.ends = ends; break;
      case SNEPPP_SPACE_POLYGON: w.dim = 2, w.count = 5, w.xy = pentagon; break;
      case SNEPPP_SPACE_GAMMA:
      case SNEPPP_SPACE_BETA:
      case SNEPPP_SPACE_POISSON:
      case SNEPPP_SPACE_BINOMIAL:
      case SNEPPP_SPACE_NEGBINOMIAL:
      case SNEPPP_SPACE_NORMAL:
      case SNEPPP_SPACE_VONMISES: w.dim = 1; break;
      case SNEPPP_SPACE_FINITE: w.count = 5, w.point = points; break;
      default: break;
   }
   return w;
}

static sneppp_unit unit_of(sneppp_act act)
{
   sneppp_unit u;
   u.act = act;
   u.p = act == SNEPPP_ACT_STEP ? 0 : act == SNEPPP_ACT_LEAKY ? 0.1 : 1;
   u.q = 1;
   return u;
}

static int is_moment(const kernel *k) { return k->row->act[1] == SNEPPP_ACT_ONE; }

/* Is this what sneppp_gram and its like compute for a layer of such units? */
static int is_whole(const kernel *k)
{
   return (k->row->act[0] == k->row->act[1] || is_moment(k)) && !(k->row->log && (is_moment(k) || k->pull));
}

/* Every pair i <= j once, as the row defines it: the reference. */
static void run_pairs(void *arg)
{
   kernel *k = (kernel *)arg;
   size_t d = (size_t)k->stats, last = is_moment(k) ? 1 : units;
   sneppp__pair p;
   sneppp__pull out;
   memset(&p, 0, sizeof p);
   memset(&out, 0, sizeof out);
   p.rule = k->row->rule, p.win = &k->win, p.d = k->stats, p.log = k->row->log;
   for (size_t i = 0; i < units; i++)
      for (size_t j = last == 1 ? 0 : i; j < last; j++) {
         size_t u = last == 1 ? i : j,
                at = i * last + j; /* a constant unit borrows weights that nothing reads */
         double value;
         out.g = last == 1 || i == j ? k->G[at] : k->G[at] + k->G[j * last + i];
         for (int side = 0; side < 2; side++) {
            int to = side ^ k->row->swap;
            size_t v = side ? u : i;
            p.u[to] = unit_of(k->row->act[side]);
            p.w[to] = k->layer.W + v * d, p.l[to] = k->layer.width + v * d, p.b[to] = k->layer.b ? k->layer.b[v] : 0;
            out.w[to] = k->grad.W + v * d, out.l[to] = k->grad.width + v * d, out.b[to] = k->grad.b + v;
         }
         value = sneppp__pair_value(&p, k->pull ? &out : NULL);
         if (!k->pull) k->K[at] = last > 1 ? (k->K[j * last + i] = value) : value;
      }
}

static void run_whole(void *arg)
{
   kernel *k = (kernel *)arg;
   sneppp_error err;
   sneppp_status st = is_moment(k) ? k->pull ? sneppp_moments_grad(&k->win, &k->layer, k->G, &k->grad, &err)
                                             : sneppp_moments(&k->win, &k->layer, k->K, &err)
                      : k->pull ? sneppp_gram_grad(&k->win, &k->layer, k->G, &k->grad, NULL, &err)
                      : k->row->log ? sneppp_gram_log(&k->win, &k->layer, k->K, NULL, &err)
                                   : sneppp_gram(&k->win, &k->layer, k->K, NULL, &err);
   bench_must(st, &err);
}

/* <G, K> along a direction through the weights; differences of it are what the pull-back must say. */
static double along(kernel *k, double *W, const double *from, const double *direction, double step)
{
   size_t entries = is_moment(k) ? units : (size_t)units * units;
   double sum = 0;
   for (size_t i = 0; i < units * (size_t)k->stats; i++) W[i] = from[i] + step * direction[i];
   run_pairs(k);
   for (size_t i = 0; i < entries; i++) sum += k->G[i] * k->K[i];
   return sum;
}

static void check(kernel *k, double *W, double *reference, double *from, double *direction)
{
   size_t weights = units * (size_t)k->stats, entries = is_moment(k) ? units : (size_t)units * units;
   const char *name = k->row->name;
   double size = 0, slope = 0, want = 0, scale = 0;
   int good = 0;
   k->pull = 0;
   run_pairs(k);
   memcpy(reference, k->K, entries * sizeof *reference);
   for (size_t i = 0; i < entries; i++) {
      bench_check(reference[i] - reference[i] == 0, "%s is not finite", name);
      size = fabs(reference[i]) > size ? fabs(reference[i]) : size;
   }
   if (is_whole(k)) {
      run_whole(k);
      for (size_t i = 0; i < entries; i++)
         bench_check(fabs(k->K[i] - reference[i]) <= 1e-11 * size, "%s: entry %d is %.17g, by pairs %.17g",
                     name, (int)i, k->K[i], reference[i]);
   }
   memcpy(from, W, weights * sizeof *from);
   for (size_t i = 0; i < weights; i++) direction[i] = bench_uniform();
   memset(k->grad.W, 0, weights * sizeof *k->grad.W);
   k->pull = 1;
   (is_whole(k) ? run_whole : run_pairs)(k);
   for (size_t i = 0; i < weights; i++)
      want += k->grad.W[i] * direction[i], scale += fabs(k->grad.W[i] * direction[i]);
   k->pull = 0;
   for (double step = 1e-5; step > 1e-8 && !good; step /= 10) { /* where a cap touches another, slopes jump: step over less */
      slope = (along(k, W, from, direction, step) - along(k, W, from, direction, -step)) / (2 * step);
      good = fabs(want - slope) <= 1e-5 * scale + 1e-7 * size;
   }
   memcpy(W, from, weights * sizeof *from);
   bench_check(good, "%s: the pull-back says %.12g, differences %.12g of %g", name, want, slope, scale);
}

static void bench_row(const row *of)
{
   static double W[units * SNEPPP__MAX_STATS], b[units], width[units * SNEPPP__MAX_STATS], K[units * units],
      G[units * units];
   static double gW[units * SNEPPP__MAX_STATS], gb[units], gwidth[units * SNEPPP__MAX_STATS];
   static double reference[units * units], from[units * SNEPPP__MAX_STATS],
      direction[units * SNEPPP__MAX_STATS];
   kernel k;
   int family = of->space >= SNEPPP_SPACE_GAMMA && of->space <= SNEPPP_SPACE_NORMAL;
   memset(&k, 0, sizeof k);
   k.row = of;
   k.win = window_of(of->space, of->dim);
   if (of->mixture) k.win.count = 2, k.win.scale = scales;
   k.stats = sneppp__stats(&k.win);
   for (size_t i = 0; i < units * (size_t)k.stats; i++) {
      W[i] =
         family ? -0.1 - 0.4 * (1 + bench_uniform()) : 3 * bench_uniform(); /* inside the natural domain */
      if (of->space == SNEPPP_SPACE_BETA || of->space == SNEPPP_SPACE_DIRICHLET) W[i] = fabs(W[i]);
      width[i] = 1.5 + bench_uniform();
   }
   for (size_t i = 0; i < units; i++) b[i] = bench_uniform();
   for (size_t i = 0; i < units * units; i++) G[i] = bench_uniform();
   k.layer.n = units, k.layer.unit = unit_of(of->act[0]);
   k.layer.W = W, k.layer.width = width,
   k.layer.b = (of->rule->flags & SNEPPP__NO_BIAS) || of->act[0] == SNEPPP_ACT_RBF ? NULL : b;
   k.grad.W = gW, k.grad.b = gb, k.grad.width = gwidth;
   k.K = K, k.G = G;
   check(&k, W, reference, from, direction);
   for (k.pull = 0; k.pull < 2; k.pull++)
      bench_line(1e3 * bench_fastest(is_whole(&k) ? run_whole : run_pairs, &k, 1), "ms", "K_%s%s",
                 of->name, k.pull ? "_pull" : "");
}

/* The pair on the space, if this rule is the one for it; of finite sets, where all are alike, only cos. */
static void bench_pair(size_t rule, sneppp_space space, int dim, sneppp_act a, sneppp_act b, int log)
{
   static const char *const prefix[] = { "b", "g", "s", "i", "p", "ball", "euclid", "gamma", "beta", "dirichlet", "poisson",
                                         "binomial", "negbin", "normal", "vonmises", "finite" };
   const sneppp__rule *known = &sneppp__rules[rule];
   sneppp_window win = window_of(space, dim);
   char number[8] = "";
   row r;
   int found = sneppp__find_rule(&win, sneppp__stats(&win), a, b, !(known->flags & SNEPPP__NO_BIAS), log);
   if ((found < 0 ? -found : found) != (int)rule + 1) return;
   if (dim && sneppp__stats(&win) != dim) return;
   if (space == SNEPPP_SPACE_FINITE && !log && (a != SNEPPP_ACT_COS || b != SNEPPP_ACT_COS)) return;
   memset(&r, 0, sizeof r);
   r.rule = known, r.space = space, r.act[0] = a, r.act[1] = b, r.dim = dim, r.log = log, r.swap = found < 0;
   if (dim) sprintf(number, "%d", dim);
   sprintf(r.name, "%s%s%s_%s%s%s%s", prefix[space], number, b == SNEPPP_ACT_ONE ? "1" : "", sneppp__act_name(a),
           a == b || b == SNEPPP_ACT_ONE ? "" : "_", a == b || b == SNEPPP_ACT_ONE ? "" : sneppp__act_name(b), log ? "_log" : "");
   bench_row(&r);
   if (strcmp(r.name, "g_cos")) return;
   r.mixture = 1;
   strcpy(r.name, "gmix_cos");
   bench_row(&r);
}

int main(void)
{
   for (size_t rule = 0; rule < SNEPPP__RULES; rule++) {
      const sneppp_kernel_info *info = &sneppp__rules[rule].info;
      for (int space = 0; space < SNEPPP_SPACE_END; space++)
         for (int dim = info->dim[0]; (info->spaces >> space & 1) && dim <= info->dim[1]; dim++)
            for (int a = SNEPPP_ACT_COS; a < SNEPPP_ACT_END; a++)
               for (int b = a; b < SNEPPP_ACT_END; b++)
                  for (int log = 0; log < 2; log++)
                     bench_pair(rule, (sneppp_space)space, dim, (sneppp_act)a, (sneppp_act)b, log);
   }
   return 0;
}
