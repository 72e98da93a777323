/* The tests: the header's implementation and every suite in one translation unit, so that tests can call private
   functions. A suite is a file tests/test_NAME.c that holds SUITE(NAME); the Makefile finds it and lists it in the
   generated suites.h, so adding a suite means adding its file. The main function is in runner.c.

      make test            everything                  build/test/tests -h        options of the test program
      make suite-linalg    only tests/test_linalg.c    build/test/tests -t gemm   tests whose name has "gemm"

   By hand: make build/gen/suites.h build/greatest/greatest.h, then
      cc -Ibuild/gen -Ibuild/greatest -Itests -o t tests/main.c tests/runner.c -lm */
#include "alloc.h" /* SNEPPP_MALLOC: counts, and fails on demand */
#include <pthread.h>
/* Threads that cannot be started, on demand: the test_threads_left-th call from now fails, as do all after it. */
static long test_threads_left = -1;
/* A system that gives its threads little stack, on demand; and how much the last thread was started with. */
static size_t test_stack_default, test_stack_asked;
static int  test_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*work)(void *), void *arg)
{
   if (test_threads_left == 0) return 1;
   if (test_threads_left > 0) test_threads_left--;
   if (a) pthread_attr_getstacksize(a, &test_stack_asked);
   return pthread_create(t, a, work, arg);
}
static int test_pthread_stack(const pthread_attr_t *a, size_t *bytes)
{
   if (!test_stack_default) return pthread_attr_getstacksize(a, bytes);
   *bytes = test_stack_default;
   return 0;
}
#define pthread_create test_pthread_create
#define pthread_attr_getstacksize test_pthread_stack
#define SNEPPP__CENTRES 8192 /* events above which AUTO takes a part of them: half of what users have */
#define SNEPPP_PTHREADS
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#undef pthread_create
#undef pthread_attr_getstacksize
#define GREATEST_USE_LONGJMP 0 /* no test jumps; setjmp makes gcc doubt the variables of tests that it inlines */
#include "greatest.h"

#ifndef SNEPPP_TEST_SUITES
#define SNEPPP_TEST_SUITES "suites.h"
#endif
#include SNEPPP_TEST_SUITES
