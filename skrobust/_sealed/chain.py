"""Journals of which each line seals all lines before it."""

import json

from skrobust._sealed.damage import Damaged
from skrobust._sealed.digests import bytes_digest

START = ""  # link before the first line
_LINK = "link"


def chained(link, entry):
    """Return the line of an entry, with its end, and the link of the next one.

    Parameters
    ----------
    link : str
        Link of the line before, or ``START`` with whatever binds the journal to what it
        belongs to, such as an identifier.
    entry : dict of str to object
        Plain data without a part named "link".

    Returns
    -------
    line : bytes
        JSON with ``"link"``, the digest of the link before and of the entry.
    link : str
        That digest.
    """
    link = _link(link, entry)
    return json.dumps({**entry, _LINK: link}).encode() + b"\n", link


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
        Without their links.
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
    *lines, last = content.split(b"\n")
    if last and not _is_cut_short(last):
        lines.append(last)  # all but its end was written, or else it is damaged
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            given = entry.pop(_LINK)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise _damaged(what, number) from None
        link = _link(link, entry)
        if given != link or line != json.dumps({**entry, _LINK: link}).encode():
            raise _damaged(what, number)
        entries.append(entry)
        links.append(link)
    return entries, links, b"".join(line + b"\n" for line in lines)


def _link(link, entry):
    return bytes_digest(f"{link}\n{json.dumps(entry)}".encode())


def _is_cut_short(line):
    """Return whether a line without an end is less than a whole entry."""
    try:
        json.JSONDecoder().raw_decode(line.decode("latin-1"))
    except ValueError:
        return True
    return False


def _damaged(what, number):
    return Damaged(f"Line {number} of {what} is damaged.")
