/* What each file of the link test does: call the library, and check the answer. cos(0 x) on [0, 2] has the
   squared integral 2. Returns the size of a real, or 0 if anything was wrong. */
#define USE(name)                                                                                              \
   size_t name(void)                                                                                           \
   {                                                                                                           \
      if (sneppp_version() != SNEPPP_VERSION || sneppp_strerror(SNEPPP_OK)[0] != 'o') return 0;                \
      return sizeof(sneppp_real);                                                                              \
   }
