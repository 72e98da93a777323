/* The input floor: degrees, dates, and counts by numerical rules against closed forms. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "../examples/csv.h" /* the reader of the programs: its numbers and dates */

static const double input_eps = sizeof(sneppp_real) < sizeof(double) ? 1e-6 : 1e-14;
static sneppp_error input_error;

static int input_says(sneppp_status got, sneppp_status want, const char *text)
{
   if (got == want && strstr(input_error.why, text)) return 1;
   printf("   status %d: %s\n", (int)got, input_error.why);
   return 0;
}

/* One place after the other: count 1. */
static sneppp_status input_unit(double lon, double lat, sneppp_real *x, sneppp_error *err)
{
   double lonlat[2];
   lonlat[0] = lon, lonlat[1] = lat;
   return sneppp_lonlats_to_units(1, lonlat, 0, x, 0, err);
}

static sneppp_status input_count_cap(const sneppp_model *m, int factor, double lon, double lat, double radius,
                                     const sneppp_region *rest, double tol, double *count, double *error, sneppp_error *err)
{
   sneppp_place p;
   memset(&p, 0, sizeof p);
   p.shape = SNEPPP_SHAPE_CAP, p.factor = factor, p.within = rest, p.tol = tol;
   p.lon = lon, p.lat = lat, p.radius = radius;
   return sneppp_count_numeric(m, &p, count, error, err);
}

static sneppp_status input_count_lonlat(const sneppp_model *m, int factor, double west, double east, double south,
                                        double north, const sneppp_region *rest, double tol, double *count, double *error,
                                        sneppp_error *err)
{
   sneppp_place p;
   memset(&p, 0, sizeof p);
   p.shape = SNEPPP_SHAPE_LONLAT, p.factor = factor, p.within = rest, p.tol = tol;
   p.west = west, p.east = east, p.south = south, p.north = north;
   return sneppp_count_numeric(m, &p, count, error, err);
}

static sneppp_status input_count_set(const sneppp_model *m, sneppp_indicator inside, void *user, const sneppp_region *within,
                                     size_t points, uint64_t seed, double *count, double *error, sneppp_error *err)
{
   sneppp_place p;
   memset(&p, 0, sizeof p);
   p.inside = inside, p.user = user, p.within = within, p.points = points, p.seed = seed;
   return sneppp_count_numeric(m, &p, count, error, err);
}

TEST input_degrees(void)
{
   static const double known[5][5] = {
      { 0, 0, 1, 0, 0 }, { 90, 0, 0, 1, 0 }, { 180, 0, -1, 0, 0 }, { 270, 0, 0, -1, 0 }, { 12, 90, 0, 0, 1 }
   };
   sneppp_real x[3];
   double lon = 0, lat = 0;
   for (int k = 0; k < 5; k++) {
      ASSERT_EQ(SNEPPP_OK, input_unit(known[k][0], known[k][1], x, NULL));
      for (int r = 0; r < 3; r++) ASSERT(fabs((double)x[r] - known[k][2 + r]) <= input_eps);
   }
   for (int a = -179; a <= 180; a += 7)
      for (int b = -89; b <= 89; b += 11) {
         ASSERT_EQ(SNEPPP_OK, input_unit(a, b, x, NULL));
         ASSERT_EQ(SNEPPP_OK, sneppp_unit_to_lonlat(x, &lon, &lat, NULL));
         ASSERT(fabs(lat - b) <= 1e4 * input_eps &&
                fabs(lon - a) <= 1e4 * input_eps); /* in degrees, and near a pole */
      }
   PASS();
}

/* The promise is (-180, 180], and a zero may have a sign. */
TEST input_date_line(void)
{
   sneppp_real x[3] = { -1, 0, 0 };
   double lon = 0, lat = 0;
   for (int k = 0; k < 2; k++) {
      x[1] = (sneppp_real)(k ? -0.0 : 0.0);
      ASSERT_EQ(SNEPPP_OK, sneppp_unit_to_lonlat(x, &lon, &lat, NULL));
      ASSERT_EQ_FMT(180.0, lon, "%g");
      ASSERT_EQ_FMT(0.0, lat, "%g");
   }
   PASS();
}

TEST input_mistakes(void)
{
   sneppp_real x[3] = { 7, 7, 7 }, long_vector[3] = { 1, 1, 0 }, rows[16 * 4];
   double lon, lat, table[16 * 3];
   ASSERT(
      input_says(input_unit(40, 120, x, &input_error), SNEPPP_ERR_DATA, "is it the longitude?"));
   ASSERT(input_says(input_unit(400, 20, x, &input_error), SNEPPP_ERR_DATA, "longitude 400"));
   ASSERT(input_says(input_unit(sneppp__nan(), 20, x, &input_error), SNEPPP_ERR_DATA, "not finite"));
   ASSERT(input_says(input_unit(20, sneppp__nan(), x, &input_error), SNEPPP_ERR_DATA, "not finite"));
   ASSERT(x[0] == 7 && x[1] == 7 && x[2] == 7);
   ASSERT(input_says(sneppp_unit_to_lonlat(long_vector, &lon, &lat, &input_error), SNEPPP_ERR_DATA,
                     "not 1: divide"));
   for (int i = 0; i < 16; i++) { /* the whole Earth in radians */
      table[3 * i] = -3 + 0.4 * i;
      table[3 * i + 1] = -1.5 + 0.2 * i;
      table[3 * i + 2] = i;
   }
   rows[0] = 7;
   ASSERT(
      input_says(sneppp_lonlats_to_units(16, table, 3, rows, 4, &input_error), SNEPPP_ERR_DATA, "radians"));
   ASSERT(strstr(input_error.why, "fewer than 16")); /* what those do who live in the Gulf of Guinea */
   ASSERT(rows[0] == 7);
   table[3 * 5 + 1] = 91;
   ASSERT(
      input_says(sneppp_lonlats_to_units(16, table, 3, rows, 4, &input_error), SNEPPP_ERR_DATA, "event 5"));
   ASSERT_EQ((size_t)5, input_error.event);
   table[3 * 5 + 1] = 45;
   ASSERT_EQ(SNEPPP_OK, sneppp_lonlats_to_units(16, table, 3, rows, 4, NULL));
   ASSERT_EQ(SNEPPP_OK, input_unit(table[15], 45, x, NULL));
   ASSERT(rows[20] == x[0] && rows[21] == x[1] && rows[22] == x[2]);
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_lonlats_to_units(16, table, 1, rows, 4, NULL));
   PASS();
}

static int csv_says(const char *why, const char *words) { return why && strstr(why, words) != NULL; }

TEST input_dates(void)
{
   static const int known[][4] = { { 1970, 1, 1, 0 },      { 1969, 12, 31, -1 },   { 2000, 2, 29, 11016 },
                                   { 2019, 8, 20, 18128 }, { 1900, 3, 1, -25508 }, { 1600, 1, 1, -135140 } };
   double days = 0, before = 0;
   int y = 0, m = 0, d = 0;
   for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
      ASSERT(!csv_days(known[k][0], known[k][1], known[k][2], &days));
      ASSERT_EQ_FMT((double)known[k][3], days, "%g");
   }
   ASSERT(!csv_days(-401, 1, 1, &before));
   for (int n = 0; n < 3 * 146097; n += 13) { /* every date comes back, time of day and all */
      ASSERT(!csv_civil(before + n + 0.75, &y, &m, &d));
      ASSERT(!csv_days(y, m, d, &days));
      ASSERT_EQ_FMT(before + n, days, "%g");
   }
   days = 7;
   ASSERT(csv_says(csv_days(2019, 20, 8, &days), "is it the day?"));
   ASSERT(csv_says(csv_days(20, 8, 2019, &days), "is it the year?"));
   ASSERT(csv_says(csv_days(1900, 2, 29, &days), "no such day"));
   ASSERT_EQ_FMT(7.0, days, "%g");
   PASS();
}

/* Numbers in files, however they are written, are those that the compiler reads. */
TEST input_csv_numbers(void)
{
   static const struct {
      const char *text;
      double value;
   } good[] = { { "0", 0 },           { "-0.5", -0.5 },        { "+5", 5 },
                { ".5", .5 },         { "5.", 5. },            { "1e3", 1e3 },
                { "1E+03", 1e3 },     { " \t7 ", 7 },          { "12e-2", 12e-2 },
                { "1e-400", 0 },      { "123456789012345678", 123456789012345678. },
                { "0.1", 0.1 },       { "0.30000000000000004", 0.30000000000000004 },
                { "-1.7976931348623157e308", -1.7976931348623157e308 },
                { "9007199254740993", 9007199254740993. },
                { "0.000000000000000000000000000123456789012345678", 1.23456789012345678e-28 } };
   static const char *const bad[] = { "",     "x",   "-",    ".",     "e5",  "nan",  "inf", "-inf", "0x1F", "1e999",
                                      "1.2.3", "--1", "1 2", "1e5.5", "1e5e5", "5-3", "1e",  "1,5",  "+-1",  "1d5" };
   const char *end;
   double value;
   for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
      value = 7;
      ASSERTm(good[k].text, csv_number(good[k].text, &end, &value) && !*end);
      ASSERTm(good[k].text, value == good[k].value);
      ASSERT_EQ(CSV_NUMBER, csv_cell(good[k].text, &value));
   }
   for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) ASSERT_EQm(bad[k], CSV_TEXT, csv_cell(bad[k], &value));
   PASS();
}

TEST input_csv_dates(void)
{
   static const struct {
      const char *text;
      double seconds; /* of the first of March 2016, UTC */
   } good[] = { { "2016-03-01", 0 },
                { "2016-03-01T12:30:00Z", 45000 },
                { "2016-03-01 12:30", 45000 },
                { "2016-03-01t12:30:15z", 45015 },
                { "2016-03-01T12:30:00.25Z", 45000.25 },
                { "2016-03-01T12:30:00,5", 45000.5 },
                { "2016-03-01T12:30:00+02:00", 37800 },
                { "2016-03-01T12:30:00-0530", 64800 },
                { "2016-03-01T12:30+02", 37800 },
                { "2016-02-29T24:00:00Z", 0 },
                { "2016-02-29T23:59:60Z", 0 },
                { "2016-03-01T00:30:00+01:00", -1800 } };
   static const char *const bad[] = { "2016",
                                      "2016-03",
                                      "2016-3-1",
                                      "2015-02-29",
                                      "2016-13-01",
                                      "2016-03-01T",
                                      "2016-03-01T12",
                                      "2016-03-01T25:00",
                                      "2016-03-01T24:01",
                                      "2016-03-01T12:60",
                                      "2016-03-01T12:30:61",
                                      "2016-03-01T12:30Z+1",
                                      "2016-03-01T12:30+2",
                                      "2016-03-01Z",
                                      "01-03-2016",
                                      "20160301T1230" };
   double march = 0, days;
   ASSERT(!csv_days(2016, 3, 1, &march));
   for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
      ASSERT_EQm(good[k].text, CSV_DATE, csv_cell(good[k].text, &days));
      ASSERTm(good[k].text, fabs((days - march) * 86400 - good[k].seconds) < 1e-6);
   }
   for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) ASSERTm(bad[k], !csv_date(bad[k], &days));
   PASS();
}

static sneppp_status input_model(sneppp_model *model, sneppp_act act)
{
   sneppp_desc desc;
   memset(&desc, 0, sizeof desc);
   desc.width = 6;
   desc.seed = 4;
   desc.factor[0].window.space = SNEPPP_SPACE_SPHERE;
   desc.factor[0].window.dim = 3;
   desc.factor[0].unit.act = act;
   desc.factor[1].window.dim = 1;
   desc.factor[1].window.hi[0] = 10;
   desc.factor[1].unit.act = SNEPPP_ACT_COS;
   return sneppp_init(model, &desc, NULL);
}

static int input_all(const sneppp_real *x, void *user)
{
   (void)x;
   (void)user;
   return 1;
}

/* A cap of a sphere whose intensity overflows has no count. */
TEST input_cap_overflows(void)
{
   sneppp_desc  desc;
   sneppp_model model;
   double       count = 7, error = 7;
   memset(&desc, 0, sizeof desc);
   desc.width = 6;
   desc.factor[0].window.space = SNEPPP_SPACE_SPHERE, desc.factor[0].window.dim = 3;
   desc.factor[0].unit.act = SNEPPP_ACT_RELU;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&model, &desc, NULL));
   ASSERT_EQ(SNEPPP_OK, input_count_cap(&model, 0, 10, 20, 120, NULL, 1e-4, &count, &error, &input_error));
   ASSERT(sneppp__finite(count) && count > 0);
   model.alpha = 1e300;
   for (int i = 0; i < 36; i++) model.readout[0].V[i] = (sneppp_real)(sizeof(sneppp_real) < sizeof(double) ? 1e38 : 1e200);
   ASSERT(input_says(input_count_cap(&model, 0, 10, 20, 120, NULL, 1e-4, &count, &error, &input_error), SNEPPP_ERR_NOT_FINITE,
                     "not finite somewhere in the region"));
   sneppp_free(&model);
   PASS();
}

/* What dates and numerical counts refuse, in words, without touching their results. */
TEST input_refusals(void)
{
   static const double point[2] = { 0.5, 1.5 };
   sneppp_desc         desc;
   sneppp_model        model;
   sneppp_window       part;
   sneppp_region       region;
   double              days = 7, count = 7, error = 7;
   int                 y = 7, m = 7, d = 7;
   memset(&part, 0, sizeof part);
   memset(&region, 0, sizeof region);
   ASSERT(csv_says(csv_days(2000000000, 1, 1, &days), "the year is too far"));
   ASSERT(csv_says(csv_days(-2000000000, 1, 1, &days), "the year is too far"));
   ASSERT(csv_says(csv_civil(1e15, &y, &m, &d), "the day is too far"));
   ASSERT(csv_says(csv_civil(-1e15, &y, &m, &d), "too far"));
   ASSERT(csv_says(csv_civil(sneppp__nan(), &y, &m, &d), "too far"));
   ASSERT(days == 7 && y == 7 && m == 7 && d == 7);

   ASSERT_EQ(SNEPPP_OK, input_model(&model, SNEPPP_ACT_RELU));
   ASSERT(input_says(input_count_cap(&model, 2, 0, 0, 10, NULL, 0, &count, &error, &input_error), SNEPPP_ERR_ARG,
                     "factor = 2, but the model has 2"));
   ASSERT(input_says(input_count_cap(&model, -1, 0, 0, 10, NULL, 0, &count, &error, &input_error), SNEPPP_ERR_ARG,
                     "factor = -1"));
   part.space = SNEPPP_SPACE_SPHERE, part.dim = 3;
   region.factor[0] = &part;
   ASSERT(input_says(input_count_cap(&model, 0, 0, 0, 10, &region, 0, &count, &error, &input_error), SNEPPP_ERR_ARG,
                     "within.factor[0] must be NULL"));
   ASSERT(input_says(input_count_lonlat(&model, 0, -200, 170, 0, 10, NULL, 0, &count, &error, &input_error),
                     SNEPPP_ERR_ARG, "more than once around"));
   ASSERT_EQ(SNEPPP_ERR_ARG, input_count_cap(&model, 0, 0, 0, 10, NULL, -1, &count, &error, NULL));
   ASSERT(count == 7 && error == 7);
   /* No number of cells reaches this; the best count is given all the same, with its error. */
   ASSERT(input_says(input_count_cap(&model, 0, 10, 20, 120, NULL, 1e-300, &count, &error, &input_error),
                     SNEPPP_ERR_NO_CONVERGENCE, "cells the error is still"));
   ASSERT(error > 0 && error < 1e-3 * count);
   {
      double again = 0;
      ASSERT_EQ(SNEPPP_OK, input_count_cap(&model, 0, 10, 20, 120, NULL, 1e-4, &again, NULL, NULL));
      ASSERT(fabs(again - count) <= 2e-4 * count);
   }
   count = error = 7;
   region.factor[0] = NULL, region.factor[1] = &part;
   memset(&part, 0, sizeof part);
   part.dim = 2, part.hi[0] = part.hi[1] = 1;
   ASSERT(input_says(input_count_set(&model, input_all, NULL, &region, 100, 1, &count, &error, &input_error), SNEPPP_ERR_ARG,
                     "within.factor[1].dim = 2, but the model has 1"));
   part.space = SNEPPP_SPACE_FINITE, part.dim = 1, part.count = 2, part.point = point;
   ASSERT(input_says(input_count_set(&model, input_all, NULL, &region, 100, 1, &count, &error, &input_error), SNEPPP_ERR_ARG,
                     "factor[1]: numerical counts are not offered on"));
   memset(&part, 0, sizeof part);
   part.dim = 3, part.hi[0] = part.hi[1] = part.hi[2] = 1;
   region.factor[0] = &part, region.factor[1] = NULL;
   ASSERT(input_says(input_count_set(&model, input_all, NULL, &region, 100, 1, &count, &error, &input_error), SNEPPP_ERR_ARG,
                     "within.factor[0] has another measure"));
   ASSERT(count == 7 && error == 7);
   model.alpha = 1e300; /* the squares of features overflow */
   model.readout[0].V[0] = (sneppp_real)(sizeof(sneppp_real) < sizeof(double) ? 1e38 : 1e300);
   ASSERT(input_says(input_count_set(&model, input_all, NULL, NULL, 100, 1, &count, &error, &input_error), SNEPPP_ERR_NOT_FINITE,
                     "not finite"));
   ASSERT(count == 7 && error == 7);
   ASSERT(input_says(input_count_cap(&model, 0, 0, 0, 10, NULL, 0, &count, &error, &input_error), SNEPPP_ERR_NOT_FINITE,
                     "not finite"));
   ASSERT(count == 7 && error == 7);
   sneppp_free(&model);
   memset(&desc, 0, sizeof desc); /* the sphere alone: nothing is integrated out before its cells */
   desc.factor[0].window.space = SNEPPP_SPACE_SPHERE, desc.factor[0].window.dim = 3, desc.width = 3;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&model, &desc, &input_error));
   model.alpha = 1e300;
   for (int i = 0; i < 9; i++) model.readout[0].V[i] = (sneppp_real)(sizeof(sneppp_real) < sizeof(double) ? 1e38 : 1e300);
   ASSERT(input_says(input_count_cap(&model, 0, 0, 0, 10, NULL, 0, &count, &error, &input_error), SNEPPP_ERR_NOT_FINITE,
                     "not finite somewhere"));
   ASSERT(count == 7 && error == 7);
   sneppp_free(&model);
   PASS();
}

/* The whole sphere in parts, caps and rectangles, against the closed form; with a part of the time, too. */
TEST input_sphere_parts(void)
{
   const double tol = sizeof(sneppp_real) < sizeof(double) ? 1e-4 : 1e-6;
   for (int k = 0; k < 2; k++) {
      sneppp_model model;
      sneppp_window week;
      sneppp_region region;
      double exact, sum = 0, off = 0, part, error;
      memset(&week, 0, sizeof week);
      memset(&region, 0, sizeof region);
      week.dim = 1, week.lo[0] = 1, week.hi[0] = 8;
      region.factor[1] = &week;
      ASSERT_EQ(SNEPPP_OK, input_model(&model, k ? SNEPPP_ACT_EXP : SNEPPP_ACT_RELU));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&model, &region, 1, &exact, NULL, NULL));
      for (int c = 0; c < 2; c++) { /* a cap and what is left: the cap of the opposite point */
         ASSERT_EQ(SNEPPP_OK, input_count_cap(&model, 0, c ? -140 : 40, c ? 50 : -50, c ? 110 : 70,
                                                       &region, tol, &part, &error, NULL));
         sum += part, off += error;
      }
      ASSERT(fabs(sum - exact) <= off + 1e3 * input_eps * exact && off <= 2 * tol * exact);
      sum = off = 0;
      for (int c = 0; c < 4; c++) { /* two bands, each in two pieces of which one crosses the date line */
         ASSERT_EQ(SNEPPP_OK, input_count_lonlat(&model, 0, c & 1 ? 100 : -30, c & 1 ? -30 : 100,
                                                          c & 2 ? -90 : 20, c & 2 ? 20 : 90, &region, tol,
                                                          &part, &error, NULL));
         sum += part, off += error;
      }
      ASSERT(fabs(sum - exact) <= off + 1e3 * input_eps * exact && off <= 4 * tol * exact);
      ASSERT_EQ(SNEPPP_ERR_ARG, input_count_cap(&model, 1, 0, 0, 10, NULL, 0, &part, &error, NULL));
      ASSERT_EQ(SNEPPP_ERR_ARG, input_count_cap(&model, 0, 0, 0, 190, NULL, 0, &part, &error, NULL));
      ASSERT_EQ(SNEPPP_ERR_ARG,
                input_count_lonlat(&model, 0, 0, 10, 30, 20, NULL, 0, &part, &error, NULL));
      sneppp_free(&model);
   }
   PASS();
}

static int input_cap(const sneppp_real *x, void *user)
{
   return (double)x[2] >= *(const double *)user && x[3] <= 5;
}

TEST input_indicator(void)
{
   sneppp_model model;
   sneppp_window half;
   sneppp_region region;
   double exact = 0, count = 0, error = 0, height = 0.5;
   memset(&half, 0, sizeof half);
   memset(&region, 0, sizeof region);
   half.dim = 1, half.hi[0] = 5;
   region.factor[1] = &half;
   ASSERT_EQ(SNEPPP_OK, input_model(&model, SNEPPP_ACT_RELU));
   ASSERT_EQ(SNEPPP_OK, input_count_cap(&model, 0, 0, 90, 60, &region, 1e-4, &exact, NULL, NULL));
   ASSERT_EQ(SNEPPP_OK,
             input_count_set(&model, input_cap, &height, NULL, 40000, 1, &count, &error, NULL));
   ASSERT(fabs(count - exact) <= 2 * error + 1e-4 * exact && error < 0.01 * exact); /* four standard errors */
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&model, &region, 1, &exact, NULL, NULL));
   ASSERT_EQ(SNEPPP_OK,
             input_count_set(&model, input_all, NULL, &region, 40000, 2, &count, &error, NULL));
   ASSERT(fabs(count - exact) <= 2 * error + 1e3 * input_eps * exact && error < 2e-3 * exact);
   ASSERT_EQ(SNEPPP_ERR_ARG, input_count_set(&model, NULL, NULL, NULL, 0, 0, &count, &error, NULL));
   {
      int           behind = SNEPPP_SHAPE_POLYGON + 1; /* the last one */
      sneppp_place none;
      memset(&none, 0, sizeof none);
      none.shape = (sneppp_shape)behind;
      ASSERT(input_says(sneppp_count_numeric(&model, &none, &count, &error, &input_error), SNEPPP_ERR_ARG, "none of sneppp_shape"));
   }
   sneppp_free(&model);
   PASS();
}

/* A triangle, and two intervals, in windows of the plane and the line, and a circle: whatever the shape, all of it is counted. */
TEST input_indicator_shapes(void)
{
   static const double xy[6] = { 0.1, 0.1, 0.9, 0.2, 0.4, 0.8 }, ends[4] = { 0, 1, 2, 4 };
   sneppp_model model;
   sneppp_desc desc;
   sneppp_window part, time;
   sneppp_region region;
   double exact = 0, count = 0, error = 0;
   memset(&desc, 0, sizeof desc);
   memset(&part, 0, sizeof part);
   memset(&time, 0, sizeof time);
   memset(&region, 0, sizeof region);
   desc.width = 5;
   desc.factor[0].window.dim = 2, desc.factor[0].window.hi[0] = desc.factor[0].window.hi[1] = 1;
   desc.factor[0].unit.act = SNEPPP_ACT_COS;
   desc.factor[1].window.dim = 1, desc.factor[1].window.hi[0] = 4;
   desc.factor[1].unit.act = SNEPPP_ACT_COS;
   part.space = SNEPPP_SPACE_POLYGON, part.dim = 2, part.count = 3, part.xy = xy;
   time.space = SNEPPP_SPACE_INTERVALS, time.dim = 1, time.count = 2, time.ends = ends;
   region.factor[0] = &part, region.factor[1] = &time;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&model, &desc, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&model, &region, 1, &exact, NULL, NULL));
   ASSERT_EQ(SNEPPP_OK, input_count_set(&model, input_all, NULL, &region, 0, 3, &count, &error, NULL));
   ASSERT(fabs(count - exact) <= 2 * error && error < 0.01 * exact);
   sneppp_free(&model);
   memset(&desc, 0, sizeof desc); /* a circle by its angle */
   desc.width = 5, desc.factor[0].window.space = SNEPPP_SPACE_VONMISES, desc.factor[0].window.dim = 1;
   desc.factor[0].unit.act = SNEPPP_ACT_EXP;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&model, &desc, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&model, NULL, 1, &exact, NULL, NULL));
   ASSERT_EQ(SNEPPP_OK, input_count_set(&model, input_all, NULL, NULL, 4096, 3, &count, &error, NULL));
   ASSERT_IN_RANGE(exact, count, 0.001 * exact);
   sneppp_free(&model);
   PASS();
}

/* The sphere need not come first: what stands before it is integrated out like what stands behind it. And the hint to
   swap the degrees is given up to the pole. */
TEST input_sphere_comes_second(void)
{
   double       x[3];
   sneppp_real  unit[3];
   sneppp_model first, second;
   sneppp_desc  d;
   double       a, b, error;
   memset(&d, 0, sizeof d);
   ASSERT_EQ(SNEPPP_OK, input_model(&first, SNEPPP_ACT_RELU));
   d.width = 6, d.seed = 4;
   d.factor[0] = first.desc.factor[1], d.factor[1] = first.desc.factor[0];
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&second, &d, NULL));
   for (int f = 0; f < 2; f++) {
      const sneppp_layer_state *from = &first.layer[f], *to = &second.layer[!f];
      memcpy(to->W, from->W, (size_t)from->n * (size_t)from->d * sizeof *to->W);
      if (from->b) memcpy(to->b, from->b, (size_t)from->n * sizeof *to->b);
   }
   memcpy(second.readout[0].V, first.readout[0].V, (size_t)first.readout[0].m * (size_t)first.readout[0].n * sizeof(sneppp_real));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&first, NULL, 1, &a, NULL, NULL));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&second, NULL, 1, &b, NULL, NULL));
   ASSERT_IN_RANGE(a, b, 1e3 * input_eps * a);
   ASSERT_EQ(SNEPPP_OK, input_count_lonlat(&first, 0, -30, 100, 20, 70, NULL, 1e-4, &a, &error, NULL));
   ASSERT_EQ(SNEPPP_OK, input_count_lonlat(&second, 1, -30, 100, 20, 70, NULL, 1e-4, &b, &error, NULL));
   ASSERT_IN_RANGE(a, b, 1e-5 * a);
   sneppp_free(&first);
   sneppp_free(&second);
   x[0] = 90, x[1] = 91;
   ASSERT(input_says(input_unit(x[0], x[1], unit, &input_error), SNEPPP_ERR_DATA, "is it the longitude?"));
   PASS();
}

/* Tables without a gap between rows: strides of 0, 2 and 3 are the same, one less is refused. */
TEST input_tight_tables(void)
{
   static const double lonlat[6] = {10, 20, -170, 80, 359, -45};
   sneppp_real         x[3][9];
   for (int k = 0; k < 2; k++) ASSERT_EQ(SNEPPP_OK, sneppp_lonlats_to_units(3, lonlat, k ? 2 : 0, x[k], k ? 3 : 0, NULL));
   for (int i = 0; i < 3; i++) ASSERT_EQ(SNEPPP_OK, input_unit(lonlat[2 * i], lonlat[2 * i + 1], x[2] + 3 * i, NULL));
   ASSERT_EQ(0, memcmp(x[0], x[2], sizeof x[0]));
   ASSERT_EQ(0, memcmp(x[1], x[2], sizeof x[0]));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_lonlats_to_units(3, lonlat, 1, x[0], 3, NULL));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_lonlats_to_units(3, lonlat, 2, x[0], 2, NULL));
   PASS();
}

/* A sum of bumps exp(k (cos t - 1)) with k from lo to hi, on the sphere or on sphere x time. */
static sneppp_status input_bumps_of(sneppp_model *m, sneppp_measure measure, double lo, double hi, int time, uint64_t seed)
{
   sneppp_desc   d;
   sneppp_rng    g;
   sneppp_status st;
   memset(&d, 0, sizeof d);
   d.width = 24, d.readout = SNEPPP_READOUT_DIAGONAL;
   d.factor[0].window.space = SNEPPP_SPACE_SPHERE, d.factor[0].window.dim = 3, d.factor[0].unit.act = SNEPPP_ACT_EXP;
   d.factor[0].window.measure = measure;
   if (time) d.factor[1].window.dim = 1, d.factor[1].window.hi[0] = 10, d.factor[1].unit.act = SNEPPP_ACT_RBF;
   st = sneppp_init(m, &d, NULL);
   if (st != SNEPPP_OK) return st;
   sneppp_rng_init(&g, seed, 0);
   for (size_t i = 0; i < 24; i++) {
      double c[3], k = exp(log(lo) + sneppp_rng_uniform(&g) * log(hi / lo));
      sneppp__rng_sphere(&g, 3, c);
      if (i == 3) c[2] = 0, k = 7, c[0] = 0.6, c[1] = 0.8; /* on the equator: on the border of both hemispheres */
      if (i == 4) c[0] = c[1] = 0, c[2] = -1;              /* a pole */
      if (i == 5) k = 0;                                   /* a constant */
      for (size_t r = 0; r < 3; r++) m->layer[0].W[3 * i + r] = (sneppp_real)(0.5 * k * c[r]);
      m->layer[0].b[i] = (sneppp_real)(-0.5 * k);
      m->readout[0].V[i] = (sneppp_real)(i == 6 ? 0 : 0.5 + sneppp_rng_uniform(&g));
   }
   m->alpha = 2, m->floor = 0.1;
   return SNEPPP_OK;
}
static sneppp_status input_bumps(sneppp_model *m, double lo, double hi, int time, uint64_t seed)
{
   return input_bumps_of(m, SNEPPP_MEASURE_SURFACE, lo, hi, time, seed);
}

/* The integral over azimuths a0..a1 and heights z0..z1 by many rules of Gauss in azimuth and angle, which is smooth. */
static double input_patch(const sneppp_model *m, const sneppp__zone *zone)
{
   const double (*frame)[3] = zone->frame;
   const sneppp__patch *p = &zone->whole;
   enum { CELLS = 24 };
   const double t0 = acos(zone->top + p->z1), t1 = acos(zone->top + p->z0);
   double       node[32], weight[32], sum = 0;
   const int    n = sneppp__gauss_legendre(8, node, weight);
   for (int i = 0; i < CELLS * n; i++)
      for (int j = 0; j < CELLS * n; j++) {
         double      t = t0 + (t1 - t0) * (i / n + 0.5 * (1 + node[i % n])) / CELLS;
         double      a = p->a0 + (p->a1 - p->a0) * (j / n + 0.5 * (1 + node[j % n])) / CELLS;
         sneppp_real x[3];
         for (int r = 0; r < 3; r++)
            x[r] = (sneppp_real)(sin(t) * (cos(a) * frame[0][r] + sin(a) * frame[1][r]) + cos(t) * frame[2][r]);
         sum += weight[i % n] * weight[j % n] * sin(t) * (double)sneppp_intensity(m, x);
      }
   return 0.25 * (t1 - t0) * (p->a1 - p->a0) * sum / (CELLS * CELLS);
}

/* Exact counts of bumps against brute force, in places of all sizes, at poles and across the date line. */
TEST input_bumps_by_their_borders(void)
{
   const double tol = sizeof(sneppp_real) < sizeof(double) ? 1e-5 : 1e-9;
   sneppp_model model;
   sneppp_rng   g;
   ASSERT_EQ(SNEPPP_OK, input_bumps(&model, 0.5, 60, 0, 3));
   sneppp_rng_init(&g, 8, 0);
   for (int k = 0; k < 24; k++) {
      sneppp_place  p;
      sneppp__zone  zone;
      double        exact, count, error, off, u[6];
      for (int r = 0; r < 6; r++) u[r] = sneppp_rng_uniform(&g);
      memset(&p, 0, sizeof p);
      p.shape = k % 3 ? SNEPPP_SHAPE_LONLAT : SNEPPP_SHAPE_CAP;
      p.lon = 360 * u[0] - 180, p.lat = 180 * u[1] - 90, p.radius = 180 * u[2] * u[3];
      p.west = 360 * u[0] - 180, p.east = 360 * u[1] - 180, p.south = 90 * u[2] - 90 * u[3], p.north = p.south + (90 - p.south) * u[4];
      if (k % 4 == 1) p.south = -90;
      if (k % 5 == 2) p.north = 90;
      if (k == 3) p.radius = 180;
      if (k == 6) p.lat = 90, p.radius = 90;
      if (k == 10) p.west = -180, p.east = 180;
      if (k == 11) p.west = -180, p.east = 180, p.south = 0, p.north = 90;
      if (k == 13) p.west = -20, p.east = 160;
      ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count_numeric(&model, &p, &exact, &error, &input_error), "%d");
      ASSERT_EQ(SNEPPP_OK, sneppp__place_zone(&p, &zone, NULL));
      count = input_patch(&model, &zone);
      off = p.south == -90 && p.north == 90 ? 1e-7 : 0; /* both poles are corners, and at one of them is a centre */
      if (fabs(count - exact) > (tol + off) * count) printf("   place %d: %.12g, %.12g\n", k, exact, count);
      ASSERT(fabs(count - exact) <= (tol + off) * count && error <= 1e-9 * exact);
   }
   sneppp_free(&model);
   PASS();
}

/* Parts add up to the whole however narrow bumps are; a ring counts the same in either direction, closed or not; holes are
   taken out; time is exact. */
TEST input_polygons_on_the_sphere(void)
{
   static const double square[12] = {10, 10, 60, 12, 50, 55, 5, 40, 10, 10, 0, 0}, back[8] = {5, 40, 50, 55, 60, 12, 10, 10},
                       holed[14] = {10, 10, 60, 12, 50, 55, 5, 40, 20, 20, 40, 22, 30, 35}, bow[8] = {10, 10, 40, 40, 40, 10, 10, 40};
   static const size_t sizes[2] = {4, 3};
   const double        eps = sizeof(sneppp_real) < sizeof(double) ? 1e-6 : 1e-9;
   for (int time = 0; time < 2; time++) {
      sneppp_model  model;
      sneppp_place  p;
      sneppp_window week;
      sneppp_region region;
      double        total, sum = 0, part, a, b, c, band[404];
      memset(&week, 0, sizeof week), memset(&region, 0, sizeof region);
      week.dim = 1, week.lo[0] = 1, week.hi[0] = 8;
      if (time) region.factor[1] = &week;
      ASSERT_EQ(SNEPPP_OK, input_bumps(&model, 5, 1e6, time, 5));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&model, &region, 1, &total, NULL, NULL));
      for (int k = 0; k < 12; k++) {
         ASSERT_EQ(SNEPPP_OK, input_count_lonlat(&model, 0, 60 * (k % 6) - 180, 60 * (k % 6) - 120, k < 6 ? -90 : 0, k < 6 ? 0 : 90, &region, 0, &part, NULL, NULL));
         sum += part;
      }
      ASSERT_IN_RANGE(total, sum, eps * total);
      for (int k = 0; k < 2; k++) ASSERT_EQ(SNEPPP_OK, input_count_lonlat(&model, 0, -180, 180, k ? 0 : -90, k ? 90 : 0, &region, 0, k ? &a : &b, NULL, NULL));
      ASSERT_IN_RANGE(total, a + b, eps * total);
      memset(&p, 0, sizeof p);
      p.shape = SNEPPP_SHAPE_POLYGON, p.within = &region;
      p.count = 4, p.lonlat = square;
      ASSERT_EQ(SNEPPP_OK, sneppp_count_numeric(&model, &p, &a, NULL, &input_error));
      p.count = 5;
      ASSERT_EQ(SNEPPP_OK, sneppp_count_numeric(&model, &p, &b, NULL, &input_error));
      ASSERT_EQ(a, b);
      p.count = 4, p.lonlat = back;
      ASSERT_EQ(SNEPPP_OK, sneppp_count_numeric(&model, &p, &b, NULL, &input_error));
      ASSERT_IN_RANGE(a, b, eps * a);
      p.count = 3, p.lonlat = holed + 8;
      ASSERT_EQ(SNEPPP_OK, sneppp_count_numeric(&model, &p, &b, NULL, &input_error));
      p.rings = 2, p.ring_size = sizes, p.lonlat = holed;
      ASSERT_EQ(SNEPPP_OK, sneppp_count_numeric(&model, &p, &c, NULL, &input_error));
      ASSERT_IN_RANGE(a, b + c, eps * a);
      ASSERT(b > 0 && c > 0);
      for (int k = 0; k < 101; k++) { /* short edges follow a parallel: a rectangle; great circles bulge by 2e-5 */
         band[2 * k] = 30 * k / 100.0, band[2 * k + 1] = 20;
         band[404 - 2 * k - 2] = 30 * k / 100.0, band[404 - 2 * k - 1] = 50;
      }
      p.rings = 0, p.count = 202, p.lonlat = band;
      ASSERT_EQ(SNEPPP_OK, sneppp_count_numeric(&model, &p, &a, NULL, &input_error));
      ASSERT_EQ(SNEPPP_OK, input_count_lonlat(&model, 0, 0, 30, 20, 50, &region, 0, &b, NULL, NULL));
      ASSERT_IN_RANGE(b, a, 1e-3 * b);
      p.count = 4, p.lonlat = bow;
      ASSERT(input_says(sneppp_count_numeric(&model, &p, &a, NULL, &input_error), SNEPPP_ERR_ARG, "cross each other"));
      p.count = 2;
      ASSERT(input_says(sneppp_count_numeric(&model, &p, &a, NULL, &input_error), SNEPPP_ERR_ARG, "needs at least 3"));
      p.lonlat = NULL;
      ASSERT(input_says(sneppp_count_numeric(&model, &p, &a, NULL, &input_error), SNEPPP_ERR_ARG, "lonlat or ring_size is NULL"));
      sneppp_free(&model);
      ASSERT_EQ(SNEPPP_OK, input_model(&model, SNEPPP_ACT_RELU));
      p.count = 4, p.lonlat = square;
      ASSERT(input_says(sneppp_count_numeric(&model, &p, &a, NULL, &input_error), SNEPPP_ERR_NO_CLOSED_FORM, "SNEPPP_SHAPE_SET"));
      sneppp_free(&model);
   }
   PASS();
}

/* Where the sphere has mass 1, equal bumps count 1/(4 pi) of what they count where it has its area, floor and all; and fits
   of equal events, whose intensities differ by that factor, count the same, with the same interval. */
TEST input_bumps_by_probability(void)
{
   const double eps = sizeof(sneppp_real) < sizeof(double) ? 1e-5 : 1e-9;
   sneppp_model model[2];
   sneppp_place p[2];
   sneppp_real  x[3 * 80];
   sneppp_rng   rng;
   memset(p, 0, sizeof p);
   p[0].shape = SNEPPP_SHAPE_CAP, p[0].lon = 20, p[0].lat = 70, p[0].radius = 50;
   p[1].shape = SNEPPP_SHAPE_LONLAT, p[1].west = 150, p[1].east = -100, p[1].south = -40, p[1].north = 60;
   for (int k = 0; k < 2; k++)
      ASSERT_EQ(SNEPPP_OK, input_bumps_of(&model[k], k ? SNEPPP_MEASURE_PROBABILITY : SNEPPP_MEASURE_SURFACE, 1, 40, 1, 6));
   for (int q = 0; q < 2; q++) {
      double count[2];
      for (int k = 0; k < 2; k++) ASSERT_EQ(SNEPPP_OK, sneppp_count_numeric(&model[k], &p[q], &count[k], NULL, &input_error));
      ASSERT(count[1] > 0);
      ASSERT_IN_RANGE(count[0], 4 * SNEPPP__PI * count[1], 1e-12 * count[0]);
   }
   for (size_t i = 0; i < 24; i++) model[0].readout[0].V[i] = (sneppp_real)1e38;
   model[0].alpha = 1e300;
   ASSERT(input_says(sneppp_count_numeric(&model[0], &p[0], &p[0].tol, NULL, &input_error), SNEPPP_ERR_RANGE,
                     "the count cannot be represented"));
   ASSERT_EQ(0, p[0].tol); /* and nothing was written */
   for (int k = 0; k < 2; k++) sneppp_free(&model[k]);
   sneppp_rng_init(&rng, 9, 9);
   for (size_t i = 0; i < 80; i++) {
      double y[3];
      sneppp__rng_sphere(&rng, 3, y);
      for (size_t r = 0; r < 3; r++) x[3 * i + r] = (sneppp_real)(r == 2 ? fabs(y[r]) : y[r]);
   }
   for (int k = 0; k < 2; k++) {
      sneppp_desc     d;
      sneppp_fit_desc fit;
      sneppp_events   e;
      memset(&d, 0, sizeof d), memset(&fit, 0, sizeof fit), memset(&e, 0, sizeof e);
      d.factor[0].window.space = SNEPPP_SPACE_SPHERE, d.factor[0].window.dim = 3;
      d.factor[0].window.measure = k ? SNEPPP_MEASURE_PROBABILITY : SNEPPP_MEASURE_SURFACE;
      e.x = x, e.count = 80, fit.events = &e;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&model[k], &d, &input_error));
      ASSERT_EQ_FMTm(input_error.why, SNEPPP_OK, sneppp_fit(&model[k], &fit, NULL, &input_error), "%d");
   }
   for (int q = 0; q < 2; q++) {
      sneppp_sure sure[2];
      for (int k = 0; k < 2; k++) ASSERT_EQ(SNEPPP_OK, sneppp_count_numeric_sure(&model[k], &p[q], 0.9, &sure[k], &input_error));
      ASSERT(sure[0].lower > 0 && sure[0].lower < sure[0].mean && sure[0].mean < sure[0].upper);
      ASSERT_IN_RANGE(sure[0].mean, sure[1].mean, eps * sure[0].mean);
      ASSERT_IN_RANGE(sure[0].lower, sure[1].lower, eps * sure[0].mean);
      ASSERT_IN_RANGE(sure[0].upper, sure[1].upper, eps * sure[0].mean);
      ASSERT_IN_RANGE(sure[0].error, sure[1].error, eps * sure[0].mean);
   }
   for (int k = 0; k < 2; k++) sneppp_free(&model[k]);
   PASS();
}

/* A ring in a hole counts again, and so on: an island, and a lake on it, in any order. */
TEST input_islands_in_holes(void)
{
   static const size_t sizes[4] = {4, 4, 4, 4};
   const double        eps = sizeof(sneppp_real) < sizeof(double) ? 1e-6 : 1e-9;
   sneppp_model        model;
   sneppp_place        p;
   double              ring[4][8], one[4], sum = 0, count;
   memset(&p, 0, sizeof p);
   ASSERT_EQ(SNEPPP_OK, input_bumps(&model, 5, 60, 0, 5));
   p.shape = SNEPPP_SHAPE_POLYGON, p.count = 4;
   for (int k = 0; k < 4; k++) {
      const double a = 40 - 9 * k;
      ring[k][0] = ring[k][6] = 20 - a, ring[k][2] = ring[k][4] = 20 + a, ring[k][1] = ring[k][3] = -a, ring[k][5] = ring[k][7] = a;
      p.lonlat = ring[k];
      ASSERT_EQ(SNEPPP_OK, sneppp_count_numeric(&model, &p, &one[k], NULL, NULL));
      sum += k % 2 ? -one[k] : one[k];
   }
   p.rings = 4, p.ring_size = sizes, p.count = 0;
   for (int turn = 0; turn < 4; turn++) {
      double lonlat[4][8];
      for (int k = 0; k < 4; k++) memcpy(lonlat[(k + turn) % 4], ring[k], sizeof ring[k]);
      p.lonlat = lonlat[0];
      ASSERT_EQ(SNEPPP_OK, sneppp_count_numeric(&model, &p, &count, NULL, NULL));
      ASSERT_IN_RANGE(sum, count, eps * one[0]);
   }
   sneppp_free(&model);
   PASS();
}

/* East of west by any number of turns: the same rectangle. */
TEST input_rectangles_over_turns(void)
{
   static const double sides[4][2] = {{-10, 60}, {350, 60}, {350, -300}, {-10, -300}};
   const double        eps = sizeof(sneppp_real) < sizeof(double) ? 1e-6 : 1e-9;
   sneppp_model        model;
   double              want = 0, count;
   ASSERT_EQ(SNEPPP_OK, input_bumps(&model, 5, 60, 0, 5));
   for (int k = 0; k < 4; k++) {
      ASSERT(input_says(input_count_lonlat(&model, 0, sides[k][0], sides[k][1], -20, 50, NULL, 0, &count, NULL, &input_error), SNEPPP_OK, ""));
      if (!k) want = count;
      ASSERT_IN_RANGE(want, count, eps * want);
   }
   sneppp_free(&model);
   PASS();
}

/* Places of some metres, of which rounding must leave something, and polygons with short edges, which are no mistakes. */
TEST input_small_places(void)
{
   const int    wide = sizeof(sneppp_real) == sizeof(double);
   sneppp_model bumps, other;
   ASSERT_EQ(SNEPPP_OK, input_bumps(&bumps, 0.5, 60, 0, 3));
   ASSERT_EQ(SNEPPP_OK, input_model(&other, SNEPPP_ACT_EXP));
   for (int k = 0; k < 2; k++)
      for (double degrees = 1e-3; degrees > 5e-9; degrees /= 10) {
         const sneppp_model *m = k ? &other : &bumps;
         const double        lonlat[2] = {12.3, 41.7}, pi = 3.14159265358979323846, radius = degrees * (pi / 180), half = sin(0.5 * radius);
         double              count, error, all = 0, ring[80], area = 0;
         sneppp_real         x[3 + SNEPPP_MAX_DIM] = {0};
         sneppp_place        p;
         sneppp_model        place = *m;
         memset(&p, 0, sizeof p);
         if (m->factors > 1) ASSERT_EQ(SNEPPP_OK, sneppp_marginal(m, 1, NULL, &place, NULL));
         ASSERT_EQ(SNEPPP_OK, sneppp_lonlats_to_units(1, lonlat, 0, x, 0, NULL));
         all = (double)sneppp_intensity(&place, x);
         ASSERT_EQ(SNEPPP_OK, input_count_cap(m, 0, lonlat[0], lonlat[1], degrees, NULL, 0, &count, &error, NULL));
         ASSERT(fabs(count - 4 * pi * half * half * all) <= (wide ? 1e-7 + radius : 1e-2) * count);
         for (int e = 0; e < 40; e++) {
            const double a = 2 * pi * e / 40, r = degrees * (0.8 + 0.2 * cos(7 * a));
            ring[2 * e] = lonlat[0] + r * cos(a), ring[2 * e + 1] = lonlat[1] + r * sin(a);
         }
         for (int e = 0; e < 40; e++) {
            const int n = (e + 1) % 40;
            area += 0.5 * ((ring[2 * e] - lonlat[0]) * (ring[2 * n + 1] - lonlat[1]) - (ring[2 * n] - lonlat[0]) * (ring[2 * e + 1] - lonlat[1]));
         }
         p.shape = SNEPPP_SHAPE_POLYGON, p.count = 40, p.lonlat = ring;
         if (!k && degrees > 5e-5) {
            const double want = area * (pi / 180) * (pi / 180) * cos(lonlat[1] * (pi / 180)) * all;
            ASSERT_EQ_FMT(SNEPPP_OK, sneppp_count_numeric(m, &p, &count, &error, &input_error), "%d");
            ASSERT(fabs(count - want) <= error + (wide ? 10 * radius : 1e-2) * want);
         }
         if (m->factors > 1) sneppp_free(&place);
      }
   sneppp_free(&bumps), sneppp_free(&other);
   PASS();
}

static int input_left(const sneppp_real *x, void *user) { return (void)user, x[0] < 0.5; }

/* The error of a numerical count has the unit of the count, whatever that is. */
TEST input_error_of_any_size(void)
{
   double least = 0;
   for (int k = 0; k < 3; k++) {
      const double scale = k ? k > 1 ? 1e200 : 1e-200 : 1;
      sneppp_desc  desc;
      sneppp_model m;
      sneppp_place p;
      double       count, error;
      memset(&desc, 0, sizeof desc), memset(&p, 0, sizeof p);
      desc.width = 4, desc.alpha = scale, desc.factor[0].window.dim = 2;
      desc.factor[0].window.hi[0] = desc.factor[0].window.hi[1] = 1;
      p.inside = input_left;
      if (sizeof(sneppp_real) < sizeof(double) && k) break;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, NULL));
      ASSERT_EQ(SNEPPP_OK, sneppp_count_numeric(&m, &p, &count, &error, NULL));
      if (!k) least = error;
      ASSERT_IN_RANGE(least, error / scale, 1e-6 * least);
      sneppp_free(&m);
   }
   PASS();
}

SUITE(input)
{
   RUN_TEST(input_small_places);
   RUN_TEST(input_error_of_any_size);
   RUN_TEST(input_bumps_by_probability);
   RUN_TEST(input_tight_tables);
   RUN_TEST(input_sphere_comes_second);
   RUN_TEST(input_cap_overflows);
   RUN_TEST(input_degrees);
   RUN_TEST(input_date_line);
   RUN_TEST(input_mistakes);
   RUN_TEST(input_dates);
   RUN_TEST(input_csv_numbers);
   RUN_TEST(input_csv_dates);
   RUN_TEST(input_refusals);
   RUN_TEST(input_sphere_parts);
   RUN_TEST(input_indicator);
   RUN_TEST(input_indicator_shapes);
   RUN_TEST(input_bumps_by_their_borders);
   RUN_TEST(input_polygons_on_the_sphere);
   RUN_TEST(input_islands_in_holes);
   RUN_TEST(input_rectangles_over_turns);
}
