"""The report: right numbers, exact words, one file that needs nothing else."""

import json
import os
import warnings
from importlib import resources

import numpy as np
import pytest
from problems import digit_rows
from report_page import Page
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from skrobust.attacks import FGSM, PGD, StrongestAttack
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.metrics import normalized_score_parts, proportion_interval
from skrobust.perturbations import two_factor_grid
from skrobust.report import (
    build_report,
    collect_report,
    create_report,
    summary_rows,
    write_report,
)
from skrobust.report.core._report_json import to_json
from skrobust.report.measured import measure_model, measurements
from skrobust.sampling import DeepESTSampler, SimpleRandomSampler

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")
pandas = pytest.importorskip("pandas")

MODEL_NAME = 'A<B & "C"'
LABEL = "<img src=x onerror=1>"
COLUMN = "</script><script>alert(1)</script>"
TITLE = "R&D's <b>report</b> &amp; more"
SCRIPT = (resources.files("skrobust.report") / "report.js").read_text(encoding="utf-8")


def strict(text):
    def fail(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=fail)


@pytest.fixture(scope="module")
def digits():
    X, y = digit_rows()
    return X[:1500], y[:1500], X[1500:1650], y[1500:1650]


@pytest.fixture(scope="module")
def models(digits):
    X, y, _, _ = digits
    logistic = make_pipeline(StandardScaler(), LogisticRegression(C=0.01))
    # A kernel of one's own is not translated, so that attacks are skipped.
    opaque = SVC(kernel=polynomial_kernel)
    return {"logistic": logistic.fit(X, y), "SVC": opaque.fit(X, y)}


SETTINGS = {
    "image_shape": (8, 8),
    "data_range": (0, 16),
    "eps": 1.6,
    "attacks": ["FGSM", "PGD"],
    "n_samples": 1797,
    "n_labels": 60,
    "random_state": 3,
}


@pytest.fixture(scope="module")
def collected(models, digits):
    X, _, X_test, y_test = digits
    return collect_report(models, X_test, y_test, X_train=X, **SETTINGS)


@pytest.fixture(scope="module")
def page(collected):
    return Page(build_report(collected))


@pytest.fixture(scope="module")
def nasty():
    """A report in which every word of the user is a trap."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X[:, :4])
    frame = pandas.DataFrame(X, columns=[COLUMN, "b&amp;", "c<d", '"e"'])
    labels = np.array([LABEL, "x & y"])[y]

    class Warns(LogisticRegression):
        def predict(self, X):
            warnings.warn("<u>odd</u> & &lt;", UserWarning, stacklevel=1)
            return super().predict(X)

    model = Warns().fit(frame, labels)
    return collect_report(
        {MODEL_NAME: model, "<br>": SVC().fit(frame, labels)},
        frame,
        labels,
        eps=0.3,
        attacks=["FGSM", "PGD"],
        n_labels=40,
        title=TITLE,
        dataset="<i>set</i>.csv",
        call="skrobust report '<script>'",
        skipped={"<gone>": "No <torch> & no 'skorch'."},
    )


# What is measured


@pytest.mark.slow
def test_clean_score_and_its_interval(collected, models, digits):
    _, _, X, y = digits
    for model in collected["models"]:
        right = int((models[model["name"]].predict(X) == y).sum())
        assert model["clean"]["value"] == right / 150
        assert model["clean"]["interval"] == proportion_interval(right, 150)
        assert model["clean"]["constant_model"] == np.bincount(y).max() / 150


def test_normalized_score_uses_the_whole_data_set(collected, models, digits):
    _, _, X, y = digits
    expected = normalized_score_parts(
        y,
        models["SVC"].predict(X),
        task="classification",
        n_features=64,
        n_samples=1797,
    )
    assert collected["models"][1]["normalized"] == expected
    assert expected.dimensionality == 1


def test_class_counts_reach_the_normalized_score(models, digits):
    _, _, X, y = digits
    settings = {"n_samples": 1797, "class_counts": [900, *[99] * 9]}
    found = collect_report({"m": models["SVC"]}, X, y, n_labels=5, **settings)
    h = found["models"][0]["normalized"]["imbalance"]
    assert h == pytest.approx(1 + np.log(900 / 99))


def test_size_of_the_data_set_counts_the_training_rows(models, digits):
    X_train, _, X, y = digits
    model = {"m": models["logistic"]}
    with_train = collect_report(model, X, y, X_train=X_train, n_labels=5)
    alone = collect_report(model, X, y, n_labels=5)
    assert with_train["settings"]["n_samples"] == 1650
    assert alone["settings"]["n_samples"] == 150
    assert alone["models"][0]["normalized"]["dimensionality"] > 1
    assert any("n_samples=len(X)" in w["text"] for w in alone["warnings"])
    assert not any("n_samples=len(X)" in w["text"] for w in with_train["warnings"])


def test_stability_is_that_of_the_grid(collected, models, digits):
    _, _, X, y = digits
    grid = two_factor_grid(
        "asi68", image_shape=(8, 8), data_range=(0, 16), random_state=3
    )
    expected = evaluate_perturbations(models["SVC"], X, y, grid)
    found = collected["models"][1]["stability"]
    np.testing.assert_array_equal(found["score"], expected.score)
    assert found["accuracy_stability_index"] == expected.accuracy_stability_index
    worst = int(np.argmin(expected.score))
    assert found["worst"]["name"] == expected.name[worst]
    assert found["worst"]["score"] == expected.score.min()
    low, high = found["worst"]["interval"]
    assert low < expected.score.min() < high
    assert found["mean_interval"] == tuple(expected.mean_interval)
    variation = expected.coefficient_of_variation_interval
    assert found["coefficient_of_variation_interval"] == tuple(variation)
    assert found["variation_corrected"] == variation.value


@pytest.mark.parametrize("attack", [FGSM, PGD])
def test_attacks_are_those_of_the_evaluation(attack, collected, models, digits):
    _, _, X, y = digits
    expected = evaluate_attack(
        models["logistic"], X, y, attack(1.6, data_range=(0, 16), random_state=3)
    )
    found = collected["models"][0]["attacks"][attack.__name__]
    assert found["robust_accuracy"] == expected.robust_accuracy
    for name in expected["columns"]:
        np.testing.assert_array_equal(found[name], expected[name])


@pytest.mark.parametrize("norm", [np.inf, 2])
def test_norm_and_range_reach_the_attack(norm, models, digits):
    _, _, X, y = digits
    found = collect_report({"m": models["logistic"]}, X, y, eps=0.7, norm=norm)
    text = found["models"][0]["attacks"]["auto"]["attack"]
    assert text == repr(StrongestAttack(0.7, norm=norm, random_state=0))


def test_labelling_shows_the_sampler_only_what_it_asked_for(collected, models, digits):
    _, _, X, y = digits
    found = collected["models"][0]
    for name, sampler in (
        ("simple random", SimpleRandomSampler),
        ("DeepEST", DeepESTSampler),
    ):
        by_hand = sampler(models["logistic"], random_state=3).fit(X)
        ids = by_hand.ask(60)
        expected = by_hand.tell(ids, y[ids]).result()
        row = found["labelling"][name]
        assert row["accuracy"] == expected.accuracy
        assert row["interval"] == expected.interval
        assert (row["n_labels"], row["n_failures"]) == (60, expected.n_failures)
        assert row["true_accuracy"] == found["clean"]["value"]
        low, high = expected.interval
        assert row["covered"] == (low <= row["true_accuracy"] <= high)


def test_label_budget_stops_at_the_pool(models, digits):
    _, _, X, y = digits
    found = collect_report({"m": models["SVC"]}, X, y, n_labels=1000)
    row = found["models"][0]["labelling"]["simple random"]
    assert row["n_labels"] == 150
    assert row["accuracy"] == pytest.approx(row["true_accuracy"], abs=1e-12)
    assert row["covered"]


@pytest.mark.slow
def test_same_seed_same_report(collected, models, digits, drawn_anew):
    X, _, X_test, y_test = digits
    again = collect_report(models, X_test, y_test, X_train=X, **SETTINGS)
    twins = [strict(to_json(c)) for c in (collected, again)]
    for twin in twins:
        del twin["created"], twin["seconds"], twin["seal"]
    assert twins[0] == twins[1]
    page = build_report(collected)
    drawn_anew()
    assert build_report(collected) == page


@pytest.mark.usefixtures("undrawn")
def test_regressor_gets_r2_and_says_what_is_left_out():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = X @ [1, 2, 3] + np.random.default_rng(1).normal(size=200)
    model = LinearRegression().fit(X, y)
    found = collect_report({"line": model}, X, y, n_samples=200, eps=0.1)
    r2 = r2_score(y, model.predict(X))
    assert found["models"][0]["clean"]["value"] == r2
    assert found["models"][0]["normalized"]["raw"] == r2
    assert "regressor" in found["skipped"][0]["reason"]
    row = summary_rows(found)[0]
    assert row["clean"]["note"] == "R2"
    low, high = row["clean"]["interval"]
    assert low < r2 < high
    assert row["asi"] is row["estimate"] is None
    assert row["auto"]["value"] < r2
    assert "Robust R2, auto" in build_report(found)


@pytest.mark.slow
@pytest.mark.parametrize(("side", "smoke"), [(8, True), (31, True), (32, False)])
@pytest.mark.usefixtures("undrawn")
def test_small_images_give_a_smoke_figure(side, smoke):
    X = np.random.default_rng(0).random((20, side, side))
    y = np.arange(20) % 2
    model = DummyClassifier().fit(X.reshape(20, -1), y)
    found = collect_report({"m": model}, X, y, n_labels=5)
    assert found["models"][0]["stability"]["smoke_figure"] is smoke
    assert ("Indicative only" in build_report(found)) is smoke


@pytest.mark.slow
def test_range_of_pixels_is_learned_from_training_rows(models, digits):
    X_train, _, X, y = digits
    settings = {"image_shape": (8, 8), "n_labels": 5}
    stated = collect_report(
        {"m": models["logistic"]}, X, y, data_range=(0, 16), **settings
    )
    learned = collect_report(
        {"m": models["logistic"]}, X, y, X_train=X_train, **settings
    )
    alone = collect_report({"m": models["logistic"]}, X, y, **settings)
    index = [c["models"][0]["stability"]["score"] for c in (stated, learned)]
    np.testing.assert_array_equal(*index)
    assert alone["models"][0]["stability"] is None
    assert "data_range" in alone["skipped"][0]["reason"]


# What is skipped, and warned of


def test_reason_is_the_sentence_of_the_error(collected):
    reasons = {row["section"]: row["reason"] for row in collected["skipped"]}
    assert "predict_proba" in reasons["operational testing, DeepEST"]
    assert collected["models"][1]["labelling"]["simple random"] is not None
    assert {row["model"] for row in collected["skipped"]} == {"SVC"}


@pytest.mark.usefixtures("undrawn")
def test_table_without_eps_says_what_is_missing():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    found = collect_report({"m": model}, X, y)
    reasons = {row["section"]: row["reason"] for row in found["skipped"]}
    assert set(reasons) == {"stability", "attacks"}
    assert "image_shape" in reasons["stability"]
    assert "eps" in reasons["attacks"]
    assert "Skipped" in build_report(found)


@pytest.mark.usefixtures("undrawn")
def test_attack_without_probabilities_loses_the_ratio_only(digits):
    X_train, y_train, X, y = digits
    model = LinearSVC(C=1e-4).fit(X_train, y_train)
    found = collect_report({"m": model}, X, y, eps=0.5, n_labels=5)
    sections = [row["section"] for row in found["skipped"]]
    assert "auto, robust ratio" in sections
    assert "auto" not in sections
    row = summary_rows(found)[0]
    assert row["auto"]["value"] < row["clean"]["value"]
    assert row["ratio"] is None
    assert "Robust accuracy" in build_report(found)


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["stability", "attack", "normalized_score"])
@pytest.mark.usefixtures("undrawn")
def test_one_section_takes_no_other_along(broken, models, digits, monkeypatch):
    _, _, X, y = digits

    def fail(*args, **kwargs):
        raise ValueError("It\n  went wrong.")

    module, name = measurements, broken
    if broken == "attack":
        module, name = measure_model, "evaluate_attack"
    monkeypatch.setattr(module, name, fail)
    found = collect_report({"m": models["logistic"]}, X, y, **SETTINGS)
    assert {row["reason"] for row in found["skipped"]} == {"It went wrong."}
    row = summary_rows(found)[0]
    parts = {"stability": ["asi"], "attack": ["FGSM", "PGD", "ratio"]}
    lost = parts.get(broken, ["normalized"])
    kept = {"clean", "normalized", "asi", "FGSM", "PGD", "ratio", "estimate"} - {*lost}
    assert all(row[key] is None for key in lost)
    assert all(row[key] is not None for key in kept)
    text = Page(build_report(found))
    assert "It went wrong." in text.texts("td")


@pytest.mark.slow
def test_warnings_are_listed_once_with_their_number(nasty):
    rows = [w for w in nasty["warnings"] if w["text"].startswith("<u>")]
    places = [(w["model"], w["section"]) for w in rows]
    assert len(places) == len(set(places)) >= 3
    assert {w["category"] for w in rows} == {"UserWarning"}
    counts = {w["section"]: w["count"] for w in rows}
    assert counts["clean score"] == 1
    assert counts["PGD"] > 1


@pytest.mark.usefixtures("undrawn")
def test_rows_seen_in_training_are_counted(models, digits):
    X_train, _, X, y = digits
    mixed = np.vstack([X, X_train[:7]])
    found = collect_report(
        {"m": models["logistic"]}, mixed, [*y, *y[:7]], X_train=X_train, n_labels=5
    )
    assert found["n_shared_rows"] == 7
    assert "7 of 157 rows scored equal a training" in build_report(found)


@pytest.mark.usefixtures("undrawn")
def test_labels_that_the_model_never_saw_count_as_wrong(models, digits):
    _, _, X, y = digits
    y = y.copy()
    y[:5] = 99
    found = collect_report({"m": models["SVC"]}, X, y, n_labels=5)
    assert found["models"][0]["n_unknown"] == 5
    assert "5 rows hold a label" in build_report(found)


# What is refused


@pytest.mark.parametrize(
    ("models", "error", "words"),
    [
        (LogisticRegression(), ValueError, "{'name': model}"),
        ({}, ValueError, "non-empty dict"),
        ({1: LogisticRegression()}, ValueError, "names to fitted"),
        ({"k": KMeans()}, ValueError, "'k' is a KMeans"),
        ({"d": {"a": 1}}, ValueError, "'d' is a dict"),
        ({"u": LogisticRegression()}, NotFittedError, "not fitted"),
    ],
)
def test_bad_models_are_refused(models, error, words):
    with pytest.raises(error) as caught:
        collect_report(models, np.eye(4), [0, 1, 0, 1])
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.eye(4), [0, 1, 0], "equal length"),
        (np.eye(4), np.eye(4), "1-D"),
        (np.eye(4), [0.1, 0.2, 0.3, 0.4], "needs labels"),
        (np.ones(4), [0, 1, 0, 1], "'X' parameter"),
        (np.ones((4, 9)), [0, 1, 0, 1], "features"),
    ],
)
def test_bad_data_is_refused(X, y, words):
    model = LogisticRegression().fit(np.eye(4), [0, 1, 0, 1])
    with pytest.raises(ValueError, match=words.replace("(", "\\(")):
        collect_report({"m": model}, X, y)


# The page


def test_words_of_the_user_are_escaped_exactly_once(nasty):
    page = Page(build_report(nasty))
    assert page.all("u") == page.all("br") == []
    (script,) = page.all("script")
    assert script["text"] == SCRIPT
    assert page.texts("title") == page.texts("h1") == [TITLE]
    cells = [e["text"] for e in page.elements if e["tag"] in ("th", "td")]
    for text in (MODEL_NAME, LABEL, "x & y", "<br>", "No <torch> & no 'skorch'."):
        assert text in cells
    assert "<gone>" in cells
    assert any(text.startswith("<u>odd</u> & &lt;") for text in cells)
    names = [e["text"] for e in page.inside("ul", **{"class": "names"})]
    assert names[:4] == [COLUMN, "b&amp;", "c<d", '"e"']
    codes = [e["text"] for e in page.all("code")]
    assert "skrobust report '<script>'" in codes
    assert "<i>set</i>.csv" in [e["text"] for e in page.all("b")]
    inside = page.inside("section", id="attacks")
    assert MODEL_NAME in [e["text"] for e in inside if e["tag"] == "th"]
    inside = page.inside("section", id="summary")
    rows = [e["text"] for e in inside if e["attrs"].get("scope") == "row"]
    assert rows[:2] == [MODEL_NAME, "<br>"]


def test_pictures_are_the_only_images(nasty, page, collected):
    for found, n_images in ((Page(build_report(nasty)), 2), (page, 6)):
        images = found.all("img")
        assert len(images) == n_images
        for image in images:
            assert set(image["attrs"]) == {"src", "alt"}
            assert image["attrs"]["src"].startswith("data:image/")
    alt = Page(build_report(nasty)).all("img")[0]["attrs"]["alt"]
    assert MODEL_NAME in alt
    kinds = [e["attrs"]["src"].partition(";")[0] for e in page.all("img")]
    assert kinds.count("data:image/png") == 2 * len(collected["models"])


@pytest.mark.slow
def test_picture_that_fails_leaves_its_reason(collected, monkeypatch, drawn_anew):
    from skrobust.plots import StabilitySurfaceDisplay

    drawn_anew()

    def fail(*args, **kwargs):
        raise ValueError("No <surface> here.")

    monkeypatch.setattr(StabilitySurfaceDisplay, "from_results", fail)
    page = Page(build_report(collected))
    assert len(page.all("img")) == 4
    assert page.texts("p").count("No picture: No <surface> here.") == 2


def test_page_needs_nothing_else(page, nasty):
    for found in (page, Page(build_report(nasty))):
        for element in found.elements:
            assert element["tag"] not in ("iframe", "object", "embed")
            if element["tag"] == "script":
                assert (element["text"], element["attrs"]) == (SCRIPT, {})
            for name, value in element["attrs"].items():
                assert not name.startswith("on")
                if name in ("src", "href", "data", "srcset", "action"):
                    assert value.startswith(("data:", "#"))
        (style,) = found.all("style")
        assert "url(" not in style["text"]
        assert "@import" not in style["text"]


def test_anchors_are_unique_and_every_link_lands(page, nasty):
    for found in (page, Page(build_report(nasty))):
        ids = [e["attrs"]["id"] for e in found.elements if "id" in e["attrs"]]
        assert len(ids) == len(set(ids))
        assert {"summary", "data", "skipped", "warnings", "reproduce"} <= set(ids)
        links = [e["attrs"]["href"] for e in found.all("a")]
        assert {link[1:] for link in links} <= set(ids)


def test_page_is_made_for_phones_paper_and_night(page):
    metas = {
        e["attrs"].get("name"): e["attrs"].get("content") for e in page.all("meta")
    }
    assert metas["viewport"].startswith("width=device-width")
    (style,) = page.all("style")
    for rule in ("@media print", "prefers-color-scheme: dark", "overflow-x: auto"):
        assert rule in style["text"]
    for table in page.all("table"):
        assert table["up"][-1]["attrs"]["class"].startswith("scroll")
    for table in page.all("table"):
        rows = [e for e in page.elements if e["tag"] == "tr" and table in e["up"]]
        if len(rows) > 20:
            assert any(e["tag"] == "details" for e in table["up"])


def test_summary_shows_the_collected_numbers(page, collected):
    inside = page.inside("section", id="summary")
    table = next(e for e in inside if e["tag"] == "tbody")
    rows = [e for e in inside if e["tag"] == "tr" and table in e["up"]]
    assert len(rows) == len(collected["models"])
    for row, model in zip(rows, collected["models"], strict=True):
        cells = [e for e in inside if e["tag"] == "td" and row in e["up"]]
        shown = [
            [float(e["attrs"]["value"]) for e in page.all("data") if cell in e["up"]]
            for cell in cells
        ]
        attacks = model["attacks"]
        expected = [
            [model["clean"]["value"]],
            [model["normalized"]["score"]],
            [
                model["stability"]["accuracy_stability_index"],
                model["stability"]["mean"],
            ],
        ]
        expected.insert(1, [model["stability"]["worst"]["score"]])
        for name in ("FGSM", "PGD"):
            found = attacks[name]
            expected.append([found["robust_accuracy"]] if found else [])
        if "tolerance" in (attacks["PGD"] or ()):
            at = int(np.flatnonzero(np.isclose(attacks["PGD"]["tolerance"], 0.05))[0])
            column = "robust_ratio_probability_shift"
            names = (column, f"{column}_tempered")
            expected.append([attacks["PGD"][name][at] for name in names])
        else:
            expected.append([])
        assert shown == expected  # no estimate from few labels beside the truth
        low, high = model["clean"]["interval"]
        assert f"{low:.3f} to {high:.3f}" in cells[0]["text"]


def test_ratio_of_the_summary_is_that_of_pgd(collected):
    logistic = collected["models"][0]
    column = "robust_ratio_probability_shift"
    expected = logistic["attacks"]["PGD"][column][5]
    other = {**logistic["attacks"]["FGSM"], column: np.full(21, 0.123)}
    changed = {**logistic, "attacks": {**logistic["attacks"], "FGSM": other}}
    (row,) = summary_rows({"models": [changed]})
    assert row["ratio"]["value"] == expected


def test_every_number_is_printed_as_its_value(page):
    numbers = page.all("data")
    assert len(numbers) > 200
    for element in numbers:
        value = float(element["attrs"]["value"])
        printed = element["text"].replace("\N{MINUS SIGN}", "-")
        assert float(printed) == round(value, len(printed.partition(".")[2]))


def test_constant_model_stands_below_the_others(page, collected):
    inside = page.inside("section", id="summary")
    foot = next(e for e in inside if e["tag"] == "tfoot")
    values = [e for e in inside if e["tag"] == "data" and foot in e["up"]]
    largest = collected["models"][0]["clean"]["constant_model"]
    assert [float(e["attrs"]["value"]) for e in values] == [largest] * 4 + [1]


def test_details_hold_all_conditions_and_tolerances(page, collected):
    names = [e["text"] for e in page.all("td")]
    for name in collected["models"][0]["stability"]["name"]:
        assert names.count(str(name)) >= 1  # once, the models side by side
    summaries = page.texts("summary")
    assert summaries.count("All 69 conditions") == 1
    assert "logistic, PGD: all 21 tolerances" in summaries


@pytest.mark.usefixtures("undrawn")
def test_undefined_numbers_are_said_so_and_hide_no_others(collected):
    broken = {**collected, "models": [dict(m) for m in collected["models"]]}
    first = broken["models"][0]
    first["clean"] = {**first["clean"], "value": float("nan")}
    first["normalized"] = {**first["normalized"], "score": float("inf")}
    page = Page(build_report(broken))
    inside = page.inside("section", id="summary")
    cells = [e["text"] for e in inside if e["tag"] == "td"]
    assert cells[0].startswith("undefined")
    assert cells[2].startswith("undefined")
    assert cells[3].startswith("\N{MINUS SIGN}")
    text = "".join(e["text"] for e in page.elements if e["tag"] in ("td", "dd", "p"))
    assert "nan" not in text.lower()
    twin = strict(to_json(broken))
    assert twin["models"][0]["clean"]["value"] is None
    assert twin["models"][0]["normalized"]["score"] is None
    assert twin["models"][1]["clean"]["value"] == broken["models"][1]["clean"]["value"]


# The files


def test_json_twin_holds_the_same_numbers(collected, nasty, tmp_path):
    written = write_report(collected, tmp_path / "r.html", json_out=tmp_path / "r.json")
    assert written.path.read_text(encoding="utf-8").startswith("<!doctype html>")
    twin = strict(written.json_path.read_text(encoding="utf-8"))
    for found, model in zip(twin["models"], collected["models"], strict=True):
        assert found["clean"]["value"] == model["clean"]["value"]
        assert found["stability"]["score"] == model["stability"]["score"].tolist()
        assert "correct" not in found["stability"]
    assert twin["settings"]["norm"] == "inf"
    assert twin["skipped"] == collected["skipped"]
    assert twin["versions"]["numpy"] == np.__version__
    names = strict(to_json(nasty))
    assert names["columns"][0] == COLUMN
    assert names["models"][0]["name"] == MODEL_NAME
    assert LABEL in [row["label"] for row in names["classes"]]


def test_create_report_writes_and_tells_its_call(models, digits, tmp_path):
    _, _, X, y = digits
    out = tmp_path / "a b.html"
    report = create_report({"m": models["SVC"]}, X, y, out=out, norm=np.inf, n_labels=5)
    assert os.fspath(report) == str(out)
    assert report.path == out
    assert report.json_path is None
    assert list(tmp_path.iterdir()) == [out]
    call = report.collected["call"]
    expected = f"models, X, y, out={str(out)!r}, norm=np.inf, n_labels=5"
    assert call == f"create_report({expected})"
    assert call in Page(out.read_text(encoding="utf-8")).texts("code")


def test_missing_folder_is_found_before_the_work(models, digits, tmp_path):
    _, _, X, y = digits
    with pytest.raises(FileNotFoundError, match="no folder"):
        create_report({"m": models["SVC"]}, X, y, out=tmp_path / "no" / "r.html")


@pytest.mark.slow
def test_drawing_leaves_no_figure_and_no_setting_behind(collected, drawn_anew):
    import matplotlib
    from matplotlib import pyplot

    drawn_anew()
    pyplot.close("all")
    before = dict(matplotlib.rcParams)
    build_report({**collected, "models": collected["models"][:1]})  # has all kinds
    assert pyplot.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


class Unfit(ClassifierMixin, BaseEstimator):
    """A classifier of the user's own, with probabilities that are none."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), np.nan)


@pytest.mark.usefixtures("undrawn")
def test_model_with_undefined_probabilities_still_gets_a_report(digits):
    _, _, X, y = digits
    found = collect_report({"own": Unfit().fit(X, y)}, X, y, n_labels=5)
    assert found["models"][0]["labelling"]["DeepEST"] is None
    assert found["models"][0]["labelling"]["simple random"]["n_labels"] == 5
    assert "own" in build_report(found)
