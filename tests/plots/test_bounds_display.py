"""The display of bounds draws the numbers of the results."""

import numpy as np
import pytest
from problems import linear_problem
from sklearn.naive_bayes import GaussianNB

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pytest.importorskip("pandas")

from skrobust.attacks import FGSM  # noqa: E402
from skrobust.evaluation import (  # noqa: E402
    robust_accuracy_bounds,
    robust_ratio_bounds,
)
from skrobust.plots import RobustnessBoundsDisplay  # noqa: E402

MODEL, X, Y = linear_problem(40)


def test_radii():
    display = RobustnessBoundsDisplay.from_estimator(MODEL, X, Y, [0.1, 0.05])
    single = robust_accuracy_bounds(MODEL, X, Y, eps=0.05)
    frame = display.frame()
    assert frame.x.tolist() == [0, 0.05, 0.1]
    assert frame.lower[1] == single.lower
    assert frame.high[1] == single.high
    assert frame.model[0] == "LogisticRegression"
    display.plot()
    (line,) = display.lower_lines_.values()
    np.testing.assert_array_equal(line.get_ydata(), frame.lower)
    (line,) = display.upper_lines_.values()
    np.testing.assert_array_equal(line.get_ydata(), frame.upper)
    assert display.ax_.get_ylabel() == "robust accuracy"
    assert display.certificates == {"LogisticRegression": single.certificate}


def test_tolerances_of_two_models():
    bayes = GaussianNB().fit(X, Y)
    results = {
        name: robust_ratio_bounds(model, X, Y, FGSM(0.02))
        for name, model in (("linear", MODEL), ("Bayes", bayes))
    }
    display = RobustnessBoundsDisplay.from_results(results).plot()
    assert list(display.bands_) == ["linear", "Bayes"]
    assert display.ax_.get_ylabel() == "robust ratio"
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts == [
        "linear: attacked", "linear: certified", "Bayes: attacked", "Bayes: certified"
    ]  # fmt: skip
    frame = display.frame()
    np.testing.assert_array_equal(
        frame.lower[frame.model == "Bayes"], results["Bayes"].lower
    )


def test_messages():
    radius = robust_accuracy_bounds(MODEL, X, Y, eps=0.05)
    ratio = robust_ratio_bounds(MODEL, X, Y, FGSM(0.02))
    for wrong in ([], {}, "text", [{"eps": 1}], {"a": radius, "b": ratio}):
        with pytest.raises(ValueError, match="'results' parameter of RobustnessBounds"):
            RobustnessBoundsDisplay.from_results(wrong)
    with pytest.raises(ValueError, match="'name' parameter"):
        RobustnessBoundsDisplay.from_results({"a": radius}, name="b")
