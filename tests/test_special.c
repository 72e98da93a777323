/* Tests of >>special and >>integrals: every function against tests/special_table.h, with its worst error in units of the last
   place. The bounds are those stated at the functions, rounded up by a third or so; libm differs between
   systems by a unit. Under -ffast-math sums may be reordered and quotients replaced by reciprocals, so all
   bounds grow. */
#include "special_table.h"
#include <stdio.h>
#include <stdlib.h>

#ifdef __FAST_MATH__
#define SPECIAL_SLACK 2.5
#else
#define SPECIAL_SLACK 1.0
#endif

typedef double (*special_fn)(const double *a);

static double special_ulp(double scale)
{
   int e;
   frexp(scale, &e);
   return ldexp(1.0, e - 53);
}

/* Worst error over the table, in units of the last place of each row's scale. Row: arguments, value, rest,
   scale. */
static double special_worst(const char *name, special_fn f, const double *row, size_t rows, size_t width)
{
   double worst = 0;
   size_t where = 0;
   for (size_t i = 0; i < rows; i++, row += width) {
      const double *v = row + (width - 3);
      double        got = f(row), error = fabs((got - v[0]) - v[1]) / special_ulp(v[2]);
      if (!sneppp__finite(got)) error = 1e300;
      if (error > worst) { worst = error; where = i; }
   }
   if (getenv("SPECIAL_VERBOSE")) {
      const double *r = row - (rows - where) * width;
      printf("%-14s %8.2f ulp at", name, worst);
      for (size_t k = 0; k + 3 < width; k++) printf(" %.17g", r[k]);
      printf(" -> %.17g\n", f(r));
   }
   return worst;
}

#define SPECIAL_CHECK(name, bound)                                                                             \
   ASSERT(special_worst(#name, special_f_##name, &special_##name[0][0],                                        \
                        sizeof special_##name / sizeof special_##name[0],                                      \
                        sizeof special_##name[0] / sizeof(double)) <= (bound)*SPECIAL_SLACK)

#define SPECIAL_FN(name, call)                                                                                 \
   static double special_f_##name(const double *a) { return call; }

SPECIAL_FN(sinc, sneppp__j(3, a[0]))
SPECIAL_FN(log_sinhc, sneppp__log_sinhc(a[0]))
SPECIAL_FN(langevin, sneppp__langevin(a[0]))
SPECIAL_FN(phi, sneppp__phi(a[0]))
SPECIAL_FN(Phi, sneppp__Phi(a[0]))
/* The library has Mills' ratio to the right; to the left it follows from the whole. */
SPECIAL_FN(mills, a[0] >= 0 ? sneppp__mills_right(a[0])
                            : SNEPPP__SQRT_2PI / sneppp__exp_square(a[0], 0.5) - sneppp__mills_right(-a[0]))
SPECIAL_FN(erf_diff, sneppp__erf_diff(a[0], a[1]))
SPECIAL_FN(rect_moment, sneppp__rect_moment((int)a[0], a[1], a[2]))
SPECIAL_FN(owens_t, sneppp__owens_t(a[0], a[1]))
static double special_Z(int d, double kappa) { return sneppp__log_Z(d, kappa, NULL); }
static double special_A(int d, double kappa)
{
   double ratio;
   sneppp__log_Z(d, kappa, &ratio);
   return ratio;
}
SPECIAL_FN(log_Z, special_Z((int)a[0], a[1]))
SPECIAL_FN(bessel_ratio, special_A((int)a[0], a[1]))
SPECIAL_FN(j, sneppp__j((int)a[0], a[1]))
SPECIAL_FN(lgamma, sneppp__lgamma(a[0]))
SPECIAL_FN(digamma, sneppp__digamma(a[0]))
SPECIAL_FN(log_beta, sneppp__log_beta(a[0], a[1]))
SPECIAL_FN(lgamma_diff, sneppp__lgamma_diff(a[0], a[1]))

/* The bivariate normal: columns h, k, rho, s, kappa_j, kappa_i, psi, rest, scale, value, rest, scale. The
   scales contain what the rounding of the kappas alone does to the exact function. */
static void special_bvn_worst(double *value, double *psi)
{
   *value = *psi = 0;
   for (size_t i = 0; i < sizeof special_bvn / sizeof special_bvn[0]; i++) {
      const double *a = special_bvn[i];
      double        p, v = sneppp__bvn(a[0], a[1], a[2], a[3], a[4], a[5], &p);
      double        error = fabs((v - a[9]) - a[10]) / special_ulp(a[11]);
      if (!sneppp__finite(v) || !sneppp__finite(p)) error = 1e300;
      if (error > *value) *value = error;
      error = a[8] > 0 ? fabs((p - a[6]) - a[7]) / special_ulp(a[8]) : p != 0 ? 1e300 : 0;
      if (error > *psi) *psi = error;
   }
   if (getenv("SPECIAL_VERBOSE")) printf("bvn %.2f ulp, psi %.2f ulp\n", *value, *psi);
}

TEST special_quotients(void)
{
#if defined(__MINGW32__)
   /* MinGW's sin is the instruction of the old floating point unit, whose pi has 66 bits: the argument that it reduces
      is wrong by up to |x| 2^-67, which is |x| 2^-14 units in the last place of a sine near 1. */
   for (size_t i = 0; i < sizeof special_sinc / sizeof special_sinc[0]; i++)
      ASSERT(special_worst("sinc", special_f_sinc, &special_sinc[i][0], 1, sizeof special_sinc[0] / sizeof(double)) <=
             (2 + ldexp(fabs(special_sinc[i][0]), -14)) * SPECIAL_SLACK);
#else
   SPECIAL_CHECK(sinc, 2);
#endif
   SPECIAL_CHECK(log_sinhc, 4);
   SPECIAL_CHECK(langevin, 4);
   ASSERT_EQ(0.0, sneppp__log_sinhc(0));
   ASSERT_EQ(0.0, sneppp__langevin(0));
   PASS();
}

TEST special_normal_tails(void)
{
   SPECIAL_CHECK(phi, 3);
   SPECIAL_CHECK(Phi, 4);
   SPECIAL_CHECK(mills, 4);
   SPECIAL_CHECK(erf_diff, 8);
   SPECIAL_CHECK(rect_moment, 12);
   SPECIAL_CHECK(owens_t, 8);
   PASS();
}

TEST special_bivariate_normal(void)
{
   double value, psi;
   special_bvn_worst(&value, &psi);
   ASSERT(value <= 8 * SPECIAL_SLACK);
   ASSERT(psi <= 6 * SPECIAL_SLACK);
   PASS();
}

/* s = 1e-12 has rho = +-1 in double; to first order in s the mass is known; the terms of
   second order are s(1 + |h|)(1 + |c|) times smaller. */
TEST special_bivariate_normal_degenerate(void)
{
   static const double H[] = {-30, -9, -2, -0.5, 0, 0.25, 1, 3}, C[] = {-20, -5, -1, -0.1, 0, 0.1, 1, 5, 20};
   const double        s = 1e-12;
   for (size_t i = 0; i < sizeof H / sizeof *H; i++) {
      double h = H[i], Phi = sneppp__Phi(h), psi;
      /* s = 0 */
      ASSERT_IN_RANGE(sneppp__Phi(h), sneppp__bvn(h, h + 1, 1, 0, 0, 0, &psi), 1e-15 * Phi);
      ASSERT_IN_RANGE(sneppp__Phi(h - 1), sneppp__bvn(h, h - 1, 1, 0, 0, 0, NULL), 1e-15 * Phi);
      ASSERT_EQ(0.0, sneppp__bvn(h, -h - 1, -1, 0, 0, 0, NULL));
      {
         double band = 0.5 * sneppp__erf_diff((h - 0.01) / SNEPPP__SQRT2, h / SNEPPP__SQRT2);
         ASSERT_IN_RANGE(band, sneppp__bvn(h, -(h - 0.01), -1, 0, 0, 0, NULL), 1e-12 * band);
      }
      for (size_t j = 0; j < sizeof C / sizeof *C; j++) {
         double c = C[j], expect, got;
         /* Y = X + s Z, k = h + s c: the loss against Phi(h) is s phi(h) E(Z - c)_+; kappa_i = -c to first
            order. */
         expect = Phi - s * sneppp__phi(h) * sneppp__rect_moment(1, -c, 1);
         got = sneppp__bvn(h, h + s * c, 1, s, c, -c, NULL);
         ASSERT_IN_RANGE(expect, got, 4 * s * (1 + fabs(h)) * (1 + fabs(c)) * Phi);
         /* Y = -X + s Z, k = -h + s c: the mass is a sliver of width s(c - Z)_+. */
         expect = s * sneppp__phi(h) * sneppp__rect_moment(1, c, 1);
         got = sneppp__bvn(h, -h + s * c, -1, s, c, c, NULL);
         if (expect > 1e-290)
            ASSERT_IN_RANGE(1.0, got / expect, 4 * s * (1 + fabs(h)) * (1 + c * c) + 1e-14 * (1 + h * h + c * c));
      }
   }
   PASS();
}

/* Identities on a grid that no table can cover: the two halves of a half-plane, and exchange of the
   variables. */
TEST special_bivariate_normal_identities(void)
{
   for (int i = 0; i < 4000; i++) {
      double h = -40 + 0.1 * (i % 811), k = -40 + 0.1 * ((i * 37) % 797), rho = cos(0.7853 * i), s;
      double a, b, c, kj, ki, psi, psi2;
      s = fabs(sin(0.7853 * i));
      kj = (k - rho * h) / s;
      ki = (h - rho * k) / s;
      a = sneppp__bvn(h, k, rho, s, kj, ki, &psi);
      b = sneppp__bvn(h, -k, -rho, s, -kj, ki, &psi2);
      c = sneppp__bvn(k, h, rho, s, ki, kj, NULL);
      ASSERT(sneppp__finite(a) && a >= 0 && a <= 1 + 1e-15);
      ASSERT_IN_RANGE(sneppp__Phi(h), a + b, 2e-15 * sneppp__Phi(h) + 1e-300);
      ASSERT_IN_RANGE(a, c, 1e-12 * a + 1e-300);
      ASSERT_IN_RANGE(-psi, psi2, 1e-12 * fabs(psi) + 1e-300);
   }
   PASS();
}

TEST special_bessel_functions(void)
{
   SPECIAL_CHECK(log_Z, 4);
   SPECIAL_CHECK(bessel_ratio, 6);
   SPECIAL_CHECK(j, 18);
   for (int d = 1; d <= 100; d++) {
      ASSERT_EQ(0.0, special_Z(d, 0));
      ASSERT_EQ(0.0, special_A(d, 0));
      ASSERT_EQ(1.0, sneppp__j(d, 0));
      /* No seams: across every change of method the derivative is the ratio; A = kappa/(d + kappa A_{d+2}).
         */
      for (double x = 0.05; x < 1e8; x *= 1.37) {
         double A = special_A(d, x), B = special_A(d + 2, x);
         double up = special_Z(d, x) - special_Z(d + 2, x), f = x * x / (d * (d + 2.0));
         double j0 = sneppp__j(d, x), j2 = sneppp__j(d + 2, x), j4 = sneppp__j(d + 4, x);
         ASSERT(A > 0 && A <= 1);
         ASSERT_IN_RANGE(x, A * (d + x * B), 3e-15 * x);
         ASSERT_IN_RANGE(log1p(x * B / d), up, 2e-15 * (1 + fabs(special_Z(d, x))));
         ASSERT(fabs(j0) <= 1);
         if (fabs(j4) > 1e-250) /* beyond, values underflow */
            ASSERT_IN_RANGE(j0, j2 - f * j4, 1e-14 * (fabs(j0) + fabs(j2) + f * fabs(j4)));
      }
   }
   PASS();
}

TEST special_gamma_functions(void)
{
   SPECIAL_CHECK(lgamma, 4);
   SPECIAL_CHECK(digamma, 3);
   SPECIAL_CHECK(log_beta, 5);
   SPECIAL_CHECK(lgamma_diff, 4);
   ASSERT_EQ(0.0, sneppp__lgamma(1));
   ASSERT_EQ(0.0, sneppp__lgamma(2));
   PASS();
}

/* A rule with n nodes integrates x^m exactly for m < 2n. */
TEST special_gauss_legendre(void)
{
   for (int want = 1; want <= 32; want++) {
      double x[SNEPPP__GAUSS_MAX], w[SNEPPP__GAUSS_MAX];
      int    n = sneppp__gauss_legendre(want, x, w);
      ASSERT(n >= want);
      for (int m = 0; m < 2 * n; m++) {
         double sum = 0;
         for (int i = 0; i < n; i++) sum += w[i] * pow(x[i], (double)m);
         ASSERT_IN_RANGE(m % 2 ? 0.0 : 2.0 / (m + 1), sum, 1e-15);
      }
   }
   PASS();
}

/* The ends of the domains: no infinity, no NaN, and the right limit. */
TEST special_extremes(void)
{
   ASSERT_EQ(0.0, sneppp__Phi(-1e300));
   ASSERT_EQ(1.0, sneppp__Phi(1e300));
   ASSERT_EQ(0.0, sneppp__phi(1e300));
   ASSERT(sneppp__mills_right(1e300) > 0 && sneppp__mills_right(1e300) < 1e-299);
   ASSERT_EQ(0.5, sneppp__rect_moment(0, 0, 0));
   ASSERT_EQ(0.0, sneppp__rect_moment(2, 0, 0));
   ASSERT_EQ(8.0, sneppp__rect_moment(3, 2, 0));
   ASSERT_EQ(0.0, sneppp__rect_moment(3, -2, 0));
   ASSERT_EQ(0.0, sneppp__rect_moment(0, -1e10, 1));
   ASSERT_EQ(0.0, sneppp__owens_t(1e300, 1));
   ASSERT_IN_RANGE(0.25, sneppp__owens_t(0, 1e300), 1e-16);
   ASSERT_IN_RANGE(0.0, sneppp__owens_t(2, 0), 0.0);
   ASSERT_EQ(0.0, sneppp__bvn(-1e200, 0.3, 0.5, sqrt(0.75), 1e199, -1e200, NULL));
   ASSERT_EQ(2.0, sneppp__erf_diff(-1e300, 1e300));
   ASSERT_IN_RANGE(1.0, sneppp__langevin(1e300), 1e-15);
   /* Rectified moments of a high order against the recursion that links them, left of zero. */
   for (double t = 0.01; t < 20; t *= 1.3)
      for (int p = 2; p < 25; p++) {
         double a = sneppp__rect_moment(p - 2, -t, 1), b = sneppp__rect_moment(p - 1, -t, 1);
         double c = sneppp__rect_moment(p, -t, 1);
         ASSERT_IN_RANGE((p - 1) * a, c + t * b, 2e-14 * (p - 1) * a);
      }
   PASS();
}

/* Far to the right: m(x) = integral over u > 0 of exp(-x u - u^2/2), and 1 - x m(x) the same with u in front, in u = v/x by
   Simpson's rule. */
TEST special_far_tails(void)
{
   for (double x = 60; x < 1e9; x *= 1.7) {
      const int n = 20000;
      double    h = 50.0 / n, m = 0, g = 0;
      for (int i = 0; i <= n; i++) {
         double v = i * h, c = i == 0 || i == n ? 1 : i % 2 ? 4 : 2, e = c * exp(-v - v * v / (2 * x * x));
         m += e, g += v * e;
      }
      m *= h / 3, g *= h / 3;
      ASSERT_IN_RANGE(m / x, sneppp__mills_right(x), 1e-12 * m / x);
      ASSERT_IN_RANGE(g / (x * x), sneppp__wedge_right(x), 1e-12 * g / (x * x));
   }
   PASS();
}

/* x - log(1 + x) is the integral of t/(1 + t) from 0 to x, on both sides of where the method changes. */
TEST special_x_minus_log1p(void)
{
   double node[SNEPPP__GAUSS_MAX], weight[SNEPPP__GAUSS_MAX];
   int    n = sneppp__gauss_legendre(32, node, weight);
   ASSERT_EQ(0.0, sneppp__x_minus_log1p(0));
   for (double x = -0.4; x < 4; x += 0.0103) {
      double sum = 0, got = sneppp__x_minus_log1p(x), tiny = 1e-9 * x;
      for (int i = 0; i < n; i++) { double t = 0.5 * x * (1 + node[i]); sum += 0.5 * x * weight[i] * (t / (1 + t)); }
      ASSERT_IN_RANGE(sum, got, 1.5e-15 * SPECIAL_SLACK * sum);
      ASSERT_IN_RANGE(0.5, sneppp__x_minus_log1p(tiny) / (tiny * tiny), 1e-8);
   }
   PASS();
}

SUITE(special)
{
   RUN_TEST(special_quotients);
   RUN_TEST(special_normal_tails);
   RUN_TEST(special_bivariate_normal);
   RUN_TEST(special_bivariate_normal_degenerate);
   RUN_TEST(special_bivariate_normal_identities);
   RUN_TEST(special_bessel_functions);
   RUN_TEST(special_gamma_functions);
   RUN_TEST(special_gauss_legendre);
   RUN_TEST(special_extremes);
   RUN_TEST(special_far_tails);
   RUN_TEST(special_x_minus_log1p);
}
