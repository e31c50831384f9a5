"""Errors and coverage of samplers in simulated worlds and on real pools.

For each world and number of labels: the root mean squared error of OperationalSampler
over that of simple random sampling and of proportional quantile strata, whose errors
are known in closed form; the coverage of its interval; and the error that a sampler
would have that knew the failure probabilities. The optional folder holds the pools of
the DeepEST authors (CSV files with the columns outcome and confidence), which are not
part of this project.

    python benchmarks/operational_worlds.py --pools FOLDER --jobs 2 --write doc
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from worlds import read_pools, worlds

from skrobust.sampling import OperationalSampler
from skrobust.sampling.designs.fixed_size import allocate, inclusion_probabilities
from skrobust.sampling.designs.partitions import merge_strata, quantile_strata

BUDGETS = (50, 200, 800)
WITH_SIGNAL = 0.8  # error of one who knows all, over random sampling, at most


def random_error(failed, n):
    """Return the error of simple random sampling, exactly."""
    return np.sqrt((1 / n - 1 / len(failed)) * failed.var(ddof=1))


def strata_error(scores, failed, n):
    """Return the error of proportional quantile strata, exactly."""
    strata, _ = merge_strata(quantile_strata(scores, 10), scores, max(n // 2, 1))
    sizes = np.bincount(strata)
    counts = allocate(sizes, sizes, n)
    square = (failed - (np.bincount(strata, failed) / sizes)[strata]) ** 2
    spread = np.bincount(strata, square) / np.maximum(sizes - 1, 1)
    return np.sqrt(float(sizes * (sizes / counts - 1) @ spread)) / len(failed)


def best_error(p, n):
    """Return the error of draws in proportion to the true standard deviations."""
    variance = np.clip(p * (1 - p), 1e-6, None)
    pi = inclusion_probabilities(np.sqrt(variance), n)
    return np.sqrt(float(variance @ (1 / pi - 1))) / len(p)


def measure(scores, failed, n, n_repeats, features=None, **parameters):
    """Return squared errors, hits of the interval, widths and failures found."""
    truth, found = 1 - failed.mean(), np.empty((n_repeats, 4))
    for seed in range(n_repeats):
        sampler = OperationalSampler(random_state=seed, **parameters)
        sampler.fit(scores, features=features)
        result = sampler.sample(n, lambda ids: failed[ids])
        low, high = result.interval
        hit = low - 1e-12 <= truth <= high + 1e-12
        found[seed] = (
            (result.accuracy - truth) ** 2, hit, high - low, result.n_failures
        )  # fmt: skip
    return found


def row_of(world, n, n_repeats):
    """Return a line of the table."""
    name, scores, failed, p = world
    found = measure(scores, failed, n, n_repeats)
    square, hits = found[:, 0], found[:, 1]
    error = np.sqrt(square.mean())
    noise = square.std(ddof=1) / np.sqrt(n_repeats) / (2 * square.mean())
    uniform, strata = random_error(failed, n), strata_error(scores, failed, n)
    return {
        "world": name,
        "labels": n,
        "failures": f"{failed.mean():.3f}",
        "best": "" if p is None else f"{best_error(p, n) / uniform:.2f}",
        "strata": f"{strata / uniform:.3f}",
        "operational": f"{error / uniform:.3f}",
        "over best of two": f"{error / min(uniform, strata):.3f}",
        "error": f"{noise * error / min(uniform, strata):.3f}",
        "coverage": f"{hits.mean():.3f}",
    }


def summary(rows, n_repeats):
    """Print what the table says."""
    ratio = np.array([float(row["over best of two"]) for row in rows])
    error = np.array([float(row["error"]) for row in rows])
    uniform = np.array([float(row["operational"]) for row in rows])
    cover = np.array([float(row["coverage"]) for row in rows])
    best = np.array([float(row["best"] or "nan") for row in rows])

    def mean(values):
        return np.exp(np.log(values).mean())

    signal = best <= WITH_SIGNAL
    print(f"{len(rows)} rows of {n_repeats} repeats")
    print(f"with signal: {mean(uniform[signal]):.3f} of random sampling; one who knows "
          f"all: {mean(best[signal]):.3f} ({signal.sum()} rows)")  # fmt: skip
    if np.isnan(best).any():
        print(f"real pools: {mean(uniform[np.isnan(best)]):.3f} of random sampling")
    print(f"over the best of two: worst {ratio.max():.3f}, above 1.02 in "
          f"{(ratio > 1.02).sum()} rows, by more than twice its error in "
          f"{(ratio - 2 * error > 1.02).sum()}")  # fmt: skip
    print(f"coverage: lowest {cover.min():.3f}, below .94 in {(cover < 0.94).sum()}")


def write(rows, path):
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pools", type=Path, help="folder of real pools")
    parser.add_argument("--repeats", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path, help="folder for worlds.csv")
    arguments = parser.parse_args()
    pools = [*worlds()]
    if arguments.pools:
        pools += read_pools(arguments.pools)
    tasks = [(world, n) for world in pools for n in BUDGETS]
    rows = Parallel(n_jobs=arguments.jobs, verbose=5)(
        delayed(row_of)(world, n, arguments.repeats) for world, n in tasks
    )
    for row in rows:
        print("  ".join(str(value) for value in row.values()))
    summary(rows, arguments.repeats)
    if arguments.write:
        write(rows, arguments.write / "worlds.csv")


if __name__ == "__main__":
    main()
