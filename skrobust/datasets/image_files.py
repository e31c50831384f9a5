"""Image files as arrays of red, green and blue bytes."""

from pathlib import Path

import numpy as np

from skrobust._optional import require
from skrobust._validation import invalid
from skrobust.datasets.cut_files import why_undecodable

IMAGE_SUFFIXES = {".bmp", ".jpeg", ".jpg", ".png", ".ppm", ".tif", ".tiff", ".webp"}
IMAGE_SUFFIXES |= {".apng", ".gif"}
# Decoders of other formats are never tried, whatever the name of a file says: each is
# code in C that reads what somebody else wrote.
FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")
_PAGED = {"GIF", "PNG", "TIFF", "WEBP"}  # which may hold an animation, or pages
_ORIENTATION = 0x0112  # the number of the tag


def pillow(caller):
    """Return Pillow's module of images, or say how to install it."""
    return require("PIL.Image", caller, extra="images")


def open_picture(source, caller):
    """Open an image of a known format: a path, or a binary file."""
    return pillow(caller).open(source, formats=FORMATS)


def check_resize(resize, caller):
    """Return (height, width) or None, or raise."""
    if resize is None:
        return None
    try:
        height, width = (int(side) for side in resize)
        exact = (height, width) == tuple(resize)
    except (TypeError, ValueError, OverflowError, np.ma.MaskError):
        exact = False
    if not exact or min(height, width) < 1:
        raise invalid("resize", caller, "None or (height, width) in pixels", resize)
    return height, width


def upright(image):
    """Return an image of Pillow, turned as its orientation tag (EXIF) says."""
    if image.getexif().get(_ORIENTATION, 1) == 1:
        return image
    ops = require("PIL.ImageOps", "An image", extra="images")
    turned = ops.exif_transpose(image)
    turned.format = image.format  # which a copy lacks
    return turned


def is_turned(image):
    """Return whether the tag of an image that is not decoded swaps its sides."""
    # Pillow turns TIFF files itself.
    return image.format != "TIFF" and image.getexif().get(_ORIENTATION, 1) in range(
        5, 9
    )


def n_pictures(path, caller):
    """Return how many pictures an image file holds, frames or pages; 1 where unknown.

    The small pictures that cameras put beside the large one in a JPEG do not count.
    """
    try:
        with open_picture(Path(path), caller) as image:
            return pictures_in(image)
    except (OSError, SyntaxError, EOFError):  # to be named when it is read
        return 1


def pictures_in(image):
    """Return how many pictures an opened image file holds."""
    return getattr(image, "n_frames", 1) if image.format in _PAGED else 1


def read_image(path, caller, *, convert=False, page=None):
    """Return the pixels of an image file.

    Parameters
    ----------
    path : str or path
        The file.
    caller : str
        Name of the public function or class, for error messages.
    convert : bool, default=False
        Whether grey images and those with transparency, a palette or other colours
        become red, green and blue; otherwise they raise.
    page : int, default=None
        Number of the picture, from 0, in a file of several; None: there must be one.

    Returns
    -------
    ndarray of shape (height, width, 3), uint8
        The pixels, turned upright.

    Raises
    ------
    ValueError
        For a file that is no image, is cut off, has other colours or several pictures;
        the message is the reason alone.
    """
    Image, header = pillow(caller), ""
    try:
        with open_picture(Path(path), caller) as image:
            height, width = image.size[::-1]
            header = f"a {image.format} of {height} x {width} pixels"
            return pixels_of(image, caller, convert=convert, page=page)
    except FileNotFoundError as error:
        raise ValueError("there is no such file") from error
    except Image.UnidentifiedImageError as error:
        if Path(path).stat().st_size == 0:
            raise ValueError("it is empty (0 bytes)") from error
        raise ValueError(f"it is no image ({', '.join(FORMATS)})") from error
    except (EOFError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(why_undecodable(path, error, header)) from error


def pixels_of(image, caller, *, convert=False, page=None):
    """Return the pixels of an opened image, as :func:`read_image` does."""
    _turn_to(image, page, convert)
    image.load()
    image = upright(image)
    if image.mode != "RGB":
        image = _as_rgb(pillow(caller), image, convert)
    return np.array(image, dtype=np.uint8)


def _turn_to(image, page, convert):
    n = pictures_in(image)
    if page is None and n > 1:
        is_palette = image.format == "GIF" and not convert
        raise ValueError(
            f"it holds {n} pictures, an animation or pages; pass (path, number) for "
            "one of them, or pages='all' or pages='first' for those of a folder"
            + (", with convert=True, as their colours are a palette" * is_palette)
        )
    if page is not None and not 0 <= page < n:
        raise ValueError(f"it holds {n} pictures, no number {page}")
    if page:
        image.seek(page)


def _as_rgb(Image, image, convert):
    if image.mode in ("I;16", "I;16B", "I;16L", "I", "F"):
        raise ValueError(f"its pixels are {image.mode}, more than 8 bits each")
    names = {"L": "grey", "1": "black and white", "RGBA": "transparency (RGBA)"}
    if not convert:
        raise ValueError(
            f"its colours are {names.get(image.mode, image.mode)}, not RGB; pass "
            "convert=True to convert such images"
        )
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        ground = Image.new("RGBA", image.size, (0, 0, 0, 255))
        image = Image.alpha_composite(ground, image)
    return image.convert("RGB")
