/* cc -O2 -o hello examples/hello.c -lm && ./hello
   Read events, fit, ask: how many trees does one hectare hold? The program of the README. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include <stdio.h>

int main(void)
{
   static double xy[8000];
   double        lo[2] = {0, 0}, hi[2] = {1000, 500}, a[2] = {600, 50}, b[2] = {700, 150}, here; /* metres */
   sneppp_model  model;
   sneppp_error  err;
   size_t        n = 0;
   FILE         *f = fopen("examples/data/bei.csv", "r");
   if (!f || fscanf(f, "%*[^\n] x,y") == EOF) return 1;
   while (n < 4000 && fscanf(f, "%lf,%lf", &xy[2 * n], &xy[2 * n + 1]) == 2) n++;
   if (sneppp_fit_box(&model, 2, lo, hi, xy, n, &err) || sneppp_count_box(&model, a, b, &here, &err)) return puts(err.why), 1;
   printf("%zu trees in 50 hectares; about %.0f of them in this one\n", n, here);
   sneppp_free(&model);
   return 0;
}
