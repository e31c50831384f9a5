"""Stack level of warnings: the line of the user, wherever they come from."""

import sys


def level_outside():
    """Return the ``stacklevel`` of the first caller outside the package.

    It is that of a :func:`warnings.warn` in the function that asks.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] != "skrobust":
            break
        frame, level = frame.f_back, level + 1
    return level
