"""Reports of the tests of this folder: equal pictures are drawn once."""

import io
import pickle

import pytest

from skrobust.report import _html
from skrobust.report.core import pictures

DRAWN, PICTURE = {}, pictures.picture
NAMES = ("draw_pictures", "draw_curves", "draw_comparison")


def key_of(*values):
    """Return bytes that are equal where all values, types and orders are."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer)
    pickler.fast = True  # two equal strings need not be one object
    pickler.dump(values)
    return buffer.getvalue()


def without_doubts(value):
    """Leave out the doubts of models, which are words and not drawn."""
    if isinstance(value, list):
        return [without_doubts(part) for part in value]
    return {k: v for k, v in value.items() if k != "doubts"}


def drawn_once(name):
    draw = getattr(pictures, name)

    def remembered(first, *more):
        if pictures.picture is not PICTURE:
            return draw(first, *more)
        key = key_of(name, pictures.SVG_LIMIT, without_doubts(first), more)
        if key not in DRAWN:
            DRAWN[key] = draw(first, *more)
        return DRAWN[key]

    return remembered


@pytest.fixture(scope="module", autouse=True)
def _remembered_pictures():
    with pytest.MonkeyPatch.context() as patch:
        for name in NAMES:
            patch.setattr(_html, name, drawn_once(name))
        yield


@pytest.fixture
def undrawn(monkeypatch):
    """Make pages without pictures, for tests of their words."""

    def picture(draw, alt, form="svg", size=None):
        return {"missing": "Not drawn.", "alt": alt}

    monkeypatch.setattr(pictures, "picture", picture)


@pytest.fixture
def drawn_anew(monkeypatch):
    """Return a function after whose call the test draws all pictures itself."""

    def begin():
        for name in NAMES:
            monkeypatch.setattr(_html, name, getattr(pictures, name))

    return begin
