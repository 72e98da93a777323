/* See permanental.h. The library's products, Cholesky factors and eigenvalues are private: this file makes a copy of
   its own, unless there is one (tests). */
#ifndef SNEPPP_IMPLEMENTED
#define SNEPPP_STATIC
#define SNEPPP_IMPLEMENTATION
#include "../../sneppp.h"
#endif
#include "permanental.h"
#include <stdio.h>
#include <stdlib.h>

static double *perm_take(size_t rows, size_t columns)
{
   double *p = (double *)calloc(rows * columns + 1, sizeof *p);
   if (!p) {
      fprintf(stderr, "permanental: no memory for %lu x %lu numbers\n", (unsigned long)rows, (unsigned long)columns);
      exit(1);
   }
   return p;
}

/* A = L L' in place, in blocks of columns, so that nearly all of the work is products of matrices. What lies below a
   block is solved in its transpose, where the events stand side by side. */
static int perm_chol(size_t n, double *A)
{
   const size_t block = 96;
   double *below = perm_take(block, n);
   int     good = 1;
   for (size_t k = 0; k < n && good; k += block) {
      size_t wide = n - k < block ? n - k : block, rest = n - k - wide;
      double *corner = A + k * n + k, *panel = corner + wide * n;
      if (k) sneppp__gemm_f64(0, 1, n - k, wide, k, -1, A + k * n, n, A + k * n, n, 1, corner, n);
      good = sneppp__chol(wide, corner, n) == SNEPPP_OK;
      for (size_t i = 0; i < rest; i++)
         for (size_t j = 0; j < wide; j++) below[j * rest + i] = panel[i * n + j];
      if (good && rest) sneppp__solve_lower(wide, corner, n, 0, below, rest, rest);
      for (size_t i = 0; i < rest; i++)
         for (size_t j = 0; j < wide; j++) panel[i * n + j] = below[j * rest + i];
   }
   free(below);
   return good;
}

/* B (n, columns) becomes L^-1 B, likewise. */
static void perm_solve(size_t n, const double *L, double *B, size_t columns)
{
   const size_t block = 96;
   for (size_t k = 0; k < n; k += block) {
      size_t wide = n - k < block ? n - k : block;
      if (k) sneppp__gemm_f64(0, 0, wide, columns, k, -1, L + k * n, n, B, columns, 1, B + k * columns, columns);
      sneppp__solve_lower(wide, L + k * n + k, n, 0, B + k * columns, columns, columns);
   }
}

static double perm_log_det(size_t n, const double *L)
{
   double sum = 0;
   for (size_t i = 0; i < n; i++) sum += 2 * log(L[i * n + i]);
   return sum;
}

void perm_legendre(int count, double lo, double hi, double *node, double *weight)
{
   for (int i = 0; i < count; i++) {
      double x = cos(SNEPPP__PI * (i + 0.75) / (count + 0.5)), slope = 1, step;
      do { /* Newton's method for the zeros of P_count, by its recurrence */
         double before = 1, here = x, next;
         for (int k = 1; k < count; k++) {
            next = ((2 * k + 1) * x * here - k * before) / (k + 1);
            before = here, here = next;
         }
         slope = count * (x * here - before) / (x * x - 1);
         step = here / slope;
         x -= step;
      } while (fabs(step) > 1e-14);
      node[i] = 0.5 * (lo + hi) - 0.5 * (hi - lo) * x;
      weight[i] = (hi - lo) / ((1 - x * x) * slope * slope);
   }
}

/* k(x_i, y_j) / a as a matrix (nx, ny). */
static void perm_cross(const perm_fit *fit, const double *x, size_t nx, const double *y, size_t ny, double *K)
{
   size_t d = (size_t)fit->desc.d;
   for (size_t i = 0; i < nx; i++)
      for (size_t j = 0; j < ny; j++) {
         double sum = 0;
         for (size_t r = 0; r < d; r++) {
            double u = fit->b[r] * (x[i * d + r] - y[j * d + r]);
            sum += u * u;
         }
         K[i * ny + j] = -sum;
      }
   sneppp__long_exp(nx * ny, K, K);
}

/* Raw features (raw, count) at points, for a = 1: covariances with nodes or points, or cos and sin. */
static void perm_raw(const perm_fit *fit, const double *x, size_t count, double *out)
{
   size_t d = (size_t)fit->desc.d, waves = fit->raw / 2;
   double size = sqrt(1 / (double)(waves ? waves : 1));
   if (fit->desc.form != PERM_RFM) {
      perm_cross(fit, fit->at, fit->raw, x, count, out);
      return;
   }
   for (size_t k = 0; k < waves; k++)
      for (size_t i = 0; i < count; i++) {
         double z = 0;
         for (size_t r = 0; r < d; r++) z += fit->at[k * d + r] * x[i * d + r];
         out[k * count + i] = size * cos(z);
         out[(waves + k) * count + i] = size * sin(z);
      }
}

/* T (rank, count) at points. */
static void perm_features(const perm_fit *fit, const double *x, size_t count, double *T)
{
   double *raw = perm_take(fit->raw, count);
   perm_raw(fit, x, count, raw);
   sneppp__gemm_f64(0, 0, fit->rank, count, fit->raw, 1, fit->map, fit->raw, raw, count, 0, T, count);
   free(raw);
}

/* Integral of k(y, .) k(z, .) / a^2 over the box. */
static double perm_overlap(const perm_fit *fit, const double *y, const double *z)
{
   double out = 1;
   for (int r = 0; r < fit->desc.d; r++) {
      double b = fit->b[r], apart = y[r] - z[r], middle = 0.5 * (y[r] + z[r]), c = sqrt(2.0) * b;
      out *= exp(-0.5 * b * b * apart * apart) * sqrt(SNEPPP__PI / 8) / b *
             (erf(c * (fit->desc.hi[r] - middle)) - erf(c * (fit->desc.lo[r] - middle)));
   }
   return out;
}

/* Integrals of cos(u.t) and sin(u.t) over the box, u = p + sign q. */
static void perm_wave(const perm_fit *fit, const double *p, const double *q, double sign, double *c, double *s)
{
   double size = 1, phase = 0;
   for (int r = 0; r < fit->desc.d; r++) {
      double u = p[r] + sign * q[r], half = 0.5 * (fit->desc.hi[r] - fit->desc.lo[r]), z = u * half;
      size *= 2 * half * (fabs(z) < 1e-4 ? 1 - z * z / 6 : sin(z) / z);
      phase += u * 0.5 * (fit->desc.hi[r] + fit->desc.lo[r]);
   }
   *c = size * cos(phase), *s = size * sin(phase);
}

/* Integral over the box of the raw features' products, G (raw, raw). */
static void perm_gram(const perm_fit *fit, double *G)
{
   size_t n = fit->raw, d = (size_t)fit->desc.d, waves = n / 2;
   if (fit->desc.form == PERM_NYSTROM) {
      for (size_t i = 0; i < n; i++)
         for (size_t j = 0; j <= i; j++) G[i * n + j] = G[j * n + i] = perm_overlap(fit, fit->at + i * d, fit->at + j * d);
      return;
   }
   for (size_t i = 0; i < waves; i++)
      for (size_t j = 0; j < waves; j++) {
         double cm, sm, cp, sp, half = 0.5 / (double)waves;
         perm_wave(fit, fit->at + i * d, fit->at + j * d, -1, &cm, &sm);
         perm_wave(fit, fit->at + i * d, fit->at + j * d, 1, &cp, &sp);
         G[i * n + j] = half * (cm + cp);
         G[(waves + i) * n + waves + j] = half * (cm - cp);
         G[i * n + waves + j] = half * (sp - sm);
         G[(waves + j) * n + i] = half * (sp - sm);
      }
}

/* Eigenvalues w of A (n, n) and eigenvectors, columns of Q: those above `least` of the largest, whose number is returned.
   0: there are none. */
static size_t perm_eigen(size_t n, const double *A, double least, double *w, double *Q)
{
   double *all = perm_take(n, 1), *E = perm_take(n, n), *work = perm_take(sneppp__eigh_work(n), 1), top;
   size_t  kept = 0, at = 0;
   if (sneppp__eigh(n, A, all, E, work) == SNEPPP_OK) {
      top = fmax(all[0], all[n - 1]);
      for (size_t j = 0; j < n; j++) kept += all[j] > least * top;
      for (size_t j = 0; j < n; j++) {
         if (!(all[j] > least * top)) continue;
         for (size_t i = 0; i < n; i++) Q[i * kept + at] = E[i * n + j];
         w[at++] = all[j];
      }
   }
   free(all), free(E), free(work);
   return kept;
}

/* T = Q' root k_P, where root k_PP root = Q D Q' and P are Gauss nodes, root the roots of their weights. Covariance and
   weights are products over the axes, and so are Q and D: every axis has its own small problem. Components whose share of h
   is below rounding are left out. */
static void perm_prepare_nodes(perm_fit *fit, size_t size)
{
   const perm_desc *o = &fit->desc;
   size_t  d = (size_t)o->d, n = 1, square = size * size, at = 0;
   double *node = perm_take(d, size), *weight = perm_take(d, size), *D = perm_take(d, size), *Q = perm_take(d, square), *K = perm_take(size, size), *all, top = 0;
   for (size_t r = 0; r < d; r++, n *= size) {
      const double *x = node + r * size, *w = weight + r * size;
      perm_legendre((int)size, o->lo[r], o->hi[r], node + r * size, weight + r * size);
      for (size_t i = 0; i < square; i++) {
         double u = fit->b[r] * (x[i / size] - x[i % size]);
         K[i] = sqrt(w[i / size] * w[i % size]) * exp(-u * u);
      }
      if (perm_eigen(size, K, -1, D + r * size, Q + r * square) < size) n = 0;
   }
   fit->raw = n, fit->at = perm_take(n, d), fit->norm = perm_take(n, 1), all = perm_take(n, 1);
   for (size_t i = 0; i < n; i++) {
      size_t rest = i;
      all[i] = 1;
      for (size_t r = 0; r < d; r++, rest /= size) {
         fit->at[i * d + r] = node[r * size + rest % size];
         all[i] *= D[r * size + rest % size];
      }
      top = fmax(top, all[i]);
   }
   for (size_t k = 0; k < n; k++) fit->rank += all[k] > 1e-12 * top;
   fit->map = perm_take(fit->rank, n);
   for (size_t k = 0; k < n; k++) {
      if (!(all[k] > 1e-12 * top)) continue;
      fit->norm[at] = all[k];
      for (size_t i = 0; i < n; i++) {
         size_t one = i, other = k;
         double product = 1;
         for (size_t r = 0; r < d; r++, one /= size, other /= size)
            product *= sqrt(weight[r * size + one % size]) * Q[r * square + one % size * size + other % size];
         fit->map[at * n + i] = product;
      }
      at++;
   }
   free(node), free(weight), free(D), free(Q), free(K), free(all);
}

/* phi = E' raw with k / a = phi'phi: all of it for RFM; for NYSTROM raw' K^-1 raw through the eigenvalues of K above 1e-6
   of the largest. T = Q' phi, where Q D Q' is the integral of phi phi'. */
static void perm_prepare_features(perm_fit *fit, size_t size)
{
   const perm_desc *o = &fit->desc;
   size_t     d = (size_t)o->d, n, rank;
   sneppp_rng rng;
   double    *E, *G, *S, *Q;
   sneppp_rng_init(&rng, o->seed, 3);
   if (o->form == PERM_NYSTROM && size > o->count) size = o->count;
   n = fit->raw = o->form == PERM_RFM ? size / 2 * 2 : size;
   fit->at = perm_take(n, d), fit->norm = perm_take(n, 1), E = perm_take(n, n), G = perm_take(n, n);
   for (size_t i = 0; i < (o->form == PERM_RFM ? n / 2 : n); i++) {
      const double *x = o->x + d * (size_t)sneppp_rng_permute(i, o->count, o->seed + 11);
      for (size_t r = 0; r < d; r++)
         fit->at[i * d + r] = o->form == PERM_RFM ? sqrt(2.0) * fit->b[r] * sneppp_rng_normal(&rng) : x[r];
   }
   if (o->form == PERM_RFM) {
      for (size_t i = 0; i < n; i++) E[i * n + i] = 1;
      rank = n;
   } else {
      perm_cross(fit, fit->at, n, fit->at, n, G);
      rank = perm_eigen(n, G, 1e-6, fit->norm, E);
      for (size_t i = 0; i < n * rank; i++) E[i] /= sqrt(fit->norm[i % rank]);
   }
   if (rank) {
      S = perm_take(rank, rank), Q = perm_take(rank, rank), fit->map = perm_take(rank, n);
      perm_gram(fit, G);
      sneppp__gemm_f64(1, 0, rank, n, n, 1, E, rank, G, n, 0, fit->map, n);      /* E'G      */
      sneppp__gemm_f64(0, 0, rank, rank, n, 1, fit->map, n, E, rank, 0, S, rank); /* E'GE     */
      fit->rank = perm_eigen(rank, S, -1, fit->norm, Q) == rank ? rank : 0;
      sneppp__gemm_f64(1, 1, rank, n, rank, 1, Q, rank, E, rank, 0, fit->map, n); /* Q'E'     */
      free(S), free(Q);
   }
   free(E), free(G);
}

/* What depends on b alone: the nodes, points or frequencies, the map to T, and T at the events. */
static int perm_prepare(perm_fit *fit)
{
   const perm_desc *o = &fit->desc;
   if (o->form == PERM_NAIVE) perm_prepare_nodes(fit, (size_t)(o->size ? o->size : 24));
   else perm_prepare_features(fit, (size_t)(o->size ? o->size : o->form == PERM_RFM ? 100 : 500));
   if (!fit->rank) return 0;
   for (size_t k = 0; k < fit->rank; k++) fit->norm[k] = fmax(fit->norm[k], 0);
   fit->T = perm_take(fit->rank, o->count);
   perm_features(fit, o->x, o->count, fit->T);
   return 1;
}

static double perm_dot(size_t n, const double *x, const double *y)
{
   double part[8] = { 0 }, sum = 0;
   size_t i = 0;
   for (; i + 8 <= n; i += 8)
      for (size_t k = 0; k < 8; k++) part[k] += x[i + k] * y[i + k];
   for (; i < n; i++) sum += x[i] * y[i];
   for (size_t k = 0; k < 8; k++) sum += part[k];
   return sum;
}

/* out = H u, from the lower half of H, or from T. */
static void perm_product(perm_fit *fit, const double *u, double *out)
{
   size_t N = fit->desc.count;
   fit->products++;
   memset(out, 0, N * sizeof *out);
   for (size_t i = 0; fit->H && i < N; i++) {
      const double *row = fit->H + i * N;
      out[i] = perm_dot(i, row, u) + row[i] * u[i];
      sneppp__array_add_f64(i, u[i], row, out);
   }
   for (size_t k = 0; !fit->H && k < fit->rank; k++) {
      const double *row = fit->T + k * N;
      sneppp__array_add_f64(N, fit->size[k] * perm_dot(N, row, u), row, out);
   }
}

/* Newton's method for F(v) = v'Hv - sum log v_i. With s = dv / v a step solves (1 + S) s = 1 - 2 v Hv, where S = 2 v H v
   has rows that add up to one at the minimum: conjugate gradients need a handful of products. */
static void perm_newton(perm_fit *fit)
{
   size_t  N = fit->desc.count;
   double *rhs = perm_take(N, 1), *s = perm_take(N, 1), *q = perm_take(N, 1), *r = perm_take(N, 1), *Hv = perm_take(N, 1);
   double *p = perm_take(N, 1), *t = perm_take(N, 1), *v = fit->v;
   perm_product(fit, v, Hv);
   for (fit->steps = 0; fit->steps < 100; fit->steps++) {
      double size = 0, rr = 0, first, step = 1, slope = 0, before = 0, worst = 0;
      for (size_t i = 0; i < N; i++) {
         rhs[i] = 1 - 2 * v[i] * Hv[i];
         size = fmax(size, fabs(rhs[i]));
         r[i] = p[i] = rhs[i], s[i] = 0, rr += r[i] * r[i];
         before += v[i] * Hv[i] - log(v[i]);
      }
      fit->residual = size;
      if (size < 1e-9) break;
      first = rr;
      for (int k = 0; k < 200 && rr > first * fmin(1e-2, size * size) && rr > 1e-26 * (double)N; k++) {
         double pq = 0, alpha, old = rr;
         for (size_t i = 0; i < N; i++) t[i] = v[i] * p[i];
         perm_product(fit, t, q);
         for (size_t i = 0; i < N; i++) q[i] = p[i] + 2 * v[i] * q[i], pq += p[i] * q[i];
         alpha = rr / pq, rr = 0;
         for (size_t i = 0; i < N; i++) s[i] += alpha * p[i], r[i] -= alpha * q[i], rr += r[i] * r[i];
         for (size_t i = 0; i < N; i++) p[i] = r[i] + rr / old * p[i];
      }
      for (size_t i = 0; i < N; i++) slope += s[i] * rhs[i], worst = fmin(worst, s[i]);
      if (worst < -0.9) step = -0.9 / worst;
      for (size_t i = 0; i < N; i++) t[i] = v[i] * s[i];
      perm_product(fit, t, q); /* F along the step needs no further product: it is a square and logarithms */
      for (int k = 0; k < 30; k++, step *= 0.5) {
         double after = 0;
         for (size_t i = 0; i < N; i++) after += (v[i] + step * t[i]) * (Hv[i] + step * q[i]) - log(v[i] * (1 + step * s[i]));
         if (after <= before - 1e-4 * step * slope + 1e-12 * fabs(before)) break;
      }
      for (size_t i = 0; i < N; i++) v[i] *= 1 + step * s[i], Hv[i] += step * q[i];
   }
   free(rhs), free(s), free(q), free(r), free(Hv), free(p), free(t);
}

/* What depends on a, too. The fit begins at its v. 0: a matrix was not positive. */
static int perm_solve_for(perm_fit *fit, double a)
{
   size_t  N = fit->desc.count, rank = fit->rank, n = fit->H ? N : rank;
   double *scaled = perm_take(rank, N);
   fit->a = a, fit->evidence = 0;
   for (size_t k = 0; k < rank; k++) {
      fit->size[k] = a / (1 + 2 * a * fit->norm[k]) * (fit->H ? 2 * a : 1);
      fit->evidence -= 0.5 * log(1 + 2 * a * fit->norm[k]);
   }
   if (fit->H) { /* a k - T' size T */
      perm_cross(fit, fit->desc.x, N, fit->desc.x, N, fit->H);
      for (size_t k = 0; k < rank * N; k++) scaled[k] = sqrt(fit->size[k / N]) * fit->T[k];
      sneppp__syrk_f64(1, N, rank, -1, scaled, N, a, fit->H, N);
   }
   if (!(fit->v[0] > 0)) { /* the best constant */
      double sum = 0, *ones = perm_take(N, 1);
      for (size_t i = 0; i < N; i++) fit->v[i] = 1;
      perm_product(fit, fit->v, ones);
      for (size_t i = 0; i < N; i++) sum += ones[i];
      for (size_t i = 0; i < N; i++) fit->v[i] = sqrt((double)N / (2 * sum));
      free(ones);
   }
   perm_newton(fit);
   for (size_t i = 0; i < N; i++) fit->evidence -= 2 * log(fit->v[i]) + 1;
   for (size_t k = 0; k < rank; k++) fit->w[k] = 2 * fit->size[k] * perm_dot(N, fit->T + k * N, fit->v);
   if (fit->H) {
      memcpy(fit->L, fit->H, N * N * sizeof *fit->L);
      for (size_t i = 0; i < N; i++) {
         double z = 0.5 / (fit->v[i] * fit->v[i]);
         fit->L[i * N + i] += z;
         fit->evidence += 0.5 * log(z);
      }
   } else { /* 1 + U Z^-1 U', U = sqrt(size) T */
      for (size_t k = 0; k < n; k++)
         for (size_t i = 0; i < N; i++) scaled[k * N + i] = sqrt(2 * fit->size[k]) * fit->v[i] * fit->T[k * N + i];
      sneppp__syrk_f64(0, n, N, 1, scaled, N, 0, fit->L, n);
      for (size_t k = 0; k < n; k++) fit->L[k * n + k] += 1;
   }
   free(scaled);
   if (!perm_chol(n, fit->L)) return 0;
   fit->evidence -= 0.5 * perm_log_det(n, fit->L);
   return 1;
}

/* With b and room for what depends on a. */
static int perm_begin(perm_fit *fit, const perm_desc *desc, const double *b, const double *v)
{
   size_t N = desc->count, n;
   memset(fit, 0, sizeof *fit);
   fit->desc = *desc;
   memcpy(fit->b, b, (size_t)desc->d * sizeof *b);
   if (!perm_prepare(fit)) { perm_free(fit); return 0; }
   n = desc->form == PERM_NAIVE ? N : fit->rank;
   fit->size = perm_take(fit->rank, 1), fit->w = perm_take(fit->rank, 1), fit->v = perm_take(N, 1), fit->L = perm_take(n, n);
   if (desc->form == PERM_NAIVE) fit->H = perm_take(N, N);
   if (v) memcpy(fit->v, v, N * sizeof *v);
   return 1;
}

int perm_make(perm_fit *fit, const perm_desc *desc, double a, const double *b, const double *v)
{
   if (!perm_begin(fit, desc, b, v)) return 0;
   if (perm_solve_for(fit, a)) return 1;
   perm_free(fit);
   return 0;
}

void perm_free(perm_fit *fit)
{
   free(fit->at), free(fit->map), free(fit->norm), free(fit->T), free(fit->size), free(fit->v), free(fit->H), free(fit->L), free(fit->w);
   memset(fit, 0, sizeof *fit);
}

void perm_guess(const perm_desc *o, double *a, double *b)
{
   enum { bins = 9 };
   size_t d = (size_t)o->d;
   *a = 1;
   for (size_t r = 0; r < d; r++) {
      double root[bins] = { 0 }, mean = 0, square = 0, wide = (o->hi[r] - o->lo[r]) / bins;
      for (size_t i = 0; i < o->count; i++) {
         double x = o->x[i * d + r];
         int    k = (int)((x - o->lo[r]) / wide);
         root[k < 0 ? 0 : k >= bins ? bins - 1 : k] += 1;
         mean += x / (double)o->count;
      }
      for (size_t i = 0; i < o->count; i++) square += (o->x[i * d + r] - mean) * (o->x[i * d + r] - mean) / (double)o->count;
      b[r] = 1 / sqrt(square);
      mean = square = 0;
      for (int k = 0; k < bins; k++) root[k] = sqrt(root[k] / wide), mean += root[k] / bins;
      for (int k = 0; k < bins; k++) square += (root[k] - mean) * (root[k] - mean) / bins;
      *a *= pow(square, 1 / (double)d);
   }
}

int perm_choose(perm_fit *fit, const perm_desc *desc)
{
   static const double times[5] = { 1.0 / 3, 0.5, 1, 2, 3 };
   double   a0, b0[perm_most] = { 0 }, best = 0, best_a = 0, best_b[perm_most] = { 0 };
   double  *v = perm_take(desc->count, 2), *best_v = v + desc->count; /* v[0] = 0: nothing yet */
   int      have = 0;
   perm_fit now;
   perm_guess(desc, &a0, b0);
   for (int i = 0; i < 5; i++) {
      double b[perm_most] = { 0 };
      for (int r = 0; r < desc->d; r++) b[r] = b0[r] * times[i];
      if (!perm_begin(&now, desc, b, v)) continue;
      for (int j = 0; j < 5; j++) { /* neighbours begin where the last one ended */
         if (!perm_solve_for(&now, a0 * times[i % 2 ? 4 - j : j])) continue;
         if (have && now.evidence <= best) continue;
         have = 1, best = now.evidence, best_a = now.a;
         memcpy(best_b, b, sizeof b), memcpy(best_v, now.v, desc->count * sizeof *v);
      }
      memcpy(v, now.v, desc->count * sizeof *v);
      perm_free(&now);
   }
   have = have && perm_make(fit, desc, best_a, best_b, best_v);
   free(v);
   return have;
}

void perm_at(const perm_fit *fit, const double *x, size_t count, double *mean, double *variance)
{
   const size_t most = 256;
   size_t  N = fit->desc.count, d = (size_t)fit->desc.d, rank = fit->rank, n = fit->H ? N : rank;
   double *T = perm_take(rank, most), *h = fit->H ? perm_take(N, most) : NULL;
   for (size_t from = 0; from < count; from += most) {
      size_t  B = count - from < most ? count - from : most;
      double *columns = fit->H ? h : T; /* h(X, x), or U(x) = sqrt(size) T(x) */
      perm_features(fit, x + from * d, B, T);
      for (size_t i = 0; i < B; i++) mean[from + i] = 0, variance[from + i] = fit->H ? fit->a : 0;
      for (size_t k = 0; k < rank; k++)
         for (size_t i = 0; i < B; i++) {
            double t = T[k * B + i];
            if (fit->H) variance[from + i] -= fit->size[k] * t * t;
            else mean[from + i] += fit->w[k] * t;
            T[k * B + i] = (fit->H ? fit->size[k] : sqrt(fit->size[k])) * t;
         }
      if (fit->H) { /* h(X, x) = a k(X, x) - T(X)' size T(x) */
         perm_cross(fit, fit->desc.x, N, x + from * d, B, h);
         sneppp__gemm_f64(1, 0, N, B, rank, -1, fit->T, N, T, B, fit->a, h, B);
         for (size_t k = 0; k < N; k++) sneppp__array_add_f64(B, 2 * fit->v[k], h + k * B, mean + from);
      }
      perm_solve(n, fit->L, columns, B);
      for (size_t i = 0; i < B; i++) {
         double sum = 0;
         for (size_t k = 0; k < n; k++) sum += columns[k * B + i] * columns[k * B + i];
         variance[from + i] = fmax(fit->H ? variance[from + i] - sum : sum, 0);
      }
   }
   free(T), free(h);
}

/* E f^2 = (w'T)^2 + U'(L L')^-1 U, integrated: T T' has the integral diag(norm), U U' diag(size norm). */
double perm_integral(const perm_fit *fit)
{
   size_t  n = fit->rank;
   double *inverse, sum = 0;
   if (fit->desc.form == PERM_NAIVE) return NAN;
   inverse = perm_take(n, n);
   for (size_t i = 0; i < n; i++) inverse[i * n + i] = 1;
   perm_solve(n, fit->L, inverse, n);
   for (size_t i = 0; i < n; i++) {
      double diagonal = 0;
      for (size_t k = i; k < n; k++) diagonal += inverse[k * n + i] * inverse[k * n + i];
      sum += fit->norm[i] * (fit->w[i] * fit->w[i] + fit->size[i] * diagonal);
   }
   free(inverse);
   return sum;
}

double perm_median(double m, double v)
{
   double mean = m * m + v, square = 2 * v * (2 * m * m + v), shape;
   if (!(square > 1e-18 * mean * mean)) return mean;
   shape = mean * mean / square;
   return sneppp__gamma_quantile(shape, 0.5, 0, 0) * square / mean;
}
