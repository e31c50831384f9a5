"""Laws of a cheap judge beside an expert: the formula, and money well spent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import few, seeds
from scipy.special import ndtri

from skrobust.sampling import plan_two_phase, two_phase_accuracy


def answers(seed, n=30, m=12):
    """Answers of a judge, in eighths, and of an expert who was asked m times."""
    rng = np.random.default_rng(seed)
    right = rng.random(n) < 0.8
    judge = np.clip(right + rng.integers(-8, 9, n) / 16, 0, 1)
    expert = np.where(rng.permutation(n) < m, right, np.nan)
    return rng, judge, expert


@few
@given(seeds, st.sampled_from(["difference", "tuned"]), st.sampled_from([None, 30, 90]))
def test_the_judge_is_corrected_by_the_formula(seed, weight, n_pool):
    rng, judge, expert = answers(seed)
    options = {"weight": weight, "n_pool": n_pool}
    found = two_phase_accuracy(judge, expert, **options)
    asked = ~np.isnan(expert)
    y, f, slope = expert[asked], judge[asked], found.weight
    rest = y - slope * f
    assert found.accuracy == pytest.approx(slope * judge.mean() + rest.mean())
    if weight == "difference":
        assert slope == 1
    else:
        assert 0 <= slope <= 1
        if f.var() > 0:
            best = np.clip(np.cov(y, f)[0, 1] / f.var(ddof=1), 0, 1)
            assert slope == pytest.approx(best)
    of_rest = ((rest - rest.mean()) ** 2).sum() / (12 - (2 if weight == "tuned" else 1))
    first = 1 / 30 - (1 / n_pool if n_pool else 0)
    variance = first * y.var(ddof=1) + (1 / 12 - 1 / 30) * of_rest
    assert found.std_error == pytest.approx(np.sqrt(variance))
    low, high = found.interval
    assert low <= found.accuracy <= high
    assert found.judge_accuracy == pytest.approx(judge.mean())
    assert (found.n_judge, found.n_expert) == (30, 12)
    # In another order, and of what is wrong in place of what is right.
    order = rng.permutation(30)
    mixed = two_phase_accuracy(judge[order], expert[order], **options)
    assert tuple(mixed.interval) == pytest.approx(tuple(found.interval))
    wrong = two_phase_accuracy(1 - judge, 1 - expert, **options)
    assert wrong.accuracy == pytest.approx(1 - found.accuracy)
    assert wrong.interval.low == pytest.approx(1 - high)
    assert wrong.std_error == pytest.approx(found.std_error)
    # An expert who is asked of the whole pool needs no judge.
    all_asked = two_phase_accuracy(judge, judge > 0.5, n_pool=30)
    assert all_asked.accuracy == pytest.approx((judge > 0.5).mean())
    assert all_asked.std_error == pytest.approx(0, abs=1e-12)


cents = st.integers(1, 500)


def width(n_judge, n_expert, agreement, accuracy):
    of_y, of_rest = accuracy * (1 - accuracy), 1 - agreement
    variance = of_y / n_expert
    if n_judge:
        variance = (of_y - of_rest) / n_judge + of_rest / n_expert
    return ndtri(0.975) * np.sqrt(variance)


@few
@given(
    st.integers(2, 300),
    st.integers(1, 40),
    st.integers(1, 400),
    st.integers(50, 100),
    st.integers(1, 99),
)
def test_a_budget_buys_what_it_pays_for(experts, judge, expert, agree, right):
    # In whole cents, and in euros, which no float holds exactly.
    guesses = {"agreement": agree / 100, "expected_accuracy": right / 100}
    plan = plan_two_phase(
        experts * expert, judge_cost=judge, expert_cost=expert, **guesses
    )
    euros = plan_two_phase(
        experts * expert / 100,
        judge_cost=judge / 100,
        expert_cost=expert / 100,
        **guesses,
    )
    assert euros.n_expert == plan.n_expert
    assert euros.n_judge == plan.n_judge
    assert euros.cost == pytest.approx(plan.cost / 100)
    assert plan.cost <= experts * expert
    alone = width(0, experts, agree / 100, right / 100)
    assert plan.half_width_expert_alone == pytest.approx(alone)
    assert plan.half_width <= plan.half_width_expert_alone
    mine = width(plan.n_judge, plan.n_expert, agree / 100, right / 100)
    assert plan.half_width == pytest.approx(mine)
    # No other division of the same money is better.
    if 1 - agree / 100 < right / 100 * (1 - right / 100):
        for m in range(2, experts + 1):
            n = (experts - m) * expert // judge
            if n >= m:
                other = width(n, m, agree / 100, right / 100)
                assert plan.half_width <= other * (1 + 1e-9)
    more = plan_two_phase(
        2 * experts * expert, judge_cost=judge, expert_cost=expert, **guesses
    )
    assert more.half_width <= plan.half_width * (1 + 1e-9)
