"""Models that predict several targets, taken apart into one model for each."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from skrobust._containers import is_frame
from skrobust._keyed_noise.rows import take_rows
from skrobust._responses import predicts_numbers, respond
from skrobust.attacks import OneLabel


class OneTarget(RegressorMixin, BaseEstimator):
    """One target of a fitted regressor that predicts several.

    Parameters
    ----------
    estimator : fitted regressor
        The model.
    target : int
        Place of the target.
    """

    def __init__(self, estimator, target):
        self.estimator = estimator
        self.target = target

    def __sklearn_is_fitted__(self):
        return True

    def fit(self, X, y=None):
        """Return itself, since the model is fitted."""
        return self

    def predict(self, X):
        """Return the predictions of the target, of shape (n_samples,)."""
        return np.asarray(respond(self.estimator, "predict", X))[:, self.target]


def by_target(models, X, y):
    """Return one model for each target where all models predict several.

    Parameters
    ----------
    models : dict of str to fitted estimator
        The models.
    X : array-like or data frame of shape (n_samples, ...)
        Rows.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Targets.

    Returns
    -------
    models : dict of str to fitted estimator
        By name, or by name and target.
    targets : dict of str to str, or None
        The target of each; None where there is one target.
    y : array-like
        The targets, as an array where there are several.
    """
    shape = np.shape(y)
    if len(shape) != 2 or shape[1] < 2:
        return models, None, y
    row = take_rows(X, np.arange(1))
    answers = [np.shape(respond(model, "predict", row)) for model in models.values()]
    if any(found != (1, shape[1]) for found in answers):
        return models, None, y
    names = [f"target {j}" for j in range(shape[1])]
    if is_frame(y):
        names = [str(name) for name in y.columns]
    found, targets = {}, {}
    for name, model in models.items():
        for j, target in enumerate(names):
            kind = OneTarget if predicts_numbers(model) else OneLabel
            found[f"{name}, {target}"] = kind(model, j)
            targets[f"{name}, {target}"] = target
    return found, targets, np.asarray(y)
