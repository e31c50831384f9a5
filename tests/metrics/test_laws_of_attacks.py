"""Laws of success rates and confidences under attack, and of defenses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import few, fractions_of_20, moved, probabilities, seeds

from skrobust.metrics import (
    adversarial_class_confidence,
    defense_comparison,
    misclassification_rate,
    noise_tolerance_estimate,
    true_class_confidence,
)

CONFIDENCES = (
    adversarial_class_confidence,
    true_class_confidence,
    noise_tolerance_estimate,
)
kinds = st.sampled_from([probabilities, fractions_of_20])
numbers_of_classes = st.integers(2, 5)


def attacked(seed, k, kind):
    """Labels and probabilities under attack of which one at least is an error."""
    rng = np.random.default_rng(seed)
    y, _, p = moved(rng, 15, k, kind=kind)
    y[0] = (p[0].argmax() + 1) % k
    return rng, y, p


@few
@given(seeds, numbers_of_classes, kinds)
def test_confidences_are_means_over_the_errors(seed, k, kind):
    _, y, p = attacked(seed, k, kind)
    errors = [i for i in range(15) if p[i].argmax() != y[i]]
    acac, actc, nte = (function(y, p) for function in CONFIDENCES)
    assert acac == pytest.approx(np.mean([max(p[i]) for i in errors]))
    assert actc == pytest.approx(np.mean([p[i, y[i]] for i in errors]))
    gaps = [np.sort(p[i])[-1] - np.sort(p[i])[-2] for i in errors]
    assert nte == pytest.approx(np.mean(gaps))
    assert misclassification_rate(y, p.argmax(axis=1)) == len(errors) / 15
    # The true class is no more than the second; with the first it is at most 1.
    assert 0 <= nte <= acac - actc + 1e-12
    assert acac + actc <= 1 + 1e-12
    if k == 2:
        assert nte == pytest.approx(acac - actc, abs=1e-12)


@few
@given(seeds, numbers_of_classes)
def test_names_of_classes_and_order_of_rows_do_not_matter(seed, k):
    rng, y, p = attacked(seed, k, probabilities)
    order, columns = rng.permutation(15), rng.permutation(k)
    names = np.array(["d", "a", "e", "c", "b"])[:k]
    other = names[y][order], p[order][:, columns]
    goal = (y + rng.integers(1, k, 15)) % k
    goal[0] = p[0].argmax()
    for target, renamed in ((None, None), (goal, names[goal][order])):
        for function in CONFIDENCES:
            found = function(*other, labels=names[columns], target=renamed)
            assert found == pytest.approx(function(y, p, target=target), abs=1e-12)
        predicted = p.argmax(axis=1)
        rate = misclassification_rate(y, predicted, target=target)
        same = misclassification_rate(other[0], names[predicted][order], target=renamed)
        assert rate == pytest.approx(same, abs=1e-12)


@few
@given(seeds, numbers_of_classes)
def test_targeted_attacks_to_each_wrong_class_make_up_all_errors(seed, k):
    _, y, p = attacked(seed, k, probabilities)
    predicted = p.argmax(axis=1)
    rates = [
        misclassification_rate(y, predicted, target=(y + step) % k)
        for step in range(1, k)
    ]
    assert sum(rates) == pytest.approx(misclassification_rate(y, predicted))


@few
@given(
    seeds,
    numbers_of_classes,
    st.sampled_from(["max", "true"]),
    st.sampled_from(["correct", "wrong"]),
)
@pytest.mark.filterwarnings("ignore:defense_comparison is undefined")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_to_take_the_defense_away_turns_the_comparison(seed, k, confidence, over):
    rng = np.random.default_rng(seed)
    y, raw, defended = moved(rng, 15, k)
    options = {"confidence": confidence, "over": over}
    there = defense_comparison(y, raw, defended, **options)
    back = defense_comparison(y, defended, raw, **options)
    assert there.cav == pytest.approx(-back.cav, abs=1e-12)
    assert (there.crr, there.csr) == (back.csr, back.crr)
    assert there.cav == pytest.approx(there.crr - there.csr, abs=1e-12)
    for name in ("ccv", "cos"):
        assert there[name] == pytest.approx(back[name], abs=1e-12, nan_ok=True)
    rate = misclassification_rate
    errors = rate(y, raw.argmax(axis=1)) - rate(y, defended.argmax(axis=1))
    assert there.cav == pytest.approx(errors, abs=1e-12)
    assert there.n_compared <= there.n_samples == 15
    if there.n_compared:
        assert 0 <= there.ccv <= 1
        assert 0 <= there.cos <= np.log(2)
    # Classes by other names, in other columns and rows.
    order, columns = rng.permutation(15), rng.permutation(k)
    names = np.array(["d", "a", "e", "c", "b"])[:k]
    same = defense_comparison(
        names[y][order],
        raw[order][:, columns],
        defended[order][:, columns],
        labels=names[columns],
        **options,
    )
    for name in ("cav", "crr", "csr", "ccv", "cos", "n_compared"):
        assert there[name] == pytest.approx(same[name], abs=1e-12, nan_ok=True)
