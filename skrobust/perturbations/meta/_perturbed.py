"""Classifier and regressor with perturbed rows at fit, at predict or at both."""

from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from skrobust.perturbations.meta.perturbed_estimator import (
    PerturbedEstimator,
    inner_has,
)


class PerturbedClassifier(ClassifierMixin, PerturbedEstimator):
    """Classifier with perturbed rows at predict, at fit or at both.

    Use it where the strength itself is searched (``perturbation__severity`` in a
    search) or where a perturbed model is a part of another. For measuring alone,
    :func:`~skrobust.metrics.make_robust_scorer` leaves the model as it is, and
    :func:`~skrobust.evaluation.evaluate_perturbations` fits once for all strengths.

    Parameters
    ----------
    estimator : classifier
        A copy is fitted; wrap a fitted one in ``FrozenEstimator`` to keep it.
    perturbation : object with ``perturb(estimator, X, y)``
        A perturbation; a copy is fitted on the training rows, where it learns its
        scales, on whichever side it acts then. An attack is refused: it needs true
        labels, and there are none at predict.
    on : {"predict", "fit", "both"}, default="predict"
        Which rows are perturbed: those of predict, predict_proba, decision_function
        and score ("predict"); the training rows ("fit"); or both, with other noise at
        predict than at fit.

    Attributes
    ----------
    estimator_ : classifier
        The fitted copy.
    perturbation_ : object
        The fitted copy.
    classes_ : ndarray of shape (n_classes,)
        Those of ``estimator_``.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where they had any.

    Raises
    ------
    ValueError
        For a parameter that is none of these, in ``fit`` and at predict.
    TypeError
        For weights that the estimator does not take.

    Notes
    -----
    The prediction side draws what the perturbation itself would draw for its
    ``random_state``, so the score equals that of ``make_robust_scorer`` with the same
    one; the training side has draws of its own. Sample weights and repeated rows are
    equivalent on the prediction side only: repeated training rows get independent
    noise, a weighted one gets one.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.svm import SVC
    >>> from skrobust.perturbations import GaussianNoise, PerturbedClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> noise = GaussianNoise(std=0.3, data_range=(0, 16), random_state=0)
    >>> model = PerturbedClassifier(SVC(), noise, on="both")
    >>> grid = {"estimator__C": [0.1, 10], "perturbation__std": [0.1, 0.5]}
    >>> search = GridSearchCV(model, grid, cv=3).fit(X[:600], y[:600])
    >>> search.best_params_["perturbation__std"]
    0.1
    """

    _kind = "classifier"
    score = PerturbedEstimator.score  # not that of the mixin

    @available_if(inner_has("predict_proba"))
    def predict_proba(self, X, **params):
        """Return class probabilities, with ``on="predict"`` for perturbed rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Rows; never changed.
        **params : dict
            Handed to the estimator.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return self._respond("predict_proba", X, params)

    @available_if(inner_has("predict_log_proba"))
    def predict_log_proba(self, X, **params):
        """Return logarithms of probabilities, with ``on="predict"`` of perturbed rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Rows; never changed.
        **params : dict
            Handed to the estimator.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return self._respond("predict_log_proba", X, params)

    @available_if(inner_has("decision_function"))
    def decision_function(self, X, **params):
        """Return decision values, with ``on="predict"`` of perturbed rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Rows; never changed.
        **params : dict
            Handed to the estimator.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            What the estimator answers.
        """
        return self._respond("decision_function", X, params)


class PerturbedRegressor(RegressorMixin, PerturbedEstimator):
    """Regressor with perturbed rows at predict, at fit or at both.

    As :class:`PerturbedClassifier`, for regressors.

    Parameters
    ----------
    estimator : regressor
        A copy is fitted; wrap a fitted one in ``FrozenEstimator`` to keep it.
    perturbation : object with ``perturb(estimator, X, y)``
        A perturbation; a copy is fitted on the training rows, where it learns its
        scales. Attacks are refused.
    on : {"predict", "fit", "both"}, default="predict"
        Which rows are perturbed: those of predict and score ("predict"), the training
        rows ("fit"), or both, with other noise at predict than at fit.

    Attributes
    ----------
    estimator_ : regressor
        The fitted copy.
    perturbation_ : object
        The fitted copy.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where they had any.

    Raises
    ------
    ValueError
        For a parameter that is none of these, in ``fit`` and at predict.
    TypeError
        For weights that the estimator does not take.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from skrobust.perturbations import GaussianNoise, PerturbedRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> noise = GaussianNoise(std=0.2, random_state=0)
    >>> noisy = PerturbedRegressor(Ridge(0.1), noise).fit(X, y)
    >>> bool(noisy.score(X, y) < Ridge(0.1).fit(X, y).score(X, y))
    True
    """

    _kind = "regressor"
    score = PerturbedEstimator.score  # not that of the mixin
