/* One training step on several ranks: sphere x time, N = 200,000 events, n = m = 300, full batch, one thread each. Ranks
   are processes, and fit.reduce adds through memory that they share. Between two calls of fit.reduce a rank computes: such
   a stretch is measured in processor time, in every step, and the fastest counts, so that other users of the machine are
   counted as little as can be. A step takes the longest stretch of any rank, call after call, plus what a network would
   take for the bytes of the call. More ranks than two take turns at the cores, or they would push each other out of the
   caches. So 16 ranks run here as on a cluster, in every call and byte, and the cost model below can be compared with them.

      build/bench/ranks             lines of name, value, unit; build/ranks.png (make bench-ranks)

   The model: T = t (events of the rank with the most parcels) + fixed + network. A sum over P ranks in a ring of halves
   costs 2 log2(P) latencies and sends the array 2 (P - 1)/P times. A step has one header of 386 doubles and one sum of
   3 (4 + n (n + 1)/2 + 6 n). */
#include "bench.h"
#include "../examples/picture.h"
#include <sys/mman.h>
#include <sys/wait.h>

enum { most_ranks = 16, most_calls = 32, steps = 3, header = 386 };
static int units = 300; /* of the hidden layer; at the end 1024, whose Gram matrix is divided over ranks */
static const double pi = 3.14159265358979323846, years = 22;

typedef struct network {
   const char *name;
   double latency, bytes_per_second;
} network;
enum { NONE, ETHERNET, INFINIBAND, NETWORKS };
static const network networks[NETWORKS] = { { "none", 0, 0 }, { "10GbE", 30e-6, 1.1e9 }, { "InfiniBand", 2e-6, 12e9 } };

static double network_seconds(const network *net, int ranks, double count)
{
   if (ranks < 2 || !(net->bytes_per_second > 0)) return 0;
   return 2 * ceil(log2(ranks)) * net->latency + 2.0 * (ranks - 1) / ranks * 8 * count / net->bytes_per_second;
}

/* ---- ranks that share memory */
typedef struct common {
   pthread_barrier_t gate;
   pthread_mutex_t turn;                   /* of the rank that computes, if they take turns            */
   double stretch[most_ranks][most_calls]; /* fastest seconds before call k of a step; then to its end */
   double wall[most_ranks], net[NETWORKS]; /* seconds of the fastest step by the clock; of the calls   */
   double bytes;                           /* that a rank sends in a step                              */
   int bad;
   size_t room;                            /* doubles of each rank behind this struct                  */
} common;

typedef struct seat {
   common *c;
   double *all;      /* (ranks, room) */
   int rank, ranks;
   int call;         /* number of the next one in this step; -1: no step */
   double cpu, bytes, net[NETWORKS];
} seat;

static int takes_turns(const seat *s) { return s->ranks > 2; }

/* A stretch ends, and another one begins. */
static void stretch_end(seat *s)
{
   double now = bench_cpu() - s->cpu;
   if (s->call >= 0 && s->call < most_calls) s->c->stretch[s->rank][s->call] = fmin(s->c->stretch[s->rank][s->call], now);
   if (s->call >= 0 && ++s->call >= most_calls) s->c->bad = 1;
   if (takes_turns(s)) pthread_mutex_unlock(&s->c->turn);
}

static void stretch_begin(seat *s)
{
   if (takes_turns(s)) pthread_mutex_lock(&s->c->turn);
   s->cpu = bench_cpu();
}

static int shared_sum(double *x, size_t count, void *user)
{
   seat *s = (seat *)user;
   if (count > s->c->room) return 1;
   stretch_end(s);
   memcpy(s->all + (size_t)s->rank * s->c->room, x, count * sizeof *x);
   pthread_barrier_wait(&s->c->gate);
   memset(x, 0, count * sizeof *x);
   for (int r = 0; r < s->ranks; r++) {
      const double *from = s->all + (size_t)r * s->c->room;
      for (size_t i = 0; i < count; i++) x[i] += from[i];
   }
   pthread_barrier_wait(&s->c->gate);
   for (int k = 0; k < NETWORKS; k++) s->net[k] += network_seconds(&networks[k], s->ranks, (double)count);
   s->bytes += 8 * (double)count;
   stretch_begin(s); /* the additions of this memory are those of the network */
   return 0;
}

/* ---- the step */
static size_t read_events(sneppp_real *dst, size_t first, size_t count, void *user)
{
   const size_t *offset = (const size_t *)user;
   for (size_t i = 0; i < count; i++) {
      sneppp_rng rng;
      double z, a;
      sneppp_rng_init(&rng, 7, 0);
      rng.position = (uint64_t)(*offset + first + i) * 4;
      z = 2 * sneppp_rng_uniform(&rng) - 1, a = 2 * pi * sneppp_rng_uniform(&rng);
      dst[4 * i] = (sneppp_real)(sqrt(1 - z * z) * cos(a)), dst[4 * i + 1] = (sneppp_real)(sqrt(1 - z * z) * sin(a));
      dst[4 * i + 2] = (sneppp_real)z, dst[4 * i + 3] = (sneppp_real)(years * sneppp_rng_uniform(&rng));
   }
   return count;
}

/* The steps of one rank. */
static void rank_steps(seat *s, size_t N, int hook)
{
   sneppp_desc desc;
   sneppp_events e;
   sneppp_fit_desc fit;
   sneppp_model model;
   sneppp_trainer t;
   sneppp_error err;
   size_t first = N * (size_t)s->rank / (size_t)s->ranks, end = N * (size_t)(s->rank + 1) / (size_t)s->ranks, zero = 0;
   sneppp_real *x = (sneppp_real *)malloc((end - first + 1) * 4 * sizeof *x);
   memset(&desc, 0, sizeof desc);
   memset(&e, 0, sizeof e);
   memset(&fit, 0, sizeof fit);
   desc.width = units;
   desc.factor[0].window.space = SNEPPP_SPACE_SPHERE, desc.factor[0].window.dim = 3, desc.factor[0].no_bias = 1;
   desc.factor[1].window.dim = 1, desc.factor[1].window.hi[0] = years;
   desc.factor[0].unit.act = desc.factor[1].unit.act = SNEPPP_ACT_RELU;
   if (!x) { s->c->bad = 1; return; }
   read_events(x, first, end - first, &zero);
   e.x = x, e.count = end - first;
   fit.events = &e, fit.decay = SNEPPP_NONE;
   if (hook) fit.reduce = shared_sum, fit.reduce_user = s, fit.rank = (size_t)s->rank, fit.ranks = (size_t)s->ranks;
   s->call = -1;
   stretch_begin(s);
   if (sneppp_init(&model, &desc, &err) || sneppp_trainer_init(&t, &model, &fit, &err)) {
      fprintf(stderr, "ranks: %s\n", err.why);
      s->c->bad = 1;
      return;
   }
   for (int k = 0; k < steps; k++) {
      double clock = bench_wall();
      s->call = 0, s->bytes = 0, s->cpu = bench_cpu();
      memset(s->net, 0, sizeof s->net);
      if (sneppp_trainer_step(&t, &err)) s->c->bad = 1;
      stretch_end(s);
      stretch_begin(s);
      s->c->wall[s->rank] = fmin(s->c->wall[s->rank], bench_wall() - clock);
   }
   s->c->bytes = s->bytes;
   memcpy(s->c->net, s->net, sizeof s->net);
   if (takes_turns(s)) pthread_mutex_unlock(&s->c->turn);
   sneppp_trainer_free(&t);
   sneppp_free(&model);
   free(x);
}

/* Seconds of a step on so many ranks without and with networks; those of the fastest step by the clock on the wall. */
static double step_on(size_t N, int ranks, int hook, double *net, double *wall, double *bytes)
{
   size_t n = (size_t)units, room = 3 * (4 + n * (n + 1) / 2 + 6 * n) + n * n + 32768 * 5, size = sizeof(common) + (size_t)ranks * room * sizeof(double);
   FILE *f = tmpfile();
   common *c;
   pthread_barrierattr_t gate;
   pthread_mutexattr_t turn;
   double step = 0, w = 0;
   if (!f || ftruncate(fileno(f), (off_t)size)) return 0;
   c = (common *)mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0);
   fclose(f);
   if (c == MAP_FAILED) return 0;
   c->room = room;
   for (int r = 0; r < ranks; r++) {
      c->wall[r] = 1e300;
      for (int k = 0; k < most_calls; k++) c->stretch[r][k] = 1e300;
   }
   pthread_barrierattr_init(&gate);
   pthread_barrierattr_setpshared(&gate, PTHREAD_PROCESS_SHARED);
   pthread_barrier_init(&c->gate, &gate, (unsigned)ranks);
   pthread_mutexattr_init(&turn);
   pthread_mutexattr_setpshared(&turn, PTHREAD_PROCESS_SHARED);
   pthread_mutex_init(&c->turn, &turn);
   for (int r = 0; r < ranks; r++)
      if (fork() == 0) {
         seat s = { .c = c, .all = (double *)(c + 1), .rank = r, .ranks = ranks };
         rank_steps(&s, N, hook);
         _exit(0);
      }
   for (int r = 0; r < ranks; r++) wait(NULL);
   for (int k = 0; k < most_calls && c->stretch[0][k] < 1e300; k++) {
      double longest = 0;
      for (int r = 0; r < ranks; r++) longest = fmax(longest, c->stretch[r][k]);
      step += longest;
   }
   for (int r = 0; r < ranks; r++) w = fmax(w, c->wall[r]);
   if (net) for (int k = 0; k < NETWORKS; k++) net[k] = step + c->net[k];
   if (wall) *wall = fmin(*wall, w);
   if (bytes) *bytes = c->bytes;
   if (c->bad) step = 0;
   munmap(c, size);
   return step;
}

/* ---- the model */
enum { small = 200000, large = 524288 };
typedef struct cost { double event, event_large, fixed, doubles; } cost; /* large: in parcels of the largest size */

static double model_seconds(const cost *m, double N, int ranks, const network *net)
{
   double parcel = fmin(fmax(ceil(N / 8 / 128) * 128, 128), 32768), parcels = ceil(N / parcel);
   return (N < 262144 ? m->event : m->event_large) * fmin(ceil(parcels / ranks) * parcel, N) + m->fixed +
          network_seconds(net, ranks, header) + network_seconds(net, ranks, m->doubles);
}

static void curve(picture *p, const pic_frame *f, const cost *m, double N, int weak, const network *net, unsigned colour, const char *name, double at)
{
   double lx = 0, ly = 0;
   for (int k = 0; k <= 10; k++) {
      int ranks = 1 << k;
      double y = weak ? model_seconds(m, N, 1, net) / model_seconds(m, N * ranks, ranks, net) : model_seconds(m, N, 1, net) / (ranks * model_seconds(m, N, ranks, net));
      if (k) pic_line(p, pic_x(f, lx), pic_y(f, ly), pic_x(f, k), pic_y(f, y), 2, colour);
      lx = k, ly = y;
   }
   pic_line(p, f->right + 14, at - 4, f->right + 34, at - 4, 2, colour);
   pic_text(p, f->right + 40, at, 9, 0, PIC_INK, name);
}

static int draw(const cost *m, const int *ranks, double seen[2][3])
{
   static const unsigned colour[2] = { 0xb2182bu, 0xe08214u };
   picture p = pic_make(900, 470);
   pic_frame f = { 70, 40, 590, 400, 0, 10, 0, 1.15 };
   int good;
   pic_axes(&p, &f, "log2 of the number of ranks", "efficiency: speedup / ranks", "one step, n = m = 300, predicted; dots: run here");
   curve(&p, &f, m, 1e10, 0, &networks[ETHERNET], 0x1b7837u, "10^10 events, 10GbE", 60);
   curve(&p, &f, m, 1e8, 0, &networks[ETHERNET], 0x5aae61u, "10^8 events, 10GbE", 84);
   curve(&p, &f, m, large, 0, &networks[ETHERNET], colour[1], "524,288 events, 10GbE", 108);
   curve(&p, &f, m, small, 0, &networks[ETHERNET], colour[0], "200,000 events, 10GbE", 132);
   curve(&p, &f, m, small, 0, &networks[INFINIBAND], 0x4393c3u, "200,000 events, InfiniBand", 156);
   curve(&p, &f, m, large, 1, &networks[ETHERNET], 0x762a83u, "weak: 524,288 a rank, 10GbE", 180);
   for (int size = 0; size < 2; size++) {
      for (int k = 0; k < 3; k++) pic_disc(&p, pic_x(&f, log2(ranks[k])), pic_y(&f, seen[size][k]), 5, colour[size]);
      pic_disc(&p, f.right + 24, 202 + 24 * size, 5, colour[size]);
      pic_text(&p, f.right + 40, 206 + 24 * size, 9, 0, PIC_INK, size ? "524,288 events, 10GbE, run here" : "200,000 events, 10GbE, run here");
   }
   good = pic_save(&p, "build/ranks.png");
   pic_free(&p);
   return good;
}

int main(void)
{
   const int ranks[3] = { 2, 4, 16 };
   double plain = 1e300, one[2] = { 1e300, 1e300 }, wall[2] = { 1e300, 1e300 }, step[2][3][NETWORKS], seen[2][3], bytes = 0, off = 0, wide[2] = { 1e300, 1e300 };
   cost m = { 0, 0, 1e300, 0 };
   for (int turn = 0; turn < 3; turn++) { /* they take turns, and the fastest counts: others use this machine, too */
      plain = fmin(plain, step_on(small, 1, 0, NULL, NULL, NULL));
      m.fixed = fmin(m.fixed, step_on(64, 1, 1, NULL, NULL, NULL));
      for (int size = 0; size < 2; size++) {
         const size_t N = size ? large : small;
         one[size] = fmin(one[size], step_on(N, 1, 1, NULL, size ? NULL : &wall[0], NULL));
         for (int k = 0; k < 3; k++) {
            double t[NETWORKS];
            if (!(step_on(N, ranks[k], 1, t, size || k ? NULL : &wall[1], &bytes) > 0)) return 1;
            for (int net = NONE; net < NETWORKS; net++) step[size][k][net] = turn ? fmin(step[size][k][net], t[net]) : t[net];
         }
      }
   }
   units = 1024;
   for (int turn = 0; turn < 3; turn++)
      for (int k = 0; k < 2; k++) wide[k] = fmin(wide[k], step_on(64, k + 1, 1, NULL, NULL, NULL));
   units = 300;
   m.event = (one[0] - m.fixed) / small;
   m.event_large = (one[1] - m.fixed) / large;
   m.doubles = bytes / 8 - header;
   if (!(plain > 0 && wide[0] > 0 && wide[1] > 0 && m.event > 0 && m.event_large > 0 && m.fixed > 0)) return 1;
   printf("ranks.step.no_hook %.4f s\nranks.step.1 %.4f s\nranks.step.2 %.4f s\nranks.speedup.2 %.3f x\n", plain, one[0], step[0][0][NONE],
          one[0] / step[0][0][NONE]);
   printf("ranks.step.1.wall %.4f s\nranks.step.2.wall %.4f s\n", wall[0], wall[1]);
   printf("ranks.event %.3f us\nranks.event.large %.3f us\nranks.fixed %.2f ms\nranks.bytes %.0f byte\n", 1e6 * m.event, 1e6 * m.event_large,
          1e3 * m.fixed, bytes);
   printf("ranks.gram.1024.1 %.4f s\nranks.gram.1024.2 %.4f s\n", wide[0], wide[1]);
   for (int size = 0; size < 2; size++)
      for (int k = 0; k < 3; k++) {
         for (int net = NONE; net < NETWORKS; net++) {
            double t = step[size][k][net], want = model_seconds(&m, size ? large : small, ranks[k], &networks[net]);
            printf("ranks.%d.%s.%d %.4f s, the model says %.4f\n", size ? large : small, networks[net].name, ranks[k], t, want);
            if (ranks[k] == most_ranks) off = fmax(off, fabs(t / want - 1));
         }
         seen[size][k] = one[size] / (step[size][k][ETHERNET] * ranks[k]);
      }
   printf("ranks.model.16 %.1f %% off at most\n", 100 * off);
   for (int k = 0; k <= 10; k += k < 4 ? 4 : 2) {
      const network *e = &networks[ETHERNET], *i = &networks[INFINIBAND];
      const int P = 1 << k;
      printf("ranks.predicted.%d", P);
      for (int power = 10; power >= 6; power -= 2) {
         double n = pow(10, power), t = model_seconds(&m, n, P, e);
         printf(" 10^%d: %.4g s, efficiency %.3f;", power, t, model_seconds(&m, n, 1, e) / P / t);
      }
      printf(" weak, 524288 a rank: %.3f, InfiniBand %.3f\n", model_seconds(&m, (double)large, 1, e) / model_seconds(&m, (double)large * P, P, e),
             model_seconds(&m, (double)large, 1, i) / model_seconds(&m, (double)large * P, P, i));
   }
   return !draw(&m, ranks, seen);
}
