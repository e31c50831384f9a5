"""Attacks: changes of the input that use the model, within a stated budget.

An attack answers ``perturb(estimator, X, y)`` as a perturbation does. ``eps`` and
``data_range`` are in the units of the raw input of the whole pipeline. Importing this
namespace loads no torch; attacking a net does.
"""

from skrobust.attacks._exact_linear import ExactLinear
from skrobust.attacks._exact_tree import ExactTree
from skrobust.attacks._fgsm import FGSM
from skrobust.attacks._gradient import GradientAttack
from skrobust.attacks._pgd import PGD

__all__ = ["ExactLinear", "ExactTree", "FGSM", "GradientAttack", "PGD"]
