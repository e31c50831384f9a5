"""Repairs: the right one wins in worlds of known truth, and its score is no boast."""

import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from skrobust.attacks import FGSM, PGD
from skrobust.evaluation import (
    evaluate_attack,
    evaluate_perturbations,
    suggest_repairs,
)
from skrobust.evaluation.repairs.estimator_code import estimator_code
from skrobust.evaluation.repairs.fragile_columns import fragile_columns
from skrobust.evaluation.repairs.repair_candidates import make_candidates
from skrobust.evaluation.repairs.repair_case import Case
from skrobust.evaluation.repairs.repair_parts import (
    correct_under_attack,
    missing_rows,
    split_parts,
)
from skrobust.evaluation.repairs.repair_table import pareto_front
from skrobust.perturbations import FeatureNoise, MeanDrift, MissingValues
from skrobust.wrappers import wrap

NOISE = [FeatureNoise(severity=5, random_state=0)]


def two_columns(n, seed, noise=(0.2, 0.25)):
    """Two columns that each tell the class, the first a little better."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y[:, None] + rng.normal(size=(n, 2)) * noise, y


# Worlds of known truth


def test_missing_values_are_imputed():
    X, y = two_columns(300, 0)
    gaps = [MissingValues(share=0.2, random_state=0)]
    results = suggest_repairs(LogisticRegression(), X, y, gaps, random_state=0)
    assert results.helps
    assert results.kind[results.name == results.best].tolist() == ["imputer"]
    # The original refuses rows with a hole; of two columns .8^2 have none.
    assert results.answered[0] == pytest.approx(0.64, abs=0.15)
    assert results.robust[0] <= results.answered[0]
    assert results.answered[results.name == results.best] == 1
    assert "SimpleImputer" in results.code


def test_a_fragile_column_is_dropped_and_the_gain_is_the_true_one():
    data, train = two_columns(500, 0), two_columns(300, 1)
    drift = [MeanDrift(size=2.0, columns=[0])]
    fit = {"X_train": train[0], "y_train": train[1], "random_state": 0}
    results = suggest_repairs(
        LogisticRegression(),
        *data,
        drift,
        candidates=["clipping", "drop_column"],
        **fit,
    )
    assert (results.helps, results.best) == (True, "drop 0")
    assert results.columns_at_risk.column[0] == "0"
    X, y = two_columns(50000, 2)
    moved = drift[0].fit(train[0]).perturb(None, X, y)
    original = LogisticRegression().fit(*train)
    truth = results.best_.score(moved, y) - original.score(moved, y)
    place = results.name.tolist().index("drop 0")
    assert truth > 0.1
    assert results.difference_low[place] <= truth <= results.difference_high[place]
    assert results.robust_low[0] <= original.score(moved, y) <= results.robust_high[0]


@pytest.mark.slow
def test_where_nothing_helps_it_says_so():
    n_alarms = n_chosen = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
        settings = {"candidates": ["scaling", "coarsening"], "random_state": seed}
        results = suggest_repairs(LogisticRegression(), X, y, NOISE, **settings)
        n_alarms += results.helps
        n_chosen += results.chosen is not None
        if not results.helps:
            assert results.verdict.startswith("No repair helps")
            assert results.best == "original"
            assert results.code.endswith("repaired = LogisticRegression()\n")
    assert n_alarms <= 0.05 * 30
    assert n_chosen > 15  # as the rows that choose would have it


@pytest.mark.slow
def test_the_score_of_the_winner_among_many_is_unbiased():
    chosen, reported = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(150, 2)), rng.integers(0, 2, 150)
        coins = {
            f"coin {i}": DummyClassifier(strategy="uniform", random_state=20 * seed + i)
            for i in range(15)
        }
        model = DummyClassifier(strategy="uniform", random_state=12345 + seed)
        settings = {"candidates": coins, "max_clean_loss": 1, "random_state": seed}
        results = suggest_repairs(model, X, y, NOISE, **settings)
        if results.chosen is not None:
            place = results.name.tolist().index(results.chosen)
            chosen.append(results.selection_score[place])
            reported.append(results.robust[place])
    error = np.std(reported, ddof=1) / np.sqrt(len(reported))
    assert abs(np.mean(reported) - 0.5) <= 2 * error
    assert np.mean(chosen) > 0.5 + 5 * error  # what one would report without a split


def test_clean_accuracy_has_a_price():
    X, y = two_columns(400, 0, (0.2, 0.7))
    drift = [MeanDrift(size=3.0, columns=[0])]
    settings = {"candidates": ["drop_column"], "random_state": 0}
    results = suggest_repairs(LogisticRegression(), X, y, drift, **settings)
    assert not results.helps
    assert "at a clean accuracy that is lower by 0.02 at most" in results.verdict
    settings["max_clean_loss"] = 0.5
    results = suggest_repairs(LogisticRegression(), X, y, drift, **settings)
    assert results.best == "drop 0"
    assert results.clean[1] < results.clean[0]


def test_two_weaknesses_take_two_repairs():
    X, y = two_columns(500, 0)
    tests = [
        MeanDrift(size=2.0, columns=[0]),
        MissingValues(share=0.4, columns=[1], random_state=0),
    ]
    kinds = {"candidates": ["imputer", "drop_column"], "random_state": 0}
    one = suggest_repairs(LogisticRegression(), X, y, tests, **kinds)
    two = suggest_repairs(LogisticRegression(), X, y, tests, n_repairs=2, **kinds)
    assert one.kind[one.name == one.best].tolist() == ["imputer"]
    assert two.kind.tolist() == [*one.kind, "imputer + drop_column"]
    n = len(one.name)
    for name in ("name", "clean", "robust", "selection_score"):
        np.testing.assert_array_equal(two[name][:n], one[name])
    assert two.n_candidates > one.n_candidates
    space = {}
    exec(two.code, space)
    fit, *_ = split_parts(X, y, None, 3, np.random.default_rng(0))
    again = space["repaired"].fit(fit.X, fit.y)
    np.testing.assert_array_equal(again.predict(X), two.best_.predict(X))


def test_adversarial_training_and_transferred_examples():
    pytest.importorskip("imblearn")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    # One column that an attack can turn around, and one that it can not.
    X = np.column_stack([y + rng.normal(size=400) * 0.1, 4 * y + rng.normal(size=400)])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=100))
    results = evaluate_attack(model.fit(X, y), X, y, FGSM(0.6))
    found = suggest_repairs(
        model, X, y, results, candidates=["adversarial_training"], random_state=0
    )
    assert found.criterion == "attack"
    assert found.attacked[1] > found.attacked[0]
    np.testing.assert_array_equal(found.robust, found.attacked)


def test_hiding_from_the_attack_is_no_repair():
    class Still(BaseEstimator):
        def perturb(self, estimator, X, y=None):
            return X

    X, y = two_columns(60, 0)
    model = LogisticRegression().fit(X, y)
    moved = PGD(1.0).perturb(model, X, y)
    right = correct_under_attack(model, Still(), X, y, moved, "test")
    assert right.mean() < model.score(X, y)
    np.testing.assert_array_equal(
        right, (model.predict(X) == y) & (model.predict(moved) == y)
    )


def test_the_original_is_attacked_once_for_each_part():
    class Counted(FGSM):
        rows = []

        def perturb(self, estimator, X, y=None):
            type(self).rows.append(len(X))
            return super().perturb(estimator, X, y)

    X, y = two_columns(100, 0)
    only = {"candidates": {"C": LogisticRegression(C=9)}, "random_state": 0}
    found = suggest_repairs(LogisticRegression(), X, y, Counted(0.3), **only)
    n_choose, n_report = found.n_choose, found.n_report
    assert Counted.rows == [n_choose, n_choose, n_report, n_report]  # and the repair
    fit, _, report = split_parts(X, y, None, 3, np.random.default_rng(0))
    original = LogisticRegression().fit(fit.X, fit.y)
    again = evaluate_attack(original, report.X, report.y, FGSM(0.3))
    assert found.attacked[0] == again.robust_accuracy
    assert tuple(again.robust_accuracy_interval) == (
        found.attacked_low[0],
        found.attacked_high[0],
    )


def test_an_attack_that_cannot_attack_a_repair_gives_it_no_score():
    X, y = two_columns(200, 0)
    own = {"candidates": ["coarsening"], "random_state": 0}
    found = suggest_repairs(LogisticRegression(), X, y, FGSM(0.3), **own)
    assert found.name.tolist() == ["original"]
    assert "cannot differentiate" in found.skipped["FGSM on round to 16 levels"]
    assert not found.helps


def test_training_takes_milder_conditions_where_there_are_many():
    pytest.importorskip("imblearn")
    X, y = two_columns(300, 0)
    drifts = [MeanDrift(size=s / 2, columns=[0]) for s in range(1, 11)]
    kinds = {"candidates": ["noise_training"], "random_state": 0}
    few = suggest_repairs(LogisticRegression(), X, y, drifts[-3:], **kinds)
    many = suggest_repairs(LogisticRegression(), X, y, drifts, **kinds)
    assert (few.n_candidates, many.n_candidates) == (3, 4)


# Parts and pieces


@pytest.mark.parametrize("n_parts", [2, 3])
def test_parts_are_disjoint_and_hold_every_class(n_parts):
    y = np.repeat([0, 1, 2], [90, 50, 10])
    X = np.arange(150)[:, None]
    parts = split_parts(X, y, None, n_parts, np.random.default_rng(0))
    assert sorted(np.concatenate([p.X for p in parts]).ravel()) == list(range(150))
    for part in parts:
        np.testing.assert_array_equal(y[part.X.ravel()], part.y)
        counts = np.bincount(part.y, minlength=3) / len(part.y)
        np.testing.assert_allclose(counts, np.array([90, 50, 10]) / 150, atol=0.03)


def test_clusters_stay_together():
    y, clusters = np.tile([0, 1], 60), np.repeat(np.arange(30), 4)
    parts = split_parts(y[:, None], y, clusters, 3, np.random.default_rng(0))
    owners = [set(part.clusters) for part in parts]
    assert sum(map(len, owners)) == 30
    assert set.union(*owners) == set(range(30))
    assert [len(o) for o in owners] == [15, 6, 9]


def test_front_is_what_nothing_dominates():
    rng = np.random.default_rng(0)
    points = rng.integers(0, 5, (40, 2)) / 4
    found = pareto_front(*points.T)
    for i, (x, y) in enumerate(points):
        beaten = any(a >= x and b >= y and (a > x or b > y) for a, b in points.tolist())
        assert found[i] == (not beaten)
    assert not pareto_front(np.array([1.0, 0.5]), np.array([np.nan, 0.5]))[0]


def test_fragile_columns_are_those_that_move():
    X, y = two_columns(200, 0, (0.2, 0.2))
    X = np.column_stack([X, X[:, 0] * 0])
    model = LogisticRegression().fit(X, y)
    drift = MeanDrift(size=3.0, columns=[1]).fit(X)
    assert [name for name, _ in fragile_columns(model, [drift], X, y, "f")] == [1]
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["a", "b", "c"])
    model = LogisticRegression().fit(frame, y)
    drift = MeanDrift(size=3.0).fit(frame)
    losses = dict(fragile_columns(model, [drift], frame, y, "f"))
    one = frame.assign(b=drift.transform(frame)["b"])
    assert losses["b"] == pytest.approx(model.score(frame, y) - model.score(one, y))


# Results


@pytest.fixture(scope="module")
def drifting():
    X, y = two_columns(300, 0)
    model = LogisticRegression().fit(X, y)
    conditions = [MeanDrift(size=s, columns=[0]) for s in (1.0, 2.0)] + NOISE
    return model, X, y, evaluate_perturbations(model, X, y, conditions, X_ref=X)


def test_same_seed_same_result_whatever_the_jobs(drifting, tmp_path):
    model, X, y, results = drifting
    before = X.copy()
    settings = {"candidates": ["clipping", "noise_training"], "random_state": 3}
    first = suggest_repairs(model, X, y, results, **settings)
    folder = tmp_path / "parts"
    for more in ({"n_jobs": 2}, {"checkpoint": folder}, {"checkpoint": folder}):
        with joblib.parallel_config(backend="threading"):
            again = suggest_repairs(model, X, y, results, **settings, **more)
        for name in set(first.columns) - {"fit_seconds"}:
            np.testing.assert_array_equal(again[name], first[name], err_msg=name)
        assert again.verdict == first.verdict
    np.testing.assert_array_equal(X, before)
    other = suggest_repairs(model, X, y, results, **settings | {"random_state": 4})
    assert not np.array_equal(other.robust, first.robust)


def test_finished_parts_are_not_made_again(tmp_path):
    class Counted(MeanDrift):
        n_calls = 0

        def perturb(self, estimator, X, y=None):
            type(self).n_calls += 1
            return super().perturb(estimator, X, y)

    data, settings = two_columns(100, 0), {"candidates": {"C": LogisticRegression(C=9)}}
    settings |= {"checkpoint": tmp_path, "random_state": 0}
    drift = [Counted(size=1.0, columns=[0])]
    # A class of a test cannot be recognised by its pickle: use one of the module.
    globals()["Counted"] = Counted
    Counted.__qualname__ = "Counted"
    suggest_repairs(LogisticRegression(), *data, drift, **settings)
    n = Counted.n_calls
    suggest_repairs(LogisticRegression(), *data, drift, **settings)
    assert n == 4  # two models on the rows that choose, and on those that report
    assert Counted.n_calls == n


def test_table_is_that_of_the_evaluation(drifting):
    """On the rows that report the scores are those of the other evaluations."""
    model, X, y, results = drifting
    train = two_columns(150, 9)
    fit = {"X_train": train[0], "y_train": train[1], "random_state": 0}
    found = suggest_repairs(model, X, y, results, candidates=["calibration"], **fit)
    _, report = split_parts(X, y, None, 2, np.random.default_rng(0))
    original = LogisticRegression().fit(*train)
    conditions = list(results.perturbations)
    again = evaluate_perturbations(
        original, report.X, report.y, conditions, X_ref=train[0]
    )
    assert found.clean[0] == again.clean_score
    assert found.robust[0] == pytest.approx(again.mean)
    ends = found.robust_low[0], found.robust_high[0]
    assert ends == pytest.approx(tuple(again.mean_interval))
    assert found.worst[0] == pytest.approx(again.worst_interval.value)
    assert found.asi[0] == pytest.approx(again.accuracy_stability_index_interval.value)
    assert (found.n_fit, found.n_report) == (150, len(report.y))
    assert np.isnan(found.p_value[0])
    assert np.isnan(found.difference[0])


def test_abstention_is_a_trade_of_its_own(drifting):
    model, X, y, results = drifting
    same = {"candidates": {"same": LogisticRegression()}, "random_state": 0}
    found = suggest_repairs(model, X, y, results, **same)
    trade = found.abstention
    assert (trade.threshold[0], trade.clean_coverage[0]) == (0, 1)
    assert trade.clean_accuracy[0] == found.clean[0]
    assert trade.robust_accuracy[0] == pytest.approx(found.robust[0])
    assert (np.diff(trade.robust_coverage) <= 0).all()
    assert "abstention" not in found.kind
    labels = suggest_repairs(LinearSVC(), X, y, results, **same)
    assert labels.abstention is None  # no probabilities


def test_equal_repairs_differ_by_nothing(drifting):
    model, X, y, results = drifting
    same = {"same": LogisticRegression()}
    found = suggest_repairs(model, X, y, results, candidates=same, random_state=0)
    assert (found.difference[1], found.p_value[1], found.helps) == (0, 1, False)
    assert found.chosen is None
    assert found.verdict.startswith("No repair helps: of the one kind")


def test_code_makes_the_winner(drifting):
    model, X, y, results = drifting
    kinds = ["scaling", "drop_column"]
    found = suggest_repairs(model, X, y, results, candidates=kinds, random_state=0)
    assert found.helps
    space = {}
    exec(found.code, space)
    fit, *_ = split_parts(X, y, None, 3, np.random.default_rng(0))
    again = space["repaired"].fit(fit.X, fit.y)
    np.testing.assert_array_equal(again.predict(X), found.best_.predict(X))


@pytest.mark.slow
def test_mixed_frames_keep_their_columns():
    pandas = pytest.importorskip("pandas")
    X, y = two_columns(300, 0)
    frame = pandas.DataFrame(X, columns=["a", "b"])
    frame["kind"] = pandas.Categorical(np.where(np.arange(300) % 3, "x", "z"))
    model = make_pipeline(
        make_column_transformer(
            (StandardScaler(), ["a", "b"]), (OneHotEncoder(), ["kind"])
        ),
        LogisticRegression(),
    )
    tests = [
        MeanDrift(size=2.0, columns=["a"]),
        MissingValues(share=0.4, columns=["b"], random_state=0),
    ]
    kinds = ["imputer", "scaling", "drop_column", "coarsening"]
    found = suggest_repairs(model, frame, y, tests, candidates=kinds, random_state=0)
    assert set(found.kind) == {"original", *kinds}
    assert found.helps
    space = {}
    exec(found.code, space)
    space["repaired"].fit(frame, y)


BOOSTING = {
    "sklearn.ensemble": ("HistGradientBoostingClassifier", {"max_iter": 9}),
    "xgboost": ("XGBClassifier", {"n_estimators": 9}),
    "lightgbm": ("LGBMClassifier", {"n_estimators": 9, "verbose": -1, "n_jobs": 1}),
    "catboost": (
        "CatBoostClassifier",
        {"iterations": 9, "verbose": 0, "allow_writing_files": False},
    ),
}


@pytest.mark.parametrize("library", BOOSTING)
def test_monotone_constraints_follow_the_classes(library):
    name, settings = BOOSTING[library]
    model = getattr(pytest.importorskip(library), name)(**settings)
    X, y = two_columns(300, 0, (1.0, 1.0))
    X = np.column_stack([X * [1, -1], np.random.default_rng(0).random(300)])
    case = Case(model, X, y, [], [], [], [], [0, 1, 2], False, 0, 0, 0)
    made, skipped = make_candidates(case, ["monotone", "scaling", "imputer"])
    assert made[0].name == "monotone in 2 columns"
    assert skipped["scaling"] == "Trees do not depend on scales."
    assert "imputer" in skipped
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LightGBM misses names that it gave itself
        space = {}
        exec(estimator_code(made[0].estimator), space)
        fitted = space["repaired"].fit(X, y)
        for column, sign in ((0, 1), (1, -1)):
            rows = np.tile(X[:1], (50, 1))
            rows[:, column] = np.linspace(-3, 3, 50)
            chance = fitted.predict_proba(rows)[:, 1]
            assert (sign * np.diff(chance) >= -1e-12).all()
            assert np.ptp(chance) > 0


def test_constraints_of_a_model_behind_scalers():
    X, y = two_columns(200, 0)
    model = make_pipeline(StandardScaler(), HistGradientBoostingClassifier(max_iter=3))
    settings = {"candidates": ["monotone"], "max_clean_loss": 1, "random_state": 1}
    found = suggest_repairs(model, X, y, NOISE, **settings)
    assert found.kind.tolist() == ["original", "monotone"]
    case = Case(model, X, y, [], [], [], [], [0, 1], False, 0, 0, 0)
    assert make_candidates(case, ["monotone"])[0][0].estimator[-1].monotonic_cst == [
        1,
        1,
    ]


@pytest.mark.parametrize("kind", ["pandas", "polars", "array", "objects"])
def test_rows_with_holes_are_seen_in_any_container(kind):
    X = np.array([[1.0, np.nan], [2.0, 3.0], [np.nan, 1.0]])
    if kind in ("pandas", "polars"):
        X = pytest.importorskip(kind).DataFrame({"a": X[:, 0], "b": X[:, 1]})
    elif kind == "objects":
        X = np.array([["a", None], ["b", 1.0], [np.nan, "c"]], dtype=object)
    assert missing_rows(X).tolist() == [True, False, True]


def test_a_frozen_model_is_not_fitted_again():
    X, y = two_columns(300, 0)
    model = LogisticRegression().fit(X, y)
    gaps = [MissingValues(share=0.2, random_state=0)]
    frozen = FrozenEstimator(model)
    found = suggest_repairs(frozen, *two_columns(200, 1), gaps, random_state=0)
    assert found.skipped["noise_training"] == "A frozen model is not fitted again."
    assert found.best_[-1].estimator is model
    assert "FrozenEstimator(model)" in found.code


def test_a_wrapped_model_stays_as_it_is():
    X, y = two_columns(300, 0)
    inner = LogisticRegression().fit(X, y)
    model = wrap(lambda rows: inner.predict(rows), classes=[0, 1], sample=X[:3])
    gaps = [MissingValues(share=0.2, random_state=0)]
    found = suggest_repairs(model, *two_columns(200, 1), gaps, random_state=0)
    assert found.kind[found.name == found.best].tolist() == ["imputer"]
    assert found.best_[-1].estimator is model
    assert "noise_training" in found.skipped


def test_clusters_are_the_units(drifting):
    model, X, y, results = drifting
    clusters = np.repeat(np.arange(100), 3)
    only = {"C": LogisticRegression(C=10)}
    settings = {"candidates": only, "random_state": 0}
    found = suggest_repairs(model, X, y, results, clusters=clusters, **settings)
    assert found.n_fit == 150
    assert np.isfinite(found.robust_low).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"results": 3}, "'results' parameter of suggest_repairs must be results of"),
        ({"results": []}, "'results' parameter"),
        ({"criterion": "attack"}, "must be None or one of 'mean', as tested"),
        ({"candidates": ["magic"]}, "'candidates' parameter"),
        (
            {"candidates": {"line": LinearRegression()}},
            "a dict of names to classifiers",
        ),
        ({"model": LinearRegression()}, "LinearRegression is a regressor"),
        ({"X_train": [[0.0, 1.0]]}, "X_train and y_train together"),
        (
            {"n_repairs": 0},
            "'n_repairs' parameter of suggest_repairs must be an integer",
        ),
        ({"max_clean_loss": 2}, "'max_clean_loss' parameter of suggest_repairs"),
        ({"clusters": [1, 2]}, "inputs of equal length"),
    ],
)
def test_refusals(drifting, change, message):
    model, X, y, _ = drifting
    call = {"model": model, "X": X, "y": y, "results": NOISE} | change
    with pytest.raises(ValueError, match=message):
        suggest_repairs(**call)


def test_too_few_rows_and_a_model_that_does_not_fit():
    X, y = two_columns(30, 0)
    with pytest.raises(ValueError, match=r"ten rows or more that fit.* Got 15, 6, 9"):
        suggest_repairs(LogisticRegression(), X, y, NOISE, random_state=0)
    X, y = two_columns(100, 0)
    with pytest.raises(ValueError, match="could not fit the model: The 'C' parameter"):
        suggest_repairs(LogisticRegression(C=-1), X, y, NOISE)


def test_calibration_is_judged_by_its_probabilities():
    X, y = two_columns(400, 0, (1.0, 1.0))
    noise = [FeatureNoise(severity=3, random_state=0)]
    kinds = {"candidates": ["calibration"], "random_state": 0}
    found = suggest_repairs(GaussianNB(var_smoothing=1e-12), X, y, noise, **kinds)
    table = found.calibration
    assert table.name.tolist() == found.name.tolist()
    fit, _, report = split_parts(X, y, None, 3, np.random.default_rng(0))
    model = GaussianNB(var_smoothing=1e-12).fit(fit.X, fit.y)
    p = model.predict_proba(report.X)[:, 1]
    # Of two classes the sum over both is twice the score of one.
    assert table.clean_brier[0] == pytest.approx(2 * brier_score_loss(report.y, p))
    moved = noise[0].fit(fit.X).perturb(None, report.X, report.y)
    p = model.predict_proba(moved)[:, 1]
    assert table.robust_brier[0] == pytest.approx(2 * brier_score_loss(report.y, p))
    assert table.clean_difference[1] == pytest.approx(np.diff(table.clean_brier)[0])
    assert table.clean_difference_low[1] < table.clean_difference[1]
