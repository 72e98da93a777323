/* ESRI ASCII grids (.asc), for the programs of this folder: six lines of a header, each a word and a number, in any order
   and in capitals or not,

      ncols, nrows, xllcorner (or xllcenter), yllcorner (or yllcenter), cellsize (or dx and dy), NODATA_value

   of which the last may be missing (-9999), then the values, row by row from north to south. Here rows go from the lowest y
   up, as in sneppp_window, and NODATA is NaN. */
#ifndef ASC_H
#define ASC_H
#include "csv.h"

typedef struct asc_grid {
   size_t  cells[2];              /* columns, rows                                */
   double  origin[2], cell[2];    /* lower left corner; sides of a cell           */
   double *value;                 /* (rows, columns), rows from the lowest y up   */
   char    error[500];            /* one sentence, if reading or writing failed   */
} asc_grid;

static inline void asc_free(asc_grid *g)
{
   free(g->value);
   g->value = NULL;
}

/* The number of the word in the list, or -1; without regard to capitals. */
static inline int asc_word(const char *at, size_t length, const char *const *list, int count)
{
   for (int k = 0; k < count; k++) {
      size_t i = 0;
      while (i < length && list[k][i] && (at[i] | 32) == (list[k][i] | 32)) i++;
      if (i == length && !list[k][i]) return k;
   }
   return -1;
}

static inline int asc_fail(asc_grid *g, const char *path, size_t line, const char *why)
{
   if (line) snprintf(g->error, sizeof g->error, "%s, line %lu: %s", path, (unsigned long)line, why);
   else snprintf(g->error, sizeof g->error, "%s: %s", path, why);
   asc_free(g);
   return 0;
}

enum { ASC_COLS, ASC_ROWS, ASC_LEFT, ASC_LOW, ASC_MIDDLE, ASC_CENTRE, ASC_DX, ASC_DY, ASC_SIDE, ASC_NODATA, ASC_WORDS };

/* Words and numbers until a line begins with something else; returns what follows, or NULL. */
static inline const char *asc_header(asc_grid *g, const char *path, const char *at, size_t *line, double *nodata)
{
   static const char *const word[ASC_WORDS] = {"ncols", "nrows", "xllcorner", "yllcorner", "xllcenter", "yllcenter", "dx", "dy", "cellsize", "NODATA_value"};
   double head[ASC_WORDS] = {0};
   int    there[ASC_WORDS] = {0};
   char   why[160];
   for (;;) {
      const char *end;
      int         k;
      at = csv_skip(at, " \t\r");
      if (*at == '\n') { at++, ++*line; continue; }
      if (!((*at | 32) >= 'a' && (*at | 32) <= 'z')) break;
      end = at + strcspn(at, " \t\r\n");
      k = asc_word(at, (size_t)(end - at), word, ASC_WORDS);
      if (k < 0) { asc_fail(g, path, *line, "this is no word of the header of an ESRI ASCII grid"); return NULL; }
      snprintf(why, sizeof why, there[k] ? "%s is given twice" : "%s has no number", word[k]);
      if (there[k]++ || !csv_number(end, &at, &head[k])) { asc_fail(g, path, *line, why); return NULL; }
      at = csv_skip(at, " \t\r");
      if (*at && *at != '\n') { asc_fail(g, path, *line, "the header has one word and one number in each line"); return NULL; }
   }
   why[0] = 0;
   if (!there[ASC_COLS] || !there[ASC_ROWS]) snprintf(why, sizeof why, "the header has no ncols or no nrows");
   else if (there[ASC_LEFT] + there[ASC_MIDDLE] != 1 || there[ASC_LOW] + there[ASC_CENTRE] != 1) snprintf(why, sizeof why, "the header must have xllcorner or xllcenter, and yllcorner or yllcenter");
   else if (there[ASC_SIDE] ? there[ASC_DX] || there[ASC_DY] : !there[ASC_DX] || !there[ASC_DY]) snprintf(why, sizeof why, "the header must have cellsize, or dx and dy");
   for (int k = 0; k < 2 && !why[0]; k++) {
      if (!(head[k] >= 1 && head[k] < 1e6 && head[k] == floor(head[k]))) { snprintf(why, sizeof why, "%s = %g is not a whole number from 1 to 999999", word[k], head[k]); break; }
      g->cells[k] = (size_t)head[k];
      g->cell[k] = there[ASC_SIDE] ? head[ASC_SIDE] : head[ASC_DX + k];
      g->origin[k] = there[ASC_LEFT + k] ? head[ASC_LEFT + k] : head[ASC_MIDDLE + k] - 0.5 * g->cell[k];
      if (!(g->cell[k] > 0) || !(g->cell[k] * head[k] < 1e300) || !(fabs(g->origin[k]) < 1e300)) snprintf(why, sizeof why, "cells of side %g at %g make no grid", g->cell[k], g->origin[k]);
   }
   if (why[0]) { asc_fail(g, path, 0, why); return NULL; }
   *nodata = there[ASC_NODATA] ? head[ASC_NODATA] : -9999;
   return at;
}

/* Values, row by row from the north. */
static inline int asc_values(asc_grid *g, const char *path, const char *at, size_t line, double nodata)
{
   const size_t cells = g->cells[0] * g->cells[1];
   size_t       count = 0;
   char         why[160];
   snprintf(why, sizeof why, "%lu columns and %lu rows are announced, more than the file holds", (unsigned long)g->cells[0], (unsigned long)g->cells[1]);
   if (!cells || cells > strlen(at)) return asc_fail(g, path, 0, why); /* before memory is asked for them */
   g->value = (double *)malloc(cells * sizeof *g->value);
   if (!g->value) return asc_fail(g, path, 0, "not enough memory");
   for (;;) {
      const char *end;
      double      v;
      at = csv_skip(at, " \t\r");
      if (*at == '\n') { line++, at++; continue; }
      if (!*at) break;
      if (count == cells) return asc_fail(g, path, line, "there are more values than ncols x nrows");
      if (!csv_number(at, &end, &v) || (*end && !strchr("\r\n", *end) && end[-1] != ' ' && end[-1] != '\t')) return asc_fail(g, path, line, "this is not a number");
      g->value[(g->cells[1] - 1 - count / g->cells[0]) * g->cells[0] + count % g->cells[0]] = v == nodata ? (double)NAN : v;
      at = end, count++;
   }
   snprintf(why, sizeof why, "there are %lu values, but ncols x nrows is %lu", (unsigned long)count, (unsigned long)cells);
   return count == cells || asc_fail(g, path, 0, why);
}

/* Reads a grid; 0 and a sentence in g->error if that is not possible. */
static inline int asc_read(asc_grid *g, const char *path)
{
   csv_reader  r;
   size_t      line = 1;
   double      nodata = 0;
   const char *at;
   int         ok;
   memset(g, 0, sizeof *g);
   memset(&r, 0, sizeof r);
   r.path = csv_called(path), r.error = g->error;
   ok = csv_slurp(&r, path);
   at = ok ? asc_header(g, r.path, r.at, &line, &nodata) : NULL;
   ok = at && asc_values(g, r.path, at, line, nodata);
   free(r.text);
   return ok;
}

/* Writes a grid; what is not finite becomes NODATA. Cells that are no squares have dx and dy. */
static inline int asc_write(const asc_grid *g, const char *path)
{
   FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;
   int   ok;
   if (!f) return 0;
   fprintf(f, "ncols %lu\nnrows %lu\nxllcorner %.15g\nyllcorner %.15g\n", (unsigned long)g->cells[0], (unsigned long)g->cells[1], g->origin[0], g->origin[1]);
   if (g->cell[0] == g->cell[1]) fprintf(f, "cellsize %.15g\n", g->cell[0]);
   else fprintf(f, "dx %.15g\ndy %.15g\n", g->cell[0], g->cell[1]);
   fprintf(f, "NODATA_value -9999\n");
   for (size_t r = g->cells[1]; r-- > 0;)
      for (size_t c = 0; c < g->cells[0]; c++) {
         double v = g->value[r * g->cells[0] + c];
         fprintf(f, "%.9g%c", fabs(v) <= 1e300 ? v : -9999, c + 1 < g->cells[0] ? ' ' : '\n');
      }
   ok = !ferror(f);
   return !(f == stdout ? fflush(f) : fclose(f)) && ok;
}

static inline int asc_same(const asc_grid *a, const asc_grid *b)
{
   for (int r = 0; r < 2; r++)
      if (a->cells[r] != b->cells[r] || fabs(a->cell[r] - b->cell[r]) > 1e-9 * a->cell[r] || fabs(a->origin[r] - b->origin[r]) > 1e-6 * a->cell[r]) return 0;
   return 1;
}

/* The grid on the cells of another: each gets the value at its centre, NaN beyond the grid. */
static inline int asc_resample(asc_grid *g, const asc_grid *like)
{
   asc_grid to = *like;
   to.value = (double *)malloc(like->cells[0] * like->cells[1] * sizeof *to.value);
   if (!to.value) return 0;
   for (size_t k = 0; k < to.cells[0] * to.cells[1]; k++) {
      double u = (to.origin[0] + ((double)(k % to.cells[0]) + 0.5) * to.cell[0] - g->origin[0]) / g->cell[0];
      double v = (to.origin[1] + ((double)(k / to.cells[0]) + 0.5) * to.cell[1] - g->origin[1]) / g->cell[1];
      int    in = u >= 0 && v >= 0 && u < (double)g->cells[0] && v < (double)g->cells[1];
      to.value[k] = in ? g->value[(size_t)v * g->cells[0] + (size_t)u] : (double)NAN;
   }
   asc_free(g);
   *g = to;
   return 1;
}

/* A window on the grid, without exposure and covariates yet. */
static inline sneppp_window asc_window(const asc_grid *g)
{
   sneppp_window w;
   memset(&w, 0, sizeof w);
   w.space = SNEPPP_SPACE_RASTER, w.dim = 2;
   for (int r = 0; r < 2; r++) w.origin[r] = g->origin[r], w.cell[r] = g->cell[r], w.cells[r] = g->cells[r];
   return w;
}
#endif
