/* The contest of the tables: every method is fitted to the training part of a split and judged by the rest of it.
   Include patterns.h, rivals.h and permanental.h first. */
#ifndef SNEPPP_PAPER_CONTEST_H
#define SNEPPP_PAPER_CONTEST_H

typedef enum method { LOGLINEAR, MIXTURE, LITERAL, RECIPE, DEFAULT, EXACT, RFM, NYSTROM, NAIVE, KERNEL, CONSTANT, TRUTH, methods } method;
static const char *const method_name[methods] = { "log-linear", "log-linear mixture", "SNEPPP, drawn as the code does",
                                                  "SNEPPP, the recipe", "sneppp.h, default", "sneppp.h, coordinates exact", "RFM", "Nystrom", "naive", "kernel, edge-corrected", "a constant", "the true intensity" };
static const char *const method_key[methods] = { "loglinear", "mixture", "literal", "recipe", "default", "exact", "rfm", "nystrom", "naive", "kernel", "constant", "truth" };

typedef struct score {
   double nll, window; /* joint, per event, with log M!: with the integral of the model's own domain, and of the window */
   double map;         /* the same, the map scaled to the number of test events                                         */
   double count;       /* |expected - seen| / seen of the test events                                                  */
   double rmse;        /* of the whole intensity, where it is known                                                    */
   double seconds;     /* of processor time, for the fit                                                               */
} score;

enum { rmse_side = 100 };

static double area(const pattern *p) { return (p->to[0] - p->from[0]) * (p->to[1] - p->from[1]); }

/* Midpoints of side x side cells of the window. */
static double *midpoints(const pattern *p, int side)
{
   double *x = (double *)bench_take(2 * (size_t)(side * side), sizeof *x);
   for (int i = 0; i < side * side; i++) {
      x[2 * i] = p->from[0] + (p->to[0] - p->from[0]) * (i % side + 0.5) / side;
      x[2 * i + 1] = p->from[1] + (p->to[1] - p->from[1]) * (i / side + 0.5) / side;
   }
   return x;
}

/* From the fitted intensity at the test events (tests) and, for the letter, at midpoints; total: its integral. */
static void judge(const pattern *p, const split *s, const double *at, const double *grid, double total, double inside, score *out)
{
   double sum = 0, M = (double)s->tests;
   for (size_t i = 0; i < s->tests; i++) sum += log(fmax(0.25 * at[i], 1e-300));
   out->nll = (0.25 * total - sum + lgamma(M + 1)) / M;
   out->window = (0.25 * inside - sum + lgamma(M + 1)) / M;
   out->map = 1 - (sum + M * log(4 * M / inside)) / M + lgamma(M + 1) / M;
   out->count = fabs(0.25 * total - M) / M;
   out->rmse = NAN;
   if (!p->x) {
      double *z = midpoints(p, rmse_side), square = 0;
      for (int i = 0; i < rmse_side * rmse_side; i++) square += pow(grid[i] / 0.8 - paper_letter(z + 2 * i), 2);
      out->rmse = sqrt(square / (rmse_side * rmse_side));
      free(z);
   }
}

/* ---- the library's models */
typedef struct drawn { /* where the paper's model begins */
   double wave;  /* deviation of the weights                                             */
   int    phase; /* 1: biases are uniform angles; 0: 0                                   */
   double mean;  /* means of the mixture: uniform in the square of this side; 0: normal  */
   double scale; /* of its components                                                   */
   double floor; /* share of the events that the constant part v0^2 begins with          */
} drawn;

/* The paper's model: cos, a mixture of Gaussians as base measure, n = m, everything learnt by AdamW. */
static void recipe_make(sneppp_model *model, const pattern *p, const drawn *how, uint64_t seed)
{
   double     *W = (double *)bench_take(3 * (size_t)p->width, sizeof *W), *b = W + 2 * p->width, mean[32], scale[32];
   sneppp_desc desc = { .factor = { { .window = { .space = SNEPPP_SPACE_GAUSS, .dim = 2, .count = (size_t)p->mixture, .mean = mean, .scale = scale },
                                      .unit = { .act = SNEPPP_ACT_COS } } }, .width = p->width, .seed = seed };
   sneppp_rng   rng;
   sneppp_error err;
   sneppp_rng_init(&rng, seed, 77);
   for (int k = 0; k < 2 * p->mixture; k++) {
      mean[k] = how->mean > 0 ? how->mean * sneppp_rng_uniform(&rng) : sneppp_rng_normal(&rng);
      scale[k] = how->scale;
   }
   for (int i = 0; i < 2 * p->width; i++) W[i] = how->wave * sneppp_rng_normal(&rng);
   for (int i = 0; i < p->width; i++) b[i] = how->phase ? 2 * RIVAL_PI * sneppp_rng_uniform(&rng) : 0;
   bench_must(sneppp_init(model, &desc, &err), &err);
   bench_must(sneppp_set_layer(model, 0, W, b, NULL, &err), &err);
   free(W);
}

/* Exponentials that were fitted to the square, integrated over the window. */
static double exponentials_inside(const pattern *p, const sneppp_model *model)
{
   size_t       n = (size_t)model->n;
   sneppp_desc  desc = { .factor = { { .window = { .dim = 2, .lo = { p->from[0], p->from[1] }, .hi = { p->to[0], p->to[1] } }, .unit = { .act = SNEPPP_ACT_EXP } } },
                         .width = model->n, .readout = model->desc.readout, .alpha = model->alpha };
   double      *W = (double *)bench_take((3 + n) * n, sizeof *W), *b = W + 2 * n, *M = b + n, count;
   sneppp_model wide;
   sneppp_error err;
   bench_check(!(model->floor > 0), "a floor that is not integrated");
   bench_must(sneppp_init(&wide, &desc, &err), &err);
   bench_must(sneppp_get_layer(model, 0, W, b, NULL, &err), &err);
   bench_must(sneppp_set_layer(&wide, 0, W, b, NULL, &err), &err);
   bench_must(sneppp_get_matrix(model, M, &err), &err);
   bench_must(sneppp_set_matrix(&wide, M, &err), &err);
   bench_must(sneppp_count(&wide, NULL, 1, &count, NULL, &err), &err);
   sneppp_free(&wide);
   free(W);
   return count;
}

static void by_model(const pattern *p, const split *s, method how, uint64_t seed, score *out)
{
   sneppp_events   train = { .x = s->train, .count = s->trains }, test = { .x = s->test, .count = s->tests }, cells = { 0 };
   sneppp_desc     desc = { .factor = { { .window = { .dim = 2, .lo = { p->from[0], p->from[1] }, .hi = { p->to[0], p->to[1] } } } } };
   sneppp_fit_desc fit = { .events = &train };
   sneppp_model    model;
   sneppp_error    err;
   double         *at = (double *)bench_take(s->tests, sizeof *at), *grid = NULL, total, inside = 0, start = bench_cpu();
   if (how == LITERAL || how == RECIPE) {
      const drawn published = { 2, 0, 0, 1, 2.0 / 3 }, ours = { p->wave, 1, p->side, 0.3 * p->side, p->constant };
      recipe_make(&model, p, how == LITERAL ? &published : &ours, seed);
      fit.method = SNEPPP_METHOD_ADAM, fit.steps = (size_t)p->steps, fit.rate = p->rate;
      fit.floor = (how == LITERAL ? published : ours).floor;
   } else {
      if (how == LOGLINEAR || how == MIXTURE) {
         sneppp_window square = { .dim = 2, .hi = { p->side, p->side } }; /* as there, where their exact integral is [a, b]^d's */
         desc.factor[0].window = square, desc.factor[0].unit.act = SNEPPP_ACT_EXP, desc.width = how == MIXTURE ? 80 : 1, desc.seed = seed;
         if (how == MIXTURE) desc.readout = SNEPPP_READOUT_DIAGONAL;
         fit.method = SNEPPP_METHOD_ADAM, fit.rate = 0.0125;
      }
      if (how == EXACT) fit.resolution = SNEPPP_NONE; /* the default spreads events that were recorded on a grid over its cells */
      bench_must(sneppp_init(&model, &desc, &err), &err);
   }
   bench_must(sneppp_fit(&model, &fit, NULL, &err), &err);
   out->seconds = bench_cpu() - start;
   bench_must(sneppp_count(&model, NULL, 1, &total, NULL, &err), &err);
   bench_must(sneppp_intensities(&model, &test, at, NULL, &err), &err);
   inside = how == LOGLINEAR || how == MIXTURE ? exponentials_inside(p, &model) : total;
   if (how == LITERAL || how == RECIPE || !p->x) { /* waves of the recipe are long beside the cells of 160 */
      int side = p->x ? 160 : rmse_side;
      cells.count = (size_t)(side * side), cells.x = midpoints(p, side);
      grid = (double *)bench_take(cells.count, sizeof *grid);
      bench_must(sneppp_intensities(&model, &cells, grid, NULL, &err), &err);
      for (size_t i = 0; (how == LITERAL || how == RECIPE) && i < cells.count; i++)
         inside = (i ? inside : 0) + grid[i] * area(p) / (double)cells.count;
      free((void *)(uintptr_t)cells.x);
   }
   judge(p, s, at, grid, total, inside, out);
   sneppp_free(&model);
   free(at), free(grid);
}

/* ---- the rivals */
static perm_desc process_desc(const pattern *p, const split *s, method how, uint64_t seed)
{
   perm_desc desc = { .d = 2, .lo = { p->from[0], p->from[1] }, .hi = { p->to[0], p->to[1] }, .x = s->train, .count = s->trains, .seed = seed,
                      .form = how == NAIVE ? PERM_NAIVE : how == NYSTROM ? PERM_NYSTROM : PERM_RFM };
   return desc;
}

/* mode: take the square of the mean of f, which is its mode, for the intensity, not the posterior median. */
static void judge_process(const pattern *p, const split *s, const perm_fit *fit, int mode, score *out)
{
   enum { side = 40 };
   double node[2][side], weight[2][side], *nodes = (double *)bench_take(2 * side * side, sizeof *nodes), inside = 0;
   double *x[3], *mean, *variance, *out_at[3] = { NULL, NULL, NULL };
   size_t  count[3];
   for (int r = 0; r < 2; r++) perm_legendre(side, p->from[r], p->to[r], node[r], weight[r]);
   for (int i = 0; i < side * side; i++) nodes[2 * i] = node[0][i % side], nodes[2 * i + 1] = node[1][i / side];
   x[0] = s->test, count[0] = s->tests, x[1] = nodes, count[1] = side * side;
   x[2] = p->x ? NULL : midpoints(p, rmse_side), count[2] = p->x ? 0 : rmse_side * rmse_side;
   for (int k = 0; k < 3; k++) {
      mean = (double *)bench_take(count[k], sizeof *mean), variance = (double *)bench_take(count[k], sizeof *mean);
      if (count[k]) perm_at(fit, x[k], count[k], mean, variance);
      for (size_t i = 0; i < count[k]; i++) mean[i] = mode ? mean[i] * mean[i] : perm_median(mean[i], variance[i]);
      out_at[k] = mean;
      free(variance);
   }
   for (int i = 0; i < side * side; i++) inside += weight[0][i % side] * weight[1][i / side] * out_at[1][i];
   judge(p, s, out_at[0], out_at[2], inside, inside, out);
   for (int k = 0; k < 3; k++) free(out_at[k]);
   free(nodes), free(x[2]);
}

static void by_process(const pattern *p, const split *s, method how, uint64_t seed, score *out)
{
   perm_desc desc = process_desc(p, s, how, seed);
   perm_fit  fit;
   double    start = bench_cpu();
   bench_check(perm_choose(&fit, &desc), "%s: no fit of split %lu", p->name, (unsigned long)seed);
   out->seconds = bench_cpu() - start;
   judge_process(p, s, &fit, 0, out);
   perm_free(&fit);
}

/* Points from the window's corner on, where the kernel estimate has its zero. The caller frees them. */
static double *from_corner(const pattern *p, const double *x, size_t count)
{
   double *y = (double *)bench_take(2 * count, sizeof *y);
   for (size_t i = 0; i < 2 * count; i++) y[i] = x[i] - p->from[i % 2];
   return y;
}

static void by_kernel(const pattern *p, const split *s, score *out)
{
   rival_window win = { 0, 2, { p->to[0] - p->from[0], p->to[1] - p->from[1] } };
   rival_kernel k;
   double      *train = from_corner(p, s->train, s->trains), *test = from_corner(p, s->test, s->tests);
   double      *at = (double *)bench_take(s->tests, sizeof *at), *grid = NULL, start = bench_cpu();
   rival_kernel_make(&k, &win, train, s->trains);
   rival_kernel_choose(&k);
   out->seconds = bench_cpu() - start;
   rival_kernel_at(&k, test, s->tests, at);
   if (!p->x) {
      double *z = midpoints(p, rmse_side);
      grid = (double *)bench_take(rmse_side * rmse_side, sizeof *grid);
      rival_kernel_at(&k, z, rmse_side * rmse_side, grid);
      free(z);
   }
   judge(p, s, at, grid, (double)s->trains, (double)s->trains, out);
   rival_kernel_free(&k);
   free(train), free(test), free(at), free(grid);
}

/* The two ends: as many events as there were, everywhere in the square and beyond; and the truth, where it is known. */
static void by_end(const pattern *p, const split *s, method how, score *out)
{
   double *at = (double *)bench_take(s->tests, sizeof *at), *cell = midpoints(p, rmse_side), *grid = (double *)bench_take(rmse_side * rmse_side, sizeof *grid);
   double  level = (double)s->trains / (p->side * p->side), inside = 0;
   for (size_t i = 0; i < s->tests; i++) at[i] = how == TRUTH ? 0.8 * paper_letter(s->test + 2 * i) : level;
   for (int i = 0; i < rmse_side * rmse_side; i++) {
      grid[i] = how == TRUTH ? 0.8 * paper_letter(cell + 2 * i) : level;
      inside += grid[i] * area(p) / (rmse_side * rmse_side);
   }
   out->seconds = 0;
   judge(p, s, at, grid, how == TRUTH ? inside : (double)s->trains, inside, out);
   free(at), free(cell), free(grid);
}

static void run_method(const pattern *p, const split *s, method how, int number, score *out)
{
   if (how == CONSTANT || how == TRUTH) by_end(p, s, how, out);
   else if (how == KERNEL) by_kernel(p, s, out);
   else if (how == RFM || how == NYSTROM || how == NAIVE) by_process(p, s, how, (uint64_t)number, out);
   else by_model(p, s, how, (uint64_t)number, out);
}
#endif
