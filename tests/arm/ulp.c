/* Compares two lists of numbers that are given as the 16 hexadecimal digits of doubles:
   cc -o ulp tests/arm/ulp.c && ./ulp HERE THERE float|double MOST
   Prints how many differ and by how many units of the last place of float or double at most; fails beyond MOST. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first word of 16 hexadecimal digits in a line, or 0. Neighbouring numbers of one sign have neighbouring bits. */
static uint64_t number(char *line)
{
   for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n"))
      if (strlen(word) == 16 && strspn(word, "0123456789abcdef") == 16) return strtoull(word, NULL, 16);
   return 0;
}

int main(int argc, char **argv)
{
   char     a[400], b[400];
   FILE    *f = argc == 5 ? fopen(argv[1], "r") : NULL, *g = argc == 5 ? fopen(argv[2], "r") : NULL;
   uint64_t worst = 0;
   long     differ = 0, lines = 0;
   if (!f || !g) return 2;
   while (fgets(a, sizeof a, f)) {
      uint64_t x = number(a), y, d;
      if (!fgets(b, sizeof b, g)) return 2;
      y = number(b);
      d = x > y ? x - y : y - x;
      if (!strcmp(argv[3], "float")) d = d / ((uint64_t)1 << 29) + (d % ((uint64_t)1 << 29) != 0);
      if (d > worst) worst = d;
      differ += d > 0, lines++;
   }
   if (fgets(b, sizeof b, g) || lines == 0) return 2;
   printf("%ld of %ld differ, by at most %llu units of the last place (%s)\n", differ, lines, (unsigned long long)worst, argv[3]);
   return worst > strtoull(argv[4], NULL, 10);
}
