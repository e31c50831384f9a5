"""The list of kinds that are perturbed on a device."""

import sys
from pathlib import Path

import pytest

DOC = Path(__file__).parents[2] / "doc"


@pytest.fixture(scope="module")
def text():
    sys.path.insert(0, str(DOC))
    try:
        from device_kinds import device_kinds

        return device_kinds()
    finally:
        sys.path.remove(str(DOC))


def test_each_kind_is_on_one_side(text):
    there, here = text.splitlines()
    for name in ("GaussianNoise", "MotionBlur", "Fog", "Rotation"):
        assert f"``{name}``" in there
        assert f"``{name}``" not in here
    for name in ("JPEGCompression", "Snow", "GlassBlur"):
        assert f"``{name}``" in here
        assert f"``{name}``" not in there


def test_guide_holds_the_list():
    guide = (DOC / "guide" / "perturbations.rst").read_text(encoding="utf-8")
    assert ".. include:: /device_kinds.inc" in guide
