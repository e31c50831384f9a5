"""Evaluation: a fitted model, many conditions, one table."""

from skrobust._results import Results
from skrobust.evaluation._attacks import evaluate_attack
from skrobust.evaluation._perturbations import evaluate_perturbations

__all__ = ["Results", "evaluate_attack", "evaluate_perturbations"]
