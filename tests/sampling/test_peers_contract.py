"""The published samplers keep the contract: state, census, estimators, bad input."""

import json
import pickle
from functools import cache

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from skrobust.sampling import (
    ConfidenceStratifiedSampler,
    CrossEntropySampler,
    GradientSampler,
    ProportionalSampler,
    RaoHartleyCochranSampler,
    StratifiedSampler,
    TwoStageSampler,
)

UNBIASED = [
    StratifiedSampler(random_state=0),
    StratifiedSampler(strata="quantile", allocation="proportional", random_state=0),
    ConfidenceStratifiedSampler(random_state=0),
    ProportionalSampler(random_state=0),
    ProportionalSampler(replacement=True, random_state=0),
    RaoHartleyCochranSampler(random_state=0),
    TwoStageSampler(random_state=0),
    GradientSampler(random_state=0),
]
PEERS = [*UNBIASED, CrossEntropySampler(random_state=0)]
every_peer = pytest.mark.parametrize("sampler", PEERS, ids=repr)
SCORES = np.random.default_rng(5).random(60) ** 3
FAILED = np.random.default_rng(6).random(60) < SCORES


def fresh(sampler, **parameters):
    return pickle.loads(pickle.dumps(sampler)).set_params(**parameters)


def facts(result):
    values = dict(vars(result), failures=result.failures.tolist())
    return {k: "nan" if v != v else v for k, v in values.items()}


@every_peer
def test_asking_all_is_a_census(sampler):
    for asks in ((60,), (1, 2, 30, 27), (59, 1)):
        sampler = fresh(sampler, random_state=1).fit(SCORES)
        for n in asks:
            ids = sampler.ask(n)
            sampler.tell(ids, failed=FAILED[ids])
        assert sorted(sampler.ids_) == list(range(60))
        result = sampler.result()
        assert result.accuracy == 1 - FAILED.mean()
        assert result.interval == (result.accuracy, result.accuracy)
        assert result.method == "census"
        with pytest.raises(ValueError, match="0 left, 1 asked"):
            sampler.ask()


@every_peer
@pytest.mark.parametrize(
    "scores", [[0.0] * 9, [0.3] * 9, [0.0] * 8 + [1.0], [0.5, 0.7]]
)
def test_scores_that_hardly_differ(sampler, scores):
    sampler = fresh(sampler, random_state=0).fit(scores)
    for n in (1, 1, *([3, 2, 1, 1] if len(scores) > 2 else [])):
        ids = sampler.ask(n)
        sampler.tell(ids, failed=ids == 0)
        sampler.result()
    assert sampler.result().accuracy == pytest.approx(1 - 1 / len(scores))


@every_peer
def test_resuming_from_text_is_no_interruption(sampler):
    straight = fresh(sampler, random_state=7).fit(SCORES)
    broken = fresh(sampler, random_state=7).fit(SCORES)
    for n, told in ((7, 5), (1, 3), (12, 8)):
        for one in (straight, broken):
            one.ask(n)
            ids = one.pending_[::-1][:told]
            one.tell(ids, failed=[None if i == 3 else bool(FAILED[i]) for i in ids])
        broken = type(sampler).from_json(broken.to_json())
    np.testing.assert_array_equal(straight.ids_, broken.ids_)
    assert straight._draws.pi.tolist() == broken._draws.pi.tolist()
    assert straight._draws.designs == broken._draws.designs
    assert facts(straight.result()) == facts(broken.result())
    published = {"estimator": "published"}
    assert facts(straight.result(**published)) == facts(broken.result(**published))
    np.testing.assert_array_equal(straight.ask(9), broken.ask(9))
    frozen = type(sampler).from_json(straight.to_json(), frozen=True)
    assert facts(frozen.result()) == facts(straight.result())
    lean = straight.to_json(include_pool=False)
    assert "pool" not in json.loads(lean)
    again = type(sampler).from_json(lean, SCORES)
    np.testing.assert_array_equal(again.ask(5), straight.ask(5))


@every_peer
def test_the_pool_is_left_as_it_was(sampler):
    wide = np.zeros((60, 2))
    wide[:, 0] = SCORES
    column = wide[:, 0]
    column.flags.writeable = False
    ids = fresh(sampler, random_state=0).fit(column).ask(20)
    plain = fresh(sampler, random_state=0).fit(SCORES)
    np.testing.assert_array_equal(plain.ask(20), ids)
    np.testing.assert_array_equal(column, SCORES)
    backwards = SCORES[::-1].copy()[::-1]
    np.testing.assert_array_equal(
        fresh(sampler, random_state=0).fit(backwards).ask(20), ids
    )


@cache
def told_twice(sampler):
    """Return the rate of failures and 40 samplers told two rounds of 40."""
    rng = np.random.default_rng(0)
    scores = rng.random(400) ** 2
    failed = rng.random(400) < scores
    told = [fresh(sampler, random_state=seed).fit(scores) for seed in range(40)]
    for s in told:
        for n in (40, 40):
            ids = s.ask(n)
            s.tell(ids, failed=failed[ids])
    return failed.mean(), told


@pytest.mark.parametrize("sampler", UNBIASED, ids=repr)
@pytest.mark.parametrize("estimator", ["default", "difference", "lure", "ppi"])
def test_other_estimators_are_near_the_truth(sampler, estimator):
    rate, told = told_twice(sampler)
    results = [s.result(estimator=estimator) for s in told]
    assert np.isfinite([r.std_error for r in results]).all()
    errors = np.array([r.accuracy for r in results]) - 1 + rate
    standard = np.std(errors, ddof=1) / np.sqrt(40)
    assert abs(np.mean(errors)) < 4.5 * standard
    assert told[-1].result(method="anytime").method == "anytime"


@pytest.mark.parametrize("sampler", UNBIASED, ids=repr)
def test_plans_foresee_the_half_width(sampler):
    rng = np.random.default_rng(0)
    scores = rng.random(3000) ** 2
    failed = rng.random(3000) < scores
    sampler = fresh(sampler, random_state=0).fit(scores)
    n = int(sampler.plan(0.05))
    assert 30 < n < 1200
    assert int(sampler.plan(0.025)) > 1.4 * n  # 4 times, but for what is exhausted
    result = sampler.sample(n, lambda ids: failed[ids])
    assert 0.03 < 1.96 * result.std_error < 0.08
    assert int(sampler.plan(1e-6)) == 3000


@pytest.mark.parametrize("sampler", UNBIASED, ids=repr)
@pytest.mark.parametrize("kind", ["random", "standard_exponential", "permutation"])
def test_a_pool_made_by_the_same_seed_is_drawn_from_at_random(sampler, kind):
    # A pool of numbers in the order of the sampler's own: the mistake of every demo.
    errors = []
    for seed in range(40):
        noise = getattr(np.random.default_rng(seed), kind)(
            500 if kind == "permutation" else (500,)
        )
        failed = noise < np.quantile(noise, 0.3)
        s = fresh(sampler, random_state=seed).fit(np.linspace(0.1, 0.2, 500))
        errors.append(s.sample(50, lambda ids, bad=failed: bad[ids]).accuracy - 0.7)
    assert abs(np.mean(errors)) < 4.5 * np.std(errors, ddof=1) / np.sqrt(40)


@pytest.mark.parametrize("sampler", UNBIASED, ids=repr)
def test_precision_of_a_class_is_estimated_too(sampler):
    y_pred = np.where(np.arange(60) % 2 == 0, "even", "odd")
    sampler = fresh(sampler, random_state=0).fit(SCORES, y_pred=y_pred)
    truth = np.where(FAILED, "else", y_pred)
    sampler.sample(60, lambda ids: truth[ids])
    found = sampler.metric("precision", label="even")
    assert found.value == pytest.approx(1 - FAILED[::2].mean())


@every_peer
@pytest.mark.filterwarnings("ignore:X has feature names")
def test_a_model_and_frames_give_the_same_ids(sampler):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = np.where(X[:, 0] + rng.normal(size=90) > 0, "yes", "no")
    model = LogisticRegression().fit(X, y)
    score = 1 - model.predict_proba(X).max(axis=1)
    found = []
    for pool in (X, pandas.DataFrame(X), polars.DataFrame(X), X.astype("float32")):
        s = fresh(sampler, estimator=model, random_state=0).fit(pool)
        result = s.sample(40, lambda ids: y[ids])
        assert result.n_failures == (model.predict(X) != y)[s.ids_].sum()
        found.append(s.ids_)
    plain = fresh(sampler, random_state=0).fit(score, y_pred=model.predict(X))
    plain.sample(40, lambda ids: y[ids])
    for ids in found[:3]:
        np.testing.assert_array_equal(ids, plain.ids_)
    if isinstance(sampler, CrossEntropySampler):
        for pool in (pandas.DataFrame(X), polars.DataFrame(X)):
            ids = fresh(sampler, random_state=0).fit(pool).ask(50)
            np.testing.assert_array_equal(
                ids, fresh(sampler, random_state=0).fit(X).ask(50)
            )


# Bad input


@pytest.mark.parametrize(
    ("sampler", "said"),
    [
        (StratifiedSampler(n_strata=0), "'n_strata'.*at least 1. Got 0"),
        (StratifiedSampler(strata="weka"), "'strata'.*'kmeans', 'quantile'"),
        (StratifiedSampler(allocation="optimal"), "'allocation'.*'neyman'"),
        (StratifiedSampler(auxiliary="dsa"), "'auxiliary'"),
        (GradientSampler(n_strata=2.5), "'n_strata'"),
        (GradientSampler(prior=0), "'prior'.*positive"),
        (GradientSampler(prior=np.nan), "'prior'"),
        (TwoStageSampler(floor=-0.1), r"'floor'.*\[0, 1\]"),
        (TwoStageSampler(strata=None), "'strata'"),
        (ProportionalSampler(floor=1.5), "'floor'"),
        (ProportionalSampler(replacement="yes"), "'replacement'.*True or False"),
        (RaoHartleyCochranSampler(floor="low"), "'floor'"),
        (CrossEntropySampler(n_bins=0), "'n_bins'"),
        (CrossEntropySampler(n_bins=10**6), "'n_bins'.*65536"),
        (CrossEntropySampler(group_size=1.0), "'group_size'"),
        (CrossEntropySampler(n_groups=0), "'n_groups'"),
        (CrossEntropySampler(n_start=-1), "'n_start'"),
        (ConfidenceStratifiedSampler(pool_shares=(0.5, 0.6)), "'pool_shares'.*sum"),
        (ConfidenceStratifiedSampler(label_shares=(0.5, 0.5)), "'label_shares'.*many"),
        (ConfidenceStratifiedSampler(label_shares=(0, 0.5, 0.5)), "positive shares"),
        (ConfidenceStratifiedSampler(label_shares="all"), "'label_shares'"),
        (ConfidenceStratifiedSampler(pool_shares=0.5), "'pool_shares'"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(sampler, said):
    with pytest.raises(ValueError, match=said) as error:
        sampler.fit(SCORES)
    assert type(sampler).__name__ in str(error.value)


@pytest.mark.parametrize("sampler", UNBIASED, ids=repr)
@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([], "at least one input"),
        ([0.1, np.nan], "NaN"),
        ([0.1, -0.2], "at least 0"),
        ([["a"], ["b"]], "."),
        (np.ones((3, 2)), "1-D scores"),
    ],
)
def test_bad_scores_are_named(sampler, scores, said):
    with pytest.raises(ValueError, match=said):
        fresh(sampler).fit(scores)


@every_peer
def test_an_error_changes_nothing(sampler):
    sampler = fresh(sampler, random_state=0).fit(SCORES)
    twin = fresh(sampler).fit(SCORES)
    for n in (0, -1, 2.5, 61):
        with pytest.raises(ValueError):
            sampler.ask(n)
        with pytest.raises(ValueError):
            sampler.sample(n, lambda ids: FAILED[ids])
    assert len(sampler.ids_) == 0
    np.testing.assert_array_equal(sampler.ask(9), twin.ask(9))
