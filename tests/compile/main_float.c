/* Needs the float library only: with the double library instead, this must not link. */
#define SNEPPP_REAL_FLOAT
#include "../../sneppp.h"
#include "use.h"
static USE(use_here)
int main(void) { return use_here() != sizeof(float); }
