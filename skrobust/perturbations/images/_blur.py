"""Fixed blurs of images: Gaussian, defocus and zoom."""

import numpy as np

from skrobust.perturbations.images.device_images import filter_tensor
from skrobust.perturbations.images.disk_filter import blur_by_disk
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.images.separable_filter import (
    blur_images,
    from_planes,
    gaussian_kernel,
    to_planes,
    zoom_about_centre,
)
from skrobust.perturbations.strength import Strength


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

    def _perturb_tensor(self, images):
        return filter_tensor(
            images, gaussian_kernel(self._strength(images.movedim(1, -1)))
        )

    def _perturb_images(self, images, rng):
        return blur_images(images, self._strength(images))


class DefocusBlur(ImagePerturbation):
    """Defocus blur of images: the mean over a disk.

    Border pixels are repeated. The rim of the disk fades over a quarter of a pixel
    (our choice), so that the strength is continuous; at the tabulated severities the
    kernels are the published ones but for that rim.

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
        at = self._all_strengths(images)
        return blur_by_disk(images, at.radius, at.alias_std)


class ZoomBlur(ImagePerturbation):
    """Zoom blur of images, as by a camera that zooms in during the exposure.

    The mean of the image and of its zooms by 1, 1 + step, 1 + 2 step, ..., below
    ``zoom``, each bilinear and about the true centre, at (side - 1) / 2. The last zoom
    enters with a weight that grows from 0 to 1 over .01, so that the strength is
    continuous.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. 1 where no other strength is given.
    zoom : float of at least 1, default=None
        Upper end of the zoom factors, in place of ``severity``.
    step : float of at least .001, default=None
        Distance of the zoom factors, in place of ``severity``. Of the two, the one
        left out has its value at severity 1.
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
    >>> from skrobust.perturbations import ZoomBlur
    >>> image = np.zeros((1, 1, 5))
    >>> image[0, 0, 1] = 1
    >>> ZoomBlur(zoom=1.3, step=0.1).perturb(None, image).round(3)
    array([[[0.129, 0.936, 0.   , 0.   , 0.   ]]])
    """

    _strengths = {
        "zoom": Strength(
            (1.06, 1.11, 1.16, 1.21, 1.26),
            (1.11, 1.16, 1.21, 1.26, 1.31),
            zero=1.0,
            low=1.0,
        ),
        "step": Strength(
            (0.01,) * 5, (0.01, 0.01, 0.02, 0.02, 0.03), zero=0.01, low=0.001
        ),
    }
    _noise = "fixed"
    _strong_params = {"zoom": 1.5}

    def _perturb_images(self, images, rng):
        at = self._all_strengths(images)
        planes = to_planes(images)
        total, weights = planes.copy(), 1.0
        for k in range(int((at.zoom - 1) / at.step) + 2):
            factor = 1 + k * at.step
            weight = float(np.clip(round((at.zoom - factor) / 0.01, 9), 0, 1))
            if weight:
                factor = round(factor, 9)
                zoomed = planes if k == 0 else zoom_about_centre(planes, factor)
                total += weight * zoomed
                weights += weight
        return from_planes(total / weights)
