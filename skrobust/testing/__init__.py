"""Contract checks for your own attacks, perturbations, samplers and scorers.

Each raises an AssertionError that says which promise was broken. ``assert_robust`` is
for the test suite of a model: it fails unless the model is robust enough.
``measure_conformance`` compares image corruptions with the published ones.
"""

from skrobust.testing._assert_robust import assert_robust
from skrobust.testing._check_attack import check_attack
from skrobust.testing._check_perturbation import check_perturbation
from skrobust.testing._check_sampler import check_sampler
from skrobust.testing._check_scorer import check_scorer
from skrobust.testing._instances_for_checks import instances_for_checks
from skrobust.testing._measure_conformance import measure_conformance

__all__ = [
    "assert_robust",
    "check_attack",
    "check_perturbation",
    "check_sampler",
    "check_scorer",
    "instances_for_checks",
    "measure_conformance",
]
