"""Sources of images: image files, their pages, or frames of video files."""

from pathlib import Path

import numpy as np

from skrobust._containers import is_value
from skrobust._validation import invalid
from skrobust.datasets.image_files import IMAGE_SUFFIXES, read_image
from skrobust.datasets.video_files import read_frames


def check_sources(sources, caller):
    """Return a list of (path, frame or None), or raise."""
    rule = "a sequence of paths, or of (path, frame) pairs"
    is_one = isinstance(sources, (str, bytes, Path)) or is_value(sources)
    if is_one or not hasattr(sources, "__len__"):
        raise invalid("sources", caller, rule, sources)
    found = []
    for source in sources:
        pair = source if isinstance(source, tuple) else (source, None)
        fits = len(pair) == 2 and isinstance(pair[0], (str, Path))
        if not fits or not isinstance(pair[1], (int, np.integer, type(None))):
            raise invalid("sources", caller, rule, source)
        found.append((str(pair[0]), None if pair[1] is None else int(pair[1])))
    return found


def read_source(path, frames, options, caller):
    """Yield (frame, pixels) of an image file, of its pages, or of frames of a video."""
    try:
        if None in frames or Path(path).suffix.lower() in IMAGE_SUFFIXES:
            how = {"convert": options.convert}
            pages = sorted(frames, key=lambda page: -1 if page is None else page)
            pairs = (
                (page, read_image(path, caller, page=page, **how)) for page in pages
            )
        else:
            pairs = read_frames(path, sorted(frames), caller)
        for frame, image in pairs:
            yield frame, options.finish(image, caller)
    except ValueError as error:
        raise ValueError(f"{caller} cannot read {path!r}: {error}.") from error
