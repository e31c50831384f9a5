"""Pictures of results: each display also gives its data as a table.

Every display is made from results (``from_results``) and drawn by ``plot``, which
imports matplotlib only then; ``frame`` returns what is drawn as a data frame.
"""

from skrobust.plots._grid import PerturbationGridDisplay
from skrobust.plots._label_budget import LabelBudgetDisplay
from skrobust.plots._robust_ratio import RobustRatioDisplay
from skrobust.plots._surface import StabilitySurfaceDisplay

__all__ = [
    "LabelBudgetDisplay",
    "PerturbationGridDisplay",
    "RobustRatioDisplay",
    "StabilitySurfaceDisplay",
]
