/* K for each kernel of the catalogue, n = 200 units: the time of its value and of its pull-back. Rows of one activation
   are timed as users call them, by sneppp_gram, sneppp_gram_log and sneppp_moments, after a comparison with the pairs,
   one by one; rows of two activations, and the pull-backs of logarithms, pair by pair. Pull-backs are compared with
   differences of the values. Measures of the line have one dimension, spheres three, all others two. */
#include "bench.h"

enum { units = 200 };

typedef struct kernel {
   const sneppp__row *row;
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
      case SNEPPP_SPHERE: w.dim = dim > 0 ? dim : 3; break;
      case SNEPPP_INTERVALS: w.dim = 1, w.count = 2, w.ends = ends; break;
      case SNEPPP_POLYGON: w.count = 5, w.xy = pentagon; break;
      case SNEPPP_GAMMA:
      case SNEPPP_BETA:
      case SNEPPP_POISSON:
      case SNEPPP_BINOMIAL:
      case SNEPPP_NEGBINOMIAL:
      case SNEPPP_NORMAL:
      case SNEPPP_VONMISES: w.dim = 1; break;
      case SNEPPP_FINITE: w.count = 5, w.point = points; break;
      default: break;
   }
   return w;
}

static sneppp_unit unit_of(sneppp_act act)
{
   sneppp_unit u;
   u.act = act == SNEPPP_ACT_END ? SNEPPP_COS : act; /* finite sets take any */
   u.p = act == SNEPPP_STEP ? 0 : act == SNEPPP_LEAKY ? 0.1 : 1;
   u.q = 1;
   return u;
}

static int is_moment(const kernel *k) { return k->row->info.act_j == SNEPPP_ONE; }
static int is_log(const kernel *k) { return (k->row->flags & SNEPPP__LOG) != 0; }

/* Is the row what sneppp_gram and its like use for these units, or is what they use the same function? */
static int is_whole(const kernel *k)
{
   sneppp_act i = k->layer.unit.act, j = unit_of(k->row->info.act_j).act;
   short found = sneppp__find_row(&k->win, k->stats, i, j, k->layer.b != NULL, 1, is_log(k));
   const sneppp__row *used = &sneppp__rows[found > 0 ? found - 1 : 0];
   return found > 0 && (i == j || is_moment(k)) && !(is_log(k) && (is_moment(k) || k->pull)) &&
          used->pair == k->row->pair && used->laplace == k->row->laplace && used->gauss == k->row->gauss;
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
   p.row = k->row, p.win = &k->win, p.d = k->stats, p.log = is_log(k);
   p.ui = unit_of(k->row->info.act_i), p.uj = unit_of(k->row->info.act_j);
   for (size_t i = 0; i < units; i++)
      for (size_t j = last == 1 ? 0 : i; j < last; j++) {
         size_t u = last == 1 ? i : j,
                at = i * last + j; /* a constant unit borrows weights that nothing reads */
         double value;
         p.wi = k->layer.W + i * d, p.wj = k->layer.W + u * d;
         p.li = k->layer.width + i * d, p.lj = k->layer.width + u * d;
         p.bi = k->layer.b ? k->layer.b[i] : 0, p.bj = k->layer.b ? k->layer.b[u] : 0;
         out.g = last == 1 || i == j ? k->G[at] : k->G[at] + k->G[j * last + i];
         out.wi = k->grad.W + i * d, out.wj = k->grad.W + u * d;
         out.li = k->grad.width + i * d, out.lj = k->grad.width + u * d;
         out.bi = k->grad.b + i, out.bj = k->grad.b + u;
         value = k->row->pair(&p, k->pull ? &out : NULL);
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
                      : is_log(k)  ? sneppp_gram_log(&k->win, &k->layer, k->K, NULL, &err)
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
   const char *name = k->row->info.name;
   double size = 0, slope, want = 0, scale = 0, step = 1e-5;
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
   slope = (along(k, W, from, direction, step) - along(k, W, from, direction, -step)) / (2 * step);
   memcpy(W, from, weights * sizeof *from);
   memset(k->grad.W, 0, weights * sizeof *k->grad.W);
   k->pull = 1;
   (is_whole(k) ? run_whole : run_pairs)(k);
   for (size_t i = 0; i < weights; i++)
      want += k->grad.W[i] * direction[i], scale += fabs(k->grad.W[i] * direction[i]);
   bench_check(fabs(want - slope) <= 1e-5 * scale + 1e-7 * size,
               "%s: the pull-back says %.12g, differences %.12g of %g", name, want, slope, scale);
}

static void bench_row(const sneppp__row *row)
{
   static double W[units * SNEPPP__MAX_STATS], b[units], width[units * SNEPPP__MAX_STATS], K[units * units],
      G[units * units];
   static double gW[units * SNEPPP__MAX_STATS], gb[units], gwidth[units * SNEPPP__MAX_STATS];
   static double reference[units * units], from[units * SNEPPP__MAX_STATS],
      direction[units * SNEPPP__MAX_STATS];
   kernel k;
   int family = row->info.space >= SNEPPP_GAMMA && row->info.space <= SNEPPP_NORMAL;
   memset(&k, 0, sizeof k);
   k.row = row;
   k.win = window_of(row->info.space, row->dim);
   if (!strncmp(row->info.name, "gmix", 4)) k.win.count = 2, k.win.scale = scales;
   k.stats = sneppp__stats(&k.win);
   for (size_t i = 0; i < units * (size_t)k.stats; i++) {
      W[i] =
         family ? -0.1 - 0.4 * (1 + bench_uniform()) : 3 * bench_uniform(); /* inside the natural domain */
      if (row->info.space == SNEPPP_BETA || row->info.space == SNEPPP_DIRICHLET) W[i] = fabs(W[i]);
      width[i] = 1.5 + bench_uniform();
   }
   for (size_t i = 0; i < units; i++) b[i] = bench_uniform();
   for (size_t i = 0; i < units * units; i++) G[i] = bench_uniform();
   k.layer.n = units, k.layer.unit = unit_of(row->info.act_i);
   k.layer.W = W, k.layer.width = width,
   k.layer.b = row->flags & (SNEPPP__NO_BIAS | SNEPPP__RADIAL) ? NULL : b;
   k.grad.W = gW, k.grad.b = gb, k.grad.width = gwidth;
   k.K = K, k.G = G;
   check(&k, W, reference, from, direction);
   for (k.pull = 0; k.pull < 2; k.pull++)
      bench_line(1e3 * bench_fastest(is_whole(&k) ? run_whole : run_pairs, &k, 1), "ms", "K_%s%s",
                 row->info.name, k.pull ? "_pull" : "");
}

int main(void)
{
   for (size_t i = 0; i < SNEPPP__ROWS; i++) bench_row(&sneppp__rows[i]);
   return 0;
}
