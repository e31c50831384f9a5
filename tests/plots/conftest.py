"""Every figure is closed after its test."""

import pytest


@pytest.fixture(autouse=True)
def _close_figures():
    plt = pytest.importorskip("matplotlib.pyplot")
    yield
    plt.close("all")
