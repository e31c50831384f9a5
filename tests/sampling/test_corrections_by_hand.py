"""Corrections, ratios and bets: each term by hand, by differences, or by a law."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import t

from skrobust.sampling import (
    DeepESTSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    estimate_annotator_noise,
    estimate_label_noise,
    two_phase_accuracy,
)
from skrobust.sampling.annotators.annotator_correction import (
    _Correction,
    corrected_by_annotator,
)
from skrobust.sampling.annotators.noise_correction import corrected
from skrobust.sampling.core.anytime import betting_interval
from skrobust.sampling.core.assistance import ClassPredictor, predicted_rounds
from skrobust.sampling.core.estimates import Estimate
from skrobust.sampling.core.paired_difference import newcombe_bounds
from skrobust.sampling.core.ratio_estimator import RatioEstimator

SCORES = np.random.default_rng(0).beta(1, 3, 80)
FAILED = np.random.default_rng(1).random(80) < SCORES


@dataclass
class Drawn:
    y: np.ndarray
    pi: float = 1.0
    sizes: int = 1
    n_pool: int = 80
    graded: bool = False

    @property
    def n(self):
        return len(self.y)


KINDS = [SimpleRandomSampler, DeepESTSampler, StratifiedSampler]


def told(kind, n=30, **pool):
    sampler = kind(random_state=0).fit(SCORES, **pool)
    for _ in range(2):
        ids = sampler.ask(n // 2)
        sampler.tell(ids, failed=FAILED[ids])
    return sampler


def correction_of(sampler, rate, n_classes):
    answered = sampler._answered()[0]
    first = {i: i % 3 for i in answered.ids.tolist()}
    noise = SimpleNamespace(rate=np.array(rate), n_classes=n_classes, confidence=0.95)
    return _Correction(sampler, answered, first, noise)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_the_variance_of_rates_is_that_of_the_slopes_of_the_estimate(kind, n_classes):
    """g' S g + 2 g' c with the slopes g by finite differences of the estimate."""
    sampler, rate = told(kind), np.array([0.05, 0.1, 0.2])
    rng = np.random.default_rng(2)
    root = 0.05 * rng.normal(size=(3, 3))
    correction = correction_of(sampler, rate, n_classes)
    answered = correction.answered
    centre = correction.estimate(answered).rate

    def estimate(at):
        return correction_of(sampler, at, n_classes).estimate(answered).rate

    step = 1e-6 * np.eye(3)
    g = np.array([(estimate(rate + s) - estimate(rate - s)) / 2e-6 for s in step])
    nobody = SimpleNamespace(covariance=root @ root.T, influence=np.zeros((80, 3)))
    found = correction.variance_of_rates(centre, nobody, {})
    assert found == pytest.approx(g @ nobody.covariance @ g, rel=1e-6)
    # The covariance is that of the estimate from outcomes times the influence.
    influence = 0.1 * rng.normal(size=(80, 3))
    rows = {i: i for i in answered.ids.tolist()[5:]}
    pairs = SimpleNamespace(covariance=root @ root.T, influence=influence)
    shown = np.where(np.arange(30)[:, None] < 5, 0, influence[answered.ids])
    spread = correction.of(answered.y) - centre
    c = np.array([correction._linear(spread * column) for column in shown.T])
    found = correction.variance_of_rates(centre, pairs, rows)
    assert found == pytest.approx(g @ pairs.covariance @ g + 2 * g @ c, rel=1e-6)
    if kind is SimpleRandomSampler:
        assert c == pytest.approx((spread[:, None] * shown).mean(axis=0))


@pytest.mark.parametrize("n", [0, 1])
def test_two_answers_are_needed_to_correct_any(n):
    sampler = SimpleRandomSampler(random_state=0).fit(SCORES)
    if n:
        sampler.tell(sampler.ask(n), failed=np.zeros(n))
    first = dict.fromkeys(sampler.ids_.tolist(), 0)
    with pytest.raises(ValueError, match="here needs two answers"):
        corrected_by_annotator(sampler, first, None, None, None, "here")


@pytest.mark.parametrize("ends", [(0.9, 1.0), (0.97, 1.0)])
def test_without_spread_the_ends_of_both_rates_are_joined_by_their_squares(ends):
    """Answers that all pass have no error that could go with that of the noise."""
    noise = estimate_label_noise([[0, 0]] * 50 + [[1, 1]] * 40 + [[0, 1]] * 10)
    found = corrected(1.0, 0.0, ends, noise, n_used=30, n_pool=None)

    def accuracy(q, e):
        return (q - e) / (1 - 2 * e)

    value = accuracy(1.0, noise.rate)
    by_rate = [accuracy(1.0, rate) for rate in noise.interval]
    length = np.hypot(value - accuracy(ends[0], noise.rate), value - min(by_rate))
    assert found.unbiased_value == pytest.approx(value)
    assert found.interval.low == pytest.approx(min(value - length, 1))
    assert found.interval.high == 1


@pytest.mark.parametrize(
    "answers", [[[0, 1], 5], [5, [0, 1]], [[0, 1], None], [[0, 1], "01"], 5, [[]]]
)
@pytest.mark.parametrize("estimate", [estimate_label_noise, estimate_annotator_noise])
def test_answers_are_a_row_for_each_input(answers, estimate):
    with pytest.raises(
        ValueError, match=r"'answers' parameter.*\(n_inputs, n_answers\)"
    ):
        estimate(answers)


def test_a_judge_who_says_one_half_counts_as_saying_right():
    expert = [1, 1, 0, 1, 0, np.nan]
    found = two_phase_accuracy([0.5, 0.9, 0.6, 0.1, 0.49, 0.5], expert)
    assert found.agreement == 3 / 5


def test_ends_of_a_difference_of_weighted_draws_are_those_of_both_parts():
    """Each part has Student's limits, from 0 on; low and high ones are joined."""
    y = np.array([1, 1, 0, 0, -1, 1, 0, 0, 0, 0.0])
    errors, df = {0.3: 0.1, 0.1: 0.09}, 9.0
    design = SimpleNamespace(
        _combine=lambda one: Estimate(
            one.y.mean(), errors[round(one.y.mean(), 3)], df, df
        ),
        _floor=np.zeros,
    )
    query = SimpleNamespace(tail=0.05)
    r = 0.4
    error = np.sqrt(0.1**2 + 0.09**2 - 2 * r * 0.1 * 0.09)
    found = SimpleNamespace(rate=0.2, std_error=error)
    low, high = newcombe_bounds(design, Drawn(y), query, found, False)
    half = {share: t.isf(0.05, df) * e for share, e in errors.items()}
    down = 0.3 - max(0.3 - half[0.3], 0), half[0.1]
    up = half[0.3], 0.1 - max(0.1 - half[0.1], 0)
    for end, sign, (x, z) in ((low, -1, down), (high, 1, up)):
        length = np.sqrt(x**2 + z**2 - 2 * r * x * z)
        assert end == pytest.approx(0.2 + sign * length)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_draws_exclude_no_mean(n):
    z = np.tile([0.0, 1.0], 2)[:n]
    assert betting_interval(z, np.zeros(n), np.ones(n), 0.95) == (0, 1)


@pytest.mark.parametrize("certain", [[1], [0, 1], [2], [0, 1, 2]])
def test_a_mean_that_one_draw_tells_for_sure_is_known(certain):
    z, low, high = np.array([0.3, 0.5, 0.9]), np.zeros(3), np.ones(3)
    low[certain] = high[certain] = z[certain]
    expected = z[certain[-1]]
    assert betting_interval(z, low, high, 0.95) == (expected, expected)


@pytest.mark.parametrize("n_labels", [2, 3, 5])
def test_probabilities_of_all_classes_sum_to_one(n_labels):
    y_pred = np.arange(80) % n_labels
    sampler = told(SimpleRandomSampler, y_pred=y_pred)
    answered, labels = sampler._answered()[0], list(range(n_labels))
    table = np.random.default_rng(3).dirichlet(np.ones(n_labels), 80)
    for predictor in (SCORES, table):
        classes = ClassPredictor(sampler, answered, predictor, labels, "here")
        ((source, _),) = classes.sources
        every = [classes.probability(source, label) for label in labels]
        assert sum(every) == pytest.approx(np.ones(80))
        right = np.array(every)[y_pred, np.arange(80)]
        assert classes.correct(source) == pytest.approx(right)
        assert classes.probability(source, label=99).sum() == (
            0 if predictor is table else pytest.approx((SCORES / (n_labels - 1)).sum())
        )


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_less_others_are_those_of_the_difference(kind):
    answered = told(kind)._answered()[0]
    sources = [(SCORES, None)]
    one = predicted_rounds(answered, sources, lambda p: p)
    other = predicted_rounds(answered, sources, lambda p: 1 - p**2)
    rest = predicted_rounds(answered, sources, lambda p: p - 0.3 * (1 - p**2))
    found = one.minus(0.3, other)
    assert found.m == pytest.approx(rest.m)
    assert found.m_free == pytest.approx(rest.m_free)
    # A round corrects the sum over what is free by what it draws of it.
    expected = [p.sum() for p in (SCORES, np.delete(SCORES, answered.ids[:15]))]
    if len(one.m_free) == 2:
        assert one.m_free == pytest.approx(expected)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_a_mean_of_costs_has_the_interval_of_student(confidence):
    y_pred = np.arange(80) % 2
    y = np.where(FAILED, 1 - y_pred, y_pred)
    sampler = SimpleRandomSampler(random_state=0).fit(SCORES, y_pred=y_pred)
    sampler.sample(30, y.take)
    found = sampler.estimate(
        lambda true, pred: 3.0 * (true > pred) + (true < pred), confidence=confidence
    )
    ids = sampler.ids_
    cost = 3.0 * (y > y_pred)[ids] + (y < y_pred)[ids]
    error = np.sqrt((1 - 30 / 80) * cost.var(ddof=1) / 30)
    assert found.value == pytest.approx(cost.mean())
    assert found.std_error == pytest.approx(error)
    half = t.ppf((1 + confidence) / 2, 29) * error
    expected = cost.mean() - half, cost.mean() + half
    assert tuple(found.interval) == pytest.approx(expected)


@pytest.mark.parametrize("n_skipped", [1, 3])
def test_skipped_answers_leave_the_range_between_both_extremes(n_skipped):
    sampler = SimpleRandomSampler(random_state=0).fit(SCORES, y_pred=np.ones(80))
    ids = sampler.ask(30)
    failed = [None] * n_skipped + FAILED[ids[n_skipped:]].tolist()
    sampler.tell(ids, failed=failed)
    right = 30 - n_skipped - FAILED[ids[n_skipped:]].sum()
    low, high = right / 30, (right + n_skipped) / 30
    found = sampler.metric("accuracy")
    assert found.value == pytest.approx((low + high) / 2)
    word = "answer" if n_skipped == 1 else "answers"
    assert found.warnings[0] == (
        f"{n_skipped} skipped {word} could be correct or mispredicted: the estimate "
        f"lies between {low:.4f} and {high:.4f} (the middle is shown)."
    )
    assert found.n_used == 30


@pytest.mark.parametrize("kind", [SimpleRandomSampler, DeepESTSampler])
def test_a_ratio_that_never_varies_has_no_error_and_the_freedom_of_its_draws(kind):
    sampler = told(kind, y_pred=np.ones(80))
    answered = sampler._answered()[0]
    ratio = RatioEstimator(sampler, 0.95, "here", None)
    below = 1.0 + FAILED[answered.ids]
    found, notes = ratio.ratio(answered, 0.4 * below, below)
    assert (found.std_error, found.df, notes) == (0, answered.n - 1, [])
    assert found.rate == pytest.approx(0.4)
