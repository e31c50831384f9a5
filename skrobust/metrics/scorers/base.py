"""Base class of scorers."""

import copy

from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED

from skrobust._array_checks import check_same_length, check_targets
from skrobust._containers import refuse_mask
from skrobust._parameters import check_parameters
from skrobust._responses import refuse_unwrapped
from skrobust.metrics.scorers.constant_guard import Scored, guarded


def _check_raw_rows(estimator, caller):
    """Raise where scikit-learn passes something other than the rows of X."""
    if getattr(estimator, "_in_fit", False):
        raise ValueError(
            f"{caller} cannot serve early stopping: scikit-learn scores it on binned "
            "features, not on the rows. Use scoring='loss' there, and this scorer in a "
            "search around it."
        )
    if type(estimator).__name__ in {"_IdentityRegressor", "_IdentityClassifier"}:
        raise ValueError(
            f"{caller} needs the rows, and the leave-one-out shortcut of scikit-learn "
            "has only predictions. Pass cv=5 to the estimator."
        )


class BaseScorer(BaseEstimator):
    """Base class of scorers: callables of (estimator, X, y), greater is better.

    A subclass writes ``_score(estimator, X, y, sample_weight)`` and a label; it may
    declare rules of its parameters in ``_parameter_rules``. ``_score`` returns a float,
    or a ``Scored`` of ``skrobust.metrics.scorers.constant_guard``, which has the
    accuracy as well: such a scorer warns of models that are not better than a constant
    prediction, and a parameter ``floor`` bounds their accuracy from below. It works
    wherever scikit-learn takes a scorer, alone or in a dictionary; its parameters are
    reachable (``scoring__perturbation__eps``); ``clone`` and pickling lose nothing that
    it holds, such as a fitted perturbation. It predicts by itself: scikit-learn's cache
    of predictions ignores the rows, so it would mix clean with perturbed ones.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.metrics import BaseScorer
    >>> class HalfPrecision(BaseScorer):
    ...     def _label(self):
    ...         return "half_precision"
    ...     def _score(self, estimator, X, y, sample_weight):
    ...         rows = X.astype(np.float16).astype(X.dtype)
    ...         return np.average(estimator.predict(rows) == y, weights=sample_weight)
    >>> X, y = load_iris(return_X_y=True)
    >>> HalfPrecision()(LogisticRegression(max_iter=999).fit(X, y), X, y) > 0.9
    True
    """

    # `estimator` is an argument of score, not metadata to be requested.
    __metadata_request__score = {"estimator": UNUSED}

    _needs_y = True
    # What is lost where scikit-learn rebuilds a scorer from a function of labels.
    _keeps = "what it does with the model and X"

    def score(self, estimator, X, y=None, *, sample_weight=None):
        """Return the score of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            The model to score.
        X : array-like or data frame of shape (n_samples, ...)
            Raw input of the whole pipeline.
        y : array-like of shape (n_samples,)
            True labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, where the metric has them.

        Returns
        -------
        float
            Greater is better.
        """
        caller = type(self).__name__
        check_parameters(self)
        refuse_unwrapped(estimator, caller)
        _check_raw_rows(estimator, caller)
        refuse_mask(X, "X")
        if self._needs_y and y is None:
            raise ValueError(f"{caller} needs y, the true labels of the rows.")
        if y is not None:
            y = check_targets(y, caller)
            check_same_length(caller, X=X if hasattr(X, "__len__") else y, y=y)
        scored = self._score(estimator, X, y, sample_weight)
        if isinstance(scored, Scored):
            floor = getattr(self, "floor", None)
            scored = guarded(scored, floor, caller, self._label(), estimator)
        return float(scored)

    def __call__(self, estimator, X, y=None, **metadata):
        """Return :meth:`score`, as scikit-learn calls scorers."""
        return self.score(estimator, X, y, **metadata)

    def _accept_sample_weight(self):
        # scikit-learn asks this of scorers while metadata routing is off.
        return True

    def __getattr__(self, name):
        # Displays ask scorers for __name__; a property of that name on the class
        # breaks pickling by value of classes defined in notebooks.
        if name == "__name__":
            return self._label()
        if name == "_score_func":
            raise AttributeError(
                f"{type(self).__name__} cannot tune a decision threshold: scikit-learn "
                f"would rebuild it from a function of labels and leave {self._keeps} "
                "out. Search the threshold with GridSearchCV over a FixedThreshold"
                "Classifier instead."
            )
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def __sklearn_clone__(self):
        # A search clones its scorers; a fitted perturbation must survive that.
        return copy.deepcopy(self)
