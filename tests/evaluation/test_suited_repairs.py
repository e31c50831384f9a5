"""Repairs that suit a case, why others do not, and what the originals answer."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.evaluation import suggest_repairs
from skrobust.evaluation.core.checkpoint import Checkpoint
from skrobust.evaluation.repairs import repair_search
from skrobust.evaluation.repairs.fragile_columns import fragile_columns
from skrobust.evaluation.repairs.repair_candidates import KINDS, make_candidates
from skrobust.evaluation.repairs.repair_case import Case
from skrobust.evaluation.repairs.repair_parts import (
    Scores,
    answers_under,
    split_parts,
)
from skrobust.evaluation.repairs.repair_table import add_difference, repair_columns
from skrobust.metrics import compare_models
from skrobust.metrics.callable_metrics import mean_score
from skrobust.perturbations import FeatureNoise, MeanDrift

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4))
Y = (X[:, 0] - X[:, 2] > 0).astype(int)
NOISE = FeatureNoise(3, random_state=0).fit(X)


def case_of(rows=X, y=Y, **changes):
    numbers = list(range(rows.shape[1])) if rows.ndim == 2 else []
    facts = {
        "model": LogisticRegression(), "X": rows, "y": y, "weak": [("noise", NOISE)],
        "milder": [], "attacks": [], "fragile": [(0, 0.2)], "numbers": numbers,
        "has_gaps": False, "n_predictions": 10, "most_predictions": 1e6, "seed": 0,
    }  # fmt: skip
    return Case(**facts | changes)


def names(kind, **changes):
    made, skipped = make_candidates(case_of(**changes), [kind])
    assert not skipped
    return [one.name for one in made]


class OfYourOwn:
    def perturb(self, estimator, X, y=None):
        return X


FOUR = np.r_[np.zeros(76, dtype=int), np.ones(4, dtype=int)]
REASONS = {
    "four rows of a class": (
        "calibration", {"y": FOUR}, "Each class needs five rows."),
    "images": (
        "drop_column", {"rows": np.zeros((80, 4, 4))}, "The rows have no columns."),
    "61 columns": (
        "drop_column", {"rows": np.zeros((80, 61))},
        "Columns are tried one by one up to 60 of them."),
    "nothing fragile": (
        "drop_column", {"fragile": []},
        "No column by itself costs accuracy under the conditions."),
    "foreign conditions": (
        "noise_training", {"weak": [("own", OfYourOwn())]},
        "No condition is a perturbation of skrobust."),
    "nothing weak": ("noise_training", {"weak": []}, "No condition costs accuracy."),
    "frozen": (
        "smoothing", {"model": FrozenEstimator(LogisticRegression())},
        "A frozen model is not fitted again."),
    "many predictions": (
        "smoothing", {"n_predictions": 10_001},
        "It would take 1000100 predictions; name it to have it tried."),
}  # fmt: skip


TREES = HistGradientBoostingClassifier()
FITTED_AGAIN = ("scaling", "monotone", "drop_column", "noise_training",
                "adversarial_training", "smoothing")  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize(
    "model", [LogisticRegression(), TREES], ids=["linear", "trees"]
)
def test_repairs_that_fit_again_say_so_of_a_frozen_model(kind, model, behind):
    frozen = FrozenEstimator(model)
    if behind:
        frozen = make_pipeline(StandardScaler(), frozen)
    changes = {"model": frozen, "attacks": [], "has_gaps": True}
    if kind == "smoothing":
        changes["has_gaps"] = False
    made, skipped = make_candidates(case_of(**changes), [kind])
    if kind in FITTED_AGAIN:
        assert (made, skipped) == ([], {kind: "A frozen model is not fitted again."})
    else:
        assert made


@pytest.mark.parametrize("case", REASONS)
def test_a_repair_that_does_not_suit_says_why(case):
    kind, changes, reason = REASONS[case]
    made, skipped = make_candidates(case_of(**changes), [kind])
    assert (made, skipped) == ([], {kind: reason})


def test_repairs_suit_up_to_the_limits_of_those_reasons():
    five = np.r_[np.zeros(75, dtype=int), np.ones(5, dtype=int)]
    methods = ["sigmoid calibration", "isotonic calibration"]
    assert names("calibration", y=five) == methods
    assert names("drop_column", rows=np.zeros((80, 60))) == ["drop 0"]
    assert len(names("smoothing", n_predictions=10_000)) == 2


@pytest.mark.parametrize(("n_fragile", "most"), [(1, 1), (2, 2), (3, 3), (4, 3)])
def test_the_most_fragile_columns_are_dropped_together(n_fragile, most):
    fragile = [(j, 0.5 - 0.1 * j) for j in (2, 0, 3, 1)][:n_fragile]
    order = ["2", "0", "3"][:most]
    expected = [f"drop {', '.join(order[:n])}" for n in range(1, most + 1)]
    assert names("drop_column", fragile=fragile) == expected


def test_one_column_is_left():
    both = {"rows": X[:, [0, 2]], "fragile": [(0, 0.2), (1, 0.1)]}
    assert names("drop_column", **both) == ["drop 0"]


@pytest.mark.parametrize("container", ["array", "frame"])
def test_a_model_does_not_see_what_is_dropped(container):
    rows, changes = X, {}
    if container == "frame":  # whose columns the model names
        rows = pd.DataFrame(X, columns=list("abcd"))
        scale = make_column_transformer((StandardScaler(), list("abcd")))
        changes = {"model": make_pipeline(scale, LogisticRegression())}
        changes |= {"fragile": [("a", 0.2)], "numbers": list("abcd")}
    made, _ = make_candidates(case_of(rows, **changes), ["drop_column"])
    model = made[0].estimator.fit(rows, Y)
    other = rows.copy()
    other[other.columns[0] if container == "frame" else (slice(None), 0)] = 99.0
    assert model.predict(other).tolist() == model.predict(rows).tolist()
    if container == "array":
        assert model[-1].n_features_in_ == 3
    else:  # all columns are there, since the model asks for them
        assert model[-1].feature_names_in_.tolist() == list("abcd")


class Given(ClassifierMixin, BaseEstimator):
    """Its chances are the rows."""

    classes_ = np.array([0, 1, 2])

    def predict_proba(self, X):
        return np.asarray(X)

    def predict(self, X):
        return np.argmax(X, axis=1)


def test_margin_and_brier_score_of_given_chances():
    p = np.array([[0.5, 0.3, 0.2], [0.1, 0.15, 0.75], [0.0, 0.0, 1.0]])
    correct, answered, margin, brier = answers_under(
        Given(), None, p, np.array([0, 1, 2]), True, "here"
    )
    assert correct.tolist() == [1, 0, 1]
    assert answered.tolist() == [1, 1, 1]
    assert margin == pytest.approx([0.2, 0.6, 1.0])
    assert brier == pytest.approx([0.38, 0.01 + 0.85**2 + 0.75**2, 0.0])


@pytest.fixture(scope="module")
def found():
    """Repairs of a drift along one of two columns, with little time for smoothing."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 120)
    rows = y[:, None] + rng.normal(size=(120, 2)) * [0.2, 0.25]
    drift = [MeanDrift(size=2.0, columns=[0]), MeanDrift(size=0.1, columns=[1])]
    before = repair_search.MOST_PREDICTIONS
    repair_search.MOST_PREDICTIONS = 1000
    try:
        how = {"n_repairs": 2, "random_state": 0}
        return suggest_repairs(LogisticRegression(), rows, y, drift, **how)
    finally:
        repair_search.MOST_PREDICTIONS = before


def test_smoothing_that_takes_long_waits_to_be_named(found):
    # 100 votes for each row that chooses or reports, clean and under two conditions.
    n = 100 * (found.n_choose + found.n_report) * 3
    assert found.skipped["smoothing"] == (
        f"It would take {n} predictions; name it to have it tried."
    )
    assert any(" + " in kind for kind in found.kind)  # repairs were combined
    assert not any("smoothing" in kind for kind in found.kind)


@pytest.mark.parametrize("n_conditions", [1, 3])
def test_predictions_of_a_candidate_are_clean_and_under_each_condition(n_conditions):
    conditions = [NOISE] * n_conditions
    store, jobs = Checkpoint(None, "here"), {"n_jobs": None, "verbose": 0}
    data = conditions, [], "mean", store, jobs, 0, "here"
    search = repair_search.Search(LogisticRegression(), *data)
    fit, choose, report = split_parts(X, Y, None, 3, np.random.default_rng(0))
    search.start(fit, choose)
    case = search._case("original", False, len(report.y))
    asked = (len(choose.y) + len(report.y)) * (n_conditions + 1)
    assert case.n_predictions == asked


def test_weaknesses_are_the_conditions_that_cost_most(found):
    table = found.weaknesses
    assert "MeanDrift" in table.condition[0]
    assert table.accuracy.tolist() == sorted(table.accuracy)
    assert (table.accuracy < table.clean).all()
    assert len(table.condition) == len(table.accuracy)


class Mirror:
    """Turns the sign of all numbers of one row."""

    def __init__(self, row):
        self.row = row

    def perturb(self, estimator, X, y=None):
        turned = np.arange(len(X)) == self.row
        return np.where(turned[:, None], -X, X)


@pytest.mark.parametrize(("row", "expected"), [(499, [(0, 1 / 500)]), (500, [])])
def test_columns_at_risk_are_found_on_500_rows(row, expected):
    rows = np.random.default_rng(0).normal(size=(501, 2))
    y = (rows[:, 0] > 0).astype(int)
    model = LogisticRegression()
    model.classes_, model.n_features_in_ = np.array([0, 1]), 2
    model.coef_, model.intercept_ = np.array([[1.0, 0.0]]), np.zeros(1)
    found = fragile_columns(model, [Mirror(row)], rows, y, "here")
    assert [name for name, _ in found] == [name for name, _ in expected]
    assert [loss for _, loss in found] == pytest.approx([loss for _, loss in expected])


@pytest.mark.parametrize("is_frozen", [False, True])
@pytest.mark.parametrize("behind", [False, True])
def test_a_frozen_model_keeps_the_units_of_its_columns(is_frozen, behind):
    model = LogisticRegression().fit(X, Y)
    model = FrozenEstimator(model) if is_frozen else model
    model = make_pipeline(StandardScaler(), model) if behind else model
    quantiles = [f"clip at quantile {q}" for q in ("0.999", "0.99", "0.95")]
    scaled = [] if is_frozen else ["clip to the training range"]
    made, _ = make_candidates(case_of(model=model), ["clipping"])
    assert [one.name for one in made] == scaled + quantiles
    if not is_frozen or behind:
        return
    for one in made:  # rows inside of the range of training are answered as before
        inside = X[(np.abs(X) < np.quantile(np.abs(X), 0.9)).all(axis=1)]
        repaired = one.estimator.fit(X, Y)
        assert repaired.predict(inside).tolist() == model.predict(inside).tolist()


def scores_of(correct):
    n = len(correct)
    nothing = np.full((n, 1 + correct.shape[1]), np.nan)
    answered = np.ones(correct.shape[1])
    return Scores(correct[:, 0], correct, None, answered, nothing, nothing)


@pytest.mark.parametrize("n_rows", [1, 30])
@pytest.mark.parametrize("n_conditions", [1, 2, 5])
def test_a_row_is_right_or_wrong_under_one_condition_and_a_share_under_more(
    n_rows, n_conditions
):
    correct = np.random.default_rng(0).random((n_rows, n_conditions)) < 0.6
    found = scores_of(correct).per_row("mean")
    assert found.shape == (n_rows,)
    assert (found.dtype == bool) == (n_conditions == 1)
    assert np.array_equal(found, correct.mean(axis=1))
    assert scores_of(correct).value("mean") == pytest.approx(correct.mean())
    assert np.isnan(scores_of(correct).value("attack"))


def test_one_condition_is_compared_by_the_exact_test():
    rng = np.random.default_rng(0)
    before = rng.random(60) < 0.6
    after = before ^ (rng.random(60) < 0.3)
    gained, lost = (after & ~before).sum(), (before & ~after).sum()
    scores = {
        "original": scores_of(before[:, None]),
        "other": scores_of(after[:, None]),
    }
    table = {
        "name": np.array(["noise"]), "corruption": np.array(["noise"]),
        "severity": np.array([1.0]), "number": np.array([1]),
    }  # fmt: skip
    found = repair_columns(scores, table, None, "mean", 0.95, 0, "here")
    exact = binomtest(gained, gained + lost).pvalue
    assert found["p_value"][1] == pytest.approx(exact)
    assert found["difference"][1] == pytest.approx((gained - lost) / 60)
    assert np.isnan(found["p_value"][0])


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("clusters", [None, np.arange(60) // 3])
@pytest.mark.parametrize("n_conditions", [1, 3])
def test_a_difference_is_that_of_the_comparison_of_models(n_conditions, clusters, seed):
    rng = np.random.default_rng(0)
    before, after = rng.random((2, 60, n_conditions)) < [[[0.5]], [[0.6]]]
    values = [scores_of(one).per_row("mean") for one in (before, after)]
    how = {"clusters": clusters, "confidence": 0.9, "random_state": seed}
    row = {}
    add_difference(row, "gain", values, how)
    models = {"repair": values[1], "original": values[0]}
    metric = "robust_accuracy" if n_conditions == 1 else mean_score
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few clusters
        wanted = compare_models(models, metric=metric, **how)
    names = {"gain": "difference", "gain_low": "low", "gain_high": "high"}
    for name, known in (names | {"gain_p": "p_value"}).items():
        assert row[name] == wanted[known][0], name
