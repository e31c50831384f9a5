"""Facts of evaluations by hand: what changed, what is an interval, what fails."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from problems import linear_problem
from scipy.stats import t
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skrobust.attacks import PGD, AutoPGD
from skrobust.base import BaseAttack
from skrobust.evaluation import (
    Isolation,
    cross_validate_perturbations,
    evaluate_attack,
    evaluate_perturbations,
    robust_accuracy_curve,
)
from skrobust.evaluation.attacked import proved_rows
from skrobust.evaluation.attacked.attack_checks import check_examples
from skrobust.evaluation.conditions.fold_intervals import fold_intervals, fold_limits
from skrobust.evaluation.records import recorder
from skrobust.perturbations import FeatureNoise

MODEL, X, Y = linear_problem(80)


class SomeRows(BaseAttack):
    """Moves every ``step``-th row, all features alike."""

    eps, norm, data_range, objective, random_state = 0.1, np.inf, None, None, 0
    _moves_numbers = True

    def __init__(self, step=1):
        self.step = step

    def _attack(self, estimator, X, y, key):
        out = X.copy()
        out[:: self.step] += 0.1
        return out


@pytest.mark.filterwarnings("ignore:.* did not change at all")
@pytest.mark.filterwarnings("ignore:Every resample gives the same value")
@pytest.mark.parametrize("step", [1, 2, 4])
def test_changed_is_a_share_of_rows_and_distortion_is_of_those_that_changed(step):
    target = X @ np.arange(6.0)
    model = LinearRegression().fit(X, target)
    for given in ((MODEL, Y), (model, target)):
        found = evaluate_attack(given[0], X, given[1], SomeRows(step))
        every = evaluate_attack(given[0], X, given[1], SomeRows(1))
        assert found.changed == pytest.approx(1 / step)
        assert found.distortion == pytest.approx(every.distortion, rel=0.1)


@pytest.mark.parametrize("low", [-0.05, -0.5, -2.0, 0.0])
@pytest.mark.parametrize("high", [0.1, 1.0, 1.4])
def test_only_shares_have_intervals_within_zero_and_one(low, high):
    scores = np.array([[low], [high], [(low + high) / 2]])
    clean = np.full(3, 0.5)
    table = {"corruption": np.array(["noise"]), "severity": np.array([1.0])}
    mean = scores.mean()
    half = t.ppf(0.975, 2) * scores.std(ddof=1) / np.sqrt(3)
    wanted = np.array([mean - half, mean + half])
    if low >= 0 and high <= 1:
        wanted = wanted.clip(0, 1)
    found = fold_intervals(table, scores, clean, None, 0.95)["mean_interval"]
    assert [found.low, found.high] == pytest.approx(wanted)
    assert np.ravel(fold_limits(scores, 0.95)) == pytest.approx(wanted)


@pytest.mark.parametrize("beyond", [-0.01, -1e-9, 0.0, 1e-9, 0.01])
@pytest.mark.parametrize("side", ["low", "high"])
def test_examples_on_the_bounds_are_within_them(side, beyond):
    found = np.full((4, 2), 0.5)
    found[1, 0] = 1 + beyond if side == "high" else -beyond
    case = SimpleNamespace(
        attack=None, eps=None, data_range=(0.0, 1.0), seen=(0.2, 0.8),
        under_attack=lambda attack: (np.ones(4, dtype=bool), found),
    )  # fmt: skip
    doubts = list(check_examples(case))
    assert [one.code for one in doubts] == ["OUT_OF_RANGE"] * (beyond > 1e-6)
    if doubts:
        assert doubts[0].numbers["share"] == 0.25


def test_a_curve_is_tightened_by_both_runs_that_its_docstring_names(monkeypatch):
    seen, run = [], AutoPGD.run

    def noted(self, estimator, X, y=None, start=None, **more):
        seen.append((self.loss, start is not None, self.n_steps))
        return run(self, estimator, X, y, start=start, **more)

    monkeypatch.setattr(AutoPGD, "run", noted)
    grid = [0.05, 0.1, 0.2]
    attack = PGD(n_steps=2, random_state=0)
    tight = robust_accuracy_curve(MODEL, X, Y, attack, grid)
    assert {one[:2] for one in seen} == {("dlr", True), ("soft_margin", False)}
    assert [one[1] for one in seen] == sorted([one[1] for one in seen], reverse=True)
    assert len({one[2] for one in seen}) == 1
    loose = robust_accuracy_curve(MODEL, X, Y, attack, grid, tighten=False)
    assert (tight.robust_accuracy <= loose.robust_accuracy).all()


class Widened:
    """Condition that adds a column, which a model may leave aside."""

    def perturb(self, estimator, X, y=None):
        return np.column_stack([X, X[:, 0]])


@pytest.mark.parametrize("widened", [0, 1, 2])
def test_conditions_that_keep_the_table_beside_one_that_widens_it(widened):
    model = make_pipeline(
        FunctionTransformer(lambda rows: rows[:, :6]), LogisticRegression()
    )
    plain = [FeatureNoise(severity=s, random_state=0) for s in (1, 3)]
    conditions = [*plain[:widened], Widened(), *plain[widened:]]
    found = cross_validate_perturbations(model, X, Y, conditions, cv=KFold(3))
    assert len(found.conditions.score) == 3
    wanted = cross_validate_perturbations(model, X, Y, plain, cv=KFold(3))
    same = np.arange(3) != widened
    np.testing.assert_array_equal(found.conditions.score[same], wanted.conditions.score)
    assert found.conditions.score[widened] == pytest.approx(found.clean_score)


def test_a_proof_that_fails_leaves_the_rest_where_errors_are_caught(monkeypatch):
    def no_proof(*parts):
        raise RuntimeError("no proof")

    how = {"eps": 0.1, "random_state": 0}
    plain = evaluate_attack(MODEL, X, Y, "auto", **how)
    monkeypatch.setattr(proved_rows, "proof_of_rows", no_proof)
    found = evaluate_attack(MODEL, X, Y, "auto", error_score=np.nan, **how)
    assert found.not_certified == "it failed: RuntimeError: no proof"
    assert found.robust_accuracy == plain.robust_accuracy
    with pytest.raises(RuntimeError, match="no proof"):
        evaluate_attack(MODEL, X, Y, "auto", error_score="raise", **how)


def test_what_a_scorer_says_of_one_batch_is_not_told():
    def of_two_classes(estimator, X, y):
        labels = estimator.predict(X)
        if len(np.unique(y)) < 2:
            warnings.warn("y has one class", UserWarning, stacklevel=1)
        return float(np.mean(labels == y))

    order = np.argsort(Y, kind="stable")  # the first batch has one class
    data = MODEL, X[order], Y[order], [FeatureNoise(severity=2, random_state=0).fit(X)]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        evaluate_perturbations(*data, scoring=of_two_classes, batch_size=10)
    assert not [one for one in told if "one class" in str(one.message)]


class Fails:
    """Condition that raises."""

    def perturb(self, estimator, X, y=None):
        raise RuntimeError("no rows")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("fails", [False, True])
def test_a_record_keeps_the_limits_that_results_depend_on(fails, monkeypatch):
    limits = Isolation(timeout=30.0)
    monkeypatch.setattr(recorder, "_isolation", lambda: limits)
    added = []

    class Kept(recorder.Recorder):
        def add(self, *parts):
            added.append(parts[3][1])

    kept = Kept({"m": MODEL}, X, Y, None, "evaluate_perturbations")
    conditions = [FeatureNoise(severity=1, random_state=0).fit(X)] + [Fails()] * fails
    evaluate_perturbations(
        MODEL, X, Y, conditions, error_score=np.nan,
        record=recorder.RecorderOfModel(kept, "m", MODEL),
    )  # fmt: skip
    (plain,) = added
    if fails:
        assert plain["isolate"]["isolation"][0] == 30.0
    else:
        assert plain["isolate"] is False
