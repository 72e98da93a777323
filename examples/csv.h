/* Reading numbers from CSV files, for the programs of this folder. What is understood:
      - columns separated by commas, semicolons or tabs, whichever the first row has, or by spaces, if it has none of them
        and the second row is two numbers or more; fields in quotes, which may hold separators, line breaks and quotes
        ("" is one); lines that end as on any system; a byte order mark of UTF-8;
      - lines that begin with # and lines without content, which are passed over; separators too many at a line's end;
      - a header: a first row in which no field is a number. It gives the columns their names;
      - numbers with a decimal point, in every locale, and dates and times in ISO 8601, which become days since
        1970-01-01T00:00Z: 2016-03-01, 2016-03-01T12:30:00.25+02:00; without an offset the time is UTC;
      - GeoJSON instead: points are rows lon, lat, alt if they have one, and the properties of their features that are
        numbers or texts; polygons are rows lon, lat, ring.
   Columns may hold other text, too: only those that are used must be good, see csv_good. A row is never skipped. */
#ifndef CSV_H
#define CSV_H
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum csv_kind { CSV_TEXT, CSV_NUMBER, CSV_DATE } csv_kind;

typedef struct csv_head {
   char     name[64]; /* from the header; "1", "2", ... without one         */
   csv_kind kind;     /* of the first cell that is not text                 */
   size_t   bad_line; /* of the first cell that does not fit; 0: all do     */
   char     bad[40];  /* what stands there                                  */
} csv_head;

typedef struct csv_table {
   double   *value;      /* (rows, columns); NaN where there is text         */
   size_t   *line;       /* (rows) where each came from, counted from 1      */
   size_t    rows;
   int       columns;
   csv_head *head;       /* (columns)                                        */
   int       geojson;    /* 0: CSV; 1: points; 2: corners of polygons        */
   int       header;     /* the names are from the file                      */
   char      error[500]; /* one sentence, if reading failed                  */
} csv_table;

static inline const char *csv_skip(const char *s, const char *set) { return s + strspn(s, set); }

/* strtod without the locale, hexadecimal digits, nan and inf: sign, digits, point, digits, exponent; then blanks.
   Numbers beyond the largest double are refused, and so are texts of more than 399 characters. */
static inline int csv_number(const char *s, const char **end, double *value)
{
   const char *from = csv_skip(s, " \t"), *p = from + (*from == '-' || *from == '+'), *point = NULL, *digits = p;
   char        text[400]; /* a copy, with the point that strtod wants to see */
   size_t      count, n;
   double      v;
   p = csv_skip(p, "0123456789");
   count = (size_t)(p - digits);
   if (*p == '.') {
      point = p++;
      digits = p;
      p = csv_skip(p, "0123456789");
      count += (size_t)(p - digits);
   }
   if (*p == 'e' || *p == 'E') {
      digits = p + 1 + (p[1] == '-' || p[1] == '+');
      if (csv_skip(digits, "0123456789") > digits) p = csv_skip(digits, "0123456789");
   }
   n = (size_t)(p - from);
   if (!count || n >= sizeof text) return 0;
   memcpy(text, from, n);
   text[n] = 0;
   if (point) text[point - from] = localeconv()->decimal_point[0];
   errno = 0;
   v = strtod(text, NULL);
   if (errno == ERANGE && fabs(v) > 1) return 0;
   *end = csv_skip(p, " \t");
   *value = v;
   return 1;
}

/* Exactly n digits. */
static inline int csv_digits(const char **s, int n, int *value)
{
   for (*value = 0; n > 0; n--, (*s)++) {
      if (**s < '0' || **s > '9') return 0;
      *value = 10 * *value + (**s - '0');
   }
   return 1;
}

/* ---- dates in the civil (Gregorian) calendar: days of whole years by the rule of leap years, then of whole months. */
static inline int csv_month_days(long year, int month)
{
   static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
   int              leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
   return days[month - 1] + (month == 2 && leap);
}

/* Days from 1970-01-01 to the first of January of a year; whole cycles of 400 years keep the divisions positive. */
static inline double csv_year_days(long year)
{
   const long cycles = 2600, y = year - 1 + 400 * cycles;
   return 365.0 * (double)y + (double)(y / 4 - y / 100 + y / 400) - 146097.0 * (double)cycles - 719162;
}

enum { CSV_LAST_YEAR = 700000 };

/* Days since 1970-01-01; subtract those of your own first date. NULL, or what is wrong with it. */
static inline const char *csv_days(int year, int month, int day, double *days)
{
   if (year < -CSV_LAST_YEAR || year > CSV_LAST_YEAR) return "the year is too far away";
   if (month < 1 || month > 12) return "the month is not from 1 to 12: is it the day?";
   if (day < 1 || day > csv_month_days(year, month))
      return day > 31 ? "the month has no such day: is it the year?" : "the month has no such day";
   *days = csv_year_days(year) + day - 1;
   for (int m = 1; m < month; m++) *days += csv_month_days(year, m);
   return NULL;
}

static inline const char *csv_civil(double days, int *year, int *month, int *day)
{
   uint64_t bits;
   long     y;
   int      n;
   memcpy(&bits, &days, sizeof bits);
   if ((bits >> 52 & 0x7ff) >= 1023 + 28) return "the day is too far away"; /* 2^28 days, infinity and NaN */
   y = 1970 + (long)floor(days / 365.2425);
   while (csv_year_days(y) > floor(days)) y--;
   while (csv_year_days(y + 1) <= floor(days)) y++;
   n = (int)(floor(days) - csv_year_days(y));
   for (*month = 1; n >= csv_month_days(y, *month); ++*month) n -= csv_month_days(y, *month);
   *year = (int)y, *day = n + 1;
   return NULL;
}

/* The whole text as a date, with or without a time of day: days since 1970-01-01T00:00Z. */
static inline int csv_date(const char *s, double *days)
{
   int    year, month, day, hour = 0, minute = 0, second = 0, zone_hour = 0, zone_minute = 0, east = 0;
   double date = 0, fraction = 0, unit = 1;
   if (!csv_digits(&s, 4, &year) || *s++ != '-' || !csv_digits(&s, 2, &month) || *s++ != '-') return 0;
   if (!csv_digits(&s, 2, &day) || csv_days(year, month, day, &date)) return 0;
   if (*s == 'T' || *s == 't' || *s == ' ') {
      s++;
      if (!csv_digits(&s, 2, &hour) || *s++ != ':' || !csv_digits(&s, 2, &minute)) return 0;
      if (*s == ':') {
         s++;
         if (!csv_digits(&s, 2, &second)) return 0;
         if (*s == '.' || *s == ',')
            for (s++; *s >= '0' && *s <= '9'; s++)
               if (unit < 1e15) { fraction = 10 * fraction + (*s - '0'); unit *= 10; }
      }
      if (*s == 'Z' || *s == 'z') s++;
      else if (*s == '+' || *s == '-') {
         east = *s++ == '+' ? 1 : -1;
         if (!csv_digits(&s, 2, &zone_hour)) return 0;
         if (*s == ':') s++;
         if (*s && !csv_digits(&s, 2, &zone_minute)) return 0;
      }
   }
   if (*s || hour > 24 || (hour == 24 && (minute || second)) || minute > 59 || second > 60) return 0;
   if (zone_hour > 23 || zone_minute > 59) return 0;
   hour -= east * zone_hour;
   minute -= east * zone_minute;
   *days = date + (3600.0 * hour + 60.0 * minute + second + fraction / unit) / 86400;
   return 1;
}

/* The other way: 2016-03-01T12:30:00.25Z, to the microsecond, or the date alone at midnight. Returns text, or NULL where
   there is no such date. Room for 40 characters. */
static inline const char *csv_iso(double days, char *text)
{
   int    year, month, day, seconds, micros;
   double date = floor(days), rest = floor((days - date) * 86400e6 + 0.5);
   size_t n;
   if (!(rest < 86400e6)) { date += 1; rest = 0; }
   if (csv_civil(date, &year, &month, &day) || year < 0 || year > 9999) return NULL;
   n = (size_t)snprintf(text, 40, "%04d-%02d-%02d", year, month, day);
   seconds = (int)(rest / 1e6);
   micros = (int)(rest - 1e6 * seconds);
   if (seconds || micros) n += (size_t)snprintf(text + n, 40 - n, "T%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
   if (micros) {
      n += (size_t)snprintf(text + n, 40 - n, ".%06d", micros);
      while (text[n - 1] == '0') n--;
   }
   if (n > 10) text[n++] = 'Z';
   text[n] = 0;
   return text;
}

/* What is in a cell? */
static inline csv_kind csv_cell(const char *text, double *value)
{
   const char *end;
   if (csv_number(text, &end, value) && !*end) return CSV_NUMBER;
   if (csv_date(text, value)) return CSV_DATE;
   *value = nan("");
   return CSV_TEXT;
}

/* Could this be meant as a number, though it is none? A header has no such field: 1.2.3, 1e999, nan, -inf, 0x1F, 3/1/2016.
   But e1 is a name. */
static inline int csv_like_number(const char *text)
{
   char   lower[10];
   size_t n = 0;
   if (!*csv_skip(text, "0123456789+-.,:/eE ") && strpbrk(text, "0123456789") && *text != 'e' && *text != 'E') return 1;
   if (*text == '-' || *text == '+') text++;
   if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) return 1;
   for (; text[n] && n + 1 < sizeof lower; n++) lower[n] = (char)(text[n] >= 'A' && text[n] <= 'Z' ? text[n] - 'A' + 'a' : text[n]);
   lower[n] = 0;
   return !strcmp(lower, "nan") || !strcmp(lower, "inf") || !strcmp(lower, "infinity");
}

/* Numbers and dates with commas between them, as in options of programs. Returns how many, or -1: something else, or
   more than there is room for. */
static inline int csv_list(const char *text, double *out, int room)
{
   for (int n = 0;; n++) {
      char   piece[64];
      size_t len = strcspn(text += strspn(text, " "), ",");
      if (n == room || len >= sizeof piece) return -1;
      memcpy(piece, text, len);
      piece[len] = 0;
      if (csv_cell(piece, &out[n]) == CSV_TEXT) return -1;
      if (!text[len]) return n + 1;
      text += len + 1;
   }
}

static inline void csv_free(csv_table *t) /* but for the error */
{
   free(t->value);
   free(t->line);
   free(t->head);
   memset(t, 0, offsetof(csv_table, error));
}

/* ---- the text of a file, cut into rows and fields where it lies */
typedef struct csv_reader {
   const char *path;
   char       *text, *at, **field, *error;
   size_t      line, start;         /* the line that `at` is in, and the one in which the row began       */
   size_t      fields, filled, room; /* of the row; up to the last that is not empty; in the list           */
   char        separator;
} csv_reader;

/* The file as people call it. */
static inline const char *csv_called(const char *path) { return !*path ? "a file without a name" : strcmp(path, "-") ? path : "standard input"; }

static inline int csv_fail(csv_reader *r, size_t line, const char *why)
{
   if (line) snprintf(r->error, sizeof ((csv_table *)0)->error, "%s, line %lu%s", r->path, (unsigned long)line, why);
   else snprintf(r->error, sizeof ((csv_table *)0)->error, "%s %s", r->path, why);
   return 0;
}

/* All of a file ("-" is standard input) as one text; refuses what is no text. */
static inline int csv_slurp(csv_reader *r, const char *path)
{
   FILE  *f = (errno = 0, strcmp(path, "-") ? fopen(path, "rb") : stdin);
   size_t used = 0, room = 0, got = 1, line = 1;
   int    broken;
   char   why[160];
   if (!f) {
      snprintf(why, sizeof why, "cannot be opened%s%.120s", errno ? ": " : "", errno ? strerror(errno) : "");
      return csv_fail(r, 0, why);
   }
   while (got) {
      if (used + 1 >= room) {
         char *more = (char *)realloc(r->text, room = room ? 2 * room : 65536);
         if (!more) { if (f != stdin) fclose(f); return csv_fail(r, 0, "is too large for the memory"); }
         r->text = more;
      }
      got = fread(r->text + used, 1, room - used - 1, f);
      used += got;
   }
   broken = ferror(f);
   if (f != stdin) fclose(f);
   if (broken) return csv_fail(r, 0, "cannot be read; is it a folder?");
   r->text[used] = 0;
   r->at = r->text;
   r->line = 1;
   if (used >= 2 && (!memcmp(r->text, "\xff\xfe", 2) || !memcmp(r->text, "\xfe\xff", 2)))
      return csv_fail(r, 0, "is text in UTF-16: save it as UTF-8");
   if (used >= 2 && !memcmp(r->text, "\x1f\x8b", 2)) return csv_fail(r, 0, "is compressed: pipe it through gzip -dc, and read -");
   if (used >= 3 && !memcmp(r->text, "\xef\xbb\xbf", 3)) r->at += 3;
   for (size_t i = 0; i < used; i++) {
      line += r->text[i] == '\n';
      if (!r->text[i]) return csv_fail(r, line, " holds a byte of value 0: this is no text, or it should be saved as UTF-8");
   }
   return 1;
}

/* The end of a line is \n, \r\n or \r. Steps over it. */
static inline char *csv_end_line(char *at, size_t *line)
{
   if (!*at) return at;
   ++*line;
   return at + (at[0] == '\r' && at[1] == '\n' ? 2 : 1);
}

/* To the next row: past comments and empty lines. */
static inline char *csv_begin(char *at, size_t *line)
{
   for (;;) {
      char *first = at + strspn(at, " \t");
      if (*at == '#') first = at + strcspn(at, "\r\n");
      if (*first != '\r' && *first != '\n') return *first ? at : first;
      at = csv_end_line(first, line);
   }
}

/* How many of each separator does a row have, outside quotes? Returns its end. A tab after a comma is only a blank. */
static inline char *csv_count(char *at, size_t count[3])
{
   static const char kind[4] = ",;\t";
   size_t line = 0;
   char   last = ',';
   count[0] = count[1] = count[2] = 0;
   for (at = csv_begin(at, &line); *at && *at != '\n' && *at != '\r'; at++) {
      const char *which = strchr(kind, *at);
      if (*at == '"' && strchr(kind, last))
         for (at++; *at && (*at != '"' || at[1] == '"');) at += *at == '"' ? 2 : 1;
      if (!*at) break;
      if (which && !(*at == '\t' && (last == ',' || last == ';'))) count[which - kind]++;
      if (*at != ' ' && !(*at == '\t' && (last == ',' || last == ';'))) last = *at;
   }
   return at;
}

/* Is the next row two numbers or more, with nothing but spaces between them? (A date and its time are not.) */
static inline int csv_spaced(char *row)
{
   size_t      line = 0, numbers = 0;
   double      value;
   const char *at = csv_begin(row, &line), *end;
   for (; *(at += strspn(at, " ")) && !strchr("\r\n", *at); at = end, numbers++)
      if (!csv_number(at, &end, &value) || !(end[-1] == ' ' || strchr("\r\n", *end))) return 0;
   return numbers > 1;
}

/* The first row says what separates the columns; if it has several candidates, those count that the second row has as
   often. Two that are left would be guessing: 1,5;2,5 may be two numbers or four. */
static inline int csv_separator(csv_reader *r)
{
   size_t one[3], two[3], line = 1;
   char  *next = csv_count(csv_begin(r->at, &line), one);
   int    found = 0, kind = 0;
   if ((one[0] > 0) + (one[1] > 0) + (one[2] > 0) > 1) {
      csv_count(next, two);
      for (int k = 0; k < 3; k++) if (one[k] != two[k]) one[k] = 0;
   }
   for (int k = 0; k < 3; k++) if (one[k]) { found++; kind = k; }
   r->separator = !found && csv_spaced(*next ? next : r->at) ? ' ' : ",;\t"[kind];
   if (found < 2) return 1;
   return csv_fail(r, line, " has several kinds of separators: columns are separated by commas, by semicolons, by tabs or by "
                            "spaces, and numbers have a decimal point");
}

/* One field: its text without quotes and the blanks around it, ended by 0. `ended` is what stood after it. */
static inline int csv_field(csv_reader *r, char **field, char *ended)
{
   const char blank[3] = {' ', r->separator == '\t' ? ' ' : '\t', 0}, stop[4] = {r->separator, '\r', '\n', 0};
   char      *from = r->at + strspn(r->at, blank), *to = from, *next;
   const int  quoted = *from == '"';
   *field = to;
   if (quoted) {
      const size_t opened = r->line;
      for (from++; *from != '"' || from[1] == '"'; *to++ = *from++) {
         if (!*from) return csv_fail(r, opened, ": a quote is opened and never closed");
         if (*from == '"') from++;
         else if (*from == '\n' || (*from == '\r' && from[1] != '\n')) r->line++;
      }
      from++;
      if (r->separator != ' ') from += strspn(from, blank);
      if (*from && !strchr(stop, *from)) return csv_fail(r, r->line, ": something stands between a closing quote and the separator");
   } else {
      to = from += strcspn(from, stop);
      while (to > *field && strchr(blank, to[-1])) to--;
   }
   next = r->separator == ' ' ? from + strspn(from, blank) : from; /* several spaces are one, and none at a line's end */
   *ended = next > from && *next && !strchr("\r\n", *next) ? ' ' : *next;
   r->at = *ended == r->separator ? next + (next == from) : csv_end_line(next, &r->line);
   *to = 0;
   return 1;
}

/* The next row in which something stands: 1, 0 at the end of the text, or -1 with an error. */
static inline int csv_next(csv_reader *r)
{
   for (r->filled = 0; !r->filled;) {
      char ended = r->separator;
      r->fields = 0;
      r->at = csv_begin(r->at, &r->line);
      r->start = r->line;
      if (!*r->at) return 0;
      while (ended == r->separator) {
         if (r->fields == r->room) {
            char **more = (char **)realloc(r->field, (r->room ? 2 * r->room : 64) * sizeof *more);
            if (!more) { csv_fail(r, 0, "is too large for the memory"); return -1; }
            r->field = more;
            r->room = r->room ? 2 * r->room : 64;
         }
         if (!csv_field(r, &r->field[r->fields], &ended)) return -1;
         if (*r->field[r->fields++]) r->filled = r->fields;
      }
   }
   return 1;
}

/* A copy that fits in a sentence: no line breaks, and not too long. */
static inline void csv_quote(char *to, size_t room, const char *text)
{
   const size_t len = strlen(text);
   snprintf(to, room, "%s", text);
   if (len >= room) memcpy(to + room - 4, "...", 4);
   for (; *to; to++) if ((unsigned char)*to < ' ') *to = ' ';
}

/* The first row makes the columns. Returns 1 if it is a header, -1 without memory. */
static inline int csv_columns(csv_table *t, const csv_reader *r)
{
   int    header = 1;
   double v;
   for (size_t k = 0; k < r->filled; k++) if (csv_cell(r->field[k], &v) != CSV_TEXT || csv_like_number(r->field[k])) header = 0;
   t->head = (csv_head *)calloc(r->filled + 1, sizeof *t->head);
   if (!t->head) return -1;
   t->columns = (int)r->filled;
   for (int k = 0; k < t->columns; k++)
      if (header) csv_quote(t->head[k].name, sizeof t->head[k].name, r->field[k]);
      else snprintf(t->head[k].name, sizeof t->head[k].name, "%d", k + 1);
   return header;
}

static inline int csv_add_row(csv_table *t, csv_reader *r, size_t *room)
{
   const size_t columns = (size_t)t->columns;
   char         why[80];
   if (r->filled > columns || r->fields < columns) { /* empty fields at the end may be too many */
      snprintf(why, sizeof why, " has %lu columns, not %d", (unsigned long)(r->filled > columns ? r->filled : r->fields), t->columns);
      return csv_fail(r, r->start, why);
   }
   if (t->rows == *room) {
      const size_t more = *room ? 2 * *room : 1024;
      double      *value = more > (size_t)-1 / sizeof *value / columns ? NULL : (double *)realloc(t->value, more * columns * sizeof *value);
      size_t      *line = value ? (size_t *)realloc(t->line, more * sizeof *line) : NULL;
      if (value) t->value = value;
      if (!line) return csv_fail(r, 0, "is too large for the memory");
      t->line = line;
      *room = more;
   }
   for (size_t k = 0; k < columns; k++) {
      csv_head      *head = &t->head[k];
      const csv_kind kind = csv_cell(r->field[k], &t->value[t->rows * columns + k]);
      if (head->kind == CSV_TEXT) head->kind = kind;
      if ((kind != CSV_TEXT && kind == head->kind) || head->bad_line) continue;
      head->bad_line = r->start;
      csv_quote(head->bad, sizeof head->bad, r->field[k]);
   }
   t->line[t->rows++] = r->start;
   return 1;
}

/* ---- GeoJSON: the whole text as a list of nodes, in which members and elements are chained */
typedef struct csv_node {
   char   kind;       /* { [ " as they begin, 0 a number, t one of true, false, null */
   char  *key, *text; /* of a member; of texts and numbers                           */
   char  *end;        /* behind a number                                             */
   size_t line, kid, next; /* 0: none                                                */
} csv_node;

typedef struct csv_geo {
   csv_table  *t;
   csv_reader *r;
   csv_node   *node; /* node 0 is not used: nobody's child */
   size_t      nodes, room, rows, rings;
   size_t      property[64]; /* names of columns after the coordinates: members of the first feature */
   int         properties, altitude;
} csv_geo;

static inline void csv_geo_blank(csv_reader *r)
{
   for (; *r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'; r->at++) r->line += *r->at == '\n';
}

/* A text in quotes, undone where it lies; code points become UTF-8, one half of a pair by itself. */
static inline int csv_geo_text(csv_reader *r, char **text)
{
   char *to = ++r->at;
   *text = to;
   for (; *r->at != '"'; r->at++) {
      static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
      const char       *which;
      unsigned          code = 0;
      if ((unsigned char)*r->at < ' ') return csv_fail(r, r->line, ": a text of JSON does not end");
      if (*r->at != '\\') { *to++ = *r->at; continue; }
      r->at++;
      which = *r->at ? strchr(from, *r->at) : NULL;
      if (which) { *to++ = into[which - from]; continue; }
      if (*r->at != 'u') return csv_fail(r, r->line, ": no such escape in JSON");
      for (int k = 0; k < 4; k++) {
         const char *hex = "0123456789abcdef0123456789ABCDEF", *digit = *++r->at ? strchr(hex, *r->at) : NULL;
         if (!digit) return csv_fail(r, r->line, ": no such escape in JSON");
         code = 16 * code + (unsigned)(digit - hex) % 16;
      }
      if (code >= 0x800) { *to++ = (char)(0xe0 | code >> 12); *to++ = (char)(0x80 | (code >> 6 & 0x3f)); }
      else if (code >= 0x80) *to++ = (char)(0xc0 | code >> 6);
      *to++ = (char)(code >= 0x80 ? 0x80 | (code & 0x3f) : code ? code : ' ');
   }
   r->at++;
   *to = 0;
   return 1;
}

/* One value and all that is in it; its number goes to *self. */
static inline int csv_geo_value(csv_geo *g, size_t *self, int depth)
{
   csv_reader *r = g->r;
   csv_node   *n;
   size_t      last = 0, kid, me;
   char        close;
   if (g->nodes == g->room) {
      csv_node *more = (csv_node *)realloc(g->node, (g->room = 2 * g->room + 256) * sizeof *more);
      if (!more) return csv_fail(r, 0, "is too large for the memory");
      g->node = more;
   }
   me = *self = g->nodes++;
   n = &g->node[me];
   memset(n, 0, sizeof *n);
   csv_geo_blank(r);
   n->line = r->line;
   n->kind = *r->at;
   if (*r->at == '"') return csv_geo_text(r, &n->text);
   if (*r->at != '{' && *r->at != '[') {
      static const char *const word[] = {"true", "false", "null"};
      double                   v;
      const char              *end;
      for (int k = 0; k < 3; k++)
         if (!strncmp(r->at, word[k], strlen(word[k]))) { n->kind = 't'; r->at += strlen(word[k]); return 1; }
      n->kind = 0;
      n->text = r->at;
      if (!csv_number(r->at, &end, &v)) return csv_fail(r, r->line, " is no JSON");
      r->at += end - r->at;
      for (n->end = r->at; n->end > n->text && (n->end[-1] == ' ' || n->end[-1] == '\t');) n->end--;
      return 1;
   }
   if (depth > 60) return csv_fail(r, r->line, ": JSON is nested too deeply");
   close = *r->at++ == '{' ? '}' : ']';
   for (csv_geo_blank(r); *r->at != close; csv_geo_blank(r)) {
      char *key = NULL;
      if (last) {
         if (*r->at != ',') return csv_fail(r, r->line, " is no JSON: a comma is missing");
         r->at++;
         csv_geo_blank(r);
      }
      if (close == '}') {
         if (*r->at != '"' || !csv_geo_text(r, &key)) return csv_fail(r, r->line, " is no JSON: a name in quotes is missing");
         csv_geo_blank(r);
         if (*r->at++ != ':') return csv_fail(r, r->line, " is no JSON: a colon is missing");
      }
      if (!csv_geo_value(g, &kid, depth + 1)) return 0;
      g->node[kid].key = key;
      *(last ? &g->node[last].next : &g->node[me].kid) = kid;
      last = kid;
   }
   r->at++;
   return 1;
}

static inline size_t csv_geo_member(const csv_geo *g, size_t object, const char *key)
{
   size_t k = g->node[object].kind == '{' ? g->node[object].kid : 0;
   while (k && strcmp(g->node[k].key, key) != 0) k = g->node[k].next;
   return k;
}

/* One place becomes a row: of a feature's point with its properties, or of ring number g->rings. */
static inline int csv_geo_place(csv_geo *g, size_t place, size_t properties, int corner)
{
   static char empty[1];
   csv_reader *r = g->r;
   csv_table  *t = g->t;
   char        ring[24];
   size_t      k = g->node[place].kind == '[' ? g->node[place].kid : 0;
   r->start = g->node[place].line;
   if (t->rows && t->geojson != 1 + corner) return csv_fail(r, r->start, " has points beside polygons: use two files");
   if (!t->head) { /* the first says what columns there are */
      size_t three = k && g->node[k].next ? g->node[g->node[k].next].next : 0;
      int    n = 2;
      g->altitude = !corner && three;
      t->geojson = 1 + corner;
      for (size_t m = corner || !properties ? 0 : g->node[properties].kid; m && g->properties < 64; m = g->node[m].next)
         if (g->node[m].kind == 0 || g->node[m].kind == '"') g->property[g->properties++] = m;
      t->columns = 2 + (corner || g->altitude) + g->properties;
      t->head = (csv_head *)calloc((size_t)t->columns + 1, sizeof *t->head);
      r->room = (size_t)t->columns;
      r->field = (char **)calloc(r->room + 1, sizeof *r->field);
      if (!t->head || !r->field) return csv_fail(r, 0, "is too large for the memory");
      memcpy(t->head[0].name, "lon", 4);
      memcpy(t->head[1].name, "lat", 4);
      if (corner) memcpy(t->head[n++].name, "ring", 5);
      if (g->altitude) memcpy(t->head[n++].name, "alt", 4);
      for (int m = 0; m < g->properties; m++) csv_quote(t->head[n++].name, sizeof t->head[0].name, g->node[g->property[m]].key);
   }
   r->fields = 0;
   for (; r->fields < (size_t)(2 + g->altitude); k = k ? g->node[k].next : 0) {
      if (r->fields < 2 && (!k || g->node[k].kind != 0)) return csv_fail(r, r->start, ": a place has two numbers, longitude and latitude");
      r->field[r->fields++] = k && g->node[k].kind == 0 ? g->node[k].text : empty;
   }
   if (corner) {
      snprintf(ring, sizeof ring, "%lu", (unsigned long)g->rings);
      r->field[r->fields++] = ring;
   }
   for (int m = 0; m < g->properties; m++) {
      const size_t at = properties ? csv_geo_member(g, properties, g->node[g->property[m]].key) : 0;
      r->field[r->fields++] = at && g->node[at].text ? g->node[at].text : empty;
   }
   r->filled = r->fields;
   return csv_add_row(t, r, &g->rows);
}

/* Lists of places, `deep` levels down; the last but one level of polygons are rings. */
static inline int csv_geo_places(csv_geo *g, size_t list, int deep, size_t properties, int corner)
{
   if (!deep) return csv_geo_place(g, list, properties, corner);
   if (g->node[list].kind != '[') return csv_fail(g->r, g->node[list].line, ": coordinates are lists");
   g->rings += corner && deep == 1;
   for (size_t k = g->node[list].kid; k; k = g->node[k].next) if (!csv_geo_places(g, k, deep - 1, properties, corner)) return 0;
   return 1;
}

static inline int csv_geo_object(csv_geo *g, size_t object, size_t properties, int depth)
{
   static const struct { const char *type, *inside; int deep, corner; } kind[] = {
      {"FeatureCollection", "features", -1, 0}, {"GeometryCollection", "geometries", -1, 0}, {"Feature", "geometry", -2, 0},
      {"Point", "coordinates", 0, 0}, {"MultiPoint", "coordinates", 1, 0}, {"Polygon", "coordinates", 2, 1}, {"MultiPolygon", "coordinates", 3, 1}};
   const size_t type = csv_geo_member(g, object, "type");
   char         why[120];
   if (g->node[object].kind == 't') return 1; /* a feature without a geometry has null */
   for (size_t k = 0; type && g->node[type].kind == '"' && k < sizeof kind / sizeof *kind; k++) {
      const size_t inside = csv_geo_member(g, object, kind[k].inside);
      if (strcmp(g->node[type].text, kind[k].type) != 0 || !inside || depth > 60) continue;
      if (kind[k].deep == -2) return csv_geo_object(g, inside, csv_geo_member(g, object, "properties"), depth + 1);
      if (kind[k].deep >= 0) return csv_geo_places(g, inside, kind[k].deep, properties, kind[k].corner);
      for (size_t m = g->node[inside].kid; m; m = g->node[m].next) if (!csv_geo_object(g, m, properties, depth + 1)) return 0;
      return 1;
   }
   snprintf(why, sizeof why, ": GeoJSON of points or polygons is wanted, not %.40s", type && g->node[type].text ? g->node[type].text : "this");
   return csv_fail(g->r, g->node[object].line, why);
}

static inline int csv_geojson(csv_table *t, csv_reader *r)
{
   csv_geo g;
   size_t  root = 0;
   int     ok;
   memset(&g, 0, sizeof g);
   g.t = t;
   g.r = r;
   g.nodes = 1;
   g.node = (csv_node *)calloc(g.room = 256, sizeof *g.node);
   ok = g.node ? csv_geo_value(&g, &root, 0) : csv_fail(r, 0, "is too large for the memory");
   if (ok) {
      csv_geo_blank(r);
      if (*r->at) ok = csv_fail(r, r->line, " goes on after the end of JSON");
   }
   for (size_t k = 1; ok && k < g.nodes; k++) if (g.node[k].end) *g.node[k].end = 0; /* all is read: numbers may end */
   ok = ok && csv_geo_object(&g, root, 0, 0);
   if (ok && !t->rows) ok = csv_fail(r, 0, "holds no points and no polygons");
   free(g.node);
   return ok;
}

/* Reads a file ("-" is standard input). Returns 1, or 0 with t->error. */
static inline int csv_read(csv_table *t, const char *path)
{
   csv_reader r;
   size_t     room = 0;
   int        ok, more = 1, header = 0;
   memset(t, 0, sizeof *t);
   memset(&r, 0, sizeof r);
   r.path = csv_called(path);
   r.error = t->error;
   ok = csv_slurp(&r, path);
   if (ok && *csv_skip(r.at, " \t\r\n") == '{') {
      ok = csv_geojson(t, &r);
      more = 0;
   } else ok = ok && csv_separator(&r);
   while (ok && more && (more = csv_next(&r)) > 0) {
      if (!t->columns) {
         header = csv_columns(t, &r);
         if (header < 0) ok = csv_fail(&r, 0, "is too large for the memory");
         t->header = header > 0;
         if (header) continue;
      }
      ok = csv_add_row(t, &r, &room);
   }
   free(r.text);
   free(r.field);
   if (ok && more == 0) return 1;
   csv_free(t);
   return 0;
}

/* The column of that name, or -1. */
static inline int csv_column(const csv_table *t, const char *name)
{
   for (int k = 0; k < t->columns; k++) if (!strcmp(t->head[k].name, name)) return k;
   return -1;
}

/* Is every cell of this column a number, or every one a date? If not, t->error says where. */
static inline int csv_good(csv_table *t, const char *path, int column)
{
   const csv_head *h = &t->head[column];
   const char     *comma = strchr(h->bad, ',');
   char            number[16], name[80] = "";
   const size_t    digits = strspn(h->bad, "0123456789");
   const int       date = digits > 0 && (h->bad[digits] == '-' || h->bad[digits] == '/'); /* as people write them */
   if (!h->bad_line) return 1;
   snprintf(number, sizeof number, "%d", column + 1);
   if (strcmp(number, h->name) != 0 && h->name[0]) snprintf(name, sizeof name, " (%s)", h->name);
   snprintf(t->error, sizeof t->error, "%.200s, line %lu: column %s%s is %s%s%s%s", csv_called(path), (unsigned long)h->bad_line, number, name,
            h->bad[0] ? "\"" : "empty", h->bad, h->bad[0] ? "\", not " : "",
            !h->bad[0] ? "" : h->kind == CSV_DATE ? "a date as 2016-03-01T12:30:00Z" : date ? "a number, nor a date as 2016-03-01" :
            comma && strspn(h->bad, "+-0123456789,.eE") == strlen(h->bad) ? "a number: it takes a decimal point" : "a finite number");
   return 0;
}
#endif
