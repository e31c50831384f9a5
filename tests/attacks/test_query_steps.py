"""Steps of searches by queries: fresh draws, features in play, rows in a call."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

from skrobust.attacks import PGD, ZOO, Constraints, HopSkipJump, RandomSearch, Square
from skrobust.attacks.core import black_box_attack, queries
from skrobust.attacks.core.query_search import QuerySearch
from skrobust.base.model_in_container import ModelInContainer

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 6))
Y = (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 3] > 0).astype(int)
MODEL = SVC(gamma=0.5).fit(X, Y)
ATTACKS = [
    RandomSearch(0.3, n_steps=4, n_candidates=6, random_state=0),
    Square(0.3, n_steps=15, random_state=0),
    Square(0.3, n_steps=15, norm=2, random_state=0),
    Square(0.3, n_steps=15, norm=1, random_state=0),
    ZOO(0.3, n_steps=6, random_state=0),
    HopSkipJump(0.3, n_steps=3, n_directions=12, random_state=0),
    HopSkipJump(0.6, norm=2, n_steps=3, n_directions=12, random_state=0),
    HopSkipJump(1.0, norm=1, n_steps=3, n_directions=12, random_state=0),
]
of_kind = {"ids": lambda attack: f"{type(attack).__name__}-{attack.norm}"}


@pytest.mark.filterwarnings("ignore:HopSkipJump found no fooling point")
@pytest.mark.parametrize("shift", [False, True], ids=["label", "probability"])
@pytest.mark.parametrize("attack", ATTACKS, **of_kind)
def test_no_row_gets_the_same_draws_twice(attack, shift, monkeypatch):
    shift = shift and not isinstance(attack, HopSkipJump)  # which leaves labels alone
    plain, seen = QuerySearch.rng, []

    def noted(search, step, rows):
        seen.extend((search._run, step, int(row)) for row in rows)
        return plain(search, step, rows)

    monkeypatch.setattr(QuerySearch, "rng", noted)
    attack.set_params(objective="probability_shift" if shift else None)
    attack.perturb(LogisticRegression().fit(X, Y) if shift else MODEL, X, Y)
    assert len({step for _, step, _ in seen}) > 3
    assert len(seen) == len(set(seen))


@pytest.mark.filterwarnings("ignore:HopSkipJump found no fooling point")
@pytest.mark.parametrize("attack", ATTACKS, **of_kind)
def test_rows_one_at_a_time_are_attacked_as_all_at_once(attack, monkeypatch):
    attack.set_params(objective=None)
    whole = attack.run(MODEL, X[:10], Y[:10])
    monkeypatch.setattr(black_box_attack, "_BYTES_OF_CANDIDATES", 1)
    alone = attack.run(MODEL, X[:10], Y[:10])
    np.testing.assert_allclose(alone.X_adv, whole.X_adv, rtol=1e-9)
    np.testing.assert_array_equal(alone.queries, whole.queries)


@pytest.mark.parametrize("norm", [np.inf, 2, 1])
@pytest.mark.parametrize("frozen", [[0], [1, 4, 5], [0, 2, 3, 4, 5]], ids=str)
def test_frozen_features_are_none_that_zoo_asks_about(frozen, norm):
    free = np.setdiff1d(np.arange(6), frozen)
    small = SVC(gamma=0.5).fit(X[:, free], Y)
    model = make_pipeline(FunctionTransformer(lambda X: X[:, free]), small).fit(X, Y)
    labels = model.predict(X)
    attack = ZOO(0.5, norm=norm, n_steps=5, random_state=0)
    expected = attack.run(small, X[:, free], labels)
    attack.constraints = Constraints(frozen=frozen)
    found = attack.run(model, X, labels)
    np.testing.assert_array_equal(found.queries, expected.queries)
    np.testing.assert_allclose(found.X_adv[:, free], expected.X_adv, rtol=1e-9)
    stands = ~found.success
    assert stands.any()
    # Scores and label of the clean row, then both sides of each, and two points.
    assert (found.queries[stands] == 2 + 5 * (2 * len(free) + 2)).all()


class Noted(ClassifierMixin, BaseEstimator):
    """Scores by the first value of a row; notes the shape of each call."""

    classes_ = np.array([0, 1])

    def __init__(self):
        self.shapes = []

    def decision_function(self, X):
        self.shapes.append(X.shape)
        return X.reshape(len(X), -1)[:, 0]

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


@pytest.mark.parametrize("shape", [(1,), (6,), (2, 3), (1, 4, 2)], ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_calls_hold_as_many_rows_as_fit_the_memory(shape, dtype, monkeypatch):
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    values = np.arange(23 * np.prod(shape), dtype=dtype).reshape(23, *shape)
    for limit, sizes in (
        (5 * n_bytes, [5, 5, 5, 5, 3]),
        (5 * n_bytes + n_bytes // 2, [5, 5, 5, 5, 3]),
        (n_bytes - 1, 23 * [1]),
        (10**6, [23]),
    ):
        monkeypatch.setattr(queries, "_BYTES_PER_CALL", limit)
        model = Noted()
        asked = queries.Queries(ModelInContainer(model, values), "Test")
        scores = asked.scores(values, np.arange(23))
        assert model.shapes == [(n, *shape) for n in sizes]
        assert asked.n_calls == len(sizes)
        assert scores[:, 1].tolist() == values.reshape(23, -1)[:, 0].tolist()
        assert asked.counts.tolist() == 23 * [1]


class Wide(ClassifierMixin, BaseEstimator):
    """A net whose fold had fewer classes than it has outputs."""

    def __init__(self, n_listed, n_outputs):
        self.n_listed, self.n_outputs = n_listed, n_outputs
        self.classes_ = np.array(list("abcdefgh"))[:n_listed]

    def predict_proba(self, X):
        return np.tile(np.arange(1.0, self.n_outputs + 1), (len(X), 1))


@pytest.mark.parametrize("n_rows", [1, 3, 7])
@pytest.mark.parametrize("n_outputs", [2, 3, 5])
@pytest.mark.parametrize("n_listed", [2, 3])
def test_classes_are_those_listed_or_else_the_places_of_the_outputs(
    n_listed, n_outputs, n_rows
):
    model, rows = Wide(n_listed, n_outputs), np.zeros((n_rows, 2))
    order = ("predict_proba",)
    asked = queries.Queries(ModelInContainer(model, rows), "Test", order=order)
    scores = asked.scores(rows, np.arange(n_rows))
    assert scores.shape == (n_rows, n_outputs)
    listed = list("abcdefgh")[:n_outputs]
    expected = listed if n_listed == n_outputs else list(range(n_outputs))
    assert asked.classes.tolist() == expected
    wanted = asked.label_index(np.array([*expected[::-1], expected[0]]))
    assert wanted.tolist() == [*range(n_outputs)[::-1], 0]


@pytest.mark.parametrize("has_answered", [False, True])
def test_logits_that_fail_give_way_to_probabilities_only_at_the_first_call(
    has_answered,
):
    model = LogisticRegression().fit(X, Y)
    order = ("predict_proba",)
    asked = queries.Queries(ModelInContainer(model, X), "Test", order=order)

    class Failing(SimpleNamespace):
        def __call__(self, rows):
            raise ValueError("rows of another kind")

    asked.method, asked._logits = "logits", Failing(has_answered=has_answered)
    if has_answered:  # scores of two kinds must not mix
        with pytest.raises(ValueError, match="rows of another kind"):
            asked.scores(X, np.arange(30))
        assert asked.method == "logits"
    else:
        found = asked.scores(X, np.arange(30))
        np.testing.assert_allclose(found, model.predict_proba(X))
        assert asked.method == "predict_proba"


def test_shares_of_changed_pixels_are_the_published_ones():
    # Andriushchenko et al. 2020, for 10,000 steps: after each place the half.
    attack = Square(n_steps=10_000, p_init=0.8)
    halved_at = [10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000]
    assert attack._share(1) == 0.8
    assert attack._share(10_000) == 0.8 / 2**9
    for n, place in enumerate(halved_at):
        assert attack._share(place - 1) == 0.8 / 2**n
        assert attack._share(place + 1) == 0.8 / 2 ** (n + 1)
    short = Square(n_steps=1000, p_init=0.8)
    for step in (1, 4, 12, 33, 77, 150, 333, 512, 777, 999):
        assert short._share(step) == attack._share(10 * step)


@pytest.mark.parametrize("eps", [0.0001, 1.0, 9.0])
def test_a_finish_says_how_many_rows_stood_and_how_many_it_fooled(eps):
    counts = np.random.default_rng(0).integers(0, 6, size=(40, 4)).astype(float)
    y = (counts @ [1, -1, 2, -2] > 0).astype(int)
    model = LogisticRegression().fit(counts, y)
    rules = Constraints(integer=True)
    attack = PGD(eps, constraints=rules, n_steps=2, random_state=0)
    result = attack.run(model, counts, y)
    stood = ~np.isin(result.found_by, ["pgd", "clean"])
    fooled = result.found_by == "square"
    said = f"{stood.sum()} rows that stood and fooled {fooled.sum()} of them."
    assert result.finish.endswith(said)
    assert stood.sum() == {0.0001: 40, 9.0: 0}.get(eps, stood.sum())
