"""Small models that several test files attack."""

import numpy as np
from sklearn.linear_model import LogisticRegression


def linear_problem(n=80, d=6, *, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    scores = (X - 0.5) @ rng.normal(size=(d, classes))
    y = scores.argmax(axis=1)
    return LogisticRegression(C=100, max_iter=5000).fit(X, y), X, y


def data_folder(*parts):
    """Return a folder of the shared real data, or skip where it is absent."""
    from pathlib import Path

    import pytest

    folder = Path(__file__).parents[2] / "shared" / "data" / Path(*parts)
    if not folder.exists():
        pytest.skip(f"the shared data {Path(*parts)} is not here")
    return folder
