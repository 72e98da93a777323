"""A notebook without a notebook: fit the trees, ask for a hectare, draw the map, simulate another forest.
    make shared && python3 examples/python/map.py          writes build/python_map.png; needs only the standard library"""
import csv
import os
import struct
import sys
import zlib

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import sneppp

# %% 3604 trees on 1000 m x 500 m
with open(os.path.join(here, "..", "data", "bei.csv")) as f:
    trees = [(float(row["x"]), float(row["y"])) for row in csv.DictReader(line for line in f if line[0] != "#")]
plot = [(0, 1000), (0, 500)]
model = sneppp.fit(trees, box=plot)
print("%d trees, %d features, %.2f s" % (len(trees), model.report["width"], model.report["seconds"]))

# %% how many in the hectare [600, 700] x [50, 150]? Exactly, and how sure is it?
hectare = [(600, 700), (50, 150)]
sure = model.count(box=hectare, level=0.95)
seen = sum(all(lo <= v <= hi for v, (lo, hi) in zip(tree, hectare)) for tree in trees)
print("%.1f trees expected there, the mean is between %.1f and %.1f, a new count between %d and %d; %d were counted"
      % (sure.mean, sure.lower, sure.upper, sure.count_lower, sure.count_upper, seen))

# %% another forest like this one
forest = model.sample(seed=7)
print("another forest has %d trees; the first stands at %.1f, %.1f" % (len(forest), *forest[0]))

# %% the map, 1000 x 500 pixels: the intensity by its square root, with the trees as dots
cols, rows = 1000, 500
grid = [((i + 0.5) * 1000 / cols, (rows - j - 0.5) * 500 / rows) for j in range(rows) for i in range(cols)]
z = model.intensity(grid)
top = sorted(z)[int(0.995 * len(z))]
stops = [(252, 253, 191), (254, 176, 120), (241, 96, 93), (183, 55, 121), (114, 31, 129), (36, 18, 78)]


def colour(v):
    t = min(v / top, 1) ** 0.5 * (len(stops) - 1)
    k = min(int(t), len(stops) - 2)
    return [round(a + (t - k) * (b - a)) for a, b in zip(stops[k], stops[k + 1])]


palette = b"".join(bytes(colour(top * k / 254)) for k in range(255)) + b"\x10\x60\x50"  # the last is the trees'
pixels = bytearray(min(int(254 * v / top), 254) for v in z)
for x, y in trees:
    pixels[min(int((500 - y) * rows / 500), rows - 1) * cols + min(int(x * cols / 1000), cols - 1)] = 255


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


lines = b"".join(b"\0" + bytes(pixels[cols * j:cols * (j + 1)]) for j in range(rows))
out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "..", "build", "python_map.png")
with open(out, "wb") as f:
    f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", cols, rows, 8, 3, 0, 0, 0)) +
            chunk(b"PLTE", palette) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))
print("The picture is", os.path.relpath(out))
