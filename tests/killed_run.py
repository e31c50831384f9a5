"""A run that dies at a given condition; started by test_checkpoint.py."""

import os
import sys

from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import GaussianNoise


class Fuse(BaseEstimator):
    """Noise that counts its calls in a file, and may kill the process."""

    def __init__(self, std=0.0):
        self.std = std

    def perturb(self, estimator, X, y=None):
        with open(os.environ["CALLS"], "a") as file:
            file.write(f"{self.std}\n")
        if os.environ.get("DIE_AT") == str(self.std):
            os._exit(7)
        noise = GaussianNoise(std=self.std, data_range=(0, 16), random_state=0)
        return noise.perturb(estimator, X, y)


def main(folder, n_jobs):
    X, y = load_digits(return_X_y=True)
    model = SVC().fit(X[:500], y[:500])
    conditions = [Fuse(std=s) for s in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)]
    return evaluate_perturbations(
        model, X[500:700], y[500:700], conditions, checkpoint=folder, n_jobs=n_jobs
    )


if __name__ == "__main__":
    results = main(sys.argv[1], int(sys.argv[2]))
    sys.stdout.write(" ".join(repr(float(s)) for s in results.score))
