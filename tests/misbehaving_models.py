"""Models and perturbations that misbehave, for tests; importable by processes apart."""

import os
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

LIMIT = 3.0  # rows above it are what some models cannot stand


class Centroids(ClassifierMixin, BaseEstimator):
    """Nearest centroid in plain numpy, whose answers a subclass may spoil."""

    def fit(self, X, y):
        X = np.asarray(X, dtype=float).reshape(len(X), -1)
        self.classes_ = np.unique(y)
        self.centers_ = np.stack([X[y == c].mean(axis=0) for c in self.classes_])
        return self

    def _prepare(self, X):
        return np.asarray(X, dtype=float).reshape(len(X), -1)

    def _scores(self, X):
        X = self._prepare(X)
        return -((X[:, None] - self.centers_[None]) ** 2).sum(axis=2)

    def decision_function(self, X):
        s = self._scores(X)
        return s[:, 1] - s[:, 0] if s.shape[1] == 2 else s

    def predict_proba(self, X):
        s = self._scores(X)
        e = np.exp(s - s.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self._scores(X).argmax(axis=1)]


class Writer(Centroids):
    """Scales its input where it is, as a careless preprocessing does.

    A second call on the same memory would see rows that were scaled before.
    """

    def _prepare(self, X):
        if hasattr(X, "iloc"):
            for j in range(X.shape[1]):
                X.isetitem(j, X.iloc[:, j] * 10)
            X = X.to_numpy()
        else:
            X *= 10
        return np.asarray(X).reshape(len(X), -1) / 10


class TorchWriter(Centroids):
    """Writes through a tensor on the memory of its input."""

    def _prepare(self, X):
        import torch

        torch.from_numpy(X).mul_(10)
        return X.reshape(len(X), -1) / 10


class Locked(Centroids):
    """Refuses arrays that it must not write to, as some compiled code does."""

    def _prepare(self, X):
        if not X.flags.writeable:
            raise ValueError("buffer source array is read-only")
        return super()._prepare(X)


class Fussy(Centroids):
    """Raises, hangs or dies where a row has a value above LIMIT."""

    def __init__(self, how="raise"):
        self.how = how

    def _prepare(self, X):
        if np.max(X) > LIMIT:
            if self.how == "raise":
                raise RuntimeError("too bright")
            if self.how == "hang":
                time.sleep(600)
            if self.how == "die":
                os.kill(os.getpid(), 9)
            if self.how == "grow":
                self.grown_ = np.ones(2**30)
        return super()._prepare(X)


class Answers(Centroids):
    """Answers through a function of the right answer."""

    def __init__(self, spoil=None, spoil_proba=None):
        self.spoil, self.spoil_proba = spoil, spoil_proba

    def predict(self, X):
        right = super().predict(X)
        return right if self.spoil is None else self.spoil(right)

    def predict_proba(self, X):
        right = super().predict_proba(X)
        return right if self.spoil_proba is None else self.spoil_proba(right)


class Moody(Centroids):
    """Draws a fifth of its labels anew at each call."""

    def predict(self, X):
        labels = super().predict(X)
        wrong = np.random.default_rng().random(len(labels)) < 0.5
        labels[wrong] = self.classes_[0]
        return labels

    @property
    def predict_proba(self):
        raise AttributeError("predict_proba")


class Brighten:
    """Adds to the rows, as a condition that is no class of the package."""

    def __init__(self, by=5.0, name="brighten"):
        self.by, self.name = by, name

    def perturb(self, estimator, X, y=None):
        return np.asarray(X) + self.by


class WritingNoise:
    """Adds noise where the rows are."""

    name = "in place"

    def perturb(self, estimator, X, y=None):
        X += 0.5
        return X


class Raises:
    """Raises at perturb."""

    name = "raises"

    def perturb(self, estimator, X, y=None):
        raise RuntimeError("cannot")
