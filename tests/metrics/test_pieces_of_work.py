"""Intervals do not depend on how much is worked out at a time."""

import numpy as np
import pytest

from skrobust.metrics import (
    compare_models,
    confidence_interval,
    group_robustness,
    robust_ratio_regions,
)
from skrobust.metrics.groups import group_tables
from skrobust.metrics.intervals import bootstrap
from skrobust.metrics.robust import ratio_regions

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 25)
ONE, TWO = (np.where(RNG.random(25) < q, Y, 1 - Y) for q in (0.9, 0.7))
SHIFTS = {"one": RNG.random(25) / 4, "two": RNG.random(25) / 3}


def share_score(y_true, y_pred):
    """Compute the share of hits."""
    return float((y_true == y_pred).mean())


def interval(method):
    return tuple(
        confidence_interval(
            share_score, Y, ONE, method=method, n_resamples=100, random_state=3
        )
    )


def comparison():
    models = {"one": ONE, "two": TWO}
    found = compare_models(
        models, y_true=Y, metric=share_score, n_resamples=100, random_state=3
    )
    return found.low.tolist(), found.high.tolist()


def regions():
    found = robust_ratio_regions(
        SHIFTS, tolerances=[0.05, 0.2], n_resamples=100, random_state=3
    )
    return found.pairs.band_low.tolist(), found.pairs.band_high.tolist()


def groups():
    found = group_robustness(
        Y, ONE, np.arange(25) % 3, n_permutations=99, random_state=3
    )
    return found.gaps.p_value.tolist(), [found.range_by_chance] * 3


WORKS = {
    "bca": (bootstrap, lambda: interval("bca")),
    "percentile": (bootstrap, lambda: interval("percentile")),
    "jackknife": (bootstrap, lambda: interval("jackknife")),
    "comparison": (bootstrap, comparison),
    "groups": (group_tables, groups),
    "regions": (ratio_regions, regions),
}


@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize("at_a_time", [1, 60, 180])
def test_pieces_of_any_size_give_the_same(name, at_a_time, monkeypatch):
    module, work = WORKS[name]
    whole = work()
    monkeypatch.setattr(module, "_CHUNK", at_a_time)
    np.testing.assert_allclose(work(), whole, rtol=1e-12)


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
def test_a_percentile_interval_is_that_of_a_plain_loop_with_the_same_seed(seed):
    found = confidence_interval(
        share_score, Y, ONE, method="percentile", n_resamples=100, random_state=seed
    )
    rng = np.random.default_rng(seed)
    draws = [
        share_score(Y[rows], ONE[rows]) for rows in rng.integers(25, size=(100, 25))
    ]
    assert tuple(found) == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])))
    assert found.std_error == pytest.approx(np.std(draws, ddof=1))


def test_seeds_that_differ_draw_other_resamples():
    found = {
        confidence_interval(
            share_score, Y, ONE, method="bca", n_resamples=100, random_state=seed
        ).std_error
        for seed in (-1, 0, 1, 2)
    }
    assert len(found) == 4
