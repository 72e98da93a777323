/* The kernel floor: the public vectors; every rule of the table, with every pair of its activations, against finite differences and quadrature; the properties
   that any Gram matrix has; drivers, threads and refusals. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "oracle_core.h"
#include "pair.h"
#include "../examples/numeric.h"

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
   kernel_oracle.factor = 1;
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
      case SNEPPP_SPACE_GAUSS: w.count = 2; w.weight = kernel_pi; w.mean = kernel_mean; w.scale = kernel_scale; break;
      case SNEPPP_SPACE_SPHERE: w.dim = dim > 0 ? dim : 4; break;
      case SNEPPP_SPACE_INTERVALS: w.dim = 1; w.count = 3; w.ends = kernel_ends; break;
      case SNEPPP_SPACE_POLYGON: w.dim = 2; w.rings = 2; w.ring_size = kernel_rings; w.xy = kernel_ring; break;
      case SNEPPP_SPACE_BINOMIAL: w.dim = 1; w.param[0] = 7; break;
      case SNEPPP_SPACE_DIRICHLET: w.dim = dim > 0 ? dim : 3; break;
      case SNEPPP_SPACE_GAMMA: case SNEPPP_SPACE_BETA: case SNEPPP_SPACE_POISSON: case SNEPPP_SPACE_NEGBINOMIAL:
      case SNEPPP_SPACE_NORMAL: case SNEPPP_SPACE_VONMISES: w.dim = 1; break;
      case SNEPPP_SPACE_FINITE: w.count = 6; w.point = kernel_points; w.weight = kernel_mu; break;
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
      case SNEPPP_ACT_SNAKE: case SNEPPP_ACT_COSMIDENT: u.p = 0.8; break;
      case SNEPPP_ACT_RELU: u.p = 1; break;
      case SNEPPP_ACT_RECT: u.p = second ? 2 : 1; break;
      case SNEPPP_ACT_MONOMIAL: u.p = second ? 3 : 2; break;
      case SNEPPP_ACT_LEAKY: u.p = 0.15; break;
      case SNEPPP_ACT_ELU: u.p = 0.9; break;
      case SNEPPP_ACT_BELL: u.p = 0.6; break;
      case SNEPPP_ACT_GABOR_SIN: case SNEPPP_ACT_GABOR_COS: u.p = 0.5; u.q = 1.3; break;
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
      if (win->space == SNEPPP_SPACE_NORMAL || win->space == SNEPPP_SPACE_NEGBINOMIAL) w[r] = -0.7 - 0.5 * kernel_uniform();
      if (win->space == SNEPPP_SPACE_GAMMA) w[r] *= 0.4;
      if (win->space == SNEPPP_SPACE_BETA || win->space == SNEPPP_SPACE_DIRICHLET) w[r] *= 0.3; /* p >= 0.79: the sums below decay */
      if (win->space == SNEPPP_SPACE_POISSON || win->space == SNEPPP_SPACE_BINOMIAL) w[r] *= 0.4;
      l[r] = 1 + 0.6 * kernel_uniform();
   }
   *b = 0.8 * kernel_uniform();
}

typedef struct kernel_case {
   const char   *name;
   int           free_bias; /* 0: the rule is for units without bias */
   sneppp__pair  p;
   sneppp_window win;
   double        w[2][SNEPPP__MAX_STATS], l[2][SNEPPP__MAX_STATS], weight[2], mean[6], scale[6];
} kernel_case;

/* Random numbers that belong to a pair of units, so that a new rule of the table does not change those of the others. */
static void kernel_seed(const char *name, int round)
{
   kernel_state = (uint64_t)round + 1;
   for (; *name; name++) kernel_state = (kernel_state ^ (unsigned char)*name) * 1099511628211ULL;
   kernel_uniform();
}

/* What one rule is asked for: a space, a dimension (0: any), two activations, and the logarithm or not. */
typedef struct kernel_ask { size_t rule; sneppp_space space; int dim; sneppp_act act[2]; int log; char name[96]; } kernel_ask;

static const kernel_ask kernel_first = {0, SNEPPP_SPACE_BOX, 0, {SNEPPP_ACT_COS, SNEPPP_ACT_COS}, -1, ""};

/* The next thing that the table knows, each pair once; starts from kernel_first. Returns 0 at the end. */
static int kernel_next(kernel_ask *ask)
{
   for (;;) {
      const sneppp__rule *rule;
      sneppp_window       win;
      int                 both, found, a, b;
      if (ask->log < 1) ask->log++;
      else if ((ask->act[1] = (sneppp_act)(ask->act[1] + 1)) < SNEPPP_ACT_END) ask->log = 0;
      else if ((ask->act[0] = (sneppp_act)(ask->act[0] + 1)) < SNEPPP_ACT_END) ask->act[1] = SNEPPP_ACT_COS, ask->log = 0;
      else {
         ask->act[0] = ask->act[1] = SNEPPP_ACT_COS, ask->log = 0;
         if (++ask->dim > sneppp__rules[ask->rule].info.dim[1]) {
            if ((ask->space = (sneppp_space)(ask->space + 1)) == SNEPPP_SPACE_END) {
               ask->space = SNEPPP_SPACE_BOX;
               if (++ask->rule == SNEPPP__RULES) return 0;
            }
            ask->dim = sneppp__rules[ask->rule].info.dim[0];
         }
      }
      rule = &sneppp__rules[ask->rule];
      if (!(rule->info.spaces >> ask->space & 1)) continue;
      a = (int)(rule->info.act[0] >> ask->act[0] & 1 && rule->info.act[1] >> ask->act[1] & 1);
      both = (int)(rule->info.act[0] >> ask->act[1] & 1 && rule->info.act[1] >> ask->act[0] & 1);
      if (!a || (both && ask->act[1] < ask->act[0])) continue;
      win.space = ask->space;
      if ((ask->space == SNEPPP_SPACE_INTERVALS && ask->dim > 1) || (ask->space == SNEPPP_SPACE_POLYGON && ask->dim == 1)) continue;
      b = ask->dim ? ask->dim : ask->space == SNEPPP_SPACE_INTERVALS ? 1 : 4;
      found = sneppp__find_rule(&win, b, ask->act[0], ask->act[1], !(rule->flags & SNEPPP__NO_BIAS), ask->log);
      if (found != (int)ask->rule + 1 && found != -(int)ask->rule - 1) continue; /* another rule stands above */
      sprintf(ask->name, "%s%s, %d: %s x %s", ask->log ? "log, " : "", sneppp__space_name(ask->space), ask->dim, sneppp__act_name(ask->act[0]),
              sneppp__act_name(ask->act[1]));
      return 1;
   }
}

/* One entry with random units. */
static void kernel_make(kernel_case *c, const kernel_ask *ask)
{
   unsigned flags = sneppp__rules[ask->rule].flags;
   int      s;
   memset(c, 0, sizeof *c);
   c->name = ask->name;
   c->free_bias = !(flags & SNEPPP__NO_BIAS);
   c->win = kernel_window(ask->space, ask->dim);
   if (c->win.space == SNEPPP_SPACE_GAUSS) {
      memcpy(c->weight, kernel_pi, sizeof c->weight);
      memcpy(c->mean, kernel_mean, sizeof c->mean);
      memcpy(c->scale, kernel_scale, sizeof c->scale);
      c->win.weight = c->weight;
      c->win.mean = c->mean;
      c->win.scale = c->scale;
   }
   c->p.win = &c->win;
   c->p.d = sneppp__stats(&c->win);
   c->p.log = ask->log;
   for (s = 0; s < 2; s++) {
      c->p.u[s] = kernel_unit(ask->act[s], s);
      kernel_weights(&c->win, c->p.d, c->w[s], c->l[s], &c->p.b[s]);
      if (flags & SNEPPP__NO_BIAS) c->p.b[s] = 0;
      if ((flags & SNEPPP__LOW_ORDER) && c->p.u[s].p > 1) c->p.u[s].p = 1;
      c->p.w[s] = c->w[s];
      c->p.l[s] = c->l[s];
   }
}

/* ---- derivatives ---- */

/* dk/dx by differences of fourth order: error h^4 from the formula (more where a kink of a unit passes a corner of the
   window within h), 1e-16/h from rounding. */
static double kernel_difference(const kernel_case *c, double *x)
{
   double h = 2e-4, keep = *x, f[4];
   int    k;
   for (k = 0; k < 4; k++) {
      static const double step[4] = { -2, -1, 1, 2 };
      *x = keep + step[k] * h;
      f[k] = oracle_pair(&c->p, NULL);
   }
   *x = keep;
   return (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h);
}

static int kernel_slopes_agree(kernel_case *c)
{
   double       w[2][SNEPPP__MAX_STATS], l[2][SNEPPP__MAX_STATS], b[2], weight[2], mean[6], scale[6], value, size;
   int          r, k, bad = 0, gauss = c->win.space == SNEPPP_SPACE_GAUSS;
   sneppp__pull out;
   memset(w, 0, sizeof w);
   memset(l, 0, sizeof l);
   memset(b, 0, sizeof b);
   memset(weight, 0, sizeof weight);
   memset(mean, 0, sizeof mean);
   memset(scale, 0, sizeof scale);
   out.g = 1.5; /* and the factor must be used */
   for (k = 0; k < 2; k++) { out.w[k] = w[k]; out.l[k] = l[k]; out.b[k] = &b[k]; }
   out.weight = gauss ? weight : NULL;
   out.mean = gauss && c->win.mean ? mean : NULL;
   out.scale = gauss ? scale : NULL;
   value = oracle_pair(&c->p, &out);
   if (fabs(value - oracle_pair(&c->p, NULL)) > 1e-13 * (1 + fabs(value))) bad++;
   size = 1 + fabs(value);
   for (k = 0; k < 2; k++)
      for (r = 0; r < c->p.d; r++) if (fabs(w[k][r]) > size) size = fabs(w[k][r]);
#define KERNEL_AGREE(got, x) if (!(fabs((got) / 1.5 - kernel_difference(c, x)) <= 1e-7 * size)) { bad++; printf("   %s: %s: %.12g, by differences %.12g\n", c->name, #got, (got) / 1.5, kernel_difference(c, x)); }
   for (k = 0; k < 2; k++) {
      if (c->p.u[k].act == SNEPPP_ACT_ONE) continue;
      for (r = 0; r < c->p.d; r++) {
         KERNEL_AGREE(w[k][r], &c->w[k][r])
         if (c->p.u[k].act == SNEPPP_ACT_RBF) KERNEL_AGREE(l[k][r], &c->l[k][r])
      }
      if (c->free_bias && c->p.u[k].act != SNEPPP_ACT_RBF) KERNEL_AGREE(b[k], &c->p.b[k])
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

/* Is the kink of a unit so near to a point of a finite set that a difference would step over it? */
static int kernel_at_a_kink(const kernel_case *c)
{
   static const double ends[2] = { -1, 1 };
   int                 points = c->win.space == SNEPPP_SPACE_FINITE ? (int)c->win.count : c->win.space == SNEPPP_SPACE_SPHERE && c->p.d == 1 ? 2 : 0, k, s, r;
   for (k = 0; k < points; k++) {
      const double *t = c->win.space == SNEPPP_SPACE_FINITE ? c->win.point + k * c->p.d : ends + k;
      for (s = 0; s < 2; s++) {
         double z = c->p.b[s];
         for (r = 0; r < c->p.d; r++) z += c->p.w[s][r] * t[r];
         if (fabs(z) < 2e-3) return 1;
      }
   }
   return 0;
}

TEST kernel_every_rule_has_derivatives(void)
{
   kernel_ask ask = kernel_first;
   int        bad = 0, asked = 0;
   while (kernel_next(&ask)) {
      for (int t = 0; t < 2; t++) {
         kernel_case c;
         kernel_seed(ask.name, t);
         do kernel_make(&c, &ask);
         while (kernel_at_a_kink(&c));
         if (!kernel_slopes_agree(&c)) bad++;
      }
      asked++;
   }
   ASSERT_EQ(bad, 0);
   ASSERT(asked > 400);
   PASS();
}

/* ---- values: every rule against quadrature of its definition ---- */

static void kernel_features(const double *x, double *psi, void *user)
{
   const kernel_case *c = (const kernel_case *)user;
   double             t[SNEPPP__MAX_STATS], slope;
   sneppp__window_stats(&c->win, x, t);
   psi[0] = sneppp__unit_at(&c->p.u[0], c->p.d, c->p.w[0], c->p.l[0], c->p.b[0], t, &slope);
   psi[1] = sneppp__unit_at(&c->p.u[1], c->p.d, c->p.w[1], c->p.l[1], c->p.b[1], t, &slope);
}

static double kernel_product(const kernel_case *c, const double *x)
{
   double psi[2];
   kernel_features(x, psi, (void *)c);
   return psi[0] * psi[1];
}

/* The families, by sums or by the trapezoidal rule after a substitution that makes the integrand decay at both ends, where
   that rule converges exponentially: x = e^v, or x = 1/(1 + e^-v). */
static double kernel_family_sum(const kernel_case *c)
{
   const sneppp_window *win = &c->win;
   double               sum = 0, v, u, h = win->space == SNEPPP_SPACE_DIRICHLET ? 0.1 : 0.02, x[3];
   int                  k;
   switch (win->space) {
      case SNEPPP_SPACE_GAMMA:
         for (v = -30; v < 6; v += h) {
            x[0] = exp(v);
            sum += h * exp(win->param[0] * v - win->param[1] * x[0]) * kernel_product(c, x);
         }
         return sum;
      case SNEPPP_SPACE_BETA:
         for (v = -33; v < 33; v += h) {
            double left = 1 / (1 + exp(-v)), right = 1 / (1 + exp(v));
            x[0] = left;
            sum += h * pow(left, win->param[0]) * pow(right, win->param[1]) * kernel_product(c, x);
         }
         return sum;
      case SNEPPP_SPACE_DIRICHLET: /* x = (a, (1-a) b, (1-a)(1-b)) */
         for (v = -24; v < 24; v += h)
            for (u = -24; u < 24; u += h) {
               double a = 1 / (1 + exp(-v)), ra = 1 / (1 + exp(v)), b = 1 / (1 + exp(-u)), rb = 1 / (1 + exp(u));
               x[0] = a;
               x[1] = ra * b;
               x[2] = ra * rb;
               sum += h * h * a * ra * b * rb * ra * pow(x[0], win->param[0] - 1) * pow(x[1], win->param[1] - 1) * pow(x[2], win->param[2] - 1) * kernel_product(c, x);
            }
         return sum;
      case SNEPPP_SPACE_NORMAL:
         for (x[0] = -40; x[0] < 40; x[0] += h) sum += h * kernel_product(c, x);
         return sum;
      default: /* counts; 400 terms of a series whose ratio is at most e^-0.2 */
         for (k = 0; k < 400; k++) {
            double r = win->param[0], w;
            if (win->space == SNEPPP_SPACE_BINOMIAL && k > r) break;
            x[0] = k;
            w = win->space == SNEPPP_SPACE_POISSON ? k * log(r) - sneppp__lgamma(k + 1.0)
              : win->space == SNEPPP_SPACE_BINOMIAL ? sneppp__lgamma(r + 1) - sneppp__lgamma(k + 1.0) - sneppp__lgamma(r - k + 1)
                                              : sneppp__lgamma(k + r) - sneppp__lgamma(k + 1.0) - sneppp__lgamma(r);
            sum += exp(w) * kernel_product(c, x);
         }
         return sum;
   }
}

static int kernel_kinked(sneppp_act act)
{
   return act == SNEPPP_ACT_STEP || act == SNEPPP_ACT_RELU || act == SNEPPP_ACT_RECT || act == SNEPPP_ACT_LEAKY || act == SNEPPP_ACT_ELU;
}

/* Smooth integrands to 1e-9. Those with a kink or a jump along a line converge like the cell size only; their own
   tests and the vectors are sharp, here a gross error would show. */
static int kernel_value_agrees(kernel_case *c, double got)
{
   double        K[4], work[6], error, expected, size = 1e-9;
   int           kink = kernel_kinked(c->p.u[0].act) || kernel_kinked(c->p.u[1].act);
   size_t        points = kink ? 40000 : 400000;
   sneppp_status status;
   if (kink && c->win.dim > 5) points = 262144; /* the coarsest grid in six dimensions */
   if (c->p.log) got = exp(got);
   if (c->win.space >= SNEPPP_SPACE_GAMMA && c->win.space <= SNEPPP_SPACE_NORMAL) {
      expected = kernel_family_sum(c);
      size *= 1 + fabs(expected);
   } else {
      status = numeric_gram(&c->win, 2, kernel_features, c, 1e-11, points, K, work, &error, NULL);
      if (status && status != SNEPPP_ERR_NO_CONVERGENCE) return 0; /* 1e-11 is more than is compared */
      expected = K[1];
      size *= 1 + K[0] + K[3];
      if (kink) size *= 3e6;
   }
   if (fabs(got - expected) <= size) return 1;
   printf("   %s: %.12g, by quadrature %.12g\n", c->name, got, expected);
   return 0;
}

TEST kernel_every_rule_is_its_integral(void)
{
   kernel_ask ask = kernel_first;
   int        bad = 0, asked = 0;
   while (kernel_next(&ask)) {
      kernel_case c;
      double      got;
      kernel_seed(ask.name, 9);
      kernel_make(&c, &ask);
      if (ask.space == SNEPPP_SPACE_SPHERE && !ask.dim) c.win.dim = c.p.d = 3; /* enough, and quicker than 4 */
      got = oracle_pair(&c.p, NULL);
      if (ask.space == SNEPPP_SPACE_EUCLID) { /* R^d: the same in a box that holds the bells */
         int r;
         c.win.space = SNEPPP_SPACE_BOX;
         for (r = 0; r < c.p.d; r++) { c.win.lo[r] = -14; c.win.hi[r] = 14; }
      }
      if (!kernel_value_agrees(&c, got)) bad++;
      asked++;
   }
   ASSERT_EQ(bad, 0);
   ASSERT(asked > 400);
   PASS();
}

/* ---- Gram matrices ---- */

enum { kernel_n = 37 }; /* not a multiple of the tiles */

typedef struct kernel_net {
   sneppp_window win;
   sneppp_layer  layer;
   sneppp_unit   units[kernel_n];
   double        W[kernel_n * SNEPPP__MAX_STATS], b[kernel_n], width[kernel_n * SNEPPP__MAX_STATS];
} kernel_net;

static void kernel_net_make(kernel_net *net, sneppp_space space, int dim, sneppp_act act)
{
   int i, d;
   memset(net, 0, sizeof *net);
   net->win = kernel_window(space, dim);
   d = sneppp__stats(&net->win);
   for (i = 0; i < kernel_n; i++) kernel_weights(&net->win, d, net->W + i * d, net->width + i * d, net->b + i);
   /* the cases that every Gram matrix must survive: equal, opposite, nearly equal, zero, tiny and large units */
   for (i = 0; i < d; i++) {
      net->W[1 * d + i] = net->W[i];
      if (space < SNEPPP_SPACE_GAMMA || space > SNEPPP_SPACE_NORMAL) {
         net->W[2 * d + i] = -net->W[i];
         net->W[3 * d + i] = net->W[i] * (1 + 1e-9);
         net->W[4 * d + i] = 0;
         net->W[5 * d + i] = 1e-8 * net->W[i];
         if (act != SNEPPP_ACT_EXP && act != SNEPPP_ACT_MONOMIAL) net->W[6 * d + i] = 1e3 * net->W[i];
      }
   }
   net->layer.n = kernel_n;
   net->layer.unit = kernel_unit(act, 0);
   net->layer.W = net->W;
   net->layer.b = act == SNEPPP_ACT_RBF ? NULL : net->b;
   net->layer.width = act == SNEPPP_ACT_RBF ? net->width : NULL;
}

/* Smallest eigenvalue of a symmetric matrix over its trace: at least -rounding. */
static int kernel_is_psd(const double *K)
{
   static double w[kernel_n], Q[kernel_n * kernel_n];
   double       *work = (double *)malloc(sneppp__eigh_work(kernel_n) * sizeof(double)), trace = 0;
   int           i, ok;
   for (i = 0; i < kernel_n; i++) trace += K[i * kernel_n + i];
   ok = work && !sneppp__eigh(kernel_n, K, w, Q, work) && w[0] >= -1e-13 * trace && trace > 0;
   if (!ok) printf("   smallest eigenvalue %g, trace %g\n", w[0], trace);
   free(work);
   return ok;
}

typedef struct kernel_kind { sneppp_space space; int dim; sneppp_act act; int bias; } kernel_kind;

static const kernel_kind kernel_kinds[] = {
   { SNEPPP_SPACE_BOX, 1, SNEPPP_ACT_COS, 1 },       { SNEPPP_SPACE_BOX, 3, SNEPPP_ACT_COS, 1 },       { SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_SIN, 1 },
   { SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_EXP, 1 },       { SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_RBF, 0 },       { SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_RELU, 1 },
   { SNEPPP_SPACE_BOX, 3, SNEPPP_ACT_MONOMIAL, 1 },  { SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_COS, 1 },     { SNEPPP_SPACE_GAUSS, 3, SNEPPP_ACT_RELU, 1 },
   { SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_STEP, 1 },    { SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_GELU, 1 },    { SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_ERF, 1 },
   { SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_SNAKE, 1 },   { SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_BELL, 1 },    { SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_LEAKY, 1 },
   { SNEPPP_SPACE_SPHERE, 4, SNEPPP_ACT_COS, 1 },    { SNEPPP_SPACE_SPHERE, 3, SNEPPP_ACT_RELU, 1 },   { SNEPPP_SPACE_SPHERE, 5, SNEPPP_ACT_RELU, 0 },
   { SNEPPP_SPACE_SPHERE, 2, SNEPPP_ACT_STEP, 1 },   { SNEPPP_SPACE_SPHERE, 3, SNEPPP_ACT_EXP, 1 },    { SNEPPP_SPACE_SPHERE, 4, SNEPPP_ACT_LEAKY, 0 },
   { SNEPPP_SPACE_INTERVALS, 1, SNEPPP_ACT_COS, 1 }, { SNEPPP_SPACE_INTERVALS, 1, SNEPPP_ACT_RELU, 1 }, { SNEPPP_SPACE_POLYGON, 2, SNEPPP_ACT_COS, 1 },
   { SNEPPP_SPACE_POLYGON, 2, SNEPPP_ACT_RELU, 1 },  { SNEPPP_SPACE_POLYGON, 2, SNEPPP_ACT_EXP, 1 },   { SNEPPP_SPACE_BALL, 2, SNEPPP_ACT_COS, 1 },
   { SNEPPP_SPACE_BALL, 3, SNEPPP_ACT_EXP, 1 },      { SNEPPP_SPACE_EUCLID, 2, SNEPPP_ACT_RBF, 0 },    { SNEPPP_SPACE_GAMMA, 1, SNEPPP_ACT_EXP, 1 },
   { SNEPPP_SPACE_BETA, 1, SNEPPP_ACT_COS, 1 },      { SNEPPP_SPACE_POISSON, 1, SNEPPP_ACT_EXP, 1 },   { SNEPPP_SPACE_BINOMIAL, 1, SNEPPP_ACT_COS, 1 },
   { SNEPPP_SPACE_NEGBINOMIAL, 1, SNEPPP_ACT_EXP, 1 }, { SNEPPP_SPACE_NORMAL, 1, SNEPPP_ACT_EXP, 1 },  { SNEPPP_SPACE_VONMISES, 1, SNEPPP_ACT_COS, 1 },
   { SNEPPP_SPACE_DIRICHLET, 3, SNEPPP_ACT_EXP, 1 }, { SNEPPP_SPACE_FINITE, 2, SNEPPP_ACT_GELU, 1 },   { SNEPPP_SPACE_INTERVALS, 1, SNEPPP_ACT_RBF, 0 },
   { SNEPPP_SPACE_POLYGON, 2, SNEPPP_ACT_RBF, 0 }
};

TEST kernel_gram_is_symmetric_and_psd(void)
{
   static kernel_net net;
   static double     K[kernel_n * kernel_n];
   size_t            k;
   int               i, j, bad = 0;
   kernel_state = 7;
   for (k = 0; k < sizeof kernel_kinds / sizeof kernel_kinds[0]; k++) {
      sneppp_error  err;
      sneppp_status status;
      kernel_net_make(&net, kernel_kinds[k].space, kernel_kinds[k].dim, kernel_kinds[k].act);
      if (!kernel_kinds[k].bias) net.layer.b = NULL;
      memset(&err, 0, sizeof err);
      status = sneppp_gram(&net.win, &net.layer, K, NULL, &err);
      if (status) printf("   %s\n", err.why);
      ASSERT_EQ(status, SNEPPP_OK);
      for (i = 0; i < kernel_n; i++) for (j = 0; j < i; j++) ASSERT_EQ(K[i * kernel_n + j], K[j * kernel_n + i]);
      if (!kernel_is_psd(K)) { bad++; printf("   %s on %s\n", sneppp__act_name(kernel_kinds[k].act), sneppp__space_name(kernel_kinds[k].space)); }
      /* one_pair takes the pair functions, sneppp_gram the tiles where there are some */
      for (i = 0; i < kernel_n; i += 3) {
         double value, size = sqrt(K[i * kernel_n + i] * K[7 * kernel_n + 7]);
         ASSERT_EQ(one_pair(&net.win, &net.layer, i, 7, &value), SNEPPP_OK);
         if (!(fabs(value - K[i * kernel_n + 7]) <= 1e-13 * size * (i == 6 ? 1e3 : 1))) { bad++; printf("   k(%d, 7) = %.17g, K = %.17g\n", i, value, K[i * kernel_n + 7]); }
      }
   }
   ASSERT_EQ(bad, 0);
   PASS();
}

/* Threads: jobs in any order, here backwards and shuffled, give the same bits. */
static void kernel_run_backwards(void (*job)(size_t index, void *arg), void *arg, size_t count, void *user)
{
   size_t i;
   (void)user;
   for (i = 1; i < count; i += 2) job(count - 1 - i, arg);
   for (i = 0; i < count; i += 2) job(count - 1 - i, arg);
}

#ifdef __FAST_MATH__
static int kernel_near(const double *a, const double *b, size_t n) /* to rounding, on the scale of the largest */
{
   double top = 0, far_apart = 0;
   size_t i;
   for (i = 0; i < n; i++) {
      top = fmax(top, fabs(a[i]));
      far_apart = fmax(far_apart, fabs(a[i] - b[i]));
   }
   return far_apart <= 1e-14 * top;
}
#endif

TEST kernel_threads_change_nothing(void)
{
   static kernel_net net;
   static double     K[2][kernel_n * kernel_n], G[kernel_n * kernel_n];
   static double     W[2][kernel_n * SNEPPP__MAX_STATS], b[2][kernel_n], l[2][kernel_n * SNEPPP__MAX_STATS];
   static double     mean[2][8 * SNEPPP_MAX_DIM], scale[2][8 * SNEPPP_MAX_DIM], weight[2][8];
   sneppp_parallel   par;
   sneppp_layer_grad out;
   size_t            k;
   int               t, i;
   kernel_state = 11;
   par.run = kernel_run_backwards;
   par.user = NULL;
   for (i = 0; i < kernel_n * kernel_n; i++) G[i] = kernel_uniform(); /* not symmetric */
   for (k = 0; k < sizeof kernel_kinds / sizeof kernel_kinds[0]; k++) {
      kernel_net_make(&net, kernel_kinds[k].space, kernel_kinds[k].dim, kernel_kinds[k].act);
      if (!kernel_kinds[k].bias) net.layer.b = NULL;
      for (t = 0; t < 2; t++) {
         memset(W[t], 0, sizeof W[t]);
         memset(b[t], 0, sizeof b[t]);
         memset(l[t], 0, sizeof l[t]);
         memset(&out, 0, sizeof out);
         out.W = W[t];
         out.b = b[t];
         out.width = l[t];
         memset(mean[t], 0, sizeof mean[t]);
         memset(scale[t], 0, sizeof scale[t]);
         memset(weight[t], 0, sizeof weight[t]);
         if (net.win.space == SNEPPP_SPACE_GAUSS) { /* the measure too */
            ASSERT(net.win.count <= 8);
            out.mean = mean[t];
            out.scale = scale[t];
            out.weight = weight[t];
         }
         ASSERT_EQ(sneppp_gram(&net.win, &net.layer, K[t], t ? &par : NULL, NULL), SNEPPP_OK);
         ASSERT_EQ(sneppp_gram_grad(&net.win, &net.layer, G, &out, t ? &par : NULL, NULL), SNEPPP_OK);
      }
      ASSERT(!memcmp(K[0], K[1], sizeof K[0]));
      ASSERT(!memcmp(W[0], W[1], sizeof W[0]));
      ASSERT(!memcmp(b[0], b[1], sizeof b[0]));
      ASSERT(!memcmp(l[0], l[1], sizeof l[0]));
      ASSERT(!memcmp(mean[0], mean[1], sizeof mean[0]));
      ASSERT(!memcmp(scale[0], scale[1], sizeof scale[0]));
      ASSERT(!memcmp(weight[0], weight[1], sizeof weight[0]));
      { /* values and pull-back from one walk are those of two: their bits where the compiler keeps the order of sums and
           products, and else to rounding, because it may sort them one way for values alone and another way for both */
         sneppp__gram_job job = sneppp__gram_ask(SNEPPP__FULL, K[1], G, 1, NULL);
         memset(&out, 0, sizeof out);
         memset(W[1], 0, sizeof W[1]);
         out.W = W[1];
         ASSERT_EQ(sneppp__gram(&net.win, &net.layer, &job, 0, 0, &out, &par, NULL), SNEPPP_OK);
#ifdef __FAST_MATH__
         ASSERT(kernel_near(K[0], K[1], kernel_n * kernel_n));
         ASSERT(kernel_near(W[0], W[1], kernel_n * SNEPPP__MAX_STATS));
#else
         ASSERT(!memcmp(K[0], K[1], sizeof K[0]));
         ASSERT(!memcmp(W[0], W[1], sizeof W[0]));
#endif
      }
   }
   PASS();
}

/* The pull-back of L = sum G_ij K_ij, and of moments, against differences of L; mixed layers too. */
TEST kernel_pull_back_is_the_gradient(void)
{
   static const kernel_kind kind[] = { { SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_COS, 1 }, { SNEPPP_SPACE_BOX, 3, SNEPPP_ACT_SIN, 1 }, { SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_RBF, 0 }, { SNEPPP_SPACE_SPHERE, 3, SNEPPP_ACT_RELU, 0 }, { SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_RELU, 1 }, { SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_DEFAULT, 1 } };
   enum { n = 5, d = 3 };
   static kernel_net        net;
   static double            K[n * n], G[n * n], W[n * d], b[n], l[n * d], c[n], g[n];
   sneppp_layer_grad        out;
   size_t                   k, at;
   int                      moments, i, stats;
   kernel_state = 13;
   for (k = 0; k < sizeof kind / sizeof kind[0]; k++) {
      for (moments = 0; moments < 2; moments++) {
         kernel_net_make(&net, kind[k].space, kind[k].dim, kind[k].act);
         stats = sneppp__stats(&net.win);
         for (i = 0; i < kernel_n; i++) kernel_weights(&net.win, stats, net.W + i * stats, net.width + i * stats, net.b + i);
         if (kind[k].act == SNEPPP_ACT_DEFAULT) { /* a mixed layer: all that boxes have together */
            static const sneppp_act act[n] = { SNEPPP_ACT_COS, SNEPPP_ACT_EXP, SNEPPP_ACT_ONE, SNEPPP_ACT_SIN, SNEPPP_ACT_EXP };
            for (i = 0; i < n; i++) net.units[i] = kernel_unit(act[i], 0);
            net.layer.units = net.units;
         }
         net.layer.n = n;
         if (!kind[k].bias) net.layer.b = NULL;
         for (i = 0; i < n * n; i++) G[i] = kernel_uniform();
         for (i = 0; i < n; i++) g[i] = kernel_uniform();
         memset(&out, 0, sizeof out);
         memset(W, 0, sizeof W);
         memset(b, 0, sizeof b);
         memset(l, 0, sizeof l);
         out.W = W;
         out.b = b;
         out.width = l;
         if (moments) ASSERT_EQ(sneppp_moments_grad(&net.win, &net.layer, g, &out, NULL), SNEPPP_OK);
         else ASSERT_EQ(sneppp_gram_grad(&net.win, &net.layer, G, &out, NULL, NULL), SNEPPP_OK);
         for (at = 0; at < (size_t)(n * stats + n + n * stats); at++) {
            static const double step[4] = { -2, -1, 1, 2 };
            double             *x = at < (size_t)(n * stats) ? net.W + at : at < (size_t)(n * stats + n) ? net.b + (at - (size_t)(n * stats)) : net.width + (at - (size_t)(n * stats + n));
            double              keep = *x, L[4], h = 2e-3, slope, got = at < (size_t)(n * stats) ? W[at] : at < (size_t)(n * stats + n) ? b[at - (size_t)(n * stats)] : l[at - (size_t)(n * stats + n)];
            int                 s;
            if (x >= net.b && x < net.b + kernel_n && !kind[k].bias) continue;
            for (s = 0; s < 4; s++) {
               *x = keep + step[s] * h;
               L[s] = 0;
               if (moments) {
                  ASSERT_EQ(sneppp_moments(&net.win, &net.layer, c, NULL), SNEPPP_OK);
                  for (i = 0; i < n; i++) L[s] += g[i] * c[i];
               } else {
                  ASSERT_EQ(sneppp_gram(&net.win, &net.layer, K, NULL, NULL), SNEPPP_OK);
                  for (i = 0; i < n * n; i++) L[s] += G[i] * K[i];
               }
            }
            *x = keep;
            slope = (8 * (L[2] - L[1]) - (L[3] - L[0])) / (12 * h);
            ASSERT_IN_RANGE(slope, got, 1e-7 * (1 + fabs(slope)));
         }
      }
   }
   PASS();
}

/* ---- identities ---- */

#define KERNEL_SAME(a, b, tol) ASSERT_IN_RANGE((a), (b), (tol) * (1 + fabs(a)))

TEST kernel_is_additive_over_a_split_window(void)
{
   static const sneppp_act act[] = { SNEPPP_ACT_COS, SNEPPP_ACT_SIN, SNEPPP_ACT_EXP, SNEPPP_ACT_RBF, SNEPPP_ACT_MONOMIAL, SNEPPP_ACT_RELU, SNEPPP_ACT_STEP };
   static kernel_net       net;
   size_t                  k;
   int                     i, j;
   kernel_state = 17;
   for (k = 0; k < sizeof act / sizeof act[0]; k++) {
      kernel_net_make(&net, SNEPPP_SPACE_BOX, 2, act[k]);
      for (i = 0; i < 9; i++)
         for (j = i; j < 9; j++) {
            sneppp_window left = net.win, right = net.win;
            double        whole, a, b, tol = i == 6 || j == 6 ? 1e-11 : 1e-13;
            left.hi[1] = right.lo[1] = 0.3;
            ASSERT_EQ(one_pair(&net.win, &net.layer, i, j, &whole), SNEPPP_OK);
            ASSERT_EQ(one_pair(&left, &net.layer, i, j, &a), SNEPPP_OK);
            ASSERT_EQ(one_pair(&right, &net.layer, i, j, &b), SNEPPP_OK);
            KERNEL_SAME(whole, a + b, tol * (act[k] == SNEPPP_ACT_RELU ? 1e3 : 1));
         }
   }
   PASS();
}

TEST kernel_box_is_a_polygon_and_an_interval(void)
{
   static const sneppp_act act[] = { SNEPPP_ACT_COS, SNEPPP_ACT_SIN, SNEPPP_ACT_EXP, SNEPPP_ACT_RELU, SNEPPP_ACT_STEP };
   static kernel_net       net;
   double                  xy[8], ends[2], a, b;
   size_t                  k;
   int                     i, j;
   kernel_state = 19;
   for (k = 0; k < sizeof act / sizeof act[0]; k++) {
      sneppp_window polygon = kernel_window(SNEPPP_SPACE_POLYGON, 2), line = kernel_window(SNEPPP_SPACE_INTERVALS, 1);
      kernel_net_make(&net, SNEPPP_SPACE_BOX, 2, act[k]);
      xy[0] = xy[6] = net.win.lo[0];
      xy[2] = xy[4] = net.win.hi[0];
      xy[1] = xy[3] = net.win.lo[1];
      xy[5] = xy[7] = net.win.hi[1];
      polygon.rings = 0;
      polygon.count = 4;
      polygon.xy = xy;
      for (i = 0; i < 9; i++)
         for (j = i; j < 9; j++) {
            ASSERT_EQ(one_pair(&net.win, &net.layer, i, j, &a), SNEPPP_OK);
            ASSERT_EQ(one_pair(&polygon, &net.layer, i, j, &b), SNEPPP_OK);
            KERNEL_SAME(a, b, i == 6 || j == 6 ? 1e-11 : 1e-13);
         }
      kernel_net_make(&net, SNEPPP_SPACE_BOX, 1, act[k]);
      ends[0] = net.win.lo[0];
      ends[1] = net.win.hi[0];
      line.count = 1;
      line.ends = ends;
      for (i = 0; i < 9; i++) {
         ASSERT_EQ(one_pair(&net.win, &net.layer, i, 8, &a), SNEPPP_OK);
         ASSERT_EQ(one_pair(&line, &net.layer, i, 8, &b), SNEPPP_OK);
         KERNEL_SAME(a, b, i == 6 ? 1e-11 : 1e-13);
      }
   }
   PASS();
}

/* The area of a regular polygon is short of the disc's by a factor 1 - (2/3) (pi/n)^2 + ..: doubling n quarters the error. */
TEST kernel_polygon_tends_to_the_disc(void)
{
   static const sneppp_act act[] = { SNEPPP_ACT_COS, SNEPPP_ACT_SIN, SNEPPP_ACT_EXP };
   static kernel_net       net;
   static double           xy[2 * 400];
   size_t                  k;
   int                     i, j, s, v;
   kernel_state = 23;
   for (k = 0; k < 3; k++) {
      sneppp_window polygon = kernel_window(SNEPPP_SPACE_POLYGON, 2);
      kernel_net_make(&net, SNEPPP_SPACE_BALL, 2, act[k]);
      polygon.rings = 0;
      polygon.xy = xy;
      for (i = 0; i < 6; i++)
         for (j = i; j < 6; j++) {
            double disc, side[2], gap[2];
            ASSERT_EQ(one_pair(&net.win, &net.layer, i, j, &disc), SNEPPP_OK);
            for (s = 0; s < 2; s++) {
               polygon.count = s ? 400 : 200;
               for (v = 0; v < (int)polygon.count; v++) {
                  double angle = 2 * SNEPPP__PI * v / (double)polygon.count;
                  xy[2 * v] = net.win.centre[0] + net.win.radius * cos(angle);
                  xy[2 * v + 1] = net.win.centre[1] + net.win.radius * sin(angle);
               }
               ASSERT_EQ(one_pair(&polygon, &net.layer, i, j, &side[s]), SNEPPP_OK);
               gap[s] = fabs(side[s] - disc);
            }
            ASSERT(gap[0] < 5e-3 * (1 + fabs(disc)));
            if (gap[0] > 1e-8) ASSERT_IN_RANGE(4.0, gap[0] / gap[1], 0.05);
            /* Richardson: the next order is (pi/n)^4 */
            KERNEL_SAME(disc, (4 * side[1] - side[0]) / 3, 1e-6);
         }
   }
   PASS();
}

TEST kernel_mixture_of_one_is_the_gaussian(void)
{
   static const sneppp_act act[] = { SNEPPP_ACT_COS, SNEPPP_ACT_EXP, SNEPPP_ACT_RELU, SNEPPP_ACT_GELU, SNEPPP_ACT_ELU, SNEPPP_ACT_RBF };
   static kernel_net       net;
   static const double     one[] = { 1, 0.25, 0.75 };
   size_t                  k;
   int                     i;
   kernel_state = 29;
   for (k = 0; k < sizeof act / sizeof act[0]; k++) {
      sneppp_window plain, mixture, twins;
      double        mean[4], scale[4], a, b, c;
      kernel_net_make(&net, SNEPPP_SPACE_GAUSS, 2, act[k]);
      plain = mixture = twins = net.win;
      plain.count = 0;
      plain.weight = NULL;
      mixture.count = 1;
      mixture.weight = one;
      twins.count = 2;
      twins.weight = one + 1;
      for (i = 0; i < 4; i++) { mean[i] = kernel_mean[i % 2]; scale[i] = kernel_scale[i % 2]; }
      twins.mean = mean;
      twins.scale = scale;
      for (i = 0; i < 12; i++) {
         ASSERT_EQ(one_pair(&plain, &net.layer, i, 9, &a), SNEPPP_OK);
         ASSERT_EQ(one_pair(&mixture, &net.layer, i, 9, &b), SNEPPP_OK);
         ASSERT_EQ(one_pair(&twins, &net.layer, i, 9, &c), SNEPPP_OK);
         ASSERT_EQ(a, b);
         KERNEL_SAME(a, c, 1e-14);
      }
   }
   PASS();
}

TEST kernel_sphere_does_not_know_directions(void)
{
   static const kernel_kind kind[] = { { SNEPPP_SPACE_SPHERE, 3, SNEPPP_ACT_EXP, 1 }, { SNEPPP_SPACE_SPHERE, 3, SNEPPP_ACT_COS, 1 }, { SNEPPP_SPACE_SPHERE, 3, SNEPPP_ACT_RELU, 1 }, { SNEPPP_SPACE_SPHERE, 4, SNEPPP_ACT_RELU, 0 }, { SNEPPP_SPACE_SPHERE, 5, SNEPPP_ACT_LEAKY, 0 }, { SNEPPP_SPACE_SPHERE, 2, SNEPPP_ACT_STEP, 1 } };
   static kernel_net        net, turned;
   size_t                   k;
   int                      i, j, r;
   kernel_state = 31;
   for (k = 0; k < sizeof kind / sizeof kind[0]; k++) {
      double v[SNEPPP__MAX_STATS], norm = 0;
      kernel_net_make(&net, kind[k].space, kind[k].dim, kind[k].act);
      if (!kind[k].bias) net.layer.b = NULL;
      turned = net;
      turned.layer.W = turned.W;
      if (net.layer.b) turned.layer.b = turned.b;
      for (r = 0; r < kind[k].dim; r++) { v[r] = kernel_uniform(); norm += v[r] * v[r]; }
      for (i = 0; i < kernel_n; i++) { /* a reflection */
         double dot = 0, *w = turned.W + i * kind[k].dim;
         for (r = 0; r < kind[k].dim; r++) dot += w[r] * v[r];
         for (r = 0; r < kind[k].dim; r++) w[r] -= 2 * dot / norm * v[r];
      }
      for (i = 0; i < 12; i++)
         for (j = i; j < 12; j++) {
            double a, b;
            ASSERT_EQ(one_pair(&net.win, &net.layer, i, j, &a), SNEPPP_OK);
            ASSERT_EQ(one_pair(&turned.win, &turned.layer, i, j, &b), SNEPPP_OK);
            /* a step of a nearly opposite unit: the angle itself is only known to 1e-16 of a radian */
            KERNEL_SAME(a, b, i == 6 || j == 6 ? 1e-10 : 1e-13);
         }
   }
   PASS();
}

/* Moving the window by s and the biases by -w.s changes nothing; exact here, as s is a power of two and so are sums. */
TEST kernel_translation(void)
{
   static const kernel_kind kind[] = { { SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_COS, 1 }, { SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_RELU, 1 }, { SNEPPP_SPACE_BALL, 2, SNEPPP_ACT_EXP, 1 }, { SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_MONOMIAL, 1 }, { SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_GELU, 1 } };
   static kernel_net        net, moved;
   size_t                   k;
   int                      i, j, r;
   kernel_state = 37;
   for (k = 0; k < sizeof kind / sizeof kind[0]; k++) {
      double mean[4];
      kernel_net_make(&net, kind[k].space, kind[k].dim, kind[k].act);
      moved = net;
      moved.layer.W = moved.W;
      moved.layer.b = moved.b;
      for (r = 0; r < 4; r++) mean[r] = kernel_mean[r] + 4;
      if (kind[k].space == SNEPPP_SPACE_GAUSS) moved.win.mean = mean;
      for (r = 0; r < 2; r++) { moved.win.lo[r] += 4; moved.win.hi[r] += 4; moved.win.centre[r] += 4; }
      for (i = 0; i < kernel_n; i++) moved.b[i] -= 4 * (net.W[2 * i] + net.W[2 * i + 1]);
      for (i = 7; i < 16; i++)
         for (j = i; j < 16; j++) {
            double a, b;
            ASSERT_EQ(one_pair(&net.win, &net.layer, i, j, &a), SNEPPP_OK);
            ASSERT_EQ(one_pair(&moved.win, &moved.layer, i, j, &b), SNEPPP_OK);
            KERNEL_SAME(a, b, 1e-13);
         }
   }
   PASS();
}

/* ---- range, logarithms, refusals ---- */

TEST kernel_range(void)
{
   double        W[6] = { 400, 400, -3, 2, 0, 0 }, b[3] = { 0, 0, 0 }, K[9], c[3];
   sneppp_window win = kernel_window(SNEPPP_SPACE_BOX, 2);
   sneppp_layer  layer;
   sneppp_error  err;
   memset(&layer, 0, sizeof layer);
   layer.n = 3;
   layer.W = W;
   layer.b = b;
   layer.unit.act = SNEPPP_ACT_EXP;
   ASSERT_EQ(sneppp_gram(&win, &layer, K, NULL, &err), SNEPPP_ERR_RANGE);
   ASSERT(strstr(err.why, "K[0][0]"));
   ASSERT_EQ(sneppp_gram_log(&win, &layer, K, NULL, &err), SNEPPP_OK);
   ASSERT_IN_RANGE(800 * (1.1 + 1.2) - 2 * log(800.0), K[0], 1e-10); /* e^(800 (u1 + u2)) / 800^2 */
   ASSERT_IN_RANGE(log(1.8 * 1.7), K[8], 1e-14);
   layer.unit.act = SNEPPP_ACT_COS;
   ASSERT_EQ(sneppp_gram_log(&win, &layer, K, NULL, &err), SNEPPP_ERR_NO_CLOSED_FORM);
   ASSERT(strstr(err.why, "logarithmic"));
   ASSERT_EQ(sneppp_moments(&win, &layer, c, &err), SNEPPP_OK);
   ASSERT_IN_RANGE(1.8 * 1.7, c[2], 1e-14);
   /* huge and tiny boxes: cos^2 averages to 1/2, and the value of a point */
   win.lo[0] = win.lo[1] = 1e6;
   win.hi[0] = win.hi[1] = 1e6 + 1e-6;
   W[0] = W[1] = 1e3;
   ASSERT_EQ(sneppp_gram(&win, &layer, K, NULL, &err), SNEPPP_OK);
   ASSERT_IN_RANGE(1.0, K[8] / ((win.hi[0] - win.lo[0]) * (win.hi[1] - win.lo[1])), 1e-14);
   win.lo[0] = win.lo[1] = -1e120;
   win.hi[0] = win.hi[1] = 1e120;
   ASSERT_EQ(sneppp_gram(&win, &layer, K, NULL, &err), SNEPPP_OK);
   ASSERT_IN_RANGE(0.5, K[0] / 4e240, 1e-12);
   ASSERT_IN_RANGE(0.0, K[1] / 4e240, 1e-12);
   win.lo[0] = win.lo[1] = -1e200;
   win.hi[0] = win.hi[1] = 1e200;
   ASSERT_EQ(sneppp_gram(&win, &layer, K, NULL, &err), SNEPPP_ERR_RANGE);
   PASS();
}

TEST kernel_logs_are_logarithms(void)
{
   kernel_ask ask = kernel_first;
   int        pairs = 0;
   kernel_state = 41;
   while (kernel_next(&ask)) {
      kernel_case c;
      double      a, b;
      if (!ask.log) continue;
      kernel_make(&c, &ask);
      a = oracle_pair(&c.p, NULL);
      c.p.log = 0;
      b = oracle_pair(&c.p, NULL);
      ASSERTm(ask.name, b > 0);
      KERNEL_SAME(a, log(b), 1e-13);
      pairs++;
   }
   ASSERT(pairs > 20);
   PASS();
}

TEST kernel_refuses_by_name(void)
{
   double        W[12] = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.1, 0.2, 0.3, 0.4 }, b[2] = { 0.5, 0 }, K[4] = { -7, -7, -7, -7 };
   sneppp_unit   units[2];
   sneppp_window win = kernel_window(SNEPPP_SPACE_SPHERE, 4);
   sneppp_layer  layer;
   sneppp_error  err;
   memset(&layer, 0, sizeof layer);
   layer.n = 2;
   layer.W = W;
   layer.b = b;
   layer.unit.act = SNEPPP_ACT_GELU;
   ASSERT_EQ(sneppp_gram(&win, &layer, K, NULL, &err), SNEPPP_ERR_NO_CLOSED_FORM);
   ASSERT(strstr(err.why, "gelu x gelu on the sphere"));
   layer.unit.act = SNEPPP_ACT_RELU; /* on S^3 with a bias */
   ASSERT_EQ(sneppp_gram(&win, &layer, K, NULL, &err), SNEPPP_ERR_NO_CLOSED_FORM);
   ASSERT(strstr(err.why, "without bias"));
   ASSERT_EQ(K[0], -7.0);
   b[0] = 0;
   ASSERT_EQ(sneppp_gram(&win, &layer, K, NULL, &err), SNEPPP_OK);
   units[0] = kernel_unit(SNEPPP_ACT_EXP, 0);
   units[1] = kernel_unit(SNEPPP_ACT_COS, 0);
   layer.units = units;
   ASSERT_EQ(sneppp_gram(&win, &layer, K, NULL, &err), SNEPPP_ERR_NO_CLOSED_FORM);
   ASSERT(strstr(err.why, "cos x exp on the sphere"));
   win = kernel_window(SNEPPP_SPACE_NEGBINOMIAL, 1);
   layer.units = NULL;
   layer.unit.act = SNEPPP_ACT_EXP;
   ASSERT_EQ(sneppp_gram(&win, &layer, K, NULL, &err), SNEPPP_ERR_ARG);
   ASSERT(strstr(err.why, "layer.W[0][0]"));
   win = kernel_window(SNEPPP_SPACE_BOX, 2);
   ASSERT_EQ(sneppp_gram(&win, &layer, NULL, NULL, &err), SNEPPP_ERR_ARG);
   ASSERT_EQ(sneppp_gram_grad(&win, &layer, NULL, NULL, NULL, &err), SNEPPP_ERR_ARG);
   PASS();
}

/* Every rule says what it is, and is the first that fits for some pair. */
TEST kernel_table_is_complete(void)
{
   const sneppp_kernel_info *info;
   size_t                    rules;
   kernel_ask                ask = kernel_first;
   unsigned char             reached[64] = {0};
   for (rules = 0; (info = sneppp_kernel_at(rules)) != NULL; rules++) {
      ASSERT(info->formula && *info->formula && info->source && *info->source && info->condition && info->trap);
      ASSERT(info->spaces && !(info->spaces >> SNEPPP_SPACE_END) && info->dim[0] <= info->dim[1]);
      for (int s = 0; s < 2; s++) ASSERT(info->act[s] && !(info->act[s] & 1) && !(info->act[s] >> SNEPPP_ACT_END));
   }
   ASSERT(rules > 0 && rules < sizeof reached);
   while (kernel_next(&ask)) reached[ask.rule] = 1;
   for (size_t k = 0; k < rules; k++) ASSERT(reached[k]);
   PASS();
}

/* The numerical Gram matrix says how good it is, and says so when it is not. */
static void kernel_own_features(const double *x, double *psi, void *user)
{
   psi[0] = 1;
   psi[1] = tanh(x[0]);
   psi[2] = *(double *)user > 0 && x[0] > 0.1234 ? 1 : 0;
}

TEST kernel_numeric_gram(void)
{
   sneppp_window win = kernel_window(SNEPPP_SPACE_BOX, 2);
   double        K[9], work[12], error, jump = 0;
   sneppp_error  err;
   ASSERT_EQ(numeric_gram(&win, 3, kernel_own_features, &jump, 0, 0, K, work, &error, &err), SNEPPP_OK);
   ASSERT(error <= 1e-10 * K[0]);
   ASSERT_IN_RANGE(1.8 * 1.7, K[0], 1e-12);
   ASSERT_IN_RANGE(1.7 * (log(cosh(1.1)) - log(cosh(-0.7))), K[1], 1e-9);
   ASSERT_IN_RANGE(1.7 * (1.8 - (tanh(1.1) + tanh(0.7))), K[4], 1e-9);
   jump = 1;
   ASSERT_EQ(numeric_gram(&win, 3, kernel_own_features, &jump, 0, 100000, K, work, &error, &err), SNEPPP_ERR_NO_CONVERGENCE);
   ASSERT(error > 1e-8 && fabs(K[8] - 1.7 * (1.1 - 0.1234)) < 4 * error + 1e-2);
   win = kernel_window(SNEPPP_SPACE_GAMMA, 1);
   ASSERT_EQ(numeric_gram(&win, 3, kernel_own_features, &jump, 0, 0, K, work, &error, &err), SNEPPP_ERR_ARG);
   PASS();
}

/* A call that fails writes nothing, and says what is true. Unit 0 is harmless and comes first; unit 1 overflows. */
TEST kernel_failed_calls_write_nothing(void)
{
   static const double G[4] = {1, 1, 1, 1};
   double              W[2] = {0.5, 30}, b[2] = {0, 0}, K[4], c[2], gW[2], gb[2], gw[2], gm[2], gs[2];
   double              weight[2] = {1, 1e-100}, mean[2] = {0, 0}, scale[2] = {1, 1}, large[4] = {1e200, 0, 0, 0};
   sneppp_window       win;
   sneppp_layer        layer;
   sneppp_layer_grad   out;
   sneppp_error        err;
   memset(&win, 0, sizeof win);
   memset(&layer, 0, sizeof layer);
   win.space = SNEPPP_SPACE_GAUSS, win.dim = 1, win.count = 2, win.weight = weight, win.mean = mean, win.scale = scale;
   layer.n = 2, layer.unit.act = SNEPPP_ACT_EXP, layer.W = W, layer.b = b;
   out.W = gW, out.b = gb, out.width = NULL, out.weight = gw, out.mean = gm, out.scale = gs;
   for (int i = 0; i < 4; i++) K[i] = 7;
   for (int i = 0; i < 2; i++) c[i] = gW[i] = gb[i] = gw[i] = gm[i] = gs[i] = 7;
   ASSERT_EQ_FMT(SNEPPP_ERR_RANGE, sneppp_gram(&win, &layer, K, NULL, &err), "%d");
   ASSERT_STR_EQ("K[1][1] cannot be represented; sneppp_gram_log may do", err.why);
   ASSERT_EQ_FMT(SNEPPP_ERR_RANGE, sneppp_gram_grad(&win, &layer, G, &out, NULL, &err), "%d");
   W[1] = 60;
   ASSERT_EQ_FMT(SNEPPP_ERR_RANGE, sneppp_moments(&win, &layer, c, &err), "%d");
   ASSERT_STR_EQ("c[1] cannot be represented", err.why);
   ASSERT_EQ_FMT(SNEPPP_ERR_RANGE, sneppp_moments_grad(&win, &layer, G, &out, &err), "%d");
   ASSERTm(err.why, strstr(err.why, "W[1][0]"));
   W[1] = 1e160; /* now its logarithm overflows */
   ASSERT_EQ_FMT(SNEPPP_ERR_RANGE, sneppp_gram_log(&win, &layer, K, NULL, &err), "%d");
   ASSERT(strstr(err.why, "cannot be represented") && !strstr(err.why, "gram_log"));
   /* The gradient of a weight alone: 1e200 e^(2 w m + 2 w^2) for a component that hardly counts. */
   W[0] = 1, W[1] = 0.1, mean[1] = 170;
   ASSERT_EQ_FMT(SNEPPP_ERR_RANGE, sneppp_gram_grad(&win, &layer, large, &out, NULL, &err), "%d");
   ASSERT_STR_EQ("the gradient of window.weight[1] cannot be represented", err.why);
   for (int i = 0; i < 4; i++) ASSERT_EQ(7.0, K[i]);
   for (int i = 0; i < 2; i++) ASSERT(c[i] == 7 && gW[i] == 7 && gb[i] == 7 && gw[i] == 7 && gm[i] == 7 && gs[i] == 7);
   large[0] = 1;
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_gram_grad(&win, &layer, large, &out, NULL, &err), "%d"); /* adds */
   ASSERT(gW[0] > 7.5 && gb[0] > 7.5 && gW[1] == 7 && gb[1] == 7 && gw[0] > 7.5);
   /* Rectified powers have no logarithmic form, so none is recommended; and they are not negative. */
   layer.unit.act = SNEPPP_ACT_RECT, layer.unit.p = 3, W[0] = 1e80, mean[1] = 0;
   ASSERT_EQ_FMT(SNEPPP_ERR_RANGE, sneppp_gram(&win, &layer, K, NULL, &err), "%d");
   ASSERT_STR_EQ("K[0][0] cannot be represented", err.why);
   ASSERT_EQ_FMT(SNEPPP_ERR_NO_CLOSED_FORM, sneppp_gram_log(&win, &layer, K, NULL, &err), "%d");
   ASSERT(strstr(err.why, "no logarithmic form") && !strstr(err.why, "negative"));
   ASSERT_EQ_FMT(SNEPPP_ERR_ARG, sneppp_gram_log(&win, &layer, NULL, NULL, &err), "%d");
   ASSERT_STR_EQ("logK is NULL", err.why);
   for (int i = 0; i < 4; i++) ASSERT_EQ(7.0, K[i]);
   PASS();
}

/* Values that come with a pull-back are those of the Gram matrix. */
TEST kernel_values_beside_the_pull_back(void)
{
   enum { n = 5, d = 2 };
   static const sneppp_act act[n] = {SNEPPP_ACT_COS, SNEPPP_ACT_SIN, SNEPPP_ACT_EXP, SNEPPP_ACT_COS, SNEPPP_ACT_ONE};
   static const sneppp_act gauss[n] = {SNEPPP_ACT_RELU, SNEPPP_ACT_STEP, SNEPPP_ACT_PHI, SNEPPP_ACT_ERF, SNEPPP_ACT_GELU};
   sneppp_rng        rng;
   double            W[n * d], b[n], G[n * n], K[n * n], L[n * n], gW[n * d], gb[n];
   sneppp_unit       units[n];
   sneppp_layer      layer;
   sneppp_layer_grad out;
   sneppp_error      err;
   sneppp_rng_init(&rng, 8, 0);
   memset(units, 0, sizeof units);
   memset(&layer, 0, sizeof layer);
   memset(&out, 0, sizeof out);
   for (int i = 0; i < n * d; i++) { W[i] = sneppp_rng_normal(&rng); gW[i] = 0; }
   for (int i = 0; i < n; i++) { b[i] = sneppp_rng_normal(&rng); gb[i] = 0; }
   for (int i = 0; i < n * n; i++) G[i] = sneppp_rng_normal(&rng);
   layer.n = n, layer.W = W, layer.b = b, layer.units = units;
   out.W = gW, out.b = gb;
   for (int k = 0; k < 2; k++) {
      sneppp_window    win = kernel_window(k ? SNEPPP_SPACE_GAUSS : SNEPPP_SPACE_BOX, d);
      sneppp__gram_job job = sneppp__gram_ask(SNEPPP__FULL, L, G, 1, NULL);
      for (int i = 0; i < n; i++) { units[i].act = k ? gauss[i] : act[i]; units[i].p = 1; }
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_gram(&win, &layer, K, NULL, &err), "%d");
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp__gram(&win, &layer, &job, 0, 0, &out, NULL, &err), "%d");
      for (int i = 0; i < n * n; i++) ASSERT_IN_RANGE(K[i], L[i], 1e-14 * (fabs(K[i]) + fabs(K[0])));
   }
   PASS();
}

static void kernel_counted_feature(const double *x, double *psi, void *user)
{
   size_t *calls = (size_t *)user;
   ++*calls;
   psi[0] = x[0] > 0.9 && *calls > 20 ? sneppp__from_bits(0x7ff0000000000000ULL) : 1;
}

/* No more points than max_points, the first grid included; what fails there leaves K as it was. */
TEST kernel_numeric_gram_ends(void)
{
   sneppp_window win;
   double        K[1] = {7}, work[2], error, point[3] = {0.5, 0.25, 0.125};
   size_t        calls = 0;
   sneppp_error  err;
   memset(&win, 0, sizeof win);
   for (win.dim = 1; win.dim <= SNEPPP_MAX_DIM; win.dim++) {
      win.hi[win.dim - 1] = 0.5;
      calls = 0;
      ASSERT_EQ_FMT(SNEPPP_ERR_SIZE, numeric_gram(&win, 1, kernel_counted_feature, &calls, 0, 7, K, work, &error, &err), "%d");
      ASSERT(calls == 0 && K[0] == 7 && strstr(err.why, "max_points = 7"));
      if (win.dim >= 7) ASSERT_EQ_FMT(SNEPPP_ERR_SIZE, numeric_gram(&win, 1, kernel_counted_feature, &calls, 0, 0, K, work, &error, &err), "%d");
   }
   win.dim = 2, win.hi[0] = 1;
   ASSERT_EQ_FMT(SNEPPP_ERR_NOT_FINITE, numeric_gram(&win, 1, kernel_counted_feature, &calls, 0, 64, K, work, &error, &err), "%d");
   ASSERT_EQ(7.0, K[0]);
   calls = 0, win.hi[0] = 0.5;
   ASSERT_EQ_FMT(SNEPPP_ERR_NO_CONVERGENCE, numeric_gram(&win, 1, kernel_counted_feature, &calls, 0, 64, K, work, &error, &err), "%d");
   ASSERT_EQ_FMT((size_t)64, calls, "%zu");
   ASSERT_IN_RANGE(0.25, K[0], 1e-14); /* the best there is */
   memset(&win, 0, sizeof win);
   win.space = SNEPPP_SPACE_FINITE, win.dim = 1, win.count = 3, win.point = point;
   calls = 0;
   ASSERT_EQ_FMT(SNEPPP_OK, numeric_gram(&win, 1, kernel_counted_feature, &calls, 0, 0, K, work, &error, &err), "%d");
   ASSERT_IN_RANGE(3.0, K[0], 1e-15);
   ASSERT_EQ_FMT(SNEPPP_ERR_SIZE, numeric_gram(&win, 1, kernel_counted_feature, &calls, 0, 2, K, work, &error, &err), "%d");
   PASS();
}

/* sin x sin with short weights: k ~ z_i z_j keeps its digits although it is a difference of two masses. Expected: the
   numerical Gram matrix, which multiplies the sines themselves, or sums and integrals of the family. */
TEST kernel_short_sines(void)
{
   static const double size[4] = {0.03, 1e-3, 1e-6, 1e-9};
   size_t              rows = 0;
   kernel_ask          ask = kernel_first;
   while (kernel_next(&ask)) {
      if (ask.act[0] != SNEPPP_ACT_SIN || ask.act[1] != SNEPPP_ACT_SIN || ask.space == SNEPPP_SPACE_GAUSS) continue;
      rows++;
      for (int e = 0; e < 8; e++) {
         kernel_case c;
         double      w[2][SNEPPP__MAX_STATS], K[4], work[6], error, want, got, scale;
         kernel_seed(ask.name, 9);
         kernel_make(&c, &ask);
         if (ask.space == SNEPPP_SPACE_SPHERE && !ask.dim) c.win.dim = c.p.d = 3;
         for (int s = 0; s < 2; s++) {
            for (int r = 0; r < c.p.d; r++) w[s][r] = size[e / 2] * c.p.w[s][r];
            c.p.w[s] = w[s], c.p.b[s] *= e % 2 ? size[e / 2] : 0;
         }
         got = oracle_pair(&c.p, NULL);
         if (c.win.space >= SNEPPP_SPACE_GAMMA && c.win.space <= SNEPPP_SPACE_NORMAL) {
            kernel_case ii = c, jj = c;
            ii.p.w[1] = w[0], ii.p.b[1] = c.p.b[0], jj.p.w[0] = w[1], jj.p.b[0] = c.p.b[1];
            want = kernel_family_sum(&c), scale = sqrt(kernel_family_sum(&ii) * kernel_family_sum(&jj));
         } else {
            numeric_gram(&c.win, 2, kernel_features, &c, 1e-12, 400000, K, work, &error, NULL);
            want = K[1], scale = sqrt(K[0] * K[3]);
         }
         if (!(fabs(got - want) <= 1e-9 * scale)) printf("   %s, weights %g: %.12g, by definition %.12g\n", ask.name, size[e / 2], got, want);
         ASSERT_IN_RANGEm(ask.name, want, got, 1e-9 * scale);
         if (ask.space == SNEPPP_SPACE_BOX) { /* the whole matrix goes another way */
            double       W[2 * SNEPPP__MAX_STATS], b[2], G[4];
            sneppp_layer layer;
            memset(&layer, 0, sizeof layer);
            layer.n = 2, layer.unit.act = SNEPPP_ACT_SIN, layer.W = W, layer.b = b;
            b[0] = c.p.b[0], b[1] = c.p.b[1];
            for (int r = 0; r < c.p.d; r++) W[r] = w[0][r], W[c.p.d + r] = w[1][r];
            ASSERT_EQ_FMT(SNEPPP_OK, sneppp_gram(&c.win, &layer, G, NULL, NULL), "%d");
            ASSERT_IN_RANGE(want, G[1], 1e-9 * scale);
            ASSERT_IN_RANGE(K[0], G[0], 1e-9 * K[0]);
         }
      }
   }
   ASSERT(rows >= 10);
   PASS();
}

static void kernel_infinite_feature(const double *x, double *psi, void *user)
{
   psi[0] = x[0] > *(double *)user ? sneppp__nan() : 1;
}

/* What the numerical Gram matrix refuses, in words. */
TEST kernel_numeric_gram_refuses(void)
{
   sneppp_window win = kernel_window(SNEPPP_SPACE_BOX, 2);
   double        K[9], work[12], error = 7, jump = 0;
   sneppp_error  err;
   ASSERT_EQ(SNEPPP_ERR_ARG, numeric_gram(&win, 0, kernel_own_features, &jump, 0, 0, K, work, &error, &err));
   ASSERT(strstr(err.why, "n = 0 is not"));
   ASSERT_EQ(SNEPPP_ERR_ARG, numeric_gram(&win, -3, kernel_own_features, &jump, 0, 0, K, work, &error, &err));
   ASSERT(strstr(err.why, "n = -3 is not"));
   ASSERT_EQ(SNEPPP_ERR_ARG, numeric_gram(&win, 3, NULL, &jump, 0, 0, K, work, &error, &err));
   ASSERT(strstr(err.why, "psi is NULL"));
   ASSERT_EQ(SNEPPP_ERR_ARG, numeric_gram(&win, 3, kernel_own_features, &jump, 0, 0, NULL, work, &error, &err));
   ASSERT(strstr(err.why, "K is NULL"));
   {
      double mine[9];
      ASSERT_EQ(SNEPPP_OK, numeric_gram(&win, 3, kernel_own_features, &jump, 0, 0, mine, work, NULL, &err));
      ASSERT_EQ(SNEPPP_OK, numeric_gram(&win, 3, kernel_own_features, &jump, 0, 0, K, NULL, NULL, &err)); /* borrowed */
      ASSERT_EQ(0, memcmp(K, mine, sizeof mine));
   }
   ASSERT_EQ(SNEPPP_ERR_ARG, numeric_gram(&win, 3, kernel_own_features, &jump, -1, 0, K, work, &error, &err));
   ASSERT(strstr(err.why, "tol = -1"));
   ASSERT_EQ(SNEPPP_ERR_ARG, numeric_gram(&win, 3, kernel_own_features, &jump, sneppp__nan(), 0, K, work, &error, &err));
   ASSERT_EQ(7.0, error);
   jump = 0.5; /* the box goes from -0.7 to 1.1 */
   ASSERT_EQ(SNEPPP_ERR_NOT_FINITE, numeric_gram(&win, 1, kernel_infinite_feature, &jump, 0, 0, K, work, &error, &err));
   ASSERT(strstr(err.why, "not finite"));
   PASS();
}

/* Gradients that no double holds, and pull-backs of nonsense, are refused with the name of what failed. */
TEST kernel_gradients_out_of_range(void)
{
   static const double mean[2] = {0.5, 1}, scale[2] = {2, 30};
   double              W[4] = {0.01, 0.02, 0.03, -0.01}, b[2] = {0.5, 1}, width[4] = {40, 50, 60, 70};
   double              G[4] = {1e307, 1e307, 1e307, 1e307}, dW[4], db[2], dwidth[4], dmean[2], dscale[2], K[4] = {7, 7, 7, 7};
   sneppp_window       win;
   sneppp_layer        layer;
   sneppp_layer_grad   out;
   sneppp_error        err;
   memset(&win, 0, sizeof win), memset(&layer, 0, sizeof layer), memset(&out, 0, sizeof out);
   memset(dW, 0, sizeof dW), memset(db, 0, sizeof db), memset(dwidth, 0, sizeof dwidth);
   memset(dmean, 0, sizeof dmean), memset(dscale, 0, sizeof dscale);
   win.dim = 2, win.hi[0] = win.hi[1] = 100;
   layer.n = 2, layer.W = W, layer.b = b, layer.unit.act = SNEPPP_ACT_COS;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_gram_grad(&win, &layer, NULL, &out, NULL, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_gram_grad(&win, &layer, G, NULL, NULL, &err));
   out.W = dW;
   ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp_gram_grad(&win, &layer, G, &out, NULL, &err));
   ASSERT(strstr(err.why, "the gradient of W["));
   {
      double last[4] = {0, 0, 0, 1e307}; /* only unit 1 is steep, and it is named */
      memset(dW, 0, sizeof dW);
      ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp_gram_grad(&win, &layer, last, &out, NULL, &err));
      ASSERT(strstr(err.why, "the gradient of W[1][0]"));
   }
   out.W = NULL, out.b = db;
   ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp_gram_grad(&win, &layer, G, &out, NULL, &err));
   ASSERT(strstr(err.why, "the gradient of b["));
   out.b = NULL, out.mean = dmean;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_gram_grad(&win, &layer, G, &out, NULL, &err));
   ASSERT(strstr(err.why, "Gaussian windows only"));
   out.mean = NULL;
   G[2] = sneppp__nan();
   ASSERT_EQ(SNEPPP_ERR_NOT_FINITE, sneppp_gram_grad(&win, &layer, G, &out, NULL, &err));
   ASSERT(strstr(err.why, "entry 2 of the gradient"));
   G[2] = 1e307;
   layer.unit.act = SNEPPP_ACT_RBF, layer.width = width, layer.b = NULL;
   out.width = dwidth;
   ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp_gram_grad(&win, &layer, G, &out, NULL, &err));
   ASSERT(strstr(err.why, "the gradient of width["));
   out.width = NULL;
   win.space = SNEPPP_SPACE_GAUSS, win.count = 1, win.mean = mean, win.scale = scale;
   layer.unit.act = SNEPPP_ACT_EXP, layer.b = b, layer.width = NULL;
   W[0] = W[2] = 2.5; /* exp units under a wide Gaussian: a large K, and larger slopes */
   W[1] = W[3] = 0.1;
   out.mean = dmean;
   ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp_gram_grad(&win, &layer, G, &out, NULL, &err));
   ASSERT(strstr(err.why, "the gradient of window.mean["));
   out.mean = NULL, out.scale = dscale;
   ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp_gram_grad(&win, &layer, G, &out, NULL, &err));
   ASSERT(strstr(err.why, "the gradient of window.scale["));
   W[0] = W[2] = 30;
   ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp_gram(&win, &layer, K, NULL, &err));
   ASSERT(strstr(err.why, "K[0][0] cannot be represented"));
   ASSERT_EQ(7.0, K[0]);
   PASS();
}

/* K_ii of a step is its first moment, and its derivatives are the moment's: by differences, along the diagonal, wherever
   steps have closed forms. */
TEST kernel_step_beside_itself(void)
{
   static const double xy[8] = {0, 0, 2, 0.1, 1.5, 1.4, 0.2, 1}, ends[2] = {-1, 2}, mean[2] = {0.2, -0.1}, scale[2] = {1, 0.7};
   static const struct { sneppp_space space; int dim, biased; } where[] = {
      {SNEPPP_SPACE_BOX, 1, 1}, {SNEPPP_SPACE_BOX, 2, 1}, {SNEPPP_SPACE_INTERVALS, 1, 1}, {SNEPPP_SPACE_POLYGON, 2, 1},
      {SNEPPP_SPACE_SPHERE, 3, 1}, {SNEPPP_SPACE_SPHERE, 3, 0}, {SNEPPP_SPACE_GAUSS, 2, 1}};
   sneppp_rng rng;
   sneppp_rng_init(&rng, 3, 0);
   for (size_t k = 0; k < 20 * sizeof where / sizeof *where; k++) {
      size_t            c = k / 20;
      double            W[3], b = where[c].biased ? 0.2 * sneppp_rng_normal(&rng) : 0, K = 0, moment = 0, G = 1, dW[3] = {0}, db = 0;
      sneppp_window     win;
      sneppp_layer      layer;
      sneppp_layer_grad out;
      sneppp_error      err;
      int               d = where[c].dim;
      memset(&win, 0, sizeof win), memset(&layer, 0, sizeof layer), memset(&out, 0, sizeof out);
      win.space = where[c].space, win.dim = d;
      for (int r = 0; r < 3; r++) W[r] = sneppp_rng_normal(&rng);
      for (int r = 0; r < d; r++) win.lo[r] = -0.5, win.hi[r] = 1 + r;
      if (win.space == SNEPPP_SPACE_POLYGON) win.xy = xy, win.count = 4;
      if (win.space == SNEPPP_SPACE_INTERVALS) win.ends = ends, win.count = 1;
      if (win.space == SNEPPP_SPACE_GAUSS) win.mean = mean, win.scale = scale, win.count = 1;
      layer.n = 1, layer.unit.act = k % 2 ? SNEPPP_ACT_STEP : SNEPPP_ACT_RECT, layer.W = W, layer.b = where[c].biased ? &b : NULL; /* order 0 */
      out.W = dW, out.b = where[c].biased ? &db : NULL;
      ASSERT_EQm(err.why, SNEPPP_OK, sneppp_gram(&win, &layer, &K, NULL, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_moments(&win, &layer, &moment, &err));
      ASSERT_IN_RANGE(moment, K, 1e-14);
      ASSERT_EQ(SNEPPP_OK, sneppp_gram_grad(&win, &layer, &G, &out, NULL, &err));
      for (int r = 0; r < d + where[c].biased; r++) {
         double *x = r < d ? &W[r] : &b, from = *x, value[2], got = r < d ? dW[r] : db;
         for (int side = 0; side < 2; side++) {
            *x = from + (side ? 1e-5 : -1e-5);
            ASSERT_EQ(SNEPPP_OK, sneppp_gram(&win, &layer, &value[side], NULL, &err));
         }
         *x = from;
         ASSERT_IN_RANGE((value[1] - value[0]) / 2e-5, got, 1e-7 * (1 + fabs(got)));
      }
   }
   PASS();
}

/* One number of K, or a mean, that is too large for a double is named, and nothing is written. */
TEST kernel_lines_out_of_range(void)
{
   sneppp_window win;
   sneppp_layer  layer;
   sneppp_error  err;
   sneppp__gram_job job;
   double        W[2] = {0.5, 900}, b[2] = {0, 0}, k[2] = {5, 5};
   memset(&win, 0, sizeof win), memset(&layer, 0, sizeof layer), memset(&err, 0, sizeof err);
   win.dim = 1, win.hi[0] = 1;
   layer.n = 2, layer.d = 1, layer.W = W, layer.b = b, layer.unit.act = SNEPPP_ACT_EXP;
   for (int moments = 0; moments < 2; moments++) {
      job = sneppp__gram_ask(moments ? SNEPPP__MOMENT : SNEPPP__DIAGONAL, k, NULL, 0, NULL);
      ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp__gram(&win, &layer, &job, 0, 1, NULL, NULL, &err));
      ASSERT(strstr(err.why, moments ? "c[1] cannot be represented" : "K[1][1] cannot be represented"));
      ASSERT(k[0] == 5 && k[1] == 5);
   }
   W[1] = 2;
   job = sneppp__gram_ask(SNEPPP__DIAGONAL, k, NULL, 0, NULL);
   ASSERT_EQ(SNEPPP_OK, sneppp__gram(&win, &layer, &job, 0, 1, NULL, NULL, &err));
   ASSERT_IN_RANGE(exp(1) - 1, k[0], 1e-12);
   ASSERT_IN_RANGE((exp(4) - 1) / 4, k[1], 1e-11);
   PASS();
}

/* Lengths and directions of weights whose squares no double can hold. */
TEST kernel_lengths_of_every_size(void)
{
   for (int e = -300; e <= 300; e += 50) {
      const double w[3] = {ldexp(2, 3 * e), ldexp(-6, 3 * e), ldexp(9, 3 * e)};
      double       u[3];
      ASSERT_IN_RANGE(11, ldexp(sneppp__norm(3, w, u), -3 * e), 1e-14);
      for (int r = 0; r < 3; r++) ASSERT_IN_RANGE((r == 0 ? 2 : r == 1 ? -6 : 9) / 11.0, u[r], 1e-15);
   }
   PASS();
}

/* log Gamma(z) is Stirling's series far away less the logarithms on the way, one by one, and psi(z) its derivative: also
   where the product of these steps has gone around the origin, from either side. */
TEST kernel_log_gamma_of_complex_numbers(void)
{
   static const double re[7] = {1e-300, 1e-8, 0.3, 1, 2.5, 7, 11.9}, im[7] = {1e-300, 1e-9, 0.1, 1, 4, 11.5, 40};
   for (int i = 0; i < 7; i++)
      for (int j = 0; j < 14; j++) {
         sneppp__complex z = sneppp__c(re[i], j < 7 ? im[j] : -im[j - 7]), shift = sneppp__c(0, 0), dshift = shift, lz, r, q, want, slope, got;
         got = sneppp__clgamma(z, &slope);
         for (int k = 0; k < 60; k++) {
            shift = sneppp__cadd(shift, sneppp__clog(z));
            dshift = sneppp__cadd(dshift, sneppp__cdiv(sneppp__c(1, 0), z));
            z.re += 1;
         }
         lz = sneppp__clog(z), r = sneppp__cdiv(sneppp__c(1, 0), z), q = sneppp__cmul(r, r);
         want = sneppp__csub(sneppp__cmul(sneppp__c(z.re - 0.5, z.im), lz), z);
         want = sneppp__cadd(want, sneppp__cmul(r, sneppp__cadd(sneppp__c(1.0 / 12, 0), sneppp__cmul(q, sneppp__cadd(sneppp__c(-1.0 / 360, 0), sneppp__cscale(q, 1.0 / 1260))))));
         want.re += 0.5 * log(2 * SNEPPP__PI);
         want = sneppp__csub(want, shift);
         ASSERT_IN_RANGE(want.re, got.re, 2e-13 * (30 + hypot(want.re, want.im)));
         ASSERT_IN_RANGE(want.im, got.im, 2e-13 * (30 + hypot(want.re, want.im)));
         want = sneppp__csub(sneppp__csub(lz, sneppp__cscale(r, 0.5)), sneppp__cmul(q, sneppp__csub(sneppp__c(1.0 / 12, 0), sneppp__cscale(q, 1.0 / 120))));
         want = sneppp__csub(want, dshift);
         ASSERT_IN_RANGE(want.re, slope.re, 1e-13 * (1 + hypot(want.re, want.im)));
         ASSERT_IN_RANGE(want.im, slope.im, 1e-13 * (1 + hypot(want.re, want.im)));
      }
   PASS();
}

/* A polygon that is small beside a bell, as a box of the same shape: values, and derivatives where those of the box hold. */
TEST kernel_small_polygons(void)
{
   static const double xy[8] = {0, 0, 1, 0, 1, 1, 0, 1};
   sneppp_window       polygon, box;
   sneppp_layer        layer;
   memset(&polygon, 0, sizeof polygon);
   memset(&box, 0, sizeof box);
   polygon.space = SNEPPP_SPACE_POLYGON, polygon.dim = box.dim = 2, polygon.xy = xy, polygon.count = 4;
   box.hi[0] = box.hi[1] = 1;
   memset(&layer, 0, sizeof layer);
   layer.n = 1, layer.unit.act = SNEPPP_ACT_RBF;
   for (int k = 8; k < 48; k++) {
      const double      l[2] = {pow(10, 0.25 * k), 2 * pow(10, 0.25 * k)}, W[2] = {0.3 + k % 4, 0.4 - k % 3}, G = 1;
      double            K[2], g[2][4];
      sneppp_layer_grad out;
      layer.W = W, layer.width = l;
      for (int s = 0; s < 2; s++) {
         memset(g[s], 0, sizeof g[s]);
         memset(&out, 0, sizeof out);
         out.W = g[s], out.width = g[s] + 2;
         ASSERT_EQ(sneppp_gram(s ? &box : &polygon, &layer, &K[s], NULL, NULL), SNEPPP_OK);
         ASSERT_EQ(sneppp_gram_grad(s ? &box : &polygon, &layer, &G, &out, NULL, NULL), SNEPPP_OK);
      }
      ASSERT(fabs(K[0] - K[1]) <= 2e-12 * K[1]);
      for (int i = 0; i < 4; i++) ASSERT(fabs(g[0][i] - g[1][i]) <= 1e-11 * fabs(g[1][i]) + 1e-14 * K[1] / l[0]);
   }
   PASS();
}

/* Units that hardly decay: L = (1 - e^s)^-r with s next to 0. */
TEST kernel_slow_decay(void)
{
   sneppp_window win = kernel_window(SNEPPP_SPACE_NEGBINOMIAL, 1);
   sneppp_layer  layer;
   memset(&layer, 0, sizeof layer);
   win.param[0] = 2;
   layer.n = 1, layer.unit.act = SNEPPP_ACT_EXP;
   for (double w = -2; w < -1e-15; w *= 0.1) {
      double K, q = -expm1(2 * w);
      layer.W = &w;
      ASSERT_EQ(sneppp_gram(&win, &layer, &K, NULL, NULL), SNEPPP_OK);
      ASSERT(fabs(K * q * q - 1) < 1e-13);
   }
   PASS();
}

SUITE(kernel)
{
   RUN_TEST(kernel_small_polygons);
   RUN_TEST(kernel_slow_decay);
   RUN_TEST(kernel_log_gamma_of_complex_numbers);
   RUN_TEST(kernel_lengths_of_every_size);
   RUN_TEST(kernel_lines_out_of_range);
   RUN_TEST(kernel_public_values);
   RUN_TEST(kernel_public_gradients);
   RUN_TEST(kernel_oracle_sees_changes);
   RUN_TEST(kernel_every_rule_has_derivatives);
   RUN_TEST(kernel_every_rule_is_its_integral);
   RUN_TEST(kernel_gram_is_symmetric_and_psd);
   RUN_TEST(kernel_threads_change_nothing);
   RUN_TEST(kernel_pull_back_is_the_gradient);
   RUN_TEST(kernel_is_additive_over_a_split_window);
   RUN_TEST(kernel_box_is_a_polygon_and_an_interval);
   RUN_TEST(kernel_polygon_tends_to_the_disc);
   RUN_TEST(kernel_mixture_of_one_is_the_gaussian);
   RUN_TEST(kernel_sphere_does_not_know_directions);
   RUN_TEST(kernel_translation);
   RUN_TEST(kernel_range);
   RUN_TEST(kernel_logs_are_logarithms);
   RUN_TEST(kernel_refuses_by_name);
   RUN_TEST(kernel_table_is_complete);
   RUN_TEST(kernel_numeric_gram);
   RUN_TEST(kernel_numeric_gram_ends);
   RUN_TEST(kernel_short_sines);
   RUN_TEST(kernel_failed_calls_write_nothing);
   RUN_TEST(kernel_values_beside_the_pull_back);
   RUN_TEST(kernel_numeric_gram_refuses);
   RUN_TEST(kernel_gradients_out_of_range);
   RUN_TEST(kernel_step_beside_itself);
}
