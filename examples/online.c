/* cc -O2 -o online examples/online.c -lm && ./online
   New events every day. A city of 10 x 10 km has two quarters that stay where they are and a fair that wanders; each
   morning the model of yesterday is brought up to date, and judged by the events of the day that follows. Four ways, each
   beside a fit from nothing: (1) ADAM goes on from yesterday's model, with the last seven days as realisations, so that
   the intensity is that of one day; (2) CONVEX keeps the frequencies that were tuned once; (3) AUTO chooses its bumps once a
   week, and in between CONVEX weighs them anew, with events that count less the older they are; (4) a model of where and
   when moves to a window that has grown by a day. The times are those of the processor. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { DAYS = 14, FIRST = 9, MOST = 8000, WEEK = 7 };

static double events[MOST][3];    /* x, y, day */
static size_t from[DAYS + 2];     /* the first event of each day */

static int fail(const sneppp_error *err)
{
   fprintf(stderr, "online: %s\n", err->why);
   return 1;
}

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* About 100 events a day: two quarters, the fair at an angle that grows by five degrees a day, and some anywhere. */
static void make_events(void)
{
   sneppp_rng rng;
   size_t     n = 0;
   sneppp_rng_init(&rng, 18, 0);
   for (int day = 0; day <= DAYS; day++) {
      const double turn = day * 5 * 3.14159265358979323846 / 180, at[3][3] = {{2.5, 3, 0.5}, {7, 2.5, 0.8}, {5 + 2.5 * cos(turn), 6 + 2.5 * sin(turn), 0.5}};
      from[day] = n;
      for (uint64_t k = sneppp_rng_poisson(&rng, 100); k > 0 && n < MOST; k--) {
         const uint64_t which = sneppp_rng_below(&rng, 4);
         double         x = 10 * sneppp_rng_uniform(&rng), y = 10 * sneppp_rng_uniform(&rng);
         if (which < 3) x = at[which][0] + at[which][2] * sneppp_rng_normal(&rng), y = at[which][1] + at[which][2] * sneppp_rng_normal(&rng);
         if (x < 0 || x > 10 || y < 0 || y > 10) continue;
         events[n][0] = x, events[n][1] = y, events[n++][2] = day + sneppp_rng_uniform(&rng);
      }
   }
   from[DAYS + 1] = n;
}

static sneppp_desc city(int width)
{
   sneppp_desc desc;
   memset(&desc, 0, sizeof desc);
   desc.width = width;
   desc.factor[0].window.dim = 2;
   desc.factor[0].window.hi[0] = desc.factor[0].window.hi[1] = 10;
   return desc;
}

static sneppp_events one_day(int day)
{
   sneppp_events e;
   memset(&e, 0, sizeof e);
   e.x = events[from[day]];
   e.count = from[day + 1] - from[day];
   e.stride = 3;
   return e;
}

typedef struct score { double seconds[2], nll[2]; int days; } score; /* from nothing, and from yesterday's model */

/* What the events of the next day cost, if the model's intensity is `days` times that of one day. */
static int judge(const sneppp_model *m, int day, double days, double *nll, sneppp_error *err)
{
   sneppp_events next = one_day(day);
   double        v;
   if (sneppp_test_nll(m, &next, 1, 1 / days, &v, NULL, err) != SNEPPP_OK) return 0;
   *nll += v;
   return 1;
}

/* (1) and (2): the last week, a realisation each. */
static int by_weeks(sneppp_method method, score *s, sneppp_error *err)
{
   sneppp_desc   desc = city(method == SNEPPP_METHOD_ADAM ? 24 : 48);
   sneppp_model  warm;
   sneppp_events days[WEEK];
   int           ok;
   memset(&warm, 0, sizeof warm);
   ok = sneppp_init(&warm, &desc, err) == SNEPPP_OK;
   for (int today = FIRST; ok && today < DAYS; today++) {
      sneppp_fit_desc fit;
      memset(&fit, 0, sizeof fit);
      for (int k = 0; k < WEEK; k++) days[k] = one_day(today - WEEK + 1 + k);
      fit.events = days;
      fit.realisations = WEEK;
      fit.method = method;
      for (int again = today == FIRST; again < 2 && ok; again++) { /* on the first day nothing is warm yet */
         const int     cold = again == 0;
         sneppp_model  fresh = {0}, *m = cold ? &fresh : &warm;
         const double  start = seconds();
         if (method == SNEPPP_METHOD_ADAM) fit.steps = cold || today == FIRST ? 500 : 50;
         else fit.trace = 1e-4, fit.tune = cold || today == FIRST;
         if (cold) ok = sneppp_init(&fresh, &desc, err) == SNEPPP_OK;
         ok = ok && sneppp_fit(m, &fit, NULL, err) == SNEPPP_OK;
         if (today > FIRST) {
            s->seconds[!cold] += seconds() - start;
            ok = ok && judge(m, today + 1, 1, &s->nll[!cold], err);
         }
         sneppp_free(&fresh);
      }
      s->days += today > FIRST;
   }
   sneppp_free(&warm);
   return ok;
}

/* (3): all events so far, of weight exp(-age / 4 days). Together they are worth `total` days. */
static int by_weights(score *s, sneppp_error *err)
{
   static double weight[MOST];
   sneppp_desc   desc = city(200);
   sneppp_model  warm;
   int           ok = 1;
   memset(&warm, 0, sizeof warm);
   for (int today = FIRST; ok && today < DAYS; today++) {
      sneppp_events   all = one_day(0);
      sneppp_fit_desc fit;
      double          total = 0, share;
      memset(&fit, 0, sizeof fit);
      for (int day = 0; day <= today; day++) {
         const double w = exp((day - today) / 4.0);
         total += w;
         for (size_t i = from[day]; i < from[day + 1]; i++) weight[i] = w;
      }
      all.count = from[today + 1];
      all.weight = weight;
      fit.events = &all;
      for (int again = 0; again < 2 && ok; again++) {
         const int     cold = again == 0, anew = cold || (today - FIRST) % WEEK == 0;
         sneppp_model  fresh = {0}, *m = cold ? &fresh : &warm;
         double        start = seconds();
         if (anew && !cold) sneppp_free(&warm);
         if (anew) ok = sneppp_init(m, &desc, err) == SNEPPP_OK;
         fit.method = anew ? SNEPPP_METHOD_AUTO : SNEPPP_METHOD_CONVEX;
         share = m->floor > 0 ? m->floor * 100 : 0; /* the floor that AUTO found, as a share of the events */
         if (!anew) {
            double expected = 0;
            ok = sneppp_count(m, NULL, 1, &expected, NULL, err) == SNEPPP_OK;
            fit.floor = expected > 0 ? share / expected : 0;
            fit.trace = 1e-4;
         } else fit.floor = 0, fit.trace = 0;
         ok = ok && sneppp_fit(m, &fit, NULL, err) == SNEPPP_OK;
         s->seconds[!cold] += seconds() - start;
         ok = ok && judge(m, today + 1, total, &s->nll[!cold], err);
         sneppp_free(&fresh);
      }
      s->days++;
   }
   sneppp_free(&warm);
   return ok;
}

/* (4): where and when, in a window of time from 0 to the end of today. Features are functions of your coordinates: they go
   on into the new day as they are, and a few steps of ADAM do the rest. */
static int grow(sneppp_model *m, int today, sneppp_error *err)
{
   static double W[48 * 3], b[48], M[48 * 48];
   sneppp_desc   desc = m->desc;
   sneppp_model  next;
   int           ok;
   desc.mem = NULL, desc.mem_bytes = 0, desc.alpha = 0, desc.events = 0;
   desc.factor[1].window.hi[0] = today + 1;
   if (sneppp_init(&next, &desc, err) != SNEPPP_OK) return 0;
   ok = sneppp_get_matrix(m, M, err) == SNEPPP_OK && sneppp_set_matrix(&next, M, err) == SNEPPP_OK;
   for (int f = 0; ok && f < 2; f++) ok = sneppp_get_layer(m, f, W, b, NULL, err) == SNEPPP_OK && sneppp_set_layer(&next, f, W, b, NULL, err) == SNEPPP_OK;
   next.alpha = m->alpha;
   sneppp_free(m);
   *m = next;
   return ok;
}

static int by_time(score *s, sneppp_error *err)
{
   sneppp_desc  desc = city(48);
   sneppp_model warm;
   int          ok;
   memset(&warm, 0, sizeof warm);
   desc.factor[1].window.dim = 1;
   desc.factor[1].window.hi[0] = FIRST + 1;
   ok = sneppp_init(&warm, &desc, err) == SNEPPP_OK;
   for (int today = FIRST; ok && today < DAYS; today++) {
      sneppp_events   all;
      sneppp_fit_desc fit;
      memset(&all, 0, sizeof all);
      memset(&fit, 0, sizeof fit);
      all.x = events[0];
      all.count = from[today + 1];
      fit.events = &all;
      fit.method = SNEPPP_METHOD_ADAM;
      desc.factor[1].window.hi[0] = today + 1;
      for (int again = today == FIRST; again < 2 && ok; again++) {
         const int    cold = again == 0;
         sneppp_model fresh = {0}, *m = cold ? &fresh : &warm;
         const double start = seconds();
         double       nll = 0;
         fit.steps = cold || today == FIRST ? 300 : 40;
         if (cold) ok = sneppp_init(&fresh, &desc, err) == SNEPPP_OK;
         else if (today > FIRST) ok = grow(&warm, today, err);
         ok = ok && sneppp_fit(m, &fit, NULL, err) == SNEPPP_OK;
         if (today > FIRST) {
            s->seconds[!cold] += seconds() - start;
            ok = ok && sneppp_nll(m, &all, 1, &nll, NULL, NULL, NULL, err) == SNEPPP_OK; /* tomorrow is outside the window */
            s->nll[!cold] += nll / (double)all.count;
         }
         sneppp_free(&fresh);
      }
      s->days += today > FIRST;
   }
   sneppp_free(&warm);
   return ok;
}

int main(void)
{
   static const char *const name[4] = {"ADAM, seven days as realisations", "CONVEX, frequencies kept", "AUTO, weights that decay", "ADAM, a window of time that grows"};
   sneppp_error err;
   int          kept = 1;
   make_events();
   printf("%lu events in %d days; seconds a day and nats per event of the next day (last line: of all days)\n\n", (unsigned long)from[DAYS + 1], DAYS + 1);
   printf("%-36s %17s %17s %8s\n", "", "from nothing", "from yesterday", "faster");
   for (int k = 0; k < 4; k++) {
      score s;
      int   ok;
      memset(&s, 0, sizeof s);
      ok = k == 2 ? by_weights(&s, &err) : k == 3 ? by_time(&s, &err) : by_weeks(k ? SNEPPP_METHOD_CONVEX : SNEPPP_METHOD_ADAM, &s, &err);
      if (!ok) return fail(&err);
      for (int w = 0; w < 2; w++) s.seconds[w] /= s.days, s.nll[w] /= s.days;
      printf("%-36s %8.4f %8.3f %8.4f %8.3f %7.1fx\n", name[k], s.seconds[0], s.nll[0], s.seconds[1], s.nll[1], s.seconds[0] / s.seconds[1]);
      kept = kept && s.seconds[1] < s.seconds[0] && s.nll[1] < s.nll[0] + 0.05;
   }
   printf("\n%s\n", kept ? "Models of yesterday are faster, and as good." : "A model of yesterday was slower, or worse!");
   return !kept;
}
