"""Thumbnails of examples without a picture show what these print."""

import sys

import pytest
from doc_blocks import ROOT

pytest.importorskip("matplotlib")
PAGE = """
.. rst-class:: sphx-glr-script-out

 .. code-block:: none

    model    accuracy
    forest      0.941

    line        0.902

after
"""


@pytest.fixture
def thumbs(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "doc"), *sys.path])
    import printed_thumbs

    return printed_thumbs


def test_the_last_printed_lines_are_those_of_the_page(thumbs):
    lines = thumbs.printed_lines(PAGE)
    assert lines == ["model    accuracy", "forest      0.941", "line        0.902"]


def test_an_example_with_a_picture_keeps_it(thumbs):
    assert thumbs.printed_lines(".. image-sg:: /gallery/x.png\n" + PAGE) == []
