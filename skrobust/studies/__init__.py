"""Studies: published comparisons, repeated as a whole on data of your own."""

from skrobust.studies._deepfake_study import deepfake_study

__all__ = ["deepfake_study"]
