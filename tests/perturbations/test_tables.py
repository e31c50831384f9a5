"""Perturbations of tables: theorems, containers, and what users reported."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_selector
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skrobust.perturbations import (
    CategoryFlip,
    ColumnSwap,
    FeatureLoss,
    FeatureNoise,
    MeanDrift,
    MissingValues,
    MultiplicativeNoise,
    Outliers,
    PerturbationSequence,
    QuantileClipping,
    QuantileNoise,
    Rounding,
    ScaleDrift,
    SignFlip,
    StaleRows,
    Strength,
    TablePerturbation,
    UnitError,
)
from skrobust.perturbations.tables.frame_table import table_of
from skrobust.testing import check_perturbation

ALL = [
    CategoryFlip(share=0.5, random_state=0),
    ColumnSwap(share=0.5, random_state=0),
    FeatureLoss(share=0.4, random_state=0),
    FeatureLoss(share=0.4, fill="mean", random_state=0),
    FeatureNoise(3, random_state=0),
    MeanDrift(3),
    MissingValues(share=0.3, random_state=0),
    MissingValues(share=0.3, mechanism="mar", random_state=0),
    MissingValues(share=0.3, mechanism="mnar", random_state=0),
    MultiplicativeNoise(3, random_state=0),
    Outliers(share=0.3, random_state=0),
    QuantileClipping(3),
    QuantileNoise(3, random_state=0),
    Rounding(4),
    ScaleDrift(3),
    SignFlip(share=0.3, random_state=0),
    StaleRows(share=0.3, random_state=0),
    UnitError(share=0.3, random_state=0),
]
NUMERIC = [p for p in ALL if not isinstance(p, CategoryFlip)]
STRUCK = [
    CategoryFlip, ColumnSwap, MissingValues, Outliers, SignFlip, StaleRows, UnitError,
]  # fmt: skip
IDS = {"ids": lambda p: str(p)[:60]}


def mixed():
    """Wine, with columns of text, categories, booleans and integers made of it."""
    frame = load_wine(as_frame=True).data.iloc[:, :4].copy()
    frame["colour"] = np.array(["red", "rosé", "white"])[load_wine().target]
    frame["strength"] = pd.cut(
        frame["alcohol"], 4, labels=["a", "b", "c", "d"]
    ).cat.as_unordered()
    frame["strong"] = frame["alcohol"] > 13
    frame["proline"] = load_wine().data[:, -1].astype(int)
    frame.index = [f"row{i}" for i in range(len(frame))][::-1]
    return frame


MIXED = mixed()
IRIS = load_iris().data
DIABETES = load_diabetes().data
LARGE = np.random.default_rng(5).normal(size=(20_000, 3)) * [1, 10, 100] + [0, 5, -50]


def equal(a, b):
    """Compare tables cell by cell, whatever their types; missing equals missing."""
    a, b = (cells(t) for t in (a, b))
    both_missing = pd.isna(a) & pd.isna(b)
    return a.shape == b.shape and bool(((a == b) | both_missing).all())


def cells(table):
    if isinstance(table, pl.DataFrame):
        return np.array(table.rows(), dtype=object)
    if isinstance(table, pd.DataFrame):
        return table.astype(object).to_numpy()
    return np.asarray(table, dtype=object)


# What each does, by its formula.


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_noise_has_the_share_of_the_training_sd(share):
    noise = FeatureNoise(sd=share, random_state=0).fit(LARGE)
    test = LARGE[:7000] * 3 + 1  # other statistics than training
    difference = noise.transform(test) - test
    assert difference.std(axis=0) == pytest.approx(share * LARGE.std(axis=0), rel=0.03)
    assert np.abs(difference.mean(axis=0) / difference.std(axis=0)).max() < 0.04
    corr = np.corrcoef(difference.T)[np.triu_indices(3, 1)]
    assert np.abs(corr).max() < 0.04


def test_multiplicative_noise():
    X = np.tile([2.0, -300.0], (20_000, 1))
    out = MultiplicativeNoise(sd=0.05, random_state=1).perturb(None, X)
    assert (out / X).mean(axis=0) == pytest.approx([1, 1], abs=0.002)
    assert (out / X).std(axis=0) == pytest.approx([0.05, 0.05], rel=0.03)


def test_quantile_noise_keeps_the_distribution_of_training_data():
    heavy = np.random.default_rng(0).standard_cauchy((5000, 1))
    noise = QuantileNoise(width=0.3, random_state=0).fit(heavy)
    out = noise.transform(heavy)
    assert heavy.min() <= out.min()
    assert out.max() <= heavy.max()
    for q in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert (out <= np.quantile(heavy, q)).mean() == pytest.approx(q, abs=0.02)
    # A step of u in rank, reflected: nobody moves further than the width.
    order = np.sort(heavy[:, 0])
    ranks = [np.interp(v[:, 0], order, (np.arange(5000) + 0.5) / 5000)
             for v in (heavy, out)]  # fmt: skip
    moved = np.abs(ranks[1] - ranks[0])
    assert moved.max() <= 0.3 + 1e-9
    assert moved.mean() == pytest.approx(0.15 - 0.3**2 / 6, abs=0.02)


def test_quantile_noise_snaps_to_observed_integers():
    rooms = np.random.default_rng(0).poisson(3, (5000, 1))
    out = QuantileNoise(width=0.4, random_state=0).fit(rooms).transform(rooms)
    assert out.dtype == rooms.dtype
    assert set(np.unique(out)) <= set(np.unique(rooms))
    for value in (1, 3, 5):
        assert (out == value).mean() == pytest.approx((rooms == value).mean(), abs=0.02)
    assert (out != rooms).mean() > 0.2


def test_quantile_noise_outside_the_training_range_keeps_its_distance():
    noise = QuantileNoise(width=0.0001, random_state=0).fit(LARGE)
    assert noise.transform(LARGE.max(axis=0, keepdims=True) + 50) == pytest.approx(
        LARGE.max(axis=0, keepdims=True) + 50, abs=8
    )


def test_outliers_lie_five_to_ten_ranges_from_the_median():
    out = Outliers(share=0.1, random_state=0).fit(LARGE).transform(LARGE)
    struck = out != LARGE
    assert struck.mean() == pytest.approx(0.1, abs=0.005)
    q1, q2, q3 = np.quantile(LARGE, [0.25, 0.5, 0.75], axis=0)
    distance = ((out - q2) / (q3 - q1))[struck]
    assert np.abs(distance).min() >= 5 - 1e-9
    assert np.abs(distance).max() <= 10 + 1e-9
    assert np.abs(distance).mean() == pytest.approx(7.5, abs=0.1)
    assert (distance > 0).mean() == pytest.approx(0.5, abs=0.03)


def test_unit_errors_are_the_factors():
    X = np.full((9000, 1), 20.0)
    factors = [0.001, 1000, "C->F", "F->C"]
    out = UnitError(share=0.4, factors=factors, random_state=0).perturb(None, X)
    values, counts = np.unique(out.round(6), return_counts=True)
    assert values.tolist() == pytest.approx([-20 / 3, 0.02, 20, 68, 20_000], abs=1e-5)
    assert counts / 9000 == pytest.approx([0.1, 0.1, 0.6, 0.1, 0.1], abs=0.015)


def test_sign_flips():
    out = SignFlip(share=0.2, random_state=0).perturb(None, LARGE)
    assert np.array_equal(np.abs(out), np.abs(LARGE))
    assert (out != LARGE).mean() == pytest.approx(0.2, abs=0.01)


def test_drifts_by_their_formulas():
    mean, sd = LARGE.mean(axis=0), LARGE.std(axis=0)
    test = LARGE[:100] * 2
    drift = MeanDrift(size=-0.5).fit(LARGE)
    assert drift.transform(test) == pytest.approx(test - 0.5 * sd)
    scale = ScaleDrift(factor=1.5).fit(LARGE)
    assert scale.transform(test) == pytest.approx(mean + 1.5 * (test - mean))
    gain = ScaleDrift(factor=1.5, about="zero")
    assert gain.perturb(None, test) == pytest.approx(1.5 * test)


@pytest.mark.parametrize("shape", ["ramp", "step"])
def test_drift_runs_along_a_column_not_along_the_batch(shape):
    dates = pd.date_range("2020-01-01", periods=101)
    frame = pd.DataFrame({"when": dates, "x": np.zeros(101) + (np.arange(101) % 2)})
    drift = MeanDrift(size=2.0, shape=shape, along="when").fit(frame)
    t = np.linspace(0, 1, 101)
    wanted = 2 * frame["x"].std(ddof=0) * (t if shape == "ramp" else t >= 0.5)
    out = drift.transform(frame)
    assert (out["x"] - frame["x"]).to_numpy() == pytest.approx(wanted)
    assert out["when"].equals(frame["when"])
    pieces = pd.concat([drift.transform(frame[i : i + 1]) for i in range(101)])
    assert pieces.equals(out)
    assert not drift.__sklearn_tags__().non_deterministic


def test_drift_by_position_is_tagged():
    drift = MeanDrift(size=1.0, shape="ramp", along="position").fit(IRIS)
    assert drift.__sklearn_tags__().non_deterministic
    moved = (drift.transform(IRIS[:11]) - IRIS[:11]) / IRIS.std(axis=0)
    assert moved[:, 2] == pytest.approx(np.linspace(0, 1, 11))


def test_rounding_leaves_the_levels_of_the_training_range():
    out = Rounding(levels=4).fit(IRIS).transform(IRIS)
    for column, original in zip(out.T, IRIS.T, strict=True):
        levels = np.linspace(original.min(), original.max(), 4)
        nearest = np.abs(column[:, None] - levels).min(axis=1)
        assert nearest.max() < 1e-12
        assert np.abs(column - original).max() <= np.diff(levels)[0] / 2 + 1e-12


def test_clipping_at_training_quantiles():
    low, high = np.quantile(LARGE, [0.1, 0.9], axis=0)
    clip = QuantileClipping(quantile=0.9).fit(LARGE)
    test = LARGE * 2
    assert clip.transform(test) == pytest.approx(np.clip(test, low, high))
    upper = QuantileClipping(quantile=0.9, sides="upper").fit(LARGE)
    assert upper.transform(test) == pytest.approx(np.minimum(test, high))


def test_swap_exchanges_two_columns():
    swap = ColumnSwap(share=0.3, columns=[2, 0], random_state=0)
    out = swap.perturb(None, LARGE)
    struck = (out != LARGE).any(axis=1)
    assert struck.mean() == pytest.approx(0.3, abs=0.01)
    assert np.array_equal(out[struck], LARGE[struck][:, [2, 1, 0]])
    drawn = ColumnSwap(share=1.0, random_state=3).perturb(None, LARGE)
    assert ((drawn != LARGE).any(axis=0)).sum() == 2


def test_stale_rows_are_training_rows():
    train, test = MIXED.iloc[:100], MIXED.iloc[100:]
    out = StaleRows(share=0.5, random_state=0).fit(train).transform(test)
    known = set(map(tuple, cells(train)))
    kept = (cells(out) == cells(test)).all(axis=1)
    assert 0.2 < kept.mean() < 0.8
    assert all(tuple(row) in known for row in cells(out)[~kept])


# Missing values.


@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("steepness", [4.0, -8.0])
@pytest.mark.parametrize("mechanism", ["mar", "mnar"])
def test_share_of_missing_is_exact_over_training(mechanism, steepness, share):
    X = np.c_[LARGE[:5000, 0], np.random.default_rng(1).poisson(2, 5000)]
    gaps = MissingValues(share=share, mechanism=mechanism, steepness=steepness)
    gaps.fit(X)
    for ranks in gaps.stats_.ranks:
        p = gaps._probability(*ranks.of(table_of(X)), share)
        assert p.mean() == pytest.approx(share, abs=1e-9)


def test_mnar_probability_grows_with_the_value_and_with_the_share():
    gaps = MissingValues(share=0.2, mechanism="mnar").fit(LARGE)
    X = np.sort(LARGE[:500] * 1.5, axis=0)
    ranks = gaps.stats_.ranks[0].of(table_of(X))
    p = [gaps._probability(*ranks, share) for share in (0.05, 0.2, 0.5, 1.0)]
    assert (np.diff(p[1]) >= -1e-6).all()
    assert p[1][-1] > 5 * p[1][0]
    assert (np.diff(p, axis=0) >= 0).all()


@pytest.mark.parametrize("mechanism", ["mcar", "mar", "mnar"])
def test_missing_in_one_batch_and_row_by_row(mechanism):
    gaps = MissingValues(share=0.3, mechanism=mechanism, random_state=0).fit(MIXED)
    whole = gaps.transform(MIXED)
    rows = [gaps.transform(MIXED.iloc[i : i + 1]) for i in range(0, len(MIXED), 7)]
    assert equal(pd.concat(rows), whole.iloc[::7])
    lost = pd.isna(cells(whole))
    first = 1 if mechanism == "mar" else 0
    assert not lost[:, :first].any()
    assert lost[:, first:].mean() == pytest.approx(0.3, abs=0.04)


def test_mar_follows_the_driver():
    gaps = MissingValues(share=0.2, mechanism="mar", driver=1, random_state=0)
    lost = np.isnan(gaps.fit(LARGE).transform(LARGE))
    high = LARGE[:, 1] > np.median(LARGE[:, 1])
    assert lost[high][:, [0, 2]].mean() > 2 * lost[~high][:, [0, 2]].mean()
    assert lost[:, [0, 2]].mean() == pytest.approx(0.2, abs=0.01)
    assert not lost[:, 1].any()


def test_the_missing_mark_of_each_type():
    out = MissingValues(share=1.0).perturb(None, MIXED)
    assert out.isna().all().all()
    assert out["proline"].dtype == np.float64
    assert out["colour"].dtype == MIXED["colour"].dtype
    assert out["strength"].dtype == MIXED["strength"].dtype
    nullable = MissingValues(share=1.0).perturb(
        None, MIXED.astype({"proline": "Int64"})
    )
    assert nullable["proline"].dtype == "Int64"
    array = MissingValues(share=1.0).perturb(None, MIXED.astype(object).to_numpy())
    assert all(cell is None for cell in array.ravel())
    assert np.isnan(MissingValues(share=1.0).perturb(None, np.eye(3, dtype=int))).all()
    marked = MissingValues(share=1.0, missing_value=-999)
    assert (marked.perturb(None, np.eye(3, dtype=int)) == -999).all()
    assert marked.perturb(None, np.eye(3, dtype=int)).dtype == int
    text = MissingValues(share=1.0, missing_value="?", columns=["colour", "strength"])
    assert (text.perturb(None, MIXED)[["colour", "strength"]] == "?").all().all()
    names = MissingValues(share=1.0, missing_value="unknown")
    assert (names.perturb(None, np.array([["a"], ["b"]])) == "unknown").all()


def test_features_lost_are_the_same_for_all_rows_and_nested():
    lost = [
        np.isnan(FeatureLoss(s, random_state=1).fit(LARGE.repeat(3, 1))
                 .transform(LARGE[:20].repeat(3, 1)))
        for s in (0, 1, 2, 3, 4, 5)
    ]  # fmt: skip
    assert [row.sum() for row in (m[0] for m in lost)] == [0, 1, 2, 3, 4, 4]
    for one, more in pairwise(lost):
        assert (one == one[0]).all()
        assert (more >= one).all()
    others = [tuple(np.isnan(FeatureLoss(share=0.3, random_state=s).perturb(
        None, DIABETES[:2]))[0]) for s in range(5)]  # fmt: skip
    assert len(set(others)) > 1


@pytest.mark.parametrize("fill", ["zero", "mean", "median", "most_frequent"])
def test_lost_features_are_filled_from_training(fill):
    train, test = MIXED.iloc[:90], MIXED.iloc[90:]
    out = FeatureLoss(share=1.0, fill=fill).fit(train).transform(test)
    x = train["alcohol"]
    wanted = {"zero": 0, "mean": x.mean(), "median": x.median(),
              "most_frequent": x.mode().min()}[fill]  # fmt: skip
    assert out["alcohol"].to_numpy() == pytest.approx(wanted)
    if fill == "zero":
        assert out["colour"].isna().all()
    else:
        assert (out["colour"] == train["colour"].mode()[0]).all()
        assert (out["strong"] == train["strong"].mode()[0]).all()
        assert out["strength"].dtype == MIXED["strength"].dtype
    assert out["proline"].dtype == (
        np.float64 if fill in ("mean", "median") else MIXED["proline"].dtype
    )


# Categories.


def test_flip_rates():
    values = np.random.default_rng(0).choice(
        ["a", "b", "c"], (20_000, 1), p=[0.7, 0.2, 0.1]
    ).astype(object)  # fmt: skip
    out = CategoryFlip(share=0.3, random_state=0).fit_transform(values)
    assert (out != values).mean() == pytest.approx(0.3, abs=0.01)
    flipped = out[(values == "a") & (out != "a")]
    assert (flipped == "b").mean() == pytest.approx(0.5, abs=0.03)
    marginal = CategoryFlip(share=0.3, mode="marginal", random_state=0)
    out = marginal.fit_transform(values)
    realised = 0.3 * (1 - (0.7**2 + 0.2**2 + 0.1**2))
    assert (out != values).mean() == pytest.approx(realised, abs=0.01)
    assert (out == "a").mean() == pytest.approx(0.7, abs=0.015)
    unseen = CategoryFlip(share=0.3, mode="unseen", unseen_value="new", random_state=0)
    out = unseen.fit_transform(values)
    assert (out == "new").mean() == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize("mode", ["other", "marginal", "unseen"])
def test_text_flips_alike_in_every_dtype(mode):
    # category_encoders#421: only object columns counted as categorical.
    frame = pd.DataFrame({"c": ["a", "b", "a", "c"] * 25})
    results = {}
    for dtype in ("object", "string", "str", "category"):
        typed = frame.astype(dtype)
        flip = CategoryFlip(share=0.5, mode=mode, random_state=0)
        results[dtype] = flip.fit_transform(typed)
        assert (results[dtype]["c"].astype(str) != frame["c"].astype(str)).any()
        if dtype != "category":
            assert results[dtype]["c"].dtype == typed["c"].dtype
    known = set(results["category"]["c"].cat.categories)
    assert known == {"a", "b", "c"} | ({"unseen"} if mode == "unseen" else set())
    for other in (
        *results.values(),
        CategoryFlip(share=0.5, mode=mode, random_state=0).fit_transform(
            pl.DataFrame(frame.to_dict("list"))),
        CategoryFlip(share=0.5, mode=mode, random_state=0).fit_transform(
            pl.DataFrame(frame.to_dict("list")).cast(pl.Enum(["c", "a", "b"]))),
        CategoryFlip(share=0.5, mode=mode, random_state=0).fit_transform(
            frame.astype(object).to_numpy()),
        CategoryFlip(share=0.5, mode=mode, random_state=0).fit_transform(
            np.array(frame["c"].tolist())[:, None]),
    ):  # fmt: skip
        assert equal(other, results["object"])


def test_flips_of_missing_unknown_and_lone_categories():
    train = pd.DataFrame({"a": ["x", "y", None], "lone": ["z"] * 3})
    flip = CategoryFlip(share=1.0, random_state=0).fit(train)
    test = pd.DataFrame({"a": [None, "new", "x"], "lone": ["z", "z", None]})
    out = flip.transform(test)
    assert pd.isna(out["a"][0])
    assert out["a"][1] in {"x", "y"}
    assert out["a"][2] == "y"
    assert equal(out[["lone"]], test[["lone"]])
    assert flip.categories_ == [["x", "y"], ["z"]]


def test_training_order_does_not_matter_to_flips():
    flip = CategoryFlip(share=0.5, random_state=0)
    a = clone(flip).fit(MIXED).transform(MIXED)
    b = clone(flip).fit(MIXED.iloc[::-1]).transform(MIXED)
    assert a.equals(b)


def test_named_numbers_count_as_categories():
    grades = np.random.default_rng(0).integers(1, 5, (500, 2))
    flip = CategoryFlip(share=0.5, columns=[1], random_state=0).fit(grades)
    out = flip.transform(grades)
    assert out.dtype == grades.dtype
    assert np.array_equal(out[:, 0], grades[:, 0])
    assert set(np.unique(out)) == {1, 2, 3, 4}
    unseen = CategoryFlip(share=1.0, mode="unseen", columns="all").fit(grades)
    assert (unseen.transform(grades) == 5).all()


# Severities.


@pytest.mark.parametrize("kind", STRUCK, ids=lambda k: k.__name__)
def test_struck_cells_stay_struck_at_higher_severities(kind):
    struck = []
    for severity in (0, 0.5, 1, 2, 3, 4, 5):
        p = kind(severity, random_state=3).fit(MIXED)
        out, before = cells(p.transform(MIXED)), cells(MIXED)
        struck.append(~((out == before) | (pd.isna(out) & pd.isna(before))))
    for one, more in pairwise(struck):
        assert (more >= one).all()
    assert struck[0].sum() == 0 < struck[-1].sum()


@pytest.mark.parametrize("p", ALL, **IDS)
def test_severity_zero_keeps_every_bit(p):
    physical = dict.fromkeys(p._strengths)
    still = clone(p).set_params(severity=0, **physical).fit(MIXED)
    out = still.transform(MIXED)
    assert out.equals(MIXED)
    assert (out.dtypes == MIXED.dtypes).all()
    array = clone(still).set_params(columns="all").fit(IRIS).perturb(None, IRIS)
    assert array.tobytes() == IRIS.tobytes()


# Containers.


@pytest.mark.parametrize("p", NUMERIC, **IDS)
@pytest.mark.parametrize("data", [IRIS, IRIS.astype(np.float32)], ids=["f8", "f4"])
def test_promises_of_perturbations(p, data):
    rows = np.unique(data, axis=0)[:40]
    draws = type(p) not in (FeatureLoss, MeanDrift, QuantileClipping, Rounding,
                            ScaleDrift)  # fmt: skip
    check_perturbation(p, rows, draws=draws)


@pytest.mark.parametrize("p", NUMERIC, **IDS)
def test_frames_are_arrays(p):
    frame = load_iris(as_frame=True).data
    wanted = clone(p).fit(IRIS).transform(IRIS)
    out = clone(p).fit(frame).transform(frame)
    assert np.array_equal(out.to_numpy(), wanted, equal_nan=True)
    assert out.index.equals(frame.index)
    assert list(out.columns) == list(frame.columns)
    polars = pl.DataFrame({c: frame[c].to_numpy() for c in frame})
    out = clone(p).fit(polars).perturb(None, polars)
    assert isinstance(out, pl.DataFrame)
    assert out.columns == list(frame.columns)
    assert np.array_equal(out.to_numpy(), wanted, equal_nan=True)
    objects = clone(p).fit(IRIS.astype(object)).transform(IRIS.astype(object))
    assert equal(objects, wanted)
    single = clone(p).fit(IRIS.astype("f4")).transform(IRIS.astype("f4"))
    assert single.dtype == np.float32
    assert np.isnan(single).sum() == np.isnan(wanted).sum()


@pytest.mark.parametrize("p", ALL, **IDS)
def test_mixed_frames(p):
    before = MIXED.copy()
    fitted = clone(p).fit(MIXED)
    out = fitted.perturb(None, MIXED)
    assert MIXED.equals(before)
    assert out.index.equals(MIXED.index)
    assert list(out.columns) == list(MIXED.columns)
    assert not equal(out, MIXED)
    assert out.equals(fitted.transform(MIXED))
    for j in set(range(MIXED.shape[1])) - set(fitted.columns_):
        assert out.iloc[:, j].equals(MIXED.iloc[:, j])
        assert out.dtypes.iloc[j] == MIXED.dtypes.iloc[j]
    objects = MIXED.astype(object).to_numpy()
    assert equal(clone(p).fit(objects).transform(objects), out)
    polars = pl.DataFrame(MIXED.astype({"strength": "str"}).to_dict("list"))
    from_polars = clone(p).fit(polars).perturb(None, polars)
    assert equal(from_polars, out)
    same = [c for c in polars.columns if out[c].dtype == MIXED[c].dtype]
    kept = [c for c in same if c != "strong" or not isinstance(p, MissingValues)]
    assert all(from_polars.schema[c] == polars.schema[c] for c in kept)
    # Rows one by one, in another order, and after a pickle.
    rows = pd.concat([fitted.perturb(None, MIXED.iloc[i : i + 1]) for i in (5, 90, 2)])
    assert equal(rows, out.iloc[[5, 90, 2]])
    assert equal(fitted.perturb(None, MIXED[::-1])[::-1], out)
    assert pickle.loads(pickle.dumps(fitted)).perturb(None, MIXED).equals(out)


@pytest.mark.parametrize("p", ALL, **IDS)
def test_memory_layouts(p):
    X = (IRIS * 10).round()
    if isinstance(p, CategoryFlip):
        p = clone(p).set_params(columns="all")
    wanted = clone(p).fit(X).transform(X)
    frozen = X.copy()
    frozen.flags.writeable = False
    for layout in (frozen, np.asfortranarray(X), np.ascontiguousarray(X[::-1])[::-1],
                   np.ascontiguousarray(X[:, ::-1])[:, ::-1]):  # fmt: skip
        out = clone(p).fit(layout).transform(layout)
        assert np.array_equal(out, wanted, equal_nan=True)
        assert not np.shares_memory(out, layout)
        assert out.flags.writeable


@pytest.mark.parametrize("p", ALL, **IDS)
def test_missing_values_are_kept(p):
    gappy = MIXED.copy()
    gappy.iloc[::5, 1] = np.nan
    gappy.iloc[::7, 4] = None
    gappy["empty"] = np.nan
    with np.errstate(all="raise"):
        fitted = clone(p).fit(gappy)
        out = fitted.transform(gappy)
    if not isinstance(p, (FeatureLoss, StaleRows, ColumnSwap)):
        assert out.isna().to_numpy()[gappy.isna().to_numpy()].all()
    if not isinstance(p, (FeatureLoss, StaleRows, ColumnSwap, MissingValues)):
        assert np.array_equal(out.isna(), gappy.isna())


def test_integers():
    noise = FeatureNoise(sd=0.5, columns=["proline"], random_state=0).fit(MIXED)
    assert noise.transform(MIXED)["proline"].dtype == np.float64
    noise.set_params(keep_integer=True)
    out = noise.transform(MIXED)
    assert out["proline"].dtype == MIXED["proline"].dtype
    nullable = MIXED.astype({"proline": "Int64"})
    nullable.iloc[3, -1] = pd.NA
    again = clone(noise).fit(nullable).transform(nullable)
    assert again["proline"].dtype == "Int64"
    assert again["proline"].isna().sum() == 1
    small = np.arange(250, dtype=np.uint8).reshape(-1, 1)
    kept = FeatureNoise(sd=1.0, keep_integer=True, random_state=0).fit(small)
    assert kept.transform(small).dtype == np.uint8
    assert {0, 255} <= set(kept.transform(small).ravel().tolist())
    huge = np.array([[2**62 + 1], [5]])
    flip = SignFlip(share=1e-9, keep_integer=True)
    assert np.array_equal(flip.perturb(None, huge), huge)


def test_nullable_booleans_bytes_and_times():
    frame = pd.DataFrame({
        "b": pd.array([True, None, False] * 10, dtype="boolean"),
        "t": pd.date_range("2020-01-01", periods=30),
        "n": pd.Categorical([1, 2, 3] * 10),
        "y": np.arange(30.0),
    })  # fmt: skip
    for p in (StaleRows(share=0.9, random_state=0), CategoryFlip(share=1.0),
              FeatureLoss(share=1.0, fill="most_frequent"),
              MissingValues(share=0.5, mechanism="mnar")):  # fmt: skip
        out = clone(p).fit(frame).transform(frame)
        assert (out.dtypes == frame.dtypes).all()
        polars = pl.DataFrame(frame.astype({"n": int}).to_dict("list"))
        out = clone(p).fit(polars).transform(polars)
        kept = [c for c in polars.columns if out.schema[c] == polars.schema[c]]
        assert len(kept) == 4
    assert CategoryFlip(share=1.0).fit_transform(frame)["b"][1] is pd.NA
    text = np.array([[b"a"], [b"b"]])
    assert CategoryFlip(share=1.0).fit_transform(text).tolist() == [[b"b"], [b"a"]]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_any_unit(unit):
    # Nanoseconds are bare integers to numpy's tolist.
    when = np.arange("2020-01-01", "2020-01-13", dtype="datetime64[D]")
    for X in (when.astype(f"M8[{unit}]"), (when - when[0]).astype(f"m8[{unit}]")):
        for p in (
            CategoryFlip(share=1.0, columns="all"),
            FeatureLoss(share=1.0, columns="all", fill="most_frequent"),
            MissingValues(share=0.5, mechanism="mcar", columns="all"),
        ):
            for container in (X[:, None], pd.DataFrame({"t": X})):
                out = clone(p).fit(container).transform(container)
                cells = np.asarray(out)[:, 0]
                assert cells.dtype == X.dtype
                assert set(cells[~np.isnat(cells)]) <= set(X)
                assert (cells != X).any()


def test_float_types_of_frames_are_kept():
    frame = MIXED.astype({"ash": "float32", "alcohol": "Float64"})
    out = FeatureNoise(2, random_state=0).fit(frame).transform(frame)
    assert out["ash"].dtype == np.float32
    assert out["alcohol"].dtype == "Float64"


def test_set_output():
    noise = FeatureNoise(2, random_state=0).fit(IRIS)
    out = noise.set_output(transform="pandas").transform(IRIS)
    assert isinstance(out, pd.DataFrame)
    assert np.array_equal(out, noise.perturb(None, IRIS))
    names = noise.get_feature_names_out()
    assert list(out.columns) == list(names)
    mixed_out = FeatureNoise(2).set_output(transform="pandas").fit_transform(MIXED)
    assert mixed_out["strength"].dtype == MIXED["strength"].dtype


def test_lists_tensors_and_pipelines():
    noise = FeatureNoise(2, random_state=0).fit(IRIS)
    assert np.array_equal(noise.perturb(None, IRIS.tolist()), noise.transform(IRIS))
    flip = CategoryFlip(share=1.0).fit([["a", 1], ["b", 2]])
    assert flip.transform([["a", 1]]).tolist() == [["b", 1]]
    model = make_pipeline(FeatureNoise(1, random_state=0), LogisticRegression())
    assert model.fit(IRIS, load_iris().target).score(IRIS, load_iris().target) > 0.8
    torch = pytest.importorskip("torch")
    tensor = noise.perturb(None, torch.tensor(IRIS, dtype=torch.float32))
    assert tensor.dtype == torch.float32
    assert tensor.numpy() == pytest.approx(noise.transform(IRIS), abs=1e-5)


@pytest.mark.parametrize(
    "columns",
    [["alcohol", "ash"], [0, 2], [-8, 2], lambda X: ["ash", "alcohol"],
     [True, False, True, *[False] * 5], make_column_selector(pattern="^a[ls][ch]o?h")],
)  # fmt: skip
def test_selection(columns):
    noise = FeatureNoise(2, columns=columns, random_state=0).fit(MIXED)
    out = noise.transform(MIXED)
    changed = [c for c in MIXED if not out[c].equals(MIXED[c])]
    if not callable(columns) or columns.__class__.__name__ == "function":
        assert changed == ["alcohol", "ash"]
    else:
        assert set(changed) <= {"alcohol", "ash"}
        assert changed


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [("number", 5), ("all", 8), ("category", 3), ("bool", 1), ("float64", 4),
     (np.number, 5), ("proline", 1), (make_column_selector(dtype_include="bool"), 1)],
)  # fmt: skip
def test_selection_by_kind(columns, wanted):
    gaps = MissingValues(2, columns=columns).fit(MIXED)
    assert len(gaps.columns_) == wanted


# Sequences.


def test_sequence_of_mixed_steps():
    flip, noise = CategoryFlip(share=0.4), FeatureNoise(3)
    gaps = MissingValues(share=0.2)
    a = PerturbationSequence([flip, noise], random_state=0).fit(MIXED)
    b = PerturbationSequence([noise, flip], random_state=0).fit(MIXED)
    assert a.perturb(None, MIXED).equals(b.perturb(None, MIXED))
    three = PerturbationSequence([flip, noise, gaps], random_state=0).fit(MIXED)
    out = three.perturb(None, MIXED)
    kept = out.notna().to_numpy()
    assert (cells(out)[kept] == cells(a.perturb(None, MIXED))[kept]).all()
    assert out.index.equals(MIXED.index)
    objects = MIXED.astype(object).to_numpy()
    array = clone(three).fit(objects).perturb(None, objects)
    assert equal(array, out)
    rows = pd.concat([three.perturb(None, MIXED.iloc[[i]]) for i in (7, 3)])
    assert equal(rows, out.iloc[[7, 3]])
    fitted = pickle.loads(pickle.dumps(three))
    assert fitted.perturb(None, MIXED).equals(out)


def test_clean_sequence_of_a_mixed_frame():
    clean = PerturbationSequence([], name="CLEAN")
    out = clean.perturb(None, MIXED)
    assert out.equals(MIXED)
    assert out is not MIXED
    assert clean.fit(MIXED).transform(MIXED).equals(MIXED)


def test_sequence_shares_features_lost():
    loss = PerturbationSequence([FeatureLoss(share=0.5)], random_state=4).fit(DIABETES)
    lost = np.isnan(loss.perturb(None, DIABETES))
    assert (lost == lost[0]).all()
    assert np.array_equal(np.isnan(loss.perturb(None, DIABETES[7:9])), lost[7:9])
    other = clone(loss).set_params(replicate=1).fit(DIABETES).perturb(None, DIABETES)
    assert not np.array_equal(np.isnan(other), lost)


def test_a_newcomer():
    class Blur(TablePerturbation):
        _strengths = {"size": Strength((0.05, 0.1, 0.2, 0.3, 0.5))}

        def __init__(self, severity=None, *, size=None, columns=None):
            self.severity, self.size, self.columns = severity, size, columns
            self.random_state = None

        def _perturb_table(self, values, stats, rng):
            return values + self._strength()

    assert np.allclose(Blur(size=2).perturb(None, IRIS), IRIS + 2)

    class Wrong(Blur):
        def _perturb_table(self, values, stats, rng):
            return values[:, :1]

    with pytest.raises(ValueError, match="must keep the shape"):
        Wrong(size=2).perturb(None, IRIS)


# Bad input.

ROWS = {
    "unfitted perturb": (
        lambda: FeatureNoise(1).perturb(None, IRIS), "learns from training data"),
    "unfitted transform": (lambda: FeatureNoise(1).transform(IRIS), "not fitted"),
    "unfitted mar": (
        lambda: MissingValues(1, mechanism="mnar").perturb(None, IRIS), r"fit\(X"),
    "unfitted fill": (
        lambda: FeatureLoss(1, fill="mean").perturb(None, IRIS), r"fit\(X"),
    "severity": (lambda: FeatureNoise(6).fit(IRIS), r"'severity' .* \[0, 5\]"),
    "both": (lambda: FeatureNoise(1, sd=0.1).fit(IRIS), "not both"),
    "sd": (lambda: FeatureNoise(sd=-1).fit(IRIS), "non-negative float"),
    "sd nan": (lambda: MultiplicativeNoise(sd=np.nan).fit(IRIS), "'sd' parameter"),
    "share": (lambda: MissingValues(share=1.5).fit(IRIS), r"'share' .* \[0, 1\]"),
    "share bool": (lambda: SignFlip(share=True).fit(IRIS), "'share'"),
    "width": (lambda: QuantileNoise(width=2).fit(IRIS), "'width'"),
    "levels": (lambda: Rounding(levels=1).fit(IRIS), "'levels'"),
    "levels float": (lambda: Rounding(levels=2.5).fit(IRIS), "integer"),
    "quantile": (lambda: QuantileClipping(quantile=0.4).fit(IRIS), "'quantile'"),
    "sides": (lambda: QuantileClipping(sides="left").fit(IRIS), "'sides'"),
    "factor": (lambda: ScaleDrift(factor=-1).fit(IRIS), "'factor'"),
    "about": (lambda: ScaleDrift(about="median").fit(IRIS), "'about'"),
    "shape": (lambda: MeanDrift(shape="wave").fit(IRIS), "'shape'"),
    "along": (lambda: MeanDrift(shape="ramp").fit(IRIS), "'along'"),
    "along text": (
        lambda: MeanDrift(shape="ramp", along="colour").fit(MIXED), "numbers or times"),
    "size": (lambda: Outliers(size=(5, 1)).fit(IRIS), "pair"),
    "size number": (lambda: Outliers(size=5).fit(IRIS), "pair"),
    "factors": (lambda: UnitError(factors=["F"]).fit(IRIS), "'factors'"),
    "no factors": (lambda: UnitError(factors=[]).fit(IRIS), "non-empty"),
    "mechanism": (lambda: MissingValues(mechanism="mcr").fit(IRIS), "'mechanism'"),
    "steepness": (lambda: MissingValues(steepness=0).fit(IRIS), "'steepness'"),
    "missing_value": (lambda: MissingValues(missing_value=[]).fit(IRIS), "one value"),
    "driver": (
        lambda: MissingValues(mechanism="mar", driver="z").fit(MIXED), "'z'.*lacks"),
    "fill": (lambda: FeatureLoss(fill="max").fit(IRIS), "'fill'"),
    "mode": (lambda: CategoryFlip(mode="any").fit(MIXED), "'mode'"),
    "unseen seen": (
        lambda: CategoryFlip(mode="unseen", unseen_value="red").fit(MIXED), "'colour'"),
    "unseen type": (lambda: CategoryFlip(unseen_value=3).fit(MIXED), "a str"),
    "keep_integer": (lambda: FeatureNoise(keep_integer="yes").fit(IRIS), "True or F"),
    "no category": (lambda: CategoryFlip().fit(IRIS), "no column to act on"),
    "text as number": (
        lambda: FeatureNoise(columns=["colour"]).fit(MIXED), "'colour' holds"),
    "missing name": (
        lambda: FeatureNoise(columns=["a", "b"]).fit(MIXED), "column 'a', which the"),
    "missing place": (lambda: FeatureNoise(columns=[9]).fit(IRIS), "has 4 columns"),
    "columns": (lambda: FeatureNoise(columns=3).fit(IRIS), "'columns' parameter"),
    "columns text": (lambda: FeatureNoise(columns="nmber").fit(MIXED), "'columns'"),
    "columns bools": (lambda: FeatureNoise(columns=[True]).fit(IRIS), "booleans"),
    "swap one": (lambda: ColumnSwap(columns=[0]).fit(IRIS), "two columns"),
    "infinity": (
        lambda: FeatureNoise().fit(np.array([[1, np.inf]])), "column 1 contains inf"),
    "random_state": (lambda: FeatureNoise(random_state="a").fit(IRIS).transform(IRIS),
                     "'random_state'"),
    "other order": (
        lambda: FeatureNoise().fit(MIXED).perturb(None, MIXED.iloc[:, ::-1]),
        "same order"),
    "a column gone": (
        lambda: FeatureNoise().fit(MIXED).perturb(None, MIXED.drop(columns="ash")),
        "(?s)feature names should match.*ash"),
    "sequence order": (
        lambda: PerturbationSequence([FeatureNoise()]).fit(MIXED).perturb(
            None, MIXED.iloc[:, ::-1]), "same order"),
    "no rows for a sequence": (
        lambda: PerturbationSequence([]).perturb(None, MIXED.iloc[:0]), "at least one"),
    "empty": (lambda: FeatureNoise().fit(MIXED.iloc[:0]), "0 sample"),
    "text became": (
        lambda: FeatureNoise().fit(np.array([[1, 2]], object)).perturb(
            None, np.array([["a", "b"]], object)), "needs numbers"),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_table_perturbations_refuse_wrong_parameters(name):
    call, sentence = ROWS[name]
    with pytest.raises((ValueError, NotFittedError), match=sentence):
        call()
