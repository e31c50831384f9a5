"""Strata, shares, plans and repeats of draws, each by its definition."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import chisquare

from skrobust.sampling import BaseSampler, ProportionalSampler, SimpleRandomSampler
from skrobust.sampling.core.estimates import variance_between
from skrobust.sampling.core.label_plan import draws_needed, scaled_to
from skrobust.sampling.designs.fixed_size import rao_hartley_cochran
from skrobust.sampling.designs.ordered_draw import ordered_draw
from skrobust.sampling.designs.partitions import merge_strata
from skrobust.sampling.designs.score_curves import (
    HIGHEST,
    LOWEST,
    ScoreCurves,
    ScoreGroups,
    _grid,
)


def within(scores):
    return ((scores - scores.mean()) ** 2).sum()


@pytest.mark.parametrize("seed", range(8))
def test_neighbouring_strata_are_joined_where_that_adds_least(seed):
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.beta(0.5, 2, 40))
    labels = np.sort(rng.choice([0, 1, 3, 4, 6, 7, 9], 40))  # of unequal sizes
    groups = [scores[labels == k] for k in np.unique(labels)]
    parts = [[k] for k in np.unique(labels).tolist()]
    while len(groups) > 1:
        added = [
            within(np.r_[one, two]) - within(one) - within(two)
            for one, two in pairwise(groups)
        ]
        k = int(np.argmin(added))
        groups[k : k + 2] = [np.r_[groups[k], groups[k + 1]]]
        parts[k : k + 2] = [parts[k] + parts[k + 1]]
        found, old = merge_strata(labels, scores, len(groups))
        assert old == parts
        expected = [k for k, group in enumerate(groups) for _ in group]
        assert found.tolist() == expected


def test_groups_of_scores_have_the_logit_of_their_middle_unit():
    p = np.random.default_rng(0).beta(0.7, 3, 5000)
    groups = ScoreGroups(p)
    sizes = set()
    for k in range(len(groups.sizes)):
        inside = np.sort(np.clip(p[groups.of == k], LOWEST, HIGHEST))[::-1]
        assert len(inside) == groups.sizes[k]
        assert groups.top[k] == inside[0]
        assert groups.logit[k] == logit(inside[len(inside) // 2])
        sizes.add(len(inside))
    assert max(sizes) > 20


def test_prior_weights_of_curves_sum_to_one_along_each_axis():
    shift, slope, errors, log_prior = _grid()
    weight = np.exp(log_prior)
    assert weight.sum() == pytest.approx(1, abs=1e-12)
    # The three are independent: each weight is the product of three sums.
    product = np.ones(len(weight))
    for axis in (shift, slope, errors):
        place = np.unique(axis, return_inverse=True)[1]
        product *= np.bincount(place, weight)[place]
    assert weight == pytest.approx(product)


def made_curves(variance, sizes):
    curves = object.__new__(ScoreCurves)
    curves.groups = SimpleNamespace(sizes=np.array(sizes))
    curves.variance = np.array(variance)
    return curves


@pytest.mark.parametrize("floor", [0.0, 0.3, 0.8])
def test_shares_of_least_average_error_are_the_roots_of_the_mean_variance(floor):
    """With a floor they are cut at it, in units of uniform draws."""
    variance = [[0.01, 0.04, 0.25], [0.002, 0.09, 0.16]]
    sizes, weights = [700, 200, 100], np.array([0.7, 0.3])
    share = np.array(sizes) / 1000
    relative = np.array(variance) / (np.array(variance) @ share)[:, None]
    h = np.sqrt(weights @ relative)
    h = np.maximum(h / (h @ share), floor)
    found = made_curves(variance, sizes).safe_shares(weights, 1.0, floor)
    assert found == pytest.approx(h / (h @ share))
    assert found @ share == pytest.approx(1)


@pytest.mark.parametrize("aversion", [2, 5])
def test_shares_for_the_worst_curves_are_a_stationary_point(aversion):
    """Of the mean k-th power of the relative variance, over shares of mean 1."""
    variance = np.array([[0.01, 0.04, 0.25], [0.2, 0.09, 0.02]])
    sizes, weights = [700, 200, 100], np.array([0.9, 0.1])
    share = np.array(sizes) / 1000
    relative = variance / (variance @ share)[:, None]
    found = made_curves(variance, sizes).safe_shares(weights, aversion, 0.0)

    def error(h):
        return weights @ (relative @ (share / h)) ** aversion

    least = error(found)
    for step in np.random.default_rng(0).normal(size=(200, 3)):
        h = found * np.exp(0.05 * step)
        assert error(h / (h @ share)) > least * (1 - 1e-4)


@pytest.mark.parametrize("n_pool", [50, 400])
@pytest.mark.parametrize("half_width", [0.03, 0.08, 0.2])
def test_a_plan_of_groups_has_the_correction_of_a_finite_pool(n_pool, half_width):
    """Of uniform draws of one input in each group: n draws without replacement."""
    p = np.full(n_pool, 0.3)
    n = draws_needed(p, 0.0, 1 / n_pool + 0 * p, half_width, 0.95, in_groups=True)

    def half(n):
        # The variance of all outcomes, those of one input included, over n.
        spread = n_pool * (n_pool * 0.3 - 0.3**2 * n_pool) / n_pool**2
        return 1.959963984540054 * np.sqrt(spread * (n_pool - n) / (n_pool - 1) / n)

    assert half(n) <= half_width * (1 + 1e-9)
    assert n == 2 or half(n - 1) > half_width * (1 - 1e-9)


def test_a_plan_of_groups_counts_the_pool_less_one():
    """The half-width of 9 of 10 draws lies between the two ways to count."""
    p, spread = np.full(10, 0.5), 0.25
    exact = 1.959963984540054 * np.sqrt(spread * 1 / 9 / 9)
    for goal, expected in ((exact * 1.001, 9), (exact * 0.999, 10)):
        assert draws_needed(p, 0.0, p / 5, goal, 0.95, in_groups=True) == expected


@pytest.mark.parametrize("rate", [1e-12, 1e-6, 0.01, 0.3, 0.6, 0.7])
@pytest.mark.parametrize("unit", [1.0, 1e-3, 50.0])
def test_scaled_scores_have_the_mean_that_is_asked_for(rate, unit):
    scores = unit * np.random.default_rng(0).beta(0.5, 2, 300)
    scores[:100] = 0
    p = scaled_to(scores, rate)
    assert p.mean() == pytest.approx(rate, rel=1e-6, abs=0)
    assert p.max() <= 1
    open_ = (p < 1) & (p > 0)
    if open_.any() and rate < 2 / 3:
        ratio = p[open_] / scores[open_]
        assert ratio == pytest.approx(np.full(len(ratio), ratio[0]))
        assert (scores[p == 1] >= scores[open_].max()).all()


@pytest.mark.parametrize("weights", [[0.6, 0.4], [0.5, 0.3, 0.2], [0.9, 0.05, 0.05]])
def test_where_a_weight_is_half_or_more_squares_are_weighed_plainly(weights):
    weights, z = np.array(weights), np.array([0.1, 0.5, 0.3])[: len(weights)]
    mean = weights @ z
    expected = (weights**2 * (z - mean) ** 2).sum() / (1 - (weights**2).sum())
    assert variance_between(z, weights) == pytest.approx(expected)


def test_all_the_weight_on_one_value_tells_nothing_of_its_variance():
    assert np.isnan(variance_between(np.array([0.1, 0.4]), np.array([0.0, 1.0])))


def test_weights_below_half_give_an_unbiased_variance():
    """Over all signs of values whose variances are known."""
    weights, sd = np.array([0.45, 0.35, 0.2]), np.array([1.0, 3.0, 0.5])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
    found = np.mean([variance_between(7 + sd * sign, weights) for sign in signs])
    assert found == pytest.approx((weights**2 * sd**2).sum())


class Told(BaseSampler):
    """Draws with probabilities that are told."""

    def __init__(self, q=None):
        self.estimator, self.auxiliary, self.random_state = None, "confidence", 0
        self.q = q

    def _probabilities(self, taken):
        return np.array(self.q)


@pytest.mark.parametrize(
    "q",
    [
        [-0.2, 0.6, 0.6],
        [-0.999, 0.999, 1.0],
        [0.3, 0.3, 0.3],
        [0.5, 0.5],
        [np.nan, 0.5, 0.5],
        [0.5, 0.5, 0.0, 0.0],
    ],
    ids=str,
)
def test_numbers_that_are_no_probabilities_of_a_draw_are_refused(q):
    with pytest.raises(ValueError, match="must return 3 probabilities that sum to 1"):
        Told(q).fit(np.array([0.1, 0.2, 0.3])).ask()


def skewed(seed, n_pool=40):
    scores = np.random.default_rng(0).permutation(
        np.r_[[0.9, 0.8, 0.5], 0.01 * np.ones(37)]
    )
    sampler = ProportionalSampler(replacement=True, floor=0.0, random_state=seed)
    return sampler.fit(scores)


def draws_of(sampler):
    """Return the inputs of all draws, in which known ones come again."""
    answered = sampler._answered()[0]
    rounds = (answered.designs[t]["draws"] for t in sorted(answered.designs))
    return answered.ids[
        np.concatenate([np.array(draws, dtype=int) for draws in rounds])
    ]


@pytest.mark.parametrize("sizes", [[40], [1] * 40, [3, 7, 1, 9, 20]])
def test_draws_with_replacement_are_as_many_as_the_pool_at_most(sizes):
    sampler, before = skewed(1), 0
    for n in sizes:
        ids = sampler.ask(n)
        sampler.tell(ids, failed=np.zeros(n))
        n_draws = len(draws_of(sampler))
        assert before <= n_draws <= 40
        before = n_draws
    assert n_draws == 40


def test_draws_with_replacement_are_independent():
    """Those of a census, up to the size of the pool, are draws of the scores."""
    counts, alike, pairs = np.zeros(40), 0, 0
    for seed in range(150):
        sampler = skewed(seed)
        sampler.tell(sampler.ask(40), failed=np.zeros(40))
        draws = draws_of(sampler)
        counts += np.bincount(draws, minlength=40)
        alike += (draws[1:] == draws[:-1]).sum()
        pairs += 39
    p = sampler._p
    assert chisquare(counts, counts.sum() * p).pvalue > 1e-3
    chance = (p**2).sum()
    assert abs(alike / pairs - chance) < 4 * np.sqrt(chance * (1 - chance) / pairs)


LABELS = {
    None: "Half of the labels are mispredictions, the worst case; ",
    0.8: "0.2 of the labels are mispredictions, as expected; ",
}
LOSSES = {
    None: "All outcomes lie at the ends of the range, half at each, the worst case; ",
    0.8: "All outcomes lie at the ends of the range, the worst case; ",
}


@pytest.mark.parametrize("expected", [None, 0.8])
def test_a_plan_says_what_it_assumes(expected):
    sampler = SimpleRandomSampler(random_state=0).fit(np.zeros(200))
    plan = sampler.plan(0.1, expected_accuracy=expected)
    assert plan.assumption == f"{LABELS[expected]}hypergeometric interval."
    sampler = SimpleRandomSampler(loss_range=(0, 4), random_state=0).fit(np.zeros(200))
    sampler.tell(sampler.ask(2), loss=[0.0, 4.0])
    plan = sampler.plan(0.5, expected_accuracy=expected)
    assert plan.assumption == f"{LOSSES[expected]}hypergeometric interval."


def test_curves_of_known_scores_are_the_scores():
    groups = ScoreGroups(np.linspace(0.01, 0.9, 300))
    curves = ScoreCurves(groups, known=True)
    assert curves.mean(np.ones(1)) == pytest.approx(expit(groups.logit))


@pytest.mark.parametrize("rate", [0.02, 0.5, 0.9])
@pytest.mark.parametrize(
    "scores",
    [
        [1e200, 1e-200],
        [1.0, 1e-320],
        [0.3, 1e-310, 1e-320, 0.0],
        10.0 ** -np.arange(300),
        np.r_[np.ones(5), 2.0 ** -np.arange(400)],
    ],
)
def test_scores_of_any_size_are_scaled_to_the_mean_that_is_asked_for(scores, rate):
    scores = np.array(scores)
    p = scaled_to(scores, rate)
    assert p.mean() == pytest.approx(rate)
    assert ((p >= 0) & (p <= 1)).all()
    assert (np.diff(p[np.argsort(scores)]) >= -1e-12).all()


def test_a_group_of_little_weight_is_drawn_from_as_its_weights_are():
    """The units of a group share its line, however short the group's own sum is."""
    small = np.array([1e-10, 3e-10])
    p = np.r_[0.5, 0.5 - small.sum(), small]
    for uniform, unit, share in ((0.2, 2, 0.25), (0.3, 3, 0.75), (0.99, 3, 0.75)):
        uniforms = np.array([0.3, uniform])
        ids, pi, *_ = rao_hartley_cochran(p, 2, np.arange(4), uniforms)
        assert ids.tolist() == [0, unit]
        assert pi[1] == pytest.approx(share)


@pytest.mark.parametrize("seed", range(5))
def test_the_last_cell_ends_with_the_last_unit(seed):
    """Sums of rounded numbers may reach the end of the line, never beyond it."""
    rng, last = np.random.default_rng(seed), np.nextafter(1, 0)
    for n in (1, 2, 3, 7, 40):
        pi = rng.uniform(0.1, 0.9, size=3 * n)
        pi *= n / pi.sum()
        drawn = ordered_draw(pi, np.full(n, last))
        assert drawn[-1] == len(pi) - 1
        assert (np.diff(drawn) > 0).all()
