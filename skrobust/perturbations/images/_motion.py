"""Motion blur of images."""

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.filter_kernels import sum_of_shifts
from skrobust._parameters import Number
from skrobust.perturbations.images.device_filters import gather_tensor
from skrobust.perturbations.images.published_perturbation import (
    PublishedPerturbation,
)
from skrobust.perturbations.strength import MOST_PIXELS, Strength


def trails(angles, radius, std):
    """Return the pixels that a new one is made of.

    Parameters
    ----------
    angles, radius, std : ndarray of shape (n,) and float
        As for :func:`smear`.

    Returns
    -------
    weight : ndarray of shape (taps,)
        Weights of the pixels, which sum to 1.
    downs, rights : ndarray of int of shape (n, taps)
        Where they are, seen from the new pixel.
    """
    length = 2 * radius + 1
    step = np.arange(int(np.ceil(length)))
    # The last pixel counts in part, so that the length is continuous.
    weight = np.exp(-0.5 * (step / max(std, 1e-9)) ** 2) * np.clip(length - step, 0, 1)
    weight = weight[weight > 1e-4]
    turn = np.deg2rad(np.asarray(angles, dtype=np.float64))[:, None]
    step = np.arange(len(weight))
    downs = np.rint(step * np.sin(turn)).astype(int)
    rights = -np.rint(step * np.cos(turn)).astype(int)
    return weight / weight.sum(), downs, rights


def smear(images, angles, radius, std):
    """Draw every pixel out along a line, with weights that fall like half a Gaussian.

    Parameters
    ----------
    images : ndarray of shape (n, height, width, channels)
        Images.
    angles : ndarray of shape (n,)
        Degrees, counter-clockwise; 0 leaves trails to the right, -90 downwards.
    radius, std : float
        The line has 2 radius + 1 pixels; weights have this standard deviation.

    Returns
    -------
    ndarray of the shape and dtype of images
        The new images.
    """
    weight, downs, rights = trails(angles, radius, std)
    weight, reach = weight.astype(images.dtype), len(weight) - 1
    if reach == 0:
        return images
    height, width = images.shape[1:3]
    out = np.empty(images.shape, dtype=images.dtype)
    kernel = compiled(sum_of_shifts, images.size)
    if kernel is not None:
        images = np.ascontiguousarray(images)
        lines, flat = (a.reshape(*a.shape[:2], -1) for a in (images, out))
        kernel(lines, images.shape[3], downs, rights, weight, flat)
        return out
    padding = ((0, 0), (reach, reach), (reach, reach), (0, 0))
    padded = np.pad(images, padding, mode="edge")
    tops, lefts = reach + downs, reach + rights
    part = np.empty(images.shape[1:], dtype=images.dtype)
    for image, new, top, left in zip(padded, out, tops, lefts, strict=True):
        np.multiply(
            image[reach : reach + height, reach : reach + width], weight[0], new
        )
        for w, t, b in zip(weight[1:], top[1:], left[1:], strict=True):
            np.multiply(image[t : t + height, b : b + width], w, out=part)
            new += part
    return out


class MotionBlur(PublishedPerturbation):
    """Motion blur of images, as by a camera that moves in a straight line.

    Every pixel leaves a one-sided trail of 2 radius + 1 pixels, rounded to whole
    pixels, whose weights fall like half a Gaussian. Border pixels are repeated. Trails
    lead to the right, in the published files [1]_ to the left.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. 1 where no other strength is given.
    radius : float, default=None
        Half the length of the trail in pixels, in place of ``severity``.
    std : float, default=None
        Standard deviation of the weights in pixels, in place of ``severity``. Of the
        two, the one left out has its value at severity 1.
    angle : float, default=None
        Direction of the trail in degrees, counter-clockwise; 0 is to the right. None
        draws it for each image between -45 and 45.
    published : bool, default=False
        Whether drawn directions are mirrored, as in the published files. The presets
        set it.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same draws for the same rows.

    References
    ----------
    .. [1] D. Hendrycks and T. Dietterich, "Benchmarking Neural Network Robustness to
       Common Corruptions and Perturbations", ICLR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import MotionBlur
    >>> image = np.zeros((1, 1, 6))
    >>> image[0, 0, 1] = 1
    >>> MotionBlur(radius=1, std=1, angle=0).perturb(None, image).round(3)
    array([[[0.   , 0.574, 0.348, 0.078, 0.   , 0.   ]]])
    """

    _strengths = {
        "radius": Strength((6, 6, 6, 8, 9), (10, 15, 15, 15, 20), high=MOST_PIXELS),
        "std": Strength((1, 1.5, 2, 2, 2.5), (3, 5, 8, 12, 15), high=MOST_PIXELS),
    }
    _parameter_rules = {"angle": Number(optional=True)}
    _strong_params = {"radius": 4, "std": 3}

    def __init__(self, severity=None, *, radius=None, std=None, angle=None, **shared):
        super().__init__(severity, **shared)
        self.radius = radius
        self.std = std
        self.angle = angle

    def _angles(self, images, rng):
        if self.angle is None:
            angles = rng.uniform(-45, 45, size=len(images))
            if self.published:
                angles = 180 - angles
        else:
            angles = np.full(len(images), float(self.angle))
        return angles

    def _perturb_tensor(self, images, rng):
        seen, (height, width) = images.movedim(1, -1), images.shape[2:]
        at = self._all_strengths(seen)
        weight, *steps = trails(self._angles(seen, rng), at.radius, at.std)
        new = 0
        for w, down, right in zip(weight, *(step.T for step in steps), strict=True):
            rows = np.clip(down[:, None] + np.arange(height), 0, height - 1)
            columns = np.clip(right[:, None] + np.arange(width), 0, width - 1)
            new = new + float(w) * gather_tensor(images, rows, columns)
        return new

    def _perturb_images(self, images, rng):
        at = self._all_strengths(images)
        return smear(images, self._angles(images, rng), at.radius, at.std)
