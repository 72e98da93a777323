/* More coordinates than the blocks of units are laid out for: features of one point, and of many. */
#define SNEPPP_IMPLEMENTATION
#define SNEPPP_MAX_DIM 200
#include "../../sneppp.h"

int main(void)
{
   static sneppp_real x[2 * 150];
   sneppp_desc        d = {0};
   sneppp_events      e = {0};
   sneppp_model       m;
   sneppp_real        out[2];
   double             one, count = 0;
   int                good;
   d.factor[0].window.dim = 150;
   for (int k = 0; k < 150; k++) {
      d.factor[0].window.hi[k] = 1;
      x[k] = (sneppp_real)0.25, x[150 + k] = (sneppp_real)0.5;
   }
   d.factor[0].unit.act = SNEPPP_ACT_COS;
   d.width = 20;
   e.x = x, e.count = 2;
   if (sneppp_init(&m, &d, NULL) != SNEPPP_OK || sneppp_intensities(&m, &e, out, NULL, NULL) != SNEPPP_OK) return 1;
   one = (double)sneppp_intensity(&m, x + 150);
   good = fabs(one - (double)out[1]) < 1e-9 && sneppp_count(&m, NULL, 1, &count, NULL, NULL) == SNEPPP_OK && count > 0;
   sneppp_free(&m);
   return !good;
}
