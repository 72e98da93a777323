/* One training step on several ranks: sphere x time, N = 200,000 events, n = m = 300, full batch, one thread each. Ranks
   are processes, and fit.reduce adds through memory that they share. Every rank has a clock of its own: the processor time
   that it uses, so that neither other users of the machine nor more ranks than cores are counted; in fit.reduce all clocks
   go on from the latest one, plus what a network would take for so many bytes. So 16 ranks run here as on a cluster, in
   every call and byte, and the cost model below can be compared with them.

      build/bench/ranks             lines of name, value, unit; build/ranks.png (make bench-ranks)

   The model: T = t N/P (in whole parcels) + fixed + network. A sum over P ranks in a ring of halves costs 2 log2(P) latencies
   and sends the array 2 (P - 1)/P times. A step has one header of 194 doubles and one sum of 3 (4 + n (n + 1)/2 + 6 n). */
#include "bench.h"
#include "../examples/picture.h"
#include <sys/mman.h>
#include <sys/wait.h>

enum { units = 300, most_ranks = 16, steps = 4, header = 194 };
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
   double clock[most_ranks], step[most_ranks], wall[most_ranks];
   double bytes;     /* that a rank sends in the fastest step    */
   size_t room;      /* doubles of each rank behind this struct  */
} common;

typedef struct seat {
   common *c;
   double *all;      /* (ranks, room) */
   int rank, ranks;
   const network *net;
   double clock, cpu, bytes; /* up to the last call; processor time then */
} seat;

static int shared_sum(double *x, size_t count, void *user)
{
   seat *s = (seat *)user;
   double latest = 0;
   if (count > s->c->room) return 1;
   s->clock += bench_cpu() - s->cpu;
   s->c->clock[s->rank] = s->clock;
   memcpy(s->all + (size_t)s->rank * s->c->room, x, count * sizeof *x);
   pthread_barrier_wait(&s->c->gate);
   memset(x, 0, count * sizeof *x);
   for (int r = 0; r < s->ranks; r++) {
      const double *from = s->all + (size_t)r * s->c->room;
      for (size_t i = 0; i < count; i++) x[i] += from[i];
      latest = fmax(latest, s->c->clock[r]);
   }
   pthread_barrier_wait(&s->c->gate);
   s->clock = latest + network_seconds(s->net, s->ranks, (double)count);
   s->bytes += 8 * (double)count;
   s->cpu = bench_cpu(); /* the additions of this memory are those of the network */
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

/* The fastest of the steps of one rank; 0 if it fails. */
static double rank_steps(seat *s, size_t N, int hook, double *wall)
{
   sneppp_desc desc;
   sneppp_events e;
   sneppp_fit_desc fit;
   sneppp_model model;
   sneppp_trainer t;
   sneppp_error err;
   size_t first = N * (size_t)s->rank / (size_t)s->ranks, end = N * (size_t)(s->rank + 1) / (size_t)s->ranks, zero = 0;
   sneppp_real *x = (sneppp_real *)malloc((end - first + 1) * 4 * sizeof *x);
   double best = 1e300, now;
   memset(&desc, 0, sizeof desc);
   memset(&e, 0, sizeof e);
   memset(&fit, 0, sizeof fit);
   desc.width = units;
   desc.factor[0].window.space = SNEPPP_SPACE_SPHERE, desc.factor[0].window.dim = 3, desc.factor[0].no_bias = 1;
   desc.factor[1].window.dim = 1, desc.factor[1].window.hi[0] = years;
   desc.factor[0].unit.act = desc.factor[1].unit.act = SNEPPP_ACT_RELU;
   if (!x) return 0;
   read_events(x, first, end - first, &zero);
   e.x = x, e.count = end - first;
   fit.events = &e, fit.decay = SNEPPP_NONE;
   if (hook) fit.reduce = shared_sum, fit.reduce_user = s, fit.rank = (size_t)s->rank, fit.ranks = (size_t)s->ranks;
   s->cpu = bench_cpu();
   if (sneppp_init(&model, &desc, &err) || sneppp_trainer_init(&t, &model, &fit, &err)) {
      fprintf(stderr, "ranks: %s\n", err.why);
      free(x);
      return 0;
   }
   *wall = 1e300;
   for (int k = 0; k < steps; k++) {
      double start = s->clock + bench_cpu() - s->cpu, clock = bench_wall();
      s->bytes = 0;
      if (sneppp_trainer_step(&t, &err)) best = 0;
      now = s->clock + bench_cpu() - s->cpu;
      if (now - start < best) best = now - start;
      *wall = fmin(*wall, bench_wall() - clock);
   }
   s->c->bytes = s->bytes;
   sneppp_trainer_free(&t);
   sneppp_free(&model);
   free(x);
   return best;
}

/* Seconds of a step on so many ranks: of the slowest. */
static double step_on(size_t N, int ranks, const network *net, int hook, double *wall, double *bytes)
{
   size_t room = 3 * (4 + (size_t)units * (units + 1) / 2 + 6 * units) + 32768 * 5, size = sizeof(common) + (size_t)ranks * room * sizeof(double);
   FILE *f = tmpfile();
   common *c;
   pthread_barrierattr_t attr;
   double slowest = 0, w = 0;
   if (!f || ftruncate(fileno(f), (off_t)size)) return 0;
   c = (common *)mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0);
   fclose(f);
   if (c == MAP_FAILED) return 0;
   c->room = room;
   pthread_barrierattr_init(&attr);
   pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
   pthread_barrier_init(&c->gate, &attr, (unsigned)ranks);
   for (int r = 0; r < ranks; r++)
      if (fork() == 0) {
         seat s = { .c = c, .all = (double *)(c + 1), .rank = r, .ranks = ranks, .net = net };
         c->step[r] = rank_steps(&s, N, hook, &c->wall[r]);
         _exit(0);
      }
   for (int r = 0; r < ranks; r++) wait(NULL);
   for (int r = 0; r < ranks; r++) slowest = fmax(slowest, c->step[r]), w = fmax(w, c->wall[r]);
   if (wall) *wall = w;
   if (bytes) *bytes = c->bytes;
   munmap(c, size);
   return slowest;
}

/* ---- the model */
typedef struct cost { double event, event_large, fixed, doubles; } cost; /* large: in parcels of the largest size */

static double model_seconds(const cost *m, double N, int ranks, const network *net)
{
   double parcel = fmin(fmax(ceil(N / 16 / 128) * 128, 128), 32768), parcels = ceil(N / parcel);
   return (N < 524288 ? m->event : m->event_large) * fmin(ceil(parcels / ranks) * parcel, N) + m->fixed +
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

static int draw(const cost *m, const int *ranks, const double *seen, int count)
{
   picture p = pic_make(900, 470);
   pic_frame f = { 70, 40, 590, 400, 0, 10, 0, 1.05 };
   int good;
   pic_axes(&p, &f, "log2 of the number of ranks", "efficiency: speedup / ranks", "one step, n = m = 300, predicted; dots: run here");
   curve(&p, &f, m, 1e10, 0, &networks[ETHERNET], 0x1b7837u, "10^10 events, 10GbE", 60);
   curve(&p, &f, m, 1e8, 0, &networks[ETHERNET], 0x5aae61u, "10^8 events, 10GbE", 84);
   curve(&p, &f, m, 1e6, 0, &networks[ETHERNET], 0xd6604du, "10^6 events, 10GbE", 108);
   curve(&p, &f, m, 2e5, 0, &networks[ETHERNET], 0xb2182bu, "200,000 events, 10GbE", 132);
   curve(&p, &f, m, 2e5, 0, &networks[INFINIBAND], 0x4393c3u, "200,000 events, InfiniBand", 156);
   curve(&p, &f, m, 524288, 1, &networks[ETHERNET], 0x762a83u, "weak: 524,288 a rank, 10GbE", 180);
   for (int k = 0; k < count; k++) pic_disc(&p, pic_x(&f, log2(ranks[k])), pic_y(&f, seen[k]), 5, 0xb2182bu);
   pic_disc(&p, f.right + 24, 202, 5, 0xb2182bu);
   pic_text(&p, f.right + 40, 206, 9, 0, PIC_INK, "200,000 events, 10GbE, run here");
   good = pic_save(&p, "build/ranks.png");
   pic_free(&p);
   return good;
}

int main(void)
{
   const size_t N = 200000, large = 524288;
   const int ranks[] = { 1, 2, 4, 16 };
   double plain = 1e300, one = 1e300, two = 1e300, wall[2] = { 1e300, 1e300 }, w = 0, bytes = 0, seen[4] = { 1 }, off = 0;
   cost m = { 0, 0, 0, 0 };
   for (int k = 0; k < 4; k++) { /* they take turns, and the fastest counts: others use this machine, too */
      plain = fmin(plain, step_on(N, 1, &networks[NONE], 0, NULL, NULL));
      one = fmin(one, step_on(N, 1, &networks[NONE], 1, &w, NULL)), wall[0] = fmin(wall[0], w);
      two = fmin(two, step_on(N, 2, &networks[NONE], 1, &w, &bytes)), wall[1] = fmin(wall[1], w);
   }
   m.fixed = step_on(64, 1, &networks[NONE], 1, NULL, NULL);
   m.event = (one - m.fixed) / (double)N;
   m.event_large = (step_on(large, 1, &networks[NONE], 1, NULL, NULL) - m.fixed) / (double)large;
   m.doubles = bytes / 8 - header;
   if (!(plain > 0 && m.event > 0 && two > 0 && m.event_large > 0 && m.fixed > 0)) return 1;
   printf("ranks.step.no_hook %.4f s\nranks.step.1 %.4f s\nranks.step.2 %.4f s\nranks.speedup.2 %.3f x\n", plain, one, two, one / two);
   printf("ranks.step.1.wall %.4f s\nranks.step.2.wall %.4f s\n", wall[0], wall[1]);
   printf("ranks.event %.3f us\nranks.event.large %.3f us\nranks.fixed %.2f ms\nranks.bytes %.0f byte\n", 1e6 * m.event, 1e6 * m.event_large,
          1e3 * m.fixed, bytes);
   for (int k = 1; k < 4; k++)
      for (int net = NONE; net < NETWORKS; net++) {
         double t = fmin(step_on(N, ranks[k], &networks[net], 1, NULL, NULL), step_on(N, ranks[k], &networks[net], 1, NULL, NULL)),
                want = model_seconds(&m, (double)N, ranks[k], &networks[net]);
         printf("ranks.%s.%d %.4f s, the model says %.4f\n", networks[net].name, ranks[k], t, want);
         fflush(stdout);
         if (net == ETHERNET) seen[k] = one / (t * ranks[k]);
         if (ranks[k] == most_ranks) off = fmax(off, fabs(t / want - 1));
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
   return !draw(&m, ranks, seen, 4);
}
