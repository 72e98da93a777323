/* A plan as a C program of the public interface alone, so that whoever mends a finding needs nothing of the hunter. */
#ifndef HUNT_PRINT_H
#define HUNT_PRINT_H
#include "ops.h"

static void print_list(FILE *f, const char *type, const char *name, int id, const double *v, size_t n)
{
   if (!v || !n) return;
   fprintf(f, "static const %s %s%d[] = { ", type, name, id);
   for (size_t i = 0; i < n; i++)
      if (v[i] == v[i]) fprintf(f, "%s%.17g", i ? ", " : "", v[i]);
      else fprintf(f, "%sNAN", i ? ", " : "");
   fprintf(f, " };\n");
}

static size_t vertices_of(const sneppp_window *v)
{
   size_t n = v->rings ? 0 : v->count;
   for (size_t r = 0; r < v->rings; r++) n += v->ring_size[r];
   return n;
}

static void print_lists(FILE *f, const sneppp_window *v, int id)
{
   size_t d = (size_t)v->dim;
   if (v->space == SNEPPP_SPACE_INTERVALS) print_list(f, "double", "ends", id, v->ends, 2 * v->count);
   if (v->space == SNEPPP_SPACE_GAUSS)
      print_list(f, "double", "mean", id, v->mean, v->count * d),
         print_list(f, "double", "scale", id, v->scale, v->count * d);
   if (v->space == SNEPPP_SPACE_FINITE) print_list(f, "double", "point", id, v->point, v->count * d);
   if (v->space == SNEPPP_SPACE_FINITE || v->space == SNEPPP_SPACE_GAUSS)
      print_list(f, "double", "weight", id, v->weight, v->count);
   if (v->space == SNEPPP_SPACE_RASTER) {
      size_t cells = v->cells[0] * (v->dim > 1 ? v->cells[1] : 1);
      print_list(f, "double", "weight", id, v->weight, cells);
      print_list(f, "double", "z", id, v->z, cells * (size_t)v->covariates);
   }
   if (v->xy) print_list(f, "double", "xy", id, v->xy, 2 * vertices_of(v));
   if (v->xy && v->rings) {
      fprintf(f, "static const size_t ring_size%d[] = { ", id);
      for (size_t r = 0; r < v->rings; r++) fprintf(f, "%s%zu", r ? ", " : "", v->ring_size[r]);
      fprintf(f, " };\n");
   }
}

static void print_window(FILE *f, const sneppp_window *v, int id, const char *to)
{
   if (v->space) fprintf(f, "   %s.space = SNEPPP_SPACE_%s;\n", to, space_names[v->space]);
   fprintf(f, "   %s.dim = %d;\n", to, v->dim);
   for (int r = 0; r < v->dim; r++) {
      if (v->space == SNEPPP_SPACE_BOX || (v->space == SNEPPP_SPACE_RASTER && v->lo[r] < v->hi[r]))
         fprintf(f, "   %s.lo[%d] = %.17g, %s.hi[%d] = %.17g;\n", to, r, v->lo[r], to, r, v->hi[r]);
      if (v->space == SNEPPP_SPACE_BALL) fprintf(f, "   %s.centre[%d] = %.17g;\n", to, r, v->centre[r]);
   }
   for (int r = 0; r < SNEPPP_MAX_DIM; r++)
      if (v->param[r] != 0) fprintf(f, "   %s.param[%d] = %.17g;\n", to, r, v->param[r]);
   if (v->space == SNEPPP_SPACE_BALL) fprintf(f, "   %s.radius = %.17g;\n", to, v->radius);
   if (v->measure) fprintf(f, "   %s.measure = SNEPPP_MEASURE_PROBABILITY;\n", to);
   if (v->count) fprintf(f, "   %s.count = %zu;\n", to, v->count);
   if (v->space == SNEPPP_SPACE_INTERVALS) fprintf(f, "   %s.ends = ends%d;\n", to, id);
   if (v->space == SNEPPP_SPACE_GAUSS && v->count)
      fprintf(f, "   %s.weight = weight%d, %s.mean = mean%d, %s.scale = scale%d;\n", to, id, to, id, to, id);
   if (v->space == SNEPPP_SPACE_FINITE)
      fprintf(f, "   %s.point = point%d, %s.weight = weight%d;\n", to, id, to, id);
   for (int r = 0; r < v->dim && v->space == SNEPPP_SPACE_RASTER; r++)
      fprintf(f, "   %s.origin[%d] = %.17g, %s.cell[%d] = %.17g, %s.cells[%d] = %zu;\n", to, r, v->origin[r], to, r,
              v->cell[r], to, r, v->cells[r]);
   if (v->covariates)
      fprintf(f, "   %s.covariates = %d, %s.no_place = %d, %s.z = z%d;\n", to, v->covariates, to, v->no_place, to, id);
   if (v->space == SNEPPP_SPACE_RASTER && v->weight) fprintf(f, "   %s.weight = weight%d;\n", to, id);
   if (v->xy) fprintf(f, "   %s.xy = xy%d;\n", to, id);
   if (v->rings) fprintf(f, "   %s.rings = %zu, %s.ring_size = ring_size%d;\n", to, v->rings, to, id);
}

static void print_fit(FILE *f, const plan_op *o, int at)
{
   sneppp_fit_desc fit = fit_of(o);
   fprintf(f, "   memset(&fit, 0, sizeof fit);\n   fit.events = events%s;\n", "");
   if (w.realisations > 1) fprintf(f, "   fit.realisations = %zu;\n", w.realisations);
   if (fit.method) fprintf(f, "   fit.method = SNEPPP_METHOD_%s;\n", method_names[fit.method]);
#define FIELD(name) \
   if (fit.name != 0) fprintf(f, "   fit." #name " = %.17g;\n", (double)fit.name)
   if (fit.steps) fprintf(f, "   fit.steps = %zu;\n", fit.steps);
   if (fit.batch) fprintf(f, "   fit.batch = %zu;\n", fit.batch);
   if (fit.warmup) fprintf(f, "   fit.warmup = %zu;\n", fit.warmup);
   if (fit.schedule) fprintf(f, "   fit.schedule = (sneppp_schedule)%d;\n", (int)fit.schedule);
   FIELD(floor);
   FIELD(eps1);
   FIELD(eps2);
   FIELD(trace);
   FIELD(tol);
   FIELD(holdout);
   FIELD(clip);
   FIELD(decay);
   if (fit.freeze) fprintf(f, "   fit.freeze = %d;\n", fit.freeze);
   if (fit.polish) fprintf(f, "   fit.polish = 1;\n");
   if (fit.tune) fprintf(f, "   fit.tune = 1;\n");
   if (fit.reduce) fprintf(f, "   fit.reduce = alone;\n");
#undef FIELD
   fprintf(f, "   show(\"%d %s\", sneppp_fit(&model, &fit, &report, &err), &err);\n", at, op_names[o->kind]);
   fprintf(f, "   printf(\"   nll %%.12g expected %%.12g gap %%.6g\\n\", report.nll, report.expected, "
              "report.gap);\n");
}

/* What sneppp_set_layer got. */
static void print_layer(FILE *f, int factor, uint64_t seed, int at)
{
   const sneppp_layer_state *L = &w.model.layer[factor];
   size_t n = (size_t)L->n, d = (size_t)L->d;
   double *W = (double *)malloc(n * d * sizeof *W), *b = (double *)malloc(n * sizeof *b),
          *width = (double *)malloc(n * d * sizeof *width);
   if (w.model.desc.factor[factor].own.psi) return;
   random_layer(factor, seed, W, b, width);
   fprintf(f, "   {\n   ");
   print_list(f, "double", "W", 0, W, n * d), fprintf(f, "   "), print_list(f, "double", "b", 0, b, n);
   if (L->width) fprintf(f, "   "), print_list(f, "double", "width", 0, width, n * d);
   fprintf(f, "   show(\"%d set_layer\", sneppp_set_layer(&model, %d, W0, b0, %s, &err), &err);\n   }\n", at,
           factor, L->width ? "width0" : "NULL");
   free(W), free(b), free(width);
}

static void print_matrix(FILE *f, const plan_op *o, int at)
{
   size_t n = (size_t)w.model.n;
   double *M = n <= 400 ? random_matrix(o) : NULL;
   if (!M) return;
   fprintf(f, "   {\n   "), print_list(f, "double", "M", 0, M, n * n);
   fprintf(f, "   show(\"%d set_matrix\", sneppp_set_matrix(&model, M0, &err), &err);\n   }\n", at);
   free(M);
}

/* The halves that op_region asks for. */
static void print_halves(FILE *f, const plan_op *o, int at)
{
   int factor = o->a % w.model.factors;
   for (int k = 0; k < 2; k++) {
      if (!shape_half(&w.shape[factor], op_seed(o), k, &w.part_shape[0])) return;
      fprintf(f, "   {\n   sneppp_window half;\n   sneppp_region region;\n   memset(&half, 0, sizeof half), "
                 "memset(&region, 0, sizeof region);\n   ");
      print_lists(f, &w.part_shape[0].win, 0);
      print_window(f, &w.part_shape[0].win, 0, "half");
      fprintf(f,
              "   region.factor[%d] = &half;\n   show(\"%d half %d\", sneppp_count(&model, &region, 1, &count, NULL, "
              "&err), &err), printf(\"   %%.15g\\n\", count);\n   }\n",
              factor, at, k);
   }
}

/* Runs in a process of its own, as a program does. The calls before the last are made while they are printed, so that
   what is printed for each (weights in the units of the window, say) is what the program did. */
static void print_program(FILE *f, const plan *p, const char *check, const char *words)
{
   sneppp_error err;
   memset(&w, 0, sizeof w);
   w.p = *p;
   make_desc();
   fprintf(f, "/* %s\n   %s\n   cc -g -fsanitize=address,undefined -I. this.c -lm%s */\n", check, words,
           sizeof(sneppp_real) == 4 ? " -DSNEPPP_REAL_FLOAT" : "");
   fprintf(f, "#define SNEPPP_IMPLEMENTATION\n#include \"sneppp.h\"\n#include <math.h>\n#include <stdio.h>\n#include "
              "<stdlib.h>\n#include <string.h>\n\n");
   for (int k = 0; k < w.factors; k++) {
      const sneppp_factor *x = &w.desc.factor[k];
      int n = x->width ? x->width : w.desc.width ? w.desc.width : 64;
      print_lists(f, &x->window, k);
      if (!x->units) continue;
      fprintf(f, "static const sneppp_unit units%d[] = { ", k);
      for (int i = 0; i < n; i++)
         fprintf(f, "%s{ SNEPPP_ACT_%s, %g, %g }", i ? ", " : "", act_names[x->units[i].act], x->units[i].p,
                 x->units[i].q);
      fprintf(f, " };\n");
   }
   {
      int made = sneppp_init(&w.model, &w.desc, &err) == SNEPPP_OK;
      if (made) make_events();
      for (size_t r = 0; made && r < w.realisations; r++) {
         size_t D = (size_t)w.D;
         fprintf(f, "static sneppp_real x%zu[] = { ", r);
         for (size_t i = 0; i < w.events[r].count; i++)
            for (size_t k = 0; k < D; k++)
               fprintf(f, "%s%.*g", i + k ? ", " : "", sizeof(sneppp_real) == 4 ? 9 : 17,
                       (double)event_at(r, i)[k]);
         fprintf(f, "%s };\n", w.events[r].count ? "" : "0");
         if (!w.events[r].weight) continue;
         fprintf(f, "static const sneppp_real w%zu[] = { ", r);
         for (size_t i = 0; i < w.events[r].count; i++)
            fprintf(f, "%s%.*g", i ? ", " : "", sizeof(sneppp_real) == 4 ? 9 : 17, (double)w.weight[r][i]);
         fprintf(f, "%s };\n", w.events[r].count ? "" : "0");
      }
      for (int k = 0; k < w.factors; k++)
         if (w.seen.factor[k]) print_lists(f, w.seen.factor[k], 10 + k);
   }
   fprintf(f, "\nstatic inline int alone(double *x, size_t count, void *user) { return (void)x, (void)count, (void)user, 0; }\n");
   fprintf(f, "\nstatic void show(const char *call, int st, const sneppp_error *err)\n{\n   printf(\"%%s: "
              "%%d %%s\\n\", call, st, st ? err->why : \"\");\n}\n\n");
   fprintf(f, "int main(void)\n{\n   static sneppp_model model, other;\n   sneppp_desc desc;\n   "
              "sneppp_error err;\n   sneppp_events events[3];\n"
              "   sneppp_region seen;\n   sneppp_window part[4];\n   sneppp_fit_desc fit;\n   sneppp_report "
              "report;\n   double count = 0;\n"
              "   (void)other, (void)count, (void)report;\n"
              "   memset(&desc, 0, sizeof desc), memset(events, 0, sizeof events), memset(&seen, 0, sizeof "
              "seen), memset(part, 0, sizeof part);\n"
              "   memset(&fit, 0, sizeof fit), memset(&report, 0, sizeof report);\n");
   for (int k = 0; k <= p->factors; k++) {
      const sneppp_factor *x = &w.desc.factor[k];
      char to[40];
      snprintf(to, sizeof to, "desc.factor[%d].window", k);
      print_window(f, &x->window, k, to);
      if (x->unit.act) fprintf(f, "   desc.factor[%d].unit.act = SNEPPP_ACT_%s;\n", k, act_names[x->unit.act]);
      if (x->unit.p != 0)
         fprintf(f, "   desc.factor[%d].unit.p = %g, desc.factor[%d].unit.q = %g;\n", k, x->unit.p, k,
                 x->unit.q);
      if (x->units) fprintf(f, "   desc.factor[%d].units = units%d;\n", k, k);
      if (x->width) fprintf(f, "   desc.factor[%d].width = %d;\n", k, x->width);
      if (x->no_bias) fprintf(f, "   desc.factor[%d].no_bias = 1;\n", k);
      if (x->own.psi)
         fprintf(f, "   /* desc.factor[%d].own: cos(pi k t), t from 0 to 1 over the box, k < width */\n", k);
   }
   if (p->mix) fprintf(f, "   desc.mix = SNEPPP_MIX_%s;\n", mix_names[p->mix]);
   if (p->readout) fprintf(f, "   desc.readout = SNEPPP_READOUT_DIAGONAL;\n");
   if (p->rank) fprintf(f, "   desc.rank = %d;\n", p->rank);
   fprintf(f, "   desc.width = %d, desc.alpha = %g, desc.seed = %llu;\n", w.desc.width, w.desc.alpha,
           (unsigned long long)w.desc.seed);
   if (p->mem)
      fprintf(f, "   desc.mem_bytes = sneppp_model_bytes(&desc, &err), desc.mem = malloc(desc.mem_bytes);\n");
   for (int k = 0; k < w.factors; k++)
      if (w.seen.factor[k]) {
         char to[40];
         snprintf(to, sizeof to, "part[%d]", k);
         print_window(f, w.seen.factor[k], 10 + k, to);
         fprintf(f, "   seen.factor[%d] = &part[%d];\n", k, k);
      }
   for (size_t r = 0; r < w.realisations; r++) {
      fprintf(f, "   events[%zu].x = x%zu, events[%zu].count = %zu;%s\n", r, r, r, w.events[r].count,
              w.events[r].read ? " /* through events.read */" : "");
      if (w.events[r].weight) fprintf(f, "   events[%zu].weight = w%zu;\n", r, r);
      if (w.events[r].seen) fprintf(f, "   events[%zu].seen = &seen;\n", r);
   }
   fprintf(f, "   show(\"init\", sneppp_init(&model, &desc, &err), &err);\n");
   mute = 1;
   for (int k = 0; p->layer && k < w.model.factors; k++) {
      plan_op set = { OP_SET_LAYER, 0, 0, 0, 0, 0, 0 };
      set.a = k;
      print_layer(f, k, op_seed(&set), -1);
      op_set_layer(&set);
   }
   for (int k = 0, before = -1; k < HUNT_OPS; k++) {
      const plan_op *o = &p->op[k];
      if (!o->kind) continue;
      fflush(f); /* what was printed stays, should the call before end badly */
      if (before >= 0) time_limit(seconds_for(&p->op[before])), run_kind(&p->op[before]);
      before = k;
      if (o->fail) fprintf(f, "   /* first with an allocator whose call %d fails */\n", o->fail);
      if (o->par)
         fprintf(f, "   /* with a sneppp_parallel: %s */\n",
                 o->par == 1 ? "jobs in reverse order" : "a pool of three threads");
      switch (o->kind) {
         case OP_AUTO:
         case OP_CONVEX:
         case OP_PGD:
         case OP_ADAM: print_fit(f, o, k); break;
         case OP_RELOAD:
            fprintf(
               f,
               "   show(\"save\", sneppp_save_file(&model, \"m.snp\", &err), &err), sneppp_free(&model);\n   "
               "show(\"load\", sneppp_load_file(&model, \"m.snp\", NULL, &err), &err);\n");
            break;
         case OP_SET_LAYER: print_layer(f, o->a % w.model.factors, op_seed(o), k); break;
         case OP_SET_MATRIX: print_matrix(f, o, k); break;
         case OP_REGION: print_halves(f, o, k); /* and everywhere */ /* fall through */
         case OP_COUNT:
            fprintf(f,
                    "   show(\"%d %s\", sneppp_count(&model, NULL, 1, &count, NULL, &err), &err), printf(\"   "
                    "%%.15g\\n\", count);\n",
                    k, op_names[o->kind]);
            break;
         case OP_NLL:
         case OP_GRADIENT:
            fprintf(f,
                    "   show(\"%d %s\", sneppp_nll(&model, events, %zu, &count, NULL, NULL, NULL, &err), &err), "
                    "printf(\"   %%.15g\\n\", count);\n",
                    k, op_names[o->kind], w.realisations);
            break;
         case OP_MARGINAL:
            fprintf(f,
                    "   show(\"%d marginal\", sneppp_marginal(&model, %d %% model.factors, NULL, &other, "
                    "&err), &err), sneppp_free(&other);\n",
                    k, o->a);
            break;
         case OP_REDUCE:
            fprintf(f,
                    "   show(\"%d marginal\", sneppp_marginal(&model, %d %% model.factors, NULL, &other, "
                    "&err), &err), sneppp_free(&model), model = other;\n",
                    k, o->a);
            break;
         case OP_SAMPLE:
            fprintf(f,
                    "   { static sneppp_real s[300 * 64]; sneppp_rng rng; sneppp_sample_desc how;\n"
                    "     memset(&how, 0, sizeof how), sneppp_rng_init(&rng, %lluu, 3), how.rng = &rng, how.count = %d;\n"
                    "     show(\"%d sample\", sneppp_sample(&model, &how, s, 300, NULL, &err), &err); }\n",
                    (unsigned long long)op_seed(o), o->a % 40, k);
            break;
         case OP_BAD_EVENT: {
            size_t r = (size_t)o->a % w.realisations, N = w.events[r].count, i;
            plan_op fit = *o;
            if (!N) break;
            i = (size_t)(hash_of(op_seed(o), 70, 0, 0) % N) * ((size_t)w.D);
            fit.kind = o->c % 4 == 0 ? OP_AUTO : o->c % 4 == 1 ? OP_CONVEX : o->c % 4 == 2 ? OP_PGD : OP_ADAM;
            fprintf(f, "   { sneppp_real was = x%zu[%zu];\n   x%zu[%zu] = (sneppp_real)(%s);\n", r, i, r, i,
                    o->b % 3 == 1 ? "-1e30" : "0.0 / 0.0");
            print_fit(f, &fit, k);
            fprintf(f, "   x%zu[%zu] = was; }\n", r, i);
            break;
         }
         case OP_TRAIN: {
            plan_op adam = *o;
            adam.kind = OP_ADAM;
            fprintf(f, "   /* as %d steps of a trainer, saved, loaded into another, and stepped on */\n",
                    1 + o->a % 4);
            print_fit(f, &adam, k);
            break;
         }
         default:
            fprintf(f, "   /* call %d: %s, a = %d, b = %d, c = %d, salt = %d */\n", k, op_names[o->kind],
                    o->a, o->b, o->c, o->salt);
      }
   }
   fprintf(f, "   sneppp_free(&model);\n   return 0;\n}\n");
}
#endif
