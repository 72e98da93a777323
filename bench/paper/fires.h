/* The wildfires of figure 1, of figure 2 (right) and of section 5.4: places on the globe, then places and days, the paper's
   models and ours. Include figures.h first. */
#ifndef SNEPPP_PAPER_FIRES_H
#define SNEPPP_PAPER_FIRES_H

enum { fire_days = 60, fire_from = 30, fire_to = 33 }; /* [30, 33) of 60 is hidden, as [50, 55] of 100 there */
static const double fire_unit = 1e6 / (6371.0 * 6371.0); /* a million square kilometres, in steradians */
typedef enum fire_model { FIRE_RELU, FIRE_EXP, FIRE_MIXTURE, FIRE_LINEAR, FIRE_APART, FIRE_OURS, fire_models } fire_model;

typedef struct fire_scores {
   double test, count, days, seconds; /* NLL of the held-out events; of the hidden days: relative error; mean of |error| per day */
} fire_scores;

static void fire_score(const sneppp_model *model, const sneppp_events *test, double scale, const double *seen, double hidden, fire_scores *s)
{
   sneppp_window day[fire_days + 1];
   sneppp_region part[fire_days + 1];
   double        count[fire_days + 1];
   sneppp_error  err;
   memset(day, 0, sizeof day), memset(part, 0, sizeof part);
   for (int k = 0; k <= fire_days; k++) {
      day[k].dim = 1, day[k].lo[0] = k < fire_days ? k : fire_from, day[k].hi[0] = k < fire_days ? k + 1 : fire_to;
      part[k].factor[1] = &day[k];
   }
   bench_must(sneppp_test_nll(model, test, 1, scale, &s->test, NULL, &err), &err);
   bench_must(sneppp_count(model, part, fire_days + 1, count, NULL, &err), &err);
   s->count = count[fire_days] * (1 + scale) / hidden - 1;
   s->days = 0;
   for (int k = 0; k < fire_days; k++)
      if (k < fire_from || k >= fire_to) s->days += fabs(count[k] * (1 + scale) / seen[k] - 1) / (fire_days - fire_to + fire_from);
}

/* Maps of three days and the profile. */
static void fire_picture(const sneppp_model *model, const double *seen, const char *name, const char *path)
{
   enum { rows = 60, cols = 120 };
   static const double at[3] = { 5.5, 31.5, 55.5 };
   picture   p = pic_make(980, 560);
   pic_frame f = { 550, 330, 870, 500, 0, fire_days, 0, 1 };
   double   *z[3], hi = 0;
   char      text[100];
   for (int k = 0; k < 3; k++) {
      sneppp_model map;
      sneppp_error err;
      bench_must(sneppp_conditional(model, 1, &at[k], &map, &err), &err);
      z[k] = draw_sphere_grid(&map, rows, cols, fire_unit, 0, NULL);
      bench_check(z[k] != NULL, "no memory");
      hi = fmax(hi, pic_quantile(z[k], rows * cols, 0.995));
      sneppp_free(&map);
   }
   for (int k = 0; k < 3; k++) {
      pic_frame g = { k == 1 ? 470 : 30, k == 2 ? 320 : 70, k == 1 ? 870 : 430, k == 2 ? 520 : 270, -180, 180, -90, 90 };
      draw_world(&p, &g, z[k], rows, cols, hi, 0.4);
      snprintf(text, sizeof text, k == 1 ? "day %.0f, in the hidden days" : "day %.0f", floor(at[k]));
      pic_text(&p, g.left, g.top - 8, 10, 0, PIC_INK, text);
      free(z[k]);
   }
   pic_bar(&p, 884, 70, 270, hi, 0.4, "fires per day and million km^2");
   for (int k = 0; k < fire_days; k++) f.y1 = fmax(f.y1, 1.1 * seen[k]);
   for (int k = 0; k < fire_days; k++)
      pic_box(&p, pic_x(&f, k), pic_y(&f, seen[k]), pic_x(&f, k + 1) - 1, f.bottom, k >= fire_from && k < fire_to ? 0xe0703cu : 0xc3cdd9u);
   for (int k = 0; k < fire_days; k++) {
      sneppp_window day = { .dim = 1, .lo = { k }, .hi = { k + 1.0 } };
      sneppp_region part = { .factor = { NULL, &day } };
      double        count;
      sneppp_error  err;
      bench_must(sneppp_count(model, &part, 1, &count, NULL, &err), &err);
      pic_line(&p, pic_x(&f, k), pic_y(&f, count), pic_x(&f, k + 1), pic_y(&f, count), 2, PIC_INK);
   }
   pic_axes(&p, &f, "days since 20 August 2019; orange: hidden", "fires per day", NULL);
   snprintf(text, sizeof text, "Fires per day, %s; lines every 30 degrees", name);
   pic_text(&p, 30, 30, 12, 0, PIC_INK, text);
   pic_text(&p, f.left, f.top - 10, 9, 0, PIC_INK, "bars: seen, line: expected");
   bench_check(pic_save(&p, path), "%s cannot be written", path);
   pic_free(&p);
}

/* Figures 1 and 2 (right): places alone, more and more of the events to learn from. */
static void run_globe(void)
{
   enum { all = 200000, rows = 120, cols = 240, shares = 5, shown = 20000 };
   static const double share[shares] = { 0.01, 0.0316, 0.1, 0.316, 1 };
   static const char *const name[2] = { "ReLU, n = m = 300, AdamW", "sneppp.h, default" };
   const double  lon = 15, lat = 0;
   FILE         *out = part_open("globe"), *out2 = part_open("more");
   csv_table     t;
   sneppp_error  err;
   double       *x, *z[2], hi = 0;
   size_t        trains = all / 5 * 4;
   picture       p = pic_make(1100, 400);
   curve         c[2];
   bench_check(csv_read(&t, "-"), "%s", t.error);
   bench_check(t.rows >= all, "there are fewer than %d fires", (int)all);
   x = (double *)bench_take(3 * all, sizeof *x);
   for (size_t i = 0; i < all; i++)
      bench_must(sneppp_lonlats_to_units(1, t.value + (size_t)t.columns * (size_t)sneppp_rng_permute(i, t.rows, 21), 0, x + 3 * i, 0, &err), &err);
   csv_free(&t);
   memset(c, 0, sizeof c);
   c[0].colour = 0x1f5fa8u, c[1].colour = 0x111111u;
   fprintf(out2, "The 200,000 fires of figure 1: 40,000 to judge by, and of the others a share to learn from, for which the intensity is scaled. All models expect as many fires as they learnt from, so that the count says nothing.\n\n"
                 "| fires to learn from |");
   for (int k = 0; k < 2; k++) fprintf(out2, " %s: test NLL | seconds |", name[k]);
   fprintf(out2, "\n|---|---|---|---|---|\n");
   for (int i = 0; i < shares; i++) {
      sneppp_events train = { .x = x, .count = (size_t)(share[i] * (double)trains + 0.5) }, test = { .x = x + 3 * trains, .count = all - trains };
      double        scale = (double)test.count / (double)trains / share[i];
      fprintf(out2, "| %lu |", (unsigned long)train.count);
      for (int k = 0; k < 2; k++) {
         sneppp_desc     desc = { .factor = { { .window = { .space = SNEPPP_SPACE_SPHERE, .dim = 3 } } } };
         sneppp_fit_desc fit = { .events = &train };
         sneppp_model    model;
         double          nll, start = bench_cpu();
         if (k == 0) {
            desc.factor[0].unit.act = SNEPPP_ACT_RELU, desc.width = 300;
            fit.method = SNEPPP_METHOD_ADAM, fit.steps = 600, fit.batch = train.count < 2048 ? 0 : 2048, fit.rate = 0.02, fit.clip = 1, fit.decay = SNEPPP_NONE, fit.schedule = SNEPPP_RATE_COSINE;
         }
         bench_must(sneppp_init(&model, &desc, &err), &err);
         bench_must(sneppp_fit(&model, &fit, NULL, &err), &err);
         start = bench_cpu() - start;
         bench_must(sneppp_test_nll(&model, &test, 1, scale, &nll, NULL, &err), &err);
         fprintf(out2, " %.3f | %.1f |", nll, start);
         printf("globe: %lu fires, %s: %.3f, %.1f s\n", (unsigned long)train.count, name[k], nll, start);
         fflush(stdout), fflush(out2);
         c[k].x[c[k].count] = log10((double)train.count), c[k].y[c[k].count++] = nll;
         strcpy(c[k].name, name[k]);
         if (i == shares - 1) {
            z[k] = draw_sphere_grid(&model, rows, cols, fire_unit, 0, NULL);
            bench_check(z[k] != NULL, "no memory");
            hi = fmax(hi, pic_quantile(z[k], rows * cols, 0.995));
         }
         sneppp_free(&model);
      }
      fprintf(out2, "\n");
   }
   for (int k = 0; k < 2; k++) {
      double at = 170 + 330 * k;
      draw_globe(&p, at, 220, 140, lon, lat, z[k], rows, cols, hi, 0.4, NULL, 0);
      pic_text(&p, at, 386, 9, 0.5, PIC_INK, name[k]);
      free(z[k]);
   }
   pic_bar(&p, 1000, 80, 360, hi, 0.4, "fires per million km^2");
   draw_globe(&p, 830, 220, 140, lon, lat, NULL, 0, 0, 0, 0, x, shown);
   pic_text(&p, 830, 386, 9, 0.5, PIC_INK, "20,000 of the fires that it saw");
   pic_text(&p, 30, 34, 12, 0, PIC_INK, "Fires of 20 August to 18 October 2019: intensity learnt from 160,000; lines every 30 degrees");
   bench_check(pic_save(&p, "bench/paper/globe.png"), "bench/paper/globe.png cannot be written");
   pic_free(&p);
   draw_curves(c, 2, 1, "fires to learn from", "test NLL, nats per fire", "More fires to learn from, better predictions (globe, 40,000 to judge by)", "bench/paper/more.png");
   fprintf(out, "200,000 active fires (MODIS, 20 August to 18 October 2019; the paper has November and December 2000), places alone: the paper's model, ReLU units on the sphere, the default, and the events.\n\n"
                "![Fits and fires on the globe](paper/globe.png)\n");
   fprintf(out2, "\n![Test NLL against the number of fires to learn from](paper/more.png)\n");
   fclose(out), fclose(out2);
   free(x);
}

static void run_fires(size_t steps)
{
   static const char *const name[fire_models] = { "ReLU x ReLU, n = m = 300", "exp x ReLU, n = m = 300", "log-linear mixture, 300", "log-linear, 1", "separable, convex, 300 x 12", "sneppp.h, default" };
   static const char *const said[fire_models] = { "5.42", "5.85", "6.61", "99.16", "", "" };
   const double  ends[4] = { 0, fire_from, fire_to, fire_days }, keep = 0.99;
   sneppp_window watched = { .space = SNEPPP_SPACE_INTERVALS, .dim = 1, .count = 2, .ends = ends };
   sneppp_region seen = { .factor = { NULL, &watched } };
   sneppp_events train = { .seen = &seen }, test = { .seen = &seen };
   csv_table     t;
   sneppp_rng    rng;
   sneppp_error  err;
   double        day[fire_days] = { 0 }, hidden = 0, *x, *y;
   FILE         *out = part_open("fires");
   bench_check(csv_read(&t, "-"), "%s", t.error);
   x = (double *)bench_take(4 * t.rows, sizeof *x), y = (double *)bench_take(4 * t.rows, sizeof *y);
   sneppp_rng_init(&rng, 5, 0);
   for (size_t i = 0; i < t.rows; i++) {
      double  at = floor(t.value[3 * i + 2]), spread = sneppp_rng_uniform(&rng);
      double *to;
      if (!(at >= 0 && at < fire_days)) continue;
      day[(int)at]++;
      if (at >= fire_from && at < fire_to) { hidden++; continue; }
      to = sneppp_rng_uniform(&rng) < keep ? x + 4 * train.count++ : y + 4 * test.count++;
      bench_must(sneppp_lonlats_to_units(1, t.value + 3 * i, 0, to, 0, &err), &err);
      to[3] = at + spread;
   }
   csv_free(&t);
   train.x = x, test.x = y;
   fprintf(out, "Active fires of 20 August to 18 October 2019 (MODIS; the paper's 98 million of 22 years are not to be had), %lu to learn from and %lu to judge by, days %d to %d hidden "
                "(%.0f fires). AdamW in batches of 2048, %lu steps; the paper trained for eight hours, 52 passes. The NLL is in nats per event, per steradian and day, so that "
                "figures compare with each other and not with the paper's, whose data and units differ.\n\n"
                "| model | published NLL (other data) | test NLL | fires of the hidden days, error | error per day, mean | seconds |\n|---|---|---|---|---|---|\n",
           (unsigned long)train.count, (unsigned long)test.count, fire_from, fire_to - 1, hidden, (unsigned long)steps);
   for (int k = 0; k < fire_models; k++) {
      sneppp_desc     desc = { .width = k == FIRE_LINEAR ? 1 : 300, .readout = k == FIRE_MIXTURE ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL,
                               .factor = { { .window = { .space = SNEPPP_SPACE_SPHERE, .dim = 3 }, .unit = { .act = k == FIRE_RELU || k == FIRE_APART ? SNEPPP_ACT_RELU : SNEPPP_ACT_EXP } },
                                           { .window = { .dim = 1, .hi = { fire_days } }, .unit = { .act = SNEPPP_ACT_RELU } } } };
      sneppp_events   some = train; /* convex passes go through all events: 20,000 stand for them */
      sneppp_fit_desc fit = { .events = &train, .method = SNEPPP_METHOD_ADAM, .steps = steps, .batch = 2048, .rate = 0.02, .clip = 1, .decay = SNEPPP_NONE, .schedule = SNEPPP_RATE_COSINE };
      sneppp_fit_desc convex = { .events = &some, .method = SNEPPP_METHOD_CONVEX, .tol = 1e-3, .steps = 60 };
      double         *weight = NULL, *few = NULL;
      sneppp_model    model;
      fire_scores     s;
      double          start;
      if (k == FIRE_RELU || k == FIRE_APART) {
         some.count = train.count < 20000 ? train.count : 20000;
         few = (double *)bench_take(4 * some.count, sizeof *few), weight = (double *)bench_take(some.count, sizeof *weight);
         for (size_t i = 0; i < some.count; i++) {
            memcpy(few + 4 * i, x + 4 * (size_t)sneppp_rng_permute(i, train.count, 9), 4 * sizeof *few);
            weight[i] = (double)train.count / (double)some.count;
         }
         some.x = few, some.weight = weight;
      }
      if (k == FIRE_APART) desc.mix = SNEPPP_MIX_SEPARABLE, desc.factor[1].width = 12, desc.factor[0].width = 300, fit = convex;
      if (k == FIRE_OURS) {
         sneppp_fit_desc plain = { .events = &train };
         desc.factor[0].unit.act = desc.factor[1].unit.act = SNEPPP_ACT_DEFAULT, desc.width = 0, fit = plain;
      }
      start = bench_cpu();
      bench_must(sneppp_init(&model, &desc, &err), &err);
      bench_must(sneppp_fit(&model, &fit, NULL, &err), &err);
      s.seconds = bench_cpu() - start;
      fire_score(&model, &test, (1 - keep) / keep, day, hidden, &s);
      fprintf(out, "| %s | %s | %.3f | %+.1f %% | %.1f %% | %.1f |\n", name[k], said[k], s.test, 100 * s.count, 100 * s.days, s.seconds);
      printf("fires: %s %.3f %+.1f %% %.1f s\n", name[k], s.test, 100 * s.count, s.seconds);
      fflush(stdout), fflush(out);
      if (k == FIRE_RELU) { /* the fine-tuning of the paper: the hidden layer stays, the readout is a convex problem */
         fire_picture(&model, day, name[k], "bench/paper/fires_relu.png");
         start = bench_cpu();
         bench_must(sneppp_fit(&model, &convex, NULL, &err), &err);
         s.seconds = bench_cpu() - start;
         fire_score(&model, &test, (1 - keep) / keep, day, hidden, &s);
         fprintf(out, "| the same, readout fine-tuned by CONVEX on 20,000 of the events | | %.3f | %+.1f %% | %.1f %% | %.1f |\n", s.test, 100 * s.count, 100 * s.days, s.seconds);
         printf("fires: fine-tuned %.3f %+.1f %% %.1f s\n", s.test, 100 * s.count, s.seconds);
         fflush(stdout), fflush(out);
      }
      if (k == FIRE_OURS) fire_picture(&model, day, name[k], "bench/paper/fires.png");
      sneppp_free(&model);
      free(few), free(weight);
   }
   fprintf(out, "\n![Fires: maps of three days and the profile, the default fit](paper/fires.png)\n\n![The same of the paper's model, ReLU x ReLU](paper/fires_relu.png)\n");
   fclose(out);
   free(x), free(y);
}
#endif
