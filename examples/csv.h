/* Reading numbers from CSV files, for the programs of this folder: optional lines that begin with '#', an optional
   header line with the names of the columns, then one row of numbers per line. The decimal point is a point in
   every locale. A row that cannot be read is an error with its line number, never skipped. */
#ifndef CSV_H
#define CSV_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define CSV_MAX_COLUMNS 64

typedef struct csv_table {
   double *value;                     /* (rows, columns)                  */
   size_t *line;                      /* (rows) where each came from      */
   size_t  rows;
   int     columns;
   char    name[CSV_MAX_COLUMNS][64]; /* "1", "2", ... without a header   */
   char    error[256];                /* one sentence, if reading failed  */
} csv_table;

/* strtod without the locale: sign, digits, point, digits, exponent. Up to 18 digits count exactly. */
static inline int csv_number(const char *s, const char **end, double *value)
{
   char        text[64];
   size_t      n = 0;
   const char *p = s;
   int         digits = 0;
   double      mantissa = 0;
   int         exponent = 0, negative = 0;
   while (*p == ' ' || *p == '\t') p++;
   if (*p == '-' || *p == '+') negative = *p++ == '-';
   for (; *p >= '0' && *p <= '9'; p++) { digits++; if (n < 18) { if (n || *p != '0') text[n++] = *p; } else exponent++; }
   if (*p == '.')
      for (p++; *p >= '0' && *p <= '9'; p++) { digits++; if (n < 18) { if (n || *p != '0') text[n++] = *p; exponent--; } }
   if (!digits) return 0;
   if (*p == 'e' || *p == 'E') {
      const char *q = p + 1;
      int         sign = 1, e = 0, any = 0;
      if (*q == '-' || *q == '+') sign = *q++ == '-' ? -1 : 1;
      for (; *q >= '0' && *q <= '9'; q++) { any = 1; if (e < 10000) e = 10 * e + (*q - '0'); }
      if (any) { exponent += sign * e; p = q; }
   }
   for (size_t i = 0; i < n; i++) mantissa = 10 * mantissa + (text[i] - '0');
   while (*p == ' ' || *p == '\t') p++;
   *end = p;
   {  /* 10^e is exact up to 22, and so is one product or quotient */
      double power = 1;
      int    e = exponent < 0 ? -exponent : exponent;
      if (e > 330) { *value = 0; return exponent < 0; }
      if (e <= 22) {
         for (; e > 0; e--) power *= 10;
         mantissa = exponent < 0 ? mantissa / power : mantissa * power;
      } else mantissa *= pow(10, exponent);
      if (mantissa > 1.7976931348623157e308) return 0; /* beyond the largest double */
   }
   *value = negative ? -mantissa : mantissa;
   return 1;
}

static inline void csv_free(csv_table *t)
{
   free(t->value);
   free(t->line);
   memset(t, 0, sizeof *t);
}

/* One line into numbers; returns how many, or -1 - column of the field that is not a number. */
static inline int csv_row(const char *line, double *out)
{
   int n = 0;
   for (;;) {
      const char *end;
      if (n == CSV_MAX_COLUMNS || !csv_number(line, &end, &out[n])) return -1 - n;
      n++;
      if (*end == ',' || *end == ';') { line = end + 1; continue; }
      return *end == 0 ? n : -n;
   }
}

static inline void csv_header(csv_table *t, char *line)
{
   int n = 0;
   for (char *p = line; n < CSV_MAX_COLUMNS;) {
      size_t len = strcspn(p, ",;");
      while (len && (*p == ' ' || *p == '"')) { p++; len--; }
      snprintf(t->name[n], sizeof t->name[n], "%.*s", (int)len, p);
      for (size_t k = strlen(t->name[n]); k && (t->name[n][k - 1] == '"' || t->name[n][k - 1] == ' '); k--) t->name[n][k - 1] = 0;
      n++;
      p += len;
      if (!*p) break;
      p++;
   }
   t->columns = n;
}

/* Reads a file ("-" is standard input). Returns 1, or 0 with t->error. */
static inline int csv_read(csv_table *t, const char *path)
{
   FILE  *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
   char   line[4096];
   size_t number = 0, room = 0;
   int    header = 0;
   memset(t, 0, sizeof *t);
   if (!f) { snprintf(t->error, sizeof t->error, "%s cannot be opened", path); return 0; }
   while (fgets(line, sizeof line, f)) {
      double row[CSV_MAX_COLUMNS];
      size_t len = strlen(line);
      int    n;
      number++;
      if (len + 1 == sizeof line && line[len - 1] != '\n') { snprintf(t->error, sizeof t->error, "%s, line %lu is too long", path, (unsigned long)number); break; }
      while (len && (line[len - 1] == '\n' || line[len - 1] == '\r' || line[len - 1] == ' ')) line[--len] = 0;
      if (!len || line[0] == '#') continue;
      n = csv_row(line, row);
      if (n <= 0) {
         if (!t->rows && !header) { csv_header(t, line); header = 1; continue; }
         snprintf(t->error, sizeof t->error, "%s, line %lu: column %d is not a number", path, (unsigned long)number, -n ? -n : 1);
         break;
      }
      if (!t->columns) {
         t->columns = n;
         for (int k = 0; k < n; k++) snprintf(t->name[k], sizeof t->name[k], "%d", k + 1);
      }
      if (n != t->columns) { snprintf(t->error, sizeof t->error, "%s, line %lu has %d columns, not %d", path, (unsigned long)number, n, t->columns); break; }
      if (t->rows == room) {
         double *value;
         size_t *lines;
         room = room ? 2 * room : 1024;
         value = (double *)realloc(t->value, room * (size_t)n * sizeof *value);
         if (value) t->value = value;
         lines = value ? (size_t *)realloc(t->line, room * sizeof *lines) : NULL;
         if (!lines) { snprintf(t->error, sizeof t->error, "%s is too large for the memory", path); break; }
         t->line = lines;
      }
      memcpy(t->value + t->rows * (size_t)n, row, (size_t)n * sizeof *row);
      t->line[t->rows++] = number;
   }
   if (!t->error[0] && ferror(f)) snprintf(t->error, sizeof t->error, "%s cannot be read", path);
   if (f != stdin) fclose(f);
   if (t->error[0]) { free(t->value); free(t->line); t->value = NULL; t->line = NULL; t->rows = 0; return 0; }
   return 1;
}

/* The column of that name, or -1. */
static inline int csv_column(const csv_table *t, const char *name)
{
   for (int k = 0; k < t->columns; k++) if (!strcmp(t->name[k], name)) return k;
   return -1;
}
#endif
