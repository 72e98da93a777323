/* The command line program: fit a Poisson intensity to events in a CSV file.
      cc -O2 -o sneppp examples/sneppp.c -lm -lpthread
      ./sneppp fit examples/data/bei.csv --window 0,1000,0,500                                  (see ./sneppp help) */
#define _POSIX_C_SOURCE 200112L /* isatty */
#define SNEPPP_PTHREADS
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include <unistd.h>

static const char usage[] =
   "usage: sneppp fit TRAIN.csv --window x0,x1[,y0,y1,...] [options]\n"
   "       sneppp fit TRAIN.csv --sphere [options]\n"
   "       sneppp kernels | help\n"
   "\n"
   "TRAIN.csv holds one event per line; lines that begin with # and a header line are allowed.\n"
   "  --window x0,x1,...   the box in which all events were seen, in the units of the file\n"
   "  --sphere             longitude and latitude in degrees, or unit vectors in three columns\n"
   "  --columns a,b        the columns to use, by name or number (default: the first ones)\n"
   "  --test FILE          events to judge the fit by, not used for it\n"
   "  --test-scale S       intensity of the test events relative to the training ones (default 1)\n"
   "  --method M           auto (default), convex, pgd or adam\n"
   "  --width N            budget of features (default: as many as the data deserve)\n"
   "  --seed N             of everything random (default 1)\n"
   "  --threads N          threads to use (default 1)\n"
   "  --json               a machine-readable summary\n"
   "The last line is: test_nll=... expected=... observed=... train_events=... width=... gap=... seconds=...\n";

/* One sentence on the standard error, exit code 2. */
static void fail(const char *a, const char *b)
{
   fprintf(stderr, "sneppp: %s%s\n", a, b);
   exit(2);
}

typedef struct options {
   const char   *train, *test, *columns;
   double        window[2 * SNEPPP_MAX_DIM], test_scale;
   int           sides, sphere, width, threads, json;
   sneppp_method method;
   uint64_t      seed;
} options;

static double number(const char *option, const char *text, double lo, double hi)
{
   const char *end;
   double      v = 0;
   char        why[200];
   if (!text || !csv_number(text, &end, &v) || *end || !(v >= lo && v <= hi)) {
      snprintf(why, sizeof why, "%s takes a number from %g to %g, not \"%s\"", option, lo, hi, text ? text : "");
      fail(why, "");
   }
   return v;
}

static options parse(int count, char **arg)
{
   options o;
   memset(&o, 0, sizeof o);
   o.test_scale = 1;
   o.threads = 1;
   o.seed = 1;
   for (int i = 0; i < count; i++) {
      const char *a = arg[i], *v = i + 1 < count ? arg[i + 1] : NULL;
      if (a[0] != '-' || !strcmp(a, "-")) {
         if (o.train) fail("more than one file of events: ", a);
         o.train = a;
      } else if (!strcmp(a, "--sphere")) o.sphere = 1;
      else if (!strcmp(a, "--json")) o.json = 1;
      else if (!v) fail("a value is missing after ", a);
      else {
         i++;
         if (!strcmp(a, "--window")) {
            o.sides = csv_row(v, o.window);
            if (o.sides < 2 || o.sides % 2 || o.sides > 2 * SNEPPP_MAX_DIM) fail("--window takes x0,x1 for each coordinate, not ", v);
         } else if (!strcmp(a, "--test")) o.test = v;
         else if (!strcmp(a, "--columns")) o.columns = v;
         else if (!strcmp(a, "--test-scale")) o.test_scale = number(a, v, 1e-12, 1e12);
         else if (!strcmp(a, "--width")) o.width = (int)number(a, v, 1, 1e7);
         else if (!strcmp(a, "--threads")) o.threads = (int)number(a, v, 1, 256);
         else if (!strcmp(a, "--seed")) o.seed = (uint64_t)number(a, v, 0, 9e15);
         else if (!strcmp(a, "--method")) {
            if (!strcmp(v, "auto")) o.method = SNEPPP_AUTO;
            else if (!strcmp(v, "convex")) o.method = SNEPPP_CONVEX;
            else if (!strcmp(v, "pgd")) o.method = SNEPPP_PGD;
            else if (!strcmp(v, "adam")) o.method = SNEPPP_ADAM;
            else fail("--method is auto, convex, pgd or adam, not ", v);
         } else fail("unknown option ", a);
      }
   }
   if (!o.train) fail("which file of events? See sneppp help", "");
   if (!o.sides == !o.sphere) fail("give either --window or --sphere: the place in which all events were seen", "");
   return o;
}

/* The columns that --columns names, or the first ones; degrees become unit vectors. */
static sneppp_real *coordinates(const char *path, const options *o, int dim, size_t *rows)
{
   csv_table    t;
   int          column[SNEPPP_MAX_DIM] = { 0 }, want = dim;
   sneppp_real *x;
   char         why[300];
   if (!csv_read(&t, path)) fail(t.error, "");
   if (o->sphere && !o->columns) want = t.columns == 3 && t.rows && fabs(t.value[0] * t.value[0] + t.value[1] * t.value[1] + t.value[2] * t.value[2] - 1) < 1e-3 ? 3 : 2;
   for (int k = 0; k < want; k++) column[k] = k;
   if (o->columns) {
      const char *p = o->columns;
      want = 0;
      while (want < SNEPPP_MAX_DIM) {
         char   name[64];
         size_t len = strcspn(p, ",");
         double index = 0;
         const char *end;
         snprintf(name, sizeof name, "%.*s", (int)len, p);
         column[want] = csv_column(&t, name);
         if (column[want] < 0 && csv_number(name, &end, &index) && !*end && index >= 1 && index <= t.columns) column[want] = (int)index - 1;
         if (column[want] < 0) { snprintf(why, sizeof why, "%s has no column \"%s\"", path, name); fail(why, ""); }
         want++;
         p += len;
         if (!*p++) break;
      }
   }
   if (!o->sphere && want != dim) fail("--columns and --window disagree on the number of coordinates", "");
   if (o->sphere && want != 2 && want != 3) fail("on the sphere, give two columns (degrees) or three (unit vectors)", "");
   if (t.rows && want > t.columns) { snprintf(why, sizeof why, "%s has %d columns, but %d coordinates are needed", path, t.columns, want); fail(why, ""); }
   x = (sneppp_real *)malloc((t.rows * (size_t)dim + 1) * sizeof *x);
   if (!x) fail("not enough memory for ", path);
   for (size_t i = 0; i < t.rows; i++) {
      const double *row = t.value + i * (size_t)t.columns;
      if (o->sphere && want == 2) {
         double lon = row[column[0]] * 3.14159265358979323846 / 180, lat = row[column[1]] * 3.14159265358979323846 / 180;
         if (fabs(row[column[1]]) > 90 || fabs(row[column[0]]) > 360) {
            snprintf(why, sizeof why, "%s, event %lu: longitude %g, latitude %g are not degrees (longitude comes first)", path, (unsigned long)i, row[column[0]], row[column[1]]);
            fail(why, "");
         }
         x[3 * i] = (sneppp_real)(cos(lat) * cos(lon));
         x[3 * i + 1] = (sneppp_real)(cos(lat) * sin(lon));
         x[3 * i + 2] = (sneppp_real)sin(lat);
      } else {
         for (int k = 0; k < dim; k++) x[i * (size_t)dim + (size_t)k] = (sneppp_real)row[column[k]];
      }
   }
   *rows = t.rows;
   csv_free(&t);
   return x;
}

/* A line with rate and time left on a terminal; silent otherwise. */
static int show(const sneppp_report *now, const sneppp_model *model, void *user)
{
   double *last = (double *)user;
   (void)model;
   if (now->seconds - *last < 0.25) return 0;
   *last = now->seconds;
   fprintf(stderr, "\r%lu of %lu steps, %.4f nats per event, %.0f s left   ", (unsigned long)now->step, (unsigned long)now->steps, now->nll,
           now->step ? now->seconds / (double)now->step * (double)(now->steps - now->step) : 0.0);
   fflush(stderr);
   return 0;
}

static int fit(int count, char **arg)
{
   static const char *const name[] = {"auto", "convex", "pgd", "adam"};
   options         o = parse(count, arg);
   sneppp_desc     desc;
   sneppp_events   train, test;
   sneppp_fit_desc f;
   sneppp_model    model;
   sneppp_report   r;
   sneppp_error    err;
   sneppp_pool    *pool = sneppp_pool_make(o.threads, NULL);
   sneppp_window  *w;
   double          test_nll = nan(""), expected = 0, volume, last = 0;
   memset(&desc, 0, sizeof desc);
   w = &desc.factor[0].window;
   w->dim = o.sphere ? 3 : o.sides / 2;
   w->space = o.sphere ? SNEPPP_SPHERE : SNEPPP_BOX;
   for (int k = 0; k < o.sides / 2; k++) { w->lo[k] = o.window[2 * k]; w->hi[k] = o.window[2 * k + 1]; }
   desc.width = o.width;
   desc.seed = o.seed;
   memset(&train, 0, sizeof train);
   memset(&test, 0, sizeof test);
   train.x = coordinates(o.train, &o, w->dim, &train.count);
   if (o.test) test.x = coordinates(o.test, &o, w->dim, &test.count);
   memset(&f, 0, sizeof f);
   f.events = &train;
   f.method = o.method;
   f.seed = o.seed;
   if (pool) f.parallel = sneppp_pool_parallel(pool);
   if (isatty(2)) { f.progress = show; f.user = &last; }
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK) fail(err.why, "");
   if (sneppp_fit(&model, &f, &r, &err) != SNEPPP_OK) fail(err.why, "");
   if (last > 0) fprintf(stderr, "\r%70s\r", "");
   if (sneppp_count(&model, NULL, &expected, &err) != SNEPPP_OK) fail(err.why, "");
   volume = sneppp_window_mass(w);
   if (test.count && sneppp_test_nll(&model, &test, 1, o.test_scale, &test_nll, &f.parallel, &err) != SNEPPP_OK) fail(err.why, " (in the test events)");
   test_nll -= log(volume);
   if (o.json)
      printf("{\"events\": %lu, \"method\": \"%s\", \"width\": %d, \"expected\": %.10g, \"nll_per_event\": %.10g, \"floor\": %.10g, \"seconds\": %.4g}\n",
             (unsigned long)train.count, name[r.method], r.width, expected, r.nll, model.floor, r.seconds);
   else {
      printf("%lu events in a window of %g; method %s\n", (unsigned long)train.count, volume, name[r.method]);
      printf("%d features, uniform part %.1f %%, %.1f events expected in the whole window\n", r.width, expected > 0 ? 100 * model.floor * volume / expected : 0.0, expected);
   }
   printf("test_nll=%.6f expected=%.3f observed=%lu train_events=%lu width=%d gap=%.3g seconds=%.3f\n", test_nll,
          o.test ? o.test_scale * expected : expected, (unsigned long)(o.test ? test.count : train.count), (unsigned long)train.count, r.width, r.gap, r.seconds);
   free((void *)(size_t)train.x);
   free((void *)(size_t)test.x);
   sneppp_free(&model);
   sneppp_pool_free(pool);
   return 0;
}

static int kernels(void)
{
   for (size_t k = 0; k < sneppp_kernel_count(); k++) {
      const sneppp_kernel_info *i = sneppp_kernel_at(k);
      printf("%-18s %s%s%s%s\n", i->name, i->formula, i->condition[0] ? " (" : "", i->condition, i->condition[0] ? ")" : "");
   }
   return 0;
}

int main(int count, char **arg)
{
   const char *verb = count > 1 ? arg[1] : "help";
   if (!strcmp(verb, "fit")) return fit(count - 2, arg + 2);
   if (!strcmp(verb, "kernels")) return kernels();
   if (!strcmp(verb, "help") || !strcmp(verb, "--help") || !strcmp(verb, "-h")) { fputs(usage, stdout); return 0; }
   fail("unknown command ", verb);
   return 2;
}
