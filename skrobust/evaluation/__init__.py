"""Evaluation: a fitted model, many conditions, one table."""

from skrobust.evaluation._attacks import evaluate_attack
from skrobust.evaluation._perturbations import evaluate_perturbations
from skrobust.evaluation._results import Results

__all__ = ["Results", "evaluate_attack", "evaluate_perturbations"]
