/* Reads rows of the files of test vectors and checks the kernel table against them. Shared by build/oracle and by
   the suite `kernel`. The header must have been included with SNEPPP_IMPLEMENTATION before.

   Two formats, told apart by the number of fields (one file has one format):

      name d np p_1 .. p_np expected unit scale              a value and its own uncertainty
      name d np p_1 .. p_np expected g_1 .. g_np             a value and its gradient

   What a name stands for is in a table below. The layout of p_1 .. p_np follows from it: parameters of the activations,
   then the window, then the units. A name that ends in _log is a logarithm.

   Values:    |got - expected| <= T unit + 64e-15 scale, T = 64.
              Kernels that need the bivariate normal cdf may also err by 4e-16 times their largest term, as the header
              of the vectors says.
   Gradients: |got - expected| <= 1e-10 (|expected| + scale), scale = the largest entry of the gradient and the value itself.
              The file states no uncertainty, but entries are differences of terms of about that scale, so a backward
              stable evaluation is good to some hundred roundings, 1e-14 to 1e-13, of it; 1e-10 leaves room for
              conditioning (weights up to 1e2) and still sees a change of the tenth digit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORACLE_MAX_FIELDS 4096
#define ORACLE_MAX_NAMES  512

typedef struct oracle_tally {
   char   name[64];
   int    rows, failed;
   double worst; /* largest error in units of the row's own uncertainty */
} oracle_tally;

static const double oracle_slack = 64; /* allowed multiple of a row's own uncertainty */

/* The kernels of the files: names, and what the library calls them. */
typedef struct oracle_name { const char *name; sneppp_space space; sneppp_act act[2]; } oracle_name;

static const oracle_name oracle_names[] = {
   { "g_cos", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_COS, SNEPPP_ACT_COS } },
   { "g_sin", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_SIN, SNEPPP_ACT_SIN } },
   { "g_cos_sin", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_COS, SNEPPP_ACT_SIN } },
   { "g_snake", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_SNAKE, SNEPPP_ACT_SNAKE } },
   { "g_cosmident", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_COSMIDENT, SNEPPP_ACT_COSMIDENT } },
   { "g_exp", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "g_exp_log", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "g_erf", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_ERF, SNEPPP_ACT_ERF } },
   { "g_phi", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_PHI, SNEPPP_ACT_PHI } },
   { "g_rect", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_RECT, SNEPPP_ACT_RECT } },
   { "g_leaky", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_LEAKY, SNEPPP_ACT_LEAKY } },
   { "g_gelu", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_GELU, SNEPPP_ACT_GELU } },
   { "g_elu", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_ELU, SNEPPP_ACT_ELU } },
   { "g_gauss", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_BELL, SNEPPP_ACT_BELL } },
   { "g_gabor_sin", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_GABOR_SIN, SNEPPP_ACT_GABOR_SIN } },
   { "g_gabor_cos", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_GABOR_COS, SNEPPP_ACT_GABOR_COS } },
   { "g_mono", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_MONOMIAL, SNEPPP_ACT_MONOMIAL } },
   { "g_exp_cos", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_EXP, SNEPPP_ACT_COS } },
   { "g_exp_relu", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_EXP, SNEPPP_ACT_RELU } },
   { "g_arccos", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_RECT, SNEPPP_ACT_RECT } },
   { "g1_cos", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_COS, SNEPPP_ACT_ONE } },
   { "g1_sin", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_SIN, SNEPPP_ACT_ONE } },
   { "g1_snake", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_SNAKE, SNEPPP_ACT_ONE } },
   { "g1_cosmident", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_COSMIDENT, SNEPPP_ACT_ONE } },
   { "g1_exp", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_EXP, SNEPPP_ACT_ONE } },
   { "g1_erf", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_ERF, SNEPPP_ACT_ONE } },
   { "g1_phi", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_PHI, SNEPPP_ACT_ONE } },
   { "g1_rect", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_RECT, SNEPPP_ACT_ONE } },
   { "g1_leaky", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_LEAKY, SNEPPP_ACT_ONE } },
   { "g1_gelu", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_GELU, SNEPPP_ACT_ONE } },
   { "g1_elu", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_ELU, SNEPPP_ACT_ONE } },
   { "g1_gauss", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_BELL, SNEPPP_ACT_ONE } },
   { "g1_gabor_sin", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_GABOR_SIN, SNEPPP_ACT_ONE } },
   { "g1_gabor_cos", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_GABOR_COS, SNEPPP_ACT_ONE } },
   { "g1_mono", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_MONOMIAL, SNEPPP_ACT_ONE } },
   { "g_rbf", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_RBF, SNEPPP_ACT_RBF } },
   { "gmix_cos", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_COS, SNEPPP_ACT_COS } },
   { "s_exp", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "s_exp_log", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "s_cos", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_COS, SNEPPP_ACT_COS } },
   { "s_sin", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_SIN, SNEPPP_ACT_SIN } },
   { "s_cos_sin", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_COS, SNEPPP_ACT_SIN } },
   { "s_rect", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_RECT, SNEPPP_ACT_RECT } },
   { "s_leaky", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_LEAKY, SNEPPP_ACT_LEAKY } },
   { "s_mono", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_MONOMIAL, SNEPPP_ACT_MONOMIAL } },
   { "s1_exp", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_EXP, SNEPPP_ACT_ONE } },
   { "s1_cos", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_COS, SNEPPP_ACT_ONE } },
   { "s1_sin", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_SIN, SNEPPP_ACT_ONE } },
   { "s1_rect", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_RECT, SNEPPP_ACT_ONE } },
   { "b_exp", SNEPPP_SPACE_BOX, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "b_exp_log", SNEPPP_SPACE_BOX, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "b_cos", SNEPPP_SPACE_BOX, { SNEPPP_ACT_COS, SNEPPP_ACT_COS } },
   { "b_sin", SNEPPP_SPACE_BOX, { SNEPPP_ACT_SIN, SNEPPP_ACT_SIN } },
   { "b_cos_sin", SNEPPP_SPACE_BOX, { SNEPPP_ACT_COS, SNEPPP_ACT_SIN } },
   { "b_mono", SNEPPP_SPACE_BOX, { SNEPPP_ACT_MONOMIAL, SNEPPP_ACT_MONOMIAL } },
   { "b_rbf", SNEPPP_SPACE_BOX, { SNEPPP_ACT_RBF, SNEPPP_ACT_RBF } },
   { "b1_exp", SNEPPP_SPACE_BOX, { SNEPPP_ACT_EXP, SNEPPP_ACT_ONE } },
   { "b1_cos", SNEPPP_SPACE_BOX, { SNEPPP_ACT_COS, SNEPPP_ACT_ONE } },
   { "b1_sin", SNEPPP_SPACE_BOX, { SNEPPP_ACT_SIN, SNEPPP_ACT_ONE } },
   { "i_rect", SNEPPP_SPACE_INTERVALS, { SNEPPP_ACT_RECT, SNEPPP_ACT_RECT } },
   { "i_leaky", SNEPPP_SPACE_INTERVALS, { SNEPPP_ACT_LEAKY, SNEPPP_ACT_LEAKY } },
   { "i_exp_log", SNEPPP_SPACE_INTERVALS, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "i_cos", SNEPPP_SPACE_INTERVALS, { SNEPPP_ACT_COS, SNEPPP_ACT_COS } },
   { "i1_rect", SNEPPP_SPACE_INTERVALS, { SNEPPP_ACT_RECT, SNEPPP_ACT_ONE } },
   { "i1_leaky", SNEPPP_SPACE_INTERVALS, { SNEPPP_ACT_LEAKY, SNEPPP_ACT_ONE } },
   { "e_gamma_log", SNEPPP_SPACE_GAMMA, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "e_beta_log", SNEPPP_SPACE_BETA, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "e_dirichlet_log", SNEPPP_SPACE_DIRICHLET, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "e_poisson_log", SNEPPP_SPACE_POISSON, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "e_binomial_log", SNEPPP_SPACE_BINOMIAL, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "e_negbin_log", SNEPPP_SPACE_NEGBINOMIAL, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "e_finite_log", SNEPPP_SPACE_FINITE, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "e_vonmises_log", SNEPPP_SPACE_VONMISES, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "e_normal_log", SNEPPP_SPACE_NORMAL, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "gamma_cos", SNEPPP_SPACE_GAMMA, { SNEPPP_ACT_COS, SNEPPP_ACT_COS } },
   { "poisson_cos", SNEPPP_SPACE_POISSON, { SNEPPP_ACT_COS, SNEPPP_ACT_COS } },
   { "s2_rect", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_RECT, SNEPPP_ACT_RECT } },
   { "ball_exp_log", SNEPPP_SPACE_BALL, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "ball_cos", SNEPPP_SPACE_BALL, { SNEPPP_ACT_COS, SNEPPP_ACT_COS } },
   { "p_rect", SNEPPP_SPACE_POLYGON, { SNEPPP_ACT_RECT, SNEPPP_ACT_RECT } },
   { "p_exp", SNEPPP_SPACE_POLYGON, { SNEPPP_ACT_EXP, SNEPPP_ACT_EXP } },
   { "p_cos", SNEPPP_SPACE_POLYGON, { SNEPPP_ACT_COS, SNEPPP_ACT_COS } },
   { "c_rect", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_RECT, SNEPPP_ACT_RECT } },
   { "s21_rect", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_RECT, SNEPPP_ACT_ONE } },
   { "s1_leaky", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_LEAKY, SNEPPP_ACT_ONE } },
   { "b1_rbf", SNEPPP_SPACE_BOX, { SNEPPP_ACT_RBF, SNEPPP_ACT_ONE } },
   { "g_relu", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_RELU, SNEPPP_ACT_RELU } },
   { "s_relu", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_RELU, SNEPPP_ACT_RELU } },
   { "i_relu", SNEPPP_SPACE_INTERVALS, { SNEPPP_ACT_RELU, SNEPPP_ACT_RELU } },
   { "p_relu", SNEPPP_SPACE_POLYGON, { SNEPPP_ACT_RELU, SNEPPP_ACT_RELU } },
   { "s2_relu", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_RELU, SNEPPP_ACT_RELU } },
   { "c_relu", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_RELU, SNEPPP_ACT_RELU } },
   { "g_step", SNEPPP_SPACE_GAUSS, { SNEPPP_ACT_STEP, SNEPPP_ACT_STEP } },
   { "i_step", SNEPPP_SPACE_INTERVALS, { SNEPPP_ACT_STEP, SNEPPP_ACT_STEP } },
   { "s2_step", SNEPPP_SPACE_SPHERE, { SNEPPP_ACT_STEP, SNEPPP_ACT_STEP } }
};

typedef struct oracle {
   oracle_tally tally[ORACLE_MAX_NAMES];
   int          names, rows, failed, unknown, malformed, gradients;
   double       factor; /* multiplies every tolerance: 1, under -ffast-math too */
   FILE        *log;    /* where failures are told, or NULL */
} oracle;

/* Where each number of a row went: the window, the layer, and the arrays they point to. */
typedef struct oracle_case {
   const oracle_name *row;
   sneppp_window      win;
   sneppp__pair       pair;
   double             w[2][SNEPPP__MAX_STATS], l[2][SNEPPP__MAX_STATS];
   int                at_w[2], at_b[2], at_l[2], at_mean, at_scale, at_weight; /* index of p_k, -1 = absent */
   int                first; /* weights start at this statistic: 1 for the gamma measure with t = x */
   int                d;     /* as in the row */
} oracle_case;

static const oracle_name *oracle_find(const char *name)
{
   size_t k;
   for (k = 0; k < sizeof oracle_names / sizeof oracle_names[0]; k++)
      if (!strcmp(oracle_names[k].name, name)) return &oracle_names[k];
   return NULL;
}

/* A pair by the rule that fits it, its sides exchanged if the rule asks for that; not a number if there is none. */
static double oracle_pair(const sneppp__pair *pair, const sneppp__pull *out)
{
   sneppp__pair p = *pair;
   sneppp__pull o;
   int          biased = p.b[0] != 0 || (p.b[1] != 0 && p.u[1].act != SNEPPP_ACT_ONE), s;
   short        rule = sneppp__find_rule(p.win, p.d, p.u[0].act, p.u[1].act, biased, p.log);
   if (!rule) return sneppp__nan();
   memset(&o, 0, sizeof o);
   if (out) o = *out;
   p.rule = &sneppp__rules[(rule < 0 ? -rule : rule) - 1];
   for (s = 0; rule < 0 && s < 2; s++) {
      p.u[s] = pair->u[1 - s];
      p.w[s] = pair->w[1 - s];
      p.l[s] = pair->l[1 - s];
      p.b[s] = pair->b[1 - s];
      if (!out) continue;
      o.w[s] = out->w[1 - s];
      o.l[s] = out->l[1 - s];
      o.b[s] = out->b[1 - s];
   }
   return sneppp__pair_value(&p, out ? &o : NULL);
}

/* Number of parameters of an activation in a row of the file; RECT and MONOMIAL have an order per unit. */
static int oracle_act_params(sneppp_act act)
{
   switch (act) {
      case SNEPPP_ACT_SNAKE: case SNEPPP_ACT_COSMIDENT: case SNEPPP_ACT_LEAKY: case SNEPPP_ACT_ELU: case SNEPPP_ACT_BELL: return 1;
      case SNEPPP_ACT_GABOR_SIN: case SNEPPP_ACT_GABOR_COS: return 2;
      default: return 0;
   }
}

typedef struct oracle_reader { const double *p; int np, at, bad; } oracle_reader;

static double oracle_number(oracle_reader *r)
{
   if (r->at >= r->np) { r->bad = 1; return 0; }
   return r->p[r->at++];
}

static const double *oracle_array(oracle_reader *r, size_t count, int *where)
{
   const double *p = r->p + r->at;
   if (where) *where = r->at;
   if (count > (size_t)(r->np - r->at)) { r->bad = 1; return r->p; }
   r->at += (int)count;
   return p;
}

static size_t oracle_count(oracle_reader *r)
{
   double x = oracle_number(r);
   if (!(x >= 1 && x <= 1000 && x == (double)(int)x)) { r->bad = 1; return 1; }
   return (size_t)x;
}

static void oracle_read_window(oracle_case *c, oracle_reader *r, int centred)
{
   sneppp_window *win = &c->win;
   size_t         d = (size_t)c->d;
   win->space = c->row->space;
   win->dim = c->d;
   win->measure = SNEPPP_MEASURE_PROBABILITY;
   switch (win->space) {
      case SNEPPP_SPACE_GAUSS:
         win->count = 1;
         if (!strncmp(c->row->name, "gmix", 4)) {
            win->count = oracle_count(r);
            win->weight = oracle_array(r, win->count, &c->at_weight);
         }
         if (!centred) win->mean = oracle_array(r, win->count * d, &c->at_mean);
         win->scale = oracle_array(r, win->count * d, &c->at_scale);
         break;
      case SNEPPP_SPACE_BOX:
         memcpy(win->lo, oracle_array(r, d, NULL), d * sizeof(double));
         memcpy(win->hi, oracle_array(r, d, NULL), d * sizeof(double));
         break;
      case SNEPPP_SPACE_INTERVALS:
         win->count = oracle_count(r);
         win->ends = oracle_array(r, 2 * win->count, NULL);
         break;
      case SNEPPP_SPACE_POLYGON:
         win->count = oracle_count(r);
         win->xy = oracle_array(r, 2 * win->count, NULL);
         break;
      case SNEPPP_SPACE_BALL:
         memcpy(win->centre, oracle_array(r, d, NULL), d * sizeof(double));
         win->radius = oracle_number(r);
         break;
      case SNEPPP_SPACE_GAMMA: case SNEPPP_SPACE_BETA:
         win->dim = 1;
         win->param[0] = oracle_number(r);
         win->param[1] = oracle_number(r);
         break;
      case SNEPPP_SPACE_DIRICHLET: memcpy(win->param, oracle_array(r, d, NULL), d * sizeof(double)); break;
      case SNEPPP_SPACE_POISSON: case SNEPPP_SPACE_BINOMIAL: case SNEPPP_SPACE_NEGBINOMIAL: win->param[0] = oracle_number(r); break;
      case SNEPPP_SPACE_NORMAL: case SNEPPP_SPACE_VONMISES: win->dim = 1; break;
      case SNEPPP_SPACE_FINITE:
         win->count = oracle_count(r);
         win->weight = oracle_array(r, win->count, NULL);
         win->point = oracle_array(r, win->count * d, NULL);
         break;
      default: break;
   }
}

/* Takes a row of the file apart, with or without biases. Returns 0 if the number of parameters is not right. */
static int oracle_read_as(oracle_case *c, const oracle_name *row, int d, int np, const double *p, int bias)
{
   oracle_reader r;
   int           k, s, one = row->act[1] == SNEPPP_ACT_ONE, stats, radial = row->act[0] == SNEPPP_ACT_RBF;
   int           ordered = row->act[0] == SNEPPP_ACT_RECT || row->act[0] == SNEPPP_ACT_MONOMIAL, centred = !strcmp(row->name, "g_arccos");
   sneppp_unit  *u = c->pair.u;
   size_t        length = strlen(row->name);
   memset(c, 0, sizeof *c);
   for (s = 0; s < 2; s++) c->at_w[s] = c->at_b[s] = c->at_l[s] = -1;
   c->at_mean = c->at_scale = c->at_weight = -1;
   c->row = row;
   c->d = d;
   if (d < 1 || d > SNEPPP_MAX_DIM) return 0;
   r.p = p;
   r.np = np;
   r.at = r.bad = 0;
   u[0].act = row->act[0];
   u[1].act = row->act[1];
   if (ordered) {
      u[0].p = oracle_number(&r);
      u[1].p = one ? 0 : centred ? u[0].p : oracle_number(&r);
   } else if (oracle_act_params(row->act[0])) {
      u[0].p = u[1].p = oracle_number(&r);
      if (oracle_act_params(row->act[0]) == 2) u[0].q = u[1].q = oracle_number(&r);
   }
   for (s = 0; s < 2; s++) if (u[s].act == SNEPPP_ACT_RELU) u[s].p = 1;
   oracle_read_window(c, &r, centred);
   stats = sneppp__stats(&c->win);
   c->first = stats - d;
   if (c->first < 0 || c->first > 1) return 0;
   for (s = 0; s < 2; s++) {
      for (k = 0; k < SNEPPP__MAX_STATS; k++) c->l[s][k] = 1;
      c->pair.w[s] = c->w[s];
      c->pair.l[s] = c->l[s];
      if (s && one) break;
      memcpy(c->w[s] + c->first, oracle_array(&r, (size_t)d, &c->at_w[s]), (size_t)d * sizeof(double));
      if (radial) memcpy(c->l[s], oracle_array(&r, (size_t)d, &c->at_l[s]), (size_t)d * sizeof(double));
      else if (bias) { c->at_b[s] = r.at; c->pair.b[s] = oracle_number(&r); }
   }
   c->pair.win = &c->win;
   c->pair.d = stats;
   c->pair.log = length > 4 && !strcmp(row->name + length - 4, "_log");
   return !r.bad && r.at == np;
}

/* A kernel that allows a bias may stand in the file without one. */
static int oracle_read_case(oracle_case *c, const oracle_name *row, int d, int np, const double *p)
{
   return oracle_read_as(c, row, d, np, p, 1) || oracle_read_as(c, row, d, np, p, 0);
}

/* The third allowance: kernels that rest on the bivariate normal cdf, whose absolute error is about 1e-16. Their largest
   term is a product of moments of the two units, (|a| + sqrt A)^p (|b| + sqrt B)^q + 1 for orders p and q. */
static double oracle_normal_cdf(const oracle_case *c)
{
   static const char *const name[] = { "g_step", "g_relu", "g_rect", "g_leaky", "g_phi", "g_erf", "g_gelu", "g_elu" };
   double                   a = c->pair.b[0], b = c->pair.b[1], A = 0, B = 0, p, q;
   size_t                   k;
   int                      r, listed = 0;
   for (k = 0; k < sizeof name / sizeof name[0]; k++) if (!strcmp(name[k], c->row->name)) listed = 1;
   if (!listed) return 0;
   for (r = 0; r < c->d; r++) {
      double m = c->win.mean ? c->win.mean[r] : 0, s = c->win.scale[r];
      a += c->w[0][r] * m;
      b += c->w[1][r] * m;
      A += c->w[0][r] * s * (c->w[0][r] * s);
      B += c->w[1][r] * s * (c->w[1][r] * s);
   }
   switch (c->row->act[0]) {
      case SNEPPP_ACT_RECT: p = c->pair.u[0].p; q = c->pair.u[1].p; break;
      case SNEPPP_ACT_STEP: case SNEPPP_ACT_PHI: case SNEPPP_ACT_ERF: p = q = 0; break;
      default: p = q = 1; break;
   }
   return 4e-16 * (pow(fabs(a) + sqrt(A), p) * pow(fabs(b) + sqrt(B), q) + 1);
}

static oracle_tally *oracle_tally_of(oracle *o, const char *name)
{
   int k;
   for (k = 0; k < o->names; k++) if (!strcmp(o->tally[k].name, name)) return &o->tally[k];
   if (o->names == ORACLE_MAX_NAMES) return &o->tally[ORACLE_MAX_NAMES - 1];
   memset(&o->tally[k], 0, sizeof o->tally[k]);
   strncpy(o->tally[k].name, name, sizeof o->tally[k].name - 1);
   o->names++;
   return &o->tally[k];
}

/* Adds one comparison to a tally; `ratio` is the error divided by what is allowed, times the slack. */
static int oracle_judge(oracle *o, oracle_tally *t, double error, double allowed, double slack)
{
   double ratio = error == 0 ? 0 : error / allowed * slack;
   if (!sneppp__finite(error)) ratio = 1e300;
   if (ratio > t->worst) t->worst = ratio;
   return ratio <= slack * o->factor;
}

static int oracle_value(oracle *o, oracle_tally *t, const oracle_case *c, double expected, double unit, double scale)
{
   double slack = oracle_slack, got = oracle_pair(&c->pair, NULL), own;
   own = unit + (64e-15 * scale + oracle_normal_cdf(c)) / slack; /* so that slack * own is the tolerance */
   if (oracle_judge(o, t, fabs(got - expected), slack * own, slack)) return 1;
   if (o->log) fprintf(o->log, "   %s: got %.17g, expected %.17g, unit %.3g, scale %.3g\n", t->name, got, expected, unit, scale);
   return 0;
}

static int oracle_gradient(oracle *o, oracle_tally *t, oracle_case *c, int np, double expected, const double *g)
{
   double       got[ORACLE_MAX_FIELDS], w[2][SNEPPP__MAX_STATS], l[2][SNEPPP__MAX_STATS], b[2], value, scale = fabs(expected);
   double       weight[1000], mean[1000], dev[1000];
   int          used[ORACLE_MAX_FIELDS], k, r, ok = 1;
   size_t       n = c->win.space == SNEPPP_SPACE_GAUSS ? c->win.count * (size_t)c->d : 0, s;
   sneppp__pull out;
   if (n > 1000) return 0;
   memset(w, 0, sizeof w);
   memset(l, 0, sizeof l);
   memset(b, 0, sizeof b);
   memset(weight, 0, sizeof weight);
   memset(mean, 0, sizeof mean);
   memset(dev, 0, sizeof dev);
   memset(used, 0, sizeof used);
   out.g = 1;
   for (k = 0; k < 2; k++) { out.w[k] = w[k]; out.l[k] = l[k]; out.b[k] = &b[k]; }
   out.weight = weight; out.mean = mean; out.scale = dev;
   value = oracle_pair(&c->pair, &out);
#define ORACLE_PUT(where, count, from) for (r = 0; (where) >= 0 && r < (count); r++) { got[(where) + r] = (from)[r]; used[(where) + r] = 1; }
   for (k = 0; k < 2; k++) {
      ORACLE_PUT(c->at_w[k], c->d, w[k] + c->first)
      ORACLE_PUT(c->at_l[k], c->d, l[k])
      ORACLE_PUT(c->at_b[k], 1, &b[k])
   }
   ORACLE_PUT(c->at_weight, (int)c->win.count, weight)
   ORACLE_PUT(c->at_mean, (int)n, mean)
   ORACLE_PUT(c->at_scale, (int)n, dev)
#undef ORACLE_PUT
   for (s = 0; s < (size_t)np; s++) if (used[s] && fabs(g[s]) > scale) scale = fabs(g[s]);
   if (!oracle_judge(o, t, fabs(value - expected), 1e-10 * (fabs(expected) + scale), oracle_slack)) {
      if (o->log) fprintf(o->log, "   %s: got %.17g, expected %.17g beside a gradient\n", t->name, value, expected);
      ok = 0;
   }
   for (k = 0; k < np; k++) {
      if (!used[k] || oracle_judge(o, t, fabs(got[k] - g[k]), 1e-10 * (fabs(g[k]) + scale), oracle_slack)) continue;
      if (o->log) fprintf(o->log, "   %s: d/dp_%d: got %.17g, expected %.17g, scale %.3g\n", t->name, k + 1, got[k], g[k], scale);
      ok = 0;
   }
   return ok;
}

/* The name and the numbers of one line; returns how many numbers there are, -1 if one is not a finite number. */
static int oracle_split(char *line, const char **name, double *number)
{
   int   n = 0;
   char *at = strtok(line, " \t\r\n");
   *name = at;
   if (!at) return -1;
   while ((at = strtok(NULL, " \t\r\n")) != NULL) {
      char *end;
      if (n == ORACLE_MAX_FIELDS) return -1;
      number[n] = strtod(at, &end);
      if (end == at || *end || !sneppp__finite(number[n])) return -1;
      n++;
   }
   return n;
}

/* 0 = a value, 1 = a gradient, 2 = np is 2 and it may be either, -1 = neither */
static int oracle_format(int n, const double *number)
{
   int np;
   if (n < 2 || !(number[1] >= 0 && number[1] < ORACLE_MAX_FIELDS) || number[1] != floor(number[1]) || number[0] != floor(number[0])) return -1;
   np = (int)number[1];
   if (np == 2 && n == 2 + np + 3) return 2;
   return n == 2 + np + 3 ? 0 : n == 2 + np + 1 + np ? 1 : -1;
}

static void oracle_line(oracle *o, const char *name, int n, const double *number, int gradients, int line)
{
   const oracle_name *row = oracle_find(name);
   oracle_tally      *t = oracle_tally_of(o, name);
   oracle_case        c;
   const double      *tail;
   int                np = n >= 2 ? (int)number[1] : 0, ok;
   o->rows++;
   t->rows++;
   if (!row) {
      if (o->log && t->rows == 1) fprintf(o->log, "   %s: not a kernel that is known here (line %d)\n", name, line);
      o->unknown++;
      o->failed++;
      t->failed++;
      return;
   }
   tail = number + 2 + np;
   /* A Gaussian of scale 0 along an axis is refused by the library, but it has kernels. */
   ok = oracle_read_case(&c, row, (int)number[0], np, number + 2) && (c.win.space == SNEPPP_SPACE_GAUSS || !sneppp__window_check(&c.win, NULL));
   /* No uncertainty can be smaller than the rounding of the expected value itself. */
   if (ok && !gradients) ok = tail[1] > 0 && tail[2] >= 0 && tail[1] >= 0.98 * 1.11e-16 * fabs(tail[0]);
   if (!ok) {
      if (o->log) fprintf(o->log, "   %s: line %d is malformed\n", name, line);
      o->malformed++;
   } else ok = gradients ? oracle_gradient(o, t, &c, np, tail[0], tail + 1) : oracle_value(o, t, &c, tail[0], tail[1], tail[2]);
   if (ok) return;
   t->failed++;
   o->failed++;
}

/* Checks a whole file. Returns 0 if it cannot be read. */
static int oracle_file(oracle *o, const char *path)
{
   enum { LINE = 1 << 17 };
   FILE   *f = fopen(path, "r");
   char   *line = (char *)malloc(LINE);
   double *number = (double *)malloc(ORACLE_MAX_FIELDS * sizeof *number);
   int     pass, at, rows = o->rows;
   o->gradients = 0;
   for (pass = 0; f && line && number && pass < 2; pass++) { /* first the format of the file, then its rows */
      rewind(f);
      for (at = 1; fgets(line, LINE, f); at++) {
         const char *name;
         int         n, format;
         if (line[0] == '#' || line[strspn(line, " \t\r\n")] == 0) continue;
         n = oracle_split(line, &name, number);
         format = n < 0 ? -1 : oracle_format(n, number);
         if (pass == 0) {
            if (format == 1) o->gradients = 1;
            if (format == 1 || format == 0) break;
            continue;
         }
         if (format >= 0 && (format == 2 || format == o->gradients)) { oracle_line(o, name, n, number, o->gradients, at); continue; }
         if (o->log) fprintf(o->log, "   line %d has a wrong number of fields or is not a number\n", at);
         o->rows++;
         o->malformed++;
         o->failed++;
      }
   }
   free(number);
   free(line);
   if (f) fclose(f);
   return f != NULL && o->rows > rows;
}
