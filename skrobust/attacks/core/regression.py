"""Regressors under gradient attacks: how far the prediction can be moved.

The same attack runs against another oracle: what it drives is the prediction itself,
up in one run and down in another, and the largest distance is kept. No row ever leaves
early, as a row whose prediction moved can move farther.
"""

import numpy as np

from skrobust._differentiable import regressor_view
from skrobust._norms import length, per_sample
from skrobust._validation import invalid
from skrobust.attacks.core.ball import Ball
from skrobust.attacks.core.straight_through import Ground

OBJECTIVES = (None, "prediction_shift", "prediction_error")


class RegressionRecord:
    """The best iterate so far of every row: that farthest from the anchor.

    Parameters
    ----------
    view : view of a regressor
        Whose ``forward`` gives predictions of shape (n, 1).
    x : array of shape (n, ...)
        Clean rows.
    anchor : array of shape (n,) or None
        What the distance is from: the targets; None stands for the clean predictions.
    """

    def __init__(self, view, x, anchor):
        self.view, self.x = view, x
        clean = view.logits(x)[:, 0]
        self.anchor = clean if anchor is None else anchor
        self.best, self.score = x.copy(), np.abs(clean - self.anchor)
        self.n_flat = 0

    def judge(self, z, value):
        """Keep the iterates that lie farther than any before."""
        score = np.abs(value - self.anchor)
        better = score > self.score
        self.best = np.where(per_sample(better, z), z, self.best)
        self.score = np.where(better, score, self.score)


class RegressionOracle(Ball):
    """What an attack asks while it runs over one batch of a regressor.

    It answers as the oracle of classifiers does.

    Parameters
    ----------
    record : RegressionRecord
        Shared by the restarts and directions of one batch.
    sign : {1, -1}
        1 drives the prediction up, -1 down.
    eps, norm, box : float, norm, (low, high)
        The budget in raw units; ``box`` holds None or bounds that broadcast.
    unit : array of shape (1, ...), default=None
        Units of the features, in which ``eps`` is meant; 0 freezes.
    start : array of shape (n, ...), default=None
        Rows of the ball to start from instead of the clean ones.
    allowed : callable, default=None
        From iterates to the nearest rows that may be returned.
    """

    def __init__(
        self, record, sign, *, eps, norm, box, unit=None, start=None, allowed=None
    ):
        self.record, self.sign = record, sign
        self.rounds = allowed is not None
        self._seen = allowed if self.rounds else lambda z: z
        self.eps, self.norm, self.box, self.unit = eps, norm, box, unit
        self.x = record.x
        self.start = self.x if start is None else start
        self.has_start = start is not None
        self.value, self._asked = None, False
        self._live = {"rows": slice(None)}

    def __len__(self):
        return len(self.x)

    def gradient(self, z, *state):
        """Judge the iterates z; return them with the slope of what is driven."""
        seen = self._seen(z)
        value, pullback = self.record.view.forward(seen)
        self.record.judge(seen, value[:, 0])
        self.value = self.sign * value[:, 0]
        slope = np.nan_to_num(pullback(np.full_like(value, self.sign)))
        if not self._asked:
            self.record.n_flat += int((length(slope, np.inf) == 0).sum())
        self._asked = True
        return z, slope, *state

    def finish(self, z, *, trust=False):
        """Judge the last iterates."""
        if len(z):
            z = self._seen(z)
            self.record.judge(z, self.record.view.logits(z)[:, 0])


def attack_regressor(attack, estimator, X, y, key, start=None):
    """Return rows whose prediction a gradient attack has moved as far as it could.

    Parameters
    ----------
    attack : GradientAttack
        Whose ``_attack_batch`` is run up and down.
    estimator : fitted regressor
        With one target.
    X, y : arrays
        Rows, and targets or None.
    key : NoiseKey
        Of the rows.
    start : array or None
        Rows to start from.

    Returns
    -------
    rows : array
        As X.
    details : dict
        The warnings.
    """
    caller = type(attack).__name__
    objective = check_objective(attack, estimator, y)
    view = regressor_view(estimator, caller)
    out, n_flat = np.empty_like(X), 0
    box = (None, None)
    if attack.data_range is not None:
        box = tuple(np.asarray(b, dtype=np.float64) for b in attack.data_range)
    for first in range(0, len(X), attack.batch_size):
        rows = slice(first, first + attack.batch_size)
        anchor = None if objective != "prediction_error" else view.tensor(y[rows])
        record = RegressionRecord(view, view.tensor(X[rows]), anchor)
        batch_key = key.take(rows)
        domain = attack._domain(X[rows])
        unit = domain.unit
        settings = {
            "eps": attack.eps, "norm": attack.norm, "box": box,
            "unit": None if unit is None else unit[None],
            "start": None if start is None else view.tensor(start[rows]),
        }  # fmt: skip
        if domain.is_discrete:
            settings["allowed"] = Ground(view, domain, X[rows]).allowed
        for restart in range(attack._n_restarts()):
            for sign in (1, -1):
                oracle = RegressionOracle(record, sign, **settings)
                rng = batch_key.derive("restart", restart, sign).generator()
                oracle.finish(attack._attack_batch(oracle, oracle.start, rng))
            settings["start"] = None  # further restarts are random
        out[rows] = np.where(record.best == record.x, X[rows], record.best)
        n_flat += record.n_flat
    return out, {"warnings": attack._sentences_on_flat(n_flat)}


def check_for_classes(attack):
    """Refuse an objective of regressors where a classifier is attacked."""
    if attack.objective in ("prediction_shift", "prediction_error"):
        rule = "one of the objectives of classifiers; this one is of regressors"
        raise invalid("objective", type(attack).__name__, rule, attack.objective)


def check_objective(attack, estimator, y):
    """Return the objective of an attack on a regressor, or raise."""
    caller = type(attack).__name__
    if attack.objective not in OBJECTIVES:
        rule = "None, 'prediction_shift' or 'prediction_error' for a regressor"
        raise invalid("objective", caller, rule, attack.objective)
    if getattr(attack, "target", None) is not None:
        raise invalid("target", caller, "None for a regressor", attack.target)
    if attack.objective == "prediction_error":
        if y is None:
            raise ValueError(f"{caller} needs y for objective='prediction_error'.")
        if np.asarray(y).dtype.kind not in "iufb":
            raise ValueError(f"{caller} needs numbers as the targets y of a regressor.")
    return attack.objective or "prediction_shift"
