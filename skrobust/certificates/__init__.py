"""Certificates: what no point of a region can do to the answer of a model.

The bounds of :func:`skrobust.evaluation.robust_accuracy_bounds` and
:func:`skrobust.evaluation.robust_ratio_bounds` are made of them. Any model gets a
certificate by :class:`SmoothedClassifier`.
"""

from skrobust.certificates._smoothed_classifier import SmoothedClassifier

__all__ = ["SmoothedClassifier"]
