/* Threads: different objects are independent, const ones may be shared, and results do not depend on how many
   threads do the work. Run under the thread sanitizer by `make sanitize`. */
#include <pthread.h>

enum { threads_most = 7, threads_units = 40 };

typedef struct threads_pool {
   void (*job)(size_t index, void *arg);
   void           *arg;
   size_t          next, count; /* the next index to hand out, under the lock */
   size_t          workers;
   pthread_mutex_t lock;
} threads_pool;

static void *threads_work(void *p)
{
   threads_pool *pool = (threads_pool *)p;
   for (;;) {
      size_t index;
      pthread_mutex_lock(&pool->lock);
      index = pool->next < pool->count ? pool->next++ : pool->count;
      pthread_mutex_unlock(&pool->lock);
      if (index == pool->count) return NULL;
      pool->job(index, pool->arg);
   }
}

/* A sneppp_parallel for the tests; user points to the number of workers. */
static void threads_run(void (*job)(size_t index, void *arg), void *arg, size_t count, void *user)
{
   pthread_t    thread[threads_most];
   int          started[threads_most];
   threads_pool pool;
   size_t       i;
   pool.job = job;
   pool.arg = arg;
   pool.next = 0;
   pool.count = count;
   pool.workers = *(const size_t *)user;
   pthread_mutex_init(&pool.lock, NULL);
   for (i = 0; i < pool.workers; i++) started[i] = pthread_create(&thread[i], NULL, threads_work, &pool) == 0;
   threads_work(&pool); /* so the work is done even if no thread could be had */
   for (i = 0; i < pool.workers; i++)
      if (started[i]) pthread_join(thread[i], NULL);
   pthread_mutex_destroy(&pool.lock);
}

/* A window, a layer of random cosines on it, and what one thread makes of them. */
typedef struct threads_case {
   sneppp_window win;
   sneppp_layer  layer;
   double        W[threads_units * 2], b[threads_units], G[threads_units * threads_units];
   double        K[threads_units * threads_units];
   double        dW[threads_units * 2], db[threads_units];
   sneppp_status status;
} threads_case;

static sneppp_status threads_evaluate(const threads_case *c, double *K, double *dW, double *db, const sneppp_parallel *par)
{
   sneppp_layer_grad grad;
   sneppp_status     status = sneppp_gram(&c->win, &c->layer, K, par, NULL);
   memset(&grad, 0, sizeof grad);
   memset(dW, 0, sizeof c->dW);
   memset(db, 0, sizeof c->db);
   grad.W = dW;
   grad.b = db;
   return status == SNEPPP_OK ? sneppp_gram_grad(&c->win, &c->layer, c->G, &grad, par, NULL) : status;
}

static void threads_fill(threads_case *c, uint64_t seed)
{
   sneppp_rng rng;
   int        i;
   sneppp_rng_init(&rng, seed, 0);
   memset(c, 0, sizeof *c);
   c->win.space = SNEPPP_SPACE_BOX;
   c->win.dim = 2;
   c->win.hi[0] = 2;
   c->win.hi[1] = 1;
   c->layer.n = threads_units;
   c->layer.unit.act = SNEPPP_ACT_COS;
   c->layer.W = c->W;
   c->layer.b = c->b;
   for (i = 0; i < 2 * threads_units; i++) c->W[i] = 3 * sneppp_rng_normal(&rng);
   for (i = 0; i < threads_units; i++) c->b[i] = 6 * sneppp_rng_uniform(&rng);
   for (i = 0; i < threads_units * threads_units; i++) c->G[i] = sneppp_rng_normal(&rng);
   c->status = threads_evaluate(c, c->K, c->dW, c->db, NULL);
}

TEST threads_number_does_not_matter(void)
{
   static const size_t workers[] = { 1, 2, 7 };
   threads_case       *c = (threads_case *)malloc(sizeof *c), *d = (threads_case *)malloc(sizeof *d);
   size_t              i;
   ASSERT(c && d);
   threads_fill(c, 1);
   ASSERT_EQ(c->status, SNEPPP_OK);
   for (i = 0; i < sizeof workers / sizeof *workers; i++) {
      size_t          count = workers[i];
      sneppp_parallel par;
      par.run = threads_run;
      par.user = &count;
      ASSERT_EQ(threads_evaluate(c, d->K, d->dW, d->db, &par), SNEPPP_OK);
      ASSERT_EQ(memcmp(c->K, d->K, sizeof c->K), 0);
      ASSERT_EQ(memcmp(c->dW, d->dW, sizeof c->dW), 0);
      ASSERT_EQ(memcmp(c->db, d->db, sizeof c->db), 0);
   }
   free(c);
   free(d);
   PASS();
}

typedef struct threads_shared {
   const threads_case *input; /* read by all threads       */
   threads_case       *out;   /* one for each thread       */
} threads_shared;

static void threads_evaluate_shared(size_t index, void *arg)
{
   threads_shared *s = (threads_shared *)arg;
   threads_case   *o = &s->out[index];
   o->status = threads_evaluate(s->input, o->K, o->dW, o->db, NULL);
}

static void threads_evaluate_own(size_t index, void *arg)
{
   threads_fill(&((threads_shared *)arg)->out[index], index);
}

TEST threads_share_const_objects(void)
{
   enum { jobs = 12 };
   threads_shared s;
   threads_case  *c = (threads_case *)malloc(sizeof *c);
   size_t         workers = 4, i;
   s.input = c;
   s.out = (threads_case *)malloc(jobs * sizeof *s.out);
   ASSERT(c && s.out);
   threads_fill(c, 1);
   threads_run(threads_evaluate_shared, &s, jobs, &workers);
   for (i = 0; i < jobs; i++) {
      ASSERT_EQ(s.out[i].status, SNEPPP_OK);
      ASSERT_EQ(memcmp(c->K, s.out[i].K, sizeof c->K), 0);
      ASSERT_EQ(memcmp(c->dW, s.out[i].dW, sizeof c->dW), 0);
   }
   threads_run(threads_evaluate_own, &s, jobs, &workers);
   for (i = 0; i < jobs; i++) {
      threads_fill(c, i);
      ASSERT_EQ(s.out[i].status, SNEPPP_OK);
      ASSERT_EQ(memcmp(c->K, s.out[i].K, sizeof c->K), 0);
      ASSERT_EQ(memcmp(c->db, s.out[i].db, sizeof c->db), 0);
   }
   free(s.out);
   free(c);
   PASS();
}

/* A pool whose threads cannot all be started is not made: those that were are ended, and the block is given back. */
TEST threads_pool_fails_whole(void)
{
   for (long started = 0; started < 4; started++) {
      test_alloc   a = {0, 0, 0, 0};
      sneppp_pool *pool;
      test_threads_left = started;
      pool = sneppp_pool_make(5, &a);
      test_threads_left = -1;
      ASSERT(pool == NULL);
      ASSERT_EQ((size_t)1, a.calls);
      ASSERT_EQ((size_t)0, a.live);
   }
   {
      test_alloc   a = {0, 0, 0, 0};
      sneppp_pool *pool;
      test_threads_left = 4; /* five threads are four besides the caller's */
      pool = sneppp_pool_make(5, &a);
      test_threads_left = -1;
      ASSERT(pool != NULL);
      sneppp_pool_free(pool);
      ASSERT_EQ((size_t)0, a.live);
   }
   PASS();
}

/* Jobs that outlast the turns that a waiting thread spends awake: it sleeps, and must be woken, whoever ends last. */
static void threads_slow(size_t index, void *arg)
{
   size_t      *done = (size_t *)arg;
   const double end = SNEPPP_SECONDS() + 0.03 * (double)index;
   while (SNEPPP_SECONDS() < end) sched_yield();
   done[index]++;
}

TEST threads_pool_sleeps_and_wakes(void)
{
   sneppp_pool    *pool = sneppp_pool_make(3, NULL);
   sneppp_parallel par = sneppp_pool_parallel(pool);
   size_t          done[5] = {0, 0, 0, 0, 0};
   ASSERT(pool != NULL);
   for (size_t turn = 1; turn <= 3; turn++) {
      const double until = SNEPPP_SECONDS() + 0.05;
      par.run(threads_slow, done, 5, par.user);
      for (int k = 0; k < 5; k++) ASSERT_EQ(turn, done[k]);
      while (SNEPPP_SECONDS() < until) sched_yield(); /* the workers fall asleep */
   }
   sneppp_pool_free(pool);
   PASS();
}

/* The caller asleep, whatever the load of the machine: its job ends when the other one has been taken, and that one, on the
   only worker, when the caller waits for a signal. So the worker ends last, and must wake it. */
typedef struct threads_sleepy {
   sneppp_pool *pool;
   pthread_t    caller;
   int          slept;
} threads_sleepy;

static void threads_last(size_t index, void *arg)
{
   threads_sleepy *s = (threads_sleepy *)arg;
   const int       caller = pthread_equal(s->caller, pthread_self());
   const double    end = SNEPPP_SECONDS() + 10;
   (void)index;
   for (int ready = 0; !ready && SNEPPP_SECONDS() < end; sched_yield()) {
      pthread_mutex_lock(&s->pool->lock);
      ready = caller ? s->pool->next == 2 : test_asleep > 0;
      if (!caller) s->slept = ready;
      pthread_mutex_unlock(&s->pool->lock);
   }
}

TEST threads_wake_the_caller(void)
{
   threads_sleepy  s;
   sneppp_parallel par;
   s.pool = sneppp_pool_make(2, NULL), s.caller = pthread_self(), s.slept = 0;
   ASSERT(s.pool);
   par = sneppp_pool_parallel(s.pool);
   par.run(threads_last, &s, 2, par.user);
   sneppp_pool_free(s.pool);
   ASSERT(s.slept);
   PASS();
}

/* Where threads get little stack by default the pool asks for what its work needs; elsewhere it leaves the default. */
TEST threads_ask_for_stack(void)
{
   sneppp_pool   *pool;
   pthread_attr_t attr;
   size_t         usual = 0;
   pthread_attr_init(&attr);
   pthread_attr_getstacksize(&attr, &usual);
   pthread_attr_destroy(&attr);
   for (int k = 0; k < 3; k++) {
      test_stack_default = k == 0 ? 128 * 1024 : k == 1 ? SNEPPP__POOL_STACK : 0;
      test_stack_asked = 0;
      pool = sneppp_pool_make(2, NULL);
      test_stack_default = 0;
      ASSERT(pool);
      sneppp_pool_free(pool);
      if (k == 0) ASSERT_EQ((size_t)256 * 1024, test_stack_asked);
      else if (k == 1 || usual >= SNEPPP__POOL_STACK) ASSERT_EQ(usual, test_stack_asked);
   }
   PASS();
}

static void threads_count(size_t k, void *arg) { ((int *)arg)[k]++; }

/* Whoever opens or waits at the pool's lock holds it: the caller, and every worker, awake and asleep, to the end. */
TEST threads_hold_the_lock(void)
{
   const unsigned long before = test_lock_mistakes;
   int                 done[64] = {0};
   for (int threads = 1; threads < 5; threads++) {
      sneppp_pool    *pool = sneppp_pool_make(threads, NULL);
      sneppp_parallel par = sneppp_pool_parallel(pool);
      ASSERT(pool);
      for (int turn = 0; par.run && turn < 20; turn++) par.run(threads_count, done, 64, par.user);
      if (threads == 4) { /* long enough for workers to spend their turns awake and to go to sleep */
         const double until = SNEPPP_SECONDS() + 0.02;
         while (SNEPPP_SECONDS() < until) sched_yield();
         par.run(threads_count, done, 64, par.user);
      }
      sneppp_pool_free(pool);
   }
   for (int k = 0; k < 64; k++) ASSERT_EQ(61, done[k]);
   ASSERT_EQ_FMT(before, test_lock_mistakes, "%lu");
   PASS();
}

TEST threads_pools_have_limits(void)
{
   test_alloc a = {0, 0, 0, 0};
   static const int bad[4] = {0, -1, SNEPPP__MAX_THREADS + 1, 1 << 30};
   for (int k = 0; k < 4; k++) ASSERT(!sneppp_pool_make(bad[k], &a));
   ASSERT_EQ((size_t)0, a.calls);
   PASS();
}

SUITE(threads)
{
   RUN_TEST(threads_pools_have_limits);
   RUN_TEST(threads_hold_the_lock);
   RUN_TEST(threads_ask_for_stack);
   RUN_TEST(threads_number_does_not_matter);
   RUN_TEST(threads_share_const_objects);
   RUN_TEST(threads_pool_fails_whole);
   RUN_TEST(threads_wake_the_caller);
   RUN_TEST(threads_pool_sleeps_and_wakes);
}
