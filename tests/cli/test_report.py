"""The command line: files in, files out, one sentence for every error."""

import json
import pickle
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from problems import digit_rows
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")
pytest.importorskip("tqdm")
pandas = pytest.importorskip("pandas")
skops_io = pytest.importorskip("skops.io")
pytest.importorskip("click.testing")

from cli_runner import run  # noqa: E402

from skrobust.cli import (  # noqa: E402
    demo_digits,
    demo_models,
    main,
)
from skrobust.nets import small_cnn_classifier  # noqa: E402
from skrobust.report import collect_for  # noqa: E402

BLOCKED = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocker())
from skrobust.cli import main
sys.exit(main({args!r}))
"""


class Halve(TransformerMixin, BaseEstimator):
    """A step that skops does not know."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.asarray(X) / 2

    def __sklearn_is_fitted__(self):
        return True


def run_blocked(blocked, *args):
    code = BLOCKED.format(blocked=set(blocked), args=[str(a) for a in args])
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120
    )


def one_sentence(stderr):
    lines = [line for line in stderr.splitlines() if not line.startswith("[")]
    assert len(lines) == 1, stderr
    assert lines[0].startswith("skrobust: ")
    return lines[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with models and tables."""
    folder = tmp_path_factory.mktemp("cli")
    frame = load_iris(as_frame=True).data
    frame.columns = ["a", "b", "c", "d"]
    y = load_iris().target_names[load_iris().target]
    table = frame.assign(kind=y)
    table[["d", "kind", "a", "c", "b"]].to_csv(folder / "iris.csv", index=False)
    named = make_pipeline(StandardScaler(), LogisticRegression(C=0.1)).fit(frame, y)
    bare = make_pipeline(StandardScaler(), LogisticRegression(C=0.1))
    bare.fit(frame.to_numpy(), y)
    skops_io.dump(named, folder / "named.skops")
    skops_io.dump(bare, folder / "bare.skops")
    (folder / "named.pkl").write_bytes(pickle.dumps(named))
    coded = LogisticRegression(C=0.01).fit(frame, load_iris().target)
    skops_io.dump(coded, folder / "coded.skops")
    own = make_pipeline(Halve(), LogisticRegression()).fit(frame.to_numpy(), y)
    skops_io.dump(own, folder / "own.skops")
    skops_io.dump({"no": "model"}, folder / "dict.skops")
    skops_io.dump(LogisticRegression(), folder / "unfitted.skops")
    skops_io.dump(KMeans(2, n_init=1).fit(frame), folder / "kmeans.skops")
    gaps = HistGradientBoostingClassifier(max_iter=3).fit(frame.to_numpy(), y)
    skops_io.dump(gaps, folder / "gaps.skops")
    (folder / "junk.pkl").write_bytes(b"not a pickle")
    table.loc[[3, 7], "b"] = np.nan
    table.to_csv(folder / "nan.csv", index=False)
    table.drop(columns="b").to_csv(folder / "narrow.csv", index=False)
    table["b"], table.loc[3, "kind"] = 1.0, None
    table.to_csv(folder / "nolabel.csv", index=False)
    table["kind"] = "mystery"
    table.to_csv(folder / "unknown.csv", index=False)
    table["kind"] = np.linspace(0, 1, len(table))
    table.to_csv(folder / "numbers.csv", index=False)
    (folder / "empty.csv").write_text("a,b,c,d,kind\n")
    (folder / "blank.csv").write_text("")
    X, y = digit_rows()
    digits = make_pipeline(StandardScaler(), LogisticRegression(C=0.01))
    skops_io.dump(digits.fit(X[:900], y[:900]), folder / "digits.skops")
    return folder


# Reports from files


@pytest.mark.slow
def test_skops_round_trip_through_the_real_command(folder, tmp_path):
    out, twin = tmp_path / "r.html", tmp_path / "r.json"
    command = [sys.executable, "-m", "skrobust", "report", folder / "named.skops"]
    command += [folder / "iris.csv", "--target", "kind", "--out", out, "--json", twin]
    command += ["--eps", "0.3", "--n-samples", "500", "--n-labels", "30", "--seed", "4"]
    done = subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(twin.read_text())
    table = pandas.read_csv(folder / "iris.csv")
    y = table.pop("kind").to_numpy()
    model = skops_io.load(folder / "named.skops")
    accuracy = (model.predict(table[["a", "b", "c", "d"]]) == y).mean()
    assert found["models"][0]["clean"]["value"] == accuracy
    assert found["models"][0]["attacks"]["auto"]["robust_accuracy"] < accuracy
    settings = found["settings"]
    assert (settings["n_samples"], settings["n_rows"]) == (500, 150)
    assert (settings["eps"], settings["random_state"]) == (0.3, 4)
    assert found["models"][0]["labelling"]["DeepEST"]["n_labels"] == 30
    assert f"{accuracy:.3f} (" in done.stdout
    assert f"report: {out}" in done.stdout
    assert re.search(r"^total: \d+\.\d s$", done.stdout, re.MULTILINE)
    assert re.search(r"^\[ *\d+\.\d s\] named: auto$", done.stderr, re.MULTILINE)
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.slow
def test_call_in_the_report_reproduces_it(folder, tmp_path):
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    code, *_ = run(
        *("report", folder / "digits.skops", "digits", "--eps", "1.6", "--norm", "2"),
        *("--data-range", "-1,17", "--n-labels", "20", "--image-shape", "8,8"),
        *("--out", tmp_path / "r.html", "--json", first, "--quiet", "--attack", "PGD"),
    )
    assert code == 0
    found = json.loads(first.read_text())
    words = shlex.split(found["call"].replace(str(first), str(second)))
    assert words.pop(0) == "skrobust"
    assert run(*words)[0] == 0
    again = json.loads(second.read_text())
    for twin in (found, again):
        for name in ("created", "seconds", "call", "seal"):
            del twin[name]
    assert found == again
    assert found["settings"]["data_range"] == [-1, 17]
    assert found["settings"]["norm"] == 2


@pytest.mark.slow
def test_what_is_known_of_digits_is_used(folder, tmp_path):
    code, out, err = run(
        *("report", folder / "digits.skops", "digits", "--n-labels", 5, "--quiet"),
        *("--out", tmp_path / "r.html", "--json", tmp_path / "r.json"),
    )
    assert (code, out, err) == (0, "", "")
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["settings"]["sides"] == [8, 8]
    assert found["settings"]["data_range"] == [0, 16]
    assert found["models"][0]["stability"]["smoke_figure"] is True


@pytest.mark.parametrize("model", ["named", "bare"])
def test_built_in_iris_takes_names_or_numbers(model, folder, tmp_path):
    # The models were trained on the names of the kinds; one of them on columns a to d.
    code, _, err = run(
        *("report", folder / f"{model}.skops", "iris", "--out", tmp_path / "r.html"),
    )
    if model == "bare":
        assert code == 0, err
    else:
        assert code == 2
        assert "'a', 'b', 'c', 'd'" in one_sentence(err)


def test_model_that_takes_missing_values_gets_them(folder, tmp_path):
    code, out, err = run(
        *("report", folder / "gaps.skops", folder / "nan.csv", "--target", "kind"),
        *("--out", tmp_path / "r.html"),
    )
    assert code == 0, err
    assert "Clean score" in out


# What may be opened


def test_unknown_types_are_listed_and_can_be_trusted(folder, tmp_path):
    unknown = skops_io.get_untrusted_types(file=folder / "own.skops")
    assert any("Halve" in name for name in unknown)
    args = ["report", folder / "own.skops", folder / "iris.csv", "--target", "kind"]
    args += ["--out", tmp_path / "r.html"]
    code, _, err = run(*args)
    assert code == 2
    sentence = one_sentence(err)
    for name in unknown:
        assert f"--trust {name}" in sentence
    assert not (tmp_path / "r.html").exists()
    trust = [word for name in unknown for word in ("--trust", name)]
    # The own model takes columns in their order, which in the file is another one.
    code, _, err = run(*args, *trust)
    assert code == 0, err
    assert run(*args, "--trust", "some.Other")[0] == 2


def test_pickle_is_opened_on_request_only(folder, tmp_path):
    args = ["report", folder / "named.pkl", folder / "iris.csv", "--target", "kind"]
    args += ["--out", tmp_path / "r.html"]
    code, _, err = run(*args)
    assert code == 2
    assert "--allow-pickle" in one_sentence(err)
    assert not (tmp_path / "r.html").exists()
    code, _, err = run(*args, "--allow-pickle")
    assert code == 0
    assert "runs the code inside" in one_sentence(err)


# Errors


@pytest.mark.parametrize(
    ("model", "data", "options", "words"),
    [
        ("absent.skops", "iris.csv", [], "no model file"),
        ("named.skops", "absent.csv", [], "digits, breast_cancer, iris, wine"),
        ("named.skops", "iris.csv", ["--target", "zzz"], "'d', 'kind', 'a', 'c', 'b'"),
        ("named.skops", "iris.csv", ["--target", None], "--target"),
        ("named.skops", "empty.csv", [], "has no rows"),
        ("named.skops", "blank.csv", [], "could not be read as CSV"),
        ("named.skops", "nan.csv", [], "missing values in 'b'"),
        ("named.skops", "nolabel.csv", [], "'kind' of 'nolabel.csv' has 1 missing"),
        ("named.skops", "narrow.csv", [], "lacks columns"),
        ("bare.skops", "narrow.csv", [], "takes 4 features"),
        ("coded.skops", "numbers.csv", [], "needs labels in y"),
        ("named.skops", "unknown.csv", [], "'mystery', is a class of the model"),
        ("dict.skops", "iris.csv", [], "'dict' is a dict"),
        ("unfitted.skops", "iris.csv", [], "not fitted"),
        ("kmeans.skops", "iris.csv", [], "'kmeans' is a KMeans"),
        ("junk.pkl", "iris.csv", ["--allow-pickle"], "could not be opened"),
        ("named.skops", "iris.csv", ["--out", "no/such/r.html"], "no folder"),
        ("named.skops", "iris.csv", ["--out", "."], "is a folder"),
        ("named.skops", "iris.csv", ["--image-shape", "8x8"], "2 or 3 integers"),
        ("named.skops", "iris.csv", ["--image-shape", "3,3"], "image_shape"),
        ("named.skops", "iris.csv", ["--data-range", "1"], "2 numbers"),
        ("named.skops", "iris.csv", ["--eps", "-1"], "--eps"),
        ("named.skops", "iris.csv", ["--norm", "3"], "'inf', '2'"),
        ("named.skops", "iris.csv", ["--seed", "x"], "--seed"),
        ("named.skops", "iris.csv", ["--n-labels", "0"], "--n-labels"),
        ("named.skops", "iris.csv", ["--colour", "red"], "--colour"),
        ("bare.skops", "iris", ["--target", "kind"], "has its own target"),
    ],
)
def test_errors_are_one_sentence_and_code_2(
    model, data, options, words, folder, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    data = data if "." not in data else str(folder / data)
    args = ["report", str(folder / model), data]
    given = dict(zip(options[::2], options[1::2], strict=False))
    settings = {"--target": "kind", "--out": "r.html", **given}
    if data == "iris":
        settings = {"--out": "r.html", **given}
    for name, value in settings.items():
        args += [] if value is None else [name, value]
    if "--allow-pickle" in options:
        args.append("--allow-pickle")
    assert main(args) == 2
    captured = capsys.readouterr()
    lines = [x for x in captured.err.splitlines() if "warning: opening" not in x]
    sentence = one_sentence("\n".join(lines))
    assert words in sentence
    assert "Traceback" not in captured.err
    assert captured.out == ""
    assert list(tmp_path.iterdir()) == []


def test_options_are_needed(folder, capsys):
    assert main(["report", str(folder / "named.skops"), "iris"]) == 2
    assert "--out" in one_sentence(capsys.readouterr().err)
    assert main(["report"]) == 2
    assert "MODEL" in one_sentence(capsys.readouterr().err)
    assert main(["nonsense"]) == 2
    assert "nonsense" in one_sentence(capsys.readouterr().err)


def test_text_labels_that_look_like_numbers_stay_text(folder, tmp_path):
    table = pandas.read_csv(folder / "iris.csv")
    table["kind"] = np.where(table["kind"] == "setosa", "01", "2.0")
    model = LogisticRegression().fit(table[["a", "b"]], table["kind"])
    skops_io.dump(model, tmp_path / "text.skops")
    table.to_csv(tmp_path / "text.csv", index=False)
    code, _, err = run(
        *("report", tmp_path / "text.skops", tmp_path / "text.csv"),
        *("--target", "kind", "--out", tmp_path / "r.html", "--json", tmp_path / "r.j"),
    )
    assert code == 0, err
    found = json.loads((tmp_path / "r.j").read_text())
    assert [row["label"] for row in found["classes"]] == ["01", "2.0"]
    assert found["models"][0]["clean"]["value"] > 0.9


@pytest.mark.parametrize("command", ["report", "demo"])
def test_ctrl_c_is_130_and_one_line(command, folder, tmp_path, capsys, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(collect_for, "collect_for", interrupt)
    monkeypatch.setattr(demo_models, "run_demo", interrupt)
    args = [command, "--out", str(tmp_path / "r.html")]
    if command == "report":
        args += [str(folder / "bare.skops"), "iris"]
    assert main(args) == 130
    assert "interrupted" in one_sentence(capsys.readouterr().err)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.torch
def test_ctrl_c_during_training_gives_no_half_trained_report(
    tmp_path, capsys, monkeypatch
):
    pytest.importorskip("skorch")
    from skorch.callbacks import Callback

    class Interrupt(Callback):
        def on_epoch_end(self, net, **kwargs):
            raise KeyboardInterrupt  # as Ctrl-C does; skorch ends its training

    def cnn(*args, **kwargs):
        return small_cnn_classifier(*args, callbacks=[Interrupt()], **kwargs)

    monkeypatch.setattr(demo_digits, "small_cnn_classifier", cnn)
    assert (
        main(["demo", "--data", "digits", "--quick", "--out", str(tmp_path / "r.html")])
        == 130
    )
    assert "interrupted" in one_sentence(capsys.readouterr().err)
    assert list(tmp_path.iterdir()) == []


def test_help_tells_the_exit_codes_and_version_the_version(capsys):
    for args in (["--help"], ["report", "--help"], ["demo", "--help"]):
        assert main(args) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert "Exit codes: 0" in text
        assert "130 after Ctrl-C" in text
    assert main(["report", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "metric that takes true and predicted labels" in text
    from skrobust import __version__

    assert main(["--version"]) == 0
    assert __version__ in capsys.readouterr().out


# What may be missing


@pytest.mark.parametrize("package", ["click", "jinja2", "skops", "pandas"])
def test_missing_extra_prints_the_line_that_installs_it(package, tmp_path):
    done = run_blocked({package}, "demo", "--out", tmp_path / "r.html")
    assert done.returncode == 2
    assert done.stdout == ""
    assert package in one_sentence(done.stderr)
    assert "pip install 'skrobust[report]'" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_importing_the_command_line_imports_no_click():
    code = "import sys, skrobust.cli; sys.exit('click' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


@pytest.mark.slow
def test_demo_without_torch_finishes_and_says_so(tmp_path):
    out = tmp_path / "demo.html"
    args = (
        "demo",
        "--data",
        "digits",
        "--quick",
        "--out",
        out,
        "--json",
        tmp_path / "demo.json",
    )
    done = run_blocked({"torch", "skorch"}, *args)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "demo.json").read_text())
    assert [model["name"] for model in found["models"]] == ["SVC"]
    assert found["models"][0]["clean"]["value"] > 0.95
    reasons = {row["model"]: row["reason"] for row in found["skipped"]}
    assert "pip install 'skrobust[torch]'" in reasons["small CNN"]
    assert "torch" not in found["versions"]
    page = out.read_text(encoding="utf-8")
    for text in (" ".join(done.stdout.split()), page.replace("&#39;", "'")):
        assert "pip install 'skrobust[torch]'" in text


@pytest.mark.slow
@pytest.mark.torch
def test_demo_shows_what_an_attack_does(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("skorch")
    out, twin = tmp_path / "demo.html", tmp_path / "demo.json"
    code, text, err = run("demo", "--data", "digits", "--out", out, "--json", twin)
    assert code == 0, err
    found = json.loads(twin.read_text())
    svc, cnn = found["models"]
    assert (svc["name"], cnn["name"]) == ("SVC", "small CNN")
    clean = cnn["clean"]["value"]
    fgsm, pgd = (cnn["attacks"][a]["robust_accuracy"] for a in ("FGSM", "PGD"))
    assert clean >= 0.95
    assert pgd <= fgsm < clean
    assert svc["clean"]["value"] >= 0.95
    fgsm, pgd = (svc["attacks"][a]["robust_accuracy"] for a in ("FGSM", "PGD"))
    assert pgd <= fgsm < svc["clean"]["value"]  # through the kernel
    settings = found["settings"]
    assert (settings["n_samples"], settings["eps"]) == (1797, 0.8)
    assert settings["n_rows"] + settings["n_train"] == 1797
    assert found["n_shared_rows"] == 0
    assert svc["normalized"]["dimensionality"] == 1
    assert found["warnings"] == []
    assert "max_epochs=30" in cnn["estimator"]
    assert "_order" not in cnn["estimator"]
    assert f"{pgd:.3f} (" in text
    assert f"report: {out}" in text
    assert Path(out).stat().st_size < 2_000_000
