"""Cases of ``same_results.py``: calls of every public class and function."""

from same_cases.attacks import attacks
from same_cases.datasets import datasets
from same_cases.evaluation import evaluation
from same_cases.examples import examples
from same_cases.metrics import metrics
from same_cases.nets import nets
from same_cases.others import base, report, testing
from same_cases.perturbations import perturbations
from same_cases.plots import plots
from same_cases.sampling import sampling

__all__ = ["CASES", "examples"]

CASES = {
    "perturbations": perturbations,
    "attacks": attacks,
    "metrics": metrics,
    "sampling": sampling,
    "evaluation": evaluation,
    "nets": nets,
    "datasets": datasets,
    "plots": plots,
    "testing": testing,
    "base": base,
    "report": report,
}
