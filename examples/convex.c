/* cc -O2 -o convex examples/convex.c -lm && ./convex
   A lesson in convex fitting. With the hidden layer fixed, the negative log-likelihood C of
      lambda(x) = alpha psi(x)' (M + eps1 I) psi(x)
   is convex in the positive semidefinite matrix M. Projected gradient descent with step 1/beta, beta = 1/eps1^2, has
      C(M_t) - C* <= (3 beta |M_1 - M*|^2 + C(M_1) - C*) / t          (the paper's Proposition 2),
   a promise made beforehand. The certificate is better: from the current M alone it proves how far C can still fall.
   The table shows all three, in nats per event: true distance <= certificate, and true distance <= promise. The step
   that is proven is a careful one: the last column is the distance with steps 32 times as long (fit.rate). */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"

enum { n = 24 };

static int fail(const char *why)
{
   fprintf(stderr, "convex: %s\n", why);
   return 1;
}

static double distance(const double *A, const double *B)
{
   double s = 0;
   for (int i = 0; i < n * n; i++) s += (A[i] - B[i]) * (A[i] - B[i]);
   return s;
}

int main(void)
{
   sneppp_desc     desc = {.width = n, .factor = {{.window = {.space = SNEPPP_SPACE_BOX, .dim = 2, .hi = {1000, 500}}}}};
   sneppp_events   trees = {0};
   sneppp_fit_desc fit = {.events = &trees, .method = SNEPPP_METHOD_CONVEX, .tol = 1e-10, .eps1 = 0.05};
   sneppp_model    model;
   sneppp_report   report;
   sneppp_error    err;
   csv_table       table;
   double          best[n * n], first[n * n] = {0}, K[n * n], least, start, trace = 0, far2, beta;
   int             kept = 1;

   if (!csv_read(&table, "examples/data/bei.csv")) return fail(table.error);
   trees.x = table.value;
   trees.count = table.rows;
   beta = 1 / (fit.eps1 * fit.eps1);
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK || sneppp_fit(&model, &fit, &report, &err) != SNEPPP_OK) return fail(err.why);
   if (sneppp_get_matrix(&model, best, &err) != SNEPPP_OK || sneppp_model_gram(&model, NULL, K, NULL, &err) != SNEPPP_OK) return fail(err.why);
   least = report.nll;
   printf("%lu trees, %d cos features; the default solver: C* = %.8f, certified to %.1g, in %lu steps and %.3f s\n\n",
          (unsigned long)trees.count, n, least, report.gap, (unsigned long)report.step, report.seconds);

   /* PGD starts from the multiple of the identity that expects as many events as were seen. */
   for (int i = 0; i < n; i++) trace += K[i * (n + 1)] * model.alpha / (double)trees.count;
   for (int i = 0; i < n; i++) first[i * (n + 1)] = 1 / trace + fit.eps1;
   if (sneppp_set_matrix(&model, first, &err) != SNEPPP_OK || sneppp_nll(&model, &trees, 1, &start, NULL, NULL, NULL, &err) != SNEPPP_OK) return fail(err.why);
   start /= (double)trees.count;
   far2 = distance(first, best);

   printf("   steps   true distance     certificate         promise      rate 32\n");
   fit.method = SNEPPP_METHOD_PGD;
   fit.tol = SNEPPP_NONE;
   for (fit.steps = 1; fit.steps <= 4096; fit.steps *= 4) {
      double promise = (3 * beta * far2 + start - least) / (double)(fit.steps + 1);
      if (sneppp_fit(&model, &fit, &report, &err) != SNEPPP_OK) return fail(err.why);
      kept = kept && report.nll - least <= promise + 1e-9 && report.nll - least <= report.gap + 1e-9;
      printf("%8lu %15.3e %15.3e %15.3e", (unsigned long)report.step, report.nll - least, report.gap, promise);
      fit.rate = 32;
      if (sneppp_fit(&model, &fit, &report, &err) != SNEPPP_OK) return fail(err.why);
      fit.rate = 0;
      printf(" %12.3e\n", report.nll - least);
   }
   printf("\n%s\n", kept ? "Both bounds were kept at every step." : "A bound was broken!");
   csv_free(&table);
   sneppp_free(&model);
   return !kept;
}
