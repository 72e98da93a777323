/* report.nll (infinite mass)
   PGD: 2.00635498612 per event, but the model has 1.90200588527 (tolerance 2.9e-09)
   cc -g -fsanitize=address,undefined -I. this.c -lm */
#define SNEPPP_IMPLEMENTATION
#include "sneppp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sneppp_real x0[] = { 2.0942053731406576, 0.59675709288961309 };

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
   desc.factor[0].window.space = SNEPPP_EUCLID;
   desc.factor[0].window.dim = 1;
   desc.factor[1].window.dim = 1;
   desc.factor[1].window.lo[0] = 0, desc.factor[1].window.hi[0] = 1;
   desc.mix = SNEPPP_MIX_SUM;
   desc.width = 2, desc.alpha = 0, desc.seed = 593;
   events[0].x = x0, events[0].count = 1;
   show("init", sneppp_init(&model, &desc, &err), &err);
   memset(&fit, 0, sizeof fit);
   fit.events = events;
   fit.method = SNEPPP_PGD;
   fit.steps = 40;
   show("0 fit pgd", sneppp_fit(&model, &fit, &report, &err), &err);
   printf("   nll %.12g expected %.12g gap %.6g\n", report.nll, report.expected, report.gap);
   sneppp_free(&model);
   return 0;
}
