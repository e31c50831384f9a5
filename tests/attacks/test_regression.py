"""Attacks on regressors: closed forms, both directions, the ratio within a bound."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

from skrobust import metrics as m
from skrobust.attacks import FGSM, PGD

X, Y = load_diabetes(return_X_y=True)
X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
X, Y = X[:150], Y[:150]
LINEAR = make_pipeline(StandardScaler(), Ridge()).fit(X, Y)
WEIGHTS = LINEAR[-1].coef_ / LINEAR[0].scale_
CURVED = make_pipeline(StandardScaler(), SVR(C=100)).fit(X, Y)


def shift(model, attack):
    return np.abs(model.predict(attack.perturb(model, X, Y)) - model.predict(X))


@pytest.mark.parametrize("norm, dual", [(np.inf, 1), (2, 2)])
@pytest.mark.parametrize("attack", [FGSM(0.05), PGD(0.05, random_state=0)], ids=str)
def test_closed_form(attack, norm, dual):
    best = 0.05 * np.linalg.norm(WEIGHTS, dual)
    found = shift(LINEAR, clone(attack).set_params(norm=norm))
    assert np.allclose(found, best, rtol=1e-6)


def test_both_directions_in_a_box():
    # Rows in a corner of the box can move one way only.
    attack = FGSM(0.3, data_range=(0, 1))
    up = np.clip(X + 0.3 * np.sign(WEIGHTS), 0, 1) - X
    down = np.clip(X - 0.3 * np.sign(WEIGHTS), 0, 1) - X
    best = np.maximum(up @ WEIGHTS, -down @ WEIGHTS)
    assert np.allclose(shift(LINEAR, attack), best)
    assert np.allclose(shift(LINEAR, PGD(0.3, data_range=(0, 1), random_state=0)), best)
    assert (np.abs(up @ WEIGHTS) > np.abs(down @ WEIGHTS)).any()
    assert (np.abs(up @ WEIGHTS) < np.abs(down @ WEIGHTS)).any()


@pytest.mark.parametrize(
    "model",
    [
        CURVED,
        make_pipeline(StandardScaler(), KernelRidge(kernel="rbf", alpha=0.1)).fit(X, Y),
        make_pipeline(
            StandardScaler(),
            MLPRegressor(hidden_layer_sizes=(20,), tol=9.0, random_state=0),
        ).fit(X, Y),
    ],
    ids=["svr", "kernel ridge", "mlp"],
)  # fmt: skip
def test_curved_regressors(model):
    before = pickle.dumps(model)
    attack = PGD(0.1, n_steps=20, data_range=(0, 1), random_state=0)
    found = shift(model, attack)
    one = shift(model, FGSM(0.1, data_range=(0, 1)))
    rng = np.random.default_rng(0)
    noise = [
        np.abs(
            model.predict(np.clip(X + rng.choice([-0.1, 0.1], X.shape), 0, 1))
            - model.predict(X)
        )
        for _ in range(50)
    ]
    assert found.mean() >= 0.99 * one.mean()
    assert found.mean() > np.max(noise, axis=0).mean()
    assert pickle.dumps(model) == before
    moved = attack.perturb(model, X, Y)
    assert np.abs(moved - X).max() <= 0.1
    assert moved.min() >= 0
    assert moved.max() <= 1
    # Neither batch nor order nor targets matter; no target is needed.
    order = rng.permutation(len(X))
    other = clone(attack).set_params(batch_size=7).perturb(model, X[order])
    assert np.allclose(other, moved[order], atol=1e-9)
    none = attack.set_params(eps=0.0).perturb(model, X)
    assert np.array_equal(none, X)


def test_more_restarts_and_more_room_move_farther():
    attack = PGD(0.05, n_steps=5, random_state=0)
    once = shift(CURVED, attack)
    thrice = shift(CURVED, clone(attack).set_params(n_restarts=3))
    assert (thrice >= once - 1e-9).all()
    found = [shift(LINEAR, FGSM(eps)).mean() for eps in (0.01, 0.1, 0.2)]
    assert found == sorted(found)


def test_prediction_error_is_from_the_target():
    attack = FGSM(0.1, objective="prediction_error")
    moved = attack.perturb(LINEAR, X, Y)
    error = np.abs(LINEAR.predict(moved) - Y)
    best = np.abs(LINEAR.predict(X) - Y) + 0.1 * np.abs(WEIGHTS).sum()
    assert np.allclose(error, best)
    from_prediction = FGSM(0.1).perturb(LINEAR, X, Y)
    assert error.mean() > np.abs(LINEAR.predict(from_prediction) - Y).mean()


@pytest.mark.filterwarnings("ignore:.*best constant prediction")  # R2 of a fold
@pytest.mark.parametrize("reference", ["predicted", "true"])
def test_scorer(reference):
    best = 0.05 * np.abs(WEIGHTS).sum()
    scorer = m.make_robust_scorer(
        FGSM(0.05),
        "regression_robust_ratio",
        tolerance=best * (1 + 1e-9),
        reference=reference,
    )
    if reference == "predicted":
        assert scorer(LINEAR, X, Y) == 1
        scorer.set_params(tolerance=0.999 * best)
        assert scorer(LINEAR, X, Y) == 0
        weight = np.arange(len(X))
        assert scorer(LINEAR, X, Y, sample_weight=weight) == 0
    else:
        scorer.set_params(tolerance=60.0)
        exact = np.abs(LINEAR.predict(X) - Y) + best <= 60
        assert scorer(LINEAR, X, Y) == pytest.approx(exact.mean())
    assert scorer.__name__ == "regression_robust_ratio"
    folds = cross_val_score(Ridge(), X, Y, scoring=scorer, cv=3)
    assert folds.shape == (3,)
    search = GridSearchCV(Ridge(), {"alpha": [1, 1000]}, scoring=scorer, cv=3)
    search.fit(X, Y)
    named = m.get_scorer("regression_robust_ratio", perturbation=FGSM(), tolerance=1.0)
    assert 0 <= named(LINEAR, X, Y) <= 1
    quiet = m.make_robust_scorer(FGSM(0.0), "regression_robust_ratio", tolerance=0.0)
    assert quiet(LINEAR, X, Y) == 1


def test_metric_by_hand():
    y, moved = [1.0, 2.0, -3.0], [[1.0, 2.5, -3.0], [0.0, 2.0, -2.75]]
    assert m.prediction_shift(y, moved).tolist() == [1.0, 0.5, 0.25]
    tolerances, ratios = m.regression_robust_ratio_curve(
        y, moved, tolerances=[0, 0.25, 0.5, 2]
    )
    assert np.allclose(ratios, [0, 1 / 3, 2 / 3, 1])
    for tolerance, ratio in zip(tolerances, ratios, strict=True):
        one = m.regression_robust_ratio_score(y, moved, tolerance=tolerance)
        assert one == ratio
    true = m.prediction_shift(y, moved[0], reference="true", y_true=[1, 1, 1])
    assert true.tolist() == [0, 1.5, 4]
    _, curve = m.regression_robust_ratio_curve(y, moved)
    assert curve[-1] == 1
    assert (np.diff(curve) >= 0).all()
    weighted = m.regression_robust_ratio_score(
        y, moved, tolerance=0.5, sample_weight=[2, 1, 1]
    )
    assert weighted == 0.5
    # 0.9 - 0.85 is a little more than 0.05.
    assert m.regression_robust_ratio_score([0.9], [0.85], tolerance=0.05) == 1


CLASSIFIER = LogisticRegression().fit(X, Y > 150)
ROWS = {
    "a tree": (lambda: PGD().perturb(DecisionTreeRegressor().fit(X, Y), X, Y),
               "cannot differentiate DecisionTreeRegressor"),
    "objective of classes": (
        lambda: PGD(objective="probability_shift").perturb(LINEAR, X, Y),
        "'prediction_shift' or 'prediction_error' for a regressor"),
    "objective of numbers": (
        lambda: PGD(objective="prediction_shift").perturb(CLASSIFIER, X, Y > 150),
        "objectives of classifiers"),
    "error without y": (
        lambda: FGSM(objective="prediction_error").perturb(LINEAR, X), "needs y"),
    "two targets": (
        lambda: FGSM().perturb(LinearRegression().fit(X, np.c_[Y, Y]), X, Y),
        "cannot differentiate LinearRegression"),
    "scorer tolerance": (
        lambda: m.make_robust_scorer(FGSM(), "regression_robust_ratio")(LINEAR, X, Y),
        "needs a tolerance"),
    "scorer reference": (
        lambda: m.make_robust_scorer(FGSM(), "regression_robust_ratio", tolerance=1,
                                     reference="max")(LINEAR, X, Y), "'reference'"),
    "scorer objective": (
        lambda: m.make_robust_scorer(FGSM(objective="loss"), "regression_robust_ratio",
                                     tolerance=1)(LINEAR, X, Y),
        "objective='prediction_shift' or None"),
    "ratio of classes": (
        lambda: m.make_robust_scorer(FGSM(), "robust_ratio", tolerance=0.1)(
            LINEAR, X, Y), "regression_robust_ratio"),
    "tolerance": (lambda: m.regression_robust_ratio_score([1.0], [1.0], tolerance=-1),
                  "'tolerance' parameter"),
    "tolerances": (
        lambda: m.regression_robust_ratio_curve([1.0], [1.0], tolerances=[-1.0]),
        "'tolerances' parameter"),
    "reference": (lambda: m.prediction_shift([1.0], [1.0], reference="max"),
                  "'reference' parameter"),
    "no truth": (lambda: m.prediction_shift([1.0], [1.0], reference="true"),
                 "needs y_true"),
    "shapes": (lambda: m.prediction_shift([1.0], [1.0, 2.0]), "shape"),
    "nan": (lambda: m.prediction_shift([1.0], [np.nan]), "finite"),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_one_clear_sentence(row):
    call, sentence = ROWS[row]
    with pytest.raises(ValueError, match=sentence):
        call()


def test_regressors_refuse_precision_and_compile():
    # Classifiers of scikit-learn refuse it too.
    model = Ridge().fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="precision and compile are for nets"):
        PGD(precision="bfloat16").perturb(model, [[0.0]])
