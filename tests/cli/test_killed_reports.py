"""A report that was killed goes on with the same command, and leaves no half file."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

pytest.importorskip("skops")
pytest.importorskip("click")

_WAIT = 120  # seconds, far more than it takes


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    import skops.io

    X, y = load_digits(return_X_y=True)
    path = tmp_path_factory.mktemp("model") / "model.skops"
    skops.io.dump(LogisticRegression(max_iter=200).fit(X[:500], y[:500]), path)
    return path


def command(model, folder, *more):
    words = [sys.executable, "-m", "skrobust", "report", str(model), "digits"]
    words += ["--image-shape", "8,8", "--eps", "1", "--attack", "FGSM", "--quiet"]
    words += ["--out", str(folder / "r.html"), "--json", str(folder / "r.json")]
    return [*words, *more]


def parts_of(folder):
    found = {}
    for path in folder.glob("*.part"):
        with contextlib.suppress(FileNotFoundError):  # it is removed at the end
            found[path.name] = path.stat().st_mtime_ns
    return found


def numbers(folder):
    model = json.loads((folder / "r.json").read_text())["models"][0]
    attacks = {k: v["robust_accuracy"] for k, v in model["attacks"].items()}
    return model["clean"]["value"], model["stability"]["score"], attacks


@pytest.mark.slow
@pytest.mark.parametrize("killed_by", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_report_goes_on(model_file, tmp_path, killed_by):
    first, whole = tmp_path / "first", tmp_path / "whole"
    first.mkdir()
    whole.mkdir()
    words = command(model_file, first, "--checkpoint", str(first / "parts"))
    run = subprocess.Popen(words, cwd=first)
    end = time.monotonic() + _WAIT
    while len(parts_of(first / "parts")) < 10 and run.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.01)
    run.send_signal(killed_by)
    assert run.wait(_WAIT) == -killed_by
    kept = parts_of(first / "parts")
    assert len(kept) >= 10
    assert not (first / "r.html").exists()
    assert not (first / "r.json").exists()
    subprocess.run(words, cwd=first, check=True, timeout=5 * _WAIT)
    after = parts_of(first / "parts")
    assert {name: after[name] for name in kept} == kept  # none was made again
    assert len(after) > len(kept)
    assert not list(first.glob("*.draft"))
    subprocess.run(command(model_file, whole), cwd=whole, check=True, timeout=5 * _WAIT)
    assert numbers(first) == numbers(whole)
    assert sorted(os.listdir(whole)) == ["r.html", "r.json"]


@pytest.mark.slow
def test_without_a_folder_the_same_command_goes_on_too(model_file, tmp_path):
    words = command(model_file, tmp_path)
    run = subprocess.Popen(words, cwd=tmp_path)
    end = time.monotonic() + _WAIT
    while run.poll() is None:
        assert time.monotonic() < end
        hidden = list(tmp_path.glob(".skrobust-report-*"))
        if hidden and len(parts_of(hidden[0])) >= 5:
            break
        time.sleep(0.01)
    run.kill()
    run.wait(_WAIT)
    kept = parts_of(hidden[0])
    assert kept
    stamp = max(kept.values())
    # The folder is removed at the end, so the second run is watched while it lasts.
    again = subprocess.Popen(words, cwd=tmp_path)
    while again.poll() is None:
        now = parts_of(hidden[0]) if hidden[0].exists() else {}
        made_again = [n for n, t in now.items() if n in kept and t > stamp]
        assert not made_again
        time.sleep(0.05)
    assert again.returncode == 0
    assert sorted(os.listdir(tmp_path)) == ["r.html", "r.json"]
