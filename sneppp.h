/* sneppp.h - v0.1.0 - exact, fast Poisson intensities from squared neural networks - MIT or public domain

   No warranty; use at your own risk. Full licences at the end of the file.

>>manual ======================================================================================================

   WHAT THIS IS
      You have events (trees, fires, earthquakes, clicks) and a window in which all of them were seen. This
      library learns the intensity lambda(x) of a Poisson point process from them: how many events per unit of
      the window to expect around x. The model is a squared two-layer network,

         lambda(x) = alpha |V psi(x)|^2,     psi_i(x) = sigma(w_i . t(x) + b_i),                       (1)

      whose integral over the window is known in closed form,

         Lambda = alpha tr(V'V K),           K_ij = integral psi_i psi_j dmu,                          (2)

      so likelihoods and expected counts are exact, without grid or Monte Carlo. With the hidden layer fixed
      the fit is convex in M = V'V.

   HOW TO COMPILE IT
      In ONE C or C++ file:                      everywhere else:
         #define SNEPPP_IMPLEMENTATION              #include "sneppp.h"
         #include "sneppp.h"
      Link with -lm. Nothing else is needed: a C99 or C++11 compiler and its standard library.

   CONTENTS (search for the marks)
      >>config   build options              >>linalg   gemm, Cholesky, eigenvalues
      >>types    structs and enums          >>special  functions that libm lacks
      >>api      functions by task          >>space    windows: checks, mass, statistics
      >>base     errors, finite tests       >>kernel   the closed forms, one function per row
      >>mem      blocks and carving         >>licence  both licences in full
      >>rng      random numbers
*/
#ifndef SNEPPP_H
#define SNEPPP_H

/* >>config ===================================================================================================
   Every option is a macro, defined before the header is included. Those marked (all) must be the same in every
   file that includes the header; the others matter only where SNEPPP_IMPLEMENTATION is defined.

      SNEPPP_IMPLEMENTATION   create the code in this file
      SNEPPP_STATIC           all functions are static: a private copy for one file
      SNEPPP_REAL_FLOAT (all) sneppp_real is float, and every public function gets the suffix _f32
      SNEPPP_MAX_DIM    (all) most coordinates of one factor (default 16)
      SNEPPP_MAX_FACTORS (all) most factors of a product space (default 4)
      SNEPPP_MALLOC(ctx, n), SNEPPP_FREE(ctx, p)    your allocator; define both or none
      SNEPPP_ASSERT(x)        for our own invariants only; user input never asserts
      SNEPPP_NO_SIMD          portable C only
*/
#include <stddef.h>
#include <stdint.h>

#define SNEPPP_VERSION_MAJOR 0
#define SNEPPP_VERSION_MINOR 1
#define SNEPPP_VERSION_PATCH 0
#define SNEPPP_VERSION (SNEPPP_VERSION_MAJOR * 10000 + SNEPPP_VERSION_MINOR * 100 + SNEPPP_VERSION_PATCH)

#ifndef SNEPPP_MAX_DIM
#define SNEPPP_MAX_DIM 16
#endif
#ifndef SNEPPP_MAX_FACTORS
#define SNEPPP_MAX_FACTORS 4
#endif

#ifdef SNEPPP_STATIC
   #if defined(__GNUC__) || defined(__clang__)
      #define SNEPPP_DEF __attribute__((unused)) static
   #else
      #define SNEPPP_DEF static
   #endif
#else
   #define SNEPPP_DEF extern
#endif

/* Both precisions can be linked into one program: the float build renames every public function, so a file
   that was compiled for the other precision fails to link instead of computing nonsense. */
#ifdef SNEPPP_REAL_FLOAT
   typedef float sneppp_real;
   #define sneppp_version      sneppp_version_f32
   #define sneppp_strerror     sneppp_strerror_f32
   #define sneppp_kernel       sneppp_kernel_f32
   #define sneppp_gram         sneppp_gram_f32
   #define sneppp_gram_log     sneppp_gram_log_f32
   #define sneppp_gram_grad    sneppp_gram_grad_f32
   #define sneppp_moments      sneppp_moments_f32
   #define sneppp_moments_grad sneppp_moments_grad_f32
   #define sneppp_kernel_count sneppp_kernel_count_f32
   #define sneppp_kernel_at    sneppp_kernel_at_f32
   #define sneppp_model_bytes sneppp_model_bytes_f32
   #define sneppp_init sneppp_init_f32
   #define sneppp_free sneppp_free_f32
   #define sneppp_set_layer sneppp_set_layer_f32
   #define sneppp_get_layer sneppp_get_layer_f32
   #define sneppp_set_matrix sneppp_set_matrix_f32
   #define sneppp_get_matrix sneppp_get_matrix_f32
   #define sneppp_intensity sneppp_intensity_f32
   #define sneppp_log_intensity sneppp_log_intensity_f32
   #define sneppp_features sneppp_features_f32
   #define sneppp_intensities sneppp_intensities_f32
   #define sneppp_model_gram sneppp_model_gram_f32
   #define sneppp_count sneppp_count_f32
#else
   typedef double sneppp_real;
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* >>types ====================================================================================================
   Zero means default, everywhere. Letters are those of the paper: N events, d coordinates, n hidden units,
   m rows of V. Every array states its shape; matrices are row-major. Windows, measures and closed forms are
   double in both precisions; models and events are sneppp_real. */

/* ---- errors: 0 is success, everything else is negative. One list makes the enum and the texts. */
#define SNEPPP_STATUS_LIST(X)                                                                                  \
   X(OK,                  0, "ok")                                                                             \
   X(ERR_ARG,            -1, "an argument is not valid")                                                       \
   X(ERR_DATA,           -2, "an event is NaN, infinite or outside the window")                                \
   X(ERR_MEMORY,         -3, "memory could not be had")                                                        \
   X(ERR_SIZE,           -4, "a size is too large")                                                            \
   X(ERR_NO_CLOSED_FORM, -5, "no closed form for this space, activation and region")                           \
   X(ERR_RANGE,          -6, "a value cannot be represented; use the logarithmic form")                        \
   X(ERR_NOT_POSITIVE,   -7, "a matrix is not positive definite")                                              \
   X(ERR_NOT_FINITE,     -8, "a number is NaN or infinite")                                                    \
   X(ERR_NO_CONVERGENCE, -9, "an iteration did not converge")                                                  \
   X(ERR_SOURCE,        -10, "a source of events returned fewer than asked for")                               \
   X(ERR_FORMAT,        -11, "the data are not a valid saved model")                                           \
   X(ERR_IO,            -12, "a file could not be read or written")

typedef enum sneppp_status {
#define SNEPPP__STATUS_ENUM(name, value, text) SNEPPP_##name = value,
   SNEPPP_STATUS_LIST(SNEPPP__STATUS_ENUM)
#undef SNEPPP__STATUS_ENUM
   SNEPPP_STATUS_END = -1000
} sneppp_status;

/* Filled by the call that failed, in words: which field or which event, and the rule that it broke. Every
   function that can fail takes a pointer to one as its last argument; NULL is allowed. */
typedef struct sneppp_error {
   sneppp_status status;
   size_t        event;    /* index of the event that is wrong, if it is an event's fault */
   char          why[192]; /* one sentence, always terminated                             */
} sneppp_error;

/* ---- threads: run job(0..count-1, arg) in any order, on any threads, and return when all are done. The
   results do not depend on how. run == NULL: this thread does everything. */
typedef struct sneppp_parallel {
   void (*run)(void (*job)(size_t index, void *arg), void *arg, size_t count, void *user);
   void *user;
} sneppp_parallel;

/* ---- windows: a set of points x and the base measure mu on it */
typedef enum sneppp_space {
   SNEPPP_BOX = 0,     /* product of [lo, hi], Lebesgue                                              */
   SNEPPP_GAUSS,       /* R^d with a mixture of Gaussians of diagonal covariance                     */
   SNEPPP_SPHERE,      /* unit sphere in R^dim, surface area (or probability)                        */
   SNEPPP_INTERVALS,   /* union of disjoint intervals, Lebesgue; dim 1                               */
   SNEPPP_POLYGON,     /* simple rings in the plane, holes allowed, Lebesgue; dim 2                  */
   SNEPPP_BALL,        /* |x - centre| <= radius, Lebesgue                                           */
   SNEPPP_EUCLID,      /* R^d, Lebesgue                                                              */
   SNEPPP_GAMMA,       /* (0, inf), x^(a-1) exp(-b x) dx, t = (log x, x), param = a, b               */
   SNEPPP_BETA,        /* (0, 1), x^(a-1) (1-x)^(b-1) dx, t = (log x, log(1-x)), param = a, b        */
   SNEPPP_DIRICHLET,   /* simplex in R^dim, prod x_r^(a_r-1), t = log x, param = a_1..a_dim          */
   SNEPPP_POISSON,     /* 0, 1, 2, ... with weights r^x/x!, t = x, param = r                         */
   SNEPPP_BINOMIAL,    /* 0..N with weights binom(N, x), t = x, param = N                            */
   SNEPPP_NEGBINOMIAL, /* 0, 1, 2, ... with weights binom(x+r-1, x), t = x, param = r                */
   SNEPPP_NORMAL,      /* R, Lebesgue, t = (x, x^2)                                                  */
   SNEPPP_VONMISES,    /* angle in [0, 2 pi), Lebesgue, t = (cos x, sin x)                           */
   SNEPPP_FINITE,      /* finitely many weighted points; x is the index                              */
   SNEPPP_SPACE_END
} sneppp_space;

typedef enum sneppp_measure {
   SNEPPP_SURFACE = 0, /* SPHERE: area, 4 pi on S^2 */
   SNEPPP_PROBABILITY  /* SPHERE: total mass 1      */
} sneppp_measure;

typedef struct sneppp_window {
   sneppp_space   space;
   int            dim;                    /* coordinates of one point; required                               */
   double         lo[SNEPPP_MAX_DIM];     /* BOX: lower corner, in your units                                 */
   double         hi[SNEPPP_MAX_DIM];     /* BOX: upper corner, hi > lo                                       */
   double         centre[SNEPPP_MAX_DIM]; /* BALL                                                             */
   double         radius;                 /* BALL                                                             */
   double         param[SNEPPP_MAX_DIM];  /* exponential families, see sneppp_space                           */
   sneppp_measure measure;                /* SPHERE                                                           */
   /* Lists of the caller, read during the call and never kept. */
   size_t         count;                  /* GAUSS: components (0 = one standard normal); INTERVALS; FINITE   */
   const double  *weight;                 /* (count) GAUSS, FINITE; NULL = all 1/count (GAUSS), 1 (FINITE)    */
   const double  *mean;                   /* (count, dim) GAUSS; NULL = 0                                     */
   const double  *scale;                  /* (count, dim) GAUSS standard deviations; NULL = 1                 */
   const double  *ends;                   /* (count, 2) INTERVALS, increasing and disjoint                    */
   const double  *point;                  /* (count, dim) FINITE: the statistics t of each point              */
   size_t         rings;                  /* POLYGON: number of rings; 0 = one ring of count vertices         */
   const size_t  *ring_size;              /* (rings) vertices of each ring; a ring inside another is a hole   */
   const double  *xy;                     /* (sum of ring_size, 2) vertices in order, any orientation         */
} sneppp_window;

/* ---- activations of hidden units; p and q are the fields of sneppp_unit */
typedef enum sneppp_act {
   SNEPPP_ACT_DEFAULT = 0, /* the recommended one for the space                                  */
   SNEPPP_COS,             /* cos z                                                              */
   SNEPPP_SIN,             /* sin z                                                              */
   SNEPPP_SNAKE,           /* z + sin^2(p z)/p                                                   */
   SNEPPP_COSMIDENT,       /* z - cos(2 p z)/(2 p)                                               */
   SNEPPP_EXP,             /* exp z                                                              */
   SNEPPP_ERF,             /* erf z                                                              */
   SNEPPP_PHI,             /* normal cdf of z                                                    */
   SNEPPP_STEP,            /* 1 for z > 0, else 0                                                */
   SNEPPP_RELU,            /* max(z, 0)                                                          */
   SNEPPP_RECT,            /* z^p for z > 0, else 0; p = 0, 1, 2, ...                            */
   SNEPPP_LEAKY,           /* z for z > 0, else p z                                              */
   SNEPPP_GELU,            /* z Phi(z)                                                           */
   SNEPPP_ELU,             /* z for z > 0, else p (exp z - 1)                                    */
   SNEPPP_BELL,            /* exp(-p z^2)                                                        */
   SNEPPP_GABOR_SIN,       /* exp(-p z^2) sin(q z)                                               */
   SNEPPP_GABOR_COS,       /* exp(-p z^2) cos(q z)                                               */
   SNEPPP_MONOMIAL,        /* z^p; p = 0, 1, 2, ...                                              */
   SNEPPP_RBF,             /* prod_r exp(-(x_r - c_r)^2 / (2 l_r^2)), c the weights, l the widths */
   SNEPPP_ONE,             /* 1, whatever the weights: a constant unit                           */
   SNEPPP_ACT_END
} sneppp_act;

typedef struct sneppp_unit {
   sneppp_act act;
   double     p, q; /* parameters of the activation, see sneppp_act */
} sneppp_unit;

typedef struct sneppp_layer { /* psi_i(x) = act_i(w_i . t(x) + b_i), i = 0..n-1 */
   int                n;     /* hidden units                                                             */
   int                d;     /* columns of W: statistics t(x) of the window; 0 = what the window has     */
   sneppp_unit        unit;  /* the activation of all units                                              */
   const sneppp_unit *units; /* (n) or NULL; a mixed layer: one activation each                          */
   const double      *W;     /* (n, d) weights; RBF: centres                                             */
   const double      *b;     /* (n) biases, NULL = all zero                                              */
   const double      *width; /* (n, d) RBF widths                                                        */
} sneppp_layer;

typedef struct sneppp_layer_grad { /* where a pull-back adds; NULL = not wanted */
   double *W;                /* (n, d)           */
   double *b;                /* (n)              */
   double *width;            /* (n, d) RBF       */
   double *weight;           /* (count) GAUSS    */
   double *mean, *scale;     /* (count, d) GAUSS */
} sneppp_layer_grad;

typedef struct sneppp_kernel_info { /* one row of the table of closed forms */
   const char  *name;       /* as in the test vectors: "b_cos"                            */
   sneppp_space space;
   sneppp_act   act_i, act_j; /* act_j == SNEPPP_ONE: a first moment                        */
   const char  *condition;  /* what must hold besides, "" if nothing                      */
   const char  *formula;    /* for people                                                 */
   const char  *source;
   double       slack;      /* allowed multiple of the vectors' own uncertainty           */
} sneppp_kernel_info;

/* ---- events: one realisation of the process, in memory or read by position */
typedef struct sneppp_region { /* a product of windows, one per factor; NULL = all of that factor */
   const sneppp_window *factor[SNEPPP_MAX_FACTORS];
} sneppp_region;

typedef struct sneppp_events {
   const sneppp_real *x;      /* (count, D) coordinates, factor after factor                              */
   size_t             count;  /* events                                                                   */
   size_t             stride; /* reals from one event to the next; 0 = packed                             */
   const sneppp_real *weight; /* (count) or NULL = all 1                                                  */
   /* Instead of x: fill dst with `count` events from number `first` on and return how many were written.
      Reading by position lets fits make passes, shuffle and resume without a rewind. */
   size_t (*read)(sneppp_real *dst, size_t first, size_t count, void *user);
   void                *user;
   const sneppp_region *seen; /* the part of the window that was watched; NULL = all of it                */
} sneppp_events;

/* ---- models */
typedef enum sneppp_mix {     /* how the features of several factors become those of the model             */
   SNEPPP_MIX_PRODUCT = 0,    /* psi = psi_1 o psi_2,        K = K_1 o K_2              (the default)      */
   SNEPPP_MIX_OUTER,          /* psi = psi_1 (x) psi_2,      K = K_1 (x) K_2, n = n_1 n_2                  */
   SNEPPP_MIX_SUM,            /* psi = psi_1 + psi_2,        K from K_1, K_2 and the first moments         */
   SNEPPP_MIX_STACK,          /* psi = (psi_1, psi_2),       n = n_1 + n_2                                 */
   SNEPPP_MIX_JOINT,          /* one layer over all coordinates; Euclidean factors only                    */
   SNEPPP_MIX_ADDITIVE,       /* lambda = |V_1 psi_1|^2 + |V_2 psi_2|^2                                    */
   SNEPPP_MIX_SEPARABLE,      /* lambda = |V_1 psi_1|^2 |V_2 psi_2|^2                                      */
   SNEPPP_MIX_END
} sneppp_mix;

typedef enum sneppp_readout {
   SNEPPP_READOUT_FULL = 0,   /* V is (m, n): lambda = alpha |V psi|^2                                     */
   SNEPPP_READOUT_DIAGONAL,   /* V is diagonal: lambda = alpha sum v_i^2 psi_i^2, O(n) memory              */
   SNEPPP_READOUT_END
} sneppp_readout;

typedef struct sneppp_factor {   /* one factor of the observation space                                    */
   sneppp_window      window;    /* window.dim == 0 ends the list of factors                               */
   sneppp_unit        unit;      /* activation; default: the recommended one for the space                 */
   const sneppp_unit *units;     /* (width) or NULL; a mixed layer                                         */
   int                width;     /* hidden units of this factor; 0 = desc.width                            */
   int                no_bias;   /* 1: biases are 0 and stay 0 (needed by ReLU on spheres beyond S^2)      */
} sneppp_factor;

typedef struct sneppp_desc {     /* what a model is; plain data, may be static const                       */
   int            start_zero;    /* must be 0: catches a struct that was never zeroed                      */
   sneppp_factor  factor[SNEPPP_MAX_FACTORS];
   sneppp_mix     mix;
   sneppp_readout readout;
   int            width;         /* hidden units n of each factor; default 64; for AUTO: the budget        */
   int            rank;          /* rows m of V; 0 = n                                                     */
   double         alpha;         /* scale of the intensity; 0 = events / mass, set when fitted             */
   uint64_t       seed;          /* first layer; 0 = 1, never the clock                                    */
   void          *mem;           /* optional block of sneppp_model_bytes(); malloc is then never called    */
   size_t         mem_bytes;
   void          *alloc_ctx;     /* handed to SNEPPP_MALLOC and SNEPPP_FREE                                */
   int            end_zero;      /* must be 0                                                              */
} sneppp_desc;

/* A factor of a made model. Coordinates are normalised inside, u = (x - shift) * rate, so that weights are of
   order one whatever the user's units are; `inside` is the window in those units and `jacobian` = dx/du. */
typedef struct sneppp_layer_state {
   int          n, d, D;                 /* units, statistics, coordinates                                  */
   int          first;                   /* index of the factor's first coordinate in an event              */
   double       shift[SNEPPP_MAX_DIM], rate[SNEPPP_MAX_DIM];
   double       jacobian;
   sneppp_window inside;                 /* its lists live in the model's block; GAUSS means, scales learn  */
   sneppp_real *W;                       /* (n, d)                                                          */
   sneppp_real *b;                       /* (n)                                                             */
   sneppp_real *width;                   /* (n, d) RBF, else NULL                                           */
   sneppp_unit *units;                   /* (n) mixed layer, else NULL                                      */
} sneppp_layer_state;

typedef struct sneppp_model {            /* transparent; evaluation takes it const                          */
   sneppp_desc        desc;              /* all defaults filled in; windows point into the block            */
   int                factors;
   int                D;                 /* coordinates of one event                                        */
   int                n, m;              /* features; rows of V (DIAGONAL: 1 row, v)                        */
   sneppp_layer_state layer[SNEPPP_MAX_FACTORS];
   sneppp_real       *V;                 /* (m, n), or (n) when diagonal; ADDITIVE, SEPARABLE: V_1, V_2, .. */
   double             alpha;             /* lambda = alpha |V psi|^2 + floor                                */
   double             floor;             /* uniform part, events per unit of the base measure               */
   void              *block;             /* owned memory, NULL when the caller gave it or it lies in flash  */
} sneppp_model;

/* >>api ====================================================================================================== */

SNEPPP_DEF int         sneppp_version(void);
SNEPPP_DEF const char *sneppp_strerror(sneppp_status status);

/* ---- closed forms */
SNEPPP_DEF sneppp_status sneppp_kernel(const sneppp_window *win, const sneppp_layer *layer, int i, int j, double *k, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_gram(const sneppp_window *win, const sneppp_layer *layer, double *K, const sneppp_parallel *par, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_gram_log(const sneppp_window *win, const sneppp_layer *layer, double *logK, const sneppp_parallel *par, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_gram_grad(const sneppp_window *win, const sneppp_layer *layer, const double *G, sneppp_layer_grad *out, const sneppp_parallel *par, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_moments(const sneppp_window *win, const sneppp_layer *layer, double *c, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_moments_grad(const sneppp_window *win, const sneppp_layer *layer, const double *g, sneppp_layer_grad *out, sneppp_error *err);
SNEPPP_DEF size_t                    sneppp_kernel_count(void);
SNEPPP_DEF const sneppp_kernel_info *sneppp_kernel_at(size_t index);

/* ---- make: a zeroed model may always be freed; a model that failed to be made is zeroed */
SNEPPP_DEF size_t        sneppp_model_bytes(const sneppp_desc *desc, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_init(sneppp_model *model, const sneppp_desc *desc, sneppp_error *err);
SNEPPP_DEF void          sneppp_free(sneppp_model *model);
SNEPPP_DEF sneppp_status sneppp_set_layer(sneppp_model *model, int factor, const double *W, const double *b, const double *width, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_get_layer(const sneppp_model *model, int factor, double *W, double *b, double *width, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_set_matrix(sneppp_model *model, const double *M, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_get_matrix(const sneppp_model *model, double *M, sneppp_error *err);

/* ---- ask */
SNEPPP_DEF sneppp_real   sneppp_intensity(const sneppp_model *model, const sneppp_real *x);
SNEPPP_DEF double        sneppp_log_intensity(const sneppp_model *model, const sneppp_real *x);
SNEPPP_DEF sneppp_status sneppp_features(const sneppp_model *model, const sneppp_real *x, sneppp_real *psi, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_intensities(const sneppp_model *model, const sneppp_events *at, sneppp_real *out, const sneppp_parallel *par, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_model_gram(const sneppp_model *model, const sneppp_region *region, double *K, const sneppp_parallel *par, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_count(const sneppp_model *model, const sneppp_region *region, double *count, sneppp_error *err);

#ifdef __cplusplus
}
#endif
#endif /* SNEPPP_H: end of the declarations. You may stop here if you only want to use the library. */

#ifdef SNEPPP_IMPLEMENTATION
#ifndef SNEPPP_IMPLEMENTED
#define SNEPPP_IMPLEMENTED

/* The implementation is built in floors. A floor uses those above it, never those below, and there are no
   forward declarations of private functions: where one seems needed, the function is on the wrong floor. */

/* >>base ===================================================================================================== */
#include <math.h>
#include <string.h>
#include <stdarg.h>

#ifndef SNEPPP_ASSERT
   #include <assert.h>
   #define SNEPPP_ASSERT(x) assert(x)
#endif
#if defined(SNEPPP_MALLOC) != defined(SNEPPP_FREE)
   #error "define both SNEPPP_MALLOC and SNEPPP_FREE, or neither"
#endif
#ifndef SNEPPP_MALLOC
   #include <stdlib.h>
   #define SNEPPP_MALLOC(ctx, n) ((void)(ctx), malloc(n))
   #define SNEPPP_FREE(ctx, p)   ((void)(ctx), free(p))
#endif

#if defined(__GNUC__) || defined(__clang__)
   #define SNEPPP__UNUSED __attribute__((unused))
   #define SNEPPP__RESTRICT __restrict__
   #define SNEPPP__INLINE __attribute__((unused)) static inline
#elif defined(_MSC_VER)
   #define SNEPPP__UNUSED
   #define SNEPPP__RESTRICT __restrict
   #define SNEPPP__INLINE static __inline
#else
   #define SNEPPP__UNUSED
   #define SNEPPP__RESTRICT
   #define SNEPPP__INLINE static
#endif

#define SNEPPP__PI        3.14159265358979323846
#define SNEPPP__SQRT2     1.41421356237309504880
#define SNEPPP__SQRT_2PI  2.50662827463100050242
#define SNEPPP__LOG_2PI   1.83787706640934548356

/* -ffast-math lets a compiler assume that NaN and infinity do not exist and delete isnan; the exponent bits
   tell the truth under every flag. */
SNEPPP__INLINE int sneppp__finite(double x)
{
   uint64_t u;
   memcpy(&u, &x, sizeof u);
   return (u >> 52 & 0x7ff) != 0x7ff;
}

SNEPPP_DEF int sneppp_version(void) { return SNEPPP_VERSION; }

SNEPPP_DEF const char *sneppp_strerror(sneppp_status status)
{
   switch (status) {
#define SNEPPP__STATUS_TEXT(name, value, text) case SNEPPP_##name: return text;
      SNEPPP_STATUS_LIST(SNEPPP__STATUS_TEXT)
#undef SNEPPP__STATUS_TEXT
      default: return "unknown status";
   }
}

/* Formats into a fixed buffer without stdio, so that firmware can have it: %d int, %z size_t, %s string, %g
   double (six significant digits, decimal point in every locale). Longer texts are cut, never overrun. */
typedef struct sneppp__text { char *at, *end; } sneppp__text;

static void sneppp__text_char(sneppp__text *t, char c)
{
   if (t->at < t->end) *t->at++ = c;
}

static void sneppp__text_string(sneppp__text *t, const char *s)
{
   while (*s) sneppp__text_char(t, *s++);
}

static void sneppp__text_integer(sneppp__text *t, uint64_t u)
{
   char digit[20];
   int  n = 0;
   do { digit[n++] = (char)('0' + (int)(u % 10)); u /= 10; } while (u);
   while (n) sneppp__text_char(t, digit[--n]);
}

static void sneppp__text_double(sneppp__text *t, double x)
{
   int     e = 0, k, digits = 6;
   int64_t m;
   if (!sneppp__finite(x)) {
      uint64_t u;
      memcpy(&u, &x, sizeof u);
      sneppp__text_string(t, (u & 0xfffffffffffffULL) ? "nan" : (u >> 63) ? "-inf" : "inf");
      return;
   }
   if (x < 0) { sneppp__text_char(t, '-'); x = -x; }
   if (x == 0) { sneppp__text_char(t, '0'); return; }
   while (x >= 1e6 && e < 400) { x /= 10; e++; }
   while (x < 1e5 && e > -400) { x *= 10; e--; }
   m = (int64_t)(x + 0.5);
   if (m >= 1000000) { m /= 10; e++; }
   while (digits > 1 && m % 10 == 0) { m /= 10; e++; digits--; }
   k = e + digits - 1; /* decimal exponent of the leading digit */
   if (k < -4 || k > 6) {
      int64_t lead = m;
      for (int i = 1; i < digits; i++) lead /= 10;
      sneppp__text_integer(t, (uint64_t)lead);
      if (digits > 1) {
         int64_t power = 1;
         sneppp__text_char(t, '.');
         for (int i = 1; i < digits; i++) power *= 10;
         for (m -= lead * power, power /= 10; power; power /= 10) sneppp__text_char(t, (char)('0' + (int)(m / power % 10)));
      }
      sneppp__text_char(t, 'e');
      sneppp__text_char(t, k < 0 ? '-' : '+');
      sneppp__text_integer(t, (uint64_t)(k < 0 ? -k : k));
      return;
   }
   while (e > 0) { m *= 10; e--; }
   {
      int64_t power = 1;
      for (int i = e; i < 0; i++) power *= 10;
      sneppp__text_integer(t, (uint64_t)(m / power));
      if (power > 1) sneppp__text_char(t, '.');
      for (m %= power, power /= 10; power; power /= 10) sneppp__text_char(t, (char)('0' + (int)(m / power % 10)));
   }
}

/* Fills err, if there is one, and returns the status: `return sneppp__fail(err, SNEPPP_ERR_ARG, "...", ...)`. */
SNEPPP__UNUSED static sneppp_status sneppp__fail(sneppp_error *err, sneppp_status status, const char *format, ...)
{
   sneppp__text t;
   va_list      list;
   if (!err) return status;
   err->status = status;
   err->event = 0;
   t.at = err->why;
   t.end = err->why + sizeof err->why - 1;
   va_start(list, format);
   for (; *format; format++) {
      if (*format != '%') { sneppp__text_char(&t, *format); continue; }
      switch (*++format) {
         case 'd': {
            int v = va_arg(list, int);
            if (v < 0) sneppp__text_char(&t, '-');
            sneppp__text_integer(&t, (uint64_t)(v < 0 ? -(int64_t)v : (int64_t)v));
            break;
         }
         case 'z': sneppp__text_integer(&t, (uint64_t)va_arg(list, size_t)); break;
         case 's': sneppp__text_string(&t, va_arg(list, const char *)); break;
         case 'g': sneppp__text_double(&t, va_arg(list, double)); break;
         default: sneppp__text_char(&t, *format); break;
      }
   }
   va_end(list);
   *t.at = 0;
   return status;
}

/* >>mem ======================================================================================================
   Measuring and placing are one piece of code. An object that needs several arrays has one `place` function
   that takes them from a carver; run with a NULL base it only adds up, run with a block it hands out pointers.
   So the two cannot drift apart. Overflow is sticky and shows as size 0. */
typedef struct sneppp__carver {
   unsigned char *base;     /* NULL: measure only                       */
   size_t         used;     /* bytes taken so far                       */
   int            overflow; /* a product or sum did not fit into size_t */
} sneppp__carver;

#define SNEPPP__ALIGN ((size_t)64) /* a cache line, and the widest vector we use */

SNEPPP__INLINE int sneppp__mul_overflows(size_t a, size_t b, size_t *product)
{
   if (a && b > SIZE_MAX / a) return 1;
   *product = a * b;
   return 0;
}

/* An array of rows x cols elements, on SNEPPP__ALIGN bytes when the base is. NULL while measuring. */
SNEPPP__UNUSED static void *sneppp__take(sneppp__carver *c, size_t rows, size_t cols, size_t element)
{
   size_t bytes = 0, start = c->used;
   if (sneppp__mul_overflows(rows, cols, &bytes) || sneppp__mul_overflows(bytes, element, &bytes) ||
       bytes > SIZE_MAX - 2 * SNEPPP__ALIGN || start > SIZE_MAX - 2 * SNEPPP__ALIGN - bytes) {
      c->overflow = 1;
      return NULL;
   }
   c->used = start + (bytes + SNEPPP__ALIGN - 1) / SNEPPP__ALIGN * SNEPPP__ALIGN;
   return c->base && !c->overflow ? (void *)(c->base + start) : NULL;
}


/* >>rng ====================================================================================================== */

/* >>linalg =================================================================================================== */

/* >>special ================================================================================================== */

/* >>space ==================================================================================================== */

/* ---- polygons: simple rings in the plane. A ring inside an odd number of others is a hole, whatever its
   orientation, so a point belongs to the window when a ray from it meets the edges of all rings together an odd
   number of times. Rings may be given in either direction and must not touch. Everything is formed from
   differences of vertices: a small polygon far from the origin loses nothing. */
SNEPPP__INLINE size_t sneppp__ring_count(const sneppp_window *win) { return win->rings ? win->rings : 1; }

SNEPPP__INLINE size_t sneppp__ring_size(const sneppp_window *win, size_t ring)
{
   return win->rings ? win->ring_size[ring] : win->count;
}

/* Which side of the line from a to b is c on: 1 left, -1 right, 0 when rounding hides the answer. The bound is
   the usual one, (3 + 16 eps) eps times the sum of the two products, rounded up. */
static int sneppp__side(const double *a, const double *b, const double *c)
{
   double l = (b[0] - a[0]) * (c[1] - a[1]), r = (b[1] - a[1]) * (c[0] - a[0]);
   double bound = 8.9e-16 * (fabs(l) + fabs(r)), det = l - r;
   return det > bound ? 1 : det < -bound ? -1 : 0;
}

/* Do the closed boxes around two segments meet? The cheap test that spares most pairs the exact one. */
SNEPPP__INLINE int sneppp__boxes_meet(const double *a, const double *b, const double *c, const double *e)
{
   return fmax(a[0], b[0]) >= fmin(c[0], e[0]) && fmax(c[0], e[0]) >= fmin(a[0], b[0]) &&
          fmax(a[1], b[1]) >= fmin(c[1], e[1]) && fmax(c[1], e[1]) >= fmin(a[1], b[1]);
}

/* Do the segments ab and ce have a point in common, to rounding? */
static int sneppp__segments_meet(const double *a, const double *b, const double *c, const double *e)
{
   return sneppp__boxes_meet(a, b, c, e) && sneppp__side(a, b, c) * sneppp__side(a, b, e) <= 0 &&
          sneppp__side(c, e, a) * sneppp__side(c, e, b) <= 0;
}

/* Twice the signed area of a ring, positive when it runs counterclockwise. */
static double sneppp__ring_area2(const double *xy, size_t n)
{
   double s = 0;
   for (size_t k = 1; k + 1 < n; k++)
      s += (xy[2 * k] - xy[0]) * (xy[2 * k + 3] - xy[1]) - (xy[2 * k + 1] - xy[1]) * (xy[2 * k + 2] - xy[0]);
   return s;
}

/* How often a ray from (x, y) to the right crosses the ring, modulo 2. Each edge owns its lower end and not its
   upper one, so that a ray through a vertex is counted once. */
static int sneppp__ring_parity(const double *ring, size_t n, double x, double y)
{
   int odd = 0;
   for (size_t k = 0, j = n - 1; k < n; j = k++) {
      const double *a = ring + 2 * j, *b = ring + 2 * k;
      if ((a[1] > y) == (b[1] > y)) continue;
      /* The ray meets the edge to the right of the point iff the point is left of the upward edge. */
      if (((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) > 0) == (b[1] > a[1])) odd ^= 1;
   }
   return odd;
}

/* The factor that turns an integral along the ring, as given, into its part of the integral over the window:
   the orientation, times -1 for a hole. */
static double sneppp__ring_sign(const sneppp_window *win, size_t ring)
{
   size_t        rings = sneppp__ring_count(win), at = 0, s;
   const double *mine;
   int           odd = 0;
   for (s = 0; s < ring; s++) at += sneppp__ring_size(win, s);
   mine = win->xy + 2 * at;
   for (s = 0, at = 0; s < rings; at += sneppp__ring_size(win, s), s++)
      if (s != ring) odd ^= sneppp__ring_parity(win->xy + 2 * at, sneppp__ring_size(win, s), mine[0], mine[1]);
   return (sneppp__ring_area2(mine, sneppp__ring_size(win, ring)) < 0) != odd ? -1 : 1;
}

/* A polygon as integrals need it: the integral of f over the window is the sum over rings of sign[r] times the
   integral along ring r. The vertices stay where the caller has them; users subtract the reference (x0, y0). */
typedef struct sneppp__polygon {
   size_t        rings;
   const size_t *size;  /* (rings) vertices                                    */
   const double *xy;    /* (sum of size, 2)                                    */
   const double *sign;  /* (rings) 1 or -1, see sneppp__ring_sign              */
   double        x0, y0; /* a vertex: the origin for everything that is formed */
} sneppp__polygon;

/* sign must hold sneppp__ring_count(win) numbers and live as long as the polygon. The window has been checked. */
SNEPPP__UNUSED static sneppp__polygon sneppp__polygon_of(const sneppp_window *win, double *sign)
{
   sneppp__polygon p;
   p.rings = sneppp__ring_count(win);
   p.size = win->rings ? win->ring_size : &win->count;
   p.xy = win->xy;
   p.sign = sign;
   p.x0 = win->xy[0];
   p.y0 = win->xy[1];
   for (size_t r = 0; r < p.rings; r++) sign[r] = sneppp__ring_sign(win, r);
   return p;
}

SNEPPP__UNUSED static double sneppp__polygon_area(const sneppp_window *win)
{
   double s = 0;
   for (size_t r = 0, at = 0; r < sneppp__ring_count(win); at += sneppp__ring_size(win, r), r++)
      s += sneppp__ring_sign(win, r) * sneppp__ring_area2(win->xy + 2 * at, sneppp__ring_size(win, r));
   return s / 2;
}

/* Is (x, y) in the closed window? Points on an edge, to rounding, belong to it. */
SNEPPP__UNUSED static int sneppp__polygon_holds(const sneppp_window *win, double x, double y)
{
   double point[2];
   int    odd = 0;
   point[0] = x;
   point[1] = y;
   for (size_t r = 0, at = 0; r < sneppp__ring_count(win); at += sneppp__ring_size(win, r), r++) {
      const double *ring = win->xy + 2 * at;
      size_t        n = sneppp__ring_size(win, r);
      for (size_t k = 0, j = n - 1; k < n; j = k++)
         if (sneppp__boxes_meet(ring + 2 * j, ring + 2 * k, point, point) &&
             sneppp__side(ring + 2 * j, ring + 2 * k, point) == 0) return 1;
      odd ^= sneppp__ring_parity(ring, n, x, y);
   }
   return odd;
}

/* One ring by itself: enough vertices, finite, none twice in a row, no spike, an area. */
static sneppp_status sneppp__ring_check(const double *xy, size_t n, size_t ring, sneppp_error *err)
{
   if (n < 3) return sneppp__fail(err, SNEPPP_ERR_ARG, "window.xy: ring %z has %z vertices, but needs 3", ring, n);
   for (size_t k = 0; k < 2 * n; k++)
      if (!sneppp__finite(xy[k])) return sneppp__fail(err, SNEPPP_ERR_ARG, "window.xy: ring %z, vertex %z is not finite", ring, k / 2);
   for (size_t k = 0; k < n; k++) {
      const double *a = xy + 2 * k, *b = xy + 2 * ((k + 1) % n), *c = xy + 2 * ((k + 2) % n);
      if (a[0] == b[0] && a[1] == b[1])
         return sneppp__fail(err, SNEPPP_ERR_ARG, "window.xy: ring %z, vertices %z and %z coincide (do not repeat the first vertex at the end)", ring, k, (k + 1) % n);
      if (sneppp__side(a, b, c) == 0 && (a[0] - b[0]) * (c[0] - b[0]) + (a[1] - b[1]) * (c[1] - b[1]) > 0)
         return sneppp__fail(err, SNEPPP_ERR_ARG, "window.xy: ring %z folds back on itself at vertex %z", ring, (k + 1) % n);
   }
   if (!(fabs(sneppp__ring_area2(xy, n)) > 0)) return sneppp__fail(err, SNEPPP_ERR_ARG, "window.xy: ring %z has no area", ring);
   return SNEPPP_OK;
}

/* Edge k of a ring runs from vertex k to the next. All pairs of edges are compared, O(E^2) with a cheap test
   first: once per call, against O(n^2 E) for a Gram matrix. */
SNEPPP__UNUSED static sneppp_status sneppp__polygon_check(const sneppp_window *win, sneppp_error *err)
{
   size_t        rings = sneppp__ring_count(win);
   const double *first = win->xy;
   if (!win->xy) return sneppp__fail(err, SNEPPP_ERR_ARG, "window.xy is NULL: a polygon needs vertices");
   if (win->rings && !win->ring_size) return sneppp__fail(err, SNEPPP_ERR_ARG, "window.ring_size is NULL, but window.rings is %z", win->rings);
   for (size_t r = 0; r < rings; first += 2 * sneppp__ring_size(win, r), r++) {
      sneppp_status st = sneppp__ring_check(first, sneppp__ring_size(win, r), r, err);
      if (st != SNEPPP_OK) return st;
   }
   first = win->xy;
   for (size_t r = 0; r < rings; first += 2 * sneppp__ring_size(win, r), r++) {
      size_t        n = sneppp__ring_size(win, r);
      const double *other = first;
      for (size_t s = r; s < rings; other += 2 * sneppp__ring_size(win, s), s++) {
         size_t m = sneppp__ring_size(win, s);
         for (size_t k = 0; k < n; k++)
            for (size_t j = s == r ? k + 2 : 0; j < m; j++) {
               if (s == r && k == 0 && j == n - 1) continue; /* neighbours across the start of the ring */
               if (!sneppp__segments_meet(first + 2 * k, first + 2 * ((k + 1) % n), other + 2 * j, other + 2 * ((j + 1) % m))) continue;
               return sneppp__fail(err, SNEPPP_ERR_ARG, "window.xy: edge %z of ring %z meets edge %z of ring %z", k, r, j, s);
            }
      }
   }
   return SNEPPP_OK;
}

/* >>kernel ===================================================================================================
   K_ij = integral over the window of psi_i psi_j dmu. A kernel function returns one entry and, where asked, adds
   the derivatives: given g = dL/dk it adds g dk/dtheta to each array of `out`, so that the pull-back of a whole
   Gram matrix needs no third-order tensor. First moments are pairs with the constant unit SNEPPP_ONE. */
typedef struct sneppp__pair {
   const struct sneppp__row *row; /* the row of the table that is being evaluated                             */
   const sneppp_window *win;
   int           d;               /* length of the weight vectors: statistics of the window                   */
   sneppp_unit   ui, uj;          /* in the order of the row: ui.act is row act_i                             */
   const double *wi, *wj;         /* (d) weights; RBF: centres                                                */
   const double *li, *lj;         /* (d) RBF widths                                                           */
   double        bi, bj;
   int           log;             /* rows that offer it: return log k, and out receives g d(log k)/dtheta     */
} sneppp__pair;

typedef struct sneppp__pull { /* where a pull-back adds; add, never assign */
   double  g;                 /* dL/dk, or dL/d(log k) when pair.log                                   */
   double *wi, *wj;           /* (d) never NULL (scratch if not wanted); the two may be one array      */
   double *li, *lj;           /* (d) RBF widths, never NULL                                            */
   double *bi, *bj;           /* (1) never NULL                                                        */
   double *weight;            /* (count) GAUSS; NULL = not wanted                                      */
   double *mean, *scale;      /* (count, d) GAUSS; NULL = not wanted                                   */
} sneppp__pull;

typedef double (*sneppp__pair_fn)(const sneppp__pair *p, const sneppp__pull *out); /* out NULL: value only */

/* Cores: what differs between the rows that share a pair function. The pair function finds its row's core at
   p->row. A transform is the Laplace transform of the measure at a complex point (section kernel-transform), a
   Gaussian core is a function of the five scalars of the 2-D reduction (section kernel-gauss). */
struct sneppp__laplace;
struct sneppp__gauss;
struct sneppp__gauss_out;
typedef void   (*sneppp__laplace_fn)(const sneppp_window *win, int d, const double *x, const double *y, struct sneppp__laplace *out);
typedef void   (*sneppp__gauss_fn)(const struct sneppp__gauss *q, struct sneppp__gauss_out *t);

/* What a row asks for besides its space and its activations, and what it offers. */
enum {
   SNEPPP__LOG     = 1, /* the row returns log k, and its derivatives are those of log k                 */
   SNEPPP__NO_BIAS = 2, /* both biases are zero                                                          */
   SNEPPP__CENTRED = 4, /* GAUSS: all means are zero                                                     */
   SNEPPP__RADIAL  = 8  /* the units are radial basis functions: centres and widths, no weights          */
};

/* Units reach a pair function in canonical form: SNEPPP_RELU with p = 1 and SNEPPP_STEP with p = 0, so that a row
   of rectified monomials serves both and looks at p only. A row for (RECT, RECT) is also used for mixtures of
   RELU, STEP and RECT units. If only the mirrored row exists the driver exchanges i and j. */
typedef struct sneppp__row {
   sneppp_kernel_info info;
   int                dim;     /* statistics d that the row needs, 0 = any      */
   unsigned           flags;
   sneppp__pair_fn    pair;
   sneppp__laplace_fn laplace; /* transforms, else NULL                         */
   sneppp__gauss_fn   gauss;   /* Gaussian measures, else NULL                  */
} sneppp__row;

/* ---- >>kernel-transform: exp, cos, sin wherever the measure's Laplace transform is known ------------------- */

/* ---- >>kernel-gauss: Gaussian measures and mixtures -------------------------------------------------------- */

/* ---- >>kernel-shape: rectified units on spheres, intervals and polygons; monomials ------------------------- */

/* ---- >>kernel-table: all rows, lookup, checks, drivers ----------------------------------------------------- */

#endif /* SNEPPP_IMPLEMENTED */
#endif /* SNEPPP_IMPLEMENTATION */

/* >>licence ==================================================================================================
This software is available under two licences. Choose the one that you prefer.

------------------------------------------------------------------------------
LICENCE A - MIT License

Copyright (c) 2026 the authors of sneppp.h

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

------------------------------------------------------------------------------
LICENCE B - Public Domain (www.unlicense.org)

This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or distribute
this software, either in source code form or as a compiled binary, for any
purpose, commercial or non-commercial, and by any means.

In jurisdictions that recognize copyright laws, the author or authors of this
software dedicate any and all copyright interest in the software to the public
domain. We make this dedication for the benefit of the public at large and to
the detriment of our heirs and successors. We intend this dedication to be an
overt act of relinquishment in perpetuity of all present and future rights to
this software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN
ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
