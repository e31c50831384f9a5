"""Contract check of scorers."""

import pickle

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate

from skrobust.testing.promises import Promises, linear_problem


def check_scorer(scorer, estimator=None, X=None, y=None):
    """Check that a scorer keeps the contract of scorers.

    Parameters
    ----------
    scorer : callable of (estimator, X, y)
        Of your own, or one of skrobust. Where it draws random numbers it must be
        seeded with an int.
    estimator : estimator, default=None
        Unfitted model; None takes a logistic regression on 64 features in [0, 1].
    X, y : arrays, default=None
        Rows and labels, given together with ``estimator``.

    Raises
    ------
    AssertionError
        With the promise that was broken.

    Examples
    --------
    >>> from skrobust.metrics import make_robust_scorer
    >>> from skrobust.perturbations import GaussianNoise
    >>> from skrobust.testing import check_scorer
    >>> check_scorer(make_robust_scorer(GaussianNoise(std=0.1, random_state=0)))
    """
    promise = Promises("scorer", scorer, "__call__")
    if estimator is None:
        estimator = LogisticRegression(C=10)
        X, y = linear_problem(120, 64)
    promise.check_instance("estimator", estimator, "fit", "predict")
    model = clone(estimator).fit(X, y)
    before = np.array(X, copy=True)
    value = scorer(model, X, y)
    promise(isinstance(value, float), "a score must be a Python float")
    promise(np.isfinite(value), "a score must be finite")
    promise(np.array_equal(np.asarray(X), before), "the input must not change")
    promise(isinstance(scorer.__name__, str), "__name__ must be a label")
    for way, other in (
        ("twice", scorer),
        ("cloned", clone(scorer, safe=False)),
        ("pickled", pickle.loads(pickle.dumps(scorer))),
    ):
        promise(other(model, X, y) == value, f"{way}, it must give the same score")
    plain = cross_validate(estimator, X, y, cv=3, scoring={"accuracy": "accuracy"})
    every = {"accuracy": "accuracy", "own": scorer}
    for names in (("accuracy", "own"), ("own", "accuracy")):
        scoring = {name: every[name] for name in names}
        result = cross_validate(estimator, X, y, cv=3, scoring=scoring)
        is_same = np.array_equal(result["test_accuracy"], plain["test_accuracy"])
        promise(is_same, "a scorer beside it must not change the plain accuracy")
    parallel = cross_validate(estimator, X, y, cv=3, scoring={"own": scorer}, n_jobs=2)
    is_same = np.array_equal(parallel["test_own"], result["test_own"])
    promise(is_same, "two jobs must give the scores of one")
    search = GridSearchCV(estimator, {}, scoring=every, refit="own", cv=3)
    nested = clone(search).fit(X, y)
    is_same = np.isclose(nested.best_score_, result["test_own"].mean())
    promise(is_same, "a cloned search must give the same scores")
