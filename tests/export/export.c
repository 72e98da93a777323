/* Exported models give the bits of the models they came from. Built three times by tests/export.sh: with EXPORT_MAKE
   it makes models of many kinds, writes them all as C source to the file named, and prints their intensities; without,
   it includes that source and prints the same table from the constants, once with the whole library and once with
   SNEPPP_INFERENCE_ONLY. Written in the common subset of C99 and C++17. */
#define SNEPPP_IMPLEMENTATION
#include "../../sneppp.h"
#include <locale.h>
#include <stdio.h>

static uint32_t state = 1;
static double   uniform(void)
{
   state = state * 1664525u + 1013904223u;
   return (double)(state >> 8) / 16777216.0;
}

/* A point that is in the window, or near it: outside, both must say 0. */
static void point(const sneppp_window *w, sneppp_real *x)
{
   double norm = 0;
   for (int r = 0; r < w->dim; r++) {
      double u = uniform();
      switch (w->space) {
         case SNEPPP_SPACE_BOX: x[r] = (sneppp_real)(w->lo[r] + u * (w->hi[r] - w->lo[r])); break;
         case SNEPPP_SPACE_INTERVALS: x[r] = (sneppp_real)(w->ends[0] + u * (w->ends[2 * w->count - 1] - w->ends[0])); break;
         case SNEPPP_SPACE_GAMMA: x[r] = (sneppp_real)(4 * u + 0.01); break;
         case SNEPPP_SPACE_SPHERE: x[r] = (sneppp_real)(2 * u - 1); break;
         default: x[r] = (sneppp_real)(4 * u - 1); break;
      }
      norm += (double)x[r] * (double)x[r];
   }
   for (int r = 0; w->space == SNEPPP_SPACE_SPHERE && r < w->dim; r++) x[r] = (sneppp_real)((double)x[r] / sqrt(norm + 1e-30));
}

static void show(const char *name, const sneppp_model *m)
{
   int inside = 0;
   state = 7;
   for (int i = 0; i < 200; i++) {
      sneppp_real x[2 * SNEPPP_MAX_DIM], v;
      double      log_v, wide;
      uint64_t    a, b;
      for (int f = 0, at = 0; f < m->factors; at += m->layer[f++].D) point(&m->desc.factor[f].window, x + at);
      v = sneppp_intensity(m, x);
      log_v = sneppp_log_intensity(m, x);
      wide = (double)v;
      memcpy(&a, &wide, sizeof a);
      memcpy(&b, &log_v, sizeof b);
      inside += v > 0;
      printf("%s %d %08lx%08lx %08lx%08lx\n", name, i, (unsigned long)(a >> 32), (unsigned long)(a & 0xffffffffu),
             (unsigned long)(b >> 32), (unsigned long)(b & 0xffffffffu));
   }
   printf("%s: %d of 200 points inside, %d features, %d nodes\n", name, inside, m->n, (int)m->nodes);
}

#ifdef EXPORT_MAKE
#include "../../examples/export.h"
static int to_file(const char *text, size_t bytes, void *user) { return fwrite(text, 1, bytes, (FILE *)user) != bytes; }

static int bad = 0;
static void make(const char *name, sneppp_desc *d, FILE *out, int events, sneppp_method method)
{
   static sneppp_real xy[2 * 4000];
   sneppp_model       m;
   sneppp_error       err;
   sneppp_status      st = sneppp_init(&m, d, &err);
   if (st == SNEPPP_OK) m.alpha = 1.0 / 3, m.floor = 0.1;
   if (st == SNEPPP_OK && events) { /* two clusters and a background */
      sneppp_fit_desc fit;
      sneppp_events   e;
      memset(&fit, 0, sizeof fit);
      memset(&e, 0, sizeof e);
      for (int i = 0; i < events; i++)
         for (int r = 0; r < 2; r++) {
            double u = i % 3 ? 0.2 + 0.4 * (i % 3 - 1) + 0.1 * (uniform() + uniform() - 1) : uniform();
            xy[2 * i + r] = (sneppp_real)(d->factor[0].window.lo[r] + u * (d->factor[0].window.hi[r] - d->factor[0].window.lo[r]));
         }
      e.x = xy, e.count = (size_t)events;
      fit.events = &e, fit.method = method;
      st = sneppp_fit(&m, &fit, NULL, &err);
   }
   if (st == SNEPPP_OK) st = export_model(&m, name, to_file, out, &err);
   if (st != SNEPPP_OK) { fprintf(stderr, "%s: %s\n", name, err.why); bad = 1; }
   else show(name, &m);
   sneppp_free(&m);
}

static sneppp_desc plain(sneppp_space space, int dim, sneppp_act act)
{
   sneppp_desc d;
   memset(&d, 0, sizeof d);
   d.factor[0].window.space = space;
   d.factor[0].window.dim = dim;
   d.factor[0].unit.act = act;
   d.factor[0].unit.p = 1.5;
   d.width = 9;
   d.seed = 0x123456789abcdefULL;
   return d;
}

int main(int argc, char **argv)
{
   static const double weight[2] = {0.4, 0.6}, mean[4] = {0, 1, 0.5, -1.0 / 3}, scale[4] = {1, 0.7, 2, 1};
   static const double ends[4] = {-1, 0.3, 1.0 / 3, 2}, xy[14] = {0, 0, 3, 0, 3, 3, 0, 3, 1, 1, 2, 1, 1, 2};
   static const size_t ring[2] = {4, 3};
   static double       people[16], ground[16], flat[2 * SNEPPP_BENDS];
   static sneppp_unit  units[9];
   FILE               *out = argc > 1 ? fopen(argv[1], "w") : NULL;
   sneppp_desc         d;
   if (!out) return 2;
   setlocale(LC_ALL, ""); /* a decimal comma must not matter */
   d = plain(SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_COS);
   d.factor[0].window.lo[0] = 1e5 + 0.1, d.factor[0].window.hi[0] = 1e5 + 7, d.factor[0].window.hi[1] = 3;
   make("fitted", &d, out, 600, SNEPPP_METHOD_CONVEX);
   d.width = 200;
   d.factor[0].unit.act = SNEPPP_ACT_DEFAULT;
   make("automatic", &d, out, 600, SNEPPP_METHOD_AUTO);
   d = plain(SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_SNAKE);
   d.factor[0].window.count = 2, d.factor[0].window.weight = weight, d.factor[0].window.mean = mean, d.factor[0].window.scale = scale;
   make("gauss", &d, out, 0, SNEPPP_METHOD_AUTO);
   d = plain(SNEPPP_SPACE_POLYGON, 2, SNEPPP_ACT_COS);
   d.factor[0].window.rings = 2, d.factor[0].window.ring_size = ring, d.factor[0].window.xy = xy;
   d.readout = SNEPPP_READOUT_DIAGONAL;
   make("polygon", &d, out, 0, SNEPPP_METHOD_AUTO);
   make("gamma_family", (d = plain(SNEPPP_SPACE_GAMMA, 1, SNEPPP_ACT_EXP), d.factor[0].window.param[0] = 2, d.factor[0].window.param[1] = 30, &d), out, 0, SNEPPP_METHOD_AUTO);
   d = plain(SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_RBF);
   d.factor[0].window.hi[0] = 1, d.factor[0].window.hi[1] = 1;
   make("radial", &d, out, 0, SNEPPP_METHOD_AUTO);
   d = plain(SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_COS);
   d.factor[0].window.hi[0] = 1, d.factor[0].window.hi[1] = 1;
   for (int i = 0; i < 9; i++) units[i].act = i % 2 ? SNEPPP_ACT_COS : SNEPPP_ACT_SIN;
   d.factor[0].units = units;
   make("mixed", &d, out, 0, SNEPPP_METHOD_AUTO);
   for (int mix = 0; mix < SNEPPP_MIX_END; mix++) {
      char name[20] = "sphere_time0";
      name[11] = (char)('0' + mix);
      d = plain(SNEPPP_SPACE_SPHERE, 3, SNEPPP_ACT_RELU);
      d.factor[1].window.space = SNEPPP_SPACE_INTERVALS, d.factor[1].window.dim = 1, d.factor[1].window.count = 2, d.factor[1].window.ends = ends;
      d.factor[1].unit.act = SNEPPP_ACT_RELU;
      d.mix = (sneppp_mix)mix;
      d.rank = 3;
      make(name, &d, out, 0, SNEPPP_METHOD_AUTO);
   }
   for (int k = 0; k < 16; k++) people[k] = 1 + uniform(), ground[k] = uniform();
   d = plain(SNEPPP_SPACE_RASTER, 2, SNEPPP_ACT_COS); /* covariates: waves with the place, the default fit, and these alone */
   d.factor[0].window.origin[0] = d.factor[0].window.origin[1] = -0.5, d.factor[0].window.cell[0] = 1, d.factor[0].window.cell[1] = 0.8;
   d.factor[0].window.cells[0] = d.factor[0].window.cells[1] = 4, d.factor[0].window.hi[0] = 3.2, d.factor[0].window.hi[1] = 2.5;
   d.factor[0].window.weight = people, d.factor[0].window.covariates = 1, d.factor[0].window.z = ground;
   make("waves", &d, out, 0, SNEPPP_METHOD_AUTO);
   d.width = 0, d.factor[0].unit.act = SNEPPP_ACT_DEFAULT;
   make("tilted", &d, out, 200, SNEPPP_METHOD_AUTO);
   d.factor[0].window.no_place = 1, d.factor[0].window.tilt = flat;
   make("alone", &d, out, 200, SNEPPP_METHOD_AUTO);
   return fclose(out) != 0 || bad;
}
#else
#include EXPORT_FILE
int main(void)
{
   show("fitted", &fitted);
   show("automatic", &automatic);
   show("gauss", &gauss);
   show("polygon", &polygon);
   show("gamma_family", &gamma_family);
   show("radial", &radial);
   show("mixed", &mixed);
   show("sphere_time0", &sphere_time0);
   show("sphere_time1", &sphere_time1);
   show("sphere_time2", &sphere_time2);
   show("sphere_time3", &sphere_time3);
   show("sphere_time4", &sphere_time4);
   show("sphere_time5", &sphere_time5);
   show("waves", &waves);
   show("tilted", &tilted);
   show("alone", &alone);
   return 0;
}
#endif
