/* cc -O2 -o paper examples/paper.c -lm && ./paper [steps]
   The model of the paper from start to end: lambda(x) = alpha |V cos(W x + b)|^2 p(x), where p, a mixture of two
   Gaussians, is learnt as V, W and b are (appendix D: AdamW, rate 0.0125, n = m features); then the readout alone once
   more, by the convex problem of Proposition 2, which has one answer. The trees lie in the unit square, as there; the
   model lives in the whole plane, and what it expects beyond the square counts against it. Tables: bench/paper.md. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"

enum { width = 60, most = 4000 }; /* the paper has 200 features, and 600 steps */

static int fail(const char *why)
{
   fprintf(stderr, "paper: %s\n", why);
   return 1;
}

int main(int count, char **word)
{
   static sneppp_real   x[2 * most], y[2 * most];
   static unsigned char in[most];
   const double    keep = 0.8, mean[4] = {0.3, 0.3, 0.7, 0.7}, scale[4] = {0.3, 0.3, 0.3, 0.3}, side[2] = {1000, 500};
   sneppp_window   plane = {.space = SNEPPP_SPACE_GAUSS, .dim = 2, .count = 2, .mean = mean, .scale = scale};
   sneppp_desc     desc = {.width = width, .factor = {{.window = plane, .unit = {.act = SNEPPP_ACT_COS}}}};
   sneppp_events   train = {.x = x}, test = {.x = y};
   sneppp_fit_desc learn = {.events = &train, .method = SNEPPP_METHOD_ADAM, .steps = 300, .rate = 0.0125, .floor = 0.1};
   sneppp_fit_desc tune = {.events = &train, .method = SNEPPP_METHOD_CONVEX, .trace = 1e-3, .floor = 0.01, .tol = 1e-3};
   sneppp_model    model;
   sneppp_report   report;
   sneppp_error    err;
   csv_table       table;
   double          nll[2], constant;

   if (count > 1) learn.steps = (size_t)atoi(word[1]);
   if (!csv_read(&table, "examples/data/bei.csv")) return fail(table.error);
   if (table.rows > most) return fail("there are more trees than this program has room for");
   sneppp_thin(table.rows, keep, 1, in); /* "splitting": those kept have intensity 0.8 lambda, the others 0.2 lambda */
   for (size_t i = 0; i < table.rows; i++) {
      sneppp_real *to = in[i] ? x + 2 * train.count++ : y + 2 * test.count++;
      for (size_t r = 0; r < 2; r++) to[r] = (sneppp_real)(table.value[2 * i + r] / side[r]);
   }
   csv_free(&table);
   constant = 1 - log((double)test.count) + lgamma((double)test.count + 1) / (double)test.count;
   printf("%lu trees to learn from, %lu to judge by; %d cos features, 2 Gaussians; nats per tree: a constant %.3f\n",
          (unsigned long)train.count, (unsigned long)test.count, width, constant);

   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK) return fail(err.why);
   for (int tuned = 0; tuned < 2; tuned++) {
      if (sneppp_fit(&model, tuned ? &tune : &learn, &report, &err) != SNEPPP_OK) return fail(err.why);
      if (sneppp_test_nll(&model, &test, 1, 1 / keep - 1, &nll[tuned], NULL, &err) != SNEPPP_OK) return fail(err.why);
      printf("%s: %lu steps, %.1f s, training %.3f, test %.3f\n", tuned ? "readout by CONVEX" : "everything by AdamW",
             (unsigned long)report.step, report.seconds, report.nll, nll[tuned]);
   }
   printf("the readout is at most %.1g above the best\n", report.gap);
   for (size_t k = 0; k < 2; k++) {
      const sneppp_window *p = &model.layer[0].inside;
      const double        *from = model.layer[0].shift; /* of the coordinates that a layer has inside */
      printf("Gaussian: weight %.2f, mean (%.2f, %.2f), deviations (%.2f, %.2f)\n", p->weight[k],
             p->mean[2 * k] + from[0], p->mean[2 * k + 1] + from[1], p->scale[2 * k], p->scale[2 * k + 1]);
   }
   sneppp_free(&model);
   return !(nll[0] < -0.2 && nll[1] < -0.2 && nll[0] < constant);
}
