/* Models and events that several suites use. */
#ifndef SNEPPP_TEST_CASES_H
#define SNEPPP_TEST_CASES_H
#include <stdio.h>
#include <stdlib.h>
typedef struct loss_case {
   const char    *name;
   sneppp_desc    desc;
   sneppp_events  events;
   sneppp_region  seen;
   sneppp_window  seen_part;
   sneppp_real    x[4 * 64], weight[64];
} loss_case;

static const double loss_mean[4] = {0.2, -0.3, -0.5, 0.4}, loss_scale[4] = {0.8, 1.1, 0.9, 0.7}, loss_weight[2] = {0.6, 0.4};
static const double loss_ends[4] = {0, 50, 55, 100}, loss_all[2] = {0, 100};
static const double loss_xy[10] = {100, 200, 104, 200, 105, 203, 102, 205, 99, 203};

static void loss_window(sneppp_window *w, sneppp_space space, int dim)
{
   memset(w, 0, sizeof *w);
   w->space = space;
   w->dim = dim;
   for (int r = 0; r < dim; r++) { w->lo[r] = 10 + r; w->hi[r] = 13 + 2 * r; w->centre[r] = 3 * r; }
   w->radius = 2;
   w->param[0] = 2;
   w->param[1] = 3;
   if (space == SNEPPP_SPACE_GAUSS) { w->count = 2; w->mean = loss_mean; w->scale = loss_scale; w->weight = loss_weight; }
   if (space == SNEPPP_SPACE_INTERVALS) { w->count = 1; w->ends = loss_all; }
   if (space == SNEPPP_SPACE_POLYGON) { w->count = 5; w->xy = loss_xy; }
}

/* A point inside the window, by rejection from something that covers it. */
static void loss_point(const sneppp_window *w, sneppp_rng *rng, sneppp_real *x)
{
   double y[SNEPPP_MAX_DIM] = {0};
   do {
      for (int r = 0; r < w->dim; r++) {
         double u = sneppp_rng_uniform(rng);
         y[r] = w->space == SNEPPP_SPACE_BOX ? w->lo[r] + u * (w->hi[r] - w->lo[r])
              : w->space == SNEPPP_SPACE_INTERVALS ? 100 * u
              : w->space == SNEPPP_SPACE_POLYGON ? (r ? 200 + 5 * u : 99 + 6 * u)
              : w->space == SNEPPP_SPACE_BALL ? w->centre[r] + 2 * w->radius * (u - 0.5)
              : w->space == SNEPPP_SPACE_GAMMA ? 0.1 + 3 * u
              : sneppp_rng_normal(rng);
      }
      if (w->space == SNEPPP_SPACE_SPHERE) sneppp__rng_sphere(rng, w->dim, y);
      for (int r = 0; r < w->dim; r++) { x[r] = (sneppp_real)y[r]; y[r] = (double)x[r]; }
   } while (!sneppp_window_contains(w, y));
}

static void loss_make(loss_case *c, const char *name, sneppp_mix mix, sneppp_readout readout, int rank, int factors, const sneppp_space *space, const int *dim, const sneppp_unit *unit)
{
   sneppp_rng rng;
   size_t     at = 0;
   memset(c, 0, sizeof *c);
   c->name = name;
   c->desc.mix = mix;
   c->desc.readout = readout;
   c->desc.rank = rank;
   c->desc.seed = 7;
   c->desc.width = 5;
   for (int f = 0; f < factors; f++) {
      loss_window(&c->desc.factor[f].window, space[f], dim[f]);
      c->desc.factor[f].unit = unit[f];
      if (mix == SNEPPP_MIX_OUTER) c->desc.factor[f].width = 2 + f;
      if (sneppp__mix_concatenates(mix)) c->desc.factor[f].width = 3 + f;
   }
   sneppp_rng_init(&rng, 3, 0);
   c->events.count = 40;
   c->events.x = c->x;
   for (size_t i = 0; i < c->events.count; i++)
      for (int f = 0; f < factors; f++) {
         loss_point(&c->desc.factor[f].window, &rng, c->x + at);
         at += (size_t)dim[f];
      }
}

static sneppp_unit loss_unit(sneppp_act act, double p, double q)
{
   sneppp_unit u;
   u.act = act;
   u.p = p;
   u.q = q;
   return u;
}

/* psi = sigma(z), slope = sigma'(z): units without statistics, whose biases are all they see. */
static inline void case_act(const sneppp_unit *unit, size_t count, const sneppp_real *z, sneppp_real *psi, sneppp_real *slope)
{
   sneppp__units u;
   memset(&u, 0, sizeof u);
   u.unit = *unit, u.count = u.ld = u.n = count, u.B = 1, u.b = z, u.psi = psi, u.slope = slope;
   sneppp__units_features(&u);
}

/* The activations by their definition. */
static double case_sigma(const sneppp_unit *u, double z)
{
   switch (u->act) {
      case SNEPPP_ACT_COS: return cos(z);
      case SNEPPP_ACT_SIN: return sin(z);
      case SNEPPP_ACT_SNAKE: return z + sin(u->p * z) * sin(u->p * z) / u->p;
      case SNEPPP_ACT_COSMIDENT: return z - cos(2 * u->p * z) / (2 * u->p);
      case SNEPPP_ACT_EXP: return exp(z);
      case SNEPPP_ACT_ERF: return erf(z);
      case SNEPPP_ACT_PHI: return 0.5 * erfc(-z / sqrt(2.0));
      case SNEPPP_ACT_STEP: return z > 0;
      case SNEPPP_ACT_RELU: return z > 0 ? z : 0;
      case SNEPPP_ACT_RECT: return z > 0 ? pow(z, u->p) : 0;
      case SNEPPP_ACT_LEAKY: return z > 0 ? z : u->p * z;
      case SNEPPP_ACT_GELU: return 0.5 * z * erfc(-z / sqrt(2.0));
      case SNEPPP_ACT_ELU: return z > 0 ? z : u->p * expm1(z);
      case SNEPPP_ACT_BELL: return exp(-u->p * z * z);
      case SNEPPP_ACT_GABOR_SIN: return exp(-u->p * z * z) * sin(u->q * z);
      case SNEPPP_ACT_GABOR_COS: return exp(-u->p * z * z) * cos(u->q * z);
      case SNEPPP_ACT_MONOMIAL: return u->p == 0 ? 1 : pow(z, u->p);
      default: return 1;
   }
}

static sneppp_real fit_xy[2 * 600];

/* Events with intensity proportional to exp(-|x - (3, 2)|^2) + 0.1 in the box [0, 10] x [0, 5]. */
static sneppp_events fit_events(size_t count)
{
   sneppp_events e;
   sneppp_rng    rng;
   sneppp_rng_init(&rng, 5, 0);
   for (size_t i = 0; i < count;) {
      double x = 10 * sneppp_rng_uniform(&rng), y = 5 * sneppp_rng_uniform(&rng);
      if (sneppp_rng_uniform(&rng) * 1.1 > 0.1 + exp(-(x - 3) * (x - 3) - (y - 2) * (y - 2))) continue;
      fit_xy[2 * i] = (sneppp_real)x, fit_xy[2 * i + 1] = (sneppp_real)y, i++;
   }
   memset(&e, 0, sizeof e);
   e.x = fit_xy;
   e.count = count;
   return e;
}

/* The trees of examples/data/bei.csv, coordinates times scale; none if the file is not there (run from the top directory). */
static sneppp_events fit_trees(double scale)
{
   static sneppp_real xy[2 * 3604];
   FILE              *file = fopen("examples/data/bei.csv", "r");
   char               line[256];
   sneppp_events      e;
   memset(&e, 0, sizeof e);
   e.x = xy;
   if (!file) file = fopen("../examples/data/bei.csv", "r");
   while (file && e.count < 3604 && fgets(line, sizeof line, file)) {
      char  *end = line;
      double x = strtod(line, &end);
      if (end == line || *end != ',') continue; /* the header */
      xy[2 * e.count] = (sneppp_real)(scale * x), xy[2 * e.count + 1] = (sneppp_real)(scale * strtod(end + 1, NULL)), e.count++;
   }
   if (file) fclose(file);
   return e;
}

static sneppp_desc fit_desc_box(int width)
{
   sneppp_desc d;
   memset(&d, 0, sizeof d);
   d.factor[0].window.dim = 2;
   d.factor[0].window.hi[0] = 10;
   d.factor[0].window.hi[1] = 5;
   d.width = width;
   return d;
}

static sneppp_fit_desc fit_adam(const sneppp_events *e, size_t steps)
{
   sneppp_fit_desc f;
   memset(&f, 0, sizeof f);
   f.events = e;
   f.method = SNEPPP_METHOD_ADAM;
   f.steps = steps;
   return f;
}
/* ---- radial units of all widths, as AUTO makes them */
enum { radial_units = 6000 };

/* A line or a plane with bumps of all widths, two on each centre, wide ones first. ratio: width of axis 1 to that of axis 0. */
static sneppp_status radial_model(int d, double ratio, double widest, sneppp_model *m, sneppp_error *err)
{
   static double W[radial_units * 2], width[radial_units * 2];
   sneppp_desc   desc;
   sneppp_rng    rng;
   sneppp_status st;
   memset(&desc, 0, sizeof desc);
   desc.factor[0].window.dim = d;
   for (int k = 0; k < d; k++) desc.factor[0].window.lo[k] = -3, desc.factor[0].window.hi[k] = 5 + k;
   desc.factor[0].unit.act = SNEPPP_ACT_RBF;
   desc.readout = SNEPPP_READOUT_DIAGONAL, desc.width = radial_units, desc.group = 2, desc.alpha = 1;
   st = sneppp_init(m, &desc, err);
   if (st != SNEPPP_OK) return st;
   sneppp_rng_init(&rng, 5, (uint64_t)d);
   for (int i = 0; i < radial_units; i += 2) {
      double l = widest * pow(1e-4, sneppp_rng_uniform(&rng));
      for (int k = 0; k < d; k++) {
         W[i * d + k] = W[(i + 1) * d + k] = 2 * sneppp_rng_uniform(&rng) - 1;
         width[i * d + k] = l * (k ? ratio : 1);
         width[(i + 1) * d + k] = 0.1 * width[i * d + k];
      }
   }
   for (int i = 0; i < radial_units * d; i++) { /* all parameters as the model stores them */
      m->layer[0].W[i] = (sneppp_real)W[i];
      m->layer[0].width[i] = (sneppp_real)width[i];
   }
   for (int i = 0; i < radial_units; i++) m->readout[0].V[i] = (sneppp_real)(0.1 + sneppp_rng_uniform(&rng));
   m->floor = 1e-9; /* without one there is no tree */
   sneppp__index(m);
   return SNEPPP_OK;
}

#endif
