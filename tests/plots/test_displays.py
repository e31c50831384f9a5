"""Displays of curves, groups, models, time and samples draw the numbers they hold."""

import numpy as np
import pytest
from problems import digit_rows
from sklearn.datasets import load_wine
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")
pytest.importorskip("pandas")

from skrobust import plots  # noqa: E402
from skrobust.attacks import PGD, ExactLinear  # noqa: E402
from skrobust.evaluation import (  # noqa: E402
    cross_validate_perturbations,
    evaluate_perturbations,
    robust_accuracy_curve,
)
from skrobust.metrics import (  # noqa: E402
    compare_models,
    group_robust_ratio_curve,
    group_robustness,
    period_stability_index,
    robust_ratio_regions,
    simultaneous_intervals,
    stability_index,
    stability_pattern,
)
from skrobust.perturbations import (  # noqa: E402
    GaussianNoise,
    Jitter,
    Rotation,
    SaltAndPepper,
    Typos,
    two_factor_grid,
)
from skrobust.plots import (  # noqa: E402
    GroupGapDisplay,
    MinimalNormDisplay,
    ModelComparisonDisplay,
    NormalizedScoreDisplay,
    PerturbationGalleryDisplay,
    PerturbationGridDisplay,
    RobustAccuracyCurveDisplay,
    SeverityCurveDisplay,
    StabilityPatternDisplay,
    StabilitySurfaceDisplay,
)

IMAGES = {"image_shape": (8, 8), "data_range": (0, 16), "random_state": 0}


@pytest.fixture(scope="module")
def digit_tree():
    X, y = digit_rows()
    model = DecisionTreeClassifier(max_depth=8, random_state=0).fit(X[:500], y[:500])
    return model, X[500:700], y[500:700]


@pytest.fixture(scope="module")
def cancer(cancer_model):
    model, X, y = cancer_model
    return model, X[:100], y[:100]


# Severity


def test_severity_curves_are_the_scores(digit_tree):
    model, X, y = digit_tree
    noise = [
        c(severity=s, **IMAGES) for c in (GaussianNoise, SaltAndPepper) for s in (5, 1)
    ]
    results = cross_validate_perturbations(model, X, y, noise, cv=3)
    display = SeverityCurveDisplay.from_results(results).plot()
    assert list(display.lines_) == ["GaussianNoise", "SaltAndPepper"]
    line = display.lines_["GaussianNoise"]
    scores = results.conditions.score
    expected = [results.clean_score, scores[1], scores[0]]
    np.testing.assert_array_equal(line.get_xdata(), [0, 1, 5])
    np.testing.assert_allclose(line.get_ydata(), expected)
    display.plot(kind="relative")
    relative = display.lines_["GaussianNoise"].get_ydata()
    np.testing.assert_allclose(relative, np.array(expected) / expected[0])
    assert list(display.frame().severity) == [0, 1, 5] * 2
    both = SeverityCurveDisplay.from_results({"a": results, "b": results})
    assert len(both.curves) == 4
    assert "a, SaltAndPepper" in both.curves


def test_severity_band_of_all_conditions(digit_tree):
    model, X, y = digit_tree
    noise = [GaussianNoise(severity=s, **IMAGES) for s in (1, 5)]
    results = evaluate_perturbations(model, X, y, noise)
    display = SeverityCurveDisplay.from_results(results, limits="simultaneous")
    curve = display.plot().curves["GaussianNoise"]
    np.testing.assert_array_equal(curve["low"][1:], results.band_low)
    np.testing.assert_array_equal(curve["high"][1:], results.band_high)
    alone = SeverityCurveDisplay.from_results(results).curves["GaussianNoise"]
    assert (alone["low"][1:] >= curve["low"][1:]).all()
    folds = cross_validate_perturbations(model, X, y, noise, cv=2)
    with pytest.raises(ValueError, match="what evaluate_perturbations or"):
        SeverityCurveDisplay.from_results(folds, limits="simultaneous")


def test_severity_refuses(digit_tree):
    model, X, y = digit_tree
    turned = evaluate_perturbations(
        model,
        X,
        y,
        two_factor_grid("asi68", image_shape=(8, 8), data_range=(0, 16))[5:7],
    )
    with pytest.raises(ValueError, match="conditions on a severity curve"):
        SeverityCurveDisplay.from_results(turned)
    with pytest.raises(ValueError, match="what evaluate_perturbations or"):
        SeverityCurveDisplay.from_results({"score": [1.0]})
    with pytest.raises(ValueError, match=r"finds no scores of 'b' .* scores of 'a'"):
        SeverityCurveDisplay.from_cv_results({"test_a": [0.5]}, {"b": 1})
    with pytest.raises(ValueError, match=r"'severities' .* non-empty dict"):
        SeverityCurveDisplay.from_cv_results({"test_a": [0.5]}, {})


def test_cv_results_of_both_kinds(digit_tree):
    model, X, y = digit_tree
    scoring = {"clean": make_scorer(accuracy_score), "noisy": "balanced_accuracy"}
    scores = cross_validate(model, X, y, scoring=scoring, cv=3)
    display = SeverityCurveDisplay.from_cv_results(scores, {"noisy": 3}, clean="clean")
    curve = display.curves["model"]
    means = [scores["test_clean"].mean(), scores["test_noisy"].mean()]
    np.testing.assert_allclose(curve["score"], means)
    error = scores["test_noisy"].std(ddof=1) / np.sqrt(3)
    assert curve["high"][1] - curve["score"][1] == pytest.approx(error)
    search = GridSearchCV(
        model, {"max_depth": [2, 8]}, scoring=scoring, refit="clean", cv=3
    ).fit(X, y)
    found = search.cv_results_
    display = SeverityCurveDisplay.from_cv_results(found, {"noisy": 3}, clean="clean")
    best = found["mean_test_clean"].max()
    assert display.curves["model"]["score"][0] == pytest.approx(best)
    surface = StabilitySurfaceDisplay.from_cv_results(found, ["clean", "noisy"])
    assert surface.names == ["max_depth=8", "max_depth=2"]
    np.testing.assert_allclose(
        surface.scores[0], [found["mean_test_clean"][1], found["mean_test_noisy"][1]]
    )


# Radii and distances


@pytest.mark.parametrize("parts", [False, True])
def test_title_stands_over_the_legend(cancer, parts):
    results = robust_accuracy_curve(*cancer, PGD(n_steps=2, random_state=0), [0.05])
    figure = plt.figure(layout="constrained")
    ax = (figure.subfigures(2, 1)[1] if parts else figure).subplots(1, 2)[0]
    display = RobustAccuracyCurveDisplay.from_results({"a": results, "b": results})
    display.plot(ax)
    title = ax.set_title("How accurate is it?")
    figure.canvas.draw()
    legend = display.legend_.get_window_extent()
    assert title.get_window_extent().y0 >= legend.y1 - 1
    assert legend.y0 >= ax.get_window_extent().y1 - 1
    assert ax.get_tightbbox().y1 <= figure.bbox.y1


def test_radius_curve_begins_at_clean_accuracy(cancer):
    results = robust_accuracy_curve(*cancer, PGD(random_state=0), [0.05, 0.1])
    display = RobustAccuracyCurveDisplay.from_results(results).plot()
    (line,) = display.lines_.values()
    np.testing.assert_array_equal(line.get_xdata(), [0, 0.05, 0.1])
    expected = np.r_[results.clean_accuracy, results.robust_accuracy]
    np.testing.assert_array_equal(line.get_ydata(), expected)
    assert display.legend_ is None
    named = RobustAccuracyCurveDisplay.from_estimator(
        *cancer, PGD(random_state=0), [0.05, 0.1]
    ).plot()
    assert named.ax_.get_xlabel() == "radius eps (l-inf norm, units of X)"
    with pytest.raises(ValueError, match="what robust_accuracy_curve returns"):
        RobustAccuracyCurveDisplay.from_results({"eps": [1.0]})


def test_minimal_norms_are_the_robust_accuracy():
    norms = [0.0, 1.0, 1.0, 2.0, np.inf]
    display = MinimalNormDisplay.from_results(norms).plot()
    (line,) = display.lines_.values()
    np.testing.assert_array_equal(line.get_xdata()[:-1], [0, 0, 1, 1, 2])
    np.testing.assert_allclose(line.get_ydata()[:-1], [1, 0.8, 0.6, 0.4, 0.2])
    assert display.legend_.get_texts()[0].get_text() == "median 1"
    frame = display.frame()
    np.testing.assert_allclose(frame.robust_accuracy[:4], [0.8, 0.4, 0.4, 0.2])
    never = MinimalNormDisplay.from_results([np.inf, np.inf]).plot()
    assert never.legend_.get_texts()[0].get_text() == "median not reached"


@pytest.mark.parametrize("norms", [[], [np.nan], [-1.0], ["a"], [[1.0]], 3.0, {}])
def test_minimal_norms_refuse(norms):
    with pytest.raises(ValueError, match="'results' parameter of MinimalNormDisplay"):
        MinimalNormDisplay.from_results(norms)


def test_minimal_norms_of_an_attack(cancer):
    attack = ExactLinear(norm=2)
    display = MinimalNormDisplay.from_estimator(*cancer, attack)
    np.testing.assert_array_equal(
        display.norms["LogisticRegression"], attack.minimal_norms(*cancer)
    )
    with pytest.raises(ValueError, match="attack with minimal_norms"):
        MinimalNormDisplay.from_estimator(*cancer, PGD())


# Groups and models


def test_groups_and_gaps_are_the_tables():
    y, groups = [0, 1] * 45, ["a"] * 40 + ["b"] * 40 + ["c"] * 10
    results = group_robustness(y, [0, 1] * 20 + [0, 0] * 25, groups, random_state=0)
    display = GroupGapDisplay.from_results(results).plot()
    np.testing.assert_allclose(display.points_.get_offsets()[:, 0], results.value)
    np.testing.assert_array_equal(display.points_.get_offsets()[:, 1], [2, 1, 0])
    labels = [t.get_text() for t in display.ax_.get_yticklabels()]
    assert labels == ["a (n = 40)", "b (n = 40)", "c (n = 10)"]
    right = np.average(results.value, weights=results.n_samples)
    assert display.line_.get_xdata()[0] == pytest.approx(right)
    faces = display.points_.get_facecolor()
    assert not np.array_equal(faces[0], faces[2])
    display.plot(kind="gaps")
    np.testing.assert_allclose(display.points_.get_offsets()[:, 0], results.gaps.gap)
    ends = np.array([s[:, 0] for s in display.bars_.get_segments()])
    np.testing.assert_allclose(
        ends, np.c_[results.gaps.band_low, results.gaps.band_high]
    )
    assert len(display.frame(kind="gaps")) == 3


def test_groups_of_a_curve_need_a_tolerance():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 1], 60)
    q = rng.dirichlet([1, 1], 60)
    curve = group_robust_ratio_curve(
        p, q, ["a", "b"] * 30, tolerances=[0.1, 0.5], random_state=0
    )
    display = GroupGapDisplay.from_results(curve, tolerance=0.5)
    np.testing.assert_array_equal(display.groups["value"], curve.value[2:])
    with pytest.raises(ValueError, match=r"one of \[0.1, 0.5\]. Got None"):
        GroupGapDisplay.from_results(curve)


def test_comparison_of_pairs_and_of_curves():
    right = {"a": np.arange(90) % 10 > 0, "b": np.arange(90) % 3 > 0}
    right["c"] = right["a"].copy()
    results = compare_models(right, random_state=0)
    display = ModelComparisonDisplay.from_results(results).plot()
    offsets = display.points_.get_offsets()
    np.testing.assert_allclose(offsets[:, 0], results.difference)
    faces = display.points_.get_facecolor()
    assert not np.array_equal(faces[0], faces[1])  # a - c is no difference
    assert display.ax_.get_xlabel() == "difference in robust accuracy"
    shifts = {"a": np.linspace(0, 0.5, 60), "b": np.linspace(0, 0.9, 60)}
    display = ModelComparisonDisplay.from_predictions(
        shifts, metric="robust_ratio", tolerance=[0.1, 0.3], random_state=0
    ).plot()
    (line,) = display.lines_.values()
    np.testing.assert_allclose(line.get_ydata(), display.table["difference"])
    with pytest.raises(ValueError, match="what compare_models returns"):
        ModelComparisonDisplay.from_results({})


def test_model_comparison_shows_regions():
    rng = np.random.default_rng(0)
    brittle = np.where(rng.random(400) < 0.6, 0.01, 0.5)
    shifts = {"steady": rng.uniform(0, 0.2, 400), "brittle": brittle}
    found = robust_ratio_regions(shifts, random_state=0)
    display = ModelComparisonDisplay.from_results(found).plot()
    assert [text.get_text() for text in display.region_names_] == ["brittle", "steady"]
    spans = [line.get_xdata().tolist() for line in display.region_lines_]
    assert spans == np.transpose([found.regions.start, found.regions.stop]).tolist()
    assert np.array_equal(display.frame().band_low, found.pairs.band_low)
    (line,) = display.lines_.values()
    assert np.array_equal(line.get_ydata(), found.pairs.difference)


# Time and factors


def test_pattern_terms_sum_to_the_index():
    scores = [0.85, 0.86, 0.84, 0.83, 0.82]
    display = StabilityPatternDisplay.from_periods(scores).plot()
    terms = display.terms()
    parts = [v for k, v in terms.items() if k != "index"]
    assert sum(parts) == pytest.approx(terms["index"], abs=1e-12)
    assert display.index_ == stability_index(scores)
    np.testing.assert_array_equal(display.points_.get_ydata(), scores)
    fitted = np.polyval(np.polyfit(range(5), scores, 1), range(5))
    np.testing.assert_allclose(display.trend_line_.get_ydata(), fitted)


def test_pattern_is_named_with_its_probability():
    scores = [0.91, 0.90, 0.92, np.nan, 0.91, 0.90, 0.91, 0.92, 0.90, 0.91, 0.92, 0.91]
    display = StabilityPatternDisplay(scores=np.array(scores), high=0.8).plot()
    known = np.array(scores)[np.isfinite(scores)]
    expected = stability_pattern(known, high=0.8)
    np.testing.assert_array_equal(display.pattern_.probability, expected.probability)
    text = display.legend_.get_title().get_text()
    assert text.endswith(f"pattern: stable high ({expected.probability[0]:.2f})")
    low = StabilityPatternDisplay(scores=known, high=0.99, tolerance=0.2).plot()
    assert low.pattern_.most_probable == "stable low"
    line = StabilityPatternDisplay.from_periods([0.9] * 4, high=0.8).plot()
    text = line.legend_.get_title().get_text()
    assert text.endswith("pattern: stable high (no probability)")
    plain = StabilityPatternDisplay.from_periods([0.9, 0.8]).plot()
    assert plain.pattern_ is None
    assert "pattern" not in plain.legend_.get_title().get_text()
    with pytest.raises(ValueError, match="at least 3"):
        StabilityPatternDisplay.from_periods([0.9, 0.8], high=0.8).plot()
    with pytest.raises(ValueError, match="'tolerance' parameter"):
        StabilityPatternDisplay.from_periods(known, high=0.8, tolerance=-1)


def test_pattern_of_rows_leaves_undefined_periods_out():
    times, y = np.repeat([1, 2, 3, 4], 4), np.tile([0, 1, 0, 1], 4)
    y[4:8] = 1
    score = np.random.default_rng(0).random(16)
    with pytest.warns(UserWarning, match="leaves out 1 of 4"):
        display = StabilityPatternDisplay.from_predictions(
            y, score, times, metric="gini"
        )
    with pytest.warns(UserWarning, match="leaves out"):
        index = period_stability_index(y, score, times, metric="gini")
    assert display.plot().index_ == pytest.approx(index)
    assert np.isnan(display.frame().trend[1])


def test_pattern_with_the_band_of_all_periods():
    months = np.repeat(np.arange(5), 40)
    right = np.random.default_rng(0).random(200) < 0.8
    band = simultaneous_intervals(right, periods=months)
    display = StabilityPatternDisplay.from_results(band).plot()
    drawn = np.array([line[:, 1] for line in display.limits_.get_segments()])
    np.testing.assert_allclose(drawn, np.column_stack([band.band_low, band.band_high]))
    np.testing.assert_allclose(display.frame().low, band.band_low)
    np.testing.assert_array_equal(display.scores, right.reshape(5, 40).mean(axis=1))
    assert display.score_name == "accuracy"
    assert StabilityPatternDisplay.from_periods([0.5, 0.6]).plot().limits_ is None
    with pytest.raises(ValueError, match="must be what period_stability_index"):
        StabilityPatternDisplay.from_results(simultaneous_intervals(right))
    with pytest.raises(ValueError, match="'limits' parameter of StabilityPatternDi"):
        StabilityPatternDisplay.from_periods([0.5, 0.6], limits=[0.1, 0.9])


def test_pattern_of_a_model_and_its_column():
    data = load_wine(as_frame=True)
    model = DecisionTreeClassifier(max_depth=1).fit(data.data, data.target)
    week = np.arange(len(data.target)) % 5
    X = data.data.assign(week=week)
    model = DecisionTreeClassifier(max_depth=1).fit(X, data.target)
    display = StabilityPatternDisplay.from_estimator(model, X, data.target, "week")
    right = model.predict(X) == data.target
    np.testing.assert_allclose(display.scores, right.groupby(week).mean())
    with pytest.raises(ValueError, match="name of a column of X"):
        StabilityPatternDisplay.from_estimator(model, X, data.target, "month")


@pytest.mark.parametrize(
    "scores, kwargs, message",
    [
        ([0.5], {}, "at least 2"),
        ([0.5, np.nan], {}, "NaN|finite|nan"),
        ([0.5, 0.6], {"periods": ["a"]}, "one name for each of the 2"),
        ([0.5, 0.6], {"variability_weight": -1}, "variability_weight"),
    ],
)
def test_pattern_refuses(scores, kwargs, message):
    with pytest.raises(ValueError, match=message):
        StabilityPatternDisplay.from_periods(scores, **kwargs)


@pytest.mark.parametrize("model", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_normalized_steps_multiply_to_the_score(model):
    X, y = load_wine(return_X_y=True)
    model = model(max_depth=2, random_state=0).fit(X, y)
    display = NormalizedScoreDisplay.from_estimator(
        model, X, y, n_samples=178, clip=False
    ).plot()
    p = display.parts
    product = p["raw"] * p["dimensionality"] * p["signal"] / p["imbalance"]
    widths = [bar.get_width() for bar in display.bars_]
    assert widths[3] == pytest.approx(product)
    assert widths[0] == pytest.approx(model.score(X, y))
    assert widths[4] == pytest.approx(p["score"])


# Samples


def test_gallery_of_images_shows_what_the_model_saw(digit_tree):
    model, X, y = digit_tree
    before = X.copy()
    noise = [SaltAndPepper(severity=s, **IMAGES) for s in (1, 5)]
    display = PerturbationGalleryDisplay.from_estimator(
        model, X, y, noise, n_samples=4
    ).plot()
    assert list(display.rows) == ["clean", "SaltAndPepper 1", "SaltAndPepper 5"]
    assert display.tiles_.shape == (3, 4)
    np.testing.assert_array_equal(X, before)
    shown = display.artists_[2][1].get_array()
    np.testing.assert_array_equal(
        shown, noise[1].perturb(model, X[:4], y[:4])[1].reshape(8, 8)
    )
    said = model.predict(display.rows["SaltAndPepper 5"])
    for j, label in enumerate(said):
        mark = "✓" if label == y[j] else "✗"
        assert display.tiles_[2, j].get_title() == f"{label} {mark}"
    assert list(display.frame().predicted[-4:]) == list(said)


def test_gallery_of_series_tables_and_text():
    S = np.sin(np.linspace(0, 9, 80) + np.arange(3)[:, None])
    jitter = Jitter(severity=3, random_state=0).fit(S)
    display = PerturbationGalleryDisplay.from_estimator(None, S, None, jitter).plot()
    assert display.kind == "series"
    moved = display.artists_[1][2].get_ydata()
    np.testing.assert_array_equal(moved, jitter.perturb(None, S)[2])

    class FirstUp:
        def perturb(self, estimator, X, y):
            return X.assign(ash=X["ash"] + 1)

    wine = load_wine(as_frame=True).data
    display = PerturbationGalleryDisplay.from_estimator(
        None, wine, None, {"up": FirstUp()}, n_samples=2
    ).plot()
    assert display.kind == "table"
    place = [t.get_text() for t in display.artists_[0]].index("ash")
    weights = [[t.get_fontweight() for t in line[2:]] for line in display.artists_[1:]]
    assert weights[1][place - 2] == "bold"
    assert weights[1].count("bold") == 1
    assert "bold" not in weights[0]
    words = ["a $x$ in the text", "and <b>another</b> one"]
    typos = Typos(severity=5, random_state=0).fit(words)
    display = PerturbationGalleryDisplay.from_estimator(None, words, None, typos).plot()
    assert display.artists_[1][2].get_text() == words[0]
    display.figure_.canvas.draw()


@pytest.mark.parametrize(
    "change, message",
    [
        ({"perturbations": []}, "one or more objects with perturb"),
        ({"perturbations": GaussianNoise}, "one or more objects with perturb"),
        ({"X": np.empty((0, 64)), "y": None}, "at least one row"),
        ({"n_samples": 0}, "n_samples"),
        ({"kind": "film"}, "kind"),
        ({"image_shape": (3, 3)}, "the shape of a row of 64 values"),
    ],
)
def test_gallery_refuses(digit_tree, change, message):
    _, X, y = digit_tree
    given = {"X": X, "y": y, "perturbations": GaussianNoise(severity=1, **IMAGES)}
    with pytest.raises(ValueError, match=message):
        PerturbationGalleryDisplay.from_estimator(None, **given | change)


# All


def test_grid_of_any_two_factors(digit_tree):
    model, X, y = digit_tree
    settings = {"image_shape": (8, 8), "data_range": (0, 16)}
    turn = (Rotation(**settings), "angle", [-20, 1e-05])
    noise = (GaussianNoise(**settings), "std", [0.1])
    results = evaluate_perturbations(
        model, X[:20], y[:20], two_factor_grid(turn, noise, random_state=0)
    )
    first, second = PerturbationGridDisplay.from_results(results).panels
    assert (first.first, first.second) == ("Rotation", "GaussianNoise")
    np.testing.assert_array_equal(first.row_levels, [-20, 0, 1e-05])
    np.testing.assert_array_equal(second.column_levels, [0, 0.1])
    both = (Rotation(**settings), "angle", [5, 10])
    alike = [c.name for c in two_factor_grid(both, both)]
    display = PerturbationGridDisplay.from_results(
        {"name": alike, "score": np.linspace(1, 0, len(alike))}
    )
    assert display.panels[0].first == "Rotation[angle](A)" or len(display.panels) == 2


def test_surface_turns_in_plotly():
    pytest.importorskip("plotly")
    scores = {"score": np.array([0.9, 0.7]), "name": np.array(["<b>x", "y"])}
    display = StabilitySurfaceDisplay.from_results({"<i>m": scores})
    figure = display.to_plotly()
    surface, conditions, model = figure.data
    np.testing.assert_array_equal(conditions.x, scores["score"])
    assert conditions.text[0] == "&lt;i&gt;m: &lt;b&gt;x"
    assert model.x[0] == pytest.approx(0.8)
    x, y = np.asarray(surface.x), np.asarray(surface.y)
    np.testing.assert_allclose(surface.z, (x - y) / (x + y))


def test_axes_of_another_kind_are_refused(digit_tree):
    _, solid = plt.subplots(subplot_kw={"projection": "3d"})
    display = MinimalNormDisplay.from_results([1.0])
    with pytest.raises(ValueError, match="2-D axes"):
        display.plot(solid)
    with pytest.raises(ValueError, match="an Axes of matplotlib"):
        display.plot("here")


def test_displays_are_tables_in_notebooks():
    display = MinimalNormDisplay.from_results({"<script>": [1.0] * 50})
    page = display._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "30 more rows" in page
    assert all(hasattr(getattr(plots, n), "_repr_html_") for n in plots.__all__)


def test_user_palettes_are_kept():
    with plt.style.context("dark_background"):
        display = MinimalNormDisplay.from_results([1.0]).plot()
        first = plt.rcParams["axes.prop_cycle"].by_key()["color"][0]
        assert display.lines_[""].get_color() == first
    display = MinimalNormDisplay.from_results([1.0]).plot()
    assert display.lines_[""].get_color() == "#0072B2"


def test_days_are_written_as_days_under_a_stability_pattern():
    # Not 2020-01-01T00:00:00.000000 under each mark, nor "- fall -0.000" above.
    pytest.importorskip("matplotlib").use("Agg")
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], "datetime64[us]")
    display = StabilityPatternDisplay.from_periods([0.5, 0.6, 0.7], days).plot()
    names = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert names == ["2020-01-01", "2020-01-02", "2020-01-03"]
    assert "- fall 0.000" in display.legend_.get_title().get_text()
