"""simulate: the table is what its runs say, paired, and independent of the workers."""

import numpy as np
import pytest

from skrobust.sampling import (
    DeepESTSampler,
    OperationalSampler,
    SimpleRandomSampler,
    simulate,
)
from skrobust.sampling._simulate import summarise


def pool(n=300):
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 2, n)
    return scores, rng.random(n) < scores


SAMPLERS = {"uniform": SimpleRandomSampler(), "deepest": DeepESTSampler()}


def test_rows_are_what_their_runs_say():
    scores, failed = pool()
    results = simulate(
        SAMPLERS, scores, failed, n_labels=(20, 60), n_repeats=30, random_state=1
    )
    truth = 1 - failed.mean()
    assert results.true_accuracy == truth
    assert results.sampler.tolist() == ["uniform"] * 2 + ["deepest"] * 2
    assert results.n_labels.tolist() == [20, 60] * 2
    assert results.estimates.shape == (4, 30)
    seeds = np.random.SeedSequence(1).generate_state(30).tolist()
    for row, sampler in ((1, SimpleRandomSampler), (2, DeepESTSampler)):
        runs = [
            sampler(random_state=seed)
            .fit(scores)
            .sample(int(results.n_labels[row]), lambda ids: failed[ids])
            for seed in seeds
        ]
        error = np.array([r.accuracy for r in runs]) - truth
        low, high = np.array([r.interval for r in runs]).T
        assert results.rmse[row] == np.sqrt((error**2).mean())
        assert results.bias[row] == pytest.approx(error.mean())
        noise = [np.std(e, ddof=1) / np.sqrt(30) for e in (error, error**2)]
        assert results.bias_error[row] == pytest.approx(noise[0])
        assert results.rmse_error[row] == pytest.approx(
            noise[1] / 2 / results.rmse[row]
        )
        assert results.median_error[row] == np.median(np.abs(error))
        assert results.failures[row] == np.mean([r.n_failures for r in runs])
        assert results.coverage[row] == ((low <= truth) & (truth <= high)).mean()
        assert results.width[row] == pytest.approx((high - low).mean())


def test_monte_carlo_errors_are_right():
    # The spread of the table's numbers over tables is the error they state.
    # A row is a table here; 30 uniform draws out of 300 have a known distribution.
    n_failed, rng = int(pool()[1].sum()), np.random.default_rng(0)
    found = rng.hypergeometric(n_failed, 300 - n_failed, 30, size=(2000, 40))
    runs = np.stack([1 - found / 30, found, 0 * found, 0 * found + 1], axis=-1)
    rows = [("uniform", 30)] * 2000
    tables = summarise(rows, runs, 1 - n_failed / 300, 0.95)
    for name in ("rmse", "bias"):
        spread, stated = np.std(tables[name]), np.mean(tables[f"{name}_error"])
        assert stated == pytest.approx(spread, rel=0.06)


def test_a_census_has_no_error():
    scores, failed = pool(40)
    results = simulate(SAMPLERS, scores, failed, n_labels=40, n_repeats=3)
    assert results.rmse == pytest.approx([0, 0], abs=1e-12)
    assert results.coverage.tolist() == [1, 1]
    assert results.failures == pytest.approx([failed.sum()] * 2)


@pytest.mark.slow
def test_same_result_whatever_the_workers_and_the_company():
    scores, failed = pool()
    given = {"n_labels": (20, 40), "n_repeats": 60, "random_state": 3}
    one = simulate(SAMPLERS, scores, failed, **given)
    two = simulate(SAMPLERS, scores, failed, n_jobs=2, **given)
    assert (one.estimates == two.estimates).all()
    alone = simulate(SAMPLERS["deepest"], scores, failed, **given)
    assert alone.sampler[0] == "DeepESTSampler"
    assert (alone.estimates == one.estimates[2:]).all()
    other = simulate(SAMPLERS, scores, failed, **(given | {"random_state": 4}))
    assert not (one.estimates == other.estimates).all()


@pytest.mark.parametrize(
    "labels", [["a", "b"], ["only"], [3, 5, 9], [7], [True, False], [True], [2.0]]
)
def test_predicted_labels_of_any_kind(labels):
    scores, failed = pool(100)
    y_pred = np.resize(np.array(labels), 100)
    given = {"n_labels": 30, "n_repeats": 5, "random_state": 0}
    plain = simulate(SAMPLERS, scores, failed, **given)
    labelled = simulate(SAMPLERS, scores, failed, y_pred=y_pred, **given)
    assert (plain.estimates == labelled.estimates).all()
    assert (plain.found == labelled.found).all()


def test_samplers_and_pool_stay_as_they_were():
    scores, failed = pool(60)
    scores.flags.writeable = failed.flags.writeable = False
    sampler = SimpleRandomSampler(random_state=5)
    simulate({"one": sampler}, scores, failed, n_labels=[10], n_repeats=2)
    assert sampler.random_state == 5
    assert not hasattr(sampler, "n_pool_")


def test_frame():
    pytest.importorskip("pandas")
    scores, failed = pool(60)
    frame = simulate(SAMPLERS, scores, failed, n_labels=[10], n_repeats=2).to_frame()
    assert frame.shape == (2, 10)
    assert list(frame.columns[:3]) == ["sampler", "n_labels", "rmse"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"samplers": {}}, "a dict of at least one sampler"),
        ({"samplers": {"a": SimpleRandomSampler}}, "a dict of samplers"),
        ({"samplers": [1, 2]}, "a dict of samplers"),
        ({"samplers": SimpleRandomSampler(object())}, "without an estimator"),
        ({"samplers": SimpleRandomSampler(loss=np.subtract)}, "without loss="),
        ({"scores": [[0.1]]}, "1-D array"),
        ({"scores": [0.1, np.nan, 0.2]}, "finite scores"),
        ({"failed": [0, 1]}, "scores has 3, failed has 2"),
        ({"failed": [0, 2, 1]}, "1-D booleans, or losses in"),
        ({"failed": [0, np.nan, 1]}, "1-D booleans, or losses in"),
        ({"n_labels": 4}, "at most the size of the pool, 3. Got 4"),
        ({"n_labels": 1}, "an integer of at least 2. Got 1"),
        ({"n_labels": ()}, "at least one number of labels"),
        ({"n_repeats": 1}, "an integer of at least 2"),
        ({"confidence": 95}, r"confidence.*in \(0, 1\)"),
        ({"y_pred": [1, 2]}, "y_pred has 2"),
    ],
)
def test_simulate_refuses_wrong_parameters(changed, message):
    given = {
        "samplers": SimpleRandomSampler(),
        "scores": [0.1, 0.2, 0.3],
        "failed": [0, 1, 0],
        "n_labels": 2,
        "n_repeats": 2,
    } | changed
    with pytest.raises(ValueError, match=message):
        simulate(**given)


def test_default_budgets_end_where_the_pool_does():
    failed = np.arange(300) % 7 == 0
    results = simulate(SimpleRandomSampler(), np.ones(300), failed, n_repeats=2)
    assert results.n_labels.tolist() == [50, 200]
    results = simulate(
        SimpleRandomSampler(), np.ones(30), failed[:30], n_repeats=2, random_state=0
    )
    assert results.n_labels.tolist() == [30]


def test_losses_are_simulated_like_labels():
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 3, 800)
    losses = np.clip(scores + rng.normal(0, 0.05, 800), 0, 1)
    samplers = {"uniform": SimpleRandomSampler(), "operational": OperationalSampler()}
    found = simulate(
        samplers, scores, losses, n_labels=60, n_repeats=30, random_state=0
    )
    assert found.true_accuracy == pytest.approx(1 - losses.mean())
    assert (np.abs(found.bias) < 4 * found.bias_error).all()
    assert (found.coverage > 0.85).all()
    assert found.rmse[1] < found.rmse[0]
    whole = simulate(SimpleRandomSampler(), scores, losses, n_labels=800, n_repeats=2)
    assert whole.estimates == pytest.approx(np.full((1, 2), 1 - losses.mean()))
    with pytest.raises(ValueError, match=r"losses in \[0, 1\]"):
        simulate(SimpleRandomSampler(), scores, 2 * losses, n_labels=60)


def test_costs_and_features_reach_the_samplers_that_take_them():
    rng = np.random.default_rng(0)
    scores, costs = rng.beta(1, 5, 800), np.exp(rng.normal(size=800))
    failed = rng.random(800) < scores
    samplers = {"uniform": SimpleRandomSampler(), "frontier": OperationalSampler()}
    of_rows = {"costs": costs, "features": scores[:, None]}
    setting = {"n_labels": 50, "n_repeats": 10, "random_state": 0}
    found = simulate(samplers, scores, failed, **of_rows, **setting)
    plain = simulate(samplers, scores, failed, **setting)
    np.testing.assert_array_equal(found.estimates[0], plain.estimates[0])
    assert not np.array_equal(found.estimates[1], plain.estimates[1])
    assert found.columns == (*plain.columns, "cost")
    seeds = np.random.SeedSequence(0).generate_state(10).tolist()
    spent = []
    for seed in seeds:
        one = OperationalSampler(random_state=seed).fit(scores, **of_rows)
        one.sample(50, lambda ids: failed[ids])
        spent.append(costs[one.ids_].sum())
    assert found.cost[1] == pytest.approx(np.mean(spent))
    assert found.cost[1] < found.cost[0]
    with pytest.raises(ValueError, match="none of the samplers takes costs="):
        simulate(SimpleRandomSampler(), scores, failed, costs=costs, **setting)
    with pytest.raises(ValueError, match="simulate needs inputs of equal length"):
        simulate(samplers, scores, failed, costs=costs[:9], **setting)


def test_seeds_that_differ_by_64_bits_are_the_same():
    scores = np.random.default_rng(0).random(40)
    runs = [
        simulate(
            {"u": SimpleRandomSampler()}, scores, scores < 0.3, n_labels=10,
            n_repeats=30, random_state=seed,
        ).rmse.tolist()
        for seed in (5, 5 + 2**64, 5 - 2**64, 6)
    ]  # fmt: skip
    assert runs[0] == runs[1] == runs[2] != runs[3]
