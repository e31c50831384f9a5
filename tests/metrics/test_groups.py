"""Groups: intervals, gaps and ranges against published and independent values."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from interval_problems import agreement_score
from scipy.stats import binomtest, fisher_exact, norm, t

from skrobust.metrics import (
    by_group,
    confidence_interval,
    group_robust_ratio,
    group_robust_ratio_curve,
    group_robustness,
    robust_accuracy_score,
    robust_ratio_curve,
)
from skrobust.metrics.comparison.paired import holm
from skrobust.metrics.groups.gaps import newcombe


def answers(counts):
    """Labels of two classes with so many right of so many, group by group."""
    y_true, y_pred, groups = [], [], []
    for name, (right, n) in counts.items():
        labels = np.arange(n) % 2
        y_true += labels.tolist()
        y_pred += np.where(np.arange(n) < right, labels, 1 - labels).tolist()
        groups += [name] * n
    return y_true, y_pred, groups


def test_table_of_groups():
    pytest.importorskip("pandas")
    rows = answers({"a": (56, 70), "b": (48, 80), "c": (20, 25)})
    results = group_robustness(*rows, random_state=0, n_permutations=99)
    assert results.group.tolist() == ["a", "b", "c"]
    assert results.n_samples.tolist() == [70, 80, 25]
    assert results.value == pytest.approx([0.8, 0.6, 0.8])
    assert results.is_small.tolist() == [False, False, True]
    assert (results.worst_group, results.measure) == ("b", "robust accuracy")
    for i, (k, n) in enumerate([(56, 70), (48, 80), (20, 25)]):
        expected = binomtest(k, n).proportion_ci(0.95, "wilson")
        assert (results.low[i], results.high[i]) == pytest.approx(tuple(expected))
    assert results.range == pytest.approx(0.2)
    weighted = np.average(results.value, weights=results.n_samples)
    assert weighted == pytest.approx(robust_accuracy_score(*rows[:2]))
    assert results.to_frame().shape == (3, 8)
    assert results.gaps.to_frame().shape == (3, 9)


@pytest.mark.parametrize(
    "first, second, interval",
    [
        # Newcombe (Statistics in Medicine, 1998), Table II, method 10.
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((6, 7), (2, 7), (0.0582, 0.8062)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
        ((0, 10), (0, 10), (-0.2775, 0.2775)),
        ((10, 10), (0, 10), (0.6075, 1.0)),
    ],
)
def test_newcombe_as_published(first, second, interval):
    rows = answers({"a": first, "b": second})
    gaps = group_robustness(*rows, n_permutations=9, random_state=0).gaps
    assert (gaps.low[0], gaps.high[0]) == pytest.approx(interval, abs=5e-5)
    expected = first[0] / first[1] - second[0] / second[1]
    assert gaps.gap[0] == pytest.approx(expected)
    table = [[k, n - k] for k, n in (first, second)]
    assert gaps.p_value[0] == pytest.approx(fisher_exact(table).pvalue)


def test_newcombe_covers():
    rng = np.random.default_rng(0)
    p, n = np.array([0.9, 0.7]), np.array([40, 60])
    z = norm.ppf(0.975)
    covered = 0
    for k in rng.binomial(n, p, size=(2000, 2)):
        middle = (k + z**2 / 2) / (n + z**2)
        half = z / (n + z**2) * np.sqrt(k * (n - k) / n + z**2 / 4)
        bounds = list(zip(middle - half, middle + half, strict=True))
        low, high = newcombe(k[0] / n[0], bounds[0], k[1] / n[1], bounds[1])
        covered += low <= 0.2 <= high
    assert 0.93 < covered / 2000 < 0.97


def test_holm_by_loop():
    rng = np.random.default_rng(0)
    for m in (1, 2, 7, 15):
        p = rng.random(m) ** 3
        adjusted = holm(p)
        for alpha in (0.01, 0.05, 0.2):
            # Step down: reject while the i-th smallest is at most alpha / (m - i).
            rejected = np.zeros(m, dtype=bool)
            for i, place in enumerate(np.argsort(p)):
                if p[place] > alpha / (m - i):
                    break
                rejected[place] = True
            assert ((adjusted <= alpha) == rejected).all()
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]).tolist() == [1, 1]


def test_bands_of_groups_are_wider_intervals():
    counts = {"a": (56, 70), "b": (48, 80), "c": (20, 25)}
    found = group_robustness(*answers(counts), n_permutations=9, random_state=0)
    sidak = 0.95 ** (1 / 3)
    wide = group_robustness(*answers(counts), confidence=sidak, n_permutations=9)
    np.testing.assert_allclose(found.band_low, wide.low)
    np.testing.assert_allclose(found.band_high, wide.high)
    bonferroni = 1 - 0.05 / 3
    wide = group_robustness(*answers(counts), confidence=bonferroni, n_permutations=9)
    chance = found.gaps.p_adjusted > 0.05
    assert chance.tolist() == [False, True, True]
    low, high = wide.gaps.low, wide.gaps.high
    np.testing.assert_allclose(
        found.gaps.band_low, np.where(chance, np.minimum(low, 0), low)
    )
    np.testing.assert_allclose(
        found.gaps.band_high, np.where(chance, np.maximum(high, 0), high)
    )
    two = group_robustness(*answers({"a": (9, 10), "b": (3, 10)}), n_permutations=9)
    assert two.gaps.band_low[0] == pytest.approx(two.gaps.low[0])


def test_gaps_of_equal_groups_keep_zero_in_the_band():
    rng = np.random.default_rng(2)
    alone = together = 0
    for _ in range(40):
        right = rng.binomial(60, 0.8, size=6)
        counts = {name: (k, 60) for name, k in zip("abcdef", right, strict=True)}
        gaps = group_robustness(*answers(counts), n_permutations=1).gaps
        clear = (gaps.band_low > 0) | (gaps.band_high < 0)
        assert (gaps.p_adjusted[clear] <= 0.05).all()
        together += clear.any()
        alone += ((gaps.low > 0) | (gaps.high < 0)).any()
    # Of 40 runs at 5 % more than 6 have a chance below .004.
    assert together <= 6
    assert alone >= 7


def test_bands_of_true_gaps_cover():
    rng = np.random.default_rng(3)
    rates = np.array([0.9, 0.8, 0.7, 0.6])
    first, second = np.transpose(list(combinations(range(4), 2)))
    held = 0
    for _ in range(40):
        counts = rng.binomial(80, rates)
        rows = answers({n: (k, 80) for n, k in zip("abcd", counts, strict=True)})
        gaps = group_robustness(*rows, n_permutations=1).gaps
        truth = rates[first] - rates[second]
        held += ((gaps.band_low <= truth) & (truth <= gaps.band_high)).all()
    assert held >= 34


def test_bands_of_other_metrics_and_clusters():
    rng = np.random.default_rng(4)
    y, groups = rng.integers(2, size=120), np.repeat(["a", "b", "c"], 40)
    p = np.where(rng.random(120) < 0.8, y, 1 - y)
    clips = np.arange(120) // 8
    for metric, clusters in (
        (agreement_score, None),
        (agreement_score, clips),
        ("accuracy", clips),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found = by_group(
                metric, y, p, groups=groups, clusters=clusters, n_permutations=99
            )
        for table in (found, found.gaps):
            assert (table.band_low < table.low).all()
            assert (table.band_high > table.high).all()
    # By bootstrap the bands are the intervals times the ratio of two normal quantiles.
    found = by_group(agreement_score, y, p, groups=groups, n_permutations=99)
    ratio = norm.ppf((1 + 0.95 ** (1 / 3)) / 2) / norm.ppf(0.975)
    stretched = (found.band_high - found.value) / (found.high - found.value)
    np.testing.assert_allclose(stretched, ratio)


def test_range_of_equal_groups_is_not_zero():
    # Six groups of 120 with one rate of .8: a mean range of .092 by chance alone.
    rows = answers(dict.fromkeys("abcdef", (96, 120)))
    results = group_robustness(*rows, random_state=0)
    assert results.range == pytest.approx(0, abs=1e-12)
    assert results.range_by_chance == pytest.approx(0.092, abs=0.003)
    assert results.range_p_value == 1
    assert len(results.gaps.gap) == 15
    assert (results.gaps.p_adjusted == 1).all()


def test_range_against_the_hypergeometric_distribution():
    rows = answers({"a": (18, 20), "b": (10, 20)})
    found = group_robustness(*rows, random_state=0, n_permutations=20_000)
    # With two groups the permutation test of the range is Fisher's exact test.
    assert found.range_p_value == pytest.approx(found.gaps.p_value[0], abs=0.004)
    again = group_robustness(*rows, random_state=0, n_permutations=20_000)
    assert again.range_p_value == found.range_p_value
    other = group_robustness(*rows, random_state=1, n_permutations=20_000)
    assert other.range_by_chance != found.range_by_chance


def test_several_perturbations_take_the_worst():
    y, first, groups = map(np.array, answers({"a": (30, 40), "b": (40, 40)}))
    second = np.where(np.arange(80) == 79, 1 - y, y)
    found = group_robustness(y, [first, second], groups, n_permutations=9)
    assert found.value == pytest.approx([0.75, 39 / 40])


def test_one_class_is_named():
    found = group_robustness(
        ["real"] * 80,
        ["real"] * 70 + ["fake"] * 10,
        ["m"] * 40 + ["f"] * 40,
        n_permutations=9,
    )
    assert found.measure == "robust rate of class 'real'"
    assert found.worst_group == "f"
    y = np.array([0, 1] * 20 + [1] * 40)
    with pytest.warns(UserWarning, match="'f' has no 0, so gaps mix group and class"):
        group_robustness(y, y, ["m"] * 40 + ["f"] * 40, n_permutations=9)


# Robust ratio ------------------------------------------------------------------------


def probabilities(n=240, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.2, 0.8, n)
    groups = rng.choice(list("abc"), n)
    width = np.select([groups == "a", groups == "b"], [0.05, 0.1], 0.2)
    q = p + rng.uniform(-1, 1, n) * width
    return *(np.column_stack([1 - each, each]) for each in (p, q)), groups


def test_curve_equals_the_plain_functions_group_by_group():
    pytest.importorskip("pandas")
    p, q, groups = probabilities()
    found = group_robust_ratio_curve(p, q, groups, random_state=0, n_permutations=99)
    frame = found.to_frame()
    assert len(frame) == 21 * 3
    for name, part in frame.groupby("group"):
        tolerances, expected = robust_ratio_curve(p[groups == name], q[groups == name])
        assert part.tolerance.tolist() == tolerances.tolist()
        assert part.value.to_numpy() == pytest.approx(expected)
    at_five = frame[frame.tolerance == 0.05]
    one = group_robust_ratio(
        p, q, groups, tolerance=0.05, random_state=0, n_permutations=99
    )
    for column in ("value", "low", "high"):
        assert one[column] == pytest.approx(at_five[column].to_numpy())
    gaps = found.gaps.to_frame()
    assert len(gaps) == 21 * 3
    same = gaps[gaps.tolerance == 0.05]
    assert one.gaps.p_adjusted == pytest.approx(same.p_adjusted.to_numpy())
    assert found.ranges.range[5] == pytest.approx(one.range)
    assert one.measure == found.measure == "robust ratio"
    assert one.worst_group == "c"


def test_ranges_of_the_curve_by_loop():
    p, q, groups = probabilities(60)
    tolerances = [0.02, 0.08, 0.15]
    found = group_robust_ratio_curve(
        p, q, groups, tolerances=tolerances, random_state=0, n_permutations=4000
    ).ranges
    shift = np.abs(p - q)[:, 1]
    rng = np.random.default_rng(99)

    def ranges(names):
        shares = np.array(
            [
                [(shift[names == g] <= b + 1e-9).mean() for b in tolerances]
                for g in "abc"
            ]
        )
        return shares.max(axis=0) - shares.min(axis=0)

    observed = ranges(groups)
    assert found.range == pytest.approx(observed)
    drawn = np.array([ranges(rng.permutation(groups)) for _ in range(1500)])
    assert found.range_by_chance == pytest.approx(drawn.mean(axis=0), abs=0.01)
    assert found.p_value == pytest.approx((drawn >= observed - 1e-12).mean(0), abs=0.05)
    greatest = (drawn.max(axis=1)[:, None] >= observed - 1e-12).mean(axis=0)
    assert found.p_adjusted == pytest.approx(greatest, abs=0.05)
    assert (found.p_adjusted >= found.p_value).all()


# Clusters ----------------------------------------------------------------------------


def clips(rng, n_clips, n_frames, spread):
    """Right or wrong frames of two equal groups whose clips differ."""
    rate = rng.beta(0.7 / spread, 0.3 / spread, size=2 * n_clips)
    right = rng.random((2 * n_clips, n_frames)) < rate[:, None]
    clusters = np.repeat(np.arange(2 * n_clips), n_frames)
    groups = np.repeat(["a", "b"], n_clips * n_frames)
    y = np.tile([0, 1], n_clips * n_frames)
    return y, np.where(right.ravel(), y, 1 - y), groups, clusters


@pytest.mark.slow
def test_clusters_keep_their_level():
    # Frames taken as independent reject equal groups far too often.
    rng = np.random.default_rng(0)
    naive = clustered = covered = 0
    n_runs = 150
    for run in range(n_runs):
        y, pred, groups, clusters = clips(rng, 25, 20, 0.4)
        plain = group_robustness(y, pred, groups, n_permutations=99, random_state=run)
        found = group_robustness(
            y, pred, groups, clusters=clusters, n_permutations=99, random_state=run
        )
        naive += plain.gaps.p_value[0] <= 0.05
        clustered += found.gaps.p_value[0] <= 0.05
        covered += found.low[0] <= 0.7 <= found.high[0]
        assert found.value == pytest.approx(plain.value)
        assert found.low[0] < plain.low[0]
        assert found.n_clusters.tolist() == [25, 25]
    assert naive / n_runs > 0.25
    assert clustered / n_runs < 0.1
    assert covered / n_runs > 0.88


def test_few_clusters_are_told():
    rng = np.random.default_rng(1)
    y, pred, groups, clusters = clips(rng, 5, 50, 0.2)
    with pytest.warns(UserWarning, match="fewer than 20 clusters .* has 5") as log:
        five = group_robustness(y, pred, groups, clusters=clusters, n_permutations=99)
    assert len(log) == 1
    plain = group_robustness(y, pred, groups, n_permutations=99)
    assert five.high[0] - five.low[0] > 1.5 * (plain.high[0] - plain.low[0])
    y, pred, groups, clusters = clips(rng, 2, 50, 0.2)
    with pytest.warns(UserWarning, match="has 2"):
        two = group_robustness(y, pred, groups, clusters=clusters, n_permutations=99)
    assert np.isnan([two.low, two.high]).all()
    assert np.isnan([two.gaps.low, two.gaps.high]).all()


def test_cluster_interval_by_hand():
    # Five clips of ten frames with 10, 10, 8, 6, 6 right.
    counts = np.array([10, 10, 8, 6, 6])
    y = np.tile([0, 1], 50)
    right = np.concatenate([np.arange(10) < k for k in counts])
    pred = np.where(np.concatenate([right, right]), y, 1 - y)
    clusters, groups = np.arange(100) // 10, np.arange(100) // 50
    with pytest.warns(UserWarning, match="fewer than 20 clusters"):
        found = group_robustness(y, pred, groups, clusters=clusters, n_permutations=9)
    variance = 5 / 4 * ((counts - 8) ** 2).sum() / 50**2
    n = 0.8 * 0.2 / variance
    z = t.isf(0.025, 4)
    # The ends solve (share - p)^2 = z^2 p (1 - p) / n.
    low, high = np.roots([1 + z**2 / n, -2 * 0.8 - z**2 / n, 0.64])[::-1]
    assert found.low[0] <= low + 1e-12
    assert found.high[0] >= high - 1e-12
    # The beta-binomial posterior may reach further, as for the share alone.
    with pytest.warns(UserWarning, match="Only 5 clusters"):
        alone = confidence_interval("accuracy", right, clusters=clusters[:50])
    assert (found.low[0], found.high[0]) == pytest.approx(tuple(alone))


GOOD = answers({"a": (30, 40), "b": (35, 40)})


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: group_robustness(GOOD[0], GOOD[1], ["a"] * 80), "at least two groups"),
        (lambda: group_robustness(GOOD[0], GOOD[1], ["a", "b"]), "groups has 2"),
        (lambda: group_robustness(GOOD[0], [1, 2], GOOD[2]), "y_pred_perturbed"),
        (lambda: group_robustness(GOOD[0], ["x"] * 80, GOOD[2]), "one kind"),
        (lambda: group_robustness(*GOOD, clusters=np.arange(80) % 8), "lies in two"),
        (lambda: group_robustness(*GOOD, clusters=[1]), "clusters has 1"),
        (lambda: group_robustness(*GOOD, confidence=95), "'confidence'"),
        (lambda: group_robustness(*GOOD, confidence=1), "number in \\(0, 1\\)"),
        (lambda: group_robustness(*GOOD, n_permutations=0), "'n_permutations'"),
        (lambda: group_robustness(*GOOD, random_state="x"), "'random_state'"),
        (lambda: group_robust_ratio(*probabilities(), tolerance=5), "'tolerance'"),
        (lambda: group_robust_ratio_curve(*probabilities(), tolerances=[5.0]),
         "fractions in"),
        (lambda: group_robust_ratio(
            *probabilities(), tolerance=0.1, reference="true"), "needs y_true"),
    ],
)  # fmt: skip
def test_refuses(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_every_pair_once():
    rows = answers({name: (30 + i, 40) for i, name in enumerate("dacb")})
    gaps = group_robustness(*rows, n_permutations=9).gaps
    pairs = list(zip(gaps.first.tolist(), gaps.second.tolist(), strict=True))
    assert pairs == list(combinations("abcd", 2))
    value = {"a": 31 / 40, "b": 33 / 40, "c": 32 / 40, "d": 30 / 40}
    assert gaps.gap == pytest.approx([value[i] - value[j] for i, j in pairs])


@pytest.mark.parametrize("n_clusters", [6, 40])
def test_a_group_has_the_interval_of_its_own_samples(n_clusters):
    # One family: what confidence_interval says of the rows of a group.
    rng = np.random.default_rng(0)
    y, pred, groups, clusters = clips(rng, n_clusters, 10, 0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = group_robustness(y, pred, groups, clusters=clusters, n_permutations=99)
        for name, low, high in zip(table.group, table.low, table.high, strict=True):
            rows = np.asarray(groups) == name
            alone = confidence_interval(
                "robust_accuracy", y[rows], pred[rows], clusters=clusters[rows]
            )
            assert (low, high) == pytest.approx((alone.low, alone.high))
    plain = group_robustness(y, pred, groups, n_permutations=99)
    rows = np.asarray(groups) == plain.group[0]
    alone = confidence_interval("robust_accuracy", y[rows], pred[rows])
    assert (plain.low[0], plain.high[0]) == pytest.approx((alone.low, alone.high))
