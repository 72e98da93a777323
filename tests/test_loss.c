/* Likelihoods: every gradient against central differences of the likelihood itself, for spaces, activations,
   mixing rules and readouts; and the value against its definition, event by event. */
typedef struct loss_case {
   const char    *name;
   sneppp_desc    desc;
   sneppp_events  events;
   sneppp_region  seen;
   sneppp_window  seen_part;
   sneppp_real    x[4 * 64], weight[64];
} loss_case;

static const double loss_mean[4] = {0.2, -0.3, -0.5, 0.4}, loss_scale[4] = {0.8, 1.1, 0.9, 0.7}, loss_weight[2] = {0.6, 0.4};
static const double loss_ends[4] = {0, 50, 55, 100}, loss_all[2] = {0, 100};
static const double loss_xy[10] = {100, 200, 104, 200, 105, 203, 102, 205, 99, 203};

static void loss_window(sneppp_window *w, sneppp_space space, int dim)
{
   memset(w, 0, sizeof *w);
   w->space = space;
   w->dim = dim;
   for (int r = 0; r < dim; r++) { w->lo[r] = 10 + r; w->hi[r] = 13 + 2 * r; w->centre[r] = 3 * r; }
   w->radius = 2;
   w->param[0] = 2;
   w->param[1] = 3;
   if (space == SNEPPP_GAUSS) { w->count = 2; w->mean = loss_mean; w->scale = loss_scale; w->weight = loss_weight; }
   if (space == SNEPPP_INTERVALS) { w->count = 1; w->ends = loss_all; }
   if (space == SNEPPP_POLYGON) { w->count = 5; w->xy = loss_xy; }
}

/* A point inside the window, by rejection from something that covers it. */
static void loss_point(const sneppp_window *w, sneppp_rng *rng, sneppp_real *x)
{
   double y[SNEPPP_MAX_DIM];
   do {
      for (int r = 0; r < w->dim; r++) {
         double u = sneppp_rng_uniform(rng);
         y[r] = w->space == SNEPPP_BOX ? w->lo[r] + u * (w->hi[r] - w->lo[r])
              : w->space == SNEPPP_INTERVALS ? 100 * u
              : w->space == SNEPPP_POLYGON ? (r ? 200 + 5 * u : 99 + 6 * u)
              : w->space == SNEPPP_BALL ? w->centre[r] + 2 * w->radius * (u - 0.5)
              : w->space == SNEPPP_GAMMA ? 0.1 + 3 * u
              : sneppp_rng_normal(rng);
      }
      if (w->space == SNEPPP_SPHERE) sneppp_rng_sphere(rng, w->dim, y);
      for (int r = 0; r < w->dim; r++) { x[r] = (sneppp_real)y[r]; y[r] = (double)x[r]; }
   } while (!sneppp_window_contains(w, y));
}

static void loss_make(loss_case *c, const char *name, sneppp_mix mix, sneppp_readout readout, int rank, int factors, const sneppp_space *space, const int *dim, const sneppp_unit *unit)
{
   sneppp_rng rng;
   size_t     at = 0;
   memset(c, 0, sizeof *c);
   c->name = name;
   c->desc.mix = mix;
   c->desc.readout = readout;
   c->desc.rank = rank;
   c->desc.seed = 7;
   c->desc.width = 5;
   for (int f = 0; f < factors; f++) {
      loss_window(&c->desc.factor[f].window, space[f], dim[f]);
      c->desc.factor[f].unit = unit[f];
      if (mix == SNEPPP_MIX_OUTER) c->desc.factor[f].width = 2 + f;
      if (sneppp__mix_concatenates(mix)) c->desc.factor[f].width = 3 + f;
   }
   sneppp_rng_init(&rng, 3, 0);
   c->events.count = 40;
   c->events.x = c->x;
   for (size_t i = 0; i < c->events.count; i++)
      for (int f = 0; f < factors; f++) {
         loss_point(&c->desc.factor[f].window, &rng, c->x + at);
         at += (size_t)dim[f];
      }
}

static sneppp_unit loss_unit(sneppp_act act, double p, double q)
{
   sneppp_unit u;
   u.act = act;
   u.p = p;
   u.q = q;
   return u;
}

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
