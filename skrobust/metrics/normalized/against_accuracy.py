"""Warnings of factors of a normalized score that work against the accuracy."""

import warnings

import numpy as np

from skrobust._stacklevel import level_outside
from skrobust.metrics.normalized import factors, signal_to_noise

LOW_CEILING = 0.5  # of the score of a perfect classifier


def constant_score(sizes, kind, n_classes):
    """Return accuracy and g of the best constant prediction.

    Parameters
    ----------
    sizes : ndarray of shape (n_present,)
        Sizes of the classes in the rows scored.
    kind : {"auto", "linear", "squared"}
        Kind of the ratio.
    n_classes : int
        Number of classes.
    """
    order = np.sort(sizes)
    ratio = signal_to_noise.class_ratio(order[-1:], order[:-1], kind, n_classes)
    return order[-1] / order.sum(), factors.signal_factor(ratio)


def warn_order(caller, accuracy, g, constant, constant_g):
    """Warn when a constant prediction is ahead by the score, not by the accuracy."""
    gap, product_gap = accuracy - constant, accuracy * g - constant * constant_g
    if gap * product_gap < 0 and min(abs(gap), abs(product_gap)) > 1e-9:
        warnings.warn(
            f"{caller} puts the classifier and the best constant prediction in another "
            f"order than the accuracy: accuracy {accuracy:.3g} times signal factor "
            f"{g:.3g} against {constant:.3g} times {constant_g:.3g}. snr='linear' "
            "follows the accuracy.",
            UserWarning,
            stacklevel=level_outside(),
        )


def warn_ceiling(caller, f, h):
    """Warn of class sizes on which a perfect classifier scores little."""
    warnings.warn(
        f"{caller} divides by the imbalance factor {h:.3g}: a perfect classifier "
        f"scores {f / h:.3g} on these class sizes. Compare data sets by "
        "accuracy_skill_score or balanced accuracy.",
        UserWarning,
        stacklevel=level_outside(),
    )


def warn_missing(caller, n_present, n_classes):
    """Warn that the rows lack a class, so that h is that of the others."""
    warnings.warn(
        f"{caller}: y_true has {n_present} of {n_classes} classes, and the imbalance "
        "factor is that of these. Pass class_counts, the class sizes of the data set.",
        UserWarning,
        stacklevel=level_outside(),
    )
