/* What a Cortex-M needs before main, for QEMU's MPS2 boards: the two first entries of the vector table, the floating
   point unit switched on, and a hand-over to newlib, whose printf reaches the host by semihosting. */
#include <stdint.h>
void                  start(void);
extern void           _start(void);
extern uint32_t       stack_top[];
static void           stop(void) { for (;;) __asm__ volatile("bkpt 1"); } /* any fault: QEMU ends with an error */
__attribute__((section(".vectors"), used)) static void *const vectors[16] = {
   stack_top, (void *)start, (void *)stop, (void *)stop, (void *)stop, (void *)stop, (void *)stop};

void start(void)
{
   *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20; /* CPACR: coprocessors 10 and 11, the floating point unit */
   __asm__ volatile("dsb\n\tisb");
   _start();
   stop();
}
