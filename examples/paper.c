/* cc -O2 -o paper examples/paper.c -lm && ./paper [steps]
   The model of the paper from start to end: lambda(x) = alpha |V cos(W x + b)|^2 p(x), where p, a mixture of two Gaussians,
   is learnt as V, W and b are (appendix D: AdamW, rate 0.0125, n = m features); then the readout alone once more, by the
   convex problem of Proposition 2, which has one answer. The trees lie in the unit square, as there; the model lives in the
   whole plane, and what it expects beyond the square counts against it. bench/paper.md has the tables. */
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
   const double  keep = 0.8, mean[4] = {0.3, 0.3, 0.7, 0.7}, scale[4] = {0.3, 0.3, 0.3, 0.3}, side[2] = {1000, 500};
   sneppp_desc   desc = {.width = width, .factor = {{.window = {.space = SNEPPP_SPACE_GAUSS, .dim = 2, .count = 2, .mean = mean, .scale = scale}, .unit = {.act = SNEPPP_ACT_COS}}}};
   sneppp_events train = {.x = x}, test = {.x = y};
   sneppp_fit_desc learn = {.events = &train, .method = SNEPPP_METHOD_ADAM, .steps = count > 1 ? (size_t)atoi(word[1]) : 300, .rate = 0.0125, .floor = 0.1};
   sneppp_fit_desc tune = {.events = &train, .method = SNEPPP_METHOD_CONVEX, .trace = 1e-3, .floor = 0.01, .tol = 1e-3};
   sneppp_model  model;
   sneppp_report report;
   sneppp_error  err;
   csv_table     table;
   double        nll[2], constant;

   if (!csv_read(&table, "examples/data/bei.csv")) return fail(table.error);
   if (table.rows > most) return fail("there are more trees than this program has room for");
   sneppp_thin(table.rows, keep, 1, in); /* "splitting": those kept have intensity 0.8 lambda, the others 0.2 lambda */
   for (size_t i = 0; i < table.rows; i++) {
      sneppp_real *to = in[i] ? x + 2 * train.count++ : y + 2 * test.count++;
      for (int r = 0; r < 2; r++) to[r] = (sneppp_real)(table.value[2 * i + (size_t)r] / side[r]);
   }
   constant = (lgamma((double)test.count + 1) + (double)test.count * (1 - log((double)test.count))) / (double)test.count;
   printf("%lu trees to learn from, %lu to judge by; %d cos features, 2 Gaussians\n", (unsigned long)train.count, (unsigned long)test.count, width);

   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK) return fail(err.why);
   if (sneppp_fit(&model, &learn, &report, &err) != SNEPPP_OK) return fail(err.why);
   if (sneppp_test_nll(&model, &test, 1, (1 - keep) / keep, &nll[0], NULL, &err) != SNEPPP_OK) return fail(err.why);
   printf("AdamW, %lu steps: training %.3f, test %.3f nats per tree (a constant: %.3f); %.1f s\n", (unsigned long)report.step, report.nll, nll[0], constant, report.seconds);
   for (size_t k = 0; k < 2; k++)
      printf("   Gaussian %lu: weight %.2f, mean (%.2f, %.2f), deviations (%.2f, %.2f)\n", (unsigned long)k + 1, model.layer[0].inside.weight[k],
             model.layer[0].inside.mean[2 * k] + model.layer[0].shift[0], model.layer[0].inside.mean[2 * k + 1] + model.layer[0].shift[1],
             model.layer[0].inside.scale[2 * k], model.layer[0].inside.scale[2 * k + 1]);

   if (sneppp_fit(&model, &tune, &report, &err) != SNEPPP_OK) return fail(err.why);
   if (sneppp_test_nll(&model, &test, 1, (1 - keep) / keep, &nll[1], NULL, &err) != SNEPPP_OK) return fail(err.why);
   printf("readout by the convex problem: training %.3f, at most %.1g from the best, test %.3f nats per tree; %.1f s\n", report.nll, report.gap, nll[1], report.seconds);
   sneppp_free(&model);
   csv_free(&table);
   return !(nll[0] < -0.2 && nll[1] < -0.2 && nll[0] < constant);
}
