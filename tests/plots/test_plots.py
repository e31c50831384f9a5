"""The displays draw the numbers of the results, each where its label says."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
from problems import digit_rows
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

from skrobust import plots  # noqa: E402
from skrobust.attacks import FGSM  # noqa: E402
from skrobust.evaluation import evaluate_attack, evaluate_perturbations  # noqa: E402
from skrobust.perturbations import two_factor_grid  # noqa: E402
from skrobust.plots import (  # noqa: E402
    PerturbationGridDisplay,
    RobustRatioDisplay,
    StabilitySurfaceDisplay,
)


@pytest.fixture(scope="module")
def digits():
    X, y = digit_rows()
    grid = two_factor_grid(
        "asi68", image_shape=(8, 8), data_range=(0, 16), random_state=0
    )
    models = {"SVC": SVC(), "logistic": LogisticRegression(max_iter=5000)}
    return {
        name: evaluate_perturbations(
            model.fit(X[:500], y[:500]), X[500:600], y[500:600], grid
        )
        for name, model in models.items()
    }


@pytest.fixture(scope="module")
def cancer(cancer_model):
    model, X, y = cancer_model
    return model, X[:200], y[:200], FGSM(0.05, data_range=(0, 1))


@pytest.fixture(scope="module")
def attacked(cancer):
    return evaluate_attack(*cancer)


def _offsets(artist):
    if hasattr(artist, "_offsets3d"):
        return np.column_stack([np.ma.getdata(part) for part in artist._offsets3d])
    return np.asarray(artist.get_offsets())


def _fractions(scores, names=None):
    names = [f"c{i}" for i in range(len(scores))] if names is None else names
    return {"score": np.asarray(scores, dtype=float), "name": np.asarray(names)}


# The surface


def test_surface_points_of_one_model(digits):
    results = digits["SVC"]
    display = StabilitySurfaceDisplay.from_results(results, name="SVC")
    assert display.plot() is display
    assert display.ax_.name == "3d"
    assert display.figure_ is display.ax_.figure
    mean, variation = results.mean, results.coefficient_of_variation
    (model,), (conditions,) = display.model_points_, display.condition_points_
    np.testing.assert_allclose(
        _offsets(model), [[mean, variation, results.accuracy_stability_index]]
    )
    x, y, z = _offsets(conditions).T
    np.testing.assert_allclose(x, results.score)
    np.testing.assert_allclose(y, np.abs(results.score - mean) / mean)
    np.testing.assert_allclose(z, (x - y) / (x + y))
    # The root mean square of the deviations of the conditions is the CV.
    assert np.sqrt((y**2).mean()) == pytest.approx(variation, rel=1e-12)
    assert display.ax_.get_xlabel() == "mean accuracy"
    assert display.ax_.get_ylabel() == "coefficient of variation"
    assert display.ax_.get_zlabel() == "Accuracy-Stability Index"
    labels = [text.get_text() for text in display.legend_.get_texts()]
    assert labels == ["SVC", "one condition"]


@pytest.mark.parametrize(
    "x, y, z",
    [
        (0.8, 0, 1),
        (0.8, 0.1, 0.777778),
        (0.8, 0.5, 0.230769),
        (0.5, 0.5, 0),
        (0, 0, -1),
    ],
)
def test_height_equals_worked_values(x, y, z):
    assert plots.surface_geometry.height(x, y) == pytest.approx(z, abs=1e-6)


@pytest.mark.parametrize("method", ["plot_surface", "contourf", "pcolormesh"])
def test_surface_height_is_the_formula(digits, monkeypatch, method):
    display = StabilitySurfaceDisplay.from_results(digits["SVC"])
    projection = "3d" if method == "plot_surface" else None
    _, ax = plt.subplots(subplot_kw={"projection": projection})
    draw, drawn = getattr(ax, method), []

    def spy(*data, **kwargs):
        drawn.extend(data)
        return draw(*data, **kwargs)

    monkeypatch.setattr(ax, method, spy)
    display.plot(ax, plot_method=method)
    x, y, z = drawn
    known = x + y > 0
    assert known.sum() >= known.size - 1
    np.testing.assert_allclose(z[known], ((x - y)[known] / (x + y)[known]))
    assert (x.min(), x.max()) == ax.get_xlim()
    assert (y.min(), y.max()) == ax.get_ylim()
    assert (display.colorbar_ is None) == (method == "plot_surface")
    if display.colorbar_ is not None:
        assert display.colorbar_.ax.get_ylabel() == "Accuracy-Stability Index"


def test_contours_hold_the_points(digits):
    display = StabilitySurfaceDisplay.from_results(digits["SVC"])
    display.plot(plot_method="contourf", surface_kwargs={"levels": [-1, 0, 1]})
    assert display.ax_.name == "rectilinear"
    np.testing.assert_array_equal(display.surface_.levels, [-1, 0, 1])
    np.testing.assert_allclose(
        _offsets(display.model_points_[0])[0],
        [digits["SVC"].mean, digits["SVC"].coefficient_of_variation],
    )


def test_surface_of_several_models(digits):
    display = StabilitySurfaceDisplay.from_results(digits).plot()
    means = [_offsets(points)[0, 0] for points in display.model_points_]
    np.testing.assert_allclose(means, [results.mean for results in digits.values()])
    labels = [text.get_text() for text in display.legend_.get_texts()]
    assert labels == ["SVC", "logistic", "one condition"]
    colors = {tuple(points.get_facecolor()[0]) for points in display.model_points_}
    assert len(colors) == 2
    shapes = [points.get_paths()[0].vertices for points in display.model_points_]
    assert shapes[0].shape != shapes[1].shape
    # The limits hold every point and stay near them.
    for low, high, i in ((*display.ax_.get_xlim(), 0), (*display.ax_.get_ylim(), 1)):
        data = np.concatenate([_offsets(p)[:, i] for p in display.condition_points_])
        assert low <= data.min()
        assert data.max() <= high
        assert high - data.max() <= 0.1 * (high - low)


def test_surface_on_given_axes(digits):
    display = StabilitySurfaceDisplay.from_results(digits["SVC"])
    _, ax = plt.subplots(subplot_kw={"projection": "3d", "elev": 20, "azim": 10})
    assert display.plot(ax).ax_ is ax
    assert (ax.elev, ax.azim) == (20, 10)
    _, flat = plt.subplots()
    with pytest.raises(ValueError, match=r"3-D axes for a surface.*projection"):
        display.plot(flat)
    with pytest.raises(ValueError, match="must be 2-D axes"):
        display.plot(ax, plot_method="contourf")
    with pytest.raises(ValueError, match="must be an Axes of matplotlib or None"):
        display.plot("here")
    with pytest.raises(ValueError, match="plot_method"):
        display.plot(plot_method="scatter")


def test_surface_frame(digits):
    pytest.importorskip("pandas")
    frame = StabilitySurfaceDisplay.from_results(digits).frame()
    assert list(frame.columns) == [
        "model", "kind", "name", "accuracy", "coefficient_of_variation",
        "accuracy_stability_index",
    ]  # fmt: skip
    assert len(frame) == 2 * 70
    row = frame[(frame.model == "logistic") & (frame.kind == "model")].iloc[0]
    assert row.accuracy == pytest.approx(digits["logistic"].mean)
    clean = frame[(frame.model == "SVC") & (frame.name == "CLEAN")].iloc[0]
    assert clean.accuracy == digits["SVC"].score[0]


# BLAS may report an overflow of numbers that it read beyond the end of an array.
@pytest.mark.filterwarnings("ignore:overflow encountered in dot")
@pytest.mark.parametrize("method", ["plot_surface", "contourf", "pcolormesh"])
@pytest.mark.parametrize("scores", [[0.9, 0.9, 0.9], [1.0], [1, 0, 0, 0]])
def test_surface_of_extreme_scores(scores, method):
    display = StabilitySurfaceDisplay.from_results(_fractions(scores))
    display.plot(plot_method=method).figure_.canvas.draw()
    low, high = display.ax_.get_xlim()
    assert low < high
    assert display.ax_.get_xlabel() == "mean score"  # nobody said that it is accuracy


@pytest.mark.parametrize(
    "results, message",
    [
        (_fractions([0, 0]), "positive mean score"),
        (_fractions([90, 80]), "fractions in .0, 1.*Divide percent by 100"),
        (_fractions([-0.2, 0.5]), "fractions in .0, 1"),
        ({"mean": 1}, "what evaluate_perturbations returns"),
        ({}, "what evaluate_perturbations returns"),
        ([0.9, 0.8], "what evaluate_perturbations returns"),
    ],
)
def test_surface_refuses(results, message):
    with pytest.raises(ValueError, match=message):
        StabilitySurfaceDisplay.from_results(results)


def test_surface_refuses_one_name_for_many(digits):
    with pytest.raises(ValueError, match="None for several models"):
        StabilitySurfaceDisplay.from_results(digits, name="both")


# The heat maps


def _cell_names():
    # (order, row, column) -> name, written out without the code under test.
    sp, ga = ["0", "0.1", "0.15", "0.2"], ["0", "0.1", "0.15", "0.2"]
    ro = ["RL60", "RL30", "RO0", "RR30", "RR60"]
    names = {}
    for i, s in enumerate(sp):
        for j, g in enumerate(ga):
            names["SP → GA", i, j] = f"SP{s}GA{g}"
            names["GA → SP", i, j] = f"GA{g}SP{s}"
        for j, r in enumerate(ro):
            names["SP → RO", i, j] = f"SP{s}{r}"
            names["RO → SP", i, j] = f"{r}SP{s}"
    zero = {"SP0GA0", "GA0SP0", "SP0RO0", "RO0SP0"}
    return {key: "CLEAN" if name in zero else name for key, name in names.items()}


def test_every_cell_shows_its_condition(digits):
    results = digits["SVC"]
    score = dict(zip(results.name, results.score, strict=True))
    display = PerturbationGridDisplay.from_results(results)
    assert display.plot() is display
    titles = [ax.get_title() for ax in display.ax_]
    assert titles == ["SP → GA", "GA → SP", "SP → RO", "RO → SP"]
    expected, seen = _cell_names(), []
    for title, ax, image, texts in zip(
        titles, display.ax_, display.images_, display.texts_, strict=True
    ):
        values = image.get_array()
        assert ax.get_images() == [image]
        for (i, j), value in np.ndenumerate(values):
            name = expected[title, i, j]
            seen.append(name)
            assert value == score[name], name
            assert texts[i, j].get_text() == f"{score[name]:.2f}"
            assert texts[i, j].get_position() == (j, i)
    assert set(seen) == set(score)
    assert len(seen) == len(expected) == 68 + 4


def test_maps_share_scale_and_axes(digits):
    display = PerturbationGridDisplay.from_results(digits["SVC"]).plot()
    score = digits["SVC"].score
    for image in display.images_:
        assert image.get_clim() == (score.min(), score.max())
    assert display.colorbar_.ax.get_ylabel() == "accuracy"
    assert len(display.figure_.axes) == 5
    for ax, columns in zip(display.ax_, ("GA", "GA", "RO", "RO"), strict=True):
        assert ax.get_ylabel() == "SP: salt and pepper (density)"
        assert ax.get_xlabel().startswith(columns)
    rotation = [tick.get_text() for tick in display.ax_[3].get_xticklabels()]
    assert rotation == ["-60", "-30", "0", "30", "60"]
    density = [tick.get_text() for tick in display.ax_[0].get_yticklabels()]
    assert density == ["0", "0.1", "0.15", "0.2"]


@pytest.mark.parametrize("cmap", ["viridis", "Greys", "Greys_r"])
def test_numbers_stand_out(digits, cmap):
    display = PerturbationGridDisplay.from_results(digits["SVC"])
    display.plot(image_kwargs={"cmap": cmap, "vmin": 0, "vmax": 1})
    for image, texts in zip(display.images_, display.texts_, strict=True):
        for value, text in zip(image.get_array().ravel(), texts.ravel(), strict=True):
            rgb = np.asarray(image.cmap(image.norm(value))[:3])
            linear = np.where(
                rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4
            )
            cell = linear @ [0.2126, 0.7152, 0.0722]
            ink = {"black": 0.0, "white": 1.0}[text.get_color()]
            low, high = sorted([cell, ink])
            assert (high + 0.05) / (low + 0.05) > 4.5  # the contrast of WCAG AA


def test_grid_on_given_axes(digits):
    display = PerturbationGridDisplay.from_results(digits["SVC"])
    figure, axes = plt.subplots(2, 2)
    display.plot(axes)
    assert list(display.ax_) == list(axes.ravel())
    assert display.figure_ is figure
    with pytest.raises(ValueError, match="4 axes or None"):
        display.plot(axes[0])
    with pytest.raises(ValueError, match="4 axes or None"):
        display.plot(axes[0, 0])
    _, solid = plt.subplots(1, 4, subplot_kw={"projection": "3d"})
    with pytest.raises(ValueError, match="must be 2-D axes"):
        display.plot(solid)


def test_grid_frame(digits):
    pytest.importorskip("pandas")
    results = digits["SVC"]
    frame = PerturbationGridDisplay.from_results(results).frame()
    columns = ["order", "first_level", "second_level", "name", "accuracy"]
    assert list(frame.columns) == columns
    score = dict(zip(results.name, results.score, strict=True))
    assert [score[name] for name in frame.name] == list(frame.accuracy)
    row = frame[frame.name == "RL60SP0.2"].iloc[0]
    assert list(row)[:3] == ["RO → SP", -60.0, 0.2]
    row = frame[frame.name == "SP0.1GA0.15"].iloc[0]
    assert list(row)[:3] == ["SP → GA", 0.1, 0.15]


def test_dropped_repeats_leave_empty_cells():
    grid = two_factor_grid("asi68", image_shape=(8, 8), unique=True)
    results = _fractions(np.linspace(0.9, 0.5, len(grid)), [c.name for c in grid])
    display = PerturbationGridDisplay.from_results(results).plot()
    drawn = [text for texts in display.texts_ for text in texts.ravel() if text]
    assert len(drawn) == 52 + 4
    assert display.texts_[1][1, 0] is None  # GA0SP0.1 repeats SP0.1GA0
    assert np.ma.getmaskarray(display.images_[1].get_array())[1, 0]


def test_grid_of_another_pair():
    results = _fractions([0.9, 0.7, 0.6], ["CLEAN", "AB1CD2", "AB1CD0"])
    display = PerturbationGridDisplay.from_results(results).plot()
    (image,) = display.images_
    expected = np.ma.masked_invalid([[0.9, np.nan], [0.6, 0.7]])
    np.testing.assert_array_equal(image.get_array().filled(-1), expected.filled(-1))
    assert display.colorbar_.ax.get_ylabel() == "score"


@pytest.mark.parametrize(
    "results, message",
    [
        (_fractions([0.9], ["GaussianNoise(0.1)"]), "'GaussianNoise.0.1.' cannot be"),
        (_fractions([0.9, 0.8], ["SP0.1GA0.1"] * 2), "'SP0.1GA0.1' occurs twice"),
        (_fractions([0.9], ["CLEAN"]), "at least one condition of two factors"),
        ({"name": ["CLEAN"]}, "what evaluate_perturbations returns"),
    ],
)
def test_grid_refuses(results, message):
    with pytest.raises(ValueError, match=message):
        PerturbationGridDisplay.from_results(results)


# The robust ratio


def test_lines_are_the_robust_ratio(attacked):
    display = RobustRatioDisplay.from_results(attacked, name="logistic")
    assert display.plot() is display
    assert list(display.lines_) == ["loss", "probability_shift"]
    for mode, line in display.lines_.items():
        x, y = line.get_data()
        np.testing.assert_array_equal(x, attacked.tolerance)
        np.testing.assert_array_equal(y, attacked[f"robust_ratio_{mode}"])
        tempered = display.tempered_lines_[mode].get_ydata()
        np.testing.assert_array_equal(
            tempered, attacked[f"robust_ratio_{mode}_tempered"]
        )
        band = display.bands_[mode].get_paths()[0].vertices
        for end in ("low", "high"):
            ends = np.column_stack([x, attacked[f"robust_ratio_{mode}_{end}"]])
            assert set(map(tuple, ends)) <= set(map(tuple, band))
    styles = {(s.get_linestyle(), s.get_marker()) for s in display.lines_.values()}
    assert len(styles) == 2
    assert display.ax_.get_title() == "logistic"
    assert display.ax_.get_xlabel() == "tolerance (bound on the change of probability)"
    assert display.ax_.get_ylabel() == "robust ratio"


def test_accuracies_stand_on_the_right(attacked):
    display = RobustRatioDisplay.from_results(attacked).plot()
    right = display.accuracy_ax_
    assert right.get_ylabel() == "accuracy"
    assert right.yaxis.get_label_position() == "right"
    assert right.get_ylim() == display.ax_.get_ylim()
    assert len(display.accuracy_lines_) == 3
    for key, line in display.accuracy_lines_.items():
        value = attacked[key]
        assert line.axes is right
        np.testing.assert_array_equal(line.get_ydata(), [value, value])
        assert f"{value:.2f}" in line.get_label()
    for key, band in display.accuracy_bands_.items():
        box = band.get_bbox()
        assert (box.y0, box.y1) == pytest.approx(attacked[f"{key}_interval"])
    assert set(display.accuracy_bands_) == {"robust_accuracy", "clean_accuracy"}
    labels = [text.get_text() for text in display.legend_.get_texts()]
    assert labels[:2] == [
        "robust ratio, published loss",
        "robust ratio, probability shift",
    ]
    assert labels[-1].startswith("constant model")


@pytest.mark.parametrize("size", [(4, 3), (6.4, 4.8), (11, 8)])
def test_legend_covers_no_data(attacked, size):
    _, ax = plt.subplots(figsize=size)
    display = RobustRatioDisplay.from_results(attacked).plot(ax)
    display.figure_.canvas.draw()
    assert display.ax_ is ax
    box = display.legend_.get_window_extent().transformed(ax.transData.inverted())
    assert box.y0 > 1
    inside = ax.get_window_extent()
    legend = display.legend_.get_window_extent()
    assert inside.x0 - 3 <= legend.x0
    assert legend.x1 <= inside.x1 + 3


def test_ratio_from_estimator(cancer, attacked):
    display = RobustRatioDisplay.from_estimator(*cancer, tolerances=[0.05, 0.1])
    assert display.name == "LogisticRegression"
    np.testing.assert_allclose(
        display.curves["loss"]["robust_ratio"], attacked.robust_ratio_loss[[5, 10]]
    )


def test_ratio_of_a_perturbation_is_as_given(cancer):
    class Halve:
        def perturb(self, estimator, X, y):
            return X / 2

    model, X, y, _ = cancer
    display = RobustRatioDisplay.from_estimator(model, X, y, Halve(), name="halved")
    display.plot(line_kwargs={"linewidth": 3})
    assert list(display.lines_) == ["given"]
    assert display.lines_["given"].get_linewidth() == 3
    assert display.lines_["given"].get_label() == "robust ratio, attack as given"


def test_ratio_frame(attacked):
    pytest.importorskip("pandas")
    frame = RobustRatioDisplay.from_results(attacked).frame()
    assert list(frame.columns) == [
        "mode", "tolerance", "robust_ratio", "low", "high", "tempered",
        "robust_accuracy", "clean_accuracy", "constant_model_accuracy",
    ]  # fmt: skip
    assert len(frame) == 42
    shift = frame[frame["mode"] == "probability_shift"]
    np.testing.assert_array_equal(
        shift.robust_ratio, attacked.robust_ratio_probability_shift
    )
    assert (frame.robust_accuracy == attacked.robust_accuracy).all()


def test_ratio_refuses(cancer, attacked, digits):
    _, X, y, _ = cancer

    class Halve:
        def perturb(self, estimator, X, y):
            return X / 2

    without = evaluate_attack(SVC().fit(X, y), X, y, Halve())
    with pytest.raises(ValueError, match=r"hold none .*no predict_proba"):
        RobustRatioDisplay.from_results(without)
    with pytest.raises(ValueError, match="what evaluate_attack returns"):
        RobustRatioDisplay.from_results(digits["SVC"])
    _, solid = plt.subplots(subplot_kw={"projection": "3d"})
    with pytest.raises(ValueError, match="must be 2-D axes"):
        RobustRatioDisplay.from_results(attacked).plot(solid)


# All


@pytest.mark.parametrize("name", plots.__all__)
def test_constructors_take_computed_data_by_keyword(name):
    parameters = inspect.signature(getattr(plots, name)).parameters.values()
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters)


def test_subfigures_hold_displays(digits, attacked):
    left, right = plt.figure(figsize=(12, 5), layout="constrained").subfigures(1, 2)
    display = PerturbationGridDisplay.from_results(digits["SVC"])
    assert display.plot(left.subplots(2, 2)).figure_ is left
    display = RobustRatioDisplay.from_results(attacked)
    assert display.plot(right.subplots()).figure_ is right


@pytest.mark.slow
def test_importing_plots_loads_no_matplotlib():
    code = "import sys, skrobust.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_plotting_leaves_the_style_alone(digits, attacked):
    before = dict(plt.rcParams)
    StabilitySurfaceDisplay.from_results(digits).plot()
    PerturbationGridDisplay.from_results(digits["SVC"]).plot()
    RobustRatioDisplay.from_results(attacked).plot()
    assert dict(plt.rcParams) == before
