"""Fixed blurs of images: Gaussian and defocus."""

from functools import lru_cache

import numpy as np
from scipy.ndimage import correlate1d

from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.images.published_perturbation import (
    PublishedPerturbation,
)
from skrobust.perturbations.images.separable_filter import (
    blur_images,
    filter_columns,
    filter_rows,
    from_planes,
    gaussian_kernel,
    kernel_bands,
    to_planes,
)
from skrobust.perturbations.strength import Strength

_RIM = 0.25  # pixels over which the edge of the defocus disk fades out


class GaussianBlur(ImagePerturbation):
    """Gaussian blur of images.

    The kernel reaches out to 4 standard deviations and the border pixels are
    repeated, as in ``scipy.ndimage.gaussian_filter(mode="nearest")``.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. 1 where ``std`` is not given either.
    std : float, default=None
        Standard deviation in pixels, in place of ``severity``.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : None
        Unused, as nothing is drawn; present for a common interface.

    References
    ----------
    .. [1] D. Hendrycks and T. Dietterich, "Benchmarking Neural Network Robustness to
       Common Corruptions and Perturbations", ICLR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import GaussianBlur
    >>> image = np.zeros((1, 5, 5))
    >>> image[0, 2, 2] = 1
    >>> GaussianBlur(std=0.5).perturb(None, image)[0, 2].round(3)
    array([0.   , 0.084, 0.619, 0.084, 0.   ])
    """

    _strengths = {"std": Strength((0.4, 0.6, 0.7, 0.8, 1.0), (1, 2, 3, 4, 6))}
    _noise = "fixed"
    _strong_params = {"std": 1.5}

    def _perturb_images(self, images, rng):
        return blur_images(images, self._strength(images))


def defocus_kernel(radius, alias_std):
    """Return the square kernel of a lens out of focus: a disk, slightly smoothed.

    Pixels whose centres lie within ``radius`` count fully, as published; those up to a
    quarter of a pixel further out count in part, so that the kernel grows
    continuously.
    """
    reach = int(np.ceil(radius + _RIM))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    disk = np.clip(1 - (np.hypot(y, x) - radius) / _RIM, 0, 1)
    smooth = gaussian_kernel(alias_std)
    side = len(disk) + len(smooth) - 1
    spread = sum(w * np.eye(side, len(disk), -k) for k, w in enumerate(smooth))
    return spread @ (disk / disk.sum()) @ spread.T


def published_defocus_kernel(radius, alias_std):
    """Return the square kernel of the published code: a hard disk, hardly smoothed."""
    reach = 8 if radius <= 8 else int(np.ceil(radius))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    disk = (y * y + x * x <= radius * radius).astype(np.float64)
    taps = 1 if radius <= 8 else 2
    smooth = np.exp(-0.5 * (np.arange(-taps, taps + 1) / max(alias_std, 1e-9)) ** 2)
    for axis in (0, 1):
        disk = correlate1d(disk, smooth / smooth.sum(), axis=axis, mode="mirror")
    return disk / (y * y + x * x <= radius * radius).sum()


def _mixed_kernel(levels):
    """Return the sum of published kernels ``(weight, radius, alias_std)``."""
    kernels = [(w, published_defocus_kernel(r, s)) for w, r, s in levels]
    side = max(len(kernel) for _, kernel in kernels)
    rims = [(side - len(kernel)) // 2 for _, kernel in kernels]
    parts = zip(kernels, rims, strict=True)
    return sum(weight * np.pad(kernel, rim) for (weight, kernel), rim in parts)


@lru_cache(maxsize=8)
def _defocus_bands(levels, published, height, width, dtype):
    # The kernel is symmetric: a sum of products of its eigenvectors, each of which is
    # a blur along the rows and one along the columns.
    kernel = _mixed_kernel(levels) if published else defocus_kernel(*levels)
    value, vector = np.linalg.eigh(kernel)
    return [
        (
            kernel_bands(height, value[k] * vector[:, k], dtype),
            kernel_bands(width, vector[:, k], dtype),
        )
        for k in np.flatnonzero(np.abs(value) > 1e-9 * np.abs(value).max())
    ]


class DefocusBlur(PublishedPerturbation):
    """Defocus blur of images: the mean over a disk.

    Border pixels are repeated. The rim of the disk fades over a quarter of a pixel
    (our choice), so that the strength is continuous. The published disks have no such
    rim, their smoothing is cut off after one pixel (two beyond a radius of 8), and
    images are mirrored at the border: ``published=True``, which mixes the kernels of
    the two nearest levels between severities.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. 1 where no other strength is given.
    radius : float, default=None
        Radius of the disk in pixels, in place of ``severity``.
    alias_std : float, default=None
        Standard deviation, in pixels, of the Gaussian that smooths the disk, in place
        of ``severity``. Of the two, the one left out has its value at severity 1.
    published : bool, default=False
        Whether to do what the published code does. The presets set it.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : None
        Unused, as nothing is drawn; present for a common interface.

    References
    ----------
    .. [1] D. Hendrycks and T. Dietterich, "Benchmarking Neural Network Robustness to
       Common Corruptions and Perturbations", ICLR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import DefocusBlur
    >>> image = np.zeros((1, 5, 5))
    >>> image[0, 2, 2] = 1
    >>> DefocusBlur(radius=1, alias_std=0).perturb(None, image)[0, 1:4, 1:4].round(3)
    array([[0. , 0.2, 0. ],
           [0.2, 0.2, 0.2],
           [0. , 0.2, 0. ]])
    """

    _strengths = {
        "radius": Strength((0.3, 0.4, 0.5, 1.0, 1.5), (3, 4, 6, 8, 10)),
        "alias_std": Strength((0.4, 0.5, 0.6, 0.2, 0.1), (0.1, 0.5, 0.5, 0.5, 0.5)),
    }
    _noise = "fixed"
    _strong_params = {"radius": 2}
    _grows_with_severity = False

    def _perturb_images(self, images, rng):
        planes = to_planes(images)
        dtype = planes.dtype.name
        if self.published:
            levels = tuple(
                (weight, at.radius, at.alias_std) for weight, at in self._levels(images)
            )
            reach = max(8, *(int(np.ceil(radius)) for _, radius, _ in levels))
            rim = ((0, 0), (0, 0), (reach, reach), (reach, reach))
            planes = np.pad(planes, rim, mode="reflect")
        else:
            at = self._all_strengths(images)
            levels = at.radius, at.alias_std
        shape = planes.shape[2:]
        out = np.zeros_like(planes)
        for rows, columns in _defocus_bands(levels, self.published, *shape, dtype):
            out += filter_columns(filter_rows(planes, rows), columns)
        if self.published:
            out = out[:, :, reach:-reach, reach:-reach]
        return from_planes(out)
