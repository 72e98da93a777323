/* The float library of the link test. */
#define SNEPPP_REAL_FLOAT
#define SNEPPP_IMPLEMENTATION
#include "../../sneppp.h"
