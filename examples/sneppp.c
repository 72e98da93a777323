/* The command line program: fit a Poisson intensity to events in a CSV file, save it, ask it, draw it.
      cc -O2 -o sneppp examples/sneppp.c -lm -lpthread
      ./sneppp fit examples/data/bei.csv --window 0,1000,0,500 --save trees.model --png trees.png
      ./sneppp count trees.model --region box:600,700,50,150                                    (see ./sneppp help) */
#define _POSIX_C_SOURCE 200112L /* isatty */
#define SNEPPP_PTHREADS
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include "draw.h"
#include <unistd.h>

#define FIT_OPTIONS "--window --polygon --sphere --columns --time --time-window --method --width --seed --threads "

/* What `help VERB` prints; the first line of each stands in the list of `help`. */
static const struct { const char *verb, *options, *text; } manual[] = {
   {"fit", FIT_OPTIONS "--test --test-scale --save --png --json ",
    "sneppp fit EVENTS.csv (--window x0,x1[,y0,y1,...] | --polygon FILE | --sphere) [options]   learn an intensity\n"
    "EVENTS.csv holds one event per line; lines that begin with # and a header line are allowed; - is standard input.\n"
    "  --window x0,x1,...   the box in which all events were seen, in the units of the file\n"
    "  --polygon FILE       the polygon in which they were seen: a CSV of corners x,y[,ring]; inner rings are holes\n"
    "  --sphere             longitude and latitude in degrees, or unit vectors in three columns\n"
    "  --columns a,b        the columns to use, by name or number (default: the first ones)\n"
    "  --time COLUMN        the column of times, with --time-window a,b[,c,d,...]: the intervals that were watched\n"
    "  --test FILE          events to judge the fit by, not used for it\n"
    "  --test-scale S       intensity of the test events relative to the training ones (default 1)\n"
    "  --method M           auto (default), convex, pgd or adam\n"
    "  --width N            budget of features (default: as many as the data deserve)\n"
    "  --seed N             of everything random (default 1)\n"
    "  --threads N          threads to use (default 1)\n"
    "  --save MODEL         write the model; - is standard output (the summary then goes to standard error)\n"
    "  --png FILE           draw the events and the intensity\n"
    "  --json               a machine-readable summary\n"
    "The last line is: test_nll=... expected=... observed=... train_events=... width=... gap=... seconds=...\n"},
   {"eval", "--columns --time ",
    "sneppp eval MODEL POINTS.csv [--columns a,b] [--time COLUMN]   the intensity at points, as CSV\n"
    "Prints the coordinates and the intensity, events per unit of the window, one point per line. Points outside the\n"
    "window have intensity 0.\n"},
   {"count", FIT_OPTIONS "--region ",
    "sneppp count MODEL [--region R]...   the expected number of events in a region, exactly\n"
    "R is box:x0,x1,y0,y1 or polygon:FILE or time:a,b; one for space and one for time may be given. Prints the expected\n"
    "number and the range that holds nine of ten counts. Instead of a model, events and the options of fit may be given:\n"
    "sneppp count EVENTS.csv --window 0,10,0,5 --region box:0,1,0,1\n"},
   {"profile", FIT_OPTIONS "--region --bins ",
    "sneppp profile MODEL [--region R]... [--bins N]   expected numbers over time, as CSV\n"
    "For models on a line and models with time; R may be a place and a span of time. N equal intervals (default 24).\n"
    "Instead of a model, events and the options of fit may be given.\n"},
   {"draw", "--region ",
    "sneppp draw MODEL FILE.png [--region time:a,b]   a picture of the intensity\n"
    "Time is integrated out, over a part of it if a region is given. Windows with one or two coordinates and the sphere.\n"},
   {"sample", "-n --region --seed ",
    "sneppp sample MODEL [-n N] [--region R]... [--seed S]   simulated events, as CSV\n"
    "Exact draws from the model; without -n their number is a Poisson draw, too. The same seed gives the same events.\n"
    "Places on the sphere are printed as longitude and latitude.\n"},
   {"export", "",
    "sneppp export MODEL NAME.h   the model as C source, for firmware\n"
    "Include it after sneppp.h, with SNEPPP_INFERENCE_ONLY; the model is called NAME. - is standard output.\n"},
   {"info", "", "sneppp info MODEL   what a saved model is\n"},
   {"kernels", "", "sneppp kernels   the table of closed forms, as Markdown\n"},
   {"help", "", "sneppp help [COMMAND]   this list, or all about one command\n"}};

/* One sentence on the standard error, exit code 2. */
static void fail(const char *a, const char *b)
{
   fprintf(stderr, "sneppp: %s%s\n", a, b);
   exit(2);
}

/* The library's sentence for people who gave files and options: `what` they gave stands in place of the field. */
static void complain(const char *what, const sneppp_error *err)
{
   const char *why = err->why, *field = strstr(why, "factor[");
   char        text[500];
   if (field && (field == why || field == why + 7)) { /* "factor[0]: ..." or "region.factor[0] ..." */
      why = strchr(field, ']') + 1;
      snprintf(text, sizeof text, "%s%s", what, why);
   } else snprintf(text, sizeof text, "%s: %s", what, why);
   fail(text, "");
}

static int help(const char *verb)
{
   const size_t verbs = sizeof manual / sizeof *manual;
   for (size_t k = 0; k < verbs; k++) {
      if (verb && !strcmp(verb, manual[k].verb)) { fputs(manual[k].text, stdout); return 0; }
      if (!verb) printf("%.*s\n", (int)strcspn(manual[k].text, "\n"), manual[k].text);
   }
   if (verb) fail("there is no help for ", verb);
   printf("\nMODEL is a file written by fit --save; - is standard input or output.\n");
   return 0;
}

typedef struct options {
   const char   *verb, *file[2], *test, *columns, *polygon, *time, *save, *png, *region[2];
   double        window[CSV_MAX_COLUMNS], span[CSV_MAX_COLUMNS], test_scale;
   size_t        draws;
   int           files, regions, sides, spans, sphere, width, threads, json, bins;
   sneppp_method method;
   uint64_t      seed;
} options;

static double number(const char *option, const char *text, double lo, double hi)
{
   const char *end;
   double      v = 0;
   char        why[200];
   if (!csv_number(text, &end, &v) || *end || !(v >= lo && v <= hi)) {
      snprintf(why, sizeof why, "%s takes a number from %g to %g, not \"%.60s\"", option, lo, hi, text);
      fail(why, "");
   }
   return v;
}

static double whole(const char *option, const char *text, double lo, double hi)
{
   const double v = number(option, text, lo, hi);
   if (v != floor(v)) fail(option, " takes a whole number");
   return v;
}

/* Pairs a,b with a < b: the sides of a box, or intervals, which then must not overlap. */
static int pairs(const char *option, const char *text, double *out, int ordered)
{
   const int n = csv_row(text, out);
   char      why[200];
   if (n < 2 || n % 2) {
      snprintf(why, sizeof why, "%s takes pairs of numbers a,b[,c,d,...], not \"%.60s\"", option, text);
      fail(why, "");
   }
   for (int k = 1; k < n; k++)
      if ((k % 2 || ordered) && !(out[k - 1] < out[k])) {
         snprintf(why, sizeof why, "%s: %g is not below %g", option, out[k - 1], out[k]);
         fail(why, "");
      }
   return n;
}

static sneppp_method method_named(const char *v)
{
   static const char *const name[] = {"auto", "convex", "pgd", "adam"};
   for (int k = 0; k < 4; k++) if (!strcmp(v, name[k])) return (sneppp_method)k;
   fail("--method is auto, convex, pgd or adam, not ", v);
   return SNEPPP_AUTO;
}

/* One option with its value; 0: unknown. */
static int take(options *o, const char *a, const char *v)
{
   if (!strcmp(a, "--window")) {
      o->sides = pairs(a, v, o->window, 0);
      if (o->sides > 2 * SNEPPP_MAX_DIM) fail("too many coordinates: --window ", v);
   } else if (!strcmp(a, "--time-window")) {
      o->spans = pairs(a, v, o->span, 1);
   } else if (!strcmp(a, "--region")) {
      if (o->regions == 2) fail("at most two regions, one for space and one for time: ", v);
      o->region[o->regions++] = v;
   } else if (!strcmp(a, "--test")) o->test = v;
   else if (!strcmp(a, "--polygon")) o->polygon = v;
   else if (!strcmp(a, "--time")) o->time = v;
   else if (!strcmp(a, "--save")) o->save = v;
   else if (!strcmp(a, "--png")) o->png = v;
   else if (!strcmp(a, "--columns")) o->columns = v;
   else if (!strcmp(a, "--test-scale")) o->test_scale = number(a, v, 1e-12, 1e12);
   else if (!strcmp(a, "--width")) o->width = (int)whole(a, v, 1, 1e7);
   else if (!strcmp(a, "-n")) o->draws = (size_t)whole(a, v, 1, 1e9);
   else if (!strcmp(a, "--bins")) o->bins = (int)whole(a, v, 1, 1e6);
   else if (!strcmp(a, "--threads")) o->threads = (int)whole(a, v, 1, 256);
   else if (!strcmp(a, "--seed")) o->seed = (uint64_t)whole(a, v, 0, 9e15);
   else if (!strcmp(a, "--method")) o->method = method_named(v);
   else return 0;
   return 1;
}

/* Does the command take this option? */
static int takes(const char *verb, const char *option)
{
   char word[40];
   snprintf(word, sizeof word, "%.30s ", option);
   for (size_t k = 0; k < sizeof manual / sizeof *manual; k++)
      if (!strcmp(verb, manual[k].verb)) {
         const char *at = strstr(manual[k].options, word);
         return at && (at == manual[k].options || at[-1] == ' ');
      }
   return 0;
}

static options parse(const char *verb, int count, char **arg, int files, const char *missing)
{
   options o;
   char    why[200];
   memset(&o, 0, sizeof o);
   o.verb = verb;
   o.test_scale = 1;
   o.threads = 1;
   o.seed = 1;
   o.bins = 24;
   for (int i = 0; i < count; i++) {
      const char *a = arg[i], *v = i + 1 < count ? arg[i + 1] : NULL;
      if (a[0] != '-' || !strcmp(a, "-")) {
         if (o.files == files) fail("one word too many: ", a);
         o.file[o.files++] = a;
         continue;
      }
      if (!takes(verb, a)) {
         snprintf(why, sizeof why, "%s has no option %.60s, see sneppp help %s", verb, a, verb);
         fail(why, "");
      }
      if (!strcmp(a, "--sphere")) o.sphere = 1;
      else if (!strcmp(a, "--json")) o.json = 1;
      else if (!v) fail("a value is missing after ", a);
      else if (take(&o, a, v)) i++;
   }
   if (o.files < files) {
      snprintf(why, sizeof why, "%s See sneppp help %s", missing, verb);
      fail(why, "");
   }
   return o;
}

/* ---- reading coordinates */
static int column_named(const csv_table *t, const char *path, const char *name)
{
   int         k = csv_column(t, name);
   const char *end;
   double      index = 0;
   char        why[300];
   if (k < 0 && csv_number(name, &end, &index) && !*end && index >= 1 && index <= t->columns) k = (int)index - 1;
   if (k < 0) { snprintf(why, sizeof why, "%s has no column \"%s\"", path, name); fail(why, ""); }
   return k;
}

/* The columns of space: those that --columns names, or the first ones. */
static int columns_of_space(const csv_table *t, const char *path, const options *o, const sneppp_window *w, int *column)
{
   int         want = 0;
   char        why[300];
   for (const char *p = o->columns; p && want < SNEPPP_MAX_DIM;) {
      const size_t len = strcspn(p, ",");
      char         name[64];
      snprintf(name, sizeof name, "%.*s", (int)len, p);
      column[want++] = column_named(t, path, name);
      p = p[len] ? p + len + 1 : NULL;
   }
   if (!want) {
      const double *v = t->value;
      want = w->dim;
      if (w->space == SNEPPP_SPHERE) want = t->columns >= 3 && t->rows && fabs(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - 1) < 1e-3 ? 3 : 2;
      for (int k = 0; k < want; k++) column[k] = k;
   }
   if (w->space == SNEPPP_SPHERE ? want != 2 && want != 3 : want != w->dim) fail("--columns and the window disagree on the number of coordinates", "");
   if (t->rows && want > t->columns) { snprintf(why, sizeof why, "%s has %d columns, but %d coordinates are needed", path, t->columns, want); fail(why, ""); }
   return want;
}

typedef struct points { /* as the model wants them, factor after factor */
   const char  *path;
   sneppp_real *x;
   size_t      *line, count;
} points;

static void points_free(points *p)
{
   free(p->x);
   free(p->line);
}

/* What is wrong with an event is said with its line in the file. */
static void complain_event(const points *p, const sneppp_error *err)
{
   char text[500];
   if (err->status != SNEPPP_ERR_DATA || err->event >= p->count) complain(p->path, err);
   snprintf(text, sizeof text, "%s, line %lu: %s", p->path, (unsigned long)p->line[err->event], err->why);
   fail(text, "");
}

/* Degrees become unit vectors, the time comes last. */
static points coordinates(const char *path, const options *o, const sneppp_window *w, int timed)
{
   csv_table    t;
   points       p;
   int          column[SNEPPP_MAX_DIM + 1], want, when = 0;
   const size_t D = (size_t)w->dim + (size_t)timed;
   sneppp_real *x;
   char         why[300];
   if (!csv_read(&t, path)) fail(t.error, "");
   want = t.rows ? columns_of_space(&t, path, o, w, column) : w->dim;
   if (timed && t.rows) when = o->time ? column_named(&t, path, o->time) : want < t.columns ? want : -1;
   if (when < 0) fail("which column is the time? Say --time COLUMN for ", path);
   x = (sneppp_real *)malloc((t.rows * D + 1) * sizeof *x);
   if (!x) fail("not enough memory for ", path);
   for (size_t i = 0; i < t.rows; i++) {
      const double *row = t.value + i * (size_t)t.columns;
      sneppp_real  *to = x + i * D;
      if (w->space == SNEPPP_SPHERE && want == 2) {
         double lon = row[column[0]] * 3.14159265358979323846 / 180, lat = row[column[1]] * 3.14159265358979323846 / 180;
         if (fabs(row[column[1]]) > 90 || fabs(row[column[0]]) > 360) {
            snprintf(why, sizeof why, "%s, line %lu: longitude %g, latitude %g are not degrees (longitude comes first)", path, (unsigned long)t.line[i], row[column[0]], row[column[1]]);
            fail(why, "");
         }
         to[0] = (sneppp_real)(cos(lat) * cos(lon));
         to[1] = (sneppp_real)(cos(lat) * sin(lon));
         to[2] = (sneppp_real)sin(lat);
      } else {
         for (int k = 0; k < w->dim; k++) to[k] = (sneppp_real)row[column[k]];
      }
      if (timed) to[w->dim] = (sneppp_real)row[when];
   }
   p.path = path;
   p.x = x;
   p.line = t.line;
   p.count = t.rows;
   t.line = NULL;
   csv_free(&t);
   return p;
}

/* A polygon's corners; its lists live as long as the program. */
static void read_polygon(const char *path, sneppp_window *w)
{
   csv_table t;
   double   *xy;
   size_t   *size;
   if (!csv_read(&t, path)) fail(t.error, "");
   if (t.columns < 2 || t.rows < 3) fail("a polygon needs at least three lines x,y: ", path);
   xy = (double *)malloc(2 * t.rows * sizeof *xy);
   size = (size_t *)calloc(t.rows, sizeof *size);
   if (!xy || !size) fail("not enough memory for ", path);
   w->space = SNEPPP_POLYGON;
   w->dim = 2;
   for (size_t i = 0; i < t.rows; i++) {
      const double *row = t.value + i * (size_t)t.columns;
      xy[2 * i] = row[0];
      xy[2 * i + 1] = row[1];
      if (!i || (t.columns > 2 && row[2] != row[2 - t.columns])) w->rings++; /* a new number, a new ring */
      size[w->rings - 1]++;
   }
   w->xy = xy;
   w->ring_size = size;
   csv_free(&t);
}

/* ---- models in files */
static sneppp_model load(const char *path)
{
   FILE          *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
   unsigned char *bytes = NULL;
   size_t         used = 0, room = 0, got = 1;
   sneppp_model   model;
   sneppp_error   err;
   char           why[400];
   if (!f) fail(path, " cannot be opened");
   while (got) {
      if (used == room) {
         unsigned char *more = (unsigned char *)realloc(bytes, room = room ? 2 * room : 65536);
         if (!more) fail("not enough memory for ", path);
         bytes = more;
      }
      got = fread(bytes + used, 1, room - used, f);
      used += got;
   }
   if (f != stdin) fclose(f);
   if (sneppp_load(&model, bytes, used, NULL, 0, NULL, &err) != SNEPPP_OK) {
      snprintf(why, sizeof why, "%s is not a model that can be used: %s", path, err.why);
      fail(why, "");
   }
   free(bytes);
   return model;
}

/* Before the work, not after it: can this file be written? */
static void must_be_writable(const char *path)
{
   FILE *old, *f;
   if (!path || strcmp(path, "-") == 0) return;
   old = fopen(path, "rb");
   f = fopen(path, "ab");
   if (!f) fail(path, " cannot be written");
   fclose(f);
   if (old) fclose(old);
   else remove(path); /* made by this test */
}

static void save(const sneppp_model *model, const char *path)
{
   size_t         bytes = sneppp_save(model, NULL, 0);
   unsigned char *buf = (unsigned char *)malloc(bytes + 1);
   FILE          *f = strcmp(path, "-") ? fopen(path, "wb") : stdout;
   int            ok = buf && f && bytes && sneppp_save(model, buf, bytes) == bytes && fwrite(buf, 1, bytes, f) == bytes;
   if (f && f != stdout) ok = !fclose(f) && ok;
   free(buf);
   if (!ok) fail(path, " cannot be written");
}

static const sneppp_window *window_of(const sneppp_model *m, int factor) { return &m->desc.factor[factor].window; }

static int is_timed(const sneppp_model *m) { return m->factors == 2 && window_of(m, 1)->dim == 1; }

/* Texts of --region become windows, each for its factor. */
static void regions(const sneppp_model *m, const options *o, sneppp_window part[SNEPPP_MAX_FACTORS], sneppp_region *region)
{
   memset(region, 0, sizeof *region);
   memset(part, 0, SNEPPP_MAX_FACTORS * sizeof *part);
   for (int k = 0; k < o->regions; k++) {
      const char *text = o->region[k], *rest = strchr(text, ':');
      double      side[CSV_MAX_COLUMNS];
      const int   timed = strncmp(text, "time:", 5) == 0, f = timed ? m->factors - 1 : 0;
      if (!rest || (!timed && strncmp(text, "box:", 4) != 0 && strncmp(text, "polygon:", 8) != 0)) fail("a region is box:x0,x1,y0,y1 or polygon:FILE or time:a,b, not ", text);
      if (timed && window_of(m, f)->dim != 1) fail("the model knows no time: ", text);
      if (strncmp(text, "polygon:", 8) == 0) read_polygon(rest + 1, &part[f]);
      else {
         const int n = csv_row(rest + 1, side);
         if (n != 2 * window_of(m, f)->dim) fail("the number of sides does not fit the model: ", text);
         part[f].space = SNEPPP_BOX;
         part[f].dim = n / 2;
         for (int i = 0; i < n / 2; i++) {
            part[f].lo[i] = side[2 * i];
            part[f].hi[i] = side[2 * i + 1];
            if (!(part[f].lo[i] < part[f].hi[i])) fail("a side ends before it begins: ", text);
         }
      }
      if (region->factor[f]) fail("two regions for the same coordinates: ", text);
      region->factor[f] = &part[f];
   }
}

/* ---- pictures */
static void draw(const sneppp_model *m, const sneppp_real *x, size_t count, const sneppp_window *when, const sneppp_parallel *par, const char *path)
{
   const sneppp_window *w = window_of(m, 0);
   const size_t d = (size_t)w->dim;
   draw_style   style;
   sneppp_model space;
   sneppp_error err;
   sneppp_real *at = NULL;
   int          outside, bars, ok = 0;
   memset(&style, 0, sizeof style);
   style.title = count ? "events" : "fitted intensity";
   style.xlabel = d == 1 ? "time" : "x";
   style.ylabel = d == 1 ? "events in one bar" : "y";
   style.legend = w->space == SNEPPP_SPHERE ? "events per steradian" : "events per unit of area";
   if (is_timed(m)) { /* the map of all times, or of a part */
      if (sneppp_marginal(m, 1, when, &space, &err) != SNEPPP_OK) fail(err.why, "");
      if (count && !when) {
         at = (sneppp_real *)malloc(count * d * sizeof *at);
         if (!at) fail("not enough memory for ", path);
         for (size_t i = 0; i < count * d; i++) at[i] = x[i / d * (d + 1) + i % d];
      }
      draw(&space, at, at ? count : 0, NULL, par, path);
      free(at);
      sneppp_free(&space);
      return;
   }
   if (m->factors > 1) fail("only models of a place, of time, or of both are drawn: ", path);
   if (w->space == SNEPPP_SPHERE && d == 3) ok = draw_sphere(m, x, count, &style, par, path);
   else if (d == 2 && (w->space == SNEPPP_BOX || w->space == SNEPPP_POLYGON || w->space == SNEPPP_BALL)) ok = draw_plane(m, x, count, &style, par, path);
   else if (d == 1 && (w->space == SNEPPP_BOX || w->space == SNEPPP_INTERVALS)) ok = draw_time(m, x, count, &style, path, &outside, &bars);
   else fail("only windows with one or two coordinates and the sphere are drawn: ", path);
   if (!ok) fail(path, " cannot be written");
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

static void describe(const options *o, sneppp_desc *desc)
{
   sneppp_window *w = &desc->factor[0].window, *t = &desc->factor[1].window;
   memset(desc, 0, sizeof *desc);
   if ((o->sides > 0) + o->sphere + (o->polygon != NULL) != 1) fail("give one of --window, --polygon and --sphere: the place in which all events were seen", "");
   if (!o->time != !o->spans) fail("--time COLUMN and --time-window a,b belong together", "");
   if (o->polygon) read_polygon(o->polygon, w);
   else {
      w->dim = o->sphere ? 3 : o->sides / 2;
      w->space = o->sphere ? SNEPPP_SPHERE : SNEPPP_BOX;
   }
   for (int k = 0; k < o->sides / 2; k++) { w->lo[k] = o->window[2 * k]; w->hi[k] = o->window[2 * k + 1]; }
   if (o->time) {
      t->dim = 1;
      t->space = o->spans > 2 ? SNEPPP_INTERVALS : SNEPPP_BOX;
      t->lo[0] = o->span[0];
      t->hi[0] = o->span[1];
      t->count = (size_t)o->spans / 2;
      t->ends = o->span;
   }
   desc->width = o->width;
   desc->seed = o->seed;
}

typedef struct learned {
   points          events;
   sneppp_desc     desc;
   sneppp_model    model;
   sneppp_report   report;
   sneppp_pool    *pool;
   sneppp_parallel parallel;
} learned;

static void forget(learned *l)
{
   points_free(&l->events);
   sneppp_free(&l->model);
   sneppp_pool_free(l->pool);
}

/* Events, a window, one call. */
static void learn(const options *o, learned *l)
{
   sneppp_events   train;
   sneppp_fit_desc f;
   sneppp_error    err;
   double          last = 0;
   memset(&train, 0, sizeof train);
   memset(&f, 0, sizeof f);
   memset(l, 0, sizeof *l);
   describe(o, &l->desc);
   if (sneppp_init(&l->model, &l->desc, &err) != SNEPPP_OK) complain(o->polygon ? o->polygon : "the window", &err);
   l->events = coordinates(o->file[0], o, &l->desc.factor[0].window, o->time != NULL);
   l->pool = sneppp_pool_make(o->threads, NULL);
   if (l->pool) l->parallel = sneppp_pool_parallel(l->pool);
   train.x = l->events.x;
   train.count = l->events.count;
   f.events = &train;
   f.method = o->method;
   f.seed = o->seed;
   f.parallel = l->parallel;
   if (isatty(2)) { f.progress = show; f.user = &last; }
   if (sneppp_fit(&l->model, &f, &l->report, &err) != SNEPPP_OK) complain_event(&l->events, &err);
   if (last > 0) fprintf(stderr, "\r%70s\r", "");
}

static void json_number(FILE *to, const char *name, double v)
{
   if (v - v == 0) fprintf(to, ", \"%s\": %.10g", name, v);
   else fprintf(to, ", \"%s\": null", name);
}

static int fit(int count, char **arg)
{
   static const char *const name[] = {"auto", "convex", "pgd", "adam"};
   options       o = parse("fit", count, arg, 1, "Which file of events?");
   FILE         *say = (o.save && !strcmp(o.save, "-")) || (o.png && !strcmp(o.png, "-")) ? stderr : stdout;
   learned       l;
   points        held;
   sneppp_error  err;
   double        test_nll = nan(""), expected = 0, volume;
   unsigned long observed;
   must_be_writable(o.save);
   must_be_writable(o.png);
   learn(&o, &l);
   if (sneppp_count(&l.model, NULL, &expected, &err) != SNEPPP_OK) fail(err.why, "");
   volume = sneppp_window_mass(&l.desc.factor[0].window) * (o.time ? sneppp_window_mass(&l.desc.factor[1].window) : 1);
   observed = (unsigned long)l.events.count;
   if (o.test) {
      sneppp_events test;
      memset(&test, 0, sizeof test);
      held = coordinates(o.test, &o, &l.desc.factor[0].window, o.time != NULL);
      test.x = held.x;
      test.count = held.count;
      observed = (unsigned long)held.count;
      if (held.count && sneppp_test_nll(&l.model, &test, 1, o.test_scale, &test_nll, &l.parallel, &err) != SNEPPP_OK) complain_event(&held, &err);
      test_nll -= log(volume);
      points_free(&held);
   }
   if (o.save) save(&l.model, o.save);
   if (o.png) draw(&l.model, l.events.x, l.events.count, NULL, &l.parallel, o.png);
   if (o.json) {
      fprintf(say, "{\"events\": %lu, \"method\": \"%s\", \"width\": %d", (unsigned long)l.events.count, name[l.report.method], l.report.width);
      json_number(say, "expected", expected);
      json_number(say, "nll_per_event", l.report.nll);
      json_number(say, "test_nll", test_nll);
      json_number(say, "gap", l.report.gap);
      json_number(say, "floor", l.model.floor);
      json_number(say, "seconds", l.report.seconds);
      fprintf(say, "}\n");
   } else {
      fprintf(say, "%lu events in a window of %g; method %s\n", (unsigned long)l.events.count, volume, name[l.report.method]);
      fprintf(say, "%d features, uniform part %.1f %%, %.1f events expected in the whole window\n", l.report.width, expected > 0 ? 100 * l.model.floor * volume / expected : 0.0, expected);
      for (int k = 0, first = 1; k < l.model.D && k < SNEPPP_RADIAL_DIM && l.report.axes[0] > 0 && l.model.D > 1; k++) {
         if (o.sphere && (k == 1 || k == 2)) continue; /* the coordinates of a sphere stay together */
         if (!o.sphere || l.model.D > 3) fprintf(say, first ? "width along the axes 1" : " : %.3g", l.report.axes[k]);
         first = 0;
         if (k == l.model.D - 1) fprintf(say, o.sphere ? " (radians : time)\n" : "\n");
      }
      if (o.save && say == stdout) printf("model: %s\n", o.save);
      if (o.png && say == stdout) printf("picture: %s\n", o.png);
   }
   fprintf(say, "test_nll=%.6f expected=%.3f observed=%lu train_events=%lu width=%d gap=%.3g seconds=%.3f\n", test_nll,
           o.test ? o.test_scale * expected : expected, observed, (unsigned long)l.events.count, l.report.width, l.report.gap, l.report.seconds);
   forget(&l);
   return 0;
}

/* ---- asking: a model, and what part of it */
typedef struct question {
   options       o;
   sneppp_model  model;
   sneppp_window part[SNEPPP_MAX_FACTORS];
   sneppp_region region;
} question;

/* From a saved model, or, when a window is given, from events that are fitted first. */
static void ask(question *q, const char *verb, int count, char **arg, int files, const char *missing)
{
   learned l;
   q->o = parse(verb, count, arg, files, missing);
   if (q->o.sides || q->o.polygon || q->o.sphere) {
      learn(&q->o, &l);
      q->model = l.model;
      memset(&l.model, 0, sizeof l.model); /* q has it now */
      forget(&l);
   } else q->model = load(q->o.file[0]);
   regions(&q->model, &q->o, q->part, &q->region);
}

static double expect(const question *q, uint64_t *lo, uint64_t *hi)
{
   sneppp_error err;
   double       expected = 0;
   if (sneppp_count(&q->model, &q->region, &expected, &err) != SNEPPP_OK) complain(q->o.regions == 1 ? q->o.region[0] : "the region", &err);
   sneppp_poisson_interval(expected, 0.9, lo, hi);
   return expected;
}

/* Columns of points and samples: x1, x2, ... or lon, lat; then the time. */
static void print_names(const sneppp_model *m, const char *end)
{
   const sneppp_window *w = window_of(m, 0);
   const int            globe = w->space == SNEPPP_SPHERE && w->dim == 3;
   if (globe) printf("lon,lat");
   for (int k = globe ? 3 : 0; k < m->D; k++)
      if (is_timed(m) && k == m->D - 1) printf(",time");
      else printf("%sx%d", k ? "," : "", k + 1);
   printf("%s", end);
}

static void print_point(const sneppp_model *m, const sneppp_real *x)
{
   const sneppp_window *w = window_of(m, 0);
   int                  k = 0;
   if (w->space == SNEPPP_SPHERE && w->dim == 3) {
      double lon = 0, lat = 0;
      if (sneppp_unit_to_lonlat(x, &lon, &lat, NULL) != SNEPPP_OK) fail("a point is not on the sphere", "");
      printf("%.8g,%.8g", lon, lat);
      k = 3;
   }
   for (; k < m->D; k++) printf("%s%.10g", k ? "," : "", (double)x[k]);
}

static int eval(int count, char **arg)
{
   options       o = parse("eval", count, arg, 2, "Which model, and which file of points?");
   sneppp_model  m;
   sneppp_events at;
   points        p;
   sneppp_real  *v;
   sneppp_error  err;
   if (!strcmp(o.file[0], "-") && !strcmp(o.file[1], "-")) fail("the model and the points cannot both come from standard input", "");
   m = load(o.file[0]);
   memset(&at, 0, sizeof at);
   p = coordinates(o.file[1], &o, window_of(&m, 0), is_timed(&m));
   at.x = p.x;
   at.count = p.count;
   v = (sneppp_real *)malloc((at.count + 1) * sizeof *v);
   if (!v) fail("not enough memory for ", o.file[1]);
   if (at.count && sneppp_intensities(&m, &at, v, NULL, &err) != SNEPPP_OK) complain_event(&p, &err);
   print_names(&m, ",intensity\n");
   for (size_t i = 0; i < at.count; i++) {
      print_point(&m, p.x + i * (size_t)m.D);
      printf(",%.10g\n", (double)v[i]);
   }
   free(v);
   points_free(&p);
   sneppp_free(&m);
   return 0;
}

static int count_region(int count, char **arg)
{
   question q;
   uint64_t lo, hi;
   double   expected;
   ask(&q, "count", count, arg, 1, "Which model?");
   expected = expect(&q, &lo, &hi);
   printf("expected=%.6g interval90=%lu,%lu\n", expected, (unsigned long)lo, (unsigned long)hi);
   sneppp_free(&q.model);
   return 0;
}

static int profile(int count, char **arg)
{
   question             q;
   const sneppp_window *w;
   sneppp_window        span;
   double               a, b;
   int                  f;
   ask(&q, "profile", count, arg, 1, "Which model?");
   f = q.model.factors - 1;
   w = window_of(&q.model, f);
   if (w->dim != 1 || (w->space != SNEPPP_BOX && w->space != SNEPPP_INTERVALS)) fail("the model knows no time: ", q.o.file[0]);
   a = w->space == SNEPPP_INTERVALS ? w->ends[0] : w->lo[0];
   b = w->space == SNEPPP_INTERVALS ? w->ends[2 * w->count - 1] : w->hi[0];
   if (q.region.factor[f]) { a = fmax(a, q.region.factor[f]->lo[0]); b = fmin(b, q.region.factor[f]->hi[0]); }
   if (!(a < b)) fail("the region lies outside the window", "");
   memset(&span, 0, sizeof span);
   span.dim = 1;
   q.region.factor[f] = &span;
   for (int k = 0; k < q.o.bins; k++) {
      uint64_t lo, hi;
      double   expected;
      span.lo[0] = a + (b - a) * k / q.o.bins;
      span.hi[0] = k + 1 < q.o.bins ? a + (b - a) * (k + 1) / q.o.bins : b;
      expected = expect(&q, &lo, &hi);
      if (!k) printf("from,to,expected,lo90,hi90\n");
      printf("%.10g,%.10g,%.6g,%lu,%lu\n", span.lo[0], span.hi[0], expected, (unsigned long)lo, (unsigned long)hi);
   }
   sneppp_free(&q.model);
   return 0;
}

static int draw_file(int count, char **arg)
{
   question q;
   ask(&q, "draw", count, arg, 2, "Which model, and what is the picture's name?");
   if (q.region.factor[0] || (q.o.regions && !is_timed(&q.model))) fail("draw takes only a region of time, for models with a place and a time", "");
   draw(&q.model, NULL, 0, q.region.factor[1], NULL, q.o.file[1]);
   sneppp_free(&q.model);
   return 0;
}

static int sample(int count, char **arg)
{
   question           q;
   sneppp_sample_info told;
   sneppp_rng         rng, again;
   sneppp_error       err;
   sneppp_real       *x = NULL;
   sneppp_status      st;
   ask(&q, "sample", count, arg, 1, "Which model?");
   sneppp_rng_init(&rng, q.o.seed, 0);
   again = rng;
   memset(&told, 0, sizeof told);
   st = sneppp_sample(&q.model, &q.region, &rng, q.o.draws, NULL, 0, &told, &err); /* how many? */
   if (st == SNEPPP_ERR_SIZE && told.count) {
      x = (sneppp_real *)malloc(told.count * (size_t)q.model.D * sizeof *x);
      if (!x) fail("not enough memory for so many events", "");
      st = sneppp_sample(&q.model, &q.region, &again, q.o.draws, x, told.count, &told, &err);
   }
   if (st != SNEPPP_OK) complain(q.o.regions == 1 ? q.o.region[0] : q.o.file[0], &err);
   print_names(&q.model, "\n");
   for (size_t i = 0; x && i < told.count; i++) {
      print_point(&q.model, x + i * (size_t)q.model.D);
      putchar('\n');
   }
   free(x);
   sneppp_free(&q.model);
   return 0;
}

static int write_text(const char *text, size_t bytes, void *user) { return fwrite(text, 1, bytes, (FILE *)user) != bytes; }

static int export_c(int count, char **arg)
{
   options      o = parse("export", count, arg, 2, "Which model, and what is the header's name?");
   sneppp_model m = load(o.file[0]);
   const char  *base = strrchr(o.file[1], '/');
   FILE        *f = stdout;
   sneppp_error err;
   char         name[64] = "model";
   if (strcmp(o.file[1], "-") != 0) snprintf(name, sizeof name, "%.*s", (int)strcspn(base ? base + 1 : o.file[1], "."), base ? base + 1 : o.file[1]);
   for (const char *c = name; *c; c++) /* before a file is made that is of no use */
      if (!(*c == '_' || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (c > name && *c >= '0' && *c <= '9'))) fail("the model would be called as the file, but that is no name in C: ", name);
   if (strcmp(o.file[1], "-") != 0) f = fopen(o.file[1], "wb");
   if (!f) fail(o.file[1], " cannot be written");
   if (sneppp_export_c(&m, name, write_text, f, &err) != SNEPPP_OK) fail(err.why, "");
   if (f != stdout && fclose(f)) fail(o.file[1], " cannot be written");
   sneppp_free(&m);
   return 0;
}

static int info(int count, char **arg)
{
   static const char *const space[] = {"box", "Gaussian mixture", "sphere", "intervals", "polygon", "ball", "R^d", "gamma", "beta", "Dirichlet",
                                       "Poisson", "binomial", "negative binomial", "normal", "von Mises", "finite set"};
   options      o = parse("info", count, arg, 1, "Which model?");
   sneppp_model m = load(o.file[0]);
   sneppp_error err;
   double       expected;
   for (int f = 0; f < m.factors; f++) {
      const sneppp_window *w = window_of(&m, f);
      printf("window: %s, %d coordinate%s", w->space < SNEPPP_SPACE_END ? space[w->space] : "?", w->dim, w->dim == 1 ? "" : "s");
      if (w->space == SNEPPP_BOX) for (int k = 0; k < w->dim; k++) printf("%s[%.10g, %.10g]", k ? " x " : ", ", w->lo[k], w->hi[k]);
      printf("; size %.10g\n", sneppp_window_mass(w));
   }
   printf("features: %d, readout: %s\n", m.n, m.desc.readout == SNEPPP_READOUT_DIAGONAL ? "diagonal" : "full");
   printf("uniform part: %.10g per unit of the window\n", m.floor);
   if (sneppp_count(&m, NULL, &expected, &err) == SNEPPP_OK) printf("expected in the whole window: %.10g\n", expected);
   printf("bytes when saved: %lu\n", (unsigned long)sneppp_save(&m, NULL, 0));
   sneppp_free(&m);
   return 0;
}

static void put(const char *text, void *user) { fputs(text, (FILE *)user); }

static int kernels(int count, char **arg)
{
   parse("kernels", count, arg, 0, "");
   sneppp_kernel_list(put, stdout);
   return 0;
}

int main(int count, char **arg)
{
   const char *verb = count > 1 ? arg[1] : "help";
   if (!strcmp(verb, "fit")) return fit(count - 2, arg + 2);
   if (!strcmp(verb, "eval")) return eval(count - 2, arg + 2);
   if (!strcmp(verb, "count")) return count_region(count - 2, arg + 2);
   if (!strcmp(verb, "profile")) return profile(count - 2, arg + 2);
   if (!strcmp(verb, "draw")) return draw_file(count - 2, arg + 2);
   if (!strcmp(verb, "sample")) return sample(count - 2, arg + 2);
   if (!strcmp(verb, "export")) return export_c(count - 2, arg + 2);
   if (!strcmp(verb, "info")) return info(count - 2, arg + 2);
   if (!strcmp(verb, "kernels")) return kernels(count - 2, arg + 2);
   if (!strcmp(verb, "help") || !strcmp(verb, "--help") || !strcmp(verb, "-h")) return help(count > 2 ? arg[2] : NULL);
   fail("there is no such command; sneppp help lists them: ", verb);
   return 2;
}
