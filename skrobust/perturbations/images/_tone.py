"""Tone changes of images: gamma, quantization and channel shift."""

import numpy as np

from skrobust._parameters import Choice
from skrobust.perturbations.images.byte_pixels import as_bytes, through_tables
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.images.point_perturbation import PointPerturbation
from skrobust.perturbations.strength import Strength


class Gamma(PointPerturbation):
    r"""Gamma correction of images.

    .. math:: x' = x^\gamma

    on the unit scale of the data range; black and white stay.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        An exponent of .9, .8, .7, .6 or .5 at severities 1 to 5 (brighter), or its
        inverse (darker); levels are our choice. 0 changes nothing. 1 where ``gamma``
        is not given either.
    gamma : float, default=None
        The exponent itself, in place of ``severity``: below 1 is brighter, above 1
        darker.
    direction : {"brighter", "darker"}, default="brighter"
        Which way a severity goes; ``gamma`` is taken as it is.
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
    >>> from skrobust.perturbations import Gamma
    >>> Gamma(gamma=0.5).perturb(None, np.array([[[0.0, 0.25, 1.0]]])).tolist()
    [[[0.0, 0.5, 1.0]]]
    """

    _strengths = {"gamma": Strength((0.9, 0.8, 0.7, 0.6, 0.5), zero=1.0, low_open=True)}
    _parameter_rules = {"direction": Choice("brighter", "darker")}
    _noise = "fixed"
    _strong_params = {"gamma": 0.5}

    def __init__(self, severity=None, *, gamma=None, direction="brighter", **shared):
        super().__init__(severity, **shared)
        self.gamma = gamma
        self.direction = direction

    def _exponent(self):
        gamma = self._strength()
        return 1 / gamma if self.gamma is None and self.direction == "darker" else gamma

    def _perturb_tensor(self, images, rng):
        inside = (images >= 0) & (images <= 1)
        return (images.clamp(0, 1) ** self._exponent()).where(inside, images)

    def _point(self, values, known):
        # Values beyond a learned range have no power and stay as they are.
        inside = (values >= 0) & (values <= 1)
        return np.where(inside, np.clip(values, 0, 1) ** self._exponent(), values)


class Quantization(PointPerturbation):
    """Quantization of pixel values to fewer bits.

    With b bits there are 2^b evenly spaced levels, of which the first and the last are
    the ends of the data range. A severity stands for the step between levels: that of
    6, 5, 4, 3 and 2 bits at severities 1 to 5, interpolated linearly (and from 0 at
    severity 0), then rounded so that a whole number of steps fits into the range.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        As above; levels are our choice. 0 changes nothing. 1 where ``bits`` is not
        given either.
    bits : float in [1, 24], default=None
        Number of bits, in place of ``severity``.
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
    >>> from skrobust.perturbations import Quantization
    >>> image = np.array([[[0, 100, 180, 255]]], dtype=np.uint8)
    >>> Quantization(bits=2).perturb(None, image).tolist()
    [[[0, 85, 170, 255]]]
    """

    _strengths = {
        "bits": Strength(
            (6, 5, 4, 3, 2),
            zero=np.inf,
            low=1.0,
            high=24.0,
            measure=lambda bits: 1 / (2.0**bits - 1),
        )
    }
    _noise = "fixed"
    _strong_params = {"bits": 2}

    def _n_steps(self):
        return max(float(np.rint(1 / self._strength())), 1.0)

    def _perturb_tensor(self, images, rng):
        return (images * self._n_steps()).round() / self._n_steps()

    def _point(self, values, known):
        return np.rint(values * self._n_steps()) / self._n_steps()


class ChannelShift(ImagePerturbation):
    """Random shift of each colour channel, upwards or downwards.

    The direction is drawn for each channel of each image.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        A shift of 2, 5, 10, 15 or 20 % of the data range at severities 1 to 5; levels
        are our choice. 0 changes nothing. 1 where ``shift`` is not given either.
    shift : float in [0, 1], default=None
        The shift as a share of the data range, in place of ``severity``.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same draws for the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import ChannelShift
    >>> images = np.full((50, 8, 8, 3), 0.5)
    >>> shifted = ChannelShift(shift=0.1, random_state=0).perturb(None, images)
    >>> np.unique(shifted.round(6)).tolist()
    [0.4, 0.6]
    """

    _strengths = {"shift": Strength((0.02, 0.05, 0.1, 0.15, 0.2), high=1.0)}
    _strong_params = {"shift": 0.31}
    _in_place = True

    def _shifts(self, images, rng):
        shift = self._strength(images)
        up = rng.random((len(images), images.shape[3])) < 0.5
        return np.where(up, shift, -shift)

    def _perturb_tensor(self, images, rng):
        shifts = self._shifts(images.movedim(1, -1), rng)
        return images + images.new_tensor(shifts)[:, :, None, None]

    def _perturb_images(self, images, rng):
        return images + self._shifts(images, rng)[:, None, None, :].astype(images.dtype)

    def _perturb_bytes(self, images, rng):
        shifts = self._shifts(images, rng)[..., None].astype(np.float32)
        tables = np.arange(256, dtype=np.float32) / 255 + shifts
        through_tables(images, as_bytes(tables))
        return images
