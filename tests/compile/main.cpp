// C++ uses both precisions of the library in one program: double here, float through a C file.
#include "../../sneppp.h"
#include "use.h"
#include <cstdio>

extern "C" size_t use_double(void);
extern "C" size_t use_float(void);
static USE(use_here)

int main()
{
   bool good = use_here() == sizeof(double) && use_double() == sizeof(double) && use_float() == sizeof(float);
   std::printf("%s\n", good ? "good" : "wrong");
   return good ? 0 : 1;
}
