"""The training steps of bench/train.c in PyTorch, and the ratio of the two, measured in turns.

    python3 bench/peers/train.py [build directory, default build/bench] [seconds per turn]

One step is the value, all gradients (V, W, b, and the mixture where there is one) and AdamW, full batch. The peer is
written as its users would write it: features, |V psi|^2, the closed form of the integral, backward(). Both sides use
the same sizes, precision and number of threads; they take turns, and the fastest step of each counts. Turns in which
other processes were at work do not count: they slow PyTorch more, whose threads wait for each other and whose arrays
do not stay in cache. Prints lines, name value unit.
"""
import math
import os
import subprocess
import sys
import time

import torch

CASES = {"sphere_time_300": 20000, "cos_200": 2884, "cos_80": 471}  # name: events, as in bench/train.c


def parameter(x, dtype):
    return torch.nn.Parameter(x.to(dtype))


class Cos:
    """cos features under a mixture of Gaussians with diagonal covariance, all of it learnt."""

    def __init__(self, n, parts, events, dtype):
        g = torch.Generator().manual_seed(1)
        self.mean = parameter(torch.rand(parts, 2, generator=g), dtype)
        self.log_scale = parameter(torch.full((parts, 2), math.log(0.2)), dtype)
        self.logit = parameter(torch.zeros(parts), dtype)
        self.W = parameter(3 * torch.randn(n, 2, generator=g), dtype)
        self.b = parameter(6 * torch.rand(n, generator=g), dtype)
        self.V = parameter(torch.randn(n, n, generator=g) / n, dtype)
        self.x = (0.5 + 0.2 * torch.randn(events, 2, generator=g)).to(dtype)
        self.alpha = float(events)
        self.parameters = [self.mean, self.log_scale, self.logit, self.W, self.b, self.V]

    def gram(self):
        weight, variance = torch.softmax(self.logit, 0), torch.exp(2 * self.log_scale)
        K = 0
        for sign in (-1.0, 1.0):
            w = self.W[:, None, :] + sign * self.W[None, :, :]
            phase = self.b[:, None] + sign * self.b[None, :]
            for c in range(len(weight)):
                wave = torch.cos((w * self.mean[c]).sum(-1) + phase)
                K = K + 0.5 * weight[c] * torch.exp(-0.5 * (w * w * variance[c]).sum(-1)) * wave
        return K

    def log_base(self):
        z = (self.x[:, None, :] - self.mean) * torch.exp(-self.log_scale)
        log_part = -0.5 * (z * z).sum(-1) - self.log_scale.sum(-1) - math.log(2 * math.pi)
        return torch.logsumexp(log_part + torch.log_softmax(self.logit, 0), 1)

    def loss(self):
        y = torch.cos(self.x @ self.W.T + self.b) @ self.V.T
        value = self.alpha * ((self.V @ self.gram()) * self.V).sum()
        return value - (torch.log(self.alpha * (y * y).sum(1)) + self.log_base()).sum()


class SphereTime:
    """ReLU features without bias on the sphere times ReLU features of time in [-1, 1]."""

    def __init__(self, n, events, dtype):
        g = torch.Generator().manual_seed(1)
        self.W = parameter(torch.randn(n, 3, generator=g), dtype)
        self.w = parameter(torch.randn(n, generator=g), dtype)
        self.b = parameter(torch.randn(n, generator=g), dtype)
        self.V = parameter(torch.randn(n, n, generator=g) / n, dtype)
        x = torch.randn(events, 3, generator=g)
        self.x = (x / x.norm(dim=1, keepdim=True)).to(dtype)
        self.t = (2 * torch.rand(events, 1, generator=g) - 1).to(dtype)
        self.alpha = float(events)
        self.parameters = [self.W, self.w, self.b, self.V]

    def gram_sphere(self):  # the arc-cosine kernel of order one, with the area 4 pi
        norm = self.W.norm(dim=1)
        size = norm[:, None] * norm[None, :]
        cosine = torch.clamp(self.W @ self.W.T / size, -1 + 1e-6, 1 - 1e-6)
        angle = torch.acos(cosine)
        return 2 / 3 * size * (torch.sin(angle) + (math.pi - angle) * cosine)

    def gram_time(self):  # both are linear where both are positive: Simpson's rule is exact
        kink = torch.clamp(-self.b / self.w, -1, 1)
        lo = torch.where(self.w > 0, kink, torch.full_like(kink, -1))
        hi = torch.where(self.w > 0, torch.full_like(kink, 1), kink)
        lo, hi = torch.maximum(lo[:, None], lo[None, :]), torch.minimum(hi[:, None], hi[None, :])
        u0, u1 = self.w[:, None] * lo + self.b[:, None], self.w[:, None] * hi + self.b[:, None]
        v0, v1 = self.w[None, :] * lo + self.b[None, :], self.w[None, :] * hi + self.b[None, :]
        return torch.relu(hi - lo) / 6 * (2 * u0 * v0 + u0 * v1 + u1 * v0 + 2 * u1 * v1)

    def loss(self):
        psi = torch.relu(self.x @ self.W.T) * torch.relu(self.t * self.w + self.b)
        y = psi @ self.V.T
        value = self.alpha * ((self.V @ (self.gram_sphere() * self.gram_time())) * self.V).sum()
        return value - torch.log(self.alpha * (y * y).sum(1) + 1e-9).sum()


def make(case, dtype):
    events = CASES[case]
    if case == "sphere_time_300":
        return SphereTime(300, events, dtype)
    return Cos(200, 2, events, dtype) if case == "cos_200" else Cos(80, 4, events, dtype)


def fastest_step(model, optimiser, seconds):
    best, end = 1e300, time.perf_counter() + seconds
    while time.perf_counter() < end or best == 1e300:
        start = time.perf_counter()
        optimiser.zero_grad()
        model.loss().backward()
        optimiser.step()
        best = min(best, time.perf_counter() - start)
    return best


def others():
    """Processor seconds of everybody else, where /proc/stat tells them; steal counts, idle and iowait do not."""
    try:
        with open("/proc/stat") as file:
            t = [float(x) for x in file.readline().split()[1:9]]
    except OSError:
        return 0.0
    return (sum(t) - t[3] - t[4]) / os.sysconf("SC_CLK_TCK") - sum(os.times()[:4])


patience = 60.0  # seconds that the whole program may spend on waiting for others


def wait():
    global patience
    quiet = False
    while patience > 0 and not quiet:
        start, used = time.perf_counter(), others()
        time.sleep(0.2)
        quiet = others() - used < 0.15 * (time.perf_counter() - start)
        if not quiet:
            patience -= time.perf_counter() - start


def turns(program, case, threads, dtype, seconds, enough=5, most=8):
    """Events per second of both, from the quiet turns; (0, 0) if there were none."""
    torch.set_num_threads(threads)
    model, events = make(case, dtype), CASES[case]
    optimiser = torch.optim.AdamW(model.parameters, lr=1e-3)
    fastest_step(model, optimiser, 0.1)
    ours, theirs, quiet = 0.0, 0.0, 0
    for _ in range(most):
        wait()
        start, used = time.perf_counter(), others()
        out = subprocess.run([program, case, str(threads), str(seconds)], check=True, capture_output=True, text=True)
        rate = events / fastest_step(model, optimiser, seconds)
        if others() - used < 0.15 * (time.perf_counter() - start):
            ours, theirs, quiet = max(ours, float(out.stdout)), max(theirs, rate), quiet + 1
        if quiet == enough:
            break
    return ours, theirs


def main():
    directory = sys.argv[1] if len(sys.argv) > 1 else "build/bench"
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 0.4
    for case in CASES:
        for precision, dtype, program in (("f32", torch.float32, "train_f32"), ("f64", torch.float64, "train")):
            for threads in (1, 2):
                ours, theirs = turns(f"{directory}/{program}", case, threads, dtype, seconds)
                name = f"{precision}_{case}_{threads}_thread" + "s" * (threads > 1)
                if not ours:
                    print(f"bench: others use the cores, so {name} is not compared with PyTorch", file=sys.stderr)
                    continue
                print(f"{name}_in_turns {ours:.0f} events/s")
                print(f"{name}_torch {theirs:.0f} events/s")
                print(f"{name}_over_torch {ours / theirs:.4g} x", flush=True)


if __name__ == "__main__":
    main()
