"""Folders of images, as a model takes them."""

import contextlib

import numpy as np

from skrobust._folder_links import FolderLinks, is_linked_folder
from skrobust._optional import require
from skrobust._responses import is_net, unwrap
from skrobust.cli.exit_codes import UserError, as_user_error
from skrobust.datasets.image_files import FORMATS, pictures_in, upright

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp")
LAYOUTS = ("flat", "hwc", "chw")
N_AT_ONCE = 256


def has_images(folder):
    """Return whether there are images in a folder or below it."""
    return bool(_images(folder, _visible(folder)))


def list_images(folder):
    """Return the images in a folder and below it, sorted by their relative paths.

    Parameters
    ----------
    folder : path
        Names that begin with a dot are left out.

    Returns
    -------
    list of Path
        Relative to the folder.
    """
    seen = _visible(folder)
    found = _images(folder, seen)
    if not found:
        raise UserError(
            f"The folder {str(folder)!r} holds no images ({', '.join(ENDINGS)})."
        )
    links = FolderLinks(folder, "A folder of images")
    met = [folder / name for name in seen if is_linked_folder(folder / name)]
    path, reason = links.first_refused([*met, *(folder / name for name in found)])
    if reason is not None:
        name = path.relative_to(folder).as_posix()
        raise UserError(
            f"{name!r} in {str(folder)!r} is not read: "
            f"{reason}; copy the file, or take the link away."
        )
    return sorted(found, key=lambda name: name.as_posix())


def _visible(folder):
    names = [path.relative_to(folder) for path in folder.rglob("*")]
    return [n for n in names if not any(part.startswith(".") for part in n.parts)]


def _images(folder, names):
    return [n for n in names if n.suffix.lower() in ENDINGS and (folder / n).is_file()]


def image_batches(folder, names, model, *, grey=False, data_range=None, layout=None):
    """Yield the images of a folder, some hundreds at a time, as a model takes them.

    Parameters
    ----------
    folder : path
        Folder of the images.
    names : list of Path
        Relative to it.
    model : fitted estimator
        Its ``n_features_in_`` tells whether it takes flat rows.
    grey : bool, default=False
        Whether to turn colours into grey.
    data_range : (float, float), default=None
        Values of black and white; None leaves the stored numbers.
    layout : {"flat", "hwc", "chw"}, default=None
        None: flat rows where the model takes as many features as an image has values,
        channels first for nets, and channels last otherwise.

    Yields
    ------
    ndarray of float32
        Of shape (n, n_values), (n, height, width[, channels]) or (n, channels,
        height, width).
    """
    shape = first = None
    for start in range(0, len(names), N_AT_ONCE):
        batch = []
        for name in names[start : start + N_AT_ONCE]:
            image = _read(folder / name, grey, data_range)
            if shape is None:
                shape, first = image.shape, name
                layout = layout or _layout_of(model, image.size)
            if image.shape != shape:
                cure = "" if image.ndim == len(shape) else " (--grey makes all grey)"
                raise UserError(
                    f"The images must be of one shape{cure}: {first.as_posix()!r} is "
                    f"{_size(shape)}, {name.as_posix()!r} is {_size(image.shape)}."
                )
            batch.append(image)
        yield _laid_out(np.stack(batch), layout)


@contextlib.contextmanager
def open_image(path, *, is_single=True):
    """Open an image with Pillow, upright; what goes wrong is one sentence.

    A file of several pictures is refused if it must be a single one, or else its first
    is opened.
    """
    pillow = require("PIL.Image", "A folder of images", extra="images")
    text = f"The image {str(path)!r} could not be read"
    kinds = (OSError, ValueError, SyntaxError)  # the last: a broken PNG
    with as_user_error(text, kinds), pillow.open(path, formats=FORMATS) as image:
        if is_single and (n := pictures_in(image)) > 1:
            raise ValueError(
                f"it holds {n} pictures, an animation or pages; save each as a file"
            )
        image.load()
        yield upright(image)


def _read(path, grey, data_range):
    with open_image(path) as image:
        deep = image.mode.startswith("I")  # 16 or 32 bits of grey
        if not deep:
            image = image.convert("L" if grey or image.mode in "1L" else "RGB")
        values = np.asarray(image).astype(np.float32)
    if data_range is not None:
        low, high = data_range
        values = low + values * np.float32((high - low) / (65535 if deep else 255))
    return values


def _layout_of(model, n_values):
    if getattr(model, "n_features_in_", None) == n_values:
        return "flat"
    steps, last = unwrap(model)
    return "chw" if is_net(last) and not steps else "hwc"


def _laid_out(images, layout):
    if layout == "flat":
        return images.reshape(len(images), -1)
    if layout == "hwc":
        return images
    return images[:, None] if images.ndim == 3 else images.transpose(0, 3, 1, 2)


def _size(shape):
    return " x ".join(map(str, shape))
