"""Average structural similarity of clean and adversarial images."""

import numpy as np
from scipy.ndimage import gaussian_filter

from skrobust._validation import (
    as_float,
    check_choice,
    check_count,
    check_number,
    invalid,
    metric,
)
from skrobust.metrics.robust.confidence_of_class import mean_over
from skrobust.metrics.robust.distortion import check_inputs, check_successful

MOST = 1e12  # of the width of a range, whose fourth power must be finite


@metric
def average_structural_similarity(
    X,
    X_adversarial,
    *,
    data_range,
    channel_axis=None,
    window_size=11,
    sigma=1.5,
    successful=None,
):
    r"""Compute the average structural similarity of images (ASS).

    In [-1, 1]; 1 says that the images are the same.

    .. math:: SSIM = \mathrm{mean} \frac{(2 \mu \mu' + c_1)(2 \sigma_{xx'} + c_2)}
        {(\mu^2 + \mu'^2 + c_1)(\sigma^2 + \sigma'^2 + c_2)}, \quad
        c_1 = (0.01 L)^2, \; c_2 = (0.03 L)^2

    with Gaussian-weighted local means, variances and covariance, over all pixels whose
    window lies inside the image, then over the channels, then over the samples whose
    attack succeeded; :math:`L` is the width of ``data_range``.

    Parameters
    ----------
    X : array-like of shape (n_samples, height, width) or with channels
        Clean images.
    X_adversarial : array-like of the same shape
        Adversarial images.
    data_range : (float, float)
        Lowest and highest possible value.
    channel_axis : {None, 1, -1, 3}, default=None
        Where the channels are; None: there are none.
    window_size : int, default=11
        Odd width of the window in pixels; images must not be smaller.
    sigma : float, default=1.5
        Standard deviation of the Gaussian in pixels.
    successful : array-like of bool of shape (n_samples,) or None, default=None
        Success of each attack; None: all succeeded.

    Returns
    -------
    float
        The average; nan with a warning when no attack succeeded.

    Raises
    ------
    ValueError
        For shapes that differ or are no images, images smaller than the window, an even
        window, or a range that is no pair low < high.

    Notes
    -----
    Values are measured from the lower end of ``data_range``. The window is that of the
    source; implementations with a flat window give other values.

    References
    ----------
    Wang et al., "Image quality assessment: from error visibility to structural
    similarity" (IEEE Transactions on Image Processing, 2004); Ling et al., "DEEPSEC"
    (IEEE S&P, 2019).

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.metrics import average_structural_similarity
    >>> X = np.random.default_rng(0).random((2, 16, 16))
    >>> average_structural_similarity(X, X, data_range=(0, 1))
    1.0
    """
    caller = "average_structural_similarity"
    low, high = check_data_range(data_range, caller)
    sigma = check_number(sigma, "sigma", caller, low=0, high=1e4, low_open=True)
    window_size = check_count(window_size, "window_size", caller, low=3)
    if window_size % 2 == 0:
        raise invalid("window_size", caller, "odd", window_size)
    clean, adversarial = check_inputs(X, X_adversarial, caller)
    check_choice(channel_axis, "channel_axis", caller, (None, 1, -1, 3))
    if clean.ndim != (3 if channel_axis is None else 4):
        cure = "Set channel_axis for images with channels; reshape flat rows."
        raise invalid("X", caller, "images (n, height, width)", clean.shape, cure)
    if channel_axis is not None:
        clean = np.moveaxis(clean, channel_axis, 1)
        adversarial = np.moveaxis(adversarial, channel_axis, 1)
    if min(clean.shape[-2:]) < window_size:
        raise ValueError(
            f"{caller} needs images of at least {window_size} pixels a side; they are "
            f"{clean.shape[-2]} x {clean.shape[-1]}. Lower window_size."
        )
    succeeded = check_successful(successful, len(clean), caller)
    values = np.full(len(clean), np.nan)
    for i in np.flatnonzero(succeeded):  # one image at a time keeps the memory small
        pair = clean[i] - low, adversarial[i] - low
        with np.errstate(over="ignore", invalid="ignore"):
            values[i] = _similarity(*pair, high - low, window_size // 2, sigma)
    if not np.isfinite(values[succeeded]).all():
        rule = "images whose squared values are finite, in the range of data_range"
        raise invalid("X", caller, rule, float(np.abs(clean).max()))
    return mean_over(values, succeeded, caller)


def check_data_range(data_range, caller):
    """Return the two ends of a range of values, or raise."""
    try:
        low, high = (as_float(end) for end in data_range)
        fine = np.isfinite([low, high]).all() and 0 < high - low < MOST
    except (TypeError, ValueError):
        fine = False
    if not fine:
        rule = f"a pair (low, high), low < high, less than {MOST:g} apart"
        raise invalid("data_range", caller, rule, data_range)
    return low, high


def _similarity(x, y, width, radius, sigma):
    def local_mean(values):
        means = gaussian_filter(values, sigma, radius=radius, axes=(-2, -1))
        return means[..., radius:-radius, radius:-radius]

    mean_x, mean_y = local_mean(x), local_mean(y)
    var_x = local_mean(x * x) - mean_x**2
    var_y = local_mean(y * y) - mean_y**2
    both = local_mean(x * y) - mean_x * mean_y
    c_1, c_2 = (0.01 * width) ** 2, (0.03 * width) ** 2
    top = (2 * mean_x * mean_y + c_1) * (2 * both + c_2)
    return (top / ((mean_x**2 + mean_y**2 + c_1) * (var_x + var_y + c_2))).mean()
