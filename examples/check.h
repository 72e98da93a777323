/* Is the model right? Checks of a fitted intensity against events, on the public interface of sneppp.h alone. Include
   sneppp.h first. Functions return SNEPPP_OK or a status with one sentence in err.
      check_residuals   counts in regions beside their means: raw, Pearson, standardised
      check_cells       the same on a grid that suits the window, and the dispersion of the counts
      check_map         smoothed residuals, to be drawn
      check_times       times rescaled to be uniform, with the Kolmogorov-Smirnov test
      check_uniform     the Rosenblatt transform of events in a box: uniform, if the model is right
      check_spread      finds the steps to which coordinates were rounded, and spreads events over them
      check_pairs       do events attract or repel each other beyond the intensity? K and pair correlation functions
      check_all         all of it for one model, with a sentence
      check_compare     two models on events that neither has seen

   The trap of check_pairs: an intensity that was fitted to these events has followed them, clusters included, and then
   simulations of the fit are as clustered as the events. One pattern cannot tell clusters from a rough intensity at all;
   what can be asked is whether events lie closer together than an intensity says that many events share. So:
   1. The events are dealt at random into CHECK_FOLDS hands, and the default is fitted to each. Parts of a Poisson process
      dealt like this are independent, so the fit of one hand knows nothing of the others.
   2. Events are moved by Metropolis steps of half the distance of neighbours that leave a Poisson process of the fitted
      intensity as it is, each with the fit of another hand: once from the events to a hidden pattern, and from there
      independently to CHECK_POOL - 1 places each. An event and these are then exchangeable (J. Besag and P. Clifford,
      "Generalized Monte Carlo significance tests", 1989), and so are the events and patterns that take one of the
      CHECK_POOL places for each of them at random: the rank of the events among such simulations is an exact test; and,
      as events move only a little, the fit must be right in its local shape only.
   3. Fits are too smooth: bumps are wider and ridges lower than they are. Too many pairs are an alarm only if an intensity
      does not explain them that is sharper, the power CHECK_SHARP of the fitted one (a Gaussian bump becomes narrower by
      the root of it; how much was chosen by narrow ridges of few events, see bench/README.md); too few, only if the fitted one itself does not.
   4. One hidden pattern is as good as another, but not the same, and so is the fit of one hand. There are several turns:
      a hand moves under the fit of the next, of the one after it and so on, each time to a hidden pattern and simulations
      of its own, and the normal scores of their p-values are averaged. (Fits take most of the time; scores of one deal
      and of two were found equally alike.) They are correlated, as the events are the same: CHECK_ALIKE, measured on
      Poisson patterns (bench/check.c).
   Coordinates that were rounded (days, a grid) tie, and lie apart by whole steps, which looks like clusters and like order.
   check_all looks for such steps itself and spreads events over them at random (check_spread): the rounded events of a
   Poisson process become one whose intensity is even within a step, so that all below stays exact, but distances below the
   step say nothing any more and are not judged.
   If the events were kept away from the fit (check_how.kept_back), simulations are exact draws of the model itself, and
   none of this is needed.
   Border correction: none is needed. Pairs of the events in the window are compared with pairs of the simulations in the
   same window; their ratio estimates K(r) relative to that of a Poisson process with global normalisation. */
#ifndef CHECK_H
#define CHECK_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_DISTANCES = 24, CHECK_FOLDS = 5, CHECK_TURNS = 2 * (CHECK_FOLDS - 1), CHECK_POOL = 32, CHECK_SIDE = 10, CHECK_LEAST = 20 };
#define CHECK_SHARP 2.5
#define CHECK_ALIKE 0.62

typedef struct check_how {
   int                    simulations; /* of each turn, and of each of two intensities; 0 = 99; kept_back: 199 */
   int                    turns;       /* 0 = 8; more than 8 deal again                                      */
   int                    kept_back;   /* 1: the model has not seen these events                             */
   uint64_t               seed;
   size_t                 most;        /* events used for pairs; more are thinned, which leaves the pair correlation
                                          as it is; 0 = 1000                                                 */
   double                 coarse;      /* check_pairs: distances below this are not judged; check_all sets it to the
                                          largest step of the factor                                         */
   const sneppp_parallel *parallel;
} check_how;

typedef struct check_pair {
   double distance[CHECK_DISTANCES]; /* radians on the sphere                                                */
   double ratio[CHECK_DISTANCES];    /* pairs up to there, relative to the mean of the simulations: K/K_Poisson */
   double correlation[CHECK_DISTANCES]; /* pairs between this distance and the one before, likewise: g       */
   double lo[CHECK_DISTANCES], hi[CHECK_DISTANCES]; /* ratio: all of it lies inside in 95 of 100 Poisson patterns */
   double p;                         /* of the largest studentised deviation, by rank, on the side of        */
   int    clusters;                  /* 1: too many pairs, -1: too few                                       */
   double reach;                     /* by this distance nine tenths of the pairs too many, or too few, have come: K goes
                                        on to show them beyond                                               */
   size_t used;                      /* events                                                               */
} check_pair;

typedef struct check_cell {          /* residuals of a count                                                 */
   double counted, mean;
   double raw;                       /* counted - mean                                                       */
   double pearson;                   /* raw / sqrt(mean)                                                     */
   double standard;                  /* raw / sqrt(mean (1 - mean/total)): the total is that of the events     */
} check_cell;

typedef struct check_grid {
   int        rows, cols;            /* row 0 is the lowest; sphere: longitude by equal steps of sine latitude */
   check_cell cell[CHECK_SIDE * CHECK_SIDE];
   double     dispersion;            /* variance of Pearson residuals: 1 if counts are Poisson, less if fitted */
   double     p;                     /* of so large a dispersion                                             */
} check_grid;

typedef struct check_time {
   double *u;                        /* (count) sorted, uniform on [0, 1] if the model is right; to be freed   */
   size_t  count;
   double  distance, p;              /* Kolmogorov and Smirnov                                               */
} check_time;

typedef struct check_steps {         /* of one factor; on the sphere of longitude and latitude, in degrees      */
   double step[SNEPPP_MAX_DIM];      /* to which the coordinate was rounded; 0: none that matters             */
   double lean[SNEPPP_MAX_DIM];      /* an event lies from lean - 1/2 to lean + 1/2 steps beyond its number: 0 nearest, 1/2 down */
   double coarse;                    /* the largest as a distance, on the sphere in radians                   */
} check_steps;

static inline sneppp_status check_fail(sneppp_error *err, sneppp_status status, const char *why)
{
   if (err) {
      memset(err, 0, sizeof *err);
      err->status = status;
      err->event = (size_t)-1;
      snprintf(err->why, sizeof err->why, "%s", why);
   }
   return status;
}

static inline int check_ascending(const void *a, const void *b)
{
   const double x = *(const double *)a, y = *(const double *)b;
   return (x > y) - (x < y);
}

/* Every event must lie in the window of its factor. */
static inline sneppp_status check_inside(const sneppp_model *m, const sneppp_real *x, size_t count, sneppp_error *err)
{
   double at[SNEPPP_MAX_DIM];
   for (size_t i = 0; i < count; i++)
      for (int f = 0, first = 0; f < m->factors; first += m->desc.factor[f++].window.dim) {
         const sneppp_window *w = &m->desc.factor[f].window;
         for (int k = 0; k < w->dim; k++) at[k] = (double)x[i * (size_t)m->D + (size_t)(first + k)];
         if (sneppp_window_contains(w, at)) continue;
         check_fail(err, SNEPPP_ERR_DATA, "the event lies outside the window of the model");
         if (err) err->event = i;
         return SNEPPP_ERR_DATA;
      }
   return SNEPPP_OK;
}

/* The model of one factor, all others integrated out, and the coordinates of the events there. Projections of a Poisson
   process are Poisson processes. Free both. */
static inline sneppp_status check_factor(const sneppp_model *m, int factor, const sneppp_real *x, size_t count, sneppp_model *out, sneppp_real **at, sneppp_error *err)
{
   const int     dim = m->desc.factor[factor].window.dim;
   sneppp_model  now, next;
   int           first = 0, left = m->factors;
   sneppp_status st = SNEPPP_OK;
   memset(out, 0, sizeof *out);
   memset(&now, 0, sizeof now);
   *at = (sneppp_real *)malloc((count * (size_t)dim + 1) * sizeof **at);
   if (!*at) return check_fail(err, SNEPPP_ERR_MEMORY, "not enough memory for the events");
   for (int f = 0; f < factor; f++) first += m->desc.factor[f].window.dim;
   for (size_t i = 0; i < count; i++)
      for (int k = 0; k < dim; k++) (*at)[i * (size_t)dim + (size_t)k] = x[i * (size_t)m->D + (size_t)(first + k)];
   for (int f = left - 1; f >= 0 && st == SNEPPP_OK; f--) {
      if (f == factor) continue;
      st = sneppp_marginal(now.factors ? &now : m, f, NULL, &next, err);
      sneppp_free(&now);
      memset(&now, 0, sizeof now);
      if (st == SNEPPP_OK) now = next;
   }
   if (st != SNEPPP_OK) { free(*at); *at = NULL; return st; }
   *out = now; /* still empty if there is only one factor: use m */
   return SNEPPP_OK;
}

/* ---- residuals of counts */
static inline void check_fill(check_cell *c, double total)
{
   c->raw = c->counted - c->mean;
   c->pearson = c->mean > 0 ? c->raw / sqrt(c->mean) : 0;
   c->standard = c->mean > 0 && c->mean < total ? c->raw / sqrt(c->mean * (1 - c->mean / total)) : 0;
}

static inline int check_in_region(const sneppp_model *m, const sneppp_region *r, const sneppp_real *x)
{
   double at[SNEPPP_MAX_DIM];
   for (int f = 0, first = 0; f < m->factors; first += m->desc.factor[f++].window.dim) {
      if (!r->factor[f]) continue;
      for (int k = 0; k < m->desc.factor[f].window.dim; k++) at[k] = (double)x[first + k];
      if (!sneppp_window_contains(r->factor[f], at)) return 0;
   }
   return 1;
}

/* out (regions); x (count, D). */
static inline sneppp_status check_residuals(const sneppp_model *m, const sneppp_real *x, size_t count, const sneppp_region *region, size_t regions, check_cell *out, sneppp_error *err)
{
   double       *mean = (double *)calloc(regions + 1, sizeof *mean), total = 0;
   sneppp_status st;
   if (!mean) return check_fail(err, SNEPPP_ERR_MEMORY, "not enough memory for the regions");
   st = sneppp_count(m, region, regions, mean, NULL, err);
   if (st == SNEPPP_OK) st = sneppp_count(m, NULL, 1, &total, NULL, err);
   for (size_t k = 0; st == SNEPPP_OK && k < regions; k++) {
      memset(&out[k], 0, sizeof out[k]);
      for (size_t i = 0; i < count; i++) out[k].counted += check_in_region(m, &region[k], x + i * (size_t)m->D);
      out[k].mean = mean[k];
      check_fill(&out[k], total);
   }
   free(mean);
   return st;
}

/* The rectangle in which a window with one or two coordinates lies; of the sphere longitude and sine of latitude. */
static inline int check_extent(const sneppp_window *w, double e[4])
{
   e[0] = e[2] = 0, e[1] = e[3] = 1;
   if (w->space == SNEPPP_SPACE_SPHERE && w->dim == 3) e[0] = -180, e[1] = 180, e[2] = -1;
   else if (w->space == SNEPPP_SPACE_BOX && w->dim <= 2) {
      for (int k = 0; k < w->dim; k++) e[2 * k] = w->lo[k], e[2 * k + 1] = w->hi[k];
   } else if (w->space == SNEPPP_SPACE_INTERVALS) e[0] = w->ends[0], e[1] = w->ends[2 * w->count - 1];
   else if (w->space == SNEPPP_SPACE_BALL && w->dim == 2) {
      for (int k = 0; k < 2; k++) e[2 * k] = w->centre[k] - w->radius, e[2 * k + 1] = w->centre[k] + w->radius;
   } else if (w->space == SNEPPP_SPACE_POLYGON) {
      size_t corners = w->rings ? 0 : w->count;
      for (size_t r = 0; r < w->rings; r++) corners += w->ring_size[r];
      e[0] = e[2] = 1e300, e[1] = e[3] = -1e300;
      for (size_t i = 0; i < 2 * corners; i++) {
         double *at = &e[2 * (i % 2)];
         at[0] = fmin(at[0], w->xy[i]);
         at[1] = fmax(at[1], w->xy[i]);
      }
   } else return 0;
   return 1;
}

/* Where a point lies in that rectangle. */
static inline void check_flat(const sneppp_window *w, const sneppp_real *x, double at[2])
{
   at[0] = (double)x[0];
   at[1] = w->dim > 1 ? (double)x[1] : 0.5;
   if (w->space != SNEPPP_SPACE_SPHERE) return;
   at[0] = atan2((double)x[1], (double)x[0]) * (180 / 3.14159265358979323846);
   at[1] = (double)x[2];
}

static inline int check_which(const double e[4], int rows, int cols, const double at[2])
{
   const int c = (int)((at[0] - e[0]) / (e[1] - e[0]) * cols), r = (int)((at[1] - e[2]) / (e[3] - e[2]) * rows);
   return (r < 0 ? 0 : r >= rows ? rows - 1 : r) * cols + (c < 0 ? 0 : c >= cols ? cols - 1 : c);
}

typedef struct check_square { const sneppp_window *w; double lo[2], hi[2]; } check_square;

static inline int check_in_square(const sneppp_real *x, void *user)
{
   const check_square *s = (const check_square *)user;
   for (int k = 0; k < 2; k++) if ((double)x[k] < s->lo[k] || (double)x[k] >= s->hi[k]) return 0;
   return 1;
}

/* The mean of one cell: closed forms where there are, numbers elsewhere (sphere, polygon). */
static inline sneppp_status check_mean(const sneppp_model *m, const double lo[2], const double hi[2], double *mean, sneppp_error *err)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   sneppp_window part;
   sneppp_region region;
   sneppp_place  place;
   check_square  square;
   sneppp_status st;
   double        error, *ends = NULL;
   memset(&part, 0, sizeof part);
   memset(&region, 0, sizeof region);
   memset(&place, 0, sizeof place);
   region.factor[0] = &part;
   part.dim = w->dim;
   if (w->space == SNEPPP_SPACE_BOX || w->space == SNEPPP_SPACE_INTERVALS) {
      for (int k = 0; k < w->dim && k < 2; k++) part.lo[k] = lo[k], part.hi[k] = hi[k];
      if (w->space == SNEPPP_SPACE_INTERVALS) { /* what was watched of it */
         ends = (double *)malloc(2 * w->count * sizeof *ends);
         if (!ends) return check_fail(err, SNEPPP_ERR_MEMORY, "not enough memory for the intervals");
         part.space = SNEPPP_SPACE_INTERVALS;
         part.ends = ends;
         for (size_t k = 0; k < w->count; k++) {
            const double a = fmax(lo[0], w->ends[2 * k]), b = fmin(hi[0], w->ends[2 * k + 1]);
            if (a < b) ends[2 * part.count] = a, ends[2 * part.count++ + 1] = b;
         }
         if (!part.count) { free(ends); *mean = 0; return SNEPPP_OK; }
      }
      st = sneppp_count(m, &region, 1, mean, NULL, err);
      free(ends);
      return st;
   }
   if (w->space == SNEPPP_SPACE_SPHERE) {
      place.shape = SNEPPP_SHAPE_LONLAT;
      place.tol = 1e-3;
      place.west = lo[0], place.east = hi[0];
      place.south = asin(fmax(-1, lo[1])) * (180 / 3.14159265358979323846);
      place.north = asin(fmin(1, hi[1])) * (180 / 3.14159265358979323846);
   } else {
      square.w = w;
      for (int k = 0; k < 2; k++) square.lo[k] = lo[k], square.hi[k] = hi[k];
      place.inside = check_in_square;
      place.user = &square;
      place.points = 16384;
   }
   st = sneppp_count_numeric(m, &place, mean, &error, err);
   return st == SNEPPP_ERR_NO_CONVERGENCE ? SNEPPP_OK : st; /* the best that was found; a count is not sharper */
}

/* The upper tail of chi-square by the cube root of E. B. Wilson and M. M. Hilferty (1931). */
static inline double check_chi2(double x, double freedom)
{
   const double v = 2 / (9 * freedom);
   return 0.5 * erfc((cbrt(x / freedom) - (1 - v)) / sqrt(2 * v));
}

/* For models of one factor with one or two coordinates, or the sphere. About ten events in a cell; cells with a mean below
   five are judged together. */
static inline sneppp_status check_cells(const sneppp_model *m, const sneppp_real *x, size_t count, check_grid *g, sneppp_error *err)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   double        e[4], lo[2] = {0, 0}, hi[2] = {0, 0}, total = 0, x2 = 0, rest = 0, rest_mean = 0, cells = 0;
   sneppp_status st = SNEPPP_OK;
   memset(g, 0, sizeof *g);
   if (m->factors != 1 || !check_extent(w, e)) return check_fail(err, SNEPPP_ERR_NO_CLOSED_FORM, "cells are for models with one or two coordinates, or on the sphere");
   g->cols = (int)(w->dim > 1 ? sqrt((double)count / 10) : (double)count / 10);
   g->cols = g->cols < 2 ? 2 : g->cols > CHECK_SIDE ? CHECK_SIDE : g->cols;
   g->rows = w->dim > 1 ? g->cols : 1;
   for (size_t i = 0; i < count; i++) {
      double at[2];
      check_flat(w, x + i * (size_t)w->dim, at);
      g->cell[check_which(e, g->rows, g->cols, at)].counted += 1;
   }
   for (int k = 0; k < g->rows * g->cols && st == SNEPPP_OK; k++) {
      for (int a = 0; a < 2; a++) {
         const int at = a ? k / g->cols : k % g->cols, of = a ? g->rows : g->cols;
         lo[a] = e[2 * a] + (e[2 * a + 1] - e[2 * a]) * at / of;
         hi[a] = at + 1 < of ? e[2 * a] + (e[2 * a + 1] - e[2 * a]) * (at + 1) / of : e[2 * a + 1];
      }
      st = check_mean(m, lo, hi, &g->cell[k].mean, err);
      total += g->cell[k].mean;
   }
   for (int k = 0; k < g->rows * g->cols && st == SNEPPP_OK; k++) {
      check_fill(&g->cell[k], total);
      if (g->cell[k].mean < 5) { rest += g->cell[k].raw; rest_mean += g->cell[k].mean; continue; }
      x2 += g->cell[k].pearson * g->cell[k].pearson;
      cells++;
   }
   if (rest_mean >= 1) { x2 += rest * rest / rest_mean; cells++; }
   g->dispersion = cells > 0 ? x2 / cells : 1;
   g->p = cells > 0 ? check_chi2(x2, cells) : 1;
   return st;
}

/* Residuals smoothed with a Gaussian of this width and divided by their standard deviation if counts were Poisson: z
   (rows, cols), between -2 and 2 nearly everywhere if all is well. Outside the window it is 0. Width 0: chosen. */
static inline sneppp_status check_map(const sneppp_model *m, const sneppp_real *x, size_t count, double width, int rows, int cols, double *z, const sneppp_parallel *par, sneppp_error *err)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   const int     globe = w->space == SNEPPP_SPACE_SPHERE;
   const size_t  cells = (size_t)rows * (size_t)cols, d = (size_t)w->dim, fine = d > 1 ? 6 : 36, looks = 36;
   double        e[4] = {0, 1, 0, 1}, area, *at = (double *)calloc(cells * 3, sizeof *at), *mean = (double *)calloc(cells, sizeof *mean), *raw = (double *)calloc(cells, sizeof *raw);
   sneppp_real  *p = (sneppp_real *)calloc(cells * looks * d, sizeof *p), *v = (sneppp_real *)calloc(cells * looks, sizeof *v);
   sneppp_events points;
   sneppp_status st = SNEPPP_OK;
   memset(&points, 0, sizeof points);
   points.x = p;
   points.count = cells * looks;
   if (!at || !mean || !raw || !p || !v) st = check_fail(err, SNEPPP_ERR_MEMORY, "not enough memory for the map");
   else if (m->factors != 1 || !check_extent(w, e)) st = check_fail(err, SNEPPP_ERR_NO_CLOSED_FORM, "maps are for models with one or two coordinates, or on the sphere");
   if (st == SNEPPP_OK) {
      for (size_t i = 0; i < cells; i++)
         for (size_t s = 0; s <= looks; s++) { /* the last is the middle; narrow peaks need the others */
            const double u = s < looks ? ((double)(s % fine) + 0.5) / (double)fine : 0.5, t = s < looks && d > 1 ? ((double)(s / fine) + 0.5) / (double)fine : 0.5;
            const double a = e[0] + (e[1] - e[0]) * ((double)(i % (size_t)cols) + u) / cols, b = e[2] + (e[3] - e[2]) * ((double)(i / (size_t)cols) + t) / rows;
            const double lon = a * (3.14159265358979323846 / 180), c = sqrt(fmax(0, 1 - b * b));
            const double q[3] = {globe ? c * cos(lon) : a, globe ? c * sin(lon) : d > 1 ? b : 0, globe ? b : 0};
            for (size_t k = 0; k < 3; k++)
               if (s == looks) at[3 * i + k] = q[k];
               else if (k < d) p[(i * looks + s) * d + k] = (sneppp_real)q[k];
         }
      st = sneppp_intensities(m, &points, v, par, err);
   }
   if (st == SNEPPP_OK) {
      area = (globe ? sneppp_window_mass(w) : (e[1] - e[0]) * (d > 1 ? e[3] - e[2] : 1)) / (double)(cells * looks);
      if (!(width > 0)) width = 0.6 * pow(sneppp_window_mass(w) * 10 / (double)(count + 1), d > 1 ? 0.5 : 1);
      for (size_t i = 0; i < cells * looks; i++) mean[i / looks] += (double)v[i] * area;
      for (size_t i = 0; i < cells; i++) raw[i] = -mean[i];
      for (size_t i = 0; i < count; i++) {
         double where[2];
         check_flat(w, x + i * d, where);
         raw[check_which(e, rows, cols, where)] += 1;
      }
      for (size_t i = 0; i < cells; i++) {
         double sum = 0, variance = 0;
         z[i] = 0;
         for (size_t k = 0; k < cells; k++) {
            double r2 = 0, g;
            for (int c = 0; c < 3; c++) r2 += (at[3 * i + (size_t)c] - at[3 * k + (size_t)c]) * (at[3 * i + (size_t)c] - at[3 * k + (size_t)c]);
            if (r2 > 16 * width * width) continue;
            g = exp(-r2 / (2 * width * width));
            sum += g * raw[k];
            variance += g * g * mean[k];
         }
         if (mean[i] > 0 && variance > 0) z[i] = sum / sqrt(variance);
      }
   }
   free(at);
   free(mean);
   free(raw);
   free(p);
   free(v);
   return st;
}

/* ---- time, and uniform coordinates */
/* The chance of so large a distance between a uniform sample and its law: Kolmogorov's series with the correction of
   M. A. Stephens (1970). */
static inline double check_smirnov(double distance, size_t count)
{
   const double n = sqrt((double)count), t = distance * (n + 0.12 + 0.11 / n);
   double       p = 0;
   if (t < 0.3) return 1;
   for (int k = 1; k <= 100; k++) p += (k % 2 ? 2 : -2) * exp(-2 * k * k * t * t);
   return p < 0 ? 0 : p > 1 ? 1 : p;
}

/* The distance of sorted values from the uniform law. */
static inline double check_kolmogorov(const double *u, size_t count)
{
   double d = 0;
   for (size_t i = 0; i < count; i++) d = fmax(d, fmax(u[i] - (double)i / (double)count, (double)(i + 1) / (double)count - u[i]));
   return d;
}

/* Coordinates that are independent and uniform on [0, 1] if the model of one box is right, given how many events there are:
   u_1 = Lambda(first <= x_1)/Lambda, u_2 the same given x_1, and so on. Each is a ratio of counts; x_1 is given by a slab of
   1e-6 of the side around it, which costs a part of 1e-12 or so. u (count, dim). */
static inline sneppp_status check_uniform(const sneppp_model *m, const sneppp_real *x, size_t count, double *u, sneppp_error *err)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   const size_t  d = (size_t)w->dim;
   sneppp_status st = SNEPPP_OK;
   if (m->factors != 1 || w->space != SNEPPP_SPACE_BOX) return check_fail(err, SNEPPP_ERR_NO_CLOSED_FORM, "uniform coordinates are for models of one box");
   for (size_t i = 0; i < count && st == SNEPPP_OK; i++) {
      double lo[SNEPPP_MAX_DIM], hi[SNEPPP_MAX_DIM];
      for (size_t k = 0; k < d; k++) lo[k] = w->lo[k], hi[k] = w->hi[k];
      for (size_t k = 0; k < d && st == SNEPPP_OK; k++) {
         const double at = (double)x[i * d + k], slab = 1e-6 * (w->hi[k] - w->lo[k]);
         double       all = 0, part = 0;
         st = sneppp_count_box(m, lo, hi, &all, err);
         hi[k] = at;
         if (st == SNEPPP_OK && at > w->lo[k]) st = sneppp_count_box(m, lo, hi, &part, err);
         u[i * d + k] = all > 0 ? fmin(1, part / all) : 0;
         lo[k] = fmax(w->lo[k], at - slab);
         hi[k] = fmin(w->hi[k], at + slab);
      }
   }
   return st;
}

/* Models on the line, of a box or of intervals. */
static inline sneppp_status check_times(const sneppp_model *m, const sneppp_real *x, size_t count, check_time *t, sneppp_error *err)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   double        e[4], all = 0, lo[2] = {0, 0}, hi[2] = {0, 0};
   sneppp_status st;
   memset(t, 0, sizeof *t);
   if (m->factors != 1 || w->dim != 1 || !check_extent(w, e)) return check_fail(err, SNEPPP_ERR_NO_CLOSED_FORM, "rescaled times are for models on the line");
   if (!count) return check_fail(err, SNEPPP_ERR_DATA, "there are no events");
   t->u = (double *)malloc(count * sizeof *t->u);
   if (!t->u) return check_fail(err, SNEPPP_ERR_MEMORY, "not enough memory for the times");
   t->count = count;
   st = sneppp_count(m, NULL, 1, &all, NULL, err);
   for (size_t i = 0; i < count && st == SNEPPP_OK; i++) {
      double before = 0;
      lo[0] = e[0], hi[0] = (double)x[i];
      if (hi[0] > e[0]) st = check_mean(m, lo, hi, &before, err);
      t->u[i] = all > 0 ? fmin(1, before / all) : 0;
   }
   if (st != SNEPPP_OK) { free(t->u); t->u = NULL; return st; }
   qsort(t->u, count, sizeof *t->u, check_ascending);
   t->distance = check_kolmogorov(t->u, count);
   t->p = check_smirnov(t->distance, count);
   return SNEPPP_OK;
}

/* ---- coordinates that were rounded */
/* The step of which all of v (count, ascending) are multiples, counted from the first: the greatest common divisor of their
   distances, of which an error of a hundredth is forgiven. 0: there is none above `least`. Twenty exact numbers pass by chance
   once in 10^30 or so. Of numbers that were rounded in part, or to months, which differ, no step is found. */
static inline double check_divisor(const double *v, size_t count, double least)
{
   const double fuzz = 4 * (sizeof(sneppp_real) < sizeof(double) ? 1.2e-7 : 2.3e-16) * fmax(fabs(v[0]), fabs(v[count - 1]));
   double       step = v[count - 1] - v[0];
   size_t       i = 0;
   if (!(step > 0)) return 0;
   while (i < count) {
      const double away = v[i] - v[0], times = floor(away / step + 0.5), rest = fabs(away - times * step);
      if (rest > 0.01 * step + fuzz) { /* Euclid: a shorter one, and from the beginning */
         step = rest;
         i = 0;
         if (step < least || step < 40 * fuzz) return 0;
         continue;
      }
      if (times > 0) step = away / times; /* the further, the more exact */
      i++;
   }
   return step < least ? 0 : step;
}

/* Rounded to the nearest, down, or up? Nearest: the cells of numbers on a wall of the window are halves. Down: all of the
   first is in the window, and nothing of the last, which has no events then. The more likely of these, by the counts at the
   walls and beside them; where the walls are no multiples, nearest. */
static inline double check_lean(const double *v, size_t count, double step, double lo, double hi)
{
   double best = 0, lean = 0;
   for (int down = 1; down >= 0; down--) {
      double n[4] = {0, 0, 0, 0}, score; /* at the near wall, beside it, beside the far one, there */
      for (size_t i = 0; i < count; i++) {
         const double near_wall = (down ? v[i] - lo : hi - v[i]) / step, far_wall = (hi - lo) / step - near_wall;
         if (fabs(near_wall - floor(near_wall + 0.5)) > 0.02 || fabs(far_wall - floor(far_wall + 0.5)) > 0.02) return 0;
         n[0] += near_wall < 0.5, n[1] += near_wall >= 0.5 && near_wall < 1.5, n[2] += far_wall >= 0.5 && far_wall < 1.5, n[3] += far_wall < 0.5;
      }
      score = n[0] * log(1.5) + n[1] * log(0.75) + n[2] / 2; /* shares of 1 : 1, not of 1 : 2; an empty half cell */
      if (n[3] > 0 || score <= best) continue;
      best = score;
      lean = down ? 0.5 : -0.5;
   }
   return lean;
}

/* Finds steps that are not far below the distances that check_pairs looks at, and moves each event of x (count, dim), of one
   factor, to a place of its cell, all of the cell in the window being equally likely. Where there are no steps, x stays as it
   is. used: of the events, how many pairs are made of. */
static inline sneppp_status check_spread(const sneppp_window *w, sneppp_real *x, size_t count, size_t used, uint64_t seed, check_steps *out, sneppp_error *err)
{
   const int    globe = w->space == SNEPPP_SPACE_SPHERE && w->dim == 3, axes = globe ? 2 : w->dim;
   const double degree = 3.14159265358979323846 / 180;
   double      *v, e[4], least;
   sneppp_rng   rng;
   memset(out, 0, sizeof *out);
   if (count < 2 || !used || (w->space == SNEPPP_SPACE_SPHERE && !globe)) return SNEPPP_OK;
   v = (double *)malloc(count * sizeof *v);
   if (!v) return check_fail(err, SNEPPP_ERR_MEMORY, "not enough memory for the events");
   least = 0.15 / 32 * pow(sneppp_window_mass(w) / (double)used, 1.0 / axes) / (globe ? degree : 1);
   for (int k = 0; k < axes; k++) {
      for (size_t i = 0; i < count; i++) {
         const sneppp_real *at = x + i * (size_t)w->dim;
         v[i] = !globe ? (double)at[k] : k ? atan2((double)at[2], hypot((double)at[0], (double)at[1])) / degree : atan2((double)at[1], (double)at[0]) / degree;
      }
      qsort(v, count, sizeof *v, check_ascending);
      out->step[k] = check_divisor(v, count, least);
      if (!(out->step[k] > 0)) continue;
      if (w->space == SNEPPP_SPACE_BOX) out->lean[k] = check_lean(v, count, out->step[k], w->lo[k], w->hi[k]);
      else if (w->space == SNEPPP_SPACE_INTERVALS && check_extent(w, e)) out->lean[k] = check_lean(v, count, out->step[k], e[0], e[1]);
      out->coarse = fmax(out->coarse, out->step[k] * (globe ? degree : 1));
   }
   free(v);
   sneppp_rng_init(&rng, seed, 0x737072656164ULL);
   for (size_t i = 0; i < count && out->coarse > 0; i++) {
      sneppp_real *at = x + i * (size_t)w->dim;
      double       lonlat[2], to[SNEPPP_MAX_DIM] = {0};
      lonlat[0] = globe ? atan2((double)at[1], (double)at[0]) / degree : 0;
      lonlat[1] = globe ? atan2((double)at[2], hypot((double)at[0], (double)at[1])) / degree : 0;
      for (int attempt = 0; attempt < 1000; attempt++) { /* of cells that hardly touch the window, events stay where they are */
         for (int k = 0; k < axes; k++) {
            const double from = globe ? lonlat[k] : (double)at[k];
            to[k] = out->step[k] > 0 ? from + out->step[k] * (sneppp_rng_uniform(&rng) - 0.5 + out->lean[k]) : from;
         }
         if (globe) {
            const double lon = to[0] * degree, lat = to[1] * degree;
            if (fabs(to[1]) > 90) continue;
            to[0] = cos(lat) * cos(lon), to[1] = cos(lat) * sin(lon), to[2] = sin(lat);
         }
         for (int k = 0; k < w->dim; k++) to[k] = (double)(sneppp_real)to[k];
         if (!sneppp_window_contains(w, to)) continue;
         for (int k = 0; k < w->dim; k++) at[k] = (sneppp_real)to[k];
         break;
      }
   }
   return SNEPPP_OK;
}

/* ---- pairs */
/* Pairs up to each distance. Points are sorted by their first coordinate, in which close pairs are close, too. */
static inline void check_count_pairs(const sneppp_window *w, double *x, size_t count, const double *distance, double *pairs)
{
   const size_t d = (size_t)w->dim;
   const int    globe = w->space == SNEPPP_SPACE_SPHERE;
   double       limit[CHECK_DISTANCES], reach;
   for (int k = 0; k < CHECK_DISTANCES; k++) { /* on the sphere chords are compared */
      limit[k] = globe ? 2 * sin(fmin(distance[k], 3.14159265358979323846) / 2) : distance[k];
      limit[k] *= limit[k];
      pairs[k] = 0;
   }
   reach = sqrt(limit[CHECK_DISTANCES - 1]);
   qsort(x, count, d * sizeof *x, check_ascending);
   for (size_t i = 0; i < count; i++)
      for (size_t j = i + 1; j < count && x[j * d] - x[i * d] <= reach; j++) {
         double r2 = 0;
         for (size_t k = 0; k < d; k++) r2 += (x[j * d + k] - x[i * d + k]) * (x[j * d + k] - x[i * d + k]);
         for (int k = CHECK_DISTANCES - 1; k >= 0 && r2 <= limit[k]; k--) pairs[k] += 1;
      }
}

/* One move of about h: an exponential map on the sphere, so that the density of a move depends on its length alone. */
static inline double check_move(const sneppp_window *w, sneppp_rng *rng, double h, const double *from, double *to)
{
   double length = 0, along = 0;
   for (int k = 0; k < w->dim; k++) to[k] = h * sneppp_rng_normal(rng);
   if (w->space == SNEPPP_SPACE_SPHERE) {
      for (int k = 0; k < 3; k++) along += to[k] * from[k];
      for (int k = 0; k < 3; k++) to[k] -= along * from[k];
   }
   for (int k = 0; k < w->dim; k++) length += to[k] * to[k];
   length = sqrt(length);
   for (int k = 0; k < w->dim; k++)
      to[k] = w->space == SNEPPP_SPACE_SPHERE ? cos(length) * from[k] + (length > 0 ? sin(length) / length : 1) * to[k] : from[k] + to[k];
   return length;
}

typedef struct check_hands {         /* the fits of all hands, and how far events move                       */
   const sneppp_window *w;
   sneppp_model        *model;       /* (CHECK_FOLDS)                                                        */
   double               mean, step;  /* of the intensity of a hand; of neighbours, if events were even       */
   double               sharp;       /* power of the intensity                                               */
   int                  turn;        /* a hand moves under the fit of the hand that is so many further        */
} check_hands;

/* A twentieth of the mean is added: no place is impossible. */
static inline double check_intensity(const check_hands *c, int hand, const double *x)
{
   sneppp_real at[SNEPPP_MAX_DIM];
   for (int k = 0; k < c->w->dim; k++) at[k] = (sneppp_real)x[k];
   return c->mean * pow((double)sneppp_intensity(&c->model[hand], at) / c->mean + 0.05, c->sharp);
}

static inline double check_step(const check_hands *c, double intensity)
{
   const int dim = c->w->space == SNEPPP_SPACE_SPHERE ? c->w->dim - 1 : c->w->dim;
   return 0.4 * c->step * fmin(2, pow(c->mean / intensity, 1.0 / dim)); /* shorter where events are dense */
}

static inline int check_other(const check_hands *c, int hand) { return (hand + c->turn) % CHECK_FOLDS; }

/* The intensity of the other hand at each event. */
static inline void check_look(const check_hands *c, const unsigned char *hand, size_t count, const double *x, double *at_x)
{
   for (size_t i = 0; i < count; i++) at_x[i] = check_intensity(c, check_other(c, hand[i]), x + i * (size_t)c->w->dim);
}

/* Each event takes one Metropolis step under the intensity of the other hand, at_x (count) there. x, y (count, dim). */
static inline void check_shake(const check_hands *c, const unsigned char *hand, size_t count, const double *x, const double *at_x, double *y, sneppp_rng *rng)
{
   const size_t d = (size_t)c->w->dim;
   const int    dim = c->w->space == SNEPPP_SPACE_SPHERE ? c->w->dim - 1 : c->w->dim;
   for (size_t i = 0; i < count; i++) {
      const int    other = check_other(c, hand[i]);
      const double here = at_x[i], h = check_step(c, here), u = sneppp_rng_uniform(rng);
      const double length = check_move(c->w, rng, h, x + i * d, y + i * d);
      double       there, back, log_ratio;
      if (sneppp_window_contains(c->w, y + i * d)) {
         there = check_intensity(c, other, y + i * d);
         back = check_step(c, there);
         log_ratio = log(there / here) + dim * log(h / back) + length * length / 2 * (1 / (h * h) - 1 / (back * back));
         if (log_ratio >= 0 || u < exp(log_ratio)) continue;
      }
      memcpy(y + i * d, x + i * d, d * sizeof *y);
   }
}

static inline sneppp_status check_deal(check_hands *c, const double *x, size_t count, unsigned char *hand, sneppp_rng *rng, const sneppp_parallel *par, double *rounding, sneppp_error *err)
{
   const size_t    d = (size_t)c->w->dim;
   sneppp_real    *part = (sneppp_real *)malloc(count * d * sizeof *part);
   sneppp_desc     desc;
   sneppp_events   events;
   sneppp_fit_desc fit;
   sneppp_report   report;
   sneppp_status   st = SNEPPP_OK;
   if (!part) return check_fail(err, SNEPPP_ERR_MEMORY, "not enough memory for the events");
   for (size_t i = 0; i < count; i++) { /* a random order of equal hands */
      const size_t k = (size_t)sneppp_rng_below(rng, i + 1);
      hand[i] = hand[k];
      hand[k] = (unsigned char)(i % CHECK_FOLDS);
   }
   for (int h = 0; h < CHECK_FOLDS && st == SNEPPP_OK; h++) {
      memset(&desc, 0, sizeof desc);
      memset(&events, 0, sizeof events);
      memset(&fit, 0, sizeof fit);
      desc.factor[0].window = *c->w;
      events.x = part;
      for (size_t i = 0; i < count; i++)
         if (hand[i] == h) {
            for (size_t k = 0; k < d; k++) part[events.count * d + k] = (sneppp_real)x[i * d + k];
            events.count++;
         }
      fit.events = &events;
      if (par) fit.parallel = *par;
      st = sneppp_init(&c->model[h], &desc, err);
      if (st == SNEPPP_OK) st = sneppp_fit(&c->model[h], &fit, &report, err);
      for (int k = 0; k < SNEPPP_RADIAL_DIM && st == SNEPPP_OK; k++) *rounding = fmax(*rounding, report.resolution[k]);
   }
   free(part);
   return st;
}

/* The standard normal quantile, by halving. */
static inline double check_normal(double p)
{
   double lo = -9, hi = 9;
   for (int k = 0; k < 60; k++) {
      const double mid = (lo + hi) / 2;
      if (0.5 * erfc(-mid / sqrt(2)) < p) lo = mid;
      else hi = mid;
   }
   return lo;
}

/* The largest deviation in the direction `sign` (0: in both) of events and simulations, most (simulations + 1), the events
   first; centre and spread of all patterns, the events among them: exchangeable. pairs (simulations, CHECK_DISTANCES). */
static inline void check_deviations(const double *events, const double *pairs, int simulations, int sign, double *centre, double *spread, double *most)
{
   for (int s = 0; s <= simulations; s++) most[s] = -1e300;
   for (int k = 0; k < CHECK_DISTANCES; k++) {
      double sum = events[k], square = 0;
      for (int s = 0; s < simulations; s++) sum += pairs[s * CHECK_DISTANCES + k];
      centre[k] = sum / (simulations + 1);
      for (int s = -1; s < simulations; s++) {
         const double d = (s < 0 ? events[k] : pairs[s * CHECK_DISTANCES + k]) - centre[k];
         square += d * d;
      }
      spread[k] = sqrt(square / simulations);
      for (int s = -1; s < simulations && spread[k] > 0; s++) {
         const double z = ((s < 0 ? events[k] : pairs[s * CHECK_DISTANCES + k]) - centre[k]) / spread[k];
         most[s + 1] = fmax(most[s + 1], sign ? sign * z : fabs(z));
      }
   }
}

/* From pairs (2, turns, simulations, CHECK_DISTANCES), those of the sharper intensity first: p, and of the side that speaks
   the ratios, and the envelope, which is as narrow as the mean over turns allows. most (turns simulations + 1). */
static inline void check_rank(check_pair *out, const double *events, const double *pairs, int turns, int simulations, double *most)
{
   const size_t block = (size_t)simulations * CHECK_DISTANCES;
   const int    all = turns * simulations;
   const double shrink = sqrt(CHECK_ALIKE + (1 - CHECK_ALIKE) / turns);
   double       centre[CHECK_DISTANCES], spread[CHECK_DISTANCES], mean[CHECK_DISTANCES], p[2], far[2] = {0, 0}, critical, excess = 0;
   for (int side = 0; side < 2; side++) {
      double score = 0;
      for (int turn = 0; turn < turns; turn++) {
         int rank = 1;
         check_deviations(events, pairs + (size_t)(side * turns + turn) * block, simulations, side ? -1 : 1, centre, spread, most);
         for (int s = 1; s <= simulations; s++) rank += most[s] >= most[0];
         far[side] += most[0];
         score += check_normal((rank - (turns > 1 ? 0.5 : 0)) / (simulations + 1)) / turns; /* one alone is exact */
      }
      p[side] = 0.5 * erfc(-score / shrink / sqrt(2));
   }
   out->clusters = p[0] < p[1] || (p[0] == p[1] && far[0] > far[1]) ? 1 : -1; /* a lattice has both beyond all chance */
   out->p = fmin(1, 2 * fmin(p[0], p[1]));
   memset(out->hi, 0, sizeof out->hi);
   memset(mean, 0, sizeof mean);
   for (int turn = turns - 1; turn >= 0; turn--) { /* each writes its simulations over the events of the one before */
      check_deviations(events, pairs + (size_t)((out->clusters > 0 ? 0 : turns) + turn) * block, simulations, 0, centre, spread, most + turn * simulations);
      for (int k = 0; k < CHECK_DISTANCES; k++) {
         mean[k] += (centre[k] * (simulations + 1) - events[k]) / all;
         out->hi[k] += spread[k] * spread[k] / turns;
      }
   }
   qsort(most + 1, (size_t)all, sizeof *most, check_ascending);
   critical = most[all - (int)(0.05 * all)] * shrink;
   for (int k = 0; k < CHECK_DISTANCES; k++) {
      const double off = critical * sqrt(out->hi[k]), below = k ? mean[k] - mean[k - 1] : mean[0];
      out->ratio[k] = mean[k] > 0 ? events[k] / mean[k] : 1;
      out->correlation[k] = below > 0 ? (events[k] - (k ? events[k - 1] : 0)) / below : 1;
      out->lo[k] = mean[k] > 0 ? fmax(0, 1 - off / mean[k]) : 0;
      out->hi[k] = mean[k] > 0 ? 1 + off / mean[k] : 2;
      excess = fmax(excess, out->clusters * (events[k] - mean[k]));
   }
   for (int k = 0; k < CHECK_DISTANCES && !(out->reach > 0); k++)
      if (out->clusters * (events[k] - mean[k]) >= 0.9 * excess) out->reach = out->distance[k];
}

/* All simulations, and the pairs of each. pairs as above; x (count, dim). */
static inline sneppp_status check_simulate(const sneppp_model *m, const check_how *how, const double *x, size_t count, int turns, int simulations, double *pairs, check_pair *out, sneppp_error *err)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   const size_t   d = (size_t)w->dim, block = (size_t)simulations * CHECK_DISTANCES;
   const int      dim = w->space == SNEPPP_SPACE_SPHERE ? w->dim - 1 : w->dim;
   double        *hidden = (double *)calloc(count * d, sizeof *hidden), *y = (double *)calloc(count * d, sizeof *y), *pool = (double *)calloc(count * d, CHECK_POOL * sizeof *pool), *here = (double *)calloc(count, sizeof *here);
   double         rounding = 0, start;
   sneppp_real   *drawn = (sneppp_real *)malloc(count * d * sizeof *drawn);
   unsigned char *hand = (unsigned char *)calloc(count, 1);
   check_hands    c;
   sneppp_rng     rng;
   sneppp_status  st = SNEPPP_OK;
   memset(&c, 0, sizeof c);
   c.w = w;
   c.model = (sneppp_model *)calloc(CHECK_FOLDS, sizeof *c.model);
   c.mean = (double)count / ((double)CHECK_FOLDS * sneppp_window_mass(w));
   c.step = fmax(pow(sneppp_window_mass(w) / (double)count, 1.0 / dim), how->coarse); /* a coarse step leaves nothing nearer */
   sneppp_rng_init(&rng, how->seed, 0x636865636bULL);
   if (!hidden || !y || !pool || !here || !hand || !drawn || !c.model) st = check_fail(err, SNEPPP_ERR_MEMORY, "not enough memory for the simulations");
   for (int turn = 0; turn < turns && st == SNEPPP_OK; turn++) {
      c.turn = 1 + turn % (CHECK_FOLDS - 1);
      if (!how->kept_back && turn % CHECK_TURNS == 0) {
         for (int h = 0; h < CHECK_FOLDS; h++) sneppp_free(&c.model[h]);
         st = check_deal(&c, x, count, hand, &rng, how->parallel, &rounding, err);
      }
      start = fmin(fmax(fmax(0.15 * c.step, how->coarse), 2 * rounding), c.step); /* closer pairs are a matter of rounding */
      for (int k = 0; k < CHECK_DISTANCES && !turn; k++)
         out->distance[k] = start * pow((how->kept_back ? 4 : 2) * c.step / start, (double)k / (CHECK_DISTANCES - 1));
      for (int side = 0; side < 2 && st == SNEPPP_OK; side++) {
         double *to = pairs + (size_t)(side * turns + turn) * block;
         if (side && how->kept_back) { memcpy(to, pairs + (size_t)turn * block, block * sizeof *to); break; }
         c.sharp = side ? 1 : CHECK_SHARP;
         if (!how->kept_back) {
            check_look(&c, hand, count, x, here);
            check_shake(&c, hand, count, x, here, hidden, &rng);
            check_look(&c, hand, count, hidden, here);
            memcpy(pool, x, count * d * sizeof *pool);
            for (size_t k = 1; k < CHECK_POOL; k++) check_shake(&c, hand, count, hidden, here, pool + k * count * d, &rng);
         }
         for (int s = 0; s < simulations && st == SNEPPP_OK; s++, to += CHECK_DISTANCES) {
            sneppp_sample_desc draw;
            memset(&draw, 0, sizeof draw);
            draw.count = count;
            draw.rng = &rng;
            for (size_t i = 0; i < count && !how->kept_back; i++)
               memcpy(y + i * d, pool + ((size_t)sneppp_rng_below(&rng, CHECK_POOL) * count + i) * d, d * sizeof *y);
            if (how->kept_back) {
               st = sneppp_sample(m, &draw, drawn, count, NULL, err);
               for (size_t i = 0; i < count * d && st == SNEPPP_OK; i++) y[i] = (double)drawn[i];
            }
            if (st == SNEPPP_OK) check_count_pairs(w, y, count, out->distance, to);
         }
      }
   }
   for (int h = 0; c.model && h < CHECK_FOLDS; h++) sneppp_free(&c.model[h]);
   free(c.model);
   free(hidden);
   free(pool);
   free(here);
   free(y);
   free(drawn);
   free(hand);
   return st;
}

/* Of so many events, how many pairs are made of. */
static inline size_t check_used(size_t count, const check_how *how)
{
   const size_t most = how->most ? how->most : 1000;
   return count < most ? count : most;
}

/* For models of one factor. Given their number: how many there are is another question. */
static inline sneppp_status check_pairs(const sneppp_model *m, const sneppp_real *x, size_t count, const check_how *how, check_pair *out, sneppp_error *err)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   const size_t   d = (size_t)w->dim, most = check_used((size_t)-1, how);
   const int      simulations = how->simulations > 0 ? how->simulations : how->kept_back ? 199 : 99;
   const int      turns = how->kept_back ? 1 : how->turns > 0 ? how->turns : CHECK_TURNS;
   double        *used, *pairs, *deviation, events[CHECK_DISTANCES];
   sneppp_rng     rng;
   sneppp_status  st;
   memset(out, 0, sizeof *out);
   if (m->factors != 1 || (w->space != SNEPPP_SPACE_BOX && w->space != SNEPPP_SPACE_INTERVALS && w->space != SNEPPP_SPACE_POLYGON &&
                           w->space != SNEPPP_SPACE_BALL && !(w->space == SNEPPP_SPACE_SPHERE && d == 3)))
      return check_fail(err, SNEPPP_ERR_NO_CLOSED_FORM, "pairs are for models of one box, polygon, ball, sphere or set of intervals");
   if (count < CHECK_LEAST) return check_fail(err, SNEPPP_ERR_DATA, "a check needs at least 20 events");
   used = (double *)malloc((count * d) * sizeof *used);
   pairs = (double *)malloc(2 * (size_t)turns * (size_t)simulations * CHECK_DISTANCES * sizeof *pairs);
   deviation = (double *)malloc(((size_t)turns * (size_t)simulations + 1) * sizeof *deviation);
   sneppp_rng_init(&rng, how->seed, 0x7468696eULL);
   for (size_t i = 0; i < count && used; i++) /* `most` of them, each as likely as any */
      if (sneppp_rng_below(&rng, count - i) < most - (out->used < most ? out->used : most)) {
         for (size_t k = 0; k < d; k++) used[out->used * d + k] = (double)x[i * d + k];
         out->used++;
      }
   st = used && pairs && deviation ? check_simulate(m, how, used, out->used, turns, simulations, pairs, out, err)
                                   : check_fail(err, SNEPPP_ERR_MEMORY, "not enough memory for the events");
   if (st == SNEPPP_OK) {
      check_count_pairs(w, used, out->used, out->distance, events);
      check_rank(out, events, pairs, turns, simulations, deviation);
   }
   free(used);
   free(pairs);
   free(deviation);
   return st;
}

/* ---- all of it */
typedef struct check_report {
   int        factors;
   check_pair pair[SNEPPP_MAX_FACTORS];
   check_grid grid[SNEPPP_MAX_FACTORS]; /* rows 0: none for this factor                                       */
   check_time time;                     /* of the last factor with one coordinate; count 0: there is none      */
   check_steps steps[SNEPPP_MAX_FACTORS]; /* to which coordinates were rounded                                 */
   uint64_t   seed;                     /* by which events were spread over them                              */
   double     p;                        /* of everything: see check_all                                       */
   char       sentence[700];
} check_report;

static inline void check_chance(char *text, size_t room, double p)
{
   if (p < 0.01) snprintf(text, room, "p < 0.01");
   else snprintf(text, room, "p = %.2f", p);
}

/* One sentence for each test that complains, or one that says that none did. Pairs may err in 5 of 100 cases, the counts and
   the times, which flatter a model that was fitted to these events, in a twentieth of that: the p of these is taken times
   20, and that of pairs times the number of factors. unit: of distances, such as "m", or "". */
static inline sneppp_status check_all(const sneppp_model *m, const sneppp_real *x, size_t count, const check_how *how, const char *unit, check_report *out, sneppp_error *err)
{
   sneppp_status st = check_inside(m, x, count, err);
   check_how     here = *how;
   char          chance[30], where[40];
   size_t        at = 0;
   memset(out, 0, sizeof *out);
   out->p = 1;
   out->seed = how->seed;
   out->factors = m->factors;
   if (st == SNEPPP_OK && count < CHECK_LEAST) st = check_fail(err, SNEPPP_ERR_DATA, "a check needs at least 20 events");
   for (int f = 0; f < m->factors && st == SNEPPP_OK; f++) {
      const sneppp_window *w = &m->desc.factor[f].window;
      const int            line = w->dim == 1 && (w->space == SNEPPP_SPACE_BOX || w->space == SNEPPP_SPACE_INTERVALS), globe = w->space == SNEPPP_SPACE_SPHERE;
      sneppp_model         alone;
      sneppp_real         *xf = NULL;
      const sneppp_model  *mf;
      check_pair          *pair = &out->pair[f];
      double               e[4], p, scale = globe ? 180 / 3.14159265358979323846 : 1;
      st = check_factor(m, f, x, count, &alone, &xf, err);
      if (st != SNEPPP_OK) break;
      mf = alone.factors ? &alone : m;
      st = check_spread(w, xf, count, check_used(count, how), how->seed, &out->steps[f], err);
      here.coarse = fmax(how->coarse, out->steps[f].coarse);
      if (st == SNEPPP_OK) st = check_pairs(mf, xf, count, &here, pair, err);
      if (st == SNEPPP_OK && check_extent(w, e)) st = check_cells(mf, xf, count, &out->grid[f], err);
      if (st == SNEPPP_OK && line && !out->time.count) st = check_times(mf, xf, count, &out->time, err);
      free(xf);
      sneppp_free(&alone);
      if (st != SNEPPP_OK) break;
      p = fmin(1, pair->p * m->factors);
      out->p = fmin(out->p, p);
      if (p <= 0.05) {
         check_chance(chance, sizeof chance, p);
         snprintf(where, sizeof where, "%.3g%s%s", pair->reach * scale,
                  globe ? " degrees" : unit && *unit && !line ? " " : "", globe || line || !unit ? "" : unit);
         at += (size_t)snprintf(out->sentence + at, sizeof out->sentence - at, "%s %s %s at %s below %s (%s). ", at ? "Events" : "events",
                                pair->clusters > 0 ? "cluster more than" : "keep further apart than",
                                how->kept_back ? "the intensity explains" : "an intensity shared by many of them explains",
                                line && m->factors > 1 ? "time lags" : line ? "distances in time" : "distances", where, chance);
      }
      if (out->grid[f].rows) {
         p = fmin(1, 20 * out->grid[f].p * m->factors);
         out->p = fmin(out->p, p);
         check_chance(chance, sizeof chance, p);
         if (p <= 0.05 && at < sizeof out->sentence)
            at += (size_t)snprintf(out->sentence + at, sizeof out->sentence - at, "%s in cells stray %.1f times as much as counts around the fitted means do (%s). ",
                                   at ? "Counts" : "counts", sqrt(out->grid[f].dispersion), chance);
      }
   }
   if (st == SNEPPP_OK && out->time.count) {
      const double p = fmin(1, 20 * out->time.p);
      out->p = fmin(out->p, p);
      check_chance(chance, sizeof chance, p);
      if (p <= 0.05 && at < sizeof out->sentence)
         at += (size_t)snprintf(out->sentence + at, sizeof out->sentence - at, "%s rescaled times are not uniform (%s). ", at ? "The" : "the", chance);
   }
   if (st != SNEPPP_OK) { free(out->time.u); memset(out, 0, sizeof *out); return st; }
   if (!at) {
      check_chance(chance, sizeof chance, out->p);
      snprintf(out->sentence, sizeof out->sentence, "nothing speaks against a Poisson process with this intensity (%s)", chance);
   } else { /* no ". " at the end */
      at = strlen(out->sentence);
      while (at && (out->sentence[at - 1] == ' ' || out->sentence[at - 1] == '.')) out->sentence[--at] = 0;
   }
   return SNEPPP_OK;
}

static inline void check_forget(check_report *r)
{
   free(r->time.u);
   r->time.u = NULL;
}

/* ---- two models */
typedef struct check_difference {
   double gain;   /* log-likelihood of a minus that of b, per event that was counted there; above 0: a is better */
   double error;  /* its standard error: the scatter over events                                              */
   double expected[2];
   size_t events;
} check_difference;

/* On events that neither model was fitted to; region NULL: everywhere. scale: of both models, see sneppp_test_nll. An event
   where one of them says 0 makes the gain infinite. */
static inline sneppp_status check_compare(const sneppp_model *a, const sneppp_model *b, const sneppp_real *x, size_t count, double scale, const sneppp_region *region, check_difference *out, sneppp_error *err)
{
   double        sum = 0, square = 0, n;
   sneppp_status st;
   memset(out, 0, sizeof *out);
   if (a->D != b->D) return check_fail(err, SNEPPP_ERR_ARG, "the two models have different numbers of coordinates");
   st = sneppp_count(a, region, 1, &out->expected[0], NULL, err);
   if (st == SNEPPP_OK) st = sneppp_count(b, region, 1, &out->expected[1], NULL, err);
   if (st != SNEPPP_OK) return st;
   for (int k = 0; k < 2; k++) out->expected[k] *= scale;
   for (size_t i = 0; i < count; i++) {
      const sneppp_real *at = x + i * (size_t)a->D;
      double             d;
      if (region && !check_in_region(a, region, at)) continue;
      d = sneppp_log_intensity(a, at) - sneppp_log_intensity(b, at);
      sum += d;
      square += d * d;
      out->events++;
   }
   n = (double)out->events;
   if (!out->events) return SNEPPP_OK;
   out->gain = (sum - out->expected[0] + out->expected[1]) / n;
   /* The sum over a Poisson process has the variance of the sum of squares; given the number it has less. */
   out->error = out->events > 1 ? sqrt(fmax(0, square - sum * sum / n) / (n - 1) / n) : 0;
   return SNEPPP_OK;
}

#ifdef DRAW_H /* include draw.h first to have the picture */
/* Blue for fewer events than expected, white, red for more; t from -1 to 1, in steps of 1/12. */
static inline unsigned check_colour(double t)
{
   const double v = floor(fabs(fmax(-1, fmin(1, t))) * 12 + 0.5) / 12;
   return t > 0 ? pic_oklab(0.98 - 0.4 * v, 0.19 * v, 0.1 * v) : pic_oklab(0.98 - 0.45 * v, -0.03 * v, -0.17 * v);
}

static inline sneppp_status check_draw_residuals(picture *p, pic_frame *f, const sneppp_model *m, const sneppp_real *x, size_t count, const sneppp_parallel *par, sneppp_error *err)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   const int     rows = w->dim == 1 ? 1 : 60, cols = w->dim == 1 ? 240 : 60, high = (int)(f->bottom - f->top), wide = (int)(f->right - f->left);
   double       *z = (double *)calloc((size_t)rows * (size_t)cols, sizeof *z), e[4];
   sneppp_status st = z && check_extent(w, e) ? check_map(m, x, count, 0, rows, cols, z, par, err) : check_fail(err, SNEPPP_ERR_MEMORY, "not enough memory for the map");
   if (st != SNEPPP_OK) { free(z); return st; }
   f->x0 = e[0], f->x1 = e[1], f->y0 = e[2], f->y1 = e[3];
   if (w->dim > 1) {
      for (int r = 0; r < high; r++)
         for (int c = 0; c < wide; c++) {
            const double u = (c + 0.5) / wide, v = 1 - (r + 0.5) / high;
            const double at[2] = {e[0] + (e[1] - e[0]) * u, e[2] + (e[3] - e[2]) * v};
            const int    seen = w->space == SNEPPP_SPACE_SPHERE || sneppp_window_contains(w, at); /* white: all is well */
            pic_dot(p, (int)f->left + c, (int)f->top + r,
                    seen ? check_colour(pic_between(z, rows, cols, u, v) / 4) : DRAW_UNSEEN, 1);
         }
      draw_outline(p, f, w);
      pic_axes(p, f, w->space == SNEPPP_SPACE_SPHERE ? "longitude" : "x", w->space == SNEPPP_SPACE_SPHERE ? "sine of latitude" : "y", "residuals, smoothed");
      for (int k = 0; k < 200; k++) pic_box(p, f->left + wide * k / 200.0, f->bottom + 48, f->left + wide * (k + 1) / 200.0, f->bottom + 58, check_colour(k / 99.5 - 1));
      pic_text(p, f->left, f->bottom + 74, 8, 0, PIC_INK, "-4 s.d. too few");
      pic_text(p, f->right, f->bottom + 74, 8, 1, PIC_INK, "too many +4 s.d.");
   } else {
      f->y0 = -4.5, f->y1 = 4.5;
      pic_box(p, f->left, pic_y(f, 2), f->right, pic_y(f, -2), 0xe4ebf3u);
      pic_line(p, f->left, pic_y(f, 0), f->right, pic_y(f, 0), 0.8, PIC_GREY);
      for (int c = 1; c < cols; c++)
         pic_line(p, pic_x(f, e[0] + (e[1] - e[0]) * (c - 0.5) / cols), pic_y(f, fmax(-4.5, fmin(4.5, z[c - 1]))), pic_x(f, e[0] + (e[1] - e[0]) * (c + 0.5) / cols),
                  pic_y(f, fmax(-4.5, fmin(4.5, z[c]))), 1.8, 0xb03a10u);
      pic_axes(p, f, "time", "standard deviations", "residuals, smoothed");
   }
   free(z);
   return SNEPPP_OK;
}

/* Rescaled times where there are, else the standardised residuals of cells. */
static inline void check_draw_quantiles(picture *p, pic_frame *f, const check_report *r)
{
   const check_grid *g = &r->grid[0];
   const int         timed = r->time.count > 0 && g->rows <= 1, cells = g->rows * g->cols;
   double            v[CHECK_SIDE * CHECK_SIDE], band = timed ? 1.358 / sqrt((double)r->time.count) : 0;
   int               n = 0;
   memset(v, 0, sizeof v);
   for (int k = 0; k < cells; k++) if (g->cell[k].mean >= 1) v[n++] = g->cell[k].standard;
   qsort(v, (size_t)n, sizeof *v, check_ascending);
   f->x0 = f->y0 = timed ? 0 : -4, f->x1 = f->y1 = timed ? 1 : 4;
   for (int k = 0; k < (int)(f->right - f->left) && timed; k++) {
      const double u = (k + 0.5) / (f->right - f->left);
      pic_box(p, f->left + k, pic_y(f, fmin(1, u + band)), f->left + k + 1, pic_y(f, fmax(0, u - band)), 0xe4ebf3u);
   }
   pic_line(p, pic_x(f, f->x0), pic_y(f, f->y0), pic_x(f, f->x1), pic_y(f, f->y1), 0.8, PIC_GREY);
   for (size_t i = 0; timed && i < r->time.count; i++)
      pic_disc(p, pic_x(f, ((double)i + 0.5) / (double)r->time.count), pic_y(f, r->time.u[i]), 1.4, 0x204a87u);
   for (int i = 0; !timed && i < n; i++)
      pic_disc(p, pic_x(f, fmax(-4, fmin(4, check_normal((i + 0.5) / n)))), pic_y(f, fmax(-4, fmin(4, v[i]))), 1.8, 0x204a87u);
   pic_axes(p, f, timed ? "uniform quantiles" : "normal quantiles", timed ? "rescaled times" : "residuals of cells", timed ? "rescaled times" : "counts in cells");
}

static inline void check_draw_pairs(picture *p, pic_frame *f, const check_pair *c, double unit, const char *xlabel)
{
   double top = 1.5;
   for (int k = 0; k < CHECK_DISTANCES; k++) top = fmax(top, 1.08 * fmax(c->ratio[k], fmin(c->hi[k], 4)));
   f->x0 = 0, f->x1 = c->distance[CHECK_DISTANCES - 1] * unit, f->y0 = 0, f->y1 = top;
   for (int k = 1; k < CHECK_DISTANCES; k++) { /* the envelope, column by column */
      const double a = pic_x(f, c->distance[k - 1] * unit), b = pic_x(f, c->distance[k] * unit);
      for (int px = (int)a; px < (int)b; px++) {
         const double t = (px + 0.5 - a) / (b - a), lo = c->lo[k - 1] + t * (c->lo[k] - c->lo[k - 1]), hi = c->hi[k - 1] + t * (c->hi[k] - c->hi[k - 1]);
         pic_box(p, px, pic_y(f, fmin(top, hi)), px + 1, pic_y(f, fmin(top, lo)), 0xe4ebf3u);
      }
   }
   pic_line(p, f->left, pic_y(f, 1), f->right, pic_y(f, 1), 0.8, PIC_GREY);
   for (int k = 1; k < CHECK_DISTANCES; k++)
      pic_line(p, pic_x(f, c->distance[k - 1] * unit), pic_y(f, c->ratio[k - 1]), pic_x(f, c->distance[k] * unit), pic_y(f, c->ratio[k]), 2, 0xb03a10u);
   pic_axes(p, f, xlabel, "pairs / pairs expected", "K(r) and its envelope");
}

/* Residuals, quantiles and pairs of the first factor, which is the place or the only one, side by side. */
static inline sneppp_status check_draw(const sneppp_model *m, const sneppp_real *x, size_t count, const check_report *r, const sneppp_parallel *par, const char *path, sneppp_error *err)
{
   const sneppp_window *w = &m->desc.factor[0].window;
   const int     globe = w->space == SNEPPP_SPACE_SPHERE;
   sneppp_model  alone;
   sneppp_real  *at = NULL;
   double        e[4], ratio, wide;
   char          title[sizeof r->sentence];
   check_steps   steps;
   picture       p;
   pic_frame     f;
   sneppp_status st;
   if (!check_extent(w, e)) return check_fail(err, SNEPPP_ERR_NO_CLOSED_FORM, "only windows with one or two coordinates and the sphere are drawn");
   st = check_factor(m, 0, x, count, &alone, &at, err);
   if (st == SNEPPP_OK) st = check_spread(w, at, count, r->pair[0].used, r->seed, &steps, err); /* as they were checked */
   if (st != SNEPPP_OK) { free(at); return st; }
   ratio = globe ? 2 : w->dim > 1 ? (e[1] - e[0]) / (e[3] - e[2]) : 1.4;
   wide = fmin(480, fmax(150, 260 * ratio));
   p = pic_make((int)wide + 780, 410);
   memset(&f, 0, sizeof f);
   f.left = 75, f.top = 60, f.right = f.left + wide, f.bottom = w->dim > 1 ? fmin(320, f.top + wide / ratio) : 320;
   st = p.rgb ? check_draw_residuals(&p, &f, alone.factors ? &alone : m, at, count, par, err) : check_fail(err, SNEPPP_ERR_MEMORY, "not enough memory for the picture");
   if (st == SNEPPP_OK) {
      f.left = 75 + wide + 85, f.right = f.left + 260, f.bottom = 320;
      check_draw_quantiles(&p, &f, r);
      f.left = f.right + 80, f.right = f.left + 260;
      check_draw_pairs(&p, &f, &r->pair[0], globe ? 180 / 3.14159265358979323846 : 1, globe ? "r, degrees" : "r");
      snprintf(title, sizeof title, "%s", r->sentence);
      if (strstr(title, "). ")) strstr(title, "). ")[1] = 0; /* the first sentence */
      pic_text(&p, 75, 24, fmin(10, 10 * (p.w - 85) / pic_text_width(10, title)), 0, PIC_INK, title);
      if (!pic_save(&p, path)) st = check_fail(err, SNEPPP_ERR_IO, "the picture cannot be written");
   }
   pic_free(&p);
   free(at);
   sneppp_free(&alone);
   return st;
}
#endif
#endif
