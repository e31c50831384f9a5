"""Scores of robustness and stability: how much of a good result remains."""

from skrobust.metrics._base_scorer import BaseScorer
from skrobust.metrics._factors import (
    dimensionality_factor,
    imbalance_factor,
    signal_factor,
)
from skrobust.metrics._intervals import (
    proportion_interval,
)
from skrobust.metrics._normalized import (
    normalized_accuracy_score,
    normalized_clustering_score,
    normalized_r2_score,
)
from skrobust.metrics._normalized_parts import (
    normalized_score_parts,
)
from skrobust.metrics._probability_shift import (
    probability_shift,
)
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
from skrobust.metrics._stability import (
    accuracy_stability_index,
    coefficient_of_variation,
    stability_index,
)

__all__ = [
    "BaseScorer",
    "accuracy_stability_index",
    "coefficient_of_variation",
    "dimensionality_factor",
    "get_scorer",
    "get_scorer_names",
    "imbalance_factor",
    "make_normalized_scorer",
    "make_robust_scorer",
    "make_stability_index_scorer",
    "make_stability_scorer",
    "normalized_accuracy_score",
    "normalized_clustering_score",
    "normalized_r2_score",
    "normalized_score_parts",
    "probability_shift",
    "proportion_interval",
    "robust_accuracy_score",
    "robust_ratio_curve",
    "robust_ratio_score",
    "signal_factor",
    "signal_to_noise_ratio",
    "stability_index",
]
