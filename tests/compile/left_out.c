/* The library without its optional floors: a fit whose method is named works, the default is refused in words. */
#define SNEPPP_IMPLEMENTATION
#define SNEPPP_NO_AUTO
#define SNEPPP_NO_SURE
#define SNEPPP_NO_SAMPLE
#define SNEPPP_NO_IO
#define SNEPPP_NO_INPUT
#include "../../sneppp.h"

int main(void)
{
   static const sneppp_real x[4] = {(sneppp_real)0.1, (sneppp_real)0.2, (sneppp_real)0.3, (sneppp_real)0.7};
   sneppp_desc     desc = {0};
   sneppp_events   events = {0};
   sneppp_fit_desc fit = {0};
   sneppp_model    model;
   sneppp_error    err;
   double          count = 0;
   int             refused, fitted;
   desc.factor[0].window.dim = 1;
   desc.factor[0].window.hi[0] = 1;
   desc.width = 4;
   events.x = x, events.count = 4;
   fit.events = &events;
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK) return 1;
   refused = sneppp_fit(&model, &fit, NULL, &err) == SNEPPP_ERR_ARG && strstr(err.why, "SNEPPP_NO_AUTO");
   fit.method = SNEPPP_METHOD_CONVEX;
   fitted = sneppp_fit(&model, &fit, NULL, &err) == SNEPPP_OK &&
            sneppp_count(&model, NULL, 1, &count, NULL, &err) == SNEPPP_OK;
   sneppp_free(&model);
   return !(refused && fitted && count > 3 && count < 5);
}
