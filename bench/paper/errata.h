/* Where the paper's formulas differ from what is right, with a number for each. Include figures.h first. */
#ifndef SNEPPP_PAPER_ERRATA_H
#define SNEPPP_PAPER_ERRATA_H

/* K of two units on a window. */
static void pair_gram(const sneppp_window *win, sneppp_act act, const double *W, const double *b, double *K)
{
   sneppp_layer layer = { .n = 2, .unit = { .act = act }, .W = W, .b = b };
   sneppp_error err;
   bench_must(sneppp_gram(win, &layer, K, NULL, &err), &err);
}

/* Integral of relu(w1 t + b1) relu(w2 t + b2) over [lo, hi], against a density, by Legendre's nodes between the kinks. */
static double relu_integral(const double *w, const double *b, double lo, double hi, int normal)
{
   double cut[4], node[40], weight[40], sum = 0;
   cut[0] = lo, cut[3] = hi;
   for (int i = 0; i < 2; i++) cut[1 + i] = w[i] == 0 ? lo : fmin(fmax(-b[i] / w[i], lo), hi);
   if (cut[1] > cut[2]) { double t = cut[1]; cut[1] = cut[2], cut[2] = t; }
   for (int piece = 0; piece < 3; piece++) {
      perm_legendre(40, cut[piece], cut[piece + 1], node, weight);
      for (int i = 0; i < 40 && cut[piece + 1] > cut[piece]; i++)
         sum += weight[i] * fmax(w[0] * node[i] + b[0], 0) * fmax(w[1] * node[i] + b[1], 0) * (normal ? exp(-0.5 * node[i] * node[i]) / sqrt(2 * RIVAL_PI) : 1);
   }
   return sum;
}

static void run_errata(void)
{
   FILE         *out = part_open("errata");
   sneppp_window line = { .dim = 1, .lo = { -1 }, .hi = { 2 } }, normal = { .space = SNEPPP_SPACE_GAUSS, .dim = 1 },
                 sphere = { .space = SNEPPP_SPACE_SPHERE, .dim = 3, .measure = SNEPPP_MEASURE_PROBABILITY };
   double        K[4], w[2], b[2], W[6] = { 1, 0, 0, 0.6, 0.8, 0 }, eps1 = 0.1;
   const double  N = 3604;
   patterns_read();
   fprintf(out, "| | the paper | what is right | the number |\n|---|---|---|---|\n");
   { /* all events at one place: the gradient of the averaged C changes by 1/eps1^2 times the change of M */
      double before = 1 / eps1, step = 1e-6, after = 1 / (eps1 + step);
      fprintf(out, "| 1 | the proof ends with beta = eps2 + N/eps1^2 | eps2 + 1/eps1^2, as in the proposition: C is an average | 100 events at one place, eps1 = 0.1: the gradient changes by %.2f times the change of M; 1/eps1^2 = %.0f, N/eps1^2 = %.0f |\n",
              (before - after) / step, 1 / (eps1 * eps1), 100 / (eps1 * eps1));
   }
   fprintf(out, "| 2 | prior exp(-eps1/2 M^2) | exp(-N eps2/2 M^2), as the likelihood is divided by N | bei, eps2 = 0.01: the factor is %.0f, not 0.01 or eps1 |\n", N * 0.01);
   { /* n = 2, two events: D with psi_i'D psi_i = 0 for both */
      double p[2][2] = { { 1, 0.5 }, { 0.3, 1 } }, D[3], worst = 0;
      double a[2][3];
      for (int i = 0; i < 2; i++) a[i][0] = p[i][0] * p[i][0], a[i][1] = 2 * p[i][0] * p[i][1], a[i][2] = p[i][1] * p[i][1];
      D[0] = a[0][1] * a[1][2] - a[0][2] * a[1][1], D[1] = a[0][2] * a[1][0] - a[0][0] * a[1][2], D[2] = a[0][0] * a[1][1] - a[0][1] * a[1][0];
      for (int i = 0; i < 2; i++) worst = fmax(worst, fabs(a[i][0] * D[0] + a[i][1] * D[1] + a[i][2] * D[2]));
      fprintf(out, "| 3 | the NLL is strictly convex in M | convex; strictly only if the matrices psi psi' of the events span all symmetric ones | n = 2, two events: along D = (%.3f, %.3f; %.3f) every logarithm changes by %.0e |\n", D[0], D[1], D[2], worst);
   }
   { /* as in the figure of the proposition */
      double best[descent_width * descent_width], M[descent_width * descent_width], apart[2], seconds, beta = 1 + 1 / (eps1 * eps1);
      size_t done;
      descend(&patterns[1], SNEPPP_METHOD_CONVEX, 5000, eps1, 1, NULL, best, apart, &seconds, &done);
      for (int k = 0; k < 2; k++) descend(&patterns[1], SNEPPP_METHOD_PGD, k ? 513 : 1, eps1, 1, best, M, &apart[k], &seconds, &done);
      fprintf(out, "| 4 | rate exp(-t eps2/(2 beta)) | exp(-t eps2/beta) | bei, 12 features, eps1 = 0.1, eps2 = 1: after t = 512 steps of PGD the squared distance is %.1e of the first; as printed at most %.1e, as is right %.1e |\n",
              apart[1] / apart[0], exp(-512 / (2 * beta)), exp(-512 / beta));
   }
   fprintf(out, "| 5 | (NLL) without log N! - N log alpha | needed where alpha is learnt or compared | bei with alpha = N: %.3f nats per event |\n", (lgamma(N + 1) - N * log(N)) / N);
   fprintf(out, "| 6 | tr(V'VK) in m^2 n + n^2 | m n^2: V'V or VK must be formed | m = 10, n = 200: %d products, not %d |\n", 10 * 200 * 200, 10 * 10 * 200 + 200 * 200);
   pair_gram(&sphere, SNEPPP_ACT_STEP, W, NULL, K);
   fprintf(out, "| 7 | homogeneous of degree p > 0 | the step, which it lists, has p = 0, and (6) holds | two half spheres at an angle of acos 0.6 meet in %.9f of the sphere; (pi - acos 0.6)/(2 pi) = %.9f |\n", K[1], (RIVAL_PI - acos(0.6)) / (2 * RIVAL_PI));
   w[0] = 1.2, w[1] = -0.7, b[0] = 0.4, b[1] = 0.9;
   pair_gram(&normal, SNEPPP_ACT_RELU, w, b, K);
   fprintf(out, "| 8 | no closed form of ReLU with biases under a Gaussian | there is one, by the bivariate normal integral | w = 1.2, -0.7, b = 0.4, 0.9: closed %.12f, quadrature %.12f |\n", K[1], relu_integral(w, b, -10, 10, 1));
   w[1] = 0;
   pair_gram(&line, SNEPPP_ACT_RELU, w, b, K);
   fprintf(out, "| 9 | ReLU on an interval: w > 0 or w < 0 | w = 0 is a constant unit; -b/w is not a number of use | on [-1, 2], w = 1.2, 0: %.12f, quadrature %.12f |\n", K[1], relu_integral(w, b, -1, 2, 0));
   { /* a unit whose bend lies far away: the printed cubic is a small difference of large numbers */
      sneppp_window away = { .dim = 1, .lo = { 1e6 }, .hi = { 1e6 + 1 } };
      double        one[2] = { 1, 1 }, bend[2] = { -1e6, -1e6 }, lo = 1e6, hi = 1e6 + 1, cubic;
      cubic = (hi * hi * hi / 3 - 1e6 * hi * hi + 1e12 * hi) - (lo * lo * lo / 3 - 1e6 * lo * lo + 1e12 * lo);
      pair_gram(&away, SNEPPP_ACT_RELU, one, bend, K);
      fprintf(out, "| 9, too | its antiderivative w_1 w_2 t^3/3 + ... | from the bend on, or far intervals cancel | on [10^6, 10^6 + 1], w = 1, b = -10^6: as printed %.0f, ours %.12f |\n", cubic, K[1]);
   }
   w[0] = 0.7, w[1] = -0.7, b[0] = b[1] = 0;
   pair_gram(&line, SNEPPP_ACT_EXP, w, b, K);
   fprintf(out, "| 10 | exp on a box: (exp(s hi) - exp(s lo))/s | at s = w_i + w_j = 0 the side | on [-1, 2]: as printed %.0f/0, ours %.12f |\n", exp(0.0) - exp(0.0), K[1]);
   fprintf(out, "| 11 | exp(w.x) is the case sigma = exp, m = n = 1 | that is exp(2 w.x): weights are halved | w = 1 at x = 1: %.3f, not %.3f |\n", exp(2.0), exp(1.0));
   { /* thinning */
      static unsigned char keep[100000];
      fprintf(out, "| 12 | points *removed* with probability p leave p lambda | points kept with probability p | p = 0.8: %lu of 100000 kept |\n", (unsigned long)sneppp_thin(100000, 0.8, 1, keep));
   }
   w[0] = 1, w[1] = 1, b[0] = b[1] = 0;
   pair_gram(&normal, SNEPPP_ACT_COS, w, b, K);
   {
      double first = K[1];
      w[0] = 2, w[1] = 0.5;
      pair_gram(&normal, SNEPPP_ACT_COS, w, b, K);
      fprintf(out, "| 13 | the kernel depends on the inner product of the parameters | and on norms and biases | cos, w = 1, 1: %.6f; w = 2, 0.5, the same product: %.6f |\n", first, K[1]);
   }
   { /* the arc-cosine kernel of parallel weights, with the cosine cut at 1 - 1e-7 as in the published code */
      double c = 1 - 1e-7, s = sqrt(1 - c * c), cut = (s + (RIVAL_PI - acos(c)) * c) / (2 * RIVAL_PI) / 3;
      double c2 = -1 + 1e-7, cut2 = (sqrt(1 - c2 * c2) + (RIVAL_PI - acos(c2)) * c2) / (2 * RIVAL_PI) / 3;
      double same[6] = { 1, 0, 0, 1, 0, 0 }, other[6] = { 1, 0, 0, -1, 0, 0 }, A[4];
      pair_gram(&sphere, SNEPPP_ACT_RELU, same, NULL, K);
      pair_gram(&sphere, SNEPPP_ACT_RELU, other, NULL, A);
      fprintf(out, "| 14 | the published code cuts cosines at 1 - 1e-7 | no cut is needed | ReLU on S^2, equal weights: %.12f with the cut, %.12f without; opposite ones: %.1e, %.1e |\n", cut, K[1], cut2, A[1]);
   }
   { /* exp on the sphere with biases below 0, erf with weights of different length: as the published code has them */
      double w3[6] = { 1, 0, 0, 1, 0, 0 }, below[2] = { -0.3, -0.4 }, lengths[2] = { 1, 2 }, none[2] = { 0, 0 };
      pair_gram(&sphere, SNEPPP_ACT_EXP, w3, below, K);
      fprintf(out, "| 14, too | its exp on the sphere has exp(abs(b_i + b_j)) | exp(b_i + b_j) | equal weights of length 1, b = -0.3, -0.4: %.6f as there, %.6f |\n", exp(0.7) * sinh(2.0) / 2, K[1]);
      w3[0] = w3[3] = 400, below[0] = below[1] = -400;
      pair_gram(&sphere, SNEPPP_ACT_EXP, w3, below, K);
      fprintf(out, "| 14, too | and sinh of the length of w_i + w_j | biases and lengths in one exponent, or it overflows | equal weights of length 400, b = -400: as there %.0f (with the right sign %.0f * %.0f), ours %.9f |\n",
              exp(800.0) * sinh(800.0) / 800, exp(-800.0), sinh(800.0), K[1]);
      pair_gram(&normal, SNEPPP_ACT_ERF, lengths, none, K);
      fprintf(out, "| 14, too | its erf under a Gaussian divides by the length of w_i twice (and cannot run, for a slip of the pen) | by the lengths of both | w = 1, 2: the arcsine of %.4f, which is none; ours %.6f, which is 2/pi times that of %.4f |\n",
              4 / 3.0, K[1], 4 / sqrt(3.0 * 9));
   }
   { /* any dimension: equal weights of length 1 have half the mean of a squared coordinate */
      sneppp_window wide = { .space = SNEPPP_SPACE_SPHERE, .dim = 5, .measure = SNEPPP_MEASURE_PROBABILITY };
      double        w5[10] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0 };
      pair_gram(&wide, SNEPPP_ACT_RELU, w5, NULL, K);
      fprintf(out, "| 14, too | its spheres have d = 3 only | (6) holds for all d | ReLU, d = 5, equal weights: %.12f, which is 1/(2 d) |\n", K[1]);
   }
   fclose(out);
}
#endif
