/* The kernel floor: the public vectors; every row of the table against finite differences and quadrature; the properties
   that any Gram matrix has; drivers, threads and refusals. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "oracle_core.h"

static uint64_t kernel_state = 1;

static double kernel_uniform(void) /* in (-1, 1) */
{
   kernel_state = kernel_state * 6364136223846793005ULL + 1442695040888963407ULL;
   return (double)(int64_t)(kernel_state >> 11) / 4503599627370496.0 - 1;
}

/* ---- the public vectors ---- */

static oracle kernel_oracle;

static int kernel_vectors(const char *name)
{
   static const char *const folder[] = { "tests/", "", "../tests/", "../../tests/" };
   char                     path[96];
   size_t                   k;
   memset(&kernel_oracle, 0, sizeof kernel_oracle);
   kernel_oracle.log = stdout;
#ifdef __FAST_MATH__
   kernel_oracle.factor = 4;
#else
   kernel_oracle.factor = 1;
#endif
   for (k = 0; k < sizeof folder / sizeof folder[0]; k++) {
      FILE *f;
      strcpy(path, folder[k]);
      strcat(path, name);
      f = fopen(path, "r");
      if (!f) continue;
      fclose(f);
      return oracle_file(&kernel_oracle, path);
   }
   return 0;
}

TEST kernel_public_values(void)
{
   ASSERT(kernel_vectors("nnk_vectors.txt"));
   ASSERT_EQ(kernel_oracle.rows, 1750);
   ASSERT_EQ(kernel_oracle.names, 95);
   ASSERT_EQ(kernel_oracle.failed, 0);
   PASS();
}

TEST kernel_public_gradients(void)
{
   ASSERT(kernel_vectors("nnk_gradients.txt"));
   ASSERT(kernel_oracle.gradients);
   ASSERT_EQ(kernel_oracle.rows, 379);
   ASSERT_EQ(kernel_oracle.failed, 0);
   PASS();
}

/* A file with one digit changed must fail, in whichever number the digit is. */
TEST kernel_oracle_sees_changes(void)
{
   static const double value[] = { 1, 6, 0, 1, -0.26468568478687554, 0.97365920661806293, -0.65011189509195244, -0.98831625269440959, 0.15201273035906254, 1.66e-16, 0.376 };
   static const double slope[] = { 1, 4, -1.1826199112106286, -0.021910413825142694, -0.35118071898947756, 1.0411720451227258, 0.36054061013231525, -0.1140621833565586, 0.4985539002479587, 0.67364724329968584, -1.0948542904000393 };
   double              row[11];
   int                 k;
   memset(&kernel_oracle, 0, sizeof kernel_oracle);
   kernel_oracle.factor = 1;
   oracle_line(&kernel_oracle, "g_cos", 11, value, 0, 1);
   oracle_line(&kernel_oracle, "b1_cos", 11, slope, 1, 1);
   ASSERT_EQ(kernel_oracle.failed, 0);
   for (k = 2; k < 9; k++) {
      int failed = kernel_oracle.failed;
      memcpy(row, value, sizeof row);
      row[k] += 1e-10;
      oracle_line(&kernel_oracle, "g_cos", 11, row, 0, 1);
      ASSERT_EQ(kernel_oracle.failed, failed + 1);
   }
   for (k = 9; k < 11; k++) { /* derivatives by w and by b */
      int failed = kernel_oracle.failed;
      memcpy(row, slope, sizeof row);
      row[k] += 1e-9;
      oracle_line(&kernel_oracle, "b1_cos", 11, row, 1, 1);
      ASSERT_EQ(kernel_oracle.failed, failed + 1);
   }
   k = kernel_oracle.failed;
   oracle_line(&kernel_oracle, "g_tanh", 11, value, 0, 1);
   ASSERT_EQ(kernel_oracle.unknown, 1);
   oracle_line(&kernel_oracle, "b_cos", 11, value, 0, 1); /* lo = 0, hi = 1: another kernel, another value */
   ASSERT_EQ(kernel_oracle.failed, k + 2);
   PASS();
}

/* ---- windows and units of every kind ---- */

static const double kernel_ends[] = { -1.2, -0.3, 0.1, 0.4, 0.5, 1.3 };
static const double kernel_ring[] = { -1, -0.8, 0.9, -1.1, 1.2, 0.3, 0.2, 0.1, 0.4, 1.1, -0.9, 0.8,   -0.6, -0.5, -0.2, -0.5, -0.3, 0.2 };
static const size_t kernel_rings[] = { 6, 3 };
static const double kernel_points[] = { -1, 0.5, 0.2, 0.3, -0.6, 1, 0.9, -0.4, 0.1, 0.7, 0, 0 };
static const double kernel_mu[] = { 0.5, 1.5, 0.3, 2, 0.7, 1 };
static const double kernel_pi[] = { 0.4, 1.1 };
static const double kernel_mean[] = { 0.3, -0.2, 0.5, -0.7, 0.1, 0.4 };
static const double kernel_scale[] = { 0.8, 1.1, 0.6, 0.9, 0.5, 1.3 };

static sneppp_window kernel_window(sneppp_space space, int dim)
{
   sneppp_window w;
   int           r;
   memset(&w, 0, sizeof w);
   w.space = space;
   w.dim = dim > 0 ? dim : 2;
   w.radius = 1.4;
   w.param[0] = 2.5;
   w.param[1] = 1.75;
   w.param[2] = 3.25;
   for (r = 0; r < w.dim; r++) {
      w.lo[r] = -0.7 + 0.2 * r;
      w.hi[r] = 1.1 + 0.1 * r;
      w.centre[r] = 0.3 - 0.4 * r;
   }
   switch (space) {
      case SNEPPP_GAUSS: w.count = 2; w.weight = kernel_pi; w.mean = kernel_mean; w.scale = kernel_scale; break;
      case SNEPPP_SPHERE: w.dim = dim > 0 ? dim : 4; break;
      case SNEPPP_INTERVALS: w.dim = 1; w.count = 3; w.ends = kernel_ends; break;
      case SNEPPP_POLYGON: w.dim = 2; w.rings = 2; w.ring_size = kernel_rings; w.xy = kernel_ring; break;
      case SNEPPP_BINOMIAL: w.dim = 1; w.param[0] = 7; break;
      case SNEPPP_DIRICHLET: w.dim = dim > 0 ? dim : 3; break;
      case SNEPPP_GAMMA: case SNEPPP_BETA: case SNEPPP_POISSON: case SNEPPP_NEGBINOMIAL:
      case SNEPPP_NORMAL: case SNEPPP_VONMISES: w.dim = 1; break;
      case SNEPPP_FINITE: w.count = 6; w.point = kernel_points; w.weight = kernel_mu; break;
      default: break;
   }
   return w;
}

static sneppp_unit kernel_unit(sneppp_act act, int second)
{
   sneppp_unit u;
   u.act = act;
   u.p = u.q = 0;
   switch (act) {
      case SNEPPP_SNAKE: case SNEPPP_COSMIDENT: u.p = 0.8; break;
      case SNEPPP_RELU: u.p = 1; break;
      case SNEPPP_RECT: u.p = second ? 2 : 1; break;
      case SNEPPP_MONOMIAL: u.p = second ? 3 : 2; break;
      case SNEPPP_LEAKY: u.p = 0.15; break;
      case SNEPPP_ELU: u.p = 0.9; break;
      case SNEPPP_BELL: u.p = 0.6; break;
      case SNEPPP_GABOR_SIN: case SNEPPP_GABOR_COS: u.p = 0.5; u.q = 1.3; break;
      default: break;
   }
   return u;
}

/* Random weights for one unit; families keep exp units in the domain of the natural parameters. */
static void kernel_weights(const sneppp_window *win, int d, double *w, double *l, double *b)
{
   int r;
   for (r = 0; r < d; r++) {
      w[r] = 1.6 * kernel_uniform();
      if (win->space == SNEPPP_NORMAL || win->space == SNEPPP_NEGBINOMIAL) w[r] = -0.7 - 0.5 * kernel_uniform();
      if (win->space == SNEPPP_GAMMA) w[r] *= 0.4;
      if (win->space == SNEPPP_BETA || win->space == SNEPPP_DIRICHLET) w[r] *= 0.5;
      if (win->space == SNEPPP_POISSON || win->space == SNEPPP_BINOMIAL) w[r] *= 0.4;
      l[r] = 1 + 0.6 * kernel_uniform();
   }
   *b = 0.8 * kernel_uniform();
}

typedef struct kernel_case {
   sneppp__pair  p;
   sneppp_window win;
   double        w[2][SNEPPP__MAX_STATS], l[2][SNEPPP__MAX_STATS], weight[2], mean[6], scale[6];
} kernel_case;

/* One entry of row `row` with random units. act replaces "any". */
static void kernel_make(kernel_case *c, const sneppp__row *row, sneppp_act act_i, sneppp_act act_j)
{
   int dim = row->dim < 0 ? -row->dim : row->dim; /* negative: at most */
   memset(c, 0, sizeof *c);
   c->win = kernel_window(row->info.space, dim);
   if (c->win.space == SNEPPP_GAUSS) {
      memcpy(c->weight, kernel_pi, sizeof c->weight);
      memcpy(c->mean, kernel_mean, sizeof c->mean);
      memcpy(c->scale, kernel_scale, sizeof c->scale);
      c->win.weight = c->weight;
      c->win.mean = row->flags & SNEPPP__CENTRED ? NULL : c->mean;
      c->win.scale = c->scale;
   }
   c->p.row = row;
   c->p.win = &c->win;
   c->p.d = sneppp__stats(&c->win);
   c->p.ui = kernel_unit(act_i, 0);
   c->p.uj = kernel_unit(act_j, !(row->flags & SNEPPP__CENTRED));
   kernel_weights(&c->win, c->p.d, c->w[0], c->l[0], &c->p.bi);
   kernel_weights(&c->win, c->p.d, c->w[1], c->l[1], &c->p.bj);
   if (row->flags & SNEPPP__NO_BIAS) c->p.bi = c->p.bj = 0;
   if (row->flags & SNEPPP__LOW_ORDER) {
      if (c->p.ui.p > 1) c->p.ui.p = 1;
      if (c->p.uj.p > 1) c->p.uj.p = 1;
   }
   c->p.wi = c->w[0]; c->p.wj = c->w[1];
   c->p.li = c->l[0]; c->p.lj = c->l[1];
   c->p.log = (row->flags & SNEPPP__LOG) != 0;
}

static sneppp_act kernel_any(sneppp_act act, sneppp_act instead) { return act == SNEPPP_ACT_END ? instead : act; }

/* ---- derivatives ---- */

/* dk/dx by differences of fourth order: error h^4 from the formula (more where a kink of a unit passes a corner of the
   window within h), 1e-16/h from rounding. */
static double kernel_difference(const kernel_case *c, double *x)
{
   double h = 2e-3, keep = *x, f[4];
   int    k;
   for (k = 0; k < 4; k++) {
      static const double step[4] = { -2, -1, 1, 2 };
      *x = keep + step[k] * h;
      f[k] = c->p.row->pair(&c->p, NULL);
   }
   *x = keep;
   return (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h);
}

static int kernel_slopes_agree(kernel_case *c)
{
   double       w[2][SNEPPP__MAX_STATS], l[2][SNEPPP__MAX_STATS], b[2], weight[2], mean[6], scale[6], value, size;
   int          r, k, bad = 0, gauss = c->win.space == SNEPPP_GAUSS;
   sneppp__pull out;
   memset(w, 0, sizeof w);
   memset(l, 0, sizeof l);
   memset(b, 0, sizeof b);
   memset(weight, 0, sizeof weight);
   memset(mean, 0, sizeof mean);
   memset(scale, 0, sizeof scale);
   out.g = 1.5; /* and the factor must be used */
   out.wi = w[0]; out.wj = w[1];
   out.li = l[0]; out.lj = l[1];
   out.bi = &b[0]; out.bj = &b[1];
   out.weight = gauss ? weight : NULL;
   out.mean = gauss && c->win.mean ? mean : NULL;
   out.scale = gauss ? scale : NULL;
   value = c->p.row->pair(&c->p, &out);
   if (fabs(value - c->p.row->pair(&c->p, NULL)) > 1e-13 * (1 + fabs(value))) bad++;
   size = 1 + fabs(value);
   for (k = 0; k < 2; k++)
      for (r = 0; r < c->p.d; r++) if (fabs(w[k][r]) > size) size = fabs(w[k][r]);
#define KERNEL_AGREE(got, x) if (!(fabs((got) / 1.5 - kernel_difference(c, x)) <= 1e-7 * size)) { bad++; printf("   %s: %s: %.12g, by differences %.12g\n", c->p.row->info.name, #got, (got) / 1.5, kernel_difference(c, x)); }
   for (k = 0; k < 2; k++) {
      if (k && c->p.uj.act == SNEPPP_ONE) break;
      for (r = 0; r < c->p.d; r++) {
         KERNEL_AGREE(w[k][r], &c->w[k][r])
         if ((k ? c->p.uj.act : c->p.ui.act) == SNEPPP_RBF) KERNEL_AGREE(l[k][r], &c->l[k][r])
      }
      if (!(c->p.row->flags & SNEPPP__NO_BIAS)) KERNEL_AGREE(b[k], k ? &c->p.bj : &c->p.bi)
   }
   for (k = 0; gauss && k < 2; k++) {
      KERNEL_AGREE(weight[k], &c->weight[k])
      for (r = 0; r < c->p.d; r++) {
         if (c->win.mean) KERNEL_AGREE(mean[k * c->p.d + r], &c->mean[k * c->p.d + r])
         KERNEL_AGREE(scale[k * c->p.d + r], &c->scale[k * c->p.d + r])
      }
   }
#undef KERNEL_AGREE
   return !bad;
}

TEST kernel_every_row_has_derivatives(void)
{
   size_t k;
   int    t, bad = 0;
   kernel_state = 3;
   for (k = 0; k < SNEPPP__ROWS; k++) {
      const sneppp__row *row = &sneppp__rows[k];
      for (t = 0; t < 3; t++) {
         kernel_case c;
         kernel_make(&c, row, kernel_any(row->info.act_i, t ? SNEPPP_GELU : SNEPPP_RBF), kernel_any(row->info.act_j, t == 2 ? SNEPPP_RBF : SNEPPP_SNAKE));
         if (!kernel_slopes_agree(&c)) bad++;
      }
   }
   ASSERT_EQ(bad, 0);
   PASS();
}

SUITE(kernel)
{
   RUN_TEST(kernel_public_values);
   RUN_TEST(kernel_public_gradients);
   RUN_TEST(kernel_oracle_sees_changes);
   RUN_TEST(kernel_every_row_has_derivatives);
}
