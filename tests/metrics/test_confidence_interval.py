"""Intervals of the metrics cover what they promise, over the right units."""

import inspect
import warnings

import numpy as np
import pytest
from scipy.stats import beta, binomtest, bootstrap, norm, t
from sklearn.metrics import f1_score

from skrobust.metrics import compare_models, confidence_interval, robust_ratio_band
from skrobust.metrics.comparison.paired import holm
from skrobust.metrics.intervals.bootstrap import NoiseCorrected
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.normalized.scores import (
    normalized_accuracy_score,
    normalized_clustering_score,
)
from skrobust.metrics.robust.accuracy_and_ratio import (
    robust_accuracy_score,
    robust_ratio_curve,
    robust_ratio_score,
)
from skrobust.metrics.stability.indices import accuracy_stability_index, stability_index


def quiet(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def coverage(draw, truth, repetitions):
    """Share of the drawn intervals that hold the truth, and their warnings."""
    inside = 0
    for _ in range(repetitions):
        low, high = quiet(draw)
        inside += low <= truth <= high
    return inside / repetitions


def asi_of(mean, spread):
    return (mean**2 - spread) / (mean**2 + spread)


def condition_means(mean, spread, n):
    z = norm.ppf((np.arange(n) + 0.5) / n)
    return mean + spread * (z - z.mean()) / z.std()


def draw_images(rng, n, means, shared=0.5):
    """Correctness with the given means; images have a difficulty of their own."""
    own = rng.normal(size=(n, len(means)))
    difficulty = rng.normal(size=(n, 1))
    return np.sqrt(shared) * difficulty + np.sqrt(1 - shared) * own < norm.ppf(means)


def draw_clusters(rng, n_clusters, size, correlation, share):
    a = share * (1 - correlation) / correlation
    b = (1 - share) * (1 - correlation) / correlation
    p = rng.beta(a, b, n_clusters)
    hits = rng.random((n_clusters, size)) < p[:, None]
    return hits.ravel(), np.repeat(np.arange(n_clusters), size)


def draw_series(rng, n, slope, correlation=0.0, spread=0.02):
    e = rng.normal(size=n + 50)
    for i in range(1, n + 50):
        e[i] = correlation * e[i - 1] + np.sqrt(1 - correlation**2) * e[i]
    return 0.8 + slope * (np.arange(n) - (n - 1) / 2) + spread * e[50:]


# Shares


@pytest.mark.parametrize("method", ["wilson", "exact"])
@pytest.mark.parametrize("count", [0, 7, 30])
def test_share_equals_scipy(method, count):
    correct = np.arange(30) < count
    interval = confidence_interval("accuracy", correct, method=method, confidence=0.9)
    expected = binomtest(count, 30).proportion_ci(0.9, method)
    assert tuple(interval) == pytest.approx(tuple(expected), abs=1e-10)
    assert (interval.value, interval.n) == (count / 30, 30)
    assert (interval.unit, interval.method) == ("samples", method)
    assert interval.warnings == ()


def test_share_takes_labels_matrices_names_and_functions():
    y = np.array([0, 1, 1, 0, 1])
    predictions = np.array([[0, 1, 1, 1, 1], [0, 0, 1, 0, 1]])
    expected = confidence_interval("robust_accuracy", y, predictions)
    assert expected.value == robust_accuracy_score(y, predictions) == 0.6
    matrix = (predictions == y).T
    words = np.array(["b", "a"])
    for same in [
        confidence_interval(robust_accuracy_score, y, predictions),
        confidence_interval("robust_accuracy_score", matrix),
        confidence_interval("robust_accuracy", matrix[::-1]),
        confidence_interval("robust_accuracy", words[y], words[predictions]),
    ]:
        assert same == expected


def test_equal_weights_change_nothing_and_zero_weights_leave_out():
    correct = np.arange(40) % 3 > 0
    plain = confidence_interval("accuracy", correct)
    weighted = confidence_interval("accuracy", correct, sample_weight=np.full(40, 2.5))
    assert tuple(weighted) == pytest.approx(tuple(plain))
    half = confidence_interval("accuracy", correct, sample_weight=np.arange(40) < 20)
    assert tuple(half) == pytest.approx(
        tuple(confidence_interval("accuracy", correct[:20]))
    )


def test_weighted_share_covers():
    rng = np.random.default_rng(1)

    def draw():
        weight = rng.exponential(size=200)
        hits = rng.random(200) < 0.8
        return confidence_interval("accuracy", hits, sample_weight=weight)

    assert 0.93 <= coverage(draw, 0.8, 2000) <= 0.97


def test_clustered_share_covers_where_wilson_does_not():
    rng = np.random.default_rng(2)

    def draw(over_clusters):
        hits, clips = draw_clusters(rng, 5, 50, 0.2, 0.7)
        return confidence_interval(
            "robust_accuracy", hits, clusters=clips if over_clusters else None
        )

    assert 0.93 <= coverage(lambda: draw(True), 0.7, 2000) <= 0.97
    assert 0.36 <= coverage(lambda: draw(False), 0.7, 2000) <= 0.5


def test_clustered_share_covers_at_thirty_clusters():
    rng = np.random.default_rng(3)

    def draw():
        hits, clips = draw_clusters(rng, 30, 20, 0.2, 0.8)
        return confidence_interval("accuracy", hits, clusters=clips)

    assert 0.93 <= coverage(draw, 0.8, 2000) <= 0.97


def test_cluster_error_equals_a_slow_loop():
    rng = np.random.default_rng(4)
    hits, clips = draw_clusters(rng, 25, 8, 0.3, 0.7)
    weight = rng.random(200)
    interval = confidence_interval(
        "accuracy", hits, clusters=clips, sample_weight=weight
    )
    p = np.sum(weight * hits) / weight.sum()
    total = 0.0
    for clip in range(25):
        inside = clips == clip
        total += np.sum(weight[inside] * (hits[inside] - p)) ** 2
    error = np.sqrt(25 / 24 * total) / weight.sum()
    assert interval.value == pytest.approx(p)
    assert interval.std_error == pytest.approx(error)


def test_robust_ratio_is_a_share():
    shift = np.array([0.05, 0.05, 0.15, 0.05, 0.0])
    clean = np.array([0.9, 0.2, 0.6, 0.55, 0.1])
    moved = np.array([0.85, 0.25, 0.45, 0.6, 0.1])
    clean, moved = (np.column_stack([1 - p, p]) for p in (clean, moved))
    interval = confidence_interval("robust_ratio", clean, moved, tolerance=0.05)
    assert interval.value == robust_ratio_score(clean, moved, tolerance=0.05) == 0.8
    assert tuple(interval) == pytest.approx(tuple(binomtest(4, 5).proportion_ci(
        method="wilson")))  # fmt: skip
    assert confidence_interval("robust_ratio", shift, tolerance=0.05) == interval
    assert confidence_interval(
        robust_ratio_score, clean, moved, tolerance=0.05
    ) == interval  # fmt: skip


# Clusters, whatever the metric

ASI_DATA = draw_images(np.random.default_rng(5), 60, condition_means(0.7, 0.1, 6))
CASES = {
    "accuracy": (ASI_DATA[:, 0],),
    "robust_accuracy": (ASI_DATA,),
    "accuracy_stability_index": (ASI_DATA,),
    "callable": (ASI_DATA[:, 0], ASI_DATA[:, 1]),
}


def agreement(a, b):
    return np.mean(a == b)


def interval_of(name, *data, **kwargs):
    metric = agreement if name == "callable" else name
    return quiet(confidence_interval, metric, *data, random_state=0, **kwargs)


@pytest.mark.parametrize("name", CASES)
def test_clusters_of_size_one_are_no_clusters(name):
    plain = interval_of(name, *CASES[name])
    assert interval_of(name, *CASES[name], clusters=np.arange(60)) == plain


@pytest.mark.parametrize("name", CASES)
def test_order_and_cluster_names_do_not_matter(name):
    clusters = np.repeat(np.arange(15), 4)
    expected = interval_of(name, *CASES[name], clusters=clusters)
    order = np.random.default_rng(6).permutation(60)
    names = np.array([f"clip {(7 * i) % 15}" for i in range(15)])
    shuffled = interval_of(
        name, *(a[order] for a in CASES[name]), clusters=names[clusters][order]
    )
    for field in ("value", "low", "high", "std_error"):
        assert getattr(shuffled, field) == pytest.approx(getattr(expected, field))
    assert (expected.n, expected.unit) == (15, "clusters")


@pytest.mark.parametrize("name", CASES)
def test_few_clusters_warn(name):
    metric = agreement if name == "callable" else name
    clusters = np.arange(60)
    few = interval_of(name, *CASES[name], clusters=clusters % 19)
    assert few.warnings[0].startswith("Only 19 clusters: t with 18 degrees")
    assert np.isfinite(tuple(few)).all()
    assert "warning: Only 19 clusters" in repr(few)
    enough = interval_of(name, *CASES[name], clusters=clusters % 20)
    assert not any("clusters" in text for text in enough.warnings)
    for n in (1, 2):
        with pytest.warns(UserWarning, match=f"{n} clusters allow no interval"):
            none = confidence_interval(metric, *CASES[name], clusters=clusters % n)
        assert np.isnan(tuple(none)).all()
        assert np.isfinite(none.value)


def test_unanimous_clusters_get_an_honest_width():
    right = np.ones(100, dtype=bool)
    interval = quiet(
        confidence_interval, "accuracy", right, clusters=np.arange(100) % 10
    )
    assert interval.high == pytest.approx(1)
    assert interval.low < binomtest(10, 10).proportion_ci(method="wilson").low
    assert "All samples agree" in interval.warnings[-1]


# Accuracy-Stability Index


def corrected_by_definition(correct):
    """Return the plug-in variance less the noise, from the joint covariance."""
    n, k = correct.shape
    means = correct.mean(axis=0)
    joint = np.cov(correct.T.astype(float)) / n
    noise = np.trace(joint) / k - joint.sum() / k**2
    spread = np.sqrt(max(0.0, means.var() - noise))
    return asi_of(means.mean(), spread)


def test_asi_jackknife_equals_a_slow_loop():
    correct = draw_images(np.random.default_rng(7), 60, condition_means(0.7, 0.2, 5))
    interval = confidence_interval("accuracy_stability_index", correct)
    assert interval.warnings == ()
    assert interval.value == pytest.approx(corrected_by_definition(correct))
    assert interval.plug_in == pytest.approx(
        accuracy_stability_index(correct.mean(axis=0))
    )
    left_out = np.array(
        [corrected_by_definition(np.delete(correct, i, axis=0)) for i in range(60)]
    )
    error = np.sqrt(59 / 60 * np.sum((left_out - left_out.mean()) ** 2))
    assert interval.std_error == pytest.approx(error)
    assert np.diff(tuple(interval)) == pytest.approx(2 * error * 2.000995, rel=1e-5)
    assert (
        confidence_interval(accuracy_stability_index, correct.astype(int)) == interval
    )


def test_asi_of_clusters_equals_a_slow_loop():
    correct = draw_images(np.random.default_rng(8), 120, condition_means(0.7, 0.2, 5))
    clusters = np.random.default_rng(8).integers(24, size=120)

    def value(rows):
        mean, pairs, size = correct[rows].mean(), 0.0, 0
        for a in np.unique(clusters[rows]):
            for b in np.unique(clusters[rows]):
                if a != b:
                    one, two = (correct[rows & (clusters == c)] for c in (a, b))
                    s, t = one.sum(axis=0), two.sum(axis=0)
                    pairs += np.mean((s - s.mean()) * (t - t.mean()))
                    size += len(one) * len(two)
        return asi_of(mean, np.sqrt(max(0.0, pairs / size)))

    interval = quiet(confidence_interval, "asi", correct, clusters=clusters)
    assert interval.value == pytest.approx(value(np.ones(120, dtype=bool)))
    left_out = np.array([value(clusters != g) for g in np.unique(clusters)])
    g = len(left_out)
    error = np.sqrt((g - 1) / g * np.sum((left_out - left_out.mean()) ** 2))
    assert interval.std_error == pytest.approx(error)


def test_asi_of_a_resample_never_pairs_a_sample_with_itself():
    rng = np.random.default_rng(80)
    correct = draw_images(rng, 12, condition_means(0.7, 0.2, 5))
    counts = rng.multinomial(12, np.full(12, 1 / 12), size=3)
    statistic = NoiseCorrected(correct, make_units(None, 12, ""))
    centred = correct - correct.mean(axis=1, keepdims=True)
    for count, (mean, _, corrected) in zip(counts, statistic(counts), strict=True):
        pairs = np.outer(count, count) * (1 - np.eye(12))
        products = centred @ centred.T / 5
        assert corrected == pytest.approx((pairs * products).sum() / pairs.sum())
        assert mean == pytest.approx(count @ correct.mean(axis=1) / 12)


def test_asi_corrected_covers_and_percentile_fails():
    # 69 conditions of spread .02: a true index of .946.
    rng = np.random.default_rng(9)
    means = condition_means(0.8492, 0.02, 69)
    truth = asi_of(means.mean(), means.std())
    assert truth == pytest.approx(0.946, abs=5e-4)
    seen = {"corrected": 0, "plug-in": 0}

    def draw():
        correct = draw_images(rng, 500, means, shared=0.2)
        interval = confidence_interval("accuracy_stability_index", correct)
        seen["corrected"] += interval.value
        seen["plug-in"] += interval.plug_in
        assert not interval.warnings
        return interval

    assert 0.94 <= coverage(draw, truth, 500) <= 0.99
    assert seen["corrected"] / 500 == pytest.approx(truth, abs=1e-3)
    assert seen["plug-in"] / 500 < truth - 0.01

    def percentile():
        return confidence_interval(
            lambda c: accuracy_stability_index(c.mean(axis=0)),
            draw_images(rng, 500, means, shared=0.2),
            method="percentile",
            n_resamples=100,
            random_state=int(rng.integers(2**31)),
        )

    assert coverage(percentile, truth, 60) < 0.2


@pytest.mark.parametrize("spread", [0.0, 0.005])
def test_asi_near_the_noise_floor_is_unresolved_and_covers(spread):
    rng = np.random.default_rng(10)
    means = condition_means(0.85, spread, 69)
    unresolved = 0

    def draw():
        nonlocal unresolved
        interval = confidence_interval("asi", draw_images(rng, 500, means, shared=0.2))
        unresolved += any("unresolved" in text for text in interval.warnings)
        assert interval.high <= 1
        return interval

    assert coverage(draw, asi_of(0.85, spread), 300) >= 0.95
    assert unresolved >= 0.9 * 300


def test_asi_conditions_are_fixed_unless_asked():
    rng = np.random.default_rng(11)

    def draw(resample_conditions):
        means = np.clip(0.8 + 0.06 * rng.normal(size=20), 0.01, 0.99)
        correct = draw_images(rng, 300, means)
        return confidence_interval(
            "asi", correct, resample_conditions=resample_conditions
        )

    truth = asi_of(0.8, 0.06)
    assert coverage(lambda: draw(True), truth, 600) >= 0.92
    assert coverage(lambda: draw(False), truth, 600) < 0.8


def test_asi_of_always_wrong():
    interval = quiet(confidence_interval, "asi", np.zeros((10, 3)))
    assert interval.value == -1
    assert np.isnan(tuple(interval)).all()


# Stability index


@pytest.mark.parametrize(
    "n, slope", [(10, -0.005), (10, 0.005), (4, -0.005), (20, -0.02)]
)
def test_trend_covers(n, slope):
    rng = np.random.default_rng(12)
    truth = 0.8 + 12 * min(0, slope) - 0.5 * 0.02

    def draw():
        return confidence_interval("stability_index", draw_series(rng, n, slope))

    assert 0.93 <= coverage(draw, truth, 2000) <= 0.97


def test_trend_without_slope_warns_and_covers():
    rng = np.random.default_rng(13)

    def draw():
        return confidence_interval("stability_index", draw_series(rng, 10, 0.0))

    assert coverage(draw, 0.79, 2000) >= 0.94
    with pytest.warns(UserWarning, match="not clearly different from 0"):
        draw()


@pytest.mark.parametrize("n", [30, 60])
def test_long_trend_covers(n):
    rng = np.random.default_rng(14)
    truth = 0.8 - 12 * 0.005 - 0.5 * 0.02

    def draw(correlation):
        return confidence_interval(
            "stability_index",
            draw_series(rng, n, -0.005, correlation),
            n_resamples=400,
            random_state=int(rng.integers(2**31)),
        )

    assert draw(0.0).method.startswith("residual blocks of")
    assert 0.93 <= coverage(lambda: draw(0.0), truth, 800) <= 0.97
    # Theory promises nothing here; independent residuals would cover below 80 %.
    assert coverage(lambda: draw(0.5), truth, 600) >= 0.86


def test_blocks_of_one_agree_with_the_delta_method():
    # Without the scatter a falling index is linear, so that both errors are exact.
    scores = draw_series(np.random.default_rng(43), 30, -0.02)
    options = {"variability_weight": 0, "random_state": 0, "n_resamples": 20_000}
    blocks = confidence_interval("stability_index", scores, **options)
    delta = confidence_interval("stability_index", scores, method="delta", **options)
    assert blocks.method == "residual blocks of 1, t"
    assert blocks.std_error == pytest.approx(delta.std_error, rel=0.015)
    half = (blocks.high - blocks.low) / 2
    assert half == pytest.approx(t.ppf(0.975, 28) * blocks.std_error)
    slow = draw_series(np.random.default_rng(42), 60, -0.02, 0.7)
    blocks = quiet(confidence_interval, "stability_index", slow, random_state=0)
    length = int(blocks.method.split()[3].rstrip(","))
    assert length > 2
    half = (blocks.high - blocks.low) / 2
    assert half == pytest.approx(t.ppf(0.975, 60 / length - 2) * blocks.std_error)


def test_trend_value_is_the_metric():
    scores = [0.85, 0.86, 0.84, 0.83, 0.82]
    for options in (
        {},
        {"falling_rate_weight": 88, "variability_weight": 1},
        {"times": [0, 1, 2, 4, 8]},
    ):
        interval = quiet(confidence_interval, stability_index, scores, **options)
        assert interval.value == pytest.approx(stability_index(scores, **options))
        assert (interval.n, interval.unit) == (5, "periods")
    shifted = quiet(confidence_interval, "stability_index", np.array(scores) + 0.1)
    plain = quiet(confidence_interval, "stability_index", scores)
    assert tuple(shifted) == pytest.approx([end + 0.1 for end in plain])


def test_trend_of_rows():
    rng = np.random.default_rng(15)
    truth = 0.8 - 12 * 0.005 - 0.5 * np.sqrt(0.02**2 + 0.16 / 200)

    def draw(n):
        means = np.clip(draw_series(rng, n, -0.005), 0, 1)
        right = rng.random((n, 200)) < means[:, None]
        return confidence_interval(
            "stability_index",
            right.ravel(),
            periods=np.repeat(np.arange(n), 200),
            n_resamples=300,
            random_state=int(rng.integers(2**31)),
        )

    assert coverage(lambda: draw(10), truth, 300) >= 0.93
    assert 0.92 <= coverage(lambda: draw(36), truth, 250) <= 0.985


def test_rows_score_their_periods():
    rng = np.random.default_rng(16)
    y, p = rng.integers(2, size=(2, 400))
    periods = np.repeat(["2024-01", "2024-02", "2024-03", "2024-04"], 100)
    y[periods == "2024-03"] = 0

    def precision(a, b):
        if not a.any():
            raise ValueError("one class")
        return float(np.mean(a == b))

    order = rng.permutation(400)
    for rows in (np.arange(400), order):
        interval = quiet(
            confidence_interval,
            "stability_index",
            y[rows],
            p[rows],
            periods=periods[rows],
            score=precision,
            times=[0, 1, 2, 3],
        )
        assert "1 of 4 periods have no score" in interval.warnings[0]
        kept = [np.mean((y == p)[periods == f"2024-0{m}"]) for m in (1, 2, 4)]
        expected = stability_index(kept, times=[0, 1, 3])
        assert interval.value == pytest.approx(expected)


def test_trend_warnings():
    with pytest.warns(UserWarning, match="2 periods leave no degree of freedom"):
        interval = confidence_interval("stability_index", [0.9, 0.8])
    assert np.isnan(tuple(interval)).all()
    assert interval.value == pytest.approx(stability_index([0.9, 0.8]))
    with pytest.warns(UserWarning, match="leave 2 degrees of freedom"):
        confidence_interval("stability_index", [0.9, 0.7, 0.52, 0.3])
    waves = 0.9 - 0.02 * np.arange(24) + 0.05 * np.sin(np.arange(24) / 3)
    with pytest.warns(UserWarning, match="correlated"):
        confidence_interval("stability_index", waves)
    rng = np.random.default_rng(17)
    calm = draw_series(rng, 20, -0.02)
    assert confidence_interval("stability_index", calm).warnings == ()


# Curves


def test_band_is_the_curve_between_its_limits():
    rng = np.random.default_rng(18)
    clean, moved = (rng.dirichlet([1, 1, 1], size=50) for _ in range(2))
    band = robust_ratio_band(clean, moved)
    tolerances, ratios = robust_ratio_curve(clean, moved)
    np.testing.assert_array_equal(band.tolerance, tolerances)
    np.testing.assert_allclose(band.ratio, ratios)
    for i in (0, 10, 20):
        count = round(50 * ratios[i])
        wilson = binomtest(count, 50).proportion_ci(method="wilson")
        assert (band.low[i], band.high[i]) == pytest.approx(tuple(wilson), abs=1e-10)
    half = np.sqrt(np.log(2 / 0.05) / 100)
    np.testing.assert_allclose(band.band_high, np.minimum(1, ratios + half))
    np.testing.assert_allclose(band.band_low, np.maximum(0, ratios - half))
    assert list(band.to_frame().columns) == list(band.columns)


def test_band_covers_the_whole_curve():
    rng = np.random.default_rng(19)
    inside = {"band": 0, "points": 0}
    for _ in range(1000):
        band = robust_ratio_band(rng.beta(1, 15, 200))
        truth = beta.cdf(band.tolerance, 1, 15)
        inside["band"] += np.all((band.band_low <= truth) & (truth <= band.band_high))
        inside["points"] += np.all((band.low <= truth) & (truth <= band.high))
    assert inside["band"] / 1000 >= 0.95
    assert inside["points"] / 1000 < 0.9


def test_band_over_clusters_covers():
    rng = np.random.default_rng(20)
    clusters = np.repeat(np.arange(25), 10)
    inside = plain = 0
    for _ in range(300):
        shared = np.repeat(rng.normal(size=25), 10)
        u = norm.cdf(0.7 * shared + np.sqrt(0.51) * rng.normal(size=250))
        shift = beta.ppf(u, 1, 15)
        band = robust_ratio_band(shift, clusters=clusters)
        truth = beta.cdf(band.tolerance, 1, 15)
        inside += np.all((band.band_low <= truth) & (truth <= band.band_high))
        plain += np.all(np.abs(robust_ratio_band(shift).ratio - truth) < 0.086)
    assert inside / 300 >= 0.93
    assert plain / 300 < 0.8
    with pytest.warns(UserWarning, match="Only 5 clusters"):
        robust_ratio_band(shift, clusters=clusters // 5)


# Any callable


def test_callable_methods_agree_and_cover():
    rng = np.random.default_rng(21)

    def correlation(a, b):
        return np.corrcoef(a, b)[0, 1]

    def draw(method):
        a = rng.normal(size=60)
        b = 0.8 * a + 0.6 * rng.normal(size=60)
        return confidence_interval(
            correlation, a, b, method=method, n_resamples=300, random_state=0
        )

    assert 0.92 <= coverage(lambda: draw("bca"), 0.8, 400) <= 0.97
    assert 0.91 <= coverage(lambda: draw("jackknife"), 0.8, 600) <= 0.97


def test_bca_equals_scipy():
    a = np.random.default_rng(43).exponential(size=40) ** 2
    options = {"n_resamples": 20_000, "method": "bca"}
    ours = confidence_interval(np.var, a, random_state=0, **options)
    # Older SciPy knows the generator by another name.
    names = inspect.signature(bootstrap).parameters
    seed = "rng" if "rng" in names else "random_state"
    options[seed] = np.random.default_rng(1)
    scipy = bootstrap((a,), np.var, **options)
    low, high = scipy.confidence_interval
    assert tuple(ours) == pytest.approx((low, high), rel=0.06)
    percentile = confidence_interval(
        np.var, a, method="percentile", n_resamples=20_000, random_state=0
    )
    assert percentile.high < 0.85 * high, "the case must need the correction"


def test_callable_of_a_mean_is_the_t_interval():
    values = np.random.default_rng(22).normal(size=40)
    interval = confidence_interval(np.mean, values, method="jackknife")
    error = values.std(ddof=1) / np.sqrt(40)
    assert interval.std_error == pytest.approx(error)
    assert tuple(interval) == pytest.approx(
        [values.mean() - 2.022691 * error, values.mean() + 2.022691 * error]
    )


def test_callable_resamples_weights_and_repeats():
    rng = np.random.default_rng(23)
    y, p = rng.integers(2, size=(2, 80))
    weight = rng.random(80)
    options = {"sample_weight": weight, "n_resamples": 200, "random_state": 3}
    one = confidence_interval(f1_score, y, p, **options)
    assert one == confidence_interval(f1_score, y, p, **options)
    assert one.value == pytest.approx(f1_score(y, p, sample_weight=weight))
    assert one.method == "bca"
    other = confidence_interval(f1_score, y, p, **(options | {"random_state": 4}))
    assert tuple(other) != tuple(one)
    assert tuple(other) == pytest.approx(tuple(one), abs=0.08)


def test_undefined_resamples_are_counted():
    def strict(a):
        if not a.any():
            raise ValueError("nothing")
        return float(a.mean())

    with pytest.warns(UserWarning, match=r"undefined in \d+ of 500 resamples"):
        interval = confidence_interval(
            strict, np.array([1, 0, 0, 0]), n_resamples=500, random_state=0
        )
    assert np.isfinite(tuple(interval)).all()


def test_normalized_scores_keep_the_data_set():
    rng = np.random.default_rng(24)
    y = rng.permutation(np.array(["a"] * 40 + ["b"] * 15 + ["c"] * 5))
    p = np.where(rng.random(60) < 0.8, y, "a")
    options = {"n_features": 8, "n_resamples": 150, "random_state": 0}
    interval = confidence_interval("normalized_accuracy", y, p, **options)
    expected = quiet(normalized_accuracy_score, y, p, n_features=8)
    assert interval.value == pytest.approx(expected)
    assert 0 < interval.low < expected < interval.high < 1
    options |= {"n_samples": 60}
    assert interval == confidence_interval(
        "normalized_accuracy", y, p, class_counts=[40, 15, 5], **options
    )
    x = np.where(p == "a", 0, 5)[:, None] + rng.normal(size=(60, 2))
    interval = confidence_interval(
        normalized_clustering_score, y, p, X=x, method="percentile", **options
    )
    expected = normalized_clustering_score(y, p, X=x, n_features=8, n_samples=60)
    assert interval.value == pytest.approx(expected)
    assert interval.low < expected < interval.high


# Comparisons


def test_mcnemar_equals_the_binomial_test():
    rng = np.random.default_rng(25)
    for _ in range(10):
        a, b = rng.random((2, 40)) < 0.7
        result = compare_models({"a": a, "b": b}, n_resamples=100, random_state=0)
        first, second = np.sum(a & ~b), np.sum(b & ~a)
        expected = binomtest(first, first + second).pvalue
        assert result.p_value[0] == pytest.approx(expected)
        assert result.difference[0] == pytest.approx(a.mean() - b.mean())
        assert result.low[0] < result.difference[0] < result.high[0]
    assert result.method == "exact McNemar"
    same = compare_models({"a": a, "b": a}, n_resamples=100, random_state=0)
    assert (same.p_value[0], same.difference[0]) == (1, 0)
    assert np.isnan(same.flip_rate[0])


def test_difference_of_shares_by_hand():
    a, b = np.ones(30, dtype=bool), np.arange(30) >= 4
    result = compare_models({"a": a, "b": b}, n_resamples=100, random_state=0)
    p, q = 5 / 32, 1 / 32
    half = norm.ppf(0.975) * np.sqrt((p + q - (p - q) ** 2) / 32)
    assert result.low[0] == pytest.approx(p - q - half)
    assert result.high[0] == pytest.approx(p - q + half)


def test_holm_by_hand():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    np.testing.assert_allclose(holm([0.5, 0.9]), [1, 1])


def test_comparison_takes_labels_and_swaps():
    rng = np.random.default_rng(26)
    y = rng.integers(3, size=50)
    p = {name: np.where(rng.random((4, 50)) < q, y, 0) for name, q in
         (("a", 0.9), ("b", 0.7))}  # fmt: skip
    labels = compare_models(p, y_true=y, random_state=0)
    matrices = {name: (one == y).T for name, one in p.items()}
    assert compare_models(matrices, random_state=0).p_value == labels.p_value
    back = compare_models({"b": p["b"], "a": p["a"]}, y_true=y, random_state=0)
    assert back.difference == -labels.difference
    assert back.low == pytest.approx(-labels.high)
    assert back.flip_rate == labels.flip_rate
    names = np.array(["z", "y", "x"])
    words = {name: names[one] for name, one in p.items()}
    assert compare_models(words, y_true=names[y], random_state=0).low == labels.low


def test_accuracy_difference_covers():
    rng = np.random.default_rng(27)
    means = np.array([0.9, 0.8])

    def draw():
        a, b = draw_images(rng, 100, means).T
        result = compare_models({"a": a, "b": b}, n_resamples=100, random_state=0)
        return result.low[0], result.high[0]

    assert 0.93 <= coverage(draw, 0.1, 1500) <= 0.97


def test_asi_difference_covers():
    rng = np.random.default_rng(28)
    means = condition_means(0.85, 0.03, 20), condition_means(0.8, 0.06, 20)
    truth = asi_of(0.85, 0.03) - asi_of(0.8, 0.06)

    def draw():
        difficulty = rng.normal(size=(200, 1))
        a, b = (
            0.7 * difficulty + np.sqrt(0.51) * rng.normal(size=(200, 20)) < norm.ppf(m)
            for m in means
        )
        result = compare_models(
            {"a": a, "b": b},
            metric="accuracy_stability_index",
            n_resamples=300,
            random_state=int(rng.integers(2**31)),
        )
        return result.low[0], result.high[0]

    assert 0.93 <= coverage(draw, truth, 400) <= 0.99


def draw_shift_pair(rng, n=200, b=(15, 10)):
    shared = rng.normal(size=(n, 1))
    u = norm.cdf(0.7 * shared + np.sqrt(0.51) * rng.normal(size=(n, 2)))
    return beta.ppf(u[:, 0], 1, b[0]), beta.ppf(u[:, 1], 1, b[1])


def test_curve_difference_covers_as_a_whole():
    rng = np.random.default_rng(29)
    tolerances = np.arange(1, 16) / 100
    truth = beta.cdf(tolerances, 1, 15) - beta.cdf(tolerances, 1, 10)
    inside = points = 0
    for _ in range(500):
        a, b = draw_shift_pair(rng)
        result = compare_models(
            {"a": a, "b": b},
            metric="robust_ratio",
            tolerance=tolerances,
            n_resamples=300,
            random_state=int(rng.integers(2**31)),
        )
        inside += np.all((result.band_low <= truth) & (truth <= result.band_high))
        points += np.mean((result.low <= truth) & (truth <= result.high))
    assert 0.92 <= inside / 500 <= 0.98
    assert 0.93 <= points / 500 <= 0.97
    np.testing.assert_array_equal(result.tolerance, tolerances)
    assert result.correction == "max-statistic over 15 differences"
    assert np.all(result.p_adjusted >= result.p_value)


def test_equal_curves_raise_few_alarms():
    rng = np.random.default_rng(30)
    alarms = 0
    for _ in range(400):
        a, b = draw_shift_pair(rng, b=(12, 12))
        result = compare_models(
            {"a": a, "b": b},
            metric="robust_ratio",
            tolerance=np.arange(1, 16) / 100,
            n_resamples=300,
            random_state=int(rng.integers(2**31)),
        )
        alarms += result.p_adjusted.min() <= 0.05
    assert 0.02 <= alarms / 400 <= 0.08


def test_pairing_makes_differences_sharp():
    rng = np.random.default_rng(31)
    base = rng.beta(1, 12, 300)
    pair = {"a": base, "b": np.minimum(1, base + 0.008)}
    result = compare_models(pair, metric="robust_ratio", tolerance=0.05, random_state=0)
    single = [confidence_interval("robust_ratio", s, tolerance=0.05) for s in
              pair.values()]  # fmt: skip
    assert single[0].low < single[1].high  # as if nothing were known
    assert result.low[0] > 0
    assert result.p_value[0] < 0.001
    assert result.flip_rate[0] == 0
    assert "tolerance" not in result


def test_several_models_are_corrected():
    rng = np.random.default_rng(32)
    models = {name: rng.random(80) < q for name, q in
              (("a", 0.9), ("b", 0.75), ("c", 0.6))}  # fmt: skip
    result = compare_models(models, random_state=0)
    assert result.correction == "Holm over 3 pairs"
    assert list(zip(result.first, result.second, strict=True)) == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    order = np.argsort(result.p_value)
    steps = np.maximum.accumulate(result.p_value[order] * [3, 2, 1])
    np.testing.assert_allclose(result.p_adjusted[order], np.minimum(1, steps))
    assert 0 < result.ranking_kept <= 1
    assert result.ranking_kept <= 1 - result.flip_rate.max() + 0.05
    assert list(result.to_frame().columns) == list(result.columns)


def test_flips_of_close_models_are_frequent():
    rng = np.random.default_rng(33)
    right = rng.random(200) < 0.5
    close = right.copy()
    close[:21] = np.arange(21) % 2 == 0
    right[:21] = np.arange(21) % 2 == 1
    result = compare_models({"a": close, "b": right}, random_state=0)
    # The sum of 21 signs, 11 of them up, falls below 0 as a normal variable would.
    assert result.flip_rate[0] == pytest.approx(norm.cdf(-1 / np.sqrt(21)), abs=0.03)


def test_comparison_over_clusters():
    rng = np.random.default_rng(34)
    hits, clips = draw_clusters(rng, 12, 20, 0.3, 0.7)
    other = np.where(rng.random(240) < 0.9, hits, ~hits)
    models = {"a": hits, "b": other}
    with pytest.warns(UserWarning, match="Only 12 clusters"):
        result = compare_models(models, clusters=clips, random_state=0)
    d = hits.astype(float) - other
    by_clip = d.reshape(12, 20).mean(axis=1)
    error = by_clip.std(ddof=1) / np.sqrt(12)
    assert result.high[0] - result.low[0] == pytest.approx(2 * 2.200985 * error)
    assert (result.n, result.unit, result.method) == (
        12,
        "clusters",
        "paired jackknife, t",
    )
    none = quiet(compare_models, models, clusters=clips // 6, random_state=0)
    assert np.isnan(none.p_value[0])
    assert np.isnan(none.low[0])
    alone = compare_models(models, clusters=np.arange(240), random_state=0)
    assert alone.low == compare_models(models, random_state=0).low


def test_comparison_of_any_callable():
    rng = np.random.default_rng(35)
    y = rng.integers(2, size=100)
    p = {name: np.where(rng.random(100) < q, y, 1 - y) for name, q in
         (("a", 0.9), ("b", 0.6))}  # fmt: skip
    result = compare_models(
        p, metric=f1_score, y_true=y, pos_label=0, n_resamples=200, random_state=0
    )
    expected = [f1_score(y, one, pos_label=0) for one in p.values()]
    assert [result.value_first[0], result.value_second[0]] == pytest.approx(expected)
    assert result.low[0] > 0
    assert (result.metric, result.method) == ("f1_score", "paired bootstrap")


# Bad input

ROWS = [True, False, True]


@pytest.mark.parametrize(
    "arguments, options, sentence",
    [
        (("nothing", ROWS), {}, "'metric' .* robust_accuracy"),
        (("accuracy",), {}, "needs the data of the metric"),
        (("accuracy", [0.3, 0.7]), {}, "correctness of each sample as booleans"),
        (("accuracy", np.ones((2, 2, 2))), {}, "\\(n_samples, n_conditions\\)"),
        (("accuracy", [0, 1], [0, 1, 1]), {}, "predictions of shape"),
        (("accuracy", [0, 1], ["0", "1"]), {}, "labels of one kind"),
        (("accuracy", ROWS), {"confidence": 95}, "'confidence'"),
        (("accuracy", ROWS), {"confidence": 1}, "'confidence'"),
        (("accuracy", ROWS), {"method": "bca"}, "one of 'auto', 'wilson', 'exact'"),
        (("accuracy", ROWS), {"n_resamples": 5}, "at least 100"),
        (("accuracy", ROWS), {"random_state": "x"}, "'random_state'"),
        (("accuracy", ROWS), {"clusters": [1, 2]}, "clusters has 2"),
        (("accuracy", ROWS), {"clusters": [1, 1, np.nan]}, "finite clusters"),
        (("accuracy", ROWS), {"sample_weight": [1, 1, -1]}, "'sample_weight'"),
        (("robust_ratio", [0.1, 0.2]), {}, "needs tolerance="),
        (("robust_ratio", [0.1, 2.0]), {"tolerance": 0.1}, "fractions in \\[0, 1\\]"),
        (("asi", ROWS), {}, "at least two conditions"),
        (("asi", [[-0.5, 0.2], [0.1, 0.3]]), {}, "booleans, or 0 and 1"),
        (("stability_index", [0.9, np.nan]), {}, "NaN"),
        (("stability_index", [0.9, 0.8], [1, 0]), {}, "pass periods="),
        (("stability_index", [0.9, 0.8]), {"clusters": [0, 1]}, "pass periods="),
        (("stability_index", [0.9, 0.8]), {"times": [1, 1]}, "not all equal"),
        (("stability_index", [0.9, 0.8]), {"times": [1]}, "one time per period"),
        ((robust_ratio_curve, [0.1]), {}, "use robust_ratio_band"),
        ((agreement, [1, 2], [1, 2, 3]), {}, "array 2 has 3"),
        ((np.abs, [1, 2]), {}, "must return one number"),
    ],
)
def test_interval_refuses(arguments, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        confidence_interval(*arguments, **options)


def test_unknown_parameters_are_named():
    with pytest.raises(TypeError, match="no parameter 'tolerance'; it takes"):
        confidence_interval("accuracy", ROWS, tolerance=0.1)
    with pytest.raises(TypeError, match="no parameter 'tolerance'"):
        compare_models({"a": ROWS, "b": ROWS}, tolerance=0.1)


@pytest.mark.parametrize(
    "models, options, sentence",
    [
        ({"a": ROWS}, {}, "a dict of two or more models"),
        ([ROWS, ROWS], {}, "a dict of two or more models"),
        ({"a": ROWS, "b": ROWS[:2]}, {}, "same samples and conditions; 'a' has"),
        ({"a": ROWS, "b": ROWS}, {"metric": "nothing"}, "'metric'"),
        ({"a": ROWS, "b": ROWS}, {"metric": "robust_ratio"}, "needs tolerance="),
        ({"a": ROWS, "b": ROWS}, {"metric": "asi"}, "at least two conditions"),
        ({"a": ROWS, "b": ROWS}, {"y_true": [1, 0]}, "predictions of shape"),
        ({"a": ROWS, "b": ROWS}, {"confidence": 0}, "'confidence'"),
    ],
)
def test_comparison_refuses(models, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        compare_models(models, **options)


def test_band_refuses():
    with pytest.raises(ValueError, match="fractions in"):
        robust_ratio_band([0.1, 0.2], tolerances=[5])
    with pytest.raises(ValueError, match="or the shift of each sample"):
        robust_ratio_band([0.1], [0.2], [0.3])
