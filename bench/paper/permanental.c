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

/* A = L L' in place, in blocks of columns, so that nearly all of the work is products of matrices. */
static int perm_chol(size_t n, double *A)
{
   const size_t block = 96;
   for (size_t k = 0; k < n; k += block) {
      size_t wide = n - k < block ? n - k : block;
      if (k) sneppp__gemm_f64(0, 1, n - k, wide, k, -1, A + k * n, n, A + k * n, n, 1, A + k * n + k, n);
      if (sneppp__chol(wide, A + k * n + k, n) != SNEPPP_OK) return 0;
      for (size_t i = k + wide; i < n; i++)
         for (size_t j = k; j < k + wide; j++) {
            double sum = A[i * n + j];
            for (size_t r = k; r < j; r++) sum -= A[i * n + r] * A[j * n + r];
            A[i * n + j] = sum / A[j * n + j];
         }
   }
   return 1;
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

/* k(x_i, y_j) as a matrix (nx, ny). */
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
   for (size_t i = 0; i < nx * ny; i++) K[i] *= fit->a;
}

/* Raw features (raw, count) at points: covariances with nodes or points, or cos and sin. */
static void perm_raw(const perm_fit *fit, const double *x, size_t count, double *out)
{
   size_t d = (size_t)fit->desc.d, waves = fit->raw / 2;
   double size = sqrt(fit->a / (double)(waves ? waves : 1));
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

/* U (rank, count) at points. */
static void perm_features(const perm_fit *fit, const double *x, size_t count, double *U)
{
   double *raw = perm_take(fit->raw, count);
   perm_raw(fit, x, count, raw);
   sneppp__gemm_f64(0, 0, fit->rank, count, fit->raw, 1, fit->map, fit->raw, raw, count, 0, U, count);
   free(raw);
}

/* Integral of k(y, .) k(z, .) over the box. */
static double perm_overlap(const perm_fit *fit, const double *y, const double *z)
{
   double out = fit->a * fit->a;
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
         double cm, sm, cp, sp, half = 0.5 * fit->a / (double)waves;
         perm_wave(fit, fit->at + i * d, fit->at + j * d, -1, &cm, &sm);
         perm_wave(fit, fit->at + i * d, fit->at + j * d, 1, &cp, &sp);
         G[i * n + j] = half * (cm + cp);
         G[(waves + i) * n + waves + j] = half * (cm - cp);
         G[i * n + waves + j] = half * (sp - sm);
         G[(waves + j) * n + i] = half * (sp - sm);
      }
}

/* phi = E' raw with k = phi'phi: all of it for RFM; for NYSTROM raw' K^-1 raw through the eigenvalues of K above 1e-6 of
   the largest. Returns E (raw, rank). */
static double *perm_basis(perm_fit *fit)
{
   size_t  n = fit->raw, at = 0;
   double *E = perm_take(n, n), *K, *w, *work;
   if (fit->desc.form == PERM_RFM) {
      for (size_t i = 0; i < n; i++) E[i * n + i] = 1;
      fit->rank = n;
      return E;
   }
   K = perm_take(n, n), w = perm_take(n, 1), work = perm_take(sneppp__eigh_work(n), 1);
   perm_cross(fit, fit->at, n, fit->at, n, K);
   if (sneppp__eigh(n, K, w, E, work) != SNEPPP_OK) fit->rank = 0;
   else {
      double top = fmax(w[0], w[n - 1]);
      for (size_t j = 0; j < n; j++) fit->rank += w[j] > 1e-6 * top;
      memcpy(K, E, n * n * sizeof *K);
      for (size_t j = 0; j < n; j++) {
         if (!(w[j] > 1e-6 * top)) continue;
         for (size_t i = 0; i < n; i++) E[i * fit->rank + at] = K[i * n + j] / sqrt(w[j]);
         at++;
      }
   }
   free(K), free(w), free(work);
   return E;
}

/* The nodes, points or frequencies, the map to U, and -log det(1 + 2 k) / 2. */
static int perm_prepare(perm_fit *fit, double *half_log_det)
{
   const perm_desc *o = &fit->desc;
   size_t     d = (size_t)o->d, n, size = (size_t)(o->size ? o->size : o->form == PERM_NAIVE ? 24 : o->form == PERM_RFM ? 100 : 500);
   sneppp_rng rng;
   double    *E, *G, *L;
   int        good;
   sneppp_rng_init(&rng, o->seed, 3);
   if (o->form == PERM_NAIVE) {
      double *node = perm_take(d, size), *weight = perm_take(d, size), *root;
      for (fit->raw = 1, n = 0; n < d; n++) {
         fit->raw *= size;
         perm_legendre((int)size, o->lo[n], o->hi[n], node + n * size, weight + n * size);
      }
      fit->rank = n = fit->raw;
      fit->at = perm_take(n, d), fit->map = perm_take(n, n), root = perm_take(n, 1), L = perm_take(n, n);
      for (size_t i = 0; i < n; i++) {
         size_t rest = i;
         root[i] = 1;
         for (size_t r = 0; r < d; r++, rest /= size) {
            fit->at[i * d + r] = node[r * size + rest % size];
            root[i] *= sqrt(weight[r * size + rest % size]);
         }
      }
      perm_cross(fit, fit->at, n, fit->at, n, L);
      for (size_t i = 0; i < n; i++) {
         for (size_t j = 0; j < n; j++) L[i * n + j] *= root[i] * root[j];
         L[i * n + i] += 0.5;
         fit->map[i * n + i] = root[i];
      }
      good = perm_chol(n, L);
      if (good) perm_solve(n, L, fit->map, n);
      *half_log_det = good ? -0.5 * (perm_log_det(n, L) + (double)n * log(2.0)) : 0;
      free(node), free(weight), free(root), free(L);
      return good;
   }
   if (o->form == PERM_NYSTROM && size > o->count) size = o->count;
   n = fit->raw = o->form == PERM_RFM ? size / 2 * 2 : size;
   fit->at = perm_take(n, d);
   for (size_t i = 0; i < (o->form == PERM_RFM ? n / 2 : n); i++) {
      const double *x = o->x + d * (size_t)sneppp_rng_permute(i, o->count, o->seed + 11);
      for (size_t r = 0; r < d; r++)
         fit->at[i * d + r] = o->form == PERM_RFM ? sqrt(2.0) * fit->b[r] * sneppp_rng_normal(&rng) : x[r];
   }
   E = perm_basis(fit);
   if (!fit->rank) { free(E); return 0; }
   G = perm_take(n, n), L = perm_take(fit->rank, fit->rank);
   fit->Xi = perm_take(fit->rank, fit->rank), fit->map = perm_take(fit->rank, n);
   perm_gram(fit, G);
   sneppp__gemm_f64(1, 0, fit->rank, n, n, 1, E, fit->rank, G, n, 0, fit->map, n);            /* E'G           */
   sneppp__gemm_f64(0, 0, fit->rank, fit->rank, n, 2, fit->map, n, E, fit->rank, 0, L, fit->rank); /* 2 E'GE   */
   for (size_t i = 0; i < fit->rank; i++) L[i * fit->rank + i] += 1;
   good = perm_chol(fit->rank, L);
   if (good) {
      for (size_t i = 0; i < fit->rank; i++)
         for (size_t j = 0; j < n; j++) fit->map[i * n + j] = E[j * fit->rank + i];
      perm_solve(fit->rank, L, fit->map, n); /* U = L^-1 E' raw, so that U'U = h */
      for (size_t i = 0; i < fit->rank; i++) fit->Xi[i * fit->rank + i] = 1;
      perm_solve(fit->rank, L, fit->Xi, fit->rank); /* L^-1, and Xi = (1 - L^-1 L^-T) / 2 */
      memcpy(G, fit->Xi, fit->rank * fit->rank * sizeof *G);
      sneppp__gemm_f64(0, 1, fit->rank, fit->rank, fit->rank, -0.5, G, fit->rank, G, fit->rank, 0, fit->Xi, fit->rank);
      for (size_t i = 0; i < fit->rank; i++) fit->Xi[i * fit->rank + i] += 0.5;
      *half_log_det = -0.5 * perm_log_det(fit->rank, L);
   }
   free(E), free(G), free(L);
   return good;
}

/* out = H u. room (rank). */
static void perm_product(perm_fit *fit, const double *u, double *out, double *room)
{
   size_t N = fit->desc.count;
   fit->products++;
   if (fit->H) { sneppp__gemm_f64(0, 0, N, 1, N, 1, fit->H, N, u, 1, 0, out, 1); return; }
   sneppp__gemm_f64(0, 0, fit->rank, 1, N, 1, fit->U, N, u, 1, 0, room, 1);
   sneppp__gemm_f64(1, 0, N, 1, fit->rank, 1, fit->U, N, room, 1, 0, out, 1);
}

/* Newton's method for F(v) = v'Hv - sum log v_i. With s = dv / v a step solves (1 + S) s = 1 - 2 v Hv, where S = 2 v H v
   has rows that add up to one at the minimum: conjugate gradients need a handful of products. */
static void perm_newton(perm_fit *fit)
{
   size_t  N = fit->desc.count;
   double *rhs = perm_take(N, 1), *s = perm_take(N, 1), *q = perm_take(N, 1), *r = perm_take(N, 1), *Hv = perm_take(N, 1);
   double *p = perm_take(N, 1), *t = perm_take(N, 1), *room = perm_take(fit->rank + 1, 1), *v = fit->v;
   perm_product(fit, v, Hv, room);
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
         perm_product(fit, t, q, room);
         for (size_t i = 0; i < N; i++) q[i] = p[i] + 2 * v[i] * q[i], pq += p[i] * q[i];
         alpha = rr / pq, rr = 0;
         for (size_t i = 0; i < N; i++) s[i] += alpha * p[i], r[i] -= alpha * q[i], rr += r[i] * r[i];
         for (size_t i = 0; i < N; i++) p[i] = r[i] + rr / old * p[i];
      }
      for (size_t i = 0; i < N; i++) slope += s[i] * rhs[i], worst = fmin(worst, s[i]);
      if (worst < -0.9) step = -0.9 / worst;
      for (size_t i = 0; i < N; i++) t[i] = v[i] * s[i];
      perm_product(fit, t, q, room); /* F along the step needs no further product: it is a square and logarithms */
      for (int k = 0; k < 30; k++, step *= 0.5) {
         double after = 0;
         for (size_t i = 0; i < N; i++) after += (v[i] + step * t[i]) * (Hv[i] + step * q[i]) - log(v[i] * (1 + step * s[i]));
         if (after <= before - 1e-4 * step * slope + 1e-12 * fabs(before)) break;
      }
      for (size_t i = 0; i < N; i++) v[i] *= 1 + step * s[i], Hv[i] += step * q[i];
   }
   free(rhs), free(s), free(q), free(r), free(Hv), free(p), free(t), free(room);
}

int perm_make(perm_fit *fit, const perm_desc *desc, double a, const double *b, const double *v)
{
   size_t  N = desc->count, n;
   double *ones, half = 0, *room;
   memset(fit, 0, sizeof *fit);
   fit->desc = *desc, fit->a = a;
   memcpy(fit->b, b, (size_t)desc->d * sizeof *b);
   if (!perm_prepare(fit, &half)) { perm_free(fit); return 0; }
   fit->U = perm_take(fit->rank, N), fit->v = perm_take(N, 1), fit->w = perm_take(fit->rank, 1);
   perm_features(fit, desc->x, N, fit->U);
   if (desc->form == PERM_NAIVE) {
      fit->H = perm_take(N, N);
      perm_cross(fit, desc->x, N, desc->x, N, fit->H);
      sneppp__syrk_f64(1, N, fit->rank, -1, fit->U, N, 1, fit->H, N);
   }
   if (v) memcpy(fit->v, v, N * sizeof *v);
   else { /* the best constant */
      double sum = 0;
      ones = perm_take(N, 1), room = perm_take(fit->rank + 1, 1);
      for (size_t i = 0; i < N; i++) fit->v[i] = 1;
      perm_product(fit, fit->v, ones, room);
      for (size_t i = 0; i < N; i++) sum += ones[i];
      for (size_t i = 0; i < N; i++) fit->v[i] = sqrt((double)N / (2 * sum));
      free(ones), free(room);
   }
   perm_newton(fit);
   for (size_t i = 0; i < N; i++) fit->evidence -= 2 * log(fit->v[i]) + 1;
   fit->evidence += half;
   sneppp__gemm_f64(0, 0, fit->rank, 1, N, 2, fit->U, N, fit->v, 1, 0, fit->w, 1);
   n = fit->H ? N : fit->rank;
   fit->L = perm_take(n, n);
   if (fit->H) {
      memcpy(fit->L, fit->H, N * N * sizeof *fit->L);
      for (size_t i = 0; i < N; i++) {
         double z = 0.5 / (fit->v[i] * fit->v[i]);
         fit->L[i * N + i] += z;
         fit->evidence += 0.5 * log(z);
      }
   } else { /* 1 + U Z^-1 U' */
      double *scaled = perm_take(n, N);
      for (size_t k = 0; k < n; k++)
         for (size_t i = 0; i < N; i++) scaled[k * N + i] = sqrt(2.0) * fit->v[i] * fit->U[k * N + i];
      sneppp__syrk_f64(0, n, N, 1, scaled, N, 0, fit->L, n);
      for (size_t k = 0; k < n; k++) fit->L[k * n + k] += 1;
      free(scaled);
   }
   if (!perm_chol(n, fit->L)) { perm_free(fit); return 0; }
   fit->evidence -= 0.5 * perm_log_det(n, fit->L);
   return 1;
}

void perm_free(perm_fit *fit)
{
   free(fit->at), free(fit->map), free(fit->U), free(fit->v), free(fit->H), free(fit->L), free(fit->w), free(fit->Xi);
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
   double   a0, b0[perm_most] = { 0 };
   int      have = 0;
   perm_fit now, last;
   perm_guess(desc, &a0, b0);
   memset(fit, 0, sizeof *fit), memset(&last, 0, sizeof last);
   for (int i = 0; i < 25; i++) { /* neighbours begin where the last one ended */
      double b[perm_most] = { 0 };
      for (int r = 0; r < desc->d; r++) b[r] = b0[r] * times[i / 5];
      if (!perm_make(&now, desc, a0 * times[i / 5 % 2 ? 4 - i % 5 : i % 5], b, last.v)) continue;
      if (last.v != fit->v) perm_free(&last);
      if (!have || now.evidence > fit->evidence) { perm_free(fit); *fit = now, have = 1; }
      last = now;
   }
   if (last.v != fit->v) perm_free(&last);
   return have;
}

void perm_at(const perm_fit *fit, const double *x, size_t count, double *mean, double *variance)
{
   const size_t most = 256;
   size_t  N = fit->desc.count, d = (size_t)fit->desc.d, n = fit->H ? N : fit->rank;
   double *U = perm_take(fit->rank, most), *h = fit->H ? perm_take(N, most) : NULL;
   for (size_t from = 0; from < count; from += most) {
      size_t  B = count - from < most ? count - from : most;
      double *columns = fit->H ? h : U;
      perm_features(fit, x + from * d, B, U);
      if (fit->H) { /* h(X, x) = k(X, x) - U(X)'U(x) */
         perm_cross(fit, fit->desc.x, N, x + from * d, B, h);
         sneppp__gemm_f64(1, 0, N, B, fit->rank, -1, fit->U, N, U, B, 1, h, B);
      }
      for (size_t i = 0; i < B; i++) {
         double m = 0, own = fit->H ? fit->a : 0;
         for (size_t k = 0; k < n; k++) m += (fit->H ? 2 * fit->v[k] : fit->w[k]) * columns[k * B + i];
         for (size_t k = 0; k < fit->rank && fit->H; k++) own -= U[k * B + i] * U[k * B + i];
         mean[from + i] = m, variance[from + i] = own;
      }
      perm_solve(n, fit->L, columns, B);
      for (size_t i = 0; i < B; i++) {
         double sum = 0;
         for (size_t k = 0; k < n; k++) sum += columns[k * B + i] * columns[k * B + i];
         variance[from + i] = fmax(fit->H ? variance[from + i] - sum : sum, 0);
      }
   }
   free(U), free(h);
}

/* E f^2 = U'(w w' + (L L')^-1)U, integrated: tr(Xi (w w' + L^-T L^-1)). */
double perm_integral(const perm_fit *fit)
{
   size_t  n = fit->rank;
   double *T, sum = 0;
   if (!fit->Xi) return NAN;
   T = perm_take(n, n);
   for (size_t i = 0; i < n; i++) T[i * n + i] = 1;
   perm_solve(n, fit->L, T, n);
   for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
         double inverse = 0;
         for (size_t k = i > j ? i : j; k < n; k++) inverse += T[k * n + i] * T[k * n + j];
         sum += fit->Xi[i * n + j] * (fit->w[i] * fit->w[j] + inverse);
      }
   free(T);
   return sum;
}

double perm_median(double m, double v)
{
   double mean = m * m + v, square = 2 * v * (2 * m * m + v), shape;
   if (!(square > 1e-18 * mean * mean)) return mean;
   shape = mean * mean / square;
   return sneppp__gamma_quantile(shape, 0.5, 0, 0) * square / mean;
}
