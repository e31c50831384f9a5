"""The preset of tables: mixed columns, plausible values, absent kinds."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skrobust.perturbations import (
    CategoryFlip,
    DateShift,
    FeatureLoss,
    FeatureNoise,
    MeanDrift,
    MissingValues,
    PerturbationSequence,
    UnitError,
    tabular,
)

N = 120
RNG = np.random.default_rng(0)
DAYS = RNG.integers(0, 300, N)
WHOLE = np.where(RNG.random(N) < 0.2, np.nan, RNG.integers(0, 9, N))
PLAIN = {
    "size": RNG.normal(size=N),
    "count": RNG.integers(0, 50, N),
    "town": RNG.choice(["Paris", "Rome", "Oslo"], N).astype(object),
    "sold": RNG.random(N) < 0.5,
}


def pandas_table():
    frame = pd.DataFrame(PLAIN)
    start, zoned = pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-01", tz="UTC")
    frame["day"] = start + pd.to_timedelta(DAYS, "D")
    frame.loc[3, "day"] = pd.NaT
    frame["moment"] = zoned + pd.to_timedelta(37 * DAYS, "h")
    frame["date"] = [dt.date(2024, 1, 1) + dt.timedelta(days=int(k)) for k in DAYS]
    frame["kind"] = pd.Categorical(RNG.choice(list("abcd"), N))
    frame["word"] = pd.array(RNG.choice(["up", "down"], N), dtype="string")
    frame["nullable"] = pd.array(WHOLE, dtype="Int64")
    frame["whole"] = WHOLE
    return frame


def polars_table():
    frame = pl.DataFrame({name: v.tolist() for name, v in PLAIN.items()})
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=int(k)) for k in DAYS]
    holes = [None if v != v else int(v) for v in WHOLE]
    return frame.with_columns(
        date=pl.Series(days),
        moment=pl.Series(days).cast(pl.Datetime("ms", "Europe/Rome")),
        kind=pl.Series(PLAIN["town"].tolist(), dtype=pl.Categorical),
        known=pl.Series(
            PLAIN["town"].tolist(), dtype=pl.Enum(["Oslo", "Paris", "Rome"])
        ),
        holes=pl.Series(holes),
    )


def copied(X):
    return X.copy() if isinstance(X, pd.DataFrame) else X.clone()


def family(dtype):
    """Return the dtype; categories may get new ones."""
    text = str(dtype)
    is_category = isinstance(dtype, pd.CategoricalDtype) or text.startswith("Enum")
    return text.partition("(")[0] if is_category else text


def values(X):
    """Return the cells as text, without the categories that no cell has."""
    rows = X.to_numpy(dtype=object) if isinstance(X, pd.DataFrame) else X.rows()
    return [[str(v) for v in row] for row in rows]


TABLES = {"pandas": pandas_table, "polars": polars_table}


@pytest.mark.parametrize("kind", TABLES)
def test_all_columns_are_touched_and_keep_their_types(kind):
    X = TABLES[kind]()
    before, touched = copied(X), set()
    for condition in tabular((2, 5), random_state=0):
        out = condition.fit(X).perturb(None, X)
        assert [family(t) for t in out.dtypes] == [family(t) for t in X.dtypes]
        # A part of the rows is perturbed as it is among all.
        part = condition.perturb(None, X[:40])
        assert values(part) == values(out[:40]), condition.name
        touched |= {c for c in X.columns if not X[c].equals(out[c])}
    assert touched == set(X.columns)
    assert before.equals(X)


def test_numbers_stay_in_the_training_range_and_whole():
    X = pandas_table()[["size", "count", "nullable", "whole"]]
    train, test = X[:60], X[60:]
    floats = {"dtype": float, "na_value": np.nan}
    old, known = test.to_numpy(**floats), train.to_numpy(**floats)
    # What lies beyond already goes no further.
    low = np.fmin(np.nanmin(known, axis=0), old)
    high = np.fmax(np.nanmax(known, axis=0), old)
    for condition in tabular((1, 3, 5), random_state=0, missing=False)[1:]:
        out = condition.fit(train).perturb(None, test)
        assert out["count"].dtype == X["count"].dtype
        new = out.to_numpy(**floats)
        given = ~np.isnan(old)
        assert (new[given] >= low[given]).all(), condition.name
        assert (new[given] <= high[given]).all(), condition.name
        if not condition.name.startswith("feature_loss"):  # filled by means
            whole = out["whole"].dropna()
            assert (whole == whole.round()).all(), condition.name
    free = tabular((5,), random_state=0, plausible=False)
    out = [c.fit(train).perturb(None, test) for c in free if c.name == "mean_drift-5"]
    assert out[0]["size"].max() > train["size"].max() + 1


def test_values_beyond_the_range_stay_where_they_are():
    train = np.arange(11.0).reshape(-1, 1)
    drift = MeanDrift(size=1.0, plausible=True).fit(train)
    found = drift.transform(np.array([[0.0], [9.0], [20.0], [-5.0], [np.nan]]))
    assert found[:, 0].tolist()[:4] == [3.0, 10.0, 20.0, -2.0]
    assert np.isnan(found[4, 0])


def test_a_plausible_perturbation_must_be_fitted():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        UnitError(plausible=True).perturb(None, np.ones((3, 1)))
    with pytest.raises(NotFittedError):
        MissingValues(columns="missing").perturb(None, np.ones((3, 1)))


def test_absent_kinds_are_skipped():
    numbers = PLAIN["size"].reshape(-1, 2)
    conditions = tabular((3,), random_state=0)
    fitted = [c.fit(numbers) for c in conditions]
    acting = [c.name for c in fitted if c.finds_columns()]
    assert acting == [c.name for c in conditions if c.finds_columns(numbers)]
    assert len(acting) == 1 + 11
    for condition in fitted:
        if condition.name not in acting:
            out = condition.perturb(None, numbers)
            assert np.array_equal(out, numbers)
            assert out is not numbers
    # Unfitted steps that learn nothing are skipped as well.
    shift = PerturbationSequence([DateShift(mode="shift")], no_columns="skip")
    assert np.array_equal(shift.perturb(None, numbers), numbers)
    with pytest.raises(ValueError, match="found no column to act on"):
        PerturbationSequence([DateShift()]).fit(numbers)
    # A column that is asked for by name must be there.
    with pytest.raises(ValueError, match="which the table lacks"):
        tabular((3,), categories=["brand"])[12].fit(numbers)


def test_typos_are_one_slip_of_text():
    town = np.array([["Paris"], ["Rome"], ["02139"], [None]] * 20, dtype=object)
    flip = CategoryFlip(share=1.0, mode="typo", random_state=0).fit(town)
    new = flip.transform(town)
    same = new == town
    assert same[2::4].all()
    assert all(v is None for v in new[3::4, 0])
    assert same[0::4].mean() < 0.2
    assert {len(v) for v in new[0::4, 0]} <= {4, 5, 6}
    codes = np.array([[True], [False]])
    with pytest.raises(ValueError, match="mode='typo'"):
        CategoryFlip(mode="typo").fit(codes)


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_dates_shift_by_days(unit):
    days = (np.datetime64("2024-02-28") + DAYS).astype(f"M8[{unit}]").reshape(-1, 1)
    days[0] = "NaT"
    out = DateShift(days=-2.0, mode="shift").perturb(None, days)
    assert out.dtype == days.dtype
    assert np.isnat(out[0, 0])
    assert (days[1:] - out[1:] == np.timedelta64(2, "D")).all()
    noisy = DateShift(days=10, random_state=0).perturb(None, days)
    steps = (noisy[1:] - days[1:]) / np.timedelta64(1, "D")
    assert (steps == np.rint(steps)).all()  # midnight stays midnight
    assert abs(steps.mean()) < 3
    assert 8 < steps.std() < 12


def test_times_of_day_shift_by_parts_of_days():
    noon = np.array([["2024-01-01T12:00"]] * 50, dtype="M8[s]")
    steps = DateShift(days=1, random_state=0).perturb(None, noon) - noon
    assert (steps % np.timedelta64(1, "D") != np.timedelta64(0)).any()


def test_dates_refuse_other_columns():
    text = np.array([["a"], ["b"]], dtype=object)
    with pytest.raises(ValueError, match="columns of dates, or of numbers"):
        DateShift(columns=[0]).fit(text)
    spans = np.array([[1], [2]], dtype="m8[D]")
    with pytest.raises(ValueError, match="durations"):
        DateShift().fit(spans)
    out = DateShift(days=3, mode="shift", columns=[0]).perturb(None, np.array([[5]]))
    assert out.dtype.kind == "i"
    assert out[0, 0] == 8


def test_lost_integers_are_filled_by_integers():
    X = pd.DataFrame({"n": [1, 2, 2, 4], "m": [1, 1, 2, 2]})
    lost = FeatureLoss(share=1.0, fill="mean", keep_integer=True).fit_transform(X)
    assert lost.dtypes.equals(X.dtypes)
    assert FeatureLoss(share=1.0, fill="mean").fit_transform(X)["n"].dtype == float


@pytest.mark.parametrize(
    "params", [{"categories": None}, {"dates": None}, {"missing": 2}, {"plausible": 2}]
)
def test_preset_refuses_settings(params):
    with pytest.raises(
        ValueError, match=f"'{next(iter(params))}' parameter of tabular"
    ):
        tabular(**params)


def test_missing_columns_are_chosen_in_fit():
    train = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 6.0]])
    gaps = MissingValues(share=1.0, columns="missing").fit(train)
    assert np.isnan(gaps.transform(np.ones((2, 3)))).tolist() == [[0, 1, 0]] * 2
    noise = FeatureNoise(columns="missing", random_state=0).fit(train)
    assert noise.columns_.tolist() == [1]
