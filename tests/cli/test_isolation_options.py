"""Options that run the model of a command in a process of its own."""

import json

import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

skops_io = pytest.importorskip("skops.io")
pytest.importorskip("click.testing")

from cli_runner import run  # noqa: E402

from skrobust.cli.options import isolate_of  # noqa: E402
from skrobust.evaluation import Isolation  # noqa: E402


@pytest.fixture
def folder(tmp_path, monkeypatch):
    X, y = load_iris(return_X_y=True)
    skops_io.dump(LogisticRegression(max_iter=300).fit(X, y), tmp_path / "m.skops")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def attack(*more):
    words = ["attack", "m.skops", "iris", "--eps", "0.5", "--attack", "FGSM"]
    return run(*words, "--no-checks", "--json", "out.json", *more)


def test_isolation_of_an_attack_changes_no_number(folder):
    found = []
    for more in ((), ("--isolate", "--memory", "4")):
        code, _, _ = attack(*more)
        assert code == 0
        found.append(json.loads((folder / "out.json").read_text())["attacks"])
    assert found[0] == found[1]


def test_a_model_that_takes_too_long_is_one_sentence(folder):
    code, _, stderr = attack("--timeout", "1e-7")
    assert code == 2
    assert "timed out after 1e-07 s" in stderr
    assert not (folder / "out.json").exists()


def test_limits_as_they_are_given():
    options = {"isolate": False, "timeout": None, "memory": None}
    assert isolate_of(options) is False
    assert isolate_of(options | {"isolate": True}) == Isolation()
    limits = isolate_of(options | {"timeout": 3.0, "memory": 0.5})
    assert limits == Isolation(timeout=3.0, memory=2**29)
