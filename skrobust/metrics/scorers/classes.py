"""The scorers of the metrics, as objects that survive clone, pickle and search."""

import numpy as np
from sklearn.metrics import accuracy_score

from skrobust._containers import shape_of, to_array
from skrobust._responses import (
    predict_labels,
    predict_probabilities,
    refuse_regressor,
)
from skrobust._validation import check_choice, check_count, check_number, invalid
from skrobust.metrics.normalized.scores import (
    normalized_accuracy_score,
    normalized_clustering_score,
    normalized_r2_score,
)
from skrobust.metrics.robust.accuracy_and_ratio import (
    robust_accuracy_score,
    robust_ratio_score,
)
from skrobust.metrics.robust.prediction_shift import (
    REFERENCES,
    regression_robust_ratio_score,
)
from skrobust.metrics.scorers.attack_objective import (
    at_full_strength,
    column_labels,
    for_accuracy,
    for_regression,
)
from skrobust.metrics.scorers.base import BaseScorer
from skrobust.metrics.stability.indices import accuracy_stability_index, stability_index

NORMALIZED = ("accuracy", "r2", "clustering")
ROBUST = ("robust_accuracy", "robust_ratio", "regression_robust_ratio")


def _metric_value(metric, caller, y, y_pred, sample_weight):
    if isinstance(metric, str):
        check_choice(metric, "metric", caller, ("accuracy",))
        metric = accuracy_score
    elif not callable(metric):
        rule = "'accuracy' or a function of (y_true, y_pred)"
        raise invalid("metric", caller, rule, metric)
    if sample_weight is None:
        return metric(y, y_pred)
    return metric(y, y_pred, sample_weight=sample_weight)


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
        check_choice(self.metric, "metric", "NormalizedScorer", NORMALIZED)
        settings = dict(self.options or {})
        settings["n_samples"] = self.n_samples
        settings["n_features"] = self.n_features
        if self.n_features is None:
            settings["n_features"] = int(np.prod(shape_of(X)[1:]))
        if self.metric == "accuracy":
            cure = 'Use make_normalized_scorer("r2").'
            refuse_regressor(estimator, "The normalized accuracy", cure)
        predicted = predict_labels(estimator, X)
        if self.metric == "clustering":
            return normalized_clustering_score(y, predicted, X=to_array(X), **settings)
        if sample_weight is not None:
            settings["sample_weight"] = sample_weight
        score = normalized_accuracy_score
        if self.metric == "r2":
            score = normalized_r2_score
        return score(y, predicted, **settings)


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
        check_perturber(self.perturbation, "perturbation", "RobustScorer")
        if not callable(self.metric):
            check_choice(self.metric, "metric", "RobustScorer", ROBUST)
        if self.metric == "robust_ratio":
            cure = "Use metric='regression_robust_ratio'."
            refuse_regressor(estimator, "The robust ratio", cure)
            return self._ratio(estimator, X, y, sample_weight)
        if self.metric == "regression_robust_ratio":
            return self._regression_ratio(estimator, X, y, sample_weight)
        if self.tolerance is not None:
            raise ValueError(
                "The 'tolerance' parameter of RobustScorer belongs to "
                f"metric='robust_ratio'. Got tolerance={self.tolerance!r} with "
                f"metric={self.metric!r}."
            )
        attack = self.perturbation
        if self.metric == "robust_accuracy":
            cure = "Pass metric=r2_score, or another metric of regression."
            refuse_regressor(estimator, "Robust accuracy", cure)
            attack = for_accuracy(attack)
        predicted = predict_labels(estimator, attack.perturb(estimator, X, y))
        if self.metric == "robust_accuracy":
            return robust_accuracy_score(y, predicted, sample_weight=sample_weight)
        return _metric_value(self.metric, "RobustScorer", y, predicted, sample_weight)

    def _ratio(self, estimator, X, y, sample_weight):
        if self.tolerance is None:
            raise ValueError(
                "RobustScorer needs a tolerance in [0, 1] for metric='robust_ratio', "
                "for example tolerance=0.05."
            )
        check_number(self.tolerance, "tolerance", "RobustScorer", low=0, high=1)
        attack, _ = at_full_strength(self.perturbation)
        clean = predict_probabilities(estimator, X, "The robust ratio")
        perturbed = predict_probabilities(
            estimator, attack.perturb(estimator, X, y), "The robust ratio"
        )
        return robust_ratio_score(
            clean,
            perturbed,
            tolerance=self.tolerance,
            reference=self.reference,
            y_true=y if self.reference == "true" else None,
            labels=column_labels(estimator, clean.shape[1]),
            sample_weight=sample_weight,
        )

    def _regression_ratio(self, estimator, X, y, sample_weight):
        caller = "RobustScorer"
        if self.tolerance is None:
            raise ValueError(
                f"{caller} needs a tolerance for metric='regression_robust_ratio', in "
                "the units of the target."
            )
        check_number(self.tolerance, "tolerance", caller, low=0)
        check_choice(self.reference, "reference", caller, REFERENCES)
        far = "prediction_error" if self.reference == "true" else "prediction_shift"
        attack = for_regression(self.perturbation, far)
        clean = predict_labels(estimator, X)
        moved = predict_labels(estimator, attack.perturb(estimator, X, y))
        return regression_robust_ratio_score(
            clean,
            moved,
            tolerance=self.tolerance,
            reference=self.reference,
            y_true=y if self.reference == "true" else None,
            sample_weight=sample_weight,
        )


class StabilityScorer(BaseScorer):
    """Scorer of the Accuracy-Stability Index over a list of conditions.

    Made by :func:`make_stability_scorer`, which describes the parameters.
    """

    def __init__(self, conditions=None, *, metric="accuracy"):
        self.conditions = conditions
        self.metric = metric

    def _label(self):
        return "accuracy_stability_index"

    def _score(self, estimator, X, y, sample_weight):
        conditions = check_conditions(self.conditions, "StabilityScorer")
        scores = []
        for condition in conditions:
            predicted = predict_labels(estimator, condition.perturb(estimator, X, y))
            scores.append(
                _metric_value(
                    self.metric, "StabilityScorer", y, predicted, sample_weight
                )
            )
        return accuracy_stability_index(scores)


class StabilityIndexScorer(BaseScorer):
    """Scorer of the stability index over time.

    Made by :func:`make_stability_index_scorer`, which describes the parameters.
    """

    def __init__(
        self,
        n_periods=10,
        *,
        metric="accuracy",
        falling_rate_weight=12,
        variability_weight=0.5,
    ):
        self.n_periods = n_periods
        self.metric = metric
        self.falling_rate_weight = falling_rate_weight
        self.variability_weight = variability_weight

    def _label(self):
        return "stability_index"

    def _score(self, estimator, X, y, sample_weight):
        caller = "StabilityIndexScorer"
        n_periods = check_count(self.n_periods, "n_periods", caller, low=2)
        if len(y) < n_periods:
            raise ValueError(
                f"The 'n_periods' parameter of {caller} must be at most the number of "
                f"rows. Got {n_periods} periods for {len(y)} rows."
            )
        predicted = predict_labels(estimator, X)
        scores = []
        for rows in np.array_split(np.arange(len(y)), n_periods):
            weight = None if sample_weight is None else np.asarray(sample_weight)[rows]
            scores.append(
                _metric_value(self.metric, caller, y[rows], predicted[rows], weight)
            )
        return stability_index(
            scores,
            falling_rate_weight=self.falling_rate_weight,
            variability_weight=self.variability_weight,
        )


def check_perturber(perturbation, name, caller):
    """Raise unless something has ``perturb(estimator, X, y)``."""
    if isinstance(perturbation, type) or not callable(
        getattr(perturbation, "perturb", None)
    ):
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
