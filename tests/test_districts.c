/* Counts by region: the likelihood by its definition, gradients against differences, certificates against one that is made
   here, and fits that tend to those from points when regions shrink. */
#include "cases.h"

#define DISTRICTS_MOST 400
typedef struct districts_grid { /* the box [0, 10] x [0, 5] in nx x ny boxes, with the counts of events in it */
   sneppp_window window[DISTRICTS_MOST];
   sneppp_region region[DISTRICTS_MOST];
   double        counts[DISTRICTS_MOST];
   sneppp_events events;
} districts_grid;

static void districts_make(districts_grid *g, int nx, int ny, const sneppp_events *e)
{
   memset(g, 0, sizeof *g);
   for (int i = 0; i < nx * ny; i++) {
      sneppp_window *w = &g->window[i];
      w->dim = 2;
      w->lo[0] = 10.0 * (i % nx) / nx, w->hi[0] = 10.0 * (i % nx + 1) / nx;
      w->lo[1] = 5.0 * (i / nx) / ny, w->hi[1] = 5.0 * (i / nx + 1) / ny;
      g->region[i].factor[0] = w;
   }
   for (size_t i = 0; e && i < e->count; i++) {
      int a = (int)((double)e->x[2 * i] / 10 * nx), b = (int)((double)e->x[2 * i + 1] / 5 * ny);
      g->counts[(b < ny ? b : ny - 1) * nx + (a < nx ? a : nx - 1)]++;
   }
   g->events.region = g->region, g->events.counts = g->counts, g->events.regions = (size_t)(nx * ny);
}

static sneppp_fit_desc districts_fit(sneppp_events *e, sneppp_method method, double tol)
{
   sneppp_fit_desc f;
   memset(&f, 0, sizeof f);
   f.events = e, f.method = method, f.tol = tol;
   return f;
}

/* ---- the likelihood is what its definition says: of a table, of cells beside points, of both as realisations */
TEST districts_definition(void)
{
   static districts_grid g, h;
   sneppp_events points = fit_events(60), e[2];
   sneppp_desc   d = fit_desc_box(7);
   sneppp_model  m;
   sneppp_window left;
   sneppp_region seen;
   double        nll, given, count[20], all, want, total = 0, most = sizeof(sneppp_real) == 4 ? 1e-5 : 1e-11, sum = 0, part;
   districts_make(&g, 5, 4, &points);
   g.counts[3] = 0, g.counts[4] = 2.5;
   g.region[7].factor[0] = &g.window[8];  /* a gap, and two that overlap */
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   m.floor = 0.3, m.alpha = 2;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, g.region, 20, count, NULL, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &g.events, 1, &nll, &given, NULL, NULL, NULL));
   want = 0, all = 0;
   for (int i = 0; i < 20; i++) {
      want += count[i] - g.counts[i] * log(count[i]) + lgamma(g.counts[i] + 1);
      all += count[i], total += g.counts[i], sum += g.counts[i] * log(count[i]);
   }
   ASSERT_IN_RANGE(want, nll, most * fabs(want));
   ASSERT_IN_RANGE(total * log(all) - sum, given, most * fabs(want)); /* the multinomial, given their sum */
   part = nll;
   /* held-out counts under another scale */
   ASSERT_EQ(SNEPPP_OK, sneppp_test_nll(&m, &g.events, 1, 0.25, &nll, NULL, NULL));
   want = (part - all + 0.25 * all - total * log(0.25)) / total;
   ASSERT_IN_RANGE(want, nll, most * fabs(want));
   /* cells and points in what was seen of the window */
   memset(&left, 0, sizeof left);
   memset(&seen, 0, sizeof seen);
   left.dim = 2, left.hi[0] = 6, left.hi[1] = 5, seen.factor[0] = &left;
   districts_make(&h, 5, 4, NULL);
   e[0] = points, e[0].seen = &seen, e[0].count = 0;
   for (size_t i = 0; i < points.count; i++) /* the left ones, in place */
      if (fit_xy[2 * i] <= 6) { fit_xy[2 * e[0].count] = fit_xy[2 * i], fit_xy[2 * e[0].count + 1] = fit_xy[2 * i + 1]; e[0].count++; }
   e[0].region = h.region + 1, e[0].regions = 2, e[0].cells = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &seen, 1, &all, NULL, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, h.region, 20, count, NULL, NULL));
   want = all - log(count[1]) - log(count[2]) + lgamma((double)e[0].count + 3);
   for (size_t i = 0; i < e[0].count; i++) want -= sneppp_log_intensity(&m, fit_xy + 2 * i);
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, e, 1, &nll, NULL, NULL, NULL, NULL));
   ASSERT_IN_RANGE(want, nll, most * fabs(want));
   /* realisations add up */
   e[1] = g.events;
   want += part;
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, e, 2, &nll, NULL, NULL, NULL, NULL));
   ASSERT_IN_RANGE(want, nll, most * fabs(want));
   sneppp_free(&m);
   PASS();
}

/* ---- gradients: along a random direction in all parameters, the difference of the likelihood is the sum of g times what
   was stored. */
typedef struct districts_list { sneppp_real *real[16]; double *wide[16], *grad[16], keep[4096]; size_t count[16], lists, used; } districts_list;

static void districts_add(districts_list *l, sneppp_real *real, double *wide, size_t count, double **grad)
{
   static double room[4096];
   if (!l->lists) memset(room, 0, sizeof room);
   *grad = l->grad[l->lists] = room + l->used;
   l->real[l->lists] = real, l->wide[l->lists] = wide, l->count[l->lists++] = count;
   l->used += count;
}

static int districts_gradient(sneppp_model *m, const sneppp_events *e, size_t realisations, const char *name)
{
   static districts_list l;
   sneppp_grad  g;
   sneppp_rng   rng;
   sneppp_error err;
   double       nll = 0, error = 1e300, size = 0, tol = sizeof(sneppp_real) == 4 ? 2e-2 : 1e-7;
   memset(&l, 0, sizeof l);
   memset(&g, 0, sizeof g);
   m->alpha = 3, m->floor = 0.5;
   for (int k = 0; k < m->readouts; k++) {
      size_t n = (size_t)m->readout[k].m * (size_t)m->readout[k].n;
      for (size_t i = 0; i < n; i++) m->readout[k].V[i] = (sneppp_real)(0.3 + (double)m->readout[k].V[i]);
      districts_add(&l, m->readout[k].V, NULL, n, &g.V[k]);
   }
   for (int f = 0; f < m->factors; f++) {
      sneppp_layer_state *L = &m->layer[f];
      size_t n = (size_t)L->n, d = (size_t)L->d;
      districts_add(&l, L->W, NULL, n * d, &g.W[f]);
      if (L->width) districts_add(&l, L->width, NULL, n * d, &g.width[f]);
      else districts_add(&l, L->b, NULL, n, &g.b[f]);
      if (L->inside.space == SNEPPP_SPACE_GAUSS) {
         districts_add(&l, NULL, (double *)(size_t)L->inside.weight, L->inside.count, &g.weight[f]);
         districts_add(&l, NULL, (double *)(size_t)L->inside.mean, L->inside.count * d, &g.mean[f]);
         districts_add(&l, NULL, (double *)(size_t)L->inside.scale, L->inside.count * d, &g.scale[f]);
      }
   }
   districts_add(&l, NULL, &m->floor, 1, &g.floor);
   districts_add(&l, NULL, &m->alpha, 1, &g.alpha);
   if (sneppp_nll(m, e, realisations, &nll, NULL, &g, NULL, &err) != SNEPPP_OK) { fprintf(stderr, "%s: %s\n", name, err.why); return 0; }
   for (size_t i = 0; i < l.used; i++) size += l.grad[0][i] * l.grad[0][i];
   for (size_t k = 0, at = 0; k < l.lists; k++)
      for (size_t i = 0; i < l.count[k]; i++) l.keep[at++] = l.real[k] ? (double)l.real[k][i] : l.wide[k][i];
   for (int step = 2; step <= 5; step++) {
      double value[2] = {0, 0}, along = 0;
      for (int side = 0; side < 2; side++) {
         sneppp_rng_init(&rng, 4, 0);
         for (size_t k = 0, at = 0; k < l.lists; k++)
            for (size_t i = 0; i < l.count[k]; i++, at++) {
               double v = l.keep[at] + (side ? 1 : -1) * pow(10, -step) * (sneppp_rng_uniform(&rng) - 0.5);
               if (l.real[k]) l.real[k][i] = (sneppp_real)v, v = (double)l.real[k][i];
               else l.wide[k][i] = v;
               along += (side ? 1 : -1) * v * l.grad[0][at];
            }
         if (sneppp_nll(m, e, realisations, &value[side], NULL, NULL, NULL, &err) != SNEPPP_OK) fprintf(stderr, "%s: %s\n", name, err.why);
      }
      error = fmin(error, fabs(value[1] - value[0] - along) / (sqrt(size) * pow(10, -step)));
   }
   if (error > tol) fprintf(stderr, "%s: the gradient is wrong by %g of its size\n", name, error);
   return error <= tol;
}

TEST districts_gradients(void)
{
   static const double ends[3][4] = { {0, 20, 30, 45}, {20, 30, 0, 0}, {40, 100, 0, 0} }, tri[6] = {100, 200.5, 104, 200.5, 102, 204};
   static const double counts[5] = {3, 0, 2.5, 7, 1};
   static const struct { sneppp_space space; int dim; sneppp_act act; double p; } row[] = {
      {SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_COS, 0}, {SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_RBF, 0}, {SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_RELU, 0}, {SNEPPP_SPACE_POLYGON, 2, SNEPPP_ACT_COS, 0},
      {SNEPPP_SPACE_INTERVALS, 1, SNEPPP_ACT_EXP, 0}, {SNEPPP_SPACE_BALL, 2, SNEPPP_ACT_COS, 0}, {SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_COS, 0}, {SNEPPP_SPACE_SPHERE, 3, SNEPPP_ACT_RELU, 0}
   };
   static loss_case c;
   sneppp_window    part[5];
   sneppp_region    region[5];
   sneppp_events    e[2];
   sneppp_model     m;
   int              ok = 1;
   memset(e, 0, sizeof e);
   for (size_t r = 0; r < sizeof row / sizeof *row; r++)
      for (int v = 0; v < 3; v++) {
         sneppp_unit u = loss_unit(row[r].act, row[r].p, 0);
         loss_make(&c, "space", SNEPPP_MIX_PRODUCT, v == 2 ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL, v == 1 ? 1 : 0, 1, &row[r].space, &row[r].dim, &u);
         memset(part, 0, sizeof part);
         memset(region, 0, sizeof region);
         for (int k = 0; k < 5; k++) { /* a region of its own kind, and overlapping boxes; NULL where there are none */
            loss_window(&part[k], row[r].space == SNEPPP_SPACE_INTERVALS || row[r].space == SNEPPP_SPACE_BALL ? row[r].space : SNEPPP_SPACE_BOX, row[r].dim);
            if (row[r].space == SNEPPP_SPACE_INTERVALS) part[k].ends = ends[k % 3], part[k].count = k % 3 ? 1 : 2;
            else if (row[r].space == SNEPPP_SPACE_BALL) part[k].radius = 0.2 + 0.3 * k;
            else if (row[r].space == SNEPPP_SPACE_POLYGON && k % 2) part[k].space = SNEPPP_SPACE_POLYGON, part[k].count = 3, part[k].xy = tri;
            else for (int q = 0; q < 2; q++) {
               double lo = row[r].space == SNEPPP_SPACE_BOX ? c.desc.factor[0].window.lo[q] : q ? 200.5 : 101.5;
               part[k].lo[q] = lo + 0.2 * k, part[k].hi[q] = lo + 0.2 * k + 0.5;
            }
            if (row[r].space != SNEPPP_SPACE_GAUSS && row[r].space != SNEPPP_SPACE_SPHERE) region[k].factor[0] = &part[k];
         }
         if (sneppp_init(&m, &c.desc, NULL) != SNEPPP_OK) { ok = 0; continue; }
         e[0].region = region, e[0].regions = 5, e[0].counts = counts, e[0].cells = 0;
         ok &= districts_gradient(&m, e, 1, sneppp__space_name(row[r].space));
         e[1] = c.events, e[1].count = 12, e[1].region = region, e[1].regions = 4, e[1].cells = 1; /* a table beside points and cells */
         ok &= districts_gradient(&m, e, 2, "points and cells");
         ok &= districts_gradient(&m, &e[1], 1, "points and cells by themselves");
         memset(&e[1], 0, sizeof e[1]);
         sneppp_free(&m);
      }
   ASSERT(ok);
   PASS();
}

TEST districts_gradients_mixes(void)
{
   static const sneppp_space space[3] = {SNEPPP_SPACE_SPHERE, SNEPPP_SPACE_INTERVALS, SNEPPP_SPACE_BOX};
   static const int          dim[3] = {3, 1, 1};
   static const double       ends[3][2] = { {0, 20}, {20, 70}, {60, 100} }, counts[6] = {3, 0, 2.5, 7, 1, 4};
   static loss_case          c;
   sneppp_unit               unit[3];
   int                       ok = 1;
   unit[0] = unit[1] = loss_unit(SNEPPP_ACT_RELU, 0, 0), unit[2] = loss_unit(SNEPPP_ACT_COS, 0, 0);
   for (int mix = 0; mix < SNEPPP_MIX_END; mix++)
      for (int v = 0; v < 4; v++) {
         sneppp_window part[5];
         sneppp_region region[6];
         sneppp_events e;
         sneppp_model  m;
         memset(part, 0, sizeof part);
         memset(region, 0, sizeof region);
         memset(&e, 0, sizeof e);
         loss_make(&c, "mix", (sneppp_mix)mix, v % 2 ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL, v == 2 ? 1 : 0, v < 2 ? 2 : 3, space, dim, unit);
         for (int k = 0; k < 3; k++) part[k].space = SNEPPP_SPACE_INTERVALS, part[k].dim = 1, part[k].count = 1, part[k].ends = ends[k];
         for (int k = 3; k < 5; k++) part[k].dim = 1, part[k].lo[0] = 10 + k - 3, part[k].hi[0] = 12 + k - 3;
         for (int k = 0; k < 6; k++) { /* neighbours share a window, and one has all of it */
            region[k].factor[1] = k == 5 ? NULL : &part[k / 2];
            if (v >= 2) region[k].factor[2] = &part[3 + k % 2];
         }
         e.region = region, e.regions = 6, e.counts = counts;
         if (sneppp_init(&m, &c.desc, NULL) != SNEPPP_OK) { ok = 0; continue; }
         if (!districts_gradient(&m, &e, 1, "mix")) { fprintf(stderr, "mix %d variant %d\n", mix, v); ok = 0; }
         sneppp_free(&m);
      }
   ASSERT(ok);
   PASS();
}

/* ---- what cannot be is refused by number, and the model stays */
TEST districts_refusals(void)
{
   static districts_grid g;
   sneppp_events   points = fit_events(12), e;
   sneppp_desc     d = fit_desc_box(6);
   sneppp_model    m;
   sneppp_error    err;
   sneppp_window   half;
   sneppp_region   seen;
   sneppp_fit_desc f;
   sneppp_sure     sure;
   sneppp_real     out[1];
   double          nll;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   for (int k = 0; k < 15; k++) {
      static const sneppp_status want[15] = {SNEPPP_ERR_ARG, SNEPPP_ERR_DATA, SNEPPP_ERR_DATA, SNEPPP_ERR_DATA, SNEPPP_ERR_ARG, SNEPPP_ERR_ARG, SNEPPP_ERR_ARG,
                                             SNEPPP_ERR_ARG, SNEPPP_ERR_ARG, SNEPPP_ERR_ARG, SNEPPP_ERR_SIZE, SNEPPP_ERR_ARG, SNEPPP_ERR_ARG, SNEPPP_ERR_ARG, SNEPPP_ERR_DATA};
      static const char *const word[15] = {"region 4: region.factor[0] reaches outside", "counts[4] = nan", "counts[4] = inf", "counts[4] = -1", "there is no events.x", "no events.seen",
                                           "events.region is NULL", "events.regions is 0", "no events.read", "reaches outside the window", "can be told apart", "of which a part was seen",
                                           "region 4: region.factor[0]: window.dim = 0", "events.regions is 0", "region 4 has 1 events, but no mass"};
      sneppp_model before = m;
      districts_make(&g, 3, 3, &points);
      e = g.events;
      memset(&half, 0, sizeof half);
      memset(&seen, 0, sizeof seen);
      half.dim = 2, half.hi[0] = 5, half.hi[1] = 5, seen.factor[0] = &half;
      switch (k) {
         case 0: g.window[4].hi[0] = 11; break;
         case 1: g.counts[4] = sneppp__nan(); break;
         case 2: g.counts[4] = -sneppp__minus_infinity(); break;
         case 3: g.counts[4] = -1; break;
         case 4: e.x = fit_xy, e.count = 12; break;
         case 5: e.seen = &seen; break;
         case 6: e.region = NULL; break;
         case 7: e.regions = 0; break;
         case 8: e.read = (size_t (*)(sneppp_real *, size_t, size_t, void *))(size_t)1; break;
         case 9: e.cells = 1, e.seen = &seen; break; /* a cell that was not seen */
         case 10: g.counts[4] = 1e30; break;
         case 11: e.cells = 1, e.seen = &seen, e.regions = 1, g.region[0].factor[0] = NULL; break;
         case 12: g.window[4].dim = 0; break;
         case 13: e = points, e.cells = 1; break;
         default: g.counts[4] = 1, g.window[4].lo[0] = g.window[4].lo[1] = 0, g.window[4].hi[0] = g.window[4].hi[1] = 1e-200; break;
      }
      if (want[k] != sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &err) || !strstr(err.why, word[k])) FAILm(err.why);
      if (k < 4) ASSERT_EQ((size_t)4, err.event);
      for (int method = 0; method < SNEPPP_METHOD_END; method++) {
         f = districts_fit(&e, (sneppp_method)method, 0);
         if (want[k] != sneppp_fit(&m, &f, NULL, &err)) FAILm(err.why);
         ASSERT_MEM_EQ(&before, &m, sizeof m);
      }
   }
   districts_make(&g, 3, 3, &points); /* what a method cannot do with counts */
   f = districts_fit(&g.events, SNEPPP_METHOD_ADAM, 0);
   f.holdout = 0.2;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, NULL, &err));
   ASSERT(strstr(err.why, "fit.holdout"));
   f = districts_fit(&g.events, SNEPPP_METHOD_CONVEX, 0);
   f.tune = 1;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, NULL, &err));
   ASSERT(strstr(err.why, "fit.tune needs events in memory, not counts by region"));
   f = districts_fit(&g.events, SNEPPP_METHOD_ADAM, 0);
   memset(g.counts, 0, sizeof g.counts);
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_fit(&m, &f, NULL, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_intensities(&m, &g.events, out, NULL, &err));
   for (int method = 0; method <= SNEPPP_METHOD_PGD; method++) { /* nothing was counted: the intensity 0, and no intervals of it */
      f = districts_fit(&g.events, (sneppp_method)method, 0);
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &nll, NULL, &err));
      ASSERT_IN_RANGE(0, nll, 1e-12);
   }
   districts_make(&g, 3, 3, &points);
   for (int method = 0; method < SNEPPP_METHOD_END; method++) { /* intervals do not know where the events were */
      f = districts_fit(&g.events, (sneppp_method)method, 0);
      f.steps = method ? 5 : 0;
      sneppp_free(&m);
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err));
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_count_sure(&m, NULL, 1, 0.9, &sure, NULL, &err));
      ASSERT(strstr(err.why, "counts by region"));
   }
   sneppp_free(&m);
   PASS();
}

/* A finite window: a region is a set of weights, and one without any mass cannot have events. */
TEST districts_finite(void)
{
   static const double point[8] = {0, 0.3, 0.7, 1, 1.5, 2, 2.2, 3}, weight[3][8] = { {1, 1, 1, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 1, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0} };
   sneppp_desc     d;
   sneppp_window   part[3];
   sneppp_region   region[3];
   sneppp_events   e;
   sneppp_model    m;
   sneppp_error    err;
   sneppp_report   r;
   sneppp_fit_desc f = districts_fit(&e, SNEPPP_METHOD_CONVEX, 1e-6);
   double          count[2], counts[3] = {6, 1.5, 2};
   memset(&d, 0, sizeof d);
   memset(&e, 0, sizeof e);
   memset(part, 0, sizeof part);
   memset(region, 0, sizeof region);
   d.factor[0].window.space = SNEPPP_SPACE_FINITE, d.factor[0].window.dim = 1, d.factor[0].window.count = 8, d.factor[0].window.point = point;
   d.width = 4;
   for (int k = 0; k < 3; k++) part[k] = d.factor[0].window, part[k].weight = weight[k], region[k].factor[0] = &part[k];
   e.region = region, e.regions = 3, e.counts = counts;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, &r, &err));
   ASSERT(strstr(err.why, "region 2: region.factor[0]: all of window.weight are zero"));
   e.regions = 2;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err)); /* as many parameters as counts: these are the expected numbers */
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, region, 2, count, NULL, &err));
   ASSERT_IN_RANGE(6, count[0], 0.03);
   ASSERT_IN_RANGE(1.5, count[1], 0.03);
   sneppp_free(&m);
   PASS();
}

/* ---- the certificate, made here from the regions' Gram matrices: with S = sum_r n_r K_r / Lambda_r and A = sum_r K_r no
   M' has a likelihood that is better by more than N log tau, tau the largest eigenvalue of A^-1 S (alpha in Lambda). */
TEST districts_certificate(void)
{
   enum { n = 12, R = 20 };
   static districts_grid g;
   static double   K[R][n * n], M[n * n], A[n * n], S[n * n], L[n * n], work[32768], w[n], Q[n * n], X[n * n];
   sneppp_events   points = fit_events(300);
   sneppp_desc     d = fit_desc_box(n);
   sneppp_fit_desc f = districts_fit(&g.events, SNEPPP_METHOD_CONVEX, sizeof(sneppp_real) == 4 ? 1e-4 : 1e-7);
   sneppp_model    m;
   sneppp_report   r;
   sneppp_rng      rng;
   double          N = 300, nll, best;
   districts_make(&g, 5, 4, &points);
   g.region[7].factor[0] = &g.window[8]; /* watched twice, and its neighbour never */
   N += g.counts[8] - g.counts[7], g.counts[7] = g.counts[8];
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
   ASSERT_EQ(SNEPPP_ENDING_CONVERGED, r.ending);
   ASSERT_EQ((size_t)N, r.events);
   ASSERT_IN_RANGE(N, r.expected, 1e-4 * N);
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &g.events, 1, &nll, NULL, NULL, NULL, NULL));
   ASSERT_IN_RANGE(nll / N, r.nll, sizeof(sneppp_real) == 4 ? 1e-4 : 1e-7);
   memset(A, 0, sizeof A);
   memset(S, 0, sizeof S);
   for (int k = 0; k < R; k++) {
      double count;
      ASSERT_EQ(SNEPPP_OK, sneppp_model_gram(&m, &g.region[k], K[k], NULL, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &g.region[k], 1, &count, NULL, NULL));
      for (int i = 0; i < n * n; i++) A[i] += K[k][i], S[i] += g.counts[k] * K[k][i] / count;
   }
   ASSERT(sneppp__eigh_work(n) <= sizeof work / sizeof *work);
   /* A = Q diag(w) Q', X = A^-1/2 S A^-1/2; waves that A cannot tell from 0 are left out as in the fit */
   ASSERT_EQ(SNEPPP_OK, sneppp__eigh(n, A, w, Q, work));
   for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) L[i * n + j] = w[j] > 1e-6 * w[n - 1] ? Q[i * n + j] / sqrt(w[j]) : 0;
   sneppp__dgemm(0, 0, n, n, n, 1, S, n, L, n, 0, X, n);
   sneppp__dgemm(1, 0, n, n, n, 1, L, n, X, n, 0, S, n);
   ASSERT_EQ(SNEPPP_OK, sneppp__eigh(n, S, w, Q, work));
   ASSERT_IN_RANGE(1, w[n - 1], sizeof(sneppp_real) == 4 ? 1e-2 : 2e-6); /* at the optimum, log tau = 0 */
   /* and nothing else is better: M drawn at random, and beside the optimum */
   best = nll - N * f.tol;
   sneppp_rng_init(&rng, 3, 0);
   ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, M, NULL));
   for (int trial = 0; trial < 40; trial++) {
      double step = trial % 4 ? pow(10, -(double)(trial % 7)) : 1, keep = trial % 4 ? 1 : 0, value;
      for (int i = 0; i < n * n; i++) L[i] = sneppp_rng_normal(&rng);
      for (int i = 0; i < n; i++)
         for (int j = 0; j < n; j++) {
            X[i * n + j] = keep * M[i * n + j];
            for (int k = 0; k < 1 + trial % 3; k++) X[i * n + j] += step * L[k * n + i] * L[k * n + j];
         }
      ASSERT_EQ(SNEPPP_OK, sneppp_set_matrix(&m, X, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &g.events, 1, &value, NULL, NULL, NULL, NULL));
      ASSERT(value >= best);
   }
   sneppp_free(&m);
   PASS();
}

/* ---- every mix, readout and penalty, CONVEX and PGD: the report says the truth, and the gap is what is left */
TEST districts_convex_variants(void)
{
   static const double ends[2] = {0, 8}, early[2] = {0, 3}, late[2] = {2.5, 8};
   sneppp_window part[4], weeks[2];
   sneppp_region region[8];
   double        counts[8] = {5, 1, 0, 2, 9, 3.5, 4, 1}, tol = sizeof(sneppp_real) == 4 ? 1e-3 : 1e-5;
   sneppp_events e;
   memset(part, 0, sizeof part);
   memset(weeks, 0, sizeof weeks);
   memset(region, 0, sizeof region);
   memset(&e, 0, sizeof e);
   for (int k = 0; k < 4; k++) part[k].dim = 2, part[k].lo[0] = k % 2, part[k].lo[1] = k / 2, part[k].hi[0] = k % 2 + 1, part[k].hi[1] = k / 2 + 1;
   for (int k = 0; k < 2; k++) weeks[k].space = SNEPPP_SPACE_INTERVALS, weeks[k].dim = 1, weeks[k].count = 1, weeks[k].ends = k ? late : early;
   for (int k = 0; k < 8; k++) region[k].factor[0] = &part[k / 2], region[k].factor[1] = &weeks[k % 2];
   e.region = region, e.regions = 8, e.counts = counts;
   for (int mix = 0; mix < SNEPPP_MIX_END; mix++)
      for (int v = 0; v < 10; v++) {
         sneppp_desc     d;
         sneppp_model    m;
         sneppp_report   r;
         sneppp_error    err;
         sneppp_fit_desc f = districts_fit(&e, v == 5 || v == 8 ? SNEPPP_METHOD_PGD : SNEPPP_METHOD_CONVEX, tol);
         double          nll, expected, slack;
         int             separable = mix == SNEPPP_MIX_SEPARABLE, plain = v < 2 || v == 6;
         sneppp_status   st;
         memset(&d, 0, sizeof d);
         d.factor[0].window.dim = 2, d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = 2;
         d.factor[1].window.space = SNEPPP_SPACE_INTERVALS, d.factor[1].window.dim = 1, d.factor[1].window.count = 1, d.factor[1].window.ends = ends;
         d.width = mix == SNEPPP_MIX_OUTER ? 4 : 6, d.mix = (sneppp_mix)mix, d.readout = v == 1 || v == 7 || v == 8 ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL;
         if (v == 6) d.rank = 1;
         if (v == 2) f.floor = 0.2;
         if (v == 3) f.trace = 0.01;
         if (v == 4 || v == 7) f.eps2 = 0.01, f.eps1 = 1e-3;
         if (v == 9) f.eps2 = 1e-3, f.floor = 0.1;
         if (f.method == SNEPPP_METHOD_PGD) f.eps1 = 0.05, f.steps = 400, f.tol = 1e-2;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
         st = sneppp_fit(&m, &f, &r, &err);
         if (separable) { ASSERT_EQ(SNEPPP_ERR_ARG, st); sneppp_free(&m); continue; }
         if (st != SNEPPP_OK) FAILm(err.why);
         ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &err));
         slack = sizeof(sneppp_real) == 4 ? 1e-3 : 1e-6;
         ASSERT_IN_RANGE(nll / 26, r.nll, slack * (1 + fabs(r.nll)));
         ASSERT_EQ((size_t)26, r.events); /* 25.5, rounded up */
         expected = 0;
         for (int k = 0; k < 8; k++) { ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region[k], 1, &nll, NULL, NULL)); expected += nll; }
         ASSERT_IN_RANGE(expected, r.expected, slack * expected);
         if (plain) ASSERT_IN_RANGE(25.5, r.expected, 1e-3);
         if (v != 6 && f.method == SNEPPP_METHOD_CONVEX && (r.gap > f.tol || r.ending != SNEPPP_ENDING_CONVERGED)) {
            fprintf(stderr, "mix %d variant %d: gap %g\n", mix, v, r.gap);
            FAIL();
         }
         ASSERT(r.gap >= 0);
         sneppp_free(&m);
      }
   PASS();
}

/* A separable intensity splits over cells, and ADAM learns any mix from a table. */
TEST districts_separable(void)
{
   static const double ends[2] = {0, 8}, early[2] = {0, 3};
   sneppp_window   part, week;
   sneppp_region   region[3];
   double          counts[3] = {4, 2, 7}, first = 0;
   sneppp_events   e;
   sneppp_desc     d;
   sneppp_model    m;
   sneppp_report   r;
   sneppp_error    err;
   sneppp_fit_desc f = districts_fit(&e, SNEPPP_METHOD_CONVEX, sizeof(sneppp_real) == 4 ? 1e-3 : 1e-6);
   memset(&part, 0, sizeof part);
   memset(&week, 0, sizeof week);
   memset(region, 0, sizeof region);
   memset(&e, 0, sizeof e);
   memset(&d, 0, sizeof d);
   part.dim = 2, part.hi[0] = 1, part.hi[1] = 2;
   week.space = SNEPPP_SPACE_INTERVALS, week.dim = 1, week.count = 1, week.ends = early;
   region[0].factor[0] = &part, region[1].factor[0] = &part, region[1].factor[1] = region[2].factor[1] = &week;
   e.region = region, e.regions = 3, e.counts = counts, e.cells = 1;
   d.factor[0].window.dim = 2, d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = 2;
   d.factor[1].window = week, d.factor[1].window.ends = ends;
   d.width = 5, d.mix = SNEPPP_MIX_SEPARABLE;
   for (int diagonal = 1; diagonal >= 0; diagonal--) {
      d.readout = diagonal ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      if (sneppp_fit(&m, &f, &r, &err) != SNEPPP_OK) FAILm(err.why);
      ASSERT(r.gap <= f.tol);
      ASSERT_IN_RANGE(13, r.expected, 1e-3);
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &first, NULL, NULL, NULL, &err));
      ASSERT_IN_RANGE(first / 13, r.nll, 1e-5);
      sneppp_free(&m);
   }
   e.cells = 0;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &first, NULL, NULL, NULL, &err));
   f = districts_fit(&e, SNEPPP_METHOD_ADAM, 0);
   f.steps = 80, f.batch = 5;
   if (sneppp_fit(&m, &f, &r, &err) != SNEPPP_OK) FAILm(err.why);
   ASSERT(r.nll < first / 13 - 0.05);
   ASSERT_IN_RANGE(13, r.expected, 1e-3); /* what was watched, and scaled to what was counted */
   sneppp_free(&m);
   PASS();
}

/* ---- small cells are points: the fit from cells around the events is that from the events, and that from ever finer
   districts comes near it. */
TEST districts_tend_to_points(void)
{
   static districts_grid g;
   static sneppp_window  cell[150];
   static sneppp_region  region[150];
   sneppp_events   points = fit_events(150), e;
   sneppp_desc     d = fit_desc_box(14);
   sneppp_fit_desc f = districts_fit(&points, SNEPPP_METHOD_CONVEX, sizeof(sneppp_real) == 4 ? 1e-5 : 1e-8);
   sneppp_model    from, m;
   double          last = 1e300, tol = sizeof(sneppp_real) == 4 ? 2e-2 : 1e-3;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&from, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&from, &f, NULL, NULL));
   memset(&e, 0, sizeof e);
   memset(cell, 0, sizeof cell);
   memset(region, 0, sizeof region);
   for (size_t i = 0; i < 150; i++) {
      cell[i].dim = 2, region[i].factor[0] = &cell[i];
      for (int q = 0; q < 2; q++) {
         cell[i].lo[q] = fmax(0, (double)fit_xy[2 * i + (size_t)q] - 0.005), cell[i].hi[q] = fmin(q ? 5 : 10, (double)fit_xy[2 * i + (size_t)q] + 0.005);
      }
   }
   e.region = region, e.regions = 150, e.cells = 1;
   f.events = &e;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, NULL));
   for (size_t i = 0; i < 50; i++) {
      sneppp_real x[2];
      x[0] = (sneppp_real)((double)(i % 10) + 0.5), x[1] = (sneppp_real)((double)(i / 10) + 0.5);
      ASSERT_IN_RANGE((double)sneppp_intensity(&from, x), (double)sneppp_intensity(&m, x), tol * 20);
   }
   sneppp_free(&m);
   for (int k = 5; k <= 20; k *= 2) { /* the mean distance of the two maps */
      double mean = 0;
      districts_make(&g, k, k, &points);
      f.events = &g.events;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, NULL));
      for (size_t i = 0; i < 50; i++) {
         sneppp_real x[2];
         x[0] = (sneppp_real)((double)(i % 10) + 0.5), x[1] = (sneppp_real)((double)(i / 10) + 0.5);
         mean += fabs((double)sneppp_intensity(&from, x) - (double)sneppp_intensity(&m, x)) / 50;
      }
      ASSERT(mean < 0.7 * last);
      last = mean;
      sneppp_free(&m);
   }
   sneppp_free(&from);
   PASS();
}

/* ---- ADAM: a trainer on counts saves, loads and goes on to the same bits, whatever the threads; and comes near the convex
   optimum of its readout. */
TEST districts_same_bits(void)
{
   static districts_grid g;
   static sneppp_real    want[4][40 * 40];
   sneppp_events points = fit_events(20);
   sneppp_pool  *pool = sneppp_pool_make(3, NULL);
   districts_make(&g, 6, 5, &points);
   for (int threads = 0; threads < 2; threads++)
      for (int method = 0; method < SNEPPP_METHOD_END; method++) {
         sneppp_desc     d = fit_desc_box(method ? 40 : 0);
         sneppp_fit_desc f = districts_fit(&g.events, (sneppp_method)method, 0);
         sneppp_model    m;
         size_t          size = sizeof want[0];
         if (method) f.steps = 12;
         if (threads) f.parallel = sneppp_pool_parallel(pool), f.seed = 1; /* the default */
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
         ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, NULL));
         if ((size_t)m.n * (size_t)m.readout[0].m * sizeof(sneppp_real) < size) size = (size_t)m.n * (size_t)m.readout[0].m * sizeof(sneppp_real);
         if (!threads) memcpy(want[method], m.readout[0].V, size);
         else ASSERT_MEM_EQ(want[method], m.readout[0].V, size);
         sneppp_free(&m);
      }
   sneppp_pool_free(pool);
   PASS();
}

TEST districts_trainer(void)
{
   static districts_grid g;
   static unsigned char  state[100000];
   sneppp_events   points = fit_events(200);
   sneppp_desc     d = fit_desc_box(10);
   sneppp_fit_desc f = districts_fit(&g.events, SNEPPP_METHOD_ADAM, 0);
   sneppp_model    m[2];
   sneppp_trainer  t[2];
   sneppp_report   r[2];
   size_t          bytes;
   districts_make(&g, 6, 5, &points);
   for (int k = 0; k < 2; k++) {
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m[k], &d, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_trainer_init(&t[k], &m[k], &f, NULL));
   }
   for (int k = 0; k < 6; k++) {
      if (k == 3) { bytes = sneppp_trainer_save(&t[0], state, sizeof state); ASSERT(bytes && bytes < sizeof state); ASSERT_EQ(SNEPPP_OK, sneppp_trainer_load(&t[1], state, bytes, NULL)); }
      ASSERT_EQ(SNEPPP_OK, sneppp_trainer_step(&t[0], NULL));
      if (k >= 3) ASSERT_EQ(SNEPPP_OK, sneppp_trainer_step(&t[1], NULL));
   }
   ASSERT_MEM_EQ(m[0].readout[0].V, m[1].readout[0].V, 100 * sizeof(sneppp_real));
   for (int k = 0; k < 2; k++) sneppp_trainer_free(&t[k]), sneppp_free(&m[k]);
   for (int k = 0; k < 2; k++) { /* the same hidden layer, its readout learnt by steps and solved */
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m[k], &d, NULL));
      f = districts_fit(&g.events, k ? SNEPPP_METHOD_CONVEX : SNEPPP_METHOD_ADAM, k ? 1e-4 : 0);
      if (!k) f.freeze = SNEPPP_FREEZE_LAYER, f.steps = 800, f.rate = 0.05, f.decay = SNEPPP_NONE, f.schedule = SNEPPP_RATE_COSINE;
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m[k], &f, &r[k], NULL));
   }
   ASSERT(r[0].nll >= r[1].nll - r[1].gap - 1e-6);
   ASSERT_IN_RANGE(r[1].nll, r[0].nll, 5e-3);
   for (int k = 0; k < 2; k++) sneppp_free(&m[k]);
   PASS();
}

/* ---- AUTO: the map from counts lies nearer to the truth than the counts themselves do: of a table that covers the window;
   and of points beside a table of which one district is missing and one was watched twice */
static double districts_distance(const sneppp_model *m, const districts_grid *g, int nx, int ny, double scale)
{
   double sum = 0;
   for (int i = 0; i < 60; i++)
      for (int j = 0; j < 30; j++) {
         sneppp_real x[2];
         double      p = (i + 0.5) / 6, q = (j + 0.5) / 6, truth = scale * (exp(-(p - 3) * (p - 3) - (q - 2) * (q - 2)) + 0.1);
         x[0] = (sneppp_real)p, x[1] = (sneppp_real)q;
         sum += fabs((m ? (double)sneppp_intensity(m, x) : g->counts[(int)(q / 5 * ny) * nx + (int)(p / 10 * nx)] * nx * ny / 50.0) - truth) / 36;
      }
   return sum;
}

TEST districts_auto(void)
{
   static districts_grid g, table;
   sneppp_events   points = fit_events(200), both[2];
   sneppp_desc     d = fit_desc_box(0);
   sneppp_fit_desc f = districts_fit(&g.events, SNEPPP_METHOD_AUTO, 0);
   sneppp_window   left;
   sneppp_region   seen;
   sneppp_model    m;
   sneppp_report   r;
   sneppp_error    err;
   double          scale = 200 / 8.1, plain, nll, sum = 0; /* the integral of the hill is pi, nearly, and 5 are even */
   districts_make(&g, 6, 5, &points);
   plain = districts_distance(NULL, &g, 6, 5, scale);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   if (sneppp_fit(&m, &f, &r, &err) != SNEPPP_OK) FAILm(err.why);
   ASSERT(districts_distance(&m, &g, 6, 5, scale) < 0.95 * plain);
   ASSERT_EQ(SNEPPP_METHOD_AUTO, r.method);
   ASSERT_EQ((size_t)200, r.events);
   ASSERT_IN_RANGE(200, r.expected, 0.01);
   ASSERT(!sneppp__finite(r.held_out));
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &g.events, 1, &nll, NULL, NULL, NULL, NULL));
   ASSERT_IN_RANGE(nll / 200, r.nll, 1e-4);
   table = g;
   table.events.region = table.region, table.events.counts = table.counts;
   memset(&left, 0, sizeof left);
   memset(&seen, 0, sizeof seen);
   left.dim = 2, left.hi[0] = 5, left.hi[1] = 5, seen.factor[0] = &left;
   both[0] = points, both[0].seen = &seen, both[0].count = 0;
   for (size_t i = 0; i < 200; i++)
      if (fit_xy[2 * i] <= 5) { fit_xy[2 * both[0].count] = fit_xy[2 * i], fit_xy[2 * both[0].count + 1] = fit_xy[2 * i + 1]; both[0].count++; }
   table.events.regions = 0;
   for (int i = 0; i < 30; i++)
      if (i % 6 >= 3) table.region[table.events.regions] = g.region[i], table.counts[table.events.regions++] = g.counts[i];
   table.region[0] = table.region[4], table.counts[0] = table.counts[4];
   for (size_t i = 0; i < table.events.regions; i++) sum += table.counts[i];
   both[1] = table.events;
   f.events = both, f.realisations = 2;
   if (sneppp_fit(&m, &f, &r, &err) != SNEPPP_OK) FAILm(err.why);
   ASSERT(districts_distance(&m, &g, 6, 5, scale) < 0.95 * plain);
   ASSERT_IN_RANGE((double)both[0].count + sum, r.expected, 0.01);
   sneppp_free(&m);
   PASS();
}

/* ---- memory: nothing leaks, and a fit that fails leaves the model as it was */
TEST districts_failing_memory(void)
{
   static districts_grid g;
   static unsigned char  before[20000], after[20000];
   sneppp_events points = fit_events(9);
   districts_make(&g, 3, 2, &points);
   for (int method = 0; method < SNEPPP_METHOD_END; method++) {
      sneppp_desc     d = fit_desc_box(8);
      sneppp_fit_desc f = districts_fit(&g.events, (sneppp_method)method, 0);
      test_alloc      a = {0, 0, 0, 0};
      sneppp_model    m;
      sneppp_status   st = SNEPPP_ERR_MEMORY;
      size_t          held, bytes, all;
      d.alloc_ctx = &a;
      if (method) f.steps = 3;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      all = a.calls;
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, NULL));
      all = a.calls - all;
      sneppp_free(&m);
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      held = a.live, bytes = sneppp_save(&m, before, sizeof before);
      ASSERT(bytes && bytes <= sizeof before);
      for (size_t k = 1; k <= all; k++) {
         if (!method && k > 1 && k < all) continue; /* AUTO's rounds are alike, and long */
         a.fail_at = a.calls + k;
         st = sneppp_fit(&m, &f, NULL, NULL);
         ASSERT_EQ(SNEPPP_ERR_MEMORY, st);
         ASSERT_EQ(held, a.live);
         ASSERT_EQ(bytes, sneppp_save(&m, after, sizeof after));
         ASSERT_MEM_EQ(before, after, bytes);
      }
      sneppp_free(&m);
      ASSERT_EQ((size_t)0, a.live);
   }
   PASS();
}

/* The trees of examples/data/bei.csv by 100 districts, with 60 waves: certified to 1e-6 nats per event (examples/districts.c
   does the same with 400 and 100). */
TEST districts_certify_bei(void)
{
   static districts_grid g;
   sneppp_events   e = fit_trees(0.01);
   sneppp_desc     d = fit_desc_box(60);
   sneppp_fit_desc f = districts_fit(&g.events, SNEPPP_METHOD_CONVEX, sizeof(sneppp_real) == 4 ? 1e-5 : 1e-6);
   sneppp_model    m;
   sneppp_report   r;
   double          nll;
   ASSERT_EQ((size_t)3604, e.count);
   districts_make(&g, 10, 10, &e);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
   ASSERT_EQ(SNEPPP_ENDING_CONVERGED, r.ending);
   ASSERT(r.gap <= f.tol);
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &g.events, 1, &nll, NULL, NULL, NULL, NULL));
   ASSERT_IN_RANGE(nll / 3604, r.nll, sizeof(sneppp_real) == 4 ? 1e-3 : 1e-6);
   sneppp_free(&m);
   PASS();
}

/* Who asks AUTO to stop keeps the model that there was. */
static int districts_enough(const sneppp_report *now, const sneppp_model *model, void *user)
{
   (void)now, (void)model;
   ++*(int *)user;
   return 1;
}

TEST districts_stop(void)
{
   static districts_grid g;
   sneppp_events   points = fit_events(20);
   sneppp_desc     d = fit_desc_box(0);
   sneppp_fit_desc fit;
   sneppp_model    m;
   sneppp_report   r;
   sneppp_real     x[2] = {4, 2}, before;
   test_alloc      a = {0, 0, 0, 0};
   int             calls = 0;
   d.alloc_ctx = &a;
   districts_make(&g, 2, 1, &points);
   fit = districts_fit(&g.events, SNEPPP_METHOD_AUTO, 0);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   before = sneppp_intensity(&m, x);
   fit.progress = districts_enough, fit.user = &calls;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &fit, &r, NULL));
   ASSERT(calls > 0);
   ASSERT_EQ(SNEPPP_ENDING_ASKED_TO_STOP, r.ending);
   ASSERT_EQ(before, sneppp_intensity(&m, x));
   sneppp_free(&m);
   ASSERT_EQ((size_t)0, a.live); /* nor is what was begun left behind */
   PASS();
}

/* What was watched is looked at before what lies in it, and the sentence says of which realisation. */
TEST districts_seen_is_checked_first(void)
{
   sneppp_events points = fit_events(12), e[2];
   sneppp_desc   d = fit_desc_box(4);
   sneppp_window part, box;
   sneppp_region seen, cell;
   sneppp_model  m;
   sneppp_error  err;
   double        nll;
   memset(&part, 0, sizeof part), memset(&box, 0, sizeof box), memset(&seen, 0, sizeof seen), memset(&cell, 0, sizeof cell);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   box.dim = 2, box.hi[0] = box.hi[1] = 1;
   part.space = SNEPPP_SPACE_POLYGON, part.dim = 2, part.count = 4; /* whose vertices are NULL */
   seen.factor[0] = &part, cell.factor[0] = &box;
   e[0] = e[1] = points, e[1].count = 0;
   e[1].seen = &seen, e[1].region = &cell, e[1].regions = 1, e[1].cells = 1;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_nll(&m, e, 2, &nll, NULL, NULL, NULL, &err));
   ASSERT_STRN_EQ("realisation 1: region.factor[0]: ", err.why, 33);
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_nll(&m, e + 1, 1, &nll, NULL, NULL, NULL, &err));
   ASSERT_STRN_EQ("region.factor[0]: ", err.why, 18);
   sneppp_free(&m);
   PASS();
}

/* The report of a fit that was stopped has its events, not the places that stand for them. */
TEST districts_stopped_report(void)
{
   static districts_grid g;
   sneppp_events   points = fit_events(20);
   sneppp_desc     d = fit_desc_box(0);
   sneppp_fit_desc fit;
   sneppp_model    m;
   sneppp_report   r;
   int             calls = 0;
   districts_make(&g, 2, 1, &points);
   g.counts[0] = 2.5, g.counts[1] = 3.5; /* 3 places and 4 */
   fit = districts_fit(&g.events, SNEPPP_METHOD_AUTO, 0);
   fit.progress = districts_enough, fit.user = &calls;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &fit, &r, NULL));
   ASSERT_EQ(SNEPPP_ENDING_ASKED_TO_STOP, r.ending);
   ASSERT_EQ_FMT((size_t)6, r.events, "%zu");
   sneppp_free(&m);
   PASS();
}

SUITE(districts)
{
   RUN_TEST(districts_stop);
   RUN_TEST(districts_definition);
   RUN_TEST(districts_gradients);
   RUN_TEST(districts_gradients_mixes);
   RUN_TEST(districts_refusals);
   RUN_TEST(districts_finite);
   RUN_TEST(districts_certificate);
   RUN_TEST(districts_convex_variants);
   RUN_TEST(districts_separable);
   RUN_TEST(districts_tend_to_points);
   RUN_TEST(districts_same_bits);
   RUN_TEST(districts_trainer);
   RUN_TEST(districts_auto);
   RUN_TEST(districts_failing_memory);
   RUN_TEST(districts_certify_bei);
   RUN_TEST(districts_seen_is_checked_first);
   RUN_TEST(districts_stopped_report);
}
