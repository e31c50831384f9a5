"""Columns that no condition changes, and what a severity does in words."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from skrobust.evaluation import cross_validate_perturbations, evaluate_perturbations
from skrobust.perturbations import (
    CategoryFlip,
    DateShift,
    FeatureNoise,
    FunctionPerturbation,
    MeanDrift,
    MissingValues,
    PerturbationSequence,
    tabular,
)

RNG = np.random.default_rng(0)
N = 80
FRAME = pd.DataFrame(
    {
        "size": RNG.normal(5, 3, N),
        "Brand": RNG.choice(["x", "y"], N),
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(N), "D"),
        "same": 1.0,
    }
)
Y = (FRAME["Brand"] == "x").to_numpy().astype(int)


class ByBrand(ClassifierMixin, BaseEstimator):
    """The class is the brand."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return (np.asarray(X["Brand"]) == "x").astype(int)


class BySize(RegressorMixin, BaseEstimator):
    """The answer is the size."""

    def fit(self, X, y):
        self.is_fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(X["size"], dtype=float)


MODEL = ByBrand().fit(FRAME, Y)
NUMBERS = tabular((3, 5), categories=False, dates=False, random_state=0)[:4]


def test_a_model_that_depends_on_untouched_columns_is_warned_of():
    with pytest.warns(UserWarning, match="columns 'Brand', 'day', on which") as seen:
        results = evaluate_perturbations(MODEL, FRAME, Y, NUMBERS, X_ref=FRAME)
    assert len(seen) == 1
    assert "of the answers change" in str(seen[0].message)
    assert results.untouched_columns == ("Brand", "day", "same")
    order = np.random.default_rng(0).permutation(N)
    assert results.untouched_dependence == np.mean(Y[order] != Y)
    with pytest.warns(UserWarning, match="'Brand', 'day', on which"):
        folds = cross_validate_perturbations(ByBrand(), FRAME, Y, NUMBERS, cv=4)
    assert folds.untouched_columns == results.untouched_columns
    assert 0.2 < folds.untouched_dependence < 0.8


def test_no_warning_where_all_is_touched_or_nothing_depends():
    grid = tabular((5,), random_state=0)
    results = evaluate_perturbations(MODEL, FRAME, Y, grid, X_ref=FRAME)
    assert results.untouched_columns == ("same",)
    assert results.untouched_dependence == 0
    size = FRAME["size"].to_numpy()
    by_size = BySize().fit(FRAME, size)
    results = evaluate_perturbations(by_size, FRAME, size, NUMBERS, X_ref=FRAME)
    assert results.untouched_columns == ("Brand", "day", "same")
    assert results.untouched_dependence == 0
    flip = [
        CategoryFlip(5, random_state=0),
        CategoryFlip(5, mode="typo", random_state=0),
    ]
    with pytest.warns(UserWarning, match="'size', 'day', .* its score changes by"):
        evaluate_perturbations(by_size, FRAME, size, flip, X_ref=FRAME)


def test_one_perturbation_alone_is_a_choice():
    drift = [MeanDrift(severity) for severity in (0, 1, 2)]
    results = evaluate_perturbations(MODEL, FRAME, Y, drift, X_ref=FRAME)
    assert results.untouched_columns == ("Brand", "day", "same")
    assert results.untouched_dependence > 0.2


def test_places_in_arrays_and_other_rows():
    X = RNG.normal(size=(40, 3))
    y = (X[:, 2] > 0).astype(int)

    class Last(ByBrand):
        def predict(self, X):
            return (np.asarray(X)[:, -1] > 0).astype(int)

    model = Last().fit(X, y)
    noise = [FeatureNoise(5, columns=[0, 2], random_state=0)]
    results = evaluate_perturbations(model, X, y, noise, X_ref=X)
    assert results.untouched_columns == (1,)
    plain = [FunctionPerturbation(np.tanh)]
    assert "effect" not in evaluate_perturbations(model, X, y, plain)


def test_a_run_from_a_checkpoint_tells_the_same(tmp_path):
    more = {"X_ref": FRAME, "checkpoint": tmp_path}
    grid = tabular((5,), random_state=0)
    first = evaluate_perturbations(MODEL, FRAME, Y, grid, **more)
    again = evaluate_perturbations(MODEL, FRAME, Y, grid, **more)
    assert again.effect.tolist() == first.effect.tolist()
    assert again.untouched_columns == first.untouched_columns


# In words


def test_drift_is_told_in_standard_deviations():
    X = RNG.normal(3, [1, 10, 1000], size=(60, 3))
    for size in (0.5, -2.0):
        found = MeanDrift(size=size).fit(X).describe(X)
        assert found.std_change == pytest.approx(abs(size))
        assert found.touched == (0, 1, 2)
    # In the units of other rows.
    found = MeanDrift(size=1.0).fit(X).describe(X, X_ref=4 * X)
    assert found.std_change == pytest.approx(1 / 4)
    # Units of the columns, and the order of the rows, do not matter.
    other = X[::-1] * [2, 0.1, -5] + 7
    assert MeanDrift(1).fit(other).describe(other).words == (
        "numbers of 3 columns move by 0.1 standard deviations on average"
    )


@pytest.mark.parametrize("unit", [1e-9, 0.01, 0.9, 1.1, 1e6])
def test_a_drift_is_told_whatever_the_units_of_the_columns(unit):
    X = np.random.default_rng(0).normal(3, 1, (60, 3)) * [unit, 2 * unit, 1]
    found = MeanDrift(size=0.5).fit(X).describe(X)
    assert found.std_change == pytest.approx(0.5)
    assert found.touched == (0, 1, 2)
    assert found.words == (
        "numbers of 3 columns move by 0.5 standard deviations on average"
    )


@pytest.mark.parametrize("kind", ["pandas", "polars", "array"])
def test_shares_and_days(kind):
    X = FRAME[["size", "Brand", "day"]]
    days = DateShift(days=3, mode="shift")
    if kind == "polars":
        start = dt.date(2024, 1, 1)
        days_of = [start + dt.timedelta(days=i) for i in range(N)]
        parts = {"size": X["size"].to_numpy(), "Brand": X["Brand"].tolist()}
        X = pl.DataFrame({**parts, "day": days_of})
    if kind == "array":
        X = X.to_numpy(dtype=object)
    flip, gaps = CategoryFlip(share=1.0), MissingValues(share=1.0, columns=[0])
    steps = PerturbationSequence([flip, days, gaps], random_state=0)
    found = steps.fit(X).describe(X)
    assert (found.percent_changed, found.days, found.percent_missing) == (100, 3, 100)
    assert np.isnan(found.std_change)
    assert found.words == (
        "100 % of the cells of 1 column change; dates of 1 column move by 3 days on "
        "average; 100 % of the cells of 1 column go missing"
    )
    assert PerturbationSequence([]).fit(X).describe(X).words == "nothing changes"


def test_columns_of_results():
    grid = [MeanDrift(4), CategoryFlip(share=1.0, mode="other")]
    results = evaluate_perturbations(MODEL, FRAME[::-1], Y[::-1], grid, X_ref=FRAME)
    frame = results.to_frame()
    assert frame["std_change"].round(9).tolist()[:1] == [1]
    assert frame["percent_changed"].tolist()[1:] == [100]
    assert frame["effect"][0].startswith("numbers of 1 column move by 1 standard")


def test_describe_refuses_what_is_no_table():
    drift = MeanDrift(1).fit(np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"MeanDrift\.describe takes tables"):
        drift.describe(["a", "b"])


class Strict(ByBrand):
    """Refuses rows whose brand is not that of their size, with an error of its own."""

    def predict(self, X):
        gaps = np.subtract.outer(np.asarray(X["size"]), FRAME["size"].to_numpy())
        brands = FRAME["Brand"].to_numpy()[np.abs(gaps).argmin(axis=1)]
        if (brands != np.asarray(X["Brand"])).any():
            raise OSError("brands of no size")
        return super().predict(X)


@pytest.mark.parametrize("call", [evaluate_perturbations, cross_validate_perturbations])
def test_no_result_is_lost_where_shuffled_columns_are_refused(call):
    noise = [FeatureNoise(sd=1e-9, columns=["size"], random_state=0)]
    how = {"X_ref": FRAME} if call is evaluate_perturbations else {"cv": 2}
    with pytest.warns(UserWarning, match="untouched_dependence is nan.*of no size"):
        found = call(Strict().fit(FRAME, Y), FRAME, Y, noise, **how)
    assert np.isnan(found.untouched_dependence)
    assert (found.score == 1).all()
