/* What each file of the link test does: call the library, and check the answers. Two generators with the same seed
   must agree, and the square of cos(0 x) has the integral 2 over [0, 2]. Returns the size of a real, or 0 if
   anything was wrong. */
#include <string.h>
#define USE(name)                                                                                              \
   size_t name(void)                                                                                           \
   {                                                                                                           \
      const double  w = 0;                                                                                     \
      double        k = 0;                                                                                     \
      sneppp_rng    a, b;                                                                                      \
      sneppp_window window;                                                                                    \
      sneppp_layer  layer;                                                                                     \
      memset(&window, 0, sizeof window);                                                                       \
      memset(&layer, 0, sizeof layer);                                                                         \
      window.dim = 1;                                                                                          \
      window.hi[0] = 2;                                                                                        \
      layer.n = 1;                                                                                             \
      layer.unit.act = SNEPPP_ACT_COS;                                                                             \
      layer.W = &w;                                                                                            \
      if (sneppp_gram(&window, &layer, &k, NULL, NULL) != SNEPPP_OK || k < 1.999999 || k > 2.000001) return 0; \
      sneppp_rng_init(&a, 7, 1);                                                                               \
      sneppp_rng_init(&b, 7, 1);                                                                               \
      if (sneppp_rng_poisson(&a, 50) != sneppp_rng_poisson(&b, 50)) return 0;                                  \
      if (sneppp_version() != SNEPPP_VERSION || sneppp_strerror(SNEPPP_OK)[0] != 'o') return 0;                \
      return sizeof(sneppp_real);                                                                              \
   }
