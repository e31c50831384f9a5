"""Displays of results; each also gives its data as a table.

Every display is made from results (``from_results``), a model (``from_estimator``) or
the dictionaries of scikit-learn (``from_cv_results``) and drawn by ``plot``, which
imports matplotlib only then; ``frame`` returns what is drawn as a data frame.
"""

from skrobust.plots._group_gap_display import GroupGapDisplay
from skrobust.plots._label_budget_display import LabelBudgetDisplay
from skrobust.plots._minimal_norm_display import MinimalNormDisplay
from skrobust.plots._model_comparison_display import ModelComparisonDisplay
from skrobust.plots._normalized_score_display import NormalizedScoreDisplay
from skrobust.plots._perturbation_gallery_display import PerturbationGalleryDisplay
from skrobust.plots._perturbation_grid_display import PerturbationGridDisplay
from skrobust.plots._repair_pareto_display import RepairParetoDisplay
from skrobust.plots._robust_accuracy_curve_display import RobustAccuracyCurveDisplay
from skrobust.plots._robust_ratio_display import RobustRatioDisplay
from skrobust.plots._robustness_bounds_display import RobustnessBoundsDisplay
from skrobust.plots._severity_curve_display import SeverityCurveDisplay
from skrobust.plots._stability_pattern_display import StabilityPatternDisplay
from skrobust.plots._stability_surface_display import StabilitySurfaceDisplay

__all__ = [
    "GroupGapDisplay",
    "LabelBudgetDisplay",
    "MinimalNormDisplay",
    "ModelComparisonDisplay",
    "NormalizedScoreDisplay",
    "PerturbationGalleryDisplay",
    "PerturbationGridDisplay",
    "RepairParetoDisplay",
    "RobustAccuracyCurveDisplay",
    "RobustRatioDisplay",
    "RobustnessBoundsDisplay",
    "SeverityCurveDisplay",
    "StabilityPatternDisplay",
    "StabilitySurfaceDisplay",
]
