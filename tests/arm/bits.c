/* The model of examples/firmware.c on a grid, as bits, so that a Cortex-M under QEMU can be compared with this machine
   (tests/arm.sh). On the Cortex-M the stack that evaluations really took, libm included, goes to standard error. */
#define FIRMWARE_NO_MAIN
#include "../../examples/firmware.c"
#include <stdio.h>

#ifdef __arm__
/* The stack below main is painted before the calls; the paint that is left afterwards was never needed. */
enum { paint_words = 4096 };

static void __attribute__((noinline)) measure_stack(void)
{
   volatile uint32_t *below = (volatile uint32_t *)__builtin_frame_address(0) - 16; /* the frame of this function */
   volatile float     sum = 0;
   int                deepest = paint_words;
   for (int i = 1; i <= paint_words; i++) below[-i] = 0x5a5a5a5au;
   for (int i = 0; i < 400; i++) sum = sum + trees_per_hectare(2.5f * (float)i, 1.25f * (float)i);
   while (deepest > 0 && below[-deepest] == 0x5a5a5a5au) deepest--;
   fprintf(stderr, "%d\n", 4 * (deepest + 16));
}
#endif

int main(void)
{
#ifdef __arm__
   measure_stack();
#endif
   for (int north = -10; north <= 510; north += 13)
      for (int east = -10; east <= 1010; east += 17) {
         double   v = (double)trees_per_hectare((float)east, (float)north);
         uint64_t bits;
         memcpy(&bits, &v, sizeof bits);
         printf("%d,%d %08lx%08lx\n", east, north, (unsigned long)(bits >> 32), (unsigned long)(bits & 0xffffffffu));
      }
   return 0;
}
