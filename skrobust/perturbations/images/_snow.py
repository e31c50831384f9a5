"""Snow on images."""

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.snow_kernels import flakes_of_noise, whiten
from skrobust.perturbations.images._color import grey_of, grey_weights
from skrobust.perturbations.images._motion import smear
from skrobust.perturbations.images.published_perturbation import (
    PublishedPerturbation,
)
from skrobust.perturbations.images.published_zoom import enlarge_a_piece
from skrobust.perturbations.images.separable_filter import (
    from_planes,
    to_planes,
    zoom_images,
)
from skrobust.perturbations.strength import MOST_PIXELS, Strength


class Snow(PublishedPerturbation):
    """Snow: falling flakes over a whitened image.

    Normal noise is magnified about the centre; what stays below a threshold is
    dropped, the rest is smeared along a line drawn for each image between -135 and
    -45 degrees (downwards). The flakes and the same turned by half a turn are added to
    a mix of the image with a brighter, greyer one. Steps and tables are the published
    ones [1]_; they do not grow steadily in every parameter (severity 5 has coarser
    noise than 4), and between severities all are interpolated. Below severity 1 the
    noise shrinks and the whitening fades.

    By default the noise is magnified about the true centre. The published code enlarges
    a piece of whole pixels so that its border pixels stay border pixels, which gives
    other flakes at 32 pixels: ``published=True``.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. 1 where no other strength is given.
    mean, std : float, default=None
        Of the noise, in place of ``severity``, as is all that follows. What is left
        out has its value at severity 1.
    zoom : float of at least 1, default=None
        Magnification of the noise.
    threshold : float, default=None
        Noise below it gives no flake.
    radius, blur_std : float, default=None
        Half the length of the trails and their fading, in pixels.
    keep : float in [0, 1], default=None
        Share of the image that is not whitened.
    published : bool, default=False
        Whether to do what the published code does. The presets set it.
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
    >>> from skrobust.perturbations import Snow
    >>> images = np.full((1, 32, 32), 0.2)
    >>> snowy = Snow(3, random_state=0).perturb(None, images)
    >>> bool((snowy > images).all())
    True
    """

    _strengths = {
        "mean": Strength(
            (0.1, 0.1, 0.15, 0.25, 0.3), (0.1, 0.2, 0.55, 0.55, 0.55), low=None
        ),
        "std": Strength((0.2, 0.2, 0.3, 0.3, 0.3), (0.3,) * 5),
        "zoom": Strength(
            (1, 1, 1.75, 2.25, 1.25), (3, 2, 4, 4.5, 2.5), zero=1.0, low=1.0
        ),
        "threshold": Strength(
            (0.6, 0.5, 0.55, 0.6, 0.65), (0.5, 0.5, 0.9, 0.85, 0.85), zero=0.6, low=None
        ),
        "radius": Strength(
            (8, 10, 10, 12, 14), (10, 12, 12, 12, 12), zero=8.0, high=MOST_PIXELS
        ),
        "blur_std": Strength(
            (3, 4, 4, 6, 12), (4, 4, 8, 8, 12), zero=3.0, high=MOST_PIXELS
        ),
        "keep": Strength(
            (0.95, 0.9, 0.9, 0.85, 0.8), (0.8, 0.7, 0.7, 0.65, 0.55), zero=1.0, high=1.0
        ),
    }
    _strong_params = {"mean": 0.4}
    _grows_with_severity = False

    def _perturb_images(self, images, rng):
        at = self._all_strengths(images)
        flakes = self._flakes(images, at, rng, images.dtype)
        new = _whitened(images, images.dtype.type(1), at.keep, flakes)
        if new is not None:
            return new
        white = np.maximum(images, 1.5 * grey_of(images) + 0.5)
        out = at.keep * images + (1 - at.keep) * white
        return out + flakes + flakes[:, ::-1, ::-1]

    def _perturb_bytes(self, images, rng):
        if compiled(whiten, images.size) is None:
            return None
        at = self._all_strengths(images)
        flakes = self._flakes(images, at, rng, np.dtype(np.float32))
        return _whitened(images, np.float32(255), at.keep, flakes)

    def _flakes(self, images, at, rng, dtype):
        """Return the flakes of each image, of shape (n, height, width, 1)."""
        noise = rng.normal(size=(*images.shape[:3], 1)).astype(dtype)
        angles = rng.uniform(-135, -45, size=len(images))
        if self.published:
            zooms = tuple(
                (weight, level.zoom) for weight, level in self._levels(images)
            )
            noise = from_planes(enlarge_a_piece(to_planes(noise), zooms))
        else:
            noise = zoom_images(noise, at.zoom)
        kernel = compiled(flakes_of_noise, images.size)
        if kernel is None:
            flakes = at.mean + at.std * noise
            flakes = np.clip(np.where(flakes < at.threshold, 0, flakes), 0, 1)
            flakes = flakes.astype(dtype)
        else:
            flakes = np.ascontiguousarray(noise)
            law = (dtype.type(v) for v in (at.mean, at.std, at.threshold))
            kernel(flakes.reshape(-1), *law)
        return smear(flakes, angles, at.radius, at.blur_std)


def _whitened(images, top, keep, flakes):
    """Return shares of ``top`` with flakes, or None to take the way of numpy."""
    kernel = compiled(whiten, images.size)
    if kernel is None:
        return None
    n, number = len(images), type(top)
    weights = np.array(grey_weights(images.shape[3]), dtype=number)
    flat = np.ascontiguousarray(images).reshape(n, -1)
    out = np.empty_like(flat)
    share = number(keep), number(1 - keep)
    kernel(flat, top, weights, *share, flakes.reshape(n, -1), out)
    return out.reshape(images.shape)
