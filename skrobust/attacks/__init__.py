"""Attacks: changes of the input that use the model, within a stated budget.

An attack answers ``perturb(estimator, X, y)`` as a perturbation does. ``eps`` and
``data_range`` are in the units of the raw input of the whole pipeline. Importing this
namespace loads no torch; attacking a net does.
"""

from skrobust.attacks._auto_attack import AutoAttack
from skrobust.attacks._auto_pgd import AutoPGD
from skrobust.attacks._black_box import BlackBoxAttack
from skrobust.attacks._fgsm import FGSM
from skrobust.attacks._gradient import GradientAttack
from skrobust.attacks._hop_skip_jump import HopSkipJump
from skrobust.attacks._pgd import PGD
from skrobust.attacks._probability_shift import ProbabilityShift
from skrobust.attacks._random_search import RandomSearch
from skrobust.attacks._square import Square
from skrobust.attacks._zoo import ZOO
from skrobust.base import Constraints

__all__ = [
    "AutoAttack",
    "AutoPGD",
    "BlackBoxAttack",
    "Constraints",
    "FGSM",
    "GradientAttack",
    "HopSkipJump",
    "PGD",
    "ProbabilityShift",
    "RandomSearch",
    "Square",
    "ZOO",
]
