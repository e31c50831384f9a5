"""Base classes of perturbations and attacks, constraints and attack results.

A base class guarantees copies, shapes and budgets; a new class writes its idea in one
private method.
"""

from skrobust._deprecation import deprecated_names
from skrobust.base.attack import BaseAttack
from skrobust.base.attack_result import AttackResult
from skrobust.base.constraints import Constraints
from skrobust.base.perturbation import BasePerturbation

__all__ = ["AttackResult", "BaseAttack", "BasePerturbation", "Constraints"]

__getattr__ = deprecated_names(
    __name__,
    {
        name: f"skrobust.sampling.{name}"
        for name in (
            "BaseSampler",
            "Estimate",
            "LabelPlan",
            "SamplingEstimate",
            "SamplingResult",
        )
    },
)
