"""The command line knows new metrics, presets and attacks by their names."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")
pytest.importorskip("tqdm")
skops_io = pytest.importorskip("skops.io")
pytest.importorskip("click.testing")

from cli_runner import run  # noqa: E402

from skrobust import attacks  # noqa: E402
from skrobust.attacks import FGSM  # noqa: E402
from skrobust.cli.command_group import skrobust  # noqa: E402
from skrobust.metrics import registry  # noqa: E402
from skrobust.perturbations.presets import get_preset_names  # noqa: E402


def recall_of_the_last(y_true, y_pred):
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    return float(np.mean(y_pred[y_true == 2] == 2)) if (y_true == 2).any() else 0.0


class HalfStep(FGSM):
    """An attack in a file of its own."""


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = load_iris(return_X_y=True)
    skops_io.dump(LogisticRegression(C=0.01).fit(X, y), tmp_path / "m.skops")
    return tmp_path / "m.skops"


def test_registered_metric_is_measured_and_has_a_threshold(model, monkeypatch):
    monkeypatch.setattr(registry, "_SPECS", dict(registry._SPECS))
    spec = registry.MetricSpec(
        name="last_recall", function=recall_of_the_last, title="last recall"
    )
    registry.register(spec)
    args = ["report", model, "iris", "--out", "r.html", "--json", "r.json"]
    args += ["--n-labels", "5", "--metric", "last-recall"]
    code, text, err = run(*args, "--fail-under", "last_recall=0.5")
    assert code == 0, err
    assert "threshold passed: last_recall of m is" in err
    assert "Last recall" in text
    found = json.loads((model.parent / "r.json").read_text())["models"][0]["metrics"]
    X, y = load_iris(return_X_y=True)
    expected = recall_of_the_last(y, skops_io.load(model).predict(X))
    assert found["last_recall"]["value"] == expected
    low, high = found["last_recall"]["interval"]
    assert low < expected < high
    # The threshold alone measures the metric, too.
    code, _, err = run(*args[:-2], "--fail-under", "last_recall=0.999")
    assert code == 1
    assert "must be at least 0.999" in err
    assert run(*args, "--fail-under", "last_recall=1.5")[0] == 2
    assert run(*args[:-1], "nothing")[0] == 2


@pytest.mark.parametrize("command", ["report", "compare", "perturb"])
def test_every_preset_is_an_option(command):
    params = skrobust.get_command(None, command).params
    (option,) = [p for p in params if p.name == "preset"]
    assert list(option.type.choices) == get_preset_names()


def test_public_attack_is_taken_by_its_name(model, monkeypatch):
    monkeypatch.setattr(attacks, "HalfStep", HalfStep, raising=False)
    monkeypatch.setattr(attacks, "__all__", [*attacks.__all__, "HalfStep"])
    args = ["attack", model, "iris", "--eps", "0.3", "--attack", "half-step"]
    code, out, err = run(*args, "--no-checks", "--json", "-")
    assert code == 0, err
    assert json.loads(out)["attacks"][0]["attack"] == "HalfStep"
