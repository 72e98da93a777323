/* The figures: convergence (Proposition 2), scaling (figure 2), product spaces (appendix B), errata. Each writes its part
   of paper.md to build/paper/. Include contest.h first. */
#ifndef SNEPPP_PAPER_FIGURES_H
#define SNEPPP_PAPER_FIGURES_H

static FILE *part_open(const char *name)
{
   char  path[100];
   FILE *file;
   snprintf(path, sizeof path, "build/paper/%s.md", name);
   file = fopen(path, "w");
   bench_check(file != NULL, "%s cannot be written", path);
   return file;
}

/* ---- curves on logarithmic axes */
typedef struct curve {
   char        name[80];
   unsigned    colour;
   int         count, bound; /* bounds are thin and without dots */
   double      x[40], y[40];
} curve;

static void curve_add(curve *c, double x, double y)
{
   if (c->count < 40 && x > 0 && y > 0) c->x[c->count] = log10(x), c->y[c->count++] = log10(y);
}

/* Decades are named 1, 10, ... or 1e-6; names of curves stand below each other on the right. plain: y is what it is. */
static void draw_curves(const curve *c, int curves, int plain, const char *xlabel, const char *ylabel, const char *title, const char *path)
{
   picture   p = pic_make(1000, 460);
   pic_frame f = { 80, 40, 560, 400, 1e9, -1e9, 1e9, -1e9 };
   double    step;
   char      text[20];
   for (int k = 0; k < curves; k++)
      for (int i = 0; i < c[k].count; i++) {
         f.x0 = fmin(f.x0, floor(c[k].x[i])), f.x1 = fmax(f.x1, ceil(c[k].x[i]));
         f.y0 = fmin(f.y0, floor(c[k].y[i])), f.y1 = fmax(f.y1, ceil(c[k].y[i]));
      }
   step = plain ? pic_step(f.y1 - f.y0, 8) : f.y1 - f.y0 > 12 ? 2 : 1;
   for (double d = f.x0; d <= f.x1; d++) {
      pic_line(&p, pic_x(&f, d), f.top, pic_x(&f, d), f.bottom, 1, PIC_PALE);
      snprintf(text, sizeof text, d < -2 || d > 5 ? "1e%.0f" : "%.10g", d < -2 || d > 5 ? d : pow(10, d));
      pic_text(&p, pic_x(&f, d), f.bottom + 18, 9, 0.5, PIC_INK, text);
   }
   for (double d = f.y0; d <= f.y1 + 1e-9; d += step) {
      pic_line(&p, f.left, pic_y(&f, d), f.right, pic_y(&f, d), 1, PIC_PALE);
      if (plain) pic_number(text, sizeof text, d, step);
      else snprintf(text, sizeof text, d < -3 || d > 5 ? "1e%.0f" : "%.10g", d < -3 || d > 5 ? d : pow(10, d));
      pic_text(&p, f.left - 8, pic_y(&f, d) + 4, 9, 1, PIC_INK, text);
   }
   for (int k = 0; k < curves; k++) {
      for (int i = 0; i < c[k].count; i++) {
         double x = pic_x(&f, c[k].x[i]), y = pic_y(&f, c[k].y[i]);
         if (i) pic_line(&p, pic_x(&f, c[k].x[i - 1]), pic_y(&f, c[k].y[i - 1]), x, y, c[k].bound ? 1 : 2, c[k].colour);
         if (!c[k].bound) pic_disc(&p, x, y, 3, c[k].colour);
      }
      pic_line(&p, 580, 62 + 24 * k, 606, 62 + 24 * k, c[k].bound ? 1 : 3, c[k].colour);
      pic_text(&p, 614, 66 + 24 * k, 9, 0, PIC_INK, c[k].name);
   }
   pic_text(&p, (f.left + f.right) / 2, f.bottom + 42, 10, 0.5, PIC_INK, xlabel);
   pic_write(&p, 24, (f.top + f.bottom) / 2, 10, 0.5, 1, PIC_INK, ylabel);
   pic_text(&p, f.left, f.top - 14, 11, 0, PIC_INK, title);
   bench_check(pic_save(&p, path), "%s cannot be written", path);
   pic_free(&p);
}

/* ---- Proposition 2 on bei */
enum { descent_width = 12 };

/* C(M) of the proposition but for a constant, and |M - other|^2; the matrix of a model is M + eps1. */
static double objective(const sneppp_model *model, const sneppp_events *e, double eps1, double eps2, const double *other, double *M, double *apart)
{
   double       nll, square = 0;
   sneppp_error err;
   bench_must(sneppp_nll(model, e, 1, &nll, NULL, NULL, NULL, &err), &err);
   bench_must(sneppp_get_matrix(model, M, &err), &err);
   *apart = 0;
   for (int i = 0; i < descent_width * descent_width; i++) {
      double m = M[i] - (i % (descent_width + 1) ? 0 : eps1);
      square += m * m;
      if (other) *apart += (M[i] - other[i]) * (M[i] - other[i]);
   }
   return nll / (double)e->count + 0.5 * eps2 * square;
}

static double descend(const pattern *p, sneppp_method how, size_t steps, double eps1, double eps2, const double *other, double *M, double *apart,
                      double *seconds, size_t *done)
{
   sneppp_events   e = { .x = p->x, .count = p->count };
   sneppp_desc     desc = { .factor = { { .window = { .dim = 2, .hi = { 1, 1 } }, .unit = { .act = SNEPPP_ACT_COS } } }, .width = descent_width };
   sneppp_fit_desc fit = { .events = &e, .method = how, .steps = steps, .eps1 = eps1, .eps2 = eps2, .tol = 1e-13 };
   sneppp_model    model;
   sneppp_report   report;
   sneppp_error    err;
   double          start = bench_cpu(), C;
   bench_must(sneppp_init(&model, &desc, &err), &err);
   bench_must(sneppp_fit(&model, &fit, &report, &err), &err);
   *seconds = bench_cpu() - start, *done = report.step;
   C = objective(&model, &e, eps1, eps2, other, M, apart);
   sneppp_free(&model);
   return C;
}

static void run_convergence(void)
{
   static const double eps2s[2] = { 0, 1 };
   static const char *const name[6] = { "projected gradient descent: C(M) - C(M*)", "its bound in the proposition, 1/t", "sneppp.h, CONVEX: C(M) - C(M*)",
                                           "projected gradient descent: |M - M*|^2", "its bound there, exp(-t eps2/(2 beta))", "exp(-t eps2/beta), which holds, too" };
   static const unsigned colour[6] = { 0xc0392bu, 0xc0392bu, 0x1f5fa8u, 0x2e8b57u, 0x2e8b57u, 0x888888u };
   const double eps1 = 0.1;
   FILE *out = part_open("convergence");
   patterns_read();
   fprintf(out, "All %lu trees of bei in the unit square, %d cos features on the box, eps1 = %g, so that beta = eps2 + %g and the step is "
                "1/beta. Gap: C(M_t) - C(M*), M* by CONVEX. The bound is that of the proposition, from the matrix after one step.\n\n",
           (unsigned long)patterns[1].count, descent_width, eps1, 1 / (eps1 * eps1));
   for (int k = 0; k < 2; k++) {
      double best[descent_width * descent_width], first[descent_width * descent_width], M[descent_width * descent_width], apart, C, C1, apart1 = 0, seconds, beta = eps2s[k] + 1 / (eps1 * eps1);
      double slow = 0, last = 0, last_t = 0;
      size_t done, steps;
      curve  c[6];
      memset(c, 0, sizeof c);
      for (int i = 0; i < 6; i++) strcpy(c[i].name, name[i]), c[i].colour = colour[i], c[i].bound = i == 1 || i > 3;
      C = descend(&patterns[1], SNEPPP_METHOD_CONVEX, 5000, eps1, eps2s[k], NULL, best, &apart, &seconds, &done);
      fprintf(out, "eps2 = %g: CONVEX ends after %lu steps and %.2f s.\n\n| steps of PGD | gap | bound 1/t | squared distance to M* | exp(-t eps2/(2 beta)) | exp(-t eps2/beta) | seconds |\n"
                   "|---|---|---|---|---|---|---|\n", eps2s[k], (unsigned long)done, seconds);
      steps = done;
      for (size_t s = 1; s < steps; s *= 2) {
         double at = descend(&patterns[1], SNEPPP_METHOD_CONVEX, s, eps1, eps2s[k], best, M, &apart, &seconds, &done);
         curve_add(&c[2], (double)done, fmax(at - C, 1e-15));
      }
      C1 = descend(&patterns[1], SNEPPP_METHOD_PGD, 1, eps1, eps2s[k], best, first, &apart1, &seconds, &done);
      for (size_t t = 1; t <= (k ? 2048 : 8192); t *= 2) {
         double at = descend(&patterns[1], SNEPPP_METHOD_PGD, t + 1, eps1, eps2s[k], best, M, &apart, &seconds, &done);
         double gap = at - C, bound = (3 * beta * apart1 + C1 - C) / (double)(t + 1);
         curve_add(&c[0], (double)t, gap), curve_add(&c[1], (double)t, bound), curve_add(&c[3], (double)t, apart);
         curve_add(&c[4], (double)t, apart1 * exp(-(double)t * eps2s[k] / (2 * beta))), curve_add(&c[5], (double)t, apart1 * exp(-(double)t * eps2s[k] / beta));
         fprintf(out, "| %lu | %.3g | %.3g | %.3g | %.3g | %.3g | %.2f |\n", (unsigned long)t, gap, bound, apart, apart1 * exp(-(double)t * eps2s[k] / (2 * beta)),
                 apart1 * exp(-(double)t * eps2s[k] / beta), seconds);
         bench_check(gap <= bound + 1e-12, "the bound is broken after %lu steps", (unsigned long)t);
         if (apart > 1e-12) slow = last_t > 0 ? log(last / apart) / ((double)t - last_t) : 0, last = apart, last_t = (double)t;
      }
      if (eps2s[k] > 0)
         fprintf(out, "\nThe squared distance falls like exp(-%.3g t) in the end; the proposition promises eps2/(2 beta) = %.3g, its source eps2/beta = %.3g.\n", slow,
                 eps2s[k] / (2 * beta), eps2s[k] / beta);
      fprintf(out, "\n![Convergence with eps2 = %g](paper/convergence%d.png)\n\n", eps2s[k], k);
      draw_curves(c, k ? 6 : 4, 0, "steps t of the solver", "C(M) - C(M*), or |M - M*|^2", k ? "Proposition 2, 3604 trees (bei), 12 cos features: with a penalty, eps2 = 1" : "Proposition 2, 3604 trees (bei), 12 cos features: without a penalty, eps2 = 0", k ? "bench/paper/convergence1.png" : "bench/paper/convergence0.png");
   }
   fclose(out);
}

/* ---- time against the number of events */
static double timed(int how, const double *x, size_t N)
{
   static const double ab[3] = { 1000, 4, 4 };
   double       start = bench_cpu();
   sneppp_error err;
   if (how < 3) {
      sneppp_events   e = { .x = x, .count = N };
      double          mean[4] = { 0.3, 0.3, 0.7, 0.7 }, scale[4] = { 0.3, 0.3, 0.3, 0.3 };
      sneppp_desc     desc = { .factor = { { .window = { .dim = 2, .hi = { 1, 1 } } } } };
      sneppp_fit_desc fit = { .events = &e };
      sneppp_model    model;
      if (how == 0) {
         sneppp_window plane = { .space = SNEPPP_SPACE_GAUSS, .dim = 2, .count = 2, .mean = mean, .scale = scale };
         desc.factor[0].window = plane, desc.factor[0].unit.act = SNEPPP_ACT_COS, desc.width = 50;
         fit.method = SNEPPP_METHOD_ADAM, fit.steps = 30;
      } else if (how == 1) desc.factor[0].unit.act = SNEPPP_ACT_COS, desc.width = 30, fit.method = SNEPPP_METHOD_CONVEX, fit.steps = 40;
      bench_must(sneppp_init(&model, &desc, &err), &err);
      start = bench_cpu();
      bench_must(sneppp_fit(&model, &fit, NULL, &err), &err);
      sneppp_free(&model);
   } else if (how < 6) {
      perm_desc desc = { .d = 2, .hi = { 1, 1 }, .x = x, .count = N, .form = how == 3 ? PERM_RFM : how == 4 ? PERM_NYSTROM : PERM_NAIVE, .size = how == 5 ? 12 : how == 4 ? 200 : 0 };
      perm_fit  fit;
      bench_check(perm_make(&fit, &desc, ab[0] * (double)N / 3000, ab + 1, NULL), "no fit of %lu events", (unsigned long)N);
      perm_free(&fit);
   } else {
      rival_window win = { 0, 2, { 1, 1 } };
      rival_kernel k;
      rival_kernel_make(&k, &win, x, N);
      rival_kernel_choose(&k);
      rival_kernel_free(&k);
   }
   return bench_cpu() - start;
}

/* Seconds that are known from an interrupted run; 0: none. */
static double timed_before(const char *path, size_t N, int how)
{
   FILE         *file = fopen(path, "r");
   unsigned long n;
   int           k;
   double        seconds, found = 0;
   while (file && fscanf(file, "%lu %d %lf", &n, &k, &seconds) == 3)
      if (n == N && k == how) found = seconds;
   if (file) fclose(file);
   return found;
}

static void run_scaling(int most)
{
   const char *const path = "build/paper/scaling.txt";
   enum { ways = 7 };
   static const char *const name[ways] = { "SNEPPP: 30 steps of AdamW, n = 50", "SNEPPP: 40 steps of CONVEX, n = 30", "sneppp.h, default", "permanental, RFM, 100 features", "permanental, Nystrom, 200 points", "permanental, naive", "kernel estimate" };
   static const unsigned colour[ways] = { 0x1f5fa8u, 0x5aa9e6u, 0x111111u, 0x2e8b57u, 0x8e44adu, 0xc0392bu, 0xe08a1eu };
   static const double limit[ways] = { 1e9, 1e9, 1e9, 1e9, 1e9, 2e4, 2e4 }; /* 2e4: two matrices of 2.5 GB */
   static const double sizes[] = { 2, 2.5, 3, 3.5, 4, 4.25, 4.5, 5 }; /* log10 */
   FILE      *out = part_open("scaling");
   double    *x = (double *)bench_take(2 * (size_t)most, sizeof *x);
   curve      c[ways];
   sneppp_rng rng;
   sneppp_rng_init(&rng, 3, 3);
   memset(c, 0, sizeof c);
   for (int i = 0; i < most; i++) x[2 * i] = sneppp_rng_uniform(&rng), x[2 * i + 1] = sneppp_rng_uniform(&rng) * sqrt(sneppp_rng_uniform(&rng));
   fprintf(out, "Processor seconds on one thread for one fit with given settings (of the permanental process: given parameters, so one of the 25 fits of its choice), the least of nine where it takes "
                "below 1 s, of three below 4 s. Slopes between the two largest numbers of events.\n\n| N |");
   for (int k = 0; k < ways; k++) fprintf(out, " %s |", name[k]), c[k].colour = colour[k];
   fprintf(out, "\n|---|---|---|---|---|---|---|---|\n");
   for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && sizes[i] <= log10(most) + 1e-9; i++) {
      size_t N = (size_t)(pow(10, sizes[i]) + 0.5);
      fprintf(out, "| %lu |", (unsigned long)N);
      for (int k = 0; k < ways; k++) {
         double best = timed_before(path, N, k);
         FILE  *notes;
         if ((double)N > limit[k]) { fprintf(out, " |"); continue; }
         if (!(best > 0)) {
            best = timed(k, x, N);
            for (int turn = 1; turn < (best < 1 ? 9 : 3) && best < 4; turn++) best = fmin(best, timed(k, x, N));
            notes = fopen(path, "a");
            if (notes) fprintf(notes, "%lu %d %.4g\n", (unsigned long)N, k, best), fclose(notes);
         }
         curve_add(&c[k], (double)N, best);
         fprintf(out, " %.3g |", best);
         printf("scaling: N = %lu, %s: %.3g s\n", (unsigned long)N, name[k], best);
         fflush(stdout);
      }
      fprintf(out, "\n");
   }
   fprintf(out, "| slope |");
   for (int k = 0; k < ways; k++) {
      curve *q = &c[k];
      double slope = q->count > 1 ? (q->y[q->count - 1] - q->y[q->count - 2]) / (q->x[q->count - 1] - q->x[q->count - 2]) : NAN;
      fprintf(out, " %.2f |", slope);
      if (fabs(slope) < 0.3) snprintf(q->name, sizeof q->name, "%s: levels off", name[k]);
      else snprintf(q->name, sizeof q->name, "%s: slope %.2f", name[k], slope);
   }
   fprintf(out, "\n\n![Time against the number of events](paper/scaling.png)\n");
   draw_curves(c, ways, 0, "events", "processor seconds", "Time of one fit on one thread against the number of events; slopes between the last two", "bench/paper/scaling.png");
   free(x);
   fclose(out);
}

/* ---- clmfires without thinning: learnt from the years before 2922 days had passed, judged by the fires after */
static void run_future(void)
{
   static const method how[] = { RECIPE, DEFAULT, EXACT, RFM, NYSTROM, KERNEL };
   FILE     *out = part_open("future");
   pattern  *p = &patterns[2];
   split     s = { NULL, NULL, 0, 0 };
   csv_table t;
   patterns_read();
   bench_check(csv_read(&t, paper_path(p->file)), "%s", t.error);
   s.train = (double *)bench_take(2 * p->count, sizeof *p->x), s.test = (double *)bench_take(2 * p->count, sizeof *p->x);
   for (size_t i = 0; i < p->count; i++) memcpy(t.value[3 * i + 2] < 2922 ? s.train + 2 * s.trains++ : s.test + 2 * s.tests++, p->x + 2 * i, 2 * sizeof *p->x);
   csv_free(&t);
   fprintf(out, "| clmfires: %lu fires of eight years to learn from, %lu of the two that follow to judge by | NLL of the map |\n|---|---|\n", (unsigned long)s.trains, (unsigned long)s.tests);
   for (size_t k = 0; k < sizeof how / sizeof how[0]; k++) {
      score sc;
      run_method(p, &s, how[k], 1, &sc);
      fprintf(out, "| %s | %.3f |\n", method_name[how[k]], sc.map);
      printf("future: %s %.3f\n", method_name[how[k]], sc.map);
      fflush(stdout);
   }
   split_free(&s);
   fclose(out);
}

/* ---- copper by the permanental processes: fitted in its window or in the box around its events, which the paper's models
   have for a window, and the intensity as the posterior's median or as the square of its mode. All are counted over the window. */
static void run_copper(int splits)
{
   static const method how[3] = { RFM, NYSTROM, NAIVE };
   FILE          *out = part_open("copper");
   const pattern *p = &patterns[3];
   double         sum[2][2][3] = { 0 }, square[2][2][3] = { 0 };
   patterns_read();
   for (int number = 1; number <= splits; number++) {
      split s = split_make(p, number);
      for (int box = 0; box < 2; box++)
         for (int k = 0; k < 3; k++) {
            perm_desc desc = process_desc(p, &s, how[k], (uint64_t)number);
            perm_fit  fit;
            if (box) desc.lo[0] = desc.lo[1] = 0, desc.hi[0] = desc.hi[1] = p->side;
            bench_check(perm_choose(&fit, &desc), "copper: no fit of split %d", number);
            for (int mode = 0; mode < 2; mode++) {
               score sc;
               judge_process(p, &s, &fit, mode, &sc);
               sum[box][mode][k] += sc.nll, square[box][mode][k] += sc.nll * sc.nll;
            }
            perm_free(&fit);
         }
      split_free(&s);
   }
   fprintf(out, "| NLL of %d splits, counted over the window | RFM | Nystrom | naive |\n|---|---|---|---|\n| published | 0.19 +- 0.12 | 0.29 +- 0.24 | 0.31 +- 0.31 |\n", splits);
   for (int box = 0; box < 2; box++)
      for (int mode = 0; mode < 2; mode++) {
         fprintf(out, "| fitted in the %s, %s |", box ? "box around the events" : "window", mode ? "square of the mode" : box ? "median" : "median (as in table 3)");
         for (int k = 0; k < 3; k++) {
            double mean = sum[box][mode][k] / splits, variance = square[box][mode][k] / splits - mean * mean;
            fprintf(out, " %.3f +- %.3f |", mean, sqrt(fmax(variance, 0) * splits / fmax(splits - 1, 1)));
         }
         fprintf(out, "\n");
      }
   fclose(out);
}

/* ---- appendix B: every mixing rule on the fires of Castilla-La Mancha, place and day */
static void run_products(void)
{
   static const struct { const char *name, *when; sneppp_mix mix; int space, time; } rule[] = {
      { "entrywise product", "the default: rich, and K costs no more than one factor's", SNEPPP_MIX_PRODUCT, 80, 80 },
      { "outer product", "when few features of each suffice: every pair meets, at n1 n2 features", SNEPPP_MIX_OUTER, 20, 4 },
      { "addition", "as cheap as the product; interactions come from the square only, and here that is enough", SNEPPP_MIX_SUM, 80, 80 },
      { "stacking", "when factors want different widths", SNEPPP_MIX_STACK, 60, 20 },
      { "first layer (joint)", "one window of all coordinates: waves that travel", SNEPPP_MIX_PRODUCT, 80, 0 },
      { "output, additive", "two causes that know nothing of each other", SNEPPP_MIX_ADDITIVE, 60, 20 },
      { "output, separable", "a map times a profile: few events, or a gap in time to fill", SNEPPP_MIX_SEPARABLE, 60, 20 },
   };
   FILE          *out = part_open("products");
   csv_table      t;
   double        *x, *y;
   unsigned char *keep;
   sneppp_events  train = { 0 }, test = { 0 };
   double         mass = 150.0 * 300 * 3653;
   sneppp_rng     rng;
   sneppp_rng_init(&rng, 5, 0);
   bench_check(csv_read(&t, paper_path("clmfires.csv")), "%s", t.error);
   x = (double *)bench_take(3 * t.rows, sizeof *x), y = (double *)bench_take(3 * t.rows, sizeof *x), keep = (unsigned char *)bench_take(t.rows, 1);
   sneppp_thin(t.rows, 0.8, 1, keep);
   for (size_t i = 0; i < t.rows; i++) {
      double *to = keep[i] ? x + 3 * train.count++ : y + 3 * test.count++;
      memcpy(to, t.value + 3 * i, 3 * sizeof *to);
      to[2] = fmin(to[2], 3652) + sneppp_rng_uniform(&rng); /* some hour of its day, which is not known: no spikes at days */
   }
   train.x = x, test.x = y;
   fprintf(out, "Fires of Castilla-La Mancha, place and time together (some hour of its day for each; %lu to learn from, %lu to judge by, one split), cos features drawn as the library does, "
                "readout by CONVEX with a penalty trace = 0.003. Nats per event in a window of volume 1, less is better, a constant has about 0. One split, and one draw of features: differences of a few hundredths mean little.\n\n"
                "| mixing rule | features | test NLL | training NLL | seconds | when to use it |\n|---|---|---|---|---|---|\n", (unsigned long)train.count, (unsigned long)test.count);
   for (size_t k = 0; k <= sizeof rule / sizeof rule[0]; k++) {
      int             ours = k == sizeof rule / sizeof rule[0];
      sneppp_desc     desc = { .factor = { { .window = { .dim = 2, .lo = { 180, 60 }, .hi = { 330, 360 } }, .unit = { .act = SNEPPP_ACT_COS } },
                                           { .window = { .dim = 1, .hi = { 3653 } }, .unit = { .act = SNEPPP_ACT_COS } } } };
      sneppp_fit_desc fit = { .events = &train, .method = SNEPPP_METHOD_CONVEX, .tol = 1e-3, .trace = 0.003 };
      sneppp_model    model;
      sneppp_report   report;
      sneppp_error    err;
      double          nll, start = bench_cpu();
      if (ours) {
         desc.factor[0].unit.act = desc.factor[1].unit.act = SNEPPP_ACT_DEFAULT;
         fit.method = SNEPPP_METHOD_AUTO, fit.tol = fit.trace = 0;
      } else desc.mix = rule[k].mix, desc.factor[0].width = rule[k].space, desc.factor[1].width = rule[k].time;
      if (!ours && !rule[k].time) desc.factor[0].window.dim = 3, desc.factor[0].window.hi[2] = 3653, desc.factor[1].window.dim = 0;
      if (!ours && rule[k].mix == SNEPPP_MIX_SEPARABLE) fit.trace = 0;
      bench_must(sneppp_init(&model, &desc, &err), &err);
      bench_must(sneppp_fit(&model, &fit, &report, &err), &err);
      start = bench_cpu() - start;
      bench_must(sneppp_test_nll(&model, &test, 1, 0.25, &nll, NULL, &err), &err);
      fprintf(out, "| %s | %d | %.3f | %.3f | %.1f | %s |\n", ours ? "sneppp.h, default" : rule[k].name, model.n, nll - log(mass), report.nll - log(mass), start,
              ours ? "no rule to choose" : rule[k].when);
      printf("products: %s %.3f\n", ours ? "default" : rule[k].name, nll - log(mass));
      fflush(stdout);
      sneppp_free(&model);
   }
   csv_free(&t);
   free(x), free(y), free(keep);
   fclose(out);
}
#endif
