/* bench/train.c in float. */
#define SNEPPP_REAL_FLOAT
#include "train.c"
