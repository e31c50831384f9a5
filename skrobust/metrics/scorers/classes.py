"""Scorers of the metrics."""

import numpy as np

from skrobust._parameters import Number
from skrobust._responses import predict_labels, predict_probabilities, refuse_regressor
from skrobust._validation import check_choice, check_number, invalid
from skrobust.base.attack_by_name import read_attack
from skrobust.base.row_kind import suited
from skrobust.metrics.callable_metrics import direction_of, name_of, read_callable
from skrobust.metrics.registry import find_metric, get_metric, metric_names
from skrobust.metrics.robust.unmoved import full_attack
from skrobust.metrics.scorers.attack_objective import (
    column_labels,
    is_full,
    prepare_attack,
)
from skrobust.metrics.scorers.base import BaseScorer
from skrobust.metrics.scorers.constant_guard import (
    Scored,
    label_quality,
    lowest_score,
    with_quality,
)
from skrobust.metrics.scorers.perturbed_rows import perturbed_rows


def _metric_value(metric, caller, estimator, rows, y, y_pred, sample_weight):
    """Return a metric of a model on rows, of which ``y_pred`` are the labels."""
    if callable(metric) and find_metric(metric) is None:
        made = read_callable(metric, caller)
        return made.of_rows(estimator, rows, y, sample_weight, caller, y_pred)
    if callable(metric):
        spec = find_metric(metric)
    elif isinstance(metric, str):
        known = metric_names(needs={"labels"}, objective=None)
        check_choice(metric, "metric", caller, known)
        spec = get_metric(metric)
    else:
        rule = "a name, a scorer or a function of (y_true, y_pred)"
        raise invalid("metric", caller, rule, metric)
    weight = {} if sample_weight is None else {"sample_weight": sample_weight}
    return signed_value(spec, y, y_pred, **weight)


def answers_for(spec, estimator, X):
    """Return the probabilities or the labels that a metric takes."""
    if "probabilities" in spec.needs:
        return predict_probabilities(estimator, X, f"The {spec.title}")
    return predict_labels(estimator, X)


def signed_value(spec, *data, **options):
    """Return a metric with its sign changed where less is better."""
    value = spec.function(*data, **options)
    return value if spec.greater_is_better else -value


class RobustScorer(BaseScorer):
    """Scorer of a model on perturbed or attacked rows.

    Made by :func:`make_robust_scorer`, which describes the parameters.
    """

    _keeps = "the perturbation"
    _parameter_rules = {"floor": Number(low=0, high=1, optional=True)}

    def __init__(
        self,
        perturbation=None,
        metric="robust_accuracy",
        *,
        tolerance=None,
        reference="predicted",
        floor=None,
        eps=None,
        norm=None,
        data_range=None,
        random_state=None,
    ):
        self.perturbation = perturbation
        self.metric = metric
        self.tolerance = tolerance
        self.reference = reference
        self.floor = floor
        self.eps = eps
        self.norm = norm
        self.data_range = data_range
        self.random_state = random_state

    def _label(self):
        if isinstance(self.metric, str):
            return self.metric
        return getattr(self.metric, "__name__", "robust_score")

    def _score(self, estimator, X, y, sample_weight):
        caller = "RobustScorer"
        names = ("eps", "norm", "data_range", "random_state")
        ball = {name: getattr(self, name) for name in names}
        perturbation = read_attack(self.perturbation, "perturbation", caller, **ball)
        check_perturber(perturbation, "perturbation", caller)
        if callable(self.metric):
            self._check_tolerance({"labels"}, caller)
            moved = perturbed_rows(perturbation, estimator, X, y, caller)
            predicted = predict_labels(estimator, moved)
            parts = estimator, moved, y, predicted, sample_weight
            value = _metric_value(self.metric, caller, *parts)
            return self._scored(value, estimator, X, y, predicted, sample_weight)
        known = metric_names(scorer=False, has_scorer=True)
        check_choice(self.metric, "metric", caller, known)
        spec = get_metric(self.metric)
        needs = spec.needs
        if spec.task == "classification":
            cure = "Use 'regression_robust_ratio', or a function such as r2_score."
            refuse_regressor(estimator, f"The {spec.title}", cure)
        self._check_tolerance(needs, caller)
        attack = prepare_attack(perturbation, spec.objective, self.reference)
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
            value = signed_value(spec, first, moved, **options)
        answers, low = first if "clean" in needs else moved, lowest_score(spec)
        if "probabilities" in needs:
            answers = np.asarray(options["labels"])[answers.argmax(axis=1)]
        if "clean" in needs:
            return with_quality(value, estimator, y, answers, sample_weight, low)
        return self._scored(value, estimator, X, y, answers, sample_weight, low)

    def _scored(self, value, estimator, X, y, moved, sample_weight, lowest=-1.0):
        # Clean rows are predicted only where their accuracy is needed.
        scored = with_quality(value, estimator, y, moved, sample_weight)
        if self.floor is None and not scored.is_constant:
            return value
        clean = predict_labels(estimator, X)
        return with_quality(value, estimator, y, clean, sample_weight, lowest)

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

    _keeps = "the conditions"
    _parameter_rules = {"floor": Number(low=0, high=1, optional=True)}

    def __init__(self, conditions=None, *, metric="accuracy", floor=None):
        self.conditions = conditions
        self.metric = metric
        self.floor = floor

    def _label(self):
        return "accuracy_stability_index"

    def _score(self, estimator, X, y, sample_weight):
        caller, scores, predicted = "StabilityScorer", [], []
        if isinstance(self.metric, str):
            cure = "Pass a function with values in [0, 1] as the metric."
            title = "Accuracy-Stability Index"
            refuse_regressor(estimator, f"The {title} of metric={self.metric!r}", cure)
        if callable(self.metric) and not direction_of(self.metric, caller):
            rule = "a metric in [0, 1] of which greater values are better"
            raise invalid("metric", caller, rule, name_of(self.metric))
        for condition in suited(check_conditions(self.conditions, caller)):
            rows = perturbed_rows(condition, estimator, X, y, caller)
            predicted.append(predict_labels(estimator, rows))
            parts = estimator, rows, y, predicted[-1], sample_weight
            scores.append(_metric_value(self.metric, caller, *parts))
        value = get_metric(self._label()).function(scores)
        accuracy, constant = label_quality(estimator, y, predicted, sample_weight)
        return Scored(value, accuracy, constant)


def check_perturber(perturbation, name, caller):
    """Raise unless something has ``perturb(estimator, X, y)``."""
    method = getattr(perturbation, "perturb", None)
    if isinstance(perturbation, type) or not callable(method):
        rule = "an object with perturb(estimator, X, y), a perturbation or an attack"
        raise invalid(name, caller, rule, perturbation)


def check_conditions(conditions, caller):
    """Return a list of conditions, or raise."""
    if not isinstance(conditions, (list, tuple)) or not len(conditions):
        rule = "a list of conditions, such as two_factor_grid('asi68')"
        raise invalid("conditions", caller, rule, conditions)
    for condition in conditions:
        check_perturber(condition, "conditions", caller)
    return conditions
