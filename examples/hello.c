/* cc -O2 -o hello examples/hello.c -lm && ./hello
   The smallest use of the header: which version it is, and what a status means in words. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include <stdio.h>

int main(void)
{
   int version = sneppp_version();
   printf("sneppp %d.%d.%d\n", version / 10000, version / 100 % 100, version % 100);
   printf("a bad window would say: %s\n", sneppp_strerror(SNEPPP_ERR_DATA));
   return 0;
}
