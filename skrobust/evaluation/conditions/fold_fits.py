"""Folds of a cross-validation: rows, fitted models, fitted conditions."""

from collections.abc import Iterable, Sized

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch

from skrobust._containers import is_value
from skrobust._keyed_noise.rows import take_rows
from skrobust._loader_workers import loading_here
from skrobust._responses import unwrap
from skrobust._validation import invalid
from skrobust.evaluation.conditions.condition_part import clean_part
from skrobust.evaluation.conditions.untouched import units_for
from skrobust.evaluation.core.condition_table import fit_conditions
from skrobust.evaluation.core.failures import portable


def split_rows(cv, X, y, groups, is_class, caller):
    """Return the positions of training and test rows of each fold."""
    listed = isinstance(cv, Iterable) and not is_value(cv)
    if listed and not hasattr(cv, "split"):
        cv = list(cv)
        pairs = [fold for fold in cv if isinstance(fold, Sized) and len(fold) == 2]
        if not cv or len(pairs) < len(cv) or not all(map(_has_positions, pairs)):
            rule = (
                "None, an integer, a splitter, or a list of pairs of arrays, the "
                "positions of training and of test rows"
            )
            raise invalid("cv", caller, rule, cv)
    splitter = check_cv(cv, y, classifier=is_class)
    return list(splitter.split(X, y, groups))


def _has_positions(fold):
    try:
        parts = [np.asarray(part) for part in fold]
    except (TypeError, ValueError):
        return False
    return all(part.dtype.kind in "iub" and part.ndim == 1 for part in parts)


def fold_params(params, n_samples, rows):
    """Return fit parameters for some rows; those with one entry per sample are cut."""
    cut = {}
    for name, value in (params or {}).items():
        listed = hasattr(value, "__len__") and not isinstance(value, (str, bytes, dict))
        per_row = listed and np.shape(value)[:1] == (n_samples,)
        cut[name] = take_rows(value, rows) if per_row else value
    return cut


def fit_fold(estimator, conditions, X, y, fold, params, scorer, caller):
    """Fit copies of the model and the conditions on the training rows of a fold.

    Returns
    -------
    Bunch
        ``model``, ``conditions``, ``X`` and ``y`` of the test rows, ``clean_score`` and
        ``clean`` predictions, and the ``units`` of the columns of the training rows.
    """
    train, test = fold
    X_train = take_rows(X, train)
    more = fold_params(params, len(y), train)
    model = clone(estimator)
    with loading_here(unwrap(model)[1]):
        model.fit(X_train, y[train], **more)
    fitted = fit_conditions(conditions, X_train)
    X_test, y_test = take_rows(X, test), y[test]
    score, clean = clean_part(model, X_test, y_test, scorer, caller)
    found = {"model": model, "conditions": fitted, "X": X_test, "y": y_test}
    units = units_for(conditions, X_train)
    return Bunch(clean_score=score, clean=clean, units=units, **found)


def guarded(guard, run, *arguments):
    """Return the result of a part and None, or None and its error."""
    try:
        return run(*arguments), None
    except Exception as error:
        if not guard:
            raise
        return None, portable(error)
