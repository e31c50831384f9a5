"""Models whose rows are perturbed at fit, at predict, or on both sides."""

from sklearn import get_config
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    RegressorMixin,
    clone,
    is_classifier,
    is_regressor,
)
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from skrobust._responses import is_net, unwrap
from skrobust._validation import check_choice, invalid
from skrobust.base import BaseAttack
from skrobust.base._streams import other_noise

SIDES = ("predict", "fit", "both")
_ROUTED = ("predict", "predict_proba", "predict_log_proba", "decision_function")


def _inner_has(method):
    def check(self):
        inner = getattr(self, "estimator_", self.estimator)
        getattr(inner, method)  # its own AttributeError says what is missing
        return True

    return check


class _PerturbedEstimator(MetaEstimatorMixin, BaseEstimator):
    """What the perturbed classifier and the perturbed regressor share."""

    _kind = ""

    def __init__(self, estimator, perturbation, *, on="predict"):
        self.estimator = estimator
        self.perturbation = perturbation
        self.on = on

    def fit(self, X, y, sample_weight=None, **fit_params):
        """Fit copies of the perturbation and of the estimator.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Training data; the perturbation learns its scales here.
        y : array-like of shape (n_samples,)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Handed to the estimator.
        **fit_params : dict
            Handed to the ``fit`` of the estimator, by its metadata requests where
            metadata routing is on.

        Returns
        -------
        self : object
            The fitted model.
        """
        self._check_parameters()
        if sample_weight is not None:
            self._check_weights_are_taken()
            fit_params["sample_weight"] = sample_weight
        fit_params = self._routed("fit", fit_params)
        perturbation = clone(self.perturbation, safe=False)
        if hasattr(perturbation, "fit"):
            perturbation = perturbation.fit(X)
        self.perturbation_ = perturbation
        rows = X
        if self.on != "predict":
            # The prediction side keeps the plain seed, as a scorer would have it.
            rows = other_noise(perturbation, "side", "fit").perturb(None, X, y)
        self.estimator_ = clone(self.estimator).fit(rows, y, **fit_params)
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            for source in (self.estimator_, self.perturbation_):
                if hasattr(source, name):
                    setattr(self, name, getattr(source, name))
                    break
        return self

    @available_if(_inner_has("predict"))
    def predict(self, X, **params):
        """Predict, with ``on="predict"`` or ``"both"`` for perturbed rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Rows; never changed.
        **params : dict
            Handed to the estimator.

        Returns
        -------
        ndarray of shape (n_samples,)
            What the estimator answers.
        """
        return self._respond("predict", X, params)

    @available_if(_inner_has("score"))
    def score(self, X, y, **params):
        """Return the score of the estimator, with ``on="predict"`` on perturbed rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Rows; never changed.
        y : array-like of shape (n_samples,)
            True labels or targets.
        **params : dict
            Handed to the estimator, such as ``sample_weight``.

        Returns
        -------
        float
            Greater is better.
        """
        return self._respond("score", X, params, y)

    def get_metadata_routing(self):
        """Say which metadata the estimator asks for.

        Returns
        -------
        MetadataRouter
            All that is asked for goes to the estimator.
        """
        mapping = MethodMapping()
        for method in ("fit", "score", *_ROUTED):
            mapping.add(caller=method, callee=method)
        router = MetadataRouter(owner=type(self).__name__)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def _respond(self, method, X, params, *targets):
        check_is_fitted(self)
        self._check_parameters()
        params = self._routed(method, params)
        if self.on != "fit":
            X = self.perturbation_.perturb(self.estimator_, X, None)
        return getattr(self.estimator_, method)(X, *targets, **params)

    def _routed(self, method, params):
        if not get_config().get("enable_metadata_routing"):
            return params
        return process_routing(self, method, **params).estimator[method]

    def _check_parameters(self):
        owner = type(self).__name__
        check_choice(self.on, "on", owner, SIDES)
        if isinstance(self.perturbation, BaseAttack):
            raise ValueError(
                f"{owner} cannot attack, since there are no true labels at predict; "
                "measure the model under attack with skrobust.metrics."
                f"make_robust_scorer({type(self.perturbation).__name__}(...))."
            )
        if isinstance(self.perturbation, type) or not callable(
            getattr(self.perturbation, "perturb", None)
        ):
            rule = "an object with perturb(estimator, X, y)"
            raise invalid("perturbation", owner, rule, self.perturbation)
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise invalid("estimator", owner, f"a {self._kind}", self.estimator)
        other = is_regressor if self._kind == "classifier" else is_classifier
        if not is_net(unwrap(self.estimator)[1]) and other(self.estimator):
            raise invalid("estimator", owner, f"a {self._kind}", self.estimator)

    def _check_weights_are_taken(self):
        inner = unwrap(self.estimator)[1]
        if not has_fit_parameter(inner, "sample_weight"):
            raise TypeError(
                f"{type(self).__name__} got sample_weight, and the fit of "
                f"{type(inner).__name__} takes none."
            )

    def __sklearn_is_fitted__(self):
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        if not hasattr(self.estimator, "__sklearn_tags__"):
            return tags
        inner = get_tags(self.estimator)
        tags.target_tags.multi_output = inner.target_tags.multi_output
        if inner.classifier_tags is not None and tags.classifier_tags is not None:
            tags.classifier_tags = inner.classifier_tags
        if inner.regressor_tags is not None and tags.regressor_tags is not None:
            tags.regressor_tags = inner.regressor_tags
        tags.non_deterministic = inner.non_deterministic
        if hasattr(self.perturbation, "__sklearn_tags__"):
            tags.non_deterministic |= get_tags(self.perturbation).non_deterministic
        if getattr(self.perturbation, "random_state", 0) is None:
            tags.non_deterministic = True
        return tags


class PerturbedClassifier(ClassifierMixin, _PerturbedEstimator):
    """A classifier whose rows are perturbed, at predict, at fit, or at both.

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
    feature_names_in_ : ndarray of shape (n_features_in_,)
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

    def __init__(self, estimator, perturbation, *, on="predict"):
        super().__init__(estimator, perturbation, on=on)

    @available_if(_inner_has("predict_proba"))
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

    @available_if(_inner_has("predict_log_proba"))
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

    @available_if(_inner_has("decision_function"))
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


class PerturbedRegressor(RegressorMixin, _PerturbedEstimator):
    """A regressor whose rows are perturbed, at predict, at fit, or at both.

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
    feature_names_in_ : ndarray of shape (n_features_in_,)
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

    def __init__(self, estimator, perturbation, *, on="predict"):
        super().__init__(estimator, perturbation, on=on)
