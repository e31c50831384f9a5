"""Inputs as people see them: text, columns and pictures."""

import base64
import io
import mimetypes
from dataclasses import dataclass, field
from pathlib import Path

from skrobust._containers import is_missing
from skrobust.cli.image_input import ENDINGS, open_image

_AS_IT_IS = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp")  # browsers show these


@dataclass(frozen=True)
class ShownInput:
    """Input as it is shown.

    Attributes
    ----------
    id : int
        Position in the pool.
    item : str
        Its name in the pool.
    predicted : str or None
        Predicted label; None where there is none or it is hidden.
    columns : dict of str to str
        Columns to show.
    picture : Path or None
        File of its picture.
    """

    id: int
    item: str
    predicted: str | None = None
    columns: dict = field(default_factory=dict)
    picture: Path | None = None

    @property
    def text(self):
        """The columns as one text; the name where there are none."""
        if len(self.columns) == 1:
            return next(iter(self.columns.values()))
        lines = [f"{name}: {value}" for name, value in self.columns.items()]
        return "\n".join(lines) or self.item


def show_input(i, pool, reader, show, *, blind=False):
    """Return an input as it is shown.

    Parameters
    ----------
    i : int
        Position in the pool.
    pool : Pool
        Pool of the input.
    reader : AnswerReader
        Knows the predictions.
    show : sequence of str
        Columns to show.
    blind : bool, default=False
        Whether to hide the prediction.
    """
    path = pool.path(i)
    is_picture = path is not None and path.suffix.lower() in ENDINGS
    return ShownInput(
        id=i,
        item=pool.items[i],
        predicted=None if reader.y_pred is None or blind else reader.predicted(i),
        columns={name: _as_text(pool.cell(name, i)) for name in show},
        picture=path if is_picture else None,
    )


def _as_text(cell):
    return "" if is_missing(cell) else str(cell)


def picture_bytes(path):
    """Return the media type and the bytes of a picture that a browser can show."""
    if path.suffix.lower() in _AS_IT_IS:
        return mimetypes.types_map[path.suffix.lower()], path.read_bytes()
    buffer = io.BytesIO()
    with open_image(path, is_single=False) as image:
        deep = image.mode.startswith(("I", "F"))
        (image if deep else image.convert("RGB")).save(buffer, "PNG")
    return "image/png", buffer.getvalue()


def picture_uri(path):
    """Return a picture as a data URI, which needs no file beside the list."""
    kind, content = picture_bytes(path)
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
