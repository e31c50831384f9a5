"""Thumbnails of the examples that draw nothing: the end of what they print."""

import re
import textwrap
from pathlib import Path

from matplotlib.figure import Figure

PRINTED = re.compile(
    r"rst-class:: sphx-glr-script-out\n\n \.\. code-block:: none\n\n"
    r"((?:(?:    .*)?\n)+)"
)
LINES, WIDTH = 8, 44


def printed_lines(page):
    """Return the last printed lines of the page of an example that draws nothing."""
    if "image-sg" in page:
        return []
    printed = "\n".join(
        textwrap.dedent(m[1]).strip("\n") for m in PRINTED.finditer(page)
    )
    lines = [line for line in printed.splitlines() if line.strip()]
    return [line[:WIDTH] for line in lines[-LINES:]]


def write_thumbs(app):
    """Draw the thumbnails, after the gallery ran and before its pages are read."""
    gallery = Path(app.srcdir) / "gallery"
    for page in sorted(gallery.glob("*.rst")):
        thumb = gallery / f"images/thumb/sphx_glr_{page.stem}_thumb.png"
        lines = printed_lines(page.read_text(encoding="utf-8"))
        if lines and thumb.exists():
            figure = Figure((4, 2.8), dpi=100)
            # a letter is 0.6 of its size wide, and 270 points fit in
            size = min(270 / (0.6 * max(map(len, lines))), 14)
            look = {"family": "monospace", "size": size, "va": "center", "ha": "center"}
            figure.text(0.5, 0.5, "\n".join(lines), linespacing=1.5, **look)
            figure.savefig(thumb)
