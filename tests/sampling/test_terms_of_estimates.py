"""Terms of estimates and bounds, each beside its formula, with made-up parts."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest

from skrobust.sampling import (
    DeepESTSampler,
    OperationalSampler,
    SimpleRandomSampler,
    accuracy_with_label_noise,
)
from skrobust.sampling.core.anytime import BETS, _bets
from skrobust.sampling.core.assistance import ClassPredictor, Predicted
from skrobust.sampling.core.estimates import Estimate
from skrobust.sampling.core.paired_difference import newcombe_bounds
from skrobust.sampling.core.pool import own_generator
from skrobust.sampling.core.rate_interval import unseen_bounds
from skrobust.sampling.core.totals_ratio import proportion_ends
from skrobust.sampling.designs.batches import batch_weights
from skrobust.sampling.designs.expected_error import expected_error


@dataclass
class Part:
    y: np.ndarray
    method: str = "t"


@pytest.mark.parametrize("r", [-0.8, -0.3, 0.0, 0.6])
def test_ends_of_a_paired_difference_are_newcombes(r):
    y = np.array([1, 1, 0, 0, -1, 1, 0, 0, 0, 0])
    errors = {0.3: 0.15, 0.1: 0.09}  # of the share that each model alone has right
    ends = {0.3: (0.1, 0.6), 0.1: (0.02, 0.4)}
    design = SimpleNamespace(
        _combine=lambda one: Estimate(
            one.y.mean(), errors[round(one.y.mean(), 3)], 9, 9
        ),
        _interval=lambda one, estimate, query: (*ends[round(one.y.mean(), 3)], "", []),
    )
    variance = 0.15**2 + 0.09**2 - 2 * r * 0.15 * 0.09
    found = SimpleNamespace(rate=0.2, std_error=np.sqrt(variance))
    low, high = newcombe_bounds(design, Part(y), Part(y), found, True)

    def length(x, z):
        return np.sqrt(x**2 + z**2 - 2 * r * x * z)

    assert low == pytest.approx(0.2 - length(0.3 - 0.1, 0.4 - 0.1))
    assert high == pytest.approx(0.2 + length(0.6 - 0.3, 0.1 - 0.02))


@pytest.mark.parametrize("seen", [0.0, 1.0, 0.25])
@pytest.mark.parametrize("floor", [1e-9, 0.002, 0.01])
def test_unseen_outcomes_are_as_many_as_the_misses_allow(seen, floor):
    n_pool, tail = 40, 0.05
    floors = np.full(15, floor)
    allowed = [k for k in range(26) if (1 - k * floor) ** 15 > tail]
    share = max(allowed) / n_pool
    expected = seen * (1 - share), seen + (1 - seen) * share
    assert unseen_bounds(seen, floors, n_pool, tail) == pytest.approx(expected)


@pytest.mark.parametrize("believed", [False, True])
@pytest.mark.parametrize("far", [0.01, 0.9])
def test_the_expected_variance_is_at_least_that_of_believed_scores(believed, far):
    of, y = np.array([0, 0, 1, 1, 1, 0]), np.array([0.0, 1.0, 1.0])
    ids, mean = np.array([0, 2, 4]), np.array([far, 0.5])
    curves = SimpleNamespace(
        groups=SimpleNamespace(of=of, sizes=np.array([3, 3])),
        mean=lambda w: mean, outcome_variance=lambda w: mean * (1 - mean),
    )  # fmt: skip
    answered = SimpleNamespace(
        ids=ids, y=y, n_pool=6, graded=False, planned=np.array([1, 1, 1]),
        sizes=np.array([1, 1, 1]), pi=np.array([0.2, 0.3, 0.5]),
    )  # fmt: skip
    rate, variance = expected_error(answered, curves, None, are_believed=believed)
    assert rate == pytest.approx((2 + 2 * far + 1 * 0.5) / 6)
    each = batch_weights(answered.planned) ** 2 * (1 - answered.pi) / answered.pi**2
    p = mean[of[ids]]
    expected = (each * p * (1 - p)).sum()
    if believed:
        expected = max(expected, (each * (y - p) ** 2).sum())
    assert variance == pytest.approx(expected / 36)


def test_a_pool_that_is_nearly_answered_leaves_less_open():
    once, twice = [[0, None]] * 170 + [[1, None]] * 30, [[0, 0]] * 44 + [[0, 1]] * 6
    free = accuracy_with_label_noise(once + twice)
    widths = [free.interval[1] - free.interval[0]]
    for n_pool in (2000, 400, 260):
        found = accuracy_with_label_noise(once + twice, n_pool=n_pool)
        assert found.accuracy == free.accuracy
        widths.append(found.interval[1] - found.interval[0])
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.9 * widths[0]


def test_words_of_results():
    rng = np.random.default_rng(0)
    y = rng.normal(size=30)
    sampler = SimpleRandomSampler(
        loss=lambda y_true, y_pred: np.abs(y_true - y_pred), loss_range=(0.5, 9),
        random_state=0,
    )  # fmt: skip
    sampler.fit(np.zeros(30), y_pred=y)
    ids = sampler.ask(5)
    sampler.tell(ids, y_true=y[ids] + 1)
    result = sampler.result()
    assert result.failure_kind == "losses above 0.5"
    assert result.value == pytest.approx(1)
    labels = SimpleRandomSampler(random_state=0).fit(np.zeros(9))
    labels.tell(labels.ask(9), failed=np.zeros(9))
    assert labels.result().failure_kind == "mispredictions"
    html = labels._repr_html_()
    assert html.endswith(labels._state_html())
    assert "9" in labels._state_html()


@pytest.mark.parametrize(("hits", "n"), [(1, 9), (30, 40), (199, 200)])
def test_the_ends_of_a_proportion_of_plain_draws_are_those_of_clopper_and_pearson(
    hits, n
):
    """With the standard error of a binomial share, and as good as known."""
    share = hits / n
    ends = proportion_ends(share, np.sqrt(share * (1 - share) / n), 1e12, 0.025)
    expected = binomtest(hits, n).proportion_ci(0.95, method="exact")
    assert_allclose(ends, expected, rtol=1e-6)


def test_bets_are_by_the_standard_deviation_of_earlier_rounds():
    rng = np.random.default_rng(0)
    z, width = rng.random(12), rng.uniform(0.5, 2, 12)
    found, squares = _bets(z, width), 0.0
    for t in range(1, 13):
        variance = (width[:t].max() ** 2 / 4 + squares) / t  # one round of a half
        assert found[:, t - 1] == pytest.approx(BETS[:, 0] / np.sqrt(variance))
        mean = (width[t - 1] / 4 + z[:t].sum()) / (t + 0.5)
        squares += (z[t - 1] - mean) ** 2


@pytest.mark.parametrize("n_labels", [1, 2, 3, 5])
def test_the_other_labels_share_what_the_predicted_one_leaves(n_labels):
    rng = np.random.default_rng(n_labels)
    y_pred, wrong = rng.integers(0, n_labels, 30), rng.random(30)
    sampler = SimpleNamespace(n_pool_=30, y_pred_=y_pred, estimator=None)
    labels = list(range(n_labels))
    known = ClassPredictor(sampler, None, wrong, labels, "here")
    for label in labels:
        share = wrong / (n_labels - 1) if n_labels > 1 else wrong
        expected = np.where(y_pred == label, 1 - wrong, share)
        assert known.probability(wrong, label) == pytest.approx(expected)
    assert known.correct(wrong) == pytest.approx(1 - wrong)
    if n_labels > 1:
        total = sum(known.probability(wrong, label) for label in labels)
        assert total == pytest.approx(np.ones(30))


def test_predictions_minus_others_are_those_of_each_draw_and_of_the_free_sums():
    one = Predicted(np.array([1.0, 2.0, 5.0]), np.array([7.0, 3.0]))
    other = Predicted(np.array([0.5, -1.0, 2.0]), np.array([4.0, -6.0]))
    found = one.minus(0.25, other)
    assert found.m.tolist() == [0.875, 2.25, 4.5]
    assert found.m_free.tolist() == [6.0, 4.5]


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState])
def test_a_given_generator_seeds_one_of_its_own_with_128_bits(kind):
    given, other = kind(3), kind(3)
    found = own_generator(given, "here")
    draw = other.integers if kind is np.random.default_rng else other.randint
    seed = draw(2**32 if kind is np.random.default_rng else 2**31, size=4)
    expected = np.random.default_rng(seed)
    assert found.random(5).tolist() == expected.random(5).tolist()
    state = [one.bytes(8) for one in (given, other)]
    assert state[0] == state[1]  # advanced by those four numbers


@pytest.mark.parametrize("n_failures", [0, 2, 10, 18, 20])
def test_the_rarer_outcome_says_how_far_curves_are_trusted(n_failures):
    scores = np.random.default_rng(0).beta(0.5, 2, 300)
    sampler = OperationalSampler(random_state=0).fit(scores)
    ids = sampler.ask(20)
    failed = np.arange(20) < n_failures
    sampler.tell(ids, failed=failed).ask(5)
    curves, weights = sampler._curves, sampler._weights(ids, failed)
    aversion = 1 + 3 * 6 / (6 + min(n_failures, 20 - n_failures))
    shares = curves.safe_shares(weights, aversion, sampler.exploration)
    np.testing.assert_allclose(sampler._last_fit[-1], shares)


SPREAD = {
    "mean+2sd": lambda p: p.mean() + 2 * p.std(),
    "mean+sd": lambda p: p.mean() + p.std(),
    "mean+var": lambda p: p.mean() + p.var(),
}


@pytest.mark.parametrize("rule", SPREAD)
@pytest.mark.parametrize("largest", [0.0, 1e-200, 0.2, 1.0, 30.0])
def test_thresholds_of_scores_are_mean_and_spread(rule, largest):
    scores = largest * np.linspace(0, 1, 11) ** 2
    sampler = DeepESTSampler(threshold=rule, random_state=0).fit(scores)
    assert sampler.threshold_ == pytest.approx(SPREAD[rule](scores), rel=1e-9, abs=0)


def test_a_difference_needs_two_labels_and_no_more():
    y, old, new = np.zeros(30, int), np.arange(30) % 2, np.arange(30) % 3 % 2
    sampler = SimpleRandomSampler(random_state=0).fit(np.zeros(30), y_pred=old)
    sampler.add_model("new", y_pred=new)
    for n in (1, 2, 3):
        sampler.tell(ids := sampler.ask(1), y[ids])
        found = sampler.compare("new")
        assert (found.method == "none") == np.isnan(found.value) == (n < 2)
    told = sampler.ids_
    correct = (y == new).astype(int) - (y == old)
    assert found.value == pytest.approx(correct[told].mean())
