"""One script: its keyboards, its look-alikes and its doubles in other scripts."""

import unicodedata
from dataclasses import dataclass, field

# In widths of a key; a fourth row lies above the others.
_ROW_OFFSETS = (-0.5, 0.0, 0.25, 0.75)


def neighbours(rows):
    """Return the keys beside, above and below each key.

    Parameters
    ----------
    rows : sequence of str
        Three rows of keys, or four; a space stands for a key without a letter.

    Returns
    -------
    dict of str to str
        Neighbours of letters are letters and those of marks are marks. Capitals have
        capitals as neighbours.
    """
    offsets = _ROW_OFFSETS[-len(rows) :]
    place = {
        key: (i + offset, y)
        for y, (row, offset) in enumerate(zip(rows, offsets, strict=True))
        for i, key in enumerate(row)
        if key != " "
    }
    near = {}
    for key, (x, y) in place.items():
        found = "".join(
            other
            for other, (a, b) in place.items()
            if other != key
            and abs(b - y) + abs(a - x) < 2
            and abs(a - x) <= 1
            and is_mark(other) == is_mark(key)
        )
        near[key] = found
        capital = key.upper()
        if capital != key:  # two keys may have one capital, as both sigmas
            near[capital] = found.upper().replace(capital, "")
    return near


def is_mark(char):
    """Say whether a character is a mark, which belongs to the one before it."""
    return unicodedata.category(char)[0] == "M"


@dataclass(frozen=True)
class Script:
    """What errors do to one script; add a script as a file and a name in ``SCRIPTS``.

    Parameters
    ----------
    keyboards : tuple of tuples of str, default=()
        Rows of keys, as :func:`neighbours` takes them, of the usual keyboard. Others
        (with Shift, or of other languages) follow; a key counts where it occurs first.
    keys : tuple of str, default=()
        Characters that share a key, as on a telephone.
    confused : tuple of str, default=()
        Groups of characters that recognition takes for each other; a character may be
        in several.
    doubles : dict of str to str, default={}
        Characters or sequences of other code points with the same look.
    """

    keyboards: tuple = ()
    keys: tuple = ()
    confused: tuple = ()
    doubles: dict = field(default_factory=dict)

    def near_keys(self):
        """Return the neighbours of each key."""
        near = _others(self.keys)
        for rows in reversed(self.keyboards):
            near |= neighbours(rows)
        return near

    def look_alikes(self):
        """Return the characters for which each is taken."""
        return _others(self.confused)


def _others(groups):
    """Return the other characters of the groups that hold each, in order."""
    found = {}
    for group in groups:
        for char in group:
            known = found.get(char, "")
            found[char] = known + "".join(c for c in group if c not in char + known)
    return found
