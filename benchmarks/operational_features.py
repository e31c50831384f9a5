"""Errors of OperationalSampler with features of the pool, and without.

Worlds in which features say more than the scores: parts of the pool that are harder or
easier, a cheap judge whose grade is right on average; and noise, which should change
nothing.

    python benchmarks/operational_features.py --repeats 200 --jobs 2 --write doc
"""

import argparse
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from operational_worlds import best_error, measure, random_error, write
from scipy.special import expit
from worlds import SEED, log_odds

BUDGETS = (50, 200, 800)
N_POOL = 6000


def parts(rng, scores):
    """Parts of the pool, known as columns of 0 and 1, that differ in their odds."""
    n_parts = int(rng.integers(5, 20))
    part = rng.integers(0, n_parts, len(scores))
    p = expit(0.7 * log_odds(scores) + rng.normal(0, 1.5, n_parts)[part])
    return p, np.eye(n_parts)[part]


def judge(rng, scores):
    """A grade with an error of half the spread of what it grades."""
    quality = rng.normal(size=len(scores))
    grade = quality + rng.normal(0, 0.5, len(scores))
    return expit(0.5 * log_odds(scores) - 1 + 2 * quality), grade[:, None]


def noise(rng, scores):
    """Forty features that say nothing."""
    return scores, rng.normal(size=(len(scores), 40))


def worlds(per_family):
    for at, family in enumerate((parts, judge, noise)):
        for k in range(per_family):
            rng = np.random.default_rng([SEED, 50 + at, k])
            scores = rng.beta(rng.uniform(0.08, 0.4), rng.uniform(1.5, 5), N_POOL)
            p, features = family(rng, scores)
            name = f"{family.__name__} {k + 1}"
            yield name, scores, rng.random(N_POOL) < p, p, features


def row_of(world, n, n_repeats):
    name, scores, failed, p, features = world
    uniform = random_error(failed, n)
    row = {
        "world": name,
        "labels": n,
        "failures": f"{failed.mean():.3f}",
        "best": f"{best_error(p, n) / uniform:.2f}",
    }
    for column, given in (("scores", None), ("with features", features)):
        found = measure(scores, failed, n, n_repeats, given)
        square, hits, width = found[:, 0], found[:, 1], found[:, 2]
        error = np.sqrt(square.mean()) / uniform
        noise = square.std(ddof=1) / np.sqrt(n_repeats) / (2 * square.mean())
        row[column] = f"{error:.3f} ± {noise * error:.3f}"
        row[f"{column}, width"] = f"{width.mean():.3f}"
        row[f"{column}, coverage"] = f"{hits.mean():.3f}"
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--per-family", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path, help="folder for features.csv")
    arguments = parser.parse_args()
    tasks = [(w, n) for w in worlds(arguments.per_family) for n in BUDGETS]
    rows = Parallel(n_jobs=arguments.jobs, verbose=5)(
        delayed(row_of)(world, n, arguments.repeats) for world, n in tasks
    )
    for row in rows:
        print("  ".join(str(value) for value in row.values()))
    if arguments.write:
        write(rows, arguments.write / "features.csv")


if __name__ == "__main__":
    main()
