"""Precision, recall, F1 and parts of the pool: exact once all is known."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import f1_score, precision_score, recall_score
from small_samplers import P7, InBatches, answered, make, sequences

from skrobust.sampling import DeepESTSampler, Estimate, SimpleRandomSampler
from skrobust.sampling.core.ratio_estimator import RatioEstimator

RNG = np.random.default_rng(2)
N = 300
SCORES = RNG.beta(0.6, 2, size=N)
PREDICTED = RNG.choice(["cat", "dog", "owl"], size=N)
FAILED = RNG.random(N) < SCORES
SHIFT = {"cat": "dog", "dog": "owl", "owl": "cat"}
TRUE = np.where(FAILED, [SHIFT[p] for p in PREDICTED], PREDICTED)
GROUPS = RNG.choice([3, 5], size=N)
SAMPLERS = [
    SimpleRandomSampler(random_state=0),
    DeepESTSampler(random_state=0),
    InBatches(random_state=0),
]
every_sampler = pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
LABELS = ["cat", "dog", "owl"]
SCORERS = {"precision": precision_score, "recall": recall_score, "f1": f1_score}


def asked(sampler, n):
    sampler = clone(sampler).fit(SCORES, y_pred=PREDICTED)
    sampler.sample(n, lambda ids: TRUE[ids])
    return sampler


@every_sampler
def test_a_census_is_scikit_learn(sampler):
    sampler = asked(sampler, N)
    for name, score in SCORERS.items():
        expected = score(TRUE, PREDICTED, labels=LABELS, average=None)
        found = sampler.metric(name)
        assert list(found) == LABELS
        for label, value in zip(LABELS, expected, strict=True):
            assert found[label].value == pytest.approx(value, abs=1e-12)
            assert found[label].interval == pytest.approx((value, value), abs=1e-12)
            assert found[label].std_error == 0
        part = GROUPS == 3
        inside = score(TRUE[part], PREDICTED[part], labels=LABELS, average=None)
        assert sampler.metric(name, label="owl", groups=part).value == (
            pytest.approx(inside[2], abs=1e-12)
        )
    by_group = sampler.metric(groups=GROUPS)
    assert list(by_group) == [3, 5]
    for group, one in by_group.items():
        assert one.value == pytest.approx(1 - FAILED[group == GROUPS].mean())


@every_sampler
def test_the_whole_pool_is_the_result(sampler):
    sampler = asked(sampler, 80)
    result = sampler.result(method="t")
    whole = sampler.metric()
    assert whole.value == pytest.approx(result.accuracy, abs=1e-12)
    assert whole.std_error == pytest.approx(result.std_error, rel=1e-9)
    mask = np.ones(N, dtype=bool)
    assert sampler.metric(groups=mask).value == pytest.approx(result.accuracy)
    mean = sampler.estimate(lambda true, predicted: true != predicted)
    if not sampler._draws.snapshots:
        assert 1 - mean.value == pytest.approx(result.accuracy)
        assert mean.std_error == pytest.approx(result.std_error)


@pytest.mark.parametrize("design", ["paper", "released", "floored"])
def test_parts_of_known_size_are_exactly_unbiased(design):
    part = np.array([1, 0, 1, 1, 0, 1, 0], dtype=bool)
    sampler = make(design, P7)
    drawn = list(sequences(design, P7, 3))
    chance = np.array([steps.prod() for _, steps in drawn])
    for bits in list(product((0, 1), repeat=7))[3::25]:
        failed = np.array(bits, dtype=bool)
        query = RatioEstimator(sampler, 0.95, "")
        found = [query.failures_in(answered(failed, *one), part)[0] for one in drawn]
        value, std_error = np.array([(e.rate, e.std_error) for e in found]).T
        truth = 1 - failed[part].mean()
        assert chance @ value == pytest.approx(truth, abs=1e-9)
        variance = chance @ (value - truth) ** 2
        assert chance @ std_error**2 == pytest.approx(variance, abs=1e-9)


@every_sampler
def test_ratios_are_right_in_the_mean_and_their_intervals_cover(sampler):
    truth = {
        (name, "dog"): score(TRUE, PREDICTED, labels=["dog"], average="macro")
        for name, score in SCORERS.items()
    }
    found = {key: [] for key in truth}
    for seed in range(150):
        one = asked(clone(sampler).set_params(random_state=seed), 120)
        for name, label in truth:
            found[name, label].append(one.metric(name, label=label))
    for key, expected in truth.items():
        values = np.array([one.value for one in found[key]])
        error = np.std(values) / np.sqrt(len(values))
        assert abs(values.mean() - expected) < 4 * error + 0.01  # ratios lean a little
        stated = np.mean([one.std_error for one in found[key]])
        assert stated == pytest.approx(np.std(values), rel=0.25)
        covered = [one.interval[0] <= expected <= one.interval[1] for one in found[key]]
        assert np.mean(covered) > 0.85


@every_sampler
def test_labels_are_needed_for_recall_alone(sampler):
    by_failed = clone(sampler).fit(SCORES, y_pred=PREDICTED)
    ids = by_failed.ask(60)
    by_failed.tell(ids, failed=FAILED[ids])
    by_label = asked(sampler, 60)
    assert repr(by_failed.metric("precision")) == repr(by_label.metric("precision"))
    first = ids[FAILED[ids]][0]
    for call in (
        lambda: by_failed.metric("recall", label="cat"),
        lambda: by_failed.estimate(lambda true, predicted: true == predicted),
    ):
        with pytest.raises(ValueError, match=f"true label of id {first}, which was to"):
            call()
    by_failed.correct(ids, TRUE[ids])
    assert repr(by_failed.metric("recall")) == repr(by_label.metric("recall"))


@every_sampler
def test_skipped_answers_widen(sampler):
    sampler = clone(sampler).fit(SCORES, y_pred=PREDICTED)
    ids = sampler.ask(80)
    answers = TRUE[ids].tolist()
    at = int(np.flatnonzero(PREDICTED[ids] == "cat")[0])
    answers[at] = None
    sampler.tell(ids, answers)
    result = sampler.metric("precision", label="cat")
    assert "could be correct or mispredicted" in result.warnings[0]
    for answer in LABELS[:2]:
        other = type(sampler).from_json(sampler.to_json())
        one = other.tell(ids[at], answer).metric("precision", label="cat")
        assert result.interval[0] <= one.interval[0] <= one.interval[1]
        assert one.interval[1] <= result.interval[1]
    with pytest.raises(ValueError, match="which was skipped"):
        sampler.metric("recall", label="cat")


@every_sampler
def test_what_was_never_met_is_not_claimed(sampler):
    sampler = clone(sampler).fit(SCORES, y_pred=PREDICTED)
    empty = sampler.metric("precision", label="cat")
    assert np.isnan(empty.value)
    assert empty.interval == (0, 1)
    assert empty.warnings
    sampler.sample(40, lambda ids: TRUE[ids])
    unmet = np.ones(N, dtype=bool)
    unmet[sampler.ids_] = False
    nothing = sampler.metric(groups=unmet)
    assert np.isnan(nothing.value)
    assert nothing.interval == (0, 1)
    right = np.flatnonzero(~FAILED)
    calm = clone(sampler).fit(SCORES[right], y_pred=PREDICTED[right])
    calm.sample(40, lambda ids: TRUE[right][ids])
    one = calm.metric("recall", label="cat")
    assert one.interval[1] - one.interval[0] > 0.01


def test_any_number_of_each_input():
    cost = {("cat", "dog"): 5.0, ("dog", "owl"): 1.0, ("owl", "cat"): 2.0}

    def costs(true, predicted):
        return [cost.get(pair, 0.0) for pair in zip(predicted, true, strict=True)]

    exact = np.mean(costs(TRUE, PREDICTED))
    values = []
    for seed in range(150):
        sampler = asked(DeepESTSampler(random_state=seed), 100)
        values.append(sampler.estimate(costs).value)
    error = np.std(values) / np.sqrt(len(values))
    assert abs(np.mean(values) - exact) < 4 * error
    census = asked(DeepESTSampler(random_state=0), N)
    ratio = census.estimate(costs, lambda true, predicted: true != predicted)
    assert ratio.value == pytest.approx(exact / FAILED.mean())
    assert ratio.interval == pytest.approx((ratio.value, ratio.value))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.metric("auc"), "'name' parameter"),
        (lambda s: s.metric(label="cat"), "label= goes with"),
        (lambda s: s.metric(groups=[1, 2]), "each of the 300 inputs"),
        (lambda s: s.metric(groups=np.ones((N, 2))), "each of the 300 inputs"),
        (lambda s: s.metric(confidence=95), "'confidence' parameter"),
        (lambda s: s.estimate(lambda t, p: 1.0), "one finite number"),
        (lambda s: s.estimate(lambda t, p: np.full(40, np.nan)), "one finite number"),
        (lambda s: s.estimate(len, confidence=2), "'confidence' parameter"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call(asked(SimpleRandomSampler(random_state=0), 40))


def test_predictions_are_needed():
    sampler = DeepESTSampler(random_state=0).fit(SCORES)
    sampler.sample(30, lambda ids: FAILED[ids])
    with pytest.raises(ValueError, match="precision needs predicted labels"):
        sampler.metric("precision")
    with pytest.raises(ValueError, match="needs predicted labels"):
        sampler.estimate(lambda true, predicted: true == predicted)
    assert 0 < sampler.metric(groups=GROUPS == 3).value < 1.2


@pytest.mark.parametrize("rate", [-0.5, -0.02, 0.0, 0.01, 0.99, 1.02, 1.5])
def test_an_interval_beyond_the_possible_is_all_that_is_possible(rate):
    sampler = asked(SimpleRandomSampler(random_state=0), 30)
    ratios = RatioEstimator(sampler, 0.95, "here")
    estimate = Estimate(rate, 0.01, 1e9, 30.0)
    ratios.ratio = lambda *given: (estimate, [])
    graded = replace(ratios.answered, graded=True)  # no share: normal ends
    found = ratios._proportion(graded, np.ones(30), np.ones(30))
    ends = rate - 1.96 * 0.01, rate + 1.96 * 0.01
    beyond = ends[0] >= 1 or ends[1] <= 0
    expected = (0, 1) if beyond else np.clip(ends, 0, 1)
    assert found.interval == pytest.approx(tuple(expected), abs=1e-4)
    assert found.value == np.clip(rate, 0, 1)
    assert found.unbiased_value == rate
    assert any("outside [0, 1]" in text for text in found.warnings) == beyond
