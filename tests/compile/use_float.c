#define SNEPPP_REAL_FLOAT
#include "../../sneppp.h"
#include "use.h"
USE(use_float)
