/* Intensities that are known, for the judges: patterns are drawn from them and fits stand beside them. Include it after
   rivals.h, and make the clusters and the letter first: truths_make. */
#ifndef SNEPPP_TRUTHS_H
#define SNEPPP_TRUTHS_H

/* ---- the truths: a shape f(x) that need not have integral 1, and a bound of it. Boxes have side 1. */
static double bump(double square, double width) { return exp(-square / (2 * width * width)); }

static double sq(double x) { return x * x; }

static double truth_flat(const double *x) { return x[0] < 2; }

static double truth_smooth(const double *x) { return exp(1.5 * sin(4 * x[0]) * cos(3 * x[1])); }

static double truth_hill(const double *x)
{
   return 0.25 + bump(sq(x[0] - 0.35) + sq(0.8 * (x[1] - 0.6)), 0.24);
}

static double truth_gradient(const double *x) { return 0.2 + 1.2 * x[0] + 0.6 * x[1]; }

static double truth_step(const double *x) { return x[0] + 0.3 * x[1] < 0.6 ? 0.25 : 1; }

static double truth_plateau(const double *x) { return sq(x[0] - 0.45) + sq(x[1] - 0.55) < 0.09 ? 1 : 0.2; }

static double truth_ridge(const double *x) { return 0.05 + bump(sq(x[1] - 0.25 - 0.4 * x[0]), 0.025); }

static double truth_arc(const double *x)
{
   double r = sqrt(sq(x[0] - 0.2) + sq(x[1] - 0.2));
   return 0.03 + bump(sq(r - 0.55), 0.02) * (x[0] > 0.2 || x[1] > 0.2);
}

/* Twenty round clusters of equal weight, widths from 0.008 to 0.15, and a tenth of the events anywhere. */
enum { clusters = 20 };
static double cluster_x[clusters], cluster_y[clusters], cluster_width[clusters], cluster_height[clusters];

static void clusters_make(void)
{
   const rival_window square = { 0, 2, { 1, 1 } };
   sneppp_rng rng;
   sneppp_rng_init(&rng, 14, 1);
   for (int k = 0; k < clusters; k++) {
      double at[2];
      at[0] = cluster_x[k] = 0.08 + 0.84 * sneppp_rng_uniform(&rng);
      at[1] = cluster_y[k] = 0.08 + 0.84 * sneppp_rng_uniform(&rng);
      cluster_width[k] = 0.008 * pow(0.15 / 0.008, k / (clusters - 1.0));
      cluster_height[k] = 0.9 / clusters / rival_mass(&square, 0, at, cluster_width[k]);
   }
}

static double truth_clusters(const double *x)
{
   double sum = 0.1;
   for (int k = 0; k < clusters; k++)
      sum += cluster_height[k] * bump(sq(x[0] - cluster_x[k]) + sq(x[1] - cluster_y[k]), cluster_width[k]);
   return sum;
}

/* Drawn cluster by cluster: a bound would refuse almost everything. */
static void clusters_draw(sneppp_rng *rng, double *x)
{
   int k = (int)sneppp_rng_below(rng, clusters), anywhere = sneppp_rng_uniform(rng) < 0.1;
   do {
      x[0] = anywhere ? sneppp_rng_uniform(rng) : cluster_x[k] + cluster_width[k] * sneppp_rng_normal(rng);
      x[1] = anywhere ? sneppp_rng_uniform(rng) : cluster_y[k] + cluster_width[k] * sneppp_rng_normal(rng);
   } while (x[0] < 0 || x[0] > 1 || x[1] < 0 || x[1] > 1);
}

/* The letter of Baddeley et al. (2012) and Kim et al. (2022): 0.5 exp(5 - 3 d) on [0, 5]^2, here on the unit square, d
   the distance to the outline of the R of DejaVu Sans Bold. Points of a ring are corners where its kind is 1; where it
   is 2 they are middle points of quadratic curves, and two of these in a row have a corner halfway between them. Curves
   are 16 chords. */
enum { letter_most = 256 };
static double letter_segment[letter_most][4];
static int letter_segments;

static void letter_line(const double *from, const double *to)
{
   double *s = letter_segment[letter_segments++];
   for (int r = 0; r < 2; r++) {
      double shift = r ? 1.0513 : 0.9697;
      s[r] = (shift + 0.0019406 * from[r]) / 5;
      s[2 + r] = (shift + 0.0019406 * to[r]) / 5;
   }
}

static void letter_ring(int count, const double (*point)[2], const char *kind)
{
   double at[2] = { point[0][0], point[0][1] };
   for (int k = 1; k <= count; k++) {
      const double *p = point[k % count], *q = point[(k + 1) % count];
      double end[2] = { p[0], p[1] }, from[2] = { at[0], at[1] };
      if (kind[k % count] == '2') {
         int halfway = kind[(k + 1) % count] == '2';
         for (int r = 0; r < 2; r++) end[r] = halfway ? 0.5 * (p[r] + q[r]) : q[r];
         for (int i = 1; i <= 16; i++) {
            double t = i / 16.0, to[2];
            for (int r = 0; r < 2; r++)
               to[r] = (1 - t) * (1 - t) * at[r] + 2 * t * (1 - t) * p[r] + t * t * end[r];
            letter_line(from, to);
            memcpy(from, to, sizeof from);
         }
         k += !halfway;
      } else letter_line(at, end);
      memcpy(at, end, sizeof at);
   }
}

static void letter_make(void)
{
   static const double inner[][2] = { { 735, 831 },  { 856, 831 },  { 961, 921 },
                                      { 961, 1024 }, { 961, 1126 }, { 856, 1214 },
                                      { 735, 1214 }, { 573, 1214 }, { 573, 831 } };
   static const double outer[][2] = { { 573, 565 },  { 573, 0 },     { 188, 0 },     { 188, 1493 },
                                      { 776, 1493 }, { 1071, 1493 }, { 1346, 1295 }, { 1346, 1081 },
                                      { 1346, 933 }, { 1203, 743 },  { 1059, 698 },  { 1138, 680 },
                                      { 1263, 553 }, { 1327, 424 },  { 1536, 0 },    { 1126, 0 },
                                      { 944, 371 },  { 889, 483 },   { 776, 565 },   { 682, 565 } };
   letter_segments = 0;
   letter_ring(9, inner, "122122111");
   letter_ring(20, outer, "11111221221221111221");
}

static double truth_letter(const double *x)
{
   double nearest = 1e9;
   for (int k = 0; k < letter_segments; k++) {
      const double *s = letter_segment[k];
      double u = s[2] - s[0], v = s[3] - s[1], t = ((x[0] - s[0]) * u + (x[1] - s[1]) * v) / (u * u + v * v);
      t = fmin(fmax(t, 0), 1);
      nearest = fmin(nearest, sq(x[0] - s[0] - t * u) + sq(x[1] - s[1] - t * v));
   }
   return exp(-3 * 5 * sqrt(nearest));
}

static double truth_line(const double *x)
{
   return 0.15 + 0.5 * bump(sq(x[0] - 0.3), 0.05) + 0.4 * bump(sq(x[0] - 0.75), 0.12);
}

static double truth_sphere(const double *x)
{
   return 0.1 + 0.5 * bump(sq(0.6 * x[0] + 0.8 * x[2] - 0.3), 0.07) + bump(2 - 2 * x[1], 0.15) +
          0.5 * bump(2 + 2 * x[0], 0.6);
}

static double truth_space(const double *x)
{
   return 0.1 + bump(sq(x[0] - 0.35) + sq(x[1] - 0.4) + sq(x[2] - 0.6), 0.15) +
          0.5 * bump(sq(x[0] - 0.7) + sq(x[1] - 0.6), 0.1);
}

/* A place that wanders along the equator, and a profile in time. */
static double truth_sphere_time(const double *x)
{
   double angle = 2.5 * x[3], place = bump(2 - 2 * (x[0] * cos(angle) + x[1] * sin(angle)), 0.25);
   return (0.1 + place) * (0.6 + 0.4 * sin(6 * x[3]));
}

enum { kind_line, kind_plane, kind_space, kind_sphere, kind_sphere_time, kinds };
static const rival_window window_of[kinds] = {
   { 0, 1, { 1 } }, { 0, 2, { 1, 1 } }, { 0, 3, { 1, 1, 1 } }, { 1, 0, { 0 } }, { 1, 1, { 1 } }
};
typedef struct truth {
   const char *name;
   int kind;
   double (*shape)(const double *x);
   double bound;
   void (*draw)(sneppp_rng *rng, double *x); /* NULL: by thinning below the bound */
} truth;

static const truth truths[] = {
   { "flat", kind_plane, truth_flat, 1, NULL },
   { "smooth", kind_plane, truth_smooth, 4.5, NULL },
   { "hill", kind_plane, truth_hill, 1.25, NULL },
   { "gradient", kind_plane, truth_gradient, 2, NULL },
   { "step", kind_plane, truth_step, 1, NULL },
   { "plateau", kind_plane, truth_plateau, 1, NULL },
   { "ridge", kind_plane, truth_ridge, 1.05, NULL },
   { "arc", kind_plane, truth_arc, 1.03, NULL },
   { "clusters", kind_plane, truth_clusters, 0, clusters_draw },
   { "letter", kind_plane, truth_letter, 1, NULL },
   { "line", kind_line, truth_line, 1.05, NULL },
   { "sphere", kind_sphere, truth_sphere, 2.1, NULL },
   { "space", kind_space, truth_space, 1.6, NULL },
   { "sphere_time", kind_sphere_time, truth_sphere_time, 1.1, NULL },
};
enum { truth_count = sizeof truths / sizeof truths[0] };

static inline void truths_make(void)
{
   clusters_make();
   letter_make();
}

static inline int truth_named(const char *name, size_t length)
{
   for (int k = 0; k < truth_count; k++)
      if (strlen(truths[k].name) == length && !strncmp(truths[k].name, name, length)) return k;
   return -1;
}

/* A point of the truth: by thinning below its bound, or in its own way. */
static inline void truth_point(const truth *t, sneppp_rng *rng, double *x)
{
   static const sneppp_window sphere = {.space = SNEPPP_SPACE_SPHERE, .dim = 3};
   const rival_window *w = &window_of[t->kind];
   if (t->draw) {
      t->draw(rng, x);
      return;
   }
   do {
      if (w->sphere) sneppp_window_draw(&sphere, rng, x);
      for (int r = 0; r < w->box; r++) x[3 * w->sphere + r] = sneppp_rng_uniform(rng);
   } while (t->bound * sneppp_rng_uniform(rng) >= t->shape(x));
}
#endif
