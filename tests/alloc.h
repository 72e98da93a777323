/* The allocator behind the library in the tests. The context that a test hands to the library is a test_alloc,
   which counts, and which fails one call if asked to; a NULL context is plain malloc. Included before sneppp.h.

      test_alloc a = {0, 0, 0, 0};
      a.fail_at = k;                     the k-th call from now fails, k = 1, 2, ...
      ... use the library with &a ...
      ASSERT_EQ(0, a.live);              everything was given back */
#ifndef SNEPPP_TEST_ALLOC_H
#define SNEPPP_TEST_ALLOC_H
#include <stdlib.h>
#include <string.h>

#ifndef TEST_FILL
#define TEST_FILL 0x7F /* as a double it is 1e306, as a float 3e38, as an integer huge */
#endif

#define TEST_WIPE ((size_t)-1) /* as fail_at: the only block of this context is written over when it is given back */

typedef struct test_alloc {
   size_t calls;   /* calls of SNEPPP_MALLOC so far, also those that failed */
   size_t fail_at; /* fail when calls reaches this; 0 = never               */
   size_t live;    /* blocks that are not freed yet                         */
   size_t bytes;   /* requested in all                                      */
} test_alloc;

static void *test_malloc(void *ctx, size_t n)
{
   test_alloc *a = (test_alloc *)ctx;
   void       *p;
   if (a) {
      a->calls++;
      if (a->calls == a->fail_at) return NULL;
   }
   p = malloc(n);
   if (p) memset(p, TEST_FILL, n); /* nobody may rely on zeros */
   if (a && p) {
      a->live++;
      a->bytes += n;
   }
   return p;
}

static void test_free(void *ctx, void *p)
{
   test_alloc *a = (test_alloc *)ctx;
   if (a && p && a->fail_at == TEST_WIPE) memset(p, TEST_FILL, a->bytes);
   if (a && p) a->live--;
   free(p);
}

#define SNEPPP_MALLOC(ctx, n) test_malloc(ctx, n)
#define SNEPPP_FREE(ctx, p)   test_free(ctx, p)
#endif
