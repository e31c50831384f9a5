"""Scorers of the metrics."""

import numpy as np

from skrobust._containers import shape_of, to_array
from skrobust._responses import predict_labels, predict_probabilities, refuse_regressor
from skrobust._validation import check_choice, check_number, invalid
from skrobust.metrics.registry import get_metric, metric_names
from skrobust.metrics.robust.unmoved import full_attack
from skrobust.metrics.scorers.attack_objective import (
    column_labels,
    is_full,
    prepare_attack,
)
from skrobust.metrics.scorers.base import BaseScorer
from skrobust.metrics.scorers.perturbed_rows import perturbed_rows


def _metric_value(metric, caller, y, y_pred, sample_weight):
    if isinstance(metric, str):
        known = metric_names(needs={"labels"}, objective=None)
        check_choice(metric, "metric", caller, known)
        metric = get_metric(metric).function
    elif not callable(metric):
        rule = "a name or a function of (y_true, y_pred)"
        raise invalid("metric", caller, rule, metric)
    if sample_weight is None:
        return metric(y, y_pred)
    return metric(y, y_pred, sample_weight=sample_weight)


def answers_for(spec, estimator, X):
    """Return the probabilities or the labels that a metric takes."""
    if "probabilities" in spec.needs:
        return predict_probabilities(estimator, X, f"The {spec.title}")
    return predict_labels(estimator, X)


def signed_value(spec, *data, **options):
    """Return a metric with its sign changed where less is better."""
    value = spec.function(*data, **options)
    return value if spec.greater_is_better else -value


def normalized_names():
    """Return the kinds of the normalized score."""
    names = metric_names(needs="n_features")
    return [name.removeprefix("normalized_") for name in names]


class NormalizedScorer(BaseScorer):
    """Scorer of the dataset-adaptive normalized metric.

    Made by :func:`make_normalized_scorer`, which describes the parameters.
    """

    def __init__(
        self, metric="accuracy", *, n_samples=None, n_features=None, options=None
    ):
        self.metric = metric
        self.n_samples = n_samples
        self.n_features = n_features
        self.options = options

    def _label(self):
        return f"normalized_{self.metric}"

    def _score(self, estimator, X, y, sample_weight):
        check_choice(self.metric, "metric", "NormalizedScorer", normalized_names())
        n_features = self.n_features
        if n_features is None:
            n_features = int(np.prod(shape_of(X)[1:]))
        size = {"n_samples": self.n_samples, "n_features": n_features}
        settings = {**(self.options or {}), **size}
        if self.metric == "accuracy":
            cure = 'Use make_normalized_scorer("r2").'
            refuse_regressor(estimator, "The normalized accuracy", cure)
        predicted = predict_labels(estimator, X)
        if self.metric == "clustering":
            settings["X"] = to_array(X)
        elif sample_weight is not None:
            settings["sample_weight"] = sample_weight
        return get_metric(self._label()).function(y, predicted, **settings)


class RobustScorer(BaseScorer):
    """Scorer of a model on perturbed or attacked rows.

    Made by :func:`make_robust_scorer`, which describes the parameters.
    """

    def __init__(
        self,
        perturbation=None,
        metric="robust_accuracy",
        *,
        tolerance=None,
        reference="predicted",
    ):
        self.perturbation = perturbation
        self.metric = metric
        self.tolerance = tolerance
        self.reference = reference

    def _label(self):
        if isinstance(self.metric, str):
            return self.metric
        return getattr(self.metric, "__name__", "robust_score")

    def _score(self, estimator, X, y, sample_weight):
        caller = "RobustScorer"
        check_perturber(self.perturbation, "perturbation", caller)
        if callable(self.metric):
            self._check_tolerance({"labels"}, caller)
            moved = perturbed_rows(self.perturbation, estimator, X, y, caller)
            predicted = predict_labels(estimator, moved)
            return _metric_value(self.metric, caller, y, predicted, sample_weight)
        known = metric_names(scorer=False, has_scorer=True)
        check_choice(self.metric, "metric", caller, known)
        spec = get_metric(self.metric)
        needs = spec.needs
        if spec.task == "classification":
            cure = "Use 'regression_robust_ratio', or a function such as r2_score."
            refuse_regressor(estimator, f"The {spec.title}", cure)
        self._check_tolerance(needs, caller)
        attack = prepare_attack(self.perturbation, spec.objective, self.reference)
        options = {} if sample_weight is None else {"sample_weight": sample_weight}
        first = answers_for(spec, estimator, X) if "clean" in needs else y
        rows = perturbed_rows(attack, estimator, X, y, caller)
        moved = answers_for(spec, estimator, rows)
        if "tolerance" in needs:
            options |= {"tolerance": self.tolerance, "reference": self.reference}
            options["y_true"] = y
        if "probabilities" in needs:
            options["labels"] = column_labels(estimator, moved.shape[1])
        with full_attack(is_full(attack)):
            return signed_value(spec, first, moved, **options)

    def _check_tolerance(self, needs, caller):
        if "tolerance" in needs and self.tolerance is None:
            raise ValueError(
                f"{caller} needs a tolerance for metric={self.metric!r}: in [0, 1] for "
                "probabilities, in the units of the target for predictions."
            )
        if "tolerance" not in needs and self.tolerance is not None:
            raise ValueError(
                f"The 'tolerance' parameter of {caller} belongs to "
                f"metric='robust_ratio'. Got tolerance={self.tolerance!r} with "
                f"metric={self.metric!r}."
            )
        if "tolerance" in needs:
            high = 1 if "probabilities" in needs else None
            check_number(self.tolerance, "tolerance", caller, low=0, high=high)


class StabilityScorer(BaseScorer):
    """Scorer of the Accuracy-Stability Index over a list of conditions.

    Made by :func:`make_asi_scorer`, which describes the parameters.
    """

    def __init__(self, conditions=None, *, metric="accuracy"):
        self.conditions = conditions
        self.metric = metric

    def _label(self):
        return "accuracy_stability_index"

    def _score(self, estimator, X, y, sample_weight):
        caller, scores = "StabilityScorer", []
        for condition in check_conditions(self.conditions, caller):
            rows = perturbed_rows(condition, estimator, X, y, caller)
            predicted = predict_labels(estimator, rows)
            parts = y, predicted, sample_weight
            scores.append(_metric_value(self.metric, caller, *parts))
        return get_metric(self._label()).function(scores)


def check_perturber(perturbation, name, caller):
    """Raise unless something has ``perturb(estimator, X, y)``."""
    method = getattr(perturbation, "perturb", None)
    if isinstance(perturbation, type) or not callable(method):
        rule = "an object with perturb(estimator, X, y), a perturbation or an attack"
        raise invalid(name, caller, rule, perturbation)


def check_conditions(conditions, caller):
    """Return a list of conditions, or raise."""
    if conditions is None or isinstance(conditions, str) or not len(conditions):
        rule = "a list of conditions, such as two_factor_grid('asi68')"
        raise invalid("conditions", caller, rule, conditions)
    for condition in conditions:
        check_perturber(condition, "conditions", caller)
    return conditions
