"""Warning that a metric is undefined."""

import warnings

from sklearn.exceptions import UndefinedMetricWarning


def warn_undefined(text, value=float("nan"), *, stacklevel=3):
    """Warn that a metric is undefined and return what stands for it.

    ``stacklevel`` counts the frames from the caller, as in :func:`warnings.warn`.
    """
    warnings.warn(text, UndefinedMetricWarning, stacklevel=stacklevel + 1)
    return value
