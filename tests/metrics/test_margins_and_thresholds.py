"""Equivalence, non-inferiority and thresholds: errors by enumeration, and verdicts."""

from functools import cache

import numpy as np
import pytest
from scipy.special import gammaln, xlogy
from scipy.stats import beta, binom, t
from sklearn.metrics import mean_absolute_error, roc_auc_score

from skrobust.metrics import compare_models, confidence_interval, threshold_test
from skrobust.metrics.comparison.evidence import NoSpread, Resampled, StudentT
from skrobust.metrics.comparison.exact_shares import PairedShares, _order
from skrobust.metrics.registry import _SPECS, MetricSpec, register


def pair(only_first, only_second, n):
    """Return correctness of two models with these discordant counts."""
    a, b = np.ones((2, n), dtype=bool)
    b[:only_first] = False
    a[only_first : only_first + only_second] = False
    return a, b


def chance(tables, n, difference):
    """Return the largest probability of some tables over the free second share."""
    b, c = np.array(tables).T
    log = gammaln(n + 1) - gammaln(b + 1) - gammaln(c + 1) - gammaln(n - b - c + 1)
    q = np.linspace(max(0, -difference), (1 - difference) / 2, 2001)[:, None]
    p = np.maximum(q + difference, 0)
    rest = np.maximum(1 - p - q, 0)
    log = log + xlogy(b, p) + xlogy(c, q) + xlogy(n - b - c, rest)
    return np.exp(log).sum(axis=1).max()


@pytest.mark.parametrize("margin", [0.02, 0.1, 0.3])
def test_error_of_noninferiority_by_enumeration(margin):
    n = 14
    inferior, equal = [], []
    for b in range(n + 1):
        for c in range(n + 1 - b):
            shares = PairedShares(*pair(b, c, n))
            if shares.p_at_most(-margin) <= 0.05:
                inferior.append((b, c))
                if shares.p_at_least(margin) <= 0.05:
                    equal.append((b, c))
    assert 0.02 < chance(inferior, n, -margin) <= 0.05
    for worse in (-margin - 0.05, -margin - 0.2):  # all of the null
        assert chance(inferior, n, worse) <= 0.05
    assert not equal or chance(equal, n, margin) <= 0.05


def test_order_of_tables_rises_with_the_first_count_alone():
    n = 40
    b, c = np.indices((n + 1, n + 1))
    order = np.where(b + c <= n, _order(b, c, n), np.nan)
    assert not (np.diff(order, axis=0) < 0).any()
    assert not (np.diff(order, axis=1) > 0).any()


def test_no_discordant_pair_excludes_three_over_n():
    low, high = PairedShares(*pair(0, 0, 300)).limits(0.05)
    assert low == -high == pytest.approx(0.05 ** (1 / 300) - 1, abs=1e-5)
    result = compare_models(dict(zip("ab", pair(0, 0, 300), strict=True)), margin=0.02)
    assert result.verdict[0] == "equivalent"
    result = compare_models(dict(zip("ab", pair(0, 0, 100), strict=True)), margin=0.02)
    assert result.verdict[0] == "undecided"


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((10, 10, 1000), "equivalent"),
        ((60, 50, 400), "first not inferior"),
        ((50, 60, 400), "second not inferior"),
        ((90, 10, 400), "second inferior"),
        ((10, 90, 400), "first inferior"),
        ((9, 9, 40), "undecided"),
    ],
)
def test_verdicts_agree_with_limits_and_p_values(counts, verdict):
    models = dict(zip("ab", pair(*counts), strict=True))
    settings = {"margin": 0.05, "n_resamples": 100, "random_state": 0}
    found = compare_models(models, **settings)
    low, high = found.margin_low[0], found.margin_high[0]
    assert found.verdict[0] == verdict
    assert (low > -0.05) == (found.p_first[0] <= 0.05)
    assert (high < 0.05) == (found.p_second[0] <= 0.05)
    assert found.p_equivalent[0] == max(found.p_first[0], found.p_second[0])
    assert (low > 0.05) == (verdict == "second inferior")
    assert (high < -0.05) == (verdict == "first inferior")
    turned = compare_models(
        dict(zip("ab", pair(*counts)[::-1], strict=True)), **settings
    )
    assert turned.margin_low[0] == pytest.approx(-high)
    assert turned.p_first[0] == found.p_second[0]


def test_margins_are_corrected_for_the_pairs():
    rng = np.random.default_rng(0)
    models = {name: rng.random(300) < 0.9 for name in "abc"}
    found = compare_models(models, margin=0.1, n_resamples=100, random_state=0)
    for k, (a, b) in enumerate(("ab", "ac", "bc")):
        alone = PairedShares(models[a], models[b])
        expected = min(1, 3 * alone.p_at_most(-0.1))
        assert found.p_first[k] == pytest.approx(expected)
        assert found.margin_low[k] == pytest.approx(alone.limits(0.05 / 3)[0])


@pytest.mark.parametrize(
    "evidence",
    [
        StudentT(0.1, 0.05, 7.0),
        Resampled(0.1, np.random.default_rng(0).normal(0.1, 0.05, 999)),
        NoSpread(0.0, 50, True),
        PairedShares(*pair(12, 5, 90)),
    ],
)
@pytest.mark.parametrize("error", [0.01, 0.05, 0.2])
def test_limits_invert_the_p_values(evidence, error):
    low, high = evidence.limits(error)
    for step in (1e-6, 1e-2):
        assert evidence.p_at_most(low - step) <= error + 1e-9
        assert evidence.p_at_most(low + step) > error
        assert evidence.p_at_least(high + step) <= error + 1e-9
        assert evidence.p_at_least(high - step) > error


def test_margin_of_clusters_is_a_t_test():
    rng = np.random.default_rng(3)
    a, b = rng.random((2, 12, 20)) < 0.8
    gaps = a.mean(axis=1) - b.mean(axis=1)
    with pytest.warns(UserWarning, match="Only 12 clusters"):
        found = compare_models(
            {"a": a.ravel(), "b": b.ravel()},
            clusters=np.repeat(np.arange(12), 20),
            margin=0.1,
            random_state=0,
        )
    error = gaps.std(ddof=1) / np.sqrt(12)
    assert found.p_first[0] == pytest.approx(t.sf((gaps.mean() + 0.1) / error, 11))
    assert found.margin_low[0] == pytest.approx(gaps.mean() - t.ppf(0.95, 11) * error)


def test_smaller_may_be_better():
    def error_values(*data, caller):
        return np.abs(np.subtract(*data)).astype(float)

    spec = MetricSpec(
        "distance_here",
        mean_absolute_error,
        per_sample=error_values,
        greater_is_better=False,
    )
    register(spec)
    try:
        rng = np.random.default_rng(0)
        y = rng.normal(size=200)
        models = {"far": y + rng.normal(size=200), "near": y + rng.normal(size=200) / 9}
        settings = {"y_true": y, "random_state": 0, "margin": 0.1}
        found = compare_models(models, metric="distance_here", **settings)
        assert found.difference[0] > 0.5
        assert found.verdict[0] == "first inferior"
        assert found.ranks["rank"].tolist() == [2, 1]
        test = threshold_test("distance_here", y, models["near"], threshold=0.2)
        assert test.verdict == "passes"
        test = threshold_test("distance_here", y, models["far"], threshold=0.2)
        assert test.verdict == "fails"
    finally:
        del _SPECS["distance_here"]


def test_equal_clusters_exclude_what_they_can():
    a = np.ones(200, dtype=bool)
    clusters = np.repeat(np.arange(50), 4)
    found = compare_models({"a": a, "b": a}, clusters=clusters, random_state=0)
    assert found.high[0] == -found.low[0] == pytest.approx(1 - 0.05 ** (1 / 50))
    assert found.p_value[0] == 1


@pytest.mark.parametrize("n", [9, 20, 60])
def test_error_of_the_threshold_by_enumeration(n):
    threshold = 0.9
    passes = fails = 0.0
    for k in range(n + 1):
        correct = np.arange(n) < k
        found = threshold_test("accuracy", correct, threshold=threshold)
        assert (found.low >= threshold) == (found.verdict == "passes")
        assert (found.high <= threshold) == (found.verdict == "fails")
        assert (found.p_value <= 0.05) == (found.verdict == "passes")
        passes += binom.pmf(k, n, threshold) * (found.verdict == "passes")
        fails += binom.pmf(k, n, threshold) * (found.verdict == "fails")
    assert passes <= 0.05
    assert 0 < fails <= 0.05


def test_threshold_by_hand():
    correct = np.arange(100) < 97
    found = threshold_test("robust_accuracy", correct, threshold=0.9, confidence=0.99)
    assert found.low == pytest.approx(beta.ppf(0.01, 97, 4))
    assert found.p_value == pytest.approx(binom.sf(96, 100, 0.9))
    assert (found.value, found.verdict, found.method) == (
        0.97,
        "passes",
        "exact binomial",
    )
    clusters = np.arange(100) // 2
    found = threshold_test("accuracy", correct, threshold=0.85, clusters=clusters)
    expected = confidence_interval(
        "accuracy", correct, clusters=clusters, confidence=0.9
    )
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    assert (found.unit, found.verdict) == ("clusters", "passes")
    weight = np.linspace(1, 2, 100)
    found = threshold_test("accuracy", correct, threshold=0.5, sample_weight=weight)
    assert found.value == pytest.approx(np.average(correct, weights=weight))


def data_of_limits():
    """Return data of each kind of limits, with thresholds around the value."""
    rng = np.random.default_rng(0)
    correct = rng.random((120, 4)) < [0.95, 0.9, 0.8, 0.6]
    y, score = rng.integers(0, 2, 80), rng.random(80)
    y = np.where(score > 0.75, 1, y)
    months = 0.8 + 0.03 * rng.normal(size=14)
    clusters = np.arange(120) // 4
    hits = (correct[:, 1],)
    return {
        "weights": ("accuracy", hits, {"sample_weight": rng.lognormal(size=120)}),
        "clusters": ("accuracy", hits, {"clusters": clusters}),
        "index": ("accuracy_stability_index", (correct,), {}),
        "months": ("stability_index", (months,), {}),
        "callable": (mean_score, (score,), {"n_resamples": 200}),
        "few clusters": (
            roc_auc_score,
            (y[:40], score[:40]),
            {"clusters": np.arange(40) // 4},
        ),
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of few clusters and unresolved indices
@pytest.mark.parametrize(
    "kind",
    ["weights", "clusters", "index", "months", "callable", "few clusters"],
)
def test_p_value_inverts_the_limits(kind):
    metric, data, options = data_of_limits()[kind]
    options = {"random_state": 0} | options

    @cache
    def at(threshold, error):
        calls = {"threshold": threshold, "confidence": 1 - error}
        return threshold_test(metric, *data, **calls, **options)

    low, high, middle = (getattr(at(0.5, 0.05), k) for k in ("low", "high", "value"))
    for threshold in (low + 0.003, (low + middle) / 2, high + 0.01):
        p = at(threshold, 0.3).p_value
        for error in (0.01, 0.06, 0.4):
            found = at(threshold, error)
            assert (found.p_value <= error) == (found.verdict == "passes")
            assert found.p_value == pytest.approx(p, rel=1e-6)
            assert (found.low >= threshold) == (p <= error)
            assert (found.high <= threshold) == (1 - p <= error)
    # At the limit the p-value is the error.
    assert at(low, 0.3).p_value == pytest.approx(0.05, rel=1e-5)
    assert at(high, 0.3).p_value == pytest.approx(0.95, rel=1e-5)


@pytest.mark.filterwarnings("ignore:Only 10 clusters")
def test_p_value_of_a_jackknife_is_that_of_t():
    metric, data, options = data_of_limits()["few clusters"]
    interval = confidence_interval(metric, *data, **options)
    for threshold in (0.5, 0.7, 0.9):
        found = threshold_test(metric, *data, threshold=threshold, **options)
        statistic = (interval.value - threshold) / interval.std_error
        expected = max(t.sf(statistic, 9), 1 / 2001)
        assert found.p_value == pytest.approx(expected, rel=1e-5)


@pytest.mark.slow
def test_p_value_of_weights_has_a_uniform_tail():
    """At the threshold itself: the chance of a p-value of at most a is about a."""
    rng, n_small = np.random.default_rng(1), 0
    for _ in range(150):
        weight = rng.uniform(1, 3, 300)
        hits = rng.random(300) < 0.8
        found = threshold_test("accuracy", hits, threshold=0.8, sample_weight=weight)
        n_small += found.p_value <= 0.2
    assert binom.ppf(0.001, 150, 0.2) <= n_small <= binom.ppf(0.999, 150, 0.2)


def mean_score(values):
    return float(np.mean(values))


def test_no_limits_no_p_value():
    same = np.ones(40)
    with pytest.warns(UserWarning, match="same value"):
        found = threshold_test(mean_score, same, threshold=0.5)
    assert np.isnan(found.p_value)
    assert found.verdict == "undecided"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"threshold": np.nan}, "The 'threshold' parameter of threshold_test"),
        ({"threshold": 0.9, "confidence": 0.4}, "The 'confidence' parameter"),
    ],
)
def test_threshold_refuses(options, text):
    with pytest.raises(ValueError, match=text):
        threshold_test("accuracy", [True, False], **options)


@pytest.mark.parametrize("margin", [0, -1, np.nan, "a"])
def test_margin_refuses(margin):
    with pytest.raises(ValueError, match="The 'margin' parameter of compare_models"):
        compare_models({"a": [True, False], "b": [True, True]}, margin=margin)
