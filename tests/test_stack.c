#include "../examples/export.h"
#include "../examples/tile.h"
/* How deep is the stack of each public call? A thread's stack is memory of our own, painted before the call; what is
   still painted afterwards was never touched. The manual promises 64 kB for every call and for every job that a call
   hands to other threads. Optimised code keeps it; -O0 gives every temporary a place of its own, and sanitizers put
   fences round each variable, so there the depth is measured, but bounded only by what threads usually have. */
#include "cases.h"
#include "pair.h"
#if defined(_WIN32)
#define STACK_NONE "Windows has no pthread_attr_setstack"
#elif defined(SNEPPP_BLAS_HOOKS_H)
#define STACK_NONE "the library behind the hooks uses as much stack as it likes"
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK_NONE "a sanitizer has a stack, or frames, of its own"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define STACK_NONE "a sanitizer has a stack, or frames, of its own"
#endif
#endif
#ifdef STACK_NONE
TEST stack_of_every_call(void) { SKIPm(STACK_NONE); }
#else
#include <pthread.h>
#ifndef __cplusplus /* strict C99 hides it, although it links; C++ shows it */
extern int pthread_attr_setstack(pthread_attr_t *attr, void *stack, size_t size);
#endif

#ifdef __OPTIMIZE__
enum { stack_most = 64 * 1024 };
#else
enum { stack_most = 512 * 1024 };
#endif
enum { stack_room = 1024 * 1024, stack_units = 32, stack_events = 1100, stack_paint = 0xA5 };

typedef struct stack_case { /* a model, and what the calls read and write */
   const char     *name;
   sneppp_model   *model;
   sneppp_events   events;
   sneppp_fit_desc fit;
   sneppp_window   win;
   sneppp_layer    layer;
   sneppp_desc     desc;
   unsigned char  *bytes;
   size_t          used, deepest_job;
   double         *wide;   /* room for matrices */
   sneppp_real    *out;
   sneppp_status   status;
   sneppp_error    err;
} stack_case;

typedef void (*stack_call)(stack_case *c);
typedef struct stack_thread { stack_call call; stack_case *c; void (*job)(size_t, void *); void *arg; size_t count; } stack_thread;

static void *stack_begin(void *p)
{
   stack_thread *t = (stack_thread *)p;
   if (t->call) t->call(t->c);
   for (size_t i = 0; i < t->count; i++) t->job(i, t->arg);
   return NULL;
}

/* Bytes of stack that a thread uses; 0 if there is no such thread. */
static size_t stack_depth(stack_thread *t)
{
   unsigned char *raw = (unsigned char *)malloc(stack_room + 65536), *stack = raw + (65536 - (uintptr_t)raw % 65536) % 65536;
   unsigned char  painted[1024];
   size_t         low = 0;
   pthread_attr_t attr;
   pthread_t      thread;
   if (!raw) return 0;
   memset(stack, stack_paint, stack_room);
   memset(painted, stack_paint, sizeof painted);
   pthread_attr_init(&attr);
   if (pthread_attr_setstack(&attr, stack, stack_room) || pthread_create(&thread, &attr, stack_begin, t)) low = stack_room;
   else {
      pthread_join(thread, NULL);
      while (low < stack_room && !memcmp(stack + low, painted, sizeof painted)) low += sizeof painted;
      while (low < stack_room && stack[low] == stack_paint) low++;
   }
   pthread_attr_destroy(&attr);
   free(raw);
   return stack_room - low;
}

/* A parallel that gives all jobs to one painted thread. */
static void stack_run(void (*job)(size_t index, void *arg), void *arg, size_t count, void *user)
{
   stack_case  *c = (stack_case *)user;
   stack_thread t = {NULL, NULL, NULL, NULL, 0};
   size_t       depth;
   t.job = job, t.arg = arg, t.count = count;
   depth = stack_depth(&t);
   if (depth > c->deepest_job) c->deepest_job = depth;
}

static void stack_nothing(stack_case *c) { c->status = SNEPPP_OK; }
static void stack_init(stack_case *c) { c->status = sneppp_init(c->model, &c->desc, &c->err); }
static void stack_bytes(stack_case *c) { c->used = sneppp_model_bytes(&c->desc, &c->err); }
static void stack_fit(stack_case *c) { c->status = sneppp_fit(c->model, &c->fit, NULL, &c->err); }
static void stack_train(stack_case *c)
{
   sneppp_trainer t;
   c->status = sneppp_trainer_init(&t, c->model, &c->fit, &c->err);
   if (c->status == SNEPPP_OK) c->status = sneppp_trainer_step(&t, &c->err);
   c->used = sneppp_trainer_save(&t, c->bytes, 1 << 20);
   if (c->status == SNEPPP_OK && c->used <= 1 << 20) c->status = sneppp_trainer_load(&t, c->bytes, c->used, &c->err);
   sneppp_trainer_free(&t);
}
static void stack_intensity(stack_case *c) { c->out[0] = sneppp_intensity(c->model, c->events.x); }
static void stack_log_intensity(stack_case *c) { c->wide[0] = sneppp_log_intensity(c->model, c->events.x); }
static void stack_features(stack_case *c) { c->status = sneppp_features(c->model, c->events.x, c->out, &c->err); }
static void stack_intensities(stack_case *c)
{
   c->status = sneppp_intensities(c->model, &c->events, c->out, &c->fit.parallel, &c->err);
}
static void stack_gram(stack_case *c)
{
   c->status = sneppp_model_gram(c->model, NULL, c->wide, &c->fit.parallel, &c->err);
}
static void stack_count(stack_case *c) { c->status = sneppp_count(c->model, NULL, 1, c->wide, NULL, &c->err); }
static void stack_counts(stack_case *c)
{
   sneppp_region region[2];
   memset(region, 0, sizeof region);
   c->status = sneppp_count(c->model, region, 2, c->wide, &c->fit.parallel, &c->err);
}
static void stack_nll(stack_case *c)
{
   sneppp_grad g;
   memset(&g, 0, sizeof g);
   for (int f = 0; f < c->model->factors; f++) g.W[f] = g.b[f] = g.V[f] = c->wide;
   if (c->model->layer[0].width) g.width[0] = c->wide;
   if (c->model->layer[0].inside.space == SNEPPP_SPACE_GAUSS) g.weight[0] = g.mean[0] = g.scale[0] = c->wide;
   c->status = sneppp_nll(c->model, &c->events, 1, c->wide, NULL, &g, &c->fit.parallel, &c->err);
}
static void stack_judge(stack_case *c)
{
   double d;
   c->status = sneppp_nll(c->model, &c->events, 1, &d, &d, NULL, NULL, &c->err);
   if (c->status == SNEPPP_OK) c->status = sneppp_test_nll(c->model, &c->events, 1, 1, &d, NULL, &c->err);
}
static void stack_sample(stack_case *c)
{
   sneppp_sample_desc how;
   sneppp_sample_info info;
   memset(&how, 0, sizeof how);
   how.count = 3, how.seed = 1;
   c->status = sneppp_sample(c->model, &how, c->out, 8, &info, &c->err);
}
static void stack_tile(stack_case *c)
{
   tile_desc          tile;
   sneppp_sample_info info;
   memset(&tile, 0, sizeof tile);
   tile.depth = tile.level = 2, tile.ix = tile.iy = 1, tile.seed = 7;
   c->status = tile_sample(c->model, &tile, c->out, 4096, &info, &c->err);
   if (c->status == SNEPPP_ERR_ARG || c->status == SNEPPP_ERR_SIZE) c->status = SNEPPP_OK; /* not a planar box */
}
static void stack_marginal(stack_case *c)
{
   sneppp_model out;
   for (int f = 0; c->model->factors > 1 && f < c->model->factors; f++) {
      c->status = sneppp_marginal(c->model, f, NULL, &out, &c->err);
      if (c->status == SNEPPP_OK) sneppp_free(&out);
      if (c->status == SNEPPP_OK) c->status = sneppp_conditional(c->model, f, c->events.x + c->model->layer[f].first, &out, &c->err);
      if (c->status == SNEPPP_OK) sneppp_free(&out);
   }
}
static void stack_sure(stack_case *c)
{
   static sneppp_sure sure[4];
   sneppp_events      at = c->events;
   at.count = 4;
   c->status = sneppp_count_sure(c->model, NULL, 1, 0.95, sure, &c->fit.parallel, &c->err);
   if (c->status == SNEPPP_OK) c->status = sneppp_intensity_sure(c->model, &at, 0.95, sure, &c->err);
   if (c->status == SNEPPP_OK) {
      sneppp_model drawn;
      sneppp_rng   rng;
      sneppp_rng_init(&rng, 1, 1);
      c->status = sneppp_draw_model(c->model, &rng, &drawn, NULL, 0, &c->err);
      if (c->status == SNEPPP_OK) sneppp_free(&drawn);
   }
}
static void stack_matrix(stack_case *c)
{
   c->status = sneppp_get_matrix(c->model, c->wide, &c->err);
   if (c->status == SNEPPP_OK) c->status = sneppp_set_matrix(c->model, c->wide, &c->err);
}
static int stack_inside(const sneppp_real *x, void *user) { (void)user; return x[0] < 5; }
static void stack_numeric(stack_case *c)
{
   sneppp_place place;
   sneppp_sure  sure;
   memset(&place, 0, sizeof place);
   place.inside = stack_inside, place.points = 512, place.seed = 1;
   c->status = sneppp_count_numeric(c->model, &place, c->wide, c->wide + 1, &c->err);
   if (c->status == SNEPPP_OK && c->model->origin.count) c->status = sneppp_count_numeric_sure(c->model, &place, 0.95, &sure, &c->err);
}
static void stack_cap(stack_case *c)
{
   sneppp_place place;
   sneppp_sure  sure;
   if (c->model->desc.factor[0].window.space != SNEPPP_SPACE_SPHERE || c->model->desc.factor[0].window.dim != 3) return;
   memset(&place, 0, sizeof place);
   place.shape = SNEPPP_SHAPE_CAP, place.tol = 1e-2, place.lon = 20, place.lat = 30, place.radius = 40;
   place.east = 30, place.south = 10, place.north = 40;
   c->status = sneppp_count_numeric(c->model, &place, c->wide, c->wide + 1, &c->err);
   place.shape = SNEPPP_SHAPE_LONLAT;
   if (c->status == SNEPPP_OK) c->status = sneppp_count_numeric(c->model, &place, c->wide, c->wide + 1, &c->err);
   if (c->status == SNEPPP_OK && c->model->origin.count) c->status = sneppp_count_numeric_sure(c->model, &place, 0.95, &sure, &c->err);
}
static int stack_write(const char *text, size_t bytes, void *user) { (void)text; *(size_t *)user += bytes; return 0; }
static void stack_io(stack_case *c)
{
   sneppp_model copy;
   size_t       text = 0;
   c->used = sneppp_save(c->model, c->bytes, (size_t)1 << 24);
   c->status = sneppp_load(&copy, c->bytes, c->used, NULL, 0, NULL, &c->err);
   if (c->status == SNEPPP_OK) sneppp_free(&copy);
   if (c->status == SNEPPP_OK) c->status = export_model(c->model, "m", stack_write, &text, &c->err);
}
static void stack_file(stack_case *c)
{
   sneppp_model copy;
   char         path[1000];
   test_path(path, "stack.snp");
   c->status = sneppp_save_file(c->model, path, &c->err);
   if (c->status == SNEPPP_OK) c->status = sneppp_load_file(&copy, path, NULL, &c->err);
   if (c->status == SNEPPP_OK) sneppp_free(&copy);
   remove(path);
}
static void stack_layer(stack_case *c)
{
   double *W = c->wide, *b = W + 4096 * 2, *width = b + 4096;
   int     radial = c->model->layer[0].width != NULL;
   c->status = sneppp_get_layer(c->model, 0, W, b, radial ? width : NULL, &c->err);
   if (c->status == SNEPPP_OK && !c->model->desc.group)
      c->status = sneppp_set_layer(c->model, 0, W, b, radial ? width : NULL, &c->err);
}
static void stack_kernels(stack_case *c)
{
   sneppp_layer_grad g;
   double           *G = c->wide + stack_units * stack_units;
   memset(&g, 0, sizeof g);
   c->status = sneppp_gram(&c->win, &c->layer, c->wide, &c->fit.parallel, NULL);
   if (c->status != SNEPPP_OK) return;
   sneppp_gram_log(&c->win, &c->layer, c->wide, &c->fit.parallel, NULL);
   sneppp_moments(&c->win, &c->layer, c->wide, NULL);
   for (int i = 0; i < stack_units * stack_units; i++) G[i] = 1;
   g.W = g.b = g.width = G + stack_units * stack_units;
   sneppp_gram_grad(&c->win, &c->layer, G, &g, &c->fit.parallel, NULL);
   sneppp_moments_grad(&c->win, &c->layer, G, &g, NULL);
}

static const struct { const char *name; stack_call call; int evaluates; } stack_calls[] = {
   {"intensity", stack_intensity, 1}, {"log_intensity", stack_log_intensity, 1}, {"features", stack_features, 1},
   {"intensities", stack_intensities, 0}, {"model_gram", stack_gram, 0}, {"count", stack_count, 0},
   {"counts", stack_counts, 0}, {"nll", stack_nll, 0}, {"the other nll", stack_judge, 0},
   {"sample", stack_sample, 0}, {"sample_tile", stack_tile, 0}, {"marginal, conditional", stack_marginal, 0},
   {"count_sure, intensity_sure", stack_sure, 0}, {"matrix", stack_matrix, 0}, {"count_numeric", stack_numeric, 0}, {"count on the sphere", stack_cap, 0},
   {"save, load, export_c", stack_io, 0}, {"save_file, load_file", stack_file, 0}, {"layer", stack_layer, 0},
   {"trainer", stack_train, 0}};
enum { stack_all = sizeof stack_calls / sizeof stack_calls[0] };

static size_t stack_empty, stack_deepest; /* of a thread that does nothing; of all calls */

/* Runs one call on a painted stack and checks its depth. Calls that a model refuses are as deep as they are. */
static enum greatest_test_res stack_check(const char *call, stack_call run, stack_case *c, int must)
{
   stack_thread t = {NULL, NULL, NULL, NULL, 0};
   size_t       depth, job;
   t.call = run, t.c = c;
   c->status = SNEPPP_OK, c->deepest_job = 0;
   depth = stack_depth(&t);
   job = c->deepest_job;
   ASSERTm("no thread on a stack of our own", depth > 0);
   depth = depth > stack_empty ? depth - stack_empty : 0;
   job = job > stack_empty ? job - stack_empty : 0;
   if (depth > stack_deepest) stack_deepest = depth;
   if (greatest_get_verbosity() > 0)
      printf("   %-22s %-22s %6u bytes, jobs %6u%s%s\n", call, c->name, (unsigned)depth, (unsigned)job,
             c->status == SNEPPP_OK ? "" : ": ", c->status == SNEPPP_OK ? "" : c->err.why);
   if (must && c->status != SNEPPP_OK) printf("%s of %s: %s\n", call, c->name, c->err.why);
   ASSERT(!must || c->status == SNEPPP_OK);
   if (depth > stack_most || job > stack_most)
      printf("%s of %s: %u bytes of stack, %u in jobs\n", call, c->name, (unsigned)depth, (unsigned)job);
   ASSERT(depth <= stack_most && job <= stack_most);
   PASS();
}

static enum greatest_test_res stack_check_model(stack_case *c)
{
   for (int i = 0; i < stack_all; i++) {
      if (stack_calls[i].call == stack_gram && c->model->n > 2048) continue;   /* no room for the answer */
      if (stack_calls[i].call == stack_matrix && c->model->n > 2048) continue;
      if (stack_calls[i].call == stack_sample && c->model->desc.readout == SNEPPP_READOUT_FULL && c->model->n > 64) continue;
      if (stack_calls[i].call == stack_tile && c->model->desc.readout == SNEPPP_READOUT_FULL) continue;
      if (stack_calls[i].call == stack_train && c->model->n > 2048) continue;
      CHECK_CALL(stack_check(stack_calls[i].name, stack_calls[i].call, c, stack_calls[i].evaluates));
   }
   PASS();
}

static void stack_own(const double *x, double *psi, void *user)
{
   (void)user;
   for (int i = 0; i < 200; i++) psi[i] = 1 + 0.001 * i * x[0];
}
static int stack_own_gram(const sneppp_window *part, double *K, void *user)
{
   (void)part, (void)user;
   for (int i = 0; i < 200 * 200; i++) K[i] = (i / 200 == i % 200) + 1.0;
   return 0;
}

TEST stack_of_every_call(void)
{
   static stack_case   c;
   static sneppp_model model;
   static loss_case    made;
   static sneppp_real  xy[2 * stack_events];
   sneppp_events       events = fit_events(200);
   sneppp_fit_desc     adam = fit_adam(NULL, 6);
   const sneppp_method methods[4] = {SNEPPP_METHOD_CONVEX, SNEPPP_METHOD_PGD, SNEPPP_METHOD_ADAM, SNEPPP_METHOD_AUTO};
   memset(&c, 0, sizeof c);
   c.model = &model;
   c.wide = (double *)calloc((size_t)3 * 2100 * 2100, sizeof *c.wide);
   c.out = (sneppp_real *)calloc(32768, sizeof *c.out);
   c.bytes = (unsigned char *)malloc((size_t)1 << 24);
   ASSERT(c.wide && c.out && c.bytes);
   c.fit.parallel.run = stack_run, c.fit.parallel.user = &c;
   for (size_t i = 0; i < stack_events; i++)
      for (size_t k = 0; k < 2; k++) {
         double x = (double)events.x[2 * (i % 200) + k] + 0.01 * sin((double)(i * i + k));
         xy[2 * i + k] = (sneppp_real)fmin(fmax(x, 0), k ? 5 : 10);
      }
   events.x = xy;
   {
      stack_thread t = {NULL, NULL, NULL, NULL, 0};
      t.call = stack_nothing, t.c = &c;
      stack_empty = stack_depth(&t);
      ASSERT(stack_empty > 0 && stack_empty < stack_room / 2);
   }
   /* every method on a box, with threads and without, then every call on what it made */
   for (int k = 0; k < 8; k++) {
      static const char *const name[4] = {"convex box", "pgd box", "adam box", "auto box"};
      c.name = name[k % 4];
      c.desc = fit_desc_box(k % 4 == 3 ? 0 : 40 + 20 * (k % 4));
      c.events = events, c.events.count = k % 4 == 3 ? stack_events : 200;
      CHECK_CALL(stack_check("model_bytes", stack_bytes, &c, 1));
      CHECK_CALL(stack_check("init", stack_init, &c, 1));
      c.fit.events = &c.events, c.fit.method = methods[k % 4], c.fit.steps = k % 4 == 3 ? 0 : adam.steps;
      c.fit.polish = k % 4 == 2, c.fit.tune = k < 3, c.fit.floor = k % 4 == 3 ? 0 : 0.1;
      c.fit.parallel.run = k < 4 ? NULL : stack_run;
      CHECK_CALL(stack_check("fit", stack_fit, &c, 1));
      if (k % 4 == 3) ASSERT(model.nodes && model.table_top >= 0); /* the tree and the table are in use */
      c.fit.method = SNEPPP_METHOD_ADAM, c.fit.tune = c.fit.polish = 0;
      CHECK_CALL(stack_check_model(&c));
      sneppp_free(&model);
   }
   /* as wide as a full readout may be, and a product of diagonal ones that is wider still */
   for (int k = 0; k < 2; k++) {
      c.name = k ? "diagonal" : "full, 2048";
      c.desc = fit_desc_box(k ? 5000 : SNEPPP_MAX_WIDTH);
      c.desc.rank = k ? 0 : 4, c.desc.readout = k ? SNEPPP_READOUT_DIAGONAL : SNEPPP_READOUT_FULL;
      if (k) c.desc.factor[0].unit.act = SNEPPP_ACT_RBF;
      c.events = events, c.events.count = 20;
      CHECK_CALL(stack_check("init", stack_init, &c, 1));
      for (int i = 0; i < 7; i++)
         if (stack_calls[i].call != stack_gram)
            CHECK_CALL(stack_check(stack_calls[i].name, stack_calls[i].call, &c, 1));
      sneppp_free(&model);
   }
   /* every mix of two factors, full and diagonal; spheres, polygons, balls and mixtures of Gaussians */
   for (int mix = 0; mix < SNEPPP_MIX_END; mix++)
      for (int readout = 0; readout < 2; readout++) {
         static const char *const name[SNEPPP_MIX_END] = {"product", "outer", "sum", "stack", "additive", "separable"};
         sneppp_space space[2] = {SNEPPP_SPACE_SPHERE, SNEPPP_SPACE_INTERVALS};
         int          dim[2] = {3, 1};
         sneppp_unit  unit[2] = {loss_unit(SNEPPP_ACT_RELU, 0, 0), loss_unit(SNEPPP_ACT_COS, 0, 0)};
         loss_make(&made, name[mix], (sneppp_mix)mix, (sneppp_readout)readout, 0, 2, space, dim, unit);
         if (sneppp_init(&model, &made.desc, &c.err) != SNEPPP_OK) continue; /* diagonal readouts of some mixes are refused */
         c.name = made.name, c.desc = made.desc, c.events = made.events, c.fit.events = &c.events;
         c.fit.method = SNEPPP_METHOD_CONVEX;
         CHECK_CALL(stack_check("fit", stack_fit, &c, 1));
         c.fit.method = SNEPPP_METHOD_ADAM;
         CHECK_CALL(stack_check_model(&c));
         sneppp_free(&model);
      }
   for (int k = 0; k < 6; k++) {
      static const sneppp_space space[6] = {SNEPPP_SPACE_GAUSS, SNEPPP_SPACE_POLYGON, SNEPPP_SPACE_BALL, SNEPPP_SPACE_SPHERE, SNEPPP_SPACE_SPHERE, SNEPPP_SPACE_POLYGON};
      static const int          dim[6] = {2, 2, 3, 3, 4, 2};
      static const char *const  name[6] = {"gauss", "polygon", "ball", "sphere", "sphere in R^4", "auto polygon"};
      sneppp_unit unit = loss_unit(k == 3 ? SNEPPP_ACT_EXP : k == 4 ? SNEPPP_ACT_RELU : SNEPPP_ACT_COS, 0, 0);
      loss_make(&made, name[k], SNEPPP_MIX_PRODUCT, SNEPPP_READOUT_FULL, 0, 1, &space[k], &dim[k], &unit);
      made.desc.factor[0].no_bias = k == 4;
      c.name = made.name, c.desc = made.desc, c.events = made.events, c.fit.events = &c.events;
      if (k == 5) c.desc.width = 0, c.desc.factor[0].unit.act = SNEPPP_ACT_DEFAULT;
      CHECK_CALL(stack_check("init", stack_init, &c, 1));
      c.fit.method = k == 0 ? SNEPPP_METHOD_CONVEX : SNEPPP_METHOD_AUTO, c.fit.parallel.run = k % 2 ? stack_run : NULL;
      CHECK_CALL(stack_check("fit", stack_fit, &c, 1));
      c.fit.method = SNEPPP_METHOD_ADAM, c.fit.tune = c.fit.polish = 0;
      CHECK_CALL(stack_check_model(&c));
      sneppp_free(&model);
   }
   /* features of one's own beside others */
   c.name = "own";
   c.desc = fit_desc_box(200);
   c.desc.factor[0].own.psi = stack_own, c.desc.factor[0].own.gram = stack_own_gram;
   c.events = events, c.events.count = 50;
   CHECK_CALL(stack_check("init", stack_init, &c, 1));
   for (int i = 0; i < 8; i++) CHECK_CALL(stack_check(stack_calls[i].name, stack_calls[i].call, &c, 1));
   sneppp_free(&model);
   if (greatest_get_verbosity() > 0) printf("   deepest %u, an empty thread %u bytes\n", (unsigned)stack_deepest, (unsigned)stack_empty);
   free(c.wide), free(c.out), free(c.bytes);
   PASS();
}

/* The closed forms: every space with every activation, in the most coordinates that have them. */
TEST stack_of_every_kernel(void)
{
   static stack_case c;
   static double     W[stack_units * SNEPPP_MAX_DIM], b[stack_units], width[stack_units * SNEPPP_MAX_DIM];
   int               known = 0;
   memset(&c, 0, sizeof c);
   c.wide = (double *)calloc((size_t)4 * stack_units * stack_units, sizeof *c.wide);
   ASSERT(c.wide);
   for (int i = 0; i < stack_units * SNEPPP_MAX_DIM; i++) W[i] = 0.1 * sin((double)i), width[i] = 0.3;
   c.fit.parallel.run = stack_run, c.fit.parallel.user = &c;
   c.layer.n = stack_units, c.layer.W = W, c.layer.b = b, c.layer.width = width;
   for (int space = 0; space < SNEPPP_SPACE_END; space++)
      for (int act = 1; act < SNEPPP_ACT_END; act++)
         for (int dim = 1; dim <= SNEPPP_MAX_DIM; dim += dim < 4 ? 1 : 4) {
            static char name[64];
            double      k;
            loss_window(&c.win, (sneppp_space)space, dim);
            for (int r = 0; r < dim; r++) c.win.lo[r] = -1, c.win.hi[r] = 1, c.win.centre[r] = 0;
            if (space == SNEPPP_SPACE_GAUSS) c.win.mean = c.win.scale = NULL;
            c.layer.unit = loss_unit((sneppp_act)act, act == SNEPPP_ACT_BELL || act == SNEPPP_ACT_GABOR_SIN || act == SNEPPP_ACT_GABOR_COS ? 0.5 : 1, 1);
            for (int i = 0; i < stack_units; i++) b[i] = 0.02 * i - 0.5;
            if (one_pair(&c.win, &c.layer, 0, 1, &k) != SNEPPP_OK) {
               memset(b, 0, sizeof b); /* some have a closed form without biases only */
               if (one_pair(&c.win, &c.layer, 0, 1, &k) != SNEPPP_OK) continue;
            }
            snprintf(name, sizeof name, "space %d act %d dim %d", space, act, dim);
            c.name = name;
            known++;
            CHECK_CALL(stack_check("gram", stack_kernels, &c, 0));
         }
   ASSERT(known > 40);
   free(c.wide);
   PASS();
}

/* Threads of the pool have what the library needs and more, whatever the system gives by default (musl: 128 kB). */
static void stack_pool_job(size_t index, void *arg)
{
   volatile char deep[176 * 1024];
   memset((char *)deep, (int)index, sizeof deep);
   ((int *)arg)[index] = deep[index] == (char)index;
}

TEST stack_of_the_pool(void)
{
   sneppp_pool    *pool = sneppp_pool_make(3, NULL);
   sneppp_parallel par = sneppp_pool_parallel(pool);
   int             done[64] = {0}, sum = 0;
   ASSERT(pool && par.run);
   par.run(stack_pool_job, done, 64, par.user);
   for (int i = 0; i < 64; i++) sum += done[i];
   sneppp_pool_free(pool);
   ASSERT_EQ(sum, 64);
   PASS();
}
#endif

SUITE(stack)
{
   RUN_TEST(stack_of_every_call);
#ifndef STACK_NONE
   RUN_TEST(stack_of_every_kernel);
   RUN_TEST(stack_of_the_pool);
#endif
}
