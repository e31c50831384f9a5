"""Observed drift on the scale of a perturbation, and weights by it."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import wasserstein_distance

from skrobust.metrics import accuracy_stability_index
from skrobust.perturbations import (
    CategoryFlip,
    DateShift,
    FeatureLoss,
    FeatureNoise,
    MeanDrift,
    MissingValues,
    ScaleDrift,
    StaleRows,
    Typos,
    calibrate_severity,
    severity_weights,
)
from skrobust.perturbations.tables import _calibrate_severity
from skrobust.perturbations.tables.drift_distance import DriftDistance

RNG = np.random.default_rng(0)
X = RNG.normal([0, 50, 3], [1, 20, 0.1], size=(150, 3))
FAST = {"n_resamples": 40, "random_state": 0}


def mixed(n, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "size": np.where(rng.random(n) < 0.1, np.nan, rng.gamma(2, 3, n)),
            "kind": rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1]),
            "day": pd.Timestamp("2024-01-01")
            + pd.to_timedelta(rng.integers(0, 60, n), "D"),
        }
    )


def test_a_shift_of_half_a_deviation_is_severity_3():
    later = X[::-1] + 0.5 * X.std(axis=0)
    found = calibrate_severity(X, later, **FAST)
    assert found.distance == pytest.approx(0.5)
    assert found.interval[0] < 3 < found.interval[1]
    assert found.severity == pytest.approx(3, abs=0.2)
    assert found.p_value == 1 / 81  # of 80 deals, the fewest at this level
    assert found.words.startswith("severity 3 of MeanDrift (95% interval 2.")
    assert "move by 0.49 standard deviations" in found.words
    assert found.to_frame().shape == (3, 3)


def test_halves_of_the_same_data_are_below_the_noise_floor():
    zeros = 0
    for seed in range(12):
        rows = np.random.default_rng(seed).gamma(2, size=(120, 3))
        found = calibrate_severity(rows[:60], rows[60:], **FAST)
        zeros += found.severity == 0
        assert found.interval[0] <= found.severity <= found.interval[1]
        assert (found.severity == 0) == found.words.startswith("below the noise floor")
    # 97.5 % of halves are; fewer than 10 of 12 would be one case in 300.
    assert zeros >= 10


def test_the_noise_floor_falls_with_the_number_of_rows():
    few = calibrate_severity(X[:20], X[20:40], **FAST).noise_floor
    many = calibrate_severity(X, np.tile(X, (2, 1)), **FAST).noise_floor
    assert 0 < many < few


@pytest.mark.parametrize("scale", [MeanDrift(), FeatureNoise(), ScaleDrift()], ids=repr)
def test_units_and_the_order_of_rows_do_not_matter(scale):
    later = X[:90] + 0.3 * X.std(axis=0) * RNG.normal(1, 1, size=(90, 3))
    found = calibrate_severity(X, later, scale, **FAST)
    units, shift = np.array([1000.0, 0.25, 7.0]), np.array([-3.0, 0.0, 12.0])
    order = np.random.default_rng(1).permutation(len(X))
    other = calibrate_severity(
        X[order] * units + shift, later[::-1] * units + shift, scale, **FAST
    )
    for name in ("severity", "interval", "distance", "noise_floor", "p_value"):
        assert other[name] == pytest.approx(found[name], rel=1e-6), name


def test_drift_beyond_the_scale():
    found = calibrate_severity(X, X + 10 * X.std(axis=0), **FAST)
    assert found.severity == found.interval[1] == np.inf
    assert found.words.startswith("beyond severity 5 of MeanDrift, the strongest")
    # A scale that moves no distribution tells nothing from noise.
    found = calibrate_severity(X, X[:70], StaleRows(), **FAST)
    assert found.noise_floor == np.inf
    assert "cannot tell severity 5 of StaleRows from noise" in found.words


KINDS = {
    "categories": (CategoryFlip(mode="unseen"), 5),
    "dates": (DateShift(mode="shift"), 3),
    "missing": (MissingValues(), 3),
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_columns(kind):
    scale, severity = KINDS[kind]
    before, after = mixed(200, 0), mixed(150, 1)
    moved = type(scale)(**{**scale.get_params(), "severity": severity})
    moved = moved.set_params(random_state=1).fit(before).perturb(None, after)
    rows = before.copy(), moved.copy()
    found = calibrate_severity(before, moved, scale, **FAST)
    assert found.interval[0] <= severity <= found.interval[1]
    assert found.severity > 1
    assert rows[0].equals(before)
    assert rows[1].equals(moved)
    assert calibrate_severity(before, after, scale, **FAST).severity == 0
    if kind != "dates":  # without a time of day they are dates of another type
        frames = [_as_polars(frame) for frame in (before, moved)]
        other = calibrate_severity(*frames, scale, **FAST)
        assert other.interval == pytest.approx(found.interval, abs=0.2)


def _as_polars(frame):
    parts = {name: frame[name].tolist() for name in frame}
    parts["day"] = (
        frame["day"].astype(object).where(frame["day"].notna(), None).tolist()
    )
    parts["kind"] = [v if isinstance(v, str) else None for v in parts["kind"]]
    return pl.DataFrame(parts, strict=False, nan_to_null=True)


def test_distances_are_those_of_scipy():
    first, second = RNG.integers(0, 4, (2, 3, 150)).astype(float)
    known = DriftDistance(X, [0, 1, 2], False)
    later = np.vstack([X[:60] * 1.3, [[np.nan, 1, 2]]])
    pairs = known.pairs(later)
    for j, pair in pairs.items():
        own = ~np.isnan(later[:, j])
        for w, v in zip(first, second[:, : len(later)], strict=True):
            wanted = wasserstein_distance(X[:, j], later[own, j], w, v[own])
            found = pair.distance(w[None], v[None])[0]
            assert found == pytest.approx(wanted / X[:, j].std())
    names = pd.DataFrame({"kind": ["a"] * 3 + ["b"]})
    others = pd.DataFrame({"kind": ["a", "c", None, "c"]})
    (pair,) = DriftDistance(names, [0], False).pairs(others).values()
    # 3/4, 1/4, 0 and 1/3, 0, 2/3.
    assert pair.distance(np.ones((1, 4)), np.ones((1, 4)))[0] == pytest.approx(2 / 3)
    (pair,) = DriftDistance(names, [0], True).pairs(others).values()
    assert pair.distance(np.ones((1, 4)), np.ones((1, 4)))[0] == pytest.approx(1 / 4)


def test_constant_columns_have_no_unit():
    rows = np.column_stack([X[:, 0], np.ones(150)])
    assert calibrate_severity(rows, rows, **FAST).left_out == (1,)
    with pytest.raises(ValueError, match="needs a column that varies in 'reference'"):
        calibrate_severity(rows[:, 1:], rows[:, 1:])


FRAME, NAMED = mixed(20, 0), mixed(20, 1).rename(columns={"kind": "sort"})
TEXT = FRAME.assign(size=["x"] * 20)
WRONG = {
    "names": ((FRAME, NAMED), {}, "same columns.*; they differ in 'kind'"),
    "order": (
        (FRAME, FRAME[["kind", "size", "day"]]),
        {},
        "same columns.*; their order",
    ),
    "number": ((X, X[:, :2]), {}, "same columns.*Got 3 and 2"),
    "kind": ((FRAME, TEXT), {}, "one kind; column 'size' holds numbers .* categories"),
    "empty": ((FRAME, FRAME.assign(size=np.nan)), {}, "column 'size' has none, or"),
    "infinite": ((X, X + [0, np.inf, 0]), {}, "column 1 has none, or an infinite"),
    "class": ((X, X, MeanDrift), {}, "'perturbation' parameter of calibrate_severity"),
    "text": ((X, X, Typos()), {}, "a perturbation of tables"),
    "confidence": ((X, X), {"confidence": 1}, "'confidence' parameter"),
    "n_resamples": ((X, X), {"n_resamples": 5}, "'n_resamples' parameter"),
    "random_state": ((X, X), {"random_state": "a"}, "'random_state' parameter"),
    "columns": ((FRAME[["kind"]], FRAME[["kind"]]), {}, "no column to act on"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_calls_get_one_sentence(case):
    given, more, sentence = WRONG[case]
    with pytest.raises(ValueError, match=sentence):
        calibrate_severity(*given, **more)


def test_a_severity_replaces_a_physical_parameter():
    found = calibrate_severity(X, X + 0.5 * X.std(axis=0), MeanDrift(size=7.0), **FAST)
    assert found.severity == pytest.approx(3, abs=0.2)
    lost = calibrate_severity(X, X, FeatureLoss(share=1.0, fill="mean"), **FAST)
    assert lost.severity == 0


def test_columns_with_few_values():
    few = X.copy()
    few[3:, 1] = np.nan
    found = calibrate_severity(few, few, **FAST)
    assert found.severity == 0
    assert np.isfinite(found.noise_of_column).all()


# Weights


def test_weighted_scores_are_the_curve_at_the_observed_severities():
    levels = np.array([0, 1, 3, 5, np.nan, 1, 3, 5])
    scores = RNG.random(8)
    observed = np.array([0.0, 0.4, 1.0, 2.2, 4.9, 5.0, np.inf])
    weights = severity_weights(levels, observed)
    curve = [scores[levels == s].mean() for s in (0, 1, 3, 5)]
    wanted = np.interp(np.minimum(observed, 5), [0, 1, 3, 5], curve).mean()
    assert weights @ scores == pytest.approx(wanted)
    assert weights.sum() == pytest.approx(1)
    assert weights[4] == 0
    index = accuracy_stability_index(scores[:4], condition_weight=[0, 1, 0, 0])
    assert index == 1  # one condition alone


@pytest.mark.parametrize(
    "severities", [[], [np.nan], [[1.0]], [-1.0], [0.0, -1.0], [0.0, np.inf], ["a"]]
)
def test_weights_refuse_severities(severities):
    with pytest.raises(ValueError, match="'severities' parameter of severity_weights"):
        severity_weights(severities, 1)


@pytest.mark.parametrize("observed", [-1, np.nan, [], [[1.0]], "a"])
def test_weights_refuse_observed(observed):
    with pytest.raises(ValueError, match="'observed' parameter of severity_weights"):
        severity_weights([0, 1], observed)


def test_the_p_value_is_that_of_all_ways_to_deal_the_rows():
    first, second = np.array([0.0, 1.0, 7.0]), np.array([3.0, 9.0, 30.0])
    pooled = np.concatenate([first, second])

    def distance(one, other):
        return wasserstein_distance(one, other) / one.std()

    deals = [list(deal) for deal in itertools.combinations(range(6), 3)]
    all_ = [distance(pooled[deal], np.delete(pooled, deal)) for deal in deals]
    expected = np.mean(np.array(all_) >= distance(first, second) - 1e-9)
    settings = {"n_resamples": 4000, "random_state": 0}
    found = calibrate_severity(first[:, None], second[:, None], **settings)
    assert found.distance == pytest.approx(distance(first, second))
    assert found.p_value == pytest.approx(expected, abs=0.03)
    assert found.severity == 0


def test_heavy_tails_give_no_more_false_alarms():
    n_found = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        before, after = rng.standard_t(3, size=(40, 2)), rng.standard_t(3, size=(30, 2))
        found = calibrate_severity(before, after, n_resamples=80, random_state=seed)
        n_found += found.severity > 0
    assert n_found <= 2  # of 40 at a level of .025


class Sums:
    """Stands for a column: what is drawn of either sample."""

    def __init__(self):
        self.seen = []

    def distance(self, first, second):
        self.seen.append((first, second))
        return first[:, 0] + second[:, 0] / 100


@pytest.mark.parametrize("n_resamples", [1, 3, 10, 11, 25])
@pytest.mark.parametrize("cells", [1, 60, 150, 10**6])
def test_samples_are_drawn_in_parts_and_as_many_as_asked(
    n_resamples, cells, monkeypatch
):
    monkeypatch.setattr(_calibrate_severity, "_CELLS", cells)
    n, n_perturbed, m = 4, 8, 5
    draws = np.random.default_rng(0)
    weights = _calibrate_severity._Weights(draws, n, n_perturbed, m, n_resamples)
    columns = {"a": Sums(), "b": Sums()}
    found = weights.distances(columns)
    assert found.shape == (2, n_resamples)
    assert np.array_equal(found[0], found[1])
    for first, second in columns["a"].seen:
        assert first.size + second.size <= max(cells / 2, n + n_perturbed)
        assert (first.sum(axis=1) == n).all()
        assert (second.sum(axis=1) == m).all()
        assert first.shape[1] == n
        assert second.shape[1] == n_perturbed
    # Each severity sees the same samples.
    assert np.array_equal(weights.distances({"a": Sums()})[0], found[0])
    assert n_resamples < 10 or len(np.unique(found)) > 2


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9, 1.0])
def test_the_mean_distance_is_that_of_the_columns_that_have_one(share):
    rng = np.random.default_rng(0)
    by_column = rng.random((4, 30))
    by_column[rng.random(by_column.shape) < share] = np.nan
    found = _calibrate_severity._mean_of_known(by_column)
    for mean, column in zip(found, by_column.T, strict=True):
        known = column[~np.isnan(column)]
        wanted = known.sum() / len(known) if len(known) else np.nan
        np.testing.assert_allclose(mean, wanted)
