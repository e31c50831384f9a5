"""Certificates: what no point of a region can do to the answer of a model.

The bounds of :func:`skrobust.evaluation.robust_accuracy_bounds` and
:func:`skrobust.evaluation.robust_ratio_bounds` are made of them. A model without a
certificate of its own gets one from ``SmoothedClassifier``.
"""

__all__ = []
