"""Pictures of many lines stay legible: few colours, each once, the rest named."""

from itertools import pairwise

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.text import Text  # noqa: E402

from skrobust.plots import MinimalNormDisplay, SeverityCurveDisplay  # noqa: E402
from skrobust.plots.many_lines import line_styles  # noqa: E402


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def severity_display(n):
    x = np.array([0.0, 1, 3, 5])
    nothing = np.full(4, np.nan)
    curves = {
        f"corruption {i}": {
            "severity": x,
            "score": 0.95 - 0.1 * x * (i + 1) / n,
            "low": nothing,
            "high": nothing,
        }
        for i in range(n)
    }
    return SeverityCurveDisplay(curves=curves, score_name="accuracy")


@pytest.mark.parametrize("n", [1, 8, 9, 19])
@pytest.mark.parametrize("inches", [(6.4, 4.8), (3, 2.4)])
def test_no_colour_stands_for_two_lines_and_every_line_is_named_once(n, inches):
    _, ax = plt.subplots(figsize=inches, layout="constrained")
    display = severity_display(n).plot(ax=ax)
    named = [text.get_text() for text in display.legend_.get_texts()]
    beside = [text.get_text() for text in ax.texts]
    assert sorted(named + beside) == sorted(display.curves)
    assert len(named) == min(n, 8)
    colored = [display.lines_[name].get_color() for name in named]
    assert len(set(colored)) == len(named)
    # Those in colour are the ones that fall furthest.
    assert set(named) == {f"corruption {i}" for i in range(n)[-8:]}


@pytest.mark.parametrize("inches", [(6.4, 4.8), (3, 2.4)])
def test_no_name_is_over_another_or_outside_the_picture(inches):
    figure, ax = plt.subplots(figsize=inches, layout="constrained")
    display = severity_display(19)
    for curve in display.curves.values():  # all end in the same place
        curve["score"][-1] = 0.5
    display.plot(ax=ax)
    figure.canvas.draw()
    boxes = [Text.get_window_extent(text) for text in ax.texts]  # without arrows
    boxes.sort(key=lambda box: box.y0)
    assert all(a.y1 <= b.y0 + 0.5 for a, b in pairwise(boxes))
    assert all(box.x1 <= figure.bbox.x1 and box.y0 >= 0 for box in boxes)


def test_a_style_of_few_colours_gives_no_colour_twice():
    cycle = matplotlib.cycler(color=["red", "blue", "red"])
    with plt.rc_context({"axes.prop_cycle": cycle}):
        display = severity_display(5).plot()
    assert len(display.legend_.get_texts()) == 2
    assert len(display.ax_.texts) == 3


def test_minimal_norms_of_many_attacks():
    rng = np.random.default_rng(0)
    norms = {f"attack {i}": (i + 1) * rng.random(50) for i in range(10)}
    display = MinimalNormDisplay(norms=norms, norm_name="L2").plot()
    named = [text.get_text() for text in display.legend_.get_texts()]
    assert len(named) == 8
    assert all(": median" in text for text in named)
    assert [t.get_text() for t in display.ax_.texts] == ["attack 8", "attack 9"]


def test_a_pipeline_is_named_by_its_model():
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from skrobust.attacks import DeepFool

    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    display = MinimalNormDisplay.from_estimator(model, X[:5], y[:5], DeepFool())
    assert list(display.norms) == ["LogisticRegression"]


def test_a_line_without_heights_is_grey_and_warns_of_nothing():
    curves = {f"line {i}": np.full(3, float(i)) for i in range(8)}
    styles = line_styles({"nothing": np.full(3, np.nan), **curves})
    assert styles["nothing"]["color"] == "0.55"
    assert len({styles[name]["color"] for name in curves}) == 8
