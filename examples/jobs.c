/* cc -O2 -o jobs examples/jobs.c -lm -lpthread && ./jobs
   The library has no threads of its own: it hands out jobs, and your job system runs them in any order on any
   threads. Here is the smallest one that works, and the proof that the answer does not depend on it: equal bits. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include <pthread.h>

enum { threads = 3 };

typedef struct batch { /* what one call of `run` shares with its threads */
   void          (*job)(size_t index, void *arg);
   void           *arg;
   size_t          next, count;
   pthread_mutex_t lock;
} batch;

static void *worker(void *user)
{
   batch *b = (batch *)user;
   for (;;) {
      size_t i;
      pthread_mutex_lock(&b->lock);
      i = b->next++;
      pthread_mutex_unlock(&b->lock);
      if (i >= b->count) return NULL;
      b->job(i, b->arg);
   }
}

/* The hook: returns when all jobs are done. A game engine would put them into its queue; this starts threads anew. */
static void run(void (*job)(size_t index, void *arg), void *arg, size_t count, void *user)
{
   pthread_t thread[threads];
   int       started = 0;
   batch     b = {.job = job, .arg = arg, .count = count};
   pthread_mutex_init(&b.lock, NULL);
   while (started < threads - 1 && !pthread_create(&thread[started], NULL, worker, &b)) started++;
   worker(&b); /* this thread works, too; alone if the system gave no other */
   for (int k = 0; k < started; k++) pthread_join(thread[k], NULL);
   pthread_mutex_destroy(&b.lock);
   *(size_t *)user += count;
}

int main(void)
{
   size_t        jobs = 0;
   sneppp_events trees = {0};
   sneppp_error  err = {.why = ""};
   csv_table     table;
   unsigned char bytes[2][200000];
   size_t        size[2] = {0};

   if (!csv_read(&table, "examples/data/bei.csv")) { fprintf(stderr, "jobs: %s\n", table.error); return 1; }
   trees.x = table.value;
   trees.count = table.rows;
   for (int k = 0; k < 2; k++) {
      sneppp_desc     desc = {.width = 100, .factor = {{.window = {.space = SNEPPP_SPACE_BOX, .dim = 2, .hi = {1000, 500}}}}};
      sneppp_fit_desc fit = {.events = &trees, .method = SNEPPP_METHOD_CONVEX};
      sneppp_model    model;
      sneppp_report   report;
      if (k) { fit.parallel.run = run; fit.parallel.user = &jobs; }
      if (sneppp_init(&model, &desc, &err) != SNEPPP_OK || sneppp_fit(&model, &fit, &report, &err) != SNEPPP_OK) {
         fprintf(stderr, "jobs: %s\n", err.why);
         return 1;
      }
      size[k] = sneppp_save(&model, bytes[k], sizeof bytes[k]);
      printf("%d thread%s: %.12f nats per event in %.3f s\n", k ? threads : 1, k ? "s" : "", report.nll, report.seconds);
      sneppp_free(&model);
   }
   csv_free(&table);
   printf("%lu jobs ran on the hook; the two models are %s\n", (unsigned long)jobs,
          size[0] && size[0] <= sizeof bytes[0] && size[0] == size[1] && !memcmp(bytes[0], bytes[1], size[0]) ? "equal to the last bit" : "DIFFERENT");
   return !(jobs && size[0] == size[1] && !memcmp(bytes[0], bytes[1], size[0]));
}
