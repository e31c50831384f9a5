"""Laws of alarms: what comes later, units and the direction of time change nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import few, fewer, seeds
from scipy.stats import fisher_exact

from skrobust.sampling import detect_drift

modes = st.sampled_from(["baseline", "parts", "labels"])


def stream(seed, mode, n=60):
    """Failures in the order of time, more of them in the end, and what is known."""
    rng = np.random.default_rng(seed)
    failed = rng.random(n) < np.repeat(rng.choice([0.1, 0.5, 0.9], 2), n // 2)
    options = {"baseline": 0.8} if mode == "baseline" else {"block": 5}
    if mode == "parts":
        options = {"parts": np.arange(n) // 15}
    return rng, failed, options


def until(options, n):
    return {k: v[:n] if k == "parts" else v for k, v in options.items()}


@few
@given(seeds, modes, st.integers(1, 3))
def test_a_look_does_not_know_what_comes(seed, mode, quarters):
    _, failed, options = stream(seed, mode)
    found = detect_drift(failed, **options)
    early = detect_drift(failed[: 15 * quarters], **until(options, 15 * quarters))
    for name in found["columns"]:
        size = len(early[name])
        expected = pytest.approx(found[name][:size], rel=1e-9, nan_ok=True)
        assert early[name] == expected, name
    if early.alarm:
        assert found.alarm
        assert found.alarm_at == early.alarm_at


@few
@given(seeds, modes)
def test_the_alarm_is_where_the_level_is_reached(seed, mode):
    _, failed, options = stream(seed, mode)
    found = detect_drift(failed, **options)
    if mode == "parts":
        sizes = np.cumsum(found.n)
        for k in range(1, 4):
            before, own = failed[: 15 * k], failed[15 * k : 15 * k + 15]
            table = [[part.sum(), (~part).sum()] for part in (own, before)]
            assert found.p_value[k] == pytest.approx(fisher_exact(table)[1])
        assert found.accuracy == pytest.approx(
            [1 - part.mean() for part in failed.reshape(4, 15)]
        )
        raised = np.flatnonzero(found.p_value[1:] <= found.level[1:]) + 1
        places = sizes[raised]
    else:
        assert found.p_value == pytest.approx(
            np.minimum(1, 1 / np.maximum.accumulate(found.e_value))
        )
        places = found.n[found.e_value >= 20]
    assert found.alarm == (len(places) > 0)
    assert found.alarm_at == (places[0] if len(places) else None)
    # Whoever bears more false alarms has an alarm no later.
    bold = detect_drift(failed, alpha=0.2, **options)
    if found.alarm:
        assert bold.alarm_at <= found.alarm_at


@few
@given(seeds, st.sampled_from(["parts", "labels"]))
def test_worse_and_better_are_turned_with_the_outcomes(seed, mode):
    _, failed, options = stream(seed, mode)
    found, turned = (detect_drift(x, **options) for x in (failed, ~failed))
    assert turned.p_value == pytest.approx(found.p_value, nan_ok=True)
    assert turned.alarm_at == found.alarm_at
    opposite = {"worse": "better", "better": "worse", None: None}
    assert turned.direction == opposite[found.direction]
    if found.alarm:
        assert turned.changed_at == found.changed_at
        assert turned.accuracy_before == pytest.approx(1 - found.accuracy_before)
        assert turned.accuracy_after == pytest.approx(1 - found.accuracy_after)


@fewer
@given(seeds, st.sampled_from([(-1.0, 3.0), (0.0, 0.125), (100.0, 1100.0)]))
def test_losses_of_a_baseline_have_no_unit(seed, span):
    rng = np.random.default_rng(seed)
    loss = rng.integers(0, 9, 60) / 8
    low, high = span
    plain = detect_drift(loss, baseline=0.25, loss_range=(0, 1))
    units = low + (high - low) * loss
    level = low + (high - low) * 0.25
    found = detect_drift(units, baseline=level, loss_range=span)
    assert found.e_value == pytest.approx(plain.e_value)
    assert found.alarm_at == plain.alarm_at
    # The more is lost, the more evidence there is.
    worse = detect_drift(np.minimum(loss + 0.125, 1), baseline=0.25, loss_range=(0, 1))
    assert worse.e_value[-1] >= plain.e_value[-1] - 1e-9
