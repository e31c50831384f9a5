"""How time and memory grow with the size of the data.

Each path runs at 1, 10 and 100 times its size, every size in a process of its own:
CPU seconds of one thread, peak of the memory above what the process had before the
call, and the exponent of the seconds between the last two sizes (1 is linear).

    python benchmarks/growth.py                  # all paths
    python benchmarks/growth.py "DSA, fit"       # one of them
"""

import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from paired import print_table

COLUMNS = ("path", "unit", "size", "CPU seconds", "peak above start, MB", "exponent")
TIMES = (1, 10, 100)
RNG = np.random.default_rng(0)


def _labels(n):
    y = RNG.integers(0, 2, n, dtype=np.int8)
    wrong = RNG.random(n) < 0.1
    return y, np.where(wrong, 1 - y, y).astype(np.int8)


def robust_ratio(n):
    from skrobust.metrics import robust_ratio_score

    before, after = RNG.dirichlet(np.ones(3), n), RNG.dirichlet(np.ones(3), n)
    return lambda: robust_ratio_score(before, after, tolerance=0.1)


def normalized(n):
    from skrobust.metrics import normalized_accuracy_score

    y, y_pred = _labels(n)
    return lambda: normalized_accuracy_score(y, y_pred, n_features=10)


def stability(n):
    from skrobust.metrics import period_stability_index

    y, y_pred = _labels(n)
    times = np.sort(RNG.integers(0, 52, n))
    return lambda: period_stability_index(y, y_pred, times=times)


def _sampler(name):
    def build(n):
        from skrobust import sampling

        scores = RNG.beta(0.5, 3, n)
        sampler = getattr(sampling, name)(random_state=0)
        return lambda: sampler.fit(scores).ask(min(1000, n // 10))

    return build


def drift(n):
    from skrobust.sampling import detect_drift

    failed = RNG.random(n) < 0.1
    return lambda: detect_drift(failed)


def dsa_fit(n):
    from skrobust.sampling import DistanceSurprise

    rows = np.maximum(RNG.normal(size=(n, 64)), 0).astype(np.float32)
    classes = RNG.integers(0, 10, n)
    test, labels = rows[:100] + np.float32(0.1), classes[:100]
    return lambda: DistanceSurprise().fit(rows, classes).score_samples(test, labels)


def pictures(n):
    from skrobust.perturbations import GaussianNoise

    X = RNG.integers(0, 256, (n, 32, 32, 3), dtype=np.uint8)
    return lambda: GaussianNoise(3, random_state=0).perturb(None, X)


def tables(n):
    from skrobust.perturbations import FeatureNoise

    X = RNG.normal(size=(n, 30))
    noise = FeatureNoise(3, random_state=0).fit(X)
    return lambda: noise.perturb(None, X)


def _linear(n):
    from sklearn.linear_model import LogisticRegression

    X = RNG.normal(size=(n, 20))
    y = (X[:, 0] + RNG.normal(size=n) > 0).astype(int)
    return LogisticRegression().fit(X[:1000], y[:1000]), X, y


def conditions(n):
    from skrobust.evaluation import evaluate_perturbations
    from skrobust.perturbations import FeatureNoise

    model, X, y = _linear(n)
    noise = [FeatureNoise(s, random_state=0).fit(X) for s in (1, 3, 5)]
    return lambda: evaluate_perturbations(model, X, y, noise)


def pgd(n):
    from skrobust.attacks import PGD
    from skrobust.evaluation import evaluate_attack

    model, X, y = _linear(n)
    attack = PGD(0.1, data_range=(-9, 9), random_state=0)
    return lambda: evaluate_attack(model, X, y, attack)


def report(n):
    from skrobust.attacks import FGSM
    from skrobust.perturbations import FeatureNoise
    from skrobust.report import create_report

    model, X, y = _linear(n)
    settings = {
        "conditions": [FeatureNoise(3, random_state=0).fit(X)],
        "attacks": {"FGSM": FGSM(0.1, data_range=(-9, 9))},
    }

    def page():
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "report.html"
            create_report({"model": model}, X, y, out=out, **settings)

    return page


# Name: unit, first size, and what builds a call.
PATHS = {
    "robust_ratio_score": ("rows", 100_000, robust_ratio),
    "normalized_accuracy_score": ("rows", 100_000, normalized),
    "period_stability_index": ("rows", 100_000, stability),
    "OperationalSampler, fit and ask 1,000": (
        "inputs", 100_000, _sampler("OperationalSampler")
    ),
    "DeepESTSampler, fit and ask 1,000": (
        "inputs", 100_000, _sampler("DeepESTSampler")
    ),
    "StratifiedSampler, fit and ask 1,000": (
        "inputs", 100_000, _sampler("StratifiedSampler")
    ),
    "RaoHartleyCochranSampler, fit and ask 1,000": (
        "inputs", 100_000, _sampler("RaoHartleyCochranSampler")
    ),
    "detect_drift": ("answers", 10_000, drift),
    "DSA, fit and 100 scores": ("rows of 64", 10_000, dsa_fit),
    "GaussianNoise, 32 pixels": ("images", 200, pictures),
    "FeatureNoise, 30 columns": ("rows", 3_000, tables),
    "evaluate_perturbations, 3 conditions": ("rows", 3_000, conditions),
    "evaluate_attack, PGD on a linear model": ("rows", 1_000, pgd),
    "create_report, a condition and FGSM": ("rows", 1_000, report),
}  # fmt: skip


def _resident_peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def one(path, size):
    """Print the seconds and the peak of one call."""
    warnings.simplefilter("ignore")
    _, first, build = PATHS[path]
    build(min(size, first))()  # imports and tables that are kept
    call = build(size)
    before = _resident_peak()
    start = time.process_time()
    call()
    print(f"{time.process_time() - start},{_resident_peak() - before}")


def table(short, paths=()):
    """Return the rows of all paths."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    rows = []
    for path in paths or PATHS:
        unit, first, _ = PATHS[path]
        previous = None
        for times in TIMES[:2] if short else TIMES:
            size = max(20, first // 1000) * times if short else first * times
            command = [sys.executable, __file__, "--one", path, str(size)]
            done = subprocess.run(
                command, check=True, capture_output=True, text=True, env=environment
            )
            seconds, peak = map(float, done.stdout.strip().splitlines()[-1].split(","))
            exponent = ""
            if previous is not None:
                ratio = max(seconds, 1e-4) / max(previous[1], 1e-4)
                exponent = f"{math.log(ratio) / math.log(size / previous[0]):.2f}"
            rows.append((path, unit, size, f"{seconds:.3g}", f"{peak:.0f}", exponent))
            print(*rows[-1], sep=", ", flush=True)
            previous = size, seconds
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--one", nargs=2, metavar=("PATH", "SIZE"))
    arguments = parser.parse_args()
    if arguments.one:
        one(arguments.one[0], int(arguments.one[1]))
        return
    print_table(table(False, arguments.paths), COLUMNS)


if __name__ == "__main__":
    main()
