/* Kernels under Gaussian measures. Every row of the table is compared with quadrature of its definition, which
   shares nothing with the closed forms but the activations, and its derivatives with differences. */
#include "cases.h"
#include "pair.h"

typedef struct kernel_gauss_dice { uint64_t state; } kernel_gauss_dice;

static double kernel_gauss_uniform(kernel_gauss_dice *dice) /* [-1, 1) */
{
   dice->state = dice->state * 6364136223846793005ULL + 1442695040888963407ULL;
   return (double)(dice->state >> 11) * (2.0 / 9007199254740992.0) - 1;
}

/* Nodes for an integral over a standard normal variable, with a panel boundary at `kink`; weights hold the density. */
enum { kernel_gauss_panels = 10, kernel_gauss_nodes = 2 * kernel_gauss_panels * 16 };

static int kernel_gauss_rule(double kink, double *x, double *w)
{
   double edge[3], node[SNEPPP__GAUSS_MAX], weight[SNEPPP__GAUSS_MAX];
   int    side, p, k, n = 0, order = sneppp__gauss_legendre(16, node, weight);
   edge[0] = -14;
   edge[1] = kink < -14 ? -14 : kink > 14 ? 14 : kink;
   edge[2] = 14; /* the exponential moves the bulk of the integrand by several widths */
   for (side = 0; side < 2; side++) {
      double h = (edge[side + 1] - edge[side]) / kernel_gauss_panels;
      for (p = 0; p < kernel_gauss_panels && h > 0; p++) {
         for (k = 0; k < order; k++) {
            x[n] = edge[side] + h * (p + 0.5 + 0.5 * node[k]);
            w[n] = 0.5 * h * weight[k] * exp(-0.5 * x[n] * x[n]) / sqrt(2 * SNEPPP__PI);
            n++;
         }
      }
   }
   return n;
}

/* E[sigma_i(U) sigma_j(V)], U = a + sqrt(A) x, V = b + C/sqrt(A) x + sqrt(D/A) y, with panels that end at both kinks. */
static double kernel_gauss_quadrature(const sneppp_unit *ui, const sneppp_unit *uj, double a, double b, double A, double B, double C)
{
   double x[kernel_gauss_nodes], w[kernel_gauss_nodes], y[kernel_gauss_nodes], v[kernel_gauss_nodes], sum = 0;
   double ra = sqrt(A), slope = C / ra, rest = sqrt(B - slope * slope);
   int    i, j, n = kernel_gauss_rule(-a / ra, x, w), m;
   for (i = 0; i < n; i++) {
      double mean = b + slope * x[i], inner = 0;
      m = kernel_gauss_rule(-mean / rest, y, v);
      for (j = 0; j < m; j++) inner += v[j] * case_sigma(uj, mean + rest * y[j]);
      sum += w[i] * case_sigma(ui, a + ra * x[i]) * inner;
   }
   return sum;
}

enum { kernel_gauss_d = 2, kernel_gauss_count = 2 };

/* A layer of two units on a mixture of two Gaussians, all random. */
typedef struct kernel_gauss_setup {
   sneppp_window win;
   sneppp_layer  layer;
   sneppp_unit   units[2];
   double        W[2 * kernel_gauss_d], b[2], width[2 * kernel_gauss_d];
   double        weight[kernel_gauss_count], mean[kernel_gauss_count * kernel_gauss_d], scale[kernel_gauss_count * kernel_gauss_d];
} kernel_gauss_setup;

static sneppp_unit kernel_gauss_unit(sneppp_act act, kernel_gauss_dice *dice)
{
   sneppp_unit u;
   u.act = act;
   u.p = 0.7 + 0.5 * kernel_gauss_uniform(dice);
   u.q = 1.5 + kernel_gauss_uniform(dice);
   if (act == SNEPPP_ACT_RECT || act == SNEPPP_ACT_MONOMIAL) u.p = floor(2 + 2 * kernel_gauss_uniform(dice));
   if (act == SNEPPP_ACT_LEAKY) u.p = kernel_gauss_uniform(dice);
   return u;
}

/* A pair of units that the table knows under Gaussian measures. */
typedef struct kernel_gauss_row { sneppp_act act_i, act_j; int log, at; char name[64]; } kernel_gauss_row;

/* The next one, each pair once; starts from a zeroed one with at = -1. Returns 0 at the end. */
static int kernel_gauss_next(kernel_gauss_row *row)
{
   sneppp_window win;
   memset(&win, 0, sizeof win);
   win.space = SNEPPP_SPACE_GAUSS;
   while (++row->at < 2 * SNEPPP_ACT_END * SNEPPP_ACT_END) {
      row->log = row->at % 2;
      row->act_i = (sneppp_act)(row->at / 2 % SNEPPP_ACT_END);
      row->act_j = (sneppp_act)(row->at / 2 / SNEPPP_ACT_END);
      if (row->act_i < SNEPPP_ACT_COS || row->act_j < row->act_i) continue;
      if (!sneppp__find_rule(&win, kernel_gauss_d, row->act_i, row->act_j, 1, row->log)) continue;
      sprintf(row->name, "%s%s x %s", row->log ? "log of " : "", sneppp__act_name(row->act_i), sneppp__act_name(row->act_j));
      return 1;
   }
   return 0;
}

static void kernel_gauss_random(kernel_gauss_setup *s, const kernel_gauss_row *row, uint64_t seed)
{
   kernel_gauss_dice dice;
   double            ni, nj;
   int               i;
   memset(s, 0, sizeof *s);
   dice.state = seed * 77 + 3;
   for (i = 0; i < 5; i++) kernel_gauss_uniform(&dice);
   s->units[0] = kernel_gauss_unit(row->act_i, &dice);
   s->units[1] = kernel_gauss_unit(row->act_j, &dice);
   do { /* a narrow angle would ask too much of the quadrature, and short weights of the differences */
      for (i = 0; i < 2 * kernel_gauss_d; i++) s->W[i] = 1.3 * kernel_gauss_uniform(&dice);
      ni = s->W[0] * s->W[0] + s->W[1] * s->W[1];
      nj = s->W[2] * s->W[2] + s->W[3] * s->W[3];
   } while (ni < 0.4 || nj < 0.4 || fabs(s->W[0] * s->W[3] - s->W[1] * s->W[2]) < 0.5 * sqrt(ni * nj));
   for (i = 0; i < 2 * kernel_gauss_d; i++) s->width[i] = 1 + 0.5 * kernel_gauss_uniform(&dice);
   for (i = 0; i < 2; i++) s->b[i] = kernel_gauss_uniform(&dice);
   for (i = 0; i < kernel_gauss_count; i++) s->weight[i] = 0.6 + 0.4 * kernel_gauss_uniform(&dice);
   for (i = 0; i < kernel_gauss_count * kernel_gauss_d; i++) s->mean[i] = kernel_gauss_uniform(&dice);
   for (i = 0; i < kernel_gauss_count * kernel_gauss_d; i++) s->scale[i] = 0.9 + 0.5 * kernel_gauss_uniform(&dice);
   if (seed % 5 == 4) { /* no means: the arc-cosine kernels */
      s->b[0] = s->b[1] = 0;
      memset(s->mean, 0, sizeof s->mean);
   }
   s->win.space = SNEPPP_SPACE_GAUSS;
   s->win.dim = kernel_gauss_d;
   s->win.count = kernel_gauss_count;
   s->win.weight = s->weight;
   s->win.mean = s->mean;
   s->win.scale = s->scale;
   s->layer.n = 2;
   s->layer.units = s->units;
   s->layer.W = s->W;
   s->layer.b = s->b;
   s->layer.width = s->width;
}

static int kernel_gauss_radial(const kernel_gauss_row *row) { return row->act_i == SNEPPP_ACT_RBF || row->act_j == SNEPPP_ACT_RBF; }

/* The value of a row by quadrature over each component; RBF rows coordinate by coordinate. */
static double kernel_gauss_by_quadrature(const kernel_gauss_setup *s, const kernel_gauss_row *row)
{
   double sum = 0;
   int    c, r, k;
   for (c = 0; c < kernel_gauss_count; c++) {
      const double *m = s->mean + c * kernel_gauss_d, *sd = s->scale + c * kernel_gauss_d;
      double        a = s->b[0], b = s->b[1], A = 0, B = 0, C = 0, product = 1;
      for (r = 0; r < kernel_gauss_d; r++) {
         double u = s->W[r] * sd[r], v = s->W[kernel_gauss_d + r] * sd[r];
         a += s->W[r] * m[r];
         b += s->W[kernel_gauss_d + r] * m[r];
         A += u * u;
         B += v * v;
         C += u * v;
      }
      if (!kernel_gauss_radial(row)) product = kernel_gauss_quadrature(&s->units[0], &s->units[1], a, b, A, B, C);
      else {
         double x[kernel_gauss_nodes], w[kernel_gauss_nodes];
         int    n = kernel_gauss_rule(0, x, w);
         for (r = 0; r < kernel_gauss_d; r++) {
            double one = 0;
            for (k = 0; k < n; k++) {
               double at = m[r] + sd[r] * x[k], f = w[k];
               int    i;
               for (i = 0; i < 2; i++) {
                  double z = (at - s->W[i * kernel_gauss_d + r]) / s->width[i * kernel_gauss_d + r];
                  if (s->units[i].act == SNEPPP_ACT_RBF) f *= exp(-0.5 * z * z);
                  if (s->units[i].act == SNEPPP_ACT_EXP) f *= exp(at * s->W[i * kernel_gauss_d + r] + (r ? 0 : s->b[i]));
               }
               one += f;
            }
            product *= one;
         }
      }
      sum += s->weight[c] * product;
   }
   return sum;
}

TEST kernel_gauss_every_rule_by_quadrature(void)
{
   size_t           r = 0, rows = 0;
   int              seed;
   kernel_gauss_row one = { SNEPPP_ACT_COS, SNEPPP_ACT_COS, 0, -1, "" }, *row = &one;
   for (; kernel_gauss_next(row); r++) {
      rows++;
      for (seed = 1; seed <= 3; seed++) {
         if (seed == 3) seed = 4; /* without means */
         kernel_gauss_setup s;
         double             K[4], want, got, size;
         sneppp_error       err;
         kernel_gauss_random(&s, row, (uint64_t)r * 10 + (uint64_t)seed);
         want = kernel_gauss_by_quadrature(&s, row);
         if (row->log) {
            ASSERT_EQ_FMTm(row->name, SNEPPP_OK, sneppp_gram_log(&s.win, &s.layer, K, NULL, &err), "%d");
            got = exp(K[1]);
         } else {
            ASSERT_EQ_FMTm(row->name, SNEPPP_OK, one_pair(&s.win, &s.layer, 0, 1, &got), "%d");
         }
         size = fabs(want) > 1 ? fabs(want) : 1;
         ASSERT_IN_RANGEm(row->name, want, got, 3e-12 * size);
      }
   }
   ASSERT(rows > 80);
   PASS();
}

static double kernel_gauss_value(kernel_gauss_setup *s)
{
   double k = 0;
   one_pair(&s->win, &s->layer, 0, 1, &k);
   return k;
}

/* Fourth-order central difference of the kernel in *x. */
static double kernel_gauss_difference(kernel_gauss_setup *s, double *x)
{
   const double h = 2e-3, at = *x;
   double       f[4];
   int          i;
   for (i = 0; i < 4; i++) {
      *x = at + h * (i < 2 ? i - 2 : i - 1);
      f[i] = kernel_gauss_value(s);
   }
   *x = at;
   return (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h);
}

/* Largest deviation of `got` from the differences in `x`; `size` collects the largest derivative. */
static double kernel_gauss_compare(kernel_gauss_setup *s, double *x, const double *got, int n, double *size)
{
   double worst = 0;
   int    i;
   for (i = 0; i < n; i++) {
      double want = kernel_gauss_difference(s, &x[i]), e = fabs(want - got[i]);
      if (fabs(want) > *size) *size = fabs(want);
      if (e > worst) worst = e;
   }
   return worst;
}

TEST kernel_gauss_every_derivative(void)
{
   size_t           r = 0;
   kernel_gauss_row one = { SNEPPP_ACT_COS, SNEPPP_ACT_COS, 0, -1, "" }, *row = &one;
   for (; kernel_gauss_next(row); r++) {
      kernel_gauss_setup        s;
      sneppp_layer_grad         out;
      sneppp_error              err;
      double                    G[4], W[2 * kernel_gauss_d], b[2], width[2 * kernel_gauss_d], weight[2], mean[4], scale[4], worst = 0, size = 0;
      int                       k;
      const double             *arrays[6];
      if (row->log) continue;
      kernel_gauss_random(&s, row, (uint64_t)r + 500);
      memset(&out, 0, sizeof out);
      memset(G, 0, sizeof G);
      memset(W, 0, sizeof W);
      memset(b, 0, sizeof b);
      memset(width, 0, sizeof width);
      memset(weight, 0, sizeof weight);
      memset(mean, 0, sizeof mean);
      memset(scale, 0, sizeof scale);
      G[1] = 1;
      out.W = W;
      out.b = b;
      out.width = width;
      out.weight = weight;
      out.mean = mean;
      out.scale = scale;
      arrays[0] = W; arrays[1] = b; arrays[2] = width; arrays[3] = weight; arrays[4] = mean; arrays[5] = scale;
      ASSERT_EQ_FMTm(row->name, SNEPPP_OK, sneppp_gram_grad(&s.win, &s.layer, G, &out, NULL, &err), "%d");
      for (k = 0; k < 6; k++) {
         static const int n[6] = {4, 2, 4, 2, 4, 4};
         double          *x = k == 0 ? s.W : k == 1 ? s.b : k == 2 ? s.width : k == 3 ? s.weight : k == 4 ? s.mean : s.scale;
         double           e = kernel_gauss_compare(&s, x, arrays[k], n[k], &size);
         if (e > worst) worst = e;
      }
      ASSERT_IN_RANGEm(row->name, 0, worst, 1e-8 * (size > 1 ? size : 1));
   }
   PASS();
}

/* A pair by its rule's own function: d = 2, one component. */
static double kernel_gauss_pair(int log, sneppp_unit ui, sneppp_unit uj, const double *wi, double bi, const double *wj, double bj, const sneppp__pull *out)
{
   sneppp_window win;
   sneppp__pair  p;
   short         rule;
   memset(&win, 0, sizeof win);
   memset(&p, 0, sizeof p);
   win.space = SNEPPP_SPACE_GAUSS;
   win.dim = 2;
   rule = sneppp__find_rule(&win, 2, ui.act, uj.act, 1, log);
   if (!rule || (rule < 0 && out)) return -1e300;
   p.rule = &sneppp__rules[(rule < 0 ? -rule : rule) - 1];
   p.win = &win;
   p.d = 2;
   p.u[rule < 0] = ui;
   p.u[rule > 0] = uj;
   p.w[rule < 0] = p.l[rule < 0] = wi;
   p.w[rule > 0] = p.l[rule > 0] = wj;
   p.b[rule < 0] = bi;
   p.b[rule > 0] = bj;
   p.log = log;
   return sneppp__pair_value(&p, out);
}

static sneppp_unit kernel_gauss_plain_unit(sneppp_act act, double p)
{
   sneppp_unit u;
   u.act = act;
   u.p = p;
   u.q = 1;
   return u;
}

/* Parallel weights are one-dimensional integrals: E[(a + sz)_+ (b + tz)_+] between the kinks. */
TEST kernel_gauss_parallel_weights(void)
{
   static const double w[2] = {0.6, -0.8}; /* of length 1, up to rounding */
   sneppp_unit         relu = kernel_gauss_plain_unit(SNEPPP_ACT_RELU, 1), step = kernel_gauss_plain_unit(SNEPPP_ACT_STEP, 0);
   double              v[2], factor;
   int                 i;
   for (i = 0; i < 4; i++) {
      static const double factors[4] = {1, 2, -1, -0.5};
      double              a = 0.3, b = 0.9, want = 0, got, lo, hi, node[SNEPPP__GAUSS_MAX], weight[SNEPPP__GAUSS_MAX];
      int                 k, p, n = sneppp__gauss_legendre(16, node, weight);
      factor = factors[i];
      v[0] = factor * w[0];
      v[1] = factor * w[1];
      lo = -a;
      hi = 12;
      if (factor > 0 && -b / factor > lo) lo = -b / factor;
      if (factor < 0 && -b / factor < hi) hi = -b / factor;
      for (p = 0; p < 20 && hi > lo; p++) {
         for (k = 0; k < n; k++) {
            double h = (hi - lo) / 20, z = lo + h * (p + 0.5 + 0.5 * node[k]);
            want += 0.5 * h * weight[k] * sneppp__phi(z) * (a + z) * (b + factor * z);
         }
      }
      got = kernel_gauss_pair(0, relu, relu, w, a, v, b, NULL);
      ASSERT_IN_RANGE(want, got, 4e-15); /* the reference is a sum of 320 terms, up to 1.7, in whatever order */
      got = kernel_gauss_pair(0, step, step, w, a, v, b, NULL);
      ASSERT_IN_RANGE(hi > lo ? sneppp__Phi(-lo) - (hi < 12 ? sneppp__Phi(-hi) : 0) : 0, got, 1e-15);
   }
   PASS();
}

/* The limit of nearly parallel weights is the parallel value, from 1e-3 to 1e-16 apart, and derivatives stay bounded. */
TEST kernel_gauss_nearly_parallel(void)
{
   static const double w[2] = {1.1, -0.7};
   static const char  *name[6] = {"g_step", "g_relu", "g_rect", "g_gelu", "g_elu", "g_leaky"};
   static const sneppp_act act[6] = {SNEPPP_ACT_STEP, SNEPPP_ACT_RELU, SNEPPP_ACT_RECT, SNEPPP_ACT_GELU, SNEPPP_ACT_ELU, SNEPPP_ACT_LEAKY};
   static const double     param[6] = {0, 1, 2, 0, 0.7, 0.2};
   int                     i, sign;
   for (i = 0; i < 6; i++) {
      sneppp_unit u = kernel_gauss_plain_unit(act[i], param[i]);
      for (sign = -1; sign <= 1; sign += 2) {
         double exact[2], e, limit;
         exact[0] = sign * w[0];
         exact[1] = sign * w[1];
         limit = kernel_gauss_pair(0, u, u, w, 0.4, exact, 0.3, NULL);
         for (e = 1e-3; e > 1e-17; e /= 10) {
            double       v[2], gi[2] = {0, 0}, gj[2] = {0, 0}, li[2], lj[2], b[2] = {0, 0}, k;
            sneppp__pull out;
            memset(&out, 0, sizeof out);
            v[0] = exact[0] + 0.7 * e;
            v[1] = exact[1] + 1.1 * e; /* at right angles to w */
            out.g = 1;
            out.w[0] = gi; out.w[1] = gj;
            out.l[0] = li; out.l[1] = lj;
            out.b[0] = b;  out.b[1] = b + 1;
            k = kernel_gauss_pair(0, u, u, w, 0.4, v, 0.3, &out);
            /* Terms of size |w|^4 = 3 cancel in g_rect of order 2, antiparallel. */
            ASSERT_IN_RANGEm(name[i], limit, k, 3 * e + 3e-15);
            ASSERTm(name[i], fabs(gi[0]) + fabs(gi[1]) + fabs(gj[0]) + fabs(gj[1]) + fabs(b[0]) + fabs(b[1]) < 100);
         }
      }
   }
   PASS();
}

/* Antiparallel weights without bias: the kernel of order p falls like delta^(2p+1), and keeps its relative accuracy. For
   small delta the integrand is t^p (delta - t)^p. */
TEST kernel_gauss_antiparallel_arccos(void)
{
   static const double w[2] = {1, 0};
   int                 p;
   for (p = 0; p <= 5; p++) {
      double      e = 1e-6, v[2] = {-1, 0}, beta = 1, want = 1, got;
      int         k;
      sneppp_unit u = kernel_gauss_plain_unit(SNEPPP_ACT_RECT, p);
      v[1] = e;
      for (k = 1; k <= p; k++) beta *= (double)k / (p + k); /* p! p!/(2p)! */
      for (k = 1; k <= p; k++) want *= 2 * k;              /* (2p)!!        */
      want *= beta / (2 * p + 1) * pow(e, 2 * p + 1) / (2 * SNEPPP__PI);
      got = kernel_gauss_pair(0, u, u, w, 0, v, 0, NULL);
      ASSERT_IN_RANGE(want, got, 1e-11 * want);
   }
   PASS();
}

/* Zero weights make a unit constant. */
TEST kernel_gauss_zero_weights(void)
{
   static const double zero[2] = {0, 0}, v[2] = {0.5, 1.25};
   size_t              r = 0;
   kernel_gauss_row    ask = { SNEPPP_ACT_COS, SNEPPP_ACT_COS, 0, -1, "" }, *row = &ask;
   for (; kernel_gauss_next(row); r++) {
      kernel_gauss_dice         dice;
      sneppp_unit               ui, uj, one = kernel_gauss_plain_unit(SNEPPP_ACT_ONE, 0);
      double                    k, c, z, size;
      int                       j;
      if (kernel_gauss_radial(row) || row->log) continue;
      dice.state = r + 9;
      for (j = 0; j < 4; j++) kernel_gauss_uniform(&dice);
      ui = kernel_gauss_unit(row->act_i, &dice);
      uj = kernel_gauss_unit(row->act_j, &dice);
      if (ui.act == SNEPPP_ACT_STEP) ui.p = 0;
      if (uj.act == SNEPPP_ACT_STEP) uj.p = 0;
      if (ui.act == SNEPPP_ACT_RELU) ui.p = 1;
      if (uj.act == SNEPPP_ACT_RELU) uj.p = 1;
      for (z = -0.8; z < 1; z += 1.6) {
         k = kernel_gauss_pair(0, ui, uj, zero, z, v, 0.3, NULL);
         c = uj.act == SNEPPP_ACT_ONE ? 1 : kernel_gauss_pair(0, uj, one, v, 0.3, zero, 0, NULL); /* the moment of unit j */
         size = fabs(c) > 1 ? fabs(c) : 1;
         ASSERT_IN_RANGEm(row->name, case_sigma(&ui, z) * c, k, 4e-15 * size);
      }
   }
   PASS();
}

/* ELU has two forms; they agree where both are good. The integral form serves weights of length 1000. */
TEST kernel_gauss_elu_two_forms(void)
{
   double        wi[2] = {2.0, -1.0}, wj[2] = {0.5, 1.5}, size = 1;
   sneppp__gauss q;
   sneppp__pair  p;
   sneppp_window win;
   double        x[4][4], y[4][4], w[2][SNEPPP__MAX_STATS];
   int           i;
   memset(&p, 0, sizeof p);
   memset(&win, 0, sizeof win);
   win.space = SNEPPP_SPACE_GAUSS;
   win.dim = 2;
   p.win = &win;
   p.d = 2;
   p.u[0] = p.u[1] = kernel_gauss_plain_unit(SNEPPP_ACT_ELU, 1);
   p.w[0] = wi;
   p.w[1] = wj;
   p.b[0] = -0.4;
   p.b[1] = 0.7;
   for (i = 0; i < 3; i++, wj[1] = i == 1 ? -0.25 + 1e-9 : -0.25) { /* general, nearly parallel, parallel */
      int k;
      q.grad = 0;
      sneppp__gauss_reduce(&p, 0, w, &q);
      sneppp__elu_closed(&q, x);
      sneppp__elu_integral(&q, y);
      for (k = 0; k < 16; k++) ASSERT_IN_RANGE(x[k / 4][k % 4], y[k / 4][k % 4], 2e-14 * size);
   }
   /* For huge weights only the ramp is left: E[e^U - 1; U < 0] -> -P(U < 0) to first order in 1/|w|. */
   wi[0] = 900; wi[1] = -300; wj[0] = 200; wj[1] = 800;
   {
      double            ramp, closed;
      sneppp__gauss_out t;
      q.grad = 1;
      sneppp__gauss_reduce(&p, 0, w, &q);
      memset(&t, 0, sizeof t);
      sneppp__gauss_elu(&q, &t);
      q.u[0] = q.u[1] = kernel_gauss_plain_unit(SNEPPP_ACT_RELU, 1);
      closed = t.k;
      for (i = 0; i < 2; i++) ASSERT(sneppp__finite(t.a[i]) && sneppp__finite(t.own[i]) && sneppp__finite(t.cross[i]));
      memset(&t, 0, sizeof t);
      sneppp__gauss_stein(&q, &t);
      ramp = t.k;
      ASSERT_IN_RANGE(1, closed / ramp, 0.01);
      ASSERT(closed < ramp); /* the negative side subtracts */
   }
   PASS();
}

/* Short weights, down to 1e-9, without bias or with one as small: values keep their digits, which a difference of
   terms of order 1 would not. The quadrature does, because it multiplies the units themselves. */
TEST kernel_gauss_short_weights(void)
{
   static const double size[4] = {0.02, 1e-3, 1e-6, 1e-9};
   kernel_gauss_row    ask = { SNEPPP_ACT_COS, SNEPPP_ACT_COS, 0, -1, "" }, *row = &ask;
   for (size_t r = 0; kernel_gauss_next(row); r++) {
      if (kernel_gauss_radial(row) || row->log) continue;
      for (int k = 0; k < 4; k++) { /* every other with a bias, the others in the next row */
         kernel_gauss_setup s;
         double             K[4], want, scale;
         sneppp_error       err;
         kernel_gauss_random(&s, row, (uint64_t)r * 10 + 1);
         memset(s.mean, 0, sizeof s.mean);
         for (int i = 0; i < 4; i++) s.W[i] *= size[k];
         for (int i = 0; i < 2; i++) s.b[i] *= (r + (size_t)k) % 2 ? size[k] : 0;
         want = kernel_gauss_by_quadrature(&s, row);
         ASSERT_EQ_FMTm(row->name, SNEPPP_OK, sneppp_gram(&s.win, &s.layer, K, NULL, &err), "%d");
         scale = sqrt(fabs(K[0] * K[3])); /* odd functions have a zero here */
         if (!(fabs(want - K[1]) <= 1e-10 * scale)) printf("%s, weights %g: %.17g, but %.17g\n", row->name, size[k], K[1], want);
         ASSERT_IN_RANGEm(row->name, want, K[1], 1e-10 * scale);
      }
   }
   PASS();
}

/* An ELU of nearly no weight is the number elu(b), whether its bias is small, or so large that the closed form overflows;
   and beside a unit of common size it keeps its digits. */
TEST kernel_gauss_short_elu_with_bias(void)
{
   static const double size[5] = {1e-9, 1e-12, 1e-15, 1e-17, 1e-30}, bias[4] = {-0.2, -1e-3, 0.2, 31};
   for (int k = 0; k < 20; k++) {
      const double  w = size[k % 5], b[2] = {bias[k / 5], bias[k / 5]}, W[4] = {w, 0, w, w}, G[4] = {1, 0, 0, 0};
      const double  value = b[0] < 0 ? expm1(b[0]) : b[0], slope = b[0] < 0 ? exp(b[0]) : 1;
      double        K[4], gb[2] = {0, 0};
      sneppp_window win;
      sneppp_layer  layer;
      sneppp_layer_grad out;
      memset(&win, 0, sizeof win);
      memset(&layer, 0, sizeof layer);
      memset(&out, 0, sizeof out);
      win.space = SNEPPP_SPACE_GAUSS, win.dim = 2, out.b = gb;
      layer.n = 2, layer.W = W, layer.b = b, layer.unit = kernel_gauss_plain_unit(SNEPPP_ACT_ELU, 1);
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_gram(&win, &layer, K, NULL, NULL), "%d");
      for (int i = 0; i < 4; i++) ASSERT_IN_RANGE(value * value, K[i], 1e-7 * w + 1e-13 * value * value);
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_gram_grad(&win, &layer, G, &out, NULL, NULL), "%d");
      ASSERT_IN_RANGE(2 * value * slope, gb[0], 1e-6 * w + 1e-13 * fabs(2 * value * slope));
   }
   PASS();
}

TEST kernel_gauss_short_elu_beside_long(void)
{
   for (int k = 0; k < 2; k++) { /* E[elu(U) elu(V)] -> E[U elu(V)] = C E[elu'(V)] for short U */
      const double  w = k ? 1e-7 : 1e-9, W[4] = {w, 0, 0.8, 0.6}, zero[2] = {0, 0};
      const sneppp_unit units[2] = {kernel_gauss_plain_unit(SNEPPP_ACT_MONOMIAL, 1), kernel_gauss_plain_unit(SNEPPP_ACT_ELU, 1)};
      double        K[4], M[4];
      sneppp_window win;
      sneppp_layer  layer;
      memset(&win, 0, sizeof win);
      memset(&layer, 0, sizeof layer);
      win.space = SNEPPP_SPACE_GAUSS, win.dim = 2;
      layer.n = 2, layer.W = W, layer.b = zero, layer.unit = units[1];
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_gram(&win, &layer, K, NULL, NULL), "%d");
      layer.units = units;
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_gram(&win, &layer, M, NULL, NULL), "%d");
      ASSERT_IN_RANGE(M[1], K[1], w * 2 * w); /* they differ by E[U^2 ...], of second order */
   }
   PASS();
}

/* A short ELU is a leaky ramp, in its derivatives as well. */
TEST kernel_gauss_short_elu_slopes(void)
{
   static const double W[4] = {1e-9, 3e-10, 5e-10, -7e-10}, G[4] = {1, 0.5, 0.5, -1}, zero[2] = {0, 0};
   double              gW[2][4], gb[2][2];
   sneppp_window       win;
   sneppp_layer        layer;
   sneppp_layer_grad   out;
   sneppp_error        err;
   memset(&win, 0, sizeof win);
   memset(&layer, 0, sizeof layer);
   memset(gW, 0, sizeof gW);
   memset(gb, 0, sizeof gb);
   memset(&out, 0, sizeof out);
   win.space = SNEPPP_SPACE_GAUSS, win.dim = 2, layer.n = 2, layer.W = W, layer.b = zero;
   for (int k = 0; k < 2; k++) {
      layer.unit = kernel_gauss_plain_unit(k ? SNEPPP_ACT_LEAKY : SNEPPP_ACT_ELU, 0.8);
      out.W = gW[k], out.b = gb[k];
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_gram_grad(&win, &layer, G, &out, NULL, &err), "%d");
   }
   for (int i = 0; i < 4; i++) ASSERT_IN_RANGE(gW[1][i], gW[0][i], 1e-8 * 1e-9);
   for (int i = 0; i < 2; i++) ASSERT_IN_RANGE(gb[1][i], gb[0][i], 1e-8 * 1e-9);
   PASS();
}

/* Components of weight 0 are as if they were not there, however large their part would be. */
TEST kernel_gauss_no_weight(void)
{
   static const double mean[6] = {0, 0, 60, 60, -50, 70}, weight[3] = {0, 0.5, 0}, W[4] = {0.1, 0.2, -0.3, 0}, width[4] = {0.5, 0.5, 0.6, 0.7};
   double              K[4], L[4], x[2] = {0.1, 0.2}, alone, mixed;
   sneppp_window       win;
   sneppp_layer        layer;
   sneppp_error        err;
   memset(&win, 0, sizeof win);
   memset(&layer, 0, sizeof layer);
   win.space = SNEPPP_SPACE_GAUSS, win.dim = 2, win.count = 3, win.mean = mean, win.weight = weight;
   layer.n = 2, layer.W = W, layer.width = width;
   for (int k = 0; k < 2; k++) {
      layer.unit = kernel_gauss_plain_unit(k ? SNEPPP_ACT_EXP : SNEPPP_ACT_RBF, 0);
      win.count = 3, win.mean = mean, win.weight = weight;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_gram_log(&win, &layer, K, NULL, &err), "%d");
      win.count = 1, win.mean = mean + 2, win.weight = weight + 1;
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_gram_log(&win, &layer, L, NULL, &err), "%d");
      for (int i = 0; i < 4; i++) ASSERT_IN_RANGE(L[i], K[i], 1e-14 * fabs(L[i]));
   }
   alone = sneppp__window_log_density(&win, x);
   win.count = 3, win.mean = mean, win.weight = weight;
   mixed = sneppp__window_log_density(&win, x);
   ASSERT_IN_RANGE(alone, mixed, 1e-14 * fabs(alone));
   PASS();
}

/* Logarithmic rows far beyond the range of double, with derivatives. */
TEST kernel_gauss_log_rows(void)
{
   static const double w[2] = {60, -20}, v[2] = {40, 30};
   double              gi[2] = {0, 0}, gj[2] = {0, 0}, l[2], b[2] = {0, 0}, k;
   sneppp__pull        out;
   sneppp_unit         u = kernel_gauss_plain_unit(SNEPPP_ACT_EXP, 0);
   sneppp_window       win;
   sneppp_layer        layer;
   double              W[4] = {60, -20, 40, 30}, K[4];
   sneppp_error        err;
   memset(&out, 0, sizeof out);
   out.g = 2;
   out.w[0] = gi; out.w[1] = gj;
   out.l[0] = l;  out.l[1] = l;
   out.b[0] = b;  out.b[1] = b + 1;
   k = kernel_gauss_pair(1, u, u, w, 1, v, 2, &out);
   ASSERT_IN_RANGE(3 + 0.5 * (100 * 100 + 10 * 10), k, 1e-12);
   ASSERT_IN_RANGE(200, gi[0], 1e-12);
   ASSERT_IN_RANGE(20, gj[1], 1e-12);
   ASSERT_IN_RANGE(2, b[0], 1e-15);
   memset(&win, 0, sizeof win);
   memset(&layer, 0, sizeof layer);
   win.space = SNEPPP_SPACE_GAUSS;
   win.dim = 2;
   layer.n = 2;
   layer.unit = u;
   layer.W = W;
   ASSERT_EQ_FMT(SNEPPP_ERR_RANGE, sneppp_gram(&win, &layer, K, NULL, &err), "%d");
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_gram_log(&win, &layer, K, NULL, &err), "%d");
   PASS();
}

/* A whole matrix goes another way than a pair for cos; both give the same, values and derivatives. */
TEST kernel_gauss_tiles_are_pairs(void)
{
   enum { n = 37, d = 3, count = 2 };
   static double     W[n * d], b[n], K[n * n], G[n * n], gW[2][n * d], gb[2][n], weight[2][count], mean[2][count * d], scale[2][count * d];
   static double     pi[count] = {0.3, 0.9}, mu[count * d] = {0.1, -0.4, 0.9, -1, 0.5, 0.2}, sd[count * d] = {1, 0.5, 1.5, 0.7, 1.1, 0.9};
   kernel_gauss_dice dice;
   sneppp_window     win;
   sneppp_layer      layer;
   sneppp_layer_grad out;
   sneppp_error      err;
   static sneppp_unit units[n];
   int               i, j, way;
   dice.state = 12;
   memset(&win, 0, sizeof win);
   memset(&layer, 0, sizeof layer);
   memset(gW, 0, sizeof gW);
   memset(gb, 0, sizeof gb);
   memset(weight, 0, sizeof weight);
   memset(mean, 0, sizeof mean);
   memset(scale, 0, sizeof scale);
   for (i = 0; i < n * d; i++) W[i] = 2 * kernel_gauss_uniform(&dice);
   for (i = 0; i < n; i++) b[i] = 3 * kernel_gauss_uniform(&dice);
   for (i = 0; i < n * n; i++) G[i] = kernel_gauss_uniform(&dice);
   for (i = 0; i < n; i++) units[i] = kernel_gauss_plain_unit(SNEPPP_ACT_COS, 0);
   win.space = SNEPPP_SPACE_GAUSS;
   win.dim = d;
   win.count = count;
   win.weight = pi;
   win.mean = mu;
   win.scale = sd;
   layer.n = n;
   layer.W = W;
   layer.b = b;
   layer.unit = units[0];
   for (way = 0; way < 2; way++) { /* a list of units turns tiles off */
      layer.units = way ? units : NULL;
      memset(&out, 0, sizeof out);
      out.W = gW[way];
      out.b = gb[way];
      out.weight = weight[way];
      out.mean = mean[way];
      out.scale = scale[way];
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_gram_grad(&win, &layer, G, &out, NULL, &err), "%d");
   }
   layer.units = NULL;
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_gram(&win, &layer, K, NULL, &err), "%d");
   for (i = 0; i < n; i++) {
      for (j = 0; j < n; j++) {
         double k;
         one_pair(&win, &layer, i, j, &k);
         ASSERT_IN_RANGE(k, K[i * n + j], 2e-15);
      }
   }
   for (i = 0; i < n * d; i++) ASSERT_IN_RANGE(gW[1][i], gW[0][i], 1e-12);
   for (i = 0; i < n; i++) ASSERT_IN_RANGE(gb[1][i], gb[0][i], 1e-12);
   for (i = 0; i < count; i++) ASSERT_IN_RANGE(weight[1][i], weight[0][i], 1e-11);
   for (i = 0; i < count * d; i++) ASSERT_IN_RANGE(mean[1][i], mean[0][i], 1e-11);
   for (i = 0; i < count * d; i++) ASSERT_IN_RANGE(scale[1][i], scale[0][i], 1e-11);
   PASS();
}

/* K of a layer that mixes activations is positive semidefinite: Cholesky after adding rounding. */
TEST kernel_gauss_mixed_layer_positive(void)
{
   static const sneppp_act act[5] = {SNEPPP_ACT_STEP, SNEPPP_ACT_RELU, SNEPPP_ACT_GELU, SNEPPP_ACT_ERF, SNEPPP_ACT_ONE};
   enum { n = 20 };
   double            W[n * 2], b[n], K[n * n];
   sneppp_unit       units[n];
   kernel_gauss_dice dice;
   sneppp_window     win;
   sneppp_layer      layer;
   sneppp_error      err;
   int               i, j;
   dice.state = 4;
   memset(&win, 0, sizeof win);
   memset(&layer, 0, sizeof layer);
   for (i = 0; i < n; i++) {
      units[i] = kernel_gauss_plain_unit(act[i % 5], 0.3);
      W[2 * i] = 2 * kernel_gauss_uniform(&dice);
      W[2 * i + 1] = 2 * kernel_gauss_uniform(&dice);
      b[i] = kernel_gauss_uniform(&dice);
   }
   win.space = SNEPPP_SPACE_GAUSS;
   win.dim = 2;
   layer.n = n;
   layer.W = W;
   layer.b = b;
   layer.units = units;
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_gram(&win, &layer, K, NULL, &err), "%d");
   for (i = 0; i < n; i++) {
      for (j = 0; j < n; j++) ASSERT_EQ(K[i * n + j], K[j * n + i]);
      K[i * n + i] += 1e-13;
   }
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp__chol(n, K, n), "%d");
   PASS();
}

/* Two hard steps under a Gaussian: the derivatives of K by weights and biases against differences. */
TEST kernel_gauss_steps_have_slopes(void)
{
   sneppp_window     win;
   sneppp_layer      layer;
   sneppp_layer_grad grad;
   double            W[4] = {0.8, -0.3, 0.4, 0.9}, b[2] = {0.2, -0.5}, K[2][4], G[4] = {0.7, 0.3, 0.3, -1.1}, dW[4] = {0, 0, 0, 0}, db[2] = {0, 0};
   memset(&win, 0, sizeof win), memset(&layer, 0, sizeof layer), memset(&grad, 0, sizeof grad);
   win.space = SNEPPP_SPACE_GAUSS, win.dim = 2;
   layer.n = 2, layer.d = 2, layer.W = W, layer.b = b, layer.unit.act = SNEPPP_ACT_STEP;
   grad.W = dW, grad.b = db;
   ASSERT_EQ(SNEPPP_OK, sneppp_gram_grad(&win, &layer, G, &grad, NULL, NULL));
   for (int k = 0; k < 6; k++) {
      double *p = k < 4 ? &W[k] : &b[k - 4], was = *p, h = 1e-5, slope = 0;
      for (int side = 0; side < 2; side++) {
         *p = was + (side ? h : -h);
         ASSERT_EQ(SNEPPP_OK, sneppp_gram(&win, &layer, K[side], NULL, NULL));
      }
      *p = was;
      for (int i = 0; i < 4; i++) slope += G[i] * (K[1][i] - K[0][i]) / (2 * h);
      ASSERT_IN_RANGE(slope, k < 4 ? dW[k] : db[k - 4], 1e-8);
   }
   PASS();
}

/* Far tails: the integral over the wedge is what fifteen times as many panels say, wherever its peak lies. */
TEST kernel_gauss_far_wedges(void)
{
   static const double at[6][2] = {{-2, -3}, {-5, 4}, {-6, -6}, {-1, -20}, {-20, 10}, {5, -10}}; /* k, kappa_i */
   sneppp__gauss       g;
   double              node[SNEPPP__GAUSS_MAX], weight[SNEPPP__GAUSS_MAX];
   int                 n = sneppp__gauss_legendre(12, node, weight);
   memset(&g, 0, sizeof g);
   g.A[0] = g.A[1] = 1;
   for (int c = 0; c < 6; c++)
      for (double delta = 0.3; delta < 3.1; delta += 0.55)
         for (int p = 0; p < 2; p++) {
            double want = 0, half = delta / 240, k = at[c][0], ki = at[c][1], got = sneppp__rect_polar(&g, p, 1, delta, k, ki);
            for (int i = 0; i < 120; i++)
               for (int j = 0; j < n; j++) {
                  double t = half * (2 * i + 1 + node[j]), y = k * cos(t) - ki * sin(t);
                  want += half * weight[j] * exp(-0.5 * y * y) / sqrt(2 * SNEPPP__PI) * pow(sin(delta - t), p) * sin(t) *
                          sneppp__rect_moment(p + 2, ki * cos(t) + k * sin(t), 1);
               }
            ASSERT_IN_RANGE(1, got / want, 1e-12);
         }
   PASS();
}

/* Units that are hardly ever on: against sqrt(K_ii K_jj) entries keep their digits however far the kinks are, as an integral
   over one variable from its kink on says, in which the other's moment has all of them. */
TEST kernel_gauss_far_kinks(void)
{
   kernel_gauss_dice dice;
   double            node[SNEPPP__GAUSS_MAX], weight[SNEPPP__GAUSS_MAX];
   const int         n = sneppp__gauss_legendre(20, node, weight), panels = 40;
   dice.state = 5;
   for (int turn = 0; turn < 400; turn++) {
      const int     p = 1 + turn % 4, q = 1 + turn / 4 % 4;
      double        w[4], b[2], K[4], A, B, C, lo, h, want = 0;
      sneppp_window win;
      sneppp_unit   u[2];
      sneppp_layer  layer;
      for (int r = 0; r < 4; r++) w[r] = 2 * kernel_gauss_uniform(&dice);
      A = w[0] * w[0] + w[1] * w[1], B = w[2] * w[2] + w[3] * w[3], C = w[0] * w[2] + w[1] * w[3];
      b[0] = sqrt(A) * (-2.5 + 3.5 * kernel_gauss_uniform(&dice)), b[1] = sqrt(B) * (-2.5 + 3.5 * kernel_gauss_uniform(&dice));
      if (C * C > 0.98 * A * B) continue;
      memset(&win, 0, sizeof win), memset(&layer, 0, sizeof layer);
      win.space = SNEPPP_SPACE_GAUSS, win.dim = 2;
      u[0] = kernel_gauss_plain_unit(SNEPPP_ACT_RECT, p), u[1] = kernel_gauss_plain_unit(SNEPPP_ACT_RECT, q);
      layer.n = 2, layer.units = u, layer.W = w, layer.b = b;
      ASSERT_EQ(SNEPPP_OK, sneppp_gram(&win, &layer, K, NULL, NULL));
      lo = fmax(-b[0] / sqrt(A), -12), h = (fmax(lo, 0) + 12 - lo) / panels;
      for (int i = 0; i < panels; i++)
         for (int k = 0; k < n; k++) {
            double z = lo + h * (i + 0.5 + 0.5 * node[k]);
            want += 0.5 * h * weight[k] * sneppp__phi(z) * sneppp__ipow(fmax(b[0] + sqrt(A) * z, 0), p) *
                    sneppp__rect_moment(q, b[1] + C / sqrt(A) * z, B - C * C / A);
         }
      ASSERT_IN_RANGE(1, K[0] / sneppp__rect_moment(2 * p, b[0], A), 1e-12);
      ASSERT_IN_RANGE(1, K[3] / sneppp__rect_moment(2 * q, b[1], B), 1e-12);
      ASSERT_IN_RANGE(want, K[1], 1e-12 * sqrt(K[0] * K[3]));
   }
   PASS();
}

/* ELU units that hardly move from their biases: the integral is that at the mean. */
TEST kernel_gauss_still_elu(void)
{
   static const double bias[6] = {0.04, -0.03, 0.15, 2, 9, -0.1};
   sneppp_window       win;
   sneppp_layer        layer;
   memset(&win, 0, sizeof win);
   memset(&layer, 0, sizeof layer);
   win.space = SNEPPP_SPACE_GAUSS, win.dim = 1;
   layer.n = 6, layer.unit.act = SNEPPP_ACT_ELU, layer.unit.p = 0.5, layer.b = bias;
   for (int k = 9; k < 100; k += 3) {
      double W[6], K[36], slope;
      for (int i = 0; i < 6; i++) W[i] = (1 + i) * pow(10, -k);
      layer.W = W;
      ASSERT_EQ(sneppp_gram(&win, &layer, K, NULL, NULL), SNEPPP_OK);
      for (int i = 0; i < 36; i++) {
         double exact = sneppp__act(&layer.unit, bias[i / 6], &slope) * sneppp__act(&layer.unit, bias[i % 6], &slope);
         ASSERT(fabs(K[i] - exact) <= 1e-12 * fabs(exact));
      }
   }
   PASS();
}

SUITE(kernel_gauss)
{
   RUN_TEST(kernel_gauss_still_elu);
   RUN_TEST(kernel_gauss_far_wedges);
   RUN_TEST(kernel_gauss_far_kinks);
   RUN_TEST(kernel_gauss_steps_have_slopes);
   RUN_TEST(kernel_gauss_every_rule_by_quadrature);
   RUN_TEST(kernel_gauss_every_derivative);
   RUN_TEST(kernel_gauss_parallel_weights);
   RUN_TEST(kernel_gauss_nearly_parallel);
   RUN_TEST(kernel_gauss_antiparallel_arccos);
   RUN_TEST(kernel_gauss_zero_weights);
   RUN_TEST(kernel_gauss_elu_two_forms);
   RUN_TEST(kernel_gauss_short_weights);
   RUN_TEST(kernel_gauss_short_elu_with_bias);
   RUN_TEST(kernel_gauss_short_elu_beside_long);
   RUN_TEST(kernel_gauss_short_elu_slopes);
   RUN_TEST(kernel_gauss_no_weight);
   RUN_TEST(kernel_gauss_log_rows);
   RUN_TEST(kernel_gauss_tiles_are_pairs);
   RUN_TEST(kernel_gauss_mixed_layer_positive);
}
