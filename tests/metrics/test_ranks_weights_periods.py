"""Comparisons: ranks, weights, series of periods, and normalized metrics by name."""

import numpy as np
import pytest
from interval_problems import coverage, draw_clusters, quiet
from scipy.stats import t
from sklearn.metrics import f1_score

from skrobust.metrics import (
    compare_models,
    normalized_accuracy_score,
    normalized_r2_score,
    stability_index,
)
from skrobust.metrics.comparison.compared_data import make_comparison
from skrobust.metrics.comparison.paired_trends import PairedTrends
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.stability.autoregressive_trend import trend_draws


def draw_models(rng, shares, n):
    """Return correctness of models that share half of what makes a sample hard."""
    hard = rng.random(n)
    own = rng.random((len(shares), n))
    u = np.where(rng.random(n) < 0.5, hard, own)
    return {f"m{k}": u[k] < share for k, share in enumerate(shares)}


@pytest.mark.slow
@pytest.mark.parametrize("shares", [(0.8,) * 5, (0.95, 0.9, 0.8, 0.8, 0.6)])
def test_rank_sets_cover_all_ranks_at_once(shares):
    rng = np.random.default_rng(1)
    shares = np.array(shares)
    best = 1 + (shares[:, None] < shares).sum(axis=1)
    worst = 5 - (shares[:, None] > shares).sum(axis=1)
    inside, width = 0, []
    for _ in range(300):
        models = draw_models(rng, shares, 150)
        ranks = compare_models(models, n_resamples=100, random_state=0).ranks
        inside += np.all((ranks.rank_low <= best) & (worst <= ranks.rank_high))
        width.append(ranks.rank_high - ranks.rank_low)
    assert inside / 300 >= 0.93
    if shares[0] > shares[-1]:
        assert np.mean(width) < 2.5  # of 4


def test_equal_models_have_no_rank():
    a = np.arange(50) % 5 > 0
    ranks = compare_models({"a": a, "b": a, "c": ~a}, random_state=0).ranks
    assert ranks["rank"].tolist() == [1, 1, 3]
    assert ranks.rank_low.tolist() == [1, 1, 3]
    assert ranks.rank_high.tolist() == [2, 2, 3]


def test_ranks_of_curves_follow_the_band():
    rng = np.random.default_rng(2)
    shifts = {"a": rng.beta(1, 30, 400), "b": rng.beta(1, 8, 400)}
    found = compare_models(
        shifts, metric="robust_ratio", tolerance=[0.02, 0.9], random_state=0
    )
    sure = found.band_low > 0
    assert sure.tolist() == [True, False]
    assert found.ranks.tolerance.tolist() == [0.02, 0.9, 0.02, 0.9]
    assert found.ranks.rank_low.tolist() == [1, 1, 2, 1]
    assert found.ranks.rank_high.tolist() == [1, 2, 2, 2]


def test_bands_hold_for_all_pairs():
    rng = np.random.default_rng(3)
    found = compare_models(draw_models(rng, (0.9, 0.8, 0.7), 100), random_state=0)
    assert (found.band_low < found.low).all()
    assert (found.band_high > found.high).all()


def test_constant_weights_change_nothing():
    rng = np.random.default_rng(4)
    models = draw_models(rng, (0.9, 0.8), 80)
    plain = compare_models(models, random_state=0)
    weighted = compare_models(models, sample_weight=np.full(80, 3.0), random_state=0)
    assert weighted.low == plain.low
    assert weighted.method == "exact McNemar"


def test_weighted_difference_by_hand():
    rng = np.random.default_rng(5)
    values = dict(zip("ab", rng.random((2, 40)) < 0.7, strict=True))
    w = rng.random(40) + 0.1
    found = compare_models(values, sample_weight=w, random_state=0)
    d = values["a"] * 1.0 - values["b"]
    assert found.difference[0] == pytest.approx(np.average(d, weights=w))
    assert found.value_first[0] == pytest.approx(np.average(values["a"], weights=w))
    # Two pairs more, one of each order, with the weight of an average drawn sample.
    w = np.r_[w, [(w**2).sum() / w.sum()] * 2]
    d = np.r_[d, 1, -1]
    out = np.array(
        [np.average(np.delete(d, i), weights=np.delete(w, i)) for i in range(42)]
    )
    squares = (out - out.mean()) ** 2
    error = np.sqrt(41 / 42 * squares.sum())
    df = 2 * squares.sum() ** 2 / ((squares**2).sum() - squares.sum() ** 2 / 42)
    df = min(df, 41)
    half = t.ppf(0.975, df) * error
    middle = np.average(d, weights=w)
    assert found.low[0] == pytest.approx(middle - half)
    assert found.high[0] == pytest.approx(middle + half)
    assert found.method == "linearised, t"


@pytest.mark.slow
@pytest.mark.parametrize(("n", "share"), [(500, 0.1), (2000, 0.02)])
def test_class_balanced_weights_cover(n, share):
    rng = np.random.default_rng(6)

    def draw():
        rare = rng.random(n) < share
        right = rng.random((2, n)) < np.where(rare, 0.6, [[0.99], [0.98]])
        w = np.where(rare, 0.5 / share, 0.5 / (1 - share))
        models = dict(zip("ab", right, strict=True))
        found = compare_models(models, sample_weight=w, n_resamples=100, random_state=0)
        return found.low[0], found.high[0]

    assert 0.92 <= coverage(draw, 0.005, 400) <= 0.99


def test_weights_over_clusters_are_jackknifed():
    rng = np.random.default_rng(7)
    a, clips = draw_clusters(rng, 8, 10, 0.3, 0.7)
    b = np.where(rng.random(80) < 0.8, a, ~a)
    w = rng.random(80)
    found = quiet(
        compare_models,
        {"a": a, "b": b},
        sample_weight=w,
        clusters=clips,
        random_state=0,
    )
    d = a * 1.0 - b
    out = np.array([np.average(d[clips != k], weights=w[clips != k]) for k in range(8)])
    squares = (out - out.mean()) ** 2
    df = 2 * squares.sum() ** 2 / ((squares**2).sum() - squares.sum() ** 2 / 8)
    half = t.ppf(0.975, min(df, 7)) * np.sqrt(7 / 8 * squares.sum())
    assert (found.high[0] - found.low[0]) / 2 == pytest.approx(half)


def test_weights_of_a_callable_go_with_the_rows():
    rng = np.random.default_rng(8)
    y = rng.integers(2, size=90)
    models = {
        k: np.where(rng.random(90) < q, y, 1 - y) for k, q in (("a", 0.9), ("b", 0.7))
    }
    w = rng.random(90)
    settings = {"metric": f1_score, "y_true": y, "n_resamples": 100, "random_state": 0}
    found = compare_models(models, sample_weight=w, **settings)
    assert found.value_second[0] == f1_score(y, models["b"], sample_weight=w)
    shifts = dict(zip("ab", rng.random((2, 90)) / 9, strict=True))
    found = compare_models(
        shifts,
        metric="robust_ratio",
        tolerance=[0.02, 0.05],
        sample_weight=w,
        random_state=0,
    )
    expected = [np.average(shifts["a"] <= b, weights=w) for b in (0.02, 0.05)]
    np.testing.assert_allclose(found.value_first, expected)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"sample_weight": [1, 2]}, "one weight per sample"),
        ({"sample_weight": [1, 1]}, "one weight per sample"),
        ({"sample_weight": [-1, 1, 1, 1]}, "The 'sample_weight' parameter"),
    ],
)
def test_wrong_weights(options, text):
    with pytest.raises(ValueError, match=text):
        compare_models({"a": [1, 0, 1, 1], "b": [1, 1, 1, 0]}, **options)


def index_models(seed, n=60):
    """Return correctness under four conditions of two models, with weights."""
    rng = np.random.default_rng(seed)
    shares = {"a": [0.95, 0.9, 0.7, 0.6], "b": [0.9, 0.9, 0.8, 0.8]}
    models = {name: rng.random((n, 4)) < share for name, share in shares.items()}
    return models, rng.integers(0, 4, n)


ABOUT_DIFFERENCES = ("difference", "low", "high", "p_value", "value_first", "n")


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(25), 3)])
def test_equal_weights_of_the_index_are_no_weights(clusters):
    models, _ = index_models(0, 75)
    settings = {"metric": "asi", "clusters": clusters, "random_state": 0}
    plain = compare_models(models, **settings)
    found = compare_models(models, sample_weight=np.full(75, 3.0), **settings)
    for name in ABOUT_DIFFERENCES:
        np.testing.assert_allclose(found[name], plain[name])


@pytest.mark.parametrize("metric", ["asi", "robust_accuracy"])
@pytest.mark.parametrize("labels", [False, True])
def test_frequency_weights_are_repeated_rows(metric, labels):
    models, weight = index_models(1)
    many = {name: np.repeat(rows, weight, axis=0) for name, rows in models.items()}
    y = y_many = None
    if labels:  # predictions have the conditions first
        y = np.arange(60) % 2
        y_many = np.repeat(y, weight)
        models = {k: np.where(rows.T, y, 1 - y) for k, rows in models.items()}
        many = {k: np.where(rows.T, y_many, 1 - y_many) for k, rows in many.items()}
    settings = {"metric": metric, "random_state": 0, "n_resamples": 300}
    counted = {"sample_weight": weight, "weight_type": "frequency"}
    found = compare_models(models, y_true=y, **counted, **settings)
    other = compare_models(many, y_true=y_many, **settings)
    for name in ABOUT_DIFFERENCES:
        assert found[name] == other[name]
    assert found.n == weight.sum()


def test_weighted_index_by_pairs_of_samples():
    """The noise-corrected variance: weighted products of two samples, by a loop."""
    models, weight = index_models(2, 20)
    weight = weight + 0.5
    settings = {"metric": "asi", "sample_weight": weight, "random_state": 0}
    found = compare_models(models, n_resamples=100, **settings)
    for name, value in (("a", found.value_first), ("b", found.value_second)):
        c = models[name] - models[name].mean(axis=1, keepdims=True)
        total = norm = 0.0
        for i in range(20):
            for j in range(20):
                if i != j:
                    total += weight[i] * weight[j] * (c[i] @ c[j]) / 4
                    norm += weight[i] * weight[j]
        square = np.average(models[name].mean(axis=1), weights=weight) ** 2
        spread = np.sqrt(max(0.0, total / norm))
        assert value[0] == pytest.approx((square - spread) / (square + spread))
    thrice = {**settings, "sample_weight": 3 * weight}
    again = compare_models(models, n_resamples=100, **thrice)
    np.testing.assert_allclose(again.low, found.low)


def test_weights_that_no_metric_can_take():
    periods = {"a": [0.9, 0.8, 0.9], "b": [0.8, 0.8, 0.7]}
    for kind in ("design", "frequency"):
        with pytest.raises(ValueError, match="without y_true and sample_weight"):
            compare_models(
                periods,
                metric="stability_index",
                sample_weight=[1, 2, 1],
                weight_type=kind,
            )
    models = {"a": [True, False], "b": [True, True]}
    with pytest.raises(ValueError, match="must be integers where weight_type"):
        compare_models(models, sample_weight=[1, 0.5], weight_type="frequency")
    with pytest.raises(ValueError, match="The 'weight_type' parameter of compare_mod"):
        compare_models(models, sample_weight=[1, 2], weight_type="counts")


def draw_scores(rng, n, correlation, slopes, n_draws):
    """Return series of shape (n_draws, 2, n) that share a part of their noise."""
    noise = rng.normal(size=(n + 60, n_draws, 3))
    for i in range(1, n + 60):
        noise[i] = correlation * noise[i - 1] + np.sqrt(1 - correlation**2) * noise[i]
    noise = np.moveaxis(noise[60:], 0, 2)
    x = np.arange(n) - (n - 1) / 2
    lines = np.array([[0.9], [0.88]]) + np.array(slopes)[:, None] * x
    return lines + 0.02 * (0.6 * noise[:, 2:] + 0.8 * noise[:, :2])


@pytest.mark.parametrize("slopes", [(-0.005, -0.002), (0.004, -0.004)])
def test_difference_of_strongly_correlated_stability_indices_covers(slopes):
    rng = np.random.default_rng(9)
    falls = np.minimum(0, slopes) * 12
    truth = 0.02 + falls[0] - falls[1]
    inside = 0
    for a, b in draw_scores(rng, 12, 0.9, slopes, 50):
        found = quiet(compare_models, {"a": a, "b": b}, metric="stability_index")
        inside += found.low[0] <= truth <= found.high[0]
    assert inside / 50 >= 0.9  # t on the slow components of the residuals: .74 and .76


def test_difference_of_stability_indices_turns_with_the_models():
    rng = np.random.default_rng(11)
    a, b = draw_scores(rng, 20, 0.5, (-0.003, 0.001), 1)[0]
    one = quiet(compare_models, {"a": a, "b": b}, metric="stability_index", margin=0.1)
    two = quiet(compare_models, {"b": b, "a": a}, metric="stability_index", margin=0.1)
    # The draws that make the limits are turned too, but for their finite number.
    limits = two.low[0], two.high[0], two.p_value[0], two.p_second[0]
    turned = -one.high[0], -one.low[0], one.p_value[0], one.p_first[0]
    assert limits == pytest.approx(turned, abs=0.02)
    scaled = quiet(compare_models, {"a": a / 2, "b": b / 2}, metric="stability_index")
    assert scaled.low[0] == pytest.approx(one.low[0] / 2)
    assert scaled.high[0] == pytest.approx(one.high[0] / 2)


def test_means_of_periods_equal_those_of_the_difference():
    rng = np.random.default_rng(12)
    a, b = draw_scores(rng, 15, 0.3, (-0.01, 0.0), 1)[0]
    pair = PairedTrends([a, b], "test", 12, 0.5, None)
    found = pair.evidence(0, 1, of_means=True)
    x = np.arange(15.0)
    level = trend_draws(a - b, x - x.mean()).level
    assert found.difference == pytest.approx((a - b).mean())
    assert found.limits(0.025) == pytest.approx(
        tuple(np.quantile(level, [0.025, 0.975])), abs=1e-3
    )
    # Without a fall and without scatter the index is the mean.
    steady = PairedTrends([a, b], "test", 0, 0, None).evidence(0, 1)
    assert steady.limits(0.025) == found.limits(0.025)


def test_stability_indices_are_paired():
    rng = np.random.default_rng(10)
    shared = 0.05 * rng.normal(size=12)
    a = 0.9 - 0.01 * np.arange(12) + shared
    b = a - 0.02 + 0.001 * rng.normal(size=12)
    found = compare_models({"a": a, "b": b}, metric="stability_index", margin=0.2)
    assert found.value_first[0] == pytest.approx(stability_index(a))
    assert found.difference[0] == pytest.approx(stability_index(a) - stability_index(b))
    assert found.low[0] > 0
    assert (found.unit, found.n, found.verdict[0]) == ("periods", 12, "equivalent")
    assert found.ranks.rank_high.tolist() == [1, 2]
    # Scores in another order of the periods, with their times, are the same series.
    order = rng.permutation(12)
    again = compare_models(
        {"a": a[order], "b": b[order]}, metric="stability_index", times=order
    )
    assert again.low[0] == pytest.approx(found.low[0])
    weights = {"falling_rate_weight": 88.0, "times": np.arange(12) * 2.0}
    slow = compare_models({"a": a, "b": b}, metric=stability_index, **weights)
    assert slow.value_first[0] == pytest.approx(stability_index(a, **weights))


@pytest.mark.parametrize(
    ("models", "options", "text"),
    [
        ({"a": [0.9] * 5, "b": [0.9] * 6}, {}, "same periods; 'a' has"),
        ({"a": [0.9] * 3, "b": [0.9] * 3}, {}, "four or more periods"),
        ({"a": [0.9, 0.8, 0.7, 0.9], "b": [0.9] * 4}, {"y_true": [1] * 4}, "one score"),
        (
            {"a": [0.9, 0.8, 0.7, 0.9], "b": [0.9] * 4},
            {"clusters": [1] * 4},
            "clusters",
        ),
        ({"a": [0.9, 0.8, 0.7, np.nan], "b": [0.9] * 4}, {}, "scores"),
        ({"a": [0.9] * 4, "b": [0.8] * 4}, {"times": [1] * 4}, "'times'"),
    ],
)
def test_periods_are_refused(models, options, text):
    with pytest.raises(ValueError, match=text):
        compare_models(models, metric="stability_index", **options)


def test_parallel_series_have_no_limits():
    a = np.array([0.9, 0.8, 0.85, 0.7, 0.75, 0.8])
    with pytest.warns(UserWarning, match="All periods show the same difference"):
        found = compare_models({"a": a, "b": a - 0.1}, metric="stability_index")
    assert np.isnan(found.low[0])


def test_correlated_series_warn():
    scores = 0.9 + 0.01 * np.sin(np.arange(24) / 24 * 3 * np.pi)
    with pytest.warns(UserWarning, match="Neighbouring periods are correlated"):
        compare_models({"a": scores, "b": np.full(24, 0.8)}, metric="stability_index")


def test_normalized_metrics_by_name():
    rng = np.random.default_rng(11)
    y = rng.integers(3, size=60)
    models = {
        k: np.where(rng.random(60) < q, y, 0) for k, q in (("a", 0.9), ("b", 0.6))
    }
    settings = {"y_true": y, "n_resamples": 100, "random_state": 0}
    sizes = {"n_features": 4, "n_samples": 500, "clip": False}
    found = compare_models(models, metric="normalized_accuracy", **sizes, **settings)
    expected = [normalized_accuracy_score(y, one, **sizes) for one in models.values()]
    assert [found.value_first[0], found.value_second[0]] == pytest.approx(expected)
    assert found.metric == "normalized_accuracy"
    counts = {"class_counts": {k: int(np.sum(y == k)) for k in range(3)}}
    same = compare_models(
        models, metric=normalized_accuracy_score, **sizes, **counts, **settings
    )
    assert found.low == pytest.approx(same.low)
    # A resample has the size and the classes of the whole: it is in no way a data set.
    data = make_comparison(
        models, "normalized_accuracy", y, None, {"n_features": 4, "clip": False}, "f"
    )
    count = np.r_[60, np.zeros(59, dtype=int)][None]
    score = data.makers[0](make_units(None, 60, "f"))(count)
    whole = {"n_samples": 60, "n_features": 4, "clip": False, **counts}
    first = np.zeros(60, dtype=int)
    alone = normalized_accuracy_score(y[first], models["a"][first], **whole)
    assert score[0, 0] == pytest.approx(alone)
    numbers = y + rng.normal(size=60) / 9
    found = compare_models(
        {"a": numbers, "b": numbers[::-1]},
        metric="normalized_r2_score",
        n_features=2,
        **settings,
    )
    value = normalized_r2_score(y, numbers, n_features=2)
    assert (found.metric, found.value_first[0]) == (
        "normalized_r2",
        pytest.approx(value),
    )
