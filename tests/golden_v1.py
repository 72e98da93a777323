#!/usr/bin/env python3
"""Reads tests/golden_v1.snp by the description of the format alone and writes tests/golden_v1.h: intensities of the
model at a few points, with 50 digits of working precision (mpmath). The model: cos units on the box [10, 13] x [0, 2],
ReLU units on [-1, 0.25] and [0.5, 2], multiplied; V is (3, 5).      python3 tests/golden_v1.py > tests/golden_v1.h"""
import os, struct, zlib
from mpmath import mp, mpf, cos
mp.dps = 50

data = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden_v1.snp"), "rb").read()
at = 0
def take(kind, count=1):
    global at
    size = struct.calcsize("<" + kind)
    got = [struct.unpack_from("<" + kind, data, at + size * i)[0] for i in range(count)]
    at += size * count
    return got
def one(kind): return take(kind)[0]

assert take("c", 8) == [bytes([c]) for c in b"sneppp\r\n"]
assert one("I") == 1 and one("i") == 8 and one("Q") == len(data)
assert zlib.crc32(data[:-4]) == struct.unpack("<I", data[-4:])[0]
factors, mix, readout, width, rank, group = take("i", 6)
one("d"), one("Q")                                           # desc.alpha, seed
assert (factors, mix, readout, width, rank) == (2, 0, 0, 5, 3)
dims = []
for f in range(factors):
    space, measure, dim = take("i", 3)
    dims.append(dim)
    take("d", 3 * dim), take("d", max(dim, 2)), one("d")     # lo, hi, centre; param; radius
    count, rings = take("Q", 2)
    for name, size in ("weight", count), ("mean", count * dim), ("scale", count * dim), ("ends", 2 * count), ("point", count * dim), ("xy", 0):
        if one("i"): take("d", size)
    one("i"), take("d", 2), take("i", 3)                     # activation, p, q; width, no_bias, mixed
alpha, floor = take("d", 2)
layer = [(take("d", width * d), take("d", width), take("d", d), take("d", d)) for d in dims]   # W, b, shift, rate
V = take("d", rank * width)
assert at == len(data) - 4

def intensity(x):
    psi = [mpf(1)] * width
    first = 0
    for f, (W, b, shift, rate) in enumerate(layer):
        d = dims[f]
        u = [(mpf(x[first + r]) - mpf(shift[r])) * mpf(rate[r]) for r in range(d)]
        for i in range(width):
            z = mpf(b[i]) + sum(mpf(W[i * d + r]) * u[r] for r in range(d))
            psi[i] *= cos(z) if f == 0 else max(z, mpf(0))
        first += d
    rows = [sum(mpf(V[r * width + i]) * psi[i] for i in range(width)) for r in range(rank)]
    return mpf(alpha) * sum(v * v for v in rows) + mpf(floor)

print("/* Made by tests/golden_v1.py from tests/golden_v1.snp: x, y, t and the intensity there. */")
print("static const double golden_v1[6][4] = {")
for p in [(10, 0, -1), (11.5, 1, 0), (12.75, 0.25, 1.5), (13, 2, 2), (10.5, 1.75, 0.5), (12, 0.5, -0.5)]:
    print("   {%s, %s}," % (", ".join(repr(float(c)) for c in p), mp.nstr(intensity(p), 20)))
print("};")
