"""Evaluation of regressors under attack: closed forms of linear models."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.tree import DecisionTreeRegressor

from skrobust.attacks import PGD, RandomSearch
from skrobust.evaluation import evaluate_attack
from skrobust.perturbations import FeatureNoise

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X @ [1.0, -2.0, 0.5] + RNG.normal(size=60)
MODEL = LinearRegression().fit(X, Y)
EPS = 0.3
REACH = EPS * np.abs(MODEL.coef_).sum()  # how far a linear prediction can move


def test_scores_of_a_linear_model_are_those_of_the_farthest_predictions():
    found = evaluate_attack(MODEL, X, Y, PGD(EPS, random_state=0))
    clean = MODEL.predict(X)
    away = clean + np.where(clean >= Y, REACH, -REACH)
    assert found.clean_r2 == pytest.approx(r2_score(Y, clean))
    assert found.robust_r2 == pytest.approx(r2_score(Y, away))
    error = mean_absolute_error(Y, away)
    assert found.robust_mean_absolute_error == pytest.approx(error)
    assert found.prediction_shift == pytest.approx(REACH)
    assert found.largest_shift == pytest.approx(REACH)
    for name in ("clean_r2", "robust_r2", "clean_mean_absolute_error"):
        low, high = found[f"{name}_interval"]
        assert low < found[name] < high


def test_robust_ratio_jumps_at_the_reach():
    tolerances = [0.99 * REACH, 1.01 * REACH]
    found = evaluate_attack(MODEL, X, Y, PGD(EPS), tolerances=tolerances)
    assert found.robust_ratio_prediction_shift.tolist() == [0.0, 1.0]
    assert found.robust_ratio_prediction_shift_low[1] < 1
    standard = evaluate_attack(MODEL, X, Y, PGD(EPS))
    assert standard.tolerance == pytest.approx(0.02 * np.arange(26) * Y.std())
    ratio = standard.robust_ratio_prediction_shift
    assert (np.diff(ratio) >= 0).all()
    assert ratio[0] == 0


def test_an_attack_with_one_objective_gives_its_half():
    found = evaluate_attack(MODEL, X, Y, PGD(EPS, objective="prediction_shift"))
    assert "robust_r2" not in found
    assert found.prediction_shift == pytest.approx(REACH)
    found = evaluate_attack(MODEL, X, Y, PGD(EPS, objective="prediction_error"))
    assert "robust_ratio_prediction_shift" not in found
    assert found.robust_r2 < found.clean_r2


def test_trees_take_searches_and_perturbations(tmp_path):
    tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, Y)
    search = RandomSearch(eps=EPS, max_queries=20, random_state=0)
    settings = {"checkpoint": tmp_path, "clusters": np.arange(60) // 2}
    found = evaluate_attack(tree, X, Y, search, **settings)
    assert found.robust_r2 < found.clean_r2
    assert found.n_clusters == 30
    again = evaluate_attack(tree, X, Y, search, **settings)
    assert again.robust_r2 == found.robust_r2
    noise = FeatureNoise(severity=5, random_state=0).fit(X)
    noisy = evaluate_attack(tree, X, Y, noise)
    expected = r2_score(Y, tree.predict(noise.perturb(tree, X, Y)))
    assert noisy.robust_r2 == pytest.approx(expected)


def test_a_constant_target_has_no_r2():
    found = evaluate_attack(MODEL, X, np.ones(60), PGD(EPS))
    assert np.isnan(found.clean_r2)
    assert found.clean_r2_interval is None
    assert found.prediction_shift == pytest.approx(REACH)


@pytest.mark.parametrize("n", [59, 61])
def test_an_attack_that_gives_other_rows_is_refused_in_one_sentence(n):
    class Other:
        def perturb(self, estimator, X, y):
            return np.resize(X, (n, 3))

    told = (
        f"evaluate_attack needs inputs of equal length; y_true has 60, y_pred has {n}"
    )
    with pytest.raises(ValueError, match=told):
        evaluate_attack(MODEL, X, Y, Other())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"checks": True}, "checks= compares labels"),
        ({"groups": np.arange(60) % 2}, "groups= compares labels"),
        ({"tolerances": [-1]}, "'tolerances' parameter of evaluate_attack"),
        ({"tolerances": [-1, 0, 1]}, "'tolerances' parameter of evaluate_attack"),
        ({"tolerances": [0.5, -1e-9]}, "'tolerances' parameter of evaluate_attack"),
        ({"tolerances": []}, "'tolerances' parameter of evaluate_attack"),
    ],
)
def test_options_of_labels_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        evaluate_attack(MODEL, X, Y, PGD(EPS), **options)
