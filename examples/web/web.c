/* What the page asks of the library, compiled to WebAssembly by `make web`. Numbers go in and out through flat arrays in
   the memory of the module: the page allocates, fills, calls, and reads the answer. There are two models, the one on the
   map and the one of the lesson, and one function at a time is called: the page runs all this in one worker. */
#define SNEPPP_NO_STDIO
#define SNEPPP_SECONDS() web_now()
#define SNEPPP_IMPLEMENTATION
#define WEB(result, name) __attribute__((used, export_name(#name))) result name
#include <stdio.h>
#include <stdlib.h>
__attribute__((import_module("env"), import_name("web_now"))) double web_now(void); /* seconds, by the browser */
#include "../../sneppp.h"
#include "../export.h"

enum { PLANE, LINE, GLOBE };
enum { ON_MAP, IN_LESSON, MODELS };
enum { TRACE = 4096 }; /* looks of a fit that are remembered */

static sneppp_model  model[MODELS];
static sneppp_error  err;
static double        answer[64], trace[3 * TRACE]; /* trace: step, nll, gap of each look */
static int           traced, space;
static char         *text;                         /* of the last export or save */
static size_t        text_used, text_room;

WEB(void *, web_alloc)(size_t bytes) { return malloc(bytes ? bytes : 1); }
WEB(void, web_free)(void *p) { free(p); }
WEB(double *, web_answer)(void) { return answer; }
WEB(double *, web_trace)(void) { return trace; }
WEB(const char *, web_why)(void) { return err.why; }
WEB(int, web_version)(void) { return sneppp_version(); }

static int refuse(const char *why)
{
   err.status = SNEPPP_ERR_ARG;
   snprintf(err.why, sizeof err.why, "%s", why);
   return SNEPPP_ERR_ARG;
}

static int look(const sneppp_report *now, const sneppp_model *m, void *user)
{
   (void)m, (void)user;
   if (!(now->gap >= 0) || traced == TRACE || (traced && trace[3 * traced - 1] == now->gap)) return 0;
   trace[3 * traced] = (double)now->step, trace[3 * traced + 1] = now->nll, trace[3 * traced++ + 2] = now->gap;
   return 0;
}

/* Fits `which` of the two models to x (count, 2), on the line (count, 1), on the globe degrees. side: x0, x1, y0, y1.
   The answer: events, features, nll, gap, expected, steps, copies, five shares, the uniform part, traced looks. */
WEB(int, web_fit)(int which, int kind, const double *side, const double *x, size_t count, int method, int width, double eps1, size_t steps, double tol)
{
   const size_t    d = kind == PLANE ? 2 : kind == LINE ? 1 : 3;
   sneppp_desc     desc;
   sneppp_events   events;
   sneppp_fit_desc fit;
   sneppp_report   r;
   sneppp_model    next;
   sneppp_window  *w = &desc.factor[0].window;
   double         *unit = NULL;
   int             st;
   memset(&desc, 0, sizeof desc);
   memset(&events, 0, sizeof events);
   memset(&fit, 0, sizeof fit);
   memset(&r, 0, sizeof r);
   w->space = kind == GLOBE ? SNEPPP_SPACE_SPHERE : SNEPPP_SPACE_BOX;
   w->dim = (int)d;
   for (int k = 0; kind != GLOBE && k < (int)d; k++) w->lo[k] = side[2 * k], w->hi[k] = side[2 * k + 1];
   desc.width = width;
   if (kind == GLOBE && count) {
      unit = (double *)malloc(3 * count * sizeof *unit);
      if (!unit) return refuse("memory is short");
      for (size_t i = 0; i < count; i++) { /* one by one: a handful of clicks near Guinea is no table of radians */
         st = sneppp_lonlats_to_units(1, x + 2 * i, 0, unit + 3 * i, 0, &err);
         if (st) { free(unit); return st; }
      }
      x = unit;
   }
   events.x = x;
   events.count = count;
   fit.events = &events;
   fit.method = (sneppp_method)method;
   fit.progress = look;
   if (method != SNEPPP_METHOD_AUTO) fit.eps1 = eps1, fit.steps = steps, fit.tol = tol;
   traced = 0;
   st = sneppp_init(&next, &desc, &err);
   if (!st) st = sneppp_fit(&next, &fit, &r, &err);
   free(unit);
   if (st) { sneppp_free(&next); return st; }
   sneppp_free(&model[which]);
   model[which] = next;
   if (which == ON_MAP) space = kind;
   answer[0] = (double)count, answer[1] = r.width, answer[2] = r.nll, answer[3] = r.gap, answer[4] = r.expected;
   answer[5] = (double)r.step, answer[6] = (double)r.copies;
   for (int k = 0; k < 5; k++) answer[7 + k] = method == SNEPPP_METHOD_AUTO ? r.share[k] : 0;
   answer[12] = next.floor * sneppp_window_mass(w);
   answer[13] = traced;
   return st;
}

/* The intensity in the middle of cols x rows cells of a rectangle, from the top row down; on the line rows is 1. */
WEB(int, web_map)(int which, int cols, int rows, double x0, double x1, double y0, double y1, float *out)
{
   const sneppp_model *m = &model[which];
   const size_t        n = (size_t)cols * (size_t)rows, D = (size_t)m->D;
   double             *x, *v;
   sneppp_events       at;
   if (!m->factors) return refuse("there is no model yet");
   x = (double *)malloc(n * (D + 1) * sizeof *x);
   if (!x) return refuse("memory is short");
   v = x + n * D;
   if (D < 3) { /* rows from below */
      sneppp_grid grid = {.cells = {cols, rows}, .lo = {x0, y0}, .hi = {x1, y1}};
      if (sneppp_bake(m, &grid, v, NULL, &err) == SNEPPP_OK) err.status = SNEPPP_OK;
      for (size_t i = 0; !err.status && i < n; i++) out[n - (size_t)cols * (1 + i / (size_t)cols) + i % (size_t)cols] = (float)v[i];
      free(x);
      return err.status;
   }
   for (size_t i = 0; i < n; i++) {
      const double rad = 3.14159265358979323846 / 180, u = rad * (x0 + (x1 - x0) * ((double)(i % (size_t)cols) + 0.5) / cols),
                   t = rad * (y1 - (y1 - y0) * ((double)(i / (size_t)cols) + 0.5) / rows);
      x[i * D] = cos(t) * cos(u), x[i * D + 1] = cos(t) * sin(u), x[i * D + 2] = sin(t);
   }
   memset(&at, 0, sizeof at);
   at.x = x;
   at.count = n;
   if (sneppp_intensities(m, &at, v, NULL, &err) == SNEPPP_OK) err.status = SNEPPP_OK;
   for (size_t i = 0; !err.status && i < n; i++) out[i] = (float)v[i];
   free(x);
   return err.status;
}

/* The places of a lasso on the globe, seen from its middle: great circles are straight lines there. */
typedef struct lasso {
   double  axis[3][3]; /* east, north, and the middle */
   double *corner;     /* (count, 2)                  */
   size_t  count;
} lasso;

static int flat(const lasso *l, const double *x, double *to)
{
   double u[3];
   for (int k = 0; k < 3; k++) u[k] = l->axis[k][0] * x[0] + l->axis[k][1] * x[1] + l->axis[k][2] * x[2];
   to[0] = u[0] / u[2], to[1] = u[1] / u[2];
   return u[2] > 0.02;
}

static int inside(const sneppp_real *x, void *user)
{
   const lasso *l = (const lasso *)user;
   double       p[2];
   int          in = 0;
   if (!flat(l, x, p)) return 0;
   for (size_t i = 0, j = l->count - 1; i < l->count; j = i++) {
      const double *a = l->corner + 2 * i, *b = l->corner + 2 * j;
      if ((a[1] > p[1]) != (b[1] > p[1]) && p[0] < (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1]) + a[0]) in = !in;
   }
   return in;
}

static int lasso_make(lasso *l, const double *lonlat, size_t count)
{
   double mid[3] = {0, 0, 0}, len, *unit = (double *)malloc(5 * count * sizeof *unit);
   int    ok = unit != NULL;
   l->corner = unit ? unit + 3 * count : NULL;
   l->count = count;
   for (size_t i = 0; ok && i < count; i++) {
      ok = sneppp_lonlats_to_units(1, lonlat + 2 * i, 0, unit + 3 * i, 0, &err) == SNEPPP_OK;
      for (int k = 0; k < 3; k++) mid[k] += unit[3 * i + (size_t)k];
   }
   len = sqrt(mid[0] * mid[0] + mid[1] * mid[1] + mid[2] * mid[2]);
   for (int k = 0; k < 3; k++) l->axis[2][k] = mid[k] / len;
   len = hypot(l->axis[2][0], l->axis[2][1]);
   l->axis[0][0] = len > 0 ? -l->axis[2][1] / len : 1, l->axis[0][1] = len > 0 ? l->axis[2][0] / len : 0, l->axis[0][2] = 0;
   for (int k = 0; k < 3; k++) { /* north = middle x east */
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      l->axis[1][k] = l->axis[2][a] * l->axis[0][b] - l->axis[2][b] * l->axis[0][a];
   }
   for (size_t i = 0; ok && i < count; i++) ok = flat(l, unit + 3 * i, l->corner + 2 * i);
   if (!ok) { free(unit); refuse("a lasso on the globe is smaller than half of it"); }
   else l->corner = (double *)memmove(unit, l->corner, 2 * count * sizeof *unit); /* now the block itself */
   return ok;
}

/* How many to expect in a region, with its intervals: xy is x0, x1, y0, y1 of a rectangle (corners 0), a, b on the line,
   or the corners of a polygon. The answer: mean, lower, upper, count_lower, count_upper, estimate of the error (0: exact),
   1 if lower and upper are known. */
WEB(int, web_count)(const double *xy, size_t corners, double level)
{
   const sneppp_model *m = &model[ON_MAP];
   sneppp_window       part;
   sneppp_region       region;
   sneppp_sure         sure;
   sneppp_place        place;
   lasso               l;
   uint64_t            lo, hi;
   double              mean = 0, error = 0;
   if (!m->factors) return refuse("there is no model yet");
   memset(&part, 0, sizeof part);
   memset(&region, 0, sizeof region);
   memset(&place, 0, sizeof place);
   answer[6] = 0;
   if (space == GLOBE) {
      place.tol = 1e-4;
      if (!corners) {
         place.shape = SNEPPP_SHAPE_LONLAT;
         place.west = xy[0], place.east = xy[1], place.south = xy[2], place.north = xy[3];
      } else {
         if (!lasso_make(&l, xy, corners)) return err.status;
         place.inside = inside, place.user = &l, place.points = 1 << 17;
      }
      err.status = sneppp_count_numeric(m, &place, &mean, &error, &err);
      if (corners) free(l.corner);
      if (err.status && err.status != SNEPPP_ERR_NO_CONVERGENCE) return err.status;
      sneppp_poisson_interval(mean, level, &lo, &hi);
      answer[0] = answer[1] = answer[2] = mean, answer[3] = (double)lo, answer[4] = (double)hi, answer[5] = error;
      return 0;
   }
   region.factor[0] = &part;
   part.dim = space == LINE ? 1 : 2;
   for (int k = 0; !corners && k < part.dim; k++) part.lo[k] = xy[2 * k], part.hi[k] = xy[2 * k + 1];
   if (corners) part.space = SNEPPP_SPACE_POLYGON, part.count = corners, part.xy = xy;
   if (sneppp_count_sure(m, &region, 1, level, &sure, NULL, &err) == SNEPPP_OK) {
      answer[0] = sure.mean, answer[1] = sure.lower, answer[2] = sure.upper;
      answer[3] = (double)sure.count_lower, answer[4] = (double)sure.count_upper, answer[6] = 1;
   } else {
      const int st = sneppp_count(m, &region, 1, &mean, NULL, &err);
      if (st) return st;
      sneppp_poisson_interval(mean, level, &lo, &hi);
      answer[0] = answer[1] = answer[2] = mean, answer[3] = (double)lo, answer[4] = (double)hi;
   }
   answer[5] = 0;
   return 0;
}

/* The bumps of the model on the map that carry most: x, y, and the standard deviations of psi^2 along both, on the globe
   lon, lat and degrees; then the share of the strongest. Returns how many, 0 if the features are no bumps. */
WEB(int, web_bumps)(double *out, int most)
{
   const sneppp_model       *m = &model[ON_MAP];
   const sneppp_layer_state *L = &m->layer[0];
   const size_t              n = (size_t)m->n, d = (size_t)L->d;
   double                   *W, *width, *weight, *b;
   size_t                    kept = 0;
   if (!m->factors || !n || m->desc.readout != SNEPPP_READOUT_DIAGONAL || (space != GLOBE && !L->width)) return 0;
   W = (double *)malloc(n * (2 * d + 2) * sizeof *W);
   if (!W) return 0;
   width = W + n * d, weight = width + n * d, b = weight + n;
   if (sneppp_get_layer(m, 0, W, b, width, &err) != SNEPPP_OK) { free(W); return 0; }
   for (size_t i = 0; i < n; i++) {
      const double v = (double)m->readout[0].V[i], *w = W + i * d, k = space == GLOBE ? sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) : 1;
      double       area = 1, top = 0;
      if (space == GLOBE) area = k > 0 ? fmin(1 / (2 * k), 4) : 4, top = 2 * (k + b[i]);
      else for (size_t r = 0; r < d; r++) area *= width[i * d + r];
      weight[i] = v * v * exp(top) * area;
   }
   for (; kept < (size_t)most && kept < n; kept++) { /* most is small */
      size_t best = 0;
      double *to = out + 5 * kept, *w;
      for (size_t i = 1; i < n; i++) if (weight[i] > weight[best]) best = i;
      if (!(weight[best] > 0)) break;
      w = W + best * d;
      if (space == GLOBE) {
         const double k = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), unit[3] = {k > 0 ? w[0] / k : 1, k > 0 ? w[1] / k : 0, k > 0 ? w[2] / k : 0};
         sneppp_unit_to_lonlat(unit, &to[0], &to[1], NULL);
         to[2] = to[3] = k > 0 ? fmin(180 / 3.14159265358979323846 / sqrt(2 * k), 90) : 90;
      } else {
         to[0] = w[0], to[1] = d > 1 ? w[1] : 0;
         to[2] = width[best * d] / sqrt(2.0), to[3] = d > 1 ? width[best * d + 1] / sqrt(2.0) : 0;
      }
      to[4] = weight[best];
      weight[best] = 0;
   }
   for (size_t i = kept; i-- > 0;) out[5 * i + 4] /= out[4];
   free(W);
   return (int)kept;
}

/* Pictures of the first `most` features, cols x rows each. */
WEB(int, web_features)(int which, int most, int cols, int rows, double x0, double x1, double y0, double y1, float *out)
{
   const sneppp_model *m = &model[which];
   const size_t        n = (size_t)cols * (size_t)rows;
   double             *psi = (double *)malloc(((size_t)m->n + 1) * sizeof *psi);
   if (!psi || !m->factors) { free(psi); return 0; }
   if (most > m->n) most = m->n;
   for (size_t i = 0; i < n; i++) {
      const double u = x0 + (x1 - x0) * ((double)(i % (size_t)cols) + 0.5) / cols, t = y1 - (y1 - y0) * ((double)(i / (size_t)cols) + 0.5) / rows;
      const double rad = 3.14159265358979323846 / 180;
      double       x[3];
      x[0] = m->D < 3 ? u : cos(t * rad) * cos(u * rad);
      x[1] = m->D < 3 ? t : cos(t * rad) * sin(u * rad);
      x[2] = sin(t * rad);
      if (sneppp_features(m, x, psi, &err) != SNEPPP_OK) { most = 0; break; }
      for (int k = 0; k < most; k++) out[(size_t)k * n + i] = (float)psi[k];
   }
   free(psi);
   return most;
}

/* New events from the model on the map, into x (cap, 2), on the line (cap, 1); returns how many, or -1. */
WEB(int, web_sample)(double seed, double *x, size_t cap)
{
   const sneppp_model *m = &model[ON_MAP];
   sneppp_sample_desc  how;
   sneppp_sample_info  info;
   double             *unit = x;
   memset(&how, 0, sizeof how);
   memset(&info, 0, sizeof info);
   how.seed = (uint64_t)seed;
   if (!m->factors) return refuse("there is no model yet"), -1;
   if (space == GLOBE) unit = (double *)malloc(3 * cap * sizeof *unit);
   err.status = unit ? sneppp_sample(m, &how, unit, cap, &info, &err) : SNEPPP_ERR_MEMORY;
   if (space == GLOBE) {
      for (size_t i = 0; !err.status && i < info.count; i++) sneppp_unit_to_lonlat(unit + 3 * i, &x[2 * i], &x[2 * i + 1], NULL);
      free(unit);
   }
   return err.status ? -1 : (int)info.count;
}

static int append(const char *piece, size_t bytes, void *user)
{
   (void)user;
   if (text_used + bytes > text_room) {
      char *more = (char *)realloc(text, text_room = 2 * text_room + bytes + 65536);
      if (!more) return 1;
      text = more;
   }
   memcpy(text + text_used, piece, bytes);
   text_used += bytes;
   return 0;
}

/* The model as a file (as_c 0) or as a C header; the answer is its length. */
WEB(const char *, web_save)(int as_c, const char *name)
{
   const sneppp_model *m = &model[ON_MAP];
   text_used = 0;
   answer[0] = 0;
   if (!m->factors) return refuse("there is no model yet"), NULL;
   if (as_c) {
      if (export_model(m, name, append, NULL, &err) != SNEPPP_OK) return NULL;
   } else {
      const size_t bytes = sneppp_save(m, NULL, 0);
      if (bytes > text_room && (text = (char *)realloc(text, text_room = bytes)) == NULL) return refuse("memory is short"), NULL;
      text_used = sneppp_save(m, text, bytes);
   }
   answer[0] = (double)text_used;
   return text;
}
