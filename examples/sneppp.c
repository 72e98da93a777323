/* The command line program: fit a Poisson intensity to events in a CSV file, save it, ask it, draw it.
      cc -O2 -o sneppp examples/sneppp.c -lm -lpthread
      ./sneppp fit examples/data/bei.csv --window 0,1000,0,500 --save trees.model --png trees.png
      ./sneppp count trees.model --region box:600,700,50,150                                    (see ./sneppp help) */
#define _POSIX_C_SOURCE 200112L /* isatty */
#define SNEPPP_PTHREADS
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include "asc.h"
#include "draw.h"
#include "check.h"
#include "export.h"
#include <sys/stat.h>
#include <unistd.h>

#define FIT_OPTIONS "--window --polygon --sphere --coordinates --columns --time --time-window --method --width --seed --threads " \
                    "--activation --steps --rate --schedule --floor --eps1 --eps2 --trace --tune --exposure --covariate --no-place "

/* What `help VERB` prints; the first line of each stands in the list of `help`. */
static const struct { const char *verb, *options, *text; } manual[] = {
   {"fit", FIT_OPTIONS "--counts --test --test-scale --save --png --json ",
    "sneppp fit (EVENTS.csv | --counts REGIONS) (--window x0,x1[,y0,y1,...] | --polygon FILE | --sphere) [options]   learn an intensity\n"
    "EVENTS.csv holds one event per line, in columns separated by commas, semicolons, tabs or spaces; - is standard input. Lines\n"
    "that begin with # and a header, a first row without numbers, are allowed, and so is text in columns that are not used.\n"
    "Dates and times such as 2016-03-01 or 2016-03-01T12:30:00+02:00 are days since 1970-01-01, here and in options, and\n"
    "come out as they went in. GeoJSON is read, too: points with their properties as columns, and polygons.\n"
    "  --window x0,x1,...   the box in which all events were seen, in the units of the file\n"
    "  --polygon FILE       the polygon in which they were seen: a CSV of corners x,y[,ring]; inner rings are holes. Or GeoJSON\n"
    "  --sphere             longitude and latitude in degrees, or unit vectors in three columns\n"
    "  --coordinates C      of the sphere: degrees, radians or vectors (default: what all rows of the file look like)\n"
    "  --columns a,b        the columns to use, by name or number (default: x, y and z, or the first with numbers\n"
    "                       that are not the time; dates only if there is one coordinate; on the sphere longitude and\n"
    "                       latitude, or lon and lat)\n"
    "  --time COLUMN        the column of times, with --time-window a,b[,c,d,...]: the intervals that were watched\n"
    "  --exposure FILE.asc  what was exposed in each cell of an ESRI ASCII grid, such as people per unit of area; cells of 0 and\n"
    "                       NODATA are outside. --window or --polygon cuts the cells. The intensity is that of events, see raster\n"
    "  --covariate N=F.asc  a number N for each cell, such as its elevation; may be given again. Grids that differ from the\n"
    "                       first are resampled to it. auto lets them multiply the exposure as far as that helps\n"
    "  --no-place           the covariates alone explain the events, not the coordinates\n"
    "  --counts FILE        instead of events: how many there were in regions. One per line, in the words of count and a number,\n"
    "                       such as box:0,200,0,100 12 or polygon:north.csv time:3,4 7; they may overlap and leave gaps\n"
    "  --test FILE          events to judge the fit by, not used for it\n"
    "  --test-scale S       intensity of the test events relative to the training ones (default 1)\n"
    "  --method M           auto (default), convex, pgd or adam\n"
    "  --width N            budget of features (default: as many as the data deserve); beyond 2048 only for --method auto\n"
    "  --seed N             of everything random (default 1)\n"
    "  --threads N          threads to use (default 1)\n"
    "  --floor P            share of the events that a uniform part explains: where adam starts, what convex and pgd keep\n"
    "For --method convex, pgd and adam:\n"
    "  --activation A       cos, sin, exp, step, relu or rbf; erf, phi and gelu for --no-place only\n"
    "  --steps N            most steps (default 2000 for convex, 20000 for pgd, 600 for adam)\n"
    "  --tune yes|no        choose the scale of cos and sin features and, but for adam, --trace by events held out (default\n"
    "                       yes where there is something to choose)\n"
    "  --eps1 E --eps2 E    convex, pgd: V'V = M + E I (default 0.5/n for pgd, else 0); penalty E/2 |M|^2 per event (0)\n"
    "  --trace E            convex, pgd: penalty E tr(M) per event\n"
    "  --rate R             adam: learning rate (default 0.0125), with --schedule constant (default), cosine or linear\n"
    "  --save MODEL         write the model; - is standard output (the summary then goes to standard error)\n"
    "  --png FILE           draw the events and the intensity\n"
    "  --json               a line of JSON in the place of all but the last line\n"
    "The last line is: test_nll=... expected=... observed=... train_events=... width=... gap=... seconds=...\n"
    "test_nll is there with --test only, and gap, the most by which the likelihood less its penalties can still be improved (nats per event),\n"
    "where a convex problem was solved; of auto it is weights_gap, that of the weights of its widths by leave-one-out only.\n"},
   {"eval", "--coordinates --columns --time --dates ",
    "sneppp eval MODEL POINTS.csv [--columns a,b] [--time COLUMN] [--coordinates C]   the intensity at points, as CSV\n"
    "The file and its columns are as in fit; the time is the column called time, or the first with dates, or\n"
    "the first after the coordinates. Prints the coordinates and the intensity, events per unit of the window, one point\n"
    "per line. Points outside the window have intensity 0. Times are dates if they were in the file, or with --dates.\n"},
   {"count", FIT_OPTIONS "--region --regions --level ",
    "sneppp count MODEL [--region R]... [--regions FILE] [--level L]   the expected number of events in a region, exactly\n"
    "R is box:x0,x1,y0,y1 or polygon:FILE or time:a,b; one for space and one for time may be given. Prints the expected\n"
    "number and the range that holds nine of ten counts. On the sphere R may be lonlat:west,east,south,north (east < west\n"
    "crosses the date line), cap:lon,lat,degrees or polygon:FILE with longitudes and latitudes, and arcs of great circles between\n"
    "them; exact to 1e-9 for a default fit, else numerical; an estimate of the error is printed.\n"
    "Instead of a model, events and the options of fit may be given:\n"
    "sneppp count EVENTS.csv --window 0,10,0,5 --region box:0,1,0,1\n"
    "  --regions FILE       many: one per line, such as box:0,1,0,1 time:3,4; one line of output each, in their order\n"
    "  --level L            how sure it is: lo to hi holds the true mean, and count_lo to count_hi a new count, with this\n"
    "                       probability, such as 0.95\n"},
   {"profile", FIT_OPTIONS "--region --bins --level --png --dates ",
    "sneppp profile MODEL [--region R]... [--bins N] [--level L] [--png FILE]   expected numbers over time, as CSV\n"
    "For models on a line and models with time; R may be a place and a span of time. N equal intervals (default 24); where\n"
    "nobody watched, nothing is expected. --level as in count; --png draws the band that holds the true means (0.95).\n"
    "Times are dates if they are in a region or in the events, or with --dates. Instead of a model, events and the options of\n"
    "fit may be given.\n"},
   {"raster", "--region --cells --relative ",
    "sneppp raster MODEL OUT.asc [--region time:a,b] [--cells N] [--relative]   means over cells, as an ESRI ASCII grid\n"
    "Writes the intensity averaged over what each cell has of the window, exactly, for models in a box or a polygon of the\n"
    "plane or on a raster. The cells are those that the model was fitted with; without them N squares along the longer\n"
    "side (default 100). --relative divides by the exposure: the risk. Cells outside the window are NODATA.\n"},
   {"draw", "--region --error --geojson --cells --contours --dates ",
    "sneppp draw MODEL FILE.png [--region time:a,b] [--error | --geojson] [--dates]   a picture of the intensity\n"
    "Time is integrated out, over a part of it if a region is given. Windows with one or two coordinates and the sphere.\n"
    "What is outside of the window is grey. With --dates, a line of time has dates below it.\n"
    "  --error              the standard error relative to the intensity instead: in the plane and on the sphere, no time\n"
    "  --geojson            the file is GeoJSON, for maps, as it is if its name ends in .geojson or .json: cells with\n"
    "                       the intensity in their middle and, in the plane, the exact expected number; --cells N\n"
    "                       along the longer side (default 60)\n"
    "  --contours N         with --geojson: lines of N intensities between the least and the largest instead, on --cells\n"
    "                       (default 200)\n"},
   {"sample", "-n --region --seed --dates ",
    "sneppp sample MODEL [-n N] [--region R]... [--seed S]   simulated events, as CSV\n"
    "Exact draws from the model; without -n their number is a Poisson draw, too. The same seed gives the same events.\n"
    "Places on the sphere are printed as longitude and latitude, times as dates with --dates or if a region has dates.\n"},
   {"check", "--coordinates --columns --time --kept-back --test-scale --simulations --seed --threads --png --json ",
    "sneppp check MODEL EVENTS.csv [options]   is the model right, or do events attract or repel each other?\n"
    "The file and its columns are as in fit. Prints the tests, one sentence that sums them up, and a line for programs. A\n"
    "Poisson process is rejected in about 5 of 100 cases, also if the model was fitted to these very events: pairs are judged\n"
    "by fits to parts of them. Structure so fine that a fifth of the events does not show it counts as clusters: one pattern\n"
    "cannot tell these two apart. Where all coordinates were rounded to steps, such as days, events are spread over these and\n"
    "nothing is said of distances below; where only a part was rounded, round the rest alike.\n"
    "  --kept-back          the model has not seen these events: simulations are exact draws from it\n"
    "  --test-scale S       intensity of these events relative to those fitted (default 1), such as 0.25 if one event in\n"
    "                       five was kept back\n"
    "  --simulations N      of each of eight turns, by which pairs are judged (default 99, with --kept-back 199)\n"
    "  --png FILE           draw residuals, quantiles and the K function with its envelope\n"
    "  --seed N             deals the events anew, which gives another p (default 1): choose it before you look\n"
    "  --threads N, --coordinates C, --columns a,b, --time COLUMN, --json   as in fit\n"
    "The last line is: p=... pairs_p=... dispersion=... counts_p=... times_p=... events=...\n"
    "What was not tested is left out.\n"},
   {"compare", "--coordinates --columns --time --region --test-scale --json ",
    "sneppp compare A B TEST.csv [--region R]...   which of two models is better on events that neither has seen?\n"
    "Prints the difference of the log-likelihoods per event, A minus B, with its standard error: above 0, A is better. Then\n"
    "by quarters of the place, if it is a box, or in the regions that are given in the words of count.\n"
    "  --test-scale S       intensity of the test events relative to those fitted (default 1)\n"
    "The last line is: gain=... error=... events=...\n"},
   {"export", "",
    "sneppp export MODEL NAME.h   the model as C source, for firmware\n"
    "Include it after sneppp.h, with SNEPPP_INFERENCE_ONLY; the model is called NAME, which must be a name in C and C++.\n"
    "- is standard output, and the model is called model.\n"},
   {"info", "--dates ", "sneppp info MODEL [--dates]   what a saved model is\nWith --dates, times are printed as dates.\n"},
   {"kernels", "", "sneppp kernels   the table of closed forms, as Markdown\n"},
   {"help", "", "sneppp help [COMMAND]   this list, or all about one command; --version: the library's\n"}};

static char where_read[400]; /* the line of a file of regions that is being read, with a colon; else empty */

/* One sentence on the standard error, exit code 2. */
static void fail(const char *a, const char *b)
{
   fprintf(stderr, "sneppp: %s%s%s\n", where_read, a, b);
   exit(2);
}

/* Lists that live as long as the program. */
typedef struct kept { struct kept *next; void *list; } kept;
static kept *all_kept;

static void forget_lists(void)
{
   while (all_kept) {
      kept *next = all_kept->next;
      free(all_kept->list);
      free(all_kept);
      all_kept = next;
   }
}

static void *keep(void *list)
{
   kept *k = (kept *)malloc(sizeof *k);
   if (!k) fail("not enough memory", "");
   if (!all_kept) atexit(forget_lists);
   k->next = all_kept;
   k->list = list;
   all_kept = k;
   return list;
}

/* A file that cannot be used, with the system's reason where it gave one: errno is 0 before what is tried. */
static void fail_file(const char *path, const char *what)
{
   const int why = errno;
   fprintf(stderr, "sneppp: %s%s%s%s%s\n", where_read, path, what, why ? ": " : "", why ? strerror(why) : "");
   exit(2);
}

/* The library's sentence for people who gave files and options: `what` they gave stands in place of the field. */
static void complain(const char *what, const sneppp_error *err)
{
   const char *why = err->why, *field = strstr(why, "factor["), *colon = ": ";
   char        text[700];
   if (field && (field == why || field == why + 7)) { /* "factor[0]: ...", "region.factor[0] ..." or "factor[0].xy ..." */
      why = strchr(field, ']') + 1;
      if (*why == '.') why++;
      else colon = "";
   }
   snprintf(text, sizeof text, "%s%s%s", what, colon, why);
   fail(text, "");
}

/* What was printed must have arrived, for example on a disk that is full. */
static int finish(int code)
{
   errno = 0;
   if (fflush(stdout) || ferror(stdout)) fail_file("standard output", " cannot be written");
   return code;
}

static int help(const char *verb)
{
   const size_t verbs = sizeof manual / sizeof *manual;
   for (size_t k = 0; k < verbs; k++) {
      if (verb && !strcmp(verb, manual[k].verb)) { fputs(manual[k].text, stdout); return 0; }
      if (!verb) printf("%.*s\n", (int)strcspn(manual[k].text, "\n"), manual[k].text);
   }
   if (verb) fail("there is no help for ", verb);
   printf("\nMODEL is a file written by fit --save; - is standard input or output. The exit code is 0, or 2 after a mistake, which\n"
          "is told in one sentence on standard error.\n");
   return 0;
}

/* How places on the sphere are written. */
typedef enum form { FORM_GUESSED, FORM_DEGREES, FORM_RADIANS, FORM_VECTORS } form;

typedef struct options {
   const char   *verb, *file[3], *test, *columns, *polygon, *time, *save, *png, *region[2], *many, *counts;
   const char   *seen[32]; /* options that were given */
   double       *window, *span, test_scale, level;
   size_t        draws;
   int           files, regions, sides, spans, sphere, width, threads, json, bins, given, error, kept_back, simulations;
   int           dates, geojson, cells, contours; /* dates: times are printed as such */
   form          coordinates;
   sneppp_method method;
   uint64_t      seed;
   sneppp_act    act;
   sneppp_fit_desc settings; /* of the fit: only what options say */
   const char   *tune, *exposure, *covariate[SNEPPP_MAX_DIM];
   int           covariates, no_place, relative;
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

/* Are dates among these numbers? Then times are printed as dates, too. */
static int has_date(const char *text)
{
   for (; *text; text += strcspn(text, ",:"), text += *text != 0) {
      double     days;
      char       piece[64];
      snprintf(piece, sizeof piece, "%.*s", (int)strcspn(text, ","), text);
      if (csv_date(piece, &days)) return 1;
   }
   return 0;
}

/* Digits that tell two numbers apart, six if they can. */
static int digits(double a, double b)
{
   int n = 6;
   while (n < 17 && a != b && fabs(a - b) < fmax(fabs(a), fabs(b)) * pow(10, 1 - n)) n++;
   return n;
}

/* Pairs a,b with a < b: the sides of a box, or intervals, which then must not overlap. The list lives as long as the
   program. */
static double *pairs(const char *option, const char *text, int *count, int ordered)
{
   int     room = 1, n;
   double *out;
   char    why[200];
   for (const char *c = text; *c; c++) room += *c == ',';
   out = (double *)malloc((size_t)room * sizeof *out);
   if (!out) fail("not enough memory for ", option);
   keep(out);
   n = csv_list(text, out, room);
   if (n < 2 || n % 2) {
      snprintf(why, sizeof why, "%s takes pairs of numbers a,b[,c,d,...], not \"%.60s\"", option, text);
      fail(why, "");
   }
   for (int k = 1; k < n; k++)
      if ((k % 2 || ordered) && !(out[k - 1] < out[k])) {
         char a[40], b[40];
         if (has_date(text) && csv_iso(out[k - 1], a) && csv_iso(out[k], b)) snprintf(why, sizeof why, "%s: %s is not before %s", option, a, b);
         else snprintf(why, sizeof why, "%s: %.*g is not below %.*g", option, digits(out[k - 1], out[k]), out[k - 1], digits(out[k - 1], out[k]), out[k]);
         fail(why, "");
      }
   *count = n;
   return out;
}

static const char *const methods[] = {"auto", "convex", "pgd", "adam"}, *const schedules[] = {"constant", "cosine", "linear"},
                        *const forms[] = {"degrees", "radians", "vectors"};

/* The number of a word in a list, or a sentence with what the words are. */
static int named(const char *v, const char *const *list, int count, const char *what)
{
   for (int k = 0; k < count; k++) if (!strcmp(v, list[k])) return k;
   fail(what, v);
   return 0;
}

static sneppp_act act_named(const char *v)
{
   static const struct { const char *name; sneppp_act act; } list[] = {
      {"cos", SNEPPP_ACT_COS}, {"sin", SNEPPP_ACT_SIN}, {"exp", SNEPPP_ACT_EXP}, {"erf", SNEPPP_ACT_ERF}, {"phi", SNEPPP_ACT_PHI},
      {"step", SNEPPP_ACT_STEP}, {"relu", SNEPPP_ACT_RELU}, {"gelu", SNEPPP_ACT_GELU}, {"rbf", SNEPPP_ACT_RBF}};
   for (size_t k = 0; k < sizeof list / sizeof *list; k++) if (!strcmp(v, list[k].name)) return list[k].act;
   fail("--activation is cos, sin, exp, erf, phi, step, relu, gelu or rbf, not ", v);
   return SNEPPP_ACT_DEFAULT;
}

/* One option with its value; 0: unknown. */
static int take(options *o, const char *a, const char *v)
{
   if (!strcmp(a, "--window")) {
      o->window = pairs(a, v, &o->sides, 0);
      if (o->sides > 2 * SNEPPP_MAX_DIM) fail("too many coordinates: --window ", v);
      o->dates |= o->sides == 2 && has_date(v);
   } else if (!strcmp(a, "--time-window")) {
      o->span = pairs(a, v, &o->spans, 1);
      o->dates |= has_date(v);
   } else if (!strcmp(a, "--region")) {
      if (o->regions == 2) fail("at most two regions, one for space and one for time: ", v);
      o->region[o->regions++] = v;
      o->dates |= strncmp(v, "time:", 5) == 0 && has_date(v);
   } else if (!strcmp(a, "--test")) o->test = v;
   else if (!strcmp(a, "--polygon")) o->polygon = v;
   else if (!strcmp(a, "--time")) o->time = v;
   else if (!strcmp(a, "--save")) o->save = v;
   else if (!strcmp(a, "--png")) o->png = v;
   else if (!strcmp(a, "--regions")) o->many = v;
   else if (!strcmp(a, "--counts")) o->counts = v;
   else if (!strcmp(a, "--exposure")) o->exposure = v;
   else if (!strcmp(a, "--covariate")) {
      if (o->covariates == SNEPPP_MAX_DIM - 2) fail("too many covariates: ", v);
      for (int k = 0; k < o->covariates; k++) if (!strcmp(o->covariate[k], v)) fail("a covariate is given twice: ", v);
      o->covariate[o->covariates++] = v;
   }
   else if (!strcmp(a, "--level")) {
      o->level = number(a, v, 0, 1);
      if (!(o->level > 0 && o->level < 1)) fail("--level is between 0 and 1, such as 0.95, not ", v);
   }
   else if (!strcmp(a, "--columns")) o->columns = v;
   else if (!strcmp(a, "--test-scale")) o->test_scale = number(a, v, 1e-12, 1e12);
   else if (!strcmp(a, "--width")) o->width = (int)whole(a, v, 1, 1e6);
   else if (!strcmp(a, "-n")) o->draws = (size_t)whole(a, v, 1, 1e9);
   else if (!strcmp(a, "--simulations")) o->simulations = (int)whole(a, v, 19, 99999);
   else if (!strcmp(a, "--bins")) o->bins = (int)whole(a, v, 1, 1e6);
   else if (!strcmp(a, "--cells")) o->cells = (int)whole(a, v, 1, 2000);
   else if (!strcmp(a, "--contours")) o->contours = (int)whole(a, v, 1, 100);
   else if (!strcmp(a, "--threads")) o->threads = (int)whole(a, v, 1, 256);
   else if (!strcmp(a, "--seed")) o->seed = (uint64_t)whole(a, v, 0, 9e15);
   else if (!strcmp(a, "--method")) o->method = (sneppp_method)named(v, methods, 4, "--method is auto, convex, pgd or adam, not ");
   else if (!strcmp(a, "--coordinates")) o->coordinates = (form)(1 + named(v, forms, 3, "--coordinates is degrees, radians or vectors, not "));
   else if (!strcmp(a, "--activation")) o->act = act_named(v);
   else if (!strcmp(a, "--steps")) o->settings.steps = (size_t)whole(a, v, 1, 1e9);
   else if (!strcmp(a, "--rate")) o->settings.rate = number(a, v, 1e-12, 1e6);
   else if (!strcmp(a, "--schedule")) o->settings.schedule = (sneppp_schedule)named(v, schedules, 3, "--schedule is constant, cosine or linear, not ");
   else if (!strcmp(a, "--floor")) o->settings.floor = number(a, v, 0, 1) > 0 ? number(a, v, 0, 1) : SNEPPP_NONE;
   else if (!strcmp(a, "--eps1")) o->settings.eps1 = number(a, v, 0, 1e6) > 0 ? number(a, v, 0, 1e6) : SNEPPP_NONE;
   else if (!strcmp(a, "--eps2")) o->settings.eps2 = number(a, v, 0, 1e6);
   else if (!strcmp(a, "--trace")) o->settings.trace = number(a, v, 0, 1e6);
   else if (!strcmp(a, "--tune")) {
      if (strcmp(v, "yes") != 0 && strcmp(v, "no") != 0) fail("--tune is yes or no, not ", v);
      o->tune = v;
   }
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
   static const char *const shape[5] = {"box:", "polygon:", "time:", "lonlat:", "cap:"};
   options                  o;
   char                     why[300];
   memset(&o, 0, sizeof o);
   o.verb = verb;
   o.test_scale = 1;
   o.threads = 1;
   o.seed = 1;
   o.bins = 24;
   for (int i = 0; i < count; i++) {
      const char *a = arg[i], *v = i + 1 < count && strncmp(arg[i + 1], "--", 2) != 0 ? arg[i + 1] : NULL;
      char       *equals = strncmp(a, "--", 2) ? NULL : strchr(arg[i], '=');
      if (!strcmp(a, "--help") || !strcmp(a, "-h")) exit(finish(help(verb)));
      if (a[0] != '-' || !strcmp(a, "-")) {
         for (int k = 0; o.files == files && k < 5 && takes(verb, "--region"); k++)
            if (!strncmp(a, shape[k], strlen(shape[k]))) {
               snprintf(why, sizeof why, "one word too many: %.100s; did you mean --region %.100s?", a, a);
               fail(why, "");
            }
         if (o.files == files) fail("one word too many: ", a);
         o.file[o.files++] = a;
         continue;
      }
      if (equals) { *equals = 0; v = equals + 1; } /* --option=value */
      if (!takes(verb, a)) {
         snprintf(why, sizeof why, "%s has no option %.60s, see sneppp help %s", verb, a, verb);
         fail(why, "");
      }
      for (int k = 0; k < o.given; k++) if (!strcmp(o.seen[k], a) && strcmp(a, "--region") != 0 && strcmp(a, "--covariate") != 0) fail("given twice: ", a);
      if (o.given < (int)(sizeof o.seen / sizeof *o.seen)) o.seen[o.given++] = a;
      struct { const char *name; int *value; } flag[] = {
         {"--sphere", &o.sphere}, {"--json", &o.json}, {"--error", &o.error}, {"--kept-back", &o.kept_back}, {"--dates", &o.dates}, {"--geojson", &o.geojson},
         {"--no-place", &o.no_place}, {"--relative", &o.relative}};
      size_t f = 0;
      while (f < sizeof flag / sizeof *flag && strcmp(a, flag[f].name) != 0) f++;
      if (f < sizeof flag / sizeof *flag) {
         if (equals) fail("no value belongs to ", a);
         *flag[f].value = 1;
      } else if (!v) fail("a value is missing after ", a);
      else if (take(&o, a, v)) i += !equals;
   }
   if (o.counts && o.files) fail("fit takes events or --counts, not both: ", o.file[0]);
   if (o.files < files && !o.counts) {
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
   char        why[400];
   for (int i = k + 1; k >= 0 && i < t->columns; i++)
      if (!strcmp(t->head[i].name, name)) {
         snprintf(why, sizeof why, "%.200s has two columns \"%s\", numbers %d and %d: name them by number", csv_called(path), name, k + 1, i + 1);
         fail(why, "");
      }
   if (k < 0 && csv_number(name, &end, &index) && !*end && index == floor(index) && index >= 1 && index <= t->columns) k = (int)index - 1;
   if (k < 0) { snprintf(why, sizeof why, "%.200s has no column \"%.100s\"", csv_called(path), name); fail(why, ""); }
   return k;
}

/* Which columns hold the place and the time, and how places on the sphere are written. */
typedef struct layout {
   int  space[SNEPPP_MAX_DIM], count, time;
   form how;
} layout;

/* The same word, in letters of any size. */
static int is_word(const char *name, const char *word)
{
   for (; *word; name++, word++) if (*name != *word && *name != *word - 'a' + 'A') return 0;
   return !*name;
}

static int is_longitude(const char *name)
{
   return is_word(name, "lon") || is_word(name, "lng") || is_word(name, "long") || is_word(name, "longitude");
}

static int is_latitude(const char *name) { return is_word(name, "lat") || is_word(name, "latitude"); }

static int degrees_by_name(const csv_table *t, layout *l)
{
   int lon = 0, lat = 0;
   for (int k = 0; k < t->columns; k++) {
      if (is_longitude(t->head[k].name)) { lon++; l->space[0] = k; }
      if (is_latitude(t->head[k].name)) { lat++; l->space[1] = k; }
   }
   return lon == 1 && lat == 1;
}

/* Unit vectors are so in every row; one row, such as 0.6,0.8,0, says nothing. */
static int all_vectors(const csv_table *t, const int *column)
{
   for (size_t i = 0; i < t->rows; i++) {
      const double *v = t->value + i * (size_t)t->columns, x = v[column[0]], y = v[column[1]], z = v[column[2]];
      if (!(fabs(x * x + y * y + z * z - 1) < 1e-3)) return 0;
   }
   return t->rows > 0;
}

/* Radians pass every test of degrees. But places that all lie in this small rectangle are either in the Gulf of Guinea
   or radians. */
static void must_not_be_radians(const csv_table *t, const char *path, const layout *l)
{
   char why[400];
   for (size_t i = 0; i < t->rows; i++) {
      const double *v = t->value + i * (size_t)t->columns;
      if (fabs(v[l->space[0]]) > 6.2832 || fabs(v[l->space[1]]) > 1.5708) return;
   }
   if (t->rows < 4) return;
   snprintf(why, sizeof why, "%.200s: no longitude is beyond 2 pi and no latitude beyond pi/2, so these seem to be radians: say "
            "--coordinates radians, or --coordinates degrees", csv_called(path));
   fail(why, "");
}

/* Has the column no number at all? */
static int all_text(const csv_table *t, int column)
{
   for (size_t i = 0; i < t->rows; i++)
      if (isfinite(t->value[i * (size_t)t->columns + (size_t)column])) return 0;
   return t->rows > 0;
}

/* Dates are no coordinates of a place: they would be taken for x without a word, and every point be outside. But the
   only coordinate of a line may be a time. */
static int is_dates(const csv_table *t, int column, int most, int timed)
{
   return t->head[column].kind == CSV_DATE && (most > 1 || timed);
}

/* The columns x, y and z, if the file has as many of them as there are coordinates, or the first ones beside the time;
   dates are passed over, and text where enough is left. */
static void first_columns(const csv_table *t, const char *path, int most, int globe, int timed, layout *l)
{
   static const char *const name[3] = {"x", "y", "z"};
   int                      named = most <= 3 && !globe, left = 0;
   for (int k = 0; named && k < most; k++) {
      l->space[k] = csv_column(t, name[k]);
      named = l->space[k] >= 0 && l->space[k] != l->time && !is_dates(t, l->space[k], most, timed);
   }
   if (named) {
      for (int k = 0; k < most; k++) column_named(t, path, name[k]); /* and no other is called so */
      l->count = most;
      return;
   }
   for (int k = 0; k < t->columns; k++) left += k != l->time && !is_dates(t, k, most, timed) && !all_text(t, k);
   for (int k = 0; k < t->columns && l->count < most; k++)
      if (k != l->time && !is_dates(t, k, most, timed) && (left < most || !all_text(t, k))) l->space[l->count++] = k;
}

static int is_used(const layout *l, int column)
{
   for (int i = 0; i < l->count; i++) if (l->space[i] == column) return 1;
   return l->time == column;
}

/* The time, where nobody said which column it is: one of dates, or numbers after the coordinates, or before them. */
static int find_time(const csv_table *t, const layout *l)
{
   int last = 0;
   for (int i = 0; i < l->count; i++) if (l->space[i] > last) last = l->space[i];
   for (int k = 0; k < t->columns; k++) if (!is_used(l, k) && t->head[k].kind == CSV_DATE) return k;
   for (int k = last + 1; k < t->columns; k++) if (!is_used(l, k) && !all_text(t, k)) return k;
   for (int k = 0; k < last; k++) if (!is_used(l, k) && !all_text(t, k)) return k;
   return -1;
}

/* The columns of space are those that --columns names, or the first ones. */
static layout columns_of(csv_table *t, const char *path, const options *o, const sneppp_window *w, int timed)
{
   const int globe = w->space == SNEPPP_SPACE_SPHERE && w->dim == 3;
   layout    l;
   char      why[400];
   memset(&l, 0, sizeof l);
   l.how = globe ? o->coordinates : FORM_VECTORS;
   l.time = timed && o->time ? column_named(t, path, o->time) : timed ? csv_column(t, "time") : -1;
   if (o->columns) {
      for (const char *p = o->columns; p;) {
         const size_t len = strcspn(p, ",");
         char         name[64];
         if (l.count == SNEPPP_MAX_DIM || len >= sizeof name) fail("too many columns or too long a name: --columns ", o->columns);
         snprintf(name, sizeof name, "%.*s", (int)len, p);
         l.space[l.count++] = column_named(t, path, name);
         p = p[len] ? p + len + 1 : NULL;
      }
      if (l.how == FORM_GUESSED) l.how = l.count == 3 ? FORM_VECTORS : FORM_DEGREES;
   } else if (l.how != FORM_VECTORS && globe && degrees_by_name(t, &l)) {
      l.count = 2;
      if (l.how == FORM_GUESSED) l.how = FORM_DEGREES;
   } else {
      const int most = l.how == FORM_DEGREES || l.how == FORM_RADIANS ? 2 : w->dim;
      first_columns(t, path, most, globe, timed, &l);
      if (l.how == FORM_GUESSED) {
         l.how = l.count == 3 && (l.time >= 0 || !timed || t->columns > 3) && all_vectors(t, l.space) ? FORM_VECTORS : FORM_DEGREES;
         if (l.how == FORM_DEGREES && l.count == 3) l.count = 2;
      }
      if (l.count < (globe && l.how != FORM_VECTORS ? 2 : w->dim)) {
         int dates = 0;
         for (int k = 0; k < t->columns; k++) dates += k != l.time && is_dates(t, k, w->dim, timed);
         snprintf(why, sizeof why, "%.200s has %d column%s, but %d coordinates are needed%s%s", csv_called(path),
                  t->columns, t->columns == 1 ? "" : "s", globe ? 2 : w->dim, timed ? " beside the time" : "",
                  dates ? ", and dates are none unless --columns names them, such as --columns " : "");
         for (int part = 0; part < 2 && dates; part++) /* what was found, and the dates after it */
            for (int k = 0; k < t->columns; k++) {
               int found = 0;
               for (int i = 0; i < l.count; i++) found |= l.space[i] == k;
               if (part ? k == l.time || !is_dates(t, k, w->dim, timed) : !found) continue;
               snprintf(why + strlen(why), sizeof why - strlen(why), "%s%.60s", why[strlen(why) - 1] == ' ' ? "" : ",", t->head[k].name);
            }
         fail(why, "");
      }
   }
   if (l.count != (globe && l.how != FORM_VECTORS ? 2 : w->dim)) fail("--columns and the window disagree on the number of coordinates: ", o->columns);
   if (timed && l.time < 0) l.time = find_time(t, &l);
   if (timed && l.time < 0) fail("the model has a time: give --time COLUMN for ", csv_called(path));
   for (int i = 0; i < l.count; i++)
      for (int k = 0; k <= i; k++)
         if (k < i ? l.space[i] == l.space[k] : l.space[i] == l.time) {
            snprintf(why, sizeof why, "%.200s: column \"%s\" cannot serve twice", csv_called(path), t->head[l.space[i]].name);
            fail(why, "");
         }
   if (globe && l.count == 2 && is_latitude(t->head[l.space[0]].name) && is_longitude(t->head[l.space[1]].name))
      fail("longitude comes first, then latitude: say so with --columns for ", csv_called(path));
   for (int i = 0; i < l.count; i++) if (!csv_good(t, path, l.space[i])) fail(t->error, "");
   if (timed && !csv_good(t, path, l.time)) fail(t->error, "");
   if (l.how == FORM_DEGREES && o->coordinates == FORM_GUESSED) must_not_be_radians(t, path, &l);
   return l;
}

typedef struct points { /* as the model wants them, factor after factor */
   const char  *path;
   sneppp_real *x;
   size_t      *line, count;
   int          dated, asked; /* the last coordinate came as dates; the window or a region did */
   char         columns[200]; /* those that were chosen, if there were others; else empty */
   char         name[SNEPPP_MAX_DIM + 1][64]; /* of the columns that are coordinates as they stand; else empty */
} points;

static void points_free(points *p)
{
   free(p->x);
   free(p->line);
}

/* Are all points outside? Then they are rather those of other columns. */
static int all_outside(const sneppp_model *m, const points *p)
{
   for (size_t i = 0; i < p->count; i++) {
      const sneppp_real *x = p->x + i * (size_t)m->D;
      int                inside = 1;
      for (int f = 0; f < m->factors && inside; f++) {
         const sneppp_window *w = &m->desc.factor[f].window;
         double               at[SNEPPP_MAX_DIM];
         for (int k = 0; k < w->dim; k++) at[k] = (double)*x++;
         inside = sneppp_window_contains(w, at);
      }
      if (inside) return 0;
   }
   return p->count > 0;
}

/* "event 2 is outside the window: its x[0] is 7, ..." in the words of the file: "outside the window: column east is 7,
   ...", and a time as a date if it was one. */
static void in_words_of_file(const sneppp_model *m, const points *p, const sneppp_error *err, char *out, size_t cap)
{
   const char  *why = strstr(err->why, " is "), *x = strstr(err->why, "x["), *from, *its, *rest;
   const int    k = x ? atoi(x + 2) : -1, list = x && x - err->why >= 5 && strncmp(x - 5, "from ", 5) == 0;
   const double at = k >= 0 && k < m->D ? (double)p->x[err->event * (size_t)m->D + (size_t)k] : 0;
   char         day[40], lo[40], hi[40];
   size_t       used;
   int          f = 0, last;
   snprintf(out, cap, "%s", err->why);
   if (strncmp(err->why, "event ", 6) != 0 || !why || k < 0 || k >= m->D || !p->name[k][0]) return;
   while (f < m->factors - 1 && k >= m->layer[f].first + m->layer[f].D) f++;
   its = strstr(why, "its "), from = its ? its + 4 : x, rest = strchr(x, ']') + 1;
   used = (size_t)snprintf(out, cap, "%.*scolumn%s %s", (int)((its ? its : from) - why - 4), why + 4, list ? "s" : "", p->name[k]);
   for (last = k + 1; list && last < m->layer[f].first + m->layer[f].D && used < cap; last++)
      used += (size_t)snprintf(out + used, cap - used, ", %s", p->name[last]);
   if (used >= cap) return;
   if (!list && p->dated && k == m->D - 1 && csv_iso(at, day)) {
      const sneppp_window *w = &m->desc.factor[f].window;
      if (w->space == SNEPPP_SPACE_BOX && csv_iso(w->lo[0], lo) && csv_iso(w->hi[0], hi))
         snprintf(out + used, cap - used, " is %s, not in [%s, %s]", day, lo, hi);
      else snprintf(out + used, cap - used, " is %s", day);
   } else snprintf(out + used, cap - used, "%s%s", rest + (list && strncmp(rest, " on", 3) == 0 ? 3 : 0),
                   p->asked && k == m->D - 1 && !list ? ", the days from 1970-01-01 to the dates of the window" : "");
}

/* What is wrong with an event is said with its line in the file. */
static void complain_event(const sneppp_model *m, const points *p, const sneppp_error *err)
{
   char text[900], all[300] = "", why[300];
   if (err->status != SNEPPP_ERR_DATA || err->event >= p->count) complain(p->path, err);
   if (strstr(err->why, "outside")) {
      if (p->columns[0]) snprintf(all, sizeof all, "; the columns are %s, see --columns", p->columns);
      if (p->count > 1 && all_outside(m, p))
         snprintf(all, sizeof all, "; all %lu are: are these the right columns? see --columns",
                  (unsigned long)p->count);
   }
   in_words_of_file(m, p, err, why, sizeof why);
   snprintf(text, sizeof text, "%.300s, line %lu: %.250s%s", p->path, (unsigned long)p->line[err->event], why, all);
   fail(text, "");
}

/* Which columns were taken, where nobody said so and there were others with numbers. */
static void name_columns(const csv_table *t, const layout *l, points *p)
{
   size_t used = 0;
   int    others = 0;
   for (int k = 0; k < t->columns; k++) others += !is_used(l, k) && !all_text(t, k);
   for (int i = 0; others && i < l->count && used < sizeof p->columns; i++)
      used += (size_t)snprintf(p->columns + used, sizeof p->columns - used, "%s%s", i ? ", " : "",
                               t->head[l->space[i]].name);
}

/* Degrees become unit vectors, the time comes last. */
static points coordinates(const char *path, const options *o, const sneppp_window *w, int timed)
{
   csv_table    t;
   points       p;
   layout       l;
   const size_t D = (size_t)w->dim + (size_t)timed;
   sneppp_error err;
   char         why[400];
   memset(&l, 0, sizeof l);
   memset(&p, 0, sizeof p);
   if (!csv_read(&t, path)) fail(t.error, "");
   if (t.geojson == 2) fail(csv_called(path), " holds polygons, where points are wanted");
   if (t.columns) l = columns_of(&t, path, o, w, timed); /* a file without a single row has no columns */
   if (t.header && !o->columns) name_columns(&t, &l, &p);
   for (int k = 0; t.columns && k < (int)D; k++)
      if (k == w->dim || l.how == FORM_VECTORS)
         snprintf(p.name[k], sizeof p.name[k], "%s", t.head[k == w->dim ? l.time : l.space[k]].name);
   p.path = csv_called(path);
   p.asked = o->dates;
   p.dated = t.columns && (timed || w->dim == 1) && t.head[timed ? l.time : l.space[0]].kind == CSV_DATE;
   p.x = t.rows > (size_t)-1 / 2 / D / sizeof *p.x ? NULL : (sneppp_real *)malloc((t.rows * D + 1) * sizeof *p.x);
   if (!p.x) fail("not enough memory for ", p.path);
   for (size_t i = 0; i < t.rows; i++) {
      const double *row = t.value + i * (size_t)t.columns, unit = l.how == FORM_RADIANS ? 180 / 3.14159265358979323846 : 1;
      sneppp_real  *to = p.x + i * D;
      double        lonlat[2] = {0, 0};
      for (int k = 0; k < 2 && l.how != FORM_VECTORS; k++) lonlat[k] = unit * row[l.space[k]];
      if (l.how == FORM_VECTORS) {
         for (int k = 0; k < w->dim; k++) to[k] = (sneppp_real)row[l.space[k]];
      } else if (sneppp_lonlats_to_units(1, lonlat, 0, to, 0, &err) != SNEPPP_OK) {
         snprintf(why, sizeof why, "%.200s, line %lu: longitude %g, latitude %g are not %s (longitude comes first)", p.path,
                  (unsigned long)t.line[i], row[l.space[0]], row[l.space[1]], l.how == FORM_RADIANS ? "radians" : "degrees");
         fail(why, "");
      }
      if (timed) to[w->dim] = (sneppp_real)row[l.time];
   }
   p.line = t.line;
   p.count = t.rows;
   t.line = NULL;
   csv_free(&t);
   return p;
}

/* A file that was read twice, or two files that overlap. Rounded coordinates have copies, too, many if all of them are. */
static void tell_copies(const points *p, const sneppp_report *r)
{
   int rounded = 0;
   if (!r->copies) return;
   for (int k = 0; k < SNEPPP_RADIAL_DIM; k++) rounded |= r->resolution[k] > 0;
   fprintf(stderr, "sneppp: %lu of %lu events are exact copies of earlier ones%s\n", (unsigned long)r->copies, (unsigned long)p->count,
           r->copies >= p->count / 4 && !rounded ? ": was the file read twice?" : "");
}

/* Of AUTO it is no certificate of the model, but of the weights of its widths. */
static const char *gap_name(const sneppp_report *r) { return r->method == SNEPPP_METHOD_AUTO ? "weights_gap" : "gap"; }

/* A convex fit that was cut short says so; its gap tells how much is missing. */
static void tell_ending(const sneppp_report *r)
{
   if ((r->ending != SNEPPP_ENDING_STEP_LIMIT && r->ending != SNEPPP_ENDING_NO_PROGRESS) || r->gap != r->gap) return;
   fprintf(stderr, "sneppp: the fit has not converged after %lu steps: up to %.3g nats per event are missing\n", (unsigned long)r->step, r->gap);
}

/* A polygon's corners; its lists live as long as the program. */
static void read_polygon(const char *path, sneppp_window *w)
{
   csv_table t;
   double   *xy;
   size_t   *size, corners = 0;
   if (!csv_read(&t, path)) fail(t.error, "");
   if (t.geojson == 1) fail(csv_called(path), " holds points, where a polygon is wanted");
   if (t.columns < 2 || t.rows < 3) fail("a polygon needs at least three lines x,y: ", csv_called(path));
   for (int k = 0; k < t.columns && k < 3; k++) if (!csv_good(&t, path, k)) fail(t.error, "");
   xy = (double *)malloc(2 * t.rows * sizeof *xy);
   size = (size_t *)calloc(t.rows, sizeof *size);
   if (!xy || !size) fail("not enough memory for ", path);
   w->space = SNEPPP_SPACE_POLYGON;
   w->dim = 2;
   for (size_t i = 0, from = 0; i < t.rows; i++) {
      const double *row = t.value + i * (size_t)t.columns, *next = row + t.columns;
      const int     last = i + 1 == t.rows || (t.columns > 2 && next[2] != row[2]); /* a new number, a new ring */
      xy[2 * corners] = row[0];
      xy[2 * corners + 1] = row[1];
      if (last && corners > from && xy[2 * from] == row[0] && xy[2 * from + 1] == row[1]) corners--; /* closed: the first corner again */
      corners++;
      if (!last) continue;
      size[w->rings++] = corners - from;
      from = corners;
   }
   w->xy = (double *)keep(xy);
   w->ring_size = (size_t *)keep(size);
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
   if (!f) fail_file(path, " cannot be opened");
   path = csv_called(path);
   while (got) {
      if (used == room) {
         unsigned char *more = (unsigned char *)realloc(bytes, room = room ? 2 * room : 65536);
         if (!more) fail("not enough memory for ", path);
         bytes = more;
      }
      got = fread(bytes + used, 1, room - used, f);
      used += got;
   }
   if (ferror(f)) fail(path, " cannot be read; is it a folder?");
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
   struct stat old;
   FILE       *f;
   int         there;
   if (!path || strcmp(path, "-") == 0) return;
   there = !stat(path, &old);
   if (there && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode)) return; /* to open a pipe is to wait for its reader */
   errno = 0; /* there may be no old one */
   f = fopen(path, "ab");
   if (!f) fail_file(path, " cannot be written");
   fclose(f);
   if (!there) remove(path); /* made by this test */
}

/* What is read must not be written over. Devices may be both. */
static void must_differ(const char *in, const char *out)
{
   struct stat a, b;
   char        why[400];
   int         same;
   if (!in || !out || !strcmp(out, "-")) return;
   same = !strcmp(in, out);
   if (!same && !stat(in, &a) && !stat(out, &b)) /* links; some systems do not number files */
      same = S_ISREG(a.st_mode) && a.st_ino && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
   if (!same || !strncmp(out, "/dev/", 5)) return;
   snprintf(why, sizeof why, "%.150s would be written over %.150s, which is needed", out, in);
   fail(why, "");
}

/* The same for all that a fit reads. */
static void must_keep(const options *o, const char *out)
{
   must_differ(o->file[0], out), must_differ(o->counts, out), must_differ(o->test, out);
   must_differ(o->polygon, out), must_differ(o->exposure, out);
   for (int k = 0; k < o->covariates; k++) if (strchr(o->covariate[k], '=')) must_differ(strchr(o->covariate[k], '=') + 1, out);
   for (int k = 0; k < o->regions; k++) if (!strncmp(o->region[k], "polygon:", 8)) must_differ(o->region[k] + 8, out);
}

/* Does the name of a file end so? Devices and pipes have no ending, and some files neither. */
static const char *ending_of(const char *path)
{
   const char *base = strrchr(path, '/'), *dot = strrchr(base ? base + 1 : path, '.');
   return strncmp(path, "/dev/", 5) != 0 && dot ? dot + 1 : "";
}

static int is_json(const char *path) { return is_word(ending_of(path), "geojson") || is_word(ending_of(path), "json"); }

/* A PNG by another name would be taken for what it is not. */
static void must_be_png(const char *path)
{
   char why[400];
   if (!path || !*ending_of(path) || is_word(ending_of(path), "png")) return;
   snprintf(why, sizeof why, "pictures are written as PNG: %.200s should end in .png", csv_called(path));
   fail(why, "");
}

/* Standard input can be read only once. */
static void one_from_pipe(const char *a, const char *b)
{
   if (a && b && !strcmp(a, "-") && !strcmp(b, "-")) fail("two files cannot both come from standard input", "");
}

static void save(const sneppp_model *model, const char *path)
{
   size_t         bytes = sneppp_save(model, NULL, 0);
   unsigned char *buf = (unsigned char *)malloc(bytes + 1);
   FILE          *f = (errno = 0, strcmp(path, "-") ? fopen(path, "wb") : stdout);
   int            ok = buf && f && bytes && sneppp_save(model, buf, bytes) == bytes && fwrite(buf, 1, bytes, f) == bytes;
   if (f) ok = !(f == stdout ? fflush(f) : fclose(f)) && ok;
   if (!ok) fail_file(path, " cannot be written");
   free(buf);
}

static const sneppp_window *window_of(const sneppp_model *m, int factor) { return &m->desc.factor[factor].window; }

static int is_timed(const sneppp_model *m) { return m->factors == 2 && window_of(m, 1)->dim == 1; }

/* lonlat:west,east,south,north, cap:lon,lat,degrees or polygon:FILE of longitudes and latitudes: places on the sphere, see
   sneppp_count_numeric. */
static int place_named(const sneppp_model *m, const char *text, sneppp_place *place)
{
   const int cap = strncmp(text, "cap:", 4) == 0;
   double    v[4];
   if (strncmp(text, "polygon:", 8) == 0 && window_of(m, 0)->space == SNEPPP_SPACE_SPHERE && window_of(m, 0)->dim == 3) {
      sneppp_window ring;
      memset(&ring, 0, sizeof ring);
      if (place->shape) fail("two regions for the same coordinates: ", text);
      read_polygon(text + 8, &ring);
      place->shape = SNEPPP_SHAPE_POLYGON;
      place->rings = ring.rings, place->ring_size = ring.ring_size, place->lonlat = ring.xy;
      return 1;
   }
   if (!cap && strncmp(text, "lonlat:", 7) != 0) return 0;
   if (window_of(m, 0)->space != SNEPPP_SPACE_SPHERE || window_of(m, 0)->dim != 3) fail("this is a place on the sphere, and the model knows none: ", text);
   if (csv_list(strchr(text, ':') + 1, v, 4) != (cap ? 3 : 4)) fail("a place on the sphere is lonlat:west,east,south,north or cap:lon,lat,degrees, not ", text);
   if (place->shape) fail("two regions for the same coordinates: ", text);
   place->shape = cap ? SNEPPP_SHAPE_CAP : SNEPPP_SHAPE_LONLAT;
   if (cap) place->lon = v[0], place->lat = v[1], place->radius = v[2];
   else place->west = v[0], place->east = v[1], place->south = v[2], place->north = v[3];
   return 1;
}

/* The expected number in such a place and in `rest` of the other factors, or with a level its intervals. Where the tolerance
   is not reached, that is said. */
static sneppp_status count_place(const sneppp_model *m, const sneppp_place *place, const sneppp_region *rest, double level, double *count, double *error,
                                 sneppp_sure *sure, sneppp_error *err)
{
   sneppp_place  at = *place;
   sneppp_status st;
   at.within = rest;
   st = level > 0 ? sneppp_count_numeric_sure(m, &at, level, sure, err) : sneppp_count_numeric(m, &at, count, error, err);
   if (st != SNEPPP_ERR_NO_CONVERGENCE) return st;
   fprintf(stderr, "sneppp: %s\n", err->why);
   return SNEPPP_OK;
}

/* What the box should look like: box:x0,x1,y0,y1 in two coordinates. */
static void wrong_sides(int dim, const char *text)
{
   char why[200];
   snprintf(why, sizeof why, "the model has %d coordinate%s: box:x0,x1%s%s%s, not ", dim, dim == 1 ? "" : "s",
            dim > 1 ? ",y0,y1" : "", dim > 2 ? ",z0,z1" : "", dim > 3 ? ",..." : "");
   fail(why, text);
}

/* Texts of --region become windows, each for its factor, or a place on the sphere. */
static void regions(const sneppp_model *m, const options *o, const char *const *words, int count, sneppp_window part[SNEPPP_MAX_FACTORS],
                    sneppp_region *region, sneppp_place *place)
{
   memset(place, 0, sizeof *place);
   memset(region, 0, sizeof *region);
   memset(part, 0, SNEPPP_MAX_FACTORS * sizeof *part);
   for (int k = 0; k < count; k++) {
      const char *text = words[k], *rest = strchr(text, ':');
      double      side[2 * SNEPPP_MAX_DIM];
      const int   timed = strncmp(text, "time:", 5) == 0, f = timed ? m->factors - 1 : 0;
      if (strncmp(text, "polygon:", 8) == 0) one_from_pipe(o->file[0], text + 8);
      if (place_named(m, text, place)) {
         if (strcmp(o->verb, "count") != 0 && strcmp(o->verb, "profile") != 0) fail("only count and profile take such a place: ", text);
         continue;
      }
      if (!rest || (!timed && strncmp(text, "box:", 4) != 0 && strncmp(text, "polygon:", 8) != 0))
         fail("a region is box:x0,x1,y0,y1 or polygon:FILE or time:a,b, on the sphere lonlat:w,e,s,n or cap:lon,lat,degrees or polygon:FILE, not ", text);
      if (timed && window_of(m, f)->dim != 1) fail("the model knows no time: ", text);
      if (strncmp(text, "polygon:", 8) == 0) {
         read_polygon(rest + 1, &part[f]);
      } else {
         const int n = csv_list(rest + 1, side, 2 * SNEPPP_MAX_DIM);
         if (n < 0) fail("a region takes numbers with commas between them, not ", text);
         if (!timed && window_of(m, f)->space == SNEPPP_SPACE_SPHERE) fail("no boxes on the sphere: say lonlat:west,east,south,north or cap:lon,lat,degrees, not ", text);
         if (n != 2 * window_of(m, f)->dim && timed) fail("a region of time is time:a,b, not ", text);
         if (n != 2 * window_of(m, f)->dim) wrong_sides(window_of(m, f)->dim, text);
         part[f].space = SNEPPP_SPACE_BOX;
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

/* Do a region and the window have nothing in common? Asked where nothing is expected, which may also be because the
   intensity is that low: points of a lattice tell the two apart. */
static int apart(const sneppp_window *part, const sneppp_window *w)
{
   const int lattice = part->dim == 1 ? 4096 : 128;
   double    e[4] = {0, 0, 0, 0};
   if (w->space != SNEPPP_SPACE_BOX && w->space != SNEPPP_SPACE_INTERVALS && w->space != SNEPPP_SPACE_POLYGON &&
       w->space != SNEPPP_SPACE_BALL && w->space != SNEPPP_SPACE_RASTER) return 0;
   for (int k = 0; k < w->dim && part->space == SNEPPP_SPACE_BOX && w->space == SNEPPP_SPACE_BOX; k++)
      if (part->hi[k] <= w->lo[k] || part->lo[k] >= w->hi[k]) return 1;
   if (part->dim > 2 || (part->space == SNEPPP_SPACE_BOX && w->space == SNEPPP_SPACE_BOX)) return 0;
   if (part->dim == 2) {
      double around[4];
      draw_extent(part, e), draw_extent(w, around);
      for (int k = 0; k < 4; k++) e[k] = k % 2 ? fmin(e[k], around[k]) : fmax(e[k], around[k]);
      if (!(e[0] < e[1] && e[2] < e[3])) return 1;
   } else e[0] = part->lo[0], e[1] = part->hi[0];
   for (int i = 0; i < lattice; i++)
      for (int j = 0; j < (part->dim == 1 ? 1 : lattice); j++) {
         const double at[2] = {e[0] + (e[1] - e[0]) * (i + 0.5) / lattice, e[2] + (e[3] - e[2]) * (j + 0.5) / lattice};
         if (sneppp_window_contains(part, at) && sneppp_window_contains(w, at)) return 0;
      }
   return 1;
}

/* Nothing is expected where nobody looked: that is another 0 than one of the intensity. Without a file, the word of
   --region is named that is outside. */
static void tell_outside(const sneppp_model *m, const sneppp_region *region, const options *o, const char *file,
                         size_t line)
{
   for (int f = 0; f < m->factors; f++) {
      const char *word = o->region[0];
      if (!region->factor[f] || !apart(region->factor[f], window_of(m, f))) continue;
      if (o->regions == 2 && (strncmp(word, "time:", 5) == 0) != (f == m->factors - 1)) word = o->region[1];
      if (file) fprintf(stderr, "sneppp: %.200s, line %lu: ", file, (unsigned long)line);
      if (file) fprintf(stderr, "the region lies outside the window\n");
      else fprintf(stderr, "sneppp: the region lies outside the window: %.200s\n", word);
      return;
   }
}

/* ---- pictures */
static void date_tick(picture *p, const pic_frame *f, double day, const char *text)
{
   pic_line(p, pic_x(f, day), f->bottom, pic_x(f, day), f->bottom + 5, 1, PIC_GREY);
   pic_text(p, fmin(pic_x(f, day), p->w - 6 - pic_text_width(9, text) / 2), f->bottom + 19, 9, 0.5, PIC_INK, text); /* and not cut */
}

/* Dates below a frame: minutes, hours, days, months or years apart, whatever leaves room for them. */
static void date_axis(picture *p, const pic_frame *f)
{
   static const double minutes[] = {1, 5, 15, 30, 60, 180, 360, 720, 1440, 2 * 1440, 5 * 1440, 10 * 1440, 15 * 1440}, months[] = {1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000};
   const double        least = (f->x1 - f->x0) * 120 / (f->right - f->left); /* days from one to the next */
   char                text[40];
   int                 k = 0;
   if (least < 15) {
      while (minutes[k] < 1440 * least) k++;
      for (double t = ceil(f->x0 * 1440 / minutes[k] - 1e-9) * minutes[k]; t <= f->x1 * 1440 + 1e-6; t += minutes[k]) {
         if (!csv_iso(t / 1440, text)) continue;
         text[16] = 0; /* to the minute */
         date_tick(p, f, t / 1440, text);
      }
   } else {
      double       day;
      int          at;
      csv_iso(f->x0, text);
      at = 12 * atoi(text);
      while (months[k] < 12000 && 30 * months[k] < least) k++;
      at -= at % (int)months[k];
      for (; at < 120000; at += (int)months[k]) {
         snprintf(text, sizeof text, "%04d-%02d-01", at / 12, at % 12 + 1);
         if (!csv_date(text, &day) || day < f->x0 - 1e-6) continue;
         if (day > f->x1) break;
         text[k < 4 ? 7 : 4] = 0;
         date_tick(p, f, day, text);
      }
   }
   pic_text(p, (f->left + f->right) / 2, f->bottom + 42, 9, 0.5, PIC_INK, "time");
}

/* Can a time from a to b be shown like this? From ten minutes on, and in the years 0 to 9999. */
static int has_dates(double a, double b)
{
   char text[40];
   return b - a > 10.0 / 1440 && csv_iso(a, text) && csv_iso(b, text);
}

static void draw(const sneppp_model *m, const sneppp_real *x, size_t count, const sneppp_window *when, int error, int dates, const sneppp_parallel *par,
                 const char *path)
{
   const sneppp_window *w = window_of(m, 0);
   const size_t d = (size_t)w->dim;
   draw_style   style;
   sneppp_model space;
   sneppp_error err;
   sneppp_real *at = NULL;
   int          outside, bars, ok = 0;
   memset(&style, 0, sizeof style);
   style.error = error;
   style.title = count ? "events" : error ? "relative standard error" : "fitted intensity";
   style.xlabel = d == 1 ? "time" : "x";
   style.ylabel = d == 1 ? "events in one bar" : "y";
   if (dates && d == 1) {
      const double a = w->space == SNEPPP_SPACE_INTERVALS ? w->ends[0] : w->lo[0], b = w->space == SNEPPP_SPACE_INTERVALS ? w->ends[2 * w->count - 1] : w->hi[0];
      if (has_dates(a, b)) style.xaxis = date_axis;
   }
   style.legend = error ? "standard error / intensity" : w->space == SNEPPP_SPACE_SPHERE ? "events per steradian" : "events per unit of area";
   if (error) {
      sneppp_events none;
      sneppp_sure   sure;
      memset(&none, 0, sizeof none);
      if (m->factors > 1 || d == 1) fail("--error is drawn in the plane and on the sphere, without time; see profile --level for times", "");
      if (sneppp_intensity_sure(m, &none, 0.5, &sure, &err) != SNEPPP_OK) fail(err.why, ""); /* could it be asked? */
   }
   if (is_timed(m)) { /* the map of all times, or of a part */
      if (sneppp_marginal(m, 1, when, &space, &err) != SNEPPP_OK) fail(err.why, "");
      if (count && !when) {
         at = (sneppp_real *)malloc(count * d * sizeof *at);
         if (!at) fail("not enough memory for ", path);
         for (size_t i = 0; i < count * d; i++) at[i] = x[i / d * (d + 1) + i % d];
      }
      draw(&space, at, at ? count : 0, NULL, 0, 0, par, path);
      free(at);
      sneppp_free(&space);
      return;
   }
   if (m->factors > 1) fail("only models of a place, of time, or of both are drawn: ", path);
   errno = 0;
   if (w->space == SNEPPP_SPACE_SPHERE && d == 3) ok = draw_sphere(m, x, count, &style, par, path);
   else if (d == 2 && (w->space == SNEPPP_SPACE_BOX || w->space == SNEPPP_SPACE_POLYGON || w->space == SNEPPP_SPACE_BALL || w->space == SNEPPP_SPACE_RASTER)) ok = draw_plane(m, x, count, &style, par, path);
   else if (d == 1 && (w->space == SNEPPP_SPACE_BOX || w->space == SNEPPP_SPACE_INTERVALS)) ok = draw_time(m, x, count, &style, path, &outside, &bars);
   else fail("only windows with one or two coordinates and the sphere are drawn: ", path);
   if (!ok) fail_file(path, " cannot be written");
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

/* The window on the cells of the rasters; their lists live as long as the program. The first grid makes the cells. */
static void rasterise(const options *o, sneppp_window *w)
{
   sneppp_window cells;
   asc_grid      first;
   double       *z = NULL;
   size_t        count = 0, Q = (size_t)o->covariates;
   if (w->dim != 2 || o->sphere) fail("--exposure and --covariate are for events in the plane", "");
   for (size_t k = 0; k < Q + (o->exposure != NULL); k++) {
      const int   exposure = o->exposure && k == 0;
      const char *text = exposure ? o->exposure : o->covariate[k - (o->exposure != NULL)], *path = exposure ? text : strchr(text, '=');
      asc_grid    g;
      char        why[300];
      if (!path || !path[!exposure]) fail("--covariate takes NAME=FILE.asc, not ", text);
      path += !exposure;
      if (!asc_read(&g, path)) fail(g.error, "");
      for (int r = 0; o->sides && r < 2; r++)
         if (g.origin[r] - w->lo[r] > 1e-6 * g.cell[r] || w->hi[r] - (g.origin[r] + g.cell[r] * (double)g.cells[r]) > 1e-6 * g.cell[r]) {
            snprintf(why, sizeof why, "%.200s does not cover the window along %s", path, r ? "y" : "x");
            fail(why, "");
         }
      if (!k) {
         first = g, count = g.cells[0] * g.cells[1];
         z = Q ? (double *)malloc(Q * count * sizeof *z) : NULL;
         if (Q && !z) fail("not enough memory for ", path);
      } else if (!asc_same(&g, &first)) {
         fprintf(stderr, "sneppp: %.200s has other cells than the first grid: each cell of that gets the value at its middle\n", path);
         if (!asc_resample(&g, &first)) fail("not enough memory for ", path);
      }
      for (size_t i = 0; !exposure && i < count; i++) z[i * Q + k - (o->exposure != NULL)] = g.value[i];
      if (k && !exposure) asc_free(&g);
   }
   keep(z), keep(first.value);
   cells = asc_window(&first);
   memcpy(cells.lo, w->lo, sizeof cells.lo), memcpy(cells.hi, w->hi, sizeof cells.hi);
   cells.xy = w->xy, cells.rings = w->rings, cells.ring_size = w->ring_size, cells.count = w->count;
   cells.covariates = o->covariates, cells.z = z, cells.no_place = o->no_place;
   if (o->exposure) cells.weight = first.value;
   *w = cells;
}

static void describe(const options *o, sneppp_desc *desc)
{
   sneppp_window *w = &desc->factor[0].window, *t = &desc->factor[1].window;
   memset(desc, 0, sizeof *desc);
   if ((o->sides > 0) + o->sphere + (o->polygon != NULL) != 1) fail("give one of --window, --polygon and --sphere: the place in which all events were seen", "");
   if (o->counts && (o->columns || o->coordinates || o->time)) fail("--columns, --coordinates and --time are for events; with --counts a time has a --time-window only", "");
   if (!o->counts && !o->time != !o->spans) fail("--time COLUMN and --time-window a,b belong together", "");
   if (o->coordinates && !o->sphere) fail("--coordinates is for places on the sphere: say --sphere", "");
   if (o->polygon) read_polygon(o->polygon, w);
   else {
      w->dim = o->sphere ? 3 : o->sides / 2;
      w->space = o->sphere ? SNEPPP_SPACE_SPHERE : SNEPPP_SPACE_BOX;
   }
   for (int k = 0; k < o->sides / 2; k++) { w->lo[k] = o->window[2 * k]; w->hi[k] = o->window[2 * k + 1]; }
   if (o->no_place && !o->covariates) fail("--no-place leaves nothing without --covariate", "");
   if (o->exposure || o->covariates) rasterise(o, w);
   if (o->spans) {
      t->dim = 1;
      t->space = o->spans > 2 ? SNEPPP_SPACE_INTERVALS : SNEPPP_SPACE_BOX;
      t->lo[0] = o->span[0];
      t->hi[0] = o->span[1];
      t->count = (size_t)o->spans / 2;
      t->ends = o->span;
   }
   if (o->act && o->method == SNEPPP_METHOD_AUTO) fail("--activation is for --method convex, pgd or adam: auto makes features of its own", "");
   desc->factor[0].unit.act = o->act;
   desc->width = o->width;
   desc->seed = o->seed;
   if (o->width <= SNEPPP_MAX_WIDTH) return;
   if (o->method != SNEPPP_METHOD_AUTO || w->dim + t->dim > SNEPPP_RADIAL_DIM) { /* matrices of that size are fitted there */
      char why[200];
      snprintf(why, sizeof why, "--width is at most %d, except for --method auto in at most %d coordinates", SNEPPP_MAX_WIDTH, SNEPPP_RADIAL_DIM);
      fail(why, "");
   }
   desc->readout = SNEPPP_READOUT_DIAGONAL; /* as the fit will make it, and without that limit */
}

/* The regions of a file: one per line, in one word for space, one for time, or both; with counts, a number follows them.
   They live as long as the program. */
typedef struct region_list {
   sneppp_window (*part)[SNEPPP_MAX_FACTORS];
   sneppp_region *region;
   sneppp_place  *place;
   double        *counts;
   size_t        *line, count;
} region_list;

static region_list read_regions(const sneppp_model *m, const options *o)
{
   const char *path = o->counts ? o->counts : o->many;
   FILE       *f;
   region_list l;
   size_t      room = 0, line = 0;
   char        text[4096], why[5000];
   memset(&l, 0, sizeof l);
   if (o->regions) fail("--region and --regions cannot both be given: ", path);
   one_from_pipe(o->file[0], path);
   f = strcmp(path, "-") ? fopen(path, "r") : stdin;
   if (!f) fail_file(path, " cannot be opened");
   while (fgets(text, sizeof text, f)) {
      const char *word[3] = {NULL, NULL, NULL}, *end = "";
      double      number = 0;
      int         words = 0;
      line++;
      if (strlen(text) + 1 == sizeof text) { snprintf(why, sizeof why, "%s, line %lu is too long", csv_called(path), (unsigned long)line); fail(why, ""); }
      for (char *at = strtok(text, " \t\r\n"); at && text[0] != '#'; at = strtok(NULL, " \t\r\n")) {
         if (words == 2 + (o->counts != NULL)) {
            snprintf(why, sizeof why, "%s, line %lu: at most one word for space and one for time%s", csv_called(path), (unsigned long)line, o->counts ? ", and a number" : "");
            fail(why, "");
         }
         word[words++] = at;
      }
      if (!words) continue;
      if (o->counts && (!csv_number(word[--words], &end, &number) || *end || !words)) {
         snprintf(why, sizeof why, "%s, line %lu: a region and the number of events in it, such as box:0,200,0,100 12", csv_called(path), (unsigned long)line);
         fail(why, "");
      }
      if (l.count == room) {
         room = room ? 2 * room : 64;
         l.part = (sneppp_window(*)[SNEPPP_MAX_FACTORS])realloc(l.part, room * sizeof *l.part);
         l.region = (sneppp_region *)realloc(l.region, room * sizeof *l.region);
         l.place = (sneppp_place *)realloc(l.place, room * sizeof *l.place);
         l.line = (size_t *)realloc(l.line, room * sizeof *l.line);
         l.counts = (double *)realloc(l.counts, room * sizeof *l.counts);
         if (!l.part || !l.region || !l.place || !l.line || !l.counts) fail("not enough memory for ", path);
      }
      snprintf(where_read, sizeof where_read, "%.300s, line %lu: ", csv_called(path), (unsigned long)line);
      regions(m, o, word, words, l.part[l.count], &l.region[l.count], &l.place[l.count]);
      where_read[0] = 0;
      if (l.place[l.count].shape && o->counts) fail("counts in caps, rectangles and polygons of the sphere cannot be fitted, which are in ", csv_called(path));
      l.counts[l.count] = number;
      l.line[l.count++] = line;
   }
   if (ferror(f)) fail(csv_called(path), " cannot be read; is it a folder?");
   if (f != stdin) fclose(f);
   if (!l.count) fail("no regions in ", csv_called(path));
   for (size_t i = 0; i < l.count; i++) /* the windows may have moved while the list grew */
      for (int k = 0; k < SNEPPP_MAX_FACTORS; k++) if (l.region[i].factor[k]) l.region[i].factor[k] = &l.part[i][k];
   return l;
}

typedef struct learned {
   points          events;
   region_list     districts; /* with --counts */
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

/* Is there something that fit.tune may choose? A penalty, or the scale of waves. */
static int tunes(const options *o, const sneppp_model *model)
{
   int waves = 0;
   for (int k = 0; k < model->factors; k++) {
      const sneppp_act act = model->desc.factor[k].unit.act;
      waves += act == SNEPPP_ACT_COS || act == SNEPPP_ACT_SIN;
   }
   if (o->tune) return !strcmp(o->tune, "yes");
   return !o->counts && o->method != SNEPPP_METHOD_AUTO && (waves || (o->method != SNEPPP_METHOD_ADAM && o->settings.trace == 0));
}

/* "fit.steps = 50 is not used by AUTO" for people who gave options: which methods use it? */
static void complain_setting(const sneppp_error *err)
{
   static const struct { const char *name, *methods; } setting[] = {
      {"steps", "convex, pgd or adam"}, {"floor", "convex, pgd or adam"}, {"tune", "convex, pgd or adam"},
      {"rate", "pgd or adam"}, {"schedule", "adam"}, {"eps1", "convex or pgd"}, {"eps2", "convex or pgd"},
      {"trace", "convex or pgd"}};
   char why[200];
   if (strncmp(err->why, "fit.", 4) != 0 || !strstr(err->why, " is not used by ")) return;
   for (size_t k = 0; k < sizeof setting / sizeof *setting; k++) {
      const size_t len = strlen(setting[k].name);
      if (strncmp(err->why + 4, setting[k].name, len) != 0 || err->why[4 + len] != ' ') continue;
      snprintf(why, sizeof why, "--%s is for --method %s", setting[k].name, setting[k].methods);
      fail(why, "");
   }
}

/* A covariate that is the same in all cells is rather another file, whatever the method. */
static void tell_constants(const sneppp_window *w, const char *const *name)
{
   for (int q = 0; q < w->covariates; q++) {
      double lo = HUGE_VAL, hi = -HUGE_VAL;
      for (size_t k = 0; k < w->cells[0] * (w->dim > 1 ? w->cells[1] : 1); k++) {
         double z = w->z[k * (size_t)w->covariates + (size_t)q];
         if (z - z == 0) lo = fmin(lo, z), hi = fmax(hi, z);
      }
      if (lo == hi) fprintf(stderr, "sneppp: covariate %.*s is %g in all cells: nothing can be learnt of it\n", (int)strcspn(name[q], "="), name[q], lo);
   }
}

/* Events, a window, one call. */
static void learn(const options *o, learned *l)
{
   sneppp_events   train;
   sneppp_fit_desc f;
   sneppp_error    err;
   double          last = 0;
   memset(&train, 0, sizeof train);
   memset(l, 0, sizeof *l);
   f = o->settings;
   one_from_pipe(o->counts ? o->counts : o->file[0], o->polygon);
   describe(o, &l->desc);
   if (sneppp_init(&l->model, &l->desc, &err) != SNEPPP_OK) complain(o->polygon ? o->polygon : "the window", &err);
   if (o->counts) l->districts = read_regions(&l->model, o), l->events.path = csv_called(o->counts);
   else l->events = coordinates(o->file[0], o, &l->desc.factor[0].window, o->time != NULL);
   l->pool = sneppp_pool_make(o->threads, NULL);
   if (l->pool) l->parallel = sneppp_pool_parallel(l->pool);
   train.x = l->events.x;
   train.count = l->events.count;
   train.region = l->districts.region, train.regions = l->districts.count, train.counts = l->districts.counts;
   f.events = &train;
   f.method = o->method;
   f.tune = tunes(o, &l->model);
   f.seed = o->seed;
   f.parallel = l->parallel;
   if (isatty(2)) { f.progress = show; f.user = &last; }
   if (sneppp_fit(&l->model, &f, &l->report, &err) != SNEPPP_OK) {
      char        text[400];
      const char *colon = strchr(err.why, ':');
      complain_setting(&err);
      if (!o->counts || (strncmp(err.why, "region ", 7) != 0 && strncmp(err.why, "counts[", 7) != 0))
         complain_event(&l->model, &l->events, &err);
      snprintf(text, sizeof text, "%.300s, line %lu", csv_called(o->counts), (unsigned long)l->districts.line[err.event]);
      if (colon && err.why[0] == 'r') memmove(err.why, colon + 2, strlen(colon + 2) + 1);
      complain(text, &err);
   }
   if (last > 0) fprintf(stderr, "\r%70s\r", "");
   tell_copies(&l->events, &l->report);
   tell_ending(&l->report);
   tell_constants(&l->desc.factor[0].window, o->covariate);
}

/* What each covariate does, as far as a tilt tells: sentences, or objects of JSON. name[k] is NAME=FILE; NULL: numbers. */
static void tell_covariates(FILE *to, const sneppp_window *w, const char *const *name, int json)
{
   for (int k = 0; w->tilt && k < w->covariates; k++) {
      const double *at = w->tilt + 2 * SNEPPP_BENDS * k, *effect = at + SNEPPP_BENDS, *least = effect, last = at[SNEPPP_BENDS - 1];
      char          called[200];
      int           most = 0;
      if (name) snprintf(called, sizeof called, "%.*s", (int)strcspn(name[k], "="), name[k]);
      else snprintf(called, sizeof called, "covariate %d", k + 1);
      for (char *c = called; json && *c; c++) if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ') *c = '_'; /* as it stands there */
      for (int i = 1; i < SNEPPP_BENDS; i++) if (effect[i] > effect[most]) most = i;
      for (int i = 1; i < SNEPPP_BENDS; i++) if (effect[i] < *least) least = effect + i;
      if (json)
         fprintf(to, "%s{\"name\": \"%s\", \"from\": %.10g, \"to\": %.10g, \"factor\": %.6g, \"most_at\": %.10g}", k ? ", " : "", called, at[0], last,
                 exp(effect[SNEPPP_BENDS - 1] - effect[0]), at[most]);
      else if (at[0] < last && effect[most] == 0 && *least == 0) fprintf(to, "   %s: left out\n", called);
      else if (at[0] < last)
         fprintf(to, "   %s: from %g to %g by a factor of %.3g, most at %g\n", called, at[0], last, exp(effect[SNEPPP_BENDS - 1] - effect[0]), at[most]);
      else fprintf(to, "   %s: %g in all cells, of which nothing can be learnt\n", called, last);
   }
}

static void json_number(FILE *to, const char *name, double v)
{
   if (v - v == 0) fprintf(to, ", \"%s\": %.10g", name, v);
   else fprintf(to, ", \"%s\": null", name);
}

static int fit(int count, char **arg)
{
   options       o = parse("fit", count, arg, 1, "Which file of events?");
   FILE         *say = (o.save && !strcmp(o.save, "-")) || (o.png && !strcmp(o.png, "-")) ? stderr : stdout;
   learned       l;
   points        held;
   sneppp_error  err;
   double        test_nll = nan(""), expected = 0, volume, even;
   unsigned long observed, train;
   if (o.png && o.sides > 4) fail("only windows with one or two coordinates and the sphere are drawn: ", o.png);
   if (o.test_scale != 1 && !o.test) fail("--test-scale needs --test FILE", "");
   one_from_pipe(o.counts ? o.counts : o.file[0], o.test);
   one_from_pipe(o.test, o.polygon);
   for (int k = 0; k < 2; k++) {
      const char *out = k ? o.png : o.save;
      must_keep(&o, out);
      must_be_writable(out);
   }
   must_differ(o.save, o.png);
   must_be_png(o.png);
   if (o.save && o.png && !strcmp(o.save, "-") && !strcmp(o.png, "-")) fail("model and picture cannot both go to standard output", "");
   learn(&o, &l);
   if (sneppp_count(&l.model, NULL, 1, &expected, NULL, &err) != SNEPPP_OK) fail(err.why, "");
   volume = sneppp_window_mass(&l.desc.factor[0].window) * (o.spans ? sneppp_window_mass(&l.desc.factor[1].window) : 1);
   even = volume / sneppp_window_mass(&l.desc.factor[0].window) * sneppp_window_mass(&l.model.desc.factor[0].window); /* as covariates tilt it */
   observed = train = (unsigned long)l.report.events;
   if (o.test) {
      sneppp_events test;
      memset(&test, 0, sizeof test);
      held = coordinates(o.test, &o, &l.desc.factor[0].window, o.spans > 0);
      test.x = held.x;
      test.count = held.count;
      observed = (unsigned long)held.count;
      if (!held.count) fprintf(stderr, "sneppp: %.200s holds no events, so that nothing is tested: is it the right file?\n", held.path);
      if (held.count && sneppp_test_nll(&l.model, &test, 1, o.test_scale, &test_nll, &l.parallel, &err) != SNEPPP_OK)
         complain_event(&l.model, &held, &err);
      test_nll -= log(volume);
      points_free(&held);
   }
   if (o.save) save(&l.model, o.save);
   if (o.png) draw(&l.model, l.events.x, l.events.count, NULL, 0, o.dates || l.events.dated, &l.parallel, o.png);
   if (o.json) {
      fprintf(say, "{\"events\": %lu, \"method\": \"%s\", \"width\": %d", train, methods[l.report.method], l.report.width);
      fprintf(say, ", \"copies\": %lu", (unsigned long)l.report.copies);
      json_number(say, "expected", expected);
      json_number(say, "nll_per_event", l.report.nll);
      json_number(say, "test_nll", test_nll);
      json_number(say, gap_name(&l.report), l.report.gap);
      json_number(say, "floor", l.model.floor);
      if (l.report.method == SNEPPP_METHOD_AUTO && o.covariates) {
         json_number(say, "tilt", l.report.tilt);
         fprintf(say, ", \"covariates\": [");
         tell_covariates(say, &l.model.desc.factor[0].window, o.covariate, 1);
         fprintf(say, "]");
      }
      json_number(say, "seconds", l.report.seconds);
      fprintf(say, "}\n");
   } else {
      if (train == 0) fprintf(stderr, "sneppp: %.200s holds no events: is it the right file?\n", csv_called(o.counts ? o.counts : o.file[0]));
      if (o.counts) fprintf(say, "%lu region%s, ", (unsigned long)l.districts.count, l.districts.count == 1 ? "" : "s");
      fprintf(say, "%lu event%s in a window of %g; method %s\n", train, train == 1 ? "" : "s", volume,
              methods[l.report.method]);
      fprintf(say, "%d feature%s, uniform part %.1f %%, %.1f events expected in the whole window\n", l.report.width,
              l.report.width == 1 ? "" : "s", expected > 0 ? 100 * l.model.floor * even / expected : 0.0, expected);
      if (l.events.columns[0]) fprintf(say, "columns: %s; others are not used, see --columns\n", l.events.columns);
      if (l.report.rounded) {
         fprintf(say, "%lu events are recorded in steps: taken as known to a step only\n", (unsigned long)l.report.rounded);
         for (int k = 0; k < SNEPPP_RADIAL_DIM; k++) if (l.report.resolution[k] > 0) fprintf(say, "coordinate %d of %d has steps of %g\n", k + 1, l.model.D, l.report.resolution[k]);
      }
      if (l.report.method == SNEPPP_METHOD_AUTO && o.covariates) {
         if (l.report.tilt > 0) fprintf(say, "covariates multiply the exposure by what they say alone, to the power %g:\n", l.report.tilt);
         else fprintf(say, "covariates say nothing beside the place, and are left out\n");
         if (l.report.tilt > 0) tell_covariates(say, &l.model.desc.factor[0].window, o.covariate, 0);
      }
      if (l.report.method == SNEPPP_METHOD_AUTO && l.report.share[0] < 1) {
         static const char *const part[5] = {"a constant", "bumps as wide everywhere", "bumps as wide as to neighbours", "bumps moved to where it is denser", "a smooth surface"};
         const char              *before = "made of ";
         for (int k = 4; k >= 0; k--)
            if (l.report.share[k] >= 0.0005) fprintf(say, "%s%s %.1f %%", before, part[k], 100 * l.report.share[k]), before = ", ";
         fprintf(say, "\n");
      }
      for (int k = 0, first = 1; k < l.model.D && k < SNEPPP_RADIAL_DIM && l.report.axes[0] > 0 && l.model.D > 1; k++) {
         if (o.sphere && (k == 1 || k == 2)) continue; /* the coordinates of a sphere stay together */
         if (!o.sphere || l.model.D > 3) fprintf(say, first ? "width along the axes 1" : " : %.3g", l.report.axes[k]);
         first = 0;
         if (k == l.model.D - 1) fprintf(say, o.sphere ? " (radians : time)\n" : "\n");
      }
      if (o.save && say == stdout) printf("model: %s%s\n", o.save, l.events.dated ? "; its times are days since 1970-01-01: ask with --dates" : "");
      if (o.png && say == stdout) printf("picture: %s\n", o.png);
   }
   if (test_nll - test_nll == 0) fprintf(say, "test_nll=%.6f ", test_nll); /* what was not tested is left out */
   fprintf(say, "expected=%.3f observed=%lu train_events=%lu width=%d ", o.test ? o.test_scale * expected : expected,
           observed, train, l.report.width);
   if (l.report.gap - l.report.gap == 0) fprintf(say, "%s=%.3g ", gap_name(&l.report), l.report.gap);
   fprintf(say, "seconds=%.3f\n", l.report.seconds);
   forget(&l);
   return 0;
}

/* ---- asking: a model, and what part of it */
typedef struct question {
   options       o;
   sneppp_model  model;
   sneppp_window part[SNEPPP_MAX_FACTORS];
   sneppp_region region;
   sneppp_place  place; /* shape 0: none */
} question;

/* From a saved model, or, when a window is given, from events that are fitted first. */
static void ask(question *q, const char *verb, int count, char **arg, int files, const char *missing)
{
   learned l;
   char    why[300];
   q->o = parse(verb, count, arg, files, missing);
   if (q->o.sides || q->o.polygon || q->o.sphere) {
      learn(&q->o, &l);
      q->model = l.model;
      q->o.dates |= l.events.dated;
      memset(&l.model, 0, sizeof l.model); /* q has it now */
      forget(&l);
   } else {
      for (int k = 0; k < q->o.given && takes(verb, "--method"); k++) /* options of a fit, but nothing to fit */
         if (takes("fit", q->o.seen[k]) && strcmp(q->o.seen[k], "--png") != 0) { /* which profile has, too */
            snprintf(why, sizeof why, "%s is for events: give --window, --polygon or --sphere, too, if %.100s holds events", q->o.seen[k],
                     csv_called(q->o.file[0]));
            fail(why, "");
         }
      q->model = load(q->o.file[0]);
   }
   regions(&q->model, &q->o, q->o.region, q->o.regions, q->part, &q->region, &q->place);
}

/* "region 3: ..." of a list is what stands on a line of its file. */
static void complain_region(const question *q, const region_list *l, const sneppp_error *err)
{
   sneppp_error inner = *err;
   char        *rest = NULL;
   char         text[600];
   if (!l->count) complain(q->o.regions == 1 ? q->o.region[0] : "the region", err);
   if (l->count > 1 && !strncmp(err->why, "region ", 7)) {
      const size_t k = (size_t)strtoul(err->why + 7, &rest, 10);
      if (k < l->count && *rest == ':') {
         snprintf(inner.why, sizeof inner.why, "%.190s", rest + 2);
         snprintf(text, sizeof text, "%.500s, line %lu", csv_called(q->o.many), (unsigned long)l->line[k]);
         complain(text, &inner);
      }
   }
   complain(csv_called(q->o.many), err);
}

/* As few digits as give the same number again, so that what is printed can be read as it was. */
static void print_number(const char *before, double v)
{
   const int most = sizeof(sneppp_real) < sizeof v && v == (double)(sneppp_real)v ? 9 : 17;
   char      text[40];
   for (int digits = 6; digits <= most; digits++) {
      const double back = (snprintf(text, sizeof text, "%.*g", digits, v), strtod(text, NULL));
      if (most == 9 ? (sneppp_real)back == (sneppp_real)v : back == v) break;
   }
   printf("%s%s", before, text);
}

/* Columns of points and samples: x1, x2, ... or lon, lat; then the time. */
static void print_names(const sneppp_model *m, const char *end)
{
   const sneppp_window *w = window_of(m, 0);
   const int            globe = w->space == SNEPPP_SPACE_SPHERE && w->dim == 3;
   if (globe) printf("lon,lat");
   for (int k = globe ? 3 : 0; k < m->D; k++)
      if (is_timed(m) && k == m->D - 1) printf(",time");
      else printf("%sx%d", k ? "," : "", k + 1);
   printf("%s", end);
}

/* A time, as a date where dates are wanted and there is one. */
static void print_time(const char *before, double v, int dates)
{
   char        text[40];
   const char *iso = dates ? csv_iso(v, text) : NULL;
   if (iso) printf("%s%s", before, iso);
   else print_number(before, v);
}

static void print_point(const sneppp_model *m, const sneppp_real *x, int dates)
{
   const sneppp_window *w = window_of(m, 0);
   int                  k = 0;
   if (w->space == SNEPPP_SPACE_SPHERE && w->dim == 3) {
      double lon = 0, lat = 0;
      if (sneppp_unit_to_lonlat(x, &lon, &lat, NULL) != SNEPPP_OK) fail("a point is not on the sphere", "");
      printf("%.10g,%.10g", lon, lat);
      k = 3;
   }
   for (; k < m->D; k++) print_time(k ? "," : "", (double)x[k], dates && k == m->D - 1 && window_of(m, m->factors - 1)->dim == 1);
}

/* Events in a file, for a model: columns and the time are as in fit. */
static points events_for(const sneppp_model *m, const char *path, const options *o)
{
   if (o->time && !is_timed(m)) fail("the model knows no time: --time ", o->time);
   if (o->coordinates && (window_of(m, 0)->space != SNEPPP_SPACE_SPHERE || window_of(m, 0)->dim != 3))
      fail("--coordinates is for places on the sphere, and the model knows none: ", o->file[0]);
   return coordinates(path, o, window_of(m, 0), is_timed(m));
}

static int eval(int count, char **arg)
{
   options       o = parse("eval", count, arg, 2, "Which model, and which file of points?");
   sneppp_model  m;
   sneppp_events at;
   points        p;
   sneppp_real  *v;
   sneppp_error  err;
   one_from_pipe(o.file[0], o.file[1]);
   m = load(o.file[0]);
   memset(&at, 0, sizeof at);
   p = events_for(&m, o.file[1], &o);
   at.x = p.x;
   at.count = p.count;
   v = (sneppp_real *)malloc((at.count + 1) * sizeof *v);
   if (!v) fail("not enough memory for ", o.file[1]);
   if (at.count && sneppp_intensities(&m, &at, v, NULL, &err) != SNEPPP_OK) complain_event(&m, &p, &err);
   if (all_outside(&m, &p))
      fprintf(stderr, "sneppp: all %lu points are outside the window: are these the right columns? see --columns\n",
              (unsigned long)p.count);
   print_names(&m, ",intensity\n");
   for (size_t i = 0; i < at.count; i++) {
      print_point(&m, p.x + i * (size_t)m.D, o.dates || p.dated);
      printf(",%.10g\n", (double)v[i]);
   }
   free(v);
   points_free(&p);
   sneppp_free(&m);
   return 0;
}

static int count_region(int count, char **arg)
{
   question             q;
   region_list          l;
   const sneppp_region *region;
   size_t               n;
   sneppp_error         err;
   sneppp_sure         *sure;
   double              *expected, error = 0;
   memset(&l, 0, sizeof l);
   ask(&q, "count", count, arg, 1, "Which model?");
   if (q.o.many) l = read_regions(&q.model, &q.o);
   region = l.count ? l.region : &q.region;
   n = l.count ? l.count : 1;
   sure = (sneppp_sure *)calloc(n, sizeof *sure);
   expected = (double *)calloc(n, sizeof *expected);
   if (!sure || !expected) fail("not enough memory for so many regions", "");
   if (q.o.level > 0 ? sneppp_count_sure(&q.model, region, n, q.o.level, sure, NULL, &err) != SNEPPP_OK
                     : sneppp_count(&q.model, region, n, expected, NULL, &err) != SNEPPP_OK) /* of places: what is around them */
      complain_region(&q, &l, &err);
   for (size_t k = 0; k < n; k++) {
      const sneppp_place *place = l.count ? &l.place[k] : &q.place;
      char                words[300];
      uint64_t            lo, hi;
      snprintf(words, sizeof words, l.count ? "%.200s, line %lu" : "%.200s", l.count ? csv_called(q.o.many) : q.o.regions ? q.o.region[0] : "", (unsigned long)(l.count ? l.line[k] : 0));
      if (place->shape && count_place(&q.model, place, &region[k], q.o.level, &expected[k], &error, &sure[k], &err) != SNEPPP_OK) complain(words, &err);
      if (!place->shape && (q.o.level > 0 ? sure[k].mean : expected[k]) == 0)
         tell_outside(&q.model, &region[k], &q.o, l.count ? csv_called(q.o.many) : NULL, l.count ? l.line[k] : 0);
      if (q.o.level > 0) {
         printf("expected=%.6g lo=%.6g hi=%.6g count_lo=%lu count_hi=%lu\n", sure[k].mean, sure[k].lower, sure[k].upper,
                (unsigned long)sure[k].count_lower, (unsigned long)sure[k].count_upper);
         continue;
      }
      sneppp_poisson_interval(expected[k], 0.9, &lo, &hi);
      printf("expected=%.6g interval90=%lu,%lu", expected[k], (unsigned long)lo, (unsigned long)hi);
      if (place->shape) printf(" error=%.2g", error);
      printf("\n");
   }
   free(sure);
   free(expected);
   free(l.place);
   free(l.part);
   free(l.region);
   free(l.line);
   sneppp_free(&q.model);
   return 0;
}

/* The part of [a, b] that was watched, as a region; 0: nothing was. `ends` has room for all intervals of w. */
static int watched(const sneppp_window *w, double a, double b, sneppp_window *part, double *ends)
{
   memset(part, 0, sizeof *part);
   part->dim = 1;
   part->lo[0] = a;
   part->hi[0] = b;
   if (w->space != SNEPPP_SPACE_INTERVALS) return 1;
   part->space = SNEPPP_SPACE_INTERVALS;
   part->ends = ends;
   for (size_t k = 0; k < w->count; k++) {
      const double from = fmax(a, w->ends[2 * k]), to = fmin(b, w->ends[2 * k + 1]);
      if (!(from < to)) continue;
      ends[2 * part->count] = from;
      ends[2 * part->count++ + 1] = to;
   }
   return part->count > 0;
}

static int profile(int count, char **arg)
{
   question             q;
   const sneppp_window *w;
   sneppp_window       *span;
   sneppp_region       *region;
   sneppp_sure         *sure;
   double               a, b, *ends, *edge, *expected, error, level;
   size_t               asked = 0, bins;
   int                  f, banded;
   sneppp_error         err;
   ask(&q, "profile", count, arg, 1, "Which model?");
   f = q.model.factors - 1;
   w = window_of(&q.model, f);
   if (w->dim != 1 || (w->space != SNEPPP_SPACE_BOX && w->space != SNEPPP_SPACE_INTERVALS)) fail("the model knows no time: ", csv_called(q.o.file[0]));
   a = w->space == SNEPPP_SPACE_INTERVALS ? w->ends[0] : w->lo[0];
   b = w->space == SNEPPP_SPACE_INTERVALS ? w->ends[2 * w->count - 1] : w->hi[0];
   if (q.region.factor[f]) {
      const sneppp_window *r = q.region.factor[f];
      a = fmax(a, r->lo[0]); /* cut to the window, as in count */
      b = fmin(b, r->hi[0]);
      if (!(a < b)) fail("the region of time lies outside the window", "");
   }
   must_keep(&q.o, q.o.png);
   must_be_png(q.o.png);
   bins = (size_t)q.o.bins;
   banded = q.o.level > 0 || q.o.png;
   ends = (double *)malloc(bins * (2 * w->count + 2) * sizeof *ends);
   edge = (double *)calloc(bins + 1, sizeof *edge);
   span = (sneppp_window *)malloc(bins * sizeof *span);
   region = (sneppp_region *)malloc(bins * sizeof *region);
   expected = (double *)calloc(bins, sizeof *expected);
   sure = (sneppp_sure *)calloc(bins, sizeof *sure);
   if (!ends || !edge || !span || !region || !expected || !sure) fail("not enough memory for the profile", "");
   for (size_t k = 0; k <= bins; k++) edge[k] = k < bins ? a + (b - a) * (double)k / (double)bins : b;
   for (size_t k = 0; k < bins; k++) { /* nothing is expected in a gap */
      if (!watched(w, edge[k], edge[k + 1], &span[k], ends + k * (2 * w->count + 2))) continue;
      region[asked] = q.region;
      region[asked++].factor[f] = &span[k];
   }
   level = q.o.level > 0 ? q.o.level : banded ? 0.95 : 0;
   for (size_t k = 0; q.place.shape && k < asked; k++)
      if (count_place(&q.model, &q.place, &region[k], level, &expected[k], &error, &sure[k], &err) != SNEPPP_OK) complain(q.o.region[0], &err);
   if (asked && !q.place.shape && (banded ? sneppp_count_sure(&q.model, region, asked, level, sure, NULL, &err)
                        : sneppp_count(&q.model, region, asked, expected, NULL, &err)) != SNEPPP_OK)
      complain(q.o.regions ? q.o.region[0] : csv_called(q.o.file[0]), &err);
   for (size_t k = bins, at = asked; k-- > 0 && at < k + 1;) { /* each to its own interval, from the last on */
      const int there = at && region[at - 1].factor[f] == &span[k];
      if (there) { at--; sure[k] = sure[at]; expected[k] = expected[at]; }
      else { memset(&sure[k], 0, sizeof sure[k]); expected[k] = 0; }
   }
   if (asked && !q.place.shape && q.o.regions && (banded ? sure[0].mean : expected[0]) == 0)
      tell_outside(&q.model, &q.region, &q.o, NULL, 0);
   printf(q.o.level > 0 ? "from,to,expected,lo,hi,count_lo,count_hi\n" : "from,to,expected,lo90,hi90\n");
   for (size_t k = 0; k < bins; k++) {
      uint64_t lo = 0, hi = 0;
      if (banded) expected[k] = sure[k].mean;
      print_time("", edge[k], q.o.dates);
      print_time(",", edge[k + 1], q.o.dates);
      if (q.o.level > 0)
         printf(",%.6g,%.6g,%.6g,%lu,%lu\n", sure[k].mean, sure[k].lower, sure[k].upper, (unsigned long)sure[k].count_lower, (unsigned long)sure[k].count_upper);
      else {
         if (expected[k] > 0) sneppp_poisson_interval(expected[k], 0.9, &lo, &hi);
         printf(",%.6g,%lu,%lu\n", expected[k], (unsigned long)lo, (unsigned long)hi);
      }
   }
   if (q.o.png) {
      draw_style style;
      char       title[80];
      memset(&style, 0, sizeof style);
      snprintf(title, sizeof title, "expected numbers, and where the true means are with %.6g %% certainty", 100 * level);
      style.title = title, style.xlabel = q.o.dates ? "days since 1970-01-01" : "time", style.ylabel = "events in an interval";
      if (q.o.dates && has_dates(edge[0], edge[bins])) style.xaxis = date_axis;
      errno = 0;
      if (!draw_profile(bins, edge, sure, &style, q.o.png)) fail_file(q.o.png, " cannot be written");
   }
   free(ends);
   free(edge);
   free(span);
   free(region);
   free(expected);
   free(sure);
   sneppp_free(&q.model);
   return 0;
}

static void write_geojson(const sneppp_model *m, const sneppp_window *when, int cells, int contours, const char *path)
{
   const sneppp_window *w = window_of(m, 0);
   const int            piped = !strcmp(path, "-");
   sneppp_model         space;
   sneppp_error         err;
   FILE                *f;
   int                  ok;
   memset(&space, 0, sizeof space);
   if (is_timed(m)) { /* the map of all times, or of a part */
      if (sneppp_marginal(m, 1, when, &space, &err) != SNEPPP_OK) fail(err.why, "");
      m = &space;
   }
   if (m->factors > 1 || !((w->dim == 2 && (w->space == SNEPPP_SPACE_BOX || w->space == SNEPPP_SPACE_POLYGON || w->space == SNEPPP_SPACE_BALL || w->space == SNEPPP_SPACE_RASTER)) ||
                           (w->dim == 3 && w->space == SNEPPP_SPACE_SPHERE)))
      fail("only the plane and the sphere are written as GeoJSON: ", path);
   errno = 0;
   f = piped ? stdout : fopen(path, "wb");
   ok = f && (contours ? draw_contours(m, cells ? cells : 200, contours, NULL, f) : draw_geojson(m, cells ? cells : 60, NULL, f));
   if (f) ok = !(piped ? fflush(f) : fclose(f)) && ok;
   if (!ok) fail_file(piped ? "standard output" : path, " cannot be written");
   sneppp_free(&space);
}

static int draw_file(int count, char **arg)
{
   question q;
   ask(&q, "draw", count, arg, 2, "Which model, and what is the picture's name?");
   must_differ(q.o.file[0], q.o.file[1]);
   if (q.region.factor[0] || (q.o.regions && !is_timed(&q.model))) fail("draw takes only a region of time, for models with a place and a time", "");
   q.o.geojson |= is_json(q.o.file[1]);
   if (!q.o.geojson) must_be_png(q.o.file[1]);
   if (q.o.cells && !q.o.geojson) fail("--cells is for --geojson", "");
   if (q.o.geojson && q.o.error) fail("--geojson has no --error", "");
   if (q.o.contours && !q.o.geojson) fail("--contours is for --geojson", "");
   if (q.o.geojson) write_geojson(&q.model, q.region.factor[1], q.o.cells, q.o.contours, q.o.file[1]);
   else draw(&q.model, NULL, 0, q.region.factor[1], q.o.error, q.o.dates, NULL, q.o.file[1]);
   sneppp_free(&q.model);
   return 0;
}

/* Expected numbers in cells over their sizes, or over the exposure. */
static int raster_file(int count, char **arg)
{
   question             q;
   sneppp_model         space;
   const sneppp_model  *m = &q.model;
   const sneppp_window *w;
   sneppp_grid          grid;
   sneppp_error         err;
   asc_grid             g;
   double               e[4], *mean;
   size_t               n;
   ask(&q, "raster", count, arg, 2, "Which model, and what is the grid's name?");
   must_differ(q.o.file[0], q.o.file[1]);
   memset(&space, 0, sizeof space);
   if (q.region.factor[0] || (q.o.regions && !is_timed(m))) fail("raster takes only a region of time, for models with a place and a time", "");
   if (is_timed(m)) {
      if (sneppp_marginal(&q.model, 1, q.region.factor[1], &space, &err) != SNEPPP_OK) fail(err.why, "");
      m = &space;
   }
   w = window_of(m, 0);
   if (m->factors > 1 || w->dim != 2 || (w->space != SNEPPP_SPACE_BOX && w->space != SNEPPP_SPACE_POLYGON && w->space != SNEPPP_SPACE_RASTER))
      fail("only models in a box or a polygon of the plane or on a raster are written as grids: ", q.o.file[0]);
   draw_extent(w, e);
   memset(&g, 0, sizeof g);
   for (int r = 0; r < 2; r++) {
      double side = fmax(e[1] - e[0], e[3] - e[2]) / (q.o.cells ? q.o.cells : 100);
      int    own = w->space == SNEPPP_SPACE_RASTER && !q.o.cells;
      g.origin[r] = own ? w->origin[r] : e[2 * r], g.cell[r] = own ? w->cell[r] : side;
      g.cells[r] = own ? w->cells[r] : (size_t)fmax(1, ceil((e[2 * r + 1] - e[2 * r]) / side - 1e-9));
   }
   n = g.cells[0] * g.cells[1];
   g.value = (double *)malloc(n * sizeof *g.value), mean = (double *)malloc(n * sizeof *mean);
   if (!g.value || !mean) fail("not enough memory for ", q.o.file[1]);
   memset(&grid, 0, sizeof grid), grid.means = 1;
   for (int r = 0; r < 2; r++)
      grid.lo[r] = g.origin[r], grid.hi[r] = g.origin[r] + (double)g.cells[r] * g.cell[r], grid.cells[r] = (int)g.cells[r];
   if (sneppp_bake(m, &grid, mean, NULL, &err) != SNEPPP_OK) fail(err.why, "");
   for (size_t k = 0; k < n; k++) {
      sneppp_window box, *b = &box;
      double        mass = 0;
      memset(&box, 0, sizeof box), b->space = SNEPPP_SPACE_BOX, b->dim = 2, g.value[k] = nan("");
      for (int r = 0; r < 2; r++) {
         const double lo = g.origin[r] + (double)(r ? k / g.cells[0] : k % g.cells[0]) * g.cell[r];
         b->lo[r] = fmax(lo, e[2 * r]), b->hi[r] = fmin(lo + g.cell[r], e[2 * r + 1]);
      }
      if (!(b->lo[0] < b->hi[0] && b->lo[1] < b->hi[1])) continue;
      if (w->space == SNEPPP_SPACE_RASTER) { /* the mass, or the area of it that is exposed */
         sneppp_window part = *w;
         memcpy(part.lo, b->lo, sizeof part.lo), memcpy(part.hi, b->hi, sizeof part.hi);
         part.tilt = NULL; /* what covariates multiply it by is a part of the risk */
         mass = sneppp_window_mass(&part);
         if (!(mass > 0)) continue;
         if (!q.o.relative) mass = (b->hi[0] - b->lo[0]) * (b->hi[1] - b->lo[1]);
      } else mass = (b->hi[0] - b->lo[0]) * (b->hi[1] - b->lo[1]);
      if (w->space == SNEPPP_SPACE_POLYGON) { /* a raster of one cell, cut by it, has the area of what is inside */
         sneppp_window part = *w;
         part.space = SNEPPP_SPACE_RASTER;
         for (int r = 0; r < 2; r++) part.cells[r] = 1, part.origin[r] = b->lo[r], part.cell[r] = b->hi[r] - b->lo[r];
         if (!part.rings) part.rings = 1, part.ring_size = &w->count;
         part.count = 0;
         const double whole = mass;
         mass = sneppp_window_mass(&part);
         if (!(mass > 1e-9 * whole)) continue; /* a corner, or rounding */
      }
      g.value[k] = mean[k] * (g.cell[0] * g.cell[1]) / mass; /* a mean over all of the cell, also of one that is cut */
   }
   errno = 0;
   if (!asc_write(&g, q.o.file[1])) fail_file(q.o.file[1], " cannot be written");
   asc_free(&g);
   free(mean);
   if (m == &space) sneppp_free(&space);
   sneppp_free(&q.model);
   return 0;
}

static int sample(int count, char **arg)
{
   question           q;
   sneppp_sample_info told;
   sneppp_sample_desc how = {0};
   sneppp_error       err;
   sneppp_real       *x = NULL;
   sneppp_status      st;
   ask(&q, "sample", count, arg, 1, "Which model?");
   how.region = &q.region, how.count = q.o.draws, how.seed = q.o.seed;
   memset(&told, 0, sizeof told);
   st = sneppp_sample(&q.model, &how, NULL, 0, &told, &err); /* how many? */
   if (st == SNEPPP_ERR_SIZE && told.count) {
      if (told.count < SIZE_MAX / sizeof *x / (size_t)q.model.D) x = (sneppp_real *)malloc(told.count * (size_t)q.model.D * sizeof *x);
      if (!x) fail("not enough memory for so many events", "");
      st = sneppp_sample(&q.model, &how, x, told.count, &told, &err);
   }
   if (st != SNEPPP_OK) complain(q.o.regions == 1 ? q.o.region[0] : q.o.file[0], &err);
   print_names(&q.model, "\n");
   for (size_t i = 0; x && i < told.count; i++) {
      print_point(&q.model, x + i * (size_t)q.model.D, q.o.dates);
      putchar('\n');
   }
   free(x);
   sneppp_free(&q.model);
   return 0;
}

/* ---- is it right? */
static int check(int count, char **arg)
{
   options         o = parse("check", count, arg, 2, "Which model, and which file of events?");
   FILE           *say = o.png && !strcmp(o.png, "-") ? stderr : stdout;
   sneppp_pool    *pool;
   sneppp_parallel parallel;
   sneppp_model    m;
   sneppp_error    err;
   points          p;
   check_how       how;
   check_report    r;
   double          pairs_p = 1, dispersion = nan(""), counts_p = nan("");
   one_from_pipe(o.file[0], o.file[1]);
   must_differ(o.file[0], o.png);
   must_differ(o.file[1], o.png);
   must_be_png(o.png);
   must_be_writable(o.png);
   m = load(o.file[0]);
   if (m.factors > 1 && !is_timed(&m)) fail("only models of a place, of time, or of both are checked: ", o.file[0]);
   m.alpha *= o.test_scale, m.floor *= o.test_scale;
   p = events_for(&m, o.file[1], &o);
   pool = sneppp_pool_make(o.threads, NULL);
   memset(&parallel, 0, sizeof parallel);
   if (pool) parallel = sneppp_pool_parallel(pool);
   memset(&how, 0, sizeof how);
   how.simulations = o.simulations;
   how.kept_back = o.kept_back;
   how.seed = o.seed;
   how.parallel = &parallel;
   if (check_all(&m, p.x, p.count, &how, "", &r, &err) != SNEPPP_OK) complain_event(&m, &p, &err);
   if (o.png && check_draw(&m, p.x, p.count, &r, &parallel, o.png, &err) != SNEPPP_OK) complain(o.png, &err);
   for (int f = 0, first = 0; f < r.factors; first += window_of(&m, f++)->dim)
      for (int k = 0; k < SNEPPP_MAX_DIM && !o.json; k++) {
         const int globe = window_of(&m, f)->space == SNEPPP_SPACE_SPHERE, days = p.dated && f == m.factors - 1;
         if (!(r.steps[f].step[k] > 0)) continue;
         fprintf(say, "%s was recorded in steps of %.4g%s: events are spread over them, and distances below that are not judged\n",
                 globe ? k ? "latitude" : "longitude" : p.name[first + k], r.steps[f].step[k],
                 globe ? " degrees" : !days ? "" : fabs(r.steps[f].step[k] - 1) < 1e-6 ? " day" : " days");
      }
   for (int f = 0; f < r.factors; f++) {
      const check_pair *pair = &r.pair[f];
      const char       *what = is_timed(&m) ? f ? " in time" : " in space" : "";
      pairs_p = fmin(pairs_p, pair->p);
      if (!o.json) {
         fprintf(say, "pairs%s: p = %.3f;", what, pair->p);
         for (int k = 3; k < CHECK_DISTANCES; k += 5)
            fprintf(say, "%s %.2f times those expected below %.3g", k > 3 ? "," : "", pair->ratio[k],
                    pair->distance[k] * (window_of(&m, f)->space == SNEPPP_SPACE_SPHERE ? 180 / 3.14159265358979323846 : 1));
         if (pair->used < p.count) fprintf(say, " (%lu of %lu events)", (unsigned long)pair->used, (unsigned long)p.count);
         fprintf(say, "\n");
      }
      if (!r.grid[f].rows) continue;
      if (!f) dispersion = r.grid[f].dispersion, counts_p = r.grid[f].p;
      if (!o.json) fprintf(say, "counts%s in %d x %d cells: %.2f times the variance of Poisson counts, p = %.3f\n", what, r.grid[f].cols, r.grid[f].rows, r.grid[f].dispersion, r.grid[f].p);
   }
   if (r.time.count && !o.json) fprintf(say, "rescaled times: %.3f from uniform at most, p = %.3f (Kolmogorov-Smirnov)\n", r.time.distance, r.time.p);
   if (o.json) {
      fprintf(say, "{\"events\": %lu, \"sentence\": \"%s\"", (unsigned long)p.count, r.sentence);
      json_number(say, "p", r.p);
      json_number(say, "pairs_p", pairs_p);
      json_number(say, "dispersion", dispersion);
      json_number(say, "counts_p", counts_p);
      json_number(say, "times_p", r.time.count ? r.time.p : nan(""));
      for (int f = 0; f < r.factors; f++)
         if (r.steps[f].coarse > 0)
            json_number(say, is_timed(&m) && f ? "time_step" : "step", r.steps[f].coarse * (window_of(&m, f)->space == SNEPPP_SPACE_SPHERE ? 180 / 3.14159265358979323846 : 1));
      fprintf(say, "}\n");
   } else {
      fprintf(say, "%s\n", r.sentence);
      fprintf(say, "p=%.4f pairs_p=%.4f ", r.p, pairs_p); /* what was not tested is left out */
      if (dispersion - dispersion == 0) fprintf(say, "dispersion=%.3f ", dispersion);
      if (counts_p - counts_p == 0) fprintf(say, "counts_p=%.4f ", counts_p);
      if (r.time.count) fprintf(say, "times_p=%.4f ", r.time.p);
      fprintf(say, "events=%lu\n", (unsigned long)p.count);
   }
   check_forget(&r);
   points_free(&p);
   sneppp_free(&m);
   sneppp_pool_free(pool);
   return 0;
}

static void tell_difference(const char *where, const check_difference *d)
{
   printf("%s: %+.4f nats per event, standard error %.4f; %lu events, A expects %.1f, B %.1f\n", where, d->gain, d->error, (unsigned long)d->events, d->expected[0], d->expected[1]);
}

static int compare(int count, char **arg)
{
   options          o = parse("compare", count, arg, 3, "Which two models, and which file of events?");
   sneppp_model     m, other;
   sneppp_window    part[SNEPPP_MAX_FACTORS];
   sneppp_region    region;
   sneppp_place     place;
   sneppp_error     err;
   check_difference d, all;
   points           p;
   for (int k = 0; k < 3; k++) one_from_pipe(o.file[k], o.file[(k + 1) % 3]);
   m = load(o.file[0]);
   other = load(o.file[1]);
   if (m.factors != other.factors || m.D != other.D) fail("the two models have different coordinates: ", o.file[1]);
   for (int f = 0; f < m.factors; f++)
      if (window_of(&m, f)->space != window_of(&other, f)->space || !(fabs(sneppp_window_mass(window_of(&m, f)) - sneppp_window_mass(window_of(&other, f))) <= 1e-9 * sneppp_window_mass(window_of(&m, f))))
         fail("the two models have different windows: ", o.file[1]);
   p = events_for(&m, o.file[2], &o);
   if (!p.count) fail(p.path, " holds no events");
   if (check_inside(&m, p.x, p.count, &err) != SNEPPP_OK || check_inside(&other, p.x, p.count, &err) != SNEPPP_OK)
      complain_event(&m, &p, &err);
   if (check_compare(&m, &other, p.x, p.count, o.test_scale, NULL, &all, &err) != SNEPPP_OK) complain(p.path, &err);
   regions(&m, &o, o.region, o.regions, part, &region, &place);
   if (o.regions) {
      if (check_compare(&m, &other, p.x, p.count, o.test_scale, &region, &d, &err) != SNEPPP_OK) complain(o.region[0], &err);
      if (d.expected[0] == 0) tell_outside(&m, &region, &o, NULL, 0);
      if (!o.json) tell_difference(o.region[0], &d);
   } else if (!o.json && window_of(&m, 0)->space == SNEPPP_SPACE_BOX && window_of(&m, 0)->dim <= 2) {
      const sneppp_window *w = window_of(&m, 0);
      for (int q = 0; q < 1 << w->dim; q++) { /* halves of each axis */
         char where[120];
         part[0] = *w;
         region.factor[0] = &part[0];
         for (int k = 0; k < w->dim; k++) *(q >> k & 1 ? &part[0].lo[k] : &part[0].hi[k]) = (w->lo[k] + w->hi[k]) / 2;
         snprintf(where, sizeof where, "box:%.6g,%.6g", part[0].lo[0], part[0].hi[0]);
         if (w->dim == 2) snprintf(where, sizeof where, "box:%.6g,%.6g,%.6g,%.6g", part[0].lo[0], part[0].hi[0], part[0].lo[1], part[0].hi[1]);
         if (check_compare(&m, &other, p.x, p.count, o.test_scale, &region, &d, &err) != SNEPPP_OK) complain(where, &err);
         tell_difference(where, &d);
      }
   }
   if (o.json) {
      printf("{\"events\": %lu", (unsigned long)all.events);
      json_number(stdout, "gain", all.gain);
      json_number(stdout, "error", all.error);
      printf("}\n");
   } else {
      tell_difference("everywhere", &all);
      if (all.gain == 0 && all.error == 0) printf("no difference\n");
      else if (all.events < 2 || !(fabs(all.gain) >= 2 * all.error)) printf("these events do not tell which is better\n");
      else printf("%s is better\n", all.gain > 0 ? "A" : "B");
      printf("gain=%.6f error=%.6f events=%lu\n", all.gain, all.error, (unsigned long)all.events);
   }
   points_free(&p);
   sneppp_free(&m);
   sneppp_free(&other);
   return 0;
}

static int write_text(const char *text, size_t bytes, void *user) { return fwrite(text, 1, bytes, (FILE *)user) != bytes; }

static int write_nothing(const char *text, size_t bytes, void *user) { return (void)text, (void)bytes, (void)user, 0; }

static int export_c(int count, char **arg)
{
   options      o = parse("export", count, arg, 2, "Which model, and what is the header's name?");
   sneppp_model m = load(o.file[0]);
   const char  *base = strrchr(o.file[1], '/');
   const int    piped = !strcmp(o.file[1], "-");
   FILE        *f = stdout;
   sneppp_error err;
   char         name[100] = "model";
   int          ok, written;
   if (!piped) snprintf(name, sizeof name, "%.*s", (int)strcspn(base ? base + 1 : o.file[1], "."), base ? base + 1 : o.file[1]);
   if (export_model(&m, name, write_nothing, NULL, &err) != SNEPPP_OK) /* before a file is made that is of no use */
      complain("the model is called as the file", &err);
   must_differ(o.file[0], o.file[1]);
   errno = 0;
   if (!piped) f = fopen(o.file[1], "wb");
   if (!f) fail_file(o.file[1], " cannot be written");
   ok = export_model(&m, name, write_text, f, &err) == SNEPPP_OK;
   written = !ferror(f);
   if ((piped ? fflush(f) : fclose(f)) || !written)
      fail_file(piped ? "standard output" : o.file[1], " cannot be written");
   if (!ok) fail(err.why, "");
   sneppp_free(&m);
   return 0;
}

static const char *const space_name[SNEPPP_SPACE_END] = {
   "box", "Gaussian mixture", "sphere", "intervals", "polygon", "ball", "R^d", "gamma", "beta", "Dirichlet",
   "Poisson", "binomial", "negative binomial", "normal", "von Mises", "finite set", "raster"};

static int info(int count, char **arg)
{
   options      o = parse("info", count, arg, 1, "Which model?");
   sneppp_model m = load(o.file[0]);
   sneppp_error err;
   double       expected;
   for (int f = 0; f < m.factors; f++) {
      const sneppp_window *w = window_of(&m, f);
      printf("window: %s, %d coordinate%s", w->space < SNEPPP_SPACE_END ? space_name[w->space] : "?", w->dim, w->dim == 1 ? "" : "s");
      if (w->space == SNEPPP_SPACE_BOX) for (int k = 0; k < w->dim; k++) {
         char from[40], to[40];
         if (o.dates && w->dim == 1 && csv_iso(w->lo[k], from) && csv_iso(w->hi[k], to)) printf(", [%s, %s]", from, to);
         else printf("%s[%.10g, %.10g]", k ? " x " : ", ", w->lo[k], w->hi[k]);
         if (!o.dates && w->dim == 1 && w->lo[k] >= 3652 && w->hi[k] <= 47482 && csv_iso(w->lo[k], from) && csv_iso(w->hi[k], to)) /* 1980 to 2100 */
            printf(" (if these are days since 1970-01-01, %s to %s: see --dates)", from, to);
      }
      printf("; size %.10g\n", sneppp_window_mass(w));
      if (w->space == SNEPPP_SPACE_RASTER && w->covariates)
         printf("%d covariate%s%s%s\n", w->covariates, w->covariates == 1 ? "" : "s", w->no_place ? ", without the place" : "",
                w->tilt ? ", whose factors are in the size:" : ", as statistics of the features");
      if (w->space == SNEPPP_SPACE_RASTER) tell_covariates(stdout, w, NULL, 0);
   }
   printf("features: %d, readout: %s\n", m.n, m.desc.readout == SNEPPP_READOUT_DIAGONAL ? "diagonal" : "full");
   printf("uniform part: %.10g per unit of the window\n", m.floor);
   if (sneppp_count(&m, NULL, 1, &expected, NULL, &err) == SNEPPP_OK) printf("expected in the whole window: %.10g\n", expected);
   printf("bytes when saved: %lu\n", (unsigned long)sneppp_save(&m, NULL, 0));
   sneppp_free(&m);
   return 0;
}

static void print_set(unsigned set, const char *const *name)
{
   const char *between = "";
   for (int e = 0; e < 32; e++) if (set >> e & 1) printf("%s%s", between, name[e]), between = ", ";
   printf(" | ");
}

/* The rules of the closed forms as a table in Markdown, where a bar would end the cell. */
static int kernels(int count, char **arg)
{
   static const char *const act_name[SNEPPP_ACT_END] = {
      "default", "cos", "sin", "snake", "cosmident", "exp", "erf", "phi", "step", "relu", "rect", "leaky", "gelu", "elu", "bell",
      "gabor_sin", "gabor_cos", "monomial", "rbf", "one"};
   const sneppp_kernel_info *rule;
   parse("kernels", count, arg, 0, "");
   printf("| measures | units i | units j | condition | k = integral of psi_i psi_j | source | trap |\n|---|---|---|---|---|---|---|\n");
   for (size_t k = 0; (rule = sneppp_kernel_at(k)) != NULL; k++) {
      const char *const text[4] = {rule->condition, rule->formula, rule->source, rule->trap};
      printf("| ");
      print_set(rule->spaces, space_name);
      for (int side = 0; side < 2; side++) print_set(rule->act[side], act_name);
      for (int column = 0; column < 4; column++) {
         for (const char *at = text[column]; *at; at++) printf(*at == '|' ? "\\|" : "%c", *at);
         printf(column < 3 ? " | " : " |\n");
      }
   }
   return 0;
}

int main(int count, char **arg)
{
   static const struct { const char *verb; int (*run)(int count, char **arg); } command[] = {
      {"fit", fit}, {"eval", eval}, {"count", count_region}, {"profile", profile}, {"draw", draw_file}, {"raster", raster_file}, {"sample", sample},
      {"check", check}, {"compare", compare}, {"export", export_c}, {"info", info}, {"kernels", kernels}};
   const char *verb = count > 1 ? arg[1] : "help";
   for (size_t k = 0; k < sizeof command / sizeof *command; k++)
      if (!strcmp(verb, command[k].verb)) return finish(command[k].run(count - 2, arg + 2));
   if (!strcmp(verb, "--version")) {
      printf("sneppp %d.%d.%d\n", SNEPPP_VERSION_MAJOR, SNEPPP_VERSION_MINOR, SNEPPP_VERSION_PATCH);
      return finish(0);
   }
   if (!strcmp(verb, "help") || !strcmp(verb, "--help") || !strcmp(verb, "-h")) {
      if (count > 3) fail("one word too many: ", arg[3]);
      return finish(help(count > 2 ? arg[2] : NULL));
   }
   fail("there is no such command; sneppp help lists them: ", verb);
   return 2;
}
