"""What is shown of an estimate is an accuracy, inside of its interval."""

import numpy as np
import pytest
from sklearn.base import clone

from skrobust.plots import LabelBudgetDisplay
from skrobust.sampling import (
    DeepESTSampler,
    LivingPool,
    OperationalSampler,
    RaoHartleyCochranSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    simulate,
)

SCORES = np.r_[np.full(10, 0.9), np.full(90, 0.01)]
FAILED = np.arange(100) % 3 != 0  # the scores know nothing of it
KINDS = [
    RaoHartleyCochranSampler,
    DeepESTSampler,
    OperationalSampler,
    StratifiedSampler,
    SimpleRandomSampler,
]
ANSWERS = {"labels": (FAILED, None), "losses": (FAILED * 0.8 + 0.1, "loss")}


@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("kind", KINDS)
def test_shown_values_lie_in_their_range_and_interval(kind, answers):
    told, what = ANSWERS[answers]
    beyond = 0
    for seed in range(25):
        sampler = kind(random_state=seed).fit(SCORES)
        for n in (8, 12):
            result = sampler.sample(n, lambda ids: told[ids], kind=what)
            low, high = result.interval
            assert 0 <= low <= result.value <= high <= 1
            assert result.interval.value == result.value
            ends = result.accuracy_bounds if what is None else result.loss_bounds
            assert 0 <= ends[0] <= ends[1] <= 1
            inside = 0 <= result.unbiased_value <= 1
            beyond += not inside
            # It is the unbiased estimate, cut.
            rate = 1 - result.value if what is None else result.value
            least = told[sampler.ids_].sum() / 100
            most = least + (100 - len(sampler.ids_)) / 100
            unbiased = result.unbiased_value
            unbiased = 1 - unbiased if what is None else unbiased
            assert rate == pytest.approx(np.clip(unbiased, least, most), abs=1e-12)
            low, high = result.operation_interval
            assert low <= result.value <= high
            assert f"{result.value:.4f}" in str(result)
    if kind in (RaoHartleyCochranSampler, DeepESTSampler):
        assert beyond > 0  # as -.43 for an accuracy


@pytest.mark.parametrize("name", ["accuracy", "precision", "recall", "f1"])
def test_metrics_of_the_pool(name):
    truth, predicted = np.arange(100) % 2, (np.arange(100) % 3 > 0).astype(int)
    for seed in range(20):
        sampler = DeepESTSampler(random_state=seed).fit(SCORES, y_pred=predicted)
        sampler.sample(12, lambda ids: truth[ids])
        found = sampler.metric(name, label=None if name == "accuracy" else 1)
        assert 0 <= found.interval[0] <= found.value <= found.interval[1] <= 1
        if np.isfinite(found.value):
            clipped = np.clip(found.unbiased_value, 0, 1)
            assert found.value == pytest.approx(clipped, abs=1e-12)


def test_differences_of_models():
    predicted, beyond = (np.arange(100) % 3 > 0).astype(int), 0
    truth = np.arange(100) % 2
    for seed in range(30):
        sampler = RaoHartleyCochranSampler(random_state=seed)
        sampler.fit(SCORES, y_pred=predicted)
        sampler.sample(10, lambda ids: truth[ids])
        sampler.add_model("other", y_pred=1 - predicted)
        found = sampler.compare("other")
        assert -1 <= found.interval[0] <= found.value <= found.interval[1] <= 1
        beyond += abs(found.unbiased_value) > 1
    assert beyond > 0


def test_joined_parts():
    for seed in range(10):
        pool = LivingPool(RaoHartleyCochranSampler(random_state=seed))
        pool.extend(SCORES)
        pool.extend(SCORES)
        ids = pool.ask(12)
        pool.tell(ids, failed=FAILED[np.asarray(ids) % 100])
        result = pool.result()
        assert 0 <= result.interval[0] <= result.accuracy <= result.interval[1] <= 1


def test_simulated_bias_is_that_of_the_unbiased_estimate():
    sampler, n_repeats = RaoHartleyCochranSampler(), 40
    table = simulate(
        sampler, SCORES, FAILED, n_labels=10, n_repeats=n_repeats, random_state=0
    )
    seeds = np.random.SeedSequence(0).generate_state(n_repeats).tolist()
    values, shown = [], []
    for seed in seeds:
        one = clone(sampler).set_params(random_state=seed).fit(SCORES)
        result = one.sample(10, lambda ids: FAILED[ids])
        values.append(result.unbiased_value)
        shown.append(result.accuracy)
    assert np.array_equal(table.estimates[0], values)
    assert table.bias[0] == pytest.approx(np.mean(values) - (1 - FAILED.mean()))
    assert np.mean(shown) - np.mean(values) > 0.01  # cutting is what would bias it


def test_a_plot_stays_inside():
    sampler = RaoHartleyCochranSampler(random_state=0).fit(SCORES)
    sampler.sample(14, lambda ids: FAILED[ids])
    display = LabelBudgetDisplay.from_sampler(sampler)
    for values in display.frame()[["accuracy", "low", "high"]].to_numpy().T:
        assert ((values >= 0) & (values <= 1)).all()
