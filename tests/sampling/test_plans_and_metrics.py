"""Plans where scores are extreme, and arguments of metrics that are no labels."""

import numpy as np
import pandas as pd
import pytest

from skrobust.sampling import (
    ConfidenceStratifiedSampler,
    DeepESTSampler,
    GradientSampler,
    LivingPool,
    OperationalSampler,
    ProportionalSampler,
    RaoHartleyCochranSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    TwoStageSampler,
)

PLANNED = [
    ConfidenceStratifiedSampler, DeepESTSampler, GradientSampler, OperationalSampler,
    ProportionalSampler, RaoHartleyCochranSampler, SimpleRandomSampler,
    StratifiedSampler, TwoStageSampler,
]  # fmt: skip


@pytest.mark.parametrize("tiny", [0.0, 1e-9])
@pytest.mark.parametrize("kind", PLANNED)
def test_inputs_of_score_zero_may_fail_as_well(kind, tiny):
    # Twenty suspects cannot be all of the 200 failures that are expected.
    scores = np.full(2000, tiny)
    scores[:20] = 1
    n = int(kind(random_state=0).fit(scores).plan(0.05, expected_accuracy=0.9))
    rng, halves = np.random.default_rng(0), []
    for seed in range(5):
        failed = rng.random(2000) < np.where(scores > 0.5, 1, 180 / 1980)
        sampler = kind(random_state=seed).fit(scores)
        result = sampler.sample(n, lambda ids, failed=failed: failed[ids])
        halves.append(1.96 * result.std_error)
    assert 0.035 < np.mean(halves) < 0.08


@pytest.mark.parametrize("kind", [k for k in PLANNED if k is not OperationalSampler])
def test_a_plan_is_a_number_whatever_the_scores(kind):
    for scores, options in (
        (np.linspace(0, 0.9, 40), {"half_width": 1e-160, "expected_accuracy": 1.0}),
        (np.r_[5e-324, np.zeros(9)], {"half_width": 0.1, "expected_accuracy": 0.9}),
        (np.linspace(0, 0.9, 40), {"half_width": 0.1, "confidence": 1 - 1e-16}),
    ):
        plan = kind(random_state=0).fit(scores).plan(**options)
        assert 1 <= int(plan) <= len(scores)


def test_a_plan_is_of_an_accuracy_or_of_a_loss():
    sampler = SimpleRandomSampler().fit(np.ones(40))
    with pytest.raises(ValueError, match="expected_accuracy= or expected_loss="):
        sampler.plan(0.1, expected_accuracy=0.99, expected_loss=0.5)


def told(n=40, labels=20):
    sampler = SimpleRandomSampler(random_state=0)
    sampler.fit(np.ones(n), y_pred=np.arange(n) % 2)
    ids = sampler.ask(labels)
    return sampler.tell(ids, (ids % 2) ^ (ids % 5 == 0))


def test_nothing_stops_before_two_answers():
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(40))
    assert not sampler.should_stop(0.5)
    sampler.tell(sampler.ask(1), failed=[0])
    assert not sampler.should_stop(0.5)
    sampler.tell(sampler.ask(1), failed=[0])
    assert sampler.should_stop(0.5)
    alone = SimpleRandomSampler().fit([0.5])
    alone.tell(alone.ask(1), failed=[0])
    assert alone.should_stop(0.1)  # all is known


@pytest.mark.parametrize(
    "label", [[0, 1], list(np.arange(40) % 2), "1", None, pd.NA, np.nan, {1}, b"1"]
)
def test_a_label_is_one_of_the_kind_of_the_others(label):
    sampler = told()
    if label is None:
        assert set(sampler.metric("precision", label=label)) == {0, 1}
        return
    with pytest.raises(ValueError, match=r"'label'.*one label \(0, 1, ...\)"):
        sampler.metric("precision", label=label)


def test_labels_of_several_values_are_labels():
    pairs = np.empty(40, dtype=object)
    pairs[:] = [(i % 2, "a") for i in range(40)]
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(40), y_pred=pairs)
    ids = sampler.ask(20)
    sampler.tell(ids, pairs[[(i + (i % 5 == 0)) % 40 for i in ids]])
    plain = told()
    for name in ("precision", "recall"):
        one, other = (s.metric(name) for s in (sampler, plain))
        assert [r.value for r in one.values()] == [r.value for r in other.values()]
    both = sampler.estimate(lambda t, p: [a == b for a, b in zip(t, p, strict=True)])
    assert both.value == plain.metric("accuracy").value


def test_groups_are_a_mask_or_can_be_sorted():
    sampler, mask = told(), np.arange(40) < 20
    of_mask = sampler.metric(groups=mask)
    assert str(sampler.metric(groups=mask.astype(object))) == str(of_mask)
    for groups in ([1, "a"] * 20, [{1}] * 40):
        with pytest.raises(ValueError, match=r"'groups'.*can be sorted"):
            sampler.metric(groups=groups)


@pytest.mark.parametrize(
    ("numerator", "rule"),
    [
        (None, "a function of y_true and y_pred"),
        (lambda t, p: np.ma.array(np.ones(len(t)), mask=True), "mask"),
        (lambda t, p: t + 1j, "Complex"),
        (lambda t, p: "x", "a function that returns numbers"),
        (lambda t, p: [[1], [1, 2]], "rows of one shape"),
    ],
)
def test_an_estimate_is_of_numbers(numerator, rule):
    with pytest.raises(ValueError, match=rule):
        told().estimate(numerator)


def test_a_confidence_that_rounds_to_one_allows_everything():
    found = told().metric("accuracy", groups=np.arange(40) < 20, confidence=1 - 1e-16)
    assert found.interval == (0, 1)


def test_parts_without_a_failure_have_the_effective_labels_of_both():
    pool = LivingPool(SimpleRandomSampler(), random_state=0)
    ids = pool.extend(np.zeros(60)).ask(30)
    pool.tell(ids, failed=np.zeros(30, dtype=int))
    assert pool.result().effective_n == 30
