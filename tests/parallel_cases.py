"""Long calls that must not depend on the backend, and models that count or die."""

import os
import signal
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from skrobust.attacks import FGSM, PGD
from skrobust.evaluation import (
    cross_validate_perturbations,
    evaluate_attack,
    evaluate_perturbations,
    robust_accuracy_bounds,
    robust_ratio_bounds,
    suggest_repairs,
)
from skrobust.perturbations import GaussianNoise, two_factor_grid
from skrobust.sampling import OperationalSampler, SimpleRandomSampler, simulate

X, Y = load_digits(return_X_y=True)
X = X / 16
GRID = two_factor_grid(image_shape=(8, 8), data_range=(0, 1), random_state=0)[:7]
LINEAR = LogisticRegression(max_iter=200).fit(X[:300], Y[:300])
SCORES = np.random.default_rng(0).beta(0.3, 3, 500)
FAILED = np.random.default_rng(1).random(500) < SCORES


def perturbations(conditions=GRID, **how):
    model = SVC().fit(X[:300], Y[:300])
    rows = X[300:500], Y[300:500]
    return evaluate_perturbations(model, *rows, conditions, **how)


def folds(**how):
    noise = [GaussianNoise(std=s, random_state=0) for s in (0.1, 0.2)]
    return cross_validate_perturbations(SVC(), X[:200], Y[:200], noise, cv=3, **how)


def attack(**how):
    """Run an attack on more rows than a block has, some of which are equal."""
    rows = np.concatenate([X, X[:300]]), np.concatenate([Y, Y[:300]])
    pgd = PGD(0.05, n_steps=3, data_range=(0, 1), random_state=0)
    return evaluate_attack(LINEAR, *rows, pgd, **how)


def accuracy_bounds(**how):
    return robust_accuracy_bounds(LINEAR, X[:100], Y[:100], [FGSM(0.05)], **how)


def ratio_bounds(**how):
    attacks = [FGSM(0.05), PGD(0.05, n_steps=2, random_state=0)]
    return robust_ratio_bounds(LINEAR, X[:100], Y[:100], attacks, **how)


def simulation(**how):
    samplers = {"uniform": SimpleRandomSampler(), "frontier": OperationalSampler()}
    counts = {"n_labels": [20, 40], "n_repeats": 60, "random_state": 0}
    return simulate(samplers, SCORES, FAILED, **counts, **how)


def repairs(**how):
    noise = [GaussianNoise(std=s, random_state=0) for s in (0.1, 0.5)]
    train, rows = (X[:200], Y[:200]), (X[200:400], Y[200:400])
    found = evaluate_perturbations(LINEAR, *rows, noise)
    data = {"X_train": train[0], "y_train": train[1], "random_state": 0}
    return suggest_repairs(LINEAR, *rows, found, **data, **how)


CALLS = {
    "evaluate_perturbations": perturbations,
    "cross_validate_perturbations": folds,
    "evaluate_attack": attack,
    "robust_accuracy_bounds": accuracy_bounds,
    "robust_ratio_bounds": ratio_bounds,
    "simulate": simulation,
    "suggest_repairs": repairs,
}


def assert_same(one, two, path=""):
    """Assert that two results are equal bit for bit, part by part."""
    if isinstance(one, dict):
        assert list(one) == list(two), path
        for key in (k for k in one if "seconds" not in k):
            assert_same(one[key], two[key], f"{path}.{key}")
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(two), path
        for i, parts in enumerate(zip(one, two, strict=True)):
            assert_same(*parts, f"{path}[{i}]")
    elif isinstance(one, np.ndarray) and one.dtype.kind in "fc":
        assert one.dtype == two.dtype, path
        assert one.tobytes() == two.tobytes(), path
    elif isinstance(one, np.ndarray) and one.dtype.kind != "O":
        assert np.array_equal(one, two), path
    elif isinstance(one, float):
        assert np.float64(one).tobytes() == np.float64(two).tobytes(), path
    else:
        assert repr(one) == repr(two), path


class Deadly(BaseEstimator):
    """Noise that kills its process at its first calls with some strength."""

    def __init__(self, std=0.0, folder=None, n_deaths=1):
        self.std, self.folder, self.n_deaths = std, folder, n_deaths

    def perturb(self, estimator, X, y=None):
        for i in range(self.n_deaths if self.folder else 0):
            mark = Path(self.folder, f"death {i} at {self.std}")
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return GaussianNoise(std=self.std, random_state=0).perturb(estimator, X, y)


class Counting(ClassifierMixin, BaseEstimator):
    """Classifier that notes in a folder each time that it is pickled or unpickled."""

    def __init__(self, folder=None):
        self.folder = folder

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.weights_ = np.ones(300_000)  # more than 1 MiB
        return self

    def predict(self, X):
        assert len(self.weights_) == 300_000
        return (np.asarray(X)[:, 20] > 0.5).astype(int)

    def __getstate__(self):
        self._note("pickled")
        return super().__getstate__()

    def __setstate__(self, state):
        super().__setstate__(state)
        self._note("unpickled")

    def _note(self, what):
        with Path(self.folder, what).open("a") as file:
            file.write(f"{os.getpid()}\n")


def notes(folder, what):
    """Return the processes that noted this, once for each time."""
    path = Path(folder, what)
    return path.read_text().split() if path.exists() else []
