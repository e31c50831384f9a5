"""Array of images that are read from disk on demand."""

import copy
from collections import OrderedDict, defaultdict

import numpy as np

from skrobust._containers import to_array
from skrobust._validation import check_choice, check_count, check_flag, check_number
from skrobust.datasets.image_options import ImageOptions
from skrobust.datasets.image_sources import check_sources, read_source
from skrobust.datasets.row_positions import row_positions

_CALLER = "LazyImages"


class LazyImages:
    """Array of images of shape (n, height, width, 3) that are read on demand.

    Integers, slices, arrays of positions and masks give numpy arrays, and read those
    images alone. ``numpy.asarray`` reads all of them. It works where scikit-learn takes
    an array (``train_test_split``, ``cross_validate``) and as the input of skorch nets,
    which read one batch at a time.

    Parameters
    ----------
    sources : sequence of str, path, or (path, frame) pairs
        Image files, or a video file and the number of a frame in it (from 0), or an
        animation or a file of pages and the number of a picture in it.
    resize : (int, int) or None, default=None
        (height, width) in pixels, by Pillow's bicubic filter; None: all images must
        have one size.
    crop : callable, "face" or None, default=None
        Applied to each image of shape (height, width, 3) before ``resize``, which it
        needs; "face" is ``FaceCrop()``.
    convert : bool, default=False
        Whether grey images are repeated over the three colours, and transparent ones
        laid on black; otherwise such an image raises.
    dtype : {"uint8", "float32"}, default="uint8"
        Values from 0 to 255, or the same divided by 255.
    channels_first : bool, default=False
        Whether the images have shape (3, height, width), as nets of torch want it.
    cache_size : int, default=0
        Number of images that are kept in memory after reading, the last used ones.
    memory_limit : float or None, default=4e9
        Bytes that one indexing may take; a larger one raises before anything is read.

    Attributes
    ----------
    shape : tuple of int
        Shape of the whole.
    dtype, ndim, size, nbytes : dtype and int
        Those of the array that ``numpy.asarray`` makes.

    Raises
    ------
    ValueError
        For parameters that are none of these, no source at all, and, when it reads, a
        file that cannot be decoded or has another size.
    MemoryError
        For more bytes at once than ``memory_limit``.

    Notes
    -----
    Perturbations and attacks work on arrays, and so read all rows they are given: pass
    ``images[rows]``, or go over :meth:`batches`.
    :func:`~skrobust.evaluation.evaluate_perturbations` and
    :func:`~skrobust.evaluation.evaluate_attack` read one batch at a time.
    Images and frames are turned upright as cameras and phones note in their files.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> from PIL import Image
    >>> from skrobust.datasets import LazyImages
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> paths = [folder / f"{i}.png" for i in range(4)]
    >>> for i, path in enumerate(paths):
    ...     Image.fromarray(np.full((6, 5, 3), i, dtype=np.uint8)).save(path)
    >>> images = LazyImages(paths)
    >>> images.shape, images[1:3].shape, images[[3, 0]].max(axis=(1, 2, 3)).tolist()
    ((4, 6, 5, 3), (2, 6, 5, 3), [3, 0])
    """

    def __init__(
        self,
        sources,
        *,
        resize=None,
        crop=None,
        convert=False,
        dtype="uint8",
        channels_first=False,
        cache_size=0,
        memory_limit=4e9,
    ):
        self.sources = check_sources(sources, _CALLER)
        self.options = ImageOptions.checked(
            _CALLER, resize=resize, crop=crop, convert=convert
        )
        try:
            found = str(np.dtype(dtype))
        except (TypeError, ValueError):  # of numpy, for what is no type
            found = dtype
        check_choice(found, "dtype", _CALLER, ("uint8", "float32"))
        check_flag(channels_first, "channels_first", _CALLER)
        if not self.sources:
            raise ValueError(f"{_CALLER} needs at least one image; got none.")
        self.dtype = np.dtype(dtype)
        self.channels_first = channels_first
        self.cache_size = check_count(cache_size, "cache_size", _CALLER, low=0)
        if memory_limit is not None:
            memory_limit = check_number(
                memory_limit, "memory_limit", _CALLER, low=0, low_open=True
            )
        self.memory_limit = memory_limit
        self._as_views = False
        self._kept = OrderedDict()
        self._size = self.options.resize or self._read([0])[0].shape[:2]

    @property
    def shape(self):
        """Shape of the whole."""
        height, width = self._size
        one = (3, height, width) if self.channels_first else (height, width, 3)
        return (len(self.sources), *one)

    @property
    def ndim(self):
        """Number of axes, always 4."""
        return 4

    @property
    def size(self):
        """Number of values of the whole."""
        return int(np.prod(self.shape))

    @property
    def nbytes(self):
        """Bytes that the whole would take in memory."""
        return self.size * self.dtype.itemsize

    def __len__(self):
        return len(self.sources)

    def __repr__(self):
        return f"LazyImages(shape={self.shape}, dtype={self.dtype})"

    def __getstate__(self):
        return self.__dict__ | {"_kept": OrderedDict()}

    def __iter__(self):
        for i in range(len(self)):
            yield self[i]

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError(
                f"{_CALLER} are read from disk; there is no array to view."
            )
        out = self._load(np.arange(len(self)))
        return out if dtype is None else out.astype(dtype, copy=False)

    def __getitem__(self, key):
        key, *rest = (key or (slice(None),)) if isinstance(key, tuple) else (key,)
        if key is Ellipsis:
            key, rest = slice(None), [Ellipsis, *rest]
        rows = np.arange(len(self))[self._positions(key)]
        if rows.ndim > 1:
            raise IndexError(
                f"{_CALLER} takes positions of one axis. Got {rows.shape}."
            )
        if rows.ndim == 0:
            return self._load(rows[None])[(0, *rest)]
        if self._as_views and not any(part is not Ellipsis for part in rest):
            return self.take(rows)
        out = self._load(rows)
        if not rest:
            return out
        # Positions pair with those on other axes, as numpy has it; a slice does not.
        return out[
            (slice(None) if isinstance(key, slice) else np.arange(len(out)), *rest)
        ]

    def _positions(self, key):
        if isinstance(key, (slice, int, np.integer)) and not isinstance(key, bool):
            return key
        key = to_array(key, "the index", _CALLER)
        if key.size == 0 and key.dtype.kind == "f":
            return key.astype(np.intp)
        if key.dtype.kind not in "biu":
            raise IndexError(
                f"{_CALLER} takes integers, slices, arrays of positions or masks. Got "
                f"an index of dtype {key.dtype}."
            )
        return key

    def take(self, rows, axis=0):
        """Return some of the images, not yet read.

        Parameters
        ----------
        rows : int, slice, or array-like of int or bool
            Positions, or a mask.
        axis : int, default=0
            Only 0.

        Returns
        -------
        LazyImages
            With the same options.

        Raises
        ------
        ValueError
            For what is none of these, and for rows that there are not.
        """
        check_choice(axis, "axis", f"{_CALLER}.take", (0,))
        out = copy.copy(self)
        chosen = row_positions(rows, len(self), f"{_CALLER}.take")
        out.sources = [self.sources[i] for i in chosen]
        out._kept = OrderedDict()
        return out

    def as_views(self):
        """Return the same images, whose slices are not read either.

        For scikit-learn's splitters: ``cross_validate(net, images.as_views(), y)``
        hands ``LazyImages`` to each fold instead of an array.

        Returns
        -------
        LazyImages
            Where slices, arrays of positions and masks give ``LazyImages`` again.
        """
        out = self.take(slice(None))
        out._as_views = True
        return out

    def batches(self, size=64):
        """Iterate over the images in batches.

        Parameters
        ----------
        size : int, default=64
            Images in a batch.

        Yields
        ------
        rows : slice
            Which images these are.
        images : ndarray of shape (n, height, width, 3)
            Their pixels.
        """
        size = check_count(size, "size", f"{_CALLER}.batches")
        for start in range(0, len(self), size):
            rows = slice(start, min(start + size, len(self)))
            yield rows, self._load(np.arange(rows.start, rows.stop))

    def _load(self, rows):
        need = len(rows) * (self.nbytes // max(len(self), 1))
        if self.memory_limit is not None and need > self.memory_limit:
            raise MemoryError(
                f"{_CALLER} would take {need / 1e9:.1f} GB for {len(rows)} images at "
                f"once, above memory_limit={self.memory_limit:g}. Index fewer, go over "
                "batches(), choose a smaller resize, or raise the limit."
            )
        out = np.empty((len(rows), *self._size, 3), dtype=self.dtype)
        for place, image in self._read(rows).items():
            if image.shape[:2] != self._size:
                path = self.sources[rows[place]][0]
                raise ValueError(
                    f"{_CALLER} found {path!r} of size {image.shape[:2]} among images "
                    f"of size {self._size}; pass resize=(height, width)."
                )
            out[place] = image
        if self.dtype == np.float32:
            out /= np.float32(255)
        return np.moveaxis(out, -1, 1).copy() if self.channels_first else out

    def _read(self, rows):
        """Return the images at some rows, by their place in ``rows``."""
        found, wanted = {}, defaultdict(lambda: defaultdict(list))
        for place, row in enumerate(rows):
            source = self.sources[row]
            if source in self._kept:
                self._kept.move_to_end(source)
                found[place] = self._kept[source]
            else:
                path, frame = source
                wanted[path][frame].append(place)
        for path, places in wanted.items():
            for frame, image in read_source(path, set(places), self.options, _CALLER):
                found |= dict.fromkeys(places[frame], image)
                self._keep((path, frame), image)
        return found

    def _keep(self, source, image):
        if self.cache_size:
            self._kept[source] = image
            if len(self._kept) > self.cache_size:
                self._kept.popitem(last=False)
