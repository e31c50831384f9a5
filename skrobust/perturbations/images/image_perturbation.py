"""Base class of image perturbations: layouts, data ranges and batches."""

from abc import abstractmethod

import numpy as np

from skrobust._containers import on_device
from skrobust._guarded_rows import refuses_read_only
from skrobust._validation import as_float, invalid, is_integer
from skrobust.base import BasePerturbation
from skrobust.base.row_kind import (
    column_without_numbers,
    describe_rows,
    shape_or_none,
)
from skrobust.perturbations.images.byte_pixels import (
    as_bytes,
    as_units,
    through_table,
)
from skrobust.perturbations.images.device_images import perturb_on_device

_DTYPE_RANGES = {"uint8": (0.0, 255.0), "uint16": (0.0, 65535.0)}
_CHANNEL_COUNTS = (1, 2, 3, 4)
_BATCH = 1 << 19  # numbers in a batch: 2 MB as float32


def _kind(dtype):
    """Return what two arrays of pixels must have in common: floats of any width do."""
    return dtype.name if dtype.name in _DTYPE_RANGES else dtype.kind


def split_image_shape(image_shape, n_features, caller):
    """Return ``image_shape`` as a tuple of ints; one -1 stands for what is left."""
    try:
        shape = tuple(int(side) for side in image_shape)
    except (TypeError, ValueError):
        shape = ()
    rule = "a tuple (height, width), with channels first or last where there are any"
    if len(shape) not in (2, 3) or any(s < 1 and s != -1 for s in shape):
        raise invalid("image_shape", caller, rule, image_shape)
    if shape.count(-1) == 1:
        known = -int(np.prod(shape))
        shape = tuple(n_features // known if s == -1 else s for s in shape)
    if int(np.prod(shape)) != n_features:
        raise ValueError(
            f"The 'image_shape' parameter of {caller} must hold as many pixels as a "
            f"row has features. Got {tuple(image_shape)} for rows of {n_features} "
            "features."
        )
    return shape


def find_channel_axis(image_shape, channel_axis, caller):
    """Return 0 or 2 for the axis of the channels in a 3-D image shape.

    A shape that could be read both ways needs ``channel_axis``.
    """
    if channel_axis is not None:
        places = {0: 0, 1: 0, -1: 2, 2: 2, 3: 2}
        axis = places.get(channel_axis) if is_integer(channel_axis) else None
        if axis is None:
            rule = "1 (first) or -1 (last)"
            raise invalid("channel_axis", caller, rule, channel_axis)
        return axis
    candidates = [axis for axis in (0, 2) if image_shape[axis] in _CHANNEL_COUNTS]
    if len(candidates) != 1:
        raise ValueError(
            f"{caller} cannot tell the channels of images of shape {image_shape}; pass "
            "channel_axis=1 (channels first) or channel_axis=-1 (channels last)."
        )
    return candidates[0]


class ImagePerturbation(BasePerturbation):
    """Base class of image perturbations.

    A subclass writes ``_perturb_images(images, rng)``. It gets images of shape
    (n, height, width, channels), float, with 0 for the low and 1 for the high end of
    the data range, and returns the same shape; results outside [0, 1] are clipped.
    The images are read-only and come in batches of about 2 MB; ``rng`` draws for the
    rows of the batch, so no result may depend on what else is in it.

    A subclass may also write ``_perturb_bytes(images, rng)``, a faster way for raw
    uint8 pixels: from images of shape (n, height, width, channels), read-only, to new
    ones, or None to go the usual way. It must give what the usual way gives. Changes of
    pixel values alone get it from :class:`PointPerturbation`.

    The base accepts (n, height, width), (n, height, width, channels),
    (n, channels, height, width), and flat rows with ``image_shape``. Pixels that the
    perturbation left alone keep their exact values; integer images are rounded, then
    clipped, and stay integers.

    Data range: ``"auto"`` is that of the dtype for uint8 and uint16. Float images are
    taken to lie in [0, 1]; where they do not, ``fit`` learns the range of the training
    data, or ``data_range=(low, high)`` states it. Test values outside a learned range
    are kept: the range is widened for their image alone.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength, for a subclass with ``_strengths``; 0 changes nothing.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import ImagePerturbation
    >>> class Darken(ImagePerturbation):
    ...     def __init__(self, share=0.5, *, image_shape=None, channel_axis=None,
    ...                  data_range="auto", random_state=None):
    ...         self.share, self.image_shape = share, image_shape
    ...         self.channel_axis, self.data_range = channel_axis, data_range
    ...         self.random_state = random_state
    ...     def _perturb_images(self, images, rng):
    ...         return images * (1 - self.share)
    >>> Darken().perturb(None, np.full((1, 2, 2), 200, dtype=np.uint8)).tolist()
    [[[100, 100], [100, 100]]]
    """

    _takes = "images"
    # Whether flat rows need ``image_shape``; noise that knows no neighbours does not.
    _needs_geometry = True
    # Whether ``_perturb_bytes`` changes its images where they are, which then are more
    # at a time, as no floats lie beside them; it returns None to go the usual way.
    _in_place = False
    _changes_rows = False
    _takes_device = True
    # What turns tensors on a device into new ones, where a kind has it: as
    # ``_perturb_images``, but of shape (n, channels, height, width). ``rng`` draws
    # tensors, too; None leaves the rows to the host.
    _perturb_tensor = None

    def __init__(
        self,
        severity=None,
        *,
        image_shape=None,
        channel_axis=None,
        data_range="auto",
        random_state=None,
    ):
        self.severity = severity
        self.image_shape = image_shape
        self.channel_axis = channel_axis
        self.data_range = data_range
        self.random_state = random_state

    @classmethod
    def _get_test_params(cls):
        return [{"image_shape": (1, -1), **params} for params in cls._test_params]

    def _perturb_container(self, X, key):
        if on_device(X):
            new = perturb_on_device(self, X, key)
            if new is not None:
                return new
        return super()._perturb_container(X, key)

    def _refusal(self, X):
        shape, what = shape_or_none(X), describe_rows(X)
        other = None
        if shape is not None and len(shape) == 2:
            other = column_without_numbers(X)
        if shape is None or len(shape) == 1 or other is not None:
            where = "" if other is None else f", of which {other} holds no numbers"
            return f"it takes images, and X is {what}{where}"
        needs_shape = self._needs_geometry or self._severity_needs_side()
        is_flat = len(shape) == 2 and self.image_shape is None
        if is_flat and needs_shape and self._severity() != 0:  # 0 changes nothing
            cure = "flat images need image_shape=(height, width), and tables tabular()"
            return f"it takes images, and X is {what}; {cure}"
        return None

    def _learn(self, values):
        self._layout(values)
        self.data_range_, self.range_is_learned_ = self._find_range(values, True)
        self.kind_ = _kind(values.dtype)

    def _find_range(self, values, learn):
        caller = type(self).__name__
        if values.dtype.kind == "b":  # most changes of values would be rounded away
            raise ValueError(
                f"{caller} takes images of numbers. Got bool; convert them with "
                ".astype(float), where False is 0 and True is 1."
            )
        given = self.data_range
        if isinstance(given, str):
            if given != "auto":
                raise invalid(
                    "data_range", caller, "'auto' or a pair (low, high)", given
                )
            if values.dtype.name in _DTYPE_RANGES:
                return _DTYPE_RANGES[values.dtype.name], False
            low, high = float(values.min()), float(values.max())
            # Scalers overshoot their range in the last digit.
            if values.dtype.kind == "f" and low >= -1e-6 and high <= 1 + 1e-6:
                return (0.0, 1.0), False
            if not learn:
                raise ValueError(
                    f"{caller} found {values.dtype} values in [{low:g}, {high:g}] and "
                    "knows no data range for them. Fit it on training data, or pass "
                    "data_range=(low, high)."
                )
            return (low, high if high > low else low + 1.0), True
        try:
            low, high = (as_float(bound) for bound in given)
        except (TypeError, ValueError):
            low = high = np.nan
        if not (np.isfinite([low, high]).all() and low < high):
            rule = "'auto' or a pair (low, high) with low < high"
            raise invalid("data_range", caller, rule, given)
        return (low, high), False

    def _range_of(self, values):
        if hasattr(self, "data_range_") and self.data_range == "auto":
            (low, high), learned = self.data_range_, self.range_is_learned_
            if _kind(values.dtype) != self.kind_:
                raise ValueError(
                    f"{type(self).__name__} was fitted on other pixels: the training "
                    f"images had kind {self.kind_!r}, these have dtype {values.dtype}. "
                    "Convert them alike, or pass data_range."
                )
        else:
            (low, high), learned = self._find_range(values, False)
        if learned:
            axes = tuple(range(1, values.ndim))
            row_low = values.min(axis=axes, keepdims=True)
            row_high = values.max(axis=axes, keepdims=True)
            return low, high, np.minimum(low, row_low), np.maximum(high, row_high)
        if values.dtype == np.uint8 and low <= 0 and high >= 255:
            return low, high, low, high  # without a look at each of them
        slack = 1e-6 * (high - low)
        if values.min() < low - slack or values.max() > high + slack:
            raise ValueError(
                f"{type(self).__name__} found values in [{values.min():g}, "
                f"{values.max():g}], outside its data range [{low:g}, {high:g}]. Pass "
                "the data_range of the raw images."
            )
        return low, high, low, high

    def _layout(self, values):
        """Return the 4-D shape of the images and the axis of their channels (or None).

        The first is the shape in the layout that came in; an axis of 1 then moves last.
        """
        caller = type(self).__name__
        n, shape = len(values), values.shape[1:]
        if len(shape) not in (1, 2, 3):
            raise ValueError(
                f"{caller} takes images of shape (n, height, width), channels first "
                f"or last, or flat rows. Got an array of shape {values.shape}."
            )
        if self.image_shape is not None:
            wanted = split_image_shape(self.image_shape, int(np.prod(shape)), caller)
            if len(shape) > 1 and wanted != shape:
                raise ValueError(
                    f"The 'image_shape' parameter of {caller} is {wanted}, but the "
                    f"images have shape {shape}."
                )
            shape = wanted
        elif len(shape) == 1:
            if self._needs_geometry:
                raise ValueError(
                    f"{caller} needs image_shape to read rows of {shape[0]} features "
                    "as images; pass image_shape=(height, width)."
                )
            return (n, 1, *shape, 1), 3
        if len(shape) == 2:
            return (n, *shape, 1), 3
        return (n, *shape), 1 + find_channel_axis(shape, self.channel_axis, caller)

    def _perturb(self, X, rng):
        if X.ndim == 2 and self.image_shape is None:
            self._check_side()
        low, high, floor, ceiling = self._range_of(X)
        shape, axis = self._layout(X)
        is_bytes = X.dtype == np.uint8 and (low, high) == _DTYPE_RANGES["uint8"]
        table = self._table_of_bytes() if is_bytes else None
        out = np.empty(X.shape, dtype=X.dtype)
        in_place = is_bytes and self._in_place
        step = self._batch_rows(-(-X[0].size // 4) if in_place else X[0].size)
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            old, new, draws = X[rows], out[rows], rng
            if step < len(X):
                draws = rng.take(rows)
            if table is not None:
                through_table(old, table, out=new)
                continue
            if is_bytes and not in_place:
                seen = self._seen(old, shape, axis)
                seen.flags.writeable = False
                made = self._perturb_bytes(seen, draws)
                if made is None:
                    made = as_bytes(self._perturbed(as_units(seen), draws))
                self._seen(new, shape, axis)[...] = made
                continue
            new[...] = old
            images = self._seen(new, shape, axis)
            if is_bytes:
                made = self._perturb_bytes(images, draws)
                if made is None:
                    made = as_bytes(self._perturbed(as_units(images), draws))
                if made is not images:
                    images[...] = made
                continue
            bounds = [b[rows] if np.ndim(b) else b for b in (floor, ceiling)]
            self._perturb_floats(new, images, axis, draws, low, high, bounds)
        return out

    @staticmethod
    def _seen(part, shape, axis):
        """Return a view of rows as images with channels last."""
        return np.moveaxis(part.reshape(-1, *shape[1:]), axis, -1)

    def _perturbed(self, unit, rng):
        """Return what ``_perturb_images`` makes of images in [0, 1], checked."""
        unit.flags.writeable = False
        try:
            out = np.asarray(self._perturb_images(unit, rng))
        except ValueError as error:
            if not refuses_read_only(error):
                raise
            # Code of others that works in place.
            out = np.asarray(self._perturb_images(unit.copy(), rng))
        if out.shape != unit.shape:
            raise ValueError(
                f"{type(self).__name__}._perturb_images must keep the shape "
                f"{unit.shape}; it returned {out.shape}."
            )
        return out

    def _batch_rows(self, size):
        """Return the number of images of this size in one batch."""
        return max(1, _BATCH // size)

    def _perturb_floats(self, part, images, axis, rng, low, high, bounds):
        """Change the rows ``part`` of X, seen as ``images``, by way of [0, 1]."""
        wide = part.dtype.itemsize > 4
        dtype = np.float64 if wide else np.float32  # half precision is too coarse
        if wide and part.dtype.kind == "f":
            dtype = part.dtype.type  # without the byte order of a file
        unit = np.subtract(images, low, dtype=dtype, casting="unsafe")
        unit /= high - low
        out = self._perturbed(unit, rng)
        changed = np.moveaxis(out != unit, -1, axis).reshape(part.shape)
        with np.errstate(over="ignore"):  # infinity is clipped as any other number
            new = out * (high - low) + low
        new = np.moveaxis(new, -1, axis).reshape(part.shape)
        floor, ceiling = bounds
        if part.dtype.kind != "f":
            np.rint(new, out=new)
            # A range beyond the type must not wrap round.
            limits = np.iinfo(part.dtype)
            floor = np.maximum(floor, limits.min)
            ceiling = np.minimum(ceiling, limits.max)
        np.clip(new, floor, ceiling, out=new)
        np.copyto(part, new, where=changed, casting="unsafe")

    def _table_of_bytes(self):
        """Return the new byte of each byte, where this alone says what changes."""
        return None

    def _perturb_bytes(self, images, rng):
        """Return new uint8 pixels, or None to take the usual way."""
        return None

    def _severity_needs_side(self):
        levels = self._strengths.values()
        by_side = not levels or any(level.large for level in levels)
        return by_side and not self._needs_geometry and self._severity() is not None

    def _check_side(self):
        if self._severity_needs_side():
            raise ValueError(
                f"{type(self).__name__} needs image_shape to turn a severity into "
                "a strength, since that depends on the side of the image; pass "
                "image_shape=(height, width), or physical parameters."
            )

    @abstractmethod
    def _perturb_images(self, images, rng):
        """Return perturbed images of shape (n, height, width, channels)."""
