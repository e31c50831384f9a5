"""The registry of metrics, and a new metric in all that reads it."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import f1_score, mean_absolute_error
from sklearn.model_selection import cross_val_score

import skrobust.metrics
from skrobust.metrics import (
    by_group,
    compare_models,
    confidence_interval,
    get_scorer,
    get_scorer_names,
    make_robust_scorer,
    make_stability_index_scorer,
    period_stability_index,
)
from skrobust.metrics import registry as module
from skrobust.metrics.registry import MetricSpec, get_metric, metric_names, register
from skrobust.perturbations import GaussianNoise

X, Y = load_iris(return_X_y=True)
MODEL = LogisticRegression(max_iter=999).fit(X, Y)
NOISE = GaussianNoise(std=0.1, data_range=(0, 8), random_state=0)


@pytest.fixture
def registered(monkeypatch):
    """Return ``register``, whose metrics are forgotten after the test."""
    monkeypatch.setattr(module, "_SPECS", dict(module._SPECS))
    return register


def hit_rate_score(y_true, y_pred, sample_weight=None):
    """Compute the share of hits.

    .. math:: HR = \\frac{1}{N}
        \\sum_i \\mathbf{1}[\\hat{y}_i = y_i]

    References
    ----------
    Nobody (2026).
    """
    return float(np.average(np.equal(y_true, y_pred), weights=sample_weight))


def close_calls(y_true, y_pred, sample_weight=None):
    """Compute the mean distance of labels."""
    distance = np.abs(np.subtract(y_true, y_pred))
    return float(np.average(distance, weights=sample_weight))


HIT_RATE = MetricSpec("hit_rate", hit_rate_score, per_sample=np.equal)
CLOSE = MetricSpec(
    "close_calls",
    close_calls,
    aliases=("cc",),
    bounds=(0.0, np.inf),
    greater_is_better=False,
    per_sample=lambda y_true, y_pred: np.abs(np.subtract(y_true, y_pred)),
)


def predictions(seed, right=0.8, n=120):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return y, np.where(rng.random(n) < right, y, (y + 1) % 3)


def test_a_spec_derives_what_its_function_says():
    assert HIT_RATE.title == "hit rate"
    expected = "HR = \\frac{1}{N} \\sum_i \\mathbf{1}[\\hat{y}_i = y_i]"
    assert (HIT_RATE.formula, HIT_RATE.source) == (expected, "Nobody (2026).")
    assert HIT_RATE.names == ("hit_rate", "hit_rate_score")
    with pytest.raises(AttributeError):
        HIT_RATE.name = "other"


def test_metrics_are_found_by_name_alias_and_function():
    asi = get_metric("accuracy_stability_index")
    assert asi is get_metric("asi")
    assert asi is get_metric(skrobust.metrics.accuracy_stability_index)
    assert get_metric("robust_ratio_score") is get_metric("robust_ratio")
    with pytest.raises(ValueError, match="'metric' parameter of get_metric must be"):
        get_metric("nothing")
    with pytest.raises(ValueError, match="belongs to another metric"):
        register(replace(HIT_RATE, name="other", aliases=("asi",)))


def test_names_are_filtered():
    assert metric_names() == sorted(metric_names())
    assert metric_names(task="regression") == [
        "normalized_r2",
        "regression_robust_ratio",
    ]
    assert metric_names(needs="periods") == ["gini_stability", "stability_index"]
    assert "robust_ratio" in metric_names(per_sample=True)
    assert set(get_scorer_names()) == set(metric_names(has_scorer=True))


@pytest.mark.parametrize("name", metric_names())
def test_every_metric_is_public_and_described(name):
    spec = get_metric(name)
    if name != "accuracy":
        public = getattr(skrobust.metrics, spec.function.__name__)
        assert public is spec.function
        assert spec.formula
    low, high = spec.bounds
    assert low < high
    assert (name in get_scorer_names()) == ("outcomes" not in spec.needs)


def test_values_of_samples_have_the_metric_as_their_mean():
    y, predicted = predictions(0)
    weight = np.random.default_rng(1).random(len(y))
    p = np.random.default_rng(2).dirichlet([1, 1, 1], len(y))
    q = 0.9 * p + 0.1 / 3
    data = {
        "accuracy": ((y, predicted), {}),
        "robust_accuracy": ((y, np.stack([predicted, y])), {}),
        "robust_ratio": ((p, q), {"tolerance": 0.03}),
        "regression_robust_ratio": ((p[:, 0], q[:, 0]), {"tolerance": 0.03}),
    }
    assert set(data) == set(metric_names(per_sample=True))
    for name, (arrays, params) in data.items():
        spec = get_metric(name)
        values = spec.values(arrays, params, "test")
        assert values.shape == y.shape
        assert 0 < values.mean() < 1
        direct = spec.function(*arrays, **params, sample_weight=weight)
        assert np.average(values, weights=weight) == pytest.approx(direct, abs=1e-12)


def test_a_new_metric_is_everywhere(registered):
    registered(HIT_RATE)
    y, predicted = predictions(0)
    # A scorer, by name and made, in a search and with weights.
    scorer = get_scorer("hit_rate", perturbation=NOISE)
    made = make_robust_scorer(NOISE, metric="hit_rate")
    moved = MODEL.predict(NOISE.perturb(MODEL, X, Y))
    assert scorer(MODEL, X, Y) == made(MODEL, X, Y) == np.mean(moved == Y)
    weight = np.arange(len(Y)) + 1.0
    assert scorer(MODEL, X, Y, sample_weight=weight) == hit_rate_score(Y, moved, weight)
    assert (cross_val_score(clone(MODEL), X, Y, cv=3, scoring=scorer) > 0.5).all()
    assert make_stability_index_scorer(3, metric="hit_rate")(MODEL, X, Y) > 0
    assert "hit_rate" in get_scorer_names()
    weeks = np.arange(120) // 30
    by_name = period_stability_index(y, predicted, weeks, metric="hit_rate")
    assert by_name == period_stability_index(y, predicted, weeks)
    # Wilson's interval, with weights and over clusters.
    for options in (
        {},
        {"sample_weight": weight[:120]},
        {"clusters": y * 0 + np.arange(120) // 4},
    ):
        found = confidence_interval("hit_rate", y, predicted, **options)
        expected = confidence_interval("accuracy", y, predicted, **options)
        assert found == expected
    # McNemar's test.
    models = {"a": predicted, "b": predictions(0, 0.6)[1]}
    options = {"y_true": y, "random_state": 0, "n_resamples": 100}
    found = compare_models(models, metric="hit_rate", **options)
    expected = compare_models(models, metric="accuracy", **options)
    assert found.method == "exact McNemar"
    assert found.p_value == expected.p_value
    # Groups.
    options = {"groups": np.arange(120) % 3, "n_permutations": 99, "random_state": 0}
    found = by_group("hit_rate", y, predicted, **options)
    expected = by_group("accuracy", y, predicted, **options)
    assert found.measure == "hit rate"
    assert (found.gaps.p_value == expected.gaps.p_value).all()
    assert found.range_p_value == expected.range_p_value


@pytest.mark.slow
def test_a_metric_of_numbers_is_resampled(registered):
    registered(CLOSE)
    y, predicted = predictions(0)
    direct = mean_absolute_error(y, predicted)
    found = confidence_interval("cc", y, predicted, random_state=0)
    assert found.value == pytest.approx(direct)
    assert found.method == "bca"
    reference = confidence_interval(mean_absolute_error, y, predicted, random_state=0)
    assert tuple(found) == pytest.approx(tuple(reference))
    weight = np.arange(120) + 1.0
    found = confidence_interval("cc", y, predicted, sample_weight=weight)
    assert found.value == pytest.approx(close_calls(y, predicted, weight))
    models = {"a": predicted, "b": predictions(0, 0.6)[1]}
    options = {"y_true": y, "random_state": 0, "n_resamples": 200}
    found = compare_models(models, metric="close_calls", **options)
    expected = compare_models(models, metric=mean_absolute_error, **options)
    assert found.p_value == expected.p_value
    assert found.low == pytest.approx(expected.low)
    # Smaller is better: the scorer is negative, the worst group has the most.
    scorer = get_scorer("close_calls", perturbation=NOISE)
    moved = MODEL.predict(NOISE.perturb(MODEL, X, Y))
    assert scorer(MODEL, X, Y) == -close_calls(Y, moved)
    groups = np.where(np.arange(120) < 60, "first", "last")
    wrong = np.where(groups == "last", (y + 1) % 3, predicted)
    found = by_group("cc", y, wrong, groups=groups, n_permutations=99, random_state=0)
    assert found.worst_group == "last"
    assert found.gaps.p_value[0] == found.range_p_value == 0.01
    assert (found.low <= found.value).all()
    assert (found.value <= found.high).all()


def test_an_unknown_option_is_named(registered):
    registered(HIT_RATE)
    with pytest.raises(TypeError, match="of the robust ratio has no parameter 'eps'"):
        confidence_interval("robust_ratio", [0.1], eps=1)


def test_the_attack_of_a_metric_must_suit_it():
    from skrobust.attacks import PGD

    early = PGD(0.1, objective="misclassification")
    scorer = get_scorer("robust_ratio", perturbation=early, tolerance=0.1)
    with pytest.raises(ValueError, match="flatters the ratio"):
        scorer(MODEL, X, Y)
    with pytest.raises(ValueError, match="is a regressor"):
        get_scorer("robust_ratio", perturbation=NOISE, tolerance=0.1)(
            LinearRegression().fit(X, Y), X, Y
        )


@pytest.mark.slow
@pytest.mark.parametrize("clustered", [False, True])
def test_groups_of_any_function(clustered):
    y, predicted = predictions(3, n=240)
    groups = np.repeat(list("abc"), 80)
    clusters = np.arange(240) // 2 if clustered else None
    options = {"clusters": clusters, "n_permutations": 49, "random_state": 0}
    found = by_group(f1_score, y, predicted, groups=groups, average="macro", **options)
    expected = [
        f1_score(y[groups == g], predicted[groups == g], average="macro") for g in "abc"
    ]
    assert found.value == pytest.approx(expected)
    assert found.measure == "f1_score"
    assert found.range == pytest.approx(np.ptp(expected))
    assert (found.low < found.value).all()
    assert (found.value < found.high).all()
    assert found.gaps.gap == pytest.approx(
        [
            expected[0] - expected[1],
            expected[0] - expected[2],
            expected[1] - expected[2],
        ]
    )
    # The mean of the hits as a function: values, gaps and ranges as for the share.
    share = by_group("accuracy", y, predicted, groups=groups, **options)
    mean = by_group(hit_rate_score, y, predicted, groups=groups, **options)
    assert mean.value == pytest.approx(share.value)
    assert mean.gaps.gap == pytest.approx(share.gaps.gap)
    assert mean.range == pytest.approx(share.range)
    assert mean.range_by_chance == pytest.approx(share.range_by_chance, abs=0.03)
    assert np.abs(mean.low - share.low).max() < 0.08


def test_groups_with_several_conditions_have_an_index():
    y, first = predictions(4)
    both = np.stack([first, predictions(4, 0.6)[1]])
    groups = np.arange(120) // 60
    found = by_group("asi", y, both, groups=groups, n_permutations=99, random_state=0)
    for g in (0, 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            alone = confidence_interval("asi", y[groups == g], both[:, groups == g])
        assert found.value[g] == pytest.approx(alone.value)


def test_groups_refuse():
    y, predicted = predictions(0)
    groups = np.arange(120) // 60
    with pytest.raises(ValueError, match="not of periods"):
        by_group("stability_index", [0.9, 0.8], groups=[0, 1])
    with pytest.raises(ValueError, match="'metric' parameter of by_group"):
        by_group("nothing", y, predicted, groups=groups)
    with pytest.raises(ValueError, match="by_group needs the data"):
        by_group("accuracy", groups=groups)
    with pytest.raises(ValueError, match="groups has 2"):
        by_group("accuracy", y, predicted, groups=[0, 1])
    with pytest.raises(ValueError, match="needs tolerance="):
        by_group("robust_ratio", np.full(120, 0.1), groups=groups)
