"""Poisson intensities from Python: events and a window in, a map, expected counts with intervals and new events out.

    import sneppp                                     # after `make shared`; only the standard library is needed
    model = sneppp.fit(trees, box=[(0, 1000), (0, 500)])           # rows (x, y), or a numpy array of them
    model.count(box=[(600, 700), (50, 150)], level=0.95)           # Sure(mean=..., lower=..., upper=..., ...)
    model.intensity([(650, 100)])                                  # events per unit of area
    model.save("trees.model")                                      # the program build/sneppp reads it, too

Lists come back as lists; where numpy is installed and arrays are given, arrays come back, without a copy of the events.
Mistakes raise sneppp.Error with the library's sentence. sneppp.h has the manual; the words are the same here.
"""
import array
import collections
import ctypes
import math
import os
import struct
import sys

try:
    import numpy
except ImportError:
    numpy = None

__all__ = ["fit", "load", "lonlat", "poisson_interval", "version", "Error", "Model", "Sure"]

METHODS = {"auto": 0, "convex": 1, "pgd": 2, "adam": 3}
ENDINGS = ("running", "converged", "step limit", "asked to stop", "no progress")
ACTS = {"default": 0, "cos": 1, "sin": 2, "exp": 5, "erf": 6, "phi": 7, "step": 8, "relu": 9, "gelu": 12, "rbf": 18}
BOX, SPHERE, INTERVALS, POLYGON = 0, 2, 3, 4  # sneppp_space
ERR_SIZE, ERR_NO_CONVERGENCE = -4, -9  # sneppp_status

Sure = collections.namedtuple("Sure", "mean lower upper error count_lower count_upper")


class Error(Exception):
    """A call was refused or failed: str() is the library's sentence, event the index of a wrong event or None."""

    def __init__(self, why, status=-1, event=None):
        super().__init__(why)
        self.status, self.event = status, event


# ---- the library, and where its structs have their fields: it says so itself
def _open():
    here = os.path.dirname(os.path.abspath(__file__))
    name = {"darwin": "libsneppp.dylib", "win32": "sneppp.dll"}.get(sys.platform, "libsneppp.so")
    asked = os.environ.get("SNEPPP_LIBRARY")
    places = [asked] if asked else [os.path.join(here, name), os.path.join(here, "..", "..", "build", name), name]
    for path in places:
        if path == name or os.path.exists(path):
            try:
                return ctypes.CDLL(path)
            except OSError as why:
                raise ImportError("%s cannot be loaded: %s" % (path, why)) from None
    raise ImportError("no libsneppp: run `make shared`, or set SNEPPP_LIBRARY to its path")


class _Field(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_char), ("offset", ctypes.c_size_t), ("size", ctypes.c_size_t)]


class _Parallel(ctypes.Structure):
    _fields_ = [("run", ctypes.c_void_p), ("user", ctypes.c_void_p)]


_lib = _open()
_lib.sneppp_layout.restype = ctypes.POINTER(_Field)
_lib.sneppp_layout.argtypes = [ctypes.c_size_t]


def _layout():
    sizes, fields, index = {}, {}, 0
    while True:
        row = _lib.sneppp_layout(index)
        if not row:
            return sizes, fields
        name, dot, field = row.contents.name.decode().partition(".")
        if dot:
            fields[name, field] = (row.contents.kind.decode(), row.contents.offset, row.contents.size)
        else:
            sizes[name] = row.contents.size
        index += 1


_SIZES, _FIELDS = _layout()
_CODES = {("i", 4): "=i", ("i", 8): "=q", ("u", 4): "=I", ("u", 8): "=Q", ("d", 8): "=d", ("p", 8): "=Q", ("p", 4): "=I"}
if _SIZES["sneppp_parallel"] != ctypes.sizeof(_Parallel):
    raise ImportError("libsneppp has another sneppp_parallel than this file")


class _Struct:
    """A zeroed struct of the library, or `count` of them in a row. Fields are set and read by name; what a pointer points
    to is kept alive."""

    def __init__(self, name, count=1):
        self.name, self.size = name, _SIZES[name]
        self.memory = ctypes.create_string_buffer(self.size * max(count, 1))
        self.kept = []

    def address(self, index=0):
        return ctypes.addressof(self.memory) + index * self.size

    def set(self, field, value, index=0):
        """index counts elements where the field is a list."""
        kind, offset, size = _FIELDS[self.name, field]
        if kind == "s":
            ctypes.memmove(self.address() + offset + index * value.size, value.address(), value.size)
            self.kept.append(value)
            return
        if kind == "p" and value is not None and not isinstance(value, int):
            self.kept.append(value)
            value = value.address() if isinstance(value, _Struct) else _pointer(value)
        width = 8 if kind == "d" else ctypes.sizeof(ctypes.c_void_p) if kind == "p" else size
        struct.pack_into(_CODES[kind, width], self.memory, offset + index * width, value if value is not None else 0)

    def get(self, field, row=0):
        kind, offset, size = _FIELDS[self.name, field]
        if kind == "c":
            return self.memory.raw[offset:offset + size].split(b"\0")[0].decode()
        return struct.unpack_from(_CODES[kind, size], self.memory, row * self.size + offset)[0]


def _pointer(values):
    """The address of an array's numbers; the caller keeps the array."""
    if numpy is not None and isinstance(values, numpy.ndarray):
        return values.ctypes.data
    return values.buffer_info()[0]


_pvoid, _psize = ctypes.c_void_p, ctypes.c_size_t
for _name, _result, _arguments in (
        ("init", ctypes.c_int, [_pvoid] * 3), ("free", None, [_pvoid]), ("fit", ctypes.c_int, [_pvoid] * 4),
        ("intensities", ctypes.c_int, [_pvoid] * 5), ("count", ctypes.c_int, [_pvoid, _pvoid, _psize, _pvoid, _pvoid, _pvoid]),
        ("count_sure", ctypes.c_int, [_pvoid, _pvoid, _psize, ctypes.c_double, _pvoid, _pvoid, _pvoid]),
        ("intensity_sure", ctypes.c_int, [_pvoid, _pvoid, ctypes.c_double, _pvoid, _pvoid]),
        ("count_numeric", ctypes.c_int, [_pvoid] * 5), ("sample", ctypes.c_int, [_pvoid, _pvoid, _pvoid, _psize, _pvoid, _pvoid]),
        ("marginal", ctypes.c_int, [_pvoid, ctypes.c_int, _pvoid, _pvoid, _pvoid]),
        ("save", _psize, [_pvoid, _pvoid, _psize]), ("load", ctypes.c_int, [_pvoid, _pvoid, _psize, _pvoid, _psize, _pvoid, _pvoid]),
        ("export_c", ctypes.c_int, [_pvoid, ctypes.c_char_p, _pvoid, _pvoid, _pvoid]),
        ("lonlats_to_units", ctypes.c_int, [_psize, _pvoid, _psize, _pvoid, _psize, _pvoid]),
        ("unit_to_lonlat", ctypes.c_int, [_pvoid] * 4), ("version", ctypes.c_int, []),
        ("poisson_interval", None, [ctypes.c_double, ctypes.c_double, _pvoid, _pvoid]),
        ("pool_make", _pvoid, [ctypes.c_int, _pvoid]), ("pool_parallel", _Parallel, [_pvoid]), ("pool_free", None, [_pvoid])):
    _function = getattr(_lib, "sneppp_" + _name)
    _function.restype, _function.argtypes = _result, _arguments


def _call(name, *arguments, allow=()):
    """A call that ends with an error struct."""
    err = _Struct("sneppp_error")
    status = getattr(_lib, "sneppp_" + name)(*arguments, err.address())
    if status != 0 and status not in allow:
        raise Error(err.get("why"), status, err.get("event") if status == -2 else None)
    return status


def version():
    """As in 0.3.0."""
    v = _lib.sneppp_version()
    return "%d.%d.%d" % (v // 10000, v // 100 % 100, v % 100)


# ---- numbers in and out
def _rows(values, columns, what):
    """(flat doubles, rows, whether they came as an array of numpy)."""
    if numpy is not None and isinstance(values, numpy.ndarray):
        a = numpy.ascontiguousarray(values, dtype=numpy.float64)
        if a.ndim == 1 and columns == 1:
            a = a.reshape(-1, 1)
        if a.ndim != 2 or a.shape[1] != columns:
            raise Error("%s: rows of %d numbers are wanted, not shape %s" % (what, columns, values.shape))
        return a, len(a), True
    flat, count = array.array("d"), 0
    for row in values:
        row = (row,) if isinstance(row, (int, float)) else tuple(row)
        if len(row) != columns:
            raise Error("%s: row %d has %d numbers, not %d" % (what, count, len(row), columns))
        flat.extend(row)
        count += 1
    return flat, count, False


def _give(flat, columns, as_numpy):
    if as_numpy:
        a = numpy.frombuffer(flat, dtype=numpy.float64).copy()
        return a.reshape(-1, columns) if columns > 1 else a
    return [tuple(flat[i:i + columns]) for i in range(0, len(flat), columns)] if columns > 1 else list(flat)


def _zeros(n):
    return array.array("d", bytes(8 * n))


def lonlat(points):
    """Degrees east and north, rows (lon, lat), as unit vectors."""
    flat, count, as_numpy = _rows(points, 2, "lonlat")
    out = _zeros(3 * count)
    _call("lonlats_to_units", count, _pointer(flat), 0, _pointer(out), 0)
    return _give(out, 3, as_numpy)


def poisson_interval(mean, level=0.9):
    """The shortest (lo, hi) with at most (1 - level)/2 of a Poisson variable of this mean on either side."""
    lo, hi = ctypes.c_uint64(), ctypes.c_uint64()
    _lib.sneppp_poisson_interval(mean, level, ctypes.byref(lo), ctypes.byref(hi))
    return lo.value, hi.value


# ---- windows
def _box(sides):
    w = _Struct("sneppp_window")
    w.set("space", BOX)
    w.set("dim", len(sides))
    if len(sides) > _FIELDS["sneppp_window", "lo"][2] // 8:
        raise Error("a box has at most %d coordinates" % (_FIELDS["sneppp_window", "lo"][2] // 8))
    for k, (lo, hi) in enumerate(sides):
        w.set("lo", lo, k)
        w.set("hi", hi, k)
    return w


def _span(time):
    """(a, b), or [(a, b), (c, d), ...]: what was watched."""
    pairs = [tuple(p) for p in time] if isinstance(time[0], (tuple, list)) else [tuple(time)]
    if len(pairs) == 1:
        return _box(pairs)
    w, ends = _Struct("sneppp_window"), array.array("d", [v for p in pairs for v in p])
    w.set("space", INTERVALS)
    w.set("dim", 1)
    w.set("count", len(pairs))
    w.set("ends", ends)
    return w


def _polygon(rings):
    """One ring [(x, y), ...], or several, those inside others being holes."""
    rings = [rings] if not isinstance(rings[0][0], (tuple, list)) and not hasattr(rings[0][0], "__len__") else rings
    w, xy, sizes = _Struct("sneppp_window"), array.array("d"), array.array("Q" if ctypes.sizeof(_psize) == 8 else "I")
    for ring in rings:
        corners = [tuple(map(float, c)) for c in ring]
        if len(corners) > 1 and corners[0] == corners[-1]:
            corners.pop()  # closed, as in GeoJSON
        sizes.append(len(corners))
        for corner in corners:
            xy.extend(corner)
    w.set("space", POLYGON)
    w.set("dim", 2)
    w.set("rings", len(sizes))
    w.set("ring_size", sizes)
    w.set("xy", xy)
    return w


def _sphere():
    w = _Struct("sneppp_window")
    w.set("space", SPHERE)
    w.set("dim", 3)
    return w


# ---- models
class Model:
    """What fit and load return: ask it, draw from it, save it. Any number of threads may ask at once."""

    def __init__(self):
        self._struct = _Struct("sneppp_model")
        self.report = None  # of the fit: nll, gap, width, ... in a dict; None after load

    def __del__(self):
        if getattr(self, "_struct", None) is not None and _lib is not None:
            _lib.sneppp_free(self._struct.address())
            self._struct = None

    def __repr__(self):
        return "<sneppp.Model: %d features, %.6g events expected>" % (self.width, self.count())

    @property
    def dim(self):
        """Numbers in one event; a place on the sphere has three."""
        return self._struct.get("D")

    @property
    def width(self):
        return self._struct.get("n")

    def _events(self, points, what):
        flat, count, as_numpy = _rows(points, self.dim, what)
        at = _Struct("sneppp_events")
        if count:
            at.set("x", flat)
        at.set("count", count)
        return at, count, as_numpy

    def intensity(self, points, level=None):
        """Events per unit of the window at each point; with a level, Sure for each."""
        at, count, as_numpy = self._events(points, "intensity")
        if level is None:
            out = _zeros(count)
            _call("intensities", self._struct.address(), at.address(), _pointer(out), None)
            return _give(out, 1, as_numpy)
        sure = _Struct("sneppp_sure", count)
        _call("intensity_sure", self._struct.address(), at.address(), level, sure.address())
        return [Sure(*(sure.get(f, i) for f in Sure._fields)) for i in range(count)]

    def _region(self, box, polygon, time):
        region = _Struct("sneppp_region")
        if box is not None and polygon is not None:
            raise Error("give a box or a polygon, not both")
        if box is not None:
            region.set("factor", _box(box), 0)
        if polygon is not None:
            region.set("factor", _polygon(polygon), 0)
        if time is not None:
            region.set("factor", _span(time), self._struct.get("factors") - 1)
        return region

    def count(self, box=None, polygon=None, time=None, level=None):
        """The expected number in a region, or in all of the window, exactly; with a level, such as 0.95, Sure: the interval
        of the true mean, and that of a new count."""
        region = self._region(box, polygon, time)
        if level is None:
            out = _zeros(1)
            _call("count", self._struct.address(), region.address(), 1, _pointer(out), None)
            return out[0]
        sure = _Struct("sneppp_sure")
        _call("count_sure", self._struct.address(), region.address(), 1, level, sure.address(), None)
        return Sure(*(sure.get(f) for f in Sure._fields))

    def _numeric(self, place, time, tol):
        out, error = _zeros(1), _zeros(1)
        place.set("within", self._region(None, None, time))
        place.set("tol", tol)
        _call("count_numeric", self._struct.address(), place.address(), _pointer(out), _pointer(error), allow=(ERR_NO_CONVERGENCE,))
        return out[0], error[0]

    def count_cap(self, lon, lat, radius, time=None, tol=0.0):
        """(expected number, estimate of its error) within `radius` degrees of a place on the sphere. The error may be larger
        than tol (relative, 0 = 1e-6) asks for; look at it."""
        place = _Struct("sneppp_place")
        for name, value in (("shape", 1), ("lon", lon), ("lat", lat), ("radius", radius)):
            place.set(name, value)
        return self._numeric(place, time, tol)

    def count_lonlat(self, west, east, south, north, time=None, tol=0.0):
        """(expected number, estimate of its error) in a rectangle of longitudes and latitudes, as count_cap."""
        place = _Struct("sneppp_place")
        for name, value in (("shape", 2), ("west", west), ("east", east), ("south", south), ("north", north)):
            place.set(name, value)
        return self._numeric(place, time, tol)

    def sample(self, count=0, seed=1, box=None, polygon=None, time=None, as_numpy=False):
        """Exact draws; without a count their number is a Poisson draw, too."""
        how, info, region = _Struct("sneppp_sample_desc"), _Struct("sneppp_sample_info"), self._region(box, polygon, time)
        how.set("region", region)
        how.set("count", count)
        how.set("seed", seed)
        _call("sample", self._struct.address(), how.address(), None, 0, info.address(), allow=(ERR_SIZE,))
        n = info.get("count")
        out = _zeros(n * self.dim)
        if n:
            _call("sample", self._struct.address(), how.address(), _pointer(out), n, info.address())
        if as_numpy and numpy is None:
            raise Error("numpy is not installed")
        return _give(out, self.dim, as_numpy)

    def marginal(self, factor=1, time=None):
        """A model with one factor integrated out, such as the map of all times, or of a part."""
        out, over = Model(), _span(time) if time is not None else None
        _call("marginal", self._struct.address(), factor, over.address() if over else None, out._struct.address())
        return out

    def to_bytes(self):
        size = _lib.sneppp_save(self._struct.address(), None, 0)
        memory = ctypes.create_string_buffer(max(size, 1))
        if not size or _lib.sneppp_save(self._struct.address(), ctypes.addressof(memory), size) != size:
            raise Error("the model cannot be saved")
        return memory.raw[:size]

    def save(self, path):
        with open(path, "wb") as f:
            f.write(self.to_bytes())

    def export_c(self, name):
        """The model as the text of a C header, for firmware."""
        pieces = []
        writer = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)(
            lambda text, size, user: pieces.append(ctypes.string_at(text, size)) or 0)
        _call("export_c", self._struct.address(), name.encode(), ctypes.cast(writer, ctypes.c_void_p), None)
        return b"".join(pieces).decode()


def load(source):
    """A saved model, from a path or bytes."""
    if not isinstance(source, (bytes, bytearray)):
        with open(source, "rb") as f:
            source = f.read()
    model, memory = Model(), ctypes.create_string_buffer(bytes(source), max(len(source), 1))
    _call("load", model._struct.address(), ctypes.addressof(memory), len(source), None, 0, None)
    return model


def fit(events, box=None, polygon=None, sphere=False, time=None, method="auto", width=0, seed=0, activation="default",
        threads=1, weights=None, **settings):
    """Learn an intensity from events, all that were seen in the window: rows of box or polygon coordinates or, on the
    sphere, unit vectors (see lonlat). time=(a, b) says that the last number of each row is a time that was watched from a
    to b. `settings` are fields of sneppp_fit_desc, such as steps, tol, rate, floor. The report is in model.report."""
    if (box is not None) + (polygon is not None) + bool(sphere) + (time is not None and box is None and polygon is None and not sphere) != 1:
        raise Error("give one of box, polygon, sphere and time: where all events were seen")
    if method not in METHODS or activation not in ACTS:
        raise Error("method is one of %s, activation one of %s" % (", ".join(METHODS), ", ".join(ACTS)))
    windows = [_box(box)] if box is not None else [_polygon(polygon)] if polygon is not None else [_sphere()] if sphere else []
    if time is not None:
        windows.append(_span(time))
    desc, train, how = _Struct("sneppp_desc"), _Struct("sneppp_events"), _Struct("sneppp_fit_desc")
    report, model = _Struct("sneppp_report"), Model()
    for k, window in enumerate(windows):
        factor = _Struct("sneppp_factor")
        factor.set("window", window)
        if k == 0:
            factor.set("unit.act", ACTS[activation])
        desc.set("factor", factor, k)
    desc.set("width", width)
    desc.set("seed", seed)
    _call("init", model._struct.address(), desc.address())
    flat, count, _ = _rows(events, model.dim, "fit")
    if count:
        train.set("x", flat)
    train.set("count", count)
    if weights is not None:
        w, n, _ = _rows(weights, 1, "weights")
        if n != count:
            raise Error("%d weights for %d events" % (n, count))
        train.set("weight", w)
    how.set("events", train)
    how.set("method", METHODS[method])
    how.set("seed", seed)
    for name, value in settings.items():
        if ("sneppp_fit_desc", name) not in _FIELDS or name in ("events", "realisations", "parallel"):
            raise Error("fit has no setting called %s" % name)
        how.set(name, value)
    pool = _lib.sneppp_pool_make(threads, None) if threads > 1 else None
    if pool:
        kind, offset, size = _FIELDS["sneppp_fit_desc", "parallel"]
        parallel = _lib.sneppp_pool_parallel(pool)
        ctypes.memmove(how.address() + offset, ctypes.addressof(parallel), size)
    try:
        _call("fit", model._struct.address(), how.address(), report.address())
    finally:
        if pool:
            _lib.sneppp_pool_free(pool)
    model.report = {field: report.get(field) for name, field in _FIELDS if name == "sneppp_report"}
    model.report["method"] = [k for k, v in METHODS.items() if v == model.report["method"]][0]
    model.report["ending"] = ENDINGS[model.report["ending"]]
    model.report = {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in model.report.items()}
    return model
