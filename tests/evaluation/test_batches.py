"""Rows in batches: results are those of all rows at once, whatever the batches."""

import os
import subprocess
import sys
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_digits, make_regression
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skrobust.attacks import FGSM, PGD, RandomSearch
from skrobust.datasets import BatchedRows
from skrobust.evaluation import (
    check_evaluation,
    evaluate_attack,
    evaluate_perturbations,
)
from skrobust.perturbations import (
    FeatureNoise,
    GaussianNoise,
    MissingValues,
    PerturbationSequence,
    SaltAndPepper,
    Typos,
    get_preset,
)
from skrobust.report import collect_report

X, Y = load_digits(return_X_y=True)
X = X.astype(np.float32)
MODEL = LogisticRegression(max_iter=300).fit(X[:600], Y[:600])
# Equal rows: their noise differs, and must go on over the batches.
ROWS = np.concatenate([X[600:760], X[600:660], X[600:610]])
LABELS = np.concatenate([Y[600:760], Y[600:660], Y[600:610]])
IMAGES = {"image_shape": (8, 8), "data_range": (0, 16)}
CONDITIONS = [
    GaussianNoise(std=0.0, **IMAGES, random_state=0),
    GaussianNoise(std=4.0, **IMAGES, random_state=0),
    SaltAndPepper(severity=3, **IMAGES, random_state=1),
    PerturbationSequence(
        [
            GaussianNoise(severity=5, **IMAGES),
            SaltAndPepper(severity=5, **IMAGES),
        ],
        random_state=2,
    ),
    PerturbationSequence(
        [GaussianNoise(severity=5, **IMAGES)],
        noise_key="position",
        random_state=2,
    ),
]
BATCHES = [1, 7, 64, 230, 1000]


def same(found, wanted, *, but=()):
    """Compare all results but for objects that have no equality."""
    assert set(found) - set(but) == set(wanted) - set(but)
    for name in set(wanted) - set(but) - {"perturbations", "verdict"}:
        a, b = found[name], wanted[name]
        if isinstance(b, np.ndarray) and b.dtype.kind == "f":
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12, err_msg=name)
        elif isinstance(b, float):
            assert a == pytest.approx(b, rel=1e-12, nan_ok=True), name
        elif hasattr(b, "columns"):
            same(a, b)
        else:
            assert np.array_equal(a, b), name


WHOLE = evaluate_perturbations(MODEL, ROWS, LABELS, CONDITIONS)


@pytest.mark.parametrize("size", BATCHES)
def test_perturbations_of_batches_are_those_of_all_rows(size):
    found = evaluate_perturbations(MODEL, ROWS, LABELS, CONDITIONS, batch_size=size)
    same(found, WHOLE)
    assert WHOLE.score[1] < WHOLE.score[0]


def test_equal_rows_of_two_batches_have_noise_of_their_own():
    for condition in CONDITIONS[1:]:
        moved = condition.perturb(MODEL, ROWS, LABELS)
        assert not np.array_equal(moved[0], moved[160])
        for size in BATCHES:
            rows = BatchedRows.from_arrays(ROWS, LABELS, batch_size=size)
            parts = [part for part, _ in rows.perturbed(condition, MODEL)]
            assert np.array_equal(np.concatenate(parts), moved)


def test_sources_of_all_kinds_give_the_same(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr("skrobust.evaluation.core.batched_runs._SMALL", 0)
    mapped = np.memmap(tmp_path / "rows.dat", ROWS.dtype, "w+", shape=ROWS.shape)
    mapped[:] = ROWS
    np.save(tmp_path / "rows.npy", ROWS)
    pairs = [(ROWS[i : i + 50], LABELS[i : i + 50]) for i in range(0, 230, 50)]
    data = torch.utils.data.TensorDataset(torch.tensor(ROWS), torch.tensor(LABELS))
    sources = [
        (mapped, LABELS),
        (np.load(tmp_path / "rows.npy", mmap_mode="r"), LABELS),
        (pairs, None),
        (iter(pairs), None),
        (lambda: iter(pairs), None),
        (torch.utils.data.DataLoader(data, batch_size=64), None),
        (BatchedRows.from_arrays(ROWS, LABELS), None),
    ]
    for rows, labels in sources:
        same(evaluate_perturbations(MODEL, rows, labels, CONDITIONS), WHOLE)
    assert np.array_equal(mapped, ROWS)


def test_parts_of_a_batch_run_side_by_side(tmp_path):
    with parallel_config("threading", n_jobs=2):
        found = evaluate_perturbations(
            MODEL,
            ROWS,
            LABELS,
            CONDITIONS,
            batch_size=90,
            checkpoint=tmp_path,
            n_jobs=2,
        )
    same(found, WHOLE)
    parts = set(tmp_path.iterdir())
    again = evaluate_perturbations(
        MODEL, ROWS, LABELS, CONDITIONS, batch_size=90, checkpoint=tmp_path
    )
    same(again, WHOLE)
    assert set(tmp_path.iterdir()) == parts
    assert len(parts) > 3 * len(CONDITIONS)


def test_texts_series_and_sparse_rows(tmp_path):
    texts = [f"a good film number {i % 7}" for i in range(30)]
    y = np.arange(30) % 2
    model = make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, y)
    typos = [Typos(severity=s, random_state=0) for s in (1, 5)]
    wanted = evaluate_perturbations(model, texts, y, typos)
    pairs = [(texts[i : i + 12], y[i : i + 12]) for i in range(0, 30, 12)]
    found = evaluate_perturbations(model, iter(pairs), None, typos, checkpoint=tmp_path)
    same(found, wanted)
    sparse = csr_array(X[:90])
    model = LogisticRegression(max_iter=300).fit(sparse, Y[:90])
    pairs = [(sparse[i : i + 40], Y[:90][i : i + 40]) for i in range(0, 90, 40)]
    attack = FGSM(2.0, data_range=(0, 16))
    found = evaluate_attack(model, pairs, None, attack)
    wanted = evaluate_attack(model, sparse, Y[:90], attack)
    assert found.robust_accuracy == wanted.robust_accuracy


@pytest.mark.parametrize(
    "scoring", ["balanced_accuracy", "neg_log_loss", "top_k_accuracy"]
)
def test_scorers_see_the_answers_to_all_rows(scoring):
    wanted = evaluate_perturbations(MODEL, ROWS, LABELS, CONDITIONS, scoring=scoring)
    found = evaluate_perturbations(
        MODEL, ROWS, LABELS, CONDITIONS, scoring=scoring, batch_size=37
    )
    same(found, wanted)


def test_a_score_of_more_answers_is_refused():
    def twice(model, X, y):
        return np.mean(model.predict(X) == model.predict_proba(X).argmax(axis=1))

    with pytest.raises(ValueError, match="asks the model about other rows, or twice"):
        evaluate_perturbations(
            MODEL, ROWS, LABELS, CONDITIONS, scoring=twice, batch_size=50
        )


def test_a_score_that_reads_the_rows_is_refused():
    def weighted(model, X, y):
        return np.average(model.predict(X) == y, weights=1 + X[:, 20])

    def other_rows(model, X, y):
        return model.score(X + 1, y)

    def masked(model, X, y):
        return np.mean((model.predict(X) == y)[np.sum(X, axis=1) > 0])

    def of_shape(model, X, y):
        return (model.predict(X) == y).sum() / len(X) + X.shape[1] + X.ndim

    settings = {"scoring": of_shape, "batch_size": 50}
    wanted = evaluate_perturbations(MODEL, ROWS, LABELS, CONDITIONS, scoring=of_shape)
    same(evaluate_perturbations(MODEL, ROWS, LABELS, CONDITIONS, **settings), wanted)
    for scoring in (weighted, masked, other_rows):
        with pytest.raises(ValueError, match="the scorer reads the rows"):
            evaluate_perturbations(
                MODEL, ROWS, LABELS, CONDITIONS, scoring=scoring, batch_size=50
            )


@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc_ovr"])
def test_a_class_may_be_missing_in_the_first_batch(scoring):
    order = np.argsort(LABELS, kind="stable")
    data = MODEL, ROWS[order], LABELS[order], CONDITIONS
    wanted = evaluate_perturbations(*data, scoring=scoring)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(evaluate_perturbations(*data, scoring=scoring, batch_size=10), wanted)


@pytest.mark.parametrize("evaluate", [evaluate_perturbations, evaluate_attack])
def test_equal_batches_have_parts_of_their_own(tmp_path, evaluate):
    by_place = CONDITIONS[4]
    assert by_place.noise_key == "position"
    rows, labels = np.tile(ROWS[:60], (3, 1)), np.tile(LABELS[:60], 3)
    what = [by_place] if evaluate is evaluate_perturbations else by_place
    wanted = evaluate(MODEL, rows, labels, what)
    settings = {"batch_size": 60, "checkpoint": tmp_path}
    for _ in range(2):
        same(evaluate(MODEL, rows, labels, what, **settings), wanted)


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy", "neg_log_loss"])
def test_a_checkpoint_keeps_labels_of_text_in_objects(tmp_path, scoring):
    names = np.array([f"{'digit' * (i % 3)}{i}" for i in range(10)], dtype=object)
    model = clone(MODEL).fit(X[:600], names[Y[:600]])
    data = model, ROWS, names[LABELS], CONDITIONS[:2]
    wanted = evaluate_perturbations(*data, scoring=scoring)
    settings = {"scoring": scoring, "batch_size": 50, "checkpoint": tmp_path}
    for _ in range(2):
        same(evaluate_perturbations(*data, **settings), wanted)


def test_groups_and_clusters_go_on():
    pytest.importorskip("pandas")
    n = len(ROWS)
    more = {
        "groups": np.arange(n) % 2,
        "clusters": np.arange(n) // 4 * 2 + np.arange(n) % 2,
    }
    more |= {"n_permutations": 50, "random_state": 0}
    wanted = evaluate_perturbations(MODEL, ROWS, LABELS, CONDITIONS, **more)
    pairs = [(ROWS[i : i + 50], LABELS[i : i + 50]) for i in range(0, n, 50)]
    found = evaluate_perturbations(MODEL, pairs, None, CONDITIONS, **more)
    same(found, wanted, but=("groups",))
    assert found.groups.to_frame().equals(wanted.groups.to_frame())


def test_tables_count_refused_rows():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {"kind": rng.choice(["a", "b"], 90), "size": rng.random(90)}
    )
    y = (frame["kind"] == "a").to_numpy().astype(int)
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame, y)
    conditions = get_preset("tabular", random_state=0)[:6]
    with pytest.warns(UserWarning, match="raises an error on rows"):
        wanted = evaluate_perturbations(model, frame, y, conditions, X_ref=frame)
    pairs = [(frame.iloc[i : i + 40], y[i : i + 40]) for i in range(0, 90, 40)]
    with pytest.warns(UserWarning, match="raises an error on rows"):
        found = evaluate_perturbations(model, pairs, None, conditions, X_ref=frame)
    same(found, wanted, but=("untouched_dependence",))


@pytest.mark.filterwarnings("ignore:evaluate_perturbations")
@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
def test_changes_of_tables_are_those_of_all_rows(scoring):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.normal(50, 3, (120, 3)), columns=list("abc"))
    frame["day"] = np.datetime64("2026-01-01") + rng.integers(0, 99, 120)
    frame["kind"] = rng.choice(["x", "y"], 120)
    frame["same"] = 7.0
    y = (frame["a"] > 50).to_numpy().astype(int)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["kind"]),
        ("passthrough", ["a", "b"]),
    )
    model = make_pipeline(encode, SimpleImputer(), LogisticRegression()).fit(frame, y)
    listed = [*get_preset("tabular", severities=(2, 5)), MissingValues(severity=3)]
    conditions = [c.set_params(random_state=0).fit(frame) for c in listed]
    wanted = evaluate_perturbations(model, frame, y, conditions, scoring=scoring)
    for size in (17, 119):
        pairs = [
            (frame.iloc[i : i + size], y[i : i + size]) for i in range(0, 120, size)
        ]
        found = evaluate_perturbations(model, pairs, None, conditions, scoring=scoring)
        same(found, wanted, but=("untouched_dependence",))
    kinds = " ".join(wanted.effect)
    for what in ("numbers", "categories", "dates", "missing"):
        assert what.replace("categories", "cells") in kinds


@pytest.mark.parametrize("attack", [FGSM(2.0), PGD(1.5, n_steps=4, random_state=0)])
@pytest.mark.parametrize("size", [1, 60, 1000])
def test_attacks_on_batches_are_those_on_all_rows(attack, size):
    attack = attack.set_params(data_range=(0, 16))
    rows, labels = ROWS[100:200], LABELS[100:200]
    wanted = evaluate_attack(MODEL, rows, labels, attack, random_state=0)
    found = evaluate_attack(
        MODEL, rows, labels, attack, random_state=0, batch_size=size
    )
    for name in ("clean_accuracy", "robust_accuracy", "changed"):
        assert found[name] == pytest.approx(wanted[name], rel=1e-12)
    close = {"rtol": 1e-4, "atol": 1e-4}  # sums of a product depend on its shape
    columns = [c for c in wanted.columns if c != "tolerance"]
    for name in columns:
        np.testing.assert_allclose(found[name], wanted[name], **close)
    for name in ("success", "norm", "changed"):
        np.testing.assert_allclose(
            found.per_sample[name], wanted.per_sample[name], **close
        )


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(C=0.01, max_iter=3000),
        KNeighborsClassifier(3),
        DecisionTreeClassifier(max_depth=4),
    ],
)
def test_the_certificate_of_batches_is_that_of_all_rows(model):
    model = clone(model).fit(X[:300, 10:20], Y[:300])
    rows, labels = X[300:360, 10:20], Y[300:360]
    options = {"eps": 0.6, "random_state": 0}
    wanted = evaluate_attack(model, rows, labels, "auto", **options)
    found = evaluate_attack(model, rows, labels, "auto", batch_size=25, **options)
    names = "robust_accuracy_upper", "robust_accuracy_lower", "certificate", "is_exact"
    for name in (*names, "not_certified"):
        assert found.get(name) == wanted.get(name), name
    assert "robust_accuracy_upper" in found


def test_attacks_on_sources_and_regressors():
    rows, target = make_regression(60, 4, noise=9, random_state=0)
    model = LinearRegression().fit(rows, target)
    attack = RandomSearch(0.2, n_steps=4, n_candidates=5, random_state=0)
    wanted = evaluate_attack(model, rows, target, attack)
    pairs = [(rows[i : i + 25], target[i : i + 25]) for i in range(0, 60, 25)]
    found = evaluate_attack(model, iter(pairs), None, attack)
    same(found, wanted)
    loss = make_scorer(mean_absolute_error, greater_is_better=False)
    noise = [FeatureNoise(sd=s, random_state=0) for s in (0.1, 0.5)]
    parts = noise, {"scoring": loss, "X_ref": rows}
    wanted = evaluate_perturbations(model, rows, target, parts[0], **parts[1])
    found = evaluate_perturbations(model, pairs, None, parts[0], **parts[1])
    np.testing.assert_allclose(found.score, wanted.score)


def test_the_first_batch_is_checked():
    whole = X[600:760] * 16.0  # whole numbers, and a radius below one step
    options = {"attack": FGSM(0.01), "checks": True, "random_state": 0}
    first = evaluate_attack(MODEL, whole[:70], Y[600:670], **options)
    found = evaluate_attack(MODEL, whole, Y[600:760], batch_size=70, **options)
    assert "INPUT_SCALE" in {one.code for one in first.warnings}
    assert found.warnings == first.warnings
    assert np.array_equal(found.per_sample.success[:70], first.per_sample.success)


def test_what_checks_find_in_the_first_batch_counts(monkeypatch):
    fallen = np.zeros(50, dtype=bool)
    right = np.flatnonzero(MODEL.predict(ROWS[:50]) == LABELS[:50])
    fallen[right[:3]] = True
    monkeypatch.setattr(
        "skrobust.evaluation._evaluate_attack.doubts_or_unchecked",
        lambda *_: ([], fallen),
    )
    attack = FGSM(0.0, data_range=(0, 16))
    plain = evaluate_attack(MODEL, ROWS, LABELS, attack, batch_size=50)
    found = evaluate_attack(MODEL, ROWS, LABELS, attack, batch_size=50, checks=True)
    assert found.robust_accuracy == pytest.approx(plain.robust_accuracy - 3 / len(ROWS))
    assert (
        np.flatnonzero(found.per_sample.success & ~plain.per_sample.success).tolist()
        == right[:3].tolist()
    )


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_warning_of_every_batch_is_told_once(n_jobs):
    rows = ROWS * np.logspace(-4, 5, 64)
    with parallel_config("threading"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        evaluate_attack(MODEL, rows, LABELS, FGSM(0.1), batch_size=70, n_jobs=n_jobs)
    texts = [str(one.message) for one in told]
    texts = [text for text in texts if "is in raw units" in text]
    assert len(texts) == 1
    assert "batches, of which this is the first" in texts[0]


def test_rows_outside_the_range_are_refused_in_any_batch():
    late = ROWS / 16
    late[200:] *= 255
    pairs = [(late[i : i + 50], LABELS[i : i + 50]) for i in range(0, 230, 50)]
    for where, rule in (
        ({}, "knows no data range"),
        ({"data_range": (0, 1)}, "outside"),
    ):
        noise = GaussianNoise(severity=3, image_shape=(8, 8), random_state=0, **where)
        for source in ((late, LABELS), (pairs, None)):
            with pytest.raises(ValueError, match=rule):
                evaluate_perturbations(MODEL, *source, [noise])
    with pytest.raises(ValueError, match="found input outside data_range"):
        evaluate_attack(MODEL, pairs, None, FGSM(0.1, data_range=(0, 1)))


def test_what_takes_no_batches_names_a_cure():
    rows = BatchedRows.from_arrays(ROWS, LABELS, batch_size=50)
    for X_train in (None, rows):
        given = ROWS if X_train is rows else rows
        with pytest.raises(ValueError, match=r"a sample of them, .*next\(iter\(rows\)"):
            collect_report({"model": MODEL}, given, LABELS, X_train=X_train)
    with pytest.raises(ValueError, match="needs y, one label or target for each row"):
        check_evaluation(MODEL, rows, None, FGSM(1.0))
    for call in (FGSM(1.0).run, FGSM(1.0).perturb, CONDITIONS[1].perturb):
        with pytest.raises(TypeError, match="evaluate_attack and fit of samplers take"):
            call(MODEL, rows)


def test_what_needs_all_rows_is_refused_in_one_sentence():
    pairs = [(ROWS, LABELS)]
    with pytest.raises(ValueError, match="in units of the spread of all rows"):
        evaluate_attack(MODEL, pairs, None, FGSM("0.1 std"))
    with pytest.raises(ValueError, match="in units of the spread of all rows"):
        evaluate_attack(MODEL, pairs, None, "auto", eps="0.1 std")
    with pytest.raises(ValueError, match="needs y, the labels or targets of the rows"):
        evaluate_perturbations(MODEL, ROWS, None, CONDITIONS)
    with pytest.raises(ValueError, match="needs labels in every batch"):
        evaluate_perturbations(MODEL, [(ROWS, None)], None, CONDITIONS)
    with pytest.raises(ValueError, match="takes y=None beside BatchedRows"):
        evaluate_perturbations(MODEL, BatchedRows(pairs), LABELS, CONDITIONS)
    silent = LinearSVC().fit(ROWS, LABELS)
    for source in ((ROWS, LABELS), (pairs, None)):
        with pytest.raises(ValueError, match="predict_proba; LinearSVC has none"):
            evaluate_perturbations(silent, *source, CONDITIONS, scoring="neg_log_loss")
    with pytest.raises(ValueError, match=r"'X_ref' parameter .* rows in memory"):
        evaluate_perturbations(
            MODEL, ROWS, LABELS, CONDITIONS, X_ref=BatchedRows(pairs)
        )
    listed = [(ROWS, LABELS)]
    for source in (iter(pairs), lambda: pairs, {1: pairs}.values(), listed):
        with pytest.raises(ValueError, match="takes y=None beside rows that come in"):
            evaluate_perturbations(MODEL, source, LABELS, CONDITIONS)
    with pytest.raises(ValueError, match="needs at least one sample; got none"):
        evaluate_perturbations(MODEL, [], None, CONDITIONS)
    with pytest.raises(ValueError, match="'batch_size' parameter"):
        evaluate_perturbations(MODEL, ROWS, LABELS, CONDITIONS, batch_size=0)


SCRIPT = """
import os, sys
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import GaussianNoise

class Fuse(BaseEstimator):
    def __init__(self, std=0.0):
        self.std = std
    def perturb(self, estimator, X, y=None):
        with open(os.environ["CALLS"], "a") as file:
            file.write("call\\n")
        with open(os.environ["CALLS"]) as file:
            if len(file.readlines()) == int(os.environ["DIE_AT"]):
                os._exit(7)
        return GaussianNoise(std=self.std, random_state=0).perturb(estimator, X, y)

if __name__ == "__main__":
    X, y = load_digits(return_X_y=True)
    model = LogisticRegression(max_iter=50).fit(X[:300] / 16, y[:300])
    X = np.concatenate([X[300:400], X[300:360]]) / 16
    y = np.concatenate([y[300:400], y[300:360]])
    pairs = ((X[i:i + 40], y[i:i + 40]) for i in range(0, 160, 40))
    found = evaluate_perturbations(
        model, pairs, None, [Fuse(s) for s in (0.0, 0.5, 1.0)], checkpoint=sys.argv[1])
    print(*map(repr, found.score.tolist()), found.correct.sum())
"""


def test_memory_does_not_grow_with_the_rows(tmp_path, monkeypatch):
    """Compare peaks of 1,000 and 8,000 pictures, which are 3 and 24 MB."""
    monkeypatch.setattr("skrobust.evaluation.core.batched_runs._SMALL", 0)
    size, shape = 32 * 32 * 3, {"image_shape": (32, 32, 3), "data_range": (0, 255)}
    noise = [GaussianNoise(severity=s, **shape, random_state=0) for s in (1, 3)]
    model = DummyClassifier().fit(np.zeros((2, size)), [0, 1])
    peaks = []
    for n in (200, 1000, 8000):  # the first imports what it needs
        rows = np.memmap(tmp_path / f"{n}", np.uint8, "w+", shape=(n, size))
        rows[:] = np.random.default_rng(0).integers(0, 256, rows.shape, dtype=np.uint8)
        rows = np.memmap(tmp_path / f"{n}", np.uint8, "r", shape=rows.shape)
        tracemalloc.start()
        evaluate_perturbations(model, rows, np.zeros(n), noise, batch_size=100)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] - peaks[1] < 4e6


@pytest.mark.slow
def test_a_killed_run_of_batches_goes_on(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)

    def run(folder, calls, die_at):
        where = str(Path(__file__).parents[2])
        environment = {
            **os.environ,
            "CALLS": str(tmp_path / calls),
            "PYTHONPATH": where,
        }
        environment["DIE_AT"] = str(die_at)
        command = [sys.executable, "-W", "ignore", str(script), str(tmp_path / folder)]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False
        )

    whole = run("other", "all", -1)
    assert whole.returncode == 0, whole.stderr
    made = len((tmp_path / "all").read_text().split())
    assert made == 12 + 6  # two batches have rows of earlier ones, and are drawn again
    assert run("store", "some", 9).returncode == 7
    resumed = run("store", "rest", -1)
    assert resumed.stdout == whole.stdout, resumed.stderr
    assert len((tmp_path / "rest").read_text().split()) == made - 8
