"""What every gradient attack gets for free: labels, batches, restarts."""

import warnings
from abc import abstractmethod

import numpy as np

from skrobust._validation import check_count
from skrobust._views import differentiable_view
from skrobust.attacks._oracle import Oracle, Record
from skrobust.attacks._regression_oracle import (
    attack_regressor,
    check_for_classes,
    predicts_numbers,
)
from skrobust.base import BaseAttack


class GradientAttack(BaseAttack):
    """Base class of attacks that follow gradients.

    A subclass writes ``_attack_batch(oracle, x, rng)``: it starts from the rows ``x``,
    asks ``oracle.gradient(z)`` as often as it likes, and returns its last iterates. The
    oracle remembers the best iterate of every sample, lets settled samples leave, and
    offers ``steepest``, ``project`` and ``random_start``; ``rng`` draws by row. The
    same code runs in numpy on pipelines of scikit-learn and in torch on nets, on the
    device of the net.

    Examples
    --------
    >>> from skrobust.attacks import GradientAttack
    >>> class TwoSteps(GradientAttack):
    ...     def __init__(self, eps=0.1, norm=2, data_range=None, objective=None,
    ...                  random_state=None):
    ...         self.eps, self.norm, self.data_range = eps, norm, data_range
    ...         self.objective, self.random_state = objective, random_state
    ...     def _attack_batch(self, oracle, x, rng):
    ...         z, gradient = oracle.gradient(x)
    ...         z = oracle.project(z + self.eps / 2 * oracle.steepest(gradient))
    ...         z, gradient = oracle.gradient(z)
    ...         return oracle.project(z + self.eps * oracle.steepest(gradient))
    >>> TwoSteps(eps=0.2)
    TwoSteps(eps=0.2)
    """

    batch_size = 256

    def _attack(self, estimator, X, y, key):
        if predicts_numbers(estimator):
            return attack_regressor(self, estimator, X, y, key)
        check_for_classes(self)
        owner = type(self).__name__
        out = np.empty_like(X)
        n_flat = 0
        with differentiable_view(estimator, owner) as view:
            columns = None if y is None else view.columns(y)
            for start in range(0, len(X), self.batch_size):
                rows = slice(start, start + self.batch_size)
                known = None if columns is None else columns[rows]
                record = self._attack_rows(view, X[rows], known, key.take(rows))
                # What did not move stays bit for bit, whatever the working precision.
                moved = view.host(record.best)
                start_points = view.host(record.x)
                out[rows] = np.where(moved == start_points, X[rows], moved)
                n_flat += record.n_flat
        if n_flat:
            warnings.warn(
                f"{owner} met {n_flat} zero gradients at its starting points; there it "
                "cannot attack, so the result is an upper bound of the robustness "
                "(gradient masking).",
                UserWarning,
                stacklevel=3,
            )
        return out

    def _attack_rows(self, view, values, columns, key):
        objective = self.objective or "misclassification"
        x = view.tensor(values)
        if columns is not None:
            columns = view.integers(columns)
        else:  # no labels: the predictions stand in
            columns = view.verdicts(view.logits(x)).argmax(1)
        record = Record(view, x, columns, objective == "misclassification")
        box = (None, None)
        if self.data_range is not None:
            box = tuple(view.tensor(np.asarray(b, float)) for b in self.data_range)
        runs = [(record.column, 1)]
        if objective == "probability_shift":
            runs = [(record.predicted, 1), (record.predicted, -1)]
        for restart in range(self._n_restarts()):
            for column, sign in runs:
                oracle = Oracle(
                    record, column, sign, eps=self.eps, norm=self.norm, box=box
                )
                if len(oracle):
                    rng = key.derive("restart", restart, sign).generator()
                    oracle.finish(self._attack_batch(oracle, oracle.x, rng))
        return record

    def _n_restarts(self):
        return 1

    def _check_parameters(self):
        super()._check_parameters()
        check_count(self.batch_size, "batch_size", type(self).__name__)

    @abstractmethod
    def _attack_batch(self, oracle, x, rng):
        """Return the last iterates of the rows that are still live."""
