/* Blocks and carving. The allocator behind it is that of alloc.h. */
typedef struct mem_object {
   double      *W;     /* (n, d) */
   char        *name;  /* (7)    */
   sneppp_real *b;     /* (n)    */
   size_t      *order; /* (0)    */
   sneppp__block block;
} mem_object;

static void mem_place(sneppp__carver *c, mem_object *o, size_t n, size_t d)
{
   o->W = (double *)sneppp__take(c, n, d, sizeof *o->W);
   o->name = (char *)sneppp__take(c, 7, 1, 1);
   o->b = (sneppp_real *)sneppp__take(c, n, 1, sizeof *o->b);
   o->order = (size_t *)sneppp__take(c, 0, 1, sizeof *o->order);
}

static size_t mem_bytes(size_t n, size_t d)
{
   sneppp__carver c = sneppp__measure();
   mem_object     o;
   mem_place(&c, &o, n, d);
   return sneppp__block_bytes(&c);
}

static sneppp_status mem_make(mem_object *o, size_t n, size_t d, void *mem, size_t bytes, void *ctx, sneppp_error *err)
{
   sneppp__carver c = sneppp__measure();
   sneppp_status  st;
   memset(o, 0, sizeof *o);
   mem_place(&c, o, n, d);
   st = sneppp__block_get(&o->block, &c, mem, bytes, ctx, err);
   if (st != SNEPPP_OK) return st;
   mem_place(&c, o, n, d);
   return SNEPPP_OK;
}

static void mem_fill(mem_object *o, size_t n, size_t d)
{
   for (size_t i = 0; i < n * d; i++) o->W[i] = (double)i;
   for (size_t i = 0; i < n; i++) o->b[i] = (sneppp_real)i;
   memset(o->name, 'n', 7);
}

TEST mem_measure_gives_null(void)
{
   sneppp__carver c = sneppp__measure();
   mem_object     o;
   mem_place(&c, &o, 3, 2);
   ASSERT(!o.W && !o.name && !o.b && !o.order);
   ASSERT_EQ((size_t)0, c.used % SNEPPP__ALIGN);
   ASSERT(c.used >= 6 * sizeof(double) + 7 + 3 * sizeof(sneppp_real));
   PASS();
}

/* A block of exactly the stated size works wherever it starts; one byte less is refused, and nothing is touched
   outside. */
TEST mem_callers_block_at_every_offset(void)
{
   const size_t   need = mem_bytes(5, 3), slack = 130;
   unsigned char *raw = (unsigned char *)malloc(need + slack);
   test_alloc     a;
   sneppp_error   err;
   mem_object     o;
   memset(&a, 0, sizeof a);
   ASSERT(raw);
   for (size_t offset = 0; offset < slack; offset++) {
      memset(raw, 0x3C, need + slack);
      ASSERT_EQ(SNEPPP_OK, mem_make(&o, 5, 3, raw + offset, need, &a, &err));
      ASSERT_EQ((size_t)0, (size_t)((uintptr_t)o.W % SNEPPP__ALIGN));
      ASSERT_EQ((size_t)0, (size_t)((uintptr_t)o.b % SNEPPP__ALIGN));
      ASSERT((unsigned char *)(o.W + 15) <= (unsigned char *)o.name && o.name + 7 <= (char *)o.b);
      ASSERT((unsigned char *)(o.b + 5) <= raw + offset + need);
      mem_fill(&o, 5, 3);
      for (size_t i = 0; i < offset; i++) ASSERT_EQ(0x3C, raw[i]);
      for (size_t i = offset + need; i < need + slack; i++) ASSERT_EQ(0x3C, raw[i]);
      sneppp__block_free(&o.block); /* the block stays the caller's */
      ASSERT_EQ(SNEPPP_ERR_ARG, mem_make(&o, 5, 3, raw + offset, need - 1, &a, &err));
      ASSERT(strstr(err.why, "mem_bytes"));
   }
   ASSERT_EQ((size_t)0, a.calls);
   ASSERT_EQ(SNEPPP_ERR_ARG, mem_make(&o, 5, 3, NULL, need, &a, &err));
   ASSERT(strstr(err.why, "mem is NULL"));
   ASSERT_EQ((size_t)0, a.calls);
   free(raw);
   PASS();
}

/* Arrays that fill their lines to the last byte end with the block, at the offset that needs the most of it. */
TEST mem_ends_with_the_block(void)
{
   static unsigned char raw[8 * SNEPPP__ALIGN];
   for (size_t offset = 0; offset < SNEPPP__ALIGN; offset++) {
      sneppp__carver c = sneppp__measure();
      sneppp__block  block;
      size_t         bytes;
      (void)sneppp__take(&c, SNEPPP__ALIGN, 1, 1);
      bytes = sneppp__block_bytes(&c);
      ASSERT(offset + bytes <= sizeof raw);
      ASSERT_EQ(SNEPPP_OK, sneppp__block_get(&block, &c, raw + offset, bytes, NULL, NULL));
      ASSERT((unsigned char *)sneppp__take(&c, SNEPPP__ALIGN, 1, 1) + SNEPPP__ALIGN + SNEPPP__FENCE <= raw + offset + bytes);
   }
   PASS();
}

TEST mem_allocator_gets_the_context(void)
{
   test_alloc   a;
   sneppp_error err;
   mem_object   o;
   memset(&a, 0, sizeof a);
   a.fail_at = TEST_WIPE; /* all of it is the allocator's again, fences too */
   ASSERT_EQ(SNEPPP_OK, mem_make(&o, 9, 4, NULL, 0, &a, &err));
   mem_fill(&o, 9, 4);
   ASSERT_EQ((size_t)1, a.calls);
   ASSERT_EQ((size_t)1, a.live);
   ASSERT_EQ(mem_bytes(9, 4), a.bytes);
   ASSERT_EQ((size_t)0, (size_t)((uintptr_t)o.W % SNEPPP__ALIGN));
   sneppp__block_free(&o.block);
   sneppp__block_free(&o.block); /* twice is harmless */
   ASSERT_EQ((size_t)0, a.live);
   ASSERT_EQ(SNEPPP_OK, mem_make(&o, 9, 4, NULL, 0, NULL, NULL)); /* no context: plain malloc */
   mem_fill(&o, 9, 4);
   sneppp__block_free(&o.block);
   PASS();
}

TEST mem_allocation_fails(void)
{
   test_alloc   a;
   sneppp_error err;
   mem_object   o;
   memset(&a, 0, sizeof a);
   a.fail_at = 1;
   ASSERT_EQ(SNEPPP_ERR_MEMORY, mem_make(&o, 9, 4, NULL, 0, &a, &err));
   ASSERT_EQ(SNEPPP_ERR_MEMORY, err.status);
   ASSERT(strstr(err.why, "bytes could not be allocated"));
   ASSERT(!o.W && !o.b);
   sneppp__block_free(&o.block);
   ASSERT_EQ((size_t)0, a.live);
   ASSERT_EQ(SNEPPP_OK, mem_make(&o, 9, 4, NULL, 0, &a, &err)); /* the next call works again */
   sneppp__block_free(&o.block);
   ASSERT_EQ((size_t)0, a.live);
   PASS();
}

/* Sizes at which a product, an element size or the sum wraps, and the last one that does not. */
TEST mem_overflow(void)
{
   const size_t   half = SIZE_MAX / 2;
   const size_t   root = (size_t)1 << (sizeof(size_t) * 4);
   const size_t   big[5][3] = {
      {SIZE_MAX, 2, 1}, {SIZE_MAX / 4, 2, 4}, {SIZE_MAX, 1, 1}, {SIZE_MAX - 64, 1, 1}, {root, root, 1}};
   test_alloc     a;
   sneppp_error   err;
   sneppp__block  block;
   sneppp__carver c;
   size_t         product = 77;
   memset(&a, 0, sizeof a);
   ASSERT(!sneppp__mul_overflows(half, 2, &product) && product == SIZE_MAX - 1);
   ASSERT(sneppp__mul_overflows(half + 1, 2, &product) && product == SIZE_MAX - 1);
   ASSERT(!sneppp__mul_overflows(0, SIZE_MAX, &product) && product == 0);
   ASSERT(!sneppp__mul_overflows(SIZE_MAX, 0, &product) && product == 0);
   for (int i = 0; i < 5; i++) {
      c = sneppp__measure();
      ASSERT(!sneppp__take(&c, big[i][0], big[i][1], big[i][2]));
      ASSERT(c.overflow);
      ASSERT(!sneppp__take(&c, 1, 1, 1)); /* sticky */
      ASSERT_EQ((size_t)0, sneppp__block_bytes(&c));
      ASSERT_EQ(SNEPPP_ERR_SIZE, sneppp__block_get(&block, &c, NULL, 0, &a, &err));
      sneppp__block_free(&block);
   }
   c = sneppp__measure();
   (void)sneppp__take(&c, half, 1, 1);
   ASSERT(!c.overflow && sneppp__block_bytes(&c) > half);
   (void)sneppp__take(&c, half, 1, 1); /* the sum */
   ASSERT(c.overflow);
   c = sneppp__measure();
   (void)sneppp__take(&c, SIZE_MAX - 2 * SNEPPP__ALIGN - SNEPPP__FENCE, 1, 1); /* the last that fits */
   ASSERT(!c.overflow);
   ASSERT(c.used > SIZE_MAX / 2 && sneppp__block_bytes(&c) > c.used);
   ASSERT_EQ((size_t)0, a.calls);
   PASS();
}

#ifdef SNEPPP__ASAN
/* The byte behind each array is out of bounds, all bytes of the arrays are inside, and freeing heals the block. */
TEST mem_fences(void)
{
   mem_object o;
   size_t     n;
   for (n = 1; n < 20; n++) {
      ASSERT_EQ(SNEPPP_OK, mem_make(&o, n, 8, NULL, 0, NULL, NULL)); /* W fills whole lines */
      ASSERT(__asan_address_is_poisoned(o.W + 8 * n));
      ASSERT(__asan_address_is_poisoned(o.name + 7));
      ASSERT(__asan_address_is_poisoned((char *)(o.b + n)));
      ASSERT(!__asan_region_is_poisoned(o.W, 8 * n * sizeof *o.W));
      ASSERT(!__asan_region_is_poisoned(o.name, 7));
      mem_fill(&o, n, 8);
      sneppp__block_free(&o.block);
   }
   PASS();
}
#endif

/* After one array that cannot be, none is handed out, though there is a base. */
TEST mem_no_array_after_an_overflow(void)
{
   static double  room[64];
   sneppp__carver c = sneppp__measure();
   c.base = (unsigned char *)room;
   ASSERT(sneppp__take(&c, 2, 2, sizeof(double)) == (void *)room);
   ASSERT(!sneppp__take(&c, SIZE_MAX / 2, 3, sizeof(double)));
   ASSERT(c.overflow);
   ASSERT(!sneppp__take(&c, 1, 1, sizeof(double)));
   ASSERT_EQ((size_t)0, sneppp__block_bytes(&c));
   PASS();
}

SUITE(mem)
{
   RUN_TEST(mem_no_array_after_an_overflow);
   RUN_TEST(mem_measure_gives_null);
   RUN_TEST(mem_callers_block_at_every_offset);
   RUN_TEST(mem_ends_with_the_block);
   RUN_TEST(mem_allocator_gets_the_context);
   RUN_TEST(mem_allocation_fails);
   RUN_TEST(mem_overflow);
#ifdef SNEPPP__ASAN
   RUN_TEST(mem_fences);
#endif
}
