/* Needs the double library only: with the float library instead, this must not link. */
#include "../../sneppp.h"
#include "use.h"
static USE(use_here)
int main(void) { return use_here() != sizeof(double); }
