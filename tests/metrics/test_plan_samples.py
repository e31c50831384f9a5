"""Planning: exact moments of the variance components, and goals that are reached."""

import itertools

import numpy as np
import pytest
from scipy.stats import nct, t

from skrobust.metrics import plan_samples
from skrobust.metrics.comparison.variance_components import Components

DESIGNS = [
    (("run", "sample"), (3, 4), {}),
    (("run", "condition", "sample"), (2, 3, 4), {}),
    (("cluster", "sample"), (3, 4), {"sample": "cluster"}),
    (("run", "cluster", "sample"), (3, 2, 4), {"sample": "cluster"}),
]


def levels(effect, factors, shape):
    """Return the tables that are 1 in one level of an effect and 0 elsewhere."""
    axes = [
        range(n) if f in effect else [None] for f, n in zip(factors, shape, strict=True)
    ]
    for place in itertools.product(*axes):
        table = np.zeros(shape)
        table[tuple(slice(None) if i is None else i for i in place)] = 1
        yield table


@pytest.mark.parametrize(("factors", "shape", "nested"), DESIGNS)
def test_components_are_unbiased_exactly(factors, shape, nested):
    # An effect is the sum of its levels times independent variables of variance 1, and
    # the estimate is a quadratic form: its mean is the sum over the levels alone.
    effects = Components(np.zeros(shape), factors, nested).effects
    for k, effect in enumerate(effects):
        parts = [
            Components(one, factors, nested) for one in levels(effect, factors, shape)
        ]
        total = np.sum([one.variances for one in parts], axis=0)
        np.testing.assert_allclose(total, np.eye(len(effects))[k], atol=1e-12)
        # So is the estimated variance of the mean.
        errors = [one.error(one.shape, (), planned=False)[0] ** 2 for one in parts]
        sizes = np.prod([one.shape[f] for one in parts[:1] for f in effect])
        if len(effects) == len(factors):  # no difference of mean squares is cut at 0
            assert sum(errors) == pytest.approx(1 / sizes)


def test_degrees_of_freedom_by_hand():
    table = Components(
        np.zeros((3, 2, 4)), ("run", "cluster", "sample"), {"sample": "cluster"}
    )
    found = {
        "".join(sorted(e)): d
        for e, d in zip(table.effects, table.degrees(table.shape), strict=True)
    }
    assert found == {
        "run": 2,
        "cluster": 1,
        "clusterrun": 2,
        "clustersample": 6,
        "clusterrunsample": 12,
    }
    assert sum(found.values()) == 3 * 2 * 4 - 1


def test_one_way_table_by_hand():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(6, 5)) + rng.normal(size=(6, 1))
    between = 5 * values.mean(axis=1).var(ddof=1)
    within = values.var(axis=1, ddof=1).mean()
    found = plan_samples(
        values.ravel(), ("sample",), clusters=np.repeat(range(6), 5), half_width=0.5
    )
    assert found.components.component.tolist() == ["cluster", "cluster x sample"]
    np.testing.assert_allclose(
        found.components.variance, [(between - within) / 5, within]
    )
    assert found.std_error == pytest.approx(np.sqrt(between / 30))
    assert found.half_width == pytest.approx(t.ppf(0.975, 5) * found.std_error)


def test_independent_samples_are_the_t_interval():
    values = np.random.default_rng(1).normal(size=40)
    found = plan_samples(values, ("sample",), half_width=0.1)
    n = int(found.needed[0])
    sd = values.std(ddof=1)
    assert t.ppf(0.975, n - 1) * sd / np.sqrt(n) <= 0.1
    assert t.ppf(0.975, n - 2) * sd / np.sqrt(n - 1) > 0.1
    found = plan_samples(values, ("sample",), difference=0.4, power=0.9)
    n = int(found.needed[0])
    noncentral = 0.4 / sd * np.sqrt(n)
    assert nct.sf(t.ppf(0.975, n - 1), n - 1, noncentral) == pytest.approx(
        0.9, abs=0.01
    )


def test_what_more_samples_cannot_reach():
    rng = np.random.default_rng(2)
    runs = np.array([-0.1, -0.05, 0.0, 0.05, 0.1])[:, None]
    values = 0.8 + runs + rng.normal(0, 0.01, (5, 300))
    found = plan_samples(values, ("run", "sample"), half_width=0.03)
    assert found.factor.tolist() == ["run", "sample"]
    assert found.needed[1] == np.inf  # the runs alone are more uncertain
    sd = np.std(runs, ddof=1)
    n = int(found.needed[0])
    assert t.ppf(0.975, n - 1) * sd / np.sqrt(n) == pytest.approx(0.03, rel=0.05)
    fixed = plan_samples(values, ("run", "sample"), fixed="run", half_width=0.03)
    assert fixed.factor.tolist() == ["sample"]
    assert fixed.needed[0] < 10
    assert found.components.share.sum() == pytest.approx(1)


def test_a_planned_table_has_the_planned_width():
    rng = np.random.default_rng(3)

    def draw(n_runs, n_samples, repeats):
        run = rng.normal(0, 0.03, (repeats, n_runs, 1))
        sample = rng.normal(0, 0.2, (repeats, 1, n_samples))
        return run + sample + rng.normal(0, 0.1, (repeats, n_runs, n_samples))

    table = draw(40, 400, 1)[0]
    found = plan_samples(table, ("run", "sample"), half_width=0.022)
    shape = {"run": int(found.needed[0]), "sample": 400}
    means = draw(shape["run"], 400, 300).mean(axis=(1, 2))
    error, df = Components(table, ("run", "sample"), {}).error(shape, ())
    assert t.ppf(0.975, df) * error == pytest.approx(0.022, rel=0.03)
    # The pilot's 40 runs give their standard deviation within 30 %.
    assert means.std() == pytest.approx(error, rel=0.3)


def test_order_of_clusters_and_axes_is_free():
    rng = np.random.default_rng(4)
    values, clusters = rng.random((3, 12)), np.repeat(range(4), 3)
    found = plan_samples(values, ("run", "sample"), clusters=clusters, half_width=0.1)
    order = rng.permutation(12)
    again = plan_samples(
        values[:, order].T, ("sample", "run"), clusters=clusters[order], half_width=0.1
    )
    assert sorted(found.needed) == sorted(again.needed)
    assert sorted(found.components.variance) == pytest.approx(
        sorted(again.components.variance)
    )


@pytest.mark.parametrize(
    ("values", "options", "text"),
    [
        (np.eye(3), {}, "exactly one of half_width"),
        (np.eye(3), {"half_width": 0.1, "difference": 0.1}, "exactly one"),
        (np.eye(3), {"half_width": 0}, "The 'half_width' parameter"),
        (np.eye(3), {"difference": 0.1, "power": 2}, "The 'power' parameter"),
        (np.eye(3), {"half_width": 0.1, "factors": ("run",)}, "one name for each axis"),
        (np.eye(3), {"half_width": 0.1, "factors": ("a", "a")}, "one name for each"),
        (np.ones((1, 3)), {"half_width": 0.1}, "two or more levels"),
        (np.eye(3) * np.nan, {"half_width": 0.1}, "The 'values' parameter"),
        (np.eye(4), {"half_width": 0.1, "clusters": [1, 1, 1, 2]}, "equal size"),
        (np.eye(4), {"half_width": 0.1, "clusters": [1, 2, 3, 4]}, "equal size"),
        (np.eye(4), {"half_width": 0.1, "fixed": ("condition", "sample")}, "not all"),
    ],
)
def test_plan_refuses(values, options, text):
    with pytest.raises(ValueError, match=text):
        plan_samples(values, **options)
