"""Pictures of results: each display also gives its data as a table.

Every display is made from results (``from_results``), a model (``from_estimator``) or
the dictionaries of scikit-learn (``from_cv_results``) and drawn by ``plot``, which
imports matplotlib only then; ``frame`` returns what is drawn as a data frame.
"""

from skrobust.plots._comparison import ModelComparisonDisplay
from skrobust.plots._gallery import PerturbationGalleryDisplay
from skrobust.plots._grid import PerturbationGridDisplay
from skrobust.plots._groups import GroupGapDisplay
from skrobust.plots._label_budget import LabelBudgetDisplay
from skrobust.plots._minimal_norm import MinimalNormDisplay
from skrobust.plots._normalized import NormalizedScoreDisplay
from skrobust.plots._pattern import StabilityPatternDisplay
from skrobust.plots._radius import RobustAccuracyCurveDisplay
from skrobust.plots._robust_ratio import RobustRatioDisplay
from skrobust.plots._severity import SeverityCurveDisplay
from skrobust.plots._surface import StabilitySurfaceDisplay

__all__ = [
    "GroupGapDisplay",
    "LabelBudgetDisplay",
    "MinimalNormDisplay",
    "ModelComparisonDisplay",
    "NormalizedScoreDisplay",
    "PerturbationGalleryDisplay",
    "PerturbationGridDisplay",
    "RobustAccuracyCurveDisplay",
    "RobustRatioDisplay",
    "SeverityCurveDisplay",
    "StabilityPatternDisplay",
    "StabilitySurfaceDisplay",
]
