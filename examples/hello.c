/* cc -O2 -o hello examples/hello.c -lm && ./hello
   Read events, fit, ask: how many trees does one hectare hold? The program of the README. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
   static double   xy[4000][2];
   char            line[80], *end;
   sneppp_events   trees = {.x = xy[0]};
   sneppp_desc     desc = {.factor = {{.window = {.dim = 2, .hi = {1000, 500}}}}}; /* a box, in metres */
   sneppp_fit_desc how = {.events = &trees};
   sneppp_window   hectare = {.dim = 2, .lo = {600, 50}, .hi = {700, 150}};
   sneppp_region   region = {.factor = {&hectare}};
   sneppp_model    model = {0};
   sneppp_error    err;
   double          expected;

   if (!freopen("examples/data/bei.csv", "r", stdin)) return 1;
   while (trees.count < 4000 && fgets(line, sizeof line, stdin)) {
      xy[trees.count][0] = strtod(line, &end);
      if (*end == ',') xy[trees.count++][1] = strtod(end + 1, NULL);
   }
   if (sneppp_init(&model, &desc, &err) || sneppp_fit(&model, &how, NULL, &err) || sneppp_count(&model, &region, &expected, &err))
      return fprintf(stderr, "%s\n", err.why), 1;
   printf("%zu trees in 50 hectares; about %.0f of them in this one\n", trees.count, expected);
   sneppp_free(&model);
   return 0;
}
