/* Saved models: equal bits after a round trip, and every truncation and many mutations refused. */
#include "cases.h"
#include "golden_v1.h"

static unsigned char io_bytes[100000], io_again[100000];

static int io_round_trip(const sneppp_desc *d)
{
   sneppp_model m, l;
   sneppp_error err;
   size_t       n, n2;
   int          ok;
   if (sneppp_init(&m, d, &err) != SNEPPP_OK) { fprintf(stderr, "%s\n", err.why); return 0; }
   m.alpha = 1.25;
   m.floor = 0.3;
   n = sneppp_save(&m, NULL, 0);
   if (!n || n > sizeof io_bytes) return 0;
   memset(io_bytes, 0x5a, sizeof io_bytes);
   if (sneppp_save(&m, io_bytes, n - 1) != n || io_bytes[0] != 0x5a) return 0; /* too small: nothing is written */
   if (sneppp_save(&m, io_bytes, n) != n || io_bytes[n] != 0x5a) return 0;
   if (sneppp_load(&l, io_bytes, n, NULL, 0, NULL, &err) != SNEPPP_OK) { fprintf(stderr, "%s\n", err.why); sneppp_free(&m); return 0; }
   n2 = sneppp_save(&l, io_again, sizeof io_again);
   ok = n2 == n && !memcmp(io_bytes, io_again, n) && l.n == m.n && l.D == m.D;
   for (int f = 0; f < m.factors; f++) ok = ok && (d->factor[f].window.space == SNEPPP_SPACE_POLYGON || !l.desc.factor[f].window.rings);
   sneppp_free(&m);
   sneppp_free(&l);
   return ok;
}

TEST io_round_trips(void)
{
   static const struct { sneppp_space space; int dim; sneppp_act act; double p; } row[] = {
      {SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_COS, 0}, {SNEPPP_SPACE_BOX, 2, SNEPPP_ACT_RBF, 0}, {SNEPPP_SPACE_GAUSS, 2, SNEPPP_ACT_SNAKE, 1}, {SNEPPP_SPACE_SPHERE, 3, SNEPPP_ACT_RELU, 0},
      {SNEPPP_SPACE_INTERVALS, 1, SNEPPP_ACT_RELU, 0}, {SNEPPP_SPACE_POLYGON, 2, SNEPPP_ACT_COS, 0}, {SNEPPP_SPACE_BALL, 3, SNEPPP_ACT_EXP, 0}, {SNEPPP_SPACE_GAMMA, 1, SNEPPP_ACT_EXP, 0}};
   static const sneppp_space space[2] = {SNEPPP_SPACE_SPHERE, SNEPPP_SPACE_INTERVALS};
   static const int          dim[2] = {3, 1};
   static loss_case          c;
   sneppp_unit               unit[2];
   for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
      sneppp_unit u = loss_unit(row[i].act, row[i].p, 0);
      loss_make(&c, "io", SNEPPP_MIX_PRODUCT, i % 2 ? SNEPPP_READOUT_FULL : SNEPPP_READOUT_DIAGONAL, (int)i % 3, 1, &row[i].space, &row[i].dim, &u);
      ASSERT(io_round_trip(&c.desc));
   }
   unit[0] = unit[1] = loss_unit(SNEPPP_ACT_RELU, 0, 0);
   for (int mix = 0; mix < SNEPPP_MIX_END; mix++) {
      loss_make(&c, "io", (sneppp_mix)mix, SNEPPP_READOUT_FULL, 2, 2, space, dim, unit);
      ASSERT(io_round_trip(&c.desc));
      ASSERT_EQ(mix + (mix > 3), io_bytes[28]); /* the numbers of the first version, which had another between them */
   }
   { /* a ring with a hole: two sizes, seven corners */
      static const double xy[14] = {0, 0, 3, 0, 3, 3, 0, 3, 1, 1, 2, 1, 1, 2};
      static const size_t ring[2] = {4, 3};
      sneppp_desc         d;
      sneppp_model        m, l;
      size_t              n;
      memset(&d, 0, sizeof d);
      d.factor[0].window.space = SNEPPP_SPACE_POLYGON, d.factor[0].window.dim = 2;
      d.factor[0].window.rings = 2, d.factor[0].window.ring_size = ring, d.factor[0].window.xy = xy;
      d.width = 4;
      ASSERT(io_round_trip(&d));
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, NULL));
      n = sneppp_save(&m, io_bytes, sizeof io_bytes);
      ASSERT_EQ(SNEPPP_OK, sneppp_load(&l, io_bytes, n, NULL, 0, NULL, NULL));
      for (int i = 0; i < 400; i++) {
         sneppp_real x[2];
         double      in[2];
         x[0] = (sneppp_real)(0.15 * (i % 20) + 0.07), x[1] = (sneppp_real)(0.15 * (i / 20) + 0.07);
         in[0] = (double)x[0], in[1] = (double)x[1];
         ASSERT_EQ(sneppp_intensity(&m, x), sneppp_intensity(&l, x));
         ASSERT_EQ(in[0] > 1 && in[1] > 1 && in[0] + in[1] < 3, !sneppp_window_contains(&l.desc.factor[0].window, in));
      }
      sneppp_free(&m);
      sneppp_free(&l);
   }
   PASS();
}

TEST io_refuses_damage(void)
{
   sneppp_desc  d = fit_desc_box(6);
   sneppp_model m, l;
   sneppp_error err;
   sneppp_rng   rng;
   size_t       n;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   n = sneppp_save(&m, io_bytes, sizeof io_bytes);
   for (size_t cut = 0; cut < n; cut++) ASSERT_EQ(SNEPPP_ERR_FORMAT, sneppp_load(&l, io_bytes, cut, NULL, 0, NULL, &err));
   sneppp_rng_init(&rng, 1, 0);
   for (int k = 0; k < 3000; k++) { /* with the checksum mended, so that the checks behind it are reached */
      size_t        at = (size_t)sneppp_rng_below(&rng, n - 4);
      uint32_t      crc;
      sneppp_status st;
      memcpy(io_again, io_bytes, n);
      io_again[at] ^= (unsigned char)(1 + sneppp_rng_below(&rng, 255));
      if (k % 2) io_again[(at * 7 + 3) % (n - 4)] = (unsigned char)sneppp_rng_below(&rng, 256);
      ASSERT(sneppp_load(&l, io_again, n, NULL, 0, NULL, &err) != SNEPPP_OK);
      crc = sneppp__crc32(io_again, n - 4);
      for (int b = 0; b < 4; b++) io_again[n - 4 + (size_t)b] = (unsigned char)(crc >> 8 * b);
      st = sneppp_load(&l, io_again, n, NULL, 0, NULL, &err);
      if (st == SNEPPP_OK) {
         sneppp_real x[2];
         x[0] = 1, x[1] = 2;
         (void)sneppp_intensity(&l, x);
      }
      sneppp_free(&l);
   }
   sneppp_free(&m);
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_load(&l, NULL, 5, NULL, 0, NULL, &err));
   ASSERT_EQ((size_t)0, sneppp_save(&l, NULL, 0));
   PASS();
}

#if defined(__linux__)
#include <unistd.h> /* pipe, close */
#endif

TEST io_files(void)
{
   sneppp_desc  d = fit_desc_box(6);
   sneppp_model m, l;
   sneppp_error err;
   sneppp_real  x[2];
   char         path[1000];
   test_path(path, "io.snp");
   x[0] = 3, x[1] = 2;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_save_file(&m, path, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_load_file(&l, path, NULL, &err));
   ASSERT_EQ(sneppp_intensity(&m, x), sneppp_intensity(&l, x));
   remove(path);
   sneppp_free(&l);
   ASSERT_EQ(SNEPPP_ERR_IO, sneppp_load_file(&l, path, NULL, &err));
   ASSERT_EQ(SNEPPP_ERR_IO, sneppp_save_file(&m, "no/such/folder/m.snp", &err));
#if defined(__linux__) /* a pipe has no size; this file has less in it than its size says */
   {
      int pipes[2];
      ASSERT_EQ(0, pipe(pipes));
      snprintf(path, sizeof path, "/proc/self/fd/%d", pipes[0]);
      ASSERT_EQ(SNEPPP_ERR_IO, sneppp_load_file(&l, path, NULL, &err));
      ASSERT(strstr(err.why, "cannot be read"));
      close(pipes[0]);
      close(pipes[1]);
      ASSERT_EQ(SNEPPP_ERR_IO, sneppp_load_file(&l, "/sys/devices/system/cpu/online", NULL, &err));
      ASSERT(strstr(err.why, "/sys/devices/system/cpu/online cannot be "));
   }
#endif
   sneppp_free(&m);
   PASS();
}

/* Parameters that no fit makes are refused whatever their checksum says, and those on the border are taken. */
TEST io_refuses_parameters(void)
{
   for (int k = 0; k < 11; k++) {
      sneppp_desc   d = fit_desc_box(3);
      sneppp_model  m, l;
      sneppp_error  err;
      sneppp_status want = k < 2 ? SNEPPP_OK : SNEPPP_ERR_FORMAT;
      size_t        n;
      d.factor[0].unit.act = k == 6 || k == 7 ? SNEPPP_ACT_RBF : SNEPPP_ACT_RELU;
      if (k == 5) d.factor[0].no_bias = 1;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      switch (k) {
         case 0: m.alpha = 0; break;
         case 1: m.floor = 0; break;
         case 2: m.alpha = -1; break;
         case 3: m.floor = -1e-300; break;
         case 4: m.alpha = sneppp__nan(); break;
         case 5: m.layer[0].b[2] = 1; break;
         case 6: m.layer[0].width[5] = 0; break;
         case 7: m.layer[0].W[4] = (sneppp_real)sneppp__nan(); break;
         case 8: m.layer[0].rate[1] = 0; break;
         case 9: m.readout[0].V[2] = (sneppp_real)sneppp__nan(); break;
         default: m.layer[0].shift[0] = sneppp__nan(); break;
      }
      n = sneppp_save(&m, io_bytes, sizeof io_bytes);
      ASSERT(n > 0);
      memset(&l, 0x5a, sizeof l);
      ASSERT_EQ(want, sneppp_load(&l, io_bytes, n, NULL, 0, NULL, &err));
      sneppp_free(&l);
      sneppp_free(&m);
   }
   PASS();
}

/* A run that is interrupted, saved and resumed ends with the same bits as one that was not: on a box, or on a mixture
   whose measure is learnt as well. */
static enum greatest_test_res io_checkpoint_on(int mixture)
{
   const double    weight[3] = {0.6, 0.21, 0.17}, mean[6] = {1, 1, 5, 2, 8, 3}, scale[6] = {2, 1, 3, 2, 1, 1};
   sneppp_events   e = fit_events(300);
   sneppp_desc     d = fit_desc_box(7);
   sneppp_fit_desc f = fit_adam(&e, 30);
   sneppp_model    a, b;
   sneppp_trainer  t, u;
   sneppp_error    err;
   size_t          n;
   double          at_save;
   f.batch = 64;
   f.schedule = SNEPPP_RATE_COSINE;
   if (mixture) {
      d.factor[0].window.space = SNEPPP_SPACE_GAUSS;
      d.factor[0].window.count = 3;
      d.factor[0].window.weight = weight, d.factor[0].window.mean = mean, d.factor[0].window.scale = scale;
   }
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&a, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&b, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_trainer_init(&t, &a, &f, &err));
   for (int k = 0; k < 11; k++) ASSERT_EQ(SNEPPP_OK, sneppp_trainer_step(&t, &err));
   n = sneppp_trainer_save(&t, io_bytes, sizeof io_bytes);
   ASSERT(n > 0 && n <= sizeof io_bytes);
   at_save = (double)sneppp_intensity(&a, e.x);
   for (int k = 0; k < 9; k++) ASSERT_EQ(SNEPPP_OK, sneppp_trainer_step(&t, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_trainer_init(&u, &b, &f, &err));
   io_bytes[40] ^= 1;
   ASSERT_EQ(SNEPPP_ERR_FORMAT, sneppp_trainer_load(&u, io_bytes, n, &err));
   io_bytes[40] ^= 1;
   ASSERT_EQ(SNEPPP_ERR_FORMAT, sneppp_trainer_load(&u, io_bytes, n - 1, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_trainer_load(&u, io_bytes, n, &err));
   ASSERT_EQ(at_save, (double)sneppp_intensity(&b, e.x)); /* the model is that of the checkpoint before any step */
   for (int k = 0; k < 9; k++) ASSERT_EQ(SNEPPP_OK, sneppp_trainer_step(&u, &err));
   ASSERT_EQ((size_t)20, u.report.step);
   ASSERT(!memcmp(a.readout[0].V, b.readout[0].V, 49 * sizeof(sneppp_real)));
   ASSERT(!memcmp(a.layer[0].W, b.layer[0].W, 14 * sizeof(sneppp_real)));
   if (mixture) {
      ASSERT(!memcmp(a.layer[0].inside.weight, b.layer[0].inside.weight, sizeof weight));
      ASSERT(a.layer[0].inside.weight[0] != weight[0]);
      ASSERT_IN_RANGE(0.98, sneppp_window_mass(&a.layer[0].inside), 1e-15);
   }
   sneppp_trainer_free(&t);
   sneppp_trainer_free(&u);
   sneppp_free(&a);
   sneppp_free(&b);
   PASS();
}

TEST io_checkpoint(void)
{
   CHECK_CALL(io_checkpoint_on(0));
   CHECK_CALL(io_checkpoint_on(1));
   PASS();
}

/* Numbers that a space does not use are neither kept nor saved: a count without its list once made a model that could be
   saved but not loaded again (found by make fuzz). */
TEST io_unused_fields(void)
{
   sneppp_desc  d = fit_desc_box(4);
   sneppp_model m, l;
   sneppp_error err;
   size_t       n;
   d.factor[0].window.count = 1000000000;
   d.factor[0].window.rings = 1000000000;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ((size_t)0, m.desc.factor[0].window.count);
   n = sneppp_save(&m, io_bytes, sizeof io_bytes);
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_load(&l, io_bytes, n, NULL, 0, NULL, &err), "%d");
   sneppp_free(&l);
   sneppp_free(&m);
   PASS();
}

/* A checkpoint with the right length and checksum but numbers that no run can have had is refused, and what the trainer
   held stays as it was. Places: parameters 8, step 16, looks 24, since 32, held_out 40, rate_cut 48, alpha 56, theta 64. */
static void io_put(unsigned char *p, size_t n, size_t at, uint64_t v)
{
   uint32_t crc;
   for (size_t k = 0; k < 8; k++) p[at + k] = (unsigned char)(v >> 8 * k);
   crc = sneppp__crc32(p, n - 4);
   for (size_t k = 0; k < 4; k++) p[n - 4 + k] = (unsigned char)(crc >> 8 * k);
}

/* The weights of a mixture are learnt, so they are among the parameters of a file: there, too, their sum must be a mass. */
TEST io_mass_of_mixture(void)
{
   const double         weight[2] = {0.4375, 0.5625}, mean[2] = {-1, 1}, scale[2] = {1, 2}, large[2] = {1e308, 1e308};
   static unsigned char bytes[4000];
   unsigned char        seek[8];
   sneppp_desc          d = fit_desc_box(3);
   sneppp_model         m, l;
   sneppp_error         err;
   size_t               n, at = 0;
   uint64_t             bits;
   d.factor[0].window.space = SNEPPP_SPACE_GAUSS;
   d.factor[0].window.dim = 1;
   d.factor[0].window.count = 2;
   d.factor[0].window.weight = weight, d.factor[0].window.mean = mean, d.factor[0].window.scale = scale;
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_init(&m, &d, &err), "%d");
   n = sneppp_save(&m, bytes, sizeof bytes);
   ASSERT(n > 0 && n <= sizeof bytes);
   memcpy(&bits, &weight[0], sizeof bits);
   for (int k = 0; k < 8; k++) seek[k] = (unsigned char)(bits >> 8 * k);
   for (size_t k = 0; k + 8 < n; k++) if (!memcmp(bytes + k, seek, 8)) at = k; /* the last is that of the parameters */
   ASSERT(at > 0);
   io_put(bytes, n, at, bits);
   ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_load(&l, bytes, n, NULL, 0, NULL, &err), "%d");
   sneppp_free(&l);
   memcpy(&bits, &large[0], sizeof bits);
   io_put(bytes, n, at, bits);
   io_put(bytes, n, at + 8, bits);
   ASSERT_EQ(SNEPPP_ERR_FORMAT, sneppp_load(&l, bytes, n, NULL, 0, NULL, &err));
   sneppp_free(&l);
   sneppp_free(&m);
   PASS();
}

/* A floor that is frozen is no parameter, but the share of a mass that a learnt measure moves by its rounding: it is
   that of the checkpoint, whatever the trainer that resumes has computed. */
TEST io_checkpoint_keeps_the_floor(void)
{
   const double    weight[3] = {0.6, 0.21, 0.17}, mean[6] = {1, 1, 5, 2, 8, 3}, scale[6] = {2, 1, 3, 2, 1, 1};
   sneppp_events   e = fit_events(300);
   sneppp_desc     d = fit_desc_box(7);
   sneppp_fit_desc f = fit_adam(&e, 30);
   int             moved = 0;
   f.floor = 0.1, f.freeze = SNEPPP_FREEZE_READOUT | SNEPPP_FREEZE_FLOOR;
   d.factor[0].window.space = SNEPPP_SPACE_GAUSS, d.factor[0].window.count = 3;
   d.factor[0].window.weight = weight, d.factor[0].window.mean = mean, d.factor[0].window.scale = scale;
   for (int steps = 1; steps < 25; steps++) {
      static unsigned char state[20000];
      sneppp_model         a, b;
      sneppp_trainer       t, u;
      sneppp_error         err;
      size_t               n;
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&a, &d, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_trainer_init(&t, &a, &f, &err));
      for (int k = 0; k < steps; k++) ASSERT_EQ(SNEPPP_OK, sneppp_trainer_step(&t, &err));
      n = sneppp_save(&a, io_bytes, sizeof io_bytes);
      ASSERT(n && n <= sizeof io_bytes);
      ASSERT_EQ(SNEPPP_OK, sneppp_load(&b, io_bytes, n, NULL, 0, NULL, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_trainer_init(&u, &b, &f, &err));
      moved += a.floor != b.floor;
      n = sneppp_trainer_save(&t, state, sizeof state);
      ASSERT(n && n <= sizeof state);
      ASSERT_EQ_FMTm(err.why, SNEPPP_OK, sneppp_trainer_load(&u, state, n, &err), "%d");
      ASSERT(a.floor == b.floor && a.floor > 0);
      for (int k = 0; k < 3; k++) {
         ASSERT_EQ(SNEPPP_OK, sneppp_trainer_step(&t, &err));
         ASSERT_EQ(SNEPPP_OK, sneppp_trainer_step(&u, &err));
      }
      ASSERT(sneppp_intensity(&a, e.x) == sneppp_intensity(&b, e.x));
      sneppp_trainer_free(&t);
      sneppp_trainer_free(&u);
      sneppp_free(&a);
      sneppp_free(&b);
   }
   ASSERT(moved); /* or nothing was shown */
   PASS();
}

TEST io_hostile_checkpoint(void)
{
   static unsigned char good[6000], bad[6000], after[6000];
   const uint64_t       nan = (uint64_t)0x7ff8 << 48, minus_one = (uint64_t)0xbff << 52, two = (uint64_t)1 << 62;
   sneppp_events        e = fit_events(50);
   sneppp_desc          d = fit_desc_box(4);
   sneppp_fit_desc      f = fit_adam(&e, 30);
   sneppp_model         m;
   sneppp_trainer       t;
   sneppp_error         err;
   size_t               n, P, at[9];
   uint64_t             value[9];
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_trainer_init(&t, &m, &f, &err));
   for (int k = 0; k < 3; k++) ASSERT_EQ(SNEPPP_OK, sneppp_trainer_step(&t, &err));
   n = sneppp_trainer_save(&t, good, sizeof good);
   ASSERT(n > 0 && n <= sizeof good);
   P = t.parameters;
   at[0] = 8, value[0] = (uint64_t)P + 1;
   at[1] = 16, value[1] = (uint64_t)1 << 40;
   at[2] = 48, value[2] = two;
   at[3] = 56, value[3] = minus_one;
   at[4] = 72 + 8 * (P - 1), value[4] = nan;
   at[5] = 72 + 8 * 2 * P, value[5] = minus_one;
   at[6] = n - 12, value[6] = nan;
   at[7] = 0, value[7] = 0;
   at[8] = 64, value[8] = minus_one; /* the floor */
   for (int k = 0; k < 9; k++) {
      memcpy(bad, good, n);
      io_put(bad, n, at[k], value[k]);
      ASSERT_EQ(SNEPPP_ERR_FORMAT, sneppp_trainer_load(&t, bad, n, &err));
      ASSERT_EQ(n, sneppp_trainer_save(&t, after, sizeof after));
      ASSERT(!memcmp(good, after, n));
   }
   memcpy(bad, good, n);
   io_put(bad, n, 40, nan); /* the held-out score of a run that holds nothing out */
   ASSERT_EQ(SNEPPP_OK, sneppp_trainer_load(&t, bad, n, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_trainer_step(&t, &err));
   ASSERT_EQ(SNEPPP_ERR_ARG, sneppp_trainer_load(NULL, bad, n, &err));
   ASSERT_EQ((size_t)0, sneppp_trainer_save(NULL, bad, n));
   sneppp_trainer_free(&t);
   sneppp_free(&m);
   PASS();
}

/* A file of format version 1, which must load for ever. The intensities were computed by an independent reader of
   the format (tests/golden_v1.py). In double, saving again gives the bytes of the file: no bit was lost. */
TEST io_golden_v1(void)
{
   sneppp_model m;
   sneppp_error err;
   size_t       n;
   FILE        *f = fopen("tests/golden_v1.snp", "rb");
   if (!f) f = fopen("golden_v1.snp", "rb");
   ASSERTm("tests/golden_v1.snp is not here; run from the top of the repository", f);
   n = fread(io_bytes, 1, sizeof io_bytes, f);
   fclose(f);
   ASSERT_EQ(SNEPPP_OK, sneppp_load(&m, io_bytes, n, NULL, 0, NULL, &err));
   for (size_t i = 0; i < sizeof golden_v1 / sizeof *golden_v1; i++) {
      sneppp_real x[3];
      double      want = golden_v1[i][3];
      for (int r = 0; r < 3; r++) x[r] = (sneppp_real)golden_v1[i][r];
      ASSERT_IN_RANGE(want, (double)sneppp_intensity(&m, x), want * (sizeof(sneppp_real) == 8 ? 1e-13 : 1e-5));
   }
   if (sizeof(sneppp_real) == 8) {
      ASSERT_EQ(n, sneppp_save(&m, io_again, sizeof io_again));
      ASSERT(!memcmp(io_bytes, io_again, n));
   }
   sneppp_free(&m);
   PASS();
}

/* Found by the fuzzer: a mixed layer that says it has no units. Width 0 is a default in a description and never in a
   file, so a loader that filled it in would read units that are not there. */
TEST io_mixed_without_units(void)
{
   sneppp_desc  d = fit_desc_box(3);
   sneppp_unit  units[3];
   sneppp_model m, l;
   sneppp_error err;
   size_t       n, at = 0;
   uint32_t     crc;
   memset(units, 0, sizeof units);
   units[0].act = units[1].act = units[2].act = SNEPPP_ACT_COS;
   d.factor[0].units = units;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   n = sneppp_save(&m, io_bytes, sizeof io_bytes);
   sneppp_free(&m);
   for (size_t i = 64; i + 12 < n && !at; i++) /* width 3, no_bias 0, mixed 1 */
      if (io_bytes[i] == 3 && !io_bytes[i + 1] && !io_bytes[i + 4] && io_bytes[i + 8] == 1 && !io_bytes[i + 9] && io_bytes[i + 12] == SNEPPP_ACT_COS) at = i;
   ASSERT(at > 0);
   io_bytes[at] = 0;
   crc = sneppp__crc32(io_bytes, n - 4);
   for (int b = 0; b < 4; b++) io_bytes[n - 4 + (size_t)b] = (unsigned char)(crc >> 8 * b);
   ASSERT_EQ(SNEPPP_ERR_FORMAT, sneppp_load(&l, io_bytes, n, NULL, 0, NULL, &err));
   PASS();
}

/* A folder opens like a file and has a length, but nothing can be read from it. */
TEST io_refuses_folders(void)
{
   sneppp_model m;
   sneppp_error err;
   ASSERT_EQ(SNEPPP_ERR_IO, sneppp_load_file(&m, ".", NULL, &err));
   ASSERT(!strncmp(err.why, ". cannot be", 11));
   PASS();
}

/* AUTO replaces desc.width by the width that it chose; the budget, which the next AUTO asks for, is kept beside it. A loaded
   model fits to the bits of the original. Where the budget is the width, the file has format version 1, as it always had. */
TEST io_budget(void)
{
   static sneppp_real x[240];
   for (int asked = 0; asked < 3; asked++) {
      sneppp_desc     d = fit_desc_box(0);
      sneppp_events   e;
      sneppp_fit_desc fit;
      sneppp_model    m, l;
      sneppp_error    err;
      sneppp_rng      rng;
      size_t          n;
      memset(&e, 0, sizeof e);
      memset(&fit, 0, sizeof fit);
      sneppp_rng_init(&rng, 5, 0);
      for (int i = 0; i < 240; i++) {
         double lo = d.factor[0].window.lo[i % 2], hi = d.factor[0].window.hi[i % 2], u = sneppp_rng_uniform(&rng);
         x[i] = (sneppp_real)(lo + (hi - lo) * u * u);
      }
      e.x = x, e.count = 120;
      fit.events = &e;
      d.width = asked ? 2 + asked : 0; /* few, as the search for them takes long: what is told of them is the same for all */
      ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
      ASSERT_EQ(asked ? m.desc.width : 0, m.budget);
      n = sneppp_save(&m, io_bytes, sizeof io_bytes);
      ASSERT(n && n <= sizeof io_bytes);
      ASSERT_EQ(asked ? 1 : 2, (int)io_bytes[8]);
      if (asked < 2) {
         ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &fit, NULL, &err));
         n = sneppp_save(&m, io_bytes, sizeof io_bytes);
         ASSERT(n && n <= sizeof io_bytes);
      }
      ASSERT_EQ(SNEPPP_OK, sneppp_load(&l, io_bytes, n, NULL, 0, NULL, &err));
      ASSERT_EQ(m.budget, l.budget);
      e.count = 100; /* other events, and the same call */
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&m, &fit, NULL, &err));
      ASSERT_EQ(SNEPPP_OK, sneppp_fit(&l, &fit, NULL, &err));
      n = sneppp_save(&m, io_bytes, sizeof io_bytes);
      ASSERT_EQ(n, sneppp_save(&l, io_again, sizeof io_again));
      ASSERT(n <= sizeof io_bytes && !memcmp(io_bytes, io_again, n));
      sneppp_free(&m);
      sneppp_free(&l);
   }
   PASS();
}

/* Bytes that are too few, too many or none are named before any of them is read. */
TEST io_checkpoint_lengths(void)
{
   sneppp_events   e = fit_events(100);
   sneppp_desc     d = fit_desc_box(4);
   sneppp_fit_desc f = fit_adam(&e, 5);
   sneppp_model    m;
   sneppp_trainer  t;
   sneppp_error    err;
   size_t          n;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   ASSERT_EQ(SNEPPP_OK, sneppp_trainer_init(&t, &m, &f, &err));
   n = sneppp_trainer_save(&t, io_bytes, sizeof io_bytes);
   ASSERT(n > 0 && n + 8 <= sizeof io_bytes);
   for (int k = 0; k < 4; k++) {
      const size_t wrong[4] = {0, 3, n - 1, n + 8};
      memset(&err, 0, sizeof err);
      ASSERT_EQ(SNEPPP_ERR_FORMAT, sneppp_trainer_load(&t, io_bytes, wrong[k], &err));
      ASSERT(strstr(err.why, "bytes, but one of this trainer has") != NULL);
   }
   memset(&err, 0, sizeof err);
   ASSERT_EQ(SNEPPP_ERR_FORMAT, sneppp_trainer_load(&t, NULL, n, &err));
   ASSERT(strstr(err.why, "bytes, but") != NULL);
   ASSERT_EQ(SNEPPP_OK, sneppp_trainer_load(&t, io_bytes, n, &err));
   sneppp_trainer_free(&t);
   sneppp_free(&m);
   PASS();
}

/* A file of another format version says which. */
TEST io_other_versions(void)
{
   sneppp_desc  d = fit_desc_box(3);
   sneppp_model m, l;
   sneppp_error err;
   size_t       n;
   ASSERT_EQ(SNEPPP_OK, sneppp_init(&m, &d, &err));
   n = sneppp_save(&m, io_bytes, sizeof io_bytes);
   sneppp_free(&m);
   for (int version = 0; version < 80; version += 77) {
      char want[100];
      snprintf(want, sizeof want, "the model has the format version %d, which this library does not know", version);
      io_bytes[8] = (unsigned char)version;
      ASSERT_EQ(SNEPPP_ERR_FORMAT, sneppp_load(&l, io_bytes, n, NULL, 0, NULL, &err));
      ASSERT_STR_EQ(want, err.why);
   }
   PASS();
}

SUITE(io)
{
   RUN_TEST(io_checkpoint_lengths);
   RUN_TEST(io_refuses_folders);
   RUN_TEST(io_golden_v1);
   RUN_TEST(io_mixed_without_units);
   RUN_TEST(io_round_trips);
   RUN_TEST(io_refuses_damage);
   RUN_TEST(io_files);
   RUN_TEST(io_refuses_parameters);
   RUN_TEST(io_checkpoint);
   RUN_TEST(io_checkpoint_keeps_the_floor);
   RUN_TEST(io_hostile_checkpoint);
   RUN_TEST(io_mass_of_mixture);
   RUN_TEST(io_unused_fields);
   RUN_TEST(io_budget);
   RUN_TEST(io_other_versions);
}
