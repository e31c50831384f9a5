"""Photographs of frost that a user supplies, and pieces cut from them."""

import os
from functools import lru_cache
from pathlib import Path

import numpy as np

from skrobust._array_checks import number_array
from skrobust._containers import is_value, refuse_unordered
from skrobust._optional import require
from skrobust._validation import invalid

_SUFFIXES = {".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"}
_FORMATS = ("BMP", "JPEG", "PNG", "TIFF", "WEBP")  # no other decoder is tried
_RULE = (
    "None, a folder with pictures, or a sequence of arrays of shape (height, width) or "
    "(height, width, 3), uint8 or floats in [0, 1]"
)


def picture_files(folder, name, caller):
    """Return the files of the pictures in a folder, in the order of their names.

    Parameters
    ----------
    folder : str or Path
        The folder.
    name, caller : str
        Names of the parameter and of the public function or class, for messages.
    """
    folder = Path(folder)
    try:
        found = folder.is_dir()
    except (OSError, ValueError):  # a name that no folder can have
        found = False
    if not found:
        raise invalid(name, caller, _RULE, str(folder))
    files = sorted(p for p in folder.iterdir() if p.suffix.lower() in _SUFFIXES)
    if not files:
        raise ValueError(f"{caller} found no pictures in the folder {str(folder)!r}.")
    return files


def read_pictures(pictures, caller, name="pictures"):
    """Return the pictures as float32 arrays (height, width, 3) in [0, 1].

    Parameters
    ----------
    pictures : str, Path or sequence of ndarray
        A folder, of which all pictures are read in the order of their names, or the
        pictures.
    caller, name : str
        Names of the public function or class and of its parameter, for messages.
    """
    if isinstance(pictures, (str, os.PathLike)):
        files = picture_files(pictures, name, caller)
        pillow = require("PIL.Image", caller, extra="images")
        return tuple(
            _read(str(p.resolve()), p.stat().st_mtime_ns, pillow) for p in files
        )
    if isinstance(pictures, np.ndarray) and pictures.ndim < 4:
        one_grey_each = pictures.ndim == 3 and pictures.shape[2] != 3
        if not one_grey_each:  # a single picture is no list of its rows
            raise invalid(name, caller, _RULE, f"an array of {pictures.shape}")
    refuse_unordered(pictures, name, caller)
    found = ()
    if hasattr(pictures, "__iter__") and not is_value(pictures):
        found = tuple(number_array(picture, name, caller) for picture in pictures)
    if not found:
        raise invalid(name, caller, _RULE, pictures)
    return tuple(_checked(picture, caller, name) for picture in found)


def check_pictures(pictures, caller, name):
    """Raise for what are no pictures; files are not opened.

    Parameters
    ----------
    pictures, caller, name
        As for :func:`read_pictures`.
    """
    if isinstance(pictures, (str, os.PathLike)):
        picture_files(pictures, name, caller)
    else:
        read_pictures(pictures, caller, name)


@lru_cache(maxsize=32)
def _read(path, _changed, pillow):
    with pillow.open(path, formats=_FORMATS) as image:
        return np.asarray(image.convert("RGB"), dtype=np.float32) / 255


def _checked(picture, caller, name):
    colour = picture.ndim == 2 or (picture.ndim == 3 and picture.shape[2] == 3)
    if not colour or picture.dtype.kind not in "uif" or picture.size == 0:
        shown = f"an array of shape {picture.shape} and dtype {picture.dtype}"
        raise invalid(name, caller, _RULE, shown)
    if picture.dtype == np.uint8:
        picture = picture / np.float32(255)
    elif not (picture.min() >= 0 and picture.max() <= 1):
        shown = f"{picture.dtype} values in [{picture.min():g}, {picture.max():g}]"
        raise invalid(name, caller, _RULE, shown)
    if picture.ndim == 2:
        picture = np.repeat(picture[..., None], 3, axis=2)
    return picture.astype(np.float32, copy=False)


def cut_pieces(pictures, height, width, scale, rng, n):
    """Return a drawn piece of a drawn picture for each of n images.

    Parameters
    ----------
    pictures : sequence of ndarray of shape (height, width, 3)
        Pictures.
    height, width : int
        Of the pieces.
    scale : float
        By what the pictures are made smaller first, bilinearly and without smoothing,
        as OpenCV does. One that would be too small is made just large enough.
    rng : keyed generator
        With one row per image.
    n : int
        Number of images.

    Returns
    -------
    ndarray of shape (n, height, width, 3)
        The pieces.
    """
    drawn = rng.random(size=(n, 3))
    which = np.floor(drawn[:, 0] * len(pictures)).astype(int)
    out = np.empty((n, height, width, 3), dtype=np.float32)
    for k in np.unique(which):
        picture = _resized(pictures[k], height, width, scale)
        starts = np.maximum(np.array(picture.shape[:2]) - (height, width), 1)
        for i in np.flatnonzero(which == k):
            top, left = np.floor(drawn[i, 1:] * starts).astype(int)
            out[i] = picture[top : top + height, left : left + width]
    return out


def _resized(picture, height, width, scale):
    scale = max(scale, height / picture.shape[0], width / picture.shape[1])
    if scale == 1:
        return picture
    for axis, least in ((0, height), (1, width)):
        side = picture.shape[axis]
        new = max(int(np.rint(scale * side)), least)
        place = np.clip((np.arange(new) + 0.5) / scale - 0.5, 0, side - 1)
        first = np.floor(place).astype(int)
        share = (place - first).astype(np.float32)
        share = share[:, None, None] if axis == 0 else share[:, None]
        here = np.take(picture, first, axis=axis)
        beside = np.take(picture, np.minimum(first + 1, side - 1), axis=axis)
        picture = here + share * (beside - here)
    return picture
