/* The double library of the link test: declarations first, twice, then the implementation in the same file. */
#include "../../sneppp.h"
#include "../../sneppp.h"
#define SNEPPP_IMPLEMENTATION
#include "../../sneppp.h"
#include "../../sneppp.h"
