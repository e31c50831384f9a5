"""The audit of axioms: published faults are found, and laws that hold are kept."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    mean_absolute_error,
    mean_squared_error,
    r2_score,
)

from skrobust.metrics import (
    accuracy_stability_index,
    make_asi_scorer,
    metric_axioms,
    normalized_accuracy_score,
    stability_index,
)
from skrobust.metrics.axioms.axioms import AXIOMS
from skrobust.metrics.axioms.cases import Maker
from skrobust.metrics.registry import metric_names
from skrobust.perturbations import GaussianNoise

FEW = {"n_trials": 20}
HOLDS = {
    # Theorems, or the formula itself: what holds, and what is broken.
    "accuracy": {"class ratio"},
    "accuracy_skill": {"class ratio"},
    "accuracy_stability_index": {
        "monotonicity", "improvement", "constant model", "class ratio",
    },
    "normalized_accuracy": {
        "noise features", "class ratio", "perfect model", "duplicates",
    },
    "normalized_r2": {"shift", "noise features", "duplicates"},
    "regression_robust_ratio": {
        "monotonicity", "improvement", "constant model", "scale",
    },
    "robust_accuracy": {"class ratio"},
    "robust_ratio": {"monotonicity", "improvement", "constant model"},
    "stability_index": {
        "monotonicity", "improvement", "constant model", "class ratio",
        "sampling interval", "order of rows",
    },
}  # fmt: skip


def broken(table):
    return {a for a, h in zip(table.axiom, table.holds, strict=True) if h == "no"}


def row_of(table, axiom):
    place = list(table.axiom).index(axiom)
    return {name: table[name][place] for name in table["columns"]}


@pytest.mark.parametrize("name", sorted(HOLDS))
def test_metrics_of_the_registry(name):
    table = metric_axioms(name, **FEW)
    assert broken(table) == HOLDS[name]
    assert list(table.axiom) == list(AXIOMS)
    unseen = {"accuracy": "noise features", "normalized_accuracy": "sampling interval"}
    if name in unseen:
        assert row_of(table, unseen[name])["holds"] == "-"


def test_every_metric_of_the_registry_is_expected_here():
    of_outcomes = set(metric_names(needs="outcomes"))
    with_needs_of_their_own = {"normalized_clustering", "gini_stability"} | of_outcomes
    assert set(HOLDS) | with_needs_of_their_own == set(metric_names())
    for name in ("gini_stability", *of_outcomes):  # times, or summaries of samples
        assert set(metric_axioms(name, **FEW).holds) == {"-"}


@pytest.mark.slow
def test_metrics_of_scikit_learn():
    assert broken(metric_axioms(balanced_accuracy_score, **FEW)) == set()
    assert broken(metric_axioms(accuracy_score, **FEW)) == {"class ratio"}
    assert broken(metric_axioms(r2_score, task="regression", **FEW)) == set()
    loss = {"task": "regression", "greater_is_better": False, **FEW}
    assert broken(metric_axioms(mean_squared_error, **loss)) == {"scale"}
    table = metric_axioms(mean_absolute_error, **loss)
    assert broken(table) == {"scale"}
    worst = row_of(table, "scale")
    assert worst["after"] == pytest.approx(10 * worst["before"])
    unstated = metric_axioms(mean_squared_error, task="regression", **FEW)
    assert broken(unstated) == {"scale"}  # its name says that it is a loss
    # With its sign wrong, a loss is not monotone.
    loss["greater_is_better"] = True
    wrong = metric_axioms(mean_squared_error, **loss)
    assert {"monotonicity", "constant model"} <= broken(wrong)
    assert broken(metric_axioms("roc_auc", **FEW)) == set()
    table = metric_axioms(f1_score, average="macro", n_classes=3, **FEW)
    assert broken(table) == {"class ratio"}


@pytest.mark.slow
def test_counter_examples_have_the_numbers():
    worst = row_of(metric_axioms("asi", **FEW), "improvement")
    assert worst["after"] < worst["before"] == 1
    before, _, after = worst["counter_example"].partition("(")[2].partition(" -> ")
    pair = [
        accuracy_stability_index(np.fromstring(text.strip(")")[9:], sep=","))
        for text in (before, after)
    ]
    assert pair == pytest.approx([worst["before"], worst["after"]], abs=0.01)
    table = metric_axioms(stability_index, **FEW)
    worst = row_of(table, "sampling interval")
    # Half the slope: .8 - 12 * .2 / 11, and .8 - 12 * .2 / 22.
    assert worst["before"] == pytest.approx(0.8 - 12 * 0.2 / 11)
    assert worst["after"] == pytest.approx(0.8 - 12 * 0.2 / 22)
    worst = row_of(metric_axioms("normalized_accuracy", **FEW), "perfect model")
    assert worst["after"] == pytest.approx(1 / (1 + np.log(19)))
    assert "1 -> 0.254 (accuracy 1)" in str(metric_axioms("normalized_accuracy", **FEW))
    worst = row_of(metric_axioms("accuracy", **FEW), "class ratio")
    assert (worst["before"], worst["after"]) == pytest.approx((0.7, 0.79))


def test_a_fault_that_is_put_in_is_found():
    def no_last_row_score(y_true, y_pred):
        return np.mean((y_true == y_pred)[:-1])

    assert "order of rows" in broken(metric_axioms(no_last_row_score, **FEW))

    def agreement_score(y_true, y_pred):
        return np.mean(y_pred == y_pred[0])

    found = broken(metric_axioms(agreement_score, **FEW))
    assert {"monotonicity", "constant model"} <= found

    def count_score(y_true, y_pred):
        return np.sum(y_true == y_pred)

    assert "duplicates" in broken(metric_axioms(count_score, **FEW))


@pytest.mark.slow
def test_scorers():
    assert broken(metric_axioms("balanced_accuracy", **FEW)) == set()
    noises = [GaussianNoise(std=s, random_state=0) for s in (0.0, 0.3)]
    few = {"n_trials": 10, "atol": 0.01}
    table = metric_axioms(make_asi_scorer(noises), **few)
    assert table.name == "accuracy_stability_index"
    assert "constant model" in broken(table)
    assert row_of(table, "order of rows")["holds"] == "yes"


def test_it_is_deterministic():
    first, again, other = (
        metric_axioms("asi", random_state=seed, **FEW) for seed in (0, 0, 1)
    )
    assert str(first) == str(again)
    assert str(first) != str(other)


def test_the_table_of_the_guide_has_every_metric(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "doc")
    from axioms_table import axioms_table

    text = axioms_table(n_trials=2)
    for name in metric_names():
        assert f"   * - {name}\n" in text
        assert f"- **{name}**: " in text
    assert "perfect model 1 -> 0.254 (accuracy 1)" in text


def test_cases_are_what_they_say():
    rng = np.random.default_rng(0)
    maker = Maker("classification", 4, 1, 60, 3, rng)
    even = maker.random(even=True)
    shares = (even.predicted == even.y).mean(axis=1)
    assert np.ptp(shares) == 0
    first, second = (maker.with_recalls(sizes) for sizes in maker.class_sizes())
    for case in (first, second):
        for label in range(3):
            recall = np.mean(case.predicted[0][case.y == label] == label)
            assert recall == pytest.approx(0.8 if label == 0 else 0.6)
    assert len(first.y) == len(second.y)
    periods = Maker("classification", 1, 6, 60, 2, rng)
    sizes = [np.bincount(b).tolist() for b in np.split(periods.targets(), 6)]
    assert sizes == sizes[:1] * 6


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"metric": 3}, "'metric' parameter of metric_axioms must be a metric"),
        ({"metric": "asi", "task": "ranking"}, "'task'"),
        ({"metric": "asi", "n_classes": 1}, "'n_classes' .* at least 2"),
        ({"metric": "asi", "n_samples": 3}, "'n_samples' .* at least 12"),
        ({"metric": "asi", "n_trials": 0}, "'n_trials'"),
        ({"metric": "asi", "atol": -1}, "'atol'"),
    ],
)
def test_bad_input(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        metric_axioms(**arguments)


def test_an_undefined_metric_says_why():
    table = metric_axioms(f1_score, **FEW)
    shifted = row_of(table, "shift")
    assert shifted["holds"] == "-"
    assert "pos_label=1 is not a valid label" in shifted["counter_example"]
    assert np.isnan(shifted["before"])
    direct = row_of(metric_axioms(normalized_accuracy_score, **FEW), "perfect model")
    assert direct["holds"] == "no"
