"""No attack is weaker than chance, one step, or nothing, for as many questions."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skrobust.attacks import (
    BIM,
    FGSM,
    PGD,
    AutoPGD,
    HopSkipJump,
    MomentumPGD,
    RandomSearch,
    Square,
)
from tests.problems import digit_rows

N_QUERIES = 60
EPS = {np.inf: 0.15, 2: 0.9}
SMOOTH = {
    "softmax": LogisticRegression(max_iter=1000),
    "votes": make_pipeline(StandardScaler(), SVC(gamma=0.01)),
    "net": MLPClassifier((16,), tol=0.05, learning_rate_init=0.01, random_state=0),
}
MODELS = {
    **SMOOTH,
    "forest": RandomForestClassifier(20, random_state=0),
    "tree": DecisionTreeClassifier(random_state=0),
    "neighbours": KNeighborsClassifier(3),
    "steps": make_pipeline(Binarizer(threshold=0.4), LogisticRegression()),
}


@pytest.fixture(scope="module")
def fitted():
    X, y = digit_rows()
    X = X / 16
    found = {}
    for name, model in MODELS.items():
        model.fit(X[:400], y[:400])
        rows = np.arange(900, 940)
        rows = rows[model.predict(X[rows]) == y[rows]][:24]
        found[name] = model, X[rows], y[rows]
    return found


def by_chance(model, X, y, norm, n):
    """Count the rows that n random points of the surface of the ball fool."""
    rng, fooled = np.random.default_rng(1), np.zeros(len(X), dtype=bool)
    for _ in range(n):
        step = rng.normal(size=X.shape)
        step = np.sign(step) if norm == np.inf else step
        step *= EPS[norm] / np.linalg.norm(step, norm, axis=1)[:, None]
        fooled |= model.predict(np.clip(X + step, 0, 1)) != y
    return int(fooled.sum())


@pytest.mark.parametrize("norm", [np.inf, 2])
@pytest.mark.parametrize("name", sorted(MODELS))
def test_queries_find_what_chance_finds(fitted, name, norm):
    model, X, y = fitted[name]
    chance = by_chance(model, X, y, norm, N_QUERIES)
    shared = {"norm": norm, "data_range": (0, 1), "random_state": 0}
    shared["max_queries"] = N_QUERIES
    for kind in (HopSkipJump, RandomSearch, Square):
        result = kind(EPS[norm], **shared).run(model, X, y)
        assert result.queries.max() <= N_QUERIES
        slack = 4 if kind is Square else 2  # draws differ
        assert result.n_successes >= chance - slack, kind.__name__


@pytest.mark.parametrize("norm", [np.inf, 2])
@pytest.mark.parametrize("name", sorted(SMOOTH))
def test_steps_find_what_one_step_and_chance_find(fitted, name, norm):
    model, X, y = fitted[name]
    shared = {"norm": norm, "data_range": (0, 1)}
    one = FGSM(EPS[norm], **shared).run(model, X, y).n_successes
    chance = by_chance(model, X, y, norm, 20)
    for kind in (PGD, AutoPGD, BIM, MomentumPGD):
        attack = kind(EPS[norm], n_steps=10, random_state=0, **shared)
        assert attack.run(model, X, y).n_successes >= max(one, chance), kind.__name__


@pytest.mark.slow
def test_budgets_buy_successes_in_every_norm(fitted):
    model, X, y = fitted["forest"]
    for norm, eps in ((np.inf, 0.12), (2, 0.9), (1, 3.0)):
        shared = {"norm": norm, "data_range": (0, 1), "random_state": 0}
        few, more = (
            HopSkipJump(eps, max_queries=n, **shared).run(model, X, y).n_successes
            for n in (20, 150)
        )
        assert more > few
    attack = HopSkipJump(0.15, max_queries=300, data_range=(0, 1), random_state=0)
    chance = by_chance(model, X, y, np.inf, 300)
    assert attack.run(model, X, y).n_successes >= chance - 1
