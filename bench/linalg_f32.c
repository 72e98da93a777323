/* bench/linalg.c in float. */
#define SNEPPP_REAL_FLOAT
#include "linalg.c"
