"""Conditions and runs that fail in some batches alone, and their records."""

from functools import partial

import numpy as np
import pytest
from misbehaving_models import Centroids, Fussy, Raises
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import make_blobs

from skrobust._parallel import alone, isolated
from skrobust.attacks import RandomSearch
from skrobust.evaluation import (
    Isolation,
    evaluate_attack,
    evaluate_perturbations,
    replay_record,
    verify_record,
)
from skrobust.evaluation.attacked import attack_batches
from skrobust.perturbations import GaussianNoise
from skrobust.report import collect_report

X, Y = make_blobs(60, centers=3, n_features=4, random_state=0)
X = (X - X.min()) / (X.max() - X.min())
Y[40:] = Y[:20]  # all labels in the last batch
QUIET, LOUD, LAST = (
    GaussianNoise(std=std, data_range=(0, 100), random_state=0)
    for std in (0.001, 0.2, 0.002)
)
CONDITIONS = [QUIET, LOUD, LAST]
MODEL = Fussy().fit(X, Y)
REASON = ["", "RuntimeError: too bright", ""]
TOLD = pytest.mark.filterwarnings("ignore:evaluate_perturbations. 1 of 3")
SEARCH = RandomSearch(0.1, data_range=(0, 1), max_queries=10, random_state=0)


class Late:
    """Raises for the batch of the last rows alone."""

    name = "late"

    def perturb(self, estimator, X, y=None):
        if X[-1, 0] == LATE[-1, 0]:
            raise RuntimeError("too late")
        return X + 0.1


LATE = X


@TOLD
@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("twice", [False, True])
def test_one_batch_fails_and_the_other_conditions_are_kept(
    tmp_path, scoring, n_jobs, twice
):
    rows, labels = (np.tile(X, (2, 1)), np.tile(Y, 2)) if twice else (X, Y)
    how = {"batch_size": 20, "scoring": scoring, "n_jobs": n_jobs}
    how["checkpoint"] = tmp_path
    conditions = [QUIET, Late(), LAST]
    r = evaluate_perturbations(MODEL, rows, labels, conditions, **how)
    assert r.failed.tolist() == ["", "RuntimeError: too late", ""]
    rest = evaluate_perturbations(MODEL, rows, labels, [QUIET, LAST], scoring=scoring)
    for name in ("score", "changed", "distortion"):
        assert np.allclose(r[name][[0, 2]], rest[name], rtol=1e-12, atol=0)
        assert np.isnan(r[name][1])
    if scoring is None:
        for name in ("correct", "flipped"):
            assert np.array_equal(r[name][:, [0, 2]], rest[name])
            assert np.isnan(r[name][:, 1]).all()
        assert np.array_equal(r.flip_rate, r.flipped.mean(axis=0), equal_nan=True)
    again = evaluate_perturbations(MODEL, rows, labels, conditions, **how)
    assert np.array_equal(again.score, r.score, equal_nan=True)


def test_nothing_is_read_once_all_failed():
    seen = []

    def batches():
        for start in (0, 20, 40):
            seen.append(start)
            yield X[start : start + 20], Y[start : start + 20]

    with pytest.raises(RuntimeError, match="cannot"):
        evaluate_perturbations(MODEL, batches(), None, [Raises()])
    assert seen == [0]


def test_a_proof_that_fails_over_batches_leaves_the_rest(monkeypatch):
    def no_proof(*parts):
        raise RuntimeError("no proof")

    model = Centroids().fit(X, Y)
    how = {"eps": 0.1, "batch_size": 30, "data_range": (0, 1), "random_state": 0}
    plain = evaluate_attack(model, X, Y, "auto", **how)
    monkeypatch.setattr(attack_batches, "proof_of_rows", no_proof)
    r = evaluate_attack(model, X, Y, "auto", **how)
    assert r.not_certified == "it failed: RuntimeError: no proof"
    assert r.robust_accuracy == plain.robust_accuracy
    with pytest.raises(RuntimeError, match="no proof"):
        evaluate_attack(model, X, Y, "auto", error_score="raise", **how)


@TOLD
@pytest.mark.parametrize("how", [{}, {"batch_size": 20}, {"error_score": 0.0}])
def test_the_record_of_a_failed_condition_holds_and_is_replayed(tmp_path, how):
    path = tmp_path / "r.skr"
    r = evaluate_perturbations(MODEL, X, Y, CONDITIONS, record=path, **how)
    assert r.failed.tolist() == REASON
    found = verify_record(path, model=MODEL, X=X, y=Y)
    assert found.ok, found
    assert set(found.state) == {"holds"}
    again = replay_record(path, MODEL, X, Y)
    assert again.ok, again
    assert again.largest_difference < 1e-12  # means over batches
    assert not again.n_differing.any()


@TOLD
def test_a_replay_without_the_failure_differs(tmp_path):
    path = tmp_path / "r.skr"
    evaluate_perturbations(MODEL, X, Y, CONDITIONS, record=path)
    before = Fussy._prepare
    try:
        Fussy._prepare = Centroids._prepare  # the cause is gone
        again = replay_record(path, MODEL, X, Y)
    finally:
        Fussy._prepare = before
    state = dict(zip(again.quantity, again.state, strict=True))
    assert not again.ok
    assert state["failed"] == "not replayed"
    assert list(again.state[:3]) == ["equal", "differs", "equal"]


def test_the_record_of_an_attack_of_which_runs_failed(tmp_path):
    class Labels(Centroids):
        def predict_proba(self, X):
            if not np.isin(X, self.known_).all():
                raise RuntimeError("no probabilities")
            return super().predict_proba(X)

    model, path = Labels().fit(X, Y), tmp_path / "r.skr"
    model.known_ = X
    attack = RandomSearch(
        0.3, data_range=(0, 1), max_queries=20, response="predict", random_state=0
    )
    with pytest.warns(UserWarning, match="the run of the attack for robust_ratio"):
        r = evaluate_attack(model, X, Y, attack, record=path)
    assert len(r.failed) == 2
    assert verify_record(path, X=X, y=Y).ok
    again = replay_record(path, model, X, Y)
    assert again.ok, again


@TOLD
@pytest.mark.filterwarnings("ignore:normalized_score_parts")
@pytest.mark.parametrize("apart", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_record_of_a_report_names_what_failed(tmp_path, apart):
    path = tmp_path / "r.skr"
    found = collect_report(
        {"m": MODEL}, X, Y, conditions=CONDITIONS, image_shape=(2, 2), checks=False,
        attacks={"search": SEARCH, "raises": Raises()}, data_range=(0, 1), n_labels=5,
        record=path, isolate=apart and Isolation(timeout=60),
    )  # fmt: skip
    reasons = {row["section"]: row["reason"] for row in found["skipped"]}
    assert reasons["raises"] == "cannot"
    checked = verify_record(path, model=MODEL, X=X, y=Y)
    assert checked.ok, checked
    again = replay_record(path, MODEL, X, Y)
    state = dict(zip(again.step, again.state, strict=True))
    assert state.pop("m: raises") == "not replayable"
    assert set(state.values()) == {"equal"}
    assert any("as it failed: RuntimeError: cannot" in one for one in again.reasons)


@TOLD
@pytest.mark.slow
def test_what_hung_is_replayed_in_isolation(tmp_path):
    model, path = Fussy("hang").fit(X, Y), tmp_path / "r.skr"
    limits = Isolation(timeout=3)
    how = {"record": path, "isolate": limits, "batch_size": 30}
    r = evaluate_perturbations(model, X, Y, CONDITIONS, **how)
    assert r.failed[1] == "timed out after 3 s"
    again = replay_record(path, model, X, Y)  # it would hang without
    assert again.ok, again


def test_processes_apart_forget_batches_that_are_done():
    with isolated(60, None) as session:
        model = Centroids().fit(X, Y)
        for start in range(30):
            labels = alone(Centroids.predict, model, X + start)
            assert np.array_equal(labels, model.predict(X + start))
        assert len(session._parcels) < 12
        (child,) = session._all
        assert len(child._known) < 12


@pytest.mark.slow
def test_isolation_and_checks_of_batches():
    model = Centroids().fit(X, Y)
    how = {"batch_size": 30, "checks": True, "random_state": 0}
    plain = evaluate_attack(model, X, Y, SEARCH, **how)
    apart = evaluate_attack(model, X, Y, SEARCH, isolate=Isolation(60), **how)
    assert apart.robust_accuracy == plain.robust_accuracy
    assert [one.code for one in apart.warnings] == [one.code for one in plain.warnings]


class FussyNumbers(RegressorMixin, BaseEstimator):
    """A regressor that refuses the same rows."""

    def fit(self, X, y):
        self.classes_of_ = Fussy().fit(X, y)
        return self

    def predict(self, X):
        return self.classes_of_.predict(X).astype(float)


SCORINGS = {"labels": None, "scores": "balanced_accuracy"}


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("how", [*SCORINGS, "attack", "regression"])
def test_a_model_that_raises_on_clean_rows_of_a_batch_ends_the_run(how, place):
    bright = X.copy()
    bright[20 * place] = 9.0  # which the model refuses
    seen = []

    def batches():
        for start in (0, 20, 40):
            seen.append(start)
            yield bright[start : start + 20], Y[start : start + 20]

    model, evaluate, more = MODEL, evaluate_attack, (SEARCH,)
    if how == "regression":
        model = FussyNumbers().fit(X, Y)
    elif how != "attack":
        evaluate = partial(evaluate_perturbations, scoring=SCORINGS[how])
        more = ([QUIET],)
    with pytest.raises(RuntimeError, match=r"^too bright$"):
        evaluate(model, batches(), None, *more)
    assert seen == [0, 20, 40][: place + 1]
