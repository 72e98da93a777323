/* Closed forms: nanoseconds per entry for each row of the kernel table, value and pull-back; and the time of whole
   Gram matrices and their pull-backs at several sizes. One core. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "bench.h"

enum { units = 48 };

typedef struct bench_case {
   const sneppp__row *row; /* NULL: a whole matrix */
   sneppp_window      win;
   sneppp_layer       layer;
   sneppp_layer_grad  out;
   double            *K, *G;
   int                pull, repeat, n;
   double             sink;
} bench_case;

static uint64_t bench_state = 7;

static double bench_uniform(void)
{
   bench_state = bench_state * 6364136223846793005ULL + 1442695040888963407ULL;
   return (double)(bench_state >> 11) / 9007199254740992.0 * 2 - 1;
}

static const double bench_ends[] = { -1, -0.2, 0.1, 0.9 };
static const double bench_square[] = { -1, -1, 1, -1, 1.2, 0.3, 0.5, 1.1, -0.9, 0.8 };
static const double bench_points[] = { -1, 0.5, 0.2, 0.3, -0.6, 1, 0.9, -0.4, 0.1, 0.7 };

static sneppp_window bench_window(sneppp_space space, int dim)
{
   sneppp_window w;
   memset(&w, 0, sizeof w);
   w.space = space;
   w.dim = dim ? dim : 2;
   w.radius = 1;
   w.param[0] = w.param[1] = 3;
   for (int r = 0; r < w.dim; r++) { w.lo[r] = -1; w.hi[r] = 1; }
   switch (space) {
      case SNEPPP_SPHERE: w.dim = dim ? dim : 3; break;
      case SNEPPP_INTERVALS: w.dim = 1; w.count = 2; w.ends = bench_ends; break;
      case SNEPPP_POLYGON: w.count = 5; w.xy = bench_square; break;
      case SNEPPP_GAMMA: case SNEPPP_BETA: case SNEPPP_POISSON: case SNEPPP_BINOMIAL: case SNEPPP_NEGBINOMIAL:
      case SNEPPP_NORMAL: case SNEPPP_VONMISES: w.dim = 1; break;
      case SNEPPP_FINITE: w.count = 5; w.point = bench_points; break;
      default: break;
   }
   return w;
}

static sneppp_unit bench_unit(sneppp_act act)
{
   sneppp_unit u;
   u.act = act == SNEPPP_ACT_END ? SNEPPP_COS : act;
   u.p = act == SNEPPP_STEP ? 0 : act == SNEPPP_LEAKY ? 0.1 : 1;
   u.q = 1;
   return u;
}

/* Random units; exp units on a family stay in the natural parameter domain. */
static void bench_fill(int n, int d, const sneppp_window *win, double *W, double *b, double *width)
{
   int family = win->space >= SNEPPP_GAMMA && win->space <= SNEPPP_NORMAL;
   for (int i = 0; i < n * d; i++) {
      W[i] = family ? -0.1 - 0.4 * (1 + bench_uniform()) : 3 * bench_uniform();
      if (win->space == SNEPPP_BETA || win->space == SNEPPP_DIRICHLET) W[i] = fabs(W[i]);
      width[i] = 1.5 + bench_uniform();
   }
   for (int i = 0; i < n; i++) b[i] = bench_uniform();
}

static void bench_row(void *arg)
{
   bench_case  *c = (bench_case *)arg;
   size_t       d = (size_t)sneppp__stats(&c->win);
   sneppp__pair p;
   sneppp__pull out;
   double       w[2][SNEPPP__MAX_STATS], l[2][SNEPPP__MAX_STATS], b[2];
   memset(w, 0, sizeof w);
   memset(l, 0, sizeof l);
   memset(b, 0, sizeof b);
   out.g = 1;
   out.wi = w[0]; out.wj = w[1];
   out.li = l[0]; out.lj = l[1];
   out.bi = &b[0]; out.bj = &b[1];
   out.weight = out.mean = out.scale = NULL;
   p.row = c->row;
   p.win = &c->win;
   p.d = (int)d;
   p.ui = bench_unit(c->row->info.act_i);
   p.uj = bench_unit(c->row->info.act_j);
   p.log = (c->row->flags & SNEPPP__LOG) != 0;
   for (int k = 0; k < c->repeat; k++) {
      size_t i = (size_t)k % units, j = (size_t)(k / units + 1) * 7 % units;
      p.wi = c->layer.W + i * d; p.wj = c->layer.W + j * d;
      p.li = c->layer.width + i * d; p.lj = c->layer.width + j * d;
      p.bi = c->row->flags & SNEPPP__NO_BIAS ? 0 : c->layer.b[i];
      p.bj = c->row->flags & SNEPPP__NO_BIAS ? 0 : c->layer.b[j];
      c->sink += c->row->pair(&p, c->pull ? &out : NULL);
   }
}

static void bench_matrix(void *arg)
{
   bench_case *c = (bench_case *)arg;
   for (int k = 0; k < c->repeat; k++) {
      if (c->pull) sneppp_gram_grad(&c->win, &c->layer, c->G, &c->out, NULL, NULL);
      else sneppp_gram(&c->win, &c->layer, c->K, NULL, NULL);
   }
}

static void bench_table(double *W, double *b, double *width)
{
   printf("%-20s %12s %12s   (d = 2, spheres 3)\n", "row", "value ns", "pull-back ns");
   for (size_t k = 0; k < SNEPPP__ROWS; k++) {
      bench_case c;
      double     ns[2];
      memset(&c, 0, sizeof c);
      c.row = &sneppp__rows[k];
      c.win = bench_window(c.row->info.space, c.row->dim > 0 ? c.row->dim : 0);
      bench_fill(units, sneppp__stats(&c.win), &c.win, W, b, width);
      c.layer.W = W;
      c.layer.b = b;
      c.layer.width = width;
      c.repeat = 1000;
      for (c.pull = 0; c.pull < 2; c.pull++) ns[c.pull] = bench_measure(bench_row, &c).median / c.repeat * 1e9;
      printf("%-20s %12.0f %12.0f\n", c.row->info.name, ns[0], ns[1]);
   }
}

typedef struct bench_matrix_case { const char *name; sneppp_space space; int dim; sneppp_act act; int bias; } bench_matrix_case;

int main(void)
{
   static const bench_matrix_case list[] = {
      { "cos on a box, d = 2", SNEPPP_BOX, 2, SNEPPP_COS, 1 },        { "exp on a box, d = 2", SNEPPP_BOX, 2, SNEPPP_EXP, 1 },
      { "ReLU on S^2, no bias", SNEPPP_SPHERE, 3, SNEPPP_RELU, 0 },   { "ReLU on S^2, bias", SNEPPP_SPHERE, 3, SNEPPP_RELU, 1 },
      { "cos, Gaussian, d = 2", SNEPPP_GAUSS, 2, SNEPPP_COS, 1 },     { "ReLU, Gaussian, d = 2", SNEPPP_GAUSS, 2, SNEPPP_RELU, 1 },
      { "exp on S^2", SNEPPP_SPHERE, 3, SNEPPP_EXP, 1 },              { "cos on a pentagon", SNEPPP_POLYGON, 2, SNEPPP_COS, 1 },
      { "ReLU on a pentagon", SNEPPP_POLYGON, 2, SNEPPP_RELU, 1 },    { "RBF on a box, d = 2", SNEPPP_BOX, 2, SNEPPP_RBF, 0 },
      { "ReLU on 2 intervals", SNEPPP_INTERVALS, 1, SNEPPP_RELU, 1 }, { "cos on a disc", SNEPPP_BALL, 2, SNEPPP_COS, 1 }
   };
   static const int size[] = { 80, 200, 300, 1000 };
   enum { most = 1000 };
   double *W = (double *)malloc(3 * most * sizeof *W), *b = (double *)malloc(most * sizeof *b), *width = (double *)malloc(3 * most * sizeof *width);
   double *K = (double *)malloc(most * most * sizeof *K), *G = (double *)malloc(most * most * sizeof *G);
   double *gw = (double *)calloc(3 * most, sizeof *gw), *gb = (double *)calloc(most, sizeof *gb), *gl = (double *)calloc(3 * most, sizeof *gl);
   if (!W || !b || !width || !K || !G || !gw || !gb || !gl) return 1;
   printf("kernel: %s\n%-24s", BENCH_COMPILER, "ms: K, pull-back");
   for (int s = 0; s < 4; s++) printf("        n = %4d  ", size[s]);
   printf("\n");
   for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
      bench_case c;
      memset(&c, 0, sizeof c);
      c.win = bench_window(list[k].space, list[k].dim);
      c.layer.unit = bench_unit(list[k].act);
      bench_fill(most, sneppp__stats(&c.win), &c.win, W, b, width);
      for (int i = 0; i < most * most; i++) G[i] = bench_uniform();
      c.layer.W = W;
      c.layer.b = list[k].bias ? b : NULL;
      c.layer.width = list[k].act == SNEPPP_RBF ? width : NULL;
      c.K = K;
      c.G = G;
      c.out.W = gw;
      c.out.b = gb;
      c.out.width = list[k].act == SNEPPP_RBF ? gl : NULL;
      printf("%-24s", list[k].name);
      for (int s = 0; s < 4; s++) {
         double ms[2];
         c.layer.n = size[s];
         c.repeat = 1;
         for (c.pull = 0; c.pull < 2; c.pull++) /* the largest once: it is long enough */
            ms[c.pull] = 1e3 * (size[s] < 500 ? bench_measure(bench_matrix, &c).median : bench_once(bench_matrix, &c));
         printf(" %8.2f %8.2f", ms[0], ms[1]);
      }
      printf("\n");
   }
   printf("\n");
   bench_table(W, b, width);
   free(W); free(b); free(width); free(K); free(G); free(gw); free(gb); free(gl);
   return 0;
}
