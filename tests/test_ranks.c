/* Fits on several ranks, which are threads here: the same bits for any number of them, and no one waits for a rank that
   has failed. Ranks add in orders of their own, other ones in every call: sums must not depend on it. */
#define RANKS_MOST 5
typedef struct ranks_comm {
   pthread_mutex_t lock;
   pthread_cond_t  turn;
   size_t          ranks, arrived, left, round, calls, sizes[4096];
   double         *x[RANKS_MOST];
   size_t          count[RANKS_MOST];
   int             broken; /* sizes that differ, or somebody has gone while others wait */
   size_t          fail_at;
} ranks_comm;

typedef struct ranks_seat { ranks_comm *comm; size_t rank; } ranks_seat;

/* All or nobody; 0 if somebody has left. */
static int ranks_meet(ranks_comm *c)
{
   size_t round;
   pthread_mutex_lock(&c->lock);
   round = c->round;
   if (++c->arrived + c->left == c->ranks) {
      if (c->left) c->broken = 1;
      c->arrived = 0, c->round++;
      pthread_cond_broadcast(&c->turn);
   }
   while (c->round == round) pthread_cond_wait(&c->turn, &c->lock);
   round = c->broken ? 0 : 1;
   pthread_mutex_unlock(&c->lock);
   return (int)round;
}

static void ranks_leave(ranks_comm *c)
{
   pthread_mutex_lock(&c->lock);
   c->left++;
   if (c->arrived && c->arrived + c->left == c->ranks) {
      c->broken = 1, c->arrived = 0, c->round++;
      pthread_cond_broadcast(&c->turn);
   }
   pthread_mutex_unlock(&c->lock);
}

static int ranks_reduce(double *x, size_t count, void *user)
{
   const ranks_seat *seat = (const ranks_seat *)user;
   ranks_comm       *c = seat->comm;
   double           *sum = (double *)calloc(count + 1, sizeof *sum);
   c->x[seat->rank] = x, c->count[seat->rank] = count;
   if (!ranks_meet(c)) { free(sum); return 1; }
   for (size_t k = 0; k < c->ranks; k++) {
      size_t r = (k + seat->rank + c->calls) % c->ranks;
      if (c->count[r] != count) c->broken = 1;
      else for (size_t i = 0; i < count; i++) sum[i] += c->x[r][i];
   }
   if (!ranks_meet(c)) { free(sum); return 1; }
   memcpy(x, sum, count * sizeof *x);
   if (!seat->rank) {
      if (c->calls < 4096) c->sizes[c->calls] = count;
      c->calls++;
   }
   free(sum);
   ranks_meet(c);
   return c->fail_at && c->calls >= c->fail_at;
}

/* ---- one fit on P ranks. The model is made in every rank; events are cut unevenly. */
typedef struct ranks_job {
   sneppp_desc     desc;
   sneppp_fit_desc fit;       /* events: all                                             */
   sneppp_events   events;
   size_t          P, empty;  /* ranks; 1 + the rank that has no events                  */
   size_t          bad_rank, alloc_at, trainer_steps, save_at, fail_at, P_wrong;
   int             slow, threads, seed_differs; /* slow: only P = 1, and 4 with an empty rank */
   sneppp_real    *poison;    /* what rank bad_rank has for its events                   */
   void          (*change)(sneppp_model *model, sneppp_desc *desc); /* in rank bad_rank: of the description, model NULL; then of the model */
   size_t          lost;      /* a source that loses its events after so many reads      */
   const unsigned char *resume;
   size_t          resume_bytes, resume_bad; /* 1 + the rank whose checkpoint is damaged      */
} ranks_job;

typedef struct ranks_one {
   const ranks_job *job;
   ranks_seat       seat;
   sneppp_events    events;
   sneppp_report    report;
   sneppp_error     err;
   sneppp_status    st;
   test_alloc       alloc;
   unsigned char   *bytes, *checkpoint;
   size_t           size, checkpoint_size, reads, first;
   unsigned long    before, after; /* sums of the model's bytes */
} ranks_one;

static size_t ranks_read(sneppp_real *dst, size_t first, size_t count, void *user)
{
   ranks_one *o = (ranks_one *)user;
   size_t     D = 2;
   if (o->job->lost && o->seat.rank == o->job->bad_rank && ++o->reads > o->job->lost) return count / 2;
   memcpy(dst, o->job->events.x + (o->first + first) * D, count * D * sizeof *dst);
   return count;
}

static unsigned long ranks_sum(const unsigned char *p, size_t n)
{
   unsigned long h = 5381;
   for (size_t i = 0; i < n; i++) h = h * 33 + p[i];
   return h;
}

static void *ranks_run(void *arg)
{
   ranks_one       *o = (ranks_one *)arg;
   const ranks_job *job = o->job;
   sneppp_desc      desc = job->desc;
   sneppp_fit_desc  fit = job->fit;
   sneppp_model     model;
   sneppp_pool     *pool = job->threads ? sneppp_pool_make(job->threads, NULL) : NULL;
   desc.alloc_ctx = &o->alloc;
   fit.events = &o->events, fit.reduce = ranks_reduce, fit.reduce_user = &o->seat, fit.rank = o->seat.rank;
   fit.ranks = job->P_wrong ? job->P_wrong : job->P;
   if (job->seed_differs && o->seat.rank == job->bad_rank) fit.seed = 77;
   if (pool) fit.parallel = sneppp_pool_parallel(pool);
   if (job->change && o->seat.rank == job->bad_rank) job->change(NULL, &desc);
   o->st = sneppp_init(&model, &desc, &o->err);
   if (o->st == SNEPPP_OK && job->change && o->seat.rank == job->bad_rank) job->change(&model, &desc);
   if (o->st != SNEPPP_OK) { ranks_leave(o->seat.comm); return NULL; }
   o->size = sneppp_save(&model, NULL, 0);
   o->bytes = (unsigned char *)calloc(1, o->size);
   sneppp_save(&model, o->bytes, o->size);
   o->before = ranks_sum(o->bytes, o->size);
   if (job->alloc_at && o->seat.rank == job->bad_rank) o->alloc.fail_at = o->alloc.calls + job->alloc_at;
   if (!job->trainer_steps) o->st = sneppp_fit(&model, &fit, &o->report, &o->err);
   else {
      sneppp_trainer t;
      o->st = sneppp_trainer_init(&t, &model, &fit, &o->err);
      if (o->st == SNEPPP_OK && job->resume) {
         unsigned char *copy = (unsigned char *)malloc(job->resume_bytes);
         memcpy(copy, job->resume, job->resume_bytes);
         if (job->resume_bad == o->seat.rank + 1) copy[40] ^= 1;
         o->st = sneppp_trainer_load(&t, copy, job->resume_bytes, &o->err);
         free(copy);
      }
      while (o->st == SNEPPP_OK && t.report.step < job->trainer_steps) {
         o->st = sneppp_trainer_step(&t, &o->err);
         if (o->st == SNEPPP_OK && t.report.step == job->save_at) {
            o->checkpoint_size = sneppp_trainer_save(&t, NULL, 0);
            o->checkpoint = (unsigned char *)malloc(o->checkpoint_size);
            sneppp_trainer_save(&t, o->checkpoint, o->checkpoint_size);
         }
      }
      if (t.block) o->report = t.report;
      sneppp_trainer_free(&t);
   }
   ranks_leave(o->seat.comm);
   free(o->bytes);
   o->size = sneppp_save(&model, NULL, 0);
   o->bytes = (unsigned char *)calloc(1, o->size);
   sneppp_save(&model, o->bytes, o->size);
   o->after = ranks_sum(o->bytes, o->size);
   sneppp_free(&model);
   sneppp_pool_free(pool);
   return NULL;
}

/* Runs it; the results are in `one`, which ranks_done frees. 1 if the ranks kept in step. */
static int ranks_go(const ranks_job *job, ranks_one *one, ranks_comm *c)
{
   pthread_t thread[RANKS_MOST];
   size_t    at = 0, N = job->events.count, weight = 0, seen = 0;
   memset(c, 0, sizeof *c);
   memset(one, 0, RANKS_MOST * sizeof *one);
   c->ranks = job->P, c->fail_at = job->fail_at;
   pthread_mutex_init(&c->lock, NULL);
   pthread_cond_init(&c->turn, NULL);
   for (size_t r = 0; r < job->P; r++) if (job->empty != r + 1) weight += r % 2 ? 3 : 2;
   for (size_t r = 0; r < job->P; r++) {
      size_t end;
      if (job->empty != r + 1) seen += r % 2 ? 3 : 2;
      end = seen == weight ? N : N * seen / weight;
      one[r].job = job, one[r].seat.comm = c, one[r].seat.rank = r, one[r].first = at;
      one[r].events = job->events, one[r].events.count = end - at;
      if (job->events.x) one[r].events.x = job->events.x + at * (job->events.stride ? job->events.stride : 2);
      if (job->events.weight) one[r].events.weight = job->events.weight + at;
      if (job->events.read) one[r].events.x = NULL, one[r].events.read = ranks_read, one[r].events.user = &one[r];
      if (job->poison && r == job->bad_rank) one[r].events.x = job->poison;
      if (job->empty == r + 1) one[r].events.x = NULL;
      at = end;
   }
   for (size_t r = 0; r < job->P; r++) if (pthread_create(&thread[r], NULL, ranks_run, &one[r])) return 0;
   for (size_t r = 0; r < job->P; r++) pthread_join(thread[r], NULL);
   pthread_mutex_destroy(&c->lock);
   pthread_cond_destroy(&c->turn);
   return !c->broken;
}

static void ranks_done(ranks_one *one)
{
   for (size_t r = 0; r < RANKS_MOST; r++) free(one[r].bytes), free(one[r].checkpoint);
}

enum { ranks_most = 9 * SNEPPP__CENTRES / 8 + SNEPPP__QUERIES };
static sneppp_real ranks_xy[2 * ranks_most], ranks_weight[ranks_most];

/* A cluster on a slope, in [0, 10] x [0, 5]. */
static ranks_job ranks_job_of(sneppp_method method, size_t count)
{
   ranks_job  job;
   sneppp_rng rng;
   memset(&job, 0, sizeof job);
   sneppp_rng_init(&rng, 11, 0);
   for (size_t i = 0; i < count; i++) {
      double x = 10 * sqrt(sneppp_rng_uniform(&rng)), y = 5 * sneppp_rng_uniform(&rng);
      if (i % 3 == 0) x = 3 + 0.7 * sneppp_rng_uniform(&rng), y = 2 + 0.4 * sneppp_rng_uniform(&rng);
      ranks_xy[2 * i] = (sneppp_real)x, ranks_xy[2 * i + 1] = (sneppp_real)y;
      ranks_weight[i] = (sneppp_real)(0.5 + sneppp_rng_uniform(&rng));
   }
   job.desc.factor[0].window.dim = 2, job.desc.factor[0].window.hi[0] = 10, job.desc.factor[0].window.hi[1] = 5;
   job.desc.width = method == SNEPPP_METHOD_AUTO ? 0 : 12;
   job.events.x = ranks_xy, job.events.count = count;
   job.fit.method = method;
   return job;
}

static int ranks_equal(const double a, const double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* P = 1 .. 4, cut in other places, one rank empty: all ranks of all of them end with the same bytes. */
TEST ranks_same_bits(ranks_job job, double *nll)
{
   ranks_one    one[RANKS_MOST], first[RANKS_MOST];
   ranks_comm   comm;
      memset(first, 0, sizeof first);
   for (size_t k = 0; k < 5; k += job.slow ? 4 : 1) {
      job.P = k < 4 ? k + 1 : 4, job.empty = k < 4 ? 0 : 2;
      ASSERT(ranks_go(&job, one, &comm));
      for (size_t r = 0; r < job.P; r++) {
         if (one[r].st != SNEPPP_OK) FAILm(one[r].err.why);
         ASSERT_EQ(0, one[r].alloc.live);
         if (!k) continue;
         ASSERT_EQ(first[0].size, one[r].size);
         ASSERT(!memcmp(first[0].bytes, one[r].bytes, one[r].size));
         ASSERT(ranks_equal(first[0].report.nll, one[r].report.nll));
         ASSERT(ranks_equal(first[0].report.expected, one[r].report.expected));
         ASSERT_EQ(first[0].report.step, one[r].report.step);
         ASSERT_EQ(job.events.count, one[r].report.events);
         if (job.fit.method == SNEPPP_METHOD_CONVEX) ASSERT(ranks_equal(first[0].report.gap, one[r].report.gap));
      }
      if (!k) memcpy(first, one, sizeof one);
      else ranks_done(one);
   }
   *nll = first[0].report.nll;
   ranks_done(first);
   PASS();
}

/* One process with all events and no hook: the same but for rounding, which steps of ADAM make larger. */
TEST ranks_like_one(ranks_job job, double nll, double tol)
{
   sneppp_model  model;
   sneppp_report r;
   sneppp_error  err;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&model, &job.desc, &err));
   job.fit.events = &job.events;
   if (job.events.read) job.events.read = NULL;
   if (sneppp_fit(&model, &job.fit, &r, &err)) FAILm(err.why);
   ASSERT_IN_RANGE(r.nll, nll, tol * (sizeof(sneppp_real) == 4 ? 1e5 : 1));
   sneppp_free(&model);
   PASS();
}

#define RANKS_CHECK(job, tol) do { double nll = 0; CHECK_CALL(ranks_same_bits(job, &nll)); \
      CHECK_CALL(ranks_like_one(job, nll, tol)); } while (0)

TEST ranks_adam(void)
{
   ranks_job job = ranks_job_of(SNEPPP_METHOD_ADAM, 1500);
   job.fit.steps = 12;
   RANKS_CHECK(job, 1e-9);
   job.desc.width = 32; /* active sets, by blocks */
   job.desc.factor[0].unit.act = SNEPPP_ACT_RELU;
   job.fit.floor = 0.1;
   RANKS_CHECK(job, 1e-9);
   job.events.weight = ranks_weight;
   job.desc.rank = 3; /* through V */
   RANKS_CHECK(job, 1e-9);
   job.desc.readout = SNEPPP_READOUT_DIAGONAL, job.desc.rank = 0;
   job.threads = 2;
   RANKS_CHECK(job, 1e-9);
   PASS();
}

TEST ranks_batches(void)
{
   ranks_job job = ranks_job_of(SNEPPP_METHOD_ADAM, 1500);
   job.fit.steps = 12, job.fit.batch = 400;
   RANKS_CHECK(job, 1e-9);
   job.fit.holdout = 0.2, job.fit.patience = 3;
   RANKS_CHECK(job, 1e-9);
   job.fit.batch = 0; /* all that are not held out */
   job.events.read = ranks_read;
   RANKS_CHECK(job, 1e-9);
   PASS();
}

TEST ranks_convex(void)
{
   ranks_job job = ranks_job_of(SNEPPP_METHOD_CONVEX, 1300);
   RANKS_CHECK(job, 1e-7);
   job.events.weight = ranks_weight, job.fit.floor = 0.1, job.fit.eps2 = 1e-4;
   RANKS_CHECK(job, 1e-7);
   job.events.read = ranks_read, job.events.weight = NULL;
   RANKS_CHECK(job, 1e-7);
   job.fit.method = SNEPPP_METHOD_PGD, job.fit.steps = 15, job.fit.eps2 = 0, job.events.read = NULL;
   RANKS_CHECK(job, 1e-9);
   job.fit = ranks_job_of(SNEPPP_METHOD_ADAM, 1300).fit, job.fit.steps = 4, job.fit.polish = 1;
   RANKS_CHECK(job, 1e-6);
   PASS();
}

TEST ranks_separable(void)
{
   ranks_job job = ranks_job_of(SNEPPP_METHOD_CONVEX, 900);
   for (int f = 0; f < 2; f++) {
      job.desc.factor[f].window.dim = 1;
      job.desc.factor[f].window.hi[0] = f ? 5 : 10;
   }
   job.desc.mix = SNEPPP_MIX_SEPARABLE;
   RANKS_CHECK(job, 1e-4); /* the gap at which both stop, which may be after other steps */
   PASS();
}

TEST ranks_auto(void)
{
   ranks_job     job = ranks_job_of(SNEPPP_METHOD_AUTO, 100);
   sneppp_model  model;
   ranks_one     one[RANKS_MOST];
   ranks_comm    comm;
   unsigned char *bytes;
   RANKS_CHECK(job, 1e-12);
   job.P = 3; /* so few events are on every rank, and all is as without a hook, to the bit */
   ASSERT(ranks_go(&job, one, &comm));
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&model, &job.desc, NULL));
   job.fit.events = &job.events;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&model, &job.fit, NULL, NULL));
   ASSERT_EQ(one[0].size, sneppp_save(&model, NULL, 0));
   bytes = (unsigned char *)malloc(one[0].size);
   sneppp_save(&model, bytes, one[0].size);
   ASSERT(!memcmp(one[0].bytes, bytes, one[0].size));
   free(bytes);
   sneppp_free(&model);
   ranks_done(one);
   PASS();
}

TEST ranks_sample_for_auto(void) /* more events than it keeps: a sample of all ranks, and a pass */
{
   ranks_job job = ranks_job_of(SNEPPP_METHOD_AUTO, ranks_most);
   job.desc.factor[0].window.dim = 1, job.events.stride = 2;
   job.slow = 1, job.events.weight = ranks_weight;
   RANKS_CHECK(job, 1e-9);
   PASS();
}

/* Plane waves on a line; and a layer so wide that its Gram matrix is divided. */
TEST ranks_wide(void)
{
   ranks_job job = ranks_job_of(SNEPPP_METHOD_ADAM, 3000);
   job.desc.factor[0].window.dim = 1, job.events.stride = 2;
   job.desc.factor[0].unit.act = SNEPPP_ACT_COS, job.desc.width = 40;
   job.fit.steps = 3;
   RANKS_CHECK(job, 1e-9);
   job = ranks_job_of(SNEPPP_METHOD_ADAM, 300);
   job.desc.width = SNEPPP__DIVIDED + 3, job.desc.rank = 2;
   job.fit.steps = 2;
   RANKS_CHECK(job, 1e-8);
   {
      ranks_job      cells = job; /* a raster, whose lanes are others, is not divided */
      sneppp_window *w = &cells.desc.factor[0].window;
      w->space = SNEPPP_SPACE_RASTER;
      for (int r = 0; r < 2; r++) w->cells[r] = 2, w->cell[r] = w->hi[r] / 2, w->hi[r] = 0;
      RANKS_CHECK(cells, 1e-8);
   }
   job.desc.factor[0].window.dim = job.desc.factor[1].window.dim = 1;
   job.desc.factor[1].window.hi[0] = 5;
   job.fit.method = SNEPPP_METHOD_CONVEX, job.fit.tol = 1e-2, job.desc.rank = 0;
   job.fit.steps = 4;
   RANKS_CHECK(job, 1e-7);
   PASS();
}

/* What a step says: two headers and one sum, of no more than three limbs for the gradient. */
TEST ranks_one_talk_per_step(void)
{
   ranks_job  job = ranks_job_of(SNEPPP_METHOD_ADAM, 1500);
   ranks_one  one[RANKS_MOST];
   ranks_comm comm;
   size_t     large = 0;
   job.fit.steps = 20, job.P = 3;
   ASSERT(ranks_go(&job, one, &comm));
   for (size_t i = 0; i < comm.calls; i++) {
      ASSERT(comm.sizes[i] <= 2048 * 3); /* what is remembered for intervals; parcels across shards */
      large += comm.sizes[i] == 3 * (4 + 12 * 13 / 2 + 12 * 3);
   }
   ASSERT_EQ(20, large);
   ASSERT(comm.calls < 3 * 20 + 30);
   ranks_done(one);
   PASS();
}

/* ---- faults */
static char ranks_words[256];

/* All ranks have failed alike, and the model is as it was; 1 and the words. */
static int ranks_fail(const ranks_job *job, sneppp_status st)
{
   ranks_one  one[RANKS_MOST];
   ranks_comm comm;
   int        good = ranks_go(job, one, &comm);
   for (size_t r = 0; r < job->P; r++) {
      if (one[r].st != st || strcmp(one[r].err.why, one[0].err.why) || one[r].alloc.live || one[r].before != one[r].after) {
         printf("   rank %u: %d, %s\n", (unsigned)r, (int)one[r].st, one[r].err.why);
         good = 0;
      }
      if (one[r].err.event != one[0].err.event) good = 0;
   }
   strcpy(ranks_words, one[0].err.why);
   ranks_done(one);
   return good;
}

TEST ranks_bad_events(void)
{
   static sneppp_real poison[2 * 1300];
   const sneppp_method method[] = { SNEPPP_METHOD_AUTO, SNEPPP_METHOD_CONVEX, SNEPPP_METHOD_PGD, SNEPPP_METHOD_ADAM };
   for (int k = 0; k < 5; k++) {
      ranks_job job = ranks_job_of(method[k % 4], 1300);
      memcpy(poison, ranks_xy, sizeof poison);
      poison[2 * 17] = 11;
      job.P = 3, job.bad_rank = 2, job.poison = poison;
      if (k > 2) job.fit.steps = 3;
      if (k > 3) job.fit.batch = 0, job.fit.holdout = 0.1, job.fit.method = SNEPPP_METHOD_ADAM;
      ASSERT(ranks_fail(&job, SNEPPP_ERR_DATA));
      ASSERT(strstr(ranks_words, "rank 2: event 17 is outside") == ranks_words);
   }
   PASS();
}

TEST ranks_lost_source(void)
{
   const sneppp_method method[] = { SNEPPP_METHOD_AUTO, SNEPPP_METHOD_CONVEX, SNEPPP_METHOD_ADAM };
   for (int k = 0; k < 3; k++)
      for (size_t lost = 1; lost < 100; lost += 7) {
         ranks_job job = ranks_job_of(method[k], k ? 1300 : 300);
         job.P = 3, job.bad_rank = 1, job.lost = lost;
         job.events.read = ranks_read;
         if (k) job.fit.steps = 40;
         if (k == 0 && lost > 40) break; /* it has read all by then */
         ASSERT(ranks_fail(&job, SNEPPP_ERR_SOURCE));
         ASSERT(strstr(ranks_words, "rank 1: the source gave") == ranks_words);
      }
   PASS();
}

/* The k-th allocation of one rank fails, for every k, until there is no such allocation. */
TEST ranks_no_memory(void)
{
   const sneppp_method method[] = { SNEPPP_METHOD_AUTO, SNEPPP_METHOD_CONVEX, SNEPPP_METHOD_ADAM, SNEPPP_METHOD_PGD };
   for (int k = 0; k < 4; k++) {
      ranks_job job = ranks_job_of(method[k], k ? 400 : 60);
      size_t    failed = 0;
      job.P = 3, job.bad_rank = 1;
      if (!k) job.desc.factor[0].window.dim = 1, job.events.stride = 2;
      if (k > 1) job.fit.steps = 3;
      if (k == 2) job.fit.polish = 1;
      for (size_t at = 1; at < 200; at++, failed++) {
         ranks_one  one[RANKS_MOST];
         ranks_comm comm;
         int        good, end;
         job.alloc_at = at;
         good = ranks_go(&job, one, &comm);
         end = one[1].st == SNEPPP_OK;
         for (size_t r = 0; r < job.P; r++) {
            good = good && one[r].st == one[1].st && !one[r].alloc.live && (end || !strcmp(one[r].err.why, one[1].err.why));
            good = good && (end || (one[r].before == one[r].after && strstr(one[r].err.why, "rank 1: ") == one[r].err.why));
         }
         if (!good) printf("   method %d, allocation %u: %s\n", k, (unsigned)at, one[1].err.why);
         ranks_done(one);
         ASSERT(good);
         if (end) break;
      }
      ASSERT(failed >= 3 && failed < 199);
   }
   PASS();
}

static int ranks_twice(double *x, size_t count, void *user) /* two ranks that say the same, as both have the number 0 */
{
   (void)user;
   for (size_t i = 0; i < count; i++) x[i] *= 2;
   return 0;
}

TEST ranks_settings(void)
{
   sneppp_window part;
   sneppp_region region;
   ranks_job     job = ranks_job_of(SNEPPP_METHOD_CONVEX, 400);
   sneppp_model  model;
   sneppp_error  err;
   job.P = 3, job.bad_rank = 2;
   job.seed_differs = 1;
   ASSERT(ranks_fail(&job, SNEPPP_ERR_ARG));
   ASSERT_STR_EQ("rank 2: the model or a setting of the fit is not that of rank 0", ranks_words);
   job.seed_differs = 0, job.P_wrong = 4;
   ASSERT(ranks_fail(&job, SNEPPP_ERR_ARG));
   ASSERT_STR_EQ("rank 0: fit.ranks = 4, but fit.reduce adds over 3 ranks", ranks_words);
   job.P_wrong = 2;
   ASSERT(ranks_fail(&job, SNEPPP_ERR_ARG));
   ASSERT_STR_EQ("rank 2: fit.rank = 2 must be below fit.ranks = 2", ranks_words);
   job.P_wrong = 0, job.fit.tune = 1;
   ASSERT(ranks_fail(&job, SNEPPP_ERR_ARG));
   ASSERT_STR_EQ("rank 0: fit.tune does not work over ranks (fit.reduce)", ranks_words);
   job.fit.tune = 0, job.fit.realisations = 2;
   ASSERT(ranks_fail(&job, SNEPPP_ERR_ARG));
   job.fit.realisations = 0;
   job.fit.trace = -3; /* refused everywhere, by the same sentence */
   ASSERT(ranks_fail(&job, SNEPPP_ERR_ARG));
   job.fit.trace = 0;
   memset(&part, 0, sizeof part);
   memset(&region, 0, sizeof region);
   part.dim = 2, part.hi[0] = part.hi[1] = 1, region.factor[0] = &part;
   job.events.region = &region, job.events.regions = 1, job.events.cells = 1;
   ASSERT(ranks_fail(&job, SNEPPP_ERR_ARG));
   ASSERT_STR_EQ("rank 0: events.region: counts by region are not for ranks (fit.reduce)", ranks_words);
   job = ranks_job_of(SNEPPP_METHOD_CONVEX, 400);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&model, &job.desc, &err));
   job.fit.events = &job.events, job.fit.ranks = 2;
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&model, &job.fit, NULL, &err));
   ASSERT_STR_EQ("fit.rank, ranks or reduce_user is set, but fit.reduce is NULL", err.why);
   job.fit.ranks = 0, job.fit.reduce = ranks_twice; /* the words of two ranks would be added up */
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&model, &job.fit, NULL, &err));
   ASSERT_STR_EQ("fit.rank = 0 is that of 2 ranks, as fit.reduce adds: each needs a number of its own, below fit.ranks", err.why);
   {
      sneppp_trainer trainer;
      memset(&job.fit, 0x55, sizeof job.fit); /* never zeroed: the hook is not called */
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&model, &job.fit, NULL, &err));
      ASSERT(strstr(err.why, "zero the struct first"));
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_trainer_init(&trainer, &model, &job.fit, &err));
      ASSERT(strstr(err.why, "zero the struct first"));
   }
   sneppp_free(&model);
   PASS();
}

/* A hook that fails ends the call, whenever it is. */
TEST ranks_hook_fails(void)
{
   for (size_t at = 1; at < 60; at += 3) {
      ranks_job  job = ranks_job_of(SNEPPP_METHOD_ADAM, 400);
      ranks_one  one[RANKS_MOST];
      ranks_comm comm;
      job.P = 2, job.fail_at = at, job.fit.steps = 30;
      ASSERT(ranks_go(&job, one, &comm));
      for (size_t r = 0; r < 2; r++) {
         ASSERT_EQ(SNEPPP_ERR_SOURCE, one[r].st);
         ASSERT(strstr(one[r].err.why, "fit.reduce failed"));
         ASSERT_EQ(0, one[r].alloc.live);
         ASSERT_EQ(one[r].before, one[r].after);
      }
      ranks_done(one);
   }
   PASS();
}

/* No events anywhere: CONVEX and AUTO know the answer, ADAM refuses. */
TEST ranks_no_events(void)
{
   ranks_job  job = ranks_job_of(SNEPPP_METHOD_CONVEX, 0);
   ranks_one  one[RANKS_MOST];
   ranks_comm comm;
   job.P = 2;
   for (int k = 0; k < 2; k++) {
      job.fit.method = k ? SNEPPP_METHOD_AUTO : SNEPPP_METHOD_CONVEX;
      ASSERT(ranks_go(&job, one, &comm));
      for (size_t r = 0; r < 2; r++) ASSERT_EQ(SNEPPP_OK, one[r].st);
      ranks_done(one);
   }
   job.fit.method = SNEPPP_METHOD_ADAM;
   ASSERT(ranks_fail(&job, SNEPPP_ERR_DATA));
   ASSERT_STR_EQ("rank 0: there are no events to learn from", ranks_words);
   PASS();
}

/* Rank 1 alone asks to stop. */
static int ranks_stop(const sneppp_report *now, const sneppp_model *model, void *user)
{
   (void)model, (void)user;
   return now->step >= 5;
}

TEST ranks_stop_together(void)
{
   ranks_job  job = ranks_job_of(SNEPPP_METHOD_ADAM, 400);
   ranks_one  one[RANKS_MOST];
   ranks_comm comm;
   job.P = 2, job.fit.steps = 30, job.fit.progress = ranks_stop;
   ASSERT(ranks_go(&job, one, &comm));
   for (size_t r = 0; r < 2; r++) {
      ASSERT_EQ(SNEPPP_OK, one[r].st);
      ASSERT_EQ(SNEPPP_ENDING_ASKED_TO_STOP, one[r].report.ending);
      ASSERT_EQ(5, one[r].report.step);
   }
   ranks_done(one);
   PASS();
}

/* A checkpoint of three ranks goes on with four, to the bits of two that never stopped. */
TEST ranks_checkpoint(void)
{
   ranks_job  job = ranks_job_of(SNEPPP_METHOD_ADAM, 1300);
   ranks_one  whole[RANKS_MOST], part[RANKS_MOST], rest[RANKS_MOST];
   ranks_comm comm;
   job.fit.steps = 20, job.fit.batch = 300, job.trainer_steps = 20;
   job.P = 2;
   ASSERT(ranks_go(&job, whole, &comm));
   job.P = 3, job.trainer_steps = 8, job.save_at = 8;
   ASSERT(ranks_go(&job, part, &comm));
   ASSERT_EQ(part[0].checkpoint_size, part[2].checkpoint_size);
   ASSERT(!memcmp(part[0].checkpoint, part[2].checkpoint, part[0].checkpoint_size));
   job.P = 4, job.trainer_steps = 20, job.save_at = 0;
   job.resume = part[1].checkpoint, job.resume_bytes = part[1].checkpoint_size;
   ASSERT(ranks_go(&job, rest, &comm));
   for (size_t r = 0; r < 4; r++) {
      ASSERT_EQ(SNEPPP_OK, rest[r].st);
      ASSERT_EQ(whole[0].size, rest[r].size);
      ASSERT(!memcmp(whole[0].bytes, rest[r].bytes, rest[r].size));
   }
   ranks_done(rest);
   job.resume_bad = 3; /* one rank reads a damaged copy */
   ASSERT(ranks_go(&job, rest, &comm));
   for (size_t r = 0; r < 4; r++) {
      ASSERT_EQ(SNEPPP_ERR_FORMAT, rest[r].st);
      ASSERT_STR_EQ("rank 2: the checksum is wrong: the checkpoint is damaged", rest[r].err.why);
      ASSERT(!memcmp(rest[2].bytes, rest[r].bytes, rest[r].size)); /* nobody has loaded */
   }
   ranks_done(rest), ranks_done(part), ranks_done(whole);
   PASS();
}

/* ---- the exact sums by themselves: any order, any division, magnitudes from 1e-280 to 1e280, against long sums whose
   parts cancel. */
static int ranks_alone(double *x, size_t count, void *user) { return (void)x, (void)count, (void)user, 0; }

TEST ranks_sums_are_exact(void)
{
   enum { N = 4000, W = 5 };
   static double x[N * W], sum[W], before[W];
   sneppp_rng    rng;
   sneppp_rng_init(&rng, 3, 0);
   for (int scale = -280; scale <= 280; scale += 70) {
      for (int turn = 0; turn < 4; turn++) {
         sneppp__team t;
         sneppp__span span[SNEPPP__SEGMENTS];
         memset(&t, 0, sizeof t);
         memset(span, 0, sizeof span);
         t.reduce = ranks_alone, t.ranks = 1;
         for (size_t i = 0; i < N && !turn; i++)
            for (size_t j = 0; j < W; j++)
               x[i * W + j] = i % 2 ? -x[(i - 1) * W + j] : ldexp(sneppp_rng_normal(&rng), scale + (int)(i % 40));
         for (size_t j = 0; j < W && !turn; j++) x[(size_t)(N - 1) * W + j] = ldexp(3, scale); /* what is left */
         for (size_t j = 0; j < W && !turn; j++) x[(size_t)(N - 2) * W + j] = 0;
         span[turn % 3].x = sum, span[turn % 3].count = W;
         ASSERT_EQ(SNEPPP_OK, sneppp__sum_begin(&t, span, N, NULL));
         for (size_t k = 0; k < N; k++) {
            size_t i = turn == 0 ? k : turn == 1 ? N - 1 - k : (size_t)sneppp_rng_permute(k, N, (uint64_t)turn);
            memcpy(sum, x + i * W, sizeof sum);
            sneppp__sum_add(&t);
         }
         ASSERT_EQ(SNEPPP_OK, sneppp__sum_end(&t, SNEPPP_OK, NULL));
         for (size_t j = 0; j < W; j++) {
            ASSERT_IN_RANGE(3, sum[j] / ldexp(1, scale), 1e-6); /* of 1e12 */
            if (turn) ASSERT(ranks_equal(before[j], sum[j]));
            before[j] = sum[j];
         }
         sneppp__team_close(&t);
      }
   }
   PASS();
}

/* What is left where large numbers cancel has all its digits, of either sign. */
TEST ranks_sums_keep_small_digits(void)
{
   for (int k = -6; k <= 6; k++) {
      double       sum[2];
      const double big = ldexp(1, SNEPPP__LIMB * k), small = big * ldexp(11, -2 * SNEPPP__LIMB);
      sneppp__team t;
      sneppp__span span[SNEPPP__SEGMENTS];
      memset(&t, 0, sizeof t);
      memset(span, 0, sizeof span);
      t.reduce = ranks_alone, t.ranks = 1;
      span[0].x = sum, span[0].count = 2;
      ASSERT_EQ(SNEPPP_OK, sneppp__sum_begin(&t, span, 3, NULL));
      for (int i = 0; i < 3; i++) {
         sum[0] = i == 0 ? big : i == 1 ? small : -big, sum[1] = -sum[0];
         sneppp__sum_add(&t);
      }
      ASSERT_EQ(SNEPPP_OK, sneppp__sum_end(&t, SNEPPP_OK, NULL));
      ASSERT_EQ_FMT(small, sum[0], "%.17g");
      ASSERT_EQ_FMT(-small, sum[1], "%.17g");
      sneppp__team_close(&t);
   }
   PASS();
}

/* Sums that are zero in all ranks do not travel. */
static int ranks_talks(double *x, size_t count, void *user) { return (void)x, (void)count, ++*(int *)user, 0; }

TEST ranks_sums_of_nothing(void)
{
   int talks[2] = {0, 0};
   for (int k = 0; k < 2; k++) {
      double       sum[2] = {0, 0};
      sneppp__team t;
      sneppp__span span[SNEPPP__SEGMENTS];
      memset(&t, 0, sizeof t);
      memset(span, 0, sizeof span);
      t.reduce = ranks_talks, t.user = &talks[k], t.ranks = 1;
      span[0].x = sum, span[0].count = 2;
      ASSERT_EQ(SNEPPP_OK, sneppp__sum_begin(&t, span, 1, NULL));
      sum[1] = k;
      sneppp__sum_add(&t);
      ASSERT_EQ(SNEPPP_OK, sneppp__sum_end(&t, SNEPPP_OK, NULL));
      ASSERT(sum[0] == 0 && sum[1] == k);
      sneppp__team_close(&t);
   }
   ASSERT_EQ(talks[0] + 1, talks[1]);
   PASS();
}

TEST ranks_sums_not_finite(void)
{
   for (int k = 0; k < 3; k++) {
      double       sum[2];
      sneppp__team t;
      sneppp__span span[SNEPPP__SEGMENTS];
      memset(&t, 0, sizeof t);
      memset(span, 0, sizeof span);
      t.reduce = ranks_alone, t.ranks = 1;
      span[0].x = sum, span[0].count = 2;
      ASSERT_EQ(SNEPPP_OK, sneppp__sum_begin(&t, span, 3, NULL));
      sum[0] = k == 1 ? sneppp__nan() : 1, sum[1] = k == 2 ? 1e305 : 2;
      sneppp__sum_add(&t);
      sum[0] = 0.25, sum[1] = -0.0;
      sneppp__sum_add(&t);
      ASSERT_EQ(SNEPPP_OK, sneppp__sum_end(&t, SNEPPP_OK, NULL));
      ASSERT_EQ(!k, sneppp__finite(sum[0]));
      if (!k) ASSERT(sum[0] == 1.25 && sum[1] == 2);
      sneppp__team_close(&t);
   }
   PASS();
}

/* Numbers of ranks that cannot be: too many ranks, a number far beyond them, one that two of them have. A fit and a trainer
   refuse them by the same words. */
static int ranks_crowd(double *x, size_t count, void *user) /* three ranks, of which two call themselves number 1 */
{
   (void)user;
   if (count == 6) x[2] = 2, x[3] = 400;
   else for (size_t i = 0; count > 1 && i < count; i++) x[i] *= 3;
   return 0;
}

TEST ranks_numbers(void)
{
   static const struct { size_t ranks, rank; int (*reduce)(double *, size_t, void *); const char *why; } row[3] = {
      {9000, 0, ranks_alone, "rank 0: fit.ranks = 9000 is more than 8192"},
      {2, 5000, ranks_alone, "fit.rank of a rank is not below fit.ranks"},
      {3, 0, ranks_crowd, "fit.rank: 2 ranks say that they are number 1"}};
   ranks_job    job = ranks_job_of(SNEPPP_METHOD_ADAM, 40);
   sneppp_model model;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&model, &job.desc, NULL));
   job.fit.events = &job.events, job.fit.steps = 2;
   for (int k = 0; k < 3; k++) {
      sneppp_trainer t;
      sneppp_error   err;
      job.fit.ranks = row[k].ranks, job.fit.rank = row[k].rank, job.fit.reduce = row[k].reduce;
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&model, &job.fit, NULL, &err));
      ASSERT_STR_EQ(row[k].why, err.why);
      memset(&err, 0, sizeof err);
      ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_trainer_init(&t, &model, &job.fit, &err));
      ASSERT_STR_EQ(row[k].why, err.why);
   }
   sneppp_free(&model);
   PASS();
}

/* A hook that fails once ends the fit, and the model stays; but when the fit is done and its events are fetched for
   intervals, the fit stands, and only intervals cannot be had. */
typedef struct ranks_once { size_t calls, at; } ranks_once;
static int ranks_once_fails(double *x, size_t count, void *user)
{
   ranks_once *o = (ranks_once *)user;
   (void)x, (void)count;
   return ++o->calls == o->at;
}

TEST ranks_hook_fails_once(void)
{
   ranks_once    once = {0, 0};
   size_t        calls, kept = 0;
   sneppp_real   good[12];
   ranks_job     job = ranks_job_of(SNEPPP_METHOD_CONVEX, 30);
   sneppp_model  model;
   sneppp_report report;
   sneppp_error  err;
   sneppp_sure   sure;
   job.desc.width = 3, job.desc.readout = SNEPPP_READOUT_DIAGONAL;
   job.fit.events = &job.events, job.fit.reduce = ranks_once_fails, job.fit.reduce_user = &once, job.fit.steps = 4;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&model, &job.desc, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&model, &job.fit, &report, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count_sure(&model, NULL, 1, 0.9, &sure, NULL, &err));
   memcpy(good, model.readout[0].V, 3 * sizeof *good);
   sneppp_free(&model);
   calls = once.calls;
   for (size_t at = 1; at <= calls; at++) {
      sneppp_status st;
      once.calls = 0, once.at = at;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&model, &job.desc, NULL));
      st = sneppp_fit(&model, &job.fit, &report, &err);
      if (st == SNEPPP_OK) {
         kept++;
         ASSERT_EQ(0, memcmp(good, model.readout[0].V, 3 * sizeof *good));
         ASSERT(sneppp_count_sure(&model, NULL, 1, 0.9, &sure, NULL, &err) != SNEPPP_OK);
      } else ASSERT(st == SNEPPP_ERR_SOURCE && strstr(err.why, "fit.reduce failed"));
      sneppp_free(&model);
   }
   ASSERT(kept > 0 && kept < calls);
   PASS();
}

/* Ranks whose models differ in what is no parameter, or in one that only some models have, are told so. */
static void ranks_other_window(sneppp_model *m, sneppp_desc *d) { if (!m) d->factor[0].window.hi[0] = 10.5; }
static void ranks_other_place(sneppp_model *m, sneppp_desc *d) { if (!m) d->factor[0].window.lo[0] = -1, d->factor[0].window.hi[0] = 9; }
static void ranks_other_mix(sneppp_model *m, sneppp_desc *d) { if (!m) d->mix = SNEPPP_MIX_SUM; }
static void ranks_other_act(sneppp_model *m, sneppp_desc *d) { if (!m) d->factor[0].unit.act = SNEPPP_ACT_SIN; }
static void ranks_other_p(sneppp_model *m, sneppp_desc *d) { if (!m) d->factor[0].unit.p = 3; }
static void ranks_other_width(sneppp_model *m, sneppp_desc *d) { if (m) m->layer[0].width[3] *= 2; else (void)d; }
TEST ranks_models_differ(void)
{
   static void (*const change[])(sneppp_model *, sneppp_desc *) = {
      ranks_other_window, ranks_other_place, ranks_other_mix, ranks_other_act, ranks_other_p, ranks_other_width
   };
   for (int k = 0; k < 6; k++) {
      ranks_job job = ranks_job_of(SNEPPP_METHOD_ADAM, 100);
      for (size_t i = 0; i < 100; i++) ranks_xy[2 * i] *= (sneppp_real)0.8; /* inside of all of them */
      if (k < 3 || k == 4) { /* the line and the line */
         job.desc.factor[1].window.dim = job.desc.factor[0].window.dim = 1;
         job.desc.factor[1].window.hi[0] = 5, job.desc.factor[0].window.hi[1] = 0;
      }
      job.desc.factor[0].unit.act = k < 4 ? SNEPPP_ACT_COS : k < 5 ? SNEPPP_ACT_MONOMIAL : SNEPPP_ACT_RBF;
      if (k == 4) job.desc.factor[0].unit.p = 2;
      job.P = 2, job.bad_rank = 1, job.fit.steps = 2, job.change = change[k];
      ASSERT(ranks_fail(&job, SNEPPP_ERR_ARG));
      ASSERT_STR_EQ("rank 1: the model or a setting of the fit is not that of rank 0", ranks_words);
   }
   PASS();
}

/* Where lambda is 1e-27 its inverse is 1e27; beside that the logarithm must keep its digits, which travel apart. */
TEST ranks_far_events(void)
{
   const double    W0[1] = {-2.14}, b0[1] = {0.73}, W1[2] = {0.709, -0.0653}, width1[2] = {0.5353, 0.2312};
   sneppp_real     x[3] = {(sneppp_real)0.645, (sneppp_real)1.121, (sneppp_real)1.737};
   sneppp_events   e;
   sneppp_desc     d;
   sneppp_fit_desc fit;
   sneppp_model    m;
   sneppp_report   r;
   sneppp_error    err;
   memset(&d, 0, sizeof d), memset(&fit, 0, sizeof fit), memset(&e, 0, sizeof e);
   e.x = x, e.count = 1;
   d.width = 1, d.mix = SNEPPP_MIX_SEPARABLE, d.factor[0].window.dim = 1, d.factor[0].window.hi[0] = 1;
   d.factor[1].window.space = SNEPPP_SPACE_EUCLID, d.factor[1].window.dim = 2;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 0, W0, b0, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_set_layer(&m, 1, W1, NULL, width1, &err));
   fit.events = &e, fit.method = SNEPPP_METHOD_CONVEX, fit.reduce = ranks_alone;
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &fit, &r, &err), "%d");
   ASSERT(sneppp_log_intensity(&m, x) < -50);
   ASSERT_IN_RANGE(r.expected - sneppp_log_intensity(&m, x), r.nll, 1e-4);
   sneppp_free(&m);
   PASS();
}

SUITE(ranks)
{
   RUN_TEST(ranks_numbers);
   RUN_TEST(ranks_hook_fails_once);
   RUN_TEST(ranks_sums_are_exact);
   RUN_TEST(ranks_sums_keep_small_digits);
   RUN_TEST(ranks_sums_of_nothing);
   RUN_TEST(ranks_sums_not_finite);
   RUN_TEST(ranks_adam);
   RUN_TEST(ranks_batches);
   RUN_TEST(ranks_convex);
   RUN_TEST(ranks_separable);
   RUN_TEST(ranks_auto);
   RUN_TEST(ranks_sample_for_auto);
   RUN_TEST(ranks_wide);
   RUN_TEST(ranks_one_talk_per_step);
   RUN_TEST(ranks_bad_events);
   RUN_TEST(ranks_lost_source);
   RUN_TEST(ranks_no_memory);
   RUN_TEST(ranks_settings);
   RUN_TEST(ranks_hook_fails);
   RUN_TEST(ranks_no_events);
   RUN_TEST(ranks_stop_together);
   RUN_TEST(ranks_checkpoint);
   RUN_TEST(ranks_models_differ);
   RUN_TEST(ranks_far_events);
}
