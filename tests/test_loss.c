/* Likelihoods: every gradient against central differences of the likelihood itself, for spaces, activations,
   mixing rules and readouts; and the value against its definition, event by event. */
#include "cases.h"

static double loss_value(const sneppp_model *m, const loss_case *c)
{
   double       nll = 0;
   sneppp_error err;
   if (sneppp_nll(m, &c->events, 1, &nll, NULL, NULL, NULL, &err) != SNEPPP_OK) fprintf(stderr, "%s: %s\n", c->name, err.why);
   return nll;
}

/* Central difference in one stored parameter, several step sizes, the best of them. */
static double loss_difference(sneppp_model *m, const loss_case *c, sneppp_real *p, double expected)
{
   double      best = 1e300, got = 0;
   sneppp_real keep = *p;
   for (int e = 2; e <= 7; e++) {
      double h = pow(10, -e), f1, f0, d;
      *p = (sneppp_real)((double)keep + h);
      f1 = loss_value(m, c);
      d = (double)*p;
      *p = (sneppp_real)((double)keep - h);
      f0 = loss_value(m, c);
      d = (f1 - f0) / (d - (double)*p);
      if (fabs(d - expected) < best) { best = fabs(d - expected); got = d; }
   }
   *p = keep;
   return got;
}

static double loss_difference_double(sneppp_model *m, const loss_case *c, double *p, double expected)
{
   double best = 1e300, got = 0, keep = *p;
   for (int e = 2; e <= 7; e++) {
      double h = pow(10, -e), f1, f0, d;
      *p = keep + h;
      f1 = loss_value(m, c);
      *p = keep - h;
      f0 = loss_value(m, c);
      d = (f1 - f0) / (2 * h);
      if (fabs(d - expected) < best) { best = fabs(d - expected); got = d; }
   }
   *p = keep;
   return got;
}

#ifdef SNEPPP_REAL_FLOAT
#define LOSS_TOLERANCE 3e-2 /* differences of a likelihood with float features */
#else
#define LOSS_TOLERANCE 1e-7
#endif

static int loss_close(const char *name, const char *what, double got, double want, double scale)
{
   if (fabs(got - want) <= LOSS_TOLERANCE * (1 + scale)) return 1;
   fprintf(stderr, "%s: d/d%s = %.12g, difference %.12g\n", name, what, got, want);
   return 0;
}

static double loss_largest(const double *g, size_t n)
{
   double m = 0;
   for (size_t i = 0; i < n; i++) if (fabs(g[i]) > m) m = fabs(g[i]);
   return m;
}

static int loss_check_gradient(loss_case *c)
{
   sneppp_model m;
   sneppp_error err;
   sneppp_grad  g;
   double       buf[4096], floor = 0, alpha = 0, nll = 0;
   double      *at = buf;
   int          ok = 1;
   memset(buf, 0, sizeof buf);
   memset(&g, 0, sizeof g);
   if (sneppp_init(&m, &c->desc, &err) != SNEPPP_OK) { fprintf(stderr, "%s: %s\n", c->name, err.why); return 0; }
   m.alpha = 3;
   m.floor = 0.5;
   for (int k = 0; k < m.readouts; k++) { /* nothing near zero, so that the differences are clean */
      for (int i = 0; i < m.readout[k].m * m.readout[k].n; i++) m.readout[k].V[i] = (sneppp_real)(0.3 + (double)m.readout[k].V[i]);
      g.V[k] = at;
      at += m.readout[k].m * m.readout[k].n;
   }
   for (int f = 0; f < m.factors; f++) {
      size_t n = (size_t)m.layer[f].n, d = (size_t)m.layer[f].d, K = m.layer[f].inside.count;
      g.W[f] = at; at += n * d;
      g.b[f] = at; at += n;
      g.width[f] = at; at += n * d;
      if (m.layer[f].inside.space == SNEPPP_SPACE_GAUSS) { g.weight[f] = at; at += K; g.mean[f] = at; at += K * d; g.scale[f] = at; at += K * d; }
   }
   g.floor = &floor;
   g.alpha = &alpha;
   if (sneppp_nll(&m, &c->events, 1, &nll, NULL, &g, NULL, &err) != SNEPPP_OK) { fprintf(stderr, "%s: %s\n", c->name, err.why); sneppp_free(&m); return 0; }
   if (fabs(nll - loss_value(&m, c)) > 1e-5 * fabs(nll)) { fprintf(stderr, "%s: value with gradient %g, without %g\n", c->name, nll, loss_value(&m, c)); ok = 0; }
   for (int k = 0; k < m.readouts; k++)
      for (int i = 0; i < m.readout[k].m * m.readout[k].n; i++)
         ok &= loss_close(c->name, "V", g.V[k][i], loss_difference(&m, c, &m.readout[k].V[i], g.V[k][i]), loss_largest(g.V[k], (size_t)(m.readout[k].m * m.readout[k].n)));
   for (int f = 0; f < m.factors; f++) {
      sneppp_layer_state *L = &m.layer[f];
      size_t n = (size_t)L->n, d = (size_t)L->d;
      for (size_t i = 0; i < n * d; i++) {
         ok &= loss_close(c->name, "W", g.W[f][i], loss_difference(&m, c, &L->W[i], g.W[f][i]), loss_largest(g.W[f], n * d));
         if (L->width) ok &= loss_close(c->name, "width", g.width[f][i], loss_difference(&m, c, &L->width[i], g.width[f][i]), loss_largest(g.width[f], n * d));
      }
      for (size_t i = 0; i < n && !L->width && !m.desc.factor[f].no_bias; i++)
         ok &= loss_close(c->name, "b", g.b[f][i], loss_difference(&m, c, &L->b[i], g.b[f][i]), loss_largest(g.b[f], n));
      for (size_t i = 0; L->inside.space == SNEPPP_SPACE_GAUSS && i < L->inside.count * d; i++) {
         ok &= loss_close(c->name, "mean", g.mean[f][i], loss_difference_double(&m, c, (double *)(size_t)&L->inside.mean[i], g.mean[f][i]), loss_largest(g.mean[f], d));
         ok &= loss_close(c->name, "scale", g.scale[f][i], loss_difference_double(&m, c, (double *)(size_t)&L->inside.scale[i], g.scale[f][i]), loss_largest(g.scale[f], d));
         if (i < L->inside.count) ok &= loss_close(c->name, "weight", g.weight[f][i], loss_difference_double(&m, c, (double *)(size_t)&L->inside.weight[i], g.weight[f][i]), fabs(g.weight[f][i]));
      }
   }
   ok &= loss_close(c->name, "floor", floor, loss_difference_double(&m, c, &m.floor, floor), fabs(floor));
   ok &= loss_close(c->name, "alpha", alpha, loss_difference_double(&m, c, &m.alpha, alpha), fabs(alpha));
   sneppp_free(&m);
   return ok;
}

TEST loss_gradient_spaces(void)
{
   static const struct { sneppp_space space; int dim; sneppp_act act; double p, q; } row[] = {
      {SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_COS, 0, 0},   {SNEPPP_SPACE_BOX, 3, SNEPPP_ACT_SIN, 0, 0},      {SNEPPP_SPACE_BOX, 1, SNEPPP_ACT_EXP, 0, 0},
      {SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_RBF, 0, 0},   {SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_RELU, 0, 0},     {SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_MONOMIAL, 2, 0},
      {SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_COS, 0, 0}, {SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_SNAKE, 1, 0},  {SNEPPP_SPACE_GAUSS, 1, SNEPPP_ACT_RELU, 0, 0},
      {SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_GELU, 0, 0},{SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_ERF, 0, 0},    {SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_BELL, 0.5, 0},
      {SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_RBF, 0, 0}, {SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_EXP, 0, 0},    {SNEPPP_SPACE_SPHERE, 3, SNEPPP_ACT_RELU, 0, 0},
      {SNEPPP_SPACE_SPHERE, 3, SNEPPP_ACT_EXP, 0, 0},{SNEPPP_SPACE_SPHERE, 2, SNEPPP_ACT_RELU, 0, 0},  {SNEPPP_SPACE_SPHERE, 4, SNEPPP_ACT_COS, 0, 0},
      {SNEPPP_SPACE_INTERVALS, 1, SNEPPP_ACT_RELU, 0, 0}, {SNEPPP_SPACE_INTERVALS, 1, SNEPPP_ACT_COS, 0, 0}, {SNEPPP_SPACE_POLYGON, 2, SNEPPP_ACT_COS, 0, 0},
      {SNEPPP_SPACE_POLYGON, 2, SNEPPP_ACT_RELU, 0, 0}, {SNEPPP_SPACE_BALL, 2, SNEPPP_ACT_COS, 0, 0},  {SNEPPP_SPACE_BALL, 3, SNEPPP_ACT_EXP, 0, 0},
      {SNEPPP_SPACE_GAMMA, 1, SNEPPP_ACT_EXP, 0, 0}
   };
   int ok = 1;
   for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
      static loss_case c;
      sneppp_unit u = loss_unit(row[i].act, row[i].p, row[i].q);
      loss_make(&c, sneppp__act_name(row[i].act), SNEPPP_MIX_PRODUCT, SNEPPP_READOUT_FULL, (int)(i % 3), 1, &row[i].space, &row[i].dim, &u);
      ok &= loss_check_gradient(&c);
      loss_make(&c, sneppp__act_name(row[i].act), SNEPPP_MIX_PRODUCT, SNEPPP_READOUT_DIAGONAL, 0, 1, &row[i].space, &row[i].dim, &u);
      ok &= loss_check_gradient(&c);
   }
   ASSERT(ok);
   PASS();
}

TEST loss_gradient_mixes(void)
{
   static const sneppp_space space[3] = {SNEPPP_SPACE_SPHERE, SNEPPP_SPACE_INTERVALS, SNEPPP_SPACE_BOX};
   static const int          dim[3] = {3, 1, 1};
   sneppp_unit               unit[3];
   int                       ok = 1;
   unit[0] = loss_unit(SNEPPP_ACT_RELU, 0, 0);
   unit[1] = loss_unit(SNEPPP_ACT_RELU, 0, 0);
   unit[2] = loss_unit(SNEPPP_ACT_COS, 0, 0);
   for (int mix = 0; mix < SNEPPP_MIX_END; mix++) {
      for (int variant = 0; variant < 6; variant++) {
         static loss_case c;
         loss_make(&c, "mix", (sneppp_mix)mix, variant % 2 ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL, variant == 2 ? 1 : 0, variant < 4 ? 2 : 3, space, dim, unit);
         if (!loss_check_gradient(&c)) { fprintf(stderr, "mix %d variant %d\n", mix, variant); ok = 0; }
      }
   }
   ASSERT(ok);
   PASS();
}

/* As many factors as there may be. */
TEST loss_gradient_of_most_factors(void)
{
   static loss_case c;
   sneppp_space     space[SNEPPP_MAX_FACTORS];
   int              dim[SNEPPP_MAX_FACTORS];
   sneppp_unit      unit[SNEPPP_MAX_FACTORS];
   for (int f = 0; f < SNEPPP_MAX_FACTORS; f++) space[f] = SNEPPP_SPACE_BOX, dim[f] = 1, unit[f] = loss_unit(f % 2 ? SNEPPP_ACT_SIN : SNEPPP_ACT_COS, 0, 0);
   loss_make(&c, "most factors", SNEPPP_MIX_ADDITIVE, SNEPPP_READOUT_DIAGONAL, 0, SNEPPP_MAX_FACTORS, space, dim, unit);
   ASSERT(loss_check_gradient(&c));
   PASS();
}

/* A partly watched window, weights, and the definition of the likelihood. */
TEST loss_definition(void)
{
   static const sneppp_space space[2] = {SNEPPP_SPACE_SPHERE, SNEPPP_SPACE_INTERVALS};
   static const int          dim[2] = {3, 1};
   static loss_case          c;
   sneppp_unit               unit[2];
   sneppp_model              m;
   sneppp_error              err;
   double                    nll, want = 0, count, W = 0;
   unit[0] = loss_unit(SNEPPP_ACT_RELU, 0, 0);
   unit[1] = loss_unit(SNEPPP_ACT_RELU, 0, 0);
   loss_make(&c, "seen", SNEPPP_MIX_PRODUCT, SNEPPP_READOUT_FULL, 0, 2, space, dim, unit);
   loss_window(&c.seen_part, SNEPPP_SPACE_INTERVALS, 1);
   c.seen_part.count = 2;
   c.seen_part.ends = loss_ends;
   c.seen.factor[1] = &c.seen_part;
   c.events.seen = &c.seen;
   c.events.weight = c.weight;
   for (size_t i = 0; i < c.events.count; i++) {
      sneppp_real *t = &c.x[4 * i + 3];
      if (*t > 50 && *t < 55) *t = 60;
      c.weight[i] = (sneppp_real)(0.5 + (double)(i % 4));
   }
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &c.desc, &err));
   m.floor = 0.01;
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &c.events, 1, &nll, NULL, NULL, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &c.seen, 1, &count, NULL, &err));
   for (size_t i = 0; i < c.events.count; i++) {
      want -= (double)c.weight[i] * sneppp_log_intensity(&m, c.x + 4 * i);
      W += (double)c.weight[i];
   }
   want += count + sneppp__lgamma(W + 1);
   ASSERT_IN_RANGE(want, nll, (sizeof(sneppp_real) == 4 ? 1e-5 : 1e-12) * fabs(want));
   ASSERT(loss_check_gradient(&c));
   c.x[4 * 7 + 3] = 52; /* in the window, but not in what was seen */
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_nll(&m, &c.events, 1, &nll, NULL, NULL, NULL, &err));
   ASSERT_EQ((size_t)7, err.event);
   c.x[4 * 7 + 3] = (sneppp_real)sneppp__nan();
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_nll(&m, &c.events, 1, &nll, NULL, NULL, NULL, &err));
   ASSERT_EQ((size_t)7, err.event);
   sneppp_free(&m);
   PASS();
}

/* ---- active sets: features that are zero for all events of a chunk are left out. The sums over events must be those of
   the plain formulas, in double, over all features and in the order of the input. */
enum { active_N = 1500, active_n = 80 };

typedef struct active_case {
   sneppp_desc   desc;
   sneppp_events events;
   sneppp_unit   units[active_n];
   sneppp_real   x[4 * active_N], weight[active_N];
} active_case;

static void active_make(active_case *c, int which)
{
   static const sneppp_space second[] = {SNEPPP_SPACE_BOX, SNEPPP_SPACE_BOX, SNEPPP_SPACE_INTERVALS, SNEPPP_SPACE_BOX};
   sneppp_rng rng;
   size_t     D = 0;
   int        factors = which == 1 ? 1 : 2;
   memset(c, 0, sizeof *c);
   c->desc.seed = 11;
   c->desc.width = active_n;
   c->desc.rank = which % 2 ? 6 : 0; /* through V and through M */
   loss_window(&c->desc.factor[0].window, which == 1 ? SNEPPP_SPACE_BOX : SNEPPP_SPACE_SPHERE, which == 1 ? 2 : 3);
   c->desc.factor[0].unit = which == 1 ? loss_unit(SNEPPP_ACT_RECT, 2, 0) : loss_unit(SNEPPP_ACT_RELU, 0, 0);
   if (factors == 2) {
      loss_window(&c->desc.factor[1].window, second[which], 1);
      c->desc.factor[1].unit = loss_unit(which == 3 ? SNEPPP_ACT_RBF : SNEPPP_ACT_RELU, 0, 0);
      if (which == 2) { /* a mixed layer: some of its units never vanish */
         for (int i = 0; i < active_n; i++) c->units[i] = i % 3 ? loss_unit(SNEPPP_ACT_RECT, i % 3, 0) : loss_unit(SNEPPP_ACT_ONE, 0, 0);
         c->desc.factor[1].units = c->units;
      }
   }
   sneppp_rng_init(&rng, 5, 0);
   c->events.x = c->x, c->events.count = active_N, c->events.weight = c->weight;
   for (size_t i = 0; i < active_N; i++) {
      for (int f = 0; f < factors; f++) {
         loss_point(&c->desc.factor[f].window, &rng, c->x + D);
         D += (size_t)c->desc.factor[f].window.dim;
      }
      c->weight[i] = (sneppp_real)(0.5 + (double)(i % 3));
   }
}

typedef struct active_grad { double value, V[active_n * active_n], W[2][3 * active_n], b[2][active_n], width[2][active_n], alpha, floor; } active_grad;

static sneppp_grad active_slots(active_grad *a)
{
   sneppp_grad g;
   memset(&g, 0, sizeof g);
   memset(a, 0, sizeof *a);
   g.V[0] = a->V, g.alpha = &a->alpha, g.floor = &a->floor;
   for (int f = 0; f < 2; f++) g.W[f] = a->W[f], g.b[f] = a->b[f], g.width[f] = a->width[f];
   return g;
}

/* -sum w log lambda and its derivatives by V, W and b, alpha and floor, as they are written. */
static void active_reference(const sneppp_model *m, const active_case *c, active_grad *a)
{
   size_t n = (size_t)m->n, rank = (size_t)m->readout[0].m, D = (size_t)m->D;
   memset(a, 0, sizeof *a);
   for (size_t e = 0; e < c->events.count; e++) {
      double part[2][active_n], slope[2][active_n], t[2][3], psi[active_n], y[active_n], dpsi[active_n], q = 0, lambda, w = (double)c->weight[e];
      for (size_t i = 0; i < n; i++) psi[i] = 1, dpsi[i] = 0;
      for (int f = 0; f < m->factors; f++) {
         const sneppp_layer_state *L = &m->layer[f];
         for (int r = 0; r < L->d; r++) t[f][r] = ((double)c->x[e * D + (size_t)(L->first + r)] - L->shift[r]) * L->rate[r];
         for (size_t i = 0; i < n; i++) {
            sneppp_unit u = L->units ? L->units[i] : m->desc.factor[f].unit;
            double      z = L->width ? 0 : (double)L->b[i];
            for (int r = 0; r < L->d; r++) {
               size_t at = i * (size_t)L->d + (size_t)r;
               if (L->width) z -= pow((t[f][r] - (double)L->W[at]) / (double)L->width[at], 2) / 2;
               else z += (double)L->W[at] * t[f][r];
            }
            if (L->width) part[f][i] = slope[f][i] = exp(z);
            else part[f][i] = sneppp__act(&u, z, &slope[f][i]);
            psi[i] *= part[f][i];
         }
      }
      for (size_t r = 0; r < rank; r++) {
         y[r] = 0;
         for (size_t i = 0; i < n; i++) y[r] += (double)m->readout[0].V[r * n + i] * psi[i];
         q += y[r] * y[r];
      }
      lambda = m->alpha * q + m->floor;
      a->value -= w * log(lambda);
      a->alpha -= w * q / lambda;
      a->floor -= w / lambda;
      for (size_t r = 0; r < rank; r++)
         for (size_t i = 0; i < n; i++) {
            a->V[r * n + i] -= 2 * m->alpha * w / lambda * y[r] * psi[i];
            dpsi[i] -= 2 * m->alpha * w / lambda * y[r] * (double)m->readout[0].V[r * n + i];
         }
      for (int f = 0; f < m->factors; f++)
         for (size_t i = 0; i < n; i++) {
            const sneppp_layer_state *L = &m->layer[f];
            double                    dz = dpsi[i] * slope[f][i] * (m->factors > 1 ? part[1 - f][i] : 1);
            if (!L->width) a->b[f][i] += dz;
            for (int r = 0; r < L->d; r++) {
               size_t at = i * (size_t)L->d + (size_t)r;
               double l = L->width ? (double)L->width[at] : 1, step = (t[f][r] - (double)L->W[at]) / l;
               a->W[f][at] += L->width ? dz * step / l : dz * t[f][r];
               if (L->width) a->width[f][at] += dz * step * step / l;
            }
         }
   }
}

/* got - none is the part of the gradient that comes from the events, without that of the integral. */
static int active_same(const char *what, size_t n, const double *got, const double *none, const double *want)
{
   double tolerance = (sizeof(sneppp_real) == sizeof(float) ? 2e-5 : 1e-12) * (loss_largest(want, n) + loss_largest(none, n));
   for (size_t i = 0; i < n; i++)
      if (!(fabs(got[i] - none[i] - want[i]) <= tolerance)) {
         fprintf(stderr, "%s[%d] = %.12g, plain sum %.12g\n", what, (int)i, got[i] - none[i], want[i]);
         return 0;
      }
   return 1;
}

TEST loss_active_sums(void)
{
   static active_case c;
   static active_grad got, none, want;
   for (int which = 0; which < 4; which++) {
      sneppp_model m;
      sneppp_error err;
      sneppp_grad  g;
      size_t       n, d;
      active_make(&c, which);
      ASSERT_EQm(err.why, SNEPPP_OK, sneppp_init(&m, &c.desc, &err));
      ASSERT(sneppp__narrows(&m));
      m.alpha = 3, m.floor = 0.5, n = (size_t)m.n;
      c.events.count = 0, c.events.weight = NULL;
      g = active_slots(&none);
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &c.events, 1, &none.value, NULL, &g, NULL, &err));
      c.events.count = active_N, c.events.weight = c.weight;
      g = active_slots(&got);
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &c.events, 1, &got.value, NULL, &g, NULL, &err));
      got.value -= sneppp__log_factorials(&c.events, 1);
      active_reference(&m, &c, &want);
      ASSERT(active_same("value", 1, &got.value, &none.value, &want.value));
      ASSERT(active_same("alpha", 1, &got.alpha, &none.alpha, &want.alpha));
      ASSERT(active_same("floor", 1, &got.floor, &none.floor, &want.floor));
      ASSERT(active_same("V", n * (size_t)m.readout[0].m, got.V, none.V, want.V));
      for (int f = 0; f < m.factors; f++) {
         d = (size_t)m.layer[f].d;
         ASSERT(active_same("W", n * d, got.W[f], none.W[f], want.W[f]));
         if (m.layer[f].width) ASSERT(active_same("width", n * d, got.width[f], none.width[f], want.width[f]));
         else ASSERT(active_same("b", n, got.b[f], none.b[f], want.b[f]));
      }
      sneppp_free(&m);
   }
   PASS();
}

/* The block's order keeps all events, makes chunks of neighbours, and what is not in their active sets is zero. */
TEST loss_active_order(void)
{
   static const int     most[] = {75, 80, 80, 95}; /* per cent of all features; 99 in the order of the input */
   static active_case   c;
   static sneppp__loss  loss;
   for (int which = 0; which < 4; which++) {
      sneppp_model         m;
      sneppp_error         err;
      sneppp__carver       k = sneppp__measure();
      sneppp__block        block;
      double               sum = 0;
      size_t               rows, D, active = 0, chunks = 0;
      active_make(&c, which);
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &c.desc, &err));
      rows = sneppp__chunk_rows(&m), D = (size_t)m.D;
      memset(&loss, 0, sizeof loss);
      loss.model = &m, loss.events = &c.events, loss.realisations = 1, loss.count = active_N, loss.gradient = 2;
      sneppp__place_loss(&k, &loss);
      ASSERT_EQ(SNEPPP_OK, sneppp__block_get(&block, &k, NULL, 0, NULL, &err));
      sneppp__place_loss(&k, &loss);
      loss.size = active_N, loss.rows = rows, loss.used = 1;
      sneppp__block_load(0, &loss);
      for (loss.pieces = 1; loss.pieces * rows < loss.size; loss.pieces *= 2)
         for (size_t i = 0; i < loss.pieces; i++) sneppp__block_split(i, &loss);
      for (size_t i = 0; i < active_N; i++) { /* each event, with its weight, is still there once */
         size_t found = 0;
         for (size_t j = 0; j < active_N; j++) {
            int same = loss.row[(D + 1) * j + D] == (double)c.weight[i];
            for (size_t r = 0; r < D; r++) same = same && loss.row[(D + 1) * j + r] == (double)c.x[D * i + r];
            found += (size_t)same;
         }
         ASSERT_EQ((size_t)1, found);
      }
      for (size_t first = 0; first < active_N; first += rows, chunks++) {
         sneppp__chunk *q = &loss.lane[0].chunk;
         size_t         B = active_N - first < rows ? active_N - first : rows;
         for (size_t b = 0; b < B; b++)
            for (size_t r = 0; r < D; r++) q->x[D * b + r] = (sneppp_real)loss.row[(D + 1) * (first + b) + r];
         sneppp__chunk_features(&m, B, q);
         active += q->n;
         for (size_t b = 0; q->active && b < B; b++) {
            sneppp_real psi[active_n];
            ASSERT_EQ(SNEPPP_OK, sneppp_features(&m, q->x + D * b, psi, &err));
            for (size_t j = 0; j < q->n; j++) psi[q->active[j]] = 0;
            for (int i = 0; i < m.n; i++) sum += fabs((double)psi[i]);
         }
      }
      ASSERT(sum <= (sizeof(sneppp_real) == sizeof(float) ? 1e-6 : 1e-14)); /* zero but for rounding */
      ASSERT(100 * active < chunks * active_n * (size_t)most[which]);
      sneppp__block_free(&block);
      sneppp_free(&m);
   }
   PASS();
}

/* A whole gradient against differences, where chunks have active sets and the kink is smooth enough for them. */
TEST loss_active_differences(void)
{
   static active_case c;
   static active_grad got;
   static loss_case   as;
   sneppp_model       m;
   sneppp_error       err;
   sneppp_grad        g = active_slots(&got);
   active_make(&c, 1);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &c.desc, &err));
   m.alpha = 3, m.floor = 0.5;
   as.name = "active sets", as.events = c.events;
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &c.events, 1, &got.value, NULL, &g, NULL, &err));
   for (int i = 0; i < m.n; i += 19) {
      ASSERT(loss_close(as.name, "V", got.V[i], loss_difference(&m, &as, &m.readout[0].V[i], got.V[i]), loss_largest(got.V, 6 * active_n)));
      ASSERT(loss_close(as.name, "W", got.W[0][2 * i], loss_difference(&m, &as, &m.layer[0].W[2 * i], got.W[0][2 * i]), loss_largest(got.W[0], 2 * active_n)));
      ASSERT(loss_close(as.name, "b", got.b[0][i], loss_difference(&m, &as, &m.layer[0].b[i], got.b[0][i]), loss_largest(got.b[0], active_n)));
   }
   sneppp_free(&m);
   PASS();
}

/* More events than one block holds, in two realisations that watched different parts: the sums of a pass are those of its
   parts taken one by one, for any number of threads, and of bad events the first is named. */
TEST loss_active_blocks(void)
{
   enum { N = 70000, cut = 30001, n = 24, parts = 7 };
   static sneppp_real x[N];
   static active_grad got[3], none, part;
   static double      sum[3 * n];
   sneppp_desc        d;
   sneppp_model       m;
   sneppp_error       err;
   sneppp_events      e[2], some;
   sneppp_region      seen;
   sneppp_window      half;
   sneppp_grad        g;
   sneppp_rng         rng;
   double             value = 0;
   memset(&d, 0, sizeof d), memset(e, 0, sizeof e), memset(&seen, 0, sizeof seen);
   loss_window(&d.factor[0].window, SNEPPP_SPACE_BOX, 1);
   half = d.factor[0].window, half.hi[0] = 12;
   seen.factor[0] = &half;
   d.factor[0].unit = loss_unit(SNEPPP_ACT_RELU, 0, 0), d.width = n, d.rank = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   m.alpha = 3, m.floor = 0.5;
   ASSERT(sneppp__narrows(&m) && sneppp__chunk_rows(&m) * SNEPPP__BLOCK < N);
   sneppp_rng_init(&rng, 8, 0);
   for (size_t i = 0; i < N; i++) x[i] = (sneppp_real)(10 + (i < cut ? 2 : 3) * sneppp_rng_uniform(&rng));
   e[0].x = x, e[0].count = cut, e[0].seen = &seen, e[1].x = x + cut, e[1].count = N - cut;
   for (int k = 0; k < 3; k++) {
      static const int threads[] = {1, 2, 7};
      sneppp_pool     *pool = sneppp_pool_make(threads[k], NULL);
      sneppp_parallel  par = sneppp_pool_parallel(pool);
      g = active_slots(&got[k]);
      ASSERT_EQ(SNEPPP_OK, sneppp__nll(&m, e, 2, NULL, &got[k].value, NULL, &g, &par, &err));
      ASSERT_EQ(0, memcmp(&got[k], &got[0], sizeof got[0]));
      sneppp_pool_free(pool);
   }
   some = e[0], some.count = 0;
   for (int r = 0; r < 2; r++) { /* the integrals of the two */
      some.seen = e[r].seen;
      g = active_slots(&none);
      ASSERT_EQ(SNEPPP_OK, sneppp__nll(&m, &some, 1, NULL, &none.value, NULL, &g, NULL, &err));
      value += none.value;
      for (size_t i = 0; i < n; i++) sum[i] += none.V[i], sum[n + i] += none.W[0][i], sum[2 * n + i] += none.b[0][i];
   }
   some.seen = NULL; /* from here on `none` is what one realisation without events gives */
   for (size_t k = 0; k < parts; k++) {
      some.x = x + k * (N / parts), some.count = N / parts;
      g = active_slots(&part);
      ASSERT_EQ(SNEPPP_OK, sneppp__nll(&m, &some, 1, NULL, &part.value, NULL, &g, NULL, &err));
      value += part.value - none.value;
      for (size_t i = 0; i < n; i++)
         sum[i] += part.V[i] - none.V[i], sum[n + i] += part.W[0][i] - none.W[0][i], sum[2 * n + i] += part.b[0][i] - none.b[0][i];
   }
   memset(&none, 0, sizeof none);
   ASSERT(active_same("value", 1, &got[0].value, &none.value, &value));
   ASSERT(active_same("V", n, got[0].V, none.V, sum));
   ASSERT(active_same("W", n, got[0].W[0], none.W[0], sum + n));
   ASSERT(active_same("b", n, got[0].b[0], none.b[0], sum + 2 * n));
   x[N - 1] = 20;
   g = active_slots(&part);
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp__nll(&m, e, 2, NULL, &value, NULL, &g, NULL, &err));
   ASSERT_EQ((size_t)(N - 1 - cut), err.event);
   x[cut - 1] = (sneppp_real)12.5; /* in the window, but not where the first realisation looked */
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp__nll(&m, e, 2, NULL, &value, NULL, &g, NULL, &err));
   ASSERT_EQ((size_t)(cut - 1), err.event);
   sneppp_free(&m);
   PASS();
}

static size_t active_read(sneppp_real *dst, size_t first, size_t count, void *user)
{
   memcpy(dst, (const sneppp_real *)user + 4 * first, 4 * count * sizeof *dst);
   return count;
}

/* Full batch, minibatches and held-out events, from memory and from a source: the same parameters after some steps for
   any number of threads, and from either place. A bad event is named by its place in the input. */
TEST loss_active_training(void)
{
   static const int    threads[] = {1, 2, 7};
   static active_case  c;
   static double       theta[2][8 * active_n + active_n * active_n];
   for (int variant = 0; variant < 4; variant++) {
      size_t count = 0;
      for (int k = 0; k < 4; k++) {
         sneppp_model    m;
         sneppp_error    err;
         sneppp_fit_desc f;
         sneppp_trainer  t;
         sneppp_pool    *pool = sneppp_pool_make(threads[k % 3], NULL);
         active_make(&c, 0);
         c.events.weight = NULL;
         if (k == 3) c.events.x = NULL, c.events.read = active_read, c.events.user = c.x;
         memset(&f, 0, sizeof f);
         f.events = &c.events, f.method = SNEPPP_METHOD_ADAM, f.steps = 100, f.floor = 0.1;
         f.batch = variant & 1 ? 600 : 0, f.holdout = variant & 2 ? 0.2 : 0;
         f.parallel = sneppp_pool_parallel(pool);
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &c.desc, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_trainer_init(&t, &m, &f, &err));
         for (int step = 0; step < 3; step++) ASSERT_EQ(SNEPPP_OK, sneppp_trainer_step(&t, &err));
         count = t.parameters;
         ASSERT(count <= sizeof theta[0] / sizeof theta[0][0]);
         memcpy(theta[k > 0], t.theta, count * sizeof(double));
         ASSERT_EQ(0, memcmp(theta[0], theta[k > 0], count * sizeof(double)));
         if (!k && !variant) { /* of two bad events the first is named */
            c.x[4 * 1234] = (sneppp_real)sneppp__nan(), c.x[4 * 77 + 3] = 1000;
            ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_trainer_step(&t, &err));
            ASSERT_EQ((size_t)77, err.event);
         }
         sneppp_trainer_free(&t);
         sneppp_free(&m);
         sneppp_pool_free(pool);
      }
   }
   PASS();
}

/* ---- plane waves, long ones and short ones: the sums over events are those of the plain formulas. */
static void waves_make(active_case *c, int which)
{
   static const sneppp_space space[] = {SNEPPP_SPACE_BOX, SNEPPP_SPACE_GAUSS, SNEPPP_SPACE_INTERVALS, SNEPPP_SPACE_POLYGON, SNEPPP_SPACE_SPHERE};
   static const int          dim[] = {1, 1, 1, 2, 3};
   sneppp_rng rng;
   memset(c, 0, sizeof *c);
   c->desc.seed = 11, c->desc.width = active_n;
   loss_window(&c->desc.factor[0].window, space[which], dim[which]);
   c->desc.factor[0].unit = loss_unit(which % 2 ? SNEPPP_ACT_COS : SNEPPP_ACT_SIN, 0, 0);
   if (which == 4) c->desc.factor[0].unit.act = SNEPPP_ACT_COS;
   sneppp_rng_init(&rng, 5, 0);
   c->events.x = c->x, c->events.count = active_N, c->events.weight = c->weight;
   for (size_t i = 0; i < active_N; i++) {
      loss_point(&c->desc.factor[0].window, &rng, c->x + (size_t)dim[which] * i);
      c->weight[i] = (sneppp_real)(0.5 + (double)(i % 3));
   }
}

/* Waves that are long against the window. */
static void waves_long(sneppp_model *m, double rate)
{
   sneppp_rng rng;
   sneppp_rng_init(&rng, 6, 0);
   for (int i = 0; i < m->n * m->layer[0].d; i++) m->layer[0].W[i] = (sneppp_real)(rate * sneppp_rng_normal(&rng));
}

static int waves_agree(const sneppp_model *m, active_case *c)
{
   static active_grad got, none, want;
   sneppp_error err;
   sneppp_grad  g = active_slots(&none);
   size_t       n = (size_t)m->n, count = c->events.count;
   c->events.count = 0, c->events.weight = NULL;
   if (sneppp_nll(m, &c->events, 1, &none.value, NULL, &g, NULL, &err) != SNEPPP_OK) return 0;
   c->events.count = count, c->events.weight = c->weight;
   g = active_slots(&got);
   if (sneppp_nll(m, &c->events, 1, &got.value, NULL, &g, NULL, &err) != SNEPPP_OK) return 0;
   got.value -= sneppp__log_factorials(&c->events, 1);
   active_reference(m, c, &want);
   for (size_t i = 0; i < count; i++) want.value -= (double)c->weight[i] * sneppp__base_log_density(m, c->x + (size_t)m->D * i);
   return active_same("value", 1, &got.value, &none.value, &want.value) && active_same("alpha", 1, &got.alpha, &none.alpha, &want.alpha) &&
          active_same("floor", 1, &got.floor, &none.floor, &want.floor) && active_same("V", n * n, got.V, none.V, want.V) &&
          active_same("W", n * (size_t)m->layer[0].d, got.W[0], none.W[0], want.W[0]) && active_same("b", n, got.b[0], none.b[0], want.b[0]);
}

TEST loss_waves_sums(void)
{
   static const double rate[] = {4, 0.3, 4, 0.15, 0.001};
   static active_case  c;
   for (int which = 0; which < 5; which++)
      for (int variant = 0; variant < 3; variant++) { /* long waves; one coordinate of all events the same; the default ones */
         sneppp_model m;
         sneppp_error err;
         size_t       d;
         waves_make(&c, which);
         ASSERT_EQm(err.why, SNEPPP_OK, sneppp_init(&m, &c.desc, &err));
         d = (size_t)m.D, m.alpha = 3, m.floor = 0.5;
         if (variant < 2) waves_long(&m, rate[which]);
         for (size_t i = 1; variant == 1 && which != 4 && i < active_N; i++) c.x[d * i + d - 1] = c.x[d - 1];
         if (variant == 1 && which == 3) { sneppp_free(&m); continue; } /* a line need not stay in the polygon */
         ASSERT(waves_agree(&m, &c));
         sneppp_free(&m);
      }
   PASS();
}

/* Where the intensity vanishes. */
TEST loss_waves_zero(void)
{
   static active_case c;
   sneppp_model       m;
   sneppp_error       err;
   sneppp_real        psi[active_n];
   double             square = 0;
   waves_make(&c, 0);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &c.desc, &err));
   m.alpha = 3, m.floor = 1e-3;
   waves_long(&m, 4);
   ASSERT_EQ(SNEPPP_OK, sneppp_features(&m, c.x, psi, &err));
   for (int i = 0; i < active_n; i++) square += (double)psi[i] * (double)psi[i];
   for (int r = 0; r < m.readout[0].m; r++) { /* V psi = 0 at the first event */
      sneppp_real *V = m.readout[0].V + r * active_n;
      double       y = 0;
      for (int i = 0; i < active_n; i++) y += (double)V[i] * (double)psi[i];
      for (int i = 0; i < active_n; i++) V[i] = (sneppp_real)((double)V[i] - y / square * (double)psi[i]);
   }
   ASSERT(waves_agree(&m, &c));
   sneppp_free(&m);
   PASS();
}

/* Any number of threads, units by a list or not: the same sums. The measure's gradients too. */
TEST loss_waves_threads(void)
{
   enum { count = active_n * active_n };
   static active_case  c;
   static active_grad  got[4];
   static double       measure[4][10], zero[count];
   sneppp_model        m;
   sneppp_error        err;
   waves_make(&c, 1);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &c.desc, &err));
   m.alpha = 3, m.floor = 0.5;
   waves_long(&m, 0.3);
   for (int k = 0; k < 4; k++) {
      static const int threads[] = {1, 2, 7, 1};
      static sneppp_unit units[active_n];
      sneppp_pool    *pool = sneppp_pool_make(threads[k], NULL);
      sneppp_parallel par = sneppp_pool_parallel(pool);
      sneppp_grad     g = active_slots(&got[k]);
      g.weight[0] = measure[k], g.mean[0] = measure[k] + 2, g.scale[0] = measure[k] + 6;
      for (int i = 0; i < active_n; i++) units[i] = c.desc.factor[0].unit;
      m.layer[0].units = k == 3 ? units : NULL;
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &c.events, 1, &got[k].value, NULL, &g, &par, &err));
      if (k < 3) ASSERT_EQ(0, memcmp(&got[k], &got[0], sizeof got[0]) || memcmp(measure[k], measure[0], sizeof measure[0]));
      sneppp_pool_free(pool);
   }
   m.layer[0].units = NULL;
   ASSERT(active_same("value", 1, &got[0].value, zero, &got[3].value));
   ASSERT(active_same("measure", 10, measure[0], zero, measure[3]));
   ASSERT(active_same("V", count, got[0].V, zero, got[3].V));
   ASSERT(active_same("W", active_n, got[0].W[0], zero, got[3].W[0]));
   ASSERT(active_same("b", active_n, got[0].b[0], zero, got[3].b[0]));
   sneppp_free(&m);
   PASS();
}

/* Where lambda is 0, or so small that w / lambda cannot be had in the features' precision, the likelihood is a number
   and so are all its gradients, for every readout and with sums through M and through V; and a trainer moves on. */
TEST loss_zero_intensity(void)
{
   static double buf[40000];
   for (int kind = 0; kind < 9; kind++)
      for (int tiny = 0; tiny < 4; tiny++) {
         static const double size[4] = {0, 1e-18, 1e-21, 1e-160};
         static sneppp_real  xy[2 * 1200];
         sneppp_desc         d = fit_desc_box(kind == 4 ? 40 : 6);
         sneppp_events       e;
         sneppp_fit_desc     f;
         sneppp_model        m;
         sneppp_trainer      t;
         sneppp_error        err;
         sneppp_grad         g;
         sneppp_rng          rng;
         double             *at = buf, nll = sneppp__nan(), value = sneppp__nan(), given = sneppp__nan(), floor = 0, alpha = 0;
         memset(&g, 0, sizeof g);
         memset(buf, 0, sizeof buf);
         memset(&e, 0, sizeof e);
         e.x = xy, e.count = kind == 4 ? 1200 : 50;
         sneppp_rng_init(&rng, 3, 0);
         for (size_t i = 0; i < e.count; i++)
            xy[2 * i] = (sneppp_real)(10 * sneppp_rng_uniform(&rng)), xy[2 * i + 1] = (sneppp_real)(5 * sneppp_rng_uniform(&rng));
         d.factor[0].unit.act = kind == 2 ? SNEPPP_ACT_RBF : kind == 3 ? SNEPPP_ACT_RELU : SNEPPP_ACT_COS;
         if (kind == 1) d.rank = 2;
         if (kind == 2 || kind == 7) d.readout = SNEPPP_READOUT_DIAGONAL;
         if (kind == 5 || kind == 6 || kind == 8) {
            memset(d.factor, 0, sizeof d.factor);
            d.factor[0].window.dim = d.factor[1].window.dim = 1;
            d.factor[0].window.hi[0] = 10, d.factor[1].window.hi[0] = 5;
            d.factor[0].unit.act = d.factor[1].unit.act = SNEPPP_ACT_COS;
            d.mix = kind == 5 ? SNEPPP_MIX_SEPARABLE : kind == 6 ? SNEPPP_MIX_ADDITIVE : SNEPPP_MIX_PRODUCT;
         }
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
         m.alpha = 1e9;
         for (int k = 0; k < m.readouts; k++) {
            size_t n = (size_t)m.readout[k].m * (size_t)m.readout[k].n;
            for (size_t i = 0; i < n; i++) m.readout[k].V[i] = (sneppp_real)(size[tiny] * (double)m.readout[k].V[i]);
            g.V[k] = at, at += n;
         }
         for (int h = 0; h < m.factors; h++) {
            size_t n = (size_t)m.layer[h].n, s = (size_t)m.layer[h].d;
            g.W[h] = at, at += n * s;
            g.b[h] = at, at += n;
            if (m.layer[h].width) g.width[h] = at, at += n * s;
         }
         g.floor = &floor, g.alpha = &alpha;
         ASSERT((size_t)(at - buf) <= sizeof buf / sizeof buf[0]);
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, &g, NULL, &err), "%d");
         ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &value, &given, NULL, NULL, &err));
         ASSERT(sneppp__finite(nll) && sneppp__finite(value) && sneppp__finite(given));
         if (tiny < 2) ASSERT_IN_RANGE(value, nll, 1e-3 * fabs(value)); /* V'V of the others is denormal */
         for (double *p = buf; p < at; p++) ASSERT(sneppp__finite(*p));
         ASSERT(sneppp__finite(floor) && sneppp__finite(alpha));
         if (!tiny) for (double *p = buf; p < at; p++) ASSERT_EQ(0, *p); /* "impossible" does not move */
         f = fit_adam(&e, 3);
         f.floor = 0.1;
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_init(&t, &m, &f, &err), "%d");
         for (int k = 0; k < 3; k++) ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_step(&t, &err), "%d");
         for (size_t i = 0; i < t.parameters; i++) ASSERT(sneppp__finite(t.theta[i]));
         sneppp_trainer_free(&t);
         sneppp_free(&m);
      }
   PASS();
}

/* An event that lies so far from all units that its intensity is below every float, but none of its features is: the
   likelihood is that of log_intensity, with a gradient or without. */
TEST loss_far_events(void)
{
   for (int rank = 0; rank < 4; rank++) {
      sneppp_desc   d;
      sneppp_events e;
      sneppp_model  m;
      sneppp_error  err;
      sneppp_grad   g;
      sneppp_real   x[4] = {0, (sneppp_real)0.3, (sneppp_real)-2.3, (sneppp_real)2.35};
      double        want = 0, nll[2] = {0, 0}, alpha = 0, lowest = 0;
      memset(&d, 0, sizeof d);
      memset(&e, 0, sizeof e);
      memset(&g, 0, sizeof g);
      d.factor[0].window.space = SNEPPP_SPACE_EUCLID, d.factor[0].window.dim = 1;
      d.factor[0].unit.act = SNEPPP_ACT_RBF;
      d.width = 12, d.rank = rank;
      if (rank == 3) d.readout = SNEPPP_READOUT_DIAGONAL, d.rank = 0;
      e.x = x, e.count = 4;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &want, NULL, &err));
      want += lgamma(5.0);
      for (int i = 0; i < 4; i++) {
         double l = sneppp_log_intensity(&m, x + i);
         want -= l;
         if (l < lowest) lowest = l;
      }
      ASSERT(lowest < -104 && lowest > -170);
      g.alpha = &alpha;
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll[0], NULL, NULL, NULL, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll[1], NULL, &g, NULL, &err));
      ASSERT_IN_RANGE(want, nll[0], sizeof(sneppp_real) == 4 ? 0.01 : 1e-9);
      ASSERT_IN_RANGE(want, nll[1], sizeof(sneppp_real) == 4 ? 0.01 : 1e-9);
      sneppp_free(&m);
   }
   PASS();
}

/* Of a window that has no weights, means and scales, their gradients are left alone. */
TEST loss_gradients_that_do_not_exist(void)
{
   static loss_case c;
   const sneppp_space space = SNEPPP_SPACE_BOX;
   const int          dim = 2;
   const sneppp_unit  unit = loss_unit(SNEPPP_ACT_COS, 0, 0);
   sneppp_model       m;
   sneppp_grad        g;
   sneppp_error       err;
   double             nll, weight[4] = {7, 7, 7, 7}, mean[4] = {7, 7, 7, 7}, scale[4] = {7, 7, 7, 7}, W[10];
   loss_make(&c, "box", SNEPPP_MIX_PRODUCT, SNEPPP_READOUT_FULL, 0, 1, &space, &dim, &unit);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &c.desc, &err));
   memset(&g, 0, sizeof g);
   g.W[0] = W, g.weight[0] = weight, g.mean[0] = mean, g.scale[0] = scale;
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &c.events, 1, &nll, NULL, &g, NULL, &err));
   for (int k = 0; k < 4; k++) ASSERT(weight[k] == 7 && mean[k] == 7 && scale[k] == 7);
   sneppp_free(&m);
   PASS();
}

/* A normal window that is left at its defaults is that of one part of weight 1 at 0 with scale 1: the same likelihood, and the
   same derivatives by all of them. */
TEST loss_default_normal(void)
{
   static const double weight[1] = {1}, mean[2] = {0, 0}, scale[2] = {1, 1};
   static sneppp_real  x[2 * 60];
   sneppp_rng          rng;
   double              nll[2], grad[2][5] = {{0}};
   sneppp_rng_init(&rng, 12, 0);
   for (int i = 0; i < 120; i++) x[i] = (sneppp_real)(0.3 + 0.8 * sneppp_rng_normal(&rng));
   for (int k = 0; k < 2; k++) {
      sneppp_desc   d;
      sneppp_events e;
      sneppp_model  m;
      sneppp_grad   g;
      sneppp_error  err;
      memset(&d, 0, sizeof d), memset(&e, 0, sizeof e), memset(&g, 0, sizeof g);
      d.width = 5, d.seed = 4;
      d.factor[0].window.space = SNEPPP_SPACE_GAUSS, d.factor[0].window.dim = 2, d.factor[0].unit.act = SNEPPP_ACT_COS;
      if (k) d.factor[0].window.count = 1, d.factor[0].window.weight = weight, d.factor[0].window.mean = mean, d.factor[0].window.scale = scale;
      e.x = x, e.count = 60;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      m.floor = 0.5, m.alpha = 3;
      g.weight[0] = grad[k], g.mean[0] = grad[k] + 1, g.scale[0] = grad[k] + 3;
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll[k], NULL, &g, NULL, &err));
      sneppp_free(&m);
   }
   ASSERT_EQ(nll[1], nll[0]);
   for (int i = 0; i < 5; i++) {
      ASSERT(fabs(grad[1][i]) > 1e-3);
      ASSERT_EQ(grad[1][i], grad[0][i]);
   }
   PASS();
}

/* Derivatives by the weights of a mixture that multiplies other factors: through K, the mass and the floor. */
TEST loss_weights_of_a_mixture_among_factors(void)
{
   static loss_case        c;
   static const sneppp_mix mix[4] = {SNEPPP_MIX_PRODUCT, SNEPPP_MIX_OUTER, SNEPPP_MIX_ADDITIVE, SNEPPP_MIX_SUM};
   const sneppp_space      space[2] = {SNEPPP_SPACE_GAUSS, SNEPPP_SPACE_BOX};
   const int               dim[2] = {2, 1};
   sneppp_unit             unit[2];
   unit[0] = unit[1] = loss_unit(SNEPPP_ACT_COS, 0, 0);
   for (int k = 0; k < 4; k++)
      for (int diagonal = 0; diagonal < (k < 2 ? 2 : 1); diagonal++) {
         sneppp_model m;
         sneppp_grad  g;
         sneppp_error err;
         double       nll, weight[2] = {0, 0};
         loss_make(&c, "mixture and box", mix[k], diagonal ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL, 0, 2, space, dim, unit);
         ASSERT_EQm(err.why, SNEPPP_OK, sneppp_init(&m, &c.desc, &err));
         m.floor = 0.7, m.alpha = 3;
         memset(&g, 0, sizeof g);
         g.weight[0] = weight;
         ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &c.events, 1, &nll, NULL, &g, NULL, &err));
         for (int i = 0; i < 2; i++) {
            double *w = (double *)(size_t)&m.layer[0].inside.weight[i], was = *w, h = 1e-4, above, below;
            *w = was + h;
            ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &c.events, 1, &above, NULL, NULL, NULL, &err));
            *w = was - h;
            ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &c.events, 1, &below, NULL, NULL, NULL, &err));
            *w = was;
            ASSERT_IN_RANGE((above - below) / (2 * h), weight[i], (sizeof(sneppp_real) == 4 ? 2e-2 : 1e-5) * (1 + fabs(weight[i])));
         }
         sneppp_free(&m);
      }
   PASS();
}

/* Realisations that watched the same share one K, in time and in memory: the likelihood and its gradient are still the
   sums over the realisations one by one, whatever stands between them. */
typedef struct shared_grad { double value, expected, V[4][32], W[2][32], b[2][32], weight[2], floor, alpha; } shared_grad;

static sneppp_status shared_nll(const sneppp_model *m, const sneppp_events *e, size_t realisations, shared_grad *out)
{
   sneppp_grad  g;
   sneppp_error err;
   memset(out, 0, sizeof *out), memset(&g, 0, sizeof g);
   for (int k = 0; k < m->readouts; k++) g.V[k] = out->V[k];
   for (int f = 0; f < m->factors; f++) g.W[f] = out->W[f], g.b[f] = out->b[f];
   g.floor = &out->floor, g.alpha = &out->alpha;
   if (m->desc.factor[0].window.space == SNEPPP_SPACE_GAUSS) g.weight[0] = out->weight;
   return sneppp__nll(m, e, realisations, NULL, &out->value, &out->expected, &g, NULL, &err);
}

TEST loss_realisations_share_what_they_watched(void)
{
   enum { parts = 7, numbers = sizeof(shared_grad) / sizeof(double) };
   static const sneppp_mix mix[5] = {SNEPPP_MIX_PRODUCT, SNEPPP_MIX_PRODUCT, SNEPPP_MIX_SUM, SNEPPP_MIX_ADDITIVE, SNEPPP_MIX_SEPARABLE};
   static loss_case        c;
   const sneppp_space      space[2] = {SNEPPP_SPACE_GAUSS, SNEPPP_SPACE_BOX};
   const int               dim[2] = {2, 1};
   const double            counts[2] = {3, 1};
   sneppp_unit             unit[2];
   unit[0] = unit[1] = loss_unit(SNEPPP_ACT_COS, 0, 0);
   for (int k = 0; k < 5; k++)
      for (int diagonal = 0; diagonal < 2; diagonal++) {
         sneppp_model  m;
         sneppp_events e[parts];
         sneppp_window half[2];
         sneppp_region seen, table[2];
         sneppp_error  err;
         shared_grad   got, one;
         double        want[numbers] = {0}, largest = 0;
         int           factors = k ? 2 : 1, f = factors - 1;
         loss_make(&c, "realisations", mix[k], diagonal ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL, 0, factors, space + 1 - f, dim + 1 - f, unit);
         c.desc.width = 4;
         ASSERT_EQm(err.why, SNEPPP_OK, sneppp_init(&m, &c.desc, &err));
         m.floor = 0.7, m.alpha = 3;
         memset(e, 0, sizeof e), memset(&seen, 0, sizeof seen), memset(table, 0, sizeof table);
         half[0] = half[1] = c.desc.factor[f].window;
         half[0].hi[0] = half[1].lo[0] = 0.5 * (half[0].lo[0] + half[0].hi[0]);
         seen.factor[f] = &half[0], table[0].factor[f] = &half[0], table[1].factor[f] = &half[1];
         for (int r = 0; r < parts; r++) e[r].x = c.x + (size_t)(r * m.D), e[r].count = (size_t)r;
         e[2].seen = e[3].seen = e[5].seen = &seen; /* all, all, a part twice, a table, the part again, all */
         for (int r = 2; r < 6; r++) e[r].count = 0;
         e[4].x = NULL, e[4].region = table, e[4].regions = 2, e[4].counts = counts;
         ASSERT_EQ(SNEPPP_OK, shared_nll(&m, e, parts, &got));
         for (int r = 0; r < parts; r++) {
            ASSERT_EQ(SNEPPP_OK, shared_nll(&m, &e[r], 1, &one));
            for (size_t i = 0; i < numbers; i++) want[i] += ((const double *)&one)[i];
         }
         for (size_t i = 0; i < numbers; i++) largest = fmax(largest, fabs(want[i]));
         for (size_t i = 0; i < numbers; i++)
            ASSERT_IN_RANGE(want[i], ((const double *)&got)[i], (sizeof(sneppp_real) == 4 ? 2e-5 : 1e-12) * largest);
         sneppp_free(&m);
      }
   { /* the memory of a hundred realisations is that of one with as many events */
      test_alloc   alloc = {0, 0, 0, 0};
      sneppp_model m;
      static sneppp_events e[100];
      sneppp_error err;
      size_t       bytes[2];
      double       value;
      loss_make(&c, "realisations", SNEPPP_MIX_PRODUCT, SNEPPP_READOUT_FULL, 0, 1, space + 1, dim + 1, unit);
      c.desc.width = 40, c.desc.alloc_ctx = &alloc;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &c.desc, &err));
      for (int k = 0; k < 2; k++) {
         e[0].x = c.x, e[0].count = 20, alloc.bytes = 0;
         ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, e, k ? 100 : 1, &value, NULL, NULL, NULL, &err));
         bytes[k] = alloc.bytes;
      }
      ASSERT_EQ_FMT((unsigned long)bytes[0], (unsigned long)bytes[1], "%lu");
      sneppp_free(&m);
   }
   PASS();
}

/* A part so small that no width is left of it where the window is centred has no integrals, in the gradient as in the value:
   a realisation that watched it for nothing changes neither. */
TEST loss_part_without_width(void)
{
   static loss_case   c;
   const sneppp_space space = SNEPPP_SPACE_BOX;
   const int          dim = 1;
   const sneppp_unit  unit = loss_unit(SNEPPP_ACT_RBF, 0, 0);
   for (int diagonal = 0; diagonal < 2; diagonal++) {
      sneppp_model  m;
      sneppp_events e[2];
      sneppp_window dot;
      sneppp_region seen;
      sneppp_error  err;
      shared_grad   with, none;
      loss_make(&c, "dot", SNEPPP_MIX_PRODUCT, diagonal ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL, 0, 1, &space, &dim, &unit);
      c.desc.factor[0].window.lo[0] = 0, c.desc.factor[0].window.hi[0] = 1000;
      ASSERT_EQm(err.why, SNEPPP_OK, sneppp_init(&m, &c.desc, &err));
      memset(e, 0, sizeof e), memset(&seen, 0, sizeof seen), memset(&dot, 0, sizeof dot);
      dot.dim = 1, dot.lo[0] = 1e-20, dot.hi[0] = 2e-20, seen.factor[0] = &dot;
      e[0] = c.events, e[1].seen = &seen;
      ASSERT_EQ(SNEPPP_OK, shared_nll(&m, e, 1, &none));
      ASSERT_EQ(SNEPPP_OK, shared_nll(&m, e, 2, &with));
      ASSERT_IN_RANGE(none.value, with.value, 1e-12 * fabs(none.value));
      for (int i = 0; i < 5; i++) ASSERT_IN_RANGE(none.W[0][i], with.W[0][i], 1e-12 * fabs(none.W[0][i]));
      sneppp_free(&m);
   }
   PASS();
}

SUITE(loss)
{
   RUN_TEST(loss_realisations_share_what_they_watched);
   RUN_TEST(loss_weights_of_a_mixture_among_factors);
   RUN_TEST(loss_gradients_that_do_not_exist);
   RUN_TEST(loss_default_normal);
   RUN_TEST(loss_zero_intensity);
   RUN_TEST(loss_far_events);
   RUN_TEST(loss_definition);
   RUN_TEST(loss_gradient_of_most_factors);
   RUN_TEST(loss_gradient_spaces);
   RUN_TEST(loss_gradient_mixes);
   RUN_TEST(loss_active_sums);
   RUN_TEST(loss_active_order);
   RUN_TEST(loss_active_differences);
   RUN_TEST(loss_active_blocks);
   RUN_TEST(loss_active_training);
   RUN_TEST(loss_waves_sums);
   RUN_TEST(loss_waves_zero);
   RUN_TEST(loss_waves_threads);
   RUN_TEST(loss_part_without_width);
}
