/* The header as a thing to include: version numbers and what the options promise. */

TEST header_version_is_one_number(void)
{
   ASSERT_EQ(sneppp_version(), SNEPPP_VERSION);
   ASSERT_EQ(SNEPPP_VERSION / 10000, SNEPPP_VERSION_MAJOR);
   ASSERT_EQ(SNEPPP_VERSION / 100 % 100, SNEPPP_VERSION_MINOR);
   ASSERT_EQ(SNEPPP_VERSION % 100, SNEPPP_VERSION_PATCH);
   PASS();
}

TEST header_real_is_what_was_asked_for(void)
{
#ifdef SNEPPP_REAL_FLOAT
   ASSERT_EQ(sizeof(sneppp_real), sizeof(float));
#else
   ASSERT_EQ(sizeof(sneppp_real), sizeof(double));
#endif
   PASS();
}

SUITE(header)
{
   RUN_TEST(header_version_is_one_number);
   RUN_TEST(header_real_is_what_was_asked_for);
}
