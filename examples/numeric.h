/* K of features of your own, by quadrature: for features that nobody has a formula for.
      numeric_gram(win, n, psi, user, tol, max_points, K, work, &error, &err)
   It is refined until K (n, n) changes by less than tol (0 = 1e-10) times its largest entry, or until max_points (0 = 1e6;
   finite sets: any number) would be exceeded: then ERR_NO_CONVERGENCE, with the best K, or ERR_SIZE if the coarsest grid,
   8 points per axis, has more. error: the last change. If psi is not finite on some grid, K is that of the grid before.
   work: n * n + n doubles, or NULL. Not for exponential families on the line, nor for R^d, nor rasters.

   Each window is a union of images of the unit cube; on each, composite Gauss-Legendre rules of 8 nodes, and equidistant
   nodes along closed circles, are refined by halving all cells. Written in the common subset of C99 and C++. */
#ifndef NUMERIC_H
#define NUMERIC_H
#ifndef SNEPPP_H /* yours, wherever it is, if it was included before */
#include "../sneppp.h"
#endif
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sneppp_status numeric_fail(sneppp_error *err, sneppp_status status, const char *format, ...)
{
   va_list list;
   if (!err) return status;
   va_start(list, format);
   err->status = status, err->event = 0;
   vsnprintf(err->why, sizeof err->why, format, list);
   va_end(list);
   return status;
}

static int numeric_finite(double x) /* also under -ffast-math */
{
   uint64_t bits;
   memcpy(&bits, &x, sizeof bits);
   return (bits >> 52 & 0x7ff) != 0x7ff;
}

static const double numeric_pi = 3.14159265358979323846;

typedef struct numeric_cubature {
   const sneppp_window *win;
   int                  D, closed;  /* axes of the unit cube; is the last one a circle?            */
   size_t               n, pieces;  /* features; images of the cube that make up the window        */
   sneppp_feature       psi;
   void                *user;
   double              *K, *values; /* (n, n), (n)                                                 */
} numeric_cubature;

enum { NUMERIC_NODES = 8, NUMERIC_AXES = SNEPPP_MAX_DIM + 2 };

/* Gauss and Legendre's rule of 8 nodes on [-1, 1]. */
static const double numeric_node[NUMERIC_NODES] = {
   -0.96028985649753623, -0.79666647741362674, -0.52553240991632899, -0.18343464249564980,
    0.18343464249564980,  0.52553240991632899,  0.79666647741362674,  0.96028985649753623};
static const double numeric_weight[NUMERIC_NODES] = {
   0.10122853629037626, 0.22238103445337447, 0.31370664587788729, 0.36268378337836198,
   0.36268378337836198, 0.31370664587788729, 0.22238103445337447, 0.10122853629037626};

/* Angles to the unit sphere in R^d, d >= 2: all but the last run over (0, pi), the last once around. Returns the
   Jacobian. */
static double numeric_sphere(int d, const double *u, double *x)
{
   double jacobian = 2 * numeric_pi, radius = 1;
   for (int k = 0; k < d - 2; k++) {
      double s = sin(numeric_pi * u[k]);
      x[k] = radius * cos(numeric_pi * u[k]);
      radius *= s;
      jacobian *= numeric_pi;
      for (int m = 0; m < d - 2 - k; m++) jacobian *= s;
   }
   x[d - 2] = radius * cos(2 * numeric_pi * u[d - 2]);
   x[d - 1] = radius * sin(2 * numeric_pi * u[d - 2]);
   return jacobian;
}

/* A piece of the window: for intervals and mixtures its number, for polygons a trapezoid between two edges. */
typedef struct numeric_piece { size_t index; double y0, y1, left[2], right[2]; } numeric_piece;

/* Normal densities are integrated within this many standard deviations; beyond it is less than 1e-18. */
#define NUMERIC_TAIL 9.0

static double numeric_map(const sneppp_window *win, const numeric_piece *piece, const double *u, double *x)
{
   double jacobian = 1, radius, width;
   int    r, d = win->dim;
   switch (win->space) {
      case SNEPPP_SPACE_BOX:
         for (r = 0; r < d; r++) {
            x[r] = win->lo[r] + u[r] * (win->hi[r] - win->lo[r]);
            jacobian *= win->hi[r] - win->lo[r];
         }
         return jacobian;
      case SNEPPP_SPACE_INTERVALS:
         width = win->ends[2 * piece->index + 1] - win->ends[2 * piece->index];
         x[0] = win->ends[2 * piece->index] + u[0] * width;
         return width;
      case SNEPPP_SPACE_POLYGON:
         width = (1 - u[0]) * (piece->right[0] - piece->left[0]) + u[0] * (piece->right[1] - piece->left[1]);
         x[0] = (1 - u[0]) * piece->left[0] + u[0] * piece->left[1] + u[1] * width;
         x[1] = piece->y0 + u[0] * (piece->y1 - piece->y0);
         return width * (piece->y1 - piece->y0);
      case SNEPPP_SPACE_FINITE:
         x[0] = (double)piece->index;
         return win->weight ? win->weight[piece->index] : 1;
      case SNEPPP_SPACE_SPHERE:
         if (d == 1) x[0] = piece->index ? 1 : -1;
         else jacobian = numeric_sphere(d, u, x);
         if (win->measure == SNEPPP_MEASURE_PROBABILITY) {
            sneppp_window area = *win;
            area.measure = SNEPPP_MEASURE_SURFACE;
            jacobian /= sneppp_window_mass(&area);
         }
         return jacobian;
      case SNEPPP_SPACE_BALL:
         if (d == 1) { x[0] = win->centre[0] + (2 * u[0] - 1) * win->radius; return 2 * win->radius; }
         radius = win->radius * u[0];
         jacobian = win->radius * numeric_sphere(d, u + 1, x);
         for (r = 0; r < d; r++) { x[r] = win->centre[r] + radius * x[r]; if (r) jacobian *= radius; }
         return jacobian;
      case SNEPPP_SPACE_VONMISES: x[0] = 2 * numeric_pi * u[0]; return 2 * numeric_pi;
      default: /* SNEPPP_SPACE_GAUSS */
         for (r = 0; r < d; r++) {
            size_t at = piece->index * (size_t)d + (size_t)r;
            double z = NUMERIC_TAIL * (2 * u[r] - 1);
            x[r] = (win->mean ? win->mean[at] : 0) + (win->scale ? win->scale[at] : 1) * z;
            jacobian *= 2 * NUMERIC_TAIL * exp(-0.5 * z * z) / sqrt(2 * numeric_pi);
         }
         return jacobian * (win->weight ? win->weight[piece->index] : 1 / (double)(win->count ? win->count : 1));
   }
}

/* One piece with `cells` cells along each axis; with none, it is a single point. */
static void numeric_piece_sum(const numeric_cubature *c, const numeric_piece *piece, size_t cells)
{
   size_t at[NUMERIC_AXES] = {0}, n = cells * NUMERIC_NODES;
   double u[NUMERIC_AXES] = {0}, x[NUMERIC_AXES] = {0};
   int    r;
   do {
      double w = 1;
      for (r = 0; r < c->D; r++) {
         size_t k = at[r] % NUMERIC_NODES;
         if (c->closed && r == c->D - 1) {
            u[r] = ((double)at[r] + 0.5) / (double)n;
            w /= (double)n;
         } else {
            u[r] = ((double)(at[r] / NUMERIC_NODES) + 0.5 * (1 + numeric_node[k])) / (double)cells;
            w *= 0.5 * numeric_weight[k] / (double)cells;
         }
      }
      w *= numeric_map(c->win, piece, u, x);
      c->psi(x, c->values, c->user);
      for (size_t i = 0; i < c->n; i++)
         for (size_t j = i; j < c->n; j++) c->K[i * c->n + j] += w * c->values[i] * c->values[j];
      for (r = 0; r < c->D && ++at[r] == n; r++) at[r] = 0;
   } while (r < c->D);
}

/* Polygon: between two neighbouring heights of vertices the window is a row of trapezoids; their sides are the edges
   that cross the strip, sorted by where they cross its middle and taken in pairs (holes need nothing special). Calls
   the sum for each and returns how many there are; with cells = 0 only counts. */
static size_t numeric_polygon(const numeric_cubature *c, size_t cells)
{
   const sneppp_window *win = c->win;
   const size_t         rings = win->rings ? win->rings : 1;
   size_t               total = 0, pieces = 0, r, k, m;
   double               y0, y1, top;
   for (r = 0; r < rings; r++) total += win->rings ? win->ring_size[r] : win->count;
   y0 = top = win->xy[1];
   for (k = 1; k < total; k++) y0 = fmin(y0, win->xy[2 * k + 1]), top = fmax(top, win->xy[2 * k + 1]);
   for (; y0 < top; y0 = y1) {
      numeric_piece piece;
      double             middle, last = 0;
      memset(&piece, 0, sizeof piece);
      for (y1 = top, k = 0; k < total; k++)
         if (win->xy[2 * k + 1] > y0) y1 = fmin(y1, win->xy[2 * k + 1]);
      middle = y0 + 0.5 * (y1 - y0);
      piece.y0 = y0;
      piece.y1 = y1;
      for (int side = 0;; side++) { /* the next edge to the right */
         double best = 0, ends[2] = {0, 0};
         int    found = 0;
         size_t start = 0, size;
         for (r = 0; r < rings; start += size, r++) {
            for (k = 0, m = (size = win->rings ? win->ring_size[r] : win->count) - 1; k < size; m = k++) {
               const double *a = win->xy + 2 * (start + m), *b = win->xy + 2 * (start + k);
               if ((a[1] > middle) == (b[1] > middle)) continue;
               double slope = (b[0] - a[0]) / (b[1] - a[1]);
               double x = a[0] + slope * (middle - a[1]);
               if ((side && x <= last) || (found && x >= best)) continue;
               found = 1;
               best = x;
               ends[0] = a[0] + slope * (y0 - a[1]);
               ends[1] = a[0] + slope * (y1 - a[1]);
            }
         }
         if (!found) break;
         last = best;
         memcpy(side % 2 ? piece.right : piece.left, ends, sizeof ends);
         if (!(side % 2)) continue;
         pieces++;
         if (cells) numeric_piece_sum(c, &piece, cells);
      }
   }
   return pieces;
}

/* One refinement: K with `cells` cells per axis. */
static void numeric_sum(const numeric_cubature *c, size_t cells)
{
   numeric_piece piece;
   memset(c->K, 0, c->n * c->n * sizeof *c->K);
   memset(&piece, 0, sizeof piece);
   if (c->win->space == SNEPPP_SPACE_POLYGON) numeric_polygon(c, cells);
   else for (piece.index = 0; piece.index < c->pieces; piece.index++) numeric_piece_sum(c, &piece, cells);
   for (size_t i = 0; i < c->n; i++) for (size_t j = 0; j < i; j++) c->K[i * c->n + j] = c->K[j * c->n + i];
}

/* How the window is cut; 0 if it cannot be. */
static int numeric_plan(numeric_cubature *c, const sneppp_window *win)
{
   c->win = win, c->D = win->dim, c->closed = 0, c->pieces = 1;
   switch (win->space) {
      case SNEPPP_SPACE_BOX: return 1;
      case SNEPPP_SPACE_GAUSS: c->pieces = win->count ? win->count : 1; return 1;
      case SNEPPP_SPACE_INTERVALS: c->pieces = win->count; return 1;
      case SNEPPP_SPACE_POLYGON: c->pieces = numeric_polygon(c, 0); return 1;
      case SNEPPP_SPACE_SPHERE: c->D = win->dim - 1, c->closed = 1, c->pieces = win->dim == 1 ? 2 : 1; return 1;
      case SNEPPP_SPACE_BALL: c->closed = win->dim > 1; return 1;
      case SNEPPP_SPACE_VONMISES: c->closed = 1; return 1;
      case SNEPPP_SPACE_FINITE: c->D = 0, c->pieces = win->count; return 1;
      default: return 0;
   }
}

/* Refines until K changes by less than tol, or max_points would be exceeded. */
static sneppp_status numeric_refine(const numeric_cubature *c, double tol, size_t max_points, double *K, double *error,
                                    sneppp_error *err)
{
   const size_t square = c->n * c->n;
   double       step = 0, largest = 0;
   size_t       cells, k;
   for (cells = 1;; cells *= 2) {
      double count = (double)c->pieces;
      for (int r = 0; r < c->D; r++) count *= (double)(cells * NUMERIC_NODES);
      if (cells == 1 && count > (double)max_points)
         return numeric_fail(err, SNEPPP_ERR_SIZE, "max_points = %lu, but the coarsest grid has %g points",
                             (unsigned long)max_points, count);
      if (count > (double)max_points) break;
      numeric_sum(c, cells);
      for (k = 0, step = 0, largest = 0; k < square; k++) {
         if (!numeric_finite(c->K[k]))
            return numeric_fail(err, SNEPPP_ERR_NOT_FINITE, "psi gave a value that is not finite (entry %lu of K)",
                                (unsigned long)k);
         if (fabs(c->K[k]) > largest) largest = fabs(c->K[k]);
         if (cells > 1 && fabs(c->K[k] - K[k]) > step) step = fabs(c->K[k] - K[k]);
      }
      memcpy(K, c->K, square * sizeof *K);
      if (error) *error = c->D == 0 ? 0 : cells > 1 ? step : largest;
      if (c->D == 0) return SNEPPP_OK;
      if (cells > 1 && step <= tol * largest) return SNEPPP_OK;
   }
   return numeric_fail(err, SNEPPP_ERR_NO_CONVERGENCE, "after %lu points per axis K still changes by %g",
                       (unsigned long)(cells / 2 * NUMERIC_NODES), step);
}

static sneppp_status numeric_gram(const sneppp_window *win, int n, sneppp_feature psi, void *user, double tol,
                                  size_t max_points, double *K, double *work, double *error, sneppp_error *err)
{
   static const double none[2 * NUMERIC_AXES] = {0};
   const size_t        wide = (size_t)n;
   double              mass, *own = NULL;
   sneppp_layer        one;
   numeric_cubature    c;
   sneppp_status       status;
   memset(&one, 0, sizeof one);
   one.n = 1, one.unit.act = SNEPPP_ACT_ONE, one.W = none;
   status = sneppp_moments(win, &one, &mass, err); /* which knows what a window is */
   if (status != SNEPPP_OK) return status;
   if (n < 1 || wide > (size_t)-1 / sizeof(double) / wide - wide)
      return numeric_fail(err, SNEPPP_ERR_ARG, "n = %d is not a number of features", n);
   if (!psi) return numeric_fail(err, SNEPPP_ERR_ARG, "psi is NULL");
   if (!K) return numeric_fail(err, SNEPPP_ERR_ARG, "K is NULL");
   if (!numeric_finite(tol) || tol < 0) return numeric_fail(err, SNEPPP_ERR_ARG, "tol = %g is not a tolerance", tol);
   if (!numeric_plan(&c, win))
      return numeric_fail(err, SNEPPP_ERR_ARG, "numerical integration is not offered on windows of space %d", (int)win->space);
   if (tol == 0) tol = 1e-10;
   if (!max_points) max_points = c.D == 0 ? (size_t)-1 : 1000000; /* single points need no grid */
   if (!work) work = own = (double *)malloc((wide + 1) * wide * sizeof *own);
   if (!work) return numeric_fail(err, SNEPPP_ERR_MEMORY, "there is no memory for %d features", n);
   c.n = wide, c.psi = psi, c.user = user;
   c.K = work, c.values = work + wide * wide;
   status = numeric_refine(&c, tol, max_points, K, error, err);
   free(own);
   return status;
}
#endif
