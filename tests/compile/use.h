/* What each file of the link test does: call the library, and check the answer. Two generators with the same seed
   must agree. Returns the size of a real, or 0 if anything was wrong. */
#define USE(name)                                                                                              \
   size_t name(void)                                                                                           \
   {                                                                                                           \
      sneppp_rng a, b;                                                                                         \
      sneppp_rng_init(&a, 7, 1);                                                                               \
      sneppp_rng_init(&b, 7, 1);                                                                               \
      if (sneppp_rng_poisson(&a, 50) != sneppp_rng_poisson(&b, 50)) return 0;                                  \
      if (sneppp_version() != SNEPPP_VERSION || sneppp_strerror(SNEPPP_OK)[0] != 'o') return 0;                \
      return sizeof(sneppp_real);                                                                              \
   }
