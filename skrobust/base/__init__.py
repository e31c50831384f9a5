"""The base classes of perturbations and attacks, and what attacks are given and return.

A base class keeps the promises (copies, shapes, budgets); a new class writes only its
idea in one private method, and declares every parameter in its own ``__init__`` so
that ``clone`` loses nothing.
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
