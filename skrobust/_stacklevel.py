"""Stack level of warnings: the line of the user, wherever they come from."""

import sys


def level_outside(packages=("skrobust",)):
    """Return the ``stacklevel`` of the first caller outside some packages.

    It is that of a :func:`warnings.warn` in the function that asks.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in packages:
            break
        frame, level = frame.f_back, level + 1
    return level
