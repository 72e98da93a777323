/* The text of exported models: numbers that come back to the same bits, names, writers that fail. That the source
   compiles and gives equal intensities is checked by tests/export.sh. */
#include "../examples/export.h"

typedef struct export_buffer { char text[60000]; size_t used, pieces, stop; } export_buffer;

static int export_write(const char *text, size_t bytes, void *user)
{
   export_buffer *b = (export_buffer *)user;
   if (b->stop && ++b->pieces >= b->stop) return 1;
   if (bytes >= sizeof b->text - b->used) return 1;
   memcpy(b->text + b->used, text, bytes);
   b->used += bytes;
   b->text[b->used] = 0;
   return 0;
}

static const char *number(double x, int digits)
{
   static char buf[64];
   return export_number(x, digits, buf);
}

TEST export_numbers_by_hand(void)
{
   ASSERT_STR_EQ("0.0", number(0, 17));
   ASSERT_STR_EQ("1.0", number(1, 17));
   ASSERT_STR_EQ("-0.5", number(-0.5, 17));
   ASSERT_STR_EQ("1024.0", number(1024, 17));
   ASSERT_STR_EQ("0.10000000000000001", number(0.1, 17));
   ASSERT_STR_EQ("0.100000001", number((double)0.1f, 9));
   ASSERT_STR_EQ("1.7976931348623157e+308", number(1.7976931348623157e308, 17));
   ASSERT_STR_EQ("100000000.0", number(99999999.99, 9)); /* the rounding carries through */
   ASSERT_STR_EQ("1.0e+20", number(1e20, 17));
   ASSERT_STR_EQ("0.001", number(0.001, 9));
   ASSERT_STR_EQ("1.5e-5", number(1.5e-5, 17));
   ASSERT_STR_EQ("-1.0e-10", number(-1e-10, 9));
   PASS();
}

/* Every kind of bit pattern, against the C library's own conversion back. */
TEST export_numbers_come_back(void)
{
   sneppp_rng rng;
   sneppp_rng_init(&rng, 5, 0);
   for (int i = 0; i < 20000; i++) {
      uint64_t u = sneppp_rng_next(&rng), back;
      double   x, y;
      float    f, g;
      uint32_t v = (uint32_t)(u >> 32), w;
      if (i % 4 == 0) u = (u & 0x800fffffffffffffULL) | (uint64_t)(1003 + i % 40) << 52; /* of order one */
      if (i % 64 == 1) u &= 0x800fffffffffffffULL;                                      /* subnormal */
#if defined(__FAST_MATH__)
      if (!(u >> 52 & 0x7ff) || !(v >> 23 & 0xff)) continue; /* subnormal numbers may be flushed to zero */
#endif
      memcpy(&x, &u, sizeof x);
      if ((u >> 52 & 0x7ff) != 0x7ff) {
         y = strtod(number(x, 17), NULL);
         memcpy(&back, &y, sizeof y);
         ASSERT(back == u);
      }
      memcpy(&f, &v, sizeof f);
      if ((v >> 23 & 0xff) != 0xff) {
         g = strtof(number((double)f, 9), NULL);
         memcpy(&w, &g, sizeof g);
         ASSERT(w == v);
      }
   }
   PASS();
}

static sneppp_desc export_box(int width)
{
   sneppp_desc d;
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 2;
   d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = 1;
   d.width = width;
   return d;
}

TEST export_refuses(void)
{
   static export_buffer b;
   sneppp_desc          d = export_box(12);
   sneppp_model         m;
   sneppp_error         err;
   char                 name[70];
   memset(name, 'a', sizeof name);
   name[65] = 0;
   memset(&m, 0, sizeof m);
   ASSERT_EQ(SNEPPP_ERR_ARG, export_model(&m, "m", export_write, &b, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, export_model(NULL, "m", export_write, &b, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, export_model(&m, "m", NULL, &b, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, export_model(&m, NULL, export_write, &b, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, export_model(&m, "", export_write, &b, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, export_model(&m, "1m", export_write, &b, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, export_model(&m, "a b", export_write, &b, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, export_model(&m, "int", export_write, &b, &err));
   ASSERT(strstr(err.why, "\"int\" has a meaning"));
   ASSERT_EQ(SNEPPP_ERR_ARG, export_model(&m, "xor_eq", export_write, &b, &err)); /* the last of the list */
   ASSERT_EQ(SNEPPP_ERR_ARG, export_model(&m, "sneppp_fit", export_write, &b, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, export_model(&m, "_Bool", export_write, &b, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, export_model(&m, name, export_write, &b, &err));
   name[64] = 0;
   ASSERT_EQ((size_t)0, b.used);
   ASSERT_EQ(SNEPPP_OK, export_model(&m, name, export_write, &b, &err));
   ASSERT(strstr(b.text, "static const sneppp_model aaaaaaaa"));
   ASSERT(strstr(b.text, "#error"));
   b.used = b.pieces = 0, b.stop = SIZE_MAX;
   ASSERT_EQ(SNEPPP_OK, export_model(&m, "m", export_write, &b, &err));
   ASSERT(b.pieces > 3);
   for (size_t pieces = b.pieces + (b.stop = 0); ++b.stop <= pieces;) {
      b.used = b.pieces = 0;
      ASSERT_EQ(SNEPPP_ERR_IO, export_model(&m, "m", export_write, &b, &err));
      ASSERT_EQ(b.stop, b.pieces); /* not called again */
   }
   b.stop = b.used = 0;
   m.alpha = sneppp__nan();
   ASSERT_EQ(SNEPPP_ERR_NOT_FINITE, export_model(&m, "m", export_write, &b, &err));
   sneppp_free(&m);
   PASS();
}

/* A point of a product of wide factors: the factors together are wider than SNEPPP_MAX_WIDTH, each is not. */
TEST export_wide_products(void)
{
   sneppp_desc  d = export_box(SNEPPP_MAX_WIDTH);
   sneppp_model m;
   sneppp_error err;
   sneppp_real  x[3];
   d.factor[1] = d.factor[0];
   d.factor[1].window.dim = 1;
   d.rank = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   x[0] = x[1] = x[2] = (sneppp_real)0.5;
   ASSERT(sneppp_intensity(&m, x) >= 0);
   sneppp_free(&m);
   d.readout = SNEPPP_READOUT_DIAGONAL;
   d.mix = SNEPPP_MIX_SUM;
   d.width++;
   ASSERT_EQ(SNEPPP_ERR_SIZE, sneppp_init(&m, &d, &err));
   PASS();
}

/* Found by the fuzzer: a radial unit in a layer that has no widths. */
TEST export_mixed_radial(void)
{
   sneppp_desc  d = export_box(2);
   sneppp_unit  units[2];
   sneppp_model m;
   sneppp_error err;
   sneppp_real  x[2], psi[2];
   memset(units, 0, sizeof units);
   units[0].act = SNEPPP_ACT_RBF;
   units[1].act = SNEPPP_ACT_COS;
   d.factor[0].units = units;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_init(&m, &d, &err));
   d.factor[0].unit.act = SNEPPP_ACT_RBF;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_init(&m, &d, &err));
   units[1].act = SNEPPP_ACT_ONE;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   x[0] = x[1] = (sneppp_real)0.25;
   ASSERT_EQ(SNEPPP_OK, sneppp_features(&m, x, psi, &err));
   ASSERT(psi[1] == 1 && psi[0] > 0 && psi[0] <= 1);
   sneppp_free(&m);
   PASS();
}

/* Steps over what is between two numbers; 1 if it has so many commas, and no brace opens or closes in an odd place. */
static int export_gap(const char **at, int commas)
{
   for (; **at && strchr(" \n,{}uf", **at); ++*at) {
      if (**at == ',') commas--;
      if (commas < 0 || (commas && **at == '{')) return 0;
   }
   return commas == 0;
}

/* The values of an exported array, as strtod reads them; NULL if it is not there or has another length. */
static const double *values_of(const char *text, const char *name, size_t count)
{
   static double value[4000];
   char          head[100];
   const char   *at;
   snprintf(head, sizeof head, "%s[%lu] = {", name, (unsigned long)count);
   at = strstr(text, head);
   if (!at || count > sizeof value / sizeof *value) { printf("   no %s\n", head); return NULL; }
   at += strlen(head);
   for (size_t i = 0; i < count; i++) {
      char *end;
      if (!export_gap(&at, i ? 1 : 0)) return NULL;
      value[i] = strtod(at, &end);
      if (end == at) return NULL;
      at = end;
   }
   at += strspn(at, " \n},uf");
   return *at == ';' ? value : NULL; /* and no more than that */
}

static int export_equal(const char *text, const char *name, const double *x, size_t count)
{
   const double *got = values_of(text, name, count);
   for (size_t i = 0; got && i < count; i++)
      if (memcmp(&got[i], &x[i], sizeof *x)) { printf("   %s[%lu] = %.17g\n", name, (unsigned long)i, got[i]); return 0; }
   return got != NULL;
}

static int export_equal_reals(const char *text, const char *name, const sneppp_real *x, size_t count)
{
   const double *got = values_of(text, name, count);
   for (size_t i = 0; got && i < count; i++)
      if ((sneppp_real)got[i] != x[i]) return 0;
   return got != NULL;
}

/* The arrays of models of every kind, number by number. */
TEST export_all_arrays(void)
{
   static export_buffer b;
   static const double  weight[2] = {0.4, 0.6}, mean[4] = {0, 1, 0.5, -1.0 / 3}, scale[4] = {1, 0.7, 2, 1};
   static const double  ends[4] = {-1, 0.3, 1.0 / 3, 2}, xy[14] = {0, 0, 3, 0, 3, 3, 0, 3, 1, 1, 2, 1, 1, 2};
   static const size_t  ring[2] = {4, 3};
   sneppp_desc          d = export_box(5);
   sneppp_model         m;
   sneppp_error         err;
   sneppp_unit          units[5];
   const double        *got;
   d.factor[0].window.space = SNEPPP_SPACE_POLYGON;
   d.factor[0].window.rings = 2, d.factor[0].window.ring_size = ring, d.factor[0].window.xy = xy;
   d.factor[1].window.space = SNEPPP_SPACE_INTERVALS, d.factor[1].window.dim = 1;
   d.factor[1].window.count = 2, d.factor[1].window.ends = ends;
   for (int i = 0; i < 5; i++) {
      units[i].act = i % 2 ? SNEPPP_ACT_COS : SNEPPP_ACT_SIN;
      units[i].p = 0.1 * i, units[i].q = 1.0 / 3;
   }
   d.factor[1].units = units;
   d.rank = 2;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   b.used = 0;
   ASSERT_EQ(SNEPPP_OK, export_model(&m, "m", export_write, &b, &err));
   got = values_of(b.text, "size_t m_window0_ring_size", 2);
   ASSERT(got && got[0] == 4 && got[1] == 3);
   ASSERT(export_equal(b.text, "sneppp_wide m_window0_xy", xy, 14));
   ASSERT(export_equal(b.text, "sneppp_wide m_window1_ends", ends, 4));
   ASSERT(export_equal_reals(b.text, "sneppp_real m_layer0_W", m.layer[0].W, 10));
   ASSERT(export_equal_reals(b.text, "sneppp_real m_layer0_b", m.layer[0].b, 5));
   ASSERT(export_equal_reals(b.text, "sneppp_real m_layer1_W", m.layer[1].W, 5));
   ASSERT(export_equal_reals(b.text, "sneppp_real m_readout0_V", m.readout[0].V, 10));
   ASSERT(strstr(b.text, "sneppp_unit m_layer1_units[5] = {"));
   sneppp_free(&m);

   d = export_box(3);
   d.factor[0].window.space = SNEPPP_SPACE_GAUSS, d.factor[0].window.count = 2;
   d.factor[0].window.weight = weight, d.factor[0].window.mean = mean, d.factor[0].window.scale = scale;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   b.used = 0;
   ASSERT_EQ(SNEPPP_OK, export_model(&m, "g", export_write, &b, &err));
   ASSERT(export_equal(b.text, "sneppp_wide g_window0_weight", weight, 2));
   ASSERT(export_equal(b.text, "sneppp_wide g_window0_mean", mean, 4));
   ASSERT(export_equal(b.text, "sneppp_wide g_window0_scale", scale, 4));
   sneppp_free(&m);
   PASS();
}

/* A tree of radial bumps, as the default fit makes it. */
TEST export_tree(void)
{
   static export_buffer b;
   static sneppp_real   x[2 * 90];
   sneppp_desc          d = export_box(24);
   sneppp_events        e;
   sneppp_fit_desc      fit;
   sneppp_model         m;
   sneppp_error         err;
   sneppp_rng           rng;
   size_t               groups, dim;
   const char          *at;
   sneppp_rng_init(&rng, 3, 0);
   for (int i = 0; i < 180; i++) x[i] = (sneppp_real)(i % 6 < 4 ? 0.3 + 0.05 * sneppp_rng_normal(&rng) : sneppp_rng_uniform(&rng));
   memset(&e, 0, sizeof e);
   memset(&fit, 0, sizeof fit);
   e.x = x, e.count = 90, fit.events = &e;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &fit, NULL, &err));
   ASSERT(m.nodes > 0);
   b.used = 0;
   ASSERT_EQ(SNEPPP_OK, export_model(&m, "t", export_write, &b, &err));
   groups = (size_t)m.n / (size_t)m.desc.group, dim = (size_t)sneppp__tree_dim(&m);
   ASSERT(export_equal(b.text, "sneppp_wide t_tree0_centre", m.centre, groups * dim));
   ASSERT(export_equal_reals(b.text, "sneppp_real t_tree0_peak", m.peak, (size_t)m.n));
   ASSERT(export_equal_reals(b.text, "sneppp_real t_tree0_sharp", m.sharp, (size_t)m.n));
   if (m.table_top >= 0)
      ASSERT(export_equal(b.text, "sneppp_wide t_tree0_table", m.table, sneppp__table_size((int)dim, m.table_top, m.table_more)));
   ASSERT((at = strstr(b.text, "sneppp_node t_tree0_node[")) != NULL);
   at = strchr(at, '{') + 1;
   for (size_t k = 0; k < m.nodes; k++) { /* {first, count, kid, from, reach2, {lo}, {hi}} */
      const sneppp_node *q = &m.node[k];
      double             want[5 + 4];
      want[0] = (double)q->first, want[1] = (double)q->count, want[2] = (double)q->kid, want[3] = (double)q->from;
      want[4] = q->reach2;
      for (size_t r = 0; r < dim; r++) want[5 + r] = q->lo[r], want[5 + dim + r] = q->hi[r];
      for (size_t i = 0; i < 5 + 2 * dim; i++) {
         char *end;
         ASSERT(export_gap(&at, i ? 1 : k ? 2 : 0)); /* each struct ends in a comma */
         ASSERT_EQ(want[i], strtod(at, &end));
         ASSERT(end > at);
         at = end;
      }
   }
   at += strspn(at, " \n,}");
   ASSERT_EQ(';', *at);
   sneppp_free(&m);
   PASS();
}

/* Every row of numbers is in braces of its own: as many as the struct of a window has arrays, opened and closed. */
TEST export_rows_in_braces(void)
{
   static export_buffer b;
   sneppp_desc          d = export_box(3);
   sneppp_model         m;
   sneppp_error         err;
   const char          *at;
   int                  depth = 0;
   memset(&b, 0, sizeof b);
   d.factor[0].window.lo[0] = 0.25;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, export_model(&m, "box", export_write, &b, &err));
   ASSERT(strstr(b.text, "{(sneppp_space)0, 2, {0.25, 0.0}, {") != NULL);
   for (at = b.text; *at; at++) {
      depth += (*at == '{') - (*at == '}');
      ASSERT(depth >= 0);
   }
   ASSERT_EQ_FMT(0, depth, "%d");
   sneppp_free(&m);
   PASS();
}

SUITE(export_c)
{
   RUN_TEST(export_rows_in_braces);
   RUN_TEST(export_numbers_by_hand);
   RUN_TEST(export_numbers_come_back);
   RUN_TEST(export_refuses);
   RUN_TEST(export_wide_products);
   RUN_TEST(export_mixed_radial);
   RUN_TEST(export_all_arrays);
   RUN_TEST(export_tree);
}
