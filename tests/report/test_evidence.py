"""Evidence for regulation: facts by clause, fingerprints, and nothing claimed."""

import copy
import io
import json
import pickle
import re

import joblib
import numpy as np
import pytest
from json_schema import check
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skrobust.base.content_digest import content_digest
from skrobust.evaluation.records.fingerprints import model_facts
from skrobust.report import (
    Report,
    build_markdown,
    build_report,
    collect_report,
    report_schema,
)
from skrobust.report.core._report_json import to_json
from skrobust.report.evidence.evidence_by_clause import check_evidence
from skrobust.report.evidence.evidence_clauses import FIGURES, FRAMEWORKS, RECORD

pandas = pytest.importorskip("pandas")
FORBIDDEN = r"complian|complies|comply|conform|certified by|lawful|satisf|passed"
NAME = "a<b> | 'c' & \"d\""
ALL = list(FRAMEWORKS)


@pytest.fixture(scope="module")
def rows():
    X, y = load_iris(return_X_y=True)
    return X[::2], y[::2], X[1::2][::3], y[1::2][::3]


@pytest.fixture(scope="module")
def models(rows):
    X, y, _, _ = rows
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    return {NAME: LogisticRegression().fit(X, y), "tree": tree.fit(X, y)}


@pytest.fixture(scope="module")
def full(models, rows):
    X, _, X_test, y_test = rows
    n = len(y_test)
    return collect_report(
        models,
        X_test,
        y_test,
        X_train=X,
        eps="0.2 std",
        attacks=["auto", "PGD"],
        groups={"site": np.array(["north", "south"])[np.arange(n) % 2]},
        times=np.arange(n) // 13 + 2020,
        thresholds={"accuracy": 0.5, "robust_accuracy": 0.99},
        evidence=ALL,
        dataset="iris",
        checks=False,
        n_labels=10,
        call="create_report(...)",
    )


@pytest.fixture(scope="module")
def bare(models, rows):
    _, _, X_test, y_test = rows
    few = {"tree": models["tree"]}
    return collect_report(few, X_test, y_test, evidence="eu-ai-act", n_labels=10)


def clauses(collected, framework=0):
    found = collected["evidence"]["frameworks"][framework]["clauses"]
    return {clause["reference"]: clause for clause in found}


def test_figures_are_the_numbers_of_the_report(full):
    by_kind = {}
    for figure in full["evidence"]["figures"]:
        by_kind.setdefault(figure["kind"], []).append(figure)
    for place, model in enumerate(full["models"]):
        clean = by_kind["clean"][0]["values"][place]
        assert clean["model"] == model["name"]
        assert clean["value"] == model["clean"]["value"]
        assert clean["interval"] == list(model["clean"]["interval"])
        worst = by_kind["worst"][0]["values"][place]
        assert worst["value"] == min(model["stability"]["score"])
        table = model["groups"]["site"]["clean"]
        lowest = by_kind["groups"][0]["values"][place]
        at = int(np.argmin(table["value"]))
        # Chosen by its value: the interval holds for all groups at once.
        assert lowest["interval"] == [table["band_low"][at], table["band_high"][at]]
        proved = model["attacks"]["auto"]
        certified = by_kind["certified"][0]["values"][place]
        assert certified["value"] == proved["robust_accuracy_lower"]
        assert certified["n_rows"] == proved["n_samples"]
        assert certified["note"].startswith(proved["certificate"])
    attacked = {f["figure"]: f["values"] for f in by_kind["attacks"]}
    results = full["models"][0]["attacks"]["PGD"]
    assert attacked["accuracy under PGD"][0]["value"] == results["robust_accuracy"]
    assert "constraints=Constraints(scale=array([" in results["attack"]
    known = "PGD(constraints=..., eps=0.2, random_state=0)"
    assert attacked["accuracy under PGD"][0]["note"] == known
    assert [v["model"] for v in attacked["accuracy under PGD"]] == [NAME]
    needs = {f["figure"]: f["values"] for f in by_kind["needs"]}
    missed = needs["robust accuracy under attack, at least 0.99"][0]
    assert missed["note"].startswith("missed; lower limit ")


def test_ids_are_one_run_of_numbers_and_every_reference_exists(full):
    ids = [figure["id"] for figure in full["evidence"]["figures"]]
    assert ids == [f"F{i}" for i in range(1, len(ids) + 1)]
    for framework in full["evidence"]["frameworks"]:
        for clause in framework["clauses"]:
            assert set(clause["figures"]) <= set(ids)


def test_every_clause_stands_in_the_section_measured_or_not(full, bare):
    for place, name in enumerate(ALL):
        expected = [clause.reference for clause in FRAMEWORKS[name].clauses]
        assert list(clauses(full, place)) == expected
    poisoning = clauses(full)["Article 15(5), data poisoning and model poisoning"]
    assert poisoning["status"] == "not measured"
    loops = "Article 15(4), third subparagraph"
    assert clauses(full)[loops]["status"] == "measured in part"
    assert clauses(bare)[loops]["status"] == "not measured"
    assert clauses(bare)[loops]["not_measured"] == [FIGURES["periods"]]
    attacked = clauses(bare)["Article 15(5), adversarial examples or model evasion"]
    assert (attacked["status"], attacked["figures"]) == ("not measured", [])
    assert clauses(bare)["Article 15(3)"]["status"] == "measured in part"
    assert clauses(full, 1)["MEASURE 2.1"]["status"] == "recorded"


def test_what_is_missing_for_one_model_only_is_named_with_it(models, rows):
    _, _, X_test, y_test = rows
    settings = {"eps": 0.2, "attacks": ["PGD"], "checks": False, "n_labels": 10}
    found = collect_report(models, X_test, y_test, evidence="eu-ai-act", **settings)
    assert found["models"][1]["attacks"]["PGD"] is None  # it needs gradients
    attacked = clauses(found)["Article 15(5), adversarial examples or model evasion"]
    assert attacked["status"] == "measured in part"
    assert f"{FIGURES['attacks']} (tree)" in attacked["not_measured"]
    assert FIGURES["doubts"] in attacked["not_measured"]


def test_a_clause_is_measured_whole_only_without_a_limit_and_without_gaps(full):
    for framework in full["evidence"]["frameworks"]:
        for clause in framework["clauses"]:
            if clause["status"] == "measured":
                assert not clause["limit"]
                assert not clause["not_measured"]
            if clause["status"] == "not measured":
                assert not clause["figures"]


def test_a_need_that_was_not_measured_is_named(models, rows):
    _, _, X_test, y_test = rows
    found = collect_report(
        {"tree": models["tree"]},
        X_test,
        y_test,
        thresholds={"asi": 0.5},
        evidence="eu-ai-act",
        n_labels=10,
    )
    figure = found["evidence"]["figures"][-1]
    assert figure["figure"] == "Accuracy-Stability Index, at least 0.5"
    assert figure["values"] == []
    assert clauses(found)["Article 9(8)"]["status"] == "not measured"
    assert (
        f"| {figure['id']} Accuracy-Stability Index, at least 0.5 | not measured |"
        in (build_markdown(found))
    )


@pytest.mark.slow
def test_no_conclusion_is_drawn_anywhere(full, undrawn):
    page = build_report(full)
    section = page[page.index('<section id="evidence">') :]
    section = section[: section.index("</section>")]
    lines = build_markdown(full)
    lines = lines[lines.index("### Evidence") :]
    texts = section, lines, json.dumps(full["evidence"]), repr(FRAMEWORKS)
    for text in texts:
        assert not re.search(FORBIDDEN, text, re.IGNORECASE)
    assert "no legal advice" in section
    assert "no legal advice" in lines
    for reference in clauses(full):
        assert reference in section
    assert "a&lt;b&gt; | &#39;c&#39; &amp; &#34;d&#34;" in section
    assert NAME not in section
    assert '<tr><th scope="row">Reviewed by</th><td></td><td></td><td></td></tr>' in (
        section
    )


@pytest.mark.slow
def test_a_page_without_evidence_has_no_trace_of_it(full, undrawn):
    plain = {key: value for key, value in full.items() if key != "evidence"}
    page = build_report(plain)
    assert "evidence" not in page
    assert "### Evidence" not in build_markdown(plain)


def broken_twins(twin):
    """Yield twins with one mistake each."""
    for change in (
        lambda e: e["frameworks"][0]["clauses"][0].update(status="fulfilled"),
        lambda e: e["figures"][0]["values"][0].update(value="high"),
        lambda e: e["record"].pop("environment"),
        lambda e: e.update(version=0),
        lambda e: e.pop("signatures"),
    ):
        one = copy.deepcopy(twin)
        change(one["evidence"])
        yield one


def test_twin_keeps_to_the_schema(full):
    twin = json.loads(to_json(full))
    check(twin, report_schema())
    for broken in broken_twins(twin):
        with pytest.raises(AssertionError, match="evidence"):
            check(broken, report_schema())
    del twin["evidence"]
    check(twin, report_schema())


def test_twin_keeps_to_the_schema_by_another_reader(full):
    jsonschema = pytest.importorskip("jsonschema")
    twin = json.loads(to_json(full))
    validator = jsonschema.Draft202012Validator(report_schema())
    assert validator.is_valid(twin)
    assert not any(map(validator.is_valid, broken_twins(twin)))


def test_markdown_is_the_same_from_the_file(full, tmp_path):
    path = tmp_path / "r.json"
    path.write_text(to_json(full), encoding="utf-8")
    assert Report.load(path).to_markdown() == build_markdown(full)


def test_record_names_data_models_seed_and_versions(full, models, rows):
    X, _, X_test, y_test = rows
    record = full["evidence"]["record"]
    data = {one["name"]: one for one in record["data"]}
    assert data["rows scored"]["fingerprint"] == content_digest(X_test)
    assert data["labels"]["fingerprint"] == content_digest(y_test)
    assert data["training rows"]["shape"] == list(X.shape)
    assert [one["name"] for one in record["models"]] == list(models)
    assert len({one["fingerprint"] for one in record["models"]}) == 2
    assert record["random_state"] == 0
    assert record["call"] == "create_report(...)"
    assert record["settings"]["eps"] == "0.2 std"
    assert record["measured_at"] == full["created"]
    assert {"platform", "numpy", "scikit-learn"} <= set(record["environment"])
    assert all(
        not one[part]
        for one in full["evidence"]["signatures"]
        for part in ("name", "date", "signature")
    )


CHANGES = {
    "order of rows": lambda X: X[::-1],
    "order of columns": lambda X: X[:, ::-1],
    "one value": lambda X: X + 1e-12 * (np.arange(12).reshape(6, 2) == 7),
    "type": lambda X: X.astype(np.float32),
    "shape": lambda X: X.reshape(-1, 4),
}


@pytest.mark.parametrize("change", CHANGES)
def test_fingerprint_of_an_array_sees(change):
    X = np.random.default_rng(0).random((6, 2))
    kept = X.copy()
    assert content_digest(X) == content_digest(np.asfortranarray(X))
    assert content_digest(CHANGES[change](X)) != content_digest(X)
    np.testing.assert_array_equal(X, kept)


def test_fingerprint_of_a_frame_sees_names_types_and_order():
    def frame(**more):
        start = {"a": [1, 2], "b": ["x", None], "c": [0.5, np.nan]}
        return pandas.DataFrame(start | more)

    base = content_digest(frame())
    assert content_digest(frame()) == base
    others = [
        frame()[["b", "a", "c"]],
        frame().rename(columns={"a": "A"}),
        frame().astype({"a": "int32"}),
        frame(b=["x", "None"]),
        frame(c=[0.5, 0.0]),
        frame().to_numpy(),
    ]
    found = {content_digest(other) for other in others}
    assert base not in found
    assert len(found) == len(others)
    twice = pandas.DataFrame([[1, 2]], columns=["a", "a"])
    assert content_digest(twice) != content_digest(twice.iloc[:, ::-1])


def test_fingerprint_never_runs_texts_together():
    first, second = (np.array(v, dtype=object) for v in (["ab", "c"], ["a", "bc"]))
    assert content_digest(first) != content_digest(second)
    numbers = np.array([1, "1"], dtype=object), np.array(["1", 1], dtype=object)
    assert content_digest(numbers[0]) != content_digest(numbers[1])


def test_fingerprint_of_sparse_rows_is_that_of_their_values():
    dense = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]])
    shuffled = csr_array(([3.0, 2.0, 1.0], ([1, 1, 0], [2, 0, 1])), shape=(2, 3))
    assert content_digest(csr_array(dense)) == content_digest(shuffled)
    assert content_digest(csr_array(dense)) != content_digest(csr_array(dense * 2))


def test_a_model_without_a_pickle_has_a_reason(models):
    class Unpicklable(LogisticRegression):
        def __reduce__(self):
            raise TypeError("no")

    found = model_facts("m", Unpicklable())
    assert found["fingerprint"] is None
    assert found["reason"] == "it cannot be pickled: TypeError"


def saved_by_pickle(model):
    return pickle.loads(pickle.dumps(model))


def saved_by_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


def saved_by_skops(model):
    skops_io = pytest.importorskip("skops.io")
    content = skops_io.dumps(model)
    return skops_io.loads(content, trusted=skops_io.get_untrusted_types(data=content))


FITTED = {
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(3, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=2, random_state=0),
    "support vectors": SVC(),
    "neighbours": KNeighborsClassifier(algorithm="brute"),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
}


@pytest.mark.parametrize("name", FITTED)
def test_fingerprint_of_a_model_survives_saving_and_predicting(name):
    X, y = load_iris(return_X_y=True)
    model = clone(FITTED[name]).fit(X, y)
    known = model_facts("m", model)["fingerprint"]
    model.predict(X)
    for save in (saved_by_pickle, saved_by_joblib, copy.deepcopy):
        assert model_facts("m", save(model))["fingerprint"] == known, save
    assert model_facts("m", clone(model))["fingerprint"] != known
    assert model_facts("m", clone(model).fit(X[1:], y[1:]))["fingerprint"] != known


@pytest.mark.slow  # loading skops takes seconds
def test_fingerprint_of_a_model_survives_skops():
    X, y = load_iris(return_X_y=True)
    model = clone(FITTED["pipeline"]).fit(X, y)
    assert content_digest(saved_by_skops(model)) == content_digest(model)


def test_digest_of_values_that_hold_themselves_ends():
    first, second = [1], [1]
    first.append(first)
    second.append(second)
    assert content_digest(first) == content_digest(second)
    assert content_digest(first) != content_digest([1, [1]])
    assert content_digest({"b", "a"}) == content_digest({"a", "b"})


def test_regressors_have_figures_of_their_own():
    X, _ = load_iris(return_X_y=True)
    model = Ridge().fit(X[::2, :3], X[::2, 3])
    found = collect_report(
        {"ridge": model}, X[1::2, :3], X[1::2, 3], eps=0.1, evidence=ALL
    )
    figures = {figure["figure"]: figure for figure in found["evidence"]["figures"]}
    assert "R2 on clean rows" in figures
    (name, results), *_ = found["models"][0]["attacks"].items()
    attacked = figures[f"R2 under {name}"]["values"][0]
    assert attacked["value"] == results["robust_r2"]
    assert any("prediction moves by at most 0.05 SD" in name for name in figures)


def test_clauses_name_known_figures_and_are_told_apart():
    for framework in FRAMEWORKS.values():
        references = [clause.reference for clause in framework.clauses]
        assert len(set(references)) == len(references)
        for clause in framework.clauses:
            assert set(clause.figures) <= set(FIGURES)
    used = {k for f in FRAMEWORKS.values() for c in f.clauses for k in c.figures}
    assert used == set(FIGURES)
    assert RECORD in used


@pytest.mark.parametrize("bad", ["eu", 3, ["eu-ai-act", "gdpr"], {"eu-ai-act": 1}])
def test_unknown_frameworks_are_one_sentence(bad, models, rows):
    _, _, X_test, y_test = rows
    rule = r"The 'evidence' parameter of collect_report must be None or one or several"
    with pytest.raises(ValueError, match=rule):
        collect_report(models, X_test, y_test, evidence=bad)


def test_each_framework_stands_once():
    assert check_evidence(["eu-ai-act", "eu-ai-act"], "f") == ["eu-ai-act"]
    assert check_evidence(None, "f") == []
