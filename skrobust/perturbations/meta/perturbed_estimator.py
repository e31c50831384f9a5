"""Base class of the perturbed classifier and regressor."""

from sklearn import get_config
from sklearn.base import (
    BaseEstimator,
    MetaEstimatorMixin,
    clone,
    is_classifier,
    is_regressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from skrobust._containers import refuse_mask
from skrobust._guarded_rows import ask_guarded
from skrobust._responses import is_net, unwrap
from skrobust._validation import check_choice, invalid
from skrobust.base import BaseAttack
from skrobust.base.streams import other_noise
from skrobust.perturbations.meta._function import TEST_NOISE

_ROUTED = ("predict", "predict_proba", "predict_log_proba", "decision_function")


def inner_has(method):
    """Return a check that the wrapped estimator has a method."""

    def check(self):
        inner = getattr(self, "estimator_", self.estimator)
        getattr(inner, method)  # its own AttributeError says what is missing
        return True

    return check


def adopt_attributes(wrapper, *sources):
    """Set what scikit-learn asks a fitted model for; the first source that has it."""
    for name in ("classes_", "n_features_in_", "feature_names_in_"):
        vars(wrapper).pop(name, None)
        for source in reversed(sources):
            if hasattr(source, name):
                setattr(wrapper, name, getattr(source, name))


class PerturbedEstimator(MetaEstimatorMixin, BaseEstimator):
    """Base class of models with perturbed rows at fit or at predict."""

    _kind = ""

    @classmethod
    def _get_test_params(cls):
        model = LogisticRegression() if cls._kind == "classifier" else Ridge()
        return [{"estimator": model, "perturbation": TEST_NOISE}]

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
        for name, one in {"X": X, "y": y, "sample_weight": sample_weight}.items():
            refuse_mask(one, name)
        perturbation = clone(self.perturbation, safe=False)
        if hasattr(perturbation, "fit"):
            perturbation = perturbation.fit(X)
        self.perturbation_ = perturbation
        rows = X
        if self.on != "predict":
            # The prediction side keeps the plain seed, as a scorer would have it.
            rows = other_noise(perturbation, "side", "fit").perturb(None, X, y)
        self.estimator_ = clone(self.estimator).fit(rows, y, **fit_params)
        adopt_attributes(self, self.estimator_, self.perturbation_)
        return self

    @available_if(inner_has("predict"))
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

    @available_if(inner_has("score"))
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
        """Return which metadata the estimator asks for.

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
        for name, one in {"X": X, "y": targets and targets[0], **params}.items():
            refuse_mask(one, name)
        if self.on != "fit":
            X = self.perturbation_.perturb(self.estimator_, X, None)
        call = getattr(self.estimator_, method)
        own = self.estimator_
        return ask_guarded(lambda rows: call(rows, *targets, **params), X, own)

    def _routed(self, method, params):
        if not get_config().get("enable_metadata_routing"):
            return params
        return process_routing(self, method, **params).estimator[method]

    def _check_parameters(self):
        caller = type(self).__name__
        check_choice(self.on, "on", caller, ("predict", "fit", "both"))
        if isinstance(self.perturbation, BaseAttack):
            raise ValueError(
                f"{caller} cannot attack, since there are no true labels at predict; "
                "measure the model under attack with skrobust.metrics."
                f"make_robust_scorer({type(self.perturbation).__name__}(...))."
            )
        if isinstance(self.perturbation, type) or not callable(
            getattr(self.perturbation, "perturb", None)
        ):
            rule = "an object with perturb(estimator, X, y)"
            raise invalid("perturbation", caller, rule, self.perturbation)
        wrong = isinstance(self.estimator, type) or not hasattr(self.estimator, "fit")
        other = is_regressor if self._kind == "classifier" else is_classifier
        if wrong or (not is_net(unwrap(self.estimator)[1]) and other(self.estimator)):
            raise invalid("estimator", caller, f"a {self._kind}", self.estimator)

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
