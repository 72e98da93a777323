/* The permanental process, in the three forms in which the paper compares itself with it: lambda(x) = f(x)^2, where f is
   a Gaussian process on a box with covariance k(x, y) = a exp(-sum_r b_r^2 (x_r - y_r)^2). (Walder and Bishop 2017; Kim,
   Asami and Toda 2022, whose settings are taken where the paper says so.) This is our own code, and a lesson.

   The posterior has density exp(-E(f)), where
      E(f) = |f|_k^2 / 2 + integral f^2 - 2 sum_i log |f(x_i)| = |f|_h^2 / 2 - 2 sum_i log |f(x_i)|,                  (1)
   and h is the covariance whose operator is (k^-1 + 2)^-1: the "equivalent kernel". Its minimum is
      f = 2 sum_j v_j h(., x_j) with 2 v_i (H v)_i = 1, so that f(x_i) = 1 / v_i,                                    (2)
   the point where v'Hv - sum log v_i is least: convex, and solved by Newton's method. Around it f is nearly Gaussian with
   covariance h - h_X' (Z + H)^-1 h_X, Z = diag(1 / (2 v_i^2)), and the evidence, by which a and b are chosen, is
      -sum_i (2 log v_i + 1) - log det(1 + 2 k) / 2 - log det(1 + Z^-1 H) / 2.                                       (3)
   Three ways to h, each by features T that are orthogonal over the box, with squared norms D, for a = 1:
      NAIVE     h = a k - T' size T, where size = 2 a^2 / (1 + 2 a D), and T are the eigenfunctions of k by Gauss-Legendre
                nodes; matrices of all events
      NYSTROM   k from 500 of the events, its integral over the box in closed form (erf);
      RFM       k from 50 random frequencies, cos and sin of each, likewise in closed form: h = T' size T, where
                size = a / (1 + 2 a D)
   T depends on b alone, so that the five a that are tried with each b share it. */
#ifndef SNEPPP_PERMANENTAL_H
#define SNEPPP_PERMANENTAL_H
#include <stddef.h>
#include <stdint.h>

enum { perm_most = 3 }; /* coordinates */
typedef enum perm_form { PERM_NAIVE, PERM_NYSTROM, PERM_RFM } perm_form;

typedef struct perm_desc {
   int           d;
   double        lo[perm_most], hi[perm_most]; /* the box                                                        */
   const double *x;                            /* (count, d) events, the caller's                                */
   size_t        count;
   perm_form     form;
   int           size; /* NAIVE: nodes along an axis, 0 = 24; NYSTROM: points, 0 = 500; RFM: features, 0 = 100   */
   uint64_t      seed; /* which points, which frequencies                                                        */
} perm_desc;

typedef struct perm_fit {
   perm_desc desc;
   double    a, b[perm_most];
   double    evidence, residual; /* (3); largest |2 v_i (H v)_i - 1|                                             */
   int       steps, products;    /* of Newton's method; products with H                                          */
   size_t    raw, rank;          /* raw features: nodes, points or cos and sin; rows of T                        */
   double   *at;                 /* (raw, d) nodes, points or frequencies                                        */
   double   *map;                /* (rank, raw) T(x) = map raw(x)                                                */
   double   *norm;               /* (rank) D, the integrals of T^2 over the box                                  */
   double   *T;                  /* (rank, count) of the events                                                  */
   double   *size;               /* (rank)                                                                       */
   double   *v;                  /* (count)                                                                      */
   double   *H, *L;              /* NAIVE: (count, count); L: Cholesky factor of Z + H, or of 1 + U Z^-1 U', where
                                    U = sqrt(size) T                                                             */
   double   *w;                  /* (rank) the mean of f is w'T; not NAIVE                                       */
} perm_fit;

/* A fit with these parameters. v (count): where to begin, or NULL. Free it. 0: a matrix was not positive. */
int  perm_make(perm_fit *fit, const perm_desc *desc, double a, const double *b, const double *v);
void perm_free(perm_fit *fit);
/* The parameters of Kim et al.: a from the variance of the root of the marginal rates, b = 1 / deviation ... */
void perm_guess(const perm_desc *desc, double *a, double *b);
/* ... and the best, by the evidence, of these times 1/3, 1/2, 1, 2, 3, a and all b apart: 25 fits. */
int  perm_choose(perm_fit *fit, const perm_desc *desc);
/* Mean and variance of f at points (count, d). */
void perm_at(const perm_fit *fit, const double *x, size_t count, double *mean, double *variance);
/* The integral of the mean of f^2 over the box, in closed form; NAIVE: NaN. */
double perm_integral(const perm_fit *fit);
/* The median of f^2, where f^2 is taken for a gamma variable with the mean and the variance that it has. */
double perm_median(double mean, double variance);
/* Gauss and Legendre's nodes and weights on [lo, hi]. */
void perm_legendre(int count, double lo, double hi, double *node, double *weight);
#endif
