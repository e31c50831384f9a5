"""Columns of several kinds at once, fitted sides, and severities that calibrate."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.utils import get_tags

from skrobust.perturbations import (
    DateShift,
    FeatureLoss,
    FeatureNoise,
    GaussianNoise,
    MeanDrift,
    MissingValues,
    PerturbedClassifier,
    PerturbedRegressor,
    ScaleDrift,
    StaleRows,
    calibrate_severity,
)

RNG = np.random.default_rng(0)
DAYS = pd.to_datetime(["2024-02-28", "2024-12-31", "2023-01-01"])
TABLE = pd.DataFrame({"day": DAYS, "since": [5, 10, 400], "size": [0.5, 1.5, 2.5]})


def test_dates_and_numbers_of_days_move_together():
    out = DateShift(days=2, mode="shift", columns=["day", "since"]).perturb(None, TABLE)
    assert out["day"].tolist() == (DAYS + pd.Timedelta(days=2)).tolist()
    assert out["since"].tolist() == [7, 12, 402]
    assert out["since"].dtype == TABLE["since"].dtype
    assert out["size"].tolist() == TABLE["size"].tolist()
    alone = DateShift(days=2, mode="shift", columns=["since"]).perturb(None, TABLE)
    assert alone["since"].tolist() == [7, 12, 402]
    assert alone["day"].tolist() == DAYS.tolist()


@pytest.mark.parametrize(("share", "n_lost"), [(0.1, 1), (0.5, 2), (1.0, 3)])
def test_lost_features_are_lost_in_all_rows(share, n_lost):
    rows = RNG.random((5, 3))
    out = FeatureLoss(share=share, random_state=0).perturb(None, rows)
    lost = np.isnan(out)
    assert lost.all(axis=0).sum() == lost.any(axis=0).sum() == n_lost
    assert np.array_equal(out[~lost], rows[~lost])


def test_stale_rows_come_from_the_rows_that_were_learned():
    known = np.array([[0.0, 10.0], [1.0, 11.0], [2.0, 12.0]])
    stale = StaleRows(share=1.0, random_state=0).fit(known)
    out = stale.transform(np.full((60, 2), 7.0))
    assert (out[:, 1] - out[:, 0] == 10).all()  # whole rows
    assert set(out[:, 0]) == {0.0, 1.0, 2.0}


def test_the_noise_of_columns_is_that_without_any_drift():
    rows = RNG.normal([0, 50, 3], [1, 20, 0.1], size=(150, 3))
    how = {"n_resamples": 20, "random_state": 0}
    found = [
        calibrate_severity(rows, rows + 1.0, kind, **how).noise_of_column
        for kind in (MeanDrift(), ScaleDrift())
    ]
    assert found[0].tolist() == found[1].tolist()
    # Two samples of 150: about 1.13 of 1 / sqrt(pi * 150) for normal columns.
    assert 0.03 < found[0].min() <= found[0].max() < 0.2


def test_a_drift_of_half_a_severity_is_found_by_many_rows():
    rows = RNG.normal(size=(3000, 1))
    half = MeanDrift(0.5).fit(rows).transform(rows)
    found = calibrate_severity(rows, half, n_resamples=30, random_state=0)
    assert found.interval[0] <= 0.5 <= found.interval[1]
    assert found.interval[1] < 1.2


@pytest.mark.parametrize(
    ("kind", "fits"),
    [(PerturbedClassifier, is_classifier), (PerturbedRegressor, is_regressor)],
)
def test_models_for_checks_are_of_the_kind_of_their_class(kind, fits):
    for params in kind._get_test_params():
        assert fits(params["estimator"])
        assert fits(kind(**params))


@pytest.mark.parametrize("method", ["predict", "score"])
def test_a_side_that_is_set_wrongly_after_the_fit_is_told(method):
    rows = RNG.normal(size=(20, 3))
    noise = GaussianNoise(std=0.1, random_state=0)
    model = PerturbedRegressor(LinearRegression(), noise, on="fit")
    y = rows.sum(axis=1)
    model.fit(rows, y).set_params(on="train")
    with pytest.raises(ValueError, match="'on' parameter of PerturbedRegressor"):
        getattr(model, method)(rows, *[y][: method == "score"])


def test_noise_of_one_feature_leaves_the_others():
    rows = RNG.normal(size=(40, 3))
    out = FeatureNoise(3, columns=[1], random_state=0).fit(rows).transform(rows)
    assert np.array_equal(out[:, [0, 2]], rows[:, [0, 2]])
    assert (out[:, 1] != rows[:, 1]).all()


NUMBERS = RNG.normal(size=(12, 5))


@pytest.mark.parametrize(
    "columns",
    [[1, 3], (3, 1), [-4, -2], range(1, 5, 2), slice(1, 5, 2), slice(-4, None, 2),
     [False, True, False, True, False], np.array([1, 3]), ["b", "d"],
     lambda X: [1, 3], lambda X: slice(1, 4, 2), lambda X: ["b", "d"], np.float32,
     "float32", [1, "d", 3, 1]],
)  # fmt: skip
def test_the_same_columns_may_be_named_in_many_ways(columns):
    frame = pd.DataFrame(NUMBERS, columns=list("abcde"))
    frame = frame.astype({"b": "float32", "d": "float32"})
    found = FeatureNoise(2, columns=columns, random_state=0).fit(frame)
    assert found.columns_.tolist() == [1, 3]
    changed = (found.transform(frame) != frame).any()
    assert changed.tolist() == [False, True, False, True, False]


def test_slices_of_columns_are_those_of_python():
    every = list(range(5))
    for start in (None, -9, -2, 0, 3, 9):
        for stop in (None, -1, 2, 5):
            for step in (None, -2, 1):
                part = slice(start, stop, step)
                noise = FeatureNoise(2, columns=part, random_state=0)
                if every[part]:
                    found = noise.fit(NUMBERS).columns_.tolist()
                    assert found == sorted(every[part])
                else:
                    with pytest.raises(ValueError, match="found no column to act on"):
                        noise.fit(NUMBERS)


LEARNED = [
    *(FeatureLoss(1, fill=fill) for fill in ("mean", "median", "most_frequent")),
    *(MissingValues(1, mechanism=one) for one in ("mar", "mnar")),
    ScaleDrift(1, about="mean"), FeatureNoise(1), FeatureLoss(1, columns="missing"),
    FeatureLoss(1, fill="mean", columns="missing"),
    MissingValues(1, columns="missing"), ScaleDrift(1, about="zero", columns="missing"),
]  # fmt: skip
TAKEN_AS_THEY_ARE = [
    *(FeatureLoss(1, fill=fill) for fill in ("nan", "zero")), MissingValues(1),
    ScaleDrift(1, about="zero"),
]  # fmt: skip


@pytest.mark.parametrize("kind", LEARNED, ids=repr)
def test_what_training_data_say_is_not_taken_from_the_rows_at_hand(kind):
    with pytest.raises(NotFittedError, match="never uses statistics of the rows"):
        kind.perturb(None, NUMBERS)


@pytest.mark.parametrize("kind", TAKEN_AS_THEY_ARE, ids=repr)
def test_what_needs_no_training_data_needs_no_fit(kind):
    kind = clone(kind).set_params(random_state=0)
    out = kind.perturb(None, NUMBERS)
    assert not np.array_equal(out, NUMBERS)
    assert np.array_equal(out, kind.fit(NUMBERS + 1).transform(NUMBERS), equal_nan=True)


class Own:
    """A perturbation that is no estimator and has no tags."""

    def __init__(self, random_state):
        self.random_state = random_state

    def perturb(self, estimator, X, y=None):
        return X + np.random.default_rng(self.random_state).normal(size=X.shape)


@pytest.mark.parametrize("seed", [None, 0, 3])
@pytest.mark.parametrize("make", [Own, lambda seed: FeatureNoise(5, random_state=seed)])
def test_a_model_under_noise_without_a_seed_is_not_deterministic(make, seed):
    answers = {}
    for kind, own in ((PerturbedClassifier, LogisticRegression()),
                      (PerturbedRegressor, LinearRegression())):  # fmt: skip
        y = (NUMBERS[:, 0] > 0).astype(int)
        model = kind(own, make(seed)).fit(NUMBERS, y)
        assert get_tags(model).non_deterministic == (seed is None)
        answers[kind] = [model.predict(NUMBERS) for _ in range(2)]
    first, second = answers[PerturbedRegressor]
    assert np.array_equal(first, second) == (seed is not None)
