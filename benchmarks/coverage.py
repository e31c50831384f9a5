"""Coverage of confidence intervals: how often they hold the truth, and their width.

Each cell draws data with a known truth, takes the 95 % interval and counts. Cells below
93 % are marked.

python benchmarks/coverage.py                 # all families, 1,000 repeats a cell
python benchmarks/coverage.py clusters --repeats 200
"""

import argparse
import itertools
import warnings
from zlib import crc32

import numpy as np
from joblib import Parallel, delayed

from skrobust.metrics import confidence_interval

LOWEST = 0.93  # of 95 % intervals; below it a cell is marked


def share(rng, n, p):
    """Return an interval of a plain share, and the truth."""
    return confidence_interval("accuracy", rng.random(n) < p), p


def weights(rng, kind, n):
    """Return an interval of a weighted share, and the truth."""
    if kind.startswith("balanced"):  # a rare class at 2 %, weighted to a half
        recall, rare = float(kind.split()[1]), 0.02
        positive = rng.random(n) < rare
        right = np.where(positive, rng.random(n) < recall, True)
        weight = np.where(positive, 0.5 / rare, 0.5 / (1 - rare))
        return _weighted(right, weight), 0.5 * recall + 0.5
    if kind.startswith("inverse"):  # failures are sampled more often
        rate = float(kind.split()[1])
        u = rng.random(6 * n)
        u = u[rng.random(6 * n) < (0.05 + u) / 1.05][:n]
        return _weighted(rng.random(n) > 3 * rate * u**2, 1 / (0.05 + u)), 1 - rate
    p = float(kind.split()[1])  # weights that have nothing to do with the outcome
    return _weighted(rng.random(n) < p, rng.lognormal(size=n)), p


def _weighted(right, weight):
    return confidence_interval("accuracy", right, sample_weight=weight)


def clusters(rng, sizes, n_clusters, correlation, p):
    """Return an interval of a share over clusters, and the truth."""
    n = np.full(n_clusters, 50)
    if sizes == "lognormal":
        n = np.ceil(50 * rng.lognormal(-0.5, 1, n_clusters)).astype(int)
    mean = np.full(n_clusters, p)
    if correlation:
        s = 1 / correlation - 1
        mean = rng.beta(p * s, (1 - p) * s, n_clusters)
    clips = np.repeat(np.arange(n_clusters), n)
    right = rng.random(len(clips)) < mean[clips]
    return confidence_interval("accuracy", right, clusters=clips), p


def series(rng, n_periods, correlation, slope):
    """Return an interval of the stability index of a series, and the truth."""
    spread = 0.03
    noise = rng.normal(size=n_periods)
    for i in range(1, n_periods):
        fresh = np.sqrt(1 - correlation**2) * noise[i]
        noise[i] = correlation * noise[i - 1] + fresh
    time = np.arange(n_periods) - (n_periods - 1) / 2
    scores = 0.85 + slope * time + spread * noise
    truth = 0.85 + 12 * min(0, slope) - 0.5 * spread
    return confidence_interval("stability_index", scores, random_state=rng), truth


def asi(rng, n, n_conditions, spread):
    """Return an interval of the Accuracy-Stability Index, and the truth."""
    z = np.linspace(-1, 1, n_conditions)
    means = np.clip(0.8 + spread * z / z.std(), 0, 1)
    right = rng.random((n, n_conditions)) < means
    mean, sd = means.mean(), means.std()
    truth = (mean**2 - sd) / (mean**2 + sd)
    return confidence_interval("accuracy_stability_index", right), truth


KINDS = ("balanced 0.6", "balanced 0.9", "inverse 0.1", "inverse 0.02", "apart 0.9")
FAMILIES = {
    share: [(20, 100, 1000), (0.5, 0.9, 0.99)],
    weights: [(*KINDS, "apart 0.98"), (200, 1000, 5000)],
    clusters: [
        ("equal", "lognormal"),
        (5, 10, 20, 50),
        (0, 0.2, 0.6),
        (0.5, 0.9, 0.98),
    ],
    series: [(6, 12, 24, 36), (0, 0.3, 0.6, 0.9), (0, -0.005)],
    asi: [(50, 200, 1000), (5, 20), (0.005, 0.02, 0.1)],
}


def one_cell(family, cell, repeats):
    """Return coverage and median width of a cell."""
    rng = np.random.default_rng(crc32(repr((family.__name__, *cell)).encode()))
    inside, widths = 0, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(repeats):
            (low, high), truth = family(rng, *cell)
            inside += low - 1e-12 <= truth <= high + 1e-12
            widths.append(high - low)
    return inside / repeats, float(np.median(widths))


def main():
    """Print the table of each family."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    names = [family.__name__ for family in FAMILIES]
    parser.add_argument("families", nargs="*", metavar=f"{{{','.join(names)}}}")
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    for family, axes in FAMILIES.items():
        if arguments.families and family.__name__ not in arguments.families:
            continue
        cells = list(itertools.product(*axes))
        job = delayed(one_cell)
        found = Parallel(arguments.jobs, return_as="generator")(
            job(family, cell, arguments.repeats) for cell in cells
        )
        print(f"\n{family.__name__}\n| cell | coverage | median width |\n|---|---|---|")
        for cell, (covered, width) in zip(cells, found, strict=True):
            mark = " **low**" if covered < LOWEST else ""
            text = ", ".join(map(str, cell))
            print(f"| {text} | {covered:.3f}{mark} | {width:.3f} |", flush=True)


if __name__ == "__main__":
    main()
