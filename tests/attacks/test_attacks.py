"""Attacks on linear models: closed forms, laws, labels, and pipelines."""

import copy

import numpy as np
import pandas as pd
import polars as pl
import pytest
from problems import linear_problem
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import (
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC

from skrobust._norms import length, project, steepest
from skrobust.attacks import FGSM, PGD, GradientAttack
from skrobust.evaluation import evaluate_attack
from skrobust.metrics import (
    make_normalized_scorer,
    make_robust_scorer,
    make_stability_index_scorer,
    robust_ratio_score,
)
from skrobust.testing import check_attack

EVERY = [
    FGSM(0.1),
    FGSM(0.1, data_range=(0, 1)),
    FGSM(0.3, norm=2, data_range=(0, 1)),
    PGD(0.1, n_steps=10),
    PGD(0.3, norm=2, n_steps=10, data_range=(0, 1)),
    PGD(0.1, n_steps=10, random_start=False),
    PGD(0.1, n_steps=5, n_restarts=3, data_range=(np.zeros(6), np.ones(6))),
    PGD(0.1, n_steps=5, objective="probability_shift"),
    PGD(0.1, n_steps=5, objective="loss"),
]


@pytest.mark.parametrize("attack", EVERY, ids=str)
def test_promises(attack):
    check_attack(attack)
    model, X, y = linear_problem(classes=3)
    check_attack(attack, model, X, y)


@pytest.mark.parametrize("norm, dual", [(np.inf, 1), (2, 2)])
@pytest.mark.parametrize("attack", [FGSM, PGD])
def test_closed_form_optimum(attack, norm, dual):
    # The farthest that a ball of radius eps moves the decision is eps times the dual
    # norm of the weights; both attacks must reach it on every row.
    model, X, y = linear_problem()
    w = model.coef_[0]
    sign = np.where(y == 1, -1, 1)
    a = attack(0.07, norm=norm, objective="loss", random_state=0)
    moved = model.decision_function(a.perturb(model, X, y)) - model.decision_function(X)
    best = sign * 0.07 * np.linalg.norm(w, dual)
    assert np.allclose(moved, best, rtol=1e-6)
    # Robust accuracy is then known exactly.
    a.set_params(objective=None)
    robust = model.score(a.perturb(model, X, y), y)
    margin = -sign * model.decision_function(X)
    assert robust == (margin > 0.07 * np.linalg.norm(w, dual)).mean()


def test_closed_form_in_the_box():
    model, X, y = linear_problem()
    sign = np.where(y == 1, -1, 1)[:, None]
    best = np.clip(X + 0.3 * sign * np.sign(model.coef_), 0, 1)
    for attack in (FGSM, PGD):
        a = attack(0.3, data_range=(0, 1), objective="loss", random_state=0)
        found = model.decision_function(a.perturb(model, X, y))
        assert np.allclose(found, model.decision_function(best))


def test_probability_shift_has_a_closed_form_too():
    # The probability of the predicted class moves farthest at one of the two ends.
    model, X, y = linear_problem()
    reach = 0.05 * np.abs(model.coef_).sum()
    z = model.decision_function(X)

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    best = np.maximum(
        np.abs(sigmoid(z + reach) - sigmoid(z)), np.abs(sigmoid(z - reach) - sigmoid(z))
    )
    for a in (FGSM(0.05), PGD(0.05, random_state=0)):
        a.set_params(objective="probability_shift")
        p = model.predict_proba(a.perturb(model, X, y))[:, 1]
        assert np.allclose(np.abs(p - sigmoid(z)), best, atol=1e-9)


def test_scalers_are_folded_in_raw_units():
    _, X, y = linear_problem()
    X = X * [1, 10, 100, 0.1, 1, 5] + 3
    for scaler in (
        StandardScaler(),
        MinMaxScaler((-2, 5)),
        StandardScaler(with_mean=False),
    ):
        pipe = make_pipeline(scaler, "passthrough", LogisticRegression()).fit(X, y)
        weight = pipe[-1].coef_[0] * (
            scaler.scale_ if isinstance(scaler, MinMaxScaler) else 1 / scaler.scale_
        )
        a = FGSM(0.02, norm=2, objective="loss")
        moved = pipe.decision_function(a.perturb(pipe, X, y)) - pipe.decision_function(
            X
        )
        assert np.allclose(np.abs(moved), 0.02 * np.linalg.norm(weight))


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LinearSVC(),
        SVC(kernel="linear"),
        SGDClassifier(random_state=0),
        RidgeClassifier(),
        Perceptron(random_state=0),
        LinearDiscriminantAnalysis(),
    ],
    ids=lambda m: type(m).__name__,
)
def test_linear_classifiers(model):
    _, X, y = linear_problem()
    model = model.fit(X, y)
    margin = np.where(y == 1, 1, -1) * model.decision_function(X)
    exact = (margin > 0.05 * np.abs(model.coef_).sum()).mean()
    assert model.score(FGSM(0.05).perturb(model, X, y), y) == exact
    assert exact < model.score(X, y)


@pytest.mark.parametrize("wrap", ["search", "frozen", "both", "nested"])
def test_wrapped_models(wrap):
    model, X, y = linear_problem()
    expected = FGSM(0.05).perturb(model, X, y)
    if wrap in ("search", "both"):
        search = GridSearchCV(clone(model), {"C": [100]}, cv=2).fit(X, y)
        model = search
    if wrap in ("frozen", "both"):
        model = FrozenEstimator(model)
    if wrap == "nested":
        model = make_pipeline(make_pipeline("passthrough", model))
    assert np.allclose(FGSM(0.05).perturb(model, X, y), expected)


def test_multiclass_pgd_is_not_weaker_than_fgsm():
    model, X, y = linear_problem(200, classes=4)
    fgsm = model.score(FGSM(0.1).perturb(model, X, y), y)
    pgd = model.score(PGD(0.1, random_state=0).perturb(model, X, y), y)
    # Closed form: a row is robust if no class k overtakes its own.
    z = model.decision_function(X)
    gap = z[np.arange(200), y][:, None] - z
    reach = 0.1 * np.abs(model.coef_[y][:, None] - model.coef_[None]).sum(axis=2)
    gap[np.arange(200), y] = np.inf
    exact = (gap > reach).all(axis=1).mean()
    assert exact <= pgd <= fgsm < model.score(X, y)
    assert pgd - exact < 0.02


def test_same_number_for_every_kind_of_label():
    X, y = load_iris(return_X_y=True)
    names = np.array(["u", "v", "w"])
    kinds = [
        y,
        names[y],
        10 * y + 7,
        y.astype(float),
        y.tolist(),
        pd.Series(y, index=range(200, 350)),
    ]
    numbers = []
    for labels in kinds:
        model = LogisticRegression(max_iter=5000).fit(X, labels)
        scorer = make_robust_scorer(PGD(0.2, random_state=0))
        numbers.append(scorer(model, X, labels))
    assert len(set(numbers)) == 1
    assert 0 < numbers[0] < 1
    onehot = np.eye(3)[y]
    model = LogisticRegression(max_iter=5000).fit(X, y)
    with pytest.raises(ValueError, match="1-D labels"):
        PGD(0.2).perturb(model, X, onehot)
    strange = y.copy()
    strange[:3] = 99
    adversarial = FGSM(0.2).perturb(model, X, strange)
    assert np.array_equal(adversarial[:3], X[:3])
    with pytest.raises(ValueError, match="none of the model's classes"):
        FGSM(0.2).perturb(model, X, names[y])


def test_minus_one_and_one():
    model, X, y = linear_problem()
    signed = clone(model).fit(X, 2 * y - 1)
    a = FGSM(0.05)
    assert np.allclose(a.perturb(model, X, y), a.perturb(signed, X, 2 * y - 1))


def test_containers_and_dtypes():
    model, X, y = linear_problem()
    plain = PGD(0.1, n_steps=3, random_state=0).perturb(model, X, y)
    frame = pd.DataFrame(X, columns=list("abcdef"), index=range(50, 130))
    out = PGD(0.1, n_steps=3, random_state=0).perturb(model, frame, y)
    pd.testing.assert_frame_equal(
        out, pd.DataFrame(plain, columns=frame.columns, index=frame.index)
    )
    table = PGD(0.1, n_steps=3, random_state=0).perturb(
        model, pl.DataFrame(X, schema=list("abcdef")), y
    )
    assert np.array_equal(table.to_numpy(), plain)
    single = PGD(0.1, n_steps=3, random_state=0).perturb(model, X.astype(np.float32), y)
    assert single.dtype == np.float32
    assert np.abs(single - X.astype(np.float32)).max() <= np.float32(0.1) * (1 + 1e-6)
    whole = (X * 10).astype(int)
    integer = FGSM(1.5).perturb(clone(model).fit(whole, y), whole, y)
    assert integer.dtype == np.float64
    ints = pd.DataFrame(whole, columns=list("abcdef"))
    out = FGSM(1.5).perturb(clone(model).fit(ints, y), ints, y)
    assert np.array_equal(out.to_numpy(), integer)


def test_already_wrong_rows_are_left_alone_under_misclassification_only():
    model, X, y = linear_problem()
    flipped = y.copy()
    flipped[:10] = 1 - model.predict(X[:10])
    out = FGSM(0.01).perturb(model, X, flipped)
    assert np.array_equal(out[:10], X[:10])
    full = FGSM(0.01, objective="probability_shift").perturb(model, X, flipped)
    assert not np.any(np.all(full == X, axis=1))


def test_early_stopping_flatters_the_robust_ratio():
    # The trap: examples that stopped at the first success have moved less.
    model, X, y = linear_problem(300)
    a = PGD(0.2, n_steps=40, step_size=0.01, random_start=False, random_state=0)
    stopped = clone(a).set_params(objective="misclassification").perturb(model, X, y)
    p = model.predict_proba(X)
    flattered = robust_ratio_score(p, model.predict_proba(stopped), tolerance=0.5)
    scorer = make_robust_scorer(a, metric="robust_ratio", tolerance=0.5)
    honest = scorer(model, X, y)
    full = clone(a).set_params(objective="probability_shift").perturb(model, X, y)
    assert honest == robust_ratio_score(p, model.predict_proba(full), tolerance=0.5)
    assert honest < flattered - 0.05
    explicit = clone(a).set_params(objective="misclassification")
    with pytest.raises(ValueError, match="stops once a sample is fooled"):
        make_robust_scorer(explicit, metric="robust_ratio", tolerance=0.5)(model, X, y)
    assert a.objective is None  # the scorer worked on a clone
    results = evaluate_attack(model, X, y, explicit, tolerances=[0.5])
    assert results.robust_ratio_probability_shift[0] == honest


def test_restarts_do_not_weaken():
    model, X, y = linear_problem(200, classes=4)
    once = PGD(0.1, n_steps=3, random_state=0).perturb(model, X, y)
    thrice = PGD(0.1, n_steps=3, n_restarts=3, random_state=0).perturb(model, X, y)
    assert model.score(thrice, y) <= model.score(once, y)


class Start(GradientAttack):
    """Returns its random starting points."""

    def __init__(self, eps=1.0, norm=2, data_range=None, random_state=0):
        self.eps, self.norm, self.data_range = eps, norm, data_range
        self.random_state = random_state
        self.objective = "loss"

    def _attack_batch(self, oracle, x, rng):
        start = oracle.random_start(rng)
        self.steps_ = [*getattr(self, "steps_", ()), start - x]
        return start


class Halfway(GradientAttack):
    """What a newcomer writes: one idea, and not even projected."""

    def __init__(
        self, eps=0.1, norm=np.inf, data_range=None, objective=None, random_state=None
    ):
        self.eps, self.norm, self.data_range = eps, norm, data_range
        self.objective, self.random_state = objective, random_state

    def _attack_batch(self, oracle, x, rng):
        z, gradient = oracle.gradient(x)
        return z + 99 * self.eps * oracle.steepest(gradient)


def test_batches_and_seeds():
    model, X, y = linear_problem()
    chunks = [
        PGD(0.1, n_steps=3, random_state=0, batch_size=size).perturb(model, X, y)
        for size in (1, 7, 1000)
    ]
    assert np.allclose(chunks[0], chunks[1], atol=1e-12)
    assert np.allclose(chunks[0], chunks[2], atol=1e-12)
    starts = [Start(random_state=seed).set_params() for seed in (0, 0, 1)]
    for start in starts:
        start.perturb(model, X, y)
    first, second, other = (np.concatenate(start.steps_) for start in starts)
    assert np.array_equal(first, second)
    assert not np.any(first == other)


def test_random_starts_fill_the_ball():
    model, X, y = linear_problem(4000, d=3)
    start = Start()
    start.perturb(model, X, y)
    radius = np.linalg.norm(np.concatenate(start.steps_), axis=1)
    assert radius.max() <= 1
    # Uniform in a ball of three dimensions: the cube of the radius is uniform.
    assert np.abs(np.sort(radius**3) - np.linspace(0, 1, 4000)).max() < 0.03


def test_a_newcomer_writes_an_attack_in_ten_lines():
    check_attack(Halfway())
    model, X, y = linear_problem()
    a = Halfway(objective="loss").perturb(model, X, y)
    assert np.allclose(a, FGSM(objective="loss").perturb(model, X, y))


def test_refusals_name_the_step():
    _, X, y = linear_problem()
    codes = OneHotEncoder(handle_unknown="ignore")
    pipe = make_pipeline(codes, LogisticRegression(max_iter=9999))
    with pytest.raises(ValueError, match="the step 'onehotencoder'"):
        FGSM(0.1).perturb(pipe.fit(X, y), X, y)
    with pytest.raises(ValueError, match="cannot differentiate KNeighborsClassifier"):
        PGD(0.1).perturb(KNeighborsClassifier().fit(X, y), X, y)


@pytest.mark.parametrize("norm", [np.inf, 2])
def test_norm_helpers(norm):
    rng = np.random.default_rng(0)
    d = rng.normal(size=(50, 3, 4))
    size = length(d, norm)
    assert np.allclose(size, [np.linalg.norm(v.ravel(), norm) for v in d])
    inside = project(d, 0.7, norm)
    assert length(inside, norm).max() <= 0.7 * (1 + 1e-12)
    assert np.array_equal(project(d, 100.0, norm), d)
    u = steepest(d, norm)
    assert np.allclose(length(u, norm), 1)
    dual = 1 if norm == np.inf else 2
    gain = (u * d).reshape(50, -1).sum(axis=1)
    assert np.allclose(gain, [np.linalg.norm(v.ravel(), dual) for v in d])
    assert not steepest(np.zeros((2, 3)), norm).any()
    assert np.allclose(steepest(d * 1e-300, norm), u)
    torch = pytest.importorskip("torch")
    t = torch.from_numpy(d)
    assert np.allclose(length(t, norm).numpy(), size)
    assert np.allclose(project(t, 0.7, norm).numpy(), inside)
    assert np.allclose(steepest(t, norm).numpy(), u)


def test_sparse_coefficients_and_rows_give_the_dense_results():
    from scipy.sparse import csr_array

    model, X, y = linear_problem()
    expected = FGSM(0.05).perturb(model, X, y)
    thin = copy.deepcopy(model).sparsify()
    assert np.allclose(FGSM(0.05).perturb(thin, X, y), expected)
    scorer = make_normalized_scorer(n_samples=1000)
    assert scorer(model, csr_array(X), y) == scorer(model, X, y)
    assert make_stability_index_scorer(4)(model, csr_array(X), y) <= 1


@pytest.mark.parametrize("norm", [np.inf, 2])
def test_rounding_stays_inside_the_ball(norm):
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=999).fit(X, y)
    for dtype, eps in ((np.float16, 0.0015), (np.float32, 0.1), (np.float64, 0.1)):
        rows = X.astype(dtype)
        out = FGSM(eps, norm=norm, objective="loss").perturb(model, rows, y)
        delta = out.astype(np.float64) - rows.astype(np.float64)
        assert np.linalg.norm(delta, norm, axis=1).max() <= eps
    rows = (X + 1e5).astype(np.float32)
    model.intercept_ = model.intercept_ - model.coef_.sum(axis=1) * 1e5
    out = FGSM(0.02).perturb(model, rows, y)
    assert np.abs(out.astype(np.float64) - rows.astype(np.float64)).max() <= 0.02


def test_equal_bounds_freeze_a_feature():
    model, X, y = linear_problem()
    X[:, 2] = 0.5
    low, high = X.min(axis=0), X.max(axis=0)
    out = PGD(0.1, data_range=(low, high), random_state=0).perturb(model, X, y)
    assert (out[:, 2] == 0.5).all()
    assert not np.array_equal(out, X)


def test_a_search_without_a_fitted_best_estimator_is_refused():
    _, X, y = linear_problem()
    for search in (
        GridSearchCV(LogisticRegression(), {}),
        GridSearchCV(LogisticRegression(), {}, refit=False).fit(X, y),
    ):
        with pytest.raises(ValueError, match="fitted search with refit"):
            FGSM(0.1).perturb(search, X, y)
