"""Distance-based surprise with an approximate index: CPU seconds, and its error.

10 classes of activations of 64 units, 10,000 of them scored, exactly and with
PyNNDescentTransformer (extra ``ann``). "independent": units of independent noise, the
hardest case for an index. "8 factors": a ReLU layer of 8 factors and a little noise, as
activations tend to be. Compilation is left out and printed: pynndescent keeps a part
of it on disk, so that it takes longest the first time.

    NUMBA_NUM_THREADS=1 OMP_NUM_THREADS=1 python benchmarks/bench_surprise_index.py

``--table`` writes the results to a file, after each setting.
"""

import argparse
import importlib
import sys
import time
import warnings

import numpy as np
from paired import print_table, write_table

from skrobust.sampling import DistanceSurprise

# A file in this folder has the name of a package that numba looks for.
folder = sys.path.pop(0)
PyNNDescentTransformer = importlib.import_module("pynndescent").PyNNDescentTransformer
sys.path.insert(0, folder)

N_UNITS, N_CLASSES, N_FACTORS, N_TEST = 64, 10, 8, 10_000
COLUMNS = (
    "activations", "training rows", "neighbours", "exact: fit", "exact: 10,000 scores",
    "index: fit", "index: 10,000 scores", "index pays from", "found: same class",
    "found: other class", "median error", "largest error",
)  # fmt: skip


def independent(n, seed):
    """Return rows of independent noise around a centre a class, and the classes."""
    centres = np.random.default_rng(0).normal(size=(N_CLASSES, N_UNITS))
    rng = np.random.default_rng(seed)
    classes = rng.integers(N_CLASSES, size=n)
    rows = centres[classes] + rng.normal(size=(n, N_UNITS))
    return np.maximum(rows, 0).astype(np.float32), classes


def factors(n, seed):
    """Return rows of a layer of few factors, and the classes."""
    first = np.random.default_rng(0)
    centres = first.normal(size=(N_CLASSES, N_FACTORS))
    weights = first.normal(size=(N_FACTORS, N_UNITS))
    rng = np.random.default_rng(seed)
    classes = rng.integers(N_CLASSES, size=n)
    rows = (centres[classes] + rng.normal(size=(n, N_FACTORS))) @ weights
    rows += 0.1 * rng.normal(size=rows.shape)
    return np.maximum(rows, 0).astype(np.float32), classes


KINDS = {"independent": independent, "8 factors": factors}


def seconds(call, *arguments):
    """Return the CPU seconds of a call, and its result."""
    start = time.process_time()
    result = call(*arguments)
    return time.process_time() - start, result


def pays_from(exact, index):
    """Return from how many scores an index is cheaper, fit included, as text."""
    saved = (exact[1] - index[1]) / N_TEST
    if saved < 0.05 * exact[1] / N_TEST:
        return "never"
    return f"{float(f'{(index[0] - exact[0]) / saved:.1e}'):,.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--neighbors", type=int, nargs="+", default=[10, 30])
    parser.add_argument("--table", help="file of comma-separated values")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # of few neighbours found: the table has them
    warm = independent(6_000, 3)[0]
    took, _ = seconds(lambda: PyNNDescentTransformer().fit(warm).transform(warm))
    print(f"compilation and a first index: {took:.0f} CPU seconds", flush=True)
    table = []
    for n in given.rows:
        for kind, draw in KINDS.items():
            (train, classes), (test, predicted) = draw(n, 1), draw(N_TEST, 2)
            times = []
            for k in (None, *given.neighbors):
                index = None if k is None else PyNNDescentTransformer(n_neighbors=k)
                surprise = DistanceSurprise(index=index, random_state=0)
                fit, _ = seconds(surprise.fit, train, classes)
                score, _ = seconds(surprise.score_samples, test, predicted)
                times.append((fit, score))
                if k is None:
                    continue
                e = surprise.index_error_
                table.append((
                    kind, f"{n:,}", k, *(f"{t:.1f}" for t in times[0] + times[-1]),
                    pays_from(times[0], times[-1]), f"{e['same_class']:.2f}",
                    f"{e['other_class']:.2f}", f"{e['median']:.1%}",
                    f"{e['largest']:.0%}",
                ))  # fmt: skip
                print(table[-1], flush=True)
                if given.table:
                    write_table(table, given.table, COLUMNS)
    print_table(table, COLUMNS)


if __name__ == "__main__":
    main()
