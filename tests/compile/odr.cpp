// Both precisions of the library in one C++ program: one file for each, compiled from this text with and without
// SNEPPP_REAL_FLOAT, and linked with -flto -Wodr, which sees all types of the program at once.
#define SNEPPP_PTHREADS
#define SNEPPP_IMPLEMENTATION
#include "../../sneppp.h"

#ifdef SNEPPP_REAL_FLOAT
extern "C" size_t odr_float(void);
extern "C" size_t odr_float(void)
#else
extern "C" size_t odr_double(void);
extern "C" size_t odr_double(void)
#endif
{
   sneppp_model    model;
   sneppp_desc     desc = {};
   sneppp_events   events = {};
   sneppp_fit_desc fit = {};
   sneppp_real     x[2] = {1, 2};
   size_t          size = 0;
   desc.factor[0].window.dim = 2;
   desc.factor[0].window.hi[0] = desc.factor[0].window.hi[1] = 3;
   events.x = x, events.count = 1;
   fit.events = &events;
   if (sneppp_init(&model, &desc, NULL) == SNEPPP_OK && sneppp_fit(&model, &fit, NULL, NULL) == SNEPPP_OK &&
       sneppp_intensity(&model, x) > 0)
      size = sizeof(sneppp_real);
   sneppp_free(&model);
   return size;
}

#ifndef SNEPPP_REAL_FLOAT
extern "C" size_t odr_float(void);
int main() { return odr_double() == sizeof(double) && odr_float() == sizeof(float) ? 0 : 1; }
#endif
