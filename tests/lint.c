/* What the linters read: the header with everything in it. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
