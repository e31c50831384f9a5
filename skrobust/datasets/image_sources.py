"""Where images come from: files, or frames in files."""

from pathlib import Path

import numpy as np

from skrobust._validation import invalid


def check_sources(sources, caller):
    """Return a list of (path, frame or None), or raise."""
    rule = "a sequence of paths, or of (path, frame) pairs"
    if isinstance(sources, (str, bytes, Path)) or not hasattr(sources, "__len__"):
        raise invalid("sources", caller, rule, sources)
    found = []
    for source in sources:
        pair = source if isinstance(source, tuple) else (source, None)
        right = len(pair) == 2 and isinstance(pair[0], (str, Path))
        if not right or not isinstance(pair[1], (int, np.integer, type(None))):
            raise invalid("sources", caller, rule, source)
        found.append((str(pair[0]), None if pair[1] is None else int(pair[1])))
    return found
