/* What covariates do, for the programs of this folder: the effect of one of them with its band, drawn; and the default fit
   helped by them. Include sneppp.h first.

   AUTO has bumps of the place only. What covariates know enters by a start (Hjort and Glad 1995, "Nonparametric density
   estimation with a parametric start"): CONVEX fits waves of place and covariates, and its intensity relative to the
   exposure, to a power, multiplies the exposure under which AUTO then fits. Power 0 is AUTO alone; 1 trusts the start as it
   is, which was made from the same events, so that a part of it is counted twice. The power is chosen on events of the
   training set that are held out in turn, from start and fit alike. The result is a plain model of a raster with an
   exposure, to be saved, drawn and sampled like any other. Its exposure is that of a start which is not in it any more: so
   it cannot say what if, which is asked of the start, and this is a recipe here and no method of the library. */
#ifndef EFFECT_H
#define EFFECT_H
#include "draw.h"

/* The number of events with covariate q at each of the values and all else as it is, over the window of the model, which is
   a raster with these covariates z; its interval of 95 %. One call for all values: what intervals are made from is made
   once for a call. */
static inline sneppp_status effect_curve(const sneppp_model *m, const double *z, size_t q, const double *value, size_t values, sneppp_sure *out, sneppp_error *err)
{
   const sneppp_window *own = &m->desc.factor[0].window;
   const size_t         Q = (size_t)own->covariates, count = own->cells[0] * own->cells[1] * Q;
   double              *other = (double *)malloc((values * count + 1) * sizeof *other);
   sneppp_window       *what = (sneppp_window *)malloc((values + 1) * sizeof *what);
   sneppp_region       *region = (sneppp_region *)calloc(values + 1, sizeof *region);
   sneppp_status        st = SNEPPP_ERR_MEMORY;
   if (err) snprintf(err->why, sizeof err->why, "not enough memory for the effect of a covariate");
   for (size_t k = 0; other && what && region && k < values; k++) {
      for (size_t i = 0; i < count; i++) other[k * count + i] = i % Q == q && isfinite(z[i]) ? value[k] : z[i];
      what[k] = *own, what[k].z = other + k * count, what[k].weight = NULL, region[k].factor[0] = &what[k];
   }
   if (other && what && region) st = sneppp_count_sure(m, region, values, 0.95, out, NULL, err);
   free(other), free(what), free(region);
   return st;
}

/* The curve in its band, in the frame; numbers times `unit`. What of the band is higher than the frame is cut. */
static inline void effect_draw(picture *p, const pic_frame *f, const double *value, size_t values, const sneppp_sure *effect, double unit)
{
   for (double x = f->left; values > 1 && x < f->right; x++) {
      double v = f->x0 + (f->x1 - f->x0) * (x + 0.5 - f->left) / (f->right - f->left), t;
      size_t k = 0;
      if (v < value[0] || v > value[values - 1]) continue;
      while (k + 2 < values && value[k + 1] < v) k++;
      t = (v - value[k]) / (value[k + 1] - value[k]);
      pic_box(p, x, fmax(f->top, pic_y(f, fmin(f->y1, unit * ((1 - t) * effect[k].upper + t * effect[k + 1].upper)))), x + 1,
              pic_y(f, fmin(f->y1, unit * ((1 - t) * effect[k].lower + t * effect[k + 1].lower))), 0xf3d9c4u);
   }
   for (size_t k = 0; k + 1 < values; k++)
      pic_line(p, pic_x(f, value[k]), pic_y(f, unit * effect[k].mean), pic_x(f, value[k + 1]), pic_y(f, unit * effect[k + 1].mean), 2, 0xb03a10u);
}

static inline sneppp_status effect_learn(sneppp_model *m, const sneppp_window *w, const sneppp_events *train, sneppp_method method, int width, sneppp_act act, sneppp_error *err)
{
   sneppp_desc     desc = {.factor = {{.window = *w, .unit = {.act = act}}}, .width = width};
   sneppp_fit_desc fit = {.events = train, .method = method, .tune = method == SNEPPP_METHOD_CONVEX};
   sneppp_status   st;
   if (method == SNEPPP_METHOD_ADAM) fit.steps = 300, fit.rate = 0.05, fit.schedule = SNEPPP_RATE_COSINE, fit.decay = SNEPPP_NONE;
   st = sneppp_init(m, &desc, err);
   if (!st) st = sneppp_fit(m, &fit, NULL, err);
   if (st) sneppp_free(m);
   return st;
}

/* AUTO under the exposure that the start makes. weight: room for that of all cells. The start's intensity is taken in the
   middle of a cell, or of what the window leaves of it, and not below a hundredth of its mean. */
static inline sneppp_status effect_helped(sneppp_model *m, const sneppp_model *start, double power, const sneppp_events *train, double *weight, sneppp_error *err)
{
   const sneppp_window *cells = &start->desc.factor[0].window;
   sneppp_window        w = *cells;
   double               total, mass = sneppp_window_mass(cells);
   sneppp_status        st = sneppp_count(start, NULL, 1, &total, NULL, err);
   if (st) return st;
   for (size_t k = 0; k < w.cells[0] * w.cells[1]; k++) {
      double      x[2], own;
      sneppp_real at[2];
      for (int r = 0; r < 2; r++) {
         double lo = w.origin[r] + w.cell[r] * (double)(r ? k / w.cells[0] : k % w.cells[0]), hi = lo + w.cell[r];
         if (w.hi[r] > w.lo[r]) lo = fmin(fmax(lo, w.lo[r]), w.hi[r]), hi = fmin(fmax(hi, w.lo[r]), w.hi[r]);
         x[r] = 0.5 * (lo + hi), at[r] = (sneppp_real)x[r];
      }
      own = sneppp_window_density(cells, x);
      weight[k] = own > 0 ? own * pow(fmax((double)sneppp_intensity(start, at) / own * mass / total, 0.01), power) : 0;
   }
   w.weight = weight, w.covariates = 0, w.z = NULL, w.no_place = 0;
   return effect_learn(m, &w, train, SNEPPP_METHOD_AUTO, 0, SNEPPP_ACT_DEFAULT, err);
}

enum { effect_folds = 3, effect_powers = 4 };
static const double effect_power[effect_powers] = {0, 0.15, 0.5, 1};

/* The whole recipe. w: the raster with its covariates; weight: room for its cells; mixed: room for the events; power: the
   first after which the next is no better on events that were held out. */
static inline sneppp_status effect_fit(sneppp_model *m, const sneppp_window *w, const sneppp_events *train, int width, double *weight, double *mixed, double *power, sneppp_error *err)
{
   const size_t  N = train->count;
   sneppp_model  start[effect_folds + 1]; /* one without each fold, and one of all events */
   sneppp_events most[effect_folds], rest[effect_folds];
   sneppp_status st = SNEPPP_OK;
   double        least = 0;
   int           best = -1;
   memset(start, 0, sizeof start), memset(most, 0, sizeof most), memset(rest, 0, sizeof rest);
   for (size_t fold = 0; fold < effect_folds && !st; fold++) {
      double *list = mixed + 2 * N * fold;
      size_t  from = N * fold / effect_folds, to = N * (fold + 1) / effect_folds, at = 0, back = N;
      for (size_t i = 0; i < N; i++) /* in an order by chance */
         memcpy(list + 2 * (i >= from && i < to ? --back : at++), train->x + 2 * (size_t)sneppp_rng_permute(i, N, 7), 2 * sizeof *list);
      most[fold].x = list, most[fold].count = at, rest[fold].x = list + 2 * at, rest[fold].count = N - at;
      st = effect_learn(&start[fold], w, &most[fold], SNEPPP_METHOD_CONVEX, width, SNEPPP_ACT_COS, err);
   }
   if (!st) st = effect_learn(&start[effect_folds], w, train, SNEPPP_METHOD_CONVEX, width, SNEPPP_ACT_COS, err);
   for (int p = 0; p < effect_powers && best == p - 1 && !st; p++) {
      double sum = 0;
      for (size_t fold = 0; fold < effect_folds && !st; fold++) {
         double nll = 0;
         st = effect_helped(m, &start[fold], effect_power[p], &most[fold], weight, err);
         if (st) break;
         st = sneppp_test_nll(m, &rest[fold], 1, (double)rest[fold].count / (double)most[fold].count, &nll, NULL, err);
         sum += nll * (double)rest[fold].count;
         sneppp_free(m);
      }
      if (!p || sum < least) best = p, least = sum;
   }
   if (!st) *power = effect_power[best], st = effect_helped(m, &start[effect_folds], *power, train, weight, err);
   for (int fold = 0; fold <= effect_folds; fold++) sneppp_free(&start[fold]);
   return st;
}
#endif
