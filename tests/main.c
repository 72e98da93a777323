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
/* Every thread counts the locks that it holds. To unlock or to wait without one is a race, which goes well most of the time;
   here it is counted. */
static pthread_key_t test_held;
static pthread_once_t test_held_once = PTHREAD_ONCE_INIT;
static unsigned long test_lock_mistakes;
static void test_held_make(void) { (void)pthread_key_create(&test_held, NULL); }
static void test_hold(long more)
{
   size_t held;
   pthread_once(&test_held_once, test_held_make);
   held = (size_t)pthread_getspecific(test_held);
   if (more < 0 && !held) test_lock_mistakes++;
   else pthread_setspecific(test_held, (void *)(held + (size_t)more));
}
static int test_mutex_lock(pthread_mutex_t *m)
{
   int r = pthread_mutex_lock(m);
   test_hold(1);
   return r;
}
static int test_mutex_unlock(pthread_mutex_t *m)
{
   test_hold(-1);
   return pthread_mutex_unlock(m);
}
static int test_asleep; /* threads that wait for a signal; under the lock that they hold before and after */
static int test_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
   int r;
   test_hold(-1), test_hold(1);
   test_asleep++;
   r = pthread_cond_wait(c, m);
   test_asleep--;
   return r;
}
#define pthread_create test_pthread_create
#define pthread_attr_getstacksize test_pthread_stack
#define SNEPPP__CENTRES 8192 /* events above which AUTO takes a part of them: half of what users have */
#define SNEPPP__WITNESSES 512 /* and a quarter of those that intervals of other fits ask */
static double test_wave_terms(double set) /* sets it if that is not negative */
{
   static double terms = 130;
   if (set >= 0) terms = set;
   return terms;
}
#define SNEPPP__WAVE_TERMS test_wave_terms(-1) /* derivatives in a bound: with 0 of them draws need the tree of cells */
#define SNEPPP__DIVIDED 128 /* and of the units whose Gram matrix is divided over ranks */
#define pthread_mutex_lock test_mutex_lock
#define pthread_mutex_unlock test_mutex_unlock
#define pthread_cond_wait test_cond_wait
#define SNEPPP_PTHREADS
#define SNEPPP_IMPLEMENTATION
#ifndef SNEPPP_TEST_HEADER /* make suite-NAME may have a header that ends after the floor of the suite */
#define SNEPPP_TEST_HEADER "../sneppp.h"
#endif
#include SNEPPP_TEST_HEADER
#undef pthread_create
#undef pthread_attr_getstacksize
#undef pthread_mutex_lock
#undef pthread_mutex_unlock
#undef pthread_cond_wait
#define GREATEST_USE_LONGJMP 0 /* no test jumps; setjmp makes gcc doubt the variables of tests that it inlines */
#include "greatest.h"

/* The header has the optimisation that it is tested with. The tests, as many lines, need less: a quarter of the time to
   compile all of it. */
#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(__cplusplus)
#pragma GCC optimize("O1")
#endif

/* A test that draws many patterns, and judges how good fits are. Every line of the header that it runs is run by others, too:
   builds whose numbers are those of another one but for rounding leave it out, with SNEPPP_TEST_SHORT in the environment, and
   say so; it counts as skipped. */
static inline enum greatest_test_res test_left_out(const char *name)
{
   printf("left out here, it is long: %s\n", name);
   SKIP();
}
#define RUN_TEST_LONG(TEST) do { \
      if (getenv("SNEPPP_TEST_SHORT")) RUN_TEST1(test_left_out, #TEST); \
      else RUN_TEST(TEST); \
   } while (0)

/* The path of a file that a test may write. Configurations run side by side, so each program has files of its own. */
extern const char *test_program;
static inline const char *test_path(char path[1000], const char *name)
{
   snprintf(path, 1000, "%s.%s", test_program, name);
   return path;
}

#ifndef SNEPPP_TEST_SUITES
#define SNEPPP_TEST_SUITES "suites.h"
#endif
#include SNEPPP_TEST_SUITES
