/* Reads rows of the files of test vectors and checks the kernel table against them. Shared by build/oracle and by
   the suite `kernel`. The header must have been included with SNEPPP_IMPLEMENTATION before.

   Two formats, told apart by the number of fields (one file has one format):

      name d np p_1 .. p_np expected unit scale              a value and its own uncertainty
      name d np p_1 .. p_np expected g_1 .. g_np             a value and its gradient

   The layout of p_1 .. p_np follows from the row of the table: parameters of the activations, then the window, then
   the units. So a new row of the table needs no code here.

   Values:    |got - expected| <= T unit + 64e-15 scale, T = 64 or the slack of the row in the table.
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
   double slack;
} oracle_tally;

typedef struct oracle {
   oracle_tally tally[ORACLE_MAX_NAMES];
   int          names, rows, failed, unknown, malformed, gradients;
   double       factor; /* multiplies every tolerance: 1, under -ffast-math too */
   FILE        *log;    /* where failures are told, or NULL */
} oracle;

/* Where each number of a row went: the window, the layer, and the arrays they point to. */
typedef struct oracle_case {
   const sneppp__row *row;
   sneppp_window      win;
   sneppp__pair       pair;
   double             wi[SNEPPP__MAX_STATS], wj[SNEPPP__MAX_STATS], li[SNEPPP__MAX_STATS], lj[SNEPPP__MAX_STATS];
   int                at_wi, at_wj, at_bi, at_bj, at_li, at_lj, at_mean, at_scale, at_weight; /* index of p_k, -1 = absent */
   int                first; /* weights start at this statistic: 1 for the gamma measure with t = x */
   int                d;     /* as in the row */
} oracle_case;

static const sneppp__row *oracle_find(const char *name)
{
   size_t k;
   for (k = 0; k < SNEPPP__ROWS; k++)
      if (!strcmp(sneppp__rows[k].info.name, name)) return &sneppp__rows[k];
   return NULL;
}

/* Number of parameters of an activation in a row of the file; RECT and MONOMIAL have an order per unit. */
static int oracle_act_params(sneppp_act act)
{
   switch (act) {
      case SNEPPP_SNAKE: case SNEPPP_COSMIDENT: case SNEPPP_LEAKY: case SNEPPP_ELU: case SNEPPP_BELL: return 1;
      case SNEPPP_GABOR_SIN: case SNEPPP_GABOR_COS: return 2;
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
   win->space = c->row->info.space;
   win->dim = c->d;
   win->measure = SNEPPP_PROBABILITY;
   switch (win->space) {
      case SNEPPP_GAUSS:
         win->count = 1;
         if (!strncmp(c->row->info.name, "gmix", 4)) {
            win->count = oracle_count(r);
            win->weight = oracle_array(r, win->count, &c->at_weight);
         }
         if (!centred) win->mean = oracle_array(r, win->count * d, &c->at_mean);
         win->scale = oracle_array(r, win->count * d, &c->at_scale);
         break;
      case SNEPPP_BOX:
         memcpy(win->lo, oracle_array(r, d, NULL), d * sizeof(double));
         memcpy(win->hi, oracle_array(r, d, NULL), d * sizeof(double));
         break;
      case SNEPPP_INTERVALS:
         win->count = oracle_count(r);
         win->ends = oracle_array(r, 2 * win->count, NULL);
         break;
      case SNEPPP_POLYGON:
         win->count = oracle_count(r);
         win->xy = oracle_array(r, 2 * win->count, NULL);
         break;
      case SNEPPP_BALL:
         memcpy(win->centre, oracle_array(r, d, NULL), d * sizeof(double));
         win->radius = oracle_number(r);
         break;
      case SNEPPP_GAMMA: case SNEPPP_BETA:
         win->dim = 1;
         win->param[0] = oracle_number(r);
         win->param[1] = oracle_number(r);
         break;
      case SNEPPP_DIRICHLET: memcpy(win->param, oracle_array(r, d, NULL), d * sizeof(double)); break;
      case SNEPPP_POISSON: case SNEPPP_BINOMIAL: case SNEPPP_NEGBINOMIAL: win->param[0] = oracle_number(r); break;
      case SNEPPP_NORMAL: case SNEPPP_VONMISES: win->dim = 1; break;
      case SNEPPP_FINITE:
         win->count = oracle_count(r);
         win->weight = oracle_array(r, win->count, NULL);
         win->point = oracle_array(r, win->count * d, NULL);
         break;
      default: break;
   }
}

/* Takes a row of the file apart, with or without biases. Returns 0 if the number of parameters is not right. */
static int oracle_read_as(oracle_case *c, const sneppp__row *row, int d, int np, const double *p, int bias)
{
   oracle_reader r;
   int           k, one = row->info.act_j == SNEPPP_ONE, stats;
   int           ordered = row->info.act_i == SNEPPP_RECT || row->info.act_i == SNEPPP_MONOMIAL, centred = (row->flags & SNEPPP__CENTRED) != 0;
   memset(c, 0, sizeof *c);
   c->at_wi = c->at_wj = c->at_bi = c->at_bj = c->at_li = c->at_lj = c->at_mean = c->at_scale = c->at_weight = -1;
   c->row = row;
   c->d = d;
   if (d < 1 || d > SNEPPP_MAX_DIM) return 0;
   r.p = p;
   r.np = np;
   r.at = r.bad = 0;
   c->pair.ui.act = row->info.act_i;
   c->pair.uj.act = row->info.act_j;
   if (ordered) {
      c->pair.ui.p = oracle_number(&r);
      c->pair.uj.p = one ? 0 : centred ? c->pair.ui.p : oracle_number(&r);
   } else if (oracle_act_params(row->info.act_i)) {
      c->pair.ui.p = c->pair.uj.p = oracle_number(&r);
      if (oracle_act_params(row->info.act_i) == 2) c->pair.ui.q = c->pair.uj.q = oracle_number(&r);
   }
   if (row->info.act_i == SNEPPP_RELU) c->pair.ui.p = 1;
   if (row->info.act_j == SNEPPP_RELU) c->pair.uj.p = 1;
   oracle_read_window(c, &r, centred);
   stats = sneppp__stats(&c->win);
   c->first = stats - d;
   if (c->first < 0 || c->first > 1) return 0;
   if (row->flags & SNEPPP__RADIAL) {
      memcpy(c->wi, oracle_array(&r, (size_t)d, &c->at_wi), (size_t)d * sizeof(double));
      memcpy(c->li, oracle_array(&r, (size_t)d, &c->at_li), (size_t)d * sizeof(double));
      if (!one) {
         memcpy(c->wj, oracle_array(&r, (size_t)d, &c->at_wj), (size_t)d * sizeof(double));
         memcpy(c->lj, oracle_array(&r, (size_t)d, &c->at_lj), (size_t)d * sizeof(double));
      }
   } else {
      memcpy(c->wi + c->first, oracle_array(&r, (size_t)d, &c->at_wi), (size_t)d * sizeof(double));
      if (bias) { c->at_bi = r.at; c->pair.bi = oracle_number(&r); }
      if (!one) {
         memcpy(c->wj + c->first, oracle_array(&r, (size_t)d, &c->at_wj), (size_t)d * sizeof(double));
         if (bias) { c->at_bj = r.at; c->pair.bj = oracle_number(&r); }
      }
   }
   for (k = 0; k < SNEPPP__MAX_STATS; k++) { if (!(row->flags & SNEPPP__RADIAL)) c->li[k] = c->lj[k] = 1; }
   c->pair.row = row;
   c->pair.win = &c->win;
   c->pair.d = stats;
   c->pair.wi = c->wi; c->pair.wj = c->wj;
   c->pair.li = c->li; c->pair.lj = c->lj;
   c->pair.log = (row->flags & SNEPPP__LOG) != 0;
   return !r.bad && r.at == np;
}

/* A row of the table that allows a bias may stand in the file without one. */
static int oracle_read_case(oracle_case *c, const sneppp__row *row, int d, int np, const double *p)
{
   return (!(row->flags & SNEPPP__NO_BIAS) && oracle_read_as(c, row, d, np, p, 1)) || oracle_read_as(c, row, d, np, p, 0);
}

/* The third allowance: kernels that rest on the bivariate normal cdf, whose absolute error is about 1e-16. Their largest
   term is a product of moments of the two units, (|a| + sqrt A)^p (|b| + sqrt B)^q + 1 for orders p and q. */
static double oracle_normal_cdf(const oracle_case *c)
{
   static const char *const name[] = { "g_step", "g_relu", "g_rect", "g_leaky", "g_phi", "g_erf", "g_gelu", "g_elu" };
   double                   a = c->pair.bi, b = c->pair.bj, A = 0, B = 0, p, q;
   size_t                   k;
   int                      r, listed = 0;
   for (k = 0; k < sizeof name / sizeof name[0]; k++) if (!strcmp(name[k], c->row->info.name)) listed = 1;
   if (!listed) return 0;
   for (r = 0; r < c->d; r++) {
      double m = c->win.mean ? c->win.mean[r] : 0, s = c->win.scale[r];
      a += c->wi[r] * m;
      b += c->wj[r] * m;
      A += c->wi[r] * s * (c->wi[r] * s);
      B += c->wj[r] * s * (c->wj[r] * s);
   }
   switch (c->row->info.act_i) {
      case SNEPPP_RECT: p = c->pair.ui.p; q = c->pair.uj.p; break;
      case SNEPPP_STEP: case SNEPPP_PHI: case SNEPPP_ERF: p = q = 0; break;
      default: p = q = 1; break;
   }
   return 4e-16 * (pow(fabs(a) + sqrt(A), p) * pow(fabs(b) + sqrt(B), q) + 1);
}

static oracle_tally *oracle_tally_of(oracle *o, const char *name, double slack)
{
   int k;
   for (k = 0; k < o->names; k++) if (!strcmp(o->tally[k].name, name)) return &o->tally[k];
   if (o->names == ORACLE_MAX_NAMES) return &o->tally[ORACLE_MAX_NAMES - 1];
   memset(&o->tally[k], 0, sizeof o->tally[k]);
   strncpy(o->tally[k].name, name, sizeof o->tally[k].name - 1);
   o->tally[k].slack = slack;
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
   double slack = c->row->info.slack, got = c->row->pair(&c->pair, NULL), own;
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
   size_t       n = c->win.space == SNEPPP_GAUSS ? c->win.count * (size_t)c->d : 0, s;
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
   out.wi = w[0]; out.wj = w[1];
   out.li = l[0]; out.lj = l[1];
   out.bi = &b[0]; out.bj = &b[1];
   out.weight = weight; out.mean = mean; out.scale = dev;
   value = c->row->pair(&c->pair, &out);
#define ORACLE_PUT(where, count, from) for (r = 0; (where) >= 0 && r < (count); r++) { got[(where) + r] = (from)[r]; used[(where) + r] = 1; }
   ORACLE_PUT(c->at_wi, c->d, w[0] + c->first)
   ORACLE_PUT(c->at_wj, c->d, w[1] + c->first)
   ORACLE_PUT(c->at_li, c->d, l[0])
   ORACLE_PUT(c->at_lj, c->d, l[1])
   ORACLE_PUT(c->at_bi, 1, &b[0])
   ORACLE_PUT(c->at_bj, 1, &b[1])
   ORACLE_PUT(c->at_weight, (int)c->win.count, weight)
   ORACLE_PUT(c->at_mean, (int)n, mean)
   ORACLE_PUT(c->at_scale, (int)n, dev)
#undef ORACLE_PUT
   for (s = 0; s < (size_t)np; s++) if (used[s] && fabs(g[s]) > scale) scale = fabs(g[s]);
   if (!oracle_judge(o, t, fabs(value - expected), 1e-10 * (fabs(expected) + scale), c->row->info.slack)) {
      if (o->log) fprintf(o->log, "   %s: got %.17g, expected %.17g beside a gradient\n", t->name, value, expected);
      ok = 0;
   }
   for (k = 0; k < np; k++) {
      if (!used[k] || oracle_judge(o, t, fabs(got[k] - g[k]), 1e-10 * (fabs(g[k]) + scale), c->row->info.slack)) continue;
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
   const sneppp__row *row = oracle_find(name);
   oracle_tally      *t = oracle_tally_of(o, name, row ? row->info.slack : 0);
   oracle_case        c;
   const double      *tail;
   int                np = n >= 2 ? (int)number[1] : 0, ok;
   o->rows++;
   t->rows++;
   if (!row) {
      if (o->log && t->rows == 1) fprintf(o->log, "   %s: not in the kernel table (line %d)\n", name, line);
      o->unknown++;
      o->failed++;
      t->failed++;
      return;
   }
   tail = number + 2 + np;
   /* A Gaussian of scale 0 along an axis is refused by the library, but it has kernels. */
   ok = oracle_read_case(&c, row, (int)number[0], np, number + 2) && (c.win.space == SNEPPP_GAUSS || !sneppp__window_check(&c.win, NULL));
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
