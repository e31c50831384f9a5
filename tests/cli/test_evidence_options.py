"""Evidence and model cards from the command line."""

import json
import pickle

import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")
pandas = pytest.importorskip("pandas")
yaml = pytest.importorskip("yaml")
pytest.importorskip("click.testing")

from cli_runner import run  # noqa: E402


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, y = load_iris(as_frame=True).data, load_iris().target
    model = LogisticRegression(max_iter=500).fit(frame.to_numpy()[::2], y[::2])
    (tmp_path / "m.pkl").write_bytes(pickle.dumps(model))
    frame[1::6].assign(kind=y[1::6]).to_csv("t.csv", index=False)
    options = ["--target", "kind", "--allow-pickle", "--n-labels", "5"]
    return ["report", "m.pkl", "t.csv", *options, "--out", "r.html", "--quiet"]


@pytest.mark.slow
def test_evidence_and_card_are_written(command, tmp_path):
    more = ["--evidence", "eu-ai-act", "--evidence", "nist-ai-rmf"]
    files = ["--json", "r.json", "--model-card", "README.md"]
    code, _, stderr = run(*command, *more, *files, "--fail-under", "accuracy=0.5")
    assert code == 0, stderr
    twin = json.loads((tmp_path / "r.json").read_text())
    names = [framework["name"] for framework in twin["evidence"]["frameworks"]]
    assert names == ["eu-ai-act", "nist-ai-rmf"]
    clauses = twin["evidence"]["frameworks"][0]["clauses"]
    tested = {one["reference"]: one for one in clauses}["Article 9(8)"]
    assert len(tested["figures"]) == 1  # the threshold of the command
    assert "--evidence" in twin["evidence"]["record"]["call"]
    head = yaml.safe_load((tmp_path / "README.md").read_text().split("---\n")[1])
    metric = head["model-index"][0]["results"][0]["metrics"][0]
    assert metric["value"] == twin["models"][0]["clean"]["value"]
    assert '<section id="evidence">' in (tmp_path / "r.html").read_text()


def test_wrong_names_stop_before_the_work(command):
    code, _, stderr = run(*command, "--evidence", "gdpr")
    assert code == 2
    assert "'gdpr' is not one of 'eu-ai-act'" in stderr
    code, _, stderr = run(*command, "--model-card", "r.html")
    assert code == 2
    assert "--out and --model-card must be two files." in stderr
