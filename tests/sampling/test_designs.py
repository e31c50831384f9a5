"""Designs as pure functions: every outcome of a small pool, and what they promise."""

from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest
from sklearn.cluster import KMeans

from skrobust.sampling.designs.fixed_size import (
    allocate,
    inclusion_probabilities,
    mixed_weights,
    rao_hartley_cochran,
    stratified_sample,
    systematic_sample,
)
from skrobust.sampling.designs.histograms import (
    bin_numbers,
    divergences,
    histograms,
    random_groups,
)
from skrobust.sampling.designs.partitions import (
    kmeans_strata,
    merge_strata,
    quantile_strata,
    share_strata,
)
from skrobust.sampling.designs.variances import (
    hartley_rao_variance,
    rao_hartley_cochran_variance,
    stratified_variance,
)

P6 = np.array([0.2, 0.05, 0.7, 0.45, 0.29, 0.9])
OUTCOMES = np.array(list(product([0.0, 1.0], repeat=6)))


def systematic_outcomes(pi):
    """Yield each drawn set with its chance: all orders, all intervals of the start."""
    orders = list(permutations(range(len(pi))))
    for order in orders:
        ends = np.cumsum(pi[list(order)][pi[list(order)] < 1])
        edges = np.unique(np.r_[0, np.round(ends % 1, 12), 1])
        for low, high in pairwise(edges):
            ids = systematic_sample(pi, np.array(order), (low + high) / 2)
            yield ids, (high - low) / len(orders)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_systematic_draws_have_their_inclusion_probabilities(n):
    pi = inclusion_probabilities(P6, n)
    met, total = np.zeros(6), 0.0
    for ids, chance in systematic_outcomes(pi):
        assert len(np.unique(ids)) == n
        met[ids] += chance
        total += chance
    assert total == pytest.approx(1, abs=1e-9)
    np.testing.assert_allclose(met, pi, atol=1e-9)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_horvitz_thompson_is_unbiased_and_its_variance_nearly_so(n):
    # The estimate is unbiased whatever the outcomes. The variance is an approximation
    # for large pools; summed over all outcomes of a pool of six it is right to 7 %.
    pi = inclusion_probabilities(P6, n)
    squares = (pi[pi < 1] ** 2).sum()
    drawn = {}
    for ids, chance in systematic_outcomes(pi):
        key = tuple(sorted(ids))
        drawn[key] = drawn.get(key, 0.0) + chance
    chance = np.array(list(drawn.values()))
    sets = [list(ids) for ids in drawn]
    rates = np.array([(OUTCOMES[:, s] / pi[s]).sum(axis=1) for s in sets])
    truth = OUTCOMES.sum(axis=1)
    np.testing.assert_allclose(chance @ rates, truth, atol=1e-8)
    variance = chance @ (rates - truth) ** 2
    foreseen = np.zeros(len(OUTCOMES))
    for s, c in zip(sets, chance, strict=True):
        found = [hartley_rao_variance(y[s], pi[s], squares)[0] for y in OUTCOMES]
        assert min(found) >= 0
        foreseen += c * np.array(found)
    assert foreseen.sum() == pytest.approx(variance.sum(), rel=0.07)


def test_variance_of_hartley_and_rao_is_the_sum_over_pairs():
    rng = np.random.default_rng(0)
    pi, e = rng.uniform(0.05, 0.5, size=8), rng.normal(size=8)
    t, pairs = e / pi, combinations(range(8), 2)
    slow = [(1 - pi[i] - pi[j] + 2.5 / 8) * (t[i] - t[j]) ** 2 for i, j in pairs]
    variance, df = hartley_rao_variance(e, pi, 2.5)
    assert variance == pytest.approx(sum(slow) / 7, rel=1e-12)
    assert df == 7
    sure = hartley_rao_variance(np.r_[e, 5.0], np.r_[pi, 1.0], 2.5)
    assert sure == pytest.approx((variance, df))
    # equal probabilities: simple random sampling of 8 from 20
    equal, _ = hartley_rao_variance(e, np.full(8, 0.4), 20 * 0.16)
    assert equal == pytest.approx(400 * 0.6 * e.var(ddof=1) / 8)
    assert np.isnan(hartley_rao_variance(e[:1], pi[:1], 1.0)[0])
    assert hartley_rao_variance(e[:2], np.ones(2), 0.0)[0] == 0
    # two likely units and a small sum: the pair would count negatively
    assert hartley_rao_variance(e[:2], np.array([0.9, 0.8]), 0.5)[0] > 0


def test_equal_probabilities_make_a_simple_random_sample():
    pi = np.full(6, 0.5)
    drawn = {}
    for ids, chance in systematic_outcomes(pi):
        key = tuple(sorted(ids.tolist()))
        drawn[key] = drawn.get(key, 0.0) + chance
    assert set(drawn) == set(combinations(range(6), 3))
    np.testing.assert_allclose(list(drawn.values()), 1 / 20, atol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_water_filling(seed):
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=30) ** 4
    weights[rng.random(30) < 0.2] = 0
    n_some = int((weights > 0).sum())
    for n in range(1, 31):
        pi = inclusion_probabilities(weights, n)
        assert pi.sum() == pytest.approx(n, abs=1e-9)
        assert (pi >= 0).all()
        assert (pi <= 1).all()
        if n < n_some:
            part = (pi < 1) & (weights > 0)
            ratio = pi[part] / weights[part]
            np.testing.assert_allclose(ratio, ratio[0] if part.any() else 1)
            # the sure ones would be above 1
            assert (weights[pi == 1] * ratio.max() >= 1 - 1e-9).all()
            assert (pi[weights == 0] == 0).all()
        else:
            assert (pi[weights > 0] == 1).all()


def test_mixed_weights():
    p = mixed_weights(np.array([0.0, 1.0, 3.0]), 0.3)
    np.testing.assert_allclose(p, [0.1, 0.275, 0.625])
    np.testing.assert_array_equal(mixed_weights(np.zeros(4), 0.0), np.full(4, 0.25))
    huge = mixed_weights(np.array([1e308, 1e308, 0.0, 1e-300]), 0.0)
    np.testing.assert_array_equal(huge, [0.5, 0.5, 0, 0])


def group_outcomes(p, n):
    """Yield every outcome of the groups and draws with its chance."""
    sizes = [len(part) for part in np.array_split(np.arange(len(p)), n)]
    splits = [[]]
    for size in sizes:
        splits = [
            [*done, group]
            for done in splits
            for group in combinations(set(range(len(p))) - set(sum(done, ())), size)
        ]
    for split in splits:
        permutation = np.array(sum(split, ()))
        for places in product(*(range(size) for size in sizes)):
            uniforms = []
            for group, place in zip(split, places, strict=True):
                line = np.cumsum(p[list(group)]) / p[list(group)].sum()
                before = line[place - 1] if place else 0.0
                uniforms.append((before + line[place]) / 2)
            drawn = rao_hartley_cochran(p, n, permutation, np.array(uniforms))
            expected = [g[place] for g, place in zip(split, places, strict=True)]
            np.testing.assert_array_equal(drawn[0], expected)
            yield drawn, drawn[1].prod() / len(splits)


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_rao_hartley_cochran_is_unbiased_and_so_is_its_variance(n):
    p = P6 / P6.sum()
    total, mean, second, foreseen = 0.0, 0.0, 0.0, 0.0
    for (ids, pi, shares, least, sizes), chance in group_outcomes(p, n):
        assert sizes.sum() == 6
        assert least <= pi.min()
        rates = (OUTCOMES[:, ids] / pi).sum(axis=1) / 6
        squares = int((sizes**2).sum())
        variance = np.array(
            [
                rao_hartley_cochran_variance(y[ids], pi, shares, squares, 6)
                for y in OUTCOMES
            ]
        )
        total += chance
        mean, second = mean + chance * rates, second + chance * rates**2
        foreseen = foreseen + chance * variance / 36
    assert total == pytest.approx(1, abs=1e-12)
    truth = OUTCOMES.mean(axis=1)
    np.testing.assert_allclose(mean, truth, atol=1e-12)
    np.testing.assert_allclose(foreseen, second - mean**2, atol=1e-12)


def test_a_group_without_weight_is_drawn_from_uniformly():
    p = np.array([0.0, 0.0, 0.4, 0.6])
    for coin, unit in ((0.2, 0), (0.7, 1)):
        ids, pi, *_ = rao_hartley_cochran(p, 2, np.arange(4), np.array([coin, 0.3]))
        assert ids.tolist() == [unit, 2]
        np.testing.assert_allclose(pi, [0.5, 0.4])
    # the end of the line never falls on a unit without weight
    line = np.array([0.5, 0.0, 0.5, 0.0])
    last = np.nextafter(1, 0)
    ids, *_ = rao_hartley_cochran(line, 2, np.arange(4), np.array([last, last]))
    assert ids.tolist() == [0, 2]


def test_stratified_estimate_and_variance_are_unbiased():
    labels, counts = np.array([0, 1, 0, 1, 1, 1]), np.array([2, 2])
    pi = (counts / np.bincount(labels))[labels]
    drawn = [
        stratified_sample(labels, counts, np.array(keys))
        for keys in permutations(range(6))
    ]
    drawn = [list(s) for s in np.unique(np.sort(drawn, axis=1), axis=0)]
    drawn = [sorted(s, key=lambda i: labels[i]) for s in drawn]
    assert len(drawn) == 1 * 6
    rates = np.array([(OUTCOMES[:, s] / pi[s]).sum(axis=1) / 6 for s in drawn])
    np.testing.assert_allclose(rates.mean(axis=0), OUTCOMES.mean(axis=1), atol=1e-12)
    foreseen = np.array(
        [
            [stratified_variance(y[s], pi[s], counts)[0] / 36 for y in OUTCOMES]
            for s in drawn
        ]
    )
    np.testing.assert_allclose(foreseen.mean(axis=0), rates.var(axis=0), atol=1e-12)


def test_degrees_of_freedom_are_welchs():
    # Two strata so large that all is left to chance: Welch's formula of two means.
    rng = np.random.default_rng(0)
    a, b = rng.random(5), rng.random(9)
    pi = np.repeat([5e-6, 9e-6], [5, 9])  # both of a million units
    _, df = stratified_variance(np.r_[a, b], pi, [5, 9])
    va, vb = a.var(ddof=1) / 5, b.var(ddof=1) / 9
    expected = (va + vb) ** 2 / (va**2 / 4 + vb**2 / 8)
    assert df == pytest.approx(expected, rel=1e-4)


def test_one_label_of_a_larger_stratum_tells_no_variance():
    variance, _ = stratified_variance(
        np.array([1.0, 0, 1]), np.array([0.5, 0.5, 0.5]), [1, 2]
    )
    assert np.isnan(variance)
    variance, _ = stratified_variance(np.ones(3), np.array([1.0, 0.5, 0.5]), [1, 2])
    assert variance == 0


@pytest.mark.parametrize("seed", range(12))
def test_allocation_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, size=3)
    need = rng.exponential(size=3) * sizes
    for n in range(3, sizes.sum() + 1):
        counts = allocate(need, sizes, n)
        low = np.minimum(min(2, n // 3), sizes)
        allowed = [
            c
            for c in product(
                *(range(a, b + 1) for a, b in zip(low, sizes, strict=True))
            )
            if sum(c) == n
        ]
        assert tuple(counts) in allowed
        best = min((need**2 / np.array(c)).sum() for c in allowed)
        assert (need**2 / counts).sum() == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize(
    ("sizes", "spreads", "n", "expected"),
    [
        ([8000, 1000, 1000], [0.01, 0.1, 0.2], 190, [40, 50, 100]),
        ([100, 100], [0.0, 0.0], 20, [10, 10]),  # no spread: by size
        ([100, 100, 1], [0.0, 1.0, 0.0], 20, [2, 17, 1]),
        ([50, 10], [0.0, 1.0], 40, [30, 10]),  # what nothing needs goes where room is
        ([3, 3], [1.0, 2.0], 6, [3, 3]),
    ],
)
def test_allocation_of_neyman_by_hand(sizes, spreads, n, expected):
    counts = allocate(np.array(sizes) * np.array(spreads), np.array(sizes), n)
    if expected == [40, 50, 100]:  # 8:10:20 of 190, to one label
        assert np.abs(counts - expected).max() <= 1
        assert counts.sum() == 190
    else:
        assert counts.tolist() == expected


POOLS = {
    "uniform": np.random.default_rng(0).random(2000),
    "skewed": np.random.default_rng(1).random(2000) ** 6,
    "exponential": np.random.default_rng(2).exponential(size=2000),
    "half zero": np.r_[np.zeros(1000), np.random.default_rng(3).random(1000)],
    "huge": 1e300 * np.random.default_rng(4).random(500),
}


@pytest.mark.parametrize("name", POOLS)
def test_kmeans_strata_are_nearly_the_best(name):
    scores = POOLS[name]
    labels = kmeans_strata(scores, 10)
    assert np.array_equal(np.unique(labels), np.arange(10))
    assert (np.diff(labels[np.argsort(scores, kind="stable")]) >= 0).all()
    scaled = scores / scores.max()
    ours = sum(
        ((scaled[labels == h] - scaled[labels == h].mean()) ** 2).sum()
        for h in range(10)
    )
    theirs = KMeans(10, n_init=3, random_state=0).fit(scaled[:, None]).inertia_
    assert ours < 1.15 * theirs


@pytest.mark.parametrize("cut", [kmeans_strata, quantile_strata])
def test_equal_scores_stay_together_and_no_stratum_is_empty(cut):
    for scores, n in (([0.1, 0.1, 0.2], 2), ([1.0] * 5, 1), ([0.0], 1)):
        labels = cut(np.array(scores), 10)
        assert labels.max() + 1 == n
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores = rng.integers(0, 7, size=40) / 7
        labels = cut(scores, int(rng.integers(1, 12)))
        assert set(labels) == set(range(labels.max() + 1))
        for value in np.unique(scores):
            assert len(np.unique(labels[scores == value])) == 1


def test_quantile_strata_are_of_equal_size():
    labels = quantile_strata(np.random.default_rng(0).permutation(1000) / 1000, 10)
    assert np.bincount(labels).tolist() == [100] * 10


def test_share_strata():
    labels = share_strata(np.arange(20)[::-1], (0.8, 0.1, 0.1))
    assert labels.tolist() == [2, 2, 1, 1] + [0] * 16
    assert share_strata(np.array([0.5]), (0.8, 0.1, 0.1)).tolist() == [0]


def test_merged_strata_are_neighbours_of_least_deviation():
    scores = np.array([0.0, 0.0, 0.1, 0.1, 0.8, 1.0])
    labels = np.array([0, 0, 2, 2, 5, 6])
    merged, parts = merge_strata(labels, scores, 3)
    assert merged.tolist() == [0, 0, 0, 0, 1, 2]
    assert parts == [[0, 2], [5], [6]]
    merged, parts = merge_strata(labels, scores, 1)
    assert merged.tolist() == [0] * 6
    assert parts == [[0, 2, 5, 6]]
    assert merge_strata(labels, scores, 9)[1] == [[0], [2], [5], [6]]


def test_bins_hold_both_edges():
    values = np.maximum(np.random.default_rng(0).normal(size=(300, 4)), 0)
    values[:, 3] = 7  # does not vary: left out
    bins = bin_numbers(values, 29)
    assert bins.shape == (300, 3)
    for j in range(3):
        expected, _ = np.histogram(values[:, j], bins=29)
        counted = histograms(bins, 29)[j]
        assert counted.sum() == 300  # the zeros of a ReLU are in the first bin
        assert np.abs(counted - expected).sum() <= 2  # rounding at inner edges


def test_divergence_is_the_sum_of_kullback_leibler():
    rng = np.random.default_rng(0)
    bins = bin_numbers(rng.normal(size=(60, 5)), 6)
    pool = histograms(bins, 6)
    with np.errstate(divide="ignore"):
        log_pool = np.log(pool / 60)
    sample, groups = np.arange(10), random_groups(rng, 50, 8, 4) + 10
    change = divergences(bins[groups], histograms(bins[sample], 6), log_pool)

    def divergence(ids):
        share = histograms(bins[ids], 6) / len(ids)
        some = share > 0
        return (share[some] * (np.log(share[some]) - log_pool[some])).sum()

    # n KL = sum(c log c - c log P) - columns n log n; the change leaves out the rest
    for group, moved in zip(groups, change, strict=True):
        after = 14 * (divergence(np.r_[sample, group]) + 5 * np.log(14))
        before = 10 * (divergence(sample) + 5 * np.log(10))
        assert moved == pytest.approx(after - before, abs=1e-9)


def test_groups_are_of_distinct_units():
    rng = np.random.default_rng(0)
    for n_free in (5, 12, 40, 45, 1000):
        groups = random_groups(rng, n_free, 200, 5)
        assert groups.shape == (200, 5)
        assert groups.min() >= 0
        assert groups.max() < n_free
        assert all(len(set(group)) == 5 for group in groups.tolist())
