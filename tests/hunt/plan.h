/* A plan is a random program as a row of small whole numbers, of which 0 is always the simplest: so a plan that fails
   can be shortened by trying smaller numbers, and written out as C. What has no number of its own (where events lie,
   the weights of a layer) follows from the seed by hashing, and so does not move when other numbers change. */
#ifndef HUNT_PLAN_H
#define HUNT_PLAN_H
#include <stdint.h>
#include <string.h>
#include <math.h>
#include "../../sneppp.h"

enum { HUNT_FACTORS = SNEPPP_MAX_FACTORS, HUNT_OPS = 8 };

#define HUNT_OP_LIST(X) \
   X(NONE, "nothing") \
   X(ASK, "ask") X(AUTO, "fit auto") X(CONVEX, "fit convex") X(PGD, "fit pgd") X(ADAM, "fit adam") \
      X(TRAIN, "trainer") X(SET_LAYER, "set_layer") X(SET_MATRIX, "set_matrix") X(RELOAD, "save, load") \
         X(EXPORT, "export_c") X(COUNT, "count") X(REGION, "counts of regions") X(NUMERIC, "count_numeric") \
            X(MARGINAL, "marginal") X(CONDITIONAL, "conditional") X(REDUCE, "go on with a marginal") \
               X(SAMPLE, "sample") X(TILE, "sample_tile") X(NLL, "nll") X(GRADIENT, "gradient") \
                  X(GRAM, "gram, moments") X(BAD_EVENT, "a bad event") X(THREADS, "threads") \
                     X(TWIN, "both precisions") X(MOVED, "shift, scale, mirror, permute") \
                        X(SMALL, "rng, thin, intervals, dates")

typedef enum op_kind {
#define HUNT_ENUM(name, text) OP_##name,
   HUNT_OP_LIST(HUNT_ENUM)
#undef HUNT_ENUM
      OP_END
} op_kind;

static const char *const op_names[] = {
#define HUNT_TEXT(name, text) text,
   HUNT_OP_LIST(HUNT_TEXT)
#undef HUNT_TEXT
};

static const char *const space_names[] = { "BOX",         "GAUSS",     "SPHERE",   "INTERVALS",
                                           "POLYGON",     "BALL",      "EUCLID",   "GAMMA",
                                           "BETA",        "DIRICHLET", "POISSON",  "BINOMIAL",
                                           "NEGBINOMIAL", "NORMAL",    "VONMISES", "FINITE",
                                           "RASTER" };
static const char *const act_names[] = { "ACT_DEFAULT", "COS",       "SIN",      "SNAKE", "COSMIDENT",
                                         "EXP",         "ERF",       "PHI",      "STEP",  "RELU",
                                         "RECT",        "LEAKY",     "GELU",     "ELU",   "BELL",
                                         "GABOR_SIN",   "GABOR_COS", "MONOMIAL", "RBF",   "ONE" };
static const char *const mix_names[] = {
   "PRODUCT", "OUTER", "SUM", "STACK", "ADDITIVE", "SEPARABLE"
};
static const char *const method_names[] = { "AUTO", "CONVEX", "PGD", "ADAM" };

typedef struct plan_factor {
   int space, dim; /* dim: coordinates more than the least                                          */
   int pieces;     /* components, intervals, islands, points more than one                          */
   int act, order; /* activation; its parameters                                                    */
   int mixed;      /* a mixed layer: a second activation, 1 + its number; ONE joins if it is known  */
   int width;      /* 0 = that of the model                                                         */
   int no_bias, measure, own;
   int scale, shift; /* decimal exponents of the window's size, and of its distance from 0 in sizes   */
   int columns, rows, covariates, no_place; /* of a raster: cells more than one; 0 to 2 covariates      */
   int exposure, cut; /* 0 none, 1 in all cells, 2 0 or NaN in some; cut by 1 lo and hi, 2 a polygon, 3 both */
} plan_factor;

typedef struct plan_op {
   int kind, a, b, c; /* what a, b and c mean depends on the kind                                      */
   int fail;          /* the allocator fails at this call, first; then again without                   */
   int par;           /* 0 one thread; 1 jobs from the last to the first; 2 a pool of three            */
   int salt;
} plan_op;

typedef struct plan {
   uint64_t seed;
   int sequence; /* which row of the list below it was drawn from */
   int factors;  /* more than one                                 */
   plan_factor f[HUNT_FACTORS];
   int mix, readout, rank, width, alpha, mem, layer; /* width: more than one; layer: 1 = set by hand */
   int open; /* no width: the default, and for AUTO no budget            */
   int events, spread, weights, realisations, seen, source;
   plan_op op[HUNT_OPS];
} plan;

/* ---- numbers */
static uint64_t hash64(uint64_t x)
{
   x += 0x9e3779b97f4a7c15ULL;
   x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
   x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
   return x ^ x >> 31;
}
static uint64_t hash_of(uint64_t seed, int what, int i, int j)
{
   return hash64(hash64(hash64(seed + (uint64_t)what * 1000003) + (uint64_t)i) + (uint64_t)j);
}
static double unit_of(uint64_t seed, int what, int i, int j) /* in (0, 1) */
{
   return ((double)(hash_of(seed, what, i, j) >> 11) + 0.5) / 9007199254740992.0;
}
static double normal_of(uint64_t seed, int what, int i, int j)
{
   return sqrt(-2 * log(unit_of(seed, what, i, j))) *
          cos(6.283185307179586 * unit_of(seed, what + 500, i, j));
}

typedef struct dice {
   uint64_t state;
} dice;
static int roll(dice *d, int n)
{
   d->state = hash64(d->state);
   return (int)(d->state >> 33) % n;
} /* 0..n-1 */
static int once_in(dice *d, int n) { return roll(d, n) == 0; }

/* ---- what is known: from the table of closed forms */
static int kernel_space(const plan_factor *f) /* a raster is a sum over boxes, of covariates alone over points */
{
   return f->space != SNEPPP_SPACE_RASTER      ? f->space
          : f->no_place && f->covariates ? SNEPPP_SPACE_FINITE
                                         : SNEPPP_SPACE_BOX;
}
static int pair_known(int space, int a, int b)
{
   if (space == SNEPPP_SPACE_FINITE) return a != SNEPPP_ACT_RBF && b != SNEPPP_ACT_RBF;
   const sneppp_kernel_info *k;
   for (size_t i = 0; (k = sneppp_kernel_at(i)) != NULL; i++) {
      if (!(k->spaces >> space & 1)) continue;
      if ((k->act[0] >> a & 1 && k->act[1] >> b & 1) || (k->act[0] >> b & 1 && k->act[1] >> a & 1)) return 1;
   }
   return 0;
}

static int default_act(int space)
{
   return space == SNEPPP_SPACE_EUCLID                           ? SNEPPP_ACT_RBF
          : space == SNEPPP_SPACE_RASTER                         ? SNEPPP_ACT_COS
          : space <= SNEPPP_SPACE_BALL && space != SNEPPP_SPACE_SPHERE ? SNEPPP_ACT_COS
                                                           : SNEPPP_ACT_EXP;
}
static int act_of(const plan_factor *f) { return f->act ? f->act : default_act(f->space); }
static int rectified(int act)
{
   return act == SNEPPP_ACT_RELU || act == SNEPPP_ACT_STEP || act == SNEPPP_ACT_RECT || act == SNEPPP_ACT_LEAKY;
}

static int least_dim(int space) { return space == SNEPPP_SPACE_POLYGON || space == SNEPPP_SPACE_DIRICHLET ? 2 : 1; }
static int dim_of(const plan_factor *f)
{
   if (f->space == SNEPPP_SPACE_SPHERE) {
      static const int dims[] = { 3, 2, 4, 1, 5 };
      return dims[f->dim % 5];
   }
   return least_dim(f->space) + f->dim;
}
static int line_only(int space)
{
   return space == SNEPPP_SPACE_INTERVALS || space == SNEPPP_SPACE_POLYGON ||
          (space >= SNEPPP_SPACE_GAMMA && space != SNEPPP_SPACE_DIRICHLET && space != SNEPPP_SPACE_FINITE &&
           space != SNEPPP_SPACE_RASTER);
}

/* ---- drawing a plan */
static void draw_factor(dice *d, plan_factor *f, int space)
{
   int acts[SNEPPP_ACT_END], known = 0;
   memset(f, 0, sizeof *f);
   f->space = space;
   f->dim = line_only(space) ? 0 : once_in(d, 2) ? 0 : once_in(d, 20) ? roll(d, 8) : roll(d, 3);
   if (space == SNEPPP_SPACE_SPHERE) f->dim = once_in(d, 2) ? 0 : roll(d, 5);
   if (space == SNEPPP_SPACE_RASTER) {
      f->dim = roll(d, 3) > 0, f->columns = roll(d, 8), f->rows = roll(d, 8);
      f->exposure = roll(d, 3), f->cut = once_in(d, 2) ? 0 : 1 + roll(d, 3);
      if (f->cut > 1) f->columns %= 4, f->rows %= 4; /* a polygon makes many pieces of each */
      if (once_in(d, 2)) f->covariates = 1 + roll(d, 2), f->no_place = once_in(d, 3);
   }
   f->pieces = once_in(d, 3) ? 0 : once_in(d, 10) ? 8 + roll(d, 5) : roll(d, 4);
   for (int a = 1; a < SNEPPP_ACT_ONE; a++)
      if (pair_known(kernel_space(f), a, a)) acts[known++] = a;
   f->act = once_in(d, 4) || !known ? 0 : acts[roll(d, known)];
   f->order = roll(d, 4);
   if (once_in(d, 5) && act_of(f) != SNEPPP_ACT_RBF) f->mixed = 1 + roll(d, SNEPPP_ACT_ONE);
   if (space == SNEPPP_SPACE_SPHERE) f->measure = once_in(d, 4);
   if (space == SNEPPP_SPACE_SPHERE && rectified(act_of(f)))
      f->no_bias = dim_of(f) > 3 || f->order > 1 || once_in(d, 2);
   if (once_in(d, 12)) f->no_bias = 1;
   if (space == SNEPPP_SPACE_BOX && rectified(act_of(f)) && f->dim > 1) f->dim = 1;
   if (once_in(d, 2)) f->scale = roll(d, 13) - 6;
   if (once_in(d, 3))
      f->shift = roll(d, sizeof(sneppp_real) == 4 ? 4 : 13) - (sizeof(sneppp_real) == 4 ? 2 : 6);
}

static int draw_space(dice *d)
{
   static const int often[] = { SNEPPP_SPACE_BOX,    SNEPPP_SPACE_BOX,  SNEPPP_SPACE_BOX,   SNEPPP_SPACE_INTERVALS, SNEPPP_SPACE_POLYGON,
                                SNEPPP_SPACE_SPHERE, SNEPPP_SPACE_BALL, SNEPPP_SPACE_GAUSS, SNEPPP_SPACE_GAUSS,
                                SNEPPP_SPACE_RASTER, SNEPPP_SPACE_RASTER };
   return once_in(d, 3) ? roll(d, SNEPPP_SPACE_END) : often[roll(d, 11)];
}

/* Sequences that people make, and that a draw of single calls would seldom make; 0 ends each. */
static const struct {
   const char *name;
   int op[HUNT_OPS];
} sequences[] = {
   { "any calls", { 0 } },
   { "auto, adam", { OP_AUTO, OP_ADAM } },
   { "convex, adam, convex", { OP_CONVEX, OP_ADAM, OP_CONVEX } },
   { "save, load, fit", { OP_AUTO, OP_RELOAD, OP_ADAM, OP_RELOAD, OP_AUTO } },
   { "marginal, count, sample", { OP_CONVEX, OP_REDUCE, OP_COUNT, OP_SAMPLE } },
   { "set_layer after fit", { OP_AUTO, OP_SET_LAYER, OP_COUNT, OP_NLL } },
   { "set_matrix after fit", { OP_AUTO, OP_SET_MATRIX, OP_COUNT, OP_NLL } },
   { "fit after a failed fit", { OP_BAD_EVENT, OP_AUTO, OP_BAD_EVENT, OP_ADAM, OP_NLL } },
   { "adam, trainer, convex", { OP_ADAM, OP_TRAIN, OP_CONVEX } },
   { "auto, auto", { OP_AUTO, OP_REGION, OP_AUTO, OP_SAMPLE } },
   { "convex, regions, sample", { OP_CONVEX, OP_REGION, OP_NLL, OP_SAMPLE } },
};
enum { SEQUENCES = sizeof sequences / sizeof *sequences };

static void draw_op(dice *d, plan_op *o, int kind)
{
   memset(o, 0, sizeof *o);
   o->kind = kind ? kind : 1 + roll(d, OP_END - 1);
   o->a = roll(d, 64), o->b = roll(d, 64), o->c = roll(d, 64);
   if (once_in(d, 4)) o->fail = 1 + roll(d, 12);
   if (once_in(d, 3)) o->par = 1 + roll(d, 2);
   o->salt = roll(d, 1 << 20);
}

/* Worlds that a draw of number by number would seldom make. */
static void draw_rare(dice *d, plan *p)
{
   int narrow = roll(d, 2);
   p->factors = p->mix = p->realisations = p->weights = p->source = p->seen = p->open = 0;
   switch (roll(d, 4)) {
      case 0: /* events that are uniform on a line, and many gaps */
         draw_factor(d, &p->f[0], SNEPPP_SPACE_BOX);
         p->f[0].dim = p->spread = 0;
         p->seen = 1 + roll(d, 16), p->events = 40 + roll(d, 160), p->open = once_in(d, 2);
         draw_op(d, &p->op[0], OP_AUTO);
         break;
      case 1: /* a sum of a readout that has few rows and one that is cut to the rank */
         for (int f = 0; f < 2; f++) draw_factor(d, &p->f[f], SNEPPP_SPACE_BOX), p->f[f].dim = p->f[f].act = 0;
         p->factors = 1, p->mix = SNEPPP_MIX_ADDITIVE, p->readout = 0, p->rank = 2 + roll(d, 11);
         p->f[narrow].width = 1 + roll(d, p->rank), p->f[!narrow].width = 18 + roll(d, 40);
         draw_op(d, &p->op[0], OP_CONVEX);
         break;
      case 2: /* regions of a polygon that has notches */
         draw_factor(d, &p->f[0], SNEPPP_SPACE_POLYGON);
         p->f[0].act = p->f[0].mixed = 0, p->width %= 12;
         for (int k = 0; k < 4; k++) draw_op(d, &p->op[k], OP_REGION);
         break;
      default: /* a normal law: units that are nearly 0, components without weight */
         draw_factor(d, &p->f[0], SNEPPP_SPACE_GAUSS);
         p->f[0].act = narrow ? SNEPPP_ACT_ELU : SNEPPP_ACT_RBF, p->f[0].dim %= 2, p->f[0].mixed = 0;
         if (narrow) p->f[0].pieces = 0; /* a mixture has no unit that is 0 in the middle of all components */
         p->width = roll(d, 12), p->layer = 1;
         draw_op(d, &p->op[0], OP_GRAM), draw_op(d, &p->op[1], OP_COUNT);
         for (int k = 2; k < HUNT_OPS; k += 2)
            draw_op(d, &p->op[k], OP_SET_LAYER), draw_op(d, &p->op[k + 1], OP_COUNT);
   }
}

static void draw_plan(uint64_t seed, plan *p)
{
   dice d;
   memset(p, 0, sizeof *p);
   d.state = seed;
   p->seed = hash64(seed + 77);
   p->sequence = once_in(&d, 2) ? 0 : roll(&d, SEQUENCES);
   p->factors = once_in(&d, 2) ? 0 : once_in(&d, 6) ? 1 + roll(&d, HUNT_FACTORS - 1) : 1;
   if (p->factors) p->mix = once_in(&d, 3) ? 0 : roll(&d, SNEPPP_MIX_END);
   if (p->sequence == 4 && !p->factors) p->factors = 1;
   p->readout = once_in(&d, 3);
   for (int f = 0; f <= p->factors; f++) {
      draw_factor(&d, &p->f[f], draw_space(&d));
      if (p->factors && p->f[f].dim > 1) p->f[f].dim = 1;
      if (p->mix == SNEPPP_MIX_SUM || p->mix == SNEPPP_MIX_STACK)
         for (int k = 0; k < 9 && !pair_known(kernel_space(&p->f[f]), act_of(&p->f[f]), SNEPPP_ACT_ONE); k++)
            draw_factor(&d, &p->f[f], draw_space(&d)), p->f[f].dim = 0;
   }
   p->width = once_in(&d, 3) ? roll(&d, 4) : once_in(&d, 12) ? 40 + roll(&d, 60) : roll(&d, 24);
   if (p->mix == SNEPPP_MIX_OUTER) p->width = roll(&d, 5);
   if (p->mix == SNEPPP_MIX_STACK || p->mix == SNEPPP_MIX_ADDITIVE || p->mix == SNEPPP_MIX_SEPARABLE ||
       p->mix == SNEPPP_MIX_OUTER)
      for (int f = 0; f <= p->factors; f++)
         if (once_in(&d, 2))
            p->f[f].width = 1 + roll(&d, p->mix == SNEPPP_MIX_OUTER ? 5 : once_in(&d, 8) ? 70 : 20);
   for (int f = 0; f <= p->factors;
        f++) /* half of the weights that are drawn have no integral there: few units */
      if (p->f[f].space == SNEPPP_SPACE_NORMAL || p->f[f].space == SNEPPP_SPACE_NEGBINOMIAL)
         p->width = roll(&d, 2), p->f[f].width = 0;
   if (!p->factors && p->f[0].space == SNEPPP_SPACE_BOX && once_in(&d, 12))
      p->f[0].own = 1, p->f[0].dim = p->f[0].act = p->f[0].mixed = p->readout = 0;
   if (once_in(&d, 3)) p->rank = 1 + roll(&d, once_in(&d, 2) ? 3 : 12);
   if (once_in(&d, 5)) p->alpha = 1 + roll(&d, 5);
   if (!p->f[0].own && p->mix != SNEPPP_MIX_OUTER) p->open = once_in(&d, 4);
   for (int f = 0; f <= p->factors; f++) { /* but for waves, a pair of units takes a closed form for each piece */
      int act = act_of(&p->f[f]);
      if (p->f[f].space != SNEPPP_SPACE_RASTER) continue;
      if (!p->f[f].mixed && (act == SNEPPP_ACT_COS || act == SNEPPP_ACT_SIN || act == SNEPPP_ACT_EXP)) continue;
      p->open = 0, p->width %= 12, p->f[f].width %= 12;
   }
   p->mem = once_in(&d, 6);
   p->layer = once_in(&d, 3);
   p->events = once_in(&d, 12) ? roll(&d, 3) : once_in(&d, 10) ? 100 + roll(&d, 200) : roll(&d, 60);
   p->spread = once_in(&d, 2) ? 0 : roll(&d, 5);
   if (once_in(&d, 4)) p->weights = 1 + roll(&d, 3);
   if (once_in(&d, 5)) p->realisations = 1 + roll(&d, 2);
   if (once_in(&d, 4)) p->seen = 1 + roll(&d, 12);
   if (once_in(&d, 4)) p->source = 1 + roll(&d, 2);
   if (p->source == 2) p->weights = 0; /* weights are for events in memory */
   if (p->sequence)
      for (int k = 0; k < HUNT_OPS && sequences[p->sequence].op[k]; k++)
         draw_op(&d, &p->op[k], sequences[p->sequence].op[k]);
   else
      for (int k = 0, ops = 1 + roll(&d, 5); k < ops; k++) {
         draw_op(&d, &p->op[k], 0);
         if (!p->factors && p->op[k].kind >= OP_MARGINAL && p->op[k].kind <= OP_REDUCE && roll(&d, 8))
            draw_op(&d, &p->op[k], OP_REGION + roll(&d, 2));
         if (p->op[k].kind == OP_TILE && roll(&d, 8))
            draw_factor(&d, &p->f[0], SNEPPP_SPACE_BOX), p->f[0].dim = 1, p->factors = p->mix = 0;
         if (p->op[k].kind == OP_MOVED && roll(&d, 4))
            draw_factor(&d, &p->f[0], once_in(&d, 3) ? SNEPPP_SPACE_RASTER : SNEPPP_SPACE_BOX), p->factors = p->mix = 0;
      }
   if (once_in(&d, 10)) draw_rare(&d, p);
   if (once_in(&d, 8) || p->mix || p->f[0].own) return;
   for (int k = 0; k < HUNT_OPS; k++) { /* AUTO has features of its own, and refuses what describes others */
      if (p->op[k].kind != OP_AUTO && p->op[k].kind != OP_TWIN && p->op[k].kind != OP_MOVED) continue;
      for (int f = 0; f <= p->factors; f++) {
         const int space = p->f[f].space;
         if (space == SNEPPP_SPACE_BOX || space == SNEPPP_SPACE_INTERVALS || space == SNEPPP_SPACE_POLYGON ||
             space == SNEPPP_SPACE_SPHERE || space == SNEPPP_SPACE_RASTER)
            p->f[f].act = p->f[f].mixed = p->f[f].width = p->f[f].no_bias = 0;
      }
      p->rank = p->alpha = 0;
   }
}
#endif
