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
   ASSERT_EQ(SNEPPP_STEP_LIMIT, r.ending);
   ASSERT_EQ((size_t)600, r.events);
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
         d.factor[0].window.space = SNEPPP_GAUSS;
         d.factor[0].window.count = 2;
         d.factor[0].window.mean = mean;
         d.factor[0].window.scale = scale;
      }
      if (variant == 1) f.batch = 100, f.decay = SNEPPP_NONE;
      if (variant == 2) f.floor = 0.2;
      if (variant == 3) d.factor[0].unit.act = SNEPPP_RBF, d.readout = SNEPPP_READOUT_DIAGONAL, f.rate = 0.05;
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
   ASSERT_EQ(SNEPPP_CONVERGED, r.ending); /* 40 cosines overfit 56 events long before 400 steps */
   ASSERT(r.step < 400);
   ASSERT(sneppp__finite(r.held_out));
   f.holdout = 0;
   f.progress = fit_stop;
   f.user = &at;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   ASSERT_EQ(SNEPPP_ASKED_TO_STOP, r.ending);
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
      if (st == SNEPPP_OK) st = sneppp_count(&m, NULL, &count, &err);
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
   double          nll, mc, want = 0, total;
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
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, &total, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_test_nll(&m, &e, 1, 0.25, &nll, NULL, &err));
   for (size_t i = 0; i < 200; i++) want -= log(0.25) + sneppp_log_intensity(&m, fit_xy + 2 * i);
   want = (want + 0.25 * total + sneppp__lgamma(201)) / 200;
   ASSERT_IN_RANGE(want, nll, sizeof(sneppp_real) == 4 ? 1e-5 : 1e-12);
   ASSERT_EQ(SNEPPP_OK, sneppp_test_nll_monte_carlo(&m, &e, 0.25, 40000, 3, &mc, &err));
   ASSERT_IN_RANGE(nll, mc, 0.02);
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

SUITE(fit)
{
   RUN_TEST(fit_poisson_intervals);
   RUN_TEST(fit_judging);
   RUN_TEST(fit_adam_learns);
   RUN_TEST(fit_adam_variants);
   RUN_TEST(fit_early_stopping_and_cancel);
   RUN_TEST(fit_same_bits_for_all_threads);
   RUN_TEST(fit_refuses);
   RUN_TEST(fit_survives_failing_memory);
}
