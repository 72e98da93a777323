/* Likelihoods: every gradient against central differences of the likelihood itself, for spaces, activations,
   mixing rules and readouts; and the value against its definition, event by event. */
#include "cases.h"

static double loss_value(const sneppp_model *m, const loss_case *c)
{
   double       nll = 0;
   sneppp_error err;
   if (sneppp_nll(m, &c->events, 1, &nll, NULL, NULL, &err) != SNEPPP_OK) fprintf(stderr, "%s: %s\n", c->name, err.why);
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
      if (m.layer[f].inside.space == SNEPPP_GAUSS) { g.weight[f] = at; at += K; g.mean[f] = at; at += K * d; g.scale[f] = at; at += K * d; }
   }
   g.floor = &floor;
   g.alpha = &alpha;
   if (sneppp_nll(&m, &c->events, 1, &nll, &g, NULL, &err) != SNEPPP_OK) { fprintf(stderr, "%s: %s\n", c->name, err.why); sneppp_free(&m); return 0; }
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
      for (size_t i = 0; L->inside.space == SNEPPP_GAUSS && i < L->inside.count * d; i++) {
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
      {SNEPPP_BOX, 2, SNEPPP_COS, 0, 0},   {SNEPPP_BOX, 3, SNEPPP_SIN, 0, 0},      {SNEPPP_BOX, 1, SNEPPP_EXP, 0, 0},
      {SNEPPP_BOX, 2, SNEPPP_RBF, 0, 0},   {SNEPPP_BOX, 2, SNEPPP_RELU, 0, 0},     {SNEPPP_BOX, 2, SNEPPP_MONOMIAL, 2, 0},
      {SNEPPP_GAUSS, 2, SNEPPP_COS, 0, 0}, {SNEPPP_GAUSS, 2, SNEPPP_SNAKE, 1, 0},  {SNEPPP_GAUSS, 1, SNEPPP_RELU, 0, 0},
      {SNEPPP_GAUSS, 2, SNEPPP_GELU, 0, 0},{SNEPPP_GAUSS, 2, SNEPPP_ERF, 0, 0},    {SNEPPP_GAUSS, 2, SNEPPP_BELL, 0.5, 0},
      {SNEPPP_GAUSS, 2, SNEPPP_RBF, 0, 0}, {SNEPPP_GAUSS, 2, SNEPPP_EXP, 0, 0},    {SNEPPP_SPHERE, 3, SNEPPP_RELU, 0, 0},
      {SNEPPP_SPHERE, 3, SNEPPP_EXP, 0, 0},{SNEPPP_SPHERE, 2, SNEPPP_RELU, 0, 0},  {SNEPPP_SPHERE, 4, SNEPPP_COS, 0, 0},
      {SNEPPP_INTERVALS, 1, SNEPPP_RELU, 0, 0}, {SNEPPP_INTERVALS, 1, SNEPPP_COS, 0, 0}, {SNEPPP_POLYGON, 2, SNEPPP_COS, 0, 0},
      {SNEPPP_POLYGON, 2, SNEPPP_RELU, 0, 0}, {SNEPPP_BALL, 2, SNEPPP_COS, 0, 0},  {SNEPPP_BALL, 3, SNEPPP_EXP, 0, 0},
      {SNEPPP_GAMMA, 1, SNEPPP_EXP, 0, 0}
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
   static const sneppp_space space[3] = {SNEPPP_SPHERE, SNEPPP_INTERVALS, SNEPPP_BOX};
   static const int          dim[3] = {3, 1, 1};
   sneppp_unit               unit[3];
   int                       ok = 1;
   unit[0] = loss_unit(SNEPPP_RELU, 0, 0);
   unit[1] = loss_unit(SNEPPP_RELU, 0, 0);
   unit[2] = loss_unit(SNEPPP_COS, 0, 0);
   for (int mix = 0; mix < SNEPPP_MIX_END; mix++) {
      for (int variant = 0; variant < 6; variant++) {
         static loss_case c;
         if (mix == SNEPPP_MIX_JOINT) continue;
         loss_make(&c, "mix", (sneppp_mix)mix, variant % 2 ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL, variant == 2 ? 1 : 0, variant < 4 ? 2 : 3, space, dim, unit);
         if (!loss_check_gradient(&c)) { fprintf(stderr, "mix %d variant %d\n", mix, variant); ok = 0; }
      }
   }
   ASSERT(ok);
   PASS();
}

/* A partly watched window, weights, and the definition of the likelihood. */
TEST loss_definition(void)
{
   static const sneppp_space space[2] = {SNEPPP_SPHERE, SNEPPP_INTERVALS};
   static const int          dim[2] = {3, 1};
   static loss_case          c;
   sneppp_unit               unit[2];
   sneppp_model              m;
   sneppp_error              err;
   double                    nll, want = 0, count, W = 0;
   unit[0] = loss_unit(SNEPPP_RELU, 0, 0);
   unit[1] = loss_unit(SNEPPP_RELU, 0, 0);
   loss_make(&c, "seen", SNEPPP_MIX_PRODUCT, SNEPPP_READOUT_FULL, 0, 2, space, dim, unit);
   loss_window(&c.seen_part, SNEPPP_INTERVALS, 1);
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
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &c.events, 1, &nll, NULL, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &c.seen, &count, &err));
   for (size_t i = 0; i < c.events.count; i++) {
      want -= (double)c.weight[i] * sneppp_log_intensity(&m, c.x + 4 * i);
      W += (double)c.weight[i];
   }
   want += count + sneppp__lgamma(W + 1);
   ASSERT_IN_RANGE(want, nll, (sizeof(sneppp_real) == 4 ? 1e-5 : 1e-12) * fabs(want));
   ASSERT(loss_check_gradient(&c));
   c.x[4 * 7 + 3] = 52; /* in the window, but not in what was seen */
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_nll(&m, &c.events, 1, &nll, NULL, NULL, &err));
   ASSERT_EQ((size_t)7, err.event);
   c.x[4 * 7 + 3] = (sneppp_real)sneppp__nan();
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_nll(&m, &c.events, 1, &nll, NULL, NULL, &err));
   ASSERT_EQ((size_t)7, err.event);
   sneppp_free(&m);
   PASS();
}

SUITE(loss)
{
   RUN_TEST(loss_definition);
   RUN_TEST(loss_gradient_spaces);
   RUN_TEST(loss_gradient_mixes);
}
