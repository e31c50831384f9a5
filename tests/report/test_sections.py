"""The report's comparisons, doubts, optional sections, and its two twins."""

import json
import os
import re
from importlib import resources

import numpy as np
import pytest
from json_schema import check
from report_page import Page
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from skrobust.attacks import PGD, Constraints, Square, StrongestAttack
from skrobust.evaluation import _check_evaluation as evaluate_module
from skrobust.evaluation import (
    check_evaluation,
    evaluate_attack,
    evaluate_perturbations,
    robust_accuracy_curve,
)
from skrobust.metrics import compare_models, group_robustness, period_stability_index
from skrobust.perturbations import FeatureNoise, get_preset
from skrobust.report import (
    Report,
    build_markdown,
    build_report,
    collect_report,
    create_report,
    report_from_json,
    report_schema,
    summary_rows,
    write_report,
)
from skrobust.report import _create as create_module
from skrobust.report._html import _slugs, heat
from skrobust.report.core import pictures as pictures_module
from skrobust.report.core._report_json import to_json
from skrobust.report.core.doubt_meanings import MEANINGS
from skrobust.report.core.model_ranking import compare_measure
from skrobust.report.core.severity_table import severity_table
from skrobust.report.core.summary_cells import ends_text
from skrobust.report.measured import optional_measurements as optional_module
from skrobust.report.pages.markdown_parts import escaped

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")

EPS, RADII = 0.05, [0.02, 0.05]
OPTIONS = {"eps": EPS, "data_range": (0, 1), "n_labels": 20, "random_state": 4}
OPTIONS["attacks"] = ["FGSM", "PGD"]


class Fixed(ClassifierMixin, BaseEstimator):
    """Answers each row by its first column, moved for some of them."""

    def __init__(self, n_wrong=0):
        self.n_wrong = n_wrong

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        X = np.asarray(X)
        labels = X[:, 0].astype(int)
        return np.where(X[:, 1] < self.n_wrong, 1 - labels, labels)


@pytest.fixture(scope="module")
def data():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def models(data):
    X, y, _, _ = data
    kinds = {"plain": LogisticRegression(), "bayes": GaussianNB(), "svc": LinearSVC()}
    return {name: kind.fit(X, y) for name, kind in kinds.items()}


@pytest.fixture(scope="module")
def collected(models, data):
    X, _, X_test, y_test = data
    return collect_report(
        models,
        X_test,
        y_test,
        X_train=X,
        radii=RADII,
        groups={"half": np.arange(284) % 2},
        times=np.arange(284) // 71,
        call="create_report(```)",
        **OPTIONS,
    )


@pytest.fixture(scope="module")
def page(collected):
    return Page(build_report(collected))


def of(collected, measure):
    return next(c for c in collected["comparisons"] if c["measure"] == measure)


# Models side by side


def fixed_report(**wrong):
    """Models whose number of wrong answers is known."""
    y = np.arange(100) % 2
    X = np.column_stack([y, np.arange(100)])
    models = {name: Fixed(n).fit(X, y) for name, n in wrong.items()}
    return collect_report(models, X, y, n_labels=5), X, y, models


def test_ranks_and_differences_are_known():
    found, _, _, _ = fixed_report(worst=30, best=0, middle=2)
    comparison = of(found, "clean accuracy")
    ranking = [(r["rank"], r["name"], r["value"]) for r in comparison["ranking"]]
    assert ranking == [(1, "best", 1.0), (2, "middle", 0.98), (3, "worst", 0.7)]
    pairs = {(p["better"], p["worse"]): p for p in comparison["pairs"]}
    differences = {key: pair["difference"] for key, pair in pairs.items()}
    assert differences == pytest.approx(
        {("best", "middle"): 0.02, ("best", "worst"): 0.3, ("middle", "worst"): 0.28}
    )
    # Exact McNemar of 2, 30 and 28 rows that all go one way, and Holm over three.
    p_values = [2 * 0.5**n for n in (2, 30, 28)]
    assert [pairs[key]["p_value"] for key in pairs] == pytest.approx(p_values)
    assert pairs["best", "worst"]["p_adjusted"] == pytest.approx(3 * p_values[1])
    assert pairs["middle", "worst"]["p_adjusted"] == pytest.approx(2 * p_values[2])
    assert [pair["verdict"] for pair in pairs.values()] == [
        "could be chance",
        "real",
        "real",
    ]


@pytest.mark.usefixtures("undrawn")
def test_words_say_which_differences_are_real():
    found, _, _, _ = fixed_report(worst=30, best=0, middle=2)
    said = of(found, "clean accuracy")["sentences"]
    assert said == [
        "\u201cbest\u201d has the highest clean accuracy, 1.000.",
        "\u201cbest\u201d is better than \u201cworst\u201d (adjusted p < 0.001).",
        "The lead over \u201cmiddle\u201d is not significant; it may be due to chance.",
        "2 of 3 pairs differ significantly.",
    ]
    text = " ".join(Page(build_report(found)).texts("li"))
    assert all(sentence in text for sentence in said)


def test_equal_models_share_the_first_rank():
    found, _, _, _ = fixed_report(a=3, b=3, c=40)
    comparison = of(found, "clean accuracy")
    assert [r["rank"] for r in comparison["ranking"]] == [1, 1, 3]
    verdicts = {p["better"] + p["worse"]: p["verdict"] for p in comparison["pairs"]}
    assert verdicts["ab"] == "none"
    first = comparison["sentences"][0]
    assert first == (
        "The highest clean accuracy is 0.970: \u201ca\u201d and \u201cb\u201d."
    )


@pytest.mark.usefixtures("undrawn")
def test_many_models_are_counted_rather_than_listed():
    found, _, _, _ = fixed_report(best=0, **{f"m{i}": 40 + i for i in range(9)})
    said = " ".join(of(found, "clean accuracy")["sentences"])
    assert "and 5 others" in said
    assert len(of(found, "clean accuracy")["pairs"]) == 45
    page = Page(build_report(found))
    assert len(page.all("main")) == 1
    assert "All 45 pairs" in page.texts("summary")


@pytest.mark.slow
def test_resamples_can_resolve_the_correction():
    rng = np.random.default_rng(0)
    hits = {f"m{i}": rng.random((100, 3)) < 0.98 for i in range(9)}
    hits["bad"] = rng.random((100, 3)) < 0.3
    found = compare_measure("mean accuracy", _means(hits), None, 0)
    p = [r["p_adjusted"] for r in found["ranking"] if r["name"] == "bad"]
    assert p[0] < 0.05 / 2


def _means(hits):
    return {name: held.mean(axis=1) for name, held in hits.items()}


@pytest.mark.usefixtures("undrawn")
def test_one_model_has_no_comparison():
    found, _, _, _ = fixed_report(only=3)
    assert found["comparisons"] == []
    page = Page(build_report(found))
    ids = {e["attrs"].get("id") for e in page.elements}
    assert "comparison" not in ids
    assert "#comparison" not in {e["attrs"]["href"] for e in page.all("a")}


@pytest.mark.slow
def test_comparisons_pair_what_was_measured(collected, models, data):
    X_train, _, X, y = data
    grid = get_preset("tabular", random_state=4)
    held = {
        name: evaluate_perturbations(model, X, y, grid, X_ref=X_train).correct
        for name, model in models.items()
    }
    expected = compare_models(
        held, metric="accuracy_stability_index", n_resamples=2000, random_state=4
    )
    found = of(collected, "stability")
    by_pair = {frozenset((p["better"], p["worse"])): p for p in found["pairs"]}
    for i, (a, b) in enumerate(zip(expected.first, expected.second, strict=True)):
        pair = by_pair[frozenset((a, b))]
        assert pair["difference"] == pytest.approx(abs(expected.difference[i]))
        assert pair["low"] <= pair["difference"] <= pair["high"]
    means = {name: h.mean() for name, h in held.items()}
    ranking = of(collected, "mean accuracy")["ranking"]
    assert {r["name"]: r["value"] for r in ranking} == pytest.approx(means)
    assert {c["measure"] for c in collected["comparisons"]} >= {
        "clean accuracy",
        "robust accuracy, PGD",
    }
    values = {r["name"]: r["value"] for r in of(collected, "robust accuracy, PGD")
              ["ranking"]}  # fmt: skip
    for model in collected["models"]:
        attacks = model["attacks"]
        assert values[model["name"]] == attacks["PGD"]["robust_accuracy"]


@pytest.mark.slow
def test_regressors_are_compared_by_r2():
    X, y = load_diabetes(return_X_y=True)
    models = {"ols": LinearRegression(), "ridge": Ridge(100)}
    models = {name: m.fit(X[:200], y[:200]) for name, m in models.items()}
    found = collect_report(
        models,
        X[200:],
        y[200:],
        X_train=X[:200],
        conditions="tabular",
        times=np.arange(242) // 50,
    )
    (comparison,) = found["comparisons"]
    first = comparison["ranking"][0]
    assert first["name"] == "ols"
    assert first["value"] == models["ols"].score(X[200:], y[200:])
    stability = found["models"][0]["stability"]
    assert stability["clean"] == pytest.approx(first["value"])
    assert stability["interval"] is None
    assert found["models"][0]["times"]["metric"] == "R2"
    assert "Score of each period: ols, ridge" in build_report(found)


# Doubts


def test_doubts_are_those_of_the_evaluation(collected, models, data):
    _, _, X, y = data
    for model in collected["models"]:
        attack = PGD(EPS, data_range=(0, 1), random_state=4)
        expected = check_evaluation(
            models[model["name"]], X, y, attack, n_samples=64, random_state=4
        )
        assert model["doubts"]["attack"] == "PGD"
        codes = [d["code"] for d in model["doubts"]["found"]]
        assert codes == [d.code for d in expected]


@pytest.mark.usefixtures("undrawn")
def test_doubts_are_named_in_the_verdict_and_explained(collected, monkeypatch):
    broken = {**collected, "models": [dict(m) for m in collected["models"]]}
    doubts = [
        {"code": code, "sentence": f"<s>{code}</s>", "numbers": {"x": 1.0}}
        for code in MEANINGS
    ]
    for model in broken["models"][:2]:
        model["doubts"] = {"attack": "PGD", "n_checked": 64, "found": doubts}
    page = Page(build_report(broken))
    sections = [e["attrs"]["id"] for e in page.all("section")]
    assert sections[:2] == ["verdict", "summary"]
    inside = page.inside("section", id="verdict")
    assert "#doubts" in {e["attrs"].get("href") for e in inside}
    assert "doubts" in sections
    text = " ".join(e["text"] for e in page.inside("section", id="doubts"))
    for code, (meaning, cure) in MEANINGS.items():
        assert text.count(meaning) >= 1
        assert cure in text
        assert f"<s>{code}</s>" in text
        assert f"plain, PGD; {broken['models'][1]['name']}, PGD:" in text
    markdown = build_markdown(broken)
    assert "> [!WARNING]" in markdown
    assert all(cure in markdown for _, cure in MEANINGS.values())


def test_every_code_of_the_checks_is_explained():
    source = (
        resources.files("skrobust.evaluation.core") / "_evaluation_warning.py"
    ).read_text()
    codes = set(re.findall(r'^    "([A-Z_]{6,})', source, re.MULTILINE))
    assert codes == set(MEANINGS)


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_checks_can_be_switched_off_and_the_page_says_so(models, data, monkeypatch):
    _, _, X, y = data

    def fail(*args, **kwargs):
        raise AssertionError("It was asked.")

    monkeypatch.setattr(evaluate_module, "doubts_and_fallen", fail)
    model = {"m": models["plain"]}
    found = collect_report(model, X, y, checks=False, **OPTIONS)
    assert found["models"][0]["doubts"] is None
    assert "checks=False" in build_report(found)
    # A check that fails takes nothing along.
    found = collect_report(model, X, y, **OPTIONS)
    (doubt,) = found["models"][0]["doubts"]["found"]
    assert doubt["code"] == "UNCHECKED"
    assert doubt["sentence"].endswith("It was asked.")
    assert found["models"][0]["attacks"]["PGD"] is not None


@pytest.mark.usefixtures("undrawn")
def test_boosting_is_attacked_and_its_bracket_shown():
    X, y = load_wine(return_X_y=True)
    model = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=5)
    model.fit(X[::2], y[::2])
    attacks = {"auto": StrongestAttack("0.3 std", max_queries=9, random_state=0)}
    options = {"X_train": X[::2], "attacks": attacks, "eps": "0.3 std", "n_labels": 5}
    found = collect_report({"m": model}, X[1::2], y[1::2], **options)
    assert "auto" not in " ".join(row["section"] for row in found["skipped"])
    results = found["models"][0]["attacks"]["auto"]
    scale = Constraints(scale=X[::2].std(axis=0))  # of the training rows
    expected = evaluate_attack(
        model, X[1::2], y[1::2], attacks["auto"].set_params(eps=0.3, constraints=scale)
    )
    assert results["robust_accuracy"] <= expected.robust_accuracy
    assert results["robust_accuracy_lower"] == expected.robust_accuracy_lower > 0
    assert summary_rows(found)[0]["auto"]["value"] == results["robust_accuracy"]
    text = " ".join(build_report(found).split())
    assert results["certificate"] in text
    assert "units of the spread of each feature over the training rows" in text


# Sections that are asked for


def test_curve_groups_and_times_are_those_of_their_functions(collected, models, data):
    _, _, X, y = data
    found, model = collected["models"][0], models["plain"]
    attack = PGD(data_range=(0, 1), random_state=4)
    curve = robust_accuracy_curve(model, X, y, attack, RADII)
    np.testing.assert_array_equal(found["curve"]["robust_accuracy"],
                                  curve.robust_accuracy)  # fmt: skip
    predicted = model.predict(X)
    groups = group_robustness(y, predicted, np.arange(284) % 2, random_state=4)
    clean = found["groups"]["half"]["clean"]
    np.testing.assert_array_equal(clean["value"], groups.value)
    assert clean["range_p_value"] == groups.range_p_value
    assert set(found["groups"]["half"]) == {"clean", "FGSM", "PGD"}
    index = period_stability_index(y, predicted, np.arange(284) // 71)
    assert found["times"]["index"] == index


@pytest.mark.slow
def test_tables_are_perturbed_as_tables(collected, page):
    results = collected["models"][0]["stability"]
    assert results["preset"] == "tabular"
    table = severity_table(results)
    means = [row["mean"] for row in table["rows"]]
    assert means == sorted(means)
    row = next(r for r in table["rows"] if r["name"] == "feature_noise")
    place = list(results["name"]).index("feature_noise-3")
    assert row["scores"][2] == results["score"][place]
    assert "feature_noise" in page.texts("th")
    assert "Area" in page.texts("th")
    for name in ("mean", "area_under_severity_curve"):
        low, high = results[f"{name}_interval"]
        assert low < results[name] < high
        assert ends_text((low, high)) in page.texts("span")


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_text_is_perturbed_as_text():
    X = np.array(["a good good film", "so bad a film"] * 30, dtype=object)
    y = np.array(["yes", "no"] * 30)
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(X, y)
    for rows in (X, X.tolist(), X.astype(str)):
        found = collect_report({"m": model}, rows, y, X_train=X, n_labels=5)
        assert found["settings"]["conditions"] == "text"
        assert found["models"][0]["stability"]["clean"] == 1
        assert found["models"][0]["normalized"] is None
        assert found["n_shared_rows"] == 60
        assert (
            "of the preset"
            in Page(build_report(found)).inside("section", id="stability")[1]["text"]
        )


@pytest.mark.usefixtures("undrawn")
def test_conditions_of_ones_own_and_by_name(data, models):
    X_train, _, X, y = data
    grid = get_preset("tabular", severities=(1, 2))[:4]
    model = {"m": models["plain"]}
    found = collect_report(model, X, y, X_train=X_train, conditions=grid, n_labels=5)
    results = found["models"][0]["stability"]
    assert len(results["score"]) == 4
    assert "those given" in build_report(found)
    found = collect_report(model, X, y, X_train=X_train, conditions=grid[:1])
    assert found["models"][0]["stability"]["interval"] is None
    build_report(found)
    noise = [FeatureNoise(5, columns=[0], random_state=0)]
    found = collect_report(model, X, y, X_train=X_train, conditions=noise, n_labels=5)
    assert found["models"][0]["stability"]["untouched_columns"][0] == 1
    assert "m: no condition changes 1, 2, 3" in build_report(found)


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_attacks_of_ones_own_get_their_columns(data, models):
    _, _, X, y = data
    mine = PGD(0.1, data_range=(0, 1), random_state=0)
    attacks = {"strong": mine, "aimed": clone_with(mine, target=1)}
    found = collect_report({"m": models["plain"]}, X, y, attacks=attacks, n_labels=5)
    row = summary_rows(found)[0]
    assert row["strong"]["value"] < row["clean"]["value"]
    assert row["ratio"] is not None  # the one without a target has it
    heads = " ".join(Page(build_report(found)).texts("th"))
    assert "Robust accuracy, strong" in heads
    assert "Robust accuracy, FGSM" not in heads
    assert found["models"][0]["doubts"]["attack"] == "aimed"
    options = OPTIONS | {"attacks": ["Square"], "checks": False}
    named = collect_report({"m": models["plain"]}, X[::30], y[::30], **options)
    expected = repr(Square(EPS, data_range=(0, 1), random_state=4))
    assert named["models"][0]["attacks"]["Square"]["attack"] == expected


def clone_with(attack, **params):
    return clone(attack).set_params(**params)


@pytest.mark.slow
def test_checkpoint_takes_up_what_was_done(models, data, tmp_path, monkeypatch):
    X_train, _, X, y = data
    settings = {"X_train": X_train, "checkpoint": tmp_path / "parts", **OPTIONS}
    model = {"m": models["plain"]}
    first = collect_report(model, X, y, checks=False, **settings)
    assert len(list((tmp_path / "parts").iterdir())) > 50

    def fail(*args, **kwargs):
        raise AssertionError("It was computed again.")

    monkeypatch.setattr(PGD, "perturb", fail)
    monkeypatch.setattr(PGD, "run", fail)
    again = collect_report(model, X, y, checks=False, **settings)
    assert again["models"][0]["attacks"]["PGD"] is not None
    twins = [json.loads(to_json(found))["models"] for found in (first, again)]
    assert twins[0] == twins[1]


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["curve", "group_table", "period_scores"])
@pytest.mark.usefixtures("undrawn")
def test_added_sections_fail_alone(broken, models, data, monkeypatch):
    _, _, X, y = data

    def fail(*args, **kwargs):
        raise RuntimeError("Broken.")

    monkeypatch.setattr(optional_module, broken, fail)
    found = collect_report(
        {"m": models["plain"]},
        X,
        y,
        radii=RADII,
        groups=np.arange(284) % 2,
        times=np.arange(284) // 100,
        attacks={"PGD": PGD(EPS)},
        n_labels=5,
    )
    assert {"Broken."} == {
        row["reason"] for row in found["skipped"] if row["section"] != "stability"
    }
    page = Page(build_report(found))
    assert "Broken." in page.texts("td")
    ids = {e["attrs"].get("id") for e in page.elements}
    section = {"curve": "curve", "group_table": "groups", "period_scores": "times"}
    kept = {"curve", "groups", "times"} - {section[broken]}
    assert kept <= ids


# The twins


def test_json_twin_keeps_to_its_schema(collected):
    twin = json.loads(to_json(collected))
    check(twin, report_schema())
    del twin["models"][0]["clean"]
    with pytest.raises(AssertionError, match="lacks clean"):
        check(twin, report_schema())


@pytest.mark.slow
def test_json_twin_makes_the_same_page_again(collected, tmp_path):
    paths = {"json_out": tmp_path / "r.json", "markdown_out": tmp_path / "r.md"}
    written = write_report(collected, tmp_path / "r.html", **paths)
    page = written.path.read_text(encoding="utf-8")
    loaded = Report.load(written.json_path)
    assert loaded.path is None
    assert loaded.to_html() == page == build_report(collected)
    assert loaded.to_json() == written.json_path.read_text(encoding="utf-8")
    assert loaded.to_markdown() == written.markdown_path.read_text(encoding="utf-8")
    text = written.json_path.read_text(encoding="utf-8")
    for source in (json.loads(text), str(written.json_path)):
        assert to_json(report_from_json(source)) == text
    assert build_report(report_from_json(text)) == page
    again = loaded.save(tmp_path / "again.html")
    assert again.path.read_text(encoding="utf-8") == page
    with pytest.raises(TypeError, match="save"):
        os.fspath(loaded)


def test_undefined_numbers_survive_the_round_trip(collected):
    broken = {**collected, "models": [dict(m) for m in collected["models"]]}
    results = broken["models"][0]["stability"] = broken["models"][0]["stability"].copy()
    results["flip_rate"] = np.full(len(results["score"]), np.nan)
    again = report_from_json(to_json(broken))
    column = again["models"][0]["stability"]["flip_rate"]
    assert column.dtype == np.float64
    assert np.isnan(column).all()
    assert again["settings"]["norm"] == np.inf


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("{", "no JSON"),
        ("{}", "the JSON twin of a report"),
        (3, "the JSON twin of a report"),
        ({"format": "skrobust report", "format_version": 99}, "has 99"),
        ({"format": "skrobust report"}, "has None"),
    ],
)
def test_what_is_no_twin_is_refused(source, words):
    with pytest.raises(ValueError, match=words):
        report_from_json(source)


def test_numbers_are_safe_when_a_page_cannot_be_made(collected, tmp_path, monkeypatch):
    def fail(collected):
        raise RuntimeError("No page.")

    monkeypatch.setattr(create_module, "build_report", fail)
    with pytest.raises(RuntimeError, match="No page"):
        write_report(collected, tmp_path / "r.html", json_out=tmp_path / "r.json")
    assert Report.load(tmp_path / "r.json").collected["title"] == collected["title"]


def test_files_need_a_name_each(collected, tmp_path):
    for twin in ("json_out", "markdown_out"):
        with pytest.raises(ValueError, match="a name each"):
            write_report(collected, tmp_path / "r", **{twin: tmp_path / "." / "r"})


def test_markdown_shows_the_summary_and_nothing_of_the_user_as_markup(models, data):
    _, _, X, y = data
    name = "a|b <img src=x> *c* @me [d](http://e) `f` #1"
    found = collect_report(
        {name: models["plain"], "b\nc": models["bayes"]},
        X,
        y,
        title="T|<b>",
        call="run ````",
        n_labels=5,
    )
    lines = build_markdown(found).splitlines()
    assert lines[0] == "## T\\|&lt;b&gt;"
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 4
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table}
    assert len(widths) == 1
    text = "\n".join(lines)
    for raw in ("<img", "*c*", "@me", "](", "a|b", "http:", " `f"):
        assert raw not in text.replace("````", "").replace("`````", "")
    row = summary_rows(found)[0]
    assert f"{row['clean']['value']:.3f}" in table[2]
    assert text.count("<details>") == text.count("</details>") > 0
    assert "`````" in lines  # a fence longer than any inside


def test_escaped_text_is_one_line():
    assert escaped("a\n\n| b") == "a \\| b"
    assert escaped("plain words, 1.5 %") == "plain words, 1.5 %"


def test_create_report_writes_three_files(models, data, tmp_path):
    _, _, X, y = data
    paths = {k: tmp_path / k for k in ("out", "json_out", "markdown_out")}
    report = create_report(
        {"m": models["plain"]}, X, y, **paths, groups=np.arange(284) % 2, n_labels=5
    )
    assert {p.name for p in tmp_path.iterdir()} == set(paths)
    assert report.markdown_path == paths["markdown_out"]
    assert "groups=groups" in report.collected["call"]


# The page


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
              for c in parts]  # fmt: skip
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


@pytest.mark.parametrize("scheme", [0, 1])
def test_words_stand_out_by_day_and_night(scheme):
    css = (resources.files("skrobust.report") / "report.css").read_text()
    block = re.findall(r":root \{(.*?)\}", css, re.DOTALL)[scheme]
    colors = dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block))
    for words in ("ink", "soft", "accent", "strong"):
        for ground in ("paper", "card", "band"):
            pair = sorted(luminance(colors[name]) for name in (words, ground))
            ratio = (pair[1] + 0.05) / (pair[0] + 0.05)
            assert ratio >= 4.5, (words, ground, ratio)


def test_headings_go_down_one_step_at_a_time(page):
    levels = [int(e["tag"][1]) for e in page.elements if re.match("h[1-6]$", e["tag"])]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert max(np.diff(levels)) == 1


def test_anchors_come_from_names_and_are_the_same_in_every_run(collected, page):
    again = {**collected, "models": collected["models"][::-1]}
    ids = [
        {e["attrs"]["id"] for e in p.elements if "id" in e["attrs"]}
        for p in (page, Page(build_report(again)))
    ]
    assert ids[0] == ids[1]
    assert {"stability-plain", "groups-bayes", "times-svc", "ratio-plain"} <= ids[0]
    links = {e["attrs"]["href"][1:] for e in page.all("a")}
    assert links <= ids[0]
    assert _slugs(["A b", "a-b", "<>", "a b"]) == ["a-b", "a-b-x", "model", "a-b-x-x"]


@pytest.mark.slow
def test_pictures_are_svg_where_small_and_png_where_large(collected, monkeypatch):
    def kinds(models):
        page = Page(build_report({**collected, "models": models}))
        return {
            e["attrs"]["alt"]: e["attrs"]["src"].split(";")[0].rpartition("/")[2]
            for e in page.all("img")
            if not e["attrs"]["alt"].startswith("Rows ")  # drawn with the numbers
        }

    small = kinds(collected["models"])
    assert (
        small["Robust accuracy under PGD against the radius: plain, bayes, svc"]
        == "svg+xml"
    )
    assert set(small.values()) == {"svg+xml"}  # tables have no surface
    monkeypatch.setattr(pictures_module, "SVG_LIMIT", 100)
    assert set(kinds(collected["models"][:1]).values()) == {"png"}


@pytest.mark.parametrize(
    ("score", "clean", "step"),
    [(0.9, 0.9, 0), (1.0, 0.9, 0), (0.45, 0.9, 3), (0.0, 0.9, 5), (0.5, 0.0, 0)],
)
def test_shade_grows_with_what_is_lost(score, clean, step):
    assert heat(score, clean) == step


# What is refused


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"eps": []}, "'eps' parameter of collect_report"),
        ({"eps": [0.1, -1]}, "'eps' parameter of collect_report"),
        ({"radii": [2, 1]}, "'radii'"),
        ({"radii": [0.0, 1]}, "'radii'"),
        ({"radii": []}, "radii"),
        ({"checks": "yes"}, "'checks'"),
        ({"groups": [1, 2]}, "one entry for each of the 60 rows"),
        ({"groups": {"g": np.zeros(60)}}, "2 to 50 different groups"),
        ({"groups": np.arange(60)}, "2 to 50 different groups"),
        ({"times": [[1]]}, "'times'"),
        ({"attacks": "PGD"}, "'attacks'"),
        ({"attacks": {}}, "'attacks'"),
        ({"attacks": ["nothing"]}, "names of attacks"),
        ({"attacks": [PGD]}, "names of attacks"),
        ({"attacks": {"clean": PGD()}}, "'attacks'"),
        ({"attacks": {"m": 3}}, "'attacks'"),
        ({"conditions": "asi"}, "'conditions'"),
        ({"conditions": []}, "'conditions'"),
        ({"conditions": [1]}, "'conditions'"),
        ({"conditions": np.zeros(3)}, "'conditions'"),
        ({"eps": -1}, "'eps'"),
        ({"eps": "big"}, "'eps'"),
        ({"eps": np.inf}, "'eps'"),
        ({"norm": 7}, "'norm'"),
        ({"checkpoint": 3}, "'checkpoint'"),
        ({"n_labels": 0}, "'n_labels'"),
        ({"random_state": "x"}, "'random_state'"),
        ({"image_shape": (3, 5)}, "'image_shape'"),
    ],
)
def test_bad_options_are_refused_before_the_work(params, words, tmp_path):
    X, y = load_digits(return_X_y=True, n_class=2)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:60], y[:60])
    data = {"m": model}, X[:60], y[:60]
    with pytest.raises(ValueError, match=words) as caught:
        collect_report(*data, **params)
    assert "collect_report" in str(caught.value)
    # The same error names the function that was called.
    with pytest.raises(ValueError) as other:
        create_report(*data, out=tmp_path / "r.html", **params)
    expected = str(caught.value).replace("collect_report", "create_report")
    assert str(other.value) == expected


class Net(LogisticRegression):
    """An estimator whose parameters contain a private attribute, as those of skorch."""

    def __init__(self, width=3, **more):
        super().__init__(**more)
        self.width, self._order = width, object()

    def get_params(self, deep=True):
        return {"width": self.width, "C": self.C, "_order": self._order}


def test_models_are_shown_with_parameters_of_constructors_only():
    X, y = load_digits(return_X_y=True, n_class=2)
    model = make_pipeline(StandardScaler(with_mean=False), Net(width=7)).fit(X, y)
    for one in (model, model[-1], LogisticRegression(C=2, tol=1e-4).fit(X, y)):
        (found,) = collect_report({"m": one}, X, y, n_labels=5)["models"]
        if one is model:
            shown = "('standardscaler', StandardScaler(with_mean=False))"
            expected = f"Pipeline(steps=[{shown}, ('net', Net(width=7))])"
            assert found["estimator"] == expected
        else:
            assert found["estimator"] in ("Net(width=7)", repr(one))


def test_create_report_names_itself(models, data, tmp_path):
    X, y, out = *data[:2], tmp_path / "r.html"
    with pytest.raises(ValueError, match="create_report needs labels in y for 'm'"):
        create_report({"m": next(iter(models.values()))}, X, y + 0.5, out=out)
    with pytest.raises(TypeError, match=r"^create_report\(\) .* 'epz'$"):
        create_report(models, X, y, out=out, epz=1)
