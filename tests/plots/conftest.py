"""A model to draw, and figures closed after each test."""

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import minmax_scale


@pytest.fixture(autouse=True)
def _close_figures():
    plt = pytest.importorskip("matplotlib.pyplot")
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def cancer_model():
    """A logistic regression on the scaled breast cancer rows, and the rows."""
    X, y = load_breast_cancer(return_X_y=True)
    X = minmax_scale(X)
    return LogisticRegression().fit(X, y), X, y
