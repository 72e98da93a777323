/* Models: mixing rules against brute-force quadrature, regions, units, marginals, parameters, refusals. */
#include "cases.h"
static const double model_time[2] = {0, 100}, model_part[4] = {10, 30, 55, 90}, model_week[2] = {20, 27};

/* A smooth model on box x interval (x box) with the given mix. */
static sneppp_desc model_desc(sneppp_mix mix, sneppp_readout readout, int factors)
{
   sneppp_desc d;
   memset(&d, 0, sizeof d);
   d.mix = mix;
   d.readout = readout;
   d.seed = 11;
   d.width = 4;
   d.factor[0].window.dim = 1;
   d.factor[0].window.lo[0] = 500;
   d.factor[0].window.hi[0] = 503;
   d.factor[1].window.space = SNEPPP_SPACE_INTERVALS;
   d.factor[1].window.dim = 1;
   d.factor[1].window.count = 1;
   d.factor[1].window.ends = model_time;
   d.factor[1].unit.act = SNEPPP_ACT_COS;
   if (sneppp__mix_concatenates(mix) || mix == SNEPPP_MIX_OUTER) d.factor[1].width = 3;
   if (factors > 2) {
      d.factor[2].window.dim = 1;
      d.factor[2].window.lo[0] = -1;
      d.factor[2].window.hi[0] = 2;
      d.factor[2].unit.act = SNEPPP_ACT_EXP;
   }
   return d;
}

static sneppp_status model_make(sneppp_model *m, const sneppp_desc *d, sneppp_error *err)
{
   sneppp_status st = sneppp_init(m, d, err);
   if (st != SNEPPP_OK) { fprintf(stderr, "%s\n", err->why); return st; }
   m->alpha = 2;
   m->floor = 0.01;
   return st;
}

/* Composite Gauss-Legendre, 5 nodes on each of some panels: node q of [a, b] and its weight. */
static double model_node_of(int panels, int q, double a, double b, double *weight)
{
   static const double x[5] = {-0.906179845938664, -0.5384693101056831, 0, 0.5384693101056831, 0.906179845938664};
   static const double w[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
   double h = (b - a) / panels, mid = a + (q / 5 + 0.5) * h;
   *weight = 0.5 * h * w[q % 5];
   return mid + 0.5 * h * x[q % 5];
}

#define MODEL_NODES 120
static double model_node(int q, double a, double b, double *weight) { return model_node_of(MODEL_NODES / 5, q, a, b, weight); }

static double model_quadrature(const sneppp_model *m, double t0, double t1)
{
   double sum = 0, wx, wt, wz = 1;
   int    panels = m->factors > 2 ? 12 : 24; /* fewer in three dimensions, where they are many */
   for (int i = 0; i < 5 * panels; i++)
      for (int j = 0; j < 5 * panels; j++) {
         sneppp_real x[3];
         int         k, third = m->factors > 2 ? 25 : 1;
         x[0] = (sneppp_real)model_node_of(panels, i, 500, 503, &wx);
         x[1] = (sneppp_real)model_node_of(panels, j, t0, t1, &wt);
         for (k = 0; k < third; k++) {
            if (third > 1) x[2] = (sneppp_real)model_node_of(5, k, -1, 2, &wz);
            sum += wx * wt * wz * (double)sneppp_intensity(m, x);
         }
      }
   return sum;
}

#ifdef SNEPPP_REAL_FLOAT
#define MODEL_TOLERANCE 2e-4
#else
#define MODEL_TOLERANCE 1e-10
#endif

TEST model_mixes_against_quadrature(void)
{
   sneppp_window part;
   sneppp_region region;
   memset(&part, 0, sizeof part);
   part.space = SNEPPP_SPACE_INTERVALS;
   part.dim = 1;
   part.count = 2;
   part.ends = model_part;
   memset(&region, 0, sizeof region);
   region.factor[1] = &part;
   for (int mix = 0; mix < SNEPPP_MIX_END; mix++)
      for (int readout = 0; readout < SNEPPP_READOUT_END; readout++)
         for (int factors = 2; factors <= 3; factors++) {
            sneppp_desc  d = model_desc((sneppp_mix)mix, (sneppp_readout)readout, factors);
            sneppp_model m;
            sneppp_error err;
            double       count, quad, some, quad_some;
            if (factors == 3 && readout) continue; /* the same code, three times the time */
            ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
            ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &count, NULL, &err));
            quad = model_quadrature(&m, 0, 100);
            ASSERT_IN_RANGE(quad, count, MODEL_TOLERANCE * quad);
            ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &some, NULL, &err));
            quad_some = model_quadrature(&m, 10, 30) + model_quadrature(&m, 55, 90);
            ASSERT_IN_RANGE(quad_some, some, MODEL_TOLERANCE * quad_some);
            sneppp_free(&m);
         }
   PASS();
}

TEST model_marginal_and_conditional(void)
{
   sneppp_window week;
   sneppp_region region;
   memset(&week, 0, sizeof week);
   week.space = SNEPPP_SPACE_INTERVALS;
   week.dim = 1;
   week.count = 1;
   week.ends = model_week;
   memset(&region, 0, sizeof region);
   region.factor[1] = &week;
   for (int mix = 0; mix < SNEPPP_MIX_END; mix++)
      for (int readout = 0; readout < SNEPPP_READOUT_END; readout++) {
         sneppp_desc  d = model_desc((sneppp_mix)mix, (sneppp_readout)readout, 2);
         sneppp_model m, map, slice;
         sneppp_error err;
         double       total, weekly;
         sneppp_real  t = 23;
         if (readout && (mix == SNEPPP_MIX_SUM || mix == SNEPPP_MIX_STACK)) continue;
         ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_marginal(&m, 1, &week, &map, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_conditional(&m, 1, &t, &slice, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &weekly, NULL, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&map, NULL, 1, &total, NULL, &err));
         ASSERT_IN_RANGE(weekly, total, MODEL_TOLERANCE * weekly);
         for (int i = 0; i < 5; i++) {
            sneppp_real x[2];
            double      sum = 0, w, scale;
            x[0] = (sneppp_real)(500.1 + 0.6 * i);
            for (int q = 0; q < MODEL_NODES; q++) {
               x[1] = (sneppp_real)model_node(q, model_week[0], model_week[1], &w);
               sum += w * (double)sneppp_intensity(&m, x);
            }
            scale = total / 3;
            ASSERT_IN_RANGE(sum, (double)sneppp_intensity(&map, x), MODEL_TOLERANCE * (sum + scale));
            x[1] = t;
            ASSERT_IN_RANGE((double)sneppp_intensity(&m, x), (double)sneppp_intensity(&slice, x), MODEL_TOLERANCE * (sum + scale));
         }
         sneppp_free(&m);
         sneppp_free(&map);
         sneppp_free(&slice);
      }
   PASS();
}

/* Of three factors one is left after two have gone, in either order: the line agrees, counts of a part of it are those of the
   whole model, and what is left of a model in a caller's block has memory of its own. */
TEST model_marginals_in_any_order(void)
{
   static unsigned char    mem[1 << 17];
   static const sneppp_mix mixes[4] = {SNEPPP_MIX_PRODUCT, SNEPPP_MIX_OUTER, SNEPPP_MIX_ADDITIVE, SNEPPP_MIX_SEPARABLE};
   static const double     lo[3] = {500, 0, -1}, hi[3] = {503, 100, 2};
   for (int k = 0; k < 8; k++) {
      sneppp_desc  d = model_desc(mixes[k / 2], k % 2 ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL, 3);
      sneppp_model m, two, one, at;
      sneppp_error err;
      sneppp_real  x[3] = {(sneppp_real)501.3, 61, (sneppp_real)0.4}, before;
      double       all, left, line[3][2][5];
      if (d.factor[1].width) d.factor[2].width = 2;
      d.mem = mem, d.mem_bytes = sizeof mem;
      ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &all, NULL, &err));
      before = sneppp_intensity(&m, x);
      for (int f = 0; f < 3; f++) {
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_marginal(&m, f, NULL, &two, &err), "%d");
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&two, NULL, 1, &left, NULL, &err));
         ASSERT_IN_RANGE(all, left, MODEL_TOLERANCE * all);
         for (int g = 0; g < 2; g++) {
            const int     h = 3 - f - (g >= f ? g + 1 : g), second = f > (g >= f ? g + 1 : g);
            sneppp_window part = d.factor[h].window;
            double        ends[2], some;
            sneppp_region region;
            ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_marginal(&two, g, NULL, &one, &err), "%d");
            for (int i = 0; i < 5; i++) {
               sneppp_real y = (sneppp_real)(lo[h] + (hi[h] - lo[h]) * (0.1 + 0.2 * i));
               line[h][second][i] = (double)sneppp_intensity(&one, &y);
            }
            memset(&region, 0, sizeof region);
            part.lo[0] = ends[0] = lo[h] + 0.3 * (hi[h] - lo[h]), part.hi[0] = ends[1] = lo[h] + 0.6 * (hi[h] - lo[h]);
            if (h == 1) part.lo[0] = part.hi[0] = 0, part.ends = ends;
            region.factor[h] = &part;
            ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &some, NULL, &err));
            region.factor[h] = NULL, region.factor[0] = &part;
            ASSERT_EQ(SNEPPP_OK, sneppp_count(&one, &region, 1, &left, NULL, &err));
            ASSERT_IN_RANGE(some, left, MODEL_TOLERANCE * some);
            sneppp_free(&one);
         }
         sneppp_free(&two);
         ASSERT_EQ(SNEPPP_OK, sneppp_conditional(&m, f, x + f, &two, &err));
         for (int g = 0; g < 2; g++) {
            const int other = g >= f ? g + 1 : g;
            ASSERT_EQ(SNEPPP_OK, sneppp_conditional(&two, g, x + other, &at, &err));
            ASSERT_IN_RANGE((double)before, (double)sneppp_intensity(&at, x + (3 - f - other)), MODEL_TOLERANCE * (double)before);
            sneppp_free(&at);
         }
         sneppp_free(&two);
         ASSERT_EQ(before, sneppp_intensity(&m, x));
      }
      for (int h = 0; h < 3; h++)
         for (int i = 0; i < 5; i++) ASSERT_IN_RANGE(line[h][0][i], line[h][1][i], MODEL_TOLERANCE * all / (hi[h] - lo[h]));
      sneppp_free(&m);
   }
   PASS();
}

/* The same pattern in other units: counts stay, intensities change by the factor of the volume. */
TEST model_units_do_not_matter(void)
{
   sneppp_model a, b;
   sneppp_error err;
   sneppp_desc  d;
   double       ca, cb;
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 2;
   d.factor[0].window.hi[0] = 4;
   d.factor[0].window.hi[1] = 2;
   d.width = 10;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&a, &d, &err));
   d.factor[0].window.lo[0] = 1e6;
   d.factor[0].window.hi[0] = 1e6 + 4000;
   d.factor[0].window.lo[1] = -3e6;
   d.factor[0].window.hi[1] = -3e6 + 2000;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&b, &d, &err));
   b.alpha = a.alpha * 1e-6;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&a, NULL, 1, &ca, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&b, NULL, 1, &cb, NULL, &err));
   ASSERT_IN_RANGE(ca, cb, (sizeof(sneppp_real) == 4 ? 1e-6 : 1e-12) * ca);
   for (int i = 0; i < 10; i++) {
      sneppp_real x[2], y[2];
      double      la, lb;
      x[0] = (sneppp_real)(0.5 * (i % 8)), x[1] = (sneppp_real)(0.25 * (i % 7));
      y[0] = (sneppp_real)(1e6 + 500 * (i % 8)), y[1] = (sneppp_real)(-3e6 + 250 * (i % 7));
      la = (double)sneppp_intensity(&a, x), lb = (double)sneppp_intensity(&b, y) * 1e6;
      ASSERT_IN_RANGE(la, lb, (sizeof(sneppp_real) == 4 ? 1e-3 : 1e-10) * (la + ca / 8));
   }
   sneppp_free(&a);
   sneppp_free(&b);
   PASS();
}

/* Cells of a partition add up to the total: boxes, a polygon and its hole. */
TEST model_regions_add_up(void)
{
   static const double  diamond[8] = {5, 1, 8, 2.5, 5, 4, 2, 2.5};
   static const double  frame[16] = {0, 0, 10, 0, 10, 5, 0, 5, 5, 1, 8, 2.5, 5, 4, 2, 2.5};
   static const size_t  frame_rings[2] = {4, 4};
   static const double  beyond[6] = {1, 1, 12, 1, 5, 4}, cut[8] = {1, 1, 10, 1, 10, 1 + 6.0 / 7, 5, 4};
   sneppp_model         m;
   sneppp_error         err;
   sneppp_desc          d;
   sneppp_window        w;
   sneppp_region        region;
   double               total, sum = 0, part, inside, outside;
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 2;
   d.factor[0].window.hi[0] = 10;
   d.factor[0].window.hi[1] = 5;
   d.width = 12;
   ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
   memset(&region, 0, sizeof region);
   region.factor[0] = &w;
   for (int i = 0; i < 4; i++)
      for (int j = 0; j < 3; j++) {
         memset(&w, 0, sizeof w);
         w.dim = 2;
         w.lo[0] = 10.0 * i / 4, w.hi[0] = 10.0 * (i + 1) / 4;
         w.lo[1] = 5.0 * j / 3, w.hi[1] = 5.0 * (j + 1) / 3;
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &part, NULL, &err));
         ASSERT(part > 0);
         sum += part;
      }
   ASSERT_IN_RANGE(total, sum, 1e-12 * total);
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_SPACE_POLYGON;
   w.dim = 2;
   w.count = 4;
   w.xy = diamond;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &inside, NULL, &err));
   w.xy = frame;
   w.rings = 2;
   w.ring_size = frame_rings;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &outside, NULL, &err));
   ASSERT_IN_RANGE(total, inside + outside, 1e-12 * total);
   w.rings = 0;
   w.count = 3;
   w.xy = beyond;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &part, NULL, &err)); /* cut to the window */
   w.xy = cut, w.count = 4;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &inside, NULL, &err));
   ASSERT_IN_RANGE(inside, part, 1e-12 * total);
   sneppp_free(&m);
   PASS();
}

TEST model_parameters_in_and_out(void)
{
   sneppp_model m;
   sneppp_error err;
   sneppp_desc  d;
   double       W[10], b[5], W2[10], b2[5], M[25], M2[25];
   sneppp_real  x[2], psi[5];
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 2;
   d.factor[0].window.lo[0] = 100;
   d.factor[0].window.hi[0] = 110;
   d.factor[0].window.hi[1] = 5;
   d.width = 5;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   for (int i = 0; i < 10; i++) W[i] = 0.1 * i - 0.3;
   for (int i = 0; i < 5; i++) b[i] = 0.5 - 0.2 * i;
   ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, W, b, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_get_layer(&m, 0, W2, b2, NULL, &err));
   for (int i = 0; i < 10; i++) ASSERT_IN_RANGE(W[i], W2[i], sizeof(sneppp_real) == 4 ? 1e-6 : 1e-14);
   for (int i = 0; i < 5; i++) ASSERT_IN_RANGE(b[i], b2[i], sizeof(sneppp_real) == 4 ? 1e-4 : 1e-12);
   x[0] = 103, x[1] = 2;
   ASSERT_EQ(SNEPPP_OK, sneppp_features(&m, x, psi, &err));
   for (int i = 0; i < 5; i++) ASSERT_IN_RANGE(cos(W[2 * i] * 103 + W[2 * i + 1] * 2 + b[i]), (double)psi[i], sizeof(sneppp_real) == 4 ? 1e-4 : 1e-12);
   for (int i = 0; i < 25; i++) M[i] = (i % 6 == 0 ? 2.0 : 0.0) + 0.1 * (i / 5 + 1) * (i % 5 + 1);
   ASSERT_EQ(SNEPPP_OK, sneppp_set_matrix(&m, M, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, M2, &err));
   for (int i = 0; i < 25; i++) ASSERT_IN_RANGE(M[i], M2[i], sizeof(sneppp_real) == 4 ? 1e-5 : 1e-13);
   M[0] = -5;
   ASSERT_EQ(SNEPPP_ERR_NOT_POSITIVE, sneppp_set_matrix(&m, M, &err));
   x[0] = 99;
   ASSERT_EQ(0, sneppp_intensity(&m, x));
   x[0] = (sneppp_real)sneppp__nan();
   ASSERT(!sneppp__finite((double)sneppp_intensity(&m, x)));
   sneppp_free(&m);
   PASS();
}

/* One point and a batch give the same; the block of the caller is used and nothing else. */
TEST model_batches_and_blocks(void)
{
   static unsigned char mem[200000];
   static sneppp_real   x[3 * 300], out[300];
   sneppp_model  m;
   sneppp_error  err;
   sneppp_desc   d = model_desc(SNEPPP_MIX_PRODUCT, SNEPPP_READOUT_FULL, 2);
   sneppp_events at;
   sneppp_rng    rng;
   size_t        bytes = sneppp_model_bytes(&d, &err);
   test_alloc    a;
   memset(&a, 0, sizeof a);
   ASSERT(bytes > 0 && bytes < sizeof mem - 1);
   d.mem = mem + 1;
   d.mem_bytes = bytes - 1;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_init(&m, &d, &err));
   d.mem_bytes = bytes;
   d.alloc_ctx = &a;
   ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
   sneppp_rng_init(&rng, 1, 1);
   for (int i = 0; i < 300; i++) { x[2 * i] = (sneppp_real)(500 + 3 * sneppp_rng_uniform(&rng)); x[2 * i + 1] = (sneppp_real)(100 * sneppp_rng_uniform(&rng)); }
   x[7] = 101;
   memset(&at, 0, sizeof at);
   at.x = x;
   at.count = 300;
   ASSERT_EQ(SNEPPP_OK, sneppp_intensities(&m, &at, out, NULL, &err));
   for (int i = 0; i < 300; i++) ASSERT_IN_RANGE((double)sneppp_intensity(&m, x + 2 * i), (double)out[i], (sizeof(sneppp_real) == 4 ? 1e-5 : 1e-13) * m.alpha);
   ASSERT_EQ(0, out[3]);
   sneppp_free(&m);
   ASSERT_EQ((size_t)0, a.live);
   PASS();
}

/* Marginals and conditionals, of which the k-th allocation fails: nothing leaks, and the model is what it was. */
TEST model_marginals_without_memory(void)
{
   static const sneppp_real x[1] = {50};
   sneppp_model m, before, out;
   sneppp_error err;
   sneppp_desc  d = model_desc(SNEPPP_MIX_PRODUCT, SNEPPP_READOUT_FULL, 2);
   test_alloc   a;
   memset(&a, 0, sizeof a);
   d.alloc_ctx = &a;
   ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
   before = m;
   for (int fixed = 0; fixed < 2; fixed++)
      for (size_t k = 1, live = a.live; k; k++) {
         sneppp_status st;
         a.calls = 0, a.fail_at = k;
         st = fixed ? sneppp_conditional(&m, 1, x, &out, &err) : sneppp_marginal(&m, 1, NULL, &out, &err);
         a.fail_at = 0;
         if (st != SNEPPP_OK) ASSERT_EQ(SNEPPP_ERR_MEMORY, st);
         else {
            ASSERT(k > 2 && a.calls < k); /* two blocks at least were refused before */
            sneppp_free(&out);
            k = SIZE_MAX;
         }
         ASSERT_EQ(live, a.live);
         ASSERT_EQ(0, memcmp(&before, &m, sizeof m));
      }
   sneppp_free(&m);
   ASSERT_EQ((size_t)0, a.live);
   PASS();
}

/* ---- features of the caller's own: here they are cos units, which the library has too, so that both can be compared. */
typedef struct model_waves { int n; double W[16], b[8]; int calls; } model_waves;

static void model_waves_psi(const double *x, double *psi, void *user)
{
   const model_waves *o = (const model_waves *)user;
   for (int i = 0; i < o->n; i++) psi[i] = cos(o->W[2 * i] * x[0] + o->W[2 * i + 1] * x[1] + o->b[i]);
}

static int model_waves_gram(const sneppp_window *part, double *K, void *user)
{
   model_waves *o = (model_waves *)user;
   sneppp_layer layer;
   if (part->space != SNEPPP_SPACE_BOX) return 1;
   memset(&layer, 0, sizeof layer);
   layer.n = o->n, layer.unit.act = SNEPPP_ACT_COS, layer.W = o->W, layer.b = o->b;
   o->calls++;
   return sneppp_gram(part, &layer, K, NULL, NULL) != SNEPPP_OK;
}

static int model_waves_bad(const sneppp_window *part, double *K, void *user)
{
   const model_waves *o = (const model_waves *)user;
   (void)part;
   for (int i = 0; i < o->n * o->n; i++) K[i] = 0;
   K[o->n + 1] = sneppp__from_bits(0x7ff0000000000000ULL);
   return 0;
}

TEST model_own_features(void)
{
   enum { n = 8, N = 60 };
   model_waves     waves;
   sneppp_desc     d, plain;
   sneppp_model    own, same;
   sneppp_error    err;
   sneppp_events   e;
   sneppp_fit_desc fit;
   sneppp_report   ro, rs;
   sneppp_rng      rng;
   sneppp_window   part;
   sneppp_region   region;
   sneppp_real     x[2 * N], tol = (sneppp_real)(sizeof(sneppp_real) == 4 ? 2e-4 : 1e-9);
   double          a, b;
   sneppp_rng_init(&rng, 5, 0);
   waves.n = n, waves.calls = 0;
   for (int i = 0; i < n; i++) {
      waves.W[2 * i] = i ? 0.3 * sneppp_rng_normal(&rng) : 0, waves.W[2 * i + 1] = i ? 0.6 * sneppp_rng_normal(&rng) : 0;
      waves.b[i] = i ? 6 * sneppp_rng_uniform(&rng) : 0;
   }
   for (int i = 0; i < N; i++) x[2 * i] = (sneppp_real)(10 * sneppp_rng_uniform(&rng)), x[2 * i + 1] = (sneppp_real)(5 * pow(sneppp_rng_uniform(&rng), 2));
   memset(&e, 0, sizeof e);
   e.x = x, e.count = N;
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 2, d.factor[0].window.hi[0] = 10, d.factor[0].window.hi[1] = 5;
   d.width = n;
   plain = d;
   plain.factor[0].unit.act = SNEPPP_ACT_COS;
   d.factor[0].own.psi = model_waves_psi, d.factor[0].own.gram = model_waves_gram, d.factor[0].own.user = &waves;
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_init(&own, &d, &err), "%d");
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_init(&same, &plain, &err), "%d");
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_set_layer(&same, 0, waves.W, waves.b, NULL, &err), "%d");
   memset(&fit, 0, sizeof fit);
   fit.events = &e, fit.method = SNEPPP_METHOD_CONVEX, fit.tol = 1e-7;
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_fit(&own, &fit, &ro, &err), "%d");
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_fit(&same, &fit, &rs, &err), "%d");
   ASSERT(ro.gap <= 1e-7);
   ASSERT_IN_RANGE(rs.nll, ro.nll, 3e-7 + (double)tol);
   for (int i = 0; i < N; i++)
      ASSERT_IN_RANGE(1.0, (double)(sneppp_intensity(&own, x + 2 * i) / sneppp_intensity(&same, x + 2 * i)), 0.02); /* the optimum is flat */
   memset(&part, 0, sizeof part);
   memset(&region, 0, sizeof region);
   part.dim = 2, part.lo[0] = 2, part.hi[0] = 4, part.hi[1] = 2.5;
   region.factor[0] = &part;
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&own, &region, 1, &a, NULL, &err), "%d");
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&same, &region, 1, &b, NULL, &err), "%d");
   ASSERT_IN_RANGE(b, a, 0.01 * b);
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_nll(&own, &e, 1, &a, NULL, NULL, NULL, &err), "%d");
   ASSERT_IN_RANGE(ro.nll, a / N, 1e-9 + (double)tol);
   fit.method = SNEPPP_METHOD_ADAM, fit.tol = 0, fit.steps = 5; /* learns V alone */
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_fit(&own, &fit, &ro, &err), "%d");
   for (int i = 0; i < 2 * n; i++) ASSERT_EQ((sneppp_real)0, own.layer[0].W[i]);
   fit.method = SNEPPP_METHOD_AUTO; /* keeps the features, with a floor */
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_fit(&own, &fit, &ro, &err), "%d");
   ASSERT_IN_RANGE((double)N, ro.expected, 1e-3);
   ASSERT(own.floor > 0);
   ASSERT(waves.calls > 3);
   /* What cannot be is refused. */
   ASSERT_EQ_FMT((size_t)0, sneppp_save(&own, NULL, 0), "%zu");
   ASSERT_EQ_FMT(SNEPPP_ERR_NO_CLOSED_FORM, sneppp_sample(&own, NULL, x, N, NULL, &err), "%d");
   ASSERT(strstr(err.why, "cannot be sampled"));
#ifndef SNEPPP_NO_STDIO
   ASSERT_EQ_FMT(SNEPPP_ERR_NO_CLOSED_FORM, sneppp_save_file(&own, "build/never.snp", &err), "%d");
#endif
   part.space = SNEPPP_SPACE_BALL, part.centre[0] = 3, part.centre[1] = 2, part.radius = 1;
   ASSERT_EQ_FMT(SNEPPP_ERR_NO_CLOSED_FORM, sneppp_count(&own, &region, 1, &a, NULL, &err), "%d");
   own.desc.factor[0].own.gram = model_waves_bad;
   ASSERT_EQ_FMT(SNEPPP_ERR_NOT_FINITE, sneppp_count(&own, NULL, 1, &a, NULL, &err), "%d");
   ASSERT(strstr(err.why, "K[1][1]"));
   sneppp_free(&own);
   sneppp_free(&same);
   d.readout = SNEPPP_READOUT_DIAGONAL;
   ASSERT_EQ_FMT(SNEPPP_ERR_ARG, sneppp_init(&own, &d, &err), "%d");
   d.readout = SNEPPP_READOUT_FULL, d.factor[0].unit.act = SNEPPP_ACT_COS;
   ASSERT_EQ_FMT(SNEPPP_ERR_ARG, sneppp_init(&own, &d, &err), "%d");
   d.factor[0].unit.act = SNEPPP_ACT_DEFAULT, d.factor[0].own.gram = NULL;
   ASSERT_EQ_FMT(SNEPPP_ERR_ARG, sneppp_init(&own, &d, &err), "%d");
   ASSERT(strstr(err.why, "own.gram is NULL"));
   d.factor[0].own.gram = model_waves_gram, d.factor[1].window.dim = 1, d.factor[1].window.hi[0] = 1, d.mix = SNEPPP_MIX_STACK;
   ASSERT_EQ_FMT(SNEPPP_ERR_NO_CLOSED_FORM, sneppp_init(&own, &d, &err), "%d");
   d.mix = SNEPPP_MIX_OUTER; /* own waves on the plane times the library's in time: K is the Kronecker product */
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_init(&own, &d, &err), "%d");
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_marginal(&own, 1, NULL, &same, &err), "%d");
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&own, NULL, 1, &a, NULL, &err), "%d");
   ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&same, NULL, 1, &b, NULL, &err), "%d");
   ASSERT_IN_RANGE(a, b, 1e-6 * a);
   sneppp_free(&own);
   sneppp_free(&same);
   PASS();
}

/* Many regions in one call: the same counts as one by one, whatever is shared. */
TEST model_counts_together(void)
{
   enum { weeks = 6, towns = 2 };
   sneppp_desc   d;
   sneppp_model  m;
   sneppp_error  err;
   sneppp_window week[weeks], town[towns];
   sneppp_region region[weeks * towns + 1];
   double        one, many[weeks * towns + 1], total, sum = 0;
   memset(&d, 0, sizeof d);
   memset(week, 0, sizeof week);
   memset(town, 0, sizeof town);
   memset(region, 0, sizeof region);
   d.width = 12, d.rank = 5;
   d.factor[0].window.dim = 2, d.factor[0].window.hi[0] = 4, d.factor[0].window.hi[1] = 2;
   d.factor[1].window.dim = 1, d.factor[1].window.hi[0] = weeks, d.factor[1].unit.act = SNEPPP_ACT_RELU;
   for (int mix = SNEPPP_MIX_PRODUCT; mix < SNEPPP_MIX_END; mix++) {
      d.mix = (sneppp_mix)mix;
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
      m.floor = 0.25, m.alpha = 3;
      for (int t = 0; t < towns; t++) {
         town[t] = d.factor[0].window, town[t].lo[0] = 2 * t, town[t].hi[0] = 2 * t + 2;
         for (int w = 0; w < weeks; w++) {
            week[w] = d.factor[1].window, week[w].lo[0] = w, week[w].hi[0] = w + 1;
            region[t * weeks + w].factor[0] = &town[t], region[t * weeks + w].factor[1] = &week[w];
         }
      }
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&m, region, weeks * towns + 1, many, NULL, &err), "%d");
      sum = 0;
      for (int r = 0; r < weeks * towns; r++) {
         ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&m, &region[r], 1, &one, NULL, &err), "%d");
         ASSERT_IN_RANGE(one, many[r], 1e-12 * one + 1e-13 * many[weeks * towns]);
         sum += many[r];
      }
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err), "%d");
      ASSERT_IN_RANGE(total, many[weeks * towns], 1e-12 * total); /* the last region is everything */
      ASSERT_IN_RANGE(total, sum, 1e-12 * total);
      many[0] = -7, week[3].hi[0] = 2;
      ASSERT_EQ_FMT(SNEPPP_ERR_ARG, sneppp_count(&m, region, weeks * towns, many, NULL, &err), "%d");
      ASSERT(strstr(err.why, "region 3: "));
      ASSERT_EQ(-7.0, many[0]);
      ASSERT_EQ_FMT(SNEPPP_ERR_ARG, sneppp_count(&m, NULL, 2, many, NULL, &err), "%d"); /* everywhere is one region */
      ASSERT_STR_EQ("region is NULL, but 2 are asked for", err.why);
      ASSERT_EQ(-7.0, many[0]);
      week[3].hi[0] = 4;
      sneppp_free(&m);
   }
   PASS();
}

/* The intensity as its definition says, from the features: alpha sum v_i^2 psi_i^2 + floor. */
static double model_by_features(const sneppp_model *m, const sneppp_real *x)
{
   static sneppp_real psi[4096];
   double             sum = 0;
   if (m->n > 4096 || sneppp_features(m, x, psi, NULL) != SNEPPP_OK) return -1;
   for (int i = 0; i < m->n; i++) sum += (double)m->readout[0].V[i] * (double)m->readout[0].V[i] * (double)psi[i] * (double)psi[i];
   return m->alpha * sum + m->floor;
}

/* A model with a tree over its radial units answers for the parameters that it was given last: its tree is made anew by
   set_layer and set_matrix, and a call that fails moves nothing. */
TEST model_tree_follows_parameters(void)
{
   static double   W[4096], width[4096], M[300 * 300];
   sneppp_real     x[60];
   sneppp_desc     d;
   sneppp_events   e;
   sneppp_fit_desc f;
   sneppp_model    m;
   sneppp_error    err;
   sneppp_rng      rng;
   double          tolerance = sizeof(sneppp_real) == 4 ? 1e-5 : 1e-13;
   memset(&d, 0, sizeof d);
   memset(&e, 0, sizeof e);
   memset(&f, 0, sizeof f);
   sneppp_rng_init(&rng, 4, 0);
   for (int i = 0; i < 60; i++) x[i] = (sneppp_real)(0.5 + sneppp_rng_uniform(&rng) * sneppp_rng_uniform(&rng));
   d.factor[0].window.dim = 2;
   d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = 2;
   d.width = 20;
   e.x = x, e.count = 30;
   f.events = &e;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err), "%d");
   ASSERT(m.nodes > 0 && m.n <= 300);
   ASSERT_EQ(SNEPPP_OK, sneppp_get_layer(&m, 0, W, NULL, width, &err));
   for (int step = 0; step < 5; step++) {
      if (step == 1) { /* all bumps to the side */
         for (int i = 0; i < m.n; i++) W[2 * i] += 0.4;
         ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, W, NULL, width, &err));
         ASSERT(m.nodes > 0);
      }
      if (step == 2) { /* other heights */
         ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, M, &err));
         for (int i = 0; i < m.n; i++) M[i * m.n + i] *= 1 + i % 5;
         ASSERT_EQ(SNEPPP_OK, sneppp_set_matrix(&m, M, &err));
         ASSERT(m.nodes > 0);
      }
      if (step == 3) { /* axes that are no longer quite alike, as after a step of ADAM */
         for (int i = 0; i < m.n; i++) width[2 * i + i % 2] *= 1 + 3e-6;
         ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, W, NULL, width, &err));
      }
      if (step == 4) { /* refused: as before */
         W[1] = 1e200, W[0] = 1;
         width[m.n * 2 - 1] = -1;
         ASSERT(sneppp_set_layer(&m, 0, W, NULL, width, &err) != SNEPPP_OK);
         M[1] = 1;
         ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_set_matrix(&m, M, &err));
      }
      double peaks = 0; /* the tree may leave out 1e-12 of their sum, as its comment says; rounding is all else */
      for (int i = 0; i < m.n; i++) peaks += m.alpha * (double)m.readout[0].V[i] * (double)m.readout[0].V[i];
      for (int i = 0; i < 30; i++) {
         double want = model_by_features(&m, x + 2 * i);
         ASSERT_IN_RANGE(want, (double)sneppp_intensity(&m, x + 2 * i), tolerance * want + 1e-12 * peaks);
      }
   }
   sneppp_free(&m);
   PASS();
}

/* Several readouts are set all or not at all; what lies between them must be 0. */
TEST model_matrix_all_or_nothing(void)
{
   sneppp_desc  d;
   sneppp_model m;
   sneppp_error err;
   double       M[64], before[64], after[64];
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = d.factor[1].window.dim = 1;
   d.factor[0].window.hi[0] = d.factor[1].window.hi[0] = 1;
   d.factor[0].unit.act = d.factor[1].unit.act = SNEPPP_ACT_COS;
   d.mix = SNEPPP_MIX_ADDITIVE;
   d.width = 4;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, before, &err));
   memset(M, 0, sizeof M);
   for (int i = 0; i < 8; i++) M[9 * i] = i == 6 ? -1 : 2;
   ASSERT_EQ(SNEPPP_ERR_NOT_POSITIVE, sneppp_set_matrix(&m, M, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, after, &err));
   ASSERT(!memcmp(before, after, sizeof before));
   M[9 * 6] = 2, M[5] = M[40] = 0.1;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_set_matrix(&m, M, &err));
   ASSERT(strstr(err.why, "M[0][5]") || strstr(err.why, "M[5][0]"));
   ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, after, &err));
   ASSERT(!memcmp(before, after, sizeof before));
   M[5] = M[40] = 0;
   ASSERT_EQ(SNEPPP_OK, sneppp_set_matrix(&m, M, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, after, &err));
   for (int i = 0; i < 64; i++) ASSERT_IN_RANGE(M[i], after[i], sizeof(sneppp_real) == 4 ? 1e-6 : 1e-13);
   sneppp_free(&m);
   PASS();
}

static sneppp_error model_error;
static int model_says(sneppp_status got, sneppp_status want, const char *text)
{
   if (got == want && strstr(model_error.why, text)) return 1;
   printf("   status %d: %s\n", (int)got, model_error.why);
   return 0;
}

static size_t model_no_events(sneppp_real *dst, size_t first, size_t count, void *user)
{
   (void)dst, (void)first, (void)count, (void)user;
   return 0;
}

/* A region with a part of a factor that the model does not have is refused by all that take regions. */
static int model_everywhere(const sneppp_real *x, void *user) { return (void)x, (void)user, 1; }
TEST model_regions_of_other_factors(void)
{
   sneppp_place       place;
   static const char   words[] = "factor[1] is given, but the model has 1 factor";
   static const double lo[1] = {0}, hi[1] = {4};
   sneppp_real        x[8] = {1, 2, 3, 1, 2, 3, 1, 2};
   sneppp_model       m;
   sneppp_region      r[2];
   sneppp_window      part;
   sneppp_events      e;
   sneppp_fit_desc    f;
   sneppp_sample_desc how;
   sneppp_sure        sure[2];
   double             count[2], K[1];
   sneppp_error      *err = &model_error;
   memset(r, 0, sizeof r), memset(&part, 0, sizeof part), memset(&e, 0, sizeof e), memset(&f, 0, sizeof f);
   memset(&how, 0, sizeof how);
   part.dim = 1, part.hi[0] = 1;
   r[1].factor[1] = &part, e.x = x, e.count = 8;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit_box(&m, 1, lo, hi, x, 8, NULL));
   ASSERT(model_says(sneppp_count(&m, r, 2, count, NULL, err), SNEPPP_ERR_ARG, words));
   ASSERT(model_says(sneppp_count_sure(&m, r, 2, 0.9, sure, NULL, err), SNEPPP_ERR_ARG, words));
   how.region = &r[1], how.count = 1;
   ASSERT(model_says(sneppp_sample(&m, &how, x, 1, NULL, err), SNEPPP_ERR_ARG, words));
   ASSERT_EQ((size_t)0, sneppp_sample_bytes(&m, &r[1], 1, err));
   ASSERT(model_says(sneppp_model_gram(&m, &r[1], K, NULL, err), SNEPPP_ERR_ARG, words)); /* before it writes */
   memset(&place, 0, sizeof place);
   place.inside = model_everywhere, place.within = &r[1];
   ASSERT(model_says(sneppp_count_numeric(&m, &place, count, NULL, err), SNEPPP_ERR_ARG, words));
   ASSERT(model_says(sneppp_count_numeric_sure(&m, &place, 0.9, sure, err), SNEPPP_ERR_ARG, words));
   e.seen = &r[1], f.events = &e;
   ASSERT(model_says(sneppp_fit(&m, &f, NULL, err), SNEPPP_ERR_ARG, words));
   e.seen = NULL, e.region = r, e.regions = 2, e.counts = count, e.x = NULL, e.count = 0;
   count[0] = count[1] = 1;
   ASSERT(model_says(sneppp_fit(&m, &f, NULL, err), SNEPPP_ERR_ARG, words));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, r, 1, count, NULL, NULL)); /* nothing is given there */
   sneppp_free(&m);
   PASS();
}

/* What descriptions, events and questions are refused for, each in a sentence that names the field. */
TEST model_refusals(void)
{
   sneppp_model        m, out;
   sneppp_desc         d;
   sneppp_events       e;
   sneppp_real         x[SNEPPP_MAX_DIM] = {0}, psi[8];
   double              nll = 7;
   memset(&d, 0, sizeof d);
   ASSERT(model_says(sneppp_init(&m, &d, &model_error), SNEPPP_ERR_ARG, "at least one factor"));
   for (int f = 0; f < 2; f++) d.factor[f].window.dim = 1, d.factor[f].window.hi[0] = 1 + f;
   d.width = 4;
   d.factor[1].width = 3;
   ASSERT(model_says(sneppp_init(&m, &d, &model_error), SNEPPP_ERR_ARG, "factor[1].width = 3 differs from factor[0].width = 4"));
   d.mix = SNEPPP_MIX_SUM;
   ASSERT(model_says(sneppp_init(&m, &d, &model_error), SNEPPP_ERR_ARG, "factor[1].width = 3 differs"));
   d.factor[1].width = 0;
   d.factor[1].window = d.factor[0].window;
   d.mix = SNEPPP_MIX_PRODUCT;

   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &model_error));
   memset(&e, 0, sizeof e);
   e.count = 2;
   ASSERT(model_says(sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &model_error), SNEPPP_ERR_ARG, "events.count = 2, but events.x and events.read"));
   e.x = x, e.stride = 1;
   ASSERT(model_says(sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &model_error), SNEPPP_ERR_ARG, "events.stride = 1 is less than the 2"));
   e.stride = 2;
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &model_error));
   nll = 7;
   e.read = model_no_events;
   ASSERT(model_says(sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &model_error), SNEPPP_ERR_ARG, "events.x and events.read are both given"));
   e.x = NULL;
   ASSERT(model_says(sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &model_error), SNEPPP_ERR_ARG, "events.stride and events.weight are for"));
   e.stride = 0, e.weight = x;
   ASSERT(model_says(sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &model_error), SNEPPP_ERR_ARG, "events.stride and events.weight are for"));
   ASSERT_EQ(7.0, nll);
   ASSERT_EQ(SNEPPP_OK, sneppp_features(&m, x, psi, &model_error));
   x[1] = (sneppp_real)1.5;
   ASSERT(model_says(sneppp_features(&m, x, psi, &model_error), SNEPPP_ERR_DATA, "outside the window"));
   ASSERT(model_says(sneppp_features(&m, NULL, psi, &model_error), SNEPPP_ERR_ARG, "x or psi"));
   sneppp_free(&m);

   memset(&d.factor[1], 0, sizeof d.factor[1]);
   d.group = 2; /* groups are for radial units, and divide their number */
   ASSERT(model_says(sneppp_init(&m, &d, &model_error), SNEPPP_ERR_ARG, "desc.group needs"));
   d.factor[0].unit.act = SNEPPP_ACT_RBF;
   ASSERT(model_says(sneppp_init(&m, &d, &model_error), SNEPPP_ERR_ARG, "desc.group needs"));
   d.readout = SNEPPP_READOUT_DIAGONAL;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &model_error));
   sneppp_free(&m);
   d.group = 3;
   ASSERT(model_says(sneppp_init(&m, &d, &model_error), SNEPPP_ERR_ARG, "desc.group needs"));
   d.group = 0, d.readout = SNEPPP_READOUT_FULL, d.factor[0].unit.act = SNEPPP_ACT_DEFAULT;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &model_error));
   ASSERT(model_says(sneppp_marginal(&m, 0, NULL, &out, &model_error), SNEPPP_ERR_ARG, "one factor only"));
   ASSERT(model_says(sneppp_marginal(&m, 0, NULL, &m, &model_error), SNEPPP_ERR_ARG, "the model itself"));
   ASSERT(m.n > 0); /* and is still there */
   sneppp_free(&m);
   d.factor[1] = d.factor[2] = d.factor[0];
   d.mix = SNEPPP_MIX_SUM;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &model_error));
   ASSERT(model_says(sneppp_marginal(&m, 0, NULL, &out, &model_error), SNEPPP_ERR_NO_CLOSED_FORM, "three or more factors"));
   sneppp_free(&m);
   memset(&d.factor[2], 0, sizeof d.factor[2]);
   d.readout = SNEPPP_READOUT_DIAGONAL;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &model_error));
   ASSERT(model_says(sneppp_marginal(&m, 0, NULL, &out, &model_error), SNEPPP_ERR_NO_CLOSED_FORM, "use a full readout"));
   sneppp_free(&m);
   PASS();
}

/* A mixture is centred and scaled by its own mean and deviation, whatever its weights sum to. */
TEST model_gaussian_units(void)
{
   static const double weight[2] = {3, 1}, mean[4] = {1, -4, 5, 8}, scale[4] = {0.5, 2, 1.5, 3};
   sneppp_model        m;
   sneppp_desc         d;
   memset(&d, 0, sizeof d);
   d.width = 4, d.seed = 3;
   d.factor[0].window.space = SNEPPP_SPACE_GAUSS, d.factor[0].window.dim = 2, d.factor[0].window.count = 2;
   d.factor[0].window.weight = weight, d.factor[0].window.mean = mean, d.factor[0].window.scale = scale;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &model_error));
   for (int r = 0; r < 2; r++) {
      double centre = (3 * mean[r] + mean[2 + r]) / 4, square = 0;
      for (int k = 0; k < 2; k++) {
         double e = mean[2 * k + r] - centre;
         square += weight[k] / 4 * (scale[2 * k + r] * scale[2 * k + r] + e * e);
      }
      ASSERT_IN_RANGE(centre, m.layer[0].shift[r], 1e-14);
      ASSERT_IN_RANGE(1 / sqrt(square), m.layer[0].rate[r], 1e-14);
   }
   sneppp_free(&m);
   d.factor[0].window.count = 1, d.factor[0].window.weight = NULL;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &model_error));
   sneppp_free(&m);
   PASS();
}

/* An event that is refused: which of its coordinates, and why, on a sphere times a plane times a polygon. */
TEST model_blames_coordinates(void)
{
   static const double      xy[6] = {0, 0, 4, 0, 0, 4};
   static const sneppp_real good[6] = {0, (sneppp_real)0.6, (sneppp_real)0.8, 50, 1, 1};
   static const struct { int at; double to; const char *why; } wrong[] = {
      {1, 0.7, "event 1 is outside the window: its coordinates from x[0] on have the length 1.06"},
      {3, 101, "event 1 is outside the window: its x[3] is 101, not in [0, 100]"},
      {5, 3.5, "event 1 is outside the window: its coordinates from x[4] on are 1, 3.5"},
      {4, -1, "event 1 is outside the window: its coordinates from x[4] on are -1, 1"},
      {3, 30, "event 1 is outside the part that was seen: its x[3] is 30, not in [40, 60]"}};
   sneppp_desc     d;
   sneppp_model    m;
   sneppp_window   part;
   sneppp_region   seen;
   sneppp_events   e;
   sneppp_error    err;
   sneppp_real     x[18];
   double          nll;
   memset(&d, 0, sizeof d), memset(&part, 0, sizeof part), memset(&seen, 0, sizeof seen), memset(&e, 0, sizeof e);
   d.factor[0].window.space = SNEPPP_SPACE_SPHERE, d.factor[0].window.dim = 3;
   d.factor[1].window.dim = 1, d.factor[1].window.hi[0] = 100;
   d.factor[2].window.space = SNEPPP_SPACE_POLYGON, d.factor[2].window.dim = 2, d.factor[2].window.count = 3, d.factor[2].window.xy = xy;
   d.width = 4;
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
   part.dim = 1, part.lo[0] = 40, part.hi[0] = 60, seen.factor[1] = &part;
   e.x = x, e.count = 3;
   for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
      for (int i = 0; i < 18; i++) x[i] = good[i % 6];
      x[6 + wrong[k].at] = (sneppp_real)wrong[k].to;
      e.seen = k == 4 ? &seen : NULL;
      ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &err));
      ASSERTm(err.why, !strncmp(err.why, wrong[k].why, strlen(wrong[k].why)));
      ASSERT_EQ(1, err.event);
   }
   x[6 + 3] = 50, x[6 + 5] = (sneppp_real)sneppp__nan();
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &err));
   ASSERT_STR_EQ("event 1 is not finite: its x[5]", err.why);
   sneppp_free(&m);
   PASS();
}

/* Without biases psi is sigma(W (x - c)), c the middle of the window, whatever the way in: the count is the integral, the
   parameters come back, and the saved model loads. A bias of another middle is refused by name. */
TEST model_no_bias(void)
{
   static unsigned char bytes[4000];
   sneppp_desc  d = model_desc(SNEPPP_MIX_PRODUCT, SNEPPP_READOUT_FULL, 2);
   double       W[4] = {0.7, -1.1, 2.3, 0.2}, b[4] = {0, 0, 0, 0}, W2[4], b2[4], count, loaded;
   sneppp_model m, l;
   sneppp_error err;
   size_t       n;
   d.factor[0].unit.act = SNEPPP_ACT_COS;
   d.factor[0].no_bias = 1;
   ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_set_layer(&m, 0, W, b, NULL, &err));
   ASSERT(strstr(err.why, "b[0] = 0") && strstr(err.why, "no_bias"));
   ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, W, NULL, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &count, NULL, &err));
   ASSERT_IN_RANGE(count, model_quadrature(&m, 0, 100), MODEL_TOLERANCE * count);
   ASSERT_EQ(SNEPPP_OK, sneppp_get_layer(&m, 0, W2, b2, NULL, &err));
   for (int i = 0; i < 4; i++) {
      ASSERT_IN_RANGE(W[i], W2[i], 1e-6 * fabs(W[i]));
      ASSERT_IN_RANGE(-W2[i] * 501.5, b2[i], 1e-12 * fabs(b2[i]));
      ASSERT(m.layer[0].b[i] == 0);
   }
   ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, W2, b2, NULL, &err));
   for (int i = 0; i < 4; i++) ASSERT(m.layer[0].b[i] == 0);
   b2[2] += 1e-3;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_set_layer(&m, 0, W2, b2, NULL, &err));
   ASSERT(strstr(err.why, "b[2]"));
   n = sneppp_save(&m, bytes, sizeof bytes);
   ASSERT(n && n <= sizeof bytes);
   ASSERT_EQ(SNEPPP_OK, sneppp_load(&l, bytes, n, NULL, 0, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &count, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&l, NULL, 1, &loaded, NULL, &err));
   ASSERT(count == loaded);
   sneppp_free(&l);
   sneppp_free(&m);
   PASS();
}

/* Where features are added, those of one factor are integrated over the others: one of infinite mass is refused. */
TEST model_infinite_mass(void)
{
   static const sneppp_space space[3] = {SNEPPP_SPACE_NORMAL, SNEPPP_SPACE_NEGBINOMIAL, SNEPPP_SPACE_EUCLID};
   for (int s = 0; s < 3; s++)
      for (int mix = 0; mix < SNEPPP_MIX_END; mix++) {
         int          adds = mix == SNEPPP_MIX_SUM || mix == SNEPPP_MIX_STACK || mix == SNEPPP_MIX_ADDITIVE;
         sneppp_desc  d;
         sneppp_model m;
         sneppp_error err;
         memset(&d, 0, sizeof d);
         d.mix = (sneppp_mix)mix, d.width = 3;
         d.factor[0].window.dim = 1, d.factor[0].window.hi[0] = 2;
         d.factor[1].window.space = space[s], d.factor[1].window.dim = 1, d.factor[1].window.param[0] = 2;
         d.factor[0].unit.act = SNEPPP_ACT_EXP;
         d.factor[1].unit.act = space[s] == SNEPPP_SPACE_EUCLID ? SNEPPP_ACT_RBF : SNEPPP_ACT_EXP;
         ASSERT_EQ(adds ? SNEPPP_ERR_ARG : SNEPPP_OK, sneppp_init(&m, &d, &err));
         if (adds) ASSERT(strstr(err.why, "factor[1] has no finite mass"));
         sneppp_free(&m);
      }
   PASS();
}

/* Default weights of exp units lie in the domain of every exponential family, however near its border is, and differ. */
TEST model_families_start(void)
{
   static const struct { sneppp_space space; int dim; double a, b; } row[] = {
      {SNEPPP_SPACE_GAMMA, 1, 2, 1}, {SNEPPP_SPACE_GAMMA, 1, 0.01, 0.02}, {SNEPPP_SPACE_BETA, 1, 0.01, 0.5}, {SNEPPP_SPACE_DIRICHLET, 3, 0.02, 0.3},
      {SNEPPP_SPACE_POISSON, 1, 3, 0}, {SNEPPP_SPACE_BINOMIAL, 1, 7, 0}, {SNEPPP_SPACE_NEGBINOMIAL, 1, 2.5, 0}, {SNEPPP_SPACE_NORMAL, 1, 0, 0},
      {SNEPPP_SPACE_VONMISES, 1, 0, 0}};
   for (size_t k = 0; k < sizeof row / sizeof *row; k++)
      for (uint64_t seed = 1; seed <= 20; seed++) {
         sneppp_desc  d;
         sneppp_model m;
         sneppp_error err;
         double       count;
         memset(&d, 0, sizeof d);
         d.width = 24, d.seed = seed;
         d.factor[0].window.space = row[k].space, d.factor[0].window.dim = row[k].dim;
         d.factor[0].window.param[0] = row[k].a, d.factor[0].window.param[1] = row[k].b;
         for (int r = 2; r < row[k].dim; r++) d.factor[0].window.param[r] = row[k].b;
         d.factor[0].unit.act = SNEPPP_ACT_EXP;
         if (sneppp_init(&m, &d, &err) != SNEPPP_OK) FAILm(err.why);
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &count, NULL, &err));
         ASSERT(count > 0 && sneppp__finite(count));
         for (int i = 0; i < 24; i++)
            for (int j = 0; j < i; j++) ASSERT(m.layer[0].W[i * m.layer[0].d] != m.layer[0].W[j * m.layer[0].d]);
         sneppp_free(&m);
      }
   PASS();
}

/* What has no integral is refused by sneppp_set_layer as by sneppp_init, and nothing changes: exp units need 2 w in the
   domain of the family's natural parameter, here shape + 2 w0 > 0 and rate - 2 w1 > 0. */
TEST model_layers_in_their_domain(void)
{
   static const double bad[3][4] = {{0.1, -1, -1.01, 0}, {0.1, -1, 0, 0.51}, {-1.0, 0, 0.1, -1}},
                       good[4] = {-0.99, 0, 0.1, 0.49};
   sneppp_desc  d;
   sneppp_model m;
   sneppp_real  x[1] = {2}, before;
   double       count = 0;
   memset(&d, 0, sizeof d);
   d.width = 2;
   d.factor[0].window.space = SNEPPP_SPACE_GAMMA, d.factor[0].window.dim = 1;
   d.factor[0].window.param[0] = 2, d.factor[0].window.param[1] = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &model_error));
   ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, good, NULL, NULL, &model_error));
   before = sneppp_intensity(&m, x);
   for (int k = 0; k < 3; k++)
      ASSERT(model_says(sneppp_set_layer(&m, 0, bad[k], NULL, NULL, &model_error), SNEPPP_ERR_ARG, "does not exist"));
   ASSERT(sneppp_intensity(&m, x) == before && before > 0);
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &count, NULL, &model_error));
   ASSERT(count > 0 && sneppp__finite(count));
   sneppp_free(&m);
   PASS();
}

/* Activations of arrays, with vectors or without, against their definitions in double, for every length up to a few
   vectors, and their slopes against differences; at a kink the slope is that from the left. */
TEST model_activations_of_arrays(void)
{
   enum { most = 21 };
   sneppp_real  z[most + 1], psi[most + 1], slope[most + 1];
   const double digits = sizeof(sneppp_real) == 4 ? 4e-6 : 1e-13;
   for (int act = SNEPPP_ACT_COS; act < SNEPPP_ACT_END; act++) {
      sneppp_unit u;
      if (act == SNEPPP_ACT_RBF) continue; /* has no z of its own */
      u.act = (sneppp_act)act;
      u.p = act == SNEPPP_ACT_RECT || act == SNEPPP_ACT_MONOMIAL ? 3 : act == SNEPPP_ACT_LEAKY ? -0.3 : 0.75, u.q = 2.5;
      for (size_t n = 1; n <= most; n++)
         for (int large = 0; large < 2; large++) { /* an argument that vectors of waves leave to libm */
            int wave = act == SNEPPP_ACT_COS || act == SNEPPP_ACT_SIN || act == SNEPPP_ACT_SNAKE || act == SNEPPP_ACT_COSMIDENT;
            for (size_t i = 0; i <= n; i++) z[i] = (sneppp_real)(0.37 * (double)i - 3.33 + 0.02 * (double)n);
            z[n / 2] = 0;
            if (large) z[n / 3] = (sneppp_real)(wave ? 300000 : act == SNEPPP_ACT_EXP ? 20 : 60);
            psi[n] = slope[n] = 99;
            case_act(&u, n, z, psi, NULL);
            for (int with = 0; with < 2; with++) {
               if (with) case_act(&u, n, z, psi, slope);
               for (size_t i = 0; i < n; i++) {
                  double x = (double)z[i], want = case_sigma(&u, x), size = fabs(want) + (wave ? 1 + fabs(x) * 0.1 : 0.1), h = 1e-5, left, dif;
                  ASSERT_IN_RANGE(want, (double)psi[i], digits * size * 10);
                  if (!with) continue;
                  left = x == 0 ? 0 : h;
                  dif = (case_sigma(&u, x + left) - case_sigma(&u, x - h)) / (left + h);
                  if (act == SNEPPP_ACT_STEP) dif = 0;
                  if (x == 0) dif = 2 * dif - (case_sigma(&u, 0) - case_sigma(&u, -2 * h)) / (2 * h); /* of second order, from one side */
                  ASSERT_IN_RANGE(dif, (double)slope[i], (fabs(dif) + 1) * (large && wave ? 1e-4 : 3e-8) + 20 * digits * (fabs(dif) + fabs(x) * 0.1 + 1));
               }
            }
            ASSERT(psi[n] == 99 && slope[n] == 99);
         }
   }
   PASS();
}

/* Products with a factor of one unit, and of unequal widths: one point at a time as many at once. */
TEST model_outer_of_one_unit(void)
{
   for (int wide = 0; wide < 3; wide++) {
      sneppp_desc   d;
      sneppp_model  m;
      sneppp_error  err;
      sneppp_events at;
      sneppp_real   x[2 * 30], out[30], psi[64];
      memset(&d, 0, sizeof d);
      memset(&at, 0, sizeof at);
      d.factor[0].window.dim = d.factor[1].window.dim = 1;
      d.factor[0].window.hi[0] = 1, d.factor[1].window.hi[0] = 2;
      d.factor[0].unit.act = d.factor[1].unit.act = SNEPPP_ACT_GELU;
      d.factor[0].width = wide == 2 ? 1 : 5, d.factor[1].width = wide == 1 ? 1 : 4;
      d.mix = SNEPPP_MIX_OUTER, d.rank = 3;
      d.factor[0].window.space = d.factor[1].window.space = SNEPPP_SPACE_GAUSS;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
      ASSERT_EQ(d.factor[0].width * d.factor[1].width, m.n);
      for (int i = 0; i < 60; i++) x[i] = (sneppp_real)(0.03 * i - 0.7 * (i % 2));
      at.x = x, at.count = 30;
      ASSERT_EQ(SNEPPP_OK, sneppp_intensities(&m, &at, out, NULL, &err));
      for (int i = 0; i < 30; i++) {
         double want = 0, one = (double)sneppp_intensity(&m, x + 2 * i);
         ASSERT_IN_RANGE((double)out[i], one, (sizeof(sneppp_real) == 4 ? 1e-5 : 1e-13) * one);
         ASSERT_EQ(SNEPPP_OK, sneppp_features(&m, x + 2 * i, psi, &err));
         for (int r = 0; r < m.readout[0].m; r++) {
            double v = 0;
            for (int k = 0; k < m.n; k++) v += (double)m.readout[0].V[r * m.n + k] * (double)psi[k];
            want += v * v;
         }
         for (int r = 0; r < 2; r++) want *= exp(-0.5 * (double)x[2 * i + r] * (double)x[2 * i + r]) / sqrt(2 * SNEPPP__PI);
         ASSERT_IN_RANGE(m.alpha * want, one, (sizeof(sneppp_real) == 4 ? 1e-5 : 1e-12) * one);
      }
      sneppp_free(&m);
   }
   PASS();
}

/* Small promises: a condition needs a point, a matrix is set without keeping memory. */
TEST model_needs_a_point_and_keeps_no_memory(void)
{
   test_alloc   a = {0, 0, 0, 0};
   sneppp_desc  d = model_desc(SNEPPP_MIX_PRODUCT, SNEPPP_READOUT_FULL, 2);
   sneppp_model m, slice;
   sneppp_error err;
   static double M[64 * 64];
   size_t       live;
   d.alloc_ctx = &a;
   memset(&err, 0, sizeof err);
   ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_conditional(&m, 1, NULL, &slice, &err));
   ASSERT(strstr(err.why, "at is NULL"));
   ASSERT(m.n <= 64);
   ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, M, &err));
   live = a.live;
   ASSERT_EQ(SNEPPP_OK, sneppp_set_matrix(&m, M, &err));
   ASSERT_EQ_FMT(live, a.live, "%zu");
   M[0] = -1e6;
   ASSERT_EQ(SNEPPP_ERR_NOT_POSITIVE, sneppp_set_matrix(&m, M, &err));
   ASSERT_EQ_FMT(live, a.live, "%zu");
   sneppp_free(&m);
   ASSERT_EQ((size_t)0, a.live);
   PASS();
}

/* Of a region whose sides lie on the window's, with vertices of the window on them, all is inside; what hangs over by a
   part in 10^9 is not. */
TEST model_parts_of_a_side(void)
{
   static const double xy[10] = {0, 0, 1, 0, 3, 0, 4, 2, 0, 2};
   double              side[6] = {0, 0, 3, 0, 4, 2};
   sneppp_window       w, part;
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_SPACE_POLYGON, w.dim = 2, w.count = 5, w.xy = xy;
   part = w, part.count = 3, part.xy = side;
   ASSERT_IN_RANGE(3, sneppp__shared_area(&w, &part), 1e-12);
   ASSERT(sneppp__is_inside(&w, &part));
   side[3] = -1e-9;
   ASSERT(!sneppp__is_inside(&w, &part));
   side[3] = 1e-9;
   ASSERT(sneppp__is_inside(&w, &part));
   PASS();
}

/* A mixture that was learnt is the reduced model's, too: its marginal is the integral over the other factor. A condition
   outside of the window, or that is no number, is refused. */
TEST model_marginal_of_a_learnt_mixture(void)
{
   static const double weight[2] = {0.5, 0.7}, mean[2] = {-1, 1}, scale[2] = {1, 0.5};
   sneppp_desc  d;
   sneppp_model m, out;
   sneppp_error err;
   sneppp_real  x[2], at[3];
   memset(&d, 0, sizeof d);
   d.factor[0].window.space = SNEPPP_SPACE_GAUSS, d.factor[0].window.dim = 1, d.factor[0].window.count = 2;
   d.factor[0].window.weight = weight, d.factor[0].window.mean = mean, d.factor[0].window.scale = scale;
   d.factor[1].window.dim = 1, d.factor[1].window.lo[0] = 2, d.factor[1].window.hi[0] = 5;
   d.factor[0].unit.act = d.factor[1].unit.act = SNEPPP_ACT_COS, d.width = 5, d.seed = 6;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   m.floor = 0.2;
   for (int k = 0; k < 2; k++) { /* as a fit would change them */
      *(double *)(size_t)&m.layer[0].inside.weight[k] *= 0.9 + 0.3 * k;
      *(double *)(size_t)&m.layer[0].inside.mean[k] += 0.25;
      *(double *)(size_t)&m.layer[0].inside.scale[k] *= 1.2 - 0.1 * k;
   }
   ASSERT_EQ(SNEPPP_OK, sneppp_marginal(&m, 1, NULL, &out, &err));
   for (int i = 0; i < 9; i++) {
      double sum = 0, w;
      x[0] = (sneppp_real)(-2 + 0.5 * i);
      for (int q = 0; q < 120; q++) {
         x[1] = (sneppp_real)model_node(q, 2, 5, &w);
         sum += w * (double)sneppp_intensity(&m, x);
      }
      ASSERT_IN_RANGE(sum, (double)sneppp_intensity(&out, x), MODEL_TOLERANCE * (1 + sum));
   }
   sneppp_free(&out);
   at[0] = 1, at[1] = 6, at[2] = (sneppp_real)sneppp__nan();
   for (int k = 0; k < 3; k++) {
      memset(&err, 0, sizeof err);
      ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_conditional(&m, 1, &at[k], &out, &err));
      ASSERT(strstr(err.why, "outside factor[1]"));
   }
   sneppp_free(&m);
   PASS();
}

/* The first bumps of a model cover the window as often however many there are: their number times their size is the same. */
TEST model_first_bumps_cover(void)
{
   for (int dim = 1; dim <= 3; dim++) {
      double first = 0;
      for (int n = 1; n <= 256; n *= 4) {
         sneppp_desc  d;
         sneppp_model m;
         sneppp_error err;
         memset(&d, 0, sizeof d);
         d.factor[0].window.dim = dim, d.factor[0].unit.act = SNEPPP_ACT_RBF, d.width = n;
         for (int r = 0; r < dim; r++) d.factor[0].window.hi[r] = 1 + r;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
         for (int i = 0; i < n; i++) {
            double size = n;
            for (int r = 0; r < dim; r++) size *= (double)m.layer[0].width[i * dim + r];
            if (n == 1) first = size;
            ASSERT_IN_RANGE(first, size, 1e-5 * first);
         }
         sneppp_free(&m);
      }
   }
   PASS();
}

/* Parameters that could not be stored are refused by name, and the layer stays as it was. */
TEST model_layers_in_proportion(void)
{
   sneppp_desc  d;
   sneppp_model m;
   sneppp_error err;
   double       W[4] = {0.5, 0.5, 0.25, 0.75}, width[4] = {1, 1, 1, 1}, before[4], after[4], widths[4];
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 2, d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = 1;
   d.factor[0].unit.act = SNEPPP_ACT_RBF, d.width = 2;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, W, NULL, width, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_get_layer(&m, 0, before, NULL, widths, &err));
   for (int k = 0; k < 3; k++) {
      double *p = k == 0 ? &W[1] : &width[2], was = *p;
      *p = k < 2 ? 1e303 : 1e-323;
      memset(&err, 0, sizeof err);
      if (k < 2 || sizeof(sneppp_real) == 4) {
         ASSERT_EQ_FMT(SNEPPP_ERR_RANGE, sneppp_set_layer(&m, 0, W, NULL, width, &err), "%d");
         ASSERT(strstr(err.why, k == 0 ? "W[0][1] or its width is out of all proportion" : "W[1][0] or its width"));
      }
      *p = was;
      ASSERT_EQ(SNEPPP_OK, sneppp_get_layer(&m, 0, after, NULL, widths, &err));
      ASSERT_EQ(0, memcmp(before, after, sizeof before));
   }
   sneppp_free(&m);
   PASS();
}

/* Units that are not picked are zero for all events of the chunk, and none is picked that the box of the chunk does not reach. */
TEST model_active_sets(void)
{
   enum { B = 20, N = 60 };
   sneppp_desc  d;
   sneppp_model m;
   sneppp_error err;
   sneppp_rng   rng;
   sneppp_real  T[2][B * 2], *all[2], psi[N];
   int          pick[N];
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 2, d.factor[1].window.dim = 1;
   d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = d.factor[1].window.hi[0] = 1;
   d.factor[0].unit.act = d.factor[1].unit.act = SNEPPP_ACT_RELU, d.width = N, d.seed = 9;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   sneppp_rng_init(&rng, 7, 7);
   all[0] = T[0], all[1] = T[1];
   for (int turn = 0; turn < 40; turn++) {
      double at[3], size = pow(0.5, turn % 6);
      int    seen[N] = {0}, reached[N], needed = 0, picked;
      for (int k = 0; k < 3; k++) at[k] = sneppp_rng_uniform(&rng) * (1 - size);
      for (size_t b = 0; b < B; b++) {
         sneppp_real x[3];
         for (int k = 0; k < 3; k++) x[k] = (sneppp_real)(at[k] + size * sneppp_rng_uniform(&rng));
         sneppp__statistics(&m, 0, x, T[0] + 2 * b);
         sneppp__statistics(&m, 1, x + 2, T[1] + b);
         ASSERT_EQ(SNEPPP_OK, sneppp_features(&m, x, psi, &err));
         for (int i = 0; i < N; i++) seen[i] |= psi[i] > 0;
      }
      for (int i = 0; i < N; i++) { /* the largest argument at a corner of the box around the chunk, for each factor */
         reached[i] = 1;
         for (int f = 0; f < 2; f++) {
            size_t n = f ? 1 : 2;
            double z = (double)m.layer[f].b[i];
            for (size_t r = 0; r < n; r++) {
               double w = (double)m.layer[f].W[(size_t)i * n + r], most = -1e300;
               for (size_t b = 0; b < B; b++) most = fmax(most, w * (double)T[f][b * n + r]);
               z += most;
            }
            reached[i] = reached[i] && z > -1e-5;
         }
         needed += reached[i];
      }
      picked = (int)sneppp__active_set(&m, B, all, pick);
      ASSERT(picked <= N && picked <= needed);
      for (int k = 1; k < picked; k++) ASSERT(pick[k] > pick[k - 1]);
      for (int i = 0; i < N; i++) {
         int is = 0;
         for (int k = 0; k < picked; k++) is |= pick[k] == i;
         if (seen[i]) ASSERT(is);
      }
   }
   sneppp_free(&m);
   PASS();
}

/* Regions of another kind than the window: a box of a line of pieces, boxes and polygons in a disc, and what a sphere and a
   disc cannot have. */
TEST model_parts_of_lines_and_discs(void)
{
   static const double beyond[6] = {0.2, 0.1, 1.5, 0.1, 2.9, 2.9};
   static const double ends[4] = {0, 2, 5, 9}, some[2] = {5.5, 8}, corners[8] = {0.2, 0.1, 1.5, 0.1, 1.5, 2.2, 0.2, 2.2};
   const double        eps = sizeof(sneppp_real) < sizeof(double) ? 1e-4 : 1e-9;
   sneppp_desc         d;
   sneppp_model        m;
   sneppp_error        err;
   sneppp_window       box, other;
   sneppp_region       region[2];
   double              n[2], sum = 0, wx, wy;
   memset(&d, 0, sizeof d), memset(&box, 0, sizeof box), memset(&other, 0, sizeof other), memset(region, 0, sizeof region);
   region[0].factor[0] = &box, region[1].factor[0] = &other;
   d.width = 5, d.seed = 3;
   d.factor[0].window.space = SNEPPP_SPACE_INTERVALS, d.factor[0].window.dim = 1;
   d.factor[0].window.count = 2, d.factor[0].window.ends = ends;
   ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
   box.dim = 1, box.lo[0] = 5.5, box.hi[0] = 8;
   other.space = SNEPPP_SPACE_INTERVALS, other.dim = 1, other.count = 1, other.ends = some;
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_count(&m, region, 2, n, NULL, &err), "%d");
   ASSERT(n[0] > 0);
   ASSERT_IN_RANGE(n[1], n[0], eps * n[1]);
   for (int i = 0; i < MODEL_NODES; i++) {
      sneppp_real x = (sneppp_real)model_node(i, 5.5, 8, &wx);
      sum += wx * (double)sneppp_intensity(&m, &x);
   }
   ASSERT_IN_RANGE(sum, n[0], eps * sum);
   box.lo[0] = 1;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_count(&m, region, 1, n, NULL, &err));
   ASSERT_STR_EQ("region.factor[0]: [1, 8] reaches outside the window or spans a gap of it", err.why);
   sneppp_free(&m);
   d.factor[0].window.space = SNEPPP_SPACE_BALL, d.factor[0].window.dim = 2, d.factor[0].window.radius = 2;
   d.factor[0].window.centre[0] = d.factor[0].window.centre[1] = 1;
   ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
   box.dim = 2, box.lo[0] = 0.2, box.hi[0] = 1.5, box.lo[1] = 0.1, box.hi[1] = 2.2;
   memset(&other, 0, sizeof other);
   other.space = SNEPPP_SPACE_POLYGON, other.dim = 2, other.count = 4, other.xy = corners;
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_count(&m, region, 2, n, NULL, &err), "%d");
   ASSERT_IN_RANGE(n[1], n[0], eps * n[1]);
   sum = 0;
   for (int i = 0; i < MODEL_NODES; i++)
      for (int j = 0; j < MODEL_NODES; j++) {
         sneppp_real x[2];
         x[0] = (sneppp_real)model_node(i, 0.2, 1.5, &wx), x[1] = (sneppp_real)model_node(j, 0.1, 2.2, &wy);
         sum += wx * wy * (double)sneppp_intensity(&m, x);
      }
   ASSERT_IN_RANGE(sum, n[0], eps * sum);
   box.hi[0] = 2.7; /* at its upper right corner only */
   box.lo[1] = 0.5, box.hi[1] = 2.5;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_count(&m, region, 1, n, NULL, &err));
   ASSERT_STR_EQ("region.factor[0] reaches outside the window near 2.7", err.why);
   other.count = 3, other.xy = beyond; /* a polygon at its last vertex */
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_count(&m, region + 1, 1, n, NULL, &err));
   ASSERT_STR_EQ("region.factor[0] reaches outside the window near 2.9", err.why);
   other.space = SNEPPP_SPACE_GAUSS, other.count = 0, other.xy = NULL;
   ASSERT_EQ(SNEPPP_ERR_NO_CLOSED_FORM, sneppp_count(&m, region + 1, 1, n, NULL, &err));
   sneppp_free(&m);
   memset(&d.factor[0].window, 0, sizeof d.factor[0].window);
   d.factor[0].window.space = SNEPPP_SPACE_SPHERE, d.factor[0].window.dim = 2;
   ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
   ASSERT_EQ(SNEPPP_ERR_NO_CLOSED_FORM, sneppp_count(&m, region, 1, n, NULL, &err));
   ASSERT_STR_EQ("region.factor[0]: no closed form for this kind of region in this kind of window", err.why);
   sneppp_free(&m);
   PASS();
}

/* A coordinate that is no number makes the intensity one that is none, also beside another factor that is outside. */
TEST model_nan_beside_outside(void)
{
   enum { N = 40 };
   sneppp_desc   d;
   sneppp_model  m;
   sneppp_error  err;
   sneppp_events e;
   sneppp_real   x[2 * N], out[N];
   memset(&d, 0, sizeof d), memset(&e, 0, sizeof e);
   for (int f = 0; f < 2; f++) d.factor[f].window.dim = 1, d.factor[f].window.hi[0] = 1;
   d.width = 3;
   ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
   for (int i = 0; i < 2 * N; i++) x[i] = (sneppp_real)0.25;
   x[20] = 5, x[21] = (sneppp_real)sneppp__nan(), x[30] = 5;
   ASSERT(!sneppp__finite((double)sneppp_intensity(&m, x + 20)));
   ASSERT_EQ((sneppp_real)0, sneppp_intensity(&m, x + 30));
   e.x = x, e.count = N;
   ASSERT_EQ(SNEPPP_OK, sneppp_intensities(&m, &e, out, NULL, &err));
   for (int i = 0; i < N; i++) {
      if (i == 10) ASSERT(!sneppp__finite((double)out[i]));
      else if (i == 15) ASSERT_EQ((sneppp_real)0, out[i]);
      else ASSERT(out[i] > 0);
   }
   sneppp_free(&m);
   PASS();
}

/* Features of the caller's own are asked for points of the window only, whatever else is in a batch. */
static void model_inside_psi(const double *x, double *psi, void *user)
{
   if (!(x[0] >= 1 && x[0] <= 2)) ++*(int *)user;
   psi[0] = x[0], psi[1] = 1;
}
static int model_inside_gram(const sneppp_window *part, double *K, void *user)
{
   (void)user;
   double a = part->lo[0], b = part->hi[0];
   K[0] = (b * b * b - a * a * a) / 3, K[1] = K[2] = (b * b - a * a) / 2, K[3] = b - a;
   return 0;
}
TEST model_own_features_are_asked_inside(void)
{
   enum { N = 300 };
   sneppp_desc   d;
   sneppp_model  m;
   sneppp_error  err;
   sneppp_events e;
   sneppp_real   x[N], out[N];
   int           outside = 0;
   memset(&d, 0, sizeof d), memset(&e, 0, sizeof e);
   d.factor[0].window.dim = 1, d.factor[0].window.lo[0] = 1, d.factor[0].window.hi[0] = 2, d.width = 2;
   d.factor[0].own.psi = model_inside_psi, d.factor[0].own.gram = model_inside_gram, d.factor[0].own.user = &outside;
   ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
   for (int i = 0; i < N; i++) x[i] = (sneppp_real)(i < N / 2 ? i % 3 : 7); /* 0, 1, 2; then nothing inside at all */
   x[1] = (sneppp_real)sneppp__nan();
   e.x = x, e.count = N;
   ASSERT_EQ(SNEPPP_OK, sneppp_intensities(&m, &e, out, NULL, &err));
   ASSERT_EQ(0, outside);
   ASSERT(!sneppp__finite((double)out[1]));
   for (int i = 0; i < N; i++)
      if (i != 1) ASSERT_IN_RANGE((double)sneppp_intensity(&m, x + i), (double)out[i], 1e-6 * (double)out[i]);
   sneppp_free(&m);
   PASS();
}

/* A mixed layer may leave an activation to the window: it is the recommended one, everywhere. */
TEST model_mixed_layers_with_defaults(void)
{
   sneppp_unit  unit[2][3];
   sneppp_desc  d;
   sneppp_model m[2];
   sneppp_error err;
   sneppp_real  x[2] = {3, 4};
   double       count[2];
   memset(unit, 0, sizeof unit), memset(&d, 0, sizeof d);
   unit[0][1].act = unit[1][1].act = SNEPPP_ACT_SIN;
   unit[1][0].act = unit[1][2].act = sneppp__act_default(SNEPPP_SPACE_BOX);
   d.factor[0].window.dim = 2, d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = 5, d.width = 3;
   for (int k = 0; k < 2; k++) {
      d.factor[0].units = unit[k];
      ASSERT_EQ(SNEPPP_OK, model_make(&m[k], &d, &err));
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_count(&m[k], NULL, 1, &count[k], NULL, &err), "%d");
      for (int i = 0; i < 3; i++) ASSERT_EQ(unit[1][i].act, m[k].layer[0].units[i].act);
   }
   ASSERT_EQ(sneppp_intensity(&m[1], x), sneppp_intensity(&m[0], x));
   ASSERT_EQ(count[1], count[0]);
   sneppp_free(&m[0]), sneppp_free(&m[1]);
   PASS();
}

/* Entries of a product that cannot be represented are refused, before anything is written. */
TEST model_gram_overflows(void)
{
   static const double W[2] = {1, 700};
   sneppp_desc  d;
   sneppp_model m;
   double       K[4] = {7, 7, 7, 7};
   memset(&d, 0, sizeof d);
   for (int f = 0; f < 2; f++) d.factor[f].window.dim = 1, d.factor[f].window.hi[0] = 0.5, d.factor[f].unit.act = SNEPPP_ACT_EXP;
   d.width = 2;
   ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &model_error));
   for (int f = 0; f < 2; f++) ASSERT(model_says(sneppp_set_layer(&m, f, W, NULL, NULL, &model_error), SNEPPP_OK, ""));
   ASSERT(model_says(sneppp_model_gram(&m, NULL, K, NULL, &model_error), SNEPPP_ERR_RANGE, "K[1][1] cannot be represented"));
   for (int i = 0; i < 4; i++) ASSERT_EQ(7.0, K[i]);
   sneppp_free(&m);
   PASS();
}

/* A matrix whose root is no number of the model's precision is refused, and the model stays as it was. */
TEST model_matrix_too_large(void)
{
   const int    fits = sizeof(sneppp_real) == sizeof(double);
   sneppp_desc  d;
   sneppp_model m;
   double       M[16] = {0}, before[16], after[16];
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 1, d.factor[0].window.hi[0] = 1, d.width = 4;
   for (int k = 0; k < 2; k++) {
      d.readout = k ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL;
      ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &model_error));
      ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, before, NULL));
      for (int i = 0; i < 4; i++) M[5 * i] = i == 2 ? 1e100 : 1;
      ASSERT_EQ(fits ? SNEPPP_OK : SNEPPP_ERR_RANGE, sneppp_set_matrix(&m, M, &model_error));
      ASSERT_EQ(SNEPPP_OK, sneppp_get_matrix(&m, after, NULL));
      for (int i = 0; i < 16; i++) ASSERT_IN_RANGE(fits ? M[i] : before[i], after[i], 1e-12 * after[i]);
      sneppp_free(&m);
   }
   PASS();
}

/* What was to be made and was not can be freed, whatever was in it. */
TEST model_conditional_without_a_point(void)
{
   sneppp_desc  d = model_desc(SNEPPP_MIX_PRODUCT, SNEPPP_READOUT_FULL, 2);
   sneppp_model m, out;
   ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &model_error));
   memset(&out, 0x7F, sizeof out);
   ASSERT(model_says(sneppp_conditional(&m, 0, NULL, &out, &model_error), SNEPPP_ERR_ARG, "at is NULL"));
   ASSERT(!out.block && !out.factors);
   sneppp_free(&out);
   ASSERT(model_says(sneppp_conditional(&m, 0, NULL, &m, &model_error), SNEPPP_ERR_ARG, "at is NULL"));
   ASSERT(m.n > 0); /* and is still there */
   sneppp_free(&m);
   PASS();
}

/* Means over cells end where the window ends, whatever steps add up to: features of the caller's own are not cut. */
TEST model_means_end_with_the_window(void)
{
   sneppp_desc  d;
   sneppp_model m;
   sneppp_error err;
   sneppp_grid  grid;
   sneppp_real  out[60];
   double       all, eps = sizeof(sneppp_real) == 4 ? 1e-5 : 1e-12;
   int          none = 0, beyond = 0;
   memset(&d, 0, sizeof d), memset(&grid, 0, sizeof grid);
   d.factor[0].window.dim = 1, d.factor[0].window.lo[0] = 1, d.factor[0].window.hi[0] = 1.7, d.width = 2;
   d.factor[0].own.psi = model_inside_psi, d.factor[0].own.gram = model_inside_gram, d.factor[0].own.user = &none;
   ASSERT_EQ(SNEPPP_OK, model_make(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &all, NULL, &err));
   grid.means = 1;
   for (int n = 1; n <= 60; n++) {
      double sum = 0, step = (1.7 - 1) / n;
      beyond += 1 + (n - 1) * step + step > 1.7;
      grid.cells[0] = n;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_bake(&m, &grid, out, NULL, &err), "%d");
      for (int i = 0; i < n; i++) sum += (double)out[i] * step;
      ASSERT_IN_RANGE(all, sum, eps * all);
   }
   ASSERT(beyond > 0); /* or nothing was shown */
   sneppp_free(&m);
   PASS();
}

static sneppp_window model_line(int dim, double lo, double hi)
{
   sneppp_window w;
   memset(&w, 0, sizeof w);
   w.dim = dim;
   for (int r = 0; r < dim; r++) w.lo[r] = lo, w.hi[r] = hi;
   return w;
}

/* A box whose corner lies on a slanted wall, to rounding, is in the window, as the same polygon is. */
TEST model_box_on_a_slanted_wall(void)
{
   sneppp_rng rng;
   sneppp_rng_init(&rng, 3, 0);
   for (int k = 0; k < 50; k++) {
      double x = 4e5 + 1000 * sneppp_rng_uniform(&rng), y = 4.5e6 + 1000 * sneppp_rng_uniform(&rng);
      double s = 100 + 900 * sneppp_rng_uniform(&rng), t = 0.1 + 0.8 * sneppp_rng_uniform(&rng), nll = 0;
      double tri[6] = {x, y, x + s, y, x, y + s};
      sneppp_window box = model_line(2, 0, 0);
      sneppp_desc   desc;
      sneppp_model  m;
      sneppp_events e;
      sneppp_region region;
      sneppp_error  err;
      memset(&desc, 0, sizeof desc), memset(&e, 0, sizeof e), memset(&region, 0, sizeof region);
      desc.width = 4, desc.factor[0].window.space = SNEPPP_SPACE_POLYGON, desc.factor[0].window.dim = 2;
      desc.factor[0].window.count = 3, desc.factor[0].window.xy = tri;
      box.lo[0] = x, box.lo[1] = y, box.hi[0] = x + t * s, box.hi[1] = y + (s - t * s);
      region.factor[0] = &box, e.region = &region, e.regions = 1;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, &err));
      ASSERT_EQm(err.why, SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &err));
      box.hi[1] += 1e-4 * s; /* beyond rounding */
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &err));
      sneppp_free(&m);
   }
   PASS();
}

/* What is left of a separable intensity over nothing has alpha = 0, in which the likelihood has a slope nevertheless. */
TEST model_slope_at_alpha_0(void)
{
   sneppp_window nothing = model_line(1, 2, 3);
   sneppp_desc   desc;
   sneppp_model  m, q;
   sneppp_events e;
   sneppp_grad   grad;
   sneppp_error  err;
   double        nll[2] = {0, 0}, slope = 0;
   memset(&desc, 0, sizeof desc), memset(&e, 0, sizeof e), memset(&grad, 0, sizeof grad);
   desc.width = 4, desc.mix = SNEPPP_MIX_SEPARABLE;
   desc.factor[0].window = desc.factor[1].window = model_line(1, 0, 1);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_marginal(&m, 0, &nothing, &q, &err));
   grad.alpha = &slope;
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&q, &e, 1, &nll[0], NULL, &grad, NULL, &err));
   q.alpha = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&q, &e, 1, &nll[1], NULL, NULL, NULL, &err));
   ASSERT(fabs(slope - (nll[1] - nll[0])) <= 1e-12 * fabs(slope)); /* linear without events */
   sneppp_free(&m), sneppp_free(&q);
   PASS();
}

/* Sizes that cannot be are explained. */
TEST model_bytes_say_why(void)
{
   sneppp_desc  desc;
   sneppp_error err;
   memset(&desc, 0, sizeof desc), memset(&err, 0, sizeof err);
   desc.width = 1 << 20, desc.mix = SNEPPP_MIX_OUTER;
   desc.factor[0].window = desc.factor[1].window = model_line(1, 0, 1);
   ASSERT_EQ(0, sneppp_model_bytes(&desc, &err));
   ASSERT_EQ(SNEPPP_ERR_SIZE, err.status);
   PASS();
}

/* The realisation at fault is named whether or not the conditional likelihood is asked for. */
TEST model_conditional_names_realisations(void)
{
   sneppp_window wide = model_line(1, 0, 3);
   sneppp_region seen;
   sneppp_desc   desc;
   sneppp_model  m;
   sneppp_events e[3];
   sneppp_error  err;
   double        nll = 0, given = 0;
   memset(&desc, 0, sizeof desc), memset(e, 0, sizeof e), memset(&seen, 0, sizeof seen);
   desc.width = 4, desc.factor[0].window = model_line(1, 0, 1);
   seen.factor[0] = &wide, e[2].seen = &seen;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_nll(&m, e, 3, &nll, &given, NULL, NULL, &err));
   ASSERT(strstr(err.why, "realisation 2"));
   sneppp_free(&m);
   PASS();
}

/* A default fit with bumps narrower than the tree can hold is asked without it; pictures of cells that are no cells are
   refused. */
TEST model_narrow_bumps_and_cells(void)
{
   static double W[8192], width[8192];
   sneppp_real   x[80], at[2] = {0.5, 0.5}, out[16];
   sneppp_desc   desc;
   sneppp_model  m;
   sneppp_events e;
   sneppp_fit_desc fit;
   sneppp_grid   grid;
   sneppp_rng    rng;
   sneppp_error  err;
   memset(&desc, 0, sizeof desc), memset(&e, 0, sizeof e), memset(&fit, 0, sizeof fit), memset(&grid, 0, sizeof grid);
   sneppp_rng_init(&rng, 1, 0);
   for (int i = 0; i < 80; i++) x[i] = (sneppp_real)sneppp_rng_uniform(&rng);
   desc.factor[0].window = model_line(2, 0, 1), e.x = x, e.count = 40, fit.events = &e;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &fit, NULL, &err));
   ASSERT(m.nodes && 2 * m.n <= 8192);
   grid.cells[0] = grid.cells[1] = 4, grid.hi[0] = 1e-320, grid.hi[1] = 1, grid.means = 1;
#ifndef __FAST_MATH__ /* where such numbers are 0 */
   ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp_bake(&m, &grid, out, NULL, &err));
#endif
   grid.lo[0] = -1e308, grid.hi[0] = 1e308, grid.means = 0;
   ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp_bake(&m, &grid, out, NULL, &err));
   for (int i = 0; i < 2 * m.n; i++) W[i] = 0.5, width[i] = sizeof(sneppp_real) == 4 ? 1e-22 : 1e-170;
   ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, W, NULL, width, &err));
   double all = m.floor;
   for (int i = 0; i < m.n; i++) all += m.alpha * (double)m.readout[0].V[i] * (double)m.readout[0].V[i];
   ASSERT(fabs((double)sneppp_intensity(&m, at) / all - 1) < 1e-5);
   sneppp_free(&m);
   PASS();
}

/* What a factor's mass does to the readout of a marginal may be more than a real holds, not more than alpha does. */
TEST model_marginal_over_extreme_masses(void)
{
   for (int k = 0; k < 4; k++) {
      sneppp_desc  desc;
      sneppp_model m, q;
      sneppp_error err;
      double       count[2] = {0, 0};
      memset(&desc, 0, sizeof desc);
      desc.width = 6, desc.readout = k & 1 ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL;
      desc.factor[0].window = model_line(1, 0, 1), desc.factor[1].window = model_line(3, 0, k & 2 ? 1e30 : 1e-32);
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, &err));
      ASSERT_EQm(err.why, SNEPPP_OK, sneppp_marginal(&m, 1, NULL, &q, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &count[0], NULL, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&q, NULL, 1, &count[1], NULL, &err));
      ASSERT(fabs(count[1] / count[0] - 1) < 1e-5);
      sneppp_free(&m), sneppp_free(&q);
   }
   PASS();
}

/* Units of covariates, and of a Gaussian measure, do not matter. */
TEST model_scales_of_covariates(void)
{
   const double scale[3] = {1, 1e200, 1e-200};
   for (int k = 0; k < 6; k++) {
      double       z[16], unit = scale[k % 3];
      sneppp_desc  desc;
      sneppp_model m;
      sneppp_error err;
      int          gauss = k > 2;
      memset(&desc, 0, sizeof desc);
      for (int i = 0; i < 16; i++) z[i] = unit * sin(1.3 * i);
      desc.width = 4;
      sneppp_window *w = &desc.factor[0].window;
      w->dim = 1, w->space = gauss ? SNEPPP_SPACE_GAUSS : SNEPPP_SPACE_RASTER;
      if (gauss) w->count = 1, w->scale = &unit;
      else w->cell[0] = 1, w->cells[0] = 16, w->covariates = 1, w->z = z;
      ASSERT_EQm(err.why, SNEPPP_OK, sneppp_init(&m, &desc, &err));
      double rate = m.layer[0].rate[gauss ? 0 : 1] * unit;
      ASSERT(rate > 0.5 && rate < 2);
      sneppp_free(&m);
   }
   PASS();
}

/* Counts where a raster has no cell are refused by all fits, as events there would be; and a finite region must be of the
   window's points. */
TEST model_counts_without_cells(void)
{
   double        weight[16], tri[6] = {2.5, 1, 3.5, 1, 3, 2}, counts[1] = {4}, point[3] = {0, 1, 2}, other[3] = {3, 4, 5};
   sneppp_window part;
   sneppp_region region;
   sneppp_desc   desc;
   sneppp_model  m;
   sneppp_events e;
   sneppp_fit_desc fit;
   sneppp_error  err;
   memset(&desc, 0, sizeof desc), memset(&e, 0, sizeof e), memset(&fit, 0, sizeof fit);
   memset(&part, 0, sizeof part), memset(&region, 0, sizeof region);
   for (int i = 0; i < 16; i++) weight[i] = i % 4 < 2;
   sneppp_window *w = &desc.factor[0].window;
   desc.width = 4, w->space = SNEPPP_SPACE_RASTER, w->dim = 2, w->cell[0] = w->cell[1] = 1, w->cells[0] = w->cells[1] = 4;
   w->weight = weight;
   part.space = SNEPPP_SPACE_POLYGON, part.dim = 2, part.count = 3, part.xy = tri, region.factor[0] = &part;
   e.region = &region, e.regions = 1, e.counts = counts, fit.events = &e;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, &err));
   for (int method = 0; method < SNEPPP_METHOD_END; method++) {
      fit.method = (sneppp_method)method;
      ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_fit(&m, &fit, NULL, &err));
      ASSERT_EQ(0, err.event);
   }
   sneppp_free(&m);
   memset(w, 0, sizeof *w);
   w->space = SNEPPP_SPACE_FINITE, w->dim = 1, w->count = 3, w->point = point;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, &err));
   part = *w, part.point = other;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_count(&m, &region, 1, counts, NULL, &err));
   sneppp_free(&m);
   PASS();
}

TEST model_widths_without_an_inverse(void)
{
   sneppp_desc  d;
   sneppp_model m;
   sneppp_error err;
   sneppp_real  x = 0, psi[2];
   const double W[2] = {0, 0.5}, width[2] = {sizeof(sneppp_real) == 4 ? 1e-40 : 1e-310, 0.3};
   memset(&d, 0, sizeof d);
   d.factor[0].window = model_line(1, -1, 1), d.factor[0].unit.act = SNEPPP_ACT_RBF, d.width = 2, d.alpha = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
#ifdef __FAST_MATH__ /* where a width like this is 0, which is refused by another number */
   ASSERT(sneppp_set_layer(&m, 0, W, NULL, width, &err) != SNEPPP_OK);
#else
   ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp_set_layer(&m, 0, W, NULL, width, &err));
#endif
   ASSERT_EQ(SNEPPP_OK, sneppp_features(&m, &x, psi, NULL));
   ASSERT(sneppp__finite((double)psi[0]));
   sneppp_free(&m);
   PASS();
}

/* The middle of the window is no float: features are to see the one of the closed forms. */
TEST model_features_see_the_closed_forms_window(void)
{
   const double lo = 12345.6, middle = lo + 50, W[1] = {0.8}, b[1] = {-0.8 * middle + 0.3};
   sneppp_desc  d;
   sneppp_model m;
   memset(&d, 0, sizeof d);
   d.factor[0].window = model_line(1, lo, lo + 100), d.width = 1, d.alpha = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, W, b, NULL, NULL));
   for (int k = 1; k < 100; k++) {
      sneppp_real x = (sneppp_real)(lo + k), psi;
      ASSERT_EQ(SNEPPP_OK, sneppp_features(&m, &x, &psi, NULL));
      ASSERT_IN_RANGE(cos(0.8 * ((double)x - middle) + 0.3), (double)psi, 2e-5);
   }
   sneppp_free(&m);
   PASS();
}

SUITE(model)
{
   RUN_TEST(model_parts_of_lines_and_discs);
   RUN_TEST(model_marginals_without_memory);
   RUN_TEST(model_active_sets);
   RUN_TEST(model_marginal_of_a_learnt_mixture);
   RUN_TEST(model_layers_in_proportion);
   RUN_TEST(model_first_bumps_cover);
   RUN_TEST(model_needs_a_point_and_keeps_no_memory);
   RUN_TEST(model_parts_of_a_side);
   RUN_TEST(model_no_bias);
   RUN_TEST(model_infinite_mass);
   RUN_TEST(model_families_start);
   RUN_TEST(model_layers_in_their_domain);
   RUN_TEST(model_blames_coordinates);
   RUN_TEST(model_tree_follows_parameters);
   RUN_TEST(model_matrix_all_or_nothing);
   RUN_TEST(model_mixes_against_quadrature);
   RUN_TEST(model_marginal_and_conditional);
   RUN_TEST(model_marginals_in_any_order);
   RUN_TEST(model_units_do_not_matter);
   RUN_TEST(model_regions_add_up);
   RUN_TEST(model_parameters_in_and_out);
   RUN_TEST(model_batches_and_blocks);
   RUN_TEST(model_own_features);
   RUN_TEST(model_counts_together);
   RUN_TEST(model_regions_of_other_factors);
   RUN_TEST(model_refusals);
   RUN_TEST(model_gaussian_units);
   RUN_TEST(model_activations_of_arrays);
   RUN_TEST(model_outer_of_one_unit);
   RUN_TEST(model_nan_beside_outside);
   RUN_TEST(model_own_features_are_asked_inside);
   RUN_TEST(model_mixed_layers_with_defaults);
   RUN_TEST(model_gram_overflows);
   RUN_TEST(model_matrix_too_large);
   RUN_TEST(model_conditional_without_a_point);
   RUN_TEST(model_means_end_with_the_window);
   RUN_TEST(model_box_on_a_slanted_wall);
   RUN_TEST(model_slope_at_alpha_0);
   RUN_TEST(model_bytes_say_why);
   RUN_TEST(model_conditional_names_realisations);
   RUN_TEST(model_narrow_bumps_and_cells);
   RUN_TEST(model_marginal_over_extreme_masses);
   RUN_TEST(model_scales_of_covariates);
   RUN_TEST(model_counts_without_cells);
   RUN_TEST(model_widths_without_an_inverse);
   RUN_TEST(model_features_see_the_closed_forms_window);
}
