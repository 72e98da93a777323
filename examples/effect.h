/* What covariates do, for the programs of this folder: the effect of one of them with its band, drawn. Include sneppp.h
   first. */
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

static inline sneppp_status effect_learn(sneppp_model *m, const sneppp_window *w, const sneppp_events *train, sneppp_method method, int width, sneppp_act act, sneppp_report *report, sneppp_error *err)
{
   sneppp_desc     desc = {.factor = {{.window = *w, .unit = {.act = act}}}, .width = width};
   sneppp_fit_desc fit = {.events = train, .method = method, .tune = method == SNEPPP_METHOD_CONVEX};
   sneppp_status   st;
   if (method == SNEPPP_METHOD_ADAM) fit.steps = 300, fit.rate = 0.05, fit.schedule = SNEPPP_RATE_COSINE, fit.decay = SNEPPP_NONE;
   st = sneppp_init(m, &desc, err);
   if (!st) st = sneppp_fit(m, &fit, report, err);
   if (st) sneppp_free(m);
   return st;
}
#endif
