/* bench/paper.md from what the parts left under build/paper/. */
#ifndef SNEPPP_PAPER_WRITE_H
#define SNEPPP_PAPER_WRITE_H

static const char *const paper_results = "build/paper/results.txt";

/* What the paper printed: NLL exact, NLL by Monte Carlo, RMSE or count error (fraction), seconds. 0: nothing. */
static const char *const published[4][methods][4] = {
   { { "3.87 +- 0.52", "3.87 +- 0.52", "26.66 +- 2.41", "3.20 +- 0.16" }, { "2.94 +- 0.06", "3.92 +- 0.06", "12.20 +- 0.23", "3.24 +- 0.11" }, { 0 },
     { "2.91 +- 0.07", "2.87 +- 0.07", "10.56 +- 0.74", "3.09 +- 0.09" }, { 0 }, { 0 }, { 0, "2.90 +- 0.07", "11.36 +- 0.73", "4.32 +- 0.42" },
     { 0, "2.86 +- 0.06", "10.78 +- 0.45", "4.19 +- 0.24" }, { 0, "2.88 +- 0.07", "10.79 +- 0.41", "4.28 +- 0.30" }, { 0 }, { 0 }, { 0 } },
   { { "-0.03 +- 0.01", "-0.02 +- 0.01", "0.03 +- 0.03", "1.79 +- 0.31" }, { "-0.07 +- 0.02", "-0.07 +- 0.02", "0.02 +- 0.02", "2.28 +- 0.20" }, { 0 },
     { "-0.56 +- 0.01", "-0.62 +- 0.01", "0.04 +- 0.03", "6.20 +- 0.18" }, { 0 }, { 0 }, { 0, "-0.38 +- 0.03", "0.07 +- 0.03", "7.80 +- 0.73" },
     { 0, "-0.52 +- 0.02", "0.09 +- 0.03", "4.74 +- 0.33" }, { 0, "-0.51 +- 0.03", "0.09 +- 0.04", "18.48 +- 0.48" }, { 0 }, { 0 }, { 0 } },
   { { "-0.04 +- 0.01", "-0.04 +- 0.01", "0.04 +- 0.02", "2.38 +- 0.14" }, { "-0.08 +- 0.01", "-0.08 +- 0.01", "0.03 +- 0.02", "2.45 +- 0.18" }, { 0 },
     { "-0.78 +- 0.03", "-0.84 +- 0.03", "0.03 +- 0.02", "7.07 +- 0.17" }, { 0 }, { 0 }, { 0, "-0.23 +- 0.02", "0.07 +- 0.03", "4.17 +- 0.31" },
     { 0, "-0.35 +- 0.03", "0.09 +- 0.04", "4.92 +- 0.48" }, { 0, "-0.36 +- 0.03", "0.11 +- 0.05", "25.88 +- 1.10" }, { 0 }, { 0 }, { 0 } },
   { { "0.21 +- 0.06", "0.77 +- 0.17", "0.26 +- 0.16", "2.38 +- 0.13" }, { "0.19 +- 0.02", "0.71 +- 0.17", "0.26 +- 0.16", "2.38 +- 0.13" }, { 0 },
     { "0.85 +- 0.90", "0.81 +- 0.90", "0.29 +- 0.25", "5.89 +- 0.44" }, { 0 }, { 0 }, { 0, "0.19 +- 0.12", "0.19 +- 0.13", "4.34 +- 0.30" },
     { 0, "0.29 +- 0.24", "0.30 +- 0.17", "3.96 +- 0.27" }, { 0, "0.31 +- 0.31", "0.26 +- 0.17", "4.30 +- 0.30" }, { 0 }, { 0 }, { 0 } } };
static const char *const table_title[4] = { "Table 2 (appendix D): the letter R", "Table 1, top: bei", "Table 1, bottom: clmfires", "Table 3 (appendix D): copper" };

typedef struct row { /* of one method on one pattern: nll, window, count, rmse, seconds */
   double mean[5], deviation[5], error; /* error: the standard error of nll */
   int    count;
} row;

static void table_read(int k, row *table)
{
   char  line[300], name[40], key[40];
   FILE *in = fopen(paper_results, "r");
   memset(table, 0, methods * sizeof *table);
   while (in && fgets(line, sizeof line, in)) {
      double v[5];
      int    number, m;
      if (sscanf(line, "%39s %d %39s %lf %lf %lf %lf %lf", name, &number, key, v, v + 1, v + 2, v + 3, v + 4) != 8 || strcmp(name, patterns[k].name)) continue;
      for (m = 0; m < methods && strcmp(key, method_key[m]); m++) { }
      if (m == methods) continue;
      for (int i = 0; i < 5; i++) table[m].mean[i] += v[i], table[m].deviation[i] += v[i] * v[i];
      table[m].count++;
   }
   if (in) fclose(in);
   for (int m = 0; m < methods; m++) {
      row   *r = &table[m];
      double n = r->count;
      for (int i = 0; n > 0 && i < 5; i++) {
         r->mean[i] /= n;
         r->deviation[i] = n > 1 ? sqrt(fmax(r->deviation[i] / n - r->mean[i] * r->mean[i], 0) * n / (n - 1)) : 0;
      }
      r->error = n > 0 ? r->deviation[0] / sqrt(n) : 0;
   }
}

/* A mean less the one that the paper has of method m, exact, with the standard error of the difference: that of the
   paper's mean of 100 is a tenth of its deviation. */
static void published_less(int k, int m, double mean, double error, char *text, size_t size)
{
   double said, deviation;
   text[0] = 0;
   if (published[k][m][0] && sscanf(published[k][m][0], "%lf +- %lf", &said, &deviation) == 2)
      snprintf(text, size, "%+.3f +- %.3f", mean - said, sqrt(error * error + deviation * deviation / 100));
}

/* ---- the letter, whose truth is known. Its NLL on the same splits takes the luck of the patterns out of the others', and
   its mean over many patterns is what luck should have been: together the NLL that a method has in the long run. */
static double truth_mean(int count, double *error)
{
   const pattern *p = &patterns[0];
   double         inside = 0, mean = 0, square = 0, *cell = midpoints(p, 2 * rmse_side);
   for (int i = 0; i < 4 * rmse_side * rmse_side; i++) inside += 0.2 * paper_letter(cell + 2 * i) * area(p) / (4 * rmse_side * rmse_side);
   free(cell);
   for (int number = 1001; number <= 1000 + count; number++) { /* splits that the tables do not have */
      split  s = split_make(p, number);
      double M = (double)s.tests, nll = inside + lgamma(M + 1);
      for (size_t i = 0; i < s.tests; i++) nll -= log(0.2 * paper_letter(s.test + 2 * i));
      mean += nll / M / count, square += nll / M * (nll / M) / count;
      split_free(&s);
   }
   *error = sqrt(fmax(square - mean * mean, 0) / fmax(count - 1, 1));
   return mean;
}

static void run_truth(int count)
{
   enum { most = 1000 };
   double truth[most + 1], sum[methods] = { 0 }, square[methods] = { 0 }, mean, error, v;
   int    splits[methods] = { 0 }, number;
   char   line[300], name[40], key[40];
   FILE  *out = part_open("truth");
   patterns_read();
   mean = truth_mean(count, &error);
   for (int i = 0; i <= most; i++) truth[i] = NAN;
   for (int pass = 0; pass < 2; pass++) { /* the truth's lines, then the others' */
      FILE *in = fopen(paper_results, "r");
      while (in && fgets(line, sizeof line, in)) {
         if (sscanf(line, "%39s %d %39s %lf", name, &number, key, &v) != 4 || strcmp(name, patterns[0].name) || number > most) continue;
         if (!pass && !strcmp(key, method_key[TRUTH])) truth[number] = v;
         for (int m = 0; pass && m < TRUTH; m++)
            if (!strcmp(key, method_key[m]) && !isnan(truth[number])) splits[m]++, v -= truth[number], sum[m] += v, square[m] += v * v;
      }
      if (in) fclose(in);
   }
   fprintf(out, "The true intensity has %.3f +- %.3f (standard errors) in the mean of %d other patterns. What a method has above it on the same splits, and in the long run, which is the sum:\n\n"
                "| method | published, exact | Monte Carlo | above the truth | in the long run | less the published, exact | splits |\n|---|---|---|---|---|---|---|\n", mean, error, count);
   for (int m = 0; m < TRUTH; m++) {
      const char *const *p = published[0][m];
      double             n = splits[m], above = sum[m] / n, scatter = sqrt(fmax(square[m] / n - above * above, 0) / (n - 1)), both = sqrt(scatter * scatter + error * error);
      char               less[40];
      if (splits[m] < 5) continue;
      published_less(0, m == DEFAULT || m == EXACT ? RECIPE : m, mean + above, both, less, sizeof less); /* ours against the paper's model */
      fprintf(out, "| %s | %s | %s | %.3f +- %.3f | %.3f +- %.3f | %s | %d |\n", method_name[m], p[0] ? p[0] : "", p[1] ? p[1] : "", above, scatter, mean + above, both, less, splits[m]);
   }
   fclose(out);
}

static void write_table(FILE *out, int k)
{
   row table[methods];
   table_read(k, table);
   fprintf(out, "\n### %s\n\n| method | published NLL, exact | Monte Carlo | NLL | its standard error | NLL, integral over the window | published %s | %s | published seconds | seconds | splits |\n"
                "|---|---|---|---|---|---|---|---|---|---|---|\n", table_title[k], k ? "count error" : "RMSE", k ? "count error" : "RMSE");
   for (int m = 0; m < methods; m++) {
      const char *const *p = published[k][m];
      const row         *r = &table[m];
      char               error[40] = "";
      if (!r->count) continue;
      if (r->count > 1) snprintf(error, sizeof error, "%.3f", r->error);
      fprintf(out, "| %s | %s | %s | %.3f +- %.3f | %s | %.3f | %s | %.*f | %s | %.2g | %d |\n", method_name[m], p[0] ? p[0] : "", p[1] ? p[1] : "", r->mean[0], r->deviation[0], error,
              r->mean[1], p[2] ? p[2] : "", k ? 3 : 2, r->mean[k ? 2 : 3], p[3] ? p[3] : "", r->mean[4], r->count);
   }
}

/* All four patterns in a line each, with standard errors, and what ours are less the published figure. */
static void write_summary(FILE *out)
{
   static const int order[4] = { 1, 2, 0, 3 };
   fprintf(out, "| NLL +- standard error | published SNEPPP | the recipe | less the published | sneppp.h, default | less the published | coordinates exact | less the published | best permanental process | kernel estimate |\n"
                "|---|---|---|---|---|---|---|---|---|---|\n");
   for (int i = 0; i < 4; i++) {
      int    k = order[i], best = RFM;
      double said = 0, deviation = 0;
      row    table[methods];
      table_read(k, table);
      for (int m = RFM; m <= NAIVE; m++)
         if (table[m].count >= table[RFM].count && table[m].mean[0] < table[best].mean[0]) best = m;
      sscanf(published[k][RECIPE][0], "%lf +- %lf", &said, &deviation);
      fprintf(out, "| %s | %.2f +- %.3f |", patterns[k].name, said, deviation / 10);
      for (int m = 0; m < 5; m++) {
         const int  which[5] = { RECIPE, DEFAULT, EXACT, best, KERNEL };
         const row *r = &table[which[m]];
         char       less[40] = "";
         if (r->count) fprintf(out, " %.3f +- %.3f |", r->mean[0], r->error), published_less(k, RECIPE, r->mean[0], r->error, less, sizeof less);
         else fprintf(out, " |");
         if (m < 3) fprintf(out, " %s |", less);
      }
      fprintf(out, "\n");
   }
}

static void write_part(FILE *out, const char *title, const char *name, const char *command)
{
   char  path[100], line[2000];
   FILE *in;
   snprintf(path, sizeof path, "build/paper/%s.md", name);
   fprintf(out, "\n%s\n\n`%s`\n\n", title, command);
   in = fopen(path, "r");
   if (!in) fprintf(out, "Not run yet.\n");
   while (in && fgets(line, sizeof line, in)) fputs(line, out);
   if (in) fclose(in);
}

static void write_paper(void)
{
   FILE *out = fopen("bench/paper.md", "w"), *words = fopen("bench/paper/words.md", "r");
   char  line[2000];
   bench_check(out && words, "bench/paper.md cannot be written, or bench/paper/words.md not be read");
   while (fgets(line, sizeof line, words)) { /* the words, and the tables where they are asked for */
      char title[200], name[40], command[200];
      int  k;
      if (sscanf(line, "<!-- table %d -->", &k) == 1 && k >= 0 && k < pattern_count) write_table(out, k);
      else if (!strncmp(line, "<!-- summary -->", 16)) write_summary(out);
      else if (sscanf(line, "<!-- part %39s | %199[^|] | %199[^>] -->", name, title, command) == 3) {
         for (size_t n = strlen(title); n && title[n - 1] == ' ';) title[--n] = 0;
         for (size_t n = strlen(command); n && (command[n - 1] == ' ' || command[n - 1] == '-');) command[--n] = 0;
         write_part(out, title, name, command);
      } else fputs(line, out);
   }
   fclose(words), fclose(out);
   printf("bench/paper.md is written\n");
}
#endif
