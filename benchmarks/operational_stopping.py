"""Labels until the accuracy is known to +-.05, looked at after every twenty labels.

OperationalSampler stops by its asymptotic confidence sequence, simple random sampling
by its exact anytime interval. "missed" is the share of runs in which an interval at any
look did not hold the truth.

    python benchmarks/operational_stopping.py --pools FOLDER --jobs 2 --write doc
"""

import argparse
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from operational_worlds import write
from worlds import read_pools, worlds

from skrobust.sampling import OperationalSampler, SimpleRandomSampler

BATCH = 20
SAMPLERS = {"random": SimpleRandomSampler, "operational": OperationalSampler}


def labels_needed(kind, scores, failed, half_width, seed):
    """Return the labels told when a sampler stopped, and whether it ever missed."""
    sampler, truth, missed = kind(random_state=seed).fit(scores), 1 - failed.mean(), 0
    while True:
        ids = sampler.ask(min(BATCH, len(scores) - len(sampler.ids_)))
        sampler.tell(ids, failed=failed[ids])
        found = sampler.result(method="stopping")
        low, high = found.interval
        missed = missed or not low - 1e-12 <= truth <= high + 1e-12
        if (high - low) / 2 <= half_width:
            return found.n_labels, missed


def row_of(world, half_width, n_repeats):
    name, scores, failed, _ = world
    row = {"world": name, "failures": f"{failed.mean():.3f}"}
    for sampler, kind in SAMPLERS.items():
        runs = [
            labels_needed(kind, scores, failed, half_width, seed)
            for seed in range(n_repeats)
        ]
        labels, missed = np.array(runs, dtype=float).T
        row[sampler] = f"{labels.mean():.0f}"
        row[f"{sampler}, error"] = f"{labels.std(ddof=1) / np.sqrt(n_repeats):.0f}"
        row[f"{sampler}, missed"] = f"{missed.mean():.3f}"
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pools", type=Path, help="folder of real pools")
    parser.add_argument("--half-width", type=float, default=0.05)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path, help="folder for stopping.csv")
    arguments = parser.parse_args()
    pools = [*worlds(per_family=1)]
    if arguments.pools:
        pools += read_pools(arguments.pools)
    rows = Parallel(n_jobs=arguments.jobs, verbose=5)(
        delayed(row_of)(world, arguments.half_width, arguments.repeats)
        for world in pools
    )
    for row in rows:
        print("  ".join(str(value) for value in row.values()))
    if arguments.write:
        write(rows, arguments.write / "stopping.csv")


if __name__ == "__main__":
    main()
