"""Models that predict several targets, taken apart into one model for each."""

import numpy as np

from skrobust._containers import is_frame
from skrobust._keyed_noise.rows import take_rows
from skrobust.attacks import OneLabel


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
    answers = [np.shape(model.predict(row)) for model in models.values()]
    if any(found != (1, shape[1]) for found in answers):
        return models, None, y
    names = [f"target {j}" for j in range(shape[1])]
    if is_frame(y):
        names = [str(name) for name in y.columns]
    width = len(str(shape[1] - 1))
    if not is_frame(y):
        names = [f"target {j:0{width}d}" for j in range(shape[1])]
    found, targets = {}, {}
    for name, model in models.items():
        for j, target in enumerate(names):
            found[f"{name}, {target}"] = OneLabel(model, j)
            targets[f"{name}, {target}"] = target
    return found, targets, np.asarray(y)
