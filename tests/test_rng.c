/* Random numbers: bits against a second implementation (rng_golden.py), distributions against exact ones. Seeds are
   fixed, so a test that passes once passes always. A level of 1e-3 per test would make one of a thousand correct
   generators fail; the limits below are at that level. */
#include "rng_golden.h"

#if !defined(__FAST_MATH__) && !defined(__FMA__) && !defined(__ARM_FEATURE_FMA) && !defined(__FP_FAST_FMA) && !defined(__i386__)
#define RNG_EXACT_FLOATS 1 /* nothing may be fused or reordered: also computed variates have the same bits; but the 32-bit
                              libm of x86 computes log and pow in the old unit of 80 bits, with other last places */
#else
#define RNG_EXACT_FLOATS 0
#endif

static uint64_t rng_fold(uint64_t h, uint64_t w) { return (h ^ w) * 0x100000001B3u; }

static uint64_t rng_fold_double(uint64_t h, double x)
{
   uint64_t u;
   memcpy(&u, &x, sizeof u);
   return rng_fold(h, u);
}

#define RNG_FOLD_START 0xCBF29CE484222325u

TEST rng_philox_known_answers(void)
{
   /* Random123 1.x, tests/kat_vectors, lines "philox4x32 10". */
   static const uint32_t kat[3][10] = {
      {0, 0, 0, 0, 0, 0, 0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u},
      {0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu, 0x408f276du, 0x41c83b0eu,
       0xa20bc7c6u, 0x6d5451fdu},
      {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u, 0xa4093822u, 0x299f31d0u, 0xd16cfe09u, 0x94fdccebu,
       0x5001e420u, 0x24126ea1u}};
   for (int i = 0; i < 3; i++) {
      uint32_t out[4];
      sneppp__philox(kat[i], kat[i] + 4, out);
      ASSERT_EQ(0, memcmp(out, kat[i] + 6, sizeof out));
   }
   PASS();
}

TEST rng_golden_integers(void)
{
   static const uint64_t count[8] = {2, 3, 10, 16, 17, 1000, (uint64_t)1 << 33, UINT64_MAX};
   sneppp_rng            g;
   uint64_t              h = RNG_FOLD_START, w = 0;
   sneppp_rng_init(&g, 42, 7);
   for (int i = 0; i < 1000000; i++) h = rng_fold(h, w = sneppp_rng_next(&g));
   ASSERT(h == RNG_WORDS);
   ASSERT(w == RNG_WORD_999999);
   h = RNG_FOLD_START;
   sneppp_rng_init(&g, 1, 2);
   for (int i = 0; i < 10000; i++) h = rng_fold_double(h, sneppp_rng_uniform(&g));
   ASSERT(h == RNG_UNIFORM);
   h = RNG_FOLD_START;
   for (int j = 0; j < 8; j++)
      for (uint64_t i = 0; i < count[j] && i < 500; i++) h = rng_fold(h, sneppp_rng_permute(i, count[j], 99));
   ASSERT(h == RNG_PERMUTE);
   PASS();
}

/* Floating point only decides about acceptance here, so these bits hold under -ffast-math too. */
TEST rng_golden_variates(void)
{
   static const double   mean[7] = {1e-3, 0.5, 5, 30, 1e3, 1e6, 1e9};
   sneppp_rng            g;
   uint64_t              h = RNG_FOLD_START;
   sneppp_rng_init(&g, 3, 0);
   for (int i = 0; i < 30000; i++) h = rng_fold_double(h, sneppp_rng_normal(&g));
   ASSERT(h == RNG_NORMAL);
   h = RNG_FOLD_START;
   sneppp_rng_init(&g, 3, 1);
   for (int i = 0; i < 30000; i++) h = rng_fold_double(h, sneppp__rng_exponential(&g));
   ASSERT(h == RNG_EXPONENTIAL);
   h = RNG_FOLD_START;
   sneppp_rng_init(&g, 3, 2);
   for (int i = 0; i < 1400; i++) h = rng_fold(h, sneppp_rng_poisson(&g, mean[i % 7]));
   ASSERT(h == RNG_POISSON);
   PASS();
}

TEST rng_golden_computed(void)
{
   static const int    dim[4] = {1, 2, 3, 8};
   sneppp_rng          g;
   uint64_t            h = RNG_FOLD_START;
   double              sum = 0, x[8];
   sneppp_rng_init(&g, 3, 5);
   for (int i = 0, at = 0; i < 4000; i++) {
      sneppp__rng_sphere(&g, dim[i % 4], x);
      for (int k = 0; k < dim[i % 4]; k++, at++) {
         h = rng_fold_double(h, x[k]);
         sum += (at % 7 + 1) * x[k];
      }
   }
   ASSERT(!RNG_EXACT_FLOATS || h == RNG_SPHERE);
   ASSERT_IN_RANGE(RNG_SPHERE_SUM, sum, 1e-9);
   PASS();
}

/* To any draw: an even position is set, an odd one is the next. */
static void rng_seek(sneppp_rng *g, uint64_t position)
{
   g->position = position - position % 2;
   if (position % 2) (void)sneppp_rng_next(g);
}

TEST rng_seek_and_streams(void)
{
   sneppp_rng a, b, zero;
   uint64_t   kept[20];
   memset(&zero, 0, sizeof zero);
   sneppp_rng_init(&a, 0, 0);
   ASSERT(sneppp_rng_next(&zero) == sneppp_rng_next(&a)); /* a zeroed struct is a valid generator */
   sneppp_rng_init(&a, 5, 6);
   for (int i = 0; i < 20; i++) kept[i] = sneppp_rng_next(&a);
   for (int i = 19; i >= 0; i--) {
      rng_seek(&a, (uint64_t)i);
      for (int k = i; k < 20; k++) ASSERT(kept[k] == sneppp_rng_next(&a));
   }
   /* The two halves of seed and stream all matter. */
   for (int i = 0; i < 4; i++) {
      const uint64_t bit = (uint64_t)1 << (i % 2 ? 40 : 0);
      sneppp_rng_init(&b, i < 2 ? 5 ^ bit : 5, i < 2 ? 6 : 6 ^ bit);
      for (int k = 0; k < 20; k++) ASSERT(kept[k] != sneppp_rng_next(&b));
   }
   sneppp_rng_init(&a, 42, (uint64_t)1 << 40 | 3);
   rng_seek(&a, 2 * (((uint64_t)1 << 61) + 5) + 1);
   ASSERT(sneppp_rng_next(&a) == RNG_FAR);
   rng_seek(&a, UINT64_MAX); /* the end of a stream is followed by its start */
   (void)sneppp_rng_next(&a);
   sneppp_rng_init(&b, 42, (uint64_t)1 << 40 | 3);
   ASSERT(sneppp_rng_next(&a) == sneppp_rng_next(&b));
   PASS();
}

/* The boxes of a ziggurat have one area, and so has the base with its tail. */
TEST rng_ziggurat_tables(void)
{
   for (int which = 0; which < 2; which++) {
      const double *x = which ? sneppp__zig_exponential : sneppp__zig_normal;
      double        f[129], v;
      for (int i = 0; i < 129; i++) f[i] = which ? exp(-x[i]) : exp(-0.5 * x[i] * x[i]);
      v = x[0] * f[1];
      ASSERT_IN_RANGE(v, x[1] * f[1] + (which ? f[1] : sqrt(SNEPPP__PI / 2) * erfc(x[1] / SNEPPP__SQRT2)), 1e-16);
      for (int i = 1; i < 128; i++) ASSERT_IN_RANGE(v, x[i] * (f[i + 1] - f[i]), 4e-16);
      ASSERT(x[128] == 0);
   }
   PASS();
}

TEST rng_log_probabilities(void)
{
   for (size_t i = 0; i < sizeof rng_log_poisson / sizeof *rng_log_poisson; i++) {
      const double *r = rng_log_poisson[i];
      ASSERT_IN_RANGE(r[2], sneppp__rng_log_poisson(r[0], r[1]), 4e-15 * (1 + fabs(r[2])));
   }
   PASS();
}

/* ---- distributions */

static int rng_compare(const void *a, const void *b)
{
   const double x = *(const double *)a, y = *(const double *)b;
   return (x > y) - (x < y);
}

/* sqrt(n) times the Kolmogorov-Smirnov distance of x from uniformity on [0, 1]. */
static double rng_ks(double *x, size_t n)
{
   double worst = 0;
   qsort(x, n, sizeof *x, rng_compare);
   for (size_t i = 0; i < n; i++) {
      const double low = x[i] - (double)i / (double)n, high = (double)(i + 1) / (double)n - x[i];
      if (low > worst) worst = low;
      if (high > worst) worst = high;
   }
   return worst * sqrt((double)n);
}
#define RNG_KS_LIMIT 1.95 /* exceeded with probability 2 exp(-2 1.95^2) = 1e-3 */

/* A chi-square value with df degrees of freedom as a standard normal (Wilson and Hilferty 1931). */
static double rng_chi_z(double chi, double df)
{
   const double s = 2 / (9 * df);
   return (cbrt(chi / df) - (1 - s)) / sqrt(s);
}
#define RNG_CHI_LIMIT 3.3

/* which: 0 uniform, 1 normal, 2 exponential. */
static double rng_ks_of(int which, size_t n, uint64_t stream)
{
   double    *u = (double *)malloc(n * sizeof *u), d;
   sneppp_rng g;
   sneppp_rng_init(&g, 2024, stream);
   for (size_t i = 0; u && i < n; i++) {
      switch (which) {
         case 0: u[i] = sneppp_rng_uniform(&g); break;
         case 1: u[i] = 0.5 * erfc(-sneppp_rng_normal(&g) / SNEPPP__SQRT2); break;
         default: u[i] = -expm1(-sneppp__rng_exponential(&g)); break;
      }
   }
   d = u ? rng_ks(u, n) : 1e9;
   free(u);
   return d;
}

TEST rng_continuous(void)
{
   for (uint64_t s = 0; s < 4; s++) {
      ASSERT(rng_ks_of(0, 50000, s) < RNG_KS_LIMIT);
      ASSERT(rng_ks_of(1, 50000, s) < RNG_KS_LIMIT);
      ASSERT(rng_ks_of(2, 50000, s) < RNG_KS_LIMIT);
   }
   PASS();
}

/* Tails of normal and exponential, beyond the bodies of the ziggurats. */
TEST rng_tails(void)
{
   const double rn = sneppp__zig_normal[1], re = sneppp__zig_exponential[1], n = 4e6;
   double       pn = erfc(rn / SNEPPP__SQRT2), pe = exp(-re), far = erfc(4.2 / SNEPPP__SQRT2), twice = exp(-re - 1);
   int          cn = 0, ce = 0, cfar = 0, ctwice = 0, positive = 0;
   sneppp_rng   g;
   sneppp_rng_init(&g, 77, 0);
   for (int i = 0; i < (int)n; i++) {
      const double z = sneppp_rng_normal(&g), e = sneppp__rng_exponential(&g);
      cn += fabs(z) > rn;
      cfar += fabs(z) > 4.2;
      positive += z > 0;
      ce += e > re;
      ctwice += e > re + 1;
   }
   ASSERT_IN_RANGE(n * pn, cn, 3.3 * sqrt(n * pn));
   ASSERT_IN_RANGE(n * far, cfar, 3.3 * sqrt(n * far));
   ASSERT_IN_RANGE(n * pe, ce, 3.3 * sqrt(n * pe));
   ASSERT_IN_RANGE(n * twice, ctwice, 3.3 * sqrt(n * twice));
   ASSERT_IN_RANGE(n / 2, positive, 3.3 * sqrt(n / 4));
   PASS();
}

/* The chi-square of `draws` counts against the exact probabilities of a Poisson law, in about forty bins, as a standard
   normal. The probabilities come from their ratios, f(k+1)/f(k) = mean/(k+1), starting at the mode, over +-10 standard
   deviations; nothing is shared with the generator. */
static double rng_discrete(double mean, int draws, uint64_t stream)
{
   const double sd = sqrt(mean);
   const double low = floor(mean - 10 * sd - 10) > 0 ? floor(mean - 10 * sd - 10) : 0;
   const double high = floor(mean + 10 * sd + 20);
   double       total = 0, cumulative = 0, chi = 0, in_bin[64], seen[64];
   size_t       count, mode;
   double      *f;
   int         *bin, bins = 0;
   sneppp_rng   g;
   count = (size_t)(high - low) + 1;
   mode = (size_t)(floor(mean) - low);
   f = (double *)malloc(count * sizeof *f);
   bin = (int *)malloc(count * sizeof *bin);
   f[mode] = 1;
   for (size_t i = mode; i + 1 < count; i++) {
      const double k = low + (double)i;
      f[i + 1] = f[i] * mean / (k + 1);
   }
   for (size_t i = mode; i > 0; i--) {
      const double k = low + (double)i;
      f[i - 1] = f[i] * k / mean;
   }
   for (size_t i = 0; i < count; i++) total += f[i];
   for (int b = 0; b < 64; b++) in_bin[b] = seen[b] = 0;
   for (size_t i = 0; i < count; i++) { /* a bin ends when it holds 1/40, unless too little is left for another */
      bin[i] = bins;
      in_bin[bins] += f[i] / total;
      cumulative += f[i] / total;
      if (in_bin[bins] >= 0.025 && (1 - cumulative) * draws > 10) bins++;
   }
   sneppp_rng_init(&g, 31, stream);
   for (int i = 0; i < draws; i++) {
      const double k = (double)sneppp_rng_poisson(&g, mean);
      if (k < low || k > high) { chi += 1e9; continue; }
      seen[bin[(size_t)(k - low)]]++;
   }
   for (int b = 0; b <= bins; b++) {
      const double expected = draws * in_bin[b];
      chi += (seen[b] - expected) * (seen[b] - expected) / expected;
   }
   free(f);
   free(bin);
   return bins ? rng_chi_z(chi, bins) : 1e9;
}

TEST rng_poisson_distribution(void)
{
   static const double mean[14] = {1e-3, 0.01, 0.5, 1, 5, 9.99, 10, 11.5, 30, 200.25, 1e3, 1e6, 1e8, 1e9};
   for (int i = 0; i < 14; i++) ASSERT(rng_discrete(mean[i], 200000, (uint64_t)i) < RNG_CHI_LIMIT);
   PASS();
}

/* Means that are drawn in parts: too wide for a table, but normal to many digits. */
TEST rng_counts_huge(void)
{
   static double u[2000];
   sneppp_rng    g;
   const double  mean = 3e16;
   sneppp_rng_init(&g, 12, 0);
   for (int i = 0; i < 2000; i++) {
      const double k = (double)(int64_t)(sneppp_rng_poisson(&g, mean) - (uint64_t)mean);
      u[i] = 0.5 * erfc(-k / sqrt(2 * mean));
   }
   ASSERT(rng_ks(u, 2000) < RNG_KS_LIMIT);
   PASS();
}

TEST rng_moments(void)
{
   /* Mean and variance within 4 standard errors; the fourth central moments give those of the variance. */
   const int  n = 400000;
   sneppp_rng g;
   double     m[4][2];
   double     mean[4] = {0.5, 0, 1, 30}, var[4] = {1.0 / 12, 1, 1, 30};
   double     fourth[4] = {1.0 / 80, 3, 9, 30 + 3 * 900};
   memset(m, 0, sizeof m);
   sneppp_rng_init(&g, 4, 4);
   for (int i = 0; i < n; i++) {
      double x[4];
      x[0] = sneppp_rng_uniform(&g);
      x[1] = sneppp_rng_normal(&g);
      x[2] = sneppp__rng_exponential(&g);
      x[3] = (double)sneppp_rng_poisson(&g, 30);
      for (int k = 0; k < 4; k++) {
         m[k][0] += x[k] - mean[k];
         m[k][1] += (x[k] - mean[k]) * (x[k] - mean[k]);
      }
   }
   for (int k = 0; k < 4; k++) {
      ASSERT_IN_RANGE(0, m[k][0] / n, 4 * sqrt(var[k] / n));
      ASSERT_IN_RANGE(var[k], m[k][1] / n, 4 * sqrt((fourth[k] - var[k] * var[k]) / n));
   }
   PASS();
}

/* On the circle the angle is uniform, on S^2 each coordinate (Archimedes), on S^3 the coordinate has distribution
   1/2 + (x sqrt(1-x^2) + asin x)/pi. In every dimension E x_i x_j = delta_ij / d. */
TEST rng_sphere_uniform(void)
{
   static double u[3][20000];
   static const int dims[6] = {1, 2, 3, 4, 7, 40};
   sneppp_rng    g;
   double        x[40], plus = 0;
   sneppp_rng_init(&g, 6, 0);
   for (int i = 0; i < 20000; i++) {
      sneppp__rng_sphere(&g, 2, x);
      u[0][i] = atan2(x[1], x[0]) / (2 * SNEPPP__PI) + 0.5;
      sneppp__rng_sphere(&g, 3, x);
      u[1][i] = 0.5 + x[i % 3] / 2;
      sneppp__rng_sphere(&g, 4, x);
      u[2][i] = 0.5 + (x[i % 4] * sqrt(1 - x[i % 4] * x[i % 4]) + asin(x[i % 4])) / SNEPPP__PI;
      sneppp__rng_sphere(&g, 1, x);
      ASSERT(fabs(x[0]) == 1);
      plus += x[0] > 0;
   }
   for (int k = 0; k < 3; k++) ASSERT(rng_ks(u[k], 20000) < RNG_KS_LIMIT);
   ASSERT_IN_RANGE(10000, plus, 3.3 * sqrt(5000.0));
   for (int k = 0; k < 6; k++) {
      const int d = dims[k], n = 20000;
      double    square = 0, product = 0;
      for (int i = 0; i < n; i++) {
         double norm = 0;
         sneppp__rng_sphere(&g, d, x);
         for (int j = 0; j < d; j++) norm += x[j] * x[j];
         ASSERT_IN_RANGE(1, norm, 1e-14);
         square += x[d - 1] * x[d - 1];
         product += d > 1 ? x[0] * x[d - 1] : 0;
      }
      /* var x^2 = 2 (d-1) / (d^2 (d+2)), var x y = 1 / (d (d+2)) */
      ASSERT_IN_RANGE(1.0 / d, square / n, 1e-12 + 4 * sqrt(2.0 * (d - 1) / (d * d * (d + 2.0)) / n));
      ASSERT_IN_RANGE(0, product / n, 4 / sqrt(d * (d + 2.0) * n));
   }
   PASS();
}

TEST rng_below_unbiased(void)
{
   static const uint64_t n[4] = {2, 3, 10, 97};
   sneppp_rng            g;
   int                   low = 0;
   sneppp_rng_init(&g, 9, 9);
   for (int k = 0; k < 4; k++) {
      double seen[97], chi = 0, expected = 100000.0 / (double)n[k];
      for (int i = 0; i < 97; i++) seen[i] = 0;
      for (int i = 0; i < 100000; i++) {
         const uint64_t r = sneppp_rng_below(&g, n[k]);
         ASSERT(r < n[k]);
         seen[r]++;
      }
      for (uint64_t i = 0; i < n[k]; i++) chi += (seen[i] - expected) * (seen[i] - expected) / expected;
      ASSERT(rng_chi_z(chi, (double)(n[k] - 1)) < RNG_CHI_LIMIT);
   }
   /* Three quarters of 2^64: a plain remainder would put two thirds of the mass into the lower third. */
   for (int i = 0; i < 30000; i++) {
      const uint64_t third = (uint64_t)1 << 62, r = sneppp_rng_below(&g, 3 * third);
      ASSERT(r < 3 * third);
      low += r < third;
   }
   ASSERT_IN_RANGE(10000, low, 3.3 * sqrt(30000 * 2.0 / 9));
   for (int i = 0; i < 100; i++) {
      ASSERT(sneppp_rng_below(&g, 0) == 0);
      ASSERT(sneppp_rng_below(&g, 1) == 0);
      ASSERT(sneppp_rng_below(&g, UINT64_MAX) < UINT64_MAX);
   }
   PASS();
}

TEST rng_permute_is_permutation(void)
{
   static unsigned char seen[5000];
   static const size_t  count[14] = {1, 2, 3, 4, 5, 8, 16, 17, 32, 33, 64, 1000, 4096, 4097};
   for (int k = 0; k < 14; k++)
      for (uint64_t key = 0; key < 5; key++) {
         memset(seen, 0, sizeof seen);
         for (size_t i = 0; i < count[k]; i++) {
            const uint64_t j = sneppp_rng_permute(i, count[k], key);
            ASSERT(j < count[k]);
            ASSERT(!seen[j]);
            seen[j] = 1;
         }
      }
   ASSERT(sneppp_rng_permute(5, 0, 1) == 5);
   ASSERT(sneppp_rng_permute(0, 1, 1) == 0);
   ASSERT(sneppp_rng_permute(10, 10, 1) == 10);
   PASS();
}

/* Over the keys, all count! orders are equally likely (count = 2..6), and so are all pairs of places (count = 17, 20,
   65); in long permutations the place of an index, and the distance of neighbours, are uniform. */
TEST rng_permute_is_random(void)
{
   static double u[20000], v[20000];
   for (int count = 2; count <= 6; count++) {
      double seen[720], chi = 0, expected;
      int    orders = 1;
      for (int i = 2; i <= count; i++) orders *= i;
      expected = 100000.0 / orders;
      for (int i = 0; i < 720; i++) seen[i] = 0;
      for (uint64_t key = 0; key < 100000; key++) {
         int rank = 0, at[6];
         for (int i = 0; i < count; i++) {
            int smaller = 0;
            at[i] = (int)sneppp_rng_permute((uint64_t)i, (uint64_t)count, key);
            for (int j = 0; j < i; j++) smaller += at[j] < at[i];
            rank = rank * (i + 1) + smaller;
         }
         seen[rank]++;
      }
      for (int i = 0; i < orders; i++) chi += (seen[i] - expected) * (seen[i] - expected) / expected;
      ASSERT(rng_chi_z(chi, orders - 1) < RNG_CHI_LIMIT);
   }
   for (int k = 0; k < 3; k++) {
      static double  seen[65 * 65];
      const uint64_t n = k == 0 ? 17 : k == 1 ? 20 : 65;
      const double   pairs = (double)(n * (n - 1)), expected = 200000 / pairs;
      double         chi = 0;
      memset(seen, 0, sizeof seen);
      for (uint64_t key = 0; key < 200000; key++)
         seen[sneppp_rng_permute(0, n, key) * n + sneppp_rng_permute(1, n, key)]++;
      for (uint64_t i = 0; i < n * n; i++)
         if (i / n != i % n) chi += (seen[i] - expected) * (seen[i] - expected) / expected;
      ASSERT(rng_chi_z(chi, pairs - 1) < RNG_CHI_LIMIT);
   }
   for (int i = 0; i < 20000; i++) {
      const uint64_t n = 100000000, key = 7;
      const uint64_t a = sneppp_rng_permute((uint64_t)i, n, key), b = sneppp_rng_permute((uint64_t)i + 1, n, key);
      u[i] = ((double)a + 0.5) / (double)n;
      v[i] = ((double)((b + n - a) % n) + 0.5) / (double)n;
   }
   ASSERT(rng_ks(u, 20000) < RNG_KS_LIMIT);
   ASSERT(rng_ks(v, 20000) < RNG_KS_LIMIT);
   PASS();
}

/* Neighbouring draws, streams and seeds: a 16 x 16 table of pairs each, from the top bits and from the bottom bits,
   and the number of equal bits. */
TEST rng_independence(void)
{
   for (int what = 0; what < 3; what++) {
      double top[256], bottom[256], chi_top = 0, chi_bottom = 0, equal = 0;
      const int n = 100000;
      sneppp_rng a, b;
      for (int i = 0; i < 256; i++) top[i] = bottom[i] = 0;
      sneppp_rng_init(&a, 11, 20);
      for (int i = 0; i < n; i++) {
         uint64_t x, y, same;
         if (what > 0) sneppp_rng_init(&a, 11 + (what == 2 ? (uint64_t)i : 0), 20 + (what == 1 ? (uint64_t)i : 0));
         b = a;
         if (what == 0) (void)sneppp_rng_next(&b);
         if (what == 1) b.stream++;
         if (what == 2) b.seed++;
         x = sneppp_rng_next(&a);
         y = sneppp_rng_next(&b);
         top[x >> 60 << 4 | y >> 60]++;
         bottom[(x & 15) << 4 | (y & 15)]++;
         for (same = ~(x ^ y); same; same &= same - 1) equal++;
      }
      for (int i = 0; i < 256; i++) {
         chi_top += (top[i] - n / 256.0) * (top[i] - n / 256.0) / (n / 256.0);
         chi_bottom += (bottom[i] - n / 256.0) * (bottom[i] - n / 256.0) / (n / 256.0);
      }
      ASSERT(rng_chi_z(chi_top, 255) < RNG_CHI_LIMIT);
      ASSERT(rng_chi_z(chi_bottom, 255) < RNG_CHI_LIMIT);
      ASSERT_IN_RANGE(32.0 * n, equal, 3.3 * sqrt(16.0 * n));
   }
   PASS();
}

static double rng_bits(uint64_t u)
{
   double x;
   memcpy(&x, &u, sizeof x);
   return x;
}

TEST rng_odd_parameters(void)
{
   /* NaN, both infinities, negatives and zeros; infinities are made from bits, as -ffast-math has none. */
   const double bad[6] = {rng_bits(0x7ff8000000000000u), rng_bits(0x7ff0000000000000u), rng_bits(0xfff0000000000000u),
                          -1, 0, -1e300};
   sneppp_rng   g;
   sneppp_rng_init(&g, 0, 0);
   for (int i = 0; i < 6; i++) ASSERT(sneppp_rng_poisson(&g, bad[i]) == 0);
   ASSERT(g.position == 0); /* and no draw is spent on them */
   ASSERT(sneppp_rng_poisson(&g, 1e300) == UINT64_MAX);
   ASSERT(sneppp_rng_poisson(&g, 9223372036854775808.0) == UINT64_MAX);
   ASSERT(sneppp_rng_poisson(&g, 9.2e18) > (uint64_t)9000000000000000000u);
   for (int i = 0; i < 1000; i++) ASSERT(sneppp_rng_poisson(&g, 1e-300) == 0);
   PASS();
}

/* The largest uniform, 1 - 2^-53, against probabilities whose rounded sum may stay below it: what is left over belongs to
   no count and is drawn again. The next word is handed in through rng->spare. */
TEST rng_uniform_beyond_the_sum(void)
{
   sneppp_rng g;
   int        again = 0;
   for (int i = 1; i < 400; i++) {
      uint64_t k;
      sneppp_rng_init(&g, (uint64_t)i, 0);
      g.position = 1, g.spare = UINT64_MAX;
      k = sneppp_rng_poisson(&g, i * 0.0249);
      ASSERT(g.position > 2 ? k < 60 : k > 1 && k < 128); /* the far tail, or a fresh draw */
      again += g.position > 2;
   }
   ASSERT(again > 0);
   PASS();
}

SUITE(rng)
{
   RUN_TEST(rng_philox_known_answers);
   RUN_TEST(rng_golden_integers);
   RUN_TEST(rng_golden_variates);
   RUN_TEST(rng_golden_computed);
   RUN_TEST(rng_seek_and_streams);
   RUN_TEST(rng_ziggurat_tables);
   RUN_TEST(rng_log_probabilities);
   RUN_TEST(rng_continuous);
   RUN_TEST(rng_tails);
   RUN_TEST(rng_poisson_distribution);
   RUN_TEST(rng_counts_huge);
   RUN_TEST(rng_moments);
   RUN_TEST(rng_sphere_uniform);
   RUN_TEST(rng_below_unbiased);
   RUN_TEST(rng_permute_is_permutation);
   RUN_TEST(rng_permute_is_random);
   RUN_TEST(rng_independence);
   RUN_TEST(rng_odd_parameters);
   RUN_TEST(rng_uniform_beyond_the_sum);
}
