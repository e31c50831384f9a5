"""The report knows new metrics, presets and attacks by their names."""

import numpy as np
import pytest
from report_page import Page
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import mean_absolute_error

from skrobust import attacks
from skrobust.attacks import FGSM
from skrobust.metrics import confidence_interval, registry
from skrobust.perturbations import FeatureNoise, PerturbationSequence, presets
from skrobust.report import (
    build_markdown,
    build_report,
    collect_report,
    report_from_json,
    summary_rows,
)
from skrobust.report.core._report_json import to_json

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib").use("Agg")
X, Y = load_iris(return_X_y=True)
MODEL = LogisticRegression(max_iter=500).fit(X[::2], Y[::2])


def recall_of_the_last(y_true, y_pred):
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    return float(np.mean(y_pred[y_true == 2] == 2)) if (y_true == 2).any() else 0.0


class HalfStep(FGSM):
    """An attack in a file of its own."""


@pytest.fixture
def last_recall(monkeypatch):
    monkeypatch.setattr(registry, "_SPECS", dict(registry._SPECS))
    spec = registry.MetricSpec(name="last_recall", function=recall_of_the_last)
    return registry.register(spec)


def report(**settings):
    return collect_report({"m": MODEL}, X[1::2], Y[1::2], n_labels=5, **settings)


@pytest.mark.usefixtures("undrawn")
def test_registered_metric_is_a_column_with_its_interval(last_recall):
    found = report(metrics=["last_recall"], random_state=2)
    cell = summary_rows(found)[0]["last_recall"]
    predicted = MODEL.predict(X[1::2])
    expected = confidence_interval("last_recall", Y[1::2], predicted, random_state=2)
    assert cell["value"] == recall_of_the_last(Y[1::2], predicted)
    assert cell["interval"] == (expected.low, expected.high)
    page = Page(build_report(found))
    assert "Last recall" in page.texts("th")
    assert "Last recall" in build_markdown(found)
    again = report_from_json(to_json(found))
    assert build_report(again) == build_report(found)


def test_registered_metrics_are_checked_before_the_work(last_recall):
    for wrong in ("last_recall", ["nothing"], ["robust_ratio"], [3]):
        with pytest.raises(ValueError, match="collect_report"):
            report(metrics=wrong)
    with pytest.raises(ValueError, match="'attacks'"):
        report(metrics=["last_recall"], attacks={"last_recall": FGSM(0.1)})


@pytest.mark.slow
def test_metric_of_another_task_is_skipped_with_its_reason(monkeypatch):
    monkeypatch.setattr(registry, "_SPECS", dict(registry._SPECS))
    name = "largest_miss"
    registry.register(
        registry.MetricSpec(
            name=name,
            function=mean_absolute_error,
            task="regression",
            bounds=(0.0, np.inf),
            greater_is_better=False,
        )
    )
    found = report(metrics=[name])
    assert summary_rows(found)[0][name] is None
    reasons = {row["section"]: row["reason"] for row in found["skipped"]}
    assert "regression" in reasons[name]
    rows, y = load_diabetes(return_X_y=True)
    line = LinearRegression().fit(rows, y)
    found = collect_report({"line": line}, rows, y, metrics=[name])
    expected = mean_absolute_error(y, line.predict(rows))
    assert summary_rows(found)[0][name]["value"] == pytest.approx(expected)


@pytest.mark.usefixtures("undrawn")
def test_registered_preset_is_taken_by_its_name(monkeypatch):
    monkeypatch.setattr(presets, "_PRESETS", dict(presets._PRESETS))

    @presets.register_preset("table")
    def two_noises(random_state=None):
        return [
            PerturbationSequence(
                [FeatureNoise(sd=sd, random_state=random_state)],
                name=f"noise-{sd}",
                number=number,
            )
            for number, sd in enumerate((0.1, 0.5), 1)
        ]

    found = report(conditions="two_noises", X_train=X[::2])
    stability = found["models"][0]["stability"]
    assert list(stability["name"]) == ["noise-0.1", "noise-0.5"]
    assert "two_noises" in build_report(found)
    assert report(conditions="two_noises")["models"][0]["stability"] is None


def test_public_attack_is_taken_by_its_name(monkeypatch):
    monkeypatch.setattr(attacks, "HalfStep", HalfStep, raising=False)
    monkeypatch.setattr(attacks, "__all__", [*attacks.__all__, "HalfStep"])
    found = report(attacks=["HalfStep"], eps=0.3)
    assert summary_rows(found)[0]["HalfStep"]["value"] < 1
