"""``skrobust doctor --conformance``."""

import json

import pytest

from skrobust.cli import conformance_text, main
from skrobust.cli.terminal_text import Progress
from tests.cli_runner import run

KINDS = {28: ["stripe"], 32: ["contrast", "frost"], 224: ["contrast"]}


@pytest.fixture
def few(monkeypatch):
    bars = []
    measure = conformance_text.measure_conformance

    def measured(*, side, frost_pictures, verbose):
        bars.append(verbose)
        more = {} if side == 28 else {"severities": (2,)}
        return measure(
            side=side,
            kinds=KINDS[side],
            frost_pictures=frost_pictures,
            verbose=verbose,
            **more,
        )

    monkeypatch.setattr(conformance_text, "measure_conformance", measured)
    return bars


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


def test_progress_is_on_stderr(few, monkeypatch):
    code, out, err = run("doctor", "--conformance", "--json")
    assert code == 0
    json.loads(out)
    lines = [line.split("] ")[1] for line in err.splitlines()]
    assert lines[1] == "CIFAR-10-C, 2 of 3, 32 pixels"
    assert len(lines) == 3
    assert few == [0, 0, 0]  # bars are for terminals
    pytest.importorskip("tqdm")
    monkeypatch.setattr(Progress, "has_bars", True, raising=False)
    monkeypatch.setattr(Progress, "__init__", start)
    _, _, err = run("doctor", "--conformance")
    assert few[3:] == [1, 1, 1]
    assert "32 pixels: 100%" in err


def start(progress, quiet=False):
    progress._start, progress.is_quiet = 0.0, quiet


def test_a_deviation_is_named(few, tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (300, 300)).save(tmp_path / "black.png")  # no frost at all
    code, out, _ = run("doctor", "--conformance", "--frost", tmp_path)
    assert code == 1
    assert "1 of 2 conditions agree" in out
    assert "frost-2: psnr" in out


def test_a_folder_without_frost_is_refused_before_anything_is_measured(few, capsys):
    assert main(["doctor", "--conformance", "--frost", "nowhere"]) == 2
    assert "'frost_pictures' parameter of imagenet_c" in capsys.readouterr().err
    assert few == []


def test_frost_needs_conformance():
    code, _, err = run("doctor", "--frost", "folder")
    assert code == 2
    assert "--frost needs --conformance" in err
