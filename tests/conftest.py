"""Fixtures that several folders share; none of them is changed by a test."""

import gc

import pytest

collect_ignore = ["typing_right.py", "typing_wrong.py"]  # for a type checker alone

gc.disable()  # until all is imported and collected, where it finds nothing

from sklearn.datasets import load_iris  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Begin to collect garbage when all tests are found."""
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_itemcollected(item):
    """Refuse names of tests that differ between the processes that share them."""
    if " at 0x" in item.nodeid:
        raise pytest.UsageError(f"{item.nodeid} names an address. Give it an id.")


@pytest.fixture(scope="session")
def iris():
    """A logistic regression on the irises, and the irises."""
    X, y = load_iris(return_X_y=True)
    return LogisticRegression(max_iter=1000).fit(X, y), X, y


@pytest.fixture(scope="session")
def nets():
    """Return the module of nets, or skip where torch or skorch is absent."""
    pytest.importorskip("torch")
    pytest.importorskip("skorch")
    import nets_for_tests

    return nets_for_tests
