"""Verdicts of a report, what they rest on, and pictures of all models."""

import json
import re

import numpy as np
import pytest
from report_page import Page
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score

from skrobust.attacks import RandomSearch
from skrobust.evaluation import evaluate_attack
from skrobust.metrics import mean_corruption_error
from skrobust.perturbations import (
    GaussianNoise,
    MeanDrift,
    get_preset,
)
from skrobust.report import (
    build_markdown,
    build_report,
    collect_report,
    report_from_json,
    summary_rows,
)
from skrobust.report.core._report_json import to_json
from skrobust.report.core.heat_map import heat_map, is_additive
from skrobust.report.core.model_verdict import side
from skrobust.report.core.needs import bracket_of, judged
from skrobust.report.core.number_text import number
from skrobust.report.core.pictures import by_night
from skrobust.report.measured.condition_words import condition_words
from skrobust.report.measured.mixed_table import MixedTable
from skrobust.report.measured.responsible import responsible_parts
from skrobust.report.pages.charts import heat_chart, interval_chart, line_chart

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")
pandas = pytest.importorskip("pandas")
TABLE = {"sides": None, "image_shape": None}


class Rule(ClassifierMixin, BaseEstimator):
    """Answers by a known rule of some columns."""

    def __init__(self, columns=(0,)):
        self.columns = columns

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        values = np.asarray(X)[:, list(self.columns)]
        return (values > 0).any(axis=1).astype(int)


@pytest.fixture(scope="module")
def data():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    return X[::2, :6], y[::2], X[1::2, :6], y[1::2]


@pytest.fixture(scope="module")
def collected(data):
    X, y, X_test, y_test = data
    models = {"plain": LogisticRegression(), "most & frequent": DummyClassifier()}
    return collect_report(
        {name: model.fit(X, y) for name, model in models.items()},
        X_test,
        y_test,
        X_train=X,
        eps=0.05,
        data_range=(0, 1),
        checks=False,
        n_labels=10,
    )


# What a condition does


def test_conditions_are_described_in_units():
    for condition in get_preset("tabular", categories=True, missing=True):
        words = condition_words(condition)
        assert words
        assert ("severity" in words) == bool(condition.steps)
    drift = condition_words(MeanDrift(size=1.0))
    assert drift == "a shift of each column by 1 training standard deviation"
    assert condition_words(MeanDrift(severity=5)).endswith("(severity 5 of 5)")
    assert "Gaussian noise" in condition_words(GaussianNoise(severity=2))
    assert condition_words(object()) == ""


# What is responsible


def test_one_column_is_named_with_its_loss():
    X = np.random.default_rng(0).normal(size=(80, 4))
    y = (X[:, 2] > 0).astype(int)
    model = Rule((2,)).fit(X, y)
    drift = MeanDrift(size=100.0).fit(X)
    found = responsible_parts(model, X, y, "classifier", drift, TABLE, False)
    assert found["names"][0] == "column 2"
    assert found["drops"] == pytest.approx([1 - y.mean(), 0, 0, 0])
    assert found["clean"] - found["score"] == pytest.approx(found["drops"][0])
    assert found["together"] == []


def test_columns_that_harm_only_together_are_found():
    """The model is wrong only where both of two columns are shifted."""

    class Both(Rule):
        def predict(self, X):
            values = np.asarray(X)[:, [0, 3]]
            return (values > 50).all(axis=1).astype(int)

    X, y = np.random.default_rng(0).normal(size=(60, 5)), np.zeros(60, dtype=int)
    y[0] = 1
    model = Both().fit(X, y)
    drift = MeanDrift(size=100.0).fit(X)
    found = responsible_parts(model, X, y, "classifier", drift, TABLE, False)
    assert found["drops"] == [0.0] * 5
    assert {"column 0", "column 3"} <= set(found["together"])
    assert found["together_drop"] == pytest.approx(found["clean"] - found["score"])


def test_regions_of_images_and_words_of_texts_are_named():
    images = np.random.default_rng(0).random((40, 8, 8))

    class Corner(Rule):
        def predict(self, X):
            return (np.asarray(X)[:, 7, 0] > 0.5).astype(int)

    y = (images[:, 7, 0] > 0.5).astype(int)
    settings = {"sides": (8, 8), "image_shape": None}
    options = "classifier", None, settings, False
    found = responsible_parts(Corner().fit(images, y), images, y, *options)
    assert found["names"][0] == "rows 6 to 7, columns 0 to 1"
    assert found["drops"][0] > 0.2
    assert found["drops"][1:] == [0.0] * 15

    class Good(Rule):
        def predict(self, X):
            return np.array(["good" in text.split() for text in X]).astype(int)

    texts = np.array(["a good film", "a bad film", "good", "a film"])
    model = Good().fit(texts, [1, 0, 1, 0])
    options = "classifier", None, TABLE, True
    found = responsible_parts(model, texts, [1, 0, 1, 0], *options)
    assert (found["names"][0], found["drops"][0]) == ("good", 0.5)


@pytest.mark.parametrize("as_frame", [False, True])
def test_mixed_rows_have_the_chosen_columns_alone(as_frame):
    clean = np.arange(12.0).reshape(4, 3)
    moved = clean + [1, 0, np.nan]
    if as_frame:
        clean, moved = (
            pandas.DataFrame(a, columns=list("abc")) for a in (clean, moved)
        )
    table = MixedTable(clean, moved)
    assert table.changed == [0, 2]
    mixed = np.asarray(table.mixed([0]))
    np.testing.assert_array_equal(mixed[:, 0], np.asarray(moved)[:, 0])
    np.testing.assert_array_equal(mixed[:, 1:], np.asarray(clean)[:, 1:])
    assert not np.isnan(np.asarray(clean)).any()  # not changed


# The verdict


def test_needs_are_met_by_the_lower_limit_alone():
    needs = {"accuracy": 0.8, "asi": 0.5, "r2": 0.1, "robust_accuracy": 0.3}
    values = {"accuracy": 0.9, "asi": 0.6, "r2": None, "robust_accuracy": 0.2}
    lows = {"accuracy": 0.85, "asi": 0.4, "robust_accuracy": 0.1}
    statuses = [row["status"] for row in judged(needs, values, lows)]
    assert statuses == ["met", "not shown", "not measured", "missed"]


@pytest.mark.parametrize(
    ("interval", "place"),
    [
        ((0.6, 0.8), "above"),
        ((0.4, 0.8), "open"),
        ((0.1, 0.3), "below"),
        (None, "above"),
    ],
)
def test_a_score_is_placed_by_its_interval(interval, place):
    assert side(0.7, interval, 0.5) == place
    assert side(float("nan"), interval, 0.5) == "open"


def test_fall_below_the_constant_model_is_said_first(collected):
    plain, constant = collected["verdicts"]
    worst = plain["worst"]
    results = collected["models"][0]["stability"]
    largest = collected["models"][0]["clean"]["constant_model"]
    assert worst["score"] == results["score"].min() < largest
    assert worst["side"] == "below"
    below = (results["score_high"] < largest) & (results["severity"] != 0)
    assert worst["n_below"] == below.sum()
    kind = results["corruption"] == worst["corruption"]
    assert worst["first_severity"] == results["severity"][below & kind].min()
    assert plain["status"] == "bad"
    assert plain["sentence"].startswith("Worse than a constant model in ")
    assert "Not shown to be better than a constant model" in constant["sentence"]
    page = Page(build_report(collected))
    sections = [e["attrs"]["id"] for e in page.all("section")]
    assert sections[0] == "verdict"
    text = " ".join(page.texts("td"))
    assert worst["words"] in text
    markdown = build_markdown(collected)
    assert f"Worst condition: {worst['score']:.3f}" in markdown
    assert "Not tested:" in markdown


@pytest.mark.usefixtures("undrawn")
def test_thresholds_make_the_verdict(data):
    X, y, X_test, y_test = data
    model = {"m": LogisticRegression().fit(X, y)}
    options = {"n_labels": 5, "checks": False}
    found = collect_report(
        model, X_test, y_test, thresholds={"accuracy": 0.7}, **options
    )
    (verdict,) = found["verdicts"]
    assert (verdict["status"], verdict["sentence"]) == ("good", "Meets the need.")
    assert "lower limit" in build_report(found)
    strict = {"accuracy": 0.99, "robust_accuracy": 0.1}
    found = collect_report(model, X_test, y_test, thresholds=strict, **options)
    (verdict,) = found["verdicts"]
    assert verdict["sentence"] == "Misses 1 of 2 needs: clean accuracy."
    assert [n["status"] for n in verdict["needs"]] == ["missed", "not measured"]
    for wrong in ({"nothing": 0.5}, {"accuracy": 2}, {"accuracy": "high"}, [0.5]):
        with pytest.raises(
            ValueError, match="'thresholds' parameter of collect_report"
        ):
            collect_report(model, X_test, y_test, thresholds=wrong)


# Brackets and corruption errors


def test_bracket_is_that_of_the_strongest_attack(collected, data):
    _, _, X, y = data
    model = LogisticRegression().fit(*data[:2])
    options = {"eps": 0.05, "data_range": (0, 1), "random_state": 0}
    expected = evaluate_attack(model, X, y, "auto", **options)
    plain, constant = map(bracket_of, collected["models"])
    assert plain["lower"] == expected.robust_accuracy_lower
    assert plain["upper"] == expected.robust_accuracy
    low, high = plain["upper_interval"]
    assert low <= plain["upper"] <= high
    assert constant["lower"] == constant["upper"]
    assert "| Robust accuracy | Certified | Attacked |" in build_markdown(collected)


def test_corruption_error_is_relative_to_the_constant_model(collected, data):
    plain, constant = (m["stability"] for m in collected["models"])
    assert constant["mean_corruption_error"] == pytest.approx(1.0)
    errors = 1 - plain["score"][1:].reshape(-1, 5)
    reference = 1 - constant["score"][1:].reshape(-1, 5)
    expected = mean_corruption_error(errors, reference, reference="constant")
    assert plain["mean_corruption_error"] == pytest.approx(expected.value)
    low, high = plain["mean_corruption_error_interval"]
    assert low < expected.value < high
    assert "mCE" in Page(build_report(collected)).texts("th")
    assert "| mCE |" in build_markdown(collected)


def test_reference_of_the_corruption_error_is_a_model(data):
    X, y, X_test, y_test = data
    models = {"a": LogisticRegression().fit(X, y), "b": DummyClassifier().fit(X, y)}
    options = {"conditions": get_preset("tabular", severities=(1, 3)), "n_labels": 5}
    found = collect_report(models, X_test, y_test, X_train=X, reference="a", **options)
    errors = [m["stability"]["mean_corruption_error"] for m in found["models"]]
    assert errors[0] == pytest.approx(1.0)
    assert errors[1] > 1
    with pytest.raises(ValueError, match="'reference' parameter of collect_report"):
        collect_report(models, X_test, y_test, reference="c")


# Numbers that are undefined


@pytest.mark.usefixtures("undrawn")
def test_undefined_numbers_have_their_reason_on_the_page_and_in_the_twins():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    model = LinearRegression().fit(X, y)
    found = collect_report(
        {"line": model}, X, y, X_train=rng.normal(size=(60, 2)), eps=0.1, n_samples=120
    )
    row = summary_rows(found)[0]
    assert np.isnan(row["asi"]["value"])
    reason = row["asi"]["note"]
    assert "within 0 and 1" in reason
    page = Page(build_report(found))
    (cell,) = [t for t in page.texts("td") if t.startswith("undefined") and "mean" in t]
    assert reason in cell
    assert f"undefined: {reason}".replace(":", "&#58;") in build_markdown(found)
    twin = json.loads(to_json(found))
    said = {row["number"]: row["reason"] for row in twin["undefined"]}
    assert said["Accuracy-Stability Index"] == reason
    assert twin["models"][0]["stability"]["accuracy_stability_index"] is None


def test_numbers_have_no_minus_before_zero_and_few_digits_where_large():
    assert number(-0.0001) == "0.000"
    assert number(-11527.997) == "-11528"
    assert number(999.5) == "999.500"


# Regressors and several targets


@pytest.mark.usefixtures("undrawn")
def test_a_regressor_has_all_sections():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = X @ [1.0, 2.0, 0.0] + 0.3 * rng.normal(size=90)
    model = LinearRegression().fit(X[:40], y[:40])
    X_test, y_test = X[40:], y[40:]
    options = {"eps": 0.1, "thresholds": {"r2": 0.5, "robust_r2": 0.99}}
    found = collect_report({"line": model}, X_test, y_test, X_train=X[:40], **options)
    (one,) = found["models"]
    assert one["stability"]["worst"]["interval"][0] < one["stability"]["worst"]["score"]
    assert one["weakness"]["part"] == "column"
    assert one["attacks"]["auto"]["robust_r2"] < one["clean"]["value"]
    (verdict,) = found["verdicts"]
    assert [need["status"] for need in verdict["needs"]] == ["met", "missed"]
    page = build_report(found)
    assert build_report(report_from_json(to_json(found))) == page
    assert "Mean absolute error" in Page(page).texts("th")


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_models_of_several_targets_are_taken_apart():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    Y = pandas.DataFrame({"b": X[:, 0], "a": X[:, 1] + rng.normal(size=60)})
    models = {"line": LinearRegression().fit(X, Y)}
    models["half"] = LinearRegression().fit(X, Y / 2)
    search = {"search": RandomSearch(eps=0.1, max_queries=10, random_state=0)}
    found = collect_report(models, X, Y, attacks=search)
    names = [model["name"] for model in found["models"]]
    assert names == ["line, b", "line, a", "half, b", "half, a"]
    clean = found["models"][1]["clean"]
    assert clean["value"] == pytest.approx(
        r2_score(Y["a"], models["line"].predict(X)[:, 1])
    )
    measures = [c["measure"] for c in found["comparisons"]]
    assert measures == ["R2, b", "R2, a"]
    first = found["comparisons"][0]["ranking"][0]
    assert (first["name"], first["value"]) == ("line, b", pytest.approx(1.0))
    assert found["models"][0]["attacks"]["search"]["robust_r2"] < 1
    assert "line, b" in build_report(found)


# Pictures


def test_charts_escape_names_and_show_their_numbers(collected):
    table = heat_map(collected["models"])
    chart = heat_chart(table, "a & b")
    assert "most &amp; frequent" in chart
    assert 'aria-label="a &amp; b"' in chart
    for row in table["rows"]:
        for cell in row["cells"]:
            assert f">{cell['mean']:.2f}<" in chart
    assert chart.count("<rect") == len(table["rows"]) * 2
    lines = [{"name": f"m{i}", "x": [0, 1], "y": [1.0, i / 10]} for i in range(10)]
    drawn = line_chart([{"title": "<t>", "lines": lines}], "l", axis="x")
    assert "&lt;t&gt;" in drawn
    assert drawn.count('class="line rest"') == 4  # two lines, in legend and chart
    bar = {"name": "m", "low": 0.25, "high": 0.75, "color": 0}
    left, width = re.search(
        r'class="bar c0" x="([\d.]+)".*?width="([\d.]+)"',
        interval_chart([bar], "l", axis="x"),
    ).groups()
    assert float(width) == pytest.approx(150 + 2)
    assert float(left) > 0


def test_heat_map_marks_what_is_below_the_constant_model(collected):
    table = heat_map(collected["models"])
    constant = collected["models"][0]["clean"]["constant_model"]
    cells = [row["cells"][0] for row in table["rows"]]
    assert any(cell["below"] for cell in cells)
    for cell in cells:
        assert cell["below"] == (round(cell["lowest"], 2) < round(constant, 2))
    assert not any(row["cells"][1]["below"] for row in table["rows"])
    means = [np.mean([cell["mean"] for cell in row["cells"]]) for row in table["rows"]]
    assert means == sorted(means)


def test_drawings_follow_the_colours_of_the_page():
    svg = '<svg><defs></defs><path style="fill: #000000; stroke: #FFFFFF"/></svg>'
    found = by_night(svg)
    assert "fill: var(--ink); stroke: var(--ground)" in found
    assert "prefers-color-scheme: dark" in found
    assert by_night("<svg/>") == "<svg/>"


@pytest.mark.parametrize(("both", "additive"), [(0.6, True), (0.2, False)])
def test_factors_are_additive_where_losses_add_up(both, additive):
    names = ["CLEAN", "SP0.1GA0", "SP0GA0.2", "SP0.1GA0.2"]
    results = {"name": names, "score": [1.0, 0.8, 0.8, both], "clean": 1.0}
    assert is_additive({**results, "n_samples": 400}) is additive


# Progress, and files of before


def test_progress_shows_percent_and_time_left(data, capsys):
    X, y, _, _ = data
    model = {"m": LogisticRegression().fit(X, y)}
    collect_report(model, X[:20], y[:20], n_labels=5, verbose=1)
    shown = capsys.readouterr().err
    assert re.search(r"\d+%\|", shown)
    assert re.search(r"\[\d\d:\d\d<", shown)
    assert "m: clean score" in shown
    assert "100%" in shown
    for verbose in (0, None):  # no terminal
        collect_report(model, X[:20], y[:20], n_labels=5, verbose=verbose)
        assert capsys.readouterr().err == ""


def test_file_of_another_version_is_refused(collected):
    old = {**json.loads(to_json(collected)), "format_version": 3}
    with pytest.raises(ValueError, match="this file has 3"):
        report_from_json(old)


def test_an_edited_number_is_refused(collected):
    plain = json.loads(to_json(collected))
    report_from_json(plain)
    plain["models"][0]["clean"] = {}
    with pytest.raises(ValueError, match="damaged: 'models' is not what was written"):
        report_from_json(plain)
    del plain["seal"]
    with pytest.raises(ValueError, match="it has no seal"):
        report_from_json(json.dumps(plain))
