/* cc -O2 -o baselines examples/baselines.c -lm && ./baselines
   Classical models are special cases. With exp units and a diagonal readout, lambda(x) = sum_i v_i^2 exp(2 w_i . x + 2 b_i):
   one unit is the log-linear Poisson process, several are a mixture of them. Each is two lines here. They are judged
   by events that they have not seen: one tree in five, kept back at random. Lower is better. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"

enum { models = 4, most = 4000 };

static int fail(const char *why)
{
   fprintf(stderr, "baselines: %s\n", why);
   return 1;
}

int main(void)
{
   static sneppp_real   x[2 * most], y[2 * most];
   static unsigned char in[most];
   const double  keep = 0.8;
   sneppp_window plot = {.space = SNEPPP_SPACE_BOX, .dim = 2, .hi = {1000, 500}};
   const struct { const char *name; sneppp_desc desc; sneppp_method method; } list[models] = {
      {"constant", {.factor = {{.window = plot, .unit = {.act = SNEPPP_ACT_ONE}}}, .width = 1}, SNEPPP_METHOD_CONVEX},
      {"log-linear", {.factor = {{.window = plot, .unit = {.act = SNEPPP_ACT_EXP}}}, .width = 1}, SNEPPP_METHOD_ADAM},
      {"log-linear mixture of 8", {.factor = {{.window = plot, .unit = {.act = SNEPPP_ACT_EXP}}}, .width = 8, .readout = SNEPPP_READOUT_DIAGONAL}, SNEPPP_METHOD_ADAM},
      {"squared family, default", {.factor = {{.window = plot}}}, SNEPPP_METHOD_AUTO}};
   sneppp_events  train = {0}, test = {0};
   csv_table      table;
   double         nll[models];
   sneppp_error   err;

   if (!csv_read(&table, "examples/data/bei.csv")) return fail(table.error);
   if (table.rows > most) return fail("there are more trees than this program has room for");
   sneppp_thin(table.rows, keep, 1, in);
   train.x = x;
   test.x = y;
   for (size_t i = 0; i < table.rows; i++) {
      sneppp_real *to = in[i] ? x + 2 * train.count++ : y + 2 * test.count++;
      to[0] = (sneppp_real)table.value[2 * i];
      to[1] = (sneppp_real)table.value[2 * i + 1];
   }
   printf("%lu trees to learn from, %lu to judge by\n\n%-26s features   nats per tree   seconds\n", (unsigned long)train.count, (unsigned long)test.count, "model");
   for (int k = 0; k < models; k++) {
      sneppp_fit_desc fit = {.events = &train, .method = list[k].method, .decay = SNEPPP_NONE, .rate = list[k].method == SNEPPP_METHOD_ADAM ? 0.05 : 0};
      sneppp_model    model;
      sneppp_report   report;
      if (sneppp_init(&model, &list[k].desc, &err) != SNEPPP_OK || sneppp_fit(&model, &fit, &report, &err) != SNEPPP_OK) return fail(err.why);
      if (sneppp_test_nll(&model, &test, 1, (1 - keep) / keep, &nll[k], NULL, &err) != SNEPPP_OK) return fail(err.why);
      nll[k] -= log(sneppp_window_mass(&plot)); /* as if the plot had area one */
      printf("%-26s %8d %15.3f %9.2f\n", list[k].name, report.width, nll[k], report.seconds);
      sneppp_free(&model);
   }
   csv_free(&table);
   return !(nll[1] < nll[0] && nll[2] < nll[1] && nll[3] < nll[2]);
}
