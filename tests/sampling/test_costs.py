"""Labels that cost differently: draws look at it, and estimates stay unbiased."""

import copy
import pickle
from itertools import combinations, permutations, product
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone

from skrobust import sampling
from skrobust.sampling import (
    BaseSampler,
    OperationalSampler,
    StratifiedSampler,
)
from skrobust.sampling.core.draws import Draws
from skrobust.sampling.core.pool import TAKEN_BY

SAMPLERS = [
    StratifiedSampler(random_state=0),
    StratifiedSampler(allocation="proportional", random_state=0),
    OperationalSampler(random_state=0),
    OperationalSampler(failure_emphasis=0.6, random_state=0),
]
every_sampler = pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
RNG = np.random.default_rng(0)
N = 600
SCORES = RNG.beta(0.5, 3, N)
FAILED = RNG.random(N) < SCORES
COSTS = np.exp(RNG.normal(size=N))


@every_sampler
def test_equal_costs_change_nothing_whatever_their_unit(sampler):
    plain = clone(sampler).fit(SCORES)
    for unit in (1.0, 7.0):
        same = clone(sampler).fit(SCORES, costs=np.full(N, unit))
        np.testing.assert_array_equal(plain.__copy__().ask(40), same.ask(40))
        np.testing.assert_allclose(
            same.draw_probabilities_, plain.__copy__().ask(40) * 0
            + np.array(_probabilities(plain)),
        )  # fmt: skip
    one = clone(sampler).fit(SCORES, costs=COSTS).ask(40)
    many = clone(sampler).fit(SCORES, costs=100 * COSTS).ask(40)
    np.testing.assert_array_equal(one, many)


def _probabilities(sampler):
    other = sampler.__copy__()
    other.ask(40)
    return other.draw_probabilities_


def test_probabilities_of_batches_go_with_one_over_the_root_of_the_cost():
    sampler = OperationalSampler(exploration=0.01, random_state=0)
    sampler.fit(np.full(N, 0.3), costs=COSTS)
    ids = sampler.ask(60)
    pi = sampler.draw_probabilities_
    inside = (pi > 0.011 * 60 / N) & (pi < 1)
    assert inside.sum() > 40
    product = pi[inside] * np.sqrt(COSTS[ids[inside]])
    np.testing.assert_allclose(product, product[0], rtol=1e-9)


def test_allocation_goes_with_one_over_the_root_of_the_mean_cost():
    scores = np.repeat([0.1, 0.4], 500)
    costs = np.repeat([1.0, 16.0], 500)
    sampler = StratifiedSampler(n_strata=2, allocation="proportional", random_state=0)
    ids = sampler.fit(scores, costs=costs).ask(100)
    assert np.bincount(sampler.strata_[ids]).tolist() == [80, 20]


@pytest.mark.parametrize("n", [3, 4])
def test_stratified_estimate_and_variance_are_exactly_unbiased(n):
    scores = np.array([0.0, 0.05, 0.1, 0.5, 0.6, 0.7, 0.9])
    costs = np.array([1.0, 2.0, 9.0, 4.0, 0.1, 3.0, 1.0])
    sampler = StratifiedSampler(n_strata=2, random_state=0).fit(scores, costs=costs)
    labels, counts, sizes = sampler._allocation(np.arange(7), n)
    parts = [
        list(combinations(np.flatnonzero(labels == h), k)) for h, k in enumerate(counts)
    ]
    drawn = [np.concatenate(parts) for parts in product(*parts)]
    pi = (counts / sizes)[labels]
    for outcome in ([1, 0, 0, 0, 1, 0, 1], [0, 1, 0, 1, 1, 1, 1]):
        failed, found = np.array(outcome), []
        for ids in drawn:
            rounds = Draws()
            rounds.add(
                ids, pi[ids], sequential=False, design={"counts": counts.tolist()}
            )
            rounds.add_predictor(None, None)
            answered = rounds.answered(np.ones(n, dtype=bool), failed[ids], 7)
            found.append(sampler._estimate(answered))
        rate, error = np.array([(e.rate, e.std_error) for e in found]).T
        assert rate.mean() == pytest.approx(failed.mean(), abs=1e-12)
        if counts.min() > 1:
            assert (error**2).mean() == pytest.approx(rate.var(), abs=1e-12)


@every_sampler
def test_a_budget_is_kept_on_average(sampler):
    spent, counts = [], []
    for seed in range(60):
        one = clone(sampler).set_params(random_state=seed).fit(SCORES, costs=COSTS)
        for _ in range(2):
            ids = one.ask(budget=60.0)
            one.tell(ids, failed=FAILED[ids])
            spent.append(COSTS[ids].sum())
            counts.append(len(ids))
    error = np.std(spent) / np.sqrt(len(spent))
    mean = np.mean(spent)
    dear = 60 / np.mean(counts)  # of one more label
    assert 60 - 2 * dear - 4 * error < mean < 60 + 4 * error
    left = COSTS[one._unasked].sum()
    assert len(one.ask(budget=left + 1e-9)) == N - one.ids_.size + one.pending_.size
    result = one.tell(one.pending_, failed=FAILED[one.pending_]).result()
    assert result.accuracy == pytest.approx(1 - FAILED.mean())


@every_sampler
def test_sample_takes_a_budget(sampler):
    spent, rates = [], []
    for seed in range(60):
        one = clone(sampler).set_params(random_state=seed).fit(SCORES, costs=COSTS)
        rates.append(one.sample(budget=120.0, oracle=FAILED.take).accuracy)
        spent.append(COSTS[one.ids_].sum())
    error = np.std(spent) / np.sqrt(len(spent))
    # Each of at most six batches stays below its share by less than one label.
    assert 120 - 6 * 120 / len(one.ids_) - 4 * error < np.mean(spent) < 120 + 4 * error
    slack = 4 * np.std(rates) / np.sqrt(len(rates))
    assert np.mean(rates) == pytest.approx(1 - FAILED.mean(), abs=slack)
    whole = one.sample(budget=2 * COSTS.sum(), oracle=FAILED.take)
    assert whole.n_labels == N
    assert whole.accuracy == pytest.approx(1 - FAILED.mean())


def test_the_batches_of_a_budget_have_shares_that_no_draw_changes():
    def planned(failed):
        one = OperationalSampler(random_state=3).fit(SCORES, costs=COSTS)
        one.sample(budget=150.0, oracle=lambda ids: failed[ids])
        return one._answered()[0].planned

    first = planned(FAILED)
    assert len(first) > 2
    np.testing.assert_allclose(first.sum() * COSTS.mean(), 150.0)
    np.testing.assert_array_equal(first, planned(~FAILED))


@pytest.mark.slow
def test_for_the_same_cost_the_error_is_smaller():
    scores = np.random.default_rng(1).beta(2, 6, 3000)
    failed = np.random.default_rng(2).random(3000) < scores
    costs = np.exp(np.random.default_rng(3).normal(scale=1.3, size=3000))
    errors, repeats = {True: [], False: []}, 150
    for seed in range(repeats):
        for knows in errors:
            sampler = OperationalSampler(random_state=seed)
            sampler.fit(scores, costs=costs if knows else None)
            for _ in range(3):
                n = {"budget": 80 * costs.mean()} if knows else {"n": 80}
                ids = sampler.ask(**n)
                sampler.tell(ids, failed=failed[ids])
            result = sampler.result()
            errors[knows].append(result.accuracy - (1 - failed.mean()))
    ratio = np.std(errors[True]) / np.std(errors[False])
    assert ratio < 0.95  # .81 if all were known
    assert abs(np.mean(errors[True])) < 4 * np.std(errors[True]) / np.sqrt(repeats)


@every_sampler
def test_sessions_are_stored_with_their_costs(sampler):
    one = clone(sampler).fit(SCORES, costs=COSTS)
    ids = one.ask(budget=30.0)
    one.tell(ids, failed=FAILED[ids])
    again = type(one).from_json(one.to_json())
    np.testing.assert_array_equal(again.costs_, COSTS)
    text = one.to_json(include_pool=False)
    other = type(one).from_json(text, SCORES, costs=COSTS)
    with pytest.raises(ValueError, match="scores, predictions, costs"):
        type(one).from_json(text, SCORES)
    expected = one.__copy__().ask(budget=20.0)
    for same in (again, other, pickle.loads(pickle.dumps(one)), copy.copy(one)):
        np.testing.assert_array_equal(same.ask(budget=20.0), expected)
    plain = clone(sampler).fit(SCORES)
    assert "costs_" not in plain.to_json()
    assert plain.costs_ is None


def test_plans_look_at_costs():
    plans = [
        int(OperationalSampler().fit(SCORES, costs=costs).plan(0.05))
        for costs in (None, np.full(N, 3.0), COSTS)
    ]
    assert plans[0] == plans[1] < plans[2]  # cheaper labels, and more of them


@every_sampler
def test_bad_costs_and_budgets(sampler):
    for bad in (COSTS[:5], -COSTS, np.where(COSTS > 1, np.nan, 1), ["a"] * N, 3.0):
        with pytest.raises(ValueError, match="'costs' parameter of"):
            clone(sampler).fit(SCORES, costs=bad)
    one = clone(sampler).fit(SCORES, costs=COSTS)
    with pytest.raises(ValueError, match="'costs' parameter of"):
        one.fit(SCORES, costs=-COSTS)
    with pytest.raises(ValueError, match="finite"):
        one.fit(np.full(N, np.nan), costs=COSTS + 1)
    np.testing.assert_array_equal(one.costs_, COSTS)
    text = one.to_json()
    with pytest.raises(ValueError, match="the expected cost of one label"):
        one.ask(budget=1e-6)
    with pytest.raises(ValueError, match="takes budget= not beside n"):
        one.ask(3, budget=5.0)
    with pytest.raises(ValueError, match="'budget'"):
        one.ask(budget=-1.0)
    oracle = FAILED.take
    with pytest.raises(ValueError, match="the expected cost of one label"):
        one.sample(budget=1e-6, oracle=oracle)
    with pytest.raises(ValueError, match="sample takes budget= not beside n"):
        one.sample(3, oracle, budget=5.0)
    with pytest.raises(ValueError, match=r"sample needs n=, .* or budget="):
        one.sample(oracle=oracle)
    with pytest.raises(ValueError, match="'oracle' parameter"):
        one.sample(budget=3.0)
    assert one.to_json() == text
    with pytest.raises(ValueError, match="takes budget= with costs= given to fit"):
        clone(sampler).fit(SCORES).ask(budget=3.0)
    with pytest.raises(ValueError, match="takes budget= with costs= given to fit"):
        clone(sampler).fit(SCORES).sample(budget=3.0, oracle=oracle)
    one.ask(N)
    with pytest.raises(ValueError, match="0 left"):
        one.ask(budget=3.0)
    with pytest.raises(ValueError, match="0 left"):
        one.sample(budget=3.0, oracle=oracle)
    mine = COSTS.copy()
    kept = clone(sampler).fit(SCORES, costs=mine)
    mine[:] = 1
    np.testing.assert_array_equal(kept.costs_, COSTS)


def all_samplers():
    found = [getattr(sampling, name) for name in sampling.__all__]
    kinds = [k for k in found if isinstance(k, type) and issubclass(k, BaseSampler)]
    return [kind for kind in kinds if kind is not BaseSampler]


def drawn_rounds(sampler, n):
    """Return all samples that a stratified round may draw, equally likely."""
    labels, counts, _ = sampler._allocation(np.flatnonzero(sampler._unasked), n)
    parts = [
        list(combinations(np.flatnonzero(labels == h), k)) for h, k in enumerate(counts)
    ]
    return [np.concatenate(ids) for ids in product(*parts)]


@pytest.mark.parametrize("budget", [5.0, 9.0, 14.0])
def test_the_expected_cost_is_within_one_label_of_the_budget(budget):
    scores = np.array([0.0, 0.05, 0.1, 0.5, 0.6, 0.7, 0.9])
    costs = np.array([1.0, 2.0, 9.0, 4.0, 0.1, 3.0, 1.0])
    sampler = StratifiedSampler(n_strata=2, random_state=0).fit(scores, costs=costs)
    n = len(sampler.__copy__().ask(budget=budget))
    spent = [costs[ids].sum() for ids in drawn_rounds(sampler, n)]
    more = [costs[ids].sum() for ids in drawn_rounds(sampler, n + 1)]
    assert np.mean(spent) <= budget < np.mean(more)
    assert min(spent) < budget < max(spent) or n == 1  # and so it is kept on average


class Keys:
    """A generator whose uniform numbers are given, so that draws can be listed."""

    bit_generator = SimpleNamespace(state=None)

    def __init__(self, keys):
        self.keys = keys

    def random(self, n):
        return np.array(self.keys[:n], dtype=np.float64)


def test_estimates_of_two_budgets_are_exactly_unbiased():
    # All draws of a first round, and of a second one whose size depends on it.
    costs, failed = np.array([1.0, 1.0, 2.0, 4.0, 9.0]), np.array([0, 0, 1, 1, 0])
    sampler = StratifiedSampler(n_strata=1, random_state=0)
    sampler.fit(np.full(5, 0.5), costs=costs)
    found, by_size, sizes = [], [], set()
    for first in permutations(range(5)):
        one = sampler.__copy__()
        one._rng = Keys(first)
        ids = one.ask(budget=7.0)
        one.tell(ids, failed=failed[ids])
        for second in permutations(range(5 - len(ids))):
            two = one.__copy__()
            two._rng = Keys(second)
            more = two.ask(budget=7.0)
            two.tell(more, failed=failed[more])
            estimate = two._estimate(two._answered()[0])
            found.append(estimate.rate)
            by_size.append(estimate.z @ [len(ids), len(more)] / len(two.ids_))
            sizes.add((len(ids), len(more)))
    assert len(sizes) > 1
    assert np.mean(found) == pytest.approx(failed.mean(), abs=1e-12)
    assert abs(np.mean(by_size) - failed.mean()) > 0.005  # weighted by what was drawn


@every_sampler
def test_planned_sizes_are_stored(sampler):
    one = clone(sampler).fit(SCORES, costs=COSTS)
    for how in ({"budget": 30.0}, {"n": 20}, {"budget": 50.0}):
        ids = one.ask(**how)
        one.tell(ids, failed=FAILED[ids])
    planned = one._answered()[0].planned
    assert planned.tolist() == [30 / COSTS.mean(), 20, 50 / COSTS.mean()]
    for frozen in (False, True):
        again = type(one).from_json(one.to_json(), frozen=frozen)
        np.testing.assert_array_equal(again._answered()[0].planned, planned)
        assert again.result().accuracy == one.result().accuracy
        assert again.to_json() == one.to_json()
    *_, last = one._history()
    np.testing.assert_array_equal(last._answered()[0].planned, planned)


def test_what_is_left_of_a_budget_cannot_be_spent_without_bias():
    # Every sample of two, and one more input if it fits into the rest of the budget.
    costs, failed = np.array([1.0, 1.0, 2.0, 4.0, 8.0]), np.array([0, 0, 0, 1, 1])
    found = []
    for ids in combinations(range(5), 2):
        rest = 6 - costs[list(ids)].sum()
        fits = [i for i in range(5) if i not in ids and costs[i] <= rest]
        samples = [[*ids, i] for i in fits] or [list(ids)]
        found.append(np.mean([failed[sample].mean() for sample in samples]))
    assert abs(np.mean(found) - failed.mean()) > 0.01
    plain = [failed[list(ids)].mean() for ids in combinations(range(5), 2)]
    assert np.mean(plain) == pytest.approx(failed.mean())


def test_what_a_sampler_does_not_take_is_named():
    rows = {"costs": COSTS, "features": SCORES[:, None]}
    for kind in all_samplers():
        for name, values in rows.items():
            takers = TAKEN_BY[name]
            if kind.__name__ in takers:
                assert getattr(kind().fit(SCORES, **{name: values}), f"{name}_").size
                continue
            with pytest.raises(TypeError) as caught:
                kind().fit(SCORES, **{name: values})
            assert str(caught.value).startswith(f"{kind.__name__}.fit has no argument")
            assert all(taker in str(caught.value) for taker in takers)
        with pytest.raises(TypeError, match=f"^{kind.__name__}.fit.* .?cost"):
            kind().fit(SCORES, cost=COSTS)


def test_costs_that_are_no_numbers_and_pools_that_are_empty_get_a_sentence():
    for kind in (StratifiedSampler, OperationalSampler):
        with pytest.raises(ValueError, match=r"600 finite numbers .*'dear for input 0"):
            kind().fit(SCORES, costs=["dear"] * N)
        one = kind(random_state=0).fit(SCORES, costs=COSTS)
        one.ask(N)
        for how in ({"budget": 3.0}, {"n": 1}):
            with pytest.raises(ValueError, match="0 left, 1 asked: all 600 inputs"):
                one.ask(**how)


def test_other_samplers_say_who_takes_a_budget():
    for kind in all_samplers():
        if kind.__name__ in TAKEN_BY["budget"]:
            continue
        one = kind(random_state=0).fit(SCORES)
        for verb, call in (("ask", one.ask), ("sample", one.sample)):
            more = {"n": 3, "oracle": FAILED.take} if verb == "sample" else {}
            with pytest.raises(TypeError) as caught:
                call(**more, budget=5.0)
            said = f"{kind.__name__}.{verb} has no argument budget=; "
            assert str(caught.value).startswith(said)
            assert "OperationalSampler and StratifiedSampler take it" in str(
                caught.value
            )
        with pytest.raises(TypeError, match=r"\.ask has no argument size=\.$"):
            one.ask(size=3)
