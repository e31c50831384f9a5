"""Warning that a metric is undefined."""

import warnings

from sklearn.exceptions import UndefinedMetricWarning

from skrobust._stacklevel import level_outside


def warn_undefined(text, value=float("nan")):
    """Warn that a metric is undefined and return what stands for it."""
    warnings.warn(text, UndefinedMetricWarning, stacklevel=level_outside())
    return value
