/* The four patterns of the paper's tables, their splits, and what the paper published about them. Real events are scaled
   to the unit square, as there: bei and clmfires by their window; copper by the box around its events, beyond which its
   window reaches. The letter lies in [0, 5]^2. Include bench.h and csv.h first. */
#ifndef SNEPPP_PAPER_PATTERNS_H
#define SNEPPP_PAPER_PATTERNS_H

static const char *paper_folder = "../shared/data";
static const char *paper_path(const char *name)
{
   static char path[300];
   snprintf(path, sizeof path, "%s/%s", paper_folder, name);
   return path;
}

typedef struct pattern {
   const char *name, *file;
   double      lo[2], hi[2]; /* the box that becomes the square [0, side]^2, in the units of the file             */
   double      from[2], to[2]; /* the window; patterns_read scales it likewise                                    */
   double      side;
   int         width, mixture, steps; /* the paper's model, appendix D: features, components, steps of AdamW ...   */
   double      rate;                  /* ... and its learning rate, 0.0125 / area                                 */
   double      wave, constant;        /* what is not said there: deviation of the weights, share of the events with
                                         which a constant part begins, see paper.md                               */
   size_t      count;
   double     *x;            /* (count, 2) scaled; NULL for the letter, of which every split has its own           */
} pattern;

static pattern patterns[] = {
   { "letter", "letter_r_segments.csv", { 0, 0 }, { 5, 5 }, { 0, 0 }, { 5, 5 }, 5, 80, 4, 250, 0.0125 / 25, 1, 0, 0, NULL },
   { "bei", "bei.csv", { 0, 0 }, { 1000, 500 }, { 0, 0 }, { 1000, 500 }, 1, 200, 2, 600, 0.0125, 40, 0.1, 0, NULL },
   { "clmfires", "clmfires.csv", { 180, 60 }, { 330, 360 }, { 180, 60 }, { 330, 360 }, 1, 200, 2, 600, 0.0125, 40, 0.1, 0, NULL },
   { "copper", "copper.csv", { 1.54, 9.6 }, { 53.73, 152.9 }, { -0.335, 0.19 }, { 70.11, 158.233 }, 1, 200, 2, 600, 0.0125, 20, 0.1, 0, NULL },
};
enum { pattern_count = sizeof patterns / sizeof patterns[0] };

/* ---- the letter: lambda = 0.5 exp(5 - 3 d), d the distance from 203 segments */
enum { letter_most_segments = 256 };
static double paper_segment[letter_most_segments][4];
static size_t paper_segments;

static double paper_letter(const double *x)
{
   double nearest = 1e9;
   for (size_t k = 0; k < paper_segments; k++) {
      const double *s = paper_segment[k];
      double u = s[2] - s[0], v = s[3] - s[1], t = ((x[0] - s[0]) * u + (x[1] - s[1]) * v) / (u * u + v * v), a, b;
      t = fmin(fmax(t, 0), 1);
      a = x[0] - s[0] - t * u, b = x[1] - s[1] - t * v;
      nearest = fmin(nearest, a * a + b * b);
   }
   return 0.5 * exp(5 - 3 * sqrt(nearest));
}

static void patterns_read(void)
{
   for (int k = 0; k < pattern_count; k++) {
      pattern  *p = &patterns[k];
      csv_table t;
      bench_check(csv_read(&t, paper_path(p->file)), "%s", t.error);
      if (k == 0) {
         bench_check(t.rows <= letter_most_segments, "the letter has too many segments");
         paper_segments = t.rows;
         memcpy(paper_segment, t.value, t.rows * 4 * sizeof(double));
      } else {
         p->count = t.rows;
         p->x = (double *)bench_take(2 * t.rows, sizeof *p->x);
         for (size_t i = 0; i < 2 * t.rows; i++)
            p->x[i] = (t.value[i / 2 * (size_t)t.columns + i % 2] - p->lo[i % 2]) / (p->hi[i % 2] - p->lo[i % 2]);
      }
      for (int r = 0; r < 2; r++) {
         double unit = p->side / (p->hi[r] - p->lo[r]);
         p->from[r] = (p->from[r] - p->lo[r]) * unit, p->to[r] = (p->to[r] - p->lo[r]) * unit;
      }
      csv_free(&t);
   }
}

/* ---- a split: every event is for training with probability 0.8 */
typedef struct split {
   double *train, *test; /* (trains, 2), (tests, 2) */
   size_t  trains, tests;
} split;

static split split_make(const pattern *p, int number)
{
   split          s = { NULL, NULL, 0, 0 };
   size_t         count = p->count;
   double        *x = p->x, *drawn = NULL;
   unsigned char *keep;
   if (!x) { /* a letter of its own, by thinning a uniform pattern */
      const double top = 0.5 * exp(5);
      sneppp_rng   rng;
      size_t       tries;
      sneppp_rng_init(&rng, (uint64_t)number, 500);
      tries = (size_t)sneppp_rng_poisson(&rng, 25 * top);
      x = drawn = (double *)bench_take(2 * tries, sizeof *x);
      for (count = 0; tries-- > 0;) {
         double at[2];
         at[0] = 5 * sneppp_rng_uniform(&rng), at[1] = 5 * sneppp_rng_uniform(&rng);
         if (top * sneppp_rng_uniform(&rng) < paper_letter(at)) memcpy(x + 2 * count++, at, sizeof at);
      }
   }
   keep = (unsigned char *)bench_take(count, 1);
   s.train = (double *)bench_take(2 * count, sizeof *x), s.test = (double *)bench_take(2 * count, sizeof *x);
   sneppp_thin(count, 0.8, (uint64_t)number, keep);
   for (size_t i = 0; i < count; i++) memcpy(keep[i] ? s.train + 2 * s.trains++ : s.test + 2 * s.tests++, x + 2 * i, 2 * sizeof *x);
   free(keep), free(drawn);
   return s;
}

static void split_free(split *s) { free(s->train), free(s->test); }
#endif
