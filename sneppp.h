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

   CONTENTS (search for the marks)
      >>start    a first program            >>rng      random numbers
      >>tasks    chapters by task           >>linalg   gemm, Cholesky, eigenvalues; then >>vector
      >>rules    memory, threads, numbers   >>special  functions that libm lacks
      >>limits   what it does not do        >>space    windows: checks, mass, statistics
      >>changes  by version                 >>kernel   the closed forms, one function per row
      >>config   the table of macros        >>optim    optimisers that know nothing of events
      >>types    structs and enums          >>radial   trees of radial bumps
      >>api      functions by task          >>model    features, mixing rules, regions, evaluation
         (end of what users need)           >>loss     likelihood and gradients
      >>base     errors, finite tests       >>fit      convex fits with certificates, AdamW
      >>mem      blocks and carving         >>auto     the default fit
      >>threads  a small pool               >>sample   >>io   >>input   >>licence

>>start =======================================================================================================
      In ONE C or C++ file:                      everywhere else:
         #define SNEPPP_IMPLEMENTATION              #include "sneppp.h"
         #include "sneppp.h"
      Link with -lm. Nothing else is needed: a C99 or C++11 compiler and its standard library.

      A window, its events, one call; then ask how many events to expect in a part of it.

         sneppp_desc     desc = {0};                          // C++: sneppp_desc desc = {};
         sneppp_events   trees = {0};
         sneppp_fit_desc fit = {0};
         sneppp_window   part = {0};
         sneppp_region   region = {0};
         sneppp_model    model;
         sneppp_error    err;
         double          count;
         desc.factor[0].window.dim = 2;                       // the box [0, 1000] x [0, 500]
         desc.factor[0].window.hi[0] = 1000;
         desc.factor[0].window.hi[1] = 500;
         trees.x = xy;                                        // x0, y0, x1, y1, ... in the units of the window
         trees.count = n;
         fit.events = &trees;
         part.dim = 2;                                        // the box [0, 100] x [0, 100] of it
         part.hi[0] = part.hi[1] = 100;
         region.factor[0] = &part;
         if (sneppp_init(&model, &desc, &err) || sneppp_fit(&model, &fit, NULL, &err) ||
             sneppp_count(&model, &region, &count, &err)) fprintf(stderr, "sneppp: %s\n", err.why);
         ... sneppp_intensity(&model, point) is in events per unit of area ...
         sneppp_free(&model);

      Zero means default in every struct; zero them. What the defaults chose is in model.desc and in the report.

>>tasks =======================================================================================================
   1  DESCRIBE
      A window is a set of points and a measure on it: sneppp_window. Boxes are the default; also intervals with gaps,
      polygons with holes, balls, spheres, R^d with Gaussian mixtures, exponential families, finite sets. One factor
      is the plane, the line or the sphere; several make a product space, such as sphere x time. desc.mix says how
      their features meet (the default multiplies them), factor.unit is the activation, desc.width the number of
      features or, for the default fit, its budget. Degrees and dates: sneppp_lonlats_to_units, sneppp_date_to_days.
      Features of your own, such as the distance from a road: factor.own (examples/custom.c).
   2  FIT
      sneppp_fit. AUTO, the default, needs only events and a window, and judges itself by exact leave-one-out
      likelihood: bumps of many widths on the events, one scale per axis (report.axes), in boxes, intervals,
      polygons, on S^2 and products of these. Gaps in time (events.seen) are filled from both sides, events may have
      weights, and coordinates that were rounded, such as days, are spread over the step. CONVEX finds the best
      readout for a fixed hidden layer (drawn, or given by sneppp_set_layer), with a certificate: report.gap is the
      most by which the likelihood, in nats per event, can still be improved. PGD solves the same problem as the
      paper does. ADAM learns everything, in batches if asked; sneppp_trainer steps it by hand, saves its state and
      resumes to the same bits. Events may lie in memory or come from a callback that reads by position
      (events.read), as several realisations, seen in a part of the window only (events.seen).
   3  ASK
      sneppp_intensity at a point, sneppp_intensities at many, outside the window 0. sneppp_count is the expected
      number of events in the whole window or a region of it, exact: boxes, intervals, polygons, balls in boxes;
      sneppp_counts takes many regions. sneppp_poisson_interval says how far a count may stray from its mean. Regions
      without a closed form have functions with `numeric` in their names and an estimate of their error.
   4  WHERE AND WHEN
      sneppp_marginal integrates a factor out, over a part or all of it: the map of a week, the time profile of a
      district. sneppp_conditional fixes one. Both return models, to be asked like any other and freed.
   5  JUDGE
      sneppp_thin splits events at random, sneppp_test_nll scores those that were not used (scale: their intensity
      relative to that of the training events, (1 - p)/p after thinning with p), sneppp_nll has gradients,
      sneppp_conditional_nll leaves the count out, sneppp_rmse compares with a known truth.
   6  SIMULATE
      sneppp_sample: exact draws, everywhere or in a region, of a Poisson number or a given one. sneppp_sample_tile:
      one tile of a planar map, the same in whatever order tiles are asked for, and with levels of detail: coarser
      tiles hold a part of the points of finer ones. The same without an allocation, in a block of yours:
      sneppp_sample_in, sneppp_sample_tile_in. sneppp_rng_...: the generator.
   7  KEEP AND EMBED
      sneppp_save and sneppp_load, to memory or files: little-endian, checked before anything is allocated, the same
      on every machine. sneppp_export_c writes C source with the model as a constant, for SNEPPP_INFERENCE_ONLY.
   8  THE CLOSED FORMS
      sneppp_gram and friends compute K for any layer and window, sneppp_kernel_at lists what is known, with formula
      and source; sneppp_gram_numeric integrates features that nobody has a formula for.

>>rules =======================================================================================================
   MEMORY    The caller owns every struct; a struct owns at most one block. Inputs are read during the call and never
             kept. A call that fails says why in words and leaves its outputs alone; a model keeps its last good
             parameters. "Borrows" below: from SNEPPP_MALLOC, given back before the call returns.
   THREADS   Different objects are independent, and no function has hidden state. "Const": any number of threads may
             call it on one model at once, if none changes that model. Calls that take a sneppp_parallel, and fits
             (fit.parallel), use those threads and no others; the result has the same bits for any number of them.

      function                                        memory                                      model
      intensity, log_intensity, features              stack: 2 SNEPPP_MAX_WIDTH reals             const
      intensities, count, counts, model_gram,
         nll, conditional_nll, test_nll,
         test_nll_monte_carlo, count_..._numeric      borrow                                      const
      rmse, get_layer, get_matrix, save, export_c     nothing                                     const
      sample, sample_tile                             borrow; one rng per thread                  const
      sample_in, sample_tile_in, sample_bytes         yours: mem; one rng per thread              const
      marginal, conditional                           out gets a block; borrow                    const
      save_file                                       borrows the size of the file                const
      init, load, load_file                           one block, or yours in mem; borrow          made
      set_layer, set_matrix                           borrow                                      changed
      fit                                             borrows; AUTO replaces the model's block    changed
      trainer_init, _step, _load, _free, _save        one block from init to free; the model,     changed
                                                      which must outlive the trainer, is its own
      free                                            safe on a zeroed, failed or freed model     freed
      gram, gram_log, gram_grad, kernel, moments      borrow (context NULL)                       -
      gram_numeric                                    yours: work                                 -
      pool_make, pool_free                            one block; one call at a time per pool      -
      window_..., lonlat, dates, thin, version,
         strerror, poisson_interval, kernel_list      nothing                                     -
      rng_...                                         nothing; a generator has one thread         -

   NUMBERS   Windows, closed forms and sums over events are double in both precisions. Events outside the window, NaN
             and infinity are refused with the index of the event; the border belongs to the window; ties are legal;
             no events are legal, too: the intensity is 0.
   UNITS     Coordinates are yours: shifting and scaling happen inside. Intensities are per unit of your window: area,
             time, their product; steradians on S^2.
   ERRORS    0 is success, everything else negative; err.why is one sentence that names the field or the event, and
             NULL is allowed for err. Nothing is printed, nothing asserts on your data.

>>limits ======================================================================================================
      A Poisson process: events that attract or repel each other are described by their intensity only, and counts
      of such events stray further than Poisson intervals say, which know nothing of the error of the fit either.
      There is no exposure map: what was watched is a window, a part of it (events.seen), or a finite set of weighted
      cells. AUTO puts radial units on boxes, intervals, polygons, S^2 and their products with at most four
      coordinates; elsewhere it solves the convex problem on default features, and the report says so. A full readout
      has at most SNEPPP_MAX_WIDTH features. Closed forms exist for many pairs of window and activation, not for all:
      a pair without one is refused when the model is made. Regions: no closed forms on caps and rectangles of the
      sphere. Models with features of your own can be neither sampled nor saved.

>>changes =====================================================================================================
      0.1.0      first version
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
      SNEPPP_MAX_WIDTH  most features of a model with a full readout (default 2048); evaluating one point uses
                        twice as many reals of stack; a diagonal readout of a product has no limit
      SNEPPP_MALLOC(ctx, n), SNEPPP_FREE(ctx, p)    your allocator; define both or none
      SNEPPP_ASSERT(x)        for our own invariants only; user input never asserts
      SNEPPP_PTHREADS   (all) adds sneppp_pool, a small pool of POSIX threads; link with -lpthread
      SNEPPP_INFERENCE_ONLY (all) only what evaluates a model that was exported by sneppp_export_c: intensities,
                        features, windows; no fitting code, no malloc, no files
      SNEPPP_NO_STDIO         no files: sneppp_save_file and sneppp_load_file are left out
      SNEPPP_SECONDS()        seconds of some clock as a double; only for reports
      SNEPPP_NO_SIMD          portable C only
      SNEPPP_GEMM, SNEPPP_SYRK, SNEPPP_EIGH         your BLAS and LAPACK, see >>linalg and tests/blas_hooks.h
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
#ifndef SNEPPP_MAX_WIDTH
#define SNEPPP_MAX_WIDTH 2048
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
   #define sneppp_kernel_list  sneppp_kernel_list_f32
   #define sneppp_gram_numeric sneppp_gram_numeric_f32
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
   #define sneppp_counts sneppp_counts_f32
   #define sneppp_count sneppp_count_f32
   #define sneppp_window_mass sneppp_window_mass_f32
   #define sneppp_window_contains sneppp_window_contains_f32
   #define sneppp_nll sneppp_nll_f32
   #define sneppp_conditional_nll sneppp_conditional_nll_f32
   #define sneppp_fit sneppp_fit_f32
   #define sneppp_trainer_save sneppp_trainer_save_f32
   #define sneppp_trainer_load sneppp_trainer_load_f32
   #define sneppp_save sneppp_save_f32
   #define sneppp_load sneppp_load_f32
   #define sneppp_export_c sneppp_export_c_f32
   #define sneppp_save_file sneppp_save_file_f32
   #define sneppp_load_file sneppp_load_file_f32
   #define sneppp_marginal sneppp_marginal_f32
   #define sneppp_conditional sneppp_conditional_f32
   #define sneppp_window_draw sneppp_window_draw_f32
   #define sneppp_lonlat_to_unit sneppp_lonlat_to_unit_f32
   #define sneppp_unit_to_lonlat sneppp_unit_to_lonlat_f32
   #define sneppp_lonlats_to_units sneppp_lonlats_to_units_f32
   #define sneppp_date_to_days sneppp_date_to_days_f32
   #define sneppp_days_to_date sneppp_days_to_date_f32
   #define sneppp_count_numeric sneppp_count_numeric_f32
   #define sneppp_count_cap_numeric sneppp_count_cap_numeric_f32
   #define sneppp_count_lonlat_numeric sneppp_count_lonlat_numeric_f32
   #define sneppp_sample sneppp_sample_f32
   #define sneppp_sample_tile sneppp_sample_tile_f32
   #define sneppp_sample_bytes sneppp_sample_bytes_f32
   #define sneppp_sample_in sneppp_sample_in_f32
   #define sneppp_sample_tile_in sneppp_sample_tile_in_f32
   #define sneppp_thin sneppp_thin_f32
   #define sneppp_test_nll sneppp_test_nll_f32
   #define sneppp_test_nll_monte_carlo sneppp_test_nll_monte_carlo_f32
   #define sneppp_rmse sneppp_rmse_f32
   #define sneppp_poisson_interval sneppp_poisson_interval_f32
   #define sneppp_pool_make sneppp_pool_make_f32
   #define sneppp_pool_parallel sneppp_pool_parallel_f32
   #define sneppp_pool_free sneppp_pool_free_f32
   #define sneppp_trainer_init sneppp_trainer_init_f32
   #define sneppp_trainer_step sneppp_trainer_step_f32
   #define sneppp_trainer_free sneppp_trainer_free_f32
   #define sneppp_rng_init        sneppp_rng_init_f32
   #define sneppp_rng_seek        sneppp_rng_seek_f32
   #define sneppp_rng_next        sneppp_rng_next_f32
   #define sneppp_rng_below       sneppp_rng_below_f32
   #define sneppp_rng_uniform     sneppp_rng_uniform_f32
   #define sneppp_rng_normal      sneppp_rng_normal_f32
   #define sneppp_rng_exponential sneppp_rng_exponential_f32
   #define sneppp_rng_gamma       sneppp_rng_gamma_f32
   #define sneppp_rng_poisson     sneppp_rng_poisson_f32
   #define sneppp_rng_binomial    sneppp_rng_binomial_f32
   #define sneppp_rng_sphere      sneppp_rng_sphere_f32
   #define sneppp_rng_permute     sneppp_rng_permute_f32
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
#define SNEPPP__STATUS_ENUM(name, value, text) SNEPPP_##name = (value),
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

/* ---- random numbers: all of the generator's state. Zeroed, it is seed 0, stream 0, at the start. Copy it to
   repeat, set seed and stream to branch off (then seek). Streams of one seed never overlap. */
typedef struct sneppp_rng {
   uint64_t seed;
   uint64_t stream;
   uint64_t position; /* number of the next draw of sneppp_rng_next                    */
   uint64_t spare;    /* the draw at position, when that is odd; the generator's own   */
} sneppp_rng;

#ifdef SNEPPP_PTHREADS
/* ---- a small pool of threads for those who have none; needs POSIX threads. Everywhere or nowhere in a program. */
typedef struct sneppp_pool sneppp_pool;
#endif

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

/* Features of your own instead of an activation: any functions of x, in your coordinates. Both are called from several
   threads at once if the fit has them. The integrals must be exact for the model to be; without closed forms of your
   own, let gram call sneppp_gram_numeric, which says how exact it was. */
typedef void (*sneppp_feature)(const double *x, double *psi, void *user); /* fills psi (width)                */
typedef struct sneppp_own {
   sneppp_feature psi;           /* NULL: none                                                             */
   /* Fills K (width, width), the integral of psi psi' over `part` (the factor's window or a region of it); 0 = done. */
   int          (*gram)(const sneppp_window *part, double *K, void *user);
   void          *user;          /* handed to both                                                         */
} sneppp_own;

typedef struct sneppp_factor {   /* one factor of the observation space                                    */
   sneppp_window      window;    /* window.dim == 0 ends the list of factors                               */
   sneppp_unit        unit;      /* activation; default: the recommended one for the space                 */
   const sneppp_unit *units;     /* (width) or NULL; a mixed layer                                         */
   int                width;     /* hidden units of this factor; 0 = desc.width                            */
   int                no_bias;   /* 1: biases are 0 and stay 0 (needed by ReLU on spheres beyond S^2)      */
   sneppp_own         own;       /* features of your own; unit and units are then not used                 */
} sneppp_factor;

#define SNEPPP_RADIAL_DIM 4 /* most coordinates of windows in which radial units are found through a tree */

typedef struct sneppp_node { /* of that tree: the radial centres first .. first + count - 1 and their bounding box  */
   size_t first, count, kid; /* children are the nodes kid and kid + 1; 0 = a leaf                                   */
   size_t from;              /* leaves: the first of the group's bumps that are not all in the table                  */
   double reach2;            /* no bump of the node matters beyond this squared distance                             */
   double lo[SNEPPP_RADIAL_DIM], hi[SNEPPP_RADIAL_DIM];
} sneppp_node;

typedef struct sneppp_desc {     /* what a model is; plain data, may be static const                       */
   int            start_zero;    /* must be 0: catches a struct that was never zeroed                      */
   sneppp_factor  factor[SNEPPP_MAX_FACTORS];
   sneppp_mix     mix;
   sneppp_readout readout;
   int            width;         /* hidden units n of each factor; default 64; for AUTO: the budget        */
   int            rank;          /* rows m of V; 0 = n                                                     */
   double         alpha;         /* scale of the intensity; 0 = events / mass, set when fitted             */
   int            group;         /* radial units in runs of this many with one centre each, in tree order: what
                                    AUTO makes; a tree then finds those near a point. 0 = no tree           */
   uint64_t       seed;          /* first layer; 0 = 1, never the clock                                    */
   void          *mem;           /* optional block of sneppp_model_bytes(), in which the model then lives  */
   size_t         mem_bytes;
   void          *alloc_ctx;     /* handed to SNEPPP_MALLOC and SNEPPP_FREE                                */
   int            end_zero;      /* must be 0                                                              */
} sneppp_desc;

/* A factor of a made model. Features see u = (x - shift) * rate, so that weights are of order one whatever the
   user's units are; closed forms see the window centred on the origin, in the user's unit of length. */
typedef struct sneppp_layer_state {
   int          n, d, D;                 /* units, statistics, coordinates                                  */
   int          first;                   /* index of the factor's first coordinate in an event              */
   double       shift[SNEPPP_MAX_DIM], rate[SNEPPP_MAX_DIM];
   sneppp_window inside;                 /* the window moved by -shift; GAUSS: what a fit learns            */
   sneppp_real *W;                       /* (n, d)                                                          */
   sneppp_real *b;                       /* (n)                                                             */
   sneppp_real *width;                   /* (n, d) RBF, else NULL                                           */
   sneppp_unit *units;                   /* (n) mixed layer, else NULL                                      */
} sneppp_layer_state;

typedef struct sneppp_readout_state {    /* V psi, for the features first .. first + n - 1                  */
   int          m, n, first;             /* V is (m, n); a diagonal readout has m = 1: v (n)                */
   sneppp_real *V;
} sneppp_readout_state;

typedef struct sneppp_model {            /* transparent; evaluation takes it const                          */
   sneppp_desc        desc;              /* all defaults filled in; windows point into the block            */
   int                factors;
   int                D;                 /* coordinates of one event                                        */
   int                n;                 /* features                                                        */
   sneppp_layer_state layer[SNEPPP_MAX_FACTORS];
   int                  readouts;        /* 1; ADDITIVE, SEPARABLE: one per factor                          */
   sneppp_readout_state readout[SNEPPP_MAX_FACTORS];
   double             alpha;             /* lambda = alpha |V psi|^2 + floor                                */
   double             floor;             /* uniform part, events per unit of the base measure               */
   int                budget;            /* the width that was asked for; 0 = none: AUTO may choose         */
   sneppp_node       *node;              /* (nodes) tree over the groups of radial units; nodes 0 = none    */
   size_t             nodes;
   double             metric[SNEPPP_RADIAL_DIM]; /* distances of the tree are |metric (u - v)|              */
   double            *centre;            /* (d, count) of each leaf, from first * d on, in these units       */
   sneppp_real       *peak, *sharp;      /* (group, count) of each leaf: v_i^2 psi_i^2 = peak exp(-sharp distance^2) */
   double            *table;             /* the sum of those that are wide; see >>radial                    */
   int                table_top, table_more[2]; /* 2^(top + more) cells along an axis; top -1 = no table   */
   void              *block;             /* owned memory, NULL when the caller gave it or it lies in flash  */
   size_t             block_bytes;
} sneppp_model;

/* ---- likelihoods and fits */
typedef struct sneppp_grad { /* derivatives with respect to the stored parameters; NULL = not wanted. Added, not set. */
   double *V[SNEPPP_MAX_FACTORS];      /* (m, n) of each readout                   */
   double *W[SNEPPP_MAX_FACTORS];      /* (n, d) of each factor                    */
   double *b[SNEPPP_MAX_FACTORS];      /* (n)                                      */
   double *width[SNEPPP_MAX_FACTORS];  /* (n, d) RBF                               */
   double *weight[SNEPPP_MAX_FACTORS]; /* (count) GAUSS                            */
   double *mean[SNEPPP_MAX_FACTORS];   /* (count, d) GAUSS                         */
   double *scale[SNEPPP_MAX_FACTORS];  /* (count, d) GAUSS                         */
   double *floor;                      /* (1)                                      */
   double *alpha;                      /* (1)                                      */
} sneppp_grad;

typedef enum sneppp_method {
   SNEPPP_AUTO = 0, /* choose features, scales, width and floor by exact held-out likelihood, then refit   */
   SNEPPP_CONVEX,   /* hidden layer fixed: the global optimum in M = V'V, with a certificate               */
   SNEPPP_PGD,      /* the same problem by projected gradient descent as in the paper, step 1/beta         */
   SNEPPP_ADAM,     /* learn everything by AdamW, full batch or minibatches                                */
   SNEPPP_METHOD_END
} sneppp_method;

typedef enum sneppp_schedule {
   SNEPPP_RATE_CONSTANT = 0,
   SNEPPP_RATE_COSINE,
   SNEPPP_RATE_LINEAR,
   SNEPPP_SCHEDULE_END
} sneppp_schedule;

typedef enum sneppp_ending {
   SNEPPP_RUNNING = 0,
   SNEPPP_CONVERGED,
   SNEPPP_STEP_LIMIT,
   SNEPPP_ASKED_TO_STOP,
   SNEPPP_NO_PROGRESS
} sneppp_ending;

/* What ADAM leaves alone, or-ed into fit_desc.freeze. */
enum { SNEPPP_FREEZE_LAYER = 1, SNEPPP_FREEZE_READOUT = 2, SNEPPP_FREEZE_MEASURE = 4, SNEPPP_FREEZE_FLOOR = 8 };

#define SNEPPP_NONE (-1.0) /* where 0 means "default" and you want none: tol, decay, floor, eps1 */

typedef struct sneppp_report { /* how a fit went, or goes                                                   */
   sneppp_method method;       /* the method that ran last                                                  */
   sneppp_ending ending;
   size_t        events;       /* in all realisations                                                       */
   size_t        step, steps;  /* done; most                                                                */
   double        nll;          /* joint negative log-likelihood per event, with log N!, of the last look    */
   double        held_out;     /* the same on the held-out part; NaN without one                            */
   double        gap;          /* certified distance to the convex optimum, nats per event; NaN: none solved */
   double        gradient;     /* norm of the last gradient                                                 */
   double        expected;     /* expected number of events in what was watched                             */
   double        seconds;      /* since the start                                                           */
   int           width, rank;  /* features, rows of V in use                                                */
   double        axes[SNEPPP_RADIAL_DIM]; /* AUTO: how wide bumps are along each coordinate, in your units, relative to
                                  the first (a sphere: radians); 0: no bumps                                */
   int           dropped;      /* CONVEX: directions of the features that K cannot tell from 0, left at M = 0 */
} sneppp_report;

typedef struct sneppp_fit_desc {
   int                  start_zero;   /* must be 0                                                          */
   const sneppp_events *events;       /* (realisations)                                                     */
   size_t               realisations; /* 0 = 1                                                              */
   sneppp_method        method;
   size_t               steps;        /* most steps: default 600 (ADAM), 20000 (PGD), 2000 (CONVEX)         */
   double               tol;          /* CONVEX, PGD: stop at this certified gap per event; default 1e-4    */
   double               eps1;         /* V'V = M + eps1 I; default 1e-3 (PGD), 0 (CONVEX)                   */
   double               eps2;         /* penalty eps2/2 |M|_F^2 per event (the paper's prior); default 0    */
   double               trace;        /* penalty trace * tr(M) per event (Gaussian prior on V); default 0   */
   double               floor;        /* share of the events given to the uniform floor; default 0          */
   size_t               batch;        /* ADAM: events per step; 0 = all                                     */
   double               rate;         /* ADAM: learning rate; default 0.0125                                */
   sneppp_schedule      schedule;     /* ADAM: of the learning rate over `steps`                            */
   size_t               warmup;       /* ADAM: steps of linear warm-up                                      */
   double               beta1, beta2; /* ADAM: default 0.9, 0.999                                           */
   double               decay;        /* ADAM: decoupled weight decay; default 0.01, SNEPPP_NONE for Adam   */
   double               clip;         /* ADAM: largest gradient norm; 0 = unlimited                         */
   double               holdout;      /* ADAM: share of events held out for early stopping; 0 = none        */
   size_t               patience;     /* ADAM: looks without improvement before stopping; default 10        */
   int                  freeze;       /* ADAM: SNEPPP_FREEZE_...                                            */
   int                  polish;       /* ADAM: 1 = finish with the convex problem of the readout            */
   uint64_t             seed;         /* batches, held-out part; default 1                                  */
   sneppp_parallel      parallel;
   int                (*progress)(const sneppp_report *now, const sneppp_model *model, void *user); /* non-zero: stop */
   void                *user;         /* handed to progress                                                 */
   int                  end_zero;     /* must be 0                                                          */
} sneppp_fit_desc;

/* A run of ADAM that the caller steps: make one, step it as often as you like, save and load its state, free it. */
typedef struct sneppp_trainer {
   sneppp_model   *model;          /* belongs to the caller; always holds the parameters of the last step    */
   sneppp_fit_desc desc;           /* all defaults filled in                                                 */
   sneppp_report   report;
   size_t          events, held;   /* all; held out                                                          */
   size_t          parameters;
   size_t          looks, since;   /* at the held-out part; since the last improvement                       */
   double          mass, weights;  /* what was watched; the sum of the events' weights                       */
   double          log_factorials, rate_cut, started;
   double         *theta, *moment1, *moment2, *gradient, *best; /* (parameters)                              */
   void           *loss;
   unsigned char  *base;
   void           *block;
   size_t          block_bytes;
} sneppp_trainer;

typedef struct sneppp_sample_info { /* how a draw went                                                        */
   size_t count;                    /* points; also when x was too small for them                              */
   double expected;                 /* Lambda of the region, exact                                             */
   double acceptance;               /* points per candidate; 1 for mixtures                                    */
   size_t candidates, evaluations;  /* tried; those for which lambda itself had to be computed                 */
   size_t cells;                    /* of the envelope; 0 for mixtures                                         */
} sneppp_sample_info;

/* >>api ====================================================================================================== */

SNEPPP_DEF int         sneppp_version(void);
SNEPPP_DEF const char *sneppp_strerror(sneppp_status status);

#ifndef SNEPPP_INFERENCE_ONLY
/* ---- random numbers: see >>rng for the method. One generator belongs to one thread at a time; give each
   thread, or each event, its own stream. A parameter that has no distribution (NaN, infinite, negative) gives 0.
   Poisson means and binomial n may be as large as their types allow; a mean of 2^63 or more gives UINT64_MAX. */
SNEPPP_DEF void     sneppp_rng_init(sneppp_rng *rng, uint64_t seed, uint64_t stream);
SNEPPP_DEF void     sneppp_rng_seek(sneppp_rng *rng, uint64_t position); /* to the draw of this number, from 0 */
SNEPPP_DEF uint64_t sneppp_rng_next(sneppp_rng *rng);                    /* 64 random bits                     */
SNEPPP_DEF uint64_t sneppp_rng_below(sneppp_rng *rng, uint64_t n);       /* one of 0..n-1, unbiased; n = 0: 0  */
SNEPPP_DEF double   sneppp_rng_uniform(sneppp_rng *rng);                 /* a multiple of 2^-53 in [0, 1)      */
SNEPPP_DEF double   sneppp_rng_normal(sneppp_rng *rng);                  /* mean 0, variance 1                 */
SNEPPP_DEF double   sneppp_rng_exponential(sneppp_rng *rng);             /* mean 1                             */
SNEPPP_DEF double   sneppp_rng_gamma(sneppp_rng *rng, double shape);     /* density x^(shape-1) e^-x           */
SNEPPP_DEF uint64_t sneppp_rng_poisson(sneppp_rng *rng, double mean);
SNEPPP_DEF uint64_t sneppp_rng_binomial(sneppp_rng *rng, uint64_t n, double p); /* p >= 1: n                   */
SNEPPP_DEF void     sneppp_rng_sphere(sneppp_rng *rng, int d, double *x); /* x (d) of length 1; d < 1: nothing */

/* A random permutation of 0..count-1, one for each key, evaluated at index without storing it: the order of a
   pass over events that are read by position. index >= count is returned as it is. */
SNEPPP_DEF uint64_t sneppp_rng_permute(uint64_t index, uint64_t count, uint64_t key);

#ifdef SNEPPP_PTHREADS
/* ---- threads: make a pool, hand sneppp_pool_parallel(pool) to fits and evaluations, free it. threads counts the
   calling thread too. NULL: no memory, or the system gave no thread. One call at a time may use a pool. */
SNEPPP_DEF sneppp_pool    *sneppp_pool_make(int threads, void *alloc_ctx);
SNEPPP_DEF sneppp_parallel sneppp_pool_parallel(sneppp_pool *pool);
SNEPPP_DEF void            sneppp_pool_free(sneppp_pool *pool);
#endif

#endif /* SNEPPP_INFERENCE_ONLY */

/* ---- windows */
SNEPPP_DEF double sneppp_window_mass(const sneppp_window *win);
SNEPPP_DEF int    sneppp_window_contains(const sneppp_window *win, const double *x);
#ifndef SNEPPP_INFERENCE_ONLY
SNEPPP_DEF int    sneppp_window_draw(const sneppp_window *win, sneppp_rng *rng, double *x);

/* ---- closed forms */
SNEPPP_DEF sneppp_status sneppp_kernel(const sneppp_window *win, const sneppp_layer *layer, int i, int j,
                                       double *k, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_gram(const sneppp_window *win, const sneppp_layer *layer, double *K,
                                     const sneppp_parallel *par, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_gram_log(const sneppp_window *win, const sneppp_layer *layer, double *logK,
                                         const sneppp_parallel *par, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_gram_grad(const sneppp_window *win, const sneppp_layer *layer,
                                          const double *G, sneppp_layer_grad *out, const sneppp_parallel *par,
                                          sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_moments(const sneppp_window *win, const sneppp_layer *layer, double *c,
                                        sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_moments_grad(const sneppp_window *win, const sneppp_layer *layer,
                                             const double *g, sneppp_layer_grad *out, sneppp_error *err);
SNEPPP_DEF size_t                    sneppp_kernel_count(void);
SNEPPP_DEF const sneppp_kernel_info *sneppp_kernel_at(size_t index);
/* The whole table as Markdown, piece by piece: put(text, user). */
SNEPPP_DEF void          sneppp_kernel_list(void (*put)(const char *text, void *user), void *user);
/* K of features of your own, NUMERICALLY: refined until it changes by less than tol (0 = 1e-10) times its largest
   entry, or until max_points (0 = 1e6) would be exceeded: then ERR_NO_CONVERGENCE, with the best K. error: the last
   change. Work: n * n + n doubles. Not for exponential families on the line, nor for R^d. */
SNEPPP_DEF sneppp_status sneppp_gram_numeric(const sneppp_window *win, int n, sneppp_feature psi, void *user,
                                             double tol, size_t max_points, double *K, double *work,
                                             double *error, sneppp_error *err);

/* ---- make: a zeroed model may always be freed; a model that failed to be made is zeroed */
SNEPPP_DEF size_t        sneppp_model_bytes(const sneppp_desc *desc, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_init(sneppp_model *model, const sneppp_desc *desc, sneppp_error *err);
SNEPPP_DEF void          sneppp_free(sneppp_model *model);
SNEPPP_DEF sneppp_status sneppp_set_layer(sneppp_model *model, int factor, const double *W, const double *b,
                                          const double *width, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_get_layer(const sneppp_model *model, int factor, double *W, double *b,
                                          double *width, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_set_matrix(sneppp_model *model, const double *M, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_get_matrix(const sneppp_model *model, double *M, sneppp_error *err);

#endif /* SNEPPP_INFERENCE_ONLY */

/* ---- ask */
SNEPPP_DEF sneppp_real   sneppp_intensity(const sneppp_model *model, const sneppp_real *x);
SNEPPP_DEF double        sneppp_log_intensity(const sneppp_model *model, const sneppp_real *x);
SNEPPP_DEF sneppp_status sneppp_features(const sneppp_model *model, const sneppp_real *x, sneppp_real *psi,
                                         sneppp_error *err);
#ifndef SNEPPP_INFERENCE_ONLY
SNEPPP_DEF sneppp_status sneppp_intensities(const sneppp_model *model, const sneppp_events *at,
                                            sneppp_real *out, const sneppp_parallel *par, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_model_gram(const sneppp_model *model, const sneppp_region *region, double *K,
                                           const sneppp_parallel *par, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_count(const sneppp_model *model, const sneppp_region *region, double *count,
                                      sneppp_error *err);
/* Many regions at once, which share work: order them so that neighbours point to the same window in most factors (all
   weeks of one district, then the next district). After a failure count is as it was. */
SNEPPP_DEF sneppp_status sneppp_counts(const sneppp_model *model, const sneppp_region *region, size_t regions,
                                       double *count, const sneppp_parallel *par, sneppp_error *err);
/* Integrate one factor out, over a part of it or (NULL) all of it; or fix it at a point. out is a new model over the
   factors that stay: the time profile of a district, the map of a week. Free it. */
SNEPPP_DEF sneppp_status sneppp_marginal(const sneppp_model *model, int factor, const sneppp_window *over,
                                         sneppp_model *out, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_conditional(const sneppp_model *model, int factor, const sneppp_real *at,
                                            sneppp_model *out, sneppp_error *err);

/* ---- input: degrees and dates to what models want. lon in [-360, 360] degrees east, lat in [-90, 90] degrees
   north; x is a unit vector (3), as on a SPHERE of dim 3. lonlats_to_units converts a whole table, (count, 2) in
   rows of lonlat_stride doubles (0 = 2), into rows of x_stride reals (0 = 3); it refuses tables that look like
   radians. Days count from 1970-01-01 in the civil (Gregorian) calendar; subtract the days of your own first date. */
SNEPPP_DEF sneppp_status sneppp_lonlat_to_unit(double lon, double lat, sneppp_real *x, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_unit_to_lonlat(const sneppp_real *x, double *lon, double *lat, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_lonlats_to_units(size_t count, const double *lonlat, size_t lonlat_stride,
                                                 sneppp_real *x, size_t x_stride, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_date_to_days(int year, int month, int day, double *days, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_days_to_date(double days, int *year, int *month, int *day, sneppp_error *err);

/* ---- counts in regions without a closed form, NUMERICALLY, each with an estimate of its error (not a bound). On a
   sphere of dim 3: the cap of all points within `radius` degrees of (lon, lat), or the rectangle from west to east
   and south to north (east < west crosses the date line); the other factors are taken over `rest` (NULL = all) and
   integrated exactly. tol is relative, 0 = 1e-6 (float: 1e-4); if it is not reached the result is ERR_NO_CONVERGENCE
   with the best count and its error. */
SNEPPP_DEF sneppp_status sneppp_count_cap_numeric(const sneppp_model *model, int factor, double lon,
                                                  double lat, double radius, const sneppp_region *rest,
                                                  double tol, double *count, double *error,
                                                  sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_count_lonlat_numeric(const sneppp_model *model, int factor, double west,
                                                     double east, double south, double north,
                                                     const sneppp_region *rest, double tol, double *count,
                                                     double *error, sneppp_error *err);
/* Any set: inside(x, user) is not 0 for the events x (D) that count. Randomly shifted lattice points (0 = 65536 of
   them) in `within` (NULL = the whole window); error is twice the standard error over the shifts. */
typedef int (*sneppp_indicator)(const sneppp_real *x, void *user);
SNEPPP_DEF sneppp_status sneppp_count_numeric(const sneppp_model *model, sneppp_indicator inside, void *user,
                                              const sneppp_region *within, size_t points, uint64_t seed,
                                              double *count, double *error, sneppp_error *err);

/* ---- draw. Exact samples, see >>sample: count points (0 = as many as a Poisson draw with mean Lambda says),
   independent and in random order, into x (cap, D). region NULL = everywhere. Equal seeds give equal points; give
   each thread a stream of its own. ERR_SIZE: cap is too small, info->count says what is needed and x is untouched.
   Works in one block from SNEPPP_MALLOC: 24 bytes per unit for mixtures, at most 131072 cells for others; or in
   yours, see below. */
SNEPPP_DEF sneppp_status sneppp_sample(const sneppp_model *model, const sneppp_region *region,
                                       sneppp_rng *rng, size_t count, sneppp_real *x, size_t cap,
                                       sneppp_sample_info *info, sneppp_error *err);
/* The points of one of the 2^level x 2^level tiles of a planar box, the same whatever was asked for before. Tiles of
   level `depth` and of finer ones hold all points: together they are one realisation for each seed, whichever level
   they are of. Coarser tiles hold the 4^(level - depth) part of them, for a view from far away: every tile's points
   are among those of its children, in front of those that the children add. ERR_SIZE: info->count says what is
   needed, x holds the first cap. A tile costs the points of its own layer and of its ancestors', so choose a depth
   at which tiles hold some dozens. */
SNEPPP_DEF sneppp_status sneppp_sample_tile(const sneppp_model *model, int depth, int level, uint32_t ix, uint32_t iy,
                                            uint64_t seed, sneppp_real *x, size_t cap,
                                            sneppp_sample_info *info, sneppp_error *err);
/* The same without an allocation, in a block of yours, of sneppp_sample_bytes for up to cap points (0 and a reason
   where the model cannot be sampled; tiles: region NULL). A block that is too small is refused with the size that is
   needed. */
SNEPPP_DEF size_t        sneppp_sample_bytes(const sneppp_model *model, const sneppp_region *region, size_t cap,
                                             sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_sample_in(void *mem, size_t mem_bytes, const sneppp_model *model,
                                          const sneppp_region *region, sneppp_rng *rng, size_t count, sneppp_real *x,
                                          size_t cap, sneppp_sample_info *info, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_sample_tile_in(void *mem, size_t mem_bytes, const sneppp_model *model,
                                               int depth, int level, uint32_t ix, uint32_t iy, uint64_t seed,
                                               sneppp_real *x, size_t cap, sneppp_sample_info *info,
                                               sneppp_error *err);

/* ---- likelihood and fit. A joint likelihood has the count in it (equation 3), a conditional one has not (2). */
SNEPPP_DEF sneppp_status sneppp_nll(const sneppp_model *model, const sneppp_events *events,
                                    size_t realisations, double *nll, sneppp_grad *grad,
                                    const sneppp_parallel *par, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_conditional_nll(const sneppp_model *model, const sneppp_events *events,
                                                size_t realisations, double *nll, const sneppp_parallel *par,
                                                sneppp_error *err);
SNEPPP_DEF size_t        sneppp_thin(size_t count, double p, uint64_t seed, unsigned char *keep);
SNEPPP_DEF sneppp_status sneppp_test_nll(const sneppp_model *model, const sneppp_events *events,
                                         size_t realisations, double scale, double *nll,
                                         const sneppp_parallel *par, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_test_nll_monte_carlo(const sneppp_model *model, const sneppp_events *events,
                                                     double scale, size_t points, uint64_t seed, double *nll,
                                                     sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_rmse(const sneppp_model *model,
                                     double (*truth)(const sneppp_real *x, void *user), void *user,
                                     size_t points, uint64_t seed, double *rmse, sneppp_error *err);
SNEPPP_DEF void          sneppp_poisson_interval(double mean, double level, uint64_t *lo, uint64_t *hi);
SNEPPP_DEF sneppp_status sneppp_fit(sneppp_model *model, const sneppp_fit_desc *desc, sneppp_report *report,
                                    sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_trainer_init(sneppp_trainer *trainer, sneppp_model *model,
                                             const sneppp_fit_desc *desc, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_trainer_step(sneppp_trainer *trainer, sneppp_error *err);
SNEPPP_DEF void          sneppp_trainer_free(sneppp_trainer *trainer);
SNEPPP_DEF size_t        sneppp_trainer_save(const sneppp_trainer *trainer, void *buf, size_t cap);
SNEPPP_DEF sneppp_status sneppp_trainer_load(sneppp_trainer *trainer, const void *buf, size_t bytes, sneppp_error *err);

/* ---- save and load */
SNEPPP_DEF size_t        sneppp_save(const sneppp_model *model, void *buf, size_t cap);
SNEPPP_DEF sneppp_status sneppp_load(sneppp_model *model, const void *buf, size_t bytes, void *mem,
                                     size_t mem_bytes, void *alloc_ctx, sneppp_error *err);
/* As C source: `static const sneppp_model NAME`, for SNEPPP_INFERENCE_ONLY. write gets the text in pieces, returns
   0. */
SNEPPP_DEF sneppp_status sneppp_export_c(const sneppp_model *model, const char *name,
                                         int (*write)(const char *text, size_t bytes, void *user), void *user,
                                         sneppp_error *err);
#ifndef SNEPPP_NO_STDIO
SNEPPP_DEF sneppp_status sneppp_save_file(const sneppp_model *model, const char *path, sneppp_error *err);
SNEPPP_DEF sneppp_status sneppp_load_file(sneppp_model *model, const char *path, void *alloc_ctx, sneppp_error *err);
#endif

#endif /* SNEPPP_INFERENCE_ONLY */

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
#ifndef SNEPPP_INFERENCE_ONLY
#if defined(SNEPPP_MALLOC) != defined(SNEPPP_FREE)
   #error "define both SNEPPP_MALLOC and SNEPPP_FREE, or neither"
#endif
#ifndef SNEPPP_MALLOC
   #include <stdlib.h>
   #define SNEPPP_MALLOC(ctx, n) ((void)(ctx), malloc(n))
   #define SNEPPP_FREE(ctx, p)   ((void)(ctx), free(p))
#endif

/* Wall clock, for reports only: no result depends on it. C11 and C++17 have timespec_get; older ones only count the
   processor time of all threads. */
#ifndef SNEPPP_SECONDS
   #include <time.h>
   #if defined(TIME_UTC)
static double sneppp__seconds(void)
{
   struct timespec t;
   return timespec_get(&t, TIME_UTC) ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}
      #define SNEPPP_SECONDS() sneppp__seconds()
   #else
      #define SNEPPP_SECONDS() ((double)clock() / (double)CLOCKS_PER_SEC)
   #endif
#endif

#endif /* SNEPPP_INFERENCE_ONLY */

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
#define SNEPPP__LOG_4PI   2.53102424696929079780
#define SNEPPP__LOG_2     0.69314718055994530942
#define SNEPPP__SQRT_PI   1.77245385090551602730
#define SNEPPP__SQRT_2_PI 0.79788456080286535588 /* sqrt(2/pi) */

/* -ffast-math lets a compiler assume that NaN and infinity do not exist and delete isnan; the exponent bits
   tell the truth under every flag. Recent compilers also mark arguments as finite under that flag and could
   then know the answer beforehand; the volatile copy takes this knowledge away. */
SNEPPP__INLINE int sneppp__finite(double x)
{
   uint64_t u;
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
   volatile double copy = x;
   x = copy;
#endif
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

/* Digits first..last of m, which has `digits` of them, counted from the left and from 0. */
static void sneppp__text_digits(sneppp__text *t, int64_t m, int digits, int first, int last)
{
   for (int i = first; i <= last; i++) {
      int64_t power = 1;
      for (int k = i + 1; k < digits; k++) power *= 10;
      sneppp__text_char(t, (char)('0' + (int)(m / power % 10)));
   }
}

/* Scales x into [1e5, 1e6), rounds it to an integer of six digits and drops trailing zeros. The repeated
   products cost a few units of the last place of a double, far from the sixth digit. */
static void sneppp__text_double(sneppp__text *t, double x)
{
   int      e = 0, k, digits = 6;
   int64_t  m;
   uint64_t u;
   memcpy(&u, &x, sizeof u);
   if (!sneppp__finite(x)) {
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
      sneppp__text_digits(t, m, digits, 0, 0);
      if (digits > 1) sneppp__text_char(t, '.');
      sneppp__text_digits(t, m, digits, 1, digits - 1);
      sneppp__text_string(t, k < 0 ? "e-" : "e+");
      sneppp__text_integer(t, (uint64_t)(k < 0 ? -k : k));
      return;
   }
   if (k < 0) sneppp__text_string(t, "0.");
   for (int i = k; i < -1; i++) sneppp__text_char(t, '0');
   sneppp__text_digits(t, m, digits, 0, k < digits ? k : digits - 1);
   for (int i = digits; i <= k; i++) sneppp__text_char(t, '0');
   if (k >= 0 && k < digits - 1) sneppp__text_char(t, '.');
   sneppp__text_digits(t, m, digits, k < 0 ? 0 : k + 1, digits - 1);
}

static void sneppp__text_list(sneppp__text *t, const char *format, va_list *list)
{
   for (; *format; format++) {
      if (*format != '%' || !format[1]) { sneppp__text_char(t, *format); continue; }
      switch (*++format) {
         case 'd': {
            const int v = va_arg(*list, int);
            if (v < 0) sneppp__text_char(t, '-');
            sneppp__text_integer(t, (uint64_t)(v < 0 ? -(int64_t)v : (int64_t)v));
            break;
         }
         case 'z': sneppp__text_integer(t, (uint64_t)va_arg(*list, size_t)); break;
         case 's': sneppp__text_string(t, va_arg(*list, const char *)); break;
         case 'g': sneppp__text_double(t, va_arg(*list, double)); break;
         default: sneppp__text_char(t, *format); break; /* %% */
      }
   }
}

static void sneppp__explain(sneppp_error *err, sneppp_status status, size_t event, const char *format,
                            va_list *list)
{
   sneppp__text t;
   err->status = status;
   err->event = event;
   t.at = err->why;
   t.end = err->why + sizeof err->why - 1;
   sneppp__text_list(&t, format, list);
   *t.at = 0;
}

/* Fills err, if there is one, and returns the status:
   `return sneppp__fail(err, SNEPPP_ERR_ARG, "...", ...)`. */
SNEPPP__UNUSED static sneppp_status sneppp__fail(sneppp_error *err, sneppp_status status, const char *format,
                                                 ...)
{
   va_list list;
   va_start(list, format);
   if (err) sneppp__explain(err, status, 0, format, &list);
   va_end(list);
   return status;
}

/* The same when it is the fault of one event, whose index goes into err->event. */
SNEPPP__UNUSED static sneppp_status sneppp__fail_event(sneppp_error *err, sneppp_status status, size_t event,
                                                       const char *format, ...)
{
   va_list list;
   va_start(list, format);
   if (err) sneppp__explain(err, status, event, format, &list);
   va_end(list);
   return status;
}

#ifndef SNEPPP_INFERENCE_ONLY
/* >>mem ======================================================================================================
   Measuring and placing are one piece of code. An object that needs several arrays has one `place` function
   that takes them from a carver; run with a NULL base it only adds up, run with a block it hands out
   pointers. So the two cannot drift apart. Overflow is sticky.

      sneppp__carver c = sneppp__measure();
      sneppp__block  block;
      place(&c, object);                                                             (measure)
      st = sneppp__block_get(&block, &c, desc->mem, desc->mem_bytes, desc->ctx, err);
      if (st != SNEPPP_OK) return st;                                                (nothing is held)
      place(&c, object);                                                             (place)
      ...
      sneppp__block_free(&block);

   and the size query is place(&c, ...) followed by sneppp__block_bytes(&c). */
#if defined(__SANITIZE_ADDRESS__)
   #define SNEPPP__ASAN 1
#elif defined(__has_feature)
   #if __has_feature(address_sanitizer)
      #define SNEPPP__ASAN 1
   #endif
#endif

/* One block would hide from AddressSanitizer a step from one array into the next. So under it every array is
   followed by at least one line that is out of bounds. */
#ifdef SNEPPP__ASAN
   #include <sanitizer/asan_interface.h>
   #define SNEPPP__POISON(p, n)   __asan_poison_memory_region(p, n)
   #define SNEPPP__UNPOISON(p, n) __asan_unpoison_memory_region(p, n)
   #define SNEPPP__FENCE SNEPPP__ALIGN
#else
   #define SNEPPP__POISON(p, n)   ((void)(p), (void)(n))
   #define SNEPPP__UNPOISON(p, n) ((void)(p), (void)(n))
   #define SNEPPP__FENCE ((size_t)0)
#endif

#define SNEPPP__ALIGN ((size_t)64) /* a cache line, and the widest vector we use */

typedef struct sneppp__carver {
   unsigned char *base;     /* NULL: measure only                       */
   size_t         used;     /* bytes taken so far                       */
   int            overflow; /* a product or sum did not fit into size_t */
   int            fence;    /* the gaps between arrays may be poisoned  */
} sneppp__carver;

/* A carver that only measures. */
SNEPPP__INLINE sneppp__carver sneppp__measure(void)
{
   sneppp__carver c;
   memset(&c, 0, sizeof c);
   return c;
}

SNEPPP__INLINE int sneppp__mul_overflows(size_t a, size_t b, size_t *product)
{
   if (a && b > SIZE_MAX / a) return 1;
   *product = a * b;
   return 0;
}

/* An array of rows x cols elements, on SNEPPP__ALIGN bytes when the base is. NULL while measuring. */
SNEPPP__UNUSED static void *sneppp__take(sneppp__carver *c, size_t rows, size_t cols, size_t element)
{
   const size_t start = c->used, slack = SNEPPP__FENCE + 2 * SNEPPP__ALIGN;
   size_t       bytes = 0;
   if (c->overflow || sneppp__mul_overflows(rows, cols, &bytes) ||
       sneppp__mul_overflows(bytes, element, &bytes) || bytes > SIZE_MAX - slack ||
       start > SIZE_MAX - slack - bytes) {
      c->overflow = 1;
      return NULL;
   }
   c->used = start + (bytes + SNEPPP__FENCE + SNEPPP__ALIGN - 1) / SNEPPP__ALIGN * SNEPPP__ALIGN;
   if (!c->base) return NULL;
   if (c->fence) SNEPPP__POISON(c->base + start + bytes, c->used - start - bytes);
   return c->base + start;
}

/* The bytes that a block for these arrays must have, wherever it starts; 0: more than size_t can count. */
SNEPPP__UNUSED static size_t sneppp__block_bytes(const sneppp__carver *measured)
{
   return measured->overflow ? 0 : measured->used + (SNEPPP__ALIGN - 1);
}

typedef struct sneppp__block {
   void  *raw;   /* what SNEPPP_MALLOC returned; NULL: nothing to free */
   size_t bytes;
   void  *ctx;
} sneppp__block;

/* Takes the measure from c and makes c ready for placing: in the caller's block mem, when there is one, else
   in memory from SNEPPP_MALLOC. After a failure the block is empty, so that freeing it is harmless. */
SNEPPP__UNUSED static sneppp_status sneppp__block_get(sneppp__block *block, sneppp__carver *c, void *mem,
                                                      size_t mem_bytes, void *ctx, sneppp_error *err)
{
   const size_t bytes = sneppp__block_bytes(c);
   block->raw = NULL;
   block->bytes = bytes;
   block->ctx = ctx;
   if (!bytes) return sneppp__fail(err, SNEPPP_ERR_SIZE, "the arrays need more bytes than size_t can count");
   if (!mem && mem_bytes)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "mem is NULL but mem_bytes is %z", mem_bytes);
   if (mem && mem_bytes < bytes)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "mem_bytes is %z, but %z are needed", mem_bytes, bytes);
   if (!mem) {
      mem = block->raw = SNEPPP_MALLOC(ctx, bytes);
      if (!mem) return sneppp__fail(err, SNEPPP_ERR_MEMORY, "%z bytes could not be allocated", bytes);
   }
   c->base = (unsigned char *)mem + (SNEPPP__ALIGN - (uintptr_t)mem % SNEPPP__ALIGN) % SNEPPP__ALIGN;
   c->used = 0;
   c->fence = block->raw != NULL; /* a caller's block is the caller's again without our knowing when */
   return SNEPPP_OK;
}

/* Safe on a block that is zeroed, that failed, that is the caller's, or that was freed before. */
SNEPPP__UNUSED static void sneppp__block_free(sneppp__block *block)
{
   if (!block->raw) return;
   SNEPPP__UNPOISON(block->raw, block->bytes);
   SNEPPP_FREE(block->ctx, block->raw);
   block->raw = NULL;
}

/* >>threads ==================================================================================================
   A pool whose workers take the next job number until none is left. Which thread runs which job is chance; that
   results do not depend on it is the business of the jobs, which never share a sum. */
#ifdef SNEPPP_PTHREADS
#include <pthread.h>
#include <sched.h>

#define SNEPPP__MAX_THREADS 256
#define SNEPPP__POOL_TURNS  200

struct sneppp_pool {
   pthread_mutex_t lock;
   pthread_cond_t  work, done;
   pthread_t       thread[SNEPPP__MAX_THREADS];
   int             workers, quit;
   void          (*job)(size_t, void *);
   void           *arg, *ctx;
   size_t          next, count, busy; /* under the lock: next job, jobs, jobs that run now */
};

/* Takes jobs until none is left; called and left with the lock held. */
static void sneppp__pool_drain(sneppp_pool *pool)
{
   while (pool->next < pool->count) {
      size_t i = pool->next++;
      pool->busy++;
      pthread_mutex_unlock(&pool->lock);
      pool->job(i, pool->arg);
      pthread_mutex_lock(&pool->lock);
      pool->busy--;
   }
   if (!pool->busy) pthread_cond_broadcast(&pool->done);
}

/* Waits for a signal, the lock held. The first turns are spent awake, because a small training step asks for help
   every few ten microseconds and a sleeper takes as long to wake; whoever else wants the processor gets it. */
static void sneppp__pool_wait(sneppp_pool *pool, pthread_cond_t *signal, int turn)
{
   if (turn >= SNEPPP__POOL_TURNS) { pthread_cond_wait(signal, &pool->lock); return; }
   pthread_mutex_unlock(&pool->lock);
   sched_yield();
   pthread_mutex_lock(&pool->lock);
}

static void *sneppp__pool_worker(void *arg)
{
   sneppp_pool *pool = (sneppp_pool *)arg;
   pthread_mutex_lock(&pool->lock);
   while (!pool->quit) {
      sneppp__pool_drain(pool);
      for (int turn = 0; !pool->quit && pool->next >= pool->count; turn += turn < SNEPPP__POOL_TURNS)
         sneppp__pool_wait(pool, &pool->work, turn);
   }
   pthread_mutex_unlock(&pool->lock);
   return NULL;
}

static void sneppp__pool_run(void (*job)(size_t, void *), void *arg, size_t count, void *user)
{
   sneppp_pool *pool = (sneppp_pool *)user;
   pthread_mutex_lock(&pool->lock);
   pool->job = job, pool->arg = arg, pool->next = 0, pool->count = count;
   pthread_cond_broadcast(&pool->work);
   sneppp__pool_drain(pool);
   for (int turn = 0; pool->busy; turn += turn < SNEPPP__POOL_TURNS) sneppp__pool_wait(pool, &pool->done, turn);
   pool->count = pool->next = 0;
   pthread_mutex_unlock(&pool->lock);
}

SNEPPP_DEF void sneppp_pool_free(sneppp_pool *pool)
{
   void *ctx;
   if (!pool) return;
   pthread_mutex_lock(&pool->lock);
   pool->quit = 1;
   pthread_cond_broadcast(&pool->work);
   pthread_mutex_unlock(&pool->lock);
   for (int k = 0; k < pool->workers; k++) pthread_join(pool->thread[k], NULL);
   pthread_cond_destroy(&pool->work);
   pthread_cond_destroy(&pool->done);
   pthread_mutex_destroy(&pool->lock);
   ctx = pool->ctx;
   SNEPPP_FREE(ctx, pool);
}

SNEPPP_DEF sneppp_pool *sneppp_pool_make(int threads, void *alloc_ctx)
{
   sneppp_pool *pool;
   if (threads < 1 || threads > SNEPPP__MAX_THREADS) return NULL;
   pool = (sneppp_pool *)SNEPPP_MALLOC(alloc_ctx, sizeof *pool);
   if (!pool) return NULL;
   memset(pool, 0, sizeof *pool);
   pool->ctx = alloc_ctx;
   if (pthread_mutex_init(&pool->lock, NULL)) { SNEPPP_FREE(alloc_ctx, pool); return NULL; }
   pthread_cond_init(&pool->work, NULL);
   pthread_cond_init(&pool->done, NULL);
   while (pool->workers < threads - 1) {
      if (pthread_create(&pool->thread[pool->workers], NULL, sneppp__pool_worker, pool)) {
         sneppp_pool_free(pool);
         return NULL;
      }
      pool->workers++;
   }
   return pool;
}

SNEPPP_DEF sneppp_parallel sneppp_pool_parallel(sneppp_pool *pool)
{
   sneppp_parallel par;
   par.run = pool && pool->workers ? sneppp__pool_run : NULL;
   par.user = pool;
   return par;
}
#endif

/* >>rng ======================================================================================================
   Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011): ten
   rounds of multiply and xor turn (seed, stream, block number) into 128 random bits. Being a function and not
   a recurrence it can be entered anywhere, streams cannot overlap, and a stream costs nothing to open, so
   event i may have stream i. It passes TestU01's BigCrush, needs only 32 x 32 -> 64 bit products, and its
   authors publish known answers, which the tests check.

   Equal bits everywhere: integers and uniforms are integer arithmetic. Normal and exponential variates come
   from ziggurats, whose usual path is one product of two doubles; elsewhere floating point decides only
   whether a candidate is accepted, and a change of its last bit matters in about one of 10^13 draws. Gamma
   variates and points on spheres are computed values, which can differ in the last place where a compiler may
   fuse or reorder (-ffast-math, -march=native).

   No loop here runs on the value of a parameter alone: every repetition is a fresh trial with a success
   probability that is bounded from below, and parameters without a distribution are answered before any. */
static void sneppp__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
   uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
   for (int round = 0; round < 10; round++) {
      const uint64_t p = (uint64_t)0xD2511F53u * c0, q = (uint64_t)0xCD9E8D57u * c2;
      c0 = (uint32_t)(q >> 32) ^ c1 ^ k0;
      c1 = (uint32_t)q;
      c2 = (uint32_t)(p >> 32) ^ c3 ^ k1;
      c3 = (uint32_t)p;
      k0 += 0x9E3779B9u; /* the golden ratio and the square root of 3, in 32 bits */
      k1 += 0xBB67AE85u;
   }
   out[0] = c0;
   out[1] = c1;
   out[2] = c2;
   out[3] = c3;
}

/* A block holds two draws: returns the first and leaves the second in rng->spare. */
static uint64_t sneppp__rng_block(sneppp_rng *rng)
{
   const uint64_t block = rng->position >> 1;
   uint32_t       counter[4], key[2], out[4];
   counter[0] = (uint32_t)block;
   counter[1] = (uint32_t)(block >> 32);
   counter[2] = (uint32_t)rng->stream;
   counter[3] = (uint32_t)(rng->stream >> 32);
   key[0] = (uint32_t)rng->seed;
   key[1] = (uint32_t)(rng->seed >> 32);
   sneppp__philox(counter, key, out);
   rng->spare = out[2] | (uint64_t)out[3] << 32;
   return out[0] | (uint64_t)out[1] << 32;
}

SNEPPP_DEF void sneppp_rng_seek(sneppp_rng *rng, uint64_t position)
{
   rng->position = position;
   rng->spare = 0;
   if (position & 1) (void)sneppp__rng_block(rng);
}

SNEPPP_DEF void sneppp_rng_init(sneppp_rng *rng, uint64_t seed, uint64_t stream)
{
   rng->seed = seed;
   rng->stream = stream;
   sneppp_rng_seek(rng, 0);
}

SNEPPP_DEF uint64_t sneppp_rng_next(sneppp_rng *rng)
{
   const uint64_t word = rng->position & 1 ? rng->spare : sneppp__rng_block(rng);
   rng->position++;
   return word;
}

/* A multiple of 2^-53 in [0, 1). The conversion and the product are exact, so no flag can change them. */
SNEPPP_DEF double sneppp_rng_uniform(sneppp_rng *rng)
{
   return (double)(sneppp_rng_next(rng) >> 11) * (1.0 / 9007199254740992.0);
}

/* An odd multiple of 2^-53 in (0, 1): symmetric about 1/2, never 0 and never 1, so that it has a logarithm
   and its distance to both ends can be divided by. */
static double sneppp__rng_open(sneppp_rng *rng)
{
   return (double)(sneppp_rng_next(rng) >> 12 << 1 | 1) * (1.0 / 9007199254740992.0);
}

/* The largest multiple of n that a word can reach is cut off; without that the first values of a plain
   remainder would be too likely. w - r is the multiple below the word, and it starts a whole bin unless
   adding n - 1 to it overflows. */
SNEPPP_DEF uint64_t sneppp_rng_below(sneppp_rng *rng, uint64_t n)
{
   if (n == 0) return 0;
   for (;;) {
      const uint64_t w = sneppp_rng_next(rng), r = w % n;
      if (w - r <= UINT64_MAX - (n - 1)) return r;
   }
}

/* The mixing function of Steele, Lea and Flood's SplitMix64 (OOPSLA 2014), with Stafford's constants. */
static uint64_t sneppp__rng_mix(uint64_t z)
{
   z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
   z = (z ^ z >> 27) * 0x94D049BB133111EBu;
   return z ^ z >> 31;
}

/* Few enough elements are shuffled outright (Fisher and Yates): all orders are equally likely. */
static uint64_t sneppp__permute_small(uint64_t index, uint64_t count, uint64_t key)
{
   unsigned char order[16] = { 0 };
   sneppp_rng    rng;
   sneppp_rng_init(&rng, key, count);
   for (uint64_t i = 0; i < count; i++) {
      const uint64_t j = sneppp_rng_below(&rng, i + 1);
      order[i] = order[j];
      order[j] = (unsigned char)i;
   }
   return order[index];
}

/* A Feistel network: split the b bits of an index into two parts and xor each in turn with a keyed function
   of the other. Every round can be undone, so this permutes 0..2^b - 1, and with 2^b < 2 count it takes fewer
   than two passes on average until the walk along the cycle comes back into 0..count-1 (Black and Rogaway,
   "Ciphers with arbitrary finite domains", CT-RSA 2002). It does come back, as a cycle returns to its start.
   Over the keys, pairs and triples of places are uniform from 17 elements on with these twelve half rounds;
   eight are too few there, and fewer elements need more of them. */
SNEPPP_DEF uint64_t sneppp_rng_permute(uint64_t index, uint64_t count, uint64_t key)
{
   uint64_t low_mask, high_mask;
   int      bits = 0, low;
   if (index >= count || count < 2) return index;
   if (count <= 16) return sneppp__permute_small(index, count, key);
   while (bits < 64 && (count - 1) >> bits) bits++;
   low = bits / 2;
   low_mask = ((uint64_t)1 << low) - 1;
   high_mask = UINT64_MAX >> (64 - (bits - low));
   do {
      uint64_t a = index & low_mask, b = index >> low, round_key = key;
      for (int round = 0; round < 6; round++) {
         round_key += 0x9E3779B97F4A7C15u;
         b ^= sneppp__rng_mix(a + sneppp__rng_mix(round_key)) >> 7 & high_mask;
         round_key += 0x9E3779B97F4A7C15u;
         a ^= sneppp__rng_mix(b + sneppp__rng_mix(round_key)) >> 7 & low_mask;
      }
      index = b << low | a;
   } while (index >= count);
   return index;
}

/* Ziggurats (Marsaglia and Tsang, J. Stat. Software 5(8), 2000): the region under a decreasing density f is
   covered by 128 pieces of equal area v. Piece i > 0 is the box [0, x_i] x [f(x_i), f(x_i+1)]; piece 0 is the
   box [0, x_1] x [0, f(x_1)] with the tail beyond x_1, drawn as if it were a box of width x_0 = v / f(x_1). A
   point of piece i with abscissa below x_i+1 is under the curve without further ado. One word gives the piece
   (7 bits), a sign (1 bit) and the abscissa (53 bits), none of them used twice. The tests check
   x_i (f(x_i+1) - f(x_i)) = v and the tail. f is not normalised: exp(-x^2/2) and exp(-x). */
static const double sneppp__zig_normal[129] = {
   3.7130862467403634, 3.4426198558966523, 3.2230849845786187, 3.0832288582142136, 2.9786962526450171,
   2.8943440070186708, 2.8231253505459666, 2.7611693723841539, 2.7061135731187225, 2.6564064112581924,
   2.6109722484286131, 2.5690336259216391, 2.5300096723854666, 2.4934545220919508, 2.4590181774083502,
   2.4264206455302118, 2.3954342780074676, 2.3658713701139877, 2.3375752413355309, 2.3104136836950020,
   2.2842740596736566, 2.2590595738653296, 2.2346863955870568, 2.2110814088747279, 2.1881804320720204,
   2.1659267937448408, 2.1442701823562613, 2.1231657086697902, 2.1025731351849988, 2.0824562379877247,
   2.0627822745039635, 2.0435215366506694, 2.0246469733729340, 2.0061338699589668, 1.9879595741230607,
   1.9701032608497133, 1.9525457295488888, 1.9352692282919002, 1.9182573008597321, 1.9014946531003176,
   1.8849670357028692, 1.8686611409895419, 1.8525645117230871, 1.8366654602533841, 1.8209529965910052,
   1.8054167642140488, 1.7900469825946190, 1.7748343955807693, 1.7597702248942320, 1.7448461281083765,
   1.7300541605582436, 1.7153867407081165, 1.7008366185643009, 1.6863968467734862, 1.6720607540918522,
   1.6578219209482075, 1.6436741568569826, 1.6296114794646783, 1.6156280950371329, 1.6017183802152770,
   1.5878768648844006, 1.5740982160167498, 1.5603772223598407, 1.5467087798535035, 1.5330878776675561,
   1.5195095847593707, 1.5059690368565504, 1.4924614237746154, 1.4789819769830979, 1.4655259573357946,
   1.4520886428822164, 1.4386653166774612, 1.4252512545068616, 1.4118417124397602, 1.3984319141236063,
   1.3850170377251487, 1.3715922024197322, 1.3581524543224228, 1.3446927517457130, 1.3312079496576765,
   1.3176927832013430, 1.3041418501204216, 1.2905495919178731, 1.2769102735516997, 1.2632179614460282,
   1.2494664995643336, 1.2356494832544811, 1.2217602305309625, 1.2077917504067577, 1.1937367078237722,
   1.1795873846544607, 1.1653356361550469, 1.1509728421389760, 1.1364898520030755, 1.1218769225722540,
   1.1071236475235353, 1.0922188768965537, 1.0771506248819376, 1.0619059636836194, 1.0464709007525803,
   1.0308302360564556, 1.0149673952392995, 0.9988642334806435, 0.9825008035027604, 0.9658550793881306,
   0.9489026254979119, 0.9316161966013539, 0.9139652510088018, 0.8959153525662386, 0.8774274290977156,
   0.8584568431780508, 0.8389522142812075, 0.8188539066833177, 0.7980920606262748, 0.7765839878761484,
   0.7542306644345100, 0.7309119106218813, 0.7064796113136080, 0.6807479186459042, 0.6534786387150424,
   0.6243585973090883, 0.5929629424419780, 0.5586921783755180, 0.5206560387251449, 0.47743783725378786,
   0.42654798630330515, 0.3628714310284183, 0.2723208647046638, 0,
};

static const double sneppp__zig_exponential[129] = {
   7.8983151166156427, 6.8983151166156427, 6.1351928445012387, 5.6650724660857401, 5.3241823731374991,
   5.0561741487985108, 4.8349843673248394, 4.6464211328624829, 4.4819020722626854, 4.3358409940858573,
   4.2043979393287474, 4.0848196168057544, 3.9750644413780751, 3.8735764975972340, 3.7791426637561014,
   3.6907986930766183, 3.6077654093724196, 3.5294041261239055, 3.4551847323964768, 3.3846623579615627,
   3.3174599905696232, 3.2532553113859182, 3.1917705767376221, 3.1327647373866330, 3.0760272264889776,
   3.0213730092917226, 2.9686385989038917, 2.9176788202866746, 2.8683641598597429, 2.8205785779150534,
   2.7742176900679003, 2.7291872454213149, 2.6854018451368260, 2.6427838571911386, 2.6012624923073600,
   2.5607730131294386, 2.5212560541977940, 2.4826570345737786, 2.4449256483378092, 2.4080154208634461,
   2.3718833209063677, 2.3364894202629918, 2.3017965941394136, 2.2677702564970699, 2.2343781255607680,
   2.2015900154291237, 2.1693776503494968, 2.1377144987348089, 2.1065756244282952, 2.0759375530803350,
   2.0457781518018145, 2.0160765205112599, 1.9868128936065137, 1.9579685507727411, 1.9295257358924411,
   1.9014675831544172, 1.8737780495709402, 1.8464418532086178, 1.8194444165212862, 1.7927718142445650,
   1.7664107253733166, 1.7403483887965310, 1.7145725622103043, 1.6890714839696004, 1.6638338375742083,
   1.6388487185144363, 1.6141056032282144, 1.5895943199438896, 1.5653050212025230, 1.5412281578702771,
   1.5173544544657909, 1.4936748856395370, 1.4701806536522057, 1.4468631667073306, 1.4237140179997596,
   1.4007249653462672, 1.3778879112676263, 1.3551948833928311, 1.3326380150558410, 1.3102095259531379,
   1.2879017027264501, 1.2657068793290143, 1.2436174170255427, 1.2216256838653285, 1.1997240334543193,
   1.1779047828350684, 1.1561601892626789, 1.1344824256394672, 1.1128635543402399, 1.0912954991226866,
   1.0697700147720641, 1.0482786540743532, 1.0268127316452214, 1.0053632840606233, 0.9839210256351706,
   0.9624762990719226, 0.9410190200560898, 0.9195386146775997, 0.8980239483334632, 0.8764632444670772,
   0.8548439911302239, 0.8331528328807094, 0.8113754449219018, 0.7894963856054505, 0.7674989223936083,
   0.7453648250265046, 0.7230741178398833, 0.7006047807539026, 0.6779323851462465, 0.6550296462513996,
   0.6318658673168978, 0.6084062416121218, 0.5846109651383412, 0.5604340933044595, 0.5358220452504321,
   0.5107116137288675, 0.4850272656948706, 0.4586773994899662, 0.4315490220368352, 0.40349995151552415,
   0.3743469874287288, 0.3438471885662818, 0.3116666672586600, 0.2773250692759121, 0.24008805272382228,
   0.19873365552920244, 0.15095268593687244, 0.091339518102903611, 0,
};

/* Is a point of the box, at a uniform height between the densities of its outer edge (fa) and of its inner
   edge (fb), below the curve, which has height f there? */
static int sneppp__zig_under(sneppp_rng *rng, double fa, double fb, double f)
{
   return fa + sneppp_rng_uniform(rng) * (fb - fa) < f;
}

/* The tail of the exponential beyond x_1 is x_1 plus an exponential. */
SNEPPP_DEF double sneppp_rng_exponential(sneppp_rng *rng)
{
   const double *x = sneppp__zig_exponential;
   double        start = 0;
   for (;;) {
      const uint64_t w = sneppp_rng_next(rng);
      const int      i = (int)(w & 127);
      const double   z = (double)(w >> 11) * (1.0 / 9007199254740992.0) * x[i];
      if (z < x[i + 1]) return start + z;
      if (i == 0) start += x[1];
      else if (sneppp__zig_under(rng, exp(-x[i]), exp(-x[i + 1]), exp(-z))) return start + z;
   }
}

/* The tail of the normal beyond r = x_1: with exponentials a, b the value r + a/r is right when
   2 b > (a/r)^2 (Marsaglia 1964). */
SNEPPP_DEF double sneppp_rng_normal(sneppp_rng *rng)
{
   const double *x = sneppp__zig_normal;
   for (;;) {
      const uint64_t w = sneppp_rng_next(rng);
      const int      i = (int)(w & 127);
      double         z = (double)(w >> 11) * (1.0 / 9007199254740992.0) * x[i];
      int            ok = z < x[i + 1];
      if (!ok && i == 0) {
         double a;
         do a = sneppp_rng_exponential(rng) / x[1];
         while (2 * sneppp_rng_exponential(rng) < a * a);
         z = x[1] + a;
         ok = 1;
      } else if (!ok) {
         const double fa = exp(-0.5 * x[i] * x[i]), fb = exp(-0.5 * x[i + 1] * x[i + 1]);
         ok = sneppp__zig_under(rng, fa, fb, exp(-0.5 * z * z));
      }
      if (ok) return w & 128 ? -z : z;
   }
}

/* log k! - log(sqrt(2 pi k) (k/e)^k) for k >= 1: what Stirling's formula lacks. The series is asymptotic; its
   first term left out is below 2e-16 for k >= 16. */
static double sneppp__rng_stirling(double k)
{
   static const double table[16] = {
      0, 0.081061466795327258, 0.041340695955409294, 0.027677925684998339,
      0.020790672103765093, 0.016644691189821192, 0.013876128823070748, 0.011896709945891770,
      0.010411265261972096, 0.0092554621827127329, 0.0083305634333628713, 0.0075736754879518408,
      0.0069428401072095299, 0.0064089941880042071, 0.0059513701127588477, 0.0055547335519628014};
   const double s = 1 / (k * k);
   if (k < 16) return table[(int)k];
   return (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188))))) / k;
}

/* k log(k/m) + m - k for k, m > 0, the deviance that decides a Poisson probability. At k = m + O(sqrt m) it
   is of order 1 while its terms are of order m log m, so near k = m it is summed as a series in
   v = (k-m)/(k+m), with log(k/m) = 2 artanh v (Loader, "Fast and accurate computation of binomial
   probabilities", 2000). */
static double sneppp__rng_deviance(double k, double m)
{
   const double v = (k - m) / (k + m), vv = v * v;
   double       term = 2 * k * v, sum = (k - m) * v;
   if (v > 0.1 || v < -0.1) return k * log(k / m) + m - k;
   for (int j = 3; j < 25; j += 2) {
      term *= vv;
      sum += term / j;
   }
   return sum;
}

/* The logarithm of the Poisson probability of k >= 0, with an absolute error of order 1e-15 wherever k is
   likely, also for a mean of 1e15, where the textbook form k log(mean) - mean - log k! keeps no digit. */
static double sneppp__rng_log_poisson(double k, double mean)
{
   if (k < 0.5) return -mean;
   return -sneppp__rng_stirling(k) - sneppp__rng_deviance(k, mean) - 0.5 * log(2 * SNEPPP__PI * k);
}

/* The same for the binomial; 0 < p < 1, 0 <= k <= n, q = 1 - p. */
static double sneppp__rng_log_binomial(double k, double n, double p, double q)
{
   const double r = n - k;
   if (k < 0.5) return n * log1p(-p);
   if (r < 0.5) return n * log(p);
   return sneppp__rng_stirling(n) - sneppp__rng_stirling(k) - sneppp__rng_stirling(r) -
          sneppp__rng_deviance(k, n * p) - sneppp__rng_deviance(r, n * q) +
          0.5 * log(n / (2 * SNEPPP__PI * k * r));
}

/* Small means: the first k whose cumulative probability exceeds a uniform. Every cumulative probability is
   met to 2^-53. The tail beyond k = 127 has probability below 1e-90 at a mean of 10. */
static double sneppp__poisson_small(sneppp_rng *rng, double mean)
{
   for (;;) {
      double u = sneppp_rng_uniform(rng), p = exp(-mean);
      for (int k = 0; k < 128; k++) {
         if (u < p) return k;
         u -= p;
         p *= mean / (k + 1);
      }
   }
}

/* 10 <= mean <= 2^52: transformed rejection with squeeze, algorithm PTRS of Hoermann, "The transformed
   rejection method for generating Poisson random variables", Insurance: Mathematics and Economics 12, 1993,
   whose constants these are. About 1.2 trials, most of which end at the squeeze. */
static double sneppp__poisson_large(sneppp_rng *rng, double mean)
{
   const double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
   const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2);
   for (;;) {
      const double u = sneppp__rng_open(rng) - 0.5, v = sneppp__rng_open(rng), s = 0.5 - fabs(u);
      const double k = floor((2 * a / s + b) * u + mean + 0.43);
      if (s >= 0.07 && v <= squeeze) return k;
      if (k < 0 || (s < 0.013 && v > s)) continue;
      if (log(v * inverse_alpha / (a / (s * s) + b)) <= sneppp__rng_log_poisson(k, mean)) return k;
   }
}

/* The largest mean, and number of trials, that is drawn at once: counts around it are exact in a double. A
   sum of independent Poisson counts is Poisson, and so for binomials, so larger ones are drawn in parts. */
#define SNEPPP__RNG_PART 4503599627370496.0 /* 2^52 */

SNEPPP_DEF uint64_t sneppp_rng_poisson(sneppp_rng *rng, double mean)
{
   uint64_t sum = 0;
   if (!sneppp__finite(mean) || !(mean > 0)) return 0;
   if (mean >= 9223372036854775808.0) return UINT64_MAX;
   while (mean > SNEPPP__RNG_PART) {
      sum += (uint64_t)sneppp__poisson_large(rng, SNEPPP__RNG_PART);
      mean -= SNEPPP__RNG_PART;
   }
   return sum + (uint64_t)(mean < 10 ? sneppp__poisson_small(rng, mean) : sneppp__poisson_large(rng, mean));
}

/* As for the Poisson; n p < 10 and p <= 1/2. */
static double sneppp__binomial_small(sneppp_rng *rng, double n, double p)
{
   for (;;) {
      double u = sneppp_rng_uniform(rng), f = exp(n * log1p(-p));
      for (int k = 0; k < 128 && k <= n; k++) {
         if (u < f) return k;
         u -= f;
         f *= (n - k) / (k + 1) * (p / (1 - p));
      }
   }
}

/* n p >= 10, p <= 1/2, n <= 2^52: algorithm BTRS of Hoermann, "The generation of binomial random variates",
   J. Stat. Comput. Simul. 46, 1993, whose constants these are. It compares with the probability at the mode. */
static double sneppp__binomial_large(sneppp_rng *rng, double n, double p)
{
   const double q = 1 - p, sd = sqrt(n * p * q), b = 1.15 + 2.53 * sd, a = -0.0873 + 0.0248 * b + 0.01 * p;
   const double squeeze = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * sd;
   const double mode = sneppp__rng_log_binomial(floor((n + 1) * p), n, p, q);
   for (;;) {
      const double u = sneppp__rng_open(rng) - 0.5, v = sneppp__rng_open(rng), s = 0.5 - fabs(u);
      const double k = floor((2 * a / s + b) * u + n * p + 0.5);
      if (k < 0 || k > n) continue;
      if (s >= 0.07 && v <= squeeze) return k;
      if (log(v * alpha / (a / (s * s) + b)) <= sneppp__rng_log_binomial(k, n, p, q) - mode) return k;
   }
}

/* 1 - p is exact for p >= 1/2, so counting the failures instead costs nothing. */
SNEPPP_DEF uint64_t sneppp_rng_binomial(sneppp_rng *rng, uint64_t n, double p)
{
   const uint64_t part = (uint64_t)SNEPPP__RNG_PART;
   uint64_t       left = n, sum = 0;
   int            flip;
   if (!sneppp__finite(p) || !(p > 0)) return 0;
   if (p >= 1) return n;
   flip = p > 0.5;
   if (flip) p = 1 - p;
   while (left) {
      const uint64_t now = left < part ? left : part;
      const double   m = (double)now;
      sum += (uint64_t)(m * p < 10 ? sneppp__binomial_small(rng, m, p) : sneppp__binomial_large(rng, m, p));
      left -= now;
   }
   return flip ? n - sum : sum;
}

/* log(1+t) - t + t^2/2 - t^3/3, t > -1; the first term of its series is -t^4/4. */
static double sneppp__rng_log1p_rest(double t)
{
   double power = t * t * t, sum = 0;
   if (t > 0.1 || t < -0.1) return log1p(t) - t + t * t / 2 - power / 3;
   for (int j = 4; j < 20; j++) {
      power *= -t;
      sum += power / j;
   }
   return sum;
}

/* Marsaglia and Tsang, "A simple method for generating gamma variables", ACM Trans. Math. Software 26, 2000:
   with d = shape - 1/3, c = 1/(3 sqrt d), x normal and t = c x, the value d (1+t)^3 is kept with probability
   exp(x^2/2 + d - d (1+t)^3 + 3 d log(1+t)) = exp(3 d (log(1+t) - t + t^2/2 - t^3/3)), the right form being
   the one that keeps its digits when d is large. A shape below 1 is raised by one and multiplied by
   U^(1/shape). */
SNEPPP_DEF double sneppp_rng_gamma(sneppp_rng *rng, double shape)
{
   double boost = 1, d, c;
   if (!sneppp__finite(shape) || !(shape > 0)) return 0;
   if (shape < 1) {
      const double e = sneppp_rng_exponential(rng);
      if (e > 740 * shape) return 0; /* below the smallest normal double */
      boost = exp(-e / shape);
      shape += 1;
   }
   d = shape - 1.0 / 3;
   c = 1 / (3 * sqrt(d));
   for (;;) {
      const double x = sneppp_rng_normal(rng), t = c * x, v = (1 + t) * (1 + t) * (1 + t);
      double       u;
      if (t <= -1) continue;
      u = sneppp__rng_open(rng);
      if (u < 1 - 0.0331 * (x * x) * (x * x) || log(u) < 3 * d * sneppp__rng_log1p_rest(t))
         return boost * (d * v);
   }
}

/* The direction of a normal vector is uniform. Short vectors are drawn again: they would lose the accuracy of
   the quotient, and whether a vector is short does not depend on its direction. */
SNEPPP_DEF void sneppp_rng_sphere(sneppp_rng *rng, int d, double *x)
{
   double norm = 0;
   if (d < 1) return;
   while (norm < 1e-12) {
      norm = 0;
      for (int i = 0; i < d; i++) {
         x[i] = sneppp_rng_normal(rng);
         norm += x[i] * x[i];
      }
   }
   norm = sqrt(norm);
   for (int i = 0; i < d; i++) x[i] /= norm;
}

/* >>linalg ===================================================================================================
   All matrices are row-major, ld is the stride between rows, sizes are size_t, and nothing here allocates. The
   plain versions are short enough to be checked by eye; they stay as the reference of the tests and as the code
   for machines without vectors.

   Hooks. Define them before the implementation to send the work to a library of yours; the plain versions stay
   compiled. Please give us a one-threaded library: the threads are ours, and results must not depend on them.

      SNEPPP_GEMM(ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc)   arguments of sneppp__dgemm
      SNEPPP_SYRK(trans, n, k, alpha, A, lda, beta, C, ldc)               arguments of sneppp__dsyrk
      SNEPPP_GEMM_F32, SNEPPP_SYRK_F32                                    the same for float
      SNEPPP_EIGH(n, A, w, Q, warm, work)                                 arguments of sneppp__eigh; 0 = success */

#endif /* SNEPPP_INFERENCE_ONLY */

#if !defined(SNEPPP_NO_SIMD) && (defined(__GNUC__) || defined(__clang__))
   #if defined(__x86_64__)
      #define SNEPPP__AVX /* compiled always, used if the machine has it */
      #define SNEPPP__TARGET_AVX2   __attribute__((target("avx2,fma")))
      #define SNEPPP__TARGET_AVX512 __attribute__((target("avx512f")))
      #include <immintrin.h>
   #elif defined(__aarch64__) && defined(__ARM_NEON)
      #define SNEPPP__NEON
      #include <arm_neon.h>
   #endif
#endif

#ifndef SNEPPP_INFERENCE_ONLY
/* C = alpha op(A) op(B) + beta C, with op(A) (m, k), op(B) (k, n), C (m, n); op transposes where ta, tb are not
   zero. With beta = 0 the old C is not read, so it may be uninitialised. The loops run over C and B by rows,
   which is the order of memory, except where B is transposed: there the dot product is. */
SNEPPP__UNUSED static void sneppp__dgemm_plain(int ta, int tb, size_t m, size_t n, size_t k, double alpha,
                                               const double *A, size_t lda, const double *B, size_t ldb,
                                               double beta, double *C, size_t ldc)
{
   for (size_t i = 0; i < m; i++) {
      double *c = C + i * ldc;
      if (beta == 0) for (size_t j = 0; j < n; j++) c[j] = 0;
      else if (beta != 1) for (size_t j = 0; j < n; j++) c[j] *= beta;
      if (!tb) {
         for (size_t p = 0; p < k; p++) {
            double        a = alpha * (ta ? A[p * lda + i] : A[i * lda + p]);
            const double *b = B + p * ldb;
            for (size_t j = 0; j < n; j++) c[j] += a * b[j];
         }
      } else {
         for (size_t j = 0; j < n; j++) {
            const double *b = B + j * ldb;
            double        s = 0;
            if (ta) for (size_t p = 0; p < k; p++) s += A[p * lda + i] * b[p];
            else    for (size_t p = 0; p < k; p++) s += A[i * lda + p] * b[p];
            c[j] += alpha * s;
         }
      }
   }
}

SNEPPP__UNUSED static void sneppp__sgemm_plain(int ta, int tb, size_t m, size_t n, size_t k, float alpha,
                                               const float *A, size_t lda, const float *B, size_t ldb,
                                               float beta, float *C, size_t ldc)
{
   for (size_t i = 0; i < m; i++) {
      float *c = C + i * ldc;
      if (beta == 0) for (size_t j = 0; j < n; j++) c[j] = 0;
      else if (beta != 1) for (size_t j = 0; j < n; j++) c[j] *= beta;
      if (!tb) {
         for (size_t p = 0; p < k; p++) {
            float        a = alpha * (ta ? A[p * lda + i] : A[i * lda + p]);
            const float *b = B + p * ldb;
            for (size_t j = 0; j < n; j++) c[j] += a * b[j];
         }
      } else {
         for (size_t j = 0; j < n; j++) {
            const float *b = B + j * ldb;
            float        s = 0;
            if (ta) for (size_t p = 0; p < k; p++) s += A[p * lda + i] * b[p];
            else    for (size_t p = 0; p < k; p++) s += A[i * lda + p] * b[p];
            c[j] += alpha * s;
         }
      }
   }
}

/* Copies the lower triangle to the upper one, in squares of 8 so that both sides stay in the cache. */
SNEPPP__UNUSED static void sneppp__dmirror(size_t n, double *C, size_t ldc)
{
   for (size_t i0 = 0; i0 < n; i0 += 8)
      for (size_t j0 = 0; j0 <= i0; j0 += 8)
         for (size_t j = j0; j < j0 + 8 && j < n; j++)
            for (size_t i = i0 > j ? i0 : j + 1; i < i0 + 8 && i < n; i++) C[j * ldc + i] = C[i * ldc + j];
}

SNEPPP__UNUSED static void sneppp__smirror(size_t n, float *C, size_t ldc)
{
   for (size_t i0 = 0; i0 < n; i0 += 8)
      for (size_t j0 = 0; j0 <= i0; j0 += 8)
         for (size_t j = j0; j < j0 + 8 && j < n; j++)
            for (size_t i = i0 > j ? i0 : j + 1; i < i0 + 8 && i < n; i++) C[j * ldc + i] = C[i * ldc + j];
}

/* C = alpha A A' + beta C (trans 0, A is (n, k)) or alpha A'A + beta C (trans 1, A is (k, n)). C is symmetric:
   its lower triangle is read and computed, and the upper one is a copy, so both sides agree to the bit. */
SNEPPP__UNUSED static void sneppp__dsyrk_plain(int trans, size_t n, size_t k, double alpha, const double *A,
                                               size_t lda, double beta, double *C, size_t ldc)
{
   for (size_t i = 0; i < n; i++)
      sneppp__dgemm_plain(trans, !trans, 1, i + 1, k, alpha, trans ? A + i : A + i * lda, lda, A, lda, beta,
                          C + i * ldc, ldc);
   sneppp__dmirror(n, C, ldc);
}

SNEPPP__UNUSED static void sneppp__ssyrk_plain(int trans, size_t n, size_t k, float alpha, const float *A,
                                               size_t lda, float beta, float *C, size_t ldc)
{
   for (size_t i = 0; i < n; i++)
      sneppp__sgemm_plain(trans, !trans, 1, i + 1, k, alpha, trans ? A + i : A + i * lda, lda, A, lda, beta,
                          C + i * ldc, ldc);
   sneppp__smirror(n, C, ldc);
}

/* ---- fast gemm and syrk. C is cut into tiles of 6 rows by two vectors. A tile lives in registers while one
   strip of A and one panel of B pass by: per step 2 loads, 6 broadcasts and 12 fused multiply-adds, so that the
   arithmetic units and not the load ports are the limit. B is copied ("packed") into panels, block by block, so
   that a block stays in the second cache and is read in order; a strip of A is read where it stands, and packed
   if it is short, or transposed and hard to reach. The scheme is that of Goto and van de Geijn (ACM TOMS 34,
   2008). No memory is allocated: the block is on the stack, 115 kB in all.

   One macro writes the tile kernel for every vector unit; V is the vector type, W its length. scale points to
   alpha and beta: in registers they would push an accumulator out to memory and halve the speed. */
#define SNEPPP__TILE_ROWS   6
#define SNEPPP__DEPTH       192 /* steps of k in a block: one panel and one strip fit into the first cache   */
#define SNEPPP__BLOCK_BYTES 512 /* a row of a block of B, 96 kB in all: 4 to 16 panels for the second cache  */
#define SNEPPP__STRIP_BYTES 16  /* strips of a transposed A that are packed together: 2 of double, 4 of float */

#define SNEPPP__TILE_KERNEL(name, target, T, V, W, ZERO, SET1, LOAD, STORE, FMA, MUL)                          \
   target static void name(size_t k, const void *a_, size_t rs, size_t cs, const void *b_,                     \
                           const double *scale, void *c_, size_t ldc)                                          \
   {                                                                                                           \
      const T *a = (const T *)a_, *d = a + 3 * rs, *b = (const T *)b_;                                         \
      T *c = (T *)c_;                                                                                          \
      V x, b0, b1, alpha, beta;                                                                                \
      V c00 = ZERO, c01 = ZERO, c10 = ZERO, c11 = ZERO, c20 = ZERO, c21 = ZERO;                                \
      V c30 = ZERO, c31 = ZERO, c40 = ZERO, c41 = ZERO, c50 = ZERO, c51 = ZERO;                                \
      for (; k; k--) {                                                                                         \
         b0 = LOAD(b), b1 = LOAD(b + W);                                                                       \
         x = SET1(a[0]), c00 = FMA(x, b0, c00), c01 = FMA(x, b1, c01);                                         \
         x = SET1(a[rs]), c10 = FMA(x, b0, c10), c11 = FMA(x, b1, c11);                                        \
         x = SET1(a[2 * rs]), c20 = FMA(x, b0, c20), c21 = FMA(x, b1, c21);                                    \
         x = SET1(d[0]), c30 = FMA(x, b0, c30), c31 = FMA(x, b1, c31);                                         \
         x = SET1(d[rs]), c40 = FMA(x, b0, c40), c41 = FMA(x, b1, c41);                                        \
         x = SET1(d[2 * rs]), c50 = FMA(x, b0, c50), c51 = FMA(x, b1, c51);                                    \
         a += cs, d += cs, b += 2 * W;                                                                         \
      }                                                                                                        \
      alpha = SET1((T)scale[0]), beta = SET1((T)scale[1]);                                                     \
      if (scale[1] == 0) {                                                                                     \
         STORE(c, MUL(alpha, c00)), STORE(c + W, MUL(alpha, c01)), c += ldc;                                   \
         STORE(c, MUL(alpha, c10)), STORE(c + W, MUL(alpha, c11)), c += ldc;                                   \
         STORE(c, MUL(alpha, c20)), STORE(c + W, MUL(alpha, c21)), c += ldc;                                   \
         STORE(c, MUL(alpha, c30)), STORE(c + W, MUL(alpha, c31)), c += ldc;                                   \
         STORE(c, MUL(alpha, c40)), STORE(c + W, MUL(alpha, c41)), c += ldc;                                   \
         STORE(c, MUL(alpha, c50)), STORE(c + W, MUL(alpha, c51));                                             \
      } else {                                                                                                 \
         SNEPPP__TILE_ADD(c00, c01, W, LOAD, STORE, FMA, MUL) c += ldc;                                        \
         SNEPPP__TILE_ADD(c10, c11, W, LOAD, STORE, FMA, MUL) c += ldc;                                        \
         SNEPPP__TILE_ADD(c20, c21, W, LOAD, STORE, FMA, MUL) c += ldc;                                        \
         SNEPPP__TILE_ADD(c30, c31, W, LOAD, STORE, FMA, MUL) c += ldc;                                        \
         SNEPPP__TILE_ADD(c40, c41, W, LOAD, STORE, FMA, MUL) c += ldc;                                        \
         SNEPPP__TILE_ADD(c50, c51, W, LOAD, STORE, FMA, MUL)                                                  \
      }                                                                                                        \
   }
#define SNEPPP__TILE_ADD(r0, r1, W, LOAD, STORE, FMA, MUL)                                                     \
   STORE(c, FMA(alpha, r0, MUL(beta, LOAD(c)))), STORE(c + W, FMA(alpha, r1, MUL(beta, LOAD(c + W))));

typedef struct sneppp__kit { /* what a vector unit brings; sizes in elements */
   void (*tile)(size_t k, const void *a, size_t rs, size_t cs, const void *b, const double *scale, void *c,
                size_t ldc);
   size_t size;    /* bytes of an element               */
   size_t columns; /* of a tile: two vectors            */
} sneppp__kit;

#if defined(SNEPPP__AVX)
   SNEPPP__TILE_KERNEL(sneppp__tile_avx2_f64, SNEPPP__TARGET_AVX2, double, __m256d, 4, _mm256_setzero_pd(),
                       _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_fmadd_pd, _mm256_mul_pd)
   SNEPPP__TILE_KERNEL(sneppp__tile_avx2_f32, SNEPPP__TARGET_AVX2, float, __m256, 8, _mm256_setzero_ps(),
                       _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_fmadd_ps, _mm256_mul_ps)
   SNEPPP__TILE_KERNEL(sneppp__tile_avx512_f64, SNEPPP__TARGET_AVX512, double, __m512d, 8, _mm512_setzero_pd(),
                       _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_fmadd_pd, _mm512_mul_pd)
   SNEPPP__TILE_KERNEL(sneppp__tile_avx512_f32, SNEPPP__TARGET_AVX512, float, __m512, 16, _mm512_setzero_ps(),
                       _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_fmadd_ps, _mm512_mul_ps)
   static const sneppp__kit sneppp__kits[2][2] = {
      {{sneppp__tile_avx2_f32, 4, 16}, {sneppp__tile_avx2_f64, 8, 8}},
      {{sneppp__tile_avx512_f32, 4, 32}, {sneppp__tile_avx512_f64, 8, 16}}};
#elif defined(SNEPPP__NEON)
   #define SNEPPP__NEON_FMA64(x, y, z) vfmaq_f64(z, x, y)
   #define SNEPPP__NEON_FMA32(x, y, z) vfmaq_f32(z, x, y)
   SNEPPP__TILE_KERNEL(sneppp__tile_neon_f64, , double, float64x2_t, 2, vdupq_n_f64(0), vdupq_n_f64, vld1q_f64,
                       vst1q_f64, SNEPPP__NEON_FMA64, vmulq_f64)
   SNEPPP__TILE_KERNEL(sneppp__tile_neon_f32, , float, float32x4_t, 4, vdupq_n_f32(0), vdupq_n_f32, vld1q_f32,
                       vst1q_f32, SNEPPP__NEON_FMA32, vmulq_f32)
   static const sneppp__kit sneppp__kits[1][2] = {{{sneppp__tile_neon_f32, 4, 8}, {sneppp__tile_neon_f64, 8, 4}}};
#endif

/* The kit for this machine, or NULL. Asked at every call: the answer is a look at a word that the compiler's
   runtime has filled before main, and we keep no state of our own. */
SNEPPP__UNUSED static const sneppp__kit *sneppp__kit_for(size_t size)
{
#if defined(SNEPPP__AVX)
   if (__builtin_cpu_supports("avx512f")) return &sneppp__kits[1][size == 8];
   if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &sneppp__kits[0][size == 8];
   return NULL;
#elif defined(SNEPPP__NEON)
   return &sneppp__kits[0][size == 8];
#else
   (void)size;
   return NULL;
#endif
}

/* Smaller products than this cost more to pack than they save. */
#define SNEPPP__IS_LARGE(m, n, k) ((m) > 1 && (n) > 3 && (m) * (n) * (k) >= 256)

#if defined(SNEPPP__AVX) || defined(SNEPPP__NEON)
/* dst[p * width + i] = src[i * si + p * sp] for i < count, 0 for count <= i < width: a panel of B, or a strip of
   A. Both element types are moved as bits. */
static void sneppp__pack_f64(double *dst, size_t width, size_t count, size_t k, const double *src, size_t si, size_t sp)
{
   for (size_t p = 0; p < k; p++, dst += width, src += sp) {
      if (si == 1 && count == 8 && width == 8) memcpy(dst, src, 8 * sizeof *dst); /* known lengths become moves */
      else if (si == 1 && count == 6 && width == 6) memcpy(dst, src, 6 * sizeof *dst);
      else {
         for (size_t i = 0; i < count; i++) dst[i] = src[i * si];
         for (size_t i = count; i < width; i++) dst[i] = 0;
      }
   }
}

static void sneppp__pack_f32(float *dst, size_t width, size_t count, size_t k, const float *src, size_t si, size_t sp)
{
   for (size_t p = 0; p < k; p++, dst += width, src += sp) {
      if (si == 1 && count == 16 && width == 16) memcpy(dst, src, 16 * sizeof *dst); /* known lengths become moves */
      else if (si == 1 && count == 6 && width == 6) memcpy(dst, src, 6 * sizeof *dst);
      else {
         for (size_t i = 0; i < count; i++) dst[i] = src[i * si];
         for (size_t i = count; i < width; i++) dst[i] = 0;
      }
   }
}

static void sneppp__pack(const sneppp__kit *kit, void *dst, size_t width, size_t count, size_t k, const void *src,
                         size_t si, size_t sp)
{
   if (kit->size == 8) sneppp__pack_f64((double *)dst, width, count, k, (const double *)src, si, sp);
   else                sneppp__pack_f32((float *)dst, width, count, k, (const float *)src, si, sp);
}

/* The strips from `next` on, as many as there is room for: a transposed A is read several cache lines wide, or a
   matrix whose row is a power of two would throw each line out before its neighbour is wanted. */
static void sneppp__pack_strips(const sneppp__kit *kit, char *strips, size_t next, size_t left, size_t k,
                                const void *src_, size_t si, size_t sp)
{
   const char *src = (const char *)src_;
   for (size_t p = 0; p < k; p += 8)
      for (size_t s = next, i = 0; s < SNEPPP__STRIP_BYTES / kit->size && i < left; s++, i += SNEPPP__TILE_ROWS)
         sneppp__pack(kit, strips + (s * k + p) * SNEPPP__TILE_ROWS * kit->size, SNEPPP__TILE_ROWS,
                      left - i < SNEPPP__TILE_ROWS ? left - i : SNEPPP__TILE_ROWS, k - p < 8 ? k - p : 8,
                      src + (i * si + p * sp) * kit->size, si, sp);
}

/* A tile that sticks out of C is made apart and its part that counts is added. */
static void sneppp__tile_edge(const sneppp__kit *kit, size_t k, const void *a, size_t rs, size_t cs, const void *b,
                              const double *scale, void *c_, size_t ldc, size_t rows, size_t columns)
{
   double full[SNEPPP__TILE_ROWS * 16], once[2], beta = scale[1]; /* room for 16 doubles or 32 floats a row */
   once[0] = scale[0], once[1] = 0;
   kit->tile(k, a, rs, cs, b, once, full, kit->columns);
   for (size_t i = 0; i < rows; i++)
      for (size_t j = 0; j < columns; j++) {
         if (kit->size == 8) {
            double *c = (double *)c_ + i * ldc + j, t = full[i * kit->columns + j];
            *c = beta == 0 ? t : t + beta * *c;
         } else {
            float *c = (float *)c_ + i * ldc + j, t;
            memcpy(&t, (const char *)full + (i * kit->columns + j) * sizeof t, sizeof t);
            *c = beta == 0 ? t : t + (float)beta * *c;
         }
      }
}

/* All blocks. lower: only tiles that touch the lower triangle of C are computed. */
SNEPPP__UNUSED static void sneppp__gemm_blocks(const sneppp__kit *kit, int lower, int ta, int tb, size_t m, size_t n,
                                               size_t k, double alpha, const void *A, size_t lda, const void *B,
                                               size_t ldb, double beta, void *C, size_t ldc)
{
   double block_[SNEPPP__DEPTH * SNEPPP__BLOCK_BYTES / 8 + 8],
      strips[SNEPPP__STRIP_BYTES / 8 * SNEPPP__TILE_ROWS * SNEPPP__DEPTH];
   char       *block = (char *)block_ + (64 - (uintptr_t)block_ % 64) % 64;
   const char *a = (const char *)A, *b = (const char *)B;
   char       *c = (char *)C;
   size_t      size = kit->size, wide = kit->columns, chunks = (k + SNEPPP__DEPTH - 1) / SNEPPP__DEPTH;
   size_t      ai = ta ? 1 : lda, ap = ta ? lda : 1, bj = tb ? ldb : 1, bp = tb ? 1 : ldb;
   size_t      nc = SNEPPP__BLOCK_BYTES / size / wide * wide;
   /* A strip of a transposed A has one cache line per step of k: read where it stands, unless the lines are many, or so
      regular that they fall on each other in the cache. */
   int         crowded = ta && (k > 2 * SNEPPP__DEPTH || lda * size % 256 == 0);
   for (size_t j0 = 0; j0 < n; j0 += nc)
      for (size_t chunk = 0; chunk < chunks; chunk++) {
         size_t p0 = k * chunk / chunks, kc = k * (chunk + 1) / chunks - p0, nj = n - j0 < nc ? n - j0 : nc;
         size_t first = lower ? j0 / SNEPPP__TILE_ROWS * SNEPPP__TILE_ROWS : 0;
         double scale[2];
         scale[0] = alpha, scale[1] = chunk ? 1 : beta;
         for (size_t j = 0; j < nj; j += wide)
            sneppp__pack(kit, block + j * kc * size, wide, nj - j < wide ? nj - j : wide, kc,
                         b + ((j0 + j) * bj + p0 * bp) * size, bj, bp);
         for (size_t i = first; i < m; i += SNEPPP__TILE_ROWS) {
            size_t      rows = m - i < SNEPPP__TILE_ROWS ? m - i : SNEPPP__TILE_ROWS, rs = ai, cs = ap;
            const void *ready = a + (i * ai + p0 * ap) * size;
            if (crowded || rows < SNEPPP__TILE_ROWS) {
               size_t next = (i - first) / SNEPPP__TILE_ROWS % (SNEPPP__STRIP_BYTES / size), left = m - i;
               if (!next || !crowded) sneppp__pack_strips(kit, (char *)strips, next, left, kc, ready, ai, ap);
               ready = (char *)strips + next * SNEPPP__TILE_ROWS * kc * size, rs = 1, cs = SNEPPP__TILE_ROWS;
            }
            for (size_t j = 0; j < nj && !(lower && j0 + j >= i + rows); j += wide) {
               size_t columns = nj - j < wide ? nj - j : wide;
               void  *to = c + (i * ldc + j0 + j) * size, *panel = block + j * kc * size;
               if (rows == SNEPPP__TILE_ROWS && columns == wide)
                  kit->tile(kc, ready, rs, cs, panel, scale, to, ldc);
               else sneppp__tile_edge(kit, kc, ready, rs, cs, panel, scale, to, ldc, rows, columns);
            }
         }
      }
}
#endif

SNEPPP__UNUSED static void sneppp__dgemm(int ta, int tb, size_t m, size_t n, size_t k, double alpha,
                                         const double *A, size_t lda, const double *B, size_t ldb, double beta,
                                         double *C, size_t ldc)
{
#ifdef SNEPPP_GEMM
   SNEPPP_GEMM(ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
#else
   #if defined(SNEPPP__AVX) || defined(SNEPPP__NEON)
   const sneppp__kit *kit = sneppp__kit_for(sizeof *C);
   if (kit && k && SNEPPP__IS_LARGE(m, n, k)) {
      sneppp__gemm_blocks(kit, 0, ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
      return;
   }
   #endif
   sneppp__dgemm_plain(ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
#endif
}

SNEPPP__UNUSED static void sneppp__sgemm(int ta, int tb, size_t m, size_t n, size_t k, float alpha,
                                         const float *A, size_t lda, const float *B, size_t ldb, float beta,
                                         float *C, size_t ldc)
{
#ifdef SNEPPP_GEMM_F32
   SNEPPP_GEMM_F32(ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
#else
   #if defined(SNEPPP__AVX) || defined(SNEPPP__NEON)
   const sneppp__kit *kit = sneppp__kit_for(sizeof *C);
   if (kit && k && SNEPPP__IS_LARGE(m, n, k)) {
      sneppp__gemm_blocks(kit, 0, ta, tb, m, n, k, (double)alpha, A, lda, B, ldb, (double)beta, C, ldc);
      return;
   }
   #endif
   sneppp__sgemm_plain(ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
#endif
}

SNEPPP__UNUSED static void sneppp__dsyrk(int trans, size_t n, size_t k, double alpha, const double *A,
                                         size_t lda, double beta, double *C, size_t ldc)
{
#ifdef SNEPPP_SYRK
   SNEPPP_SYRK(trans, n, k, alpha, A, lda, beta, C, ldc);
#else
   #if defined(SNEPPP__AVX) || defined(SNEPPP__NEON)
   const sneppp__kit *kit = sneppp__kit_for(sizeof *C);
   if (kit && k && SNEPPP__IS_LARGE(n, n, k)) {
      sneppp__gemm_blocks(kit, 1, trans, !trans, n, n, k, alpha, A, lda, A, lda, beta, C, ldc);
      sneppp__dmirror(n, C, ldc);
      return;
   }
   #endif
   sneppp__dsyrk_plain(trans, n, k, alpha, A, lda, beta, C, ldc);
#endif
}

SNEPPP__UNUSED static void sneppp__ssyrk(int trans, size_t n, size_t k, float alpha, const float *A, size_t lda,
                                         float beta, float *C, size_t ldc)
{
#ifdef SNEPPP_SYRK_F32
   SNEPPP_SYRK_F32(trans, n, k, alpha, A, lda, beta, C, ldc);
#else
   #if defined(SNEPPP__AVX) || defined(SNEPPP__NEON)
   const sneppp__kit *kit = sneppp__kit_for(sizeof *C);
   if (kit && k && SNEPPP__IS_LARGE(n, n, k)) {
      sneppp__gemm_blocks(kit, 1, trans, !trans, n, n, k, (double)alpha, A, lda, A, lda, (double)beta, C, ldc);
      sneppp__smirror(n, C, ldc);
      return;
   }
   #endif
   sneppp__ssyrk_plain(trans, n, k, alpha, A, lda, beta, C, ldc);
#endif
}

#ifdef SNEPPP_REAL_FLOAT
   #define sneppp__gemm sneppp__sgemm
   #define sneppp__syrk sneppp__ssyrk
#else
   #define sneppp__gemm sneppp__dgemm
   #define sneppp__syrk sneppp__dsyrk
#endif

#define SNEPPP__EPS 2.220446049250313e-16 /* 2^-52, the distance from 1 to the next double */

/* Four sums, because one would wait for each addition to end before the next can start. */
SNEPPP__INLINE double sneppp__dot(size_t n, const double *x, const double *y)
{
   double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
   const size_t fours = n / 4 * 4;
   for (size_t i = 0; i < fours; i += 4) {
      s0 += x[i] * y[i];
      s1 += x[i + 1] * y[i + 1];
      s2 += x[i + 2] * y[i + 2];
      s3 += x[i + 3] * y[i + 3];
   }
   for (size_t i = fours; i < n; i++) s0 += x[i] * y[i];
   return (s0 + s1) + (s2 + s3);
}

/* The largest absolute entry of A (n, n), or -1 if an entry is NaN or infinite. */
static double sneppp__max_abs(size_t n, const double *A, size_t lda)
{
   double big = 0;
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
         double a = fabs(A[i * lda + j]);
         if (!sneppp__finite(a)) return -1;
         if (a > big) big = a;
      }
   return big;
}

/* ---- Cholesky: A = L L', L lower. Only the lower triangle of A is read; L replaces it and the strict upper
   triangle becomes zero. Row by row, every inner sum is a dot product of two rows of L. If a pivot is not
   positive the answer is ERR_NOT_POSITIVE and A is partly overwritten. */
SNEPPP__UNUSED static sneppp_status sneppp__chol_plain(size_t n, double *A, size_t lda)
{
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j <= i; j++)
         if (!sneppp__finite(A[i * lda + j])) return SNEPPP_ERR_NOT_FINITE;
   for (size_t i = 0; i < n; i++) {
      double *Li = A + i * lda, d;
      for (size_t j = 0; j < i; j++) {
         const double *Lj = A + j * lda;
         Li[j] = (Li[j] - sneppp__dot(j, Li, Lj)) / Lj[j];
      }
      d = Li[i] - sneppp__dot(i, Li, Li);
      if (!sneppp__finite(d) || d <= 0) return SNEPPP_ERR_NOT_POSITIVE;
      Li[i] = sqrt(d);
      for (size_t j = i + 1; j < n; j++) Li[j] = 0;
   }
   return SNEPPP_OK;
}

SNEPPP__UNUSED static sneppp_status sneppp__chol(size_t n, double *A, size_t lda)
{
   return sneppp__chol_plain(n, A, lda);
}

/* B (n, nrhs) becomes L^-1 B, or L^-T B if trans. Rows of B are combined, so memory is read in order for any
   number of right sides. */
SNEPPP__UNUSED static void sneppp__solve_lower(size_t n, const double *L, size_t ldl, int trans, double *B,
                                               size_t nrhs, size_t ldb)
{
   for (size_t s = 0; s < n; s++) {
      size_t  i = trans ? n - 1 - s : s;
      double *b = B + i * ldb, pivot = L[i * ldl + i];
      for (size_t r = 0; r < nrhs; r++) b[r] /= pivot;
      if (!trans) { /* row i is final: take it out of the rows below */
         for (size_t q = i + 1; q < n; q++) {
            double l = L[q * ldl + i];
            for (size_t r = 0; r < nrhs; r++) B[q * ldb + r] -= l * b[r];
         }
      } else {
         for (size_t q = 0; q < i; q++) {
            double l = L[i * ldl + q];
            for (size_t r = 0; r < nrhs; r++) B[q * ldb + r] -= l * b[r];
         }
      }
   }
}

/* ---- the cyclic Jacobi method for A = Q diag(w) Q', A symmetric.
   A rotation in the plane (p, q) with t = tan(angle), t^2 + 2 t theta - 1 = 0, theta = (a_qq - a_pp)/(2 a_pq),
   makes a_pq zero; sweeps over all planes converge quadratically. The smaller root t, and the update
   a_pp - t a_pq, are Rutishauser's (Numer. Math. 9, 1966). A plane is left alone when

      |a_pq| <= eps sqrt(|a_pp a_qq|),

   the criterion of Demmel and Veselic (SIAM J. Matrix Anal. 13, 1992): with it the small eigenvalues of a graded
   positive definite matrix D H D come out with the relative accuracy that the well scaled H deserves, where a
   test against the norm of A would lose them. */

/* x <- c x - s y,  y <- s x + c y */
static void sneppp__rotate(size_t n, double *x, double *y, double c, double s)
{
   for (size_t i = 0; i < n; i++) {
      double xi = x[i], yi = y[i];
      x[i] = c * xi - s * yi;
      y[i] = s * xi + c * yi;
   }
}

/* One plane of B (n, n); V (n, n) collects the eigenvectors in its ROWS. Returns 1 if it rotated. */
static int sneppp__jacobi_plane(size_t n, double *B, double *V, size_t p, size_t q)
{
   double *bp = B + p * n, *bq = B + q * n;
   double  apq = bp[q], app = bp[p], aqq = bq[q], theta, t, c, s;
   double  small = SNEPPP__EPS * sqrt(fabs(app)) * sqrt(fabs(aqq));
   if (fabs(apq) <= small || fabs(apq) < 1e-290) return 0; /* B is scaled to 1: such an entry is nothing */
   /* |theta| may be as large as 1e290; its square is then avoided, and t = 1/(2 theta) is exact enough. */
   theta = 0.5 * (aqq - app) / apq;
   t = 1 / (fabs(theta) + (fabs(theta) > 1e100 ? fabs(theta) : sqrt(1 + theta * theta)));
   if (theta < 0) t = -t;
   c = 1 / sqrt(1 + t * t);
   s = c * t;
   sneppp__rotate(n, bp, bq, c, s);
   bp[p] = app - t * apq;
   bq[q] = aqq + t * apq;
   bp[q] = bq[p] = 0;
   for (size_t i = 0; i < n; i++) B[i * n + p] = bp[i], B[i * n + q] = bq[i];
   sneppp__rotate(n, V + p * n, V + q * n, c, s);
   return 1;
}

/* Makes B nearly diagonal. Sweeps are bounded; 6 to 10 are usual, 40 are never seen. */
static sneppp_status sneppp__jacobi_sweeps(size_t n, double *B, double *V)
{
   for (int sweep = 0; sweep < 40; sweep++) {
      size_t rotations = 0;
      for (size_t p = 0; p + 1 < n; p++)
         for (size_t q = p + 1; q < n; q++) rotations += (size_t)sneppp__jacobi_plane(n, B, V, p, q);
      if (!rotations) return SNEPPP_OK;
   }
   /* Rounding may keep a plane or two turning at the level of noise; that is still a solution. */
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < i; j++)
         if (fabs(B[i * n + j]) > SNEPPP__EPS) return SNEPPP_ERR_NO_CONVERGENCE;
   return SNEPPP_OK;
}

/* Q is nearly orthogonal after many warm starts; one step of Newton's iteration for the polar factor,
   Q <- Q (3 I - Q'Q)/2, squares the error. Returns 0 if Q is no basis at all (then it must not be used). */
static int sneppp__orthogonalise(size_t n, double *Q, double *G, double *T)
{
   double error = 0;
   if (sneppp__max_abs(n, Q, n) < 0) return 0;
   sneppp__dsyrk(1, n, n, 1, Q, n, 0, G, n);
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
         double e = G[i * n + j] - (i == j ? 1 : 0);
         error += e * e;
      }
   if (!sneppp__finite(error) || error > 1e-8) return 0;
   sneppp__dgemm(0, 0, n, n, n, 1, Q, n, G, n, 0, T, n);
   for (size_t i = 0; i < n * n; i++) Q[i] = 1.5 * Q[i] - 0.5 * T[i];
   return 1;
}

/* Sorts w upwards; order[r] is the old place of the r-th, held as a double because it lives in a work array of
   doubles. Heap sort: n log n, no recursion, no memory. */
static void sneppp__sort_order(size_t n, const double *w, double *order)
{
   #define SNEPPP__AT(r) w[(size_t)order[r]]
   for (size_t i = 0; i < n; i++) order[i] = (double)i;
   for (size_t top = n / 2, end = n; end > 1;) {
      double hold;
      size_t root, child;
      if (top) hold = order[--top];
      else { hold = order[--end]; order[end] = order[0]; }
      for (root = top; (child = 2 * root + 1) < end; root = child) {
         if (child + 1 < end && SNEPPP__AT(child + 1) > SNEPPP__AT(child)) child++;
         if (SNEPPP__AT(child) <= w[(size_t)hold]) break;
         order[root] = order[child];
      }
      order[root] = hold;
   }
   #undef SNEPPP__AT
}

/* w ascending and the columns of Q from values in d, scaled by 2^exponent, and vectors in the rows of V. */
static void sneppp__sorted_basis(size_t n, const double *d, const double *V, size_t ld, int exponent, double *w,
                                 double *Q, double *order)
{
   sneppp__sort_order(n, d, order);
   for (size_t r = 0; r < n; r++) w[r] = ldexp(d[(size_t)order[r]], exponent);
   for (size_t r0 = 0; r0 < n; r0 += 8)
      for (size_t i = 0; i < n; i++)
         for (size_t r = r0; r < r0 + 8 && r < n; r++) Q[i * n + r] = V[(size_t)order[r] * ld + i];
}

/* The size of `work` for sneppp__eigh, sneppp__eigh_jacobi and sneppp__psd_project, in doubles. */
SNEPPP__UNUSED static size_t sneppp__eigh_work(size_t n) { return 3 * n * n + 120 * n + 2400; }

/* A = Q diag(w) Q', w ascending, eigenvectors in the columns of Q (n, n). warm: Q holds a basis in which A is
   nearly diagonal, as after a small step from a matrix whose eigenvectors it holds; fewer sweeps are needed.
   High relative accuracy of small eigenvalues is only had from a cold start, as Q'A Q mixes large and small. */
SNEPPP__UNUSED static sneppp_status sneppp__eigh_jacobi(size_t n, const double *A, double *w, double *Q,
                                                        int warm, double *work)
{
   double        scale = sneppp__max_abs(n, A, n), *B = work, *V = work + n * n, *d = V + n * n;
   int           exponent = 0;
   sneppp_status status;
   if (scale < 0) return SNEPPP_ERR_NOT_FINITE;
   frexp(scale, &exponent); /* a power of two scales without rounding */
   if (warm && sneppp__orthogonalise(n, Q, B, V)) {
      for (size_t i = 0; i < n * n; i++) B[i] = ldexp(A[i], -exponent);
      sneppp__dgemm(0, 0, n, n, n, 1, B, n, Q, n, 0, V, n);
      sneppp__dgemm(1, 0, n, n, n, 1, Q, n, V, n, 0, B, n);
      for (size_t i = 0; i < n; i++)
         for (size_t j = 0; j < n; j++) V[j * n + i] = Q[i * n + j];
   } else {
      for (size_t i = 0; i < n; i++)
         for (size_t j = 0; j < n; j++) B[i * n + j] = ldexp(A[i * n + j], -exponent), V[i * n + j] = i == j;
   }
   for (size_t i = 0; i < n; i++) /* rounding and careless callers: the method needs an exact symmetry */
      for (size_t j = 0; j < i; j++) B[i * n + j] = B[j * n + i] = 0.5 * (B[i * n + j] + B[j * n + i]);
   status = sneppp__jacobi_sweeps(n, B, V);
   if (status != SNEPPP_OK) return status;
   for (size_t i = 0; i < n; i++) d[i] = B[i * n + i];
   sneppp__sorted_basis(n, d, V, n, exponent, w, Q, d + n);
   return SNEPPP_OK;
}

/* ---- the fast eigensolver: Householder's reduction to a tridiagonal matrix, then the implicit QL method, both
   as in Wilkinson and Reinsch (Handbook for Automatic Computation II, 1971; contributions II/2 and II/4), arranged
   so that every inner loop runs along rows. About (2 + 4/3 + 3) n^3 operations against ten times that for Jacobi.
   Eigenvalues have the absolute error of a few eps |A|, no better for the small ones; that is what Jacobi is for.

   Besides gemm two loops take all the time. Each is written plainly, and again for AVX2. */

/* Rows and columns k..n-1 of A: A -= v w' + w v', and then p = A u. Doing both in one pass reads A once a step. */
static void sneppp__tri_pass_plain(size_t n, size_t k, double *A, const double *v, const double *w, const double *u,
                                   double *p)
{
   for (size_t i = k; i < n; i++) {
      double *a = A + i * n, s = 0;
      for (size_t j = k; j < n; j++) {
         a[j] -= v[i] * w[j] + w[i] * v[j];
         s += a[j] * u[j];
      }
      p[i] = s;
   }
}

/* One sweep of rotations of the rows (i, i+1), i = last-1 down to first, in sixteen columns of V:
   row_(i+1) <- s row_i + c row_(i+1), row_i <- c row_i - s row_(i+1). turn holds c, s for each i. */
static void sneppp__tri_rotate_plain(double *V, size_t ld, size_t first, size_t last, const double *turn)
{
   for (size_t i = last; i-- > first;) {
      double *x = V + i * ld, *y = x + ld, c = turn[2 * i], s = turn[2 * i + 1];
      for (size_t j = 0; j < 16; j++) {
         double xj = x[j], yj = y[j];
         y[j] = s * xj + c * yj;
         x[j] = c * xj - s * yj;
      }
   }
}

#if defined(SNEPPP__AVX)
SNEPPP__TARGET_AVX2 static double sneppp__sum_avx2(__m256d x)
{
   __m128d h = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
   return _mm_cvtsd_f64(h) + _mm_cvtsd_f64(_mm_unpackhi_pd(h, h));
}

SNEPPP__TARGET_AVX2 static void sneppp__tri_pass_avx2(size_t n, size_t k, double *A, const double *v, const double *w,
                                                      const double *u, double *p)
{
   for (size_t i = k; i < n; i++) {
      double *a = A + i * n, s = 0;
      size_t  j = k, whole = k + (n - k) / 8 * 8;
      __m256d vi = _mm256_set1_pd(v[i]), wi = _mm256_set1_pd(w[i]), s0 = _mm256_setzero_pd(), s1 = s0, x, y;
      for (; j < whole; j += 8) {
         x = _mm256_fnmadd_pd(vi, _mm256_loadu_pd(w + j), _mm256_loadu_pd(a + j));
         y = _mm256_fnmadd_pd(vi, _mm256_loadu_pd(w + j + 4), _mm256_loadu_pd(a + j + 4));
         x = _mm256_fnmadd_pd(wi, _mm256_loadu_pd(v + j), x);
         y = _mm256_fnmadd_pd(wi, _mm256_loadu_pd(v + j + 4), y);
         _mm256_storeu_pd(a + j, x);
         _mm256_storeu_pd(a + j + 4, y);
         s0 = _mm256_fmadd_pd(x, _mm256_loadu_pd(u + j), s0);
         s1 = _mm256_fmadd_pd(y, _mm256_loadu_pd(u + j + 4), s1);
      }
      for (; j < n; j++) {
         a[j] -= v[i] * w[j] + w[i] * v[j];
         s += a[j] * u[j];
      }
      p[i] = s + sneppp__sum_avx2(_mm256_add_pd(s0, s1));
   }
}

/* The row that two neighbouring rotations share stays in registers. */
SNEPPP__TARGET_AVX2 static void sneppp__tri_rotate_avx2(double *V, size_t ld, size_t first, size_t last,
                                                        const double *turn)
{
   double *y = V + last * ld, *x;
   __m256d y0 = _mm256_loadu_pd(y), y1 = _mm256_loadu_pd(y + 4);
   __m256d y2 = _mm256_loadu_pd(y + 8), y3 = _mm256_loadu_pd(y + 12);
   for (size_t i = last; i-- > first; y = x) {
      __m256d c = _mm256_set1_pd(turn[2 * i]), s = _mm256_set1_pd(turn[2 * i + 1]), x0, x1, x2, x3;
      x = y - ld;
      x0 = _mm256_loadu_pd(x), x1 = _mm256_loadu_pd(x + 4), x2 = _mm256_loadu_pd(x + 8), x3 = _mm256_loadu_pd(x + 12);
      _mm256_storeu_pd(y, _mm256_fmadd_pd(c, y0, _mm256_mul_pd(s, x0)));
      _mm256_storeu_pd(y + 4, _mm256_fmadd_pd(c, y1, _mm256_mul_pd(s, x1)));
      _mm256_storeu_pd(y + 8, _mm256_fmadd_pd(c, y2, _mm256_mul_pd(s, x2)));
      _mm256_storeu_pd(y + 12, _mm256_fmadd_pd(c, y3, _mm256_mul_pd(s, x3)));
      y0 = _mm256_fnmadd_pd(s, y0, _mm256_mul_pd(c, x0));
      y1 = _mm256_fnmadd_pd(s, y1, _mm256_mul_pd(c, x1));
      y2 = _mm256_fnmadd_pd(s, y2, _mm256_mul_pd(c, x2));
      y3 = _mm256_fnmadd_pd(s, y3, _mm256_mul_pd(c, x3));
   }
   _mm256_storeu_pd(y, y0), _mm256_storeu_pd(y + 4, y1), _mm256_storeu_pd(y + 8, y2), _mm256_storeu_pd(y + 12, y3);
}
   #define SNEPPP__HAS_AVX2 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
   #define SNEPPP__EITHER(name, ...) (avx2 ? sneppp__##name##_avx2(__VA_ARGS__) : sneppp__##name##_plain(__VA_ARGS__))
#else
   #define SNEPPP__HAS_AVX2 0
   #define SNEPPP__EITHER(name, ...) ((void)avx2, sneppp__##name##_plain(__VA_ARGS__))
#endif

/* A = Q T Q' with T tridiagonal: d (n) its diagonal, e (n) its subdiagonal with e[n-1] = 0. A (n, n) is destroyed;
   row k keeps the vector u_k of the reflection H_k = I - tau_k u_k u_k' in the columns from k + 1, and
   Q = H_0 H_1 ... Columns left of k + 1 are done with, so the rank-two update of step k - 1, with v = u_(k-1), is
   carried out in the pass that step k makes for its product A u. work (3 n). */
static void sneppp__tridiagonalise(size_t n, double *A, double *d, double *e, double *tau, double *work)
{
   double       *w = work, *p = work + n;
   const double *v = work + 2 * n; /* zero until there is a first u */
   int           avx2 = SNEPPP__HAS_AVX2;
   for (size_t i = 0; i < 3 * n; i++) work[i] = 0;
   for (size_t k = 0; k < n; k++) {
      double *u = A + k * n, head, norm, half;
      for (size_t j = k; j < n; j++) u[j] -= v[k] * w[j] + w[k] * v[j];
      d[k] = u[k];
      e[k] = tau[k] = 0;
      if (k + 1 == n) break;
      head = u[k + 1];
      norm = sqrt(sneppp__dot(n - k - 1, u + k + 1, u + k + 1));
      e[k] = norm > 1e-40 ? head : 0; /* A is scaled to 1: below this there is nothing, and 1/norm^2 could overflow */
      if (norm > 1e-40 && norm > fabs(head)) { /* H u = -sign(head) norm e_1: the sign that does not cancel */
         e[k] = head < 0 ? norm : -norm;
         u[k + 1] = head - e[k];
         tau[k] = 1 / (norm * (norm + fabs(head)));
      }
      SNEPPP__EITHER(tri_pass, n, k + 1, A, v, w, u, p);
      half = 0.5 * tau[k] * tau[k] * sneppp__dot(n - k - 1, p + k + 1, u + k + 1);
      for (size_t j = k + 1; j < n; j++) w[j] = tau[k] * p[j] - half * u[j];
      v = u;
   }
}

/* V (n, ld) <- Q' = ... H_1 H_0 from what sneppp__tridiagonalise left. Reflections are multiplied in groups,

      H_b ... H_a = I - U' M U,   U (g, n) with the rows u_b ... u_a,   M (g, g) upper triangular,

   (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989), where one more reflection on the right appends
   the column (-tau M U u, tau) to M; so the work is done by gemm. Rows and columns up to a are still those of
   the unit matrix. work (3 g n + 2 g^2). */
#define SNEPPP__TRI_GROUP 32

static void sneppp__tri_basis(size_t n, const double *A, const double *tau, double *V, size_t ld, double *work)
{
   const size_t g = n < SNEPPP__TRI_GROUP ? n : SNEPPP__TRI_GROUP;
   double      *U = work, *Z = U + g * n, *Y = Z + g * n, *M = Y + g * n, *G = M + g * g;
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < ld; j++) V[i * ld + j] = i == j;
   for (size_t end = n ? n - 1 : 0, count; end > 0; end -= count) {
      size_t  a = end < g ? 0 : end - g, m = n - a - 1; /* reflections a..end-1; m rows and columns take part */
      double *W = V + (a + 1) * (ld + 1);
      count = end - a;
      for (size_t r = 0; r < count; r++)
         for (size_t j = 0; j < m; j++) U[r * m + j] = j + r + 1 < count ? 0 : A[(end - 1 - r) * n + a + 1 + j];
      sneppp__dsyrk(0, count, m, 1, U, m, 0, G, count);
      for (size_t r = 0; r < count; r++) {
         for (size_t q = 0; q < count; q++) M[q * count + r] = q == r ? tau[end - 1 - r] : 0;
         for (size_t q = 0; q < r; q++)
            M[q * count + r] = -tau[end - 1 - r] * sneppp__dot(r - q, M + q * count + q, G + r * count + q);
      }
      sneppp__dgemm(0, 1, m, count, m, 1, W, ld, U, m, 0, Z, count);
      sneppp__dgemm(0, 0, m, count, count, 1, Z, count, M, count, 0, Y, count);
      sneppp__dgemm(0, 0, m, m, count, -1, Y, count, U, m, 1, W, ld);
   }
}

/* One QL step with Wilkinson's shift on rows first..last of T; the rotations go to turn (c, s for each row). */
static void sneppp__ql_step(double *d, double *e, size_t first, size_t last, double *turn)
{
   double theta = 0.5 * (d[first + 1] - d[first]) / e[first], root = sqrt(1 + theta * theta);
   double shift = d[first] - e[first] / (theta + (theta < 0 ? -root : root));
   double c = 1, s = 1, lift = 0, g = d[last] - shift;
   for (size_t i = last; i-- > first;) { /* chase the bulge upwards */
      double f = s * e[i], b = c * e[i], r = sqrt(f * f + g * g), t;
      if (i + 1 < last) e[i + 1] = r;
      t = r > 0 ? 1 / r : 0;
      s = f * t;
      c = r > 0 ? g * t : 1;
      t = (d[i] - (d[i + 1] - lift)) * s + 2 * c * b;
      g = d[i + 1] - lift;
      lift = s * t;
      d[i + 1] = g + lift;
      g = c * t - b;
      turn[2 * i] = c;
      turn[2 * i + 1] = s;
   }
   d[first] -= lift;
   e[first] = g;
}

/* Applies the collected sweeps to V (n, ld): sixteen columns at a time, so that they stay in the first cache while
   all sweeps pass over them. Row r of turns (sweeps, 2 n) is the sweep over the rows span[2r]..span[2r+1]. */
#define SNEPPP__QL_SWEEPS 24

static void sneppp__ql_apply(size_t n, double *V, size_t ld, size_t sweeps, const double *turns, const double *span)
{
   int avx2 = SNEPPP__HAS_AVX2;
   for (size_t from = 0; from < ld; from += 16)
      for (size_t r = 0; r < sweeps; r++)
         SNEPPP__EITHER(tri_rotate, V + from, ld, (size_t)span[2 * r], (size_t)span[2 * r + 1], turns + 2 * n * r);
}

/* T = S diag(w) S', and V <- S'V. d becomes w, not sorted. The QL steps do not need V, so they run ahead and their
   rotations are applied in batches. work: 2 n (sweeps) rotations, then 2 sweeps numbers. T is scaled to about 1. */
static sneppp_status sneppp__ql(size_t n, double *d, double *e, double *V, size_t ld, double *work)
{
   double *turns = work, *span = work + 2 * n * SNEPPP__QL_SWEEPS;
   size_t  sweeps = 0, total = 0, last;
   for (size_t first = 0; first < n;) {
      for (last = first; last + 1 < n; last++)
         if (fabs(e[last]) <= SNEPPP__EPS * (fabs(d[last]) + fabs(d[last + 1])) || fabs(e[last]) < 1e-20) break;
      if (last == first) { e[first++] = 0; continue; }
      if (++total > 60 * n) return SNEPPP_ERR_NO_CONVERGENCE;
      sneppp__ql_step(d, e, first, last, turns + 2 * n * sweeps);
      span[2 * sweeps] = (double)first;
      span[2 * sweeps + 1] = (double)last;
      if (++sweeps == SNEPPP__QL_SWEEPS) { sneppp__ql_apply(n, V, ld, sweeps, turns, span); sweeps = 0; }
   }
   sneppp__ql_apply(n, V, ld, sweeps, turns, span);
   return SNEPPP_OK;
}

/* As sneppp__eigh_jacobi; a warm start is of no use to it, and Q is only written. */
SNEPPP__UNUSED static sneppp_status sneppp__eigh_ql(size_t n, const double *A, double *w, double *Q, double *work)
{
   size_t        ld = (n + 15) / 16 * 16; /* columns of zeros fill the last group of sixteen */
   double        scale = sneppp__max_abs(n, A, n), *B = work, *V = B + n * n, *d = V + n * ld, *e = d + n;
   double       *tau = e + n, *rest = tau + n, rest_scale;
   int           exponent = 0;
   sneppp_status status;
   if (scale < 0) return SNEPPP_ERR_NOT_FINITE;
   frexp(scale, &exponent);
   scale = ldexp(1, -(exponent / 2)); /* in two steps: 2^1074 is not a double */
   rest_scale = ldexp(0.5, exponent / 2 - exponent);
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j <= i; j++)
         B[i * n + j] = B[j * n + i] = (A[i * n + j] * scale + A[j * n + i] * scale) * rest_scale;
   sneppp__tridiagonalise(n, B, d, e, tau, rest);
   sneppp__tri_basis(n, B, tau, V, ld, rest);
   status = sneppp__ql(n, d, e, V, ld, rest);
   if (status == SNEPPP_OK) sneppp__sorted_basis(n, d, V, ld, exponent, w, Q, rest);
   return status;
}

/* What the other floors call: Jacobi for small matrices, where it is as fast, QL for the others. */
SNEPPP__UNUSED static sneppp_status sneppp__eigh(size_t n, const double *A, double *w, double *Q, int warm,
                                                 double *work)
{
#ifdef SNEPPP_EIGH
   if (sneppp__max_abs(n, A, n) < 0) return SNEPPP_ERR_NOT_FINITE;
   return SNEPPP_EIGH(n, A, w, Q, warm, work) ? SNEPPP_ERR_NO_CONVERGENCE : SNEPPP_OK;
#else
   return n <= 8 ? sneppp__eigh_jacobi(n, A, w, Q, warm, work) : sneppp__eigh_ql(n, A, w, Q, work);
#endif
}

/* ---- the nearest positive semidefinite matrix in the Frobenius norm: A without its negative eigenvalues
   (Higham, Lin. Alg. Appl. 103, 1988). A (n, n) symmetric is replaced; Q (n, n) receives the eigenbasis, or holds
   the last one if warm. The thinner side is used: either the negative part is subtracted or the positive part is
   rebuilt, so at most n/2 columns are multiplied. Eigenvalues of the result are >= -(a few) eps |A|. */
SNEPPP__UNUSED static sneppp_status sneppp__psd_project(size_t n, double *A, double *Q, int warm, double *work)
{
   double       *w = work, *X;
   size_t        negative = 0, first, count;
   sneppp_status status = sneppp__eigh(n, A, w, Q, warm, work + n);
   if (status != SNEPPP_OK) return status;
   while (negative < n && w[negative] < 0) negative++;
   first = negative <= n / 2 ? 0 : negative;
   count = negative <= n / 2 ? negative : n - negative;
   X = work + n;
   if (!count) { /* nothing to take away, or nothing to keep */
      if (first) memset(A, 0, n * n * sizeof *A);
      return SNEPPP_OK;
   }
   for (size_t r = 0; r < count; r++) w[r] = sqrt(fabs(w[first + r]));
   for (size_t i = 0; i < n; i++)
      for (size_t r = 0; r < count; r++) X[i * count + r] = Q[i * n + first + r] * w[r];
   sneppp__dsyrk(0, n, count, 1, X, count, first ? 0 : 1, A, n);
   return SNEPPP_OK;
}

/* ---- the largest eigenvalue, between two bounds that can be relied on.
   Below: the Rayleigh quotient of the best Ritz vector of a Lanczos process (full reorthogonalisation, restarted
   from that vector). Above: a number u for which the Cholesky factorisation of u I - A runs to its end. In floating
   point this proves that u I - A + E is positive definite with |E| <= c (n + 1) eps tr(u I - A), c = 1 to first order
   (Rump, BIT 46, 2006); we take c = 4 and put the bound on top. No start vector can deceive this, which
   is why certificates of optimality may rest on it. */
#define SNEPPP__LANCZOS 32

SNEPPP__UNUSED static size_t sneppp__lambda_max_work(size_t n)
{
   size_t steps = SNEPPP__LANCZOS;
   return 2 * n * n + (steps + 2) * n + sneppp__eigh_work(steps) + 2 * steps * steps + steps;
}

/* One run from v = row 0 of V (normalised here); leaves the best Ritz vector there. Returns its residual. */
static double sneppp__lanczos(size_t n, const double *A, double *V, double *T, double *value)
{
   size_t  steps = n < SNEPPP__LANCZOS ? n : SNEPPP__LANCZOS, used = 0;
   double *Y = T + steps * steps, *theta = Y + steps * steps, *work = theta + steps;
   double *u = V + steps * n, norm = sqrt(sneppp__dot(n, V, V)), beta = 0, residual;
   for (size_t i = 0; i < n; i++) V[i] /= norm;
   for (size_t i = 0; i < steps * steps; i++) T[i] = 0;
   while (used < steps) {
      double *v = V + used * n, scale = 0;
      for (size_t i = 0; i < n; i++) u[i] = sneppp__dot(n, A + i * n, v);
      for (int pass = 0; pass < 2; pass++) /* twice is enough */
         for (size_t j = 0; j <= used; j++) {
            double h = sneppp__dot(n, u, V + j * n);
            for (size_t i = 0; i < n; i++) u[i] -= h * V[j * n + i];
            if (j == used) T[used * steps + used] += h;
         }
      for (size_t j = 0; j <= used; j++) if (fabs(T[j * steps + j]) > scale) scale = fabs(T[j * steps + j]);
      beta = sqrt(sneppp__dot(n, u, u));
      used++;
      if (beta <= 1e-14 * scale || beta == 0 || used == steps) break; /* an invariant subspace, or full */
      T[used * steps + used - 1] = T[(used - 1) * steps + used] = beta;
      for (size_t i = 0; i < n; i++) V[used * n + i] = u[i] / beta;
   }
   for (size_t i = 0; i < used; i++) for (size_t j = 0; j < used; j++) T[i * used + j] = T[i * steps + j];
   if (sneppp__eigh_jacobi(used, T, theta, Y, 0, work) != SNEPPP_OK) return 1e300;
   *value = theta[used - 1];
   residual = beta * fabs(Y[used * used - 1]);
   for (size_t i = 0; i < n; i++) {
      double s = 0;
      for (size_t j = 0; j < used; j++) s += V[j * n + i] * Y[j * used + used - 1];
      u[i] = s;
   }
   memcpy(V, u, n * sizeof *u);
   return residual;
}

/* Does the Cholesky factorisation of u I - A exist? */
static int sneppp__is_upper(size_t n, const double *A, double u, double *L)
{
   for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < i; j++) L[i * n + j] = -A[i * n + j];
      L[i * n + i] = u - A[i * n + i];
   }
   return sneppp__chol(n, L, n) == SNEPPP_OK;
}

/* value <= largest eigenvalue of A (n, n) <= upper. The gap is about 4 n^2 eps |A| when Lanczos has converged,
   wider by the distance of the top eigenvalues if it has not. Only the symmetric part matters for value; upper
   reads the lower triangle. */
SNEPPP__UNUSED static sneppp_status sneppp__lambda_max(size_t n, const double *A, double *value, double *upper,
                                                       double *work)
{
   double *B = work, *L = B + n * n, *V = L + n * n, *T = V + (SNEPPP__LANCZOS + 2) * n;
   double  norm = 0, trace = 0, theta = 0, bound, eps = 4 * SNEPPP__EPS * (double)(n + 2);
   int     exponent = 0;
   double  scale = sneppp__max_abs(n, A, n);
   if (scale < 0) return SNEPPP_ERR_NOT_FINITE;
   if (scale == 0) { *value = *upper = 0; return SNEPPP_OK; }
   frexp(scale, &exponent); /* the powers of two go out, so that squares neither overflow nor vanish */
   for (size_t i = 0; i < n * n; i++) B[i] = ldexp(A[i], -exponent);
   for (size_t i = 0; i < n; i++) {
      double row = 0, g = 0.6180339887498949 * (double)(i + 1);
      for (size_t j = 0; j < n; j++) row += fabs(B[i * n + j]);
      if (row > norm) norm = row; /* Gershgorin: no eigenvalue is larger in size */
      trace += fabs(B[i * n + i]);
      V[i] = 0.25 + (g - floor(g)) * (i % 3 == 1 ? -1 : 1); /* a start vector without symmetry */
   }
   for (int run = 0; run < 12; run++)
      if (sneppp__lanczos(n, B, V, T, &theta) <= 1e-15 * norm * (double)n) break;
   bound = norm * (1 + eps);
   for (double gap = 4 * SNEPPP__EPS * norm; theta + gap < norm; gap *= 8) {
      double u = theta + gap, proven = u + eps * ((double)n * fabs(u) + trace + norm);
      if (!sneppp__is_upper(n, B, u, L)) continue;
      if (proven < bound) bound = proven;
      break;
   }
   *value = ldexp(theta, exponent);
   *upper = ldexp(bound, exponent);
   return SNEPPP_OK;
}

#endif /* SNEPPP_INFERENCE_ONLY */

/* >>vector ===================================================================================================
   Functions of whole vectors: exp, sin and cos together, the error function, and the inner loops of features and
   gradients. Hidden units are nothing but these, so they decide how fast a training step is.

   The machine's vector unit is used as in >>linalg: the code is compiled always and taken if the machine has
   AVX2 and FMA. Everything else runs the plain loops, which call libm. The two differ in the last places, but
   one program on one machine always does the same. Worst errors against libm in double (and in float), measured
   by the tests:

      exp     1 ulp (1 ulp)             sin, cos   1 ulp of 1, |x| <= 1e5
      erf     2 ulp (3 ulp)             erfc       6 ulp down to 1e-300 (5 ulp down to 1e-32)
      log     2 ulp (double only)

   Beyond 1e5 the callers turn to libm for the elements concerned, for which the reduction below has too few
   digits of pi. The polynomials are Chebyshev fits of our own (mpmath, 50 digits), good to a tenth of an ulp. */
#if defined(SNEPPP__AVX)
   #define SNEPPP__VECTOR
   #define SNEPPP__VEC __attribute__((unused)) SNEPPP__TARGET_AVX2 static inline
   #ifdef SNEPPP_REAL_FLOAT /* vectors of sneppp_real and their operations: SNEPPP__V(add)(x, y) */
      typedef __m256 sneppp__vec;
      #define SNEPPP__V(op) _mm256_##op##_ps
      #define SNEPPP__LANE  8
   #else
      typedef __m256d sneppp__vec;
      #define SNEPPP__V(op) _mm256_##op##_pd
      #define SNEPPP__LANE  4
   #endif
   #define SNEPPP__K(x)   _mm256_set1_pd(x)
   #define SNEPPP__K32(x) _mm256_set1_ps((float)(x))

SNEPPP__INLINE int sneppp__has_vectors(void)
{
   return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* c[0] x^(n-1) + ... + c[n-1] by Horner's rule; n is known when this is compiled. */
#define SNEPPP__HORNER(op, x, c, n, p)                                                                         \
   do {                                                                                                        \
      p = _mm256_set1_##op((c)[0]);                                                                            \
      for (int h_ = 1; h_ < (n); h_++) p = _mm256_fmadd_##op(p, x, _mm256_set1_##op((c)[h_]));                 \
   } while (0)

/* exp(x) = 2^k exp(r), k the integer next to x / log 2 and |r| <= log(2)/2. The power of two is multiplied in two
   halves, so that results fade into the subnormals and overflow only where exp does. */
SNEPPP__VEC __m256d sneppp__exp_f64x4(__m256d x)
{
   __m256d k, r, p;
   __m128i whole, half;
   x = _mm256_min_pd(_mm256_max_pd(x, SNEPPP__K(-746.0)), SNEPPP__K(710.0));
   k = _mm256_round_pd(_mm256_mul_pd(x, SNEPPP__K(1.44269504088896340736)),
                       _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
   r = _mm256_fnmadd_pd(k, SNEPPP__K(0.693147180559945286), x);
   r = _mm256_fnmadd_pd(k, SNEPPP__K(2.31904681384629956e-17), r);
   p = _mm256_fmadd_pd(SNEPPP__K(2.5100385495510319078e-8), r, SNEPPP__K(2.7620088445409748161e-7));
   p = _mm256_fmadd_pd(p, r, SNEPPP__K(2.7557268459997064772e-6));
   p = _mm256_fmadd_pd(p, r, SNEPPP__K(2.4801521295954375131e-5));
   p = _mm256_fmadd_pd(p, r, SNEPPP__K(1.9841269863053616878e-4));
   p = _mm256_fmadd_pd(p, r, SNEPPP__K(1.3888888917213716901e-3));
   p = _mm256_fmadd_pd(p, r, SNEPPP__K(8.3333333333300618325e-3));
   p = _mm256_fmadd_pd(p, r, SNEPPP__K(4.1666666666624127873e-2));
   p = _mm256_fmadd_pd(p, r, SNEPPP__K(0.16666666666666667453));
   p = _mm256_fmadd_pd(p, r, SNEPPP__K(0.50000000000000010221));
   p = _mm256_add_pd(_mm256_fmadd_pd(p, _mm256_mul_pd(r, r), r), SNEPPP__K(1.0));
   whole = _mm256_cvtpd_epi32(k);
   half = _mm_srai_epi32(whole, 1);
   whole = _mm_add_epi32(_mm_sub_epi32(whole, half), _mm_set1_epi32(1023));
   half = _mm_add_epi32(half, _mm_set1_epi32(1023));
   p = _mm256_mul_pd(p, _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_cvtepi32_epi64(half), 52)));
   return _mm256_mul_pd(p, _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_cvtepi32_epi64(whole), 52)));
}

SNEPPP__VEC __m256 sneppp__exp_f32x8(__m256 x)
{
   __m256  k, r, p;
   __m256i whole, half;
   x = _mm256_min_ps(_mm256_max_ps(x, SNEPPP__K32(-104.0)), SNEPPP__K32(89.0));
   k = _mm256_round_ps(_mm256_mul_ps(x, SNEPPP__K32(1.44269504)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
   r = _mm256_fnmadd_ps(k, SNEPPP__K32(0.693147182465), x);
   r = _mm256_fnmadd_ps(k, SNEPPP__K32(-1.90465421213e-9), r);
   p = _mm256_fmadd_ps(SNEPPP__K32(1.392618359e-3), r, SNEPPP__K32(8.363179053e-3));
   p = _mm256_fmadd_ps(p, r, SNEPPP__K32(4.166655462e-2));
   p = _mm256_fmadd_ps(p, r, SNEPPP__K32(0.1666657699));
   p = _mm256_fmadd_ps(p, r, SNEPPP__K32(0.5));
   p = _mm256_add_ps(_mm256_fmadd_ps(p, _mm256_mul_ps(r, r), r), SNEPPP__K32(1.0));
   whole = _mm256_cvtps_epi32(k);
   half = _mm256_srai_epi32(whole, 1);
   whole = _mm256_add_epi32(_mm256_sub_epi32(whole, half), _mm256_set1_epi32(127));
   half = _mm256_add_epi32(half, _mm256_set1_epi32(127));
   p = _mm256_mul_ps(p, _mm256_castsi256_ps(_mm256_slli_epi32(half, 23)));
   return _mm256_mul_ps(p, _mm256_castsi256_ps(_mm256_slli_epi32(whole, 23)));
}

/* sin x and cos x. With k the integer next to 2 x / pi, r = x - k pi/2 is taken in three steps (Cody and Waite,
   Software Manual for the Elementary Functions, 1980): the first is exact, because x and the leading part of
   pi/2 are multiples of one small power of two. k mod 4 says which of +-sin r, +-cos r is which. */
SNEPPP__VEC void sneppp__sincos_f64x4(__m256d x, __m256d *sine, __m256d *cosine)
{
   __m256d k, r, u, s, c, swap;
   __m256i q;
   k = _mm256_round_pd(_mm256_mul_pd(x, SNEPPP__K(0.63661977236758134308)),
                       _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
   r = _mm256_fnmadd_pd(k, SNEPPP__K(1.57079632679489656), x);
   r = _mm256_fnmadd_pd(k, SNEPPP__K(6.12323399573676604e-17), r);
   r = _mm256_fnmadd_pd(k, SNEPPP__K(-1.49738490485916983e-33), r);
   u = _mm256_mul_pd(r, r);
   s = _mm256_fmadd_pd(SNEPPP__K(1.5918115263265975194e-10), u, SNEPPP__K(-2.505113165023518147e-8));
   c = _mm256_fmadd_pd(SNEPPP__K(-1.1382623647474604629e-11), u, SNEPPP__K(2.0876146146558611582e-9));
   s = _mm256_fmadd_pd(s, u, SNEPPP__K(2.7557316101617874437e-6));
   c = _mm256_fmadd_pd(c, u, SNEPPP__K(-2.7557317271145145962e-7));
   s = _mm256_fmadd_pd(s, u, SNEPPP__K(-1.9841269836756772528e-4));
   c = _mm256_fmadd_pd(c, u, SNEPPP__K(2.4801587298764560771e-5));
   s = _mm256_fmadd_pd(s, u, SNEPPP__K(8.3333333333309472945e-3));
   c = _mm256_fmadd_pd(c, u, SNEPPP__K(-1.3888888888887396492e-3));
   s = _mm256_fmadd_pd(s, u, SNEPPP__K(-0.16666666666666664622));
   c = _mm256_fmadd_pd(c, u, SNEPPP__K(4.1666666666666665388e-2));
   s = _mm256_fmadd_pd(_mm256_mul_pd(r, u), s, r);
   c = _mm256_fmadd_pd(u, _mm256_fmadd_pd(u, c, SNEPPP__K(-0.5)), SNEPPP__K(1.0));
   q = _mm256_cvtepi32_epi64(_mm256_cvtpd_epi32(k));
   swap = _mm256_castsi256_pd(_mm256_slli_epi64(q, 63));
   u = _mm256_blendv_pd(s, c, swap);
   c = _mm256_blendv_pd(c, s, swap);
   *sine = _mm256_xor_pd(u, _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_and_si256(q, _mm256_set1_epi64x(2)), 62)));
   q = _mm256_add_epi64(q, _mm256_set1_epi64x(1));
   *cosine = _mm256_xor_pd(c, _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_and_si256(q, _mm256_set1_epi64x(2)), 62)));
}

/* log x = k log 2 + log m, x = 2^k m with m from sqrt(1/2) to sqrt(2), and log m = 2 artanh s = 2 s + s^3 Q(s^2) with
   s = (m - 1)/(m + 1). For positive normal numbers; the caller looks after all others. */
SNEPPP__VEC __m256d sneppp__log_f64x4(__m256d x)
{
   static const double q[7] = {0.14616585424888621989, 0.15331710618210771568, 0.18182889455674946039,
      0.22222211130259877029, 0.28571428626003268742, 0.39999999999899443233, 0.66666666666666696883};
   __m256i root = _mm256_set1_epi64x(0x3fe6a09e667f3bcd), bits = _mm256_castpd_si256(x), whole;
   __m256d k, m, s, z, p;
   whole = _mm256_srli_epi64(
      _mm256_add_epi64(_mm256_sub_epi64(bits, root), _mm256_set1_epi64x(0x4000000000000000)), 52);
   m = _mm256_castsi256_pd(
      _mm256_sub_epi64(bits, _mm256_slli_epi64(_mm256_sub_epi64(whole, _mm256_set1_epi64x(1024)), 52)));
   k = _mm256_castsi256_pd(_mm256_or_si256(whole, _mm256_set1_epi64x(0x4330000000000000))); /* 2^52 + k + 1024 */
   k = _mm256_sub_pd(k, SNEPPP__K(4503599627370496.0 + 1024));
   s = _mm256_div_pd(_mm256_sub_pd(m, SNEPPP__K(1.0)), _mm256_add_pd(m, SNEPPP__K(1.0)));
   z = _mm256_mul_pd(s, s);
   SNEPPP__HORNER(pd, z, q, 7, p);
   p = _mm256_fmadd_pd(k, SNEPPP__K(1.90821492927058770002e-10), _mm256_mul_pd(_mm256_mul_pd(s, z), p));
   return _mm256_fmadd_pd(k, SNEPPP__K(0.693147180369123816490), _mm256_fmadd_pd(SNEPPP__K(2.0), s, p));
}

SNEPPP__VEC void sneppp__sincos_f32x8(__m256 x, __m256 *sine, __m256 *cosine)
{
   __m256  k, r, u, s, c, swap;
   __m256i q;
   k = _mm256_round_ps(_mm256_mul_ps(x, SNEPPP__K32(0.636619772)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
   r = _mm256_fnmadd_ps(k, SNEPPP__K32(1.57079637051), x);
   r = _mm256_fnmadd_ps(k, SNEPPP__K32(-4.37113882867e-8), r);
   r = _mm256_fnmadd_ps(k, SNEPPP__K32(-1.71512451001e-15), r);
   u = _mm256_mul_ps(r, r);
   s = _mm256_fmadd_ps(SNEPPP__K32(-1.95878657e-4), u, SNEPPP__K32(8.332748154e-3));
   c = _mm256_fmadd_ps(SNEPPP__K32(2.454791685e-5), u, SNEPPP__K32(-1.388830292e-3));
   s = _mm256_fmadd_ps(s, u, SNEPPP__K32(-0.1666666466));
   c = _mm256_fmadd_ps(c, u, SNEPPP__K32(4.166666466e-2));
   s = _mm256_fmadd_ps(_mm256_mul_ps(r, u), s, r);
   c = _mm256_fmadd_ps(u, _mm256_fmadd_ps(u, c, SNEPPP__K32(-0.5)), SNEPPP__K32(1.0));
   q = _mm256_cvtps_epi32(k);
   swap = _mm256_castsi256_ps(_mm256_slli_epi32(q, 31));
   u = _mm256_blendv_ps(s, c, swap);
   c = _mm256_blendv_ps(c, s, swap);
   *sine = _mm256_xor_ps(u, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_and_si256(q, _mm256_set1_epi32(2)), 30)));
   q = _mm256_add_epi32(q, _mm256_set1_epi32(1));
   *cosine = _mm256_xor_ps(c, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_and_si256(q, _mm256_set1_epi32(2)), 30)));
}

/* erf(x), and erfc(|x|) from e = exp(-x^2), which the caller has made from an argument that was not rounded. Below
   3/4, erf is x times a polynomial of x^2. Above, erfc(x) = e P(t) / (1 + 2 x) with t = (x - c)/(x + c), which maps
   [0, oo) to [-1, 1) (Shepherd and Laframboise, Math. Comp. 36, 1981). */
SNEPPP__VEC void sneppp__erf_f64x4(__m256d x, __m256d e, __m256d *erf_x, __m256d *erfc_x)
{
   static const double near_[11] = {1.1472499701094691618e-8, -1.5940066854661717424e-7, 1.6430684179741549055e-6,
      -1.4924196305569616579e-5, 1.2055289567541706742e-4, -8.5483261887597526637e-4, 5.2239776154205386731e-3,
      -2.6866170644428484084e-2, 0.11283791670952596061, -0.37612638903183716922, 1.1283791670955125731};
   static const double far_[20] = {8.7494824459350022806e-8, -7.6152347907142805301e-8, -6.1430799412525876885e-7,
      3.0532537153345048076e-7, 3.4763209299895495904e-6, -7.0750775273026136814e-7, -2.0103280352210495201e-5,
      4.9424147383309481103e-6, 1.2510015095839326382e-4, -1.0515846137280347016e-4, -7.7983239613601133757e-4,
      1.8886901996137540209e-3, 2.5293918261056725745e-3, -2.3770514907384463033e-2, 6.830802734361655466e-2,
      -0.11927366341572189992, 0.12964515870276369225, -4.7562294353444793261e-2, -0.13562110612458114163,
      1.2530080582697296379};
   __m256d sign = _mm256_and_pd(x, SNEPPP__K(-0.0)), a = _mm256_andnot_pd(SNEPPP__K(-0.0), x), p, c, t, small;
   t = _mm256_div_pd(_mm256_sub_pd(a, SNEPPP__K(3.0)), _mm256_add_pd(a, SNEPPP__K(3.0)));
   SNEPPP__HORNER(pd, t, far_, 20, c);
   c = _mm256_div_pd(_mm256_mul_pd(c, e), _mm256_fmadd_pd(SNEPPP__K(2.0), a, SNEPPP__K(1.0)));
   t = _mm256_mul_pd(a, a);
   SNEPPP__HORNER(pd, t, near_, 11, p);
   p = _mm256_mul_pd(p, a);
   small = _mm256_cmp_pd(a, SNEPPP__K(0.75), _CMP_LT_OQ);
   *erfc_x = _mm256_blendv_pd(c, _mm256_sub_pd(SNEPPP__K(1.0), p), small);
   *erf_x = _mm256_or_pd(sign, _mm256_blendv_pd(_mm256_sub_pd(SNEPPP__K(1.0), c), p, small));
}

SNEPPP__VEC void sneppp__erf_f32x8(__m256 x, __m256 e, __m256 *erf_x, __m256 *erfc_x)
{
   static const float near_[6] = {-6.7564795687e-4f, 5.1153321125e-3f, -2.6835114569e-2f, 0.11283386538f,
      -0.37612619469f, 1.1283791656f};
   static const float far_[10] = {5.0871158038e-4f, 4.2281221396e-4f, -4.3324189928e-3f, 9.5172606649e-4f,
      3.275239223e-2f, -0.10296945175f, 0.15763049608f, -9.9024435759e-2f, -0.12235677372f, 1.2648381836f};
   __m256 sign = _mm256_and_ps(x, SNEPPP__K32(-0.0)), a = _mm256_andnot_ps(SNEPPP__K32(-0.0), x), p, c, t, small;
   t = _mm256_div_ps(_mm256_sub_ps(a, SNEPPP__K32(2.5)), _mm256_add_ps(a, SNEPPP__K32(2.5)));
   SNEPPP__HORNER(ps, t, far_, 10, c);
   c = _mm256_div_ps(_mm256_mul_ps(c, e), _mm256_fmadd_ps(SNEPPP__K32(2.0), a, SNEPPP__K32(1.0)));
   t = _mm256_mul_ps(a, a);
   SNEPPP__HORNER(ps, t, near_, 6, p);
   p = _mm256_mul_ps(p, a);
   small = _mm256_cmp_ps(a, SNEPPP__K32(0.75), _CMP_LT_OQ);
   *erfc_x = _mm256_blendv_ps(c, _mm256_sub_ps(SNEPPP__K32(1.0), p), small);
   *erf_x = _mm256_or_ps(sign, _mm256_blendv_ps(_mm256_sub_ps(SNEPPP__K32(1.0), c), p, small));
}

   #ifdef SNEPPP_REAL_FLOAT
      #define sneppp__vec_exp    sneppp__exp_f32x8
      #define sneppp__vec_sincos sneppp__sincos_f32x8
      #define sneppp__vec_erf    sneppp__erf_f32x8
   #else
      #define sneppp__vec_exp    sneppp__exp_f64x4
      #define sneppp__vec_sincos sneppp__sincos_f64x4
      #define sneppp__vec_erf    sneppp__erf_f64x4
   #endif

/* exp(-x^2 / c), c = 1 or 2. The rounding of x^2 is made good, or it would grow with x^2. */
SNEPPP__VEC sneppp__vec sneppp__vec_gauss(sneppp__vec x, sneppp_real c)
{
   sneppp__vec rate = SNEPPP__V(set1)(-1 / c), square = SNEPPP__V(mul)(x, x), rest = SNEPPP__V(fmsub)(x, x, square);
   sneppp__vec e = sneppp__vec_exp(SNEPPP__V(mul)(square, rate));
   return SNEPPP__V(fmadd)(e, SNEPPP__V(mul)(rest, rate), e);
}

/* The first `count` lanes of memory; the others are 0 and are never touched. */
SNEPPP__VEC __m256i sneppp__vec_mask(size_t count) /* the first count < SNEPPP__LANE lanes */
{
#ifdef SNEPPP_REAL_FLOAT
   static const int32_t mask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
#else
   static const int64_t mask[8] = {-1, -1, -1, -1};
#endif
   return _mm256_loadu_si256((const __m256i *)(const void *)(mask + SNEPPP__LANE - count));
}

SNEPPP__VEC sneppp__vec sneppp__vec_load(const sneppp_real *from, size_t count)
{
   return count >= SNEPPP__LANE ? SNEPPP__V(loadu)(from) : SNEPPP__V(maskload)(from, sneppp__vec_mask(count));
}

SNEPPP__VEC void sneppp__vec_store(sneppp_real *to, sneppp__vec x, size_t count)
{
   if (count >= SNEPPP__LANE) SNEPPP__V(storeu)(to, x);
   else SNEPPP__V(maskstore)(to, sneppp__vec_mask(count), x);
}

/* The sum of the lanes, by halves. */
SNEPPP__VEC double sneppp__vec_sum(sneppp__vec x)
{
#ifdef SNEPPP_REAL_FLOAT
   __m256d wide =
      _mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(x)), _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1)));
#else
   __m256d wide = x;
#endif
   __m128d half = _mm_add_pd(_mm256_castpd256_pd128(wide), _mm256_extractf128_pd(wide, 1));
   return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}
#endif

/* ---- inner loops. Sums of one chunk are in the precision of the features, in several strands whose number depends
   on the machine alone; what is summed further is double. */
#ifdef SNEPPP__VECTOR
SNEPPP__TARGET_AVX2 static double sneppp__real_dot_vectors(size_t n, const sneppp_real *x, const sneppp_real *y)
{
   sneppp__vec a = SNEPPP__V(setzero)(), b = a, c = a, d = a;
   size_t      i = 0;
   for (; i + 4 * SNEPPP__LANE <= n; i += 4 * SNEPPP__LANE) {
      a = SNEPPP__V(fmadd)(SNEPPP__V(loadu)(x + i), SNEPPP__V(loadu)(y + i), a);
      b = SNEPPP__V(fmadd)(SNEPPP__V(loadu)(x + i + SNEPPP__LANE), SNEPPP__V(loadu)(y + i + SNEPPP__LANE), b);
      c = SNEPPP__V(fmadd)(SNEPPP__V(loadu)(x + i + 2 * SNEPPP__LANE), SNEPPP__V(loadu)(y + i + 2 * SNEPPP__LANE), c);
      d = SNEPPP__V(fmadd)(SNEPPP__V(loadu)(x + i + 3 * SNEPPP__LANE), SNEPPP__V(loadu)(y + i + 3 * SNEPPP__LANE), d);
   }
   for (; i < n; i += SNEPPP__LANE)
      a = SNEPPP__V(fmadd)(sneppp__vec_load(x + i, n - i), sneppp__vec_load(y + i, n - i), a);
   return sneppp__vec_sum(SNEPPP__V(add)(SNEPPP__V(add)(a, b), SNEPPP__V(add)(c, d)));
}

SNEPPP__UNUSED /* |V x|^2, V (m, n): four rows at a time, so that their sums do not wait for each other. */
   SNEPPP__TARGET_AVX2 static double
   sneppp__square_norm_vectors(size_t m, size_t n, const sneppp_real *V, const sneppp_real *x)
{
   double total = 0;
   for (size_t r = 0; r < m; r += 4) {
      const sneppp_real *v0 = V + r * n, *v1 = r + 1 < m ? v0 + n : v0, *v2 = r + 2 < m ? v0 + 2 * n : v0,
                        *v3 = r + 3 < m ? v0 + 3 * n : v0;
      sneppp__vec        s0 = SNEPPP__V(setzero)(), s1 = s0, s2 = s0, s3 = s0;
      double             sum[4];
      size_t             i = 0;
      for (; i + SNEPPP__LANE <= n; i += SNEPPP__LANE) {
         sneppp__vec y = SNEPPP__V(loadu)(x + i);
         s0 = SNEPPP__V(fmadd)(y, SNEPPP__V(loadu)(v0 + i), s0);
         s1 = SNEPPP__V(fmadd)(y, SNEPPP__V(loadu)(v1 + i), s1);
         s2 = SNEPPP__V(fmadd)(y, SNEPPP__V(loadu)(v2 + i), s2);
         s3 = SNEPPP__V(fmadd)(y, SNEPPP__V(loadu)(v3 + i), s3);
      }
      sum[0] = sneppp__vec_sum(s0), sum[1] = sneppp__vec_sum(s1), sum[2] = sneppp__vec_sum(s2),
      sum[3] = sneppp__vec_sum(s3);
      for (; i < n; i++) {
         sum[0] += (double)(v0[i] * x[i]), sum[1] += (double)(v1[i] * x[i]);
         sum[2] += (double)(v2[i] * x[i]), sum[3] += (double)(v3[i] * x[i]);
      }
      for (size_t k = 0; k < 4 && r + k < m; k++) total += sum[k] * sum[k];
   }
   return total;
}

SNEPPP__UNUSED SNEPPP__TARGET_AVX2 static double sneppp__long_dot_vectors(size_t n, const double *x, const double *y)
{
   __m256d a = _mm256_setzero_pd(), b = a;
   double  all[4], sum = 0;
   size_t  i = 0;
   for (; i + 8 <= n; i += 8) {
      a = _mm256_fmadd_pd(_mm256_loadu_pd(x + i), _mm256_loadu_pd(y + i), a);
      b = _mm256_fmadd_pd(_mm256_loadu_pd(x + i + 4), _mm256_loadu_pd(y + i + 4), b);
   }
   _mm256_storeu_pd(all, _mm256_add_pd(a, b));
   for (; i < n; i++) sum += x[i] * y[i];
   return sum + ((all[0] + all[1]) + (all[2] + all[3]));
}

/* Four at a time; the rest, and what the vector function does not know, goes to libm. */
SNEPPP__UNUSED SNEPPP__TARGET_AVX2 static void sneppp__long_exp_vectors(size_t n, const double *x, double *out)
{
   size_t i, whole = n / 4 * 4;
   for (i = 0; i < whole; i += 4) _mm256_storeu_pd(out + i, sneppp__exp_f64x4(_mm256_loadu_pd(x + i)));
   for (i = whole; i < n; i++) out[i] = exp(x[i]);
}

SNEPPP__UNUSED SNEPPP__TARGET_AVX2 static void sneppp__long_log_vectors(size_t n, const double *x, double *out)
{
   size_t i, whole = n / 4 * 4;
   for (i = 0; i < whole; i += 4) {
      __m256d v = _mm256_loadu_pd(x + i);
      __m256i power =
         _mm256_srli_epi64(_mm256_castpd_si256(v), 52); /* with the sign: 1 .. 2046 are positive and normal */
      __m256i bad = _mm256_or_si256(_mm256_cmpgt_epi64(_mm256_set1_epi64x(1), power),
                                    _mm256_cmpgt_epi64(power, _mm256_set1_epi64x(2046)));
      if (_mm256_testz_si256(bad, bad)) _mm256_storeu_pd(out + i, sneppp__log_f64x4(v));
      else for (size_t k = i; k < i + 4; k++) out[k] = log(x[k]);
   }
   for (i = whole; i < n; i++) out[i] = log(x[i]);
}

SNEPPP__UNUSED SNEPPP__TARGET_AVX2 static void sneppp__long_sincos_vectors(size_t n, const double *x, double *sine,
                                                                           double *cosine)
{
   size_t i, whole = n / 4 * 4;
   for (i = 0; i < whole; i += 4) {
      __m256d v = _mm256_loadu_pd(x + i), s, c;
      if (_mm256_movemask_pd(_mm256_cmp_pd(_mm256_andnot_pd(SNEPPP__K(-0.0), v), SNEPPP__K(1e5), _CMP_LE_OQ)) != 15) {
         for (size_t k = i; k < i + 4; k++) sine[k] = sin(x[k]), cosine[k] = cos(x[k]);
         continue;
      }
      sneppp__sincos_f64x4(v, &s, &c);
      _mm256_storeu_pd(sine + i, s), _mm256_storeu_pd(cosine + i, c);
   }
   for (i = whole; i < n; i++) sine[i] = sin(x[i]), cosine[i] = cos(x[i]);
}

SNEPPP__TARGET_AVX2 static void sneppp__real_product_vectors(size_t n, sneppp_real a, const sneppp_real *x,
                                                             const sneppp_real *y, sneppp_real *out)
{
   sneppp__vec scale = SNEPPP__V(set1)(a);
   for (size_t i = 0; i < n; i += SNEPPP__LANE) {
      sneppp__vec v = SNEPPP__V(mul)(scale, sneppp__vec_load(x + i, n - i));
      sneppp__vec_store(out + i, y ? SNEPPP__V(mul)(v, sneppp__vec_load(y + i, n - i)) : v, n - i);
   }
}

SNEPPP__UNUSED SNEPPP__TARGET_AVX2 static void sneppp__long_product_vectors(size_t n, double a,
                                                                            const double *x, const double *y,
                                                                            double *out)
{
   __m256d scale = _mm256_set1_pd(a);
   size_t  i = 0;
   for (; i + 4 <= n; i += 4) {
      __m256d v = _mm256_mul_pd(scale, _mm256_loadu_pd(x + i));
      _mm256_storeu_pd(out + i, y ? _mm256_mul_pd(v, _mm256_loadu_pd(y + i)) : v);
   }
   for (; i < n; i++) out[i] = y ? a * x[i] * y[i] : a * x[i];
}

SNEPPP__UNUSED SNEPPP__TARGET_AVX2 static void sneppp__long_add_vectors(size_t n, double a, const double *x,
                                                                        double *out)
{
   __m256d scale = _mm256_set1_pd(a);
   size_t  i = 0;
   for (; i + 4 <= n; i += 4)
      _mm256_storeu_pd(out + i, _mm256_fmadd_pd(scale, _mm256_loadu_pd(x + i), _mm256_loadu_pd(out + i)));
   for (; i < n; i++) out[i] = fma(a, x[i], out[i]);
}

/* out += a x, from float sums to double ones. */
SNEPPP__TARGET_AVX2 __attribute__((unused)) static void sneppp__join_vectors(size_t n, double a,
                                                                             const float *x, double *out)
{
   __m256d scale = _mm256_set1_pd(a);
   size_t  i = 0;
   for (; i + 4 <= n; i += 4)
      _mm256_storeu_pd(
         out + i, _mm256_fmadd_pd(scale, _mm256_cvtps_pd(_mm_loadu_ps(x + i)), _mm256_loadu_pd(out + i)));
   for (; i < n; i++) out[i] = fma(a, (double)x[i], out[i]);
}

/* z_i = b_i + sum_r W_ri t_r, W (d, ld); radial: z_i = -1/2 sum_r ((t_r - W_ri) R_ri)^2 with R = 1/width. The
   arrays have room for whole vectors. */
SNEPPP__TARGET_AVX2 static void sneppp__preactivate_vectors(size_t n, size_t d, size_t ld,
                                                            const sneppp_real *W, const sneppp_real *R,
                                                            const sneppp_real *b, const sneppp_real *t,
                                                            sneppp_real *z)
{
   for (size_t i = 0; i < n; i += SNEPPP__LANE) {
      sneppp__vec v = R ? SNEPPP__V(setzero)() : SNEPPP__V(loadu)(b + i);
      for (size_t r = 0; r < d; r++) {
         sneppp__vec x = SNEPPP__V(set1)(t[r]), w = SNEPPP__V(loadu)(W + r * ld + i);
         if (!R) { v = SNEPPP__V(fmadd)(w, x, v); continue; }
         x = SNEPPP__V(mul)(SNEPPP__V(sub)(x, w), SNEPPP__V(loadu)(R + r * ld + i));
         v = SNEPPP__V(fmadd)(x, x, v);
      }
      if (R) v = SNEPPP__V(mul)(v, SNEPPP__V(set1)((sneppp_real)-0.5));
      sneppp__vec_store(z + i, v, n - i);
   }
}

/* db += column sums of dz = dpart o slope and dW += dz'T; dpart (B, n), or dpart o other where there is an other. One
   vector of units at a time walks down the rows with up to four sums in registers. dz (B, n), which may be dpart, is
   for the walks after the first. */
SNEPPP__UNUSED SNEPPP__TARGET_AVX2 static void sneppp__pull_vectors(size_t B, size_t n, size_t d,
                                                                    const sneppp_real *dpart,
                                                                    const sneppp_real *other,
                                                                    const sneppp_real *slope, sneppp_real *dz,
                                                                    const sneppp_real *T, double *db,
                                                                    double *dW)
{
   for (size_t i = 0; i < n; i += SNEPPP__LANE) {
      size_t left = n - i < SNEPPP__LANE ? n - i : SNEPPP__LANE;
      for (size_t r = 0; r <= d; r += 4) { /* column 0 is the bias, column r the coordinate r - 1 */
         sneppp__vec a = SNEPPP__V(setzero)(), s[4], v;
         size_t      columns = d + 1 - r < 4 ? d + 1 - r : 4;
         s[0] = s[1] = s[2] = s[3] = a;
         for (size_t k = 0; k < B; k++) {
            const sneppp_real *t = T + k * d + r;
            size_t             at = k * n + i;
            v = sneppp__vec_load((r ? dz : dpart) + at, left);
            if (!r) {
               if (other) v = SNEPPP__V(mul)(v, sneppp__vec_load(other + at, left));
               v = SNEPPP__V(mul)(v, sneppp__vec_load(slope + at, left));
               if (d > 3) sneppp__vec_store(dz + at, v, left);
               s[0] = SNEPPP__V(add)(s[0], v);
            } else {
               s[0] = SNEPPP__V(fmadd)(v, SNEPPP__V(set1)(t[-1]), s[0]);
            }
            if (columns > 1) s[1] = SNEPPP__V(fmadd)(v, SNEPPP__V(set1)(t[0]), s[1]);
            if (columns > 2) s[2] = SNEPPP__V(fmadd)(v, SNEPPP__V(set1)(t[1]), s[2]);
            if (columns > 3) s[3] = SNEPPP__V(fmadd)(v, SNEPPP__V(set1)(t[2]), s[3]);
         }
         for (size_t c = 0; c < columns; c++) {
            sneppp_real all[SNEPPP__LANE];
            SNEPPP__V(storeu)(all, s[c]);
            for (size_t l = 0; l < left; l++) {
               if (r + c == 0) db[i + l] += (double)all[l];
               else dW[(i + l) * d + r + c - 1] += (double)all[l];
            }
         }
      }
   }
}
   #define SNEPPP__IF_VECTORS(call) if (sneppp__has_vectors()) { call; return; }
#else
   #define SNEPPP__IF_VECTORS(call)
#endif

/* sum x_i y_i */
static double sneppp__real_dot(size_t n, const sneppp_real *x, const sneppp_real *y)
{
   double sum = 0;
#ifdef SNEPPP__VECTOR
   if (sneppp__has_vectors()) return sneppp__real_dot_vectors(n, x, y);
#endif
   for (size_t i = 0; i < n; i++) sum += (double)(x[i] * y[i]);
   return sum;
}

/* exp, log, sine and cosine of n doubles; out may be x, sine and cosine may not. */
SNEPPP__UNUSED static void sneppp__long_exp(size_t n, const double *x, double *out)
{
   SNEPPP__IF_VECTORS(sneppp__long_exp_vectors(n, x, out))
   for (size_t i = 0; i < n; i++) out[i] = exp(x[i]);
}

SNEPPP__UNUSED static void sneppp__long_log(size_t n, const double *x, double *out)
{
   SNEPPP__IF_VECTORS(sneppp__long_log_vectors(n, x, out))
   for (size_t i = 0; i < n; i++) out[i] = log(x[i]);
}

SNEPPP__UNUSED static void sneppp__long_sincos(size_t n, const double *x, double *sine, double *cosine)
{
   SNEPPP__IF_VECTORS(sneppp__long_sincos_vectors(n, x, sine, cosine))
   for (size_t i = 0; i < n; i++) sine[i] = sin(x[i]), cosine[i] = cos(x[i]);
}

#ifndef SNEPPP_INFERENCE_ONLY
static double sneppp__long_dot(size_t n, const double *x, const double *y)
{
#ifdef SNEPPP__VECTOR
   if (sneppp__has_vectors()) return sneppp__long_dot_vectors(n, x, y);
#endif
   return sneppp__dot(n, x, y);
}

#endif /* SNEPPP_INFERENCE_ONLY */

/* out = a x o y, or a x where y is NULL; out may be x or y. */
static void sneppp__real_product(size_t n, sneppp_real a, const sneppp_real *x, const sneppp_real *y, sneppp_real *out)
{
   SNEPPP__IF_VECTORS(sneppp__real_product_vectors(n, a, x, y, out))
   for (size_t i = 0; i < n; i++) out[i] = y ? a * x[i] * y[i] : a * x[i];
}

SNEPPP__UNUSED static void sneppp__long_product(size_t n, double a, const double *x, const double *y, double *out)
{
   SNEPPP__IF_VECTORS(sneppp__long_product_vectors(n, a, x, y, out))
   for (size_t i = 0; i < n; i++) out[i] = y ? a * x[i] * y[i] : a * x[i];
}

/* out += a x */
SNEPPP__UNUSED static void sneppp__long_add(size_t n, double a, const double *x, double *out)
{
   SNEPPP__IF_VECTORS(sneppp__long_add_vectors(n, a, x, out))
   for (size_t i = 0; i < n; i++) out[i] += a * x[i];
}

SNEPPP__UNUSED static void sneppp__join(size_t n, double a, const sneppp_real *x, double *out)
{
#ifdef SNEPPP_REAL_FLOAT
   SNEPPP__IF_VECTORS(sneppp__join_vectors(n, a, x, out))
#else
   SNEPPP__IF_VECTORS(sneppp__long_add_vectors(n, a, x, out))
#endif
   for (size_t i = 0; i < n; i++) out[i] += a * (double)x[i];
}

static void sneppp__preactivate(size_t n, size_t d, size_t ld, const sneppp_real *W, const sneppp_real *R,
                                const sneppp_real *b, const sneppp_real *t, sneppp_real *z)
{
   SNEPPP__IF_VECTORS(sneppp__preactivate_vectors(n, d, ld, W, R, b, t, z))
   for (size_t i = 0; i < n; i++) {
      sneppp_real v = R ? 0 : b[i], e;
      for (size_t r = 0; r < d; r++) {
         if (!R) { v += W[r * ld + i] * t[r]; continue; }
         e = (t[r] - W[r * ld + i]) * R[r * ld + i];
         v -= e * e / 2;
      }
      z[i] = v;
   }
}

#ifndef SNEPPP_INFERENCE_ONLY
static void sneppp__pull_rows(size_t B, size_t n, size_t d, const sneppp_real *dpart, const sneppp_real *other,
                              const sneppp_real *slope, sneppp_real *dz, const sneppp_real *T, double *db,
                              double *dW)
{
   SNEPPP__IF_VECTORS(sneppp__pull_vectors(B, n, d, dpart, other, slope, dz, T, db, dW))
   (void)dz;
   for (size_t k = 0; k < B; k++)
      for (size_t i = 0; i < n; i++) {
         size_t at = k * n + i;
         double e = (double)((other ? dpart[at] * other[at] : dpart[at]) * slope[at]);
         db[i] += e;
         for (size_t r = 0; r < d; r++) dW[i * d + r] += e * (double)T[k * d + r];
      }
}

/* C += A'A, A (k, n), in the lower triangle at least: sums over many chunks are mirrored once, at their end. */
static void sneppp__syrk_add(size_t n, size_t k, const sneppp_real *A, size_t lda, sneppp_real beta, sneppp_real *C)
{
#if (defined(SNEPPP__AVX) || defined(SNEPPP__NEON)) && !defined(SNEPPP_SYRK) && !defined(SNEPPP_SYRK_F32)
   const sneppp__kit *kit = sneppp__kit_for(sizeof *C);
   if (kit && k && SNEPPP__IS_LARGE(n, n, k)) {
      sneppp__gemm_blocks(kit, 1, 1, 0, n, n, k, 1, A, lda, A, lda, (double)beta, C, n);
      return;
   }
#endif
   sneppp__syrk(1, n, k, 1, A, lda, beta, C, n);
}

#endif /* SNEPPP_INFERENCE_ONLY */

/* >>special ==================================================================================================
   Functions that the closed forms need and libm lacks, in double in either precision. None of them keeps
   state (libm's lgamma writes the global signgam, so log-gamma is here too) and none produces an infinity or
   a NaN inside its domain, so they survive -ffast-math. The errors stated are the worst ones measured against
   the table of tests/special_table.h (generator tests/special_table.py), in units of the last place (ulp) of
   the value or, for functions with zeros, of the envelope named; SPECIAL_VERBOSE=1 makes the tests print
   them. */

/* ---- trigonometric and hyperbolic quotients */

/* sin(x)/x for every finite x. The quotient is as good as sin itself; only 0 needs care.
   Worst error 0.4 ulp of min(1, 1/|x|). */
SNEPPP__UNUSED static double sneppp__sinc(double x)
{
   return x == 0 ? 1 : sin(x) / x;
}

/* (sin(x)/x)' = (x cos x - sin x)/x^2. Below 2 the difference would cancel, and the alternating series -x/3 +
   x^3/30 - x^5/840 + ..., coefficients (-1)^k 2k/(2k+1)!, does not. Worst error 1.3 ulp, of 1/|x| beyond 2.
   */
SNEPPP__UNUSED static double sneppp__dsinc(double x)
{
   static const double c[12] = {
      -1.0 / 3.0, 1.0 / 30.0, -1.0 / 840.0, 1.0 / 45360.0, -1.0 / 3991680.0, 1.0 / 518918400.0,
      -1.0 / 93405312000.0, 1.0 / 22230464256000.0, -1.0 / 6758061133824000.0,
      1.0 / 2554547108585472000.0, -1.0 / 1175091669949317120000.0, 1.0 / 646300418472124416000000.0};
   double y = x * x, sum = 0;
   if (y >= 4) return (cos(x) - sin(x) / x) / x;
   for (int k = 11; k >= 0; k--) sum = sum * y + c[k];
   return x * sum;
}

/* log(sinh(x)/x), even. Beyond 2, log(e^|x|/(2|x|)) with the small rest in log1p; below, log1p of the series
   of sinhc - 1, whose terms are all positive. Worst error 1.6 ulp. */
SNEPPP__UNUSED static double sneppp__log_sinhc(double x)
{
   static const double c[12] = {
      1.0 / 6.0, 1.0 / 120.0, 1.0 / 5040.0, 1.0 / 362880.0, 1.0 / 39916800.0, 1.0 / 6227020800.0,
      1.0 / 1307674368000.0, 1.0 / 355687428096000.0, 1.0 / 121645100408832000.0,
      1.0 / 51090942171709440000.0, 1.0 / 25852016738884976640000.0, 1.0 / 15511210043330985984000000.0};
   double y, sum = 0;
   x = fabs(x);
   if (x > 2) return (x - log(2 * x)) + log1p(-exp(-2 * x));
   y = x * x;
   for (int k = 11; k >= 0; k--) sum = sum * y + c[k];
   return log1p(sum * y);
}

/* Langevin's function coth x - 1/x, the derivative of log sinhc, odd. Near 0 its continued fraction x/(3 +
   x^2/(5 + x^2/(7 + ...))), ten levels, written as one quotient of positive polynomials. Worst error 1.8 ulp.
   */
SNEPPP__UNUSED static double sneppp__langevin(double x)
{
   double a = fabs(x), y = x * x, value;
   if (a < 1.5)
      return x * (70509285 + y * (5372136 + y * (106029 + y * (660 + y)))) /
             (211527855 + y * (30218265 + y * (989604 + y * (10395 + y * (33 + y / 65)))));
   value = (1 - 1 / a) + 2 / (a < 20 ? expm1(2 * a) : 3e17); /* beyond 20 the last term is below rounding */
   return x < 0 ? -value : value;
}

/* ---- coefficients, printed by tests/special_table.py coef: Chebyshev interpolants on short intervals,
   Debye's polynomials in logarithmic form, nodes and weights of Gauss-Legendre rules */
static const double sneppp__mills_centre[15] = {
   38.666015625, 21.599609375, 14.28515625, 10.22265625, 7.63671875, 5.845703125, 4.533203125, 3.529296875,
   2.736328125, 2.095703125, 1.564453125, 1.119140625, 0.740234375, 0.4140625, 0.12890625
};
static const double sneppp__mills_scale[15] = {
   0.37500572213321126, 0.62500953688868544, 0.8750267036957915, 1.1249656687723153, 1.3749580396106076,
   1.6250743900019837, 1.8750286106660563, 2.1250324254215305, 2.3751812119454914, 2.6247997436718999,
   2.8753948753948753, 3.1255246089278903, 3.3753605274000824, 3.6247787610619469, 3.8751182592242195
};
static const double sneppp__mills_table[15][10] = {
   {0.025845240384918571, 0.018986981648211259, 0.0012815526681262536, 7.9709623672406327e-05,
    4.4832189173986574e-06, 2.2096921304921423e-07, 8.9693402916891411e-09, 2.5247299697379332e-10,
    7.4782035571820338e-13, -4.2395314526842989e-13},
   {0.046198530509010967, 0.021808356463498164, 0.0015499349712858404, 0.00010004076862581291,
    5.7314575183052041e-06, 2.8007089146159462e-07, 1.0716915730798052e-08, 2.4013921571408096e-10,
    -4.2694426045777103e-12, -6.9229463914074821e-13},
   {0.069664617864189232, 0.025233000046947306, 0.0018874383369247242, 0.00012599175655599227,
    7.3007000264453692e-06, 3.4908846855571779e-07, 1.2215417012712005e-08, 1.7819900607448991e-10,
    -1.157776743427938e-11, -9.1379087618748339e-13},
   {0.09691152848530761, 0.029415745361196441, 0.002312778903479893, 0.0001589262424092282,
    9.2341635965458527e-06, 4.2533779858221617e-07, 1.305950877702621e-08, 5.1487113223273472e-11,
    -2.0185196722288188e-11, -9.5962977128261811e-13},
   {0.1288075970157046, 0.034557049877709613, 0.0028493940202041906, 0.00020037664634410678,
    1.1556938647304342e-05, 5.0352531012224447e-07, 1.2776868740703211e-08, -1.4273379030984057e-10,
    -2.7986856821967739e-11, -7.226818348264363e-13},
   {0.16644552901100623, 0.040909069997482041, 0.003525440397977852, 0.00025191511772062726,
    1.4260518991930375e-05, 5.755708880407155e-07, 1.0940745295170921e-08, -3.8745982327248661e-10,
    -3.2304400610888684e-11, -1.9468427533442626e-13},
   {0.2111378696087777, 0.048774077361496734, 0.0043724866424596429, 0.00031490367506061706,
    1.7286070895458456e-05, 6.3125162093339827e-07, 7.3213977525981951e-09, -6.4507656802679594e-10,
    -3.0974569400567425e-11, 5.0201531550716951e-13},
   {0.2646181544611117, 0.05853626701479081, 0.0054273399116355776, 0.00039048389184835451,
    2.0527529564965086e-05, 6.5997760158101218e-07, 1.9941454301699946e-09, -8.6680618702007969e-10,
    -2.3381308722671958e-11, 1.1609480766803796e-12},
   {0.32903548204587674, 0.070655823711557431, 0.0067294232750107832, 0.00047925884466167815,
    2.3827452024588029e-05, 6.525714650004206e-07, -4.6248598860818367e-09, -1.0063153620243743e-09,
    -1.0780739380646883e-11, 1.586432094449694e-12},
   {0.4067937890887186, 0.085625608502589337, 0.0083139404211612054, 0.00058080149098123878,
    2.6980561180128241e-05, 6.0339869997121651e-07, -1.1822829396984116e-08, -1.0334381897946269e-09,
    4.1316446313915323e-12, 1.6742604822591156e-12},
   {0.50158959749080911, 0.10415544405708779, 0.010229024115926647, 0.00069476910726355278,
    2.979062292101957e-05, 5.1093019863884253e-07, -1.8819086261797471e-08, -9.4162485806182984e-10,
    1.837680434992042e-11, 1.4366961215037102e-12},
   {0.61676493086264395, 0.1268323681868527, 0.012498157483025029, 0.00081869919855817835,
    3.2032475771660541e-05, 3.7936561897898721e-07, -2.4785912339894221e-08, -7.4762834779777702e-10,
    2.9340511104391011e-11, 9.7381109427738509e-13},
   {0.75684520222573193, 0.15439476850842657, 0.015147986310861915, 0.00095001455790162594,
    3.3532804169997272e-05, 2.1681847292859734e-07, -2.9124312785000691e-08, -4.8435668426024957e-10,
    3.5619417011146997e-11, 4.2044515443905523e-13},
   {0.92693505629810624, 0.18759113030598731, 0.018193370478985491, 0.0010853985250582248,
    3.4165218946843426e-05, 3.4376443925122723e-08, -3.1489603866855009e-08, -1.9121708257148747e-10,
    3.698979086544639e-11, -1.015118255075145e-13},
   {1.134147931248789, 0.22742952947755093, 0.021659403636931931, 0.0012219526665750977,
    3.3859569634541294e-05, -1.5678715341896183e-07, -3.1808675634445018e-08, 9.6320198455644551e-11,
    3.4130386227227283e-11, -5.1024133734693738e-13},
};
static const double sneppp__wedge_table[15][11] = {
   {0.00066753144485752459, 0.00098014026746895042, 0.00042522611512892409, 5.1888329649419648e-05,
    4.6158484133841897e-06, 3.3388365906237853e-07, 1.9848018134212502e-08, 9.2393484882432026e-10,
    2.7766653643413103e-11, -9.5211098403234743e-14, -7.1857511984188264e-14},
   {0.0021297873063431238, 0.0020065347593173502, 0.00061224631778288019, 7.4121799697564032e-05,
    6.6172763724867403e-06, 4.7390008852588345e-07, 2.706833033262348e-08, 1.1327166452689138e-09,
    2.2998375933604032e-11, -1.0470149294642271e-12, -1.1757128308247358e-13},
   {0.004830048713515599, 0.0034825226973382323, 0.00087950660719266708, 0.00010591469445143664,
    9.4341262935250372e-06, 6.6123683090472373e-07, 3.5527921054564523e-08, 1.2639186218970066e-09,
    7.7919801877892686e-12, -2.3768589769093843e-12, -1.4211665270442676e-13},
   {0.0093067576326171797, 0.005599929032201632, 0.001260916799815549, 0.00015100557821750012,
    1.3316582746392263e-05, 9.0098288820161894e-07, 4.4362170731317379e-08, 1.2239057665664309e-09,
    -1.9819937815998415e-11, -3.710436492193912e-12, -1.1386022395300748e-13},
   {0.016332608727724591, 0.0086327150842418123, 0.0018035136901172577, 0.0002142081220287404,
    1.852770744762844e-05, 1.1912447288308279e-06, 5.2041446560655951e-08, 9.2019773926181425e-10,
    -5.7208384681278334e-11, -4.4291769581100238e-12, -1.9809869702795383e-14},
   {0.027008850918082736, 0.01296514445014023, 0.0025704356427799285, 0.00030134794555512279,
    2.5295730785626092e-05, 1.5192129916877571e-06, 5.651047880282442e-08, 3.0391359829783461e-10,
    -9.6102954565717903e-11, -3.9670506944085407e-12, 1.1480968202037193e-13},
   {0.042869149683646357, 0.019117845053984908, 0.0036420671115456426, 0.00041883343033074518,
    3.3741188149383037e-05, 1.8587488755008724e-06, 5.5643564776541554e-08, -5.9007554030095093e-10,
    -1.2474347017095303e-10, -2.1825437491466811e-12, 2.3464482250156993e-13},
   {0.066083974392131137, 0.027803223046330233, 0.005120446973377611, 0.00057347342622595147,
    4.3840143284664136e-05, 2.1730244093635484e-06, 4.7888967511798693e-08, -1.636281790658317e-09,
    -1.3275661337610038e-10, 4.9625376433091883e-13, 2.8702787093466889e-13},
   {0.099650956354934955, 0.039959521013295286, 0.0071276961492682802, 0.0007715891856530275,
    5.5364357340436823e-05, 2.4188138370021969e-06, 3.2808536403607583e-08, -2.6468140592246275e-09,
    -1.1554393088601978e-10, 3.263594232413178e-12, 2.52302272172675e-13},
   {0.14748098497618153, 0.056733512017306073, 0.0097946133098855883, 0.0010173780544726688,
    6.7830804688466244e-05, 2.5539791505649197e-06, 1.1406184753148947e-08, -3.4248825362038585e-09,
    -7.6186471716020937e-11, 5.3115763893443702e-12, 1.498227859997019e-13},
   {0.21528658673801146, 0.079722255958438654, 0.013288758574527522, 0.0013151135904392237,
    8.0677601128163265e-05, 2.5467263027746396e-06, -1.4292016415164259e-08, -3.8291285795926746e-09,
    -2.3340777536134952e-11, 6.17160339012546e-12, 2.1289128118160896e-14},
   {0.30975330979629878, 0.1105988618176147, 0.017745925904220652, 0.0016630637892927982,
    9.3068153516400707e-05, 2.3799056899606278e-06, -4.1244946920655601e-08, -3.7944187835355012e-09,
    3.1428392860381145e-11, 5.7889595717335039e-12, -9.216450144344469e-14},
   {0.43975716475868676, 0.1514331994445092, 0.023312575734610454, 0.0020579063928676108,
    0.00010421236616990399, 2.055477945379381e-06, -6.6446890977100955e-08, -3.3485024412299413e-09,
    7.8120626490343811e-11, 4.4634205374968333e-12, -1.6507042405967034e-13},
   {0.61619095325156537, 0.20451858211043417, 0.030113652701955238, 0.0024928139293096882,
    0.00011336332689232761, 1.5925915807019427e-06, -8.7318203293316905e-08, -2.5858307603808563e-09,
    1.1026283086340524e-10, 2.6499991215193315e-12, -1.9096672909699242e-13},
   {0.85380124323746076, 0.27278920733406348, 0.038298901244981691, 0.0029610141558347076,
    0.00011994094851643135, 1.0200080751715737e-06, -1.0216459274336038e-07, -1.6297950276666123e-09,
    1.2559861359272584e-10, 7.7780982424761269e-13, -1.7755557000002126e-13},
};
static const double sneppp__lgamma_table[2][20] = {
   {0.48312895054098087, -0.14595989591430594, 0.062911401074582055, -0.031308487501054152,
    0.016797098628942214, -0.0094256224447675178, 0.0054464579585214497, -0.003212074222602009,
    0.0019229132085171585, -0.0011644113425479958, 0.00071156542457832014, -0.00043803551519258432,
    0.00027089231144804298, -0.00016856961232463447, 0.00010772622817405225, -6.7945325391134367e-05,
    3.4965940267598816e-05, -2.1471686472038385e-05, 2.8361044412699963e-05, -1.8541310577836399e-05},
   {0.37957716063055885, -0.074663574154499424, 0.019905154304743215, -0.0060187685270332017,
    0.0019490574889448658, -0.00065863970677248074, 0.00022905363755700874, -8.1302288881243527e-05,
    2.9299281064229072e-05, -1.0682328072802122e-05, 3.9306134751854688e-06, -1.4570372407427136e-06,
    5.4340125843594675e-07, -2.0370140680233644e-07, 7.6748566088713369e-08, -2.9008537419536024e-08,
    1.0810319685709542e-08, -4.1017457738933239e-09, 1.9179464322621429e-09, -7.4024332812751504e-10},
};
static const double sneppp__digamma_table[21] = {
   0.0364899739785765, 0.93480220054467444, -0.41439832211714095, 0.23484850566847909,
   -0.14476040944749186, 0.092612904899719198, -0.060358227316978041, 0.039725835207998265,
   -0.026288740060552929, 0.01745025393813545, -0.011603963271755302, 0.0077257475775154971,
   -0.0051462816346580301, 0.0034176695344647475, -0.0022755992945290085, 0.0015756407891838679,
   -0.0010575255925638878, 0.00051799242602077454, -0.00033173132893197518, 0.00055355335051829758,
   -0.00037989511316818933
};
static const double sneppp__debye_table[90] = {
   0.125, -0.20833333333333334, 0.0625, -0.375, 0.3125, 0.065104166666666671, -0.82968750000000002,
   1.7265625, -0.95920138888888884, 0.1015625, -2.21875, 8.296875, -10.59375, 4.4140625,
   0.20957031249999999, -6.9822823660714288, 40.542751736111114, -87.693359375, 80.8837890625,
   -26.961263020833332, 0.53645833333333337, -25.3125, 209.625, -673.625, 1021.640625, -737.8125,
   204.94791666666666, 1.6380658830915178, -103.97592163085938, 1160.8294372558594, -5140.2112731933594,
   11304.659503173829, -13184.767364501953, 7824.8994445800781, -1863.0712963285901, 5.809814453125,
   -477.615234375, 6904.2763671875, -40090.447265625, 119071.95263671875, -198321.806640625,
   187801.9013671875, -94603.037109375, 19708.966064453125, 23.475127749972874, -2427.2885336442428,
   44069.78581237793, -323875.5657704671, 1240124.8821487427, -2752869.2114181519, 3683609.1391855874,
   -2935198.3014678955, 1284393.7849998474, -237850.70092589766, 106.467822265625, -13526.99560546875,
   301187.02368164062, -2727462.591796875, 13026405.797363281, -36852414.786914065, 65112147.795410156,
   -72748886.005859375, 50027742.520751953, -19350359.069824219, 3225059.8449707031, 535.64051951061595,
   -82046.565798667754, 2197624.7506718161, -24011994.284158945, 139535179.1724906, -487422412.27094018,
   1088470361.2907014, -1594676024.6768589, 1528592829.6473379, -924445055.3424871, 320384038.82623315,
   -48543036.185792901, 2960.739786783854, -538164.052734375, 17067704.537109375, -221216118.06429037,
   1533944655.227417, -6461280179.6308594, 17683879971.178711, -32540336002.749023, 40681628863.233032,
   -34134822577.796875, 18421426618.901367, -5782944462.4145508, 803186730.89090979
};
static const double sneppp__gl_x[128] = {
   -0.93246951420315205, -0.66120938646626448, -0.2386191860831969, 0.2386191860831969,
   0.66120938646626448, 0.93246951420315205, -0.96028985649753629, -0.79666647741362673,
   -0.52553240991632899, -0.18343464249564981, 0.18343464249564981, 0.52553240991632899,
   0.79666647741362673, 0.96028985649753629, -0.97390652851717174, -0.86506336668898454,
   -0.67940956829902444, -0.43339539412924721, -0.14887433898163122, 0.14887433898163122,
   0.43339539412924721, 0.67940956829902444, 0.86506336668898454, 0.97390652851717174,
   -0.98156063424671924, -0.90411725637047491, -0.76990267419430469, -0.58731795428661748,
   -0.36783149899818018, -0.12523340851146891, 0.12523340851146891, 0.36783149899818018,
   0.58731795428661748, 0.76990267419430469, 0.90411725637047491, 0.98156063424671924,
   -0.98940093499164994, -0.9445750230732326, -0.86563120238783176, -0.755404408355003,
   -0.61787624440264377, -0.45801677765722737, -0.28160355077925892, -0.095012509837637441,
   0.095012509837637441, 0.28160355077925892, 0.45801677765722737, 0.61787624440264377, 0.755404408355003,
   0.86563120238783176, 0.9445750230732326, 0.98940093499164994, -0.99312859918509488,
   -0.96397192727791381, -0.91223442825132595, -0.83911697182221878, -0.7463319064601508,
   -0.63605368072651502, -0.51086700195082713, -0.37370608871541955, -0.22778585114164507,
   -0.076526521133497338, 0.076526521133497338, 0.22778585114164507, 0.37370608871541955,
   0.51086700195082713, 0.63605368072651502, 0.7463319064601508, 0.83911697182221878, 0.91223442825132595,
   0.96397192727791381, 0.99312859918509488, -0.99518721999702131, -0.97472855597130947,
   -0.9382745520027328, -0.88641552700440107, -0.82000198597390295, -0.74012419157855436,
   -0.64809365193697555, -0.54542147138883956, -0.43379350762604513, -0.3150426796961634,
   -0.19111886747361631, -0.06405689286260563, 0.06405689286260563, 0.19111886747361631,
   0.3150426796961634, 0.43379350762604513, 0.54542147138883956, 0.64809365193697555, 0.74012419157855436,
   0.82000198597390295, 0.88641552700440107, 0.9382745520027328, 0.97472855597130947, 0.99518721999702131,
   -0.99726386184948157, -0.98561151154526838, -0.96476225558750639, -0.93490607593773967,
   -0.89632115576605209, -0.84936761373256997, -0.79448379596794239, -0.73218211874028971,
   -0.66304426693021523, -0.5877157572407623, -0.50689990893222936, -0.42135127613063533,
   -0.33186860228212767, -0.23928736225213706, -0.14447196158279649, -0.048307665687738317,
   0.048307665687738317, 0.14447196158279649, 0.23928736225213706, 0.33186860228212767,
   0.42135127613063533, 0.50689990893222936, 0.5877157572407623, 0.66304426693021523, 0.73218211874028971,
   0.79448379596794239, 0.84936761373256997, 0.89632115576605209, 0.93490607593773967, 0.96476225558750639,
   0.98561151154526838, 0.99726386184948157
};
static const double sneppp__gl_w[128] = {
   0.17132449237917036, 0.36076157304813861, 0.46791393457269104, 0.46791393457269104, 0.36076157304813861,
   0.17132449237917036, 0.10122853629037626, 0.22238103445337448, 0.31370664587788727, 0.36268378337836199,
   0.36268378337836199, 0.31370664587788727, 0.22238103445337448, 0.10122853629037626,
   0.066671344308688138, 0.14945134915058059, 0.21908636251598204, 0.26926671930999635,
   0.29552422471475287, 0.29552422471475287, 0.26926671930999635, 0.21908636251598204, 0.14945134915058059,
   0.066671344308688138, 0.047175336386511828, 0.10693932599531843, 0.16007832854334622,
   0.20316742672306592, 0.23349253653835481, 0.24914704581340277, 0.24914704581340277, 0.23349253653835481,
   0.20316742672306592, 0.16007832854334622, 0.10693932599531843, 0.047175336386511828,
   0.027152459411754096, 0.062253523938647894, 0.095158511682492786, 0.12462897125553388,
   0.14959598881657674, 0.16915651939500254, 0.18260341504492358, 0.1894506104550685, 0.1894506104550685,
   0.18260341504492358, 0.16915651939500254, 0.14959598881657674, 0.12462897125553388,
   0.095158511682492786, 0.062253523938647894, 0.027152459411754096, 0.017614007139152118,
   0.040601429800386939, 0.062672048334109068, 0.083276741576704755, 0.10193011981724044,
   0.11819453196151841, 0.13168863844917664, 0.14209610931838204, 0.14917298647260374, 0.15275338713072584,
   0.15275338713072584, 0.14917298647260374, 0.14209610931838204, 0.13168863844917664, 0.11819453196151841,
   0.10193011981724044, 0.083276741576704755, 0.062672048334109068, 0.040601429800386939,
   0.017614007139152118, 0.0123412297999872, 0.028531388628933663, 0.044277438817419808,
   0.059298584915436783, 0.0733464814110803, 0.086190161531953274, 0.097618652104113884,
   0.10744427011596563, 0.1155056680537256, 0.12167047292780339, 0.1258374563468283, 0.12793819534675216,
   0.12793819534675216, 0.1258374563468283, 0.12167047292780339, 0.1155056680537256, 0.10744427011596563,
   0.097618652104113884, 0.086190161531953274, 0.0733464814110803, 0.059298584915436783,
   0.044277438817419808, 0.028531388628933663, 0.0123412297999872, 0.0070186100094700964,
   0.01627439473090567, 0.025392065309262059, 0.034273862913021431, 0.042835898022226683,
   0.050998059262376175, 0.058684093478535544, 0.065822222776361849, 0.072345794108848505,
   0.078193895787070311, 0.083311924226946749, 0.087652093004403811, 0.091173878695763891,
   0.093844399080804566, 0.095638720079274861, 0.096540088514727798, 0.096540088514727798,
   0.095638720079274861, 0.093844399080804566, 0.091173878695763891, 0.087652093004403811,
   0.083311924226946749, 0.078193895787070311, 0.072345794108848505, 0.065822222776361849,
   0.058684093478535544, 0.050998059262376175, 0.042835898022226683, 0.034273862913021431,
   0.025392065309262059, 0.01627439473090567, 0.0070186100094700964
};

/* exp(-c x^2), c = 1/2 or 1, to full relative accuracy. The rounding of x^2 alone would cost c x^2 units, 700
   at the end of the range. So x is split at a multiple t of 2^-12, whose square is exact, and the factor
   exp(-c(x^2 - t^2)), with an exponent below 0.007, is a short series. The split goes through an integer,
   which -ffast-math cannot undo, and the factor is not a call of exp, which it would merge with the first
   one. */
SNEPPP__INLINE double sneppp__exp_square(double x, double c)
{
   double t, e;
   x = fabs(x);
   if (x > 38.6 || c * x * x > 745) return 0;
   t = (double)(int)(x * 4096) * (1.0 / 4096);
   e = -c * (x - t) * (x + t);
   return exp(-c * t * t) * (1 + e * (1 + e * (0.5 + e * (1.0 / 6 + e * (1.0 / 24 + e * (1.0 / 120))))));
}

/* Which interval of the tables x >= 0 falls into, and where: t = 16(u - u_i), u = 4/(4+x), u_i at the centre.
   The difference is formed in x, where it is exact; formed in u it would cost five units near x = 0. */
SNEPPP__INLINE double sneppp__mills_local(double x, int *interval)
{
   double u = 4 / (4 + x);
   int    i = (int)(u * 16);
   i = i > 15 ? 14 : i < 1 ? 0 : i - 1;
   *interval = i;
   return u * (sneppp__mills_centre[i] - x) * sneppp__mills_scale[i]; /* scale 16/(4 + centre) */
}

/* Mills' ratio m(x) = Phi(-x)/phi(x) for x >= 0; beyond 60 its asymptotic series 1/x - 1/x^3 + 3/x^5 - ... */
SNEPPP__INLINE double sneppp__mills_right(double x)
{
   int           i;
   double        t, s, q;
   const double *c;
   if (x >= 60) {
      t = 1 / x;
      s = t * t;
      return t * (1 - s * (1 - s * (3 - s * (15 - s * (105 - s * 945)))));
   }
   t = sneppp__mills_local(x, &i);
   c = sneppp__mills_table[i];
   s = t * t;
   q = s * s;
   return ((c[0] + c[1] * t) + (c[2] + c[3] * t) * s) +
          q * (((c[4] + c[5] * t) + (c[6] + c[7] * t) * s) + q * (c[8] + c[9] * t));
}

/* g(x) = 1 - x m(x) for x >= 0: what is left after Mills' ratio and 1/x cancel, ~ 1/x^2 far out. It is the
   integral over u > 0 of u exp(-x u - u^2/2), the first rectified moment of a normal divided by its density.
   */
SNEPPP__INLINE double sneppp__wedge_right(double x)
{
   int           i;
   double        t, s, q;
   const double *c;
   if (x >= 60) {
      t = 1 / x;
      s = t * t;
      return s * (1 - s * (3 - s * (15 - s * (105 - s * (945 - s * 10395)))));
   }
   t = sneppp__mills_local(x, &i);
   c = sneppp__wedge_table[i];
   s = t * t;
   q = s * s;
   return ((c[0] + c[1] * t) + (c[2] + c[3] * t) * s) +
          q * (((c[4] + c[5] * t) + (c[6] + c[7] * t) * s) + q * ((c[8] + c[9] * t) + c[10] * s));
}

/* The standard normal density. Worst error 1.7 ulp. */
SNEPPP__UNUSED static double sneppp__phi(double x)
{
   return sneppp__exp_square(x, 0.5) * (1 / SNEPPP__SQRT_2PI);
}

/* Phi(-x) for x >= 0, to full relative accuracy as far as it is a normal number. */
static double sneppp__upper(double x)
{
   return sneppp__exp_square(x, 0.5) * sneppp__mills_right(x) * (1 / SNEPPP__SQRT_2PI);
}

/* The standard normal distribution function, to full relative accuracy in both tails' own sense: the lower
   tail keeps its digits down to underflow. erfc(-x/sqrt 2)/2 would lose x^2 units to the rounding of x/sqrt
   2. Worst error 2.5 ulp. */
SNEPPP__UNUSED static double sneppp__Phi(double x)
{
   return x <= 0 ? sneppp__upper(-x) : 1 - sneppp__upper(x);
}

/* Mills' ratio Phi(-x)/phi(x) for every x; grows like e^(x^2/2) to the left and stops at 1e306 for x < -37.5.
   Worst error 2.7 ulp. */
SNEPPP__UNUSED static double sneppp__mills(double x)
{
   if (x >= 0) return sneppp__mills_right(x);
   if (x < -37.5) x = -37.5;
   return SNEPPP__SQRT_2PI / sneppp__exp_square(x, 0.5) - sneppp__mills_right(-x);
}

/* ---- Gauss-Legendre quadrature on [-1, 1]: at least n nodes, of the orders that are tabled (6, 8, 10, 12,
   16, 20, 24, 32); returns the order, whose rule integrates polynomials of degree 2 order - 1 exactly. n <=
   32. */
SNEPPP__UNUSED static int sneppp__gauss_legendre(int n, const double **x, const double **w)
{
   static const int order[8] = {6, 8, 10, 12, 16, 20, 24, 32};
   int              i = 0, at = 0;
   while (i < 7 && order[i] < n) at += order[i++];
   *x = sneppp__gl_x + at;
   *w = sneppp__gl_w + at;
   return order[i];
}

/* erf(y) - erf(x), to full relative accuracy for all x and y. Far apart on one side, the difference of two
   tails with the smaller exponential in front; close together, where every difference cancels, Gauss's rule
   on the integrand e^(-t^2) = e^(-x^2) e^(-(t-x)(t+x)). (From the midpoint it would be symmetric, but the
   rounding of the midpoint m costs m^2 units.) Worst error 4.4 ulp. */
SNEPPP__UNUSED static double sneppp__erf_diff(double x, double y)
{
   double        value, r;
   const double *node, *weight;
   int           n;
   if (x > y) return -sneppp__erf_diff(y, x);
   if (y < 0) { value = x; x = -y; y = -value; } /* now |x| <= y: erf is odd */
   if (x <= -0.5 || (x <= 0 && y >= 1)) return erf(y) - erf(x);
   r = 0.5 * (y - x);
   if (x > 0 && 2 * r * (x + y) > 1) {
      value = sneppp__mills_right(x * SNEPPP__SQRT2);
      if (y < 30) value -= exp(-2 * r * (x + y)) * sneppp__mills_right(y * SNEPPP__SQRT2);
      return sneppp__exp_square(x, 1) * value * SNEPPP__SQRT_2_PI;
   }
   value = 0;
   n = sneppp__gauss_legendre(12, &node, &weight);
   for (int i = 0; i < n; i++) {
      double u = r * (1 + node[i]); /* t - x */
      value += weight[i] * exp(-u * (2 * x + u));
   }
   return sneppp__exp_square(x, 1) * value * r * (2 / SNEPPP__SQRT_PI);
}

/* I_p/phi(t) = integral over u > 0 of u^p exp(-t u - u^2/2), I_p = E[(X - t)_+^p], for t > 0 and p >= 2. Far
   out the ratios r_n = I_n/I_{n-1} = n/(t + r_{n+1}) run downwards from a guess, all positive (I_p is the
   minimal solution of the recursion in p, so this is the stable direction); nearer than 3 that converges too
   slowly, and Gauss's rule with 32 points does it. The rule holds for p <= 12; from there two values are
   carried upwards. */
static double sneppp__rect_tail(int p, double t)
{
   double        root = sqrt((double)p), length = 0.75 * (p < 12 ? root : 3.5) + 8 - 0.5 * t;
   double        value = 1, r, u, J[2] = {0, 0};
   const double *x, *w;
   if (t >= 3) {
      int n;
      root += 18 / t; /* the error falls like exp(-2t(sqrt n - sqrt p)) */
      n = (int)(root * root) + 4;
      for (r = 0.5 * (sqrt(t * t + 4 * n) - t); n >= 2; n--) {
         r = n / (t + r);
         if (n <= p) value *= r;
      }
      return value * sneppp__wedge_right(t);
   }
   sneppp__gauss_legendre(32, &x, &w);
   for (int i = 0; i < 32; i++) {
      u = 0.5 * length * (1 + x[i]);
      value = 0.5 * length * w[i] * exp(-u * (t + 0.5 * u)) * u;
      for (int k = 2; k < (p < 12 ? p : 12); k++) value *= u;
      J[0] += value;
      J[1] += value * u;
   }
   for (int k = 13; k <= p; k++) {
      value = (k - 1) * J[0] - t * J[1];
      J[0] = J[1];
      J[1] = value;
   }
   return J[1];
}

/* E[V_+^p] of V ~ N(mu, v), p = 0, 1, 2, ...; v = 0 gives mu_+^p, and 1/2 for p = 0 at mu = 0. For mu >= 0
   the recursion m_p = mu m_{p-1} + (p-1) v m_{p-2} adds positive terms; for mu < 0 it would cancel. Worst
   error 6.2 ulp, times 1 + t^2 left of zero, t = -mu/sqrt(v), where the rounding of t does as much. */
SNEPPP__UNUSED static double sneppp__rect_moment(int p, double mu, double v)
{
   double sd = sqrt(v), m0 = 1, m1 = mu, value;
   if (mu * mu >= 1500 * v) { /* the density at 0 is zero in double; v may be 0 */
      if (mu == 0) return p == 0 ? 0.5 : 0;
      if (mu < 0) return 0;
   } else if (mu >= 0) {
      m0 = sneppp__Phi(mu / sd);
      m1 = mu * m0 + sd * sneppp__phi(mu / sd);
   } else {
      double t = -mu / sd;
      if (p == 0) return sneppp__upper(t);
      value = sneppp__phi(t) * (p == 1 ? sneppp__wedge_right(t) : sneppp__rect_tail(p, t));
      for (int k = 0; k < p; k++) value *= sd;
      return value;
   }
   if (p == 0) return m0;
   for (int k = 2; k <= p; k++) {
      value = mu * m1 + (k - 1) * v * m0;
      m0 = m1;
      m1 = value;
   }
   return m1;
}

/* ---- the bivariate normal distribution

   Put the corner of the quadrant {X < h, Y < k} into coordinates in which the pair is uncorrelated: it
   becomes a wedge whose corner has distance r from the origin, r^2 = h^2 + kappa_j^2 = k^2 + kappa_i^2. In
   polar coordinates about the corner the mass between two rays is

      e^(-r^2/2)/(2 pi) integral g(r cos t) dt,     g(x) = 1 - x m(x),

   t the angle from the outward radius. The integrand is positive: nothing cancels, however far out the
   corner. Up to 45 degrees it is smooth in v = tan(t/2) (nearest singularity at v = 1, the range ends at
   0.4142), so six points, the right half of the 12-point Gauss rule, give full accuracy. Wider sectors follow
   from quadrants: a right angle at the corner has mass Phi(-h) Phi(-c). This is Owen's T function (Owen
   1956), complemented. */
static double sneppp__sector(double r, double mass, double v)
{
   /* mass = e^(-r^2/2), v = tan(angle/2) <= 0.4142136 */
   int           n = v < 0.06 ? 6 : v < 0.15 ? 8 : v < 0.25 ? 10 : 12;
   double        sum = 0;
   const double *x, *w;
   if (mass == 0 || v == 0) return 0;
   n = sneppp__gauss_legendre(n, &x, &w);
   for (int i = n / 2; i < n; i++) {
      double y = v * x[i], q;
      y *= y;
      q = 1 / (1 + y);
      sum += w[i] * q * sneppp__wedge_right(r * (1 - y) * q);
   }
   return sum * v * mass * (1 / SNEPPP__PI);
}

/* Mass beyond the line at distance h >= 0 and on the far side of the radius through the point c >= 0 of it:
   Phi(-h)/2 - T(h, c/h). Q_h = Phi(-h) is handed in. */
static double sneppp__sector_far(double h, double c, double r, double mass, double Q_h)
{
   if (h <= c) return sneppp__sector(r, mass, h / (c + r));
   return Q_h * sneppp__upper(c) - sneppp__sector(r, mass, c / (h + r));
}

/* Owen's T(h, a) = 1/(2 pi) integral_0^a exp(-h^2(1+x^2)/2)/(1+x^2) dx, any h and a. Worst
   error 4.9 ulp. */
SNEPPP__UNUSED static double sneppp__owens_t(double h, double a)
{
   double c, w, mass, value;
   int    negative = a < 0;
   h = fabs(h);
   a = fabs(a);
   if (a > 1e150) a = 1e150;
   w = a < 1e8 ? sqrt(1 + a * a) : a;
   c = h < 1e150 ? a * h : 0;
   if (h > 40) return 0;
   if (c > 1e150) c = 1e150;
   mass = sneppp__exp_square(h, 0.5) * sneppp__exp_square(c, 0.5);
   if (a <= 1)
      value = sneppp__upper(h) * 0.5 * erf(c / SNEPPP__SQRT2) + sneppp__sector(h * w, mass, a / (1 + w));
   else
      value = 0.5 * sneppp__upper(h) - sneppp__sector(h * w < 1e150 ? h * w : 1e150, mass, 1 / (a + w));
   return negative ? -value : value;
}

/* Phi_2(h, k; rho) - Phi(h) Phi(k) for small correlation: the integral of its derivative with respect to rho
   (Plackett 1954), e^(-(h^2 - 2 x h k + k^2)/(2(1-x^2)))/(2 pi sqrt(1-x^2)), with e^(-(h^2+k^2)/2) in front.
   */
static double sneppp__bvn_small(double h, double k, double rho)
{
   double        sum = 0, hk = h * k, hh = h * h + k * k;
   const double *x, *w;
   int           n = sneppp__gauss_legendre(fabs(rho) < 0.05 ? 6 : 12, &x, &w);
   for (int i = 0; i < n; i++) {
      double t = 0.5 * rho * (1 + x[i]), s2 = 1 - t * t;
      sum += w[i] * exp(t * (hk - 0.5 * t * hh) / s2) / sqrt(s2);
   }
   return sum * rho * (0.25 / SNEPPP__PI) * sneppp__exp_square(h, 0.5) * sneppp__exp_square(k, 0.5);
}

/* The wedge integral itself, over its whole opening atan2(s, -rho), from the edge y = k. For narrow wedges
   that the radius does not enter, where differences of sectors cancel. A ray at the angle a from the edge
   passes the origin at the distance y = k cos a - kappa_i sin a, and -x is how far back the closest point
   lies. E_k = e^(-k^2/2) stands in front, because the rounding of y itself would cost y^2 units. */
static double sneppp__bvn_narrow(double k, double rho, double s, double kappa_i, double E_k)
{
   double        opening = atan2(s, -rho), sum = 0;
   const double *node, *w;
   int           n = sneppp__gauss_legendre(20, &node, &w);
   for (int i = 0; i < n; i++) {
      double a = 0.5 * opening * (1 + node[i]), sa = sin(a), ca = cos(a), x = -(kappa_i * ca + k * sa), f;
      if (x >= 0)
         f = sneppp__exp_square(x, 0.5) * sneppp__wedge_right(x);
      else
         f = sneppp__exp_square(x, 0.5) - x * SNEPPP__SQRT_2PI * sneppp__Phi(-x);
      /* (y^2 - k^2)/2 */
      sum += w[i] * f * exp(sa * (k * kappa_i * ca - 0.5 * sa * (kappa_i - k) * (kappa_i + k)));
   }
   return sum * opening * (0.25 / SNEPPP__PI) * E_k;
}

/* Phi_2(h, k; rho) = P(X < h, Y < k) of unit normals with correlation rho, and, if psi is not NULL, Phi_2 -
   Phi(h) Phi(k) without cancellation. The caller gives s = sqrt(1 - rho^2), kappa_j = (k - rho h)/s and
   kappa_i = (h - rho k)/s, because near |rho| = 1 only the vectors behind rho know them. s = 0 is allowed;
   kappa is then not read. Two sectors give every quadrant; their sums and differences keep relative accuracy
   in the lower tails. Worst error of the value 4.7 ulp, of psi 3.8 ulp, of the results themselves (not of 1),
   beyond what the rounding of the kappas causes. About 190 ns. */
SNEPPP__UNUSED static double sneppp__bvn(double h, double k, double rho, double s, double kappa_j, double kappa_i,
                                         double *psi)
{
   double ah = fabs(h), ak = fabs(k), E_h = sneppp__exp_square(ah, 0.5), E_k = sneppp__exp_square(ak, 0.5);
   double Q_h = E_h * sneppp__mills_right(ah) * (1 / SNEPPP__SQRT_2PI);
   double Q_k = E_k * sneppp__mills_right(ak) * (1 / SNEPPP__SQRT_2PI);
   double big, low, r, mass, value;
   double sign = (h > 0) == (k > 0) ? 1 : -1; /* of the correlation after both variables point outwards */
   double reach = fabs(rho) * (ah > ak ? ah : ak);
   if (fabs(rho) < 0.3 && reach < 0.7 && fabs(rho) * ah * ak < 0.7) {
      low = sneppp__bvn_small(h, k, rho);
      if (psi) *psi = low;
      return (h > 0 ? 1 - Q_h : Q_h) * (k > 0 ? 1 - Q_k : Q_k) + low;
   }
   if (ah == 0 && ak == 0) {
      value = atan2(s, -rho) / (2 * SNEPPP__PI);
      if (psi) *psi = atan2(rho, s) / (2 * SNEPPP__PI);
      return value;
   }
   if (s <= 0) {
      big = rho > 0 ? (h < k ? h : k) : h;
      value = rho > 0      ? sneppp__Phi(big)
              : h + k <= 0 ? 0
                           : 0.5 * sneppp__erf_diff(-k / SNEPPP__SQRT2, h / SNEPPP__SQRT2);
      low = sign * rho > 0 ? (ah > ak ? Q_h : Q_k) : 0;
   } else {
      double bj = fabs(kappa_j), bi = fabs(kappa_i), near_j, near_i, far_j, far_i;
      if (bj > 1e150) bj = 1e150;
      if (bi > 1e150) bi = 1e150;
      r = bj < bi ? sqrt(ah * ah + bj * bj) : sqrt(ak * ak + bi * bi);
      mass = bj < bi ? E_h * sneppp__exp_square(bj, 0.5) : E_k * sneppp__exp_square(bi, 0.5);
      /* The sectors between the outward radius and each edge, as the edges run and with both edges reversed;
         a sector and its reverse make up the half-plane beyond the edge's line. */
      far_j = sneppp__sector_far(ah, bj, r, mass, Q_h);
      far_i = sneppp__sector_far(ak, bi, r, mass, Q_k);
      near_j = kappa_j > 0 ? Q_h - far_j : far_j;
      near_i = kappa_i > 0 ? Q_k - far_i : far_i;
      far_j = kappa_j > 0 ? far_j : Q_h - far_j;
      far_i = kappa_i > 0 ? far_i : Q_k - far_i;
      /* Pointing a variable outwards reverses the other variable's edge. */
      low = (k > 0 ? far_j : near_j) + (h > 0 ? far_i : near_i);
      if (h <= 0 && k <= 0) { value = low; big = low; }
      else if (h <= 0) { value = near_j - near_i; big = near_j; }
      else if (k <= 0) { value = near_i - near_j; big = near_i; }
      else { value = (1 - near_j) - near_i; big = 1; }
      if (value < 0.1 * big) value = sneppp__bvn_narrow(k, rho, s, kappa_i, E_k);
   }
   if (psi) *psi = sign * (low - Q_h * Q_k);
   return value;
}

/* ---- log-gamma and its kin */

/* log Gamma(x) - [(x - 1/2) log x - x + log(2 pi)/2] for x >= 10 (Stirling; DLMF 5.11.1). */
SNEPPP__INLINE double sneppp__stirling(double x)
{
   double y = 1 / x, z = y * y;
   return y * (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 -
          z * (691.0 / 360360 - z * (1.0 / 156)))))));
}

/* log Gamma(x), x > 0. Between 1 and 3 it is (x-1)(x-2) times a polynomial, so it keeps its digits at its
   zeros; the recurrence Gamma(x+1) = x Gamma(x) brings the rest below 10 there with terms of one sign. Worst
   error 1.9 ulp. */
static double sneppp__lgamma(double x)
{
   double        prod = 1, sum = 0, y = x;
   const double *c;
   if (x >= 10) return (x - 0.5) * (log(x) - 1) + (0.5 * SNEPPP__LOG_2PI - 0.5) + sneppp__stirling(x);
   if (x < 1) y = x + 1;
   while (y > 3) { y -= 1; prod *= y; }
   c = sneppp__lgamma_table[y > 2];
   for (int k = 19; k >= 0; k--) sum = sum * (y - (y > 2 ? 2.5 : 1.5)) + c[k];
   /* For x < 1, y - 1 is x itself and y - 2 is x - 1, without the rounding of y. */
   sum *= x < 1 ? x * (x - 1) : (y - 1) * (y - 2);
   return x < 1 ? sum - log(x) : prod > 1 ? sum + log(prod) : sum;
}

/* psi(x) = (log Gamma)'(x), x > 0; worst error 1.4 ulp of max(|psi|, 1). */
SNEPPP__UNUSED static double sneppp__digamma(double x)
{
   double sum = 0, shift = 0, y = x, z;
   if (x >= 10) {
      y = 1 / x;
      z = y * y;
      return log(x) - (0.5 * y + z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 -
             z * (691.0 / 32760 - z / 12)))))));
   }
   if (x < 1) { shift = -1 / x; y = x + 1; }
   while (y > 2) { y -= 1; shift += 1 / y; }
   for (int k = 20; k >= 0; k--) sum = sum * (y - 1.5) + sneppp__digamma_table[k];
   return shift + sum;
}

/* x - log(1+x), x > -1/2, without cancellation for small x: with y = x/(2+x), log(1+x) = 2 atanh y, and
   x - 2y = x y. */
static double sneppp__x_minus_log1p(double x)
{
   double y, z, sum = 0;
   if (x > 0.5) return x - log1p(x);
   y = x / (2 + x);
   z = y * y;
   for (int k = 27; k >= 3; k -= 2) sum = sum * z + 1.0 / k;
   return y * (x - 2 * z * sum);
}

/* log Gamma(x + a) - log Gamma(x), x > 0, a >= 0, without the cancellation of the two when x is large. Worst
   error 3 ulp of max(1, value). */
static double sneppp__lgamma_diff(double x, double a)
{
   double y = x + a, q = a / x;
   if (x < 10) return sneppp__lgamma(y) - sneppp__lgamma(x);
   /* (y - 1/2) log y - (x - 1/2) log x - a = a log y - a + (x - 1/2) log(1 + q), and x log(1+q) - a is
      -x(q - log(1+q)). */
   return a * log(y) - x * sneppp__x_minus_log1p(q) - 0.5 * log1p(q) +
          (sneppp__stirling(y) - sneppp__stirling(x));
}

/* log B(a, b) = log Gamma(a) + log Gamma(b) - log Gamma(a + b), a, b > 0. Worst error 1.9 ulp of
   max(|value|, 1). */
SNEPPP__UNUSED static double sneppp__log_beta(double a, double b)
{
   double small = a < b ? a : b, large = a < b ? b : a;
   if (large < 10) return sneppp__lgamma(a) + sneppp__lgamma(b) - sneppp__lgamma(a + b);
   if (small < 10) return sneppp__lgamma(small) - sneppp__lgamma_diff(large, small);
   /* Both large: the powers of a, b and a+b combine to quotients below 1 (Stirling for all three). */
   return -0.5 * log(large) + 0.5 * SNEPPP__LOG_2PI + (small - 0.5) * log(small / (a + b)) -
          large * log1p(small / large) + (sneppp__stirling(a) + sneppp__stirling(b) - sneppp__stirling(a + b));
}

/* ---- Bessel functions in the normalisation of spheres: Z_d(kappa) = 0F1(; d/2; kappa^2/4), the mean of
   e^(kappa x_1) over the unit sphere of R^d, and j_d(kappa) = 0F1(; d/2; -kappa^2/4), the mean of cos(kappa
   x_1). Z_d = Gamma(d/2) (2/kappa)^nu I_nu(kappa), nu = d/2 - 1. */

/* log Z_D and its derivative A_D for nu = D/2 - 1 >= 25: the uniform expansion of I_nu (Debye; DLMF 10.41.3)
   with Stirling's series of Gamma(D/2) taken into it. With z = kappa/nu, w = sqrt(1+z^2), p = 1/w:
      log Z = nu(2u - log(1+u)) - log(w)/2 + sum_k (D_k(p) - D_k(1))/nu^k,     u = (w-1)/2. */
static double sneppp__debye(double nu, double kappa, double *ratio)
{
   double z = kappa / nu, w = z < 1e8 ? sqrt(1 + z * z) : z, u = 0.5 * z * (z / (1 + w));
   double p = 1 / w, y = p * p, q = p / nu;
   double power = 1, sum = 0, slope = 0;
   const double *c = sneppp__debye_table;
   for (int k = 1; k <= 12; k++) { /* D_k(p) = p^k times a polynomial of degree k in p^2 */
      double f = c[k], g = k * 3 * c[k];
      for (int i = k - 1; i >= 0; i--) { f = f * y + c[i]; g = g * y + (k + 2 * i) * c[i]; }
      power *= q;
      sum += power * f;
      slope += power * g; /* p D_k'(p)/nu^k */
      c += k + 1;
   }
   *ratio = z / (1 + w) - (z * y / nu) * (0.5 + slope); /* dp/dkappa = -z p^3/nu */
   return nu * (2 * u - log1p(u)) - 0.5 * log1p(2 * u) + (sum + sneppp__stirling(nu));
}

/* sum_k (-1)^k a_k(nu)/kappa^k of the expansion of I_nu for large arguments (DLMF 10.40.1), minus 1. */
static double sneppp__hankel(double nu, double kappa)
{
   double term = 1, sum = 0, m = 4 * nu * nu;
   for (int k = 1; k <= 40; k++) {
      double f = -(m - (2 * k - 1) * (2 * k - 1)) / (8 * k * kappa);
      if (fabs(f) >= 1 && k > nu) break; /* the terms have begun to grow */
      term *= f;
      sum += term;
      if (fabs(term) < 1e-18) break;
   }
   return sum;
}

/* log Z_d and, if ratio is not NULL, A_d = (log Z_d)' = I_{nu+1}/I_nu; d >= 1, kappa >= 0. Worst error
   of log Z 2.2 ulp, of A 3.1 ulp (d up to 100, kappa up to 1e8). */
static double sneppp__log_Z_ratio(int d, double kappa, double *ratio)
{
   double nu = 0.5 * d - 1, y = kappa * kappa, up, prod, A, logZ;
   int    D = d;
   if (d == 1) {
      if (ratio) *ratio = tanh(kappa);
      up = sinh(kappa < 2 ? 0.5 * kappa : 0);
      return kappa < 2 ? log1p(2 * up * up) : kappa - (SNEPPP__LOG_2 - log1p(exp(-2 * kappa)));
   }
   if (d == 3) {
      if (ratio) *ratio = sneppp__langevin(kappa);
      return sneppp__log_sinhc(kappa);
   }
   if (kappa > 25 && kappa > nu * nu) {
      up = sneppp__hankel(nu, kappa);
      if (ratio) *ratio = (1 + sneppp__hankel(nu + 1, kappa)) / (1 + up);
      return kappa - (nu + 0.5) * log(0.5 * kappa) + (sneppp__lgamma(nu + 1) - 0.5 * SNEPPP__LOG_4PI) + log1p(up);
   }
   if (kappa <= 50 && y <= 60 * d) { /* the series; every term is positive */
      double term = 1, sum = 0, sum2 = 0, q = 0.25 * y;
      for (int n = 1; n < 400; n++) {
         /* Z_{d+2}, up to d/2: its terms are those of Z_d over d/2 + n - 1. */
         if (ratio) sum2 += term / (nu + n);
         term *= q / (n * (nu + n));
         sum += term;
         if (term < 1e-18 * sum && n > 2) break;
      }
      if (ratio) *ratio = 0.5 * kappa * sum2 / (1 + sum);
      return log1p(sum);
   }
   while (D < 52) D += 2;
   logZ = sneppp__debye(0.5 * D - 1, kappa, &A);
   /* Downwards: A_D = kappa/(D + kappa A_{D+2}) and Z_D = Z_{D+2} (1 + kappa A_{D+2}/D). */
   prod = 1;
   while (D > d) {
      D -= 2;
      up = kappa * A;
      prod *= 1 + up / D;
      if (prod > 1e200) { logZ += log(prod); prod = 1; }
      A = kappa / (D + up);
   }
   if (ratio) *ratio = A;
   return logZ + log(prod);
}

SNEPPP__UNUSED static double sneppp__log_Z(int d, double kappa)
{
   return sneppp__log_Z_ratio(d, fabs(kappa), NULL);
}

/* A_d(kappa) = I_{d/2}(kappa)/I_{d/2-1}(kappa), kappa >= 0; odd in kappa, between 0 and 1. */
SNEPPP__UNUSED static double sneppp__bessel_ratio(int d, double kappa)
{
   double A;
   sneppp__log_Z_ratio(d, fabs(kappa), &A);
   return kappa < 0 ? -A : A;
}

/* J_0 and 2 J_1(x)/x for x >= 25 (DLMF 10.17.3): the modulus-phase sums P and Q, and cos(x - pi/4) and its
   like from cos x and sin x, which libm reduces exactly. */
static void sneppp__j_far(double x, double *j2, double *j4)
{
   double c = cos(x), s = sin(x), scale = 1 / sqrt(SNEPPP__PI * x), value[2];
   for (int nu = 0; nu < 2; nu++) {
      double term = 1, P = 1, Q = 0, m = 4 * nu;
      for (int k = 1; k <= 40; k++) {
         double f = (m - (2 * k - 1) * (2 * k - 1)) / (8 * k * x);
         if (fabs(f) >= 1) break;
         term *= f;
         if (k & 1) Q += (k & 2) ? -term : term; else P += (k & 2) ? -term : term;
         if (fabs(term) < 1e-18) break;
      }
      /* cos(x - pi/4) = (c + s)/sqrt 2, cos(x - 3 pi/4) = (s - c)/sqrt 2; the sines likewise. */
      value[nu] = nu ? scale * (P * (s - c) + Q * (s + c)) : scale * (P * (c + s) - Q * (s - c));
   }
   *j2 = value[0];
   *j4 = 2 * value[1] / x;
}

/* j_d(kappa), d >= 1. While the first term is small, the alternating series. For kappa > nu the recurrence
   j_{d+4} = (j_{d+2} - j_d) d (d+2)/kappa^2 is stable upwards, from cos and sinc or from J_0 and J_1. Else
   Miller's algorithm: the same recurrence downwards from a dimension where j is negligible compared with the
   other solution, scaled by j_1 = cos, j_3 = sinc or by 1 = J_0 + 2 J_2 + 2 J_4 + ... Worst error 13 ulp of
   the envelope Gamma(d/2)/sqrt(pi) (2/kappa)^((d-1)/2), at d = 100; 6.5 ulp for d <= 18. */
SNEPPP__UNUSED static double sneppp__j(int d, double kappa)
{
   double x = fabs(kappa), y = x * x, a, b, c;
   int    odd = d & 1, D;
   if (d == 1) return cos(x);
   if (d == 3) return sneppp__sinc(x);
   if (y <= 2 * d) {
      double term = 1, sum = 1;
      for (int n = 1; n < 40; n++) {
         term *= -0.5 * y / (n * (double)(d + 2 * n - 2));
         sum += term;
         if (fabs(term) < 1e-18) break;
      }
      return sum;
   }
   if (x > 0.5 * d && (odd || x >= 25)) {
      if (odd) { a = cos(x); b = sin(x) / x; }
      else sneppp__j_far(x, &a, &b);
      if (d == 2) return a;
      for (D = odd ? 5 : 6; D <= d; D += 2) { /* a = j_{D-4}, b = j_{D-2} */
         c = (b - a) * ((D - 4) * (double)(D - 2)) / y;
         a = b;
         b = c;
      }
      return b;
   }
   {
      double found = 0, sum = 0;
      D = d + 2 * (int)(x > 0.5 * d ? x - 0.5 * d : 0) + 60 + 2 * (int)sqrt(4 * x);
      a = 1;       /* j_D up to a factor     */
      b = 0;       /* j_{D+2}                */
      for (;; D -= 2) {
         if (D == d) found = a;
         /* Horner's scheme for J_0 + 2 sum_k J_{2k}, J_{2k} = j_{4k+2} (kappa/2)^{2k}/(2k)!, k = (D-2)/4 */
         if (!odd && D % 4 == 2) {
            if (D == 2) sum = a + 2 * sum * y / 8;
            else sum = a + sum * 0.25 * y / ((0.5 * D) * (0.5 * D + 1));
         }
         if (D <= 2) break;
         c = a - y * b / ((D - 2) * (double)D);
         b = a;
         a = c;
         if (fabs(a) > 1e200) { a *= 1e-200; b *= 1e-200; found *= 1e-200; sum *= 1e-200; }
      }
      if (!odd) return found / sum;
      return fabs(cos(x)) * x > fabs(sin(x)) ? found / a * cos(x) : found / b * (sin(x) / x);
   }
}

/* >>space ====================================================================================================
   A window is a set of points x with a base measure mu on it. Here are its names, the statistics t(x) that the
   hidden units see, its mass, membership, and the checks that everything else relies on. */

/* Most statistics of one window: exponential families on the line have two. */
#define SNEPPP__MAX_STATS (SNEPPP_MAX_DIM < 2 ? 2 : SNEPPP_MAX_DIM)

#ifndef SNEPPP_INFERENCE_ONLY
static const char *sneppp__space_name(sneppp_space space)
{
   static const char *const name[] = { "a box",
                                       "a Gaussian measure",
                                       "the sphere",
                                       "intervals",
                                       "a polygon",
                                       "a ball",
                                       "R^d",
                                       "the gamma family",
                                       "the beta family",
                                       "the Dirichlet family",
                                       "the Poisson family",
                                       "the binomial family",
                                       "the negative binomial family",
                                       "the normal family",
                                       "the von Mises family",
                                       "a finite set" };
   return (int)space >= 0 && space < SNEPPP_SPACE_END ? name[space] : "an unknown space";
}

static const char *sneppp__act_name(sneppp_act act)
{
   static const char *const name[] = { "default",   "cos",       "sin",      "snake", "cosmident",
                                       "exp",       "erf",       "phi",      "step",  "relu",
                                       "rect",      "leaky",     "gelu",     "elu",   "bell",
                                       "gabor_sin", "gabor_cos", "monomial", "rbf",   "one" };
   return (int)act >= 0 && act < SNEPPP_ACT_END ? name[act] : act == SNEPPP_ACT_END ? "any" : "an unknown activation";
}

/* What SNEPPP_ACT_DEFAULT means: sinusoids where their integrals are cheap, exp where the measure is a family. */
static sneppp_act sneppp__act_default(sneppp_space space)
{
   switch (space) {
      case SNEPPP_BOX:
      case SNEPPP_GAUSS:
      case SNEPPP_INTERVALS:
      case SNEPPP_POLYGON:
      case SNEPPP_BALL: return SNEPPP_COS;
      case SNEPPP_EUCLID: return SNEPPP_RBF;
      default: return SNEPPP_EXP;
   }
}

#endif /* SNEPPP_INFERENCE_ONLY */

/* Length of t(x), which is the length of a weight vector. */
SNEPPP__INLINE int sneppp__stats(const sneppp_window *win)
{
   switch (win->space) {
      case SNEPPP_GAMMA: case SNEPPP_BETA: case SNEPPP_NORMAL: case SNEPPP_VONMISES: return 2;
      default: return win->dim;
   }
}

/* Numbers that describe one point: all but finite sets, where x is the index of a point, have dim of them. */
SNEPPP__INLINE int sneppp__coords(const sneppp_window *win)
{
   return win->space == SNEPPP_FINITE ? 1 : win->dim;
}

/* t(x), (stats). The point must be inside the window. */
SNEPPP__UNUSED static void sneppp__window_stats(const sneppp_window *win, const double *x, double *t)
{
   int r;
   switch (win->space) {
      case SNEPPP_GAMMA: t[0] = log(x[0]); t[1] = x[0]; return;
      case SNEPPP_BETA: t[0] = log(x[0]); t[1] = log1p(-x[0]); return;
      case SNEPPP_DIRICHLET: for (r = 0; r < win->dim; r++) t[r] = log(x[r]); return;
      case SNEPPP_NORMAL: t[0] = x[0]; t[1] = x[0] * x[0]; return;
      case SNEPPP_VONMISES: t[0] = cos(x[0]); t[1] = sin(x[0]); return;
      case SNEPPP_FINITE: memcpy(t, win->point + (size_t)x[0] * (size_t)win->dim, (size_t)win->dim * sizeof *t); return;
      default: for (r = 0; r < win->dim; r++) t[r] = x[r]; return;
   }
}

/* ---- >>space-polygon: rings, orientation, checks ----------------------------------------------------------- */

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
   the orientation, times -1 for a hole. It costs a walk along all edges, so whoever asks often writes the factors
   of all rings into a copy of the window, as its `weight`, which polygons do not use otherwise. */
static double sneppp__ring_sign(const sneppp_window *win, size_t ring)
{
   size_t        rings = sneppp__ring_count(win), at = 0, s;
   const double *mine;
   int           odd = 0;
   if (win->weight) return win->weight[ring];
   for (s = 0; s < ring; s++) at += sneppp__ring_size(win, s);
   mine = win->xy + 2 * at;
   for (s = 0, at = 0; s < rings; at += sneppp__ring_size(win, s), s++)
      if (s != ring) odd ^= sneppp__ring_parity(win->xy + 2 * at, sneppp__ring_size(win, s), mine[0], mine[1]);
   return (sneppp__ring_area2(mine, sneppp__ring_size(win, ring)) < 0) != odd ? -1 : 1;
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

/* One ring by itself: enough vertices, finite, none twice in a row, no spike. A simple ring then has an area. */
static sneppp_status sneppp__ring_check(const double *xy, size_t n, size_t ring, sneppp_error *err)
{
   if (n < 3) return sneppp__fail(err, SNEPPP_ERR_ARG, "window.xy: ring %z has %z vertices, but needs 3", ring, n);
   for (size_t k = 0; k < 2 * n; k++)
      if (!sneppp__finite(xy[k]))
         return sneppp__fail(err, SNEPPP_ERR_ARG, "window.xy: ring %z, vertex %z is not finite", ring, k / 2);
   for (size_t k = 0; k < n; k++) {
      const double *a = xy + 2 * k, *b = xy + 2 * ((k + 1) % n), *c = xy + 2 * ((k + 2) % n);
      if (a[0] == b[0] && a[1] == b[1])
         return sneppp__fail(
            err, SNEPPP_ERR_ARG,
            "window.xy: ring %z, vertices %z and %z coincide (do not repeat the first vertex at the end)",
            ring, k, (k + 1) % n);
      if (sneppp__side(a, b, c) == 0 && (a[0] - b[0]) * (c[0] - b[0]) + (a[1] - b[1]) * (c[1] - b[1]) > 0)
         return sneppp__fail(err, SNEPPP_ERR_ARG, "window.xy: ring %z folds back on itself at vertex %z",
                             ring, (k + 1) % n);
   }
   return SNEPPP_OK;
}

/* Edge k of a ring runs from vertex k to the next. All pairs of edges are compared, O(E^2) with a cheap test
   first: once per call, against O(n^2 E) for a Gram matrix. */
SNEPPP__UNUSED static sneppp_status sneppp__polygon_check(const sneppp_window *win, sneppp_error *err)
{
   size_t        rings = sneppp__ring_count(win);
   const double *first = win->xy;
   if (!win->xy) return sneppp__fail(err, SNEPPP_ERR_ARG, "window.xy is NULL: a polygon needs vertices");
   if (win->weight) return sneppp__fail(err, SNEPPP_ERR_ARG, "window.weight is not for polygons");
   if (win->rings && !win->ring_size)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "window.ring_size is NULL, but window.rings is %z",
                          win->rings);
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
               if (!sneppp__segments_meet(first + 2 * k, first + 2 * ((k + 1) % n), other + 2 * j,
                                          other + 2 * ((j + 1) % m)))
                  continue;
               return sneppp__fail(err, SNEPPP_ERR_ARG,
                                   "window.xy: edge %z of ring %z meets edge %z of ring %z", k, r, j, s);
            }
      }
   }
   return SNEPPP_OK;
}

/* ---- >>space-check: mass, membership, validation ----------------------------------------------------------- */

/* log of the surface area of the unit sphere in R^d, 2 pi^(d/2) / Gamma(d/2), and of the unit ball's volume,
   area / d, by the recurrence in steps of two dimensions: exact factors, no gamma function. */
static double sneppp__sphere_area(int d)
{
   double area = d % 2 ? 2 : 2 * SNEPPP__PI;
   int    k;
   for (k = d % 2 ? 1 : 2; k < d; k += 2) area *= 2 * SNEPPP__PI / k;
   return area;
}

static double sneppp__ball_volume(int d, double radius)
{
   double v = sneppp__sphere_area(d) / d;
   int    k;
   for (k = 0; k < d; k++) v *= radius;
   return v;
}

/* Points on the sphere come from angles or from rounded coordinates: |x| may be off by this much. */
#define SNEPPP__SPHERE_TOLERANCE 1e-4

static int sneppp__whole(double x) { return x >= 0 && x < 9e15 && x == floor(x); }

#ifndef SNEPPP_INFERENCE_ONLY
/* Every list and parameter of the window, in the order of the struct. */
static sneppp_status sneppp__check_box(const sneppp_window *win, sneppp_error *err)
{
   int r;
   for (r = 0; r < win->dim; r++) {
      if (!sneppp__finite(win->lo[r])) return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "win.lo[%d] is not finite", r);
      if (!sneppp__finite(win->hi[r])) return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "win.hi[%d] is not finite", r);
      if (!(win->lo[r] < win->hi[r]))
         return sneppp__fail(err, SNEPPP_ERR_ARG, "win.lo[%d] = %g is not below win.hi[%d] = %g", r,
                             win->lo[r], r, win->hi[r]);
      if (!sneppp__finite(win->hi[r] - win->lo[r]))
         return sneppp__fail(err, SNEPPP_ERR_RANGE, "win.hi[%d] - win.lo[%d] is too large", r, r);
   }
   return SNEPPP_OK;
}

static sneppp_status sneppp__check_ball(const sneppp_window *win, sneppp_error *err)
{
   int r;
   for (r = 0; r < win->dim; r++)
      if (!sneppp__finite(win->centre[r]))
         return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "win.centre[%d] is not finite", r);
   if (!sneppp__finite(win->radius)) return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "win.radius is not finite");
   if (!(win->radius > 0)) return sneppp__fail(err, SNEPPP_ERR_ARG, "win.radius = %g is not positive", win->radius);
   return SNEPPP_OK;
}

static sneppp_status sneppp__check_weights(const sneppp_window *win, size_t count, sneppp_error *err)
{
   size_t k;
   double sum = 0;
   if (!win->weight) return SNEPPP_OK;
   for (k = 0; k < count; k++) {
      if (!sneppp__finite(win->weight[k]))
         return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "win.weight[%z] is not finite", k);
      if (win->weight[k] < 0)
         return sneppp__fail(err, SNEPPP_ERR_ARG, "win.weight[%z] = %g is negative", k, win->weight[k]);
      sum += win->weight[k];
   }
   if (!(sum > 0)) return sneppp__fail(err, SNEPPP_ERR_ARG, "all of win.weight are zero");
   return SNEPPP_OK;
}

static sneppp_status sneppp__check_gauss(const sneppp_window *win, sneppp_error *err)
{
   size_t        r, d = (size_t)win->dim, count = win->count ? win->count : 1;
   sneppp_status status = sneppp__check_weights(win, count, err);
   if (status) return status;
   if (count > SIZE_MAX / d / sizeof(double))
      return sneppp__fail(err, SNEPPP_ERR_SIZE, "win.count = %z is too large", count);
   for (r = 0; r < count * d; r++) {
      if (win->mean && !sneppp__finite(win->mean[r]))
         return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "win.mean[%z][%z] is not finite", r / d, r % d);
      if (win->scale && !sneppp__finite(win->scale[r]))
         return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "win.scale[%z][%z] is not finite", r / d, r % d);
      if (win->scale && !(win->scale[r] > 0))
         return sneppp__fail(err, SNEPPP_ERR_ARG, "win.scale[%z][%z] = %g is not positive", r / d, r % d,
                             win->scale[r]);
   }
   return SNEPPP_OK;
}

static sneppp_status sneppp__check_intervals(const sneppp_window *win, sneppp_error *err)
{
   size_t k;
   if (!win->count) return sneppp__fail(err, SNEPPP_ERR_ARG, "win.count is 0: there are no intervals");
   if (!win->ends) return sneppp__fail(err, SNEPPP_ERR_ARG, "win.ends is NULL");
   for (k = 0; k < win->count; k++) {
      double a = win->ends[2 * k], b = win->ends[2 * k + 1];
      if (!sneppp__finite(a)) return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "win.ends[%z][0] is not finite", k);
      if (!sneppp__finite(b)) return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "win.ends[%z][1] is not finite", k);
      if (!(a < b)) return sneppp__fail(err, SNEPPP_ERR_ARG, "win.ends[%z]: %g is not below %g", k, a, b);
      if (!sneppp__finite(b - a)) return sneppp__fail(err, SNEPPP_ERR_RANGE, "win.ends[%z] is too long", k);
      if (k && a < win->ends[2 * k - 1])
         return sneppp__fail(err, SNEPPP_ERR_ARG,
                             "win.ends[%z] begins at %g, before win.ends[%z] ends at %g: intervals are "
                             "increasing and do not overlap",
                             k, a, k - 1, win->ends[2 * k - 1]);
   }
   return SNEPPP_OK;
}

static sneppp_status sneppp__check_finite_set(const sneppp_window *win, sneppp_error *err)
{
   size_t r, d = (size_t)win->dim;
   if (!win->count) return sneppp__fail(err, SNEPPP_ERR_ARG, "win.count is 0: there are no points");
   if (win->count > SIZE_MAX / d / sizeof(double))
      return sneppp__fail(err, SNEPPP_ERR_SIZE, "win.count = %z is too large", win->count);
   if (!win->point) return sneppp__fail(err, SNEPPP_ERR_ARG, "win.point is NULL");
   for (r = 0; r < win->count * d; r++)
      if (!sneppp__finite(win->point[r]))
         return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "win.point[%z][%z] is not finite", r / d, r % d);
   return sneppp__check_weights(win, win->count, err);
}

static sneppp_status sneppp__check_family(const sneppp_window *win, int params, sneppp_error *err)
{
   int r;
   for (r = 0; r < params; r++) {
      if (!sneppp__finite(win->param[r]))
         return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "win.param[%d] is not finite", r);
      if (!(win->param[r] > 0))
         return sneppp__fail(err, SNEPPP_ERR_ARG, "win.param[%d] = %g is not positive", r, win->param[r]);
   }
   if (win->space == SNEPPP_BINOMIAL && !sneppp__whole(win->param[0]))
      return sneppp__fail(err, SNEPPP_ERR_ARG, "win.param[0] = %g is not a whole number of trials", win->param[0]);
   return SNEPPP_OK;
}

static sneppp_status sneppp__window_check(const sneppp_window *win, sneppp_error *err)
{
   int line = 0; /* the dimension that the space needs, 0 = any */
   if (!win) return sneppp__fail(err, SNEPPP_ERR_ARG, "the window is NULL");
   if ((int)win->space < 0 || win->space >= SNEPPP_SPACE_END)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "win.space = %d is not a space", (int)win->space);
   if (win->dim < 1) return sneppp__fail(err, SNEPPP_ERR_ARG, "win.dim = %d is not positive", win->dim);
   if (win->dim > SNEPPP_MAX_DIM)
      return sneppp__fail(err, SNEPPP_ERR_SIZE, "win.dim = %d is more than SNEPPP_MAX_DIM = %d", win->dim,
                          SNEPPP_MAX_DIM);
   switch (win->space) {
      case SNEPPP_INTERVALS: case SNEPPP_GAMMA: case SNEPPP_BETA: case SNEPPP_POISSON: case SNEPPP_BINOMIAL:
      case SNEPPP_NEGBINOMIAL: case SNEPPP_NORMAL: case SNEPPP_VONMISES: line = 1; break;
      case SNEPPP_POLYGON: line = 2; break;
      default: break;
   }
   if (line && win->dim != line)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "win.dim = %d, but %s has dimension %d", win->dim,
                          sneppp__space_name(win->space), line);
   switch (win->space) {
      case SNEPPP_BOX: return sneppp__check_box(win, err);
      case SNEPPP_GAUSS: return sneppp__check_gauss(win, err);
      case SNEPPP_SPHERE:
         if (win->measure != SNEPPP_SURFACE && win->measure != SNEPPP_PROBABILITY)
            return sneppp__fail(err, SNEPPP_ERR_ARG, "win.measure = %d is not a measure", (int)win->measure);
         return SNEPPP_OK;
      case SNEPPP_INTERVALS: return sneppp__check_intervals(win, err);
      case SNEPPP_POLYGON: return sneppp__polygon_check(win, err);
      case SNEPPP_BALL: return sneppp__check_ball(win, err);
      case SNEPPP_GAMMA: case SNEPPP_BETA: return sneppp__check_family(win, 2, err);
      case SNEPPP_DIRICHLET:
         if (win->dim < 2)
            return sneppp__fail(err, SNEPPP_ERR_ARG, "win.dim = %d: a simplex needs at least two coordinates",
                                win->dim);
         return sneppp__check_family(win, win->dim, err);
      case SNEPPP_POISSON: case SNEPPP_BINOMIAL: case SNEPPP_NEGBINOMIAL: return sneppp__check_family(win, 1, err);
      case SNEPPP_FINITE: return sneppp__check_finite_set(win, err);
      default: return SNEPPP_OK;
   }
}

#endif /* SNEPPP_INFERENCE_ONLY */

/* mu(X), the mass of the whole window; 0 stands for infinite (all of R^d, unbounded counting measures). */
SNEPPP_DEF double sneppp_window_mass(const sneppp_window *win)
{
   double sum = 0, log_sum = 0;
   size_t k, count = win->count ? win->count : 1;
   int    r;
   switch (win->space) {
      case SNEPPP_BOX:
         for (sum = 1, r = 0; r < win->dim; r++) sum *= win->hi[r] - win->lo[r];
         return sum;
      case SNEPPP_GAUSS:
         for (k = 0; k < count; k++) sum += win->weight ? win->weight[k] : 1 / (double)count;
         return sum;
      case SNEPPP_SPHERE: return win->measure == SNEPPP_PROBABILITY ? 1 : sneppp__sphere_area(win->dim);
      case SNEPPP_INTERVALS:
         for (k = 0; k < win->count; k++) sum += win->ends[2 * k + 1] - win->ends[2 * k];
         return sum;
      case SNEPPP_POLYGON: return sneppp__polygon_area(win);
      case SNEPPP_BALL: return sneppp__ball_volume(win->dim, win->radius);
      case SNEPPP_GAMMA: return exp(sneppp__lgamma(win->param[0]) - win->param[0] * log(win->param[1]));
      case SNEPPP_BETA: return exp(sneppp__log_beta(win->param[0], win->param[1]));
      case SNEPPP_DIRICHLET:
         for (r = 0; r < win->dim; r++) { sum += win->param[r]; log_sum += sneppp__lgamma(win->param[r]); }
         return exp(log_sum - sneppp__lgamma(sum));
      case SNEPPP_POISSON: return exp(win->param[0]);
      case SNEPPP_BINOMIAL: return exp(win->param[0] * 0.69314718055994530942);
      case SNEPPP_VONMISES: return 2 * SNEPPP__PI;
      case SNEPPP_FINITE:
         for (k = 0; k < win->count; k++) sum += win->weight ? win->weight[k] : 1;
         return sum;
      default: return 0;
   }
}

/* Is the point x, (coords) finite numbers, in the window? Borders belong to it. */
SNEPPP_DEF int sneppp_window_contains(const sneppp_window *win, const double *x)
{
   double sum = 0;
   size_t k;
   int    r;
   switch (win->space) {
      case SNEPPP_BOX:
         for (r = 0; r < win->dim; r++) if (x[r] < win->lo[r] || x[r] > win->hi[r]) return 0;
         return 1;
      case SNEPPP_SPHERE:
         for (r = 0; r < win->dim; r++) sum += x[r] * x[r];
         return fabs(sum - 1) <= 2 * SNEPPP__SPHERE_TOLERANCE;
      case SNEPPP_INTERVALS:
         for (k = 0; k < win->count; k++) if (x[0] >= win->ends[2 * k] && x[0] <= win->ends[2 * k + 1]) return 1;
         return 0;
      case SNEPPP_POLYGON: return sneppp__polygon_holds(win, x[0], x[1]);
      case SNEPPP_BALL: /* a point put on the border by rounding is on the border */
         for (r = 0; r < win->dim; r++) sum += (x[r] - win->centre[r]) * (x[r] - win->centre[r]);
         return sqrt(sum) <= win->radius * (1 + 1e-12);
      case SNEPPP_GAMMA: return x[0] > 0;
      case SNEPPP_BETA: return x[0] > 0 && x[0] < 1;
      case SNEPPP_DIRICHLET:
         for (r = 0; r < win->dim; r++) { if (!(x[r] > 0)) return 0; sum += x[r]; }
         return fabs(sum - 1) <= 1e-6;
      case SNEPPP_POISSON: case SNEPPP_NEGBINOMIAL: return sneppp__whole(x[0]);
      case SNEPPP_BINOMIAL: return sneppp__whole(x[0]) && x[0] <= win->param[0];
      case SNEPPP_FINITE: return sneppp__whole(x[0]) && x[0] < (double)win->count;
      default: return 1;
   }
}

/* ---- densities of Gaussian mixtures, at B <= SNEPPP__POINTS points at once; y (d, ld): one coordinate after the
   other */
#define SNEPPP__POINTS 128

/* out_b = log of the density of component c, without its weight, minus from_b (NULL: 0). */
static void sneppp__gauss_exponents(const sneppp_window *win, size_t c, size_t B, size_t ld, const double *y,
                                    const double *from, double *out)
{
   size_t d = (size_t)win->dim;
   double constant = -0.5 * (double)d * SNEPPP__LOG_2PI;
   for (size_t r = 0; win->scale && r < d; r++) constant -= log(win->scale[c * d + r]);
   for (size_t b = 0; b < B; b++) out[b] = from ? constant - from[b] : constant;
   for (size_t r = 0; r < d; r++) {
      double m = win->mean ? win->mean[c * d + r] : 0, rate = win->scale ? 1 / win->scale[c * d + r] : 1;
      for (size_t b = 0; b < B; b++) { double z = (y[r * ld + b] - m) * rate; out[b] -= 0.5 * z * z; }
   }
}

/* log sum_c weight_c p_c(y_b), relative to the largest of the p_c. */
static void sneppp__gauss_log_density(const sneppp_window *win, size_t B, size_t ld, const double *y, double *out)
{
   double e[SNEPPP__POINTS], total[SNEPPP__POINTS];
   size_t count = win->count ? win->count : 1;
   for (size_t c = 0; c < count; c++) {
      sneppp__gauss_exponents(win, c, B, ld, y, NULL, e);
      for (size_t b = 0; b < B; b++) { if (!c || e[b] > out[b]) out[b] = e[b]; total[b] = 1e-300; }
   }
   for (size_t c = 0; c < count; c++) {
      double weight = win->weight ? win->weight[c] : 1 / (double)count;
      sneppp__gauss_exponents(win, c, B, ld, y, out, e);
      sneppp__long_exp(B, e, e);
      for (size_t b = 0; b < B; b++) total[b] += weight * e[b];
   }
   sneppp__long_log(B, total, total);
   for (size_t b = 0; b < B; b++) out[b] += total[b];
}

/* log of the density of mu with respect to length, area or counting, at a point inside: 0 for most windows. */
static double sneppp__window_log_density(const sneppp_window *win, const double *x)
{
   double sum = 0;
   size_t d = (size_t)win->dim;
   switch (win->space) {
      case SNEPPP_GAUSS: sneppp__gauss_log_density(win, 1, 1, x, &sum); return sum;
      case SNEPPP_GAMMA: return (win->param[0] - 1) * log(x[0]) - win->param[1] * x[0];
      case SNEPPP_BETA: return (win->param[0] - 1) * log(x[0]) + (win->param[1] - 1) * log1p(-x[0]);
      case SNEPPP_DIRICHLET:
         for (size_t r = 0; r < d; r++) sum += (win->param[r] - 1) * log(x[r]);
         return sum;
      case SNEPPP_POISSON: return x[0] * log(win->param[0]) - sneppp__lgamma(x[0] + 1);
      case SNEPPP_BINOMIAL:
         return sneppp__lgamma(win->param[0] + 1) - sneppp__lgamma(x[0] + 1) -
                sneppp__lgamma(win->param[0] - x[0] + 1);
      case SNEPPP_NEGBINOMIAL:
         return sneppp__lgamma(x[0] + win->param[0]) - sneppp__lgamma(x[0] + 1) -
                sneppp__lgamma(win->param[0]);
      case SNEPPP_FINITE: return win->weight ? log(win->weight[(size_t)x[0]] + 1e-300) : 0;
      default: return 0;
   }
}

/* ---- activations ---- */

static double sneppp__power(double z, double p)
{
   double v = 1;
   int    k;
   for (k = 0; k < (int)p; k++) v *= z;
   return v;
}

/* sigma(z) and sigma'(z). At a kink the slope from the left is taken, as for the step, which is 0 at 0. */
SNEPPP__UNUSED static double sneppp__act(const sneppp_unit *u, double z, double *slope)
{
   double s, e;
   switch (u->act) {
      case SNEPPP_COS: *slope = -sin(z); return cos(z);
      case SNEPPP_SIN: *slope = cos(z); return sin(z);
      case SNEPPP_SNAKE: s = sin(u->p * z); *slope = 1 + sin(2 * u->p * z); return z + s * s / u->p;
      case SNEPPP_COSMIDENT: *slope = 1 + sin(2 * u->p * z); return z - cos(2 * u->p * z) / (2 * u->p);
      case SNEPPP_EXP: return *slope = exp(z);
      case SNEPPP_ERF: *slope = 1.12837916709551257390 * exp(-z * z); return erf(z); /* 2/sqrt(pi) */
      case SNEPPP_PHI: *slope = sneppp__phi(z); return sneppp__Phi(z);
      case SNEPPP_STEP: *slope = 0; return z > 0;
      case SNEPPP_RELU: *slope = z > 0; return z > 0 ? z : 0;
      case SNEPPP_RECT:
         *slope = z > 0 && u->p > 0 ? u->p * sneppp__power(z, u->p - 1) : 0;
         return z > 0 ? sneppp__power(z, u->p) : 0;
      case SNEPPP_LEAKY: *slope = z > 0 ? 1 : u->p; return z > 0 ? z : u->p * z;
      case SNEPPP_GELU: s = sneppp__Phi(z); *slope = s + z * sneppp__phi(z); return z * s;
      case SNEPPP_ELU: *slope = z > 0 ? 1 : u->p * exp(z); return z > 0 ? z : u->p * expm1(z);
      case SNEPPP_BELL: e = exp(-u->p * z * z); *slope = -2 * u->p * z * e; return e;
      case SNEPPP_GABOR_SIN:
         e = exp(-u->p * z * z);
         s = sin(u->q * z);
         *slope = e * (u->q * cos(u->q * z) - 2 * u->p * z * s);
         return e * s;
      case SNEPPP_GABOR_COS:
         e = exp(-u->p * z * z);
         s = cos(u->q * z);
         *slope = e * (-u->q * sin(u->q * z) - 2 * u->p * z * s);
         return e * s;
      case SNEPPP_MONOMIAL:
         *slope = u->p > 0 ? u->p * sneppp__power(z, u->p - 1) : 0;
         return sneppp__power(z, u->p);
      default: *slope = 0; return 1; /* SNEPPP_ONE */
   }
}

#ifndef SNEPPP_INFERENCE_ONLY
/* A point drawn from mu / mu(X), for windows of finite mass that can be drawn from exactly; 0 if it cannot. The
   polygon is drawn by rejection from its bounding box, the ball from a direction and a radius. */
SNEPPP_DEF int sneppp_window_draw(const sneppp_window *win, sneppp_rng *rng, double *x)
{
   double u, lo[2], hi[2], norm;
   size_t k, vertices = 0;
   int    r;
   switch (win->space) {
      case SNEPPP_BOX:
         for (r = 0; r < win->dim; r++) x[r] = win->lo[r] + sneppp_rng_uniform(rng) * (win->hi[r] - win->lo[r]);
         return 1;
      case SNEPPP_SPHERE: sneppp_rng_sphere(rng, win->dim, x); return 1;
      case SNEPPP_VONMISES: x[0] = 2 * SNEPPP__PI * sneppp_rng_uniform(rng); return 1;
      case SNEPPP_BALL:
         sneppp_rng_sphere(rng, win->dim, x);
         norm = win->radius * pow(sneppp_rng_uniform(rng), 1.0 / win->dim);
         for (r = 0; r < win->dim; r++) x[r] = win->centre[r] + norm * x[r];
         return 1;
      case SNEPPP_INTERVALS:
         u = sneppp_rng_uniform(rng) * sneppp_window_mass(win);
         for (k = 0; k + 1 < win->count && u >= win->ends[2 * k + 1] - win->ends[2 * k]; k++)
            u -= win->ends[2 * k + 1] - win->ends[2 * k];
         x[0] = win->ends[2 * k] + u;
         if (x[0] > win->ends[2 * k + 1]) x[0] = win->ends[2 * k + 1];
         return 1;
      case SNEPPP_GAUSS: case SNEPPP_FINITE: {
         size_t count = win->count ? win->count : 1, d = (size_t)win->dim;
         u = sneppp_rng_uniform(rng) * sneppp_window_mass(win);
         for (k = 0; k + 1 < count; k++) {
            double w = win->weight ? win->weight[k] : win->space == SNEPPP_GAUSS ? 1 / (double)count : 1;
            if (u < w) break;
            u -= w;
         }
         if (win->space == SNEPPP_FINITE) { x[0] = (double)k; return 1; }
         for (size_t q = 0; q < d; q++)
            x[q] = (win->mean ? win->mean[k * d + q] : 0) +
                   (win->scale ? win->scale[k * d + q] : 1) * sneppp_rng_normal(rng);
         return 1;
      }
      case SNEPPP_POLYGON:
         for (k = 0; k < sneppp__ring_count(win); k++) vertices += sneppp__ring_size(win, k);
         for (r = 0; r < 2; r++) lo[r] = hi[r] = win->xy[r];
         for (k = 1; k < vertices; k++)
            for (r = 0; r < 2; r++) {
               lo[r] = fmin(lo[r], win->xy[2 * k + (size_t)r]);
               hi[r] = fmax(hi[r], win->xy[2 * k + (size_t)r]);
            }
         do for (r = 0; r < 2; r++) x[r] = lo[r] + sneppp_rng_uniform(rng) * (hi[r] - lo[r]);
         while (!sneppp__polygon_holds(win, x[0], x[1]));
         return 1;
      default: return 0;
   }
}

/* ---- layers ---- */

/* Parameters of an activation. Orders of powers are whole and at most this: z^20 is already useless. */
#define SNEPPP__MAX_ORDER 20

static sneppp_status sneppp__unit_check(const sneppp_unit *u, int i, sneppp_error *err)
{
   if ((int)u->act < 0 || u->act >= SNEPPP_ACT_END)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "the activation of unit %d is unknown (%d)", i, (int)u->act);
   if (!sneppp__finite(u->p) || !sneppp__finite(u->q))
      return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE,
                          "a parameter of the activation of unit %d is not finite", i);
   switch (u->act) {
      case SNEPPP_RECT: case SNEPPP_MONOMIAL:
         if (!sneppp__whole(u->p) || u->p > SNEPPP__MAX_ORDER)
            return sneppp__fail(err, SNEPPP_ERR_ARG,
                                "the order p = %g of unit %d is not a whole number from 0 to %d", u->p, i,
                                SNEPPP__MAX_ORDER);
         return SNEPPP_OK;
      case SNEPPP_SNAKE: case SNEPPP_COSMIDENT: case SNEPPP_BELL: case SNEPPP_GABOR_SIN: case SNEPPP_GABOR_COS:
         if (!(u->p > 0))
            return sneppp__fail(err, SNEPPP_ERR_ARG, "p = %g of %s unit %d is not positive", u->p,
                                sneppp__act_name(u->act), i);
         return SNEPPP_OK;
      default: return SNEPPP_OK;
   }
}

/* exp units on an exponential family: the integral of psi_i^2 must exist, that is eta = 2 w_i must lie in the
   natural parameter domain. The domain is convex and w_i + w_j is the midpoint of 2 w_i and 2 w_j, so the
   diagonal is enough. First moments ask for eta = w_i only. */
static sneppp_status sneppp__domain_check(const sneppp_window *win, const double *w, double times, int i,
                                          sneppp_error *err)
{
   int r, bad = -1;
   switch (win->space) {
      case SNEPPP_GAMMA:
         bad = !(win->param[0] + times * w[0] > 0) ? 0 : !(win->param[1] - times * w[1] > 0) ? 1 : -1;
         break;
      case SNEPPP_BETA: case SNEPPP_DIRICHLET:
         for (r = 0; r < sneppp__stats(win) && bad < 0; r++) if (!(win->param[r] + times * w[r] > 0)) bad = r;
         break;
      case SNEPPP_NEGBINOMIAL: if (!(w[0] < 0)) bad = 0; break;
      case SNEPPP_NORMAL: if (!(w[1] < 0)) bad = 1; break;
      default: break;
   }
   if (bad < 0) return SNEPPP_OK;
   return sneppp__fail(err, SNEPPP_ERR_ARG,
                       "layer.W[%d][%d] = %g: the integral of unit %d over %s does not exist", i, bad, w[bad],
                       i, sneppp__space_name(win->space));
}

static sneppp_status sneppp__layer_check(const sneppp_window *win, const sneppp_layer *layer, int moments,
                                         sneppp_error *err)
{
   int           i, r, d = sneppp__stats(win);
   sneppp_status status;
   if (!layer) return sneppp__fail(err, SNEPPP_ERR_ARG, "the layer is NULL");
   if (layer->n < 1) return sneppp__fail(err, SNEPPP_ERR_ARG, "layer.n = %d is not positive", layer->n);
   if (layer->d && layer->d != d)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "layer.d = %d, but the window has %d statistics", layer->d, d);
   if (!layer->W) return sneppp__fail(err, SNEPPP_ERR_ARG, "layer.W is NULL");
   for (i = 0; i < layer->n; i++) {
      const double *w = layer->W + (size_t)i * (size_t)d;
      sneppp_unit   u = layer->units ? layer->units[i] : layer->unit;
      if (u.act == SNEPPP_ACT_DEFAULT) u.act = sneppp__act_default(win->space);
      if (i == 0 || layer->units) {
         status = sneppp__unit_check(&u, i, err);
         if (status) return status;
      }
      for (r = 0; r < d; r++)
         if (!sneppp__finite(w[r]))
            return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "layer.W[%d][%d] is not finite", i, r);
      if (layer->b && !sneppp__finite(layer->b[i]))
         return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "layer.b[%d] is not finite", i);
      if (u.act == SNEPPP_EXP) {
         status = sneppp__domain_check(win, w, moments ? 1 : 2, i, err);
         if (status) return status;
      }
      if (u.act != SNEPPP_RBF) continue;
      if (!layer->width)
         return sneppp__fail(err, SNEPPP_ERR_ARG,
                             "layer.width is NULL, but unit %d is a radial basis function", i);
      for (r = 0; r < d; r++) {
         double l = layer->width[(size_t)i * (size_t)d + (size_t)r];
         if (!sneppp__finite(l))
            return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "layer.width[%d][%d] is not finite", i, r);
         if (!(l > 0)) return sneppp__fail(err, SNEPPP_ERR_ARG, "layer.width[%d][%d] = %g is not positive", i, r, l);
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
typedef void   (*sneppp__laplace_fn)(const sneppp_window *win, int d, const double *x, const double *y,
                                     struct sneppp__laplace *out);
typedef void   (*sneppp__gauss_fn)(const struct sneppp__gauss *q, struct sneppp__gauss_out *t);

/* Speed: a row may also compute a tile, up to SNEPPP__TILE x SNEPPP__TILE pairs of units with one activation, so that
   what belongs to one unit (a sine, a norm) is computed once per tile and not once per pair. A tile gives the same
   numbers as the pair function, to rounding. */
enum { SNEPPP__TILE = 16 };
typedef struct sneppp__tile {
   const sneppp_window *win;
   sneppp_unit          unit;
   int                  d, ni, nj;
   int                  diagonal;    /* the i and j are the same units: pairs with j >= i only                     */
   const double        *wi, *wj;     /* (ni, d), (nj, d)                                                           */
   const double        *bi, *bj;     /* (ni), (nj) or NULL                                                         */
   double              *k;           /* (ni, TILE) values out; NULL in a pull-back                                 */
   const double        *g;           /* (ni, TILE) dL/dk, 0 where there is no pair; NULL where values are wanted   */
   double              *gwi, *gwj;   /* (ni, d), (nj, d): add                                                      */
   double              *gbi, *gbj;   /* (ni), (nj): add                                                            */
   double              *gweight, *gmean, *gscale; /* (count), (count, d) GAUSS: add; NULL = not wanted             */
} sneppp__tile;
typedef void (*sneppp__tile_fn)(const sneppp__tile *t);

/* What a row asks for besides its space and its activations, and what it offers. */
enum {
   SNEPPP__LOG     = 1, /* the row returns log k, and its derivatives are those of log k                 */
   SNEPPP__NO_BIAS = 2, /* both biases are zero                                                          */
   SNEPPP__CENTRED = 4, /* GAUSS: all means are zero                                                     */
   SNEPPP__RADIAL  = 8, /* the units are radial basis functions: centres and widths, no weights          */
   SNEPPP__LOW_ORDER = 16, /* rectified and plain monomials of order 0 and 1 only                        */
   SNEPPP__AT_ONCE = 32 /* the tile makes values and the pull-back in one call, if both are asked for    */
};

/* Units reach a pair function in canonical form: SNEPPP_RELU with p = 1 and SNEPPP_STEP with p = 0, so that a row
   of rectified monomials serves both and looks at p only. A row for (RECT, RECT) is also used for mixtures of
   RELU, STEP and RECT units. If only the mirrored row exists the driver exchanges i and j. */
typedef struct sneppp__row {
   sneppp_kernel_info info;
   int                dim;     /* statistics d that the row needs, 0 = any; -2 = up to 2 */
   unsigned           flags;
   sneppp__pair_fn    pair;
   sneppp__laplace_fn laplace; /* transforms, else NULL                         */
   sneppp__gauss_fn   gauss;   /* Gaussian measures, else NULL                  */
   sneppp__tile_fn    tile;    /* fast path for whole matrices, or NULL         */
} sneppp__row;

/* ---- >>kernel-transform: exp, cos, sin wherever the measure's Laplace transform is known -------------------

   Let L(s) = integral exp(s . t(x)) dmu. An exponential unit is exp(z), a cosine is the half sum of exp(iz) and
   exp(-iz), so a product of two such units is a sum of at most two exponentials, and its integral is a sum of
   values of L at complex points. With s+ = w_i + w_j and s- = w_i - w_j,

      exp exp    e^(bi + bj) L(s+)
      cos cos    1/2 Re [ e^(i(bi - bj)) L(i s-) + e^(i(bi + bj)) L(i s+) ]
      sin sin    1/2 Re [ e^(i(bi - bj)) L(i s-) - e^(i(bi + bj)) L(i s+) ]
      cos sin    1/2 Im [ e^(i(bi + bj)) L(i s+) - e^(i(bi - bj)) L(i s-) ]
      exp cos    Re [ e^(bi + i bj) L(wi + i wj) ],      exp sin the imaginary part
      exp, cos, sin times 1     e^b L(w), Re and Im of e^(ib) L(iw).

   So each measure needs one function only: L at a complex point, with its gradient. Sources: the reductions are
   Euler's formula; L of boxes, balls and families are textbook integrals. The trap is s- = 0 and s+ = 0, which
   occur in every Gram matrix: each L below is written so that s = 0 is not special. */

typedef struct sneppp__complex { double re, im; } sneppp__complex;

/* L(x + iy) = exp(scale + i phase) (re + i im). The factor in front keeps large exponents and the centre of the
   window out of the sums: for x = 0 and a symmetric window im = 0. Since L is analytic one complex gradient
   suffices, dL/ds_r = exp(scale + i phase) (gre[r] + i gim[r]), the integral of t_r exp(s . t). */
typedef struct sneppp__laplace {
   int    grad; /* in: is the gradient wanted? */
   double scale, phase, re, im;
   double gre[SNEPPP__MAX_STATS], gim[SNEPPP__MAX_STATS];
} sneppp__laplace;

SNEPPP__INLINE sneppp__complex sneppp__c(double re, double im)
{
   sneppp__complex z;
   z.re = re;
   z.im = im;
   return z;
}

SNEPPP__INLINE sneppp__complex sneppp__cadd(sneppp__complex a, sneppp__complex b)
{
   return sneppp__c(a.re + b.re, a.im + b.im);
}
SNEPPP__INLINE sneppp__complex sneppp__csub(sneppp__complex a, sneppp__complex b)
{
   return sneppp__c(a.re - b.re, a.im - b.im);
}
SNEPPP__INLINE sneppp__complex sneppp__cmul(sneppp__complex a, sneppp__complex b)
{
   return sneppp__c(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
SNEPPP__INLINE sneppp__complex sneppp__cscale(sneppp__complex a, double f) { return sneppp__c(a.re * f, a.im * f); }
SNEPPP__INLINE double sneppp__cabs(sneppp__complex a) { return hypot(a.re, a.im); }

static sneppp__complex sneppp__cdiv(sneppp__complex a, sneppp__complex b)
{
   double m = fabs(b.re) > fabs(b.im) ? fabs(b.re) : fabs(b.im), u = b.re / m, v = b.im / m, n = (u * u + v * v) * m;
   return sneppp__c((a.re * u + a.im * v) / n, (a.im * u - a.re * v) / n);
}

static sneppp__complex sneppp__cexp(sneppp__complex z)
{
   double m = exp(z.re);
   return z.im == 0 ? sneppp__c(m, 0) : sneppp__c(m * cos(z.im), m * sin(z.im));
}

static sneppp__complex sneppp__clog(sneppp__complex z)
{
   return z.im == 0 && z.re > 0 ? sneppp__c(log(z.re), 0) : sneppp__c(log(hypot(z.re, z.im)), atan2(z.im, z.re));
}

/* sinh(z)/z and its derivative (cosh z - sinh(z)/z)/z, both times exp(-|Re z|) so that nothing overflows. The
   quotients cancel near 0, where the power series takes over. */
static sneppp__complex sneppp__csinhc(sneppp__complex z, sneppp__complex *slope)
{
   double          a = fabs(z.re), e, sh, ch, cosine, sine;
   sneppp__complex f, c, s = sneppp__c(1, 0);
   if (a + fabs(z.im) < 1) {
      sneppp__complex q = sneppp__cmul(z, z), p = sneppp__c(1, 0), g = sneppp__c(0, 0);
      double          fact = 1;
      int             k;
      for (k = 1; k < 10; k++) {
         fact *= (2.0 * k) * (2.0 * k + 1);
         g = sneppp__cadd(g, sneppp__cscale(p, 2.0 * k / fact));
         p = sneppp__cmul(p, q);
         s = sneppp__cadd(s, sneppp__cscale(p, 1 / fact));
      }
      e = exp(-a);
      if (slope) *slope = sneppp__cscale(sneppp__cmul(g, z), e);
      return sneppp__cscale(s, e);
   }
   e = exp(-2 * a);
   sh = (z.re < 0 ? 0.5 : -0.5) * expm1(-2 * a);
   ch = 0.5 * (1 + e);
   cosine = cos(z.im);
   sine = sin(z.im);
   f = sneppp__cdiv(sneppp__c(sh * cosine, ch * sine), z);
   c = sneppp__c(ch * cosine, sh * sine);
   if (slope) *slope = sneppp__cdiv(sneppp__csub(c, f), z);
   return f;
}

/* Divided difference exp[z_0, ..., z_(n-1)], n <= 4, Re z <= 0. (f[z_1..] - f[..z_(n-2)]) / (z_(n-1) - z_0) with
   the two farthest nodes at the ends; when those are close it cancels, and the series in the complete
   homogeneous polynomials h_k of the distances to the mean m is used: e^m sum_k h_k / (k + n - 1)!. */
static sneppp__complex sneppp__cexpdd(const sneppp__complex *z, int n)
{
   sneppp__complex left[4], right[4], m = sneppp__c(0, 0), h[4], sum;
   int             i, j, k, a = 0, b = n - 1, nl = 0, nr = 0;
   double          far = -1, fact = 1;
   if (n == 1) return sneppp__cexp(z[0]);
   if (n == 2) {
      sneppp__complex f = sneppp__csinhc(sneppp__cscale(sneppp__csub(z[1], z[0]), 0.5), NULL);
      return sneppp__cmul(
         f, sneppp__cexp(sneppp__c(z[0].re > z[1].re ? z[0].re : z[1].re, 0.5 * (z[0].im + z[1].im))));
   }
   for (i = 0; i < n; i++) {
      m = sneppp__cadd(m, sneppp__cscale(z[i], 1.0 / n));
      for (j = i + 1; j < n; j++) {
         double u = z[j].re - z[i].re, v = z[j].im - z[i].im;
         if (u * u + v * v > far) { far = u * u + v * v; a = i; b = j; }
      }
   }
   if (far > 2.25) {
      for (i = 0; i < n; i++) {
         if (i != a) right[nr++] = z[i];
         if (i != b) left[nl++] = z[i];
      }
      return sneppp__cdiv(sneppp__csub(sneppp__cexpdd(right, nr), sneppp__cexpdd(left, nl)),
                          sneppp__csub(z[b], z[a]));
   }
   for (i = 0; i < n; i++) { h[i] = sneppp__c(1, 0); if (i) fact *= i; }
   sum = sneppp__c(1 / fact, 0);
   for (k = 1; k < 26; k++) {
      fact *= k + n - 1;
      for (i = 0; i < n; i++) {
         h[i] = sneppp__cmul(h[i], sneppp__csub(z[i], m));
         if (i) h[i] = sneppp__cadd(h[i], h[i - 1]);
      }
      sum = sneppp__cadd(sum, sneppp__cscale(h[n - 1], 1 / fact));
   }
   return sneppp__cmul(sum, sneppp__cexp(m));
}

/* log Gamma(z) and its derivative for Re z > 0: shifted until Stirling's series holds. */
static sneppp__complex sneppp__clgamma(sneppp__complex z, sneppp__complex *slope)
{
   /* B_2k / (2k (2k - 1)) and -B_2k / (2k), k = 1..8; Abramowitz and Stegun 6.1.40, 6.3.18 */
   static const double B[8] = { 1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400 };
   static const double C[8] = { -1.0 / 12,  1.0 / 120,     -1.0 / 252, 1.0 / 240,
                                -1.0 / 132, 691.0 / 32760, -1.0 / 12,  3617.0 / 8160 };
   sneppp__complex shift = sneppp__c(0, 0), dshift = sneppp__c(0, 0), r, q, f = sneppp__c(0, 0),
                   g = sneppp__c(0, 0), one = sneppp__c(1, 0), lz;
   int                 k;
   while (z.re * z.re + z.im * z.im < 144) {
      shift = sneppp__cadd(shift, sneppp__clog(z));
      dshift = sneppp__cadd(dshift, sneppp__cdiv(one, z));
      z.re += 1;
   }
   r = sneppp__cdiv(one, z);
   q = sneppp__cmul(r, r);
   for (k = 7; k >= 0; k--) {
      f = sneppp__cadd(sneppp__cmul(f, q), sneppp__c(B[k], 0));
      g = sneppp__cadd(sneppp__cmul(g, q), sneppp__c(C[k], 0));
   }
   lz = sneppp__clog(z);
   if (slope)
      *slope =
         sneppp__csub(sneppp__cadd(lz, sneppp__csub(sneppp__cmul(g, q), sneppp__cscale(r, 0.5))), dshift);
   f = sneppp__cmul(f, r);
   f = sneppp__cadd(f, sneppp__csub(sneppp__cmul(sneppp__c(z.re - 0.5, z.im), lz), z));
   f.re += 0.5 * SNEPPP__LOG_2PI;
   return sneppp__csub(f, shift);
}

/* |v|, without overflow or underflow on the way. */
static double sneppp__norm(int d, const double *v)
{
   double m = 0, s = 0;
   int    r;
   for (r = 0; r < d; r++) if (fabs(v[r]) > m) m = fabs(v[r]);
   if (m == 0) return 0;
   if (m > 1e-140 && m < 1e140) {
      for (r = 0; r < d; r++) s += v[r] * v[r];
      return sqrt(s);
   }
   for (r = 0; r < d; r++) s += v[r] / m * (v[r] / m);
   return m * sqrt(s);
}

/* Unions and sums: acc += f * part, on the scale of the larger. An empty sum has re = im = 0. */
static void sneppp__laplace_start(sneppp__laplace *acc, int grad)
{
   memset(acc, 0, sizeof *acc);
   acc->grad = grad;
}

static void sneppp__laplace_add(sneppp__laplace *acc, int d, double f, const sneppp__laplace *part)
{
   double c = f, s = 0;
   int    r, empty = acc->re == 0 && acc->im == 0;
   if (f == 0) return;
   if (empty) acc->scale = part->scale;
   else if (part->scale > acc->scale) {
      double down = exp(acc->scale - part->scale);
      acc->scale = part->scale;
      acc->re *= down;
      acc->im *= down;
      if (acc->grad) for (r = 0; r < d; r++) { acc->gre[r] *= down; acc->gim[r] *= down; }
   } else if (part->scale < acc->scale) c *= exp(part->scale - acc->scale);
   if (part->phase != 0) {
      s = c * sin(part->phase);
      c *= cos(part->phase);
   }
   acc->re += c * part->re - s * part->im;
   acc->im += c * part->im + s * part->re;
   if (!acc->grad) return;
   for (r = 0; r < d; r++) {
      acc->gre[r] += c * part->gre[r] - s * part->gim[r];
      acc->gim[r] += c * part->gim[r] + s * part->gre[r];
   }
}

/* A family gives log L and the mean of t, both complex; here they become a transform. */
static void sneppp__laplace_log(sneppp__laplace *out, sneppp__complex value)
{
   out->scale = value.re;
   out->phase = value.im;
   out->re = 1;
   out->im = 0;
}

/* Box with centre c and half widths h: L(s) = prod 2 h_r exp(s_r c_r) sinhc(s_r h_r), with sinhc(iy) = sinc y.
   The quotient (e^(s u) - e^(s l))/s is 0/0 at s = 0 and cancels near it; sinhc does not. Real s: everything in
   logarithms, d log L/ds = c + h coth(sh) - 1/s. Otherwise a factor may vanish, so the gradient multiplies the
   others instead of dividing by it. */
static void sneppp__laplace_ends(int d, const double *lo, const double *hi, const double *x, const double *y,
                                 sneppp__laplace *out)
{
   sneppp__complex f[SNEPPP__MAX_STATS], g[SNEPPP__MAX_STATS], left = sneppp__c(1, 0), right = sneppp__c(1, 0);
   double          c[SNEPPP__MAX_STATS];
   int             r;
   out->scale = out->phase = 0;
   for (r = 0; r < d; r++) {
      double h = 0.5 * (hi[r] - lo[r]);
      c[r] = lo[r] + h;
      if (!y) {
         double s = x ? x[r] : 0;
         out->scale += log(2 * h) + s * c[r] + sneppp__log_sinhc(s * h);
         out->gre[r] = c[r] + h * sneppp__langevin(s * h);
         out->gim[r] = 0;
      } else if (!x || x[r] == 0) {
         f[r] = sneppp__c(2 * h * sneppp__sinc(y[r] * h), 0);
         g[r] = out->grad ? sneppp__c(0, -2 * h * h * sneppp__dsinc(y[r] * h)) : sneppp__c(0, 0);
         out->phase += y[r] * c[r];
      } else {
         f[r] = sneppp__cscale(sneppp__csinhc(sneppp__c(x[r] * h, y[r] * h), &g[r]), 2 * h);
         g[r] = sneppp__cscale(g[r], 2 * h * h);
         out->scale += x[r] * c[r] + fabs(x[r] * h);
         out->phase += y[r] * c[r];
      }
   }
   out->re = 1;
   out->im = 0;
   if (!y) return;
   for (r = 0; r < d; r++) { /* g becomes g times the factors on its left, then times those on its right */
      if (out->grad) g[r] = sneppp__cmul(g[r], left);
      left = sneppp__cmul(left, f[r]);
   }
   out->re = left.re;
   out->im = left.im;
   for (r = d - 1; out->grad && r >= 0; r--) {
      g[r] = sneppp__cmul(g[r], right);
      right = sneppp__cmul(right, f[r]);
      out->gre[r] = c[r] * out->re + g[r].re;
      out->gim[r] = c[r] * out->im + g[r].im;
   }
}

static void sneppp__laplace_box(const sneppp_window *win, int d, const double *x, const double *y,
                                sneppp__laplace *out)
{
   sneppp__laplace_ends(d, win->lo, win->hi, x, y, out);
}

static void sneppp__laplace_intervals(const sneppp_window *win, int d, const double *x, const double *y,
                                      sneppp__laplace *out)
{
   sneppp__laplace part;
   size_t          k;
   part.grad = out->grad;
   sneppp__laplace_start(out, out->grad);
   for (k = 0; k < win->count; k++) {
      sneppp__laplace_ends(d, win->ends + 2 * k, win->ends + 2 * k + 1, x, y, &part);
      sneppp__laplace_add(out, d, 1, &part);
   }
}

/* Spheres and balls: the integral of exp(s . x) depends on |s| only,
      sphere of radius R in R^D     L(s) = mass Z_D(R|s|),          Z_D(k) = 0F1(; D/2; k^2/4)   (a Bessel I)
      ball of radius R in R^d       L(s) = volume Z_(d+2)(R|s|) e^(s . c)
   and on the imaginary axis Z_D becomes j_D(k) = 0F1(; D/2; -k^2/4) (a Bessel J). d/dk log Z_D = A_D(k), with
   A_D(k)/k -> 1/D at 0, and j_D' = -(k/D) j_(D+2). Source: von Mises-Fisher normaliser (Mardia and Jupp 2000).
   Mixed exp x cos would need Bessel functions of complex argument and is not offered. */
static void sneppp__laplace_radial(int D, double R, double mass, const double *c, int d, const double *x,
                                   const double *y, sneppp__laplace *out)
{
   int           r;
   const double *s = y ? y : x;
   double        k = s ? R * sneppp__norm(d, s) : 0, dot = 0;
   for (r = 0; s && c && r < d; r++) dot += s[r] * c[r];
   out->im = 0;
   if (y) {
      double slope = out->grad ? mass * R * R / D * sneppp__j(D + 2, k) : 0;
      out->scale = 0;
      out->phase = dot;
      out->re = mass * sneppp__j(D, k);
      for (r = 0; out->grad && r < d; r++) {
         out->gre[r] = c ? c[r] * out->re : 0;
         out->gim[r] = slope * y[r];
      }
   } else {
      double ratio = !out->grad ? 0 : R * R * (k > 1e-150 ? sneppp__bessel_ratio(D, k) / k : 1.0 / D);
      out->scale = log(mass) + dot + sneppp__log_Z(D, k);
      out->phase = 0;
      out->re = 1;
      for (r = 0; out->grad && r < d; r++) {
         out->gre[r] = (c ? c[r] : 0) + (x ? ratio * x[r] : 0);
         out->gim[r] = 0;
      }
   }
}

static void sneppp__laplace_sphere(const sneppp_window *win, int d, const double *x, const double *y,
                                   sneppp__laplace *out)
{
   sneppp__laplace_radial(d, 1, win->measure == SNEPPP_PROBABILITY ? 1 : sneppp__sphere_area(d), NULL, d, x, y, out);
}

static void sneppp__laplace_ball(const sneppp_window *win, int d, const double *x, const double *y,
                                 sneppp__laplace *out)
{
   sneppp__laplace_radial(d + 2, win->radius, sneppp__ball_volume(d, win->radius), win->centre, d, x, y, out);
}

/* The angle phi with t = (cos phi, sin phi) is a circle of circumference 2 pi: L = 2 pi I_0(|s|). */
static void sneppp__laplace_vonmises(const sneppp_window *win, int d, const double *x, const double *y,
                                     sneppp__laplace *out)
{
   (void)win;
   sneppp__laplace_radial(2, 1, 2 * SNEPPP__PI, NULL, d, x, y, out);
}

/* Polygon: fans of signed triangles (v_0, v_k, v_(k+1)) of each ring. On a triangle with vertices v_0 + e_1,
   v_0 + e_2 and twice the signed area T2, the integral of exp(s . (x - v_0)) is T2 exp[0, s . e_1, s . e_2]
   (Hermite-Genocchi), a second divided difference; its gradient is T2 (e_1 exp[0, p, p, q] + e_2 exp[0, p, q,
   q]), p = s . e_1, q = s . e_2. All is formed from differences of vertices, so the window may lie far from
   the origin. */
static void sneppp__laplace_triangle(const double *v, const double *a, const double *b, const double *x,
                                     const double *y, sneppp__laplace *out)
{
   double          e1[2], e2[2], area, top;
   sneppp__complex z[4], f;
   int             r, k;
   for (r = 0; r < 2; r++) { e1[r] = a[r] - v[r]; e2[r] = b[r] - v[r]; }
   area = e1[0] * e2[1] - e1[1] * e2[0];
   z[0] = sneppp__c(0, 0);
   z[1] = sneppp__c(x ? x[0] * e1[0] + x[1] * e1[1] : 0, y ? y[0] * e1[0] + y[1] * e1[1] : 0);
   z[2] = sneppp__c(x ? x[0] * e2[0] + x[1] * e2[1] : 0, y ? y[0] * e2[0] + y[1] * e2[1] : 0);
   top = z[1].re > z[2].re ? z[1].re : z[2].re;
   if (top < 0) top = 0;
   for (k = 0; k < 3; k++) z[k].re -= top;
   f = sneppp__cscale(sneppp__cexpdd(z, 3), area);
   out->scale = top + (x ? x[0] * v[0] + x[1] * v[1] : 0);
   out->phase = y ? y[0] * v[0] + y[1] * v[1] : 0;
   out->re = f.re;
   out->im = f.im;
   if (!out->grad) return;
   for (r = 0; r < 2; r++) { out->gre[r] = v[r] * f.re; out->gim[r] = v[r] * f.im; }
   for (k = 1; k < 3; k++) {
      const double *e = k == 1 ? e1 : e2;
      z[3] = z[k];
      f = sneppp__cscale(sneppp__cexpdd(z, 4), area);
      for (r = 0; r < 2; r++) { out->gre[r] += e[r] * f.re; out->gim[r] += e[r] * f.im; }
   }
}

static void sneppp__laplace_polygon(const sneppp_window *win, int d, const double *x, const double *y,
                                    sneppp__laplace *out)
{
   sneppp__laplace part;
   const double   *v = win->xy;
   size_t          ring, k, n;
   part.grad = out->grad;
   sneppp__laplace_start(out, out->grad);
   for (ring = 0; ring < sneppp__ring_count(win); ring++, v += 2 * n) {
      double sign = sneppp__ring_sign(win, ring);
      n = sneppp__ring_size(win, ring);
      for (k = 1; k + 1 < n; k++) {
         sneppp__laplace_triangle(v, v + 2 * k, v + 2 * k + 2, x, y, &part);
         sneppp__laplace_add(out, d, sign, &part);
      }
   }
}

/* Finite set: L(s) = sum_k mu_k exp(s . t_k). */
static void sneppp__laplace_finite(const sneppp_window *win, int d, const double *x, const double *y,
                                   sneppp__laplace *out)
{
   sneppp__laplace part;
   size_t          k;
   int             r;
   sneppp__laplace_start(out, out->grad);
   part.re = 1;
   part.im = 0;
   for (k = 0; k < win->count; k++) {
      const double *t = win->point + k * (size_t)d;
      part.scale = part.phase = 0;
      for (r = 0; r < d; r++) {
         if (x) part.scale += x[r] * t[r];
         if (y) part.phase += y[r] * t[r];
         part.gre[r] = t[r];
         part.gim[r] = 0;
      }
      sneppp__laplace_add(out, d, win->weight ? win->weight[k] : 1, &part);
   }
}

/* Exponential families (textbook partition functions; e.g. Brown 1986). Each is analytic in s, so a complex s is
   no different from a real one; only the gamma function has to know. */
static sneppp__complex sneppp__at(const double *x, const double *y, int r)
{
   return sneppp__c(x ? x[r] : 0, y ? y[r] : 0);
}

static sneppp__complex sneppp__family_lgamma(sneppp__complex z, sneppp__complex *slope)
{
   if (z.im != 0) return sneppp__clgamma(z, slope);
   *slope = sneppp__c(sneppp__digamma(z.re), 0);
   return sneppp__c(sneppp__lgamma(z.re), 0);
}

static void sneppp__mean_is(sneppp__laplace *out, int r, sneppp__complex mean)
{
   out->gre[r] = mean.re;
   out->gim[r] = mean.im;
}

/* Gamma: log L = log Gamma(a) - a log b, a = a0 + s_1, b = b0 - s_2; E t = (psi(a) - log b, a/b). */
static void sneppp__laplace_gamma(const sneppp_window *win, int d, const double *x, const double *y,
                                  sneppp__laplace *out)
{
   sneppp__complex s1 = sneppp__at(x, y, 0), s2 = sneppp__at(x, y, 1), psi;
   sneppp__complex a = sneppp__c(win->param[0] + s1.re, s1.im), b = sneppp__c(win->param[1] - s2.re, -s2.im),
                   log_b = sneppp__clog(b);
   (void)d;
   sneppp__laplace_log(out, sneppp__csub(sneppp__family_lgamma(a, &psi), sneppp__cmul(a, log_b)));
   sneppp__mean_is(out, 0, sneppp__csub(psi, log_b));
   sneppp__mean_is(out, 1, sneppp__cdiv(a, b));
}

/* Dirichlet (and beta, d = 2): log L = sum log Gamma(a_r) - log Gamma(sum a_r), a = a0 + s; E t_r = psi(a_r) -
   psi(sum a). */
static void sneppp__laplace_dirichlet(const sneppp_window *win, int d, const double *x, const double *y,
                                      sneppp__laplace *out)
{
   sneppp__complex sum = sneppp__c(0, 0), value = sneppp__c(0, 0), psi[SNEPPP__MAX_STATS], all, log_all;
   int             r;
   for (r = 0; r < d; r++) {
      sneppp__complex a = sneppp__at(x, y, r);
      a.re += win->param[r];
      sum = sneppp__cadd(sum, a);
      value = sneppp__cadd(value, sneppp__family_lgamma(a, &psi[r]));
   }
   log_all = sneppp__family_lgamma(sum, &all);
   if (d == 2 && !y)
      value = sneppp__c(sneppp__log_beta(win->param[0] + (x ? x[0] : 0), win->param[1] + (x ? x[1] : 0)), 0);
   else value = sneppp__csub(value, log_all);
   sneppp__laplace_log(out, value);
   for (r = 0; r < d; r++) sneppp__mean_is(out, r, sneppp__csub(psi[r], all));
}

/* Poisson: log L = r e^s = E t. */
static void sneppp__laplace_poisson(const sneppp_window *win, int d, const double *x, const double *y,
                                    sneppp__laplace *out)
{
   sneppp__complex mean = sneppp__cscale(sneppp__cexp(sneppp__at(x, y, 0)), win->param[0]);
   (void)d;
   sneppp__laplace_log(out, mean);
   sneppp__mean_is(out, 0, mean);
}

/* Binomial: L = (1 + e^s)^N = e^(Ns/2) (2 cosh(s/2))^N, E t = N / (1 + e^-s). On the imaginary axis the base
   is 2 cos(y/2), which vanishes at y = pi: powers, not logarithms, there. */
static void sneppp__laplace_binomial(const sneppp_window *win, int d, const double *x, const double *y,
                                     sneppp__laplace *out)
{
   double          N = win->param[0], a = x ? x[0] : 0, b = y ? y[0] : 0, e = exp(-fabs(a)), power, turn;
   sneppp__complex base;
   (void)d;
   out->phase = 0.5 * N * b;
   out->re = 1;
   out->im = 0;
   if (b == 0) {
      out->scale = N * ((a > 0 ? a : 0) + log1p(e));
      sneppp__mean_is(out, 0, sneppp__c(N * (a > 0 ? 1 : e) / (1 + e), 0));
      return;
   }
   /* 2 cosh(s/2) e^(-|a|/2) */
   base = sneppp__c((1 + e) * cos(0.5 * b), (a < 0 ? expm1(-fabs(a)) : -expm1(-fabs(a))) * sin(0.5 * b));
   power = pow(sneppp__cabs(base), N - 1);
   turn = atan2(base.im, base.re) * (N - 1);
   out->scale = 0.5 * N * (a + fabs(a));
   base = sneppp__cmul(base, sneppp__c(power * cos(turn), power * sin(turn)));
   out->re = base.re;
   out->im = base.im;
   /* L' = N e^s (1 + e^s)^(N-1): relative to the scale and phase of L that is N times base^(N-1) times e^((s -
   |a|)/2). */
   turn += 0.5 * b;
   power *= N * exp(0.5 * (a - fabs(a)));
   sneppp__mean_is(out, 0, sneppp__c(power * cos(turn), power * sin(turn)));
}

/* Negative binomial: log L = -r log(1 - e^s), Re s < 0; E t = r e^s / (1 - e^s). 1 - e^a cos b without
   cancellation. */
static void sneppp__laplace_negbin(const sneppp_window *win, int d, const double *x, const double *y,
                                   sneppp__laplace *out)
{
   double          r = win->param[0], a = x ? x[0] : 0, b = y ? y[0] : 0, e = exp(a), half = sin(0.5 * b);
   sneppp__complex rest = sneppp__c(-expm1(a) + 2 * e * half * half, -e * sin(b));
   (void)d;
   sneppp__laplace_log(out, sneppp__cscale(b == 0 ? sneppp__c(log(-expm1(a)), 0) : sneppp__clog(rest), -r));
   sneppp__mean_is(out, 0, sneppp__cscale(sneppp__cdiv(sneppp__c(e * cos(b), e * sin(b)), rest), r));
}

/* Lebesgue measure on R with t = (x, x^2): log L = 1/2 log(pi / -s_2) - s_1^2 / (4 s_2), Re s_2 < 0;
   E t = (m, m^2 + v), m = -s_1 / (2 s_2), v = -1 / (2 s_2). */
static void sneppp__laplace_normal(const sneppp_window *win, int d, const double *x, const double *y,
                                   sneppp__laplace *out)
{
   sneppp__complex s1 = sneppp__at(x, y, 0), s2 = sneppp__at(x, y, 1), minus = sneppp__c(-s2.re, -s2.im), m, v, value;
   (void)win;
   (void)d;
   m = sneppp__cdiv(sneppp__cscale(s1, 0.5), minus);
   v = sneppp__cdiv(sneppp__c(0.5, 0), minus);
   value = sneppp__cadd(sneppp__cscale(sneppp__clog(minus), -0.5), sneppp__cscale(sneppp__cmul(s1, m), 0.5));
   value.re += 0.5 * (SNEPPP__LOG_2PI - 0.69314718055994530942);
   sneppp__laplace_log(out, value);
   sneppp__mean_is(out, 0, m);
   sneppp__mean_is(out, 1, sneppp__cadd(sneppp__cmul(m, m), v));
}

/* ---- the pair function of all transforms ---- */

/* One exponential of the product: k = Re sum alpha exp(beta) L(s) with s = (ri wi + rj wj) + i (ci wi + cj wj)
   and beta the same combination of the biases. */
typedef struct sneppp__wave { double are, aim; int ri, rj, ci, cj; } sneppp__wave;

static int sneppp__waves(sneppp_act ai, sneppp_act aj, sneppp__wave *t)
{
   double half = aj == SNEPPP_ONE ? 1 : 0.5;
   int    cross = ai == SNEPPP_COS && aj == SNEPPP_SIN, i, n = 1;
   memset(t, 0, 2 * sizeof *t);
   if (ai == SNEPPP_EXP) {
      t->ri = 1;
      t->rj = aj == SNEPPP_EXP;
      t->cj = aj == SNEPPP_COS || aj == SNEPPP_SIN;
      if (aj == SNEPPP_SIN) t->aim = -1; else t->are = 1; /* Im z = Re(-i z) */
      return 1;
   }
   if (ai == SNEPPP_ONE) { t->are = 1; return 1; }
   if (aj != SNEPPP_ONE) n = 2;
   for (i = 0; i < n; i++) { /* the difference first, then the sum */
      t[i].ci = 1;
      t[i].cj = n == 1 ? 0 : i ? 1 : -1;
      if (cross) t[i].aim = i ? -half : half;
      else if (ai == SNEPPP_SIN && n == 1) t[i].aim = -half;
      else t[i].are = ai == SNEPPP_SIN && i ? -half : half;
   }
   return n;
}

static void sneppp__wave_pull(const sneppp__pair *p, const sneppp__pull *out, const sneppp__wave *t,
                              const sneppp__laplace *L, double size, double theta)
{
   /* a = g alpha exp(beta + scale + i phase); the parts of the exponents that are imaginary bring another i. */
   sneppp__complex a = sneppp__cmul(sneppp__c(out->g * t->are * size, out->g * t->aim * size),
                                    sneppp__c(cos(theta), sin(theta)));
   sneppp__complex e = sneppp__cmul(a, sneppp__c(L->re, L->im));
   int             r;
   *out->bi += t->ri * e.re - t->ci * e.im;
   *out->bj += t->rj * e.re - t->cj * e.im;
   for (r = 0; r < p->d; r++) {
      e = sneppp__cmul(a, sneppp__c(L->gre[r], L->gim[r]));
      out->wi[r] += t->ri * e.re - t->ci * e.im;
      out->wj[r] += t->rj * e.re - t->cj * e.im;
   }
}

static double sneppp__transform_pair(const sneppp__pair *p, const sneppp__pull *out)
{
   sneppp__wave    wave[2];
   sneppp__laplace L;
   double          x[SNEPPP__MAX_STATS], y[SNEPPP__MAX_STATS], k = 0;
   int             i, r, n = sneppp__waves(p->ui.act, p->uj.act, wave);
   for (i = 0; i < n; i++) {
      const sneppp__wave *t = &wave[i];
      int                 real = t->ri || t->rj, imaginary = t->ci || t->cj;
      double              size, theta;
      for (r = 0; r < p->d; r++) {
         x[r] = t->ri * p->wi[r] + t->rj * p->wj[r];
         y[r] = t->ci * p->wi[r] + t->cj * p->wj[r];
      }
      L.grad = out != NULL;
      p->row->laplace(p->win, p->d, real ? x : NULL, imaginary ? y : NULL, &L);
      size = t->ri * p->bi + t->rj * p->bj + L.scale;
      if (p->log) { /* a positive measure: L is real and positive */
         double inverse = 1 / L.re;
         if (out) for (r = 0; r < p->d; r++) L.gre[r] *= inverse;
         size += log(L.re);
         L.re = 1;
         if (out) sneppp__wave_pull(p, out, t, &L, 1, 0);
         return size;
      }
      size = size == 0 ? 1 : exp(size);
      theta = t->ci * p->bi + t->cj * p->bj + L.phase;
      if (theta == 0) k += size * (t->are * L.re - t->aim * L.im);
      else {
         double c = cos(theta), s = sin(theta);
         k += size * (t->are * (c * L.re - s * L.im) - t->aim * (c * L.im + s * L.re));
      }
      if (out) sneppp__wave_pull(p, out, t, &L, size, theta);
   }
   return k;
}

/* ---- cos and sin on boxes, many at a time ---- */

/* k = 1/2 [cos(ti - tj) S(wi - wj) +- cos(ti + tj) S(wi + wj)] with ti = bi + wi . c and S(s) = prod 2 h_r
   sinc(s_r h_r). The sines and cosines of sums follow from those of each unit by the addition theorems, so the
   loop over pairs calls nothing. sin(x)/x from a sum of products has absolute error eps/x: below 1/2 the power
   series is taken. */
typedef struct sneppp__box_cache {
   double u[SNEPPP__TILE][SNEPPP__MAX_STATS], s[SNEPPP__TILE][SNEPPP__MAX_STATS], c[SNEPPP__TILE][SNEPPP__MAX_STATS];
   double ct[SNEPPP__TILE], st[SNEPPP__TILE];
} sneppp__box_cache;

static void sneppp__box_prepare(const sneppp__tile *t, int n, const double *w, const double *b, sneppp__box_cache *o)
{
   int i, r;
   for (i = 0; i < n; i++) {
      double theta = b ? b[i] : 0;
      for (r = 0; r < t->d; r++) {
         double h = 0.5 * (t->win->hi[r] - t->win->lo[r]), x = w[i * t->d + r];
         theta += x * (t->win->lo[r] + h);
         o->u[i][r] = x * h;
         o->s[i][r] = sin(x * h);
         o->c[i][r] = cos(x * h);
      }
      o->ct[i] = cos(theta);
      o->st[i] = sin(theta);
   }
}

SNEPPP__INLINE double sneppp__sinc_of(double x, double sine)
{
   double y = x * x;
   if (y >= 0.25) return sine / x;
   return 1 + y * (-1.0 / 6 +
                   y * (1.0 / 120 + y * (-1.0 / 5040 + y * (1.0 / 362880 + y * (-1.0 / 39916800 +
                                                                                y * (1.0 / 6227020800.0))))));
}

SNEPPP__INLINE double sneppp__dsinc_of(double x, double cosine, double sinc)
{
   double y = x * x;
   if (y >= 0.25) return (cosine - sinc) / x;
   return x * (-1.0 / 3 +
               y * (1.0 / 30 +
                    y * (-1.0 / 840 + y * (1.0 / 45360 + y * (-1.0 / 3991680 + y * (1.0 / 518918400.0))))));
}

/* Unit i against unit j: the derivatives of k, with the products of all factors but one made from both sides. */
static void sneppp__box_pull(const sneppp__tile *t, const sneppp__box_cache *a, const sneppp__box_cache *b,
                             int i, int j, double sign, const double *h, const double *centre)
{
   double fm[SNEPPP__MAX_STATS], fp[SNEPPP__MAX_STATS], dm[SNEPPP__MAX_STATS], dp[SNEPPP__MAX_STATS];
   double g = 0.5 * t->g[i * SNEPPP__TILE + j], m = 1, p = 1, cc = a->ct[i] * b->ct[j], ss = a->st[i] * b->st[j];
   double sc = a->st[i] * b->ct[j], cs = a->ct[i] * b->st[j], cm = g * (cc + ss), cp = sign * g * (cc - ss),
          turn, gi, gj;
   int    r, d = t->d;
   for (r = 0; r < d; r++) {
      double x = a->u[i][r] - b->u[j][r], y = a->u[i][r] + b->u[j][r];
      double u = a->s[i][r] * b->c[j][r], v = a->c[i][r] * b->s[j][r], co = a->c[i][r] * b->c[j][r],
             si = a->s[i][r] * b->s[j][r];
      fm[r] = sneppp__sinc_of(x, u - v);
      fp[r] = sneppp__sinc_of(y, u + v);
      dm[r] = sneppp__dsinc_of(x, co + si, fm[r]) * (2 * h[r] * h[r]) * m;
      dp[r] = sneppp__dsinc_of(y, co - si, fp[r]) * (2 * h[r] * h[r]) * p;
      fm[r] *= 2 * h[r];
      fp[r] *= 2 * h[r];
      m *= fm[r];
      p *= fp[r];
   }
   turn = g * (sc - cs) * m;      /* d/dt of the difference term, with its sign for j */
   p *= sign * g * (sc + cs);
   gi = -turn - p;
   gj = turn - p;
   t->gbi[i] += gi;
   t->gbj[j] += gj;
   for (r = d - 1; r >= 0; r--) {
      double x = cm * dm[r], y = cp * dp[r];
      t->gwi[i * d + r] += gi * centre[r] + (y + x);
      t->gwj[j * d + r] += gj * centre[r] + (y - x);
      cm *= fm[r];
      cp *= fp[r];
   }
}

static void sneppp__box_tile(const sneppp__tile *t)
{
   sneppp__box_cache        cache[2];
   const sneppp__box_cache *a = cache, *b = cache + !t->diagonal;
   double h[SNEPPP__MAX_STATS], centre[SNEPPP__MAX_STATS], volume = 0.5,
                                                           sign = t->unit.act == SNEPPP_SIN ? -1 : 1;
   int                      i, j, r;
   sneppp__box_prepare(t, t->ni, t->wi, t->bi, &cache[0]);
   if (!t->diagonal) sneppp__box_prepare(t, t->nj, t->wj, t->bj, &cache[1]);
   for (r = 0; r < t->d; r++) {
      h[r] = 0.5 * (t->win->hi[r] - t->win->lo[r]);
      centre[r] = t->win->lo[r] + h[r];
      volume *= 2 * h[r];
   }
   for (i = 0; i < t->ni; i++) {
      for (j = t->diagonal ? i : 0; j < t->nj; j++) {
         double m = volume, p = volume;
         if (!t->k) { sneppp__box_pull(t, a, b, i, j, sign, h, centre); continue; }
         for (r = 0; r < t->d; r++) {
            double u = a->s[i][r] * b->c[j][r], v = a->c[i][r] * b->s[j][r];
            m *= sneppp__sinc_of(a->u[i][r] - b->u[j][r], u - v);
            p *= sneppp__sinc_of(a->u[i][r] + b->u[j][r], u + v);
         }
         t->k[i * SNEPPP__TILE + j] = (a->ct[i] * b->ct[j] + a->st[i] * b->st[j]) * m +
                                      sign * ((a->ct[i] * b->ct[j] - a->st[i] * b->st[j]) * p);
      }
   }
}

/* ---- radial basis functions under Lebesgue measure ---- */

/* The integral of one coordinate's factor exp(-(x-ci)^2/2li^2 - (x-cj)^2/2lj^2) over [lo, hi], f, and its
   moments about ci and cj. With S = li^2 + lj^2 the product is exp(-(ci-cj)^2/2S) times a bell of centre m and
   width tau = li lj/sqrt(S), so f = exp(-(ci-cj)^2/2S) tau sqrt(pi/2) (erf v - erf u), u, v = (lo - m, hi -
   m)/(tau sqrt 2). Differences of erf and of exp are formed without cancellation; m - ci = (cj - ci) li^2/S.
   lj = 0 means that there is no second bell, and lo == hi that there are no bounds. */
typedef struct sneppp__bell { double f, ci, li, cj, lj; } sneppp__bell; /* value and derivatives */

static sneppp__bell sneppp__bell_integral(double ci, double li, double cj, double lj, double lo, double hi, int grad)
{
   double       root = lj > 0 ? hypot(li, lj) : 0;
   double       ti = lj > 0 ? li / root : 0, tj = lj > 0 ? lj / root : 1; /* ti^2 = li^2/S */
   double tau = li * tj, gap = lj > 0 ? cj - ci : 0, far = lj > 0 ? gap / root : 0, di = gap * ti * ti,
          dj = -gap * tj * tj;
   double       peak = exp(-0.5 * far * far), m1 = 0, m2;
   sneppp__bell k;
   if (lo == hi) {
      k.f = peak * tau * SNEPPP__SQRT_2PI;
      m2 = tau * tau * k.f;
   } else {
      double a = lo - ci - di, b = hi - ci - di, u = a / (tau * SNEPPP__SQRT2), v = b / (tau * SNEPPP__SQRT2),
             eu, ev, drop;
      k.f = peak * tau * (0.5 * SNEPPP__SQRT_2PI) * sneppp__erf_diff(u, v);
      eu = exp(-u * u);
      ev = exp(-v * v);
      drop = fabs(u) < fabs(v) ? -eu * expm1((u - v) * (u + v))
                               : ev * expm1((v - u) * (u + v)); /* e^(-u^2) - e^(-v^2) */
      m1 = peak * tau * tau * drop;
      m2 = tau * tau * (k.f + peak * (a * eu - b * ev));
   }
   k.ci = k.li = k.cj = k.lj = 0;
   if (!grad) return k;
   k.ci = (di * k.f + m1) / (li * li);
   k.li = (di * di * k.f + 2 * di * m1 + m2) / (li * li * li);
   if (lj > 0) {
      k.cj = (dj * k.f + m1) / (lj * lj);
      k.lj = (dj * dj * k.f + 2 * dj * m1 + m2) / (lj * lj * lj);
   }
   return k;
}

/* RBF x RBF and RBF x 1 on a box or on R^d: a product over coordinates. A factor may underflow to 0, so the
   gradient multiplies the other factors. Source: products of Gaussians; used for positive intensities by
   Flaxman et al. 2017. */
static double sneppp__rbf_pair(const sneppp__pair *p, const sneppp__pull *out)
{
   sneppp__bell f[SNEPPP__MAX_STATS];
   double       left[SNEPPP__MAX_STATS], k = 1, right;
   int          r, two = p->uj.act == SNEPPP_RBF, bounded = p->win->space == SNEPPP_BOX;
   right = out ? out->g : 0;
   for (r = 0; r < p->d; r++) {
      f[r] = sneppp__bell_integral(p->wi[r], p->li[r], two ? p->wj[r] : 0, two ? p->lj[r] : 0,
                                   bounded ? p->win->lo[r] : 0, bounded ? p->win->hi[r] : 0, out != NULL);
      left[r] = k;
      k *= f[r].f;
   }
   for (r = p->d - 1; out && r >= 0; r--) {
      double others = left[r] * right;
      out->wi[r] += others * f[r].ci;
      out->li[r] += others * f[r].li;
      if (two) {
         out->wj[r] += others * f[r].cj;
         out->lj[r] += others * f[r].lj;
      }
      right *= f[r].f;
   }
   return k;
}

/* The same on a union of intervals: the sum of the integrals over each. */
static double sneppp__i_rbf_pair(const sneppp__pair *p, const sneppp__pull *out)
{
   double k = 0;
   int    two = p->uj.act == SNEPPP_RBF;
   for (size_t s = 0; s < p->win->count; s++) {
      sneppp__bell f = sneppp__bell_integral(p->wi[0], p->li[0], two ? p->wj[0] : 0, two ? p->lj[0] : 0,
                                             p->win->ends[2 * s], p->win->ends[2 * s + 1], out != NULL);
      k += f.f;
      if (!out) continue;
      out->wi[0] += out->g * f.ci;
      out->li[0] += out->g * f.li;
      if (two) {
         out->wj[0] += out->g * f.cj;
         out->lj[0] += out->g * f.lj;
      }
   }
   return k;
}

/* ---- radial basis functions on polygons ---- */

/* Moments of the standard normal density of the plane over a polygon: the mass, and the integrals of y_r and y_r^2. */
typedef struct sneppp__plane { double q, m1[2], m2[2]; } sneppp__plane;

/* What the edge from a to b adds. The triangle of the origin and the edge has the mass
      1/2pi int (1 - exp(-h^2 / 2 cos^2 t)) dt = (t2 - t1)/2pi - [T(h, tan t2) - T(h, tan t1)],
   h the distance of the edge's line and t the angle from its foot, T Owen's function; signed, triangles add up to the
   polygon. Angles are summed apart in *turn. Moments are integrals along the border, by the divergence theorem:
   d(density)/dy_r = -y_r density. Beyond h = 9, T is below 1e-18. */
static void sneppp__plane_edge(const double *a, const double *b, double sign, int grad, double *turn, sneppp__plane *m)
{
   double u[2], foot[2], length = hypot(b[0] - a[0], b[1] - a[1]), t1, t2, cross, h, side;
   if (!(length > 0)) return;
   u[0] = (b[0] - a[0]) / length, u[1] = (b[1] - a[1]) / length;
   t1 = a[0] * u[0] + a[1] * u[1], t2 = b[0] * u[0] + b[1] * u[1];
   cross = a[0] * u[1] - a[1] * u[0];
   h = fabs(cross), side = cross < 0 ? -sign : sign;
   if (h > 1e-100) { /* else the triangle is flat */
      *turn += side * (atan2(t2, h) - atan2(t1, h));
      if (h < 9) m->q -= side * (sneppp__owens_t(h, t2 / h) - sneppp__owens_t(h, t1 / h));
   }
   if (grad && h < 38) {
      double p = sign * sneppp__phi(h), part = 0.5 * sneppp__erf_diff(t1 / SNEPPP__SQRT2, t2 / SNEPPP__SQRT2),
             drop = sneppp__phi(t1) - sneppp__phi(t2);
      foot[0] = cross * u[1], foot[1] = -cross * u[0];
      m->m1[0] -= p * u[1] * part;
      m->m1[1] += p * u[0] * part;
      m->m2[0] -= p * u[1] * (foot[0] * part + u[0] * drop);
      m->m2[1] += p * u[0] * (foot[1] * part + u[1] * drop);
   }
}

/* Of the polygon with its vertices moved by -m and divided by tau. The angles add up to a multiple of 2 pi unless the
   origin lies on the border; rounding them to it keeps digits of what is far away. */
static sneppp__plane sneppp__plane_moments(const sneppp_window *win, const double *m, const double *tau, int grad)
{
   sneppp__plane k;
   double        turn = 0, whole;
   memset(&k, 0, sizeof k);
   for (size_t ring = 0, at = 0; ring < sneppp__ring_count(win); at += sneppp__ring_size(win, ring), ring++) {
      const double *v = win->xy + 2 * at;
      size_t        n = sneppp__ring_size(win, ring);
      double        sign = sneppp__ring_sign(win, ring), a[2], b[2];
      for (int r = 0; r < 2; r++) a[r] = (v[2 * (n - 1) + (size_t)r] - m[r]) / tau[r];
      for (size_t i = 0; i < n; i++) {
         for (int r = 0; r < 2; r++) b[r] = (v[2 * i + (size_t)r] - m[r]) / tau[r];
         sneppp__plane_edge(a, b, sign, grad, &turn, &k);
         memcpy(a, b, sizeof a);
      }
   }
   turn /= 2 * SNEPPP__PI;
   whole = floor(turn + 0.5);
   k.q += fabs(turn - whole) < 1e-12 ? whole : turn;
   if (k.q < 0) k.q = 0; /* rounding */
   k.m2[0] += k.q, k.m2[1] += k.q;
   return k;
}

/* RBF x RBF and RBF x 1 on a polygon: the product is a bell of centre m and widths tau as in sneppp__bell_integral. */
static double sneppp__p_rbf_pair(const sneppp__pair *p, const sneppp__pull *out)
{
   double        m[2], tau[2], di[2], dj[2], scale = 2 * SNEPPP__PI;
   int           two = p->uj.act == SNEPPP_RBF;
   sneppp__plane k;
   for (int r = 0; r < 2; r++) {
      double li = p->li[r], lj = two ? p->lj[r] : 0, root = two ? hypot(li, lj) : 0,
             gap = two ? p->wj[r] - p->wi[r] : 0;
      double ti = two ? li / root : 0, tj = two ? lj / root : 1, far = two ? gap / root : 0;
      tau[r] = li * tj;
      di[r] = gap * ti * ti, dj[r] = -gap * tj * tj;
      m[r] = p->wi[r] + di[r];
      scale *= tau[r] * exp(-0.5 * far * far);
   }
   k = sneppp__plane_moments(p->win, m, tau, out != NULL);
   for (int r = 0; out && r < 2; r++) {
      double g = out->g * scale, m1 = tau[r] * k.m1[r], m2 = tau[r] * tau[r] * k.m2[r], l = p->li[r];
      out->wi[r] += g * (di[r] * k.q + m1) / (l * l);
      out->li[r] += g * (di[r] * di[r] * k.q + 2 * di[r] * m1 + m2) / (l * l * l);
      if (!two) continue;
      l = p->lj[r];
      out->wj[r] += g * (dj[r] * k.q + m1) / (l * l);
      out->lj[r] += g * (dj[r] * dj[r] * k.q + 2 * dj[r] * m1 + m2) / (l * l * l);
   }
   return scale * k.q;
}

/* ---- finite sets: every activation ---- */

/* psi(t) and the derivatives with respect to the weights: slope times t for ordinary units (slope = d psi/db),
   and for RBF units by centre and width. */
static double sneppp__finite_unit(const sneppp_unit *u, int d, const double *w, const double *l, double b,
                                  const double *t, double *slope)
{
   double z = 0;
   int    r;
   *slope = 0;
   if (u->act == SNEPPP_RBF) {
      for (r = 0; r < d; r++) z += (t[r] - w[r]) / l[r] * ((t[r] - w[r]) / l[r]);
      return exp(-0.5 * z);
   }
   for (r = 0; r < d; r++) z += w[r] * t[r];
   return sneppp__act(u, z + b, slope);
}

static void sneppp__finite_pull(const sneppp_unit *u, int d, const double *w, const double *l,
                                const double *t, double g, double value, double slope, double *gw, double *gl,
                                double *gb)
{
   int r;
   if (u->act == SNEPPP_RBF) {
      for (r = 0; r < d; r++) {
         double step = (t[r] - w[r]) / l[r];
         gw[r] += g * value * step / l[r];
         gl[r] += g * value * step * step / l[r];
      }
      return;
   }
   *gb += g * slope;
   for (r = 0; r < d; r++) gw[r] += g * slope * t[r];
}

/* k = sum_k mu_k psi_i(t_k) psi_j(t_k): the definition is the closed form. */
static double sneppp__finite_pair(const sneppp__pair *p, const sneppp__pull *out)
{
   size_t c;
   double k = 0;
   for (c = 0; c < p->win->count; c++) {
      const double *t = p->win->point + c * (size_t)p->d;
      double        mu = p->win->weight ? p->win->weight[c] : 1, si, sj;
      double        vi = sneppp__finite_unit(&p->ui, p->d, p->wi, p->li, p->bi, t, &si);
      double        vj = sneppp__finite_unit(&p->uj, p->d, p->wj, p->lj, p->bj, t, &sj);
      k += mu * vi * vj;
      if (!out) continue;
      sneppp__finite_pull(&p->ui, p->d, p->wi, p->li, t, out->g * mu * vj, vi, si, out->wi, out->li, out->bi);
      sneppp__finite_pull(&p->uj, p->d, p->wj, p->lj, t, out->g * mu * vi, vj, sj, out->wj, out->lj, out->bj);
   }
   return k;
}

/* ---- >>kernel-gauss: Gaussian measures and mixtures --------------------------------------------------------

   One reduction serves every activation. Let x ~ N(m, diag s^2) and write w~ = s o w for the weights in units of
   the measure. Then U = w_i.x + b_i and V = w_j.x + b_j are a pair of normal variables with

      means a = b_i + w_i.m, b = b_j + w_j.m,     variances A = |w~_i|^2, B = |w~_j|^2,     covariance C = w~_i.w~_j,

   and k = E[sigma_i(U) sigma_j(V)] is a function of five numbers, whatever d is. Its derivatives are expectations
   of the same kind (Stein's lemma and Price's theorem, for generalised functions too):

      k_a = E[sigma_i' sigma_j],     k_C = E[sigma_i' sigma_j'],     2 k_A = E[sigma_i'' sigma_j],

   from which dk/db_i = k_a, dk/dw_i = k_a m + s o v_i with v_i = dk/dw~_i = 2 k_A w~_i + k_C w~_j, dk/dm = k_a w_i +
   k_b w_j and dk/ds = v_i o w_i + v_j o w_j. A mixture is a sum. So a row is one `core`: five numbers in, the value
   and its partial derivatives out; the pair function does the rest.

   Two dangers, both from nearly parallel weights. D = AB - C^2, |w~_i - w~_j|^2, bA - aC and their kind cancel if
   they are computed from A, B, C; here they come from difference vectors and residuals, and then their error is that
   of changing the weights by a rounding. And for step units k_A and k_C are infinite as D -> 0 although their
   combination v_i is not; therefore a core may state v_i by its component along the unit residual r_i, the part
   of w~_j that is orthogonal to w~_i, and may use the difference and the sum of the weights as well. */
typedef struct sneppp__gauss {
   sneppp_unit   ui, uj;
   int           d;
   double        a, b, A, B, C, D; /* D = AB - C^2 >= 0                                             */
   double        minus, plus;      /* |w~_i - w~_j|^2, |w~_i + w~_j|^2                              */
   double        X;                /* |a w~_j - b w~_i|^2 = a^2 B - 2abC + b^2 A                    */
   double        Ni, Nj;           /* aB - bC, bA - aC                                              */
   const double *wi, *wj;          /* (d) w~                                                        */
   int           grad;             /* derivatives are wanted                                        */
} sneppp__gauss;

/* v_i = ii w~_i + ij w~_j + ri r_i + minus (w~_i - w~_j) + plus (w~_i + w~_j), and v_j = jj w~_j + ji w~_i
   + rj r_j - minus (w~_i - w~_j) + plus (w~_i + w~_j), where r_i is the unit vector along w~_j - (C/A)
   w~_i, r_j that along w~_i - (C/B) w~_j, either 0 if the weights are parallel. Everything is multiplied
   by e^log. */
typedef struct sneppp__gauss_out {
   double k, a, b, ii, ij, jj, ji, ri, rj, minus, plus, log;
} sneppp__gauss_out;

SNEPPP__INLINE double sneppp__gdot(int d, const double *x, const double *y)
{
   double sum = 0;
   int    r;
   for (r = 0; r < d; r++) sum += x[r] * y[r];
   return sum;
}

/* n/d for a denominator that may vanish: 0 on a tie, else a number so large that every cdf has saturated, but
   whose square is still finite. */
SNEPPP__INLINE double sneppp__ratio(double n, double d)
{
   if (fabs(n) < 1e100 * d) return n / d;
   return n > 0 ? 1e100 : n < 0 ? -1e100 : 0;
}

/* r = v - (u.v/u.u) u, orthogonalised twice so that it is orthogonal to u however small it is. Returns
   |r|^2. In one dimension, and for vectors that are multiples of each other by a power of two, it is
   exactly 0. */
static double sneppp__residual(int d, const double *u, const double *v, double *r)
{
   double uu = sneppp__gdot(d, u, u), c = d > 1 && uu > 0 ? sneppp__gdot(d, u, v) / uu : 0, s;
   int    k;
   for (k = 0; k < d; k++) r[k] = d > 1 ? v[k] - c * u[k] : 0;
   if (d == 1 || !(uu > 0)) return sneppp__gdot(d, r, r);
   s = sneppp__gdot(d, u, r) / uu;
   for (k = 0; k < d; k++) r[k] -= s * u[k];
   return sneppp__gdot(d, r, r);
}

/* The smooth kind of activations, for which the five numbers are enough as they are: sums of
   exponentials and polynomials. Pairs with one of ONE, EXP and MONOMIAL reduce to first moments and need
   no more either. */
static int sneppp__gauss_plain(const sneppp_unit *ui, const sneppp_unit *uj)
{
   int                k, smooth = 0;
   const sneppp_unit *u[2];
   u[0] = ui;
   u[1] = uj;
   for (k = 0; k < 2; k++) {
      sneppp_act act = u[k]->act;
      if (act == SNEPPP_ONE || act == SNEPPP_EXP || act == SNEPPP_MONOMIAL) return 1;
      smooth += act == SNEPPP_COS || act == SNEPPP_SIN || act == SNEPPP_SNAKE || act == SNEPPP_COSMIDENT;
   }
   return smooth == 2;
}

/* The reduction for component c of the mixture; wi and wj receive w~. */
static void sneppp__gauss_reduce(const sneppp__pair *p, size_t c, double *wi, double *wj, sneppp__gauss *q)
{
   const double *m = p->win->mean ? p->win->mean + c * (size_t)p->d : NULL;
   const double *s = p->win->scale ? p->win->scale + c * (size_t)p->d : NULL;
   double        t[SNEPPP_MAX_DIM], ri, rj;
   int           r, d = p->d, one = p->uj.act == SNEPPP_ONE;
   q->ui = p->ui;
   q->uj = p->uj;
   q->d = d;
   q->wi = wi;
   q->wj = wj;
   q->a = p->bi;
   q->b = one ? 0 : p->bj;
   q->A = q->B = q->C = q->minus = q->plus = q->D = q->X = q->Ni = q->Nj = 0;
   for (r = 0; r < d; r++) {
      double u = p->wi[r], v = one ? 0 : p->wj[r], lo, hi;
      if (m) { q->a += u * m[r]; q->b += v * m[r]; }
      if (s) { u *= s[r]; v *= s[r]; }
      wi[r] = u;
      wj[r] = v;
      lo = u - v;
      hi = u + v;
      q->A += u * u;
      q->B += v * v;
      q->C += u * v;
      q->minus += lo * lo;
      q->plus += hi * hi;
   }
   if (sneppp__gauss_plain(&p->ui, &p->uj)) return;
   for (r = 0; r < d; r++) t[r] = q->a * wj[r] - q->b * wi[r];
   q->X = sneppp__gdot(d, t, t);
   q->Ni = sneppp__gdot(d, wj, t);
   q->Nj = -sneppp__gdot(d, wi, t);
   if (q->A >= q->B) { /* the residual against the longer of the two is the accurate one */
      ri = sneppp__residual(d, wi, wj, t);
      q->D = q->A * ri;
   } else {
      rj = sneppp__residual(d, wj, wi, t);
      q->D = q->B * rj;
   }
}

/* The chain rule from a core's partial derivatives to the parameters, times g. */
static void sneppp__gauss_chain(const sneppp__pair *p, const sneppp__pull *out, size_t c, const sneppp__gauss *q,
                                const sneppp__gauss_out *t, double g)
{
   const double *m = p->win->mean ? p->win->mean + c * (size_t)p->d : NULL;
   const double *s = p->win->scale ? p->win->scale + c * (size_t)p->d : NULL;
   double        ri[SNEPPP_MAX_DIM] = { 0 }, rj[SNEPPP_MAX_DIM] = { 0 }, ni = 0, nj = 0;
   int           r, d = p->d, one = p->uj.act == SNEPPP_ONE;
   if (t->ri != 0) {
      ni = sqrt(sneppp__residual(d, q->wi, q->wj, ri));
      if (ni > 0) ni = t->ri / ni;
   }
   if (t->rj != 0) {
      nj = sqrt(sneppp__residual(d, q->wj, q->wi, rj));
      if (nj > 0) nj = t->rj / nj;
   }
   for (r = 0; r < d; r++) {
      double u = q->wi[r], v = q->wj[r], dm = t->minus * (u - v), dp = t->plus * (u + v);
      double vi = t->ii * u + t->ij * v + dm + dp + (ni != 0 ? ni * ri[r] : 0);
      double vj = t->jj * v + t->ji * u - dm + dp + (nj != 0 ? nj * rj[r] : 0);
      if (out->mean) out->mean[c * (size_t)d + (size_t)r] += g * (t->a * p->wi[r] + (one ? 0 : t->b * p->wj[r]));
      if (out->scale) out->scale[c * (size_t)d + (size_t)r] += g * (vi * p->wi[r] + (one ? 0 : vj * p->wj[r]));
      out->wi[r] += g * ((m ? t->a * m[r] : 0) + (s ? s[r] * vi : vi));
      if (!one) out->wj[r] += g * ((m ? t->b * m[r] : 0) + (s ? s[r] * vj : vj));
   }
   *out->bi += g * t->a;
   if (!one) *out->bj += g * t->b;
}

SNEPPP__INLINE double sneppp__gauss_weight(const sneppp_window *win, size_t c)
{
   return win->weight ? win->weight[c] : win->count ? 1.0 / (double)win->count : 1.0;
}

static void sneppp__gauss_core(const sneppp__pair *p, size_t c, int grad, double *wi, double *wj,
                               sneppp__gauss *q, sneppp__gauss_out *t)
{
   memset(t, 0, sizeof *t);
   sneppp__gauss_reduce(p, c, wi, wj, q);
   q->grad = grad;
   p->row->gauss(q, t);
}

/* Logarithmic rows, k > 0: log k = log sum_c weight_c k_c by the largest term, and its derivatives are
   averages of the components' with weights weight_c k_c / k. The cores run twice, since the number of
   components is free. */
static double sneppp__gauss_pair_log(const sneppp__pair *p, const sneppp__pull *out)
{
   double            wi[SNEPPP_MAX_DIM], wj[SNEPPP_MAX_DIM], top = 0, sum = 0, logk;
   size_t            c, count = p->win->count ? p->win->count : 1;
   int               any = 0;
   sneppp__gauss     q;
   sneppp__gauss_out t;
   for (c = 0; c < count; c++) {
      double weight = sneppp__gauss_weight(p->win, c), term;
      sneppp__gauss_core(p, c, 0, wi, wj, &q, &t);
      if (!(weight * t.k > 0)) continue;
      term = t.log + (weight * t.k == 1 ? 0 : log(weight * t.k));
      if (!any) { top = term; sum = 1; any = 1; }
      else if (term > top) { sum = sum * exp(top - term) + 1; top = term; }
      else sum += exp(term - top);
   }
   SNEPPP_ASSERT(any && sum > 0); /* windows whose weights are all 0 were refused */
   logk = top + log(sum);
   for (c = 0; out && c < count; c++) {
      double weight = sneppp__gauss_weight(p->win, c), share;
      sneppp__gauss_core(p, c, 1, wi, wj, &q, &t);
      share = exp(t.log - logk);
      sneppp__gauss_chain(p, out, c, &q, &t, out->g * weight * share);
      if (out->weight) out->weight[c] += out->g * share * t.k;
   }
   return logk;
}

static double sneppp__gauss_pair(const sneppp__pair *p, const sneppp__pull *out)
{
   double            wi[SNEPPP_MAX_DIM], wj[SNEPPP_MAX_DIM], sum = 0;
   size_t            c, count = p->win->count ? p->win->count : 1;
   sneppp__gauss     q;
   sneppp__gauss_out t;
   if (p->log) return sneppp__gauss_pair_log(p, out);
   for (c = 0; c < count; c++) {
      double weight = sneppp__gauss_weight(p->win, c), e;
      sneppp__gauss_core(p, c, out != NULL, wi, wj, &q, &t);
      e = t.log != 0 ? exp(t.log) : 1;
      sum += weight * e * t.k;
      if (!out) continue;
      sneppp__gauss_chain(p, out, c, &q, &t, out->g * weight * e);
      if (out->weight) out->weight[c] += out->g * e * t.k;
   }
   return sum;
}

/* ---- first moments ----
   c(mu, v) = E[sigma(V)], V ~ N(mu, v). As a function of the variance it solves the heat equation, c_v = c_mumu/2,
   and its derivatives in mu are the moments of sigma', sigma'', ..., so one list c, c', c'', ... holds everything.
   Three families of pairs need no more than such a list:

      ONE x sigma        k = c(b, B)
      EXP x sigma        k = e^{a + A/2} c(b + C, B)                    (exponential tilt)
      MONOMIAL x sigma   E[U^p sigma(V)] = sum_r binom(p, r) C^r E[U^{p-r}] c^(r)(b, B)

   The last by Price's theorem: d/dC turns U^p sigma(V) into p U^{p-1} sigma'(V), and at C = 0 the factors part. */
enum { SNEPPP__MOMENTS = SNEPPP__MAX_ORDER + 3 }; /* length of a list: MONOMIAL needs order p + 2 */

/* Smoothed steps. Phi(z/sqrt e) is the chance that z exceeds N(0, e) noise: e = 1 is Phi, e = 1/2 is (1 +
   erf)/2, and e = 0 is the step. Averaged over z ~ N(mu, v) it is Phi(mu/T), T^2 = v + e, and its
   derivatives in mu are Hermite polynomials, (-1)^{r-1} He_{r-1}(t) phi(t)/T^r at t = mu/T. At T = 0 the
   step itself with value 0 at 0; its derivative there, a point mass, is set to 0. */
static void sneppp__step_moments(double e, double mu, double v, int n, double *c)
{
   double T = sqrt(v + e), t, f, h = 1, last = 0;
   int    r;
   for (r = 0; r <= n; r++) c[r] = 0;
   if (!(T > 1e-150)) { c[0] = mu > 0; return; }
   t = mu / T;
   c[0] = sneppp__Phi(t);
   f = sneppp__phi(t) / T;
   for (r = 1; r <= n && f != 0; r++) {
      double next = -(t * h + (r - 1) * last); /* h = (-1)^{r-1} He_{r-1}(t) */
      c[r] = h * f;
      last = h;
      h = next;
      f /= T;
   }
}

/* E[V_+^p] and its derivatives: powers fall by one until the step is left. */
static void sneppp__rect_moments(int p, double mu, double v, int n, double *c)
{
   double factor = 1;
   int    r;
   if (n >= p) {
      sneppp__step_moments(0, mu, v, n - p, c + p);
      for (r = 2; r <= p; r++) factor *= r;
      for (r = p; r <= n; r++) c[r] *= factor;
   }
   for (r = 0, factor = 1; r < p && r <= n; r++) {
      c[r] = factor * sneppp__rect_moment(p - r, mu, v);
      factor *= p - r;
   }
}

/* E[V^p], mu_p = mu mu_{p-1} + (p - 1) v mu_{p-2}; `power` receives mu_0..mu_p. */
static void sneppp__powers(int p, double mu, double v, double *power)
{
   int r;
   power[0] = 1;
   for (r = 1; r <= p; r++) power[r] = mu * power[r - 1] + (r > 1 ? (r - 1) * v * power[r - 2] : 0);
}

static void sneppp__mono_moments(int p, double mu, double v, int n, double *c)
{
   double power[SNEPPP__MAX_ORDER + 1], factor = 1;
   int    r;
   sneppp__powers(p, mu, v, power);
   for (r = 0; r <= n; r++) {
      c[r] = r <= p ? factor * power[p - r] : 0;
      factor *= p - r;
   }
}

/* E[e^V; V < 0] = e^{mu + v/2} Phi(-(mu + v)/sqrt v). The exponential may overflow where the cdf
   underflows; with Phi(-x) = phi(x) M(x), M the Mills ratio, the product is phi(z) M(x), z = mu/sqrt v, x
   = (mu + v)/sqrt v. */
static double sneppp__exp_tail(double mu, double v)
{
   double s = sqrt(v), x;
   if (!(s > 1e-150)) return mu < 0 ? exp(mu) : 0;
   x = (mu + v) / s;
   return x > 0 ? sneppp__phi(mu / s) * sneppp__mills(x) : exp(mu + 0.5 * v) * sneppp__Phi(-x);
}

/* ELU, z_+ + l (e^z - 1) [z < 0]. With f = e^z [z < 0], f' = f - (point mass at 0), so the derivatives
   follow from those of the step. For a unit that stays close to 0 the two terms of e^z - 1 cancel, and the
   power series sum_k (-1)^k E[(-V)_+^k]/k! is used instead. */
static void sneppp__elu_moments(double l, double mu, double v, int n, double *c)
{
   double step[SNEPPP__MOMENTS + 1], e = sneppp__exp_tail(mu, v), z = sqrt(v);
   int    r;
   sneppp__step_moments(0, mu, v, n, step);
   if (fabs(mu) + 8 * z < 0.5) {
      double factor = 1;
      c[0] = 0;
      for (r = 1; r < 14; r++) {
         factor /= -r;
         c[0] += factor * sneppp__rect_moment(r, -mu, v);
      }
   } else c[0] = e - (z > 0 ? sneppp__Phi(-mu / z) : (mu < 0));
   c[0] = l * c[0] + sneppp__rect_moment(1, mu, v);
   for (r = 1; r <= n; r++) {
      c[r] = l * e + step[r - 1];
      e -= step[r];
   }
}

/* e^{-pz^2} times cos or sin of qz is the real or imaginary part of exp(-pz^2 + iqz); its average over
   N(mu, v) is T^{-1/2} exp(-(p mu^2 + q^2 v/2)/T + iq mu/T), T = 1 + 2pv. Its logarithm is quadratic in
   mu, hence the recursion f^(r+1) = (x + iy) f^(r) - (2p/T) r f^(r-1), x + iy the derivative of the
   logarithm. */
static void sneppp__gabor_moments(double p, double q, int sine, double mu, double v, int n, double *c)
{
   double T = 1 + 2 * p * v, e = exp(-(p * mu * mu + 0.5 * q * q * v) / T) / sqrt(T);
   double x = -2 * p * mu / T, y = q / T, re = e * cos(q * mu / T), im = e * sin(q * mu / T), re0 = 0, im0 = 0;
   int    r;
   for (r = 0; r <= n; r++) {
      double re1 = x * re - y * im - 2 * p / T * r * re0, im1 = x * im + y * re - 2 * p / T * r * im0;
      c[r] = sine ? im : re;
      re0 = re; im0 = im;
      re = re1; im = im1;
   }
}

/* z + (1 - cos qz)/q for snake, z - cos(qz)/q for cosmident (u = 1, 0), q = 2p. 1 - e cos qz is formed
   without subtraction, for q may be tiny. */
static void sneppp__snake_moments(double q, int u, double mu, double v, int n, double *c)
{
   double e = exp(-0.5 * q * q * v), co = cos(q * mu), si = sin(q * mu), half = sin(0.5 * q * mu), power = 1;
   int    r;
   c[0] = mu + (u ? 2 * half * half - expm1(-0.5 * q * q * v) * co : -e * co) / q;
   for (r = 1; r <= n; r++) {
      double wave = (r & 1) ? si : co; /* sin, cos, -sin, -cos, ... */
      c[r] = (r == 1) + power * e * ((((r - 1) >> 1) & 1) ? -wave : wave);
      power *= q;
   }
}

/* c[0..n] of unit u; returns the logarithm of a factor common to all. */
static double sneppp__moments_of(const sneppp_unit *u, double mu, double v, int n, double *c)
{
   double step[SNEPPP__MOMENTS + 1], e, co, si;
   int    r;
   switch (u->act) {
      case SNEPPP_COS: case SNEPPP_SIN:
         e = exp(-0.5 * v);
         co = cos(mu);
         si = sin(mu);
         for (r = 0; r <= n; r++) {
            int    turn = (r + (u->act == SNEPPP_SIN ? 3 : 0)) & 3; /* sin z = cos(z + 3 pi/2) */
            double wave = (turn & 1) ? si : co;
            c[r] = e * (turn == 1 || turn == 2 ? -wave : wave);
         }
         return 0;
      case SNEPPP_SNAKE:     sneppp__snake_moments(2 * u->p, 1, mu, v, n, c); return 0;
      case SNEPPP_COSMIDENT: sneppp__snake_moments(2 * u->p, 0, mu, v, n, c); return 0;
      case SNEPPP_EXP:
         for (r = 0; r <= n; r++) c[r] = 1;
         return mu + 0.5 * v;
      case SNEPPP_ERF:
         sneppp__step_moments(0.5, mu, v, n, c);
         for (r = 0; r <= n; r++) c[r] *= 2;
         c[0] = erf(mu / sqrt(1 + 2 * v));
         return 0;
      case SNEPPP_PHI: sneppp__step_moments(1, mu, v, n, c); return 0;
      case SNEPPP_STEP: case SNEPPP_RELU: case SNEPPP_RECT: sneppp__rect_moments((int)u->p, mu, v, n, c); return 0;
      case SNEPPP_LEAKY:
         sneppp__rect_moments(1, mu, v, n, c);
         for (r = 0; r <= n; r++) c[r] = (1 - u->p) * c[r] + u->p * (r == 0 ? mu : r == 1);
         return 0;
      case SNEPPP_GELU: /* V Phi(V): Stein's lemma moves V to mu + v d/dmu */
         sneppp__step_moments(1, mu, v, n + 1, step);
         for (r = 0; r <= n; r++) c[r] = mu * step[r] + (r ? r * step[r - 1] : 0) + v * step[r + 1];
         return 0;
      case SNEPPP_ELU:       sneppp__elu_moments(u->p, mu, v, n, c); return 0;
      case SNEPPP_BELL:      sneppp__gabor_moments(u->p, 0, 0, mu, v, n, c); return 0;
      case SNEPPP_GABOR_SIN: sneppp__gabor_moments(u->p, u->q, 1, mu, v, n, c); return 0;
      case SNEPPP_GABOR_COS: sneppp__gabor_moments(u->p, u->q, 0, mu, v, n, c); return 0;
      case SNEPPP_MONOMIAL:  sneppp__mono_moments((int)u->p, mu, v, n, c); return 0;
      default:
         for (r = 0; r <= n; r++) c[r] = r == 0;
         return 0;
   }
}

/* sigma x ONE: the first moment. */
static void sneppp__gauss_one(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   double c[3];
   t->log = sneppp__moments_of(&q->ui, q->a, q->A, q->grad ? 2 : 0, c);
   t->k = c[0];
   if (!q->grad) return;
   t->a = c[1];
   t->ii = c[2];
}

/* EXP x sigma, k = e^{a + A/2} c(b + C, B): weighting a normal by e^U shifts the mean of V by C (R5). With
   sigma = EXP the sum of the exponents is better taken from |w~_i + w~_j|^2, see sneppp__gauss_exp. */
static void sneppp__gauss_tilted(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   double c[3];
   t->log = q->a + 0.5 * q->A + sneppp__moments_of(&q->uj, q->b + q->C, q->B, q->grad ? 2 : 0, c);
   t->k = c[0];
   if (!q->grad) return;
   t->a = t->ii = c[0];
   t->b = t->ij = t->ji = c[1];
   t->jj = c[2];
}

/* EXP x EXP: log k = a + b + |w~_i + w~_j|^2/2, the moment generating function. */
static void sneppp__gauss_exp(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   t->log = q->a + q->b + 0.5 * q->plus;
   t->k = t->a = t->b = t->plus = 1;
}

/* sum_r binom(p, r) C^r power_{p-r} c_{r+shift}. */
static double sneppp__price_sum(int p, double C, const double *power, const double *c, int shift)
{
   double sum = 0, factor = 1;
   int    r;
   for (r = 0; r <= p; r++) {
      sum += factor * power[p - r] * c[r + shift];
      factor *= C * (p - r) / (r + 1);
   }
   return sum;
}

/* MONOMIAL x sigma. sigma = MONOMIAL gives Isserlis' sum r! binom(p, r) binom(q, r) C^r E[U^{p-r}]
   E[V^{q-r}]. */
static void sneppp__gauss_mono(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   double c[SNEPPP__MOMENTS], power[SNEPPP__MAX_ORDER + 1], C = q->C;
   int    p = (int)q->ui.p;
   t->log = sneppp__moments_of(&q->uj, q->b, q->B, q->grad ? p + 2 : p, c);
   sneppp__powers(p, q->a, q->A, power);
   t->k = sneppp__price_sum(p, C, power, c, 0);
   if (!q->grad) return;
   t->b = sneppp__price_sum(p, C, power, c, 1);
   t->jj = sneppp__price_sum(p, C, power, c, 2);
   if (p > 0) t->a = p * sneppp__price_sum(p - 1, C, power, c, 0);
   if (p > 0) t->ij = t->ji = p * sneppp__price_sum(p - 1, C, power, c, 1);
   if (p > 1) t->ii = p * (p - 1) * sneppp__price_sum(p - 2, C, power, c, 0);
}

/* Weights of length zero: U = a is a constant (or V = b is), C = 0, and k is a product of first moments.
   Only the rectified units need this as a case of its own. */
static void sneppp__gauss_apart(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   double c[3], e[3];
   sneppp__moments_of(&q->ui, q->a, q->A, 2, c);
   sneppp__moments_of(&q->uj, q->b, q->B, 2, e);
   t->k = c[0] * e[0];
   t->a = c[1] * e[0];
   t->b = c[0] * e[1];
   t->ii = c[2] * e[0];
   t->jj = c[0] * e[2];
   t->ij = t->ji = c[1] * e[1];
}

/* ---- waves and bells ---- */

/* E of the four products of cos and sin of a pair of normals with means a, b, covariance C and half the
   sum of the variances S; em, ep are half the variances of the difference and of the sum. cc = (e^{-em}
   cos(a - b) + e^{-ep} cos(a + b))/2 and so on; but for small a, b, C the two terms of ss cancel, and the
   form in hyperbolic functions does not. For large |C| it is the other way round: cosh C overflows. */
typedef struct sneppp__trig { double cc, ss, cs, sc; } sneppp__trig;

static sneppp__trig sneppp__trig_of(double a, double b, double C, double S, double em, double ep)
{
   sneppp__trig w;
   if (fabs(C) < 1) {
      double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b), e = exp(-S), ch = e * cosh(C), sh = e * sinh(C);
      w.cc = ca * cb * ch + sa * sb * sh;
      w.ss = sa * sb * ch + ca * cb * sh;
      w.cs = ca * sb * ch - sa * cb * sh;
      w.sc = sa * cb * ch - ca * sb * sh;
   } else {
      double m = 0.5 * exp(-em), p = 0.5 * exp(-ep), cm = m * cos(a - b), cp = p * cos(a + b),
             sm = m * sin(a - b), sp = p * sin(a + b);
      w.cc = cm + cp;
      w.ss = cm - cp;
      w.cs = sp - sm;
      w.sc = sp + sm;
   }
   return w;
}

static sneppp__trig sneppp__trig_at(const sneppp__gauss *q)
{
   return sneppp__trig_of(q->a, q->b, q->C, 0.5 * (q->A + q->B), 0.5 * q->minus, 0.5 * q->plus);
}

/* COS x COS: k = (e_- cos(a - b) + e_+ cos(a + b))/2 with e_-+ = exp(-|w~_i -+ w~_j|^2/2): the
   characteristic function of the measure (random Fourier features backwards). The derivative uses the same
   two terms, now as weights of the difference and of the sum of the weight vectors, which keeps nearly
   equal weights accurate. */
static void sneppp__gauss_cos(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   double m = 0.5 * exp(-0.5 * q->minus), p = 0.5 * exp(-0.5 * q->plus), lo = q->a - q->b, hi = q->a + q->b;
   double cm = m * cos(lo), cp = p * cos(hi), sm, sp;
   t->k = cm + cp;
   if (!q->grad) return;
   sm = m * sin(lo);
   sp = p * sin(hi);
   t->a = -sm - sp;
   t->b = sm - sp;
   t->minus = -cm;
   t->plus = -cp;
}

/* SIN x SIN: the same with the sign of the second term changed; small weights and biases would cancel. */
static void sneppp__gauss_sin(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   sneppp__trig w = sneppp__trig_at(q);
   t->k = w.ss;
   t->a = w.cs;
   t->b = w.sc;
   t->ii = t->jj = -w.ss;
   t->ij = t->ji = w.cc;
}

/* COS x SIN. */
static void sneppp__gauss_cos_sin(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   sneppp__trig w = sneppp__trig_at(q);
   t->k = w.cs;
   t->a = -w.ss;
   t->b = w.cc;
   t->ii = t->jj = -w.cs;
   t->ij = t->ji = -w.sc;
}

/* SNAKE and COSMIDENT, sigma = z + (u - cos qz)/q with q = 2p and u = 1 for snake, 0 for cosmident (SNEFY
   2023 has equal q only). With c = E cos qU, s = E sin qU for each unit, and V = Cov(cos q_i U, cos q_j
   V),

      k = C + ab + a (u_j - c_j)/q_j + b (u_i - c_i)/q_i + C (s_i + s_j) + ((u_i - c_i)(u_j - c_j) + V)/(q_i q_j).

   Expanding the squares instead leaves terms of size 1/q^2 that cancel; so 1 - c is formed without
   subtraction and the covariances by cosh t - 1 = 2 sinh^2(t/2), t = q_i q_j C, unless t is large. q -> 0
   is the linear kernel. */
static void sneppp__gauss_snake(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   double qi = 2 * q->ui.p, qj = 2 * q->uj.p, a = qi * q->a, b = qj * q->b, A = 0.5 * qi * qi * q->A,
          B = 0.5 * qj * qj * q->B;
   double ei = exp(-A), ej = exp(-B), ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b), C = qi * qj * q->C;
   double hi = sin(0.5 * a), hj = sin(0.5 * b), ci = ei * ca, cj = ej * cb, si = ei * sa, sj = ej * sb;
   double oi = q->ui.act == SNEPPP_SNAKE ? 2 * hi * hi - expm1(-A) * ca : -ci; /* u - c */
   double oj = q->uj.act == SNEPPP_SNAKE ? 2 * hj * hj - expm1(-B) * cb : -cj;
   double vcc, vsc, vcs, vss; /* covariances */
   if (fabs(C) < 1) {
      double h = sinh(0.5 * C), ch = ei * ej * 2 * h * h, sh = ei * ej * sinh(C);
      vcc = ch * ca * cb + sh * sa * sb;
      vss = ch * sa * sb + sh * ca * cb;
      vsc = ch * sa * cb - sh * ca * sb;
      vcs = ch * ca * sb - sh * sa * cb;
   } else {
      double        em = 0, ep = 0;
      sneppp__trig w;
      int           r;
      for (r = 0; r < q->d; r++) {
         double lo = qi * q->wi[r] - qj * q->wj[r], up = qi * q->wi[r] + qj * q->wj[r];
         em += lo * lo;
         ep += up * up;
      }
      w = sneppp__trig_of(a, b, C, A + B, 0.5 * em, 0.5 * ep);
      vcc = w.cc - ci * cj;
      vss = w.ss - si * sj;
      vsc = w.sc - si * cj;
      vcs = w.cs - ci * sj;
   }
   t->k = q->C + q->a * q->b + q->a * oj / qj + q->b * oi / qi + q->C * (si + sj) + (oi / qi) * (oj / qj) +
          vcc / qi / qj;
   t->a = q->b * (1 + si) + oj / qj + qi * q->C * ci + (si * oj - vsc) / qj;
   t->b = q->a * (1 + sj) + oi / qi + qj * q->C * cj + (sj * oi - vcs) / qi;
   t->ij = t->ji = (1 + si) * (1 + sj) + vss;
   t->ii = qi * (q->b * ci - qi * q->C * si) + qi / qj * (ci * oj - vcc);
   t->jj = qj * (q->a * cj - qj * q->C * sj) + qj / qi * (cj * oi - vcc);
}

/* Units e^{-pz^2} times 1, cos qz or sin qz: BELL, GABOR_COS, GABOR_SIN, and with p = 0 COS and SIN. The
   bells multiply the normal density of (U, V) into another normal density, the posterior of observing U =
   V = 0 with precisions x = 2p_i, y = 2p_j:

      Delta = 1 + xA + yB + xyD,  weight Delta^{-1/2} exp(-(x a^2 + y b^2 + xy |a w~_j - b w~_i|^2)/(2 Delta)),
      means m = (a + y N_i)/Delta, n = (b + x N_j)/Delta, variances (A + yD)/Delta, (B + xD)/Delta,
          covariance C/Delta,

   and the waves are averaged over it. Williams 1998 has the bell without bias. A derivative of a unit
   multiplies by (-xU + q d), d the quarter turn cos -> -sin -> -cos; over the posterior, by Stein's lemma,
   that is the operator P_i = -x m + e_i d_i - g_j d_j with e_i = q_i (1 + yB)/Delta, g_j = x q_j C/Delta.
   Then k_a = P_i k, k_C = (P_i P_j + xyC/Delta) k and 2 k_A = (P_i^2 - x (1 + yB)/Delta) k, where d_i^2 =
   d_j^2 = -1 and the four turned kernels are the four waves. */
static void sneppp__gauss_bell(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   int    wave_i = q->ui.act == SNEPPP_COS || q->ui.act == SNEPPP_SIN,
          sine_i = q->ui.act == SNEPPP_SIN || q->ui.act == SNEPPP_GABOR_SIN;
   int    wave_j = q->uj.act == SNEPPP_COS || q->uj.act == SNEPPP_SIN,
          sine_j = q->uj.act == SNEPPP_SIN || q->uj.act == SNEPPP_GABOR_SIN;
   double x = wave_i ? 0 : 2 * q->ui.p, qi = wave_i ? 1 : q->ui.act == SNEPPP_BELL ? 0 : q->ui.q;
   double y = wave_j ? 0 : 2 * q->uj.p, qj = wave_j ? 1 : q->uj.act == SNEPPP_BELL ? 0 : q->uj.q;
   double D = q->D, Delta = 1 + x * q->A + y * q->B + x * y * D, m = (q->a + y * q->Ni) / Delta,
          n = (q->b + x * q->Nj) / Delta;
   double front = exp(-0.5 * (x * q->a * q->a + y * q->b * q->b + x * y * q->X) / Delta) / sqrt(Delta);
   double ei = qi * (1 + y * q->B) / Delta, ej = qj * (1 + x * q->A) / Delta, gj = x * qj * q->C / Delta,
          gi = y * qi * q->C / Delta;
   double f, fi, fj, fij; /* the kernel, turned in i, in j, in both */
   if (qi == 0 && qj == 0) {
      f = front;
      fi = fj = fij = 0;
   } else {
      double        low = 0, up = 0, both = (qi * qi * y + qj * qj * x) * D, si, sj, cross;
      sneppp__trig w;
      int           r;
      for (r = 0; r < q->d; r++) {
         double minus = qi * q->wi[r] - qj * q->wj[r], plus = qi * q->wi[r] + qj * q->wj[r];
         low += minus * minus;
         up += plus * plus;
      }
      w = sneppp__trig_of(qi * m, qj * n, qi * qj * q->C / Delta,
          0.5 * (qi * qi * q->A + qj * qj * q->B + both) / Delta,
                           0.5 * (low + both) / Delta, 0.5 * (up + both) / Delta);
      f = front * (sine_i ? sine_j ? w.ss : w.sc : sine_j ? w.cs : w.cc);
      si = sine_i ? sine_j ? w.cs : w.cc : sine_j ? -w.ss : -w.sc;
      sj = sine_i ? sine_j ? w.sc : -w.ss : sine_j ? w.cc : -w.cs;
      cross = sine_i ? sine_j ? w.cc : -w.cs : sine_j ? -w.sc : w.ss;
      fi = front * si;
      fj = front * sj;
      fij = front * cross;
   }
   t->k = f;
   if (!q->grad) return;
   m *= x;
   n *= y;
   t->a = -m * f + ei * fi - gj * fj;
   t->b = -n * f + ej * fj - gi * fi;
   t->ij = t->ji = (m * n + ei * gi + ej * gj + x * y * q->C / Delta) * f + (m * gi - n * ei) * fi +
                   (n * gj - m * ej) * fj +
                   (ei * ej + gi * gj) * fij;
   t->ii = (m * m - ei * ei - gj * gj - x * (1 + y * q->B) / Delta) * f - 2 * m * ei * fi + 2 * m * gj * fj
           - 2 * ei * gj * fij;
   t->jj = (n * n - ej * ej - gi * gi - y * (1 + x * q->A) / Delta) * f - 2 * n * ej * fj + 2 * n * gi * fi
           - 2 * ej * gi * fij;
}

/* ---- steps, hard and soft ---- */

/* STEP, PHI, ERF and RELU, GELU in any combination. The units are S(z/sqrt e) and z S(z/sqrt e), where S
   is the normal cdf and e = 0 for STEP and RELU, e = 1 for PHI and GELU; ERF is 2 Phi(sqrt 2 z) - 1, so e
   = 1/2 and S = erf(./sqrt 2), whose density is twice the normal one. With noise of variances e_i, e_j
   added the smooth units are hard ones:

      E[S_i S_j] = P(U + noise > 0, V + noise > 0) = Phi_2(h, k; rho),   h = a/sqrt(A'), k = b/sqrt(B'),
          A' = A + e_i, B' = B + e_j,

   rho = C/sqrt(A'B'), 1 - rho^2 = Delta/(A'B'), Delta = D + e_i B + e_j A + e_i e_j. Factors z come out by
   Stein's lemma, and what remains are one-dimensional integrals under the line U = 0 or V = 0. Every bit
   of the following is for general e, so the table has all the mixtures. Sources: the arc-sine law and
   Williams 1998 (erf), Tsuchida et al. 2021 (GELU), all without bias; for ReLU with bias the paper says
   that there is no closed form, and this is it. */
typedef struct sneppp__soft {
   double A, B, Delta;    /* A', B', their determinant                                  */
   double P;              /* E[S_i S_j]                                                 */
   double ci, cj;         /* density of U + noise at 0 (twice for ERF), the same for V  */
   double Si, Sj;         /* E[S_i | V = 0], E[S_j | U = 0]                             */
   double fi, fj;         /* their derivatives in the conditional mean                  */
   double ki, kj;         /* kappa_i = (h - rho k)/sqrt(1 - rho^2), kappa_j             */
} sneppp__soft;

SNEPPP__INLINE double sneppp__soft_noise(sneppp_act act)
{
   return act == SNEPPP_PHI || act == SNEPPP_GELU ? 1 : act == SNEPPP_ERF ? 0.5 : 0;
}

/* The products S(h)S(k) and the rest Psi = Phi_2 - Phi Phi are kept apart for ERF, where Phi_2 itself
   would cancel. */
static sneppp__soft sneppp__soft_of(const sneppp__gauss *q, double ei, double ej)
{
   sneppp__soft s;
   int          erf_i = q->ui.act == SNEPPP_ERF, erf_j = q->uj.act == SNEPPP_ERF;
   double       ti = erf_i ? 2 : 1, tj = erf_j ? 2 : 1, ra, rb, rD, h, k, psi, P;
   s.A = q->A + ei;
   s.B = q->B + ej;
   s.Delta = q->D + ei * q->B + ej * q->A + ei * ej;
   ra = sqrt(s.A);
   rb = sqrt(s.B);
   rD = sqrt(s.Delta);
   h = q->a / ra;
   k = q->b / rb;
   s.ki = sneppp__ratio(ej * q->a + q->Ni, rb * rD);
   s.kj = sneppp__ratio(ei * q->b + q->Nj, ra * rD);
   P = sneppp__bvn(h, k, q->C / (ra * rb), rD / (ra * rb), s.kj, s.ki, &psi);
   if (erf_i || erf_j) {
      double Sh = erf_i ? erf(h / SNEPPP__SQRT2) : sneppp__Phi(h),
             Sk = erf_j ? erf(k / SNEPPP__SQRT2) : sneppp__Phi(k);
      P = Sh * Sk + ti * tj * psi;
   }
   s.P = P;
   s.ci = ti * sneppp__phi(h) / ra;
   s.cj = tj * sneppp__phi(k) / rb;
   s.Si = erf_i ? erf(s.ki / SNEPPP__SQRT2) : sneppp__Phi(s.ki);
   s.Sj = erf_j ? erf(s.kj / SNEPPP__SQRT2) : sneppp__Phi(s.kj);
   s.fi = rD > 0 ? ti * sneppp__phi(s.ki) * rb / rD : 0;
   s.fj = rD > 0 ? tj * sneppp__phi(s.kj) * ra / rD : 0;
   return s;
}

/* S_i x S_j. k_a = c_i S_j(kappa_j), k_C = c_i f_j, 2 k_A = -(a k_a + C k_C)/A'. For two hard steps k_C ~
   1/sqrt D, and v_i = -(a k_a/A) w~_i + k_C (w~_j - (C/A) w~_i) is written with the unit residual, whose
   factor k_C sqrt(D/A) is bounded. */
static void sneppp__gauss_cdf(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   double       ei = sneppp__soft_noise(q->ui.act), ej = sneppp__soft_noise(q->uj.act);
   sneppp__soft s;
   if (!(q->A + ei > 1e-300) || !(q->B + ej > 1e-300)) { sneppp__gauss_apart(q, t); return; }
   s = sneppp__soft_of(q, ei, ej);
   t->k = s.P;
   if (!q->grad) return;
   t->a = s.ci * s.Sj;
   t->b = s.cj * s.Si;
   t->ii = -q->a * t->a / s.A;
   t->jj = -q->b * t->b / s.B;
   if (ei == 0 && ej == 0) {
      t->ri = s.ci * sneppp__phi(s.kj);
      t->rj = s.cj * sneppp__phi(s.ki);
   } else {
      t->ij = t->ji = s.ci * s.fj;
      t->ii -= q->C * t->ij / s.A;
      t->jj -= q->C * t->ij / s.B;
   }
}

/* S_i x V S_j, e.g. STEP x RELU, PHI x GELU:
      k = b P + B c_j S_i(kappa_i) + C c_i S_j(kappa_j).
   On the line U = 0 the unit j has mean b' = (e_i b + bA - aC)/A' and variance B' - e_j = (D + e_i B)/A',
   and there its moments are g_0 = b' S_j + (variance) f_j and g_1, the derivative in b'. */
static void sneppp__gauss_cdf_ramp(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   double       ei = sneppp__soft_noise(q->ui.act), ej = sneppp__soft_noise(q->uj.act), mean, var, g0, g1, u;
   sneppp__soft s;
   if (!(q->A + ei > 1e-300) || !(q->B + ej > 1e-300)) { sneppp__gauss_apart(q, t); return; }
   s = sneppp__soft_of(q, ei, ej);
   t->k = q->b * s.P + q->B * s.cj * s.Si + q->C * s.ci * s.Sj;
   if (!q->grad) return;
   mean = (ei * q->b + q->Nj) / s.A;
   var = (q->D + ei * q->B) / s.A;
   g0 = ej == 0 ? sneppp__rect_moment(1, mean, var) : mean * s.Sj + var * s.fj;
   g1 = s.Sj + (ej == 0 ? 0 : ej * mean * s.fj / (ej + var));
   u = ej / s.B;
   t->a = s.ci * g0;
   t->b = s.P + (ej == 0 ? 0 : u * s.cj * (q->b * s.Si + q->C * s.fi));
   t->ji = s.ci * g1;
   t->ii = -q->a * t->a / s.A;
   if (ei == 0 && ej == 0) t->ri = t->ji * sqrt(var); /* the residual w~_j - (C/A) w~_i has length sqrt(D/A) */
   else { t->ij = t->ji; t->ii -= q->C * t->ji / s.A; }
   t->jj = s.cj * (2 - u * q->b * q->b / s.B - q->B / s.B) * s.Si;
   if (ej > 0) t->jj += s.cj * u * q->C / s.B * s.fi * (q->C * s.ki * sqrt(s.B / s.Delta) - 2 * q->b);
}

/* U S_i x V S_j: RELU and GELU.
      k = (ab + C) P + c_j S_i (aB + bC e_j/B') + c_i S_j (bA + aC e_i/A') + c_i f_j (A (D + e_i B)/A' + C^2 e_j/B'),
   in which c_i f_j A (D + e_i B)/A' -> sqrt D phi(h) phi(kappa_j) for hard units and is written so that D
   = 0 is harmless. */
static void sneppp__gauss_ramp(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   double       ei = sneppp__soft_noise(q->ui.act), ej = sneppp__soft_noise(q->uj.act), a = q->a, b = q->b, C = q->C;
   double       ui, uj, mi, mj, vi, vj, g0, g1, g2, l0, l1, l2, both;
   sneppp__soft s;
   if (!(q->A + ei > 1e-300) || !(q->B + ej > 1e-300)) { sneppp__gauss_apart(q, t); return; }
   s = sneppp__soft_of(q, ei, ej);
   ui = ei / s.A;
   uj = ej / s.B;
   mj = (ei * b + q->Nj) / s.A; /* mean and variance of V on U + noise = 0, and the reverse */
   vj = (q->D + ei * q->B) / s.A;
   mi = (ej * a + q->Ni) / s.B;
   vi = (q->D + ej * q->A) / s.B;
   if (ei == 0 && ej == 0)
      t->k = (a * b + C) * s.P + a * q->B * s.cj * s.Si + b * q->A * s.ci * s.Sj +
             q->A * sqrt(vj) * s.ci * sneppp__phi(s.kj);
   else
      t->k = (a * b + C) * s.P + s.cj * s.Si * (a * q->B + b * C * uj) + s.ci * s.Sj * (b * q->A + a * C * ui) +
             s.ci * s.fj * (q->A * vj + C * C * uj);
   if (!q->grad) return;
   t->a = b * s.P + q->B * s.cj * s.Si + C * s.ci * s.Sj;
   t->b = a * s.P + q->A * s.ci * s.Sj + C * s.cj * s.Si;
   t->ij = s.P;
   g0 = ej == 0 ? sneppp__rect_moment(1, mj, vj) : mj * s.Sj + vj * s.fj;
   l0 = ei == 0 ? sneppp__rect_moment(1, mi, vi) : mi * s.Si + vi * s.fi;
   t->ii = s.ci * g0;
   t->jj = s.cj * l0;
   if (ei > 0 || ej > 0) {
      g1 = s.Sj + ej * mj * s.fj / (ej + vj);
      l1 = s.Si + ei * mi * s.fi / (ei + vi);
      g2 = s.fj * (2 - ej * mj * mj / ((ej + vj) * (ej + vj)) - vj / (ej + vj));
      l2 = s.fi * (2 - ei * mi * mi / ((ei + vi) * (ei + vi)) - vi / (ei + vi));
      both = s.ci * s.fj * ei * ej / s.Delta * (C + (ej * a + q->Ni) * (ei * b + q->Nj) / s.Delta);
      t->a += s.ci * ui * (a * g0 + C * g1);
      t->b += s.cj * uj * (b * l0 + C * l1);
      t->ij += ui * s.ci * (a * s.Sj + C * s.fj) + uj * s.cj * (b * s.Si + C * s.fi) + both;
      t->ii = s.ci * ((2 - ui * a * a / s.A - q->A / s.A) * g0 - ui * C / s.A * (2 * a * g1 + C * g2));
      t->jj = s.cj * ((2 - uj * b * b / s.B - q->B / s.B) * l0 - uj * C / s.B * (2 * b * l1 + C * l2));
   }
   t->ji = t->ij;
}

/* Unit i as j and the reverse, in a reduction and in its result. */
static sneppp__gauss sneppp__gauss_swap(const sneppp__gauss *q)
{
   sneppp__gauss s = *q;
   s.ui = q->uj; s.uj = q->ui;
   s.a = q->b;   s.b = q->a;
   s.A = q->B;   s.B = q->A;
   s.Ni = q->Nj; s.Nj = q->Ni;
   s.wi = q->wj; s.wj = q->wi;
   return s;
}

/* t += factor * s, after exchanging i and j if `swap`. */
static void sneppp__gauss_add(sneppp__gauss_out *t, double factor, const sneppp__gauss_out *s, int swap)
{
   t->k += factor * s->k;
   t->a += factor * (swap ? s->b : s->a);
   t->b += factor * (swap ? s->a : s->b);
   t->ii += factor * (swap ? s->jj : s->ii);
   t->jj += factor * (swap ? s->ii : s->jj);
   t->ij += factor * (swap ? s->ji : s->ij);
   t->ji += factor * (swap ? s->ij : s->ji);
   t->ri += factor * (swap ? s->rj : s->ri);
   t->rj += factor * (swap ? s->ri : s->rj);
   t->minus += factor * s->minus;
   t->plus += factor * s->plus;
}

/* ---- rectified powers ---- */

/* M_pq = E[U_+^p V_+^q]. du_n = E[delta(U) V_+^n] is a normal density times a one-dimensional moment,
   likewise dv_n, and Stein's lemma gives the recursions of truncated normal moments,

      M_00 = Phi_2,    M_0q = b M_{0,q-1} + (q-1) B M_{0,q-2} + C du_{q-1}  (q = 1: + B dv_0),    M_p0 by symmetry,
      M_1q = a M_0q + A du_q + q C M_{0,q-1},    M_pq = a M_{p-1,q} + (p-1) A M_{p-2,q} + q C M_{p-1,q-1}.

   Without bias, h = k = 0, there is the arc-cosine kernel (Cho & Saul 2009; here for unequal orders too)

      M_pq = |w~_i|^p |w~_j|^q (p+q)!!/(2 pi) [sqrt(pi/2) if p+q is odd] J,
      J = integral_0^delta sin^p t sin^q(delta - t) dt,

   delta = pi - (angle between the weights). Its integrand is positive: no cancellation for nearly
   antiparallel weights, where J ~ delta^{p+q+1} and the formulas with sin delta, cos delta lose all
   digits. */
typedef struct sneppp__rect {
   double du[SNEPPP__MAX_ORDER + 1], dv[SNEPPP__MAX_ORDER + 1];
   double M[SNEPPP__MAX_ORDER + 1][SNEPPP__MAX_ORDER + 1];
} sneppp__rect;

/* delta from p = |u^ + v^| and q = |u^ - v^| of the unit vectors; acos would lose half of the digits. */
static double sneppp__gauss_delta(const sneppp__gauss *q)
{
   double ri = 1 / sqrt(q->A), rj = 1 / sqrt(q->B), plus = 0, minus = 0;
   int    r;
   for (r = 0; r < q->d; r++) {
      double u = q->wi[r] * ri, v = q->wj[r] * rj;
      plus += (u + v) * (u + v);
      minus += (u - v) * (u - v);
   }
   return 2 * atan2(sqrt(plus), sqrt(minus));
}

/* J of the arc-cosine kernel. */
static double sneppp__arccos_J(int p, int q, double delta)
{
   const double *x, *w;
   double        sum = 0, half = 0.5 * delta, s = sin(half);
   int           i, n;
   if (p + q == 0) return delta;
   if (p + q == 1) return 2 * s * s;
   if (p == 1 && q == 1 && delta > 0.5) return 0.5 * (sin(delta) - delta * cos(delta));
   n = sneppp__gauss_legendre(p + q <= 8 ? 16 : p + q <= 20 ? 24 : 32, &x, &w);
   for (i = 0; i < n; i++) {
      double a = sin(half * (1 + x[i])), b = sin(half * (1 - x[i])), f = w[i];
      int    k;
      for (k = 0; k < p; k++) f *= a;
      for (k = 0; k < q; k++) f *= b;
      sum += f;
   }
   return half * sum;
}

static double sneppp__arccos(const sneppp__gauss *g, int p, int q, double delta)
{
   double f = ((p + q) & 1) ? 1.25331413731550025121 : 1; /* sqrt(pi/2) */
   int    n;
   for (n = p + q; n > 1; n -= 2) f *= n;
   f *= sneppp__arccos_J(p, q, delta) / (2 * SNEPPP__PI);
   for (n = 0; n < p; n++) f *= sqrt(g->A);
   for (n = 0; n < q; n++) f *= sqrt(g->B);
   return f;
}

/* Fills M up to order (p, q). */
static void sneppp__rect_fill(const sneppp__gauss *g, int p, int q, sneppp__rect *o, double *hj, double *hi)
{
   double       a = g->a, b = g->b, A = g->A, B = g->B, C = g->C;
   int          m, n;
   sneppp__soft s = sneppp__soft_of(g, 0, 0);
   *hj = s.ci * sneppp__phi(s.kj);
   *hi = s.cj * sneppp__phi(s.ki);
   for (n = 0; n <= q; n++) o->du[n] = s.ci * (n ? sneppp__rect_moment(n, g->Nj / A, g->D / A) : s.Sj);
   for (n = 0; n <= p; n++) o->dv[n] = s.cj * (n ? sneppp__rect_moment(n, g->Ni / B, g->D / B) : s.Si);
   if (a == 0 && b == 0) {
      double delta = sneppp__gauss_delta(g);
      for (m = p > 2 ? p - 2 : 0; m <= p; m++)
         for (n = q > 2 ? q - 2 : 0; n <= q; n++) o->M[m][n] = sneppp__arccos(g, m, n, delta);
      return;
   }
   o->M[0][0] = s.P;
   for (n = 1; n <= q; n++)
      o->M[0][n] = b * o->M[0][n - 1] + (n == 1 ? B * o->dv[0] : (n - 1) * B * o->M[0][n - 2]) + C * o->du[n - 1];
   for (m = 1; m <= p; m++) {
      o->M[m][0] = a * o->M[m - 1][0] + (m == 1 ? A * o->du[0] : (m - 1) * A * o->M[m - 2][0]) + C * o->dv[m - 1];
      for (n = 1; n <= q; n++)
         o->M[m][n] = a * o->M[m - 1][n] + (m == 1 ? A * o->du[n] : (m - 1) * A * o->M[m - 2][n]) +
             n * C * o->M[m - 1][n - 1];
   }
}

/* M_pq with positive terms only, for the far tails, where the recursions cancel: polar coordinates about
   the point U = V = 0. In units of the normal that point is (-kappa_i, -k), the quadrant is a wedge of
   opening delta, U and V are proportional to r sin(delta - t) and r sin t, and the integral over r is a
   rectified moment of order p + q + 1:

      M_pq = |w~_i|^p |w~_j|^q / sqrt(2 pi) int_0^delta sin^p(delta - t) sin^q t e^{-y^2/2} E[(Z - x)_+^{p+q+1}] dt,
      x = -(kappa_i cos t + k sin t), y = k cos t - kappa_i sin t.

   With h = k = 0 this is the arc-cosine kernel. Panels crowd at both edges, where the integrand has its
   peak. */
static double sneppp__rect_polar(const sneppp__gauss *g, int p, int q, double delta, double k, double ki)
{
   static const double edge[9] = {0, 0.02, 0.1, 0.27, 0.5, 0.73, 0.9, 0.98, 1};
   const double       *node, *weight;
   double              sum = 0;
   int                 i, j, m, n = sneppp__gauss_legendre(k * k + ki * ki < 50 ? 12 : 20, &node, &weight);
   for (i = 0; i < 8; i++) {
      for (j = 0; j < n; j++) {
         double half = 0.5 * delta * (edge[i + 1] - edge[i]), t = delta * edge[i] + half * (1 + node[j]);
         double st = sin(t), ct = cos(t), x = ki * ct + k * st, y = k * ct - ki * st,
                f = half * weight[j] * sneppp__phi(y);
         double su = sin(delta - t);
         if (f == 0) continue;
         for (m = 0; m < p; m++) f *= su;
         for (m = 0; m < q; m++) f *= st;
         sum += f * sneppp__rect_moment(p + q + 1, x, 1);
      }
   }
   for (m = 0; m < p; m++) sum *= sqrt(g->A);
   for (m = 0; m < q; m++) sum *= sqrt(g->B);
   return sum;
}

/* The same for parallel weights of one direction, D = 0: U = |w~_i| (z + h), V = |w~_j| (z + k) with one normal z.
   With y the distance from the later kink, z + min(h, k), the powers are y^m (y + gap)^n: expand the second, all
   terms are positive. */
static double sneppp__rect_parallel(const sneppp__gauss *g, int p, int q)
{
   double ra = sqrt(g->A), rb = sqrt(g->B), gap = g->Ni / (g->B * ra), first = gap < 0 ? g->a / ra : g->b / rb;
   double sum = 0, factor = 1;
   int    k, n = gap < 0 ? q : p; /* the power of the unit that is on already */
   gap = fabs(gap);
   for (k = 0; k <= n; k++) {
      sum += factor * sneppp__rect_moment(p + q - k, first, 1);
      factor *= gap * (n - k) / (k + 1);
   }
   for (k = 0; k < p; k++) sum *= ra;
   for (k = 0; k < q; k++) sum *= rb;
   return sum;
}

/* Value and first derivatives again, if the value is so small that its terms must have cancelled, and small
   not only against those terms but because the units themselves are hardly ever on: what is lost must count
   against sqrt(k_ii k_jj), or a hundred times the work is for nothing. Nearly parallel weights, for which the
   point U = V = 0 is far away, stay as they are. */
static void sneppp__rect_far(const sneppp__gauss *g, int p, int q, sneppp__gauss_out *t)
{
   double size = 1, k = g->b / sqrt(g->B), ki = sneppp__ratio(g->Ni, sqrt(g->B * g->D)), delta = 0;
   int    m, n, parallel = g->D == 0 && g->C > 0;
   for (m = 0; m < p; m++) size *= fabs(g->a) + sqrt(g->A);
   for (m = 0; m < q; m++) size *= fabs(g->b) + sqrt(g->B);
   if (p + q == 0 || !(t->k < 1e-4 * size) || (g->a >= 0 && k >= 0)) return;
   if (sneppp__rect_moment(2 * p, g->a, g->A) * sneppp__rect_moment(2 * q, g->b, g->B) > 1e-6 * size * size) return;
   if (!parallel) {
      if (!(k * k + ki * ki < 625)) return;
      delta = sneppp__gauss_delta(g);
   }
   for (m = 0; m <= g->grad && m <= p; m++) {
      for (n = 0; n <= g->grad && n <= q; n++) {
         double M = parallel ? sneppp__rect_parallel(g, p - m, q - n)
                             : sneppp__rect_polar(g, p - m, q - n, delta, k, ki);
         if (m && n) t->ij = t->ji = p * q * M;
         else if (m) t->a = p * M;
         else if (n) t->b = q * M;
         else t->k = M;
      }
   }
}

/* RECT x RECT, with STEP (p = 0) and RELU (p = 1). k_a = p M_{p-1,q}, k_C = pq M_{p-1,q-1}, 2 k_A = p(p-1)
   M_{p-2,q}; a power that has fallen to zero is a step, whose derivative is du. For a step unit i,
   E[delta'(U) V_+^q] = -(a/A) du_q - q (C/A) du_{q-1}, and v_i = -(a/A) du_q w~_i + q du_{q-1} (w~_j -
   (C/A) w~_i): the residual again. */
static void sneppp__gauss_rect(const sneppp__gauss *g, sneppp__gauss_out *t)
{
   int          p = (int)g->ui.p, q = (int)g->uj.p;
   double       hi, hj;
   sneppp__rect o;
   if (!(g->A > 1e-300) || !(g->B > 1e-300)) { sneppp__gauss_apart(g, t); return; }
   if (p == 1 && q == 1 && (g->a != 0 || g->b != 0)) {
      sneppp__gauss_ramp(g, t);
      sneppp__rect_far(g, p, q, t);
      return;
   }
   sneppp__rect_fill(g, p, q, &o, &hj, &hi);
   t->k = o.M[p][q];
   if (g->grad) {
      t->a = p ? p * o.M[p - 1][q] : o.du[q];
      t->b = q ? q * o.M[p][q - 1] : o.dv[p];
      t->ij = t->ji = p && q ? p * q * o.M[p - 1][q - 1] : p ? p * o.dv[p - 1] : q ? q * o.du[q - 1] : 0;
      t->ii = p > 1 ? p * (p - 1) * o.M[p - 2][q] : p ? o.du[q] : -g->a / g->A * o.du[q];
      t->jj = q > 1 ? q * (q - 1) * o.M[p][q - 2] : q ? o.dv[p] : -g->b / g->B * o.dv[p];
      if (p == 0) { t->ri = q ? t->ji * sqrt(g->D / g->A) : hj; t->ij = 0; }
      if (q == 0) { t->rj = p ? p * o.dv[p - 1] * sqrt(g->D / g->B) : hi; t->ji = 0; }
   }
   if (g->a != 0 || g->b != 0) sneppp__rect_far(g, p, q, t);
}

/* LEAKY x sigma: z for z > 0, pz below, is p z + (1 - p) z_+, so k = p E[U sigma_j] + (1 - p) E[U_+
   sigma_j], where sigma_j is LEAKY itself, a rectified power, PHI, ERF or GELU. Tsuchida et al. 2018 have
   it without bias. p = -1 is |z|. */
static void sneppp__gauss_leaky(const sneppp__gauss *g, sneppp__gauss_out *t)
{
   double            p = g->ui.p;
   sneppp__gauss     q = *g, r;
   sneppp__gauss_out part;
   q.ui.p = 1;
   memset(&part, 0, sizeof part);
   q.ui.act = SNEPPP_MONOMIAL;
   sneppp__gauss_mono(&q, &part);
   sneppp__gauss_add(t, p, &part, 0);
   memset(&part, 0, sizeof part);
   q.ui.act = SNEPPP_RELU;
   r = sneppp__gauss_swap(&q);
   switch (q.uj.act) {
      case SNEPPP_LEAKY: sneppp__gauss_leaky(&r, &part); break;
      case SNEPPP_GELU:  sneppp__gauss_ramp(&r, &part); break;
      case SNEPPP_PHI: case SNEPPP_ERF: sneppp__gauss_cdf_ramp(&r, &part); break;
      default: sneppp__gauss_rect(&r, &part); break;
   }
   sneppp__gauss_add(t, 1 - p, &part, 1);
}

/* ---- ELU ---- */

/* Quadrants of (U, V) after weighting with e^{sU + tV}: that is a factor e^L and a shift of the means by
   sA + tC and sC + tB, under which aB - bC gains sD and bA - aC gains tD. Side 0 is positive, 1 negative.
   Each quadrant has its own call of the bivariate cdf, for the factor e^L asks for relative accuracy of a
   small probability. */
typedef struct sneppp__quadrants {
   double e;               /* e^L                                           */
   double a, b, h, k, ki, kj, rho, s, ci, cj, A, B, C;
} sneppp__quadrants;

static sneppp__quadrants sneppp__quadrants_of(const sneppp__gauss *q, double s, double t)
{
   sneppp__quadrants o;
   double            ra = sqrt(q->A), rb = sqrt(q->B), rD = sqrt(q->D);
   o.a = q->a + s * q->A + t * q->C;
   o.b = q->b + s * q->C + t * q->B;
   o.e = exp(s * q->a + t * q->b + 0.5 * (s * t > 0 ? q->plus : s * q->A + t * q->B));
   o.h = o.a / ra;
   o.k = o.b / rb;
   o.ki = sneppp__ratio(q->Ni + s * q->D, rb * rD);
   o.kj = sneppp__ratio(q->Nj + t * q->D, ra * rD);
   o.rho = q->C / (ra * rb);
   o.s = rD / (ra * rb);
   o.ci = sneppp__phi(o.h) / ra;
   o.cj = sneppp__phi(o.k) / rb;
   o.A = q->A;
   o.B = q->B;
   o.C = q->C;
   return o;
}

/* e^L times the probability of the quadrant, and, if asked, times E |U| and E |V| on it. */
static double sneppp__quadrant(const sneppp__quadrants *o, int x, int y, double *U, double *V)
{
   double si = x ? -1 : 1, sj = y ? -1 : 1, psi;
   double P = sneppp__bvn(si * o->h, sj * o->k, si * sj * o->rho, o->s, sj * o->kj, si * o->ki, &psi);
   if (U || V) {
      double Pi = sneppp__Phi(si * o->ki), Pj = sneppp__Phi(sj * o->kj);
      if (U) *U = o->e * (si * o->a * P + o->A * o->ci * Pj + si * sj * o->C * o->cj * Pi);
      if (V) *V = o->e * (sj * o->b * P + o->B * o->cj * Pi + si * sj * o->C * o->ci * Pj);
   }
   return o->e * P;
}

/* What ELU needs: expectations of products of R = z_+, H = [z > 0], E = e^z [z < 0], N = [z < 0], first
   letter for U. */
typedef struct sneppp__elu {
   double RR, RH, HR, HH, RN, NR, HN, NH, NN, RE, ER, HE, EH, NE, EN, EE;
} sneppp__elu;

static void sneppp__elu_closed(const sneppp__gauss *q, sneppp__elu *o)
{
   sneppp__quadrants w = sneppp__quadrants_of(q, 0, 0);
   sneppp__gauss     ramp = *q;
   sneppp__gauss_out part;
   o->HH = sneppp__quadrant(&w, 0, 0, &o->RH, &o->HR);
   o->HN = sneppp__quadrant(&w, 0, 1, &o->RN, NULL);
   o->NH = sneppp__quadrant(&w, 1, 0, NULL, &o->NR);
   o->NN = sneppp__quadrant(&w, 1, 1, NULL, NULL);
   w = sneppp__quadrants_of(q, 1, 0);
   o->EH = sneppp__quadrant(&w, 1, 0, NULL, &o->ER);
   o->EN = sneppp__quadrant(&w, 1, 1, NULL, NULL);
   w = sneppp__quadrants_of(q, 0, 1);
   o->HE = sneppp__quadrant(&w, 0, 1, &o->RE, NULL);
   o->NE = sneppp__quadrant(&w, 1, 1, NULL, NULL);
   w = sneppp__quadrants_of(q, 1, 1);
   o->EE = sneppp__quadrant(&w, 1, 1, NULL, NULL);
   ramp.ui.act = ramp.uj.act = SNEPPP_RELU;
   ramp.ui.p = ramp.uj.p = 1;
   ramp.grad = 0;
   memset(&part, 0, sizeof part);
   sneppp__gauss_rect(&ramp, &part);
   o->RR = part.k;
}

/* The same for large weights, where e^L overflows: E[f(U) g(V)] = integral f(u) n(u; a, A) E[g(V) | u] du,
   in which the inner expectation is a first moment in closed form and everything is positive.
   Gauss-Legendre between breakpoints that resolve the normal density, e^u below 0, and the bend of the
   inner moment at the u that makes V's mean 0, of width sqrt(D/A) A/|C|. */
static void sneppp__elu_inner(const sneppp__gauss *q, double u, double f, sneppp__elu *o)
{
   double mu = (q->Nj + q->C * u) / q->A, v = q->D / q->A, z = sneppp__ratio(mu, sqrt(v));
   double H = f * sneppp__Phi(z), N = f * sneppp__Phi(-z), R = f * sneppp__rect_moment(1, mu, v),
          E = f * sneppp__exp_tail(mu, v);
   if (u > 0) {
      o->HH += H;     o->HN += N;     o->HR += R;     o->HE += E;
      o->RH += u * H; o->RN += u * N; o->RR += u * R; o->RE += u * E;
   } else {
      double e = exp(u);
      o->NH += H;     o->NN += N;     o->NR += R;     o->NE += E;
      o->EH += e * H; o->EN += e * N; o->ER += e * R; o->EE += e * E;
   }
}

static void sneppp__elu_integral(const sneppp__gauss *q, sneppp__elu *o)
{
   static const double ladder[6] = {0, 1, 3, 8, 20, 40}, bell[11] = {-9, -6, -4, -2.5, -1.2, 0, 1.2, 2.5, 4, 6, 9};
   double              at[32], sd = sqrt(q->A), slope = q->C / q->A, lo = q->a - 9 * sd, hi = q->a + 9 * sd;
   const double       *x, *w;
   int                 n = 0, i, k, order = sneppp__gauss_legendre(24, &x, &w);
   memset(o, 0, sizeof *o);
   for (i = 0; i < 11; i++) at[n++] = q->a + bell[i] * sd;
   for (i = 0; i < 6; i++) at[n++] = -ladder[i];
   if (slope != 0 && fabs(q->Nj / q->A) < (fabs(lo) + fabs(hi)) * fabs(slope)) {
      double bend = -q->Nj / q->A / slope, width = sqrt(q->D / q->A) / fabs(slope);
      for (i = 0; i < 6; i++) at[n++] = bend - ladder[i] / slope;
      for (i = 1; i < 5; i++) { at[n++] = bend - 2 * i * width; at[n++] = bend + 2 * i * width; }
   }
   for (i = 0; i < n; i++) at[i] = at[i] < lo ? lo : at[i] > hi ? hi : at[i];
   for (i = 1; i < n; i++) { /* sort by insertion */
      double v = at[i];
      for (k = i; k > 0 && at[k - 1] > v; k--) at[k] = at[k - 1];
      at[k] = v;
   }
   for (i = 1; i < n; i++) {
      double half = 0.5 * (at[i] - at[i - 1]), mid = 0.5 * (at[i] + at[i - 1]);
      if (!(half > 0)) continue;
      for (k = 0; k < order; k++) {
         double u = mid + half * x[k];
         sneppp__elu_inner(q, u, half * w[k] * sneppp__phi((u - q->a) / sd) / sd, o);
      }
   }
}

/* Both units close to 0, |z| < 1/4 for all that matters: the terms of e^z - 1 cancel, so sigma = z_+ + l
   sum_m (-1)^m (-z)_+^m/m! and the kernel is a sum of rectified powers over the four quadrants. Reflecting
   a unit changes the sign of its mean, of C, and of its own entry of aB - bC, bA - aC. */
static void sneppp__elu_small(const sneppp__gauss *g, sneppp__gauss_out *t)
{
   enum { order = 11 };
   double       ci[order + 1], cj[order + 1], hi, hj;
   int          x, y, m, n;
   sneppp__rect o;
   for (x = 0; x < 2; x++) {
      for (y = 0; y < 2; y++) {
         sneppp__gauss q = *g;
         double        si = x ? -1 : 1, sj = y ? -1 : 1;
         int           p = x ? order : 1, r = y ? order : 1;
         q.ui.act = q.uj.act = SNEPPP_RECT;
         q.a *= si;
         q.Ni *= si;
         q.b *= sj;
         q.Nj *= sj;
         q.C *= si * sj;
         ci[0] = x ? g->ui.p : 1;
         cj[0] = y ? g->uj.p : 1;
         for (m = 1; m <= p; m++) ci[m] = si * ci[m - 1] / m;
         for (n = 1; n <= r; n++) cj[n] = sj * cj[n - 1] / n;
         sneppp__rect_fill(&q, p, r, &o, &hj, &hi);
         for (m = 1; m <= p; m++) {
            for (n = 1; n <= r; n++) {
               double c = ci[m] * cj[n];
               t->k += c * o.M[m][n];
               t->a += c * si * m * o.M[m - 1][n];
               t->b += c * sj * n * o.M[m][n - 1];
               t->ij += c * si * sj * m * n * o.M[m - 1][n - 1];
               t->ii += c * (m == 1 ? o.du[n] : m * (m - 1) * o.M[m - 2][n]);
               t->jj += c * (n == 1 ? o.dv[m] : n * (n - 1) * o.M[m][n - 2]);
            }
         }
      }
   }
   t->ji = t->ij;
}

/* ELU x ELU. sigma = R + l (E - N), sigma' = H + l E, sigma'' = (1 - l) delta + l E, so value and derivatives are
   sums of quadrant integrals of tilted normals (Tsuchida et al. 2021, without bias). Three ways to the same
   numbers: powers for units that stay close to 0, the closed form, and an integral where e^L overflows. */
static void sneppp__gauss_elu(const sneppp__gauss *q, sneppp__gauss_out *t)
{
   double      li = q->ui.p, lj = q->uj.p, both = li * lj, c[1], top;
   sneppp__elu o;
   if (!(q->A > 1e-300) || !(q->B > 1e-300)) { sneppp__gauss_apart(q, t); return; }
   if ((q->a != 0 || q->b != 0) && fabs(q->a) + 8 * sqrt(q->A) < 0.25 && fabs(q->b) + 8 * sqrt(q->B) < 0.25) {
      sneppp__elu_small(q, t);
      return;
   }
   top = q->a + 0.5 * q->A;
   if (q->b + 0.5 * q->B > top) top = q->b + 0.5 * q->B;
   if (q->a + q->b + 0.5 * q->plus > top) top = q->a + q->b + 0.5 * q->plus;
   if (top < 30) sneppp__elu_closed(q, &o);
   else sneppp__elu_integral(q, &o);
   t->k = o.RR + lj * (o.RE - o.RN) + li * (o.ER - o.NR) + both * (o.EE - o.EN - o.NE + o.NN);
   if (!q->grad) return;
   t->a = o.HR + lj * (o.HE - o.HN) + li * o.ER + both * (o.EE - o.EN);
   t->b = o.RH + li * (o.EH - o.NH) + lj * o.RE + both * (o.EE - o.NE);
   t->ij = t->ji = o.HH + lj * o.HE + li * o.EH + both * o.EE;
   sneppp__elu_moments(lj, q->Nj / q->A, q->D / q->A, 0, c);
   t->ii = (1 - li) * sneppp__phi(q->a / sqrt(q->A)) / sqrt(q->A) * c[0] + li * o.ER + both * (o.EE - o.EN);
   sneppp__elu_moments(li, q->Ni / q->B, q->D / q->B, 0, c);
   t->jj = (1 - lj) * sneppp__phi(q->b / sqrt(q->B)) / sqrt(q->B) * c[0] + lj * o.RE + both * (o.EE - o.NE);
}

/* ---- radial basis functions ---- */

/* psi(x) = prod_r exp(-(x_r - c_r)^2/(2 l_r^2)). Coordinate by coordinate, with S = l_i^2 + l_j^2, tau^2 =
   l_i^2 l_j^2/S and the weighted centre c = (c_i l_j^2 + c_j l_i^2)/S,

      psi_i psi_j = exp(-(c_i - c_j)^2/(2S)) exp(-(x - c)^2/(2 tau^2)),
      E = sqrt(tau^2/(tau^2 + s^2)) exp(-(c_i - c_j)^2/(2S) - (c - m)^2/(2 (tau^2 + s^2))).

   With ONE, unit j is absent (l_j infinite); with EXP as the first unit, e^{w.x + b} moves the mean by s^2
   w. All in logarithms: a product over many coordinates underflows early. g != 0 adds g d(log k)/dtheta to
   out. */
static double sneppp__rbf_log(const sneppp__pair *p, const sneppp__pull *out, size_t comp, double g)
{
   int    r, one = p->uj.act == SNEPPP_ONE, tilt = p->ui.act == SNEPPP_EXP;
   double sum = tilt ? p->bi : 0;
   if (out && tilt) *out->bi += g;
   for (r = 0; r < p->d; r++) {
      size_t at = comp * (size_t)p->d + (size_t)r;
      double m = p->win->mean ? p->win->mean[at] : 0, s = p->win->scale ? p->win->scale[at] : 1, s2 = s * s,
             w = tilt ? p->wi[r] : 0;
      double c = tilt ? p->wj[r] : p->wi[r], l = tilt ? p->lj[r] : p->li[r], apart = 0, S = 0, ai = 1, aj = 0,
             tau2 = l * l, e, T;
      m += s2 * w;
      e = c - m;
      if (!one && !tilt) { /* ai, aj: weights of the two centres in the mean */
         double li2 = l * l, lj2 = p->lj[r] * p->lj[r];
         S = li2 + lj2;
         ai = lj2 / S;
         aj = li2 / S;
         tau2 = li2 * ai;
         apart = c - p->wj[r];
         e = (c - m) * ai + (p->wj[r] - m) * aj;
         sum -= 0.5 * apart * apart / S;
      }
      T = tau2 + s2;
      sum -= 0.5 * (log1p(s2 / tau2) + e * e / T);
      if (tilt) sum += w * (m - 0.5 * s2 * w); /* m is the shifted mean */
      if (!out) continue;
      if (out->mean) out->mean[at] += g * (e / T + w);
      if (out->scale) out->scale[at] += g * (s * (e * e / T - 1) / T + s * w * w + 2 * s * w * e / T);
      if (tilt) out->wi[r] += g * (m + s2 * e / T);
      {
         /* d(log k)/d(tau^2) = (s^2/tau^2 + e^2/T)/(2T); d(tau^2)/dl_i = 2 l_i ai^2;
            dc/dl_i = -2 (l_i/S) ai (c_i - c_j). */
         double *wc = tilt ? out->wj : out->wi, *lc = tilt ? out->lj : out->li, tt = (s2 / tau2 + e * e / T) / T;
         wc[r] += g * (-e / T * ai - (S > 0 ? apart / S : 0));
         lc[r] += g * l * (tt * ai * ai + (S > 0 ? apart / S * (apart / S + 2 * ai * e / T) : 0));
         if (S > 0) {
            out->wj[r] += g * (-e / T * aj + apart / S);
            out->lj[r] += g * p->lj[r] * (tt * aj * aj + apart / S * (apart / S - 2 * aj * e / T));
         }
      }
   }
   return sum;
}

static double sneppp__gauss_rbf_pair(const sneppp__pair *p, const sneppp__pull *out)
{
   double sum = 0, top = 0;
   size_t c, count = p->win->count ? p->win->count : 1;
   if (p->log) { /* relative to the largest component */
      for (c = 0; c < count; c++) {
         double term = sneppp__rbf_log(p, NULL, c, 0);
         if (c == 0 || term > top) top = term;
      }
   }
   for (c = 0; c < count; c++) sum += sneppp__gauss_weight(p->win, c) * exp(sneppp__rbf_log(p, NULL, c, 0) - top);
   for (c = 0; out && c < count; c++) {
      double k = exp(sneppp__rbf_log(p, NULL, c, 0) - top), g = p->log ? out->g / sum : out->g;
      sneppp__rbf_log(p, out, c, g * sneppp__gauss_weight(p->win, c) * k);
      if (out->weight) out->weight[c] += g * k;
   }
   return p->log ? top + log(sum) : sum;
}

/* ---- cos under a mixture, many at a time ----
   The two exponentials are all that a pair needs; cosines of a -+ b come from those of each unit by the addition
   theorems. With h = |w~|^2/2 of each unit and C = w~_i . w~_j they are

      e_- = exp(-|w~_i - w~_j|^2/2) = exp(-h_i) exp(-h_j) e^C,       e_+ = exp(-h_i) exp(-h_j) / e^C,

   so that one exponential serves both. But its error is that of C, and h_i and C may be large while their difference
   is small: beyond h_i + h_j = 8, where 1e-15 would be lost, the differences and sums are squared instead. Weights
   are stored one coordinate after the other, so that the loops over j are over neighbours. */
typedef struct sneppp__cos_cache {
   double w[SNEPPP_MAX_DIM][SNEPPP__TILE];              /* w~, transposed                     */
   double e[SNEPPP__TILE], h[SNEPPP__TILE], top;        /* exp(-h), h, and the largest h      */
   double ca[SNEPPP__TILE], sa[SNEPPP__TILE];           /* cos and sin of a                   */
   double v[SNEPPP_MAX_DIM][SNEPPP__TILE], ga[SNEPPP__TILE]; /* pull-back: dL/dw~ and dL/da   */
} sneppp__cos_cache;

static void sneppp__cos_prepare(const sneppp__tile *t, size_t c, int n, const double *w, const double *b,
                                sneppp__cos_cache *o)
{
   const double *m = t->win->mean ? t->win->mean + c * (size_t)t->d : NULL;
   const double *s = t->win->scale ? t->win->scale + c * (size_t)t->d : NULL;
   double        a[SNEPPP__TILE];
   int           i, r;
   for (i = 0; i < SNEPPP__TILE; i++) { a[i] = b && i < n ? b[i] : 0; o->h[i] = o->ga[i] = 0; }
   for (r = 0; r < t->d; r++)
      for (i = 0; i < SNEPPP__TILE; i++) { /* idle places of whole vectors are zero */
         double x = i < n ? w[i * t->d + r] : 0;
         if (m) a[i] += x * m[r];
         if (s) x *= s[r];
         o->w[r][i] = x;
         o->h[i] -= 0.5 * x * x; /* -h, for now */
         o->v[r][i] = 0;
      }
   sneppp__long_sincos(SNEPPP__TILE, a, o->sa, o->ca);
   sneppp__long_exp(SNEPPP__TILE, o->h, o->e);
   o->top = 0;
   for (i = 0; i < SNEPPP__TILE; i++) { o->h[i] = -o->h[i]; if (o->h[i] > o->top) o->top = o->h[i]; }
}

#ifdef SNEPPP__VECTOR
/* sneppp__cos_row, four units j at a time, from the vector that holds j0. */
SNEPPP__TARGET_AVX2 static double sneppp__cos_row_vectors(const sneppp__tile *t, sneppp__cos_cache *a,
                                                          sneppp__cos_cache *b, int i, int j0, double weight)
{
   __m256d ci = _mm256_set1_pd(0.5 * a->ca[i]), si = _mm256_set1_pd(0.5 * a->sa[i]), w = _mm256_set1_pd(weight);
   __m256d ei = _mm256_set1_pd(a->e[i]), ga = _mm256_setzero_pd(), sum = ga, half = _mm256_set1_pd(-0.5);
   double  x[SNEPPP__TILE], y[SNEPPP__TILE];
   int     d = t->d, near_ = a->h[i] + b->top <= 8, j, r;
   j0 &= ~3;
   for (j = j0; j < t->nj; j += 4) {
      __m256d m = _mm256_setzero_pd(), p = m, cm, cp, g, cj = _mm256_loadu_pd(b->ca + j),
              sj = _mm256_loadu_pd(b->sa + j);
      __m256d cc = _mm256_mul_pd(ci, cj), ss = _mm256_mul_pd(si, sj), sc = _mm256_mul_pd(si, cj),
              cs = _mm256_mul_pd(ci, sj);
      if (near_) {
         __m256d e = _mm256_mul_pd(ei, _mm256_loadu_pd(b->e + j));
         for (r = 0; r < d; r++) m = _mm256_fmadd_pd(_mm256_set1_pd(a->w[r][i]), _mm256_loadu_pd(b->w[r] + j), m);
         m = sneppp__exp_f64x4(m);
         p = _mm256_div_pd(e, m);
         m = _mm256_mul_pd(e, m);
      } else {
         for (r = 0; r < d; r++) {
            __m256d u = _mm256_set1_pd(a->w[r][i]), v = _mm256_loadu_pd(b->w[r] + j), lo = _mm256_sub_pd(u, v),
                    up = _mm256_add_pd(u, v);
            m = _mm256_fmadd_pd(lo, lo, m);
            p = _mm256_fmadd_pd(up, up, p);
         }
         m = sneppp__exp_f64x4(_mm256_mul_pd(half, m));
         p = sneppp__exp_f64x4(_mm256_mul_pd(half, p));
      }
      cm = _mm256_mul_pd(m, _mm256_add_pd(cc, ss));
      cp = _mm256_mul_pd(p, _mm256_sub_pd(cc, ss));
      if (t->k) {
         double *k = t->k + i * SNEPPP__TILE + j;
         _mm256_storeu_pd(k, _mm256_fmadd_pd(w, _mm256_add_pd(cm, cp), _mm256_loadu_pd(k)));
      }
      if (!t->g) continue;
      g = _mm256_loadu_pd(t->g + i * SNEPPP__TILE + j);
      sum = _mm256_fmadd_pd(g, _mm256_add_pd(cm, cp), sum);
      g = _mm256_mul_pd(g, w);
      _mm256_storeu_pd(x + j, _mm256_mul_pd(g, cm));
      _mm256_storeu_pd(y + j, _mm256_mul_pd(g, cp));
      m = _mm256_mul_pd(_mm256_mul_pd(g, m), _mm256_sub_pd(sc, cs));
      p = _mm256_mul_pd(_mm256_mul_pd(g, p), _mm256_add_pd(sc, cs));
      ga = _mm256_add_pd(ga, _mm256_add_pd(m, p));
      _mm256_storeu_pd(b->ga + j, _mm256_add_pd(_mm256_loadu_pd(b->ga + j), _mm256_sub_pd(m, p)));
   }
   if (!t->g) return 0;
   a->ga[i] -= sneppp__sum_avx2(ga);
   for (r = 0; r < d; r++) {
      __m256d u = _mm256_set1_pd(a->w[r][i]), acc = _mm256_setzero_pd();
      for (j = j0; j < t->nj; j += 4) {
         __m256d v = _mm256_loadu_pd(b->w[r] + j);
         __m256d dm = _mm256_mul_pd(_mm256_loadu_pd(x + j), _mm256_sub_pd(u, v)),
                 dp = _mm256_mul_pd(_mm256_loadu_pd(y + j), _mm256_add_pd(u, v));
         acc = _mm256_add_pd(acc, _mm256_add_pd(dp, dm));
         _mm256_storeu_pd(b->v[r] + j, _mm256_add_pd(_mm256_loadu_pd(b->v[r] + j), _mm256_sub_pd(dm, dp)));
      }
      a->v[r][i] -= sneppp__sum_avx2(acc);
   }
   return sneppp__sum_avx2(sum);
}
#endif

/* Unit i of a tile with the units j >= j0 of b, one component of the mixture: values and pull-back, as they are
   wanted. Returns sum_j g k, without the weight of the component. */
static double sneppp__cos_row(const sneppp__tile *t, sneppp__cos_cache *a, sneppp__cos_cache *b, int i, int j0,
                              double weight)
{
   double lo[SNEPPP__TILE], up[SNEPPP__TILE], sum = 0;
   int    j, r;
#ifdef SNEPPP__VECTOR
   if (sneppp__has_vectors()) return sneppp__cos_row_vectors(t, a, b, i, j0, weight);
#endif
   for (j = 0; j < SNEPPP__TILE; j++) lo[j] = up[j] = 0;
   for (r = 0; r < t->d; r++)
      for (j = 0; j < SNEPPP__TILE; j++) {
         double m = a->w[r][i] - b->w[r][j], p = a->w[r][i] + b->w[r][j];
         lo[j] -= 0.5 * m * m;
         up[j] -= 0.5 * p * p;
      }
   sneppp__long_exp(SNEPPP__TILE, lo, lo);
   sneppp__long_exp(SNEPPP__TILE, up, up);
   for (j = j0; j < t->nj; j++) {
      double cc = a->ca[i] * b->ca[j], ss = a->sa[i] * b->sa[j], sc = a->sa[i] * b->ca[j], cs = a->ca[i] * b->sa[j];
      double m = 0.5 * lo[j], p = 0.5 * up[j], cm = m * (cc + ss), cp = p * (cc - ss), g;
      if (t->k) t->k[i * SNEPPP__TILE + j] += weight * (cm + cp);
      if (!t->g) continue;
      g = t->g[i * SNEPPP__TILE + j];
      sum += g * (cm + cp);
      g *= weight;
      m *= g * (sc - cs);
      p *= g * (sc + cs);
      a->ga[i] -= m + p;
      b->ga[j] += m - p;
      for (r = 0; r < t->d; r++) {
         double dm = g * cm * (a->w[r][i] - b->w[r][j]), dp = g * cp * (a->w[r][i] + b->w[r][j]);
         a->v[r][i] -= dp + dm;
         b->v[r][j] += dm - dp;
      }
   }
   return sum;
}

/* From dL/dw~ and dL/da of n units to the parameters. */
static void sneppp__cos_chain(const sneppp__tile *t, size_t c, int n, const double *w,
                              const sneppp__cos_cache *o, double *gw, double *gb)
{
   const double *m = t->win->mean ? t->win->mean + c * (size_t)t->d : NULL;
   const double *s = t->win->scale ? t->win->scale + c * (size_t)t->d : NULL;
   int           i, r;
   for (i = 0; i < n; i++) gb[i] += o->ga[i];
   for (r = 0; r < t->d; r++) {
      size_t at = c * (size_t)t->d + (size_t)r;
      double mr = m ? m[r] : 0, sr = s ? s[r] : 1, mean = 0, scale = 0;
      for (i = 0; i < n; i++) {
         double x = w[i * t->d + r];
         gw[i * t->d + r] += o->ga[i] * mr + sr * o->v[r][i];
         mean += o->ga[i] * x;
         scale += o->v[r][i] * x;
      }
      if (t->gmean) t->gmean[at] += mean;
      if (t->gscale) t->gscale[at] += scale;
   }
}

static void sneppp__gauss_cos_tile(const sneppp__tile *t)
{
   sneppp__cos_cache cache[2], *a = cache, *b = cache + !t->diagonal;
   size_t            c, count = t->win->count ? t->win->count : 1;
   int               i;
   for (i = 0; t->k && i < SNEPPP__TILE * t->ni; i++) t->k[i] = 0;
   for (c = 0; c < count; c++) {
      double weight = sneppp__gauss_weight(t->win, c), sum = 0;
      sneppp__cos_prepare(t, c, t->ni, t->wi, t->bi, a);
      if (!t->diagonal) sneppp__cos_prepare(t, c, t->nj, t->wj, t->bj, b);
      for (i = 0; i < t->ni; i++) sum += sneppp__cos_row(t, a, b, i, t->diagonal ? i : 0, weight);
      if (!t->g) continue;
      sneppp__cos_chain(t, c, t->ni, t->wi, a, t->gwi, t->gbi);
      if (!t->diagonal) sneppp__cos_chain(t, c, t->nj, t->wj, b, t->gwj, t->gbj);
      if (t->gweight) t->gweight[c] += sum;
   }
}

/* ---- >>kernel-shape: rectified units on spheres, intervals and polygons; monomials ------------------------- */

/* ---- piecewise monomials. Step, ReLU, rectified monomials, leaky ReLU, monomials and the constant are all of the
   form c+ z^p for z > 0 and c- (-z)^p for z < 0. So a pair of them is a sum of at most four integrals of u^p v^q,
   with u and v affine in x, over the part of the window where the chosen signs hold; on each of these parts
   nothing changes sign, and sums of positive terms do not cancel. */
typedef struct sneppp__pieces {
   int    p;       /* degree                                                                       */
   int    count;   /* 1 or 2 pieces                                                                */
   double coef[2]; /* factor of each piece                                                         */
   double sign[2]; /* the piece is (sign z)^p where sign z > 0; 0: z^p everywhere, nothing is cut  */
} sneppp__pieces;

static sneppp__pieces sneppp__pieces_of(sneppp_unit unit)
{
   sneppp__pieces q;
   q.p = 1;
   q.count = 1;
   q.coef[0] = q.sign[0] = 1;
   q.coef[1] = 0;
   q.sign[1] = -1;
   switch (unit.act) {
      case SNEPPP_ONE: q.p = 0; q.sign[0] = 0; break;
      case SNEPPP_STEP: q.p = 0; break;
      case SNEPPP_RECT: q.p = (int)unit.p; break;
      case SNEPPP_MONOMIAL: q.p = (int)unit.p; q.sign[0] = 0; break;
      case SNEPPP_LEAKY: q.count = 2; q.coef[1] = -unit.p; break;
      default: break; /* ReLU */
   }
   return q;
}

/* An affine function with its exponent, as one piece sees it: u = (b + w . x) with the sign of the piece. */
typedef struct sneppp__affine {
   double w[2], b;
   int    p, cut; /* integrand (w . x + b)^p; cut: only where w . x + b > 0 */
} sneppp__affine;

static const double sneppp__zeros[SNEPPP__MAX_STATS] = { 0 };

/* Weights of a unit, or those of the constant unit, which has none. */
SNEPPP__INLINE const double *sneppp__weights_of(sneppp_unit u, const double *w)
{
   return u.act == SNEPPP_ONE ? sneppp__zeros : w;
}
SNEPPP__INLINE double        sneppp__bias_of(sneppp_unit u, double b) { return u.act == SNEPPP_ONE ? 1 : b; }

static sneppp__affine sneppp__affine_of(const sneppp__pieces *q, int piece, int d, const double *w, double b)
{
   sneppp__affine f;
   double         s = q->sign[piece] < 0 ? -1 : 1;
   f.w[0] = s * w[0];
   f.w[1] = d > 1 ? s * w[1] : 0;
   f.b = s * b;
   f.p = q->p;
   f.cut = q->sign[piece] != 0;
   return f;
}

/* Derivatives of one piece of the integral with respect to (wx, wy, b) of both functions. */
typedef struct sneppp__affine_grad { double i[3], j[3]; } sneppp__affine_grad;

/* The means of u^p v^q and, if x is given, of x u^p v^q and y u^p v^q over a simplex with m corners (a segment or
   a triangle), from the values at the corners:

      mean u^p v^q = p! q! (m-1)! / (p+q+m-1)! * [s^p t^q] prod_k 1/(1 - s u_k - t v_k),

   whose coefficients H follow corner by corner from H(a, b) += u_k H(a-1, b) + v_k H(a, b-1). With u, v >= 0 every
   term is positive: relative accuracy for every degree. A factor x is a third form of degree one. */
static void sneppp__simplex_mean(int m, const double *u, const double *v, const double *x, const double *y,
                                 int p, int q, double *mean)
{
   double H[3][(SNEPPP__MAX_ORDER + 1) * (SNEPPP__MAX_ORDER + 1)], f = 1;
   int    n = q + 1, size = (p + 1) * n, forms = x ? 3 : 1;
   if (p < 0 || q < 0) { mean[0] = mean[1] = mean[2] = 0; return; }
   for (int a = 0; a < size; a++) H[0][a] = H[1][a] = H[2][a] = 0;
   H[0][0] = 1;
   for (int k = 0; k < m; k++)
      for (int a = 0; a <= p; a++)
         for (int b = 0; b <= q; b++)
            for (int r = 0; r < forms; r++) {
               double *h = H[r] + a * n + b;
               if (a) h[0] += u[k] * h[-n];
               if (b) h[0] += v[k] * h[-1];
               if (r) h[0] += (r == 1 ? x[k] : y[k]) * H[0][a * n + b];
            }
   for (int a = 1; a <= p; a++) f *= (double)a / (double)(a + q); /* p! q!/(p+q)! */
   for (int a = 1; a < m; a++) f *= (double)a / (double)(a + p + q);
   mean[0] = f * H[0][size - 1];
   f /= (double)(p + q + m); /* one degree more */
   mean[1] = f * H[1][size - 1];
   mean[2] = f * H[2][size - 1];
}

/* ---- intervals. The kinks -b/w cut [from, to] down to [lo, hi], on which the integrand is a polynomial:

      k = (hi - lo) mean of u^p v^q,  ReLU: (hi - lo)/6 (2 u_l v_l + u_l v_h + u_h v_l + 2 u_h v_h),

   with u exactly 0 at its own kink. All terms are >= 0, unlike the antiderivative, a cubic that cancels on
   intervals far from 0. dk/db_i = p times the integral of u^(p-1) v^q, dk/dw_i the same with a factor x. For
   p = 0 only a moving end counts: f(end)/|w_i|, and nothing when the end is the interval's own. */
static double sneppp__segment(double from, double to, const sneppp__affine *fi, const sneppp__affine *fj,
                              sneppp__affine_grad *grad)
{
   const sneppp__affine *f[2];
   double lo = from, hi = to, u[2][2], mean[3], len, end[2];
   int    own[2]; /* 0 and 1: the unit whose kink is the lower and the upper end, -1 none */
   own[0] = own[1] = -1;
   f[0] = fi;
   f[1] = fj;
   for (int s = 0; s < 2; s++) {
      double w = f[s]->w[0], b = f[s]->b;
      if (!f[s]->cut) continue;
      if (w > 0) {
         if (-b >= w * to) return 0; /* also keeps the quotient within range for tiny w */
         if (-b > w * lo) { lo = -b / w; own[0] = s; }
      } else if (w < 0) {
         if (b <= -w * from) return 0;
         if (b < -w * hi) { hi = -b / w; own[1] = s; }
      } else if (b <= 0) return 0;
   }
   len = hi - lo;
   if (!(len > 0)) return 0;
   end[0] = lo;
   end[1] = hi;
   for (int s = 0; s < 2; s++) {
      double w = f[s]->w[0], b = f[s]->b;
      u[s][0] = own[0] == s ? 0 : own[1] == s ? -w * len : b + w * lo;
      u[s][1] = own[1] == s ? 0 : own[0] == s ? w * len : b + w * hi;
      if (f[s]->cut) { u[s][0] = fmax(u[s][0], 0); u[s][1] = fmax(u[s][1], 0); }
   }
   if (grad)
      for (int s = 0; s < 2; s++) {
         double *to_grad = s ? grad->j : grad->i;
         int     other = 1 - s, p = f[s]->p;
         if (p > 0) {
            sneppp__simplex_mean(2, u[s], u[other], end, end, p - 1, f[other]->p, mean);
            to_grad[0] += p * len * mean[1];
            to_grad[2] += p * len * mean[0];
         } else if (f[s]->cut && (own[0] == s || own[1] == s)) {
            int    e = own[1] == s;
            double m = 1 / fabs(f[s]->w[0]);
            for (int a = 0; a < f[other]->p; a++) m *= u[other][e];
            to_grad[0] += m * end[e];
            to_grad[2] += m;
         }
      }
   if (fi->p == 1 && fj->p == 1)
      return len / 6 * (2 * u[0][0] * u[1][0] + u[0][0] * u[1][1] + u[0][1] * u[1][0] + 2 * u[0][1] * u[1][1]);
   sneppp__simplex_mean(2, u[0], u[1], NULL, NULL, fi->p, fj->p, mean);
   return len * mean[0];
}

/* Adds the derivatives of one pattern of signs to the caller's arrays: the constant unit has none. */
static void sneppp__pull_affine(const sneppp__pair *p, const sneppp__pull *out, int d, double g, double si,
                                double sj, const sneppp__affine_grad *t)
{
   if (p->ui.act != SNEPPP_ONE) {
      for (int r = 0; r < d; r++) out->wi[r] += g * si * t->i[r];
      out->bi[0] += g * si * t->i[2];
   }
   if (p->uj.act != SNEPPP_ONE) {
      for (int r = 0; r < d; r++) out->wj[r] += g * sj * t->j[r];
      out->bj[0] += g * sj * t->j[2];
   }
}

/* The sum over patterns of signs, for one interval at a time (ends, count) or one polygon. */
typedef double (*sneppp__affine_fn)(const sneppp_window *win, const sneppp__affine *fi,
                                    const sneppp__affine *fj, sneppp__affine_grad *grad);

static double sneppp__piecewise(const sneppp__pair *p, const sneppp__pull *out, int d, sneppp__affine_fn integral)
{
   sneppp__pieces qi = sneppp__pieces_of(p->ui), qj = sneppp__pieces_of(p->uj);
   const double  *wi = sneppp__weights_of(p->ui, p->wi), *wj = sneppp__weights_of(p->uj, p->wj);
   double         bi = sneppp__bias_of(p->ui, p->bi), bj = sneppp__bias_of(p->uj, p->bj), k = 0;
   for (int s = 0; s < qi.count; s++)
      for (int t = 0; t < qj.count; t++) {
         sneppp__affine      fi = sneppp__affine_of(&qi, s, d, wi, bi), fj = sneppp__affine_of(&qj, t, d, wj, bj);
         sneppp__affine_grad grad = { { 0, 0, 0 }, { 0, 0, 0 } };
         double              c = qi.coef[s] * qj.coef[t];
         k += c * integral(p->win, &fi, &fj, out ? &grad : NULL);
         if (out) sneppp__pull_affine(p, out, d, out->g * c, qi.sign[s] < 0 ? -1 : 1, qj.sign[t] < 0 ? -1 : 1, &grad);
      }
   return k;
}

static double sneppp__intervals_affine(const sneppp_window *win, const sneppp__affine *fi,
                                       const sneppp__affine *fj, sneppp__affine_grad *grad)
{
   double k = 0;
   if (win->space == SNEPPP_BOX) return sneppp__segment(win->lo[0], win->hi[0], fi, fj, grad);
   for (size_t c = 0; c < win->count; c++) k += sneppp__segment(win->ends[2 * c], win->ends[2 * c + 1], fi, fj, grad);
   return k;
}

/* i_rect, i_relu, i_step, i_leaky, i_mono and their first moments: unions of intervals, and boxes with d = 1. */
static double sneppp__i_poly(const sneppp__pair *p, const sneppp__pull *out)
{
   return sneppp__piecewise(p, out, 1, sneppp__intervals_affine);
}

/* ---- polygons. Each ring is cut by the half planes u > 0 and v > 0 while its vertices stream past: a cutter looks
   at an edge, passes on the end that is inside and the point where the edge crosses the line, where its own u is
   exactly 0. What leaves the second cutter is fanned into triangles from the first vertex that left; with signed
   areas T this is right for any simple ring, and edges that run back and forth along a cutting line cancel:

      step: sum T,   ReLU: sum T/12 ((sum u)(sum v) + sum u_k v_k),   u^p v^q: sneppp__simplex_mean.

   Nothing is stored per vertex, so a ring may be as long as it likes. Coordinates are those of differences from
   one vertex (x0, y0), so a small polygon far away keeps its digits. For p = 0 the derivative is the integral of
   v^q along the cut u = 0, divided by |w|: those edges are the ones with u = 0 at both ends. */
typedef struct sneppp__corner { double x, y, u, v; } sneppp__corner;

typedef struct sneppp__clip {
   const sneppp__affine *fi, *fj;
   double                sign;       /* of the ring                                          */
   double                x0, y0;     /* the reference vertex                                 */
   sneppp__affine_grad  *grad;       /* or NULL                                              */
   double                sum;        /* the integral so far                                  */
   int                   cut_count[2], fan_count;
   sneppp__corner        cut_first[2], cut_last[2], fan_first, fan_last;
} sneppp__clip;

static void sneppp__fan_gradient(sneppp__clip *c, double T, const double *u, const double *v, const double *x,
                                 const double *y)
{
   double mean[3];
   if (c->fi->p > 0) {
      sneppp__simplex_mean(3, u, v, x, y, c->fi->p - 1, c->fj->p, mean);
      T *= c->fi->p;
      c->grad->i[0] += T * (mean[1] + c->x0 * mean[0]);
      c->grad->i[1] += T * (mean[2] + c->y0 * mean[0]);
      c->grad->i[2] += T * mean[0];
      T /= c->fi->p;
   }
   if (c->fj->p > 0) {
      sneppp__simplex_mean(3, u, v, x, y, c->fi->p, c->fj->p - 1, mean);
      T *= c->fj->p;
      c->grad->j[0] += T * (mean[1] + c->x0 * mean[0]);
      c->grad->j[1] += T * (mean[2] + c->y0 * mean[0]);
      c->grad->j[2] += T * mean[0];
   }
}

static void sneppp__fan_triangle(sneppp__clip *c, const sneppp__corner *a, const sneppp__corner *b,
                                 const sneppp__corner *e)
{
   double T = 0.5 * c->sign * ((b->x - a->x) * (e->y - a->y) - (b->y - a->y) * (e->x - a->x));
   int    p = c->fi->p, q = c->fj->p;
   double u[3], v[3], x[3], y[3], mean[3];
   u[0] = a->u; u[1] = b->u; u[2] = e->u;
   v[0] = a->v; v[1] = b->v; v[2] = e->v;
   if (p == 1 && q == 1) {
      mean[0] = ((u[0] + u[1] + u[2]) * (v[0] + v[1] + v[2]) + u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) / 12;
   } else if (p + q == 0) {
      mean[0] = 1;
   } else {
      sneppp__simplex_mean(3, u, v, NULL, NULL, p, q, mean);
   }
   c->sum += T * mean[0];
   if (!c->grad) return;
   x[0] = a->x; x[1] = b->x; x[2] = e->x;
   y[0] = a->y; y[1] = b->y; y[2] = e->y;
   sneppp__fan_gradient(c, T, u, v, x, y);
}

/* The moving boundary of a step. An edge of the clipped ring along the line w . x + b = 0 has the inside to its
   left when it runs along (w_y, -w_x); its signed length in that direction makes repeated stretches cancel. */
static void sneppp__fan_edge(sneppp__clip *c, const sneppp__corner *a, const sneppp__corner *b)
{
   for (int s = 0; s < 2; s++) {
      const sneppp__affine *f = s ? c->fj : c->fi, *other = s ? c->fi : c->fj;
      double *to = s ? c->grad->j : c->grad->i, own_a = s ? a->v : a->u, own_b = s ? b->v : b->u, A, len,
             mean[3], z[2], o[2], x[2], y[2];
      if (f->p != 0 || !f->cut || own_a != 0 || own_b != 0) continue;
      A = f->w[0] * f->w[0] + f->w[1] * f->w[1];
      if (!(A > 0)) continue;
      len = c->sign * ((b->x - a->x) * f->w[1] - (b->y - a->y) * f->w[0]) / A; /* length/|w| */
      z[0] = z[1] = 0;
      o[0] = s ? a->u : a->v;
      o[1] = s ? b->u : b->v;
      x[0] = a->x; x[1] = b->x;
      y[0] = a->y; y[1] = b->y;
      sneppp__simplex_mean(2, z, o, x, y, 0, other->p, mean);
      to[0] += len * (mean[1] + c->x0 * mean[0]);
      to[1] += len * (mean[2] + c->y0 * mean[0]);
      to[2] += len * mean[0];
   }
}

static void sneppp__fan_push(sneppp__clip *c, const sneppp__corner *at)
{
   if (c->fan_count == 0) {
      c->fan_first = *at;
   } else {
      if (c->fan_count >= 2) sneppp__fan_triangle(c, &c->fan_first, &c->fan_last, at);
      if (c->grad && (c->fi->p == 0 || c->fj->p == 0)) sneppp__fan_edge(c, &c->fan_last, at);
   }
   c->fan_last = *at;
   c->fan_count++;
}

/* Where the edge from a (inside) to b (outside) meets the line; the parameter starts at the nearer end. */
static sneppp__corner sneppp__cut_point(const sneppp__corner *a, const sneppp__corner *b, int stage)
{
   double         za = stage ? a->v : a->u, zb = stage ? b->v : b->u, t;
   sneppp__corner c;
   if (za > -zb) { /* b is nearer */
      const sneppp__corner *swap = a;
      double                z = za;
      a = b; b = swap;
      za = zb; zb = z;
   }
   t = za / (za - zb);
   c.x = a->x + t * (b->x - a->x);
   c.y = a->y + t * (b->y - a->y);
   c.u = a->u + t * (b->u - a->u);
   c.v = a->v + t * (b->v - a->v);
   if (stage) c.v = 0;
   else c.u = 0;
   return c;
}

/* The edge from the last corner to this one goes through cutter `stage` (0: u > 0, 1: v > 0), and what is left of
   it on to the next; stage 2 is the fan. closing: `at` is the ring's first corner, which has been passed on. */
static void sneppp__cut_pushes(sneppp__clip *c, int stage, const sneppp__corner *at, int closing,
                               sneppp__corner *pass, int *passed)
{
   double z = stage ? at->v : at->u, zl;
   *passed = 0;
   if (!(stage ? c->fj : c->fi)->cut) {
      if (!closing) pass[(*passed)++] = *at;
      return;
   }
   if (c->cut_count[stage]) {
      zl = stage ? c->cut_last[stage].v : c->cut_last[stage].u;
      if (zl > 0 && !(z > 0)) pass[(*passed)++] = sneppp__cut_point(&c->cut_last[stage], at, stage);
      if (!(zl > 0) && z > 0) pass[(*passed)++] = sneppp__cut_point(at, &c->cut_last[stage], stage);
   } else {
      c->cut_first[stage] = *at;
   }
   c->cut_count[stage]++;
   c->cut_last[stage] = *at;
   if (z > 0 && !closing) pass[(*passed)++] = *at;
}

static void sneppp__cut_second(sneppp__clip *c, const sneppp__corner *at, int closing)
{
   sneppp__corner pass[2];
   int            n;
   sneppp__cut_pushes(c, 1, at, closing, pass, &n);
   for (int k = 0; k < n; k++) sneppp__fan_push(c, pass + k);
}

static void sneppp__cut_first(sneppp__clip *c, const sneppp__corner *at, int closing)
{
   sneppp__corner pass[2];
   int            n;
   sneppp__cut_pushes(c, 0, at, closing, pass, &n);
   for (int k = 0; k < n; k++) sneppp__cut_second(c, pass + k, 0);
}

static void sneppp__clip_ring(sneppp__clip *c, const double *xy, size_t n, double sign)
{
   const sneppp__affine *fi = c->fi, *fj = c->fj;
   double ai = fi->b + (fi->w[0] * c->x0 + fi->w[1] * c->y0), aj = fj->b + (fj->w[0] * c->x0 + fj->w[1] * c->y0);
   c->sign = sign;
   c->cut_count[0] = c->cut_count[1] = c->fan_count = 0;
   for (size_t k = 0; k < n; k++) {
      sneppp__corner at;
      at.x = xy[2 * k] - c->x0;
      at.y = xy[2 * k + 1] - c->y0;
      at.u = ai + (fi->w[0] * at.x + fi->w[1] * at.y);
      at.v = aj + (fj->w[0] * at.x + fj->w[1] * at.y);
      sneppp__cut_first(c, &at, 0);
   }
   if (c->cut_count[0]) sneppp__cut_first(c, &c->cut_first[0], 1);
   if (c->cut_count[1]) sneppp__cut_second(c, &c->cut_first[1], 1);
   if (c->fan_count && c->grad && (fi->p == 0 || fj->p == 0)) sneppp__fan_edge(c, &c->fan_last, &c->fan_first);
}

static double sneppp__polygon_affine(const sneppp_window *win, const sneppp__affine *fi,
                                     const sneppp__affine *fj, sneppp__affine_grad *grad)
{
   sneppp__clip c;
   memset(&c, 0, sizeof c);
   c.fi = fi;
   c.fj = fj;
   c.grad = grad;
   c.sum = 0;
   if (win->space == SNEPPP_BOX) {
      double xy[8];
      xy[0] = xy[6] = c.x0 = win->lo[0];
      xy[1] = xy[3] = c.y0 = win->lo[1];
      xy[2] = xy[4] = win->hi[0];
      xy[5] = xy[7] = win->hi[1];
      sneppp__clip_ring(&c, xy, 4, 1);
      return c.sum;
   }
   c.x0 = win->xy[0];
   c.y0 = win->xy[1];
   for (size_t r = 0, at = 0; r < sneppp__ring_count(win); at += sneppp__ring_size(win, r), r++)
      sneppp__clip_ring(&c, win->xy + 2 * at, sneppp__ring_size(win, r), sneppp__ring_sign(win, r));
   return c.sum;
}

/* p_rect, p_relu, p_step, p_leaky, p_mono and their first moments: polygons, and boxes with d = 2. */
static double sneppp__p_poly(const sneppp__pair *p, const sneppp__pull *out)
{
   return sneppp__piecewise(p, out, 2, sneppp__polygon_affine);
}

/* The same on boxes of one and two dimensions. For d >= 3 the pair is an integral over a polytope cut by two
   planes, for which the library has no stable form. */
static double sneppp__b_poly(const sneppp__pair *p, const sneppp__pull *out)
{
   return p->d == 1 ? sneppp__i_poly(p, out) : sneppp__p_poly(p, out);
}

SNEPPP__INLINE double sneppp__ipow(double x, int n)
{
   double y = 1;
   for (; n > 0; n--) y *= x;
   return y;
}

/* ---- the unit sphere. Kernels are formed for the uniform probability and multiplied by the mass of the window,
   1 or the area 2 pi^(d/2)/Gamma(d/2), which obeys area(d+2) = area(d) 2 pi/d. */
static double sneppp__sphere_mass(const sneppp_window *win, int d)
{
   double area = d % 2 ? 2 : 2 * SNEPPP__PI;
   if (win->measure == SNEPPP_PROBABILITY) return 1;
   for (int e = d % 2 ? 1 : 2; e < d; e += 2) area *= 2 * SNEPPP__PI / e;
   return area;
}

/* Two directions. With unit vectors u and v: plus = |u + v|, minus = |u - v|, the angle gamma = 2 atan2(minus, plus)
   and its complement delta = pi - gamma = 2 atan2(plus, minus). Both keep their relative accuracy when the vectors
   are nearly parallel or nearly opposite, where acos(u . v) keeps half of the digits or none. */
typedef struct sneppp__angle {
   double ni, nj;                              /* norms of the weights                   */
   double u[SNEPPP__MAX_STATS], v[SNEPPP__MAX_STATS]; /* directions; a zero vector takes the other's */
   double plus, minus;                         /* |u + v|, |u - v|                       */
   double near, far;                           /* 1 - cos gamma, 1 + cos gamma           */
   double cosine, sine;                        /* of gamma                               */
} sneppp__angle;

/* The norm, scaled by the largest entry so that squares neither overflow nor vanish, and the direction. */
static double sneppp__direction(int d, const double *w, double *u)
{
   double big = 0, s = 0;
   for (int r = 0; r < d; r++) big = fmax(big, fabs(w[r]));
   if (!(big > 0)) {
      for (int r = 0; r < d; r++) u[r] = 0;
      return 0;
   }
   if (big > 1e-140 && big < 1e140) {
      for (int r = 0; r < d; r++) s += w[r] * w[r];
      s = sqrt(s);
      for (int r = 0; r < d; r++) u[r] = w[r] / s;
      return s;
   }
   for (int r = 0; r < d; r++) { u[r] = w[r] / big; s += u[r] * u[r]; }
   s = sqrt(s);
   for (int r = 0; r < d; r++) u[r] /= s;
   return s * big;
}

static void sneppp__angle_of(sneppp__angle *a, int d, const double *wi, const double *wj)
{
   double pp = 0, mm = 0;
   a->ni = sneppp__direction(d, wi, a->u);
   a->nj = sneppp__direction(d, wj, a->v);
   if (!(a->ni > 0)) memcpy(a->u, a->v, (size_t)d * sizeof a->u[0]);
   if (!(a->nj > 0)) memcpy(a->v, a->u, (size_t)d * sizeof a->v[0]);
   for (int r = 0; r < d; r++) {
      double s = a->u[r] + a->v[r], t = a->u[r] - a->v[r];
      pp += s * s;
      mm += t * t;
   }
   a->plus = sqrt(pp);
   a->minus = sqrt(mm);
   a->near = mm / 2;
   a->far = pp / 2;
   a->cosine = (pp - mm) / 4;
   a->sine = a->plus * a->minus / 2;
}

/* The unit tangent at u towards v, e = (v - cos(gamma) u)/sin(gamma), from the difference or the sum of the two,
   whichever is small; zero when there is no such direction. */
static void sneppp__tangent(const sneppp__angle *a, int d, const double *u, const double *v, double *e)
{
   double s = a->cosine > 0 ? 1 : -1, h = a->cosine > 0 ? a->near : -a->far;
   for (int r = 0; r < d; r++) e[r] = a->sine > 0 ? ((v[r] - s * u[r]) + h * u[r]) / a->sine : 0;
}

/* I = integral from 0 to delta of sin^p t sin^q(delta - t) dt, where delta = pi - gamma, for p >= q.

   (p+q) I_pq = (p-1) I_{p-2,q} + q cos(gamma) I_{p-1,q-1} (q = 0: the last term is cos(gamma) sin^(p-1)(gamma)) is a
   sum of positive terms for gamma < pi/2. Beyond, it cancels like delta^2 per step. There t = delta/2 + y and sin y
   = S z with S = sin(delta/2), C = cos(delta/2) give

      I = S^(p+q+1) sum_{j even} binom(m, j) C^j integral_{-1}^{1} (1-z^2)^q z^j (1 - S^2 z^2)^((m-j-1)/2) dz,   m = p - q,

   and the last power is expanded: terms B(j/2 + k + 1/2, q + 1) of the order of (S^2)^k, S^2 <= 1/2. */
static double sneppp__sines_series(int p, int q, double S, double C)
{
   int    m = p - q;
   double beta = 2, y = S * S, sum = 0, choose = 1, power = 1;
   for (int r = 1; r <= q; r++) beta *= r / (r + 0.5); /* B(1/2, q + 1) */
   for (int j = 0; j <= m; j += 2) {
      double a = 0.5 * j + 0.5, e = 0.5 * (m - j - 1), term = beta, part = 0;
      for (int k = 0; k < 80 && fabs(term) > 1e-18 * fabs(part); k++) {
         part += term;
         term *= -y * (e - k) / (k + 1) * (a + k) / (a + k + q + 1);
      }
      sum += choose * power * part;
      choose *= (double)((m - j) * (m - j - 1)) / ((j + 1) * (j + 2));
      power *= C * C;
      beta *= a / (a + q + 1);
   }
   for (int r = 0; r < p + q + 1; r++) sum *= S;
   return sum;
}

/* near = 1 - cos gamma, far = 1 + cos gamma. The lowest orders have their own lines: step delta, ReLU
   (sin delta - delta cos delta)/2 by its series when the weights are nearly opposite. */
static double sneppp__sines(int p, int q, double delta, double sine, double near, double far)
{
   double cosine = (far - near) / 2;
   if (p < q) { int swap = p; p = q; q = swap; }
   if (p == 0) return delta;
   if (p == 1 && q == 0) return far;
   if (p == 1) {
      double y = delta * delta;
      if (delta > 0.5) return (sine + delta * cosine) / 2;
      return delta * y / 6 * (1 - y / 10 * (1 - y / 28 * (1 - y / 54 * (1 - y / 88 * (1 - y / 130 * (1 - y / 180))))));
   }
   if (cosine <= 0) return sneppp__sines_series(p, q, sqrt(far / 2), sqrt(near / 2));
   return ((p - 1) * sneppp__sines(p - 2, q, delta, sine, near, far) +
           cosine *
              (q ? q * sneppp__sines(p - 1, q - 1, delta, sine, near, far) : sneppp__ipow(sine, p - 1))) /
          (p + q);
}

/* Gamma(1 + n/2) Gamma(d/2) / (2 pi Gamma((d+n)/2)): the Gaussian constant of order n over E|x|^n. */
static double sneppp__sphere_constant(int d, int n)
{
   double c = 1 / (2 * SNEPPP__PI);
   if (n % 2) {
      c = (d % 2 ? SNEPPP__PI / 2 : 1) * c; /* sqrt(pi)/2 Gamma(d/2)/Gamma((d+1)/2) for d = 1, 2 */
      for (int e = d % 2 ? 1 : 2; e < d; e += 2) c *= (double)e / (e + 1);
   }
   for (int m = n % 2; m < n; m += 2) c *= (double)(m + 2) / (d + m);
   return c;
}

/* A unit on the sphere as factors of (z)_+^p and (-z)_+^p; a monomial has both. */
typedef struct sneppp__halves { int p; double plus, minus; } sneppp__halves;

static sneppp__halves sneppp__halves_of(sneppp_unit unit)
{
   sneppp__pieces q = sneppp__pieces_of(unit);
   sneppp__halves h;
   h.p = q.p;
   h.plus = q.coef[0];
   h.minus = q.sign[0] == 0 ? (q.p % 2 ? -1 : 1) : q.count > 1 ? q.coef[1] : 0;
   return h;
}

/* One side of the pull-back without bias, for the unit with direction u. From k = c n_u^p n_v^q I(delta):
   dk/dw = c n_u^(p-1) n_v^q (p I u + I'(delta) e), e the tangent at u towards v, and
   I' = p q/(p+q) sin(delta) I_{p-1,q-1} (sin^p if q = 0). dk/db = p k_{p-1,q}; for a step it is the integral over
   the great sphere u . x = 0, Gamma(d/2) Gamma((q+1)/2)/(2 pi Gamma((q+d-1)/2)) (n_v sin gamma)^q/n_u. */
static void sneppp__s_pull(const sneppp__angle *a, int d, int first, double delta, sneppp__halves h,
                           sneppp__halves o, double g, double k, double *w, double *b)
{
   int           p = h.p, q = o.p;
   const double *u = first ? a->u : a->v, *v = first ? a->v : a->u;
   double nu = first ? a->ni : a->nj, nv = first ? a->nj : a->ni, e[SNEPPP__MAX_STATS], slope, c,
          gamma = SNEPPP__PI - delta;
   double        same = h.plus * o.plus + h.minus * o.minus, mixed = h.plus * o.minus + h.minus * o.plus;
   if (!(nu > 0)) return;
   sneppp__tangent(a, d, u, v, e);
   if (p && q) {
      slope = same * sneppp__sines(p - 1, q - 1, delta, a->sine, a->near, a->far) -
              mixed * sneppp__sines(p - 1, q - 1, gamma, a->sine, a->far, a->near);
      slope *= a->sine * (double)(p * q) / (p + q);
   } else {
      slope = (same - mixed) * sneppp__ipow(a->sine, p + q);
   }
   c = g * sneppp__sphere_constant(d, p + q) * sneppp__ipow(nu, p - 1) * (p ? 1 : 1 / nu) * sneppp__ipow(nv, q);
   for (int r = 0; r < d; r++) w[r] += g * p * k / nu * u[r] + c * slope * e[r];
   if (p) {
      double s = h.plus * o.plus - h.minus * o.minus, t = h.plus * o.minus - h.minus * o.plus;
      c = p * sneppp__sphere_constant(d, p + q - 1) * sneppp__ipow(nu, p - 1) * sneppp__ipow(nv, q);
      b[0] += g * c *
              (s * sneppp__sines(p - 1, q, delta, a->sine, a->near, a->far) +
               t * sneppp__sines(p - 1, q, gamma, a->sine, a->far, a->near));
   } else if (d >= 2) {
      double s = (h.plus - h.minus) * (o.plus + o.minus) * sneppp__ipow(nv * a->sine, q) / nu;
      b[0] += g * s * tgamma(0.5 * d) * tgamma(0.5 * (q + 1)) / (2 * SNEPPP__PI * tgamma(0.5 * (q + d - 1)));
   }
}

/* s_rect, s_relu, s_step, s_leaky, any d, without bias (Cho and Saul 2009 for the Gaussian; on the sphere divided by
   E|x|^(p+q), since the units are homogeneous):

      k = c |w_i|^p |w_j|^q [same I_pq(delta) + mixed I_pq(gamma)],   c = Gamma(1+n/2) Gamma(d/2)/(2 pi Gamma((d+n)/2)),

   n = p + q; `same` and `mixed` collect the factors of equal and of opposite signs. p = q = 1:
   |w_i||w_j| (sin delta - delta cos delta)/(2 pi d). */
static double sneppp__s_poly(const sneppp__pair *p, const sneppp__pull *out)
{
   sneppp__halves h = sneppp__halves_of(p->ui), o = sneppp__halves_of(p->uj);
   int            d = p->d, one_i = h.p == 0 && h.minus == 1, one_j = o.p == 0 && o.minus == 1;
   double         mass = sneppp__sphere_mass(p->win, d), delta, gamma, k;
   sneppp__angle  a;
   if (one_i && one_j) return mass;
   sneppp__angle_of(&a, d, one_i ? p->wj : p->wi, one_j ? p->wi : p->wj); /* a constant has no direction */
   if (!(a.ni > 0) || !(a.nj > 0)) return 0; /* 0^p, and a step is 0 at 0 */
   delta = 2 * atan2(a.plus, a.minus);
   gamma = 2 * atan2(a.minus, a.plus);
   k = (h.plus * o.plus + h.minus * o.minus) * sneppp__sines(h.p, o.p, delta, a.sine, a.near, a.far);
   if (h.minus != 0 || o.minus != 0)
      k += (h.plus * o.minus + h.minus * o.plus) * sneppp__sines(h.p, o.p, gamma, a.sine, a.far, a.near);
   k *= mass * sneppp__sphere_constant(d, h.p + o.p) * sneppp__ipow(a.ni, h.p) * sneppp__ipow(a.nj, o.p);
   if (out && !one_i) sneppp__s_pull(&a, d, 1, delta, h, o, out->g * mass, k / mass, out->wi, out->bi);
   if (out && !one_j) sneppp__s_pull(&a, d, 0, delta, o, h, out->g * mass, k / mass, out->wj, out->bj);
   return k;
}

/* ---- spheres with bias. A core gives one integral of u_+^p v_+^q with p, q <= 1 over the unit sphere (not yet
   divided by its area) and its derivatives: along the own direction, along the tangent towards the other one,
   and for the bias. */
typedef struct sneppp__caps { double k, iu, ie, ib, ju, je, jb; } sneppp__caps;

typedef struct sneppp__cap { /* {x : n (u . x - t) > 0} */
   int    empty, whole;
   double n, b, t, r2;   /* t = -b/n clamped to [-1, 1], r2 = 1 - t^2  */
   double rim, arc;      /* 1 - |t|; half angle of the rim inside the other cap */
} sneppp__cap;

static sneppp__cap sneppp__cap_of(double n, double b)
{
   sneppp__cap c;
   c.empty = b <= -n;
   c.whole = !c.empty && b >= n;
   c.n = n;
   c.b = b;
   c.t = c.empty ? 1 : c.whole ? -1 : -b / n;
   c.r2 = c.empty || c.whole ? 0 : (n + b) / n * ((n - b) / n);
   c.rim = c.empty || c.whole ? 0 : (n - fabs(b)) / n;
   c.arc = 0;
   return c;
}

/* S^2. The region is the lens of two caps; Omega, its area, comes from Gauss-Bonnet, the integrals X of x and of
   the products of coordinates from Stokes on the two arcs, of half angles phi_1 and phi_2:

      Omega = 2 (pi - xi - phi_1 t_1 - phi_2 t_2),   X = e_1 u - t_1 S e_u + e_2 v - t_2 S e_v,

   e_k = phi_k (1 - t_k^2), W^2 = det of the Gram matrix of (u, v, corner), S = W/sin gamma <= 1. W = 0 makes the
   arcs 0 or pi and so tells disjoint, nested and covering caps apart. Tangential parts are written so that nothing
   is divided by sin gamma except W. Small lenses keep absolute, not relative accuracy: 1e-16 n_u n_v. */
typedef struct sneppp__lens { double g, s, W, S, Omega, V1, V2, Q; } sneppp__lens;

/* c_1 = t_2 - t_1 g, c_2 = t_1 - t_2 g and g - t_1 t_2. For parallel or opposite directions, and for small caps and
   small gaps, where |t| is nearly 1, all three are differences of nearly equal numbers, and they must fit together:
   a wrong sign turns two disjoint caps into nested ones. So they are formed from 1 - |t| and 1 -+ g, which are known
   to their last digits; the volatile copy keeps -ffast-math from undoing this. */
static double sneppp__lens_corner(const sneppp__angle *a, const sneppp__cap *A, const sneppp__cap *B,
                                  double *c1, double *c2)
{
   double          t1 = A->t, t2 = B->t, s = a->cosine > 0 ? 1 : -1, gap = a->cosine > 0 ? a->near : a->far;
   volatile double apart; /* t_2 - s t_1, the difference for like and the sum for unlike directions */
   apart = t2 - s * t1;
   if (s * t1 * t2 > 0) apart = (t2 > 0 ? 1 : -1) * (A->rim - B->rim);
   *c1 = apart + s * t1 * gap;
   *c2 = s * t2 * gap - s * apart;
   return s * t1 * t2 > 0 ? s * ((A->rim + B->rim - A->rim * B->rim) - gap) : a->cosine - t1 * t2;
}

/* atan2(W, c) for W >= 0. Caps that touch have W = 0 and c = 0 of either sign: the angle is then 0. */
SNEPPP__INLINE double sneppp__half_angle(double W, double c)
{
   if (W > 0) return atan2(W, c);
   return c < 0 ? SNEPPP__PI : 0;
}

static sneppp__lens sneppp__lens_of(const sneppp__angle *a, sneppp__cap *A, sneppp__cap *B, double *c1, double *c2)
{
   sneppp__lens L;
   double xi = 0, W2, e1, e2, t1 = A->t, t2 = B->t, corner;
   L.g = a->cosine;
   L.s = a->sine;
   L.W = 0;
   corner = sneppp__lens_corner(a, A, B, c1, c2);
   if (A->whole) {
      B->arc = SNEPPP__PI;
   } else if (B->whole) {
      A->arc = SNEPPP__PI;
   } else {
      W2 = a->near * a->far * A->r2 - *c1 * *c1;
      L.W = W2 > 0 ? sqrt(W2) : 0;
      if (L.W == 0 && *c1 == 0 && *c2 == 0 && L.g > 0) {
         A->arc = SNEPPP__PI; /* the same cap twice */
      } else {
         A->arc = sneppp__half_angle(L.W, *c1);
         B->arc = sneppp__half_angle(L.W, *c2);
         xi = sneppp__half_angle(L.W, corner);
      }
   }
   L.S = L.s > 0 ? L.W / L.s : 0;
   e1 = A->arc * A->r2;
   e2 = B->arc * B->r2;
   L.Omega = 2 * (SNEPPP__PI - xi - A->arc * t1 - B->arc * t2);
   L.V1 = e1 + L.g * e2 - t2 * L.W;
   L.V2 = e2 + L.g * e1 - t1 * L.W;
   L.Q = (L.g * L.Omega + 2 * L.g * (e1 * t1 + e2 * t2) + 2 * L.W * (1 - t1 * t1 - t2 * t2)) / 3;
   return L;
}

/* Derivatives for one unit: A is its own cap (order p), B the other's (order q), V1 and V2 seen from A. */
static void sneppp__lens_pull(const sneppp__lens *L, const sneppp__cap *A, const sneppp__cap *B, double c1,
                              double c2, double V1, double V2, int p, int q, double *along, double *across,
                              double *bias)
{
   double e1 = A->arc * A->r2, e2 = B->arc * B->r2, t1 = A->t, t2 = B->t;
   if (p) { /* the integral of x v^q over the lens */
      double x = L->s * e2 - L->S * c2;
      double y = (L->s * (L->Omega + 2 * t2 * e2 - t1 * e1) + L->S * (2 * L->g * (t2 - t1) * (t2 + t1) - t1 * c1)) / 3;
      *along = q ? B->n * L->Q + B->b * V1 : V1;
      *across = q ? B->n * y + B->b * x : x;
      *bias = q ? B->n * V2 + B->b * L->Omega : L->Omega;
   } else if (!A->whole && A->n > 0) { /* along the rim of the own cap */
      *bias = (q ? B->n * 2 * (L->W - c1 * A->arc) : 2 * A->arc) / A->n;
      *along = t1 * *bias;
      *across = (q ? B->n * (L->s * e1 - c1 * L->S) : 2 * L->S) / A->n;
   } else {
      *along = *across = *bias = 0;
   }
}

static sneppp__caps sneppp__caps_sphere(const sneppp__angle *a, double bi, double bj, int p, int q, int grad)
{
   sneppp__caps r = { 0, 0, 0, 0, 0, 0, 0 };
   sneppp__cap  A = sneppp__cap_of(a->ni, bi), B = sneppp__cap_of(a->nj, bj);
   sneppp__lens L;
   double       c1, c2;
   if (A.empty || B.empty) return r;
   L = sneppp__lens_of(a, &A, &B, &c1, &c2);
   if (p && q) r.k = A.n * B.n * L.Q + A.n * bj * L.V1 + B.n * bi * L.V2 + bi * bj * L.Omega;
   else if (p) r.k = A.n * L.V1 + bi * L.Omega;
   else if (q) r.k = B.n * L.V2 + bj * L.Omega;
   else r.k = L.Omega;
   if (r.k < 0) r.k = 0; /* rounding of an empty lens */
   if (!grad) return r;
   sneppp__lens_pull(&L, &A, &B, c1, c2, L.V1, L.V2, p, q, &r.iu, &r.ie, &r.ib);
   sneppp__lens_pull(&L, &B, &A, c2, c1, L.V2, L.V1, q, p, &r.ju, &r.je, &r.jb);
   return r;
}

/* S^1. The set u > 0 is an arc of half width theta = atan2(sqrt(1 - t^2), t) about w_i. Angles are counted from w_i
   towards w_j, which then lies at gamma >= 0. Two arcs meet in up to two pieces [lo, hi]; with middle m and half
   width h the integrals of 1, cos, sin and their products over a piece are closed and do not cancel. */
static void sneppp__arc_add(sneppp__caps *r, const sneppp__angle *a, double gx, double gy, double bi,
                            double bj, int p, int q, double lo, double hi)
{
   double m = (lo + hi) / 2, h = (hi - lo) / 2, one, c, s, cc, cs, ss, f, ci, si, cj, sj;
   if (!(h > 0)) return;
   one = 2 * h;
   c = 2 * cos(m) * sin(h);
   s = 2 * sin(m) * sin(h);
   f = 0.5 * sin(2 * h);
   cc = h + f * cos(2 * m);
   ss = h - f * cos(2 * m);
   cs = f * sin(2 * m);
   /* The integrals of v^q times (cos, sin, 1), then of u^p times them; v = n_v (gx cos + gy sin) + b_j. */
   ci = q ? a->nj * (gx * cc + gy * cs) + bj * c : c;
   si = q ? a->nj * (gx * cs + gy * ss) + bj * s : s;
   f = q ? a->nj * (gx * c + gy * s) + bj * one : one;
   cj = p ? a->ni * cc + bi * c : c;
   sj = p ? a->ni * cs + bi * s : s;
   r->k += p ? a->ni * ci + bi * f : f;
   if (p) { r->iu += ci; r->ie += si; r->ib += f; }
   if (q) { r->ju += gx * cj + gy * sj; r->je += gy * cj - gx * sj; r->jb += p ? a->ni * c + bi * one : one; }
}

/* The ends of an arc move when its unit is a step: each end that lies in the other arc counts with 1/|du/dphi|. */
static void sneppp__arc_ends(const sneppp__cap *A, const sneppp__cap *B, double gx, double gy, int q,
                             double *along, double *across, double *bias)
{
   double root = sqrt(A->r2);
   for (int e = -1; e <= 1; e += 2) {
      double x = A->t, y = e * root, v = B->n * (gx * x + gy * y) + B->b, m;
      if (!(root > 0) || !(v > 0)) continue;
      m = (q ? v : 1) / (A->n * root);
      *along += m * x;
      *across += m * y;
      *bias += m;
   }
}

static sneppp__caps sneppp__caps_circle(const sneppp__angle *a, double bi, double bj, int p, int q, int grad)
{
   sneppp__caps r = { 0, 0, 0, 0, 0, 0, 0 };
   sneppp__cap  A = sneppp__cap_of(a->ni, bi), B = sneppp__cap_of(a->nj, bj);
   double       gamma = 2 * atan2(a->minus, a->plus), ti, tj, gx = a->cosine, gy = a->sine;
   if (A.empty || B.empty) return r;
   ti = A.whole ? SNEPPP__PI : atan2(sqrt(A.r2), A.t);
   tj = B.whole ? SNEPPP__PI : atan2(sqrt(B.r2), B.t);
   sneppp__arc_add(&r, a, gx, gy, bi, bj, p, q, fmax(-ti, gamma - tj), fmin(ti, gamma + tj));
   sneppp__arc_add(&r, a, gx, gy, bi, bj, p, q, -ti, fmin(ti, gamma + tj - 2 * SNEPPP__PI));
   if (r.k < 0) r.k = 0;
   if (!grad) return r;
   if (p == 0 && !A.whole) sneppp__arc_ends(&A, &B, gx, gy, q, &r.iu, &r.ie, &r.ib);
   if (q == 0 && !B.whole) sneppp__arc_ends(&B, &A, gx, gy, p, &r.ju, &r.je, &r.jb);
   return r;
}

/* s2_rect, s2_relu, s2_step (S^2), c_rect, c_relu (S^1) and the leaky unit there: bias, orders 0 and 1. A piece
   with the sign -1 is the same core with w and b negated. */
static double sneppp__s_biased(const sneppp__pair *p, const sneppp__pull *out)
{
   sneppp__halves h = sneppp__halves_of(p->ui), o = sneppp__halves_of(p->uj);
   const double  *wi = sneppp__weights_of(p->ui, p->wi), *wj = sneppp__weights_of(p->uj, p->wj);
   double         bi = sneppp__bias_of(p->ui, p->bi), bj = sneppp__bias_of(p->uj, p->bj), k = 0;
   double         scale = sneppp__sphere_mass(p->win, p->d) / (p->d == 2 ? 2 * SNEPPP__PI : 4 * SNEPPP__PI);
   double         xi[SNEPPP__MAX_STATS], xj[SNEPPP__MAX_STATS], flip[SNEPPP__MAX_STATS];
   int            d = p->d;
   for (int pattern = 0; pattern < 4; pattern++) {
      double si = pattern & 1 ? -1 : 1, sj = pattern & 2 ? -1 : 1,
             c = (si < 0 ? h.minus : h.plus) * (sj < 0 ? o.minus : o.plus) * scale;
      sneppp__angle a;
      sneppp__caps  r;
      if (c == 0) continue;
      /* Constants are whole: their mirror image would be counted twice. */
      if ((si < 0 && p->ui.act == SNEPPP_ONE) || (sj < 0 && p->uj.act == SNEPPP_ONE)) continue;
      for (int e = 0; e < d; e++) flip[e] = sj * wj[e];
      for (int e = 0; e < d; e++) xi[e] = si * wi[e];
      sneppp__angle_of(&a, d, xi, flip);
      r = d == 2 ? sneppp__caps_circle(&a, si * bi, sj * bj, h.p, o.p, out != NULL)
                 : sneppp__caps_sphere(&a, si * bi, sj * bj, h.p, o.p, out != NULL);
      k += c * r.k;
      if (!out) continue;
      sneppp__tangent(&a, d, a.u, a.v, xi);
      sneppp__tangent(&a, d, a.v, a.u, xj);
      c *= out->g;
      if (p->ui.act != SNEPPP_ONE) {
         for (int e = 0; e < d; e++) out->wi[e] += c * si * (r.iu * a.u[e] + r.ie * xi[e]);
         out->bi[0] += c * si * r.ib;
      }
      if (p->uj.act != SNEPPP_ONE) {
         for (int e = 0; e < d; e++) out->wj[e] += c * sj * (r.ju * a.v[e] + r.je * xj[e]);
         out->bj[0] += c * sj * r.jb;
      }
   }
   return k;
}

/* ---- first moments on the sphere with bias, any d and p. With z = u . x of density f (1-z^2)^((d-3)/2) and
   t = -b/n in (-1, 1):

      M_0 = P(z > t),   M_1 = n f (1-t^2)^((d-1)/2)/(d-1) + b M_0,   f = Gamma(d/2)/(sqrt(pi) Gamma((d-1)/2)),
      M_p (1 + c) = b M_{p-1} (1 + 2c) + c (n^2 - b^2) M_{p-2},      c = (p-1)/(d-1)   (by parts),

   M_0 from J_v = integral of (1-z^2)^v: (2v+1) J_v = 2v J_{v-1} - t (1-t^2)^v up from d = 2 (the angle) or 3 (1-t).
   dM_p/db = p M_{p-1}, dM_p/dn = p E[z u^(p-1)] = p (M_p - b M_{p-1})/n. A cap that covers the sphere is a
   polynomial and goes to sneppp__s_mono. */
static double sneppp__cap_moment(int d, const sneppp__cap *A, int p, double *dn, double *db)
{
   double M[SNEPPP__MAX_ORDER + 1], f = d % 2 ? 0.5 : 1 / SNEPPP__PI, J, rim, c;
   double root = sqrt(A->r2), odd = 1;
   J = d % 2 ? (A->n + A->b) / A->n : atan2(root, A->t);
   if (d % 2 == 0) odd = 1 / root;
   for (int e = d % 2 ? 3 : 2; e < d; e += 2) { /* from d = e to e + 2: v = (e-1)/2 */
      odd *= A->r2;
      J = ((e - 1) * J - A->t * odd) / e;
      f *= (double)e / (e - 1);
   }
   rim = f * sneppp__ipow(root, d - 1) / (d - 1);
   M[0] = f * J;
   M[1] = A->n * rim + A->b * M[0];
   for (int r = 2; r <= p; r++) {
      c = (double)(r - 1) / (d - 1);
      M[r] = (A->b * M[r - 1] * (1 + 2 * c) + c * (A->n - A->b) * (A->n + A->b) * M[r - 2]) / (1 + c);
   }
   if (p) {
      *db = p * M[p - 1];
      *dn = p == 1 ? rim : p * (M[p] - A->b * M[p - 1]) / A->n;
   } else {
      *db = f * (d == 2 ? 1 / root : sneppp__ipow(root, d - 3)) / A->n;
      *dn = A->t * *db;
   }
   return M[p] > 0 ? M[p] : 0;
}


/* s_mono: z^p z^q with bias on the sphere, any d. With G_rt = E[U^r V^t] of the centred Gaussian pair of covariance
   (A, C; C, B), G_rt = (r-1) A G_{r-2,t} + t C G_{r-1,t-1}, the powers of w . x and the biases separate:

      k = sum over r + t even of binom(p,r) binom(q,t) b_i^(p-r) b_j^(q-t) G_rt / E|x|^(r+t),

   E|x|^n = d (d+2) ... (d+n-2). dG/dC = r t G_{r-1,t-1} and dG/dA = r(r-1)/2 G_{r-2,t}. */
static void sneppp__centred_moments(int p, int q, double A, double B, double C, double *G)
{
   int n = q + 1;
   for (int t = 0; t <= q; t++) G[t] = t % 2 ? 0 : 1;
   for (int t = 2; t <= q; t += 2) G[t] = (t - 1) * B * G[t - 2];
   for (int r = 1; r <= p; r++)
      for (int t = 0; t <= q; t++)
         G[r * n + t] = (r > 1 ? (r - 1) * A * G[(r - 2) * n + t] : 0) + (t > 0 ? t * C * G[(r - 1) * n + t - 1] : 0);
}

static double sneppp__s_mono(const sneppp__pair *p, const sneppp__pull *out)
{
   double        G[(SNEPPP__MAX_ORDER + 1) * (SNEPPP__MAX_ORDER + 1)], k = 0, kA = 0, kB = 0, kC = 0, ki = 0, kj = 0;
   const double *wi = sneppp__weights_of(p->ui, p->wi), *wj = sneppp__weights_of(p->uj, p->wj);
   double bi = sneppp__bias_of(p->ui, p->bi), bj = sneppp__bias_of(p->uj, p->bj), A = 0, B = 0, C = 0, mass,
          ci = 1, cj;
   int           a = sneppp__pieces_of(p->ui).p, b = sneppp__pieces_of(p->uj).p, n = b + 1;
   for (int r = 0; r < p->d; r++) { A += wi[r] * wi[r]; B += wj[r] * wj[r]; C += wi[r] * wj[r]; }
   sneppp__centred_moments(a, b, A, B, C, G);
   for (int r = 0; r <= a; ci *= (double)(a - r) / (r + 1), r++) {
      cj = 1;
      for (int t = 0; t <= b; cj *= (double)(b - t) / (t + 1), t++) {
         double E = 1, c, pi, pj;
         if ((r + t) % 2) continue;
         for (int m = 0; m < r + t; m += 2) E *= p->d + m;
         c = ci * cj / E;
         pi = sneppp__ipow(bi, a - r);
         pj = sneppp__ipow(bj, b - t);
         k += c * pi * pj * G[r * n + t];
         if (!out) continue;
         if (a > r) ki += c * (a - r) * sneppp__ipow(bi, a - r - 1) * pj * G[r * n + t];
         if (b > t) kj += c * (b - t) * sneppp__ipow(bj, b - t - 1) * pi * G[r * n + t];
         if (r && t) kC += c * pi * pj * r * t * G[(r - 1) * n + t - 1];
         if (r > 1) kA += c * pi * pj * r * (r - 1) * G[(r - 2) * n + t]; /* twice k_A */
         if (t > 1) kB += c * pi * pj * t * (t - 1) * G[r * n + t - 2];
      }
   }
   mass = sneppp__sphere_mass(p->win, p->d);
   if (out) {
      double g = out->g * mass;
      for (int r = 0; r < p->d; r++) {
         if (p->ui.act != SNEPPP_ONE) out->wi[r] += g * (kA * wi[r] + kC * wj[r]);
         if (p->uj.act != SNEPPP_ONE) out->wj[r] += g * (kB * wj[r] + kC * wi[r]);
      }
      if (p->ui.act != SNEPPP_ONE) out->bi[0] += g * ki;
      if (p->uj.act != SNEPPP_ONE) out->bj[0] += g * kj;
   }
   return mass * k;
}

/* S^0 = {-1, +1}: the sum over two points, for the orders that have a bias. */
static double sneppp__halves_value(sneppp__halves h, double z, double *slope)
{
   double c = z > 0 ? h.plus : h.minus, a = fabs(z);
   if (z == 0 && h.plus != h.minus) c = 0;
   *slope = h.p ? (z > 0 ? 1 : -1) * c * h.p * sneppp__ipow(a, h.p - 1) : 0;
   return c * sneppp__ipow(a, h.p);
}

static double sneppp__s_two_points(const sneppp__pair *p, const sneppp__pull *out)
{
   sneppp__halves h = sneppp__halves_of(p->ui), o = sneppp__halves_of(p->uj);
   double         k = 0, half = sneppp__sphere_mass(p->win, 1) / 2;
   for (int x = -1; x <= 1; x += 2) {
      double si, sj, u = sneppp__halves_value(h, p->bi + p->wi[0] * x, &si),
                     v = sneppp__halves_value(o, p->bj + p->wj[0] * x, &sj);
      if (p->ui.act == SNEPPP_ONE) { u = 1; si = 0; }
      if (p->uj.act == SNEPPP_ONE) { v = 1; sj = 0; }
      k += half * u * v;
      if (!out) continue;
      out->wi[0] += out->g * half * si * v * x;
      out->bi[0] += out->g * half * si * v;
      out->wj[0] += out->g * half * sj * u * x;
      out->bj[0] += out->g * half * sj * u;
   }
   return k;
}

/* s1_rect, s1_leaky, s21_rect: one rectified or leaky unit against the constant. */
static double sneppp__s_moment(const sneppp__pair *p, const sneppp__pull *out)
{
   sneppp__halves h = sneppp__halves_of(p->ui);
   double u[SNEPPP__MAX_STATS], n = sneppp__direction(p->d, p->wi, u),
                                mass = sneppp__sphere_mass(p->win, p->d), k = 0;
   if (p->d == 1) return sneppp__s_two_points(p, out);
   for (int side = 0; side < 2; side++) {
      double       s = side ? -1 : 1, c = (side ? h.minus : h.plus) * mass, dn = 0, db = 0, m;
      sneppp__cap  A = sneppp__cap_of(n, s * p->bi);
      sneppp__pair q;
      sneppp__pull pull;
      double       flip[SNEPPP__MAX_STATS], scratch = 0, wi[SNEPPP__MAX_STATS] = { 0 }, bi = 0;
      if (c == 0 || A.empty) continue;
      if (!A.whole) {
         m = sneppp__cap_moment(p->d, &A, h.p, &dn, &db);
      } else {
         q = *p;
         q.ui.act = SNEPPP_MONOMIAL;
         q.ui.p = h.p;
         q.uj.act = SNEPPP_ONE;
         for (int r = 0; r < p->d; r++) flip[r] = s * p->wi[r];
         q.wi = flip;
         q.bi = s * p->bi;
         memset(&pull, 0, sizeof pull);
         pull.g = 1;
         pull.wi = pull.wj = wi;
         pull.bi = &bi;
         pull.bj = &scratch;
         m = sneppp__s_mono(&q, out ? &pull : NULL) / mass;
      }
      k += c * m;
      if (!out) continue;
      for (int r = 0; r < p->d; r++) out->wi[r] += out->g * c * (A.whole ? s * wi[r] / mass : dn * u[r]);
      out->bi[0] += out->g * c * s * (A.whole ? bi / mass : db);
   }
   return k;
}

/* ---- b_mono: z^p z^q on a box of any dimension. From the centre, u = a + sum_k w_k y_k; coordinates join one at a
   time, M_rt <- sum_{e,f} binom(r,e) binom(t,f) M_{r-e,t-f} w_ik^e w_jk^f mu_{e+f}, mu_n = eta^n/(n+1) for even n, else
   0. With `lean` = k a factor y_k is put under the integral, as dk/dw_k = p E[x_k u^(p-1) v^q] needs. */
static double sneppp__box_moment(const sneppp_window *win, int d, const double *wi, const double *wj,
                                 double a, double b, int p, int q, int lean)
{
   double M[(SNEPPP__MAX_ORDER + 1) * (SNEPPP__MAX_ORDER + 1)], volume = 1;
   int    n = q + 1;
   for (int r = 0; r <= p; r++)
      for (int t = 0; t <= q; t++) M[r * n + t] = sneppp__ipow(a, r) * sneppp__ipow(b, t);
   for (int k = 0; k < d; k++) {
      double eta = (win->hi[k] - win->lo[k]) / 2, x = wi[k] * eta, y = wj[k] * eta;
      int    odd = k == lean;
      volume *= 2 * eta * (odd ? eta : 1);
      for (int r = p; r >= 0; r--)
         for (int t = q; t >= 0; t--) { /* downwards: what is read has not been overwritten */
            double sum = 0, ce = 1, xe = 1;
            for (int e = 0; e <= r; ce *= (double)(r - e) / (e + 1), xe *= x, e++) {
               double cf = 1, yf = 1;
               for (int f = 0; f <= t; cf *= (double)(t - f) / (f + 1), yf *= y, f++)
                  if ((e + f + odd) % 2 == 0) sum += ce * cf * xe * yf * M[(r - e) * n + t - f] / (e + f + odd + 1);
            }
            M[r * n + t] = sum;
         }
   }
   return volume * M[p * n + q];
}

static double sneppp__b_mono(const sneppp__pair *p, const sneppp__pull *out)
{
   const sneppp_window *win = p->win;
   const double        *wi = sneppp__weights_of(p->ui, p->wi), *wj = sneppp__weights_of(p->uj, p->wj);
   double               a = sneppp__bias_of(p->ui, p->bi), b = sneppp__bias_of(p->uj, p->bj);
   int                  d = p->d, m = sneppp__pieces_of(p->ui).p, n = sneppp__pieces_of(p->uj).p;
   for (int k = 0; k < d; k++) {
      double c = win->lo[k] + (win->hi[k] - win->lo[k]) / 2;
      a += wi[k] * c;
      b += wj[k] * c;
   }
   if (out && m) {
      double base = m * sneppp__box_moment(win, d, wi, wj, a, b, m - 1, n, -1);
      out->bi[0] += out->g * base;
      for (int k = 0; k < d; k++)
         out->wi[k] += out->g * (base * (win->lo[k] + (win->hi[k] - win->lo[k]) / 2) +
                                 m * sneppp__box_moment(win, d, wi, wj, a, b, m - 1, n, k));
   }
   if (out && n) {
      double base = n * sneppp__box_moment(win, d, wi, wj, a, b, m, n - 1, -1);
      out->bj[0] += out->g * base;
      for (int k = 0; k < d; k++)
         out->wj[k] += out->g * (base * (win->lo[k] + (win->hi[k] - win->lo[k]) / 2) +
                                 n * sneppp__box_moment(win, d, wi, wj, a, b, m, n - 1, k));
   }
   return sneppp__box_moment(win, d, wi, wj, a, b, m, n, -1);
}

/* ---- one rectified unit on a box of up to six dimensions. From the centre u = a + sum_r s_r z_r, z in [-1, 1]^d and
   s_r = |w_r| eta_r. Let h(a; s, m) be the mean of u_+^p/p! with m = p + d. The sum over the 2^d corners,
   sum of signs u_+^m/m! over prod 2 s_r, cancels as some s_r goes to 0. Since it is homogeneous in (a, s), Euler's
   relation and h' = difference quotients give, with theta = a/sum s in [-1, 1],

      m h(a; s, m) = sum_r [(1+theta)/2 h(a + s_r; s without s_r, m-1) + (1-theta)/2 h(a - s_r; s without s_r, m-1)],

   the recursion of B-splines: positive terms only, s_r = 0 allowed. m = d - 1 is the density of u at 0. The cost grows
   like d! 2^d, hence the limit on d. */
static double sneppp__cube_poly(int d, const double *s, double a, int p)
{
   double M[SNEPPP__MAX_ORDER + 1], f = 1;
   if (p < 0) return 0;
   for (int r = 0; r <= p; r++) M[r] = sneppp__ipow(a, r);
   for (int k = 0; k < d; k++)
      for (int r = p; r >= 0; r--) {
         double sum = 0, c = 1, y = s[k] * s[k];
         for (int e = 0; e <= r; e += 2) {
            sum += c * M[r - e] / (e + 1);
            c *= y * (double)((r - e) * (r - e - 1)) / ((e + 1) * (e + 2));
         }
         M[r] = sum;
      }
   for (int r = 2; r <= p; r++) f *= r;
   return M[p] / f;
}

static double sneppp__cube(int d, const double *s, double a, int m)
{
   double total = 0, sum = 0, theta;
   for (int r = 0; r < d; r++) total += s[r];
   if (a <= -total) return 0;
   if (a >= total) return sneppp__cube_poly(d, s, a, m - d);
   if (d == 1) {
      double f = 1 / (2 * s[0]);
      for (int r = 1; r <= m; r++) f *= (a + s[0]) / r;
      return f;
   }
   theta = a / total;
   for (int r = 0; r < d; r++) {
      double rest[SNEPPP__MAX_STATS];
      for (int k = 0, e = 0; k < d; k++) if (k != r) rest[e++] = s[k];
      sum += (1 + theta) / 2 * sneppp__cube(d - 1, rest, a + s[r], m - 1) +
             (1 - theta) / 2 * sneppp__cube(d - 1, rest, a - s[r], m - 1);
   }
   return sum / m;
}

/* dh/ds_r = ([h(a+s_r) + h(a-s_r)]/2 - h)/s_r, h without s_r in the bracket; for small s_r its leading term. */
static double sneppp__cube_slope(int d, const double *s, double a, int m, int r, double h)
{
   double rest[SNEPPP__MAX_STATS], total = 0;
   for (int k = 0, e = 0; k < d; k++) { total += s[k]; if (k != r) rest[e++] = s[k]; }
   if (s[r] > 1e-5 * total)
      return ((sneppp__cube(d - 1, rest, a + s[r], m - 1) + sneppp__cube(d - 1, rest, a - s[r], m - 1)) / 2 -
              h) /
             s[r];
   return m - 3 >= d - 2 ? s[r] / 3 * sneppp__cube(d - 1, rest, a, m - 3) : 0;
}

/* b1_rect and b1_leaky for 3 <= d <= 6. dk/dw_r = centre_r dk/db + sign(w_r) eta_r dk/ds_r. */
static double sneppp__b1_cube(const sneppp__pair *p, const sneppp__pull *out)
{
   const sneppp_window *win = p->win;
   sneppp__halves       q = sneppp__halves_of(p->ui);
   double               s[SNEPPP__MAX_STATS], a = p->bi, f = 1, k = 0;
   int                  d = p->d, m = q.p + d;
   for (int r = 0; r < d; r++) {
      double eta = (win->hi[r] - win->lo[r]) / 2;
      a += p->wi[r] * (win->lo[r] + eta);
      s[r] = fabs(p->wi[r]) * eta;
      f *= 2 * eta;
   }
   for (int r = 2; r <= q.p; r++) f *= r;
   for (int side = 0; side < 2; side++) {
      double sign = side ? -1 : 1, c = (side ? q.minus : q.plus) * f, h, slope;
      if (c == 0) continue;
      h = sneppp__cube(d, s, sign * a, m);
      k += c * h;
      if (!out) continue;
      slope = sign * sneppp__cube(d, s, sign * a, m - 1);
      out->bi[0] += out->g * c * slope;
      for (int r = 0; r < d; r++) {
         double eta = (win->hi[r] - win->lo[r]) / 2, turn = p->wi[r] > 0 ? eta : p->wi[r] < 0 ? -eta : 0;
         out->wi[r] += out->g * c * (slope * (win->lo[r] + eta) + turn * sneppp__cube_slope(d, s, sign * a, m, r, h));
      }
   }
   return k;
}

/* ---- tiles: the two rows of the table that training on sphere x time asks for at every step. The pair functions
   above say what is computed; here sixteen units go through each operation together, without calls or branches,
   so that compilers use vector registers. */

/* atan2(b, a) for a, b >= 0, not both zero, to 1.5 ulp. The quadrant is cut at tan(pi/8) and tan(3 pi/8), so that atan
   is needed for |z| <= tan(pi/8) only: z times a polynomial in z^2, interpolated at the Chebyshev points of that
   interval (error 3e-18 before rounding). */
SNEPPP__INLINE double sneppp__atan2_quadrant(double b, double a)
{
   const double t = 0.41421356237309503;
   double       num = b - a, den = b + a, base = SNEPPP__PI / 4, z, y, p;
   num = b < t * a ? b : num;
   den = b < t * a ? a : den;
   base = b < t * a ? 0 : base;
   num = a < t * b ? -a : num;
   den = a < t * b ? b : den;
   base = a < t * b ? SNEPPP__PI / 2 : base;
   z = num / den;
   y = z * z;
   p = -0.017803896394812564;
   p = p * y + 0.03796390316111083;
   p = p * y - 0.05035049795312439;
   p = p * y + 0.05846866752275139;
   p = p * y - 0.06662950246036792;
   p = p * y + 0.07692045194561481;
   p = p * y - 0.09090896801472813;
   p = p * y + 0.11111110744657099;
   p = p * y - 0.14285714279244968;
   p = p * y + 0.19999999999940837;
   p = p * y - 0.3333333333333312;
   p = p * y + 1.0;
   return base + z * p;
}

/* Norms and directions of up to sixteen weight vectors; the last one is repeated to fill the lanes. Returns 0 if a
   norm is out of the range in which squares are safe, zero included: then the pairs go one by one. */
typedef struct sneppp__rays { double n[SNEPPP__TILE], v[SNEPPP__MAX_STATS][SNEPPP__TILE]; } sneppp__rays;

static int sneppp__rays_load(sneppp__rays *B, int d, const double *W, int count)
{
   int safe = 1;
   for (int l = 0; l < SNEPPP__TILE; l++) {
      const double *w = W + (l < count ? l : count - 1) * d;
      double        s = 0;
      for (int r = 0; r < d; r++) s += w[r] * w[r];
      s = sqrt(s);
      B->n[l] = s;
      if (!(s > 1e-140) || !(s < 1e140)) { safe = 0; s = 1; }
      for (int r = 0; r < d; r++) B->v[r][l] = w[r] / s;
   }
   return safe;
}

/* Unit i against all lanes of B: delta, sin gamma and cos gamma, see sneppp__angle. */
typedef struct sneppp__angles { double delta[SNEPPP__TILE], sine[SNEPPP__TILE], cosine[SNEPPP__TILE]; } sneppp__angles;

static void sneppp__rays_meet(const sneppp__rays *A, int i, const sneppp__rays *B, int d, sneppp__angles *o)
{
   double pp[SNEPPP__TILE], mm[SNEPPP__TILE];
   for (int l = 0; l < SNEPPP__TILE; l++) pp[l] = mm[l] = 0;
   for (int r = 0; r < d; r++) {
      const double  u = A->v[r][i];
      const double *v = B->v[r];
      for (int l = 0; l < SNEPPP__TILE; l++) {
         double s = u + v[l], t = u - v[l];
         pp[l] += s * s;
         mm[l] += t * t;
      }
   }
   for (int l = 0; l < SNEPPP__TILE; l++) {
      double plus = sqrt(pp[l]), minus = sqrt(mm[l]);
      o->delta[l] = 2 * sneppp__atan2_quadrant(plus, minus);
      o->sine[l] = plus * minus / 2;
      o->cosine[l] = (pp[l] - mm[l]) / 4;
   }
}

/* A tile by its pair function: what is left when a fast path does not apply. */
static void sneppp__tile_by_pairs(const sneppp__tile *t, sneppp__pair_fn pair)
{
   sneppp__pair p;
   sneppp__pull out;
   memset(&p, 0, sizeof p);
   memset(&out, 0, sizeof out);
   p.win = t->win;
   p.d = t->d;
   p.ui = p.uj = t->unit;
   for (int i = 0; i < t->ni; i++)
      for (int j = t->diagonal ? i : 0; j < t->nj; j++) {
         p.wi = t->wi + i * t->d;
         p.wj = t->wj + j * t->d;
         p.bi = t->bi ? t->bi[i] : 0;
         p.bj = t->bj ? t->bj[j] : 0;
         if (t->k) { t->k[i * SNEPPP__TILE + j] = pair(&p, NULL); continue; }
         out.g = t->g[i * SNEPPP__TILE + j];
         out.wi = t->gwi + i * t->d;
         out.wj = t->gwj + j * t->d;
         out.bi = t->gbi + i;
         out.bj = t->gbj + j;
         pair(&p, &out);
      }
}

/* s_relu without bias; formula at sneppp__s_poly and sneppp__sines. The gradient needs no tangent:
   dk/dw_i = mass/(2 pi d) (|w_j| sin(gamma) u + delta w_j), dk/db_i = mass c_1 |w_j| (1 + cos gamma). */
static void sneppp__s_relu_tile(const sneppp__tile *t)
{
   sneppp__rays        rays[2];
   const sneppp__rays *A = rays, *B = rays + !t->diagonal;
   sneppp__angles      o;
   int                 d = t->d, safe = sneppp__rays_load(&rays[0], d, t->wi, t->ni);
   double mass = sneppp__sphere_mass(t->win, d), c = mass / (2 * SNEPPP__PI * d),
          c1 = mass * sneppp__sphere_constant(d, 1);
   if (!t->diagonal) safe &= sneppp__rays_load(&rays[1], d, t->wj, t->nj);
   if (!safe) { sneppp__tile_by_pairs(t, sneppp__s_poly); return; }
   for (int i = 0; i < t->ni; i++) {
      const double ni = A->n[i];
      sneppp__rays_meet(A, i, B, d, &o);
      if (t->k) {
         double *k = t->k + i * SNEPPP__TILE;
         for (int l = 0; l < SNEPPP__TILE; l++) {
            double x = o.delta[l], y = x * x, large = o.sine[l] + x * o.cosine[l];
            double small =
               1 + y * (-1.0 / 10 +
                        y * (1.0 / 280 +
                             y * (-1.0 / 15120 +
                                  y * (1.0 / 1330560 + y * (-1.0 / 172972800 + y * (1.0 / 31135104000.0))))));
            small *= x * y * (1.0 / 3);
            k[l] = c * (ni * B->n[l]) * (x > 0.5 ? large : small);
         }
         continue;
      }
      for (int j = t->diagonal ? i : 0; j < t->nj; j++) {
         double g = t->g[i * SNEPPP__TILE + j], gi = g * c * B->n[j], gj = g * c * ni, s = o.sine[j],
                x = o.delta[j], *wi = t->gwi + i * d, *wj = t->gwj + j * d;
         for (int r = 0; r < d; r++) {
            double u = A->v[r][i], v = B->v[r][j];
            wi[r] += gi * (s * u + x * v);
            wj[r] += gj * (s * v + x * u);
         }
         t->gbi[i] += g * c1 * B->n[j] * (1 + o.cosine[j]);
         t->gbj[j] += g * c1 * ni * (1 + o.cosine[j]);
      }
   }
}

/* The part [lo, hi] of one interval where a unit is positive, and an origin from which its value is a + w (x - o), with
   a = 0 at its own kink; for up to sixteen units. */
typedef struct sneppp__kinks {
   double lo[SNEPPP__TILE], hi[SNEPPP__TILE], o[SNEPPP__TILE], a[SNEPPP__TILE], w[SNEPPP__TILE];
} sneppp__kinks;

static void sneppp__kinks_load(sneppp__kinks *B, double first, double last, const double *W, const double *b, int count)
{
   for (int l = 0; l < SNEPPP__TILE; l++) {
      int    j = l < count ? l : count - 1;
      double w = W[j], c = b ? b[j] : 0, at_first = c + w * first, at_last = c + w * last, kink;
      int    cut = (at_first > 0) != (at_last > 0);
      kink = cut ? -c / w : first;
      kink = kink < first ? first : kink > last ? last : kink;
      B->w[l] = w;
      B->o[l] = cut ? kink : 0;
      B->a[l] = cut ? 0 : c;
      B->lo[l] = cut && w > 0 ? kink : first;
      B->hi[l] = cut ? (w > 0 ? last : kink) : at_first > 0 ? last : first;
   }
}

/* Unit i against all lanes: the common part [lo, lo + len], and the values of both units at its ends. */
typedef struct sneppp__spans {
   double lo[SNEPPP__TILE], hi[SNEPPP__TILE], len[SNEPPP__TILE], ul[SNEPPP__TILE], uh[SNEPPP__TILE],
      vl[SNEPPP__TILE], vh[SNEPPP__TILE];
} sneppp__spans;

static void sneppp__kinks_meet(const sneppp__kinks *A, int i, const sneppp__kinks *B, sneppp__spans *q)
{
   const double lo_i = A->lo[i], hi_i = A->hi[i], a = A->a[i], w = A->w[i], origin = A->o[i];
   for (int l = 0; l < SNEPPP__TILE; l++) {
      double lo = lo_i > B->lo[l] ? lo_i : B->lo[l], hi = hi_i < B->hi[l] ? hi_i : B->hi[l];
      hi = hi > lo ? hi : lo;
      q->lo[l] = lo;
      q->hi[l] = hi;
      q->len[l] = hi - lo;
      q->ul[l] = a + w * (lo - origin);
      q->uh[l] = a + w * (hi - origin);
      q->vl[l] = B->a[l] + B->w[l] * (lo - B->o[l]);
      q->vh[l] = B->a[l] + B->w[l] * (hi - B->o[l]);
   }
}

/* i_relu and b_relu with d = 1; formula at sneppp__segment. dk/db_i = integral of v, dk/dw_i = integral of x v. */
static void sneppp__i_relu_tile(const sneppp__tile *t)
{
   const sneppp_window *win = t->win;
   int                  box = win->space == SNEPPP_BOX;
   if (t->d != 1) { sneppp__tile_by_pairs(t, sneppp__b_poly); return; }
   for (size_t s = 0; s < (box ? 1 : win->count); s++) {
      double               first = box ? win->lo[0] : win->ends[2 * s], last = box ? win->hi[0] : win->ends[2 * s + 1];
      sneppp__kinks        kinks[2];
      const sneppp__kinks *A = kinks, *B = kinks + !t->diagonal;
      sneppp__spans        q;
      sneppp__kinks_load(&kinks[0], first, last, t->wi, t->bi, t->ni);
      if (!t->diagonal) sneppp__kinks_load(&kinks[1], first, last, t->wj, t->bj, t->nj);
      for (int i = 0; i < t->ni; i++) {
         sneppp__kinks_meet(A, i, B, &q);
         if (t->k) {
            double *k = t->k + i * SNEPPP__TILE;
            for (int l = 0; l < SNEPPP__TILE; l++) {
               double value = q.len[l] * (1.0 / 6) *
                              (q.ul[l] * (2 * q.vl[l] + q.vh[l]) + q.uh[l] * (q.vl[l] + 2 * q.vh[l]));
               k[l] = s ? k[l] + value : value;
            }
            continue;
         }
         for (int j = t->diagonal ? i : 0; j < t->nj; j++) {
            double g = t->g[i * SNEPPP__TILE + j] * q.len[j], third = g * (1.0 / 6), ul = q.ul[j],
                   uh = q.uh[j], vl = q.vl[j], vh = q.vh[j];
            t->gbi[i] += g * 0.5 * (vl + vh);
            t->gbj[j] += g * 0.5 * (ul + uh);
            t->gwi[i] += third * (q.lo[j] * (2 * vl + vh) + q.hi[j] * (vl + 2 * vh));
            t->gwj[j] += third * (q.lo[j] * (2 * ul + uh) + q.hi[j] * (ul + 2 * uh));
         }
      }
   }
}

/* ---- >>kernel-table: all rows, lookup, checks, drivers ----------------------------------------------------- */

/* The table. Columns: name, space, activations, statistics d needed (0 = any), flags, pair function, transform,
   Gaussian core, condition, formula, source, slack. The first row that fits is taken, so special cases stand
   above general ones. A name that ends in _log is the logarithm of its twin. */
#define SNEPPP__ROW(name, space, i, j, dim, flags, pair, laplace, gauss, condition, formula, source, slack) \
   { \
      { name, SNEPPP_##space, SNEPPP_##i, SNEPPP_##j, condition, formula, source, slack }, dim, flags, pair, \
         laplace, gauss, NULL \
   }
#define SNEPPP__ROW_TILE(name, space, i, j, dim, flags, pair, laplace, gauss, tile, condition, formula, \
                         source, slack) \
   { \
      { name, SNEPPP_##space, SNEPPP_##i, SNEPPP_##j, condition, formula, source, slack }, dim, flags, pair, \
         laplace, gauss, tile \
   }

/* A row of the Gaussian reduction. */
#define SNEPPP__G(name, i, j, core, formula, source)                                                            \
   SNEPPP__ROW(name, GAUSS, i, j, 0, 0, sneppp__gauss_pair, NULL, sneppp__gauss_##core, "", formula, source, 64)

/* Transforms: the name of the measure's L is enough. The formulas are those at the top of kernel-transform. */
#define SNEPPP__T(name, space, i, j, flags, laplace, condition, formula, source) \
   SNEPPP__ROW(name, space, i, j, 0, flags, sneppp__transform_pair, sneppp__laplace_##laplace, NULL, \
               condition, formula, source, 64)
#define SNEPPP__F_COS_COS      "1/2 Re[e^(i(bi-bj)) L(i(wi-wj)) + e^(i(bi+bj)) L(i(wi+wj))]"
#define SNEPPP__F_SIN_SIN      "1/2 Re[e^(i(bi-bj)) L(i(wi-wj)) - e^(i(bi+bj)) L(i(wi+wj))]"
#define SNEPPP__F_COS_SIN      "1/2 Im[e^(i(bi+bj)) L(i(wi+wj)) - e^(i(bi-bj)) L(i(wi-wj))]"
#define SNEPPP__F_EXP_COS      "Re[e^(bi+i bj) L(wi+i wj)]"
#define SNEPPP__F_EXP_SIN      "Im[e^(bi+i bj) L(wi+i wj)]"
#define SNEPPP__F_EXP_ONE      "e^b L(w)"
#define SNEPPP__F_EXP_ONE_LOG  "b + log L(w)"
#define SNEPPP__F_COS_ONE      "Re e^(ib) L(iw)"
#define SNEPPP__F_SIN_ONE      "Im e^(ib) L(iw)"
#define SNEPPP__F_MASS         "mu(X) = L(0)"
#define SNEPPP__F_EXP_EXP_LOG  "bi + bj + log L(wi+wj)"

static const sneppp__row sneppp__rows[] = {
   /* -- boxes: transforms */
   SNEPPP__T("b_exp", BOX, EXP, EXP, 0, box, "",
             "e^(bi+bj) L(wi+wj), L(s) = prod 2h e^(sc) sinhc(sh), c centre, h half width",
             "definition; sinhc form"),
   SNEPPP__T("b_exp_log", BOX, EXP, EXP, SNEPPP__LOG, box, "", SNEPPP__F_EXP_EXP_LOG,
             "definition; sinhc form"),
   SNEPPP__ROW_TILE("b_cos", BOX, COS, COS, 0, 0, sneppp__transform_pair, sneppp__laplace_box, NULL,
                    sneppp__box_tile, "", SNEPPP__F_COS_COS, "definition; sinhc form", 64),
   SNEPPP__ROW_TILE("b_sin", BOX, SIN, SIN, 0, 0, sneppp__transform_pair, sneppp__laplace_box, NULL,
                    sneppp__box_tile, "", SNEPPP__F_SIN_SIN, "definition; sinhc form", 64),
   SNEPPP__T("b_cos_sin", BOX, COS, SIN, 0, box, "", SNEPPP__F_COS_SIN, "definition; sinhc form"),
   SNEPPP__T("b_exp_cos", BOX, EXP, COS, 0, box, "", SNEPPP__F_EXP_COS, "definition; sinhc form"),
   SNEPPP__T("b_exp_sin", BOX, EXP, SIN, 0, box, "", SNEPPP__F_EXP_SIN, "definition; sinhc form"),
   SNEPPP__T("b1_exp", BOX, EXP, ONE, 0, box, "", SNEPPP__F_EXP_ONE, "definition; sinhc form"),
   SNEPPP__T("b1_exp_log", BOX, EXP, ONE, SNEPPP__LOG, box, "", SNEPPP__F_EXP_ONE_LOG,
             "definition; sinhc form"),
   SNEPPP__T("b1_cos", BOX, COS, ONE, 0, box, "", SNEPPP__F_COS_ONE, "definition; sinhc form"),
   SNEPPP__T("b1_sin", BOX, SIN, ONE, 0, box, "", SNEPPP__F_SIN_ONE, "definition; sinhc form"),
   SNEPPP__T("b1_one", BOX, ONE, ONE, 0, box, "", SNEPPP__F_MASS, "definition; sinhc form"),
   SNEPPP__ROW("b_rbf", BOX, RBF, RBF, 0, SNEPPP__RADIAL, sneppp__rbf_pair, NULL, NULL, "",
               "prod e^(-(ci-cj)^2/2S) tau sqrt(pi/2) (erf v - erf u), S = li^2+lj^2, tau = li lj/sqrt S",
               "Flaxman et al. 2017", 64),
   SNEPPP__ROW("b1_rbf", BOX, RBF, ONE, 0, SNEPPP__RADIAL, sneppp__rbf_pair, NULL, NULL, "",
               "prod l sqrt(pi/2) (erf v - erf u)", "normal cdf", 64),

   /* -- boxes: monomials and rectified units */
   SNEPPP__ROW("b_mono", BOX, MONOMIAL, MONOMIAL, 0, 0, sneppp__b_mono, NULL, NULL, "",
               "moments about the centre, one coordinate at a time", "by coordinates", 64),
   SNEPPP__ROW("b1_mono", BOX, MONOMIAL, ONE, 0, 0, sneppp__b_mono, NULL, NULL, "", "first moment",
               "by coordinates", 64),
   SNEPPP__ROW_TILE("b_relu", BOX, RELU, RELU, -2, 0, sneppp__b_poly, NULL, NULL, sneppp__i_relu_tile,
                    "d <= 2", "sum of triangles (z_i)_+ (z_j)_+", "clipped polygon", 64),
   SNEPPP__ROW("b_step", BOX, STEP, STEP, -2, 0, sneppp__b_poly, NULL, NULL, "d <= 2",
               "measure of {z_i > 0, z_j > 0}", "clipped polygon", 64),
   SNEPPP__ROW("b_rect", BOX, RECT, RECT, -2, 0, sneppp__b_poly, NULL, NULL, "d <= 2",
               "sum of triangles (z_i)_+^p (z_j)_+^q", "clipped polygon", 64),
   SNEPPP__ROW("b_leaky", BOX, LEAKY, LEAKY, -2, 0, sneppp__b_poly, NULL, NULL, "d <= 2",
               "four sign patterns of ReLU", "clipped polygon", 64),
   SNEPPP__ROW("b_leaky_rect", BOX, LEAKY, RECT, -2, 0, sneppp__b_poly, NULL, NULL, "d <= 2",
               "two sign patterns", "clipped polygon", 64),
   SNEPPP__ROW("b_mono_rect", BOX, MONOMIAL, RECT, -2, 0, sneppp__b_poly, NULL, NULL, "d <= 2",
               "z_i^p where z_j > 0", "clipped polygon", 64),
   SNEPPP__ROW("b_mono_leaky", BOX, MONOMIAL, LEAKY, -2, 0, sneppp__b_poly, NULL, NULL, "d <= 2",
               "two sign patterns", "clipped polygon", 64),
   SNEPPP__ROW("b1_rect", BOX, RECT, ONE, -2, 0, sneppp__b_poly, NULL, NULL, "d <= 2", "first moment",
               "clipped polygon", 64),
   SNEPPP__ROW("b1_leaky", BOX, LEAKY, ONE, -2, 0, sneppp__b_poly, NULL, NULL, "d <= 2", "first moment",
               "clipped polygon", 64),
   SNEPPP__ROW("b1_rect_cube", BOX, RECT, ONE, -6, 0, sneppp__b1_cube, NULL, NULL, "3 <= d <= 6",
               "corner sum, by the recursion of B-splines", "de Boor 1972, here", 64),
   SNEPPP__ROW("b1_leaky_cube", BOX, LEAKY, ONE, -6, 0, sneppp__b1_cube, NULL, NULL, "3 <= d <= 6",
               "the same on both sides", "de Boor 1972, here", 64),

   /* -- Gaussian measures and mixtures */
   SNEPPP__ROW_TILE("g_cos", GAUSS, COS, COS, 0, SNEPPP__AT_ONCE, sneppp__gauss_pair, NULL, sneppp__gauss_cos,
                    sneppp__gauss_cos_tile, "",
                    "(e- cos(a-b) + e+ cos(a+b))/2, e-+ = exp(-|w~_i -+ w~_j|^2/2)", "SNEFY 2023", 64),
   SNEPPP__G("gmix_cos", COS, COS, cos, "sum_c pi_c g_cos; every other row takes mixtures, too", "linearity"),
   SNEPPP__G("g_sin", SIN, SIN, sin, "(e- cos(a-b) - e+ cos(a+b))/2", "SNEFY 2023"),
   SNEPPP__G("g_cos_sin", COS, SIN, cos_sin, "(e+ sin(a+b) - e- sin(a-b))/2", "characteristic function"),
   SNEPPP__G("g_snake", SNAKE, SNAKE, snake, "C + ab + waves of frequency 2p", "SNEFY 2023"),
   SNEPPP__G("g_cosmident", COSMIDENT, COSMIDENT, snake, "C + ab + waves of frequency 2p",
             "published code of SNEFY"),
   SNEPPP__G("g_snake_cosmident", SNAKE, COSMIDENT, snake, "C + ab + waves of frequency 2p", "as snake"),
   SNEPPP__G("g_exp", EXP, EXP, exp, "exp(a + b + |w~_i + w~_j|^2/2)", "moment generating function"),
   SNEPPP__ROW("g_exp_log", GAUSS, EXP, EXP, 0, SNEPPP__LOG, sneppp__gauss_pair, NULL, sneppp__gauss_exp, "",
               "a + b + |w~_i + w~_j|^2/2", "moment generating function", 64),
   SNEPPP__G("g_erf", ERF, ERF, cdf, "erf(a/sqrt(1+2A)) erf(b/sqrt(1+2B)) + 4 Psi",
             "Williams 1998, here with bias"),
   SNEPPP__G("g_phi", PHI, PHI, cdf, "Phi_2(a/sqrt(1+A), b/sqrt(1+B); C/sqrt((1+A)(1+B)))", "probit tables"),
   SNEPPP__G("g_step", STEP, STEP, rect, "Phi_2(a/sqrt A, b/sqrt B; C/sqrt(AB))", "definition of Phi_2"),
   SNEPPP__G("g_relu", RELU, RELU, rect,
             "(C+ab) Phi_2 + sqrt A b phi Phi + sqrt B a phi Phi + sqrt D phi phi",
             "truncated normal moments"),
   SNEPPP__ROW("g_arccos", GAUSS, RECT, RECT, 0, SNEPPP__NO_BIAS | SNEPPP__CENTRED, sneppp__gauss_pair, NULL,
               sneppp__gauss_rect, "means and biases 0",
               "|w~_i|^p |w~_j|^q (p+q)!!/(2 pi) int_0^delta sin^p t sin^q(delta-t) dt", "Cho & Saul 2009",
               64),
   SNEPPP__G("g_rect", RECT, RECT, rect, "M_pq by Stein recursions from Phi_2", "truncated normal moments"),
   SNEPPP__G("g_leaky", LEAKY, LEAKY, leaky, "p E[U sigma_j] + (1-p) E[U_+ sigma_j]",
             "Tsuchida et al. 2018, here with bias"),
   SNEPPP__G("g_gelu", GELU, GELU, ramp, "(C+ab) Phi_2 + terms on the lines U = 0, V = 0",
             "Tsuchida et al. 2021, here with bias"),
   SNEPPP__G("g_elu", ELU, ELU, elu, "nine quadrant integrals of tilted normals",
             "Tsuchida et al. 2021, here with bias"),
   SNEPPP__G("g_gauss", BELL, BELL, bell, "Delta^(-1/2) exp(-c (a^2 + b^2 + 2c |a w~_j - b w~_i|^2)/Delta)",
             "Williams 1998, here with bias"),
   SNEPPP__G("g_gabor_sin", GABOR_SIN, GABOR_SIN, bell, "g_gauss times waves over its posterior",
             "Han et al. 2022, here with bias"),
   SNEPPP__G("g_gabor_cos", GABOR_COS, GABOR_COS, bell, "g_gauss times waves over its posterior",
             "Han et al. 2022, here with bias"),
   SNEPPP__G("g_mono", MONOMIAL, MONOMIAL, mono, "sum_r r! binom(p,r) binom(q,r) C^r E[U^(p-r)] E[V^(q-r)]",
             "Isserlis"),
   SNEPPP__G("g_cos_gauss", COS, BELL, bell, "bells reweight the normal, waves are averaged over it",
             "as g_gabor_cos"),
   SNEPPP__G("g_cos_gabor_cos", COS, GABOR_COS, bell, "bells reweight the normal, waves are averaged over it",
             "as g_gabor_cos"),
   SNEPPP__G("g_cos_gabor_sin", COS, GABOR_SIN, bell, "bells reweight the normal, waves are averaged over it",
             "as g_gabor_cos"),
   SNEPPP__G("g_sin_gauss", SIN, BELL, bell, "bells reweight the normal, waves are averaged over it",
             "as g_gabor_cos"),
   SNEPPP__G("g_sin_gabor_cos", SIN, GABOR_COS, bell, "bells reweight the normal, waves are averaged over it",
             "as g_gabor_cos"),
   SNEPPP__G("g_sin_gabor_sin", SIN, GABOR_SIN, bell, "bells reweight the normal, waves are averaged over it",
             "as g_gabor_cos"),
   SNEPPP__G("g_gauss_gabor_cos", BELL, GABOR_COS, bell,
             "bells reweight the normal, waves are averaged over it", "as g_gabor_cos"),
   SNEPPP__G("g_gauss_gabor_sin", BELL, GABOR_SIN, bell,
             "bells reweight the normal, waves are averaged over it", "as g_gabor_cos"),
   SNEPPP__G("g_gabor_cos_gabor_sin", GABOR_COS, GABOR_SIN, bell,
             "bells reweight the normal, waves are averaged over it", "as g_gabor_cos"),
   SNEPPP__G("g_phi_erf", PHI, ERF, cdf, "Phi_2 with the noise of the smooth unit",
             "step = limit of Phi(z/e)"),
   SNEPPP__G("g_phi_step", PHI, STEP, cdf, "Phi_2 with the noise of the smooth unit",
             "step = limit of Phi(z/e)"),
   SNEPPP__G("g_erf_step", ERF, STEP, cdf, "Phi_2 with the noise of the smooth unit",
             "step = limit of Phi(z/e)"),
   SNEPPP__G("g_phi_gelu", PHI, GELU, cdf_ramp, "b Phi_2 + B c_j S_i + C c_i S_j", "Stein's lemma"),
   SNEPPP__G("g_phi_relu", PHI, RELU, cdf_ramp, "b Phi_2 + B c_j S_i + C c_i S_j", "Stein's lemma"),
   SNEPPP__G("g_erf_gelu", ERF, GELU, cdf_ramp, "b Phi_2 + B c_j S_i + C c_i S_j", "Stein's lemma"),
   SNEPPP__G("g_erf_relu", ERF, RELU, cdf_ramp, "b Phi_2 + B c_j S_i + C c_i S_j", "Stein's lemma"),
   SNEPPP__G("g_step_gelu", STEP, GELU, cdf_ramp, "b Phi_2 + B c_j S_i + C c_i S_j", "Stein's lemma"),
   SNEPPP__G("g_gelu_relu", GELU, RELU, ramp, "as g_gelu, noise in one unit only", "Stein's lemma"),
   SNEPPP__G("g_leaky_step", LEAKY, STEP, leaky, "p E[U sigma_j] + (1-p) E[U_+ sigma_j]", "as g_leaky"),
   SNEPPP__G("g_leaky_relu", LEAKY, RELU, leaky, "p E[U sigma_j] + (1-p) E[U_+ sigma_j]", "as g_leaky"),
   SNEPPP__G("g_leaky_rect", LEAKY, RECT, leaky, "p E[U sigma_j] + (1-p) E[U_+ sigma_j]", "as g_leaky"),
   SNEPPP__G("g_leaky_phi", LEAKY, PHI, leaky, "p E[U sigma_j] + (1-p) E[U_+ sigma_j]", "as g_leaky"),
   SNEPPP__G("g_leaky_erf", LEAKY, ERF, leaky, "p E[U sigma_j] + (1-p) E[U_+ sigma_j]", "as g_leaky"),
   SNEPPP__G("g_leaky_gelu", LEAKY, GELU, leaky, "p E[U sigma_j] + (1-p) E[U_+ sigma_j]", "as g_leaky"),
   SNEPPP__ROW("g_exp_one_log", GAUSS, EXP, ONE, 0, SNEPPP__LOG, sneppp__gauss_pair, NULL, sneppp__gauss_one,
               "", "a + A/2", "moment generating function", 64),
   SNEPPP__ROW("g_one_log", GAUSS, ONE, ONE, 0, SNEPPP__LOG, sneppp__gauss_pair, NULL, sneppp__gauss_one, "",
               "log of the total mass", "definition", 64),
   SNEPPP__G("g_exp_cos", EXP, COS, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_sin", EXP, SIN, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_snake", EXP, SNAKE, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_cosmident", EXP, COSMIDENT, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_erf", EXP, ERF, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_phi", EXP, PHI, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_step", EXP, STEP, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_relu", EXP, RELU, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_rect", EXP, RECT, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_leaky", EXP, LEAKY, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_gelu", EXP, GELU, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_elu", EXP, ELU, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_gauss", EXP, BELL, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_gabor_sin", EXP, GABOR_SIN, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_gabor_cos", EXP, GABOR_COS, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_exp_mono", EXP, MONOMIAL, tilted, "e^(a+A/2) c_j(b + C, B)", "exponential tilt"),
   SNEPPP__G("g_mono_cos", MONOMIAL, COS, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_sin", MONOMIAL, SIN, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_snake", MONOMIAL, SNAKE, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_cosmident", MONOMIAL, COSMIDENT, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_erf", MONOMIAL, ERF, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_phi", MONOMIAL, PHI, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_step", MONOMIAL, STEP, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_relu", MONOMIAL, RELU, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_rect", MONOMIAL, RECT, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_leaky", MONOMIAL, LEAKY, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_gelu", MONOMIAL, GELU, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_elu", MONOMIAL, ELU, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_gauss", MONOMIAL, BELL, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_gabor_sin", MONOMIAL, GABOR_SIN, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g_mono_gabor_cos", MONOMIAL, GABOR_COS, mono, "sum_r binom(p,r) C^r E[U^(p-r)] c_j^(r)(b, B)",
             "Price's theorem"),
   SNEPPP__G("g1_cos", COS, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_sin", SIN, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_snake", SNAKE, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_cosmident", COSMIDENT, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_exp", EXP, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_erf", ERF, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_phi", PHI, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_step", STEP, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_relu", RELU, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_rect", RECT, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_leaky", LEAKY, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_gelu", GELU, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_elu", ELU, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_gauss", BELL, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_gabor_sin", GABOR_SIN, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_gabor_cos", GABOR_COS, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_mono", MONOMIAL, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__G("g1_one", ONE, ONE, one, "c(a, A)", "first moment"),
   SNEPPP__ROW("g_rbf", GAUSS, RBF, RBF, 0, SNEPPP__RADIAL, sneppp__gauss_rbf_pair, NULL, NULL, "",
               "prod_r sqrt(tau^2/(tau^2+s^2)) exp(-(c_i-c_j)^2/2S - (c-m)^2/2(tau^2+s^2))",
               "completing the square", 64),
   SNEPPP__ROW("g_rbf_log", GAUSS, RBF, RBF, 0, SNEPPP__RADIAL | SNEPPP__LOG, sneppp__gauss_rbf_pair, NULL,
               NULL, "", "the logarithm of g_rbf", "completing the square", 64),
   SNEPPP__ROW("g_exp_rbf", GAUSS, EXP, RBF, 0, SNEPPP__RADIAL, sneppp__gauss_rbf_pair, NULL, NULL, "",
               "exponential tilt of g1_rbf", "completing the square", 64),
   SNEPPP__ROW("g1_rbf", GAUSS, RBF, ONE, 0, SNEPPP__RADIAL, sneppp__gauss_rbf_pair, NULL, NULL, "",
               "prod_r sqrt(l^2/(l^2+s^2)) exp(-(c-m)^2/2(l^2+s^2))", "completing the square", 64),

   /* -- spheres: transforms */
   SNEPPP__T("s_exp", SPHERE, EXP, EXP, 0, sphere, "", "e^(bi+bj) L(wi+wj), L(s) = mass 0F1(;d/2;|s|^2/4)",
             "Mardia and Jupp 2000"),
   SNEPPP__T("s_exp_log", SPHERE, EXP, EXP, SNEPPP__LOG, sphere, "", SNEPPP__F_EXP_EXP_LOG,
             "Mardia and Jupp 2000"),
   SNEPPP__T("s_cos", SPHERE, COS, COS, 0, sphere, "", SNEPPP__F_COS_COS, "Mardia and Jupp 2000"),
   SNEPPP__T("s_sin", SPHERE, SIN, SIN, 0, sphere, "", SNEPPP__F_SIN_SIN, "Mardia and Jupp 2000"),
   SNEPPP__T("s_cos_sin", SPHERE, COS, SIN, 0, sphere, "", SNEPPP__F_COS_SIN, "Mardia and Jupp 2000"),
   SNEPPP__T("s1_exp", SPHERE, EXP, ONE, 0, sphere, "", SNEPPP__F_EXP_ONE, "Mardia and Jupp 2000"),
   SNEPPP__T("s1_exp_log", SPHERE, EXP, ONE, SNEPPP__LOG, sphere, "", SNEPPP__F_EXP_ONE_LOG,
             "Mardia and Jupp 2000"),
   SNEPPP__T("s1_cos", SPHERE, COS, ONE, 0, sphere, "", SNEPPP__F_COS_ONE, "Mardia and Jupp 2000"),
   SNEPPP__T("s1_sin", SPHERE, SIN, ONE, 0, sphere, "", SNEPPP__F_SIN_ONE, "Mardia and Jupp 2000"),
   SNEPPP__T("s1_one", SPHERE, ONE, ONE, 0, sphere, "", SNEPPP__F_MASS, "Mardia and Jupp 2000"),

   /* -- spheres: rectified units and monomials */
   SNEPPP__ROW_TILE("s_relu", SPHERE, RELU, RELU, 0, SNEPPP__NO_BIAS, sneppp__s_poly, NULL, NULL,
                    sneppp__s_relu_tile, "no bias", "|wi||wj| (sin D - D cos D)/(2 pi d), D = pi - angle",
                    "Cho and Saul 2009, over E|x|^(p+q)", 64),
   SNEPPP__ROW("s_step", SPHERE, STEP, STEP, 0, SNEPPP__NO_BIAS, sneppp__s_poly, NULL, NULL, "no bias",
               "D/(2 pi), D = pi - angle", "Cho and Saul 2009, over E|x|^(p+q)", 64),
   SNEPPP__ROW("s_rect", SPHERE, RECT, RECT, 0, SNEPPP__NO_BIAS, sneppp__s_poly, NULL, NULL, "no bias",
               "c |wi|^p |wj|^q int_0^D sin^p t sin^q(D-t) dt", "Cho and Saul 2009, over E|x|^(p+q)", 64),
   SNEPPP__ROW("s_leaky", SPHERE, LEAKY, LEAKY, 0, SNEPPP__NO_BIAS, sneppp__s_poly, NULL, NULL, "no bias",
               "((1+l^2) K(D) - 2 l K(pi-D))", "Cho and Saul 2009, over E|x|^(p+q)", 64),
   SNEPPP__ROW("s_leaky_rect", SPHERE, LEAKY, RECT, 0, SNEPPP__NO_BIAS, sneppp__s_poly, NULL, NULL, "no bias",
               "two sign patterns", "Cho and Saul 2009, over E|x|^(p+q)", 64),
   SNEPPP__ROW("s_mono_rect", SPHERE, MONOMIAL, RECT, 0, SNEPPP__NO_BIAS, sneppp__s_poly, NULL, NULL,
               "no bias", "two sign patterns", "Cho and Saul 2009, over E|x|^(p+q)", 64),
   SNEPPP__ROW("s_mono_leaky", SPHERE, MONOMIAL, LEAKY, 0, SNEPPP__NO_BIAS, sneppp__s_poly, NULL, NULL,
               "no bias", "four sign patterns", "Cho and Saul 2009, over E|x|^(p+q)", 64),
   SNEPPP__ROW("s_mono", SPHERE, MONOMIAL, MONOMIAL, 0, 0, sneppp__s_mono, NULL, NULL, "",
               "sum binom binom b^.. b^.. G_rt/E|x|^(r+t)", "Isserlis", 64),
   SNEPPP__ROW("s2_relu", SPHERE, RELU, RELU, 3, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "lens of two caps", "Gauss-Bonnet and Stokes on the lens of two caps", 64),
   SNEPPP__ROW("s2_step", SPHERE, STEP, STEP, 3, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "lens of two caps", "Gauss-Bonnet and Stokes on the lens of two caps", 64),
   SNEPPP__ROW("s2_rect", SPHERE, RECT, RECT, 3, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "lens of two caps", "Gauss-Bonnet and Stokes on the lens of two caps", 64),
   SNEPPP__ROW("s2_leaky", SPHERE, LEAKY, LEAKY, 3, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "lens of two caps", "Gauss-Bonnet and Stokes on the lens of two caps", 64),
   SNEPPP__ROW("s2_leaky_rect", SPHERE, LEAKY, RECT, 3, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "two sign patterns", "Gauss-Bonnet and Stokes on the lens of two caps",
               64),
   SNEPPP__ROW("s2_mono_rect", SPHERE, MONOMIAL, RECT, 3, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "two sign patterns", "Gauss-Bonnet and Stokes on the lens of two caps",
               64),
   SNEPPP__ROW("s2_mono_leaky", SPHERE, MONOMIAL, LEAKY, 3, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "four sign patterns", "Gauss-Bonnet and Stokes on the lens of two caps",
               64),
   SNEPPP__ROW("c_relu", SPHERE, RELU, RELU, 2, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "arcs", "intersection of arcs", 64),
   SNEPPP__ROW("c_step", SPHERE, STEP, STEP, 2, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "arcs", "intersection of arcs", 64),
   SNEPPP__ROW("c_rect", SPHERE, RECT, RECT, 2, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "arcs", "intersection of arcs", 64),
   SNEPPP__ROW("c_leaky", SPHERE, LEAKY, LEAKY, 2, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "arcs", "intersection of arcs", 64),
   SNEPPP__ROW("c_leaky_rect", SPHERE, LEAKY, RECT, 2, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "two sign patterns", "intersection of arcs", 64),
   SNEPPP__ROW("c_mono_rect", SPHERE, MONOMIAL, RECT, 2, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "two sign patterns", "intersection of arcs", 64),
   SNEPPP__ROW("c_mono_leaky", SPHERE, MONOMIAL, LEAKY, 2, SNEPPP__LOW_ORDER, sneppp__s_biased, NULL, NULL,
               "orders p, q <= 1", "four sign patterns", "intersection of arcs", 64),
   SNEPPP__ROW("s0_relu", SPHERE, RELU, RELU, 1, 0, sneppp__s_two_points, NULL, NULL, "", "sum over -1 and 1",
               "two points", 64),
   SNEPPP__ROW("s0_step", SPHERE, STEP, STEP, 1, 0, sneppp__s_two_points, NULL, NULL, "", "sum over -1 and 1",
               "two points", 64),
   SNEPPP__ROW("s0_rect", SPHERE, RECT, RECT, 1, 0, sneppp__s_two_points, NULL, NULL, "", "sum over -1 and 1",
               "two points", 64),
   SNEPPP__ROW("s0_leaky", SPHERE, LEAKY, LEAKY, 1, 0, sneppp__s_two_points, NULL, NULL, "",
               "sum over -1 and 1", "two points", 64),
   SNEPPP__ROW("s0_leaky_rect", SPHERE, LEAKY, RECT, 1, 0, sneppp__s_two_points, NULL, NULL, "",
               "two sign patterns", "two points", 64),
   SNEPPP__ROW("s0_mono_rect", SPHERE, MONOMIAL, RECT, 1, 0, sneppp__s_two_points, NULL, NULL, "",
               "two sign patterns", "two points", 64),
   SNEPPP__ROW("s0_mono_leaky", SPHERE, MONOMIAL, LEAKY, 1, 0, sneppp__s_two_points, NULL, NULL, "",
               "four sign patterns", "two points", 64),
   SNEPPP__ROW("s10_rect", SPHERE, RECT, ONE, 1, 0, sneppp__s_two_points, NULL, NULL, "", "sum over -1 and 1",
               "two points", 64),
   SNEPPP__ROW("s10_leaky", SPHERE, LEAKY, ONE, 1, 0, sneppp__s_two_points, NULL, NULL, "",
               "sum over -1 and 1", "two points", 64),
   SNEPPP__ROW("s1_rect", SPHERE, RECT, ONE, 0, 0, sneppp__s_moment, NULL, NULL, "",
               "M_p by parts from P(z > t)", "beta integral", 64),
   SNEPPP__ROW("s1_leaky", SPHERE, LEAKY, ONE, 0, 0, sneppp__s_moment, NULL, NULL, "", "M_1 on both sides",
               "beta integral", 64),
   SNEPPP__ROW("s21_rect", SPHERE, RECT, ONE, 3, 0, sneppp__s_moment, NULL, NULL, "", "n (1-t)^2/4, (1-t)/2",
               "beta integral", 64),
   SNEPPP__ROW("s1_mono", SPHERE, MONOMIAL, ONE, 0, 0, sneppp__s_mono, NULL, NULL, "",
               "sum binom b^.. G_r0/E|x|^r", "Isserlis", 64),

   /* -- intervals: transforms */
   SNEPPP__T("i_exp", INTERVALS, EXP, EXP, 0, intervals, "",
             "e^(bi+bj) L(wi+wj), L the sum over boxes with d = 1", "definition"),
   SNEPPP__T("i_exp_log", INTERVALS, EXP, EXP, SNEPPP__LOG, intervals, "", SNEPPP__F_EXP_EXP_LOG,
             "definition"),
   SNEPPP__T("i_cos", INTERVALS, COS, COS, 0, intervals, "", SNEPPP__F_COS_COS, "definition"),
   SNEPPP__T("i_sin", INTERVALS, SIN, SIN, 0, intervals, "", SNEPPP__F_SIN_SIN, "definition"),
   SNEPPP__T("i_cos_sin", INTERVALS, COS, SIN, 0, intervals, "", SNEPPP__F_COS_SIN, "definition"),
   SNEPPP__T("i_exp_cos", INTERVALS, EXP, COS, 0, intervals, "", SNEPPP__F_EXP_COS, "definition"),
   SNEPPP__T("i_exp_sin", INTERVALS, EXP, SIN, 0, intervals, "", SNEPPP__F_EXP_SIN, "definition"),
   SNEPPP__T("i1_exp", INTERVALS, EXP, ONE, 0, intervals, "", SNEPPP__F_EXP_ONE, "definition"),
   SNEPPP__T("i1_exp_log", INTERVALS, EXP, ONE, SNEPPP__LOG, intervals, "", SNEPPP__F_EXP_ONE_LOG,
             "definition"),
   SNEPPP__T("i1_cos", INTERVALS, COS, ONE, 0, intervals, "", SNEPPP__F_COS_ONE, "definition"),
   SNEPPP__T("i1_sin", INTERVALS, SIN, ONE, 0, intervals, "", SNEPPP__F_SIN_ONE, "definition"),
   SNEPPP__T("i1_one", INTERVALS, ONE, ONE, 0, intervals, "", SNEPPP__F_MASS, "definition"),
   SNEPPP__ROW("i_rbf", INTERVALS, RBF, RBF, 0, SNEPPP__RADIAL, sneppp__i_rbf_pair, NULL, NULL, "",
               "sum over the intervals of b_rbf", "additivity", 64),
   SNEPPP__ROW("i1_rbf", INTERVALS, RBF, ONE, 0, SNEPPP__RADIAL, sneppp__i_rbf_pair, NULL, NULL, "",
               "sum over the intervals of b1_rbf", "additivity", 64),

   /* -- intervals: rectified units */
   SNEPPP__ROW_TILE("i_relu", INTERVALS, RELU, RELU, 0, 0, sneppp__i_poly, NULL, NULL, sneppp__i_relu_tile,
                    "", "sum of segments (z_i)_+ (z_j)_+", "Simpson on each piece", 64),
   SNEPPP__ROW("i_step", INTERVALS, STEP, STEP, 0, 0, sneppp__i_poly, NULL, NULL, "",
               "measure of {z_i > 0, z_j > 0}", "Simpson on each piece", 64),
   SNEPPP__ROW("i_rect", INTERVALS, RECT, RECT, 0, 0, sneppp__i_poly, NULL, NULL, "",
               "sum of segments (z_i)_+^p (z_j)_+^q", "Simpson on each piece", 64),
   SNEPPP__ROW("i_leaky", INTERVALS, LEAKY, LEAKY, 0, 0, sneppp__i_poly, NULL, NULL, "",
               "four sign patterns of ReLU", "Simpson on each piece", 64),
   SNEPPP__ROW("i_mono", INTERVALS, MONOMIAL, MONOMIAL, 0, 0, sneppp__i_poly, NULL, NULL, "",
               "sum of segments z_i^p z_j^q", "Simpson on each piece", 64),
   SNEPPP__ROW("i_leaky_rect", INTERVALS, LEAKY, RECT, 0, 0, sneppp__i_poly, NULL, NULL, "",
               "two sign patterns", "Simpson on each piece", 64),
   SNEPPP__ROW("i_mono_rect", INTERVALS, MONOMIAL, RECT, 0, 0, sneppp__i_poly, NULL, NULL, "",
               "z_i^p where z_j > 0", "Simpson on each piece", 64),
   SNEPPP__ROW("i_mono_leaky", INTERVALS, MONOMIAL, LEAKY, 0, 0, sneppp__i_poly, NULL, NULL, "",
               "two sign patterns", "Simpson on each piece", 64),
   SNEPPP__ROW("i1_rect", INTERVALS, RECT, ONE, 0, 0, sneppp__i_poly, NULL, NULL, "", "first moment",
               "Simpson on each piece", 64),
   SNEPPP__ROW("i1_leaky", INTERVALS, LEAKY, ONE, 0, 0, sneppp__i_poly, NULL, NULL, "", "first moment",
               "Simpson on each piece", 64),
   SNEPPP__ROW("i1_mono", INTERVALS, MONOMIAL, ONE, 0, 0, sneppp__i_poly, NULL, NULL, "", "first moment",
               "Simpson on each piece", 64),

   /* -- polygons: transforms */
   SNEPPP__T("p_exp", POLYGON, EXP, EXP, 0, polygon, "",
             "e^(bi+bj) L(wi+wj), L(s) = sum of signed 2T exp[s.v0, s.v1, s.v2]", "Hermite-Genocchi"),
   SNEPPP__T("p_exp_log", POLYGON, EXP, EXP, SNEPPP__LOG, polygon, "", SNEPPP__F_EXP_EXP_LOG,
             "Hermite-Genocchi"),
   SNEPPP__T("p_cos", POLYGON, COS, COS, 0, polygon, "", SNEPPP__F_COS_COS, "Hermite-Genocchi"),
   SNEPPP__T("p_sin", POLYGON, SIN, SIN, 0, polygon, "", SNEPPP__F_SIN_SIN, "Hermite-Genocchi"),
   SNEPPP__T("p_cos_sin", POLYGON, COS, SIN, 0, polygon, "", SNEPPP__F_COS_SIN, "Hermite-Genocchi"),
   SNEPPP__T("p_exp_cos", POLYGON, EXP, COS, 0, polygon, "", SNEPPP__F_EXP_COS, "Hermite-Genocchi"),
   SNEPPP__T("p_exp_sin", POLYGON, EXP, SIN, 0, polygon, "", SNEPPP__F_EXP_SIN, "Hermite-Genocchi"),
   SNEPPP__T("p1_exp", POLYGON, EXP, ONE, 0, polygon, "", SNEPPP__F_EXP_ONE, "Hermite-Genocchi"),
   SNEPPP__T("p1_exp_log", POLYGON, EXP, ONE, SNEPPP__LOG, polygon, "", SNEPPP__F_EXP_ONE_LOG,
             "Hermite-Genocchi"),
   SNEPPP__T("p1_cos", POLYGON, COS, ONE, 0, polygon, "", SNEPPP__F_COS_ONE, "Hermite-Genocchi"),
   SNEPPP__T("p1_sin", POLYGON, SIN, ONE, 0, polygon, "", SNEPPP__F_SIN_ONE, "Hermite-Genocchi"),
   SNEPPP__T("p1_one", POLYGON, ONE, ONE, 0, polygon, "", SNEPPP__F_MASS, "Hermite-Genocchi"),
   SNEPPP__ROW("p_rbf", POLYGON, RBF, RBF, 0, SNEPPP__RADIAL, sneppp__p_rbf_pair, NULL, NULL, "",
               "b_rbf's bell over the polygon: edges add angle/2pi - difference of Owen's T", "Owen 1956", 64),
   SNEPPP__ROW("p1_rbf", POLYGON, RBF, ONE, 0, SNEPPP__RADIAL, sneppp__p_rbf_pair, NULL, NULL, "",
               "edges add angle/2pi - difference of Owen's T", "Owen 1956", 64),

   /* -- polygons: rectified units */
   SNEPPP__ROW("p_relu", POLYGON, RELU, RELU, 0, 0, sneppp__p_poly, NULL, NULL, "",
               "sum of triangles (z_i)_+ (z_j)_+", "clipped polygon", 64),
   SNEPPP__ROW("p_step", POLYGON, STEP, STEP, 0, 0, sneppp__p_poly, NULL, NULL, "",
               "measure of {z_i > 0, z_j > 0}", "clipped polygon", 64),
   SNEPPP__ROW("p_rect", POLYGON, RECT, RECT, 0, 0, sneppp__p_poly, NULL, NULL, "",
               "sum of triangles (z_i)_+^p (z_j)_+^q", "clipped polygon", 64),
   SNEPPP__ROW("p_leaky", POLYGON, LEAKY, LEAKY, 0, 0, sneppp__p_poly, NULL, NULL, "",
               "four sign patterns of ReLU", "clipped polygon", 64),
   SNEPPP__ROW("p_mono", POLYGON, MONOMIAL, MONOMIAL, 0, 0, sneppp__p_poly, NULL, NULL, "",
               "sum of triangles z_i^p z_j^q", "clipped polygon", 64),
   SNEPPP__ROW("p_leaky_rect", POLYGON, LEAKY, RECT, 0, 0, sneppp__p_poly, NULL, NULL, "",
               "two sign patterns", "clipped polygon", 64),
   SNEPPP__ROW("p_mono_rect", POLYGON, MONOMIAL, RECT, 0, 0, sneppp__p_poly, NULL, NULL, "",
               "z_i^p where z_j > 0", "clipped polygon", 64),
   SNEPPP__ROW("p_mono_leaky", POLYGON, MONOMIAL, LEAKY, 0, 0, sneppp__p_poly, NULL, NULL, "",
               "two sign patterns", "clipped polygon", 64),
   SNEPPP__ROW("p1_rect", POLYGON, RECT, ONE, 0, 0, sneppp__p_poly, NULL, NULL, "", "first moment",
               "clipped polygon", 64),
   SNEPPP__ROW("p1_leaky", POLYGON, LEAKY, ONE, 0, 0, sneppp__p_poly, NULL, NULL, "", "first moment",
               "clipped polygon", 64),
   SNEPPP__ROW("p1_mono", POLYGON, MONOMIAL, ONE, 0, 0, sneppp__p_poly, NULL, NULL, "", "first moment",
               "clipped polygon", 64),

   /* -- balls and R^d */
   SNEPPP__T("ball_exp", BALL, EXP, EXP, 0, ball, "",
             "e^(bi+bj) L(wi+wj), L(s) = vol e^(s.c) 0F1(;d/2+1;R^2|s|^2/4)", "Bessel integral"),
   SNEPPP__T("ball_exp_log", BALL, EXP, EXP, SNEPPP__LOG, ball, "", SNEPPP__F_EXP_EXP_LOG, "Bessel integral"),
   SNEPPP__T("ball_cos", BALL, COS, COS, 0, ball, "", SNEPPP__F_COS_COS, "Bessel integral"),
   SNEPPP__T("ball_sin", BALL, SIN, SIN, 0, ball, "", SNEPPP__F_SIN_SIN, "Bessel integral"),
   SNEPPP__T("ball_cos_sin", BALL, COS, SIN, 0, ball, "", SNEPPP__F_COS_SIN, "Bessel integral"),
   SNEPPP__T("ball1_exp", BALL, EXP, ONE, 0, ball, "", SNEPPP__F_EXP_ONE, "Bessel integral"),
   SNEPPP__T("ball1_exp_log", BALL, EXP, ONE, SNEPPP__LOG, ball, "", SNEPPP__F_EXP_ONE_LOG,
             "Bessel integral"),
   SNEPPP__T("ball1_cos", BALL, COS, ONE, 0, ball, "", SNEPPP__F_COS_ONE, "Bessel integral"),
   SNEPPP__T("ball1_sin", BALL, SIN, ONE, 0, ball, "", SNEPPP__F_SIN_ONE, "Bessel integral"),
   SNEPPP__T("ball1_one", BALL, ONE, ONE, 0, ball, "", SNEPPP__F_MASS, "Bessel integral"),
   SNEPPP__ROW("euclid_rbf", EUCLID, RBF, RBF, 0, SNEPPP__RADIAL, sneppp__rbf_pair, NULL, NULL, "",
               "prod tau sqrt(2 pi) e^(-(ci-cj)^2/2S)", "product of Gaussians", 64),
   SNEPPP__ROW("euclid1_rbf", EUCLID, RBF, ONE, 0, SNEPPP__RADIAL, sneppp__rbf_pair, NULL, NULL, "",
               "prod l sqrt(2 pi)", "Gauss", 64),

   /* -- exponential families and finite sets */
   SNEPPP__T("e_gamma", GAMMA, EXP, EXP, 0, gamma, "a0+2w1 > 0, b0-2w2 > 0",
             "e^(bi+bj) L(wi+wj), L = Gamma(a) b^-a, a = a0+s1, b = b0-s2", "textbook partition function"),
   SNEPPP__T("e_gamma_log", GAMMA, EXP, EXP, SNEPPP__LOG, gamma, "a0+2w1 > 0, b0-2w2 > 0",
             SNEPPP__F_EXP_EXP_LOG, "textbook partition function"),
   SNEPPP__T("gamma_cos", GAMMA, COS, COS, 0, gamma, "", SNEPPP__F_COS_COS, "textbook partition function"),
   SNEPPP__T("gamma_sin", GAMMA, SIN, SIN, 0, gamma, "", SNEPPP__F_SIN_SIN, "textbook partition function"),
   SNEPPP__T("gamma_cos_sin", GAMMA, COS, SIN, 0, gamma, "", SNEPPP__F_COS_SIN,
             "textbook partition function"),
   SNEPPP__T("gamma_exp_cos", GAMMA, EXP, COS, 0, gamma, "a0+2w1 > 0, b0-2w2 > 0", SNEPPP__F_EXP_COS,
             "textbook partition function"),
   SNEPPP__T("gamma_exp_sin", GAMMA, EXP, SIN, 0, gamma, "a0+2w1 > 0, b0-2w2 > 0", SNEPPP__F_EXP_SIN,
             "textbook partition function"),
   SNEPPP__T("e1_gamma", GAMMA, EXP, ONE, 0, gamma, "a0+2w1 > 0, b0-2w2 > 0", SNEPPP__F_EXP_ONE,
             "textbook partition function"),
   SNEPPP__T("e1_gamma_log", GAMMA, EXP, ONE, SNEPPP__LOG, gamma, "a0+2w1 > 0, b0-2w2 > 0",
             SNEPPP__F_EXP_ONE_LOG, "textbook partition function"),
   SNEPPP__T("gamma1_cos", GAMMA, COS, ONE, 0, gamma, "", SNEPPP__F_COS_ONE, "textbook partition function"),
   SNEPPP__T("gamma1_sin", GAMMA, SIN, ONE, 0, gamma, "", SNEPPP__F_SIN_ONE, "textbook partition function"),
   SNEPPP__T("gamma1_one", GAMMA, ONE, ONE, 0, gamma, "", SNEPPP__F_MASS, "textbook partition function"),
   SNEPPP__T("e_beta", BETA, EXP, EXP, 0, dirichlet, "a0+2w1 > 0, b0+2w2 > 0",
             "e^(bi+bj) L(wi+wj), L = B(a0+s1, b0+s2)", "textbook partition function"),
   SNEPPP__T("e_beta_log", BETA, EXP, EXP, SNEPPP__LOG, dirichlet, "a0+2w1 > 0, b0+2w2 > 0",
             SNEPPP__F_EXP_EXP_LOG, "textbook partition function"),
   SNEPPP__T("beta_cos", BETA, COS, COS, 0, dirichlet, "", SNEPPP__F_COS_COS, "textbook partition function"),
   SNEPPP__T("beta_sin", BETA, SIN, SIN, 0, dirichlet, "", SNEPPP__F_SIN_SIN, "textbook partition function"),
   SNEPPP__T("beta_cos_sin", BETA, COS, SIN, 0, dirichlet, "", SNEPPP__F_COS_SIN,
             "textbook partition function"),
   SNEPPP__T("beta_exp_cos", BETA, EXP, COS, 0, dirichlet, "a0+2w1 > 0, b0+2w2 > 0", SNEPPP__F_EXP_COS,
             "textbook partition function"),
   SNEPPP__T("beta_exp_sin", BETA, EXP, SIN, 0, dirichlet, "a0+2w1 > 0, b0+2w2 > 0", SNEPPP__F_EXP_SIN,
             "textbook partition function"),
   SNEPPP__T("e1_beta", BETA, EXP, ONE, 0, dirichlet, "a0+2w1 > 0, b0+2w2 > 0", SNEPPP__F_EXP_ONE,
             "textbook partition function"),
   SNEPPP__T("e1_beta_log", BETA, EXP, ONE, SNEPPP__LOG, dirichlet, "a0+2w1 > 0, b0+2w2 > 0",
             SNEPPP__F_EXP_ONE_LOG, "textbook partition function"),
   SNEPPP__T("beta1_cos", BETA, COS, ONE, 0, dirichlet, "", SNEPPP__F_COS_ONE, "textbook partition function"),
   SNEPPP__T("beta1_sin", BETA, SIN, ONE, 0, dirichlet, "", SNEPPP__F_SIN_ONE, "textbook partition function"),
   SNEPPP__T("beta1_one", BETA, ONE, ONE, 0, dirichlet, "", SNEPPP__F_MASS, "textbook partition function"),
   SNEPPP__T("e_dirichlet", DIRICHLET, EXP, EXP, 0, dirichlet, "a0+2w > 0",
             "e^(bi+bj) L(wi+wj), L = prod Gamma(a_r) / Gamma(sum a_r), a = a0+s",
             "textbook partition function"),
   SNEPPP__T("e_dirichlet_log", DIRICHLET, EXP, EXP, SNEPPP__LOG, dirichlet, "a0+2w > 0",
             SNEPPP__F_EXP_EXP_LOG, "textbook partition function"),
   SNEPPP__T("dirichlet_cos", DIRICHLET, COS, COS, 0, dirichlet, "", SNEPPP__F_COS_COS,
             "textbook partition function"),
   SNEPPP__T("dirichlet_sin", DIRICHLET, SIN, SIN, 0, dirichlet, "", SNEPPP__F_SIN_SIN,
             "textbook partition function"),
   SNEPPP__T("dirichlet_cos_sin", DIRICHLET, COS, SIN, 0, dirichlet, "", SNEPPP__F_COS_SIN,
             "textbook partition function"),
   SNEPPP__T("dirichlet_exp_cos", DIRICHLET, EXP, COS, 0, dirichlet, "a0+2w > 0", SNEPPP__F_EXP_COS,
             "textbook partition function"),
   SNEPPP__T("dirichlet_exp_sin", DIRICHLET, EXP, SIN, 0, dirichlet, "a0+2w > 0", SNEPPP__F_EXP_SIN,
             "textbook partition function"),
   SNEPPP__T("e1_dirichlet", DIRICHLET, EXP, ONE, 0, dirichlet, "a0+2w > 0", SNEPPP__F_EXP_ONE,
             "textbook partition function"),
   SNEPPP__T("e1_dirichlet_log", DIRICHLET, EXP, ONE, SNEPPP__LOG, dirichlet, "a0+2w > 0",
             SNEPPP__F_EXP_ONE_LOG, "textbook partition function"),
   SNEPPP__T("dirichlet1_cos", DIRICHLET, COS, ONE, 0, dirichlet, "", SNEPPP__F_COS_ONE,
             "textbook partition function"),
   SNEPPP__T("dirichlet1_sin", DIRICHLET, SIN, ONE, 0, dirichlet, "", SNEPPP__F_SIN_ONE,
             "textbook partition function"),
   SNEPPP__T("dirichlet1_one", DIRICHLET, ONE, ONE, 0, dirichlet, "", SNEPPP__F_MASS,
             "textbook partition function"),
   SNEPPP__T("e_poisson", POISSON, EXP, EXP, 0, poisson, "", "e^(bi+bj) L(wi+wj), L = exp(r e^s)",
             "textbook partition function"),
   SNEPPP__T("e_poisson_log", POISSON, EXP, EXP, SNEPPP__LOG, poisson, "", SNEPPP__F_EXP_EXP_LOG,
             "textbook partition function"),
   SNEPPP__T("poisson_cos", POISSON, COS, COS, 0, poisson, "", SNEPPP__F_COS_COS,
             "textbook partition function"),
   SNEPPP__T("poisson_sin", POISSON, SIN, SIN, 0, poisson, "", SNEPPP__F_SIN_SIN,
             "textbook partition function"),
   SNEPPP__T("poisson_cos_sin", POISSON, COS, SIN, 0, poisson, "", SNEPPP__F_COS_SIN,
             "textbook partition function"),
   SNEPPP__T("poisson_exp_cos", POISSON, EXP, COS, 0, poisson, "", SNEPPP__F_EXP_COS,
             "textbook partition function"),
   SNEPPP__T("poisson_exp_sin", POISSON, EXP, SIN, 0, poisson, "", SNEPPP__F_EXP_SIN,
             "textbook partition function"),
   SNEPPP__T("e1_poisson", POISSON, EXP, ONE, 0, poisson, "", SNEPPP__F_EXP_ONE,
             "textbook partition function"),
   SNEPPP__T("e1_poisson_log", POISSON, EXP, ONE, SNEPPP__LOG, poisson, "", SNEPPP__F_EXP_ONE_LOG,
             "textbook partition function"),
   SNEPPP__T("poisson1_cos", POISSON, COS, ONE, 0, poisson, "", SNEPPP__F_COS_ONE,
             "textbook partition function"),
   SNEPPP__T("poisson1_sin", POISSON, SIN, ONE, 0, poisson, "", SNEPPP__F_SIN_ONE,
             "textbook partition function"),
   SNEPPP__T("poisson1_one", POISSON, ONE, ONE, 0, poisson, "", SNEPPP__F_MASS,
             "textbook partition function"),
   SNEPPP__T("e_binomial", BINOMIAL, EXP, EXP, 0, binomial, "", "e^(bi+bj) L(wi+wj), L = (1+e^s)^N",
             "textbook partition function"),
   SNEPPP__T("e_binomial_log", BINOMIAL, EXP, EXP, SNEPPP__LOG, binomial, "", SNEPPP__F_EXP_EXP_LOG,
             "textbook partition function"),
   SNEPPP__T("binomial_cos", BINOMIAL, COS, COS, 0, binomial, "", SNEPPP__F_COS_COS,
             "textbook partition function"),
   SNEPPP__T("binomial_sin", BINOMIAL, SIN, SIN, 0, binomial, "", SNEPPP__F_SIN_SIN,
             "textbook partition function"),
   SNEPPP__T("binomial_cos_sin", BINOMIAL, COS, SIN, 0, binomial, "", SNEPPP__F_COS_SIN,
             "textbook partition function"),
   SNEPPP__T("binomial_exp_cos", BINOMIAL, EXP, COS, 0, binomial, "", SNEPPP__F_EXP_COS,
             "textbook partition function"),
   SNEPPP__T("binomial_exp_sin", BINOMIAL, EXP, SIN, 0, binomial, "", SNEPPP__F_EXP_SIN,
             "textbook partition function"),
   SNEPPP__T("e1_binomial", BINOMIAL, EXP, ONE, 0, binomial, "", SNEPPP__F_EXP_ONE,
             "textbook partition function"),
   SNEPPP__T("e1_binomial_log", BINOMIAL, EXP, ONE, SNEPPP__LOG, binomial, "", SNEPPP__F_EXP_ONE_LOG,
             "textbook partition function"),
   SNEPPP__T("binomial1_cos", BINOMIAL, COS, ONE, 0, binomial, "", SNEPPP__F_COS_ONE,
             "textbook partition function"),
   SNEPPP__T("binomial1_sin", BINOMIAL, SIN, ONE, 0, binomial, "", SNEPPP__F_SIN_ONE,
             "textbook partition function"),
   SNEPPP__T("binomial1_one", BINOMIAL, ONE, ONE, 0, binomial, "", SNEPPP__F_MASS,
             "textbook partition function"),
   SNEPPP__T("e_negbin", NEGBINOMIAL, EXP, EXP, 0, negbin, "w < 0", "e^(bi+bj) L(wi+wj), L = (1-e^s)^-r",
             "textbook partition function"),
   SNEPPP__T("e_negbin_log", NEGBINOMIAL, EXP, EXP, SNEPPP__LOG, negbin, "w < 0", SNEPPP__F_EXP_EXP_LOG,
             "textbook partition function"),
   SNEPPP__T("negbin_exp_cos", NEGBINOMIAL, EXP, COS, 0, negbin, "w < 0", SNEPPP__F_EXP_COS,
             "textbook partition function"),
   SNEPPP__T("negbin_exp_sin", NEGBINOMIAL, EXP, SIN, 0, negbin, "w < 0", SNEPPP__F_EXP_SIN,
             "textbook partition function"),
   SNEPPP__T("e1_negbin", NEGBINOMIAL, EXP, ONE, 0, negbin, "w < 0", SNEPPP__F_EXP_ONE,
             "textbook partition function"),
   SNEPPP__T("e1_negbin_log", NEGBINOMIAL, EXP, ONE, SNEPPP__LOG, negbin, "w < 0", SNEPPP__F_EXP_ONE_LOG,
             "textbook partition function"),
   SNEPPP__T("e_normal", NORMAL, EXP, EXP, 0, normal, "w2 < 0",
             "e^(bi+bj) L(wi+wj), L = sqrt(pi/-s2) e^(-s1^2/4 s2)", "textbook partition function"),
   SNEPPP__T("e_normal_log", NORMAL, EXP, EXP, SNEPPP__LOG, normal, "w2 < 0", SNEPPP__F_EXP_EXP_LOG,
             "textbook partition function"),
   SNEPPP__T("normal_exp_cos", NORMAL, EXP, COS, 0, normal, "w2 < 0", SNEPPP__F_EXP_COS,
             "textbook partition function"),
   SNEPPP__T("normal_exp_sin", NORMAL, EXP, SIN, 0, normal, "w2 < 0", SNEPPP__F_EXP_SIN,
             "textbook partition function"),
   SNEPPP__T("e1_normal", NORMAL, EXP, ONE, 0, normal, "w2 < 0", SNEPPP__F_EXP_ONE,
             "textbook partition function"),
   SNEPPP__T("e1_normal_log", NORMAL, EXP, ONE, SNEPPP__LOG, normal, "w2 < 0", SNEPPP__F_EXP_ONE_LOG,
             "textbook partition function"),
   SNEPPP__T("e_vonmises", VONMISES, EXP, EXP, 0, vonmises, "", "e^(bi+bj) L(wi+wj), L = 2 pi I0(|s|)",
             "textbook partition function"),
   SNEPPP__T("e_vonmises_log", VONMISES, EXP, EXP, SNEPPP__LOG, vonmises, "", SNEPPP__F_EXP_EXP_LOG,
             "textbook partition function"),
   SNEPPP__T("vonmises_cos", VONMISES, COS, COS, 0, vonmises, "", SNEPPP__F_COS_COS,
             "textbook partition function"),
   SNEPPP__T("vonmises_sin", VONMISES, SIN, SIN, 0, vonmises, "", SNEPPP__F_SIN_SIN,
             "textbook partition function"),
   SNEPPP__T("vonmises_cos_sin", VONMISES, COS, SIN, 0, vonmises, "", SNEPPP__F_COS_SIN,
             "textbook partition function"),
   SNEPPP__T("e1_vonmises", VONMISES, EXP, ONE, 0, vonmises, "", SNEPPP__F_EXP_ONE,
             "textbook partition function"),
   SNEPPP__T("e1_vonmises_log", VONMISES, EXP, ONE, SNEPPP__LOG, vonmises, "", SNEPPP__F_EXP_ONE_LOG,
             "textbook partition function"),
   SNEPPP__T("vonmises1_cos", VONMISES, COS, ONE, 0, vonmises, "", SNEPPP__F_COS_ONE,
             "textbook partition function"),
   SNEPPP__T("vonmises1_sin", VONMISES, SIN, ONE, 0, vonmises, "", SNEPPP__F_SIN_ONE,
             "textbook partition function"),
   SNEPPP__T("vonmises1_one", VONMISES, ONE, ONE, 0, vonmises, "", SNEPPP__F_MASS,
             "textbook partition function"),
   SNEPPP__T("e_finite_log", FINITE, EXP, EXP, SNEPPP__LOG, finite, "",
             "log sum_k mu_k e^(bi+bj+(wi+wj).t_k)", "definition"),
   SNEPPP__T("e1_finite_log", FINITE, EXP, ONE, SNEPPP__LOG, finite, "", "log sum_k mu_k e^(b+w.t_k)",
             "definition"),
   SNEPPP__ROW("finite", FINITE, ACT_END, ACT_END, 0, 0, sneppp__finite_pair, NULL, NULL, "any activations",
               "sum_k mu_k psi_i(t_k) psi_j(t_k)", "definition", 64)
};

#define SNEPPP__ROWS (sizeof sneppp__rows / sizeof sneppp__rows[0])

SNEPPP_DEF size_t sneppp_kernel_count(void) { return SNEPPP__ROWS; }

SNEPPP_DEF const sneppp_kernel_info *sneppp_kernel_at(size_t index)
{
   return index < SNEPPP__ROWS ? &sneppp__rows[index].info : NULL;
}

/* ---- lookup ---- */

/* A plan is a checked layer on a checked window, with the row of the table for every pair of activations that
   occurs. It lives on the stack of the driver; making it is the validation. */
typedef struct sneppp__plan {
   const sneppp_window *win;
   const sneppp_layer  *layer;
   int                  d;
   short                row[SNEPPP_ACT_END][SNEPPP_ACT_END]; /* 1 + index; negative: mirrored; 0: none */
} sneppp__plan;

static sneppp_unit sneppp__plan_unit(const sneppp__plan *plan, int i)
{
   sneppp_unit u = plan->layer->units ? plan->layer->units[i] : plan->layer->unit;
   if (u.act == SNEPPP_ACT_DEFAULT) u.act = sneppp__act_default(plan->win->space);
   if (u.act == SNEPPP_RELU) u.p = 1;
   if (u.act == SNEPPP_STEP) u.p = 0;
   return u;
}

static int sneppp__window_centred(const sneppp_window *win)
{
   size_t r, n = (win->count ? win->count : 1) * (size_t)win->dim;
   if (!win->mean) return 1;
   for (r = 0; r < n; r++) if (win->mean[r] != 0) return 0;
   return 1;
}

static int sneppp__row_fits(const sneppp__row *row, const sneppp_window *win, int d, int biased, int centred, int log)
{
   return row->info.space == win->space && (!row->dim || row->dim == d || (row->dim < 0 && d <= -row->dim)) &&
          !(biased && (row->flags & SNEPPP__NO_BIAS)) && (centred || !(row->flags & SNEPPP__CENTRED)) &&
          !(row->flags & SNEPPP__LOG) == !log;
}

/* The rectified family: a row for (RECT, RECT) computes every mixture of steps, ReLUs and rectified powers. */
static sneppp_act sneppp__act_family(sneppp_act act)
{
   return act == SNEPPP_RELU || act == SNEPPP_STEP ? SNEPPP_RECT : act;
}

static short sneppp__find_row(const sneppp_window *win, int d, sneppp_act ai, sneppp_act aj, int biased,
                              int centred, int log)
{
   int    pass;
   size_t r;
   for (pass = 0; pass < 2; pass++) {
      for (r = 0; r < SNEPPP__ROWS; r++) {
         const sneppp__row *row = &sneppp__rows[r];
         if (!sneppp__row_fits(row, win, d, biased, centred, log)) continue;
         if (row->info.act_i == ai && row->info.act_j == aj) return (short)(r + 1);
         if (row->info.act_i == SNEPPP_ACT_END) return (short)(r + 1); /* finite sets: any two activations */
         if (row->info.act_i == aj && row->info.act_j == ai) return (short)-(int)(r + 1);
      }
      ai = sneppp__act_family(ai);
      aj = sneppp__act_family(aj);
   }
   return 0;
}

/* Says why a pair is refused: if it would be in the table without bias or in another dimension, that is said. */
static sneppp_status sneppp__no_row(const sneppp_window *win, int d, sneppp_act ai, sneppp_act aj,
                                    int centred, int log, sneppp_error *err)
{
   const char *space = sneppp__space_name(win->space), *ni = sneppp__act_name(ai), *nj = sneppp__act_name(aj);
   if (log && sneppp__find_row(win, d, ai, aj, 0, centred, 0))
      return sneppp__fail(err, SNEPPP_ERR_NO_CLOSED_FORM,
                          "no logarithmic form for %s x %s on %s: the integral may be negative", ni, nj,
                          space);
   if (sneppp__find_row(win, d, ai, aj, 0, centred, log))
      return sneppp__fail(
         err, SNEPPP_ERR_NO_CLOSED_FORM,
         "no closed form for %s x %s on %s with %d statistics and a bias; it has one without bias", ni, nj,
         space, d);
   if (sneppp__find_row(win, d, ai, aj, 0, 1, log))
      return sneppp__fail(err, SNEPPP_ERR_NO_CLOSED_FORM,
                          "no closed form for %s x %s on %s unless all means are 0", ni, nj, space);
   return sneppp__fail(err, SNEPPP_ERR_NO_CLOSED_FORM, "no closed form for %s x %s on %s with %d statistics",
                       ni, nj, space, d);
}

/* Fills the row table for all activations that occur; `moments` asks for pairs with the constant unit only. */
static sneppp_status sneppp__plan_rows(sneppp__plan *plan, int log, int moments, sneppp_error *err)
{
   unsigned char there[SNEPPP_ACT_END], biased[SNEPPP_ACT_END], high[SNEPPP_ACT_END];
   int           i, a, b, centred = sneppp__window_centred(plan->win);
   memset(there, 0, sizeof there);
   memset(high, 0, sizeof high);
   memset(biased, 0, sizeof biased);
   memset(plan->row, 0, sizeof plan->row);
   for (i = 0; i < plan->layer->n; i++) {
      sneppp_unit unit = sneppp__plan_unit(plan, i);
      int         act = (int)unit.act;
      there[act] = 1;
      if ((act == SNEPPP_RECT || act == SNEPPP_MONOMIAL) && unit.p > 1) high[act] = 1;
      if (plan->layer->b && plan->layer->b[i] != 0) biased[act] = 1;
   }
   for (a = 1; a < SNEPPP_ACT_END; a++) {
      if (!there[a]) continue;
      for (b = moments ? SNEPPP_ONE : a; b < SNEPPP_ACT_END; b++) {
         short row;
         if (!moments && !there[b]) continue;
         row = sneppp__find_row(plan->win, plan->d, (sneppp_act)a, (sneppp_act)b,
                                biased[a] || (biased[b] && !moments), centred, log);
         if (!row) return sneppp__no_row(plan->win, plan->d, (sneppp_act)a, (sneppp_act)b, centred, log, err);
         if ((high[a] || high[b]) &&
             ((row > 0 ? sneppp__rows[row - 1] : sneppp__rows[-row - 1]).flags & SNEPPP__LOW_ORDER))
            return sneppp__fail(err, SNEPPP_ERR_NO_CLOSED_FORM,
                                "no closed form for %s x %s on %s with a bias and an order above 1",
                                sneppp__act_name((sneppp_act)a), sneppp__act_name((sneppp_act)b),
                                sneppp__space_name(plan->win->space));
         plan->row[a][b] = row;
         plan->row[b][a] = (short)-row;
         if (a == b) plan->row[a][b] = row;
      }
   }
   return SNEPPP_OK;
}

static sneppp_status sneppp__plan_make(sneppp__plan *plan, const sneppp_window *win,
                                       const sneppp_layer *layer, int log, int moments, sneppp_error *err)
{
   sneppp_status status = sneppp__window_check(win, err);
   if (status) return status;
   status = sneppp__layer_check(win, layer, moments, err);
   if (status) return status;
   plan->win = win;
   plan->layer = layer;
   plan->d = sneppp__stats(win);
   return sneppp__plan_rows(plan, log, moments, err);
}

/* ---- drivers ---- */

/* Loads units i and j in the order of their row; j < 0 is the constant unit. Returns 1 if they are exchanged. */
static int sneppp__plan_pair(const sneppp__plan *plan, int i, int j, sneppp__pair *p)
{
   const sneppp_layer *layer = plan->layer;
   sneppp_unit         one;
   int                 row, swap;
   memset(&one, 0, sizeof one);
   one.act = SNEPPP_ONE;
   p->ui = sneppp__plan_unit(plan, i);
   p->uj = j < 0 ? one : sneppp__plan_unit(plan, j);
   row = plan->row[p->ui.act][p->uj.act];
   swap = row < 0;
   if (swap) {
      sneppp_unit u = p->ui;
      int         k = i;
      p->ui = p->uj;
      p->uj = u;
      i = j;
      j = k;
      row = -row;
   }
   p->row = &sneppp__rows[row - 1];
   p->win = plan->win;
   p->d = plan->d;
   p->log = (p->row->flags & SNEPPP__LOG) != 0;
   /* The constant unit of a first moment has no weights; it borrows the other's, which nothing reads. */
   if (i < 0) i = j;
   if (j < 0) j = i;
   p->wi = layer->W + (size_t)i * (size_t)plan->d;
   p->wj = layer->W + (size_t)j * (size_t)plan->d;
   p->li = layer->width ? layer->width + (size_t)i * (size_t)plan->d : p->wi;
   p->lj = layer->width ? layer->width + (size_t)j * (size_t)plan->d : p->wj;
   p->bi = layer->b ? layer->b[i] : 0;
   p->bj = layer->b ? layer->b[j] : 0;
   return swap;
}

SNEPPP_DEF sneppp_status sneppp_kernel(const sneppp_window *win, const sneppp_layer *layer, int i, int j,
                                       double *k, sneppp_error *err)
{
   sneppp__plan  plan;
   sneppp__pair  p;
   double        value;
   sneppp_status status = sneppp__plan_make(&plan, win, layer, 0, 0, err);
   if (status) return status;
   if (!k) return sneppp__fail(err, SNEPPP_ERR_ARG, "k is NULL");
   if (i < 0 || i >= layer->n || j < 0 || j >= layer->n)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "unit (%d, %d) is not in the layer of %d units", i, j, layer->n);
   sneppp__plan_pair(&plan, i < j ? i : j, i < j ? j : i, &p);
   value = p.row->pair(&p, NULL);
   if (!sneppp__finite(value))
      return sneppp__fail(err, SNEPPP_ERR_RANGE, "k(%d, %d) cannot be represented; sneppp_gram_log may do", i, j);
   *k = value;
   return SNEPPP_OK;
}

/* ---- Gram matrices and their pull-back. L depends on K_ij and on K_ji, which are one number, so the pair {i, j}
   counts with G_ij + G_ji, and the diagonal with G_ii. Values and pull-back come from one walk over the upper
   triangle, in bands of rows. Band k belongs to lane k mod GRAM_LANES, lanes run in parallel and each adds to a
   gradient of its own; these are added in the order of the lanes at the end. So every pair is evaluated once, and
   the bits do not depend on the number of threads. Values need no sums: there each band is a lane. */
#define SNEPPP__GRAM_LANES 16

typedef struct sneppp__gram_job {
   const sneppp__plan      *plan;
   double                  *K;     /* (n, n), or NULL                                  */
   const double            *G;     /* (n, n), or NULL: no pull-back                    */
   double                   scale; /* dL/dK = scale * G                                */
   double                  *parts; /* (lanes, sneppp__pull_size), see sneppp__pull_part */
   size_t                   lanes;
} sneppp__gram_job;

static size_t sneppp__band_end(size_t first, size_t n) { return n - first < SNEPPP__TILE ? n : first + SNEPPP__TILE; }

static size_t sneppp__bands(size_t n) { return (n + SNEPPP__TILE - 1) / SNEPPP__TILE; }

static size_t sneppp__gram_lanes(size_t n)
{
   return sneppp__bands(n) < SNEPPP__GRAM_LANES ? sneppp__bands(n) : SNEPPP__GRAM_LANES;
}

/* The doubles that one lane's gradient takes: W, b, width, and the measure's mean, scale, weight. */
static size_t sneppp__pull_size(size_t n, size_t d, const sneppp_window *win)
{
   size_t measure = win->space != SNEPPP_GAUSS ? 0 : win->count ? win->count : 1;
   return (n + measure) * (2 * d + 1);
}

static sneppp_layer_grad sneppp__pull_part(const sneppp__plan *plan, double *flat)
{
   size_t            n = (size_t)plan->layer->n, d = (size_t)plan->d;
   sneppp_layer_grad part;
   memset(&part, 0, sizeof part);
   part.W = flat, part.b = flat + n * d, part.width = part.b + n;
   if (plan->win->space != SNEPPP_GAUSS) return part;
   part.mean = part.width + n * d;
   part.scale = part.mean + (plan->win->count ? plan->win->count : 1) * d;
   part.weight = part.scale + (part.scale - part.mean);
   return part;
}

/* The tile function of a layer with one activation, if its row has one. */
static sneppp__tile_fn sneppp__plan_tile(const sneppp__plan *plan)
{
   sneppp_act act = sneppp__plan_unit(plan, 0).act;
   return plan->layer->units ? NULL : sneppp__rows[plan->row[act][act] - 1].tile;
}

SNEPPP__INLINE double sneppp__pull_weight(const double *G, size_t n, size_t i, size_t j)
{
   return i == j ? G[i * n + i] : G[i * n + j] + G[j * n + i];
}

/* Tile (i, j), i <= j. */
static void sneppp__gram_tile(const sneppp__gram_job *job, sneppp__tile_fn run, size_t i, size_t j,
                              const sneppp_layer_grad *part)
{
   const sneppp_layer *layer = job->plan->layer;
   double              k[SNEPPP__TILE * SNEPPP__TILE] = {0}, g[SNEPPP__TILE * SNEPPP__TILE];
   size_t              n = (size_t)layer->n, d = (size_t)job->plan->d, r, s;
   sneppp__tile        t;
   int                 twice;
   memset(&t, 0, sizeof t);
   t.win = job->plan->win, t.unit = sneppp__plan_unit(job->plan, 0), t.d = job->plan->d;
   t.ni = (int)(sneppp__band_end(i, n) - i), t.nj = (int)(sneppp__band_end(j, n) - j), t.diagonal = i == j;
   t.wi = layer->W + i * d, t.wj = layer->W + j * d;
   t.bi = layer->b ? layer->b + i : NULL, t.bj = layer->b ? layer->b + j : NULL;
   t.k = job->K ? k : NULL;
   twice = job->K && job->G && !(sneppp__rows[job->plan->row[t.unit.act][t.unit.act] - 1].flags & SNEPPP__AT_ONCE);
   if (twice) { run(&t); t.k = NULL; }
   if (job->G) {
      memset(g, 0, sizeof g);
      for (r = 0; r < (size_t)t.ni; r++)
         for (s = t.diagonal ? r : 0; s < (size_t)t.nj; s++)
            g[r * SNEPPP__TILE + s] = job->scale * sneppp__pull_weight(job->G, n, i + r, j + s);
      t.g = g;
      t.gwi = part->W + i * d, t.gwj = part->W + j * d, t.gbi = part->b + i, t.gbj = part->b + j;
      t.gweight = part->weight, t.gmean = part->mean, t.gscale = part->scale;
   }
   run(&t);
   for (r = 0; job->K && r < (size_t)t.ni; r++)
      for (s = t.diagonal ? r : 0; s < (size_t)t.nj; s++)
         job->K[(i + r) * n + j + s] = job->K[(j + s) * n + i + r] = k[r * SNEPPP__TILE + s];
}

typedef struct sneppp__dump { double w[2][SNEPPP__MAX_STATS], l[2][SNEPPP__MAX_STATS], b[2]; } sneppp__dump;

/* The pull-back of pair (i, j), i <= j; j < 0 for a moment. What is not wanted goes to the dump. */
static void sneppp__pull_pair(const sneppp__plan *plan, const sneppp_layer_grad *to, int i, int j, double g,
                              sneppp__dump *dump)
{
   size_t       d = (size_t)plan->d;
   int          unit[2], k;
   double      *w[2], *l[2], *b[2];
   sneppp__pair p;
   sneppp__pull out;
   int          swap = sneppp__plan_pair(plan, i, j, &p);
   unit[swap] = i;
   unit[!swap] = j;
   for (k = 0; k < 2; k++) {
      w[k] = unit[k] >= 0 && to->W ? to->W + (size_t)unit[k] * d : dump->w[k];
      l[k] = unit[k] >= 0 && to->width ? to->width + (size_t)unit[k] * d : dump->l[k];
      b[k] = unit[k] >= 0 && to->b ? to->b + unit[k] : &dump->b[k];
   }
   out.g = g;
   out.wi = w[0]; out.wj = w[1];
   out.li = l[0]; out.lj = l[1];
   out.bi = b[0]; out.bj = b[1];
   out.weight = to->weight;
   out.mean = to->mean;
   out.scale = to->scale;
   p.row->pair(&p, &out);
}

static void sneppp__gram_lane(size_t lane, void *arg)
{
   const sneppp__gram_job *job = (const sneppp__gram_job *)arg;
   size_t                  i, j, n = (size_t)job->plan->layer->n, size = 0;
   sneppp__tile_fn         tile = sneppp__plan_tile(job->plan);
   sneppp_layer_grad       part;
   sneppp__pair            p;
   sneppp__dump            dump;
   memset(&part, 0, sizeof part);
   memset(&dump, 0, sizeof dump);
   if (job->G) {
      size = sneppp__pull_size(n, (size_t)job->plan->d, job->plan->win);
      memset(job->parts + lane * size, 0, size * sizeof *job->parts);
      part = sneppp__pull_part(job->plan, job->parts + lane * size);
   }
   for (size_t band = lane * SNEPPP__TILE; band < n; band += job->lanes * SNEPPP__TILE) {
      for (j = band; tile && j < n; j += SNEPPP__TILE) sneppp__gram_tile(job, tile, band, j, &part);
      for (i = band; !tile && i < sneppp__band_end(band, n); i++)
         for (j = i; j < n; j++) {
            sneppp__plan_pair(job->plan, (int)i, (int)j, &p);
            if (job->K) job->K[i * n + j] = job->K[j * n + i] = p.row->pair(&p, NULL);
            if (job->G)
               sneppp__pull_pair(job->plan, &part, (int)i, (int)j, job->scale * sneppp__pull_weight(job->G, n, i, j),
                                 &dump);
         }
   }
}

static void sneppp__run(const sneppp_parallel *par, void (*job)(size_t, void *), void *arg, size_t count)
{
   size_t i;
   if (par && par->run) { par->run(job, arg, count, par->user); return; }
   for (i = 0; i < count; i++) job(i, arg);
}

static sneppp_status sneppp__pull_result(const sneppp__plan *plan, const sneppp_layer_grad *out, sneppp_error *err)
{
   size_t i, r, n = (size_t)plan->layer->n, d = (size_t)plan->d;
   size_t count = plan->win->count ? plan->win->count : 1;
   for (i = 0; i < n; i++) {
      for (r = 0; r < d; r++) {
         if (out->W && !sneppp__finite(out->W[i * d + r]))
            return sneppp__fail(err, SNEPPP_ERR_RANGE, "the gradient of W[%z][%z] cannot be represented", i,
                                r);
         if (out->width && !sneppp__finite(out->width[i * d + r]))
            return sneppp__fail(err, SNEPPP_ERR_RANGE, "the gradient of width[%z][%z] cannot be represented",
                                i, r);
      }
      if (out->b && !sneppp__finite(out->b[i]))
         return sneppp__fail(err, SNEPPP_ERR_RANGE, "the gradient of b[%z] cannot be represented", i);
   }
   if (plan->win->space != SNEPPP_GAUSS) return SNEPPP_OK;
   for (i = 0; i < count * d; i++) {
      if (out->mean && !sneppp__finite(out->mean[i]))
         return sneppp__fail(err, SNEPPP_ERR_RANGE, "the gradient of win.mean[%z] cannot be represented", i);
      if (out->scale && !sneppp__finite(out->scale[i]))
         return sneppp__fail(err, SNEPPP_ERR_RANGE, "the gradient of win.scale[%z] cannot be represented", i);
   }
   return SNEPPP_OK;
}

static sneppp_status sneppp__pull_check(const sneppp__plan *plan, const double *G, size_t count,
                                        const sneppp_layer_grad *out, sneppp_error *err)
{
   size_t i;
   if (!G) return sneppp__fail(err, SNEPPP_ERR_ARG, "the gradient with respect to the kernel is NULL");
   if (!out) return sneppp__fail(err, SNEPPP_ERR_ARG, "out is NULL");
   for (i = 0; i < count; i++)
      if (!sneppp__finite(G[i]))
         return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE,
                             "entry %z of the gradient with respect to the kernel is not finite", i);
   if (plan->win->space != SNEPPP_GAUSS && (out->weight || out->mean || out->scale))
      return sneppp__fail(err, SNEPPP_ERR_ARG, "out.weight, out.mean and out.scale are for Gaussian windows only");
   return SNEPPP_OK;
}

/* out += the gradients of the lanes, in their order. */
static void sneppp__pull_join(const sneppp__gram_job *job, sneppp_layer_grad *out)
{
   const sneppp__plan *plan = job->plan;
   size_t n = (size_t)plan->layer->n, d = (size_t)plan->d, i, size = sneppp__pull_size(n, d, plan->win),
          count = plan->win->count ? plan->win->count : 1;
   for (size_t l = 0; l < job->lanes; l++) {
      sneppp_layer_grad part = sneppp__pull_part(plan, job->parts + l * size);
      for (i = 0; out->W && i < n * d; i++) out->W[i] += part.W[i];
      for (i = 0; out->b && i < n; i++) out->b[i] += part.b[i];
      for (i = 0; out->width && i < n * d; i++) out->width[i] += part.width[i];
      for (i = 0; out->weight && i < count; i++) out->weight[i] += part.weight[i];
      for (i = 0; out->mean && i < count * d; i++) out->mean[i] += part.mean[i];
      for (i = 0; out->scale && i < count * d; i++) out->scale[i] += part.scale[i];
   }
}

/* K, if it is not NULL; the pull-back of dL/dK = scale G to out, if G is not NULL. parts has room for
   sneppp__gram_lanes(n) times sneppp__pull_size doubles; NULL: it is allocated. */
static sneppp_status sneppp__gram(const sneppp_window *win, const sneppp_layer *layer, int log, double *K,
                                  const double *G, double scale, sneppp_layer_grad *out, double *parts,
                                  const sneppp_parallel *par, sneppp_error *err)
{
   sneppp__plan     plan;
   sneppp__gram_job job;
   sneppp__carver   c = sneppp__measure();
   sneppp__block    block;
   size_t           i, j, n;
   sneppp_status    status = sneppp__plan_make(&plan, win, layer, log, 0, err);
   if (status) return status;
   n = (size_t)layer->n;
   if (n > SIZE_MAX / sizeof(double) / n)
      return sneppp__fail(err, SNEPPP_ERR_SIZE, "layer.n = %d is too large: size_t cannot count the bytes of K", layer->n);
   memset(&job, 0, sizeof job);
   memset(&block, 0, sizeof block);
   job.plan = &plan, job.K = K, job.G = G, job.scale = scale, job.parts = parts;
   job.lanes = G ? sneppp__gram_lanes(n) : sneppp__bands(n);
   if (G && (status = sneppp__pull_check(&plan, G, n * n, out, err)) != SNEPPP_OK) return status;
   if (G && !parts) {
      size_t size = sneppp__pull_size(n, (size_t)plan.d, win);
      sneppp__take(&c, job.lanes, size, sizeof *parts);
      if ((status = sneppp__block_get(&block, &c, NULL, 0, NULL, err)) != SNEPPP_OK) return status;
      job.parts = (double *)sneppp__take(&c, job.lanes, size, sizeof *parts);
   }
   sneppp__run(par, sneppp__gram_lane, &job, job.lanes);
   if (G) sneppp__pull_join(&job, out);
   sneppp__block_free(&block);
   for (i = 0; K && i < n; i++) {
      for (j = i; j < n; j++) {
         if (!sneppp__finite(K[i * n + j]))
            return sneppp__fail(err, SNEPPP_ERR_RANGE, "K[%z][%z] cannot be represented%s", i, j,
                                log ? "" : "; sneppp_gram_log may do");
      }
   }
   return G ? sneppp__pull_result(&plan, out, err) : SNEPPP_OK;
}

SNEPPP_DEF sneppp_status sneppp_gram(const sneppp_window *win, const sneppp_layer *layer, double *K,
                                     const sneppp_parallel *par, sneppp_error *err)
{
   if (!K) return sneppp__fail(err, SNEPPP_ERR_ARG, "K is NULL");
   return sneppp__gram(win, layer, 0, K, NULL, 0, NULL, NULL, par, err);
}

SNEPPP_DEF sneppp_status sneppp_gram_log(const sneppp_window *win, const sneppp_layer *layer, double *logK,
                                         const sneppp_parallel *par, sneppp_error *err)
{
   if (!logK) return sneppp__fail(err, SNEPPP_ERR_ARG, "K is NULL");
   return sneppp__gram(win, layer, 1, logK, NULL, 0, NULL, NULL, par, err);
}

SNEPPP_DEF sneppp_status sneppp_gram_grad(const sneppp_window *win, const sneppp_layer *layer,
                                          const double *G, sneppp_layer_grad *out, const sneppp_parallel *par,
                                          sneppp_error *err)
{
   if (!G) return sneppp__fail(err, SNEPPP_ERR_ARG, "the gradient with respect to the kernel is NULL");
   return sneppp__gram(win, layer, 0, NULL, G, 1, out, NULL, par, err);
}

/* Only the diagonal, (n): all that a diagonal readout needs, in O(n) time and memory. */
static sneppp_status sneppp__gram_diagonal(const sneppp_window *win, const sneppp_layer *layer, double *k,
                                           sneppp_error *err)
{
   sneppp__plan  plan;
   sneppp__pair  p;
   int           i;
   sneppp_status status = sneppp__plan_make(&plan, win, layer, 0, 0, err);
   if (status) return status;
   for (i = 0; i < layer->n; i++) {
      sneppp__plan_pair(&plan, i, i, &p);
      k[i] = p.row->pair(&p, NULL);
      if (!sneppp__finite(k[i])) return sneppp__fail(err, SNEPPP_ERR_RANGE, "K[%d][%d] cannot be represented", i, i);
   }
   return SNEPPP_OK;
}

/* The pull-back of the diagonal alone, g (n). */
static sneppp_status sneppp__gram_diagonal_grad(const sneppp_window *win, const sneppp_layer *layer,
                                                const double *g, sneppp_layer_grad *out, sneppp_error *err)
{
   sneppp__plan     plan;
   sneppp__dump     dump;
   int              i;
   sneppp_status    status = sneppp__plan_make(&plan, win, layer, 0, 0, err);
   if (status) return status;
   memset(&dump, 0, sizeof dump);
   for (i = 0; i < layer->n; i++) sneppp__pull_pair(&plan, out, i, i, g[i], &dump);
   return sneppp__pull_result(&plan, out, err);
}

SNEPPP_DEF sneppp_status sneppp_moments(const sneppp_window *win, const sneppp_layer *layer, double *c,
                                        sneppp_error *err)
{
   sneppp__plan  plan;
   sneppp__pair  p;
   int           i;
   sneppp_status status = sneppp__plan_make(&plan, win, layer, 0, 1, err);
   if (status) return status;
   if (!c) return sneppp__fail(err, SNEPPP_ERR_ARG, "c is NULL");
   for (i = 0; i < layer->n; i++) {
      sneppp__plan_pair(&plan, i, -1, &p);
      c[i] = p.row->pair(&p, NULL);
      if (!sneppp__finite(c[i])) return sneppp__fail(err, SNEPPP_ERR_RANGE, "c[%d] cannot be represented", i);
   }
   return SNEPPP_OK;
}

SNEPPP_DEF sneppp_status sneppp_moments_grad(const sneppp_window *win, const sneppp_layer *layer,
                                             const double *g, sneppp_layer_grad *out, sneppp_error *err)
{
   sneppp__plan     plan;
   sneppp__dump     dump;
   int              i;
   sneppp_status    status = sneppp__plan_make(&plan, win, layer, 0, 1, err);
   if (status) return status;
   status = sneppp__pull_check(&plan, g, (size_t)layer->n, out, err);
   if (status) return status;
   memset(&dump, 0, sizeof dump);
   for (i = 0; i < layer->n; i++) sneppp__pull_pair(&plan, out, i, -1, g[i], &dump);
   return sneppp__pull_result(&plan, out, err);
}

/* ---- the table, printed ---- */

/* One line per row of the table, as Markdown: name, space, activations, condition, formula, source. */
SNEPPP_DEF void sneppp_kernel_list(void (*put)(const char *text, void *user), void *user)
{
   size_t k;
   put("| name | measure | units | condition | k = integral of psi_i psi_j | source "
       "|\n|---|---|---|---|---|---|\n",
       user);
   for (k = 0; k < SNEPPP__ROWS; k++) {
      const sneppp_kernel_info *info = &sneppp__rows[k].info;
      const char               *part[12];
      int                       n = 0, c;
      part[n++] = "| `"; part[n++] = info->name;
      part[n++] = "` | "; part[n++] = sneppp__space_name(info->space);
      part[n++] = " | "; part[n++] = sneppp__act_name(info->act_i);
      part[n++] = " x "; part[n++] = sneppp__act_name(info->act_j);
      for (c = 0; c < n; c++) put(part[c], user);
      put(" | ", user);
      put(info->condition, user);
      put(" | ", user);
      for (c = 0; info->formula[c]; c++) { /* a bar would end the cell */
         char one[3];
         one[0] = info->formula[c] == '|' ? '\\' : info->formula[c];
         one[1] = info->formula[c] == '|' ? '|' : 0;
         one[2] = 0;
         put(one, user);
      }
      put(" | ", user);
      put(info->source, user);
      put(" |\n", user);
   }
}

/* ---- user features: the Gram matrix by quadrature ----

   The paper's first model has features psi(x) of any form, and K is then given, or integrated numerically. This is the
   only place of the library where an integral is approximated, it is never called by any other function, and it says
   how far its last two refinements were apart. Each window is a union of images of the unit cube; on each, composite
   Gauss-Legendre rules of 8 nodes, and equidistant nodes along closed circles, are refined by halving all cells. */
typedef struct sneppp__cubature {
   int            n;
   sneppp_feature psi;
   void          *user;
   double        *K, *values; /* (n, n), (n) */
} sneppp__cubature;

enum { SNEPPP__CUBE_NODES = 8 };

static void sneppp__cube_point(sneppp__cubature *c, const double *x, double weight)
{
   size_t i, j, n = (size_t)c->n;
   c->psi(x, c->values, c->user);
   for (i = 0; i < n; i++)
      for (j = i; j < n; j++) c->K[i * n + j] += weight * c->values[i] * c->values[j];
}

/* Angles to the unit sphere in R^d, d >= 2: all but the last run over (0, pi), the last once around. Returns the
   Jacobian. */
static double sneppp__cube_sphere(int d, const double *u, double *x)
{
   double jacobian = 2 * SNEPPP__PI, radius = 1;
   int    k, m;
   for (k = 0; k < d - 2; k++) {
      double s = sin(SNEPPP__PI * u[k]);
      x[k] = radius * cos(SNEPPP__PI * u[k]);
      radius *= s;
      jacobian *= SNEPPP__PI;
      for (m = 0; m < d - 2 - k; m++) jacobian *= s;
   }
   x[d - 2] = radius * cos(2 * SNEPPP__PI * u[d - 2]);
   x[d - 1] = radius * sin(2 * SNEPPP__PI * u[d - 2]);
   return jacobian;
}

/* A piece of the window: for intervals and mixtures its number, for polygons a trapezoid between two edges. */
typedef struct sneppp__cube_piece { size_t index; double y0, y1, left[2], right[2]; } sneppp__cube_piece;

/* Normal densities are integrated within this many standard deviations; beyond it is less than 1e-18. */
#define SNEPPP__CUBE_TAIL 9.0

static double sneppp__cube_map(const sneppp_window *win, const sneppp__cube_piece *piece, const double *u, double *x)
{
   double jacobian = 1, radius, y, width;
   int    r, d = win->dim;
   switch (win->space) {
      case SNEPPP_BOX:
         for (r = 0; r < d; r++) {
            x[r] = win->lo[r] + u[r] * (win->hi[r] - win->lo[r]);
            jacobian *= win->hi[r] - win->lo[r];
         }
         return jacobian;
      case SNEPPP_INTERVALS:
         width = win->ends[2 * piece->index + 1] - win->ends[2 * piece->index];
         x[0] = win->ends[2 * piece->index] + u[0] * width;
         return width;
      case SNEPPP_POLYGON:
         y = piece->y0 + u[0] * (piece->y1 - piece->y0);
         width = (1 - u[0]) * (piece->right[0] - piece->left[0]) + u[0] * (piece->right[1] - piece->left[1]);
         x[0] = (1 - u[0]) * piece->left[0] + u[0] * piece->left[1] + u[1] * width;
         x[1] = y;
         return width * (piece->y1 - piece->y0);
      case SNEPPP_SPHERE:
         jacobian = sneppp__cube_sphere(d, u, x);
         return win->measure == SNEPPP_PROBABILITY ? jacobian / sneppp__sphere_area(d) : jacobian;
      case SNEPPP_BALL:
         if (d == 1) { x[0] = win->centre[0] + (2 * u[0] - 1) * win->radius; return 2 * win->radius; }
         radius = win->radius * u[0];
         jacobian = win->radius * sneppp__cube_sphere(d, u + 1, x);
         for (r = 0; r < d; r++) { x[r] = win->centre[r] + radius * x[r]; if (r) jacobian *= radius; }
         return jacobian;
      case SNEPPP_VONMISES: x[0] = 2 * SNEPPP__PI * u[0]; return 2 * SNEPPP__PI;
      default: /* SNEPPP_GAUSS */
         for (r = 0; r < d; r++) {
            size_t at = piece->index * (size_t)d + (size_t)r;
            double z = SNEPPP__CUBE_TAIL * (2 * u[r] - 1);
            x[r] = (win->mean ? win->mean[at] : 0) + (win->scale ? win->scale[at] : 1) * z;
            jacobian *= 2 * SNEPPP__CUBE_TAIL * sneppp__phi(z);
         }
         return jacobian * (win->weight ? win->weight[piece->index] : 1 / (double)(win->count ? win->count : 1));
   }
}

/* One piece with `cells` cells along each of D axes; the last axis is a circle if `closed`. */
static void sneppp__cube_piece_sum(const sneppp_window *win, const sneppp__cube_piece *piece, int D,
                                   int closed, size_t cells, sneppp__cubature *c)
{
   const double *node, *weight;
   size_t        at[SNEPPP__MAX_STATS], n = cells * SNEPPP__CUBE_NODES;
   double        u[SNEPPP__MAX_STATS] = {0}, x[SNEPPP__MAX_STATS];
   int           r;
   sneppp__gauss_legendre(SNEPPP__CUBE_NODES, &node, &weight);
   memset(at, 0, sizeof at);
   memset(u, 0, sizeof u); /* for compilers that do not see that D is at least 1 */
   for (;;) {
      double w = 1;
      for (r = 0; r < D; r++) {
         size_t k = at[r] % SNEPPP__CUBE_NODES;
         if (closed && r == D - 1) {
            u[r] = ((double)at[r] + 0.5) / (double)n;
            w /= (double)n;
         } else {
            u[r] = ((double)(at[r] / SNEPPP__CUBE_NODES) + 0.5 * (1 + node[k])) / (double)cells;
            w *= 0.5 * weight[k] / (double)cells;
         }
      }
      w *= sneppp__cube_map(win, piece, u, x);
      sneppp__cube_point(c, x, w);
      for (r = 0; r < D && ++at[r] == n; r++) at[r] = 0;
      if (r == D) return;
   }
}

/* Polygon: between two neighbouring heights of vertices the window is a row of trapezoids; their sides are the edges
   that cross the strip, sorted by where they cross its middle and taken in pairs (holes need nothing special). Calls
   the sum for each and returns how many there are; with c == NULL only counts. */
static size_t sneppp__cube_polygon(const sneppp_window *win, size_t cells, sneppp__cubature *c)
{
   size_t total = 0, pieces = 0, r, k, m;
   double y0, y1;
   int    more = 1;
   for (r = 0; r < sneppp__ring_count(win); r++) total += sneppp__ring_size(win, r);
   for (y0 = win->xy[1], k = 0; k < total; k++) if (win->xy[2 * k + 1] < y0) y0 = win->xy[2 * k + 1];
   while (more) {
      double middle, last = 0;
      int    side = 0;
      sneppp__cube_piece piece;
      memset(&piece, 0, sizeof piece);
      for (more = 0, y1 = y0, k = 0; k < total; k++)
         if (win->xy[2 * k + 1] > y0 && (!more || win->xy[2 * k + 1] < y1)) { more = 1; y1 = win->xy[2 * k + 1]; }
      if (!more) break;
      middle = y0 + 0.5 * (y1 - y0);
      piece.y0 = y0;
      piece.y1 = y1;
      for (;; side++) { /* the next edge to the right */
         double best = 0, ends[2];
         int    found = 0;
         size_t start = 0;
         for (r = 0; r < sneppp__ring_count(win); start += sneppp__ring_size(win, r), r++) {
            for (k = 0, m = sneppp__ring_size(win, r) - 1; k < sneppp__ring_size(win, r); m = k++) {
               const double *a = win->xy + 2 * (start + m), *b = win->xy + 2 * (start + k);
               double        slope, x;
               if ((a[1] > middle) == (b[1] > middle)) continue;
               slope = (b[0] - a[0]) / (b[1] - a[1]);
               x = a[0] + slope * (middle - a[1]);
               if ((side && x <= last) || (found && x >= best)) continue;
               found = 1;
               best = x;
               ends[0] = a[0] + slope * (y0 - a[1]);
               ends[1] = a[0] + slope * (y1 - a[1]);
            }
         }
         if (!found) break;
         last = best;
         memcpy(side % 2 ? piece.right : piece.left, ends, sizeof ends);
         if (!(side % 2)) continue;
         pieces++;
         if (c) sneppp__cube_piece_sum(win, &piece, 2, 0, cells, c);
      }
      y0 = y1;
   }
   return pieces;
}

/* One refinement: K with `cells` cells per axis. */
static void sneppp__cube_sum(const sneppp_window *win, int D, int closed, size_t pieces, size_t cells,
                             sneppp__cubature *c)
{
   sneppp__cube_piece piece;
   double             x;
   size_t             i, j, n = (size_t)c->n;
   memset(c->K, 0, n * n * sizeof *c->K);
   memset(&piece, 0, sizeof piece);
   if (win->space == SNEPPP_POLYGON) sneppp__cube_polygon(win, cells, c);
   else for (piece.index = 0; piece.index < pieces; piece.index++) {
      if (D > 0) { sneppp__cube_piece_sum(win, &piece, D, closed, cells, c); continue; }
      /* single points: a finite set by its index, or the sphere in R^1 */
      x = win->space == SNEPPP_FINITE ? (double)piece.index : piece.index ? 1 : -1;
      sneppp__cube_point(c, &x,
                         win->space == SNEPPP_FINITE          ? (win->weight ? win->weight[piece.index] : 1)
                         : win->measure == SNEPPP_PROBABILITY ? 0.5
                                                              : 1);
   }
   for (i = 0; i < n; i++) for (j = 0; j < i; j++) c->K[i * n + j] = c->K[j * n + i];
}

/* How the window is cut: axes D of the unit cube, whether the last is a circle, number of pieces. */
static sneppp_status sneppp__cube_plan(const sneppp_window *win, int *D, int *closed, size_t *pieces,
                                       sneppp_error *err)
{
   *D = win->dim;
   *closed = 0;
   *pieces = 1;
   switch (win->space) {
      case SNEPPP_BOX: return SNEPPP_OK;
      case SNEPPP_GAUSS: *pieces = win->count ? win->count : 1; return SNEPPP_OK;
      case SNEPPP_INTERVALS: *pieces = win->count; return SNEPPP_OK;
      case SNEPPP_POLYGON: *pieces = sneppp__cube_polygon(win, 0, NULL); return SNEPPP_OK;
      case SNEPPP_SPHERE: *D = win->dim - 1; *closed = 1; if (win->dim == 1) *pieces = 2; return SNEPPP_OK;
      case SNEPPP_BALL: *closed = win->dim > 1; return SNEPPP_OK;
      case SNEPPP_VONMISES: *closed = 1; return SNEPPP_OK;
      case SNEPPP_FINITE: *D = 0; *pieces = win->count; return SNEPPP_OK;
      default:
         return sneppp__fail(err, SNEPPP_ERR_ARG, "numerical integration is not offered on %s",
                             sneppp__space_name(win->space));
   }
}

SNEPPP_DEF sneppp_status sneppp_gram_numeric(const sneppp_window *win, int n, sneppp_feature psi, void *user,
                                             double tol, size_t max_points, double *K, double *work,
                                             double *error, sneppp_error *err)
{
   sneppp__cubature c;
   int              D, closed, r;
   size_t           pieces, cells, k, square;
   double           step = 0, largest = 0, count;
   sneppp_status    status = sneppp__window_check(win, err);
   if (status) return status;
   if (n < 1 || (size_t)n > SIZE_MAX / sizeof(double) / (size_t)n - (size_t)n)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "n = %d is not a number of features", n);
   if (!psi) return sneppp__fail(err, SNEPPP_ERR_ARG, "psi is NULL");
   if (!K || !work) return sneppp__fail(err, SNEPPP_ERR_ARG, "%s is NULL", K ? "work" : "K");
   if (!sneppp__finite(tol) || tol < 0) return sneppp__fail(err, SNEPPP_ERR_ARG, "tol = %g is not a tolerance", tol);
   status = sneppp__cube_plan(win, &D, &closed, &pieces, err);
   if (status) return status;
   if (tol == 0) tol = 1e-10;
   if (!max_points) max_points = 1000000;
   square = (size_t)n * (size_t)n;
   c.n = n;
   c.psi = psi;
   c.user = user;
   c.K = K;
   c.values = work + square;
   for (cells = 1;; cells *= 2) {
      for (count = (double)pieces, r = 0; r < D; r++) count *= (double)(cells * SNEPPP__CUBE_NODES);
      if (cells > 1 && count > (double)max_points) break;
      memcpy(work, K, cells > 1 ? square * sizeof *K : 0);
      sneppp__cube_sum(win, D, closed, pieces, cells, &c);
      for (k = 0, step = 0, largest = 0; k < square; k++) {
         if (!sneppp__finite(K[k]))
            return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE,
                                "psi gave a value that is not finite (entry %z of K)", k);
         if (fabs(K[k]) > largest) largest = fabs(K[k]);
         if (cells > 1 && fabs(K[k] - work[k]) > step) step = fabs(K[k] - work[k]);
      }
      if (error) *error = cells > 1 ? step : largest;
      if (D == 0) { if (error) *error = 0; return SNEPPP_OK; }
      if (cells > 1 && step <= tol * largest) return SNEPPP_OK;
   }
   return sneppp__fail(err, SNEPPP_ERR_NO_CONVERGENCE, "after %z points per axis K still changes by %g",
                       cells / 2 * SNEPPP__CUBE_NODES, step);
}

/* >>optim ====================================================================================================
   Methods that know values, gradients and projections, and nothing of point processes. They are driven by the
   caller (reverse communication): no callbacks, no allocation, the caller evaluates wherever it is told to. */

/* ---- L-BFGS (Nocedal, Math. Comp. 35, 1980): the last pairs s = x' - x, y = g' - g stand for the inverse
   Hessian H. Two loops over the pairs give -H g in O(pairs x size). */
#define SNEPPP__PAIRS 16

typedef struct sneppp__lbfgs {
   size_t size;
   size_t used, next;   /* pairs held; row that is written next        */
   double *s, *y;       /* (PAIRS, size)                               */
   double rho[SNEPPP__PAIRS], scale; /* 1/(s.y); s.y/y.y of the newest */
} sneppp__lbfgs;

static void sneppp__place_lbfgs(sneppp__carver *c, sneppp__lbfgs *L, size_t size)
{
   memset(L, 0, sizeof *L);
   L->size = size;
   L->s = (double *)sneppp__take(c, SNEPPP__PAIRS, size, sizeof(double));
   L->y = (double *)sneppp__take(c, SNEPPP__PAIRS, size, sizeof(double));
}

/* d = -H g; `first` is the step along -g while nothing is known. */
static void sneppp__lbfgs_direction(const sneppp__lbfgs *L, const double *g, double first, double *d)
{
   double a[SNEPPP__PAIRS] = { 0 }, h = L->used ? L->scale : first;
   size_t n = L->size;
   for (size_t i = 0; i < n; i++) d[i] = -g[i];
   for (size_t k = 0; k < L->used; k++) { /* from the newest pair back ... */
      size_t at = (L->next + SNEPPP__PAIRS - 1 - k) % SNEPPP__PAIRS;
      a[at] = L->rho[at] * sneppp__dot(n, L->s + at * n, d);
      for (size_t i = 0; i < n; i++) d[i] -= a[at] * L->y[at * n + i];
   }
   for (size_t i = 0; i < n; i++) d[i] *= h;
   for (size_t k = L->used; k-- > 0;) { /* ... and forward again */
      size_t at = (L->next + SNEPPP__PAIRS - 1 - k) % SNEPPP__PAIRS;
      double b = L->rho[at] * sneppp__dot(n, L->y + at * n, d);
      for (size_t i = 0; i < n; i++) d[i] += (a[at] - b) * L->s[at * n + i];
   }
}

/* Learns from the step x -> x + t d that took the gradient from g to after. A pair without positive curvature
   would spoil H and is left out. */
static void sneppp__lbfgs_learn(sneppp__lbfgs *L, double t, const double *d, const double *g, const double *after)
{
   size_t  n = L->size;
   double *s = L->s + L->next * n, *y = L->y + L->next * n, sy, ss, yy;
   for (size_t i = 0; i < n; i++) { s[i] = t * d[i]; y[i] = after[i] - g[i]; }
   sy = sneppp__dot(n, s, y), ss = sneppp__dot(n, s, s), yy = sneppp__dot(n, y, y);
   if (!(sy > 1e-12 * sqrt(ss) * sqrt(yy)) || !(yy > 0)) return;
   L->rho[L->next] = 1 / sy;
   L->scale = sy / yy;
   L->next = (L->next + 1) % SNEPPP__PAIRS;
   if (L->used < SNEPPP__PAIRS) L->used++;
}

/* ---- a line search for f(t) with f'(0) < 0: start, evaluate at search.t, ask sneppp__search_next until it
   returns 0 (accepted) or -1 (no step found: the limit of rounding). Accepted are the Wolfe conditions, or near
   the minimum, where f itself has no digits left, their form in f' alone (Hager and Zhang, SIAM J. Optim. 16,
   2005). The next trial is the minimum of the cubic through both ends of the bracket, kept inside it. */
typedef struct sneppp__search {
   double t;               /* where to evaluate                              */
   double f0, d0;          /* value and slope at 0                           */
   double lo, flo, dlo;    /* best point known to lie left of the minimum    */
   double hi, fhi, dhi;    /* right end, once hi > 0                         */
   int    trials;
} sneppp__search;

static sneppp__search sneppp__search_start(double f0, double d0, double t)
{
   sneppp__search s;
   memset(&s, 0, sizeof s);
   s.t = t, s.f0 = s.flo = f0, s.d0 = s.dlo = d0;
   return s;
}

static double sneppp__cubic_minimum(double a, double fa, double da, double b, double fb, double db)
{
   double e = da + db - 3 * (fb - fa) / (b - a), square = e * e - da * db, root, t;
   if (!(square > 0)) return 0.5 * (a + b);
   root = sqrt(square);
   t = b - (b - a) * (db + root - e) / (db - da + 2 * root);
   return sneppp__finite(t) ? t : 0.5 * (a + b);
}

static int sneppp__search_next(sneppp__search *s, double f, double d)
{
   double noise = 1e-13 * (1 + fabs(s->f0)), width;
   int    finite = sneppp__finite(f) && sneppp__finite(d), high = !finite || f > s->f0 + 1e-4 * s->t * s->d0;
   int    blind = finite && -s->t * s->d0 < 1e3 * noise && f <= s->f0 + noise; /* f cannot tell: trust its slope */
   if (!high && d >= 0.9 * s->d0 && d <= -0.9 * s->d0) return 0;
   if (blind && d >= 0.9 * s->d0 && d <= -0.8 * s->d0) return 0;
   if (++s->trials >= 30) return -1;
   if (blind && d < 0) high = 0;
   if (high || d > 0) s->hi = s->t, s->fhi = f, s->dhi = d;
   else s->lo = s->t, s->flo = f, s->dlo = d;
   if (!(s->hi > 0)) { s->t *= 4; return 1; }
   width = s->hi - s->lo;
   if (width <= 1e-14 * s->hi) return -1;
   s->t = sneppp__finite(s->fhi) && sneppp__finite(s->dhi)
             ? sneppp__cubic_minimum(s->lo, s->flo, s->dlo, s->hi, s->fhi, s->dhi)
             : 0.5 * (s->lo + s->hi);
   if (s->t < s->lo + 0.05 * width) s->t = s->lo + 0.05 * width;
   if (s->t > s->hi - 0.05 * width) s->t = s->hi - 0.05 * width;
   return 1;
}

/* ---- one step of projected gradient descent on the cone of positive semidefinite matrices,
      M <- P(M - step G),   P = drop the negative eigenvalues;
   Q (n, n) keeps the eigenbasis from step to step (warm), as successive matrices are close. */
static sneppp_status sneppp__cone_step(size_t n, double *M, const double *G, double step, double *Q, int warm,
                                       double *work)
{
   for (size_t i = 0; i < n * n; i++) M[i] -= step * G[i];
   return sneppp__psd_project(n, M, Q, warm, work);
}

/* ---- Cholesky with pivoting and a cut-off: of the Gram matrix K of features that are nearly dependent. Chooses
   features pick[0], pick[1], ..., each the one that the chosen ones explain least, until all the rest have lost all
   but `cut` of the largest diagonal. Then K[pick, pick] = L L', and its rows are returned as the lower triangle
   of L (r, r) with stride n. diagonal (n) is work. Returns r. The features left out are combinations of the
   chosen ones, up to that cut-off. */
static size_t sneppp__chol_pivoted(size_t n, const double *K, double cut, size_t *pick, double *L, double *diagonal)
{
   size_t r = 0;
   double big = 0;
   for (size_t i = 0; i < n; i++) { diagonal[i] = K[i * n + i]; pick[i] = i; if (diagonal[i] > big) big = diagonal[i]; }
   for (; r < n; r++) {
      size_t best = r, swap;
      double d, e;
      for (size_t i = r + 1; i < n; i++) if (diagonal[i] > diagonal[best]) best = i;
      if (!(diagonal[best] > cut * big)) break;
      swap = pick[r], pick[r] = pick[best], pick[best] = swap;
      e = diagonal[r], diagonal[r] = diagonal[best], diagonal[best] = e;
      for (size_t j = 0; j < r; j++) { e = L[r * n + j], L[r * n + j] = L[best * n + j], L[best * n + j] = e; }
      d = L[r * n + r] = sqrt(diagonal[r]);
      for (size_t i = r + 1; i < n; i++) {
         e = L[i * n + r] = (K[pick[i] * n + pick[r]] - sneppp__dot(r, L + i * n, L + r * n)) / d;
         diagonal[i] -= e * e;
      }
      for (size_t j = r + 1; j < n; j++) L[r * n + j] = 0;
   }
   return r;
}

#endif /* SNEPPP_INFERENCE_ONLY */

/* >>radial ===================================================================================================
   Sums of radial bumps, found through a tree. Points of a tree are stored in its order, so that a leaf is a run of
   them, and children split their parent's run in the middle: the shape of a tree depends on the number of points
   alone. A model whose points are in tree order can therefore rebuild its index without moving anything. */
#define SNEPPP__LEAF 16            /* points per leaf                                         */
#define SNEPPP__EDGE 27.6          /* bumps below exp(-27.6) = 1e-12 of their peak are skipped */

#ifndef SNEPPP_INFERENCE_ONLY
/* Nodes of a tree over N points; children of a node are kid and kid + 1, kid 0 marks a leaf. */
static size_t sneppp__tree_room(size_t N) { return 4 * (N / SNEPPP__LEAF) + 8; }

static void sneppp__tree_box(int d, const double *x, sneppp_node *n)
{
   for (int k = 0; k < d; k++) { n->lo[k] = 1e300; n->hi[k] = -1e300; }
   for (size_t i = n->first; i < n->first + n->count; i++)
      for (int k = 0; k < d; k++) {
         double v = x[i * (size_t)d + (size_t)k];
         if (v < n->lo[k]) n->lo[k] = v;
         if (v > n->hi[k]) n->hi[k] = v;
      }
}

static void sneppp__tree_swap(int d, double *x, size_t *order, size_t i, size_t j)
{
   size_t o = order[i];
   order[i] = order[j], order[j] = o;
   for (size_t k = 0; k < (size_t)d; k++) {
      double v = x[i * (size_t)d + k];
      x[i * (size_t)d + k] = x[j * (size_t)d + k];
      x[j * (size_t)d + k] = v;
   }
}

/* Moves points of [first, last) so that position mid holds what a sort along axis k would put there, smaller ones
   before it and larger ones behind (Hoare's selection; runs of equal values are split evenly). */
static void sneppp__tree_select(int dim, double *x, size_t *order, size_t first, size_t last, size_t mid, size_t k)
{
   const size_t d = (size_t)dim;
   while (last - first > 1) {
      double p = x[(first + (last - first) / 2) * d + k];
      size_t i = first, j = last - 1;
      for (;;) {
         while (x[i * d + k] < p) i++;
         while (p < x[j * d + k]) j--;
         if (i >= j) break;
         sneppp__tree_swap(dim, x, order, i, j);
         i++, j--;
      }
      if (i == j && x[i * d + k] <= p) i++; /* [first, i) <= p <= [i, last) */
      if (i == first) i++;
      if (i >= last) i = last - 1;
      if (mid < i) last = i;
      else first = i;
   }
}

/* Builds the tree over x (N, d); with order (N), sorts x into tree order and says where each point was. Returns the
   number of nodes. */
static size_t sneppp__tree_build(int d, size_t N, double *x, size_t *order, sneppp_node *node)
{
   size_t nodes = 1;
   for (size_t i = 0; order && i < N; i++) order[i] = i;
   memset(&node[0], 0, sizeof node[0]);
   node[0].count = N;
   for (size_t at = 0; at < nodes; at++) {
      sneppp_node *n = &node[at];
      size_t       wide = 0, half = n->count / 2;
      sneppp__tree_box(d, x, n);
      if (n->count <= SNEPPP__LEAF) continue;
      for (size_t k = 1; k < (size_t)d; k++) if (n->hi[k] - n->lo[k] > n->hi[wide] - n->lo[wide]) wide = k;
      if (order) sneppp__tree_select(d, x, order, n->first, n->first + n->count, n->first + half, wide);
      n->kid = nodes;
      memset(&node[nodes], 0, 2 * sizeof node[0]);
      node[nodes].first = n->first, node[nodes].count = half;
      node[nodes + 1].first = n->first + half, node[nodes + 1].count = n->count - half;
      nodes += 2;
   }
   return nodes;
}

#endif /* SNEPPP_INFERENCE_ONLY */

/* Squared distance from x to the node's box: no point of the node is nearer. */
SNEPPP__INLINE double sneppp__node_distance2(const sneppp_node *n, const double *x, int d)
{
   double r = 0;
   for (int k = 0; k < d; k++) {
      double below = n->lo[k] - x[k], above = x[k] - n->hi[k], v = below > above ? below : above;
      v = v > 0 ? v : 0; /* no branches: queries are as often outside as inside */
      r += v * v;
   }
   return r;
}

#ifndef SNEPPP_INFERENCE_ONLY
/* The K + 1 smallest squared distances from point i to the other points, ascending. */
static void sneppp__tree_near(int d, const double *points, const sneppp_node *node, size_t i, int K, double *best)
{
   size_t        stack[128];
   int           top = 0;
   const double *x = points + i * (size_t)d;
   for (int k = 0; k <= K; k++) best[k] = 1e300;
   stack[top++] = 0;
   while (top) {
      const sneppp_node *n = &node[stack[--top]];
      if (sneppp__node_distance2(n, x, d) >= best[K]) continue;
      if (n->kid) { /* the nearer child is searched first */
         size_t near = sneppp__node_distance2(&node[n->kid + 1], x, d) < sneppp__node_distance2(&node[n->kid], x, d);
         stack[top++] = n->kid + !near;
         stack[top++] = n->kid + near;
         continue;
      }
      for (size_t j = n->first; j < n->first + n->count; j++) {
         const double *y = points + j * (size_t)d;
         double        r = 0;
         int           m;
         if (j == i) continue;
         for (int k = 0; k < d; k++) r += (x[k] - y[k]) * (x[k] - y[k]);
         if (r >= best[K]) continue;
         for (m = K; m > 0 && best[m - 1] > r; m--) best[m] = best[m - 1];
         best[m] = r;
      }
   }
}

/* exp(-u) for u >= 0, 0 beyond 30: a table and nine terms of the series, about 3e-16 relative, without a call or a
   branch, so that several can be in flight. exp(-u) = exp(-i/16) exp(-f), 0 <= f < 1/16. */
typedef struct sneppp__exp_table { double t[482]; } sneppp__exp_table;

static void sneppp__exp_fill(sneppp__exp_table *e)
{
   for (int i = 0; i < 482; i++) e->t[i] = exp(-i / 16.0);
}

SNEPPP__INLINE double sneppp__exp_neg(const sneppp__exp_table *e, double u)
{
   double v = u < 30 ? u : 30, f;
   int    i = (int)(v * 16);
   f = v - i * 0.0625;
   f = 1 -
       f * (1 -
            f * (0.5 - f * (1.0 / 6 -
                            f * (1.0 / 24 -
                                 f * (1.0 / 120 - f * (1.0 / 720 - f * (1.0 / 5040 - f * (1.0 / 40320))))))));
   return e->t[i] * f;
}

#endif /* SNEPPP_INFERENCE_ONLY */

/* ---- wide bumps as a table. The sum of all bumps that are wide against the cells of a grid is smooth: in each
   of the cells of [-1, 1]^d (d = 1 or 2) it is a polynomial of degree 23 per axis, kept as coefficients of
   Chebyshev's T. The cost of a look does not depend on how many bumps there are.

   How wide is wide: on a cell of half-width a, exp(-s (y - c)^2) is at most exp(s a^2 (r - 1/r)^2 / 4) on the ellipse
   with sum of half axes a r, so interpolation in p points errs by 4 / (r - 1) r^(1-p) times that (Trefethen,
   Approximation Theory and Approximation Practice, theorem 8.2). p = 24, s a^2 <= 1.2 and r = 6.2 give 3e-14 of the
   peak.

   There are 2^(top + more_k) cells along axis k, more of them where bumps are narrower. Bit b < top of the index
   along axis k is bit d b + k of the cell's number, and the bits above follow, those of axis 0 first: so the
   children of cell c are the cells 2^d c .. 2^d c + 2^d - 1, and a table is refined in its own memory. */
#define SNEPPP__CHEB 24
#define SNEPPP__WIDE 1.2  /* most s a^2 of a bump in the table */
#define SNEPPP__BATCH 8   /* bumps that enter the table together */
#define SNEPPP__BAND 16   /* cells a side that they enter at a time */

/* T_0 .. T_23 at t, for two values at a time, because each step waits for the one before. */
static void sneppp__cheb(double t, double u, double *T, double *U)
{
   T[0] = U[0] = 1, T[1] = t, U[1] = u;
   for (int k = 2; k < SNEPPP__CHEB; k++) T[k] = 2 * t * T[k - 1] - T[k - 2], U[k] = 2 * u * U[k - 1] - U[k - 2];
}

static size_t sneppp__table_cell(int d, int top, const int *more, const size_t *i)
{
   size_t cell = d == 1 ? i[0] >> top : i[0] >> top | i[1] >> top << more[0];
   for (int b = top; b-- > 0;) for (int k = d; k-- > 0;) cell = cell << 1 | (i[k] >> b & 1);
   return cell;
}

static double sneppp__table_at(const double *table, int d, int top, const int *more, const double *x)
{
   double T[2][SNEPPP__CHEB], sum[SNEPPP__CHEB], t[2] = {0, 0}, total = 0;
   size_t i[2] = {0, 0}, cell;
   for (int k = 0; k < d; k++) {
      size_t cells = (size_t)1 << (top + more[k]);
      double at = (x[k] + 1) * 0.5 * (double)cells;
      i[k] = at > 0 ? (size_t)at : 0;
      if (i[k] >= cells) i[k] = cells - 1;
      t[k] = fmin(1, fmax(-1, 2 * (at - (double)i[k]) - 1));
   }
   cell = sneppp__table_cell(d, top, more, i);
   sneppp__cheb(t[0], t[1], T[0], T[1]);
   if (d == 1) {
      table += cell * SNEPPP__CHEB;
      for (int j = 0; j < SNEPPP__CHEB; j++) total += table[j] * T[0][j];
      return total;
   }
   table += cell * SNEPPP__CHEB * SNEPPP__CHEB;
   for (int j = 0; j < SNEPPP__CHEB; j++) sum[j] = 0;
   for (int r = 0; r < SNEPPP__CHEB; r++)
      for (int j = 0; j < SNEPPP__CHEB; j++) sum[j] += T[0][r] * table[r * SNEPPP__CHEB + j];
   for (int j = 0; j < SNEPPP__CHEB; j++) total += sum[j] * T[1][j];
   return total;
}

#ifndef SNEPPP_INFERENCE_ONLY
/* Values of one cell, and of all. */
static size_t sneppp__cell_size(int d) { return d == 1 ? SNEPPP__CHEB : SNEPPP__CHEB * SNEPPP__CHEB; }

static size_t sneppp__table_size(int d, int top, const int *more)
{
   return sneppp__cell_size(d) << (d * top + more[0] + (d == 2 ? more[1] : 0));
}

/* Room for the table of n bumps: four values for each, none where there are too few bumps to be slow. */
static size_t sneppp__table_room(int d, size_t n)
{
   size_t most = sneppp__cell_size(d) << (d == 1 ? 10 : 8);
   if (d < 1 || d > 2 || n < 4096) return 0;
   return 4 * n < most ? 4 * n : most;
}

/* The finest table in that room, with cells in the shape of the bumps: metric gives the ratio of their widths. */
static int sneppp__table_shape(int d, size_t room, const double *metric, int *more)
{
   double least = d == 2 && metric[1] < metric[0] ? metric[1] : metric[0];
   int    top = 0;
   for (int k = 0; k < 2; k++) {
      more[k] = 0;
      while (k < d && more[k] < 8 && metric[k] > 1.5 * least * (double)(1 << more[k])) more[k]++;
   }
   while (sneppp__table_size(d, 0, more) > room)
      for (int k = 0; k < d; k++) more[k] -= more[k] > 0; /* one at most is not 0 */
   while (sneppp__table_size(d, top + 1, more) <= room) top++;
   return top;
}

/* The coarsest level that takes bumps of sharpness s along each axis: s_k a_k^2 <= 1.2 with a_k = 2^-(level +
   more_k). */
static int sneppp__table_level(int d, const int *more, const double *s)
{
   double most = ldexp(s[0], -2 * more[0]);
   int    level = 0;
   if (d == 2) most = fmax(most, ldexp(s[1], -2 * more[1]));
   while (level < 16 && most > SNEPPP__WIDE * (double)((uint64_t)1 << (2 * level))) level++;
   return level;
}

/* cell <- A cell B' for the matrices of the two axes; d = 1 has B only. */
static void sneppp__table_map(int d, const double *A, const double *B, const double *in, double *out)
{
   const size_t p = SNEPPP__CHEB;
   double       half[SNEPPP__CHEB * SNEPPP__CHEB];
   if (d == 2) sneppp__dgemm(0, 0, p, p, p, 1, A, p, in, p, 0, half, p);
   sneppp__dgemm(0, 1, d == 2 ? p : 1, p, p, 1, d == 2 ? half : in, p, B, p, 0, out, p);
}

/* Values at the nodes cos(pi (i + 1/2) / p) of every cell become coefficients. */
static void sneppp__table_transform(double *table, int d, int level, const int *more)
{
   const size_t size = sneppp__cell_size(d), cells = sneppp__table_size(d, level, more) / size;
   double       M[SNEPPP__CHEB * SNEPPP__CHEB], cell[SNEPPP__CHEB * SNEPPP__CHEB];
   for (int k = 0; k < SNEPPP__CHEB; k++)
      for (int i = 0; i < SNEPPP__CHEB; i++)
         M[k * SNEPPP__CHEB + i] = (k ? 2.0 : 1.0) / SNEPPP__CHEB * cos(SNEPPP__PI * k * (i + 0.5) / SNEPPP__CHEB);
   for (size_t c = 0; c < cells; c++) {
      memcpy(cell, table + c * size, size * sizeof *cell);
      sneppp__table_map(d, M, M, cell, table + c * size);
   }
}

/* From coefficients of a level to values at the nodes of the next. The coarse table moves to the end first; a cell is
   copied before its children are written, which reach no farther than its own place. */
static void sneppp__table_refine(double *table, int d, int level, const int *more)
{
   const size_t size = sneppp__cell_size(d), cells = sneppp__table_size(d, level, more) / size, kids = (size_t)1 << d;
   double       M[2][SNEPPP__CHEB * SNEPPP__CHEB], cell[SNEPPP__CHEB * SNEPPP__CHEB];
   for (int i = 0; i < SNEPPP__CHEB; i++) {
      double x = cos(SNEPPP__PI * (i + 0.5) / SNEPPP__CHEB);
      sneppp__cheb(0.5 * (x - 1), 0.5 * (x + 1), M[0] + i * SNEPPP__CHEB, M[1] + i * SNEPPP__CHEB);
   }
   memmove(table + (kids - 1) * cells * size, table, cells * size * sizeof *table);
   for (size_t c = 0; c < cells; c++) {
      memcpy(cell, table + ((kids - 1) * cells + c) * size, size * sizeof *cell);
      for (size_t q = 0; q < kids; q++)
         sneppp__table_map(d, M[q & 1], M[d == 2 ? q >> 1 : q], cell, table + (kids * c + q) * size);
   }
}

#ifdef SNEPPP__VECTOR
SNEPPP__TARGET_AVX2 static void sneppp__exps_vectors(size_t count, double *z)
{
   for (size_t i = 0; i < count; i += 4) _mm256_storeu_pd(z + i, sneppp__exp_f64x4(_mm256_loadu_pd(z + i)));
}
#endif

static void sneppp__exps(size_t count, double *z) /* count: a multiple of 4 */
{
#ifdef SNEPPP__VECTOR
   if (sneppp__has_vectors()) { sneppp__exps_vectors(count, z); return; }
#endif
   for (size_t i = 0; i < count; i++) z[i] = exp(z[i]);
}

/* Bumps w exp(-sum_k s_k (x_k - c_k)^2) that enter a table together. */
typedef struct sneppp__batch {
   int    count;
   double w[SNEPPP__BATCH], c[SNEPPP__BATCH][2], s[SNEPPP__BATCH][2];
} sneppp__batch;

/* The factors of axis k at the nodes of the cells first .. end - 1, of which there are `cells` along the axis. */
static void sneppp__batch_axis(const sneppp__batch *b, int k, int cells, int first, int end, double *E)
{
   const size_t row = SNEPPP__BAND * SNEPPP__CHEB, used = (size_t)(end - first) * SNEPPP__CHEB;
   double       node[SNEPPP__CHEB];
   for (int j = 0; j < SNEPPP__CHEB; j++) node[j] = cos(SNEPPP__PI * (j + 0.5) / SNEPPP__CHEB);
   for (int q = 0; q < b->count; q++, E += row) {
      double at = 1 + b->c[q][k], s = -b->s[q][k], side = 1.0 / cells;
      for (int i = first, n = 0; i < end; i++)
         for (int j = 0; j < SNEPPP__CHEB; j++) { double y = (2 * i + 1 + node[j]) * side - at; E[n++] = s * y * y; }
      sneppp__exps(used, E);
   }
}

/* Cells first .. end - 1 along axis k that the batch can reach. */
static void sneppp__batch_range(const sneppp__batch *b, int k, int cells, int *first, int *end)
{
   double lo = 1, hi = -1;
   for (int q = 0; q < b->count; q++) {
      double r = sqrt(SNEPPP__EDGE / (b->s[q][k] + 1e-30));
      lo = fmin(lo, b->c[q][k] - r), hi = fmax(hi, b->c[q][k] + r);
   }
   *first = (int)floor(0.5 * (fmax(lo, -1) + 1) * cells), *end = (int)ceil(0.5 * (fmin(hi, 1) + 1) * cells);
   if (*first > cells - 1) *first = cells - 1; /* centres may lie outside of the window */
   if (*end < *first + 1) *end = *first + 1;
}

static void sneppp__table_add(double *table, int d, int level, const int *more, const sneppp__batch *b)
{
   const size_t p = SNEPPP__CHEB, row = SNEPPP__BAND * p;
   double       E[2][SNEPPP__BATCH * SNEPPP__BAND * SNEPPP__CHEB];
   int          first[2] = {0, 0}, end[2] = {1, 1}, cells[2] = {1, 1};
   for (int k = 0; k < d; k++) sneppp__batch_range(b, k, cells[k] = 1 << (level + more[k]), &first[k], &end[k]);
   for (int i0 = first[0]; i0 < end[0]; i0 += SNEPPP__BAND) {
      int i1 = end[0] < i0 + SNEPPP__BAND ? end[0] : i0 + SNEPPP__BAND;
      sneppp__batch_axis(b, 0, cells[0], i0, i1, E[0]);
      for (int q = 0; q < b->count; q++)
         for (size_t r = 0; r < (size_t)(i1 - i0) * p; r++) E[0][(size_t)q * row + r] *= b->w[q];
      for (int j0 = first[1]; j0 < end[1]; j0 += SNEPPP__BAND) {
         int j1 = end[1] < j0 + SNEPPP__BAND ? end[1] : j0 + SNEPPP__BAND;
         if (d == 2) sneppp__batch_axis(b, 1, cells[1], j0, j1, E[1]);
         for (int i = i0; i < i1; i++)
            for (int j = j0; j < j1; j++) {
               const size_t  at[2] = {(size_t)i, (size_t)j};
               const double *A = E[0] + (size_t)(i - i0) * p, *B = E[1] + (size_t)(j - j0) * p;
               double       *out = table + sneppp__table_cell(d, level, more, at) * sneppp__cell_size(d);
               if (d == 2) sneppp__dgemm(1, 0, p, p, (size_t)b->count, 1, A, row, B, row, 1, out, p);
               else for (int q = 0; q < b->count; q++) for (size_t r = 0; r < p; r++) out[r] += A[(size_t)q * row + r];
            }
      }
   }
}
#endif /* SNEPPP_INFERENCE_ONLY */

/* >>model ====================================================================================================
   lambda(x) = alpha |V psi(x)|^2 + floor, with psi made from the layers of one or several factors.

   ---- activations for whole arrays, so that the switch stays outside the loop (sneppp__act is on floor space) */

#ifdef SNEPPP__VECTOR
/* sigma and sigma' of a vector. Kinks as in sneppp__act: the slope from the left. */
SNEPPP__VEC sneppp__vec sneppp__act_vec(const sneppp_unit *u, sneppp__vec z, sneppp__vec *slope)
{
   const sneppp__vec zero = SNEPPP__V(setzero)(), one = SNEPPP__V(set1)(1), half = SNEPPP__V(set1)((sneppp_real)0.5);
   const sneppp__vec p = SNEPPP__V(set1)((sneppp_real)u->p), q = SNEPPP__V(set1)((sneppp_real)u->q);
   sneppp__vec       s, c, e, t;
   switch (u->act) {
      case SNEPPP_COS: sneppp__vec_sincos(z, &s, &c); *slope = SNEPPP__V(sub)(zero, s); return c;
      case SNEPPP_SIN: sneppp__vec_sincos(z, &s, &c); *slope = c; return s;
      case SNEPPP_SNAKE:
      case SNEPPP_COSMIDENT: /* the wave has slope sin 2pz in both; sin^2 pz = (1 - cos 2pz)/2 cancels */
         sneppp__vec_sincos(SNEPPP__V(mul)(p, z), &s, &c);
         t = SNEPPP__V(mul)(s, c);
         *slope = SNEPPP__V(add)(one, SNEPPP__V(add)(t, t));
         if (u->act == SNEPPP_SNAKE) return SNEPPP__V(add)(z, SNEPPP__V(div)(SNEPPP__V(mul)(s, s), p));
         e = SNEPPP__V(mul)(SNEPPP__V(sub)(c, s), SNEPPP__V(add)(c, s)); /* cos 2pz */
         return SNEPPP__V(sub)(z, SNEPPP__V(div)(e, SNEPPP__V(add)(p, p)));
      case SNEPPP_EXP: return *slope = sneppp__vec_exp(z);
      case SNEPPP_ERF:
         e = sneppp__vec_gauss(z, 1);
         *slope = SNEPPP__V(mul)(e, SNEPPP__V(set1)((sneppp_real)1.12837916709551257390)); /* 2/sqrt(pi) */
         sneppp__vec_erf(z, e, &s, &c);
         return s;
      case SNEPPP_PHI: case SNEPPP_GELU:
         e = sneppp__vec_gauss(z, 2);
         sneppp__vec_erf(SNEPPP__V(mul)(z, SNEPPP__V(set1)((sneppp_real)0.70710678118654752440)), e, &s, &c);
         c = SNEPPP__V(mul)(c, half);
         c = SNEPPP__V(blendv)(SNEPPP__V(sub)(one, c), c, z); /* Phi(z): the lower tail keeps its digits */
         e = SNEPPP__V(mul)(e, SNEPPP__V(set1)((sneppp_real)0.39894228040143267794));
         *slope = u->act == SNEPPP_PHI ? e : SNEPPP__V(fmadd)(z, e, c);
         return u->act == SNEPPP_PHI ? c : SNEPPP__V(mul)(z, c);
      case SNEPPP_LEAKY:
         t = SNEPPP__V(cmp)(z, zero, _CMP_GT_OQ);
         *slope = SNEPPP__V(blendv)(p, one, t);
         return SNEPPP__V(mul)(*slope, z);
      case SNEPPP_BELL:
         e = sneppp__vec_exp(SNEPPP__V(mul)(SNEPPP__V(mul)(p, z), SNEPPP__V(sub)(zero, z)));
         *slope = SNEPPP__V(mul)(SNEPPP__V(mul)(SNEPPP__V(add)(p, p), e), SNEPPP__V(sub)(zero, z));
         return e;
      case SNEPPP_GABOR_SIN: case SNEPPP_GABOR_COS:
         e = sneppp__vec_exp(SNEPPP__V(mul)(SNEPPP__V(mul)(p, z), SNEPPP__V(sub)(zero, z)));
         sneppp__vec_sincos(SNEPPP__V(mul)(q, z), &s, &c);
         if (u->act == SNEPPP_GABOR_COS) { t = s; s = c; c = SNEPPP__V(sub)(zero, t); } /* cos' = -sin */
         t = SNEPPP__V(mul)(SNEPPP__V(mul)(SNEPPP__V(add)(p, p), z), s);
         *slope = SNEPPP__V(mul)(e, SNEPPP__V(fmsub)(q, c, t));
         return SNEPPP__V(mul)(e, s);
      default: /* SNEPPP_RELU */
         *slope = SNEPPP__V(and)(SNEPPP__V(cmp)(z, zero, _CMP_GT_OQ), one);
         return SNEPPP__V(max)(z, zero);
   }
}

/* The largest |z| for which the vectors are right, 0 for activations that have none. */
static sneppp_real sneppp__act_limit(const sneppp_unit *u)
{
   switch (u->act) {
      case SNEPPP_COS: case SNEPPP_SIN: return (sneppp_real)1e5;
      case SNEPPP_SNAKE: case SNEPPP_COSMIDENT: return (sneppp_real)(1e5 / (fabs(u->p) + 1e-10));
      case SNEPPP_GABOR_SIN: case SNEPPP_GABOR_COS: return (sneppp_real)(1e5 / (fabs(u->q) + 1e-10));
      case SNEPPP_EXP:
      case SNEPPP_ERF:
      case SNEPPP_PHI:
      case SNEPPP_GELU:
      case SNEPPP_LEAKY:
      case SNEPPP_BELL:
      case SNEPPP_RELU: return (sneppp_real)1e15;
      default: return 0;
   }
}

SNEPPP__TARGET_AVX2 static void sneppp__act_vectors(const sneppp_unit *u, sneppp_real limit, size_t count,
                                                    const sneppp_real *z, sneppp_real *psi,
                                                    sneppp_real *slope)
{
   const sneppp_unit unit = *u;
   sneppp__vec       most = SNEPPP__V(set1)(limit), sign = SNEPPP__V(set1)((sneppp_real)-0.0);
   for (size_t i = 0; i < count; i += SNEPPP__LANE) {
      size_t      left = count - i;
      sneppp__vec s, v = sneppp__vec_load(z + i, left), y = sneppp__act_vec(&unit, v, &s);
      int         good = SNEPPP__V(movemask)(SNEPPP__V(cmp)(SNEPPP__V(andnot)(sign, v), most, _CMP_LE_OQ));
      if (good == (1 << SNEPPP__LANE) - 1) {
         sneppp__vec_store(psi + i, y, left);
         if (slope) sneppp__vec_store(slope + i, s, left);
      } else { /* huge, infinite or NaN: one by one, but only where it must be */
         sneppp_real in[SNEPPP__LANE], out[SNEPPP__LANE], der[SNEPPP__LANE];
         double      d = 0;
         SNEPPP__V(storeu)(in, v), SNEPPP__V(storeu)(out, y), SNEPPP__V(storeu)(der, s);
         for (size_t k = 0; k < SNEPPP__LANE && k < left; k++) {
            if (!(good >> k & 1)) {
               out[k] = (sneppp_real)sneppp__act(&unit, (double)in[k], &d);
               der[k] = (sneppp_real)d;
            }
            psi[i + k] = out[k];
            if (slope) slope[i + k] = der[k];
         }
      }
   }
}
#endif

/* psi = sigma(z) and, if wanted, slope = sigma'(z); psi may be z. The common activations have loops of their own. */
static void sneppp__act_array(const sneppp_unit *u, size_t count, const sneppp_real *z, sneppp_real *psi,
                              sneppp_real *slope)
{
   size_t i;
   double s;
#ifdef SNEPPP__VECTOR
   sneppp_real limit = sneppp__act_limit(u);
   if (limit > 0 && sneppp__has_vectors()) { sneppp__act_vectors(u, limit, count, z, psi, slope); return; }
#endif
   switch (u->act) {
      case SNEPPP_RELU:
         for (i = 0; i < count; i++) {
            sneppp_real v = z[i];
            if (slope) slope[i] = (sneppp_real)(v > 0);
            psi[i] = v > 0 ? v : 0;
         }
         return;
      case SNEPPP_ONE:
         for (i = 0; i < count; i++) psi[i] = 1;
         if (slope) memset(slope, 0, count * sizeof *slope);
         return;
#ifdef SNEPPP_REAL_FLOAT /* the common ones without a double in sight, for machines that have none */
      case SNEPPP_COS: case SNEPPP_SIN: case SNEPPP_EXP:
         for (i = 0; i < count; i++) {
            float v = z[i];
            if (u->act == SNEPPP_EXP) { psi[i] = expf(v); if (slope) slope[i] = psi[i]; continue; }
            psi[i] = u->act == SNEPPP_COS ? cosf(v) : sinf(v);
            if (slope) slope[i] = u->act == SNEPPP_COS ? -sinf(v) : cosf(v);
         }
         return;
#endif
      default:
         for (i = 0; i < count; i++) {
            psi[i] = (sneppp_real)sneppp__act(u, (double)z[i], &s);
            if (slope) slope[i] = (sneppp_real)s;
         }
   }
}

/* ---- descriptions: defaults, checks, sizes */
static int sneppp__mix_concatenates(sneppp_mix mix)
{
   return mix == SNEPPP_MIX_STACK || mix == SNEPPP_MIX_ADDITIVE || mix == SNEPPP_MIX_SEPARABLE;
}

#ifndef SNEPPP_INFERENCE_ONLY
/* Factors mixed in the first layer are one factor over all coordinates. Boxes (and single intervals) join into
   a box; the lists of a Gaussian mixture would need the product of all components, so only plain Gaussians join. */
static sneppp_status sneppp__join_windows(const sneppp_window *const *part, int parts, sneppp_window *out,
                                          double *lists, sneppp_error *err)
{
   int f, r, box = 0, gauss = 0, dim = 0;
   memset(out, 0, sizeof *out);
   for (f = 0; f < parts; f++) {
      const sneppp_window *w = part[f];
      if (dim + w->dim > SNEPPP_MAX_DIM)
         return sneppp__fail(err, SNEPPP_ERR_SIZE,
                             "the factors of a joint layer have more than SNEPPP_MAX_DIM = %d coordinates",
                             SNEPPP_MAX_DIM);
      if (w->space == SNEPPP_BOX || (w->space == SNEPPP_INTERVALS && w->count == 1)) {
         for (r = 0; r < w->dim; r++) {
            out->lo[dim + r] = w->space == SNEPPP_BOX ? w->lo[r] : w->ends[0];
            out->hi[dim + r] = w->space == SNEPPP_BOX ? w->hi[r] : w->ends[1];
         }
         box = 1;
      } else if (w->space == SNEPPP_GAUSS && w->count <= 1) {
         for (r = 0; r < w->dim; r++) {
            lists[dim + r] = w->mean ? w->mean[r] : 0;
            lists[SNEPPP_MAX_DIM + dim + r] = w->scale ? w->scale[r] : 1;
         }
         gauss = 1;
      } else {
         return sneppp__fail(
            err, SNEPPP_ERR_NO_CLOSED_FORM,
            "factor[%d] cannot share a first layer: only boxes, single intervals and plain Gaussians can", f);
      }
      if (box && gauss)
         return sneppp__fail(
            err, SNEPPP_ERR_NO_CLOSED_FORM,
            "factor[%d] cannot share a first layer with the factors before it: one is a box, one is Gaussian",
            f);
      dim += w->dim;
   }
   out->dim = dim;
   out->space = box ? SNEPPP_BOX : SNEPPP_GAUSS;
   if (gauss) { out->count = 1; out->mean = lists; out->scale = lists + SNEPPP_MAX_DIM; }
   return SNEPPP_OK;
}

/* Own features stand in the place of constant units, which have no parameters that matter: nothing is learnt there. */
static sneppp_status sneppp__own_check(sneppp_desc *desc, int factors, int f, sneppp_error *err)
{
   sneppp_factor *x = &desc->factor[f];
   if (!x->own.psi || !x->own.gram)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "factor[%d].own.%s is NULL: features of your own need both", f,
                          x->own.psi ? "gram" : "psi");
   if ((x->unit.act != SNEPPP_ACT_DEFAULT && x->unit.act != SNEPPP_ONE) || x->units) /* ONE: resolved before */
      return sneppp__fail(err, SNEPPP_ERR_ARG, "factor[%d] has features of its own and an activation: choose one", f);
   if (desc->readout == SNEPPP_READOUT_DIAGONAL)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "factor[%d].own: features of your own need a full readout", f);
   if (factors > 1 && (desc->mix == SNEPPP_MIX_SUM || desc->mix == SNEPPP_MIX_STACK))
      return sneppp__fail(err, SNEPPP_ERR_NO_CLOSED_FORM,
                          "factor[%d].own: this mix needs first moments, which own features do not give; "
                          "stack them yourself, with a constant among them",
                          f);
   x->unit.act = SNEPPP_ONE;
   return SNEPPP_OK;
}

/* Fills in every default and refuses what cannot be; nothing is allocated yet. `lists` (2 SNEPPP_MAX_DIM) holds
   the mean and scale of joined Gaussians while the description is in use. */
static sneppp_status sneppp__resolve(const sneppp_desc *desc, sneppp_desc *out, double *lists, sneppp_error *err)
{
   const sneppp_window *part[SNEPPP_MAX_FACTORS];
   sneppp_error         inner;
   int                  f, factors = 0;
   if (!desc) return sneppp__fail(err, SNEPPP_ERR_ARG, "desc is NULL");
   if (desc->start_zero || desc->end_zero)
      return sneppp__fail(
         err, SNEPPP_ERR_ARG,
         "desc.start_zero or desc.end_zero is not 0: zero the struct first, sneppp_desc d = {0}");
   *out = *desc;
   while (factors < SNEPPP_MAX_FACTORS && desc->factor[factors].window.dim != 0) factors++;
   if (!factors)
      return sneppp__fail(err, SNEPPP_ERR_ARG,
                          "desc.factor[0].window.dim is 0: a model needs at least one factor");
   if ((int)desc->mix < 0 || desc->mix >= SNEPPP_MIX_END)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "desc.mix = %d is not a sneppp_mix", (int)desc->mix);
   if ((int)desc->readout < 0 || desc->readout >= SNEPPP_READOUT_END)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "desc.readout = %d is not a sneppp_readout", (int)desc->readout);
   if (!sneppp__finite(desc->alpha) || desc->alpha < 0)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "desc.alpha = %g must be finite and not negative",
                          desc->alpha);
   if (desc->width < 0) return sneppp__fail(err, SNEPPP_ERR_ARG, "desc.width = %d is negative", desc->width);
   if (desc->rank < 0) return sneppp__fail(err, SNEPPP_ERR_ARG, "desc.rank = %d is negative", desc->rank);
   if (desc->group < 0) return sneppp__fail(err, SNEPPP_ERR_ARG, "desc.group = %d is negative", desc->group);
   if (!out->width) out->width = 64;
   if (!out->seed) out->seed = 1;
   for (f = 0; f < factors; f++) {
      sneppp_status st = sneppp__window_check(&out->factor[f].window, &inner);
      if (st) return sneppp__fail(err, st, "factor[%d]: %s", f, inner.why);
      part[f] = &out->factor[f].window;
   }
   if (factors == 1) out->mix = SNEPPP_MIX_PRODUCT;
   if (out->mix == SNEPPP_MIX_JOINT) {
      sneppp_window joint;
      sneppp_status st = sneppp__join_windows(part, factors, &joint, lists, err);
      if (st) return st;
      for (f = 0; f < factors; f++)
         if (out->factor[f].own.psi)
            return sneppp__fail(err, SNEPPP_ERR_ARG,
                                "factor[%d].own: features of your own have no first layer to share", f);
      out->factor[0].window = joint;
      for (f = 1; f < factors; f++) memset(&out->factor[f], 0, sizeof out->factor[f]);
      out->mix = SNEPPP_MIX_PRODUCT;
      factors = 1;
   }
   for (f = 0; f < factors; f++) {
      sneppp_factor *x = &out->factor[f];
      sneppp_status  st;
      if (x->width < 0) return sneppp__fail(err, SNEPPP_ERR_ARG, "factor[%d].width = %d is negative", f, x->width);
      if (!x->width) x->width = out->width;
      if (x->own.psi || x->own.gram) { st = sneppp__own_check(out, factors, f, err); if (st != SNEPPP_OK) return st; }
      if (x->unit.act == SNEPPP_ACT_DEFAULT) x->unit.act = sneppp__act_default(x->window.space);
      for (int i = 0; x->units && i < x->width; i++) /* radial units have widths, for which the layer must have room */
         if (x->unit.act == SNEPPP_RBF ? x->units[i].act != SNEPPP_RBF && x->units[i].act != SNEPPP_ONE
                                       : x->units[i].act == SNEPPP_RBF)
            return sneppp__fail(
               err, SNEPPP_ERR_ARG,
               "factor[%d].units[%d]: radial units mix with constants only, and unit.act must be SNEPPP_RBF",
               f, i);
      if ((out->mix == SNEPPP_MIX_PRODUCT || out->mix == SNEPPP_MIX_SUM) && x->width != out->factor[0].width)
         return sneppp__fail(err, SNEPPP_ERR_ARG,
                             "factor[%d].width = %d differs from factor[0].width = %d, but this mix pairs "
                             "the units one by one",
                             f, x->width, out->factor[0].width);
   }
   if (out->group) {
      int radial = out->readout == SNEPPP_READOUT_DIAGONAL && out->mix == SNEPPP_MIX_PRODUCT, coordinates = 0;
      for (f = 0; f < factors; f++) {
         const sneppp_factor *x = &out->factor[f];
         coordinates += sneppp__stats(&x->window);
         if (x->unit.act != SNEPPP_RBF && (x->unit.act != SNEPPP_EXP || x->window.space != SNEPPP_SPHERE)) radial = 0;
         if (x->units || x->width % out->group) radial = 0;
      }
      if (!radial || coordinates > SNEPPP_RADIAL_DIM)
         return sneppp__fail(err, SNEPPP_ERR_ARG,
                             "desc.group needs a product of radial units with at most %d coordinates, a "
                             "diagonal readout, and a width that it divides",
                             SNEPPP_RADIAL_DIM);
   }
   return SNEPPP_OK;
}

/* ---- windows inside a model: centred on the origin, in the user's unit of length. Subtracting the centre
   first keeps phases w.x + b small for coordinates such as UTM northings; not scaling keeps balls round. */
static void sneppp__centre(const sneppp_window *w, double *shift, double *rate)
{
   int    r;
   size_t k;
   for (r = 0; r < SNEPPP_MAX_DIM; r++) { shift[r] = 0; rate[r] = 1; }
   for (r = 0; r < w->dim && r < SNEPPP_MAX_DIM; r++) {
      double lo = 0, hi = 0, total = 0, square = 0;
      switch (w->space) {
         case SNEPPP_BOX: lo = w->lo[r]; hi = w->hi[r]; break;
         case SNEPPP_BALL: lo = w->centre[r] - w->radius; hi = w->centre[r] + w->radius; break;
         case SNEPPP_INTERVALS: lo = w->ends[0]; hi = w->ends[2 * w->count - 1]; break;
         case SNEPPP_POLYGON: {
            size_t vertices = w->count;
            if (w->rings) for (vertices = 0, k = 0; k < w->rings; k++) vertices += w->ring_size[k];
            lo = hi = w->xy[r];
            for (k = 1; k < vertices; k++) {
               if (w->xy[2 * k + (size_t)r] < lo) lo = w->xy[2 * k + (size_t)r];
               if (w->xy[2 * k + (size_t)r] > hi) hi = w->xy[2 * k + (size_t)r];
            }
            break;
         }
         case SNEPPP_GAUSS:
            for (k = 0; k < (w->count ? w->count : 1); k++) {
               double p = w->weight ? w->weight[k] : 1, m = w->mean ? w->mean[k * (size_t)w->dim + (size_t)r] : 0;
               double s = w->scale ? w->scale[k * (size_t)w->dim + (size_t)r] : 1;
               total += p, shift[r] += p * m, square += p * s * s;
            }
            shift[r] /= total, square /= total;
            for (k = 0; w->mean && k < (w->count ? w->count : 1); k++) {
               double e = w->mean[k * (size_t)w->dim + (size_t)r] - shift[r];
               square += (w->weight ? w->weight[k] : 1) / total * e * e;
            }
            rate[r] = 1 / sqrt(square);
            break;
         default: break;
      }
      if (hi > lo) { shift[r] = 0.5 * lo + 0.5 * hi; rate[r] = 2 / (hi - lo); }
   }
}

/* Takes room for the lists of a window and points the copy at it; with a real block, copies them too, moved by
   -shift. One function for measuring, for the model's own copies and for regions. */
static double *sneppp__place_list(sneppp__carver *c, const double *list, size_t rows, size_t cols, const double *shift)
{
   double *to = list ? (double *)sneppp__take(c, rows, cols, sizeof *to) : NULL;
   if (to)
      for (size_t k = 0; k < rows; k++)
         for (size_t r = 0; r < cols; r++) to[k * cols + r] = list[k * cols + r] - (shift ? shift[r] : 0);
   return to;
}

static void sneppp__place_window(sneppp__carver *c, const sneppp_window *w, const double *shift, sneppp_window *out)
{
   size_t vertices = w->count, k, dim = (size_t)w->dim;
   double both[2];
   *out = *w;
   out->weight = out->mean = out->scale = out->ends = out->point = out->xy = NULL;
   out->ring_size = NULL;
   out->count = out->rings = 0; /* only where they mean something */
   switch (w->space) {
      case SNEPPP_BOX:
         for (k = 0; k < dim; k++) { out->lo[k] = w->lo[k] - shift[k]; out->hi[k] = w->hi[k] - shift[k]; }
         break;
      case SNEPPP_BALL:
         for (k = 0; k < dim; k++) out->centre[k] = w->centre[k] - shift[k];
         break;
      case SNEPPP_GAUSS: /* always lists of its own, so that a fit can learn them */
         out->count = w->count ? w->count : 1;
         {
            double *p = (double *)sneppp__take(c, out->count, 1, sizeof *p);
            double *m = (double *)sneppp__take(c, out->count, dim, sizeof *m);
            double *s = (double *)sneppp__take(c, out->count, dim, sizeof *s);
            if (p && m && s)
               for (k = 0; k < out->count; k++) {
                  p[k] = w->weight ? w->weight[k] : 1 / (double)out->count;
                  for (size_t r = 0; r < dim; r++) {
                     m[k * dim + r] = (w->mean ? w->mean[k * dim + r] : 0) - shift[r];
                     s[k * dim + r] = w->scale ? w->scale[k * dim + r] : 1;
                  }
               }
            out->weight = p, out->mean = m, out->scale = s;
         }
         break;
      case SNEPPP_INTERVALS:
         both[0] = both[1] = shift[0];
         out->count = w->count;
         out->ends = sneppp__place_list(c, w->ends, w->count, 2, both);
         break;
      case SNEPPP_FINITE:
         out->count = w->count;
         out->weight = sneppp__place_list(c, w->weight, w->count, 1, NULL);
         out->point = sneppp__place_list(c, w->point, w->count, dim, NULL);
         break;
      case SNEPPP_POLYGON:
         if (w->rings) {
            size_t *to = (size_t *)sneppp__take(c, w->rings, 1, sizeof *to);
            for (vertices = 0, k = 0; k < w->rings; k++) vertices += w->ring_size[k];
            if (to) memcpy(to, w->ring_size, w->rings * sizeof *to);
            out->ring_size = to, out->rings = w->rings;
         } else out->count = w->count;
         out->xy = sneppp__place_list(c, w->xy, vertices, 2, shift);
         break;
      default: break;
   }
}

/* Coordinates of the tree over radial units: those of all factors. */
static int sneppp__tree_dim(const sneppp_model *model)
{
   int d = 0;
   for (int f = 0; f < model->factors; f++) d += model->layer[f].d;
   return d;
}

/* Tables are for RBF units in windows that fill [-1, 1] in the coordinates of the features. */
static int sneppp__tables(const sneppp_model *model)
{
   for (int f = 0; f < model->factors; f++) {
      sneppp_space space = model->desc.factor[f].window.space;
      if (model->desc.factor[f].unit.act != SNEPPP_RBF || (space != SNEPPP_BOX && space != SNEPPP_INTERVALS &&
                                                           space != SNEPPP_POLYGON && space != SNEPPP_BALL))
         return 0;
   }
   return 1;
}

/* ---- the arrays of a model. desc must be resolved; model->desc and the sizes are set here. */
static void sneppp__place_model(sneppp__carver *c, const sneppp_desc *desc, sneppp_model *model)
{
   static const double zero[SNEPPP_MAX_DIM] = {0};
   size_t n = 0;
   memset(model, 0, sizeof *model);
   model->desc = *desc;
   while (model->factors < SNEPPP_MAX_FACTORS && desc->factor[model->factors].window.dim) model->factors++;
   for (int f = 0; f < model->factors; f++) {
      const sneppp_factor *x = &desc->factor[f];
      sneppp_layer_state  *L = &model->layer[f];
      size_t               units = (size_t)x->width, d;
      L->n = x->width;
      L->d = sneppp__stats(&x->window);
      L->D = sneppp__coords(&x->window);
      d = (size_t)L->d;
      L->first = model->D;
      model->D += L->D;
      sneppp__centre(&x->window, L->shift, L->rate);
      sneppp__place_window(c, &x->window, zero, &model->desc.factor[f].window);
      sneppp__place_window(c, &x->window, L->shift, &L->inside);
      L->W = (sneppp_real *)sneppp__take(c, units, d, sizeof *L->W);
      L->b = (sneppp_real *)sneppp__take(c, units, 1, sizeof *L->b);
      if (x->unit.act == SNEPPP_RBF) L->width = (sneppp_real *)sneppp__take(c, units, d, sizeof *L->width);
      if (x->units) {
         L->units = (sneppp_unit *)sneppp__take(c, units, 1, sizeof *L->units);
         if (L->units) memcpy(L->units, x->units, units * sizeof *L->units);
         model->desc.factor[f].units = L->units;
      }
      if (!f) n = units;
      else if (sneppp__mix_concatenates(desc->mix)) n += units;
      else if (desc->mix == SNEPPP_MIX_OUTER && sneppp__mul_overflows(n, units, &n)) c->overflow = 1;
   }
   if (n > (size_t)INT32_MAX) { c->overflow = 1; return; }
   model->n = (int)n;
   if (desc->group > 0) {
      size_t groups = n / (size_t)desc->group;
      model->node = (sneppp_node *)sneppp__take(c, sneppp__tree_room(groups), 1, sizeof *model->node);
      model->centre = (double *)sneppp__take(c, groups, (size_t)sneppp__tree_dim(model), sizeof *model->centre);
      model->peak = (sneppp_real *)sneppp__take(c, n, 1, sizeof *model->peak);
      model->sharp = (sneppp_real *)sneppp__take(c, n, 1, sizeof *model->sharp);
      if (sneppp__tables(model) && (groups = sneppp__table_room(sneppp__tree_dim(model), n)) > 0)
         model->table = (double *)sneppp__take(c, groups, 1, sizeof *model->table);
      model->table_top = -1;
   }
   model->readouts = desc->mix == SNEPPP_MIX_ADDITIVE || desc->mix == SNEPPP_MIX_SEPARABLE ? model->factors : 1;
   for (int k = 0, first = 0; k < model->readouts; k++) {
      sneppp_readout_state *R = &model->readout[k];
      R->n = model->readouts > 1 ? model->layer[k].n : model->n;
      R->m = desc->readout == SNEPPP_READOUT_DIAGONAL ? 1 : desc->rank && desc->rank < R->n ? desc->rank : R->n;
      R->first = first;
      R->V = (sneppp_real *)sneppp__take(c, (size_t)R->m, (size_t)R->n, sizeof *R->V);
      first += R->n;
   }
}

#endif /* SNEPPP_INFERENCE_ONLY */

/* ---- the hidden layer */
static void sneppp__statistics(const sneppp_model *model, int f, const sneppp_real *x, sneppp_real *t)
{
   const sneppp_layer_state *L = &model->layer[f];
   if (model->desc.factor[f].own.psi) { memcpy(t, x, (size_t)L->D * sizeof *t); return; } /* as they are */
   switch (L->inside.space) {
      case SNEPPP_BOX:
      case SNEPPP_GAUSS:
      case SNEPPP_INTERVALS:
      case SNEPPP_POLYGON:
      case SNEPPP_BALL:
      case SNEPPP_EUCLID:
         for (int r = 0; r < L->D; r++) t[r] = (x[r] - (sneppp_real)L->shift[r]) * (sneppp_real)L->rate[r];
         return;
      case SNEPPP_SPHERE:
         for (int r = 0; r < L->D; r++) t[r] = x[r];
         return;
      default: {
         double in[SNEPPP_MAX_DIM], out[SNEPPP_MAX_DIM];
         for (int r = 0; r < L->D; r++) in[r] = (double)x[r];
         sneppp__window_stats(&L->inside, in, out);
         for (int r = 0; r < L->d; r++) t[r] = (sneppp_real)out[r];
      }
   }
}

/* The first factor with features of the caller's own, or -1; and what to say where they stand in the way. */
SNEPPP__UNUSED static int sneppp__own_factor(const sneppp_model *model)
{
   for (int f = 0; f < model->factors; f++) if (model->desc.factor[f].own.psi) return f;
   return -1;
}

SNEPPP__UNUSED static sneppp_status sneppp__own_refuse(const sneppp_model *model, const char *what, sneppp_error *err)
{
   return sneppp__fail(err, SNEPPP_ERR_NO_CLOSED_FORM,
                       "a model with features of your own (factor[%d].own) cannot be %s: they are code, of which "
                       "nothing is known",
                       sneppp__own_factor(model), what);
}

/* Features of the caller's own. There are never more than a full readout may have. */
static void sneppp__own_features(const sneppp_model *model, int f, size_t first, const int *pick, size_t units,
                                 size_t B, const sneppp_real *T, sneppp_real *psi, sneppp_real *slope)
{
   const sneppp_own *own = &model->desc.factor[f].own;
   double            x[SNEPPP__MAX_STATS], all[SNEPPP_MAX_WIDTH];
   for (size_t k = 0; k < B; k++) {
      for (int r = 0; r < model->layer[f].D; r++) x[r] = (double)T[k * (size_t)model->layer[f].d + (size_t)r];
      own->psi(x, all, own->user);
      for (size_t i = 0; i < units; i++) psi[k * units + i] = (sneppp_real)all[pick ? (size_t)pick[i] : first + i];
   }
   if (slope) memset(slope, 0, B * units * sizeof *slope);
}

/* psi (B, units) of the units first, first + 1, ... of one factor, or of those that are listed in pick (units),
   from the statistics T (B, d) of B points. If wanted, slope is the derivative with respect to the pre-activation
   (RBF: psi itself, whose derivatives the loss takes through centre and width). */
static void sneppp__layer_features(const sneppp_model *model, int f, size_t first, const int *pick, size_t units,
                                   size_t B, const sneppp_real *T, sneppp_real *psi, sneppp_real *slope)
{
   enum {
      block = SNEPPP_MAX_WIDTH < 128 ? (SNEPPP_MAX_WIDTH + 7) / 8 * 8 : 128
   }; /* units at a time: their weights are turned round once and then serve B points from the cache */
   const sneppp_layer_state *L = &model->layer[f];
   sneppp_real               W[block * SNEPPP__MAX_STATS], R[block * SNEPPP__MAX_STATS], bias[block];
   sneppp_unit               unit[block];
   size_t                    d = (size_t)L->d;
   if (model->desc.factor[f].own.psi) { sneppp__own_features(model, f, first, pick, units, B, T, psi, slope); return; }
   for (size_t i0 = 0, count, whole; i0 < units; i0 += count) {
      count = units - i0 < (size_t)block ? units - i0 : (size_t)block;
      whole = (count + 7) / 8 * 8; /* whole vectors */
      for (size_t i = 0; i < whole; i++) {
         size_t at = i0 + (i < count ? i : 0);
         at = pick ? (size_t)pick[at] : first + at;
         bias[i] = L->b[at];
         if (L->units) unit[i] = L->units[at];
         for (size_t r = 0; r < d; r++) {
            W[r * block + i] = L->W[at * d + r];
            if (L->width) R[r * block + i] = 1 / L->width[at * d + r];
         }
      }
      for (size_t k = 0; k < B; k++) {
         sneppp_real *z = psi + k * units + i0, *s = slope ? slope + k * units + i0 : NULL;
         sneppp__preactivate(count, d, block, W, L->width ? R : NULL, bias, T + k * d, z);
         for (size_t i = 0, run; i < count;
              i += run) { /* runs of units with one activation: all, if the layer is not mixed */
            sneppp_unit u = L->units ? unit[i] : model->desc.factor[f].unit;
            run = count - i;
            if (L->units) {
               const sneppp_unit *v = unit + i;
               for (run = 1; i + run < count && v[run].act == u.act && v[run].p == u.p && v[run].q == u.q;) run++;
            }
            if (u.act == SNEPPP_RBF) u.act = SNEPPP_EXP;
            sneppp__act_array(&u, run, z + i, z + i, s ? s + i : NULL);
         }
      }
   }
}

/* Takes the features `in` of factor f into those of the model, of which the factors before it have made `have`.
   Concatenating mixes keep them side by side. Returns how many there are now. */
static size_t sneppp__mix_factor(const sneppp_model *model, int f, const sneppp_real *in, sneppp_real *out, size_t have)
{
   size_t nf = (size_t)model->layer[f].n;
   if (!f || sneppp__mix_concatenates(model->desc.mix)) {
      memmove(out + have, in, nf * sizeof *out);
      return have + nf;
   }
   if (model->desc.mix == SNEPPP_MIX_OUTER) { /* from the back, so that it can be done in place */
      for (size_t i = have; i-- > 0;) {
         sneppp_real v = out[i];
         for (size_t j = 0; j < nf; j++) out[i * nf + j] = v * in[j];
      }
      return have * nf;
   }
   if (model->desc.mix == SNEPPP_MIX_SUM) for (size_t i = 0; i < nf; i++) out[i] += in[i];
   else for (size_t i = 0; i < nf; i++) out[i] *= in[i];
   return have;
}

/* Rows of n features: all of the model, or of a product some of them. */
SNEPPP__UNUSED static void sneppp__mix_features(const sneppp_model *model, size_t B, size_t n,
                                                sneppp_real *const *part, sneppp_real *psi)
{
   if (model->desc.mix == SNEPPP_MIX_PRODUCT && model->factors > 1) {
      sneppp__real_product(B * n, 1, part[0], part[1], psi);
      for (int f = 2; f < model->factors; f++) sneppp__real_product(B * n, 1, psi, part[f], psi);
      return;
   }
   for (size_t k = 0; k < B; k++) {
      size_t have = 0;
      for (int f = 0; f < model->factors; f++) {
         const sneppp_real *in = part[f] + k * (size_t)model->layer[f].n;
         have = sneppp__mix_factor(model, f, in, psi + k * n, have);
      }
   }
}

/* |V psi|^2 of one readout; the row sums are short, the sum over rows is double. */
static double sneppp__readout_square(const sneppp_model *model, const sneppp_readout_state *R, const sneppp_real *psi)
{
   size_t n = (size_t)R->n;
   double total = 0;
   if (model->desc.readout == SNEPPP_READOUT_DIAGONAL) {
      for (size_t i = 0; i < n; i++) { double v = (double)(R->V[i] * psi[i]); total += v * v; }
      return total;
   }
#ifdef SNEPPP__VECTOR
   if (sneppp__has_vectors()) return sneppp__square_norm_vectors((size_t)R->m, n, R->V, psi);
#endif
   for (size_t r = 0; r < (size_t)R->m; r++) {
      double sum = sneppp__real_dot(n, R->V + r * n, psi);
      total += sum * sum;
   }
   return total;
}

static double sneppp__readout(const sneppp_model *model, const sneppp_real *psi)
{
   double sum = 0, product = 1;
   for (int k = 0; k < model->readouts; k++) {
      double v = sneppp__readout_square(model, &model->readout[k], psi + model->readout[k].first);
      sum += v, product *= v;
   }
   return model->alpha * (model->desc.mix == SNEPPP_MIX_SEPARABLE ? product : sum) + model->floor;
}

#ifndef SNEPPP_INFERENCE_ONLY
/* ---- closed forms for a model */
typedef struct sneppp__grams { /* what one region of the space gives, factor by factor */
   double *K[SNEPPP_MAX_FACTORS]; /* (n_f, n_f)                               */
   double *c[SNEPPP_MAX_FACTORS]; /* (n_f) first moments, where the mix asks  */
   double  mass[SNEPPP_MAX_FACTORS];
   int     diagonal;              /* a diagonal readout needs only the diagonals: K[f] is (n_f), O(n) memory */
} sneppp__grams;

static int sneppp__mix_needs_moments(const sneppp_model *model)
{
   return model->factors > 1 && (model->desc.mix == SNEPPP_MIX_SUM || model->desc.mix == SNEPPP_MIX_STACK);
}

static void sneppp__place_grams(sneppp__carver *c, const sneppp_model *model, sneppp__grams *g)
{
   g->diagonal = model->desc.readout == SNEPPP_READOUT_DIAGONAL;
   for (int f = 0; f < model->factors; f++) {
      size_t n = (size_t)model->layer[f].n;
      g->K[f] = (double *)sneppp__take(c, n, g->diagonal ? 1 : n, sizeof(double));
      g->c[f] = sneppp__mix_needs_moments(model) ? (double *)sneppp__take(c, n, 1, sizeof(double)) : NULL;
   }
}

/* The layer of factor f in the units of the closed forms: w.u + b with u = rate (x - shift) is (w rate).y + b
   in the centred coordinate y = x - shift; RBF centres and widths divide by the rate instead. */
static void sneppp__place_layer(sneppp__carver *c, const sneppp_model *model, int f, sneppp_layer *out)
{
   const sneppp_layer_state *L = &model->layer[f];
   size_t  n = (size_t)L->n, d = (size_t)L->d;
   double *W = (double *)sneppp__take(c, n, d, sizeof *W), *b = (double *)sneppp__take(c, n, 1, sizeof *b);
   double *l = L->width ? (double *)sneppp__take(c, n, d, sizeof *l) : NULL;
   memset(out, 0, sizeof *out);
   out->n = L->n, out->d = L->d, out->unit = model->desc.factor[f].unit, out->units = L->units;
   out->W = W, out->width = l, out->b = model->desc.factor[f].no_bias ? NULL : b;
   if (!W || !b) return;
   for (size_t i = 0; i < n; i++) {
      b[i] = (double)L->b[i];
      for (size_t r = 0; r < d; r++) {
         double w = (double)L->W[i * d + r];
         W[i * d + r] = l ? w / L->rate[r] : w * L->rate[r];
         if (l) l[i * d + r] = (double)L->width[i * d + r] / L->rate[r];
      }
   }
}

/* Entry (i, j) of the model's Gram matrix. With P_f the product of the masses of all other factors:
      product: prod K_f      outer: prod K_f[i_f][j_f]      additive: K_f P_f on the diagonal blocks
      sum:   sum_f K_f P_f + sum_{f != g} c_f c_g' P_fg
      stack: K_f P_f on the diagonal blocks, c_f c_g' P_fg off them  (paper, appendix B)                     */
static double sneppp__mix_mass(const sneppp_model *model, const sneppp__grams *g, int f, int h)
{
   double p = 1;
   for (int k = 0; k < model->factors; k++) if (k != f && k != h) p *= g->mass[k];
   return p;
}

static double sneppp__factor_entry(const sneppp_model *model, const sneppp__grams *g, int f, size_t i, size_t j)
{
   return g->diagonal ? g->K[f][i] : g->K[f][i * (size_t)model->layer[f].n + j];
}

static double sneppp__mix_entry(const sneppp_model *model, const sneppp__grams *g, size_t i, size_t j)
{
   double k = 1;
   switch (model->desc.mix) {
      case SNEPPP_MIX_OUTER:
         for (int f = model->factors; f-- > 0;) {
            size_t n = (size_t)model->layer[f].n;
            k *= sneppp__factor_entry(model, g, f, i % n, j % n);
            i /= n, j /= n;
         }
         return k;
      case SNEPPP_MIX_SUM:
         k = 0;
         for (int f = 0; f < model->factors; f++) {
            k += sneppp__factor_entry(model, g, f, i, j) * sneppp__mix_mass(model, g, f, f);
            for (int h = 0; h < model->factors; h++)
               if (h != f) k += g->c[f][i] * g->c[h][j] * sneppp__mix_mass(model, g, f, h);
         }
         return k;
      case SNEPPP_MIX_STACK: case SNEPPP_MIX_ADDITIVE: case SNEPPP_MIX_SEPARABLE: {
         int    f = 0, h = 0;
         while (i >= (size_t)model->layer[f].n) i -= (size_t)model->layer[f++].n;
         while (j >= (size_t)model->layer[h].n) j -= (size_t)model->layer[h++].n;
         if (f == h)
            return sneppp__factor_entry(model, g, f, i, j) *
                   (model->desc.mix == SNEPPP_MIX_SEPARABLE ? 1 : sneppp__mix_mass(model, g, f, f));
         return model->desc.mix == SNEPPP_MIX_STACK ? g->c[f][i] * g->c[h][j] * sneppp__mix_mass(model, g, f, h) : 0;
      }
      default:
         for (int f = 0; f < model->factors; f++) k *= sneppp__factor_entry(model, g, f, i, j);
         return k;
   }
}

/* ---- regions. A region may share its border with the window, so only true crossings count as leaving it. */
static size_t sneppp__outline(const sneppp_window *w, size_t k, double *a, double *b)
{
   size_t first = 0, size = 4, ring = 0, rings = sneppp__ring_count(w); /* edge k of a planar box or polygon */
   if (w->space == SNEPPP_BOX) {
      static const int corner[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
      for (int r = 0; r < 2 && k < 4; r++) {
         a[r] = corner[k][r] ? w->hi[r] : w->lo[r];
         b[r] = corner[k + 1][r] ? w->hi[r] : w->lo[r];
      }
      return 4;
   }
   for (; ring < rings; ring++, first += size) {
      size = sneppp__ring_size(w, ring);
      if (k < first || k >= first + size) continue;
      memcpy(a, w->xy + 2 * k, 2 * sizeof *a);
      memcpy(b, w->xy + 2 * (k + 1 < first + size ? k + 1 : first), 2 * sizeof *b);
   }
   return first;
}

/* Corners inside are enough for convex windows. Unions of intervals and polygons need more: no interval may span
   a gap, no edge may cross the border, and no hole may lie inside the region. */
static sneppp_status sneppp__region_edges(const sneppp_window *win, const sneppp_window *part, int f, sneppp_error *err)
{
   double a[2] = {0, 0}, b[2] = {0, 0}, c[2] = {0, 0}, e[2] = {0, 0};
   size_t i, j, edges, borders;
   if (win->space == SNEPPP_INTERVALS) {
      for (i = 0; i < (part->space == SNEPPP_BOX ? 1 : part->count); i++) {
         double lo = part->space == SNEPPP_BOX ? part->lo[0] : part->ends[2 * i],
                hi = part->space == SNEPPP_BOX ? part->hi[0] : part->ends[2 * i + 1];
         for (j = 0; j < win->count && !(win->ends[2 * j] <= lo && hi <= win->ends[2 * j + 1]); j++) {}
         if (j == win->count)
            return sneppp__fail(err, SNEPPP_ERR_ARG,
                                "region.factor[%d]: [%g, %g] spans a gap between the window's intervals", f,
                                lo, hi);
      }
      return SNEPPP_OK;
   }
   if (win->space != SNEPPP_POLYGON) return SNEPPP_OK;
   edges = sneppp__outline(part, 0, a, b), borders = sneppp__outline(win, 0, c, e);
   for (i = 0; i < edges; i++)
      for (j = 0; j < borders; j++) {
         sneppp__outline(part, i, a, b), sneppp__outline(win, j, c, e);
         if (sneppp__side(a, b, c) * sneppp__side(a, b, e) < 0 && sneppp__side(c, e, a) * sneppp__side(c, e, b) < 0)
            return sneppp__fail(err, SNEPPP_ERR_ARG,
                                "region.factor[%d]: its edge %z crosses edge %z of the window", f, i, j);
         if (sneppp_window_contains(part, c) && !i) {
            double mid[2] = {0, 0}; /* a border vertex inside the region: on its outline it is shared, else a hole */
            size_t on = 0;
            for (size_t k = 0; k < edges; k++) {
               sneppp__outline(part, k, a, mid);
               on += sneppp__boxes_meet(a, mid, c, c) && !sneppp__side(a, mid, c);
            }
            if (!on)
               return sneppp__fail(
                  err, SNEPPP_ERR_ARG,
                  "region.factor[%d] covers a part of the plane that is not in the window, near (%g, %g)", f,
                  c[0], c[1]);
         }
      }
   return SNEPPP_OK;
}

static sneppp_status sneppp__region_ball(const sneppp_window *win, const sneppp_window *part, int f, sneppp_error *err)
{
   double distance = 0, R = part->radius, tiny = 1e-12;
   if (win->space == SNEPPP_BALL) {
      for (int r = 0; r < win->dim; r++)
         distance += (part->centre[r] - win->centre[r]) * (part->centre[r] - win->centre[r]);
      if (sqrt(distance) + R <= win->radius * (1 + tiny)) return SNEPPP_OK;
   } else if (win->space == SNEPPP_BOX) {
      int r = 0;
      while (r < win->dim && part->centre[r] - R >= win->lo[r] - tiny * R &&
             part->centre[r] + R <= win->hi[r] + tiny * R)
         r++;
      if (r == win->dim) return SNEPPP_OK;
   } else if (sneppp_window_contains(win, part->centre)) {
      double a[2] = {0, 0}, b[2] = {0, 0};
      size_t k, borders = sneppp__outline(win, 0, a, b);
      for (k = 0; k < borders; k++) { /* distance from the centre to each edge */
         double u, v, t;
         sneppp__outline(win, k, a, b);
         u = b[0] - a[0], v = b[1] - a[1];
         t = ((part->centre[0] - a[0]) * u + (part->centre[1] - a[1]) * v) / (u * u + v * v);
         t = t < 0 ? 0 : t > 1 ? 1 : t;
         if (hypot(a[0] + t * u - part->centre[0], a[1] + t * v - part->centre[1]) < R * (1 - tiny)) break;
      }
      if (k == borders) return SNEPPP_OK;
   }
   return sneppp__fail(err, SNEPPP_ERR_ARG, "region.factor[%d]: the ball reaches outside the window", f);
}

/* Factor f of a region, in the user's units. */
static const sneppp_window *sneppp__part(const sneppp_model *model, const sneppp_region *region, int f)
{
   return region && region->factor[f] ? region->factor[f] : &model->desc.factor[f].window;
}

/* May this window be factor f of a region, and does it lie inside the model's? */
static sneppp_status sneppp__region_check(const sneppp_model *model, int f, const sneppp_window *part,
                                          sneppp_error *err)
{
   const sneppp_window *win = &model->desc.factor[f].window;
   sneppp_error         inner;
   sneppp_status        st = sneppp__window_check(part, &inner);
   double               x[SNEPPP_MAX_DIM];
   size_t               k, vertices = 0;
   int                  planar = win->space == SNEPPP_BOX || win->space == SNEPPP_POLYGON || win->space == SNEPPP_BALL;
   int                  linear = (win->space == SNEPPP_BOX && win->dim == 1) || win->space == SNEPPP_INTERVALS;
   if (st) return sneppp__fail(err, st, "region.factor[%d]: %s", f, inner.why);
   if (part->dim != win->dim)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "region.factor[%d].dim = %d, but the window has %d", f,
                          part->dim, win->dim);
   switch (part->space) {
      case SNEPPP_BOX:
         if (!planar && !linear) break;
         for (k = 0; k < ((size_t)1 << part->dim); k++) { /* every corner */
            for (int r = 0; r < part->dim; r++) x[r] = (k >> r & 1) ? part->hi[r] : part->lo[r];
            if (!sneppp_window_contains(win, x))
               return sneppp__fail(err, SNEPPP_ERR_ARG, "region.factor[%d] reaches outside the window at %g", f, x[0]);
         }
         return sneppp__region_edges(win, part, f, err);
      case SNEPPP_INTERVALS:
         if (!linear) break;
         for (k = 0; k < 2 * part->count; k++) {
            x[0] = part->ends[k];
            if (!sneppp_window_contains(win, x))
               return sneppp__fail(err, SNEPPP_ERR_ARG,
                                   "region.factor[%d].ends[%z] = %g is outside the window", f, k, x[0]);
         }
         return sneppp__region_edges(win, part, f, err);
      case SNEPPP_POLYGON:
         if (!planar) break;
         if (part->rings) for (k = 0; k < part->rings; k++) vertices += part->ring_size[k];
         else vertices = part->count;
         for (k = 0; k < vertices; k++)
            if (!sneppp_window_contains(win, part->xy + 2 * k))
               return sneppp__fail(err, SNEPPP_ERR_ARG,
                                   "region.factor[%d].xy[%z] = (%g, %g) is outside the window", f, k,
                                   part->xy[2 * k], part->xy[2 * k + 1]);
         return sneppp__region_edges(win, part, f, err);
      case SNEPPP_BALL:
         if (!planar) break;
         return sneppp__region_ball(win, part, f, err);
      case SNEPPP_FINITE:
         if (win->space != SNEPPP_FINITE) break;
         if (part->count != win->count)
            return sneppp__fail(err, SNEPPP_ERR_ARG,
                                "region.factor[%d].count = %z, but the finite window has %z points; give "
                                "weight 0 to those left out",
                                f, part->count, win->count);
         return SNEPPP_OK;
      default:
         if (part->space == win->space && part->space == SNEPPP_SPHERE) return SNEPPP_OK;
   }
   return sneppp__fail(err, SNEPPP_ERR_NO_CLOSED_FORM,
                       "region.factor[%d]: no closed form for this kind of region in this kind of window", f);
}

/* K_f, c_f and mass_f of factor f, where `inside` is the part of its window that counts, centred, and `part` the same
   in the user's coordinates, or NULL for all of it. */
static sneppp_status sneppp__factor_grams(const sneppp_model *model, int f, const sneppp_window *part,
                                          const sneppp_window *inside, const sneppp_layer *layer, sneppp__grams *g,
                                          const sneppp_parallel *par, sneppp_error *err)
{
   const sneppp_own *own = &model->desc.factor[f].own;
   sneppp_status     st = SNEPPP_OK;
   g->mass[f] = sneppp_window_mass(inside);
   if (own->psi) {
      size_t n = (size_t)model->layer[f].n;
      if (own->gram(part ? part : &model->desc.factor[f].window, g->K[f], own->user))
         return sneppp__fail(err, SNEPPP_ERR_NO_CLOSED_FORM, "factor[%d].own.gram has no integrals for this region", f);
      for (size_t i = 0; i < n * n; i++)
         if (!sneppp__finite(g->K[f][i]))
            return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "factor[%d].own.gram: K[%z][%z] is not finite", f,
                                i / n, i % n);
      return SNEPPP_OK;
   }
   st = g->diagonal ? sneppp__gram_diagonal(inside, layer, g->K[f], err)
                    : sneppp_gram(inside, layer, g->K[f], par, err);
   return st == SNEPPP_OK && g->c[f] ? sneppp_moments(inside, layer, g->c[f], err) : st;
}

/* Takes room for a part of factor f (NULL = all of it), centred, and for the layer in the units of the closed forms. */
static void sneppp__place_part(sneppp__carver *c, const sneppp_model *model, int f, const sneppp_window *part,
                               sneppp_window *inside, sneppp_layer *layer)
{
   *inside = model->layer[f].inside;
   if (part && part->space == SNEPPP_FINITE) inside->weight = part->weight;
   else if (part) sneppp__place_window(c, part, model->layer[f].shift, inside);
   sneppp__place_layer(c, model, f, layer);
}

/* The same for a part that is in no block yet. */
static sneppp_status sneppp__grams_part(const sneppp_model *model, int f, const sneppp_window *part, sneppp__grams *g,
                                        const sneppp_parallel *par, sneppp_error *err)
{
   sneppp_window  inside;
   sneppp_layer   layer;
   sneppp__carver c = sneppp__measure();
   sneppp__block  block;
   sneppp_status  st = SNEPPP_OK;
   if (part && (st = sneppp__region_check(model, f, part, err)) != SNEPPP_OK) return st;
   for (int pass = 0; pass < 2; pass++) {
      sneppp__place_part(&c, model, f, part, &inside, &layer);
      if (!pass && (st = sneppp__block_get(&block, &c, NULL, 0, model->desc.alloc_ctx, err)) != SNEPPP_OK) return st;
   }
   st = sneppp__factor_grams(model, f, part, &inside, &layer, g, par, err);
   sneppp__block_free(&block);
   return st;
}

/* K_f, c_f and mass_f of a region (NULL = the whole window), in memory that place_grams has taken. */
static sneppp_status sneppp__grams_of(const sneppp_model *model, const sneppp_region *region,
                                      sneppp__grams *g, const sneppp_parallel *par, sneppp_error *err)
{
   sneppp_status st = SNEPPP_OK;
   for (int f = 0; st == SNEPPP_OK && f < model->factors; f++)
      st = sneppp__grams_part(model, f, region ? region->factor[f] : NULL, g, par, err);
   return st;
}

/* Entries (first + i, first + j), j < n, of the model's Gram matrix. Products, the common case, go by whole rows. */
static void sneppp__mix_row(const sneppp_model *model, const sneppp__grams *g, size_t first, size_t i,
                            size_t n, double *row)
{
   if (model->desc.mix != SNEPPP_MIX_PRODUCT) {
      for (size_t j = 0; j < n; j++) row[j] = sneppp__mix_entry(model, g, first + i, first + j);
      return;
   }
   sneppp__long_product(n, 1, g->K[0] + i * n, model->factors > 1 ? g->K[1] + i * n : NULL, row);
   for (int f = 2; f < model->factors; f++) sneppp__long_product(n, 1, row, g->K[f] + i * n, row);
}

/* tr(V K V') of one readout. M = V'V (n, n) if the caller has it, else NULL: V is then used row by row. */
static double sneppp__readout_integral(const sneppp_model *model, const sneppp__grams *g, int which, const double *M)
{
   const sneppp_readout_state *R = &model->readout[which];
   size_t n = (size_t)R->n, first = (size_t)R->first;
   double total = 0, row[SNEPPP_MAX_WIDTH], v[SNEPPP_MAX_WIDTH];
   if (g->diagonal) {
      for (size_t i = 0; i < n; i++)
         total += (double)R->V[i] * (double)R->V[i] * sneppp__mix_entry(model, g, first + i, first + i);
      return total;
   }
   for (size_t i = 0; i < n; i++) {
      sneppp__mix_row(model, g, first, i, n, row);
      if (M) { total += sneppp__long_dot(n, M + i * n, row); continue; }
      memset(v, 0, n * sizeof *v); /* row i of M */
      for (size_t r = 0; r < (size_t)R->m; r++) sneppp__join(n, (double)R->V[r * n + i], R->V + r * n, v);
      total += sneppp__long_dot(n, v, row);
   }
   return total;
}

static double sneppp__integral(const sneppp_model *model, const sneppp__grams *g, double *const *M)
{
   double sum = 0, product = 1, mass = 1;
   for (int k = 0; k < model->readouts; k++) {
      double v = sneppp__readout_integral(model, g, k, M ? M[k] : NULL);
      sum += v, product *= v;
   }
   for (int f = 0; f < model->factors; f++) mass *= g->mass[f];
   return model->alpha * (model->desc.mix == SNEPPP_MIX_SEPARABLE ? product : sum) + model->floor * mass;
}

/* V'V, a block of rows at a time: the lower triangle by gemm, its mirror image, and a copy in the precision of the
   features. The longest rows come first, so that threads end together. */
#define SNEPPP__ROW_BLOCK 48
typedef struct sneppp__square_job {
   size_t        n, m;
   const double *V;      /* (m, n)         */
   double       *M;      /* (n, n)         */
   sneppp_real  *narrow; /* (n, n) or NULL */
} sneppp__square_job;

static void sneppp__square_rows(size_t block, void *arg)
{
   const sneppp__square_job *job = (const sneppp__square_job *)arg;
   size_t n = job->n, blocks = (n + SNEPPP__ROW_BLOCK - 1) / SNEPPP__ROW_BLOCK,
          i0 = (blocks - 1 - block) * SNEPPP__ROW_BLOCK,
          end = n - i0 < SNEPPP__ROW_BLOCK ? n : i0 + SNEPPP__ROW_BLOCK;
   sneppp__dgemm(1, 0, end - i0, end, job->m, 1, job->V + i0, n, job->V, n, 0, job->M + i0 * n, n);
   for (size_t j0 = 0; j0 < end; j0 += 8) /* in squares, so that both sides stay in the cache */
      for (size_t i = i0; i < end; i++)
         for (size_t j = j0; j < j0 + 8 && j <= i; j++) {
            job->M[j * n + i] = job->M[i * n + j];
            if (job->narrow) job->narrow[i * n + j] = job->narrow[j * n + i] = (sneppp_real)job->M[i * n + j];
         }
}

/* M = V'V (n, n) of a full readout in double. wide: (m, n), used in the float build only. */
static void sneppp__readout_matrix(const sneppp_readout_state *R, double *wide, double *M, sneppp_real *narrow,
                                   const sneppp_parallel *par)
{
   sneppp__square_job job;
   job.n = (size_t)R->n, job.m = (size_t)R->m, job.M = M, job.narrow = narrow;
#ifdef SNEPPP_REAL_FLOAT
   for (size_t i = 0; i < job.m * job.n; i++) wide[i] = (double)R->V[i];
   job.V = wide;
#else
   (void)wide;
   job.V = R->V;
#endif
   sneppp__run(par, sneppp__square_rows, &job, (job.n + SNEPPP__ROW_BLOCK - 1) / SNEPPP__ROW_BLOCK);
}

/* The expected numbers of events: exact, alpha tr(V'V K) + floor mu(region). Regions share V'V, and a factor's closed
   forms are computed again only when that factor of the region is another one than before. */
SNEPPP_DEF sneppp_status sneppp_counts(const sneppp_model *model, const sneppp_region *region, size_t regions,
                                       double *count, const sneppp_parallel *par, sneppp_error *err)
{
   sneppp__grams  g;
   sneppp__carver c = sneppp__measure();
   sneppp__block  block;
   sneppp_error   inner;
   sneppp_status  st = SNEPPP_OK;
   double        *M[SNEPPP_MAX_FACTORS], *wide = NULL, *made = NULL;
   int            full;
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (!count) return sneppp__fail(err, SNEPPP_ERR_ARG, "count is NULL");
   if (!region) return sneppp__fail(err, SNEPPP_ERR_ARG, "region is NULL");
   full = model->desc.readout == SNEPPP_READOUT_FULL && regions > 1;
   for (int pass = 0; pass < 2; pass++) {
      sneppp__place_grams(&c, model, &g);
      made = (double *)sneppp__take(&c, regions, 1, sizeof *made);
      wide = full ? (double *)sneppp__take(&c, (size_t)model->n, (size_t)model->n, sizeof *wide) : NULL;
      for (int k = 0; full && k < model->readouts; k++)
         M[k] = (double *)sneppp__take(&c, (size_t)model->readout[k].n, (size_t)model->readout[k].n, sizeof(double));
      if (!pass && (st = sneppp__block_get(&block, &c, NULL, 0, model->desc.alloc_ctx, err)) != SNEPPP_OK) return st;
   }
   for (int k = 0; full && k < model->readouts; k++) sneppp__readout_matrix(&model->readout[k], wide, M[k], NULL, NULL);
   for (size_t r = 0; st == SNEPPP_OK && r < regions; r++) {
      for (int f = 0; st == SNEPPP_OK && f < model->factors; f++)
         if (!r || region[r].factor[f] != region[r - 1].factor[f])
            st = sneppp__grams_part(model, f, region[r].factor[f], &g, par, &inner);
      if (st != SNEPPP_OK)
         st = regions > 1 ? sneppp__fail(err, st, "region %z: %s", r, inner.why)
                          : sneppp__fail(err, st, "%s", inner.why);
      else made[r] = sneppp__integral(model, &g, full ? M : NULL);
   }
   if (st == SNEPPP_OK) memcpy(count, made, regions * sizeof *made);
   sneppp__block_free(&block);
   return st;
}

SNEPPP_DEF sneppp_status sneppp_count(const sneppp_model *model, const sneppp_region *region, double *count,
                                      sneppp_error *err)
{
   sneppp_region everywhere;
   memset(&everywhere, 0, sizeof everywhere);
   return sneppp_counts(model, region ? region : &everywhere, 1, count, NULL, err);
}

SNEPPP_DEF sneppp_status sneppp_model_gram(const sneppp_model *model, const sneppp_region *region, double *K,
                                           const sneppp_parallel *par, sneppp_error *err)
{
   sneppp__grams  g;
   sneppp__carver c = sneppp__measure();
   sneppp__block  block;
   sneppp_status  st;
   sneppp_model   full; /* the same model with the readout that asks for whole matrices */
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (!K) return sneppp__fail(err, SNEPPP_ERR_ARG, "K is NULL");
   full = *model;
   full.desc.readout = SNEPPP_READOUT_FULL;
   sneppp__place_grams(&c, &full, &g);
   st = sneppp__block_get(&block, &c, NULL, 0, model->desc.alloc_ctx, err);
   if (st != SNEPPP_OK) return st;
   sneppp__place_grams(&c, &full, &g);
   st = sneppp__grams_of(&full, region, &g, par, err);
   if (st == SNEPPP_OK) {
      size_t n = (size_t)model->n;
      for (size_t i = 0; i < n; i++)
         for (size_t j = 0; j <= i; j++) K[i * n + j] = K[j * n + i] = sneppp__mix_entry(model, &g, i, j);
   }
   sneppp__block_free(&block);
   return st;
}

/* ---- making a model */

/* The first layer before anything is learnt. Inside, the window is [-1, 1]^d or the unit sphere. Frequencies are
   drawn from a Student t (2 degrees of freedom), which covers many scales; the first unit is the constant, so
   that every model contains the homogeneous process. ReLU kinks are spread over the window. */
static void sneppp__first_layer(sneppp_model *model, int f)
{
   sneppp_layer_state *L = &model->layer[f];
   sneppp_act          act = model->desc.factor[f].unit.act;
   int                 sphere = L->inside.space == SNEPPP_SPHERE;
   sneppp_rng          rng;
   sneppp_rng_init(&rng, model->desc.seed, (uint64_t)f);
   if (model->desc.factor[f].own.psi) { /* not used; zero, so that nothing random is ever saved or compared */
      memset(L->W, 0, (size_t)L->n * (size_t)L->d * sizeof *L->W);
      memset(L->b, 0, (size_t)L->n * sizeof *L->b);
      return;
   }
   for (size_t i = 0, d = (size_t)L->d; i < (size_t)L->n; i++) {
      sneppp_act a = L->units ? L->units[i].act : act;
      double     w[SNEPPP__MAX_STATS], b = 0, tail;
      size_t     r;
      for (r = 0; r < d; r++) w[r] = sneppp_rng_normal(&rng);
      for (r = 0; L->width && r < d; r++) L->width[i * d + r] = 1; /* of a constant among radial units: not used */
      tail = 1 / sqrt(sneppp_rng_exponential(&rng) + 0.05);
      switch (a) {
         case SNEPPP_COS: case SNEPPP_SIN:
            b = 2 * SNEPPP__PI * sneppp_rng_uniform(&rng);
            for (r = 0; r < d; r++) w[r] *= 2.5 * tail;
            if (!i) for (b = a == SNEPPP_SIN ? SNEPPP__PI / 2 : 0, r = 0; r < d; r++) w[r] = 0;
            break;
         case SNEPPP_RBF:
            for (r = 0; r < d; r++) {
               w[r] = sphere ? w[r] : 2 * sneppp_rng_uniform(&rng) - 1;
               L->width[i * d + r] = (sneppp_real)(1.5 * pow((double)L->n, -1.0 / (double)d));
            }
            break;
         case SNEPPP_EXP: /* large exponents make training unstable (paper, appendix D); start near constant */
            for (r = 0; r < d; r++) w[r] *= sphere ? 1 : 0.1;
            break;
         case SNEPPP_STEP: case SNEPPP_RELU: case SNEPPP_RECT: case SNEPPP_LEAKY: case SNEPPP_ELU: case SNEPPP_GELU:
            if (sphere) { b = 0.5 * sneppp_rng_normal(&rng); break; }
            for (r = 0; r < d; r++) b -= w[r] * (2 * sneppp_rng_uniform(&rng) - 1);
            break;
         default: b = sneppp_rng_normal(&rng); break;
      }
      for (r = 0; r < d; r++) L->W[i * d + r] = (sneppp_real)w[r];
      L->b[i] = model->desc.factor[f].no_bias || a == SNEPPP_RBF ? 0 : (sneppp_real)b;
   }
}

static void sneppp__first_readout(sneppp_model *model)
{
   sneppp_rng rng;
   sneppp_rng_init(&rng, model->desc.seed, 1000);
   for (int k = 0; k < model->readouts; k++) {
      sneppp_readout_state *R = &model->readout[k];
      double                size = 1 / sqrt((double)R->n * (double)R->m);
      for (size_t i = 0; i < (size_t)R->n * (size_t)R->m; i++) R->V[i] = (sneppp_real)(size * sneppp_rng_normal(&rng));
   }
}

/* The layer must have a closed form on its window, and first moments too where the mix asks for them. */
static sneppp_status sneppp__closed_form_check(const sneppp_model *model, int f, sneppp_error *err)
{
   sneppp_layer   layer;
   sneppp__plan   plan;
   sneppp__carver c = sneppp__measure();
   sneppp__block  block;
   sneppp_error   inner;
   sneppp_status  st;
   if (model->desc.factor[f].own.psi) return SNEPPP_OK; /* own.gram will say */
   sneppp__place_layer(&c, model, f, &layer);
   st = sneppp__block_get(&block, &c, NULL, 0, model->desc.alloc_ctx, err);
   if (st != SNEPPP_OK) return st;
   sneppp__place_layer(&c, model, f, &layer);
   st = sneppp__plan_make(&plan, &model->layer[f].inside, &layer, 0, 0, &inner);
   if (st == SNEPPP_OK && sneppp__mix_needs_moments(model))
      st = sneppp__plan_make(&plan, &model->layer[f].inside, &layer, 0, 1, &inner);
   sneppp__block_free(&block);
   return st == SNEPPP_OK ? st : sneppp__fail(err, st, "factor[%d]: %s", f, inner.why);
}

SNEPPP_DEF size_t sneppp_model_bytes(const sneppp_desc *desc, sneppp_error *err)
{
   sneppp_desc    full;
   sneppp_model   model;
   sneppp__carver c = sneppp__measure();
   double         lists[2 * SNEPPP_MAX_DIM];
   if (sneppp__resolve(desc, &full, lists, err)) return 0;
   sneppp__place_model(&c, &full, &model);
   return sneppp__block_bytes(&c);
}

/* Does an evaluation hold all features at once? Diagonal readouts of products go through them in blocks. */
static int sneppp__needs_width(const sneppp_model *model)
{
   return model->desc.readout == SNEPPP_READOUT_FULL || model->desc.mix != SNEPPP_MIX_PRODUCT;
}

SNEPPP_DEF sneppp_status sneppp_init(sneppp_model *model, const sneppp_desc *desc, sneppp_error *err)
{
   sneppp_desc    full;
   sneppp_model   made;
   sneppp__carver c = sneppp__measure();
   sneppp__block  block;
   sneppp_status  st;
   double         lists[2 * SNEPPP_MAX_DIM];
   if (!model) return sneppp__fail(err, SNEPPP_ERR_ARG, "model is NULL");
   memset(model, 0, sizeof *model);
   st = sneppp__resolve(desc, &full, lists, err);
   if (st != SNEPPP_OK) return st;
   sneppp__place_model(&c, &full, &made);
   if (sneppp__needs_width(&made) && made.n > SNEPPP_MAX_WIDTH)
      return sneppp__fail(err, SNEPPP_ERR_SIZE,
                          "the model has %d features, more than SNEPPP_MAX_WIDTH = %d; a diagonal readout of "
                          "one factor or a product has no limit",
                          made.n, SNEPPP_MAX_WIDTH);
   st = sneppp__block_get(&block, &c, full.mem, full.mem_bytes, full.alloc_ctx, err);
   if (st != SNEPPP_OK) return st;
   sneppp__place_model(&c, &full, &made);
   made.block = block.raw;
   made.block_bytes = block.bytes;
   made.alpha = full.alpha > 0 ? full.alpha : 1;
   made.budget = desc->width;
   for (int f = 0; f < made.factors; f++) sneppp__first_layer(&made, f);
   sneppp__first_readout(&made);
   for (int f = 0; f < made.factors; f++) { /* is there a closed form for what was asked? */
      st = sneppp__closed_form_check(&made, f, err);
      if (st != SNEPPP_OK) { sneppp__block_free(&block); return st; }
   }
   *model = made;
   return SNEPPP_OK;
}

SNEPPP_DEF void sneppp_free(sneppp_model *model)
{
   sneppp__block block;
   if (!model) return;
   block.raw = model->block, block.bytes = model->block_bytes, block.ctx = model->desc.alloc_ctx;
   sneppp__block_free(&block);
   memset(model, 0, sizeof *model);
}

/* ---- reading and writing parameters, in the user's units: psi = sigma(W x + b), RBF centres and widths in x */
static sneppp_status sneppp__factor_check(const sneppp_model *model, int factor, sneppp_error *err)
{
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (factor < 0 || factor >= model->factors)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "factor = %d, but the model has %d", factor, model->factors);
   return SNEPPP_OK;
}

SNEPPP_DEF sneppp_status sneppp_set_layer(sneppp_model *model, int factor, const double *W, const double *b,
                                          const double *width, sneppp_error *err)
{
   sneppp_status       st = sneppp__factor_check(model, factor, err);
   sneppp_layer_state *L;
   size_t              n, d;
   if (st != SNEPPP_OK) return st;
   L = &model->layer[factor];
   n = (size_t)L->n, d = (size_t)L->d;
   if (!W) return sneppp__fail(err, SNEPPP_ERR_ARG, "W is NULL");
   if (L->width && !width) return sneppp__fail(err, SNEPPP_ERR_ARG, "width is NULL, but radial units need it");
   for (size_t i = 0; i < n; i++) {
      if (b && !sneppp__finite(b[i])) return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "b[%z] is not finite", i);
      if (b && b[i] != 0 && model->desc.factor[factor].no_bias)
         return sneppp__fail(err, SNEPPP_ERR_ARG, "b[%z] = %g, but the factor has no_bias", i, b[i]);
      for (size_t r = 0; r < d; r++) {
         if (!sneppp__finite(W[i * d + r]))
            return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "W[%z][%z] is not finite", i, r);
         if (L->width && (!sneppp__finite(width[i * d + r]) || !(width[i * d + r] > 0)))
            return sneppp__fail(err, SNEPPP_ERR_ARG, "width[%z][%z] = %g is not positive", i, r, width[i * d + r]);
      }
   }
   for (size_t i = 0; i < n; i++) {
      double bias = b ? b[i] : 0;
      for (size_t r = 0; r < d; r++) {
         double w = W[i * d + r];
         if (L->width) {
            L->W[i * d + r] = (sneppp_real)((w - L->shift[r]) * L->rate[r]);
            L->width[i * d + r] = (sneppp_real)(width[i * d + r] * L->rate[r]);
         } else {
            L->W[i * d + r] = (sneppp_real)(w / L->rate[r]);
            bias += w * L->shift[r];
         }
      }
      L->b[i] = L->width ? 0 : (sneppp_real)bias;
   }
   return SNEPPP_OK;
}

SNEPPP_DEF sneppp_status sneppp_get_layer(const sneppp_model *model, int factor, double *W, double *b,
                                          double *width, sneppp_error *err)
{
   sneppp_status             st = sneppp__factor_check(model, factor, err);
   const sneppp_layer_state *L;
   if (st != SNEPPP_OK) return st;
   L = &model->layer[factor];
   for (size_t i = 0, d = (size_t)L->d; i < (size_t)L->n; i++) {
      double bias = (double)L->b[i];
      for (size_t r = 0; r < d; r++) {
         double w = (double)L->W[i * d + r];
         if (W) W[i * d + r] = L->width ? w / L->rate[r] + L->shift[r] : w * L->rate[r];
         if (L->width && width) width[i * d + r] = (double)L->width[i * d + r] / L->rate[r];
         if (!L->width) bias -= w * L->rate[r] * L->shift[r];
      }
      if (b) b[i] = L->width ? 0 : bias;
   }
   return SNEPPP_OK;
}

/* M = V'V (n, n); several readouts stand on the diagonal. */
SNEPPP_DEF sneppp_status sneppp_get_matrix(const sneppp_model *model, double *M, sneppp_error *err)
{
   size_t n;
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (!M) return sneppp__fail(err, SNEPPP_ERR_ARG, "M is NULL");
   n = (size_t)model->n;
   memset(M, 0, n * n * sizeof *M);
   for (int k = 0; k < model->readouts; k++) {
      const sneppp_readout_state *R = &model->readout[k];
      size_t at = (size_t)R->first * (n + 1), nk = (size_t)R->n;
      for (size_t i = 0; i < nk; i++)
         for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            if (model->desc.readout == SNEPPP_READOUT_DIAGONAL) sum = i == j ? (double)R->V[i] * (double)R->V[i] : 0;
            else for (size_t r = 0; r < (size_t)R->m; r++) sum += (double)R->V[r * nk + i] * (double)R->V[r * nk + j];
            M[at + i * n + j] = M[at + j * n + i] = sum;
         }
   }
   return SNEPPP_OK;
}

/* V = sqrt(D) Q' from M = Q D Q', largest eigenvalues first; a model of lower rank keeps the largest. M is (n, n)
   with row stride ld. */
static sneppp_status sneppp__set_readout(sneppp_model *model, int which, const double *M, size_t ld, sneppp_error *err)
{
   sneppp_readout_state *R = &model->readout[which];
   size_t         n = (size_t)R->n, i, j;
   sneppp__carver c = sneppp__measure();
   sneppp__block  block;
   sneppp_status  st;
   double        *A = NULL, *w = NULL, *Q = NULL, *work = NULL;
   for (int pass = 0; pass < 2; pass++) {
      A = (double *)sneppp__take(&c, n, n, sizeof *A);
      Q = (double *)sneppp__take(&c, n, n, sizeof *Q);
      w = (double *)sneppp__take(&c, n, 1, sizeof *w);
      work = (double *)sneppp__take(&c, sneppp__eigh_work(n), 1, sizeof *work);
      if (!pass && (st = sneppp__block_get(&block, &c, NULL, 0, model->desc.alloc_ctx, err)) != SNEPPP_OK) return st;
   }
   for (i = 0; i < n; i++) for (j = 0; j < n; j++) A[i * n + j] = 0.5 * (M[i * ld + j] + M[j * ld + i]);
   st = sneppp__eigh(n, A, w, Q, 0, work);
   if (st != SNEPPP_OK) st = sneppp__fail(err, st, "the eigenvalues of M could not be found: %s", sneppp_strerror(st));
   else if (w[0] < -1e-9 * fabs(w[n - 1]) || w[n - 1] < 0)
      st = sneppp__fail(err, SNEPPP_ERR_NOT_POSITIVE,
                        "M has the eigenvalue %g; it must be positive semidefinite", w[0]);
   else
      for (i = 0; i < (size_t)R->m; i++) {
         double root = w[n - 1 - i] > 0 ? sqrt(w[n - 1 - i]) : 0;
         for (j = 0; j < n; j++) R->V[i * n + j] = (sneppp_real)(root * Q[j * n + n - 1 - i]);
      }
   sneppp__block_free(&block);
   return st;
}

SNEPPP_DEF sneppp_status sneppp_set_matrix(sneppp_model *model, const double *M, sneppp_error *err)
{
   size_t n;
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (!M) return sneppp__fail(err, SNEPPP_ERR_ARG, "M is NULL");
   n = (size_t)model->n;
   for (size_t i = 0; i < n * n; i++)
      if (!sneppp__finite(M[i]))
         return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "M[%z][%z] is not finite", i / n, i % n);
   if (model->desc.readout == SNEPPP_READOUT_DIAGONAL) {
      for (size_t i = 0; i < n * n; i++) {
         if (i / n != i % n && M[i] != 0)
            return sneppp__fail(err, SNEPPP_ERR_ARG, "M[%z][%z] = %g, but the readout is diagonal", i / n,
                                i % n, M[i]);
         if (M[i] < 0)
            return sneppp__fail(err, SNEPPP_ERR_NOT_POSITIVE, "M[%z][%z] = %g is negative", i / n, i % n,
                                M[i]);
      }
      for (int k = 0; k < model->readouts; k++)
         for (size_t i = 0; i < (size_t)model->readout[k].n; i++)
            model->readout[k].V[i] = (sneppp_real)sqrt(M[((size_t)model->readout[k].first + i) * (n + 1)]);
      return SNEPPP_OK;
   }
   for (int k = 0; k < model->readouts; k++) {
      sneppp_status st = sneppp__set_readout(model, k, M + (size_t)model->readout[k].first * (n + 1), n, err);
      if (st != SNEPPP_OK) return st;
   }
   return SNEPPP_OK;
}

#endif /* SNEPPP_INFERENCE_ONLY */

/* ---- evaluation */

/* 1 inside, 0 outside, -1 when a coordinate is not finite. */
static int sneppp__inside(const sneppp_model *model, const sneppp_real *x)
{
   double y[SNEPPP__MAX_STATS];
   for (int f = 0; f < model->factors; f++) {
      const sneppp_layer_state *L = &model->layer[f];
      for (int r = 0; r < L->D; r++) {
         y[r] = (double)x[L->first + r];
         if (!sneppp__finite(y[r])) return -1;
      }
      if (!sneppp_window_contains(&model->desc.factor[f].window, y)) return 0;
   }
   return 1;
}

#ifndef SNEPPP_INFERENCE_ONLY
static int sneppp__inside_region(const sneppp_model *model, const sneppp_region *region, const sneppp_real *x)
{
   double y[SNEPPP__MAX_STATS];
   for (int f = 0; f < model->factors; f++) {
      const sneppp_window *part = region->factor[f];
      if (!part) continue;
      for (int r = 0; r < model->layer[f].D; r++) y[r] = (double)x[model->layer[f].first + r];
      if (part->space == SNEPPP_FINITE ? part->weight && !(part->weight[(size_t)y[0]] > 0)
                                       : !sneppp_window_contains(part, y))
         return 0;
   }
   return 1;
}

#endif /* SNEPPP_INFERENCE_ONLY */

/* log of the density of the base measure with respect to length, area or counting: 0 for most windows. */
static double sneppp__base_log_density(const sneppp_model *model, const sneppp_real *x)
{
   double sum = 0;
   for (int f = 0; f < model->factors; f++) {
      const sneppp_layer_state *L = &model->layer[f];
      double y[SNEPPP__MAX_STATS];
      for (int r = 0; r < L->D; r++) y[r] = (double)x[L->first + r] - L->shift[r];
      sum += sneppp__window_log_density(&L->inside, y);
   }
   return sum;
}

#ifndef SNEPPP_INFERENCE_ONLY
/* The coordinates of factor f of B events x (B, D), centred, as sneppp__gauss_log_density wants them: y (d, POINTS). */
static void sneppp__gauss_points(const sneppp_model *model, int f, size_t B, const sneppp_real *x, double *y)
{
   const sneppp_layer_state *L = &model->layer[f];
   for (int r = 0; r < L->D; r++)
      for (size_t b = 0; b < B; b++)
         y[(size_t)r * SNEPPP__POINTS + b] = (double)x[b * (size_t)model->D + (size_t)(L->first + r)] - L->shift[r];
}

/* The same for B <= POINTS events at once. */
static void sneppp__base_log_densities(const sneppp_model *model, size_t B, const sneppp_real *x, double *out)
{
   int gauss = model->factors == 1 && model->layer[0].inside.space == SNEPPP_GAUSS;
   if (gauss) {
      double y[SNEPPP_MAX_DIM * SNEPPP__POINTS];
      sneppp__gauss_points(model, 0, B, x, y);
      sneppp__gauss_log_density(&model->layer[0].inside, B, SNEPPP__POINTS, y, out);
      return;
   }
   for (size_t b = 0; b < B; b++) out[b] = sneppp__base_log_density(model, x + b * (size_t)model->D);
}

/* One factor of unit i as a bump: psi^2 = peak exp(-sum_k q_k (u_k - c_k)^2). RBF: q_k = 1 / l_k^2. Sphere, exp units:
   psi^2 = exp(2 b + 2 w.x) = exp(2 b + 2 |w| - |w| |x - w/|w||^2). Returns 0 where there is no such form. */
static int sneppp__unit_bump(const sneppp_layer_state *L, size_t i, double *c, double *q, double *peak)
{
   size_t d = (size_t)L->d;
   double length = 0;
   for (size_t k = 0; k < d; k++) {
      c[k] = (double)L->W[i * d + k];
      length += c[k] * c[k];
      if (L->width) q[k] = 1 / ((double)L->width[i * d + k] * (double)L->width[i * d + k]);
   }
   if (L->width) return 1;
   length = sqrt(length);
   if (!(length > 0)) return 0;
   for (size_t k = 0; k < d; k++) c[k] /= length, q[k] = length;
   *peak *= exp(2 * (double)L->b[i] + 2 * length);
   return 1;
}

/* Fills the table with the bumps that are wide enough, level by level, and takes them out of the tree: peak = 0. */
static void sneppp__table_fill(sneppp_model *model)
{
   const size_t  d = (size_t)sneppp__tree_dim(model), group = (size_t)model->desc.group;
   const int    *more = model->table_more;
   sneppp__batch batch;
   model->table_top = sneppp__table_shape((int)d, sneppp__table_room((int)d, (size_t)model->n), model->metric,
                                          model->table_more);
   for (int level = 0; level <= model->table_top; level++) {
      if (level) sneppp__table_refine(model->table, (int)d, level - 1, more);
      else memset(model->table, 0, sneppp__table_size((int)d, 0, more) * sizeof *model->table);
      for (size_t k = 0; k < model->nodes; k++) {
         const sneppp_node *q = &model->node[k];
         batch.count = 0;
         for (size_t i = 0; !q->kid && i < group * q->count; i++) {
            size_t at = q->first * group + i, b = (size_t)batch.count;
            for (size_t r = 0; r < d; r++) {
               batch.c[b][r] = model->centre[q->first * d + r * q->count + i % q->count] / model->metric[r];
               batch.s[b][r] = (double)model->sharp[at] * model->metric[r] * model->metric[r];
            }
            if (model->peak[at] > 0 && sneppp__table_level((int)d, more, batch.s[b]) == level) {
               batch.w[batch.count++] = (double)model->peak[at];
               model->peak[at] = 0;
            }
            if (batch.count == SNEPPP__BATCH || (batch.count && i + 1 == group * q->count)) {
               sneppp__table_add(model->table, (int)d, level, more, &batch);
               batch.count = 0;
            }
         }
      }
      sneppp__table_transform(model->table, (int)d, level, more);
   }
}

/* A leaf's bumps, v^2 psi^2 = peak exp(-sharp r^2) with r the distance in the tree's metric, which asks for one
   width per unit up to a common ratio of the axes; those of a centre with the widest first. Returns 0 for other
   units. */
static int sneppp__index_leaf(sneppp_model *model, const sneppp_node *n)
{
   const size_t group = (size_t)model->desc.group, d = (size_t)sneppp__tree_dim(model);
   double       own[SNEPPP__LEAF * SNEPPP_RADIAL_DIM], *centre = model->centre + n->first * d;
   memcpy(own, centre, n->count * d * sizeof *own);
   for (size_t b = 0; b < n->count; b++) {
      sneppp_real before = 0;
      for (size_t k = 0; k < d; k++) centre[k * n->count + b] = own[b * d + k];
      for (size_t s = 0; s < group; s++) {
         size_t i = (n->first + b) * group + s, to = n->first * group + s * n->count + b;
         double c[SNEPPP_RADIAL_DIM] = { 0 }, q[SNEPPP_RADIAL_DIM] = { 0 },
                v = (double)model->readout[0].V[i], amplitude = v * v;
         for (int f = 0, first = 0; f < model->factors; first += model->layer[f++].d)
            if (!sneppp__unit_bump(&model->layer[f], i, c + first, q + first, &amplitude)) return 0;
         for (size_t k = 0; k < d; k++)
            if (fabs(q[k] - model->metric[k] * model->metric[k] * q[0]) > 2e-5 * q[k] ||
                fabs(c[k] * model->metric[k] - own[b * d + k]) > 1e-6 * model->metric[k])
               return 0;
         model->sharp[to] = (sneppp_real)q[0], model->peak[to] = (sneppp_real)amplitude;
         if (model->sharp[to] < before) return 0;
         before = model->sharp[to];
      }
   }
   return 1;
}

/* The tree over the groups of radial units, made anew from the parameters. Units that are no bumps leave the model
   without a tree, which is slower and just as right. */
static void sneppp__index(sneppp_model *model)
{
   size_t group = (size_t)model->desc.group, n = (size_t)model->n, d, nodes;
   model->nodes = 0;
   if (!model->desc.group || !n) return;
   d = (size_t)sneppp__tree_dim(model);
   for (size_t i = 0; i < n; i += group) {
      double c[SNEPPP_RADIAL_DIM] = {0}, q[SNEPPP_RADIAL_DIM] = {0}, peak = 0;
      for (int f = 0, first = 0; f < model->factors; first += model->layer[f++].d)
         if (!sneppp__unit_bump(&model->layer[f], i, c + first, q + first, &peak)) return;
      for (size_t k = 0; k < d; k++) {
         if (!i) model->metric[k] = sqrt(q[k] / q[0]);
         model->centre[i / group * d + k] = c[k] * model->metric[k];
      }
   }
   nodes = sneppp__tree_build((int)d, n / group, model->centre, NULL, model->node);
   for (size_t k = 0; k < nodes; k++) if (!model->node[k].kid && !sneppp__index_leaf(model, &model->node[k])) return;
   model->nodes = nodes;
   if (model->table) sneppp__table_fill(model);
   for (size_t k = 0; k < nodes; k++) {
      sneppp_node       *q = &model->node[k];
      const sneppp_real *peak = model->peak + q->first * group, *sharp = model->sharp + q->first * group;
      double             least = 0;
      size_t             all = q->count * group, from = all;
      for (size_t i = 0; i < all; i++) {
         if (!(peak[i] > 0)) continue;
         if (from == all || (double)sharp[i] < least) least = (double)sharp[i];
         if (from == all) from = i;
      }
      q->from = q->kid ? 0 : from / q->count;
      q->reach2 = from == all ? -1 : SNEPPP__EDGE / least;
   }
}

#endif /* SNEPPP_INFERENCE_ONLY */

/* ---- the sum of v_i^2 psi_i^2 through the tree: what is left out is below 1e-12 of the sum of the peaks */

#ifdef SNEPPP__VECTOR
SNEPPP__TARGET_AVX2 static double sneppp__leaf_vectors(size_t count, size_t from, size_t group, size_t d,
                                                       const double *x, const double *centre,
                                                       const sneppp_real *peak, const sneppp_real *sharp)
{
   static const int64_t lanes[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
   sneppp_real       r2[SNEPPP__LEAF];
   const sneppp__vec edge = SNEPPP__V(set1)((sneppp_real)-SNEPPP__EDGE), zero = SNEPPP__V(setzero)();
   sneppp__vec       sum = zero, u[SNEPPP__LEAF / SNEPPP__LANE];
   for (size_t b = 0; b < count; b += 4) {
      __m256d r = _mm256_setzero_pd(), e;
      __m256i mask = _mm256_loadu_si256((const __m256i *)(const void *)(lanes + (count - b < 4 ? 4 - (count - b) : 0)));
      for (size_t k = 0; k < d; k++) {
         e = _mm256_sub_pd(_mm256_set1_pd(x[k]), _mm256_maskload_pd(centre + k * count + b, mask));
         r = _mm256_fmadd_pd(e, e, r);
      }
#ifdef SNEPPP_REAL_FLOAT
      _mm_storeu_ps(r2 + b, _mm256_cvtpd_ps(r));
#else
      _mm256_storeu_pd(r2 + b, r);
#endif
   }
   for (size_t s = from; s < group; s++) {
      int near = 0;
      for (size_t i = 0; i < count; i += SNEPPP__LANE) {
         size_t left = count - i;
         int    mask = left < SNEPPP__LANE ? (1 << left) - 1 : (1 << SNEPPP__LANE) - 1;
         u[i / SNEPPP__LANE] =
            SNEPPP__V(fnmadd)(SNEPPP__V(loadu)(r2 + i), sneppp__vec_load(sharp + s * count + i, left), zero);
         near |= mask & SNEPPP__V(movemask)(SNEPPP__V(cmp)(u[i / SNEPPP__LANE], edge, _CMP_GE_OQ));
      }
      if (!near) break; /* narrower ones are farther still */
      for (size_t i = 0; i < count; i += SNEPPP__LANE)
         sum = SNEPPP__V(fmadd)(sneppp__vec_load(peak + s * count + i, count - i),
                                sneppp__vec_exp(u[i / SNEPPP__LANE]), sum);
   }
   return sneppp__vec_sum(sum);
}
#endif

/* The bumps of one leaf at x. Units of a centre stand with the widest first, so a row that is too far ends the leaf. */
static double sneppp__leaf_bumps(const sneppp_model *model, const sneppp_node *n, size_t d, const double *x)
{
   const size_t       group = (size_t)model->desc.group;
   const sneppp_real *peak = model->peak + n->first * group, *sharp = model->sharp + n->first * group;
   const double      *centre = model->centre + n->first * d;
   double             sum = 0;
   sneppp_real        r2[SNEPPP__LEAF];
#ifdef SNEPPP__VECTOR
   if (sneppp__has_vectors()) return sneppp__leaf_vectors(n->count, n->from, group, d, x, centre, peak, sharp);
#endif
   for (size_t b = 0; b < n->count; b++) {
      double r = 0;
      for (size_t k = 0; k < d; k++) { double e = x[k] - centre[k * n->count + b]; r += e * e; }
      r2[b] = (sneppp_real)r;
   }
   for (size_t s = n->from, near = 1; s < group && near; s++) {
      near = 0;
      for (size_t b = 0; b < n->count; b++) {
         sneppp_real u = r2[b] * sharp[s * n->count + b];
         if (u > (sneppp_real)SNEPPP__EDGE) continue;
         near = 1;
#ifdef SNEPPP_REAL_FLOAT
         sum += (double)(peak[s * n->count + b] * expf(-u));
#else
         sum += peak[s * n->count + b] * exp(-u);
#endif
      }
   }
   return sum;
}

static double sneppp__indexed_sum(const sneppp_model *model, sneppp_real (*T)[SNEPPP__MAX_STATS])
{
   size_t stack[128], d = 0;
   int    top = 0;
   double x[SNEPPP_RADIAL_DIM], total = 0;
   for (int f = 0; f < model->factors; f++) for (int k = 0; k < model->layer[f].d; k++) x[d++] = (double)T[f][k];
   if (model->table_top >= 0) /* -1e-16 means 0 */
      total = fmax(0, sneppp__table_at(model->table, (int)d, model->table_top, model->table_more, x));
   for (size_t k = 0; k < d; k++) x[k] *= model->metric[k];
   stack[top++] = 0;
   while (top) {
      const sneppp_node *n = &model->node[stack[--top]];
      if (sneppp__node_distance2(n, x, (int)d) > n->reach2) continue;
      if (n->kid) { stack[top++] = n->kid + 1; stack[top++] = n->kid; }
      else total += sneppp__leaf_bumps(model, n, d, x);
   }
   return total;
}

/* alpha |V psi|^2 + floor with respect to the base measure, at a point that is inside. */
static double sneppp__intensity(const sneppp_model *model, const sneppp_real *x)
{
   sneppp_real T[SNEPPP_MAX_FACTORS][SNEPPP__MAX_STATS], psi[SNEPPP_MAX_WIDTH], other[SNEPPP_MAX_WIDTH];
   size_t      have = 0;
   for (int f = 0; f < model->factors; f++) sneppp__statistics(model, f, x + model->layer[f].first, T[f]);
   if (model->nodes) return model->alpha * sneppp__indexed_sum(model, T) + model->floor;
   if (model->desc.readout == SNEPPP_READOUT_DIAGONAL &&
       model->desc.mix == SNEPPP_MIX_PRODUCT) { /* any width: in blocks */
      double total = 0;
      for (size_t i = 0, units; i < (size_t)model->n; i += units) {
         const sneppp_real *v = model->readout[0].V + i;
         units = (size_t)model->n - i < SNEPPP_MAX_WIDTH ? (size_t)model->n - i : SNEPPP_MAX_WIDTH;
         sneppp__layer_features(model, 0, i, NULL, units, 1, T[0], psi, NULL);
         for (int f = 1; f < model->factors; f++) {
            sneppp__layer_features(model, f, i, NULL, units, 1, T[f], other, NULL);
            for (size_t k = 0; k < units; k++) psi[k] *= other[k];
         }
         for (size_t k = 0; k < units; k++) { double p = (double)(v[k] * psi[k]); total += p * p; }
      }
      return model->alpha * total + model->floor;
   }
   for (int f = 0; f < model->factors; f++) { /* no factor is wider than the model, and that is within the limit */
      sneppp__layer_features(model, f, 0, NULL, (size_t)model->layer[f].n, 1, T[f], other, NULL);
      have = sneppp__mix_factor(model, f, other, psi, have);
   }
   return sneppp__readout(model, psi);
}

/* Written as bits: -ffast-math is free to compute nonsense from the constants of math.h. */
static double sneppp__from_bits(uint64_t u)
{
   double x;
   memcpy(&x, &u, sizeof x);
   return x;
}

static double sneppp__nan(void) { return sneppp__from_bits(0x7ff8000000000000ULL); }
static double sneppp__minus_infinity(void) { return sneppp__from_bits(0xfff0000000000000ULL); }

/* Events per unit of the window at x; 0 outside, NaN where x is not finite. Uses the stack, never allocates. */
SNEPPP_DEF sneppp_real sneppp_intensity(const sneppp_model *model, const sneppp_real *x)
{
   int    in;
   double density, value;
   if (!model || !model->factors || !x) return 0;
   in = sneppp__inside(model, x);
   if (in <= 0) return in ? (sneppp_real)sneppp__nan() : 0;
   density = sneppp__base_log_density(model, x);
   value = sneppp__intensity(model, x);
   return (sneppp_real)(density != 0 ? value * exp(density) : value);
}

/* The logarithm; -inf where the intensity is 0. */
SNEPPP_DEF double sneppp_log_intensity(const sneppp_model *model, const sneppp_real *x)
{
   int in;
   if (!model || !model->factors || !x) return sneppp__minus_infinity();
   in = sneppp__inside(model, x);
   if (in <= 0) return in ? sneppp__nan() : sneppp__minus_infinity();
   return log(sneppp__intensity(model, x)) + sneppp__base_log_density(model, x);
}

SNEPPP_DEF sneppp_status sneppp_features(const sneppp_model *model, const sneppp_real *x, sneppp_real *psi,
                                         sneppp_error *err)
{
   sneppp_real T[SNEPPP__MAX_STATS], other[SNEPPP_MAX_WIDTH];
   size_t      have = 0;
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (!x || !psi) return sneppp__fail(err, SNEPPP_ERR_ARG, "x or psi is NULL");
   if (sneppp__inside(model, x) != 1)
      return sneppp__fail(err, SNEPPP_ERR_DATA, "x is not finite or outside the window");
   for (int f = 0; f < model->factors; f++) {
      size_t n = (size_t)model->layer[f].n;
      sneppp__statistics(model, f, x + model->layer[f].first, T);
      if (model->factors == 1) { sneppp__layer_features(model, 0, 0, NULL, n, 1, T, psi, NULL); return SNEPPP_OK; }
      if (n > SNEPPP_MAX_WIDTH)
         return sneppp__fail(err, SNEPPP_ERR_SIZE, "factor[%d] has more than SNEPPP_MAX_WIDTH = %d units", f,
                             SNEPPP_MAX_WIDTH);
      sneppp__layer_features(model, f, 0, NULL, n, 1, T, other, NULL);
      have = sneppp__mix_factor(model, f, other, psi, have);
   }
   return SNEPPP_OK;
}

#ifndef SNEPPP_INFERENCE_ONLY
/* ---- marginal and conditional intensities: models with one factor less. Integrating factor f out replaces
   psi_f psi_f' by K_f, c_f and mass_f of a region; fixing it replaces them by psi_f(x) psi_f(x)', psi_f(x) and 1.
   In both cases, with the factor y that stays,

      product:   lambda(y) = psi_y' (M o K_f) psi_y          outer: psi_y' (partial trace of M against K_f) psi_y
      sum:       (psi_y, 1)' [M mass, M c_f; c_f' M, tr M K_f] (psi_y, 1)            stack: the same with blocks of M
      additive:  the other readouts times mass, plus the constant tr(M_f K_f)
      separable: the other readouts times tr(M_f K_f).

   The result is a model of its own: cheap to call many times, to be freed by the caller. */
static sneppp_status sneppp__reduce_desc(const sneppp_model *model, int f, sneppp_desc *out,
                                         sneppp_unit *units, sneppp_error *err)
{
   int constant = model->desc.mix == SNEPPP_MIX_SUM || model->desc.mix == SNEPPP_MIX_STACK;
   if (model->factors < 2)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "the model has one factor only: nothing would remain");
   if (constant && model->factors > 2)
      return sneppp__fail(
         err, SNEPPP_ERR_NO_CLOSED_FORM,
         "with three or more factors, sums and stacks of features do not reduce to a model of the same kind");
   *out = model->desc;
   out->mem = NULL, out->mem_bytes = 0;
   for (int g = f; g + 1 < SNEPPP_MAX_FACTORS; g++) out->factor[g] = out->factor[g + 1];
   memset(&out->factor[SNEPPP_MAX_FACTORS - 1], 0, sizeof out->factor[0]);
   out->rank = 0;
   if (constant &&
       model->desc.readout == SNEPPP_READOUT_FULL) { /* the constant becomes a unit of the layer that stays */
      sneppp_factor *x = &out->factor[0];
      for (int i = 0; i < x->width; i++) units[i] = x->units ? x->units[i] : x->unit;
      units[x->width].act = SNEPPP_ONE;
      units[x->width].p = units[x->width].q = 0;
      x->units = units;
      x->width++;
   }
   return SNEPPP_OK;
}

/* What is left of M (n, n) when the factor f is reduced by K, c, mass: (n', n') into out. */
static void sneppp__reduce_matrix(const sneppp_model *model, int f, const double *K, const double *c,
                                  double mass, const double *M, double *out)
{
   size_t n = (size_t)model->n, nf = (size_t)model->layer[f].n, after = 1, small = n / nf;
   for (int g = f + 1; g < model->factors; g++) after *= (size_t)model->layer[g].n;
   if (model->desc.mix == SNEPPP_MIX_PRODUCT) {
      for (size_t i = 0; i < n * n; i++) out[i] = M[i] * K[i];
   } else if (model->desc.mix == SNEPPP_MIX_OUTER) {
      memset(out, 0, small * small * sizeof *out);
      for (size_t i = 0; i < n; i++)
         for (size_t j = 0; j < n; j++) {
            size_t a = i / (after * nf) * after + i % after, b = j / (after * nf) * after + j % after;
            out[a * small + b] += M[i * n + j] * K[i / after % nf * nf + j / after % nf];
         }
   } else { /* sum and stack of two factors: h is the one that stays, its block of M begins at first */
      int    stack = model->desc.mix == SNEPPP_MIX_STACK, h = 1 - f;
      size_t nh = (size_t)model->layer[h].n, first = stack && h ? nf : 0, other = stack && f ? nh : 0, side = nh + 1;
      double trace = 0;
      for (size_t i = 0; i < nh; i++) {
         double cross = 0;
         for (size_t j = 0; j < nh; j++) out[i * side + j] = M[(first + i) * n + first + j] * mass;
         for (size_t j = 0; j < nf; j++) cross += M[(first + i) * n + other + j] * c[j];
         out[i * side + nh] = out[nh * side + i] = cross;
      }
      for (size_t i = 0; i < nf; i++)
         for (size_t j = 0; j < nf; j++) trace += M[(other + i) * n + other + j] * K[i * nf + j];
      out[nh * side + nh] = trace;
   }
}

/* Copies parameters into the reduced model and sets its readout. K (n_f, n_f), or (n_f) for a diagonal one; c (n_f). */
static sneppp_status sneppp__reduce_fill(const sneppp_model *model, int f, const double *K, const double *c,
                                         double mass, double *M, double *small, sneppp_model *out,
                                         sneppp_error *err)
{
   size_t nf = (size_t)model->layer[f].n;
   int    diagonal = model->desc.readout == SNEPPP_READOUT_DIAGONAL;
   out->alpha = model->alpha, out->floor = model->floor * mass;
   for (int g = 0, to = 0; g < model->factors; g++) {
      const sneppp_layer_state *from = &model->layer[g];
      sneppp_layer_state       *L = &out->layer[to];
      size_t                    n = (size_t)from->n, d = (size_t)from->d;
      if (g == f) continue;
      memcpy(L->W, from->W, n * d * sizeof *L->W);
      memcpy(L->b, from->b, n * sizeof *L->b);
      if (from->width) memcpy(L->width, from->width, n * d * sizeof *L->width);
      if ((size_t)L->n > n) { memset(L->W + n * d, 0, d * sizeof *L->W); L->b[n] = 0; }
      memcpy(L->shift, from->shift, sizeof L->shift);
      memcpy(L->rate, from->rate, sizeof L->rate);
      if (from->inside.space == SNEPPP_GAUSS) { /* learnt measures differ from the description */
         memcpy((void *)(uintptr_t)L->inside.weight, from->inside.weight, from->inside.count * sizeof(double));
         memcpy((void *)(uintptr_t)L->inside.mean, from->inside.mean, from->inside.count * d * sizeof(double));
         memcpy((void *)(uintptr_t)L->inside.scale, from->inside.scale, from->inside.count * d * sizeof(double));
      }
      to++;
   }
   if (model->readouts > 1) {
      double trace = 0;
      for (int g = 0, to = 0; g < model->factors; g++) {
         const sneppp_readout_state *R = &model->readout[g];
         size_t                      n = (size_t)R->n;
         if (g == f) {
            for (size_t r = 0; r < (diagonal ? n : (size_t)R->m); r++) {
               if (diagonal) { trace += (double)R->V[r] * (double)R->V[r] * K[r]; continue; }
               for (size_t i = 0; i < n; i++)
                  for (size_t j = 0; j < n; j++)
                     trace += (double)R->V[r * n + i] * (double)R->V[r * n + j] * K[i * nf + j];
            }
            continue;
         }
         memset(out->readout[to].V, 0, (size_t)out->readout[to].m * n * sizeof *R->V);
         memcpy(out->readout[to].V, R->V, (size_t)R->m * n * sizeof *R->V);
         to++;
      }
      if (model->desc.mix == SNEPPP_MIX_SEPARABLE) { out->alpha *= trace; return SNEPPP_OK; }
      out->floor += model->alpha * trace;
      out->alpha *= mass;
      return SNEPPP_OK;
   }
   if (diagonal) {
      const sneppp_real *v = model->readout[0].V;
      size_t             n = (size_t)model->n, after = 1;
      if (model->desc.mix != SNEPPP_MIX_PRODUCT && model->desc.mix != SNEPPP_MIX_OUTER)
         return sneppp__fail(
            err, SNEPPP_ERR_NO_CLOSED_FORM,
            "a diagonal readout of sums or stacks does not reduce to a diagonal one; use a full readout");
      for (int g = f + 1; g < model->factors; g++) after *= (size_t)model->layer[g].n;
      for (size_t i = 0; i < (size_t)out->n; i++) out->readout[0].V[i] = 0;
      for (size_t i = 0; i < n; i++) {
         size_t a = model->desc.mix == SNEPPP_MIX_PRODUCT ? i : i / (after * nf) * after + i % after;
         size_t k = model->desc.mix == SNEPPP_MIX_PRODUCT ? i : i / after % nf;
         out->readout[0].V[a] += (sneppp_real)((double)v[i] * (double)v[i] * K[k]); /* v^2 first, its root below */
      }
      for (size_t i = 0; i < (size_t)out->n; i++)
         out->readout[0].V[i] = (sneppp_real)sqrt((double)out->readout[0].V[i]);
      return SNEPPP_OK;
   }
   {
      sneppp_status st = sneppp_get_matrix(model, M, err);
      if (st != SNEPPP_OK) return st;
      sneppp__reduce_matrix(model, f, K, c, mass, M, small);
      return sneppp_set_matrix(out, small, err);
   }
}

static sneppp_status sneppp__reduce(const sneppp_model *model, int factor, const sneppp_window *over,
                                    const sneppp_real *at, sneppp_model *out, sneppp_error *err)
{
   sneppp_status  st = sneppp__factor_check(model, factor, err);
   sneppp_desc    desc;
   sneppp_unit   *units = NULL;
   double        *K = NULL, *c = NULL, *M = NULL, *small = NULL, mass = 1;
   sneppp__carver carver = sneppp__measure();
   sneppp__block  block;
   size_t         n, nf, full;
   if (!out) return sneppp__fail(err, SNEPPP_ERR_ARG, "out is NULL");
   memset(out, 0, sizeof *out);
   if (st != SNEPPP_OK) return st;
   n = (size_t)model->n, nf = (size_t)model->layer[factor].n;
   full = model->desc.readout != SNEPPP_READOUT_DIAGONAL;
   for (int pass = 0; pass < 2; pass++) {
      units = (sneppp_unit *)sneppp__take(&carver, n + 1, 1, sizeof *units);
      K = (double *)sneppp__take(&carver, full ? nf : 1, nf, sizeof *K);
      c = (double *)sneppp__take(&carver, nf, 1, sizeof *c);
      M = (double *)sneppp__take(&carver, full ? n : 1, n, sizeof *M);
      small = (double *)sneppp__take(&carver, full ? n + 1 : 1, n + 1, sizeof *small);
      if (!pass &&
          (st = sneppp__block_get(&block, &carver, NULL, 0, model->desc.alloc_ctx, err)) != SNEPPP_OK)
         return st;
   }
   if (at) { /* fixed: psi psi', psi, 1 */
      sneppp_real T[SNEPPP__MAX_STATS], psi[SNEPPP_MAX_WIDTH];
      double      y[SNEPPP__MAX_STATS];
      int         in = 1;
      for (int r = 0; r < model->layer[factor].D; r++) { y[r] = (double)at[r]; in = in && sneppp__finite(y[r]); }
      if (!in || !sneppp_window_contains(&model->desc.factor[factor].window, y)) {
         st = sneppp__fail(err, SNEPPP_ERR_DATA, "the point is not finite or outside factor[%d]", factor);
      } else {
         sneppp__statistics(model, factor, at, T);
         for (size_t i = 0, some; i < nf; i += some) { /* in blocks: products of radial units can be very wide */
            some = nf - i < SNEPPP_MAX_WIDTH ? nf - i : SNEPPP_MAX_WIDTH;
            sneppp__layer_features(model, factor, i, NULL, some, 1, T, psi, NULL);
            for (size_t k = 0; k < some; k++) c[i + k] = (double)psi[k];
         }
         for (size_t i = 0; i < nf; i++)
            for (size_t j = full ? 0 : i; j < (full ? nf : i + 1); j++) K[full ? i * nf + j : i] = c[i] * c[j];
         mass = 1;
      }
   } else { /* integrated: the closed forms of one factor, seen as a model of its own */
      sneppp_model  one = *model;
      sneppp_region region;
      sneppp__grams g;
      memset(&region, 0, sizeof region);
      memset(&g, 0, sizeof g);
      one.factors = 1, one.desc.mix = SNEPPP_MIX_PRODUCT, g.diagonal = !full;
      one.layer[0] = model->layer[factor], one.desc.factor[0] = model->desc.factor[factor];
      region.factor[0] = over;
      g.K[0] = K;
      g.c[0] = model->desc.mix == SNEPPP_MIX_SUM || model->desc.mix == SNEPPP_MIX_STACK ? c : NULL;
      st = sneppp__grams_of(&one, &region, &g, NULL, err);
      mass = g.mass[0];
   }
   if (st == SNEPPP_OK) st = sneppp__reduce_desc(model, factor, &desc, units, err);
   if (st == SNEPPP_OK) st = sneppp_init(out, &desc, err);
   if (st == SNEPPP_OK) {
      st = sneppp__reduce_fill(model, factor, K, c, mass, M, small, out, err);
      if (st == SNEPPP_OK) sneppp__index(out);
      else sneppp_free(out);
   }
   sneppp__block_free(&block);
   return st;
}

SNEPPP_DEF sneppp_status sneppp_marginal(const sneppp_model *model, int factor, const sneppp_window *over,
                                         sneppp_model *out, sneppp_error *err)
{
   return sneppp__reduce(model, factor, over, NULL, out, err);
}

SNEPPP_DEF sneppp_status sneppp_conditional(const sneppp_model *model, int factor, const sneppp_real *at,
                                            sneppp_model *out, sneppp_error *err)
{
   if (!at) return sneppp__fail(err, SNEPPP_ERR_ARG, "at is NULL");
   return sneppp__reduce(model, factor, NULL, at, out, err);
}

/* ---- chunks: a fixed number of events that stay in cache while features, readout and gradients are made. Lanes
   are what runs in parallel: lane l of SNEPPP__LANES takes the chunks l, l + LANES, ... and keeps sums of its
   own, and lanes are added in their order. So results do not depend on the number of threads. */
#define SNEPPP__CHUNK \
   SNEPPP__POINTS /* events of a chunk; very wide models take fewer, so that a chunk keeps its size */
#define SNEPPP__LANES 16

typedef struct sneppp__chunk {
   sneppp_real *x;                        /* (CHUNK, D) events, packed                       */
   sneppp_real *T[SNEPPP_MAX_FACTORS];    /* (CHUNK, d_f) statistics                         */
   sneppp_real *part[SNEPPP_MAX_FACTORS]; /* (CHUNK, n_f) features of one factor             */
   sneppp_real *slope[SNEPPP_MAX_FACTORS];/* (CHUNK, n_f) sigma', where gradients are wanted */
   sneppp_real *psi;                      /* (CHUNK, n) features of the model                */
   sneppp_real *y;                        /* (CHUNK, n) V psi, or M psi                      */
   double      *lambda;                   /* (CHUNK)                                         */
   int         *pick;                     /* (n) room for an active set; NULL: all features  */
   const int   *active;                   /* (n below) the active set; NULL: all features    */
   size_t       n;                        /* features that were made: columns of psi, y, ... */
} sneppp__chunk;

static size_t sneppp__chunk_rows(const sneppp_model *model)
{
   size_t rows = model->n <= 2048 ? SNEPPP__CHUNK : (size_t)1 + ((size_t)1 << 18) / (size_t)model->n;
   return rows < SNEPPP__CHUNK ? rows : SNEPPP__CHUNK;
}

static void sneppp__place_chunk(sneppp__carver *c, const sneppp_model *model, int gradient, sneppp__chunk *k)
{
   size_t B = sneppp__chunk_rows(model), s = sizeof(sneppp_real);
   k->x = (sneppp_real *)sneppp__take(c, B, (size_t)model->D, s);
   k->psi = NULL;
   if (model->nodes && !gradient) {
      k->lambda = (double *)sneppp__take(c, B, 1, sizeof(double));
      return;
   } /* through the tree */
   k->psi = (sneppp_real *)sneppp__take(c, B, (size_t)model->n, s);
   k->y = (sneppp_real *)sneppp__take(c, B, (size_t)model->n, s);
   k->lambda = (double *)sneppp__take(c, B, 1, sizeof(double));
   for (int f = 0; f < model->factors; f++) {
      size_t n = (size_t)model->layer[f].n;
      k->T[f] = (sneppp_real *)sneppp__take(c, B, (size_t)model->layer[f].d, s);
      k->part[f] = model->factors > 1 ? (sneppp_real *)sneppp__take(c, B, n, s) : k->psi;
      k->slope[f] = gradient > 1 ? (sneppp_real *)sneppp__take(c, B, n, s) : NULL;
   }
}

/* Events first .. first + B - 1 into k->x. A source that gives fewer is an error of the source. */
static sneppp_status sneppp__chunk_load(const sneppp_model *model, const sneppp_events *e, size_t first,
                                        size_t B, sneppp__chunk *k, sneppp_error *err)
{
   size_t D = (size_t)model->D, stride = e->stride ? e->stride : D;
   if (e->read) {
      size_t got = e->read(k->x, first, B, e->user);
      if (got != B)
         return sneppp__fail(err, SNEPPP_ERR_SOURCE,
                             "the source gave %z events from number %z on, but %z were asked for", got, first,
                             B);
      return SNEPPP_OK;
   }
   for (size_t b = 0; b < B; b++) memcpy(k->x + b * D, e->x + (first + b) * stride, D * sizeof *k->x);
   return SNEPPP_OK;
}

/* ---- active sets. A unit max(z, 0)^p, z = w.t + b, is exactly zero on a half-space, and a product of units where
   any of its factors is. If a chunk holds neighbours, many features are zero for all of its events, and then so is
   all that the loss would add for them: rows and columns of psi psi', and gradients. (In a product psi = u v with u
   = 0, dL/dv has the factor u, and dL/dz of u has the factor sigma'(z), which is zero where u vanishes like this.
   Zeros of other activations, as those of cos, have a slope and must not be dropped.)
   Over the box |t - c| <= h that holds the statistics of the chunk, z is at most w.c + b + |w|.h. Features for
   which this is not positive are never made; the others are the active set. The rounding of z is allowed for: a
   step would show it, 1 in place of 0. */
static int sneppp__vanishes(const sneppp_model *model, int f, int i)
{
   sneppp_act act = model->layer[f].units ? model->layer[f].units[i].act : model->desc.factor[f].unit.act;
   return !model->desc.factor[f].own.psi && (act == SNEPPP_RELU || act == SNEPPP_STEP || act == SNEPPP_RECT);
}

/* Fills pick (n), upwards; returns how many were picked: the active ones and a few more, to make whole vectors. */
static size_t sneppp__active_set(const sneppp_model *model, size_t B, sneppp_real *const *T, int *pick)
{
   const double tiny = sizeof(sneppp_real) < sizeof(double) ? 1e-6 : 1e-14;
   double       centre[SNEPPP_MAX_FACTORS][SNEPPP__MAX_STATS], half[SNEPPP_MAX_FACTORS][SNEPPP__MAX_STATS];
   size_t       count = 0, more;
   for (int f = 0; f < model->factors; f++)
      for (size_t d = (size_t)model->layer[f].d, r = 0; r < d; r++) {
         sneppp_real lo = T[f][r], hi = lo;
         for (size_t b = 1; b < B; b++) {
            sneppp_real t = T[f][b * d + r];
            if (t < lo) lo = t;
            if (t > hi) hi = t;
         }
         centre[f][r] = 0.5 * (double)lo + 0.5 * (double)hi;
         half[f][r] = 0.5 * (double)hi - 0.5 * (double)lo;
      }
   for (int i = 0; i < model->n; i++) {
      int active = 1;
      for (int f = 0; f < model->factors && active; f++) {
         const sneppp_layer_state *L = &model->layer[f];
         double                    z, size;
         if (!sneppp__vanishes(model, f, i)) continue;
         z = (double)L->b[i], size = fabs(z);
         for (int r = 0; r < L->d; r++) {
            double w = (double)L->W[i * L->d + r], reach = fabs(w) * half[f][r];
            z += w * centre[f][r] + reach;
            size += fabs(w * centre[f][r]) + reach;
         }
         active = !(z <= -tiny * size);
      }
      pick[i] = active;
      count += (size_t)active;
   }
   more = (8 - count % 8) % 8;
   for (int i = 0, at = 0; i < model->n; i++) {
      int take = pick[i] || more;
      if (!pick[i] && more) more--, count++;
      pick[at] = i;
      at += take;
   }
   return count;
}

static void sneppp__chunk_features(const sneppp_model *model, size_t B, sneppp__chunk *k)
{
   size_t n = (size_t)model->n;
   if (!k->psi) return; /* a model with a tree, and no gradient is wanted */
   for (int f = 0; f < model->factors; f++) {
      const sneppp_layer_state *L = &model->layer[f];
      for (size_t b = 0; b < B; b++)
         sneppp__statistics(model, f, k->x + b * (size_t)model->D + L->first, k->T[f] + b * (size_t)L->d);
   }
   k->n = k->pick ? sneppp__active_set(model, B, k->T, k->pick) : n;
   if (k->n + k->n / 8 >= n) k->n = n; /* the gathering would cost more than it saves */
   k->active = k->n < n ? k->pick : NULL;
   for (int f = 0; f < model->factors; f++)
      sneppp__layer_features(model, f, 0, k->active, k->active ? k->n : (size_t)model->layer[f].n, B, k->T[f],
                             k->part[f], k->slope[f]);
   if (model->factors > 1) sneppp__mix_features(model, B, k->n, k->part, k->psi);
}

/* lambda with respect to the base measure, through Y = Psi V'. */
static void sneppp__chunk_readout(const sneppp_model *model, size_t B, sneppp__chunk *k)
{
   size_t n = (size_t)model->n;
   if (!k->psi) {
      for (size_t b = 0; b < B; b++) k->lambda[b] = sneppp__intensity(model, k->x + b * (size_t)model->D);
      return;
   }
   if (model->desc.readout == SNEPPP_READOUT_DIAGONAL || model->readouts > 1) {
      for (size_t b = 0; b < B; b++) k->lambda[b] = sneppp__readout(model, k->psi + b * n);
      return;
   }
   {
      size_t m = (size_t)model->readout[0].m;
      sneppp__gemm(0, 1, B, m, n, 1, k->psi, n, model->readout[0].V, n, 0, k->y, m);
      for (size_t b = 0; b < B; b++) {
         double sum = sneppp__real_dot(m, k->y + b * m, k->y + b * m);
         k->lambda[b] = model->alpha * sum + model->floor;
      }
   }
}

static sneppp_status sneppp__events_check(const sneppp_model *model, const sneppp_events *e, sneppp_error *err)
{
   if (!e) return sneppp__fail(err, SNEPPP_ERR_ARG, "events is NULL");
   if (e->x && e->read) return sneppp__fail(err, SNEPPP_ERR_ARG, "events.x and events.read are both given");
   if (e->count && !e->x && !e->read)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "events.count = %z, but events.x and events.read are NULL",
                          e->count);
   if (e->stride && e->stride < (size_t)model->D)
      return sneppp__fail(err, SNEPPP_ERR_ARG,
                          "events.stride = %z is less than the %d coordinates of an event", e->stride,
                          model->D);
   if (e->read && (e->stride || e->weight))
      return sneppp__fail(err, SNEPPP_ERR_ARG,
                          "events.stride and events.weight are for events in memory, not for a source");
   return SNEPPP_OK;
}

/* Refuses event i of e, at x, unless it is finite, in the window and in what was seen; *weight gets its weight. */
static sneppp_status sneppp__event_check(const sneppp_model *model, const sneppp_events *e, size_t i,
                                         const sneppp_real *x, double *weight, sneppp_error *err)
{
   int in = sneppp__inside(model, x);
   if (in == 1 && e->seen && !sneppp__inside_region(model, e->seen, x)) in = 2;
   *weight = e->weight ? (double)e->weight[i] : 1;
   if (in != 1)
      return sneppp__fail_event(err, SNEPPP_ERR_DATA, i, "event %z, at %g%s, is %s", i, (double)x[0],
                                model->D > 1 ? ", ..." : "",
                                in < 0   ? "not finite"
                                : in > 1 ? "outside the part that was seen"
                                         : "outside the window");
   if (!sneppp__finite(*weight) || *weight < 0)
      return sneppp__fail_event(err, SNEPPP_ERR_DATA, i,
                                "event %z has the weight %g, which is negative or not finite", i, *weight);
   return SNEPPP_OK;
}

typedef struct sneppp__evaluation {
   const sneppp_model  *model;
   const sneppp_events *at;
   sneppp_real         *out;
   sneppp__chunk        chunk[SNEPPP__LANES];
   sneppp_error         error[SNEPPP__LANES];
} sneppp__evaluation;

static void sneppp__evaluate_lane(size_t lane, void *arg)
{
   sneppp__evaluation *job = (sneppp__evaluation *)arg;
   sneppp__chunk      *k = &job->chunk[lane];
   size_t              N = job->at->count, D = (size_t)job->model->D, rows = sneppp__chunk_rows(job->model);
   double              density[SNEPPP__CHUNK];
   for (size_t first = lane * rows; first < N; first += SNEPPP__LANES * rows) {
      size_t B = N - first < rows ? N - first : rows;
      if (sneppp__chunk_load(job->model, job->at, first, B, k, &job->error[lane]) != SNEPPP_OK) return;
      for (size_t b = 0; b < B; b++) {
         int in = sneppp__inside(job->model, k->x + b * D);
         job->out[first + b] = in > 0 ? 1 : in < 0 ? (sneppp_real)sneppp__nan() : 0;
         if (in <= 0) memset(k->x + b * D, 0, D * sizeof *k->x); /* answered already; zeros harm no statistic */
      }
      sneppp__chunk_features(job->model, B, k);
      sneppp__chunk_readout(job->model, B, k);
      sneppp__base_log_densities(job->model, B, k->x, density);
      sneppp__long_exp(B, density, density);
      for (size_t b = 0; b < B; b++)
         if (sneppp__finite((double)job->out[first + b]) && job->out[first + b] > 0)
            job->out[first + b] = (sneppp_real)(k->lambda[b] * density[b]);
   }
}

/* Intensities at many points: 0 outside the window, NaN where a coordinate is not finite. */
SNEPPP_DEF sneppp_status sneppp_intensities(const sneppp_model *model, const sneppp_events *at,
                                            sneppp_real *out, const sneppp_parallel *par, sneppp_error *err)
{
   sneppp__evaluation job;
   sneppp__carver     c = sneppp__measure();
   sneppp__block      block;
   sneppp_status      st;
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   st = sneppp__events_check(model, at, err);
   if (st != SNEPPP_OK) return st;
   if (!at->count) return SNEPPP_OK;
   if (!out) return sneppp__fail(err, SNEPPP_ERR_ARG, "out is NULL");
   memset(&job, 0, sizeof job);
   job.model = model, job.at = at, job.out = out;
   for (int pass = 0; pass < 2; pass++) {
      for (int l = 0; l < SNEPPP__LANES; l++) sneppp__place_chunk(&c, model, 0, &job.chunk[l]);
      if (!pass && (st = sneppp__block_get(&block, &c, NULL, 0, model->desc.alloc_ctx, err)) != SNEPPP_OK) return st;
   }
   sneppp__run(par, sneppp__evaluate_lane, &job, SNEPPP__LANES);
   sneppp__block_free(&block);
   for (int l = 0; l < SNEPPP__LANES; l++)
      if (job.error[l].status != SNEPPP_OK) {
         if (err) *err = job.error[l];
         return job.error[l].status;
      }
   return SNEPPP_OK;
}

/* >>loss =====================================================================================================
   The negative log-likelihood of events x_1 .. x_N that were seen in a region A (paper, equations 3 and 7),

      L = Lambda(A) - sum_i w_i log lambda(x_i) + log N!,      lambda = alpha q + floor,  q = |V psi|^2,

   and its gradient. With c_i = alpha w_i / lambda_i and M = V'V,

      S = sum_i c_i psi_i psi_i',   dL/dV = 2 V (alpha K - S),   dL/dpsi_i = -2 c_i M psi_i,   dL/dK = alpha M.

   Through M, which is formed once, an event costs one row of Psi M and a rank-one update of S, 3 n^2 flops
   whatever m is; through V it costs 6 m n. The cheaper way is taken. Several realisations add up. */

/* What one realisation watched: its region and the layers in the units of the closed forms. Placing it again
   into the same memory renews the layers after the parameters have changed. */
typedef struct sneppp__watch {
   const sneppp_region *region; /* in the user's coordinates; NULL = everywhere */
   sneppp_window inside[SNEPPP_MAX_FACTORS];
   sneppp_layer  layer[SNEPPP_MAX_FACTORS];
   sneppp__grams g;
} sneppp__watch;

static void sneppp__place_watch(sneppp__carver *c, const sneppp_model *model, const sneppp_region *region,
                                sneppp__watch *w)
{
   w->region = region;
   for (int f = 0; f < model->factors; f++)
      sneppp__place_part(c, model, f, region ? region->factor[f] : NULL, &w->inside[f], &w->layer[f]);
   sneppp__place_grams(c, model, &w->g);
}

static sneppp_status sneppp__watch_grams(const sneppp_model *model, sneppp__watch *w,
                                         const sneppp_parallel *par, sneppp_error *err)
{
   for (int f = 0; f < model->factors; f++) {
      sneppp_status st = sneppp__factor_grams(model, f, w->region ? w->region->factor[f] : NULL, &w->inside[f],
                                              &w->layer[f], &w->g, par, err);
      if (st != SNEPPP_OK) return st;
   }
   return SNEPPP_OK;
}

/* ---- the sums over events, lane by lane. `flat` is every double that is summed, so that lanes add in one loop. */
typedef struct sneppp__lane {
   sneppp__chunk chunk;
   sneppp_real  *dpsi;                  /* (CHUNK, n) dL/dpsi                                               */
   sneppp_real  *dpart;                 /* (CHUNK, n) dL/d(features of one factor), then dL/dz              */
   sneppp_real  *sum;                   /* (n, n) M of the active features; sums of one chunk before they join S */
   double       *pull;                  /* (n, d + 1) the same of W and b; where there are active sets      */
   double       *flat;
   size_t        flat_count;
   double       *S[SNEPPP_MAX_FACTORS]; /* (n, n); through V: (m, n); diagonal: (n)                         */
   double       *W[SNEPPP_MAX_FACTORS], *b[SNEPPP_MAX_FACTORS], *width[SNEPPP_MAX_FACTORS];
   double       *weight[SNEPPP_MAX_FACTORS], *mean[SNEPPP_MAX_FACTORS], *scale[SNEPPP_MAX_FACTORS];
   double       *scalar;                /* (4) sums of w log lambda, w / lambda, w q / lambda, w            */
   sneppp_error  error;
} sneppp__lane;

typedef struct sneppp__loss {
   const sneppp_model  *model;
   const sneppp_events *events;         /* (realisations)                                                   */
   size_t               realisations;
   size_t               count;          /* events of the pass, in all realisations                          */
   size_t               lanes;
   int                  gradient;       /* 0: the value only; 1: S as well; 2: the hidden layer as well     */
   int                  through_M;
   int                  narrow;         /* chunks of neighbours with active sets                            */
   size_t               at, size;       /* the block of events that is worked on: its first position, its size */
   size_t               pieces;         /* into which the block has been split so far                       */
   sneppp_real         *x;              /* (BLOCK, D) its events, if they are put in order                  */
   double              *weight;         /* (BLOCK)                                                          */
   size_t               batch;          /* 0 = every event in order; else this many of a pseudo-random order */
   uint64_t             key, shuffle;   /* the order: key splits off what is held out, shuffle is the epoch's */
   size_t               lo, hi, first;  /* positions lo .. hi - 1 take part, from lo + first on             */
   sneppp__watch       *watch;          /* (realisations)                                                   */
   sneppp_real         *M[SNEPPP_MAX_FACTORS]; /* (n, n) V'V in the precision of the features               */
   double              *MM[SNEPPP_MAX_FACTORS]; /* (n, n) V'V in double; full readouts                      */
   double              *wide;           /* (m, n) V in double, or a gradient of V; float build only         */
   size_t               used, rows;     /* lanes that have events; events of a chunk                        */
   double              *G;              /* (n, n) dL/dK                                                     */
   double              *dK;             /* (n, n) dL/dK_f of one factor                                     */
   double              *dc;             /* (n) dL/dc_f                                                      */
   double              *dW, *db, *dwidth, *dmean; /* pull-backs of one factor in the units of the closed forms */
   double              *parts;          /* sums of the lanes of a pull-back                                 */
   sneppp__lane         lane[SNEPPP__LANES];
} sneppp__loss;

#define SNEPPP__BLOCK 512 /* chunks of a block: events that are put in order together, so that chunks hold neighbours */

/* Wide models have large sums: fewer lanes then. A function of the model alone, so results do not move. */
static size_t sneppp__lane_count(const sneppp_model *model)
{
   return model->desc.readout == SNEPPP_READOUT_FULL && model->n > 512 ? 4 : SNEPPP__LANES;
}

/* Has factor f units that vanish on half-spaces, and do chunks of the model have active sets? Features must be
   those of one factor, or products. */
static int sneppp__factor_narrows(const sneppp_model *model, int f)
{
   for (int i = 0; i < (model->layer[f].units ? model->n : 1); i++) if (sneppp__vanishes(model, f, i)) return 1;
   return 0;
}

static int sneppp__narrows(const sneppp_model *model)
{
   if (model->n < 24) return 0; /* the ordering would cost more than the zeros save */
   if (model->desc.readout != SNEPPP_READOUT_FULL || model->readouts > 1) return 0;
   if (model->factors > 1 && model->desc.mix != SNEPPP_MIX_PRODUCT) return 0;
   for (int f = 0; f < model->factors; f++) if (sneppp__factor_narrows(model, f)) return 1;
   return 0;
}

static void sneppp__place_lane(sneppp__carver *c, const sneppp__loss *loss, sneppp__lane *lane)
{
   const sneppp_model *model = loss->model;
   size_t B = sneppp__chunk_rows(model), total = 0, s = sizeof(sneppp_real), widest = (size_t)model->n, stats = 0;
   sneppp__place_chunk(c, model, loss->gradient, &lane->chunk);
   for (int f = 0; f < model->factors; f++) {
      if ((size_t)model->layer[f].n > widest) widest = (size_t)model->layer[f].n;
      if ((size_t)model->layer[f].d > stats) stats = (size_t)model->layer[f].d;
   }
   lane->chunk.pick = loss->narrow ? (int *)sneppp__take(c, widest, 1, sizeof(int)) : NULL;
   if (loss->narrow) lane->pull = (double *)sneppp__take(c, widest, stats + 1, sizeof(double));
   if (loss->gradient) lane->dpsi = (sneppp_real *)sneppp__take(c, B, (size_t)model->n, s);
   if (loss->gradient > 1) lane->dpart = (sneppp_real *)sneppp__take(c, B, widest, s);
   for (int pass = 0; pass < 2; pass++) { /* first the size of `flat`, then the pointers into it */
      double *at = pass ? lane->flat : NULL;
      size_t  used = 0;
#define SNEPPP__PART(pointer, size) do { if (at) (pointer) = at + used; used += (size); } while (0)
      SNEPPP__PART(lane->scalar, 4);
      for (int k = 0; loss->gradient && k < model->readouts; k++) {
         size_t n = (size_t)model->readout[k].n, m = (size_t)model->readout[k].m;
         SNEPPP__PART(lane->S[k], (loss->through_M ? n : m) * n);
      }
      for (int f = 0; loss->gradient > 1 && f < model->factors; f++) {
         const sneppp_layer_state *L = &model->layer[f];
         size_t n = (size_t)L->n, d = (size_t)L->d;
         SNEPPP__PART(lane->W[f], n * d);
         SNEPPP__PART(lane->b[f], n);
         if (L->width) SNEPPP__PART(lane->width[f], n * d);
         if (L->inside.space != SNEPPP_GAUSS) continue;
         SNEPPP__PART(lane->weight[f], L->inside.count);
         SNEPPP__PART(lane->mean[f], L->inside.count * d);
         SNEPPP__PART(lane->scale[f], L->inside.count * d);
      }
#undef SNEPPP__PART
      total = used;
      if (!pass) lane->flat = (double *)sneppp__take(c, total, 1, sizeof(double));
   }
   lane->flat_count = total;
   if (loss->narrow ||
       (sizeof(sneppp_real) < sizeof(double) && loss->gradient && model->desc.readout == SNEPPP_READOUT_FULL))
      lane->sum = (sneppp_real *)sneppp__take(c, (size_t)model->n, (size_t)model->n, s);
}

static void sneppp__place_loss(sneppp__carver *c, sneppp__loss *loss)
{
   const sneppp_model *model = loss->model;
   size_t widest = 0, stats = 0, measure = 1, n = (size_t)model->n, parts = 0,
          room = sneppp__chunk_rows(model) * SNEPPP__BLOCK;
   int    full = model->desc.readout == SNEPPP_READOUT_FULL;
   loss->lanes = sneppp__lane_count(model);
   loss->narrow = loss->gradient && sneppp__narrows(model);
   if (room > loss->count) room = loss->count;
   if (loss->narrow) {
      loss->x = (sneppp_real *)sneppp__take(c, room, (size_t)model->D, sizeof *loss->x);
      loss->weight = (double *)sneppp__take(c, room, 1, sizeof *loss->weight);
   }
   loss->through_M = 1;
   for (int k = 0; full && k < model->readouts; k++)
      if (2 * model->readout[k].m < model->readout[k].n) loss->through_M = 0;
   if (!full) loss->through_M = 0;
   loss->watch = (sneppp__watch *)sneppp__take(c, loss->realisations, 1, sizeof *loss->watch);
   for (size_t r = 0; r < loss->realisations; r++) {
      sneppp__watch dummy, *w = &dummy;
      memset(&dummy, 0, sizeof dummy);
      if (loss->watch) w = &loss->watch[r];
      sneppp__place_watch(c, model, loss->events[r].seen, w);
      for (int f = 0; f < model->factors; f++) {
         size_t nf = (size_t)model->layer[f].n,
                size = sneppp__gram_lanes(nf) * sneppp__pull_size(nf, (size_t)model->layer[f].d, &w->inside[f]);
         if (size > parts) parts = size;
      }
   }
   for (int k = 0; k < model->readouts; k++) {
      size_t nk = (size_t)model->readout[k].n;
      loss->MM[k] = full ? (double *)sneppp__take(c, nk, nk, sizeof(double)) : NULL;
      loss->M[k] = NULL;
      if (!loss->through_M || !loss->gradient) continue;
#ifdef SNEPPP_REAL_FLOAT
      loss->M[k] = (sneppp_real *)sneppp__take(c, nk, nk, sizeof(sneppp_real));
#else
      loss->M[k] = loss->MM[k];
#endif
   }
   loss->wide = full && sizeof(sneppp_real) < sizeof(double) ? (double *)sneppp__take(c, n, n, sizeof(double)) : NULL;
   for (int f = 0; f < model->factors; f++) {
      const sneppp_layer_state *L = &model->layer[f];
      if ((size_t)L->n > widest) widest = (size_t)L->n;
      if ((size_t)L->d > stats) stats = (size_t)L->d;
      if (L->inside.space == SNEPPP_GAUSS && L->inside.count > measure) measure = L->inside.count;
   }
   if (loss->gradient) loss->G = (double *)sneppp__take(c, n, full ? n : 1, sizeof(double));
   if (loss->gradient > 1) {
      loss->dK = (double *)sneppp__take(c, widest, full ? widest : 1, sizeof(double));
      loss->dc = (double *)sneppp__take(c, widest, 1, sizeof(double));
      loss->dW = (double *)sneppp__take(c, widest, stats, sizeof(double));
      loss->db = (double *)sneppp__take(c, widest, 1, sizeof(double));
      loss->dwidth = (double *)sneppp__take(c, widest, stats, sizeof(double));
      loss->dmean = (double *)sneppp__take(c, measure, 2 * stats + 1, sizeof(double));
      loss->parts = (double *)sneppp__take(c, full ? parts : 0, 1, sizeof(double));
   }
   for (size_t l = 0; l < loss->lanes; l++) sneppp__place_lane(c, loss, &loss->lane[l]);
}

/* ---- one chunk */

/* out (rows, k): the columns pick (k) of A (., n), of all rows or of those in `row`. */
static void sneppp__gather(size_t rows, const int *row, size_t k, const int *pick, const sneppp_real *A, size_t n,
                           sneppp_real *out)
{
   for (size_t i = 0; i < rows; i++) {
      const sneppp_real *from = A + (row ? (size_t)row[i] : i) * n;
      for (size_t j = 0; j < k; j++) out[i * k + j] = from[pick[j]];
   }
}

/* Adds the sums (rows, k) of a chunk to S (., n), at the columns in pick or at all. Through M they are a lower
   triangle, which stays one because pick goes upwards; through V all m rows of the picked columns. */
static void sneppp__scatter(size_t rows, int lower, size_t k, const int *pick, const sneppp_real *sum, double *S,
                            size_t n)
{
   for (size_t i = 0; i < rows; i++) {
      double *to = S + (lower && pick ? (size_t)pick[i] : i) * n;
      size_t  count = lower ? i + 1 : k;
      if (!pick) { sneppp__join(count, 1, sum + i * k, to); continue; }
      for (size_t j = 0; j < count; j++) to[pick[j]] += (double)sum[i * k + j];
   }
}

/* lambda, c_i and dL/dpsi for a chunk; adds to the sums of the readouts. weight (B) holds the events' weights. Where
   the chunk has an active set, there is one readout, and all happens in its k features: y = Psi_a M_aa, S_aa += ... */
static void sneppp__chunk_loss(const sneppp__loss *loss, sneppp__lane *lane, size_t B, const double *weight,
                               const double *log_base)
{
   const sneppp_model *model = loss->model;
   sneppp__chunk      *k = &lane->chunk;
   size_t              n = k->n;
   int separable = model->desc.mix == SNEPPP_MIX_SEPARABLE,
       diagonal = model->desc.readout == SNEPPP_READOUT_DIAGONAL,
       joins = k->active || sizeof(sneppp_real) < sizeof(double); /* S is double and of all features */
   double              q[SNEPPP__CHUNK][SNEPPP_MAX_FACTORS], total[SNEPPP__CHUNK], log_lambda[SNEPPP__CHUNK];
   if (loss->gradient == 0) sneppp__chunk_readout(model, B, k);
   for (int j = 0; loss->gradient && j < model->readouts; j++) {
      const sneppp_readout_state *R = &model->readout[j];
      const sneppp_real          *psi = k->psi + R->first, *M = loss->through_M ? loss->M[j] : R->V;
      size_t                      nj = k->active ? n : (size_t)R->n, m = (size_t)R->m;
      sneppp_real                *y = k->y + (loss->through_M || diagonal ? (size_t)R->first : B * (size_t)R->first);
      if (k->active) {
         sneppp__gather(loss->through_M ? n : m, loss->through_M ? k->active : NULL, n, k->active, M,
                        (size_t)R->n, lane->sum);
         M = lane->sum;
      }
      if (diagonal) {
         for (size_t b = 0; b < B; b++)
            for (size_t i = 0; i < nj; i++) y[b * n + i] = R->V[i] * R->V[i] * psi[b * n + i];
      } else if (loss->through_M) {
         sneppp__gemm(0, 0, B, nj, nj, 1, psi, n, M, nj, 0, y, n);
      } else {
         sneppp__gemm(0, 1, B, m, nj, 1, psi, n, M, nj, 0, y, m);
      }
      for (size_t b = 0; b < B; b++) {
         double sum = loss->through_M || diagonal ? sneppp__real_dot(nj, psi + b * n, y + b * n)
                                                  : sneppp__real_dot(m, y + b * m, y + b * m);
         q[b][j] = sum > 0 ? sum : 0;
      }
   }
   for (size_t b = 0; b < B; b++) {
      double sum = 0, product = 1;
      if (loss->gradient) {
         for (int j = 0; j < model->readouts; j++) sum += q[b][j], product *= q[b][j];
         if (separable) sum = product;
         k->lambda[b] = model->alpha * sum + model->floor;
      }
      total[b] = sum;
      if (!(k->lambda[b] > 1e-300))
         k->lambda[b] = 1e-300; /* an event where the model says "impossible": huge, not infinite */
   }
   sneppp__long_log(B, k->lambda, log_lambda);
   for (size_t b = 0; b < B; b++) {
      double c = weight[b] / k->lambda[b];
      lane->scalar[0] += weight[b] * (log_lambda[b] + log_base[b]);
      lane->scalar[1] += c;
      lane->scalar[2] += c * total[b];
      lane->scalar[3] += weight[b];
      if (loss->gradient) {
         double others[SNEPPP_MAX_FACTORS];
         for (int j = 0; j < model->readouts; j++) {
            others[j] = 1;
            for (int h = 0; separable && h < model->readouts; h++) if (h != j) others[j] *= q[b][h];
         }
         for (int j = 0; j < model->readouts; j++)
            q[b][j] = model->alpha * c * others[j]; /* from here on: c_i of readout j */
      }
   }
   for (int j = 0; loss->gradient && j < model->readouts; j++) {
      const sneppp_readout_state *R = &model->readout[j];
      sneppp_real                *psi = k->psi + R->first;
      size_t                      nj = k->active ? n : (size_t)R->n, m = (size_t)R->m;
      sneppp_real                *y = k->y + (loss->through_M || diagonal ? (size_t)R->first : B * (size_t)R->first);
      if (loss->through_M || diagonal) {
         for (size_t b = 0; b < B; b++) {
            sneppp_real minus = (sneppp_real)(-2 * q[b][j]), root = (sneppp_real)sqrt(q[b][j]);
            sneppp__real_product(nj, minus, y + b * n, NULL, lane->dpsi + b * n + (size_t)R->first);
            sneppp__real_product(nj, root, psi + b * n, NULL, psi + b * n);
         }
         if (diagonal) {
            for (size_t b = 0; b < B; b++)
               for (size_t i = 0; i < nj; i++)
                  lane->S[j][i] += (double)psi[b * n + i] * (double)psi[b * n + i];
         } else if (joins) {
            sneppp__syrk_add(nj, B, psi, n, 0, lane->sum);
            sneppp__scatter(nj, 1, nj, k->active, lane->sum, lane->S[j], (size_t)R->n);
         } else {
            sneppp__syrk_add(nj, B, psi, n, 1, (sneppp_real *)(void *)lane->S[j]);
         }
      } else { /* y = V psi: dpsi = -2 c V'y, dV = -2 c y psi', of which S keeps c y psi' */
         for (size_t b = 0; b < B; b++) sneppp__real_product(m, (sneppp_real)q[b][j], y + b * m, NULL, y + b * m);
         sneppp__gemm(0, 0, B, nj, m, -2, y, m, k->active ? lane->sum : R->V, nj, 0, lane->dpsi + R->first, n);
         sneppp__gemm(1, 0, m, nj, B, 1, y, m, psi, n, joins ? 0 : 1,
                      joins ? lane->sum : (sneppp_real *)(void *)lane->S[j], nj);
         if (joins) sneppp__scatter(m, 0, nj, k->active, lane->sum, lane->S[j], (size_t)R->n);
      }
   }
}

/* dL/d(features of factor f) from dL/dpsi, by the mixing rule. */
static void sneppp__mix_pull(const sneppp_model *model, size_t B, const sneppp__chunk *k,
                             const sneppp_real *dpsi, int f, sneppp_real *out)
{
   size_t n = k->n, nf = (size_t)model->layer[f].n, first = 0, after = 1;
   if (model->desc.mix == SNEPPP_MIX_PRODUCT && model->factors > 1) {
      const sneppp_real *from = dpsi;
      for (int g = 0; g < model->factors; g++) {
         if (g == f) continue;
         sneppp__real_product(B * n, 1, from, k->part[g], out);
         from = out;
      }
      return;
   }
   for (int g = 0; g < f; g++) first += (size_t)model->layer[g].n;
   for (int g = f + 1; g < model->factors; g++) after *= (size_t)model->layer[g].n;
   for (size_t b = 0; b < B; b++) {
      const sneppp_real *d = dpsi + b * n;
      sneppp_real       *o = out + b * nf;
      if (sneppp__mix_concatenates(model->desc.mix)) {
         memcpy(o, d + first, nf * sizeof *o);
      } else if (model->desc.mix == SNEPPP_MIX_OUTER) {
         memset(o, 0, nf * sizeof *o);
         for (size_t i = 0; i < n; i++) {
            sneppp_real v = d[i];
            size_t      rest = i;
            for (int g = model->factors; g-- > 0;) {
               size_t ng = (size_t)model->layer[g].n;
               if (g != f) v *= k->part[g][b * ng + rest % ng];
               rest /= ng;
            }
            o[i / after % nf] += v;
         }
      } else {
         memcpy(o, d, nf * sizeof *o);
         for (int g = 0; model->desc.mix == SNEPPP_MIX_PRODUCT && g < model->factors; g++)
            if (g != f) for (size_t i = 0; i < nf; i++) o[i] *= k->part[g][b * nf + i];
      }
   }
}

/* dL/dW and dL/db of factor f: dz = dL/dpart sigma'(z), dW = dz'T. A radial unit has z = -sum (t - c)^2/(2 l^2). Of two
   factors that multiply, dL/dpart is dL/dpsi times the other's features, formed on the way. */
static void sneppp__layer_pull(const sneppp_model *model, size_t B, sneppp__lane *lane, int f)
{
   const sneppp_layer_state *L = &model->layer[f];
   const int                *active = lane->chunk.active;
   size_t                    n = active ? lane->chunk.n : (size_t)L->n, d = (size_t)L->d;
   const sneppp_real        *T = lane->chunk.T[f], *slope = lane->chunk.slope[f];
   sneppp_real              *dz = model->factors > 1 ? lane->dpart : lane->dpsi;
   int                       pair = !L->width && model->factors == 2 && model->desc.mix == SNEPPP_MIX_PRODUCT;
   if (!pair && model->factors > 1) sneppp__mix_pull(model, B, &lane->chunk, lane->dpsi, f, lane->dpart);
   if (!L->width) {
      double *db = active ? lane->pull : lane->b[f], *dW = active ? db + n : lane->W[f];
      if (active) memset(db, 0, n * (d + 1) * sizeof *db);
      sneppp__pull_rows(B, n, d, pair ? lane->dpsi : dz, pair ? lane->chunk.part[1 - f] : NULL, slope, dz, T, db, dW);
      for (size_t i = 0; active && i < n; i++) {
         lane->b[f][active[i]] += db[i];
         for (size_t r = 0; r < d; r++) lane->W[f][(size_t)active[i] * d + r] += dW[i * d + r];
      }
      return;
   }
   sneppp__real_product(B * n, 1, dz, slope, dz);
   for (size_t b = 0; b < B; b++) {
      const sneppp_real *z = dz + b * n, *t = T + b * d;
      for (size_t i = 0; i < n; i++)
         for (size_t r = 0; r < d; r++) {
            size_t at = (active ? (size_t)active[i] : i) * d + r;
            double l = (double)L->width[at], e = ((double)t[r] - (double)L->W[at]) / l;
            lane->W[f][at] += (double)z[i] * e / l;
            lane->width[f][at] += (double)z[i] * e * e / l;
         }
   }
}

/* -w log of a Gaussian mixture's density p at the events: its derivatives through the shares w p_c / p. log_density
   (B) is that of all factors; with several, that of factor f is made anew. */
static void sneppp__measure_pull(const sneppp_model *model, sneppp__lane *lane, int f, size_t B, const double *weight,
                                 const double *log_density)
{
   const sneppp_window *win = &model->layer[f].inside;
   size_t               d = (size_t)win->dim;
   double y[SNEPPP_MAX_DIM * SNEPPP__POINTS], own[SNEPPP__POINTS], share[SNEPPP__POINTS], z[SNEPPP__POINTS],
      t[SNEPPP__POINTS];
   sneppp__gauss_points(model, f, B, lane->chunk.x, y);
   if (model->factors > 1) sneppp__gauss_log_density(win, B, SNEPPP__POINTS, y, own);
   for (size_t c = 0; c < win->count; c++) {
      double sum = 0;
      sneppp__gauss_exponents(win, c, B, SNEPPP__POINTS, y, model->factors > 1 ? own : log_density, share);
      sneppp__long_exp(B, share, share);
      sneppp__long_product(B, 1, share, weight, share);
      for (size_t b = 0; b < B; b++) sum += share[b];
      lane->weight[f][c] -= sum;
      for (size_t r = 0; r < d; r++) {
         double rate = 1 / win->scale[c * d + r];
         for (size_t b = 0; b < B; b++) {
            z[b] = (y[r * SNEPPP__POINTS + b] - win->mean[c * d + r]) * rate;
            t[b] = z[b] * z[b];
         }
         lane->mean[f][c * d + r] -= win->weight[c] * rate * sneppp__long_dot(B, share, z);
         lane->scale[f][c * d + r] -= win->weight[c] * rate * (sneppp__long_dot(B, share, t) - sum);
      }
   }
}

/* Where the i-th event of a batch is found. */
static uint64_t sneppp__shuffled(const sneppp__loss *loss, size_t i)
{
   uint64_t range = (uint64_t)(loss->hi - loss->lo), at = (uint64_t)(loss->first + i) % range;
   if (loss->shuffle) at = sneppp_rng_permute(at, range, loss->key + loss->shuffle);
   return sneppp_rng_permute((uint64_t)loss->lo + at, (uint64_t)loss->count, loss->key);
}

/* Events at .. at + B - 1 of the pass into x (B, D) and weight (B), checked. */
static sneppp_status sneppp__load_events(const sneppp__loss *loss, size_t at, size_t B, sneppp_real *x,
                                         double *weight, sneppp_error *err)
{
   const sneppp_model *model = loss->model;
   size_t              D = (size_t)model->D;
   for (size_t b = 0; b < B;) {
      uint64_t             p = loss->batch ? sneppp__shuffled(loss, at + b) : (uint64_t)(at + b);
      const sneppp_events *e = loss->events;
      size_t               run = 1, stride;
      while (p >= e->count) p -= e++->count;
      stride = e->stride ? e->stride : D;
      if (!loss->batch) { run = e->count - (size_t)p; if (run > B - b) run = B - b; }
      if (e->read) {
         size_t got = e->read(x + b * D, (size_t)p, run, e->user);
         if (got != run)
            return sneppp__fail(err, SNEPPP_ERR_SOURCE,
                                "the source gave %z events from number %z on, but %z were asked for", got,
                                (size_t)p, run);
      } else {
         for (size_t i = 0; i < run; i++)
            memcpy(x + (b + i) * D, e->x + ((size_t)p + i) * stride, D * sizeof *x);
      }
      for (size_t i = 0; i < run; i++) {
         sneppp_status st = sneppp__event_check(model, e, (size_t)p + i, x + (b + i) * D, &weight[b + i], err);
         if (st != SNEPPP_OK) return st;
      }
      b += run;
   }
   return SNEPPP_OK;
}

/* ---- blocks of events in order, for models with active sets. A pass takes the events block by block: a block is
   loaded and checked (in the order of the input, so that the first bad event is the one that is named), then split
   again and again at the middle of the coordinate in which a part is widest, until the parts are chunks. Halving
   cuts the cells that neighbours share down evenly where events are dense, which no fixed curve through the window
   does: of 20,000 events on sphere x time a chunk needs 0.42 of the products of ReLU units, 0.50 along a Z curve,
   0.99 in the order of the input. The parts of one level are independent of each other, and each is split by the
   same comparisons whoever does it. */
static void sneppp__block_load(size_t which, void *arg)
{
   sneppp__loss *loss = (sneppp__loss *)arg;
   size_t        lo = loss->size * which / loss->used, hi = loss->size * (which + 1) / loss->used;
   memset(&loss->lane[which].error, 0, sizeof loss->lane[which].error);
   sneppp__load_events(loss, loss->at + lo, hi - lo, loss->x + lo * (size_t)loss->model->D, loss->weight + lo,
                       &loss->lane[which].error);
}

/* Moves rows lo .. hi - 1 of the block so that no x_r before row mid is larger than one after it: selection by
   partition, with pivots of the right rank in a sample, so that few rows are left after the first. Equal values are
   swapped too, which keeps the parts even when all are equal. */
static void sneppp__block_select(sneppp__loss *loss, size_t lo, size_t mid, size_t hi, size_t r)
{
   enum { most = 32 };
   size_t       D = (size_t)loss->model->D;
   sneppp_real *x = loss->x + r;
   while (hi - lo > 1) {
      sneppp_real sample[most] = {0}, pivot;
      size_t      count = hi - lo < (size_t)most ? hi - lo : (size_t)most, i = lo, j = hi;
      for (size_t k = 0; k < count; k++) { /* sorted by insertion */
         size_t      at = k;
         sneppp_real v = x[(lo + (hi - lo) * k / count) * D];
         for (; at && v < sample[at - 1]; at--) sample[at] = sample[at - 1];
         sample[at] = v;
      }
      pivot = sample[(mid - lo) * count / (hi - lo)];
      while (i < j) {
         while (x[i * D] < pivot) i++;
         while (pivot < x[(j - 1) * D]) j--;
         if (i >= j) break;
         j--;
         {
            double w = loss->weight[i];
            loss->weight[i] = loss->weight[j], loss->weight[j] = w;
         }
         for (size_t q = 0; q < D; q++) {
            sneppp_real v = loss->x[i * D + q];
            loss->x[i * D + q] = loss->x[j * D + q], loss->x[j * D + q] = v;
         }
         i++;
      }
      if (mid < j) hi = j;
      else if (mid >= i) lo = i;
      else return;
   }
}

static void sneppp__block_split(size_t which, void *arg)
{
   sneppp__loss       *loss = (sneppp__loss *)arg;
   const sneppp_model *model = loss->model;
   size_t              D = (size_t)model->D, rows = sneppp__chunk_rows(model), chunks = (loss->size + rows - 1) / rows;
   size_t              lo = which * chunks / loss->pieces * rows, hi = (which + 1) * chunks / loss->pieces * rows,
                       mid = (2 * which + 1) * chunks / (2 * loss->pieces) * rows, widest = 0, step;
   double              most = 0;
   if (hi > loss->size) hi = loss->size;
   if (mid <= lo || mid >= hi) return; /* a chunk already */
   step = 1 + (hi - lo) / 512; /* a sample tells the widths */
   for (int f = 0; f < model->factors; f++)
      for (int q = 0; q < model->layer[f].D && sneppp__factor_narrows(model, f); q++) {
         size_t      r = (size_t)model->layer[f].first + (size_t)q;
         sneppp_real low = loss->x[lo * D + r], high = low;
         double      width;
         for (size_t i = lo; i < hi; i += step) {
            sneppp_real v = loss->x[i * D + r];
            if (v < low) low = v;
            if (v > high) high = v;
         }
         width = ((double)high - (double)low) * model->layer[f].rate[q];
         if (width > most) most = width, widest = r;
      }
   if (most > 0) sneppp__block_select(loss, lo, mid, hi, widest);
}

/* ---- one lane: its chunks in order */
static void sneppp__lane_run(size_t which, void *arg)
{
   sneppp__loss       *loss = (sneppp__loss *)arg;
   sneppp__lane       *lane = &loss->lane[which];
   const sneppp_model *model = loss->model;
   size_t              N = loss->size, D = (size_t)model->D, rows = loss->rows;
   double              own[SNEPPP__CHUNK], *weight = own, log_base[SNEPPP__CHUNK];
   if (!loss->at) memset(lane->flat, 0, lane->flat_count * sizeof *lane->flat);
   memset(&lane->error, 0, sizeof lane->error);
   for (size_t first = which * rows; first < N; first += loss->used * rows) {
      size_t B = N - first < rows ? N - first : rows;
      if (loss->narrow) lane->chunk.x = loss->x + first * D, weight = loss->weight + first;
      else if (sneppp__load_events(loss, first, B, lane->chunk.x, weight, &lane->error) != SNEPPP_OK) return;
      sneppp__base_log_densities(model, B, lane->chunk.x, log_base);
      sneppp__chunk_features(model, B, &lane->chunk);
      sneppp__chunk_loss(loss, lane, B, weight, log_base);
      for (int f = 0; loss->gradient > 1 && f < model->factors; f++) {
         sneppp__layer_pull(model, B, lane, f);
         if (model->layer[f].inside.space == SNEPPP_GAUSS) sneppp__measure_pull(model, lane, f, B, weight, log_base);
      }
   }
}

static sneppp_status sneppp__lane_errors(const sneppp__loss *loss, sneppp_error *err)
{
   for (size_t l = 0; l < loss->used; l++)
      if (loss->lane[l].error.status != SNEPPP_OK) {
         if (err) *err = loss->lane[l].error;
         return loss->lane[l].error.status;
      }
   return SNEPPP_OK;
}

/* All events of a pass, block by block; without active sets they are one block that is never loaded as a whole. */
static sneppp_status sneppp__loss_pass(sneppp__loss *loss, const sneppp_parallel *par, sneppp_error *err)
{
   size_t        N = loss->batch ? loss->batch : loss->count, rows = sneppp__chunk_rows(loss->model);
   sneppp_status st = SNEPPP_OK;
   size_t        chunks = N ? (N + rows - 1) / rows : 1; /* no events: lane 0 makes the zeros */
   loss->rows = rows;
   if (!loss->narrow) { /* chunks of one size, or few threads would wait for the last; in whole tiles of gemm */
      loss->rows = (N + chunks * SNEPPP__TILE_ROWS - 1) / (chunks * SNEPPP__TILE_ROWS) * SNEPPP__TILE_ROWS;
      if (loss->rows > rows || !N) loss->rows = rows;
   }
   loss->used = chunks <= 4    ? chunks
                : chunks <= 12 ? 4
                               : (chunks + 2) / 3; /* a lane costs as much as half a chunk to clear and add */
   if (loss->used > loss->lanes) loss->used = loss->lanes;
   for (loss->at = 0; st == SNEPPP_OK; loss->at += loss->size) {
      loss->size = N - loss->at;
      if (loss->narrow) {
         if (loss->size > rows * SNEPPP__BLOCK) loss->size = rows * SNEPPP__BLOCK;
         sneppp__run(par, sneppp__block_load, loss, loss->used);
         st = sneppp__lane_errors(loss, err);
         for (loss->pieces = 1; st == SNEPPP_OK && loss->pieces * rows < loss->size; loss->pieces *= 2)
            sneppp__run(par, sneppp__block_split, loss, loss->pieces);
      }
      if (st == SNEPPP_OK) sneppp__run(par, sneppp__lane_run, loss, loss->used);
      if (st == SNEPPP_OK) st = sneppp__lane_errors(loss, err);
      if (loss->at + loss->size >= N) break;
   }
   return st;
}

/* Adds a slice of the sums of all lanes to those of lane 0, in the order of the lanes. */
#define SNEPPP__SLICE 4096
static void sneppp__lane_slice(size_t slice, void *arg)
{
   sneppp__loss *loss = (sneppp__loss *)arg;
   size_t at = slice * SNEPPP__SLICE, count = loss->lane[0].flat_count - at < SNEPPP__SLICE
                                                 ? loss->lane[0].flat_count - at
                                                 : SNEPPP__SLICE;
   for (size_t l = 1; l < loss->used; l++) sneppp__long_add(count, 1, loss->lane[l].flat + at, loss->lane[0].flat + at);
}

/* ---- the integral: dL/dK and its way back through the mixing rule to K_f and c_f (see sneppp__mix_entry) */
static void sneppp__mix_pull_gram(const sneppp_model *model, const sneppp__grams *g, const double *G, int f,
                                  double *dK, double *dc)
{
   size_t n = (size_t)model->n, nf = (size_t)model->layer[f].n, first = 0;
   int    concatenates = sneppp__mix_concatenates(model->desc.mix);
   if (model->desc.mix == SNEPPP_MIX_PRODUCT) { /* entry by entry: the others' kernels times G */
      size_t size = nf * (g->diagonal ? 1 : nf);
      sneppp__long_product(size, 1, G, NULL, dK);
      for (int h = 0; h < model->factors; h++) if (h != f) sneppp__long_product(size, 1, dK, g->K[h], dK);
      return;
   }
   memset(dK, 0, nf * (g->diagonal ? 1 : nf) * sizeof *dK);
   memset(dc, 0, nf * sizeof *dc);
   for (int h = 0; h < f; h++) first += (size_t)model->layer[h].n;
   for (size_t i = 0; i < n; i++) {
      if (concatenates && (i < first || i >= first + nf)) continue;
      for (size_t j = g->diagonal ? i : 0; j < (g->diagonal ? i + 1 : n); j++) {
         double v = G[g->diagonal ? i : i * n + j];
         size_t a = i, b = j;
         if (v == 0) continue;
         if (concatenates) {
            if (j >= first && j < first + nf) {
               a -= first, b -= first;
               dK[g->diagonal ? a : a * nf + b] =
                  v * (model->desc.mix == SNEPPP_MIX_SEPARABLE ? 1 : sneppp__mix_mass(model, g, f, f));
            } else if (model->desc.mix == SNEPPP_MIX_STACK) {
               int h = 0;
               while (b >= (size_t)model->layer[h].n) b -= (size_t)model->layer[h++].n;
               dc[i - first] += (v + G[j * n + i]) * g->c[h][b] * sneppp__mix_mass(model, g, f, h);
            }
            continue;
         }
         if (model->desc.mix == SNEPPP_MIX_SUM) {
            dK[g->diagonal ? i : i * n + j] = v * sneppp__mix_mass(model, g, f, f);
            for (int h = 0; h < model->factors; h++)
               if (h != f)
                  dc[i] +=
                     (v + (g->diagonal ? v : G[j * n + i])) * g->c[h][j] * sneppp__mix_mass(model, g, f, h);
            continue;
         }
         for (int h = model->factors; h-- > 0;) { /* product and outer product */
            size_t nh = (size_t)model->layer[h].n, ah = i, bh = j;
            if (model->desc.mix == SNEPPP_MIX_OUTER) {
               size_t after = 1;
               for (int e = h + 1; e < model->factors; e++) after *= (size_t)model->layer[e].n;
               ah = i / after % nh, bh = j / after % nh;
            }
            if (h == f) a = ah, b = bh;
            else v *= sneppp__factor_entry(model, g, h, ah, bh);
         }
         dK[g->diagonal ? a : a * nf + b] += v;
      }
   }
}

/* tr(M_k K_k) of every readout, and their product without one of them (separable intensities). */
static double sneppp__other_integrals(const sneppp_model *model, const sneppp__grams *g, int k, double *const *M)
{
   double p = 1;
   for (int j = 0; model->desc.mix == SNEPPP_MIX_SEPARABLE && j < model->readouts; j++)
      if (j != k) p *= sneppp__readout_integral(model, g, j, M[j]);
   return p;
}

/* G = dL/dK = alpha M */
static void sneppp__watch_weights(sneppp__loss *loss, const sneppp__watch *w)
{
   const sneppp_model *model = loss->model;
   size_t              n = (size_t)model->n;
   if (model->readouts > 1) memset(loss->G, 0, n * (w->g.diagonal ? 1 : n) * sizeof *loss->G);
   for (int k = 0; k < model->readouts; k++) {
      const sneppp_readout_state *R = &model->readout[k];
      size_t nk = (size_t)R->n, at = (size_t)R->first;
      double scale = model->alpha * sneppp__other_integrals(model, &w->g, k, loss->MM);
      if (w->g.diagonal) {
         for (size_t i = 0; i < nk; i++) loss->G[at + i] = scale * (double)R->V[i] * (double)R->V[i];
      } else {
         for (size_t i = 0; i < nk; i++)
            sneppp__long_product(nk, scale, loss->MM[k] + i * nk, NULL, loss->G + (at + i) * n + at);
      }
   }
}

/* From dL/dK_f = scale G to the parameters of factor f in the units of the closed forms: dW, db, dwidth, dmean. K: if
   not NULL, it receives K_f, which comes from the same walk over the pairs. */
static sneppp_status sneppp__factor_pull(sneppp__loss *loss, sneppp__watch *w, int f, const double *G, double scale,
                                         double *K, const sneppp_parallel *par, sneppp_error *err)
{
   const sneppp_layer_state *L = &loss->model->layer[f];
   size_t nf = (size_t)L->n, d = (size_t)L->d, parts = L->inside.space == SNEPPP_GAUSS ? L->inside.count : 0;
   sneppp_layer_grad out;
   sneppp_status     st;
   memset(&out, 0, sizeof out);
   memset(loss->dW, 0, nf * d * sizeof *loss->dW);
   memset(loss->db, 0, nf * sizeof *loss->db);
   memset(loss->dwidth, 0, nf * d * sizeof *loss->dwidth);
   memset(loss->dmean, 0, parts * (2 * d + 1) * sizeof *loss->dmean);
   out.W = loss->dW, out.b = loss->db, out.width = L->width ? loss->dwidth : NULL;
   if (parts) out.mean = loss->dmean, out.scale = loss->dmean + parts * d, out.weight = loss->dmean + 2 * parts * d;
   st = w->g.diagonal ? sneppp__gram_diagonal_grad(&w->inside[f], &w->layer[f], G, &out, err)
                      : sneppp__gram(&w->inside[f], &w->layer[f], 0, K, G, scale, &out, loss->parts, par, err);
   if (st == SNEPPP_OK && w->g.c[f]) st = sneppp_moments_grad(&w->inside[f], &w->layer[f], loss->dc, &out, err);
   return st;
}

/* Adds what sneppp__factor_pull has found to the gradient, in the units of the model. */
static void sneppp__factor_add(sneppp__loss *loss, sneppp__watch *w, int f, sneppp_grad *grad)
{
   const sneppp_model       *model = loss->model;
   const sneppp_layer_state *L = &model->layer[f];
   size_t nf = (size_t)L->n, d = (size_t)L->d, parts = L->inside.space == SNEPPP_GAUSS ? L->inside.count : 0;
   for (size_t i = 0; i < nf; i++) {
      if (grad->b[f] && !L->width) grad->b[f][i] += loss->db[i];
      for (size_t r = 0; r < d; r++) {
         if (grad->W[f])
            grad->W[f][i * d + r] += L->width ? loss->dW[i * d + r] / L->rate[r] : loss->dW[i * d + r] * L->rate[r];
         if (grad->width[f] && L->width) grad->width[f][i * d + r] += loss->dwidth[i * d + r] / L->rate[r];
      }
   }
   for (size_t i = 0; i < parts * d; i++) {
      if (grad->mean[f]) grad->mean[f][i] += loss->dmean[i];
      if (grad->scale[f]) grad->scale[f][i] += loss->dmean[parts * d + i];
   }
   if (parts && grad->weight[f]) { /* the weights are in K_f and in the mass, in which Lambda is affine */
      double slope = model->floor;
      if (model->factors > 1) {
         double before = sneppp__integral(model, &w->g, loss->MM[0] ? loss->MM : NULL);
         w->g.mass[f] += 1;
         slope = sneppp__integral(model, &w->g, loss->MM[0] ? loss->MM : NULL) - before;
         w->g.mass[f] -= 1;
      }
      for (size_t i = 0; i < parts; i++) grad->weight[f][i] += loss->dmean[2 * parts * d + i] + slope;
   }
}

/* Adds the part of the gradient that comes through K of one realisation. */
static sneppp_status sneppp__watch_pull(sneppp__loss *loss, sneppp__watch *w, sneppp_grad *grad,
                                        const sneppp_parallel *par, sneppp_error *err)
{
   sneppp__watch_weights(loss, w);
   for (int f = 0; f < loss->model->factors; f++) {
      sneppp_status st;
      sneppp__mix_pull_gram(loss->model, &w->g, loss->G, f, loss->dK, loss->dc);
      st = sneppp__factor_pull(loss, w, f, loss->dK, 1, NULL, par, err);
      if (st != SNEPPP_OK) return st;
      sneppp__factor_add(loss, w, f, grad);
   }
   return SNEPPP_OK;
}

/* dL/dV of one readout: dV += 2 V A with A = alpha K - scale S, K summed over the realisations. First the rows of A,
   then those of dV, some at a time; float products of A in float, whose differences were taken in double. */
typedef struct sneppp__rows_job {
   sneppp__loss      *loss;
   int                k;
   size_t             m, n;
   double             scale;
   double            *A, *dV;
   sneppp_real       *a, *out; /* A and the product in float; float build only */
} sneppp__rows_job;

static void sneppp__readout_weights(size_t block, void *arg)
{
   const sneppp__rows_job *job = (const sneppp__rows_job *)arg;
   const sneppp__loss     *loss = job->loss;
   size_t  n = job->n, i0 = block * SNEPPP__ROW_BLOCK, end = n - i0 < SNEPPP__ROW_BLOCK ? n : i0 + SNEPPP__ROW_BLOCK;
   double *S = loss->lane[0].S[job->k], row[SNEPPP_MAX_WIDTH];
   for (size_t j = i0; loss->through_M && j < n; j++) /* S has its lower triangle only */
      for (size_t i = i0; i < end && i < j; i++) S[i * n + j] = S[j * n + i];
   for (size_t i = i0; i < end; i++) {
      if (loss->through_M) sneppp__long_product(n, -job->scale, S + i * n, NULL, job->A + i * n);
      else memset(job->A + i * n, 0, n * sizeof *job->A);
   }
   for (size_t r = 0; r < loss->realisations; r++) {
      const sneppp__grams *g = &loss->watch[r].g;
      double               a = loss->model->alpha * sneppp__other_integrals(loss->model, g, job->k, loss->MM);
      for (size_t i = i0; i < end; i++) {
         sneppp__mix_row(loss->model, g, (size_t)loss->model->readout[job->k].first, i, n, row);
         sneppp__long_add(n, a, row, job->A + i * n);
      }
   }
   for (size_t i = i0 * n; job->a && i < end * n; i++) job->a[i] = (sneppp_real)job->A[i];
}

static void sneppp__readout_rows(size_t block, void *arg)
{
   const sneppp__rows_job *job = (const sneppp__rows_job *)arg;
   size_t at = block * SNEPPP__ROW_BLOCK, n = job->n,
          rows = job->m - at < SNEPPP__ROW_BLOCK ? job->m - at : SNEPPP__ROW_BLOCK;
   const sneppp_real *V = job->loss->model->readout[job->k].V + at * n;
#ifdef SNEPPP_REAL_FLOAT
   sneppp__gemm(0, 0, rows, n, n, 2, V, n, job->a, n, 0, job->out + at * n, n);
   sneppp__join(rows * n, 1, job->out + at * n, job->dV + at * n);
#else
   sneppp__gemm(0, 0, rows, n, n, 2, V, n, job->A, n, 1, job->dV + at * n, n);
#endif
}

static void sneppp__readout_pull(sneppp__loss *loss, int k, double scale, double *dV, const sneppp_parallel *par)
{
   const sneppp_model         *model = loss->model;
   const sneppp_readout_state *R = &model->readout[k];
   const double               *S = loss->lane[0].S[k];
   sneppp__rows_job            job;
   memset(&job, 0, sizeof job);
   job.loss = loss, job.k = k, job.n = (size_t)R->n, job.m = (size_t)R->m, job.scale = scale, job.A = loss->G,
   job.dV = dV;
   if (sizeof(sneppp_real) < sizeof(double)) job.a = loss->lane[0].sum, job.out = loss->lane[1].sum;
   if (model->desc.readout == SNEPPP_READOUT_DIAGONAL) {
      for (size_t i = 0; i < job.n; i++) dV[i] -= 2 * (double)R->V[i] * scale * S[i];
      for (size_t r = 0; r < loss->realisations; r++) {
         const sneppp__grams *g = &loss->watch[r].g;
         double               a = 2 * model->alpha * sneppp__other_integrals(model, g, k, loss->MM);
         for (size_t i = 0, at = (size_t)R->first; i < job.n; i++)
            dV[i] += a * (double)R->V[i] * sneppp__mix_entry(model, g, at + i, at + i);
      }
      return;
   }
   if (!loss->through_M) sneppp__long_add(job.m * job.n, -2 * scale, S, dV);
   sneppp__run(par, sneppp__readout_weights, &job, (job.n + SNEPPP__ROW_BLOCK - 1) / SNEPPP__ROW_BLOCK);
   sneppp__run(par, sneppp__readout_rows, &job, (job.m + SNEPPP__ROW_BLOCK - 1) / SNEPPP__ROW_BLOCK);
}

/* The events' part of the gradients of the hidden layer and the measure, reduced into lane 0. */
static void sneppp__layer_sums(const sneppp__loss *loss, double scale, sneppp_grad *grad)
{
   const sneppp_model *model = loss->model;
   const sneppp__lane *sum = &loss->lane[0];
   for (int f = 0; f < model->factors; f++) {
      const sneppp_layer_state *L = &model->layer[f];
      size_t n = (size_t)L->n, d = (size_t)L->d, parts = L->inside.space == SNEPPP_GAUSS ? L->inside.count : 0;
      for (size_t i = 0; grad->W[f] && i < n * d; i++) grad->W[f][i] += scale * sum->W[f][i];
      for (size_t i = 0; grad->b[f] && !L->width && i < n; i++) grad->b[f][i] += scale * sum->b[f][i];
      for (size_t i = 0; grad->width[f] && L->width && i < n * d; i++) grad->width[f][i] += scale * sum->width[f][i];
      for (size_t i = 0; grad->weight[f] && i < parts; i++) grad->weight[f][i] += scale * sum->weight[f][i];
      for (size_t i = 0; grad->mean[f] && i < parts * d; i++) grad->mean[f][i] += scale * sum->mean[f][i];
      for (size_t i = 0; grad->scale[f] && i < parts * d; i++) grad->scale[f][i] += scale * sum->scale[f][i];
   }
}

/* ---- the whole: value and gradient for the current parameters. c is the carver that placed the loss, whose
   memory is filled anew. Without log N!, which depends on nothing; expected receives Lambda. */
static sneppp_status sneppp__loss_eval(sneppp__loss *loss, unsigned char *base, double *value,
                                       double *expected, sneppp_grad *grad, const sneppp_parallel *par,
                                       sneppp_error *err)
{
   const sneppp_model *model = loss->model;
   sneppp__carver      c = sneppp__measure();
   double              scale = loss->batch ? (double)loss->count / (double)loss->batch : 1, Lambda = 0, mass = 0, *s;
   sneppp_status       st = SNEPPP_OK;
   /* One factor, one realisation: dL/dK = alpha M does not wait for K, so both ways through K are walked at once. */
   int at_once = loss->gradient > 1 && loss->realisations == 1 && model->factors == 1 &&
                 model->desc.readout == SNEPPP_READOUT_FULL && sneppp__own_factor(model) < 0;
   c.base = base;
   sneppp__place_loss(&c, loss);
   for (int k = 0; loss->MM[0] && k < model->readouts; k++) {
      const sneppp_readout_state *R = &model->readout[k];
      sneppp__readout_matrix(R, loss->wide, loss->MM[k], sizeof(sneppp_real) < sizeof(double) ? loss->M[k] : NULL, par);
   }
   for (size_t r = 0; r < loss->realisations; r++) {
      double part = 1;
      if (at_once) {
         st = sneppp__factor_pull(loss, loss->watch, 0, loss->MM[0], model->alpha, loss->watch->g.K[0], par, err);
         loss->watch->g.mass[0] = sneppp_window_mass(&loss->watch->inside[0]);
      } else st = sneppp__watch_grams(model, &loss->watch[r], par, err);
      if (st != SNEPPP_OK) return st;
      Lambda += sneppp__integral(model, &loss->watch[r].g, loss->MM[0] ? loss->MM : NULL);
      for (int f = 0; f < model->factors; f++) part *= loss->watch[r].g.mass[f];
      mass += part;
   }
   st = sneppp__loss_pass(loss, par, err);
   if (st != SNEPPP_OK) return st;
   sneppp__run(par, sneppp__lane_slice, loss, (loss->lane[0].flat_count + SNEPPP__SLICE - 1) / SNEPPP__SLICE);
   s = loss->lane[0].scalar;
   *value = Lambda - scale * s[0];
   if (expected) *expected = Lambda;
   if (!sneppp__finite(*value)) return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "the likelihood is not finite");
   if (!grad) return SNEPPP_OK;
   if (grad->floor) *grad->floor += mass - scale * s[1];
   if (grad->alpha) *grad->alpha += (Lambda - model->floor * mass) / model->alpha - scale * s[2];
   if (loss->gradient > 1) {
      sneppp__layer_sums(loss, scale, grad);
      if (at_once) sneppp__factor_add(loss, loss->watch, 0, grad);
      for (size_t r = 0; !at_once && r < loss->realisations && st == SNEPPP_OK; r++)
         st = sneppp__watch_pull(loss, &loss->watch[r], grad, par, err);
   }
   for (int k = 0; st == SNEPPP_OK && k < model->readouts; k++)
      if (grad->V[k]) sneppp__readout_pull(loss, k, scale, grad->V[k], par);
   return st;
}

/* Checks what does not need a pass over the events, and counts them. */
static sneppp_status sneppp__realisations_check(const sneppp_model *model, const sneppp_events *events,
                                                size_t realisations, size_t *count, sneppp_error *err)
{
   sneppp_error  inner;
   sneppp_status st;
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (!events) return sneppp__fail(err, SNEPPP_ERR_ARG, "events is NULL");
   *count = 0;
   for (size_t r = 0; r < realisations; r++) {
      st = sneppp__events_check(model, &events[r], &inner);
      if (st != SNEPPP_OK)
         return realisations > 1 ? sneppp__fail(err, st, "realisation %z: %s", r, inner.why)
                                 : sneppp__fail(err, st, "%s", inner.why);
      for (int f = 0; events[r].seen && f < model->factors; f++) {
         if (!events[r].seen->factor[f]) continue;
         st = sneppp__region_check(model, f, events[r].seen->factor[f], err);
         if (st != SNEPPP_OK) return st;
      }
      if (events[r].count > SIZE_MAX - *count)
         return sneppp__fail(err, SNEPPP_ERR_SIZE, "there are more events than size_t can count");
      *count += events[r].count;
   }
   return SNEPPP_OK;
}

/* sum over the realisations of log N!, with the sum of the weights in place of N. */
static double sneppp__log_factorials(const sneppp_events *events, size_t realisations)
{
   double sum = 0;
   for (size_t r = 0; r < realisations; r++) {
      double N = (double)events[r].count;
      if (events[r].weight) for (size_t i = (size_t)(N = 0); i < events[r].count; i++) N += (double)events[r].weight[i];
      sum += sneppp__lgamma(N + 1);
   }
   return sum;
}

static sneppp_status sneppp__nll(const sneppp_model *model, const sneppp_events *events, size_t realisations,
                                 double *nll, double *expected, sneppp_grad *grad, const sneppp_parallel *par,
                                 sneppp_error *err)
{
   sneppp__loss   loss;
   sneppp__carver c = sneppp__measure();
   sneppp__block  block;
   sneppp_status  st;
   memset(&loss, 0, sizeof loss);
   if (!realisations) realisations = 1;
   st = sneppp__realisations_check(model, events, realisations, &loss.count, err);
   if (st != SNEPPP_OK) return st;
   if (!nll) return sneppp__fail(err, SNEPPP_ERR_ARG, "nll is NULL");
   loss.model = model, loss.events = events, loss.realisations = realisations;
   loss.gradient = grad ? 1 : 0;
   for (int f = 0; grad && f < model->factors; f++)
      if (grad->W[f] || grad->b[f] || grad->width[f] || grad->weight[f] || grad->mean[f] || grad->scale[f])
         loss.gradient = 2;
   sneppp__place_loss(&c, &loss);
   st = sneppp__block_get(&block, &c, NULL, 0, model->desc.alloc_ctx, err);
   if (st != SNEPPP_OK) return st;
   {
      double value = 0;
      st = sneppp__loss_eval(&loss, c.base, &value, expected, grad, par, err);
      if (st == SNEPPP_OK) *nll = value;
   }
   sneppp__block_free(&block);
   return st;
}

SNEPPP_DEF sneppp_status sneppp_nll(const sneppp_model *model, const sneppp_events *events,
                                    size_t realisations, double *nll, sneppp_grad *grad,
                                    const sneppp_parallel *par, sneppp_error *err)
{
   sneppp_status st = sneppp__nll(model, events, realisations, nll, NULL, grad, par, err);
   if (st == SNEPPP_OK) *nll += sneppp__log_factorials(events, realisations ? realisations : 1);
   return st;
}

/* Given the number of events: -sum log(lambda(x_i) / Lambda), which does not see alpha (equation 2). */
SNEPPP_DEF sneppp_status sneppp_conditional_nll(const sneppp_model *model, const sneppp_events *events,
                                                size_t realisations, double *nll, const sneppp_parallel *par,
                                                sneppp_error *err)
{
   double total = 0;
   if (!realisations) realisations = 1;
   for (size_t r = 0; events && r < realisations; r++) { /* each realisation has a Lambda of its own */
      double        value = 0, expected = 0, N = (double)events[r].count;
      sneppp_status st = sneppp__nll(model, &events[r], 1, &value, &expected, NULL, par, err);
      if (st != SNEPPP_OK) return st;
      if (events[r].weight) for (size_t i = (size_t)(N = 0); i < events[r].count; i++) N += (double)events[r].weight[i];
      total += value - expected + (N > 0 ? N * log(expected) : 0);
   }
   if (!events || !nll) return sneppp__fail(err, SNEPPP_ERR_ARG, "events or nll is NULL");
   *nll = total;
   return SNEPPP_OK;
}

/* ---- judging a model */

/* Splits events into two independent processes: event i is kept, keep[i] = 1, with probability p. The kept ones
   have the intensity p lambda, so a model fitted to them is tested on the others with the scale (1 - p) / p. */
SNEPPP_DEF size_t sneppp_thin(size_t count, double p, uint64_t seed, unsigned char *keep)
{
   sneppp_rng rng;
   size_t     kept = 0;
   sneppp_rng_init(&rng, seed, 77);
   for (size_t i = 0; i < count; i++) kept += keep[i] = (unsigned char)(sneppp_rng_uniform(&rng) < p);
   return kept;
}

/* Per event, the joint negative log-likelihood of events that were not used for the fit, under scale * lambda:
   -[sum log(scale lambda(x_i)) - scale Lambda - log n!] / n. */
SNEPPP_DEF sneppp_status sneppp_test_nll(const sneppp_model *model, const sneppp_events *events,
                                         size_t realisations, double scale, double *nll,
                                         const sneppp_parallel *par, sneppp_error *err)
{
   double        value = 0, expected = 0, n = 0;
   sneppp_status st;
   if (!realisations) realisations = 1;
   if (!sneppp__finite(scale) || !(scale > 0))
      return sneppp__fail(err, SNEPPP_ERR_ARG, "scale = %g must be positive", scale);
   st = sneppp__nll(model, events, realisations, &value, &expected, NULL, par, err);
   if (st != SNEPPP_OK) return st;
   for (size_t r = 0; r < realisations; r++) n += (double)events[r].count;
   if (!(n > 0)) return sneppp__fail(err, SNEPPP_ERR_DATA, "there are no events to test with");
   *nll = (value - expected + scale * expected - n * log(scale) + sneppp__log_factorials(events, realisations)) / n;
   return SNEPPP_OK;
}

/* The same with Lambda estimated from uniform points in the window, as methods without closed form must do. */
SNEPPP_DEF sneppp_status sneppp_test_nll_monte_carlo(const sneppp_model *model, const sneppp_events *events,
                                                     double scale, size_t points, uint64_t seed, double *nll,
                                                     sneppp_error *err)
{
   double        exact = 0, expected = 0, sum = 0, mass = 1, n;
   sneppp_rng    rng;
   sneppp_status st = sneppp_test_nll(model, events, 1, scale, &exact, NULL, err);
   if (st == SNEPPP_OK) st = sneppp_count(model, events->seen, &expected, err);
   if (st != SNEPPP_OK) return st;
   if (!points) return sneppp__fail(err, SNEPPP_ERR_ARG, "points is 0");
   n = (double)events->count;
   sneppp_rng_init(&rng, seed, 78);
   for (size_t i = 0; i < points; i++) {
      sneppp_real x[SNEPPP_MAX_FACTORS * SNEPPP__MAX_STATS];
      for (int f = 0; f < model->factors; f++) {
         const sneppp_window *w =
            events->seen && events->seen->factor[f] ? events->seen->factor[f] : &model->desc.factor[f].window;
         double               y[SNEPPP__MAX_STATS];
         if (!sneppp_window_draw(w, &rng, y))
            return sneppp__fail(err, SNEPPP_ERR_ARG, "factor[%d]: points cannot be drawn uniformly from %s",
                                f, sneppp__space_name(w->space));
         if (!i) mass *= sneppp_window_mass(w);
         for (int r = 0; r < model->layer[f].D; r++) x[model->layer[f].first + r] = (sneppp_real)y[r];
      }
      sum += sneppp__intensity(model, x); /* with respect to the measure that was drawn from */
   }
   *nll = exact + scale * (mass * sum / (double)points - expected) / n;
   return SNEPPP_OK;
}

/* Root of the mean squared difference from a known intensity at uniform points of the window. */
SNEPPP_DEF sneppp_status sneppp_rmse(const sneppp_model *model,
                                     double (*truth)(const sneppp_real *x, void *user), void *user,
                                     size_t points, uint64_t seed, double *rmse, sneppp_error *err)
{
   double     sum = 0;
   sneppp_rng rng;
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (!truth || !points || !rmse) return sneppp__fail(err, SNEPPP_ERR_ARG, "truth, points and rmse must not be 0");
   sneppp_rng_init(&rng, seed, 79);
   for (size_t i = 0; i < points; i++) {
      sneppp_real x[SNEPPP_MAX_FACTORS * SNEPPP__MAX_STATS];
      double      e;
      for (int f = 0; f < model->factors; f++) {
         double y[SNEPPP__MAX_STATS];
         if (!sneppp_window_draw(&model->desc.factor[f].window, &rng, y))
            return sneppp__fail(err, SNEPPP_ERR_ARG, "factor[%d]: points cannot be drawn uniformly from it",
                                f);
         for (int r = 0; r < model->layer[f].D; r++) x[model->layer[f].first + r] = (sneppp_real)y[r];
      }
      e = (double)sneppp_intensity(model, x) - truth(x, user);
      sum += e * e;
   }
   *rmse = sqrt(sum / (double)points);
   return SNEPPP_OK;
}

/* The shortest run of counts [lo, hi] with P(N < lo) <= (1 - level)/2 and P(N > hi) <= (1 - level)/2 for N ~
   Poisson(mean). Probabilities are summed outwards from the mode, so that nothing underflows for large means. */
SNEPPP_DEF void sneppp_poisson_interval(double mean, double level, uint64_t *lo, uint64_t *hi)
{
   double tail = 0.5 * (1 - level), p, mode, at, below = 0, above = 0, reach;
   *lo = *hi = 0;
   if (!sneppp__finite(mean) || !(mean > 0) || !(level > 0 && level < 1)) return;
   mode = floor(mean);
   p = exp(mode * log(mean) - mean - sneppp__lgamma(mode + 1));
   reach = 40 * sqrt(mean) + 60;
   for (at = mode, above = 0; at < mode + reach; at++, p *= mean / at)
      above += p; /* P(N >= mode) up to a negligible rest */
   p = exp(mode * log(mean) - mean - sneppp__lgamma(mode + 1));
   below = 1 - above; /* P(N < mode) */
   if (below < 0) below = 0;
   for (at = mode; at > 0 && below > tail; at--) { p *= at / mean; below -= p; }
   *lo = (uint64_t)at;
   p = exp(mode * log(mean) - mean - sneppp__lgamma(mode + 1));
   for (at = mode, above -= p; above > tail; above -= p) { at++; p *= mean / at; }
   *hi = (uint64_t)at;
}

/* >>fit ======================================================================================================
   From events to parameters. */
/* ---- the convex problem: the hidden layer is fixed, the readout is M = V'V - eps1 I >= 0 (SNEPPP_CONVEX, SNEPPP_PGD).

   With W = sum of the weights, w_i the weights divided by W, and per event, up to constants, we minimise

      C(M) = tr(M A) + eps2/2 |M|_F^2 - sum_i w_i log l_i,      A = alpha K / W + trace I,                    (a)
      l_i  = psi_i'M psi_i + phi_i,    phi_i = eps1 |psi_i|^2 + floor/alpha,    lambda_i = alpha l_i.

   alpha cancels in the gradient of the logarithm. In coordinates z = B'psi, M = B X B', with B'A B = diag(a), the
   linear term becomes sum_i a_i X_ii; without eps2, a = 1 (whitening). (a) is then maximum likelihood
   tomography of a quantum state: few dimensions are used (the optimum of 3604 trees and 200 units has rank 8),
   so X = U U' with a thin U (r, p), minimised by L-BFGS, costs 4 N r p flops per step where a method with X needs
   3 N r^2 and an eigenvalue problem. The factor makes the problem nonconvex; that the answer is still the global
   optimum is not believed but proved each time, by the certificate:

   Certificate. For l > 0 and any y > 0, -w log l >= w + w log(y/w) - y l. Hence for all M >= 0

      C(M) >= tr(M (A - sum y_i psi_i psi_i')) + eps2/2 |M|^2 - sum y_i phi_i + sum w_i (1 + log(y_i / w_i)).

   Take y_i = w_i / (tau l_i) from any current M, and S = sum_i w_i psi_i psi_i' / l_i. The first two terms are least
   for M = [S/tau - A]_+ / eps2, and 0 if eps2 = 0 and tau >= lambda_max(A^-1/2 S A^-1/2). So C is certainly within

      gap(tau) = tr(M A) + eps2/2 |M|^2 - 1 + log tau + c / tau + |[S/tau - A]_+|_F^2 / (2 eps2),             (b)

   c = sum_i w_i phi_i / l_i, of the optimum. With phi = 0, eps2 = 0 and tr(M A) = 1 this is log tau, the N log(tau) of
   tomography. For eps2 = 0 the best tau is max(lambda_max, c); with eps2 > 0 tau = 1 becomes exact at the optimum.
   Block- diagonal M (ADDITIVE) takes the largest lambda_max of its blocks, diagonal M the largest S_jj / A_jj. The
   lower bounds C - gap hold whatever M they came from; the best one is kept. lambda_max is the proven upper bound of
   >>linalg.

   K of smooth features is numerically singular: 200 random cosines span about 110 dimensions. Directions with less
   than SNEPPP__SPAN of the largest variance are left at M = 0, report.dropped counts them, and the certificate is that
   of the problem without them. With eps2 or trace no direction is dropped, as the penalty bounds M in all of them. */
#ifdef SNEPPP_REAL_FLOAT
   #define SNEPPP__SPAN 1e-7  /* float features carry errors of 6e-8, which whitening multiplies by SPAN^-1/2 */
#else
   #define SNEPPP__SPAN 1e-10
#endif
#define SNEPPP__STORE ((size_t)256 << 20) /* bytes of features kept; more events than that are read in every pass */
#define SNEPPP__TINY_L 1e-300             /* stands for l = 0: an event that the features cannot see              */

typedef struct sneppp__cone { /* one readout and its coordinates z = B'psi[pick] */
   int     which;        /* readout                                                                      */
   size_t  n, first;     /* features of the readout, and the model's number of the first                 */
   size_t  g, r;         /* features picked, coordinates                                                 */
   size_t  at;           /* its columns of Z: at .. at + r - 1                                           */
   size_t  p;            /* columns of U                                                                 */
   size_t  x, S;         /* where U (or X) and S start in the arrays of all cones                        */
   double *K;            /* (n, n); diagonal readout: (n)                                                */
   size_t *pick;         /* (n)                                                                          */
   double *B;            /* (g, r) row-major; diagonal: none, z = s psi                                  */
   double *s, *a;        /* (r) |M|_F^2 = sum s_i^2 s_j^2 X_ij^2; linear coefficients                    */
} sneppp__cone;

typedef enum sneppp__convex_mode {
   SNEPPP__AT_IDENTITY,
   SNEPPP__AT_FACTOR,
   SNEPPP__AT_MATRIX,
   SNEPPP__AT_DIAGONAL
} sneppp__convex_mode;

typedef struct sneppp__convex_lane {
   double *z, *scaled;   /* (rows, R) */
   double *gather;       /* (rows, n) */
   double *y;            /* (rows, p or r) */
   double *w, *phi;      /* (rows) */
   double *sum;          /* (sums) */
} sneppp__convex_lane;

typedef struct sneppp__convex {
   const sneppp_model    *model;
   const sneppp_fit_desc *desc;
   sneppp__loss           loss;          /* only its events and chunks are used                              */
   int                    pgd, diagonal, cones;
   sneppp__cone           cone[SNEPPP_MAX_FACTORS];
   double                 alpha, eps1, eps2, trace, tol, floor, mass, total, base;
   size_t                 steps, R, rows, lanes, rank, dropped;
   int                    stored;        /* events in memory whose coordinates fit into SNEPPP__STORE        */
   double                *Z, *w, *phi;   /* (N, R), (N), (N) if stored                                       */
   sneppp__convex_lane    lane[SNEPPP__LANES];
   /* what a pass does, and its sums */
   sneppp__convex_mode    mode;
   const double          *x;
   int                    want_S, want_base, fill;
   size_t                 x_size, S_size, sums;
   double                *G, *S;         /* in the sums of lane 0                                            */
   double                 logs, c, seen; /* sum w log l, sum w phi / l, sum w of events with l > 0           */
   double                 f, linear, penalty;
   double                 bound, gap;    /* best lower bound of C; f - bound                                 */
   double                 tau;
   double                *top, *work;    /* (R) eigenvector of lambda_max; scratch of the certificate        */
   size_t                 top_cone;
   sneppp_report          now;
   double                 start;
} sneppp__convex;

/* ---- checks. Nothing has been changed when they fail. */
static sneppp_status sneppp__not_negative(double v, const char *name, int none, sneppp_error *err)
{
   if (none && v == SNEPPP_NONE) return SNEPPP_OK;
   if (!sneppp__finite(v) || v < 0)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "fit.%s = %g must be finite and not negative", name, v);
   return SNEPPP_OK;
}

static sneppp_status sneppp__convex_check(const sneppp_model *model, const sneppp_fit_desc *desc,
                                          sneppp__convex *cx, sneppp_error *err)
{
   int           separable = model->desc.mix == SNEPPP_MIX_SEPARABLE && model->readouts > 1;
   size_t        realisations = desc->realisations ? desc->realisations : 1;
   sneppp_status st;
   if ((st = sneppp__not_negative(desc->tol, "tol", 1, err)) != SNEPPP_OK) return st;
   if ((st = sneppp__not_negative(desc->eps1, "eps1", 1, err)) != SNEPPP_OK) return st;
   if ((st = sneppp__not_negative(desc->eps2, "eps2", 1, err)) != SNEPPP_OK) return st;
   if ((st = sneppp__not_negative(desc->trace, "trace", 1, err)) != SNEPPP_OK) return st;
   if ((st = sneppp__not_negative(desc->floor, "floor", 1, err)) != SNEPPP_OK) return st;
   if (desc->floor > 1)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "fit.floor = %g is a share of the events and cannot exceed 1",
                          desc->floor);
   cx->pgd = desc->method == SNEPPP_PGD;
   cx->diagonal = model->desc.readout == SNEPPP_READOUT_DIAGONAL;
   cx->tol = desc->tol != 0 ? desc->tol : 1e-4; /* SNEPPP_NONE is below any gap */
   cx->steps = desc->steps ? desc->steps : cx->pgd ? 20000 : 2000;
   cx->eps1 = desc->eps1 > 0 ? desc->eps1 : desc->eps1 < 0 || !cx->pgd ? 0 : 1e-3;
   cx->eps2 = desc->eps2 > 0 ? desc->eps2 : 0;
   cx->trace = desc->trace > 0 ? desc->trace : 0;
   cx->floor = desc->floor > 0 ? desc->floor : 0; /* the share, until the window's mass is known */
   if (cx->pgd && !(cx->eps1 > 0))
      return sneppp__fail(err, SNEPPP_ERR_ARG,
                          "fit.eps1 must be positive for PGD: its step is 1/(eps2 + 1/eps1^2)");
   for (int k = 0; cx->eps1 > 0 && !cx->diagonal && k < model->readouts; k++)
      if (model->readout[k].m < model->readout[k].n)
         return sneppp__fail(
            err, SNEPPP_ERR_ARG,
            "fit.eps1 = %g makes V'V of full rank, but desc.rank = %d is less than the %d features", cx->eps1,
            model->readout[k].m, model->readout[k].n);
   if (!separable) return SNEPPP_OK;
   if (cx->floor > 0 || cx->eps1 > 0 || cx->eps2 > 0 || cx->trace > 0)
      return sneppp__fail(
         err, SNEPPP_ERR_ARG,
         "fit.%s must be 0 for a separable model: only then does its problem split into convex ones",
         cx->floor > 0  ? "floor"
         : cx->eps1 > 0 ? "eps1"
         : cx->eps2 > 0 ? "eps2"
                        : "trace");
   for (size_t r = 0; r < realisations; r++)
      if (realisations > 1 && desc->events[r].seen)
         return sneppp__fail(err, SNEPPP_ERR_ARG,
                             "events[%z].seen: a separable model with several realisations splits only if "
                             "all watched the whole window",
                             r);
   return SNEPPP_OK;
}

/* ---- K, summed over what the realisations watched */
static void sneppp__cone_add_gram(const sneppp__convex *cx, const sneppp__cone *q, const sneppp__grams *g)
{
   for (size_t i = 0; i < q->n; i++) {
      if (cx->diagonal) { q->K[i] += sneppp__mix_entry(cx->model, g, q->first + i, q->first + i); continue; }
      for (size_t j = 0; j <= i; j++) {
         double v = sneppp__mix_entry(cx->model, g, q->first + i, q->first + j);
         q->K[i * q->n + j] += v;
         if (i != j) q->K[j * q->n + i] += v;
      }
   }
}

static sneppp_status sneppp__convex_grams(sneppp__convex *cx, sneppp_error *err)
{
   const sneppp_model *model = cx->model;
   int                 separable = model->desc.mix == SNEPPP_MIX_SEPARABLE && model->readouts > 1;
   cx->mass = 0;
   for (int k = 0; k < cx->cones; k++)
      memset(cx->cone[k].K, 0, cx->cone[k].n * (cx->diagonal ? 1 : cx->cone[k].n) * sizeof(double));
   for (size_t r = 0; r < cx->loss.realisations; r++) {
      sneppp__watch  watch;
      sneppp__block  block;
      sneppp__carver c = sneppp__measure();
      double         mass = 1;
      sneppp_status  st = SNEPPP_OK;
      sneppp__place_watch(&c, model, cx->loss.events[r].seen, &watch);
      st = sneppp__block_get(&block, &c, NULL, 0, model->desc.alloc_ctx, err);
      if (st != SNEPPP_OK) return st;
      sneppp__place_watch(&c, model, cx->loss.events[r].seen, &watch);
      st = sneppp__watch_grams(model, &watch, &cx->desc->parallel, err);
      for (int k = 0; st == SNEPPP_OK && k < cx->cones && !(separable && r); k++)
         sneppp__cone_add_gram(cx, &cx->cone[k], &watch.g);
      for (int f = 0; f < model->factors; f++) mass *= watch.g.mass[f];
      sneppp__block_free(&block);
      if (st != SNEPPP_OK) return st;
      cx->mass += mass;
   }
   return SNEPPP_OK;
}

/* ---- coordinates */

/* B = L^-T for A[pick, pick] = L L', so that B'A B = I: column i of B solves L'b = e_i. */
static sneppp_status sneppp__cone_by_cholesky(sneppp__convex *cx, sneppp__cone *q, double *A, double *work)
{
   size_t n = q->n, r;
   double cut = cx->trace > 0 ? 0 : SNEPPP__SPAN;
   r = q->g = q->r = sneppp__chol_pivoted(n, A, cut, q->pick, work, q->s);
   for (size_t i = 0; i < r; i++) {
      for (size_t j = 0; j < r; j++) q->B[i * r + j] = i == j;
      q->s[i] = q->a[i] = 1;
   }
   sneppp__solve_lower(r, work, n, 1, q->B, r, r);
   return SNEPPP_OK;
}

/* B = Q diag(s) from A = Q diag(d) Q'. PGD is defined by the Frobenius norm of M itself, which a rotation keeps
   (s = 1); else s is as large as linear term and penalty allow. */
static sneppp_status sneppp__cone_by_eigenvectors(sneppp__convex *cx, sneppp__cone *q, const double *A, double *work)
{
   size_t        n = q->n;
   sneppp_status st = sneppp__eigh(n, A, q->a, q->B, 0, work);
   if (st != SNEPPP_OK) return st;
   q->g = q->r = n;
   for (size_t i = 0; i < n; i++) {
      double d = q->a[i] > 0 ? q->a[i] : 0;
      q->pick[i] = i;
      q->s[i] = cx->pgd ? 1 : 1 / sqrt(d + sqrt(cx->eps2));
      q->a[i] = d * q->s[i] * q->s[i];
      for (size_t j = 0; j < n; j++) q->B[j * n + i] *= q->s[i];
   }
   return SNEPPP_OK;
}

static void sneppp__cone_diagonal(sneppp__convex *cx, sneppp__cone *q, double share)
{
   double big = 0;
   for (size_t i = 0; i < q->n; i++) if (share * q->K[i] > big) big = share * q->K[i];
   q->g = q->r = 0;
   for (size_t i = 0; i < q->n; i++) {
      double d = share * q->K[i] + cx->trace, s;
      if (!(d > SNEPPP__SPAN * SNEPPP__SPAN * big) && !(cx->eps2 > 0)) continue; /* a unit that is zero in the window */
      s = cx->pgd ? 1 : 1 / sqrt(d + sqrt(cx->eps2));
      q->pick[q->r] = i, q->s[q->r] = s, q->a[q->r++] = d * s * s;
   }
   q->g = q->r;
}

static sneppp_status sneppp__convex_coordinates(sneppp__convex *cx, sneppp_error *err)
{
   double share = cx->alpha / cx->total;
   cx->R = cx->dropped = 0;
   for (int k = 0; k < cx->cones; k++) {
      sneppp__cone  *q = &cx->cone[k];
      size_t         n = q->n;
      sneppp__carver c = sneppp__measure();
      sneppp__block  block;
      double        *A = NULL, *work = NULL;
      sneppp_status  st = SNEPPP_OK;
      if (cx->diagonal) {
         sneppp__cone_diagonal(cx, q, share);
      } else {
         for (int pass = 0; pass < 2; pass++) {
            A = (double *)sneppp__take(&c, n, n, sizeof *A);
            work = (double *)sneppp__take(&c, sneppp__eigh_work(n), 1, sizeof *work);
            if (!pass &&
                (st = sneppp__block_get(&block, &c, NULL, 0, cx->model->desc.alloc_ctx, err)) != SNEPPP_OK)
               return st;
         }
         for (size_t i = 0; i < n * n; i++) A[i] = share * q->K[i];
         for (size_t i = 0; i < n; i++) A[i * n + i] += cx->trace;
         st = cx->pgd || cx->eps2 > 0 ? sneppp__cone_by_eigenvectors(cx, q, A, work)
                                      : sneppp__cone_by_cholesky(cx, q, A, work);
         sneppp__block_free(&block);
         if (st != SNEPPP_OK)
            return sneppp__fail(err, st, "the Gram matrix of readout %d has no usable factors: %s", q->which,
                                sneppp_strerror(st));
      }
      q->at = cx->R;
      cx->R += q->r;
      cx->dropped += n - q->r;
   }
   return SNEPPP_OK;
}

/* ---- passes over the events */
static void sneppp__place_convex_lane(sneppp__carver *c, sneppp__convex *cx, size_t l)
{
   const sneppp_model  *model = cx->model;
   sneppp__chunk       *k = &cx->loss.lane[l].chunk;
   sneppp__convex_lane *lane = &cx->lane[l];
   size_t               B = cx->rows, s = sizeof(sneppp_real), widest = 1;
   memset(k, 0, sizeof *k);
   k->x = (sneppp_real *)sneppp__take(c, B, (size_t)model->D, s);
   k->psi = (sneppp_real *)sneppp__take(c, B, (size_t)model->n, s);
   for (int f = 0; f < model->factors; f++) {
      k->T[f] = (sneppp_real *)sneppp__take(c, B, (size_t)model->layer[f].d, s);
      k->part[f] = model->factors > 1 ? (sneppp_real *)sneppp__take(c, B, (size_t)model->layer[f].n, s) : k->psi;
   }
   for (int j = 0; j < cx->cones; j++) if (cx->cone[j].n > widest) widest = cx->cone[j].n;
   lane->z = cx->stored ? NULL : (double *)sneppp__take(c, B, cx->R, sizeof(double));
   lane->gather = cx->diagonal ? NULL : (double *)sneppp__take(c, B, widest, sizeof(double));
   lane->scaled = cx->diagonal ? NULL : (double *)sneppp__take(c, B, widest, sizeof(double));
   lane->w = (double *)sneppp__take(c, B, 1, sizeof(double));
   lane->phi = (double *)sneppp__take(c, B, 1, sizeof(double));
}

static void sneppp__place_convex_events(sneppp__carver *c, sneppp__convex *cx)
{
   if (cx->stored) {
      cx->Z = (double *)sneppp__take(c, cx->loss.count, cx->R, sizeof(double));
      cx->w = (double *)sneppp__take(c, cx->loss.count, 1, sizeof(double));
      cx->phi = (double *)sneppp__take(c, cx->loss.count, 1, sizeof(double));
   }
   for (size_t l = 0; l < cx->lanes; l++) sneppp__place_convex_lane(c, cx, l);
}

/* z, w and phi of the events first .. first + B - 1. */
static sneppp_status sneppp__convex_load(sneppp__convex *cx, size_t which, size_t first, size_t B, double *z,
                                         double *w, double *phi)
{
   const sneppp_model  *model = cx->model;
   sneppp__lane        *load = &cx->loss.lane[which];
   sneppp__convex_lane *lane = &cx->lane[which];
   size_t               n = (size_t)model->n, R = cx->R;
   double               weight[SNEPPP__CHUNK];
   sneppp_status        st = sneppp__load_events(&cx->loss, first, B, load->chunk.x, weight, &load->error);
   if (st != SNEPPP_OK) return st;
   sneppp__chunk_features(model, B, &load->chunk);
   for (size_t b = 0; b < B; b++) {
      const sneppp_real *psi = load->chunk.psi + b * n;
      double             square = 0;
      for (int k = 0; cx->eps1 > 0 && k < cx->cones; k++)
         for (size_t i = 0; i < cx->cone[k].n; i++)
            square += (double)psi[cx->cone[k].first + i] * (double)psi[cx->cone[k].first + i];
      w[b] = weight[b] / cx->total;
      phi[b] = cx->eps1 * square + cx->floor / cx->alpha;
      if (cx->want_base) lane->sum[3] += w[b] * sneppp__base_log_density(model, load->chunk.x + b * (size_t)model->D);
   }
   for (int k = 0; k < cx->cones; k++) {
      const sneppp__cone *q = &cx->cone[k];
      for (size_t b = 0; b < B; b++) {
         const sneppp_real *psi = load->chunk.psi + b * n + q->first;
         if (cx->diagonal)
            for (size_t i = 0; i < q->r; i++) {
               double v = q->s[i] * (double)psi[q->pick[i]];
               z[b * R + q->at + i] = v * v;
            }
         else for (size_t i = 0; i < q->g; i++) lane->gather[b * q->g + i] = (double)psi[q->pick[i]];
      }
      if (!cx->diagonal) sneppp__dgemm(0, 0, B, q->r, q->g, 1, lane->gather, q->g, q->B, q->r, 0, z + q->at, R);
   }
   return SNEPPP_OK;
}

/* l of a chunk. In factor mode y keeps z'U for the gradient. A diagonal readout stores squares z_j = s^2 psi_j^2. */
static void sneppp__convex_intensity(const sneppp__convex *cx, sneppp__convex_lane *lane, size_t B,
                                     const double *z, const double *phi, double *l)
{
   size_t R = cx->R, columns = 0;
   for (size_t b = 0; b < B; b++) l[b] = phi[b];
   for (int k = 0; k < cx->cones; k++) {
      const sneppp__cone *q = &cx->cone[k];
      size_t              p = cx->mode == SNEPPP__AT_MATRIX ? q->r : q->p;
      double             *y = lane->y + columns * B;
      if (cx->mode == SNEPPP__AT_FACTOR || cx->mode == SNEPPP__AT_MATRIX)
         sneppp__dgemm(0, 0, B, p, q->r, 1, z + q->at, R, cx->x + q->x, p, 0, y, p);
      for (size_t b = 0; b < B; b++) {
         const double *zb = z + b * R + q->at;
         double        sum = 0;
         switch (cx->mode) {
            case SNEPPP__AT_FACTOR:   sum = sneppp__dot(p, y + b * p, y + b * p); break;
            case SNEPPP__AT_MATRIX:   sum = sneppp__dot(p, y + b * p, zb); break;
            case SNEPPP__AT_DIAGONAL: sum = sneppp__dot(q->r, zb, cx->x + q->x); break;
            default:                  sum = sneppp__dot(q->r, zb, zb) / (double)R; break;
         }
         l[b] += sum > 0 ? sum : 0;
      }
      columns += p;
   }
}

/* Adds a chunk to S or to the gradient; v are w / l. */
static void sneppp__convex_add(const sneppp__convex *cx, sneppp__convex_lane *lane, size_t B, const double *z,
                               const double *v)
{
   size_t  R = cx->R, columns = 0;
   double *G = lane->sum + 4, *S = G + cx->x_size;
   for (int k = 0; k < cx->cones; k++) {
      const sneppp__cone *q = &cx->cone[k];
      if (cx->diagonal) {
         for (size_t b = 0; b < B; b++) for (size_t i = 0; i < q->r; i++) S[q->S + i] += v[b] * z[b * R + q->at + i];
         continue;
      }
      if (cx->mode == SNEPPP__AT_FACTOR && !cx->want_S) {
         double *y = lane->y + columns * B;
         for (size_t b = 0; b < B; b++) for (size_t i = 0; i < q->p; i++) y[b * q->p + i] *= v[b];
         sneppp__dgemm(1, 0, q->r, q->p, B, 1, z + q->at, R, y, q->p, 1, G + q->x, q->p);
         columns += q->p;
         continue;
      }
      for (size_t b = 0; b < B; b++) {
         double root = sqrt(v[b]);
         for (size_t i = 0; i < q->r; i++) lane->scaled[b * q->r + i] = root * z[b * R + q->at + i];
      }
      sneppp__dsyrk(1, q->r, B, 1, lane->scaled, q->r, 1, S + q->S, q->r);
   }
}

static void sneppp__convex_lane_run(size_t which, void *arg)
{
   sneppp__convex      *cx = (sneppp__convex *)arg;
   sneppp__convex_lane *lane = &cx->lane[which];
   double               l[SNEPPP__CHUNK];
   memset(lane->sum, 0, cx->sums * sizeof(double));
   memset(&cx->loss.lane[which].error, 0, sizeof(sneppp_error));
   for (size_t first = which * cx->rows, N = cx->loss.count; first < N; first += cx->lanes * cx->rows) {
      size_t  B = N - first < cx->rows ? N - first : cx->rows;
      double *z = cx->stored ? cx->Z + first * cx->R : lane->z, *w = cx->stored ? cx->w + first : lane->w;
      double *phi = cx->stored ? cx->phi + first : lane->phi;
      if ((cx->fill || !cx->stored) && sneppp__convex_load(cx, which, first, B, z, w, phi) != SNEPPP_OK) return;
      if (cx->fill) continue;
      sneppp__convex_intensity(cx, lane, B, z, phi, l);
      for (size_t b = 0; b < B; b++) {
         int seen = l[b] > SNEPPP__TINY_L;
         if (!seen) l[b] = SNEPPP__TINY_L;
         lane->sum[0] += w[b] * log(l[b]);
         lane->sum[2] += seen ? w[b] : 0;
         l[b] = seen ? w[b] / l[b] : 0;
         lane->sum[1] += l[b] * phi[b];
      }
      sneppp__convex_add(cx, lane, B, z, l);
   }
}

static sneppp_status sneppp__convex_pass(sneppp__convex *cx, sneppp__convex_mode mode, const double *x,
                                         int want_S, sneppp_error *err)
{
   cx->mode = mode, cx->x = x, cx->want_S = want_S;
   sneppp__run(&cx->desc->parallel, sneppp__convex_lane_run, cx, cx->lanes);
   for (size_t l = 0; l < cx->lanes; l++) {
      const sneppp_error *e = &cx->loss.lane[l].error;
      if (e->status != SNEPPP_OK) { if (err) *err = *e; return e->status; }
      for (size_t i = 0; l && i < cx->sums; i++) cx->lane[0].sum[i] += cx->lane[l].sum[i];
   }
   cx->logs = cx->lane[0].sum[0], cx->c = cx->lane[0].sum[1], cx->seen = cx->lane[0].sum[2];
   if (cx->want_base) cx->base = cx->lane[0].sum[3], cx->want_base = 0;
   cx->G = cx->lane[0].sum + 4, cx->S = cx->G + cx->x_size;
   return SNEPPP_OK;
}

/* ---- value and gradient in the factor, X = U U': C = sum_i a_i |u_i|^2 + eps2/2 |U'D U|^2 - sum w log l, D =
   diag(s^2), dC/dU = 2 (diag(a) U + eps2 D U (U'D U) - Z'diag(w/l) Z U). A diagonal readout has X_j = v_j^2 instead. */
static void sneppp__convex_gradient(sneppp__convex *cx, const double *x, double *g)
{
   cx->linear = cx->penalty = 0;
   for (int k = 0; k < cx->cones; k++) {
      const sneppp__cone *q = &cx->cone[k];
      const double       *U = x + q->x, *G = cx->diagonal ? cx->S + q->S : cx->G + q->x;
      double             *o = g + q->x, *T = cx->work;
      size_t              p = q->p;
      for (size_t i = 0; i < q->r; i++) cx->linear += q->a[i] * sneppp__dot(p, U + i * p, U + i * p);
      if (cx->diagonal) {
         for (size_t i = 0; i < q->r; i++) {
            double m = U[i] * U[i], D = q->s[i] * q->s[i];
            cx->penalty += 0.5 * cx->eps2 * D * D * m * m;
            o[i] = 2 * U[i] * (q->a[i] + cx->eps2 * D * D * m - G[i]);
         }
         continue;
      }
      for (size_t i = 0; i < q->r; i++)
         for (size_t j = 0; j < p; j++) o[i * p + j] = 2 * (q->a[i] * U[i * p + j] - G[i * p + j]);
      if (!(cx->eps2 > 0)) continue;
      memset(T, 0, p * p * sizeof *T);
      for (size_t i = 0; i < q->r; i++)
         for (size_t j = 0; j < p; j++)
            for (size_t h = 0; h < p; h++) T[j * p + h] += q->s[i] * q->s[i] * U[i * p + j] * U[i * p + h];
      cx->penalty += 0.5 * cx->eps2 * sneppp__dot(p * p, T, T);
      for (size_t i = 0; i < q->r; i++)
         for (size_t j = 0; j < p; j++)
            o[i * p + j] += 2 * cx->eps2 * q->s[i] * q->s[i] * sneppp__dot(p, U + i * p, T + j * p);
   }
   cx->f = cx->linear + cx->penalty - cx->logs;
}

/* ---- the certificate, equation (b), from S, linear, penalty and c of the last pass */

/* Largest eigenvalue of A^-1/2 S A^-1/2, from above, with its eigenvector into cx->top. Where a is nothing (PGD, which
   keeps all directions) the direction is left out, as in the whitened problem; *all tells whether none was. */
static sneppp_status sneppp__cone_tau(sneppp__convex *cx, const sneppp__cone *q, double *tau, int *all)
{
   const double *S = cx->S + q->S;
   double       *A = cx->work, *work = A + q->r * q->r, big = 0, value = 0, upper = 0;
   size_t        n = 0;
   sneppp_status st = SNEPPP_OK;
   for (size_t i = 0; i < q->r; i++) if (q->a[i] > big) big = q->a[i];
   if (cx->diagonal) {
      for (size_t i = 0; i < q->r; i++) {
         if (!(q->a[i] > 0)) *all = 0;
         else if (S[i] > *tau * q->a[i]) *tau = S[i] / q->a[i];
      }
      return SNEPPP_OK;
   }
   for (size_t i = 0; i < q->r; i++) n += q->a[i] > SNEPPP__SPAN * big;
   if (n < q->r) *all = 0;
   for (size_t i = 0, ni = 0; i < q->r; i++) {
      if (!(q->a[i] > SNEPPP__SPAN * big)) continue;
      for (size_t j = 0, nj = 0; j < q->r; j++)
         if (q->a[j] > SNEPPP__SPAN * big) A[ni * n + nj++] = S[i * q->r + j] / sqrt(q->a[i] * q->a[j]);
      ni++;
   }
   if (n) st = sneppp__lambda_max(n, A, &value, &upper, work);
   if (st != SNEPPP_OK || upper <= *tau) return st;
   *tau = upper;
   cx->top_cone = (size_t)(q - cx->cone);
   memset(cx->top, 0, q->r * sizeof(double));
   for (size_t i = 0, ni = 0; i < q->r; i++)
      if (q->a[i] > SNEPPP__SPAN * big) cx->top[i] = work[2 * n * n + ni++] / sqrt(q->a[i]);
   return st;
}

/* |[S - A]_+|_F^2 in the coordinates of M itself, plus what rounding may hide. */
static sneppp_status sneppp__cone_excess(sneppp__convex *cx, const sneppp__cone *q, double *excess)
{
   const double *S = cx->S + q->S;
   size_t        r = q->r;
   double       *X = cx->work, *w = X + r * r, *Q = w + r, *work = Q + r * r, sum = 0, all = 0;
   sneppp_status st;
   if (cx->diagonal) {
      for (size_t i = 0; i < r; i++) { double e = (S[i] - q->a[i]) / (q->s[i] * q->s[i]); if (e > 0) *excess += e * e; }
      return SNEPPP_OK;
   }
   for (size_t i = 0; i < r; i++)
      for (size_t j = 0; j < r; j++)
         X[i * r + j] = (S[i * r + j] - (i == j ? q->a[i] : 0)) / (q->s[i] * q->s[j]);
   st = sneppp__eigh(r, X, w, Q, 0, work);
   if (st != SNEPPP_OK) return st;
   for (size_t i = 0; i < r; i++) { all += w[i] * w[i]; if (w[i] > 0) sum += w[i] * w[i]; }
   sum = sqrt(sum) + 4 * SNEPPP__EPS * (double)r * sqrt(all);
   *excess += sum * sum;
   return SNEPPP_OK;
}

/* When C is linear but for log l, and l is linear, the best scale of M is known: M / h with h = tr(M A). V gets it
   in the end. */
static double sneppp__convex_scale(const sneppp__convex *cx)
{
   return !(cx->eps2 > 0) && !(cx->eps1 > 0) && !(cx->floor > 0) && cx->linear > 0 ? cx->linear / cx->seen : 1;
}

static sneppp_status sneppp__convex_certify(sneppp__convex *cx, sneppp_error *err)
{
   double        tau = 0, excess = 0, value = cx->f, gap = 1e300;
   int           all = 1;
   sneppp_status st = SNEPPP_OK;
   for (int k = 0; st == SNEPPP_OK && k < cx->cones; k++) st = sneppp__cone_tau(cx, &cx->cone[k], &tau, &all);
   for (int k = 0; cx->eps2 > 0 && st == SNEPPP_OK && k < cx->cones; k++)
      st = sneppp__cone_excess(cx, &cx->cone[k], &excess);
   if (st != SNEPPP_OK) return sneppp__fail(err, st, "the certificate could not be computed: %s", sneppp_strerror(st));
   if (tau * cx->seen < cx->c) tau = cx->c / cx->seen;
   cx->tau = tau;
   if (sneppp__convex_scale(cx) != 1) { /* the best scale has linear = seen */
      double h = sneppp__convex_scale(cx);
      value += cx->seen - cx->linear + cx->seen * log(h);
      gap = tau > 0 ? cx->seen * log(tau * h) : 0;
      cx->tau = tau * h;
   } else {
      double base = cx->linear + cx->penalty - cx->seen;
      if (tau > 0 && (all || !(cx->eps2 > 0))) gap = base + cx->seen * log(tau) + cx->c / tau;
      if (cx->eps2 > 0 && base + cx->c + excess / (2 * cx->eps2) < gap) gap = base + cx->c + excess / (2 * cx->eps2);
   }
   if (value - gap > cx->bound) cx->bound = value - gap;
   cx->gap = value > cx->bound ? value - cx->bound : 0;
   return SNEPPP_OK;
}

/* ---- the factored method */
typedef struct sneppp__convex_vars {
   double        *x, *g, *d, *x1, *g1; /* (x_size) */
   double        *m;                   /* (x_size) diagonal: squares */
   double        *Q, *steps;           /* PGD: eigenbases, scratch of the projection */
   sneppp__lbfgs  memory;
   sneppp__block  block;
} sneppp__convex_vars;

static void sneppp__place_convex_vars(sneppp__carver *c, sneppp__convex *cx, sneppp__convex_vars *v)
{
   size_t n = cx->x_size, s = sizeof(double), columns = 0, widest = 1, p = 1, certificate;
   for (int k = 0; k < cx->cones; k++) {
      columns += cx->pgd ? cx->cone[k].r : cx->cone[k].p;
      if (cx->cone[k].r > widest) widest = cx->cone[k].r;
      if (cx->cone[k].p > p) p = cx->cone[k].p;
   }
   v->x = (double *)sneppp__take(c, n, 1, s);
   v->g = (double *)sneppp__take(c, n, 1, s);
   v->m = cx->diagonal ? (double *)sneppp__take(c, n, 1, s) : NULL;
   if (!cx->pgd) {
      v->d = (double *)sneppp__take(c, n, 1, s);
      v->x1 = (double *)sneppp__take(c, n, 1, s);
      v->g1 = (double *)sneppp__take(c, n, 1, s);
      sneppp__place_lbfgs(c, &v->memory, n);
   } else if (!cx->diagonal) {
      v->Q = (double *)sneppp__take(c, n, 1, s);
      v->steps = (double *)sneppp__take(c, widest + sneppp__eigh_work(widest), 1, s);
   }
   certificate = sneppp__lambda_max_work(widest);
   if (cx->eps2 > 0 && certificate < widest * (widest + 1) + sneppp__eigh_work(widest))
      certificate = widest * (widest + 1) + sneppp__eigh_work(widest);
   certificate += widest * widest;
   if (certificate < p * p) certificate = p * p;
   cx->work = (double *)sneppp__take(c, cx->diagonal ? 1 : certificate, 1, s);
   cx->top = (double *)sneppp__take(c, widest, 1, s);
   for (size_t l = 0; l < cx->lanes; l++) {
      cx->lane[l].y = cx->diagonal ? NULL : (double *)sneppp__take(c, cx->rows, columns, s);
      cx->lane[l].sum = (double *)sneppp__take(c, cx->sums, 1, s);
   }
}

/* Sizes for factors with at most p columns, and memory for them. */
static sneppp_status sneppp__convex_vars_get(sneppp__convex *cx, size_t p, sneppp__convex_vars *v, sneppp_error *err)
{
   sneppp__carver c = sneppp__measure();
   sneppp_status  st;
   cx->x_size = cx->S_size = 0;
   for (int k = 0; k < cx->cones; k++) {
      sneppp__cone *q = &cx->cone[k];
      q->p = cx->diagonal ? 1 : p < q->r ? p : q->r;
      q->x = cx->x_size, q->S = cx->S_size;
      cx->x_size += q->r * (cx->pgd && !cx->diagonal ? q->r : q->p);
      cx->S_size += q->r * (cx->diagonal ? 1 : q->r);
   }
   cx->sums = 4 + cx->x_size + cx->S_size;
   memset(v, 0, sizeof *v);
   sneppp__place_convex_vars(&c, cx, v);
   st = sneppp__block_get(&v->block, &c, NULL, 0, cx->model->desc.alloc_ctx, err);
   if (st == SNEPPP_OK) sneppp__place_convex_vars(&c, cx, v);
   return st;
}

static sneppp_status sneppp__convex_eval(sneppp__convex *cx, sneppp__convex_vars *v, const double *x,
                                         double *g, int want_S, sneppp_error *err)
{
   sneppp_status st;
   for (size_t i = 0; cx->diagonal && i < cx->x_size; i++) v->m[i] = x[i] * x[i];
   st = sneppp__convex_pass(cx, cx->diagonal ? SNEPPP__AT_DIAGONAL : SNEPPP__AT_FACTOR,
                            cx->diagonal ? v->m : x, want_S, err);
   if (st == SNEPPP_OK && g) sneppp__convex_gradient(cx, x, g);
   return st;
}

/* The start: one multiplicative step X <- S X S (diagonal: X <- X S) from X = I/R, the iteration of quantum tomography
   (Hradil, Phys. Rev. A 55, 1997), seen through p random directions: U = S times normal numbers. */
static sneppp_status sneppp__convex_start(sneppp__convex *cx, sneppp__convex_vars *v, sneppp_error *err)
{
   double        R = (double)cx->R, linear = 0;
   sneppp_status st;
   sneppp_rng    rng;
   if (cx->diagonal) for (size_t i = 0; i < cx->R; i++) v->m[i] = 1 / R;
   st = sneppp__convex_pass(cx, cx->diagonal ? SNEPPP__AT_DIAGONAL : SNEPPP__AT_IDENTITY, v->m, 1, err);
   if (st != SNEPPP_OK) return st;
   sneppp_rng_init(&rng, cx->desc->seed ? cx->desc->seed : 1, 77);
   for (int k = 0; k < cx->cones; k++) {
      const sneppp__cone *q = &cx->cone[k];
      double             *U = v->x + q->x;
      size_t              n = q->r * q->p;
      if (cx->diagonal) {
         for (size_t i = 0; i < n; i++) U[i] = q->a[i] > 0 ? sqrt(cx->S[q->S + i] / (R * q->a[i])) : sqrt(1 / R);
      } else {
         for (size_t i = 0; i < n; i++) v->g[q->x + i] = sneppp_rng_normal(&rng);
         sneppp__dgemm(0, 0, q->r, q->p, q->r, 1, cx->S + q->S, q->r, v->g + q->x, q->p, 0, U, q->p);
      }
      for (size_t i = 0; i < q->r; i++) linear += q->a[i] * sneppp__dot(q->p, U + i * q->p, U + i * q->p);
   }
   linear = linear > 0 ? sqrt(1 / linear) : 1;
   for (size_t i = 0; i < cx->x_size; i++) v->x[i] *= linear;
   return SNEPPP_OK;
}

/* More columns for U: the direction in which C falls fastest, found by the certificate, and small random ones. */
static sneppp_status sneppp__convex_grow(sneppp__convex *cx, sneppp__convex_vars *v, size_t p, sneppp_error *err)
{
   sneppp__convex      old = *cx;
   sneppp__convex_vars more;
   sneppp_rng          rng;
   sneppp_status       st = sneppp__convex_vars_get(cx, p, &more, err);
   double              size = cx->tau > 1 ? sqrt(0.01 * (cx->tau < 2 ? cx->tau - 1 : 1)) : 1e-3;
   if (st != SNEPPP_OK) { *cx = old; return st; }
   sneppp_rng_init(&rng, cx->desc->seed ? cx->desc->seed : 1, 78 + (uint64_t)p);
   for (int k = 0; k < cx->cones; k++) {
      const sneppp__cone *q = &cx->cone[k], *was = &old.cone[k];
      for (size_t i = 0; i < q->r; i++)
         for (size_t j = 0; j < q->p; j++) {
            double new_value = 0.02 * size / sqrt((double)q->r) * sneppp_rng_normal(&rng);
            if (j == was->p && (size_t)k == cx->top_cone) new_value = size * old.top[i];
            more.x[q->x + i * q->p + j] = j < was->p ? v->x[was->x + i * was->p + j] : new_value;
         }
   }
   sneppp__block_free(&v->block);
   *v = more;
   return SNEPPP_OK;
}

/* Expected events for the readout as it stands: alpha tr((M + eps1 I) K) + floor mass. Without a trace penalty the
   linear term of C is the first part already. */
static double sneppp__convex_expected(const sneppp__convex *cx, const double *x)
{
   double linear = cx->linear, eps = 0;
   for (int k = 0; k < cx->cones; k++) {
      const sneppp__cone *q = &cx->cone[k];
      for (size_t i = 0; i < q->n; i++) eps += cx->eps1 * cx->alpha * q->K[i * (cx->diagonal ? 1 : q->n + 1)];
      if (!(cx->trace > 0)) continue;
      for (size_t i = 0; (cx->diagonal || cx->pgd) && i < q->r; i++) { /* tr M, to be taken out again */
         double m = cx->pgd ? x[q->x + i * (cx->diagonal ? 1 : q->r + 1)] : x[q->x + i] * x[q->x + i];
         linear -= cx->trace * q->s[i] * q->s[i] * m;
      }
      for (size_t i = 0; !cx->diagonal && !cx->pgd && i < q->g; i++)
         for (size_t j = 0; j < q->p; j++) {
            double vij = 0;
            for (size_t h = 0; h < q->r; h++) vij += q->B[i * q->r + h] * x[q->x + h * q->p + j];
            linear -= cx->trace * vij * vij;
         }
   }
   return cx->total * linear + eps + cx->floor * cx->mass;
}

/* Tells the caller, who may ask to stop. */
static int sneppp__convex_tell(sneppp__convex *cx, size_t step, double gradient)
{
   cx->now.step = step, cx->now.gap = cx->gap, cx->now.gradient = gradient;
   cx->now.seconds = SNEPPP_SECONDS() - cx->start;
   if (!cx->desc->progress) return 0;
   return cx->desc->progress(&cx->now, cx->model, cx->desc->user) != 0;
}

/* A look: the certificate, and the likelihood for the report. */
static sneppp_status sneppp__convex_look(sneppp__convex *cx, const double *x, sneppp_error *err)
{
   double        h = sneppp__convex_scale(cx), logs = cx->logs - cx->seen * log(h);
   sneppp_status st = sneppp__convex_certify(cx, err);
   if (st != SNEPPP_OK) return st;
   cx->now.expected = sneppp__convex_expected(cx, x) / h;
   cx->now.nll = (cx->now.expected - cx->total * (logs + log(cx->alpha) + cx->base) +
                  sneppp__log_factorials(cx->loss.events, cx->loss.realisations)) /
                 (double)cx->loss.count;
   return SNEPPP_OK;
}

/* A diagonal readout's way to grow: weights that vanished but should not have are brought back. */
static void sneppp__convex_revive(sneppp__convex *cx, sneppp__convex_vars *v)
{
   for (int k = 0; k < cx->cones; k++) {
      const sneppp__cone *q = &cx->cone[k];
      for (size_t i = 0; i < q->r; i++) {
         double over = q->a[i] > 0 ? cx->S[q->S + i] / q->a[i] - 1 : 0,
                least = 0.01 * (over < 1 ? over : 1) / (double)cx->R;
         if (over > 0 && q->a[i] * v->x[q->x + i] * v->x[q->x + i] < least) v->x[q->x + i] = sqrt(least / q->a[i]);
      }
   }
   v->memory.used = 0;
}

/* The certificate at the current point, and what follows from it: 1 the fit has ended, 0 go on. When lambda_max is
   above 1 by much more than the gradient explains, U lacks a direction and gets more columns; then value and
   gradient are new. */
static sneppp_status sneppp__convex_look_on(sneppp__convex *cx, sneppp__convex_vars *v, int fixed, int stop,
                                            int stuck, size_t step, double norm, int *ended,
                                            sneppp_error *err)
{
   size_t        p = cx->cone[0].p, full = 0;
   sneppp_status st = SNEPPP_OK;
   int           wants, can;
   if (!cx->diagonal) st = sneppp__convex_eval(cx, v, v->x, NULL, 1, err);
   if (st == SNEPPP_OK) st = sneppp__convex_look(cx, v->x, err);
   if (st != SNEPPP_OK) return st;
   for (int k = 0; k < cx->cones; k++) {
      if (cx->cone[k].p > p) p = cx->cone[k].p;
      if (cx->cone[k].r > full) full = cx->cone[k].r;
   }
   cx->now.step = step;
   *ended = 1;
   if (cx->gap <= cx->tol && !fixed) cx->now.ending = SNEPPP_CONVERGED;
   else if (stop) cx->now.ending = SNEPPP_ASKED_TO_STOP;
   else if (step >= cx->steps) cx->now.ending = SNEPPP_STEP_LIMIT;
   else *ended = 0;
   if (*ended) return SNEPPP_OK;
   wants = stuck || (!(cx->eps2 > 0) &&
                     cx->tau - 1 > 5 * norm); /* with eps2, lambda_max is above 1 at the optimum too */
   can = !fixed && (cx->diagonal ? cx->tau - 1 > 5 * norm : p < full);
   if (wants && can) {
      if (cx->diagonal) sneppp__convex_revive(cx, v);
      else st = sneppp__convex_grow(cx, v, p + (p < 16 ? 8 : p / 2), err);
      return st == SNEPPP_OK ? sneppp__convex_eval(cx, v, v->x, v->g, 0, err) : st;
   }
   if (stuck) { cx->now.ending = SNEPPP_NO_PROGRESS; *ended = 1; return SNEPPP_OK; }
   return cx->diagonal ? SNEPPP_OK : sneppp__convex_eval(cx, v, v->x, v->g, 0, err); /* the sums of this point again */
}

/* L-BFGS on U. A look costs N r^2, a step 4 N r p, so that looks cost about a quarter of the time. With `fixed` the
   number of columns stays: a model of low rank, for which the gap is to the optimum of full rank. */
static sneppp_status sneppp__convex_lbfgs(sneppp__convex *cx, sneppp__convex_vars *v, int fixed, sneppp_error *err)
{
   size_t        step = cx->now.step, wait = cx->diagonal ? 5 : 10 + cx->R / (2 * cx->cone[0].p), look = step + wait;
   int           stuck = 0, ended = 0;
   sneppp_status st = sneppp__convex_eval(cx, v, v->x, v->g, 0, err);
   while (st == SNEPPP_OK) {
      double         norm = sqrt(sneppp__dot(cx->x_size, v->g, v->g)), slope, f = cx->f, *swap;
      int            more, stop = sneppp__convex_tell(cx, step, norm);
      sneppp__search search;
      if (!(norm > 1e-13)) stuck = 1;
      if (stop || stuck || step >= look || step >= cx->steps) {
         st = sneppp__convex_look_on(cx, v, fixed, stop, stuck, step, norm, &ended, err);
         if (ended || st != SNEPPP_OK) return st;
         look = step + (cx->gap < 5 * cx->tol ? wait / 2 + 1 : wait), stuck = 0,
         f = cx->f; /* closer looks near the end */
         norm = sqrt(sneppp__dot(cx->x_size, v->g, v->g));
      }
      sneppp__lbfgs_direction(&v->memory, v->g, 0.25, v->d);
      slope = sneppp__dot(cx->x_size, v->g, v->d);
      if (!(slope < 0)) { /* rounding only: start anew */
         v->memory.used = 0;
         sneppp__lbfgs_direction(&v->memory, v->g, 0.25, v->d);
         slope = -0.25 * norm * norm;
      }
      search = sneppp__search_start(f, slope, 1);
      do {
         for (size_t i = 0; i < cx->x_size; i++) v->x1[i] = v->x[i] + search.t * v->d[i];
         st = sneppp__convex_eval(cx, v, v->x1, v->g1, 0, err);
         if (st != SNEPPP_OK) return st;
         more = sneppp__search_next(&search, cx->f, sneppp__dot(cx->x_size, v->g1, v->d));
      } while (more > 0);
      step++;
      if (more < 0) { /* no step: try once along the gradient, then give up */
         stuck = !v->memory.used;
         v->memory.used = 0, cx->f = f;
         continue;
      }
      sneppp__lbfgs_learn(&v->memory, search.t, v->d, v->g, v->g1);
      swap = v->x, v->x = v->x1, v->x1 = swap;
      swap = v->g, v->g = v->g1, v->g1 = swap;
   }
   return st;
}
/* ---- projected gradient descent as in the paper: M <- P(M - G/beta), beta = eps2 + 1/eps1^2, from M = I scaled to
   the right number of events. beta bounds the curvature of the averaged objective: (psi'D psi)^2 / l^2 <= |psi|^4 /
   (eps1 |psi|^2)^2. */
static sneppp_status sneppp__convex_pgd(sneppp__convex *cx, sneppp__convex_vars *v, sneppp_error *err)
{
   double        step_size = 1 / (cx->eps2 + 1 / (cx->eps1 * cx->eps1)), sum = 0;
   size_t        look = 0;
   sneppp_status st = SNEPPP_OK;
   for (int k = 0; k < cx->cones; k++) for (size_t i = 0; i < cx->cone[k].r; i++) sum += cx->cone[k].a[i];
   memset(v->x, 0, cx->x_size * sizeof *v->x);
   for (int k = 0; k < cx->cones; k++)
      for (size_t i = 0; i < cx->cone[k].r; i++)
         v->x[cx->cone[k].x + i * (cx->diagonal ? 1 : cx->cone[k].r + 1)] = sum > 0 ? 1 / sum : 0;
   for (size_t step = 0; st == SNEPPP_OK; step++) {
      double norm;
      int    stop;
      st = sneppp__convex_pass(cx, cx->diagonal ? SNEPPP__AT_DIAGONAL : SNEPPP__AT_MATRIX, v->x, 1, err);
      if (st != SNEPPP_OK) return st;
      cx->linear = cx->penalty = 0;
      for (int k = 0; k < cx->cones; k++) { /* G = A + eps2 X - S */
         const sneppp__cone *q = &cx->cone[k];
         size_t              entries = cx->diagonal ? q->r : q->r * q->r, stride = cx->diagonal ? 1 : q->r + 1;
         cx->penalty += 0.5 * cx->eps2 * sneppp__dot(entries, v->x + q->x, v->x + q->x);
         for (size_t i = 0; i < entries; i++) v->g[q->x + i] = cx->eps2 * v->x[q->x + i] - cx->S[q->S + i];
         for (size_t i = 0; i < q->r; i++)
            cx->linear += q->a[i] * v->x[q->x + i * stride], v->g[q->x + i * stride] += q->a[i];
      }
      cx->f = cx->linear + cx->penalty - cx->logs;
      norm = sqrt(sneppp__dot(cx->x_size, v->g, v->g));
      stop = sneppp__convex_tell(cx, step, norm);
      if (stop || step >= look || step >= cx->steps) {
         st = sneppp__convex_look(cx, v->x, err);
         if (st != SNEPPP_OK) return st;
         cx->now.ending = cx->gap <= cx->tol  ? SNEPPP_CONVERGED
                          : stop              ? SNEPPP_ASKED_TO_STOP
                          : step >= cx->steps ? SNEPPP_STEP_LIMIT
                                              : SNEPPP_RUNNING;
         if (cx->now.ending != SNEPPP_RUNNING) return SNEPPP_OK;
         look = step + 10 + step / 10;
      }
      for (int k = 0; st == SNEPPP_OK && k < cx->cones; k++) {
         const sneppp__cone *q = &cx->cone[k];
         if (!cx->diagonal) {
            st =
               sneppp__cone_step(q->r, v->x + q->x, v->g + q->x, step_size, v->Q + q->x, step > 0, v->steps);
            continue;
         }
         for (size_t i = 0; i < q->r; i++) {
            double m = v->x[q->x + i] - step_size * v->g[q->x + i];
            v->x[q->x + i] = m > 0 ? m : 0;
         }
      }
      if (st != SNEPPP_OK) return sneppp__fail(err, st, "the projection of M failed: %s", sneppp_strerror(st));
   }
   return st;
}

/* ---- from the solution to V */

/* Keeps the p largest directions of the factor: U <- U E, E the leading eigenvectors of U'U. */
static sneppp_status sneppp__convex_cut(sneppp__convex *cx, sneppp__convex_vars *v, size_t p, sneppp_error *err)
{
   sneppp__convex      old = *cx;
   sneppp__convex_vars less;
   sneppp_status       st = sneppp__convex_vars_get(cx, p, &less, err);
   if (st != SNEPPP_OK) return st;
   for (int k = 0; st == SNEPPP_OK && k < cx->cones; k++) {
      const sneppp__cone *q = &cx->cone[k], *was = &old.cone[k];
      size_t              n = was->p;
      double             *T = NULL, *w = NULL, *E = NULL, *work = NULL;
      sneppp__carver      c = sneppp__measure();
      sneppp__block       block;
      for (int pass = 0; pass < 2; pass++) {
         T = (double *)sneppp__take(&c, n, n, sizeof *T);
         E = (double *)sneppp__take(&c, n, n, sizeof *E);
         w = (double *)sneppp__take(&c, n, 1, sizeof *w);
         work = (double *)sneppp__take(&c, sneppp__eigh_work(n), 1, sizeof *work);
         if (!pass && (st = sneppp__block_get(&block, &c, NULL, 0, cx->model->desc.alloc_ctx, err)) != SNEPPP_OK) break;
      }
      if (st != SNEPPP_OK) break;
      sneppp__dsyrk(1, n, q->r, 1, v->x + was->x, n, 0, T, n);
      st = sneppp__eigh(n, T, w, E, 0, work);
      for (size_t i = 0; st == SNEPPP_OK && i < q->r; i++)
         for (size_t j = 0; j < q->p; j++) {
            double sum = 0;
            for (size_t h = 0; h < n; h++) sum += v->x[was->x + i * n + h] * E[h * n + n - 1 - j];
            less.x[q->x + i * q->p + j] = sum;
         }
      sneppp__block_free(&block);
   }
   sneppp__block_free(&v->block);
   *v = less;
   return st;
}

/* The matrix M + eps1 I of a cone in features, (n, n). */
static void sneppp__cone_matrix(const sneppp__convex *cx, const sneppp__cone *q, const double *x, double *M)
{
   size_t n = q->n, r = q->r, p = cx->pgd ? r : q->p;
   memset(M, 0, n * n * sizeof *M);
   for (size_t i = 0; i < n; i++) M[i * n + i] = cx->eps1;
   for (size_t h = 0; h < r; h++)
      for (size_t e = 0; e <= h; e++) {
         double m = cx->pgd ? 0.5 * (x[q->x + h * r + e] + x[q->x + e * r + h])
                            : sneppp__dot(p, x + q->x + h * p, x + q->x + e * p);
         if (e == h) m *= 0.5;
         for (size_t i = 0; i < q->g; i++) {
            double bh = m * q->B[i * r + h], be = m * q->B[i * r + e];
            for (size_t j = 0; j < q->g; j++)
               M[q->pick[i] * n + q->pick[j]] += bh * q->B[j * r + e] + be * q->B[j * r + h];
         }
      }
}

/* V of one readout into shadow->readout[q->which].V. */
static sneppp_status sneppp__cone_readout(sneppp__convex *cx, const sneppp__cone *q, const double *x,
                                          double scale, sneppp_model *shadow, sneppp_error *err)
{
   sneppp_readout_state *R = &shadow->readout[q->which];
   size_t                n = q->n;
   memset(R->V, 0, n * (size_t)R->m * sizeof *R->V);
   if (cx->diagonal) {
      for (size_t i = 0; i < n; i++) R->V[i] = (sneppp_real)sqrt(cx->eps1);
      for (size_t i = 0; i < q->r; i++) {
         double m = cx->pgd ? x[q->x + i] : x[q->x + i] * x[q->x + i];
         R->V[q->pick[i]] = (sneppp_real)(scale * sqrt(m * q->s[i] * q->s[i] + cx->eps1));
      }
      cx->rank = n;
   } else if (cx->eps1 > 0 || cx->pgd) {
      sneppp__carver c = sneppp__measure();
      sneppp__block  block;
      sneppp_status  st;
      double        *M = NULL;
      for (int pass = 0; pass < 2; pass++) {
         M = (double *)sneppp__take(&c, n, n, sizeof *M);
         if (!pass &&
             (st = sneppp__block_get(&block, &c, NULL, 0, cx->model->desc.alloc_ctx, err)) != SNEPPP_OK)
            return st;
      }
      sneppp__cone_matrix(cx, q, x, M);
      st = sneppp__set_readout(shadow, q->which, M, n, err);
      sneppp__block_free(&block);
      cx->rank += n;
      return st;
   } else {
      for (size_t j = 0; j < q->p; j++)
         for (size_t i = 0; i < q->g; i++) {
            double sum = 0;
            for (size_t h = 0; h < q->r; h++) sum += q->B[i * q->r + h] * x[q->x + h * q->p + j];
            R->V[j * n + q->pick[i]] = (sneppp_real)(scale * sum);
         }
      cx->rank += q->p;
   }
   return SNEPPP_OK;
}

/* ---- one convex problem, from grams to V in the shadow */
static sneppp_status sneppp__convex_solve(sneppp__convex *cx, sneppp_model *shadow, sneppp_error *err)
{
   sneppp__convex_vars v;
   sneppp__block       events;
   sneppp__carver      c = sneppp__measure();
   size_t              rank;
   double              scale = 1;
   sneppp_status       st = sneppp__convex_coordinates(cx, err);
   if (st != SNEPPP_OK) return st;
   memset(&v, 0, sizeof v);
   if (!cx->R) return sneppp__fail(err, SNEPPP_ERR_NOT_POSITIVE, "all features are zero in the window");
   rank = cx->R;
   for (int k = 0; k < cx->cones; k++)
      if (!cx->diagonal && (size_t)cx->model->readout[cx->cone[k].which].m < rank)
         rank = (size_t)cx->model->readout[cx->cone[k].which].m;
   cx->rows = sneppp__chunk_rows(cx->model);
   cx->lanes = sneppp__lane_count(cx->model);
   cx->loss.lanes = cx->lanes;
   cx->stored = cx->loss.count <= SNEPPP__STORE / sizeof(double) / (cx->R + 2);
   for (size_t r = 0; r < cx->loss.realisations; r++)
      if (cx->loss.events[r].read) cx->stored = 0; /* memory that N does not move */
   cx->bound = -1e300, cx->gap = 1e300;
   for (int pass = 0; pass < 2; pass++) {
      sneppp__place_convex_events(&c, cx);
      if (!pass &&
          (st = sneppp__block_get(&events, &c, NULL, 0, cx->model->desc.alloc_ctx, err)) != SNEPPP_OK)
         return st;
   }
   st = sneppp__convex_vars_get(cx, cx->eps2 > 0 ? 48 : 16, &v, err); /* a Frobenius penalty keeps many directions */
   cx->want_base = 1;
   if (st == SNEPPP_OK && cx->stored) {
      cx->fill = 1;
      st = sneppp__convex_pass(cx, SNEPPP__AT_IDENTITY, NULL, 0, err);
      cx->fill = 0;
   }
   if (st == SNEPPP_OK && cx->pgd) st = sneppp__convex_pgd(cx, &v, err);
   else if (st == SNEPPP_OK) {
      st = sneppp__convex_start(cx, &v, err);
      if (st == SNEPPP_OK) st = sneppp__convex_lbfgs(cx, &v, 0, err);
      if (st == SNEPPP_OK && !cx->diagonal && rank < cx->cone[0].p) {
         st = sneppp__convex_cut(cx, &v, rank, err);
         if (st == SNEPPP_OK) st = sneppp__convex_lbfgs(cx, &v, 1, err);
      }
   }
   if (st == SNEPPP_OK) scale = 1 / sqrt(sneppp__convex_scale(cx));
   for (int k = 0; st == SNEPPP_OK && k < cx->cones; k++)
      st = sneppp__cone_readout(cx, &cx->cone[k], v.x, scale, shadow, err);
   sneppp__block_free(&v.block);
   sneppp__block_free(&events);
   return st;
}

static void sneppp__place_cone(sneppp__carver *c, const sneppp_model *model, int k, sneppp__cone *q)
{
   size_t n = (size_t)model->readout[k].n, square = model->desc.readout == SNEPPP_READOUT_DIAGONAL ? 1 : n;
   memset(q, 0, sizeof *q);
   q->which = k, q->n = n, q->first = (size_t)model->readout[k].first;
   q->K = (double *)sneppp__take(c, n, square, sizeof(double));
   q->pick = (size_t *)sneppp__take(c, n, 1, sizeof(size_t));
   q->B = square > 1 || n == 1 ? (double *)sneppp__take(c, n, n, sizeof(double)) : NULL;
   q->s = (double *)sneppp__take(c, n, 1, sizeof(double));
   q->a = (double *)sneppp__take(c, n, 1, sizeof(double));
}

static double sneppp__total_weight(const sneppp_events *events, size_t realisations)
{
   double total = 0;
   for (size_t r = 0; r < realisations; r++) {
      if (!events[r].weight) total += (double)events[r].count;
      else for (size_t i = 0; i < events[r].count; i++) total += (double)events[r].weight[i];
   }
   return total;
}

/* A separable intensity alpha q_1 q_2 has the likelihood of independent coordinates: with tr(M_f K_f) = 1 each
   factor is a convex problem of its own, alpha_f = W, and the gaps add. The scale W / alpha then goes to the first
   factor. */
static sneppp_status sneppp__convex_separable(sneppp__convex *cx, sneppp_model *shadow, sneppp_error *err)
{
   sneppp__cone  cone[SNEPPP_MAX_FACTORS];
   double        alpha = cx->alpha, scale = sqrt(cx->total / alpha), gap = 0, logs = 0;
   size_t        dropped = 0, step = 0;
   int           cones = cx->cones;
   sneppp_ending ending = SNEPPP_CONVERGED;
   sneppp_status st = SNEPPP_OK;
   memcpy(cone, cx->cone, sizeof cone);
   cx->alpha = cx->total, cx->tol /= cones;
   for (int k = 0; st == SNEPPP_OK && k < cones; k++) {
      cx->cone[0] = cone[k], cx->cones = 1, cx->now.step = 0;
      st = sneppp__convex_solve(cx, shadow, err);
      gap += cx->gap, logs += cx->logs - log(cx->linear / cx->seen) * cx->seen, dropped += cx->dropped,
         step += cx->now.step;
      if (cx->now.ending != SNEPPP_CONVERGED) ending = cx->now.ending;
      if (ending == SNEPPP_ASKED_TO_STOP) cx->steps = 0; /* the other factors keep their start */
   }
   if (st != SNEPPP_OK) return st;
   for (size_t i = 0; i < (size_t)shadow->readout[0].n * (size_t)shadow->readout[0].m; i++)
      shadow->readout[0].V[i] = (sneppp_real)(scale * (double)shadow->readout[0].V[i]);
   cx->alpha = alpha, cx->gap = gap, cx->dropped = dropped, cx->now.step = step, cx->now.ending = ending;
   cx->now.expected = cx->total;
   cx->now.nll = (cx->total - cx->total * (logs + log(cx->total) + cx->base) +
                  sneppp__log_factorials(cx->loss.events, cx->loss.realisations)) /
                 (double)cx->loss.count;
   return SNEPPP_OK;
}

static void sneppp__place_convex(sneppp__carver *c, const sneppp_model *model, sneppp__convex *cx, sneppp_model *shadow)
{
   cx->cones = model->readouts;
   *shadow = *model;
   for (int k = 0; k < model->readouts; k++) {
      const sneppp_readout_state *R = &model->readout[k];
      sneppp__place_cone(c, model, k, &cx->cone[k]);
      shadow->readout[k].V = (sneppp_real *)sneppp__take(c, (size_t)R->m, (size_t)R->n, sizeof(sneppp_real));
   }
}

static sneppp_status sneppp__fit_convex(sneppp_model *model, const sneppp_fit_desc *desc,
                                        sneppp_report *report, sneppp_error *err)
{
   sneppp__convex cx;
   sneppp_model   shadow;
   sneppp__carver c = sneppp__measure();
   sneppp__block  block;
   size_t         realisations = desc->realisations ? desc->realisations : 1;
   sneppp_status  st;
   memset(&cx, 0, sizeof cx);
   cx.start = SNEPPP_SECONDS();
   st = sneppp__realisations_check(model, desc->events, realisations, &cx.loss.count, err);
   if (st != SNEPPP_OK) return st;
   cx.model = model, cx.desc = desc;
   cx.loss.model = model, cx.loss.events = desc->events, cx.loss.realisations = realisations;
   st = sneppp__convex_check(model, desc, &cx, err);
   if (st != SNEPPP_OK) return st;
   sneppp__place_convex(&c, model, &cx, &shadow);
   st = sneppp__block_get(&block, &c, NULL, 0, model->desc.alloc_ctx, err);
   if (st != SNEPPP_OK) return st;
   sneppp__place_convex(&c, model, &cx, &shadow);
   cx.total = sneppp__total_weight(desc->events, realisations);
   st = sneppp__convex_grams(&cx, err);
   if (st == SNEPPP_OK && !sneppp__finite(cx.total))
      st = sneppp__fail(err, SNEPPP_ERR_DATA, "the weights of the events have no finite sum");
   cx.alpha = model->desc.alpha > 0 ? model->desc.alpha : cx.total > 0 ? cx.total / cx.mass : 1;
   cx.floor *= cx.mass > 0 ? cx.total / cx.mass : 0;
   cx.now.method = desc->method, cx.now.events = cx.loss.count, cx.now.steps = cx.steps, cx.now.width = model->n;
   cx.now.held_out = sneppp__nan();
   cx.now.ending = SNEPPP_CONVERGED;
   if (st == SNEPPP_OK && !(cx.total > 0)) { /* nothing was seen: the intensity 0 is the exact optimum */
      for (int k = 0; k < model->readouts; k++)
         memset(shadow.readout[k].V, 0,
                (size_t)model->readout[k].m * (size_t)model->readout[k].n * sizeof(sneppp_real));
   } else if (st == SNEPPP_OK) {
      st = model->desc.mix == SNEPPP_MIX_SEPARABLE && model->readouts > 1
              ? sneppp__convex_separable(&cx, &shadow, err)
              : sneppp__convex_solve(&cx, &shadow, err);
   }
   if (st == SNEPPP_OK) {
      for (int k = 0; k < model->readouts; k++)
         memcpy(model->readout[k].V, shadow.readout[k].V,
                (size_t)model->readout[k].m * (size_t)model->readout[k].n * sizeof(sneppp_real));
      model->alpha = cx.alpha;
      model->floor = cx.floor;
      cx.now.gap = cx.gap, cx.now.rank = (int)cx.rank, cx.now.dropped = (int)cx.dropped;
      cx.now.seconds = SNEPPP_SECONDS() - cx.start;
      if (report) *report = cx.now;
   }
   sneppp__block_free(&block);
   return st;
}

/* ---- learning everything: AdamW (Loshchilov and Hutter 2019) on one flat vector theta of doubles, the master copy
   from which the model's arrays are written. Some parameters are learnt through a map that keeps them legal:

      V, W, b             as they are             GAUSS weights   pi = softmax(theta)
      RBF widths          exp(theta)              GAUSS means     theta / rate   (rate: see sneppp_layer_state)
      floor               exp(theta)              GAUSS scales    exp(theta)                                       */
typedef enum sneppp__map { SNEPPP__MAP_PLAIN, SNEPPP__MAP_LOG, SNEPPP__MAP_LOGIT, SNEPPP__MAP_RATED } sneppp__map;

typedef struct sneppp__learnt { /* a run of theta that belongs to one array of the model */
   sneppp__map   map;
   int           decays;         /* weight decay pulls it towards zero                     */
   size_t        first, count;
   sneppp_real  *real;           /* the array, in one of two precisions                    */
   double       *wide;
   const double *rate;           /* RATED: (d), repeated                                   */
   size_t        d;
} sneppp__learnt;

#define SNEPPP__MAX_LEARNT (7 * SNEPPP_MAX_FACTORS + 1)

/* Lists the segments in their fixed order and points grad at `raw`, the flat gradient. Returns how many. */
static int sneppp__learnt_list(sneppp_model *model, int freeze, sneppp__learnt *seg, double *raw,
                               sneppp_grad *grad, size_t *total)
{
   int    used = 0;
   size_t at = 0;
   memset(grad, 0, sizeof *grad);
#define SNEPPP__LEARNT(map_, decays_, real_, wide_, count_, rate_, d_, grad_) do { \
      seg[used].map = (map_), seg[used].decays = (decays_), seg[used].real = (real_), seg[used].wide = (wide_); \
      seg[used].first = at, seg[used].count = (count_), seg[used].rate = (rate_), seg[used].d = (d_); \
      if (raw) (grad_) = raw + at; \
      at += seg[used++].count; } while (0)
   for (int k = 0; k < model->readouts && !(freeze & SNEPPP_FREEZE_READOUT); k++) {
      sneppp_readout_state *R = &model->readout[k];
      SNEPPP__LEARNT(SNEPPP__MAP_PLAIN, 1, R->V, NULL, (size_t)R->m * (size_t)R->n, NULL, 1, grad->V[k]);
   }
   for (int f = 0; f < model->factors; f++) {
      sneppp_layer_state *L = &model->layer[f];
      size_t n = (size_t)L->n, d = (size_t)L->d, K = L->inside.count;
      if (!(freeze & SNEPPP_FREEZE_LAYER)) {
         SNEPPP__LEARNT(SNEPPP__MAP_PLAIN, !L->width, L->W, NULL, n * d, NULL, d, grad->W[f]);
         if (L->width) SNEPPP__LEARNT(SNEPPP__MAP_LOG, 0, L->width, NULL, n * d, NULL, d, grad->width[f]);
         else if (!model->desc.factor[f].no_bias)
            SNEPPP__LEARNT(SNEPPP__MAP_PLAIN, 1, L->b, NULL, n, NULL, 1, grad->b[f]);
      }
      if (L->inside.space == SNEPPP_GAUSS &&
          !(freeze & SNEPPP_FREEZE_MEASURE)) { /* the lists live in the model's own block */
         SNEPPP__LEARNT(SNEPPP__MAP_LOGIT, 0, NULL, (double *)(uintptr_t)L->inside.weight, K, NULL, 1, grad->weight[f]);
         SNEPPP__LEARNT(SNEPPP__MAP_RATED, 0, NULL, (double *)(uintptr_t)L->inside.mean, K * d, L->rate, d,
                        grad->mean[f]);
         SNEPPP__LEARNT(SNEPPP__MAP_LOG, 0, NULL, (double *)(uintptr_t)L->inside.scale, K * d, NULL, d, grad->scale[f]);
      }
   }
   if (model->floor > 0 && !(freeze & SNEPPP_FREEZE_FLOOR))
      SNEPPP__LEARNT(SNEPPP__MAP_LOG, 0, NULL, &model->floor, 1, NULL, 1, grad->floor);
#undef SNEPPP__LEARNT
   *total = at;
   return used;
}

static double sneppp__learnt_get(const sneppp__learnt *s, size_t i)
{
   return s->real ? (double)s->real[i] : s->wide[i];
}

static void sneppp__learnt_set(const sneppp__learnt *s, size_t i, double v)
{
   if (s->real) s->real[i] = (sneppp_real)v;
   else s->wide[i] = v;
}

/* theta from the model. */
static void sneppp__theta_read(const sneppp__learnt *seg, int segments, double *theta)
{
   for (int k = 0; k < segments; k++)
      for (size_t i = 0; i < seg[k].count; i++) {
         double v = sneppp__learnt_get(&seg[k], i);
         if (seg[k].map == SNEPPP__MAP_LOG || seg[k].map == SNEPPP__MAP_LOGIT) v = log(v > 1e-300 ? v : 1e-300);
         if (seg[k].map == SNEPPP__MAP_RATED) v *= seg[k].rate[i % seg[k].d];
         theta[seg[k].first + i] = v;
      }
}

/* The model from theta. The mass of a mixture, which softmax would set to one, stays what it was. */
static void sneppp__theta_write(const sneppp__learnt *seg, int segments, const double *theta)
{
   for (int k = 0; k < segments; k++) {
      const double *t = theta + seg[k].first;
      double        mass = 0, total = 0, top = seg[k].count ? t[0] : 0;
      if (seg[k].map == SNEPPP__MAP_PLAIN) { /* nearly all of theta, and always of the model's precision */
         for (size_t i = 0; i < seg[k].count; i++) seg[k].real[i] = (sneppp_real)t[i];
         continue;
      }
      if (seg[k].map == SNEPPP__MAP_LOGIT) {
         for (size_t i = 0; i < seg[k].count; i++) { mass += seg[k].wide[i]; if (t[i] > top) top = t[i]; }
         for (size_t i = 0; i < seg[k].count; i++) total += exp(t[i] - top);
      }
      for (size_t i = 0; i < seg[k].count; i++) {
         double v = t[i];
         if (seg[k].map == SNEPPP__MAP_LOG) v = exp(v);
         if (seg[k].map == SNEPPP__MAP_LOGIT) v = mass * exp(v - top) / total;
         if (seg[k].map == SNEPPP__MAP_RATED) v /= seg[k].rate[i % seg[k].d];
         sneppp__learnt_set(&seg[k], i, v);
      }
   }
}

/* From derivatives with respect to the model's arrays to those with respect to theta, in place. */
static void sneppp__theta_chain(const sneppp__learnt *seg, int segments, double *raw)
{
   for (int k = 0; k < segments; k++) {
      double *g = raw + seg[k].first, mean = 0, mass = 0;
      if (seg[k].map == SNEPPP__MAP_PLAIN) continue;
      if (seg[k].map == SNEPPP__MAP_LOGIT) {
         for (size_t i = 0; i < seg[k].count; i++) { mean += seg[k].wide[i] * g[i]; mass += seg[k].wide[i]; }
         mean /= mass;
      }
      for (size_t i = 0; i < seg[k].count; i++) {
         if (seg[k].map == SNEPPP__MAP_LOG) g[i] *= sneppp__learnt_get(&seg[k], i);
         if (seg[k].map == SNEPPP__MAP_LOGIT) g[i] = seg[k].wide[i] * (g[i] - mean);
         if (seg[k].map == SNEPPP__MAP_RATED) g[i] /= seg[k].rate[i % seg[k].d];
      }
   }
}

#ifdef SNEPPP__VECTOR
/* A run of AdamW with the bias corrections 1/c1 and 1/c2 in hand. */
SNEPPP__TARGET_AVX2 static size_t sneppp__adamw_vectors(size_t n, const double *g, double scale,
                                                        double *theta, double *m, double *v, double keep,
                                                        double rate, double beta1, double beta2, double c1,
                                                        double c2)
{
   __m256d b1 = _mm256_set1_pd(beta1), b2 = _mm256_set1_pd(beta2), a1 = _mm256_set1_pd((1 - beta1) * scale),
           a2 = _mm256_set1_pd((1 - beta2) * scale * scale);
   __m256d k = _mm256_set1_pd(keep), r = _mm256_set1_pd(rate / c1), i2 = _mm256_set1_pd(1 / c2),
           tiny = _mm256_set1_pd(1e-8);
   size_t  i = 0;
   for (; i + 4 <= n; i += 4) {
      __m256d d = _mm256_loadu_pd(g + i), x = _mm256_fmadd_pd(b1, _mm256_loadu_pd(m + i), _mm256_mul_pd(a1, d));
      __m256d y = _mm256_fmadd_pd(b2, _mm256_loadu_pd(v + i), _mm256_mul_pd(a2, _mm256_mul_pd(d, d)));
      _mm256_storeu_pd(m + i, x);
      _mm256_storeu_pd(v + i, y);
      y = _mm256_div_pd(_mm256_mul_pd(r, x), _mm256_add_pd(_mm256_sqrt_pd(_mm256_mul_pd(y, i2)), tiny));
      _mm256_storeu_pd(theta + i, _mm256_fmsub_pd(k, _mm256_loadu_pd(theta + i), y));
   }
   return i;
}
#endif

/* One step of AdamW with the gradient scale * g, step counted from 1. */
static void sneppp__adamw(const sneppp__learnt *seg, int segments, const double *g, double scale,
                          double *theta, double *m, double *v, double rate, const sneppp_fit_desc *o,
                          size_t step)
{
   double c1 = 1 - pow(o->beta1, (double)step), c2 = 1 - pow(o->beta2, (double)step);
   for (int k = 0; k < segments; k++) {
      double keep = seg[k].decays ? 1 - rate * o->decay : 1;
      size_t i = seg[k].first;
#ifdef SNEPPP__VECTOR
      if (sneppp__has_vectors())
         i += sneppp__adamw_vectors(seg[k].count, g + i, scale, theta + i, m + i, v + i, keep, rate, o->beta1,
                                    o->beta2, c1, c2);
#endif
      for (; i < seg[k].first + seg[k].count; i++) {
         double e = scale * g[i];
         m[i] = o->beta1 * m[i] + (1 - o->beta1) * e;
         v[i] = o->beta2 * v[i] + (1 - o->beta2) * e * e;
         theta[i] = keep * theta[i] - rate * (m[i] / c1) / (sqrt(v[i] / c2) + 1e-8);
      }
   }
}

/* The learning rate of a step, counted from 0. */
static double sneppp__rate(const sneppp_fit_desc *o, size_t step)
{
   double r = o->rate, done = (double)step / (double)o->steps;
   if (step < o->warmup) return r * (double)(step + 1) / (double)o->warmup;
   if (o->schedule == SNEPPP_RATE_COSINE) return r * 0.5 * (1 + cos(SNEPPP__PI * done));
   if (o->schedule == SNEPPP_RATE_LINEAR) return r * (1 - done);
   return r;
}

/* ---- the trainer: everything that a run needs, in one block, so that steps do not allocate */
static sneppp_status sneppp__fit_check(const sneppp_model *model, const sneppp_fit_desc *o, sneppp_error *err)
{
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (!o) return sneppp__fail(err, SNEPPP_ERR_ARG, "the fit description is NULL");
   if (o->start_zero || o->end_zero)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "fit.start_zero or fit.end_zero is not 0: zero the struct first");
   if ((int)o->method < 0 || o->method >= SNEPPP_METHOD_END)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "fit.method = %d is not a sneppp_method", (int)o->method);
   if ((int)o->schedule < 0 || o->schedule >= SNEPPP_SCHEDULE_END)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "fit.schedule = %d is not a sneppp_schedule",
                          (int)o->schedule);
   if (!o->events) return sneppp__fail(err, SNEPPP_ERR_ARG, "fit.events is NULL");
#define SNEPPP__CHECK(field, low, high) \
   if (!sneppp__finite(o->field) || o->field < (low) || o->field > (high)) \
   return sneppp__fail(err, SNEPPP_ERR_ARG, "fit." #field " = %g must be from %g to %g", o->field, \
                       (double)(low), (double)(high))
   SNEPPP__CHECK(tol, -1, 1e300);
   SNEPPP__CHECK(eps1, -1, 1e300);
   SNEPPP__CHECK(eps2, 0, 1e300);
   SNEPPP__CHECK(trace, 0, 1e300);
   SNEPPP__CHECK(floor, -1, 1);
   SNEPPP__CHECK(rate, 0, 1e6);
   SNEPPP__CHECK(beta1, 0, 0.9999999);
   SNEPPP__CHECK(beta2, 0, 0.9999999);
   SNEPPP__CHECK(decay, -1, 1e6);
   SNEPPP__CHECK(clip, 0, 1e300);
   SNEPPP__CHECK(holdout, 0, 0.9);
#undef SNEPPP__CHECK
   return SNEPPP_OK;
}

static void sneppp__place_run(sneppp__carver *c, sneppp_trainer *t, sneppp__loss *loss, size_t count)
{
   t->loss = sneppp__take(c, 1, 1, sizeof(sneppp__loss));
   t->theta = (double *)sneppp__take(c, count, 1, sizeof(double));
   t->moment1 = (double *)sneppp__take(c, count, 1, sizeof(double));
   t->moment2 = (double *)sneppp__take(c, count, 1, sizeof(double));
   t->gradient = (double *)sneppp__take(c, count, 1, sizeof(double));
   t->best = (double *)sneppp__take(c, count, 1, sizeof(double));
   t->base = c->base ? c->base + c->used : NULL;
   c->fence = 0; /* each evaluation lays this part out anew, with or without the arrays of gradients */
   sneppp__place_loss(c, loss);
}

static void sneppp__loss_range(sneppp_trainer *t, sneppp__loss *loss, size_t lo, size_t hi, size_t first,
                               size_t batch, uint64_t shuffle)
{
   loss->lo = lo, loss->hi = hi, loss->first = first, loss->batch = batch;
   loss->key = t->desc.seed, loss->shuffle = shuffle;
}

/* Value (and gradient) on a part of the events; the report's nll is per event and has log N! in it. */
static sneppp_status sneppp__trainer_look(sneppp_trainer *t, int held, sneppp_grad *grad, double *nll,
                                          double *expected, sneppp_error *err)
{
   sneppp__loss *loss = (sneppp__loss *)t->loss;
   double        value = 0, N = (double)t->events;
   sneppp_status st;
   if (held) sneppp__loss_range(t, loss, 0, t->held, 0, t->held, 0);
   else if (t->desc.batch) {
      size_t train = t->events - t->held, at = t->report.step * t->desc.batch;
      sneppp__loss_range(t, loss, t->held, t->events, at % train, t->desc.batch, 1 + (uint64_t)(at / train));
   } else if (t->held) sneppp__loss_range(t, loss, t->held, t->events, 0, t->events - t->held, 0);
   else sneppp__loss_range(t, loss, 0, t->events, 0, 0, 0);
   loss->gradient = grad ? 2 : 0;
   st = sneppp__loss_eval(loss, t->base, &value, expected, grad, &t->desc.parallel, err);
   if (st == SNEPPP_OK) *nll = (value + t->log_factorials) / N;
   return st;
}

SNEPPP_DEF void sneppp_trainer_free(sneppp_trainer *t)
{
   sneppp__block block;
   if (!t) return;
   block.raw = t->block, block.bytes = t->block_bytes, block.ctx = t->model ? t->model->desc.alloc_ctx : NULL;
   sneppp__block_free(&block);
   memset(t, 0, sizeof *t);
}

/* Before the first step: alpha = N / mass as the paper advises, the floor, and V scaled so that the model
   expects as many events as there are. */
static sneppp_status sneppp__trainer_begin(sneppp_trainer *t, sneppp_error *err)
{
   sneppp_model   *model = t->model;
   sneppp__learnt seg[SNEPPP__MAX_LEARNT];
   sneppp_grad     grad;
   size_t          count;
   double          nll = 0, expected = 0, mass = 1, N = t->weights, target;
   sneppp_status   st;
   for (int f = 0; f < model->factors; f++) mass *= sneppp_window_mass(&model->layer[f].inside);
   if (!(model->desc.alpha > 0)) model->alpha = mass > 0 ? N / mass : N;
   if (t->desc.floor > 0) model->floor = mass > 0 ? t->desc.floor * N / mass : 0;
   if (t->desc.floor < 0) model->floor = 0;
   st = sneppp__trainer_look(t, 0, NULL, &nll, &expected, err);
   if (st != SNEPPP_OK) return st;
   target = N - model->floor * t->mass; /* with several realisations the mass that was watched counts several times */
   if (target < 0.01 * N) target = 0.01 * N;
   expected -= model->floor * t->mass;
   for (int k = 0; expected > 0 && k < model->readouts; k++) {
      sneppp_readout_state *R = &model->readout[k];
      double scale = sqrt(target / expected);
      if (model->desc.mix == SNEPPP_MIX_SEPARABLE) scale = pow(target / expected, 0.5 / model->readouts);
      for (size_t i = 0; i < (size_t)R->m * (size_t)R->n; i++) R->V[i] = (sneppp_real)((double)R->V[i] * scale);
   }
   sneppp__theta_read(seg, sneppp__learnt_list(model, t->desc.freeze, seg, NULL, &grad, &count), t->theta);
   memcpy(t->best, t->theta, count * sizeof *t->best);
   return SNEPPP_OK;
}

SNEPPP_DEF sneppp_status sneppp_trainer_init(sneppp_trainer *t, sneppp_model *model,
                                             const sneppp_fit_desc *desc, sneppp_error *err)
{
   sneppp__learnt seg[SNEPPP__MAX_LEARNT];
   sneppp_grad     grad;
   sneppp__loss    loss;
   sneppp__carver  c = sneppp__measure();
   sneppp__block   block;
   sneppp_status   st;
   sneppp_fit_desc o;
   size_t          count = 0, events = 0;
   if (!t) return sneppp__fail(err, SNEPPP_ERR_ARG, "the trainer is NULL");
   memset(t, 0, sizeof *t);
   st = sneppp__fit_check(model, desc, err);
   if (st != SNEPPP_OK) return st;
   o = *desc;
   if (!o.realisations) o.realisations = 1;
   if (!o.steps) o.steps = 600;
   if (!(o.rate > 0)) o.rate = 0.0125;
   if (!(o.beta1 > 0)) o.beta1 = 0.9;
   if (!(o.beta2 > 0)) o.beta2 = 0.999;
   if (o.decay == 0) o.decay = 0.01;
   if (o.decay < 0) o.decay = 0;
   if (!o.patience) o.patience = 10;
   if (!o.seed) o.seed = 1;
   st = sneppp__realisations_check(model, o.events, o.realisations, &events, err);
   if (st != SNEPPP_OK) return st;
   if (!events) return sneppp__fail(err, SNEPPP_ERR_DATA, "there are no events to learn from");
   memset(&loss, 0, sizeof loss);
   loss.model = model, loss.events = o.events, loss.realisations = o.realisations, loss.count = events,
   loss.gradient = 2;
   sneppp__learnt_list(model, o.freeze | (o.floor > 0 ? 0 : SNEPPP_FREEZE_FLOOR), seg, NULL, &grad, &count);
   if (o.floor > 0) count++; /* the floor becomes positive before the first step */
   if (!count) return sneppp__fail(err, SNEPPP_ERR_ARG, "fit.freeze leaves nothing to learn");
   sneppp__place_run(&c, t, &loss, count);
   st = sneppp__block_get(&block, &c, NULL, 0, model->desc.alloc_ctx, err);
   if (st != SNEPPP_OK) return st;
   sneppp__place_run(&c, t, &loss, count);
   memcpy(t->loss, &loss, sizeof loss);
   memset(t->moment1, 0, count * sizeof(double));
   memset(t->moment2, 0, count * sizeof(double));
   t->block = block.raw, t->block_bytes = block.bytes;
   model->nodes = 0;
   t->model = model, t->desc = o, t->events = events, t->parameters = count, t->rate_cut = 1;
   t->held = (size_t)(o.holdout * (double)events);
   if (t->desc.batch >= events - t->held) t->desc.batch = 0;
   t->log_factorials = sneppp__log_factorials(o.events, o.realisations);
   for (size_t r = 0; r < o.realisations; r++) {
      double mass = 1;
      for (int f = 0; f < model->factors; f++)
         mass *=
            sneppp_window_mass(o.events[r].seen && o.events[r].seen->factor[f] ? o.events[r].seen->factor[f]
                                                                               : &model->layer[f].inside);
      t->mass += mass;
      if (!o.events[r].weight) t->weights += (double)o.events[r].count;
      else for (size_t i = 0; i < o.events[r].count; i++) t->weights += (double)o.events[r].weight[i];
   }
   t->report.method = SNEPPP_ADAM, t->report.events = events, t->report.steps = o.steps;
   t->report.gap = t->report.held_out = sneppp__nan();
   t->report.width = model->n, t->report.rank = model->readout[0].m;
   t->started = SNEPPP_SECONDS();
   st = sneppp__trainer_begin(t, err);
   if (st != SNEPPP_OK) sneppp_trainer_free(t);
   return st;
}

/* One step. A step that leads to a likelihood that is not finite is undone and taken again with half the rate. */
SNEPPP_DEF sneppp_status sneppp_trainer_step(sneppp_trainer *t, sneppp_error *err)
{
   sneppp__learnt seg[SNEPPP__MAX_LEARNT];
   sneppp_grad     grad;
   sneppp_error    inner;
   size_t          count;
   int             segments;
   double          norm, scale;
   sneppp_status   st;
   if (!t || !t->block) return sneppp__fail(err, SNEPPP_ERR_ARG, "the trainer is NULL or was never made");
   segments = sneppp__learnt_list(t->model, t->desc.freeze, seg, t->gradient, &grad, &count);
   sneppp__theta_write(seg, segments, t->theta);
   for (;;) {
      memset(t->gradient, 0, count * sizeof *t->gradient);
      st = sneppp__trainer_look(t, 0, &grad, &t->report.nll, &t->report.expected, &inner);
      if (st == SNEPPP_OK) break;
      if ((st != SNEPPP_ERR_RANGE && st != SNEPPP_ERR_NOT_FINITE) || t->rate_cut < 1e-6) {
         if (err) *err = inner;
         return st;
      }
      t->rate_cut *= 0.5;
      memcpy(t->theta, t->best, count * sizeof *t->theta);
      memset(t->moment1, 0, count * sizeof(double));
      memset(t->moment2, 0, count * sizeof(double));
      sneppp__theta_write(seg, segments, t->theta);
   }
   sneppp__theta_chain(seg, segments, t->gradient);
   scale = 1 / (double)t->events; /* per event, so that rates do not depend on their number */
   norm = scale * sqrt(sneppp__long_dot(count, t->gradient, t->gradient));
   t->report.gradient = norm;
   if (!t->held) memcpy(t->best, t->theta, count * sizeof *t->best); /* the last point known to be finite */
   if (t->desc.clip > 0 && norm > t->desc.clip) scale *= t->desc.clip / norm;
   sneppp__adamw(seg, segments, t->gradient, scale, t->theta, t->moment1, t->moment2,
                 t->rate_cut * sneppp__rate(&t->desc, t->report.step), &t->desc, t->report.step + 1);
   t->report.step++;
   sneppp__theta_write(seg, segments, t->theta);
   t->report.seconds = SNEPPP_SECONDS() - t->started;
   return SNEPPP_OK;
}

/* Looks at the held-out part; keeps the best parameters. Returns 1 when patience is over. */
static int sneppp__trainer_patience(sneppp_trainer *t, sneppp_error *err, sneppp_status *st)
{
   double nll = 0;
   *st = sneppp__trainer_look(t, 1, NULL, &nll, NULL, err);
   if (*st != SNEPPP_OK) return 1;
   if (!t->looks++ || nll < t->report.held_out) {
      t->report.held_out = nll;
      memcpy(t->best, t->theta, t->parameters * sizeof *t->best);
      t->since = 0;
      return 0;
   }
   return ++t->since >= t->desc.patience;
}

static sneppp_status sneppp__fit_adam(sneppp_model *model, const sneppp_fit_desc *desc, sneppp_report *report,
                                      sneppp_error *err)
{
   sneppp_trainer t;
   sneppp_status  st = sneppp_trainer_init(&t, model, desc, err);
   size_t         every;
   if (st != SNEPPP_OK) return st;
   every = t.desc.steps / 60 + 1;
   t.report.ending = SNEPPP_RUNNING;
   while (st == SNEPPP_OK && t.report.step < t.desc.steps) {
      st = sneppp_trainer_step(&t, err);
      if (st == SNEPPP_OK && t.held && t.report.step % every == 0 && sneppp__trainer_patience(&t, err, &st)) {
         t.report.ending = SNEPPP_CONVERGED;
         break;
      }
      if (st == SNEPPP_OK && t.desc.progress && t.desc.progress(&t.report, model, t.desc.user)) {
         t.report.ending = SNEPPP_ASKED_TO_STOP;
         break;
      }
   }
   if (t.report.ending == SNEPPP_RUNNING) t.report.ending = st == SNEPPP_OK ? SNEPPP_STEP_LIMIT : SNEPPP_NO_PROGRESS;
   {
      sneppp__learnt seg[SNEPPP__MAX_LEARNT];
      sneppp_grad     grad;
      size_t          count;
      int             segments = sneppp__learnt_list(model, t.desc.freeze, seg, NULL, &grad, &count);
      if (st != SNEPPP_OK || (t.held && t.looks))
         sneppp__theta_write(seg, segments, t.best); /* the best finite model is kept */
   }
   if (st == SNEPPP_OK)
      st = sneppp__nll(model, t.desc.events, t.desc.realisations, &t.report.nll, &t.report.expected, NULL,
                       &t.desc.parallel, err);
   if (st == SNEPPP_OK) t.report.nll = (t.report.nll + t.log_factorials) / (double)t.events;
   t.report.seconds = SNEPPP_SECONDS() - t.started;
   if (report) *report = t.report;
   sneppp_trainer_free(&t);
   return st;
}


/* >>auto =====================================================================================================
   The default fit. Every event carries Gaussian bumps of many widths, each divided by its exact mass in what was
   seen of the window; how much each width counts is chosen by exact leave-one-out likelihood:

      lambda(x) = N/|X| [ p_0 + sum_c p_c 1/N sum_j bump_jc(x) ],      bump_jc = exp(-|x - x_j|^2 / 2 h_jc^2) / mean.

   This is a squared network with radial units psi = sqrt(bump), a diagonal V and a constant. Widths come in ladders,
   h = top 2^(-s/2): one ladder is the same everywhere, two adapt to the distances d_2 and d_8 to the second and
   eighth neighbour. The weights p maximise a concave likelihood (below), with a certificate. Choosing some forty
   numbers this way cannot overfit as a weight per event does, but it does a little: they are trusted only when they
   gain several nats over an average of the classical estimates, each with one width and a floor, its centres on the
   events or moved to the mean of what is around them.

   In a product of windows the bump is the product of the factors' bumps, von Mises and Fisher's on the sphere, so
   psi is the entrywise product of radial units. All factors share the ladders, in a metric whose axes have relative
   lengths that leave-one-out chooses too. Event j counts with its weight w_j; several realisations are added. */
#define SNEPPP__FIXED    26     /* levels of the fixed ladder                                               */
#define SNEPPP__NEAR     7      /* levels of a neighbour ladder, h = 2 d_k .. d_k / 4                        */
#define SNEPPP__LADDERS  3
#define SNEPPP__COLUMNS  (SNEPPP__FIXED + 2 * SNEPPP__NEAR + 1)
#define SNEPPP__UNIFORM  0.1    /* pseudo-events on the floor: no new event can cost more than log(10 N + 1) */
#define SNEPPP__NARROWER 0.35   /* prior of a width, in nats less than that of the next wider one           */
#define SNEPPP__PATIENT  2.5    /* events per axis: N of them speak as N / (N + these); two may be close by chance */
#define SNEPPP__GATE     5.0    /* nats of leave-one-out gain from which on the mixture begins to be trusted, */
#define SNEPPP__OPEN     8.0    /* and at which it is trusted wholly                                        */
#define SNEPPP__SHARP    5      /* widths with moved centres: the best fixed one, and wider by up to four        */
#define SNEPPP__MOVED    4096   /* centres are moved in patterns of no more events than this, which costs N^2    */
#define SNEPPP__QUERIES  4096   /* leave-one-out is taken at no more events than this                       */
#define SNEPPP__CENTRES  16384  /* above this many events, a random subset carries the bumps of all         */
#define SNEPPP__LEAST    3e-5   /* of the window: smaller widths chase the rounding of coordinates          */

/* One ladder over all centres. scale[s][j] = weight / mean of the bump over the window. For neighbour ladders
   `other` and `oscale` are what j would have had without one of its own k nearest neighbours (d_(k+1) in place of
   d_k), and near2[j] = d_k^2 tells who these are: with them leave-one-out is exact. Without, widths know the event
   that is left out, and leave-one-out is far too hopeful. */
typedef struct sneppp__ladder {
   int     S;
   size_t  row;                              /* N + LEAF: stride of the levels, padded with zeros           */
   double *top, *other, *near2, *scale, *oscale;
   double *widest2;                          /* (nodes) largest top^2 below a node                          */
} sneppp__ladder;

/* A mixture of bumps of a given number, for models with a budget. */
typedef struct sneppp__few { size_t B; double *c, *h, *p, *scale, floor; } sneppp__few;

/* Events are points of the tree: the coordinates of all factors, each window scaled to the unit cube by its bounding
   box, then axis k by a[k]. A sphere has the diameter a, that is the radius `round`. Seen is what the realisations saw
   together, in these units before a[k]; the mean of a bump is taken over it. */
typedef struct sneppp__auto {
   const sneppp_model  *model;
   const sneppp_events *events;
   size_t               parts;               /* realisations with a view of their own; 1 if all saw the same */
   int                  hole;                /* the factor whose unseen part is filled with mirrored events, or -1 */
   double               seen, weights;       /* sum of the masses of the parts; sum of the events' weights  */
   double               scale;               /* weights of events are scale times yw                        */
   int                  d, sphere;           /* coordinates; the first one of a sphere or -1                */
   double               a[SNEPPP_RADIAL_DIM], lo[SNEPPP_RADIAL_DIM], side[SNEPPP_RADIAL_DIM];
   size_t               N, R, nodes;         /* centres; those that are events, the others mirror them      */
   double              *y, *x;               /* (N, d) in the unit cube, shuffled; scaled, in tree order    */
   double              *yw, *w;              /* (N) their weights, of mean 1; in tree order                 */
   size_t              *ysrc, *src;          /* (N) the event that a centre is or mirrors; in tree order    */
   size_t              *order;
   sneppp_node         *node;
   sneppp__ladder       ladder[SNEPPP__LADDERS];
   double              *L, *q;               /* (QUERIES, COLUMNS) leave-one-out densities; (QUERIES) weights */
   size_t              *ask;                 /* (QUERIES) the events at which they are taken: the first Q of y, so
                                                that other axes are judged by the same events                */
   size_t               Q, most;             /* how many, no more than `most`                               */
   size_t               held;                /* events behind the centres in y: if not 0, they ask instead  */
   double              *lane;                /* (LANES, N) weights of the events next to each centre        */
   size_t              *next;                /* (held) the centre next to each of these events              */
   int                  C;
   double               p[SNEPPP__COLUMNS], gap, gain, evidence;
   int                  sharps;              /* levels with moved centres, 0 or SHARP; see sneppp__auto_sharpen */
   double               sh[SNEPPP__SHARP], ps[SNEPPP__SHARP]; /* their widths and weights                  */
   double *sx, *still, *sum, *sscale,
      *LS; /* (SHARP, N, d) centres and what is taken off them, (SHARP, N, 1 + d)
                                                sums, (SHARP, N) as ladder.scale, (QUERIES, SHARP) as L      */
   sneppp__exp_table    table;
} sneppp__auto;

static void sneppp__place_auto(sneppp__carver *c, size_t N, size_t held, int d, sneppp__auto *f)
{
   size_t Q = N < SNEPPP__QUERIES ? N : SNEPPP__QUERIES, row = N + SNEPPP__LEAF, w = sizeof(double), dim = (size_t)d;
   f->y = (double *)sneppp__take(c, N + held + 1, dim, w);
   f->x = (double *)sneppp__take(c, N + held + 1, dim, w);
   f->yw = (double *)sneppp__take(c, N + held + 1, 1, w);
   f->w = (double *)sneppp__take(c, N + held + 1, 1, w);
   f->lane = (double *)sneppp__take(c, held ? SNEPPP__LANES : 0, N, w);
   f->next = (size_t *)sneppp__take(c, held, 1, sizeof *f->next);
   f->ysrc = (size_t *)sneppp__take(c, N + held + 1, 1, sizeof *f->ysrc);
   f->src = (size_t *)sneppp__take(c, N + 1, 1, sizeof *f->src);
   f->order = (size_t *)sneppp__take(c, N + 1, 1, sizeof *f->order);
   f->node = (sneppp_node *)sneppp__take(c, sneppp__tree_room(N), 1, sizeof *f->node);
   f->L = (double *)sneppp__take(c, Q + 1, SNEPPP__COLUMNS, w);
   f->q = (double *)sneppp__take(c, Q + 1, 1, w);
   f->ask = (size_t *)sneppp__take(c, Q + 1, 1, sizeof *f->ask);
   if (N <= SNEPPP__MOVED) {
      f->sx = (double *)sneppp__take(c, SNEPPP__SHARP * (N + 1), dim, w);
      f->still = (double *)sneppp__take(c, SNEPPP__SHARP * (N + 1), dim, w);
      f->sum = (double *)sneppp__take(c, SNEPPP__SHARP * (N + 1), dim + 1, w);
      f->sscale = (double *)sneppp__take(c, SNEPPP__SHARP, N + 1, w);
      f->LS = (double *)sneppp__take(c, Q + 1, SNEPPP__SHARP, w);
   }
   for (int l = 0; l < SNEPPP__LADDERS; l++) {
      sneppp__ladder *q = &f->ladder[l];
      size_t          S = l ? SNEPPP__NEAR : SNEPPP__FIXED;
      q->top = (double *)sneppp__take(c, N + 1, 1, w);
      q->scale = (double *)sneppp__take(c, S, row, w);
      q->widest2 = (double *)sneppp__take(c, sneppp__tree_room(N), 1, w);
      q->other = l ? (double *)sneppp__take(c, N + 1, 1, w) : NULL;
      q->near2 = l ? (double *)sneppp__take(c, N + 1, 1, w) : NULL;
      q->oscale = l ? (double *)sneppp__take(c, S, row, w) : NULL;
   }
}

/* The share of a plane bump at m with standard deviations tau that lies in a polygon. The triangles of
   sneppp__plane_edge whose edge is far from m are whole, and all triangles together go round m once if it is inside,
   not at all if it is outside: only near edges need Owen's function. Next to an edge, angles decide, and the general
   form is used. */
static double sneppp__polygon_share(const sneppp_window *w, const double *m, const double *tau)
{
   double q = 0;
   int    inside = 0;
   for (size_t ring = 0, at = 0; ring < sneppp__ring_count(w); at += sneppp__ring_size(w, ring), ring++) {
      const double *v = w->xy + 2 * at;
      size_t        n = sneppp__ring_size(w, ring);
      double        sign = sneppp__ring_sign(w, ring), ax = (v[2 * n - 2] - m[0]) / tau[0],
             ay = (v[2 * n - 1] - m[1]) / tau[1];
      for (size_t i = 0; i < n; i++) {
         double bx = (v[2 * i] - m[0]) / tau[0], by = (v[2 * i + 1] - m[1]) / tau[1], ux = bx - ax, uy = by - ay,
                dot = -(ax * ux + ay * uy), l2 = ux * ux + uy * uy, cross = ax * uy - ay * ux,
                t = dot <= 0 ? 0 : dot >= l2 ? 1 : dot / l2, near2;
         near2 = (ax + t * ux) * (ax + t * ux) + (ay + t * uy) * (ay + t * uy);
         if ((ay > 0) != (by > 0) && (cross > 0) == (uy > 0))
            inside = !inside; /* the edge crosses the ray to the right */
         if (near2 < 1e-20) return sneppp__plane_moments(w, m, tau, 0).q;
         if (near2 < 2 * SNEPPP__EDGE) {
            double l = sqrt(l2), h = fabs(cross) / l;
            if (h < 1e-10) return sneppp__plane_moments(w, m, tau, 0).q;
            q -= (cross < 0 ? -sign : sign) *
                 (sneppp__owens_t(h, (l2 - dot) / (l * h)) + sneppp__owens_t(h, dot / (l * h)));
         }
         ax = bx, ay = by;
      }
   }
   q += inside;
   return q > 0 ? q : 0;
}

/* The integral of exp(-|x - c|^2 / 2 h^2) over a part of the factor whose first coordinate is k, relative to the box
   around the window. Sphere of radius a: kappa = a^2/h^2, because |x - c|^2 = 2 (a^2 - x.c); relative to its area. */
static double sneppp__factor_mass(const sneppp__auto *f, const sneppp_window *w, int k, const double *c, double h)
{
   double s = 1 / (h * SNEPPP__SQRT2), mass = 1, m[2], tau[2];
   if (w->space == SNEPPP_SPHERE) {
      double kappa = f->a[k] * f->a[k] / (h * h);
      return -expm1(-2 * kappa) / (2 * kappa);
   }
   if (w->space == SNEPPP_POLYGON) {
      for (int r = 0; r < 2; r++) {
         double unit = f->side[k + r] / f->a[k + r];
         m[r] = f->lo[k + r] + c[k + r] * unit, tau[r] = h * unit;
         mass *= h / f->a[k + r];
      }
      return mass * 2 * SNEPPP__PI * sneppp__polygon_share(w, m, tau);
   }
   for (int r = 0; r < w->dim; r++) {
      double sum = 0, unit = f->a[k + r] / f->side[k + r];
      for (size_t q = 0; q < (w->space == SNEPPP_INTERVALS ? w->count : 1); q++) {
         double lo = w->space == SNEPPP_INTERVALS ? w->ends[2 * q] : w->lo[r],
                hi = w->space == SNEPPP_INTERVALS ? w->ends[2 * q + 1] : w->hi[r];
         sum += sneppp__erf_diff(((lo - f->lo[k + r]) * unit - c[k + r]) * s,
                                 ((hi - f->lo[k + r]) * unit - c[k + r]) * s);
      }
      mass *= h / f->a[k + r] * 1.25331413731550025121 * sum; /* sqrt(pi/2) */
   }
   return mass;
}

/* What part r saw of factor g, or all of it where the rest is filled with mirrored events. */
static const sneppp_window *sneppp__auto_view(const sneppp__auto *f, size_t r, int g)
{
   return sneppp__part(f->model, g == f->hole ? NULL : f->events[r].seen, g);
}

/* 1 / mean of exp(-|x - c|^2 / 2 h^2) over what was seen, c in the tree's coordinates. 0 where nothing was seen. */
static double sneppp__bump_scale(const sneppp__auto *f, const double *c, double h)
{
   double total = 0;
   for (size_t r = 0; r < f->parts; r++) {
      double mass = 1;
      for (int g = 0; g < f->model->factors; g++)
         mass *= sneppp__factor_mass(f, sneppp__auto_view(f, r, g), f->model->layer[g].first, c, h);
      total += mass;
   }
   return total > 1e-290 ? f->seen / total : 0;
}

/* ---- sums of ladders */

/* The bumps of one leaf at x. The exponent of the next narrower bump is twice as large: one exponential and S - 1
   squarings serve the whole ladder. Absent points have e = 0. */
static void sneppp__leaf_sum(const sneppp__auto *f, const sneppp__ladder *l, const sneppp_node *n,
                             const double *x, size_t skip, double *out)
{
   const size_t d = (size_t)f->d;
   double       e[SNEPPP__LEAF];
   int          any = 0;
   for (int b = 0; b < SNEPPP__LEAF; b++) e[b] = 0;
   for (size_t b = 0; b < n->count; b++) {
      size_t        j = n->first + b;
      const double *y = f->x + j * d;
      double        r = 0, h = l->top[j];
      for (size_t k = 0; k < d; k++) r += (x[k] - y[k]) * (x[k] - y[k]);
      if (f->src[j] == skip) continue;
      if (l->near2 && !f->held && r <= l->near2[j]) {
         double u = 0.5 * r / (l->other[j] * l->other[j]);
         if (u > SNEPPP__EDGE) continue;
         u = sneppp__exp_neg(&f->table, u);
         for (int s = 0; s < l->S && u > 1e-12; s++, u *= u) out[s] += u * l->oscale[(size_t)s * l->row + j];
         continue;
      }
      r *= 0.5 / (h * h);
      if (r < SNEPPP__EDGE) { e[b] = sneppp__exp_neg(&f->table, r); any = 1; }
   }
   for (int s = 0; any && s < l->S; s++) {
      const double *c = l->scale + (size_t)s * l->row + n->first;
      double        t0 = 0, t1 = 0, t2 = 0, t3 = 0, g = 0;
      for (int b = 0; b < SNEPPP__LEAF; b += 4) {
         t0 += e[b] * c[b], t1 += e[b + 1] * c[b + 1], t2 += e[b + 2] * c[b + 2], t3 += e[b + 3] * c[b + 3];
         g += e[b] + e[b + 1] + e[b + 2] + e[b + 3];
         e[b] *= e[b], e[b + 1] *= e[b + 1], e[b + 2] *= e[b + 2], e[b + 3] *= e[b + 3];
      }
      if (g < 1e-12) break;
      out[s] += t0 + t1 + t2 + t3;
   }
}

/* out[s] += sum over the centres, but the event `skip` and what mirrors it, of level s at x. */
static void sneppp__ladder_sum(const sneppp__auto *f, const sneppp__ladder *l, const double *x, size_t skip,
                               double *out)
{
   size_t stack[128];
   int    top = 0;
   stack[top++] = 0;
   while (top) {
      size_t             id = stack[--top];
      const sneppp_node *n = &f->node[id];
      if (sneppp__node_distance2(n, x, f->d) > 2 * SNEPPP__EDGE * l->widest2[id]) continue;
      if (n->kid) { stack[top++] = n->kid + 1; stack[top++] = n->kid; }
      else sneppp__leaf_sum(f, l, n, x, skip, out);
   }
}

static void sneppp__ladder_scales(const sneppp__auto *f, sneppp__ladder *l, const double *top, double *scale)
{
   for (int s = 0; s < l->S; s++) {
      double factor = pow(2, -0.5 * s);
      memset(scale + (size_t)s * l->row + f->N, 0, SNEPPP__LEAF * sizeof *scale);
      for (size_t j = 0; j < f->N; j++)
         scale[(size_t)s * l->row + j] = f->w[j] * sneppp__bump_scale(f, f->x + j * (size_t)f->d, top[j] * factor);
   }
}

static void sneppp__make_ladders(sneppp__auto *f, int fixed_only)
{
   static const size_t rank[SNEPPP__LADDERS] = {0, 2, 8};
   const size_t        N = f->N, last = N > 1 ? N - 2 : 0; /* index of the farthest neighbour that there is */
   for (int l = 0; l < SNEPPP__LADDERS; l++) {
      f->ladder[l].S = l ? (fixed_only ? 0 : SNEPPP__NEAR) : SNEPPP__FIXED;
      f->ladder[l].row = N + SNEPPP__LEAF;
   }
   for (size_t i = 0; i < N; i++) {
      double best[9];
      f->ladder[0].top[i] = (N < 300 ? 0.5 : N < 1500 ? 0.35355339059327373 : 0.25);
      if (fixed_only) continue;
      sneppp__tree_near(f->d, f->x, f->node, i, 8, best);
      for (int l = 1; l < SNEPPP__LADDERS; l++) {
         sneppp__ladder *q = &f->ladder[l];
         size_t          k = rank[l] - 1 < last ? rank[l] - 1 : last, next = rank[l] < last ? rank[l] : last;
         q->near2[i] = N > 1 ? best[k] : 0;
         q->top[i] = 2 * (N > 1 ? fmin(0.5, fmax(sqrt(best[k]), 4 * SNEPPP__LEAST)) : 0.5);
         q->other[i] = 2 * (N > 1 ? fmin(0.5, fmax(sqrt(best[next]), 4 * SNEPPP__LEAST)) : 0.5);
      }
   }
   for (int l = 0; l < SNEPPP__LADDERS; l++) {
      sneppp__ladder *q = &f->ladder[l];
      if (!q->S) continue;
      sneppp__ladder_scales(f, q, q->top, q->scale);
      if (q->oscale) sneppp__ladder_scales(f, q, q->other, q->oscale);
      for (size_t k = 0; k < f->nodes; k++) {
         const sneppp_node *n = &f->node[k];
         double             m = 0;
         for (size_t i = n->first; i < n->first + n->count; i++) {
            if (q->top[i] > m) m = q->top[i];
            if (q->other && q->other[i] > m) m = q->other[i];
         }
         q->widest2[k] = m * m;
      }
   }
}

/* ---- the weights */

/* F(p) = sum_i q_i log(p.L_i) + sum_c prior_c log p_c - T sum_c p_c, whose maximum over p >= 0 has sum p = 1 by itself
   when T = sum q + sum prior. Returns F; r, if wanted, gets its derivatives without the last term, H (C, C) minus
   the second derivatives. */
static double sneppp__mix_value(size_t N, int C, const double *L, const double *q, const double *prior, double T,
                                const double *p, double *r, double *H)
{
   double value = 0;
   for (int c = 0; r && c < C; c++) r[c] = 0;
   for (int c = 0; H && c < C * C; c++) H[c] = 0;
   for (size_t i = 0; i < N; i++) {
      const double *l = L + i * (size_t)C;
      double        s = 1e-300, v; /* a logarithm even where all densities vanish */
      for (int c = 0; c < C; c++) s += p[c] * l[c];
      value += q[i] * log(s);
      s = 1 / s;
      for (int c = 0; r && c < C; c++) r[c] += q[i] * s * l[c];
      for (int c = 0; H && c < C; c++) {
         v = q[i] * s * s * l[c];
         for (int b = 0; b <= c; b++) H[c * C + b] += v * l[b];
      }
   }
   for (int c = 0; c < C; c++) {
      value -= T * p[c];
      if (!(prior[c] > 0)) continue;
      value += prior[c] * log(p[c]);
      if (r) r[c] += prior[c] / p[c];
      if (H) H[c * C + c] += prior[c] / (p[c] * p[c]);
   }
   return value;
}

/* One step p <- p (1 + d) with (P H P + damp T P) d = P (r - T), P = diag(p): Newton's step in relative changes, which
   cannot leave p > 0. For large damping it is EM, whose factor is 1 + (r - T)/T, so some damping always raises F;
   little is needed although the columns of neighbouring widths are almost alike. Returns 0 when nothing raises F. */
static int sneppp__mix_newton(size_t N, int C, const double *L, const double *q, const double *prior, double T,
                              double *p, double now, const double *r, const double *H)
{
   double A[SNEPPP__COLUMNS * SNEPPP__COLUMNS], d[SNEPPP__COLUMNS], to[SNEPPP__COLUMNS];
   for (double damp = 1e-6; damp < 2; damp *= 10) {
      for (int a = 0; a < C; a++) {
         for (int b = 0; b <= a; b++) A[a * C + b] = A[b * C + a] = p[a] * p[b] * H[a * C + b];
         A[a * C + a] += damp * T * p[a] + 1e-12;
         d[a] = p[a] * (r[a] - T);
      }
      if (sneppp__chol((size_t)C, A, (size_t)C) != SNEPPP_OK) continue;
      sneppp__solve_lower((size_t)C, A, (size_t)C, 0, d, 1, 1);
      sneppp__solve_lower((size_t)C, A, (size_t)C, 1, d, 1, 1);
      for (int c = 0; c < C; c++) to[c] = p[c] * (d[c] > -0.95 ? 1 + d[c] : 0.05);
      if (sneppp__mix_value(N, C, L, q, prior, T, to, NULL, NULL) > now) {
         memcpy(p, to, (size_t)C * sizeof *p);
         return 1;
      }
   }
   return 0;
}

/* Maximises sum_i q_i log(sum_c p_c L_ic) + sum_c prior_c log p_c over the simplex. The problem is concave and
   certifies itself: with r_c the derivative with respect to p_c, max - now <= T log(max_c r_c / T). EM is safe and
   finds the neighbourhood; Newton steps on the few dozen columns finish. Returns the gap per event. */
static double sneppp__mix_em(size_t N, int C, const double *L, const double *q, const double *prior, double *p,
                             double tol)
{
   double r[SNEPPP__COLUMNS], H[SNEPPP__COLUMNS * SNEPPP__COLUMNS], T = 0, events, gap = 0, now, total;
   for (size_t i = 0; i < N; i++) T += q[i];
   events = T;
   for (int c = 0; c < C; c++) T += prior[c];
   for (int step = 0; step < 80; step++) {
      double big = 0;
      int    newton = step >= 12;
      total = 0;
      for (int c = 0; c < C; c++) total += p[c];
      for (int c = 0; c < C; c++) p[c] /= total; /* raises F, and the certificate is for points of the simplex */
      now = sneppp__mix_value(N, C, L, q, prior, T, p, r, newton ? H : NULL);
      for (int c = 0; c < C; c++) if (r[c] > big) big = r[c];
      gap = T * log(big / T) / (events > 0 ? events : 1);
      if (gap < tol) break;
      if (newton && sneppp__mix_newton(N, C, L, q, prior, T, p, now, r, H)) continue;
      for (int c = 0; c < C; c++) p[c] *= r[c] / T; /* EM */
   }
   total = 0;
   for (int c = 0; c < C; c++) total += p[c];
   for (int c = 0; c < C; c++) p[c] /= total;
   return gap > 0 ? gap : 0;
}

/* Takes event i, one of those that ask, out of the sums at its own place: it is in the weight of the centre next to
   it. */
static double sneppp__leave_out(const sneppp__auto *f, size_t i, const double *x, double *row)
{
   size_t j = f->next[i], c = 0;
   double r = 0, own = f->w[f->N + i];
   for (int k = 0; k < f->d; k++) { double e = x[k] - f->x[j * (size_t)f->d + (size_t)k]; r += e * e; }
   for (int l = 0; l < SNEPPP__LADDERS; l++) {
      const sneppp__ladder *q = &f->ladder[l];
      double u = 0.5 * r / (q->top[j] * q->top[j]), e = u < SNEPPP__EDGE ? sneppp__exp_neg(&f->table, u) : 0;
      for (int s = 0; s < q->S; s++, c++, e *= e)
         row[c] = fmax(0, row[c] - e * q->scale[(size_t)s * q->row + j] * own / f->w[j]);
   }
   return own;
}

static void sneppp__query_block(size_t block, void *arg)
{
   sneppp__auto *f = (sneppp__auto *)arg;
   for (size_t i = 64 * block; i < 64 * (block + 1) && i < f->Q; i++) {
      size_t        e = f->held ? f->N + i : f->ask[i];
      double       *row = f->L + i * (size_t)f->C, own = f->w[e];
      const double *x = f->x + e * (size_t)f->d;
      int           c = 0;
      for (int k = 0; k < f->C; k++) row[k] = 0;
      for (int l = 0; l < SNEPPP__LADDERS; c += f->ladder[l].S, l++)
         if (f->ladder[l].S) sneppp__ladder_sum(f, &f->ladder[l], x, f->held ? SIZE_MAX : f->src[e], row + c);
      if (f->held) own = sneppp__leave_out(f, i, x, row);
      for (int k = 0; k < f->C - 1; k++) row[k] /= (double)f->R - own;
      row[f->C - 1] = 1;
   }
}

/* sum_i q_i log(p.L_i), in nats over the constant intensity. */
static double sneppp__auto_gain(const sneppp__auto *f, const double *p, const double *ps)
{
   double gain = 0;
   for (size_t i = 0; i < f->Q; i++) {
      double sum = 1e-300;
      for (int c = 0; c < f->C; c++) sum += p[c] * f->L[i * (size_t)f->C + (size_t)c];
      for (int m = 0; m < f->sharps; m++) sum += ps[m] * f->LS[i * SNEPPP__SHARP + (size_t)m];
      gain += f->q[i] * log(sum);
   }
   return gain;
}

/* How many of the parts contain y, a point of the unit cube. */
static size_t sneppp__auto_seen(const sneppp__auto *f, const double *y)
{
   size_t seen = 0;
   double at[SNEPPP_MAX_DIM] = {0}; /* as long as a point of any window, so that the compiler sees its end */
   for (int k = 0; k < f->d; k++) at[k] = f->lo[k] + y[k] * f->side[k];
   for (size_t r = 0; r < f->parts; r++) {
      int in = 1;
      for (int g = 0; in && g < f->model->factors; g++) {
         const sneppp_window *w = sneppp__auto_view(f, r, g);
         in = w->space == SNEPPP_SPHERE || sneppp_window_contains(w, at + f->model->layer[g].first);
      }
      seen += (size_t)in;
   }
   return seen;
}

/* ---- moved centres. A sum of bumps of width h is the pattern smoothed: hills are too low, by h^2/2 times the second
   derivative. Moving each event to the mean of those around it, weighted by the same bump, sharpens the pattern before
   it is smoothed, so that h can be larger at the same bias ("data sharpening": Choi and Hall, Data perturbation for
   reducing bias in density estimation, Biometrika 86, 1999), and the intensity is still a sum of bumps. Beside the
   border the mean of what is around lies inwards even if nothing is to be seen; that much (`still`, the shift which a
   constant intensity would cause, in closed form) is taken off. On the sphere means are put back onto it. Without
   event i the mean at j is (sum - w_i K_ij x_i) / (sum of weights - w_i K_ij): leave-one-out stays exact. */
static void sneppp__still_shift(const sneppp__auto *f, const double *c, double h, double *out)
{
   for (int g = 0; g < f->model->factors; g++) {
      const sneppp_window *w = sneppp__auto_view(f, 0, g);
      int                  k = f->model->layer[g].first;
      if (w->space == SNEPPP_SPHERE) { out[k] = out[k + 1] = out[k + 2] = 0; continue; }
      if (w->space == SNEPPP_POLYGON) {
         double        m[2], tau[2];
         sneppp__plane q;
         for (int r = 0; r < 2; r++) {
            double unit = f->side[k + r] / f->a[k + r];
            m[r] = f->lo[k + r] + c[k + r] * unit, tau[r] = h * unit;
         }
         q = sneppp__plane_moments(w, m, tau, 1);
         for (int r = 0; r < 2; r++) out[k + r] = q.q > 1e-9 ? h * q.m1[r] / q.q : 0;
         continue;
      }
      for (int r = 0; r < w->dim; r++) {
         double mass = 0, first = 0, unit = f->a[k + r] / f->side[k + r];
         for (size_t q = 0; q < (w->space == SNEPPP_INTERVALS ? w->count : 1); q++) {
            double lo = ((w->space == SNEPPP_INTERVALS ? w->ends[2 * q] : w->lo[r]) - f->lo[k + r]) * unit -
                        c[k + r],
                   hi =
                      ((w->space == SNEPPP_INTERVALS ? w->ends[2 * q + 1] : w->hi[r]) - f->lo[k + r]) * unit -
                      c[k + r];
            mass += 0.5 * sneppp__erf_diff(lo / (h * SNEPPP__SQRT2), hi / (h * SNEPPP__SQRT2));
            first += sneppp__phi(lo / h) - sneppp__phi(hi / h);
         }
         out[k + r] = mass > 1e-9 ? h * first / mass : 0;
      }
   }
}

/* c = sum / weight - still, put back into the box or onto the sphere. */
static void sneppp__moved(const sneppp__auto *f, const double *sum, double weight, const double *still, double *c)
{
   double length = 0;
   for (int k = 0; k < f->d; k++) {
      int round = f->sphere >= 0 && k >= f->sphere && k < f->sphere + 3;
      c[k] = sum[k] / weight - still[k];
      if (round) length += c[k] * c[k];
      else c[k] = fmin(f->a[k], fmax(0, c[k]));
   }
   for (int k = f->sphere; length > 0 && k < f->sphere + 3; k++) c[k] *= f->a[k] / sqrt(length);
}

/* The bumps of all SHARP widths at squared distance r: from the widest, each is the square of the next wider one. */
static void sneppp__sharp_bumps(const sneppp__auto *f, double r, double *K)
{
   double u = 0.5 * r / (f->sh[SNEPPP__SHARP - 1] * f->sh[SNEPPP__SHARP - 1]);
   K[SNEPPP__SHARP - 1] = u < SNEPPP__EDGE ? sneppp__exp_neg(&f->table, u) : 0;
   for (int m = SNEPPP__SHARP - 1; m-- > 0;) K[m] = K[m + 1] * K[m + 1];
}

static void sneppp__sharpen_block(size_t block, void *arg)
{
   sneppp__auto *f = (sneppp__auto *)arg;
   const size_t  d = (size_t)f->d, N = f->N;
   for (size_t j = 64 * block; j < 64 * (block + 1) && j < N; j++) {
      double total[SNEPPP__SHARP * (1 + SNEPPP_RADIAL_DIM)], K[SNEPPP__SHARP], y[SNEPPP_RADIAL_DIM];
      memset(total, 0, sizeof total);
      for (size_t i = 0; i < N; i++) {
         double r = 0;
         for (size_t k = 0; k < d; k++) r += (f->x[i * d + k] - f->x[j * d + k]) * (f->x[i * d + k] - f->x[j * d + k]);
         sneppp__sharp_bumps(f, r, K);
         for (size_t m = 0; m < SNEPPP__SHARP; m++) {
            double *t = total + m * (1 + d), w = K[m] * f->w[i];
            t[0] += w;
            for (size_t k = 0; k < d; k++) t[1 + k] += w * f->x[i * d + k];
         }
      }
      for (size_t m = 0; m < SNEPPP__SHARP; m++) {
         size_t  at = m * N + j;
         double *t = f->sum + at * (1 + d), *c = f->sx + at * d;
         memcpy(t, total + m * (1 + d), (1 + d) * sizeof *t);
         sneppp__still_shift(f, f->x + j * d, f->sh[m], f->still + at * d);
         sneppp__moved(f, t + 1, t[0], f->still + at * d, c);
         for (size_t k = 0; k < d; k++) y[k] = c[k] / f->a[k];
         if (!sneppp__auto_seen(f, y)) { t[0] = 0; memcpy(c, f->x + j * d, d * sizeof *c); } /* it stays where it is */
         f->sscale[at] = f->w[j] * sneppp__bump_scale(f, c, f->sh[m]);
      }
   }
}

/* LS at the queries of a block. The mass of a bump hardly depends on one event of many, and is computed anew where
   it does. */
static void sneppp__sharp_query(size_t block, void *arg)
{
   sneppp__auto *f = (sneppp__auto *)arg;
   const size_t  d = (size_t)f->d, N = f->N;
   for (size_t i = 64 * block; i < 64 * (block + 1) && i < f->Q; i++) {
      size_t        e = f->ask[i];
      const double *x = f->x + e * d;
      double       *row = f->LS + i * SNEPPP__SHARP, K[SNEPPP__SHARP], sum[SNEPPP_RADIAL_DIM], c[SNEPPP_RADIAL_DIM];
      for (int m = 0; m < SNEPPP__SHARP; m++) row[m] = 0;
      for (size_t j = 0; j < N; j++) {
         double r = 0;
         if (j == e) continue;
         for (size_t k = 0; k < d; k++) r += (x[k] - f->x[j * d + k]) * (x[k] - f->x[j * d + k]);
         sneppp__sharp_bumps(f, r, K);
         for (size_t m = 0; m < SNEPPP__SHARP; m++) {
            size_t        at = m * N + j;
            const double *t = f->sum + at * (1 + d), *to = f->sx + at * d;
            double        w = K[m] * f->w[e], scale = f->sscale[at], u = 0;
            if (w > 1e-9 * t[0] && t[0] > 0) {
               for (size_t k = 0; k < d; k++) sum[k] = t[1 + k] - w * x[k];
               sneppp__moved(f, sum, t[0] - w, f->still + at * d, c);
               to = c;
               if (w > 0.01 * t[0]) scale = f->w[j] * sneppp__bump_scale(f, c, f->sh[m]);
            }
            for (size_t k = 0; k < d; k++) u += (x[k] - to[k]) * (x[k] - to[k]);
            u *= 0.5 / (f->sh[m] * f->sh[m]);
            if (u < SNEPPP__EDGE) row[m] += scale * sneppp__exp_neg(&f->table, u);
         }
      }
      for (int m = 0; m < SNEPPP__SHARP; m++) row[m] /= (double)f->R - f->w[e];
   }
}

/* Moves the centres for the fixed width c and wider ones. Of many events only 512 judge; elsewhere, moving is taken to
   change nothing. */
static void sneppp__auto_sharpen(sneppp__auto *f, int c, const sneppp_parallel *par)
{
   size_t Q = f->Q;
   for (int m = 0; m < SNEPPP__SHARP; m++) f->sh[m] = f->ladder[0].top[0] * pow(2, 0.5 * (m - c));
   for (size_t i = 0; i < Q; i++)
      for (size_t m = 0; m < SNEPPP__SHARP; m++) f->LS[i * SNEPPP__SHARP + m] = f->L[i * (size_t)f->C + (size_t)c];
   sneppp__run(par, sneppp__sharpen_block, f, (f->N + 63) / 64);
   if (f->R > 1024) f->Q = 512;
   sneppp__run(par, sneppp__sharp_query, f, (f->Q + 63) / 64);
   f->Q = Q;
   f->sharps = SNEPPP__SHARP;
}

/* The classical estimates: one fixed width, with the centres on the events or moved, and a floor of little, a twentieth
   or a fifth. None is chosen: they and the constant are averaged, each by its prior times the exponential of its
   leave-one-out gain, the posterior probability that it would have if that were a likelihood. So few events give a
   blend with the constant, many a single width. Returns the best width with its centres on the events. */
static int sneppp__auto_average(const sneppp__auto *f, int widest, double *p, double *ps)
{
   static const double floor[3] = {0, 0.05, 0.2};
   double least = SNEPPP__UNIFORM / (f->evidence + SNEPPP__UNIFORM),
          calm = f->evidence / (f->evidence + SNEPPP__PATIENT * f->d);
   double score[3][SNEPPP__FIXED + SNEPPP__SHARP], prior = 0, best = 0, top = -1e300, total;
   int    C = f->C, S = f->ladder[0].S, chosen = 0;
   for (int c = 0; c < S; c++) prior += exp(-SNEPPP__NARROWER * c);
   for (int k = 0; k < 3; k++)
      for (int c = 0; c < S + f->sharps; c++) {
         double        a = fmax(floor[k], least), v = 0;
         size_t        step = c < S ? (size_t)C : SNEPPP__SHARP;
         const double *column = c < S ? f->L + c : f->LS + (c - S);
         int           level = c < S ? c : widest - (c - S);
         for (size_t i = 0; i < f->Q; i++) v += f->q[i] * log(a + (1 - a) * column[i * step]);
         score[k][c] = calm * v - SNEPPP__NARROWER * (level > 0 ? level : 0) - log(3 * prior);
         if (score[k][c] > best) best = score[k][c];
         if (c < S && score[k][c] > top) { top = score[k][c]; chosen = c; }
      }
   for (int c = 0; c < C; c++) p[c] = 0;
   for (int m = 0; m < SNEPPP__SHARP; m++) ps[m] = 0;
   total = p[C - 1] = exp(-best); /* the constant, of gain 0 and prior 1 */
   for (int k = 0; k < 3; k++)
      for (int c = 0; c < S + f->sharps; c++) {
         double a = fmax(floor[k], least), w = exp(score[k][c] - best);
         *(c < S ? &p[c] : &ps[c - S]) += (1 - a) * w;
         p[C - 1] += a * w, total += w;
      }
   for (int c = 0; c < C; c++) p[c] /= total;
   for (int m = 0; m < SNEPPP__SHARP; m++) ps[m] /= total;
   return chosen;
}

/* Leave-one-out columns at Q events, then the weights of widths and floor. Events of unequal weights tell as much as
   (sum w)^2 / sum w^2 equal ones. Choosing weights gains a few nats of leave-one-out likelihood even when there is
   nothing to be gained: up to GATE that is no evidence for them, from OPEN on it is, in between the two are blended. */
static void sneppp__auto_weigh(sneppp__auto *f, int fixed_only, const sneppp_parallel *par)
{
   double plain[SNEPPP__COLUMNS], prior[SNEPPP__COLUMNS], rest = 1, square = 0, trust, gain;
   int    C = 1, widest;
   f->Q = f->held ? f->held : f->R < f->most ? f->R : f->most;
   for (int l = 0; l < SNEPPP__LADDERS; l++) C += f->ladder[l].S;
   f->C = C;
   for (int c = 0; c < C; c++) f->p[c] = 1.0 / C;
   f->gap = f->gain = f->evidence = 0, f->sharps = 0;
   for (int m = 0; m < SNEPPP__SHARP; m++) f->ps[m] = 0;
   for (size_t i = 0; i < f->N; i++) {
      if (f->order[i] < f->R) square += f->w[i] * f->w[i];
      if (!f->held && f->order[i] < f->Q) f->ask[f->order[i]] = i;
   }
   for (size_t i = 0; i < f->Q; i++) {
      f->q[i] = f->held ? f->yw[f->N + i] : f->w[f->ask[i]] * (double)f->R / square;
      f->evidence += f->q[i];
   }
   if (f->R < 3) { /* nothing can be left out and still say something */
      for (int c = 0; c < C; c++) f->p[c] = c == C - 1;
      return;
   }
   sneppp__run(par, sneppp__query_block, f, (f->Q + 63) / 64);
   widest = sneppp__auto_average(f, 0, plain, f->ps);
   for (int c = 0; c < C; c++) prior[c] = plain[c] > 1e-6 ? plain[c] : 0; /* one pseudo-event */
   prior[C - 1] += SNEPPP__UNIFORM;
   f->gap = sneppp__mix_em(f->Q, C, f->L, f->q, prior, f->p, fixed_only ? 1e-3 : 1e-4);
   f->gain = sneppp__auto_gain(f, f->p, f->ps); /* no moved centres as yet */
   gain = sneppp__auto_gain(f, plain, f->ps);
   if (f->sx && f->most == SNEPPP__QUERIES && !f->held && f->parts == 1 && f->hole < 0 &&
       f->gain < gain + 3 * SNEPPP__OPEN) {
      sneppp__auto_sharpen(f, widest, par);
      sneppp__auto_average(f, widest, plain, f->ps);
      gain = sneppp__auto_gain(f, plain, f->ps);
   }
   trust = (f->gain - gain - SNEPPP__GATE) / (SNEPPP__OPEN - SNEPPP__GATE);
   trust = trust < 0 ? 0 : trust > 1 ? 1 : trust;
   for (int c = 0; c < C - 1; c++) {
      f->p[c] = trust * f->p[c] + (1 - trust) * plain[c];
      if (f->p[c] < 1e-4) f->p[c] = 0; /* such shares go to the floor */
      rest -= f->p[c];
   }
   for (int m = 0; m < f->sharps; m++) {
      f->ps[m] *= 1 - trust;
      if (f->ps[m] < 1e-3) f->ps[m] = 0;
      rest -= f->ps[m];
   }
   f->p[C - 1] = rest;
   f->gain = sneppp__auto_gain(f, f->p, f->ps);
}

/* Coordinates that many events share are rounded: days, whole degrees. Bumps narrower than the step of rounding would
   gain likelihood without end and say nothing about the process, so such events are spread over the step. x and order
   are free to work in. */
static void sneppp__auto_spread(sneppp__auto *f, uint64_t seed)
{
   const size_t N = f->N, d = (size_t)f->d;
   sneppp_rng   rng;
   sneppp_rng_init(&rng, seed, 32);
   for (size_t k = 0; k < d; k++) {
      double *v = f->x, *order = f->w, step = 2;
      size_t  kinds = 1;
      if (f->sphere >= 0 && k >= (size_t)f->sphere && k < (size_t)f->sphere + 3) continue;
      for (size_t i = 0; i < N; i++) v[i] = f->y[i * d + k];
      sneppp__sort_order(N, v, order);
      for (size_t i = 1; i < N; i++) {
         double gap = v[(size_t)order[i]] - v[(size_t)order[i - 1]];
         if (gap > 1e-9) { kinds++; step = fmin(step, gap); }
      }
      if (4 * kinds > N || kinds < 2) continue;
      for (size_t i = 0; i < N; i++) {
         double *y = f->y + i * d, to = v[i] + step * (sneppp_rng_uniform(&rng) - 0.5);
         y[k] = to < 0 ? -to : to > 1 ? 2 - to : to;
         if (!sneppp__auto_seen(f, y)) y[k] = v[i];
      }
   }
}

/* The tree over the first N of f->y, which begin with `events` events, with the axes as they are. */
static void sneppp__auto_tree(sneppp__auto *f, size_t N, size_t events)
{
   const size_t d = (size_t)f->d;
   f->N = N, f->R = N < events ? N : events;
   for (size_t i = 0; i < N; i++) for (size_t k = 0; k < d; k++) f->x[i * d + k] = f->y[i * d + k] * f->a[k];
   f->nodes = sneppp__tree_build(f->d, N, f->x, f->order, f->node);
   for (size_t i = 0; i < N; i++) f->w[i] = f->yw[f->order[i]], f->src[i] = f->ysrc[f->order[i]];
}

/* The fit to them. */
static void sneppp__auto_core(sneppp__auto *f, size_t N, size_t events, int fixed_only, const sneppp_parallel *par)
{
   sneppp__auto_tree(f, N, events);
   sneppp__make_ladders(f, fixed_only);
   sneppp__auto_weigh(f, fixed_only, par);
}

/* ---- millions of events. A random subset carries the bumps; one pass over all events, in lanes of chunks whose
   sums are added in their order, gives each centre the weight of the events to which it is nearest. The weights of
   widths and floor are then chosen by leave-one-out at events that are no centres: exact again, because taking such
   an event out changes the weight of one centre only. */
typedef struct sneppp__stream {
   sneppp__auto          *f;
   const sneppp_fit_desc *fit;
   size_t                 realisations;
   sneppp_error           error[SNEPPP__LANES];
} sneppp__stream;

static size_t sneppp__auto_nearest(const sneppp__auto *f, const double *x)
{
   size_t stack[128], d = (size_t)f->d, best = 0;
   int    top = 0;
   double least = 1e300;
   stack[top++] = 0;
   while (top) {
      const sneppp_node *n = &f->node[stack[--top]];
      if (sneppp__node_distance2(n, x, f->d) >= least) continue;
      if (n->kid) {
         const sneppp_node *kid = &f->node[n->kid];
         size_t near = sneppp__node_distance2(kid + 1, x, f->d) < sneppp__node_distance2(kid, x, f->d);
         stack[top++] = n->kid + !near;
         stack[top++] = n->kid + near;
         continue;
      }
      for (size_t j = n->first; j < n->first + n->count; j++) {
         double r = 0;
         for (size_t k = 0; k < d; k++) { double e = x[k] - f->x[j * d + k]; r += e * e; }
         if (r < least) { least = r; best = j; }
      }
   }
   return best;
}

static void sneppp__stream_lane(size_t lane, void *arg)
{
   sneppp__stream     *s = (sneppp__stream *)arg;
   const sneppp__auto *f = s->f;
   size_t              D = (size_t)f->d, number = 0;
   double             *sum = f->lane + lane * f->N;
   sneppp_real         x[SNEPPP__CHUNK * SNEPPP_RADIAL_DIM];
   memset(sum, 0, f->N * sizeof *sum);
   for (size_t r = 0; r < s->realisations; r++) {
      const sneppp_events *e = &s->fit->events[r];
      for (size_t first = 0; first < e->count; first += SNEPPP__CHUNK, number++) {
         size_t        B = e->count - first < SNEPPP__CHUNK ? e->count - first : SNEPPP__CHUNK;
         sneppp__chunk k;
         if (number % SNEPPP__LANES != lane) continue;
         k.x = x;
         if (sneppp__chunk_load(f->model, e, first, B, &k, &s->error[lane]) != SNEPPP_OK) return;
         for (size_t b = 0; b < B; b++) {
            double y[SNEPPP_RADIAL_DIM];
            for (size_t q = 0; q < D; q++) y[q] = ((double)x[b * D + q] - f->lo[q]) / f->side[q] * f->a[q];
            sum[sneppp__auto_nearest(f, y)] += e->weight ? (double)e->weight[first + b] : 1;
         }
      }
   }
}

static sneppp_status sneppp__auto_refit(sneppp__auto *f, const sneppp_fit_desc *o, size_t held, sneppp_error *err)
{
   sneppp__stream s;
   double         total = 0, mean = 0;
   memset(&s, 0, sizeof s);
   s.f = f, s.fit = o, s.realisations = o->realisations ? o->realisations : 1;
   sneppp__run(&o->parallel, sneppp__stream_lane, &s, SNEPPP__LANES);
   for (size_t l = 0; l < SNEPPP__LANES; l++)
      if (s.error[l].status != SNEPPP_OK) {
         if (err) *err = s.error[l];
         return s.error[l].status;
      }
   for (size_t j = 0; j < f->N; j++) {
      f->w[j] = 0;
      for (size_t l = 0; l < SNEPPP__LANES; l++) f->w[j] += f->lane[l * f->N + j];
      f->w[j] += 1e-6; /* a source may read differently the second time; no weight is 0 */
      total += f->w[j];
   }
   for (size_t j = 0; j < f->N; j++) f->w[j] *= (double)f->N / total; /* of mean 1 */
   for (size_t i = f->N; i < f->N + held; i++) mean += f->yw[i] / (double)held;
   for (size_t i = 0; i < held; i++) {
      double *x = f->x + (f->N + i) * (size_t)f->d;
      for (int k = 0; k < f->d; k++) x[k] = f->y[(f->N + i) * (size_t)f->d + (size_t)k] * f->a[k];
      f->next[i] = sneppp__auto_nearest(f, x);
      f->w[f->N + i] = fmin(f->yw[f->N + i] * f->scale * (double)f->N / total, f->w[f->next[i]]);
      f->yw[f->N + i] /= mean;
   }
   f->held = held;
   sneppp__make_ladders(f, 0);
   sneppp__auto_weigh(f, 0, &o->parallel);
   return SNEPPP_OK;
}

/* The lengths of the axes: 1, and radius 1/2 for a sphere, times 2^(e - mean). Coordinates of a sphere stay
   together. */
static void sneppp__auto_stretch(sneppp__auto *f, const double *e)
{
   double mean = 0;
   for (int k = 0; k < f->d; k++) mean += e[k] / f->d;
   for (int k = 0; k < f->d; k++)
      f->a[k] = (f->sphere >= 0 && k >= f->sphere && k < f->sphere + 3 ? 0.5 : 1) * pow(2, e[k] - mean);
}

/* Relative lengths of the axes: windows are first mapped to the unit cube, so units do not matter; then powers of two
   per axis are tried for the leave-one-out gain at 512 events. The first doubling must gain OPEN nats, a further one 2,
   on all events: of 5120, those 512 must show a tenth of it. The axes of one box are often alike and the fixed ladder
   tells; space and time have nothing in common, the ratio may be far from 1 and it depends on the finest widths in
   use, so products look at all ladders on more events, and in longer strides first.
   Ratios beyond 8 within a box would only chase coordinates that were rounded to a grid. */
static void sneppp__auto_axes(sneppp__auto *f, size_t N, const sneppp_parallel *par)
{
   int    alike = f->model->factors == 1, moved = 1, axes = f->d - (f->sphere >= 0 ? 2 : 0);
   size_t room = alike ? 512 : 2048, n = N < room ? N : room;
   double e[SNEPPP_RADIAL_DIM] = {0, 0, 0, 0}, best, part;
   sneppp__auto_stretch(f, e);
   if (axes < 2 || N < 10) return;
   f->most = 512;
   sneppp__auto_core(f, n, n, alike, par);
   part = (double)f->Q / (double)N;
   best = f->gain + part * (SNEPPP__OPEN - 2);
   for (int turn = 0; turn < 3 && (moved || turn == 1); turn++) {
      double stride = alike || turn ? 1 : 2;
      moved = 0;
      for (int k = 0, axis = 0; k < f->d && axis < (axes == 2 ? 1 : axes);
           axis++) { /* of two axes one ratio says all */
         int width = k == f->sphere ? 3 : 1, found = 0;
         for (int sign = -1; sign <= 1 && !found; sign += 2)
            for (int step = 0; step < 6 && fabs(e[k] + sign * stride) <= (alike ? 3 : 9);
                 step++) { /* on while it gains */
               for (int r = 0; r < width; r++) e[k + r] += sign * stride;
               sneppp__auto_stretch(f, e);
               sneppp__auto_core(f, n, n, alike, par);
               if (f->gain > best + 2 * part) { best = f->gain; found = moved = 1; continue; }
               for (int r = 0; r < width; r++) e[k + r] -= sign * stride;
               break;
            }
         k += width;
      }
   }
   f->most = SNEPPP__QUERIES;
   sneppp__auto_stretch(f, e);
}

/* ---- a budget: the best mixture of B - 1 bumps and a floor. The fit above is the teacher. Virtual events are drawn
   from it, not from the data, so that EM with free centres, widths and weights cannot chase single events. */
typedef struct sneppp__few_work {
   double      *y, *cx, *widest2, *sum, *value; /* (K, d) virtual events; (B, d) centres in tree order; ...  */
   size_t      *order, *corder, *id;
   sneppp_node *node, *cnode;
} sneppp__few_work;

static size_t sneppp__few_events(size_t B) { return B * 128 > 8192 ? B * 128 : 8192; }

static void sneppp__place_few(sneppp__carver *c, size_t B, int d, sneppp__few *m, sneppp__few_work *w)
{
   size_t K = sneppp__few_events(B), dim = (size_t)d, s = sizeof(double);
   m->c = (double *)sneppp__take(c, B, dim, s);
   m->h = (double *)sneppp__take(c, B, 1, s);
   m->p = (double *)sneppp__take(c, B, 1, s);
   m->scale = (double *)sneppp__take(c, B, 1, s);
   w->y = (double *)sneppp__take(c, K + 1, dim, s);
   w->order = (size_t *)sneppp__take(c, K + 1, 1, sizeof(size_t));
   w->node = (sneppp_node *)sneppp__take(c, sneppp__tree_room(K), 1, sizeof(sneppp_node));
   w->cx = (double *)sneppp__take(c, B, dim, s);
   w->corder = (size_t *)sneppp__take(c, B, 1, sizeof(size_t));
   w->cnode = (sneppp_node *)sneppp__take(c, sneppp__tree_room(B), 1, sizeof(sneppp_node));
   w->widest2 = (double *)sneppp__take(c, sneppp__tree_room(B), 1, s);
   w->sum = (double *)sneppp__take(c, B, dim + 2, s);
   w->value = (double *)sneppp__take(c, B, 1, s);
   w->id = (size_t *)sneppp__take(c, B, 1, sizeof(size_t));
}

/* One point from a bump at x of width h, by rejection where nothing was seen; on the sphere by inverting the cosine. */
static void sneppp__bump_draw(const sneppp__auto *f, sneppp_rng *rng, const double *x, double h, double *out)
{
   for (int attempt = 0; attempt < 1000; attempt++) {
      size_t seen;
      double y[SNEPPP_RADIAL_DIM];
      for (int k = 0; k < f->d; k++) {
         if (k == f->sphere) {
            double a = f->a[k], kappa = a * a / (h * h), u = sneppp_rng_uniform(rng),
                   w = 1 + log(u + (1 - u) * exp(-2 * kappa) + 1e-300) / kappa, g[3], q = 0, n = 0;
            for (int r = 0; r < 3; r++) { g[r] = sneppp_rng_normal(rng); q += g[r] * x[k + r] / a; }
            for (int r = 0; r < 3; r++) { g[r] -= q * x[k + r] / a; n += g[r] * g[r]; }
            n = sqrt((1 - w * w > 0 ? 1 - w * w : 0) / (n > 0 ? n : 1));
            for (int r = 0; r < 3; r++) out[k + r] = w * x[k + r] + n * a * g[r];
            k += 2;
         } else out[k] = x[k] + h * sneppp_rng_normal(rng);
      }
      for (int k = 0; k < f->d; k++) y[k] = out[k] / f->a[k];
      seen = sneppp__auto_seen(f, y);
      if (seen == f->parts || (seen && sneppp_rng_uniform(rng) * (double)f->parts < (double)seen)) return;
   }
   memcpy(out, x, (size_t)f->d * sizeof *out);
}

/* Virtual events, spread evenly over components and centres. */
static size_t sneppp__auto_draw(const sneppp__auto *f, size_t K, double *y, sneppp_rng *rng)
{
   double owed = 0.5, mass = 1 - f->p[f->C - 1];
   size_t k = 0, d = (size_t)f->d;
   int    c = 0;
   for (size_t m = 0; m < (size_t)f->sharps; m++)
      for (size_t j = 0; f->ps[m] > 0 && j < f->N; j++)
         for (owed += (double)K * f->ps[m] * f->w[j] / (mass * (double)f->R); owed >= 1 && k < K; owed -= 1, k++)
            sneppp__bump_draw(f, rng, f->sx + (m * f->N + j) * d, f->sh[m], y + k * d);
   for (int l = 0; l < SNEPPP__LADDERS; l++)
      for (int s = 0; s < f->ladder[l].S; s++, c++) {
         if (!(f->p[c] > 0)) continue;
         for (size_t j = 0; j < f->N; j++)
            for (owed += (double)K * f->p[c] * f->w[j] / (mass * (double)f->R); owed >= 1 && k < K; owed -= 1, k++)
               sneppp__bump_draw(f, rng, f->x + j * d, f->ladder[l].top[j] * pow(2, -0.5 * s), y + k * d);
      }
   return k;
}

/* Responsibilities of one virtual event x, weighted, into the sums of the bumps near it. Returns the floor's part. */
static double sneppp__few_share(const sneppp__auto *f, const sneppp__few *m, sneppp__few_work *w,
                                const double *x, double weight)
{
   size_t stack[128], d = (size_t)f->d, got = 0;
   int    top = 0;
   double s = m->floor;
   stack[top++] = 0;
   while (top) {
      size_t             at = stack[--top];
      const sneppp_node *n = &w->cnode[at];
      if (sneppp__node_distance2(n, x, f->d) > 2 * SNEPPP__EDGE * w->widest2[at]) continue;
      if (n->kid) { stack[top++] = n->kid; stack[top++] = n->kid + 1; continue; }
      for (size_t b = n->first; b < n->first + n->count; b++) {
         size_t o = w->corder[b];
         double r = 0;
         for (size_t k = 0; k < d; k++) { double e = x[k] - w->cx[b * d + k]; r += e * e; }
         r *= 0.5 / (m->h[o] * m->h[o]);
         if (r > SNEPPP__EDGE) continue;
         w->id[got] = o;
         w->value[got] = m->p[o] * m->scale[o] * sneppp__exp_neg(&f->table, r);
         s += w->value[got++];
      }
   }
   s = weight / s;
   for (size_t b = 0; b < got; b++) {
      double *a = w->sum + w->id[b] * (d + 2), q = w->value[b] * s, r = 0;
      a[0] += q;
      for (size_t k = 0; k < d; k++) { double e = x[k] - m->c[w->id[b] * d + k]; a[1 + k] += q * e; r += e * e; }
      a[1 + d] += q * r;
   }
   return m->floor * s;
}

static void sneppp__auto_few(const sneppp__auto *f, sneppp__few *m, sneppp__few_work *w, uint64_t seed)
{
   const size_t d = (size_t)f->d, free_axes = d - (size_t)(f->sphere >= 0);
   const int    steps = 16;
   double       mass = 1 - f->p[f->C - 1], total;
   size_t       n, B = m->B;
   sneppp_rng   rng;
   sneppp_rng_init(&rng, seed, 31);
   m->floor = f->p[f->C - 1];
   n = sneppp__auto_draw(f, sneppp__few_events(B), w->y, &rng);
   sneppp__tree_build(f->d, n, w->y, w->order, w->node);
   for (size_t b = 0; b < B;
        b++) { /* tree order: a run of n / B virtual events lies close together and makes one bump */
      size_t i0 = b * n / B, i1 = (b + 1) * n / B;
      double v = 0;
      for (size_t k = 0; k < d; k++) {
         double s = 0;
         for (size_t i = i0; i < i1; i++) s += w->y[i * d + k];
         m->c[b * d + k] = s / (double)(i1 - i0);
      }
      for (size_t i = i0; i < i1; i++)
         for (size_t k = 0; k < d; k++) {
            double e = w->y[i * d + k] - m->c[b * d + k];
            v += e * e;
         }
      m->h[b] = sqrt(v / (double)((i1 - i0) * free_axes)) + SNEPPP__LEAST;
      m->p[b] = mass / (double)B;
   }
   for (int step = 0; step < steps; step++) {
      double floor_sum = 0;
      size_t nodes;
      for (size_t b = 0; b < B; b++) {
         double q = 0, *v = m->c + b * d + (f->sphere >= 0 ? f->sphere : 0);
         for (size_t k = 0; f->sphere >= 0 && k < 3; k++) q += v[k] * v[k];
         for (size_t k = 0; q > 0 && k < 3; k++) v[k] *= f->a[f->sphere] / sqrt(q);
         m->scale[b] = sneppp__bump_scale(f, m->c + b * d, m->h[b]);
      }
      memcpy(w->cx, m->c, B * d * sizeof *w->cx);
      nodes = sneppp__tree_build(f->d, B, w->cx, w->corder, w->cnode);
      for (size_t k = 0; k < nodes; k++) {
         w->widest2[k] = 0;
         for (size_t b = w->cnode[k].first; b < w->cnode[k].first + w->cnode[k].count; b++)
            w->widest2[k] = fmax(w->widest2[k], m->h[w->corder[b]] * m->h[w->corder[b]]);
      }
      memset(w->sum, 0, B * (d + 2) * sizeof *w->sum);
      for (size_t i = 0; i < n; i++) floor_sum += sneppp__few_share(f, m, w, w->y + i * d, mass / (double)n);
      m->floor = f->p[f->C - 1] + floor_sum; /* the uniform part of the teacher stays with the floor */
      for (size_t b = 0; b < B; b++) {
         double *a = w->sum + b * (d + 2), moved = 0, v;
         m->p[b] = a[0];
         if (a[0] < 1e-9 || step == steps - 1) continue;
         for (size_t k = 0; k < d; k++) { double e = a[1 + k] / a[0]; m->c[b * d + k] += e; moved += e * e; }
         for (int k = 0; k < f->d; k++)
            if (f->sphere < 0 || k < f->sphere || k >= f->sphere + 3)
               m->c[b * d + (size_t)k] = fmin(f->a[k], fmax(0, m->c[b * d + (size_t)k]));
         v = (a[1 + d] / a[0] - moved) / (double)free_axes;
         m->h[b] = sqrt(fmax(v, SNEPPP__LEAST * SNEPPP__LEAST));
      }
   }
   total = m->floor;
   for (size_t b = 0; b < B; b++) total += m->p[b];
   for (size_t b = 0; b < B; b++) m->p[b] /= total;
   m->floor /= total;
}

/* ---- from bumps to a model */

/* Unit i gets the bump at c (scaled) of width h with share * N events in it. The model sees u = 2 y - 1 (y in the unit
   cube), so psi = exp(-(u - c_u)^2 / 2 l^2) with l = sqrt(2) h 2 / a; on the sphere of radius a, w = a c / 2h^2 and
   b = -a^2 / 2h^2. */
static void sneppp__set_bump(const sneppp__auto *f, sneppp_model *m, size_t i, const double *c, double h,
                             double share, double scale)
{
   double excess = 0; /* log of psi at its peak: 0 but for the rounding of w and b */
   for (int g = 0; g < m->factors; g++) {
      sneppp_layer_state *L = &m->layer[g];
      size_t              d = (size_t)L->d;
      const double       *a = f->a + L->first, *at = c + L->first;
      double              length2 = 0;
      for (size_t k = 0; k < d; k++) {
         if (L->width) {
            L->W[i * d + k] = (sneppp_real)(2 * at[k] / a[k] - 1);
            L->width[i * d + k] = (sneppp_real)(2 * SNEPPP__SQRT2 * h / a[k]);
         } else {
            double w = (double)(L->W[i * d + k] = (sneppp_real)(a[k] * at[k] / (2 * h * h)));
            length2 += w * w;
         }
      }
      L->b[i] = L->width ? 0 : (sneppp_real)(-a[0] * a[0] / (2 * h * h));
      if (!L->width) excess = (double)L->b[i] + sqrt(length2);
   }
   m->readout[0].V[i] = (sneppp_real)(sqrt(share * scale) * exp(-excess));
}

/* The components that carry weight, for centre j with the widest first. Returns how many. */
static int sneppp__centre_bumps(const sneppp__auto *f, size_t j, double *h, double *share, double *scale)
{
   int n = 0, c = 0;
   for (int l = 0; l < SNEPPP__LADDERS; l++)
      for (int s = 0; s < f->ladder[l].S; s++, c++) {
         int    at = n;
         double width = f->ladder[l].top[j] * pow(2, -0.5 * s);
         if (!(f->p[c] > 0)) continue;
         for (; at > 0 && h[at - 1] < width; at--) {
            h[at] = h[at - 1], share[at] = share[at - 1], scale[at] = scale[at - 1];
         }
         h[at] = width, share[at] = f->p[c] / (double)f->R,
         scale[at] = f->ladder[l].scale[(size_t)s * f->ladder[l].row + j];
         n++;
      }
   return n;
}

/* What the realisations saw together, in the base measure. */
static double sneppp__auto_mass(const sneppp__auto *f)
{
   double sum = 0;
   for (size_t r = 0; r < f->parts; r++) {
      double mass = 1;
      for (int g = 0; g < f->model->factors; g++) mass *= sneppp_window_mass(sneppp__auto_view(f, r, g));
      sum += mass;
   }
   return sum;
}

static sneppp_status sneppp__auto_model(const sneppp__auto *f, const sneppp__few *few,
                                        const sneppp__few_work *work, const sneppp_model *old,
                                        sneppp_model *out, sneppp_error *err)
{
   double        h[SNEPPP__COLUMNS], share[SNEPPP__COLUMNS], scale[SNEPPP__COLUMNS], mass = sneppp__auto_mass(f);
   int           bumps = f->p[f->C - 1] < 1 && !few ? sneppp__centre_bumps(f, 0, h, share, scale) : 0, sharps = 0;
   size_t        n, d = (size_t)f->d;
   sneppp_desc   desc = old->desc;
   sneppp_status st;
   for (int m = 0; !few && m < f->sharps; m++) sharps += f->ps[m] > 0;
   n = few ? few->B : (size_t)(bumps + sharps) * f->N;
   desc.mix = SNEPPP_MIX_PRODUCT, desc.readout = SNEPPP_READOUT_DIAGONAL, desc.rank = 0;
   desc.group = few || sharps ? 1 : bumps; /* moved centres differ from width to width, but lie close together */
   if (n > (size_t)INT32_MAX)
      return sneppp__fail(err, SNEPPP_ERR_SIZE, "%z features are too many; give a budget in desc.width", n);
   desc.width = n ? (int)n : 1; /* the constant: one unit of weight 0 and the floor */
   for (int g = 0; g < old->factors; g++) {
      sneppp_factor *x = &desc.factor[g];
      x->unit.act = x->window.space == SNEPPP_SPHERE ? SNEPPP_EXP : SNEPPP_RBF;
      x->units = NULL, x->no_bias = 0, x->width = desc.width;
   }
   if (desc.mem) {
      size_t bytes = sneppp_model_bytes(&desc, err);
      if (!bytes || bytes > desc.mem_bytes)
         return sneppp__fail(err, SNEPPP_ERR_SIZE,
                             "AUTO chose %d features, which need %z bytes, but desc.mem_bytes is %z",
                             desc.width, bytes, desc.mem_bytes);
      desc.mem = NULL, desc.mem_bytes = 0;
   }
   st = sneppp_init(out, &desc, err);
   if (st != SNEPPP_OK) return st;
   out->alpha = mass > 0 ? f->weights / mass : f->weights;
   out->floor = (few ? few->floor : f->p[f->C - 1]) * out->alpha;
   out->readout[0].V[0] = 0;
   for (size_t j = 0; few && j < few->B; j++) {
      size_t o = work->corder[j];
      sneppp__set_bump(f, out, j, few->c + o * (size_t)f->d, few->h[o], few->p[o], few->scale[o]);
   }
   for (size_t j = 0, i = 0; !few && n && j < f->N; j++) {
      sneppp__centre_bumps(f, j, h, share, scale);
      for (int b = 0; b < bumps; b++) sneppp__set_bump(f, out, i++, f->x + j * d, h[b], share[b], scale[b]);
      for (size_t m = 0; m < (size_t)f->sharps; m++)
         if (f->ps[m] > 0)
            sneppp__set_bump(f, out, i++, f->sx + (m * f->N + j) * d, f->sh[m], f->ps[m] / (double)f->R,
                             f->sscale[m * f->N + j]);
   }
   sneppp__index(out);
   out->budget = old->budget;
   return SNEPPP_OK;
}

/* Puts a finished model in the place of another: in the caller's block, if there is one, which is known to hold it. */
static sneppp_status sneppp__adopt(sneppp_model *model, sneppp_model *made, sneppp_error *err)
{
   if (model->desc.mem) {
      sneppp_model  again;
      sneppp_desc   desc = made->desc;
      sneppp_status st;
      size_t        n = (size_t)made->n;
      desc.mem = model->desc.mem, desc.mem_bytes = model->desc.mem_bytes;
      st = sneppp_init(&again, &desc, err);
      if (st != SNEPPP_OK) { sneppp_free(made); return st; }
      for (int g = 0; g < made->factors; g++) {
         const sneppp_layer_state *from = &made->layer[g];
         size_t                    d = (size_t)from->d;
         memcpy(again.layer[g].W, from->W, n * d * sizeof(sneppp_real));
         memcpy(again.layer[g].b, from->b, n * sizeof(sneppp_real));
         if (from->width) memcpy(again.layer[g].width, from->width, n * d * sizeof(sneppp_real));
      }
      memcpy(again.readout[0].V, made->readout[0].V, n * sizeof(sneppp_real));
      again.alpha = made->alpha, again.floor = made->floor, again.budget = made->budget;
      sneppp__index(&again);
      sneppp_free(made);
      *model = again;
      return SNEPPP_OK;
   }
   sneppp_free(model);
   *model = *made;
   return SNEPPP_OK;
}

/* ---- reading the events: every one is checked; a random subset of at most `room` is kept, shuffled */
static sneppp_status sneppp__auto_read(sneppp__auto *f, const sneppp_model *model, const sneppp_fit_desc *o,
                                       size_t total, size_t room, uint64_t seed, sneppp_error *err)
{
   size_t      D = (size_t)model->D, seen = 0, need = total < room ? total : room, kept = 0;
   double      kept_weight = 0;
   sneppp_real x[SNEPPP__CHUNK * SNEPPP_RADIAL_DIM];
   sneppp_rng  rng;
   sneppp_rng_init(&rng, seed, 30);
   for (size_t r = 0; r < (o->realisations ? o->realisations : 1); r++) {
      const sneppp_events *e = &o->events[r];
      for (size_t first = 0; first < e->count; first += SNEPPP__CHUNK) {
         size_t        B = e->count - first < SNEPPP__CHUNK ? e->count - first : SNEPPP__CHUNK;
         sneppp__chunk k;
         sneppp_status st;
         k.x = x;
         st = sneppp__chunk_load(model, e, first, B, &k, err);
         if (st != SNEPPP_OK) return st;
         for (size_t b = 0; b < B; b++, seen++) {
            double weight;
            st = sneppp__event_check(model, e, first + b, x + b * D, &weight, err);
            if (st != SNEPPP_OK) return st;
            f->weights += weight;
            if (!need || sneppp_rng_uniform(&rng) * (double)(total - seen) >= (double)need)
               continue; /* selection sampling */
            need--;
            if (!(weight > 0)) continue;
            for (size_t q = 0; q < D; q++) f->y[kept * D + q] = ((double)x[b * D + q] - f->lo[q]) / f->side[q];
            f->yw[kept++] = weight, kept_weight += weight;
         }
      }
   }
   for (size_t i = kept; i > 1; i--) {
      size_t j = (size_t)sneppp_rng_below(&rng, (uint64_t)i);
      double v = f->yw[i - 1];
      f->yw[i - 1] = f->yw[j], f->yw[j] = v;
      for (size_t k = 0; k < D; k++) {
         v = f->y[(i - 1) * D + k];
         f->y[(i - 1) * D + k] = f->y[j * D + k];
         f->y[j * D + k] = v;
      }
   }
   for (size_t i = 0; i < kept; i++) f->yw[i] *= (double)kept / kept_weight, f->ysrc[i] = i; /* of mean 1 */
   f->scale = kept ? kept_weight / (double)kept : 1;
   f->N = f->R = kept;
   return SNEPPP_OK;
}

/* ---- gaps: what was not watched of a line. Narrow bumps do not reach into it, and beside it they would be judged by
   half their mass. So events are mirrored at both its ends and fade towards the other end, w = 1 - u at the distance
   u of the gap: the intensity goes on smoothly and turns from one side into the other, whatever the other factors
   hold. Where the mirror shows something that was not seen either, the other side counts fully. */
static size_t sneppp__line_ends(const sneppp_window *w, size_t k, double *lo, double *hi)
{
   int    box = w->space == SNEPPP_BOX;
   size_t count = box ? 1 : w->count;
   if (k < count) *lo = box ? w->lo[0] : w->ends[2 * k], *hi = box ? w->hi[0] : w->ends[2 * k + 1];
   return count;
}

static void sneppp__auto_mirror(sneppp__auto *f, double l, double r, size_t room)
{
   const sneppp_window *seen = sneppp__part(f->model, f->events[0].seen, f->hole);
   size_t               d = (size_t)f->d, k = (size_t)f->model->layer[f->hole].first;
   for (size_t i = 0; i < f->R; i++)
      for (int side = 0; side < 2 && f->N < room; side++) {
         double t = f->lo[k] + f->y[i * d + k] * f->side[k], to = 2 * (side ? r : l) - t,
                other = 2 * (side ? l : r) - to, u = (to - l) / (r - l);
         if (!(to > l && to < r)) continue;
         memcpy(f->y + f->N * d, f->y + i * d, d * sizeof *f->y);
         f->y[f->N * d + k] = (to - f->lo[k]) / f->side[k];
         f->yw[f->N] = f->yw[i] * (!sneppp_window_contains(seen, &other) ? 1 : side ? u : 1 - u);
         f->ysrc[f->N++] = i;
      }
}

static void sneppp__auto_gaps(sneppp__auto *f, size_t room)
{
   const sneppp_window *seen = sneppp__part(f->model, f->events[0].seen, f->hole),
                       *win = &f->model->desc.factor[f->hole].window;
   double               lo = 0, hi = 0, a = 0, b = 0, from;
   for (size_t q = 0; q < sneppp__line_ends(win, q, &lo, &hi); q++) {
      from = lo;
      for (size_t s = 0; s < sneppp__line_ends(seen, s, &a, &b); s++) {
         if (a < lo || b > hi) continue;
         if (a > from) sneppp__auto_mirror(f, from, a, room);
         from = b;
      }
      if (hi > from) sneppp__auto_mirror(f, from, hi, room);
   }
}

/* Boxes, intervals, polygons and S^2, and products of these with few coordinates, have radial units whose masses are
   closed; for the rest see fit_auto. */
static int sneppp__auto_serves(const sneppp_model *model, const sneppp_fit_desc *o)
{
   if (model->D > SNEPPP_RADIAL_DIM || model->desc.mix != SNEPPP_MIX_PRODUCT) return 0;
   for (size_t r = 0; r < (o->realisations ? o->realisations : 1); r++)
      for (int f = 0; f < model->factors; f++) {
         const sneppp_window *w[2];
         w[0] = &model->desc.factor[f].window, w[1] = sneppp__part(model, o->events[r].seen, f);
         if (model->desc.factor[f].own.psi) return 0;
         for (int k = 0; k < 2; k++)
            if (w[k]->space != SNEPPP_BOX && w[k]->space != SNEPPP_INTERVALS && w[k]->space != SNEPPP_POLYGON &&
                (w[k]->space != SNEPPP_SPHERE || w[k]->dim != 3))
               return 0;
      }
   return 1;
}

static sneppp_status sneppp__fit_radial(sneppp_model *model, const sneppp_fit_desc *o, sneppp_report *report,
                                        sneppp_error *err)
{
   size_t           total = 0, realisations = o->realisations ? o->realisations : 1, centres, room, held = 0;
   double           started = SNEPPP_SECONDS();
   sneppp__auto     f;
   sneppp__few      few;
   sneppp__few_work work;
   sneppp__carver   c = sneppp__measure();
   sneppp__block    block;
   sneppp_model     made;
   sneppp_report    r;
   sneppp_status    st = sneppp__realisations_check(model, o->events, realisations, &total, err);
   if (st != SNEPPP_OK) return st;
   memset(&f, 0, sizeof f);
   memset(&few, 0, sizeof few);
   memset(&work, 0, sizeof work);
   f.model = model, f.events = o->events, f.d = model->D, f.sphere = -1, f.parts = 1, f.seen = 1;
   f.most = SNEPPP__QUERIES;
   f.hole = -1;
   for (size_t k = 1; k < realisations; k++) if (o->events[k].seen != o->events[0].seen) f.parts = realisations;
   for (int g = 0; g < model->factors; g++) {
      const sneppp_layer_state *L = &model->layer[g];
      int                       round = L->inside.space == SNEPPP_SPHERE;
      if (round) { f.sphere = L->first; f.seen /= sneppp_window_mass(&L->inside); }
      for (int k = 0; k < L->D; k++) {
         f.lo[L->first + k] = round ? 0 : L->shift[k] - 1 / L->rate[k];
         f.side[L->first + k] = round ? 1 : 2 / L->rate[k];
         f.seen /= f.side[L->first + k];
      }
   }
   for (int g = 0; f.parts == 1 && o->events[0].seen && g < model->factors; g++)
      if (o->events[0].seen->factor[g] && model->layer[g].D == 1) f.hole = g;
   f.seen *= sneppp__auto_mass(&f);
   centres = total < SNEPPP__CENTRES ? total : SNEPPP__CENTRES;
   few.B = model->budget > 1 ? (size_t)model->budget - 1 : model->budget == 1 ? 1 : 0;
   if (total > SNEPPP__CENTRES && f.hole < 0) held = SNEPPP__QUERIES;
   if (total - held < centres) centres = total - held;
   room = f.hole < 0 ? centres : 2 * centres;
   for (int pass = 0; pass < 2; pass++) {
      sneppp__place_auto(&c, room, held, f.d, &f);
      if (few.B) sneppp__place_few(&c, few.B, f.d, &few, &work);
      if (!pass && (st = sneppp__block_get(&block, &c, NULL, 0, model->desc.alloc_ctx, err)) != SNEPPP_OK) return st;
   }
   sneppp__exp_fill(&f.table);
   st = sneppp__auto_read(&f, model, o, total, centres + held, o->seed ? o->seed : 1, err);
   memset(&r, 0, sizeof r);
   r.method = SNEPPP_AUTO, r.events = total, r.steps = 1, r.nll = r.held_out = r.gap = sneppp__nan();
   if (st == SNEPPP_OK && o->progress && o->progress(&r, model, o->user)) { /* asked to stop before anything was done */
      r.ending = SNEPPP_ASKED_TO_STOP;
      if (report) *report = r;
      sneppp__block_free(&block);
      return SNEPPP_OK;
   }
   if (st == SNEPPP_OK) {
      size_t N = f.N;
      f.weights *= (double)f.parts / (double)realisations;
      sneppp__auto_spread(&f, o->seed ? o->seed : 1);
      if (f.hole >= 0) sneppp__auto_gaps(&f, room);
      held = held && f.N > 2 * held ? held : 0; /* fewer where weights are 0 */
      centres = f.N - held, N -= held;
      sneppp__auto_axes(&f, N, &o->parallel);
      if (held) {
         sneppp__auto_tree(&f, centres, N);
         st = sneppp__auto_refit(&f, o, held, err);
      } else sneppp__auto_core(&f, centres, N, 0, &o->parallel);
   }
   if (st == SNEPPP_OK) {
      size_t width = 0;
      int    bumps;
      bumps = f.p[f.C - 1] < 1;
      for (int k = 0; k < f.C - 1; k++) width += f.p[k] > 0 ? f.N : 0;
      for (int k = 0; k < f.sharps; k++) width += f.ps[k] > 0 ? f.N : 0;
      if (!bumps || width <= (size_t)model->budget) few.B = 0; /* the whole model is within the budget */
      if (few.B) sneppp__auto_few(&f, &few, &work, o->seed ? o->seed : 1);
      st = sneppp__auto_model(&f, few.B ? &few : NULL, &work, model, &made, err);
   }
   if (st == SNEPPP_OK) {
      double nll = 0;
      r.gap = f.gap, r.held_out = f.Q ? -f.gain / f.evidence : sneppp__nan();
      st = total ? sneppp__nll(&made, o->events, realisations, &nll, &r.expected, NULL, &o->parallel, err) : SNEPPP_OK;
      if (f.hole >= 0 && r.expected > 0 &&
          f.weights > 0) { /* with mirrored events, bumps lose and win a little in what was seen */
         double weights = f.weights * (double)realisations / (double)f.parts, scale = weights / r.expected;
         nll += weights - r.expected - weights * log(scale);
         made.alpha *= scale, made.floor *= scale, r.expected = weights;
      }
      if (total) r.nll = (nll + sneppp__log_factorials(o->events, realisations)) / (double)total;
      r.ending = SNEPPP_CONVERGED, r.step = 1, r.width = made.n, r.rank = 1;
      for (int k = 0; f.p[f.C - 1] < 1 && k < f.d; k++) r.axes[k] = f.side[k] / f.a[k] * f.a[0] / f.side[0];
      r.seconds = SNEPPP_SECONDS() - started;
      if (st == SNEPPP_OK) st = sneppp__adopt(model, &made, err);
      else sneppp_free(&made);
   }
   if (st == SNEPPP_OK && report) *report = r;
   sneppp__block_free(&block);
   return st;
}

/* AUTO where radial units have no closed form (balls, Gaussian measures, more than four coordinates, ...) or another
   mix than the product was asked for: the convex problem on the model's own features with a small floor, which needs
   no choice of scales by the user either. The report says which method ran. */
static sneppp_status sneppp__fit_auto(sneppp_model *model, const sneppp_fit_desc *desc, sneppp_report *report,
                                      sneppp_error *err)
{
   sneppp_fit_desc o = *desc;
   sneppp_report   r;
   sneppp_status   st;
   size_t          realisations = desc->realisations ? desc->realisations : 1, partial = 0;
   for (size_t k = 0; k < realisations; k++) if (desc->events[k].seen || desc->events[k].weight) partial = 1;
   if (sneppp__auto_serves(model, desc)) return sneppp__fit_radial(model, desc, report, err);
   o.method = SNEPPP_CONVEX;
   if (o.floor == 0) o.floor = 0.05;
   memset(&r, 0, sizeof r);
   st = sneppp__fit_convex(model, &o, &r, err);
   if (st == SNEPPP_OK && !partial &&
       r.expected > 0) { /* the floor was given, not fitted: the best common scale is N / Lambda */
      double scale = (double)r.events / r.expected;
      r.nll += 1 - r.expected / (double)r.events - log(scale);
      model->alpha *= scale, model->floor *= scale, r.expected *= scale;
   }
   if (st == SNEPPP_OK && report) *report = r;
   return st;
}

/* ---- the one call */
SNEPPP_DEF sneppp_status sneppp_fit(sneppp_model *model, const sneppp_fit_desc *desc, sneppp_report *report,
                                    sneppp_error *err)
{
   sneppp_status st = sneppp__fit_check(model, desc, err);
   if (st != SNEPPP_OK) return st;
   if (desc->method == SNEPPP_AUTO) return sneppp__fit_auto(model, desc, report, err);
   model->nodes = 0; /* a tree would not see the parameters move */
   st = desc->method == SNEPPP_ADAM ? sneppp__fit_adam(model, desc, report, err)
                                    : sneppp__fit_convex(model, desc, report, err);
   if (st == SNEPPP_OK && desc->method == SNEPPP_ADAM && desc->polish)
      st = sneppp__fit_convex(model, desc, report, err);
   sneppp__index(model);
   return st;
}

/* >>sample ===================================================================================================
   Exact draws from a model. The number N of points is given, or Poisson with the exact mean of the closed forms;
   given N, the points are independent with density lambda / Lambda. No grid enters. Two ways:

   Mixture. A diagonal readout is a sum of squares, lambda = sum_i alpha v_i^2 psi_i^2 + floor. Where psi_i^2 is a
   Gaussian (RBF on boxes and intervals) or a von Mises-Fisher density (exp on the sphere in R^3), component i is chosen
   by its exact mass in the region and drawn there; nothing is thrown away.

   Envelope. Elsewhere the region is cut into cells. With g = V psi, c the cell's centre and d = x - c,
      g(x) = g(c) + J d + rest,   |rest| <= R,   so   sqrt(q(d)) - R <= |g(x)| <= sqrt(q(d)) + R,   q(d) = |g(c) + J
      d|^2:
   R comes from bounds of the activations' second derivatives (or kinks) over the cell and from the norm of V. q is
   convex, so its corners bound it. Candidates are drawn under that bound; the two-sided bound on lambda(x) decides most
   of them with a few products, and lambda itself is computed only for those in between. Cells are split while that
   saves work. Bounds are widened by 1e-12, far above the rounding of the sums that they are compared with. */

typedef struct sneppp__alias { /* Walker's method with Vose's set-up: one look per draw, whatever the weights */
   double *p;                  /* (n) keep i with this probability, else take other[i]                        */
   size_t *other, *list;       /* (n)                                                                         */
   size_t  n;
} sneppp__alias;

static void sneppp__place_alias(sneppp__carver *c, size_t n, sneppp__alias *a)
{
   a->p = (double *)sneppp__take(c, n, 1, sizeof *a->p);
   a->other = (size_t *)sneppp__take(c, n, 1, sizeof *a->other);
   a->list = (size_t *)sneppp__take(c, n, 1, sizeof *a->list);
   a->n = n;
}

/* p holds the weights on entry. Light ones are listed from the front, heavy ones from the back. Returns their sum. */
static double sneppp__alias_make(sneppp__alias *a)
{
   double total = 0;
   size_t light = 0, heavy = a->n, i;
   for (i = 0; i < a->n; i++) total += a->p[i];
   if (!(total > 0)) return 0;
   for (i = 0; i < a->n; i++) {
      a->p[i] *= (double)a->n / total;
      a->other[i] = i;
      if (a->p[i] < 1) a->list[light++] = i;
      else a->list[--heavy] = i;
   }
   while (light && heavy < a->n) {
      size_t s = a->list[--light], b = a->list[heavy];
      a->other[s] = b;
      a->p[b] -= 1 - a->p[s];
      if (a->p[b] < 1) { heavy++; a->list[light++] = b; }
   }
   while (light) a->p[a->list[--light]] = 1; /* left over by rounding */
   return total;
}

static size_t sneppp__alias_draw(const sneppp__alias *a, sneppp_rng *rng)
{
   size_t i = (size_t)sneppp_rng_below(rng, (uint64_t)a->n);
   return sneppp_rng_uniform(rng) < a->p[i] ? i : a->other[i];
}

/* A standard normal within [a, b], by rejection that succeeds at least 49 times in 100 whatever a and b are: from the
   normal or the uniform where 0 is inside; else from an exponential of the best rate (Robert, "Simulation of truncated
   normal variables", Stat. Comput. 5, 1995), cut at b. */
static double sneppp__truncated_normal(sneppp_rng *rng, double a, double b)
{
   double sign = 1, z, r, m, cut;
   if (a <= 0 && b >= 0) {
      if (b - a > 2.5) {
         do z = sneppp_rng_normal(rng);
         while (z < a || z > b);
         return z;
      }
      do z = a + sneppp_rng_uniform(rng) * (b - a);
      while (sneppp_rng_uniform(rng) >= exp(-0.5 * z * z));
      return z;
   }
   if (b < 0) { z = a, a = -b, b = -z, sign = -1; }
   r = 0.5 * (a + sqrt(a * a + 4));
   m = r < b ? r : b;             /* where the density relative to the exponential is largest */
   cut = expm1(-r * (b - a));
   do z = a - log1p(sneppp_rng_uniform(rng) * cut) / r;
   while (sneppp_rng_uniform(rng) >= exp((z - m) * (r - 0.5 * (z + m))));
   return sign * (z < b ? z : b);
}

/* Rounding to sneppp_real must not carry a point across the border. */
static sneppp_real sneppp__round_into(double x, double lo, double hi)
{
   sneppp_real v = (sneppp_real)(x < lo ? lo : x > hi ? hi : x);
   for (int k = 0; k < 4 && (double)v > hi; k++) v -= (sneppp_real)(fabs((double)v) * (sizeof v == 4 ? 6e-8 : 1.2e-16));
   for (int k = 0; k < 4 && (double)v < lo; k++) v += (sneppp_real)(fabs((double)v) * (sizeof v == 4 ? 6e-8 : 1.2e-16));
   return v;
}

static void sneppp__window_range(const sneppp_window *w, int r, double *lo, double *hi)
{
   size_t vertices = 0;
   *lo = w->lo[r], *hi = w->hi[r];
   if (w->space == SNEPPP_BALL) { *lo = w->centre[r] - w->radius; *hi = w->centre[r] + w->radius; }
   if (w->space == SNEPPP_INTERVALS) { *lo = w->ends[0]; *hi = w->ends[2 * w->count - 1]; }
   if (w->space != SNEPPP_POLYGON) return;
   for (size_t k = 0; k < sneppp__ring_count(w); k++) vertices += sneppp__ring_size(w, k);
   *lo = *hi = w->xy[r];
   for (size_t k = 1; k < vertices; k++) {
      *lo = fmin(*lo, w->xy[2 * k + (size_t)r]);
      *hi = fmax(*hi, w->xy[2 * k + (size_t)r]);
   }
}

/* ---- mixtures */
static int sneppp__is_mixture(const sneppp_model *model, const sneppp_region *region)
{
   if (model->desc.readout != SNEPPP_READOUT_DIAGONAL || model->desc.mix != SNEPPP_MIX_PRODUCT) return 0;
   for (int f = 0; f < model->factors; f++) {
      const sneppp_layer_state *L = &model->layer[f];
      const sneppp_window      *w = sneppp__part(model, region, f);
      int flat = L->width && (w->space == SNEPPP_BOX || w->space == SNEPPP_INTERVALS);
      int round = w->space == SNEPPP_SPHERE && L->d == 3 && model->desc.factor[f].unit.act == SNEPPP_EXP;
      if (L->units || (!flat && !round)) return 0;
   }
   return 1;
}

/* exp(2 w.x) on the sphere in R^3: the cosine to w has density exp(kappa cos), kappa = 2 |w|, whose distribution
   function is inverted; the angle around w is uniform. */
static void sneppp__draw_fisher(sneppp_rng *rng, const double *w, double *x)
{
   double length = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), kappa = 2 * length, e[3], t[3], n[3], c, s,
          u, norm = 0;
   int    least = 0;
   if (kappa < 1e-150) { sneppp_rng_sphere(rng, 3, x); return; }
   u = log1p((1 - sneppp__rng_open(rng)) * expm1(-2 * kappa)) / kappa; /* cos - 1 */
   c = 1 + u;
   s = sqrt(fmax(-u * (2 + u), 0));
   u = 2 * SNEPPP__PI * sneppp_rng_uniform(rng);
   for (int k = 0; k < 3; k++) { e[k] = w[k] / length; if (fabs(e[k]) < fabs(e[least])) least = k; }
   for (int k = 0; k < 3; k++) { t[k] = (k == least) - e[least] * e[k]; norm += t[k] * t[k]; }
   norm = sqrt(norm);
   for (int k = 0; k < 3; k++) t[k] /= norm;
   for (int k = 0; k < 3; k++) n[k] = e[(k + 1) % 3] * t[(k + 2) % 3] - e[(k + 2) % 3] * t[(k + 1) % 3];
   for (int k = 0; k < 3; k++) x[k] = c * e[k] + s * (cos(u) * t[k] + sin(u) * n[k]);
}

/* One point of unit i of factor f in the window w: psi^2 has standard deviations l / sqrt 2. */
static void sneppp__draw_bump(const sneppp_model *model, int f, size_t i, const sneppp_window *w,
                              sneppp_rng *rng, sneppp_real *x)
{
   const sneppp_layer_state *L = &model->layer[f];
   size_t                    d = (size_t)L->d;
   if (!L->width) {
      double v[3], y[3];
      for (size_t k = 0; k < 3; k++) v[k] = (double)L->W[i * d + k];
      sneppp__draw_fisher(rng, v, y);
      for (size_t k = 0; k < 3; k++) x[k] = (sneppp_real)y[k];
      return;
   }
   for (size_t k = 0; k < d; k++) {
      double c = (double)L->W[i * d + k] / L->rate[k] + L->shift[k],
             s = (double)L->width[i * d + k] / (L->rate[k] * SNEPPP__SQRT2);
      double lo = w->lo[k], hi = w->hi[k];
      if (w->space == SNEPPP_INTERVALS) { /* choose the interval by its mass */
         double total = 0, u, h = s * SNEPPP__SQRT2;
         size_t q;
         for (q = 0; q < w->count; q++)
            total += sneppp__erf_diff((w->ends[2 * q] - c) / h, (w->ends[2 * q + 1] - c) / h);
         u = sneppp_rng_uniform(rng) * total;
         for (q = 0; q + 1 < w->count; q++) {
            double part = sneppp__erf_diff((w->ends[2 * q] - c) / h, (w->ends[2 * q + 1] - c) / h);
            if (u < part) break;
            u -= part;
         }
         lo = w->ends[2 * q], hi = w->ends[2 * q + 1];
      }
      x[k] = sneppp__round_into(c + s * sneppp__truncated_normal(rng, (lo - c) / s, (hi - c) / s), lo, hi);
   }
}

/* Where points go: those between the edges, if there are any, are counted, and kept as long as there is room. */
typedef struct sneppp__sink {
   sneppp_real  *x;
   size_t        cap, count;
   const double *edge;       /* NULL or the edges of a tile: lo, hi of either axis; lo belongs to it, hi does not */
} sneppp__sink;

static void sneppp__sink_put(sneppp__sink *s, size_t D, const sneppp_real *x)
{
   for (size_t r = 0; s->edge && r < D; r++)
      if ((double)x[r] < s->edge[2 * r] || (double)x[r] >= s->edge[2 * r + 1]) return;
   if (s->count < s->cap) memcpy(s->x + s->count * D, x, D * sizeof *x);
   s->count++;
}

#define SNEPPP__MAX_EVENT (SNEPPP_MAX_FACTORS * SNEPPP_MAX_DIM) /* coordinates */

/* ---- envelopes: how far an activation can be from its tangent at z within [z - h, z + h] */
static double sneppp__kink(double z, double h) { return z > 0 ? fmax(h - z, 0) : fmax(z + h, 0); } /* max(z, 0) */

static double sneppp__act_rest(const sneppp_unit *u, double z, double h)
{
   double far = fabs(z) + h, near = fmax(fabs(z) - h, 0), top = fmax(z + h, 0), p = fabs(u->p), q = fabs(u->q), bend, s;
   switch (u->act) {
      case SNEPPP_COS: case SNEPPP_SIN: bend = 1; break;
      case SNEPPP_SNAKE: case SNEPPP_COSMIDENT: bend = 2 * p; break;
      case SNEPPP_EXP: bend = exp(z + h); break;
      case SNEPPP_ERF: bend = near < 0.75 ? 0.96788290 : 2.25675834 * near * exp(-near * near); break;
      case SNEPPP_PHI: bend = near < 1 ? 0.24197073 : 0.39894229 * near * exp(-0.5 * near * near); break;
      case SNEPPP_STEP: return fabs(z) > h ? 0 : 1;
      case SNEPPP_RELU: return sneppp__kink(z, h);
      case SNEPPP_LEAKY: return fabs(1 - u->p) * sneppp__kink(z, h);
      case SNEPPP_ELU: /* p (exp(min(z, 0)) - 1 + max(z, 0)), which bends by p at most, and (1 - p) max(z, 0) */
         return 0.5 * p * h * h * (z - h < 0 ? exp(fmin(z + h, 0)) : 0) + fabs(1 - u->p) * sneppp__kink(z, h);
      case SNEPPP_RECT:
         if (u->p < 0.5) return fabs(z) > h ? 0 : 1;
         if (u->p < 1.5) return sneppp__kink(z, h);
         bend = p * (p - 1) * (u->p < 2.5 ? (top > 0) : sneppp__power(top, u->p - 2));
         break;
      case SNEPPP_GELU: bend = 0.79788457; break; /* (2 - z^2) phi(z) */
      case SNEPPP_BELL: s = p * near * near; bend = s > 0.5 ? (4 * s + 2) * p * exp(-s) : 2 * p; break;
      case SNEPPP_GABOR_SIN:
      case SNEPPP_GABOR_COS: bend = 2 * p + 1.7156 * q * sqrt(p) + q * q; break; /* z exp(-z^2) <= 0.4289 */
      case SNEPPP_MONOMIAL:
         bend = u->p < 1.5 ? 0 : p * (p - 1) * (u->p < 2.5 ? 1 : sneppp__power(far, u->p - 2));
         break;
      default: bend = 0; break;
   }
   return 0.5 * bend * h * h;
}

#define SNEPPP__MAX_AXES (SNEPPP_MAX_FACTORS * SNEPPP__MAX_STATS)

/* Features with their slopes and rests over a cell: row 0 of jet holds values, row 1 + k slopes along statistic k. */
typedef struct sneppp__sampler {
   const sneppp_model  *model;
   const sneppp_window *part[SNEPPP_MAX_FACTORS]; /* in the user's units                                    */
   sneppp_layer         layer[SNEPPP_MAX_FACTORS];/* in the closed forms' units: y = x - shift              */
   int                  A, P;                     /* statistics; coordinates in which cells are boxes       */
   int                  a[SNEPPP_MAX_FACTORS], p[SNEPPP_MAX_FACTORS];
   double               lo[SNEPPP__MAX_AXES], hi[SNEPPP__MAX_AXES], axis[SNEPPP__MAX_AXES]; /* P: all; importance */
   double               unit;                     /* base measure per volume of cells                       */
   double              *V[SNEPPP_MAX_FACTORS], norm[SNEPPP_MAX_FACTORS];
   double              *square, *work;
   double              *jet, *rest, *reach;       /* (1 + A, n), (n), (n) reach: size of the linear part    */
   double              *one, *one_rest;           /* the same of one factor                                 */
   double              *g;                        /* (1 + A)                                                */
   double              *cell;                     /* (room, record) see sneppp__cell_bound                  */
   size_t               record, cells, room;
   sneppp__alias        alias;
} sneppp__sampler;

/* How cells of a factor are cut: planes and lines in the coordinates, S^2 in (height, longitude), circles in the
   angle, higher spheres not at all. */
static int sneppp__cell_axes(const sneppp_window *w)
{
   if (w->space == SNEPPP_SPHERE) return w->dim == 3 ? 2 : w->dim == 2 ? 1 : 0;
   return w->dim;
}

static void sneppp__place_sampler(sneppp__carver *c, sneppp__sampler *s)
{
   const sneppp_model *model = s->model;
   size_t rows = (size_t)s->A + 1, n = (size_t)model->n, widest = 0, most = 1, w = sizeof(double);
   for (int f = 0; f < model->factors; f++)
      if ((size_t)model->layer[f].n > widest) widest = (size_t)model->layer[f].n;
   for (int k = 0; k < model->readouts; k++) {
      s->V[k] = (double *)sneppp__take(c, (size_t)model->readout[k].m, (size_t)model->readout[k].n, w);
      if ((size_t)model->readout[k].m > most) most = (size_t)model->readout[k].m;
   }
   s->square = (double *)sneppp__take(c, most, most, w);
   s->work = (double *)sneppp__take(c, sneppp__lambda_max_work(most), 1, w);
   s->jet = (double *)sneppp__take(c, rows, n, w);
   s->rest = (double *)sneppp__take(c, n, 1, w);
   s->reach = (double *)sneppp__take(c, n, 1, w);
   s->one = (double *)sneppp__take(c, rows, widest, w);
   s->one_rest = (double *)sneppp__take(c, widest, 2, w);
   s->g = (double *)sneppp__take(c, rows, 1, w);
   s->cell = (double *)sneppp__take(c, s->room, s->record, w);
   sneppp__place_alias(c, s->room, &s->alias);
}

/* One factor's features at t, in the statistics k of the factor; with half-widths h (or NULL: values only). */
static void sneppp__jet_factor(sneppp__sampler *s, int f, const double *t, const double *h)
{
   const sneppp_layer *L = &s->layer[f];
   size_t d = (size_t)L->d, n = (size_t)L->n;
   double *psi = s->one, *rest = s->one_rest, *reach = rest + n;
   for (size_t i = 0; i < n; i++) {
      const double *w = L->W + i * d;
      double        z = L->b ? L->b[i] : 0, extent = 0, slope, value, lo2 = 0, hi2 = 0, e2 = 0;
      if (L->width) {
         const double *l = L->width + i * d;
         z = 0;
         for (size_t k = 0; k < d; k++) {
            double e = fabs(t[k] - w[k]) / l[k], b = h ? h[k] / l[k] : 0, near = fmax(e - b, 0);
            z += e * e, e2 += b * b, lo2 += near * near, hi2 += (e + b) * (e + b);
         }
         psi[i] = value = exp(-0.5 * z);
         if (!h) continue;
         reach[i] = 0;
         for (size_t k = 0; k < d; k++) {
            double v = psi[(k + 1) * n + i] = -value * (t[k] - w[k]) / (l[k] * l[k]);
            reach[i] += fabs(v) * h[k];
         }
         rest[i] = 0.5 * e2 * exp(-0.5 * lo2) * fmax(1, hi2); /* second derivative: psi ((e.b)^2 - b.b) */
         continue;
      }
      for (size_t k = 0; k < d; k++) { z += w[k] * t[k]; if (h) extent += fabs(w[k]) * h[k]; }
      psi[i] = sneppp__act(L->units ? &L->units[i] : &L->unit, z, &slope);
      if (!h) continue;
      for (size_t k = 0; k < d; k++) psi[(k + 1) * n + i] = slope * w[k];
      rest[i] = sneppp__act_rest(L->units ? &L->units[i] : &L->unit, z, extent);
      reach[i] = fabs(slope) * extent;
   }
}

/* Feature to = (feature from of what is mixed so far) times or plus feature j of factor f. With A = A0 + A1 + a and
   B = B0 + B1 + b, the rest of A B is A1 B1 + a (B0 + B1 + b) + b (A0 + A1). */
static void sneppp__jet_pair(sneppp__sampler *s, int f, size_t from, size_t j, size_t to, int times, int slopes)
{
   size_t n = (size_t)s->model->n, nf = (size_t)s->layer[f].n, A = (size_t)s->A, a = (size_t)s->a[f],
          d = (size_t)s->layer[f].d;
   double B0 = s->one[j], b = s->one_rest[j], B1 = s->one_rest[nf + j], A0 = s->jet[from], ra = s->rest[from],
          A1 = s->reach[from];
   s->jet[to] = times ? A0 * B0 : A0 + B0;
   if (!slopes) return;
   for (size_t k = 0; k < A; k++) {
      double own = k >= a && k < a + d ? s->one[(k - a + 1) * nf + j] : 0, v = s->jet[(k + 1) * n + from];
      s->jet[(k + 1) * n + to] = times ? v * B0 + A0 * own : v + own;
   }
   s->rest[to] = times ? A1 * B1 + ra * (fabs(B0) + B1 + b) + b * (fabs(A0) + A1) : ra + b;
   s->reach[to] = times ? A1 * fabs(B0) + B1 * fabs(A0) : A1 + B1;
}

/* All features at the statistics t, with slopes and rests over the half-widths h unless h is NULL. */
static void sneppp__jet(sneppp__sampler *s, const double *t, const double *h)
{
   const sneppp_model *model = s->model;
   size_t              n = (size_t)model->n, have = 0;
   for (int f = 0; f < model->factors; f++) {
      size_t nf = (size_t)model->layer[f].n, d = (size_t)model->layer[f].d;
      sneppp__jet_factor(s, f, t + s->a[f], h ? h + s->a[f] : NULL);
      if (!f || sneppp__mix_concatenates(model->desc.mix)) {
         memcpy(s->jet + have, s->one, nf * sizeof(double));
         for (size_t k = 0; h && k < (size_t)s->A; k++) memset(s->jet + (k + 1) * n + have, 0, nf * sizeof(double));
         for (size_t k = 0; h && k < d; k++)
            memcpy(s->jet + ((size_t)s->a[f] + k + 1) * n + have, s->one + (k + 1) * nf, nf * sizeof(double));
         if (h) {
            memcpy(s->rest + have, s->one_rest, nf * sizeof(double));
            memcpy(s->reach + have, s->one_rest + nf, nf * sizeof(double));
         }
         have += nf;
      } else if (model->desc.mix == SNEPPP_MIX_OUTER) {
         for (size_t i = have; i-- > 0;)
            for (size_t j = nf; j-- > 0;) sneppp__jet_pair(s, f, i, j, i * nf + j, 1, h != NULL);
         have *= nf;
      } else {
         for (size_t i = 0; i < nf; i++) sneppp__jet_pair(s, f, i, i, i, model->desc.mix != SNEPPP_MIX_SUM, h != NULL);
      }
   }
}

/* lambda from the values in jet: in double whatever sneppp_real is, as the closed forms are. */
static double sneppp__jet_intensity(const sneppp__sampler *s)
{
   const sneppp_model *model = s->model;
   double              sum = 0, product = 1;
   for (int k = 0; k < model->readouts; k++) {
      const sneppp_readout_state *R = &model->readout[k];
      const double               *psi = s->jet + R->first;
      size_t                      n = (size_t)R->n;
      double                      q = 0;
      if (model->desc.readout == SNEPPP_READOUT_DIAGONAL)
         for (size_t i = 0; i < n; i++) {
            double v = s->V[k][i] * psi[i];
            q += v * v;
         }
      else for (size_t r = 0; r < (size_t)R->m; r++) { double v = sneppp__dot(n, s->V[k] + r * n, psi); q += v * v; }
      sum += q, product *= q;
   }
   return model->alpha * (model->desc.mix == SNEPPP_MIX_SEPARABLE ? product : sum) + model->floor;
}

/* ---- cells */
static void sneppp__wave_range(double a, double b, double *lo, double *hi) /* of the cosine on [a, b] */
{
   double u = cos(a), v = cos(b);
   *lo = fmin(u, v), *hi = fmax(u, v);
   if (ceil(a / (2 * SNEPPP__PI)) * 2 * SNEPPP__PI <= b) *hi = 1;
   if ((ceil(a / (2 * SNEPPP__PI) - 0.5) + 0.5) * 2 * SNEPPP__PI <= b) *lo = -1;
}

/* The box of statistics that contains a cell: centre t and half-widths h. */
static void sneppp__cell_box(const sneppp__sampler *s, const double *lo, const double *hi, double *t, double *h)
{
   for (int f = 0; f < s->model->factors; f++) {
      const sneppp_window *w = s->part[f];
      const double        *p = lo + s->p[f], *q = hi + s->p[f];
      int                  a = s->a[f], ring = w->space == SNEPPP_VONMISES || (w->space == SNEPPP_SPHERE && w->dim < 4);
      double               l[3] = {0, 0, 0}, u[3] = {0, 0, 0}, r0 = 1, r1 = 1;
      if (!ring) {
         for (int k = 0; k < s->layer[f].d; k++) {
            int whole = w->space == SNEPPP_SPHERE;
            t[a + k] = whole ? 0 : 0.5 * (p[k] + q[k]);
            h[a + k] = whole ? 1 : 0.5 * (q[k] - p[k]);
         }
         continue;
      }
      if (w->space == SNEPPP_SPHERE && w->dim == 3) { /* p = height, longitude */
         double s0 = sqrt(fmax(1 - p[0] * p[0], 0)), s1 = sqrt(fmax(1 - q[0] * q[0], 0));
         r0 = fmin(s0, s1), r1 = p[0] <= 0 && q[0] >= 0 ? 1 : fmax(s0, s1);
         l[2] = p[0], u[2] = q[0];
         p++, q++;
      }
      sneppp__wave_range(p[0], q[0], &l[0], &u[0]);
      sneppp__wave_range(p[0] - 0.5 * SNEPPP__PI, q[0] - 0.5 * SNEPPP__PI, &l[1], &u[1]);
      for (int k = 0; k < 2; k++) { l[k] *= l[k] < 0 ? r1 : r0; u[k] *= u[k] < 0 ? r0 : r1; }
      for (int k = 0; k < s->layer[f].d; k++) {
         t[a + k] = 0.5 * (l[k] + u[k]);
         h[a + k] = 0.5 * (u[k] - l[k]) + 1e-15;
      }
   }
}

/* q(d) = sum_ab S_ab d_a d_b with d_0 = 1. */
static double sneppp__cell_square(const double *S, int A, const double *d)
{
   double q = S[0];
   for (int i = 0; i < A; i++) {
      double v = 2 * S[i + 1];
      for (int j = 0; j < A; j++) v += S[(i + 1) * (A + 1) + j + 1] * d[j];
      q += v * d[i];
   }
   return q > 0 ? q : 0;
}

/* The largest sqrt(q) in the box: at a corner, or for many statistics no more than |g| + sum |J_k| h_k. */
static double sneppp__cell_top(const double *S, int A, const double *h)
{
   double top = 0, d[8];
   if (A > 6) {
      top = sqrt(S[0]);
      for (int k = 1; k <= A; k++) top += sqrt(fmax(S[k * (A + 1) + k], 0)) * h[k - 1];
      return top;
   }
   for (int corner = 0; corner < 1 << A; corner++) {
      for (int k = 0; k < A; k++) d[k] = (corner >> k & 1) ? h[k] : -h[k];
      top = fmax(top, sneppp__cell_square(S, A, d));
   }
   return sqrt(top);
}

/* A record: lo (P), hi (P), bound, weight = bound times volume, doubtful share, centre (A); then for each readout R
   and S. */
static void sneppp__cell_bound(sneppp__sampler *s, double *cell)
{
   const sneppp_model *model = s->model;
   size_t  P = (size_t)s->P, rows = (size_t)s->A + 1, n = (size_t)model->n;
   double *t = cell + 2 * P + 3, *more = t + s->A, h[SNEPPP__MAX_AXES], up = 0, low = 0, ups = 1, lows = 1,
          volume = s->unit;
   sneppp__cell_box(s, cell, cell + P, t, h);
   sneppp__jet(s, t, h);
   for (int k = 0; k < model->readouts; k++, more += 1 + rows * rows) {
      const sneppp_readout_state *R = &model->readout[k];
      size_t  nk = (size_t)R->n, first = (size_t)R->first;
      double *S = more + 1, rest = 0, size = 0, top;
      int     diagonal = model->desc.readout == SNEPPP_READOUT_DIAGONAL;
      memset(S, 0, rows * rows * sizeof *S);
      for (size_t r = 0; r < (diagonal ? nk : (size_t)R->m); r++) {
         for (size_t a = 0; a < rows; a++) {
            const double *j = s->jet + a * n + first;
            s->g[a] = diagonal ? s->V[k][r] * j[r] : sneppp__dot(nk, s->V[k] + r * nk, j);
         }
         for (size_t a = 0; a < rows; a++) for (size_t b = 0; b < rows; b++) S[a * rows + b] += s->g[a] * s->g[b];
      }
      for (size_t i = 0; i < nk; i++) {
         double e = s->rest[first + i], z = fabs(s->jet[first + i]) + s->reach[first + i] + e,
                v = diagonal ? s->V[k][i] : 1;
         rest += v * v * e * e, size += v * v * z * z;
      }
      more[0] = s->norm[k] * (sqrt(rest) + 1e-12 * sqrt(size));
      top = sneppp__cell_top(S, s->A, h);
      up += (top + more[0]) * (top + more[0]), ups *= (top + more[0]) * (top + more[0]);
      top = fmax(top - 2 * more[0], 0); /* what is not in doubt near the top */
      low += top * top, lows *= top * top;
   }
   if (model->desc.mix == SNEPPP_MIX_SEPARABLE) up = ups, low = lows;
   for (size_t k = 0; k < P; k++) volume *= cell[P + k] - cell[k];
   cell[2 * P] = model->alpha * up * (1 + 1e-12) + model->floor;
   cell[2 * P + 1] = cell[2 * P] * volume;
   cell[2 * P + 2] = cell[2 * P] > 0 ? model->alpha * (up - low) / cell[2 * P] : 0;
}

/* The axis along which features change most, in units of their own. */
static size_t sneppp__cell_axis(const sneppp__sampler *s, const double *cell)
{
   size_t P = (size_t)s->P, best = 0;
   double most = -1;
   for (int f = 0; f < s->model->factors; f++) {
      const sneppp_window *w = s->part[f];
      for (int k = 0; k < sneppp__cell_axes(w); k++) {
         size_t i = (size_t)s->p[f] + (size_t)k;
         double lo = cell[i], hi = cell[P + i], e = hi - lo;
         if (w->space == SNEPPP_SPHERE && w->dim == 3) {
            if (k == 0) e = acos(fmax(lo, -1)) - acos(fmin(hi, 1));
            else {
               lo = cell[i - 1], hi = cell[P + i - 1];
               e *= lo <= 0 && hi >= 0 ? 1 : sqrt(fmax(1 - fmin(lo * lo, hi * hi), 0));
            }
         }
         if (e * s->axis[i] > most) { most = e * s->axis[i]; best = i; }
      }
   }
   return best;
}

/* Splits cells, pass by pass, while the candidates expected in a cell would cost more than the bounds of two halves. */
static void sneppp__cells_split(sneppp__sampler *s, double per_weight)
{
   size_t P = (size_t)s->P, before;
   memcpy(s->cell, s->lo, P * sizeof *s->cell);
   memcpy(s->cell + P, s->hi, P * sizeof *s->cell);
   sneppp__cell_bound(s, s->cell);
   s->cells = 1;
   do {
      before = s->cells;
      for (size_t i = 0; P && i < before && s->cells < s->room; i++) {
         double *cell = s->cell + i * s->record, *twin = s->cell + s->cells * s->record, mid;
         size_t  k;
         if (cell[2 * P + 1] * per_weight * (cell[2 * P + 2] + 0.05) < 12) continue;
         k = sneppp__cell_axis(s, cell);
         mid = 0.5 * (cell[k] + cell[P + k]);
         if (!(mid > cell[k] && mid < cell[P + k])) continue;
         memcpy(twin, cell, 2 * P * sizeof *cell);
         cell[P + k] = twin[k] = mid;
         sneppp__cell_bound(s, cell);
         sneppp__cell_bound(s, twin);
         s->cells++;
      }
   } while (s->cells > before);
}

/* A uniform point of a cell: its statistics t, and the event x in the user's coordinates. Returns 0 outside the
   region. */
static int sneppp__cell_draw(const sneppp__sampler *s, const double *cell, sneppp_rng *rng, double *t, sneppp_real *x)
{
   for (int f = 0; f < s->model->factors; f++) {
      const sneppp_window      *w = s->part[f];
      const sneppp_layer_state *L = &s->model->layer[f];
      const double             *lo = cell + s->p[f], *hi = lo + s->P;
      double                   *u = t + s->a[f], y[SNEPPP__MAX_STATS], z = 0;
      sneppp_real              *to = x + L->first;
      if (w->space == SNEPPP_SPHERE || w->space == SNEPPP_VONMISES) {
         if (w->dim > 3) sneppp_rng_sphere(rng, w->dim, u);
         else {
            int    globe = w->dim == 3;
            double angle, r;
            if (globe) z = lo[0] + sneppp_rng_uniform(rng) * (hi[0] - lo[0]);
            angle = lo[globe] + sneppp_rng_uniform(rng) * (hi[globe] - lo[globe]);
            r = sqrt(fmax(1 - z * z, 0));
            u[0] = r * cos(angle), u[1] = r * sin(angle);
            if (globe) u[2] = z;
            if (w->space == SNEPPP_VONMISES) { to[0] = (sneppp_real)angle; continue; }
         }
         for (int k = 0; k < w->dim; k++) to[k] = (sneppp_real)u[k];
         continue;
      }
      for (int k = 0; k < w->dim; k++) {
         double a, b;
         u[k] = lo[k] + sneppp_rng_uniform(rng) * (hi[k] - lo[k]);
         y[k] = u[k] + L->shift[k];
         to[k] = (sneppp_real)y[k];
         if (w->space == SNEPPP_BOX || sizeof(sneppp_real) == sizeof(float)) {
            sneppp__window_range(w, k, &a, &b);
            to[k] = sneppp__round_into(y[k], a, b);
            y[k] = (double)to[k];
         }
      }
      if (w->space != SNEPPP_BOX && !sneppp_window_contains(w, y)) return 0;
   }
   return 1;
}

/* Is a candidate at height (share u of the cell's bound) below lambda? The quick bounds first. */
static int sneppp__cell_under(sneppp__sampler *s, const double *cell, const double *t, double u, size_t *looks)
{
   const sneppp_model *model = s->model;
   size_t        rows = (size_t)s->A + 1;
   const double *centre = cell + 2 * s->P + 3, *more = centre + s->A;
   double        c[SNEPPP__MAX_AXES], up = 0, low = 0, ups = 1, lows = 1, height = u * cell[2 * s->P];
   for (int k = 0; k < s->A; k++) c[k] = t[k] - centre[k];
   for (int k = 0; k < model->readouts; k++, more += 1 + rows * rows) {
      double q = sqrt(sneppp__cell_square(more + 1, s->A, c)), b = q + more[0], a = fmax(q - more[0], 0);
      up += b * b, ups *= b * b, low += a * a, lows *= a * a;
   }
   if (model->desc.mix == SNEPPP_MIX_SEPARABLE) up = ups, low = lows;
   if (height >= model->alpha * up * (1 + 1e-12) + model->floor) return 0;
   if (height < model->alpha * low * (1 - 1e-12) + model->floor) return 1;
   ++*looks;
   sneppp__jet(s, t, NULL);
   return height < sneppp__jet_intensity(s);
}

/* Can every part of the model be bounded? Fills in the axes of the cells. */
static sneppp_status sneppp__sampler_axes(sneppp__sampler *s, const sneppp_region *region, sneppp_error *err)
{
   const sneppp_model *model = s->model;
   s->unit = 1;
   for (int f = 0; f < model->factors; f++) {
      const sneppp_window *w = s->part[f] = sneppp__part(model, region, f);
      sneppp_space         space = model->desc.factor[f].window.space;
      s->a[f] = s->A, s->p[f] = s->P;
      if (space != SNEPPP_BOX && space != SNEPPP_INTERVALS && space != SNEPPP_POLYGON &&
          space != SNEPPP_BALL && space != SNEPPP_SPHERE && space != SNEPPP_VONMISES)
         return sneppp__fail(err, SNEPPP_ERR_NO_CLOSED_FORM,
                             "factor[%d]: sampling needs a bound on the intensity, which is known on boxes, "
                             "intervals, polygons, balls, spheres and circles only",
                             f);
      if (model->layer[f].units && model->layer[f].width)
         return sneppp__fail(err, SNEPPP_ERR_NO_CLOSED_FORM,
                             "factor[%d]: no bound for a mixed layer with radial units", f);
      for (int k = 0; k < sneppp__cell_axes(w); k++) {
         double *lo = &s->lo[s->P + k], *hi = &s->hi[s->P + k];
         int     globe = w->space == SNEPPP_SPHERE && w->dim == 3 && k == 0;
         s->axis[s->P + k] = 1;
         if (space == SNEPPP_SPHERE || space == SNEPPP_VONMISES) {
            *lo = globe ? -1 : 0;
            *hi = globe ? 1 : 2 * SNEPPP__PI;
            continue;
         }
         sneppp__window_range(w, k, lo, hi);
         *lo -= model->layer[f].shift[k], *hi -= model->layer[f].shift[k];
      }
      if (space == SNEPPP_SPHERE) { /* the volume of all cells of the factor is known: 4 pi, 2 pi or 1 */
         double cells = w->dim == 3 ? 4 * SNEPPP__PI : w->dim == 2 ? 2 * SNEPPP__PI : 1;
         s->unit *= sneppp_window_mass(w) / cells;
      }
      s->A += model->layer[f].d, s->P += sneppp__cell_axes(w);
   }
   return SNEPPP_OK;
}

/* Double copies of the readouts, their norms, and how fast features change along each axis. */
static sneppp_status sneppp__sampler_fill(sneppp__sampler *s, sneppp_error *err)
{
   const sneppp_model *model = s->model;
   for (int k = 0; k < model->readouts; k++) {
      const sneppp_readout_state *R = &model->readout[k];
      size_t        m = (size_t)R->m, n = (size_t)R->n;
      double        value = 0, upper = 0;
      sneppp_status st;
      for (size_t i = 0; i < m * n; i++) s->V[k][i] = (double)R->V[i];
      s->norm[k] = 1; /* diagonal: v is in the sums already */
      if (model->desc.readout == SNEPPP_READOUT_DIAGONAL) continue;
      sneppp__dsyrk(0, m, n, 1, s->V[k], n, 0, s->square, m);
      st = sneppp__lambda_max(m, s->square, &value, &upper, s->work);
      if (st != SNEPPP_OK) return sneppp__fail(err, st, "the norm of V could not be bounded: %s", sneppp_strerror(st));
      s->norm[k] = sqrt(upper) * (1 + 1e-12);
   }
   for (int f = 0; f < model->factors; f++) {
      const sneppp_layer *L = &s->layer[f];
      if (s->part[f]->space == SNEPPP_SPHERE || s->part[f]->space == SNEPPP_VONMISES) continue;
      for (int k = 0; k < L->d; k++) {
         double sum = 0;
         for (int i = 0; i < L->n; i++) {
            double w = L->width ? 1 / L->width[i * L->d + k] : L->W[i * L->d + k];
            sum += w * w;
         }
         s->axis[s->p[f] + k] = sqrt(sum / L->n) + 1e-9 / (s->hi[s->p[f] + k] - s->lo[s->p[f] + k]);
      }
   }
   return SNEPPP_OK;
}

/* ---- the memory of a draw: one block, for the closed forms of the region and for what is drawn from */
typedef struct sneppp__draw {
   const sneppp_model  *model;
   const sneppp_region *region;
   int                  mixture;
   double               expected;
   sneppp__grams        g;
   sneppp_window        inside[SNEPPP_MAX_FACTORS];
   sneppp__sampler      s;          /* its layers and alias serve mixtures too */
   sneppp__block        block;
} sneppp__draw;

static size_t sneppp__cell_room(size_t N) { return N / 8 < 126976 ? N / 8 + 4096 : 131072; }

static void sneppp__place_draw(sneppp__carver *c, size_t cap, sneppp__draw *w)
{
   const sneppp_model *model = w->model;
   sneppp__place_grams(c, model, &w->g);
   for (int f = 0; f < model->factors; f++) {
      const sneppp_window *part = w->region ? w->region->factor[f] : NULL;
      w->inside[f] = model->layer[f].inside;
      if (part && part->space != SNEPPP_FINITE) sneppp__place_window(c, part, model->layer[f].shift, &w->inside[f]);
      if (part && part->space == SNEPPP_FINITE) w->inside[f].weight = part->weight;
      sneppp__place_layer(c, model, f, &w->s.layer[f]);
   }
   w->s.room = w->mixture ? 0 : sneppp__cell_room(cap);
   if (w->mixture) sneppp__place_alias(c, (size_t)model->n + 1, &w->s.alias);
   else sneppp__place_sampler(c, &w->s);
}

/* Checks everything and measures. */
static sneppp_status sneppp__draw_plan(const sneppp_model *model, const sneppp_region *region, size_t cap,
                                       sneppp__carver *c, sneppp__draw *w, sneppp_error *err)
{
   sneppp_status st = SNEPPP_OK;
   size_t        rows;
   memset(w, 0, sizeof *w);
   *c = sneppp__measure();
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   w->model = w->s.model = model, w->region = region;
   for (int f = 0; st == SNEPPP_OK && region && f < model->factors; f++)
      if (region->factor[f]) st = sneppp__region_check(model, f, region->factor[f], err);
   if (st != SNEPPP_OK) return st;
   if (sneppp__own_factor(model) >= 0) return sneppp__own_refuse(model, "sampled", err);
   w->mixture = sneppp__is_mixture(model, region);
   if (!w->mixture && (st = sneppp__sampler_axes(&w->s, region, err)) != SNEPPP_OK) return st;
   rows = (size_t)w->s.A + 1;
   w->s.record = 2 * (size_t)w->s.P + 3 + (size_t)w->s.A + (size_t)model->readouts * (1 + rows * rows);
   sneppp__place_draw(c, cap, w);
   return SNEPPP_OK;
}

/* The bytes that sneppp_sample_in wants for up to cap points; 0 and a reason where the model cannot be sampled. */
SNEPPP_DEF size_t sneppp_sample_bytes(const sneppp_model *model, const sneppp_region *region, size_t cap,
                                      sneppp_error *err)
{
   sneppp__carver c;
   sneppp__draw   w;
   return sneppp__draw_plan(model, region, cap, &c, &w, err) == SNEPPP_OK ? sneppp__block_bytes(&c) : 0;
}

/* Plans, takes the block and computes the expected number. If it succeeds, free w->block. */
static sneppp_status sneppp__draw_open(const sneppp_model *model, const sneppp_region *region, size_t cap, void *mem,
                                       size_t mem_bytes, sneppp__draw *w, sneppp_error *err)
{
   sneppp__carver c;
   sneppp_status  st = sneppp__draw_plan(model, region, cap, &c, w, err);
   if (st == SNEPPP_OK) st = sneppp__block_get(&w->block, &c, mem, mem_bytes, model->desc.alloc_ctx, err);
   if (st != SNEPPP_OK) return st;
   sneppp__place_draw(&c, cap, w);
   for (int f = 0; st == SNEPPP_OK && f < model->factors; f++)
      st = sneppp__factor_grams(model, f, region ? region->factor[f] : NULL, &w->inside[f], &w->s.layer[f],
                                &w->g, NULL, err);
   if (st == SNEPPP_OK) w->expected = sneppp__integral(model, &w->g, NULL);
   else sneppp__block_free(&w->block);
   return st;
}

static sneppp_status sneppp__sample_mixture(sneppp__draw *w, sneppp_rng *rng, size_t N, sneppp__sink *sink,
                                            sneppp_sample_info *info, sneppp_error *err)
{
   const sneppp_model *model = w->model;
   sneppp__alias      *a = &w->s.alias;
   size_t              n = (size_t)model->n;
   sneppp_real         x[SNEPPP__MAX_EVENT];
   double              mass = 1;
   for (int f = 0; f < model->factors; f++) mass *= w->g.mass[f];
   for (size_t i = 0; i < n; i++) {
      double v = (double)model->readout[0].V[i];
      a->p[i] = model->alpha * v * v * sneppp__mix_entry(model, &w->g, i, i);
   }
   a->p[n] = model->floor * mass;
   if (!(sneppp__alias_make(a) > 0))
      return sneppp__fail(err, SNEPPP_ERR_ARG, "the model expects no events in the region, but %z are asked for", N);
   for (size_t k = 0; k < N; k++) {
      size_t i = sneppp__alias_draw(a, rng);
      for (int f = 0; f < model->factors; f++) {
         const sneppp_window *part = sneppp__part(model, w->region, f);
         sneppp_real         *to = x + model->layer[f].first;
         double               y[SNEPPP_MAX_DIM];
         if (i < n) { sneppp__draw_bump(model, f, i, part, rng, to); continue; }
         (void)sneppp_window_draw(part, rng, y);
         for (int r = 0; r < part->dim; r++)
            to[r] = part->space == SNEPPP_BOX ? sneppp__round_into(y[r], part->lo[r], part->hi[r]) : (sneppp_real)y[r];
      }
      sneppp__sink_put(sink, (size_t)model->D, x);
   }
   info->candidates += N;
   return SNEPPP_OK;
}

static sneppp_status sneppp__sample_envelope(sneppp__draw *w, sneppp_rng *rng, size_t N, sneppp__sink *sink,
                                             sneppp_sample_info *info, sneppp_error *err)
{
   sneppp_real      x[SNEPPP__MAX_EVENT];
   sneppp__sampler *s = &w->s;
   sneppp_status    st = sneppp__sampler_fill(s, err);
   double           t[SNEPPP__MAX_AXES], most = 1e8 + 1e4 * (double)N, tried = 0;
   size_t           looks = 0;
   if (st != SNEPPP_OK) return st;
   if (sneppp__cell_room(N) < s->room) s->room = sneppp__cell_room(N); /* the same cells whatever the memory */
   sneppp__cells_split(s, (double)N / w->expected);
   s->alias.n = s->cells;
   for (size_t i = 0; i < s->cells; i++) s->alias.p[i] = s->cell[i * s->record + 2 * (size_t)s->P + 1];
   if (!sneppp__finite(sneppp__alias_make(&s->alias)))
      return sneppp__fail(err, SNEPPP_ERR_RANGE, "the bound on the intensity cannot be represented");
   for (size_t k = 0; k < N;) {
      const double *cell = s->cell + sneppp__alias_draw(&s->alias, rng) * s->record;
      int           inside = sneppp__cell_draw(s, cell, rng, t, x);
      double        u = sneppp_rng_uniform(rng);
      tried += 1;
      if (inside && sneppp__cell_under(s, cell, t, u, &looks)) {
         sneppp__sink_put(sink, (size_t)w->model->D, x);
         k++;
      } else if (tried > most)
         return sneppp__fail(err, SNEPPP_ERR_NO_CONVERGENCE,
                             "the bound is too far above the intensity: %z of %z points after %g candidates", k,
                             N, tried);
   }
   info->candidates += (size_t)tried;
   info->evaluations += looks;
   info->cells += s->cells;
   return SNEPPP_OK;
}

/* N > 0 points. */
static sneppp_status sneppp__draw_points(sneppp__draw *w, sneppp_rng *rng, size_t N, sneppp__sink *sink,
                                         sneppp_sample_info *info, sneppp_error *err)
{
   if (!(w->expected > 0))
      return sneppp__fail(err, SNEPPP_ERR_ARG, "the model expects no events in the region, but %z are asked for", N);
   return w->mixture ? sneppp__sample_mixture(w, rng, N, sink, info, err)
                     : sneppp__sample_envelope(w, rng, N, sink, info, err);
}

SNEPPP_DEF sneppp_status sneppp_sample_in(void *mem, size_t mem_bytes, const sneppp_model *model,
                                          const sneppp_region *region, sneppp_rng *rng, size_t count, sneppp_real *x,
                                          size_t cap, sneppp_sample_info *info, sneppp_error *err)
{
   sneppp_sample_info own;
   sneppp_status      st;
   sneppp__draw       w;
   sneppp__sink       sink;
   uint64_t           N;
   if (!info) info = &own;
   memset(info, 0, sizeof *info);
   if (!rng) return sneppp__fail(err, SNEPPP_ERR_ARG, "rng is NULL");
   st = sneppp__draw_open(model, region, cap, mem, mem_bytes, &w, err);
   if (st != SNEPPP_OK) return st;
   info->expected = w.expected;
   N = count ? count : sneppp_rng_poisson(rng, w.expected);
   info->count = N < SIZE_MAX ? (size_t)N : SIZE_MAX;
   info->acceptance = 1;
   sink.x = x, sink.cap = cap, sink.count = 0, sink.edge = NULL;
   if (info->count > cap)
      st = sneppp__fail(err, SNEPPP_ERR_SIZE, "x has room for %z points, but there are %z", cap, info->count);
   else if (N && !x) st = sneppp__fail(err, SNEPPP_ERR_ARG, "x is NULL");
   else if (N) st = sneppp__draw_points(&w, rng, info->count, &sink, info, err);
   if (info->candidates) info->acceptance = (double)sink.count / (double)info->candidates;
   sneppp__block_free(&w.block);
   return st;
}

SNEPPP_DEF sneppp_status sneppp_sample(const sneppp_model *model, const sneppp_region *region,
                                       sneppp_rng *rng, size_t count, sneppp_real *x, size_t cap,
                                       sneppp_sample_info *info, sneppp_error *err)
{
   return sneppp_sample_in(NULL, 0, model, region, rng, count, x, cap, info, err);
}

/* ---- tiles. The process is the sum of depth + 1 independent ones, its layers, of intensities
      lambda 4^-depth,  3 lambda 4^-depth,  12 lambda 4^-depth, ...,  3/4 lambda,
   so that layers 0..l together have 4^(l - depth) lambda. Layer l is drawn tile by tile of level l, each tile from a
   stream of its own. A tile of level L is the part of layers 0..min(L, depth) that lies in it: its own points of
   layer L, and those of its ancestors that fall into it. So a tile's points are among those of its children, which
   add layer L + 1; tiles of one level are independent, because parts of a Poisson process are; nothing depends on
   what was asked for before. A tile holds about as many points of its layer whatever the level, and a look at the
   whole plane costs no more than one at a corner of it. A point that is on the border of two tiles belongs to that
   of the larger coordinates. */
static double sneppp__tile_border(const sneppp_window *w, int r, uint64_t i, uint64_t of)
{
   double t = (double)i / (double)of; /* exact: of is a power of two */
   return i == of ? w->hi[r] : w->lo[r] + t * (w->hi[r] - w->lo[r]);
}

static void sneppp__tile_box(const sneppp_window *win, int level, const uint32_t *at, sneppp_window *box)
{
   memset(box, 0, sizeof *box);
   box->dim = 2;
   for (int r = 0; r < 2; r++) {
      box->lo[r] = sneppp__tile_border(win, r, at[r], (uint64_t)1 << level);
      box->hi[r] = sneppp__tile_border(win, r, (uint64_t)at[r] + 1, (uint64_t)1 << level);
   }
}

SNEPPP_DEF sneppp_status sneppp_sample_tile_in(void *mem, size_t mem_bytes, const sneppp_model *model,
                                               int depth, int level, uint32_t ix, uint32_t iy, uint64_t seed,
                                               sneppp_real *x, size_t cap, sneppp_sample_info *info,
                                               sneppp_error *err)
{
   sneppp_sample_info   own;
   const sneppp_window *win;
   sneppp_window        tile, box;
   sneppp_region        region;
   sneppp__draw         w;
   sneppp__sink         sink;
   sneppp_status        st = SNEPPP_OK;
   uint32_t             at[2];
   double               drawn = 0, edge[4];
   int                  last;
   if (!info) info = &own;
   memset(info, 0, sizeof *info);
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   win = &model->desc.factor[0].window;
   if (model->factors > 1 || win->space != SNEPPP_BOX || win->dim != 2)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "tiles are for models of one planar box");
   if (depth < 0 || depth > 28) return sneppp__fail(err, SNEPPP_ERR_ARG, "depth = %d must be 0..28", depth);
   if (level < 0 || level > 28) return sneppp__fail(err, SNEPPP_ERR_ARG, "level = %d must be 0..28", level);
   if (ix >> level || iy >> level)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "tile (%z, %z) is outside the level, which has %z a side",
                          (size_t)ix, (size_t)iy, (size_t)1 << level);
   if (cap && !x) return sneppp__fail(err, SNEPPP_ERR_ARG, "x is NULL");
   at[0] = ix, at[1] = iy;
   sneppp__tile_box(win, level, at, &tile);
   memset(&region, 0, sizeof region);
   region.factor[0] = &box;
   sink.x = x, sink.cap = cap, sink.count = 0, sink.edge = edge;
   last = level < depth ? level : depth;
   for (int l = 0; st == SNEPPP_OK && l <= last + (last < level);
        l++) { /* the tile itself comes last, at least for its mean */
      int        of = l > last ? level : l;
      uint64_t   N = 0;
      sneppp_rng rng;
      at[0] = ix >> (level - of), at[1] = iy >> (level - of);
      sneppp__tile_box(win, of, at, &box);
      for (int r = 0; r < 2; r++) { /* only edges within the ancestor cut: what it drew on its own border stays */
         edge[2 * r] = tile.lo[r] > box.lo[r] ? tile.lo[r] : -1e300;
         edge[2 * r + 1] = tile.hi[r] < box.hi[r] ? tile.hi[r] : 1e300;
      }
      st = sneppp__draw_open(model, &region, cap, mem, mem_bytes, &w, err);
      if (st != SNEPPP_OK) break;
      info->expected = ldexp(w.expected, 2 * (last - depth));
      sneppp_rng_init(&rng, seed, (uint64_t)l << 58 | (uint64_t)at[0] << 29 | at[1]);
      if (l <= last) N = sneppp_rng_poisson(&rng, ldexp(l ? 0.75 : 1, 2 * (l - depth)) * w.expected);
      if (N > SIZE_MAX / 2)
         st = sneppp__fail(err, SNEPPP_ERR_SIZE, "a tile of layer %d has more points than can be counted", l);
      else if (N) st = sneppp__draw_points(&w, &rng, (size_t)N, &sink, info, err);
      drawn += (double)N;
      sneppp__block_free(&w.block);
   }
   if (st != SNEPPP_OK) return st;
   info->count = sink.count;
   info->acceptance = info->candidates ? drawn / (double)info->candidates : 1;
   if (info->count > cap)
      return sneppp__fail(err, SNEPPP_ERR_SIZE, "x has room for %z points, but there are %z", cap, info->count);
   return SNEPPP_OK;
}

SNEPPP_DEF sneppp_status sneppp_sample_tile(const sneppp_model *model, int depth, int level, uint32_t ix, uint32_t iy,
                                            uint64_t seed, sneppp_real *x, size_t cap,
                                            sneppp_sample_info *info, sneppp_error *err)
{
   return sneppp_sample_tile_in(NULL, 0, model, depth, level, ix, iy, seed, x, cap, info, err);
}

/* >>io =======================================================================================================
   A saved model is a run of bytes: magic, version, size of its reals, length, the description, the parameters, and
   a CRC-32 of everything before it. Numbers are little-endian, written byte by byte; reals are IEEE bits, so that
   what is loaded in the same precision is what was saved, to the last bit; the other precision converts. One
   function walks the fields for measuring, writing and reading, so that the three cannot drift apart. The reader
   trusts nothing: the checksum comes first, every count is held against the bytes that remain before anything is
   allocated for it, and the description passes the same checks as one written by hand. */
#define SNEPPP__IO_VERSION 1u

typedef struct sneppp__io {
   unsigned char       *to;       /* writing: next byte, NULL = only count                  */
   const unsigned char *from;     /* reading: next byte                                     */
   size_t               left;     /* reading: bytes that remain                             */
   size_t               used;     /* bytes passed so far                                    */
   int                  reading, bad;
   int                  real;     /* bytes of a real in the file                            */
} sneppp__io;

static uint32_t sneppp__crc32(const unsigned char *p, size_t n)
{
   uint32_t c = 0xffffffffu;
   while (n--) {
      c ^= *p++;
      for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
   }
   return ~c;
}

static uint64_t sneppp__io_uint(sneppp__io *io, uint64_t v, size_t bytes)
{
   uint64_t got = 0;
   if (io->reading) {
      if (io->left < bytes) { io->bad = 1; return 0; }
      for (size_t k = 0; k < bytes; k++) got |= (uint64_t)*io->from++ << 8 * k;
      io->left -= bytes;
   } else if (io->to) {
      for (size_t k = 0; k < bytes; k++) *io->to++ = (unsigned char)(v >> 8 * k);
   }
   io->used += bytes;
   return io->reading ? got : v;
}

static void sneppp__io_int(sneppp__io *io, int *v)
{
   *v = (int)(int32_t)(uint32_t)sneppp__io_uint(io, (uint64_t)(uint32_t)*v, 4);
}

static void sneppp__io_double(sneppp__io *io, double *v)
{
   uint64_t u;
   memcpy(&u, v, sizeof u);
   u = sneppp__io_uint(io, u, 8);
   memcpy(v, &u, sizeof u);
}

static int sneppp__io_counts(sneppp__io *io, size_t count, size_t size) /* measuring does not look at the values */
{
   if (io->reading || io->to) return 0;
   io->used += count * size;
   return 1;
}

static void sneppp__io_doubles(sneppp__io *io, double *v, size_t count)
{
   if (sneppp__io_counts(io, count, 8)) return;
   for (size_t i = 0; i < count && !io->bad; i++) sneppp__io_double(io, v + i);
}

static void sneppp__io_reals(sneppp__io *io, sneppp_real *v, size_t count)
{
   if (sneppp__io_counts(io, count, (size_t)io->real)) return;
   for (size_t i = 0; i < count && !io->bad; i++) {
      double   wide = (double)v[i];
      float    narrow = (float)v[i];
      uint32_t u;
      if (io->real == 8) sneppp__io_double(io, &wide);
      else {
         memcpy(&u, &narrow, sizeof u);
         u = (uint32_t)sneppp__io_uint(io, u, 4);
         memcpy(&narrow, &u, sizeof u);
      }
      if (io->reading) v[i] = io->real == 8 ? (sneppp_real)wide : (sneppp_real)narrow;
   }
}

/* A list that may be absent. Reading: counts and checks its bytes and leaves *list pointing at `room`, if given. */
static void sneppp__io_list(sneppp__io *io, const double **list, size_t count, double **room)
{
   int there = *list != NULL;
   sneppp__io_int(io, &there);
   if (there != 0 && there != 1) io->bad = 1;
   if (io->reading) *list = NULL;
   if (!there || io->bad) return;
   if (!io->reading) {
      for (size_t i = 0; i < count; i++) { double v = (*list)[i]; sneppp__io_double(io, &v); }
      return;
   }
   if (count > io->left / 8) { io->bad = 1; return; }
   if (*room) {
      sneppp__io_doubles(io, *room, count);
      *list = *room;
      *room += count;
   } else {
      io->from += 8 * count, io->left -= 8 * count, io->used += 8 * count;
      *list = (const double *)(uintptr_t)8; /* there, but not read yet */
   }
}

static size_t sneppp__io_size(sneppp__io *io, size_t v)
{
   uint64_t u = sneppp__io_uint(io, (uint64_t)v, 8);
   if (u > SIZE_MAX / 64) { io->bad = 1; return 0; }
   return (size_t)u;
}

static void sneppp__io_window(sneppp__io *io, sneppp_window *w, double **room, size_t **sizes)
{
   int    space = (int)w->space, measure = (int)w->measure, rings;
   size_t vertices, k;
   sneppp__io_int(io, &space);
   sneppp__io_int(io, &measure);
   sneppp__io_int(io, &w->dim);
   w->space = (sneppp_space)space, w->measure = (sneppp_measure)measure;
   if (io->bad || w->dim < 0 || w->dim > SNEPPP_MAX_DIM) { io->bad = 1; return; }
   sneppp__io_doubles(io, w->lo, (size_t)w->dim);
   sneppp__io_doubles(io, w->hi, (size_t)w->dim);
   sneppp__io_doubles(io, w->centre, (size_t)w->dim);
   sneppp__io_doubles(io, w->param,
                      w->dim < 2 ? (size_t)(SNEPPP_MAX_DIM < 2 ? 1 : 2)
                                 : (size_t)w->dim); /* families on the line have two */
   sneppp__io_double(io, &w->radius);
   w->count = sneppp__io_size(io, w->count);
   w->rings = sneppp__io_size(io, w->rings);
   if (io->bad || (io->reading && (w->count > io->left || w->rings > io->left))) { io->bad = 1; return; }
   vertices = w->space == SNEPPP_POLYGON ? w->count : 0;
   rings = w->space == SNEPPP_POLYGON && w->rings > 0;
   if (rings)
      for (vertices = 0, k = 0; k < w->rings && !io->bad; k++) {
         size_t size = sneppp__io_size(io, io->reading ? 0 : w->ring_size[k]);
         if (io->reading && size > io->left) io->bad = 1;
         if (io->reading && *sizes) (*sizes)[k] = size;
         vertices += size;
      }
   if (io->reading) { w->ring_size = rings && *sizes ? *sizes : NULL; if (rings && *sizes) *sizes += w->rings; }
   if (w->space != SNEPPP_POLYGON) w->rings = 0;
   {
      size_t components = w->space == SNEPPP_GAUSS && !w->count ? 1 : w->count, d = (size_t)w->dim;
      sneppp__io_list(io, &w->weight, components, room);
      sneppp__io_list(io, &w->mean, components * d, room);
      sneppp__io_list(io, &w->scale, components * d, room);
      sneppp__io_list(io, &w->ends, 2 * w->count, room);
      sneppp__io_list(io, &w->point, w->count * d, room);
      sneppp__io_list(io, &w->xy, 2 * vertices, room);
   }
}

static void sneppp__io_unit(sneppp__io *io, sneppp_unit *u)
{
   int act = (int)u->act;
   sneppp__io_int(io, &act);
   u->act = (sneppp_act)act;
   sneppp__io_double(io, &u->p);
   sneppp__io_double(io, &u->q);
}

/* The description. Reading twice: first with NULL rooms to learn the sizes, then into memory. */
static void sneppp__io_desc(sneppp__io *io, sneppp_desc *d, double **room, size_t **sizes, sneppp_unit **units)
{
   int factors = 0, mix = (int)d->mix, readout = (int)d->readout;
   while (factors < SNEPPP_MAX_FACTORS && d->factor[factors].window.dim) factors++;
   sneppp__io_int(io, &factors);
   sneppp__io_int(io, &mix);
   sneppp__io_int(io, &readout);
   sneppp__io_int(io, &d->width);
   sneppp__io_int(io, &d->rank);
   sneppp__io_int(io, &d->group);
   sneppp__io_double(io, &d->alpha);
   d->seed = sneppp__io_uint(io, d->seed, 8);
   d->mix = (sneppp_mix)mix, d->readout = (sneppp_readout)readout;
   if (factors < 1 || factors > SNEPPP_MAX_FACTORS) io->bad = 1;
   for (int f = 0; f < factors && !io->bad; f++) {
      sneppp_factor *x = &d->factor[f];
      int            mixed = x->units != NULL;
      sneppp__io_window(io, &x->window, room, sizes);
      sneppp__io_unit(io, &x->unit);
      sneppp__io_int(io, &x->width);
      sneppp__io_int(io, &x->no_bias);
      sneppp__io_int(io, &mixed);
      if (io->bad || x->width < 1 || (io->reading && mixed && (size_t)x->width > io->left / 20)) {
         io->bad = 1;
         return;
      }
      for (int i = 0; mixed && i < x->width; i++) {
         sneppp_unit u = {SNEPPP_ONE, 0, 0};
         if (!io->reading) u = x->units[i];
         sneppp__io_unit(io, &u);
         if (io->reading && *units) (*units)[i] = u;
      }
      if (io->reading) { x->units = mixed && *units ? *units : NULL; if (mixed && *units) *units += x->width; }
   }
}

/* Everything that was learnt. The arrays of the model must be in place. */
static void sneppp__io_parameters(sneppp__io *io, sneppp_model *m)
{
   sneppp__io_double(io, &m->alpha);
   sneppp__io_double(io, &m->floor);
   for (int f = 0; f < m->factors; f++) {
      sneppp_layer_state *L = &m->layer[f];
      size_t              n = (size_t)L->n, d = (size_t)L->d;
      sneppp__io_reals(io, L->W, n * d);
      sneppp__io_reals(io, L->b, n);
      if (m->desc.factor[f].unit.act == SNEPPP_RBF) sneppp__io_reals(io, L->width, n * d);
      sneppp__io_doubles(io, L->shift, (size_t)SNEPPP_MAX_DIM < d ? (size_t)SNEPPP_MAX_DIM : d);
      sneppp__io_doubles(io, L->rate, (size_t)SNEPPP_MAX_DIM < d ? (size_t)SNEPPP_MAX_DIM : d);
      if (L->inside.space != SNEPPP_GAUSS) continue;
      sneppp__io_doubles(io, (double *)(uintptr_t)L->inside.weight, L->inside.count);
      sneppp__io_doubles(io, (double *)(uintptr_t)L->inside.mean, L->inside.count * d);
      sneppp__io_doubles(io, (double *)(uintptr_t)L->inside.scale, L->inside.count * d);
   }
   for (int k = 0; k < m->readouts; k++)
      sneppp__io_reals(io, m->readout[k].V, (size_t)m->readout[k].m * (size_t)m->readout[k].n);
}

static const unsigned char sneppp__io_magic[8] = {
   's', 'n', 'e', 'p', 'p', 'p', '\r', '\n'
}; /* text mode breaks the last two */

static void sneppp__io_head(sneppp__io *io, uint64_t *length)
{
   uint32_t version = SNEPPP__IO_VERSION;
   for (int k = 0; k < 8; k++) if (sneppp__io_uint(io, sneppp__io_magic[k], 1) != sneppp__io_magic[k]) io->bad = 1;
   if (sneppp__io_uint(io, version, 4) != version) io->bad = io->bad ? io->bad : 2;
   sneppp__io_int(io, &io->real);
   *length = sneppp__io_uint(io, *length, 8);
   if (io->real != 4 && io->real != 8) io->bad = io->bad ? io->bad : 1;
}

/* Do the bytes that remain hold exactly the parameters of this description? Nothing is allocated to find out. */
static sneppp_status sneppp__io_fits(const sneppp_desc *desc, const sneppp__io *file, sneppp_error *err)
{
   sneppp_desc    full;
   sneppp_model   model;
   sneppp__io     io;
   sneppp__carver c = sneppp__measure();
   double         lists[2 * SNEPPP_MAX_DIM];
   sneppp_status  st = sneppp__resolve(desc, &full, lists, err);
   if (st != SNEPPP_OK) return st;
   sneppp__place_model(&c, &full, &model);
   memset(&io, 0, sizeof io);
   io.real = file->real;
   if (!c.overflow) sneppp__io_parameters(&io, &model);
   if (c.overflow || io.used != file->left)
      return sneppp__fail(err, SNEPPP_ERR_FORMAT,
                          "the parameters in the saved model do not fit its description");
   return SNEPPP_OK;
}

/* What came from a file may be anything that has the right checksum. */
static sneppp_status sneppp__parameters_check(const sneppp_model *m, sneppp_error *err)
{
   int ok = sneppp__finite(m->alpha) && m->alpha >= 0 && sneppp__finite(m->floor) && m->floor >= 0;
   for (int f = 0; f < m->factors; f++) {
      const sneppp_layer_state *L = &m->layer[f];
      size_t                    n = (size_t)L->n, d = (size_t)L->d;
      for (size_t i = 0; i < n * d; i++)
         ok = ok && sneppp__finite((double)L->W[i]) &&
              (!L->width || (sneppp__finite((double)L->width[i]) && L->width[i] > 0));
      for (size_t i = 0; i < n; i++)
         ok = ok && sneppp__finite((double)L->b[i]) && (L->b[i] == 0 || !m->desc.factor[f].no_bias);
      for (size_t r = 0; r < SNEPPP_MAX_DIM; r++)
         ok = ok && sneppp__finite(L->shift[r]) && sneppp__finite(L->rate[r]) && L->rate[r] > 0;
      ok = ok && sneppp__window_check(&L->inside, NULL) == SNEPPP_OK;
   }
   for (int k = 0; k < m->readouts; k++)
      for (size_t i = 0; i < (size_t)m->readout[k].m * (size_t)m->readout[k].n; i++)
         ok = ok && sneppp__finite((double)m->readout[k].V[i]);
   return ok ? SNEPPP_OK
             : sneppp__fail(err, SNEPPP_ERR_FORMAT,
                            "a parameter in the saved model is not finite or not allowed");
}

/* The bytes that the saved model has; they are written only if cap holds them. 0: the model was never made. */
SNEPPP_DEF size_t sneppp_save(const sneppp_model *model, void *buf, size_t cap)
{
   uint64_t length = 0;
   double  *room = NULL;
   size_t  *sizes = NULL;
   sneppp_unit *units = NULL;
   if (!model || !model->factors || sneppp__own_factor(model) >= 0) return 0;
   for (int pass = 0; pass < 2; pass++) {
      sneppp_model copy = *model; /* the walk takes pointers to what it may write when reading */
      sneppp__io   io;
      memset(&io, 0, sizeof io);
      io.real = (int)sizeof(sneppp_real);
      if (pass) io.to = (unsigned char *)buf;
      sneppp__io_head(&io, &length);
      sneppp__io_desc(&io, &copy.desc, &room, &sizes, &units);
      sneppp__io_parameters(&io, &copy);
      if (pass) { sneppp__io_uint(&io, sneppp__crc32((unsigned char *)buf, io.used), 4); break; }
      length = (uint64_t)io.used + 4;
      if (!buf || cap < length) break;
   }
   return (size_t)length;
}

/* Makes a model from saved bytes. mem, if given, is its block; otherwise memory comes from SNEPPP_MALLOC. After a
   failure the model is zeroed. */
SNEPPP_DEF sneppp_status sneppp_load(sneppp_model *model, const void *buf, size_t bytes, void *mem,
                                     size_t mem_bytes, void *alloc_ctx, sneppp_error *err)
{
   const unsigned char *p = (const unsigned char *)buf;
   sneppp__io           io, start;
   sneppp_desc          desc;
   uint64_t             length = 0;
   double              *room = NULL;
   size_t              *sizes = NULL, lists;
   sneppp_unit         *units = NULL;
   sneppp__carver       c = sneppp__measure();
   sneppp__block        block;
   sneppp_status        st;
   if (!model) return sneppp__fail(err, SNEPPP_ERR_ARG, "model is NULL");
   memset(model, 0, sizeof *model);
   if (!buf) return sneppp__fail(err, SNEPPP_ERR_ARG, "buf is NULL");
   memset(&io, 0, sizeof io);
   io.reading = 1, io.from = p, io.left = bytes, io.real = 0;
   sneppp__io_head(&io, &length);
   if (io.bad == 2)
      return sneppp__fail(err, SNEPPP_ERR_FORMAT, "the model was saved by a newer version of the library");
   if (io.bad) return sneppp__fail(err, SNEPPP_ERR_FORMAT, "these bytes do not begin like a saved model");
   if (length != (uint64_t)bytes || bytes < io.used + 4)
      return sneppp__fail(err, SNEPPP_ERR_FORMAT, "the saved model has %z bytes, but it says %z", bytes,
                          (size_t)length);
   {
      uint32_t crc = 0;
      for (int k = 0; k < 4; k++) crc |= (uint32_t)p[bytes - 4 + (size_t)k] << 8 * k;
      if (crc != sneppp__crc32(p, bytes - 4))
         return sneppp__fail(err, SNEPPP_ERR_FORMAT, "the checksum is wrong: the saved model is damaged");
   }
   io.left -= 4;
   start = io;
   memset(&desc, 0, sizeof desc);
   sneppp__io_desc(&io, &desc, &room, &sizes, &units);
   if (io.bad) return sneppp__fail(err, SNEPPP_ERR_FORMAT, "the description in the saved model is not valid");
   lists = (io.used - start.used) / 4 + 1; /* no list can be longer than the bytes that hold it */
   for (int pass = 0; pass < 2; pass++) {
      room = (double *)sneppp__take(&c, lists, 1, sizeof *room);
      sizes = (size_t *)sneppp__take(&c, lists, 1, sizeof *sizes);
      units = (sneppp_unit *)sneppp__take(&c, lists, 1, sizeof *units);
      if (!pass && (st = sneppp__block_get(&block, &c, NULL, 0, alloc_ctx, err)) != SNEPPP_OK) return st;
   }
   io = start;
   memset(&desc, 0, sizeof desc);
   sneppp__io_desc(&io, &desc, &room, &sizes, &units);
   desc.mem = mem, desc.mem_bytes = mem_bytes, desc.alloc_ctx = alloc_ctx;
   st = sneppp__io_fits(&desc, &io, err);
   if (st == SNEPPP_OK) st = sneppp_init(model, &desc, err);
   sneppp__block_free(&block);
   if (st != SNEPPP_OK) return st;
   sneppp__io_parameters(&io, model);
   if (io.bad || io.left)
      st =
         sneppp__fail(err, SNEPPP_ERR_FORMAT, "the parameters in the saved model do not fit its description");
   else st = sneppp__parameters_check(model, err);
   if (st == SNEPPP_OK) sneppp__index(model);
   if (st != SNEPPP_OK) sneppp_free(model);
   return st;
}

/* ---- export as C source: the model as constants, for programs without files or malloc */
typedef struct sneppp__source {
   int       (*write)(const char *text, size_t bytes, void *user);
   void       *user;
   const char *name;
   int         stopped, bad; /* by the writer; a number is not finite */
} sneppp__source;

static void sneppp__put(sneppp__source *o, const char *format, ...)
{
   char         buf[400];
   sneppp__text t;
   va_list      list;
   if (o->stopped) return;
   t.at = buf, t.end = buf + sizeof buf;
   va_start(list, format);
   sneppp__text_list(&t, format, &list);
   va_end(list);
   if (o->write(buf, (size_t)(t.at - buf), o->user)) o->stopped = 1;
}

/* The decimal digits of m 2^e, all of them, in big integers of base 10^9: m 2^e is an integer for e >= 0, and
   m 5^-e / 10^-e below. Returns their number, and by how many places the point lies to the left of the end. */
static int sneppp__all_digits(uint64_t m, int e, char *digit, int *places)
{
   uint32_t big[90];
   int      limbs = 0, count = 0;
   for (; m; m /= 1000000000u) big[limbs++] = (uint32_t)(m % 1000000000u);
   *places = e < 0 ? -e : 0;
   while (e) {
      int      step = e > 28 ? 28 : e < -12 ? -12 : e;
      uint64_t factor = 1, carry = 0;
      for (int k = 0; k < (step < 0 ? -step : step); k++) factor *= step < 0 ? 5u : 2u;
      for (int i = 0; i < limbs; i++) {
         carry += big[i] * factor;
         big[i] = (uint32_t)(carry % 1000000000u);
         carry /= 1000000000u;
      }
      if (carry) big[limbs++] = (uint32_t)carry;
      e -= step;
   }
   for (int i = limbs - 1; i >= 0; i--)
      for (uint32_t power = 100000000u; power; power /= 10) {
         int d = (int)(big[i] / power % 10);
         if (d || count) digit[count++] = (char)('0' + d);
      }
   return count;
}

/* x rounded correctly to that many digits: 17 identify a double and 9 a float. No locale has a say in it. */
static void sneppp__text_exact(sneppp__text *t, double x, int digits)
{
   char     digit[800];
   int      e, count, places, at;
   uint64_t u, m;
   memcpy(&u, &x, sizeof u);
   e = (int)(u >> 52 & 0x7ff);
   m = (u & 0xfffffffffffffULL) | (uint64_t)(e > 0) << 52;
   e = (e ? e : 1) - 1075;
   if (u >> 63) sneppp__text_char(t, '-');
   if (!m) { sneppp__text_string(t, "0.0"); return; }
   for (; e < 0 && !(m & 1); e++) m >>= 1;
   count = sneppp__all_digits(m, e, digit, &places);
   places = count - 1 - places; /* the decimal exponent of the first digit */
   if (count > digits) {
      int up = digit[digits] >= '5';
      for (at = digits - 1; up && at >= 0; at--) {
         up = digit[at] == '9';
         digit[at] = (char)(up ? '0' : digit[at] + 1);
      }
      if (up) { digit[0] = '1'; places++; } /* 99...9 became 100...0 */
      count = digits;
   }
   while (count > 1 && digit[count - 1] == '0') count--;
   e = places >= -4 && places < digits ? 0 : places; /* the exponent that is written */
   places -= e;
   if (places < 0) sneppp__text_string(t, "0.");
   for (at = places; at < -1; at++) sneppp__text_char(t, '0');
   for (at = 0; at < count || at <= places; at++) {
      sneppp__text_char(t, at < count ? digit[at] : '0');
      if (at == places) sneppp__text_char(t, '.');
   }
   if (places >= 0 && count <= places + 1) sneppp__text_char(t, '0');
   if (!e) return;
   sneppp__text_string(t, e < 0 ? "e-" : "e+");
   sneppp__text_integer(t, (uint64_t)(e < 0 ? -e : e));
}

static void sneppp__put_double(sneppp__source *o, double x)
{
   char         buf[40];
   sneppp__text t;
   if (!sneppp__finite(x)) { o->bad = 1; return; }
   t.at = buf, t.end = buf + sizeof buf - 1;
   sneppp__text_exact(&t, x, 17);
   *t.at = 0;
   sneppp__put(o, "%s", buf);
}

static void sneppp__put_real(sneppp__source *o, sneppp_real x)
{
   char         buf[40];
   sneppp__text t;
   if (!sneppp__finite((double)x)) { o->bad = 1; return; }
   t.at = buf, t.end = buf + sizeof buf - 1;
   sneppp__text_exact(&t, (double)x, sizeof x == 4 ? 9 : 17);
   if (sizeof x == 4) sneppp__text_char(&t, 'f');
   *t.at = 0;
   sneppp__put(o, "%s", buf);
}

/* Arrays are called NAME_part0_field, with the number of the factor. A list that is absent makes nothing here and a
   0 in the struct. */
static void sneppp__put_head(sneppp__source *o, const char *type, const char *part, int f, const char *field,
                             size_t count)
{
   sneppp__put(o, "static const %s %s_%s%d_%s[%z] = {", type, o->name, part, f, field, count);
}

static void sneppp__put_doubles(sneppp__source *o, const char *part, int f, const char *field,
                                const double *x, size_t count)
{
   if (!x || !count) return;
   sneppp__put_head(o, "double", part, f, field, count);
   for (size_t i = 0; i < count; i++) {
      sneppp__put(o, i % 4 ? " " : "\n   ");
      sneppp__put_double(o, x[i]);
      sneppp__put(o, i + 1 < count ? "," : "\n};\n");
   }
}

static void sneppp__put_reals(sneppp__source *o, const char *part, int f, const char *field,
                              const sneppp_real *x, size_t count)
{
   if (!x || !count) return;
   sneppp__put_head(o, "sneppp_real", part, f, field, count);
   for (size_t i = 0; i < count; i++) {
      sneppp__put(o, i % 6 ? " " : "\n   ");
      sneppp__put_real(o, x[i]);
      sneppp__put(o, i + 1 < count ? "," : "\n};\n");
   }
}

static void sneppp__put_unit(sneppp__source *o, const sneppp_unit *u)
{
   sneppp__put(o, "{(sneppp_act)%d, ", (int)u->act);
   sneppp__put_double(o, u->p);
   sneppp__put(o, ", ");
   sneppp__put_double(o, u->q);
   sneppp__put(o, "}");
}

/* The lists of a window, in the order of the struct; then the window itself, which refers to them. */
static void sneppp__put_lists(sneppp__source *o, const char *part, int f, const sneppp_window *w)
{
   size_t vertices = w->count, d = (size_t)w->dim;
   sneppp__put_doubles(o, part, f, "weight", w->weight, w->count);
   sneppp__put_doubles(o, part, f, "mean", w->mean, w->count * d);
   sneppp__put_doubles(o, part, f, "scale", w->scale, w->count * d);
   sneppp__put_doubles(o, part, f, "ends", w->ends, 2 * w->count);
   sneppp__put_doubles(o, part, f, "point", w->point, w->count * d);
   if (w->rings && w->ring_size) {
      sneppp__put_head(o, "size_t", part, f, "ring_size", w->rings);
      for (vertices = 0; vertices < w->rings; vertices++)
         sneppp__put(o, vertices ? ", %zu" : "%zu", w->ring_size[vertices]);
      sneppp__put(o, "};\n");
      vertices = 0;
      for (size_t k = 0; k < w->rings; k++) vertices += w->ring_size[k];
   }
   sneppp__put_doubles(o, part, f, "xy", w->xy, 2 * vertices);
}

static void sneppp__put_name(sneppp__source *o, const char *cast, const char *part, int f, const char *field,
                             const void *list)
{
   if (list) sneppp__put(o, "%s%s_%s%d_%s, ", cast, o->name, part, f, field);
   else sneppp__put(o, "0, ");
}

static void sneppp__put_row(sneppp__source *o, const double *x, int count)
{
   sneppp__put(o, "{");
   for (int r = 0; r < count; r++) { if (r) sneppp__put(o, ", "); sneppp__put_double(o, x[r]); }
   sneppp__put(o, "}, ");
}

/* Coordinates that the arrays of the struct must have room for: families on the line have two parameters. */
static int sneppp__room_of(const sneppp_window *w)
{
   return w->dim < 2 && SNEPPP_MAX_DIM > 1 && w->space >= SNEPPP_GAMMA ? 2 : w->dim;
}

static void sneppp__put_window(sneppp__source *o, const char *part, int f, const sneppp_window *w)
{
   sneppp__put(o, "      {(sneppp_space)%d, %d, ", (int)w->space, w->dim);
   sneppp__put_row(o, w->lo, w->dim);
   sneppp__put_row(o, w->hi, w->dim);
   sneppp__put_row(o, w->centre, w->dim);
   sneppp__put_double(o, w->radius);
   sneppp__put(o, ", ");
   sneppp__put_row(o, w->param, sneppp__room_of(w));
   sneppp__put(o, "(sneppp_measure)%d, %zu,\n       ", (int)w->measure, w->count);
   sneppp__put_name(o, "", part, f, "weight", w->weight);
   sneppp__put_name(o, "", part, f, "mean", w->mean);
   sneppp__put_name(o, "", part, f, "scale", w->scale);
   sneppp__put_name(o, "", part, f, "ends", w->ends);
   sneppp__put_name(o, "", part, f, "point", w->point);
   sneppp__put(o, "%zu, ", w->rings);
   sneppp__put_name(o, "", part, f, "ring_size", w->rings ? w->ring_size : NULL);
   if (w->xy) sneppp__put(o, "%s_%s%d_xy},\n", o->name, part, f);
   else sneppp__put(o, "0},\n");
}

/* What would make the constants wrong stops the compiler. Larger limits than needed are harmless. */
static void sneppp__put_guards(sneppp__source *o, const sneppp_model *m)
{
   int dim = 1;
   for (int f = 0; f < m->factors; f++) {
      int room = sneppp__room_of(&m->desc.factor[f].window);
      if (m->layer[f].d > room) room = m->layer[f].d;
      if (room > dim) dim = room;
   }
   sneppp__put(o,
               "/* %s: a model with %d features of %d coordinates, written by sneppp_export_c of sneppp.h.\n",
               o->name, m->n, m->D);
   sneppp__put(o, "   C99 and C++; include sneppp.h first, and evaluate with sneppp_intensity(&%s, x). */\n", o->name);
   sneppp__put(o, "#ifndef SNEPPP_MODEL_%s\n#define SNEPPP_MODEL_%s\n", o->name, o->name);
   sneppp__put(o, "#if !defined(SNEPPP_VERSION)\n   #error \"%s: include sneppp.h first\"\n", o->name);
   sneppp__put(o,
               "#elif SNEPPP_VERSION / 100 != %d\n   #error \"%s was exported by another version of "
               "sneppp.h: export it again\"\n",
               SNEPPP_VERSION / 100, o->name);
   sneppp__put(o, "#elif %sdefined(SNEPPP_REAL_FLOAT)\n", sizeof(sneppp_real) == 4 ? "!" : "");
   sneppp__put(
      o, "   #error \"%s was exported in %s precision: %s SNEPPP_REAL_FLOAT, or export it in the other\"\n",
      o->name, sizeof(sneppp_real) == 4 ? "float" : "double",
      sizeof(sneppp_real) == 4 ? "define" : "do not define");
   sneppp__put(o, "#elif SNEPPP_MAX_DIM < %d\n   #error \"%s needs SNEPPP_MAX_DIM to be at least %d\"\n", dim,
               o->name, dim);
   sneppp__put(o,
               "#elif SNEPPP_MAX_FACTORS < %d\n   #error \"%s needs SNEPPP_MAX_FACTORS to be at least %d\"\n",
               m->factors, o->name, m->factors);
   if (sneppp__needs_width(m))
      sneppp__put(o,
                  "#elif SNEPPP_MAX_WIDTH < %d\n   #error \"%s needs SNEPPP_MAX_WIDTH to be at least %d\"\n",
                  m->n, o->name, m->n);
   sneppp__put(o, "#endif\n\n");
}

static void sneppp__put_arrays(sneppp__source *o, const sneppp_model *m)
{
   size_t groups = m->nodes ? (size_t)m->n / (size_t)m->desc.group : 0;
   for (int f = 0; f < m->factors; f++) {
      const sneppp_layer_state *L = &m->layer[f];
      size_t                    n = (size_t)L->n, d = (size_t)L->d;
      sneppp__put_lists(o, "window", f, &m->desc.factor[f].window);
      sneppp__put_lists(o, "inside", f, &L->inside);
      sneppp__put_reals(o, "layer", f, "W", L->W, n * d);
      sneppp__put_reals(o, "layer", f, "b", L->b, n);
      sneppp__put_reals(o, "layer", f, "width", L->width, n * d);
      if (!L->units) continue;
      sneppp__put_head(o, "sneppp_unit", "layer", f, "units", n);
      for (size_t i = 0; i < n; i++) {
         sneppp__put(o, "\n   ");
         sneppp__put_unit(o, &L->units[i]);
         sneppp__put(o, i + 1 < n ? "," : "\n};\n");
      }
   }
   for (int k = 0; k < m->readouts; k++)
      sneppp__put_reals(o, "readout", k, "V", m->readout[k].V,
                        (size_t)m->readout[k].m * (size_t)m->readout[k].n);
   if (!m->nodes) return;
   sneppp__put_doubles(o, "tree", 0, "centre", m->centre, groups * (size_t)sneppp__tree_dim(m));
   sneppp__put_reals(o, "tree", 0, "peak", m->peak, (size_t)m->n);
   sneppp__put_reals(o, "tree", 0, "sharp", m->sharp, (size_t)m->n);
   if (m->table_top >= 0)
      sneppp__put_doubles(o, "tree", 0, "table", m->table,
                          sneppp__table_size(sneppp__tree_dim(m), m->table_top, m->table_more));
   sneppp__put_head(o, "sneppp_node", "tree", 0, "node", m->nodes);
   for (size_t k = 0; k < m->nodes; k++) {
      const sneppp_node *q = &m->node[k];
      sneppp__put(o, "\n   {%zu, %zu, %zu, %zu, ", q->first, q->count, q->kid, q->from);
      sneppp__put_double(o, q->reach2);
      sneppp__put(o, ", ");
      sneppp__put_row(o, q->lo, sneppp__tree_dim(m));
      sneppp__put_row(o, q->hi, sneppp__tree_dim(m));
      sneppp__put(o, k + 1 < m->nodes ? "}," : "}\n};\n");
   }
}

static void sneppp__put_struct(sneppp__source *o, const sneppp_model *m)
{
   sneppp__put(o, "\nstatic const sneppp_model %s = {\n   {0, {\n", o->name);
   for (int f = 0; f < m->factors; f++) {
      const sneppp_factor *x = &m->desc.factor[f];
      sneppp__put(o, "      {\n");
      sneppp__put_window(o, "window", f, &x->window);
      sneppp__put(o, "       ");
      sneppp__put_unit(o, &x->unit);
      sneppp__put(o, ", ");
      sneppp__put_name(o, "", "layer", f, "units", m->layer[f].units);
      sneppp__put(o, "%d, %d, {NULL, NULL, NULL}},\n", x->width, x->no_bias);
   }
   sneppp__put(o, "   }, (sneppp_mix)%d, (sneppp_readout)%d, %d, %d, ", (int)m->desc.mix,
               (int)m->desc.readout, m->desc.width, m->desc.rank);
   sneppp__put_double(o, m->desc.alpha);
   sneppp__put(o, ", %d, (uint64_t)%zu << 32 | %zu, ", m->desc.group, (size_t)(m->desc.seed >> 32),
               (size_t)(m->desc.seed & 0xffffffffu));
   sneppp__put(o, "0, 0, 0, 0},\n   %d, %d, %d, {\n", m->factors, m->D, m->n);
   for (int f = 0; f < m->factors; f++) {
      const sneppp_layer_state *L = &m->layer[f];
      sneppp__put(o, "      {%d, %d, %d, %d, ", L->n, L->d, L->D, L->first);
      sneppp__put_row(o, L->shift, L->d);
      sneppp__put_row(o, L->rate, L->d);
      sneppp__put(o, "\n");
      sneppp__put_window(o, "inside", f, &L->inside);
      sneppp__put(o, "       ");
      sneppp__put_name(o, "(sneppp_real *)", "layer", f, "W", L->W);
      sneppp__put_name(o, "(sneppp_real *)", "layer", f, "b", L->b);
      sneppp__put_name(o, "(sneppp_real *)", "layer", f, "width", L->width);
      sneppp__put_name(o, "(sneppp_unit *)", "layer", f, "units", L->units);
      sneppp__put(o, "},\n");
   }
   sneppp__put(o, "   }, %d, {", m->readouts);
   for (int k = 0; k < m->readouts; k++)
      sneppp__put(o, "\n      {%d, %d, %d, (sneppp_real *)%s_readout%d_V},", m->readout[k].m, m->readout[k].n,
                  m->readout[k].first, o->name, k);
   sneppp__put(o, "\n   }, ");
   sneppp__put_double(o, m->alpha);
   sneppp__put(o, ", ");
   sneppp__put_double(o, m->floor);
   sneppp__put(o, ", %d,\n   ", m->budget);
   sneppp__put_name(o, "(sneppp_node *)", "tree", 0, "node", m->nodes ? m->node : NULL);
   sneppp__put(o, "%zu, ", m->nodes);
   sneppp__put_row(o, m->metric, SNEPPP_RADIAL_DIM);
   sneppp__put_name(o, "(double *)", "tree", 0, "centre", m->nodes ? m->centre : NULL);
   sneppp__put_name(o, "(sneppp_real *)", "tree", 0, "peak", m->nodes ? m->peak : NULL);
   sneppp__put_name(o, "(sneppp_real *)", "tree", 0, "sharp", m->nodes ? m->sharp : NULL);
   sneppp__put_name(o, "(double *)", "tree", 0, "table", m->nodes && m->table_top >= 0 ? m->table : NULL);
   sneppp__put(o, "%d, {%d, %d}, ", m->table_top, m->table_more[0], m->table_more[1]);
   sneppp__put(o, "0, 0\n};\n#endif\n");
}

/* Writes the model as C source, `static const sneppp_model NAME`, in pieces: write(text, bytes, user) returns 0 to go
   on. Nothing is allocated. The constants are the model's own numbers to the last bit. */
SNEPPP_DEF sneppp_status sneppp_export_c(const sneppp_model *model, const char *name,
                                         int (*write)(const char *text, size_t bytes, void *user), void *user,
                                         sneppp_error *err)
{
   sneppp__source o;
   size_t         length = 0;
   int            good = 1;
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (!write) return sneppp__fail(err, SNEPPP_ERR_ARG, "write is NULL");
   if (sneppp__own_factor(model) >= 0) return sneppp__own_refuse(model, "exported", err);
   for (; name && name[length] && length < 65; length++) {
      char c = name[length];
      good = good && (c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (length && c >= '0' && c <= '9'));
   }
   if (!length || length > 64 || !good)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "name must be a C identifier of at most 64 characters");
   memset(&o, 0, sizeof o);
   o.write = write, o.user = user, o.name = name;
   sneppp__put_guards(&o, model);
   sneppp__put_arrays(&o, model);
   sneppp__put_struct(&o, model);
   if (o.bad)
      return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE,
                          "a parameter of the model is not finite: what was written is not complete");
   return o.stopped ? sneppp__fail(err, SNEPPP_ERR_IO, "the writer returned an error") : SNEPPP_OK;
}

/* ---- files */
#ifndef SNEPPP_NO_STDIO
#include <stdio.h>

SNEPPP_DEF sneppp_status sneppp_save_file(const sneppp_model *model, const char *path, sneppp_error *err)
{
   size_t         bytes = sneppp_save(model, NULL, 0);
   unsigned char *buf;
   FILE          *f;
   int            ok;
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (!bytes) return sneppp__own_refuse(model, "saved", err);
   if (!path) return sneppp__fail(err, SNEPPP_ERR_ARG, "path is NULL");
   buf = (unsigned char *)SNEPPP_MALLOC(model->desc.alloc_ctx, bytes);
   if (!buf) return sneppp__fail(err, SNEPPP_ERR_MEMORY, "%z bytes could not be allocated", bytes);
   sneppp_save(model, buf, bytes);
   f = fopen(path, "wb");
   ok = f && fwrite(buf, 1, bytes, f) == bytes;
   if (f && fclose(f)) ok = 0;
   SNEPPP_FREE(model->desc.alloc_ctx, buf);
   return ok ? SNEPPP_OK : sneppp__fail(err, SNEPPP_ERR_IO, "%s cannot be written", path);
}

SNEPPP_DEF sneppp_status sneppp_load_file(sneppp_model *model, const char *path, void *alloc_ctx, sneppp_error *err)
{
   unsigned char *buf = NULL;
   FILE          *f;
   long           bytes = -1;
   sneppp_status  st;
   if (!model) return sneppp__fail(err, SNEPPP_ERR_ARG, "model is NULL");
   memset(model, 0, sizeof *model);
   if (!path) return sneppp__fail(err, SNEPPP_ERR_ARG, "path is NULL");
   f = fopen(path, "rb");
   if (!f) return sneppp__fail(err, SNEPPP_ERR_IO, "%s cannot be opened", path);
   if (!fseek(f, 0, SEEK_END)) bytes = ftell(f);
   if (bytes < 0 || fseek(f, 0, SEEK_SET)) {
      fclose(f);
      return sneppp__fail(err, SNEPPP_ERR_IO, "%s cannot be read", path);
   }
   buf = (unsigned char *)SNEPPP_MALLOC(alloc_ctx, (size_t)bytes + 1);
   if (!buf) st = sneppp__fail(err, SNEPPP_ERR_MEMORY, "%z bytes could not be allocated", (size_t)bytes + 1);
   else if (fread(buf, 1, (size_t)bytes, f) != (size_t)bytes)
      st = sneppp__fail(err, SNEPPP_ERR_IO, "%s cannot be read", path);
   else st = sneppp_load(model, buf, (size_t)bytes, NULL, 0, alloc_ctx, err);
   fclose(f);
   if (buf) SNEPPP_FREE(alloc_ctx, buf);
   return st;
}
#endif

/* ---- checkpoints of a trainer: everything that the next step depends on, besides the description of the fit */
static void sneppp__io_trainer(sneppp__io *io, sneppp_trainer *t)
{
   for (int k = 0; k < 8; k++) sneppp__io_uint(io, (uint64_t)(unsigned char)"snepptr\n"[k], 1);
   sneppp__io_uint(io, (uint64_t)t->parameters, 8);
   t->report.step = (size_t)sneppp__io_uint(io, (uint64_t)t->report.step, 8);
   t->looks = (size_t)sneppp__io_uint(io, (uint64_t)t->looks, 8);
   t->since = (size_t)sneppp__io_uint(io, (uint64_t)t->since, 8);
   sneppp__io_double(io, &t->report.held_out);
   sneppp__io_double(io, &t->rate_cut);
   sneppp__io_double(io, &t->model->alpha);
   sneppp__io_doubles(io, t->theta, t->parameters);
   sneppp__io_doubles(io, t->moment1, t->parameters);
   sneppp__io_doubles(io, t->moment2, t->parameters);
   sneppp__io_doubles(io, t->best, t->parameters);
}

SNEPPP_DEF size_t sneppp_trainer_save(const sneppp_trainer *trainer, void *buf, size_t cap)
{
   size_t length = 0;
   if (!trainer || !trainer->block) return 0;
   for (int pass = 0; pass < 2; pass++) {
      sneppp_trainer copy = *trainer;
      sneppp__io     io;
      memset(&io, 0, sizeof io);
      if (pass) io.to = (unsigned char *)buf;
      sneppp__io_trainer(&io, &copy);
      if (pass) { sneppp__io_uint(&io, sneppp__crc32((unsigned char *)buf, io.used), 4); break; }
      length = io.used + 4;
      if (!buf || cap < length) break;
   }
   return length;
}

/* The part of a checkpoint behind its magic, before any of it is taken over: counts that are counts, finite numbers
   (but for the held-out score, which is NaN before the first look), a positive scale, and no negative second moment. */
static int sneppp__checkpoint_good(sneppp__io io, size_t parameters)
{
   const uint64_t most = (uint64_t)1 << 31;
   if (sneppp__io_uint(&io, 0, 8) != (uint64_t)parameters) return 0;
   for (int k = 0; k < 3; k++)
      if (sneppp__io_uint(&io, 0, 8) > most) return 0;
   for (size_t i = 0; i < 3 + 4 * parameters; i++) {
      double v = 0;
      sneppp__io_double(&io, &v);
      if (i > 0 && !sneppp__finite(v)) return 0;
      if ((i == 1 || i == 2) && (v <= 0 || (i == 1 && v > 1))) return 0; /* rate_cut and alpha */
      if (i >= 3 + 2 * parameters && i < 3 + 3 * parameters && v < 0) return 0;
   }
   return !io.bad && !io.left;
}

/* Into a trainer that was made with the same model description and the same fit: goes on to the same bits. */
SNEPPP_DEF sneppp_status sneppp_trainer_load(sneppp_trainer *trainer, const void *buf, size_t bytes, sneppp_error *err)
{
   const unsigned char *p = (const unsigned char *)buf;
   sneppp__io           io, rest;
   uint32_t             crc = 0;
   if (!trainer || !trainer->block) return sneppp__fail(err, SNEPPP_ERR_ARG, "the trainer is NULL or was never made");
   if (!buf || bytes != sneppp_trainer_save(trainer, NULL, 0))
      return sneppp__fail(err, SNEPPP_ERR_FORMAT,
                          "the checkpoint has %z bytes, but one of this trainer has %z", bytes,
                          sneppp_trainer_save(trainer, NULL, 0));
   for (int k = 0; k < 4; k++) crc |= (uint32_t)p[bytes - 4 + (size_t)k] << 8 * k;
   if (crc != sneppp__crc32(p, bytes - 4))
      return sneppp__fail(err, SNEPPP_ERR_FORMAT, "the checksum is wrong: the checkpoint is damaged");
   if (memcmp(p, "snepptr\n", 8) != 0) return sneppp__fail(err, SNEPPP_ERR_FORMAT, "these bytes are not a checkpoint");
   memset(&io, 0, sizeof io);
   io.reading = 1, io.from = p, io.left = bytes - 4;
   rest = io;
   rest.from += 8, rest.left -= 8;
   if (!sneppp__checkpoint_good(rest, trainer->parameters))
      return sneppp__fail(err, SNEPPP_ERR_FORMAT, "the checkpoint does not fit this trainer");
   sneppp__io_trainer(&io, trainer);
   return SNEPPP_OK;
}

/* >>input ====================================================================================================
   Degrees and dates on the way in, and counts in regions that no closed form covers. */

static sneppp_status sneppp__lonlat_check(double lon, double lat, sneppp_error *err)
{
   if (!sneppp__finite(lon) || !sneppp__finite(lat))
      return sneppp__fail(err, SNEPPP_ERR_DATA, "longitude or latitude is not finite");
   if (fabs(lat) > 90)
      return sneppp__fail(err, SNEPPP_ERR_DATA, "latitude %g is not in [-90, 90] degrees%s", lat,
                          fabs(lon) <= 90 ? ": is it the longitude?" : "");
   if (fabs(lon) > 360) return sneppp__fail(err, SNEPPP_ERR_DATA, "longitude %g is not in [-360, 360] degrees", lon);
   return SNEPPP_OK;
}

/* x = (cos lat cos lon, cos lat sin lon, sin lat). */
static void sneppp__lonlat_unit(double lon, double lat, double *x)
{
   const double l = lon * (SNEPPP__PI / 180), b = lat * (SNEPPP__PI / 180);
   x[0] = cos(b) * cos(l);
   x[1] = cos(b) * sin(l);
   x[2] = sin(b);
}

SNEPPP_DEF sneppp_status sneppp_lonlat_to_unit(double lon, double lat, sneppp_real *x, sneppp_error *err)
{
   double        y[3];
   sneppp_status st = sneppp__lonlat_check(lon, lat, err);
   if (st != SNEPPP_OK) return st;
   if (!x) return sneppp__fail(err, SNEPPP_ERR_ARG, "x is NULL");
   sneppp__lonlat_unit(lon, lat, y);
   for (int r = 0; r < 3; r++) x[r] = (sneppp_real)y[r];
   return SNEPPP_OK;
}

/* lon in (-180, 180]; at the poles it is whatever atan2 makes of the rounding. A vector whose length is not 1 is
   refused, because a model would refuse it as well, and because it is often a sign of degrees where radians were
   meant. */
SNEPPP_DEF sneppp_status sneppp_unit_to_lonlat(const sneppp_real *x, double *lon, double *lat, sneppp_error *err)
{
   double square = 0;
   if (!x || !lon || !lat) return sneppp__fail(err, SNEPPP_ERR_ARG, "x, lon or lat is NULL");
   for (int r = 0; r < 3; r++) {
      if (!sneppp__finite((double)x[r])) return sneppp__fail(err, SNEPPP_ERR_DATA, "x[%d] is not finite", r);
      square += (double)x[r] * (double)x[r];
   }
   if (fabs(square - 1) > 2 * SNEPPP__SPHERE_TOLERANCE)
      return sneppp__fail(err, SNEPPP_ERR_DATA, "x has the length %g, not 1: divide it by its length", sqrt(square));
   *lat = atan2((double)x[2], sqrt((double)x[0] * (double)x[0] + (double)x[1] * (double)x[1])) * (180 / SNEPPP__PI);
   *lon = atan2((double)x[1], (double)x[0]) * (180 / SNEPPP__PI);
   return SNEPPP_OK;
}

/* Radians pass every test of range. But sixteen or more places that all lie within 2 pi degrees of longitude 0 and
   within pi/2 degrees of the equator are either in the Gulf of Guinea or radians; the second is likelier. Those who
   do live there convert one by one. */
SNEPPP_DEF sneppp_status sneppp_lonlats_to_units(size_t count, const double *lonlat, size_t lonlat_stride,
                                                 sneppp_real *x, size_t x_stride, sneppp_error *err)
{
   size_t small = 0;
   if (!lonlat_stride) lonlat_stride = 2;
   if (!x_stride) x_stride = 3;
   if (lonlat_stride < 2 || x_stride < 3)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "lonlat_stride is less than 2 or x_stride less than 3");
   if (count && (!lonlat || !x)) return sneppp__fail(err, SNEPPP_ERR_ARG, "lonlat or x is NULL");
   for (size_t i = 0; i < count; i++) {
      const double *p = lonlat + i * lonlat_stride;
      sneppp_status st = sneppp__lonlat_check(p[0], p[1], err);
      if (st != SNEPPP_OK) {
         st = sneppp__fail(
            err, st, "event %z: (%g, %g) is no longitude in [-360, 360] and latitude in [-90, 90] degrees", i,
            p[0], p[1]);
         if (err) err->event = i;
         return st;
      }
      small += fabs(p[0]) <= 2 * SNEPPP__PI && fabs(p[1]) <= 0.5 * SNEPPP__PI;
   }
   if (count >= 16 && small == count)
      return sneppp__fail(err, SNEPPP_ERR_DATA,
                          "all longitudes are within 2 pi and all latitudes within pi/2: are they radians? "
                          "Degrees are needed");
   for (size_t i = 0; i < count; i++) {
      double y[3];
      sneppp__lonlat_unit(lonlat[i * lonlat_stride], lonlat[i * lonlat_stride + 1], y);
      for (size_t r = 0; r < 3; r++) x[i * x_stride + r] = (sneppp_real)y[r];
   }
   return SNEPPP_OK;
}

/* ---- dates: days of whole years by the rule of leap years, then of whole months. */
static int sneppp__month_days(int64_t year, int month)
{
   static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
   int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
   return days[month - 1] + (month == 2 && leap);
}

/* Days from 0001-01-01 to the first of January of a year; whole cycles of 400 years keep the divisions positive. */
static int64_t sneppp__year_days(int64_t year)
{
   int64_t cycles = 10000, y = year - 1 + 400 * cycles;
   return 365 * y + y / 4 - y / 100 + y / 400 - 146097 * cycles;
}

enum { SNEPPP__LAST_YEAR = 1000000, SNEPPP__DAY_1970 = 719162 };

SNEPPP_DEF sneppp_status sneppp_date_to_days(int year, int month, int day, double *days, sneppp_error *err)
{
   int64_t n;
   if (!days) return sneppp__fail(err, SNEPPP_ERR_ARG, "days is NULL");
   if (year < -SNEPPP__LAST_YEAR || year > SNEPPP__LAST_YEAR)
      return sneppp__fail(err, SNEPPP_ERR_DATA, "year %d is too far away", year);
   if (month < 1 || month > 12)
      return sneppp__fail(err, SNEPPP_ERR_DATA, "month %d is not from 1 to 12: is it the day?", month);
   if (day < 1 || day > sneppp__month_days(year, month))
      return sneppp__fail(err, SNEPPP_ERR_DATA, "month %d of %d has no day %d%s", month, year, day,
                          day > 31 ? ": is it the year?" : "");
   n = sneppp__year_days(year) - SNEPPP__DAY_1970 + day - 1;
   for (int m = 1; m < month; m++) n += sneppp__month_days(year, m);
   *days = (double)n;
   return SNEPPP_OK;
}

SNEPPP_DEF sneppp_status sneppp_days_to_date(double days, int *year, int *month, int *day, sneppp_error *err)
{
   int64_t n, y;
   int     m = 1;
   if (!year || !month || !day) return sneppp__fail(err, SNEPPP_ERR_ARG, "year, month or day is NULL");
   if (!sneppp__finite(days) || fabs(days) > 365.0 * (double)SNEPPP__LAST_YEAR)
      return sneppp__fail(err, SNEPPP_ERR_DATA, "day %g is too far away", days);
   n = (int64_t)floor(days) + SNEPPP__DAY_1970;
   y = 1 + (int64_t)floor((double)n / 365.2425);
   while (sneppp__year_days(y) > n) y--;
   while (sneppp__year_days(y + 1) <= n) y++;
   n -= sneppp__year_days(y);
   while (n >= sneppp__month_days(y, m)) n -= sneppp__month_days(y, m++);
   *year = (int)y, *month = m, *day = (int)n + 1;
   return SNEPPP_OK;
}

/* ---- >>input-numeric: parts of the sphere. Both shapes are rectangles in an azimuth a and a height z (Archimedes:
   the area element is da dz): for lon-lat rectangles around the north pole, for caps around their centre. The
   rectangle is cut where the error is largest until the sum of the errors is small. A cell's value is the product of
   Gauss rules with 8 points, its error the difference from 6 points, which is pessimistic where lambda is smooth and
   honest at the creases of ReLU. */
enum { SNEPPP__PATCHES = 4096 };

typedef struct sneppp__patch { double a0, a1, z0, z1, value, error; } sneppp__patch;

static double sneppp__patch_rule(const sneppp_model *model, const double frame[3][3], const sneppp__patch *p, int order)
{
   const double *node, *weight;
   double        sum = 0;
   int           n = sneppp__gauss_legendre(order, &node, &weight);
   for (int i = 0; i < n; i++) {
      double z = p->z0 + 0.5 * (1 + node[i]) * (p->z1 - p->z0), s = sqrt(z * z < 1 ? 1 - z * z : 0), row = 0;
      for (int j = 0; j < n; j++) {
         double      a = p->a0 + 0.5 * (1 + node[j]) * (p->a1 - p->a0), u = s * cos(a), v = s * sin(a);
         sneppp_real x[3];
         for (int r = 0; r < 3; r++) x[r] = (sneppp_real)(u * frame[0][r] + v * frame[1][r] + z * frame[2][r]);
         row += weight[j] * (double)sneppp_intensity(model, x);
      }
      sum += weight[i] * row;
   }
   return 0.25 * (p->a1 - p->a0) * (p->z1 - p->z0) * sum;
}

static void sneppp__patch_eval(const sneppp_model *model, const double frame[3][3], sneppp__patch *p)
{
   p->value = sneppp__patch_rule(model, frame, p, 8);
   p->error = fabs(p->value - sneppp__patch_rule(model, frame, p, 6));
}

static sneppp_status sneppp__patches(const sneppp_model *model, const double frame[3][3], sneppp__patch whole,
                                     double tol, double *count, double *error, sneppp_error *err)
{
   sneppp__carver c = sneppp__measure();
   sneppp__block  block;
   sneppp__patch *p;
   size_t         used = 0;
   double sum = 0, off = 0,
          scale = model->desc.factor[0].window.measure == SNEPPP_PROBABILITY ? 0.25 / SNEPPP__PI : 1;
   sneppp_status  st;
   sneppp__take(&c, SNEPPP__PATCHES, 1, sizeof *p);
   st = sneppp__block_get(&block, &c, NULL, 0, model->desc.alloc_ctx, err);
   if (st != SNEPPP_OK) return st;
   p = (sneppp__patch *)sneppp__take(&c, SNEPPP__PATCHES, 1, sizeof *p);
   for (int k = 0; k < 4; k++) { /* quarters, so that one lucky cell does not end it at once */
      p[used] = whole;
      p[used].a0 = whole.a0 + 0.25 * k * (whole.a1 - whole.a0);
      p[used].a1 = whole.a0 + 0.25 * (k + 1) * (whole.a1 - whole.a0);
      sneppp__patch_eval(model, frame, &p[used++]);
   }
   for (;;) {
      size_t        worst = 0;
      sneppp__patch cut;
      for (size_t k = 0, first = 1; k < used; k++, first = 0) {
         sum = first ? p[k].value : sum + p[k].value;
         off = first ? p[k].error : off + p[k].error;
         if (p[k].error > p[worst].error) worst = k;
      }
      if (off <= tol * sum || used + 3 > SNEPPP__PATCHES) break;
      cut = p[worst];
      for (int k = 0; k < 4; k++) {
         sneppp__patch *q = k ? &p[used++] : &p[worst];
         double         a = 0.5 * (cut.a0 + cut.a1), z = 0.5 * (cut.z0 + cut.z1);
         *q = cut;
         if (k & 1) q->a0 = a; else q->a1 = a;
         if (k & 2) q->z0 = z; else q->z1 = z;
         sneppp__patch_eval(model, frame, q);
      }
   }
   sneppp__block_free(&block);
   *count = scale * sum;
   if (error) *error = scale * off;
   if (!sneppp__finite(sum))
      return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "the intensity is not finite somewhere in the region");
   if (off > tol * sum)
      return sneppp__fail(err, SNEPPP_ERR_NO_CONVERGENCE, "after %z cells the error is still %g of %g", used,
                          scale * off, scale * sum);
   return SNEPPP_OK;
}

/* All other factors are integrated out in closed form, from the last to the first; what is left lives on the sphere
   alone. */
static sneppp_status sneppp__sphere_part(const sneppp_model *model, int factor, const sneppp_region *rest,
                                         const double frame[3][3], sneppp__patch whole, double tol,
                                         double *count, double *error, sneppp_error *err)
{
   sneppp_model        held, next;
   const sneppp_model *now = model;
   sneppp_status       st = SNEPPP_OK;
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (!count) return sneppp__fail(err, SNEPPP_ERR_ARG, "count is NULL");
   if (factor < 0 || factor >= model->factors)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "factor = %d, but the model has %d", factor, model->factors);
   if (model->desc.factor[factor].window.space != SNEPPP_SPHERE || model->desc.factor[factor].window.dim != 3)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "factor[%d] is not the sphere in three dimensions", factor);
   if (rest && rest->factor[factor])
      return sneppp__fail(err, SNEPPP_ERR_ARG, "rest.factor[%d] must be NULL: it is the sphere itself",
                          factor);
   if (!sneppp__finite(tol) || tol < 0) return sneppp__fail(err, SNEPPP_ERR_ARG, "tol = %g is not a tolerance", tol);
   if (tol == 0) tol = sizeof(sneppp_real) < sizeof(double) ? 1e-4 : 1e-6;
   memset(&held, 0, sizeof held);
   for (int f = model->factors - 1; f >= 0 && st == SNEPPP_OK; f--) {
      if (f == factor) continue;
      st = sneppp_marginal(now, f, rest ? rest->factor[f] : NULL, &next, err);
      sneppp_free(&held);
      if (st != SNEPPP_OK) return st;
      held = next, now = &held;
   }
   st = sneppp__patches(now, frame, whole, tol, count, error, err);
   sneppp_free(&held);
   return st;
}

SNEPPP_DEF sneppp_status sneppp_count_cap_numeric(const sneppp_model *model, int factor, double lon,
                                                  double lat, double radius, const sneppp_region *rest,
                                                  double tol, double *count, double *error, sneppp_error *err)
{
   double        frame[3][3], half;
   sneppp__patch whole;
   sneppp_status st = sneppp__lonlat_check(lon, lat, err);
   if (st != SNEPPP_OK) return st;
   if (!sneppp__finite(radius) || radius < 0 || radius > 180)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "radius = %g is not in [0, 180] degrees", radius);
   sneppp__lonlat_unit(lon + 90, 0, frame[0]); /* east, north and up at the centre */
   sneppp__lonlat_unit(lon + 180, 90 - lat, frame[1]);
   sneppp__lonlat_unit(lon, lat, frame[2]);
   memset(&whole, 0, sizeof whole);
   half = sin(0.5 * radius * (SNEPPP__PI / 180));
   whole.a1 = 2 * SNEPPP__PI;
   whole.z0 = 1 - 2 * half * half; /* cos radius */
   whole.z1 = 1;
   return sneppp__sphere_part(model, factor, rest, (const double(*)[3])frame, whole, tol, count, error, err);
}

SNEPPP_DEF sneppp_status sneppp_count_lonlat_numeric(const sneppp_model *model, int factor, double west,
                                                     double east, double south, double north,
                                                     const sneppp_region *rest, double tol, double *count,
                                                     double *error, sneppp_error *err)
{
   static const double frame[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
   sneppp__patch       whole;
   sneppp_status       st = sneppp__lonlat_check(west, south, err);
   if (st == SNEPPP_OK) st = sneppp__lonlat_check(east, north, err);
   if (st != SNEPPP_OK) return st;
   if (south > north) return sneppp__fail(err, SNEPPP_ERR_ARG, "south = %g is north of north = %g", south, north);
   if (east < west) east += 360;
   if (east < west || east - west > 360)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "from west to east is %g degrees, more than once around",
                          east - west);
   memset(&whole, 0, sizeof whole);
   whole.a0 = west * (SNEPPP__PI / 180), whole.a1 = east * (SNEPPP__PI / 180);
   whole.z0 = sin(south * (SNEPPP__PI / 180)), whole.z1 = sin(north * (SNEPPP__PI / 180));
   return sneppp__sphere_part(model, factor, rest, frame, whole, tol, count, error, err);
}

/* ---- any set. The points k g mod 1, with g = (1/phi, 1/phi^2, ...) and phi the root of phi^(D+1) = phi + 1, fill
   the unit cube evenly (a Kronecker sequence; D = 1 is the golden section). Sixteen random shifts of them give
   independent unbiased estimates, and so an honest error; a seed is used as it is. */
enum { SNEPPP__SHIFTS = 16 };

/* A point of the window from coordinates in the unit cube, and its weight; weight 0 where the cube reaches outside. */
static double sneppp__numeric_point(const sneppp_window *win, const double *u, double *x)
{
   sneppp__cube_piece piece;
   double             t, lo[2], hi[2];
   size_t             k, vertices = 0;
   memset(&piece, 0, sizeof piece);
   if (win->space == SNEPPP_INTERVALS) {
      double mass = sneppp_window_mass(win);
      for (t = u[0] * mass, k = 0; k + 1 < win->count && t >= win->ends[2 * k + 1] - win->ends[2 * k]; k++)
         t -= win->ends[2 * k + 1] - win->ends[2 * k];
      x[0] = win->ends[2 * k] + t;
      if (x[0] > win->ends[2 * k + 1]) x[0] = win->ends[2 * k + 1];
      return mass;
   }
   if (win->space != SNEPPP_POLYGON) return sneppp__cube_map(win, &piece, u, x);
   for (k = 0; k < sneppp__ring_count(win); k++) vertices += sneppp__ring_size(win, k);
   for (int r = 0; r < 2; r++) {
      lo[r] = hi[r] = win->xy[r];
      for (k = 1; k < vertices; k++) {
         if (win->xy[2 * k + (size_t)r] < lo[r]) lo[r] = win->xy[2 * k + (size_t)r];
         if (win->xy[2 * k + (size_t)r] > hi[r]) hi[r] = win->xy[2 * k + (size_t)r];
      }
      x[r] = lo[r] + u[r] * (hi[r] - lo[r]);
   }
   return sneppp_window_contains(win, x) ? (hi[0] - lo[0]) * (hi[1] - lo[1]) : 0;
}

/* Which windows can be covered by the cube, and with how many axes. */
static sneppp_status sneppp__numeric_axes(const sneppp_window *own, const sneppp_window *win, int f,
                                          int *axes, sneppp_error *err)
{
   sneppp_status st = win == own ? SNEPPP_OK : sneppp__window_check(win, err);
   if (st != SNEPPP_OK) return st;
   if (win->dim != own->dim)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "within.factor[%d].dim = %d, but the model has %d", f,
                          win->dim, own->dim);
   switch (win->space) {
      case SNEPPP_BOX:
      case SNEPPP_INTERVALS:
      case SNEPPP_POLYGON:
      case SNEPPP_BALL:
      case SNEPPP_VONMISES: *axes = win->dim; break;
      case SNEPPP_SPHERE: *axes = win->dim - 1; break;
      default: *axes = 0;
   }
   if (*axes < 1)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "factor[%d]: numerical counts are not offered on %s", f,
                          sneppp__space_name(win->space));
   if (win->space != own->space && own->space != SNEPPP_BOX && own->space != SNEPPP_INTERVALS &&
       own->space != SNEPPP_POLYGON && own->space != SNEPPP_BALL)
      return sneppp__fail(err, SNEPPP_ERR_ARG, "within.factor[%d] has another measure than the model's %s", f,
                          sneppp__space_name(own->space));
   return SNEPPP_OK;
}

SNEPPP_DEF sneppp_status sneppp_count_numeric(const sneppp_model *model, sneppp_indicator inside, void *user,
                                              const sneppp_region *within, size_t points, uint64_t seed,
                                              double *count, double *error, sneppp_error *err)
{
   double g[SNEPPP_MAX_FACTORS * SNEPPP_MAX_DIM], shift[SNEPPP_MAX_FACTORS * SNEPPP_MAX_DIM],
      phi = 2, mean = 0, square = 0;
   int         axes[SNEPPP_MAX_FACTORS], D = 0;
   sneppp_rng  rng;
   if (!model || !model->factors) return sneppp__fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (!inside || !count) return sneppp__fail(err, SNEPPP_ERR_ARG, "inside or count is NULL");
   for (int f = 0; f < model->factors; f++) {
      const sneppp_window *own = &model->desc.factor[f].window,
                          *win = within && within->factor[f] ? within->factor[f] : own;
      sneppp_status        st = sneppp__numeric_axes(own, win, f, &axes[f], err);
      if (st != SNEPPP_OK) return st;
      D += axes[f];
   }
   for (int k = 0; k < 64; k++) phi = pow(1 + phi, 1.0 / (D + 1));
   for (int r = 0; r < D; r++) g[r] = r ? g[r - 1] / phi : 1 / phi;
   points = ((points ? points : 65536) + SNEPPP__SHIFTS - 1) / SNEPPP__SHIFTS;
   sneppp_rng_init(&rng, seed, 79);
   for (int s = 0; s < SNEPPP__SHIFTS; s++) {
      double sum = 0, delta;
      memset(shift, 0, sizeof shift);
      for (int r = 0; r < D; r++) shift[r] = sneppp_rng_uniform(&rng);
      for (size_t i = 0; i < points; i++) {
         double      u[SNEPPP_MAX_FACTORS * SNEPPP_MAX_DIM], y[SNEPPP_MAX_DIM], weight = 1;
         sneppp_real x[SNEPPP_MAX_FACTORS * SNEPPP_MAX_DIM];
         int         used = 0, at = 0;
         memset(u, 0, sizeof u);
         memset(x, 0, sizeof x);
         for (int r = 0; r < D; r++) { u[r] = shift[r] + (double)i * g[r]; u[r] -= floor(u[r]); }
         for (int f = 0; f < model->factors; f++) {
            const sneppp_window *own = &model->desc.factor[f].window,
                                *win = within && within->factor[f] ? within->factor[f] : own;
            weight *= sneppp__numeric_point(win, u + used, y);
            used += axes[f];
            for (int r = 0; r < win->dim; r++) x[at++] = (sneppp_real)y[r];
         }
         if (weight > 0 && inside(x, user)) sum += weight * (double)sneppp_intensity(model, x);
      }
      sum /= (double)points;
      delta = sum - mean;
      mean += delta / (s + 1);
      square += delta * (sum - mean);
   }
   if (!sneppp__finite(mean))
      return sneppp__fail(err, SNEPPP_ERR_NOT_FINITE, "the intensity is not finite somewhere in the region");
   *count = mean;
   if (error) *error = 2 * sqrt(square / (double)(SNEPPP__SHIFTS * (SNEPPP__SHIFTS - 1)));
   return SNEPPP_OK;
}

#endif /* SNEPPP_INFERENCE_ONLY */
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
