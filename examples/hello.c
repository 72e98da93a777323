/* cc -O2 -o hello examples/hello.c -lm && ./hello
   Read events, fit, ask: how many trees does one hectare hold? The program of the README. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include <stdio.h>

int main(void)
{
   static double   xy[4000][2];
   sneppp_events   trees = {.x = xy[0]};
   sneppp_desc     desc = {.factor = {{.window = {.space = SNEPPP_BOX, .dim = 2, .hi = {1000, 500}}}}};
   sneppp_fit_desc how = {.events = &trees};
   sneppp_window   hectare = {.space = SNEPPP_BOX, .dim = 2, .lo = {600, 50}, .hi = {700, 150}};
   sneppp_region   region = {.factor = {&hectare}};
   sneppp_model    model = {0};
   sneppp_error    err;
   double          expected;
   FILE           *file = fopen("examples/data/bei.csv", "r");

   if (!file || fscanf(file, "%*[^\n] %*[^\n]") == EOF) return 1; /* two lines of words */
   while (trees.count < 4000 && fscanf(file, "%lf ,%lf", &xy[trees.count][0], &xy[trees.count][1]) == 2) trees.count++;
   fclose(file);
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK || sneppp_fit(&model, &how, NULL, &err) != SNEPPP_OK ||
       sneppp_count(&model, &region, &expected, &err) != SNEPPP_OK) {
      fprintf(stderr, "%s\n", err.why);
      return 1;
   }
   printf("%zu trees in 50 hectares; about %.0f of them in this one\n", trees.count, expected);
   sneppp_free(&model);
   return 0;
}
