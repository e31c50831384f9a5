"""Laws of groups: names and order mean nothing, gaps turn around, bands are wide."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import any_rows, fewer, moved, seeds

from skrobust.metrics import (
    by_group,
    group_robust_ratio,
    group_robust_ratio_curve,
    group_robustness,
)

DRAWS = {"n_permutations": 19, "random_state": 0}
NAMES = np.array(["c", "a", "b"])


def grouped(seed, n=36):
    """Labels, their predictions, three groups, and clusters of 3 rows within them."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    predicted = np.where(rng.random(n) < rng.random(), y, 1 - y)
    groups = rng.permutation(np.arange(n // 3) % 3).repeat(3)
    return rng, y, predicted, groups, np.arange(n) // 3


def gaps_of(results):
    table = results.gaps
    return {
        (first, second): row
        for first, second, *row in zip(
            *(
                table[name].tolist()
                for name in ("first", "second", "gap", "low", "high")
            ),
            strict=True,
        )
    }


def check_bands(results, bottom=0, top=1):
    assert (results.band_low <= results.low + 1e-12).all()
    assert (results.high <= results.band_high + 1e-12).all()
    for low, high in (("low", "high"), ("band_low", "band_high")):
        assert (results[low] <= results.value + 1e-12).all()
        assert (results.value <= results[high] + 1e-12).all()
        assert (results[low] >= bottom).all()
        assert (results[high] <= top).all()
        gaps = results.gaps
        assert (gaps[low] <= gaps.gap + 1e-12).all()
        assert (gaps.gap <= gaps[high] + 1e-12).all()
    assert (gaps.p_adjusted >= gaps.p_value - 1e-12).all()
    assert ((gaps.p_value > 0) & (gaps.p_adjusted <= 1)).all()


@fewer
@given(seeds, st.booleans())
@pytest.mark.filterwarnings("ignore:.*clusters:UserWarning")
@pytest.mark.filterwarnings("ignore:.*class")
def test_names_of_groups_and_order_of_rows_mean_nothing(seed, clustered):
    rng, y, predicted, groups, clusters = grouped(seed)
    of = clusters if clustered else None
    found = group_robustness(y, predicted, groups, clusters=of, **DRAWS)
    for group, value in zip(found.group, found.value, strict=True):
        rows = groups == group
        assert value == (y[rows] == predicted[rows]).mean()
    check_bands(found)
    assert found.range == pytest.approx(np.ptp(found.value))
    assert found.worst_group in found.group[found.value == found.value.min()]
    order = rng.permutation(36)
    again = group_robustness(
        np.array(["no", "yes"])[y][order],
        np.array(["no", "yes"])[predicted][order],
        NAMES[groups][order],
        clusters=clusters[order] if clustered else None,
        **DRAWS,
    )
    place = [again.group.tolist().index(name) for name in NAMES[found.group]]
    for name in ("value", "low", "high", "band_low", "band_high", "n_samples"):
        assert again[name][place] == pytest.approx(found[name], abs=1e-9), name
    # A gap is turned around where the names change the order of two groups.
    others = gaps_of(again)
    for (first, second), (gap, low, high) in gaps_of(found).items():
        pair = NAMES[first], NAMES[second]
        if pair in others:
            same = others[pair]
        else:
            back = others[pair[::-1]]
            same = [-back[0], -back[2], -back[1]]
        assert same == pytest.approx([gap, low, high], abs=1e-9)


@fewer
@given(seeds)
@pytest.mark.filterwarnings("ignore:.*class")
def test_by_group_is_the_metric_of_each_group(seed):
    _, y, predicted, groups, _ = grouped(seed)
    named = by_group("robust_accuracy", y, predicted, groups=groups, **DRAWS)
    own = group_robustness(y, predicted, groups, **DRAWS)
    for name in ("value", "low", "high", "band_low", "band_high"):
        assert named[name].tolist() == own[name].tolist()

    def half_score(y_true, y_pred):
        return float(np.mean(y_true == y_pred)) / 2

    halves = by_group(half_score, y, predicted, groups=groups, **DRAWS)
    assert halves.value == pytest.approx(own.value / 2)
    assert halves.gaps.gap == pytest.approx(own.gaps.gap / 2)
    assert halves.range == pytest.approx(own.range / 2)


@fewer
@given(seeds, st.sampled_from(["predicted", "true", "max"]), st.integers(2, 3))
def test_curves_of_groups_are_those_at_each_tolerance(seed, reference, k):
    rng, _, _, groups, _ = grouped(seed)
    y, p, q = moved(rng, 36, k)
    q = (3 * p + q) / 4
    options = {"reference": reference, "y_true": y, **DRAWS}
    tolerances = [0.02, 0.1, 0.3]
    with any_rows():
        curve = group_robust_ratio_curve(p, q, groups, tolerances=tolerances, **options)
        rows = curve.tolerance, curve.group, curve.value
        values = {
            (b, g): v for b, g, v in zip(*map(np.ndarray.tolist, rows), strict=True)
        }
        for b in tolerances:
            one = group_robust_ratio(p, q, groups, tolerance=b, **options)
            check_bands(one)
            mine = curve.tolerance == b
            for name in ("group", "value", "low", "high", "band_low", "band_high"):
                assert one[name].tolist() == curve[name][mine].tolist()
            # Columns in another order, for classes that are named by labels.
            columns = rng.permutation(k)
            same = group_robust_ratio(
                p[:, columns],
                q[:, columns],
                groups,
                tolerance=b,
                labels=columns,
                **options,
            )
            assert same.value.tolist() == one.value.tolist()
    for group in range(3):
        steps = [values[b, group] for b in tolerances]
        assert steps == sorted(steps)
    ranges = curve.ranges
    assert (ranges.p_adjusted >= ranges.p_value).all()
    for b, wide in zip(tolerances, ranges.range, strict=True):
        assert wide == pytest.approx(np.ptp([values[b, g] for g in range(3)]))
