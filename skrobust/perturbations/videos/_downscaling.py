"""Downscaling of images: fewer pixels, and back to the old number."""

import numpy as np

from skrobust._optional import require
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.strength import Strength


class Downscaling(ImagePerturbation):
    """Downscaling of images and back, by smooth filters, as sites do it.

    Each image is made smaller, to max(1, round(share side)) pixels a side, and larger
    again, both by Pillow's bicubic filter, which averages over what a small pixel
    covers. (:class:`Pixelate` averages and repeats blocks instead.) Each channel is
    scaled for itself, in single precision. Needs Pillow.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength; the shares at severities 1 to 5 are 0.75, 0.6, 0.5, 0.35 and 0.25, our
        choice. 0 changes nothing. 1 where ``share`` is not given either.
    share : float in (0, 1], default=None
        Side of the small image over that of the image, in place of ``severity``.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : None
        Unused, as nothing is drawn; present for a common interface.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Downscaling
    >>> stripes = np.tile([0, 255], (1, 16, 8)).astype(np.uint8)
    >>> bool(np.ptp(Downscaling(share=0.25).perturb(None, stripes)) < 100)
    True
    """

    _strengths = {
        "share": Strength(
            (0.75, 0.6, 0.5, 0.35, 0.25), zero=1.0, low=0.0, high=1.0, low_open=True
        ),
    }
    _noise = "fixed"
    _strong_params = {"share": 0.25}

    def _perturb_images(self, images, rng):
        pillow = require("PIL.Image", "Downscaling", extra="images")
        height, width = images.shape[1:3]
        share, method = self._strength(images), pillow.Resampling.BICUBIC
        small = tuple(max(1, round(share * side)) for side in (width, height))
        out = np.empty_like(images)
        if small == (width, height):
            return images
        for image, new in zip(images, out, strict=True):
            for k in range(images.shape[3]):
                plane = pillow.fromarray(image[..., k].astype(np.float32))
                plane = plane.resize(small, method).resize((width, height), method)
                new[..., k] = np.asarray(plane)
        return out
