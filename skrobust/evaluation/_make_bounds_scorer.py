"""Scorers of either end of the bounds of robust accuracy and of the robust ratio."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from skrobust._parameters import Choice, Number, Radius
from skrobust._responses import predict_labels
from skrobust._validation import check_choice
from skrobust.evaluation._robust_accuracy_bounds import robust_accuracy_bounds
from skrobust.evaluation._robust_ratio_bounds import robust_ratio_bounds
from skrobust.evaluation.attacked.attacks_in_ball import OF_ATTACK
from skrobust.metrics import BaseScorer
from skrobust.metrics.scorers.constant_guard import with_quality

_METRICS = ("robust_accuracy", "robust_ratio")


@dataclass
class CleanRows:
    """Leaves the rows as they are, where only what is certified matters."""

    objective: Any = None
    severity = 0  # it is meant to change nothing

    def perturb(self, estimator, X, y=None):
        """Return X."""
        return X


class BoundsScorer(BaseScorer):
    """Scorer of one end of the bounds of a robustness metric.

    Made by :func:`make_bounds_scorer`, which describes the parameters.
    """

    _keeps = "the ball"
    _parameter_rules = {
        "metric": Choice(*_METRICS),
        "end": Choice("lower", "upper"),
        "eps": Radius(low=0, optional=True),
        "tolerance": Number(low=0, high=1, optional=True),
        "floor": Number(low=0, high=1, optional=True),
    }

    def __init__(
        self,
        metric="robust_accuracy",
        *,
        end="lower",
        eps=None,
        norm=None,
        data_range=OF_ATTACK,
        attacks=None,
        tolerance=None,
        reference="predicted",
        floor=None,
        random_state=None,
    ):
        self.metric = metric
        self.end = end
        self.eps = eps
        self.norm = norm
        self.data_range = data_range
        self.attacks = attacks
        self.tolerance = tolerance
        self.reference = reference
        self.floor = floor
        self.random_state = random_state

    def _label(self):
        kind = "certified" if self.end == "lower" else "attacked"
        return f"{kind}_{self.metric}"

    def _score(self, estimator, X, y, sample_weight):
        is_ratio = self.metric == "robust_ratio"
        if is_ratio == (self.tolerance is None):
            raise ValueError(
                f"{type(self).__name__} needs a tolerance in [0, 1] for "
                "metric='robust_ratio', and none for 'robust_accuracy'. Got "
                f"tolerance={self.tolerance!r} with metric={self.metric!r}."
            )
        options = {"eps": self.eps, "norm": self.norm, "data_range": self.data_range}
        options |= {"attacks": self.attacks, "random_state": self.random_state}
        if self.end == "lower" and self.eps is not None:
            # What is certified takes no attack.
            goal = "probability_shift" if is_ratio else None
            options["attacks"] = CleanRows(goal)
            options["norm"] = self._of_attacks("norm", np.inf)
            options["data_range"] = self._of_attacks("data_range", None)
        if is_ratio:
            options |= {"tolerances": [self.tolerance], "reference": self.reference}
            found = robust_ratio_bounds(estimator, X, y, **options)
            column = "certified" if self.end == "lower" else "found"
            # As the bounds themselves count it.
            share = found[self.end][0]
            hits = found.per_sample[column] <= self.tolerance + 1e-6
        else:
            found = robust_accuracy_bounds(estimator, X, y, **options)
            hits, share = found.per_sample[self.end], found[self.end]
        if sample_weight is not None:
            share = np.average(hits, weights=sample_weight)
        clean = predict_labels(estimator, X)
        return with_quality(float(share), estimator, y, clean, sample_weight, 0.0)

    def _of_attacks(self, name, default):
        value = getattr(self, name)
        if (name == "norm" and value is None) or value is OF_ATTACK:
            first = self.attacks
            first = first[0] if isinstance(first, (list, tuple)) and first else first
            return getattr(first, name, default)
        return value


def make_bounds_scorer(
    metric="robust_accuracy",
    *,
    end="lower",
    eps=None,
    norm=None,
    data_range=OF_ATTACK,
    attacks=None,
    tolerance=None,
    reference="predicted",
    floor=None,
    random_state=None,
):
    """Make a scorer of one end of the bounds of a robustness metric.

    The lower end is what a certificate proves, the upper one what attacks leave: a
    search by the lower end chooses models that can be shown to be robust.

    Parameters
    ----------
    metric : {"robust_accuracy", "robust_ratio"}, default="robust_accuracy"
        What is bounded, as in :func:`robust_accuracy_bounds` and
        :func:`robust_ratio_bounds`.
    end : {"lower", "upper"}, default="lower"
        Which end is the score. The lower one runs no attack where ``eps`` is given.
    eps, norm, data_range : object
        Ball and box, as in these functions.
    attacks : object with ``perturb``, list of them or None, default=None
        For the upper end; None or "auto": the strongest that suits the model.
    tolerance : float in [0, 1], default=None
        Bound on the change of probability, for the robust ratio, which needs it.
    reference : {"predicted", "true", "max"}, default="predicted"
        Whose probability the robust ratio watches.
    floor : float in [0, 1], default=None
        Smallest accuracy on the clean rows that counts, as in
        :func:`~skrobust.metrics.make_robust_scorer`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of attacks that are not given.

    Returns
    -------
    scorer : BoundsScorer
        Greater is better.

    Notes
    -----
    ``get_scorer`` has no name for these: names there are those of metrics, and what
    they mean must not depend on which parts of the package are loaded.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrobust.evaluation import make_bounds_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> ends = [make_bounds_scorer(eps=0.1, end=end, random_state=0)
    ...         for end in ("lower", "upper")]
    >>> low, high = (cross_val_score(GaussianNB(), X, y, scoring=s) for s in ends)
    >>> bool((low <= high).all() and low.min() > 0.6)
    True
    """
    check_choice(metric, "metric", "make_bounds_scorer", _METRICS)
    return BoundsScorer(
        metric,
        end=end,
        eps=eps,
        norm=norm,
        data_range=data_range,
        attacks=attacks,
        tolerance=tolerance,
        reference=reference,
        floor=floor,
        random_state=random_state,
    )
