/* Vector functions against libm in double: the largest error in units of the last place. */
#include "cases.h"

/* The distance of got from want in units of the last place of sneppp_real at `size`. */
static inline double vector_ulps(double got, double want, double size)
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
   case_act(&unit, count, z, psi, slope);
   for (size_t i = 0; i < count; i++) {
      double s = 0, y = sneppp__act(&unit, (double)z[i], &s), e;
      if (act == SNEPPP_ACT_ERF) { /* the plain slope has the rounding of z^2 in it, up to 25 ulp at z = 5 */
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
#ifdef __MINGW32__ /* the sines to compare with are off by |x| 2^-14 ulp themselves, see test_special.c */
   const double own = 1.0 / 16384;
#else
   const double own = 0;
#endif
   double a, b;
   vector_worst(SNEPPP_ACT_COS, 0, 0, 10, 0.999, &a, &b);
   ASSERT(a <= 1.5 && b <= 1.5);
   vector_worst(SNEPPP_ACT_SIN, 0, 0, 1e5, 0.999, &a, &b);
   ASSERT(a <= 1.5 + 1e5 * own && b <= 1.5 + 1e5 * own);
   vector_worst(SNEPPP_ACT_SIN, 0, 0, 0.78, 0, &a, &b); /* relative: small arguments keep their digits */
   ASSERT(a <= 1.5 && b <= 1.5);
   vector_worst(SNEPPP_ACT_COS, 0, 0, 3e6, 0.999, &a, &b); /* partly beyond the reduction: libm */
   ASSERT(a <= 1.5 + 3e6 * own && b <= 1.5 + 3e6 * own);
   vector_worst(SNEPPP_ACT_COS, 0, 0, 1e14, 0.999, &a, &b); /* far beyond it */
   ASSERT(a <= 1.5 + 1e14 * own && b <= 1.5 + 1e14 * own);
   vector_worst(SNEPPP_ACT_GABOR_SIN, 1e-30, 1, 1e14, 0.999, &a, &b);
   ASSERT(a <= 3 + 1e14 * own && b <= 4 + 1e14 * own);
   vector_worst(SNEPPP_ACT_SNAKE, 0.7, 0, 5, 5, &a, &b);
   ASSERT(a <= 3 && b <= 3);
   vector_worst(SNEPPP_ACT_COSMIDENT, 0.7, 0, 5, 5, &a, &b);
   ASSERT(a <= 3 && b <= 3);
   PASS();
}

TEST vector_exponentials(void)
{
   double a, b, top = sizeof(sneppp_real) == sizeof(float) ? 88 : 709;
   vector_worst(SNEPPP_ACT_EXP, 0, 0, top, 0, &a, &b);
   ASSERT(a <= 1.5 && b <= 1.5);
   vector_worst(SNEPPP_ACT_BELL, 0.5, 0, 3, 0.999, &a, &b);
   ASSERT(a <= 2.5 && b <= 3);
   vector_worst(SNEPPP_ACT_GABOR_SIN, 0.5, 3.0, 4, 2.9, &a, &b);
   ASSERT(a <= 3 && b <= 4);
   vector_worst(SNEPPP_ACT_GABOR_COS, 0.5, 3.0, 4, 2.9, &a, &b);
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
   vector_worst(SNEPPP_ACT_ERF, 0, 0, 5, 0, &a, &b);
   ASSERT(a <= 2.5 && b <= 4 + loose * 25);
   vector_worst(SNEPPP_ACT_PHI, 0, 0, deep, 0, &a, &b); /* relative, in the lower tail too */
   ASSERT(a <= 8 + loose * deep * deep && b <= 8 + loose * deep * deep); /* the plain functions have 2 ulp of their own */
   vector_worst(SNEPPP_ACT_GELU, 0, 0, 6, 0.999, &a, &b);
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
#ifdef SNEPPP__VECTOR
   for (size_t i = 0; i < count; i++) x[i] = vector_point(i, count, 2e5);
   if (!sneppp__has_vectors()) PASS();
   sneppp__array_sincos_vectors(count, x, y, z);
   for (size_t i = 0; i < count; i++) ASSERT(fabs(y[i] - sin(x[i])) <= 2.3e-16 && fabs(z[i] - cos(x[i])) <= 2.3e-16);
#endif
   PASS();
}

/* Every length, so that the last vector is cut everywhere; nothing beyond the end is written; in place is the same. */
TEST vector_lengths(void)
{
   static const sneppp_act acts[] = {SNEPPP_ACT_COS, SNEPPP_ACT_EXP, SNEPPP_ACT_PHI, SNEPPP_ACT_RELU, SNEPPP_ACT_LEAKY};
   for (size_t k = 0; k < sizeof acts / sizeof *acts; k++)
      for (size_t count = 0; count < 20; count++) {
         sneppp_real z[24], psi[24], slope[24], alone, d;
         sneppp_unit unit;
         unit.act = acts[k], unit.p = 0.25, unit.q = 0;
         for (size_t i = 0; i < 24; i++) { z[i] = (sneppp_real)((double)i * 0.37 - 3); psi[i] = slope[i] = 77; }
         case_act(&unit, count, z, psi, slope);
         for (size_t i = count; i < 24; i++) ASSERT(psi[i] == 77 && slope[i] == 77);
         for (size_t i = 0; i < count; i++) {
            case_act(&unit, 1, z + i, &alone, &d);
            ASSERT(alone == psi[i] && d == slope[i]);
         }
         case_act(&unit, count, z, z, NULL);
         for (size_t i = 0; i < count; i++) ASSERT(z[i] == psi[i]);
      }
   PASS();
}

/* NaN and infinities go through without harm to their neighbours. Made from bits, which -ffast-math leaves alone. */
TEST vector_not_finite(void)
{
   static const sneppp_act acts[] = {SNEPPP_ACT_COS, SNEPPP_ACT_SIN, SNEPPP_ACT_EXP, SNEPPP_ACT_ERF, SNEPPP_ACT_PHI, SNEPPP_ACT_GELU, SNEPPP_ACT_BELL, SNEPPP_ACT_RELU};
   for (size_t k = 0; k < sizeof acts / sizeof *acts; k++) {
      sneppp_real z[9], psi[9], slope[9], want, d;
      sneppp_unit unit;
      unit.act = acts[k], unit.p = 0.5, unit.q = 0;
      for (size_t i = 0; i < 9; i++) z[i] = (sneppp_real)((double)i * 0.3);
      z[1] = (sneppp_real)sneppp__nan();
      z[3] = (sneppp_real)sneppp__minus_infinity();
      case_act(&unit, 9, z, psi, slope);
      for (size_t i = 0; i < 9; i++) {
         if (i == 1 || i == 3) continue;
         case_act(&unit, 1, z + i, &want, &d);
         ASSERT(psi[i] == want && slope[i] == d);
      }
   }
   PASS();
}

/* Products of which the lower triangle is made are the products of gemm. */
TEST vector_lower_products(void)
{
   enum { most = 301, rows = 70 };
   static sneppp_real A[rows * most], C[most * most], want[most * most];
   static const size_t sizes[] = {3, 16, 31, 193, 200, most};
   sneppp_rng rng;
   sneppp_rng_init(&rng, 4, 0);
   for (size_t i = 0; i < rows * most; i++) A[i] = (sneppp_real)sneppp_rng_normal(&rng);
   for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      size_t m = sizes[s] < (size_t)rows ? sizes[s] : (size_t)rows;
      double tolerance = (sizeof(sneppp_real) == sizeof(float) ? 1e-4 : 1e-12);
      for (int beta = 0; beta < 2; beta++) { /* the sum of a chunk, and one more chunk beside it */
         sneppp__gemm(1, 0, m, m, m, 1, A, m, A, m, (sneppp_real)beta, want, m);
         sneppp__syrk_add(m, m, A, m, (sneppp_real)beta, C);
         for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j <= i; j++) ASSERT_IN_RANGE((double)want[i * m + j], (double)C[i * m + j], tolerance);
      }
   }
   PASS();
}

/* Rows of waves against libm, for lengths that are not whole vectors; a huge argument sends a layer the
   slow way, and is right there. */
TEST vector_rows(void)
{
   enum { n = 37 };
   sneppp_real psi[n], u = (sneppp_real)0.3;
   double      tolerance = sizeof(sneppp_real) == sizeof(float) ? 2e-6 : 1e-14;
   for (int dim = 1; dim <= 5; dim++)
      for (int sine = 0; sine < 2; sine++)
         for (int huge = 0; huge < 2; huge++) {
            sneppp_desc  d;
            sneppp_model m;
            sneppp_error err;
            sneppp_real  at[5] = {u, u, u, u, u};
            memset(&d, 0, sizeof d);
            d.width = n, d.factor[0].window.dim = dim, d.factor[0].unit.act = sine ? SNEPPP_ACT_SIN : SNEPPP_ACT_COS;
            for (int r = 0; r < dim; r++) d.factor[0].window.hi[r] = 1;
            ASSERT_EQm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err));
            if (huge) m.layer[0].b[n / 2] = (sneppp_real)3e5;
            ASSERT_EQ(SNEPPP_OK, sneppp_features(&m, at, psi, &err));
            for (int i = 0; i < n; i++) {
               double z = (double)m.layer[0].b[i];
               for (int r = 0; r < dim; r++) z += (double)(m.layer[0].W[i * dim + r] * ((u - (sneppp_real)m.layer[0].shift[r]) * (sneppp_real)m.layer[0].rate[r]));
               if (huge && i == n / 2) z = (double)(sneppp_real)z;
               ASSERT_IN_RANGE(sine ? sin(z) : cos(z), (double)psi[i], huge && i == n / 2 ? (sizeof(sneppp_real) == sizeof(float) ? 0.05 : 1e-9) : 40 * tolerance);
            }
            sneppp_free(&m);
         }
   PASS();
}

/* Sums, products and pulls of rows against their definitions, for every length up to a few vectors; what lies behind the
   end is not written. Small whole numbers, so that every order of summing gives the same bits. */
TEST vector_sums_of_rows(void)
{
   enum { most = 37, B = 7, D = 6 };
   static sneppp_real x[B * most], y[B * most], z[B * most], out[4 * most + 1], t[B * D], dz[B * most];
   static sneppp_real W[D * most], R[D * most], all[20 * most + 1];
   static double      lx[most], ly[most], lout[most + 1], db[most + 1], dW[D * most + 1];
   for (int i = 0; i < B * most; i++) {
      x[i] = (sneppp_real)(i * 7 % 11 - 5), y[i] = (sneppp_real)(i * 5 % 13 - 6), z[i] = (sneppp_real)(i * 3 % 7 - 3);
      if (i < most) lx[i] = (double)x[i], ly[i] = (double)y[i];
      if (i < D * most) W[i] = (sneppp_real)(i * 4 % 9 - 4), R[i] = (sneppp_real)(i % 4) / 2;
      if (i < B * D) t[i] = (sneppp_real)(i * 2 % 7 - 3);
   }
   for (size_t n = 1; n <= most; n++) {
      double dot = 0;
      for (size_t i = 0; i < n; i++) dot += lx[i] * ly[i];
      ASSERT_EQ(dot, sneppp__real_dot(n, x, y));
      ASSERT_EQ(dot, sneppp__long_dot(n, lx, ly));
      for (int both = 0; both < 2; both++) {
         out[n] = 99, lout[n] = 99;
         sneppp__real_product(n, -3, x, both ? y : NULL, out);
         sneppp__long_product(n, -3, lx, both ? ly : NULL, lout);
         for (size_t i = 0; i < n; i++) {
            ASSERT_EQ(-3 * lx[i] * (both ? ly[i] : 1), (double)out[i]);
            ASSERT_EQ(-3 * lx[i] * (both ? ly[i] : 1), lout[i]);
         }
         ASSERT(out[n] == 99 && lout[n] == 99);
      }
      for (size_t i = 0; i < n; i++) lout[i] = (double)i;
      sneppp__long_add(n, 2, lx, lout);
      sneppp__join(n, -5, y, lout);
      for (size_t i = 0; i < n; i++) ASSERT_EQ((double)i + 2 * lx[i] - 5 * ly[i], lout[i]);
      ASSERT_EQ(99, lout[n]);
      for (size_t d = 1; d <= D; d++)
         for (int radial = 0; radial < 2; radial++) {
            sneppp__units u; /* z itself, as the first power of it, at all points of t */
            memset(&u, 0, sizeof u);
            u.unit.act = SNEPPP_ACT_MONOMIAL, u.unit.p = 1;
            u.count = u.n = n, u.d = d, u.ld = most, u.B = D * B / d < 20 ? D * B / d : 20;
            u.W = W, u.R = radial ? R : NULL, u.b = y, u.T = t, u.psi = all;
            all[u.B * n] = 99;
            sneppp__units_features(&u);
            for (size_t at = 0; at < u.B * n; at++) {
               size_t i = at % n;
               double v = radial ? 0 : ly[i];
               for (size_t r = 0; r < d; r++) {
                  double x_r = (double)t[at / n * d + r], e = (x_r - (double)W[r * most + i]) * (double)R[r * most + i];
                  v += radial ? -e * e / 2 : (double)W[r * most + i] * x_r;
               }
               ASSERT_EQ(v, (double)all[at]);
            }
            ASSERT_EQ(99, (double)all[u.B * n]);
         }
      for (size_t rows = 1; rows <= B; rows++) {
         for (size_t d = 1; d <= D; d++)
            for (int other = 0; other < 2; other++) {
               for (size_t i = 0; i < n * d; i++) dW[i] = (double)i;
               for (size_t i = 0; i < n; i++) db[i] = -(double)i;
               db[n] = dW[n * d] = 99;
               sneppp__pull_rows(rows, n, d, t, x, other ? z : NULL, y, dz, t, db, dW);
               for (size_t i = 0; i < n; i++)
                  for (size_t r = 0; r <= d; r++) {
                     double sum = r ? (double)(i * d + r - 1) : -(double)i;
                     for (size_t k = 0; k < rows; k++) {
                        size_t at = k * n + i;
                        sum += (double)(t[k] * x[at] * y[at] * (other ? z[at] : 1)) * (r ? (double)t[k * d + r - 1] : 1);
                     }
                     ASSERT_EQ(sum, r ? dW[i * d + r - 1] : db[i]);
                  }
               ASSERT(db[n] == 99 && dW[n * d] == 99);
            }
      }
   }
   PASS();
}

/* Sums of A'A over chunks, in the lower triangle. */
TEST vector_sums_of_squares(void)
{
   enum { most = 150, k = 40 };
   static sneppp_real A[k * most], C[most * most];
   for (int i = 0; i < k * most; i++) A[i] = (sneppp_real)(i * 7 % 11 - 5);
   for (size_t n = 1; n <= most; n += n < 20 ? 3 : 64)
      for (int beta = 0; beta < 3; beta++) {
         for (size_t i = 0; i < n * n; i++) C[i] = (sneppp_real)(i % 5);
         sneppp__syrk_add(n, k, A, most, (sneppp_real)beta, C);
         for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) {
               double sum = beta * (double)((i * n + j) % 5);
               for (size_t r = 0; r < k; r++) sum += (double)(A[r * most + i] * A[r * most + j]);
               ASSERT_EQ(sum, (double)C[i * n + j]);
            }
      }
   PASS();
}

SUITE(vector)
{
   RUN_TEST(vector_sums_of_rows);
   RUN_TEST(vector_sums_of_squares);
   RUN_TEST(vector_circular_functions);
   RUN_TEST(vector_exponentials);
   RUN_TEST(vector_error_function);
   RUN_TEST(vector_long_functions);
   RUN_TEST(vector_lengths);
   RUN_TEST(vector_not_finite);
   RUN_TEST(vector_lower_products);
   RUN_TEST(vector_rows);
}
