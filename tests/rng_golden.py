#!/usr/bin/env python3
"""Writes rng_golden.h for test_rng.c: what the generator must return, computed by a second implementation.

   python3 tests/rng_golden.py > tests/rng_golden.h        (numpy, mpmath; a few seconds)

The integer stream and the tables of the ziggurats are computed from the published definitions; the variates follow
the algorithms that >>rng names, on that stream. Python's floats are IEEE doubles and its math module is the
system's libm. Log-probabilities are computed with 40 digits.
"""
import math, struct
import numpy as np
from mpmath import mp, mpf

mp.dps = 40
M64 = (1 << 64) - 1


def philox_blocks(seed, stream, first, count):
    """Blocks first..first+count-1 of Philox4x32-10 as an array (count, 2) of 64-bit words."""
    block = np.arange(first, first + count, dtype=np.uint64)
    m32 = np.uint64(0xFFFFFFFF)
    c = [block & m32, block >> np.uint64(32),
         np.full(count, stream & 0xFFFFFFFF, np.uint64), np.full(count, stream >> 32, np.uint64)]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p, q = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(q >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]), q & m32,
             (p >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]), p & m32]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack([c[0] | c[1] << np.uint64(32), c[2] | c[3] << np.uint64(32)], 1)


def words(seed, stream, count):
    return philox_blocks(seed, stream, 0, (count + 1) // 2).reshape(-1)[:count]


def known_answers():
    def one(ctr, key):
        b = philox_blocks(key[0] | key[1] << 32, ctr[2] | ctr[3] << 32, ctr[0] | ctr[1] << 32, 1)[0]
        return [int(b[0]) & 0xFFFFFFFF, int(b[0]) >> 32, int(b[1]) & 0xFFFFFFFF, int(b[1]) >> 32]
    # Random123, tests/kat_vectors, philox4x32 10
    assert one([0] * 4, [0] * 2) == [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]
    assert one([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0]) == \
        [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]


class Rng:
    def __init__(self, seed, stream):
        self.seed, self.stream, self.pos, self.buf = seed, stream, 0, []

    def next(self):
        if self.pos == len(self.buf):
            self.buf += [int(w) for w in philox_blocks(self.seed, self.stream, self.pos // 2, 4096).reshape(-1)]
        self.pos += 1
        return self.buf[self.pos - 1]

    def uniform(self):
        return (self.next() >> 11) / 2.0**53

    def open(self):
        return (2 * (self.next() >> 12) + 1) / 2.0**53


def ziggurat(f, inverse, tail, low, high):
    """The 129 abscissae, by bisection for the one r whose boxes end at height 1."""
    def build(r):
        v = r * f(r) + tail(r)
        x = [v / f(r), r]
        for _ in range(2, 128):
            y = f(x[-1]) + v / x[-1]
            if y >= 1:
                return None
            x.append(inverse(y))
        return None if f(x[-1]) + v / x[-1] > 1 else x
    low, high = mpf(low), mpf(high)
    for _ in range(130):
        r = (low + high) / 2
        if build(r) is None:
            low = r
        else:
            high = r
    return [float(t) for t in build(high)] + [0.0]


ZN = ziggurat(lambda t: mp.exp(-t * t / 2), lambda y: mp.sqrt(-2 * mp.log(y)),
              lambda r: mp.sqrt(mp.pi / 2) * mp.erfc(r / mp.sqrt(2)), 3, 4)
ZE = ziggurat(lambda t: mp.exp(-t), lambda y: -mp.log(y), lambda r: mp.exp(-r), 5, 9)


def exponential(g):
    start = 0.0
    while True:
        w = g.next()
        i = w & 127
        z = (w >> 11) / 2.0**53 * ZE[i]
        if z < ZE[i + 1]:
            return start + z
        if i == 0:
            start += ZE[1]
        else:
            fa, fb = math.exp(-ZE[i]), math.exp(-ZE[i + 1])
            if fa + g.uniform() * (fb - fa) < math.exp(-z):
                return start + z


def normal(g):
    while True:
        w = g.next()
        i, sign = w & 127, -1.0 if w & 128 else 1.0
        z = (w >> 11) / 2.0**53 * ZN[i]
        if z < ZN[i + 1]:
            return sign * z
        if i == 0:
            while True:
                a, b = exponential(g) / ZN[1], exponential(g)
                if 2 * b >= a * a:
                    return sign * (ZN[1] + a)
        fa, fb = math.exp(-0.5 * ZN[i] * ZN[i]), math.exp(-0.5 * ZN[i + 1] * ZN[i + 1])
        if fa + g.uniform() * (fb - fa) < math.exp(-0.5 * z * z):
            return sign * z


def log_poisson(k, mean):
    k, mean = mpf(k), mpf(mean)
    return k * mp.log(mean) - mean - mp.loggamma(k + 1)


def search(g, pmf):
    """The first k whose cumulative probability, kept with 40 digits, exceeds a uniform."""
    u, k, c = mpf(g.uniform()), 0, mpf(0)
    while True:
        c += pmf(k)
        if u < c:
            return k
        k += 1


def poisson(g, mean):
    if mean < 10:
        return search(g, lambda k: mp.exp(log_poisson(k, mean)))
    b = 0.931 + 2.53 * math.sqrt(mean)
    a = -0.059 + 0.02483 * b
    while True:
        u, v = g.open() - 0.5, g.open()
        s = 0.5 - abs(u)
        k = math.floor((2 * a / s + b) * u + mean + 0.43)
        if s >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return k
        if k < 0 or (s < 0.013 and v > s):
            continue
        if mp.log(mpf(v) * (1.1239 + 1.1328 / (b - 3.4)) / (a / (s * s) + b)) <= log_poisson(k, mean):
            return k


def sphere(g, d):
    x = [normal(g) for _ in range(d)]
    norm = 0.0
    for t in x:
        norm += t * t
    return [t / math.sqrt(norm) for t in x]


def permute(index, count, key):
    def mix(z):
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & M64
        z = (z ^ z >> 27) * 0x94D049BB133111EB & M64
        return z ^ z >> 31
    if count <= 16:
        g, order = Rng(key, count), []
        for i in range(count):
            while True:
                w = g.next()
                if w < (1 << 64) // (i + 1) * (i + 1):
                    break
            order.append(i)
            j = w % (i + 1)
            order[i], order[j] = order[j], order[i]
        return order[index]
    bits = (count - 1).bit_length()
    low = bits // 2
    high = bits - low
    while True:
        a, b, rk = index % (1 << low), index >> low, key
        for r in range(12):
            rk = (rk + 0x9E3779B97F4A7C15) & M64
            f = mix(((b if r % 2 else a) + mix(rk)) & M64) >> 7
            if r % 2:
                a ^= f % (1 << low)
            else:
                b ^= f % (1 << high)
        index = b << low | a
        if index < count:
            return index


def fold(items):
    """FNV-1a over 64-bit words; a float counts with its bits."""
    h = 0xCBF29CE484222325
    for w in items:
        if isinstance(w, float):
            w = struct.unpack('<Q', struct.pack('<d', w))[0]
        h = (h ^ int(w)) * 0x100000001B3 & M64
    return h


def main():
    known_answers()
    print('/* Made by rng_golden.py, a second implementation; do not edit. */')
    put = lambda name, value: print('#define RNG_%-22s 0x%016xu' % (name, value))
    w = words(42, 7, 1000000)
    put('WORDS', fold(w))
    put('WORD_999999', int(w[999999]))
    put('FAR', int(philox_blocks(42, 1 << 40 | 3, (1 << 61) + 5, 1)[0][1]))
    put('UNIFORM', fold(float(t) for t in (words(1, 2, 10000) >> np.uint64(11)) / 2.0**53))
    g = Rng(3, 0); put('NORMAL', fold(normal(g) for _ in range(30000)))
    g = Rng(3, 1); put('EXPONENTIAL', fold(exponential(g) for _ in range(30000)))
    g, means = Rng(3, 2), (1e-3, 0.5, 5.0, 30.0, 1e3, 1e6, 1e9)
    put('POISSON', fold(poisson(g, m) for _ in range(200) for m in means))
    g = Rng(3, 5); x = [t for _ in range(1000) for d in (1, 2, 3, 8) for t in sphere(g, d)]
    put('SPHERE', fold(x))
    print('#define RNG_%-22s %.17g' % ('SPHERE_SUM', math.fsum((i % 7 + 1) * t for i, t in enumerate(x))))
    put('PERMUTE', fold(permute(i, n, 99) for n in (2, 3, 10, 16, 17, 1000, 1 << 33, M64) for i in range(min(n, 500))))
    print('\n/* log of the Poisson probability: k, mean, value. */')
    print('static const double rng_log_poisson[][3] = {')
    for mean in (10.0, 30.5, 1e3, 1e6, 1e9, 2.0**52):
        for z in (-3, -1.25, 0, 0.5, 4, 9):
            k = max(0, math.floor(mean + z * math.sqrt(mean)))
            print('   {%.17g, %.17g, %s},' % (k, mean, mp.nstr(log_poisson(k, mean), 20)))
    print('   {0, 12, -12}, {1, 12, %s}, {600, 12, %s}' % tuple(mp.nstr(log_poisson(k, 12), 20) for k in (1, 600)))
    print('};')


main()
