"""Fixed blurs of images: Gaussian and defocus."""

from skrobust.perturbations.images.device_filters import (
    correlate_tensor,
    filter_tensor,
)
from skrobust.perturbations.images.disk_filter import blur_by_disk, disk_kernel
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.images.published_disk import (
    blur_by_published_disk,
    mixed_kernel,
)
from skrobust.perturbations.images.published_perturbation import (
    PublishedPerturbation,
)
from skrobust.perturbations.images.separable_filter import (
    blur_bytes,
    blur_images,
    gaussian_kernel,
)
from skrobust.perturbations.strength import MOST_PIXELS, Strength


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

    _strengths = {
        "std": Strength((0.4, 0.6, 0.7, 0.8, 1.0), (1, 2, 3, 4, 6), high=MOST_PIXELS)
    }
    _noise = "fixed"
    _strong_params = {"std": 1.5}

    def _perturb_tensor(self, images, rng):
        return filter_tensor(
            images, gaussian_kernel(self._strength(images.movedim(1, -1)))
        )

    def _perturb_images(self, images, rng):
        return blur_images(images, self._strength(images))

    def _perturb_bytes(self, images, rng):
        return blur_bytes(images, self._strength(images))


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
        "radius": Strength(
            (0.3, 0.4, 0.5, 1.0, 1.5), (3, 4, 6, 8, 10), high=MOST_PIXELS
        ),
        "alias_std": Strength(
            (0.4, 0.5, 0.6, 0.2, 0.1), (0.1, 0.5, 0.5, 0.5, 0.5), high=MOST_PIXELS
        ),
    }
    _noise = "fixed"
    _strong_params = {"radius": 2}
    _grows_with_severity = False

    def _disks(self, images):
        """Return weight, radius and smoothing of each published disk."""
        return tuple((w, at.radius, at.alias_std) for w, at in self._levels(images))

    def _perturb_tensor(self, images, rng):
        seen = images.movedim(1, -1)
        if self.published:
            return correlate_tensor(images, mixed_kernel(self._disks(seen)), "reflect")
        at = self._all_strengths(seen)
        return correlate_tensor(images, disk_kernel(at.radius, at.alias_std), "edge")

    def _perturb_images(self, images, rng):
        if self.published:
            return blur_by_published_disk(images, self._disks(images))
        at = self._all_strengths(images)
        return blur_by_disk(images, at.radius, at.alias_std)
