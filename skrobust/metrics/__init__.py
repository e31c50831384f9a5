"""Scores of robustness and stability: how much of a good result remains."""

from skrobust.metrics._adversarial import (
    adversarial_class_confidence,
    misclassification_rate,
    noise_tolerance_estimate,
    true_class_confidence,
)
from skrobust.metrics._base_scorer import BaseScorer
from skrobust.metrics._clip_robustness import clip_robustness
from skrobust.metrics._clip_values import aggregate_clips
from skrobust.metrics._compare import compare_models
from skrobust.metrics._confidence import confidence_interval
from skrobust.metrics._corruption import mean_corruption_error, robustness_score
from skrobust.metrics._curve_area import area_under_robust_ratio_curve
from skrobust.metrics._defense import defense_comparison
from skrobust.metrics._distortion import average_distortion, noise_insensitivity
from skrobust.metrics._effective import effective_robustness
from skrobust.metrics._factors import (
    dimensionality_factor,
    imbalance_factor,
    signal_factor,
)
from skrobust.metrics._flips import flip_rate, mean_flip_rate
from skrobust.metrics._group_ratios import group_robust_ratio, group_robust_ratio_curve
from skrobust.metrics._groups import group_robustness
from skrobust.metrics._interval_result import Interval
from skrobust.metrics._intervals import (
    proportion_interval,
)
from skrobust.metrics._linearity import rr_linearity
from skrobust.metrics._normalized import (
    normalized_accuracy_score,
    normalized_clustering_score,
    normalized_r2_score,
)
from skrobust.metrics._normalized_parts import (
    normalized_score_parts,
)
from skrobust.metrics._period_index import gini_stability, period_stability_index
from skrobust.metrics._prediction_shift import (
    prediction_shift,
    regression_robust_ratio_curve,
    regression_robust_ratio_score,
)
from skrobust.metrics._probability_shift import (
    probability_shift,
)
from skrobust.metrics._quadrant import stability_quadrant, stability_summary
from skrobust.metrics._ratio_band import robust_ratio_band
from skrobust.metrics._robustness import (
    robust_accuracy_score,
    robust_ratio_curve,
    robust_ratio_score,
)
from skrobust.metrics._scorers import (
    get_scorer,
    get_scorer_names,
    make_normalized_scorer,
    make_robust_scorer,
    make_stability_index_scorer,
    make_stability_scorer,
)
from skrobust.metrics._signal import (
    signal_to_noise_ratio,
)
from skrobust.metrics._similarity import average_structural_similarity
from skrobust.metrics._stability import (
    accuracy_stability_index,
    coefficient_of_variation,
    stability_index,
)

__all__ = [
    "BaseScorer",
    "Interval",
    "accuracy_stability_index",
    "adversarial_class_confidence",
    "aggregate_clips",
    "area_under_robust_ratio_curve",
    "average_distortion",
    "average_structural_similarity",
    "clip_robustness",
    "coefficient_of_variation",
    "compare_models",
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
    "make_normalized_scorer",
    "make_robust_scorer",
    "make_stability_index_scorer",
    "make_stability_scorer",
    "mean_corruption_error",
    "mean_flip_rate",
    "misclassification_rate",
    "noise_insensitivity",
    "noise_tolerance_estimate",
    "normalized_accuracy_score",
    "normalized_clustering_score",
    "normalized_r2_score",
    "normalized_score_parts",
    "period_stability_index",
    "prediction_shift",
    "probability_shift",
    "proportion_interval",
    "regression_robust_ratio_curve",
    "regression_robust_ratio_score",
    "robust_accuracy_score",
    "robust_ratio_band",
    "robust_ratio_curve",
    "robust_ratio_score",
    "robustness_score",
    "rr_linearity",
    "signal_factor",
    "signal_to_noise_ratio",
    "stability_index",
    "stability_quadrant",
    "stability_summary",
    "true_class_confidence",
]
