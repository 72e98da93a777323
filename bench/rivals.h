/* Four classical estimates of an intensity, plain and slow, to be compared with: a kernel estimate of one width, an
   adaptive one, a log-linear model of degree 4 and penalised splines. Include bench.h first. Each is a lesson in a
   page; rival_check compares every one with an answer that was found in another way, and programs call it first.

   Windows are a box from 0 to side, a sphere, or both: events have the sphere's unit vector first. */
#ifndef SNEPPP_RIVALS_H
#define SNEPPP_RIVALS_H

#define RIVAL_PI 3.14159265358979323846
enum { rival_most = 4, rival_levels = 22 };

typedef struct rival_window {
   int sphere;              /* 1: coordinates 0, 1, 2 are a unit vector                                */
   int box;                 /* number of coordinates of the box after them                             */
   double side[rival_most]; /* (box) its lengths                                                       */
} rival_window;

static inline int rival_dim(const rival_window *win) { return 3 * win->sphere + win->box; }

static inline double rival_measure(const rival_window *win)
{
   double mass = win->sphere ? 4 * RIVAL_PI : 1;
   for (int r = 0; r < win->box; r++) mass *= win->side[r];
   return mass;
}

/* Points x (count, dim) of equal weight that fill the window: midpoints in the box, side of them along every axis,
   times a spherical Fibonacci lattice of so many points. The caller frees x. */
static inline double *rival_nodes(const rival_window *win, int lattice, int side, size_t *count,
                                  double *weight)
{
   int d = rival_dim(win);
   size_t cells = 1, on_sphere = win->sphere ? (size_t)lattice : 1;
   double *x;
   for (int r = 0; r < win->box; r++) cells *= (size_t)side;
   *count = cells * on_sphere;
   *weight = rival_measure(win) / (double)*count;
   x = (double *)bench_take(*count * (size_t)d, sizeof *x);
   for (size_t s = 0; s < on_sphere; s++)
      for (size_t c = 0; c < cells; c++) {
         double *p = x + (s * cells + c) * (size_t)d;
         size_t rest = c;
         if (win->sphere) {
            double z = 1 - (2 * (double)s + 1) / (double)on_sphere, across = sqrt(1 - z * z);
            double angle = RIVAL_PI * (3 - sqrt(5)) * (double)s;
            p[0] = across * cos(angle), p[1] = across * sin(angle), p[2] = z;
            p += 3;
         }
         for (int r = 0; r < win->box; r++, rest /= (size_t)side)
            p[r] = win->side[r] * ((double)(rest % (size_t)side) + 0.5) / side;
      }
   return x;
}

/* ---- kernel estimates: lambda(x) = sum_j k_j(x) / (mass of k_j in the window), k_j(x) = exp(-|x - x_j|^2/(2 h_j^2)).
   Divided by its mass in the window, every event counts as one: the edge correction, and the integral is the number of
   events. On the sphere |x - x_j|^2 = 2 - 2 cos, so that k is the Fisher density with concentration 1/h^2. A sphere
   times a box has two widths, h[0] and h[1]; otherwise only h[0] is used. */
typedef struct rival_kernel {
   const rival_window *win;
   const double *x; /* (count, dim) events, the caller's                          */
   size_t count;
   double h[2];     /* widths that were chosen                                    */
   double score;    /* their leave-one-out log-likelihood                         */
   double *stretch; /* (count) h_j = h stretch_j; all 1 for the kernel of one width */
   double *share;   /* (count) 1 / mass of k_j in the window                      */
} rival_kernel;

static inline int rival_parts(const rival_window *win) { return win->sphere && win->box ? 2 : 1; }

/* Mass of part 0 or 1 of a kernel around x. */
static inline double rival_mass(const rival_window *win, int part, const double *x, double h)
{
   double mass = 1;
   if (win->sphere && part == 0) return 2 * RIVAL_PI * h * h * -expm1(-2 / (h * h));
   x += win->sphere ? 3 : 0;
   for (int r = 0; r < win->box; r++)
      mass *=
         h * sqrt(RIVAL_PI / 2) * (erf(x[r] / (h * sqrt(2))) + erf((win->side[r] - x[r]) / (h * sqrt(2))));
   return mass;
}

/* Squared distances of the two parts. */
static inline void rival_apart(const rival_window *win, const double *x, const double *y, double *square)
{
   int d = rival_dim(win), first = rival_parts(win) == 2 ? 3 : d;
   square[0] = square[1] = 0;
   for (int r = 0; r < d; r++) square[r >= first] += (x[r] - y[r]) * (x[r] - y[r]);
}

static inline void rival_kernel_at(const rival_kernel *k, const double *x, size_t count, double *out)
{
   int d = rival_dim(k->win);
   const double a = 0.5 / (k->h[0] * k->h[0]), b = 0.5 / (k->h[1] * k->h[1]);
   for (size_t i = 0; i < count; i++) {
      double sum = 0, square[2];
      for (size_t j = 0; j < k->count; j++) {
         double z;
         rival_apart(k->win, x + i * (size_t)d, k->x + j * (size_t)d, square);
         z = (a * square[0] + b * square[1]) / (k->stretch[j] * k->stretch[j]);
         if (z < 690) sum += k->share[j] * exp(-z);
      }
      out[i] = sum;
   }
}

/* The same at all of rival_nodes, faster: a Gaussian in a box is a product over axes, so that an event needs an exp
   for each midpoint of an axis and each point of the lattice only. Factors below 1e-150 are 0. */
static inline void rival_kernel_nodes(const rival_kernel *k, int lattice, int side, double *out)
{
   const rival_window *win = k->win;
   const int parts = rival_parts(win);
   const size_t d = (size_t)rival_dim(win), on_sphere = win->sphere ? (size_t)lattice : 1;
   size_t cells = 1, count;
   double weight, *x = rival_nodes(win, lattice, side, &count, &weight), *box;
   for (int r = 0; r < win->box; r++) cells *= (size_t)side;
   box = (double *)bench_take(cells, sizeof *box);
   memset(out, 0, count * sizeof *out);
   for (size_t j = 0; j < k->count; j++) {
      const double *at = k->x + j * d + (win->sphere ? 3 : 0), h = k->h[parts - 1] * k->stretch[j],
                   g = k->h[0] * k->stretch[j];
      size_t filled = 1;
      box[0] = k->share[j];
      for (int r = 0; r < win->box; r++, filled *= (size_t)side) /* backwards: box[0] is needed to the end */
         for (int i = side; i-- > 0;) {
            double u = (win->side[r] * (i + 0.5) / side - at[r]) / h, e = u * u < 690 ? exp(-0.5 * u * u) : 0;
            for (size_t c = 0; c < filled; c++) box[(size_t)i * filled + c] = e * box[c];
         }
      for (size_t s = 0; s < on_sphere; s++) {
         double e = 1, square = 0;
         for (int r = 0; r < 3 && win->sphere; r++)
            square += pow(x[s * cells * d + (size_t)r] - k->x[j * d + (size_t)r], 2);
         if (win->sphere) e = square < 690 * g * g ? exp(-0.5 * square / (g * g)) : 0;
         if (e > 0)
            for (size_t c = 0; c < cells; c++) out[s * cells + c] += e * box[c];
      }
   }
   free(x), free(box);
}

static inline void rival_kernel_set(rival_kernel *k, double h0, double h1)
{
   k->h[0] = h0, k->h[1] = h1;
   for (size_t j = 0; j < k->count; j++) {
      const double *x = k->x + j * (size_t)rival_dim(k->win);
      k->share[j] = 1 / rival_mass(k->win, 0, x, h0 * k->stretch[j]);
      if (rival_parts(k->win) == 2) k->share[j] /= rival_mass(k->win, 1, x, h1 * k->stretch[j]);
   }
}

/* Leave-one-out log-likelihoods sum_i log lambda_{-i}(x_i) of all widths h_a = top 2^(-a/2) at once, (levels) or in two
   parts (levels, levels): the kernel of the next level is the square of this one. */
static inline void rival_ladder(const rival_kernel *k, double top, double *score)
{
   enum { most = rival_levels * rival_levels };
   const int d = rival_dim(k->win), parts = rival_parts(k->win), deep = parts == 2 ? rival_levels : 1;
   double *share = (double *)bench_take(k->count * 2 * rival_levels, sizeof *share);
   for (size_t j = 0; j < k->count; j++)
      for (int part = 0; part < 2; part++)
         for (int a = 0; a < rival_levels; a++)
            share[(2 * j + (size_t)part) * rival_levels + (size_t)a] =
               part < parts ? 1 / rival_mass(k->win, part, k->x + j * (size_t)d,
                                             top * pow(0.5, 0.5 * a) * k->stretch[j])
                            : 1;
   for (int a = 0; a < rival_levels * deep; a++) score[a] = 0;
   for (size_t i = 0; i < k->count; i++) {
      double sum[most] = { 0 };
      for (size_t j = 0; j < k->count; j++) {
         const double *first = share + 2 * j * rival_levels, *second = first + rival_levels;
         double square[2], half = 0.5 / (top * top * k->stretch[j] * k->stretch[j]), e, other[rival_levels],
                           f;
         if (j == i) continue;
         rival_apart(k->win, k->x + i * (size_t)d, k->x + j * (size_t)d, square);
         if (half * square[0] > 690 || half * square[1] > 690) continue;
         e = exp(-half * square[0]);
         if (parts == 1) { /* below 1e-150 the square is no normal number, and nobody misses it */
            for (int a = 0; a < rival_levels && e > 1e-150; a++, e *= e) sum[a] += e * first[a];
            continue;
         }
         f = exp(-half * square[1]);
         for (int b = 0; b<rival_levels; b++, f = f> 1e-75 ? f * f : 0) other[b] = f * second[b];
         for (int a = 0; a < rival_levels && e > 1e-75; a++, e *= e)
            for (int b = 0; b < rival_levels; b++) sum[a * rival_levels + b] += e * first[a] * other[b];
      }
      for (int a = 0; a < rival_levels * deep; a++) score[a] += log(fmax(sum[a], 1e-300));
   }
   free(share);
}

/* Where a parabola through three values at -1, 0, 1 is largest, if the middle one is the largest of them. */
static inline double rival_vertex(double before, double here, double after)
{
   double bend = before - 2 * here + after;
   return bend < 0 ? 0.5 * (before - after) / bend : 0;
}

/* The widths of the best leave-one-out likelihood: the best level, then a parabola in log h. */
static inline void rival_kernel_choose(rival_kernel *k)
{
   const int deep = rival_parts(k->win) == 2 ? rival_levels : 1;
   double score[rival_levels * rival_levels], top = 2, shift[2] = { 0, 0 };
   int best = 0, at[2];
   for (int r = 0; r < k->win->box; r++) top = fmax(top, 4 * k->win->side[r]);
   rival_ladder(k, top, score);
   for (int a = 0; a < rival_levels * deep; a++)
      if (score[a] > score[best]) best = a;
   at[0] = best / deep, at[1] = best % deep;
   if (at[0] > 0 && at[0] < rival_levels - 1)
      shift[0] = rival_vertex(score[best - deep], score[best], score[best + deep]);
   if (at[1] > 0 && at[1] < deep - 1) shift[1] = rival_vertex(score[best - 1], score[best], score[best + 1]);
   k->score = score[best];
   rival_kernel_set(k, top * pow(0.5, 0.5 * (at[0] + shift[0])), top * pow(0.5, 0.5 * (at[1] + shift[1])));
}

static inline void rival_kernel_make(rival_kernel *k, const rival_window *win, const double *x, size_t count)
{
   memset(k, 0, sizeof *k);
   k->win = win, k->x = x, k->count = count;
   k->stretch = (double *)bench_take(count, sizeof *k->stretch);
   k->share = (double *)bench_take(count, sizeof *k->share);
   for (size_t j = 0; j < count; j++) k->stretch[j] = 1;
}

static inline void rival_kernel_free(rival_kernel *k)
{
   free(k->stretch);
   free(k->share);
}

/* Abramson: widths in proportion to 1/sqrt(pilot at the event), relative to their geometric mean and at most a factor
   of 5 from it; the pilot is the kernel of one width. The common factor h is chosen by leave-one-out likelihood again.
   The stretches themselves have seen every event, as they have in other programs. */
static inline void rival_adaptive(rival_kernel *k, const rival_kernel *pilot)
{
   double *at = (double *)bench_take(k->count, sizeof *at), mean = 0;
   rival_kernel_at(pilot, k->x, k->count, at);
   for (size_t j = 0; j < k->count; j++) mean += log(at[j]) / (double)k->count;
   for (size_t j = 0; j < k->count; j++) k->stretch[j] = fmin(fmax(exp(0.5 * (mean - log(at[j]))), 0.2), 5);
   free(at);
   rival_kernel_choose(k);
}

/* ---- log-linear models: log lambda = sum_k beta_k B_k(x), fitted by penalised likelihood,
      F(beta) = -sum_i B(x_i)'beta + integral exp(B'beta) + beta'P beta/2,
   with Newton's method; the integral is a sum over nodes. Matrices are symmetric and have a band: entry (i, j) with
   i - band <= j <= i is at i (band + 1) + i - j. */
typedef struct rival_basis {
   int size, band, most; /* functions; how far indices that meet are apart; most that are not 0 at a point */
   int from_zero;        /* 1: function 0 is the constant 1; 0: all functions add up to 1                  */
   const rival_window *win;
   int degree, knots; /* polynomials of this degree, or so many splines along an axis                   */
   int (*at)(const struct rival_basis *basis, const double *x, int *index,
             double *value); /* returns how many */
} rival_basis;

/* All polynomials of total degree <= degree: products of Legendre polynomials in the box and, on the sphere, of
   monomials x^a y^b z^c with c <= 1, because z^2 = 1 - x^2 - y^2 is nothing new. */
static inline int rival_polynomials(const rival_basis *basis, const double *x, int *index, double *value)
{
   const rival_window *win = basis->win;
   const int d = rival_dim(win), g = basis->degree;
   double p[rival_most][8];
   int power[rival_most] = { 0 }, count = 0, total = 0;
   for (int r = 0; r < d; r++) {
      int on_sphere = win->sphere && r < 3;
      double u = on_sphere ? x[r] : 2 * x[r] / win->side[r - 3 * win->sphere] - 1;
      p[r][0] = 1, p[r][1] = u;
      for (int k = 1; k < g; k++)
         p[r][k + 1] = on_sphere ? u * p[r][k] : ((2 * k + 1) * u * p[r][k] - k * p[r][k - 1]) / (k + 1);
   }
   for (;;) { /* count through all powers whose sum is at most g */
      int r = 0;
      if (!win->sphere || power[2] < 2) {
         value[count] = 1;
         for (int s = 0; s < d; s++) value[count] *= p[s][power[s]];
         index[count] = count;
         count++;
      }
      power[0]++, total++;
      while (total > g) {
         total -= power[r];
         power[r++] = 0;
         if (r == d) return count;
         power[r]++, total++;
      }
   }
}

static inline rival_basis rival_quartic(const rival_window *win, int degree)
{
   rival_basis b = { 0 };
   int index[128];
   double value[128], x[rival_most] = { 0 };
   b.win = win, b.degree = degree, b.from_zero = 1, b.at = rival_polynomials;
   b.size = b.most = rival_polynomials(&b, x, index, value);
   b.band = b.size - 1;
   return b;
}

/* Products of cubic B-splines on equal knots, of which four are not 0 at a point of each axis. Boxes only. */
static inline int rival_splines(const rival_basis *basis, const double *x, int *index, double *value)
{
   int count = 1;
   index[0] = 0, value[0] = 1;
   for (int r = 0; r < basis->win->box; r++) {
      double u = x[r] / basis->win->side[r] * (basis->knots - 3), t, v[4];
      int cell = (int)u;
      if (cell > basis->knots - 4) cell = basis->knots - 4;
      t = u - cell;
      v[0] = (1 - t) * (1 - t) * (1 - t) / 6;
      v[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
      v[2] = (3 * t * (1 + t - t * t) + 1) / 6;
      v[3] = t * t * t / 6;
      for (int k = count;
           k-- > 0;) /* indices stay in increasing order, and nothing is overwritten before it is used */
         for (int s = 4; s-- > 0;) {
            index[4 * k + s] = index[k] * basis->knots + cell + s;
            value[4 * k + s] = value[k] * v[s];
         }
      count *= 4;
   }
   return count;
}

static inline rival_basis rival_spline(const rival_window *win, int knots)
{
   rival_basis b = { 0 };
   b.win = win, b.knots = knots, b.size = b.most = 1, b.at = rival_splines;
   for (int r = 0; r < win->box; r++) {
      b.size *= knots;
      b.most *= 4;
      b.band = b.band * knots + 3;
   }
   return b;
}

/* The difference penalty |D_2 beta|^2 along every axis, D_2 = second differences of neighbouring coefficients. What it
   leaves free is linear along every axis: 2^box functions. */
static inline void rival_differences(const rival_basis *b, double *S)
{
   const double second[3] = { 1, -2, 1 };
   memset(S, 0, (size_t)b->size * (size_t)(b->band + 1) * sizeof *S);
   for (int r = 0, step = 1; r < b->win->box; r++, step *= b->knots)
      for (int i = 0; i < b->size; i++) {
         if (i / step % b->knots > b->knots - 3) continue;
         for (int p = 0; p < 3; p++)
            for (int q = 0; q <= p; q++)
               S[(i + p * step) * (b->band + 1) + (p - q) * step] += second[p] * second[q];
      }
}

/* A = L L' in place; returns log det A, or NaN if A is not positive. */
static inline double rival_cholesky(double *A, int n, int band)
{
   double det = 0;
   for (int i = 0; i < n; i++) {
      int from = i > band ? i - band : 0;
      double *row = A + (size_t)i * (size_t)(band + 1);
      for (int j = from; j <= i; j++) {
         const double *other = A + (size_t)j * (size_t)(band + 1);
         int k = j > band ? j - band : 0;
         double s = row[i - j];
         for (k = k > from ? k : from; k < j; k++) s -= row[i - k] * other[j - k];
         if (j < i) row[i - j] = s / other[0];
         else if (!(s > 0)) return NAN;
         else row[0] = sqrt(s);
      }
      det += 2 * log(row[0]);
   }
   return det;
}

static inline void rival_solve(const double *L, int n, int band, double *x)
{
   for (int i = 0; i < n; i++) {
      for (int k = i > band ? i - band : 0; k < i; k++) x[i] -= L[i * (band + 1) + i - k] * x[k];
      x[i] /= L[i * (band + 1)];
   }
   for (int i = n; i-- > 0;) {
      x[i] /= L[i * (band + 1)];
      for (int k = i > band ? i - band : 0; k < i; k++) x[k] -= L[i * (band + 1) + i - k] * x[i];
   }
}

/* The basis at all nodes, once. */
typedef struct rival_table {
   const rival_basis *basis;
   size_t nodes;
   double weight;
   int *index;    /* (nodes, most) */
   double *value; /* (nodes, most) */
   double *sum;   /* (size) of B over the events */
   double count;
   double *S; /* (size, band + 1) the penalty, NULL = none */
} rival_table;

static inline void rival_table_make(rival_table *t, const rival_basis *basis, int lattice, int side,
                                    const double *events, size_t count)
{
   const size_t d = (size_t)rival_dim(basis->win), most = (size_t)basis->most;
   int index[256];
   double value[256], *x;
   bench_check(basis->most <= 256, "the basis has too many functions at a point");
   memset(t, 0, sizeof *t);
   t->basis = basis, t->count = (double)count;
   x = rival_nodes(basis->win, lattice, side, &t->nodes, &t->weight);
   t->index = (int *)bench_take(t->nodes * most, sizeof *t->index);
   t->value = (double *)bench_take(t->nodes * most, sizeof *t->value);
   t->sum = (double *)bench_take((size_t)basis->size, sizeof *t->sum);
   for (size_t i = 0; i < t->nodes; i++)
      basis->at(basis, x + i * d, t->index + i * most, t->value + i * most);
   for (size_t i = 0; i < count; i++) {
      basis->at(basis, events + i * d, index, value);
      for (int k = 0; k < basis->most; k++) t->sum[index[k]] += value[k];
   }
   free(x);
}

static inline void rival_table_free(rival_table *t)
{
   free(t->index);
   free(t->value);
   free(t->sum);
   free(t->S);
}

/* F and, where H is given, its gradient g and Hessian H. */
static inline double rival_objective(const rival_table *t, double penalty, const double *beta, double *g,
                                     double *H)
{
   const int n = t->basis->size, band = t->basis->band, most = t->basis->most;
   double F = 0;
   for (int i = 0; i < n; i++) F -= t->sum[i] * beta[i];
   if (H) {
      memset(H, 0, (size_t)n * (size_t)(band + 1) * sizeof *H);
      for (int i = 0; i < n; i++) g[i] = -t->sum[i];
   }
   for (size_t node = 0; node < t->nodes; node++) {
      const int *index = t->index + node * (size_t)most;
      const double *value = t->value + node * (size_t)most;
      double log_lambda = 0, mass;
      for (int k = 0; k < most; k++) log_lambda += value[k] * beta[index[k]];
      mass = t->weight * exp(log_lambda);
      F += mass;
      if (!H) continue;
      for (int k = 0; k < most; k++) {
         double *row = H + index[k] * (band + 1) + index[k], v = mass * value[k];
         g[index[k]] += v;
         for (int m = 0; m <= k; m++) row[-index[m]] += v * value[m];
      }
   }
   for (int i = 0; t->S && i < n; i++)
      for (int j = i > band ? i - band : 0; j <= i; j++) {
         double s = penalty * t->S[i * (band + 1) + i - j];
         F += (i == j ? 0.5 : 1) * s * beta[i] * beta[j];
         if (!H) continue;
         H[i * (band + 1) + i - j] += s;
         g[i] += s * beta[j];
         if (i != j) g[j] += s * beta[i];
      }
   return F;
}

/* Newton from beta, halving steps that do not descend; returns F and, in det, log det of the last Hessian. */
static inline double rival_newton(const rival_table *t, double penalty, double *beta, double *det)
{
   const int n = t->basis->size, band = t->basis->band;
   double *H = (double *)bench_take((size_t)n * (size_t)(band + 1), sizeof *H);
   double *g = (double *)bench_take((size_t)n, sizeof *g),
          *step = (double *)bench_take((size_t)n, sizeof *step);
   double *next = (double *)bench_take((size_t)n, sizeof *next), F = 0, fall = 1;
   for (int turn = 0; turn < 100 && fall > 1e-5; turn++) {
      double size = 1, tried;
      F = rival_objective(t, penalty, beta, g, H);
      for (int i = 0; i < n; i++)
         H[i * (band + 1)] += 1e-9 * (1 + H[i * (band + 1)]); /* functions that no event sees */
      *det = rival_cholesky(H, n, band);
      bench_check(isfinite(*det), "a Hessian of the log-linear model is not positive");
      memcpy(step, g, (size_t)n * sizeof *step);
      rival_solve(H, n, band, step);
      fall = 0;
      for (int i = 0; i < n; i++) fall += step[i] * g[i];
      for (;; size *= 0.5) {
         for (int i = 0; i < n; i++) next[i] = beta[i] - size * step[i];
         tried = rival_objective(t, penalty, next, NULL, NULL);
         if (tried <= F - 1e-4 * size * fall || size < 1e-6) break;
      }
      memcpy(beta, next, (size_t)n * sizeof *beta);
      F = tried;
   }
   free(H), free(g), free(step), free(next);
   return F;
}

static inline void rival_start(const rival_table *t, double *beta)
{
   const double level = log(fmax(t->count, 0.5) / rival_measure(t->basis->win));
   for (int i = 0; i < t->basis->size; i++) beta[i] = t->basis->from_zero && i ? 0 : level;
}

/* The penalty of the largest marginal likelihood, by Laplace's formula,
      -F + (rank S) log(penalty)/2 - log det(H)/2 + what does not depend on it,
   among powers of 4 from smooth to rough, then a parabola in its logarithm. beta (size) is the fit; returns the
   penalty. */
static inline double rival_penalised(rival_table *t, double *beta)
{
   enum { levels = 14 };
   const int n = t->basis->size;
   double *fit = (double *)bench_take((size_t)n * levels, sizeof *fit), gain[levels], penalty[levels], det,
          best;
   int top = 0, made = 0;
   t->S = (double *)bench_take((size_t)n * (size_t)(t->basis->band + 1), sizeof *t->S);
   rival_differences(t->basis, t->S);
   rival_start(t, beta);
   for (int k = 0; k < levels && k < top + 4; k++, made++) { /* three levels that are worse: enough */
      penalty[k] = 1e4 * pow(0.25, k);
      gain[k] = -rival_newton(t, penalty[k], beta, &det) - 0.5 * det +
                0.5 * (n - (1 << t->basis->win->box)) * log(penalty[k]);
      memcpy(fit + k * n, beta, (size_t)n * sizeof *beta);
      if (gain[k] > gain[top]) top = k;
   }
   best = penalty[top];
   if (top > 0 && top < made - 1) best *= pow(0.25, rival_vertex(gain[top - 1], gain[top], gain[top + 1]));
   memcpy(beta, fit + top * n, (size_t)n * sizeof *beta);
   rival_newton(t, best, beta, &det);
   free(fit);
   return best;
}

static inline void rival_loglinear_at(const rival_basis *basis, const double *beta, const double *x,
                                      size_t count, double *out)
{
   int index[256];
   double value[256];
   for (size_t i = 0; i < count; i++) {
      double sum = 0;
      basis->at(basis, x + i * (size_t)rival_dim(basis->win), index, value);
      for (int k = 0; k < basis->most; k++) sum += value[k] * beta[index[k]];
      out[i] = exp(sum);
   }
}

/* ---- what each must satisfy, found in another way */
static inline void rival_near(double a, double b, double tol, const char *what)
{
   bench_check(fabs(a - b) <= tol * (1 + fabs(b)), "rivals: %s is %.12g and not %.12g", what, a, b);
}

static inline void rival_check_kernels(void)
{
   const rival_window win[4] = { { 0, 1, { 1 } }, { 0, 2, { 1, 2 } }, { 1, 0, { 0 } }, { 1, 1, { 1 } } };
   for (int w = 0; w < 4; w++) {
      enum { events = 7 };
      const int d = rival_dim(win + w), parts = rival_parts(win + w);
      const int lattice = 4000, side = win[w].sphere ? 64 : win[w].box == 1 ? 4096 : 256;
      double x[events * rival_most], *node, *at, *fast, weight, score[rival_levels * rival_levels], sum = 0;
      size_t count;
      rival_kernel k;
      for (int i = 0; i < events; i++) {
         double *p = x + i * d, length = 0;
         for (int r = 0; r < 3 && win[w].sphere; r++) p[r] = bench_uniform(), length += p[r] * p[r];
         for (int r = 0; r < 3 && win[w].sphere; r++) p[r] /= sqrt(length);
         for (int r = 0; r < win[w].box; r++)
            p[3 * win[w].sphere + r] = win[w].side[r] * (0.5 + 0.5 * bench_uniform());
      }
      node = rival_nodes(win + w, lattice, side, &count, &weight);
      at = (double *)bench_take(count, sizeof *at), fast = (double *)bench_take(count, sizeof *fast);
      rival_kernel_make(&k, win + w, x, events);
      for (int i = 0; i < events; i++)
         k.stretch[i] = 0.7 + 0.1 * i; /* an adaptive kernel still has mass 1 an event */
      rival_kernel_set(&k, 0.3, 0.2);
      rival_kernel_at(&k, node, count, at);
      for (size_t i = 0; i < count; i++) sum += weight * at[i];
      rival_near(sum, events, 1e-4, "the integral of a kernel estimate");
      rival_kernel_nodes(&k, lattice, side, fast);
      for (size_t i = 0; i < count; i++) rival_near(fast[i], at[i], 1e-9, "a kernel estimate at a node");

      /* Level 3 (and 5) of the ladder by leaving every event out in turn. */
      rival_ladder(&k, 1, score);
      sum = 0;
      for (int i = 0; i < events; i++) {
         double rest[events * rival_most], left, stretch[events];
         rival_kernel other = k;
         memcpy(rest, x, (size_t)(i * d) * sizeof *x);
         memcpy(rest + i * d, x + (i + 1) * d, (size_t)((events - 1 - i) * d) * sizeof *x);
         for (int j = 0; j < events - 1; j++) stretch[j] = k.stretch[j + (j >= i)];
         other.x = rest, other.count = events - 1, other.stretch = stretch;
         rival_kernel_set(&other, pow(0.5, 1.5), pow(0.5, 2.5));
         rival_kernel_at(&other, x + i * d, 1, &left);
         sum += log(left);
      }
      rival_near(score[parts == 2 ? 3 * rival_levels + 5 : 3], sum, 1e-9, "a leave-one-out likelihood");

      /* A pilot of infinite width stretches nothing. */
      if (w == 1) {
         rival_kernel wide, adaptive;
         rival_kernel_make(&wide, win + w, x, events);
         rival_kernel_make(&adaptive, win + w, x, events);
         rival_kernel_set(&wide, 1e4, 1);
         rival_adaptive(&adaptive, &wide);
         rival_kernel_choose(&wide);
         for (int i = 0; i < events; i++) rival_near(adaptive.stretch[i], 1, 1e-6, "a stretch");
         rival_near(adaptive.h[0], wide.h[0], 1e-5, "an adaptive width");
         /* Two groups, one four times as dense as the other: widths differ by a factor of 2. */
         for (int i = 0; i < events; i++)
            x[2 * i] = 0.05 + 0.001 * i + 0.5 * (i > 3), x[2 * i + 1] = i > 3 ? 1.0 : 0.5;
         for (int i = 0; i < 5; i++) x[2 * i] = i < 4 ? 0.25 : 0.75;
         adaptive.count = wide.count = 5;
         rival_kernel_set(&wide, 0.02, 1);
         rival_adaptive(&adaptive, &wide);
         rival_near(adaptive.stretch[4] / adaptive.stretch[0], 2, 1e-9, "Abramson's ratio");
         rival_kernel_free(&wide), rival_kernel_free(&adaptive);
      }
      rival_kernel_free(&k);
      free(node), free(at), free(fast);
   }
}

/* On [0, 1] the log-linear model a exp(b x) has its mean at the mean of the events, 1/(1 - exp(-b)) - 1/b: solved by
   bisection. Polynomials of degree 1 must find it, and splines with an infinite penalty too. Of degree 4, the moments
   of fit and events agree, here by Simpson's rule and in powers. */
static inline void rival_check_loglinear(void)
{
   enum { events = 40, steps = 2000 };
   const rival_window line = { 0, 1, { 1 } }, plane = { 0, 2, { 1, 2 } }, sphere = { 1, 0, { 0 } };
   rival_basis basis[4] = { rival_quartic(&line, 1), rival_spline(&line, 9), rival_quartic(&line, 4),
                            rival_spline(&plane, 5) };
   double x[2 * events], mean = 0, low = 0, high = 50, beta[32], det, at[2], ends[2] = { 0, 1 },
                         dense[25][25];
   rival_table t;
   for (int i = 0; i < events; i++) mean += (x[i] = pow(0.5 + 0.5 * bench_uniform(), 0.6)) / events;
   for (int k = 0; k < 200; k++) {
      double b = 0.5 * (low + high);
      *(1 / -expm1(-b) - 1 / b < mean ? &low : &high) = b;
   }
   for (int k = 0; k < 2; k++) {
      rival_table_make(&t, basis + k, 0, 4000, x, events);
      if (k)
         t.S = (double *)bench_take((size_t)(basis[k].size * (basis[k].band + 1)), sizeof *t.S),
         rival_differences(basis + k, t.S);
      rival_start(&t, beta);
      rival_newton(&t, 1e7, beta, &det);
      rival_loglinear_at(basis + k, beta, ends, 2, at);
      rival_near(log(at[1] / at[0]), low, 1e-4, "the slope of a log-linear model");
      rival_near(at[0], events * low / expm1(low), 1e-4, "the level of a log-linear model");
      rival_table_free(&t);
   }
   rival_table_make(&t, basis + 2, 0, 4000, x, events);
   rival_start(&t, beta);
   rival_newton(&t, 0, beta, &det);
   for (int power = 0; power <= 4; power++) {
      double data = 0, model = 0;
      for (int i = 0; i < events; i++) data += pow(x[i], power);
      for (int i = 0; i <= steps; i++) {
         double u = (double)i / steps;
         rival_loglinear_at(basis + 2, beta, &u, 1, at);
         model += (i % 2 ? 4.0 : i % steps ? 2.0 : 1.0) / (3.0 * steps) * at[0] * pow(u, power);
      }
      rival_near(model, data, 1e-5, "a moment of the quartic model");
   }
   rival_table_free(&t);
   rival_near(rival_quartic(&sphere, 4).size, 25, 0, "the number of harmonics to degree 4");
   rival_near(rival_quartic(&plane, 4).size, 15, 0, "the number of polynomials to degree 4");

   /* Splines in the plane: gradient by differences, and log det of the Hessian by elimination without a band. */
   for (int i = 0; i < 2 * events; i++) x[i] = (0.5 + 0.5 * bench_uniform()) * (1 + i % 2);
   rival_table_make(&t, basis + 3, 0, 40, x, events);
   {
      const int n = basis[3].size, band = basis[3].band;
      double g[32], H[25 * 25], log_det = 0;
      t.S = (double *)bench_take((size_t)(n * (band + 1)), sizeof *t.S);
      rival_differences(basis + 3, t.S);
      rival_near(n, 25, 0, "the number of splines");
      for (int i = 0; i < n; i++) beta[i] = 2 + 0.3 * bench_uniform();
      rival_objective(&t, 0.3, beta, g, H);
      for (int i = 0; i < n; i++) {
         double up, down, e = 1e-5, keep = beta[i];
         beta[i] = keep + e, up = rival_objective(&t, 0.3, beta, NULL, NULL);
         beta[i] = keep - e, down = rival_objective(&t, 0.3, beta, NULL, NULL);
         beta[i] = keep;
         rival_near(g[i], (up - down) / (2 * e), 1e-6, "a slope of the penalised likelihood");
      }
      for (int i = 0; i < n; i++)
         for (int j = 0; j <= i; j++)
            dense[i][j] = dense[j][i] = i - j <= band ? H[i * (band + 1) + i - j] : 0;
      for (int k = 0; k < n; k++) {
         log_det += log(dense[k][k]);
         for (int i = k + 1; i < n; i++)
            for (int j = n; j-- > k;) dense[i][j] -= dense[i][k] / dense[k][k] * dense[k][j];
      }
      rival_near(rival_cholesky(H, n, band), log_det, 1e-9, "a determinant");
   }
   rival_table_free(&t);
}

static inline void rival_check(void)
{
   rival_check_kernels();
   rival_check_loglinear();
}
#endif
