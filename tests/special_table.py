#!/usr/bin/env python3
"""High-precision numbers for the floors >>special and >>integrals of sneppp.h.

   python3 tests/special_table.py coef    the coefficient tables that the header carries
   python3 tests/special_table.py table   tests/special_table.h, the table against which the tests measure

Needs mpmath. Everything is computed with 40 digits or more, from definitions (series, integrals, mpmath's own
functions), never from the formulas of the header."""
import math
import random
import sys
from mpmath import mp, mpf, sqrt, pi, exp, log, erfc, cos, fac2, fac, loggamma, digamma

mp.dps = 40

# ---------------------------------------------------------------------------------------------- fits

def mills(x):
   if x > 60:
      return sum((-1)**k * fac2(2*k - 1) / x**(2*k + 1) for k in range(25))
   return sqrt(pi/2) * erfc(x/sqrt(mpf(2))) * exp(x*x/2)

def fit(f, lo, hi, degree):
   """Monomial coefficients, in t in [-1/2, 1/2], of the Chebyshev interpolant of f on [lo, hi]."""
   n = degree + 12
   node = [cos(pi*(j + mpf(1)/2)/n) for j in range(n)]
   val = [f((lo + hi)/2 + (hi - lo)/2*x) for x in node]
   c = [2*sum(val[j]*cos(pi*k*(j + mpf(1)/2)/n) for j in range(n))/n for k in range(n)]
   c[0] /= 2
   T = [[mpf(1)], [mpf(0), mpf(2)]]  # Chebyshev polynomials of 2t
   for k in range(2, degree + 1):
      p = [mpf(0)] + [4*a for a in T[-1]]
      for i, a in enumerate(T[-2]):
         p[i] -= a
      T.append(p)
   out = [mpf(0)]*(degree + 1)
   for k in range(degree + 1):
      for i, a in enumerate(T[k]):
         out[i] += c[k]*a
   return out

def local(f, K, N, i, centre, degree):
   """Coefficients of f(x) in t = N(u - K/(K + centre)), u = K/(K+x) in [i/N, (i+1)/N]."""
   c = fit(lambda u: f(K/u - K), mpf(i)/N, mpf(i + 1)/N, degree)
   shift = N*K/(K + centre) - i - mpf(1)/2
   out = [mpf(0)]
   for a in reversed(c):  # Horner in polynomials: p(t + shift)
      out = [mpf(0)] + out
      for k in range(len(out) - 1):
         out[k] += shift*out[k + 1]
      out[0] += a
   return out[:degree + 1]

def rows(name, table, dims):
   print("static const double %s%s = {" % (name, dims))
   for r in table:
      line = "   {"
      for i, a in enumerate(r):
         item = "%.17g" % float(a) + (", " if i + 1 < len(r) else "},")
         if len(line) + len(item) > 108:
            print(line.rstrip())
            line = "    "
         line += item
      print(line)
   print("};")

def flat(name, r):
   print("static const double %s[%d] = {" % (name, len(r)))
   line = "   "
   for a in r:
      item = ("%.17g" % float(a)) + ", "
      if len(line) + len(item) > 108:
         print(line.rstrip())
         line = "   "
      line += item
   print(line.rstrip().rstrip(",") + "\n};")

def gauss_legendre(n):
   out = []
   for i in range(n):
      x = cos(pi*(i + mpf(3)/4)/(n + mpf(1)/2))
      for _ in range(12):  # Newton on the three-term recurrence
         p, q = mpf(1), mpf(0)
         for k in range(1, n + 1):
            p, q = ((2*k - 1)*x*p - (k - 1)*q)/k, p
         dp = n*(x*p - q)/(x*x - 1)
         x -= p/dp
      out.append((x, 2/((1 - x*x)*dp*dp)))
   return sorted(out)

def coef():
   K, N = mpf(4), 16
   # Centres of the intervals [i/16, (i+1)/16] of u = 4/(4+x), i = 1..15, as short binary numbers in x.
   centre = [mpf(round(512*(K*N/(i + mpf(1)/2) - K)))/512 for i in range(1, N)]
   flat("sneppp__mills_centre", centre)
   rows("sneppp__mills_table", [local(mills, K, N, i, centre[i - 1], 9) for i in range(1, N)], "[15][10]")
   def lg(x):
      if abs(x - 1) < mpf(10)**-18: return mp.euler
      if abs(x - 2) < mpf(10)**-18: return 1 - mp.euler
      return loggamma(x)/((x - 1)*(x - 2))
   rows("sneppp__lgamma_table", [fit(lg, mpf(1), mpf(2), 19), fit(lg, mpf(2), mpf(3), 19)], "[2][20]")
   xs, ws = [], []
   for n in (6, 8, 10, 12, 16, 20, 32):
      for x, w in gauss_legendre(n)[n//2:]:
         xs.append(x); ws.append(w)
   flat("sneppp__gl_x", xs)
   flat("sneppp__gl_w", ws)

# ---------------------------------------------------------------------------------------------- the table

rng = random.Random(20)

def spread(lo, hi, n, signs=False):
   """n exact doubles, log-uniform between lo and hi."""
   out = []
   for _ in range(n):
      x = math.exp(rng.uniform(math.log(lo), math.log(hi)))
      out.append(-x if signs and rng.random() < 0.5 else x)
   return out

def emit(name, items):
   """items: (arguments, exact value, scale or None). Rows: arguments, value, rest of the value, scale."""
   width = len(items[0][0]) + 3
   print("static const double special_%s[][%d] = {" % (name, width))
   for args, val, scale in items:
      hi = float(val)
      num = [("%.17g" % a if k < 7 else "%.4g" % a) for k, a in enumerate(args)] + ["%.17g" % hi, "%.3g" % float(val - mpf(hi)), "%.4g" % float(abs(val) if scale is None else scale)]
      print("   {" + ", ".join(num) + "},")
   print("};")

def one(name, f, xs, scale=None):
   emit(name, [((x,), f(mpf(x)), scale(mpf(x)) if scale else None) for x in xs])

def Phi_mp(x):
   return erfc(-x/sqrt(mpf(2)))/2

def phi_mp(x):
   return exp(-x*x/2)/sqrt(2*pi)

def bvn_mp(h, k, rho):
   """Integral over x < h of phi(x) Phi((k - rho x)/s), split where either factor bends."""
   s = sqrt(1 - rho*rho)
   if s == 0:
      return Phi_mp(min(h, k)) if rho > 0 else max(mpf(0), mp.erf(h/sqrt(mpf(2))) + mp.erf(k/sqrt(mpf(2))))/2
   lo = min(h, rho*k, mpf(0)) - 12
   cut = set([h, mpf(0), mpf(-4), mpf(4)])
   for j in range(-3, 4):
      cut.add(h - mpf(2)**j)
      if rho != 0:
         for sg in (-1, 1):
            cut.add(k/rho + sg*s/abs(rho)*mpf(4)**j)
            cut.add(rho*k + sg*s*mpf(2)**j)
   pts = [x for x in sorted(cut) if lo < x <= h]
   f = lambda x: phi_mp(x)*Phi_mp((k - rho*x)/s)
   top = max(f(x) for x in pts + [rho*k if rho*k < h else h])
   if top < mpf(10)**-300:
      return mpf(0)
   total = mpf(0)
   for a, b in reversed(list(zip([lo] + pts, pts))):
      if max(f(a), f((a + b)/2), f(b)) > mpf(10)**-28*top:
         total += gauss(f, a, b, 20, mpf(10)**-22*abs(total))
   return total

GL = {}

def gauss(f, a, b, n=40, slack=0):
   """Gauss-Legendre, bisected until two levels agree."""
   if n not in GL:
      GL[n] = gauss_legendre(n)
   rule = lambda p, q: (q - p)/2*sum(w*f((p + q)/2 + (q - p)/2*x) for x, w in GL[n])
   whole, mid = rule(a, b), (a + b)/2
   l, r = rule(a, mid), rule(mid, b)
   if abs(whole - l - r) <= mpf(10)**-22*abs(l + r) + slack or abs(b - a) < mpf(10)**-18:
      return l + r
   slack = max(slack, mpf(10)**-24*abs(l + r))  # a part that is negligible in the whole is not refined
   return gauss(f, a, mid, n, slack) + gauss(f, mid, b, n, slack)

def bvn_rows():
   pts = []
   for _ in range(70):
      pts.append((rng.gauss(0, 1.5), rng.gauss(0, 1.5), rng.uniform(-1, 1)))
   for _ in range(40):  # nearly dependent
      pts.append((rng.gauss(0, 1.5), rng.gauss(0, 1.5), rng.choice((-1, 1))*(1 - 10**rng.uniform(-12, -1))))
   for _ in range(25):  # nearly dependent and nearly equal or opposite
      h, sg = rng.gauss(0, 2), rng.choice((-1, 1))
      e = 10**rng.uniform(-10, -1)
      pts.append((h, sg*h + rng.gauss(0, 1)*math.sqrt(e), sg*(1 - e)))
   for _ in range(55):  # lower tails
      pts.append((rng.uniform(-25, 3), rng.uniform(-25, 3), rng.uniform(-0.9, 1)))
   for _ in range(30):  # little correlation
      pts.append((rng.gauss(0, 3), rng.gauss(0, 3), rng.choice((-1, 1))*10**rng.uniform(-12, -0.4)))
   for h in (0.0, -1.0, 2.0, -9.0):
      for k in (0.0, 1.0, -2.0, -9.0):
         for rho in (0.5, -0.75, 0.0):
            pts.append((h, k, rho))
   items = []
   mp.dps = 34
   for h, k, rho in pts:
      H, K, R = mpf(h), mpf(k), mpf(rho)
      s = sqrt(1 - R*R)
      args = (h, k, rho, float(s), float((K - R*H)/s), float((H - R*K)/s))
      v = bvn_mp(H, K, R)
      if v < mpf(10)**-290:
         continue
      p = v - Phi_mp(H)*Phi_mp(K) if rho else mpf(0)
      # kappa comes rounded: d Phi_2/d kappa_j = -h/(2 pi r^2) e^(-r^2/2), and likewise for kappa_i
      c, e = (K - R*H)/s, (H - R*K)/s
      r2 = H*H + c*c
      slack = (abs(c*H) + abs(e*K))/(2*pi*r2)*exp(-r2/2) if r2 else mpf(0)
      items.append((args + (float(p), float(p - mpf(float(p))), float(abs(p) + slack)), v, abs(v) + slack))
   mp.dps = 50
   emit("bvn", items)  # between the arguments and the value: Phi_2 - Phi Phi, its rest, its scale

def table():
   print("/* Exact values for the tests of >>special, printed by tests/special_table.py table (mpmath, 40 digits and more).")
   print("   Each row: the arguments, the value rounded to double, what the rounding left, and the scale against which the")
   print("   error is measured: the value itself, or the envelope of a function that has zeros. */")
   mp.dps = 50
   sinc = lambda x: mp.sinc(x)
   one("sinc", sinc, spread(1e-8, 1e6, 40, True) + [0.0, 3.0], lambda x: min(mpf(1), 1/abs(x)) if x else mpf(1))
   spread(1e-8, 1e6, 40, True), spread(0.3, 6, 30)  # rows of a function that is gone: the numbers behind them stay
   def lsh(x):
      mp.dps = 80
      v = log(mp.sinh(abs(x))/abs(x))
      mp.dps = 50
      return v
   one("log_sinhc", lsh, spread(1e-8, 1e8, 40, True) + spread(0.3, 5, 30))
   def lan(x):
      mp.dps = 80
      v = mp.coth(x) - 1/x if abs(x) < 200 else mp.sign(x) - 1/x
      mp.dps = 50
      return v
   one("langevin", lan, spread(1e-8, 1e8, 40, True) + spread(0.3, 5, 30))
   one("phi", phi_mp, spread(1e-3, 37, 30, True))
   one("Phi", Phi_mp, [-x for x in spread(1e-3, 37, 60)] + spread(1e-3, 37, 15) + [0.0])
   one("mills", lambda x: mills(x), spread(1e-3, 1e6, 60) + [-x for x in spread(1e-3, 37, 20)])
   def ed(x, y):
      mp.dps = 90
      v = mp.erfc(x) - mp.erfc(y) if x > 0 else mp.erfc(-y) - mp.erfc(-x) if y < 0 else mp.erf(y) - mp.erf(x)
      mp.dps = 50
      return v
   pairs = []
   for _ in range(80):
      x = rng.choice((rng.gauss(0, 1), rng.uniform(-20, 20), rng.uniform(-3, 3)))
      pairs.append((x, x + rng.choice((-1, 1))*10**rng.uniform(-12, 1)))
   emit("erf_diff", [((x, y), ed(mpf(x), mpf(y)), None) for x, y in pairs if abs(ed(mpf(x), mpf(y))) > mpf(10)**-290])
   rows_ = []
   for _ in range(90):
      p, z, sd = rng.randrange(0, 9), rng.choice((rng.uniform(-30, 5), rng.uniform(-4, 4), -10**rng.uniform(-3, 1))), 10**rng.uniform(-3, 3)
      mu, v = z*sd, sd*sd
      t = -mpf(mu)/sqrt(mpf(v))
      val = sqrt(mpf(v))**p*fac(p)*exp(-t*t/4)*mp.pcfd(-p - 1, t)/sqrt(2*pi)
      if val > mpf(10)**-290: rows_.append(((float(p), mu, v), val, val*(1 + t*t) if t > 0 else None))
   emit("rect_moment", rows_)
   hs = [(abs(rng.gauss(0, 2)), rng.choice((-1, 1))*10**rng.uniform(-6, 3)) for _ in range(40)] + [(20.0, 0.01), (0.0, 2.0), (3.0, 1.0), (15.0, 0.9), (1e-3, 1e3)]
   def owen(h, a):
      mp.dps = 34
      end = min(abs(a), 11/h) if h else abs(a)  # beyond, e^(-h^2 x^2/2) is below 1e-26
      cut = [mpf(0)] + [end/mpf(4)**j for j in range(8, -1, -1)]
      v = sum(gauss(lambda x: exp(-h*h*(1 + x*x)/2)/(1 + x*x)/(2*pi), p, q, 20) for p, q in zip(cut, cut[1:]))
      mp.dps = 50
      return mp.sign(a)*v
   emit("owens_t", [((h, a), owen(mpf(h), mpf(a)), None) for h, a in hs])
   dk = [(d, k) for d in (1, 2, 3, 4, 5, 7, 10, 16, 18, 40, 100) for k in spread(1e-4, 1e8, 4) + spread(0.5, 100, 6)]
   def lz(d, k):
      mp.dps = 80
      v = log(mp.hyp0f1(mpf(d)/2, mpf(k)**2/4)) if k < 1000 else log(mp.gamma(mpf(d)/2)) + (mpf(d)/2 - 1)*log(2/mpf(k)) + log(mp.besseli(mpf(d)/2 - 1, k))
      mp.dps = 50
      return v
   emit("log_Z", [((float(d), k), lz(d, k), None) for d, k in dk])
   emit("bessel_ratio", [((float(d), k), mp.besseli(mpf(d)/2, k)/mp.besseli(mpf(d)/2 - 1, k), None) for d, k in dk])
   dk = [(d, k) for d in (1, 2, 3, 4, 5, 6, 7, 10, 16, 18, 41, 100) for k in spread(1e-2, 1e6, 4) + spread(0.5, 100, 8)]
   def env(d, k):
      return min(mpf(1), mp.gamma(mpf(d)/2)/sqrt(pi)*(2/mpf(k))**(mpf(d - 1)/2))
   def jd(d, k):
      mp.dps = 60 + (int(k) if k < 1000 else 0)
      v = mp.gamma(mpf(d)/2)*(2/mpf(k))**(mpf(d)/2 - 1)*mp.besselj(mpf(d)/2 - 1, k)
      mp.dps = 50
      return v
   emit("j", [((float(d), k), jd(d, k), max(env(d, k) if 2*k > d else mpf(0), abs(jd(d, k)))) for d, k in dk])
   one("lgamma", loggamma, spread(1e-8, 1e8, 25) + spread(0.3, 20, 40) + [1 + x for x in spread(1e-9, 0.3, 10, True)] + [2 + x for x in spread(1e-9, 0.3, 10, True)])
   one("digamma", digamma, spread(1e-8, 1e8, 40) + spread(0.3, 20, 40), lambda x: max(abs(digamma(x)), mpf(1)))
   ab = list(zip(spread(1e-3, 1e6, 60), spread(1e-3, 1e6, 60)))
   emit("log_beta", [((a, b), log(mp.beta(mpf(a), mpf(b))), max(abs(log(mp.beta(mpf(a), mpf(b)))), mpf(1))) for a, b in ab])
   xa = list(zip(spread(0.5, 1e8, 40), spread(0.5, 60, 40)))
   emit("lgamma_diff", [((x, a), loggamma(mpf(x) + mpf(a)) - loggamma(mpf(x)), max(mpf(1), abs(loggamma(mpf(x) + mpf(a)) - loggamma(mpf(x))))) for x, a in xa])
   bvn_rows()

if __name__ == "__main__":
   if sys.argv[1:] == ["coef"]:
      coef()
   elif sys.argv[1:] == ["table"]:
      table()
   else:
      sys.exit(__doc__)
