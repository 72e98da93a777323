/* Rasters: exposures and covariates by cell. Closed forms against sums over cells that are made here from boxes and clipped
   polygons, gradients against differences, fits against a weighted Poisson regression, and models as they are asked, kept
   and drawn; and files of grids, whole and broken. */
#include "../examples/asc.h"


#define RASTER_CELLS 120
typedef struct raster_case {
   const char   *name;
   sneppp_window win;
   double        weight[RASTER_CELLS], z[2 * RASTER_CELLS];
} raster_case;

static const double raster_xy[14] = {3.1, 1.3, 9.7, 2.2, 8.4, 6.9, 4.2, 6.1, 5.2, 3.1, 6.9, 3.3, 6.0, 4.9}; /* with a hole */
static const size_t raster_rings[2] = {4, 3};

/* Kinds: 0 whole, 1 with holes, 2 cut by a box, 3 cut by a polygon with a hole, 4 one cell, 5 equal covariates, 6 on the
   line, 7 on the line and cut, 8 a polygon and a box. */
enum { RASTER_CASES = 9 };
static void raster_make(raster_case *c, int kind)
{
   static const char *const name[RASTER_CASES] = {"whole", "holes", "box", "polygon", "one", "equal", "line", "line cut", "both"};
   sneppp_window *w = &c->win;
   sneppp_rng     rng;
   sneppp_rng_init(&rng, 11, (uint64_t)kind);
   memset(c, 0, sizeof *c);
   c->name = name[kind];
   w->space = SNEPPP_SPACE_RASTER, w->dim = kind == 6 || kind == 7 ? 1 : 2;
   w->origin[0] = 2, w->origin[1] = 1, w->cell[0] = 0.8, w->cell[1] = 0.7;
   w->cells[0] = kind == 4 ? 1 : 10, w->cells[1] = w->dim == 1 ? 0 : kind == 4 ? 1 : 9;
   w->covariates = 2, w->weight = c->weight, w->z = c->z;
   for (size_t k = 0; k < RASTER_CELLS; k++) {
      c->weight[k] = 0.2 + 3 * sneppp_rng_uniform(&rng);
      for (size_t q = 0; q < 2; q++) c->z[2 * k + q] = kind == 5 ? 0.7 : sneppp_rng_normal(&rng);
      if (kind == 1 && k % 7 == 3) c->weight[k] = k % 2 ? 0 : sneppp__nan();
      if (kind == 1 && k % 11 == 5) c->z[2 * k + 1] = sneppp__nan();
   }
   if (kind == 2 || kind == 7 || kind == 8) w->lo[0] = 2.9, w->hi[0] = 8.75, w->lo[1] = 1.2, w->hi[1] = 6.2;
   if (kind == 3 || kind == 8) w->xy = raster_xy, w->rings = 2, w->ring_size = raster_rings;
}

static int raster_outside(const sneppp_window *w, size_t k)
{
   int out = !sneppp__finite(w->weight[k]) || !(w->weight[k] > 0);
   for (int q = 0; q < w->covariates; q++) out = out || !sneppp__finite(w->z[k * (size_t)w->covariates + (size_t)q]);
   return out;
}

/* A ring cut by the half plane sign x_r <= sign at, after Sutherland and Hodgman; returns the vertices. */
static size_t raster_clip(const double *in, size_t n, int r, double sign, double at, double *out)
{
   size_t m = 0;
   for (size_t k = 0, j = n - 1; k < n; j = k++) {
      const double *a = in + 2 * j, *b = in + 2 * k;
      int           ia = sign * a[r] <= sign * at, ib = sign * b[r] <= sign * at;
      if (ia != ib) {
         double t = (at - a[r]) / (b[r] - a[r]);
         for (int e = 0; e < 2; e++) out[2 * m + (size_t)e] = e == r ? at : a[e] + t * (b[e] - a[e]);
         m++;
      }
      if (ib) { out[2 * m] = b[0], out[2 * m + 1] = b[1], m++; }
   }
   return m;
}

static double raster_least(double a, double b) { return a < b ? a : b; }

/* K as the sum over cells of box and polygon forms with shifted biases. */
static void raster_brute(const sneppp_window *w, const sneppp_layer *layer, double *K)
{
   size_t n = (size_t)layer->n, d = (size_t)w->dim, Q = (size_t)w->covariates, rows = w->dim > 1 ? w->cells[1] : 1;
   double W[64], b[32], width[64], k[32 * 32], f[32];
   memset(K, 0, n * n * sizeof *K);
   for (size_t cell = 0; cell < rows * w->cells[0]; cell++) {
      size_t        at[2];
      double        lo[2], hi[2];
      sneppp_window part;
      sneppp_layer  l = *layer;
      int           empty = raster_outside(w, cell);
      at[0] = cell % w->cells[0], at[1] = cell / w->cells[0];
      for (size_t r = 0; r < d; r++) {
         lo[r] = w->origin[r] + (double)at[r] * w->cell[r], hi[r] = w->origin[r] + ((double)at[r] + 1) * w->cell[r];
         if (w->lo[r] < w->hi[r]) lo[r] = lo[r] > w->lo[r] ? lo[r] : w->lo[r], hi[r] = raster_least(hi[r], w->hi[r]);
         if (!(lo[r] < hi[r])) empty = 1;
      }
      if (empty) continue;
      for (size_t i = 0; i < n; i++) {
         sneppp_unit u = layer->units ? layer->units[i] : layer->unit;
         b[i] = layer->b ? layer->b[i] : 0, f[i] = 1;
         for (size_t q = 0; q < Q; q++) {
            double v = layer->W[i * (d + Q) + d + q], z = w->z[cell * Q + q];
            if (u.act == SNEPPP_ACT_RBF) v = (z - v) / layer->width[i * (d + Q) + d + q], f[i] *= exp(-0.5 * v * v);
            else b[i] += v * z;
         }
         for (size_t r = 0; r < d; r++) W[i * d + r] = layer->W[i * (d + Q) + r];
         for (size_t r = 0; layer->width && r < d; r++) width[i * d + r] = layer->width[i * (d + Q) + r];
      }
      l.W = W, l.b = b, l.width = layer->width ? width : NULL, l.d = (int)d;
      for (int ring = w->xy ? 0 : -1; ring < (w->xy ? (int)w->rings : 0); ring++) {
         double one[64], two[64], sign = 1;
         size_t m = 3;
         memset(&part, 0, sizeof part);
         part.dim = w->dim;
         memcpy(part.lo, lo, sizeof lo), memcpy(part.hi, hi, sizeof hi);
         if (w->xy) {
            m = raster_clip(w->xy + (ring ? 8 : 0), w->ring_size[ring], 0, 1, hi[0], one);
            m = raster_clip(one, m, 0, -1, lo[0], two);
            m = raster_clip(two, m, 1, 1, hi[1], one);
            m = raster_clip(one, m, 1, -1, lo[1], two);
            part.space = SNEPPP_SPACE_POLYGON, part.xy = one, part.count = 3;
         }
         for (size_t e = 1; e + 1 < m; e++) { /* triangles, with the sign of their orientation; the second ring is a hole */
            double area = 1;
            if (w->xy) {
               memcpy(one, two, 2 * sizeof *one), memcpy(one + 2, two + 2 * e, 4 * sizeof *one);
               area = sneppp__ring_area2(one, 3);
               sign = (area > 0) == (sneppp__ring_area2(w->xy + (ring ? 8 : 0), w->ring_size[ring]) > 0) ? 1 : -1;
               if (ring) sign = -sign;
            }
            if (fabs(area) < 1e-14) continue;
            if (sneppp_gram(&part, &l, k, NULL, NULL)) { fprintf(stderr, "brute force failed\n"); return; }
            for (size_t i = 0; i < n; i++)
               for (size_t j = 0; j < n; j++) K[i * n + j] += sign * w->weight[cell] * f[i] * f[j] * k[i * n + j];
         }
      }
   }
}

enum { RASTER_N = 9 };
typedef struct raster_layer {
   sneppp_layer layer;
   sneppp_unit  units[RASTER_N];
   double       W[4 * RASTER_N], b[RASTER_N], width[4 * RASTER_N];
} raster_layer;

/* Layers: 0 cos, 1 cos, sin and a constant, 2 exp, 3 exp and a constant, 4 exp and cos, 5 ReLU, 6 RBF, 7 monomials. */
enum { RASTER_LAYERS = 8 };
static void raster_layer_make(raster_layer *l, const sneppp_window *w, int kind)
{
   static const sneppp_act act[RASTER_LAYERS] = {SNEPPP_ACT_COS, SNEPPP_ACT_COS, SNEPPP_ACT_EXP, SNEPPP_ACT_EXP,
                                                 SNEPPP_ACT_EXP, SNEPPP_ACT_RELU, SNEPPP_ACT_RBF, SNEPPP_ACT_MONOMIAL};
   sneppp_rng rng;
   int        d = sneppp__stats(w);
   sneppp_rng_init(&rng, 5, (uint64_t)kind);
   memset(l, 0, sizeof *l);
   l->layer.n = RASTER_N, l->layer.d = d, l->layer.unit.act = act[kind];
   l->layer.unit.p = kind == 7 ? 2 : 0;
   l->layer.W = l->W, l->layer.b = kind == 6 ? NULL : l->b;
   for (int i = 0; i < RASTER_N; i++) {
      l->units[i] = l->layer.unit;
      if (kind == 1) l->units[i].act = i == 3 ? SNEPPP_ACT_ONE : i % 2 ? SNEPPP_ACT_SIN : SNEPPP_ACT_COS;
      if (kind == 3 && i == 3) l->units[i].act = SNEPPP_ACT_ONE;
      if (kind == 4 && i % 2) l->units[i].act = SNEPPP_ACT_COS;
      l->b[i] = sneppp_rng_normal(&rng);
      for (int r = 0; r < d; r++) {
         l->W[i * d + r] = sneppp_rng_normal(&rng) * (kind < 2 ? 1.5 : 0.4);
         if (kind == 6) l->W[i * d + r] += r < w->dim ? 4 : 0;
         l->width[i * d + r] = 0.5 + sneppp_rng_uniform(&rng);
      }
   }
   if (kind == 1 || kind == 3 || kind == 4) l->layer.units = l->units;
   if (kind == 6) l->layer.width = l->width;
}

/* ---- K is the sum over cells, in every kind of raster */
TEST raster_gram(void)
{
   for (int kind = 0; kind < RASTER_CASES; kind++)
      for (int which = 0; which < 2 * RASTER_LAYERS; which++) { /* with covariates and without */
         raster_case  c;
         raster_layer l;
         sneppp_error err;
         double       K[RASTER_N * RASTER_N], brute[RASTER_N * RASTER_N], scale = 0;
         raster_make(&c, kind);
         if (which >= RASTER_LAYERS) c.win.covariates = 0, c.win.z = NULL;
         raster_layer_make(&l, &c.win, which % RASTER_LAYERS);
         if (sneppp_gram(&c.win, &l.layer, K, NULL, &err)) FAILm(err.why);
         raster_brute(&c.win, &l.layer, brute);
         for (int i = 0; i < RASTER_N * RASTER_N; i++) scale = fmax(scale, fabs(brute[i]));
         for (int i = 0; i < RASTER_N * RASTER_N; i++)
            if (!(fabs(K[i] - brute[i]) <= 1e-12 * scale)) {
               fprintf(stderr, "%s, layer %d: K[%d] = %.17g, but the sum is %.17g (scale %g)\n", c.name, which, i, K[i], brute[i], scale);
               FAIL();
            }
      }
   PASS();
}

/* Exponentials that fall by e^450 from one corner to another: every entry keeps its digits, however small. */
TEST raster_steep_exponentials(void)
{
   for (int kind = 0; kind < RASTER_CASES; kind++) {
      raster_case  c;
      raster_layer l;
      sneppp_error err;
      double       K[RASTER_N * RASTER_N], brute[RASTER_N * RASTER_N];
      raster_make(&c, kind);
      if (c.win.xy) continue;
      raster_layer_make(&l, &c.win, 2);
      for (int i = 0; i < RASTER_N; i++) {
         double *w = l.W + i * l.layer.d, range = 0, top = 0;
         for (int r = 0; r < c.win.dim; r++) range += fabs(w[r]) * c.win.cell[r] * (double)c.win.cells[r];
         for (int r = 0; r < c.win.dim; r++) {
            double lo = c.win.origin[r], hi = lo + c.win.cell[r] * (double)c.win.cells[r];
            w[r] *= 450 / range, top += fmax(w[r] * lo, w[r] * hi);
         }
         l.b[i] -= top;
      }
      if (sneppp_gram(&c.win, &l.layer, K, NULL, &err)) FAILm(err.why);
      raster_brute(&c.win, &l.layer, brute);
      for (int i = 0; i < RASTER_N * RASTER_N; i++) {
         ASSERT(brute[i] > 0);
         ASSERT_IN_RANGEm(c.name, 1, K[i] / brute[i], 1e-11);
      }
   }
   PASS();
}

/* ---- mass, membership, draws: the same set, by other ways */
TEST raster_window(void)
{
   for (int kind = 0; kind < RASTER_CASES; kind++) {
      raster_case   c;
      sneppp_rng    rng;
      sneppp_layer  one;
      double        K, w[4] = {0}, x[2], sum = 0;
      size_t        inside = 0, all = 200000;
      raster_make(&c, kind);
      sneppp_rng_init(&rng, 3, (uint64_t)kind);
      memset(&one, 0, sizeof one);
      one.n = 1, one.W = w, one.unit.act = SNEPPP_ACT_EXP;
      raster_brute(&c.win, &one, &K);
      ASSERT_IN_RANGE(K, sneppp_window_mass(&c.win), 1e-13 * K);
      for (size_t i = 0; i < all; i++) {
         x[0] = 1.5 + 9 * sneppp_rng_uniform(&rng), x[1] = 0.5 + 8 * sneppp_rng_uniform(&rng);
         if (!sneppp_window_contains(&c.win, x)) { ASSERT(sneppp_window_density(&c.win, x) == 0); continue; }
         sum += sneppp_window_density(&c.win, x), inside++;
      }
      ASSERT_IN_RANGE(K, sum / (double)all * (c.win.dim == 1 ? 9 : 72), 0.03 * K + 0.02);
      for (int i = 0; i < 200; i++) {
         ASSERT(sneppp_window_draw(&c.win, &rng, x));
         ASSERT(sneppp_window_contains(&c.win, x));
      }
   }
   PASS();
}

/* ---- gradients against differences; products and pairs; both at once; any number of threads */
static double raster_loss(const sneppp_window *w, const sneppp_layer *l, const double *G)
{
   double K[RASTER_N * RASTER_N], sum = 0;
   if (sneppp_gram(w, l, K, NULL, NULL)) return 1e300;
   for (int i = 0; i < RASTER_N * RASTER_N; i++) sum += G[i] * K[i];
   return sum;
}

static const int raster_acts[6] = {SNEPPP_ACT_RBF, SNEPPP_ACT_GELU, SNEPPP_ACT_COS, SNEPPP_ACT_EXP, SNEPPP_ACT_ELU, SNEPPP_ACT_BELL};

TEST raster_gradient(void)
{
   for (int kind = 0; kind < RASTER_CASES; kind++)
      for (int which = 0; which < RASTER_LAYERS + 6; which++) {
         raster_case       c;
         raster_layer      l;
         sneppp_error      err;
         sneppp_layer_grad out;
         sneppp_rng        rng;
         double            G[RASTER_N * RASTER_N], gW[4 * RASTER_N] = {0}, gb[RASTER_N] = {0}, gl[4 * RASTER_N] = {0}, size = 0;
         int               d;
         raster_make(&c, kind);
         c.win.no_place = which >= RASTER_LAYERS;
         d = sneppp__stats(&c.win);
         raster_layer_make(&l, &c.win, which < RASTER_LAYERS ? which : which == RASTER_LAYERS ? 6 : 2);
         if (which >= RASTER_LAYERS) l.layer.unit.act = (sneppp_act)raster_acts[which - RASTER_LAYERS], l.layer.unit.p = 1;
         sneppp_rng_init(&rng, 9, 0);
         for (int i = 0; i < RASTER_N * RASTER_N; i++) G[i] = sneppp_rng_normal(&rng);
         memset(&out, 0, sizeof out);
         out.W = gW, out.b = gb, out.width = gl;
         if (sneppp_gram_grad(&c.win, &l.layer, G, &out, NULL, &err)) FAILm(err.why);
         for (int i = 0; i < RASTER_N * d; i++) size = fmax(size, fabs(gW[i]));
         for (int i = (5 * kind + 3 * which) % 17; i < RASTER_N * (2 * d + 1); i += 17) { /* some of them */
            double *at = i < RASTER_N * d ? &l.W[i] : i < 2 * RASTER_N * d ? &l.width[i - RASTER_N * d] : &l.b[i - 2 * RASTER_N * d];
            double  g = i < RASTER_N * d ? gW[i] : i < 2 * RASTER_N * d ? gl[i - RASTER_N * d] : gb[i - 2 * RASTER_N * d];
            double  h = 1e-4, keep = *at, v[4];
            if ((i >= RASTER_N * d && i < 2 * RASTER_N * d && !l.layer.width) || (i >= 2 * RASTER_N * d && !l.layer.b)) continue;
            for (int k = 0; k < 4; k++) {
               *at = keep + h * (k < 2 ? k - 2 : k - 1);
               v[k] = raster_loss(&c.win, &l.layer, G);
            }
            *at = keep;
            v[0] = (v[0] - 8 * v[1] + 8 * v[2] - v[3]) / (12 * h);
            if (!(fabs(v[0] - g) <= 1e-7 * size)) {
               fprintf(stderr, "%s, layer %d, parameter %d: %.12g, by differences %.12g (size %g)\n", c.name, which, i, g, v[0], size);
               FAIL();
            }
         }
      }
   PASS();
}

/* ---- covariates alone: a finite set of cells, for every activation */
TEST raster_no_place(void)
{
   for (int kind = 0; kind < RASTER_CASES; kind++)
      for (int which = 0; which < 6; which++) {
         raster_case   c;
         raster_layer  l;
         sneppp_window finite, box;
         sneppp_error  err;
         double        K[RASTER_N * RASTER_N], F[RASTER_N * RASTER_N], weight[RASTER_CELLS] = {0}, z[2 * RASTER_CELLS] = {0}, scale = 0;
         size_t        cells;
         raster_make(&c, kind);
         cells = c.win.cells[0] * (c.win.dim > 1 ? c.win.cells[1] : 1);
         c.win.no_place = 1;
         raster_layer_make(&l, &c.win, which ? 2 : 6);
         l.layer.unit.act = (sneppp_act)raster_acts[which], l.layer.unit.p = 1;
         for (size_t k = 0; k < cells; k++) { /* the mass of one cell, by leaving out the others */
            double only[RASTER_CELLS] = {0};
            if (raster_outside(&c.win, k)) continue;
            only[k] = c.weight[k];
            box = c.win, box.weight = only;
            weight[k] = sneppp_window_mass(&box);
            memcpy(z + 2 * k, c.z + 2 * k, 2 * sizeof *z);
         }
         memset(&finite, 0, sizeof finite);
         finite.space = SNEPPP_SPACE_FINITE, finite.dim = 2, finite.count = cells, finite.point = z, finite.weight = weight;
         if (sneppp_gram(&c.win, &l.layer, K, NULL, &err)) FAILm(err.why);
         if (sneppp_gram(&finite, &l.layer, F, NULL, &err)) FAILm(err.why);
         for (int i = 0; i < RASTER_N * RASTER_N; i++) scale = fmax(scale, fabs(F[i]));
         for (int i = 0; i < RASTER_N * RASTER_N; i++) ASSERT_IN_RANGE(F[i], K[i], 1e-12 * scale);
      }
   PASS();
}

/* ---- logarithms, moments and pairs agree with the products of matrices; exponents that overflow do so only in K */
TEST raster_logs(void)
{
   for (int kind = 0; kind < RASTER_CASES; kind++) {
      raster_case  c;
      raster_layer l;
      sneppp_error err;
      double       K[RASTER_N * RASTER_N], L[RASTER_N * RASTER_N], m[RASTER_N];
      raster_make(&c, kind);
      raster_layer_make(&l, &c.win, 3);
      if (sneppp_gram(&c.win, &l.layer, K, NULL, &err)) FAILm(err.why);
      if (sneppp_gram_log(&c.win, &l.layer, L, NULL, &err)) FAILm(err.why);
      for (int i = 0; i < RASTER_N * RASTER_N; i++) ASSERT_IN_RANGE(log(K[i]), L[i], 1e-11);
      if (sneppp_moments(&c.win, &l.layer, m, &err)) FAILm(err.why);
      for (int i = 0; i < RASTER_N; i++) ASSERT_IN_RANGE(K[3 * RASTER_N + i], m[i], 1e-11 * m[i]); /* unit 3 is the constant */
      l.b[0] = 400, l.b[1] = -300;
      ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp_gram(&c.win, &l.layer, K, NULL, &err));
      if (sneppp_gram_log(&c.win, &l.layer, L, NULL, &err)) FAILm(err.why);
      l.b[0] = 300;
      if (sneppp_gram(&c.win, &l.layer, K, NULL, &err)) FAILm(err.why);
      ASSERT_IN_RANGE(log(K[0]), L[0] - 200, 1e-9);
   }
   PASS();
}

/* ---- models */
static size_t raster_events(const sneppp_window *w, size_t count, sneppp_real *x)
{
   sneppp_rng rng;
   size_t     D = (size_t)w->dim, k = 0;
   sneppp_rng_init(&rng, 21, 0);
   while (k < count) { /* more of them where the first covariate is high */
      double y[2], t[4], v[2];
      if (!sneppp_window_draw(w, &rng, y)) return 0;
      for (size_t r = 0; r < D; r++) x[k * D + r] = (sneppp_real)y[r], v[r] = (double)x[k * D + r];
      if (!sneppp_window_contains(w, v)) continue;
      sneppp__window_stats(w, v, t);
      k += sneppp_rng_uniform(&rng) < 1 / (1 + exp(-2 * t[w->no_place ? 0 : D]));
   }
   return k;
}

/* The intensity over the part of the window in a box, by Gauss's rule in each cell; no polygon. */
static double raster_integral(const sneppp_model *m, const double *lo, const double *hi)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   double               node[SNEPPP__GAUSS_MAX], share[SNEPPP__GAUSS_MAX], sum = 0;
   int                  n = sneppp__gauss_legendre(8, node, share);
   for (size_t cell = 0; cell < w->cells[0] * w->cells[1]; cell++) {
      double a[2], b[2];
      for (int r = 0; r < 2; r++) {
         size_t at = r ? cell / w->cells[0] : cell % w->cells[0];
         a[r] = fmax(fmax(lo[r], w->lo[r]), w->origin[r] + (double)at * w->cell[r]);
         b[r] = fmin(fmin(hi[r], w->hi[r]), w->origin[r] + ((double)at + 1) * w->cell[r]);
      }
      if (!(a[0] < b[0] && a[1] < b[1])) continue;
      for (int i = 0; i < n * n; i++) {
         sneppp_real x[2];
         x[0] = (sneppp_real)(0.5 * (a[0] + b[0]) + 0.5 * (b[0] - a[0]) * node[i % n]);
         x[1] = (sneppp_real)(0.5 * (a[1] + b[1]) + 0.5 * (b[1] - a[1]) * node[i / n]);
         sum += 0.25 * (b[0] - a[0]) * (b[1] - a[1]) * share[i % n] * share[i / n] * (double)sneppp_intensity(m, x);
      }
   }
   return sum;
}

static size_t raster_source(sneppp_real *dst, size_t first, size_t count, void *user)
{
   memcpy(dst, (const sneppp_real *)user + 2 * first, 2 * count * sizeof *dst);
   return count;
}

static sneppp_window raster_box(double x0, double x1, double y0, double y1)
{
   sneppp_window w;
   memset(&w, 0, sizeof w);
   w.dim = 2, w.lo[0] = x0, w.hi[0] = x1, w.lo[1] = y0, w.hi[1] = y1;
   return w;
}

TEST raster_models(void)
{
   static const int methods[5] = {SNEPPP_METHOD_CONVEX, SNEPPP_METHOD_ADAM, SNEPPP_METHOD_PGD, SNEPPP_METHOD_AUTO, SNEPPP_METHOD_AUTO};
   static const double triangle[6] = {2.5, 1.5, 9.1, 3.4, 4.4, 6.6}, frame[14] = {-9, -9, 99, -9, 99, 99, -9, 99, 2.5, 1.5, 9.1, 3.4, 4.4, 6.6};
   static const size_t sizes[2] = {4, 3};
   const double tol = sizeof(sneppp_real) == sizeof(float) ? 1e-5 : 1e-10;
   for (int kind = 0; kind < 4; kind++)
      for (int method = 0; method < 5; method++) {
         raster_case     c;
         sneppp_real     x[240];
         sneppp_desc     desc;
         sneppp_events   events;
         sneppp_fit_desc fit;
         sneppp_model    m, back, cutoff;
         sneppp_report   report;
         sneppp_error    err;
         sneppp_window   part[4], rest;
         sneppp_region   region[4];
         double          count[4], all, around, other[RASTER_CELLS] = {0}, lo[2], hi[2];
         unsigned char  *bytes;
         size_t          size;
         raster_make(&c, kind);
         c.win.no_place = method == 2 || method == 4;
         memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
         desc.factor[0].window = c.win, desc.width = method < 3 ? 12 : 0;
         events.x = x, events.count = raster_events(&c.win, 120, x);
         fit.events = &events, fit.method = (sneppp_method)methods[method], fit.steps = method == 1 || method == 2 ? 60 : 0;
         if (method == 4) events.x = NULL, events.read = raster_source, events.user = x; /* nothing can be held out: no rival */
         if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, &report, &err)) FAILm(err.why);
         ASSERT(sneppp__finite(report.nll));
         if (method == 0) ASSERT(report.gap <= 1e-4);
         if (method >= 3) ASSERT(report.method == SNEPPP_METHOD_AUTO && report.tilt == 1 && m.layer[0].d == 2);
         if (method == 4) ASSERT(m.n == 1 && m.desc.factor[0].window.no_place);
         /* counts: a box, a polygon, all cells but some, and the rest of them */
         memset(region, 0, sizeof region), memset(part, 0, sizeof part);
         part[0] = raster_box(3.05, 7.77, 2.2, 5.5), part[1].space = SNEPPP_SPACE_POLYGON, part[1].dim = 2, part[1].xy = triangle, part[1].count = 3;
         part[2] = part[3] = c.win, part[2].covariates = part[3].covariates = 0, part[2].z = part[3].z = NULL;
         for (size_t k = 0; k < RASTER_CELLS; k++) if (k % 3) other[k] = c.weight[k], c.weight[k] = 0;
         part[2].weight = c.weight, part[3].weight = other;
         for (int k = 0; k < 4; k++) region[k].factor[0] = &part[k];
         if (sneppp_count(&m, NULL, 1, &all, NULL, &err) || sneppp_count(&m, region, 1, count, NULL, &err)) FAILm(err.why);
         if (sneppp_count(&m, region + 1, 1, count + 1, NULL, &err)) FAILm(err.why);
         rest = part[1], rest.rings = 2, rest.ring_size = sizes, rest.xy = frame, region[0].factor[0] = &rest;
         if (sneppp_count(&m, region, 1, &around, NULL, &err)) FAILm(err.why); /* also where both are polygons */
         ASSERT_IN_RANGE(all, count[1] + around, tol * all);
         ASSERT(count[1] > 0 && around > 0);
         if (sneppp_count(&m, region + 2, 2, count + 2, NULL, &err)) FAILm(err.why);
         ASSERT_IN_RANGE(report.expected, all, 1e-6 * all);
         ASSERT_IN_RANGE(all, count[2] + count[3], tol * all);
         if (kind != 3) {
            ASSERT_IN_RANGE(raster_integral(&m, part[0].lo, part[0].hi), count[0], tol * all);
            for (int r = 0; r < 2; r++) lo[r] = 0, hi[r] = 20;
            ASSERT_IN_RANGE(raster_integral(&m, lo, hi), all, tol * all);
            ASSERT(count[1] > 0 && count[1] < all);
         }
         /* saved and loaded to the same bits */
         size = sneppp_save(&m, NULL, 0);
         bytes = (unsigned char *)malloc(size);
         ASSERT(bytes && sneppp_save(&m, bytes, size) == size);
         if (sneppp_load(&back, bytes, size, NULL, 0, NULL, &err)) FAILm(err.why);
         for (size_t i = 0; i < events.count; i++) ASSERT(sneppp_intensity(&m, x + 2 * i) == sneppp_intensity(&back, x + 2 * i));
         if (sneppp_count(&back, region, 1, count, NULL, &err)) FAILm(err.why);
         for (size_t cut = 0; cut < size; cut += 1 + size / 97) ASSERT(sneppp_load(&cutoff, bytes, cut, NULL, 0, NULL, NULL) != SNEPPP_OK);
         free(bytes);
         /* beyond the cells there is nothing, and events cannot have been seen there */
         rest = raster_box(100, 101, 0, 5), region[0].factor[0] = &rest;
         if (sneppp_count(&m, region, 1, count, NULL, &err)) FAILm(err.why);
         ASSERT_EQ(0.0, count[0]);
         ASSERT_EQ(SNEPPP_ERR_ARG, sneppp__part_check(&m.desc.factor[0].window, 0, &rest, 0, &err));
         sneppp_free(&m);
         sneppp_free(&back);
      }
   PASS();
}

/* ---- draws have the intensity of the model, in the whole and in regions of it */
TEST raster_draws(void)
{
   for (int kind = 1; kind < 8; kind++) {
      raster_case        c;
      sneppp_real        x[400], *y = (sneppp_real *)malloc(2 * 20000 * sizeof *y);
      sneppp_desc        desc;
      sneppp_events      events;
      sneppp_fit_desc    fit;
      sneppp_model       m;
      sneppp_error       err;
      sneppp_sample_desc how;
      sneppp_sample_info info;
      sneppp_window      part[4];
      sneppp_region      region[4];
      double             count[4], all, in[4] = {0};
      int                line;
      raster_make(&c, kind);
      line = c.win.dim == 1, c.win.no_place = kind == 5 ? 0 : kind % 2;
      ASSERT(y != NULL);
      memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit), memset(&how, 0, sizeof how);
      desc.factor[0].window = c.win, desc.width = 10;
      events.x = x, events.count = raster_events(&c.win, 200, x);
      fit.events = &events, fit.method = SNEPPP_METHOD_CONVEX, fit.trace = 1e-3;
      if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, NULL, &err)) FAILm(err.why);
      how.count = 20000, how.seed = 4;
      if (sneppp_sample(&m, &how, y, 20000, &info, &err)) FAILm(err.why);
      if (sneppp_count(&m, NULL, 1, &all, NULL, &err)) FAILm(err.why);
      ASSERT_IN_RANGE(all, info.expected, 1e-9 * all);
      memset(region, 0, sizeof region);
      for (int k = 0; k < 4; k++) {
         part[k] = raster_box(k & 1 ? 5.3 : 0, k & 1 ? 20 : 5.3, k & 2 ? 3.7 : 0, k & 2 ? 20 : 3.7);
         if (line) part[k].dim = 1;
         if (kind == 4) part[k] = raster_box(k & 1 ? 2.4 : 2, k & 1 ? 2.8 : 2.4, k & 2 ? 1.3 : 1, k & 2 ? 1.7 : 1.3);
         region[k].factor[0] = &part[k];
      }
      if (sneppp_count(&m, region, line ? 2 : 4, count, NULL, &err)) FAILm(err.why);
      for (size_t i = 0; i < 20000; i++) {
         double v[2] = {0, 0};
         for (int r = 0; r < c.win.dim; r++) v[r] = (double)y[(size_t)c.win.dim * i + (size_t)r];
         ASSERT(sneppp_window_contains(&c.win, v));
         for (int k = 0; k < (line ? 2 : 4); k++) in[k] += sneppp_window_contains(&part[k], v);
      }
      for (int k = 0; k < (line ? 2 : 4); k++) ASSERT_IN_RANGE(20000 * count[k] / all, in[k], 5 * sqrt(20000 * count[k] / all) + 1);
      how.region = region, how.count = 500;
      if (sneppp_sample(&m, &how, y, 500, &info, &err)) FAILm(err.why);
      for (size_t i = 0; i < 500; i++) {
         double v[2] = {0, 0};
         for (int r = 0; r < c.win.dim; r++) v[r] = (double)y[(size_t)c.win.dim * i + (size_t)r];
         ASSERT(sneppp_window_contains(&part[0], v) && sneppp_window_contains(&c.win, v));
      }
      sneppp_free(&m);
      free(y);
   }
   PASS();
}

/* ---- a raster of more cells than a draw of so few points takes elsewhere, and the same points whatever room there is */
TEST raster_draws_of_many_cells(void)
{
   enum { side = 80, N = 30 };
   static double      weight[side * side];
   static sneppp_real x[2][2 * 9000];
   sneppp_desc        desc;
   sneppp_model       m;
   sneppp_sample_desc how;
   sneppp_error       err;
   memset(&desc, 0, sizeof desc), memset(&how, 0, sizeof how);
   for (int k = 0; k < side * side; k++) weight[k] = 1 + k % 3;
   desc.factor[0].window.space = SNEPPP_SPACE_RASTER, desc.factor[0].window.dim = 2, desc.factor[0].window.weight = weight;
   for (int r = 0; r < 2; r++) desc.factor[0].window.cell[r] = 1, desc.factor[0].window.cells[r] = side;
   desc.factor[0].unit.act = SNEPPP_ACT_COS, desc.width = 4;
   how.count = N, how.seed = 3;
   if (sneppp_init(&m, &desc, &err)) FAILm(err.why);
   if (sneppp_sample(&m, &how, x[0], N, NULL, &err) || sneppp_sample(&m, &how, x[1], 9000, NULL, &err)) FAILm(err.why);
   ASSERT_MEM_EQ(x[0], x[1], 2 * N * sizeof **x);
   sneppp_free(&m);
   PASS();
}

/* ---- an additive model draws one factor from its part of the intensity and the other by its measure alone: inside */
TEST raster_additive(void)
{
   for (int kind = 0; kind < RASTER_CASES; kind++)
      for (int bare = 0; bare < 2; bare++) {
         static sneppp_real x[3 * 60];
         raster_case        c;
         sneppp_desc        desc;
         sneppp_model       model;
         sneppp_sample_desc how;
         sneppp_rng         rng;
         sneppp_error       err;
         raster_make(&c, kind);
         memset(&desc, 0, sizeof desc), memset(&how, 0, sizeof how);
         desc.factor[0].window = c.win, desc.factor[0].window.no_place = bare;
         desc.factor[1].window.dim = 1, desc.factor[1].window.hi[0] = 1;
         desc.mix = SNEPPP_MIX_ADDITIVE, desc.width = 4;
         if (sneppp_init(&model, &desc, &err)) FAILm(err.why);
         sneppp_rng_init(&rng, 3, (uint64_t)kind), how.rng = &rng, how.count = 60;
         if (sneppp_sample(&model, &how, x, 60, NULL, &err)) FAILm(err.why);
         for (int i = 0; i < 60; i++) {
            double y[2] = {0, 0};
            for (int r = 0; r < c.win.dim; r++) y[r] = (double)x[i * model.D + r];
            ASSERT(sneppp_window_contains(&c.win, y));
         }
         sneppp_free(&model);
      }
   PASS();
}

/* ---- one exponential of the covariates is a Poisson regression with the exposure as offset */
TEST raster_regression(void)
{
   raster_case     c;
   sneppp_real     x[2 * 300];
   sneppp_desc     desc;
   sneppp_events   events;
   sneppp_fit_desc fit;
   sneppp_model    m;
   sneppp_error    err;
   double          beta[3] = {0, 0, 0}, counts[RASTER_CELLS] = {0}, mass[RASTER_CELLS], W[2], b, V, found[3];
   raster_make(&c, 1);
   c.win.no_place = 1;
   memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
   events.x = x, events.count = raster_events(&c.win, 300, x);
   for (size_t i = 0; i < events.count; i++) {
      double v[2];
      v[0] = (double)x[2 * i], v[1] = (double)x[2 * i + 1];
      counts[sneppp__raster_cell(&c.win, v)]++;
   }
   for (size_t k = 0; k < 90; k++) mass[k] = raster_outside(&c.win, k) ? 0 : c.weight[k] * 0.8 * 0.7;
   for (int step = 0; step < 60; step++) { /* Newton: the score and the information of sum n log mu - mu, mu = mass e^(beta z) */
      double H[9] = {0}, g[3] = {0};
      for (size_t k = 0; k < 90; k++) {
         double t[3], mu;
         if (!(mass[k] > 0)) continue;
         t[0] = 1, t[1] = c.z[2 * k], t[2] = c.z[2 * k + 1];
         mu = mass[k] * exp(beta[0] * t[0] + beta[1] * t[1] + beta[2] * t[2]);
         for (int r = 0; r < 3; r++) {
            g[r] += (counts[k] - mu) * t[r];
            for (int s = 0; s < 3; s++) H[3 * r + s] += mu * t[r] * t[s];
         }
      }
      ASSERT_EQ(SNEPPP_OK, sneppp__chol(3, H, 3));
      sneppp__solve_lower(3, H, 3, 0, g, 1, 1), sneppp__solve_lower(3, H, 3, 1, g, 1, 1);
      for (int r = 0; r < 3; r++) beta[r] += g[r];
   }
   desc.factor[0].window = c.win, desc.factor[0].unit.act = SNEPPP_ACT_EXP, desc.width = 1, desc.rank = 1;
   fit.events = &events, fit.method = SNEPPP_METHOD_ADAM, fit.decay = SNEPPP_NONE, fit.steps = 6000, fit.schedule = SNEPPP_RATE_COSINE, fit.rate = 0.02;
   fit.beta1 = 0.9, fit.beta2 = 0.9999;
   if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, NULL, &err)) FAILm(err.why);
   if (sneppp_get_layer(&m, 0, W, &b, NULL, &err)) FAILm(err.why);
   V = (double)m.readout[0].V[0];
   found[0] = log(m.alpha * V * V) + 2 * b, found[1] = 2 * W[0], found[2] = 2 * W[1];
   for (int r = 0; r < 3; r++) {
      ASSERT_IN_RANGE(beta[r], found[r], sizeof(sneppp_real) == sizeof(float) ? 1e-4 : 1e-8);
   }
   sneppp_free(&m);
   PASS();
}

/* ---- what one covariate does: cells with it held fixed, everything else as it is, against a sum over cells */
TEST raster_effect(void)
{
   raster_case     c;
   sneppp_real     x[400];
   sneppp_desc     desc;
   sneppp_events   events;
   sneppp_fit_desc fit;
   sneppp_model    m;
   sneppp_error    err;
   sneppp_window   what;
   sneppp_region   region;
   double          z[2 * RASTER_CELLS], count, sum = 0;
   raster_make(&c, 1);
   c.win.no_place = 1;
   memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit), memset(&region, 0, sizeof region);
   desc.factor[0].window = c.win, desc.width = 8, events.x = x, events.count = raster_events(&c.win, 200, x);
   fit.events = &events, fit.method = SNEPPP_METHOD_CONVEX, fit.trace = 1e-3;
   if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, NULL, &err)) FAILm(err.why);
   memcpy(z, c.z, sizeof z);
   for (size_t k = 0; k < RASTER_CELLS; k++) z[2 * k] = 0.3;
   what = c.win, what.z = z, what.weight = NULL, region.factor[0] = &what; /* the exposure stays that of the model */
   if (sneppp_count(&m, &region, 1, &count, NULL, &err)) FAILm(err.why);
   for (size_t k = 0; k < 90; k++) { /* by the definition, from the layer and M in the user's units */
      double W[16], b[8], psi[8], M[64], value = 0;
      if (raster_outside(&c.win, k)) continue;
      if (sneppp_get_layer(&m, 0, W, b, NULL, &err) || sneppp_get_matrix(&m, M, &err)) FAILm(err.why);
      for (int i = 0; i < 8; i++) psi[i] = cos(W[2 * i] * 0.3 + W[2 * i + 1] * c.z[2 * k + 1] + b[i]);
      for (int i = 0; i < 64; i++) value += M[i] * psi[i / 8] * psi[i % 8];
      sum += c.weight[k] * 0.8 * 0.7 * (m.alpha * value + m.floor);
   }
   ASSERT_IN_RANGE(sum, count, (sizeof(sneppp_real) == sizeof(float) ? 1e-5 : 1e-11) * sum);
#ifndef SNEPPP_NO_SURE
   {
      sneppp_sure sure, seen;
      if (sneppp_count_sure(&m, &region, 1, 0.9, &sure, NULL, &err)) FAILm(err.why);
      ASSERT_IN_RANGE(count, sure.mean, (sizeof(sneppp_real) == sizeof(float) ? 1e-5 : 1e-11) * count);
      ASSERT(sure.lower < sure.mean && sure.mean < sure.upper);
      what.z = c.z; /* its own covariates are nothing new */
      if (sneppp_count_sure(&m, &region, 1, 0.9, &sure, NULL, &err) || sneppp_count_sure(&m, NULL, 1, 0.9, &seen, NULL, &err)) FAILm(err.why);
      ASSERT(sure.lower == seen.lower && sure.upper == seen.upper);
      what = c.win, what.covariates = 0, what.z = NULL, what.weight = c.weight, c.weight[0] = 0; /* all cells but one */
      if (sneppp_count_sure(&m, &region, 1, 0.9, &sure, NULL, &err)) FAILm(err.why);
      ASSERT(sure.lower < sure.mean && sure.mean < sure.upper);
      for (size_t k = 0; k < RASTER_CELLS; k++) c.weight[k] *= 2; /* an exposure under which no events were seen: */
      if (sneppp_count_sure(&m, &region, 1, 0.9, &sure, NULL, &err)) FAILm(err.why);
      for (size_t k = 0; k < RASTER_CELLS; k++) c.weight[k] *= 2;
      if (sneppp_count_sure(&m, &region, 1, 0.9, &seen, NULL, &err)) FAILm(err.why);
      ASSERT_IN_RANGE(2 * sure.mean, seen.mean, 1e-5 * seen.mean); /* all of it is linear in the exposure */
      ASSERT_IN_RANGE(2 * sure.lower, seen.lower, 1e-5 * seen.mean);
      ASSERT_IN_RANGE(2 * sure.upper, seen.upper, 1e-5 * seen.mean);
   }
#endif
   sneppp_free(&m);
   PASS();
}

#ifndef SNEPPP_NO_SURE
/* ---- bands: patterns whose intensity follows two covariates in a way that is known; 95 % intervals of the number with the
   first at a value and the second as it is hold the true one */
TEST raster_bands(void)
{
   enum { side = 16, cells = side * side, values = 5, patterns = 16, most = 600 };
   static double      z[2 * cells], weight[cells], rate[cells], other[values][2 * cells];
   static sneppp_real x[2 * most];
   sneppp_desc        desc;
   sneppp_fit_desc    fit;
   sneppp_events      events;
   sneppp_window     *w = &desc.factor[0].window, what[values];
   sneppp_region      region[values];
   sneppp_error       err;
   sneppp_rng         rng;
   double             truth[values], total = 0;
   int                held = 0, narrow = 0;
   memset(&desc, 0, sizeof desc), memset(&fit, 0, sizeof fit), memset(&events, 0, sizeof events), memset(region, 0, sizeof region);
   w->space = SNEPPP_SPACE_RASTER, w->dim = 2, w->cell[0] = w->cell[1] = 1, w->cells[0] = w->cells[1] = side;
   w->covariates = 2, w->z = z, w->weight = weight, w->no_place = 1;
   sneppp_rng_init(&rng, 31, 0);
   for (int k = 0; k < cells; k++) {
      weight[k] = 0.5 + sneppp_rng_uniform(&rng);
      z[2 * k] = 4 * sneppp_rng_uniform(&rng) - 2, z[2 * k + 1] = 3 * sneppp_rng_uniform(&rng) - 1.5;
      rate[k] = weight[k] * exp(sin(1.2 * z[2 * k]) + 0.4 * z[2 * k + 1]), total += rate[k];
   }
   for (int v = 0; v < values; v++) {
      truth[v] = 0;
      memcpy(other[v], z, sizeof z);
      for (int k = 0; k < cells; k++) {
         other[v][2 * k] = -1.6 + 0.8 * v;
         truth[v] += 400 / total * weight[k] * exp(sin(1.2 * other[v][2 * k]) + 0.4 * z[2 * k + 1]);
      }
      what[v] = *w, what[v].z = other[v], what[v].weight = NULL, region[v].factor[0] = &what[v];
   }
   for (int p = 0; p < patterns; p++) {
      sneppp_model m;
      sneppp_sure  sure[values];
      size_t       n = 0;
      for (int k = 0; k < cells; k++)
         for (uint64_t i = sneppp_rng_poisson(&rng, 400 * rate[k] / total); i > 0 && n < most; i--, n++)
            for (int r = 0; r < 2; r++) x[2 * n + (size_t)r] = (sneppp_real)((r ? k / side : k % side) + 0.01 + 0.98 * sneppp_rng_uniform(&rng));
      desc.width = 20, events.x = x, events.count = n;
      fit.events = &events, fit.method = SNEPPP_METHOD_CONVEX, fit.tune = 1, fit.tol = 1e-4;
      if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, NULL, &err) || sneppp_count_sure(&m, region, values, 0.95, sure, NULL, &err)) FAILm(err.why);
      for (int v = 0; v < values; v++) held += sure[v].lower <= truth[v] && truth[v] <= sure[v].upper, narrow += sure[v].upper - sure[v].lower < 1.2 * truth[v];
      sneppp_free(&m);
   }
   ASSERT(held >= 0.88 * values * patterns);
   ASSERT(narrow >= 0.5 * values * patterns); /* and they say something */
   PASS();
}
#endif

/* ---- space and time: an exposure in each, by month; events as cells and counts by region */
TEST raster_products(void)
{
   raster_case     c, months;
   sneppp_real     x[600];
   sneppp_desc     desc;
   sneppp_events   events;
   sneppp_fit_desc fit;
   sneppp_model    m;
   sneppp_error    err;
   sneppp_sample_desc how;
   sneppp_sample_info info;
   sneppp_window   part[2], time;
   sneppp_region   region[2];
   sneppp_rng      rng;
   double          count[2], all, counts[2] = {7, 12};
   raster_make(&c, 3), raster_make(&months, 7);
   months.win.covariates = 0;
   memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit), memset(region, 0, sizeof region);
   sneppp_rng_init(&rng, 8, 0);
   for (int i = 0; i < 200; i++) {
      double y[3];
      ASSERT(sneppp_window_draw(&c.win, &rng, y) && sneppp_window_draw(&months.win, &rng, y + 2));
      for (int r = 0; r < 3; r++) x[3 * i + r] = (sneppp_real)y[r];
   }
   desc.factor[0].window = c.win, desc.factor[1].window = months.win, desc.width = 10;
   events.x = x, events.count = 200;
   fit.events = &events, fit.method = SNEPPP_METHOD_CONVEX, fit.trace = 1e-2;
   if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, NULL, &err)) FAILm(err.why);
   if (sneppp_count(&m, NULL, 1, &all, NULL, &err)) FAILm(err.why);
   part[0] = part[1] = raster_box(0, 20, 0, 20), part[0].hi[0] = part[1].lo[0] = 5.1;
   region[0].factor[0] = &part[0], region[1].factor[0] = &part[1];
   if (sneppp_count(&m, region, 2, count, NULL, &err)) FAILm(err.why);
   ASSERT_IN_RANGE(all, count[0] + count[1], 1e-9 * all);
   memset(&how, 0, sizeof how);
   how.count = 150, how.seed = 2;
   if (sneppp_sample(&m, &how, x, 200, &info, &err)) FAILm(err.why);
   for (int i = 0; i < 150; i++) ASSERT(sneppp_intensity(&m, x + 3 * i) > 0);
   sneppp_free(&m);
   /* counts by region, of space and of time */
   time = raster_box(3, 7.3, 0, 1), time.dim = 1, region[0].factor[1] = &time;
   memset(&events, 0, sizeof events);
   events.region = region, events.regions = 2, events.counts = counts;
   if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, NULL, &err)) FAILm(err.why);
   if (sneppp_count(&m, region, 2, count, NULL, &err)) FAILm(err.why);
   ASSERT_IN_RANGE(7, count[0], 2);
   ASSERT_IN_RANGE(12, count[1], 2);
   sneppp_free(&m);
   PASS();
}

/* ---- mistakes: one sentence each, with the field or the event */
TEST raster_refusals(void)
{
   raster_case     c;
   sneppp_desc     desc;
   sneppp_model    m;
   sneppp_error    err;
   sneppp_events   events;
   sneppp_fit_desc fit;
   sneppp_real     x[6] = {(sneppp_real)2.1, (sneppp_real)1.1, (sneppp_real)2.9, (sneppp_real)1.1, (sneppp_real)4.5, (sneppp_real)1.2};
   memset(&desc, 0, sizeof desc);
   raster_make(&c, 0);
#define REFUSED(change, words)                                                                             \
   do {                                                                                                    \
      desc.factor[0].window = c.win;                                                                       \
      change;                                                                                              \
      ASSERT(sneppp_init(&m, &desc, &err) != SNEPPP_OK);                                                   \
      if (!strstr(err.why, words)) { fprintf(stderr, "%s\n", err.why); FAIL(); }                           \
   } while (0)
   REFUSED(desc.factor[0].window.dim = 3, "one or two");
   REFUSED(desc.factor[0].window.covariates = -1, "covariates");
   REFUSED(desc.factor[0].window.covariates = SNEPPP_MAX_DIM, "SNEPPP_MAX_DIM");
   REFUSED(desc.factor[0].window.z = NULL, "window.z");
   REFUSED(desc.factor[0].window.cells[0] = 0, "cells[0]");
   REFUSED(desc.factor[0].window.cells[1] = SIZE_MAX / 4, "cells[1]");
   REFUSED(desc.factor[0].window.cell[1] = 0, "cell[1]");
   REFUSED(desc.factor[0].window.cell[0] = 1e-30, "cell[0]");
   REFUSED(desc.factor[0].window.origin[0] = sneppp__nan(), "origin[0]");
   REFUSED(desc.factor[0].window.hi[0] = -1, "lo[0]");
   REFUSED((desc.factor[0].window.lo[0] = 50, desc.factor[0].window.hi[0] = 60), "does not meet");
   REFUSED((desc.factor[0].window.no_place = 1, desc.factor[0].window.covariates = 0), "no_place");
   REFUSED((desc.factor[0].window.xy = raster_xy, desc.factor[0].window.count = 2), "vertices");
   c.weight[4] = -1;
   REFUSED((void)0, "weight[4]");
   c.weight[4] = sneppp__minus_infinity();
   REFUSED((void)0, "weight[4] is infinite");
   c.weight[4] = 1, c.z[2] = sneppp__minus_infinity();
   REFUSED((void)0, "z[2] is infinite");
   c.z[2] = 0;
   for (size_t k = 0; k < RASTER_CELLS; k++) c.weight[k] = 0;
   REFUSED((void)0, "no cell");
#undef REFUSED
   raster_make(&c, 0);
   c.weight[3] = sneppp__nan(); /* the cell of the third event */
   memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
   desc.factor[0].window = c.win, desc.width = 5, events.x = x, events.count = 3;
   fit.events = &events, fit.method = SNEPPP_METHOD_CONVEX;
   if (sneppp_init(&m, &desc, &err)) FAILm(err.why);
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_fit(&m, &fit, NULL, &err));
   ASSERT_EQ(2, (int)err.event);
   ASSERT(strstr(err.why, "event 2 is outside the cells that have an exposure and all values"));
   ASSERT(sneppp_intensity(&m, x + 4) == 0 && sneppp_intensity(&m, x) > 0);
   sneppp_free(&m);
   PASS();
}

/* ---- AUTO divides bumps by their mass under the exposure, exactly; it finds the risk where the people are uneven */
TEST raster_automatic(void)
{
   static double   weight[600], only[600];
   sneppp_real     x[1200];
   sneppp_desc     desc;
   sneppp_events   events;
   sneppp_fit_desc fit;
   sneppp_report   report;
   sneppp_model    m;
   sneppp_error    err;
   sneppp_window  *w;
   sneppp_rng      rng;
   double          all, low = 0, high = 0;
   memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
   w = &desc.factor[0].window, w->space = SNEPPP_SPACE_RASTER, w->dim = 2, w->cell[0] = w->cell[1] = 0.5, w->cells[0] = 30, w->cells[1] = 20;
   w->origin[0] = 100, w->weight = weight;
   sneppp_rng_init(&rng, 6, 0);
   for (int k = 0; k < 600; k++) weight[k] = k % 7 == 2 ? 0 : k % 30 < 10 ? 40 : 1 + 3 * sneppp_rng_uniform(&rng);
   for (int k = 0; k < 600; k++) only[k] = weight[k];
   for (int i = 0; i < 600;) { /* twice the risk on the right, where few live */
      double at[2], v[2];
      ASSERT(sneppp_window_draw(w, &rng, at));
      if (2 * sneppp_rng_uniform(&rng) > (at[0] > 107 ? 2 : 1)) continue;
      for (int r = 0; r < 2; r++) x[2 * i + r] = (sneppp_real)at[r], v[r] = (double)x[2 * i + r];
      i += sneppp_window_contains(w, v);
   }
   events.x = x, events.count = 600, fit.events = &events;
   if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, &report, &err)) FAILm(err.why);
   ASSERT_EQ(SNEPPP_METHOD_AUTO, report.method);
   ASSERT(m.nodes > 0);
   if (sneppp_count(&m, NULL, 1, &all, NULL, &err)) FAILm(err.why);
   ASSERT_IN_RANGE(600, all, 1e-6 * 600);
   for (int k = 0; k < 600; k++) {
      double      at[2];
      sneppp_real p[2];
      at[0] = 100.25 + 0.5 * (k % 30), at[1] = 0.25 + 0.5 * (k / 30);
      p[0] = (sneppp_real)at[0], p[1] = (sneppp_real)at[1];
      if (!(only[k] > 0)) { ASSERT(sneppp_intensity(&m, p) == 0); continue; }
      *(at[0] > 107.5 ? &high : &low) += (double)sneppp_intensity(&m, p) / sneppp_window_density(w, at) / (at[0] > 107.5 ? 257 : 256);
   }
   ASSERT(high > 1.4 * low && high < 2.8 * low);
   for (int means = 0; means < 2; means++) { /* a picture of all of it: 30 x 20 cells, those of the raster */
      static sneppp_real z[600];
      sneppp_grid        grid;
      double             sum = 0;
      memset(&grid, 0, sizeof grid);
      grid.cells[0] = 30, grid.cells[1] = 20, grid.means = means;
      if (sneppp_bake(&m, &grid, z, NULL, &err)) FAILm(err.why);
      for (int k = 0; k < 600; k++) sum += 0.25 * (double)z[k];
      ASSERT_IN_RANGE(600, sum, means ? 1e-4 : 20);
      for (int k = 0; k < 600; k += 13) {
         sneppp_real at[2];
         at[0] = (sneppp_real)(100.25 + 0.5 * (k % 30)), at[1] = (sneppp_real)(0.25 + 0.5 * (k / 30));
         ASSERT_IN_RANGE((double)sneppp_intensity(&m, at), (double)z[k], (means ? 0.1 : 1e-5) * (double)z[k] + 1e-12);
      }
   }
   /* bumps and their masses, against the pairs that are summed cell by cell; then cut by a polygon with a hole */
   for (int i = 0; i < 60; i++) {
      static const double xy[14] = {100.3, 0.2, 114.1, 1.7, 113.2, 9.9, 103.4, 7.3, 105.1, 3.3, 109.2, 3.9, 107.6, 5.2};
      static const size_t rings[2] = {4, 3};
      double       c[2], l[2], s[2], k = 0;
      sneppp_layer one;
      sneppp__plots cut;
      sneppp__room room = sneppp__room_open(NULL);
      double       full;
      memset(&one, 0, sizeof one);
      if (i >= 20) w->xy = xy, w->rings = 2, w->ring_size = rings;
      for (int r = 0; r < 2; r++) c[r] = (r ? -1 : 99) + 17 * sneppp_rng_uniform(&rng), l[r] = 0.05 * pow(2, i % 10) * (r ? 1 + i % 3 : 1), s[r] = 1 / l[r];
      one.n = 1, one.unit.act = SNEPPP_ACT_RBF, one.W = c, one.width = l;
      while (sneppp__room_run(&room, &err)) sneppp__place_plots(&room.c, w, &cut);
      ASSERT_EQ(SNEPPP_OK, room.st);
      k = sneppp__raster_bump(&cut, c, s);
      sneppp__block_free(&room.block);
      if (sneppp_gram(w, &one, &full, NULL, &err)) FAILm(err.why);
      ASSERT_IN_RANGE(full, k, 1e-12 * full + 1e-13);
   }
   sneppp_free(&m);
   PASS();
}

/* An exposure of 1 everywhere says nothing: on a raster, also one that a box or a polygon cuts, AUTO finds what it finds in
   that box or polygon. With a budget it stays close to what it finds without. */
TEST raster_automatic_even(void)
{
   const double    tol = sizeof(sneppp_real) == sizeof(float) ? 1e-3 : 1e-6;
   sneppp_real     x[2 * 150];
   sneppp_rng      rng;
   sneppp_error    err;
   sneppp_rng_init(&rng, 15, 0);
   for (int kind = 0; kind < 4; kind++) { /* whole, box, polygon; a budget, under an exposure */
      raster_case     c;
      sneppp_desc     desc[2];
      sneppp_events   events;
      sneppp_fit_desc fit;
      sneppp_report   report[2];
      sneppp_model    m[2];
      double          lost = 0;
      raster_make(&c, kind == 0 || kind == 3 ? 0 : kind + 1);
      memset(desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
      c.win.covariates = 0, c.win.z = NULL;
      if (kind < 3) c.win.weight = NULL;
      if (kind == 2) c.win.lo[0] = 3.1, c.win.hi[0] = 9.7, c.win.lo[1] = 1.3, c.win.hi[1] = 6.9; /* the box around it */
      desc[0].factor[0].window = desc[1].factor[0].window = c.win;
      if (kind == 0) desc[1].factor[0].window = raster_box(2, 10, 1, 7.3);
      if (kind == 1) desc[1].factor[0].window = raster_box(2.9, 8.75, 1.2, 6.2);
      if (kind == 2) desc[1].factor[0].window.space = SNEPPP_SPACE_POLYGON;
      if (kind == 3) desc[0].width = 24;
      for (int i = 0; i < 150;) { /* dense around two places */
         double at[2], v[2];
         ASSERT(sneppp_window_draw(&c.win, &rng, at));
         if (sneppp_rng_uniform(&rng) > 0.1 + exp(-2 * ((at[0] - 4) * (at[0] - 4) + (at[1] - 4) * (at[1] - 4))) + exp(-(at[0] - 7.5) * (at[0] - 7.5))) continue;
         for (int r = 0; r < 2; r++) x[2 * i + r] = (sneppp_real)at[r], v[r] = (double)x[2 * i + r];
         i += sneppp_window_contains(&c.win, v);
      }
      events.x = x, events.count = 150, fit.events = &events;
      for (int k = 0; k < 2; k++) {
         double all;
         if (sneppp_init(&m[k], &desc[k], &err) || sneppp_fit(&m[k], &fit, &report[k], &err)) FAILm(err.why);
         ASSERT_EQ(SNEPPP_METHOD_AUTO, report[k].method);
         if (sneppp_count(&m[k], NULL, 1, &all, NULL, &err)) FAILm(err.why);
         ASSERT_IN_RANGE(150, all, 150 * tol);
      }
      for (int i = 0; i < 150; i++) lost += log((double)sneppp_intensity(&m[1], x + 2 * i) / (double)sneppp_intensity(&m[0], x + 2 * i)) / 150;
      if (kind < 3) {
         ASSERT_IN_RANGE(report[1].held_out, report[0].held_out, tol);
         for (int i = 0; i < 150; i++)
            ASSERT_IN_RANGE(1, (double)sneppp_intensity(&m[0], x + 2 * i) / (double)sneppp_intensity(&m[1], x + 2 * i), 100 * tol);
      } else { ASSERT(m[0].n <= 24 && m[1].n > 24); ASSERT_IN_RANGE(0, lost, 0.03); }
      sneppp_free(&m[0]), sneppp_free(&m[1]);
   }
   PASS();
}

/* ---- grids as files: there and back, and broken in every way: a grid or a sentence */
static int raster_read(asc_grid *g, const char *path, const char *text, size_t bytes)
{
   FILE *f = fopen(path, "wb");
   if (!f || fwrite(text, 1, bytes, f) != bytes || fclose(f)) return -1;
   return asc_read(g, path);
}

/* What AUTO finds in covariates is an exposure: the fit under that exposure, without covariates, is the same model, and
   answers alike. With other covariates it expects in every cell what their factor says, more or less. */
TEST raster_tilt(void)
{
   static const double step[3] = {0.8, 0.7, 1};
   static sneppp_real  x[2 * 300], draw[2][1200];
   const double        tol = sizeof(sneppp_real) == sizeof(float) ? 1e-4 : 1e-7;
   raster_case         c;
   sneppp_desc         desc;
   sneppp_events       events;
   sneppp_fit_desc     fit;
   sneppp_report       report, plain;
   sneppp_model        m, as, again;
   sneppp_error        err;
   sneppp_sample_desc  how;
   sneppp_sample_info  info[2];
   sneppp_window       part[2], what;
   sneppp_region       region[2];
   double              weight[RASTER_CELLS], z[2 * RASTER_CELLS], tilt[36], count[2][2], sum = 0, all;
   raster_make(&c, 2);
   memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit), memset(region, 0, sizeof region);
   memset(&how, 0, sizeof how);
   desc.factor[0].window = c.win, events.x = x, events.count = raster_events(&c.win, 300, x), fit.events = &events;
   if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, &report, &err)) FAILm(err.why);
   ASSERT(report.method == SNEPPP_METHOD_AUTO && report.tilt == 1);
   memcpy(tilt, m.desc.factor[0].window.tilt, sizeof tilt);
   for (int i = 10; i < 18; i++) ASSERT(tilt[i] > tilt[i - 1]);      /* more where the first covariate is high, */
   for (int i = 28; i < 36; i++) ASSERT(fabs(tilt[i] - tilt[27]) < 0.6); /* and the second does next to nothing   */
   for (size_t k = 0; k < 90; k++) {
      double at[2];
      at[0] = fmin(fmax(2.4 + 0.8 * (double)(k % 10), 2.91), 8.74), at[1] = fmin(fmax(1.35 + 0.7 * (double)(k / 10), 1.21), 6.19);
      weight[k] = sneppp_window_density(&m.desc.factor[0].window, at);
   }
   desc.factor[0].window.weight = weight, desc.factor[0].window.covariates = 0, desc.factor[0].window.z = NULL;
   if (sneppp_init(&as, &desc, &err) || sneppp_fit(&as, &fit, &plain, &err)) FAILm(err.why);
   ASSERT(m.n == as.n && plain.held_out < report.held_out); /* which does not take its own events for witnesses */
   part[0] = raster_box(3.05, 7.77, 2.2, 5.5), part[1] = c.win, part[1].covariates = 0, part[1].z = NULL, part[1].weight = NULL;
   part[1].hi[0] = 6.1, region[0].factor[0] = &part[0], region[1].factor[0] = &part[1];
   if (sneppp_count(&m, region, 2, count[0], NULL, &err) || sneppp_count(&as, region, 2, count[1], NULL, &err)) FAILm(err.why);
   for (int k = 0; k < 2; k++) ASSERT_IN_RANGE(count[1][k], count[0][k], tol * count[1][k]);
   for (int i = 0; i < 300; i++) ASSERT_IN_RANGE(1, (double)sneppp_intensity(&m, x + 2 * i) / (double)sneppp_intensity(&as, x + 2 * i), tol);
   how.count = 500, how.seed = 3;
   if (sneppp_sample(&m, &how, draw[0], 600, &info[0], &err) || sneppp_sample(&as, &how, draw[1], 600, &info[1], &err)) FAILm(err.why);
   for (int i = 0; i < 1000; i++) ASSERT_IN_RANGE((double)draw[1][i], (double)draw[0][i], 1e-3);
   desc.factor[0].window = c.win; /* again, and then from the model that it is: the same bits */
   if (sneppp_init(&again, &desc, &err) || sneppp_fit(&again, &fit, NULL, &err) || sneppp_fit(&again, &fit, &plain, &err)) FAILm(err.why);
   ASSERT(plain.held_out == report.held_out && memcmp(tilt, again.desc.factor[0].window.tilt, sizeof tilt) == 0);
   for (int i = 0; i < 300; i++) ASSERT(sneppp_intensity(&m, x + 2 * i) == sneppp_intensity(&again, x + 2 * i));
   sneppp_free(&again);
   /* what if */
   memcpy(z, c.z, sizeof z);
   for (size_t k = 0; k < RASTER_CELLS; k++) z[2 * k] = k % 2 ? -30 : 0.3; /* beyond the last bend nothing changes */
   what = c.win, what.z = z, what.weight = NULL, region[0].factor[0] = &what;
   if (sneppp_count(&m, region, 1, &all, NULL, &err)) FAILm(err.why);
   for (size_t k = 0; k < 90; k++) {
      double now[2], cell = 0;
      for (int r = 0; r < 2; r++) {
         part[0].lo[r] = c.win.origin[r] + step[r] * (double)(r ? k / 10 : k % 10), part[0].hi[r] = part[0].lo[r] + step[r];
         what.z = r ? c.z : z, what.tilt = tilt, now[r] = sneppp__raster_tilt(&what, k);
      }
      region[1].factor[0] = &part[0];
      if (sneppp_count(&m, region + 1, 1, &cell, NULL, &err)) FAILm(err.why);
      sum += cell * exp(now[0] - now[1]);
   }
   ASSERT_IN_RANGE(sum, all, 10 * tol * sum);
   what.weight = c.weight, what.z = c.z; /* its own exposure and covariates are no other ones */
   if (sneppp_count(&m, region, 1, &all, NULL, &err)) FAILm(err.why);
   ASSERT_IN_RANGE(300, all, 1e-4 * 300);
#ifndef SNEPPP_NO_SURE
   {
      sneppp_sure sure[2];
      part[0] = raster_box(3.05, 7.77, 2.2, 5.5), region[1].factor[0] = &part[0];
      if (sneppp_count_sure(&m, region + 1, 1, 0.95, &sure[0], NULL, &err) || sneppp_count_sure(&as, region + 1, 1, 0.95, &sure[1], NULL, &err)) FAILm(err.why);
      ASSERT_IN_RANGE(sure[1].lower, sure[0].lower, tol * sure[1].mean);
      ASSERT_IN_RANGE(sure[1].upper, sure[0].upper, tol * sure[1].mean);
      if (sneppp_count_sure(&m, region, 1, 0.95, &sure[0], NULL, &err)) FAILm(err.why);
      what.z = z;
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_count_sure(&m, region, 1, 0.95, &sure[0], NULL, &err));
      ASSERT(strstr(err.why, "other covariates"));
   }
#endif
   sneppp_free(&m), sneppp_free(&as);
   /* a tilt must rise along its values and be finite */
   desc.factor[0].window = c.win, desc.factor[0].window.tilt = tilt, tilt[20] = 9;
   ASSERT(sneppp_init(&m, &desc, &err) != SNEPPP_OK && strstr(err.why, "window.tilt[20] = 9 is above the next"));
   tilt[20] = sneppp__nan();
   ASSERT(sneppp_init(&m, &desc, &err) != SNEPPP_OK && strstr(err.why, "window.tilt[20] is not finite"));
   PASS();
}

/* Covariates alone: where their logarithms add, few events are enough for the lines; where they do not, many choose waves.
   The model is a constant under the tilt, fitted again to the same bits, and knows its events. */
TEST raster_covariates_alone(void)
{
   static double z[2 * 600], shape[600];
   for (int kind = 0; kind < 2; kind++) {
      const size_t    N = kind ? 3000 : 150;
      sneppp_real    *x = (sneppp_real *)malloc(2 * N * sizeof *x);
      double          at[600], lost[2] = {0, 0}, total = 0;
      sneppp_desc     desc;
      sneppp_events   events;
      sneppp_fit_desc fit;
      sneppp_report   report[2];
      sneppp_model    m[2];
      sneppp_error    err;
      sneppp_rng      rng;
      sneppp_window  *w = &desc.factor[0].window;
      ASSERT(x != NULL);
      memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
      sneppp_rng_init(&rng, 3, 0);
      for (int k = 0; k < 1200; k++) z[k] = 100 + 20 * sneppp_rng_normal(&rng);
      for (int k = 0; k < 600; k++) {
         double a = (z[2 * k] - 100) / 20, b = (z[2 * k + 1] - 100) / 20;
         total += shape[k] = kind ? 1 + tanh(3 * a * b) : exp(0.8 * a - 0.4 * b);
         at[k] = total;
      }
      for (size_t i = 0; i < N; i++) {
         double u = total * sneppp_rng_uniform(&rng);
         int    k = 0;
         while (at[k] < u) k++;
         x[2 * i] = (sneppp_real)(k % 30 + 0.05 + 0.9 * sneppp_rng_uniform(&rng));
         x[2 * i + 1] = (sneppp_real)(k / 30 + 0.05 + 0.9 * sneppp_rng_uniform(&rng));
      }
      w->space = SNEPPP_SPACE_RASTER, w->dim = 2, w->cell[0] = w->cell[1] = 1, w->cells[0] = 30, w->cells[1] = 20;
      w->covariates = 2, w->z = z, w->no_place = 1;
      events.x = x, events.count = N, fit.events = &events;
      for (int k = 0; k < 2; k++) {
         if (k) fit.method = SNEPPP_METHOD_CONVEX, fit.tune = 1, fit.floor = 0.05;
         if (sneppp_init(&m[k], &desc, &err) || sneppp_fit(&m[k], &fit, &report[k], &err)) FAILm(err.why);
         ASSERT(sneppp__finite(report[k].held_out));
         for (int c = 0; c < 600; c++) {
            sneppp_real p[2];
            p[0] = (sneppp_real)(c % 30 + 0.5), p[1] = (sneppp_real)(c / 30 + 0.5);
            lost[k] += shape[c] / total * log((double)N * shape[c] / total / (double)sneppp_intensity(&m[k], p));
         }
      }
      ASSERT(report[0].held_out <= report[1].held_out + 1 / (double)N);
      if (report[0].method == SNEPPP_METHOD_CONVEX) { /* what is tuned may differ by last digits, and be the better one */
         ASSERT(report[0].tilt == 0 && report[0].held_out == report[1].held_out);
         ASSERT(kind || lost[0] < 0.04);
      } else {
         double        count[2];
         sneppp_region region;
         sneppp_window what = *w;
         ASSERT(!kind && report[0].method == SNEPPP_METHOD_AUTO && report[0].tilt == 1 && m[0].n == 1);
         ASSERT(lost[0] < 0.04 && lost[0] < lost[1]);
         for (int k = 0; k < 600; k++) shape[k] = z[2 * k], z[2 * k] += 15; /* what if the first were higher? */
         memset(&region, 0, sizeof region), region.factor[0] = &what;
         if (sneppp_count(&m[0], &region, 1, &count[0], NULL, &err) || sneppp_count(&m[0], NULL, 1, &count[1], NULL, &err)) FAILm(err.why);
         ASSERT(count[0] > 1.3 * 150 && count[0] < 2.5 * 150);
         ASSERT_IN_RANGE(150, count[1], 1e-4);
         for (int k = 0; k < 600; k++) z[2 * k] = shape[k];
         fit.method = SNEPPP_METHOD_AUTO, fit.tune = 0, fit.floor = 0;
         if (sneppp_fit(&m[0], &fit, &report[1], &err)) FAILm(err.why);
         ASSERT(report[1].held_out == report[0].held_out && report[1].nll == report[0].nll && m[0].origin.count == (m[0].desc.events ? 150 : 0));
      }
      sneppp_free(&m[0]), sneppp_free(&m[1]);
      free(x);
   }
   PASS();
}

/* One event: left out, it leaves none to say what its covariate does, so the other cell may be as dense. */
TEST raster_tilt_of_one_event(void)
{
   static const double z[2] = {0.9, 0};
   sneppp_real         x[1], other[1];
   sneppp_desc         desc;
   sneppp_events       events;
   sneppp_fit_desc     fit;
   sneppp_model        m;
   sneppp_error        err;
   sneppp_window      *w = &desc.factor[0].window;
   memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
   w->space = SNEPPP_SPACE_RASTER, w->dim = 1, w->cell[0] = 1, w->cells[0] = 2, w->covariates = 1, w->z = z;
   x[0] = (sneppp_real)0.9, other[0] = (sneppp_real)1.5;
   events.x = x, events.count = 1, fit.events = &events;
   if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, NULL, &err)) FAILm(err.why);
   ASSERT(sneppp_intensity(&m, other) > (sneppp_real)0.1 * sneppp_intensity(&m, x));
   sneppp_free(&m);
   PASS();
}

/* A category has two values, so two bends, of which the last one fills the table: read as the manual says, it tells what
   the model does. */
TEST raster_tilt_of_a_category(void)
{
   static const double z[6] = {1, 0, 1, 0, 1, 0}, at[8] = {0.1, 0.7, 2.2, 2.4, 2.9, 4.6, 4.8, 3.5};
   sneppp_real         x[8], no[1], yes[1];
   sneppp_desc         desc;
   sneppp_events       events;
   sneppp_fit_desc     fit;
   sneppp_model        m;
   sneppp_error        err;
   const double       *bend;
   sneppp_window      *w = &desc.factor[0].window;
   memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
   w->space = SNEPPP_SPACE_RASTER, w->dim = 1, w->cell[0] = 1, w->cells[0] = 6, w->covariates = 1, w->z = z, w->no_place = 1;
   for (int i = 0; i < 8; i++) x[i] = (sneppp_real)at[i];
   yes[0] = (sneppp_real)0.5, no[0] = (sneppp_real)1.5;
   events.x = x, events.count = 8, fit.events = &events;
   if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, NULL, &err)) FAILm(err.why);
   bend = m.desc.factor[0].window.tilt;
   ASSERT(bend && bend[0] == 0);
   for (int i = 1; i < SNEPPP_BENDS; i++) ASSERT(bend[i] == 1 && bend[SNEPPP_BENDS + i] == bend[SNEPPP_BENDS + 1]);
   ASSERT(bend[SNEPPP_BENDS + 1] > bend[SNEPPP_BENDS]);
   ASSERT_IN_RANGE(bend[SNEPPP_BENDS + 1] - bend[SNEPPP_BENDS],
                   log((double)sneppp_intensity(&m, yes) / (double)sneppp_intensity(&m, no)), sizeof(sneppp_real) == 4 ? 1e-6 : 1e-14);
   sneppp_free(&m);
   PASS();
}

/* Covariates alone are fitted twice, by waves and by lines: whichever allocation fails, the model stays as it was. */
TEST raster_covariates_and_memory(void)
{
   static const double  z[6] = {0.2, 0.9, 0.4, 0.1, 0.7, 0.5}, at[7] = {0.1, 1.2, 1.4, 1.9, 4.6, 4.8, 3.5};
   static unsigned char was[20000], is[20000];
   sneppp_real          x[7];
   sneppp_desc          desc;
   sneppp_events        events;
   sneppp_fit_desc      fit;
   sneppp_model         m;
   test_alloc           heap = {0, 0, 0, 0};
   size_t               bytes, k = 0;
   sneppp_status        st = SNEPPP_ERR_MEMORY;
   sneppp_window       *w = &desc.factor[0].window;
   memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
   w->space = SNEPPP_SPACE_RASTER, w->dim = 1, w->cell[0] = 1, w->cells[0] = 6, w->covariates = 1, w->z = z, w->no_place = 1;
   for (int i = 0; i < 7; i++) x[i] = (sneppp_real)at[i];
   desc.width = 4, desc.alloc_ctx = &heap, events.x = x, events.count = 7, fit.events = &events;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, NULL));
   bytes = sneppp_save(&m, was, sizeof was);
   ASSERT(bytes && bytes <= sizeof was);
   while (st == SNEPPP_ERR_MEMORY) {
      heap.calls = 0, heap.fail_at = ++k;
      st = sneppp_fit(&m, &fit, NULL, NULL);
      if (st == SNEPPP_ERR_MEMORY) {
         ASSERT_EQ(bytes, sneppp_save(&m, is, sizeof is));
         ASSERT_EQ(0, memcmp(was, is, bytes));
      }
   }
   ASSERT_EQ(SNEPPP_OK, st);
   ASSERT(k > 10);
   sneppp_free(&m);
   ASSERT_EQ(0u, heap.live);
   PASS();
}

/* Covariates that say nothing cost next to nothing; events in space and time have their covariates, too; whoever is asked
   to stop has not begun. */
static int raster_stop(const sneppp_report *now, const sneppp_model *model, void *user)
{
   (void)now, (void)model, (void)user;
   return 1;
}

/* Where cells meet, a point lies in one that has an exposure; on an end, in the one before it. */
TEST raster_borders(void)
{
   static const double weight[4] = {0, 1, 2, 0}; /* below left and right, above left and right */
   static const struct { double x, y, whole, left; } at[] = {
      {1, 0.5, 1, 0}, {1, 1.5, 2, 2}, {0.5, 1, 2, 2}, {1.5, 1, 1, 0}, {1, 1, 2, 2}, {2, 0.5, 1, 0}, {0.5, 2, 2, 2}, {2, 2, 0, 0}, {0, 0, 0, 0},
      {2, 1, 1, 0}, {1, 2, 2, 2}, {1, 0, 1, 0}};
   for (int cut = 0; cut < 2; cut++)
      for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
         sneppp_window w;
         double        v[2], density = cut ? at[k].left : at[k].whole;
         memset(&w, 0, sizeof w);
         w.space = SNEPPP_SPACE_RASTER, w.dim = 2, w.cells[0] = w.cells[1] = 2, w.cell[0] = w.cell[1] = 1, w.weight = weight;
         if (cut) w.hi[0] = 1, w.hi[1] = 2;
         v[0] = at[k].x, v[1] = at[k].y;
         ASSERT_EQ(density > 0, sneppp_window_contains(&w, v));
         if (density > 0) ASSERT_EQ(density, sneppp_window_density(&w, v));
      }
   PASS();
}

TEST raster_tilt_where(void)
{
   static sneppp_real x[3 * 400], place[2 * 150];
   raster_case        c;
   sneppp_desc        desc;
   sneppp_events      events;
   sneppp_fit_desc    fit;
   sneppp_report      report, plain;
   sneppp_model       m, bare;
   sneppp_error       err;
   sneppp_rng         rng;
   double             all, lost = 0;
   raster_make(&c, 0);
   memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
   sneppp_rng_init(&rng, 31, 0);
   for (int seed = 0; seed < 2; seed++) {
      for (int i = 0; i < 400;) {
         double at[2], v[2];
         ASSERT(sneppp_window_draw(&c.win, &rng, at));
         if (sneppp_rng_uniform(&rng) > exp(-0.5 * (at[0] - 2))) continue;
         for (int r = 0; r < 2; r++) x[2 * i + r] = (sneppp_real)at[r], v[r] = (double)x[2 * i + r];
         i += sneppp_window_contains(&c.win, v);
      }
      desc.factor[0].window = c.win, events.x = x, events.count = 400, fit.events = &events;
      if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, &report, &err)) FAILm(err.why);
      desc.factor[0].window.covariates = 0, desc.factor[0].window.z = NULL;
      if (sneppp_init(&bare, &desc, &err) || sneppp_fit(&bare, &fit, &plain, &err)) FAILm(err.why);
      ASSERT(report.held_out <= plain.held_out + 1e-9 && sneppp__finite(report.held_out));
      for (int k = 0; k < 90; k++) {
         double l, at[2];
         sneppp_real p[2];
         at[0] = 2.4 + 0.8 * (k % 10), at[1] = 1.35 + 0.7 * (k / 10), p[0] = (sneppp_real)at[0], p[1] = (sneppp_real)at[1];
         l = c.weight[k] * exp(-0.5 * (at[0] - 2));
         lost += l * log((double)sneppp_intensity(&bare, p) / (double)sneppp_intensity(&m, p)) / 90;
      }
      sneppp_free(&m), sneppp_free(&bare);
   }
   ASSERT(lost / 2 < 0.01);
   raster_events(&c.win, 150, place); /* beside the place, a time: more in the end */
   for (int i = 0; i < 150; i++)
      x[3 * i] = place[2 * i], x[3 * i + 1] = place[2 * i + 1], x[3 * i + 2] = (sneppp_real)sqrt(sneppp_rng_uniform(&rng));
   memset(&desc, 0, sizeof desc);
   desc.factor[0].window = c.win, desc.factor[1].window.dim = 1, desc.factor[1].window.hi[0] = 1, events.count = 150;
   if (sneppp_init(&m, &desc, &err)) FAILm(err.why);
   fit.progress = raster_stop;
   if (sneppp_fit(&m, &fit, &report, &err)) FAILm(err.why);
   ASSERT(report.ending == SNEPPP_ENDING_ASKED_TO_STOP && m.layer[0].d == 4);
   fit.progress = NULL;
   if (sneppp_fit(&m, &fit, &report, &err)) FAILm(err.why);
   ASSERT(report.method == SNEPPP_METHOD_AUTO && report.tilt == 1 && m.layer[0].d == 2);
   if (sneppp_count(&m, NULL, 1, &all, NULL, &err)) FAILm(err.why);
   ASSERT_IN_RANGE(150, all, 1e-4 * 150);
   sneppp_free(&m);
   events.count = 0; /* of no events covariates know nothing */
   if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, &report, &err)) FAILm(err.why);
   ASSERT(report.tilt == 0 && m.desc.factor[0].window.tilt[9] == 0);
   sneppp_free(&m);
   PASS();
}

/* Seen in a part of a raster only, AUTO is the convex problem with its floor, whose waves and penalty are chosen by events
   held out; where events cannot be held out, as of counts, it is not tuned. */
TEST raster_automatic_tunes(void)
{
   raster_case     c;
   sneppp_desc     desc;
   sneppp_events   events;
   sneppp_fit_desc fit;
   sneppp_model    m[3];
   sneppp_error    err;
   sneppp_rng      rng;
   sneppp_real     x[2 * 120];
   sneppp_window   part;
   sneppp_region   seen;
   raster_make(&c, 0);
   memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit), memset(&seen, 0, sizeof seen);
   desc.factor[0].window = c.win, desc.width = 12, part = raster_box(2, 9.5, 1, 7.3), seen.factor[0] = &part, events.seen = &seen;
   sneppp_rng_init(&rng, 4, 0);
   for (int i = 0; i < 120;) {
      double at[2] = {0, 0}, v[2];
      ASSERT(sneppp_window_draw(&c.win, &rng, at));
      for (int r = 0; r < 2; r++) x[2 * i + r] = (sneppp_real)at[r], v[r] = (double)x[2 * i + r];
      i += sneppp_window_contains(&c.win, v) && sneppp_window_contains(&part, v);
   }
   events.x = x, events.count = 120, fit.events = &events;
   for (int k = 0; k < 3; k++) {
      if (k) fit.method = SNEPPP_METHOD_CONVEX, fit.floor = 0.05, fit.tune = k == 1;
      if (sneppp_init(&m[k], &desc, &err) || sneppp_fit(&m[k], &fit, NULL, &err)) FAILm(err.why);
   }
   for (int i = 0; i < m[0].layer[0].n * m[0].layer[0].d; i++) ASSERT(m[0].layer[0].W[i] == m[1].layer[0].W[i]);
   ASSERT_IN_RANGE(1, (double)sneppp_intensity(&m[1], x) / (double)sneppp_intensity(&m[0], x), 1e-6);
   ASSERT(fabs((double)sneppp_intensity(&m[2], x) / (double)sneppp_intensity(&m[0], x) - 1) > 1e-6); /* it chose something */
   for (int k = 0; k < 3; k++) sneppp_free(&m[k]);
   PASS();
}

TEST raster_grids(void)
{
   static const char good[] = "NCOLS 3\nnrows 2\nxllcenter 10.5\r\nyllcorner -2\n\ndx 1\ndy 0.5\nnodata_VALUE -1\n1 2 -1\n4 5e0\n.6\n";
   char        path[1000];
   asc_grid    g, back;
   sneppp_rng  rng;
   test_path(path, "grid.asc");
   ASSERT_EQ(1, raster_read(&g, path, good, sizeof good - 1));
   ASSERT(g.cells[0] == 3 && g.cells[1] == 2 && g.origin[0] == 10 && g.origin[1] == -2 && g.cell[1] == 0.5);
   ASSERT(g.value[0] == 4 && g.value[2] == 0.6 && g.value[3] == 1 && !sneppp__finite(g.value[5]));
   ASSERT(asc_write(&g, path) && asc_read(&back, path) && asc_same(&g, &back));
   for (int k = 0; k < 5; k++) ASSERT(g.value[k] == back.value[k]);
   ASSERT(!sneppp__finite(back.value[5]));
   asc_free(&back), asc_free(&g);
   sneppp_rng_init(&rng, 17, 0);
   for (int n = 0; n < 3000; n++) {
      static const char odd[] = "\n \t-.e0123456789xyznco#\xff\x01";
      char   text[2 * sizeof good];
      size_t bytes = sizeof good - 1;
      memcpy(text, good, bytes);
      for (uint64_t k = 1 + sneppp_rng_below(&rng, 4); k > 0; k--) {
         size_t at = (size_t)sneppp_rng_below(&rng, bytes);
         if (sneppp_rng_below(&rng, 4)) text[at] = odd[sneppp_rng_below(&rng, sizeof odd - 1)];
         else bytes = at + 1;
      }
      memset(&g, 0, sizeof g);
      ASSERT(raster_read(&g, path, text, bytes) >= 0);
      if (!g.value) { ASSERT(g.error[0] && strstr(g.error, path) == g.error); }
      asc_free(&g);
   }
   remove(path);
   PASS();
}

/* The share that was asked for the floor is one of what was watched: of the exposure, and of what is inside. */
TEST raster_watched_floor(void)
{
   const double    weight[2] = {0.5, 3};
   sneppp_real     x[3] = {(sneppp_real)0.2, (sneppp_real)0.7, (sneppp_real)1.2};
   sneppp_window   part;
   sneppp_region   seen;
   sneppp_desc     desc;
   sneppp_events   events;
   sneppp_fit_desc fit;
   sneppp_model    model;
   sneppp_error    err;
   memset(&desc, 0, sizeof desc), memset(&part, 0, sizeof part), memset(&seen, 0, sizeof seen);
   memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
   desc.factor[0].window.space = SNEPPP_SPACE_RASTER, desc.factor[0].window.dim = 1, desc.width = 4;
   desc.factor[0].window.cells[0] = 2, desc.factor[0].window.cell[0] = 1, desc.factor[0].window.weight = weight;
   part.dim = 1, part.lo[0] = -0.5, part.hi[0] = 1.25, seen.factor[0] = &part; /* a part of it is outside */
   events.x = x, events.count = 3, events.seen = &seen;
   fit.events = &events, fit.method = SNEPPP_METHOD_ADAM, fit.steps = 1, fit.floor = 0.1, fit.freeze = SNEPPP_FREEZE_FLOOR;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&model, &desc, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&model, &fit, NULL, &err));
   ASSERT_IN_RANGE(0.1 * 3 / (0.5 + 0.25 * 3), model.floor, 1e-12);
   sneppp_free(&model);
   PASS();
}

/* Moments and squares of bumps have a way of their own on cells: the sums of those over boxes. */
TEST raster_bumps(void)
{
   double        W[8] = {0.4, 0.3, 1.9, 0.8, 1.1, 1.7, -0.6, 0.5}, b[4] = {0, 0, 0, 0}, width[8] = {0.2, 0.5, 0.05, 0.3, 1.5, 2, 0.4, 0.1};
   const double  weight[6] = {0.5, 0, 3, 1, 2, 0.25};
   double        m[4], K[16], one[4], square[16], sum[2][4] = {{0}};
   sneppp_window w, box;
   sneppp_layer  layer;
   sneppp_error  err;
   memset(&w, 0, sizeof w), memset(&box, 0, sizeof box), memset(&layer, 0, sizeof layer);
   layer.n = 4, layer.W = W, layer.b = b, layer.width = width, layer.unit.act = SNEPPP_ACT_RBF;
   w.space = SNEPPP_SPACE_RASTER, w.dim = box.dim = 2, w.weight = weight, w.cells[0] = 3, w.cells[1] = 2, w.cell[0] = 0.7, w.cell[1] = 1.1;
   if (sneppp_moments(&w, &layer, m, &err)) FAILm(err.why);
   if (sneppp_gram(&w, &layer, K, NULL, &err)) FAILm(err.why);
   for (size_t k = 0; k < 6; k++) {
      box.lo[0] = 0.7 * (double)(k % 3), box.hi[0] = box.lo[0] + 0.7, box.lo[1] = 1.1 * (double)(k / 3), box.hi[1] = box.lo[1] + 1.1;
      if (sneppp_moments(&box, &layer, one, &err)) FAILm(err.why);
      if (sneppp_gram(&box, &layer, square, NULL, &err)) FAILm(err.why);
      for (size_t i = 0; i < 4; i++) sum[0][i] += weight[k] * one[i], sum[1][i] += weight[k] * square[5 * i];
   }
   for (size_t i = 0; i < 4; i++) {
      ASSERT_IN_RANGE(sum[0][i], m[i], 1e-13 * sum[0][i]);
      ASSERT_IN_RANGE(sum[1][i], K[5 * i], 1e-13 * sum[1][i]);
   }
   PASS();
}

/* Slow sines are small everywhere, and nothing of them may be lost beside 1: one cell is a box, and by their power series the
   integral of (ax + b)(cx + d) but for squares of 1e-6. Beside them fast ones, by the box. */
TEST raster_slow_sines(void)
{
   static const double W[8] = {-1.7e-6, 1e-6, 3, 2e-7, 0.9, -1e-6, 2.9, 11}, b[4] = {8.7e-7, -3e-7, 0.4, 1e-6};
   double        box[16], cell[16], pull[2][8], G[16];
   sneppp_window w[2];
   sneppp_layer  layer;
   sneppp_error  err;
   sneppp_layer_grad grad;
   memset(w, 0, sizeof w), memset(&layer, 0, sizeof layer), memset(&grad, 0, sizeof grad);
   for (int k = 0; k < 16; k++) G[k] = k % 5 + 1;
   for (int d = 1; d <= 2; d++) {
      for (int k = 0; k < 2; k++) w[k].dim = d;
      w[1].space = SNEPPP_SPACE_RASTER;
      for (int r = 0; r < d; r++)
         w[0].lo[r] = w[1].origin[r] = -0.3 - r, w[1].cell[r] = 1.1, w[0].hi[r] = w[0].lo[r] + 1.1, w[1].cells[r] = 1;
      layer.n = 4, layer.d = d, layer.W = W, layer.b = b, layer.unit.act = SNEPPP_ACT_SIN;
      ASSERT_EQ(SNEPPP_OK, sneppp_gram(&w[0], &layer, box, NULL, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_gram(&w[1], &layer, cell, NULL, &err));
      for (int i = 0; i < 4; i++)
         for (int j = 0; j < 4; j++) ASSERT_IN_RANGE(box[4 * i + j], cell[4 * i + j], 1e-13 * sqrt(box[5 * i] * box[5 * j]));
      if (d == 1)
         for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
               double lo = w[0].lo[0], hi = w[0].hi[0],
                      sum = W[i] * W[j] * (hi * hi * hi - lo * lo * lo) / 3 + (W[i] * b[j] + W[j] * b[i]) * (hi * hi - lo * lo) / 2 +
                            b[i] * b[j] * (hi - lo);
               ASSERT_IN_RANGE(sum, cell[4 * i + j], 1e-11 * sqrt(cell[5 * i] * cell[5 * j]));
            }
      for (int k = 0; k < 2; k++) {
         memset(pull[k], 0, sizeof pull[k]), grad.W = pull[k];
         ASSERT_EQ(SNEPPP_OK, sneppp_gram_grad(&w[k], &layer, G, &grad, NULL, &err));
      }
      for (int k = 0; k < 4 * d; k++) ASSERT_IN_RANGE(pull[0][k], pull[1][k], 1e-12 * fabs(pull[0][k]) + 1e-17);
   }
   PASS();
}

/* A unit that is 0 on all cells has a square of 0, not of what is left of areas that cancel. */
TEST raster_squares_are_not_negative(void)
{
   static const double xy[6] = {0.05, 0.02, 0.9, 0.3, 0.3, 0.97};
   sneppp_desc  desc;
   sneppp_model model;
   sneppp_error err;
   double       K[16 * 16];
   memset(&desc, 0, sizeof desc);
   desc.factor[0].window.space = SNEPPP_SPACE_RASTER, desc.factor[0].window.dim = 2;
   for (int r = 0; r < 2; r++) desc.factor[0].window.cells[r] = 3 - (size_t)r, desc.factor[0].window.cell[r] = r ? 0.49987 : 0.30762;
   desc.factor[0].window.xy = xy, desc.factor[0].window.count = 3;
   desc.factor[0].unit.act = SNEPPP_ACT_STEP, desc.width = 16;
   for (uint64_t seed = 1; seed < 60; seed++) {
      desc.seed = seed;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&model, &desc, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_model_gram(&model, NULL, K, NULL, &err));
      for (size_t i = 0; i < 16; i++) ASSERT(K[17 * i] >= 0);
      sneppp_free(&model);
   }
   PASS();
}

/* Parts of rasters: cells with other covariates, pieces of the line, and polygons that leave the window's where nothing is cut. */
TEST raster_parts(void)
{
   static const double inner[6] = {3.5, 1.8, 5, 2, 4.4, 2.8}, outer[6] = {3.5, 1.8, 5, 2, 4.4, 8}, ends[2] = {3, 4};
   raster_case   c, line;
   sneppp_desc   desc;
   sneppp_model  m;
   sneppp_error  err;
   sneppp_window part;
   sneppp_region region;
   sneppp_events e;
   sneppp_real   x[2] = {(sneppp_real)4.3, (sneppp_real)2.1};
   double        count, nll, sum, whole = 0, twice[RASTER_CELLS];
   memset(&desc, 0, sizeof desc), memset(&region, 0, sizeof region), memset(&e, 0, sizeof e);
   raster_make(&c, 3), raster_make(&line, 6);
   for (int k = 0; k < RASTER_CELLS; k++) twice[k] = 2 * c.weight[k];
   desc.width = 4, desc.factor[0].window = c.win;
   region.factor[0] = &part;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, &err));
   part = c.win, part.covariates = 1;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_count(&m, &region, 1, &count, NULL, &err));
   ASSERT_STR_EQ("region.factor[0].covariates = 1, but the window has 2", err.why);
   for (int k = 0; k < 4; k++) { /* covariates of its own or not, an exposure of its own or not, which is twice as large */
      part = c.win;
      if (k & 1) part.covariates = 0, part.z = NULL;
      part.weight = k & 2 ? twice : NULL;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_count(&m, &region, 1, &count, NULL, &err), "%d");
      if (!k) whole = count;
      if (k != 1) ASSERT_IN_RANGE((k & 2 ? 2 : 1) * whole, count, 1e-5 * whole); /* 1: the cells alone, without an exposure */
   }
   memset(&part, 0, sizeof part);
   part.space = SNEPPP_SPACE_POLYGON, part.dim = 2, part.count = 3, part.xy = inner;
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_count(&m, &region, 1, &count, NULL, &err), "%d");
   e.x = x, e.count = 1, e.seen = &region; /* what was watched is not cut: it must lie in the window */
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &err), "%d");
   sum = count - log((double)sneppp_intensity(&m, x));
   ASSERT_IN_RANGE(sum, nll, 1e-4 * fabs(sum));
   part.xy = outer;
   ASSERT_EQ_FMT(SNEPPP_ERR_ARG, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &err), "%d");
   ASSERT(strstr(err.why, "some of it is outside, or in a hole"));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &count, NULL, &err));
   sneppp_free(&m);
   desc.factor[0].window = line.win;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, &err));
   memset(&part, 0, sizeof part);
   part.space = SNEPPP_SPACE_INTERVALS, part.dim = 1, part.count = 1, part.ends = ends;
   ASSERT_EQ(SNEPPP_ERR_NO_CLOSED_FORM, sneppp_count(&m, &region, 1, &count, NULL, &err));
   ASSERT_STR_EQ("region.factor[0]: parts of a raster are boxes, polygons and cells of its grid", err.why);
   sneppp_free(&m);
   PASS();
}

/* A window that ends on a border between cells has nothing of the cells beyond it. */
TEST raster_ends_on_a_border(void)
{
   static const double weight[4] = {1, 0, 1, 0};
   sneppp_window       w = raster_box(1, 2, 0, 2);
   double              x[2] = {1, 0.5};
   w.space = SNEPPP_SPACE_RASTER, w.weight = weight;
   for (int r = 0; r < 2; r++) w.cell[r] = 1, w.cells[r] = 2;
   ASSERT(!sneppp_window_contains(&w, x)); /* the cell on its left has an exposure, but is cut off */
   ASSERT_EQ(0.0, sneppp_window_density(&w, x));
   w.lo[0] = 0;
   ASSERT(sneppp_window_contains(&w, x));
   ASSERT_EQ(1.0, sneppp_window_density(&w, x));
   PASS();
}

/* A polygon that is a small part of the raster: draws do not look for it in all cells. */
TEST raster_draws_in_a_corner(void)
{
   enum { side = 60 };
   static const double xy[6] = {30.25, 20.25, 30.75, 20.25, 30.5, 20.75};
   sneppp_window       w;
   sneppp_rng          rng;
   double              x[2];
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_SPACE_RASTER, w.dim = 2, w.xy = xy, w.count = 3;
   for (int r = 0; r < 2; r++) w.cell[r] = 1, w.cells[r] = side;
   sneppp_rng_init(&rng, 2, 0);
   for (int k = 0; k < 20; k++) {
      ASSERT(sneppp_window_draw(&w, &rng, x));
      ASSERT(sneppp_window_contains(&w, x));
   }
   PASS();
}

/* Features of the caller's own see the place: a raster that leaves it out has none. */
static void raster_own_psi(const double *x, double *psi, void *user) { (void)user, psi[0] = x[0]; }
static int  raster_own_gram(const sneppp_window *part, double *K, void *user) { return (void)part, (void)user, K[0] = 1, 0; }
TEST raster_own_features_need_the_place(void)
{
   raster_case  c;
   sneppp_desc  desc;
   sneppp_model m;
   sneppp_error err;
   raster_make(&c, 0);
   memset(&desc, 0, sizeof desc);
   desc.width = 1, desc.factor[0].window = c.win;
   desc.factor[0].own.psi = raster_own_psi, desc.factor[0].own.gram = raster_own_gram;
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &desc, &err), "%d");
   sneppp_free(&m);
   desc.factor[0].window.no_place = 1;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_init(&m, &desc, &err));
   ASSERT(strstr(err.why, "factor[0].own: features of your own are functions of the place"));
   sneppp_free(&m);
   PASS();
}

/* Cells of a draw are cut along the axis on which the intensity changes, also if it is the second one of a raster. */
TEST raster_draws_along_both_axes(void)
{
   double accepted[2];
   for (int axis = 0; axis < 2; axis++) {
      static sneppp_real x[2 * 4000];
      double             W[8] = {0}, b[4] = {0, 1, 2, 3};
      sneppp_desc        desc;
      sneppp_model       m;
      sneppp_sample_desc how;
      sneppp_sample_info info;
      sneppp_error       err;
      memset(&desc, 0, sizeof desc), memset(&how, 0, sizeof how);
      desc.factor[0].window.space = SNEPPP_SPACE_RASTER, desc.factor[0].window.dim = 2;
      for (int r = 0; r < 2; r++) desc.factor[0].window.cell[r] = 1, desc.factor[0].window.cells[r] = 1;
      desc.factor[0].unit.act = SNEPPP_ACT_COS, desc.width = 4;
      for (int i = 0; i < 4; i++) W[2 * i + axis] = 20 + 3 * i;
      if (sneppp_init(&m, &desc, &err) || sneppp_set_layer(&m, 0, W, b, NULL, &err)) FAILm(err.why);
      how.count = 4000, how.seed = 3;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_sample(&m, &how, x, 4000, &info, &err), "%d");
      accepted[axis] = info.acceptance;
      sneppp_free(&m);
   }
   ASSERT(accepted[0] > 0.5);
   ASSERT_IN_RANGE(accepted[0], accepted[1], 0.05);
   PASS();
}

/* What counts and gradients on a raster borrow is of the model's allocator: each of these blocks can be refused. */
TEST raster_borrows_from_the_model(void)
{
   for (int diagonal = 0; diagonal < 2; diagonal++) { /* products of matrices; sums of bumps */
      test_alloc      heap = {0, 0, 0, 0};
      raster_case     c;
      sneppp_desc     desc;
      sneppp_events   events;
      sneppp_fit_desc fit;
      sneppp_model    m;
      sneppp_trainer  t;
      sneppp_error    err;
      sneppp_real     x[2 * 40];
      double          count;
      size_t          k = 0, calls;
      raster_make(&c, 0);
      memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
      c.win.covariates = diagonal ? 0 : 2, c.win.z = diagonal ? NULL : c.z;
      desc.factor[0].window = c.win, desc.width = 6, desc.alloc_ctx = &heap;
      desc.factor[0].unit.act = diagonal ? SNEPPP_ACT_RBF : SNEPPP_ACT_COS;
      desc.readout = diagonal ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL;
      if (sneppp_init(&m, &desc, &err)) FAILm(err.why);
      do {
         heap.calls = 0, heap.fail_at = ++k;
      } while (sneppp_count(&m, NULL, 1, &count, NULL, &err) == SNEPPP_ERR_MEMORY);
      ASSERT_EQ(4u, k); /* the matrices of the call and of its work, and pieces of cells */
      c.win.covariates = 2, c.win.z = c.z;
      events.x = x, events.count = raster_events(&c.win, 40, x);
      fit.events = &events, fit.method = SNEPPP_METHOD_ADAM;
      heap.fail_at = 0;
      if (sneppp_trainer_init(&t, &m, &fit, &err)) FAILm(err.why);
      calls = heap.calls;
      if (sneppp_trainer_step(&t, &err)) FAILm(err.why);
      if (!diagonal) {
         ASSERT(heap.calls > calls);
         heap.calls = 0, heap.fail_at = 1;
         ASSERT_EQ(SNEPPP_ERR_MEMORY, sneppp_trainer_step(&t, &err));
      }
      sneppp_trainer_free(&t);
      sneppp_free(&m);
      ASSERT_EQ(0u, heap.live);
   }
   PASS();
}

/* AUTO on a raster seen in part learns the readout of the bumps that are there by the convex problem: their tree is made anew. */
TEST raster_tree_follows_a_convex_fit(void)
{
   const double    slack = sizeof(sneppp_real) == 4 ? 1e-3 : 1e-6;
   static double   room[60000]; /* a block of the caller's is not replaced after a fit, which would make the tree anew, too */
   raster_case     c;
   sneppp_desc     desc;
   sneppp_events   events;
   sneppp_fit_desc fit;
   sneppp_model    m, plain;
   sneppp_report   report;
   sneppp_error    err;
   sneppp_window   part;
   sneppp_region   seen;
   sneppp_real     x[2 * 60];
   double          before[60], moved = 0;
   raster_make(&c, 0);
   memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit), memset(&seen, 0, sizeof seen);
   events.x = x, events.count = raster_events(&c.win, 60, x), fit.events = &events;
   c.win.covariates = 0, c.win.z = NULL, desc.factor[0].window = c.win;
   desc.mem = room, desc.mem_bytes = sizeof room;
   if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, &report, &err)) FAILm(err.why);
   ASSERT(m.nodes > 0);
   for (int i = 0; i < 60; i++) before[i] = (double)sneppp_intensity(&m, x + 2 * i);
   part = c.win, part.lo[0] = 2, part.hi[0] = 10, part.lo[1] = 1, part.hi[1] = 4, seen.factor[0] = &part;
   events.count = 0, events.seen = &seen;
   for (size_t i = 0; i < 60; i++)
      if (x[2 * i + 1] < 4) memmove(x + 2 * events.count++, x + 2 * i, 2 * sizeof *x);
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &fit, &report, &err), "%d");
   ASSERT_EQ(SNEPPP_METHOD_CONVEX, report.method);
   plain = m, plain.nodes = 0;
   for (size_t i = 0; i < events.count; i++) {
      const double want = (double)sneppp_intensity(&plain, x + 2 * i);
      ASSERT_IN_RANGE(want, (double)sneppp_intensity(&m, x + 2 * i), slack * want);
      moved = fmax(moved, fabs(want / before[i] - 1));
   }
   ASSERT(moved > 0.01);
   sneppp_free(&m);
   PASS();
}

/* A picture of few rows borrows what these need. */
TEST raster_pictures_of_few_rows(void)
{
   static sneppp_real out[50 * 64 * SNEPPP__LANES];
   const double       lo[2] = {0, 0}, hi[2] = {10, 10};
   sneppp_events      e;
   sneppp_model       m;
   sneppp_grid        grid;
   sneppp_error       err;
   sneppp_real        x[60], row[50];
   test_alloc         heap = {0, 0, 0, 0};
   size_t             bytes[2];
   memset(&grid, 0, sizeof grid), memset(&e, 0, sizeof e);
   for (int i = 0; i < 60; i++) x[i] = (sneppp_real)(i * i % 61 / 6.2);
   if (sneppp_fit_box(&m, 2, lo, hi, x, 30, &err)) FAILm(err.why);
   m.desc.alloc_ctx = &heap;
   grid.lo[0] = 0, grid.hi[0] = 10, grid.lo[1] = 2, grid.hi[1] = 3;
   for (int k = 0; k < 2; k++) {
      grid.cells[0] = 50, grid.cells[1] = k ? 64 * SNEPPP__LANES : 1;
      heap.bytes = 0;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_bake(&m, &grid, k ? out : row, NULL, &err), "%d");
      bytes[k] = heap.bytes;
   }
   ASSERT(bytes[0] > 0);
   ASSERT(bytes[0] * SNEPPP__LANES < bytes[1]);
   for (int i = 0; i < 50; i++) {
      x[0] = (sneppp_real)(0.2 * i + 0.1), x[1] = (sneppp_real)2.5;
      ASSERT_IN_RANGE((double)sneppp_intensity(&m, x), (double)row[i], 1e-4 * (double)row[i]);
   }
   ASSERT_EQ(0u, heap.live);
   m.desc.alloc_ctx = NULL;
   sneppp_free(&m);
   PASS();
}

/* Covariates alone with many events, most of which have weight 0: fewer are left than are held out where there are many. */
TEST raster_covariates_of_few_weights(void)
{
   enum { N = SNEPPP__CENTRES + 100, some = 40 };
   static const double z[6] = {0.2, 0.9, 0.4, 0.1, 0.7, 0.5};
   static sneppp_real  x[N], weight[N];
   sneppp_desc         desc;
   sneppp_events       events;
   sneppp_fit_desc     fit;
   sneppp_model        m, few;
   sneppp_error        err;
   sneppp_report       r;
   double              count;
   sneppp_window      *w = &desc.factor[0].window;
   memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit), memset(weight, 0, sizeof weight);
   for (int i = 0; i < N; i++) x[i] = (sneppp_real)(i * 37 % 599 / 100.0);
   for (int i = 0; i < some; i++) weight[i * 200] = 1;
   w->space = SNEPPP_SPACE_RASTER, w->dim = 1, w->cell[0] = 1, w->cells[0] = 6, w->covariates = 1, w->z = z, w->no_place = 1;
   events.x = x, events.count = N, events.weight = weight, fit.events = &events, desc.width = 4;
   if (sneppp_init(&m, &desc, &err)) FAILm(err.why);
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &fit, &r, &err), "%d");
   ASSERT_EQ(SNEPPP_METHOD_AUTO, r.method);
   ASSERT_IN_RANGE(some, r.expected, 1e-3);
   if (sneppp_count(&m, NULL, 1, &count, NULL, &err)) FAILm(err.why);
   ASSERT_IN_RANGE(some, count, 1e-3);
   for (int i = 0; i < some; i++) x[i] = x[i * 200];
   events.count = some, events.weight = NULL; /* the others are none */
   if (sneppp_init(&few, &desc, &err)) FAILm(err.why);
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&few, &fit, NULL, &err), "%d");
   for (int i = 0; i < 6; i++) {
      sneppp_real at = (sneppp_real)(i + 0.5), want = sneppp_intensity(&few, &at);
      ASSERT_IN_RANGE((double)want, (double)sneppp_intensity(&m, &at), 1e-4 * (double)want);
   }
   sneppp_free(&few);
   sneppp_free(&m);
   PASS();
}

/* Beyond a raster there is nothing, also where cells are so large that adding 1 changes nothing. */
TEST raster_nothing_beyond_any_size(void)
{
   for (double side = 1; side < 1e30; side *= 1e8) {
      sneppp_desc   d;
      sneppp_region region;
      sneppp_window part;
      sneppp_model  m;
      double        count = -1;
      memset(&d, 0, sizeof d), memset(&region, 0, sizeof region), memset(&part, 0, sizeof part);
      d.factor[0].window.space = SNEPPP_SPACE_RASTER, d.factor[0].window.dim = 1, d.alpha = 1 / side, d.width = 4;
      d.factor[0].window.cell[0] = side, d.factor[0].window.cells[0] = 4;
      part.dim = 1, part.lo[0] = 5 * side, part.hi[0] = 6 * side, region.factor[0] = &part;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &count, NULL, NULL));
      ASSERT_EQ(0, count);
      sneppp_free(&m);
   }
   PASS();
}

static void raster_count_piece(const sneppp__plot *piece, void *arg) { (void)piece; ++*(int *)arg; }

/* Squares, one above the other, each across a border of cells: none is a piece of a cell that it does not meet. */
TEST raster_islands_above_a_cell(void)
{
   static const double side[8] = {0.2, 0, 0.8, 0, 0.8, 0.5, 0.2, 0.5};
   double              xy[64];
   size_t              size[8];
   int                 pieces = 0;
   sneppp_window       w;
   memset(&w, 0, sizeof w);
   for (int k = 0; k < 8; k++) {
      size[k] = 4;
      for (int i = 0; i < 8; i++) xy[8 * k + i] = side[i] + (i % 2 ? k + 0.8 : 0);
   }
   w.space = SNEPPP_SPACE_RASTER, w.dim = 2, w.cell[0] = w.cell[1] = 1, w.cells[0] = 1, w.cells[1] = 9;
   w.rings = 8, w.ring_size = size, w.xy = xy;
   sneppp__raster_visit(&w, raster_count_piece, &pieces);
   ASSERT_IN_RANGE(8 * 0.3, sneppp_window_mass(&w), 1e-12);
   ASSERT(pieces <= 3 * 9);
   PASS();
}

static void raster_backwards(void (*job)(size_t, void *), void *arg, size_t count, void *user)
{
   (void)user;
   while (count) job(--count, arg);
}

/* Means of a picture on a raster are the counts of its cells, also where the lines of the two grids have nothing to do with
   each other; and no cell is asked by itself, which would borrow each time, but those that a polygon cuts. */
TEST raster_means(void)
{
   enum { KINDS = RASTER_CASES + 2 };
   int fast = 0;
   for (int kind = 0; kind < KINDS; kind++) {
      raster_case        c, other;
      static sneppp_real x[3 * 80], out[20 * 20], y[3 * 80];
      sneppp_desc        desc;
      sneppp_events      events;
      sneppp_fit_desc    fit;
      sneppp_model       m;
      sneppp_error       err;
      test_alloc         heap = {0, 0, 0, 0};
      raster_make(&c, kind < RASTER_CASES ? kind : 6), raster_make(&other, 7);
      memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
      events.x = x, events.count = raster_events(&c.win, 80, x), fit.events = &events;
      c.win.covariates = kind % 2 ? 0 : c.win.covariates;
      desc.factor[0].window = c.win;
      if (kind >= RASTER_CASES) { /* products of lines: with a box, and of two rasters */
         desc.factor[1].window = kind > RASTER_CASES ? other.win : raster_box(-3, 5, 0, 1), desc.factor[1].window.dim = 1;
         if (kind > RASTER_CASES) (void)raster_events(&other.win, 80, y);
         else for (int i = 0; i < 80; i++) y[i] = (sneppp_real)(-3 + 8 * (i * i % 79) / 79.0);
         for (int i = 79; i >= 0; i--) x[2 * i] = x[i], x[2 * i + 1] = y[i];
      }
      if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, NULL, &err)) FAILm(err.why);
      fast += m.nodes > 0;
      m.desc.alloc_ctx = &heap;
      for (int k = 0; k < 3; k++) {
         sneppp_grid grid;
         size_t      cut = 0;
         memset(&grid, 0, sizeof grid);
         grid.means = 1, grid.cells[0] = k ? 13 : 10, grid.cells[1] = m.D == 1 ? 1 : k ? 7 : 9;
         for (int r = 0; r < 2; r++) { /* the cells of the raster, a picture that reaches beyond, and one inside */
            double side[2];
            int    f = m.factors > 1 ? r : 0;
            if (r >= m.D) continue;
            sneppp__window_side(&m.desc.factor[f].window, r - f, &side[0], &side[1]);
            if (m.desc.factor[f].window.space == SNEPPP_SPACE_RASTER && !k) {
               const sneppp_window *w = &m.desc.factor[f].window;
               side[0] = w->origin[r - f], side[1] = w->origin[r - f] + w->cell[r - f] * (double)w->cells[r - f];
               grid.cells[r] = (int)w->cells[r - f];
            }
            grid.lo[r] = side[0] + (k == 1 ? -0.06 : k ? 0.06 : 0), grid.hi[r] = side[1] + (k == 1 ? 0.2 : k ? -0.2 : 0);
         }
         for (size_t fail = 1; m.nodes && fail < 3; fail++) {
            heap.calls = 0, heap.fail_at = fail;
            ASSERT_EQ(SNEPPP_ERR_MEMORY, sneppp_bake(&m, &grid, out, NULL, &err));
            ASSERT_EQ(0u, heap.live);
         }
         heap.calls = heap.fail_at = 0;
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_bake(&m, &grid, out, NULL, &err), "%d");
         if (m.nodes && !c.win.xy) { ASSERT(heap.calls < 8); }
         for (size_t i = 0, n = (size_t)grid.cells[0] * (size_t)grid.cells[1]; i < n; i++) {
            sneppp_window box[2];
            sneppp_region cell;
            double        count = 0, area = 1;
            memset(box, 0, sizeof box), memset(&cell, 0, sizeof cell);
            for (int r = 0; r < m.D; r++) {
               int    f = m.factors > 1 ? r : 0;
               size_t at = r ? i / (size_t)grid.cells[0] : i % (size_t)grid.cells[0];
               double step = (grid.hi[r] - grid.lo[r]) / grid.cells[r];
               box[f].dim = r - f + 1, box[f].lo[r - f] = grid.lo[r] + (double)at * step;
               box[f].hi[r - f] = at + 1 < (size_t)grid.cells[r] ? box[f].lo[r - f] + step : grid.hi[r], cell.factor[f] = &box[f], area *= step;
            }
            if (sneppp_count(&m, &cell, 1, &count, NULL, &err)) FAILm(err.why);
            ASSERT_IN_RANGE(count / area, (double)out[i], (sizeof(sneppp_real) == 4 ? 1e-6 : 1e-11) * count / area + 1e-12);
            cut += count > 0;
         }
         ASSERT(cut > 0);
      }
      if (m.D > 1) { /* the same bits in whatever order the bands are done */
         enum { X = 5, Y = 300 };
         static sneppp_real one[X * Y], two[X * Y];
         sneppp_grid        grid;
         sneppp_parallel    par;
         memset(&grid, 0, sizeof grid), memset(&par, 0, sizeof par);
         grid.means = 1, grid.cells[0] = kind == 3 || kind == 8 ? 1 : X, grid.cells[1] = kind == 3 || kind == 8 ? 20 : Y, par.run = raster_backwards;
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_bake(&m, &grid, one, NULL, &err), "%d");
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_bake(&m, &grid, two, &par, &err), "%d");
         ASSERT_MEM_EQ(one, two, (size_t)grid.cells[0] * (size_t)grid.cells[1] * sizeof *one);
      }
      m.desc.alloc_ctx = NULL;
      sneppp_free(&m);
   }
   ASSERT(fast > 6);
   PASS();
}

/* Lines of a picture that are lines of the raster but for rounding, 0.1 times 3 i and 0.3 times i, far from 0. Where they
   stayed apart, a run of cells between them ended the sum of wide bumps: pixels were nearly 0. */
TEST raster_lines_that_meet(void)
{
   enum { CELLS = 6000, PIXELS = 2000, N = 3000 };
   sneppp_window   w;
   sneppp_desc     desc;
   sneppp_events   events;
   sneppp_fit_desc fit;
   sneppp_model    m;
   sneppp_error    err;
   sneppp_grid     grid;
   sneppp_rng      rng;
   sneppp_real    *x = (sneppp_real *)malloc((N + PIXELS) * sizeof *x), *out = x + N;
   double         *weight = (double *)malloc(CELLS * sizeof *weight);
   ASSERT(x && weight);
   memset(&w, 0, sizeof w), memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
   memset(&grid, 0, sizeof grid);
   for (int i = 0; i < CELLS; i++) weight[i] = 1;
   w.space = SNEPPP_SPACE_RASTER, w.dim = 1, w.cells[0] = CELLS, w.cells[1] = 1, w.cell[0] = 0.1, w.weight = weight;
   desc.factor[0].window = w;
   sneppp_rng_init(&rng, 5, 0);
   for (events.count = 0; events.count < N;) {
      double at = 300 + 100 * sneppp_rng_normal(&rng);
      if (at > 0 && at < 600) x[events.count++] = (sneppp_real)at;
   }
   events.x = x, fit.events = &events;
   if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, NULL, &err)) FAILm(err.why);
   grid.means = 1, grid.cells[0] = PIXELS, grid.cells[1] = 1, grid.hi[0] = w.cell[0] * CELLS;
   if (sneppp_bake(&m, &grid, out, NULL, &err)) FAILm(err.why);
   for (int i = 0; i < PIXELS; i++) {
      sneppp_window box;
      sneppp_region cell;
      double        count = 0, step = grid.hi[0] / PIXELS;
      memset(&box, 0, sizeof box), memset(&cell, 0, sizeof cell);
      box.dim = 1, box.lo[0] = i * step, box.hi[0] = i + 1 < PIXELS ? (i + 1) * step : grid.hi[0], cell.factor[0] = &box;
      if (sneppp_count(&m, &cell, 1, &count, NULL, &err)) FAILm(err.why);
      ASSERT_IN_RANGE(count / step, (double)out[i], (sizeof(sneppp_real) == 4 ? 1e-5 : 1e-10) * count / step + 1e-12);
   }
   sneppp_free(&m);
   free(x), free(weight);
   PASS();
}

/* Draws from sums of bumps on rasters, also where few cells have nearly all of the weight, so that bumps are drawn both ways:
   as many as expected in boxes that have nothing to do with the cells, and without a candidate that is thrown away or a
   bound of a cell, unless a polygon cuts. */
TEST raster_draws_of_bumps(void)
{
   enum { KINDS = RASTER_CASES + 2, N = 10000 };
   sneppp_real *y = (sneppp_real *)malloc(2 * N * sizeof *y);
   ASSERT(y != NULL);
   for (int kind = 0; kind < 2 * KINDS; kind++) {
      const int          product = kind / 2 >= RASTER_CASES, steep = kind % 2;
      raster_case        c;
      sneppp_real        x[2 * 80];
      sneppp_desc        desc;
      sneppp_events      events;
      sneppp_fit_desc    fit;
      sneppp_model       m;
      sneppp_error       err;
      sneppp_sample_desc how;
      sneppp_sample_info info;
      sneppp_window      part[2];
      sneppp_region      region;
      double             all;
      raster_make(&c, product ? 6 : kind / 2);
      memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit), memset(&how, 0, sizeof how);
      memset(&region, 0, sizeof region);
      events.x = x, events.count = raster_events(&c.win, 80, x), fit.events = &events;
      for (int k = 0; steep && k < RASTER_CELLS; k++) c.weight[k] *= k % 17 == 6 ? 300 : 1; /* seen by far too few */
      if (kind / 2 > RASTER_CASES) c.win.covariates = 0;
      desc.factor[0].window = c.win;
      if (product) {
         desc.factor[1].window = raster_box(-3, 5, 0, 1), desc.factor[1].window.dim = 1;
         for (int i = 79; i >= 0; i--) x[2 * i] = x[i], x[2 * i + 1] = (sneppp_real)(-3 + 8 * (i * i % 79) / 79.0);
      }
      if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, NULL, &err)) FAILm(err.why);
      ASSERT_EQ(SNEPPP_READOUT_DIAGONAL, m.desc.readout);
      for (int some = 0; some < 2; some++) { /* everywhere; in a part, which a polygon of the window may cut */
         double lo[2] = {2, 1}, hi[2] = {10, 7.3};
         if (m.factors > 1) lo[1] = -3, hi[1] = 5;
         if (kind / 2 == 4) hi[0] = 2.8, hi[1] = 1.7;
         for (int r = 0; some && r < 2; r++) lo[r] += 0.23 * (hi[r] - lo[r]), hi[r] -= 0.31 * (hi[r] - lo[r]);
         part[0] = raster_box(lo[0], hi[0], lo[1], hi[1]);
         if (m.D == 1 || m.factors > 1) part[0].dim = 1;
         part[1] = raster_box(lo[1], hi[1], 0, 1), part[1].dim = 1;
         region.factor[0] = &part[0], region.factor[1] = m.factors > 1 ? &part[1] : NULL;
         how.count = N, how.seed = 4, how.region = some ? &region : NULL;
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_sample(&m, &how, y, N, &info, &err), "%d");
         if (sneppp_count(&m, how.region, 1, &all, NULL, &err)) FAILm(err.why);
         ASSERT_IN_RANGE(all, info.expected, 1e-9 * all);
         ASSERT_EQ(0u, info.cells);
         if (!c.win.xy) { ASSERT(info.candidates <= N + 10); }
         if (some) { /* the same points in memory that was given, without a loan unless walls need counts of their own */
            static sneppp_real z[2 * 100];
            size_t             bytes = sneppp_sample_bytes(&m, how.region, 100, &err);
            test_alloc         heap = {0, 0, 0, 0};
            void              *mem = malloc(bytes);
            ASSERT(bytes > 0 && mem != NULL);
            m.desc.alloc_ctx = &heap;
            how.mem = mem, how.mem_bytes = bytes, how.count = 100;
            ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_sample(&m, &how, z, 100, &info, &err), "%d");
            ASSERT_MEM_EQ(y, z, 100 * (size_t)m.D * sizeof *z);
            if (!c.win.xy) { ASSERT_EQ(0u, heap.calls); }
            m.desc.alloc_ctx = NULL;
            free(mem);
            how.mem = NULL, how.mem_bytes = 0;
         }
         for (int k = 0; k < (m.D == 1 ? 5 : 15); k++) {
            sneppp_window sub[2];
            sneppp_region in;
            double        count, hits = 0;
            memcpy(sub, part, sizeof sub), memset(&in, 0, sizeof in);
            sub[0].lo[0] = lo[0] + (hi[0] - lo[0]) * (k % 5) / 5, sub[0].hi[0] = lo[0] + (hi[0] - lo[0]) * (k % 5 + 1) / 5;
            for (int r = 0; r < 2 && m.D > 1; r++)
               *(r ? &sub[m.factors > 1].hi[m.factors < 2] : &sub[m.factors > 1].lo[m.factors < 2]) = lo[1] + (hi[1] - lo[1]) * (k / 5 + r) / 3;
            in.factor[0] = &sub[0], in.factor[1] = m.factors > 1 ? &sub[1] : NULL;
            if (sneppp_count(&m, &in, 1, &count, NULL, &err)) FAILm(err.why);
            for (size_t i = 0; i < N; i++) {
               double v[2] = {0, 0};
               for (int r = 0; r < m.D; r++) v[r] = (double)y[(size_t)m.D * i + (size_t)r];
               hits += sneppp_window_contains(&sub[0], v) && (m.factors < 2 || sneppp_window_contains(&sub[1], v + 1));
               if (!k) { ASSERT(sneppp_window_contains(&c.win, v)); }
            }
            ASSERT_IN_RANGE(N * count / all, hits, 5 * sqrt(N * count / all) + 2);
         }
      }
      sneppp_free(&m);
   }
   free(y);
   PASS();
}

SUITE(raster)
{
   RUN_TEST(raster_draws_of_bumps);
   RUN_TEST(raster_means);
   RUN_TEST(raster_lines_that_meet);
   RUN_TEST(raster_parts);
   RUN_TEST(raster_watched_floor);
   RUN_TEST(raster_bumps);
   RUN_TEST(raster_squares_are_not_negative);
   RUN_TEST(raster_slow_sines);
   RUN_TEST(raster_gram);
   RUN_TEST(raster_steep_exponentials);
   RUN_TEST(raster_window);
   RUN_TEST(raster_gradient);
   RUN_TEST(raster_no_place);
#ifndef SNEPPP_NO_SURE
   RUN_TEST_LONG(raster_bands);
#endif
   RUN_TEST(raster_logs);
   RUN_TEST(raster_models);
   RUN_TEST(raster_draws);
   RUN_TEST(raster_draws_of_many_cells);
   RUN_TEST(raster_additive);
   RUN_TEST(raster_regression);
   RUN_TEST(raster_effect);
   RUN_TEST(raster_products);
   RUN_TEST(raster_refusals);
   RUN_TEST(raster_automatic);
   RUN_TEST(raster_automatic_tunes);
   RUN_TEST(raster_automatic_even);
   RUN_TEST(raster_tilt);
   RUN_TEST(raster_covariates_alone);
   RUN_TEST(raster_tilt_of_one_event);
   RUN_TEST(raster_tilt_of_a_category);
   RUN_TEST(raster_covariates_and_memory);
   RUN_TEST(raster_borders);
   RUN_TEST_LONG(raster_tilt_where);
   RUN_TEST(raster_grids);
   RUN_TEST(raster_ends_on_a_border);
   RUN_TEST(raster_draws_in_a_corner);
   RUN_TEST(raster_own_features_need_the_place);
   RUN_TEST(raster_draws_along_both_axes);
   RUN_TEST(raster_borrows_from_the_model);
   RUN_TEST(raster_tree_follows_a_convex_fit);
   RUN_TEST(raster_pictures_of_few_rows);
   RUN_TEST(raster_covariates_of_few_weights);
   RUN_TEST(raster_nothing_beyond_any_size);
   RUN_TEST(raster_islands_above_a_cell);
}
