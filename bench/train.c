/* How fast is a training step (value, all gradients, AdamW), how does its time grow with events, features, dimensions
   and threads, what part of the peak of a core is that, and how fast is evaluation? Before anything is timed, the value
   and the gradients of each model are compared with the plain formulas of the paper. Wall clock, because threads are
   compared; runs that are compared take turns, and the fastest step counts.

      build/bench/train                          all cases
      build/bench/train query                    a map of 64 bumps only: 100,000 queries
      build/bench/train CASE THREADS SECONDS     one case: events per second (for bench/peers)

   train_f32.c is the same in float. */
#include "bench.h"

enum { SINGLE = sizeof(sneppp_real) == sizeof(float) };
#define TYPE (SINGLE ? "f32" : "f64")

/* ---- the cases. Keep them the same as those of bench/peers/train.py. */
typedef struct setup {
   const char *name;
   int parts, width, dim;
   size_t events;
} setup; /* parts 0: sphere x time */
enum { SPHERE_TIME, COS_200, COS_80, CASES };
static const setup cases[CASES] = { { "sphere_time_300", 0, 300, 4, 20000 },
                                    { "cos_200", 2, 200, 2, 2884 },
                                    { "cos_80", 4, 80, 2, 471 } };
static const double weights[4] = { 0.6, 0.4, 0.25, 0.25 }; /* relative to their sum */
static const double means[16] = { 0.3, 0.4, 0.6, 0.7, 0.7, 0.6, 0.3, 0.4,
                                  0.2, 0.8, 0.3, 0.7, 0.8, 0.3, 0.7, 0.2 };
static const double scales[16] = { 0.2, 0.25, 0.3,  0.2, 0.15, 0.3, 0.2, 0.25,
                                   0.2, 0.2,  0.25, 0.3, 0.25, 0.2, 0.3, 0.2 };

typedef struct problem {
   sneppp_model model;
   sneppp_events events;
   sneppp_real *x;
} problem;

static void make_problem(const setup *s, problem *p)
{
   sneppp_desc d;
   sneppp_error err;
   sneppp_rng rng;
   double weight[4], sum = 0;
   memset(&d, 0, sizeof d);
   memset(p, 0, sizeof *p);
   for (int c = 0; c < s->parts; c++) sum += weights[c];
   for (int c = 0; c < s->parts; c++) weight[c] = weights[c] / sum;
   d.seed = 3, d.width = s->width;
   if (s->parts) {
      d.factor[0].window.space = SNEPPP_SPACE_GAUSS, d.factor[0].window.dim = s->dim,
      d.factor[0].unit.act = SNEPPP_ACT_COS;
      d.factor[0].window.count = (size_t)s->parts, d.factor[0].window.weight = weight;
      d.factor[0].window.mean = means, d.factor[0].window.scale = scales;
   } else {
      d.factor[0].window.space = SNEPPP_SPACE_SPHERE, d.factor[0].window.dim = 3,
      d.factor[0].unit.act = SNEPPP_ACT_RELU, d.factor[0].no_bias = 1;
      d.factor[1].window.space = SNEPPP_SPACE_BOX, d.factor[1].window.dim = 1, d.factor[1].unit.act = SNEPPP_ACT_RELU;
      d.factor[1].window.lo[0] = -1, d.factor[1].window.hi[0] = 1;
   }
   bench_must(sneppp_init(&p->model, &d, &err), &err);
   p->x = (sneppp_real *)bench_take(s->events * (size_t)p->model.D, sizeof *p->x);
   sneppp_rng_init(&rng, 9, 1);
   for (size_t i = 0; i < s->events; i++)
      for (int f = 0; f < p->model.factors; f++) {
         const sneppp_layer_state *L = &p->model.layer[f];
         double y[SNEPPP_MAX_DIM];
         sneppp_window_draw(&p->model.desc.factor[f].window, &rng, y);
         for (int r = 0; r < L->D; r++)
            p->x[i * (size_t)p->model.D + (size_t)(L->first + r)] = (sneppp_real)y[r];
      }
   p->events.x = p->x, p->events.count = s->events;
}

static void free_problem(problem *p)
{
   sneppp_free(&p->model);
   free(p->x);
}

/* ---- the check: the joint negative log-likelihood and its derivatives by V as the paper writes them, in double. Only
   the features and K are taken from the library; tests compare those with quadrature. */
static double log_base(const sneppp_model *m, const sneppp_real *x)
{
   const sneppp_window *w = &m->layer[0].inside; /* the mixture as learnt so far, moved by -shift */
   double sum = 0;
   if (w->space != SNEPPP_SPACE_GAUSS) return 0;
   for (size_t c = 0; c < w->count; c++) {
      double p = w->weight[c];
      for (size_t r = 0; r < (size_t)w->dim; r++) {
         double s = w->scale[c * (size_t)w->dim + r],
                z = ((double)x[r] - m->layer[0].shift[r] - w->mean[c * (size_t)w->dim + r]) / s;
         p *= exp(-0.5 * z * z) / (sqrt(2 * SNEPPP__PI) * s);
      }
      sum += p;
   }
   return log(sum);
}

static double plain(const problem *p, double *dV) /* dV (m, n), or NULL */
{
   const sneppp_model *model = &p->model;
   const sneppp_real *V = model->readout[0].V;
   size_t n = (size_t)model->n, m = (size_t)model->readout[0].m, N = p->events.count;
   double *K = (double *)bench_take(n * n, sizeof *K), *y = (double *)bench_take(m, sizeof *y),
          nll = lgamma((double)N + 1);
   sneppp_real *psi = (sneppp_real *)bench_take(n, sizeof *psi);
   sneppp_error err;
   bench_must(sneppp_model_gram(model, NULL, K, NULL, &err), &err);
   for (size_t r = 0; r < m; r++)
      for (size_t i = 0; i < n; i++) {
         double s = 0;
         for (size_t j = 0; j < n; j++) s += (double)V[r * n + j] * K[j * n + i];
         nll += model->alpha * s * (double)V[r * n + i];
         if (dV) dV[r * n + i] = 2 * model->alpha * s;
      }
   for (size_t k = 0; k < N; k++) {
      const sneppp_real *x = p->x + k * (size_t)model->D;
      double q = 0;
      bench_must(sneppp_features(model, x, psi, &err), &err);
      for (size_t r = 0; r < m; r++) {
         y[r] = 0;
         for (size_t i = 0; i < n; i++) y[r] += (double)V[r * n + i] * (double)psi[i];
         q += y[r] * y[r];
      }
      nll -= log(model->alpha * q) + log_base(model, x);
      for (size_t r = 0; dV && r < m; r++)
         for (size_t i = 0; i < n; i++) dV[r * n + i] -= 2 * y[r] * (double)psi[i] / q;
   }
   free(K), free(y), free(psi);
   return nll;
}

/* ---- timing */
typedef struct run {
   problem p;
   sneppp_pool *pool;
   sneppp_trainer t;
   double flops; /* of a step, counted as below */
   double best;  /* seconds of the fastest step */
} run;

/* What must be done at least, if all features count: Psi M (2 n^2 an event), the sums over events of Psi' c Psi, of
   which half is enough (n^2), and once a step V'V (n^2 m) and dV (2 n^2 m). K, cos and AdamW are not counted. */
static double flops(const problem *p)
{
   double n = p->model.n, m = p->model.readout[0].m;
   return 3 * n * n * ((double)p->events.count + m);
}

static void start(run *r, setup s, int threads)
{
   sneppp_fit_desc f;
   sneppp_error err;
   memset(r, 0, sizeof *r);
   memset(&f, 0, sizeof f);
   make_problem(&s, &r->p);
   r->pool = threads > 1 ? sneppp_pool_make(threads, NULL) : NULL;
   f.events = &r->p.events, f.method = SNEPPP_METHOD_ADAM, f.rate = 1e-3, f.steps = 1000000;
   if (r->pool) f.parallel = sneppp_pool_parallel(r->pool);
   bench_must(sneppp_trainer_init(&r->t, &r->p.model, &f, &err), &err);
   bench_must(sneppp_trainer_step(&r->t, &err), &err);
   r->flops = flops(&r->p), r->best = 1e300;
}

static void steps(run *r, double seconds) /* for at least so long */
{
   sneppp_error err;
   double begin = bench_wall(), last = begin;
   do {
      double t;
      bench_must(sneppp_trainer_step(&r->t, &err), &err);
      t = bench_wall();
      if (t - last < r->best) r->best = t - last;
      last = t;
   } while (last - begin < seconds);
}

static void stop(run *r)
{
   sneppp_trainer_free(&r->t);
   if (r->pool) sneppp_pool_free(r->pool);
   free_problem(&r->p);
}

static void check(const setup *which)
{
   setup s = *which;
   problem p;
   run r;
   sneppp_error err;
   sneppp_grad g;
   size_t n, m;
   double *want, worst = 0, big = 0, value = 0, nll, tol = SINGLE ? 2e-4 : 1e-10;
   s.events = s.events < 3000 ? s.events : 3000; /* enough for every way through a pass */
   make_problem(&s, &p);
   p.model.alpha = (double)s.events;
   n = (size_t)p.model.n, m = (size_t)p.model.readout[0].m;
   want = (double *)bench_take(n * m, sizeof *want);
   memset(&g, 0, sizeof g);
   g.V[0] = (double *)bench_take(n * m, sizeof *want);
   for (int f = 0; f < p.model.factors; f++)
      g.W[f] = (double *)bench_take(n * (size_t)p.model.layer[f].d, sizeof *want);
   bench_must(sneppp_nll(&p.model, &p.events, 1, &value, NULL, &g, NULL, &err), &err);
   nll = plain(&p, want);
   for (size_t i = 0; i < n * m; i++) {
      big = fabs(want[i]) > big ? fabs(want[i]) : big;
      worst = fabs(want[i] - g.V[0][i]) > worst ? fabs(want[i] - g.V[0][i]) : worst;
   }
   bench_check(fabs(value - nll) <= tol * fabs(nll), "%s %s: value %.12g, by the plain formulas %.12g", TYPE,
               s.name, value, nll);
   bench_check(worst <= tol * big, "%s %s: dV differs by %g of %g", TYPE, s.name, worst, big);
   for (int f = 0; f < p.model.factors; f++) { /* dW, along a direction, by differences */
      const double step = SINGLE ? 4e-3 : 1e-6;
      sneppp_real *W = p.model.layer[f].W;
      size_t count = n * (size_t)p.model.layer[f].d;
      double slope[2] = { 0, 0 }, got = 0, size = 0;
      for (int side = 0; side < 2; side++) {
         for (size_t i = 0; i < count; i++)
            want[i] = (double)W[i], W[i] += (sneppp_real)((side ? -step : step) * cos((double)i));
         slope[side] = plain(&p, NULL);
         for (size_t i = 0; i < count; i++) W[i] = (sneppp_real)want[i];
      }
      slope[0] = (slope[0] - slope[1]) / (2 * step);
      for (size_t i = 0; i < count; i++)
         got += g.W[f][i] * cos((double)i), size += fabs(g.W[f][i] * cos((double)i));
      bench_check(fabs(got - slope[0]) <= (SINGLE ? 1e-2 : 1e-5) * size,
                  "%s %s: dW %.9g, by differences %.9g of %g", TYPE, s.name, got, slope[0], size);
      free(g.W[f]);
   }
   free(g.V[0]), free(want);
   free_problem(&p);
   start(&r, s, 1); /* what the trainer says of its own model, before and after a step */
   for (int look = 0; look < 2; look++) {
      nll = plain(&r.p, NULL) / (double)s.events;
      bench_must(sneppp_trainer_step(&r.t, &err), &err);
      bench_check(fabs(r.t.report.nll - nll) <= tol * fabs(nll),
                  "%s %s: step %d says %.12g, plain formulas %.12g", TYPE, s.name, look, r.t.report.nll, nll);
   }
   stop(&r);
}

static void threads(const setup *s)
{
   enum { enough = 15, most = 20 };
   run r[2];
   double best[2] = { 1e300, 1e300 };
   int quiet = 0;
   start(&r[0], *s, 1), start(&r[1], *s, 2);
   for (int turn = 0; turn < most && quiet < enough; turn++) {
      double others, wall;
      bench_wait();
      others = bench_others(), wall = bench_wall();
      for (int i = 0; i < 2; i++)
         r[i].best = 1e300, steps(&r[i], i ? 0.4 : 0.15); /* a moment that both cores are free is rarer */
      if (r[0].best < best[0]) best[0] = r[0].best;
      if (bench_others() - others > 0.15 * (bench_wall() - wall)) continue;
      if (r[1].best < best[1]) best[1] = r[1].best;
      quiet++;
   }
   bench_line((double)s->events / best[0], "events/s", "%s_%s_1_thread", TYPE, s->name);
   bench_line(r[0].flops / best[0] / bench_peak(SINGLE), "x", "%s_%s_1_thread_over_peak", TYPE, s->name);
   if (quiet) {
      bench_line((double)s->events / best[1], "events/s", "%s_%s_2_threads", TYPE, s->name);
      bench_line(best[0] / best[1], "x", "%s_%s_2_threads_over_1", TYPE, s->name);
   } else fprintf(stderr, "bench: others use the cores, so two threads of %s are not compared\n", s->name);
   stop(&r[0]), stop(&r[1]);
}

/* The time of a step as one size grows: the sizes of the case, but `what` in 'N', 'n', 'd' is each of `size`. */
static void scaling(const setup *base, char what, const int *size, int count)
{
   run r[4];
   for (int i = 0; i < count; i++) {
      setup s = *base;
      if (what == 'N') s.events = (size_t)size[i];
      else if (what == 'n') s.width = size[i];
      else s.dim = size[i];
      start(&r[i], s, 1);
   }
   for (int turn = 0; turn < 5; turn++)
      for (int i = 0; i < count; i++) steps(&r[i], 0.1);
   for (int i = 0; i < count; i++) {
      const char *name = what == 'N' ? base->name : base->parts ? "cos" : "sphere_time";
      bench_line(1e3 * r[i].best, "ms", "%s_%s_step_%c_%d", TYPE, name, what, size[i]);
      if (what == 'N' && i)
         bench_line(r[i].best / r[i - 1].best, "x", "%s_%s_step_%dN_over_%dN", TYPE, name, i < 2 ? 10 : 100,
                    i < 2 ? 1 : 10);
      stop(&r[i]);
   }
}

/* ---- evaluation */
enum { looks = 1000000 };
typedef struct look {
   sneppp_model model;
   sneppp_real *x, *out;
   size_t ones, many; /* points asked one by one, and in a batch */
   double sum;
} look;

static void look_one(void *arg)
{
   look *l = (look *)arg;
   for (size_t i = 0; i < l->ones; i++) l->sum += (double)sneppp_intensity(&l->model, l->x + 2 * i);
}

static void look_many(void *arg)
{
   look *l = (look *)arg;
   sneppp_events at;
   sneppp_error err;
   memset(&at, 0, sizeof at);
   at.x = l->x, at.count = l->many;
   bench_must(sneppp_intensities(&l->model, &at, l->out, NULL, &err), &err);
}

static void evaluation(void)
{
   sneppp_desc d;
   sneppp_error err;
   look l;
   double t;
   memset(&d, 0, sizeof d);
   memset(&l, 0, sizeof l);
   l.ones = 20000, l.many = looks;
   d.factor[0].window.dim = 2, d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = 1, d.width = 64,
   d.factor[0].unit.act = SNEPPP_ACT_COS;
   bench_must(sneppp_init(&l.model, &d, &err), &err);
   l.x = (sneppp_real *)bench_take(2 * looks, sizeof *l.x),
   l.out = (sneppp_real *)bench_take(looks, sizeof *l.out);
   for (size_t i = 0; i < 2 * looks; i++) l.x[i] = (sneppp_real)((double)(i * 7919 % 1000003) / 1000003);
   look_many(&l);
   for (size_t k = 0; k < 1000; k++) {
      const sneppp_readout_state *R = &l.model.readout[0];
      sneppp_real psi[64];
      double want = 0, tol = SINGLE ? 1e-4 : 1e-11;
      bench_must(sneppp_features(&l.model, l.x + 2 * k, psi, &err), &err);
      for (int r = 0; r < R->m; r++) {
         double y = 0;
         for (int i = 0; i < 64; i++) y += (double)R->V[r * 64 + i] * (double)psi[i];
         want += l.model.alpha * y * y;
      }
      want += l.model.floor;
      bench_check(fabs(want - (double)l.out[k]) <= tol * (want + 1e-3), "%s: point %d of a batch", TYPE,
                  (int)k);
      bench_check(fabs(want - (double)sneppp_intensity(&l.model, l.x + 2 * k)) <= tol * (want + 1e-3),
                  "%s: point %d", TYPE, (int)k);
   }
   bench_line(1e6 * bench_fastest(look_one, &l, 7) / 20000, "us/point", "%s_evaluate_one_n64", TYPE);
   t = bench_fastest(look_many, &l, 3) / looks;
   bench_line(1e9 * t, "ns/point", "%s_evaluate_million_n64", TYPE);
   bench_line(1e-9 * 2 * 64 * 64 / t, "GFLOP/s", "%s_evaluate_million_n64_readout", TYPE);
   sneppp_free(&l.model);
   free(l.x), free(l.out);
}

/* A map of 64 bumps, asked at the same points one by one and in a batch. Time of the processor, because one core
   is meant, and in turns, because a machine that is shared is not always equally fast. */
static void query(void)
{
   enum { events = 3000, queries = 100000 };
   sneppp_desc d;
   sneppp_fit_desc fit;
   sneppp_events e;
   sneppp_error err;
   sneppp_rng rng;
   look l;
   double one = 1e9, many = 1e9;
   memset(&d, 0, sizeof d), memset(&fit, 0, sizeof fit), memset(&e, 0, sizeof e), memset(&l, 0, sizeof l);
   d.factor[0].window.dim = 2, d.factor[0].window.hi[0] = d.factor[0].window.hi[1] = 1, d.width = 64;
   l.x = (sneppp_real *)bench_take(2 * queries, sizeof *l.x), l.out = (sneppp_real *)bench_take(queries, sizeof *l.out);
   l.ones = l.many = queries;
   sneppp_rng_init(&rng, 64, 1);
   for (size_t i = 0; i < 2 * queries; i++) { /* clusters of thirty events */
      double v = i < 2 * events && i >= 60 && i % 60 > 1 ? (double)l.x[i - 2] + 0.02 * sneppp_rng_normal(&rng) : -1;
      l.x[i] = (sneppp_real)(v > 0 && v < 1 ? v : sneppp_rng_uniform(&rng));
   }
   e.x = l.x, e.count = events, fit.events = &e;
   bench_must(sneppp_init(&l.model, &d, &err), &err);
   bench_must(sneppp_fit(&l.model, &fit, NULL, &err), &err);
   look_many(&l);
   for (size_t k = 0; k < queries; k++) {
      sneppp_real v = sneppp_intensity(&l.model, l.x + 2 * k);
      bench_check(!memcmp(&v, &l.out[k], sizeof v), "%s: query %d of a batch", TYPE, (int)k);
   }
   for (int turn = 0; turn < 15; turn++) {
      double start = bench_cpu(), middle, end;
      look_one(&l), middle = bench_cpu();
      look_many(&l), end = bench_cpu();
      one = fmin(one, middle - start), many = fmin(many, end - middle);
   }
   bench_line(1e3 * one, "ms", "%s_query_64_loop", TYPE);
   bench_line(1e3 * many, "ms", "%s_query_64_batch", TYPE);
   sneppp_free(&l.model);
   free(l.x), free(l.out);
}

int main(int argc, char **argv)
{
   static const int many_n[] = { 50, 100, 200, 400 }, many_d[] = { 1, 2, 3, 4 };
   if (argc == 2 && !strcmp(argv[1], "query")) { query(); return 0; }
   if (argc == 4) {
      run r;
      int c = 0;
      while (c < CASES && strcmp(argv[1], cases[c].name)) c++;
      bench_check(c < CASES, "no case %s", argv[1]);
      start(&r, cases[c], atoi(argv[2]));
      steps(&r, atof(argv[3]));
      printf("%.0f\n", (double)cases[c].events / r.best);
      stop(&r);
      return 0;
   }
   for (int c = 0; c < CASES; c++) check(&cases[c]);
   for (int c = 0; c < CASES; c++) threads(&cases[c]);
   for (int c = 0; c < CASES; c++) {
      int many_N[3] = { (int)cases[c].events, 10 * (int)cases[c].events, 100 * (int)cases[c].events };
      if (c == SPHERE_TIME) many_N[0] /= 10, many_N[1] /= 10, many_N[2] /= 10;
      scaling(&cases[c], 'N', many_N, 3);
   }
   scaling(&cases[SPHERE_TIME], 'n', many_n, 4);
   scaling(&cases[COS_200], 'n', many_n, 4);
   scaling(&cases[COS_200], 'd', many_d, 4);
   evaluation();
   query();
   return 0;
}
