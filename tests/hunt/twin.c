/* Compiled for the precision that the hunter is not. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#ifdef SNEPPP_REAL_FLOAT
#undef SNEPPP_REAL_FLOAT
#else
#define SNEPPP_REAL_FLOAT
#endif
#include "../../sneppp.h"
#include "twin.h"

static sneppp_real *twin_copy(const double *x, size_t count)
{
   sneppp_real *to = (sneppp_real *)malloc((count + 1) * sizeof *to);
   for (size_t i = 0; to && i < count; i++) to[i] = (sneppp_real)x[i];
   return to;
}

/* Rounding may carry a point across the border of its window, where nothing can be compared. */
static int twin_all_inside(const sneppp_model *m, const sneppp_real *x, size_t points)
{
   for (size_t i = 0; i < points; i++)
      for (int f = 0; f < m->factors; f++) {
         double y[SNEPPP_MAX_DIM];
         for (int r = 0; r < m->layer[f].D; r++)
            y[r] = (double)x[i * (size_t)m->D + (size_t)(m->layer[f].first + r)];
         if (!sneppp_window_contains(&m->desc.factor[f].window, y)) return 0;
      }
   return 1;
}

int twin_ask(const void *saved, size_t bytes, const double *x, size_t points, int D, double *lambda,
             double *count)
{
   sneppp_model m;
   sneppp_real *y;
   int bad = 0;
   if (sneppp_load(&m, saved, bytes, NULL, 0, NULL, NULL) != SNEPPP_OK) return 1;
   y = twin_copy(x, points * (size_t)D);
   if (!y || !twin_all_inside(&m, y, points) || sneppp_count(&m, NULL, 1, count, NULL, NULL) != SNEPPP_OK) bad = 1;
   for (size_t i = 0; !bad && i < points; i++) lambda[i] = (double)sneppp_intensity(&m, y + i * (size_t)D);
   free(y);
   sneppp_free(&m);
   return bad;
}

int twin_fit(const void *desc, const double *x, size_t count, const double *weight, int D, int method,
             double *nll, double *gap, double *expected)
{
   sneppp_model m;
   sneppp_events e;
   sneppp_fit_desc fit;
   sneppp_report report;
   sneppp_desc d = *(const sneppp_desc *)desc;
   sneppp_real *y = twin_copy(x, count * (size_t)D), *w = weight ? twin_copy(weight, count) : NULL;
   int bad = 1;
   memset(&e, 0, sizeof e);
   memset(&fit, 0, sizeof fit);
   d.mem = NULL, d.mem_bytes = 0, d.alloc_ctx = NULL;
   e.x = y, e.count = count, e.weight = w;
   fit.events = &e, fit.method = (sneppp_method)method;
   if (y && sneppp_init(&m, &d, NULL) == SNEPPP_OK) {
      bad = !twin_all_inside(&m, y, count) || sneppp_fit(&m, &fit, &report, NULL) != SNEPPP_OK;
      if (!bad && report.dropped) bad = 1; /* another problem than the one without dropped directions */
      if (!bad) *nll = report.nll, *gap = report.gap, *expected = report.expected;
      sneppp_free(&m);
   }
   free(w);
   free(y);
   return bad;
}
