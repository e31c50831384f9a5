"""What a corruption did to pictures, in four numbers for each."""

import numpy as np
from scipy.ndimage import uniform_filter

STATISTICS = ("psnr", "ssim", "mean", "spread")
_MOST = 60.0  # dB; pictures that did not change have no finite ratio


def picture_statistics(clean, corrupted):
    r"""Return four statistics of each pair of pictures.

    Parameters
    ----------
    clean, corrupted : ndarray of uint8 of shape (n, height, width[, channels])
        Pictures before and after.

    Returns
    -------
    ndarray of shape (n, 4)
        In this order: the peak signal-to-noise ratio
        :math:`10 \log_{10}(255^2 / \mathrm{MSE})` in dB, at most 60; the structural
        similarity (Z. Wang et al., 2004) of the grey pictures in windows of 7 x 7
        pixels, averaged; how much the mean rose; and how much the standard deviation
        of all pixels rose, both as shares of 255.
    """
    clean, corrupted = (
        np.asarray(a, dtype=np.float64) / 255 for a in (clean, corrupted)
    )
    pixels = tuple(range(1, clean.ndim))
    error = np.square(clean - corrupted).mean(axis=pixels)
    psnr = np.minimum(-10 * np.log10(np.maximum(error, 1e-12)), _MOST)
    similar = _ssim(_grey(clean), _grey(corrupted))
    mean = corrupted.mean(axis=pixels) - clean.mean(axis=pixels)
    spread = corrupted.std(axis=pixels) - clean.std(axis=pixels)
    return np.stack([psnr, similar, mean, spread], axis=1)


def _grey(pictures):
    return pictures.mean(axis=3) if pictures.ndim == 4 else pictures


def _means(pictures):
    return uniform_filter(pictures, (1, 7, 7))


def _ssim(a, b):
    mean_a, mean_b = _means(a), _means(b)
    variance_a = _means(a * a) - mean_a**2
    variance_b = _means(b * b) - mean_b**2
    covariance = _means(a * b) - mean_a * mean_b
    light = (2 * mean_a * mean_b + 1e-4) / (mean_a**2 + mean_b**2 + 1e-4)
    texture = (2 * covariance + 9e-4) / (variance_a + variance_b + 9e-4)
    return (light * texture).mean(axis=(1, 2))
