"""The picture of repairs shows the numbers of their table."""

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")
pytest.importorskip("pandas")

from skrobust.evaluation import Results  # noqa: E402
from skrobust.evaluation.repairs.repair_table import pareto_front  # noqa: E402
from skrobust.plots import RepairParetoDisplay  # noqa: E402


def repairs(n, seed=0):
    rng = np.random.default_rng(seed)
    table = {"name": np.array(["original", *(f"repair {i}" for i in range(1, n))])}
    for name in ("clean", "robust"):
        table[name] = rng.uniform(0.3, 0.9, n)
        table[f"{name}_low"] = table[name] - rng.uniform(0, 0.05, n)
        table[f"{name}_high"] = table[name] + rng.uniform(0, 0.05, n)
    table["is_on_front"] = pareto_front(table["clean"], table["robust"])
    return table


def results_of(table, best="original"):
    about = {"columns": tuple(table), "best": best, "criterion": "mean"}
    return Results(**table, **about)


def ends_of(container):
    return [bar.get_segments()[0] for bar in container[2]]


def test_points_and_intervals_are_those_of_the_table():
    table = repairs(5)
    display = RepairParetoDisplay.from_results(results_of(table, "repair 2")).plot()
    assert list(display.points_) == table["name"].tolist()
    for i, point in enumerate(display.points_.values()):
        x, y = point[0].get_data()
        assert (x[0], y[0]) == (table["clean"][i], table["robust"][i])
        across, up = ends_of(point)
        np.testing.assert_allclose(
            across[:, 0], [table["clean_low"][i], table["clean_high"][i]]
        )
        np.testing.assert_allclose(
            up[:, 1], [table["robust_low"][i], table["robust_high"][i]]
        )
    assert display.frame().robust.tolist() == table["robust"].tolist()
    on = table["is_on_front"]
    assert sorted(display.front_.get_ydata()) == sorted(table["robust"][on])
    assert (np.diff(display.front_.get_ydata()) <= 0).all()


def test_at_most_six_repairs_have_names_and_colours_of_their_own():
    table = repairs(15)
    display = RepairParetoDisplay.from_results(results_of(table, "repair 3")).plot()
    labels = [text.get_text() for text in display.legend_.get_texts()]
    assert labels[:2] == ["original", "repair 3 (best)"]
    assert len(labels) == 7
    colors = {display.points_[t.split(" (")[0]][0].get_color() for t in labels}
    assert len(colors) == 7
    front = table["name"][table["is_on_front"]][:5]
    assert {*front} <= {label.split(" (")[0] for label in labels}


def test_what_was_not_measured_is_left_out():
    table = repairs(4)
    for name in ("robust", "robust_low", "robust_high"):
        table[name][2] = np.nan
    table["is_on_front"][2] = False
    display = RepairParetoDisplay.from_results(results_of(table)).plot()
    assert list(display.points_) == ["original", "repair 1", "repair 3"]


def test_dark_styles_show_the_original():
    with plt.style.context("dark_background"):
        display = RepairParetoDisplay.from_results(results_of(repairs(3))).plot()
        assert display.points_["original"][0].get_color() == "white"


def test_other_results_are_refused():
    with pytest.raises(ValueError, match="what suggest_repairs returns"):
        RepairParetoDisplay.from_results(Results(name=[]))
