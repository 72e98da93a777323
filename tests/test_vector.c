/* Vector functions against libm in double: the largest error in units of the last place. */

/* The distance of got from want in units of the last place of sneppp_real at `size`. */
SNEPPP__UNUSED static double vector_ulps(double got, double want, double size)
{
   int    e = 0;
   double bits = sizeof(sneppp_real) == sizeof(float) ? 24 : 53, least = sizeof(sneppp_real) == sizeof(float) ? 1.5e-45 : 5e-324, ulp;
#ifdef __FAST_MATH__
   if (least < 2.3e-308) least = 2.3e-308; /* numbers below the normal ones are flushed to zero, units of last places too */
#endif
   frexp(size, &e);
   ulp = ldexp(1, e - (int)bits);
   if (ulp < least) ulp = least;
   return fabs(got - want) / ulp;
}

/* Points of either sign from tiny to `most`, evenly in the logarithm and evenly in between, and multiples of pi/2. */
static double vector_point(size_t i, size_t count, double most)
{
   double u = (double)(i / 3) / (double)(count / 3), x;
   if (i % 3 == 0) x = most * (2 * u - 1);
   else if (i % 3 == 1) x = 1e-8 * pow(most * 1e8, u) * (i & 1 ? -1 : 1);
   else x = floor(most * u / SNEPPP__PI * 2) * (SNEPPP__PI / 2) * (i & 1 ? -1 : 1);
   return (double)(sneppp_real)x;
}

/* Worst errors of psi and slope of an activation over points within `most`; size 0: relative, else ulps of size. */
static void vector_worst(sneppp_act act, double p, double q, double most, double size, double *psi_error, double *slope_error)
{
   enum { count = 30003 };
   static sneppp_real z[count], psi[count], slope[count];
   sneppp_unit unit;
   unit.act = act, unit.p = p, unit.q = q;
   *psi_error = *slope_error = 0;
   for (size_t i = 0; i < count; i++) z[i] = (sneppp_real)vector_point(i, count, most);
   sneppp__act_array(&unit, count, z, psi, slope);
   for (size_t i = 0; i < count; i++) {
      double s = 0, y = sneppp__act(&unit, (double)z[i], &s), e;
      if (act == SNEPPP_ERF) { /* the plain slope has the rounding of z^2 in it, up to 25 ulp at z = 5 */
         double square = (double)z[i] * (double)z[i], rest = fma((double)z[i], (double)z[i], -square);
         s = 1.12837916709551257390 * exp(-square) * (1 - rest);
      }
      e = vector_ulps((double)psi[i], y, size > 0 ? size : y);
      if (!(e <= *psi_error)) *psi_error = e;
      e = vector_ulps((double)slope[i], s, size > 0 ? size : s);
      if (!(e <= *slope_error)) *slope_error = e;
   }
   if (getenv("VECTOR_VERBOSE")) printf("%-10s within %-8g: psi %.2f ulp, slope %.2f ulp\n", sneppp__act_name(act), most, *psi_error, *slope_error);
}

TEST vector_circular_functions(void)
{
   double a, b;
   vector_worst(SNEPPP_COS, 0, 0, 10, 0.999, &a, &b);
   ASSERT(a <= 1.5 && b <= 1.5);
   vector_worst(SNEPPP_SIN, 0, 0, 1e5, 0.999, &a, &b);
   ASSERT(a <= 1.5 && b <= 1.5);
   vector_worst(SNEPPP_SIN, 0, 0, 0.78, 0, &a, &b); /* relative: small arguments keep their digits */
   ASSERT(a <= 1.5 && b <= 1.5);
   vector_worst(SNEPPP_COS, 0, 0, 3e6, 0.999, &a, &b); /* partly beyond the reduction: libm */
   ASSERT(a <= 1.5 && b <= 1.5);
   vector_worst(SNEPPP_SNAKE, 0.7, 0, 5, 5, &a, &b);
   ASSERT(a <= 3 && b <= 3);
   vector_worst(SNEPPP_COSMIDENT, 0.7, 0, 5, 5, &a, &b);
   ASSERT(a <= 3 && b <= 3);
   PASS();
}

TEST vector_exponentials(void)
{
   double a, b, top = sizeof(sneppp_real) == sizeof(float) ? 88 : 709;
   vector_worst(SNEPPP_EXP, 0, 0, top, 0, &a, &b);
   ASSERT(a <= 1.5 && b <= 1.5);
   vector_worst(SNEPPP_BELL, 0.5, 0, 3, 0.999, &a, &b);
   ASSERT(a <= 2.5 && b <= 3);
   vector_worst(SNEPPP_GABOR_SIN, 0.5, 3.0, 4, 2.9, &a, &b);
   ASSERT(a <= 3 && b <= 4);
   vector_worst(SNEPPP_GABOR_COS, 0.5, 3.0, 4, 2.9, &a, &b);
   ASSERT(a <= 3 && b <= 4);
   PASS();
}

/* exp(-z^2/2) is relative only if the rounding of z^2 is made good: the plain loops do not, and under -ffast-math the
   compiler may see that x x - x x is nothing. Its size is z^2/2 ulp. */
TEST vector_error_function(void)
{
   double a, b, deep = sizeof(sneppp_real) == sizeof(float) ? 12 : 37, loose = 0;
#if !defined(SNEPPP__VECTOR) || defined(__FAST_MATH__)
   loose = 1;
#else
   if (!sneppp__has_vectors()) loose = 1;
#endif
   vector_worst(SNEPPP_ERF, 0, 0, 5, 0, &a, &b);
   ASSERT(a <= 2.5 && b <= 4 + loose * 25);
   vector_worst(SNEPPP_PHI, 0, 0, deep, 0, &a, &b); /* relative, in the lower tail too */
   ASSERT(a <= 8 + loose * deep * deep && b <= 8 + loose * deep * deep); /* the plain functions have 2 ulp of their own */
   vector_worst(SNEPPP_GELU, 0, 0, 6, 0.999, &a, &b);
   ASSERT(a <= 8 && b <= 4 + loose * 36);
   PASS();
}

/* The worst of three functions of doubles, in units of the last place of double; x and its neighbours in one vector. */
TEST vector_long_functions(void)
{
   enum { count = 20003 };
   static double x[count], y[count], z[count];
   double        worst = 0, e;
   int           power;
   for (size_t i = 0; i < count; i++) x[i] = -700 + 1400 * (double)i / count;
   sneppp__long_exp(count, x, y);
   for (size_t i = 0; i < count; i++) {
      frexp(exp(x[i]), &power);
      e = fabs(y[i] - exp(x[i])) / ldexp(1, power - 53);
      if (!(e <= worst)) worst = e;
   }
   ASSERT(worst <= 1.5);
   for (size_t i = 0; i < count; i++) x[i] = i % 2 ? y[i] : 0.5 + (double)i / count; /* huge and tiny; near 1, where log is small */
   x[7] = x[8] = 1;
   sneppp__long_log(count, x, y);
   worst = 0;
   for (size_t i = 0; i < count; i++) {
      frexp(log(x[i]), &power);
      e = fabs(y[i] - log(x[i])) / ldexp(1, power - 53);
      if (!(e <= worst)) worst = e;
   }
   ASSERT(worst <= 2.5);
   x[0] = 0, x[6] = ldexp(1, -1030); /* the others of their vectors are not disturbed */
#ifndef __FAST_MATH__
   sneppp__long_log(12, x, z);
   ASSERT(!sneppp__finite(z[0]) && z[6] == log(x[6]) && z[7] == 0);
#endif
   for (size_t i = 0; i < count; i++) x[i] = vector_point(i, count, 2e5);
   sneppp__long_sincos(count, x, y, z);
   for (size_t i = 0; i < count; i++) ASSERT(fabs(y[i] - sin(x[i])) <= 2.3e-16 && fabs(z[i] - cos(x[i])) <= 2.3e-16);
   PASS();
}

/* Every length, so that the last vector is cut everywhere; nothing beyond the end is written; in place is the same. */
TEST vector_lengths(void)
{
   static const sneppp_act acts[] = {SNEPPP_COS, SNEPPP_EXP, SNEPPP_PHI, SNEPPP_RELU, SNEPPP_LEAKY};
   for (size_t k = 0; k < sizeof acts / sizeof *acts; k++)
      for (size_t count = 0; count < 20; count++) {
         sneppp_real z[24], psi[24], slope[24], alone, d;
         sneppp_unit unit;
         unit.act = acts[k], unit.p = 0.25, unit.q = 0;
         for (size_t i = 0; i < 24; i++) { z[i] = (sneppp_real)((double)i * 0.37 - 3); psi[i] = slope[i] = 77; }
         sneppp__act_array(&unit, count, z, psi, slope);
         for (size_t i = count; i < 24; i++) ASSERT(psi[i] == 77 && slope[i] == 77);
         for (size_t i = 0; i < count; i++) {
            sneppp__act_array(&unit, 1, z + i, &alone, &d);
            ASSERT(alone == psi[i] && d == slope[i]);
         }
         sneppp__act_array(&unit, count, z, z, NULL);
         for (size_t i = 0; i < count; i++) ASSERT(z[i] == psi[i]);
      }
   PASS();
}

/* NaN and infinities go through without harm to their neighbours. Made from bits, which -ffast-math leaves alone. */
TEST vector_not_finite(void)
{
   static const sneppp_act acts[] = {SNEPPP_COS, SNEPPP_SIN, SNEPPP_EXP, SNEPPP_ERF, SNEPPP_PHI, SNEPPP_GELU, SNEPPP_BELL, SNEPPP_RELU};
   for (size_t k = 0; k < sizeof acts / sizeof *acts; k++) {
      sneppp_real z[9], psi[9], slope[9], want, d;
      sneppp_unit unit;
      unit.act = acts[k], unit.p = 0.5, unit.q = 0;
      for (size_t i = 0; i < 9; i++) z[i] = (sneppp_real)((double)i * 0.3);
      z[1] = (sneppp_real)sneppp__nan();
      z[3] = (sneppp_real)sneppp__minus_infinity();
      sneppp__act_array(&unit, 9, z, psi, slope);
      for (size_t i = 0; i < 9; i++) {
         if (i == 1 || i == 3) continue;
         sneppp__act_array(&unit, 1, z + i, &want, &d);
         ASSERT(psi[i] == want && slope[i] == d);
      }
   }
   PASS();
}

SUITE(vector)
{
   RUN_TEST(vector_circular_functions);
   RUN_TEST(vector_exponentials);
   RUN_TEST(vector_error_function);
   RUN_TEST(vector_long_functions);
   RUN_TEST(vector_lengths);
   RUN_TEST(vector_not_finite);
}
