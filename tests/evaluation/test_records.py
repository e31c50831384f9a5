"""Records of evaluations: verified part by part, and found out when changed."""

import hashlib
import json
import zipfile

import joblib
import numpy as np
import pytest
from forged_records import bad_parts, change_facts, fit_summary, forge
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from skrobust.attacks import PGD
from skrobust.datasets import BatchedRows
from skrobust.evaluation import (
    evaluate_attack,
    evaluate_perturbations,
    replay_record,
    verify_record,
    write_record,
)
from skrobust.evaluation.records.record_content import read_record
from skrobust.evaluation.records.record_file import (
    FACTS,
    JOURNAL,
    read_members,
    write_members,
)
from skrobust.perturbations import GaussianNoise, PixelDropout
from skrobust.sampling import SimpleRandomSampler

X, Y = load_iris(return_X_y=True)
ROWS, LABELS = X[1::3], Y[1::3]
RANGE = {"data_range": (0, 8), "random_state": 0}


def conditions():
    return [GaussianNoise(std=0.1, **RANGE), PixelDropout(0.3, **RANGE)]


@pytest.fixture(scope="module")
def model():
    return LogisticRegression(max_iter=500).fit(X[::3], Y[::3])


@pytest.fixture(scope="module")
def evaluated(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "record.skr"
    given = model, ROWS, LABELS, conditions()
    return path, evaluate_perturbations(*given, record=path)


@pytest.fixture
def record(evaluated, tmp_path):
    path = tmp_path / "record.skr"
    path.write_bytes(evaluated[0].read_bytes())
    return path


def test_a_record_changes_no_result(evaluated, model):
    found, plain = (
        evaluated[1],
        evaluate_perturbations(model, ROWS, LABELS, conditions()),
    )
    assert found.keys() == plain.keys()
    np.testing.assert_array_equal(found.correct, plain.correct)
    np.testing.assert_array_equal(found.score, plain.score)


def test_what_was_measured_holds(record, model):
    found = verify_record(record, model=model, X=ROWS, y=LABELS)
    assert found.ok
    assert found.kind == "evaluation"
    assert set(found.state) == {"holds"}
    assert found.sha256 == hashlib.sha256(record.read_bytes()).hexdigest()
    assert "All that was compared holds" in repr(found)
    assert set(verify_record(record).state) == {"holds", "not given"}


def test_a_record_has_the_results_of_each_sample(record, evaluated):
    content, results = read_record(record), evaluated[1]
    arrays = content.arrays_of("perturbations")
    np.testing.assert_array_equal(arrays["correct"], results.correct)
    np.testing.assert_array_equal(arrays["flipped"], results.flipped)
    np.testing.assert_allclose(results.flipped.mean(axis=0), results.flip_rate)
    did = [entry["did"] for entry in content.entries]
    assert did == ["read", "begin", "condition", "condition", "end"]


def test_equal_content_has_equal_bytes(record, model, tmp_path):
    again = tmp_path / "again.skr"
    given = model, ROWS, LABELS, conditions()
    with joblib.parallel_config(backend="threading", n_jobs=2):
        evaluate_perturbations(*given, record=again)
    assert again.read_bytes() == record.read_bytes()


PARTS = {
    "data": lambda f: f["data"][0].update(shape=[50, 5]),
    "models": lambda f: f["models"][0].update(fingerprint="0" * 64),
    "code": lambda f: f["code"]["skrobust"].update(files=1),
    "environment": lambda f: f["environment"].update(numpy="1.0"),
    "steps": lambda f: f["steps"][0].update(call="evaluate_attack"),
    "settings": lambda f: _change_std(f),
    "numbers": lambda f: f["numbers"]["perturbations"].update(mean=0.99),
    "arrays": lambda f: next(iter(f["arrays"].values())).update(shape=[3]),
    "journal": lambda f: f["journal"].update(entries=4),
    "kind": lambda f: f.update(kind="another"),
}


def _change_std(facts):
    first = facts["settings"]["perturbations"]["arguments"]["conditions"][0]
    first["params"]["std"] = 0.2


@pytest.mark.parametrize("part", PARTS)
def test_one_changed_number_is_named_by_its_part(part, record):
    change_facts(record, PARTS[part])
    found = verify_record(record)
    assert not found.ok
    assert part in bad_parts(found)
    assert part in found.verdict
    with pytest.raises(ValueError, match="replays no damaged record"):
        replay_record(record)


def test_a_changed_array_is_named(record):
    members, _ = read_members(record)
    name = next(name for name in members if name.endswith(".npy"))
    bad = bytearray(members[name])
    bad[-1] ^= 1
    write_members(record, {**members, name: bytes(bad)})
    found = verify_record(record)
    assert "array 'number' of 'perturbations'" in bad_parts(found)
    members.pop(name)
    write_members(record, members)
    note = verify_record(record).note
    assert "it is lost" in note


@pytest.mark.parametrize("change", ["drop", "swap", "edit", "cut"])
def test_a_journal_out_of_order_is_found(change, record):
    members, _ = read_members(record)
    lines = members[JOURNAL].splitlines(keepends=True)
    if change == "drop":
        del lines[2]
    elif change == "swap":
        lines[2], lines[3] = lines[3], lines[2]
    elif change == "edit":
        lines[2] = lines[2].replace(b'"number": 1', b'"number": 7')
    else:
        lines.pop()
    write_members(record, {**members, JOURNAL: b"".join(lines)})
    assert "chain of the journal" in bad_parts(verify_record(record))


def test_changes_that_are_sealed_anew_break_the_journal(record):
    change_facts(record, PARTS["numbers"], sealed=True)
    found = bad_parts(verify_record(record))
    assert "entries of the journal" in found
    assert "results of 'perturbations'" in found


def _other_score(content):
    content.arrays["perturbations", "score"][0] = 1.0
    fit_summary(content)


def test_a_score_that_its_samples_do_not_have_is_found(record):
    forge(record, _other_score, journal=False)
    found = verify_record(record)
    assert "results of 'perturbations'" in bad_parts(found)
    place = list(found.part).index("results of 'perturbations'")
    assert "GaussianNoise" in found.note[place]  # the condition is named
    forge(record, _other_score)  # with a journal that fits
    assert bad_parts(verify_record(record)) == ["score of 'perturbations'"]


def test_a_thorough_forger_is_found_by_a_replay_alone(record, model):
    def flatter(content):
        arrays = content.arrays
        arrays["perturbations", "correct"][:] = True
        arrays["perturbations", "score"][:] = 1.0
        fit_summary(content)

    forge(record, flatter)
    found = verify_record(record, model=model, X=ROWS, y=LABELS)
    assert found.ok  # a seal is no signature
    again = replay_record(record, model, ROWS, LABELS)
    assert not again.ok
    wrong = (~evaluate_perturbations(model, ROWS, LABELS, conditions()).correct).sum(0)
    np.testing.assert_array_equal(again.n_differing[:2], wrong)


def _other_model():
    return LogisticRegression(max_iter=500, C=0.5).fit(X[::3], Y[::3])


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"model": _other_model}, "model 'LogisticRegression'"),
        ({"X": lambda: ROWS + 1e-12}, "rows scored"),
        ({"X": lambda: ROWS[::-1]}, "rows scored"),
        ({"X": lambda: ROWS[:, ::-1]}, "rows scored"),
        ({"X": lambda: ROWS.astype(np.float32)}, "rows scored"),
        ({"y": lambda: np.where(np.arange(50) == 7, 2 - LABELS, LABELS)}, "labels"),
    ],
)
def test_other_models_and_data_are_named(change, part, record, model):
    given = {"model": model, "X": ROWS, "y": LABELS}
    given |= {name: make() for name, make in change.items()}
    assert bad_parts(verify_record(record, **given)) == [part]
    with pytest.raises(ValueError, match="nothing was computed") as error:
        replay_record(record, given["model"], given["X"], given["y"])
    assert part in str(error.value)


def test_fingerprints_do_not_count_what_a_model_was_asked(tmp_path):
    model = KNeighborsClassifier().fit(X[::3], Y[::3])  # its tree counts queries
    path = tmp_path / "record.skr"
    evaluate_perturbations(model, ROWS, LABELS, conditions(), record=path)
    assert verify_record(path, model=model).ok


def test_a_record_of_an_attack(model, tmp_path):
    path, attack = tmp_path / "record.skr", PGD(0.2, random_state=0)
    results = evaluate_attack(model, ROWS, LABELS, attack, record=path)
    arrays = read_record(path).arrays_of("attack")
    np.testing.assert_array_equal(
        arrays["per_sample.success"], results.per_sample.success
    )
    again = replay_record(path, model, ROWS, LABELS)
    assert again.ok, again
    assert again.largest_difference == 0


@pytest.mark.parametrize(
    "error",
    [
        OSError("No space left on device"),
        MemoryError("No space"),
        TypeError("No space"),
    ],
)
def test_results_are_not_lost_with_their_record(error, model, tmp_path, monkeypatch):
    def full(*args):
        raise error

    monkeypatch.setattr(
        "skrobust.evaluation.records.record_content.write_members", full
    )
    with pytest.warns(UserWarning, match="could not write the record.*No space"):
        results = evaluate_perturbations(
            model, ROWS, LABELS, conditions(), record=tmp_path / "record.skr"
        )
    assert results.correct.shape == (50, 2)


@pytest.mark.parametrize("record", ["", 3, "no/such/folder/r.skr", ".", "a\0b"])
def test_bad_paths_stop_before_the_work(record, model):
    with pytest.raises(ValueError, match="'record' parameter of evaluate_pert"):
        evaluate_perturbations(model, ROWS, LABELS, conditions(), record=record)


def test_rows_in_batches_have_no_record(model, tmp_path):
    rows = BatchedRows([(ROWS, LABELS)])
    with pytest.raises(ValueError, match="these come in batches"):
        evaluate_perturbations(
            model, rows, None, conditions(), record=tmp_path / "r.skr"
        )


def test_only_samplers_are_written(tmp_path):
    with pytest.raises(ValueError, match="'sampler' parameter of write_record"):
        write_record(tmp_path / "r.skr", {"score": 1})


def sampler(random_state=0):
    found = SimpleRandomSampler(random_state=random_state).fit(np.linspace(0, 1, 60))
    for _ in range(2):
        ids = found.ask(10)
        found.tell(ids, failed=ids % 4 == 0)
    return found


def test_a_record_of_an_operational_test(tmp_path):
    path = tmp_path / "record.skr"
    digest = write_record(path, sampler())
    found = verify_record(path)
    assert found.ok
    assert [found.kind, found.sha256] == ["operational test", digest]
    assert write_record(tmp_path / "again.skr", sampler()) == digest
    assert write_record(tmp_path / "other.skr", sampler(1)) != digest
    assert read_record(path).entries[1]["did"] == "ask"
    again = replay_record(path)
    assert again.ok
    assert "accuracy" in again.quantity


def test_draws_are_made_again_from_the_seed(tmp_path):
    path = tmp_path / "record.skr"
    write_record(path, sampler())

    def other_draw(facts):
        ids = facts["sampler"]["ids"]
        ids[0] = next(i for i in range(60) if i not in ids)

    change_facts(path, other_draw, sealed=True)
    assert {"draws", "entries of the journal"} <= set(bad_parts(verify_record(path)))


def test_flips_are_never_silent(record, tmp_path):
    assert _silent_flips(record, tmp_path, _places(record, 2000)) == []


@pytest.mark.slow
def test_no_position_of_a_record_is_silent(record, tmp_path):
    places = range(0, record.stat().st_size, 5)
    assert _silent_flips(record, tmp_path, places) == []


def test_flips_of_operational_tests_are_never_silent(tmp_path):
    path = tmp_path / "record.skr"
    write_record(path, sampler())
    assert _silent_flips(path, tmp_path, _places(path, 300)) == []


def _places(path, n):
    return np.random.default_rng(1).integers(path.stat().st_size, size=n).tolist()


def _silent_flips(path, folder, places):
    """Return the places at which a flipped bit is neither refused nor named."""
    content, rng, silent = path.read_bytes(), np.random.default_rng(0), []
    bad = folder / "flipped.skr"
    for place in places:
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(rng.integers(8))
        bad.write_bytes(flipped)
        try:
            if verify_record(bad).ok:
                silent.append(place)
        except ValueError:
            continue
    return silent


def test_the_facts_are_readable_without_skrobust(record):
    with zipfile.ZipFile(record) as archive:
        assert archive.testzip() is None
        facts = json.loads(archive.read(FACTS))
        arrays = {about["name"]: name for name, about in facts["arrays"].items()}
        with archive.open(arrays["correct"]) as file:
            assert np.load(file).shape == (50, 2)
    assert facts["format"] == "skrobust record"
