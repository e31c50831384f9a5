"""Cases of an audit: true labels and predictions under one or several conditions."""

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Case:
    """True values and predictions, on which a metric is evaluated.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        True labels or targets.
    predicted : ndarray of shape (n_conditions, n_samples)
        Predictions.
    n_features : int, default=10
        Number of features of the rows.
    scores : ndarray of shape (n_scores,), default=None
        Accuracies by period; None: those of the predictions.
    rows : ndarray of shape (n_samples,), default=None
        Numbers of the rows, which have the same features where they are equal; None: 0
        to ``n_samples - 1``.
    """

    y: np.ndarray
    predicted: np.ndarray
    n_features: int = 10
    scores: np.ndarray | None = None
    rows: np.ndarray | None = None

    def taken(self, order):
        """Return the case of some of the rows, in a given order."""
        rows = np.arange(len(self.y)) if self.rows is None else self.rows
        predicted = self.predicted[:, order]
        return replace(self, y=self.y[order], predicted=predicted, rows=rows[order])


class Maker:
    """Maker of the cases of one kind of metric.

    Parameters
    ----------
    task : {"classification", "regression", "clustering"}
        Task of the predictions.
    n_conditions : int
        Number of sets of predictions.
    n_periods : int
        Number of blocks of rows in the order of time; 1: no order.
    n_samples : int
        Number of rows, a multiple of the number of periods.
    n_classes : int
        Number of classes.
    rng : Generator
        Source of the draws.
    """

    def __init__(self, task, n_conditions, n_periods, n_samples, n_classes, rng):
        self.task, self.n_classes, self.rng = task, n_classes, rng
        self.n_conditions, self.n_periods = n_conditions, n_periods
        self.n_samples = -(-n_samples // n_periods) * n_periods

    @property
    def has_classes(self):
        """Say whether the predictions are labels."""
        return self.task != "regression"

    def targets(self):
        """Return true values; each period has the same numbers of the classes."""
        n = self.n_samples // self.n_periods
        if not self.has_classes:
            return self.rng.normal(size=self.n_samples)
        # A first class of random size, and at least one row of each.
        y = np.arange(n) % self.n_classes
        y[self.n_classes : self.n_classes + self.rng.integers(n // 2)] = 0
        return np.tile(self.rng.permutation(y), self.n_periods)

    def qualities(self, low, *, even=False):
        """Return a share for each condition and period; even ones are all equal."""
        shape = self.n_conditions, self.n_periods
        shares = self.rng.uniform(low, 1, size=shape)
        return np.full(shape, shares[0, 0]) if even else shares

    def answers(self, y, qualities):
        """Return predictions of given accuracies, or of given shares of noise."""
        return np.array([self._answers(y, shares) for shares in qualities])

    def _answers(self, y, shares):
        if not self.has_classes:
            return y + (1 - shares[0]) * self.rng.normal(size=len(y))
        predicted = y.copy()
        for block, share in zip(self.blocks(), shares, strict=True):
            wrong = self.rng.permutation(block)[: round((1 - share) * len(block))]
            step = self.rng.integers(1, self.n_classes, size=len(wrong))
            predicted[wrong] = (y[wrong] + step) % self.n_classes
        return predicted

    def random(self, *, even=False):
        """Return a case; an even one has one quality under all conditions."""
        y = self.targets()
        low = 1 / self.n_classes
        return Case(y, self.answers(y, self.qualities(low, even=even)))

    def constant(self, y):
        """Return the case of the best constant prediction."""
        best = np.bincount(y).argmax() if self.has_classes else y.mean()
        return Case(y, np.full((self.n_conditions, len(y)), best))

    def blocks(self):
        """Return the rows of each period."""
        return np.array_split(np.arange(self.n_samples), self.n_periods)

    def with_recalls(self, sizes):
        """Return a case of given class sizes and fixed recalls of the classes."""
        y = np.repeat(np.arange(self.n_classes), sizes)
        place = np.concatenate([(np.arange(n) + 0.5) / n for n in sizes])
        predicted = []
        for j in range(self.n_conditions):
            recall = np.where(y == 0, 0.8, 0.6) - 0.1 * (j % 3)
            predicted.append(np.where(place < recall, y, (y + 1) % self.n_classes))
        predicted = np.tile(predicted, self.n_periods)
        return Case(np.tile(y, self.n_periods), predicted)

    def class_sizes(self):
        """Return equal class sizes, and those of one large and several small ones."""
        k = self.n_classes
        return [300] * k, [300 * k - 30 * (k - 1)] + [30] * (k - 1)

    def summary(self, case):
        """Return the numbers that describe a case."""
        if case.scores is not None:
            ends = f"{case.scores[0]:.3g} to {case.scores[-1]:.3g}"
            return f"{ends} in {len(case.scores)} periods"
        if not self.has_classes:
            errors = np.mean((case.predicted - case.y) ** 2, axis=1)
            return f"root mean squared error {_listed(np.sqrt(errors))}"
        correct = case.predicted == case.y
        if self.n_periods > 1:
            shares = [b.mean() for b in np.array_split(correct[0], self.n_periods)]
            return f"accuracy by period {_listed(shares)}"
        return f"accuracy {_listed(correct.mean(axis=1))}"


def _listed(values):
    return ", ".join(f"{value:.3g}" for value in values)
