/* How fast are random numbers? One line per distribution, after a check of its mean. */
#include "bench.h"

enum { draws = 1000000 };

typedef struct job {
   sneppp_rng rng;
   const char *name;
   double (*draw)(sneppp_rng *rng);
   double mean, deviation; /* of the distribution */
   double sum;
} job;

static double uniform(sneppp_rng *rng) { return sneppp_rng_uniform(rng); }
static double normal(sneppp_rng *rng) { return sneppp_rng_normal(rng); }
static double exponential(sneppp_rng *rng) { return sneppp__rng_exponential(rng); }
static double poisson_5(sneppp_rng *rng) { return (double)sneppp_rng_poisson(rng, 5); }
static double poisson_1e6(sneppp_rng *rng) { return (double)sneppp_rng_poisson(rng, 1e6); }

static void run(void *arg)
{
   job *j = (job *)arg;
   j->sum = 0;
   for (int i = 0; i < draws; i++) j->sum += j->draw(&j->rng);
}

int main(void)
{
   job jobs[] = {
      { { 0, 0, 0, 0 }, "uniform", uniform, 0.5, 0.2887, 0 },
      { { 0, 0, 0, 0 }, "normal", normal, 0, 1, 0 },
      { { 0, 0, 0, 0 }, "exponential", exponential, 1, 1, 0 },
      { { 0, 0, 0, 0 }, "poisson_5", poisson_5, 5, 2.2361, 0 },
      { { 0, 0, 0, 0 }, "poisson_1e6", poisson_1e6, 1e6, 1e3, 0 },
   };
   for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
      job *j = &jobs[i];
      double error;
      sneppp_rng_init(&j->rng, 1, i);
      run(j);
      error = (j->sum / draws - j->mean) / (j->deviation / 1000); /* in standard errors: sqrt(draws) = 1000 */
      bench_check(fabs(error) < 5, "rng_%s: the mean is off by %.1f standard errors", j->name, error);
      bench_line(1e-6 * draws / bench_fastest(run, j, 5), "million/s", "rng_%s", j->name);
   }
   return 0;
}
