"""The binding for Python against the bits of the C program: python3 tests/python.py (after make shared build/sneppp).
The last line is "N passed, M failed"; with numpy there are a few more."""
import csv
import os
import re
import subprocess
import sys

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
os.chdir(top)
sys.path.insert(0, os.path.join("examples", "python"))
import sneppp

out = os.path.join("build", "check", "python")
os.makedirs(out, exist_ok=True)
passed = failed = 0


def check(words, good):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("python: FAIL", words)


def refuses(words, pattern, call, *args, **kw):
    try:
        call(*args, **kw)
    except sneppp.Error as why:
        if not re.search(pattern, str(why)):
            print(why)
        check(words, re.search(pattern, str(why)))
    else:
        check(words, False)


def program(*words):
    return subprocess.run(["build/sneppp", *words], check=True, capture_output=True, text=True).stdout


def file_of(model, name):
    path = os.path.join(out, name)
    model.save(path)
    with open(path, "rb") as f:
        return f.read()


def native(name, *words):
    path = os.path.join(out, name)
    program("fit", *words, "--save", path)
    with open(path, "rb") as f:
        return f.read()


def rows(path, *names):
    with open(path) as f:
        return [tuple(float(r[n]) for n in names) for r in csv.DictReader(line for line in f if not line.startswith("#"))]


bei = "examples/data/bei.csv"
trees = rows(bei, "x", "y")
box = [(0, 1000), (0, 500)]
model = sneppp.fit(trees, box=box)
check("version", re.fullmatch(r"\d+\.\d+\.\d+", sneppp.version()))
check("the default fit, to the bit", file_of(model, "a.model") == native("b.model", bei, "--window", "0,1000,0,500"))
check("two threads, to the bit", sneppp.fit(trees, box=box, threads=2).to_bytes() == model.to_bytes())
check("the report", model.report["method"] == "auto" and model.report["events"] == 3604 and model.report["width"] == model.width)
check("a convex fit, to the bit", sneppp.fit(trees[:300], box=box, method="convex", width=12, seed=5, tune=1).to_bytes() ==
      native("d.model", "--method", "convex", "--width", "12", "--seed", "5", "--window", "0,1000,0,500",
             (lambda p: (open(p, "w").write("x,y\n" + "".join("%r,%r\n" % t for t in trees[:300])), p)[1])(os.path.join(out, "some.csv"))))

# ---- counts and intensities as the program prints them
saved = os.path.join(out, "b.model")
hectare = [(600, 700), (50, 150)]
line = program("count", saved, "--region", "box:600,700,50,150", "--level", "0.95")
sure = model.count(box=hectare, level=0.95)
check("a count with intervals", line == "expected=%.6g lo=%.6g hi=%.6g count_lo=%d count_hi=%d\n" %
      (sure.mean, sure.lower, sure.upper, sure.count_lower, sure.count_upper))
check("a count", abs(model.count(box=hectare) - sure.mean) < 1e-12 * sure.mean)
check("counts add up", abs(model.count(box=[(0, 400), (0, 500)]) + model.count(box=[(400, 1000), (0, 500)]) - model.count()) < 1e-9 * 3604)
square = [(600, 50), (700, 50), (700, 150), (600, 150), (600, 50)]
check("a polygon is a box", abs(model.count(polygon=square) - sure.mean) < 1e-9 * sure.mean)
check("Poisson", program("count", saved, "--region", "box:600,700,50,150").endswith("interval90=%d,%d\n" % sneppp.poisson_interval(sure.mean)))
with open(os.path.join(out, "some.csv")) as f:
    asked = trees[:300]
    printed = [r["intensity"] for r in csv.DictReader(program("eval", saved, os.path.join(out, "some.csv")).splitlines())]
check("intensities", printed == ["%.10g" % v for v in model.intensity(asked)])
check("an intensity with its interval", model.intensity(asked[:1], level=0.9)[0].lower < model.intensity(asked[:1])[0])
check("nothing outside", model.intensity([(-1, 20)]) == [0.0])

# ---- draws, files
drawn = [tuple(map(float, r)) for r in list(csv.reader(program("sample", saved, "--seed", "3").splitlines()))[1:]]
check("samples, to the bit", drawn == model.sample(seed=3))
check("samples in a region", all(600 <= x <= 700 and 50 <= y <= 150 for x, y in model.sample(50, box=hectare)))
again = sneppp.load(saved)
check("load", again.count(box=hectare, level=0.95) == sure and again.report is None)
check("load bytes", sneppp.load(model.to_bytes()).intensity(asked) == model.intensity(asked))
program("export", saved, os.path.join(out, "trees.h"))
with open(os.path.join(out, "trees.h")) as f:
    check("export", f.read() == model.export_c("trees"))

# ---- the line, the sphere and time, a polygon
coal = [r[0] for r in rows("examples/data/coal.csv", next(csv.reader(l for l in open("examples/data/coal.csv") if l[0] != "#"))[0])]
line = sneppp.fit(coal, box=[(1851.2026, 1962.2204)])
check("a line, to the bit", line.to_bytes() == native("coal.model", "examples/data/coal.csv", "--window", "1851.2026,1962.2204"))
check("time alone", sneppp.fit(coal, time=(1851.2026, 1962.2204)).to_bytes() == line.to_bytes())
quakes = rows("examples/data/earthquakes.csv", "lon", "lat", "time")
units = sneppp.lonlat([q[:2] for q in quakes])
where_when = [u + (q[2],) for u, q in zip(units, quakes)]
earth = sneppp.fit(where_when, sphere=True, time=(0, 18993))
check("sphere and time, to the bit", earth.to_bytes() == native("earth.model", "examples/data/earthquakes.csv", "--sphere", "--time", "time", "--time-window", "0,18993"))
decade = program("count", os.path.join(out, "earth.model"), "--region", "time:0,3652")
check("a decade", decade.startswith("expected=%.6g " % earth.count(time=(0, 3652))))
everywhere, error = earth.count_lonlat(-180, 180, -90, 90, time=(0, 3652), tol=1e-3)
check("a rectangle of the sphere", abs(everywhere - earth.count(time=(0, 3652))) <= 2 * error < 1e-2 * everywhere)
check("all of a map", abs(earth.marginal(1).count() - earth.count()) < 1e-9 * earth.count())
gaps = sneppp.fit([1.0, 2.0, 7.5, 8.0], time=[(0, 3), (7, 9)])
check("gaps in time", abs(gaps.count(time=(0, 3)) + gaps.count(time=(7, 9)) - gaps.count()) < 1e-9)
hole = sneppp.fit([(1, 1), (9, 9), (2, 8)], polygon=[[(0, 0), (10, 0), (10, 10), (0, 10)], [(4, 4), (6, 4), (6, 6), (4, 6)]], width=4)
check("a polygon with a hole", hole.intensity([(5, 5)]) == [0.0] and hole.intensity([(1, 1)])[0] > 0)
check("no events", sneppp.fit([], box=box).count() == 0)
check("weights", abs(sneppp.fit([(1, 1), (2, 2)], box=[(0, 10), (0, 10)], weights=[1, 3], width=2).count() - 4) < 1e-6)

# ---- mistakes are sentences
refuses("an event outside", "event 1", sneppp.fit, [(1, 1), (2000, 2)], box=box)
refuses("no window", "where all events were seen", sneppp.fit, trees)
refuses("rows of three", "row 0 has 3 numbers, not 2", sneppp.fit, [(1, 2, 3)], box=box)
refuses("a box that ends before it begins", "hi", sneppp.fit, trees, box=[(10, 0), (0, 1)])
refuses("a setting that is none", "no setting called speed", sneppp.fit, trees, box=box, speed=3)
refuses("a setting of another method", "not used by CONVEX", sneppp.fit, trees[:9], box=box, method="convex", rate=0.1)
check("a region is cut to the window", model.count(box=[(0, 2000), (0, 1)]) == model.count(box=[(0, 1000), (0, 1)]))
check("a region outside has no events", model.count(box=[(1500, 2000), (0, 1)]) == 0)
refuses("a file that is no model", ".", sneppp.load, b"nothing")
refuses("degrees beyond the pole", ".", sneppp.lonlat, [(0, 95)])

# ---- numpy, where it is
if sneppp.numpy is not None:
    np = sneppp.numpy
    points = np.array(trees)
    check("arrays in", sneppp.fit(points, box=box).to_bytes() == model.to_bytes())
    check("columns of a table, not packed", sneppp.fit(np.hstack([points, points])[:, 1:3][:, ::-1], box=box).to_bytes() == model.to_bytes())
    v = model.intensity(points[:300])
    check("arrays out", isinstance(v, np.ndarray) and v.tolist() == model.intensity(asked))
    check("samples as an array", model.sample(20, as_numpy=True).shape == (20, 2))
    check("lonlat of an array", np.abs((sneppp.lonlat(np.array([q[:2] for q in quakes])) ** 2).sum(1) - 1).max() < 1e-12)
else:
    print("python: numpy is not installed; lists only")
mapped = subprocess.run([sys.executable, "examples/python/map.py", os.path.join(out, "map.png")], capture_output=True, text=True)
check("the map", mapped.returncode == 0 and "trees expected there" in mapped.stdout)
check("its picture", subprocess.run([sys.executable, "tests/png.py", os.path.join(out, "map.png")], capture_output=True).returncode == 0)
symbols = subprocess.run(["nm", "-D", "--defined-only", "build/libsneppp.so"], capture_output=True, text=True)
if symbols.returncode == 0:
    check("only public symbols", all(re.match(r"sneppp_[a-z0-9]", s.split()[-1]) for s in symbols.stdout.splitlines()))
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
