/* What a plan stands for: windows with their lists, a description, events. Everything is static, because each program
   runs in a process of its own. A shape is a window that can be walked through: cells with a map from the unit cube. */
#ifndef HUNT_WORLD_H
#define HUNT_WORLD_H
#include <stdio.h>
#include <stdlib.h>
#include <stdarg.h>
#include "plan.h"
#include "../../examples/export.h"
#include "../../examples/numeric.h"
#include "../../examples/tile.h"

/* As in tests/alloc.h, whose functions are compiled into hunt/library.c. */
typedef struct test_alloc {
   size_t calls, fail_at, live, bytes;
} test_alloc;

enum {
   MOST_PIECES = 16,
   MOST_VERTICES = 128,
   MOST_CELLS = 64, /* of a raster */
   MOST_PLOTS = 512,
   MOST_EVENTS = 400,
   MOST_UNITS = 128,
   MOST_PARTS = 3,
   MOST_COORDS = HUNT_FACTORS * SNEPPP_MAX_DIM
};

typedef struct wedge {
   double centre[2], a[2], b[2], inner;
} wedge; /* centre + r ((1-u) a + u b), r from inner to 1 */

typedef struct plot {
   double p[4][2]; /* corners, counterclockwise; two may be one. On the line from p[0][0] to p[1][0]   */
   int cell, wedge;
} plot;

typedef struct shape {
   sneppp_window win, own; /* own: the raster of which this is a part                                  */
   double exposure[MOST_CELLS], mask[MOST_CELLS], z[2 * MOST_CELLS], own_xy[2 * MOST_VERTICES];
   size_t own_rings[2 * MOST_PIECES];
   plot plots[MOST_PLOTS]; /* what of the cells is in it; 0: it is no part of a raster                 */
   int plot_count;
   double list[MOST_PIECES * SNEPPP_MAX_DIM], more[MOST_PIECES * SNEPPP_MAX_DIM], weight[MOST_PIECES],
      xy[2 * MOST_VERTICES];
   size_t ring_size[2 * MOST_PIECES];
   wedge wedges[MOST_VERTICES];
   int wedge_count, ring_first[MOST_PIECES], ring_vertices[MOST_PIECES];
   double inner[MOST_PIECES], centre[MOST_PIECES][2];
   int islands;
   int part; /* of a raster, cells are outside by mask; of a finite set, points of weight 0, as they are not in the
                window itself */
   double size;
} shape;

typedef struct world {
   plan p;
   shape shape[HUNT_FACTORS], seen_shape[HUNT_FACTORS], part_shape[4];
   sneppp_unit units[HUNT_FACTORS][MOST_UNITS];
   sneppp_desc desc;
   sneppp_model model;
   int made;       /* the model is made              */
   int factors, D; /* as described, before any joint */
   sneppp_region seen;
   sneppp_real x[MOST_PARTS][MOST_EVENTS * MOST_COORDS], weight[MOST_PARTS][MOST_EVENTS];
   sneppp_events events[MOST_PARTS];
   size_t realisations;
   test_alloc alloc;
   void *mem;
   int short_read; /* a source gives one event too few */
   sneppp_pool *pool;
} world;
static world w;
extern unsigned char hunt_fill; /* see hunt/library.c */
unsigned char hunt_fill = 0x7F;

/* ---- shapes */
static double size_of(const plan_factor *f) { return pow(10, f->scale); }

static void shape_links(shape *s) /* the window's lists point into the shape */
{
   sneppp_window *v = &s->win;
   v->weight = v->mean = v->scale = v->ends = v->point = v->xy = v->z = NULL, v->ring_size = NULL;
   if (s->own.dim) {
      s->own.weight = s->own.weight ? s->exposure : NULL, s->own.z = s->own.covariates ? s->z : NULL;
      s->own.xy = s->own.xy ? s->own_xy : NULL, s->own.ring_size = s->own.rings ? s->own_rings : NULL;
   }
   if (v->space == SNEPPP_SPACE_RASTER) {
      v->weight = s->part ? s->mask : s->own.weight, v->z = v->covariates ? s->z : NULL;
      if (v->count || v->rings) v->xy = s->own_xy, v->ring_size = v->rings ? s->own_rings : NULL;
   }
   if (v->space == SNEPPP_SPACE_GAUSS && v->count) v->weight = s->weight, v->mean = s->list, v->scale = s->more;
   if (v->space == SNEPPP_SPACE_INTERVALS) v->ends = s->list;
   if (v->space == SNEPPP_SPACE_FINITE) v->point = s->list, v->weight = s->weight;
   if (v->space == SNEPPP_SPACE_POLYGON) v->xy = s->xy, v->ring_size = v->rings ? s->ring_size : NULL;
}

/* One island: a star around its centre, and if inner > 0 the same star in small as a hole. Adds rings and wedges. */
static void add_island(shape *s, double cx, double cy, const double *star, int n, double inner)
{
   int first = 0;
   for (size_t r = 0; r < s->win.rings; r++) first += (int)s->ring_size[r];
   s->ring_first[s->islands] = first, s->ring_vertices[s->islands] = n, s->inner[s->islands] = inner;
   s->centre[s->islands][0] = cx, s->centre[s->islands][1] = cy;
   for (int ring = 0; ring < (inner > 0 ? 2 : 1); ring++, first += n) {
      for (int k = 0; k < n; k++)
         for (int r = 0; r < 2; r++)
            s->xy[2 * (first + k) + r] = (r ? cy : cx) + (ring ? inner : 1) * star[2 * k + r];
      s->ring_size[s->win.rings++] = (size_t)n;
   }
   for (int k = 0; k < n; k++) {
      wedge *q = &s->wedges[s->wedge_count++];
      q->centre[0] = cx, q->centre[1] = cy, q->inner = inner;
      memcpy(q->a, star + 2 * k, sizeof q->a);
      memcpy(q->b, star + 2 * ((k + 1) % n), sizeof q->b);
   }
   s->islands++;
}

static double across(const double *a, const double *b, const double *c) /* twice the area of a triangle */
{
   return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Adds a convex polygon as quadrangles. */
static void add_plots(shape *s, double (*p)[2], int n, int cell, int wedge_at)
{
   for (int k = 1; k + 1 < n; k += 2) {
      plot *q = &s->plots[s->plot_count];
      int last = k + 2 < n ? k + 2 : k + 1;
      double area = across(p[0], p[k], p[k + 1]) + across(p[0], p[k + 1], p[last]);
      if (s->plot_count == MOST_PLOTS || !(area > 1e-12 * s->own.cell[0] * s->own.cell[1])) continue;
      memcpy(q->p[0], p[0], sizeof p[0]), memcpy(q->p[1], p[k], sizeof p[0]);
      memcpy(q->p[2], p[k + 1], sizeof p[0]), memcpy(q->p[3], p[last], sizeof p[0]);
      q->cell = cell, q->wedge = wedge_at, s->plot_count++;
   }
}

/* What of a convex polygon lies left of the line from a to b. */
static int clip(double (*p)[2], int n, const double *a, const double *b)
{
   double out[16][2];
   int m = 0;
   for (int k = 0; k < n; k++) {
      const double *from = p[k], *to = p[(k + 1) % n];
      double u = across(a, b, from), v = across(a, b, to);
      if (u >= 0) memcpy(out[m++], from, sizeof out[0]);
      if ((u > 0 && v < 0) || (u < 0 && v > 0)) {
         for (int r = 0; r < 2; r++) out[m][r] = from[r] + u / (u - v) * (to[r] - from[r]);
         m++;
      }
   }
   memcpy(p, out, (size_t)m * sizeof out[0]);
   return m;
}

/* The corners of a wedge, counterclockwise. */
static int wedge_corners(const wedge *q, double (*p)[2])
{
   for (int r = 0; r < 2; r++) {
      p[0][r] = q->centre[r] + q->inner * q->a[r], p[1][r] = q->centre[r] + q->a[r];
      p[2][r] = q->centre[r] + q->b[r], p[3][r] = q->centre[r] + q->inner * q->b[r];
   }
   return q->inner > 0 ? 4 : 3;
}

/* The cells of a raster as its box and its polygon, which is in wedges, cut them. */
static void raster_plots(shape *s)
{
   const sneppp_window *v = &s->own;
   for (int k = 0; k < (int)(v->cells[0] * (v->dim > 1 ? v->cells[1] : 1)); k++) {
      double lo[2] = { 0, 0 }, hi[2] = { 0, 0 };
      int empty = v->weight && !(s->exposure[k] > 0);
      for (int q = 0; q < v->covariates; q++) empty = empty || isnan(s->z[k * v->covariates + q]);
      for (int r = 0; r < v->dim; r++) {
         int at = r ? k / (int)v->cells[0] : k % (int)v->cells[0];
         lo[r] = v->origin[r] + at * v->cell[r], hi[r] = v->origin[r] + (at + 1) * v->cell[r];
         if (v->lo[r] < v->hi[r]) lo[r] = fmax(lo[r], v->lo[r]), hi[r] = fmin(hi[r], v->hi[r]);
         empty = empty || !(hi[r] - lo[r] > 1e-12 * v->cell[r]);
      }
      if (empty) continue;
      if (v->dim == 1) {
         s->plots[s->plot_count].p[0][0] = lo[0], s->plots[s->plot_count].p[1][0] = hi[0];
         s->plots[s->plot_count++].cell = k;
         continue;
      }
      for (int i = 0; i < (v->xy ? s->wedge_count : 1); i++) {
         double p[16][2], corner[4][2];
         int n = 4;
         for (int c = 0; c < 4; c++)
            corner[c][0] = p[c][0] = c == 1 || c == 2 ? hi[0] : lo[0], corner[c][1] = p[c][1] = c > 1 ? hi[1] : lo[1];
         if (v->xy) {
            n = wedge_corners(&s->wedges[i], p);
            for (int c = 0; c < 4 && n > 2; c++) n = clip(p, n, corner[c], corner[(c + 1) % 4]);
         }
         add_plots(s, p, n, k, i);
      }
   }
}

static void make_raster(shape *s, const plan_factor *f, uint64_t seed, int id, double origin)
{
   sneppp_window *v = &s->own;
   int cells = 1, Q = f->covariates > 2 ? 2 : f->covariates;
   memset(v, 0, sizeof *v);
   v->space = SNEPPP_SPACE_RASTER, v->dim = s->win.dim, v->covariates = Q, v->no_place = f->no_place && Q;
   for (int r = 0; r < v->dim; r++) {
      double side;
      v->cells[r] = (size_t)(1 + (r ? f->rows : f->columns) % 8), cells *= (int)v->cells[r];
      v->origin[r] = origin, v->cell[r] = s->size * (0.5 + unit_of(seed, 100, id, r)) / (double)v->cells[r];
      side = v->cell[r] * (double)v->cells[r];
      if (f->cut % 2) /* on one side it may reach beyond the cells */
         v->lo[r] = origin + side * (0.4 * unit_of(seed, 101, id, r) - 0.1),
         v->hi[r] = origin + side * (0.6 + 0.5 * unit_of(seed, 102, id, r));
   }
   for (int k = 0; k < cells; k++) {
      double u = unit_of(seed, 103, id, k);
      s->exposure[k] = f->exposure > 1 && k && u < 0.3 ? u < 0.15 ? 0 : (double)NAN : 0.1 + 3 * u;
      for (int q = 0; q < Q; q++) { /* tenths, so that some are equal; a second one in other units */
         double t = floor(10 * unit_of(seed, 104 + q, id, k)) / 10;
         s->z[k * Q + q] = k && unit_of(seed, 106, id, k) < 0.1 ? (double)NAN : q ? 1e3 + 40 * t : t;
      }
   }
   v->weight = f->exposure ? s->exposure : NULL, v->z = Q ? s->z : NULL;
   if (f->cut > 1 && v->dim == 2) {
      double star[2 * 12], cx = origin + 0.5 * v->cell[0] * (double)v->cells[0],
                           cy = origin + 0.5 * v->cell[1] * (double)v->cells[1];
      int n = 3 + f->pieces % 7;
      for (int k = 0; k < n; k++) {
         double t = 6.283185307179586 * (k + 0.4 * unit_of(seed, 107, id, k)) / n,
                R = s->size * (0.3 + 0.6 * unit_of(seed, 108, id, k));
         star[2 * k] = R * cos(t), star[2 * k + 1] = R * sin(t);
      }
      add_island(s, cx, cy, star, n, f->pieces % 2 ? 0.3 : 0);
      if (s->win.rings == 1) s->win.rings = 0, v->count = s->ring_size[0];
      v->rings = s->win.rings, v->xy = s->own_xy;
      memcpy(s->own_xy, s->xy, sizeof s->xy), memcpy(s->own_rings, s->ring_size, sizeof s->own_rings);
   }
   s->win = *v;
   raster_plots(s);
}

static void make_shape(shape *s, const plan_factor *f, uint64_t seed, int id)
{
   double size = size_of(f),
          origin = f->shift ? size * pow(10, f->shift) * (unit_of(seed, 1, id, 0) < 0.5 ? -1 : 1) : 0;
   int pieces = 1 + f->pieces, dim = dim_of(f);
   memset(s, 0, sizeof *s);
   s->win.space = (sneppp_space)f->space, s->win.dim = dim, s->size = size;
   if (pieces > MOST_PIECES) pieces = MOST_PIECES;
   switch (f->space) {
      case SNEPPP_SPACE_BOX:
         for (int r = 0; r < dim; r++) {
            s->win.lo[r] = origin;
            s->win.hi[r] = origin + size * (f->shift || f->scale ? 0.5 + unit_of(seed, 2, id, r) : 1);
         }
         break;
      case SNEPPP_SPACE_BALL:
         for (int r = 0; r < dim; r++) s->win.centre[r] = origin;
         s->win.radius = size;
         break;
      case SNEPPP_SPACE_INTERVALS:
         s->win.count = (size_t)pieces;
         for (int k = 0; k < 2 * pieces; k++)
            s->list[k] = origin + size * (k + 0.8 * unit_of(seed, 3, id, k)) / (2 * pieces);
         if (pieces > 2 && f->order == 3) s->list[2] = s->list[1]; /* touching ones are allowed */
         break;
      case SNEPPP_SPACE_POLYGON: {
         int islands = f->pieces > 5 ? 3 : 1 + f->pieces / 3;
         for (int k = 0; k < islands; k++) {
            double star[2 * 12];
            int n = 3 + (f->pieces + k + f->order) % 7, regular = f->pieces % 3 == 2, holed = f->pieces % 2;
            if (regular) n = 4;
            for (int v = 0; v < n; v++) {
               double t = 6.283185307179586 * (v + (regular ? 0.5 : 0.4 * unit_of(seed, 4, 20 * id + k, v))) /
                          n,
                      R = size * (regular ? 1 : 0.4 + 0.6 * unit_of(seed, 5, 20 * id + k, v));
               star[2 * v] = R * cos(t), star[2 * v + 1] = R * sin(t);
            }
            add_island(s, origin + 2.3 * size * k, origin, star, n,
                       holed ? 0.3 + 0.3 * unit_of(seed, 6, id, k) : 0);
         }
         if (s->win.rings == 1) s->win.rings = 0, s->win.count = s->ring_size[0];
         break;
      }
      case SNEPPP_SPACE_GAUSS:
         s->win.count = (size_t)(f->pieces > 4 ? 4 : f->pieces) + (f->scale || f->shift);
         for (int k = 0; k < (int)s->win.count; k++) {
            s->weight[k] = k && unit_of(seed, 6, id, k) < 0.15 ? 0 : 0.2 + unit_of(seed, 7, id, k);
            for (int r = 0; r < dim; r++) {
               s->list[k * dim + r] = origin + size * normal_of(seed, 8, id, k * dim + r);
               s->more[k * dim + r] = size * (0.3 + unit_of(seed, 9, id, k * dim + r));
            }
         }
         break;
      case SNEPPP_SPACE_FINITE:
         s->win.count = (size_t)pieces;
         for (int k = 0; k < pieces; k++) {
            s->weight[k] = k && unit_of(seed, 10, id, k) < 0.1 ? 0 : 0.2 + unit_of(seed, 11, id, k);
            for (int r = 0; r < dim; r++) s->list[k * dim + r] = normal_of(seed, 12, id, k * dim + r);
         }
         break;
      case SNEPPP_SPACE_RASTER: make_raster(s, f, seed, id, origin); break;
      case SNEPPP_SPACE_SPHERE: s->win.measure = f->measure ? SNEPPP_MEASURE_PROBABILITY : SNEPPP_MEASURE_SURFACE; break;
      case SNEPPP_SPACE_BINOMIAL: s->win.param[0] = 1 + f->pieces; break;
      case SNEPPP_SPACE_EUCLID: case SNEPPP_SPACE_NORMAL: case SNEPPP_SPACE_VONMISES: break; /* no parameters */
      default:
         for (int r = 0; r < (f->space == SNEPPP_SPACE_DIRICHLET ? dim : 2); r++)
            s->win.param[r] = 0.7 + 2 * unit_of(seed, 13, id, r);
         if (f->space == SNEPPP_SPACE_GAMMA && f->scale) s->win.param[1] /= size;
         break;
   }
   shape_links(s);
}

static int shape_cells(const shape *s)
{
   return s->plot_count                                  ? s->plot_count
          : s->win.space == SNEPPP_SPACE_INTERVALS             ? (int)s->win.count
          : s->win.space == SNEPPP_SPACE_POLYGON               ? s->wedge_count
          : s->win.space == SNEPPP_SPACE_GAUSS && s->win.count ? (int)s->win.count
                                                         : 1;
}
static int shape_axes(
   const shape *s) /* numbers that say where in a cell; -1: finitely or countably many points */
{
   switch (s->win.space) {
      case SNEPPP_SPACE_SPHERE: return s->win.dim == 1 ? -1 : s->win.dim - 1;
      case SNEPPP_SPACE_DIRICHLET: return s->win.dim - 1;
      case SNEPPP_SPACE_POISSON:
      case SNEPPP_SPACE_BINOMIAL:
      case SNEPPP_SPACE_NEGBINOMIAL:
      case SNEPPP_SPACE_FINITE: return -1;
      default: return s->win.dim;
   }
}

/* The point of the cell at u in [0, 1]^axes, and the volume that du stands for; 0 where this is not done. */
static double shape_point(const shape *s, int cell, const double *u, double *x)
{
   const sneppp_window *v = &s->win;
   double volume = 1, z, angle, r;
   int d = v->dim;
   if (s->plot_count) {
      const plot *q = &s->plots[cell];
      double along[2][2];
      x[0] = q->p[0][0] + u[0] * (q->p[1][0] - q->p[0][0]);
      if (d == 1) return q->p[1][0] - q->p[0][0];
      for (int k = 0; k < 2; k++) {
         x[k] = (1 - u[1]) * ((1 - u[0]) * q->p[0][k] + u[0] * q->p[1][k]) +
                u[1] * ((1 - u[0]) * q->p[3][k] + u[0] * q->p[2][k]);
         along[0][k] = (1 - u[1]) * (q->p[1][k] - q->p[0][k]) + u[1] * (q->p[2][k] - q->p[3][k]);
         along[1][k] = (1 - u[0]) * (q->p[3][k] - q->p[0][k]) + u[0] * (q->p[2][k] - q->p[1][k]);
      }
      return along[0][0] * along[1][1] - along[0][1] * along[1][0];
   }
   switch (v->space) {
      case SNEPPP_SPACE_BOX:
         for (int k = 0; k < d; k++)
            x[k] = v->lo[k] + u[k] * (v->hi[k] - v->lo[k]), volume *= v->hi[k] - v->lo[k];
         return volume;
      case SNEPPP_SPACE_INTERVALS:
         x[0] = v->ends[2 * cell] + u[0] * (v->ends[2 * cell + 1] - v->ends[2 * cell]);
         return v->ends[2 * cell + 1] - v->ends[2 * cell];
      case SNEPPP_SPACE_POLYGON: {
         const wedge *q = &s->wedges[cell];
         r = q->inner + u[1] * (1 - q->inner);
         for (int k = 0; k < 2; k++) x[k] = q->centre[k] + r * ((1 - u[0]) * q->a[k] + u[0] * q->b[k]);
         return r * (1 - q->inner) * (q->a[0] * q->b[1] - q->a[1] * q->b[0]);
      }
      case SNEPPP_SPACE_BALL:
         if (d == 1) {
            x[0] = v->centre[0] + (2 * u[0] - 1) * v->radius;
            return 2 * v->radius;
         }
         r = u[0] * v->radius, angle = 6.283185307179586 * u[d - 1];
         if (d == 2) {
            x[0] = v->centre[0] + r * cos(angle), x[1] = v->centre[1] + r * sin(angle);
            return 6.283185307179586 * r * v->radius;
         }
         if (d != 3) return 0;
         z = 2 * u[1] - 1;
         x[0] = v->centre[0] + r * sqrt(1 - z * z) * cos(angle),
         x[1] = v->centre[1] + r * sqrt(1 - z * z) * sin(angle);
         x[2] = v->centre[2] + r * z;
         return 2 * 6.283185307179586 * r * r * v->radius;
      case SNEPPP_SPACE_SPHERE:
         angle = 6.283185307179586 * u[d - 2 > 0 ? d - 2 : 0];
         if (d == 2) {
            x[0] = cos(angle), x[1] = sin(angle);
            return v->measure == SNEPPP_MEASURE_PROBABILITY ? 1 : 6.283185307179586;
         }
         if (d != 3) return 0;
         z = 2 * u[0] - 1;
         x[0] = sqrt(1 - z * z) * cos(angle), x[1] = sqrt(1 - z * z) * sin(angle), x[2] = z;
         return v->measure == SNEPPP_MEASURE_PROBABILITY ? 1 : 2 * 6.283185307179586;
      case SNEPPP_SPACE_VONMISES: x[0] = 6.283185307179586 * u[0]; return 6.283185307179586;
      default: return 0;
   }
}

/* A random point of a shape, for events. Always inside, also when it is rounded to sneppp_real. */
static void shape_draw(const shape *s, uint64_t seed, int id, int spread, sneppp_real *x)
{
   const sneppp_window *v = &s->win;
   for (int attempt = 0;; attempt++) {
      double u[SNEPPP_MAX_DIM], y[SNEPPP_MAX_DIM] = { 0 }, sum = 0;
      int d = v->dim, cell = (int)(unit_of(seed, 20, id, attempt) * shape_cells(s)),
          coords = v->space == SNEPPP_SPACE_FINITE ? 1 : d;
      for (int k = 0; k < SNEPPP_MAX_DIM; k++) {
         u[k] = unit_of(seed, 21 + k, id, attempt);
         if (spread == 1) u[k] = u[k] * u[k] * u[k]; /* crowded in a corner */
         if (spread == 2)
            u[k] = 0.5 + 0.05 * normal_of(seed, 60 + k, id % 3, 0) + 0.02 * (u[k] - 0.5); /* clusters */
         if (spread == 3) u[k] = floor(u[k] * 8) / 8;                              /* ties, also on borders */
         if (spread == 4 && id % 2) u[k] = unit_of(seed, 21 + k, id / 8, attempt); /* copies */
         if (attempt > 20) u[k] = unit_of(seed, 21 + k, id, attempt);
      }
      switch (v->space) {
         case SNEPPP_SPACE_GAUSS:
         case SNEPPP_SPACE_EUCLID:
         case SNEPPP_SPACE_NORMAL:
            for (int k = 0; k < d; k++) {
               double g = normal_of(seed, 90 + k, id, attempt);
               y[k] = v->count ? v->mean[cell * d + k] + v->scale[cell * d + k] * g : g;
            }
            break;
         case SNEPPP_SPACE_GAMMA: y[0] = -log(fmax(u[0], 1e-3)) / v->param[1]; break;
         case SNEPPP_SPACE_BETA: y[0] = 0.01 + 0.98 * u[0]; break;
         case SNEPPP_SPACE_DIRICHLET:
            for (int k = 0; k < d; k++) y[k] = 0.05 - log(u[k] > 0 ? u[k] : 0.5), sum += y[k];
            for (int k = 0; k < d; k++) y[k] /= sum;
            break;
         case SNEPPP_SPACE_POISSON:
         case SNEPPP_SPACE_NEGBINOMIAL: y[0] = floor(u[0] * 8); break;
         case SNEPPP_SPACE_BINOMIAL: y[0] = floor(u[0] * 0.999 * (v->param[0] + 1)); break;
         case SNEPPP_SPACE_FINITE: y[0] = floor(u[0] * 0.999 * (double)v->count); break;
         case SNEPPP_SPACE_SPHERE:
         case SNEPPP_SPACE_BALL:
            for (int k = 0; k < d; k++)
               y[k] = normal_of(seed, 90 + k, spread == 2 ? id % 5 : id, attempt), sum += y[k] * y[k];
            for (int k = 0; k < d; k++) {
               y[k] /= sqrt(sum);
               if (v->space == SNEPPP_SPACE_BALL)
                  y[k] = v->centre[k] + 0.999 * v->radius * pow(u[0], 1.0 / d) * y[k];
            }
            break;
         case SNEPPP_SPACE_RASTER:
            if (!spread) {
               sneppp_rng rng;
               sneppp_rng_init(&rng, hash_of(seed, 25, id, attempt), 1);
               sneppp_window_draw(v, &rng, y);
               break;
            } /* fall through */
         default: (void)shape_point(s, cell, u, y);
      }
      for (int k = 0; k < coords; k++) x[k] = (sneppp_real)y[k], y[k] = (double)x[k];
      if (attempt > 200 || (sneppp_window_contains(v, y) &&
                            (s->own.dim ? sneppp_window_contains(&s->own, y) : !s->part || v->weight[(size_t)y[0]] > 0)))
         return;
   }
}

/* ---- parts of a shape, for regions and for what was seen. which = 0, 1: two halves that together are all of it. */
static int shape_half(const shape *s, uint64_t seed, int which, shape *out);

/* Of a raster: what lies on one side of a line, as a box or a polygon that reach beyond the cells; one half of its own
   polygon; or some of its cells, whose exposure, box, polygon and covariates may be given once more. */
static int raster_half(const shape *s, uint64_t seed, int which, shape *out)
{
   const sneppp_window *v = &s->own;
   double lo[2] = { 0, 0 }, hi[2] = { 0, 0 }, t = 0.2 + 0.6 * unit_of(seed, 30, 0, 0), from[2], to[2];
   int kind = (int)(hash_of(seed, 37, 0, 0) % 3), axis = v->dim > 1 && unit_of(seed, 31, 0, 0) < 0.5, split = 0;
   for (int r = 0; r < v->dim; r++)
      lo[r] = v->origin[r] - 0.1 * s->size, hi[r] = v->origin[r] + v->cell[r] * (double)v->cells[r] + 0.1 * s->size;
   if (kind == 1 && v->dim == 1) kind = 0;
   *out = *s;
   from[axis] = to[axis] = lo[axis] + t * (hi[axis] - lo[axis]);
   from[1 - axis] = lo[1 - axis], to[1 - axis] = hi[1 - axis];
   if (kind == 1 && v->xy) {
      static shape flat;
      flat = *s;
      memset(&flat.win, 0, sizeof flat.win);
      flat.win.space = SNEPPP_SPACE_POLYGON, flat.win.dim = 2, flat.win.rings = v->rings, flat.win.count = v->count;
      shape_links(&flat);
      if (!shape_half(&flat, seed, which, out)) return 0;
      split = 2 + (int)(unit_of(seed, 32, 0, 0) * (s->ring_vertices[0] - 2));
      if (split >= s->ring_vertices[0]) split = s->ring_vertices[0] - 1;
   } else if (kind < 2) {
      memset(&out->win, 0, sizeof out->win);
      out->win.dim = v->dim, memcpy(out->win.lo, lo, sizeof lo), memcpy(out->win.hi, hi, sizeof hi);
      if (kind == 0) (which ? out->win.lo : out->win.hi)[axis] = from[axis];
      else {
         to[axis] += 0.2 * (unit_of(seed, 38, 0, 0) - 0.5) * (hi[axis] - lo[axis]);
         memset(out->win.lo, 0, sizeof out->win.lo), memset(out->win.hi, 0, sizeof out->win.hi);
         out->win.space = SNEPPP_SPACE_POLYGON, out->win.count = 4;
         for (int k = 0; k < 4; k++) {
            memcpy(out->xy + 2 * k, k == 1 || k == 2 ? to : from, sizeof to);
            if (k > 1) out->xy[2 * k + axis] = (which ? hi : lo)[axis];
         }
      }
   } else {
      out->part = 1;
      if (unit_of(seed, 39, 0, 0) < 0.5) out->win.covariates = 0;
      if (unit_of(seed, 39, 1, 0) < 0.5) out->win.rings = out->win.count = 0;
      if (unit_of(seed, 39, 2, 0) < 0.5)
         memset(out->win.lo, 0, sizeof out->win.lo), memset(out->win.hi, 0, sizeof out->win.hi);
      for (int k = 0; k < MOST_CELLS; k++)
         out->mask[k] = (int)(unit_of(seed, 33, k, 0) < 0.5) == which ? 0 : v->weight ? s->exposure[k] : 1;
   }
   out->plot_count = 0;
   for (int k = 0; k < s->plot_count; k++) {
      const plot *q = &s->plots[k];
      double p[16][2];
      int n = 4;
      memcpy(p, q->p, sizeof q->p);
      if (kind == 2) n = out->mask[q->cell] > 0 ? 4 : 0;
      else if (kind == 1 && v->xy) n = (q->wedge >= split) == which ? 4 : 0;
      else if (v->dim == 1) {
         (which ? p[0] : p[1])[0] = which ? fmax(p[0][0], from[0]) : fmin(p[1][0], from[0]);
         if (!(p[0][0] < p[1][0])) n = 0;
      } else n = clip(p, 4, which == axis ? from : to, which == axis ? to : from);
      if (v->dim > 1) add_plots(out, p, n, q->cell, q->wedge);
      else if (n) out->plots[out->plot_count] = *q, memcpy(out->plots[out->plot_count++].p, p, sizeof q->p);
   }
   shape_links(out);
   return out->plot_count > 0 && out->plot_count < MOST_PLOTS;
}

static int shape_half(const shape *s, uint64_t seed, int which, shape *out)
{
   const sneppp_window *v = &s->win;
   double t = 0.2 + 0.6 * unit_of(seed, 30, 0, 0);
   *out = *s;
   switch (v->space) {
      case SNEPPP_SPACE_BOX: {
         int k = (int)(unit_of(seed, 31, 0, 0) * v->dim);
         double cut = v->lo[k] + t * (v->hi[k] - v->lo[k]);
         if (which) out->win.lo[k] = cut;
         else out->win.hi[k] = cut;
         break;
      }
      case SNEPPP_SPACE_INTERVALS: {
         int k = (int)(unit_of(seed, 31, 0, 0) * (double)v->count), count = (int)v->count;
         double cut = v->ends[2 * k] + t * (v->ends[2 * k + 1] - v->ends[2 * k]);
         if (!which) {
            out->win.count = (size_t)(k + 1);
            out->list[2 * k + 1] = cut;
            break;
         }
         for (int i = k; i < count; i++)
            out->list[2 * (i - k)] = v->ends[2 * i], out->list[2 * (i - k) + 1] = v->ends[2 * i + 1];
         out->list[0] = cut;
         out->win.count = (size_t)(count - k);
         break;
      }
      case SNEPPP_SPACE_POLYGON: { /* the first island is cut along two rays; the others go with the second half */
         int n = s->ring_vertices[0], i = 0, j = 2 + (int)(unit_of(seed, 32, 0, 0) * (n - 2)), at = 0;
         double inner = s->inner[0];
         out->win.rings = 1, out->win.count = 0, out->wedge_count = 0, out->islands = 0;
         if (j >= n) j = n - 1;
         for (int k = which ? j : i; k <= (which ? i + n : j); k++, at++)
            memcpy(out->xy + 2 * at, s->xy + 2 * (k % n), 2 * sizeof(double));
         if (inner > 0)
            for (int k = which ? i + n : j; k >= (which ? j : i); k--, at++)
               memcpy(out->xy + 2 * at, s->xy + 2 * (n + k % n), 2 * sizeof(double));
         else memcpy(out->xy + 2 * at++, s->centre[0], 2 * sizeof(double));
         out->ring_size[0] = (size_t)at;
         for (int k = which ? j : i; k < (which ? n : j); k++) out->wedges[out->wedge_count++] = s->wedges[k];
         if (which && s->islands > 1) {
            int from = n * (inner > 0 ? 2 : 1), all = 0;
            for (size_t r = 0; r < v->rings; r++) all += (int)s->ring_size[r];
            memcpy(out->xy + 2 * at, s->xy + 2 * from, (size_t)(2 * (all - from)) * sizeof(double));
            for (size_t r = inner > 0 ? 2 : 1; r < v->rings; r++)
               out->ring_size[out->win.rings++] = s->ring_size[r];
            for (int k = n; k < s->wedge_count; k++) out->wedges[out->wedge_count++] = s->wedges[k];
         }
         break;
      }
      case SNEPPP_SPACE_RASTER: return raster_half(s, seed, which, out);
      case SNEPPP_SPACE_FINITE:
         for (size_t k = 0; k < v->count; k++)
            if ((int)(unit_of(seed, 33, (int)k, 0) < 0.5) == which) out->weight[k] = 0;
         out->part = 1;
         for (size_t k = 0; k < v->count; k++)
            if (out->weight[k] > 0) {
               shape_links(out);
               return 1;
            }
         return 0; /* a window must have some weight */
      default: return 0;
   }
   shape_links(out);
   return 1;
}

/* What the exposure of a part of a raster adds up to. */
static double shape_mass(const shape *s)
{
   double sum = 0;
   for (int k = 0; k < s->plot_count; k++) {
      const plot *q = &s->plots[k];
      sum += (s->own.weight ? s->exposure[q->cell] : 1) *
             (s->win.dim == 1 ? q->p[1][0] - q->p[0][0]
                              : 0.5 * (across(q->p[0], q->p[1], q->p[2]) + across(q->p[0], q->p[2], q->p[3])));
   }
   return sum;
}

/* A part with many gaps on a line, which an odd number of them hides nearly all of; a half elsewhere. */
static int shape_seen(const shape *s, uint64_t seed, int gaps, shape *out)
{
   double lo, hi;
   if (s->win.space != SNEPPP_SPACE_BOX || s->win.dim != 1) return shape_half(s, seed, 0, out);
   *out = *s;
   lo = s->win.lo[0], hi = s->win.hi[0];
   if (gaps > MOST_PIECES) gaps = MOST_PIECES;
   memset(&out->win, 0, sizeof out->win);
   out->win.space = SNEPPP_SPACE_INTERVALS, out->win.dim = 1, out->win.count = (size_t)gaps;
   for (int k = 0; k < 2 * gaps; k++)
      out->list[k] = lo + (hi - lo) * (k + 0.1 + 0.8 * unit_of(seed, 34, k, 0)) / (2 * gaps);
   for (int k = 1; k < 2 * gaps && gaps % 2; k += 2) out->list[k] = 0.8 * out->list[k - 1] + 0.2 * out->list[k];
   shape_links(out);
   return 1;
}

/* A ball or a box well inside, where there is room for one; 0 where not. */
static int shape_inner(const shape *s, uint64_t seed, shape *out)
{
   const sneppp_window *v = &s->win;
   double centre[SNEPPP_MAX_DIM], room = 0;
   int ball = unit_of(seed, 35, 0, 0) < 0.5;
   memset(out, 0, sizeof *out);
   if (v->space == SNEPPP_SPACE_BOX && v->dim <= 3) {
      for (int k = 0; k < v->dim; k++) {
         centre[k] = v->lo[k] + (0.3 + 0.4 * unit_of(seed, 36, k, 0)) * (v->hi[k] - v->lo[k]);
         if (!k || 0.3 * (v->hi[k] - v->lo[k]) < room) room = 0.3 * (v->hi[k] - v->lo[k]);
      }
   } else if (v->space == SNEPPP_SPACE_BALL && v->dim <= 3) {
      room = v->radius * 0.5;
      for (int k = 0; k < v->dim; k++)
         centre[k] = v->centre[k] + 0.2 * v->radius * (unit_of(seed, 36, k, 0) - 0.5);
   } else return 0;
   out->win.dim = v->dim, out->size = room;
   if (ball && v->dim > 1) {
      out->win.space = SNEPPP_SPACE_BALL, out->win.radius = room;
      memcpy(out->win.centre, centre, sizeof centre);
   } else
      for (int k = 0; k < v->dim; k++)
         out->win.lo[k] = centre[k] - 0.5 * room, out->win.hi[k] = centre[k] + 0.5 * room;
   return 1;
}

/* ---- features of the program's own: cosines over the box, with a closed form that numeric_gram stands for */
static void own_psi(const double *x, double *psi, void *user)
{
   const shape *s = (const shape *)user;
   double t = (x[0] - s->win.lo[0]) / (s->win.hi[0] - s->win.lo[0]);
   for (int k = 0; k < 1 + w.p.width; k++) psi[k] = cos(3.141592653589793 * k * t);
}
static int own_gram(const sneppp_window *part, double *K, void *user)
{
   int n = 1 + w.p.width, bad;
   double *work = (double *)malloc((size_t)(n * n + n) * sizeof *work);
   bad = numeric_gram(part, n, own_psi, user, 1e-12, 0, K, work, NULL, NULL) != SNEPPP_OK;
   free(work);
   return bad;
}

/* ---- the description */
static sneppp_unit unit_with(int act, int order)
{
   sneppp_unit u;
   memset(&u, 0, sizeof u);
   u.act = (sneppp_act)act;
   if (act == SNEPPP_ACT_RECT || act == SNEPPP_ACT_MONOMIAL) u.p = order;
   else if (act == SNEPPP_ACT_LEAKY) u.p = 0.1 * (1 + order);
   else if (act) u.p = 0.25 * (1 + order), u.q = 1 + order;
   return u;
}

static void make_desc(void)
{
   const plan *p = &w.p;
   memset(&w.desc, 0, sizeof w.desc);
   w.factors = 1 + p->factors, w.D = 0;
   for (int f = 0; f < w.factors; f++) {
      const plan_factor *q = &p->f[f];
      sneppp_factor *x = &w.desc.factor[f];
      int act = act_of(q), second = q->mixed - 1, n = q->width ? q->width : p->open ? 64 : 1 + p->width;
      make_shape(&w.shape[f], q, p->seed, f);
      x->window = w.shape[f].win;
      x->unit = unit_with(q->act, q->order), x->width = q->width, x->no_bias = q->no_bias;
      if (x->unit.act == SNEPPP_ACT_RELU || x->unit.act == SNEPPP_ACT_STEP) x->unit.p = 0;
      if (n > MOST_UNITS) n = MOST_UNITS;
      if (q->mixed && act != SNEPPP_ACT_RBF && second && second != SNEPPP_ACT_RBF &&
          pair_known(kernel_space(q), act, second) && pair_known(kernel_space(q), second, second)) {
         int one = pair_known(kernel_space(q), act, SNEPPP_ACT_ONE) &&
                   pair_known(kernel_space(q), second, SNEPPP_ACT_ONE) &&
                   pair_known(kernel_space(q), SNEPPP_ACT_ONE, SNEPPP_ACT_ONE);
         for (int i = 0; i < n; i++)
            w.units[f][i] = unit_with(i % 3 == 2 && one ? SNEPPP_ACT_ONE
                                      : i % 3           ? second
                                                        : act,
                                      (q->order + i / 3) % 4);
         for (int i = 0; i < n && !q->act; i += 6) memset(&w.units[f][i], 0, sizeof w.units[f][i]); /* the default, too */
         x->units = w.units[f];
      }
      if (q->own) x->own.psi = own_psi, x->own.gram = own_gram, x->own.user = &w.shape[f], x->units = NULL;
      w.D += q->space == SNEPPP_SPACE_FINITE ? 1 : w.shape[f].win.dim;
   }
   w.desc.mix = (sneppp_mix)p->mix, w.desc.readout = (sneppp_readout)p->readout;
   w.desc.rank = p->rank, w.desc.width = p->open ? 0 : 1 + p->width;
   w.desc.alpha = p->alpha ? pow(10, p->alpha - 3) : 0;
   w.desc.seed = 1 + p->seed % 1000;
   w.desc.alloc_ctx = &w.alloc;
}

/* ---- events */
static size_t read_events(sneppp_real *dst, size_t first, size_t count, void *user)
{
   const sneppp_real *x = (const sneppp_real *)user;
   if (w.short_read && first + count > (size_t)w.p.events / 2) return count ? count - 1 : 0;
   memcpy(dst, x + first * (size_t)w.D, count * (size_t)w.D * sizeof *dst);
   return count;
}

static void make_events(void)
{
   const plan *p = &w.p;
   size_t stride = (size_t)w.D + (p->source == 1 ? 2 : 0);
   int N = p->events > MOST_EVENTS ? MOST_EVENTS : p->events;
   memset(&w.seen, 0, sizeof w.seen);
   if (p->seen)
      for (int f = 0; f < w.factors; f++) /* the last factor that can be seen in part is */
         if (shape_seen(&w.shape[f], p->seed, p->seen, &w.seen_shape[f])) {
            memset(&w.seen, 0, sizeof w.seen);
            w.seen.factor[f] = &w.seen_shape[f].win;
         }
   w.realisations = (size_t)(1 + p->realisations);
   if (w.realisations > MOST_PARTS) w.realisations = MOST_PARTS;
   for (size_t r = 0; r < w.realisations; r++) {
      sneppp_events *e = &w.events[r];
      memset(e, 0, sizeof *e);
      e->count = (size_t)(r ? N / 2 : N);
      for (size_t i = 0; i < e->count; i++) {
         for (int f = 0, at = 0; f < w.factors; f++) {
            const shape *s = w.seen.factor[f] ? &w.seen_shape[f] : &w.shape[f];
            shape_draw(s, p->seed + 7 * r, (int)i + 1000 * f, p->spread, w.x[r] + i * stride + at);
            at += w.p.f[f].space == SNEPPP_SPACE_FINITE ? 1 : w.shape[f].win.dim;
         }
         w.weight[r][i] = (sneppp_real)(p->weights == 1   ? 0.25 + unit_of(p->seed, 40, (int)i, (int)r)
                                        : p->weights == 2 ? (double)(hash_of(p->seed, 41, (int)i, (int)r) % 3)
                                                          : 10 * unit_of(p->seed, 42, (int)i, (int)r));
      }
      if (p->source == 2) e->read = read_events, e->user = w.x[r];
      else e->x = w.x[r], e->stride = p->source ? stride : 0;
      if (p->weights && p->source != 2) e->weight = w.weight[r];
      if (w.seen.factor[0] || w.seen.factor[1] || w.seen.factor[2] || w.seen.factor[3]) e->seen = &w.seen;
   }
}
static const sneppp_real *event_at(size_t r, size_t i)
{
   return w.x[r] + i * ((size_t)w.D + (w.p.source == 1 ? 2 : 0));
}
static size_t event_count(void)
{
   size_t n = 0;
   for (size_t r = 0; r < w.realisations; r++) n += w.events[r].count;
   return n;
}
#endif
