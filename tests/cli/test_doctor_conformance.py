"""``skrobust doctor --conformance``."""

import json

import pytest

from skrobust.cli import conformance_text
from tests.cli_runner import run

KINDS = {28: ["stripe"], 32: ["contrast", "frost"], 224: ["contrast"]}


@pytest.fixture
def few(monkeypatch):
    measure = conformance_text.measure_conformance

    def measured(*, side, frost_pictures):
        more = {} if side == 28 else {"severities": (2,)}
        return measure(
            side=side, kinds=KINDS[side], frost_pictures=frost_pictures, **more
        )

    monkeypatch.setattr(conformance_text, "measure_conformance", measured)


def test_lines_and_json(few):
    code, out, _ = run("doctor", "--conformance")
    assert code == 0
    assert "CIFAR-10-C (32 pixels): 1 of 1 conditions agree" in out
    assert "frost is left out: --frost FOLDER names its photographs" in out
    code, out, _ = run("doctor", "--conformance", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["format"] == "skrobust conformance 1"
    assert facts["ok"]
    assert [part["side"] for part in facts["benchmarks"]] == [28, 32, 224]


def test_a_deviation_is_named(few, tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (300, 300)).save(tmp_path / "black.png")  # no frost at all
    code, out, _ = run("doctor", "--conformance", "--frost", tmp_path)
    assert code == 1
    assert "1 of 2 conditions agree" in out
    assert "frost-2: psnr" in out


def test_frost_needs_conformance():
    code, _, err = run("doctor", "--frost", "folder")
    assert code == 2
    assert "--frost needs --conformance" in err
