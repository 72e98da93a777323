/* build/oracle FILE...: checks the closed forms against files of test vectors, values or gradients. Prints for each
   kernel the rows checked, the rows failed, the worst error in units of the row's own uncertainty and the multiple
   of it that is allowed. Exits non-zero if a row fails, a name is unknown or a line is malformed. */
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include "oracle_core.h"

int main(int argc, char **argv)
{
   static oracle o;
   int           a, k, bad = 0;
   if (argc < 2) {
      fprintf(stderr, "usage: oracle FILE...\n");
      return 2;
   }
   for (a = 1; a < argc; a++) {
      memset(&o, 0, sizeof o);
      o.log = stdout;
      o.factor = 1;
      if (!oracle_file(&o, argv[a])) {
         fprintf(stderr, "oracle: %s cannot be read or has no rows\n", argv[a]);
         bad = 1;
         continue;
      }
      printf("%s: %s\n%-20s %6s %7s %12s %8s\n", argv[a], o.gradients ? "gradients" : "values", "kernel", "rows", "failed", "worst", "allowed");
      for (k = 0; k < o.names; k++)
         printf("%-20s %6d %7d %12.4g %8g\n", o.tally[k].name, o.tally[k].rows, o.tally[k].failed, o.tally[k].worst, oracle_slack * o.factor);
      printf("%d rows of %d kernels, %d failed, %d unknown, %d malformed\n\n", o.rows, o.names, o.failed, o.unknown, o.malformed);
      if (o.failed) bad = 1;
   }
   return bad;
}
