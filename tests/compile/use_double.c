/* A second C file that only uses the library. */
#include "../../sneppp.h"
#include "use.h"
USE(use_double)
