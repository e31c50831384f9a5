"""Commands answer at once, and refuse before a model is loaded."""

import importlib
import subprocess
import sys
import types

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

pytest.importorskip("click")
skops_io = pytest.importorskip("skops.io")

from skrobust.cli import exit_codes, main, model_file  # noqa: E402


def test_the_version_needs_no_heavy_package():
    code = (
        "import sys; from skrobust.cli import main; main(['--version']); "
        "print(sorted({'sklearn', 'torch', 'matplotlib', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    version, heavy = done.stdout.strip().splitlines()
    assert version.startswith("skrobust, version ")
    assert heavy == "[]"


@pytest.mark.parametrize("command", ["report", "attack", "compare"])
def test_a_wrong_column_is_told_before_the_model_is_loaded(
    command, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("a,b,label\n1,2,x\n")
    models = ["m.skops", "n.skops"] if command == "compare" else ["m.skops"]
    for name in models:
        (tmp_path / name).write_text("never opened")
    more = ["--eps", "1"] if command == "attack" else ["--out", "r.html"]
    more = [] if command == "compare" else more
    assert main([command, *models, "rows.csv", "--target", "lable", *more]) == 2
    sentence = "no column 'lable'; its columns are 'a', 'b', 'label'"
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "meant"), [("Sqare", "Square"), ("deep-fol", "DeepFool")]
)
def test_a_name_that_is_nearly_right_is_asked_back(wrong, meant, capsys):
    assert main(["attack", "m", "digits", "--eps", "1", "--attack", wrong]) == 2
    assert f"Did you mean {meant}?" in capsys.readouterr().err


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(2, random_state=0),
        HistGradientBoostingClassifier(max_iter=2),
        KNeighborsClassifier(),
        MLPClassifier((3,), max_iter=2),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_models_of_scikit_learn_need_no_trust_and_their_parts_are_shown(
    model, tmp_path
):
    X, y = load_iris(return_X_y=True)
    path, said = tmp_path / "m.skops", []
    skops_io.dump(model.fit(X, y), path)
    loaded = model_file.load_model(path, {"trust": ()}, said.append)
    assert np.array_equal(loaded.predict(X), model.predict(X))
    unknown = skops_io.get_untrusted_types(file=path)
    assert unknown or isinstance(model, RandomForestClassifier)  # none in 1.6
    assert all(name in said[-1] for name in unknown)


def test_functions_of_scikit_learn_are_not_trusted(tmp_path):
    from sklearn.datasets import fetch_openml

    X, y = load_iris(return_X_y=True)
    model = make_pipeline(FunctionTransformer(), KNeighborsClassifier()).fit(X, y)
    model[0].func = fetch_openml  # called with the rows by transform
    skops_io.dump(model, tmp_path / "m.skops")
    with pytest.raises(exit_codes.UserError, match=r"not trusted.*fetch_openml"):
        model_file.load_model(tmp_path / "m.skops", {"trust": ()}, print)


@pytest.mark.parametrize(
    "name", ["sklearn.pipeline.Memory", "sklearn.nowhere.A", "skorch.NeuralNet"]
)
def test_what_others_define_is_not_trusted(name):
    assert not model_file._is_everyday(name)


def test_a_module_called_like_one_of_scikit_learn_is_not_trusted(monkeypatch):
    name = "_loss.CyHalfMultinomialLoss"  # as older releases write it
    other = types.ModuleType("_loss")
    other.CyHalfMultinomialLoss = type("CyHalfMultinomialLoss", (), {})
    monkeypatch.setitem(sys.modules, "_loss", other)
    assert not model_file._is_everyday(name)
    theirs = importlib.import_module("sklearn._loss._loss")
    monkeypatch.setitem(sys.modules, "_loss", theirs)
    assert model_file._is_everyday(name)
    monkeypatch.delitem(sys.modules, "_loss")
    assert not model_file._is_everyday(name)
