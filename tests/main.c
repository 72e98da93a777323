/* The tests: the header's implementation and every suite in one translation unit, so that tests can call private
   functions. A suite is a file tests/test_NAME.c that holds SUITE(NAME); the Makefile finds it and lists it in the
   generated suites.h, so adding a suite means adding its file. The main function is in runner.c.

      make test            everything                  build/test/tests -h        options of the test program
      make suite-linalg    only tests/test_linalg.c    build/test/tests -t gemm   tests whose name has "gemm"

   By hand: make build/gen/suites.h build/greatest/greatest.h, then
      cc -Ibuild/gen -Ibuild/greatest -Itests -o t tests/main.c tests/runner.c -lm */
#include "alloc.h" /* SNEPPP_MALLOC: counts, and fails on demand */
#define SNEPPP_PTHREADS
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#define GREATEST_USE_LONGJMP 0 /* no test jumps; setjmp makes gcc doubt the variables of tests that it inlines */
#include "greatest.h"

#ifndef SNEPPP_TEST_SUITES
#define SNEPPP_TEST_SUITES "suites.h"
#endif
#include SNEPPP_TEST_SUITES
