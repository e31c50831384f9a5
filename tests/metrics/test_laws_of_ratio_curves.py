"""Laws of curves of the robust ratio: their parts, their leaders and how straight."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import (
    any_rows,
    few,
    fewer,
    fractions_of_20,
    moved,
    probabilities,
    seeds,
)

from skrobust.metrics import (
    misclassification_rate,
    probability_shift,
    robust_accuracy_score,
    robust_ratio_curve,
    robust_ratio_profile,
    robust_ratio_regions,
    rr_linearity,
)

PARTS = ("stays_right", "stays_wrong", "moves_right", "moves_wrong")
references = st.sampled_from(["predicted", "true", "max"])


@few
@given(seeds, references, st.integers(2, 3), st.booleans())
def test_four_parts_are_all_samples(seed, reference, k, coarse):
    rng = np.random.default_rng(seed)
    y, p, q = moved(rng, 20, k, kind=fractions_of_20 if coarse else probabilities)
    options = {"reference": reference, "tolerances": [0, 0.05, 0.1, 0.4, 1]}
    with any_rows():
        found = robust_ratio_profile(y, p, q, **options)
        shift = probability_shift(p, q, reference=reference, y_true=y)
        curve = robust_ratio_curve(p, q, y_true=y, **options)[1]
    sure = sum(found[name] for name in PARTS)
    assert sure == pytest.approx(np.ones(5))
    assert found.ratio == pytest.approx(found.stays_right + found.stays_wrong)
    assert found.ratio == pytest.approx(curve)
    right = found.stays_right + found.moves_right
    assert right == pytest.approx(np.full(5, found.robust_accuracy))
    predicted = q.argmax(axis=1)
    assert found.robust_accuracy == pytest.approx(robust_accuracy_score(y, predicted))
    rate = misclassification_rate(y, predicted)
    assert found.misclassification_rate == pytest.approx(rate)
    for b, share in zip(found.tolerance, found.stays_wrong, strict=True):
        stays = shift <= b + 1e-9
        assert share == pytest.approx((stays & (predicted != y)).mean())
    for name in ("stays_right", "stays_wrong", "ratio_low", "ratio_high"):
        assert (np.diff(found[name]) >= -1e-12).all(), name
    assert (found.ratio_low <= found.ratio).all()
    assert (found.ratio <= found.ratio_high).all()
    # Other names of the classes, in other columns and rows.
    order, columns = rng.permutation(20), rng.permutation(k)
    if not coarse:  # of equal probabilities the first counts
        names = np.array(["d", "a", "e"])[:k]
        other = robust_ratio_profile(
            names[y][order],
            p[order][:, columns],
            q[order][:, columns],
            labels=names[columns],
            **options,
        )
        for name in (*PARTS, "ratio_low", "adversarial_confidence_stays"):
            expected = pytest.approx(found[name], abs=1e-9, nan_ok=True)
            assert other[name] == expected, name


def shifts_of(seed, n=40):
    """Moves of three models, two of which never differ by much."""
    rng = np.random.default_rng(seed)
    base = rng.exponential(0.08, n)
    shifts = [base, base * rng.lognormal(0, 0.4, n), base * rng.choice([0.1, 1, 5])]
    return rng, dict(zip("abc", (np.clip(s, 0, 1) for s in shifts), strict=True))


@fewer
@given(seeds)
def test_leaders_are_those_in_any_order(seed):
    _, models = shifts_of(seed)
    options = {"random_state": 0, "tolerances": [0.02, 0.1, 0.3]}
    found = robust_ratio_regions(models, **options)
    expected = [[(s <= b).mean() for s in models.values()] for b in found.tolerance]
    assert found.ratios == pytest.approx(np.array(expected))
    top = np.sort(found.ratios, axis=1)
    assert found.margin == pytest.approx(top[:, -1] - top[:, -2], abs=1e-12)
    names = found.models.tolist()
    for best, leader, low, ratios, able in zip(
        found.best, found.leader, found.lead_low, found.ratios, found.contenders,
        strict=True,
    ):  # fmt: skip
        assert best == names[int(np.argmax(ratios))]
        assert (leader == best) if low > 0 else (leader == "")
        assert able[names.index(best)]
        assert leader == "" or able.sum() == 1
    pairs = found.pairs
    assert (pairs.band_low < pairs.band_high).all()
    assert ((pairs.band_low >= -1) & (pairs.band_high <= 1)).all()
    other = robust_ratio_regions(dict(reversed(models.items())), **options)
    # Of 2,000 draws a quantile has a standard error of about 0.045.
    assert other.critical_value == pytest.approx(found.critical_value, abs=0.25)
    clear = np.abs(found.lead_low) > 0.03
    assert other.leader[clear].tolist() == found.leader[clear].tolist()
    # Who has the same moves as the best does not let it lead.
    twin = models["c"]
    twins = robust_ratio_regions({**models, "twin": twin}, **options)
    assert not set(twins.leader.tolist()) & {"c", "twin"}


@fewer
@given(seeds)
def test_weights_of_regions_have_no_unit(seed):
    rng, models = shifts_of(seed)
    weight = rng.integers(0, 4, 40).astype(float)
    weight[:2] = 1
    options = {"n_resamples": 100, "random_state": 0, "tolerances": [0.05, 0.2]}
    found = robust_ratio_regions(models, sample_weight=weight, **options)
    other = robust_ratio_regions(models, sample_weight=1e-3 * weight, **options)
    for name in ("margin", "lead_low", "ratios"):
        assert other[name] == pytest.approx(found[name]), name
    some = weight > 0
    absent = robust_ratio_regions(
        {name: s[some] for name, s in models.items()},
        sample_weight=weight[some],
        **options,
    )
    assert absent.ratios == pytest.approx(found.ratios)
    assert absent.lead_low == pytest.approx(found.lead_low)


@few
@given(st.lists(st.integers(0, 64), min_size=3, max_size=9), seeds)
def test_a_curve_is_as_straight_in_any_unit(steps, seed):
    rng = np.random.default_rng(seed)
    ratios = np.array(steps) / 128
    tolerances = np.sort(rng.choice(64, len(steps), replace=False)) / 128
    found = rr_linearity(tolerances, ratios)
    line = np.interp(tolerances, tolerances[[0, -1]], ratios[[0, -1]])
    off = ratios - line
    assert abs(found.max_deviation) == pytest.approx(np.abs(off).max())
    place = tolerances.tolist().index(found.at)
    assert found.max_deviation == pytest.approx(off[place])
    if np.ptp(ratios) == 0:
        assert np.isnan(found.r_squared_chord)
        assert np.isnan(found.r_squared)
    else:
        spread = ((ratios - ratios.mean()) ** 2).sum()
        chord = 1 - (off**2).sum() / spread
        assert found.r_squared_chord == pytest.approx(chord)
        expected = np.corrcoef(tolerances, ratios)[0, 1] ** 2
        assert found.r_squared == pytest.approx(expected, abs=1e-12)
        assert found.r_squared_chord <= found.r_squared + 1e-12
        assert 0 <= found.r_squared <= 1
    order = rng.permutation(len(steps))
    other = rr_linearity(2 * tolerances[order], ratios[order] / 4 + 0.5)
    for name, times in (("r_squared_chord", 1), ("r_squared", 1), ("max_deviation", 4)):
        expected = pytest.approx(found[name], abs=1e-9, nan_ok=True)
        assert times * other[name] == expected, name
    # A straight line is one wherever its tolerances are.
    straight = rr_linearity(tolerances, tolerances / 2 + 0.25)
    assert straight.r_squared_chord == pytest.approx(1)
    assert straight.r_squared <= 1


@pytest.mark.parametrize("n", [4, 12, 40])
@pytest.mark.filterwarnings("ignore:.*of no row changed")
def test_limits_of_a_difference_of_shares_lie_between_its_ends(n):
    """Of a model that stays within every tolerance, and of one that never does."""
    tolerances = [0.1, 0.5]
    models = {"still": np.zeros(n), "far": np.ones(n)}
    found = robust_ratio_regions(models, tolerances=tolerances, random_state=0).pairs
    assert found.difference.tolist() == [1, 1]
    assert found.band_high.tolist() == [1, 1]
    assert (found.band_low < 1).all()
    turned = dict(reversed(models.items()))
    back = robust_ratio_regions(turned, tolerances=tolerances, random_state=0).pairs
    assert back.band_low.tolist() == [-1, -1]
    assert back.band_high == pytest.approx(-found.band_low, abs=0.05)  # by draws
