/* The calls of a program, each with what must hold after it. */
#ifndef HUNT_OPS_H
#define HUNT_OPS_H
#include "checks.h"
#include "twin.h"

static uint64_t op_seed(const plan_op *o) { return w.p.seed ^ hash64((uint64_t)o->salt + 5); }

/* ---- fits */
static int fit_alone(double *x, size_t count, void *user) { return (void)x, (void)count, (void)user, 0; } /* one rank */

static sneppp_fit_desc fit_of(const plan_op *o)
{
   sneppp_fit_desc fit;
   memset(&fit, 0, sizeof fit);
   fit.events = w.events, fit.realisations = w.realisations;
   fit.method = o->kind == OP_CONVEX ? SNEPPP_METHOD_CONVEX
                : o->kind == OP_PGD  ? SNEPPP_METHOD_PGD
                : o->kind == OP_AUTO ? SNEPPP_METHOD_AUTO
                                     : SNEPPP_METHOD_ADAM;
   if (fit.method == SNEPPP_METHOD_CONVEX || fit.method == SNEPPP_METHOD_PGD) {
      fit.steps = o->a % 4 == 3 ? 5 : 0;
      if (fit.method == SNEPPP_METHOD_PGD) fit.steps = w.model.n > 60 ? 8 : 40; /* eigenvalues in every step */
      fit.floor = o->a % 3 == 1 ? 0.05 : o->a % 9 == 2 ? 0.5 : 0;
      fit.eps2 = o->b % 5 == 1 ? 0.01 : 0;
      fit.trace = o->b % 7 == 2 ? 0.02 : 0;
      fit.eps1 = o->c % 6 == 1 ? 1e-2 : 0;
      fit.tol = o->c % 5 == 2 ? 1e-2 : 0;
      fit.tune = o->a % 11 == 6;
   }
   if (fit.method == SNEPPP_METHOD_ADAM) {
      fit.steps = (size_t)(1 + o->a % 8);
      fit.floor = o->b % 4 == 1 ? 0.1 : o->b % 8 == 2 ? SNEPPP_NONE : 0;
      fit.batch = o->c % 4 == 1 ? (size_t)(1 + o->c / 4) : 0;
      fit.holdout = o->a % 5 == 1 ? 0.3 : 0;
      fit.freeze = o->b % 3 == 2 ? o->b / 4 % 16 : 0;
      fit.schedule = (sneppp_schedule)(o->c % 3);
      fit.warmup = o->c % 7 == 3 ? 2 : 0;
      fit.clip = o->a % 6 == 2 ? 0.5 : 0;
      fit.decay = o->b % 5 == 3 ? SNEPPP_NONE : 0;
      fit.polish = o->c % 5 == 4;
   }
   if (o->salt % 5 == 3 && w.realisations < 2 && !w.events[0].regions) fit.reduce = fit_alone;
   return fit;
}

static double event_weights(void)
{
   double sum = 0;
   for (size_t r = 0; r < w.realisations; r++)
      for (size_t i = 0; i < w.events[r].count; i++)
         sum += w.events[r].weight ? (double)w.events[r].weight[i] : 1;
   return sum;
}

/* The likelihood from its definition, and how large the numbers are that it is a sum of. 0 if an event has no
   intensity, or a call refuses. */
static int likelihood(const sneppp_model *m, double *nll, double *expected, double *size)
{
   *nll = *expected = *size = 0;
   for (size_t r = 0; r < w.realisations; r++) {
      const sneppp_events *e = &w.events[r];
      double Lambda = 0, N = 0;
      sneppp_error err;
      if (sneppp_count(m, e->seen, 1, &Lambda, NULL, &err) != SNEPPP_OK) return 0;
      *nll += Lambda, *expected += Lambda, *size += fabs(Lambda);
      for (size_t i = 0; i < e->count; i++) {
         double weight = e->weight ? (double)e->weight[i] : 1, l = sneppp_log_intensity(m, event_at(r, i));
         N += weight;
         if (!(weight > 0)) continue;
         if (!(l > -600 && l < 600)) return 0;
         *nll -= weight * l, *size += weight * (fabs(l) + 1);
      }
      *nll += lgamma(N + 1), *size += fabs(lgamma(N + 1));
   }
   return 1;
}

/* How much rounding of an intensity matters to its logarithm: the worst event's sum of magnitudes over its value. */
static double cancellation(const sneppp_model *m)
{
   double worst = 1;
   sneppp_real *psi = (sneppp_real *)malloc((size_t)m->n * sizeof *psi);
   for (size_t r = 0; r < w.realisations; r++)
      for (size_t i = 0; i < w.events[r].count; i++) {
         double sum = m->floor, top = m->floor;
         if (sneppp_features(m, event_at(r, i), psi, NULL) != SNEPPP_OK) continue;
         for (int k = 0; k < m->readouts; k++) {
            const sneppp_readout_state *R = &m->readout[k];
            if (m->desc.readout == SNEPPP_READOUT_DIAGONAL) continue;
            for (int a = 0; a < R->m; a++) {
               double v = 0, size = 0;
               for (int j = 0; j < R->n; j++) {
                  double t = (double)R->V[a * R->n + j] * (double)psi[R->first + j];
                  v += t, size += fabs(t);
               }
               sum += m->alpha * v * v, top += m->alpha * size * size;
            }
            if (m->desc.mix == SNEPPP_MIX_SEPARABLE) {
               if (sum > 0) worst = fmax(worst, top / sum);
               sum = top = m->floor;
            }
         }
         if (sum > 0) worst = fmax(worst, top / sum);
      }
   free(psi);
   return worst;
}

static void check_report(const sneppp_model *m, const sneppp_report *report, const char *method)
{
   double N = (double)event_count(), nll = 0, expected = 0, size = 0, tol, z;
   if (!(N > 0) || !(event_weights() > 0) || !likelihood(m, &nll, &expected, &size)) {
      told->undecided++;
      return;
   }
   tol = size * (64 * EPS * (m->n + 8) * cancellation(m) + 1e-9);
   tol += 16 * EPS * m->n * magnitude(m, NULL, &z); /* the expected number is a sum that cancels, too */
   if (!(tol < 0.05 * size)) {
      told->undecided++;
      return;
   }
   MUST(report->events == (size_t)N, "report.events", "%s: %zu, but there are %g", method, report->events, N);
   MUST(fabs(report->nll * N - nll) <= tol, named("report.nll", m),
        "%s: %.12g per event, but the model has %.12g (tolerance %.3g)", method, report->nll, nll / N,
        tol / N);
   MUST(fabs(report->expected - expected) <= tol, named("report.expected", m), "%s: %.12g, but the model expects %.12g",
        method, report->expected, expected);
}

/* report.gap: no other feasible readout may be better by more. Candidates: the optimum scaled, or mixed with others. */
static void check_gap(const sneppp_model *m, const sneppp_fit_desc *fit, const sneppp_report *report,
                      uint64_t seed)
{
   sneppp_model other;
   size_t n = (size_t)m->n;
   double *M, *A, *psi, here = 0, there = 0, W = event_weights(),
                        eps1 = fit->eps1 > 0                                    ? fit->eps1
                               : report->method == SNEPPP_METHOD_PGD && fit->eps1 == 0 ? 1e-3
                                                                                : 0;
   sneppp_error err;
   if (n > 60 || report->dropped || m->desc.rank || !(W > 0) || !(report->gap < 1e10) ||
       m->desc.mix == SNEPPP_MIX_SEPARABLE || eps1 > 0 || fit->tune || !copy_model(m, &other)) {
      told->undecided++;
      return;
   }
   M = (double *)malloc(n * n * sizeof *M), A = (double *)malloc(n * n * sizeof *A),
   psi = (double *)malloc(n * sizeof *psi);
   sneppp_get_matrix(m, M, NULL);
   other.nodes = 0;
   for (int k = 0; k < 6; k++) {
      double t = k == 0 ? 0.1 : 0.3 * unit_of(seed, 1, k, 0), nll = 0, before = 0, penalty = 0, penalty0 = 0,
             norm = 0, size = 0;
      for (size_t i = 0; i < n; i++) psi[i] = normal_of(seed, 2, k, (int)i);
      if (k > 2 && event_count()) {
         sneppp_real *p = (sneppp_real *)malloc(n * sizeof *p);
         size_t i = (size_t)(hash_of(seed, 3, k, 0) % w.events[0].count);
         if (w.events[0].count && sneppp_features(m, event_at(0, i), p, NULL) == SNEPPP_OK)
            for (size_t j = 0; j < n; j++) psi[j] = (double)p[j];
         free(p);
      }
      for (size_t i = 0; i < n; i++) norm += psi[i] * psi[i], size += M[i * n + i];
      for (size_t i = 0; i < n; i++)
         for (size_t j = 0; j < n; j++) {
            double add = k == 0 ? 0 : size * psi[i] * psi[j] / (norm + 1e-300);
            if (m->desc.readout == SNEPPP_READOUT_DIAGONAL && i != j) add = 0;
            for (int r = 0; r < m->readouts; r++) { /* blocks */
               size_t a = (size_t)m->readout[r].first, b = a + (size_t)m->readout[r].n;
               if ((i >= a && i < b) != (j >= a && j < b)) add = 0;
            }
            A[i * n + j] = (1 - t) * M[i * n + j] + t * add;
            penalty0 += fit->eps2 / 2 * M[i * n + j] * M[i * n + j] + (i == j) * fit->trace * M[i * n + i];
         }
      if (sneppp_set_matrix(&other, A, &err) != SNEPPP_OK) continue;
      sneppp_get_matrix(&other, A, NULL);
      for (size_t i = 0; i < n; i++)
         for (size_t j = 0; j < n; j++)
            penalty += fit->eps2 / 2 * A[i * n + j] * A[i * n + j] + (i == j) * fit->trace * A[i * n + i];
      if (sneppp_nll(m, w.events, w.realisations, &before, NULL, NULL, NULL, NULL) != SNEPPP_OK ||
          sneppp_nll(&other, w.events, w.realisations, &nll, NULL, NULL, NULL, NULL) != SNEPPP_OK)
         continue;
      here = before / W + penalty0, there = nll / W + penalty;
      if (!(fabs(there) < 1e12)) continue;
      MUST(there >= here - report->gap - (1e-7 + 1e3 * EPS * (double)n) * (1 + fabs(here)), "report.gap",
           "gap %.6g per event, but readout %d is better by %.6g (%.9g, %.9g)", report->gap, k, here - there,
           there, here);
   }
   free(M), free(A), free(psi);
   sneppp_free(&other);
}

/* The share of the events that was asked for the floor is what it holds of what was watched, if nothing moved it. */
static void check_floor(const sneppp_fit_desc *fit)
{
   double mass = 0, held;
   if (!(fit->floor > 0) || fit->tune || /* which scales the floor with all else to the number of events */
       (fit->method == SNEPPP_METHOD_ADAM && (!(fit->freeze & SNEPPP_FREEZE_FLOOR) || fit->polish)) ||
       fit->method == SNEPPP_METHOD_AUTO)
      return;
   for (size_t r = 0; r < w.realisations; r++) {
      double part = 1;
      for (int f = 0; f < w.model.factors; f++)
         part *= w.events[r].seen && w.events[r].seen->factor[f] && w.seen_shape[f].own.dim
                    ? shape_mass(&w.seen_shape[f])
                    : sneppp_window_mass(w.events[r].seen && w.events[r].seen->factor[f] ? w.events[r].seen->factor[f]
                                                                                         : &w.model.layer[f].inside);
      mass += part;
   }
   held = w.model.floor * mass;
   MUST(!(mass > 0) || fabs(held - fit->floor * event_weights()) <= 1e-9 * event_weights(),
        "share of the floor", "%s: %g of %g events were asked for, the floor holds %g",
        method_names[fit->method], fit->floor, event_weights(), held);
}

/* Events that are uniform on a line and seen with gaps: the fit goes on through every gap. A fiftieth of the rate
   beside it, or a fifth where there are events enough, is no estimate of a uniform rate, but a gap that was left
   empty. */
static void check_gaps(const sneppp_report *report)
{
   const sneppp_window *seen = w.seen.factor[0], *v = &w.model.desc.factor[0].window;
   double rate, from, mass, least;
   if (report->method != SNEPPP_METHOD_AUTO || w.model.factors > 1 || !seen || seen->space != SNEPPP_SPACE_INTERVALS ||
       v->space != SNEPPP_SPACE_BOX || w.p.spread || w.p.weights || w.p.events < 40)
      return;
   mass = sneppp_window_mass(seen), least = event_count() >= 8 * seen->count ? 0.2 : 0.02;
   rate = (double)event_count() / (double)w.realisations / mass, from = v->lo[0];
   for (size_t k = 0; k <= seen->count; k++) {
      double to = k < seen->count ? seen->ends[2 * k] : v->hi[0], count = 0;
      sneppp_region region;
      sneppp_window gap;
      memset(&region, 0, sizeof region), memset(&gap, 0, sizeof gap);
      gap.dim = 1, gap.lo[0] = from, gap.hi[0] = to, region.factor[0] = &gap;
      if (to > from && sneppp_count(&w.model, &region, 1, &count, NULL, NULL) == SNEPPP_OK)
         MUST(count / (to - from) > least * rate, "gaps", "gap %zu of %zu: %g events per unit, %g beside it",
              k, seen->count + 1, count / (to - from), rate);
      if (k < seen->count) from = seen->ends[2 * k + 1];
   }
}

static int fit_once(sneppp_model *m, const plan_op *o, int par, sneppp_report *report, sneppp_error *err)
{
   sneppp_fit_desc fit = fit_of(o);
   fit.parallel = parallel_of(par);
   memset(report, 0, sizeof *report);
   return sneppp_fit(m, &fit, report, err);
}

/* A polish leaves the floor that ADAM has learnt, to the bit. */
static void check_polish(sneppp_model *plain, const plan_op *o)
{
   sneppp_fit_desc fit = fit_of(o);
   sneppp_error err;
   fit.polish = 0;
   MUST(sneppp_fit(plain, &fit, NULL, &err) == SNEPPP_OK, "polish", "refused without it: %s", err.why);
   MUST(plain->floor == w.model.floor, "polish", "ADAM has learnt the floor %g, now it is %g", plain->floor,
        w.model.floor);
}

/* A model of low rank uses all of its rank; and it ends CONVERGED where it comes to rest, which it did if the second half
   of the steps gained less than a tenth of the tolerance. */
static void check_low_rank(const sneppp_fit_desc *fit, const sneppp_report *report)
{
   sneppp_fit_desc half = *fit;
   sneppp_report there;
   sneppp_model copy;
   sneppp_error err;
   int rank = 0, st;
   if (!w.model.desc.rank || fit->tune || w.model.desc.readout == SNEPPP_READOUT_DIAGONAL ||
       (w.model.desc.mix == SNEPPP_MIX_SEPARABLE && w.model.factors > 1) || report->dropped || !(event_weights() > 0))
      return;
   for (int k = 0; k < w.model.readouts; k++) rank += w.model.readout[k].m;
   MUST(w.model.desc.rank > 16 || fit->eps1 > 0 || report->rank == rank, "report.rank", "%d of %d", report->rank, rank);
   if (fit->steps || report->ending != SNEPPP_ENDING_STEP_LIMIT || !copy_model(&w.model, &copy)) return;
   half.steps = report->steps / 2;
   st = sneppp_fit(&copy, &half, &there, &err);
   MUST(st == SNEPPP_OK && (there.ending != SNEPPP_ENDING_STEP_LIMIT ||
           (there.nll - report->nll) * (double)report->events > 0.1 * (fit->tol > 0 ? fit->tol : 1e-4) * event_weights()),
        "report.ending", "STEP_LIMIT, but the last %zu steps gained %g per event", half.steps, there.nll - report->nll);
   sneppp_free(&copy);
}

static void op_fit(const plan_op *o)
{
   sneppp_fit_desc fit = fit_of(o);
   sneppp_report report, again;
   sneppp_error err, err2;
   sneppp_model copy, plain;
   const int described = (w.model.desc.alpha > 0 || w.model.desc.rank) && !w.model.desc.factor[0].window.no_place;
   int copied = copy_model(&w.model, &copy), kept = o->kind == OP_ADAM && fit.polish && copy_model(&w.model, &plain),
       st = fit_once(&w.model, o, o->par, &report, &err), st2;
   if (kept && st == SNEPPP_OK) check_polish(&plain, o);
   if (kept) sneppp_free(&plain);
   if (st != SNEPPP_OK) refused(op_names[o->kind], (sneppp_status)st, &err), told->kind[o->kind].refused++;
   if (copied) { /* the same bits from a copy, whatever the threads and whatever was in the memory */
      snap a, b;
      hunt_fill = 0xFF;
      st2 = fit_once(&copy, o, o->par ? 0 : 1, &again, &err2);
      hunt_fill = 0x7F;
      if (w.mem && st == SNEPPP_ERR_SIZE)
         st2 = st; /* the caller's block is too small, and the copy has its own */
      MUST(st == st2, "fit of a loaded copy: status", "%s: status %d, but %d of the copy (%s)",
           op_names[o->kind], st, st2, err2.why);
      if (st == SNEPPP_OK) {
         a = snap_of(&w.model), b = snap_of(&copy);
         if (w.mem && !w.model.origin.count) a.size = b.size = 0; /* a caller's block may have no room for events */
         MUST(!snap_differs(&a, &b), "fit of a loaded copy", "%s: %s differ", op_names[o->kind],
              snap_differs(&a, &b));
         MUST(report.nll == again.nll || report.nll != report.nll, "fit of a loaded copy: report",
              "%s: report.nll differs", op_names[o->kind]);
         snap_free(&a), snap_free(&b);
      }
      sneppp_free(&copy);
   }
   if (st != SNEPPP_OK) return;
   check_floor(&fit);
   if (o->kind == OP_AUTO) check_gaps(&report);
   MUST(report.method != SNEPPP_METHOD_AUTO || !described, "settings", "AUTO ignored desc.alpha or desc.rank");
   if (o->kind == OP_ADAM && fit.polish)
      MUST(report.method == SNEPPP_METHOD_CONVEX, "polish", "report.method is %s", method_names[report.method]);
   if (w.model.budget == 0 || report.method != SNEPPP_METHOD_AUTO)
      check_report(&w.model, &report, method_names[report.method]);
   else check_report(&w.model, &report, "AUTO");
   if (report.method == SNEPPP_METHOD_CONVEX || report.method == SNEPPP_METHOD_PGD) {
      MUST(report.gap >= -1e-9 || report.gap != report.gap, "report.gap", "the gap is %g", report.gap);
      if (o->kind != OP_AUTO && o->kind != OP_ADAM) check_gap(&w.model, &fit, &report, op_seed(o));
      if (o->kind == OP_CONVEX) check_low_rank(&fit, &report);
   }
}

static void op_train(const plan_op *o)
{
   sneppp_fit_desc fit;
   sneppp_trainer t, u;
   sneppp_error err;
   sneppp_model copy;
   plan_op adam = *o;
   unsigned char *state;
   size_t size;
   int steps = 1 + o->a % 4, more = 1 + o->b % 3, copied, st;
   adam.kind = OP_ADAM;
   fit = fit_of(&adam), fit.parallel = parallel_of(o->par), fit.polish = 0, fit.holdout = 0;
   fit.steps = o->salt % 3 ? 10 : 2; /* one who steps by hand may go on beyond them */
   copied = copy_model(&w.model, &copy);
   st = sneppp_trainer_init(&t, &w.model, &fit, &err);
   if (st != SNEPPP_OK) {
      refused("trainer_init", (sneppp_status)st, &err), told->kind[o->kind].refused++;
      if (copied) sneppp_free(&copy);
      return;
   }
   {
      sneppp_fit_desc begun = fit;
      begun.freeze |= SNEPPP_FREEZE_FLOOR; /* nothing has moved it */
      check_floor(&begun);
   }
   for (int k = 0; k < steps && st == SNEPPP_OK; k++) {
      snap a = snap_of(&w.model), b;
      st = sneppp_trainer_step(&t, &err);
      b = snap_of(&w.model);
      MUST(st != SNEPPP_OK || fit.schedule != SNEPPP_RATE_LINEAR || k < (int)fit.steps || k < (int)fit.warmup ||
              !snap_differs(&a, &b), "trainer at rate 0", "%s moved in step %d of %zu", snap_differs(&a, &b), k,
           (size_t)fit.steps);
      snap_free(&a), snap_free(&b);
   }
   if (st != SNEPPP_OK) refused("trainer_step", (sneppp_status)st, &err);
   size = sneppp_trainer_save(&t, NULL, 0);
   state = (unsigned char *)malloc(size);
   MUST(sneppp_trainer_save(&t, state, size) == size, "trainer_save",
        "it took another number of bytes than it said");
   if (st == SNEPPP_OK && copied) { /* whatever was in the memory */
      unsigned char *other = (unsigned char *)malloc(size);
      int same;
      hunt_fill = 0xFF;
      same = sneppp_trainer_init(&u, &copy, &fit, &err) == SNEPPP_OK;
      hunt_fill = 0x7F;
      for (int k = 0; k < steps && same; k++) same = sneppp_trainer_step(&u, &err) == SNEPPP_OK;
      same = same && sneppp_trainer_save(&u, other, size) == size && !memcmp(other, state, size);
      MUST(same, "trainer of a copy", "another checkpoint in other memory");
      sneppp_trainer_free(&u);
      free(other);
   }
   if (st == SNEPPP_OK && copied) { /* resumed in another trainer on a copy of the model: the same bits */
      sneppp_model resumed;
      MUST(copy_model(&w.model, &resumed), "trainer", "the model cannot be saved any more");
      st = sneppp_trainer_init(&u, &resumed, &fit, &err);
      if (st != SNEPPP_OK && strstr(err.why, "is 0 everywhere")) { /* kinks have left the window: nothing to go on with */
         double expected = 1;
         MUST(sneppp_count(&w.model, NULL, 1, &expected, NULL, NULL) == SNEPPP_OK && !(expected > 0),
              "trainer resumes: init", "%s, but %g events are expected", err.why, expected);
      } else {
         snap a, b;
         MUST(st == SNEPPP_OK, "trainer resumes: init", "trainer_init on a saved copy: %s", err.why);
         st = sneppp_trainer_load(&u, state, size, &err);
         MUST(st == SNEPPP_OK, "trainer resumes: checkpoint", "its own checkpoint is refused: %s", err.why);
         for (int k = 0; k < more; k++) {
            int one = sneppp_trainer_step(&t, &err), two = sneppp_trainer_step(&u, &err);
            MUST(one == two, "trainer resumes", "step %d: status %d and %d", k, one, two);
         }
         a = snap_of(&w.model), b = snap_of(&resumed);
         MUST(!snap_differs(&a, &b), "trainer resumes: bits", "%s differ", snap_differs(&a, &b));
         snap_free(&a), snap_free(&b);
         sneppp_trainer_free(&u);
      }
      sneppp_free(&resumed);
   }
   free(state);
   sneppp_trainer_free(&t);
   if (copied) sneppp_free(&copy);
}

/* ---- parameters by hand */
static void random_layer(int f, uint64_t seed, double *W, double *b, double *width)
{
   const sneppp_layer_state *L = &w.model.layer[f];
   for (int i = 0; i < L->n; i++) {
      int act = L->units ? (int)L->units[i].act : (int)w.model.desc.factor[f].unit.act;
      double bias = w.model.desc.factor[f].no_bias || (seed % 5 == 0 && seed / 5 % 2) /* b = -W middle */
                       ? 0
                       : normal_of(seed, 3, f, i);
      for (int r = 0; r < L->d; r++) {
         double size = L->inside.space == SNEPPP_SPACE_EUCLID ? 1 : 1 / L->rate[r],
                v = normal_of(seed, 4, f, i * L->d + r) * (act == SNEPPP_ACT_EXP ? 0.3 : 1) *
                    (seed % 5 == 0 && !L->width ? pow(10, -2 - 2 * (double)(seed / 10 % 3)) : 1);
         if (L->width) {
            W[i * L->d + r] = L->shift[r] + size * v;
            width[i * L->d + r] = size * (0.2 + unit_of(seed, 5, f, i * L->d + r));
         } else W[i * L->d + r] = v / size, bias -= v / size * L->shift[r];
         if (L->inside.space == SNEPPP_SPACE_NEGBINOMIAL || (L->inside.space == SNEPPP_SPACE_NORMAL && r == 1))
            W[i * L->d + r] = -0.1 - fabs(v);
      }
      b[i] = L->width ? 0 : bias;
   }
}

static void op_set_layer(const plan_op *o)
{
   int f = o->a % w.model.factors, st;
   sneppp_layer_state *L = &w.model.layer[f];
   size_t n = (size_t)L->n, d = (size_t)L->d;
   double *W, *b, *width, *W2, *b2;
   sneppp_error err;
   if (w.model.desc.factor[f].own.psi) return;
   W = (double *)malloc(n * d * sizeof *W), b = (double *)malloc(n * sizeof *b),
   width = (double *)malloc(n * d * sizeof *width);
   W2 = (double *)malloc(n * d * sizeof *W), b2 = (double *)malloc(n * sizeof *b);
   random_layer(f, op_seed(o), W, b, width);
   st = sneppp_set_layer(&w.model, f, W, b, L->width ? width : NULL, &err);
   if (st != SNEPPP_OK) refused("set_layer", (sneppp_status)st, &err), told->kind[o->kind].refused++;
   else if (sneppp_get_layer(&w.model, f, W2, b2, NULL, &err) == SNEPPP_OK)
      for (size_t i = 0; i < n; i++) {
         double most = fabs(b[i]) + 1;
         for (size_t r = 0; r < d; r++) {
            double scale = L->width ? 1 / L->rate[r] + fabs(L->shift[r]) : fabs(W[i * d + r]);
            MUST(fabs(W[i * d + r] - W2[i * d + r]) <= 8 * EPS * scale, "get_layer",
                 "W[%zu][%zu] = %.15g was set, %.15g got", i, r, W[i * d + r], W2[i * d + r]);
            most += fabs(W[i * d + r] * L->shift[r]);
         }
         MUST(fabs(b[i] - b2[i]) <= 16 * EPS * most, "get_layer", "b[%zu] = %.15g was set, %.15g got", i,
              b[i], b2[i]);
      }
   free(W), free(b), free(width), free(W2), free(b2);
}

/* Positive semidefinite of rank 3, in the blocks of the readouts; or, for every fourth, not positive. */
static double *random_matrix(const plan_op *o)
{
   size_t n = (size_t)w.model.n;
   double *M = (double *)calloc(n * n, sizeof *M), *v = (double *)malloc(n * sizeof *v);
   for (int k = 0; k < 3; k++) {
      for (size_t i = 0; i < n; i++) v[i] = normal_of(op_seed(o), 6, k, (int)i) / sqrt((double)n);
      for (int r = 0; r < w.model.readouts; r++)
         for (size_t i = 0; i < (size_t)w.model.readout[r].n; i++)
            for (size_t j = 0; j < (size_t)w.model.readout[r].n; j++) {
               size_t a = (size_t)w.model.readout[r].first + i, b = (size_t)w.model.readout[r].first + j;
               if (w.model.desc.readout != SNEPPP_READOUT_DIAGONAL || i == j) M[a * n + b] += v[a] * v[b];
            }
   }
   if (o->a % 4 == 1) M[n * n - 1] = -1;
   free(v);
   return M;
}

static void op_set_matrix(const plan_op *o)
{
   size_t n = (size_t)w.model.n;
   double *M, *got, size = 0, tol;
   sneppp_error err;
   int st;
   if (n > 400) return;
   M = random_matrix(o), got = (double *)malloc(n * n * sizeof *M);
   st = sneppp_set_matrix(&w.model, M, &err);
   if (st != SNEPPP_OK) refused("set_matrix", (sneppp_status)st, &err), told->kind[o->kind].refused++;
   MUST((st != SNEPPP_OK) == (o->a % 4 == 1), "set_matrix", "status %d for a matrix that is %s", st,
        o->a % 4 == 1 ? "not positive" : "positive");
   if (st == SNEPPP_OK && (!w.model.desc.rank || w.model.desc.rank >= 3) &&
       sneppp_get_matrix(&w.model, got, &err) == SNEPPP_OK) {
      for (size_t i = 0; i < n; i++) size += M[i * n + i];
      tol = (64 * EPS + 1e-8) * (double)n * size;
      for (size_t i = 0; i < n * n; i++)
         MUST(fabs(M[i] - got[i]) <= tol, "get_matrix", "M[%zu][%zu] = %.12g was set, %.12g got", i / n,
              i % n, M[i], got[i]);
   }
   free(M), free(got);
}

static void op_reload(const plan_op *o)
{
   size_t size = sneppp_save(&w.model, NULL, 0), need;
   unsigned char *bytes, *mem = NULL;
   sneppp_model m;
   sneppp_error err;
   snap a, b;
   if (!size) return;
   bytes = (unsigned char *)malloc(size);
   sneppp_save(&w.model, bytes, size);
   if (o->a % 3 == 1) { /* a damaged file is refused and leaves nothing behind */
      size_t at = (size_t)(hash_of(op_seed(o), 7, 0, 0) % size);
      bytes[at] ^= 16;
      MUST(sneppp_load(&m, bytes, size, NULL, 0, &w.alloc, &err) != SNEPPP_OK && !m.block && !m.factors,
           "load", "byte %zu was changed, and nobody saw it", at);
      MUST(sneppp_load(&m, bytes, size / 2, NULL, 0, &w.alloc, &err) != SNEPPP_OK && !m.block, "load",
           "half a file was taken");
      bytes[at] ^= 16;
   }
   a = snap_of(&w.model);
   if (o->b % 3 == 1) { /* into the caller's memory */
      need = 4 * size + ((size_t)1 << 20);
      mem = (unsigned char *)malloc(need);
      if (sneppp_load(&m, bytes, size, mem, need, &w.alloc, &err) != SNEPPP_OK)
         finding("load", "into a block of %zu bytes: %s", need, err.why);
      b = snap_of(&m);
      MUST(!snap_differs(&a, &b), "load", "in the caller's memory, %s differ", snap_differs(&a, &b));
      snap_free(&b);
      sneppp_free(&m);
      free(mem);
   }
   if (sneppp_load(&m, bytes, size, NULL, 0, &w.alloc, &err) != SNEPPP_OK)
      finding("load", "a saved model is refused: %s", err.why);
   b = snap_of(&m);
   MUST(!snap_differs(&a, &b), "load", "%s differ", snap_differs(&a, &b));
   snap_free(&a), snap_free(&b);
   free(bytes);
   sneppp_free(&w.model);
   w.model = m;
}

static int count_text(const char *text, size_t bytes, void *user)
{
   size_t *left = (size_t *)user;
   (void)text;
   if (*left < bytes) return 1;
   *left -= bytes;
   return 0;
}
static void op_export(const plan_op *o)
{
   size_t left = o->a % 4 == 1 ? 100 : (size_t)1 << 30;
   sneppp_error err;
   int st = export_model(&w.model, "model", count_text, &left, &err);
   if (st != SNEPPP_OK) refused("export_c", (sneppp_status)st, &err), told->kind[o->kind].refused++;
   MUST(o->a % 4 != 1 || st != SNEPPP_OK, "export_c", "the writer had no room, and nobody said so");
}

/* ---- counts */
static void whole_shapes(const shape **part)
{
   for (int f = 0; f < HUNT_FACTORS; f++) part[f] = &w.shape[f];
}

static void op_count(const plan_op *o)
{
   const shape *part[HUNT_FACTORS];
   double count;
   sneppp_error err;
   int st = sneppp_count(&w.model, NULL, 1, &count, NULL, &err);
   whole_shapes(part);
   if (st != SNEPPP_OK) {
      refused("count", (sneppp_status)st, &err), told->kind[o->kind].refused++;
      return;
   }
   check_integral(&w.model, part, NULL, "everywhere");
}

/* What of a triangle or box is inside, wedge by wedge. */
static void shape_cut(const shape *s, const sneppp_window *part, shape *out)
{
   double corner[4][2];
   int m = part->space == SNEPPP_SPACE_BOX ? 4 : 3,
       turned = m == 3 && across(part->xy, part->xy + 2, part->xy + 4) < 0;
   memset(out, 0, sizeof *out);
   out->win = *part, out->size = out->own.cell[0] = out->own.cell[1] = s->size;
   for (int c = 0; c < m; c++)
      for (int r = 0; r < 2; r++)
         corner[c][r] = m == 3 ? part->xy[2 * (turned ? 2 - c : c) + r]
                        : (r ? c > 1 : c == 1 || c == 2) ? part->hi[r]
                                                         : part->lo[r];
   for (int i = 0; i < s->wedge_count; i++) {
      double p[16][2];
      int n = wedge_corners(&s->wedges[i], p);
      for (int c = 0; c < m && n > 2; c++) n = clip(p, n, corner[c], corner[(c + 1) % m]);
      add_plots(out, p, n, 0, i);
   }
}

/* A triangle or a box with corners in a polygon may reach across a notch or a hole: it is cut. */
static void check_leaving(int f, uint64_t seed)
{
   double xy[6], piece[6], count = 0, sum = 0, z, scale, lo, hi, middle;
   sneppp_window part;
   sneppp_region region;
   int box = unit_of(seed, 80, 0, 0) < 0.4, chain = unit_of(seed, 85, 0, 0) < 0.3; /* three vertices in a row: a notch */
   memset(&part, 0, sizeof part), memset(&region, 0, sizeof region);
   for (int k = 0; k < 3; k++) {
      size_t at = chain ? (hash_of(seed, 81, 0, 0) + (unsigned)k) % (unsigned)w.shape[f].ring_vertices[0]
                        : hash_of(seed, 81, k, 0) % (unsigned)w.shape[f].wedge_count;
      const wedge *q = &w.shape[f].wedges[at];
      double u = unit_of(seed, 82, k, 0), r = q->inner + unit_of(seed, 83, k, 0) * (1 - q->inner);
      if (chain || unit_of(seed, 84, k, 0) < 0.3) u = 0, r = 1; /* a vertex of the window itself */
      for (int i = 0; i < 2; i++) xy[2 * k + i] = q->centre[i] + r * ((1 - u) * q->a[i] + u * q->b[i]);
   }
   part.dim = 2;
   if (box)
      for (int i = 0; i < 2; i++) part.lo[i] = fmin(xy[i], xy[2 + i]), part.hi[i] = fmax(xy[i], xy[2 + i]);
   else part.space = SNEPPP_SPACE_POLYGON, part.xy = xy, part.count = 3;
   region.factor[f] = &part;
   shape_cut(&w.shape[f], &part, &w.part_shape[3]);
   if (sneppp_count(&w.model, &region, 1, &count, NULL, NULL) != SNEPPP_OK) return;
   scale = magnitude(&w.model, NULL, &z);
   if (w.part_shape[3].plot_count) {
      const shape *whole[HUNT_FACTORS];
      whole_shapes(whole);
      whole[f] = &w.part_shape[3];
      check_integral(&w.model, whole, &region, "where a region is cut");
   } else MUST(!(scale > 0) || count <= 1e-9 * scale, "a region that is cut", "%.15g, but it is outside", count);
   lo = part.lo[0], hi = part.hi[0], middle = 0.5 * (lo + hi);
   for (int k = 0; k < 2; k++) { /* it is cut to the window: its halves, of which one may be outside, add up to it */
      double half = 0;
      memcpy(piece, xy, sizeof piece);
      for (int i = 0; i < 2; i++) piece[k ? 2 + i : 4 + i] = 0.5 * (xy[2 + i] + xy[4 + i]);
      part.lo[0] = k ? middle : lo, part.hi[0] = k ? hi : middle;
      part.xy = box ? NULL : piece;
      if (sneppp_count(&w.model, &region, 1, &half, NULL, NULL) == SNEPPP_OK) sum += half;
   }
   MUST(fabs(sum - count) <= 1e-10 * scale, "a region that is cut", "%s: %.15g, but its halves %.15g", box ? "box" : "triangle",
        count, sum);
}

/* A raster of the same cells with twice the exposure: twice the events. */
static void check_exposure(int f)
{
   shape *s = &w.part_shape[3];
   sneppp_region region[2];
   sneppp_error err;
   double count[2], z, scale = magnitude(&w.model, NULL, &z);
   *s = w.shape[f], s->part = 1;
   for (int k = 0; k < MOST_CELLS; k++) s->mask[k] = s->own.weight ? 2 * s->exposure[k] : 2;
   shape_links(s);
   memset(region, 0, sizeof region);
   region[1].factor[f] = &s->win;
   if (sneppp_count(&w.model, region, 2, count, NULL, &err) != SNEPPP_OK) refused("exposure", err.status, &err);
   else
      MUST(scale <= 0 || fabs(2 * count[0] - count[1]) <= 1e-10 * scale, "twice the exposure", "%.15g, then %.15g", count[0],
           count[1]);
}

/* Counts in these regions, and in all of the window: the likelihood by its definition, and a copy that is fitted to them.
   As cells, they lie in the window, of which all was seen. */
static void check_counts(const plan_op *o, const sneppp_region *region, size_t regions)
{
   static const double some[8] = {3, 0, 1, 2.5, 7, 0, 0.25, 12};
   double counts[4], expected[4], nll = 0, want = 0, size = 0, N = 0, least = 1e300;
   sneppp_events table;
   sneppp_fit_desc fit;
   sneppp_report report;
   sneppp_error err;
   sneppp_model copy;
   int st;
   memset(&table, 0, sizeof table), memset(&fit, 0, sizeof fit);
   for (size_t k = 0; k < regions; k++) N += counts[k] = some[hash64(op_seed(o) + k) % 8];
   table.region = region, table.regions = regions, table.counts = counts, table.cells = o->c % 3 == 0;
   if (sneppp_count(&w.model, region, regions, expected, NULL, &err) != SNEPPP_OK) return;
   st = sneppp_nll(&w.model, &table, 1, &nll, NULL, NULL, NULL, &err);
   for (size_t k = 0; k < regions; k++) {
      double log_count = expected[k] > 1e-290 ? log(expected[k]) : -1e3;
      want += (table.cells ? 0 : expected[k]) - counts[k] * log_count + (table.cells ? 0 : lgamma(counts[k] + 1));
      size += expected[k] + counts[k] * (1 + fabs(log_count));
      if (counts[k] > 0) least = fmin(least, expected[k]);
   }
   if (table.cells) {
      double all = 0;
      if (sneppp_count(&w.model, NULL, 1, &all, NULL, &err) != SNEPPP_OK) return;
      want += all + lgamma(N + 1), size += all;
   }
   if (st != SNEPPP_OK) refused("counts by region", (sneppp_status)st, &err);
   else /* where a count is all cancellation, its logarithm has no digits */
      MUST(fabs(nll - want) <= 1e-9 * size || least < 1e-6 * size, "counts by region", "nll %.15g, by definition %.15g", nll, want);
   counts[0] = nan("");
   MUST(sneppp_nll(&w.model, &table, 1, &nll, NULL, NULL, NULL, &err) == SNEPPP_ERR_DATA && !err.event, "counts by region", "a count that is NaN: %s", err.why);
   counts[0] = some[hash64(op_seed(o)) % 8];
   if (!copy_model(&w.model, &copy)) return;
   fit.events = &table, fit.method = (sneppp_method)(o->b % 4), fit.steps = fit.method == SNEPPP_METHOD_AUTO ? 0 : fit.method == SNEPPP_METHOD_ADAM ? 5 : 20;
   st = sneppp_fit(&copy, &fit, &report, &err);
   if (st != SNEPPP_OK) refused("fit of counts", (sneppp_status)st, &err);
   else if (N > 0 && sneppp_nll(&copy, &table, 1, &nll, NULL, NULL, NULL, &err) == SNEPPP_OK) {
      double slack = (sizeof(sneppp_real) == 4 ? 1e-2 : 1e-4) * (1 + fabs(report.nll));
      MUST(fabs(nll / (double)report.events - report.nll) <= slack || report.nll > 50, "fit of counts", "report.nll %.12g, nll per event %.12g", report.nll, nll / (double)report.events);
      MUST(report.gap >= -1e-9 || report.gap != report.gap, "fit of counts", "the gap is %g", report.gap);
      MUST(report.events == (size_t)ceil(N), "fit of counts", "%zu events of %g", report.events, N);
   }
   sneppp_free(&copy);
}

static void op_region(const plan_op *o)
{
   const shape *part[HUNT_FACTORS];
   sneppp_region region[4];
   double count[4], z, scale;
   sneppp_error err;
   int f = o->a % w.model.factors, st, halves;
   sneppp_parallel par = parallel_of(o->par);
   memset(region, 0, sizeof region);
   halves = shape_half(&w.shape[f], op_seed(o), 0, &w.part_shape[0]) &&
            shape_half(&w.shape[f], op_seed(o), 1, &w.part_shape[1]);
   if (halves) {
      region[0].factor[f] = &w.part_shape[0].win, region[1].factor[f] = &w.part_shape[1].win;
      st = sneppp_count(&w.model, region, 3, count, &par, &err);
      if (st != SNEPPP_OK) refused("counts", (sneppp_status)st, &err), told->kind[o->kind].refused++;
      else {
         scale = magnitude(&w.model, NULL, &z);
         MUST(scale <= 0 || fabs(count[0] + count[1] - count[2]) <= 1e-10 * scale, "additivity",
              "factor %d: %.15g + %.15g = %.15g, but %.15g everywhere", f, count[0], count[1],
              count[0] + count[1], count[2]);
         for (int k = 0; k < 3; k++) {
            double one = 0;
            st = sneppp_count(&w.model, &region[k], 1, &one, NULL, &err);
            MUST(st == SNEPPP_OK && (scale <= 0 || fabs(one - count[k]) <= 1e-12 * scale), "count = counts",
                 "region %d: %.15g and %.15g", k, one, count[k]);
         }
         whole_shapes(part);
         part[f] = &w.part_shape[o->b % 2];
         check_integral(&w.model, part, &region[o->b % 2], "in a half");
         check_counts(o, region, 3);
      }
   }
   if (w.shape[f].win.space == SNEPPP_SPACE_POLYGON) check_leaving(f, op_seed(o));
   if (w.shape[f].win.space == SNEPPP_SPACE_RASTER) check_exposure(f);
   if (shape_inner(&w.shape[f], op_seed(o), &w.part_shape[2])) {
      memset(region, 0, sizeof region);
      region[0].factor[f] = &w.part_shape[2].win;
      st = sneppp_count(&w.model, region, 1, count, NULL, &err);
      if (st != SNEPPP_OK) refused("count", (sneppp_status)st, &err);
      whole_shapes(part);
      part[f] = &w.part_shape[2];
      if (st == SNEPPP_OK) check_integral(&w.model, part, region, "in a ball or box inside");
   } else if (!halves) told->kind[o->kind].refused++;
}

/* The numerical Gram matrix asks for no more points than it may: each grid has at least twice those of the one before. */
static void counted_psi(const double *x, double *psi, void *user)
{
   ++*(size_t *)user;
   psi[0] = fabs(sin(7 * x[0])) + 0.1;
}
static void check_points(const plan_op *o)
{
   size_t calls = 0, most = (size_t)1 << (o->c % 13);
   double K = 0, error = 0;
   sneppp_error err;
   int st = numeric_gram(&w.shape[0].win, 1, counted_psi, &calls, 0, most, &K, NULL, &error, &err);
   if (st != SNEPPP_OK) refused("numeric_gram", (sneppp_status)st, &err);
   MUST(calls <= 2 * most, "numeric_gram", "%zu points, %zu are allowed", calls, most);
}

static int inside_all(const sneppp_real *x, void *user)
{
   (void)x, (void)user;
   return 1;
}
static void op_numeric(const plan_op *o)
{
   sneppp_place place;
   double exact = 0, count = 0, error = 0, z, scale;
   sneppp_error err;
   int st = sneppp_count(&w.model, NULL, 1, &exact, NULL, &err),
       globe = w.model.desc.factor[0].window.space == SNEPPP_SPACE_SPHERE && w.model.desc.factor[0].window.dim == 3;
   check_points(o);
   if (st != SNEPPP_OK) return;
   scale = magnitude(&w.model, NULL, &z);
   memset(&place, 0, sizeof place);
   place.inside = inside_all, place.points = 2048, place.seed = op_seed(o);
   st = sneppp_count_numeric(&w.model, &place, &count, &error, &err);
   if (st != SNEPPP_OK) refused("count_numeric", (sneppp_status)st, &err), told->kind[o->kind].refused++;
   else
      MUST(count == count && error >= 0 && count >= 0, "count_numeric", "%g with the error %g", count, error);
   if (!globe) return;
   if (kink_order(&w.model) < 2) { /* an estimate of the error does not see a jump between its points */
      told->undecided++;
      return;
   }
   place.shape = SNEPPP_SHAPE_CAP, place.tol = 1e-4;
   place.lon = 17 * (o->a - 32) / 3.0, place.lat = o->b - 32, place.radius = 180;
   st = sneppp_count_numeric(&w.model, &place, &count, &error, &err);
   if (st != SNEPPP_OK) refused("count_numeric: cap", (sneppp_status)st, &err);
   else
      MUST(scale <= 0 ||
              fabs(count - exact) <= 1e-3 * exact + 10 * error + 64 * EPS * (z + w.model.n) * scale,
           "cap", "the cap of 180 degrees: %.12g, everywhere %.12g", count, exact);
   place.shape = SNEPPP_SHAPE_LONLAT;
   place.west = -180, place.east = 180, place.south = -90, place.north = 90;
   st = sneppp_count_numeric(&w.model, &place, &count, &error, &err);
   if (st != SNEPPP_OK) refused("count_numeric: lonlat", (sneppp_status)st, &err);
   else
      MUST(scale <= 0 ||
              fabs(count - exact) <= 1e-3 * exact + 10 * error + 64 * EPS * (z + w.model.n) * scale,
           "lonlat", "the whole globe: %.12g, %.12g", count, exact);
}

/* ---- fewer factors */
static int reduce(const plan_op *o, sneppp_model *out, int *factor)
{
   int f = o->a % w.model.factors, st;
   sneppp_real x[MOST_COORDS];
   sneppp_error err;
   *factor = f;
   probe_at(o->b, x);
   st = o->kind == OP_CONDITIONAL ? sneppp_conditional(&w.model, f, x + w.model.layer[f].first, out, &err)
                                  : sneppp_marginal(&w.model, f, NULL, out, &err);
   if (st != SNEPPP_OK) {
      refused(op_names[o->kind], (sneppp_status)st, &err), told->kind[o->kind].refused++;
      MUST(!out->block && !out->factors, "marginal", "a model that failed to be made is not zeroed");
   }
   return st == SNEPPP_OK;
}

static void op_reduce(const plan_op *o)
{
   sneppp_model m;
   int f;
   double all = 0, one = 0, z = 0, scale;
   if (!reduce(o, &m, &f)) return;
   scale = magnitude(&w.model, NULL, &z);
   if (
      o->kind ==
      OP_CONDITIONAL) { /* lambda(y | x) is lambda at (x, y), but for the density of the factor that is fixed */
      sneppp_real x[MOST_COORDS], at[MOST_COORDS], y[MOST_COORDS];
      for (int k = 0; k < PROBES; k++) {
         double a, b;
         int D = w.model.layer[f].D, first = w.model.layer[f].first;
         sneppp_model only = w.model;
         probe_at(o->b, at), probe_at(k, x);
         memcpy(x + first, at + first, (size_t)D * sizeof *x);
         for (int r = 0, to = 0; r < w.model.D; r++)
            if (r < first || r >= first + D) y[to++] = x[r];
         only.factors = 1, only.layer[0] = w.model.layer[f], only.desc.factor[0] = w.model.desc.factor[f];
         a = (double)sneppp_intensity(&w.model, x) / base_density(&only, x),
         b = (double)sneppp_intensity(&m, y);
         if (!(a > 1e-30 && a < 1e30) || w.model.nodes || m.nodes) {
            told->undecided++;
            continue;
         }
         z = cancellation(&w.model);
         MUST(fabs(a - b) <= (1e-7 + 1e3 * EPS * (w.model.n + 8)) * fmax(a, b) * (1 + z) || !(scale > 0) ||
                 z > 1e3,
              "conditional", "point %d: %.12g, but the model has %.12g", k, b, a);
      }
   } else if (sneppp_count(&w.model, NULL, 1, &all, NULL, NULL) == SNEPPP_OK && scale > 0) {
      int st = sneppp_count(&m, NULL, 1, &one, NULL, NULL);
      MUST(st != SNEPPP_OK || fabs(all - one) <= (64 * EPS * (w.model.n + 8) + 1e-8) * scale, "marginal",
           "it expects %.12g, the model %.12g", one, all);
   }
   if (o->kind != OP_REDUCE) {
      sneppp_free(&m);
      return;
   }
   sneppp_free(&w.model);
   w.model = m;
   for (int g = f; g + 1 < w.factors; g++) w.shape[g] = w.shape[g + 1], shape_links(&w.shape[g]);
   w.factors--, w.D = m.D;
   memset(&w.seen, 0, sizeof w.seen); /* events without that factor: new ones */
   for (int g = f; g < w.factors; g++) w.p.f[g] = w.p.f[g + 1];
   w.p.factors--, w.p.seen = 0;
   make_events();
}

/* ---- draws */
static int in_region(const sneppp_model *m, const sneppp_region *region, const sneppp_real *x)
{
   for (int f = 0; f < m->factors; f++) {
      double y[SNEPPP_MAX_DIM];
      for (int r = 0; r < m->layer[f].D; r++) y[r] = (double)x[m->layer[f].first + r];
      if (!sneppp_window_contains(region && region->factor[f] ? region->factor[f] : &m->desc.factor[f].window,
                                  y) ||
          (m->desc.factor[f].window.space == SNEPPP_SPACE_RASTER && /* parts may reach beyond the cells */
           !sneppp_window_contains(&m->desc.factor[f].window, y)))
         return 0;
   }
   return 1;
}

static void op_sample(const plan_op *o)
{
   static sneppp_real x[2][300 * MOST_COORDS];
   sneppp_sample_info info, info2;
   sneppp_region region, *in = NULL;
   sneppp_rng rng, rng2;
   sneppp_sample_desc how;
   sneppp_error err;
   size_t count = (size_t)(o->a % 40), D = (size_t)w.model.D, bytes, asked;
   double Lambda = 0;
   int f = o->b % w.model.factors, st;
   memset(&region, 0, sizeof region);
   if (o->c % 3 == 1 && shape_half(&w.shape[f], op_seed(o), o->c % 2, &w.part_shape[0]))
      region.factor[f] = &w.part_shape[0].win, in = &region;
   sneppp_rng_init(&rng, op_seed(o), 3);
   rng2 = rng;
   if (sneppp_count(&w.model, in, 1, &Lambda, NULL, &err) != SNEPPP_OK || (!count && Lambda > 250)) count = 5;
   memset(&how, 0, sizeof how);
   how.region = in, how.rng = &rng, how.count = count;
   st = sneppp_sample(&w.model, &how, NULL, 0, &info2, &err); /* a question for the number leaves the generator alone */
   MUST(st != SNEPPP_ERR_SIZE || !memcmp(&rng, &rng2, sizeof rng), "sample: no room", "the generator has moved");
   if (st == SNEPPP_OK) rng = rng2; /* there are none */
   asked = st == SNEPPP_ERR_SIZE ? info2.count : 0;
   st = sneppp_sample(&w.model, &how, x[0], 300, &info, &err);
   MUST(st != SNEPPP_OK || info.count == asked, "sample: number", "%zu points, but %zu were promised", info.count, asked);
   if (st != SNEPPP_OK) {
      refused("sample", (sneppp_status)st, &err), told->kind[o->kind].refused++;
      return;
   }
   MUST(info.count <= 300 && (!count || info.count == count), "sample", "%zu points, %zu were asked for",
        info.count, count);
   MUST(fabs(info.expected - Lambda) <= 1e-9 * fabs(Lambda), "sample",
        "info.expected = %.12g, but count says %.12g", info.expected, Lambda);
   for (size_t i = 0; i < info.count; i++) {
      MUST(in_region(&w.model, in, x[0] + i * D), "sample", "point %zu, at %.17g, is outside", i,
           (double)x[0][i * D]);
      /* where hardly anything is expected, points are drawn by doubles, and a float of lambda may be 0 */
      MUST(sneppp_intensity(&w.model, x[0] + i * D) > 0 || (sizeof(sneppp_real) < 8 && Lambda < 1e-20), "sample",
           "point %zu, at %.17g, has no intensity", i, (double)x[0][i * D]);
   }
   if (!in && info.count >= 10 &&
       shape_half(&w.shape[f], op_seed(o), 0, &w.part_shape[0])) { /* as many in a half as belong there */
      double part = 0, share, hits = 0, N = (double)info.count;
      region.factor[f] = &w.part_shape[0].win;
      if (sneppp_count(&w.model, &region, 1, &part, NULL, &err) == SNEPPP_OK &&
          w.shape[f].win.space != SNEPPP_SPACE_FINITE) {
         for (size_t i = 0; i < info.count; i++) hits += in_region(&w.model, &region, x[0] + i * D);
         share = part / Lambda;
         MUST(fabs(hits - N * share) <= 7 * sqrt(N * share * (1 - share)) + 3, "sample: shares",
              "%g of %g points in a half that holds %g of the events", hits, N, share);
      }
   }
   bytes = sneppp_sample_bytes(&w.model, in, 300, &err);
   if (bytes) {
      void *mem = malloc(bytes);
      how.rng = &rng2, how.mem = mem, how.mem_bytes = bytes;
      st = sneppp_sample(&w.model, &how, x[1], 300, &info2, &err);
      MUST(st == SNEPPP_OK && info2.count == info.count &&
              !memcmp(x[0], x[1], info.count * D * sizeof(sneppp_real)),
           "sample: mem", "other points than sample: status %d, %zu and %zu", st, info.count, info2.count);
      free(mem);
   }
}

/* A raster over more than the window holds what single looks say, and means of cells add up to the count. */
static void check_raster(const plan_op *o)
{
   static sneppp_real z[2][5 * 4];
   const size_t n = w.model.D == 1 ? 5 : 20;
   const double tol = sizeof(sneppp_real) == 4 ? 1e-3 : 1e-9;
   double lo[2] = { 0, 0 }, hi[2] = { 1, 1 }, most = 0, sum = 0, Lambda = 0, area = 1, scale, argument;
   sneppp_grid grid;
   sneppp_error err;
   int st, flat = 1;
   memset(&grid, 0, sizeof grid);
   grid.cells[0] = 5, grid.cells[1] = w.model.D == 1 ? 0 : 4;
   for (int f = 0; f < w.model.factors && w.model.D < 3; f++) {
      const sneppp_window *v = &w.model.desc.factor[f].window;
      flat = flat && v->space == SNEPPP_SPACE_BOX;
      for (int r = 0; r < v->dim && v->space == SNEPPP_SPACE_RASTER; r++) /* no point on a border of cells */
         lo[f + r] = v->origin[r] - 0.0271 * v->cell[r], hi[f + r] = v->origin[r] + v->cell[r] * (double)v->cells[r];
      for (int r = 0; r < v->dim && flat; r++)
         lo[f + r] = v->lo[r] - 0.1 * (o->a % 3) * (v->hi[r] - v->lo[r]), hi[f + r] = v->hi[r];
   }
   for (int k = 0; k < w.model.D && k < 2; k++) grid.lo[k] = lo[k], grid.hi[k] = hi[k], area *= (hi[k] - lo[k]) / grid.cells[k];
   st = sneppp_bake(&w.model, &grid, z[0], NULL, &err);
   MUST(w.model.D < 3 || st != SNEPPP_OK, "raster", "of %d coordinates", w.model.D);
   if (st != SNEPPP_OK) { refused("raster", (sneppp_status)st, &err); return; }
   for (size_t i = 0; i < n; i++) most = fmax(most, (double)z[0][i]);
   for (size_t i = 0; i < n && most < 1e30; i++) {
      sneppp_real x[2];
      double one;
      for (int k = 0; k < w.model.D; k++)
         x[k] = (sneppp_real)(lo[k] + ((double)(k ? i / 5 : i % 5) + 0.5) * (hi[k] - lo[k]) / grid.cells[k]);
      one = (double)sneppp_intensity(&w.model, x);
      MUST(fabs(one - (double)z[0][i]) <= tol * most, "raster", "%g at a point of %g", (double)z[0][i], one);
   }
   grid.means = 1;
   if (!flat || sneppp_bake(&w.model, &grid, z[1], NULL, &err) != SNEPPP_OK ||
       sneppp_count(&w.model, NULL, 1, &Lambda, NULL, &err) != SNEPPP_OK) return;
   for (size_t i = 0; i < n; i++) sum += (double)z[1][i] * area;
   scale = magnitude(&w.model, NULL, &argument); /* of a full readout counts are sums that cancel */
   MUST(fabs(sum - Lambda) <= 10 * tol * Lambda + 16 * EPS * w.model.n * scale + 1e-12, "raster", "means add up to %g of %g", sum, Lambda);
}

static void op_tile(const plan_op *o)
{
   static sneppp_real x[2][400 * 2];
   sneppp_sample_info info, info2;
   sneppp_error err;
   int level = o->a % 4, depth = o->b % 4, st;
   uint32_t ix = (uint32_t)(o->c % (1 << level)), iy = (uint32_t)(o->c / 8 % (1 << level));
   double Lambda = 0;
   tile_desc tile;
   memset(&tile, 0, sizeof tile);
   tile.depth = depth, tile.level = level, tile.ix = ix, tile.iy = iy, tile.seed = 7;
   check_raster(o);
   if (w.model.D != 2 || w.model.factors > 1 ||
       w.model.desc.factor[0].window.space != SNEPPP_SPACE_BOX) { /* refused, in words */
      st = tile_sample(&w.model, &tile, x[0], 400, &info, &err);
      MUST(st != SNEPPP_OK, "tile", "a tile of what is no planar box");
      refused("sample_tile", (sneppp_status)st, &err), told->kind[o->kind].refused++;
      return;
   }
   if (sneppp_count(&w.model, NULL, 1, &Lambda, NULL, &err) != SNEPPP_OK || Lambda > 300) {
      told->kind[o->kind].refused++;
      return;
   }
   st = tile_sample(&w.model, &tile, x[0], 400, &info, &err);
   if (st != SNEPPP_OK) {
      refused("sample_tile", (sneppp_status)st, &err), told->kind[o->kind].refused++;
      return;
   }
   tile.level--, tile.ix /= 2, tile.iy /= 2;
   if (level && tile_sample(&w.model, &tile, x[1], 400, &info2, &err) == SNEPPP_OK && info2.count <= 400)
      for (size_t i = 0; i < info2.count && level <= depth;
           i++) { /* every point of the parent is in one of its children */
         const sneppp_window *v = &w.model.desc.factor[0].window;
         double side = (double)(1 << level);
         int mine = 1, found = 0;
         for (int r = 0; r < 2; r++) {
            double t = ((double)x[1][2 * i + (size_t)r] - v->lo[r]) / (v->hi[r] - v->lo[r]) * side,
                   at = r ? iy : ix;
            if (fabs(t - at) < 1e-4 || fabs(t - at - 1) < 1e-4 || t < at || t > at + 1) mine = 0;
         }
         for (size_t k = 0; mine && k < info.count && k < 400; k++)
            found |= !memcmp(x[0] + 2 * k, x[1] + 2 * i, 2 * sizeof(sneppp_real));
         MUST(!mine || found, "tile", "point %zu of tile (%u, %u) of level %d is not in its child", i, ix / 2,
              iy / 2, level - 1);
      }
}

/* ---- likelihoods */
static void op_nll(const plan_op *o)
{
   double nll = 0, own = 0, expected = 0, size = 0, tol, other = 0, n = 0, scale = 0.5;
   sneppp_error err;
   sneppp_parallel par = parallel_of(o->par);
   int st = sneppp_nll(&w.model, w.events, w.realisations, &nll, &other, NULL, &par, &err);
   if (st != SNEPPP_OK) {
      refused("nll", (sneppp_status)st, &err), told->kind[o->kind].refused++;
      return;
   }
   if (!likelihood(&w.model, &own, &expected, &size)) {
      told->undecided++;
      return;
   }
   tol = size * (64 * EPS * (w.model.n + 8) * cancellation(&w.model) + 1e-9);
   MUST(fabs(nll - own) <= tol, "nll", "%.12g, from its definition %.12g (tolerance %.3g)", nll, own, tol);
   if (w.realisations == 1) {
      double N = event_weights(), want = own - expected - lgamma(N + 1) + (N > 0 ? N * log(expected) : 0);
      MUST(fabs(other - want) <= tol + N * 1e-9 || !(expected > 0), "conditional nll",
           "%.12g, from its definition %.12g", other, want);
   }
   n = event_weights(); /* an event of weight 2 is two events */
   st = sneppp_test_nll(&w.model, w.events, w.realisations, scale, &other, &par, &err);
   if (st == SNEPPP_OK && n > 0) {
      double want = (own - expected + scale * expected - event_weights() * log(scale)) / n;
      MUST(fabs(other - want) <= tol / n + 1e-9, "test_nll", "%.12g per event, from its definition %.12g",
           other, want);
   }
}

/* What is asked less often: points that are no points. */
static void op_ask(const plan_op *o)
{
   sneppp_real x[2 * MOST_COORDS], many[2];
   sneppp_events e;
   sneppp_error err;
   double y[SNEPPP_MAX_DIM];
   size_t D = (size_t)w.model.D;
   int st, outside;
   check_ask(&w.model), check_sure(&w.model);
   probe_at(o->a, x), probe_at(o->b, x + D);
   x[0] = (sneppp_real)1e30, x[2 * D - 1] = (sneppp_real)NAN;
   for (int r = 0; r < w.model.layer[0].D; r++) y[r] = (double)x[r];
   outside = !sneppp_window_contains(&w.model.desc.factor[0].window, y);
   memset(&e, 0, sizeof e);
   e.x = x, e.count = 2;
   st = sneppp_intensities(&w.model, &e, many, NULL, &err);
   MUST(st == SNEPPP_OK && many[1] != many[1] && (!outside || many[0] == 0), "intensities",
        "outside %g, NaN %g, status %d", (double)many[0], (double)many[1], st);
   if (D > 1) x[D] = (sneppp_real)1e30; /* NaN, although another coordinate may be outside */
   MUST(sneppp_intensity(&w.model, x + D) != sneppp_intensity(&w.model, x + D) &&
           (!outside || sneppp_intensity(&w.model, x) == 0),
        "intensity", "outside or NaN: %g, %g", (double)sneppp_intensity(&w.model, x),
        (double)sneppp_intensity(&w.model, x + D));
}

/* The derivative along a random direction of all parameters. */
static void op_gradient(const plan_op *o)
{
   sneppp_model m;
   sneppp_grad grad;
   sneppp_error err;
   double *flat[4 * HUNT_FACTORS], gfloor = 0, galpha = 0, slope = 0, nll[2][2],
                                   h = sizeof(sneppp_real) == 4 ? 4e-3 : 1e-5, size = 0, e, expected,
                                   difference[2], tol;
   sneppp_real *real[4 * HUNT_FACTORS];
   size_t count[4 * HUNT_FACTORS];
   double direction;
   int lists = 0, st;
   if (w.model.desc.factor[0].own.psi || !copy_model(&w.model, &m)) return;
   m.nodes = 0;
   memset(&grad, 0, sizeof grad);
#define LIST(field, array, n_) \
   do { \
      count[lists] = (size_t)(n_); \
      real[lists] = (array); \
      flat[lists] = (double *)calloc(count[lists] + 1, sizeof(double)); \
      (field) = flat[lists++]; \
   } while (0)
   for (int k = 0; k < m.readouts; k++)
      LIST(grad.V[k], m.readout[k].V,
           m.desc.readout == SNEPPP_READOUT_DIAGONAL ? m.readout[k].n : m.readout[k].m * m.readout[k].n);
   for (int f = 0; f < m.factors && o->a % 3; f++) {
      LIST(grad.W[f], m.layer[f].W, m.layer[f].n * m.layer[f].d);
      if (m.layer[f].width) LIST(grad.width[f], m.layer[f].width, m.layer[f].n * m.layer[f].d);
      else if (!m.desc.factor[f].no_bias) LIST(grad.b[f], m.layer[f].b, m.layer[f].n);
   }
#undef LIST
   grad.floor = &gfloor, grad.alpha = &galpha;
   {
      sneppp_parallel par = parallel_of(o->par);
      st = sneppp_nll(&m, w.events, w.realisations, &e, NULL, &grad, &par, &err);
   }
   if (st != SNEPPP_OK) refused("nll with gradient", (sneppp_status)st, &err), told->kind[o->kind].refused++;
   for (int l = 0; l < lists; l++)
      for (size_t i = 0; i < count[l]; i++)
         MUST(st != SNEPPP_OK || flat[l][i] == flat[l][i], "gradient",
              "a derivative is NaN (list %d, number %zu)", l, i);
   for (int half = 0; half < 2 && st == SNEPPP_OK; half++, h /= 2) {
      slope = 0;
      for (int side = 0; side < 2 && st == SNEPPP_OK; side++) {
         sneppp_model moved;
         if (!copy_model(&m, &moved)) break;
         moved.nodes = 0;
         for (int l = 0; l < lists; l++) {
            sneppp_real *to = NULL;
            for (int k = 0; k < m.readouts; k++)
               if (real[l] == m.readout[k].V) to = moved.readout[k].V;
            for (int f = 0; f < m.factors; f++) {
               if (real[l] == m.layer[f].W) to = moved.layer[f].W;
               if (real[l] == m.layer[f].b) to = moved.layer[f].b;
               if (m.layer[f].width && real[l] == m.layer[f].width) to = moved.layer[f].width;
            }
            for (size_t i = 0; i < count[l]; i++) {
               double before = (double)to[i];
               direction = (hash_of(op_seed(o), 50 + l, (int)i, 0) & 1 ? 1 : -1) * fmax(fabs(before), 1e-3);
               to[i] = (sneppp_real)(before + (side ? h : -h) * direction);
               slope += flat[l][i] * ((double)to[i] - before) * (side ? 0.5 : -0.5) / h;
            }
         }
         st = sneppp_nll(&moved, w.events, w.realisations, &nll[half][side], NULL, NULL, NULL, &err);
         if (st == SNEPPP_OK && (!likelihood(&moved, &e, &expected, &size))) st = SNEPPP_ERR_RANGE;
         if (st == SNEPPP_OK && side) size *= cancellation(&moved);
         sneppp_free(&moved);
      }
      difference[half] = st == SNEPPP_OK ? (nll[half][1] - nll[half][0]) / (2 * h) : 0;
   }
   if (st == SNEPPP_OK) {
      tol = 4 * fabs(difference[1] - difference[0]) + 64 * EPS * (m.n + 8) * size / h + 1e-7 * fabs(slope) +
            1e-9 * size;
      /* in float, weight / intensity is at most 1e30, and the gradient not that of the likelihood beyond */
      for (size_t r = 0; r < w.realisations && sizeof(sneppp_real) == 4; r++)
         for (size_t i = 0; i < w.events[r].count; i++)
            if (!(sneppp_log_intensity(&m, event_at(r, i)) - log(m.alpha * base_density(&m, event_at(r, i))) > -60))
               tol = INFINITY;
      if (!(tol < 0.05 * fabs(slope))) told->undecided++;
      else
         MUST(fabs(difference[1] - slope) <= tol, "gradient = differences",
              "%.10g along a direction, differences %.10g and %.10g (tolerance %.3g)", slope, difference[0],
              difference[1], tol);
   }
   for (int l = 0; l < lists; l++) free(flat[l]);
   sneppp_free(&m);
}

/* ---- closed forms by themselves */

/* A component without weight adds nothing, also where it alone is near: all that is narrow here is so narrow that
   exponentials underflow, and only logarithms are left. */
static void check_weightless(const sneppp_window *win, const sneppp_layer *layer)
{
   size_t n = (size_t)layer->n, d = (size_t)layer->d, count = win->count;
   double weight[MOST_PIECES + 1], mean[(MOST_PIECES + 1) * SNEPPP_MAX_DIM], scale[(MOST_PIECES + 1) * SNEPPP_MAX_DIM];
   double *K = (double *)malloc(2 * n * n * sizeof *K), *W = (double *)malloc(2 * n * d * sizeof *W);
   sneppp_window part = *win;
   sneppp_layer narrow = *layer;
   sneppp_error err[2];
   int st[2];
   for (size_t k = 0; k < (count + 1) * d; k++) {
      int more = k >= count * d;
      mean[k] = more ? layer->width ? layer->W[k - count * d] : win->mean[k - d] + 3 * win->scale[k - d] : win->mean[k];
      scale[k] = more ? win->scale[k - count * d] : 0.02 * win->scale[k];
   }
   memcpy(weight, win->weight, count * sizeof *weight), weight[count] = 0;
   for (size_t k = 0; k < n * d; k++)
      W[k] = layer->width ? layer->W[k] : 1e3 * layer->W[k], W[n * d + k] = layer->width ? 0.02 * layer->width[k] : 1;
   part.weight = weight, part.mean = mean, part.scale = scale;
   narrow.W = W, narrow.width = layer->width ? W + n * d : NULL;
   for (int k = 0; k < 2; k++) {
      part.count = count + (size_t)k;
      st[k] = sneppp_gram_log(&part, &narrow, K + (size_t)k * n * n, NULL, &err[k]);
   }
   MUST(st[0] == st[1], "a component without weight", "status %d, without it %d: %s", st[1], st[0], err[st[1] ? 1 : 0].why);
   for (size_t i = 0; i < n * n && st[0] == SNEPPP_OK; i++)
      MUST(fabs(K[i] - K[n * n + i]) <= 1e-12 * (1 + fabs(K[i])), "a component without weight",
           "log K[%zu][%zu] = %.15g, without it %.15g", i / n, i % n, K[n * n + i], K[i]);
   free(K), free(W);
}

static void op_gram(const plan_op *o)
{
   int f = o->a % w.model.factors, n, d, st;
   sneppp_layer_state *L = &w.model.layer[f];
   sneppp_layer layer;
   sneppp_window *win = &w.shape[f].win;
   double *W, *b, *width, *K, *K2, *c, trace = 0;
   sneppp_error err;
   sneppp_parallel par = parallel_of(o->par ? o->par : 1);
   if (w.model.desc.factor[f].own.psi) return;
   n = L->n, d = L->d;
   if (n > 60 || L->inside.space != win->space) return;
   W = (double *)malloc((size_t)(n * d) * sizeof *W), b = (double *)malloc((size_t)n * sizeof *b),
   width = (double *)malloc((size_t)(n * d) * sizeof *b);
   K = (double *)malloc((size_t)(n * n) * sizeof *K), K2 = (double *)malloc((size_t)(n * n) * sizeof *K),
   c = (double *)malloc((size_t)n * sizeof *c);
   sneppp_get_layer(&w.model, f, W, b, width, &err);
   memset(&layer, 0, sizeof layer);
   layer.n = n, layer.d = d, layer.unit = w.model.desc.factor[f].unit, layer.units = L->units, layer.W = W;
   layer.b = w.model.desc.factor[f].no_bias || L->width ? NULL : b, layer.width = L->width ? width : NULL;
   if (o->b % 2) { /* one unit too many: its integrals overflow or are not numbers, and nothing may be written */
      double was = W[n * d - 1];
      int bad = 0, st2;
      W[n * d - 1] = o->b % 8 == 1 ? (double)NAN : (o->b % 4 == 1 ? 1e6 : 1e200) * (fabs(was) + 1);
      for (int i = 0; i < n * n; i++) K[i] = 12345;
      for (int i = 0; i < n; i++) c[i] = 12345;
      st = sneppp_gram(win, &layer, K, &par, &err);
      for (int i = 0; i < n * n; i++) bad += K[i] != 12345;
      MUST(st == SNEPPP_OK || !bad, "gram that fails", "it failed (%s), but wrote %d entries", err.why, bad);
      st2 = sneppp_moments(win, &layer, c, &err), bad = 0;
      for (int i = 0; i < n; i++) bad += c[i] != 12345;
      MUST(st2 == SNEPPP_OK || !bad, "moments that fail", "it failed (%s), but wrote %d numbers", err.why,
           bad);
      if (st != SNEPPP_OK) {
         sneppp_layer_grad g;
         double *G = K2, *gW = (double *)calloc((size_t)(n * d), sizeof *gW);
         for (int i = 0; i < n * n; i++) G[i] = 1;
         memset(&g, 0, sizeof g);
         g.W = gW;
         st2 = sneppp_gram_grad(win, &layer, G, &g, &par, &err), bad = 0;
         for (int i = 0; i < n * d; i++) bad += gW[i] != 0;
         MUST(st2 == SNEPPP_OK || !bad, "gram_grad that fails", "it failed (%s), but wrote %d numbers",
              err.why, bad);
         free(gW);
      }
      W[n * d - 1] = was;
   }
   st = sneppp_gram(win, &layer, K, NULL, &err);
   if (st != SNEPPP_OK) refused("gram", (sneppp_status)st, &err), told->kind[o->kind].refused++;
   else {
      st = sneppp_gram(win, &layer, K2, &par, &err);
      MUST(st == SNEPPP_OK && !memcmp(K, K2, (size_t)(n * n) * sizeof *K), "gram", "other bits with threads");
      for (int i = 0; i < n; i++) trace = fmax(trace, fabs(K[i * n + i]));
      for (int i = 0; i < n; i++) {
         int j = (int)(hash_of(op_seed(o), 60, i, 0) % (unsigned)n);
         MUST(K[i * n + i] >= 0 && K[i * n + j] == K[j * n + i], "gram",
              "K[%d][%d] = %g, K[%d][%d] = %g, K[%d][%d] = %g", i, i, K[i * n + i], i, j, K[i * n + j], j, i,
              K[j * n + i]);
         MUST(K[i * n + j] * K[i * n + j] <= K[i * n + i] * K[j * n + j] * (1 + 1e-8) + 1e-18 * trace * trace,
              "gram", "K[%d][%d] = %.12g breaks Cauchy-Schwarz with %.12g, %.12g", i, j, K[i * n + j],
              K[i * n + i], K[j * n + j]);
      }
      { /* a list of units, though all are the same, has no tiles */
         sneppp_layer list = layer;
         sneppp_unit *units = (sneppp_unit *)malloc((size_t)n * sizeof *units);
         double tol = 1e-9; /* far from 0, W and b cancel */
         for (int r = 0; r < d; r++) tol += 16 * 2.3e-16 * fabs(L->shift[r] * L->rate[r]);
         for (int i = 0; i < n; i++) units[i] = layer.units ? layer.units[i] : layer.unit;
         list.units = units;
         st = sneppp_gram(win, &list, K2, NULL, &err);
         for (int i = 0; i < n * n; i++)
            MUST(st == SNEPPP_OK && fabs(K2[i] - K[i]) <= tol * sqrt(K[i / n * (n + 1)] * K[i % n * (n + 1)]) + 1e-300,
                 "pairs = tiles", "(%d, %d): %.15g and %.15g, status %d", i / n, i % n, K2[i], K[i], st);
         free(units);
      }
      st = sneppp_gram_log(win, &layer, K2, &par, &err);
      if (st != SNEPPP_OK) refused("gram_log", (sneppp_status)st, &err);
      for (int i = 0; st == SNEPPP_OK && i < n * n; i++)
         MUST(fabs(K2[i] - log(K[i])) <= 1e-8 * (1 + fabs(K2[i])) || !(K[i] > 1e-290), "gram_log",
              "entry %d: %.12g, but log K = %.12g", i, K2[i], log(K[i]));
      if (win->space == SNEPPP_SPACE_GAUSS && win->count) check_weightless(win, &layer);
      for (int i = 0; i < n; i++) c[i] = 12345;
      st = sneppp_moments(win, &layer, c, &err);
      if (st != SNEPPP_OK) {
         refused("moments", (sneppp_status)st, &err);
         for (int i = 0; i < n; i++)
            MUST(c[i] == 12345, "moments", "it failed, but wrote c[%d] = %g", i, c[i]);
      } else {
         double mass = sneppp_window_mass(win);
         for (int i = 0; i < n; i++)
            MUST(!(mass > 0) || c[i] * c[i] <= mass * K[i * n + i] * (1 + 1e-8) + 1e-300, "moments",
                 "c[%d] = %g, K[%d][%d] = %g, mass %g", i, c[i], i, i, K[i * n + i], mass);
      }
      { /* the derivative of sum G o K along a direction */
         sneppp_layer_grad g;
         double *gW = (double *)calloc((size_t)(n * d), sizeof *gW),
                *gb = (double *)calloc((size_t)n, sizeof *gb),
                *gw = (double *)calloc((size_t)(n * d), sizeof *gw), *G = K2;
         double slope = 0, value[2] = { 0, 0 }, size = 0, h = 1e-5, D[2] = { 0, 0 };
         for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) G[i * n + j] = G[j * n + i] = normal_of(op_seed(o), 61, i, j);
         memset(&g, 0, sizeof g);
         g.W = gW, g.b = layer.b ? gb : NULL, g.width = layer.width ? gw : NULL;
         st = sneppp_gram_grad(win, &layer, G, &g, &par, &err);
         if (st != SNEPPP_OK) refused("gram_grad", (sneppp_status)st, &err);
         for (int half = 0; half < 2 && st == SNEPPP_OK; half++, h /= 2) {
            for (int side = 0; side < 2 && st == SNEPPP_OK; side++) {
               sneppp_layer moved = layer;
               double *W2 = (double *)malloc((size_t)(n * d) * sizeof *W2),
                      *b2 = (double *)malloc((size_t)n * sizeof *b2),
                      *l2 = (double *)malloc((size_t)(n * d) * sizeof *l2),
                      *K3 = (double *)malloc((size_t)(n * n) * sizeof *K3);
               slope = 0;
               for (int i = 0; i < n; i++) {
                  double shift = 0;
                  for (int r = 0; r < d; r++) {
                     double rate = L->rate[r],
                            step = (hash_of(op_seed(o), 62, i, r) & 1 ? 1 : -1) *
                                   (layer.width ? width[i * d + r] : fmax(fabs(W[i * d + r]), 1e-2 * rate));
                     W2[i * d + r] = W[i * d + r] + (side ? h : -h) * step, slope += gW[i * d + r] * step;
                     if (layer.width)
                        l2[i * d + r] = width[i * d + r] * (1 + (side ? h : -h)),
                                   slope += gw[i * d + r] * width[i * d + r];
                     else
                        shift +=
                           step *
                           L->shift
                              [r]; /* the bias moves along, or a window far from 0 would turn the unit over */
                  }
                  b2[i] = b[i] - (layer.b ? (side ? h : -h) * (shift - 0.1) : 0);
                  if (layer.b) slope -= gb[i] * (shift - 0.1);
               }
               moved.W = W2, moved.b = layer.b ? b2 : NULL, moved.width = layer.width ? l2 : NULL;
               st = sneppp_gram(win, &moved, K3, NULL, &err);
               for (int i = 0; i < n * n && st == SNEPPP_OK; i++)
                  value[side] += G[i] * K3[i], size += fabs(G[i] * K3[i]);
               free(W2), free(b2), free(l2), free(K3);
            }
            D[half] = (value[1] - value[0]) / (2 * h), value[0] = value[1] = 0;
         }
         if (st == SNEPPP_OK) {
            double far = 1, tol;
            for (int r = 0; r < d; r++) far += fabs(L->shift[r] * L->rate[r]);
            tol = 4 * fabs(D[1] - D[0]) + 1e-13 * far * (double)n * size / h + 1e-7 * fabs(slope);
            if (!(tol < 0.05 * fabs(slope)) || (!layer.b && h * far > 0.03)) told->undecided++; /* it turns over */
            else
               MUST(fabs(D[1] - slope) <= tol, "gram_grad = differences",
                    "%.10g, differences %.10g, %.10g (tolerance %.3g)", slope, D[0], D[1], tol);
         }
         free(gW), free(gb), free(gw);
      }
   }
   free(W), free(b), free(width), free(K), free(K2), free(c);
}

/* ---- what must be refused: an event that is no number, or outside, or missing */
static void op_bad_event(const plan_op *o)
{
   size_t r = (size_t)o->a % w.realisations, N = w.events[r].count, at,
          stride = (size_t)w.D + (w.p.source == 1 ? 2 : 0);
   sneppp_real *x, before;
   sneppp_error err;
   sneppp_report report;
   double nll;
   snap a, b;
   plan_op fit = *o;
   int st, what = o->b % 3, space = (int)w.shape[0].win.space;
   if (!N) return;
   at = (size_t)(hash_of(op_seed(o), 70, 0, 0) % N);
   x = w.x[r] + at * stride;
   before = x[0];
   if (what == 1 && (space == SNEPPP_SPACE_GAUSS || space == SNEPPP_SPACE_EUCLID || space == SNEPPP_SPACE_NORMAL ||
                     space == SNEPPP_SPACE_VONMISES))
      what = 0;
   if (what == 2 && w.p.source != 2) what = 0;
   if (what == 0) x[0] = (sneppp_real)NAN;
   if (what == 1)
      x[0] = (sneppp_real)(space == SNEPPP_SPACE_BETA || space == SNEPPP_SPACE_GAMMA ||
                                 (space >= SNEPPP_SPACE_DIRICHLET && space != SNEPPP_SPACE_RASTER)
                              ? -1.5
                              : 1e9 * (w.shape[0].size + fabs((double)x[0])));
   if (what == 2) w.short_read = 1;
   a = snap_of(&w.model);
   fit.kind = o->c % 4 == 0 ? OP_AUTO : o->c % 4 == 1 ? OP_CONVEX : o->c % 4 == 2 ? OP_PGD : OP_ADAM;
   for (int k = 0; k < 2; k++) {
      memset(&err, 0, sizeof err);
      st = k ? fit_once(&w.model, &fit, o->par, &report, &err)
             : (int)sneppp_nll(&w.model, w.events, w.realisations, &nll, NULL, NULL, NULL, &err);
      /* A held-out or unread event may not be looked at by ADAM's batches; everything else reads all. */
      MUST(st != SNEPPP_OK || (k && fit.kind == OP_ADAM && fit_of(&fit).batch), "a bad event",
           "%s took event %zu, which is %s", k ? op_names[fit.kind] : "nll", at,
           what == 0   ? "NaN"
           : what == 1 ? "outside"
                       : "missing");
      if (st == SNEPPP_OK) break;
      refused("bad event", (sneppp_status)st, &err);
      if (what < 2 && st == SNEPPP_ERR_DATA)
         MUST(err.event == at, "a bad event", "%s: event %zu is bad, but %zu is blamed: %s",
              k ? op_names[fit.kind] : "nll", at, err.event, err.why);
   }
   x[0] = before, w.short_read = 0;
   b = snap_of(&w.model);
   MUST(st == SNEPPP_OK || !snap_differs(&a, &b), "a failed fit", "%s failed, but %s differ",
        op_names[fit.kind], snap_differs(&a, &b));
   snap_free(&a), snap_free(&b);
}

static void op_threads(const plan_op *o)
{
   sneppp_parallel par = parallel_of(1 + o->a % 2);
   size_t n = (size_t)w.model.n, N = w.events[0].count;
   sneppp_error err;
   double *K, *K2, a = 0, b = 0;
   sneppp_real *l, *l2;
   int st, st2;
   l = (sneppp_real *)malloc((N + 1) * sizeof *l), l2 = (sneppp_real *)malloc((N + 1) * sizeof *l);
   st = sneppp_intensities(&w.model, &w.events[0], l, NULL, &err),
   st2 = sneppp_intensities(&w.model, &w.events[0], l2, &par, &err);
   MUST(st == st2 && (st != SNEPPP_OK || !memcmp(l, l2, N * sizeof *l)), "threads", "intensities differ");
   st = sneppp_nll(&w.model, w.events, w.realisations, &a, NULL, NULL, NULL, &err),
   st2 = sneppp_nll(&w.model, w.events, w.realisations, &b, NULL, NULL, &par, &err);
   MUST(st == st2 && (st != SNEPPP_OK || !memcmp(&a, &b, sizeof a)), "threads", "nll differs: %.17g, %.17g",
        a, b);
   free(l), free(l2);
   if (n > 200) return;
   K = (double *)malloc(n * n * sizeof *K), K2 = (double *)malloc(n * n * sizeof *K);
   st = sneppp_model_gram(&w.model, NULL, K, NULL, &err),
   st2 = sneppp_model_gram(&w.model, NULL, K2, &par, &err);
   MUST(st == st2 && (st != SNEPPP_OK || !memcmp(K, K2, n * n * sizeof *K)), "threads", "model_gram differs");
   free(K), free(K2);
}

/* ---- both precisions */
static void op_twin(const plan_op *o)
{
   double x[PROBES * MOST_COORDS], lambda[PROBES], count = 0, own = 0, z, scale, eps = 1.2e-7;
   sneppp_real real[PROBES * MOST_COORDS];
   size_t size = sneppp_save(&w.model, NULL, 0), D = (size_t)w.model.D;
   unsigned char *bytes;
   if (!size) return;
   bytes = (unsigned char *)malloc(size);
   sneppp_save(&w.model, bytes, size);
   for (int k = 0; k < PROBES; k++) probe_at(k, real + (size_t)k * D);
   for (size_t i = 0; i < PROBES * D; i++) x[i] = (double)real[i];
   scale = magnitude(&w.model, NULL, &z);
   if (scale > 0 && scale < 1e30 && sneppp_count(&w.model, NULL, 1, &own, NULL, NULL) == SNEPPP_OK &&
       !twin_ask(bytes, size, x, PROBES, w.model.D, lambda, &count)) {
      double tol = 64 * eps * (z + w.model.n + 8) * scale;
      MUST(!(tol < 0.05 * own) || fabs(count - own) <= tol, "both precisions",
           "count %.9g, in the other precision %.9g (tolerance %.2g)", own, count, tol);
      for (int k = 0; k < PROBES; k++)
         MUST(lambda[k] == lambda[k] && lambda[k] >= 0, "both precisions",
              "an intensity of the other precision is %g", lambda[k]);
   } else told->undecided++;
   free(bytes);
   /* the same fit in both: a convex problem has one optimum, so that the likelihoods differ by the gaps at most */
   for (int f = 0; f < w.model.factors; f++) /* far from 0, rounding to float moves events by much of the window */
      for (int r = 0; r < w.model.layer[f].D; r++)
         if (fabs(w.model.layer[f].shift[r] * w.model.layer[f].rate[r]) > 30 || w.p.spread >= 3) return;
   if (w.realisations == 1 && !w.events[0].seen && w.events[0].x && w.events[0].count &&
       !w.model.desc.factor[0].own.psi && w.factors == w.p.factors + 1) {
      sneppp_model m;
      sneppp_error err;
      sneppp_fit_desc fit;
      sneppp_report report;
      double *y, *weight, nll = 0, gap = 0, expected = 0;
      size_t N = w.events[0].count;
      int st, blind = 0;
      sneppp_desc desc = w.desc;
      desc.mem = NULL, desc.mem_bytes = 0;
      memset(&fit, 0, sizeof fit);
      fit.events = w.events, fit.method = o->a % 2 ? SNEPPP_METHOD_CONVEX : SNEPPP_METHOD_AUTO;
      if (sneppp_init(&m, &desc, &err) != SNEPPP_OK) return;
      if (m.D != w.model.D) { /* now it is a marginal of what was described */
         sneppp_free(&m);
         return;
      }
      y = (double *)malloc(N * D * sizeof *y), weight = (double *)malloc(N * sizeof *weight);
      for (size_t i = 0; i < N; i++) {
         for (size_t k = 0; k < D; k++) y[i * D + k] = (double)event_at(0, i)[k];
         weight[i] = (double)w.weight[0][i];
      }
      st = sneppp_fit(&m, &fit, &report, &err);
      for (size_t i = 0; st == SNEPPP_OK && i < N; i++) /* features of e^-100 are 0 in float: not the same problem */
         blind += !(sneppp_log_intensity(&m, event_at(0, i)) > -60);
      if (st == SNEPPP_OK && event_weights() > 0 &&
          !twin_fit(&desc, y, N, w.events[0].weight ? weight : NULL, w.model.D, (int)fit.method, &nll, &gap,
                    &expected)) {
         double W = event_weights() / (double)N,
                tol = report.method == SNEPPP_METHOD_AUTO
                         ? 0.05 * W
                         : W * (fmax(report.gap, 0) + fmax(gap, 0)) + 1e-3 * (1 + fabs(nll));
         if (blind || (report.method == SNEPPP_METHOD_CONVEX && (report.dropped || gap != gap))) told->undecided++;
         else
            MUST(fabs(nll - report.nll) <= tol || nll != nll, "both precisions",
                 "fit %s: nll %.9g, in the other precision %.9g (gaps %.3g, %.3g)",
                 method_names[report.method], report.nll, nll, report.gap, gap);
      }
      free(y), free(weight);
      sneppp_free(&m);
   }
}

/* ---- the same data in other units, mirrored, in another order: the same fit */

/* A raster times a factor: mirrored, the last cell is the first. Its box is moved already. */
static void moved_raster(const sneppp_window *v, double factor, sneppp_window *moved)
{
   static shape s;
   size_t cells = v->cells[0] * (v->dim > 1 ? v->cells[1] : 1), Q = (size_t)v->covariates;
   for (int r = 0; r < v->dim; r++) {
      moved->cell[r] = v->cell[r] * fabs(factor);
      moved->origin[r] = factor > 0 ? v->origin[r] * factor : -(v->origin[r] + v->cell[r] * (double)v->cells[r]);
   }
   for (size_t k = 0; k < cells; k++) {
      size_t to = factor > 0 ? k : cells - 1 - k;
      if (v->weight) s.exposure[to] = v->weight[k];
      for (size_t q = 0; q < Q; q++) s.z[to * Q + q] = v->z[k * Q + q];
   }
   for (int k = 0; k < 2 * MOST_VERTICES && v->xy; k++) s.own_xy[k] = v->xy[k] * factor;
   moved->weight = v->weight ? s.exposure : NULL, moved->z = Q ? s.z : NULL, moved->xy = v->xy ? s.own_xy : NULL;
}

static void op_moved(const plan_op *o)
{
   static sneppp_real x[2][MOST_EVENTS * 4];
   sneppp_window *v = &w.shape[0].win, moved;
   sneppp_events e;
   sneppp_fit_desc fit;
   sneppp_report report[2];
   sneppp_error err;
   size_t N = w.events[0].count, d = (size_t)v->dim;
   int what = o->a % 3, st[2] = { 0, 0 }, blind = 0; /* events that the features cannot see */
   double power = ldexp(1, o->b % 21 - 10), jacobian = 1;
   if (w.desc.factor[1].window.dim || (v->space != SNEPPP_SPACE_BOX && v->space != SNEPPP_SPACE_RASTER) || d > 3 ||
       N < 2) {
      told->kind[o->kind].refused++;
      return;
   }
   moved = *v;
   for (size_t k = 0; k < d; k++) {
      if (what == 0) moved.lo[k] = v->lo[k] * power, moved.hi[k] = v->hi[k] * power, jacobian *= power;
      if (what == 1) moved.lo[k] = -v->hi[k], moved.hi[k] = -v->lo[k];
   }
   if (v->space == SNEPPP_SPACE_RASTER && what < 2) moved_raster(v, what ? -1 : power, &moved);
   for (size_t i = 0; i < N; i++) {
      size_t to = what == 2 ? N - 1 - i : i;
      for (size_t k = 0; k < d; k++) {
         shape_draw(&w.shape[0], w.p.seed + 3, (int)i, w.p.spread, x[0] + i * d);
         x[1][to * d + k] = (sneppp_real)((double)x[0][i * d + k] * (what == 0 ? power : what == 1 ? -1 : 1));
      }
   }
   for (int k = 0; k < 2; k++) {
      sneppp_desc desc = w.desc;
      sneppp_model m;
      memset(&e, 0, sizeof e);
      memset(&fit, 0, sizeof fit);
      desc.mem = NULL, desc.mem_bytes = 0;
      if (k) desc.factor[0].window = moved;
      e.x = x[k], e.count = N;
      fit.events = &e, fit.method = o->c % 2 && what != 1 ? SNEPPP_METHOD_CONVEX : SNEPPP_METHOD_AUTO;
      st[k] = sneppp_init(&m, &desc, &err);
      if (st[k] == SNEPPP_OK) {
         st[k] = sneppp_fit(&m, &fit, &report[k], &err);
         for (size_t i = 0; st[k] == SNEPPP_OK && i < N; i++)
            blind += !(sneppp_log_intensity(&m, x[k] + i * d) > -600);
         sneppp_free(&m);
      }
      if (st[k] != SNEPPP_OK) {
         refused("a moved fit", (sneppp_status)st[k], &err);
         break;
      }
   }
   if (st[0] != SNEPPP_OK) {
      told->kind[o->kind].refused++;
      return;
   }
   if (st[1] == SNEPPP_ERR_DATA && what == 1 && v->space == SNEPPP_SPACE_RASTER) /* mirrored borders of cells are rounded */
      for (size_t k = 0; k < d; k++) {
         double u = ((double)x[0][err.event * d + k] - v->origin[k]) / v->cell[k];
         if (fabs(u - floor(u + 0.5)) > 8 * EPS * (1 + fabs(u) + fabs(v->origin[k] / v->cell[k]))) continue;
         told->undecided++;
         return;
      }
   MUST(st[0] == st[1], "moved data", "%s: refused: %s",
        what == 0   ? "other units"
        : what == 1 ? "mirrored"
                    : "another order",
        err.why);
   {
      double shift = log(jacobian), a = report[0].nll, b = report[1].nll - shift,
             tol = 1e-6 * (1 + fabs(a) + fabs(shift));
      /* solved up to the gap; other units are a power of two, and AUTO's steps the same to the bit */
      if (report[0].method != SNEPPP_METHOD_AUTO || what) tol += fmax(report[0].gap, report[1].gap);
      if (sizeof(sneppp_real) == 4) tol += 1e-3;
      /* AUTO that solves the convex problem chooses waves and penalty by trial: the last digits may choose another */
      if (report[0].method == SNEPPP_METHOD_CONVEX && fit.method == SNEPPP_METHOD_AUTO) tol += 0.05;
      /* within a budget, centres are chosen by a search that ends where its start leads it: a few nats in all of few events */
      if (report[0].method == SNEPPP_METHOD_AUTO && what && !w.p.open) tol += 0.1 + 4.0 / (double)N;
      if (report[0].method == SNEPPP_METHOD_AUTO && what && w.p.spread >= 3) tol += 0.05; /* ties are spread at random */
      if (what == 1 && report[0].method != SNEPPP_METHOD_AUTO) blind = 1; /* drawn features have no mirror image */
      if (a != a || b != b || report[0].dropped || blind) {
         told->undecided++;
         return;
      }
      MUST(fabs(a - b) <= tol, "moved data", "%s, %s: nll %.12g per event, moved %.12g",
           method_names[report[0].method],
           what == 0   ? "other units"
           : what == 1 ? "mirrored"
                       : "another order",
           a, b);
   }
}

static void op_small(const plan_op *o)
{
   unsigned char keep[100];
   sneppp_rng rng, copy;
   uint64_t lo = 0, hi = 0;
   double mean = pow(10, o->a / 3.0 - 4), lon, lat, lonlat[2];
   sneppp_real unit[3];
   sneppp_error err;
   size_t kept = sneppp_thin(100, 0.01 * (o->b + 1), op_seed(o), keep), sum = 0;
   for (int i = 0; i < 100; i++) sum += keep[i];
   MUST(kept == sum, "thin", "%zu kept, but %zu are marked", kept, sum);
   sneppp_poisson_interval(mean, 0.95, &lo, &hi);
   MUST(lo <= hi && (double)lo <= mean * (1 + 1e-12) + 1 && (double)hi >= mean * (1 - 1e-12) - 1 &&
           (double)hi <= mean * (1 + 1e-12) + 10 * sqrt(mean) + 10,
        "poisson_interval", "mean %g: %llu to %llu", mean, (unsigned long long)lo, (unsigned long long)hi);
   if (mean < 200) { /* by summing */
      double p = exp(-mean), below = 0, upto = 0;
      for (uint64_t k = 0; k <= hi; k++) {
         if (k < lo) below += p;
         upto += p;
         p *= mean / (double)(k + 1);
      }
      MUST(below <= 0.025 + 1e-9 && 1 - upto <= 0.025 + 1e-9, "poisson_interval",
           "mean %g: P(N < %llu) = %g, P(N > %llu) = %g", mean, (unsigned long long)lo, below,
           (unsigned long long)hi, 1 - upto);
   }
   sneppp_rng_init(&rng, op_seed(o), (uint64_t)o->b);
   rng.position = 2 * (uint64_t)o->c;
   copy = rng;
   MUST(sneppp_rng_next(&rng) == sneppp_rng_next(&copy), "rng", "a copy goes another way");
   MUST(sneppp_rng_poisson(&rng, mean) <= (uint64_t)(mean * (1 + 1e-12) + 40 * sqrt(mean) + 60), "rng",
        "poisson far from its mean %g", mean);
   lonlat[0] = 5 * o->a - 170.0, lonlat[1] = 2 * o->b - 70.0;
   if (sneppp_lonlats_to_units(1, lonlat, 0, unit, 0, &err) == SNEPPP_OK &&
       sneppp_unit_to_lonlat(unit, &lon, &lat, &err) == SNEPPP_OK)
      MUST(fabs(lat - (2 * o->b - 70.0)) < 1e3 * EPS * 57 + 1e-9 || o->b >= 80 || sizeof(sneppp_real) == 4,
           "lonlat", "latitude %g came back as %g", 2 * o->b - 70.0, lat);
}

/* ---- one program */
static void run_kind(const plan_op *o)
{
   switch (o->kind) {
      case OP_ASK: op_ask(o); break;
      case OP_AUTO:
      case OP_CONVEX:
      case OP_PGD:
      case OP_ADAM: op_fit(o); break;
      case OP_TRAIN: op_train(o); break;
      case OP_SET_LAYER: op_set_layer(o); break;
      case OP_SET_MATRIX: op_set_matrix(o); break;
      case OP_RELOAD: op_reload(o); break;
      case OP_EXPORT: op_export(o); break;
      case OP_COUNT: op_count(o); break;
      case OP_REGION: op_region(o); break;
      case OP_NUMERIC: op_numeric(o); break;
      case OP_MARGINAL:
      case OP_CONDITIONAL:
      case OP_REDUCE: op_reduce(o); break;
      case OP_SAMPLE: op_sample(o); break;
      case OP_TILE: op_tile(o); break;
      case OP_NLL: op_nll(o); break;
      case OP_GRADIENT: op_gradient(o); break;
      case OP_GRAM: op_gram(o); break;
      case OP_BAD_EVENT: op_bad_event(o); break;
      case OP_THREADS: op_threads(o); break;
      case OP_TWIN: op_twin(o); break;
      case OP_MOVED: op_moved(o); break;
      case OP_SMALL: op_small(o); break;
      default: break;
   }
}
static int changes_model(int kind) { return (kind >= OP_AUTO && kind <= OP_RELOAD) || kind == OP_REDUCE; }

/* The call with an allocator that fails: it may succeed without that call or be refused; nothing may leak or change. */
static void run_failing(const plan_op *o)
{
   sneppp_error err;
   sneppp_report report;
   double value;
   snap a = snap_of(&w.model), b;
   size_t live = w.alloc.live;
   int st;
   memset(&err, 0, sizeof err);
   w.alloc.calls = 0, w.alloc.fail_at = (size_t)o->fail;
   if (o->kind >= OP_AUTO && o->kind <= OP_ADAM) st = fit_once(&w.model, o, o->par, &report, &err);
   else if (o->kind == OP_MARGINAL || o->kind == OP_REDUCE) {
      sneppp_model out;
      st = sneppp_marginal(&w.model, 0, NULL, &out, &err);
      if (st == SNEPPP_OK) sneppp_free(&out);
   } else if (o->kind == OP_RELOAD) {
      sneppp_model out;
      st = a.size ? (int)sneppp_load(&out, a.bytes, a.size, NULL, 0, &w.alloc, &err) : SNEPPP_OK;
      if (st == SNEPPP_OK && a.size) sneppp_free(&out);
   } else if (o->kind == OP_NLL || o->kind == OP_GRADIENT)
      st = sneppp_nll(&w.model, w.events, w.realisations, &value, NULL, NULL, NULL, &err);
   else if (o->kind == OP_SAMPLE) {
      static sneppp_real x[8 * MOST_COORDS];
      sneppp_sample_desc how;
      memset(&how, 0, sizeof how);
      how.count = 2;
      st = sneppp_sample(&w.model, &how, x, 8, NULL, &err);
   } else if (o->kind == OP_COUNT || o->kind == OP_REGION) st = sneppp_count(&w.model, NULL, 1, &value, NULL, &err);
   else {
      w.alloc.fail_at = 0;
      snap_free(&a);
      return;
   }
   w.alloc.fail_at = 0;
   MUST(w.alloc.live == live || st == SNEPPP_OK, "a leak", "%s failed (%s) and kept %ld blocks",
        op_names[o->kind], err.why, (long)w.alloc.live - (long)live);
   if (st != SNEPPP_OK) {
      refused("failing allocator", (sneppp_status)st, &err);
      b = snap_of(&w.model);
      MUST(!snap_differs(&a, &b), "a failed call", "%s failed (%s), but %s differ", op_names[o->kind],
           err.why, snap_differs(&a, &b));
      snap_free(&b);
   }
   snap_free(&a);
}

static void tally_plan(int made)
{
   const plan *p = &w.p;
   const int has[16] = {
      p->seen, p->weights, p->realisations, p->source == 2, p->source == 1, p->mem, 0, 0, 0, p->f[0].own,
      0,       0,          p->rank,         !p->events,     p->layer,       0
   };
   for (int f = 0; f <= p->factors; f++) {
      told->space[p->f[f].space].drawn++, told->space[p->f[f].space].refused += !made;
      told->act[act_of(&p->f[f])].drawn++, told->act[act_of(&p->f[f])].refused += !made;
      if (w.desc.factor[f].units) told->feature[10].drawn++, told->feature[10].refused += !made;
      if (p->f[f].width) told->feature[11].drawn++, told->feature[11].refused += !made;
      if (p->f[f].no_bias) told->feature[15].drawn++, told->feature[15].refused += !made;
   }
   if (p->factors) told->mix[p->mix].drawn++, told->mix[p->mix].refused += !made;
   told->readout[p->readout].drawn++, told->readout[p->readout].refused += !made;
   told->sequence[p->sequence].drawn++, told->sequence[p->sequence].refused += !made;
   for (int k = 0; k < 16; k++)
      if (has[k]) told->feature[k].drawn++, told->feature[k].refused += !made;
}

/* Processor seconds that a call may take here, some ten times what the slowest took: programs are small, at most 300
   events and 40 points drawn. What grows with the layer is counted: a step of ADAM walks over all pairs of features, there
   and back, for every region that was watched, in each of the three fits that are compared; the dearest closed forms take
   some 10 us a pair under the sanitizers. */
static double seconds_for(const plan_op *o)
{
   double full = w.model.desc.readout == SNEPPP_READOUT_FULL ? 0.5 * (w.model.n + 1) : 1,
          pairs = 0, regions = 1, steps = 0, numeric = w.model.desc.factor[0].own.psi ? 0.1 : 0; /* up to a million points */
   for (int f = 0; f < w.model.factors; f++) /* of a raster for each piece of a cell, of a polygon for each edge */
      pairs += full * w.model.n * (1 + w.shape[f].plot_count + 2 * w.shape[f].wedge_count);
   for (size_t r = 1; r < w.realisations; r++) regions += w.events[r].seen != w.events[r - 1].seen;
   if (o->kind == OP_ADAM) steps = (double)fit_of(o).steps;
   if (o->kind == OP_TRAIN) steps = 10;
   if (o->kind == OP_AUTO || o->kind == OP_TWIN || o->kind == OP_MOVED || o->kind == OP_CONVEX || o->kind == OP_PGD)
      steps = 100; /* fit.tune, and AUTO without bumps: 20 places on a grid, times five folds */
   return (o->kind == OP_SAMPLE ? 40
           : o->kind == OP_TILE ? 10
           : o->kind == OP_REGION ? 60 /* a copy is fitted to counts, within a budget: by draws in polygons, thin ones too */
           : o->kind == OP_AUTO || o->kind == OP_TWIN || o->kind == OP_MOVED ? 15 + 0.15 * (double)event_count()
                                                                             : 6) +
          3 * (20e-6 * pairs + numeric) * regions * 2 * steps;
}

static void run_program(const plan *p)
{
   sneppp_error err;
   int st;
   double began = processor_seconds();
   memset(&w, 0, sizeof w);
   w.p = *p;
   told->op = -1;
   time_limit(10);
   make_desc();
   if (p->mem) {
      size_t bytes = sneppp_model_bytes(&w.desc, &err);
      if (bytes) w.mem = malloc(bytes), w.desc.mem = w.mem, w.desc.mem_bytes = bytes;
   }
   st = sneppp_init(&w.model, &w.desc, &err);
   tally_plan(st == SNEPPP_OK);
   if (st != SNEPPP_OK) {
      refused("init", (sneppp_status)st, &err);
      MUST(!w.model.factors && !w.model.block && !w.alloc.live, "init",
           "a model that failed to be made is not zeroed");
      free(w.mem);
      return;
   }
   w.made = 1;
   make_events();
   if (p->layer)
      for (int f = 0; f < w.model.factors; f++) {
         plan_op set = { OP_SET_LAYER, 0, 0, 0, 0, 0, 0 };
         set.a = f;
         op_set_layer(&set);
      }
   told->spent[0] += processor_seconds() - began;
   for (int k = 0; k < HUNT_OPS; k++) {
      const plan_op *o = &p->op[k];
      double start = processor_seconds(), seconds;
      snap before, after;
      if (!o->kind || !w.model.factors) continue;
      told->op = k, told->calls++;
      told->kind[o->kind].drawn++;
      if (o->fail) told->feature[6].drawn++;
      if (o->par) told->feature[6 + o->par].drawn++;
      time_limit(seconds_for(o));
      if (o->fail) run_failing(o);
      before = snap_of(&w.model);
      {
         unsigned no = told->kind[o->kind].refused;
         run_kind(o);
         if (w.model.factors && (!changes_model(o->kind) || told->kind[o->kind].refused > no) &&
             o->kind != OP_BAD_EVENT && o->kind != OP_TRAIN && o->kind != OP_REDUCE) {
            after = snap_of(&w.model);
            MUST(!snap_differs(&before, &after), changes_model(o->kind) ? "a failed call" : "a const call",
                 "%s changed the model: %s differ", op_names[o->kind], snap_differs(&before, &after));
            snap_free(&after);
         }
      }
      snap_free(&before);
      seconds = processor_seconds() - start;
      told->spent[o->kind] += seconds;
      if (seconds > told->longest[o->kind])
         told->longest[o->kind] = seconds, told->longest_seed[o->kind] = told->seed;
      if (changes_model(o->kind)) {
         const shape *part[HUNT_FACTORS];
         whole_shapes(part);
         check_ask(&w.model), check_sure(&w.model);
         if (o->salt % 2) check_integral(&w.model, part, NULL, "everywhere");
         told->spent[0] += processor_seconds() - start - seconds;
      }
   }
   time_limit(0);
   sneppp_free(&w.model);
   if (w.pool) sneppp_pool_free(w.pool);
   free(w.mem);
   MUST(!w.alloc.live, "a leak", "%zu blocks were not given back", w.alloc.live);
}
#endif
