"""Intervals of shares cover with weights and with clusters, whatever their sizes."""

import numpy as np
import pytest
from interval_problems import draw_clusters, quiet
from scipy.stats import betabinom, binomtest, bootstrap

from skrobust.metrics import (
    confidence_interval,
    flip_rate,
    mean_corruption_error,
    normalized_accuracy_score,
    robust_ratio_band,
    robustness_score,
)
from skrobust.metrics.intervals.beta_binomial import beta_binomial_limits
from skrobust.metrics.intervals.clusters import jackknife_df
from skrobust.metrics.intervals.proportion_clustered import clustered_proportion_limits
from skrobust.metrics.intervals.proportion_weighted import weighted_proportion_limits


def balanced(rng, n, rare=0.02, recall=0.6):
    """Draw correctness of a rare class and of the rest, weighted to be balanced."""
    positive = rng.random(n) < rare
    right = np.where(positive, rng.random(n) < recall, True)
    return right, np.where(positive, 0.5 / rare, 0.5 / (1 - rare))


def test_balancing_weights_have_the_width_of_the_bca_interval():
    right, weight = balanced(np.random.default_rng(0), 2000)
    ours = confidence_interval("robust_accuracy", right, sample_weight=weight)
    theirs = bootstrap(
        (right, weight),
        lambda x, w: np.average(x, weights=w),
        vectorized=False,
        paired=True,
        n_resamples=2000,
        rng=0,
    ).confidence_interval
    assert ours.high - ours.low == pytest.approx(theirs.high - theirs.low, rel=0.15)


@pytest.mark.parametrize("n", [200, 1000, 5000])
@pytest.mark.parametrize("method", ["wilson", "exact"])
def test_balancing_weights_cover(n, method):
    rng, inside = np.random.default_rng(1), 0
    for _ in range(600):
        right, weight = balanced(rng, n)
        low, high, _ = weighted_proportion_limits(right * 1.0, weight, 0.95, method)
        inside += low <= 0.8 <= high
    assert inside / 600 >= 0.93  # Kish's effective number gives .75 to .86


def test_weights_of_inverse_probability_cover_and_are_narrower_than_before():
    # Scores near 1 fail more often and are sampled more often; the weights undo it.
    rng, inside, ratio = np.random.default_rng(2), 0, []
    for _ in range(500):
        u = rng.random(6000)
        u = u[rng.random(6000) < (0.05 + u) / 1.05][:1000]
        right = rng.random(1000) > 0.3 * u**2
        weight = 1 / (0.05 + u)
        low, high, error = weighted_proportion_limits(right * 1.0, weight, 0.95)
        inside += low <= 0.9 <= high
        n = weight.sum() ** 2 / (weight @ weight)
        ratio.append(error / np.sqrt(0.09 / n))
    assert inside / 500 >= 0.93
    assert np.mean(ratio) < 0.75


@pytest.mark.parametrize("method", ["wilson", "exact"])
@pytest.mark.parametrize("count", [0, 1, 7, 29, 30])
def test_equal_weights_are_no_weights(count, method):
    right = (np.arange(30) < count) * 1.0
    low, high, _ = weighted_proportion_limits(right, np.full(30, 2.5), 0.95, method)
    expected = binomtest(count, 30).proportion_ci(method=method)
    assert (low, high) == pytest.approx(tuple(expected), abs=1e-9)


@pytest.mark.parametrize("method", ["wilson", "exact"])
def test_the_scale_of_weights_and_the_names_of_the_outcomes_do_not_matter(method):
    right, weight = balanced(np.random.default_rng(3), 300)
    right = right * 1.0
    low, high, error = weighted_proportion_limits(right, weight, 0.9, method)
    scaled = weighted_proportion_limits(right, weight * 1e-3, 0.9, method)
    assert scaled == pytest.approx((low, high, error))
    turned = weighted_proportion_limits(1 - right, weight, 0.9, method)
    assert turned == pytest.approx((1 - high, 1 - low, error))


def test_a_failure_more_never_raises_a_limit_of_a_weighted_share():
    weight = np.random.default_rng(4).exponential(size=60)
    right, before = np.ones(60), (1.0, 1.0)
    for i in np.argsort(weight):
        right[i] = 0
        low, high, _ = weighted_proportion_limits(right, weight, 0.95, "exact")
        assert low <= before[0]
        assert high <= before[1] + 1e-12
        before = low, high


def test_frequency_weights_repeat_rows():
    right, weight = np.arange(10) % 3 > 0, np.arange(10)
    clips = np.arange(10) // 2
    repeated = np.repeat(right, weight)
    found = confidence_interval(
        "accuracy", right, sample_weight=weight, weight_type="frequency"
    )
    assert found == confidence_interval("accuracy", repeated)
    found = quiet(
        confidence_interval,
        "accuracy",
        right,
        sample_weight=weight,
        clusters=clips,
        weight_type="frequency",
    )
    expected = quiet(
        confidence_interval, "accuracy", repeated, clusters=np.repeat(clips, weight)
    )
    assert found == expected


def test_frequency_weights_are_integers():
    sentence = "'sample_weight' .* must be integers where weight_type='frequency'"
    with pytest.raises(ValueError, match=sentence):
        confidence_interval(
            "accuracy", [1, 0], sample_weight=[1, 0.5], weight_type="frequency"
        )


@pytest.mark.parametrize("n_clusters", [20, 50])
@pytest.mark.parametrize("sizes", ["equal", "unequal"])
def test_high_shares_of_alike_frames_cover(n_clusters, sizes):
    rng, inside = np.random.default_rng(5), 0
    for _ in range(120):
        n = np.full(n_clusters, 50)
        if sizes == "unequal":
            n = np.ceil(rng.lognormal(3.4, 1, n_clusters)).astype(int)
        share = rng.beta(0.98 * 2 / 3, 0.02 * 2 / 3, n_clusters)
        hits = rng.binomial(n, share)
        low, high, _ = clustered_proportion_limits(hits, n, n.sum(), 0.95)
        inside += low <= 0.98 <= high
    assert inside / 120 >= 0.93  # t over clusters alone: .74 to .83


def test_a_failure_more_never_raises_the_limits_over_clusters():
    sizes = np.full(50, 100)
    hits, before = sizes.copy(), (1.0, 1.0)
    for _ in range(6):
        low, high, _ = clustered_proportion_limits(hits, sizes, 5000, 0.95)
        assert low <= before[0] + 1e-9
        assert high <= before[1] + 1e-9
        before = low, high
        hits[0] -= 1
    spread = sizes.copy()
    spread[:8] -= 1
    low, high, _ = clustered_proportion_limits(spread, sizes, 5000, 0.95)
    assert low <= binomtest(50, 50).proportion_ci(method="wilson").low


def test_shares_over_clusters_do_not_mind_which_outcome_is_called_success():
    rng = np.random.default_rng(6)
    hits, clips = draw_clusters(rng, 12, 20, 0.3, 0.85)
    n = np.bincount(clips)
    k = np.bincount(clips, weights=hits)
    low, high, error = clustered_proportion_limits(k, n, 240, 0.95)
    turned = clustered_proportion_limits(n - k, n, 240, 0.95)
    assert turned == pytest.approx((1 - high, 1 - low, error), abs=2e-4)


def test_limits_over_few_clusters_hold_those_of_the_beta_binomial():
    rng, wider = np.random.default_rng(8), 0
    for _ in range(20):
        sizes = rng.integers(5, 30, 12)
        hits = rng.binomial(sizes, rng.beta(4, 1, 12))
        if (hits == sizes).all():
            continue
        low, high, _ = clustered_proportion_limits(hits, sizes, sizes.sum(), 0.95)
        inner = beta_binomial_limits(hits, sizes, 0.95)
        assert low <= inner[0] + 1e-12
        assert high >= inner[1] - 1e-12
        wider += low == pytest.approx(inner[0], abs=1e-9)
    assert wider > 0


def test_the_beta_binomial_posterior_equals_a_direct_sum():
    hits, sizes = np.array([4, 9, 10]), np.array([10, 10, 10])
    p = (np.arange(4000) + 0.5) / 4000
    total = np.zeros_like(p)
    for r in (np.arange(16) + 0.5) / 16:
        s = 1 / r - 1
        like = np.prod(betabinom.pmf(hits[:, None], 10, p * s, (1 - p) * s), axis=0)
        total += like / np.sqrt(p * (1 - p))
    cumulated = np.cumsum(total) / total.sum()
    expected = np.interp([0.025, 0.975], cumulated, p)
    assert beta_binomial_limits(hits, sizes, 0.95) == pytest.approx(expected, abs=2e-3)


def test_degrees_of_freedom_follow_the_units_that_matter():
    assert jackknife_df(np.array([1.0, -1.0, 1.0, -1.0])) == 3
    one_matters = np.r_[10.0, np.full(49, -10 / 49)]
    assert jackknife_df(one_matters) < 3


def test_sizes_that_go_with_the_outcome_are_said():
    sizes = np.r_[500, np.full(9, 10)]
    clips = np.repeat(np.arange(10), sizes)
    right = clips > 0
    interval = quiet(confidence_interval, "accuracy", right, clusters=clips)
    assert any("say no more than 1.4 equal ones" in w for w in interval.warnings)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_correlation_of_size_and_outcome_is_said(sign):
    sizes = np.arange(6, 18)
    hits = 3 + (sizes - 6) // 3 if sign < 0 else sizes - 3
    clips = np.repeat(np.arange(12), sizes)
    right = np.concatenate([np.arange(n) < k for n, k in zip(sizes, hits, strict=True)])
    interval = quiet(confidence_interval, "accuracy", right, clusters=clips)
    r = np.corrcoef(sizes, hits / sizes)[0, 1]
    assert np.sign(r) == sign
    sentence = f"Size goes with the outcome (correlation {r:.2f} over 12 clusters)"
    assert any(sentence in text for text in interval.warnings)
    # As many failures in clusters whose size tells nothing, and in equal ones.
    for apart in (np.tile([6, 17, 11], 4), np.full(12, 12)):
        clips = np.repeat(np.arange(12), apart)
        k = apart // 2 + np.repeat([0, 1, 2, 0], 3)
        right = np.concatenate(
            [np.arange(n) < h for n, h in zip(apart, k, strict=True)]
        )
        interval = quiet(confidence_interval, "accuracy", right, clusters=clips)
        assert not any("goes with the outcome" in text for text in interval.warnings)


def test_many_clusters_have_shown_the_largest():
    sizes = np.tile(np.arange(6, 18), 8)
    hits = sizes - 3
    clips = np.repeat(np.arange(96), sizes)
    right = np.concatenate([np.arange(n) < k for n, k in zip(sizes, hits, strict=True)])
    assert confidence_interval("accuracy", right, clusters=clips).warnings == ()


@pytest.mark.parametrize(
    ("rare", "says"), [(0, False), (1, True), (3, True), (9, False)]
)
def test_few_rows_with_most_of_the_weight_are_said(rare, says):
    weight = np.where(np.arange(50) < rare, 25.0, 0.5)
    interval = quiet(
        confidence_interval, "accuracy", np.arange(50) > 2, sample_weight=weight
    )
    n = weight.sum() ** 2 / (weight**2).sum()
    sentence = f"The weights let 50 samples say no more than {n:.1f} equal ones"
    assert any(sentence in text for text in interval.warnings) == says
    # A small sample is no matter of weights.
    assert confidence_interval("accuracy", [1, 0] * 3, sample_weight=[2] * 6).n == 6


def test_a_weighted_band_contains_the_weighted_limits():
    rng = np.random.default_rng(7)
    shift, weight = rng.random(200), rng.exponential(size=200)
    band = robust_ratio_band(shift, tolerances=[0.2, 0.5], sample_weight=weight)
    assert band.band_method == "Bonferroni over 2 tolerances"
    assert (band.band_low < band.low).all()
    assert (band.band_high > band.high).all()
    one = confidence_interval(
        "robust_ratio", shift, tolerance=0.5, sample_weight=weight
    )
    assert (band.low[1], band.high[1]) == tuple(one)


@pytest.mark.slow
def test_no_interval_has_no_width():
    y = np.arange(12) % 2
    found = confidence_interval(
        normalized_accuracy_score, y, y, n_features=3, clip=False
    )
    accuracy = confidence_interval("accuracy", y, y)
    assert found.low == pytest.approx(found.value * accuracy.low)
    assert found.low < found.high == found.value
    with pytest.warns(UserWarning, match="no spread .* limits are unknown"):
        found = confidence_interval(lambda a, b: np.mean(a == b), y, y)
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize("metric", [robustness_score, mean_corruption_error])
def test_scores_of_conditions_are_no_sample(metric):
    with pytest.raises(ValueError, match="takes no scores of conditions"):
        confidence_interval(metric, [0.9, 0.8, 0.7, 0.6])


def test_flip_rate_has_an_interval_over_sequences():
    rng = np.random.default_rng(8)
    frames = (rng.random((40, 9)) < 0.2).astype(int)
    interval = confidence_interval(flip_rate, frames, random_state=0)
    rate = (frames[:, 1:] != frames[:, :-1]).mean()
    assert interval.value == pytest.approx(rate)
    assert interval.low < rate < interval.high


def test_robust_ratio_of_predictions_is_a_share():
    y = np.arange(20.0)
    moved = y + np.where(y < 5, 1.0, 0.1)
    interval = confidence_interval("regression_robust_ratio", y, moved, tolerance=0.5)
    expected = binomtest(15, 20).proportion_ci(method="wilson")
    assert tuple(interval) == pytest.approx(tuple(expected))
