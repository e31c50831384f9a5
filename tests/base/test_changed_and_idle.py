"""Which rows changed, and which conditions never change any."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from skrobust.base.changed_rows import changed_rows, same_cells
from skrobust.base.idle import _ever_changes


class Trial:
    """Changes a row for one seed alone."""

    def __init__(self, seed, noise):
        self.changes_at, self._noise, self.seeds = seed, noise, []
        self.random_state = None

    def _perturb_container(self, X, y):
        self.seeds.append(self.random_state)
        return X + (self.random_state == self.changes_at)


@pytest.mark.parametrize(
    ("noise", "seed", "n_rows", "changes", "tried"),
    [
        ("row", 0, 10, True, 1),
        ("row", 2, 10, True, 3),
        ("row", -1, 10**4, False, 1),
        ("fixed", 2, 10, False, 1),
        ("common", 1, 10, True, 2),
    ],
)
def test_as_many_seeds_are_tried_as_the_noise_needs(
    noise, seed, n_rows, changes, tried
):
    trial = Trial(seed, noise)
    assert _ever_changes(trial, np.zeros((n_rows, 1))) == changes
    assert trial.seeds == list(range(tried))


def test_texts_and_series_that_stay_have_not_changed():
    texts = ["a", "b", None]
    assert changed_rows(texts, ["a", "c", None]).tolist() == [False, True, False]
    series = [np.arange(3.0), np.array([1.0, np.nan])]
    moved = [np.arange(3.0), np.array([2.0, np.nan])]
    assert changed_rows(series, series).tolist() == [False, False]
    assert changed_rows(series, moved).tolist() == [False, True]
    X = np.array([[1.0, np.nan], [2.0, 3.0]])
    assert changed_rows(X, X.copy()).tolist() == [False, False]
    assert changed_rows(X, X + [[0, 0], [0, 1]]).tolist() == [False, True]


def test_sparse_rows_that_stay_have_not_changed():
    X = csr_array(np.array([[0.0, 1.0], [0.0, 0.0], [2.0, 0.0]]))
    moved = csr_array(np.array([[0.0, 1.0], [0.0, 3.0], [0.0, 0.0]]))
    assert changed_rows(X, X.copy()).tolist() == [False] * 3
    assert changed_rows(X, moved).tolist() == [False, True, True]


CELLS = {
    "floats": np.array([1.0, np.nan]),
    "whole": np.array([1, 2]),
    "flags": np.array([True, False]),
    "texts": np.array(["1.0", "nan"]),
    "dates": np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
    "objects": np.array([1.0, "a"], dtype=object),
    "longer": np.array([1.0, np.nan, 3.0]),
}


@pytest.mark.parametrize("one", CELLS)
@pytest.mark.parametrize("other", CELLS)
def test_series_of_another_kind_are_others(one, other):
    x, z = CELLS[one], CELLS[other].copy()
    same = one == other and one != "dates"  # a date that is missing equals none
    assert same_cells(x, z) == same
    assert changed_rows([x], [z]).tolist() == [not same]
