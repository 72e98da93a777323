/* cc -O2 -o kernels examples/kernels.c -lm && ./kernels
   A lesson in closed forms. Everything rests on the integrals K_ij of psi_i psi_j over the window. For each pair of
   window and activation below, K of four random units is computed twice: by its formula, and by quadrature that
   is refined until it settles. The last column is the largest difference, relative to the largest entry. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "numeric.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { units = 4 };

typedef struct lesson {
   sneppp_act act;
   double     p, q;
   int        d;
   double     W[units * 3], b[units];
} lesson;

/* The activations, written down as one would in a lecture. */
static double activation(const lesson *l, double z)
{
   switch (l->act) {
      case SNEPPP_ACT_COS: return cos(z);
      case SNEPPP_ACT_SIN: return sin(z);
      case SNEPPP_ACT_EXP: return exp(z);
      case SNEPPP_ACT_ERF: return erf(z);
      case SNEPPP_ACT_STEP: return z > 0;
      case SNEPPP_ACT_RELU: return z > 0 ? z : 0;
      case SNEPPP_ACT_GELU: return z * erfc(-z / sqrt(2.0)) / 2;
      case SNEPPP_ACT_SNAKE: return z + pow(sin(l->p * z), 2) / l->p;
      case SNEPPP_ACT_BELL: return exp(-l->p * z * z);
      case SNEPPP_ACT_MONOMIAL: return pow(z, l->p);
      default: return 0;
   }
}

static void features(const double *x, double *psi, void *user)
{
   const lesson *l = (const lesson *)user;
   for (int i = 0; i < units; i++) {
      double z = l->b[i];
      for (int r = 0; r < l->d; r++) z += l->W[i * l->d + r] * x[r];
      psi[i] = activation(l, z);
   }
}

int main(void)
{
   static const double corners[] = {0, 0, 2, 0, 2, 1, 1, 0.4, 0, 1}, ends[] = {-1, 0.5, 1, 2.5};
   const sneppp_window box = {.space = SNEPPP_SPACE_BOX, .dim = 2, .lo = {-1, 0}, .hi = {1, 1.5}};
   const sneppp_window sphere = {.space = SNEPPP_SPACE_SPHERE, .dim = 3};
   const sneppp_window gauss = {.space = SNEPPP_SPACE_GAUSS, .dim = 2};
   const sneppp_window times = {.space = SNEPPP_SPACE_INTERVALS, .dim = 1, .count = 2, .ends = ends};
   const sneppp_window polygon = {.space = SNEPPP_SPACE_POLYGON, .dim = 2, .count = 5, .xy = corners};
   const sneppp_window ball = {.space = SNEPPP_SPACE_BALL, .dim = 2, .centre = {1, 0}, .radius = 0.8};
   const struct { const char *where, *unit; const sneppp_window *win; sneppp_act act; double p, q, tol; } row[] = {
      {"box", "cos", &box, SNEPPP_ACT_COS, 0, 0, 1e-10},            {"box", "exp", &box, SNEPPP_ACT_EXP, 0, 0, 1e-10},
      {"box", "z^3", &box, SNEPPP_ACT_MONOMIAL, 3, 0, 1e-10},       {"box", "ReLU", &box, SNEPPP_ACT_RELU, 0, 0, 1e-5},
      {"intervals", "sin", &times, SNEPPP_ACT_SIN, 0, 0, 1e-10},    {"intervals", "ReLU", &times, SNEPPP_ACT_RELU, 0, 0, 1e-6},
      {"polygon", "cos", &polygon, SNEPPP_ACT_COS, 0, 0, 1e-8},     {"polygon", "ReLU", &polygon, SNEPPP_ACT_RELU, 0, 0, 1e-4},
      {"disc", "exp", &ball, SNEPPP_ACT_EXP, 0, 0, 1e-8},           {"disc", "cos", &ball, SNEPPP_ACT_COS, 0, 0, 1e-8},
      {"sphere", "exp", &sphere, SNEPPP_ACT_EXP, 0, 0, 1e-9},       {"sphere", "ReLU", &sphere, SNEPPP_ACT_RELU, 0, 0, 1e-4},
      {"Gaussian", "cos", &gauss, SNEPPP_ACT_COS, 0, 0, 1e-8},      {"Gaussian", "snake", &gauss, SNEPPP_ACT_SNAKE, 1.5, 0, 1e-7},
      {"Gaussian", "erf", &gauss, SNEPPP_ACT_ERF, 0, 0, 1e-7},      {"Gaussian", "GELU", &gauss, SNEPPP_ACT_GELU, 0, 0, 1e-7},
      {"Gaussian", "exp(-z^2)", &gauss, SNEPPP_ACT_BELL, 1, 0, 1e-7}, {"Gaussian", "step", &gauss, SNEPPP_ACT_STEP, 0, 0, 1e-3}};
   sneppp_rng   rng;
   size_t       rules = 0;
   sneppp_error err;
   int          bad = 0;

   sneppp_rng_init(&rng, 7, 0);
   printf("window     activation   closed form K_01   quadrature K_01   slower by   relative difference\n");
   for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
      lesson        l = {.act = row[k].act, .p = row[k].p, .q = row[k].q, .d = row[k].win->dim};
      sneppp_layer  layer = {.n = units, .unit = {.act = row[k].act, .p = row[k].p, .q = row[k].q}, .W = l.W, .b = l.b};
      double        K[units * units], Q[units * units], work[units * units + units], error = 0, most = 0, worst = 0;
      sneppp_status st;
      clock_t       t0, t1, t2;
      for (int i = 0; i < units * l.d; i++) l.W[i] = sneppp_rng_normal(&rng);
      for (int i = 0; i < units; i++) l.b[i] = 0.5 * sneppp_rng_normal(&rng);
      t0 = clock();
      for (int i = 0; i < 100; i++) /* once is too fast to be measured */
         if (sneppp_gram(row[k].win, &layer, K, NULL, &err) != SNEPPP_OK) { fprintf(stderr, "kernels: %s\n", err.why); return 1; }
      t1 = clock();
      st = numeric_gram(row[k].win, units, features, &l, row[k].tol, 4000000, Q, work, &error, &err);
      t2 = clock();
      if (st != SNEPPP_OK && st != SNEPPP_ERR_NO_CONVERGENCE) { fprintf(stderr, "kernels: %s\n", err.why); return 1; }
      for (int i = 0; i < units * units; i++) {
         most = fmax(most, fabs(K[i]));
         worst = fmax(worst, fabs(K[i] - Q[i]));
      }
      bad += worst > fmax(30 * row[k].tol, 2 * error / most) * most;
      printf("%-10s %-12s %16.10f %17.10f %11.0f %16.1e%s\n", row[k].where, row[k].unit, K[1], Q[1],
             100.0 * (double)(t2 - t1) / (double)(t1 - t0 ? t1 - t0 : 1), worst / most, st == SNEPPP_OK ? "" : "  (quadrature gave up)");
   }
   while (sneppp_kernel_at(rules)) rules++;
   printf("\nThe library knows %d rules for closed forms; `sneppp kernels` lists them.\n", (int)rules);
   return bad != 0;
}
