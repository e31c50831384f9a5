"""Reports with a sealed record: page, twin and record are bound to one another."""

import hashlib
import json

import numpy as np
import pytest
from forged_records import bad_parts
from json_schema import check
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")

from skrobust._sealed import seal  # noqa: E402
from skrobust.evaluation import replay_record, verify_record  # noqa: E402
from skrobust.report import (  # noqa: E402
    collect_report,
    create_report,
    report_schema,
)
from skrobust.report.core.sealed_report import rows_of_twin  # noqa: E402

X, Y = load_iris(return_X_y=True)
ROWS, LABELS, TRAIN = X[1::3], Y[1::3], X[::3]
HOW = {"X_train": TRAIN, "eps": "0.2 std", "checks": False, "n_labels": 10}


@pytest.fixture(scope="module")
def models():
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    plain = LogisticRegression(max_iter=500)
    return {"plain": plain.fit(TRAIN, Y[::3]), "tree": tree.fit(TRAIN, Y[::3])}


@pytest.fixture(scope="module")
def made(models, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sealed")
    files = {"out": folder / "r.html", "json_out": folder / "r.json"}
    files |= {"markdown_out": folder / "r.md", "record": folder / "my record.skr"}
    report = create_report(models, ROWS, LABELS, evidence="eu-ai-act", **files, **HOW)
    return folder, report


def test_the_record_of_a_report_holds_and_is_replayed(made, models):
    path = made[0] / "my record.skr"
    given = {"X": ROWS, "y": LABELS, "X_train": TRAIN}
    found = verify_record(path, model=models, **given)
    assert found.ok
    assert set(found.state) == {"holds"}
    assert verify_record(path, model=models["tree"]).ok  # known by its fingerprint
    again = replay_record(path, models, **given)
    assert again.ok, again
    steps = [f"{m}: {s}" for m in models for s in ("perturbations", "auto")]
    assert list(dict.fromkeys(again.step)) == steps
    with pytest.raises(ValueError, match=r"model 'plain' \(not given\)"):
        replay_record(path, models["tree"], **given)


def test_page_twin_and_evidence_have_the_digest(made):
    folder, report = made
    digest = hashlib.sha256((folder / "my record.skr").read_bytes()).hexdigest()
    assert report.collected["record"] == {"file": "my record.skr", "sha256": digest}
    twin = json.loads((folder / "r.json").read_text())
    check(twin, report_schema())
    assert twin["evidence"]["record"]["sealed"] == twin["record"]
    page = (folder / "r.html").read_text()
    assert page.count('href="./my%20record.skr"') == 2
    assert page.count(digest) == 2
    assert digest in (folder / "r.md").read_text()


def test_numbers_of_the_twin_are_those_of_the_record(made):
    folder, _ = made
    record, digest = folder / "my record.skr", made[1].collected["record"]["sha256"]
    rows = rows_of_twin(record, folder / "r.json", digest)
    assert [state for _, state, _ in rows] == ["holds", "holds"]
    twin = json.loads((folder / "r.json").read_text())
    twin.pop("seal")
    twin["models"][0]["clean"]["value"] += 0.01
    twin["record"]["sha256"] = "0" * 64
    # Whoever seals anew passes the seal, but not the record.
    (folder / "other.json").write_text(json.dumps(seal(twin)))
    rows = rows_of_twin(record, folder / "other.json", digest)
    assert [state for _, state, _ in rows] == ["differs", "differs"]


def test_without_a_record_nothing_is_said(models):
    collected = collect_report(models, ROWS, LABELS, n_labels=10)
    assert collected["record"] is None


def test_record_and_page_are_in_one_folder(models, tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(ValueError, match="record and out in one folder"):
        create_report(
            models, ROWS, LABELS, out=tmp_path / "r.html", record=tmp_path / "a" / "r"
        )


def test_several_targets_are_recorded_and_not_replayed(tmp_path):
    y, path = np.column_stack([ROWS[:, 0], ROWS[:, 1]]), tmp_path / "r.skr"
    model = LinearRegression().fit(TRAIN, TRAIN[:, :2])
    collect_report({"m": model}, ROWS, y, X_train=TRAIN, n_labels=10, record=path)
    found = verify_record(path, model=model, X=ROWS, y=y, X_train=TRAIN)
    assert found.ok
    again = replay_record(path, model, ROWS, y, X_train=TRAIN)
    assert set(again.state) == {"not replayable"}
    assert "the other targets of its model" in again.reasons[0]


def test_a_changed_label_of_a_report_is_named(made, models):
    path, y = made[0] / "my record.skr", LABELS.copy()
    y[4] = 2
    assert bad_parts(verify_record(path, model=models, X=ROWS, y=y)) == ["labels"]
