/* The library as the hunter uses it: an allocator that counts and can fail, and POSIX threads. A file of its own, so
   that a change of the hunter does not compile the header again under the sanitizers. */
#define _POSIX_C_SOURCE 200809L
extern unsigned char hunt_fill; /* what new memory holds: answers must not depend on it */
#define TEST_FILL hunt_fill
#include "../alloc.h"
#define SNEPPP_PTHREADS
#define SNEPPP_IMPLEMENTATION
#include "../../sneppp.h"
