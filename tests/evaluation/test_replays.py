"""Replays of records: equal bit for bit, or the difference is named."""

import json
import pickle
import subprocess
import sys
import textwrap

import joblib
import numpy as np
import pytest
from forged_records import fit_summary, forge
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer, r2_score
from sklearn.svm import SVC

from skrobust import attacks, perturbations
from skrobust.attacks import FGSM, PGD, Constraints
from skrobust.base.content_digest import content_digest
from skrobust.evaluation import (
    evaluate_attack,
    evaluate_perturbations,
    replay_record,
    verify_record,
    write_record,
)
from skrobust.evaluation.records.plain_settings import (
    PlainReader,
    PlainWriter,
    public_kinds,
)
from skrobust.evaluation.records.record_content import RecordContent
from skrobust.evaluation.records.replayed_steps import compare_step
from skrobust.perturbations import (
    FeatureNoise,
    GaussianNoise,
    PerturbationSequence,
    PixelDropout,
    get_preset,
    tabular,
)
from skrobust.sampling import DeepESTSampler, OperationalSampler, SimpleRandomSampler
from skrobust.testing import instances_for_checks

X, Y = load_iris(return_X_y=True)
ROWS, LABELS = X[1::3], Y[1::3]
RANGE = {"data_range": (0, 8), "random_state": 0}
SKIPPED = "not replayable"


class Halving(BaseEstimator):
    """Perturbation of a user."""

    def __init__(self, factor=0.5):
        self.factor = factor

    def perturb(self, estimator, X, y=None):
        return X * self.factor


class Asked(LogisticRegression):
    """Model that says when it is asked."""

    asked = 0

    def predict(self, X):
        Asked.asked += 1
        return super().predict(X)


@pytest.fixture(scope="module")
def model():
    return LogisticRegression(max_iter=500).fit(X[::3], Y[::3])


def record_of(path, model, conditions, rows=ROWS, y=LABELS, **options):
    evaluate_perturbations(model, rows, y, conditions, record=path, **options)
    return path


@pytest.fixture(scope="module")
def record(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("replays") / "record.skr"
    noise = GaussianNoise(std=0.3, **RANGE), PixelDropout(0.3, **RANGE)
    sequence = PerturbationSequence(list(noise), name="both", random_state=1)
    return record_of(path, model, [*noise, sequence])


def test_a_replay_is_equal_bit_for_bit(record, model):
    found = replay_record(record, model, ROWS, LABELS)
    assert found.ok
    assert set(found.state) == {"equal"}
    assert [found.largest_difference, found.n_differing.sum()] == [0, 0]
    np.testing.assert_array_equal(found.recorded, found.replayed)
    assert found.quantity[2] == "both"
    assert "equal" in repr(found)


def test_workers_do_not_change_a_replay(record, model):
    with joblib.parallel_config(backend="threading", n_jobs=2):
        found = replay_record(record, model, ROWS, LABELS)
    assert set(found.state) == {"equal"}


def test_batches_change_the_last_bits_of_means_at_most(record, model):
    found = replay_record(record, model, ROWS, LABELS, batch_size=7)
    assert found.ok
    close = found.quantity[found.state != "equal"]
    assert set(close) <= {"distortion"}  # the mean over batches of their means
    assert found.largest_difference < 1e-14
    assert not replay_record(
        record, model, ROWS, LABELS, batch_size=7, tolerance=0
    ).n_differing[:3].any()  # fmt: skip


def test_a_replay_in_another_process(record, model, tmp_path):
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(model))
    code = f"""
    import pickle
    from pathlib import Path
    from sklearn.datasets import load_iris
    from skrobust.evaluation import replay_record, verify_record
    X, y = load_iris(return_X_y=True)
    model = pickle.loads(Path({str(tmp_path / "model.pkl")!r}).read_bytes())
    given = {{"model": model, "X": X[1::3], "y": y[1::3]}}
    print(verify_record({str(record)!r}, **given).ok)
    found = replay_record({str(record)!r}, **given)
    print(found.ok, found.largest_difference, set(found.state.tolist()))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True
    )
    assert done.stdout.split("\n")[:2] == ["True", "True 0.0 {'equal'}"], done.stderr


def test_nothing_is_computed_for_other_data(tmp_path):
    model = Asked(max_iter=500).fit(X[::3], Y[::3])
    path = record_of(tmp_path / "r.skr", model, [FeatureNoise(0, random_state=0)])
    Asked.asked = 0
    pixel = ROWS.copy()
    pixel[3, 2] = np.nextafter(pixel[3, 2], 9)
    with pytest.raises(ValueError, match=r"rows scored \(differs: other values"):
        replay_record(path, model, pixel, LABELS)
    with pytest.raises(ValueError, match=r"labels \(not given\)"):
        replay_record(path, model, ROWS)
    other = LogisticRegression(max_iter=500).fit(X, Y)
    with pytest.raises(ValueError, match=r"model 'Asked' \(differs: it is of sklearn"):
        replay_record(path, other, ROWS, LABELS)
    assert Asked.asked == 0


def test_conditions_learn_from_the_same_training_rows(model, tmp_path):
    frame = pytest.importorskip("pandas").DataFrame(ROWS, columns=list("abcd"))
    path, train = tmp_path / "r.skr", frame[::-1]
    fitted = LogisticRegression(max_iter=500).fit(frame, LABELS)
    given = {"groups": np.where(LABELS, "b", "a"), "n_permutations": 20}
    conditions = tabular(random_state=0)[:8]
    record_of(path, fitted, conditions, frame, X_ref=train, random_state=4, **given)
    assert replay_record(path, fitted, frame, LABELS, X_train=train).ok
    for rows, word in ((None, "not given"), (frame, "differs")):
        with pytest.raises(ValueError, match=rf"training rows \({word}"):
            replay_record(path, fitted, frame, LABELS, X_train=rows)


def test_a_class_of_a_user_is_named_until_it_is_passed(model, tmp_path):
    path = record_of(tmp_path / "r.skr", model, [Halving(0.4)])
    name = f"{Halving.__module__}.Halving"
    row = verify_record(path)
    assert row.ok
    place = list(row.state).index(SKIPPED)
    assert row.note[place] == f"pass the class {name}"
    found = replay_record(path, model, ROWS, LABELS)
    assert [found.ok, found.state.tolist()] == [False, [SKIPPED]]
    assert name in found.reasons[0]
    found = replay_record(path, model, ROWS, LABELS, classes=[Halving])
    assert [found.ok, found.reasons] == [True, []]

    def edit(content):
        content.facts["code"]["own"][name] = "0" * 64

    forge(path, edit)
    found = replay_record(path, model, ROWS, LABELS, classes=[Halving])
    assert "source of Halving is another" in found.reasons[0]


def test_functions_and_scorers_are_not_replayable(model, tmp_path):
    path = tmp_path / "r.skr"
    scoring = make_scorer(r2_score)
    record_of(path, model, [FeatureNoise(0, random_state=0)], scoring=scoring)
    found = replay_record(path, model, ROWS, LABELS)
    assert found.state.tolist() == [SKIPPED]
    assert found.reasons[0].startswith("perturbations: without scoring: ")


def test_draws_without_a_seed_are_said_to_be_so(model, tmp_path):
    conditions = [GaussianNoise(std=2.0, data_range=(0, 8))]
    path = record_of(tmp_path / "r.skr", model, conditions)
    found = replay_record(path, model, ROWS, LABELS)
    assert not found.ok
    assert found.reasons == ["perturbations: random_state is None in conditions[0]"]


def test_regressors_and_named_scores(tmp_path):
    regressor, path = Ridge().fit(X[::3], X[::3, 0]), tmp_path / "r.skr"
    noise = [FeatureNoise(2, random_state=0)]
    y = ROWS[:, 0]
    record_of(path, regressor, noise, y=y, X_ref=X[::3], scoring="r2")
    assert replay_record(path, regressor, ROWS, y, X_train=X[::3]).ok
    evaluate_attack(regressor, ROWS, y, PGD(0.1, random_state=0), record=path)
    assert replay_record(path, regressor, ROWS, y).ok


def test_the_strongest_attack_with_checks(model, tmp_path):
    path = tmp_path / "r.skr"
    how = {"eps": "0.1 std", "random_state": 0, "checks": True, "tolerances": [0, 0.1]}
    evaluate_attack(model, ROWS, LABELS, "auto", record=path, **how)
    found = replay_record(path, model, ROWS, LABELS)
    assert found.ok
    assert "per_sample.success" in found.quantity


def test_an_attack_with_constraints_and_arrays(model, tmp_path):
    rules = Constraints(frozen=[0], scale=X.std(axis=0), valid_values={3: (0.2, 1.0)})
    path, attack = tmp_path / "r.skr", FGSM(0.5, constraints=rules)
    rows = ROWS.copy()
    rows[:, 3] = 0.2
    evaluate_attack(model, rows, LABELS, attack, record=path)
    assert replay_record(path, model, rows, LABELS).ok


def test_a_support_vector_machine_and_its_margins(tmp_path):
    model, path = SVC(random_state=0).fit(X[::3], Y[::3]), tmp_path / "r.skr"
    evaluate_attack(model, ROWS, LABELS, PGD(0.3, random_state=0), record=path)
    assert replay_record(path, model, ROWS, LABELS).largest_difference == 0


@pytest.mark.parametrize("kind", [SimpleRandomSampler, DeepESTSampler,
                                  OperationalSampler])  # fmt: skip
def test_operational_tests(kind, model, tmp_path):
    sampler, path = kind(model, random_state=3).fit(X), tmp_path / "r.skr"
    for _ in range(2):
        ids = sampler.ask(15)
        sampler.tell(ids, Y[ids])
    write_record(path, sampler, model=model, X=X)
    assert verify_record(path, model=model, X=X).ok
    found = replay_record(path, model, X, Y)
    assert found.ok, found
    assert found.quantity[:2].tolist() == ["draws", "labels told"]
    other = Y.copy()
    told = next(i for i in ids if Y[i] == 2)
    other[told] = 1
    found = replay_record(path, model, X, other)
    assert not found.ok
    assert found.n_differing[1] == 1
    with pytest.raises(ValueError, match=r"rows scored \(differs"):
        replay_record(path, model, X[::-1], Y)


def test_one_sample_that_differs_is_counted(record, model, tmp_path):
    path = tmp_path / "r.skr"
    path.write_bytes(record.read_bytes())

    def flip(content):
        correct = content.arrays["perturbations", "correct"]
        correct[5, 1] = not correct[5, 1]
        content.arrays["perturbations", "score"][:] = correct.mean(axis=0)
        fit_summary(content)

    forge(path, flip)
    found = replay_record(path, model, ROWS, LABELS)
    assert not found.ok
    assert found.n_differing[:3].tolist() == [0, 1, 0]
    assert found.state[:3].tolist() == ["equal", "differs", "equal"]


@pytest.mark.parametrize(
    ("new", "state"),
    [(0.5, "equal"), (0.5 + 1e-9, "within tolerance"), (0.5 + 1e-3, "differs"),
     (np.nan, "differs")],
)  # fmt: skip
def test_floats_are_compared_within_the_tolerance(new, state):
    content = RecordContent({"numbers": {"s": {"mean": 0.5}}})
    content.arrays = {("s", "z"): np.array([1.0, 0.5])}
    again = {"mean": new, "z": np.array([1.0, new])}
    rows, largest = compare_step(content, "s", again, 1e-6)
    assert {row[-1] for row in rows} | {"equal"} == {state, "equal"}
    assert (largest > 0) == (state != "equal")
    assert all(row[3] == (state == "differs") for row in rows)


def _instances():
    for family in (perturbations, attacks):
        for name in family.__all__:
            kind = getattr(family, name)
            if f"{family.__name__}.{name}" in public_kinds() and name != "Constraints":
                try:
                    yield from instances_for_checks(kind)
                except TypeError:  # it is abstract
                    continue


def test_all_settings_come_back_as_they_were():
    """Every public perturbation and attack whose parameters are plain data."""
    lists = [get_preset(name, random_state=0) for name in ("tabular", "text", "series")]
    left_out, n = {}, 0
    for one in [*_instances(), *(one for conditions in lists for one in conditions)]:
        writer = PlainWriter()
        plain = json.loads(json.dumps(writer.write(one, "it"), allow_nan=False))
        if writer.missing:
            left_out[type(one).__name__] = writer.missing
            continue
        again = PlainReader(writer.arrays).read(plain)
        assert content_digest(again) == content_digest(one), one
        n += 1
    assert n > 150
    named = [text for texts in left_out.values() for text in texts]
    assert all("function: " in text for text in named), left_out


@pytest.mark.parametrize("value", [
    None, True, 3, -2**70, 0.1, float("inf"), "text", (1, (2.0,)), [1, [None]],
    {"a": 1, 2: (3,)}, slice(1, None, 2), np.float32(0.1), np.int8(-3), np.bool_(True),
    np.str_("ü"),
])  # fmt: skip
def test_plain_values_come_back_with_their_types(value):
    writer = PlainWriter()
    plain = json.loads(json.dumps(writer.write(value, "it"), allow_nan=False))
    again = PlainReader(writer.arrays).read(plain)
    assert again == value
    expected = bool if isinstance(value, np.bool_) else type(value)
    assert type(again) is expected


def test_bad_arguments(record, model):
    with pytest.raises(ValueError, match="'classes' parameter of replay_record"):
        replay_record(record, model, ROWS, LABELS, classes=Halving)
    with pytest.raises(ValueError, match="'tolerance' parameter of replay_record"):
        replay_record(record, model, ROWS, LABELS, tolerance=-1)
    with pytest.raises(ValueError, match="'model' parameter of replay_record"):
        replay_record(record, {"other": model}, ROWS, LABELS)
    with pytest.raises(FileNotFoundError, match="There is no record"):
        replay_record("nothing.skr", model, ROWS, LABELS)
