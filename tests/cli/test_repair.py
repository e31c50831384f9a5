"""skrobust repair: table, code, files and exit codes."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")
pytest.importorskip("tqdm")
pandas = pytest.importorskip("pandas")
skops_io = pytest.importorskip("skops.io")
pytest.importorskip("click.testing")

from cli_runner import run  # noqa: E402

from skrobust.evaluation import suggest_repairs  # noqa: E402
from skrobust.perturbations import get_preset  # noqa: E402


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a model that adds two columns which each tell the class."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 250)
    X = y[:, None] + rng.normal(size=(250, 2)) * [0.2, 0.25]
    frame = pandas.DataFrame(X, columns=["a", "b"])
    model = LogisticRegression().fit(frame, y)
    skops_io.dump(model, tmp_path / "model.skops")
    skops_io.dump(LinearRegression().fit(frame, y), tmp_path / "line.skops")
    frame.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    frame.assign(y=y)[:100].to_csv(tmp_path / "train.csv", index=False)
    return tmp_path


CALL = ("repair", "model.skops", "rows.csv", "--target", "y", "--kind", "clipping")


def test_table_code_and_files(folder):
    code, out, err = run(*CALL, "--out", "repaired.py", "--json", "r.json")
    facts = json.loads((folder / "r.json").read_text())
    assert code == 0
    assert "original" in out
    assert " ".join(facts["verdict"].split()) in " ".join(out.split())
    assert facts["code"] in out + "\n"
    assert "[" in err
    space = {}
    exec((folder / "repaired.py").read_text(), space)
    frame = pandas.read_csv("rows.csv")
    space["repaired"].fit(frame[["a", "b"]], frame["y"])
    assert not list(folder.glob(".skrobust-*"))  # finished parts are removed


@pytest.mark.slow
def test_numbers_are_those_of_python(folder):
    code, out, _ = run(*CALL, "--json", "-", "--seed", "3", "--quiet")
    assert code == 0
    facts = json.loads(out)
    frame = pandas.read_csv("rows.csv")
    model = LogisticRegression()
    conditions = get_preset("tabular", random_state=3)
    found = suggest_repairs(
        model,
        frame[["a", "b"]],
        frame["y"],
        conditions,
        candidates=["clipping"],
        random_state=3,
    )
    assert [row["robust"] for row in facts["repairs"]] == found.robust.tolist()
    assert facts["best"] == found.best
    assert facts["weaknesses"][0]["condition"] == found.weaknesses.condition[0]


def test_training_rows_attack_and_threshold(folder):
    files = ("--x-train", "train.csv", "--json", "r.json", "--quiet")
    limit = ("--fail-under", "robust_accuracy=0.999")
    code, out, err = run(*CALL, "--eps", "0.4", *files, *limit)
    facts = json.loads((folder / "r.json").read_text())
    assert (code, out, facts["n_fit"], facts["criterion"]) == (1, "", 100, "attack")
    assert "threshold FAILED: robust_accuracy of" in err
    assert facts["thresholds"][0]["value"] == max(
        row["attacked"] for row in facts["repairs"] if row["name"] == facts["best"]
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ["line.skops", "rows.csv", "--target", "y"],
            "LinearRegression is a regressor",
        ),
        (["model.skops", "rows.csv"], "Name the column of the labels"),
        (["none.skops", "rows.csv", "--target", "y"], "There is no model file"),
        (["model.skops", "rows.csv", "--target", "y", "--preset", "text"], "of texts"),
        (["model.skops", "rows.csv", "--target", "y", "--kind", "luck"], "'luck'"),
    ],
)
def test_errors_are_one_sentence(folder, change, message):
    code, _, err = run("repair", *change, "--quiet")
    assert code == 2
    assert message in err
    assert "Traceback" not in err
