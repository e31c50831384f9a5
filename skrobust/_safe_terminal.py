"""Text on a terminal, in which nothing that was read steers it.

Names of files, types, columns and labels may hold sequences that clear the screen, set
the clipboard, make links or turn the direction of text. They are shown as escapes in
Python's notation, by one stream around standard output and standard error, so that no
command has to think of it.
"""

import contextlib
import sys
import unicodedata

# Joiners are parts of words in several scripts, and move nothing.
_JOINERS = "\u200c\u200d"
# Controls, formats (with those of direction), line separators, and halves of pairs, as
# in names of files that are no UTF-8.
_UNSAFE = {"Cc", "Cf", "Zl", "Zp", "Cs"}


def printable(text, keep=""):
    """Return text with all that steers a terminal as escapes.

    Parameters
    ----------
    text : object
        Any text; other objects are turned into text.
    keep : str, default=""
        Characters to leave as they are; without them the result is one line.

    Returns
    -------
    str
        The text; where nothing is unsafe, that which was given.
    """
    text = str(text)
    if text.isprintable():
        return text
    return "".join(c if c in keep or _is_safe(c) else _escape(c) for c in text)


def _is_safe(char):
    return char in _JOINERS or unicodedata.category(char) not in _UNSAFE


def _escape(char):
    return char.encode("unicode_escape").decode("ascii")


class SafeStream:
    """Text stream that passes printable text on to the stream beneath.

    Lines and tabs stay. What the package itself sends to steer the terminal, as a
    progress bar does, is written to the stream beneath; see :func:`stream_of_bars`.

    Parameters
    ----------
    beneath : text stream
        Where the text goes.
    """

    def __init__(self, beneath):
        self.beneath = beneath

    def write(self, text):
        """Write text, and return the number of its characters."""
        if not isinstance(text, str):
            raise TypeError(f"write() takes str, not {type(text).__name__}")
        shown = printable(text, keep="\n\t")
        try:
            self.beneath.write(shown)
        except UnicodeEncodeError:  # the terminal has not all characters
            name = self.beneath.encoding
            self.beneath.write(shown.encode(name, "backslashreplace").decode(name))
        return len(text)

    def writelines(self, lines):
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name):
        # Bytes would go around the stream.
        if name in ("buffer", "beneath"):
            raise AttributeError(name)
        return getattr(self.beneath, name)


@contextlib.contextmanager
def safe_terminal():
    """Context in which all text of this process reaches the terminal printable."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        stream
        if stream is None or isinstance(stream, SafeStream)
        else SafeStream(stream)
        for stream in streams
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def stream_of_bars():
    """Return the stream of progress bars, which move the cursor: standard error."""
    return getattr(sys.stderr, "beneath", sys.stderr)
