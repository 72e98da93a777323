/* cc -O2 -o hello examples/hello.c -lm && ./hello
   The integrals under everything else: three hidden units cos(w . x + b) on the window [0, 2] x [0, 1], and the
   matrix of the integrals of their products, once in closed form and once by brute force on a fine grid. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include <math.h>
#include <stdio.h>

enum { units = 3, steps = 400 };

int main(void)
{
   const double  W[units * 2] = { 0, 0, 3, 0, 1, 2 }, b[units] = { 0, 0.5, 0 };
   sneppp_window window = { .space = SNEPPP_BOX, .dim = 2, .hi = { 2, 1 } };
   sneppp_layer  layer = { .n = units, .unit = { .act = SNEPPP_COS }, .W = W, .b = b };
   double        K[units * units], grid[units * units] = { 0 }, worst = 0;
   sneppp_error  err;

   if (sneppp_gram(&window, &layer, K, NULL, &err) != SNEPPP_OK) {
      fprintf(stderr, "sneppp: %s\n", err.why);
      return 1;
   }
   for (int p = 0; p < steps * steps; p++) { /* midpoints of steps x steps cells */
      const double x = 2 * ((double)(p % steps) + 0.5) / steps, y = ((double)(p / steps) + 0.5) / steps;
      double       psi[units];
      for (int i = 0; i < units; i++) psi[i] = cos(W[2 * i] * x + W[2 * i + 1] * y + b[i]);
      for (int i = 0; i < units * units; i++) grid[i] += psi[i / units] * psi[i % units] * 2 / (steps * steps);
   }

   printf("integrals of cos(w_i . x + b_i) cos(w_j . x + b_j) over [0, 2] x [0, 1]\n\n");
   printf("   closed form                       %d grid points\n", steps * steps);
   for (int i = 0; i < units; i++) {
      for (int j = 0; j < units; j++) printf(" %10.6f", K[i * units + j]);
      for (int j = 0; j < units; j++) printf(" %10.6f", grid[i * units + j]);
      printf("\n");
   }
   for (int i = 0; i < units * units; i++)
      if (fabs(K[i] - grid[i]) > worst) worst = fabs(K[i] - grid[i]);
   printf("\nlargest difference %.1g, which is the grid's error\n", worst);
   return worst > 1e-4;
}
