"""A cross-validation that dies at a given call; started by test_cross_validation.py."""

import sys

from killed_run import Fuse
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from skrobust.evaluation import cross_validate_perturbations


def main(folder, n_jobs):
    X, y = load_digits(return_X_y=True)
    conditions = [Fuse(std=s) for s in (0.0, 0.1, 0.2)]
    return cross_validate_perturbations(
        SVC(), X[:300], y[:300], conditions, cv=2, checkpoint=folder, n_jobs=n_jobs
    )


if __name__ == "__main__":
    results = main(sys.argv[1], int(sys.argv[2]))
    sys.stdout.write(" ".join(repr(float(s)) for s in results.score))
