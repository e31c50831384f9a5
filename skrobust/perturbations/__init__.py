"""Perturbations: changes of the input that do not look at the model.

Each is a transformer with ``fit``, ``transform`` and ``perturb(estimator, X, y)``. In a
Pipeline it acts on both sides, at fit and at predict; inside a scorer it acts on the
rows that are scored alone, which is the honest default for evaluation.
"""

from skrobust.perturbations._geometry import Rotation
from skrobust.perturbations._grid import two_factor_grid
from skrobust.perturbations._images import ImagePerturbation
from skrobust.perturbations._label_noise import LabelNoiseClassifier
from skrobust.perturbations._noise import GaussianNoise, SaltAndPepper
from skrobust.perturbations._sequence import PerturbationSequence
from skrobust.perturbations._table_categories import CategoryFlip
from skrobust.perturbations._table_coarse import QuantileClipping, Rounding
from skrobust.perturbations._table_drift import MeanDrift, ScaleDrift
from skrobust.perturbations._table_errors import Outliers, SignFlip, UnitError
from skrobust.perturbations._table_loss import FeatureLoss
from skrobust.perturbations._table_missing import MissingValues
from skrobust.perturbations._table_noise import (
    FeatureNoise,
    MultiplicativeNoise,
    QuantileNoise,
)
from skrobust.perturbations._table_presets import tabular
from skrobust.perturbations._table_rows import ColumnSwap, StaleRows
from skrobust.perturbations._tables import TablePerturbation

__all__ = [
    "CategoryFlip",
    "ColumnSwap",
    "FeatureLoss",
    "FeatureNoise",
    "GaussianNoise",
    "ImagePerturbation",
    "LabelNoiseClassifier",
    "MeanDrift",
    "MissingValues",
    "MultiplicativeNoise",
    "Outliers",
    "PerturbationSequence",
    "QuantileClipping",
    "QuantileNoise",
    "Rotation",
    "Rounding",
    "SaltAndPepper",
    "ScaleDrift",
    "SignFlip",
    "StaleRows",
    "TablePerturbation",
    "UnitError",
    "tabular",
    "two_factor_grid",
]
