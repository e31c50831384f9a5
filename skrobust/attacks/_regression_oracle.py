"""Regressors under gradient attacks: how far the prediction can be moved.

The same attack runs against another oracle: what it drives is the prediction itself,
up in one run and down in another, and the largest distance is kept. No row ever leaves
early, as a row whose prediction moved can move farther.
"""

import warnings

import numpy as np
from sklearn.base import is_regressor

from skrobust._norms import length, per_sample, project, steepest
from skrobust._validation import invalid
from skrobust._views import regressor_view

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


class RegressionOracle:
    """What an attack asks while it runs over one batch of a regressor.

    It answers as the oracle of classifiers does: ``x``, ``gradient``, ``steepest``,
    ``project``, ``random_start`` and ``finish``.

    Parameters
    ----------
    record : RegressionRecord
        Shared by the restarts and directions of one batch.
    sign : {1, -1}
        1 drives the prediction up, -1 down.
    eps, norm, box : float, norm, (low, high)
        The budget in raw units; ``box`` holds None or bounds that broadcast.
    """

    def __init__(self, record, sign, *, eps, norm, box):
        self.record, self.sign = record, sign
        self.eps, self.norm, self.box = eps, norm, box
        self.x = record.x
        self._asked = False

    def __len__(self):
        return len(self.x)

    def gradient(self, z, *state):
        """Judge the iterates z; return them with the slope of what is driven."""
        value, pullback = self.record.view.forward(z)
        self.record.judge(z, value[:, 0])
        slope = np.nan_to_num(pullback(np.full_like(value, self.sign)))
        if not self._asked:
            self.record.n_flat += int((length(slope, np.inf) == 0).sum())
        self._asked = True
        return z, slope, *state

    def steepest(self, gradient):
        """Return the unit step along which the prediction moves most in the norm."""
        return steepest(gradient, self.norm)

    def project(self, z):
        """Return the iterates put back into the ball and the box."""
        z = self.x + project(z - self.x, self.eps, self.norm)
        return z if self.box[0] is None else np.clip(z, *self.box)

    def random_start(self, rng):
        """Return random points of the ball, drawn by row."""
        shape = self.x.shape
        if self.norm == np.inf:
            step = rng.uniform(-1, 1, size=shape)
        else:
            step = steepest(np.asarray(rng.normal(size=shape), float), 2)
            radius = rng.random((len(step),)) ** (1 / np.prod(shape[1:]))
            step = step * per_sample(radius, step)
        return self.project(self.x + self.eps * step)

    def finish(self, z):
        """Judge the last iterates."""
        if len(z):
            self.record.judge(z, self.record.view.logits(z)[:, 0])


def attack_regressor(attack, estimator, X, y, key):
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
    """
    owner = type(attack).__name__
    objective = check_objective(attack, estimator, y)
    view = regressor_view(estimator, owner)
    out, n_flat = np.empty_like(X), 0
    box = (None, None)
    if attack.data_range is not None:
        box = tuple(np.asarray(b, dtype=np.float64) for b in attack.data_range)
    for start in range(0, len(X), attack.batch_size):
        rows = slice(start, start + attack.batch_size)
        anchor = None if objective != "prediction_error" else view.tensor(y[rows])
        record = RegressionRecord(view, view.tensor(X[rows]), anchor)
        batch_key = key.take(rows)
        for restart in range(attack._n_restarts()):
            for sign in (1, -1):
                oracle = RegressionOracle(
                    record, sign, eps=attack.eps, norm=attack.norm, box=box
                )
                rng = batch_key.derive("restart", restart, sign).generator()
                oracle.finish(attack._attack_batch(oracle, oracle.x, rng))
        out[rows] = np.where(record.best == record.x, X[rows], record.best)
        n_flat += record.n_flat
    if n_flat:
        warnings.warn(
            f"{owner} met {n_flat} zero gradients at its starting points, where it "
            "cannot attack; the result is an upper bound of the robustness.",
            UserWarning,
            stacklevel=4,
        )
    return out


def predicts_numbers(estimator):
    """Say whether an estimator is a regressor."""
    try:
        return is_regressor(estimator)
    except (AttributeError, TypeError):  # not an estimator of scikit-learn
        return False


def check_for_classes(attack):
    """Refuse an objective of regressors where a classifier is attacked."""
    if attack.objective in ("prediction_shift", "prediction_error"):
        rule = "one of the objectives of classifiers; this one is of regressors"
        raise invalid("objective", type(attack).__name__, rule, attack.objective)


def check_objective(attack, estimator, y):
    """Return the objective of an attack on a regressor, or raise."""
    owner = type(attack).__name__
    if attack.objective not in OBJECTIVES:
        rule = "None, 'prediction_shift' or 'prediction_error' for a regressor"
        raise invalid("objective", owner, rule, attack.objective)
    if getattr(attack, "target", None) is not None:
        raise invalid("target", owner, "None for a regressor", attack.target)
    if attack.objective == "prediction_error":
        if y is None:
            raise ValueError(f"{owner} needs y for objective='prediction_error'.")
        if np.asarray(y).dtype.kind not in "iufb":
            raise ValueError(f"{owner} needs numbers as the targets y of a regressor.")
    return attack.objective or "prediction_shift"
