"""Write the table of reference statistics of the published corruptions.

Runs the authors' scripts (see ``published_corruptions.py``, and its environment with
scikit-learn and joblib as well) on generated pictures::

    PYTHONPATH=. python benchmarks/reference_table.py FOLDER --frost FROST \\
        --write skrobust/testing/published_statistics.csv

Each picture is corrupted twice. The table has the mean of each statistic over both
draws of all pictures, and the standard deviation of one draw about the mean of its
picture, from which sampling errors follow.
"""

import argparse
import csv

import numpy as np
from published_corruptions import KINDS, MNIST_KINDS, load_published

from skrobust.testing.dead_leaves import dead_leaves
from skrobust.testing.picture_statistics import STATISTICS, picture_statistics

N_PICTURES = {28: 200, 32: 200, 224: 20}
FIELDS = ["side", "kind", "severity", "n"]
FIELDS += [f"{name}{end}" for name in STATISTICS for end in ("", "_sd")]


def rows_of(side, folder, frost):
    corrupt = load_published(folder, side, frost)
    pictures = dead_leaves(N_PICTURES[side], side, grey=side == 28)
    mnist = side == 28
    for kind in MNIST_KINDS if mnist else KINDS:
        for severity in [None] if mnist else range(1, 6):
            draws = []
            for draw in range(2):
                np.random.seed(10 * draw + (severity or 0))  # noqa: NPY002 (theirs)
                found = np.stack([corrupt(p, kind, severity) for p in pictures])
                draws.append(picture_statistics(pictures, found))
            both = np.stack(draws)
            spread = np.sqrt(np.mean((both[0] - both[1]) ** 2, axis=0) / 2)
            row = [side, kind, severity or "", len(pictures)]
            for mean, sd in zip(both.mean(axis=(0, 1)), spread, strict=True):
                row += [f"{mean:.5f}", f"{sd:.5f}"]
            yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--frost", required=True)
    parser.add_argument("--sides", nargs="+", type=int, default=[28, 32, 224])
    parser.add_argument("--write", required=True)
    options = parser.parse_args()
    with open(options.write, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for side in options.sides:
            for row in rows_of(side, options.folder, options.frost):
                writer.writerow(row)
                file.flush()


if __name__ == "__main__":
    main()
