"""Parts of records: own code, lost arrays, means that differ, and what is refused."""

import fractions
import hashlib
import importlib
import json
import sys

import numpy as np
import pytest
from forged_records import bad_parts
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skrobust.evaluation import (
    evaluate_perturbations,
    replay_record,
    verify_record,
    write_record,
)
from skrobust.evaluation.records.record_content import RecordContent
from skrobust.evaluation.records.record_file import read_members, write_members
from skrobust.evaluation.records.replayed_steps import compare_step
from skrobust.evaluation.records.sampler_record import (
    STEP,
    content_of_sampler,
    rows_of_sampler,
)
from skrobust.evaluation.records.source_digest import own_code
from skrobust.perturbations import FeatureNoise, GaussianNoise
from skrobust.sampling import SimpleRandomSampler

X = np.random.default_rng(0).random((40, 3))
Y = (X[:, 0] > 0.5).astype(int)

IMPORT = "from sklearn.base import BaseEstimator\n"
SHIFT = """\
class Shift(BaseEstimator):
    \"\"\"Perturbation in a file of a user.\"\"\"

    def perturb(self, estimator, X, y=None):
        return X + 0.25
"""
HALVED = """\
def halved(X):
    return X / 2
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module that lies in a folder of a user."""
    (tmp_path / "module_of_a_user.py").write_text(f"{IMPORT}\n\n{SHIFT}\n\n{HALVED}")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("module_of_a_user")
    del sys.modules["module_of_a_user"]


def digest(source):
    return hashlib.sha256(source.encode()).hexdigest()


def test_own_code_is_that_of_no_package_and_not_of_python(own):
    foreign = [fractions.Fraction(1, 3), FeatureNoise(1), LogisticRegression(), json]
    assert own_code([*foreign, FunctionTransformer(np.log1p)]) == {}
    model = make_pipeline(FunctionTransformer(own.halved), LogisticRegression())
    name = own.__name__
    assert own_code([*foreign, model]) == {f"{name}.halved": digest(HALVED)}
    assert own_code([own.Shift(), model]) == {
        f"{name}.Shift": digest(SHIFT),
        f"{name}.halved": digest(HALVED),
    }


def test_a_record_has_the_code_of_its_conditions(own, tmp_path):
    path, model = tmp_path / "r.skr", LogisticRegression().fit(X, Y)
    evaluate_perturbations(model, X, Y, [own.Shift()], record=path)
    facts = json.loads(read_members(path)[0]["record.json"])
    assert facts["code"]["own"] == {f"{own.__name__}.Shift": digest(SHIFT)}
    assert replay_record(path, model, X, Y, classes=[own.Shift]).ok


@pytest.mark.parametrize("damage", ["changed", "lost"])
@pytest.mark.parametrize("which", [[0], [-1], [0, 2], [1, 2, 3], slice(None)])
def test_all_arrays_that_do_not_hold_are_named(which, damage, tmp_path):
    path, model = tmp_path / "r.skr", LogisticRegression().fit(X, Y)
    noise = GaussianNoise(std=0.1, data_range=(0, 1), random_state=0)
    evaluate_perturbations(model, X, Y, [noise], record=path)
    members, _ = read_members(path)
    index = json.loads(members["record.json"])["arrays"]
    names = sorted(index)
    chosen = set(np.array(names)[which].tolist())
    for name in chosen:
        if damage == "changed":
            members[name] = members[name][:-1] + bytes([members[name][-1] ^ 1])
        else:
            del members[name]
    write_members(path, members)
    found = verify_record(path)
    told = {part for part in bad_parts(found) if part.startswith("array ")}
    what = {name: (index[name]["name"], index[name]["step"]) for name in names}
    assert told == {"array {!r} of {!r}".format(*what[name]) for name in chosen}
    place = list(found.part).index("content of arrays")
    assert found.note[place] == f"{len(chosen)} of {len(names)}"
    note = "it is lost" if damage == "lost" else "it is not what was sealed"
    rows = [n for p, n in zip(found.part, found.note, strict=True) if p in told]
    assert set(rows) == {note}


@pytest.mark.parametrize(
    ("old", "new", "n"),
    [
        ([1.0, 2.0, 6.0], [1.0, 2.0, 9.0], 1),
        ([1, 2, 6], [2, 2, 2], 2),
        ([True, False], [True, True], 1),
        (["a", "b"], ["a", "c"], 1),
        ([], [1.0, 2.0], 2),
    ],
)
def test_an_array_that_differs_has_both_means(old, new, n):
    content = RecordContent({"numbers": {"s": {}}})
    content.arrays = {("s", "z"): np.array(old)}
    ((name, before, after, n_differing, state),), _ = compare_step(
        content, "s", {"z": np.array(new)}, 1e-6
    )
    assert (name, n_differing, state) == ("z", n, "differs")

    def mean(values):
        known = len(values) and not isinstance(values[0], str)
        return sum(values) / len(values) if known else np.nan

    wanted = [mean(old), mean(new)]
    assert [before, after] == pytest.approx(wanted, nan_ok=True)


def asked_and_told():
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(30))
    ids = sampler.ask(6)
    return sampler.tell(ids, failed=ids % 2 == 0)


@pytest.mark.parametrize("pool", [5, np.float64(3), "rows", {}, np.array(2)])
def test_a_pool_has_rows(pool, tmp_path):
    path = tmp_path / "r.skr"
    with pytest.raises(ValueError, match="'X' parameter of write_record must be None"):
        write_record(path, asked_and_told(), X=pool)
    assert not path.exists()
    write_record(path, asked_and_told(), X=np.ones(30))
    assert verify_record(path, X=np.ones(30)).ok


def test_a_test_by_a_function_of_loss_is_not_replayed(tmp_path):
    path = tmp_path / "r.skr"
    pool = np.zeros((30, 2))
    model = LogisticRegression().fit(X[:, :2], Y)
    sampler = SimpleRandomSampler(
        model, loss=lambda y, p: abs(y - p), random_state=0
    ).fit(pool)
    ids = sampler.ask(6)
    write_record(path, sampler.tell(ids, np.ones(6, dtype=int)))
    found = replay_record(path)
    assert not found.ok
    assert found.state.tolist() == ["not replayable"]
    assert found.largest_difference == 0
    assert found.reasons == ["operational test: without the function loss"]
    again = tmp_path / "again.skr"
    write_record(again, asked_and_told())
    assert replay_record(again).ok


@pytest.mark.parametrize("tolerance", [0.0, 1e-6])
@pytest.mark.parametrize("name", ["z", "per_sample.success"])
def test_an_array_of_one_side_differs_in_no_entry(name, tolerance):
    content = RecordContent({"numbers": {"s": {}}})
    values, both = np.array([1.0, 2.0]), np.array([3, 4])
    content.arrays = {("s", name): values, ("s", "both"): both}
    rows, largest = compare_step(content, "s", {"both": both}, tolerance)
    unknown = pytest.approx(np.nan, nan_ok=True)
    assert rows == [(name, unknown, unknown, 0, "not replayed")]
    content.arrays = {("s", "both"): both}
    rows, _ = compare_step(content, "s", {"both": both, name: values}, tolerance)
    assert [(row[0], *row[3:]) for row in rows] == [(name, 0, "differs")]
    assert largest == 0


@pytest.mark.parametrize("damage", [None, "events", "journal", "numbers", "arrays"])
def test_what_does_not_hold_of_a_test_is_said_and_nothing_else(damage, tmp_path):
    path = tmp_path / "r.skr"
    content = content_of_sampler(asked_and_told(), None, None)
    if damage == "events":
        content.facts["sampler"]["events"].pop()
    elif damage == "journal":
        content.entries[1]["number"] += 1
    elif damage == "numbers":
        content.facts["numbers"][STEP]["n_labels"] = 7
    elif damage == "arrays":
        content.arrays[STEP, "more"] = np.ones(2)
    journal = "it is not that of these events and results"
    wanted = {
        None: [("holds", ""), ("holds", ""), ("holds", "")],
        "events": [("damaged", journal), (
            "damaged", "SimpleRandomSampler.from_json: the state is damaged: 'events' "
            "is not what was written.")],
        "journal": [("damaged", journal), ("holds", ""), ("holds", "")],
    }  # fmt: skip
    wanted["numbers"] = wanted["arrays"] = [
        ("damaged", journal), ("holds", ""),
        ("damaged", "it is not that of these draws and labels"),
    ]  # fmt: skip
    rows = rows_of_sampler(content)
    parts = ["entries of the journal", "draws", "result"]
    assert [row[0] for row in rows] == parts[: len(rows)]
    assert [row[1:] for row in rows] == wanted[damage]
    if damage is None:
        write_record(path, asked_and_told())
        found = verify_record(path)
        notes = dict(zip(found.part, found.note, strict=True))
        assert [notes[part] for part in parts] == ["", "", ""]
