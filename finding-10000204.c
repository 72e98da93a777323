/* count = integral (no_bias)
   everywhere: count 1.57297951281976, integral 1.57297949621448, 1.57297949621448, 1.57297949621448, tolerance 1.59e-12
   cc -g -fsanitize=address,undefined -I. this.c -lm */
#define SNEPPP_IMPLEMENTATION
#include "sneppp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sneppp_real x0[] = { 0 };

static void show(const char *call, int st, const sneppp_error *err)
{
   printf("%s: %d %s\n", call, st, st ? err->why : "");
}

int main(void)
{
   static sneppp_model model, other;
   sneppp_desc desc;
   sneppp_error err;
   sneppp_events events[3];
   sneppp_region seen;
   sneppp_window part[4];
   sneppp_fit_desc fit;
   sneppp_report report;
   double count = 0;
   (void)other, (void)count, (void)report;
   memset(&desc, 0, sizeof desc), memset(events, 0, sizeof events), memset(&seen, 0, sizeof seen), memset(part, 0, sizeof part);
   memset(&fit, 0, sizeof fit), memset(&report, 0, sizeof report);
   desc.factor[0].window.dim = 1;
   desc.factor[0].window.lo[0] = 0, desc.factor[0].window.hi[0] = 1;
   desc.factor[0].no_bias = 1;
   desc.width = 1, desc.alpha = 0, desc.seed = 618;
   events[0].x = x0, events[0].count = 0;
   show("init", sneppp_init(&model, &desc, &err), &err);
   {
   static const double W0[] = { 0.00020549037985534776 };
   static const double b0[] = { 0 };
   show("1 set_layer", sneppp_set_layer(&model, 0, W0, b0, NULL, &err), &err);
   }
   show("2 count", sneppp_count(&model, NULL, &count, &err), &err), printf("   %.15g\n", count);
   sneppp_free(&model);
   return 0;
}
