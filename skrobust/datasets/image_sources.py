"""Sources of images: image files, or frames of video files."""

from pathlib import Path

import numpy as np

from skrobust._validation import invalid
from skrobust.datasets.image_files import read_image
from skrobust.datasets.video_files import read_frames


def check_sources(sources, caller):
    """Return a list of (path, frame or None), or raise."""
    rule = "a sequence of paths, or of (path, frame) pairs"
    if isinstance(sources, (str, bytes, Path)) or not hasattr(sources, "__len__"):
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
    """Yield (frame, pixels) of an image file, or of some frames of a video file."""
    try:
        if None in frames:
            pairs = [(None, read_image(path, caller, convert=options.convert))]
        else:
            pairs = read_frames(path, sorted(frames), caller)
        for frame, image in pairs:
            yield frame, options.finish(image, caller)
    except ValueError as error:
        raise ValueError(f"{caller} cannot read {path!r}: {error}.") from error
