/* How fast is a training step (value, all gradients, AdamW), and how fast is evaluation? One line per case: name value
   unit. Before anything is timed, the value and the gradient of each model are checked against the plain formulas of
   the paper. Wall clock, because threads are compared; cases that are compared take turns and the fastest run counts.

      cc -O2 -o train bench/train.c -lm -pthread && ./train                all cases
      ./train CASE THREADS SECONDS                                          one case: events per second (for bench/peers)

   train_f32.c is the same in float. */
#define _POSIX_C_SOURCE 200112L
#define SNEPPP_PTHREADS
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
   struct timespec t;
   clock_gettime(CLOCK_MONOTONIC, &t);
   return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(sneppp_status st, const sneppp_error *err)
{
   if (st == SNEPPP_OK) return;
   fprintf(stderr, "train: %s\n", err->why);
   exit(1);
}

#define TYPE (sizeof(sneppp_real) == sizeof(float) ? "f32" : "f64")

/* ---- the cases. Keep them the same as those of bench/peers/train.py. */
enum { SPHERE_TIME, COS_200, COS_80, CASES };
static const char *const case_name[CASES] = {"sphere_time_300", "cos_200", "cos_80"};
static const size_t      case_events[CASES] = {20000, 2884, 471};
static const double      weight2[2] = {0.6, 0.4}, mean2[4] = {0.3, 0.4, 0.7, 0.6}, scale2[4] = {0.2, 0.25, 0.15, 0.3};
static const double      weight4[4] = {0.25, 0.25, 0.25, 0.25};
static const double      mean4[8] = {0.2, 0.3, 0.8, 0.3, 0.3, 0.8, 0.7, 0.7}, scale4[8] = {0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2};

static void describe(int which, sneppp_desc *d)
{
   memset(d, 0, sizeof *d);
   d->seed = 3;
   if (which == SPHERE_TIME) {
      d->width = 300;
      d->factor[0].window.space = SNEPPP_SPHERE, d->factor[0].window.dim = 3, d->factor[0].unit.act = SNEPPP_RELU, d->factor[0].no_bias = 1;
      d->factor[1].window.space = SNEPPP_BOX, d->factor[1].window.dim = 1, d->factor[1].unit.act = SNEPPP_RELU;
      d->factor[1].window.lo[0] = -1, d->factor[1].window.hi[0] = 1;
      return;
   }
   d->width = which == COS_200 ? 200 : 80;
   d->factor[0].window.space = SNEPPP_GAUSS, d->factor[0].window.dim = 2, d->factor[0].unit.act = SNEPPP_COS;
   d->factor[0].window.count = which == COS_200 ? 2 : 4;
   d->factor[0].window.weight = which == COS_200 ? weight2 : weight4;
   d->factor[0].window.mean = which == COS_200 ? mean2 : mean4;
   d->factor[0].window.scale = which == COS_200 ? scale2 : scale4;
}

typedef struct problem {
   sneppp_model  model;
   sneppp_events events;
   sneppp_real  *x;
} problem;

static void make_problem(int which, size_t N, problem *p)
{
   sneppp_desc  d;
   sneppp_error err;
   sneppp_rng   rng;
   describe(which, &d);
   must(sneppp_init(&p->model, &d, &err), &err);
   p->x = (sneppp_real *)malloc(N * (size_t)p->model.D * sizeof *p->x);
   sneppp_rng_init(&rng, 9, 1);
   for (size_t i = 0; i < N; i++)
      for (int f = 0; f < p->model.factors; f++) {
         double y[SNEPPP_MAX_DIM];
         sneppp_window_draw(&p->model.desc.factor[f].window, &rng, y);
         for (int r = 0; r < p->model.layer[f].D; r++) p->x[i * (size_t)p->model.D + (size_t)(p->model.layer[f].first + r)] = (sneppp_real)y[r];
      }
   memset(&p->events, 0, sizeof p->events);
   p->events.x = p->x, p->events.count = N;
}

static void free_problem(problem *p)
{
   sneppp_free(&p->model);
   free(p->x);
}

/* ---- the check: log lambda and its derivatives by V at every event, as the paper writes them, in double. */
static void check(int which)
{
   enum { N = 300 };
   problem       p;
   sneppp_error  err;
   sneppp_grad   g;
   size_t        n, m;
   double       *dV, *want, *K, value = 0, plain = 0, Lambda = 0, worst = 0, big = 0, tol = sizeof(sneppp_real) == sizeof(float) ? 2e-4 : 1e-10;
   make_problem(which, N, &p);
   p.model.alpha = N;
   n = (size_t)p.model.n, m = (size_t)p.model.readout[0].m;
   dV = (double *)calloc(n * m, sizeof *dV), want = (double *)calloc(n * m, sizeof *want), K = (double *)malloc(n * n * sizeof *K);
   memset(&g, 0, sizeof g);
   g.V[0] = dV;
   must(sneppp_nll(&p.model, &p.events, 1, &value, &g, NULL, &err), &err);
   must(sneppp_model_gram(&p.model, NULL, K, NULL, &err), &err);
   for (size_t r = 0; r < m; r++)
      for (size_t i = 0; i < n; i++) {
         double s = 0;
         for (size_t j = 0; j < n; j++) s += (double)p.model.readout[0].V[r * n + j] * K[j * n + i];
         Lambda += p.model.alpha * s * (double)p.model.readout[0].V[r * n + i];
         want[r * n + i] += 2 * p.model.alpha * s;
      }
   plain = Lambda + lgamma(N + 1.0);
   for (size_t k = 0; k < N; k++) {
      static sneppp_real psi[SNEPPP_MAX_WIDTH];
      static double      y[SNEPPP_MAX_WIDTH];
      double             q = 0;
      must(sneppp_features(&p.model, p.x + k * (size_t)p.model.D, psi, &err), &err);
      for (size_t r = 0; r < m; r++) {
         y[r] = 0;
         for (size_t i = 0; i < n; i++) y[r] += (double)p.model.readout[0].V[r * n + i] * (double)psi[i];
         q += y[r] * y[r];
      }
      plain -= sneppp_log_intensity(&p.model, p.x + k * (size_t)p.model.D);
      for (size_t r = 0; r < m; r++) for (size_t i = 0; i < n; i++) want[r * n + i] -= 2 * y[r] * (double)psi[i] / q;
   }
   for (size_t i = 0; i < n * m; i++) {
      if (fabs(want[i]) > big) big = fabs(want[i]);
      if (!(fabs(want[i] - dV[i]) <= worst)) worst = fabs(want[i] - dV[i]);
   }
   if (!(fabs(value - plain) <= tol * fabs(plain)) || !(worst <= tol * big)) {
      fprintf(stderr, "train: %s %s differs from the plain formulas: value %.12g, %.12g; gradient by %g of %g\n", TYPE, case_name[which], value, plain, worst, big);
      exit(1);
   }
   free(dV), free(want), free(K);
   free_problem(&p);
}

/* ---- timing */
typedef struct run {
   problem        p;
   sneppp_pool   *pool;
   sneppp_trainer t;
   double         best; /* seconds of the fastest step */
} run;

static void start(run *r, int which, size_t N, int threads)
{
   sneppp_fit_desc f;
   sneppp_error    err;
   memset(r, 0, sizeof *r);
   memset(&f, 0, sizeof f);
   make_problem(which, N, &r->p);
   r->pool = threads > 1 ? sneppp_pool_make(threads, NULL) : NULL;
   f.events = &r->p.events, f.method = SNEPPP_ADAM, f.rate = 1e-3, f.steps = 1000000;
   if (r->pool) f.parallel = sneppp_pool_parallel(r->pool);
   must(sneppp_trainer_init(&r->t, &r->p.model, &f, &err), &err);
   must(sneppp_trainer_step(&r->t, &err), &err);
   r->best = 1e300;
}

/* Steps for at least `seconds`; returns seconds per step. */
static double steps(run *r, double seconds)
{
   sneppp_error err;
   double       begin = now(), last = begin;
   size_t       count = 0;
   do {
      double t;
      must(sneppp_trainer_step(&r->t, &err), &err);
      count++;
      t = now();
      if (t - last < r->best) r->best = t - last;
      last = t;
   } while (last - begin < seconds);
   return (last - begin) / (double)count;
}

static void stop(run *r)
{
   sneppp_trainer_free(&r->t);
   if (r->pool) sneppp_pool_free(r->pool);
   free_problem(&r->p);
}

static void compare(int which, size_t N1, int threads1, size_t N2, int threads2, run *a, run *b)
{
   start(a, which, N1, threads1), start(b, which, N2, threads2);
   for (int turn = 0; turn < 4; turn++) steps(a, 0.25), steps(b, 0.25);
   stop(a), stop(b);
}

static void evaluation(void)
{
   sneppp_desc   d;
   sneppp_model  model;
   sneppp_error  err;
   sneppp_events at;
   enum { points = 1000000 };
   sneppp_real  *x = (sneppp_real *)malloc(2 * points * sizeof *x), *out = (sneppp_real *)malloc(points * sizeof *out);
   double        t, best = 1e300, sum = 0;
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 2, d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = 1, d.width = 64, d.factor[0].unit.act = SNEPPP_COS;
   must(sneppp_init(&model, &d, &err), &err);
   for (size_t i = 0; i < 2 * points; i++) x[i] = (sneppp_real)((double)(i * 7919 % 1000003) / 1000003);
   for (int turn = 0; turn < 7; turn++) {
      t = now();
      for (size_t i = 0; i < 20000; i++) sum += (double)sneppp_intensity(&model, x + 2 * i);
      t = (now() - t) / 20000;
      if (t < best) best = t;
   }
   printf("%s_evaluate_one_n64 %.3f us\n", TYPE, best * 1e6);
   memset(&at, 0, sizeof at);
   at.x = x, at.count = points;
   best = 1e300;
   for (int turn = 0; turn < 3; turn++) {
      t = now();
      must(sneppp_intensities(&model, &at, out, NULL, &err), &err);
      t = now() - t;
      if (t < best) best = t;
   }
   for (size_t i = 0; i < 1000; i++) {
      double one = (double)sneppp_intensity(&model, x + 2 * i);
      if (!(fabs(one - (double)out[i]) <= (sizeof(sneppp_real) == sizeof(float) ? 1e-4 : 1e-11) * (fabs(one) + 1e-3))) { fprintf(stderr, "train: point %d differs in a batch\n", (int)i); exit(1); }
   }
   printf("%s_evaluate_million_n64 %.1f ns/point (%.1f Gflop/s in the readout)\n", TYPE, best * 1e3, 2e-9 * 64 * 64 * points / best);
   if (!(sum >= 0)) exit(1);
   sneppp_free(&model);
   free(x), free(out);
}

int main(int argc, char **argv)
{
   run a, b;
   setvbuf(stdout, NULL, _IONBF, 0);
   if (argc == 4) {
      for (int c = 0; c < CASES; c++) {
         if (strcmp(argv[1], case_name[c])) continue;
         start(&a, c, case_events[c], atoi(argv[2]));
         steps(&a, atof(argv[3]));
         printf("%.0f\n", (double)case_events[c] / a.best);
         stop(&a);
         return 0;
      }
      fprintf(stderr, "train: no case %s\n", argv[1]);
      return 1;
   }
   for (int c = 0; c < CASES; c++) check(c);
   for (int c = 0; c < CASES; c++) {
      compare(c, case_events[c], 1, case_events[c], 2, &a, &b);
      printf("%s_%s_1_thread %.0f events/s\n", TYPE, case_name[c], (double)case_events[c] / a.best);
      printf("%s_%s_2_threads %.0f events/s\n", TYPE, case_name[c], (double)case_events[c] / b.best);
      printf("%s_%s_2_threads_over_1 %.2f x\n", TYPE, case_name[c], a.best / b.best);
   }
   compare(COS_200, 5000, 1, 50000, 1, &a, &b);
   printf("%s_cos_200_time_of_10N_over_N %.2f x\n", TYPE, b.best / a.best);
   evaluation();
   return 0;
}
