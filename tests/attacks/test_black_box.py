"""Attacks that see answers alone: optima, counts, budgets, models and labels."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from problems import digit_rows, linear_problem
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skrobust.attacks import PGD, ZOO, HopSkipJump, RandomSearch, Square
from skrobust.attacks.core.queries import Queries
from skrobust.attacks.core.square_windows import Planes
from skrobust.base.model_in_container import ModelInContainer
from skrobust.evaluation import evaluate_attack
from skrobust.metrics import make_robust_scorer
from skrobust.testing import check_attack

SCORED = [RandomSearch, Square, ZOO]
QUICK = {
    RandomSearch: {"n_steps": 8},
    Square: {"n_steps": 40},
    ZOO: {"n_steps": 10, "n_features": 3},
}
EVERY = [
    RandomSearch(0.1),
    RandomSearch(0.3, norm=2, data_range=(0, 1), draws="gaussian"),
    RandomSearch(0.1, response="predict", draws="uniform"),
    RandomSearch(0.1, objective="probability_shift", draws="corners"),
    RandomSearch(0.1, objective="loss", max_queries=100),
    Square(0.1, n_steps=40),
    Square(0.3, norm=2, n_steps=40, data_range=(0, 1)),
    Square(0.5, norm=1, n_steps=40, data_range=(0, 1)),
    Square(0.5, norm=1, n_steps=40, image_shape=(2, 3)),
    Square(0.1, n_steps=40, image_shape=(2, 3), objective="probability_shift"),
    Square(0.2, norm=2, n_steps=40, image_shape=(2, 3), objective="loss"),
    ZOO(0.1, n_steps=10),
    ZOO(0.3, norm=2, n_steps=10, n_features=2, data_range=(0, 1)),
    ZOO(0.1, n_steps=10, objective="probability_shift"),
    HopSkipJump(0.3, norm=2, n_steps=3),
    HopSkipJump(0.1, norm=np.inf, n_steps=3, data_range=(0, 1)),
]


class Counting(ClassifierMixin, BaseEstimator):
    """Passes questions on, and writes down how many rows each call had."""

    def __init__(self, model, methods=("predict", "predict_proba")):
        self.model, self.methods, self.calls = model, methods, []
        self.classes_ = model.classes_

    def __getattr__(self, name):
        if name.startswith(("predict", "decision")) and name in self.methods:
            return lambda X: self._pass(name, X)
        raise AttributeError(name)

    def _pass(self, name, X):
        self.calls.append(len(X))
        return getattr(self.model, name)(X)


def forest(n=40, d=6, *, trees=5, classes=2):
    _, X, y = linear_problem(n, d, classes=classes)
    return RandomForestClassifier(trees, random_state=0).fit(X, y), X, y


@pytest.mark.slow
@pytest.mark.parametrize("attack", EVERY, ids=str)
def test_promises(attack):
    check_attack(attack)
    model, X, y = linear_problem(40, classes=3)
    check_attack(attack, model, X, y)
    check_attack(attack, *forest(classes=3))


@pytest.mark.slow
@pytest.mark.parametrize("norm, dual", [(np.inf, 1), (2, 2)])
@pytest.mark.parametrize("objective", ["loss", "probability_shift"])
@pytest.mark.parametrize("attack", SCORED)
def test_the_farthest_point_of_the_ball(attack, objective, norm, dual):
    # On a linear model eps times the dual norm of the weights; with two classes the
    # probability of the predicted class moves farthest at one of the two ends.
    model, X, y = linear_problem()
    a = attack(0.07, norm=norm, objective=objective, random_state=0)
    p = model.predict_proba(X)[:, 1]
    z = model.decision_function(X)
    reach = 0.07 * np.linalg.norm(model.coef_[0], dual)
    up, down = (1 / (1 + np.exp(-v)) for v in (z + reach, z - reach))
    best = np.maximum(np.abs(up - p), np.abs(down - p))
    if objective == "loss":
        best = np.abs(np.where(y == 1, down, up) - p)
    found = np.abs(model.predict_proba(a.perturb(model, X, y))[:, 1] - p)
    assert (found <= best * (1 + 1e-9)).all()
    share = 0.97 if attack is Square and norm == 2 else 0.9995
    if norm == np.inf:
        share = 1 - 1e-9
    assert (found >= share * best).all()


@pytest.mark.parametrize("norm, dual", [(np.inf, 1), (2, 2)])
@pytest.mark.parametrize("starts", [None, "rows"])
def test_the_nearest_point_that_fools(starts, norm, dual):
    model, X, y = linear_problem()
    y = model.predict(X)
    a = HopSkipJump(norm=norm, starts=starts, random_state=0)
    out = a.perturb(model, X, y)
    assert (model.predict(out) != y).all()
    exact = np.abs(model.decision_function(X)) / np.linalg.norm(model.coef_[0], dual)
    ratio = np.linalg.norm(out - X, norm, axis=1) / exact
    assert ratio.min() >= 1
    assert np.median(ratio) < 1.01
    assert ratio.max() < 1.04


def test_hop_skip_jump_inside_a_ball():
    model, X, y = linear_problem(200)
    exact = np.abs(model.decision_function(X)) / np.linalg.norm(model.coef_[0])
    right = model.predict(X) == y
    out = HopSkipJump(0.1, norm=2, random_state=0).perturb(model, X, y)
    moved = (out != X).any(axis=1)
    assert not moved[exact > 0.1].any()
    assert not moved[~right].any()
    assert moved[right & (exact < 0.1 / 1.04)].all()
    assert (model.predict(out[moved]) != y[moved]).all()


@pytest.mark.slow
@pytest.mark.parametrize("attack", [*SCORED, HopSkipJump])
def test_a_row_that_is_not_fooled_comes_back_unchanged(attack):
    model, X, y = forest()
    out = attack(0.05, **QUICK.get(attack, {}), random_state=0).perturb(model, X, y)
    failed = model.predict(out) == y
    assert failed.any()
    assert np.array_equal(out[failed], X[failed])


def test_queries_are_counted_exactly():
    model, X, y = forest()
    a = RandomSearch(0.05, n_steps=5, n_candidates=10, random_state=0)
    counting = Counting(model)
    out = a.perturb(counting, X, y)
    fooled = model.predict(out) != y
    # A clean label and clean scores each, five calls, one confirmation.
    assert len(counting.calls) <= 2 + 5 + 1
    never = X.shape[0] - fooled.sum()
    assert counting.calls[:3] == [40, 40, 400]
    assert sum(counting.calls) >= 80 + 50 * never
    queries = Queries(ModelInContainer(counting, X), "Test", order=("predict_proba",))
    queries.scores(X[:3], np.array([0, 0, 5]))
    queries.labels(X[:1], np.array([5]))
    assert queries.counts.tolist() == [2, 0, 0, 0, 0, 2] + [0] * 34
    assert (queries.n_calls, counting.calls[-2:]) == (2, [3, 1])


def counted(attack, X, y, model):
    """Return the queries of each row by attacking them one by one."""
    numbers = []
    for i in range(len(X)):
        counting = Counting(model)
        attack.perturb(counting, X[i : i + 1], y[i : i + 1])
        numbers.append(sum(counting.calls))
    return np.array(numbers)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:HopSkipJump found no fooling point")
@pytest.mark.parametrize("limit", [3, 10, 57])
@pytest.mark.parametrize("objective", [None, "probability_shift"])
@pytest.mark.parametrize("attack", [*SCORED, HopSkipJump])
def test_the_budget_is_never_exceeded(attack, objective, limit):
    if attack is HopSkipJump and objective:
        return
    model, X, y = forest(12, trees=5)
    a = attack(0.05, max_queries=limit, objective=objective, random_state=0)
    numbers = counted(a, X, y, model)
    assert numbers.max() <= limit
    if attack is not HopSkipJump:
        # What is not fooled uses it up; the confirmation is kept for who is.
        assert numbers.max() >= limit - (objective is None) - 1
    whole = Counting(model)
    a.perturb(whole, X, y)
    assert sum(whole.calls) == numbers.sum()


@pytest.mark.slow
@pytest.mark.parametrize("attack", [*SCORED, HopSkipJump])
def test_results_carry_the_true_counts(attack):
    model, X, y = forest(12, trees=5)
    a = attack(0.1, max_queries=150, random_state=0)
    result = a.run(model, X, y)
    assert np.array_equal(result.X_adv, a.perturb(model, X, y))
    assert np.array_equal(result.queries, counted(a, X, y, model))
    assert np.array_equal(result.success, model.predict(result.X_adv) != y)
    assert result.iterations.shape == (12,)
    assert np.isnan(result.norm[~result.success]).all()


@pytest.mark.parametrize("attack", [*SCORED, HopSkipJump])
def test_forests_get_few_large_calls(attack):
    model, X, y = forest(60)
    counting = Counting(model)
    own = QUICK.get(attack, {"n_steps": 4, "norm": 2})
    a = attack(0.05, **own, random_state=0)
    a.perturb(counting, X, y)
    # HopSkipJump: a few calls for the surface, two calls a step and its way back (two
    # calls at this width).
    calls = 7 * a.n_steps if attack is HopSkipJump else a.n_steps + 1
    assert len(counting.calls) <= calls + 18
    few = Counting(model)
    a.perturb(few, X[:6], y[:6])
    assert len(few.calls) >= 0.5 * len(counting.calls)


@pytest.mark.slow
@pytest.mark.parametrize("attack", [*SCORED, HopSkipJump])
def test_batches_mates_and_order_change_nothing(attack):
    model, X, y = forest(classes=3)
    a = attack(0.1, **QUICK.get(attack, {"n_steps": 3}), random_state=3)
    out = a.perturb(model, X, y)
    for size in (7,) if attack is HopSkipJump else (1, 7):
        small = clone(a).set_params(batch_size=size)
        assert np.array_equal(small.perturb(model, X[:10], y[:10]), out[:10])
    order = np.random.default_rng(0).permutation(len(X))
    assert np.array_equal(a.perturb(model, X[order], y[order]), out[order])
    other = clone(a).set_params(random_state=4).perturb(model, X, y)
    assert not np.array_equal(other, out)


def test_small_blocks_of_rows_change_nothing(monkeypatch):
    from skrobust.attacks.core import black_box_attack as _black_box

    model, X, y = forest()
    for a in (
        RandomSearch(0.1, n_steps=4, random_state=0),
        HopSkipJump(norm=2, n_steps=3, random_state=0),
    ):
        out = a.perturb(model, X, y)
        with monkeypatch.context() as patch:
            patch.setattr(_black_box, "_BYTES_OF_CANDIDATES", 40_000)
            assert np.array_equal(a.perturb(model, X, y), out)


MODELS = [
    make_pipeline(StandardScaler(), RandomForestClassifier(10, random_state=0)),
    HistGradientBoostingClassifier(max_iter=20),
    KNeighborsClassifier(),
    SVC(),
    SVC(decision_function_shape="ovo"),
    LinearSVC(),
    DecisionTreeClassifier(max_depth=4, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("attack", [*SCORED, HopSkipJump])
def test_every_kind_of_model_and_label(model, attack):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    if attack in (Square, ZOO) and "ovo" in str(model):
        with pytest.raises(ValueError, match="one column a class; SVC has none"):
            attack().perturb(clone(model).fit(X, y), X, y)
        return
    results = []
    for labels in (y, np.array(["u", "v", "w"])[y], 2.0 * y - 1):
        fitted = clone(model).fit(X, labels)
        a = attack(1.0, **QUICK.get(attack, {"n_steps": 2}), random_state=0)
        out = a.perturb(fitted, X, labels)
        assert fitted.score(out, labels) < fitted.score(X, labels)
        results.append(out)
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


def test_labels_have_the_last_word():
    # Scores and labels disagree where the threshold is not a half.
    _, X, y = linear_problem()
    moved = FixedThresholdClassifier(
        LogisticRegression(C=100), threshold=0.9, response_method="predict_proba"
    ).fit(X, y)
    for attack in SCORED:
        a = attack(0.1, **QUICK[attack], response="predict_proba", random_state=0)
        out = a.perturb(moved, X, y)
        unfooled = moved.predict(out) == y
        assert np.array_equal(out[unfooled], X[unfooled])
        assert moved.score(out, y) < moved.score(X, y)
    wrong = moved.predict(X) != y
    assert wrong.any()
    assert np.array_equal(out[wrong], X[wrong])


def test_frames_stay_frames():
    _, X, y = linear_problem()
    frame = pd.DataFrame(X, columns=list("abcdef"), index=range(50, 130))
    model = HistGradientBoostingClassifier(max_iter=10).fit(frame, y)
    table = pl.DataFrame(X, schema=list("abcdef"))
    for attack in [*SCORED, HopSkipJump]:
        a = attack(0.1, **QUICK.get(attack, {"n_steps": 2}), random_state=0)
        out = a.perturb(model, frame, y)  # a warning about names would be an error
        assert list(out.columns) == list("abcdef")
        assert list(out.index) == list(range(50, 130))
        again = a.perturb(model, table, y)
        assert np.array_equal(again.to_numpy(), out.to_numpy())


def test_y_of_none_and_unknown_labels():
    model, X, y = forest()
    for attack in [*SCORED, HopSkipJump]:
        a = attack(0.2, **QUICK.get(attack, {"n_steps": 2}), random_state=0)
        own = model.predict(X)
        assert np.array_equal(a.perturb(model, X), a.perturb(model, X, own))
        strange = y.copy()
        strange[:3] = 99
        assert np.array_equal(a.perturb(model, X, strange)[:3], X[:3])
        with pytest.raises(ValueError, match="none of the model's classes in y"):
            a.perturb(model, X, np.full(len(X), "q"))


class Labels:
    """A model of labels alone, with no classes_."""

    def predict(self, X):
        return np.where(np.asarray(X)[:, 0] > 0.5, "high", "low")


def test_a_model_that_is_no_estimator():
    X = np.random.default_rng(0).random((20, 3))
    y = Labels().predict(X)
    for a in (
        RandomSearch(0.2, random_state=0),
        HopSkipJump(0.2, norm=2, random_state=0),
    ):
        out = a.perturb(Labels(), X, y)
        fooled = Labels().predict(out) != y
        near = np.abs(X[:, 0] - 0.5) < 0.15
        assert fooled[near].all()
        assert not fooled[np.abs(X[:, 0] - 0.5) > 0.2].any()


@pytest.mark.slow
@pytest.mark.parametrize("norm", [np.inf, 2])
def test_square_on_images(norm):
    X, y = digit_rows()
    X, y = X[:300] / 16, y[:300]
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    eps = 0.2 if norm == np.inf else 1.0
    a = Square(
        eps,
        norm=norm,
        n_steps=60,
        data_range=(0, 1),
        image_shape=(8, 8),
        random_state=0,
    )
    out = a.perturb(model, X[:40], y[:40])
    assert model.score(out, y[:40]) < 0.7 < model.score(X[:40], y[:40])

    class Images(BaseEstimator):
        classes_ = model.classes_

        def predict(self, Z):
            return model.predict(Z.reshape(len(Z), -1))

        def predict_proba(self, Z):
            return model.predict_proba(Z.reshape(len(Z), -1))

    plain = clone(a).set_params(image_shape=None)
    for shape in ((8, 8), (1, 8, 8), (8, 8, 1)):
        images = X[:40].reshape(-1, *shape)
        again = plain.perturb(Images(), images, y[:40])
        assert again.shape == images.shape
        assert np.array_equal(again.reshape(40, -1), out)
    tall = X[:5, :10].reshape(5, 5, 2)  # a first square as high as the image

    class Tall(Images):
        def predict_proba(self, Z):
            p = Z.reshape(len(Z), -1).mean(axis=1)
            return np.column_stack([p, 1 - p, *np.zeros((8, len(p)))])

        def predict(self, Z):
            return self.predict_proba(Z).argmax(axis=1)

    assert plain.perturb(Tall(), tall).shape == tall.shape


@pytest.mark.parametrize(("shape", "least"), [((9, 9), 3), ((28, 20), 3), ((2, 6), 2)])
def test_squares_that_exchange_length_have_odd_sides(shape, least):
    rng, parts = np.random.default_rng(0), Planes(shape, None)
    for step in (0, 11, 60, 300, 700, 1500, 9000):
        share = Square(n_steps=10_000)._share(step)
        window, bump, other = parts.exchange(rng, 8, share)
        assert not bump[~window].any()
        for one in (*window[:, 0], *other[:, 0]):
            down, along = np.nonzero(one)
            side = np.ptp(down) + 1
            assert np.ptp(along) + 1 == side
            assert one.sum() == side**2
            assert side >= least
            assert side % 2 or side == min(shape)
        if least == 3:  # hill and dale
            assert (bump.min(axis=(1, 2, 3)) < 0).all()
            assert (bump.max(axis=(1, 2, 3)) > 0).all()


@pytest.mark.slow
def test_square_in_l2_finds_a_good_part_of_what_is_there():
    X, y = digit_rows()
    X = X / 16
    model = LogisticRegression(max_iter=100).fit(X[:300], y[:300])
    x = X[300:400]
    w, scores = model.coef_, model.decision_function(x)
    own = scores.argmax(axis=1)
    gaps = scores[np.arange(len(x)), own][:, None] - scores
    lengths = np.linalg.norm(w[own][:, None] - w, axis=2)
    ratios = np.where(lengths > 0, gaps / np.where(lengths > 0, lengths, 1), np.inf)
    exact = ratios.min(axis=1)
    for eps, share in ((0.4, 0.35), (0.8, 0.48)):
        attack = Square(eps, norm=2, n_steps=100, image_shape=(8, 8), random_state=0)
        moved = model.predict(attack.perturb(model, x, model.classes_[own]))
        fooled = moved != model.classes_[own]
        assert not fooled[exact > eps * (1 + 1e-9)].any()
        assert fooled[exact <= eps].mean() > share


def test_square_changes_squares():
    # Before the first square there are stripes; one square changes one square.
    steps = []

    class Spy(Square):
        def _recolour(self, parts, rng, delta, share):
            new = super()._recolour(parts, rng, delta, share)
            steps.append(((new != delta).any(axis=1), share))
            return new

    class Flat:
        classes_ = np.array([0, 1])

        def predict_proba(self, X):
            return np.tile([0.9, 0.1], (len(X), 1))

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    X = np.random.default_rng(0).random((6, 3, 9, 9))
    Spy(0.1, n_steps=20, random_state=0).perturb(Flat(), X)
    assert len(steps) == 20
    for changed, share in steps:
        for mask in changed:
            down, along = np.nonzero(mask)
            side = max(1, round(np.sqrt(share * 81)))
            assert np.ptp(down) + 1 == np.ptp(along) + 1 == side
            assert mask.sum() == side**2
    shares = [share for _, share in steps]
    assert shares == sorted(shares, reverse=True)
    assert Square(n_steps=10_000)._share(11) == 0.4
    assert Square(n_steps=10_000)._share(9_000) == 0.8 / 2**9


def test_zoo_widens_on_the_flats_of_trees():
    model, X, y = forest(80)
    narrow = ZOO(0.2, n_steps=20, random_state=0, difference=1e-6)
    assert model.score(narrow.perturb(model, X, y), y) < 0.8


def test_black_box_is_not_far_behind_white_box():
    model, X, y = linear_problem(200, classes=4)
    white = model.score(PGD(0.1, random_state=0).perturb(model, X, y), y)
    z = model.decision_function(X)
    gap = z[np.arange(200), y][:, None] - z
    reach = 0.1 * np.abs(model.coef_[y][:, None] - model.coef_[None]).sum(axis=2)
    gap[np.arange(200), y] = np.inf
    exact = (gap > reach).all(axis=1).mean()
    for attack in SCORED:
        black = model.score(attack(0.1, random_state=0).perturb(model, X, y), y)
        assert exact <= black <= white + 0.03


def test_hop_skip_jump_says_when_it_finds_no_start():
    class Never(Labels):
        def predict(self, X):
            return np.full(len(X), "low")

    X = np.random.default_rng(0).random((5, 2))
    with pytest.warns(UserWarning, match="no fooling point to start from for 5 rows"):
        out = HopSkipJump(norm=2, random_state=0).perturb(Never(), X)
    assert np.array_equal(out, X)

    class Needle(Labels):
        def predict(self, X):
            needle = (np.abs(X - 0.3456) < 1e-4).all(axis=1)
            return np.where(needle, "high", "low")

    a = HopSkipJump(
        norm=2, data_range=(0, 1), starts=np.full((1, 2), 0.3456), random_state=0
    )
    assert (Needle().predict(a.perturb(Needle(), X)) == "high").all()


def test_the_nearest_start_is_taken_and_shortens():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    rows = X[::10], y[::10]
    a = HopSkipJump(norm=2, n_steps=1, starts=X, random_state=0)
    out = a.perturb(model, *rows)
    gaps = np.linalg.norm(X[:, None] - rows[0], axis=2)
    gaps[model.predict(X)[:, None] == model.predict(rows[0])] = np.inf
    assert (np.linalg.norm(out - rows[0], axis=1) <= gaps.min(axis=0) + 1e-9).all()
    longer = clone(a).set_params(n_steps=10).perturb(model, *rows)
    size = np.linalg.norm(longer - rows[0], axis=1)
    assert np.median(size) < np.median(np.linalg.norm(out - rows[0], axis=1))


def test_scorers_and_evaluation():
    model, X, y = forest(60)
    ratio = {"metric": "robust_ratio", "tolerance": 0.1}
    a = RandomSearch(0.1, n_steps=5, random_state=0)
    robust = make_robust_scorer(a)(model, X, y)
    assert robust < model.score(X, y)
    assert 0 <= make_robust_scorer(a, **ratio)(model, X, y) < 1
    results = evaluate_attack(model, X, y, a, tolerances=[0.1])
    assert results.robust_accuracy == robust
    with pytest.raises(ValueError, match="'objective' parameter of HopSkipJump"):
        make_robust_scorer(HopSkipJump(0.1, norm=2), **ratio)(model, X, y)


MODEL, X, Y = linear_problem(20)
IMAGES = np.zeros((2, 3, 5, 4))  # channels first or last?
BAD = {
    "eps": (lambda: RandomSearch(-1), "'eps' parameter of RandomSearch"),
    "hsj eps none": (lambda: HopSkipJump(None), "'eps' parameter of HopSkipJump"),
    "no ball": (lambda: Square(np.inf), "'eps' parameter of Square"),
    "hsj eps": (lambda: HopSkipJump(-1), "'eps' parameter of HopSkipJump"),
    "steps": (lambda: RandomSearch(n_steps=0), "'n_steps' parameter of RandomSearch"),
    "candidates": (lambda: RandomSearch(n_candidates=0.5), "'n_candidates' parameter"),
    "draws": (lambda: RandomSearch(draws="all"), "'draws' parameter of RandomSearch"),
    "response": (lambda: Square(response="guess"), "'response' parameter of Square"),
    "queries": (lambda: ZOO(max_queries=2), "'max_queries' parameter of ZOO"),
    "batch": (lambda: ZOO(batch_size=0), "'batch_size' parameter of ZOO"),
    "features": (lambda: ZOO(n_features=0), "'n_features' parameter of ZOO"),
    "difference": (lambda: ZOO(difference=0), "'difference' parameter of ZOO"),
    "zoo steps": (lambda: ZOO(n_steps=-3), "'n_steps' parameter of ZOO"),
    "p": (lambda: Square(p_init=1.5), "'p_init' parameter of Square"),
    "square steps": (lambda: Square(n_steps=True), "'n_steps' parameter of Square"),
    "shape": (lambda: Square(image_shape=(4, 4)), "'image_shape' parameter of Square"),
    "shape text": (lambda: Square(image_shape="ab"), "'image_shape' parameter"),
    "axis": (lambda: Square(channel_axis=2), "'channel_axis' parameter of Square"),
    "norm": (lambda: HopSkipJump(norm=3), "'norm' parameter of HopSkipJump"),
    "hsj steps": (lambda: HopSkipJump(n_steps=0), "'n_steps' parameter of HopSkipJump"),
    "directions": (lambda: HopSkipJump(n_directions=1), "'n_directions' parameter"),
    "starts": (lambda: HopSkipJump(starts="far"), "'starts' parameter of HopSkipJump"),
    "starts shape": (lambda: HopSkipJump(starts=X[:, :2]), "'starts' parameter"),
    "starts nan": (lambda: HopSkipJump(starts=X * np.nan), "needs finite X"),
    "objective": (lambda: HopSkipJump(objective="loss"), "sees labels alone"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_parameters(name):
    make, sentence = BAD[name]
    with pytest.raises(ValueError, match=sentence):
        make().perturb(MODEL, X, Y)


def test_bad_models_and_rows():
    with pytest.raises(ValueError, match="LinearRegression is a regressor"):
        HopSkipJump().perturb(LinearRegression().fit(X, Y), X, Y)
    with pytest.raises(ValueError, match="labels alone give none"):
        RandomSearch(objective="probability_shift", response="predict").perturb(
            MODEL, X, Y
        )
    with pytest.raises(ValueError, match="labels alone give none"):
        Square(response="predict").perturb(MODEL, X, Y)
    with pytest.raises(
        ValueError, match="needs a fitted classifier with predict_proba"
    ):
        Square(response="predict_proba").perturb(LinearSVC().fit(X, Y), X, Y)
    with pytest.raises(ValueError, match="'channel_axis' parameter of Square"):
        Square().perturb(MODEL, IMAGES)
    assert Square(n_steps=3, channel_axis=1)._parts((3, 5, 4))
    with pytest.raises(ValueError, match="two or three dimensions"):
        Square().perturb(MODEL, np.zeros((2, 2, 2, 2, 2)))
    with pytest.raises(ValueError, match="needs finite X"):
        ZOO().perturb(MODEL, X * np.nan, Y)
    with pytest.raises(ValueError, match="outside data_range"):
        ZOO(data_range=(0, 0.5)).perturb(MODEL, X, Y)

    class Odd:
        classes_ = np.array([0, 1])

        def predict(self, X):
            return np.zeros((len(X), 2))

        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    with pytest.raises(ValueError, match="predict_proba returned NaN"):
        RandomSearch().perturb(Odd(), X, Y)
    with pytest.raises(ValueError, match="needs one label a row"):
        RandomSearch(response="predict").perturb(Odd(), X, Y)


def test_awkward_arrays():
    model, X, y = forest(20)
    a = RandomSearch(0.1, n_steps=3, random_state=0)
    out = a.perturb(model, X, y)
    frozen = X.copy()
    frozen.flags.writeable = False
    backwards = np.asfortranarray(X)[::-1, ::-1][::-1, ::-1]
    for rows in (frozen, np.asfortranarray(X), backwards, X.tolist()):
        assert np.array_equal(a.perturb(model, rows, y), out)
    single = a.perturb(model, X.astype(np.float32), y)
    assert single.dtype == np.float32
