"""Tests of ``attack="auto"`` and of the bracket certified <= true <= attacked."""

import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.attacks import (
    FGSM,
    PGD,
    Constraints,
    ExactLinear,
    RandomSearch,
    StrongestAttack,
)
from skrobust.evaluation import (
    check_evaluation,
    evaluate_attack,
    make_bounds_scorer,
    robust_accuracy_bounds,
    robust_accuracy_curve,
    robust_ratio_bounds,
)
from skrobust.metrics import get_scorer, make_robust_scorer
from skrobust.report.core.strict_json import to_plain

X, Y = load_wine(return_X_y=True)
X_TRAIN, X_TEST, Y_TRAIN, Y_TEST = train_test_split(X, Y, test_size=0.4, random_state=0)
WINE = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_TRAIN, Y_TRAIN)
DATA = WINE, X_TEST, Y_TEST
PGD_05 = PGD(0.5, random_state=0)


class Opaque(ClassifierMixin, BaseEstimator):
    """A model of which nothing is known but its answers."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.model.predict(X)


def test_the_strongest_known_answer_is_the_default_one():
    """PGD leaves .167 of wine at eps .5; the truth is .083, and the bracket a point."""
    assert evaluate_attack(*DATA, PGD_05).robust_accuracy == pytest.approx(12 / 72)
    results = evaluate_attack(*DATA, "auto", eps=0.5)
    assert results.robust_accuracy == pytest.approx(6 / 72)
    assert results.robust_accuracy_lower == results.robust_accuracy_upper
    assert results.robust_accuracy_upper == results.robust_accuracy
    assert results.is_exact
    assert "linear" in results.certificate
    assert results.per_sample.success.sum() == 66
    assert (results.robust_accuracy_lower_interval.low
            == results.robust_accuracy_interval.low)  # fmt: skip
    assert results.modes == ("probability_shift",)
    assert "at least 0.083 is certified" in str(results)
    json.dumps(to_plain(results), allow_nan=False)


@pytest.mark.parametrize("attack", [PGD_05, FGSM(0.5)], ids=["PGD", "FGSM"])
def test_examples_of_the_checks_count(attack):
    """What a doubt knows, the score knows."""
    plain = evaluate_attack(*DATA, attack)
    checked = evaluate_attack(*DATA, attack, checks=True)
    exact = ExactLinear(0.5).run(*DATA).success
    assert checked.robust_accuracy < plain.robust_accuracy
    assert checked.robust_accuracy >= 1 - exact.mean() - 1e-12
    success = checked.per_sample.success
    assert (success >= plain.per_sample.success).all()
    assert (success <= exact).all()  # each is a true example
    assert success.mean() == pytest.approx(1 - checked.robust_accuracy)
    codes = {doubt.code for doubt in checked.warnings}
    assert codes == {doubt.code for doubt in check_evaluation(*DATA, attack)}


def test_checks_that_fail_lose_nothing(monkeypatch):
    from skrobust.evaluation import _check_evaluation as module

    def fail(*args, **kwargs):
        raise RuntimeError("no\n  luck")

    monkeypatch.setattr(module, "doubts_and_fallen", fail)
    results = evaluate_attack(*DATA, FGSM(0.5), checks=True)
    plain = evaluate_attack(*DATA, FGSM(0.5))
    assert results.robust_accuracy <= plain.robust_accuracy
    (doubt,) = results.warnings
    assert str(doubt) == "UNCHECKED: The checks could not be made: no luck"


def test_boosting_is_attacked_and_enclosed():
    model = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5)
    data = model.fit(X_TRAIN, Y_TRAIN), X_TEST, Y_TEST
    attack = StrongestAttack("0.3 std", max_queries=20, random_state=0)
    results = evaluate_attack(*data, attack)
    low, high = results.robust_accuracy_lower, results.robust_accuracy_upper
    assert 0 < low <= high < results.clean_accuracy
    random = RandomSearch("0.3 std", random_state=0)
    assert high <= evaluate_attack(*data, random).robust_accuracy


@pytest.mark.parametrize("model", [GaussianNB(), KNeighborsClassifier(1)],
                         ids=["bayes", "neighbours"])  # fmt: skip
@pytest.mark.parametrize("eps", ["0.1 std", 0.1])
def test_certified_is_below_attacked(model, eps):
    model = clone(model).fit(X_TRAIN, Y_TRAIN)
    attack = StrongestAttack(eps, max_queries=20, random_state=0, data_range=(0, 2000))
    results = evaluate_attack(model, X_TEST, Y_TEST, attack)
    assert results.robust_accuracy_lower <= results.robust_accuracy_upper
    rows = np.random.default_rng(0).uniform(-1, 1, size=(50, *X_TEST.shape))
    spread = X_TEST.std(axis=0) if isinstance(eps, str) else 1.0
    stays = model.predict(X_TEST) == Y_TEST
    for step in np.sign(rows):
        moved = np.clip(X_TEST + 0.1 * spread * step, 0, 2000)
        stays &= model.predict(moved) == Y_TEST
    assert results.robust_accuracy_lower <= stays.mean()


@pytest.mark.parametrize(
    ("model", "settings", "reason"),
    [
        (Opaque(WINE).fit(X, Y), {}, "trivial"),
        (WINE, {"target": 1}, "has a target"),
        (WINE, {"constraints": Constraints(frozen=[0])}, "has constraints"),
    ],
)
def test_what_is_not_certified_says_why(model, settings, reason):
    attack = StrongestAttack(0.1, max_queries=5, random_state=0, data_range=(0, 2000))
    attack.set_params(**settings)
    results = evaluate_attack(model, X_TEST, Y_TEST, attack)
    assert reason in results.not_certified
    assert "robust_accuracy_lower" not in results
    assert results.robust_accuracy_upper == results.robust_accuracy
    silent = evaluate_attack(model, X_TEST, Y_TEST, attack, certify=False)
    assert "not_certified" not in silent


def test_every_way_of_saying_auto_is_the_same():
    exact = 1 - ExactLinear(0.5).run(*DATA).success.mean()
    ball = {"eps": 0.5, "random_state": 0}
    assert make_robust_scorer("auto", **ball)(*DATA) == pytest.approx(exact)
    named = get_scorer("robust_accuracy", perturbation="auto", **ball)
    assert named(*DATA) == pytest.approx(exact)
    for attacks in ("auto", None):
        bounds = robust_accuracy_bounds(*DATA, attacks, **ball)
        assert bounds.lower == bounds.upper == pytest.approx(exact)
    assert (
        make_bounds_scorer(attacks="auto", end="upper", **ball)(*DATA) == bounds.upper
    )
    curve = robust_accuracy_curve(*DATA, "auto", [0.1, 0.5])
    assert curve.robust_accuracy[1] == pytest.approx(exact)
    assert [doubt.code for doubt in check_evaluation(*DATA, "auto", eps=0.5)] == []


def test_spreads_are_taken_everywhere_alike():
    spread = X_TEST.std(axis=0)
    exact = ExactLinear(0.3, constraints=Constraints(scale=spread)).run(*DATA)
    expected = 1 - exact.success.mean()
    ball = {"eps": "0.3 std", "random_state": 0}
    results = evaluate_attack(*DATA, "auto", **ball)
    assert results.robust_accuracy == pytest.approx(expected)
    assert results.robust_accuracy_lower == results.robust_accuracy
    bounds = robust_accuracy_bounds(*DATA, **ball)
    assert bounds.lower == bounds.upper == pytest.approx(expected)
    np.testing.assert_allclose(bounds.scale, spread)
    assert make_robust_scorer("auto", **ball)(*DATA) == pytest.approx(expected)
    curve = robust_accuracy_curve(*DATA, PGD("1 std", random_state=0), [0.3])
    assert curve.robust_accuracy[0] >= expected
    assert curve.robust_accuracy[0] < 0.9
    ratio = robust_ratio_bounds(*DATA, PGD("0.1 std", random_state=0))
    assert (ratio.lower <= ratio.upper).all()
    assert ratio.upper[-1] < 1
    # Other balls lie in that of the largest spread: a bound, and not exact.
    round_ball = robust_accuracy_bounds(*DATA, norm=2, **ball)
    assert round_ball.lower <= round_ball.upper


def test_training_rows_may_be_the_unit():
    scorer = make_robust_scorer("auto", eps="0.3 std", X_ref=X_TRAIN, random_state=0)
    rules = Constraints(scale=X_TRAIN.std(axis=0))
    exact = ExactLinear(0.3, constraints=rules).perturb(*DATA)
    assert scorer(*DATA) == pytest.approx(WINE.score(exact, Y_TEST))
    scores = cross_val_score(WINE, X, Y, scoring=scorer, cv=3)
    assert ((scores > 0) & (scores < 1)).all()


def test_one_radius_in_spreads_serves_breast_cancer():
    rows, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(rows, y)
    results = evaluate_attack(model, rows, y, "auto", eps="0.1 std")
    assert results.robust_accuracy == pytest.approx(0.916, abs=0.05)
    assert results.robust_accuracy_lower == results.robust_accuracy


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: evaluate_attack(*DATA, "auto"), "needs eps with attack='auto'"),
        (lambda: evaluate_attack(*DATA, PGD(), eps=0.1), "'eps' of evaluate_attack"),
        (lambda: evaluate_attack(*DATA, "PGD", eps=0.1), "must be 'auto' or an object"),
        (lambda: make_robust_scorer("auto"), "needs eps with perturbation='auto'"),
        (lambda: make_robust_scorer(PGD(), norm=2), "'norm' of make_robust_scorer"),
        (
            lambda: robust_accuracy_bounds(*DATA, eps="1 cm"),
            "'eps' parameter of robust",
        ),
    ],
)
def test_errors_say_what_to_do(call, match):
    with pytest.raises(ValueError, match=match):
        call()


def test_texts_have_no_radius():
    texts = ["good film", "bad film", "good plot", "plot"] * 3
    labels = ["yes", "no"] * 6
    model = make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, labels)
    with pytest.raises(ValueError, match="'eps' of evaluate_attack does not apply to"):
        evaluate_attack(model, texts, labels, "auto", eps=1)
    found = evaluate_attack(model, texts, labels, "auto", random_state=0)
    by_hand = evaluate_attack(model, texts, labels, StrongestAttack(random_state=0))
    assert found.robust_accuracy == by_hand.robust_accuracy < 1
