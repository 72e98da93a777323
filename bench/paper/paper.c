/* The paper, table by table: what it published, its recipe run by our library, our default, and its rivals. Each part
   leaves its lines under build/paper/, and `write` makes bench/paper.md of what is there.

      paper table [splits [slow]] [--only METHOD,...] [--on PATTERN,...]
                                        the tables; those who are slow run in the first few splits only. Finished splits
                                        are remembered: an interrupted run goes on where it was
      paper truth [patterns]            the letter: how far above its truth the lines of that table are
      paper convergence                 PGD, its bounds, and our solver
      paper scaling [most]              time against the number of events
      paper future                      clmfires, learnt from the past and judged by the future
      paper copper [splits]             copper by the permanental processes, in the window or in the box of its events
      paper products                    the mixing rules of appendix B on one pattern in space and time
      paper globe                       wildfires on the sphere (reads the CSV from the standard input)
      paper fires [steps]               wildfires on sphere and time (likewise)
      paper errata                      a number for each
      paper write                       bench/paper.md. After a change of the code rm -r build/paper begins anew
   --data FOLDER: where the patterns are, ../shared/data unless said. `make paper` runs all of it. */
#define _POSIX_C_SOURCE 200112L
#define SNEPPP_PTHREADS
#include "../../sneppp.h"
#include <math.h>
#include <sys/stat.h>
#include "../bench.h"
#include "../rivals.h"
#include "../../examples/csv.h"
#include "../../examples/draw.h"
#include "permanental.h"
#include "patterns.h"
#include "contest.h"
#include "figures.h"
#include "errata.h"
#include "fires.h"
#include "write.h"

/* ---- the tables, split after split, so that every method has as many as the time allowed */
static int known(const char *name, int number, const char *key)
{
   char  line[300], a[40], b[40];
   int   n, found = 0;
   FILE *file = fopen(paper_results, "r");
   while (file && fgets(line, sizeof line, file))
      if (sscanf(line, "%39s %d %39s", a, &n, b) == 3 && n == number && !strcmp(a, name) && !strcmp(b, key)) found = 1;
   if (file) fclose(file);
   return found;
}

static void run_table(int splits, int slow, const char *only, const char *on)
{
   patterns_read();
   for (int number = 1; number <= splits; number++)
      for (int k = 0; k < pattern_count; k++) {
         const pattern *p = &patterns[k];
         split          s;
         if (on && !strstr(on, p->name)) continue;
         s = split_make(p, number);
         for (int how = 0; how < methods; how++) {
            int   heavy = how == LITERAL || (how == NAIVE && s.trains > 1000);
            score sc;
            FILE *file;
            if ((heavy && number > slow) || (how == TRUTH && p->x) || (only && !strstr(only, method_key[how])) || known(p->name, number, method_key[how])) continue;
            run_method(p, &s, (method)how, number, &sc);
            file = fopen(paper_results, "a");
            bench_check(file != NULL, "%s cannot be written", paper_results);
            fprintf(file, "%s %d %s %.6f %.6f %.6f %.6f %.3f\n", p->name, number, method_key[how], sc.nll, sc.window, sc.count, sc.rmse, sc.seconds);
            fclose(file);
            printf("split %d of %d, %s, %s: nll %.3f, %.1f s\n", number, splits, p->name, method_name[how], sc.nll, sc.seconds);
            fflush(stdout);
         }
         split_free(&s);
      }
}

int main(int count, char **word)
{
   const char *only = NULL, *on = NULL, *what;
   int         number[2] = { 5, 2 }, numbers = 0;
   if (count < 2) {
      fprintf(stderr, "paper: table, truth, convergence, scaling, future, copper, products, globe, fires, errata or write?\n");
      return 2;
   }
   what = word[1];
   for (int i = 2; i < count; i++) {
      if (!strcmp(word[i], "--data") && i + 1 < count) paper_folder = word[++i];
      else if (!strcmp(word[i], "--only") && i + 1 < count) only = word[++i];
      else if (!strcmp(word[i], "--on") && i + 1 < count) on = word[++i];
      else if (numbers < 2) number[numbers++] = atoi(word[i]);
   }
   mkdir("build", 0777), mkdir("build/paper", 0777);
   if (!strcmp(what, "table")) run_table(number[0], number[1], only, on);
   else if (!strcmp(what, "truth")) run_truth(numbers ? number[0] : 3000);
   else if (!strcmp(what, "convergence")) run_convergence();
   else if (!strcmp(what, "scaling")) run_scaling(numbers ? number[0] : 100000);
   else if (!strcmp(what, "future")) run_future();
   else if (!strcmp(what, "copper")) run_copper(numbers ? number[0] : 100);
   else if (!strcmp(what, "products")) run_products();
   else if (!strcmp(what, "globe")) run_globe();
   else if (!strcmp(what, "fires")) run_fires(numbers ? (size_t)number[0] : 600);
   else if (!strcmp(what, "errata")) run_errata();
   else if (!strcmp(what, "write")) write_paper();
   else bench_check(0, "%s is none of table, truth, convergence, scaling, future, copper, products, globe, fires, errata and write", what);
   return 0;
}
