"""Zoom blur of images."""

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.zoom_kernels import LANES, average_zooms
from skrobust.perturbations.images.device_filters import zoom_tensor
from skrobust.perturbations.images.published_perturbation import (
    PublishedPerturbation,
)
from skrobust.perturbations.images.published_zoom import enlarge_a_piece, piece_pairs
from skrobust.perturbations.images.separable_filter import (
    from_planes,
    to_planes,
    zoom_about_centre,
    zoom_pairs,
)
from skrobust.perturbations.strength import Strength

# Where the published ranges of zooms end. Rounding adds the end itself to those up to
# 1.06 and 1.11 in steps of .01.
_PUBLISHED_END = Strength(
    (1.07, 1.12, 1.16, 1.21, 1.26), (1.12, 1.16, 1.21, 1.26, 1.31), zero=1.0
)


class ZoomBlur(PublishedPerturbation):
    """Zoom blur of images, as by a camera that zooms in during the exposure.

    The mean of the image and of its zooms by 1, 1 + step, 1 + 2 step, ..., below
    ``zoom``, each bilinear. By default they are about the true centre, at
    (side - 1) / 2. The published code [1]_ cuts out whole pixels, enlarges the piece so
    that its border pixels stay border pixels, and trims it, each time rounding up and
    to the left: zooms by less than a pixel do nothing, and others are off-centre by up
    to a pixel. At two of its levels it also takes one zoom more than it names.
    ``published=True`` does that; at 32 pixels it harms more than the default
    (ResNet-20 on CIFAR pictures, mean accuracy at severities 1, 3 and 5: .68; published
    code .60, ``published=True`` .60).

    The last zoom enters with a weight that grows from 0 to 1 over .01, so that the
    strength is continuous.

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

    def _perturb_tensor(self, images, rng):
        step, counted = self._counted(images.movedim(1, -1))
        total, weights = images, 1.0
        for k, weight in counted:
            zoomed = images
            if k:
                pairs = [self._pairs(side, k, step) for side in images.shape[2:]]
                zoomed = zoom_tensor(images, pairs)
            total, weights = total + weight * zoomed, weights + weight
        return total / weights

    def _pairs(self, side, k, step):
        if not self.published:
            return zoom_pairs(side, _factor(k, step), "float64")
        return [a.T for a in piece_pairs(side, _published_factors(k, step))]

    def _batch_rows(self, size):
        # Whole groups of planes, of images that are not large.
        rows = super()._batch_rows(size)
        return max(rows // LANES * LANES, LANES // 3) if size <= 1 << 18 else rows

    def _perturb_images(self, images, rng):
        step, counted = self._counted(images)
        if not self.published:
            new = _mean_of_lines(images, images.dtype.type(1), step, counted)
            if new is not None:
                return new
        planes = to_planes(images)
        total, weights = planes.copy(), 1.0
        for k, weight in counted:
            zoomed = planes if k == 0 else self._zoomed(planes, k, step)
            total += weight * zoomed
            weights += weight
        return from_planes(total / weights)

    def _perturb_bytes(self, images, rng):
        if self.published:
            return None
        return _mean_of_lines(images, np.float32(255), *self._counted(images))

    def _counted(self, images):
        """Return the step of the zooms, and (number, weight) of those that count."""
        at = self._all_strengths(images)
        if self.published and self.zoom is None:
            at.zoom = _PUBLISHED_END.in_force(None, self.severity, images.shape[1:3])
        counted = []
        for k in range(int((at.zoom - 1) / at.step) + 2):
            factor = 1 + k * at.step
            weight = float(np.clip(round((at.zoom - factor) / 0.01, 9), 0, 1))
            if weight:
                counted.append((k, weight))
        return at.step, counted

    def _zoomed(self, planes, k, step):
        if not self.published:
            return zoom_about_centre(planes, _factor(k, step))
        return enlarge_a_piece(planes, _published_factors(k, step))


def _factor(k, step):
    return round(1 + k * step, 9)


def _published_factors(k, step):
    # Rounding errors of the published factors decide how large some pieces are.
    return ((1.0, 1 + k * ((1 + step) - 1)),)


def _mean_of_lines(images, top, step, counted):
    """Return the mean of zooms of shares of ``top``, or None to take the way of numpy.

    Of few planes it would work on many empty ones.
    """
    n, height, width, channels = images.shape
    kernel = compiled(average_zooms, images.size)
    if kernel is None or n * channels < LANES // 4 or not counted:
        return None
    zooms = [_factor(k, step) for k, _ in counted[1:]]
    even = len(zooms) + len(zooms) % 2
    sides, name = [], type(top).__name__
    for side in (height, width):
        index = np.zeros((even, 2, side), dtype=np.int64)
        share = np.zeros((even, 2, side), dtype=name)
        for z, zoom in enumerate(zooms):
            index[z], share[z] = zoom_pairs(side, zoom, name)
        sides += [index, share]
    beyond = np.zeros(even + 2, dtype=name)
    beyond[: len(counted)] = [weight for _, weight in counted]
    beyond[-1] = sum((weight for _, weight in counted), 1.0)
    out = np.empty(images.shape, dtype=images.dtype)
    kernel(np.ascontiguousarray(images), top, *sides, beyond, out)
    return out
