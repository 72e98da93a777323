/* bench/paper.md from what the parts left under build/paper/. */
#ifndef SNEPPP_PAPER_WRITE_H
#define SNEPPP_PAPER_WRITE_H

static const char *const paper_results = "build/paper/results.txt";

/* What the paper printed: NLL exact, NLL by Monte Carlo, RMSE or count error (fraction), seconds. 0: nothing. */
static const char *const published[4][methods][4] = {
   { { "3.87 +- 0.52", "3.87 +- 0.52", "26.66 +- 2.41", "3.20" }, { "2.94 +- 0.06", "3.92 +- 0.06", "12.20 +- 0.23", "3.24" }, { 0 }, { "2.91 +- 0.07", "2.87 +- 0.07", "10.56 +- 0.74", "3.09" },
     { 0 }, { 0 }, { 0, "2.90 +- 0.07", "11.36 +- 0.73", "4.32" }, { 0, "2.86 +- 0.06", "10.78 +- 0.45", "4.19" }, { 0, "2.88 +- 0.07", "10.79 +- 0.41", "4.28" }, { 0 } },
   { { "-0.03 +- 0.01", "-0.02 +- 0.01", "0.03", "1.79" }, { "-0.07 +- 0.02", "-0.07 +- 0.02", "0.02", "2.28" }, { 0 }, { "-0.56 +- 0.01", "-0.62 +- 0.01", "0.04", "6.20" },
     { 0 }, { 0 }, { 0, "-0.38 +- 0.03", "0.07", "7.80" }, { 0, "-0.52 +- 0.02", "0.09", "4.74" }, { 0, "-0.51 +- 0.03", "0.09", "18.48" }, { 0 } },
   { { "-0.04 +- 0.01", "-0.04 +- 0.01", "0.04", "2.38" }, { "-0.08 +- 0.01", "-0.08 +- 0.01", "0.03", "2.45" }, { 0 }, { "-0.78 +- 0.03", "-0.84 +- 0.03", "0.03", "7.07" },
     { 0 }, { 0 }, { 0, "-0.23 +- 0.02", "0.07", "4.17" }, { 0, "-0.35 +- 0.03", "0.09", "4.92" }, { 0, "-0.36 +- 0.03", "0.11", "25.88" }, { 0 } },
   { { "0.21 +- 0.06", "0.77 +- 0.17", "0.26", "2.38" }, { "0.19 +- 0.02", "0.71 +- 0.17", "0.26", "2.38" }, { 0 }, { "0.85 +- 0.90", "0.81 +- 0.90", "0.29", "5.89" },
     { 0 }, { 0 }, { 0, "0.19 +- 0.12", "0.19", "4.34" }, { 0, "0.29 +- 0.24", "0.30", "3.96" }, { 0, "0.31 +- 0.31", "0.26", "4.30" }, { 0 } } };
static const char *const table_title[4] = { "Table 2 (appendix D): the letter R", "Table 1, top: bei", "Table 1, bottom: clmfires", "Table 3 (appendix D): copper" };

static void write_table(FILE *out, int k)
{
   double sum[methods][5], square[methods][5];
   int    count[methods] = { 0 };
   char   line[300], name[40], key[40];
   FILE  *in = fopen(paper_results, "r");
   memset(sum, 0, sizeof sum), memset(square, 0, sizeof square);
   while (in && fgets(line, sizeof line, in)) {
      double v[5];
      int    number, m;
      if (sscanf(line, "%39s %d %39s %lf %lf %lf %lf %lf", name, &number, key, v, v + 1, v + 2, v + 3, v + 4) != 8 || strcmp(name, patterns[k].name)) continue;
      for (m = 0; m < methods && strcmp(key, method_key[m]); m++) { }
      if (m == methods) continue;
      for (int i = 0; i < 5; i++) sum[m][i] += v[i], square[m][i] += v[i] * v[i];
      count[m]++;
   }
   if (in) fclose(in);
   fprintf(out, "\n### %s\n\n| method | published NLL, exact | Monte Carlo | NLL | its standard error | NLL, integral over the square | published %s | %s | published seconds | seconds | splits |\n"
                "|---|---|---|---|---|---|---|---|---|---|---|\n", table_title[k], k ? "count error" : "RMSE", k ? "count error" : "RMSE");
   for (int m = 0; m < methods; m++) {
      const char *const *p = published[k][m];
      double             n = count[m], mean[5], deviation[5];
      char               error[40] = "";
      int                other = k ? 2 : 3;
      if (!count[m]) continue;
      for (int i = 0; i < 5; i++) mean[i] = sum[m][i] / n, deviation[i] = n > 1 ? sqrt(fmax(square[m][i] / n - mean[i] * mean[i], 0) * n / (n - 1)) : 0;
      if (n > 1) snprintf(error, sizeof error, "%.3f", deviation[0] / sqrt(n));
      fprintf(out, "| %s | %s | %s | %.3f +- %.3f | %s | %.3f | %s | %.*f | %s | %.2g | %d |\n", method_name[m], p[0] ? p[0] : "", p[1] ? p[1] : "", mean[0], deviation[0], error,
              mean[1], p[2] ? p[2] : "", k ? 3 : 2, mean[other], p[3] ? p[3] : "", mean[4], count[m]);
   }
}

static void write_part(FILE *out, const char *title, const char *name, const char *command)
{
   char  path[100], line[2000];
   FILE *in;
   snprintf(path, sizeof path, "build/paper/%s.md", name);
   fprintf(out, "\n## %s\n\n`%s`\n\n", title, command);
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
