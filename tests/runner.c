/* The main function of the test program. The definitions of greatest are not written for -Wconversion, our tests
   are; so they live in a file of their own, which knows the suites by name only. */
#define GREATEST_USE_LONGJMP 0 /* as in main.c */
#include "greatest.h"

#define SNEPPP_TEST_RUNNER
#ifndef SNEPPP_TEST_SUITES
#define SNEPPP_TEST_SUITES "suites.h"
#endif
#include SNEPPP_TEST_SUITES

GREATEST_MAIN_DEFS();

const char *test_program = "build/tests"; /* how this program was called: its files are named after it */

int main(int argc, char **argv)
{
   if (argc > 0) test_program = argv[0];
   GREATEST_MAIN_BEGIN();
   SNEPPP_TEST_RUN
   GREATEST_PRINT_REPORT();
   printf("%u passed, %u failed", greatest_info.passed, greatest_info.failed);
   if (greatest_info.skipped > 0) printf(", %u skipped", greatest_info.skipped);
   printf("\n");
   return greatest_all_passed() && greatest_info.passed > 0 ? 0 : 1;
}
