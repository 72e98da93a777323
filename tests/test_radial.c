/* Radial units found through a tree, and the table that holds the wide ones: both against adding up all units. */
#include "cases.h"

TEST radial_table_is_the_sum(void)
{
   static const double ratios[4] = {1, 0.25, 5, 100};
   for (int d = 1; d <= 2; d++)
      for (int which = 0; which < (d == 1 ? 1 : 4); which++) {
         sneppp_model m, plain;
         sneppp_error err;
         sneppp_rng   rng;
         double       peaks = 0, left = 0, worst = 0;
         ASSERT_EQ(SNEPPP_OK, radial_model(d, ratios[which], 1, &m, &err));
         ASSERT(m.nodes > 0 && m.table_top >= 0);
         plain = m;
         plain.nodes = 0;
         for (int i = 0; i < m.n; i++) {
            double v = (double)m.readout[0].V[i];
            peaks += v * v;
            left += (double)m.peak[i];
         }
         ASSERT(left < (which == 3 ? 1 : 0.95) * peaks); /* the table took its part, if the bumps are not too slim */
         sneppp_rng_init(&rng, 6, 6);
         for (int i = 0; i < 300; i++) {
            double      y[2], a, b;
            sneppp_real x[2];
            (void)sneppp_window_draw(&m.desc.factor[0].window, &rng, y);
            for (int k = 0; k < d; k++) {
               x[k] = (sneppp_real)y[k];
               if (i < 8) x[k] = (sneppp_real)((i >> k & 1) ? m.desc.factor[0].window.hi[k] : m.desc.factor[0].window.lo[k]);
            }
            a = (double)sneppp_intensity(&m, x);
            b = (double)sneppp_intensity(&plain, x);
            worst = fmax(worst, fabs(a - b) / peaks);
         }
         ASSERT_IN_RANGE(0, worst, sizeof(sneppp_real) == 4 ? 1e-6 : 1e-12);
         sneppp_free(&m);
      }
   PASS();
}

/* Made again in the caller's block, the table is the same; a description asks for its room. */
TEST radial_table_has_its_room(void)
{
   sneppp_model m, again;
   sneppp_desc  desc;
   sneppp_error err;
   size_t       bytes;
   void        *mem;
   ASSERT_EQ(SNEPPP_OK, radial_model(2, 1, 1, &m, &err));
   desc = m.desc;
   bytes = sneppp_model_bytes(&desc, &err);
   mem = malloc(bytes);
   ASSERT(mem != NULL);
   desc.mem = mem, desc.mem_bytes = bytes;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&again, &desc, &err));
   memcpy(again.layer[0].W, m.layer[0].W, (size_t)m.n * 2 * sizeof(sneppp_real));
   memcpy(again.layer[0].width, m.layer[0].width, (size_t)m.n * 2 * sizeof(sneppp_real));
   memcpy(again.readout[0].V, m.readout[0].V, (size_t)m.n * sizeof(sneppp_real));
   again.floor = m.floor;
   sneppp__index(&again);
   ASSERT_EQ(m.table_top, again.table_top);
   ASSERT_MEM_EQ(m.table, again.table, sneppp__table_size(2, m.table_top, m.table_more) * sizeof(double));
   sneppp_free(&again);
   free(mem);
   sneppp_free(&m);
   PASS();
}

/* Narrow bumps only: nothing is in the table, and nothing is lost. */
TEST radial_narrow_stays_in_the_tree(void)
{
   sneppp_model m;
   sneppp_error err;
   ASSERT_EQ(SNEPPP_OK, radial_model(2, 1, 1e-3, &m, &err));
   for (int i = 0; i < m.n; i++) ASSERT(m.peak[i] > 0);
   for (int i = 0; i < 50; i++) {
      double      v = (double)m.readout[0].V[i], w = (double)m.readout[0].V[i ^ 1];
      sneppp_real x[2];
      for (int k = 0; k < 2; k++)
         x[k] = (sneppp_real)((double)m.layer[0].W[2 * i + k] / m.layer[0].rate[k] + m.layer[0].shift[k]);
      ASSERT((double)sneppp_intensity(&m, x) >= (v * v + w * w) * 0.9);
   }
   sneppp_free(&m);
   PASS();
}

/* The table and series of e^-u against the C library; beyond 30 it stays at e^-30. */
TEST radial_exponential(void)
{
#ifdef __FAST_MATH__
   const double most = 8e-16; /* sums in another order: an ulp or two more */
#else
   const double most = 4e-16;
#endif
   static sneppp__exp_table e;
   sneppp__exp_fill(&e);
   for (int i = 0; i <= 30000; i++) {
      double u = i * 0.001;
      ASSERT_IN_RANGE(exp(-u), sneppp__exp_neg(&e, u), most * exp(-u));
   }
   ASSERT_EQ(sneppp__exp_neg(&e, 30), sneppp__exp_neg(&e, 31));
   ASSERT_EQ(sneppp__exp_neg(&e, 30), sneppp__exp_neg(&e, 1e300));
   PASS();
}

/* The nearest points through the tree are those of all distances, sorted. */
TEST radial_nearest(void)
{
   enum { N = 300, K = 4 };
   static double      x[N * 3], all[N];
   static sneppp_node node[4 * N];
   static size_t      order[N];
   sneppp_rng         rng;
   sneppp_rng_init(&rng, 8, 8);
   ASSERT(sneppp__tree_room(N) <= 4 * N);
   for (int d = 1; d <= 3; d++) {
      for (int i = 0; i < N * d; i++) x[i] = sneppp_rng_uniform(&rng);
      memcpy(x + 17 * d, x + 90 * d, (size_t)d * sizeof *x); /* two at one place */
      (void)sneppp__tree_build(d, N, x, order, node);
      for (size_t i = 0; i < N; i++) {
         double best[K + 1];
         size_t have = 0;
         for (size_t j = 0; j < N; j++) {
            double r = 0;
            size_t at;
            if (j == i) continue;
            for (int k = 0; k < d; k++) r += (x[i * (size_t)d + (size_t)k] - x[j * (size_t)d + (size_t)k]) * (x[i * (size_t)d + (size_t)k] - x[j * (size_t)d + (size_t)k]);
            for (at = have++; at > 0 && all[at - 1] > r; at--) all[at] = all[at - 1];
            all[at] = r;
         }
         sneppp__tree_near(d, x, node, x + i * (size_t)d, i, K, best);
         for (int k = 0; k <= K; k++) ASSERT_IN_RANGE(all[k], best[k], 1e-15);
      }
   }
   PASS();
}

/* A table takes the finest level for which its room is enough, and none that is larger than the room. */
TEST radial_table_fills_its_room(void)
{
   static const double metric[2] = {1, 1};
   for (int d = 1; d <= 2; d++)
      for (int top = 1; top < 5; top++) {
         int    more[2] = {0, 0};
         size_t room = sneppp__table_size(d, top, more);
         ASSERT_EQ_FMT(top, sneppp__table_shape(d, room, metric, more), "%d");
         ASSERT_EQ(0, more[0] + more[1]);
         ASSERT_EQ_FMT(top - 1, sneppp__table_shape(d, room - 1, metric, more), "%d");
         ASSERT_EQ_FMT(top, sneppp__table_shape(d, room + 1, metric, more), "%d");
      }
   PASS();
}

/* The bumps of each leaf, at places near and far, against adding them up one by one. */
TEST radial_leaves_are_the_sum(void)
{
   for (int d = 1; d <= 2; d++) {
      sneppp_model m;
      sneppp_error err;
      sneppp_rng   rng;
      size_t       leaves = 0;
      ASSERT_EQ(SNEPPP_OK, radial_model(d, 1, 0.05, &m, &err));
      sneppp_rng_init(&rng, 3, 3);
      for (size_t k = 0; k < (size_t)m.nodes; k++) {
         const sneppp_node *n = &m.node[k];
         size_t             group = (size_t)m.desc.group, D = (size_t)d;
         if (n->kid) continue;
         leaves++;
         for (int turn = 0; turn < 3; turn++) {
            double x[2], sum = 0, peaks = 0;
            for (int r = 0; r < d; r++) x[r] = n->lo[r] + (n->hi[r] - n->lo[r]) * sneppp_rng_uniform(&rng) + (turn == 2 ? 0.3 : 0);
            for (size_t s = n->from; s < group; s++)
               for (size_t b = 0; b < n->count; b++) {
                  double r2 = 0;
                  for (size_t r = 0; r < D; r++) {
                     double e = x[r] - m.centre[n->first * D + r * n->count + b];
                     r2 += e * e;
                  }
                  sum += (double)m.peak[n->first * group + s * n->count + b] * exp(-r2 * (double)m.sharp[n->first * group + s * n->count + b]);
                  peaks += (double)m.peak[n->first * group + s * n->count + b];
               }
            ASSERT_IN_RANGE(sum, sneppp__leaf_bumps(&m, n, D, x), 2e-12 * peaks + (sizeof(sneppp_real) == 4 ? 1e-4 : 1e-12) * sum);
         }
      }
      ASSERT(leaves > 50);
      sneppp_free(&m);
   }
   PASS();
}

SUITE(radial)
{
   RUN_TEST(radial_leaves_are_the_sum);
   RUN_TEST(radial_nearest);
   RUN_TEST(radial_table_fills_its_room);
   RUN_TEST(radial_table_is_the_sum);
   RUN_TEST(radial_table_has_its_room);
   RUN_TEST(radial_narrow_stays_in_the_tree);
   RUN_TEST(radial_exponential);
}
