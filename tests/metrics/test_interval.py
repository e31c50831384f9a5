"""A value with its interval: unpacking, comparison, table and text."""

import numpy as np
import pandas as pd
import pytest

from skrobust.metrics import Interval, confidence_interval

CORRECT = [True] * 80 + [False] * 20


def test_an_interval_holds_its_value_and_unpacks():
    found = confidence_interval("accuracy", CORRECT)
    low, high = found
    assert (found.low, found.high) == (low, high) == found
    assert found[0] == low
    assert len(found) == 2
    assert (found.value, found.method, found.confidence) == (0.8, "wilson", 0.95)
    assert found.n_units == found.n == 100
    assert found.unit == "samples"
    assert found.warnings == ()
    with pytest.raises(AttributeError):
        found.value = 1


def test_an_interval_is_a_row_of_a_table():
    clusters = np.arange(100) // 10
    with pytest.warns(UserWarning, match="Only 10 clusters"):
        found = confidence_interval("accuracy", CORRECT, clusters=clusters)
    table = found.to_frame()
    assert isinstance(table, pd.DataFrame)
    row = table.iloc[0]
    assert len(table) == 1
    assert (row.value, row.low, row.high) == (found.value, found.low, found.high)
    assert (row.method, row.n_units, row.unit) == ("cluster t", 10, "clusters")
    assert row.warnings.startswith("Only 10 clusters")
    assert "n_units" in found._repr_html_()


def test_an_interval_of_any_source():
    plain = Interval(0.5, 0.4, 0.6)
    assert np.isnan(plain.std_error)
    assert plain == Interval(0.5, 0.4, 0.6)
    assert plain != Interval(0.5, 0.4, 0.7)
    assert repr(plain).startswith("Interval(0.5000 in [0.4000, 0.6000], 95% ")


@pytest.mark.parametrize("confidence", [0, 1, 95, True, "0.9", np.nan, None])
def test_a_confidence_lies_between_0_and_1(confidence):
    with pytest.raises(ValueError, match=r"'confidence' .* a number in \(0, 1\)"):
        confidence_interval("accuracy", CORRECT, confidence=confidence)
