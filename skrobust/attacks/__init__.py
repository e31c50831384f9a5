"""Adversarial attacks on fitted models, within a stated budget.

An attack answers ``perturb(estimator, X, y)`` as a perturbation does. ``eps`` and
``data_range`` are in the units of the raw input of the whole pipeline. Attacks of
minimal norm (:class:`DDN`, :class:`FMN`, :class:`FAB`, :class:`DeepFool`,
:class:`CarliniWagner`) also answer ``minimal_norms(estimator, X, y)``.
:class:`AdversarialSampler` trains on the examples of any attack (for nets there is
:class:`skrobust.nets.AdversarialTraining`). Importing this namespace loads no torch;
attacking a net does.
"""

from skrobust.attacks._adversarial_resampler import AdversarialSampler
from skrobust.attacks._auto_attack import AutoAttack
from skrobust.attacks._auto_pgd import AutoPGD
from skrobust.attacks._carlini_wagner import CarliniWagner
from skrobust.attacks._clip_pgd import ClipPGD
from skrobust.attacks._ddn import DDN
from skrobust.attacks._deepfool import DeepFool
from skrobust.attacks._exact_linear import ExactLinear
from skrobust.attacks._exact_tree import ExactTree
from skrobust.attacks._fab import FAB
from skrobust.attacks._fgsm import FGSM
from skrobust.attacks._fmn import FMN
from skrobust.attacks._hop_skip_jump import HopSkipJump
from skrobust.attacks._mi_fgsm import BIM, MomentumPGD
from skrobust.attacks._pgd import PGD
from skrobust.attacks._probability_shift_attack import ProbabilityShift
from skrobust.attacks._random_search import RandomSearch
from skrobust.attacks._square import Square
from skrobust.attacks._strongest_attack import StrongestAttack
from skrobust.attacks._word_substitution import WordSubstitution
from skrobust.attacks._zoo import ZOO
from skrobust.attacks.core.black_box_attack import BlackBoxAttack
from skrobust.attacks.core.gradient_attack import GradientAttack
from skrobust.attacks.core.minimal_norm_attack import MinimalNormAttack
from skrobust.base import Constraints
from skrobust.base.one_label import OneLabel

__all__ = [
    "AdversarialSampler",
    "AutoAttack",
    "AutoPGD",
    "BIM",
    "BlackBoxAttack",
    "CarliniWagner",
    "ClipPGD",
    "Constraints",
    "DDN",
    "DeepFool",
    "ExactLinear",
    "ExactTree",
    "FAB",
    "FGSM",
    "FMN",
    "GradientAttack",
    "HopSkipJump",
    "MinimalNormAttack",
    "MomentumPGD",
    "OneLabel",
    "PGD",
    "ProbabilityShift",
    "RandomSearch",
    "Square",
    "StrongestAttack",
    "WordSubstitution",
    "ZOO",
]
