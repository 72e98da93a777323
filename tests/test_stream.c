/* AUTO with more events than it keeps: every event counts, whatever the order of the work, and memory does not grow. */
enum { stream_most = 3 * SNEPPP__CENTRES / 2 };
static sneppp_real stream_x[stream_most];

/* Half of the events is uniform on [0, 10], half lies around 3 with standard deviation 0.1. */
static double stream_density(double x)
{
   double z = (x - 3) / 0.1;
   return 0.05 + 0.5 * exp(-0.5 * z * z) / (0.1 * sqrt(2 * SNEPPP__PI));
}

static void stream_fill(uint64_t seed)
{
   sneppp_rng rng;
   sneppp_rng_init(&rng, seed, 0);
   for (size_t i = 0; i < stream_most; i++)
      stream_x[i] = (sneppp_real)(sneppp_rng_uniform(&rng) < 0.5 ? 10 * sneppp_rng_uniform(&rng)
                                                                  : 3 + 0.1 * sneppp_rng_normal(&rng));
}

static size_t stream_read(sneppp_real *dst, size_t first, size_t count, void *user)
{
   const sneppp_real *x = (const sneppp_real *)user;
   memcpy(dst, x + first, count * sizeof *dst);
   return count;
}

static void stream_backwards(void (*job)(size_t index, void *arg), void *arg, size_t count, void *user)
{
   (void)user;
   while (count-- > 0) job(count, arg);
}

static sneppp_status stream_fit(sneppp_model *m, const sneppp_events *e, int backwards, sneppp_report *r, sneppp_error *err)
{
   sneppp_desc     desc;
   sneppp_fit_desc fit;
   sneppp_status   st;
   memset(&desc, 0, sizeof desc);
   memset(&fit, 0, sizeof fit);
   desc.factor[0].window.dim = 1, desc.factor[0].window.hi[0] = 10;
   fit.events = e;
   if (backwards) fit.parallel.run = stream_backwards;
   st = sneppp_init(m, &desc, err);
   if (st != SNEPPP_OK) return st;
   return sneppp_fit(m, &fit, r, err);
}

/* Mean of log(lambda / truth) at fresh events: 0 for the truth, less for anything else. */
static double stream_score(const sneppp_model *m, double N)
{
   sneppp_rng rng;
   double     sum = 0;
   sneppp_rng_init(&rng, 99, 0);
   for (int i = 0; i < 4000; i++) {
      sneppp_real x = (sneppp_real)(i % 2 ? 10 * sneppp_rng_uniform(&rng) : 3 + 0.1 * sneppp_rng_normal(&rng));
      sum += log((double)sneppp_intensity(m, &x) / (N * stream_density((double)x))) / 4000;
   }
   return sum;
}

TEST stream_every_event_counts(void)
{
   sneppp_model  m, again;
   sneppp_report r, s;
   sneppp_error  err;
   sneppp_events e, source;
   double        total = 0;
   stream_fill(1);
   memset(&e, 0, sizeof e);
   source = e;
   e.x = stream_x, e.count = stream_most;
   source.read = stream_read, source.user = stream_x, source.count = stream_most;
   ASSERT_EQ(SNEPPP_OK, stream_fit(&m, &e, 0, &r, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
   ASSERT_IN_RANGE((double)stream_most, total, sizeof(sneppp_real) == 4 ? 0.3 : 1e-6);
   ASSERT(r.gap >= 0 && r.gap <= 1e-4 + 0.0006); /* the mixture, and what fewer features may cost */
   ASSERT_IN_RANGE(0, stream_score(&m, stream_most), 0.01); /* so many events know some ten numbers well */
   ASSERT_EQ(SNEPPP_OK, stream_fit(&again, &source, 1, &s, &err));
   ASSERT_EQ(m.n, again.n);
   ASSERT_MEM_EQ(m.readout[0].V, again.readout[0].V, (size_t)m.n * sizeof(sneppp_real));
   ASSERT_MEM_EQ(m.layer[0].W, again.layer[0].W, (size_t)m.n * sizeof(sneppp_real));
   ASSERT(m.alpha == again.alpha && m.floor == again.floor && r.nll == s.nll);
   sneppp_free(&m);
   sneppp_free(&again);
   PASS();
}

/* Weights count as that many events. */
TEST stream_weights(void)
{
   static sneppp_real weight[stream_most];
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   sneppp_events e;
   sneppp_region part;
   sneppp_window w;
   double        left = 0, right = 0;
   stream_fill(2);
   memset(&e, 0, sizeof e);
   e.x = stream_x, e.count = stream_most, e.weight = weight;
   for (size_t i = 0; i < stream_most; i++) weight[i] = stream_x[i] < 5 ? (sneppp_real)2 : (sneppp_real)0.5;
   ASSERT_EQ(SNEPPP_OK, stream_fit(&m, &e, 0, &r, &err));
   memset(&part, 0, sizeof part);
   memset(&w, 0, sizeof w);
   part.factor[0] = &w;
   w.dim = 1, w.lo[0] = 2, w.hi[0] = 4;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &part, 1, &left, NULL, &err));
   w.lo[0] = 6, w.hi[0] = 9;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &part, 1, &right, NULL, &err));
   ASSERT_IN_RANGE(2 * 0.6 * stream_most, left, 0.03 * stream_most);
   ASSERT_IN_RANGE(0.5 * 0.15 * stream_most, right, 0.01 * stream_most);
   sneppp_free(&m);
   PASS();
}

/* An event outside of the window is found although it would not be kept; a short source is an error. */
static size_t stream_short(sneppp_real *dst, size_t first, size_t count, void *user)
{
   (void)user;
   memset(dst, 0, count * sizeof *dst);
   return first > stream_most / 2 ? 0 : count;
}

TEST stream_bad_events(void)
{
   sneppp_model  m;
   sneppp_error  err;
   sneppp_events e;
   stream_fill(3);
   stream_x[stream_most - 678] = 11;
   memset(&e, 0, sizeof e);
   e.x = stream_x, e.count = stream_most;
   ASSERT_EQ(SNEPPP_ERR_DATA, stream_fit(&m, &e, 0, NULL, &err));
   ASSERT_EQ((size_t)stream_most - 678, err.event);
   sneppp_free(&m);
   memset(&e, 0, sizeof e);
   e.read = stream_short, e.count = stream_most;
   ASSERT_EQ(SNEPPP_ERR_SOURCE, stream_fit(&m, &e, 0, NULL, &err));
   sneppp_free(&m);
   PASS();
}

/* A source that loses its events after some reads, while all of them are summed: refused, and the model stays. */
typedef struct stream_lost { size_t reads, most; } stream_lost;
static size_t stream_loses(sneppp_real *dst, size_t first, size_t count, void *user)
{
   stream_lost *s = (stream_lost *)user;
   if (s->most && ++s->reads > s->most) return count / 2;
   return stream_read(dst, first, count, stream_x);
}

TEST stream_lost_source(void)
{
   const size_t    chunks = (stream_most + SNEPPP__CHUNK - 1) / SNEPPP__CHUNK;
   stream_lost     lost;
   sneppp_model    m;
   sneppp_error    err;
   sneppp_events   e;
   sneppp_desc     desc;
   sneppp_fit_desc fit;
   sneppp_real     x = 3;
   double          before;
   stream_fill(4);
   memset(&e, 0, sizeof e), memset(&desc, 0, sizeof desc), memset(&fit, 0, sizeof fit);
   lost.reads = 0, lost.most = chunks + 10; /* once to check them, then to sum them */
   e.read = stream_loses, e.user = &lost, e.count = stream_most;
   desc.factor[0].window.dim = 1, desc.factor[0].window.hi[0] = 10, fit.events = &e;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, &err));
   before = (double)sneppp_intensity(&m, &x);
   ASSERT_EQ(SNEPPP_ERR_SOURCE, sneppp_fit(&m, &fit, NULL, &err));
   ASSERT(strstr(err.why, "but 128 were asked for"));
   ASSERT_EQ(before, (double)sneppp_intensity(&m, &x));
   sneppp_free(&m);
   PASS();
}

SUITE(stream)
{
   RUN_TEST(stream_lost_source);
   RUN_TEST(stream_every_event_counts);
   RUN_TEST(stream_weights);
   RUN_TEST(stream_bad_events);
}
