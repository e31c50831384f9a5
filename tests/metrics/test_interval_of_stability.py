"""Intervals of the two stability indices: coverage, clusters, trends, warnings."""

import itertools
import warnings

import numpy as np
import pytest
from interval_problems import (
    asi_of,
    condition_means,
    coverage,
    draw_images,
    draw_series,
    quiet,
)
from scipy.stats import beta, norm, t

from skrobust.metrics import confidence_interval
from skrobust.metrics.intervals.bootstrap import NoiseCorrected
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.stability import autoregressive_trend
from skrobust.metrics.stability.indices import accuracy_stability_index, stability_index
from skrobust.metrics.stability.trend_interval import Trend


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
    # Where every condition has failures, the limits are near those of the error.
    assert np.diff(tuple(interval)) == pytest.approx(2 * error * 1.96, rel=0.03)
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.parametrize("n", [50, 200])
def test_asi_of_conditions_that_hardly_ever_fail_covers(n):
    rng = np.random.default_rng(90)
    means = np.array([0.99] * 4 + [0.01])
    truth = asi_of(means.mean(), means.std())
    for shared in (0.0, 0.8):

        def draw(shared=shared):
            return confidence_interval("asi", draw_images(rng, n, means, shared=shared))

        # The jackknife with t covered .44 to .60 (n = 50) and .87 to .89 (n = 200).
        assert coverage(draw, truth, 200) >= 0.95


def test_asi_of_always_right_and_always_wrong_conditions():
    widths = []
    for n in (20, 200, 2000):
        correct = np.ones((n, 5), bool)
        correct[:, 4] = False
        with pytest.warns(UserWarning, match="^All units show the same differences"):
            interval = confidence_interval("asi", correct)
        assert interval.value == pytest.approx(asi_of(0.8, 0.4))
        # Shares that show no other outcome in n samples with a chance of 20 %.
        hidden = 1 - 0.2 ** (1 / n)
        for seen in ([1, 1, 1, 1, hidden], [1 - hidden] * 4 + [0]):
            truth = asi_of(np.mean(seen), np.std(seen))
            assert interval.low < truth < interval.high
        widths.append(interval.high - interval.low)
        # One sample that fares otherwise changes the limits by little.
        correct[0, 0] = False
        other = quiet(confidence_interval, "asi", correct)
        assert tuple(other) == pytest.approx(tuple(interval), abs=0.6 * widths[-1])
    assert widths[0] > 8 * widths[1] > 60 * widths[2] > 0


@pytest.mark.parametrize("n_clusters", [3, 5, 10])
def test_asi_of_few_clusters_covers(n_clusters):
    rng = np.random.default_rng(91)
    means = np.array([0.95, 0.9, 0.85, 0.9, 0.92])
    shape = n_clusters, 50, len(means)

    def draw():
        # Clips share their difficulty; the intra-class correlation is .3.
        a, b = means * 7 / 3, (1 - means) * 7 / 3
        z = np.sqrt(0.8) * rng.normal(size=(n_clusters, 1))
        z = z + np.sqrt(0.2) * rng.normal(size=(n_clusters, len(means)))
        rates = beta.ppf(norm.cdf(z), a, b)
        correct = rng.random(shape) < rates[:, None]
        clips = np.repeat(np.arange(n_clusters), 50)
        return confidence_interval("asi", correct.reshape(-1, 5), clusters=clips)

    # The jackknife with t covered .81 to .85.
    assert coverage(draw, asi_of(means.mean(), means.std()), 150) >= 0.93


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "n, slope", [(10, -0.005), (10, 0.005), (4, -0.005), (20, -0.02)]
)
def test_independent_trend_covers(n, slope):
    rng = np.random.default_rng(12)
    truth = 0.8 + 12 * min(0, slope) - 0.5 * 0.02

    def draw():
        scores = draw_series(rng, n, slope)
        return confidence_interval("stability_index", scores, method="delta")

    assert 0.93 <= coverage(draw, truth, 2000) <= 0.97


@pytest.mark.slow
def test_trend_without_slope_warns_and_covers():
    rng = np.random.default_rng(13)

    def draw(method="delta"):
        scores = draw_series(rng, 10, 0.0)
        return confidence_interval("stability_index", scores, method=method)

    assert coverage(draw, 0.79, 2000) >= 0.94
    for method in ("delta", "auto"):
        with pytest.warns(UserWarning, match="not clearly different from 0"):
            quiet_but_for_slope(draw, method)


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 60])
def test_long_trend_covers(n):
    rng = np.random.default_rng(14)
    truth = 0.8 - 12 * 0.005 - 0.5 * 0.02

    def draw(correlation):
        return confidence_interval(
            "stability_index",
            draw_series(rng, n, -0.005, correlation),
            method="blocks",
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
    blocks = confidence_interval("stability_index", scores, method="blocks", **options)
    delta = confidence_interval("stability_index", scores, method="delta", **options)
    assert blocks.method == "residual blocks of 1, t"
    assert blocks.std_error == pytest.approx(delta.std_error, rel=0.015)
    half = (blocks.high - blocks.low) / 2
    assert half == pytest.approx(t.ppf(0.975, 28) * blocks.std_error)
    slow = draw_series(np.random.default_rng(42), 60, -0.02, 0.7)
    options = {"method": "blocks", "random_state": 0}
    blocks = quiet(confidence_interval, "stability_index", slow, **options)
    length = int(blocks.method.split()[3].rstrip(","))
    assert length > 2
    half = (blocks.high - blocks.low) / 2
    assert half == pytest.approx(t.ppf(0.975, 60 / length - 2) * blocks.std_error)


@pytest.mark.parametrize(
    "n, correlation, slope, least",
    # Intervals of independent periods cover 65 to 74 % at 12 and 0.6, 26 to 44 % at 0.9
    # and 53 to 68 % at 30 and 0.9.
    [
        (5, 0.3, 0.0, 0.93),
        (12, 0.3, -0.005, 0.93),
        (12, 0.6, 0.0, 0.91),
        (12, 0.9, -0.005, 0.84),
        (30, 0.9, 0.0, 0.84),
    ],
)
def test_correlated_trend_covers(n, correlation, slope, least):
    rng = np.random.default_rng(18)

    def draw():
        series = draw_series(rng, n, slope, correlation, spread=0.03)
        return confidence_interval("stability_index", series)

    assert coverage(draw, 0.8 + 12 * slope - 0.5 * 0.03, 150) >= least


def test_a_known_correlation_of_zero_gives_the_exact_limits(monkeypatch):
    monkeypatch.setattr(autoregressive_trend, "_correlations", lambda: np.zeros(1))
    scores = draw_series(np.random.default_rng(44), 9, -0.05)
    options = {"variability_weight": 0}
    exact = confidence_interval("stability_index", scores, method="delta", **options)
    found = confidence_interval("stability_index", scores, **options)
    assert tuple(found) == pytest.approx(tuple(exact), rel=2e-3)
    # Where the slope may be 0 the upper limit is that of the mean of a steady series.
    steady = np.array([0.8, 0.84, 0.79, 0.82, 0.8, 0.83, 0.79, 0.83, 0.8])
    low, high = quiet(confidence_interval, "stability_index", steady, **options)
    residuals = Trend(np.arange(9.0), 12, 0).parts(steady)[2]
    error = np.sqrt(residuals @ residuals / 7 / 9)
    assert high == pytest.approx(steady.mean() + t.ppf(0.975, 7) * error, rel=1e-3)
    assert low < steady.mean() - t.ppf(0.975, 7) * error


@pytest.mark.parametrize("rho", [-0.3, 0.0, 0.5, 0.95])
@pytest.mark.parametrize("level", [0.0, 0.4])
def test_whitening_equals_the_dense_inverse(rho, level):
    rng = np.random.default_rng(45)
    gaps = rng.integers(1, 4, size=7).astype(float)
    places = np.concatenate([[0.0], np.cumsum(gaps)])
    noise = level * rng.random(8)
    columns = rng.normal(size=(8, 3))
    distance = np.abs(np.subtract.outer(places, places))
    dense = 1.7 * np.where(distance == 0, 1.0, np.sign(rho) * np.abs(rho) ** distance)
    if rho < 0:  # the sign of each gap is that of the correlation
        steps = np.arange(8)
        sign = (-1.0) ** np.abs(np.subtract.outer(steps, steps))
        dense = 1.7 * sign * np.abs(rho) ** distance
    dense += np.diag(noise)
    products, log_det = autoregressive_trend._whitened_products(
        columns, np.array([rho]), np.array([1.7]), gaps, noise
    )
    np.testing.assert_allclose(
        products[0], columns.T @ np.linalg.inv(dense) @ columns, rtol=1e-6
    )
    assert log_det[0] == pytest.approx(np.linalg.slogdet(dense)[1])


def test_the_interval_is_the_same_without_a_seed():
    scores = draw_series(np.random.default_rng(46), 12, -0.02)
    first, second = (
        quiet(confidence_interval, "stability_index", scores) for _ in range(2)
    )
    assert first == second
    assert first.method == "autoregressive trend"
    named = quiet(
        confidence_interval, "stability_index", scores, method="autoregressive"
    )
    assert named == first


def test_no_error_is_no_interval_of_zero_width():
    for scores in ([0.8] * 12, [0.9, 0.8, 0.7]):
        with pytest.warns(UserWarning, match="lie on a line .* give the rows"):
            interval = confidence_interval("stability_index", scores)
        assert interval.value == pytest.approx(stability_index(scores))
        assert np.isnan(tuple(interval)).all()
    lows = []
    for size in (10, 1000):
        periods = np.repeat(np.arange(12), size)
        right = np.ones(12 * size)
        rows = {"periods": periods}
        low, high = quiet(confidence_interval, "stability_index", right, **rows)
        assert low < high == 1
        lows.append(low)
    assert lows[0] < 0.95 < lows[1]


def test_one_row_a_period_shows_no_noise():
    right = np.array([1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1.0])
    rows = quiet(confidence_interval, "stability_index", right, periods=range(12))
    scores = quiet(confidence_interval, "stability_index", right)
    assert rows.value == rows.plug_in == scores.value
    assert rows.low == scores.low


def test_scores_of_equal_times_are_neighbours():
    scores = draw_series(np.random.default_rng(47), 12, -0.02)
    times = np.repeat(np.arange(6), 2)
    low, high = quiet(confidence_interval, "stability_index", scores, times=times)
    assert low < stability_index(scores, times=times) < high


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


@pytest.mark.slow
@pytest.mark.parametrize("n, spread", [(12, 0.02), (30, 0.0)])
def test_trend_of_rows(n, spread):
    # The scatter of the periods themselves, without the noise of their rows.
    rng = np.random.default_rng(15)
    truth = 0.8 - 12 * 0.003 - 0.5 * spread

    def draw():
        means = np.clip(draw_series(rng, n, -0.003, 0.3, spread), 0, 1)
        right = rng.random((n, 100)) < means[:, None]
        periods = np.repeat(np.arange(n), 100)
        return confidence_interval("stability_index", right.ravel(), periods=periods)

    assert coverage(draw, truth, 60) >= 0.93


def test_the_noise_of_rows_leaves_the_index():
    rng = np.random.default_rng(20)
    right, periods = rng.random(1200) < 0.85, np.repeat(np.arange(12), 100)
    interval = quiet(confidence_interval, "stability_index", right, periods=periods)
    shares = right.reshape(12, 100).mean(axis=1)
    assert interval.plug_in == pytest.approx(stability_index(shares))
    assert interval.value > interval.plug_in
    # Twelve periods of 100 rows and a constant share of .85.
    trend, noise = Trend(np.arange(12.0), 12, 0.5), np.full(12, 0.85 * 0.15 / 100)
    shares = rng.binomial(100, 0.85, size=(3000, 12)) / 100
    assert trend.index(shares).mean() == pytest.approx(0.8205, abs=0.001)
    corrected = np.mean([trend.index_without_noise(row, noise) for row in shares])
    assert corrected == pytest.approx(0.8400, abs=0.001)


def test_squares_without_noise_are_unbiased():
    # Over all signs of the noise; the truth falls and scatters beyond it.
    scores = np.array([0.9, 0.7, 0.75, 0.5, 0.52])
    sizes = np.array([0.01, 0.02, 0.01, 0.03, 0.02])
    times = np.array([0.0, 1.0, 2.0, 4.0, 5.0])

    def parts(noisy, variance):
        fall, spread = Trend(times, 1, 0), Trend(times, 0, 1)
        mean = noisy.mean()
        return [
            (mean - one.index_without_noise(noisy, variance)) ** 2
            for one in (fall, spread)
        ]

    signs = np.array(list(itertools.product([-1, 1], repeat=5)))
    average = np.mean([parts(scores + s * sizes, sizes**2) for s in signs], axis=0)
    slope, spread = np.polyfit(times, scores, 1)[0], parts(scores, 0 * sizes)[1]
    assert average == pytest.approx([slope**2, spread])
    residuals = scores - np.polyval(np.polyfit(times, scores, 1), times)
    assert spread == pytest.approx(residuals.var())


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
        assert interval.plug_in == pytest.approx(expected)


def quiet_but_for_slope(draw, method):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "10 periods cannot tell")
        draw(method)


def test_trend_warnings():
    with pytest.warns(UserWarning, match="2 periods leave no degree of freedom"):
        interval = confidence_interval("stability_index", [0.9, 0.8])
    assert np.isnan(tuple(interval)).all()
    assert interval.value == pytest.approx(stability_index([0.9, 0.8]))
    for method in ("delta", "auto"):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "4 periods cannot tell")
            with pytest.warns(UserWarning, match="leave 2 degrees of freedom"):
                confidence_interval(
                    "stability_index", [0.9, 0.7, 0.52, 0.3], method=method
                )
    waves = 0.9 - 0.02 * np.arange(24) + 0.05 * np.sin(np.arange(24) / 3)
    for method, sentence in (("blocks", "residuals are"), ("auto", "periods are")):
        with pytest.warns(UserWarning, match=f"Neighbouring {sentence} correlated"):
            confidence_interval("stability_index", waves, method=method)
    rng = np.random.default_rng(17)
    calm = draw_series(rng, 30, -0.02)
    assert confidence_interval("stability_index", calm).warnings == ()
    short = 0.9 - 0.05 * np.arange(12) + 0.01 * np.sin(np.arange(12))
    with pytest.warns(UserWarning, match="12 periods cannot tell whether neighbours"):
        confidence_interval("stability_index", short)


def test_an_index_without_spread_keeps_a_width():
    limits = []
    for n in (3, 3000):
        right = np.ones((n, 5), bool)
        with pytest.warns(UserWarning, match="All units show the same differ"):
            low, high = confidence_interval("accuracy_stability_index", right)
        assert low < high == 1
        limits.append(low)
    assert limits[0] < 0.9 < limits[1]


def test_the_order_of_rows_in_time_does_not_matter():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=60)
    for i in range(1, 60):
        noise[i] += 0.8 * noise[i - 1]
    scores, times = 0.7 + 0.01 * noise, np.arange(60.0)
    order = rng.permutation(60)
    for method in ("auto", "blocks"):
        options = {"method": method, "random_state": 0}
        plain, mixed = (
            quiet(
                confidence_interval,
                "stability_index",
                scores[rows],
                times=times[rows],
                **options,
            )
            for rows in (np.arange(60), order)
        )
        assert any("are correlated" in text for text in plain.warnings)
        assert (plain.low, plain.high) == pytest.approx((mixed.low, mixed.high))


def test_labels_and_predictions_of_periods_need_a_score():
    truth = np.tile([0, 1], 150)
    rows, periods = (truth, truth), np.repeat(range(10), 30)
    sentence = "takes one array of rows, .* to score 2 arrays, .* as score="
    with pytest.raises(ValueError, match=sentence):
        confidence_interval("stability_index", *rows, periods=periods)
    with pytest.raises(ValueError, match=r"'score' parameter .*Got 'accuracy'"):
        confidence_interval("stability_index", *rows, periods=periods, score="accuracy")


def test_periods_need_one_number_a_row():
    rows = np.random.default_rng(0).random((300, 4))
    with pytest.raises(ValueError, match="1-D without score="):
        confidence_interval("stability_index", rows, periods=np.repeat(range(10), 30))
