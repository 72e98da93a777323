"""Writes the table of speeds into a Markdown file, between <!-- bench-report --> and <!-- /bench-report -->.

    python3 bench/report.py LINES [bench/README.md]

LINES is what `make bench` printed: name value unit. Without a file the table is only printed. Columns of a peer stay
empty where it was not installed, and rows are left out that could not be measured because others used the cores.
"""
import re
import sys

BEGIN, END = "<!-- bench-report -->", "<!-- /bench-report -->"
STEPS = {
    "sphere_time_300": "a training step on sphere x time, ReLU x ReLU, n = m = 300, N = 20,000",
    "cos_200": "a training step with cos, learnt mixture of 2, n = m = 200, N = 2884",
    "cos_80": "a training step with cos, learnt mixture of 4, n = m = 80, N = 471",
}
TYPES = (("f32", "float"), ("f64", "double"))
SIZES = (80, 200, 300, 512)


class Lines(dict):
    def show(self, names, digits=3):
        """Values of several names, with three digits, and commas where they are large; '' if any is missing."""
        if not all(name in self for name in names):
            return ""
        values = [float(f"{self[name]:.{digits}g}") for name in names]
        return ", ".join(f"{v:,.0f}" if v >= 1000 else f"{v:.{digits}g}" for v in values)

    def over(self, names, below):
        """The quotients, as the table shows them."""
        if not all(name in self for name in [*names, *below]):
            return ""
        quotients = [self[a] / self[b] for a, b in zip(names, below)]
        return ", ".join(f"{q:.2f}" if q < 10 else f"{q:.1f}" for q in quotients)


def rows(v):
    def row(what, real="", threads="", own="", peak="", beside="", ratio=""):
        return f"| {what} | {real} | {threads} | {own} | {peak} | {beside} | {ratio} |"

    def unit(text, name):
        return text and f"{text} {name}"

    def named(name, text):
        return text and f"{name} {text}"

    yield row("what", "precision", "threads", "sneppp.h", "of the peak", "beside it", "ratio")
    yield "|---" * 7 + "|"
    for t, real in TYPES:
        yield row("peak: fused multiply-adds in registers", real, 1, unit(v.show([f"{t}_peak"]), "Gflop/s"))
    for case, what in STEPS.items():
        for t, real in TYPES:
            for threads in (1, 2):
                name = f"{t}_{case}_{threads}_thread" + "s" * (threads > 1)
                own = name + "_in_turns" if name + "_in_turns" in v else name
                yield row(f"{case}: {what}" if (t, threads) == ("f32", 1) else "", real, threads,
                          unit(v.show([own]), "events/s"), v.show([name + "_over_peak"], 2),
                          named("PyTorch", v.show([name + "_torch"])), v.over([own], [name + "_torch"]))
    for t, real in TYPES:
        one, two = ([f"{t}_{case}_{i}" for case in STEPS] for i in ("1_thread", "2_threads"))
        yield row("the three steps, two threads beside one", real, 2, unit(v.show(two), "events/s"), "",
                  named("one thread", v.show(one)), v.over(two, one))
    for t, real in TYPES:
        for case, N in (("cos_200", 2884), ("sphere_time_300", 2000)):
            steps = [f"{t}_{case}_step_N_{k * N}" for k in (1, 10, 100)]
            yield row(f"step of {case}, N = {10 * N:,} and {100 * N:,} beside a tenth", real, 1,
                      unit(v.show(steps[1:]), "ms"), "", v.show(steps[:2]), v.over(steps[1:], steps[:2]))
    for t, real in TYPES[1:]:
        for case in ("n = 50, 100, 200, 400", "d = 1, 2, 3, 4"):
            steps = [f"{t}_cos_step_{case[0]}_{size}" for size in case[4:].split(", ")]
            yield row(f"step of cos_200, but {case}", real, 1, unit(v.show(steps), "ms"))
    for what, pattern in (("gemm, n = 80, 200, 300, 512", "gemm_nn_{n}"), ("gemm, 128 x n x n", "gemm_nn_128x{n}x{n}"),
                          ("syrk, n = 80, 200, 300, 512", "syrk_t_{n}"), ("syrk, n x 128", "syrk_t_{n}x128")):
        for t, real in TYPES:
            own = [f"{t}_" + pattern.format(n=n) for n in SIZES]
            peer = [name + "_openblas" for name in own]
            yield row(what, real, 1, unit(v.show(own), "Gflop/s"), v.over(own, [f"{t}_peak"] * 4),
                      named("OpenBLAS", v.show(peer)), v.over(own, peer))
    own = [f"eigh_{n}" for n in SIZES]
    peer = [name + "_dsyevd" for name in own]
    yield row("eigenvectors, n = 80, 200, 300, 512", "double", 1, unit(v.show(own), "ms"), "",
              named("dsyevd", v.show(peer)), v.over(peer, own))
    for t, real in TYPES:
        yield row("intensity, 64 cos features, full V: one call, a million", real, 1,
                  f"{v.show([t + '_evaluate_one_n64'])} us, {v.show([t + '_evaluate_million_n64'])} ns each")
    for what, name in (("cos on a box", "b_cos"), ("cos, mixture of 2", "gmix_cos"), ("ReLU on the sphere", "s_relu")):
        yield row(f"K and its pull-back, n = 200: {what}", "double", 1,
                  unit(v.show([f"K_{name}", f"K_{name}_pull"]), "ms"))
    yield row("a million points of 64 features: default, full V", "double", 1,
              unit(v.show(["auto64_million", "cos64_million"]), "s"))


def main():
    v = Lines()
    with open(sys.argv[1]) as file:
        for line in file:
            name, value, _ = line.split()
            v[name] = float(value)
    table = "\n".join(row for row in rows(v) if row.split("|")[4].strip())
    print(table)
    if len(sys.argv) > 2:
        with open(sys.argv[2]) as file:
            text = file.read()
        new, count = re.subn(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n{table}\n{END}", text, flags=re.S)
        if count != 1:
            sys.exit(f"{sys.argv[2]}: {count} pairs of markers, not one")
        with open(sys.argv[2], "w") as file:
            file.write(new)


if __name__ == "__main__":
    main()
