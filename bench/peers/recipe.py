"""The paper's recipe in PyTorch: cos features, a Gaussian mixture as base measure, AdamW on all events at once.

    python3 bench/peers/recipe.py train.csv test.csv [scale] [--steps 600] [--width 200] [--parts 2] [--threads 2]
                                  [--seed 1] [--double]

Events are the first two columns of each row; lines that are not numbers are skipped. Coordinates are scaled to the unit
square by the bounding box of both files; the learning rate is 0.0125 / |X| with the area |X| = 1 there. Everything is
learnt: V, W, b and the mixture. `scale` is (1 - p) / p when the training events are a thinning with probability p of
all of them (default: test events / training events). Prints the seconds of training and the joint negative
log-likelihood per test event, -[sum log(scale lambda) - scale Lambda - log n!] / n, in the units of the file.
"""
import argparse
import csv
import math
import time

import torch

from train import Cos


def read(path):
    rows = []
    with open(path, newline="") as file:
        for row in csv.reader(file):
            try:
                rows.append((float(row[0]), float(row[1])))
            except (ValueError, IndexError):
                continue
    return torch.tensor(rows, dtype=torch.float64)


class Model(torch.nn.Module):
    def __init__(self, width, parts, events):
        super().__init__()
        self.alpha = float(events)  # events per unit of area of the unit square
        self.W = torch.nn.Parameter(2 * math.pi * torch.randn(width, 2))
        self.b = torch.nn.Parameter(2 * math.pi * torch.rand(width))
        self.V = torch.nn.Parameter(torch.randn(width, width) / width)
        self.mean = torch.nn.Parameter(torch.rand(parts, 2))
        self.log_scale = torch.nn.Parameter(torch.full((parts, 2), math.log(0.5)))
        self.logit = torch.nn.Parameter(torch.zeros(parts))

    gram = Cos.gram  # the same parameters under the same names

    def expected(self):
        return self.alpha * ((self.V @ self.gram()) * self.V).sum()

    def log_intensity(self, x):
        z = (x[:, None, :] - self.mean) * torch.exp(-self.log_scale)
        log_part = -0.5 * (z * z).sum(-1) - self.log_scale.sum(-1) - math.log(2 * math.pi)
        y = torch.cos(x @ self.W.T + self.b) @ self.V.T
        return torch.log(self.alpha * (y * y).sum(1)) + torch.logsumexp(log_part + torch.log_softmax(self.logit, 0), 1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("train")
    p.add_argument("test")
    p.add_argument("scale", nargs="?", type=float)
    p.add_argument("--steps", type=int, default=600)
    p.add_argument("--width", type=int, default=200)
    p.add_argument("--parts", type=int, default=2)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--double", action="store_true")
    o = p.parse_args()
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    torch.set_default_dtype(torch.float64 if o.double else torch.float32)
    train, test = read(o.train), read(o.test)
    both = torch.cat([train, test])
    low, size = both.min(0).values, both.max(0).values - both.min(0).values
    x = ((train - low) / size).to(torch.get_default_dtype())
    y = ((test - low) / size).to(torch.get_default_dtype())
    n, m = len(train), len(test)
    scale = o.scale if o.scale else m / n
    model = Model(o.width, o.parts, n)
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.0125)
    start = time.perf_counter()
    for _ in range(o.steps):
        optimiser.zero_grad()
        loss = model.expected() - model.log_intensity(x).sum()
        loss.backward()
        optimiser.step()
    seconds = time.perf_counter() - start
    with torch.no_grad():
        expected = model.expected().item()
        logs = model.log_intensity(y).double().sum().item() - m * math.log(size[0] * size[1])
    nll = -(logs + m * math.log(scale) - scale * expected - math.lgamma(m + 1)) / m
    print(f"seconds {seconds:.3f}")
    print(f"train_events {n}")
    print(f"test_nll {nll:.6f}")


if __name__ == "__main__":
    main()
