"""Guard of scores that a constant prediction can win, and the floor of accuracy."""

import math
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.base import is_clusterer
from sklearn.metrics import r2_score
from sklearn.utils.multiclass import type_of_target

from skrobust._array_checks import check_weights
from skrobust._responses import predicts_numbers, unwrap
from skrobust._stacklevel import level_outside
from skrobust.metrics.labels import label_array

_UNKNOWN = -1.0  # lowest value that a metric of the user is taken to have


@dataclass(frozen=True)
class Scored:
    """Score of a model with the quality of the predictions that it is made of.

    Parameters
    ----------
    value : float
        The score.
    quality : float, default=None
        Accuracy of these predictions, R2 of a regressor; None: not known.
    constant : float, default=None
        That of the best constant prediction on the same rows; None: no prediction can
        be better, since the rows hold one class.
    lowest : float, default=-1.0
        The smallest value that the score can have.
    title : str, default="accuracy"
        What the quality is.
    """

    value: float
    quality: float | None = None
    constant: float | None = None
    lowest: float = _UNKNOWN
    title: str = "accuracy"

    @property
    def is_constant(self):
        """Say whether a constant prediction is as good as the model."""
        return self.constant is not None and self.quality <= self.constant + 1e-12


def with_quality(value, estimator, y, predicted, sample_weight, lowest=_UNKNOWN):
    """Return a score with the quality of one set of predictions."""
    if predicts_numbers(estimator):
        quality = value_quality(y, predicted, sample_weight)
        return Scored(value, *quality, lowest, "R2")
    quality = label_quality(estimator, y, [predicted], sample_weight)
    return Scored(value, *quality, lowest)


def label_quality(estimator, y, predicted, sample_weight=None):
    """Return accuracy and that of the best constant, or Nones where y is no classes.

    Parameters
    ----------
    estimator : estimator
        Regressors and clusterers have no accuracy.
    y : array-like of shape (n_samples,)
        True labels.
    predicted : list of array-like of shape (n_samples,)
        Predicted labels, under one or several conditions, which count alike.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.

    Returns
    -------
    accuracy, constant : float or None
        The mean over the conditions, and the share of the largest class.
    """
    caller = "label_quality"
    if predicts_numbers(estimator) or _is_clusterer(estimator):
        return None, None
    if type_of_target(y) not in ("binary", "multiclass"):
        return None, None
    y = label_array(y, caller, "y")
    labels = [label_array(p, caller, "predicted") for p in predicted]
    if any((p.dtype.kind == "U") != (y.dtype.kind == "U") for p in labels):
        return None, None
    weight = check_weights(sample_weight, len(y), caller)
    accuracy = np.mean([np.average(p == y, weights=weight) for p in labels])
    return float(accuracy), constant_accuracy(y, weight)


def constant_accuracy(y, weight):
    """Return the accuracy of the best constant prediction, None for one class."""
    sizes = np.bincount(np.unique(y, return_inverse=True)[1], weights=weight)
    is_one = np.count_nonzero(sizes) < 2
    return None if is_one else float(sizes.max() / sizes.sum())


def value_quality(y, predicted, sample_weight=None):
    """Return R2 of a regressor, and 0, that of the best constant prediction."""
    if len(y) < 2:
        return None, None
    return float(r2_score(y, predicted, sample_weight=sample_weight)), 0.0


def lowest_score(spec):
    """Return the smallest value of the scorer of a metric."""
    low, high = spec.bounds
    return low if spec.greater_is_better else -high


def guarded(scored, floor, caller, label, estimator):
    """Return the score, or the shortfall below the floor; warn of a constant's match.

    Parameters
    ----------
    scored : Scored
        Score and quality.
    floor : float or None
        Smallest quality. Below it, the score is ``lowest + quality - floor``, or
        without ``lowest`` where that is positive or 0.
    caller, label : str
        Names of the scorer and of its metric.
    estimator : estimator
        The model, named in the warning.

    Returns
    -------
    float
        Greater is better.
    """
    if floor is not None:
        _check_floor(scored, floor, caller)
        if scored.quality < floor:
            return min(scored.lowest, 0.0) + scored.quality - floor
    if scored.is_constant:
        name = type(unwrap(estimator)[1]).__name__
        kind = scored.title
        warnings.warn(
            f"{label} of {name} is {scored.value:.3g}, but on the same rows its {kind} "
            f"is {scored.quality:.3g} and that of the best constant prediction "
            f"{scored.constant:.3g}. Pass floor=, the smallest {kind} that counts, so "
            "that a search does not choose such a model.",
            UserWarning,
            stacklevel=level_outside(),
        )
    return scored.value


def _check_floor(scored, floor, caller):
    if scored.quality is None:
        raise ValueError(
            f"The 'floor' parameter of {caller} needs the accuracy of a classifier or "
            "the R2 of a regressor, which these predictions do not have. Use "
            "floor=None."
        )
    if not math.isfinite(scored.lowest):
        raise ValueError(
            f"The 'floor' parameter of {caller} needs a metric with a lower bound, "
            "which this one does not have. Use floor=None."
        )
    if scored.quality >= floor and scored.value < scored.lowest:
        raise ValueError(
            f"The 'floor' parameter of {caller} needs a metric of at least "
            f"{scored.lowest:g}. Got a score of {scored.value:.4g} instead."
        )


def _is_clusterer(estimator):
    try:
        return is_clusterer(estimator)
    except (AttributeError, TypeError):  # not an estimator of scikit-learn
        return False
