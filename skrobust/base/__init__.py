"""The three contracts: perturbation, attack and sampler.

A base class keeps the promises (copies, shapes, budgets, weights); a new one writes
only its idea in one private method, and declares every parameter in its own
``__init__`` so that ``clone`` loses nothing.
"""

from skrobust.base._attack import BaseAttack
from skrobust.base._attack_result import AttackResult
from skrobust.base._constraints import Constraints
from skrobust.base._estimates import Estimate
from skrobust.base._perturbation import BasePerturbation
from skrobust.base._plan import LabelPlan
from skrobust.base._sampler import BaseSampler
from skrobust.base._sampling_estimate import SamplingEstimate
from skrobust.base._sampling_result import SamplingResult

__all__ = [
    "AttackResult",
    "BaseAttack",
    "BasePerturbation",
    "BaseSampler",
    "Constraints",
    "Estimate",
    "LabelPlan",
    "SamplingEstimate",
    "SamplingResult",
]
