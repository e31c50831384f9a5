"""Regions of tolerance in which a model leads, with simultaneous limits."""

import numpy as np
import pytest
from scipy.stats import binom, t

from skrobust.metrics import robust_ratio_curve, robust_ratio_regions


def equal_models(seed, n, k=2):
    rng = np.random.default_rng(seed)
    base = rng.exponential(0.08, n)
    return {name: np.clip(base * rng.lognormal(0, 0.5, n), 0, 1) for name in "abcd"[:k]}


def crossing(n=400):
    """Return shifts of a model that leads below .12 and one that leads above."""
    rng = np.random.default_rng(0)
    brittle = np.where(rng.random(n) < 0.6, 0.01, 0.5)
    return {"steady": rng.uniform(0, 0.2, n), "brittle": brittle}


def test_each_model_leads_where_it_should():
    data = crossing()
    found = robust_ratio_regions(data, random_state=0)
    assert found.regions.model.tolist() == ["brittle", "steady"]
    # True curves: 0.6 from 0.01 on against 5 b. They cross at 0.12.
    assert found.regions.stop[0] < 0.12 < found.regions.start[1]
    assert (found.regions.start[0], found.regions.stop[1]) == (0.01, 0.2)
    assert (found.regions.n_tolerances == [9, 7]).all()
    assert (found.regions.lead_low > 0).all()
    between = (found.tolerance > 0.1) & (found.tolerance < 0.14)
    assert (found.leader[between] == "").all()
    assert found.contenders[between].all()
    led = found.leader != ""
    assert (found.contenders.sum(axis=1) == 1)[led].all()
    only = found.models[found.contenders.argmax(axis=1)]
    assert np.array_equal(only[led], found.leader[led])


def test_ratios_are_those_of_the_curve():
    rng = np.random.default_rng(1)
    p, q, r = rng.dirichlet([1, 1, 1], size=(3, 60))
    grid = [0.5, 0.1, 0.3]
    found = robust_ratio_regions(
        {"a": (p, q), "b": (p, r)}, tolerances=grid, random_state=0
    )
    assert found.tolerance.tolist() == [0.1, 0.3, 0.5]
    for j, other in enumerate((q, r)):
        curve = robust_ratio_curve(p, other, tolerances=found.tolerance)[1]
        assert np.array_equal(found.ratios[:, j], curve)
    assert np.array_equal(found.pairs.difference, found.ratios @ [1, -1])
    assert np.allclose(found.margin, np.abs(found.pairs.difference))


def test_limits_are_those_of_bonett_and_price():
    """One comparison: added counts by hand, and the quantile of t."""
    n, only_first, only_second = 50, 14, 3
    first, second = np.full((2, n), 0.5)
    first[: only_first + 10] = 0.0
    second[only_first : only_first + 10] = 0.0
    second[-only_second:] = 0.0
    found = robust_ratio_regions(
        {"a": first, "b": second},
        tolerances=[0.1],
        n_resamples=40_000,
        random_state=0,
    )
    p12, p21 = (only_first + 1) / (n + 2), (only_second + 1) / (n + 2)
    error = np.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
    half = found.critical_value * error
    assert found.pairs.band_low[0] == pytest.approx(p12 - p21 - half)
    assert found.pairs.band_high[0] == pytest.approx(p12 - p21 + half)
    assert found.critical_value == pytest.approx(t.ppf(0.975, n - 1), rel=0.02)
    assert found.leader[0] == "a"


def test_equal_models_rarely_lead():
    """Wrong statements about any pair or tolerance: at most 1 - confidence."""
    n_runs, wrong = 200, 0
    for seed in range(n_runs):
        data = equal_models(seed, 60)
        found = robust_ratio_regions(
            data, confidence=0.9, n_resamples=300, random_state=seed
        )
        wrong += bool((found.leader != "").any())
    assert wrong <= binom.ppf(0.999, n_runs, 0.1)


def test_the_same_model_twice_never_leads():
    shift = np.random.default_rng(0).uniform(0, 0.3, 200)
    found = robust_ratio_regions({"a": shift, "b": shift}, random_state=0)
    assert (found.leader == "").all()
    assert found.contenders.all()
    assert len(found.regions.model) == 0
    assert (found.pairs.band_low < 0).all()  # no interval of zero width
    assert (found.pairs.band_high > 0).all()


def test_order_of_models_and_rows_does_not_matter():
    data = crossing() | {"third": np.random.default_rng(2).uniform(0.1, 0.3, 400)}
    found = robust_ratio_regions(data, n_resamples=20_000, random_state=0)
    turned = {name: data[name][::-1] for name in reversed(data)}
    other = robust_ratio_regions(turned, n_resamples=20_000, random_state=0)
    assert np.allclose(found.lead_low, other.lead_low, atol=0.005)
    assert np.array_equal(found.contenders, other.contenders[:, ::-1])
    again = robust_ratio_regions(data, n_resamples=20_000, random_state=0)
    assert again.critical_value == found.critical_value


def test_copies_of_rows_in_clusters_prove_nothing_more():
    data = equal_models(0, 60)
    data["a"] = np.clip(data["a"] * 0.5, 0, 1)
    one = robust_ratio_regions(data, n_resamples=20_000, random_state=0)
    many = {name: np.repeat(shift, 10) for name, shift in data.items()}
    clusters = np.repeat(np.arange(60), 10)
    same = robust_ratio_regions(
        many, clusters=clusters, n_resamples=20_000, random_state=0
    )
    assert np.allclose(one.pairs.band_low, same.pairs.band_low, atol=0.01)
    assert (same.n, same.unit) == (60, "clusters")
    blind = robust_ratio_regions(many, n_resamples=1000, random_state=0)
    assert (blind.lead_low > same.lead_low).all()


def same_numbers(one, other):
    assert one.critical_value == pytest.approx(other.critical_value)
    assert np.allclose(one.ratios, other.ratios)
    assert np.allclose(one.pairs.band_low, other.pairs.band_low)
    assert np.allclose(one.pairs.band_high, other.pairs.band_high)


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(30), 2)])
def test_equal_weights_are_no_weights(clusters):
    data = equal_models(3, 60)
    settings = {"clusters": clusters, "n_resamples": 500, "random_state": 0}
    plain = robust_ratio_regions(data, **settings)
    same_numbers(plain, robust_ratio_regions(data, sample_weight=[7] * 60, **settings))


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(30), 2)])
def test_rows_of_weight_zero_are_absent(clusters):
    data = equal_models(3, 60)
    weight = np.random.default_rng(0).uniform(1, 3, 60) * (np.arange(60) >= 20)
    few = {name: shift[20:] for name, shift in data.items()}
    settings = {"n_resamples": 500, "random_state": 0}
    parts = (None, None) if clusters is None else (clusters, clusters[20:])
    one = robust_ratio_regions(
        data, sample_weight=weight, clusters=parts[0], **settings
    )
    other = robust_ratio_regions(
        few, sample_weight=weight[20:], clusters=parts[1], **settings
    )
    same_numbers(one, other)
    assert one.n == (40 if clusters is None else 20)


def test_weighted_limits_are_linearised():
    """One comparison, by hand: the error of the weighted mean, two samples added."""
    rng = np.random.default_rng(4)
    weight = rng.lognormal(0, 1, 80)
    data = equal_models(5, 80)
    found = robust_ratio_regions(
        data,
        tolerances=[0.05],
        sample_weight=weight,
        n_resamples=40_000,
        random_state=0,
    )
    moved = (data["a"] <= 0.05).astype(float) - (data["b"] <= 0.05)
    assert found.pairs.difference[0] == pytest.approx(np.average(moved, weights=weight))
    extra = (weight @ weight) / weight.sum()
    moved, w = np.r_[moved, 1, -1], np.r_[weight, extra, extra]
    centre = np.average(moved, weights=w)
    error = np.sqrt(np.sum((w * (moved - centre)) ** 2)) / w.sum()
    half = found.critical_value * error
    assert found.pairs.band_low[0] == pytest.approx(centre - half)
    assert found.pairs.band_high[0] == pytest.approx(centre + half)
    # Fewer degrees of freedom: the weights are far from equal.
    df = (weight @ weight) ** 2 / (weight**4).sum() - 1
    assert df < 30
    assert found.critical_value == pytest.approx(t.ppf(0.975, df), rel=0.03)


def test_weights_of_a_cluster_are_its_size():
    """A cluster of three equal rows is one row of three times the weight."""
    data = equal_models(6, 40)
    weight = 1.0 + np.arange(40) % 3
    counts = weight.astype(int)
    many = {name: np.repeat(shift, counts) for name, shift in data.items()}
    clusters = np.repeat(np.arange(40), counts)
    rows = robust_ratio_regions(many, clusters=clusters, random_state=0)
    twice = {name: np.repeat(shift, 2) for name, shift in data.items()}
    found = robust_ratio_regions(
        twice,
        sample_weight=np.repeat(weight / 2, 2),
        clusters=np.repeat(np.arange(40), 2),
        random_state=0,
    )
    same_numbers(rows, found)


def test_two_clusters_allow_no_lead():
    with pytest.warns(UserWarning, match="no interval"):
        found = robust_ratio_regions(crossing(), clusters=np.arange(400) % 2)
    assert (found.leader == "").all()
    assert found.contenders.all()


@pytest.mark.parametrize(
    ("models", "match"),
    [
        ({"a": [0.1, 0.2]}, "two or more models"),
        ([[0.1], [0.2]], "two or more models"),
        ({"a": [0.1, 0.2], "b": [0.1]}, "'a' has 2, 'b' has 1"),
        ({"a": [0.1, 2.0], "b": [0.1, 0.2]}, "fractions"),
    ],
)
def test_bad_models_are_refused(models, match):
    with pytest.raises(ValueError, match=match):
        robust_ratio_regions(models)
