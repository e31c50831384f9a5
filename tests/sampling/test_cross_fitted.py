"""The learned estimator: narrower where there is something to learn, and honest."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression

from skrobust.sampling import OperationalSampler, SimpleRandomSampler
from skrobust.sampling.core.cross_fitted import cross_fitted

N = 2000
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 8))
SIGNAL = 1 / (1 + np.exp(1 - X[:, 0] - 0.7 * X[:, 1]))
WORLDS = {
    "noise": RNG.beta(0.5, 2, N),
    "rare noise": np.where(RNG.random(N) < 0.15, RNG.random(N), 0.0),
    "signal": np.clip(SIGNAL + 0.1 * RNG.normal(size=N), 0, 1),
}


def asked(loss, n, seed=0, kind=SimpleRandomSampler):
    sampler = kind(random_state=seed).fit(np.full(N, 0.2))
    sampler.sample(n, lambda ids: loss[ids], kind="loss")
    return sampler


def test_no_answer_predicts_itself():
    sampler = asked(WORLDS["noise"], 60)
    answered, _ = sampler._answered()
    before = cross_fitted(answered, X)
    y = answered.y.copy()
    y[17] = 1 - y[17]
    after = cross_fitted(type(answered)(**{**vars(answered), "y": y}), X)
    assert after.m[17] == before.m[17]
    assert (after.m != before.m).sum() > 20
    # one model a fold: exactly those of the same fold keep their predictions
    same = np.flatnonzero(after.m == before.m)
    assert len(same) == 12


def test_a_perfect_model_leaves_no_error():
    loss = np.clip(0.5 + 0.1 * X[:, 0], 0, 1)
    result = asked(loss, 40).result(
        estimator="learned", features=X[:, 0], predictor=LinearRegression()
    )
    assert result.std_error < 0.005
    assert result.mean_loss == pytest.approx(loss.mean(), abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_coverage_and_error_against_no_predictor(world):
    loss, repeats = WORLDS[world], 300
    plain, learned, covered, width = [], [], [], []
    for seed in range(repeats):
        sampler = asked(loss, 50, seed)
        result = sampler.result(estimator="learned", features=X)
        default = sampler.result()
        plain.append(default.mean_loss)
        learned.append(result.mean_loss)
        low, high = result.interval
        covered.append(low <= loss.mean() <= high)
        width.append((high - low) / (default.interval[1] - default.interval[0]))
    plain, learned = np.array(plain) - loss.mean(), np.array(learned) - loss.mean()
    ratio = np.sqrt((learned**2).mean() / (plain**2).mean())
    assert ratio < (0.75 if world == "signal" else 1.05)
    assert np.mean(covered) > 0.93 - 2 * np.sqrt(0.07 * 0.93 / repeats)
    assert abs(learned.mean()) < 4 * learned.std() / np.sqrt(repeats)
    assert world != "signal" or np.mean(width) < 0.75


@pytest.mark.slow
def test_weighted_draws_learn_too():
    rng, loss = np.random.default_rng(2), WORLDS["signal"]
    scores, error = rng.beta(1, 6, N), {"default": [], "learned": []}
    for seed in range(100):
        sampler = OperationalSampler(random_state=seed).fit(scores)
        sampler.sample(100, lambda ids: loss[ids], kind="loss")
        for name, errors in error.items():
            features = {"features": X} if name == "learned" else {}
            found = sampler.result(estimator=name, **features)
            errors.append(found.mean_loss - loss.mean())
    spread = {name: np.std(errors) for name, errors in error.items()}
    assert spread["learned"] < 0.7 * spread["default"]
    assert abs(np.mean(error["learned"])) < 4 * spread["learned"] / 10


def test_labels_learners_skips_and_census():
    failed = RNG.random(N) < SIGNAL
    sampler = SimpleRandomSampler(random_state=0).fit(np.full(N, 0.2))
    ids = sampler.ask(150)
    sampler.tell(ids, failed=failed[ids])
    learned = {"estimator": "learned", "features": X}
    assert sampler.result(**learned).std_error < sampler.result().std_error
    trees = HistGradientBoostingRegressor(max_iter=20, min_samples_leaf=10)
    result = sampler.result(**learned, predictor=trees)
    assert str(result) == str(sampler.result(**learned, predictor=trees))
    assert not hasattr(trees, "n_features_in_")
    sampler.correct(ids[:2], failed=None)
    low, high = sampler.result(**learned).accuracy_bounds
    assert low <= sampler.result(**learned).accuracy <= high
    small = SimpleRandomSampler(random_state=0).fit(np.full(30, 0.2))
    census = small.sample(30, lambda ids: failed[ids])
    assert small.result(estimator="learned").accuracy == census.accuracy


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"features": X[:5]}, "one row for each of the 2000 inputs"),
        ({"features": np.full((N, 2), np.nan)}, "'features' parameter"),
        ({"features": [["a"]] * N}, "'features' parameter"),
        ({"features": X, "predictor": np.ones(N)}, "a regressor where"),
        ({"features": X, "method": "anytime"}, "depends on the past alone"),
        ({"features": X, "estimator": "ppi"}, "features= goes with"),
    ],
)
def test_bad_arguments(given, message):
    sampler = asked(WORLDS["noise"], 30)
    with pytest.raises(ValueError, match=message):
        sampler.result(**{"estimator": "learned", **given})


def test_nothing_to_learn_from():
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones((50, 2)))
    sampler.sample(20, lambda ids: ids % 2)
    with pytest.raises(ValueError, match="nothing to learn from"):
        sampler.result(estimator="learned")
