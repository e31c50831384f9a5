"""One count of rows, whatever holds them."""

from collections import UserDict

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from skrobust._containers import n_rows

ROWS = np.zeros((3, 2))


@pytest.mark.parametrize(
    "X",
    [
        ROWS, ROWS[:, 0], pd.DataFrame(ROWS), pd.Series([1, 2, 3]), csr_array(ROWS),
        ["a", "b", "c"], [[1], [1, 2], []], (np.zeros(2), np.zeros(3), np.zeros(4)),
        {"ids": ROWS, "mask": ROWS}, UserDict(ids=ROWS), {"ids": [[1], [2, 3], [4]]},
    ],
)  # fmt: skip
def test_rows_are_counted(X):
    assert n_rows(X) == 3


def test_no_inputs_are_no_rows():
    assert n_rows({}) == n_rows([]) == 0
