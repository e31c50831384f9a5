"""Drift along columns of times, and the columns that a user may name."""

import datetime

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skrobust.perturbations import MeanDrift, PerturbationSequence

pd = pytest.importorskip("pandas")

HOURS = np.array([0, 3, 6, 12, 1, 9])
MIDNIGHT = datetime.datetime(2024, 5, 1)
TIMES = {
    "dates in seconds": np.array(HOURS, dtype="m8[h]") + np.datetime64("2024", "s"),
    "durations": pd.to_timedelta(HOURS, unit="h"),
    "times of day": [datetime.time(int(hour)) for hour in HOURS],
    "periods": pd.PeriodIndex([pd.Period("2024-05-01", "h") + int(h) for h in HOURS]),
    "dates as objects": pd.Series(
        [MIDNIGHT + datetime.timedelta(hours=int(h)) for h in HOURS], dtype=object
    ),
    "durations as objects": pd.Series(
        [datetime.timedelta(hours=int(h)) for h in HOURS], dtype=object
    ),
}


def _frame(when):
    size = np.random.default_rng(0).normal(size=len(HOURS))
    return pd.DataFrame({"size": size, "when": when})


@pytest.mark.parametrize("shape", ["ramp", "step"])
@pytest.mark.parametrize("kind", TIMES)
def test_times_drift_as_the_numbers_of_their_hours(kind, shape):
    """A drift along times is that along their hours as numbers."""
    drift = MeanDrift(size=2.0, shape=shape, along="when", columns=["size"])
    expected = drift.fit(_frame(HOURS.astype(float))).transform(_frame(HOURS * 1.0))
    found = drift.fit(_frame(TIMES[kind])).transform(_frame(TIMES[kind]))
    assert_allclose(found["size"], expected["size"])
    assert not np.allclose(found["size"], _frame(HOURS)["size"])


@pytest.mark.parametrize("kind", ["times of day", "dates as objects"])
def test_a_missing_time_is_the_first(kind):
    """A row without a time drifts as the row of the first time."""
    frame = _frame(pd.Series(list(TIMES[kind]), dtype=object))
    drift = MeanDrift(size=2.0, shape="ramp", along="when", columns=["size"])
    drift.fit(frame)
    holed = frame.copy()
    holed.loc[3, "when"] = None
    change = drift.transform(holed)["size"] - holed["size"]
    assert change[3] == change[0] == 0
    assert change[2] > 0


def test_drift_along_a_column_of_words_is_refused():
    """Words are no times."""
    drift = MeanDrift(shape="ramp", along="when", columns=["size"])
    with pytest.raises(ValueError, match="a column of numbers or times"):
        drift.fit(_frame(list("abcdef")))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("dates in seconds", np.array([True, False] * 3)),
        ("dates as objects", pd.Series(list("abcdef"), dtype=object)),
    ],
)
def test_a_column_of_times_that_holds_none_later_is_refused(kind, words):
    """What was fitted on times does not drift along anything else."""
    drift = MeanDrift(shape="ramp", along="when", columns=["size"])
    drift.fit(_frame(TIMES[kind]))
    with pytest.raises(ValueError, match="MeanDrift"):
        drift.transform(_frame(words))


def test_a_ramp_along_nothing_is_refused():
    """A drift that is not constant needs its time."""
    with pytest.raises(ValueError, match="'along'"):
        MeanDrift(shape="ramp").fit(_frame(HOURS))


@pytest.mark.parametrize(
    "columns", [{"size": 1}, 2.5, "float99", [np.array([0, 1])], [True]]
)
def test_columns_that_name_none_are_refused(columns):
    """What names no column is refused by the name of the parameter."""
    X = np.random.default_rng(0).normal(size=(6, 2))
    with pytest.raises(ValueError, match="'columns'"):
        MeanDrift(columns=columns).fit(X)


@pytest.mark.parametrize("columns", [float, "float64", slice(None), [True, True]])
def test_all_columns_of_an_array_by_type_slice_and_mask(columns):
    """The type of an array, a whole slice and a full mask take every column."""
    X = np.random.default_rng(0).normal(size=(6, 2))
    expected = MeanDrift(size=1.0).fit(X).transform(X)
    assert_allclose(MeanDrift(size=1.0, columns=columns).fit(X).transform(X), expected)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("drift", "must be a list of perturbations"),
        (
            [PerturbationSequence([MeanDrift()], noise_key="position")],
            "takes one noise_key for all",
        ),
    ],
)
def test_sequences_that_cannot_run_are_refused(steps, message):
    """A sequence says in one sentence which steps it cannot run."""
    X = np.random.default_rng(0).normal(size=(6, 2))
    with pytest.raises(ValueError, match=message):
        PerturbationSequence(steps).fit(X)
