"""Journals of which each line seals itself and all lines before it."""

import json

from skrobust._sealed.damage import Damaged
from skrobust._sealed.digests import bytes_digest

START = ""  # link before the first line
_OWN, _LINK = "digest", "link"


def chained(link, entry):
    """Return the line of an entry, with its end, and the link of the next one.

    Parameters
    ----------
    link : str
        Link of the line before, or ``START`` with whatever binds the journal to what it
        belongs to, such as an identifier.
    entry : dict of str to object
        Plain data without parts named "digest" and "link".

    Returns
    -------
    line : bytes
        JSON with ``"digest"``, that of the entry, and ``"link"``, the digest of the
        link before and of the entry's digest.
    link : str
        That link.
    """
    own = _digest(entry)
    link = _linked(link, own)
    return _line(entry, own, link) + b"\n", link


def read_chain(content, what, start=START):
    """Return the entries of a journal.

    Parameters
    ----------
    content : bytes
        All lines. The last one may be cut short, by a death while it was written; it
        is left out.
    what : str
        Name of the journal, for the message.
    start : str, default=START
        Link before the first line.

    Returns
    -------
    entries : list of dict
        Without their digests and links.
    links : list of str
        Link after each entry.
    whole : bytes
        The lines of these entries: what the file should hold.

    Raises
    ------
    Damaged
        With the number of the first line that is not what was written. Lines lost at
        the end are not seen: compare the last link with one known from elsewhere.
    """
    entries, links, link = [], [], start
    lines = _lines(content)
    for number, line in enumerate(lines, 1):
        entry = _entry(line)
        if entry is not None:
            own = _digest(entry)
            link = _linked(link, own)
        if entry is None or line != _line(entry, own, link):
            raise Damaged(f"Line {number} of {what} is damaged.")
        entries.append(entry)
        links.append(link)
    return entries, links, b"".join(line + b"\n" for line in lines)


def whole_lines(content):
    """Return the entries of a journal whose own digests hold, whatever their links.

    Parameters
    ----------
    content : bytes
        All lines, some of which may be damaged.

    Returns
    -------
    entries : list of dict
        Without their digests and links.
    bad : list of int
        Numbers of the other lines, counted from 1.
    """
    found = [_entry(line) for line in _lines(content)]
    bad = [number for number, entry in enumerate(found, 1) if entry is None]
    return [entry for entry in found if entry is not None], bad


def _lines(content):
    *lines, last = content.split(b"\n")
    if last and not _is_cut_short(last):
        lines.append(last)  # all but its end was written, or else it is damaged
    return lines


def _entry(line):
    """Return the entry of a line, or None where its digest does not hold."""
    try:
        entry = json.loads(line)
        own = entry.pop(_OWN)
        del entry[_LINK]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return entry if own == _digest(entry) else None


def _line(entry, own, link):
    return json.dumps({**entry, _OWN: own, _LINK: link}).encode()


def _digest(entry):
    return bytes_digest(json.dumps(entry).encode())


def _linked(link, own):
    return bytes_digest(f"{link}\n{own}".encode())


def _is_cut_short(line):
    """Return whether a line without an end is less than a whole entry."""
    try:
        json.JSONDecoder().raw_decode(line.decode("latin-1"))
    except ValueError:
        return True
    return False
