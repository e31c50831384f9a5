"""Times and periods, read alike by all that take them."""

import numpy as np
import pandas as pd
import pytest

from skrobust.metrics import (
    confidence_interval,
    gini_stability,
    period_stability_index,
    stability_index,
)

ROWS = np.array([1.0, 1.0, 1.0, 0.0] * 3 + [1.0, 0.0] * 6)
MONTHS = np.repeat([2, 9, 10, 11], 6)


def interval(periods, **options):
    return confidence_interval(
        "stability_index", ROWS, periods=periods, random_state=0, **options
    )


def index(times):
    return period_stability_index(np.ones(24), ROWS, times)


def gini(times):
    scores = np.random.default_rng(0).random(24)
    return gini_stability(np.tile([0, 1], 12), scores, times)


@pytest.mark.filterwarnings("ignore:4 periods leave")
@pytest.mark.filterwarnings("ignore:4 periods cannot")
@pytest.mark.filterwarnings("ignore:The ")
@pytest.mark.parametrize("call", [interval, index, gini])
def test_periods_are_read_in_one_way(call):
    dates = np.array([f"2024-{m:02d}" for m in MONTHS], dtype="datetime64[M]")
    names = np.array([f"month {m}" for m in MONTHS])
    order = pd.CategoricalDtype([f"month {m}" for m in range(1, 13)], ordered=True)
    kinds = [
        MONTHS.astype(float),
        dates,
        dates.astype("datetime64[us]").tolist(),
        dates.astype(str),
        pd.Series(pd.PeriodIndex(pd.to_datetime(dates), freq="M")),
        pd.to_datetime(dates).tz_localize("UTC"),
        np.array([f"month {m:02d}" for m in MONTHS]),
        pd.Series(names, dtype=order),
        pd.Categorical(names, dtype=order),
    ]
    expected = call(MONTHS)
    for times in kinds:
        assert call(times) == expected
    # Text that sorts otherwise: month 10 before month 2.
    with pytest.raises(ValueError, match=r"text that sorts in time.*Categorical"):
        call(names)
    with pytest.raises(ValueError, match="without missing values; 6 of 24"):
        call(np.where(MONTHS == 2, np.nan, MONTHS))
    with pytest.raises(ValueError, match=r"one time per sample; .* has 23"):
        call(MONTHS[1:])


SCORES = np.array([0.9, 0.8, 0.6])
DAYS = ["2024-01-01", "2024-01-03", "2024-01-07"]


def index_at(times):
    return stability_index(SCORES, times=times)


def interval_at(times):
    return confidence_interval("stability_index", SCORES, times=times).value


def index_per_time(times):
    correct = np.arange(10) < 10 * SCORES[:, None]
    rows = pd.Series(times).repeat(10).reset_index(drop=True)
    return period_stability_index(np.ones(30), correct.ravel(), rows, slope_per="time")


@pytest.mark.filterwarnings("ignore:The 3 scores lie on a line")
@pytest.mark.parametrize("call", [index_at, interval_at, index_per_time])
def test_dates_are_times_in_days(call):
    expected = stability_index(SCORES, times=[0, 2, 6])
    days = pd.to_datetime(DAYS)
    kinds = [
        [0, 2, 6],
        DAYS,
        np.array(DAYS, dtype="datetime64[D]"),
        days,
        days.tz_localize("Europe/Berlin"),
        days.to_pydatetime().tolist(),
        days.to_period("D"),
        [f"{day}T12:00" for day in DAYS],
    ]
    for times in kinds:
        assert call(times) == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ValueError, match=r"'times' parameter .* (dates|ISO text)"):
        call(["early", "late", "later"])


def test_a_missing_date_is_no_time():
    with pytest.raises(ValueError, match="times without missing values; 1 of 3"):
        stability_index(SCORES, times=pd.to_datetime([*DAYS[:2], None]))
    with pytest.raises(ValueError, match="numbers, dates or ISO text"):
        stability_index(SCORES, times=np.array([1, 2, 3], dtype=object))


@pytest.mark.filterwarnings("ignore:4 periods leave")
@pytest.mark.parametrize("call", [index, gini])
def test_categories_without_an_order_are_their_values(call):
    """However the categories are listed; an ordered one says the order itself."""
    listed = pd.CategoricalDtype([11, 2, 10, 9])
    for times in (
        pd.Categorical(MONTHS, dtype=listed),
        pd.Series(MONTHS, dtype=listed),
    ):
        assert call(times) == call(MONTHS)
    names = [f"month {month}" for month in MONTHS]
    with pytest.raises(ValueError, match=r"text that sorts in time.*Categorical"):
        call(pd.Categorical(names, categories=dict.fromkeys(names)))
    backwards = pd.CategoricalDtype([11, 10, 9, 2], ordered=True)
    assert call(pd.Categorical(MONTHS, dtype=backwards)) == call(-MONTHS)
