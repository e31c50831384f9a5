"""Evaluation of models under perturbations and attacks."""

from skrobust._results import Results
from skrobust.evaluation._boundary_steps import boundary_steps
from skrobust.evaluation._check_evaluation import check_evaluation
from skrobust.evaluation._cross_validate_perturbations import (
    cross_validate_perturbations,
)
from skrobust.evaluation._empirical_boundary_distance import empirical_boundary_distance
from skrobust.evaluation._evaluate_attack import evaluate_attack
from skrobust.evaluation._evaluate_perturbations import evaluate_perturbations
from skrobust.evaluation._make_bounds_scorer import make_bounds_scorer
from skrobust.evaluation._robust_accuracy_bounds import robust_accuracy_bounds
from skrobust.evaluation._robust_accuracy_curve import robust_accuracy_curve
from skrobust.evaluation._robust_ratio_bounds import robust_ratio_bounds
from skrobust.evaluation._suggest_repairs import suggest_repairs
from skrobust.evaluation.core._evaluation_warning import EvaluationWarning
from skrobust.evaluation.core._isolation import Isolation
from skrobust.evaluation.records._replay_record import replay_record
from skrobust.evaluation.records._verify_record import verify_record
from skrobust.evaluation.records._write_record import write_record

__all__ = [
    "EvaluationWarning",
    "Isolation",
    "Results",
    "boundary_steps",
    "check_evaluation",
    "cross_validate_perturbations",
    "empirical_boundary_distance",
    "evaluate_attack",
    "evaluate_perturbations",
    "make_bounds_scorer",
    "replay_record",
    "robust_accuracy_bounds",
    "robust_accuracy_curve",
    "robust_ratio_bounds",
    "suggest_repairs",
    "verify_record",
    "write_record",
]
