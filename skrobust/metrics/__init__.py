"""Metrics of robustness and stability, their intervals, comparisons and scorers.

The metrics take arrays, as those of ``sklearn.metrics`` do. :func:`get_scorer` and the
``make_..._scorer`` functions make scorers of them, :func:`confidence_interval` their
intervals, :func:`compare_models` and :func:`by_group` paired and grouped comparisons.
Each metric is registered beside its function (see ``skrobust.metrics.registry``).
"""

from skrobust._deprecation import deprecated_names
from skrobust.metrics.axioms.metric_axioms import metric_axioms
from skrobust.metrics.comparison.compare_models import compare_models
from skrobust.metrics.comparison.compare_sequentially import compare_sequentially
from skrobust.metrics.comparison.plan_samples import plan_samples
from skrobust.metrics.comparison.threshold_test import threshold_test
from skrobust.metrics.groups.by_group import by_group
from skrobust.metrics.groups.clip_values import aggregate_clips
from skrobust.metrics.groups.clips import clip_robustness
from skrobust.metrics.groups.robustness import (
    group_robust_ratio,
    group_robust_ratio_curve,
    group_robustness,
)
from skrobust.metrics.intervals.confidence_interval import confidence_interval
from skrobust.metrics.intervals.interval import Interval
from skrobust.metrics.intervals.proportion import proportion_interval
from skrobust.metrics.intervals.simultaneous import (
    simultaneous_intervals,
    worst_case_interval,
)
from skrobust.metrics.normalized.accuracy_skill import accuracy_skill_score
from skrobust.metrics.normalized.factors import (
    dimensionality_factor,
    imbalance_factor,
    signal_factor,
)
from skrobust.metrics.normalized.parts import normalized_score_parts
from skrobust.metrics.normalized.sample_sizes import (
    sample_size_deviation,
    stable_sample_size,
)
from skrobust.metrics.normalized.scores import (
    normalized_accuracy_score,
    normalized_clustering_score,
    normalized_r2_score,
)
from skrobust.metrics.normalized.signal_to_noise import signal_to_noise_ratio
from skrobust.metrics.robust.accuracy_and_ratio import (
    robust_accuracy_score,
    robust_ratio_curve,
    robust_ratio_score,
)
from skrobust.metrics.robust.confidence_of_class import (
    adversarial_class_confidence,
    misclassification_rate,
    noise_tolerance_estimate,
    true_class_confidence,
)
from skrobust.metrics.robust.corruption import mean_corruption_error, robustness_score
from skrobust.metrics.robust.curves import area_under_robust_ratio_curve, rr_linearity
from skrobust.metrics.robust.defense import defense_comparison
from skrobust.metrics.robust.distortion import average_distortion, noise_insensitivity
from skrobust.metrics.robust.effective import effective_robustness
from skrobust.metrics.robust.flips import flip_rate, mean_flip_rate
from skrobust.metrics.robust.prediction_shift import (
    prediction_shift,
    regression_robust_ratio_curve,
    regression_robust_ratio_score,
)
from skrobust.metrics.robust.probability_shift import probability_shift
from skrobust.metrics.robust.ratio_band import robust_ratio_band
from skrobust.metrics.robust.ratio_profile import robust_ratio_profile
from skrobust.metrics.robust.ratio_regions import robust_ratio_regions
from skrobust.metrics.robust.structural_similarity import average_structural_similarity
from skrobust.metrics.scorers.base import BaseScorer
from skrobust.metrics.scorers.by_name import get_scorer, get_scorer_names
from skrobust.metrics.scorers.factory import (
    make_asi_scorer,
    make_normalized_scorer,
    make_robust_scorer,
    make_stability_index_scorer,
)
from skrobust.metrics.stability.accuracy_and_stability import (
    accuracy_stability_f_score,
    accuracy_stability_sensitivity,
)
from skrobust.metrics.stability.draw_variance import accuracy_stability_variance
from skrobust.metrics.stability.indices import (
    accuracy_stability_index,
    coefficient_of_variation,
    stability_index,
)
from skrobust.metrics.stability.pattern import stability_pattern
from skrobust.metrics.stability.periods_index import (
    gini_stability,
    period_stability_index,
)
from skrobust.metrics.stability.quadrant import stability_quadrant, stability_summary
from skrobust.metrics.streaming.streaming_metric import StreamingMetric

__all__ = [
    "BaseScorer",
    "Interval",
    "StreamingMetric",
    "accuracy_skill_score",
    "accuracy_stability_f_score",
    "accuracy_stability_index",
    "accuracy_stability_sensitivity",
    "accuracy_stability_variance",
    "adversarial_class_confidence",
    "aggregate_clips",
    "area_under_robust_ratio_curve",
    "average_distortion",
    "average_structural_similarity",
    "by_group",
    "clip_robustness",
    "coefficient_of_variation",
    "compare_models",
    "compare_sequentially",
    "confidence_interval",
    "defense_comparison",
    "dimensionality_factor",
    "effective_robustness",
    "flip_rate",
    "get_scorer",
    "get_scorer_names",
    "gini_stability",
    "group_robust_ratio",
    "group_robust_ratio_curve",
    "group_robustness",
    "imbalance_factor",
    "make_asi_scorer",
    "make_normalized_scorer",
    "make_robust_scorer",
    "make_stability_index_scorer",
    "mean_corruption_error",
    "mean_flip_rate",
    "metric_axioms",
    "misclassification_rate",
    "noise_insensitivity",
    "noise_tolerance_estimate",
    "normalized_accuracy_score",
    "normalized_clustering_score",
    "normalized_r2_score",
    "normalized_score_parts",
    "period_stability_index",
    "plan_samples",
    "prediction_shift",
    "probability_shift",
    "proportion_interval",
    "regression_robust_ratio_curve",
    "regression_robust_ratio_score",
    "robust_accuracy_score",
    "robust_ratio_band",
    "robust_ratio_curve",
    "robust_ratio_profile",
    "robust_ratio_regions",
    "robust_ratio_score",
    "robustness_score",
    "rr_linearity",
    "sample_size_deviation",
    "signal_factor",
    "signal_to_noise_ratio",
    "simultaneous_intervals",
    "stability_index",
    "stability_pattern",
    "stability_quadrant",
    "stability_summary",
    "stable_sample_size",
    "threshold_test",
    "true_class_confidence",
    "worst_case_interval",
]

__getattr__ = deprecated_names(
    __name__, {"make_stability_scorer": "skrobust.metrics.make_asi_scorer"}
)
