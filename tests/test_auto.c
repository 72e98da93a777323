/* AUTO: radial units on the events, widths weighed by leave-one-out. The patterns are made here, so the truth is
   known; nothing is compared with earlier results of the library itself. */
enum { auto_most = 700, auto_kinds = 5 };
static sneppp_real         auto_x[3 * auto_most], auto_y[3 * auto_most];
static const double        auto_ends[4] = {-3, 2, 4, 9};
static const char *const   auto_names[auto_kinds] = {"line", "plane", "space", "intervals", "sphere"};
static const double        auto_round = sizeof(sneppp_real) == 4 ? 2e-6 : 1e-9; /* parameters are sneppp_real */

/* 0..2: boxes of 1..3 dimensions, 3: two intervals, 4: the sphere. */
static sneppp_window auto_window(int kind)
{
   sneppp_window w;
   memset(&w, 0, sizeof w);
   w.dim = kind < 3 ? kind + 1 : kind == 3 ? 1 : 3;
   w.space = kind < 3 ? SNEPPP_SPACE_BOX : kind == 3 ? SNEPPP_SPACE_INTERVALS : SNEPPP_SPACE_SPHERE;
   for (int r = 0; r < w.dim; r++) w.lo[r] = -1 - r, w.hi[r] = 3 + 2 * r;
   if (kind == 3) w.count = 2, w.ends = auto_ends;
   return w;
}

static void auto_uniform(const sneppp_window *w, sneppp_rng *rng, double *x)
{
   if (w->space == SNEPPP_SPACE_SPHERE) { sneppp__rng_sphere(rng, 3, x); return; }
   do for (int r = 0; r < w->dim; r++) {
         double lo = w->space == SNEPPP_SPACE_BOX ? w->lo[r] : auto_ends[0], hi = w->space == SNEPPP_SPACE_BOX ? w->hi[r] : auto_ends[3];
         x[r] = lo + (hi - lo) * sneppp_rng_uniform(rng);
      }
   while (!sneppp_window_contains(w, x));
}

/* Three clusters around points that do not depend on the seed hold a share of the events; the rest is uniform. */
static sneppp_events auto_pattern(const sneppp_window *w, size_t count, double share, uint64_t seed, sneppp_real *out)
{
   sneppp_rng    rng, fixed;
   sneppp_events e;
   double        parent[3][3], x[3];
   sneppp_rng_init(&fixed, 77, 0);
   for (int k = 0; k < 3; k++) auto_uniform(w, &fixed, parent[k]);
   sneppp_rng_init(&rng, seed, 0);
   for (size_t i = 0; i < count;) {
      int k = (int)sneppp_rng_below(&rng, 3);
      if (sneppp_rng_uniform(&rng) >= share) auto_uniform(w, &rng, x);
      else {
         double norm = 0;
         for (int r = 0; r < w->dim; r++) {
            x[r] = parent[k][r] + (w->space == SNEPPP_SPACE_SPHERE ? 0.1 : 0.2) * sneppp_rng_normal(&rng);
            norm += x[r] * x[r];
         }
         for (int r = 0; w->space == SNEPPP_SPACE_SPHERE && r < 3; r++) x[r] /= sqrt(norm);
      }
      for (int r = 0; r < w->dim; r++) x[r] = (double)(out[i * (size_t)w->dim + (size_t)r] = (sneppp_real)x[r]);
      i += (size_t)sneppp_window_contains(w, x);
   }
   memset(&e, 0, sizeof e);
   e.x = out;
   e.count = count;
   return e;
}

static sneppp_status auto_fit(sneppp_model *m, const sneppp_window *w, const sneppp_events *e, int budget, sneppp_report *r, sneppp_error *err)
{
   sneppp_desc     d;
   sneppp_fit_desc f;
   sneppp_status   st;
   memset(&d, 0, sizeof d);
   memset(&f, 0, sizeof f);
   d.factor[0].window = *w;
   d.width = budget;
   f.events = e;
   st = sneppp_init(m, &d, err);
   if (st == SNEPPP_OK && (st = sneppp_fit(m, &f, r, err)) != SNEPPP_OK) sneppp_free(m);
   if (st != SNEPPP_OK) fprintf(stderr, "   %s\n", err->why);
   return st;
}

/* Bits of all parameters that decide the intensity. */
static int auto_same(const sneppp_model *a, const sneppp_model *b)
{
   size_t n = (size_t)a->n, d = (size_t)a->layer[0].d;
   return a->n == b->n && a->nodes == b->nodes && a->alpha == b->alpha && a->floor == b->floor &&
          !memcmp(a->layer[0].W, b->layer[0].W, n * d * sizeof(sneppp_real)) && !memcmp(a->layer[0].b, b->layer[0].b, n * sizeof(sneppp_real)) &&
          (!a->layer[0].width || !memcmp(a->layer[0].width, b->layer[0].width, n * d * sizeof(sneppp_real))) &&
          !memcmp(a->readout[0].V, b->readout[0].V, n * sizeof(sneppp_real));
}

/* What the best weights gain by leave-one-out over those that are trusted: two gates, and what chance may add. */
static const double auto_gate = 10;

/* Any number of events, in any window: the expected total is their number, the certificate holds, the intensity is
   positive and finite everywhere. */
TEST auto_total_and_certificate(void)
{
   static const size_t counts[] = {0, 1, 2, 5, 20, 150};
   int                 doubtful = 0;
   for (int kind = 0; kind < auto_kinds; kind++)
      for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
         sneppp_window w = auto_window(kind);
         sneppp_events e = auto_pattern(&w, counts[k], 0.7, 5 + k, auto_x);
         sneppp_model  m;
         sneppp_report r;
         sneppp_error  err;
         sneppp_rng    rng;
         double        total = -1, N = (double)counts[k];
         ASSERT_EQ_FMTm(auto_names[kind], SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err), "%d");
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
         ASSERT_IN_RANGEm(auto_names[kind], N, total, auto_round * (1 + N));
         ASSERT_EQ(SNEPPP_METHOD_AUTO, r.method);
         ASSERT_EQ(counts[k], r.events);
         ASSERT(r.gap >= 0 && r.gap * N <= auto_gate + 0.006 * N);
         doubtful += r.gap > 1e-3;
         ASSERT_EQ(m.n, r.width);
         if (N > 0) ASSERT_IN_RANGEm(auto_names[kind], N, r.expected, auto_round * (1 + N));
         if (N > 0) ASSERT(sneppp__finite(r.nll));
         sneppp_rng_init(&rng, 1, 1);
         for (int i = 0; i < 50; i++) {
            double      y[3], v;
            sneppp_real x[3];
            auto_uniform(&w, &rng, y);
            for (int q = 0; q < w.dim; q++) x[q] = (sneppp_real)y[q];
            v = (double)sneppp_intensity(&m, x);
            ASSERT(sneppp__finite(v));
            ASSERT(counts[k] ? v > 0 : v == 0);
         }
         sneppp_free(&m);
      }
   ASSERT(doubtful >= 5); /* so few events: what better weights would gain is not trusted, but told */
   PASS();
}

/* The value of weights, its slopes and its curvature, against differences. */
TEST auto_value_of_weights(void)
{
   enum { N = 6, C = 3 };
   static const double q[N] = {1, 0.5, 2, 1, 1.5, 0.25}, prior[C] = {0.3, 0, 0.7}, p[C] = {0.2, 0.5, 0.4};
   double              L[N * C], r[C], H[C * C], work[C * C], up[C], low[C], to[C], h = 1e-5, T = 1.7, value = 0, plus, minus;
   for (int i = 0; i < N * C; i++) L[i] = 1.2 + sin(3.0 * i);
   for (int i = 0; i < N; i++) value += q[i] * log(p[0] * L[C * i] + p[1] * L[C * i + 1] + p[2] * L[C * i + 2]);
   for (int c = 0; c < C; c++) value += prior[c] * log(p[c]) - T * p[c];
   ASSERT_IN_RANGE(value, sneppp__mix_value(N, C, L, q, prior, T, p, r, H), 1e-13);
   ASSERT_IN_RANGE(value, sneppp__mix_value(N, C, L, q, prior, T, p, NULL, NULL), 1e-13);
   for (int c = 0; c < C; c++) {
      memcpy(to, p, sizeof to);
      to[c] = p[c] + h, plus = sneppp__mix_value(N, C, L, q, prior, T, to, up, NULL);
      to[c] = p[c] - h, minus = sneppp__mix_value(N, C, L, q, prior, T, to, low, NULL);
      ASSERT_IN_RANGE((plus - minus) / (2 * h) + T, r[c], 1e-8);
      for (int b = c; b < C; b++) ASSERT_IN_RANGE((low[b] - up[b]) / (2 * h), H[b * C + c], 1e-7);
   }
   memcpy(to, p, sizeof to); /* Newton's steps climb, and soon there is nothing to gain: no slope is above T */
   T = 7.25;                 /* that of q and the prior */
   for (int step = 0; step < 8; step++) {
      value = sneppp__mix_value(N, C, L, q, prior, T, to, r, H);
      if (fmax(r[0], fmax(r[1], r[2])) < T * (1 + 1e-8)) break;
      ASSERT_EQ(1, sneppp__mix_newton(N, C, L, q, prior, T, to, value, r, H, work));
      ASSERT(sneppp__mix_value(N, C, L, q, prior, T, to, NULL, NULL) > value);
   }
   ASSERT(fmax(r[0], fmax(r[1], r[2])) < T * (1 + 1e-8));
   PASS();
}

/* Through the tree and by adding up all features, at events and elsewhere. */
TEST auto_tree_is_the_sum(void)
{
   for (int kind = 0; kind < auto_kinds; kind++)
      for (int budget = 0; budget <= (kind == 1 || kind == 4 ? 20 : 0); budget += 20) {
         sneppp_window w = auto_window(kind);
         sneppp_events e = auto_pattern(&w, 200, 0.8, 3, auto_x);
         sneppp_model  m, plain;
         sneppp_report r;
         sneppp_error  err;
         sneppp_rng    rng;
         double        peak = 0, tol = sizeof(sneppp_real) == 4 ? 1e-4 : 1e-10, ulp = sizeof(sneppp_real) == 4 ? 5e-7 : 1e-15;
         ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, budget, &r, &err));
         ASSERTm(auto_names[kind], m.nodes > 0);
         for (int i = 0; i < m.n; i++) {
            peak += m.alpha * (kind == 4 ? (double)m.peak[i] : (double)m.readout[0].V[i] * (double)m.readout[0].V[i]);
            /* Features of the sphere are exp(w.x + b) with a large w, which multiplies rounding errors; trees avoid it. */
            if (kind == 4 && tol < ulp * (double)m.sharp[i]) tol = ulp * (double)m.sharp[i];
         }
         plain = m;
         plain.nodes = 0;
         sneppp_rng_init(&rng, 2, 2);
         for (size_t i = 0; i < 200; i++) {
            double      y[3], a, b;
            sneppp_real x[3];
            auto_uniform(&w, &rng, y);
            for (int q = 0; q < w.dim; q++) x[q] = i % 2 ? (sneppp_real)y[q] : auto_x[i * (size_t)w.dim + (size_t)q];
            a = (double)sneppp_intensity(&m, x);
            b = (double)sneppp_intensity(&plain, x);
            ASSERT_IN_RANGEm(auto_names[kind], b, a, tol * b + 1e-12 * peak);
         }
         sneppp_free(&m);
      }
   PASS();
}

/* The count over a part is the integral of the intensity over it. */
TEST auto_counts_are_integrals(void)
{
   for (int kind = 0; kind < 4; kind++) {
      sneppp_window w = auto_window(kind), part = w;
      sneppp_events e = auto_pattern(&w, 300, 0.5, 4, auto_x);
      sneppp_region region;
      sneppp_model  m;
      sneppp_report r;
      sneppp_error  err;
      double        count = 0, sum = 0, other = 0, total = 0, lo[3] = {-0.5, -1, -2}, hi[3] = {1.5, 2, 1}, volume = 1;
      double        few_ends[2] = {-0.5, 1.5}, rest_ends[6] = {-3, -0.5, 1.5, 2, 4, 9};
      size_t        steps = kind == 2 ? 32 : kind == 1 ? 160 : 4000, cells = 1;
      ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, kind == 2 ? 16 : 0, &r, &err));
      memset(&region, 0, sizeof region);
      region.factor[0] = &part;
      for (int q = 0; q < w.dim; q++) part.lo[q] = lo[q], part.hi[q] = hi[q], volume *= (hi[q] - lo[q]) / (double)steps, cells *= steps;
      if (kind == 3) part.count = 1, part.ends = few_ends;
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &count, NULL, &err));
      for (size_t i = 0; i < cells; i++) { /* midpoints */
         sneppp_real x[3];
         size_t      c = i;
         for (int q = 0; q < w.dim; q++, c /= steps) x[q] = (sneppp_real)(lo[q] + (hi[q] - lo[q]) * ((double)(c % steps) + 0.5) / (double)steps);
         sum += (double)sneppp_intensity(&m, x) * volume;
      }
      ASSERT_IN_RANGEm(auto_names[kind], sum, count, 2e-3 * sum); /* the error of midpoints at the narrowest bumps */
      if (kind == 3) { /* the part and the rest are the whole */
         part.count = 3, part.ends = rest_ends;
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &other, NULL, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
         ASSERT_IN_RANGE(total, count + other, 1e-12 * total);
      }
      sneppp_free(&m);
   }
   PASS();
}

/* A fan of triangles around an event, and a frame with what it leaves out: exact counts add up to the total. */
TEST auto_polygons_add_up(void)
{
   static const double border[10] = {-1, -2, 3, -2, 3, 5, 0.25, 5, -1, 5};
   sneppp_window w = auto_window(1), part;
   sneppp_events e = auto_pattern(&w, 120, 0.7, 4, auto_x);
   sneppp_region region;
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   double        total = 0, count = 0, sum;
   memset(&region, 0, sizeof region);
   memset(&part, 0, sizeof part);
   region.factor[0] = &part;
   part.space = SNEPPP_SPACE_POLYGON;
   part.dim = 2;
   ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
   for (size_t at = 0; at < 30; at += 10) {
      sum = 0;
      for (size_t k = 0; k < 5; k++) {
         double xy[6];
         for (size_t q = 0; q < 2; q++) {
            xy[q] = (double)auto_x[2 * at + q];
            xy[2 + q] = border[2 * k + q];
            xy[4 + q] = border[2 * ((k + 1) % 5) + q];
         }
         part.count = 3, part.xy = xy;
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &count, NULL, &err));
         ASSERT(count > 0);
         sum += count;
      }
      ASSERT_IN_RANGE(total, sum, 1e-12 * total);
   }
   {
      static const double frame[18] = {-1, -2, 3, -2, 3, 5, 0.25, 5, -1, 5, 0, 0, 1, 0.5, 2, 3, -0.5, 1};
      static const size_t rings[2] = {5, 4};
      part.xy = frame, part.rings = 2, part.ring_size = rings, part.count = 0;
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &sum, NULL, &err));
      part.xy = frame + 10, part.rings = 0, part.ring_size = NULL, part.count = 4;
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &count, NULL, &err));
      ASSERT_IN_RANGE(total, sum + count, 1e-12 * total);
   }
   {
      static const double square[8] = {0, 0, 1.5, 0, 1.5, 2, 0, 2}; /* and a polygon that is a box */
      sneppp_window       box = w;
      part.xy = square, part.count = 4;
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &count, NULL, &err));
      box.lo[0] = box.lo[1] = 0, box.hi[0] = 1.5, box.hi[1] = 2;
      region.factor[0] = &box;
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &region, 1, &sum, NULL, &err));
      ASSERT_IN_RANGE(sum, count, 1e-12 * total);
   }
   sneppp_free(&m);
   PASS();
}

static double auto_test_nll(const sneppp_model *m, const sneppp_events *e)
{
   double nll = 1e9;
   return sneppp_test_nll(m, e, 1, 1, &nll, NULL, NULL) == SNEPPP_OK ? nll : 1e9;
}

/* Better than a constant where there is something to see, no worse where there is nothing. */
TEST auto_generalises(void)
{
   static const size_t counts[] = {5, 20, 100};
   for (int kind = 0; kind < auto_kinds; kind++) {
      sneppp_window w = auto_window(kind);
      sneppp_model  m;
      sneppp_report r;
      sneppp_error  err;
      double        mass = sneppp_window_mass(&w), constant, v;
      sneppp_events test = auto_pattern(&w, 300, 0.8, 1000, auto_y), e = auto_pattern(&w, 300, 0.8, 1, auto_x);
      ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
      constant = -(300 * log(300 / mass) - 300 - sneppp__lgamma(301)) / 300;
      v = auto_test_nll(&m, &test);
      ASSERTm(auto_names[kind], v < constant - 0.3);
      sneppp_free(&m);
      for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) { /* nothing to see */
         double   worse = 0, N = (double)counts[k], n = 600;
         uint64_t seeds = N < 50 ? 16 : 4; /* more events stray less */
         for (uint64_t seed = 0; seed < seeds; seed++) {
            e = auto_pattern(&w, counts[k], 0, 20 + seed, auto_x);
            test = auto_pattern(&w, 600, 0, 60 + seed, auto_y);
            ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
            ASSERT_EQ(SNEPPP_OK, sneppp_test_nll(&m, &test, 1, n / N, &v, NULL, &err));
            constant = -(n * log(n / mass) - n - sneppp__lgamma(n + 1)) / n;
            worse += (v - constant) / (double)seeds;
            sneppp_free(&m);
         }
         ASSERT_IN_RANGEm(auto_names[kind], 0, worse, 0.03);
      }
   }
   PASS();
}

/* A budget is kept, whatever the number of events; of many, more features are not worse, and 8 do what all do. Most of the
   time goes into the search for features, which is as long for 6 events as for 200: those take turns at the budgets. */
TEST auto_budgets(void)
{
   for (int kind = 0; kind < auto_kinds; kind++) {
      sneppp_window w = auto_window(kind);
      double        last = 1e9, constant = -(400 * log(400 / sneppp_window_mass(&w)) - 400 - sneppp__lgamma(401)) / 400;
      int           budget[2] = {1, 8};
      budget[0] += kind % 2;
      for (int k = 0; k < 2; k++)
         for (size_t N = k == kind % 2 ? 6 : 200; N <= 200; N += 194) {
            sneppp_events e = auto_pattern(&w, N, 0.9, 8, auto_x), test;
            sneppp_model  m;
            sneppp_report r;
            sneppp_error  err;
            double        total = 0;
            ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, budget[k], &r, &err));
            ASSERT(m.n >= 1 && m.n <= budget[k]);
            ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
            ASSERT_IN_RANGEm(auto_names[kind], (double)N, total, auto_round * (double)N);
            if (N == 200) {
               double v;
               test = auto_pattern(&w, 400, 0.9, 9, auto_y);
               ASSERT_EQ(SNEPPP_OK, sneppp_test_nll(&m, &test, 1, 2, &v, NULL, &err));
               ASSERTm(auto_names[kind], v < last + 0.05);
               last = v;
               if (k) {
                  sneppp_model all;
                  double       best;
                  ASSERT_EQ(SNEPPP_OK, auto_fit(&all, &w, &e, 0, &r, &err));
                  ASSERT_EQ(SNEPPP_OK, sneppp_test_nll(&all, &test, 1, 2, &best, NULL, &err));
                  ASSERTm(auto_names[kind], v < best + 0.05 && v < constant - 0.3);
                  sneppp_free(&all);
               }
            }
            sneppp_free(&m);
         }
   }
   PASS();
}

/* Bumps of a budget that overlap: near the likelihood of all of them, 0.0103 nats away on average, where EM alone is 0.0147:
   of either pattern it is more than a third farther away. */
TEST auto_budget_climbs(void)
{
   double distance = 0;
   for (uint64_t seed = 1; seed <= 3; seed += 2) {
      sneppp_window      w;
      sneppp_events      e;
      sneppp_model       all, few;
      sneppp_report      r;
      sneppp_error       err;
      sneppp_rng         g;
      sneppp_sample_desc s;
      static sneppp_real x[2 * 300], y[2 * 4000];
      memset(&w, 0, sizeof w), memset(&e, 0, sizeof e), memset(&s, 0, sizeof s);
      w.dim = 2, w.hi[0] = w.hi[1] = 1;
      sneppp_rng_init(&g, seed, 0);
      for (int i = 0; i < 300; i++) /* eight hills, and five clusters in each, of two widths */
         for (int in = 0; !in;) {
            in = 1;
            for (int k = 0; k < 2; k++) {
               double c = 0.5 + 0.3 * sin(12.9898 * (i % 8 + 1) + 78.233 * k), h = i % 4 > 1 ? 0.01 : i % 4 ? 0.03 : 0.1;
               if (i % 4) c += 0.1 * sin(37.7 * (i % 40 + 1) + 11.1 * k);
               x[2 * i + k] = (sneppp_real)(c + h * sneppp_rng_normal(&g));
               in &= x[2 * i + k] > 0 && x[2 * i + k] < 1;
            }
         }
      e.x = x, e.count = 300, s.count = 4000, s.seed = 3;
      ASSERT_EQ(SNEPPP_OK, auto_fit(&all, &w, &e, 0, &r, &err));
      ASSERT_EQ(SNEPPP_OK, auto_fit(&few, &w, &e, 24, &r, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_sample(&all, &s, y, 4000, NULL, &err));
      for (int i = 0; i < 4000; i++)
         distance += (sneppp_log_intensity(&all, y + 2 * i) - sneppp_log_intensity(&few, y + 2 * i)) / 8000;
      sneppp_free(&all), sneppp_free(&few);
   }
   ASSERT_IN_RANGE(0.0, distance, 0.0125);
   PASS();
}

/* Threads change nothing; a saved model comes back with its bits and its tree; a budget of the caller's memory. */
TEST auto_threads_and_files(void)
{
   static const int threads[] = {7, 1, 2};
   for (int kind = 0; kind < auto_kinds; kind++)
      for (int budget = 0; budget <= (kind == 1 || kind == 4 ? 12 : 0); budget += 12) {
         sneppp_window w = auto_window(kind);
         sneppp_events e = auto_pattern(&w, 100, 0.6, 6, auto_x);
         sneppp_model  alone, m;
         sneppp_report r;
         sneppp_error  err;
         size_t        bytes;
         void         *file;
         ASSERT_EQ(SNEPPP_OK, auto_fit(&alone, &w, &e, budget, &r, &err));
         for (int k = 0; k < (kind == 1 && !budget ? 3 : 1); k++) {
            sneppp_pool    *pool = sneppp_pool_make(threads[k], NULL);
            sneppp_desc     d;
            sneppp_fit_desc f;
            ASSERT(pool);
            memset(&d, 0, sizeof d);
            memset(&f, 0, sizeof f);
            d.factor[0].window = w;
            d.width = budget;
            f.events = &e;
            f.parallel = sneppp_pool_parallel(pool);
            ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
            ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
            ASSERTm(auto_names[kind], auto_same(&alone, &m));
            sneppp_free(&m);
            sneppp_pool_free(pool);
         }
         bytes = sneppp_save(&alone, NULL, 0);
         file = malloc(bytes);
         ASSERT(bytes && file);
         ASSERT_EQ(bytes, sneppp_save(&alone, file, bytes));
         ASSERT_EQ(SNEPPP_OK, sneppp_load(&m, file, bytes, NULL, 0, NULL, &err));
         ASSERTm(auto_names[kind], auto_same(&alone, &m) && m.nodes > 0);
         ASSERT(sneppp_intensity(&alone, auto_x) == sneppp_intensity(&m, auto_x));
         free(file);
         sneppp_free(&m);
         sneppp_free(&alone);
      }
   PASS();
}

TEST auto_memory(void)
{
   static double   room[40000];
   sneppp_window   w = auto_window(1);
   sneppp_events   e = auto_pattern(&w, 40, 0.9, 6, auto_x);
   sneppp_model    m, before;
   sneppp_report   r;
   sneppp_error    err;
   sneppp_desc     d;
   sneppp_fit_desc f;
   test_alloc      heap = {0, 0, 0, 0};
   sneppp_real     was;
   memset(&d, 0, sizeof d);
   memset(&f, 0, sizeof f);
   d.factor[0].window = w;
   f.events = &e;
   d.mem = room;
   d.readout = SNEPPP_READOUT_DIAGONAL;
   d.mem_bytes = sneppp_model_bytes(&d, &err); /* holds what init makes, not what AUTO will want */
   ASSERT(d.mem_bytes && d.mem_bytes < sizeof room);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   before = m;
   was = sneppp_intensity(&m, auto_x);
   ASSERT_EQ(SNEPPP_ERR_SIZE, sneppp_fit(&m, &f, &r, &err));
   ASSERT(strstr(err.why, "mem_bytes"));
   ASSERT_EQ(0, memcmp(&before, &m, sizeof m));
   ASSERT(was == sneppp_intensity(&m, auto_x));
   d.mem_bytes = sizeof room;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   ASSERT((void *)m.layer[0].W >= (void *)room && (void *)m.layer[0].W < (void *)(room + 40000));
   ASSERT_EQ(SNEPPP_OK, auto_fit(&before, &w, &e, 0, &r, &err));
   ASSERT(auto_same(&m, &before));
   sneppp_free(&before);
   sneppp_free(&m);
   d.mem = NULL, d.mem_bytes = 0, d.alloc_ctx = &heap; /* the k-th allocation fails: nothing leaks, nothing changes */
   for (int budget = 0; budget <= 2; budget += 2)
      for (size_t k = 1; k < 100; k++) {
         sneppp_status st;
         d.width = budget;
         heap.fail_at = 0;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
         before = m;
         heap.calls = 0, heap.fail_at = k;
         st = sneppp_fit(&m, &f, &r, &err);
         if (st == SNEPPP_OK) { ASSERT(k > 2); k = 100; }
         else { ASSERT_EQ(SNEPPP_ERR_MEMORY, st); ASSERT_EQ(0, memcmp(&before, &m, sizeof m)); }
         sneppp_free(&m);
         ASSERT_EQ((size_t)0, heap.live);
      }
   d.width = 0, d.mem = room, d.mem_bytes = sizeof room; /* nor in the caller's block, to the last bit of it */
   for (size_t k = 1; k < 100; k++) {
      static double keep[40000];
      sneppp_status st;
      heap.fail_at = 0;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      before = m;
      memcpy(keep, room, sizeof room);
      heap.calls = 0, heap.fail_at = k;
      st = sneppp_fit(&m, &f, &r, &err);
      if (st == SNEPPP_OK) { ASSERT(k > 2 && heap.calls < k); k = 100; }
      else {
         ASSERT_EQ(SNEPPP_ERR_MEMORY, st);
         ASSERT_EQ(0, memcmp(&before, &m, sizeof m));
         ASSERT_EQ(0, memcmp(keep, room, sizeof room));
      }
      sneppp_free(&m);
      ASSERT_EQ((size_t)0, heap.live);
   }
   PASS();
}

TEST auto_refuses_and_accepts(void)
{
   sneppp_window w = auto_window(1);
   sneppp_events e = auto_pattern(&w, 60, 0.5, 6, auto_x);
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   sneppp_desc   d;
   sneppp_fit_desc f;
   double        total = 0;
   memset(&d, 0, sizeof d);
   memset(&f, 0, sizeof f);
   d.factor[0].window = w;
   f.events = &e;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   for (int k = 0; k < 2; k++) {
      sneppp_real keep = auto_x[2 * 41];
      auto_x[2 * 41] = k ? (sneppp_real)sneppp__nan() : (sneppp_real)1e6;
      ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_fit(&m, &f, &r, &err));
      ASSERT_EQ((size_t)41, err.event);
      ASSERT(strstr(err.why, "41"));
      auto_x[2 * 41] = keep;
   }
   f.resolution = 0.5; /* a step cannot be given, only searched for or not */
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, &r, &err));
   ASSERT(strstr(err.why, "fit.resolution = 0.5 must be 0 or SNEPPP_NONE"));
   sneppp_free(&m);
   for (int kind = 0; kind < auto_kinds; kind++) /* all events at one point */
      for (int budget = 0; budget <= 8; budget += 8) {
         w = auto_window(kind);
         e = auto_pattern(&w, 50, 0, 3, auto_x);
         for (size_t i = 1; i < 50; i++) memcpy(auto_x + i * (size_t)w.dim, auto_x, (size_t)w.dim * sizeof *auto_x);
         ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, budget, &r, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
         ASSERT_IN_RANGEm(auto_names[kind], 50, total, sizeof(sneppp_real) == 4 ? 1e-3 : 1e-5); /* sphere: exp(2b + 2|w|), |w| ~ 1e8 */
         ASSERT(sneppp__finite((double)sneppp_intensity(&m, auto_x)));
         sneppp_free(&m);
      }
   PASS();
}

/* The answer does not depend on units and origin: a window of 100 m in metres at 5,000 km. */
TEST auto_units_do_not_matter(void)
{
   sneppp_window w, far;
   sneppp_events e, g;
   sneppp_model  a, b;
   sneppp_report r, q;
   sneppp_error  err;
   memset(&w, 0, sizeof w);
   w.dim = 2;
   w.hi[0] = w.hi[1] = 1;
   far = w;
   far.lo[0] = 524288, far.hi[0] = far.lo[0] + 128, far.lo[1] = 4194304, far.hi[1] = far.lo[1] + 64; /* exact in float */
   e = auto_pattern(&w, 300, 0.5, 6, auto_x);
   for (size_t i = 0; i < 300; i++) { /* on a grid that survives the move */
      for (size_t k = 0; k < 2; k++) auto_x[2 * i + k] = (sneppp_real)(floor((double)auto_x[2 * i + k] * 32) / 32);
      auto_y[2 * i] = (sneppp_real)(far.lo[0] + 128 * (double)auto_x[2 * i]);
      auto_y[2 * i + 1] = (sneppp_real)(far.lo[1] + 64 * (double)auto_x[2 * i + 1]);
   }
   g = e;
   g.x = auto_y;
   ASSERT_EQ(SNEPPP_OK, auto_fit(&a, &w, &e, 0, &r, &err));
   ASSERT_EQ(SNEPPP_OK, auto_fit(&b, &far, &g, 0, &q, &err));
   ASSERT_EQ(a.n, b.n);
   ASSERT_IN_RANGE(r.nll + log(128.0 * 64), q.nll, 1e-4);
   for (size_t i = 0; i < 300; i += 10) {
      double u = (double)sneppp_intensity(&a, auto_x + 2 * i), v = 8192 * (double)sneppp_intensity(&b, auto_y + 2 * i);
      ASSERT_IN_RANGE(u, v, 1e-3 * u);
   }
   sneppp_free(&a);
   sneppp_free(&b);
   PASS();
}

static int auto_stop(const sneppp_report *now, const sneppp_model *m, void *user)
{
   (void)now, (void)m, (void)user;
   return 1;
}

/* Several realisations share the intensity; a caller may stop; events may come from a source. */
static size_t auto_source(sneppp_real *dst, size_t first, size_t count, void *user)
{
   memcpy(dst, (const sneppp_real *)user + 2 * first, 2 * count * sizeof *dst);
   return count;
}

TEST auto_data(void)
{
   sneppp_window   w = auto_window(1);
   sneppp_events   e = auto_pattern(&w, 200, 0.5, 6, auto_x), two[2];
   sneppp_model    a, b;
   sneppp_report   r;
   sneppp_error    err;
   sneppp_desc     d;
   sneppp_fit_desc f;
   double          total = 0;
   memset(&d, 0, sizeof d);
   memset(&f, 0, sizeof f);
   d.factor[0].window = w;
   ASSERT_EQ(SNEPPP_OK, auto_fit(&a, &w, &e, 0, &r, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&b, &d, &err));
   e.x = NULL, e.read = auto_source, e.user = auto_x;
   f.events = &e;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&b, &f, &r, &err));
   ASSERT(auto_same(&a, &b));
   two[0] = two[1] = e;
   two[0].read = two[1].read = NULL;
   two[0].x = auto_x, two[0].count = 120;
   two[1].x = auto_x + 240, two[1].count = 80;
   f.events = two, f.realisations = 2;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&b, &f, &r, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&b, NULL, 1, &total, NULL, &err));
   ASSERT_IN_RANGE(100, total, 100 * auto_round);
   sneppp_free(&a);
   f.progress = auto_stop;
   a = b;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&b, &f, &r, &err));
   ASSERT_EQ(SNEPPP_ENDING_ASKED_TO_STOP, r.ending);
   ASSERT_EQ(0, memcmp(&a, &b, sizeof a));
   sneppp_free(&b);
   PASS();
}

/* ---- products, partial views, polygons and weights */

/* Space x time: each cluster is awake in its own third of the time [0, 100]. kind as in auto_window (1 or 4), three
   coordinates of space and one of time at most. */
static sneppp_events auto_space_time(int kind, size_t count, uint64_t seed, sneppp_real *out)
{
   static const double seat[3][3] = {{0.6, 0.8, 0}, {0, -0.6, 0.8}, {-1, 0, 0}};
   sneppp_window w = auto_window(kind);
   sneppp_rng    rng;
   sneppp_events e;
   size_t        D = (size_t)w.dim + 1;
   sneppp_rng_init(&rng, seed, 3);
   for (size_t i = 0; i < count;) {
      double x[3], t = 100 * sneppp_rng_uniform(&rng), norm = 0;
      int    k = (int)(t / 33.4);
      if (sneppp_rng_uniform(&rng) < 0.3) auto_uniform(&w, &rng, x);
      else {
         for (int r = 0; r < w.dim; r++) {
            x[r] = seat[k][r] + (kind == 4 ? 0 : 1) + 0.25 * sneppp_rng_normal(&rng);
            norm += x[r] * x[r];
         }
         for (int r = 0; kind == 4 && r < 3; r++) x[r] /= sqrt(norm);
      }
      for (int r = 0; r < w.dim; r++) x[r] = (double)(out[i * D + (size_t)r] = (sneppp_real)x[r]);
      out[i * D + D - 1] = (sneppp_real)t;
      i += (size_t)sneppp_window_contains(&w, x);
   }
   memset(&e, 0, sizeof e);
   e.x = out;
   e.count = count;
   return e;
}

static sneppp_desc auto_product(int kind)
{
   sneppp_desc d;
   memset(&d, 0, sizeof d);
   d.factor[0].window = auto_window(kind);
   d.factor[1].window = auto_window(0);
   d.factor[1].window.lo[0] = 0, d.factor[1].window.hi[0] = 100;
   return d;
}

/* On the sphere and in time: where clusters last longer bumps are longer in time, beside their width in space. */
TEST auto_axes_follow_the_clusters(void)
{
   enum { N = 48 };
   static sneppp_real x[4 * N];
   const sneppp_desc  d = auto_product(4);
   double             lasts[2];
   for (int slow = 0; slow < 2; slow++) { /* 2 or 25 of 100, each at a time of its own */
      sneppp_events   e;
      sneppp_fit_desc f;
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      sneppp_rng      rng;
      double          seat[4][4], y[4];
      sneppp_rng_init(&rng, 31, 4);
      for (int k = 0; k < 4; k++) sneppp__rng_sphere(&rng, 3, seat[k]), seat[k][3] = 100 * sneppp_rng_uniform(&rng);
      for (size_t i = 0; i < N;) {
         double norm = 0;
         for (int q = 0; q < 3; q++) y[q] = seat[i % 4][q] + 0.1 * sneppp_rng_normal(&rng), norm += y[q] * y[q];
         y[3] = seat[i % 4][3] + (slow ? 25 : 2) * sneppp_rng_normal(&rng);
         for (int q = 0; q < 4; q++) x[4 * i + (size_t)q] = (sneppp_real)(q < 3 ? y[q] / sqrt(norm) : y[q]);
         i += y[3] > 0 && y[3] < 100;
      }
      memset(&e, 0, sizeof e), memset(&f, 0, sizeof f);
      e.x = x, e.count = N, f.events = &e;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
      lasts[slow] = r.axes[3];
      sneppp_free(&m);
   }
   ASSERT(lasts[0] > 0 && lasts[1] > 3 * lasts[0]);
   PASS();
}

/* Where all events have one number in common, bumps are narrow across it: it is not taken for one that was rounded. */
TEST auto_events_on_a_line(void)
{
   sneppp_window w = auto_window(1);
   sneppp_rng    rng;
   sneppp_events e;
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   sneppp_rng_init(&rng, 3, 3);
   for (int i = 0; i < 200; i++) auto_x[2 * i] = (sneppp_real)0.7, auto_x[2 * i + 1] = (sneppp_real)(-2 + 7 * sneppp_rng_uniform(&rng));
   memset(&e, 0, sizeof e);
   e.x = auto_x, e.count = 200;
   ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
   for (int i = 1; i < 6; i++) {
      sneppp_real at[2];
      double      on;
      at[0] = (sneppp_real)0.7, at[1] = (sneppp_real)(-2 + i);
      on = (double)sneppp_intensity(&m, at);
      at[0] = (sneppp_real)1.7;
      ASSERT(on > 5 * (double)sneppp_intensity(&m, at));
   }
   sneppp_free(&m);
   PASS();
}

/* What a fit by hand would give: the expected total, and better than the constant and than the convex problem on the
   default features; everything that can be asked of a product agrees with the intensity. */
TEST auto_products(void)
{
   enum { N = 240 };
   static sneppp_real train[4 * N], test[4 * N];
   double             constrained = 0; /* by the convex problem, which knows no budget */
   for (int kind = 1; kind <= 4; kind += 3)
      for (int budget = 0; budget <= 12; budget += 12) {
         sneppp_desc     d = auto_product(kind);
         sneppp_events   e = auto_space_time(kind, N, 1, train), other = auto_space_time(kind, N, 2, test);
         size_t          D = (size_t)d.factor[0].window.dim + 1;
         sneppp_model    m, plain, map;
         sneppp_fit_desc f;
         sneppp_report   r;
         sneppp_error    err;
         sneppp_region   cell;
         sneppp_window   time = d.factor[1].window;
         double          total = 0, sum = 0, count = 0, nll, constant, tol = sizeof(sneppp_real) == 4 ? 1e-4 : 1e-9;
         memset(&f, 0, sizeof f);
         memset(&cell, 0, sizeof cell);
         f.events = &e;
         d.width = budget;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
         ASSERT_EQ(SNEPPP_METHOD_AUTO, r.method);
         ASSERT(m.nodes > 0 && m.desc.group > 0 && (!budget || m.n < budget));
         ASSERT_EQ(1, r.axes[0]);
         ASSERT(r.axes[D - 1] > 1 && r.axes[D - 1] < 1000); /* clusters of 0.25 that last for 33 */
         ASSERT(r.gap >= 0 && r.gap <= auto_gate / (double)r.events + 0.006);
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
         ASSERT_IN_RANGE(N, total, N * auto_round);
         cell.factor[1] = &time; /* five cells of time */
         for (int k = 0; k < 5; k++) {
            time.lo[0] = 20 * k, time.hi[0] = 20 * k + 20;
            ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &cell, 1, &count, NULL, &err));
            ASSERT_IN_RANGE(N / 5, count, 0.35 * N / 5);
            sum += count;
         }
         ASSERT_IN_RANGE(total, sum, 1e-10 * total);
         nll = auto_test_nll(&m, &other);
         constant = -log(N / sneppp_window_mass(&d.factor[0].window) / 100) + 1 + sneppp__lgamma(N + 1.0) / N;
         if (!budget) {
            f.method = SNEPPP_METHOD_CONVEX, f.floor = 0.05;
            ASSERT_EQ(SNEPPP_OK, sneppp_init(&plain, &d, &err));
            ASSERT_EQ(SNEPPP_OK, sneppp_fit(&plain, &f, &r, &err));
            constrained = auto_test_nll(&plain, &other);
            sneppp_free(&plain);
         }
         ASSERT(nll < constant - 0.5);
         ASSERT(nll < constrained);
         plain = m;
         plain.nodes = 0;
         for (size_t i = 0; i < 40; i++) { /* the tree, a map of one moment */
            const sneppp_real *x = (i % 2 ? test : train) + i * D;
            double             v = (double)sneppp_intensity(&m, x);
            ASSERT(v > 0);
            ASSERT_IN_RANGE(1, (double)sneppp_intensity(&plain, x) / v, tol);
            if (i > 3) continue;
            ASSERT_EQ(SNEPPP_OK, sneppp_conditional(&m, 1, x + D - 1, &map, &err));
            ASSERT_IN_RANGE(1, (double)sneppp_intensity(&map, x) / v, tol);
            sneppp_free(&map);
         }
         time.lo[0] = 10, time.hi[0] = 45;
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &cell, 1, &count, NULL, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_marginal(&m, 1, &time, &map, &err)); /* the map of some weeks */
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&map, NULL, 1, &sum, NULL, &err));
         ASSERT(map.nodes > 0);
         ASSERT_IN_RANGE(count, sum, count * auto_round);
         sneppp_free(&map);
         ASSERT_EQ(SNEPPP_OK, sneppp_marginal(&m, 0, NULL, &map, &err)); /* the profile of all places */
         cell.factor[0] = &time, cell.factor[1] = NULL;
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&map, &cell, 1, &sum, NULL, &err));
         ASSERT_IN_RANGE(count, sum, count * auto_round);
         sneppp_free(&map);
         sneppp_free(&m);
      }
   PASS();
}

/* A gap in time: nothing was watched from 40 to 55. The total of what was seen is exact, and the gap is filled by what
   is on both sides: the cluster that is awake, at the rate at which it is. */
TEST auto_fills_gaps(void)
{
   static sneppp_real  train[4 * 600];
   static const double ends[4] = {0, 40, 55, 100};
   for (int kind = 1; kind <= 4; kind += 3) {
      sneppp_desc     d = auto_product(kind);
      size_t          D = (size_t)d.factor[0].window.dim + 1, kept = 0;
      sneppp_events   e = auto_space_time(kind, 600, 9, train);
      sneppp_window   seen, gap = d.factor[1].window;
      sneppp_region   watched, hole;
      sneppp_model    m;
      sneppp_fit_desc f;
      sneppp_report   r;
      sneppp_error    err;
      double          count = 0;
      memset(&seen, 0, sizeof seen);
      memset(&watched, 0, sizeof watched);
      memset(&hole, 0, sizeof hole);
      memset(&f, 0, sizeof f);
      seen.space = SNEPPP_SPACE_INTERVALS, seen.dim = 1, seen.count = 2, seen.ends = ends;
      gap.lo[0] = 40, gap.hi[0] = 55;
      watched.factor[1] = &seen, hole.factor[1] = &gap;
      f.events = &e;
      e.seen = &watched;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_fit(&m, &f, &r, &err)); /* some lie in the gap */
      ASSERT(strstr(err.why, "seen"));
      for (size_t i = 0; i < 600; i++) {
         double t = (double)train[i * D + D - 1];
         if (t > 40 && t < 55) continue;
         memmove(train + kept++ * D, train + i * D, D * sizeof *train);
      }
      e.count = kept;
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
      ASSERT_EQ(SNEPPP_METHOD_AUTO, r.method);
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &watched, 1, &count, NULL, &err));
      ASSERT_IN_RANGE((double)kept, count, (double)kept * auto_round);
      ASSERT_IN_RANGE((double)kept, r.expected, (double)kept * auto_round);
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &hole, 1, &count, NULL, &err));
      ASSERT_IN_RANGE(90, count, 27); /* 15 of 100 days, by the 30 days beside it: three standard deviations */
      sneppp_free(&m);
   }
   PASS();
}

/* Watched for a third of the time, in ten pieces: each gap is filled, whatever share of the line the gaps before it
   hide. The truth is a ramp; a gap's count is the mean of what was seen beside it, so it strays as a count does. */
enum { auto_pieces = 10, auto_long = 4000 };
static double auto_ramp(double a, double b) { return auto_long * (0.5 * (b - a) + 0.5 * (b * b - a * a)); }

TEST auto_fills_many_gaps(void)
{
   static sneppp_real x[auto_long];
   double             ends[2 * auto_pieces];
   for (int budget = 0; budget <= 60; budget += 60) {
      sneppp_window   w = auto_window(0), seen = w, gap = w;
      sneppp_region   watched, hole;
      sneppp_events   e;
      sneppp_desc     d;
      sneppp_fit_desc f;
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      sneppp_rng      rng;
      double          count = 0;
      memset(&watched, 0, sizeof watched);
      memset(&hole, 0, sizeof hole);
      memset(&e, 0, sizeof e);
      memset(&d, 0, sizeof d);
      memset(&f, 0, sizeof f);
      w.lo[0] = 0, w.hi[0] = 1;
      for (int k = 0; k < auto_pieces; k++) ends[2 * k] = 0.1 * k, ends[2 * k + 1] = 0.1 * k + 1.0 / 30;
      seen.space = SNEPPP_SPACE_INTERVALS, seen.count = auto_pieces, seen.ends = ends;
      watched.factor[0] = &seen, hole.factor[0] = &gap;
      sneppp_rng_init(&rng, 11, 0);
      for (int i = 0; i < auto_long; i++) { /* density 1/2 + t on the unit interval */
         double t = sqrt(0.25 + 2 * sneppp_rng_uniform(&rng)) - 0.5;
         x[e.count] = (sneppp_real)t;
         t = (double)x[e.count];
         e.count += (size_t)sneppp_window_contains(&seen, &t);
      }
      e.x = x, e.seen = &watched;
      f.events = &e;
      d.factor[0].window = w, d.width = budget;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &watched, 1, &count, NULL, &err));
      ASSERT_IN_RANGE((double)e.count, count, (double)e.count * auto_round);
      for (int k = 0; k < auto_pieces; k++) {
         double truth;
         gap.lo[0] = ends[2 * k + 1], gap.hi[0] = 0.1 * (k + 1);
         if (k == auto_pieces - 1) gap.hi[0] = 1;
         truth = auto_ramp(gap.lo[0], gap.hi[0]);
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &hole, 1, &count, NULL, &err));
         ASSERT_IN_RANGE(truth, count, 3 * sqrt(truth) + (k == auto_pieces - 1 ? 0.1 * truth : 0)); /* the last continues what was */
         for (int q = 1; q < 10; q++) { /* nor is there an empty place within */
            double      t = gap.lo[0] + 0.1 * q * (gap.hi[0] - gap.lo[0]);
            sneppp_real at = (sneppp_real)t;
            ASSERT_IN_RANGE(1, (double)sneppp_intensity(&m, &at) / (auto_long * (0.5 + t)), 0.35);
         }
      }
      sneppp_free(&m);
   }
   PASS();
}

/* The extremes: one short look at a long line, in the middle and at an end; a sliver beside a gap whose other side is
   well known and differs; more events than centres. The rate is the same everywhere. */
TEST auto_fills_what_is_mostly_hidden(void)
{
   enum { most = 2 * SNEPPP__CENTRES };
   static sneppp_real  x[most];
   static const double looks[4][4] = {{0.5, 0.52, 0.5, 0.52}, {0, 0.01, 0, 0.01}, {0, 0.0005, 0.4, 1}, {0.1, 0.4, 0.7, 0.8}};
   for (int kind = 0; kind < 4; kind++) {
      sneppp_window   w = auto_window(0), seen = w;
      sneppp_region   watched;
      sneppp_events   e;
      sneppp_desc     d;
      sneppp_fit_desc f;
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      sneppp_rng      rng;
      double          per = kind == 3 ? 3 * SNEPPP__CENTRES : kind == 2 ? 1000 : 20000, total = 0, spread;
      memset(&watched, 0, sizeof watched);
      memset(&e, 0, sizeof e);
      memset(&d, 0, sizeof d);
      memset(&f, 0, sizeof f);
      w.lo[0] = 0, w.hi[0] = 1;
      seen.space = SNEPPP_SPACE_INTERVALS, seen.count = kind < 2 ? 1 : 2, seen.ends = looks[kind];
      watched.factor[0] = &seen;
      sneppp_rng_init(&rng, 12, (uint64_t)kind);
      while ((double)e.count < per * sneppp_window_mass(&seen)) {
         double t = sneppp_rng_uniform(&rng);
         x[e.count] = (sneppp_real)t;
         t = (double)x[e.count];
         e.count += (size_t)sneppp_window_contains(&seen, &t);
      }
      if (kind == 2) for (size_t i = 0; i < 4; i++) x[i] = (sneppp_real)(0.0001 * (double)i); /* a burst in the sliver */
      e.x = x, e.seen = &watched;
      f.events = &e;
      d.factor[0].window = w;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
      spread = per / sqrt((double)e.count); /* of a rate that is known from so many events */
      ASSERT_IN_RANGE(per, total, 3 * spread);
      for (int q = 1; q < 40; q++) { /* as many nats as a rate known from 50 events or so strays by */
         sneppp_real at = (sneppp_real)(0.025 * q);
         ASSERT_IN_RANGE(0, log((double)sneppp_intensity(&m, &at) / per), 0.5);
      }
      sneppp_free(&m);
   }
   PASS();
}

/* Eight gaps in the time of sphere x time and box x time hide more than half of it; each is filled by the cluster that
   is awake around it. And a box of two lines, each with gaps: also where both were not watched. */
TEST auto_fills_gaps_of_products(void)
{
   static sneppp_real train[4 * 3000];
   double             ends[18];
   for (int k = 0; k < 9; k++) ends[2 * k] = 11.5 * k, ends[2 * k + 1] = 11.5 * k + 5; /* a gap of 6.5 after each */
   for (int kind = 1; kind <= 7; kind += 3) {
      sneppp_desc     d = auto_product(kind < 7 ? kind : 0);
      size_t          D = (size_t)d.factor[0].window.dim + 1, kept = 0;
      sneppp_events   e;
      sneppp_window   seen, part = d.factor[1].window, other = part;
      sneppp_region   watched, hole;
      sneppp_model    m;
      sneppp_fit_desc f;
      sneppp_report   r;
      sneppp_error    err;
      sneppp_rng      rng;
      double          count = 0;
      memset(&seen, 0, sizeof seen);
      memset(&watched, 0, sizeof watched);
      memset(&hole, 0, sizeof hole);
      memset(&f, 0, sizeof f);
      seen.space = SNEPPP_SPACE_INTERVALS, seen.dim = 1, seen.count = 9, seen.ends = ends;
      watched.factor[1] = &seen, hole.factor[1] = &part;
      if (kind < 7) e = auto_space_time(kind, 1500, 9, train);
      else {
         d.factor[0].window = d.factor[1].window, watched.factor[0] = &seen, hole.factor[0] = &other;
         sneppp_rng_init(&rng, 9, 0);
         for (size_t i = 0; i < 6000; i++) train[i] = (sneppp_real)(100 * sneppp_rng_uniform(&rng));
         memset(&e, 0, sizeof e);
         e.x = train, e.count = 3000;
      }
      for (size_t i = 0; i < e.count; i++) {
         double t = (double)train[i * D + D - 1], s = (double)train[i * D];
         if (!sneppp_window_contains(&seen, &t) || (kind == 7 && !sneppp_window_contains(&seen, &s))) continue;
         memmove(train + kept++ * D, train + i * D, D * sizeof *train);
      }
      f.events = &e;
      e.seen = &watched, e.count = kept;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
      ASSERT_EQ(SNEPPP_METHOD_AUTO, r.method);
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &watched, 1, &count, NULL, &err));
      ASSERT_IN_RANGE((double)kept, count, (double)kept * auto_round);
      for (int k = 0; k < 8; k++)
         for (int q = 0; q < (kind == 7 ? 8 : 1); q++) {
            double truth = kind < 7 ? 1500 * 0.065 : 3000 * 0.065 * 0.065;
            part.lo[0] = 11.5 * k + 5, part.hi[0] = 11.5 * k + 11.5;
            other.lo[0] = 11.5 * q + 5, other.hi[0] = 11.5 * q + 11.5;
            ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, &hole, 1, &count, NULL, &err));
            ASSERT_IN_RANGE(truth, count, 3 * sqrt(truth));
         }
      for (int k = 0; kind == 4 && k < 3; k++) { /* who is awake: the cluster, not the others */
         static const double seat[3][3] = {{0.6, 0.8, 0}, {0, -0.6, 0.8}, {-1, 0, 0}};
         double              here[3];
         sneppp_real         at[4];
         at[3] = (sneppp_real)(k == 0 ? 20 : k == 1 ? 54 : 88); /* each in a gap */
         for (int q = 0; q < 3; q++) {
            for (int c = 0; c < 3; c++) at[c] = (sneppp_real)seat[q][c];
            here[q] = (double)sneppp_intensity(&m, at);
         }
         ASSERT(here[k] > 10 * here[(k + 1) % 3] && here[k] > 10 * here[(k + 2) % 3]);
      }
      sneppp_free(&m);
   }
   PASS();
}

/* Windows with an outline: an L with a hole. Bumps are divided by their mass in it, which the closed forms of the model
   find in another way. */
TEST auto_outlines(void)
{
   static const double xy[20] = {0, 0, 8, 0, 8, 3, 3, 3, 3, 8, 0, 8, 1, 1, 2, 1, 2, 2, 1, 2};
   static const size_t rings[2] = {6, 4};
   for (int timed = 0; timed < 2; timed++) {
      sneppp_desc     d = auto_product(1);
      sneppp_window   w;
      sneppp_rng      rng;
      sneppp_events   e, other;
      sneppp_model    m;
      sneppp_fit_desc f;
      sneppp_report   r;
      sneppp_error    err;
      size_t          D = 2 + (size_t)timed;
      double          total = 0;
      memset(&w, 0, sizeof w);
      memset(&f, 0, sizeof f);
      memset(&e, 0, sizeof e);
      w.space = SNEPPP_SPACE_POLYGON, w.dim = 2, w.xy = xy, w.rings = 2, w.ring_size = rings;
      d.factor[0].window = w;
      if (!timed) memset(&d.factor[1], 0, sizeof d.factor[1]);
      sneppp_rng_init(&rng, 6, 6);
      for (size_t i = 0; i < 600; i++) {
         double x[2];
         do
            for (int q = 0; q < 2; q++)
               x[q] = i % 3 ? (q ? 2.7 : 6) + 0.4 * sneppp_rng_normal(&rng) : 8 * sneppp_rng_uniform(&rng);
         while (!sneppp_window_contains(&w, x));
         for (size_t q = 0; q < 2; q++) (i < 300 ? auto_x : auto_y)[i % 300 * D + q] = (sneppp_real)x[q];
         if (timed) (i < 300 ? auto_x : auto_y)[i % 300 * D + 2] = (sneppp_real)(100 * sneppp_rng_uniform(&rng));
      }
      e.x = auto_x, e.count = 300;
      other = e, other.x = auto_y;
      f.events = &e;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
      ASSERT_EQ(SNEPPP_METHOD_AUTO, r.method);
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
      ASSERT_IN_RANGE(300, total, 300 * auto_round);
      ASSERT(auto_test_nll(&m, &other) <
             -log(300 / sneppp_window_mass(&w) / (timed ? 100 : 1)) + 1 + sneppp__lgamma(301.0) / 300 - 0.5);
      sneppp_free(&m);
   }
   PASS();
}

/* Events of weight 0 are not there, a common factor is a factor of the intensity, and bad weights are refused. */
TEST auto_weights(void)
{
   static sneppp_real weight[auto_most];
   for (int kind = 0; kind < auto_kinds; kind++) {
      sneppp_window w = auto_window(kind);
      sneppp_events e = auto_pattern(&w, 200, 0.7, 8, auto_x), some = e;
      sneppp_model  a, b;
      sneppp_report r;
      sneppp_error  err;
      sneppp_desc   d;
      sneppp_fit_desc f;
      double        total = 0;
      memset(&d, 0, sizeof d);
      memset(&f, 0, sizeof f);
      d.factor[0].window = w;
      f.events = &e;
      some.count = 150;
      for (size_t i = 0; i < 200; i++) weight[i] = i < 150 ? 3 : 0;
      e.weight = weight;
      ASSERT_EQ(SNEPPP_OK, auto_fit(&a, &w, &some, 0, &r, &err));
      ASSERT_EQ(SNEPPP_OK, auto_fit(&b, &w, &e, 0, &r, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&b, NULL, 1, &total, NULL, &err));
      ASSERT_IN_RANGE(450, total, 450 * auto_round);
      for (size_t i = 0; i < 50; i++) {
         const sneppp_real *x = auto_x + i * (size_t)w.dim;
         ASSERT_IN_RANGE(3, (double)sneppp_intensity(&b, x) / (double)sneppp_intensity(&a, x), 0.05); /* the shuffle moves the last bits of the solver */
      }
      sneppp_free(&a);
      weight[7] = -1;
      ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_fit(&b, &f, &r, &err));
      ASSERT_EQ((size_t)7, err.event);
      ASSERT(strstr(err.why, "weight"));
      for (size_t i = 0; i < 200; i++) weight[i] = 0;
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&b, &f, &r, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&b, NULL, 1, &total, NULL, &err));
      ASSERT_EQ(0, total);
      sneppp_free(&b);
   }
   PASS();
}

/* Where there are no bumps waves are tuned: an even disc stays even, where fast waves would chase its events. */
TEST auto_elsewhere_tunes(void)
{
   sneppp_window w;
   sneppp_events e;
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   sneppp_rng    rng;
   double        far = 0, truth = 200 / 3.14159265358979;
   memset(&w, 0, sizeof w), memset(&e, 0, sizeof e);
   w.space = SNEPPP_SPACE_BALL, w.dim = 2, w.radius = 1;
   e.x = auto_x, e.count = 200;
   sneppp_rng_init(&rng, 7, 0);
   for (size_t i = 0; i < e.count; i++) {
      double x[2];
      ASSERT(sneppp_window_draw(&w, &rng, x));
      for (size_t k = 0; k < 2; k++) auto_x[2 * i + k] = (sneppp_real)x[k];
   }
   ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
   ASSERT_EQ(SNEPPP_METHOD_CONVEX, r.method);
   for (int i = 0; i < 400; i++) {
      double x[2];
      sneppp_real at[2];
      ASSERT(sneppp_window_draw(&w, &rng, x));
      at[0] = (sneppp_real)x[0], at[1] = (sneppp_real)x[1];
      far += log(truth / (double)sneppp_intensity(&m, at)) / 400;
   }
   ASSERT(far < 0.05); /* 0.28 before */
   ASSERT(r.held_out > r.nll && r.held_out < r.nll + 0.1);
   sneppp_free(&m);
   PASS();
}

/* Days and years of age are rounded down, others up or to the nearest number: which, the walls of the window tell. */
TEST auto_rounded_how(void)
{
   for (int how = 0; how < 3; how++) {
      sneppp_window w = auto_window(0), part[3];
      sneppp_region region[3];
      sneppp_events e;
      sneppp_model  m;
      sneppp_report r;
      sneppp_error  err;
      sneppp_rng    rng;
      double        count[3];
      w.lo[0] = 100, w.hi[0] = 110;
      memset(&e, 0, sizeof e), memset(region, 0, sizeof region);
      e.x = auto_x, e.count = 600;
      sneppp_rng_init(&rng, 3, 4);
      for (size_t i = 0; i < e.count; i++)
         auto_x[i] = (sneppp_real)(100 + floor(10 * sneppp_rng_uniform(&rng) + 0.5 * how));
      ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
      ASSERT_IN_RANGE(1, r.resolution[0], 1e-6);
      for (int k = 0; k < 3; k++) {
         part[k] = w, part[k].lo[0] = k == 2 ? 109 : 100 + 4 * k, part[k].hi[0] = part[k].lo[0] + 1;
         region[k].factor[0] = &part[k];
      }
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, region, 3, count, NULL, &err));
      for (int k = 0; k < 3; k++) ASSERT_IN_RANGE(60, count[k], 14); /* half of them, or half as many again, before */
      sneppp_free(&m);
   }
   PASS();
}

/* Days are rounded: thirty events share each, and no bump is so narrow that it only says so. */
TEST auto_rounded(void)
{
   sneppp_window w = auto_window(0);
   sneppp_events e;
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   sneppp_rng    rng;
   sneppp_real   day = 5, noon = (sneppp_real)5.5;
   w.lo[0] = 0, w.hi[0] = 20;
   memset(&e, 0, sizeof e);
   e.x = auto_x, e.count = 600;
   sneppp_rng_init(&rng, 3, 3);
   for (size_t i = 0; i < 600; i++) auto_x[i] = (sneppp_real)floor(20 * sneppp_rng_uniform(&rng));
   ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
   ASSERT_IN_RANGE(30, (double)sneppp_intensity(&m, &day), 10);
   ASSERT_IN_RANGE(30, (double)sneppp_intensity(&m, &noon), 10);
   ASSERT_IN_RANGE(1, r.resolution[0], 1e-6);
   ASSERT_EQ_FMT((size_t)600, r.rounded, "%zu");
   sneppp_free(&m);
   PASS();
}

/* Days that two or three events share are found, too; a file that was read twice has no step. */
TEST auto_rounded_by_two(void)
{
   sneppp_window w = auto_window(0);
   sneppp_events e;
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   sneppp_rng    rng;
   w.lo[0] = 0, w.hi[0] = 300;
   memset(&e, 0, sizeof e);
   e.x = auto_x, e.count = 700;
   for (int days = 0; days < 2; days++) {
      sneppp_rng_init(&rng, 3, 5);
      for (size_t i = 0; i < 700; i++) {
         double t = 300 * sneppp_rng_uniform(&rng);
         auto_x[i] = days ? (sneppp_real)floor(t) : i < 350 ? (sneppp_real)t : auto_x[i - 350];
      }
      ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
      ASSERT_IN_RANGE(days, r.resolution[0], 1e-6);
      ASSERT_EQ_FMT(days ? (size_t)700 : 0, r.rounded, "%zu");
      sneppp_free(&m);
   }
   PASS();
}

/* A hundred events of a year by day: few share a day, but none lies between two days. Where no number is shared nothing is
   told, whatever the steps. */
TEST auto_rounded_few(void)
{
   sneppp_window w = auto_window(0);
   sneppp_events e;
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   sneppp_rng    rng;
   w.lo[0] = 0, w.hi[0] = 366;
   memset(&e, 0, sizeof e);
   e.x = auto_x, e.count = 100;
   for (int shared = 0; shared < 2; shared++) {
      sneppp_rng_init(&rng, 3, 5);
      for (size_t i = 0; i < 100; i++)
         auto_x[i] = (sneppp_real)floor(shared ? 366 * sneppp_rng_uniform(&rng) : 3.66 * ((double)i + sneppp_rng_uniform(&rng)));
      ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
      ASSERT_IN_RANGE(shared, r.resolution[0], 1e-6);
      sneppp_free(&m);
   }
   PASS();
}

/* A grid of 152.4 steps, more than the search goes through: it climbs from 150, and must not look beyond its cells (the
   address sanitizer saw it). */
TEST auto_grid_beyond_the_last(void)
{
   sneppp_window w = auto_window(0);
   sneppp_events e;
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   sneppp_rng    rng;
   w.dim = 2, w.lo[0] = w.lo[1] = 0, w.hi[0] = w.hi[1] = 1;
   memset(&e, 0, sizeof e);
   e.x = auto_x, e.count = 1000;
   sneppp_rng_init(&rng, 4, 9);
   for (size_t i = 0; i < 1000; i++) {
      double x = i < 20 ? 1 - 0.005 * sneppp_rng_uniform(&rng) : 0.5 + 0.07 * sneppp_rng_normal(&rng);
      if (i >= 20 && sneppp_rng_uniform(&rng) < 0.6) x = floor(x * 152.4 + 0.5) / 152.4;
      auto_x[2 * i] = (sneppp_real)fmin(fmax(x, 0), 1), auto_x[2 * i + 1] = (sneppp_real)sneppp_rng_uniform(&rng);
   }
   auto_x[0] = 1;
   ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
   ASSERT(r.resolution[0] == 0 || (r.resolution[0] > 1 / 160.0 && r.resolution[0] < 1 / 140.0));
   sneppp_free(&m);
   PASS();
}

/* A part of the events is recorded on a grid: its step is found along each axis and told, and the nodes of the grid are
   no peaks. Exact coordinates have no step, nor have those of whoever wants atoms. */
TEST auto_rounded_in_part(void)
{
   sneppp_window w = auto_window(0);
   sneppp_events e;
   sneppp_rng    rng;
   w.dim = 2, w.lo[0] = w.lo[1] = 0, w.hi[0] = 30, w.hi[1] = 20;
   memset(&e, 0, sizeof e);
   e.x = auto_x, e.count = 900;
   for (int snapped = 0; snapped < 2; snapped++)
      for (int atoms = 0; atoms <= snapped; atoms++) {
         sneppp_desc     d;
         sneppp_fit_desc f;
         sneppp_model    m;
         sneppp_report   r;
         sneppp_error    err;
         double          highest = 0;
         sneppp_rng_init(&rng, 11, 2);
         for (size_t i = 0; i < 900; i++)
            for (int k = 0; k < 2; k++) {
               double at = (k ? 20 : 30) * sneppp_rng_uniform(&rng);
               auto_x[2 * i + (size_t)k] = (sneppp_real)(snapped && i % 3 ? floor(at) + 0.5 : at);
            }
         memset(&d, 0, sizeof d), memset(&f, 0, sizeof f);
         d.factor[0].window = w, f.events = &e, f.resolution = atoms ? SNEPPP_NONE : 0;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
         for (int k = 0; k < 2; k++) ASSERT_IN_RANGE(snapped && !atoms ? 1 : 0, r.resolution[k], 2e-3);
         if (snapped && !atoms) ASSERT(r.rounded > 300 && r.rounded < 700);
         else ASSERT_EQ(0, r.rounded);
         for (size_t i = 0; i < 900; i++) highest = fmax(highest, (double)sneppp_intensity(&m, auto_x + 2 * i));
         if (snapped && !atoms) ASSERT_IN_RANGE(1.5, highest, 0.75); /* events per unit of area; their mean is 1.5 */
         sneppp_free(&m);
         f.method = SNEPPP_METHOD_CONVEX, f.resolution = 1;
         d.width = 8;
         ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
         ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit(&m, &f, &r, &err));
         ASSERT(strstr(err.why, "resolution"));
         sneppp_free(&m);
      }
   PASS();
}

/* Clusters are no grid, one or several, random or evenly spaced inside: nothing is spread, and what is highest is there. */
TEST auto_clusters_are_no_grid(void)
{
   sneppp_window w = auto_window(0);
   sneppp_events e;
   sneppp_rng    rng;
   w.dim = 1, w.lo[0] = 0, w.hi[0] = 12;
   memset(&e, 0, sizeof e);
   e.x = auto_x;
   for (int k = 0; k < 8; k++) {
      sneppp_model  m;
      sneppp_report r;
      sneppp_error  err;
      sneppp_rng_init(&rng, (uint64_t)(k < 2 ? 7 : 10 + k), 3);
      for (e.count = 0; e.count < 300;) {
         double at = 12 * sqrt(sneppp_rng_uniform(&rng));
         if (at > 1) auto_x[e.count++] = (sneppp_real)at;
      }
      for (int c = 0; c <= k / 2; c++)
         for (int i = 0; i < 40; i++)
            auto_x[e.count++] = (sneppp_real)(1.5 + (2.4 + 0.31 * c) * c + (k % 2 ? 0.001 * i : 0.05 * sneppp_rng_uniform(&rng)));
      ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
      ASSERT_EQ(0, r.resolution[0]);
      ASSERT_EQ(0, r.rounded);
      ASSERT((double)sneppp_intensity(&m, auto_x + 320) > 250); /* there are 800 per unit of length */
      sneppp_free(&m);
   }
   PASS();
}

/* The same when only some events carry bumps: the others are spread before they join the bump next to them, so that no
   bump carries the thousands of a whole day. Bump i holds V_i^2 times its width in events, times a constant. */
enum { auto_many = 9 * SNEPPP__CENTRES / 8 };
static sneppp_real auto_large[2 * 2 * auto_many];

/* What leave-one-out tells is what new patterns tell, in the units of report.nll; the fit's own events flatter. */
TEST auto_held_out(void)
{
   enum { patterns = 30, room = 600 };
   static sneppp_real x[2 * room];
   sneppp_window w = auto_window(1);
   sneppp_events e;
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   sneppp_rng    rng;
   double        mean = 0, sum = 0;
   memset(&e, 0, sizeof e);
   e.x = x;
   for (int k = 0; k <= patterns; k++) {
      sneppp_rng_init(&rng, 8, (uint64_t)k);
      e.count = 0;
      for (size_t n = (size_t)sneppp_rng_poisson(&rng, 400); e.count < n && e.count < room;) {
         double u = sneppp_rng_uniform(&rng), v = sneppp_rng_uniform(&rng);
         if (sneppp_rng_uniform(&rng) > 0.2 + 0.8 * exp(-20 * ((u - 0.4) * (u - 0.4) + (v - 0.6) * (v - 0.6)))) continue;
         x[2 * e.count] = (sneppp_real)(w.lo[0] + u * (w.hi[0] - w.lo[0]));
         x[2 * e.count + 1] = (sneppp_real)(w.lo[1] + v * (w.hi[1] - w.lo[1]));
         e.count++;
      }
      if (!k) ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
      else {
         double nll = 0;
         ASSERT_EQ(SNEPPP_OK, sneppp_test_nll(&m, &e, 1, 1, &nll, NULL, &err));
         mean += nll / patterns;
      }
   }
   ASSERT(r.nll < r.held_out);
   ASSERT_IN_RANGE(mean, r.held_out, 0.05);
   for (int k = 0; k < 5; k++) { ASSERT(r.share[k] >= 0); sum += r.share[k]; }
   ASSERT_IN_RANGE(1, sum, 1e-12);
   ASSERT(r.share[1] + r.share[3] + r.share[4] > 0.5); /* a smooth hill */
   sneppp_free(&m);
   PASS();
}

/* Where few events are, none stands high: not by its own bumps, which leave-one-out never sees at its place (of the first
   three patterns events stood 5 to 6.5 times above the truth before bumps were widened there), nor because a smooth surface
   hardly knows its slope in a corner (5.2 times, the fourth), nor does one close pair make needles of all (13.8). */
static double auto_hill(double x, double y)
{
   double u = x - 0.35, v = 0.8 * (y - 0.6);
   return 0.25 + exp(-(u * u + v * v) / (2 * 0.24 * 0.24));
}
static double auto_valleys(double x, double y) { return exp(1.5 * sin(4 * x) * cos(3 * y)); }
static double auto_slope(double x, double y) { return 0.2 + 1.2 * x + 0.6 * y; }

TEST auto_lone_events(void)
{
   static const struct {
      double (*shape)(double x, double y);
      double   bound, mean, limit; /* mean: of the hill about, a part lies outside */
      uint64_t seed, stream;
   } pattern[5] = {{auto_hill, 1.25, 0.25 + 2 * 3.14159265358979 * 0.072 * 0.9, 3.5, 12000113, 2000086},
                   {auto_hill, 1.25, 0.25 + 2 * 3.14159265358979 * 0.072 * 0.9, 3.5, 12000174, 2000086},
                   {auto_hill, 1.25, 0.25 + 2 * 3.14159265358979 * 0.072 * 0.9, 3.5, 12000207, 2000086},
                   {auto_valleys, 4.5, 1.29687, 4.95, 71000293, 1000083},
                   {auto_slope, 2, 1.1, 4, 91000109, 3000089}};
   sneppp_window w = auto_window(0);
   sneppp_events e;
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   sneppp_rng    rng;
   w.dim = 2;
   for (int k = 0; k < 2; k++) w.lo[k] = 0, w.hi[k] = 1;
   memset(&e, 0, sizeof e);
   e.x = auto_large;
   for (int k = 0; k < 5; k++) {
      double ratio = 0, shape[200];
      sneppp_rng_init(&rng, pattern[k].seed, pattern[k].stream);
      e.count = 0;
      for (size_t n = (size_t)sneppp_rng_poisson(&rng, 80); e.count < n && e.count < 200;) {
         double x = sneppp_rng_uniform(&rng), y = sneppp_rng_uniform(&rng);
         shape[e.count] = pattern[k].shape(x, y);
         if (pattern[k].bound * sneppp_rng_uniform(&rng) >= shape[e.count]) continue;
         auto_large[2 * e.count] = (sneppp_real)x, auto_large[2 * e.count + 1] = (sneppp_real)y;
         e.count++;
      }
      ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
      ASSERT(r.held_out > r.nll);
      for (size_t i = 0; i < e.count; i++)
         ratio = fmax(ratio, (double)sneppp_intensity(&m, auto_large + 2 * i) * pattern[k].mean / (80 * shape[i]));
      ASSERT(ratio < pattern[k].limit);
      sneppp_free(&m);
   }
   PASS();
}

/* A narrow hill on a line, with many events: the smooth estimate has knots and levels for it. With knots twice as far
   apart, and slopes as hills damped alike, the distance to the truth was 0.0079. */
TEST auto_hill_on_a_line(void)
{
   enum { patterns = 2, events = 1600, nodes = 2000 };
   sneppp_window w = auto_window(0);
   sneppp_events e;
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   sneppp_rng    rng;
   double        total = 0, distance = 0, truth[nodes];
   w.lo[0] = 0, w.hi[0] = 1;
   memset(&e, 0, sizeof e);
   e.x = auto_large, e.count = events;
   for (int i = 0; i < nodes; i++) {
      double off = ((i + 0.5) / nodes - 0.5) / 0.03;
      total += truth[i] = 0.2 + exp(-0.5 * off * off);
   }
   for (int k = 0; k < patterns; k++) {
      sneppp_rng_init(&rng, (uint64_t)k + 1, 1);
      for (size_t n = 0; n < events;) {
         double x = sneppp_rng_uniform(&rng), off = (x - 0.5) / 0.03;
         if (1.2 * sneppp_rng_uniform(&rng) < 0.2 + exp(-0.5 * off * off)) auto_large[n++] = (sneppp_real)x;
      }
      ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
      for (int i = 0; i < nodes; i++) {
         sneppp_real x = (sneppp_real)((i + 0.5) / nodes);
         double      l = truth[i] / total;
         distance += l * log(events * nodes * l / (double)sneppp_intensity(&m, &x)) / patterns;
      }
      sneppp_free(&m);
   }
   ASSERT(distance > 0 && distance < 0.0065);
   PASS();
}

TEST auto_rounded_many(void)
{
   sneppp_window w = auto_window(0);
   sneppp_events e;
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   sneppp_rng    rng;
   const double  days = 80; /* finer than the lattice of the smooth estimate */
   double        most = 0, mean = 0;
   w.lo[0] = 0, w.hi[0] = days;
   memset(&e, 0, sizeof e);
   e.x = auto_large, e.count = auto_many;
   sneppp_rng_init(&rng, 4, 1);
   for (size_t i = 0; i < auto_many; i++) /* every other day has ten times as many */
      auto_large[i] = (sneppp_real)(0.5 + 2 * floor(days / 2 * sneppp_rng_uniform(&rng)) + (sneppp_rng_uniform(&rng) * 11 < 10));
   ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
   ASSERT(m.n >= SNEPPP__CENTRES);
   ASSERT_EQ_FMT((size_t)auto_many - (size_t)days, r.copies, "%zu");
   for (int i = 0; i < m.n; i++) {
      double V = (double)m.readout[0].V[i], events = V * V * (double)m.layer[0].width[i];
      mean += events / m.n;
      most = fmax(most, events);
   }
   ASSERT(mean > 0 && most < 40 * mean);
   ASSERT(r.held_out < 1 - log(auto_many / days) + lgamma(auto_many + 1.0) / auto_many - 0.2); /* the days gain 0.37 */
   sneppp_free(&m);
   PASS();
}

/* A file that was read several times is the file, as many times as intense, and is reported; also if it is rounded. */
TEST auto_copies(void)
{
   static sneppp_real more[3 * 4 * 100];
   static sneppp_real weight[120];
   for (int kind = 0; kind < auto_kinds; kind++)
      for (int rounded = 0; rounded < (kind < 2 ? 2 : 1); rounded++) {
         sneppp_window w = auto_window(kind);
         size_t        d = (size_t)w.dim, own = 0;
         sneppp_events e = auto_pattern(&w, 100, 0.7, 5, auto_x), all = e;
         sneppp_model  a, b;
         sneppp_report r;
         sneppp_error  err;
         for (size_t i = 0; rounded && i < 100 * d; i++) auto_x[i] = (sneppp_real)(0.25 * floor(4 * (double)auto_x[i]));
         for (size_t k = 0; k < 4; k++) memcpy(more + k * 100 * d, auto_x, 100 * d * sizeof *more);
         ASSERT_EQ(SNEPPP_OK, auto_fit(&a, &w, &e, 0, &r, &err));
         own = r.copies;
         ASSERTm(auto_names[kind], rounded ? 3 * own > 100 : own == 0);
         for (size_t times = 2; times <= 4; times += kind % 2 ? 1 : 2) {
            all.x = more, all.count = times * 100;
            ASSERT_EQ(SNEPPP_OK, auto_fit(&b, &w, &all, 0, &r, &err));
            ASSERT_EQ_FMT((times - 1) * 100 + own, r.copies, "%zu");
            for (size_t i = 0; i < 100; i++) {
               double u = (double)sneppp_intensity(&a, auto_x + i * d), v = (double)sneppp_intensity(&b, auto_x + i * d);
               ASSERT_IN_RANGEm(auto_names[kind], (double)times, v / u, 0.05 * (double)times);
            }
            sneppp_free(&b);
         }
         sneppp_free(&a);
      }
   for (int kind = 0; kind < auto_kinds; kind++) { /* a part of it twice: events of weight 2 */
      sneppp_window w = auto_window(kind);
      size_t        d = (size_t)w.dim;
      sneppp_events e = auto_pattern(&w, 120, 0.7, 6, auto_x), all = e;
      sneppp_model  a, b;
      sneppp_report r;
      sneppp_error  err;
      memcpy(more, auto_x, 120 * d * sizeof *more);
      memcpy(more + 120 * d, auto_x, 40 * d * sizeof *more);
      for (size_t i = 0; i < 120; i++) weight[i] = i < 40 ? 2 : 1;
      e.weight = weight;
      all.x = more, all.count = 160;
      ASSERT_EQ(SNEPPP_OK, auto_fit(&a, &w, &e, 0, &r, &err));
      ASSERT_EQ((size_t)0, r.copies);
      ASSERT_EQ(SNEPPP_OK, auto_fit(&b, &w, &all, 0, &r, &err));
      ASSERT_EQ((size_t)40, r.copies);
      for (size_t i = 0; i < 120; i++)
         ASSERT_IN_RANGEm(auto_names[kind], 1, (double)sneppp_intensity(&b, auto_x + i * d) / (double)sneppp_intensity(&a, auto_x + i * d), 0.05);
      sneppp_free(&a);
      sneppp_free(&b);
   }
   PASS();
}

/* More events than centres, read from a source, each twice: as far apart, one after the other or in any order. */
TEST auto_copies_of_many(void)
{
   sneppp_window   w = auto_window(1);
   sneppp_events   e, all;
   sneppp_desc     d;
   sneppp_fit_desc f;
   sneppp_model    a, b;
   sneppp_report   r;
   sneppp_error    err;
   sneppp_rng      rng;
   double          mean = 0, count = 0;
   memset(&d, 0, sizeof d);
   memset(&f, 0, sizeof f);
   d.factor[0].window = w;
   e = auto_pattern(&w, auto_many, 0.3, 5, auto_large);
   memcpy(auto_large + 2 * auto_many, auto_large, 2 * auto_many * sizeof *auto_large);
   all = e;
   all.x = NULL, all.read = auto_source, all.user = auto_large, all.count = 2 * auto_many;
   ASSERT_EQ(SNEPPP_OK, auto_fit(&a, &w, &e, 0, &r, &err));
   ASSERT_EQ((size_t)0, r.copies);
   f.events = &all;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&b, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&b, &f, &r, &err));
   ASSERT_EQ((size_t)auto_many, r.copies);
   sneppp_rng_init(&rng, 6, 6);
   for (int i = 0; i < 400; i++) {
      double      y[3], off;
      sneppp_real x[2];
      auto_uniform(&w, &rng, y);
      x[0] = (sneppp_real)y[0], x[1] = (sneppp_real)y[1];
      off = fabs(log(0.5 * (double)sneppp_intensity(&b, x) / (double)sneppp_intensity(&a, x)));
      mean += off / 400, count += off > 0.5;
   }
   ASSERT(mean < 0.1); /* other events carry the bumps: a rate there is known from some hundred events */
   ASSERT(count < 8);
   sneppp_free(&a);
   sneppp_free(&b);
   PASS();
}

/* Places are compared as numbers, over all coordinates, realisations and methods. */
static size_t auto_repeats(sneppp_real *dst, size_t first, size_t count, void *user)
{
   for (size_t i = 0; i < count; i++) dst[i] = (sneppp_real)((double)((first + i) % *(size_t *)user) / 4194304);
   return count;
}

TEST auto_copies_are_counted(void)
{
   static const sneppp_method methods[3] = {SNEPPP_METHOD_CONVEX, SNEPPP_METHOD_PGD, SNEPPP_METHOD_ADAM};
   static sneppp_real         x[2 * 40];
   sneppp_window   w = auto_window(0);
   sneppp_events   e, two[2];
   sneppp_desc     d;
   sneppp_fit_desc f;
   sneppp_model    m;
   sneppp_trainer  t;
   sneppp_report   r;
   sneppp_error    err;
   size_t          period = 3u << 19, copies = 0;
   memset(&d, 0, sizeof d);
   memset(&e, 0, sizeof e);
   memset(&f, 0, sizeof f);
   for (size_t i = 0; i < 20; i++) x[i] = (sneppp_real)(0.1 * (double)i);
   x[7] = (sneppp_real)-0.0, x[9] = x[8];
   e.x = x, e.count = 20;
   ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
   ASSERT_EQ((size_t)2, r.copies);
   sneppp_free(&m);
   two[0] = two[1] = e;
   two[0].count = 9, two[1].count = 11, two[1].x = x + 9;
   d.factor[0].window = w, d.width = 8;
   f.events = two, f.realisations = 2, f.steps = 3;
   for (int k = 0; k < 3; k++) { /* every method */
      f.method = methods[k];
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
      ASSERT_EQ(f.method, r.method);
      ASSERT_EQ((size_t)2, r.copies);
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err)); /* nobody asks */
      sneppp_free(&m);
   }
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err)); /* not counted, and that is said */
   ASSERT_EQ(SNEPPP_OK, sneppp_trainer_init(&t, &m, &f, &err));
   ASSERT_EQ(SIZE_MAX, t.report.copies);
   sneppp_trainer_free(&t);
   e.x = NULL, e.read = auto_repeats, e.user = &period, e.count = 100;
   f.events = &e, f.realisations = 1, f.batch = 10;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   ASSERT_EQ(SIZE_MAX, r.copies);
   f.batch = 0;
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   ASSERT_EQ((size_t)0, r.copies);
   e.count = 2 * period; /* three million events, of which a share is looked at */
   ASSERT_EQ(SNEPPP_OK, sneppp__count_copies(&m, &f, &copies, &err));
   ASSERT_IN_RANGE((double)period, (double)copies, 0.01 * (double)period);
   e.count = period;
   ASSERT_EQ(SNEPPP_OK, sneppp__count_copies(&m, &f, &copies, &err));
   ASSERT_EQ((size_t)0, copies);
   sneppp_free(&m);
   d = auto_product(1); /* the same place at another time is no copy */
   for (size_t i = 0; i < 20; i++) x[3 * i] = x[3 * i + 1] = 1, x[3 * i + 2] = (sneppp_real)(i < 15 ? i : 14);
   e.read = NULL, e.x = x, e.count = 20;
   f.method = SNEPPP_METHOD_AUTO, f.steps = 0;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   ASSERT_EQ((size_t)5, r.copies);
   sneppp_free(&m);
   PASS();
}

/* Legal, but hostile: everything stays finite, and the total is that of the weights. */
TEST auto_hostile(void)
{
   enum { at_point, on_line, one, two, close, zeros, huge, shifted, tiny_window, below, above, kinds };
   static sneppp_real weight[auto_many];
   for (int kind = 0; kind < kinds; kind++)
      for (int d = 1; d <= 4; d++)
         for (int budget = 0; budget <= 9; budget += 9) {
            sneppp_desc     desc;
            sneppp_fit_desc f;
            sneppp_events   e;
            sneppp_model    m;
            sneppp_report   r;
            sneppp_error    err;
            sneppp_rng      rng;
            double          total = 0, sum = 0, far = kind == shifted ? 1e6 : 0, side = 1;
            size_t          D = (size_t)d;
            if (sizeof(sneppp_real) == 4 && kind == shifted) continue; /* no two places are left */
            if (kind == tiny_window) side = sizeof(sneppp_real) == 4 ? 1e-8 : 1e-60;
            if (kind == shifted) side = 1e-6;
            if (kind >= below && (d > 1 || budget)) continue;
            if (budget && d != (kind == huge ? 4 : 1 + kind % 3)) continue; /* a search for few features takes long: each kind in one space */
            memset(&desc, 0, sizeof desc);
            memset(&f, 0, sizeof f);
            memset(&e, 0, sizeof e);
            desc.factor[0].window.dim = d, desc.width = budget;
            for (int k = 0; k < d; k++) desc.factor[0].window.lo[k] = far, desc.factor[0].window.hi[k] = far + side;
            sneppp_rng_init(&rng, 3, (uint64_t)kind);
            e.x = auto_large, e.weight = weight, f.events = &e;
            e.count = kind == one ? 1 : kind == two ? 2 : kind == below ? SNEPPP__CENTRES - 1 : kind == above ? SNEPPP__CENTRES + 1 : 60;
            for (size_t i = 0; i < e.count; i++) {
               weight[i] = kind == zeros ? (sneppp_real)(i % 3 == 0) : kind == huge && i == 7 ? (sneppp_real)1e30 : 1;
               sum += (double)weight[i];
               for (size_t k = 0; k < D; k++) {
                  double u = sneppp_rng_uniform(&rng);
                  if (kind == at_point) u = 0.25;
                  if (kind == on_line && k) u = (double)auto_large[i * D];
                  if (kind == close) u = i % 2 ? 0.5 : 0.5 + 1e-12 * (double)(i % 5);
                  auto_large[i * D + k] = (sneppp_real)(far + side * u);
               }
            }
            ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &desc, &err));
            ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
            ASSERT(sneppp__finite(r.nll) && sneppp__finite(r.gap));
            ASSERT(sneppp__finite(r.held_out) || budget); /* what exceeds its budget has none */
            ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
            ASSERT_IN_RANGE(1, total / sum, sizeof(sneppp_real) == 4 ? 1e-4 : 1e-6);
            for (size_t i = 0; i < 60 && i < e.count; i++) {
               sneppp_real x[4] = {0, 0, 0, 0};
               double      v = (double)sneppp_intensity(&m, auto_large + i * D);
               ASSERT(v > 0 && sneppp__finite(v));
               for (size_t k = 0; k < D; k++) x[k] = (sneppp_real)(far + side * sneppp_rng_uniform(&rng));
               v = (double)sneppp_intensity(&m, x);
               ASSERT(v > 0 && sneppp__finite(v));
            }
            sneppp_free(&m);
         }
   PASS();
}

/* What describes features that AUTO does not use is refused by name. What it made may be fitted again, by all methods, and
   where it solves the convex problem everything counts. */
TEST auto_settings(void)
{
   static const char *const name[7] = {"", "desc.alpha", "desc.rank", "factor[0].unit ", "factor[0].units", "factor[0].no_bias", "factor[0].width"};
   static sneppp_unit units[64];
   sneppp_window      w = auto_window(1), ball = w;
   sneppp_events      e = auto_pattern(&w, 60, 0.5, 4, auto_x);
   ball.space = SNEPPP_SPACE_BALL, ball.radius = 20;
   for (int i = 0; i < 64; i++) units[i].act = i % 2 ? SNEPPP_ACT_COS : SNEPPP_ACT_ONE;
   for (int disc = 0; disc < 2; disc++)
      for (int k = 0; k < (disc ? 4 : 7); k++) {
         sneppp_desc     d;
         sneppp_fit_desc f;
         sneppp_report   r;
         sneppp_model    m;
         sneppp_error    err;
         sneppp_status   st;
         memset(&d, 0, sizeof d);
         memset(&f, 0, sizeof f);
         d.factor[0].window = disc ? ball : w;
         if (k == 1) d.alpha = 3;
         if (k == 2) d.rank = 5;
         if (k == 3) d.factor[0].unit.act = SNEPPP_ACT_SIN;
         if (k == 4) d.factor[0].units = units;
         if (k == 5) d.factor[0].no_bias = 1;
         if (k == 6) d.factor[0].width = 20;
         f.events = &e;
         ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
         st = sneppp_fit(&m, &f, &r, &err);
         ASSERT_EQ_FMTm(name[k], k && !disc ? SNEPPP_ERR_ARG : SNEPPP_OK, st, "%d");
         if (k && !disc) ASSERT(strstr(err.why, name[k]) && strstr(err.why, "AUTO"));
         if (st == SNEPPP_OK) {
            ASSERT_EQ(disc ? SNEPPP_METHOD_CONVEX : SNEPPP_METHOD_AUTO, r.method);
            if (k == 2) ASSERT_EQ(5, m.readout[0].m);
         }
         for (int again = 0; st == SNEPPP_OK && !(k && disc) && again < 3; again++) {
            f.method = again == 0 ? SNEPPP_METHOD_ADAM : again == 1 ? SNEPPP_METHOD_CONVEX : SNEPPP_METHOD_AUTO;
            f.steps = again < 2 ? 3 : 0;
            ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err), "%d");
         }
         sneppp_free(&m);
      }
   {
      sneppp_desc     d;
      sneppp_fit_desc f;
      sneppp_model    m;
      sneppp_error    err;
      memset(&d, 0, sizeof d);
      memset(&f, 0, sizeof f);
      d.factor[0].window = w, f.events = &e;
      d.factor[0].unit.act = SNEPPP_ACT_RBF, d.readout = SNEPPP_READOUT_DIAGONAL; /* what it makes */
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, NULL, &err), "%d");
      sneppp_free(&m);
   }
   PASS();
}

/* One event may outweigh all others: from some weight on nothing changes any more but the total. */
TEST auto_one_heavy(void)
{
   const double last = sizeof(sneppp_real) == 8 ? 1e150 : 1e30;
   for (size_t count = 20; count <= 100; count += 20) {
      sneppp_window w = auto_window(1);
      double        share[2][5];
      for (int k = 0; k < 2; k++) {
         static sneppp_real weight[100];
         sneppp_events      e = auto_pattern(&w, count, 0.5, 9, auto_x);
         sneppp_report      r;
         sneppp_model       m;
         sneppp_error       err;
         double             total = 0;
         for (size_t i = 0; i < count; i++) weight[i] = (sneppp_real)(i == 7 ? (k ? last : 1e20) : 1);
         e.weight = weight;
         ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
         ASSERT(sneppp__finite(r.nll) && sneppp__finite(r.held_out) && sneppp__finite(r.gap));
         ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &total, NULL, &err));
         ASSERT_IN_RANGE(1, total / (double)weight[7], 1e-5);
         memcpy(share[k], r.share, sizeof r.share);
         sneppp_free(&m);
      }
      for (int c = 0; c < 5; c++) ASSERT_IN_RANGE(share[0][c], share[1][c], 1e-6);
   }
   PASS();
}

/* A budget asks what covariates do as the fit without it does, and keeps it: here nothing but one counts. */
TEST auto_budget_of_covariates(void)
{
   enum { cells = 600, N = 300 };
   static double      z[cells], at[cells];
   static sneppp_real x[2 * N];
   double             total = 0, lost[2] = {0, 0};
   sneppp_rng         rng;
   sneppp_rng_init(&rng, 3, 0);
   for (int k = 0; k < cells; k++) at[k] = total += exp(1.5 * (z[k] = sneppp_rng_normal(&rng)));
   for (int i = 0; i < N; i++) {
      double u = total * sneppp_rng_uniform(&rng);
      int    k = 0;
      while (at[k] < u) k++;
      x[2 * i] = (sneppp_real)(k % 30 + 0.05 + 0.9 * sneppp_rng_uniform(&rng));
      x[2 * i + 1] = (sneppp_real)(k / 30 + 0.05 + 0.9 * sneppp_rng_uniform(&rng));
   }
   for (int small = 0; small < 2; small++) {
      sneppp_desc     desc;
      sneppp_events   events;
      sneppp_fit_desc fit;
      sneppp_report   report;
      sneppp_model    m;
      sneppp_error    err;
      sneppp_window  *w = &desc.factor[0].window;
      memset(&desc, 0, sizeof desc), memset(&events, 0, sizeof events), memset(&fit, 0, sizeof fit);
      w->space = SNEPPP_SPACE_RASTER, w->dim = 2, w->cell[0] = w->cell[1] = 1, w->cells[0] = 30, w->cells[1] = 20;
      w->covariates = 1, w->z = z;
      events.x = x, events.count = N, fit.events = &events;
      desc.width = small ? 16 : 0;
      if (sneppp_init(&m, &desc, &err) || sneppp_fit(&m, &fit, &report, &err)) FAILm(err.why);
      ASSERT(report.tilt == 1 && (small ? m.n <= 16 : m.n > 16) && sneppp__finite(report.held_out) == !small);
      for (int k = 0; k < cells; k++) {
         sneppp_real p[2];
         p[0] = (sneppp_real)(k % 30 + 0.5), p[1] = (sneppp_real)(k / 30 + 0.5);
         lost[small] += exp(1.5 * z[k]) / total * log(N * exp(1.5 * z[k]) / total / (double)sneppp_intensity(&m, p));
      }
      sneppp_free(&m);
   }
   ASSERT(lost[0] < 0.03 && lost[1] < lost[0] + 0.02);
   PASS();
}

/* The two calls of the first program do what the structs do; what they cannot do they refuse, and leave nothing behind. */
TEST auto_in_two_calls(void)
{
   sneppp_window w = auto_window(1), half = w;
   sneppp_events e = auto_pattern(&w, 80, 0.7, 3, auto_x);
   sneppp_region part;
   sneppp_model  a, b;
   sneppp_report r;
   sneppp_error  err;
   sneppp_desc   d = auto_product(1);
   double        own = 0, count = 0, lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
   ASSERT_EQ(SNEPPP_OK, auto_fit(&a, &w, &e, 0, &r, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit_box(&b, 2, w.lo, w.hi, auto_x, 80, &err));
   ASSERT_EQ(a.n, b.n);
   ASSERT_MEM_EQ(a.readout[0].V, b.readout[0].V, (size_t)a.n * sizeof(sneppp_real));
   half.hi[0] = 0.5 * (w.lo[0] + w.hi[0]);
   memset(&part, 0, sizeof part);
   part.factor[0] = &half;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&a, &part, 1, &own, NULL, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_count_box(&b, half.lo, half.hi, &count, &err));
   ASSERT(own > 0 && own == count);
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_count_box(&b, NULL, half.hi, &count, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_count_box(NULL, half.lo, half.hi, &count, &err));
   sneppp_free(&a);
   sneppp_free(&b);
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit_box(&b, 0, w.lo, w.hi, auto_x, 80, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit_box(&b, SNEPPP_MAX_DIM + 1, w.lo, w.hi, auto_x, 80, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_fit_box(&b, 2, w.lo, NULL, auto_x, 80, &err));
   auto_x[21] = (sneppp_real)(w.hi[1] + 1);
   ASSERT_EQ(SNEPPP_ERR_DATA, sneppp_fit_box(&b, 2, w.lo, w.hi, auto_x, 80, &err));
   ASSERT_EQ((size_t)10, err.event);
   ASSERT(!b.factors && !b.block);
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&b, &d, &err)); /* factors one after the other */
   for (int f = 0, at = 0; f < b.factors; at += b.layer[f++].D)
      for (int k = 0; k < b.layer[f].D; k++)
         lo[at + k] = d.factor[f].window.lo[k], hi[at + k] = 0.5 * (d.factor[f].window.lo[k] + d.factor[f].window.hi[k]);
   ASSERT_EQ(SNEPPP_OK, sneppp_count_box(&b, lo, hi, &count, &err));
   half = d.factor[1].window, w = d.factor[0].window;
   for (int k = 0; k < 2; k++) w.hi[k] = hi[k];
   half.hi[0] = hi[2];
   part.factor[0] = &w, part.factor[1] = &half;
   ASSERT_EQ(SNEPPP_OK, sneppp_count(&b, &part, 1, &own, NULL, &err));
   ASSERT(own == count);
   sneppp_free(&b);
   PASS();
}

static sneppp_report auto_first;
static int auto_first_note(const sneppp_report *now, const sneppp_model *m, void *user)
{
   (void)m, (void)user;
   auto_first = *now;
   return 1;
}

/* Asked to stop before anything was done: the report says so, the fields that nothing was found for are 0, the model is as it was. */
TEST auto_stops_before_it_starts(void)
{
   sneppp_window   w = auto_window(1);
   sneppp_events   e;
   sneppp_desc     d;
   sneppp_fit_desc f;
   sneppp_model    m;
   sneppp_report   r;
   sneppp_error    err;
   sneppp_rng      rng;
   memset(&f, 0, sizeof f), memset(&e, 0, sizeof e), memset(&d, 0, sizeof d);
   sneppp_rng_init(&rng, 2, 2);
   for (int i = 0; i < 50; i++) {
      double x[3];
      auto_uniform(&w, &rng, x);
      for (int k = 0; k < 2; k++) auto_x[2 * i + k] = (sneppp_real)x[k];
   }
   d.factor[0].window = w, e.x = auto_x, e.count = 50;
   f.events = &e, f.progress = auto_first_note;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &f, &r, &err));
   ASSERT_EQ(SNEPPP_ENDING_ASKED_TO_STOP, r.ending);
   ASSERT(r.method == SNEPPP_METHOD_AUTO && r.events == 50 && r.steps == 1 && r.step == 0);
   ASSERT(r.gradient == 0 && r.expected == 0 && r.width == 0 && r.rank == 0 && r.dropped == 0);
   for (int k = 0; k < SNEPPP_RADIAL_DIM; k++) ASSERT(r.axes[k] == 0 && auto_first.axes[k] == 0);
   ASSERT(auto_first.gradient == 0 && auto_first.dropped == 0 && auto_first.step == 0);
   sneppp_free(&m);
   PASS();
}

/* The share of a bump in a polygon against products of normal integrals: a rectangle, an L of two of them, and one with a
   hole, for bumps inside, outside, far away, on edges and on corners. */
TEST auto_shares_of_polygons(void)
{
   static const double ring[16] = {0, 0, 4, 0, 4, 3, 0, 3, 1, 1, 2, 1, 2, 2, 1, 2}, el[12] = {0, 0, 4, 0, 4, 1, 1, 1, 1, 3, 0, 3};
   static const size_t sizes[2] = {4, 4};
   static const double tau[3][2] = {{0.3, 0.3}, {0.05, 0.8}, {2, 1}};
   for (int kind = 0; kind < 3; kind++) {
      sneppp_window w;
      double        box[2][4] = {{0, 4, 0, 3}, {1, 2, 1, 2}};
      memset(&w, 0, sizeof w);
      w.space = SNEPPP_SPACE_POLYGON, w.dim = 2, w.count = kind == 1 ? 6 : 4, w.xy = kind == 1 ? el : ring;
      if (kind == 1) box[0][3] = 1, box[1][0] = 0, box[1][1] = 1, box[1][2] = 1, box[1][3] = 3;
      if (kind == 2) w.count = 8, w.rings = 2, w.ring_size = sizes;
      for (int i = 0; i < 14; i++)
         for (int j = 0; j < 12; j++)
            for (int t = 0; t < 3; t++) {
               double m[2], share = 0;
               m[0] = -1 + 0.5 * i, m[1] = -1 + 0.5 * j;
               for (int b = 0; b < (kind ? 2 : 1); b++) {
                  double part = b && kind == 2 ? -1 : 1;
                  for (int r = 0; r < 2; r++)
                     part *= 0.5 * (erf((box[b][2 * r + 1] - m[r]) / (tau[t][r] * sqrt(2.0))) - erf((box[b][2 * r] - m[r]) / (tau[t][r] * sqrt(2.0))));
                  share += part;
               }
               ASSERT_IN_RANGE(share, sneppp__polygon_share(&w, m, tau[t]), 1e-11);
            }
   }
   PASS();
}

/* Virtual events of a bump are where something was seen, as the bump has it, and are found after a few attempts: also if
   the bump is wider than the window, beside it, or only a corner of the window was seen. */
TEST auto_draws_of_bumps(void)
{
   enum { draws = 4000, grid = 200 };
   static const double xy[8] = {0, 0, 4, 0, 4, 4, 0, 4}, corner[6] = {0, 0, 1, 0, 0, 1};
   static const double at[3][3] = {{0.1, 0.05, 0.05}, {0.5, 0.5, 0.5}, {-0.5, -0.5, 1.5}}, width[4] = {0.03, 0.3, 1, 40};
   sneppp_desc         d;
   sneppp_model        m;
   sneppp_error        err;
   sneppp_events       e;
   sneppp_region       seen;
   sneppp_window       part;
   sneppp__auto        f;
   memset(&d, 0, sizeof d), memset(&e, 0, sizeof e), memset(&seen, 0, sizeof seen), memset(&f, 0, sizeof f);
   d.factor[0].window = auto_window(0);
   d.factor[1].window.space = SNEPPP_SPACE_POLYGON, d.factor[1].window.dim = 2, d.factor[1].window.count = 4, d.factor[1].window.xy = xy;
   d.width = 4;
   part = d.factor[1].window, part.count = 3, part.xy = corner;
   seen.factor[1] = &part;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   f.model = &m, f.events = &e, f.d = 3, f.sphere = -1, f.parts = 1;
   f.lo[0] = -1, f.side[0] = 4, f.side[1] = f.side[2] = 4;
   f.a[0] = 2, f.a[1] = f.a[2] = 1;
   for (int whole = 0; whole < 2; whole++)
      for (int c = 0; c < 3; c++)
         for (int w = 0; w < 4; w++) {
            const double h = width[w];
            double       box[6], sum[3] = {0}, square[3] = {0}, mean[3] = {0}, total[2] = {0};
            sneppp_rng   rng;
            if (h < 0.5 && c) continue; /* a bump that is small has its centre in what was seen, or nearly no mass in it */
            e.seen = whole ? NULL : &seen;
            sneppp_rng_init(&rng, 4, (uint64_t)(w + 4 * c));
            sneppp__seen_box(&f, box);
            for (int i = 0; i < draws; i++) {
               double y[3];
               sneppp__bump_draw(&f, box, &rng, at[c], h, y);
               ASSERT(y[0] >= 0 && y[0] <= 2 && y[1] >= 0 && y[2] >= 0);
               ASSERT(whole ? y[1] <= 1 && y[2] <= 1 : y[1] + y[2] <= 0.25 + 1e-12);
               for (int k = 0; k < 3; k++) sum[k] += y[k] / draws, square[k] += y[k] * y[k] / draws;
            }
            ASSERT(rng.position < 80 * draws);
            for (int i = 0; i < grid; i++) { /* the first axis is independent of the others */
               double x = 2 * (i + 0.5) / grid, v = exp(-0.5 * (x - at[c][0]) * (x - at[c][0]) / (h * h));
               total[0] += v, mean[0] += v * x;
               for (int j = 0; j < grid; j++) {
                  double side = whole ? 1 : 0.25, y = side * (i + 0.5) / grid, z = side * (j + 0.5) / grid;
                  v = exp(-0.5 * ((y - at[c][1]) * (y - at[c][1]) + (z - at[c][2]) * (z - at[c][2])) / (h * h));
                  if (!whole && y + z > side) continue;
                  total[1] += v, mean[1] += v * y, mean[2] += v * z;
               }
            }
            for (int k = 0; k < 3; k++)
               ASSERT_IN_RANGE(mean[k] / total[k > 0], sum[k], 4.5 * sqrt((square[k] - sum[k] * sum[k]) / draws) + 1e-3);
         }
   sneppp_free(&m);
   PASS();
}

/* `auto` is a keyword. */
/* A scale of the user's own is kept where AUTO solves the convex problem. */
TEST auto_elsewhere_keeps_the_scale(void)
{
   for (int k = 0; k < 2; k++) {
      sneppp_desc     d;
      sneppp_fit_desc f;
      sneppp_events   e;
      sneppp_model    m;
      sneppp_report   r;
      sneppp_error    err;
      sneppp_rng      rng;
      double          nll, count;
      memset(&d, 0, sizeof d), memset(&f, 0, sizeof f), memset(&e, 0, sizeof e);
      d.factor[0].window.space = SNEPPP_SPACE_BALL, d.factor[0].window.dim = 2, d.factor[0].window.radius = 3;
      d.width = 8, d.alpha = k ? 5 : 0;
      sneppp_rng_init(&rng, 9, 0);
      for (size_t i = 0; i < 60; i++) {
         double y[2];
         (void)sneppp_window_draw(&d.factor[0].window, &rng, y);
         for (int c = 0; c < 2; c++) auto_x[2 * i + (size_t)c] = (sneppp_real)(0.9 * y[c]);
      }
      e.x = auto_x, e.count = 60, f.events = &e;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m, &f, &r, &err), "%d");
      ASSERT_EQ(SNEPPP_METHOD_CONVEX, r.method);
      if (k) ASSERT_EQ(5.0, m.alpha);
      ASSERT_EQ(SNEPPP_OK, sneppp_nll(&m, &e, 1, &nll, NULL, NULL, NULL, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_count(&m, NULL, 1, &count, NULL, &err));
      ASSERT_IN_RANGE(nll / 60, r.nll, 1e-3 * auto_round + 1e-6);
      ASSERT_IN_RANGE(count, r.expected, 1e-5 * count);
      sneppp_free(&m);
   }
   PASS();
}

/* A budget beyond all bounds is none: it costs no memory. */
TEST auto_budget_beyond_bounds(void)
{
   sneppp_window w = auto_window(0);
   sneppp_events e = auto_pattern(&w, 30, 0.5, 3, auto_x);
   size_t        bytes[2];
   sneppp_model  m[2];
   for (int k = 0; k < 2; k++) {
      test_alloc      heap = {0, 0, 0, 0};
      sneppp_desc     d;
      sneppp_fit_desc f;
      sneppp_error    err;
      memset(&d, 0, sizeof d), memset(&f, 0, sizeof f);
      d.factor[0].window = w, f.events = &e, d.alloc_ctx = &heap;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m[k], &d, &err));
      if (k) m[k].budget = 0x7fffffff;
      heap.bytes = 0;
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_fit(&m[k], &f, NULL, &err), "%d");
      bytes[k] = heap.bytes;
      m[k].desc.alloc_ctx = NULL;
   }
   ASSERT_EQ(bytes[0], bytes[1]);
   ASSERT_EQ(sneppp_intensity(&m[0], auto_x), sneppp_intensity(&m[1], auto_x));
   sneppp_free(&m[0]), sneppp_free(&m[1]);
   PASS();
}

/* A weekly rhythm in a year: every bump is narrow here, and none is alone; it is followed as closely as by one kernel of the
   best width, whose distances are 0.109 to 0.120. Widened as lone events are, it was lost: 0.14, which a constant has. */
TEST auto_follows_a_rhythm(void)
{
   sneppp_window w = auto_window(0);
   sneppp_events e;
   sneppp_rng    rng;
   double        distance = 0;
   w.dim = 1, w.lo[0] = 0, w.hi[0] = 364;
   memset(&e, 0, sizeof e);
   e.x = auto_large;
   for (int k = 0; k < 2; k++) {
      sneppp_model  m;
      sneppp_report r;
      sneppp_error  err;
      sneppp_rng_init(&rng, (uint64_t)(500 + k), 0);
      for (e.count = 0; e.count < 1000;) {
         double t = 364 * sneppp_rng_uniform(&rng);
         if (sneppp_rng_uniform(&rng) < (fmod(t, 7) < 5 ? 1 : 0.2)) auto_large[e.count++] = (sneppp_real)t;
      }
      ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
      for (int i = 0; i < 7280; i++) {
         const sneppp_real t = (sneppp_real)((i + 0.5) / 20);
         const double      l = (fmod((double)t, 7) < 5 ? 1 : 0.2) * 1000 / (52 * 5.4), s = (double)sneppp_intensity(&m, &t);
         distance += (l * log(l / s) - l + s) / 20 / 1000 / 2;
      }
      sneppp_free(&m);
   }
   ASSERT(distance < 0.12);
   PASS();
}

/* One close pair of five events is chance: it says no more than the closest two of so many do. */
TEST auto_pair_of_few(void)
{
   sneppp_window w = auto_window(0);
   sneppp_events e;
   sneppp_model  m;
   sneppp_report r;
   sneppp_error  err;
   sneppp_real   x[10] = {(sneppp_real)0.2, (sneppp_real)0.3, (sneppp_real)0.2003, (sneppp_real)0.3002, (sneppp_real)0.7, (sneppp_real)0.8,
                          (sneppp_real)0.4, (sneppp_real)0.9, (sneppp_real)0.9, (sneppp_real)0.1};
   w.dim = 2;
   for (int k = 0; k < 2; k++) w.lo[k] = 0, w.hi[k] = 1;
   memset(&e, 0, sizeof e);
   e.x = x, e.count = 5;
   ASSERT_EQ(SNEPPP_OK, auto_fit(&m, &w, &e, 0, &r, &err));
   ASSERT(sneppp_intensity(&m, x) < 50); /* was 1.5e5 */
   sneppp_free(&m);
   PASS();
}

SUITE(automatic)
{
   RUN_TEST(auto_draws_of_bumps);
   RUN_TEST(auto_value_of_weights);
   RUN_TEST(auto_shares_of_polygons);
   RUN_TEST(auto_stops_before_it_starts);
   RUN_TEST(auto_total_and_certificate);
   RUN_TEST(auto_tree_is_the_sum);
   RUN_TEST(auto_counts_are_integrals);
   RUN_TEST(auto_polygons_add_up);
   RUN_TEST_LONG(auto_generalises);
   RUN_TEST_LONG(auto_budgets);
   RUN_TEST_LONG(auto_budget_climbs);
   RUN_TEST_LONG(auto_budget_of_covariates);
   RUN_TEST(auto_threads_and_files);
   RUN_TEST(auto_memory);
   RUN_TEST(auto_refuses_and_accepts);
   RUN_TEST(auto_units_do_not_matter);
   RUN_TEST(auto_data);
   RUN_TEST_LONG(auto_products);
   RUN_TEST_LONG(auto_axes_follow_the_clusters);
   RUN_TEST(auto_events_on_a_line);
   RUN_TEST(auto_fills_gaps);
   RUN_TEST_LONG(auto_fills_many_gaps);
   RUN_TEST_LONG(auto_fills_what_is_mostly_hidden);
   RUN_TEST_LONG(auto_fills_gaps_of_products);
   RUN_TEST_LONG(auto_outlines);
   RUN_TEST(auto_weights);
   RUN_TEST(auto_elsewhere_tunes);
   RUN_TEST(auto_rounded_how);
   RUN_TEST(auto_rounded);
   RUN_TEST(auto_rounded_by_two);
   RUN_TEST(auto_rounded_few);
   RUN_TEST(auto_grid_beyond_the_last);
   RUN_TEST(auto_rounded_in_part);
   RUN_TEST(auto_clusters_are_no_grid);
   RUN_TEST(auto_held_out);
   RUN_TEST(auto_lone_events);
   RUN_TEST_LONG(auto_hill_on_a_line);
   RUN_TEST_LONG(auto_rounded_many);
   RUN_TEST_LONG(auto_copies);
   RUN_TEST_LONG(auto_copies_of_many);
   RUN_TEST(auto_copies_are_counted);
   RUN_TEST(auto_hostile);
   RUN_TEST(auto_one_heavy);
   RUN_TEST(auto_settings);
   RUN_TEST(auto_in_two_calls);
   RUN_TEST(auto_elsewhere_keeps_the_scale);
   RUN_TEST(auto_budget_beyond_bounds);
   RUN_TEST(auto_follows_a_rhythm);
   RUN_TEST(auto_pair_of_few);
}
