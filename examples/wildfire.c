/* cc -O2 -o wildfire examples/wildfire.c -lm -pthread && ./wildfire
   Active fires seen from space between 20 August and 18 October 2019, on the sphere times 60 days. Four models of the
   same events side by side, each judged on events that it never saw; five days that nobody watched, predicted from the
   days before and after; and the map as it moves, six days at a time (build/wildfire.png, an animated PNG, which every
   web browser plays).

      wildfire                         the shipped sample, about 12,000 events
      wildfire FILE [steps]            a CSV with the columns lon, lat and day (or time): days since 20 August 2019, or
                                       dates such as 2019-08-20; "-" reads from a pipe:
      zcat wildfires.csv.gz | wildfire -
   Data: NASA FIRMS, product MCD14DL, doi 10.5067/FIRMS/MODIS/MCD14DL.NRT.006. */
#define SNEPPP_PTHREADS
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "csv.h"
#include "draw.h"

enum { days = 60, gap_from = 25, gap_to = 30, frames = 10, span = days / frames };
static const double first_day = 18128; /* 20 August 2019, counted from 1 January 1970 */

typedef struct fires {
   sneppp_real *x;
   size_t count;
} fires; /* (count, 4): unit vector, time in days */

enum { by_steps, apart, by_default }; /* AdamW; a map times a profile in time, two convex problems; the library's choice */

typedef struct contest { /* one line of the table */
   const char    *name;
   sneppp_act     space, time;
   sneppp_readout readout;
   int            width, how;
} contest;

static sneppp_parallel threads;

static int fail(const char *why)
{
   fprintf(stderr, "wildfire: %s\n", why);
   return 1;
}

/* Satellites pass at fixed local times, so that the hour of an event and its longitude go together. Only the day is
   used; within it events are spread evenly, because a density on a continuous time should not see a lattice. */
static int read_fires(const char *path, fires *out)
{
   csv_table table;
   sneppp_rng rng;
   sneppp_error err;
   int lon, lat, day;
   memset(out, 0, sizeof *out);
   if (!csv_read(&table, path)) return fail(table.error), 0;
   lon = csv_column(&table, "lon"), lat = csv_column(&table, "lat"), day = csv_column(&table, "day");
   if (day < 0) day = csv_column(&table, "time");
   if (lon < 0 || lat < 0 || day < 0) {
      csv_free(&table);
      return fail("the columns lon, lat and day (or time) are needed"), 0;
   }
   if (!csv_good(&table, path, lon) || !csv_good(&table, path, lat) || !csv_good(&table, path, day)) {
      fail(table.error);
      csv_free(&table);
      return 0;
   }
   out->x = (sneppp_real *)malloc((table.rows + 1) * 4 * sizeof *out->x);
   if (!out->x) {
      csv_free(&table);
      return fail("no memory"), 0;
   }
   sneppp_rng_init(&rng, 5, 0);
   for (size_t i = 0; i < table.rows; i++) {
      const double *row = table.value + i * (size_t)table.columns;
      sneppp_real *x = out->x + 4 * out->count;
      double lonlat[2], t = floor(row[day] - (table.head[day].kind == CSV_DATE ? first_day : 0)) + sneppp_rng_uniform(&rng);
      if (!(t >= 0 && t < days)) continue; /* the last day of the full file is not complete */
      lonlat[0] = row[lon], lonlat[1] = row[lat];
      if (sneppp_lonlats_to_units(1, lonlat, 0, x, 0, &err) != SNEPPP_OK) {
         fprintf(stderr, "wildfire: %s, line %lu: %s\n", csv_called(path), (unsigned long)table.line[i], err.why);
         csv_free(&table);
         return 0; /* out->x is the caller's */
      }
      x[3] = (sneppp_real)t;
      out->count++;
   }
   csv_free(&table);
   if (!out->count) return fail("there are no fires of these sixty days in the file"), 0;
   return 1;
}

/* Copies the events that the model may see (or those that it may not). */
static sneppp_real *part_of(const fires *all, const unsigned char *keep, int kept, size_t *count)
{
   sneppp_real *x = (sneppp_real *)malloc((all->count + 1) * 4 * sizeof *x);
   *count = 0;
   for (size_t i = 0; x && i < all->count; i++)
      if (keep[i] == kept) memcpy(x + 4 * (*count)++, all->x + 4 * i, 4 * sizeof *x);
   return x;
}

static sneppp_status fit_one(const contest *c, const sneppp_events *events, size_t steps, sneppp_model *model,
                             sneppp_report *report, sneppp_error *err)
{
   sneppp_desc     desc = { .width = c->width, .readout = c->readout,
                            .factor = { { .window = { .space = SNEPPP_SPACE_SPHERE, .dim = 3 }, .unit = { .act = c->space } },
                                        { .window = { .space = SNEPPP_SPACE_BOX, .dim = 1, .hi = { days } }, .unit = { .act = c->time } } } };
   sneppp_fit_desc fit = { .events = events, .parallel = threads };
   sneppp_status   st;
   if (c->how == by_steps) {
      fit.method = SNEPPP_METHOD_ADAM, fit.steps = steps, fit.batch = 2048, fit.rate = 0.02, fit.clip = 1;
      fit.decay = SNEPPP_NONE, fit.schedule = SNEPPP_RATE_COSINE;
   } else if (c->how == apart) {
      desc.mix = SNEPPP_MIX_SEPARABLE, desc.factor[1].width = 12;
      fit.method = SNEPPP_METHOD_CONVEX, fit.tol = 1e-3;
   }
   st = sneppp_init(model, &desc, err);
   if (st == SNEPPP_OK) st = sneppp_fit(model, &fit, report, err);
   return st;
}

static int predict_gap(const contest *c, const fires *all, size_t steps)
{
   const double   ends[4] = { 0, gap_from, gap_to, days };
   sneppp_window  watched = { .space = SNEPPP_SPACE_INTERVALS, .dim = 1, .count = 2, .ends = ends };
   sneppp_window  hidden = { .space = SNEPPP_SPACE_BOX, .dim = 1, .lo = { gap_from }, .hi = { gap_to } };
   sneppp_region  seen = { .factor = { NULL, &watched } }, gap = { .factor = { NULL, &hidden } };
   unsigned char *keep = (unsigned char *)malloc(all->count + 1);
   sneppp_events  events = { .seen = &seen };
   sneppp_model   model = { 0 };
   sneppp_report  report;
   sneppp_error   err;
   sneppp_real   *x = NULL;
   double         expected, missing;
   uint64_t       lo, hi;
   int            bad = 1;
   for (size_t i = 0; keep && i < all->count; i++) keep[i] = !(all->x[4 * i + 3] >= gap_from && all->x[4 * i + 3] < gap_to);
   if (keep) events.x = x = part_of(all, keep, 1, &events.count);
   missing = (double)(all->count - events.count);
   if (!x) fail("no memory");
   else if (fit_one(c, &events, steps, &model, &report, &err) != SNEPPP_OK || sneppp_count(&model, &gap, 1, &expected, NULL, &err) != SNEPPP_OK) fail(err.why);
   else {
      sneppp_poisson_interval(expected, 0.95, &lo, &hi);
      printf("%-20s %10.0f %12lu to %-8lu %8.0f %+9.1f %%\n", c->name, expected, (unsigned long)lo, (unsigned long)hi, missing, 100 * (expected / missing - 1));
      bad = 0;
   }
   sneppp_free(&model);
   free(x);
   free(keep);
   return bad;
}

/* ---- the moving map */
static void name_days(int from, int to, char *text, size_t room)
{
   static const char *const month[12] = { "January", "February", "March", "April", "May", "June", "July",
                                          "August", "September", "October", "November", "December" };
   int year = 0, m = 1, d = 0, m2 = 1, d2 = 0;
   if (csv_civil(first_day + from, &year, &m, &d) || csv_civil(first_day + to, &year, &m2, &d2))
      return;
   if (m == m2) snprintf(text, room, "%d - %d %s %d", d, d2, month[m - 1], year);
   else snprintf(text, room, "%d %s - %d %s %d", d, month[m - 1], d2, month[m2 - 1], year);
}

/* Below the map: what was counted in each span of days, what the model expects, and where we are. */
static void draw_calendar(picture *p, int now, const double *counted, const double *expected)
{
   pic_frame f = { 78, 305, 498, 375, 0, days, 0, 1 };
   for (int k = 0; k < frames; k++) f.y1 = fmax(f.y1, 1.15 * fmax(counted[k], expected[k]));
   for (int k = 0; k < frames; k++)
      pic_box(p, pic_x(&f, k * span) + 1, pic_y(&f, counted[k]), pic_x(&f, (k + 1) * span) - 1, f.bottom,
              k == now ? 0xe0703cu : 0xc3cdd9u);
   for (int k = 0; k < frames; k++)
      pic_line(p, pic_x(&f, k * span) + 1, pic_y(&f, expected[k]), pic_x(&f, (k + 1) * span) - 1,
               pic_y(&f, expected[k]), 2, PIC_INK);
   pic_axes(p, &f, "days since 20 August", "fires", NULL);
   pic_box(p, 512, 315, 522, 325, 0xc3cdd9u);
   pic_text(p, 530, 324, 9, 0, PIC_INK, "seen");
   pic_line(p, 510, 344, 524, 344, 2, PIC_INK);
   pic_text(p, 530, 348, 9, 0, PIC_INK, "expected");
}

static int movie(const sneppp_model *model, const fires *all, const char *path)
{
   enum { rows = 72, cols = 144 };
   const double unit = 1 / (6371.0 * 6371.0 / 1e6) / span, degree = 3.14159265358979323846 / 180, power = 0.4;
   picture frame[frames] = { { 0, 0, NULL } };
   double *z[frames] = { NULL }, counted[frames] = { 0 }, expected[frames] = { 0 }, hi = 1e-300;
   char text[100], when[64] = "";
   int ok = 1;
   for (size_t i = 0; i < all->count; i++) counted[(int)all->x[4 * i + 3] / span]++;
   for (int k = 0; k < frames && ok; k++) { /* integrate the days out: a model of the place alone */
      sneppp_window part = { .space = SNEPPP_SPACE_BOX, .dim = 1, .lo = { k * span }, .hi = { (k + 1) * span } };
      sneppp_model map;
      ok = sneppp_marginal(model, 1, &part, &map, NULL) == SNEPPP_OK &&
           sneppp_count(&map, NULL, 1, &expected[k], NULL, NULL) == SNEPPP_OK;
      z[k] = ok ? draw_sphere_grid(&map, rows, cols, unit, 0, &threads) : NULL;
      ok = ok && z[k];
      if (ok) hi = fmax(hi, pic_quantile(z[k], (size_t)rows * cols, 0.995));
      sneppp_free(&map);
   }
   for (int k = 0; k < frames && ok; k++) {
      pic_frame f = { 78, 40, 498, 250, -180, 180, -90, 90 };
      frame[k] = pic_make(620, 425);
      draw_world(&frame[k], &f, z[k], rows, cols, hi, power);
      for (size_t i = 0; i < all->count; i++) {
         const sneppp_real *x = all->x + 4 * i;
         if ((int)x[3] / span != k || (all->count > 30000 && i % (all->count / 15000))) continue;
         pic_dot(&frame[k], (int)pic_x(&f, atan2((double)x[1], (double)x[0]) / degree),
                 (int)pic_y(&f, asin((double)x[2]) / degree), PIC_WHITE, 1);
      }
      name_days(k * span, (k + 1) * span - 1, when, sizeof when);
      snprintf(text, sizeof text, "fires seen from space, %s", when);
      pic_axes(&frame[k], &f, "longitude, degrees", "latitude, degrees", text);
      pic_bar(&frame[k], f.right + 12, f.top, f.bottom, hi, power, "per million km2 and day");
      draw_calendar(&frame[k], k, counted, expected);
   }
   ok = ok && pic_save_frames(frame, frames, 70, path);
   for (int k = 0; k < frames; k++) {
      free(z[k]);
      pic_free(&frame[k]);
   }
   return ok;
}

static int compare(const contest *table, size_t models, const fires *all, size_t steps)
{
   const double   p = 0.8;
   unsigned char *keep = (unsigned char *)malloc(all->count + 1);
   sneppp_events  train = { 0 }, test = { 0 };
   sneppp_real   *seen = NULL, *held = NULL;
   sneppp_error   err;
   double         before = -1e300; /* the line above */
   int            bad = 1;
   if (keep) {
      sneppp_thin(all->count, p, 1, keep);
      train.x = seen = part_of(all, keep, 1, &train.count);
      test.x = held = part_of(all, keep, 0, &test.count);
   }
   if (seen && held) {
      printf("%lu fires on the sphere and in %d days; %lu to learn from, %lu to judge by\n\n", (unsigned long)all->count, (int)days, (unsigned long)train.count, (unsigned long)test.count);
      printf("model                 units   NLL, learnt   NLL, unseen  processor s   (nats per event; less is better)\n");
      bad = 0;
   } else fail("no memory");
   for (size_t k = 0; k < models && !bad; k++) {
      sneppp_model  model = { 0 };
      sneppp_report report;
      double        learnt, judged = 0;
      bad = fit_one(&table[k], &train, steps, &model, &report, &err) != SNEPPP_OK ||
            sneppp_test_nll(&model, &train, 1, 1, &learnt, &threads, &err) != SNEPPP_OK ||
            sneppp_test_nll(&model, &test, 1, (1 - p) / p, &judged, &threads, &err) != SNEPPP_OK;
      if (bad) fail(err.why);
      else printf("%-20s %6d %13.4f %13.4f %12.1f\n", table[k].name, report.width, learnt, judged, report.seconds);
      fflush(stdout);
      sneppp_free(&model);
      if (!bad && table[k].time != SNEPPP_ACT_ONE) { /* each is better than the next, as in the paper */
         bad = !(judged > before);
         before = judged;
      }
   }
   free(keep);
   free(seen);
   free(held);
   return bad;
}

int main(int count, char **arg)
{
   static const contest table[] = {
      { "default", SNEPPP_ACT_DEFAULT, SNEPPP_ACT_DEFAULT, SNEPPP_READOUT_FULL, 0, by_default },
      { "ReLU x ReLU", SNEPPP_ACT_RELU, SNEPPP_ACT_RELU, SNEPPP_READOUT_FULL, 64, by_steps },
      { "exp x ReLU", SNEPPP_ACT_EXP, SNEPPP_ACT_RELU, SNEPPP_READOUT_FULL, 64, by_steps },
      { "log-linear mixture", SNEPPP_ACT_EXP, SNEPPP_ACT_EXP, SNEPPP_READOUT_DIAGONAL, 64, by_steps },
      { "log-linear", SNEPPP_ACT_EXP, SNEPPP_ACT_EXP, SNEPPP_READOUT_FULL, 1, by_steps },
      { "ReLU, without time", SNEPPP_ACT_RELU, SNEPPP_ACT_ONE, SNEPPP_READOUT_FULL, 64, by_steps } };
   static const contest profile = { "map times profile", SNEPPP_ACT_RELU, SNEPPP_ACT_RELU, SNEPPP_READOUT_FULL, 64, apart };
   const char   *path = count > 1 ? arg[1] : "examples/data/wildfires_sample.csv", *film = "build/wildfire.png";
   size_t        steps = count > 2 ? (size_t)strtoul(arg[2], NULL, 10) : 300;
   fires         all;
   sneppp_pool  *pool = sneppp_pool_make(2, NULL);
   sneppp_events events = { 0 };
   sneppp_model  model = { 0 };
   sneppp_report report;
   sneppp_error  err;
   int           bad;

   if (pool) threads = sneppp_pool_parallel(pool);
   if (!read_fires(path, &all)) {
      free(all.x);
      sneppp_pool_free(pool);
      return 1;
   }
   bad = compare(table, sizeof table / sizeof *table, &all, steps);
   printf("\nDays %d to %d taken away and predicted from the others\n", (int)gap_from, (int)gap_to);
   printf("model                  expected    19 of 20 Poisson counts     seen\n");
   bad = bad || predict_gap(&table[0], &all, steps) || predict_gap(&table[1], &all, steps) || predict_gap(&profile, &all, steps);
   printf("\nFires are no Poisson process: they burn for days and spread, and the fit has an error of its own. The interval knows\n"
          "neither and is narrower than the truth deserves. So few steps teach the ReLU network the map and the trend of the\n"
          "weeks, but not their peak around day 25, which is worth only some hundredths of a nat.\n");
   if (!bad) { /* the film: what the default learns from all fires */
      events.x = all.x;
      events.count = all.count;
      bad = fit_one(&table[0], &events, steps, &model, &report, &err) != SNEPPP_OK;
      if (bad) fail(err.why);
      else if (!movie(&model, &all, film)) bad = fail("the picture could not be written");
      else printf("The picture is %s\n", film);
   }
   sneppp_free(&model);
   free(all.x);
   sneppp_pool_free(pool);
   return bad;
}
