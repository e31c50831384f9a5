"""Records that were forged and sealed anew: what verification and replay find."""

import importlib.metadata
import sys
import zipfile

import numpy as np
import pytest
from forged_records import bad_parts, change_facts, forge
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from skrobust._sealed import Damaged
from skrobust.attacks import FGSM
from skrobust.evaluation import (
    evaluate_attack,
    evaluate_perturbations,
    replay_record,
    verify_record,
    write_record,
)
from skrobust.evaluation.records.plain_settings import PlainWriter
from skrobust.evaluation.records.record_file import read_members, write_members
from skrobust.perturbations import GaussianNoise
from skrobust.sampling import SimpleRandomSampler

X, Y = load_iris(return_X_y=True)
ROWS, LABELS = X[1::3], Y[1::3]
STEP = "perturbations"


@pytest.fixture(scope="module")
def model():
    return LogisticRegression(max_iter=500).fit(X[::3], Y[::3])


def noise():
    how = {"data_range": (0, 8), "random_state": 0}
    return [GaussianNoise(std=std, **how) for std in (0.0, 0.5, 1.0)]


@pytest.fixture(scope="module")
def measured(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "record.skr"
    evaluate_perturbations(model, ROWS, LABELS, noise(), record=path)
    return path.read_bytes()


@pytest.fixture
def record(measured, tmp_path):
    path = tmp_path / "record.skr"
    path.write_bytes(measured)
    return path


def _no_steps(content):
    content.facts["steps"] = []


def _another_kind(content):
    content.facts["kind"] = "another"


def _numbers_of_no_step(content):
    for part in ("numbers", "settings"):
        content.facts[part]["other"] = content.facts[part][STEP]


def _array_of_no_step(content):
    content.arrays["other", "score"] = np.ones(3)


def _no_data(content):
    content.facts["data"] = []


def _no_models(content):
    content.facts["models"] = []


@pytest.mark.parametrize(
    "change",
    [_no_steps, _another_kind, _numbers_of_no_step, _array_of_no_step, _no_data,
     _no_models],
)  # fmt: skip
def test_what_belongs_to_no_step_is_found(change, record, model):
    forge(record, change)
    assert "parts of the steps" in bad_parts(verify_record(record))
    with pytest.raises(Damaged, match="replays no damaged record"):
        replay_record(record, model, ROWS, LABELS)


@pytest.mark.parametrize(
    ("name", "value"),
    [("mean", 0.99), ("accuracy_stability_index", 0.99), ("worst_score", 0.99),
     ("worst_condition", "another"), ("coefficient_of_variation", None)],
)  # fmt: skip
def test_a_summary_that_its_scores_do_not_have_is_found(name, value, record):
    forge(record, lambda content: content.facts["numbers"][STEP].update({name: value}))
    found = verify_record(record)
    assert bad_parts(found) == [f"summary of {STEP!r}"]
    assert name in found.note[list(found.part).index(f"summary of {STEP!r}")]


@pytest.mark.parametrize("name", ["correct", "flipped", "score_low", "flip_rate"])
def test_accuracy_without_its_samples_is_found(name, record):
    def drop(content):
        del content.arrays[STEP, name]

    forge(record, drop)
    assert f"accuracy of {STEP!r}" in bad_parts(verify_record(record))


def test_a_summary_over_failed_conditions_holds(model, tmp_path):
    class Failing:
        def perturb(self, estimator, X, y=None):
            raise ValueError("no")

    for value in (0.0, np.nan):
        with pytest.warns(UserWarning, match="failed"):
            evaluate_perturbations(
                model, ROWS, LABELS, [*noise(), Failing()], error_score=value,
                record=tmp_path / "r.skr",
            )  # fmt: skip
        found = verify_record(tmp_path / "r.skr")
        assert found.ok, found.verdict


def test_settings_that_are_deep_are_not_replayed(record, model):
    deep = []
    for _ in range(600):
        deep = [deep]

    def edit(content):
        content.facts["settings"][STEP]["arguments"]["confidence"] = deep

    forge(record, edit)
    found = replay_record(record, model, ROWS, LABELS)
    assert found.state.tolist() == ["not replayable"]


def test_more_members_than_an_archive_counts(tmp_path):
    members = {f"arrays/{i:05d}.npy": b"" for i in range(1, 2**16)}
    with pytest.raises(ValueError, match="at most 65535 members, and not 65536"):
        write_members(tmp_path / "many.skr", {"record.json": b"{}", **members})
    with zipfile.ZipFile(tmp_path / "many.skr", "w") as file:
        for name, content in {"record.json": b"{}", **members}.items():
            file.writestr(name, content)
    with pytest.raises(Damaged, match="its form is broken after 65535"):
        read_members(tmp_path / "many.skr")


def test_what_a_record_does_not_name_is_said_to_be_not_compared(model, tmp_path):
    path = tmp_path / "record.skr"
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(len(ROWS)))
    ids = sampler.ask(20)
    write_record(path, sampler.tell(ids, failed=ids % 5 == 0))
    found = verify_record(path, model=model, X=ROWS, y=LABELS)
    state = dict(zip(found.part, found.state, strict=True))
    names = ("rows scored", "labels", "model")
    assert [state.get(name) for name in names] == ["unknown"] * 3
    again = replay_record(path, model, ROWS, LABELS)
    assert again.ok
    assert [reason.partition(":")[0] for reason in again.reasons] == [
        "rows scored",
        "model",
    ]


def test_a_record_is_named_by_a_path(model):
    for call in (verify_record, replay_record):
        with pytest.raises(ValueError, match=r"'path' parameter of .*_record must be"):
            call(None)
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(9))
    with pytest.raises(ValueError, match="'path' parameter of write_record"):
        write_record("no/such/folder/r.skr", sampler)


def test_permutations_without_a_seed_are_said_to_be_so(model, tmp_path):
    path, groups = tmp_path / "r.skr", np.arange(len(ROWS)) % 3
    seeded = FGSM(0.3, data_range=(0, 8), random_state=0)
    calls = {"perturbations": (evaluate_perturbations, noise()),
             "attack": (evaluate_attack, seeded)}  # fmt: skip
    for step, (call, what) in calls.items():
        given = model, ROWS, LABELS, what
        call(*given, groups=groups, n_permutations=99, record=path)
        found = replay_record(path, model, ROWS, LABELS)
        assert not found.ok
        named = f"{step}: random_state is None in {call.__name__}"
        assert found.reasons == [named]
        call(*given, groups=groups, n_permutations=99, random_state=0, record=path)
        assert replay_record(path, model, ROWS, LABELS).ok


def test_conditions_that_are_read_once_can_be_replayed(model, tmp_path):
    path = tmp_path / "r.skr"
    evaluate_perturbations(model, ROWS, LABELS, iter(noise()), record=path)
    assert replay_record(path, model, ROWS, LABELS).ok


def test_wide_floats_are_named_and_not_written():
    for value in (np.longdouble(1.5), np.clongdouble(1.5)):
        if not isinstance(value.item(), np.generic):
            pytest.skip("long double is a float of Python here")
        writer = PlainWriter()
        assert "unknown" in writer.write(value, "x")
        assert writer.missing


class Plain:
    """Perturbation of a user, without a text of its own."""

    def __init__(self, shift=0.5):
        self.shift = shift

    def get_params(self, deep=True):
        return {"shift": self.shift}

    def perturb(self, estimator, X, y=None):
        return X + self.shift


@pytest.mark.parametrize(
    ("call", "name"), [(evaluate_perturbations, "name"), (evaluate_attack, "attack")]
)
def test_names_of_plain_objects_are_the_same_in_each_process(
    call, name, model, tmp_path
):
    path, given = tmp_path / "r.skr", Plain()
    found = call(model, ROWS, LABELS, given, record=path)
    assert np.ravel(found[name]).tolist() == ["Plain(shift=0.5)"]
    again = replay_record(path, model, ROWS, LABELS, classes=[Plain])
    assert again.ok, again.verdict


def test_a_record_without_steps_is_not_equal_to_anything(record, model):
    def empty(content):
        for part in ("settings", "numbers"):
            content.facts[part] = {}
        content.facts["steps"], content.arrays = [], {}

    forge(record, empty)
    assert verify_record(record).ok
    found = replay_record(record, model, ROWS, LABELS)
    assert (found.ok, len(found.state)) == (False, 0)
    assert "nothing was compared" in found.verdict


def test_packages_that_are_not_loaded_are_not_others(record, monkeypatch):
    pytest.importorskip("skops")
    installed = importlib.metadata.version("skops")
    for name in [one for one in sys.modules if one.partition(".")[0] == "skops"]:
        monkeypatch.delitem(sys.modules, name)
    for version, state in ((installed, "holds"), ("0.0", "other here")):

        def edit(facts, version=version):
            facts["environment"]["skops"] = version

        change_facts(record, edit, sealed=True)
        found = verify_record(record)
        part = found.part == "versions and platform"
        assert found.state[part].tolist() == [state]
