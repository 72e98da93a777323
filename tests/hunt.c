/* The hunter: draws random valid programs from everything that the header offers, runs each in a process of its own
   under the sanitizers, and checks after each call what must always hold. A failure prints its seed and a shortened C
   program.

      make hunt HUNT_SECONDS=120 HUNT_SEED=1 [HUNT_REAL=float]
      build/hunt/double/hunt --seed 17 --one          runs the program of that seed alone, and shortens it if it fails
      build/hunt/double/hunt --seed 17 --print        writes it as C
      --seconds S, --programs N   when to stop         --out DIR   where child.txt and the shortened programs go
      --no-shrink                 only seeds           --list      a line per failing program

   hunt/plan.h draws programs as rows of small numbers, hunt/world.h makes windows and events of them, hunt/checks.h and
   hunt/ops.h run and check them, hunt/print.h writes them as C, hunt/twin.c is the library in the other precision. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#define SNEPPP_PTHREADS
#include <time.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <fcntl.h>
#include "hunt/print.h"

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
   return "detect_leaks=0:allocator_may_return_null=1:abort_on_error=0:exitcode=9:handle_segv=1";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "print_stacktrace=1:exitcode=9"; }

static char child_text[300];
static const char *out_dir = "build/hunt";

static double wall(void)
{
   struct timespec t;
   clock_gettime(CLOCK_MONOTONIC, &t);
   return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Names what ended a child: a finding of its own, a sanitizer's summary, the limit of time, another signal. */
static void name_end(int status, char *name, size_t size)
{
   if (WIFEXITED(status) && WEXITSTATUS(status) == 7) {
      snprintf(name, size, "%s", told->check);
      return;
   }
   if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) {
      snprintf(name, size, "no end in %s", told->op < 0 ? "init" : "a call");
      snprintf(told->words, sizeof told->words, "%s took more processor time than it may",
               told->op < 0 ? "init" : op_names[w.p.op[told->op].kind]);
      return;
   }
   snprintf(name, size, "ended by %s %d", WIFSIGNALED(status) ? "signal" : "exit",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
   told->words[0] = 0;
   {
      FILE *f = fopen(child_text, "r");
      char line[400];
      while (f && fgets(line, sizeof line, f)) {
         char *at = strstr(line, "SUMMARY: "), *in;
         if (!at && !(at = strstr(line, "runtime error: "))) continue;
         line[strcspn(line, "\n")] = 0;
         in = strstr(at, " in ");
         if (strstr(line, "SUMMARY: ") && in) snprintf(name, size, "%.40s", in + 4); /* the function */
         snprintf(told->words, sizeof told->words, "%s", at);
      }
      if (f) fclose(f);
   }
}

/* Runs plans in a child until one fails or the time is over; with one plan, only that. Returns the wait status. */
static int in_child(const plan *one, uint64_t *seed, uint64_t end, double until)
{
   pid_t pid;
   int status = 0;
   fflush(stdout);
   pid = fork();
   if (pid == 0) {
      int fd = open(child_text, O_CREAT | O_TRUNC | O_WRONLY, 0644);
      if (fd >= 0) dup2(fd, 2);
      if (one) {
         run_program(one);
         _exit(0);
      }
      for (int k = 0; k < 200 && *seed < end && wall() < until; k++, ++*seed) {
         plan p;
         told->seed = *seed;
         draw_plan(*seed, &p);
         run_program(&p);
         told->programs++;
      }
      _exit(0);
   }
   if (pid < 0) {
      perror("fork");
      exit(2);
   }
   while (waitpid(pid, &status, 0) < 0) {}
   return status;
}

static int fails_alike(const plan *p, const char *name)
{
   char now[64];
   int status = in_child(p, NULL, 0, 0);
   if (WIFEXITED(status) && !WEXITSTATUS(status)) return 0;
   w.p = *p;
   name_end(status, now, sizeof now);
   return !strcmp(now, name);
}

/* Tries 0, then half, then one less for each number, as long as the same failure stays. */
static int shrink(plan *p, const char *name, double seconds)
{
   int *number = &p->sequence, count = (int)((sizeof *p - offsetof(plan, sequence)) / sizeof(int)),
       changed = 1, tries = 0;
   double until = wall() + seconds;
   shared *keep = (shared *)malloc(sizeof *keep);
   *keep = *told; /* what is tried here is not what was drawn */
   for (int pass = 0; changed && pass < 4; pass++) {
      changed = 0;
      for (int k = HUNT_OPS - 1; k >= 0 && wall() < until; k--) { /* whole calls first */
         plan q = *p;
         if (!q.op[k].kind) continue;
         memset(&q.op[k], 0, sizeof q.op[k]);
         tries++;
         if (fails_alike(&q, name)) *p = q, changed = 1;
      }
      for (int i = 0; i < count && wall() < until; i++) {
         int was = number[i], to[3];
         to[0] = 0, to[1] = was / 2, to[2] = was > 0 ? was - 1 : was + 1;
         for (int k = 0; was && k < 3; k++) {
            plan q = *p;
            if (to[k] == was || (k && to[k] == 0)) continue;
            (&q.sequence)[i] = to[k];
            tries++;
            if (fails_alike(&q, name)) {
               *p = q, changed = 1;
               break;
            }
         }
      }
   }
   *told = *keep;
   free(keep);
   return tries;
}

static void write_program(const plan *p, const char *path, const char *name, const char *words)
{
   pid_t pid;
   fflush(stdout);
   pid = fork();
   if (pid == 0) {
      FILE *f = path ? fopen(path, "w") : stdout;
      if (f) print_program(f, p, name, words), fflush(f);
      _exit(0);
   }
   if (pid > 0) waitpid(pid, NULL, 0);
}

static void table(const char *title, const char *const *names, const tally *t, int count)
{
   printf("%s\n", title);
   for (int k = 0; k < count; k++) {
      if (!names[k]) continue;
      printf("   %-32s %8u", names[k], t[k].drawn);
      if (t[k].refused)
         printf("   refused %u%s", t[k].refused, t[k].refused == t[k].drawn ? "   ALWAYS" : "");
      printf("%s\n", t[k].drawn ? "" : "   NEVER");
   }
}

int main(int argc, char **argv)
{
   double seconds = 60, start = wall();
   uint64_t seed = 1, first, last = UINT64_MAX, *next;
   int one = 0, print = 0, can_shrink = 1, list = 0, failed = 0, kinds = 0;
   struct {
      char name[64];
      int count;
      uint64_t seed;
      char words[512];
   } kind[100];
   const char *names[SEQUENCES];
   for (int i = 1; i < argc; i++) {
      if (!strcmp(argv[i], "--seconds") && i + 1 < argc) seconds = atof(argv[++i]);
      else if (!strcmp(argv[i], "--seed") && i + 1 < argc) seed = strtoull(argv[++i], NULL, 10);
      else if (!strcmp(argv[i], "--programs") && i + 1 < argc) last = strtoull(argv[++i], NULL, 10);
      else if (!strcmp(argv[i], "--out") && i + 1 < argc) out_dir = argv[++i];
      else if (!strcmp(argv[i], "--one")) one = 1;
      else if (!strcmp(argv[i], "--print")) print = 1;
      else if (!strcmp(argv[i], "--no-shrink")) can_shrink = 0;
      else if (!strcmp(argv[i], "--list")) list = 1;
      else {
         fprintf(stderr, "hunt: unknown option %s\n", argv[i]);
         return 2;
      }
   }
   told = (shared *)mmap(NULL, sizeof *told + sizeof *next, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   if (told == MAP_FAILED) {
      perror("mmap");
      return 2;
   }
   next = (uint64_t *)(void *)(told + 1);
   snprintf(child_text, sizeof child_text, "%s/child.txt", out_dir);
   if (print || one) last = 1; /* the seed of a program, as a finding gives it */
   else seed *= 1000003;       /* that of a hunt: different hunts do not overlap */
   first = seed;
   if (print) {
      plan p;
      draw_plan(seed, &p);
      write_program(&p, NULL, "as drawn", "");
      return 0;
   }
   last = last > UINT64_MAX - first ? UINT64_MAX : first + last;
   printf("hunt: %s, programs from %llu on\n", sizeof(sneppp_real) == 4 ? "float" : "double",
          (unsigned long long)first);
   for (*next = first; *next < last && (one || wall() - start < seconds);) {
      int status = in_child(NULL, next, last, one ? wall() + 1e9 : start + seconds), k;
      char name[64], words[512], path[400];
      plan p;
      if (WIFEXITED(status) && !WEXITSTATUS(status)) continue;
      seed = (*next)++;
      failed++;
      draw_plan(seed, &p);
      w.p = p;
      name_end(status, name, sizeof name);
      memcpy(words, told->words, sizeof words);
      if (list) printf("   seed %llu: %s: %s\n", (unsigned long long)seed, name, words);
      for (k = 0; k < kinds && strcmp(kind[k].name, name); k++) {}
      if (k < kinds) {
         kind[k].count++;
         continue;
      }
      if (kinds < 100) {
         strcpy(kind[kinds].name, name), memcpy(kind[kinds].words, words, sizeof words);
         kind[kinds].count = 1, kind[kinds++].seed = seed;
      }
      printf("\nFOUND %s\n   seed %llu: %s\n", name, (unsigned long long)seed, words);
      if (told->op >= 0) printf("   in call %d: %s\n", told->op, op_names[p.op[told->op].kind]);
      if (can_shrink) {
         int tries = shrink(&p, name, one ? 300 : fmin(40, 0.2 * seconds));
         int sure = fails_alike(&p, name);
         memcpy(words, told->words, sizeof words);
         snprintf(path, sizeof path, "%s/finding-%llu.c", out_dir, (unsigned long long)seed);
         write_program(&p, path, name, words);
         printf("   shortened by %d runs%s, as C in %s\n   %s\n", tries, sure ? "" : " (and no longer sure)",
                path, words);
         if (one) write_program(&p, NULL, name, words);
      }
   }
   printf("\ndrawn, and refused when the model was made or by the call itself:\n");
   table("spaces", space_names, told->space, SNEPPP_SPACE_END);
   table("activations (ACT_DEFAULT counts as what it stands for; ONE is in mixed layers only)", act_names + 1,
         told->act + 1, SNEPPP_ACT_END - 2);
   table("mixes of several factors", mix_names, told->mix, SNEPPP_MIX_END);
   {
      static const char *const readouts[2] = { "FULL", "DIAGONAL" };
      table("readouts", readouts, told->readout, 2);
   }
   table("features", feature_names, told->feature, 16);
   table("calls", op_names + 1, told->kind + 1, OP_END - 1);
   for (int k = 0; k < SEQUENCES; k++) names[k] = sequences[k].name;
   table("sequences", names, told->sequence, SEQUENCES);
   printf("processor seconds under the sanitizers: all, and the longest call\n");
   printf("   %-32s %8.1f\n", "models, checks between calls", told->spent[0]);
   for (int k = 1; k < OP_END; k++)
      printf("   %-32s %8.1f %8.2f   seed %llu\n", op_names[k], told->spent[k], told->longest[k],
             (unsigned long long)told->longest_seed[k]);
   printf("reasons of refusals\n");
   for (unsigned k = 0; k < told->reasons; k++)
      printf("   %6u  %s  (seed %llu)\n", told->reason[k].count, told->reason[k].why,
             (unsigned long long)told->reason[k].seed);
   printf("%lu programs, %lu calls, %lu checks, %lu undecided, %.0f programs a minute\n", told->programs,
          told->calls, told->checks, told->undecided,
          60 * (double)(told->programs + (unsigned long)failed) / (wall() - start));
   for (int k = 0; k < kinds; k++)
      printf("%5d x %s (seed %llu: %s)\n", kind[k].count, kind[k].name, (unsigned long long)kind[k].seed,
             kind[k].words);
   printf("%lu passed, %d failed\n", told->programs, failed);
   return failed != 0;
}
