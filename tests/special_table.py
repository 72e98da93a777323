#!/usr/bin/env python3
"""High-precision numbers for the floor >>special of sneppp.h.

   python3 tests/special_table.py coef    the coefficient tables that the header carries
   python3 tests/special_table.py table   tests/special_table.h, the table against which the tests measure

Needs mpmath. Everything is computed with 40 digits or more, from definitions (series, integrals, mpmath's own
functions), never from the formulas of the header."""
import sys
from fractions import Fraction
from mpmath import mp, mpf, sqrt, pi, exp, log, erfc, cos, fac2, fac, loggamma, digamma

mp.dps = 40

# ---------------------------------------------------------------------------------------------- fits

def mills(x):
   if x > 60:
      return sum((-1)**k * fac2(2*k - 1) / x**(2*k + 1) for k in range(25))
   return sqrt(pi/2) * erfc(x/sqrt(mpf(2))) * exp(x*x/2)

def wedge(x):
   if x > 60:
      return sum((-1)**k * fac2(2*k + 1) / x**(2*k + 2) for k in range(25))
   return 1 - x*mills(x)

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

def debye(K):
   """D_k of log sum_k U_k(p)/nu^k = sum_k D_k(p)/nu^k (DLMF 10.41.10), as polynomials in p."""
   U = [[Fraction(1)]]
   for k in range(K):
      u = U[-1]
      v = [Fraction(0)]*(len(u) + 3)
      for i, a in enumerate(u):
         if i:
            v[i + 1] += Fraction(i, 2)*a
            v[i + 3] -= Fraction(i, 2)*a
         v[i + 1] += a/(8*(i + 1))
         v[i + 3] -= 5*a/(8*(i + 3))
      U.append(v)
   D = [None]
   for k in range(1, K + 1):  # k U_k = sum_j j D_j U_{k-j}
      d = [k*a for a in U[k]]
      for j in range(1, k):
         for x, a in enumerate(D[j]):
            for y, b in enumerate(U[k - j]):
               d[x + y] -= j*a*b
      D.append([a/k for a in d])
   return D[1:]

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
   rows("sneppp__wedge_table", [local(wedge, K, N, i, centre[i - 1], 10) for i in range(1, N)], "[15][11]")
   def lg(x):
      if abs(x - 1) < mpf(10)**-18: return mp.euler
      if abs(x - 2) < mpf(10)**-18: return 1 - mp.euler
      return loggamma(x)/((x - 1)*(x - 2))
   rows("sneppp__lgamma_table", [fit(lg, mpf(1), mpf(2), 19), fit(lg, mpf(2), mpf(3), 19)], "[2][20]")
   flat("sneppp__digamma_table", fit(digamma, mpf(1), mpf(2), 20))
   D = debye(12)
   flat("sneppp__debye_table", [a for k, d in enumerate(D) for a in d[k + 1::2]])
   xs, ws = [], []
   for n in (6, 8, 12, 16, 20, 24, 32):
      for x, w in gauss_legendre(n):
         xs.append(x); ws.append(w)
   flat("sneppp__gl_x", xs)
   flat("sneppp__gl_w", ws)

if __name__ == "__main__":
   if sys.argv[1:] == ["coef"]:
      coef()
   else:
      sys.exit(__doc__)
