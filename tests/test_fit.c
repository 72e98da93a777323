/* Learning: AdamW, its maps, early stopping, cancelling, threads, failing memory. */
#include "cases.h"

static int fit_stop(const sneppp_report *now, const sneppp_model *m, void *user)
{
   (void)m;
   return now->step >= *(size_t *)user;
}

TEST fit_adam_learns(void)
{
   sneppp_events   e = fit_events(600);
   sneppp_desc     d = fit_desc_box(12);
   sneppp_fit_desc f = fit_adam(&e, 60);
   sneppp_model    m;
   sneppp_report   r;
   sneppp_error    err;
   double          before = 0, after = 0, constant;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   f.steps = 1;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   before = r.nll;
   f.steps = 60;
   f.schedule = SNEPPP_RATE_COSINE;
   f.warmup = 5;
   f.clip = 10;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   after = r.nll;
   constant = -(600 * log(600.0 / 50) - 600 - sneppp__lgamma(601)) / 600;
   ASSERT(after < before - 0.1);
   ASSERT(after < constant - 0.2);
   ASSERT_IN_RANGE(600, r.expected, 60);
   ASSERT_EQ(SNEPPP_ENDING_STEP_LIMIT, r.ending);
   ASSERT_EQ((size_t)600, r.events);
   sneppp_free(&m);
   PASS();
}

/* A step that was far too long: when the readout is scaled to the events, the rounding of its count must not stay. */
TEST fit_adam_scales_long_steps(void)
{
   sneppp_events   e = fit_events(50);
   sneppp_desc     d = fit_desc_box(12);
   sneppp_fit_desc f = fit_adam(&e, 1);
   sneppp_model    m;
   sneppp_report   r;
   sneppp_error    err;
   double          nll = 0, log_factorial = sneppp__lgamma(51);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   f.rate = 1e5;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &err));
   ASSERT_IN_RANGE(nll / 50, r.nll, 1e-12 * log_factorial);
   sneppp_free(&m);
   PASS();
}

/* A Gaussian mixture as base measure is learnt with the rest; minibatches; a floor; radial units. */
TEST fit_adam_variants(void)
{
   static const double mean[4] = {4, 2, 6, 3}, scale[4] = {2, 2, 3, 2};
   sneppp_events       e = fit_events(500);
   for (int variant = 0; variant < 4; variant++) {
      sneppp_desc     d = fit_desc_box(8);
      sneppp_fit_desc f = fit_adam(&e, 80);
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      double          first, weights = 0;
      if (variant == 0) {
         d.factor[0].window.space = SNEPPP_SPACE_GAUSS;
         d.factor[0].window.count = 2;
         d.factor[0].window.mean = mean;
         d.factor[0].window.scale = scale;
      }
      if (variant == 1) f.batch = 100, f.decay = SNEPPP_NONE;
      if (variant == 2) f.floor = 0.2;
      if (variant == 3) d.factor[0].unit.act = SNEPPP_ACT_RBF, d.readout = SNEPPP_READOUT_DIAGONAL, f.rate = 0.05;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      f.steps = 1;
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
      first = r.nll;
      f.steps = 80;
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
      ASSERT(r.nll < first - 0.05);
      if (variant == 0) {
         for (size_t k = 0; k < 2; k++) weights += m.layer[0].inside.weight[k];
         ASSERT_IN_RANGE(1, weights, 1e-12);
         ASSERT(fabs(m.layer[0].inside.scale[0] - 2) > 1e-3);
      }
      if (variant == 2) ASSERT(m.floor > 0 && m.floor * 50 < 300);
      sneppp_free(&m);
   }
   PASS();
}

TEST fit_early_stopping_and_cancel(void)
{
   sneppp_events   e = fit_events(80);
   sneppp_desc     d = fit_desc_box(40);
   sneppp_fit_desc f = fit_adam(&e, 400);
   sneppp_model    m;
   sneppp_report   r;
   sneppp_error    err;
   size_t          at = 7;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   f.holdout = 0.3;
   f.patience = 3;
   f.rate = 0.05;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   ASSERT_EQ(SNEPPP_ENDING_CONVERGED, r.ending); /* 40 cosines overfit 56 events long before 400 steps */
   ASSERT(r.step < 400);
   ASSERT(sneppp__finite(r.held_out));
   f.holdout = 0, f.patience = 0;
   f.progress = fit_stop;
   f.user = &at;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   ASSERT_EQ(SNEPPP_ENDING_ASKED_TO_STOP, r.ending);
   ASSERT_EQ((size_t)7, r.step);
   sneppp_free(&m);
   PASS();
}

/* The same bits whatever the number of threads, from likelihood to fitted parameters. */
TEST fit_same_bits_for_all_threads(void)
{
   static const int threads[3] = {1, 2, 7};
   double           first[3], nll[3];
   sneppp_events    e = fit_events(600);
   for (int k = 0; k < 3; k++) {
      sneppp_desc     d = fit_desc_box(9);
      sneppp_fit_desc f = fit_adam(&e, 5);
      sneppp_pool    *pool = sneppp_pool_make(threads[k], NULL);
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      ASSERT(pool);
      f.parallel = sneppp_pool_parallel(pool);
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
      first[k] = (double)m.layer[0].W[3] + (double)m.readout[0].V[5];
      nll[k] = r.nll;
      ASSERT_EQ(first[0], first[k]);
      ASSERT_EQ(nll[0], nll[k]);
      sneppp_free(&m);
      sneppp_pool_free(pool);
   }
   PASS();
}

TEST fit_refuses(void)
{
   sneppp_events   e = fit_events(20);
   sneppp_desc     d = fit_desc_box(5);
   sneppp_fit_desc f = fit_adam(&e, 5);
   sneppp_model    m;
   sneppp_report   r;
   sneppp_error    err;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   f.rate = sneppp__nan();
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, &r, &err));
   ASSERT(strstr(err.why, "fit.rate"));
   f.rate = 0;
   f.start_zero = 3;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, &r, &err));
   f.start_zero = 0;
   f.events = NULL;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, &r, &err));
   f.events = &e;
   fit_xy[9] = 7;
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_fit(&m, &f, &r, &err));
   ASSERT_EQ((size_t)4, err.event);
   sneppp_free(&m);
   sneppp_free(&m);
   d.start_zero = 1;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_init(&m, &d, &err));
   d.start_zero = 0;
   d.factor[0].window.hi[1] = 0;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_init(&m, &d, &err));
   ASSERT(strstr(err.why, "factor[0]") && strstr(err.why, "hi[1]"));
   PASS();
}

/* The k-th allocation fails, for every k: a clear error, nothing lost, and the next call works. */
TEST fit_survives_failing_memory(void)
{
   sneppp_events e = fit_events(30);
   size_t        k;
   for (k = 1; k < 1000; k++) {
      test_alloc      a;
      sneppp_desc     d = fit_desc_box(5);
      sneppp_fit_desc f = fit_adam(&e, 2);
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      sneppp_status   st;
      double          count = 0;
      memset(&a, 0, sizeof a);
      a.fail_at = k;
      d.alloc_ctx = &a;
      st = sneppp_init(&m, &d, &err);
      if (st == SNEPPP_OK) st = sneppp_fit(&m, &f, &r, &err);
      if (st == SNEPPP_OK) st = sneppp_count(&m, NULL, 1, &count, NULL, &err);
      ASSERT(st == SNEPPP_OK || st == SNEPPP_ERR_MEMORY);
      if (st != SNEPPP_OK) ASSERT(strstr(err.why, "could not be allocated"));
      sneppp_free(&m);
      ASSERT_EQ((size_t)0, a.live);
      if (st == SNEPPP_OK) break;
   }
   ASSERT(k > 3 && k < 1000);
   PASS();
}

/* Poisson intervals against sums of the probabilities themselves; test likelihoods against their definition. */
TEST fit_judging(void)
{
   static const double mean[5] = {0.3, 4, 25.5, 400, 1e5};
   sneppp_events   e = fit_events(200);
   sneppp_desc     d = fit_desc_box(6);
   sneppp_fit_desc f = fit_adam(&e, 20);
   sneppp_model    m;
   sneppp_report   r;
   sneppp_error    err;
   double          nll, want = 0, total;
   unsigned char   keep[1000];
   for (int k = 0; k < 5; k++) {
      uint64_t lo, hi;
      double   below = 0, inside = 0;
      sneppp_poisson_interval(mean[k], 0.95, &lo, &hi);
      for (uint64_t i = 0; i <= hi; i++) {
         double p = exp((double)i * log(mean[k]) - mean[k] - sneppp__lgamma((double)i + 1));
         if (i < lo) below += p;
         else inside += p;
      }
      ASSERT(below <= 0.025 && below + exp((double)lo * log(mean[k]) - mean[k] - sneppp__lgamma((double)lo + 1)) > 0.025);
      ASSERT(1 - below - inside <= 0.025 + 1e-9);
      ASSERT(1 - below - inside + exp((double)hi * log(mean[k]) - mean[k] - sneppp__lgamma((double)hi + 1)) > 0.025);
   }
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_test_nll(&m, &e, 1, 0.25, &nll, NULL, &err));
   for (size_t i = 0; i < 200; i++) want -= log(0.25) + sneppp_log_intensity(&m, fit_xy + 2 * i);
   want = (want + 0.25 * total + sneppp__lgamma(201)) / 200;
   ASSERT_IN_RANGE(want, nll, sizeof(sneppp_real) == 4 ? 1e-5 : 1e-12);
   ASSERT(sneppp_thin(1000, 0.8, 3, keep) > 750 && sneppp_thin(1000, 0.8, 3, keep) < 850);
   sneppp_free(&m);
   PASS();
}

/* P(N <= k) for k >= 0, and P(N > k) if above: terms from the far end on, where they are small. */
static double fit_poisson_sum(double mean, double k, int above)
{
   double sum = 0, last = above ? floor(mean + 14 * sqrt(mean) + 60) : 0;
   for (double i = last; above ? i > k : i <= k; i += above ? -1 : 1) sum += exp(i * log(mean) - mean - sneppp__lgamma(i + 1));
   return sum;
}

/* Poisson intervals: small means against sums of the probabilities themselves, large ones against tails that were
   computed with forty digits (by quadrature of the incomplete gamma function), at once whatever the mean; and what is
   not a mean or not a level. */
TEST fit_poisson_intervals(void)
{
   static const double mean[14] = {1e-300, 1e-12, 0.001, 0.05, 0.3, 1, 2.5, 17, 100.25, 650, 699.999, 700, 703.5, 4000};
   static const double level[8] = {1e-12, 0.1, 0.5, 0.9, 0.95, 0.9999, 1 - 1e-10, 1 - 1.1102230246251565e-16};
   static const struct { double mean, level; uint64_t lo, hi; } exact[] = {
      {700.0, 1e-09, 700ULL, 700ULL},
      {700.0, 0.5, 682ULL, 718ULL},
      {700.0, 0.95, 649ULL, 752ULL},
      {700.0, 0.99999999999999989, 492ULL, 930ULL},
      {1234.5, 1e-09, 1234ULL, 1234ULL},
      {1234.5, 0.5, 1211ULL, 1258ULL},
      {1234.5, 0.95, 1166ULL, 1304ULL},
      {1234.5, 0.99999999999999989, 955ULL, 1537ULL},
      {1000000.25, 1e-09, 1000000ULL, 1000000ULL},
      {1000000.25, 0.5, 999326ULL, 1000675ULL},
      {1000000.25, 0.95, 998041ULL, 1001961ULL},
      {1000000.25, 0.99999999999999989, 991719ULL, 1008304ULL},
      {1000000000.0, 1e-09, 1000000000ULL, 1000000000ULL},
      {1000000000.0, 0.5, 999978671ULL, 1000021329ULL},
      {1000000000.0, 0.95, 999938021ULL, 1000061980ULL},
      {1000000000.0, 0.99999999999999989, 999737784ULL, 1000262239ULL},
      {1000000000000.5, 1e-09, 1000000000000ULL, 1000000000000ULL},
      {1000000000000.5, 0.5, 999999325511ULL, 1000000674490ULL},
      {1000000000000.5, 0.95, 999998040037ULL, 1000001959965ULL},
      {1000000000000.5, 0.99999999999999989, 999991707651ULL, 1000008292373ULL},
      {1000000000000000.0, 1e-09, 1000000000000000ULL, 1000000000000000ULL},
      {1000000000000000.0, 0.5, 999999978670761ULL, 1000000021329239ULL},
      {1000000000000000.0, 0.95, 999999938020497ULL, 1000000061979504ULL},
      {1000000000000000.0, 0.99999999999999989, 999999737772529ULL, 1000000262227493ULL},
      {9007199254740994.0, 1e-09, 9007199254740994ULL, 9007199254740994ULL},
      {9007199254740994.0, 0.95, 9007199068728132ULL, 9007199440753857ULL},
      {9007199254740994.0, 0.99999999999999989, 9007198467743982ULL, 9007200041738028ULL},
      {1e+18, 0.95, 999999998040036016ULL, 1000000001959963985ULL},
      {1e+18, 0.99999999999999989, 999999991707638935ULL, 1000000008292361087ULL},
      {9.223372036854776e+18, 1e-09, 9223372036854775804ULL, 9223372036854775812ULL},
      {9.223372036854776e+18, 0.99999999999999989, 9223372011670871086ULL, 9223372062038680553ULL},
      {1.8e+19, 0.99999999999999989, 17999999964818491519ULL, 18000000035181508504ULL},
   };
   uint64_t lo, hi;
   for (int i = 0; i < 14; i++)
      for (int j = 0; j < 8; j++) {
         double tail = 0.5 * (1 - level[j]), m = mean[i];
         sneppp_poisson_interval(m, level[j], &lo, &hi);
         ASSERT(lo <= hi && hi < 6000);
         if (lo) ASSERT(fit_poisson_sum(m, (double)lo - 1, 0) <= tail * (1 + 1e-9));
         ASSERT(fit_poisson_sum(m, (double)lo, 0) > tail * (1 - 1e-9));
         ASSERT(fit_poisson_sum(m, (double)hi, 1) <= tail * (1 + 1e-9));
         if (hi) ASSERT(fit_poisson_sum(m, (double)hi - 1, 1) > tail * (1 - 1e-9));
      }
   for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
      sneppp_poisson_interval(exact[i].mean, exact[i].level, &lo, &hi);
      ASSERT_EQ_FMT((unsigned long long)exact[i].lo, (unsigned long long)lo, "%llu");
      ASSERT_EQ_FMT((unsigned long long)exact[i].hi, (unsigned long long)hi, "%llu");
   }
   sneppp_poisson_interval(0, 0.95, &lo, &hi);
   ASSERT(lo == 0 && hi == 0);
   sneppp_poisson_interval(18446744073709551616.0, 0.5, &lo, &hi); /* 2^64: the lower end can be held, the upper cannot */
   ASSERT(hi == UINT64_MAX && UINT64_MAX - lo > 2890000000U && UINT64_MAX - lo < 2900000000U); /* 0.6745 sqrt(mean) */
   sneppp_poisson_interval(1e300, 0.95, &lo, &hi);
   ASSERT(lo == UINT64_MAX && hi == UINT64_MAX);
   for (int i = 0; i < 7; i++) {
      static const double bad[7][2] = {{-1, 0.5}, {3, 0}, {3, 1}, {3, -0.5}, {3, 1.5}, {0, 0.5}, {0, 0.5}};
      double              m = bad[i][0], l = bad[i][1];
      if (i == 5) m = sneppp__from_bits(0x7ff8000000000000ULL);
      if (i == 6) l = sneppp__from_bits(0x7ff8000000000000ULL);
      sneppp_poisson_interval(m, l, &lo, &hi);
      ASSERT(lo == 0 && hi == UINT64_MAX);
   }
   PASS();
}

/* The parameters of a trainer and those of the model that it learns: V, W, b or widths, and a floor. */
static size_t fit_parameters(const sneppp_model *m, int has_floor)
{
   const sneppp_layer_state *L = &m->layer[0];
   size_t                    n = (size_t)L->n, d = (size_t)L->d;
   return (size_t)m->readout[0].m * (size_t)m->readout[0].n + n * d + (L->width ? n * d : n) + (has_floor ? 1 : 0);
}

static double fit_nll(const sneppp_model *m, const sneppp_events *e)
{
   double nll = 1e300;
   return sneppp_nll(m, e, 1, &nll, NULL, NULL, NULL, NULL) == SNEPPP_OK ? nll / (double)e->count : 1e300;
}

/* A model that has a floor, made in three ways: 0 by AUTO, 1 by CONVEX, 2 by AUTO, then saved and loaded. */
static sneppp_status fit_with_floor(sneppp_model *m, const sneppp_events *e, int way)
{
   static unsigned char bytes[1 << 20];
   sneppp_desc          d = fit_desc_box(way == 1 ? 12 : 0);
   sneppp_fit_desc      f;
   sneppp_model         made;
   sneppp_status        st = sneppp_init(&made, &d, NULL);
   size_t               n;
   memset(&f, 0, sizeof f);
   f.events = e;
   f.method = way == 1 ? SNEPPP_METHOD_CONVEX : SNEPPP_METHOD_AUTO;
   f.floor = way == 1 ? 0.1 : 0;
   if (st == SNEPPP_OK) st = sneppp_fit(&made, &f, NULL, NULL);
   if (st != SNEPPP_OK || way < 2) { *m = made; return st; }
   n = sneppp_save(&made, bytes, sizeof bytes);
   sneppp_free(&made);
   return n <= sizeof bytes ? sneppp_load(m, bytes, n, NULL, 0, NULL, NULL) : SNEPPP_ERR_SIZE;
}

/* ADAM goes on from a fit that has a floor: the floor is counted, kept and learnt, the run starts where the fit ended,
   and its checkpoint can be loaded. With a share, or with none, the floor begins anew. */
TEST fit_adam_goes_on_with_a_floor(void)
{
   static unsigned char checkpoint[1 << 20];
   sneppp_events        e = fit_events(100);
   for (int way = 0; way < 3; way++)
      for (int share = 0; share < 3; share++) {
         sneppp_fit_desc f = fit_adam(&e, 8);
         sneppp_model    m;
         sneppp_trainer  t;
         sneppp_report   r;
         sneppp_error    err;
         double          before, had, first, total = 0;
         size_t          n;
         f.floor = share == 0 ? 0 : share == 1 ? 0.3 : SNEPPP_NONE;
         f.rate = 1e-3;
         ASSERT_EQ(SNEPPP_OK, fit_with_floor(&m, &e, way));
         before = fit_nll(&m, &e), had = m.floor;
         ASSERT(had > 0 && sneppp_count(&m, NULL, 1, &total, NULL, &err) == SNEPPP_OK);
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_init(&t, &m, &f, &err), "%d");
         ASSERT_EQ(fit_parameters(&m, share < 2), t.parameters);
         first = m.floor;
         if (share == 0) { /* only a common scale, to the number of events */
            ASSERT_IN_RANGE(100 / total, first / had, 1e-6);
            ASSERT_IN_RANGE(before + 1 - total / 100 - log(100 / total), fit_nll(&m, &e), 1e-6);
         }
         if (share == 1) ASSERT_IN_RANGE(0.3 * 100, first * 50, 1e-9 * 100);
         if (share == 2) ASSERT_EQ(0, first);
         for (size_t i = 0; i < t.parameters; i++) ASSERT(sneppp__finite(t.theta[i]) && sneppp__finite(t.best[i]));
         for (int k = 0; k < 3; k++) ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_step(&t, &err), "%d");
         ASSERT(share == 2 ? m.floor == 0 : m.floor > 0 && m.floor != first);
         n = sneppp_trainer_save(&t, checkpoint, sizeof checkpoint);
         ASSERT(n <= sizeof checkpoint);
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_load(&t, checkpoint, n, &err), "%d");
         sneppp_trainer_free(&t);
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
         ASSERT_EQ(SNEPPP_METHOD_ADAM, r.method);
         ASSERT_IN_RANGE(r.nll, fit_nll(&m, &e), sizeof(sneppp_real) == 4 ? 1e-5 : 1e-10);
         if (share == 0) ASSERT(r.nll < before + 1e-6);
         sneppp_free(&m);
      }
   PASS();
}

/* What is frozen keeps its bits, also when the rest is scaled before the first step. */
TEST fit_frozen_keeps_its_bits(void)
{
   sneppp_events e = fit_events(200);
   for (int way = 0; way < 2; way++) {
      sneppp_fit_desc f = fit_adam(&e, 3);
      sneppp_model    m;
      sneppp_error    err;
      sneppp_real     V[12 * 12];
      double          had;
      ASSERT_EQ(SNEPPP_OK, fit_with_floor(&m, &e, 1));
      e.count = 150; /* other events: something must be scaled */
      had = m.floor;
      memcpy(V, m.readout[0].V, sizeof V);
      f.freeze = way ? SNEPPP_FREEZE_READOUT : SNEPPP_FREEZE_FLOOR;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err), "%d");
      ASSERT(way ? m.floor != had : m.floor == had);
      ASSERT(way ? !memcmp(V, m.readout[0].V, sizeof V) : memcmp(V, m.readout[0].V, sizeof V) != 0);
      sneppp_free(&m);
      e.count = 200;
   }
   PASS();
}

/* Without a floor, what a tree skips would be all that there is between the events. */
TEST fit_tree_needs_a_floor(void)
{
   sneppp_events   e = fit_events(150);
   sneppp_desc     d = fit_desc_box(0);
   sneppp_fit_desc f = fit_adam(&e, 8);
   sneppp_model    m;
   sneppp_report   r;
   sneppp_error    err;
   double          far = 0, nll;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   memset(&f, 0, sizeof f);
   f.events = &e;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   ASSERT(m.nodes > 0);
   f = fit_adam(&e, 8), f.floor = SNEPPP_NONE;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   ASSERT_EQ(0, m.floor);
   ASSERT_EQ(0, m.nodes);
   nll = fit_nll(&m, &e);
   for (size_t i = 0; i < e.count; i++) far -= sneppp_log_intensity(&m, e.x + 2 * i) / (double)e.count;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &r.expected, NULL, &err));
   far += (r.expected + sneppp__lgamma((double)e.count + 1)) / (double)e.count;
   ASSERT_IN_RANGE(nll, far, 1e-4 * (1 + fabs(nll)));
   sneppp_free(&m);
   PASS();
}

/* The share of the floor is one of all events, whatever the number of realisations and what they watched. */
TEST fit_floor_share_of_realisations(void)
{
   sneppp_events   all = fit_events(300), e[3];
   sneppp_desc     d = fit_desc_box(8);
   sneppp_fit_desc f = fit_adam(e, 5);
   sneppp_model    m;
   sneppp_trainer  t;
   sneppp_error    err;
   double          total = 0, part;
   sneppp_window   half = d.factor[0].window;
   sneppp_region   seen;
   size_t          kept = 0;
   memset(&seen, 0, sizeof seen);
   seen.factor[0] = &half;
   half.hi[0] = 4;
   for (int k = 0; k < 3; k++) e[k] = all, e[k].count = 100, e[k].x = fit_xy + 200 * k;
   for (size_t i = 0; i < 100; i++)
      if (fit_xy[400 + 2 * i] <= 4) {
         fit_xy[400 + 2 * kept] = fit_xy[400 + 2 * i], fit_xy[401 + 2 * kept] = fit_xy[401 + 2 * i];
         kept++;
      }
   e[2].count = kept, e[2].seen = &seen;
   f.realisations = 3, f.floor = 0.25;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_trainer_init(&t, &m, &f, &err));
   ASSERT_IN_RANGE(0.25 * (200 + (double)kept), m.floor * (50 + 50 + 20), 1e-9 * 300);
   for (int k = 0; k < 3; k++) {
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, k == 2 ? &seen : NULL, 1, &part, NULL, &err));
      total += part;
   }
   ASSERT_IN_RANGE(200 + (double)kept, total, 1e-3);
   sneppp_trainer_free(&t);
   sneppp_free(&m);
   PASS();
}

/* A fit that fails leaves the model as it was, to the bit, with its tree, and the report as well: an event that is found
   late, a source that gives up, memory, a likelihood that cannot be had. */
static size_t fit_source_calls;
static size_t fit_source(sneppp_real *dst, size_t first, size_t count, void *user)
{
   memcpy(dst, (const sneppp_real *)user + 2 * first, 2 * count * sizeof *dst);
   return fit_source_calls-- ? count : 0;
}

TEST fit_failed_changes_nothing(void)
{
   static unsigned char before[1 << 20], after[1 << 20];
   sneppp_events        e = fit_events(100);
   for (int way = 0; way < 2; way++)
      for (int fault = 0; fault < 7; fault++) {
         sneppp_fit_desc f = fit_adam(&e, 15);
         sneppp_events   bad = e;
         sneppp_model    m;
         sneppp_report   r;
         sneppp_error    err;
         size_t          n, nodes;
         test_alloc      a;
         sneppp_status   st = SNEPPP_OK;
         memset(&a, 0, sizeof a);
         f.events = &bad;
         ASSERT_EQ(SNEPPP_OK, fit_with_floor(&m, &e, way));
         if (fault == 0) fit_xy[199] = 7;                          /* at once: all events are looked at */
         if (fault == 1) fit_xy[199] = 7, f.batch = 10;            /* after some steps */
         if (fault == 2) fit_xy[199] = 7, f.method = SNEPPP_METHOD_CONVEX;
         if (fault == 3) bad.x = NULL, bad.read = fit_source, bad.user = fit_xy, fit_source_calls = 9;
         if (fault == 4) f.polish = 1, f.eps1 = 0.1, f.floor = 2;  /* refused */
         if (fault == 5) f.polish = 1, f.steps = 5;                /* memory for the polish, see below */
         if (fault == 6) bad.weight = fit_xy + 2, fit_xy[60] = -1, f.batch = 10;
         n = sneppp_save(&m, before, sizeof before);
         ASSERT(n <= sizeof before);
         nodes = m.nodes;
         memset(&r, 0x5a, sizeof r);
         for (size_t at = 1; at < 100; at++) {
            void *ctx = m.desc.alloc_ctx;
            if (fault == 5) m.desc.alloc_ctx = &a, a.calls = 0, a.fail_at = at;
            st = sneppp_fit(&m, &f, &r, &err);
            m.desc.alloc_ctx = ctx;
            if (fault == 5 && st == SNEPPP_OK) break;
            if (st == SNEPPP_OK) fprintf(stderr, "way %d, fault %d did not fail\n", way, fault);
            ASSERT(st != SNEPPP_OK);
            ASSERT_EQ(n, sneppp_save(&m, after, sizeof after));
            ASSERT(!memcmp(before, after, n));
            ASSERT_EQ(nodes, m.nodes);
            for (size_t i = 0; i < sizeof r; i++) ASSERT_EQ(0x5a, ((unsigned char *)&r)[i]);
            if (fault != 5) break;
         }
         ASSERT_EQ((size_t)0, a.live);
         ASSERT((st == SNEPPP_OK) == (fault == 5));
         e = fit_events(100);
         sneppp_free(&m);
      }
   PASS();
}

/* The polish solves the convex problem for the floor that was learnt, says so, and is left out when the run was asked to
   stop. */
TEST fit_polish_keeps_the_floor(void)
{
   sneppp_events   e = fit_events(300);
   sneppp_desc     d = fit_desc_box(10);
   sneppp_fit_desc f = fit_adam(&e, 60);
   sneppp_model    a, b;
   sneppp_report   ra, rb;
   sneppp_error    err;
   size_t          at = 7;
   double          total;
   f.floor = 0.2;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&a, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&b, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&a, &f, &ra, &err));
   f.polish = 1;
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&b, &f, &rb, &err), "%d");
   ASSERT_EQ(a.floor, b.floor);
   ASSERT(fabs(a.floor * 50 - 60) > 0.1); /* it was learnt */
   ASSERT_EQ(SNEPPP_METHOD_ADAM, ra.method);
   ASSERT_EQ(SNEPPP_METHOD_CONVEX, rb.method);
   ASSERT(!sneppp__finite(ra.gap) && rb.gap >= 0);
   ASSERT(rb.nll <= ra.nll + 1e-9);
   ASSERT_IN_RANGE(fit_nll(&b, &e), rb.nll, sizeof(sneppp_real) == 4 ? 1e-5 : 1e-9);
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&b, NULL, 1, &total, NULL, &err));
   ASSERT_IN_RANGE(total, rb.expected, 1e-4 * total);
   sneppp_free(&b);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&b, &d, &err));
   f.progress = fit_stop, f.user = &at;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&b, &f, &rb, &err));
   ASSERT_EQ(SNEPPP_METHOD_ADAM, rb.method);
   ASSERT_EQ(SNEPPP_ENDING_ASKED_TO_STOP, rb.ending);
   ASSERT_EQ((size_t)7, rb.step);
   sneppp_free(&a);
   sneppp_free(&b);
   PASS();
}

/* An event of weight 2 is two events, for every way to judge a model; one of weight 0 is none. */
TEST fit_judging_weights(void)
{
   sneppp_events   e = fit_events(100), twice = e;
   sneppp_desc     d = fit_desc_box(6);
   sneppp_fit_desc f = fit_adam(&e, 20);
   sneppp_model    m;
   sneppp_error    err;
   sneppp_real     weight[100], xy[400];
   double          want = 0, got = 1, slack = sizeof(sneppp_real) == 4 ? 1e-5 : 1e-11;
   size_t          count = 0;
   for (size_t i = 0; i < 100; i++) {
      weight[i] = (sneppp_real)(i % 3);
      for (size_t k = 0; k < i % 3; k++) memcpy(xy + 2 * count++, fit_xy + 2 * i, 2 * sizeof *xy);
   }
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err));
   e.weight = weight;
   twice.x = xy, twice.count = count;
   ASSERT_EQ(SNEPPP_OK, sneppp_test_nll(&m, &twice, 1, 0.25, &want, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_test_nll(&m, &e, 1, 0.25, &got, NULL, &err));
   ASSERT_IN_RANGE(want, got, slack);
   for (size_t i = 0; i < 100; i++) weight[i] = 0;
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_test_nll(&m, &e, 1, 0.25, &got, NULL, &err));
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_fit(&m, &f, NULL, &err)); /* nor is there anything to learn from */
   ASSERT(strstr(err.why, "weights"));
   sneppp_free(&m);
   PASS();
}

/* A readout of zeros, as a fit to no events leaves it, is no place for ADAM to start from. */
TEST fit_adam_refuses_zeros(void)
{
   sneppp_events   none = fit_events(50), e = none;
   sneppp_desc     d = fit_desc_box(6);
   sneppp_fit_desc f = fit_adam(&none, 5);
   sneppp_model    m;
   sneppp_error    err;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   none.count = 0;
   f.method = SNEPPP_METHOD_CONVEX;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err));
   f.method = SNEPPP_METHOD_ADAM, f.events = &e;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, NULL, &err));
   ASSERT(strstr(err.why, "0 everywhere"));
   f.method = SNEPPP_METHOD_CONVEX;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err));
   f.method = SNEPPP_METHOD_ADAM;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err));
   sneppp_free(&m);
   PASS();
}

/* A step that leads where the likelihood cannot be represented is undone and taken again with half the rate, until it
   stays in range; what cannot be mended so is said. */
TEST fit_undoes_steps_out_of_range(void)
{
   sneppp_events   e = fit_events(100);
   sneppp_desc     d = fit_desc_box(6);
   sneppp_fit_desc f = fit_adam(&e, 12);
   sneppp_model    m;
   sneppp_trainer  t;
   sneppp_error    err;
   double          cut, first = 0, last;
   int             halves = 0;
   d.factor[0].unit.act = SNEPPP_ACT_EXP;
   f.rate = sizeof(sneppp_real) == 4 ? 300 : 3000; /* e^3000 is too much for double, e^300 for float */
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_init(&t, &m, &f, &err), "%d");
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_step(&t, &err), "%d");
   ASSERT_EQ(1.0, t.rate_cut);
   first = t.report.nll;
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_step(&t, &err), "%d"); /* the first step had led too far */
   ASSERT_IN_RANGE(first, t.report.nll, 1e-6 * fabs(first));                /* and is undone: the same place again */
   ASSERT_EQ(0.5, t.rate_cut);
   for (size_t i = 0; i < t.parameters; i++) { /* half as far, from there, as if it were the first step after the reset */
      double c1 = 1 - 0.9 * 0.9, c2 = 1 - 0.999 * 0.999, e1 = t.moment1[i] / 0.1, step = t.theta[i] - t.best[i];
      ASSERT_IN_RANGE(e1 * e1, t.moment2[i] / 0.001, 1e-9 * e1 * e1);
      if (fabs(e1) > 1e-3) ASSERT_IN_RANGE(-0.5 * f.rate * (0.1 / c1) / sqrt(0.001 / c2) * (e1 > 0 ? 1 : -1), step, 0.02 * f.rate);
   }
   for (int k = 0; k < 9; k++) ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_step(&t, &err), "%d");
   for (cut = t.rate_cut; cut < 1; cut *= 2) halves++;
   ASSERT_EQ(1.0, cut);
   ASSERT(halves >= 2 && halves <= 20);
   last = t.report.nll;
   ASSERT(last == last && last < 1e300 && last > -1e300);
   t.rate_cut = 1e-7; /* as after two dozen vain tries: now the reason is told */
   for (size_t i = 0; i < t.parameters; i++) t.theta[i] = 1e6;
   ASSERT_EQ(SNEPPP_ERR_RANGE, sneppp_trainer_step(&t, &err));
   ASSERT(err.why[0]);
   ASSERT_EQ(1e-7, t.rate_cut);
   sneppp_trainer_free(&t);
   sneppp_free(&m);
   PASS();
}

/* While a trainer moves the units of a default fit, its model is right between the steps: no tree of places where the
   units were. */
TEST fit_steps_leave_no_old_tree(void)
{
   sneppp_events   e = fit_events(100);
   sneppp_fit_desc f = fit_adam(&e, 5);
   sneppp_model    m, plain;
   sneppp_trainer  t;
   sneppp_error    err;
   double          got = 0, want = 0, before[100], moved = 0, slack = sizeof(sneppp_real) == 4 ? 1e-3 : 1e-6;
   f.rate = 0.1;
   ASSERT_EQ(SNEPPP_OK, fit_with_floor(&m, &e, 0));
   ASSERT(m.nodes > 0);
   for (size_t i = 0; i < 100; i++) before[i] = (double)sneppp_intensity(&m, e.x + 2 * i);
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_init(&t, &m, &f, &err), "%d");
   for (int k = 0; k < 5; k++) {
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_step(&t, &err), "%d");
      plain = m;
      plain.nodes = 0;
      for (size_t i = 0; i < 100; i++) {
         got = (double)sneppp_intensity(&m, e.x + 2 * i);
         want = (double)sneppp_intensity(&plain, e.x + 2 * i);
         ASSERT_IN_RANGE(want, got, slack * want);
         moved = fmax(moved, fabs(want / before[i] - 1));
      }
   }
   ASSERT(moved > 0.05);
   sneppp_trainer_free(&t);
   sneppp_free(&m);
   PASS();
}

/* The last step may lead out of range as well: then the model ends at the last place that has a likelihood. */
TEST fit_ends_in_range(void)
{
   sneppp_events   e = fit_events(100);
   sneppp_desc     d = fit_desc_box(6);
   sneppp_fit_desc f = fit_adam(&e, 1);
   sneppp_model    m;
   sneppp_report   r;
   sneppp_error    err;
   double          nll;
   d.factor[0].unit.act = SNEPPP_ACT_EXP;
   f.rate = sizeof(sneppp_real) == 4 ? 300 : 3000;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
   nll = fit_nll(&m, &e);
   ASSERT(nll < 1e6);
   ASSERT_EQ(SNEPPP_ENDING_STEP_LIMIT, r.ending);
   ASSERT_IN_RANGE(nll, r.nll, 1e-5 * fabs(nll));
   sneppp_free(&m);
   PASS();
}

/* What fits and judges refuse, in words, without touching their results. */
TEST fit_refuses_in_words(void)
{
   sneppp_events   e = fit_events(30), two[2];
   sneppp_desc     d = fit_desc_box(5);
   sneppp_fit_desc f = fit_adam(&e, 5);
   sneppp_model    m;
   sneppp_error    err;
   sneppp_real     out[30];
   double          nll = 7;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   f.method = SNEPPP_METHOD_END;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, NULL, &err));
   ASSERT(strstr(err.why, "is not a sneppp_method"));
   f = fit_adam(&e, 5), f.schedule = SNEPPP_SCHEDULE_END;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, NULL, &err));
   ASSERT(strstr(err.why, "is not a sneppp_schedule"));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_test_nll(&m, &e, 1, 0, &nll, NULL, &err));
   ASSERT(strstr(err.why, "scale = 0 must be positive"));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_test_nll(&m, &e, 1, sneppp__nan(), &nll, NULL, &err));
   two[0] = two[1] = e;
   two[1].x = NULL;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_nll(&m, two, 2, &nll, NULL, NULL, NULL, &err));
   ASSERT(strstr(err.why, "realisation 1: "));
   ASSERT_EQ(7.0, nll);
   e.x = NULL, e.read = fit_source, e.user = fit_xy, fit_source_calls = 0;
   ASSERT_EQ(SNEPPP_ERR_SOURCE, sneppp_intensities(&m, &e, out, NULL, &err));
   ASSERT_EQ((size_t)-1, fit_source_calls);
   sneppp_free(&m);
   PASS();
}

/* Early stopping: the model ends with the parameters of its best look at what was held out, all of them to the bit, and
   the run ends `patience` looks after it. */
typedef struct fit_best_seen {
   double      held_out;
   size_t      step, looks;
   sneppp_real V[40 * 40], W[80], b[40];
} fit_best_seen;

static int fit_note_best(const sneppp_report *now, const sneppp_model *m, void *user)
{
   fit_best_seen *best = (fit_best_seen *)user;
   if (!(now->held_out < best->held_out)) return 0;
   best->held_out = now->held_out, best->step = now->step, best->looks++;
   memcpy(best->V, m->readout[0].V, (size_t)(m->readout[0].n * m->readout[0].m) * sizeof *best->V);
   memcpy(best->W, m->layer[0].W, sizeof best->W);
   memcpy(best->b, m->layer[0].b, sizeof best->b);
   return 0;
}

TEST fit_keeps_the_best(void)
{
   static fit_best_seen best;
   sneppp_events        e = fit_events(80);
   sneppp_desc          d = fit_desc_box(40);
   sneppp_fit_desc      f = fit_adam(&e, 400);
   sneppp_model         m;
   sneppp_report        r;
   sneppp_error         err;
   double               kept;
   memset(&best, 0, sizeof best);
   best.held_out = 1e300;
   f.holdout = 0.3, f.patience = 3, f.rate = 0.02;
   f.progress = fit_note_best, f.user = &best;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ((size_t)40 * 40, (size_t)(m.readout[0].n * m.readout[0].m));
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
   ASSERT_EQ(SNEPPP_ENDING_CONVERGED, r.ending);
   ASSERT(best.looks >= 2);
   kept = (m.alpha / (80 / 50.0)); /* by which the best of the steps was scaled to 80 events */
   ASSERT_IN_RANGE(80, r.expected, 1e-9);
   ASSERT_IN_RANGE(best.held_out + 1 - 1 / kept - log(kept), r.held_out, sizeof(sneppp_real) == 4 ? 1e-5 : 1e-10);
   ASSERT_EQ((size_t)0, best.step % 7); /* a look every 400 / 60 + 1 steps */
   ASSERT_EQ(best.step + 3 * 7, r.step);
   ASSERT_MEM_EQ(best.V, m.readout[0].V, sizeof best.V);
   ASSERT_MEM_EQ(best.W, m.layer[0].W, sizeof best.W);
   ASSERT_MEM_EQ(best.b, m.layer[0].b, sizeof best.b);
   ASSERT_IN_RANGE(fit_nll(&m, &e), r.nll, 1e-5 * fabs(r.nll));
   sneppp_free(&m);
   PASS();
}

/* What is left 0 is what the manual says that it is, to the bit. */
TEST fit_defaults(void)
{
   static unsigned char bytes[2][40000];
   sneppp_events        e = fit_events(60);
   for (int k = 0; k < SNEPPP_METHOD_END + 1; k++) { /* ADAM with and without events that are held out */
      const sneppp_method method = k < SNEPPP_METHOD_END ? (sneppp_method)k : SNEPPP_METHOD_ADAM;
      sneppp_report       r[2];
      size_t              size[2];
      for (int said = 0; said < 2; said++) {
         sneppp_desc     d = fit_desc_box(method == SNEPPP_METHOD_AUTO ? 0 : 6);
         sneppp_fit_desc f;
         sneppp_model    m;
         sneppp_error    err;
         memset(&f, 0, sizeof f);
         f.events = &e, f.method = method;
         if (method == SNEPPP_METHOD_CONVEX) f.tune = 1;
         if (method == SNEPPP_METHOD_ADAM) f.batch = 16, f.holdout = k == SNEPPP_METHOD_END ? 0.3 : 0;
         if (said) {
            d.seed = f.seed = 1, f.realisations = 1;
            if (method == SNEPPP_METHOD_CONVEX) f.steps = 2000, f.tol = 1e-4;
            if (method == SNEPPP_METHOD_PGD) f.steps = 20000, f.tol = 1e-4, f.eps1 = 0.5 / 6, f.rate = 1;
            if (method == SNEPPP_METHOD_ADAM) f.steps = 600, f.rate = 0.0125, f.beta1 = 0.9, f.beta2 = 0.999, f.decay = 0.01;
            if (f.holdout > 0) f.patience = 10;
         }
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r[said], &err), "%d");
         size[said] = sneppp_save(&m, bytes[said], sizeof *bytes);
         ASSERT(size[said] <= sizeof *bytes);
         sneppp_free(&m);
      }
      if (k == SNEPPP_METHOD_ADAM) ASSERT_EQ((size_t)600, r[0].step);
      ASSERT(r[0].step == r[1].step && r[0].nll == r[1].nll && size[0] == size[1]);
      ASSERT_MEM_EQ(&r[0].held_out, &r[1].held_out, sizeof r->held_out); /* may be NaN */
      ASSERT_MEM_EQ(bytes[0], bytes[1], size[0]);
   }
   PASS();
}

/* A trainer begins with a model that expects as many events as there are, and with that as the best it has seen. */
TEST fit_begins_with_its_events(void)
{
   for (int floors = 0; floors < 2; floors++) {
      sneppp_events   e = fit_events(200);
      sneppp_desc     d = fit_desc_box(6);
      sneppp_fit_desc f = fit_adam(&e, 5);
      sneppp_model    m;
      sneppp_trainer  t;
      sneppp_error    err;
      double          expected = 0;
      f.floor = floors ? 0.3 : 0;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_trainer_init(&t, &m, &f, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &expected, NULL, &err));
      ASSERT_IN_RANGE(200, expected, sizeof(sneppp_real) == 4 ? 1e-3 : 1e-9);
      ASSERT_IN_RANGE(floors ? 0.3 * 200 / 50 : 0, m.floor, 1e-12);
      ASSERT_EQ(0, memcmp(t.best, t.theta, t.parameters * sizeof *t.best));
      sneppp_trainer_free(&t);
      sneppp_free(&m);
   }
   PASS();
}

/* The chain rule of what is learnt: a sum of all arrays of the model, derived by theta, against differences. */
TEST fit_derivatives_by_theta(void)
{
   static const double weight[2] = {0.6, 0.5}, mean[4] = {0, 1, 0.5, -0.5}, scale[4] = {1, 0.7, 2, 1};
   sneppp_desc    d;
   sneppp_model   m;
   sneppp_grad    grad;
   sneppp_error   err;
   sneppp__learnt seg[SNEPPP__MAX_LEARNT];
   double         theta[400], raw[400], c[400];
   size_t         count = 0, maps[4] = {0, 0, 0, 0};
   int            segments;
   sneppp_rng     rng;
   memset(&d, 0, sizeof d);
   d.factor[0].window.space = SNEPPP_SPACE_GAUSS, d.factor[0].window.dim = 2, d.factor[0].window.count = 2;
   d.factor[0].window.weight = weight, d.factor[0].window.mean = mean, d.factor[0].window.scale = scale;
   d.factor[0].unit.act = SNEPPP_ACT_RBF;
   d.factor[1].window.dim = 1, d.factor[1].window.hi[0] = 3, d.factor[1].unit.act = SNEPPP_ACT_COS;
   d.width = 4, d.seed = 3;
   ASSERT_EQm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err));
   m.floor = 0.4;
   segments = sneppp__learnt_list(&m, 0, seg, raw, &grad, &count);
   ASSERT(count > 0 && count <= 400);
   for (int k = 0; k < segments; k++) maps[seg[k].map] += seg[k].count;
   ASSERT(maps[SNEPPP__MAP_LOG] > 0 && maps[SNEPPP__MAP_LOGIT] == 2 && maps[SNEPPP__MAP_RATED] == 4);
   sneppp_rng_init(&rng, 4, 4);
   for (size_t i = 0; i < count; i++) c[i] = raw[i] = sneppp_rng_normal(&rng);
   sneppp__theta_read(seg, segments, theta);
   sneppp__theta_chain(seg, segments, raw);
   for (size_t i = 0; i < count; i++) {
      double was = theta[i], h = sizeof(sneppp_real) == 4 ? 1e-2 : 1e-5, slope = 0, sums = 0, kept = 0;
      for (int side = 0; side < 2; side++) {
         theta[i] = was + (side ? h : -h);
         sneppp__theta_write(seg, segments, theta);
         for (int k = 0; k < segments; k++)
            for (size_t j = 0; j < seg[k].count; j++)
               slope += (side ? 1 : -1) * c[seg[k].first + j] * sneppp__learnt_get(&seg[k], j) / (2 * h);
         sums = m.layer[0].inside.weight[0] + m.layer[0].inside.weight[1];
         kept = fmax(kept, fabs(sums - 1.1));
      }
      theta[i] = was;
      ASSERT_IN_RANGE(slope, raw[i], (sizeof(sneppp_real) == 4 ? 1e-3 : 1e-8) * (1 + fabs(slope)));
      ASSERT(kept < 1e-12); /* the mass of the mixture stays */
   }
   sneppp_free(&m);
   PASS();
}

/* Every setting has a range, and is refused by name on either side of it. */
TEST fit_settings_have_ranges(void)
{
   sneppp_events e = fit_events(20);
   sneppp_desc   d = fit_desc_box(3);
   sneppp_model  m;
   sneppp_error  err;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   for (int k = 0; k < 11; k++)
      for (int side = 0; side < 2; side++) {
         static const char *const name[11] = {"tol", "eps1", "eps2", "trace", "floor", "rate", "beta1", "beta2", "decay", "clip", "holdout"};
         static const double      below[11] = {-2, -2, -0.1, -0.1, -2, -0.1, -0.1, -0.1, -2, -0.1, -0.1};
         static const double      above[11] = {2e300, 2e300, 2e300, 2e300, 1.1, 2e6, 1, 1, 2e6, 2e300, 0.95};
         sneppp_fit_desc          f = fit_adam(&e, 1);
         double                  *field[11];
         char                     words[40];
         field[0] = &f.tol, field[1] = &f.eps1, field[2] = &f.eps2, field[3] = &f.trace, field[4] = &f.floor, field[5] = &f.rate;
         field[6] = &f.beta1, field[7] = &f.beta2, field[8] = &f.decay, field[9] = &f.clip, field[10] = &f.holdout;
         *field[k] = side ? above[k] : below[k];
         sprintf(words, "fit.%s = ", name[k]);
         memset(&err, 0, sizeof err);
         ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, NULL, &err));
         ASSERT(strstr(err.why, words) == err.why);
      }
   sneppp_free(&m);
   PASS();
}

/* A setting that the method does not use is refused by name, and the model is as it was; SNEPPP_NONE is what such a
   method does anyway. Polishing uses what the convex problem uses. */
TEST fit_refuses_settings_not_used(void)
{
   static const char *const cones[] = {"tol", "eps1", "eps2", "trace"};
   static const char *const adam[] = {"batch", "rate", "schedule", "warmup", "beta1", "beta2", "decay", "clip", "holdout", "freeze", "polish"};
   sneppp_desc   d = fit_desc_box(4);
   sneppp_events e = fit_events(30);
   sneppp_model  m;
   sneppp_error  err;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   for (int k = 0; k < 11 + 4 + 1; k++)
      for (int method = SNEPPP_METHOD_CONVEX; method < SNEPPP_METHOD_END; method++) {
         sneppp_fit_desc f = fit_adam(&e, 3);
         char            words[60];
         double          before = fit_nll(&m, &e);
         int             is_adam = method == SNEPPP_METHOD_ADAM;
         sneppp_status   st;
         f.method = (sneppp_method)method;
         if (k < 4) *(k == 0 ? &f.tol : k == 1 ? &f.eps1 : k == 2 ? &f.eps2 : &f.trace) = 0.5;
         if (k == 4) f.batch = 10;
         if (k == 5) f.rate = 0.5;
         if (k == 6) f.schedule = SNEPPP_RATE_LINEAR;
         if (k == 7) f.warmup = 1;
         if (k == 8) f.beta1 = 0.5;
         if (k == 9) f.beta2 = 0.5;
         if (k == 10) f.decay = 0.5;
         if (k == 11) f.clip = 0.5;
         if (k == 12) f.holdout = 0.5;
         if (k == 13) f.freeze = SNEPPP_FREEZE_LAYER;
         if (k == 14) f.polish = 1;
         if (k == 15) f.tol = f.eps1 = f.decay = f.floor = SNEPPP_NONE;
         if (method == SNEPPP_METHOD_PGD && k == 15) f.eps1 = 0;
         if (k == 15 || is_adam == (k >= 4) || (k == 5 && method == SNEPPP_METHOD_PGD)) { /* the rate of PGD is its step */
            f.steps = 1;
            ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err), "%d");
            continue;
         }
         st = sneppp_fit(&m, &f, NULL, &err);
         ASSERT_EQ(SNEPPP_ERR_ARG, st);
         sprintf(words, "fit.%s = ", k < 4 ? cones[k] : adam[k - 4]);
         ASSERT(strstr(err.why, words) == err.why);
         ASSERT(strstr(err.why, is_adam ? "is not used by ADAM without fit.polish" : "is not used by "));
         ASSERT(fit_nll(&m, &e) == before);
         if (k >= 4) continue;
         f.polish = 1; /* with which the setting has a meaning */
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err), "%d");
      }
   for (int k = 0; k < 8; k++) { /* AUTO needs none of these where it places bumps */
      static const char *const name[] = {"steps", "tol", "eps2", "trace", "floor", "rate", "holdout", "tune"};
      char            words[60];
      sneppp_fit_desc f;
      memset(&f, 0, sizeof f);
      f.events = &e;
      if (k == 0) f.steps = 3;
      else if (k == 7) f.tune = 1;
      else *(k == 1 ? &f.tol : k == 2 ? &f.eps2 : k == 3 ? &f.trace : k == 4 ? &f.floor : k == 5 ? &f.rate : &f.holdout) = 0.5;
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, NULL, &err));
      sprintf(words, "fit.%s = ", name[k]);
      ASSERT(strstr(err.why, words) == err.why && strstr(err.why, "is not used by AUTO: leave it 0"));
   }
   {
      sneppp_fit_desc f = fit_adam(&e, 3);
      sneppp_trainer  t;
      f.patience = 3;
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, NULL, &err));
      ASSERT(strstr(err.why, "fit.patience = 3 is for fit.holdout"));
      f.patience = 0, f.method = SNEPPP_METHOD_AUTO, f.eps2 = 0.1; /* a trainer is ADAM, whatever the method says */
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_trainer_init(&t, &m, &f, &err));
      ASSERT(strstr(err.why, "fit.eps2 = 0.1 is not used by ADAM"));
   }
   sneppp_free(&m);
   PASS();
}

/* 600 events in a dozen knots, which waves on the scale of the window cannot follow: tuned frequencies are higher by a power
   of two, all by the same, and predict other events of the knots better. Nothing else of the layer moves, a fit that is refused moves nothing, and the totals are right. */
static void fit_knots(sneppp_real *x, size_t count, uint64_t stream)
{
   sneppp_rng rng;
   sneppp_rng_init(&rng, 11, stream);
   for (size_t i = 0; i < count; i++)
      for (int r = 0; r < 2; r++) {
         double v = -1, at = ((double)((i % 12) * (r ? 5 : 7) % 12) + 0.5) * (r ? 5.0 : 10.0) / 12;
         while (!(v >= 0 && v <= (r ? 5 : 10))) v = at + 0.15 * sneppp_rng_normal(&rng);
         x[2 * i + (size_t)r] = (sneppp_real)v;
      }
}

/* Where there is nothing to see and many features, tuning mostly takes a penalty, after which the total is that of the
   events; without one it is not, by more than a thousandth. */
TEST fit_tunes_a_penalty(void)
{
   enum { N = 80, T = 600, seeds = 6 };
   static sneppp_real x[N], y[T];
   sneppp_desc        d;
   sneppp_events      e, other;
   sneppp_error       err;
   sneppp_rng         rng;
   double             gain = 0;
   int                taken = 0;
   memset(&d, 0, sizeof d);
   memset(&e, 0, sizeof e);
   d.factor[0].window.dim = 1, d.factor[0].window.hi[0] = 1, d.width = 20;
   e.x = x, e.count = N, other = e, other.x = y, other.count = T;
   for (int seed = 1; seed <= seeds; seed++) {
      sneppp_rng_init(&rng, (uint64_t)seed, 0);
      for (int i = 0; i < N; i++) x[i] = (sneppp_real)sneppp_rng_uniform(&rng);
      for (int i = 0; i < T; i++) y[i] = (sneppp_real)sneppp_rng_uniform(&rng);
      for (int tune = 0; tune < 2; tune++) {
         sneppp_fit_desc f = fit_adam(&e, 0);
         sneppp_model    m;
         double          nll = 0, total = 0;
         f.method = SNEPPP_METHOD_CONVEX, f.floor = 0.05, f.tune = tune;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_test_nll(&m, &other, 1, (double)T / N, &nll, NULL, &err));
         if (tune) taken += fabs(total - N) < 1e-4 * N;
         else ASSERT(fabs(total - N) > 1e-3 * N);
         gain += (tune ? -nll : nll) / seeds;
         sneppp_free(&m);
      }
   }
   ASSERT(taken >= 4);
   ASSERT(gain > 0.02);
   PASS();
}

/* 60 events of an even plane, and 200 of a slow wave: however fast the waves that were drawn, the map must be close to
   the truth (where only their speed is tuned, and then the penalty, the distances are 0.31 and 0.15 nats an event). */
TEST fit_tunes_to_few_events(void)
{
   for (int kind = 0; kind < 2; kind++) {
      enum { most = 200, side = 40 };
      static sneppp_real x[2 * most];
      double             lost = 0, certified = 0;
      const int          N = kind ? most : 60, seeds = 3;
      for (int seed = 1; seed <= seeds; seed++) {
         sneppp_desc     d;
         sneppp_events   e;
         sneppp_fit_desc f;
         sneppp_report   r;
         sneppp_model    m, drawn;
         sneppp_error    err;
         sneppp_rng      rng;
         double          total = 0;
         memset(&d, 0, sizeof d), memset(&e, 0, sizeof e), memset(&f, 0, sizeof f);
         sneppp_rng_init(&rng, (uint64_t)seed, 77);
         for (int i = 0; i < N;) {
            double u = sneppp_rng_uniform(&rng), v = sneppp_rng_uniform(&rng);
            if (kind && sneppp_rng_uniform(&rng) * 4.5 > exp(1.5 * sin(4 * u) * cos(3 * v))) continue;
            x[2 * i] = (sneppp_real)u, x[2 * i++ + 1] = (sneppp_real)v;
         }
         d.factor[0].window.dim = 2, d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = 1, d.width = 80;
         d.factor[0].unit.act = SNEPPP_ACT_COS;
         e.x = x, e.count = (size_t)N, f.events = &e, f.method = SNEPPP_METHOD_CONVEX, f.tune = 1, f.floor = 0.05;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
         ASSERT(r.gap >= 0 && r.gap <= 1e-4);
         certified += r.gap;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&drawn, &d, &err));
         if (!kind) ASSERT(fabs((double)m.layer[0].W[2]) < 0.2 * fabs((double)drawn.layer[0].W[2])); /* slower than the start */
         sneppp_free(&drawn);
         for (int again = 0; again < 2; again++)
            for (int k = 0; k < side * side; k++) {
               sneppp_real p[2];
               double      u = (k % side + 0.5) / side, v = ((double)(k / side) + 0.5) / side;
               double      t = kind ? exp(1.5 * sin(4 * u) * cos(3 * v)) : 1;
               p[0] = (sneppp_real)u, p[1] = (sneppp_real)v;
               if (again) lost += t / total * log(t * N / total * side * side / (double)sneppp_intensity(&m, p)) / seeds;
               else total += t;
            }
         sneppp_free(&m);
      }
      ASSERT(certified > 0); /* the gap of the problem with its penalty, not what scaling gained afterwards */
      ASSERT(lost > 0 && lost < (kind ? 0.1 : 0.15));
   }
   PASS();
}

TEST fit_tunes_frequencies(void)
{
   static sneppp_real x[1200], y[1200];
   sneppp_desc        d = fit_desc_box(40);
   sneppp_events      e, other;
   sneppp_error       err;
   memset(&e, 0, sizeof e);
   fit_knots(x, 600, 1), fit_knots(y, 600, 2);
   e.x = x, e.count = 600, other = e, other.x = y;
   for (int method = SNEPPP_METHOD_CONVEX; method < SNEPPP_METHOD_END; method++) {
      sneppp_fit_desc f = fit_adam(&e, method == SNEPPP_METHOD_ADAM ? 1 : 60);
      sneppp_model    plain, tuned, drawn;
      sneppp_report   r;
      double          before = 0, after = 0, total = 0, scale;
      f.method = (sneppp_method)method;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&plain, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&drawn, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&tuned, &d, &err));
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&plain, &f, NULL, &err), "%d");
      f.tune = 1, f.freeze = method == SNEPPP_METHOD_ADAM ? SNEPPP_FREEZE_LAYER : 0;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&tuned, &f, &r, &err), "%d");
      scale = (double)tuned.layer[0].W[2] / (double)drawn.layer[0].W[2];
      ASSERT(scale == 2 || scale == 4 || scale == 8 || scale == 16);
      for (int i = 0; i < 80; i++) ASSERT(tuned.layer[0].W[i] == (sneppp_real)scale * drawn.layer[0].W[i]);
      ASSERT_MEM_EQ(drawn.layer[0].b, tuned.layer[0].b, 40 * sizeof(sneppp_real));
      ASSERT_EQ(SNEPPP_OK, sneppp_test_nll(&plain, &other, 1, 1, &before, NULL, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_test_nll(&tuned, &other, 1, 1, &after, NULL, &err));
      if (method == SNEPPP_METHOD_CONVEX) ASSERT(after < before - 0.2);
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&tuned, NULL, 1, &total, NULL, &err));
      ASSERT_IN_RANGE(total, r.expected, 1e-4 * total);
      if (method != SNEPPP_METHOD_PGD) ASSERT_IN_RANGE(600, total, 1e-3);
      ASSERT_IN_RANGE(fit_nll(&tuned, &e), r.nll, 1e-5);
      sneppp_free(&plain), sneppp_free(&drawn), sneppp_free(&tuned);
   }
   { /* what is refused */
      sneppp_fit_desc f = fit_adam(&e, 3);
      sneppp_model    m;
      sneppp_trainer  t;
      sneppp_real     was = x[7];
      double          before;
      d.factor[0].unit.act = SNEPPP_ACT_RELU;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      before = fit_nll(&m, &e);
      f.tune = 1;
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, NULL, &err));
      ASSERT(strstr(err.why, "fit.tune finds nothing to choose"));
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_trainer_init(&t, &m, &f, &err));
      ASSERT(strstr(err.why, "fit.tune is for sneppp_fit"));
      f.method = SNEPPP_METHOD_CONVEX, f.steps = 0;
      x[7] += 99;
      ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_fit(&m, &f, NULL, &err));
      x[7] = was, other.x = NULL, other.read = fit_source, other.user = x, f.events = &other;
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, NULL, &err));
      ASSERT(strstr(err.why, "fit.tune needs events in memory"));
      ASSERT(fit_nll(&m, &e) == before);
      sneppp_free(&m);
   }
   PASS();
}

/* Steps so long that exp units leave the domain of their family are undone: after each of them the model has an integral,
   can be saved, loaded and trained on. */
TEST fit_steps_stay_in_the_domain(void)
{
   for (int kind = 0; kind < 2; kind++) {
      static unsigned char file[60000];
      sneppp_real     x[40];
      sneppp_desc     d;
      sneppp_events   e;
      sneppp_fit_desc f;
      sneppp_model    m, again;
      sneppp_trainer  t;
      sneppp_error    err;
      sneppp_rng      rng;
      double          before = 0, after = 0, count = 0;
      memset(&d, 0, sizeof d), memset(&e, 0, sizeof e), memset(&f, 0, sizeof f);
      d.factor[0].window.space = kind ? SNEPPP_SPACE_GAMMA : SNEPPP_SPACE_NORMAL, d.factor[0].window.dim = 1;
      d.factor[0].window.param[0] = d.factor[0].window.param[1] = 1;
      d.factor[0].unit.act = SNEPPP_ACT_EXP, d.width = 6;
      sneppp_rng_init(&rng, 4, 4);
      for (int i = 0; i < 40; i++) x[i] = (sneppp_real)(kind ? sneppp__rng_exponential(&rng) + 1e-3 : 3 * sneppp_rng_normal(&rng));
      e.x = x, e.count = 40;
      f.events = &e, f.method = SNEPPP_METHOD_ADAM, f.rate = 2, f.steps = 60;
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &before, NULL, NULL, NULL, &err));
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_trainer_init(&t, &m, &f, &err), "%d");
      for (int step = 0; step < 60; step++) {
         size_t bytes;
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_step(&t, &err), "%d");
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_count(&m, NULL, 1, &count, NULL, &err), "%d");
         ASSERT(sneppp__finite(count) && count > 0);
         bytes = sneppp_save(&m, file, sizeof file);
         ASSERT(bytes > 0 && bytes <= sizeof file);
         ASSERT_EQ(SNEPPP_OK, sneppp_load(&again, file, bytes, NULL, 0, NULL, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_nll(&again, &e, 1, &after, NULL, NULL, NULL, &err));
         sneppp_free(&again);
      }
      ASSERT(t.rate_cut < 1); /* they did leave it */
      sneppp_trainer_free(&t);
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &after, NULL, NULL, NULL, &err));
      ASSERT(after < before);
      sneppp_free(&m);
   }
   PASS();
}

/* ADAM starts where as many events are expected as there are, whatever the readouts: each of a product has its root of the
   scale, each of a sum all of it. */
TEST fit_starts_with_all_events(void)
{
   sneppp_events e = fit_events(60);
   for (int k = 0; k < 6; k++) {
      sneppp_desc     d;
      sneppp_fit_desc fit;
      sneppp_model    m;
      sneppp_trainer  t;
      sneppp_error    err;
      double          count = 0;
      memset(&d, 0, sizeof d), memset(&fit, 0, sizeof fit);
      d.mix = k % 3 == 0 ? SNEPPP_MIX_ADDITIVE : k % 3 == 1 ? SNEPPP_MIX_SEPARABLE : SNEPPP_MIX_PRODUCT, d.width = 4;
      for (int f = 0; f < 2; f++) d.factor[f].window.dim = 1, d.factor[f].window.hi[0] = f ? 5 : 10;
      fit.events = &e, fit.method = SNEPPP_METHOD_ADAM, fit.steps = 5, fit.floor = k < 3 ? 0 : 0.2;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      for (int r = 0; r < m.readouts; r++)
         for (int i = 0; i < m.readout[r].m * m.readout[r].n; i++) m.readout[r].V[i] *= (sneppp_real)1.7;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_init(&t, &m, &fit, &err), "%d");
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &count, NULL, &err));
      ASSERT_IN_RANGE(60, count, sizeof(sneppp_real) < sizeof(double) ? 1e-3 : 1e-9);
      sneppp_trainer_free(&t);
      sneppp_free(&m);
   }
   PASS();
}

/* The rate climbs in equal steps to what was asked for, from one of them on. */
TEST fit_warms_up(void)
{
   sneppp_fit_desc o;
   memset(&o, 0, sizeof o);
   o.rate = 0.8, o.steps = 100, o.warmup = 4;
   for (size_t k = 0; k < 4; k++) ASSERT_IN_RANGE(0.2 * (double)(k + 1), sneppp__rate(&o, k), 1e-12);
   ASSERT_IN_RANGE(0.8, sneppp__rate(&o, 4), 1e-12);
   PASS();
}

/* Who steps by hand may go on beyond the last step of the schedule: the rate stays what it was there, 0. */
TEST fit_rate_beyond_the_last_step(void)
{
   const sneppp_schedule schedule[2] = {SNEPPP_RATE_COSINE, SNEPPP_RATE_LINEAR};
   sneppp_events         e = fit_events(60);
   sneppp_desc           d = fit_desc_box(4);
   sneppp_fit_desc       f = fit_adam(&e, 5);
   for (int k = 0; k < 2; k++) {
      sneppp_model   m;
      sneppp_trainer t;
      sneppp_error   err;
      sneppp_real    V[16];
      f.schedule = schedule[k];
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_trainer_init(&t, &m, &f, &err));
      for (size_t step = 5; step < 50; step += 9) ASSERT_IN_RANGE(0, sneppp__rate(&t.desc, step), 1e-15);
      for (int step = 0; step < 5; step++) ASSERT_EQ(SNEPPP_OK, sneppp_trainer_step(&t, &err));
      memcpy(V, m.readout[0].V, sizeof V);
      for (int step = 0; step < 3; step++) ASSERT_EQ(SNEPPP_OK, sneppp_trainer_step(&t, &err));
      for (int i = 0; i < 16; i++) ASSERT_IN_RANGE((double)V[i], (double)m.readout[0].V[i], 1e-12);
      sneppp_trainer_free(&t);
      sneppp_free(&m);
   }
   PASS();
}

TEST fit_judging_needs_a_place(void)
{
   sneppp_events e = fit_events(20);
   sneppp_desc   d = fit_desc_box(4);
   sneppp_model  m;
   sneppp_error  err;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_test_nll(&m, &e, 1, 1, NULL, NULL, &err));
   ASSERT_STR_EQ("nll is NULL", err.why);
   sneppp_free(&m);
   PASS();
}

static sneppp_real fit_few_xy[240];
static sneppp_desc fit_few_box(sneppp_mix mix)
{
   sneppp_desc d;
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = d.factor[1].window.dim = 1, d.factor[0].window.hi[0] = d.factor[1].window.hi[0] = 1;
   d.width = 8, d.mix = mix;
   for (int i = 0; i < 240; i++) fit_few_xy[i] = (sneppp_real)(0.5 + 0.45 * sin(1.0 + i * i));
   return d;
}
static sneppp_events fit_few_events(size_t count)
{
   sneppp_events e;
   memset(&e, 0, sizeof e);
   e.x = fit_few_xy, e.count = count;
   return e;
}

static sneppp_fit_desc fit_few_fit(const sneppp_events *e, sneppp_method method)
{
   sneppp_fit_desc f;
   memset(&f, 0, sizeof f);
   f.events = e, f.method = method;
   return f;
}
/* Of one event nothing can be held out, and of none there is nothing to report: NaN for what is not known, 0 nats. */
TEST fit_tunes_to_nothing(void)
{
   sneppp_desc d = fit_few_box(SNEPPP_MIX_PRODUCT);
   for (size_t n = 0; n < 2; n++) {
      sneppp_events   e = fit_few_events(n);
      sneppp_fit_desc f = fit_few_fit(&e, SNEPPP_METHOD_CONVEX);
      sneppp_model    m;
      sneppp_report   r;
      f.tune = 1;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, NULL));
      ASSERT(sneppp__finite(r.nll));
      ASSERT(!sneppp__finite(r.held_out));
      sneppp_free(&m);
   }
   PASS();
}

/* ADAM learns the floor of a separable model; the convex problems by which its waves are tuned are without it. */
TEST fit_tunes_separable_with_floor(void)
{
   sneppp_events   e = fit_few_events(120);
   sneppp_desc     d = fit_few_box(SNEPPP_MIX_SEPARABLE);
   sneppp_fit_desc f = fit_few_fit(&e, SNEPPP_METHOD_ADAM);
   sneppp_model    m;
   sneppp_error    err;
   f.tune = 1, f.floor = 0.1, f.steps = 3;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err), "%d");
   ASSERT(m.floor > 0);
   f.method = SNEPPP_METHOD_CONVEX, f.steps = 0;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, NULL, &err));
   ASSERT(strstr(err.why, "fit.floor must be 0"));
   sneppp_free(&m);
   PASS();
}

/* A trainer that is stepped has neither polish nor patience. */
TEST fit_trainer_refuses_ends(void)
{
   sneppp_events e = fit_few_events(120);
   sneppp_desc   d = fit_few_box(SNEPPP_MIX_PRODUCT);
   sneppp_model  m;
   sneppp_error  err;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   for (int k = 0; k < 2; k++) {
      sneppp_fit_desc f = fit_few_fit(&e, SNEPPP_METHOD_ADAM);
      sneppp_trainer  t;
      if (k) f.holdout = 0.3, f.patience = 3;
      else f.polish = 1;
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_trainer_init(&t, &m, &f, &err));
      ASSERT(strstr(err.why, k ? "fit.patience is for sneppp_fit" : "fit.polish is for sneppp_fit"));
   }
   sneppp_free(&m);
   PASS();
}

/* Weights in another unit change neither what ADAM learns nor what a clip cuts, only how many events there are. */
TEST fit_adam_any_unit_of_weights(void)
{
   static const double unit[] = {1, 1e-12, 1e12, 1e-160, 1e160};
   sneppp_desc         d = fit_few_box(SNEPPP_MIX_PRODUCT);
   double              first = 0;
   for (int k = 0; k < (sizeof(sneppp_real) == 4 ? 3 : 5); k++) {
      sneppp_events   e = fit_few_events(120);
      sneppp_fit_desc f = fit_few_fit(&e, SNEPPP_METHOD_ADAM);
      sneppp_real     w[120], x[2] = {(sneppp_real)0.3, (sneppp_real)0.6};
      sneppp_model    m;
      double          shape;
      for (int i = 0; i < 120; i++) w[i] = (sneppp_real)(unit[k] * (1 + i % 3));
      e.weight = w, f.steps = 40, f.clip = 0.05;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, NULL));
      shape = (double)sneppp_intensity(&m, x) / unit[k];
      if (!k) first = shape;
         ASSERT_IN_RANGE(first, shape, (sizeof(sneppp_real) == 4 ? 1e-2 : 1e-6) * first);
      sneppp_free(&m);
   }
   PASS();
}

/* In windows of sides 1e-20 and 1e30 a float holds no intensity, and says so; a double does. */
TEST fit_intensities_that_floats_cannot_hold(void)
{
   for (double side = 1e-20; side < 1e31; side *= 1e50) {
      const sneppp_real s = (sneppp_real)side, x[4] = {(sneppp_real)0.2 * s, (sneppp_real)0.3 * s, (sneppp_real)0.6 * s, (sneppp_real)0.5 * s};
      sneppp_events     e;
      sneppp_fit_desc   fit;
      sneppp_desc       d;
      sneppp_model      m;
      memset(&e, 0, sizeof e), memset(&fit, 0, sizeof fit), memset(&d, 0, sizeof d);
      d.factor[0].window.dim = 2, d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = side, d.width = 4;
      e.x = x, e.count = 2, fit.events = &e, fit.method = SNEPPP_METHOD_CONVEX;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      ASSERT_EQ(sizeof(sneppp_real) == 4 ? SNEPPP_ERR_RANGE : SNEPPP_OK, sneppp_fit(&m, &fit, NULL, NULL));
      if (sizeof(sneppp_real) == 8) ASSERT(sneppp_intensity(&m, x) > 0 && sneppp__finite((double)sneppp_intensity(&m, x)));
      sneppp_free(&m);
   }
   PASS();
}

SUITE(fit)
{
   RUN_TEST(fit_warms_up);
   RUN_TEST(fit_starts_with_all_events);
   RUN_TEST(fit_settings_have_ranges);
   RUN_TEST(fit_derivatives_by_theta);
   RUN_TEST(fit_begins_with_its_events);
   RUN_TEST(fit_keeps_the_best);
   RUN_TEST(fit_defaults);
   RUN_TEST(fit_ends_in_range);
   RUN_TEST(fit_refuses_in_words);
   RUN_TEST(fit_steps_leave_no_old_tree);
   RUN_TEST(fit_undoes_steps_out_of_range);
   RUN_TEST(fit_poisson_intervals);
   RUN_TEST(fit_judging);
   RUN_TEST(fit_adam_learns);
   RUN_TEST(fit_adam_scales_long_steps);
   RUN_TEST(fit_adam_variants);
   RUN_TEST(fit_early_stopping_and_cancel);
   RUN_TEST(fit_same_bits_for_all_threads);
   RUN_TEST(fit_refuses);
   RUN_TEST(fit_survives_failing_memory);
   RUN_TEST(fit_adam_goes_on_with_a_floor);
   RUN_TEST(fit_frozen_keeps_its_bits);
   RUN_TEST(fit_tree_needs_a_floor);
   RUN_TEST(fit_floor_share_of_realisations);
   RUN_TEST(fit_failed_changes_nothing);
   RUN_TEST(fit_polish_keeps_the_floor);
   RUN_TEST(fit_judging_weights);
   RUN_TEST(fit_adam_refuses_zeros);
   RUN_TEST(fit_refuses_settings_not_used);
   RUN_TEST(fit_tunes_a_penalty);
   RUN_TEST_LONG(fit_tunes_to_few_events);
   RUN_TEST(fit_tunes_frequencies);
   RUN_TEST(fit_steps_stay_in_the_domain);
   RUN_TEST(fit_rate_beyond_the_last_step);
   RUN_TEST(fit_judging_needs_a_place);
   RUN_TEST(fit_tunes_to_nothing);
   RUN_TEST(fit_tunes_separable_with_floor);
   RUN_TEST(fit_trainer_refuses_ends);
   RUN_TEST(fit_adam_any_unit_of_weights);
   RUN_TEST(fit_intensities_that_floats_cannot_hold);
}
