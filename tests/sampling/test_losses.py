"""Losses of single inputs, computed or told, in every sampler."""

import json
import pickle

import numpy as np
import pytest
from scipy.special import gammainccinv
from scipy.stats import beta
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from small_samplers import P7, Floored, InBatches, answered, make, sequences

from skrobust.sampling import (
    ConfidenceStratifiedSampler,
    DeepESTSampler,
    GradientSampler,
    OperationalSampler,
    ProportionalSampler,
    RaoHartleyCochranSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    TwoStageSampler,
)
from skrobust.sampling.core.graded_bounds import compound_upper, gaffke_bounds
from skrobust.testing import check_sampler

SAMPLERS = [
    SimpleRandomSampler(random_state=0),
    SimpleRandomSampler(interval="wilson", random_state=0),
    DeepESTSampler(random_state=0),
    DeepESTSampler(rule="released", random_state=0),
    StratifiedSampler(random_state=0),
    ConfidenceStratifiedSampler(random_state=0),
    ProportionalSampler(random_state=0),
    ProportionalSampler(replacement=True, random_state=0),
    RaoHartleyCochranSampler(random_state=0),
    TwoStageSampler(random_state=0),
    GradientSampler(random_state=0),
    OperationalSampler(random_state=0),
    Floored(random_state=0),
    InBatches(random_state=0),
]
every_sampler = pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
RNG = np.random.default_rng(3)
N = 80
SCORES = RNG.random(N) ** 2
PREDICTED = RNG.choice(["a", "b"], N)
FAILED = RNG.random(N) < SCORES
TRUE = np.where(FAILED, "c", PREDICTED)
LOSS = np.where(FAILED, RNG.random(N), 0.0).round(3)
ANSWERS = {"y_true": TRUE, "failed": FAILED, "loss": FAILED.astype(float)}


@every_sampler
def test_three_kinds_of_answers_give_one_estimate(sampler):
    found = {}
    for kind, answers in ANSWERS.items():
        one = clone(sampler).fit(SCORES, y_pred=PREDICTED)
        found[kind] = one.sample(40, lambda ids, a=answers: a[ids], kind=kind)
    assert found["y_true"].accuracy == found["failed"].accuracy
    loss = found["loss"]
    assert loss.mean_loss == pytest.approx(1 - found["failed"].accuracy, abs=1e-12)
    assert loss.std_error == pytest.approx(found["failed"].std_error, abs=1e-12)
    assert np.isnan(loss.accuracy)
    assert np.isnan(found["failed"].mean_loss)
    np.testing.assert_array_equal(loss.failures, found["failed"].failures)
    assert (loss.value, loss.measure) == (loss.mean_loss, "mean loss")


@every_sampler
def test_a_range_is_a_change_of_units(sampler):
    if "loss_range" not in sampler.get_params():
        return  # a class of one's own without the parameter
    unit = clone(sampler).fit(SCORES)
    one = unit.sample(40, lambda ids: LOSS[ids], kind="loss")
    wide = clone(sampler).set_params(loss_range=(-2, 8)).fit(SCORES)
    other = wide.sample(40, lambda ids: 10 * LOSS[ids] - 2, kind="loss")
    np.testing.assert_array_equal(unit.ids_, wide.ids_)
    assert other.mean_loss == pytest.approx(10 * one.mean_loss - 2, abs=1e-9)
    assert other.std_error == pytest.approx(10 * one.std_error, abs=1e-9)
    ends = [10 * end - 2 for end in one.interval]
    assert tuple(other.interval) == pytest.approx(ends, abs=1e-8)
    np.testing.assert_allclose(other.losses, 10 * one.losses - 2)
    assert "with a loss above -2" in str(other)
    assert other.labels_for(2.0) == one.labels_for(0.2)
    for text in (wide.to_json(), wide.to_json(include_pool=False)):
        again = type(wide).from_json(text, SCORES)
        assert again.loss_range == (-2, 8)
        assert str(again.result()) == str(other)
        frozen = type(wide).from_json(text, SCORES, frozen=True)
        assert str(frozen.result()) == str(other)
    assert str(pickle.loads(pickle.dumps(wide)).result()) == str(other)


@every_sampler
def test_the_mean_loss_is_exact_once_all_is_told(sampler):
    one = clone(sampler).fit(SCORES)
    before = one.result()
    assert np.isnan(before.accuracy)
    assert tuple(before.interval) == (0, 1)
    result = one.sample(N, lambda ids: LOSS[ids], kind="loss")
    assert result.mean_loss == pytest.approx(LOSS.mean(), abs=1e-12)
    assert tuple(result.interval) == pytest.approx((LOSS.mean(),) * 2)
    part = np.arange(N) % 3 == 0
    assert one.metric(groups=part).value == pytest.approx(LOSS[part].mean())
    assert one.metric().value == pytest.approx(LOSS.mean())


@pytest.mark.slow
@every_sampler
def test_the_contract(sampler):
    check_sampler(sampler, n_repeats=150)


@pytest.mark.slow
@pytest.mark.parametrize("design", ["paper", "released", "uniform", "floored"])
def test_the_mean_loss_and_its_variance_are_exactly_unbiased(design):
    sampler = make(design, P7)
    drawn = list(sequences(design, P7, 3))
    chance = np.array([steps.prod() for _, steps in drawn])
    for seed in range(3):
        loss = np.random.default_rng(seed).random(7)
        found = [sampler._estimate(answered(loss, *one)) for one in drawn]
        rate, std_error = np.array([(e.rate, e.std_error) for e in found]).T
        assert chance @ rate == pytest.approx(loss.mean(), abs=1e-9)
        variance = chance @ (rate - loss.mean()) ** 2
        assert chance @ std_error**2 == pytest.approx(variance, abs=1e-9)


@every_sampler
def test_skipped_and_open_answers_span_the_range(sampler):
    one = clone(sampler).fit(SCORES)
    ids = one.ask(30)
    one.tell(ids[1:], loss=LOSS[ids[1:]])
    open_one = one.result()
    assert open_one.n_used == 30
    assert "1 open answer (treated like skipped ones)" in " ".join(open_one.warnings)
    skipped = one.tell(ids[:1], loss=None).result()
    assert skipped.mean_loss == open_one.mean_loss
    assert tuple(skipped.interval) == tuple(open_one.interval)
    low, high = skipped.loss_bounds
    for value in (0.0, 0.4, 1.0):
        told = type(one).from_json(one.to_json()).tell(ids[:1], loss=[value]).result()
        assert low - 1e-12 <= told.mean_loss <= high + 1e-12
        assert skipped.interval[0] <= told.interval[0] + 0.01
        assert told.interval[1] <= skipped.interval[1] + 0.01


def test_a_first_round_with_one_open_answer_is_bounded():
    sampler = OperationalSampler(random_state=0).fit(SCORES)
    ids = sampler.ask(60)
    sampler.tell(ids[:29], failed=FAILED[ids[:29]])
    assert np.isnan(sampler.result().accuracy)  # hardly more is known than unknown
    sampler.tell(ids[29:-1], failed=FAILED[ids[29:-1]])
    result = sampler.result()
    low, high = result.accuracy_bounds
    assert 0 < high - low < 0.1
    for answer in (0, 1):
        told = OperationalSampler.from_json(sampler.to_json())
        one = told.tell(ids[-1:], failed=[answer]).result()
        assert result.interval[0] <= one.interval[0] <= one.interval[1]
        assert one.interval[1] <= result.interval[1]


def test_corrected_losses_count_as_if_told_at_first():
    right, wrong = (DeepESTSampler(random_state=0).fit(SCORES) for _ in range(2))
    ids = right.ask(20)
    right.tell(ids, loss=LOSS[ids])
    wrong.tell(wrong.ask(20), loss=1 - LOSS[ids]).correct(ids, loss=LOSS[ids])
    assert str(right.result()) == str(wrong.result())


# Functions of true and predicted values


def absolute(y_true, y_pred):
    return np.abs(y_true - y_pred)


def test_a_regressor_gives_its_mean_absolute_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X @ [1.0, 2.0] + rng.normal(size=200)
    model = LinearRegression().fit(X[:100], y[:100])
    sampler = SimpleRandomSampler(
        model, loss=absolute, loss_range=(0, 5), random_state=0
    ).fit(X)
    sampler.sample(50, y.take)
    error = np.abs(y - model.predict(X))
    assert sampler.result().mean_loss == pytest.approx(error[sampler.ids_].mean())
    text = sampler.to_json()
    with pytest.raises(ValueError, match="pass it as loss="):
        SimpleRandomSampler.from_json(text)
    again = SimpleRandomSampler.from_json(text, loss=absolute)
    assert str(again.result()) == str(sampler.result())
    np.testing.assert_array_equal(again.ask(5), sampler.ask(5))
    squared = sampler.estimate(lambda true, predicted: (true - predicted) ** 2)
    ids = np.setdiff1d(sampler.ids_, sampler.pending_)
    assert squared.value == pytest.approx((error[ids] ** 2).mean())


def test_several_labels_of_an_input():
    rng = np.random.default_rng(0)
    y_pred, y_true = rng.integers(0, 2, (2, 60, 3))
    hamming = lambda true, predicted: (true != predicted).mean(axis=1)  # noqa: E731
    sampler = SimpleRandomSampler(loss=hamming, random_state=0)
    sampler.fit(np.ones(60), y_pred=y_pred)
    ids = sampler.ask(60)
    answers = y_true[ids].astype(float)
    answers[3, 1] = np.nan
    sampler.tell(ids, answers)
    assert sampler.skipped_.tolist() == [ids[3]]
    sampler.tell(ids[3:4], y_true[ids[3:4]])
    expected = (y_pred != y_true).mean()
    assert sampler.result().mean_loss == pytest.approx(expected)
    again = SimpleRandomSampler.from_json(sampler.to_json(), loss=hamming)
    assert str(again.result()) == str(sampler.result())
    with pytest.raises(ValueError, match="recall needs one label per input"):
        sampler.metric("recall", label=1)
    with pytest.raises(ValueError, match="Several labels of an input need loss="):
        SimpleRandomSampler().fit(np.ones(60), y_pred=y_pred)


def test_several_labels_of_text_are_stored():
    y_pred = np.array([["cat", "dog"], ["dog", "cat"], ["cat", "cat"]])
    share = lambda true, predicted: (true != predicted).mean(axis=1)  # noqa: E731
    sampler = SimpleRandomSampler(loss=share, random_state=0)
    sampler.fit(np.ones(3), y_pred=y_pred).sample(3, lambda ids: y_pred[ids, ::-1])
    again = SimpleRandomSampler.from_json(sampler.to_json(), loss=share)
    assert again.y_pred_.tolist() == y_pred.tolist()
    assert again.result().mean_loss == pytest.approx(2 / 3)


FLOATS = np.linspace(0, 1, 20)


def fitted(y_pred=None, **parameters):
    sampler = SimpleRandomSampler(random_state=0, **parameters)
    sampler.fit(np.ones(20), y_pred=y_pred)
    sampler.ask(6)
    return sampler


BAD = {
    "continuous predictions": (
        lambda: fitted(FLOATS).tell([0], [1.0]),
        r"does not compare continuous numbers.*loss=lambda y_true, y_pred",
    ),
    "continuous answers": (
        lambda: fitted(np.arange(20)).tell([0], [0.5]),
        "does not compare continuous numbers",
    ),
    "sample of continuous predictions": (
        lambda: fitted(FLOATS).sample(5, FLOATS.take),
        r"sample does not compare continuous",
    ),
    "out of range": (
        lambda: fitted().tell([1], loss=[3]),
        r"loss_range=\(0, 1\); got 3 for id 1\. State the least",
    ),
    "infinite": (lambda: fitted().tell([1], loss=[np.inf]), "got inf for id 1"),
    "text": (lambda: fitted().tell([1], loss=["0.5"]), "got '0.5' for id 1"),
    "mixed": (
        lambda: fitted().tell([1], loss=[0.5]).tell([2], failed=[1]),
        "the answers so far are losses, which cannot be mixed with failed",
    ),
    "mixed the other way": (
        lambda: fitted().tell([1], failed=[1]).tell([2], loss=[0.5]),
        "labels or failures, which cannot be mixed with loss",
    ),
    "failed as a number": (
        lambda: fitted().tell([1], failed=[0.5]),
        "booleans, or 0 and 1; got 0.5 for id 1. Tell numbers as loss=",
    ),
    "a mean": (
        lambda: fitted(FLOATS, loss=lambda t, p: 0.5).tell([1], [0.5]),
        "one number for each of 1 inputs, not their mean",
    ),
    "no function": (lambda: fitted(loss="mae"), "'loss' parameter"),
    "range": (lambda: fitted(loss_range=(1, 0)), "'loss_range' parameter"),
    "infinite range": (lambda: fitted(loss_range=(0, np.inf)), "'loss_range' para"),
    "kind": (lambda: fitted().sample(2, np.ones_like, kind="losses"), "'kind' param"),
    "interval of labels": (
        lambda: told().result(method="wilson"),
        "is an interval of labels that are right or wrong",
    ),
    "accuracy of losses": (
        lambda: told().metric("accuracy"),
        "'accuracy' is not a metric of the answers told, which are losses",
    ),
    "loss of labels": (
        lambda: fitted().tell([1], failed=[1]).metric("loss"),
        "'loss' is not a metric of the answers told, which are labels",
    ),
    "recall of losses": (
        lambda: told(np.arange(20)).metric("recall", label=1),
        "was told as loss= alone",
    ),
}


def told(y_pred=None):
    sampler = fitted(y_pred)
    return sampler.tell(sampler.ids_, loss=np.linspace(0, 1, 6))


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=list(BAD))
def test_wrong_losses_get_one_clear_sentence(call, message, monkeypatch):
    def in_order(self):
        self._permutation = np.arange(self.n_pool_)

    monkeypatch.setattr(SimpleRandomSampler, "_start", in_order)
    with pytest.raises(ValueError, match=message):
        call()


def test_a_refused_loss_changes_nothing():
    sampler = fitted()
    text = sampler.to_json()
    with pytest.raises(ValueError, match="loss_range"):
        sampler.tell(sampler.ids_[:2], loss=[0.5, 1.5])
    assert sampler.to_json() == text
    assert json.loads(text).get("loss_range") is None


def test_rounding_is_no_loss_out_of_range():
    sampler = fitted()
    ids = sampler.ids_
    sampler.tell(ids[:2], loss=[1 - (1 + 1e-15), 1 + 1e-15])
    assert sampler.result().losses.tolist() == [1.0]
    np.testing.assert_array_equal(sampler.result().failures, ids[1:2])


def test_plan_and_stopping_are_in_units_of_the_loss():
    unit = SimpleRandomSampler(random_state=0).fit(np.ones(500))
    wide = SimpleRandomSampler(loss_range=(0, 50), random_state=0).fit(np.ones(500))
    plan = wide.plan(2.5, expected_loss=10)
    assert int(plan) == int(unit.plan(0.05, expected_accuracy=0.8))
    assert plan.half_width == 2.5
    loss = np.random.default_rng(0).random(500) * 10
    wide.sample(100, lambda ids: loss[ids], kind="loss")
    assert wide.should_stop(20)
    assert not wide.should_stop(0.1)
    with pytest.raises(ValueError, match="'half_width' parameter"):
        wide.should_stop(51)


# Intervals


@pytest.mark.parametrize(("n", "k"), [(20, 0), (20, 3), (50, 50), (200, 40)])
def test_gaffke_is_clopper_and_pearson_for_zeros_and_ones(n, k):
    y = (np.arange(n) < k).astype(float)
    low, high = gaffke_bounds(y, 10**12, 0.025)
    exact = beta.ppf(0.025, k, n - k + 1) if k else 0.0
    assert low == pytest.approx(exact, abs=0.01)
    exact = beta.isf(0.025, k + 1, n - k) if k < n else 1.0
    assert high == pytest.approx(exact, abs=0.01)
    exact = gammainccinv(k + 1, 0.025)
    assert compound_upper(y, 0.025) == pytest.approx(exact, rel=0.04)


WORLDS = {
    "graded": lambda rng, n: rng.integers(0, 5, n) / 4,
    "small": lambda rng, n: rng.gamma(2, 0.01, n).clip(0, 1),
    "rare": lambda rng, n: np.where(rng.random(n) < 0.03, rng.random(n), 0.0),
    "rare large": lambda rng, n: np.where(rng.random(n) < 0.02, 1, 0.1),
}


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 100])
@pytest.mark.parametrize("world", WORLDS)
def test_intervals_of_uniform_draws_cover(world, n):
    rng, repeats = np.random.default_rng(0), 400
    loss = WORLDS[world](rng, 1500)
    covered = {"default": 0, "anytime": 0}
    for seed in range(repeats):
        sampler = SimpleRandomSampler(random_state=seed).fit(np.ones(1500))
        sampler.sample(n, lambda ids: loss[ids], kind="loss")
        for method in covered:
            low, high = sampler.result(method=method).interval
            covered[method] += low <= loss.mean() <= high
    noise = 3 * np.sqrt(0.05 * 0.95 / repeats)
    assert min(covered.values()) / repeats > 0.95 - noise


def test_equal_losses_are_not_certain():
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(400))
    result = sampler.sample(30, lambda ids: np.full(len(ids), 0.3), kind="loss")
    low, high = result.interval
    assert low < 0.28
    assert high > 0.36
    weighted = DeepESTSampler(random_state=0).fit(np.random.default_rng(0).random(400))
    result = weighted.sample(30, lambda ids: np.full(len(ids), 0.3), kind="loss")
    assert result.interval[0] < 0.3 < result.interval[1] - 0.05


@pytest.mark.slow
@pytest.mark.parametrize(
    "sampler",
    [
        DeepESTSampler(),
        StratifiedSampler(),
        OperationalSampler(),
        ProportionalSampler(),
    ],
    ids=repr,
)
def test_intervals_of_weighted_draws_cover(sampler):
    rng = np.random.default_rng(1)
    scores = rng.beta(1, 5, 2000)
    loss = np.clip(scores * rng.gamma(4, 0.25, 2000), 0, 1)
    estimates, covered = [], []
    for seed in range(200):
        one = clone(sampler).set_params(random_state=seed).fit(scores)
        result = one.sample(100, lambda ids: loss[ids], kind="loss")
        low, high = result.interval
        estimates.append(result.mean_loss)
        covered.append(low <= loss.mean() <= high)
    noise = np.std(estimates) / np.sqrt(200)
    assert abs(np.mean(estimates) - loss.mean()) < 4 * noise
    assert np.mean(covered) > 0.95 - 3 * np.sqrt(0.05 * 0.95 / 200)


@pytest.mark.slow
def test_large_losses_where_draws_are_rare_are_allowed_for():
    rng = np.random.default_rng(1)
    scores = rng.beta(0.3, 3, 2000)
    is_rare = (scores < 0.1) & (rng.random(2000) < 0.03)
    loss = np.where(is_rare, rng.uniform(0.5, 1, 2000), 0.2 * scores)
    covered = {"default": 0, "t": 0}
    for seed in range(100):
        sampler = DeepESTSampler(random_state=seed).fit(scores)
        result = sampler.sample(100, lambda ids: loss[ids], kind="loss")
        assert result.method == "t, widened"
        assert "outcomes worse than the best one were met" in result.warnings[-1]
        for method in covered:
            low, high = sampler.result(method=method).interval
            covered[method] += low <= loss.mean() <= high
    assert covered["t"] < 80
    assert covered["default"] > 88
