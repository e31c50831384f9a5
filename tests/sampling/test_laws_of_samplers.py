"""Every sampler: what is asked, what is told, and what all draws average to."""

import numpy as np
import pytest
from families import public_classes
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cases import few, fewer, seeds

from skrobust import sampling
from skrobust.sampling import (
    BaseSampler,
    ConfidenceStratifiedSampler,
    CrossEntropySampler,
    DeepESTSampler,
    GradientSampler,
    OperationalSampler,
    ProportionalSampler,
    RaoHartleyCochranSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    TwoStageSampler,
    simulate,
)

SAMPLERS = {
    kind.__name__: kind
    for kind in public_classes(sampling, BaseSampler)
    if kind is not BaseSampler
}
every_sampler = pytest.mark.parametrize("name", SAMPLERS)
# Those that draw one at a time, with the chance that they state.
ONE_BY_ONE = {
    "DeepEST": DeepESTSampler(),
    "DeepEST, as released": DeepESTSampler(rule="released", threshold=0.3),
    "two stages": TwoStageSampler(n_strata=2),
    "gradient": GradientSampler(n_strata=2),
    "proportional, with replacement": ProportionalSampler(replacement=True),
}
# Those whose draws do not depend on the unit of the scores.
WITHOUT_UNIT = [
    ConfidenceStratifiedSampler,
    CrossEntropySampler,
    GradientSampler,
    ProportionalSampler,
    RaoHartleyCochranSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    TwoStageSampler,
]


def pool(seed, n=24):
    """Scores, many of them equal, and which inputs fail."""
    rng = np.random.default_rng(seed)
    scores = rng.choice([0.05, 0.1, 0.3, 0.6, 0.9], n) * rng.choice([1, 0.5], n)
    return rng, scores, rng.random(n) < scores


@every_sampler
@fewer
@given(seeds, st.lists(st.integers(1, 8), min_size=1, max_size=3))
def test_positions_are_distinct_and_answers_add_up(name, seed, asks):
    _, scores, failed = pool(seed)
    one, other = (SAMPLERS[name](random_state=seed).fit(scores) for _ in range(2))
    for n in asks:
        ids = one.ask(n)
        assert ids.tolist() == other.ask(n).tolist()
        assert len(ids) == n
        for sampler in (one, other):
            sampler.tell(ids, failed=failed[ids])
    ids = one.ids_
    assert len(set(ids.tolist())) == sum(asks)
    assert ((ids >= 0) & (ids < 24)).all()
    result = one.result()
    assert result.n_labels == sum(asks)
    assert result.n_failures == failed[ids].sum()
    assert sorted(result.failures.tolist()) == sorted(ids[failed[ids]].tolist())
    # The accuracy and its limits are ones that the answers allow.
    if sum(asks) == 1:  # no estimate yet
        return
    least = (~failed[ids]).sum() / 24
    most = 1 - failed[ids].sum() / 24
    low, high = result.interval
    assert least - 1e-12 <= low <= result.accuracy <= high <= most + 1e-12
    wider = one.result(confidence=0.99).interval
    assert (wider[0] <= low + 1e-12) & (high <= wider[1] + 1e-12)


@every_sampler
@fewer
@given(seeds, st.integers(1, 12))
def test_all_answers_are_the_accuracy(name, seed, n):
    _, scores, failed = pool(seed)
    sampler = SAMPLERS[name](random_state=seed).fit(scores)
    for size in (n, 24 - n):
        ids = sampler.ask(size)
        sampler.tell(ids, failed=failed[ids])
    result = sampler.result()
    assert result.accuracy == pytest.approx(1 - failed.mean(), abs=1e-12)
    assert tuple(result.interval) == pytest.approx([result.accuracy] * 2, abs=1e-12)


@every_sampler
@fewer
@given(seeds)
def test_failures_labels_and_losses_of_0_and_1_are_one_answer(name, seed):
    _, scores, failed = pool(seed)
    found = []
    for kind in ("failed", "y_true", "loss"):
        sampler = SAMPLERS[name](random_state=seed).fit(scores, y_pred=np.zeros(24))
        ids = sampler.ask(10)
        told = failed[ids] if kind == "failed" else failed[ids].astype(float)
        found.append(sampler.tell(ids, **{kind: told}).result())
    values = [found[0].accuracy, found[1].accuracy, 1 - found[2].mean_loss]
    assert values == pytest.approx([values[0]] * 3)


@pytest.mark.parametrize("kind", WITHOUT_UNIT, ids=lambda kind: kind.__name__)
@fewer
@given(seeds, st.sampled_from([2.0**-10, 2.0, 2.0**20]))
def test_draws_do_not_depend_on_the_unit_of_the_scores(kind, seed, unit):
    _, scores, _ = pool(seed)
    ids = kind(random_state=seed).fit(scores).ask(9)
    again = kind(random_state=seed).fit(unit * scores).ask(9)
    assert ids.tolist() == again.tolist()


@pytest.mark.parametrize("name", ONE_BY_ONE)
@settings(max_examples=3, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from([0.1, 0.4, 0.7, 1.0]), min_size=3, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
)
def test_estimates_average_to_the_truth_over_all_draws(name, scores, failed):
    scores, failed = np.array(scores), np.array(failed)
    chance, value = {}, {}
    for seed in range(150):
        sampler = ONE_BY_ONE[name].set_params(random_state=seed).fit(scores)
        for _ in range(2):
            ids = sampler.ask()
            sampler.tell(ids, failed=failed[ids])
        draw = tuple(sampler.ids_.tolist())
        chance[draw] = float(np.prod(sampler.draw_probabilities_))
        value[draw] = sampler.result().unbiased_value
    assert sum(chance.values()) == pytest.approx(1)
    mean = sum(chance[draw] * value[draw] for draw in chance)
    assert mean == pytest.approx(1 - failed.mean(), abs=1e-12)


@few
@given(seeds, st.integers(2, 20))
def test_estimates_of_one_batch_by_their_formulas(seed, n):
    _, scores, failed = pool(seed)
    for kind in (OperationalSampler, ProportionalSampler, SimpleRandomSampler):
        sampler = kind(random_state=seed).fit(scores)
        ids = sampler.ask(n)
        pi = sampler.draw_probabilities_
        assert ((pi > 0) & (pi <= 1 + 1e-12)).all()
        result = sampler.tell(ids, failed=failed[ids]).result()
        if kind is SimpleRandomSampler:
            assert result.unbiased_value == pytest.approx(1 - failed[ids].mean())
        if kind is ProportionalSampler:
            expected = 1 - (failed[ids] / pi).sum() / 24
            assert result.unbiased_value == pytest.approx(expected)


@settings(max_examples=4, deadline=None, derandomize=True)
@given(seeds, st.integers(2, 12))
def test_a_simulation_is_its_repeats_in_any_company(seed, n):
    _, scores, failed = pool(seed)
    samplers = {"uniform": SimpleRandomSampler(), "weighted": ProportionalSampler()}
    options = {"n_labels": [n, 24], "n_repeats": 5, "random_state": seed}
    found = simulate(samplers, scores, failed, **options)
    assert found.true_accuracy == pytest.approx(1 - failed.mean())
    error = found.estimates - found.true_accuracy
    assert found.rmse == pytest.approx(np.sqrt((error**2).mean(axis=1)))
    assert found.bias == pytest.approx(error.mean(axis=1))
    assert found.median_error == pytest.approx(np.median(np.abs(error), axis=1))
    assert found.width == pytest.approx((found.high - found.low).mean(axis=1))
    assert found.failures == pytest.approx(found.found.mean(axis=1))
    truth = found.true_accuracy
    inside = (found.low - 1e-12 <= truth) & (truth <= found.high + 1e-12)
    assert found.coverage == pytest.approx(inside.mean(axis=1))
    census = found.n_labels == 24
    assert found.rmse[census] == pytest.approx([0, 0], abs=1e-12)
    assert (found.failures[census] == failed.sum()).all()
    back = simulate(dict(reversed(samplers.items())), scores, failed, **options)
    for name in samplers:
        rows, others = found.sampler == name, back.sampler == name
        assert found.estimates[rows].tolist() == back.estimates[others].tolist()
