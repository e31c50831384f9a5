"""Agreement, hidden variance and shares of draws, by their definitions."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.metrics import cohen_kappa_score

from skrobust.sampling import detect_drift, two_phase_accuracy
from skrobust.sampling.annotators.agreement import agreement_table
from skrobust.sampling.core.label_plan import scaled_to
from skrobust.sampling.designs.score_curves import ScoreCurves
from skrobust.sampling.designs.variances import silent_variance


def test_kappa_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    failed = rng.random(40) < 0.3
    other = np.where(rng.random(40) < 0.8, failed, ~failed)
    answers = [(i, "ann", 0, bool(failed[i])) for i in range(40)]
    answers += [(i, "bob", 0, bool(other[i])) for i in range(10, 40)]
    answers += [(i, "cem", 0, False) for i in range(5)]
    answers += [(i, "dee", 0, False) for i in range(5)]
    table = agreement_table(answers)
    pairs = list(zip(table.first.tolist(), table.second.tolist(), strict=True))
    assert pairs == [("ann", "bob"), ("ann", "cem"), ("ann", "dee"), ("cem", "dee")]
    assert table.n.tolist() == [30, 5, 5, 5]
    assert table.agreement[0] == (failed == other)[10:].mean()
    expected = cohen_kappa_score(failed[10:], other[10:])
    assert table.kappa[0] == pytest.approx(expected)
    assert np.isnan(table.kappa[3])  # both always say the same: chance is 1
    assert agreement_table([]).n.tolist() == []


def test_strata_that_agree_hide_what_laplace_expects():
    y = np.array([0, 0, 0, 1, 1, 0, 1, 0, 1.0])
    counts = np.array([3, 2, 4])
    sizes = np.array([10, 5, 20])
    pi = np.repeat(counts / sizes, counts)
    expected = 0.0
    for failures, n, total in ((0, 3, 10), (2, 2, 5)):
        p = (failures + 1) / (n + 2)
        expected += total**2 * (1 - n / total) * p * (1 - p) / n
    assert silent_variance(y, pi, counts) == pytest.approx(expected)


@pytest.mark.parametrize("aversion", [1.0, 3.0])
def test_safe_shares_have_the_least_mean_power_of_the_error(aversion):
    rng = np.random.default_rng(0)
    sizes, weights = np.array([10, 30, 60]), np.array([0.5, 0.3, 0.2])
    variance = rng.uniform(0.02, 0.25, (3, 3))
    curves = SimpleNamespace(groups=SimpleNamespace(sizes=sizes), variance=variance)
    found = ScoreCurves.safe_shares(curves, weights, aversion, 1e-6)
    share = sizes / sizes.sum()
    own = variance / (variance @ share)[:, None]

    def risk(log_h):
        h = np.exp(log_h) / (np.exp(log_h) @ share)
        return weights @ (own @ (share / h)) ** aversion

    best = minimize(risk, np.zeros(3), method="Nelder-Mead",
                    options={"xatol": 1e-9, "fatol": 1e-12}).fun  # fmt: skip
    assert found @ share == pytest.approx(1)
    assert risk(np.log(found)) == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.8])
def test_scaled_probabilities_have_their_mean(rate):
    scores = np.random.default_rng(0).beta(0.3, 2, 400)
    p = scaled_to(scores, rate)
    assert p.mean() == pytest.approx(rate, abs=1e-6)
    assert p.max() <= 1
    free = p < 1
    ratio = p[free] / scores[free]
    assert ratio == pytest.approx(np.full(free.sum(), ratio[0]))
    assert (np.diff(p[np.argsort(scores)]) >= -1e-12).all()


def test_a_judge_who_says_the_same_of_all_is_of_no_use():
    rng = np.random.default_rng(0)
    expert = np.where(np.arange(200) < 60, rng.random(200) < 0.7, np.nan)
    judge = np.ones(200)
    tuned = two_phase_accuracy(judge, expert, weight="tuned")
    assert tuned.weight == 0
    assert tuned.accuracy == pytest.approx(np.nanmean(expert))
    # The best weight is the slope of the regression of the expert on the judge.
    judge = np.clip(np.nan_to_num(expert, nan=0.7) * 0.6 + 0.4 * rng.random(200), 0, 1)
    tuned = two_phase_accuracy(judge, expert, weight="tuned")
    slope = np.polyfit(judge[:60], expert[:60], 1)[0]
    assert tuned.weight == pytest.approx(np.clip(slope, 0, 1))
    value = slope * judge.mean() + np.mean(expert[:60] - slope * judge[:60])
    assert 0 < slope < 1 or tuned.weight in (0, 1)
    if 0 < slope < 1:
        assert tuned.accuracy == pytest.approx(value)


def test_an_alarm_is_at_the_first_label_that_reaches_it():
    correct = np.r_[np.ones(200), np.zeros(40)].astype(bool)
    found = detect_drift(correct, alpha=0.01)
    assert found.alarm
    first = int(np.argmax(found.e_value >= 100))
    assert found.alarm_at == found.n[first] == first + 1
    again = detect_drift(correct[: found.alarm_at], alpha=0.01)
    assert again.alarm_at == found.alarm_at
    assert not detect_drift(correct[: found.alarm_at - 1], alpha=0.01).alarm
