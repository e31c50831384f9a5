"""Small models and data that several test files use."""

import itertools
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import Constraints


def linear_problem(n=80, d=6, *, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    scores = (X - 0.5) @ rng.normal(size=(d, classes))
    y = scores.argmax(axis=1)
    return LogisticRegression(C=100, max_iter=5000).fit(X, y), X, y


@cache
def read_digits():
    return load_digits(return_X_y=True)


def digit_rows():
    """Return the digits of scikit-learn, read once and copied for each test."""
    X, y = read_digits()
    return X.copy(), y.copy()


def data_folder(*parts):
    """Return a folder of the shared real data, or skip where it is absent."""
    folder = Path(__file__).parents[2] / "shared" / "data" / Path(*parts)
    if not folder.exists():
        pytest.skip(f"the shared data {Path(*parts)} is not here")
    return folder


def grid_problem():
    """Two counts, a code, a pair and a number, and every row that they allow."""
    rng = np.random.default_rng(3)
    n = 60
    X = np.column_stack(
        [
            rng.integers(0, 5, size=(n, 2)),
            rng.choice([1, 2, 5], size=n),
            np.eye(3)[rng.integers(0, 3, size=n)],
        ]
    ).astype(float)
    scores = X @ np.array([1.0, -0.7, 0.6, 1.5, -1.0, 0.3])
    y = (scores > np.median(scores)).astype(int)
    model = LogisticRegression(C=10).fit(X, y)
    rules = Constraints(
        integer=[0, 1], valid_values={2: [1, 2, 5]}, one_hot=[[3, 4, 5]]
    )
    every = itertools.product(range(5), range(5), [1, 2, 5], np.eye(3))
    every = np.array([[a, b, c, *hot] for a, b, c, hot in every], dtype=float)
    box = (np.array([0, 0, 1, 0, 0, 0.0]), np.array([4, 4, 5, 1, 1, 1.0]))
    return model, X, rules, every, box


def name_of(instance):
    """Return its text without addresses, so that tests have one name everywhere."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(instance))
