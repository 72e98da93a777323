/* Error texts and finite tests. */
static double base_bits(uint64_t u)
{
   double x;
   memcpy(&x, &u, sizeof x);
   return x;
}

static const char *base_g(sneppp_error *err, double x)
{
   (void)sneppp__fail(err, SNEPPP_ERR_ARG, "%g", x);
   return err->why;
}

TEST base_version_and_texts(void)
{
   ASSERT_EQ(SNEPPP_VERSION, sneppp_version());
   ASSERT_STR_EQ("ok", sneppp_strerror(SNEPPP_OK));
#define BASE_CHECK(name, value, text) \
   ASSERT_EQ(value, (int)SNEPPP_##name); \
   ASSERT_STR_EQ(text, sneppp_strerror(SNEPPP_##name));
   SNEPPP_STATUS_LIST(BASE_CHECK)
#undef BASE_CHECK
   ASSERT_STR_EQ("unknown status", sneppp_strerror(SNEPPP_STATUS_END));
   PASS();
}

TEST base_finite(void)
{
   const double good[7] = {0, -0.0, 1, -1e308, 1.7976931348623157e308, 2.2250738585072014e-308,
                           base_bits(1) /* the smallest denormal */};
   const double bad[5] = {base_bits(0x7ff0000000000000u), base_bits(0xfff0000000000000u),
                          base_bits(0x7ff8000000000000u), base_bits(0xfff8000000000001u),
                          base_bits(0x7ff0000000000001u) /* a signalling NaN */};
   for (int i = 0; i < 7; i++) ASSERT(sneppp__finite(good[i]));
   for (int i = 0; i < 5; i++) ASSERT(!sneppp__finite(bad[i]));
   PASS();
}

TEST base_fail_formats(void)
{
   sneppp_error e;
   memset(&e, 0x55, sizeof e);
   ASSERT_EQ(SNEPPP_ERR_DATA,
             sneppp__fail(&e, SNEPPP_ERR_DATA, "W[%d][%d] of %s, %z bytes, 100%%", -3, 0, "layer", (size_t)77));
   ASSERT_STR_EQ("W[-3][0] of layer, 77 bytes, 100%", e.why);
   ASSERT_EQ(SNEPPP_ERR_DATA, e.status);
   ASSERT_EQ((size_t)0, e.event);
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp__fail_event(&e, SNEPPP_ERR_DATA, 41, "event %z is at %g", (size_t)41, 12.5));
   ASSERT_STR_EQ("event 41 is at 12.5", e.why);
   ASSERT_EQ((size_t)41, e.event);
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp__fail(&e, SNEPPP_ERR_ARG, "%d %d %z", -2147483647 - 1, 2147483647, (size_t)0));
   ASSERT_STR_EQ("-2147483648 2147483647 0", e.why);
   (void)sneppp__fail(&e, SNEPPP_ERR_ARG, "ends with %");
   ASSERT_STR_EQ("ends with %", e.why);
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp__fail(NULL, SNEPPP_ERR_ARG, "%d", 1));
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp__fail_event(NULL, SNEPPP_ERR_DATA, 1, "%d", 1));
   PASS();
}

TEST base_fail_doubles(void)
{
   sneppp_error e;
   ASSERT_STR_EQ("0", base_g(&e, 0));
   ASSERT_STR_EQ("1", base_g(&e, 1));
   ASSERT_STR_EQ("-1.5", base_g(&e, -1.5));
   ASSERT_STR_EQ("0.1", base_g(&e, 0.1));
   ASSERT_STR_EQ("0.0001", base_g(&e, 1e-4));
   ASSERT_STR_EQ("0.000123457", base_g(&e, 1.234567e-4));
   ASSERT_STR_EQ("1e-5", base_g(&e, 1e-5));
   ASSERT_STR_EQ("1.23457e-5", base_g(&e, 1.234567e-5));
   ASSERT_STR_EQ("3.14159", base_g(&e, 3.14159265));
   ASSERT_STR_EQ("100", base_g(&e, 100));
   ASSERT_STR_EQ("123456", base_g(&e, 123456));
   ASSERT_STR_EQ("10.0001", base_g(&e, 10.0001));
   ASSERT_STR_EQ("1000000", base_g(&e, 999999.7));
   ASSERT_STR_EQ("1234570", base_g(&e, 1234567.2));
   ASSERT_STR_EQ("1e+7", base_g(&e, 1e7));
   ASSERT_STR_EQ("-1.79769e+308", base_g(&e, -1.7976931348623157e308));
   ASSERT_STR_EQ("2.22507e-308", base_g(&e, 2.2250738585072014e-308));
   ASSERT_STR_EQ("nan", base_g(&e, base_bits(0x7ff8000000000000u)));
   ASSERT_STR_EQ("inf", base_g(&e, base_bits(0x7ff0000000000000u)));
   ASSERT_STR_EQ("-inf", base_g(&e, base_bits(0xfff0000000000000u)));
   PASS();
}

/* Six digits of anything, read back. */
TEST base_fail_doubles_read_back(void)
{
   sneppp_error e;
   for (int k = -300; k <= 300; k++) {
      const double x = (k % 2 ? -1 : 1) * (1 + (k + 300) / 601.0 * 8.99) * pow(10, k), y = strtod(base_g(&e, x), NULL);
      ASSERT_IN_RANGE(1, y / x, 5.1e-6);
   }
   PASS();
}

TEST base_fail_cuts_long_texts(void)
{
   struct { sneppp_error e; char guard[8]; } s;
   char long_text[500];
   memset(long_text, 'x', sizeof long_text);
   long_text[499] = 0;
   memset(&s, 0x55, sizeof s);
   (void)sneppp__fail(&s.e, SNEPPP_ERR_ARG, "%s%d%g", long_text, 123, 1.5);
   ASSERT_EQ(sizeof s.e.why - 1, strlen(s.e.why));
   for (size_t i = 0; i < sizeof s.guard; i++) ASSERT_EQ(0x55, s.guard[i]);
   PASS();
}

/* Six digits, rounded at the half. */
TEST base_doubles_are_rounded(void)
{
   sneppp_error err;
   ASSERT_STR_EQ("123456", base_g(&err, 123456.497));
   ASSERT_STR_EQ("123457", base_g(&err, 123456.503));
   ASSERT_STR_EQ("0.123456", base_g(&err, 0.123456497));
   ASSERT_STR_EQ("0.123457", base_g(&err, 0.123456503));
   ASSERT_STR_EQ("1", base_g(&err, 0.99999951));
   PASS();
}

/* Integers are exact, and short as long as they have few digits. */
TEST base_integers_are_exact(void)
{
   sneppp_error err;
   ASSERT_STR_EQ("1234567", base_g(&err, 1234567));
   ASSERT_STR_EQ("12345670", base_g(&err, 12345670));
   ASSERT_STR_EQ("-1700000001", base_g(&err, -1700000001));
   ASSERT_STR_EQ("1.7e+9", base_g(&err, 1.7e9));
   ASSERT_STR_EQ("1.7001e+9", base_g(&err, 1.7001e9));
   ASSERT_STR_EQ("9007199254740991", base_g(&err, 9007199254740991));
   ASSERT_STR_EQ("9007199254740992", base_g(&err, 9007199254740992));
   ASSERT_STR_EQ("1e+300", base_g(&err, 1e300));
   ASSERT_STR_EQ("4.94066e-324", base_g(&err, base_bits(1)));
   PASS();
}

/* Two numbers of a sentence that are not equal do not look so, and six digits stay where they tell them apart. */
TEST base_numbers_are_told_apart(void)
{
   const struct { double x, lo, hi; const char *why; } list[] = {
      {1699999999.5, 1.7e9, 1.7001e9, "1699999999.5, not in [1.7e+9, 1.7001e+9]"},
      {4199999.7, 4.2e6, 4201000, "4199999.7, not in [4200000, 4201000]"},
      {5.000000001, 0, 5, "5.000000001, not in [0, 5]"},
      {5.1, 0, 5, "5.1, not in [0, 5]"},
      {3.14159265, 0, 1, "3.14159, not in [0, 1]"},
      {0.1 + 0.2, 0, 0.3, "0.30000000000000004, not in [0, 0.29999999999999999]"},
      {-1.0000001e-5, -1e-5, 0, "-1.0000001e-5, not in [-1e-5, 0]"},
      {999999.9999999, 1e6, 1e7, "999999.9999999, not in [1000000, 1e+7]"}};
   sneppp_error err;
   sneppp_rng   rng;
   for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
      (void)sneppp__fail(&err, SNEPPP_ERR_ARG, "%g, not in [%g, %g]", list[i].x, list[i].lo, list[i].hi);
      ASSERT_STR_EQ(list[i].why, err.why);
   }
   sneppp_rng_init(&rng, 5, 1);
   for (int i = 0; i < 20000; i++) { /* neighbours of ordinary size: 17 digits, read back as they were */
      double x = (1 + sneppp_rng_uniform(&rng)) * pow(10, i % 21 - 8), next = x, y, z;
      uint64_t u;
      char *end;
      memcpy(&u, &x, sizeof u);
      u++;
      memcpy(&next, &u, sizeof u);
      (void)sneppp__fail(&err, SNEPPP_ERR_ARG, "%g %g", x, next);
      y = strtod(err.why, &end), z = strtod(end, NULL);
      ASSERT(y < z && fabs(y - x) <= 2e-16 * x && fabs(z - next) <= 2e-16 * x);
   }
   PASS();
}

SUITE(base)
{
   RUN_TEST(base_integers_are_exact);
   RUN_TEST(base_numbers_are_told_apart);
   RUN_TEST(base_doubles_are_rounded);
   RUN_TEST(base_version_and_texts);
   RUN_TEST(base_finite);
   RUN_TEST(base_fail_formats);
   RUN_TEST(base_fail_doubles);
   RUN_TEST(base_fail_doubles_read_back);
   RUN_TEST(base_fail_cuts_long_texts);
}
