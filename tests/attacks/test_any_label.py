"""Any label of models that answer with several, where the optimum is known."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from skrobust._differentiable import differentiable_view
from skrobust.attacks import DDN, FGSM, PGD, HopSkipJump, OneLabel, Square
from skrobust.evaluation import evaluate_attack, robust_accuracy_bounds
from skrobust.metrics import make_robust_scorer

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
Y = (X[:, :3] + 0.3 * RNG.normal(size=(40, 3)) > 0).astype(int)
SPREAD = StandardScaler()


def models():
    logistic, mlp = (
        LogisticRegression(),
        MLPClassifier((5,), max_iter=2000, alpha=1, activation="tanh", solver="lbfgs"),
    )
    return {
        "members": MultiOutputClassifier(logistic).fit(X, Y),
        "rest": OneVsRestClassifier(logistic).fit(X, Y),
        "margins": MultiOutputClassifier(LinearSVC()).fit(X, Y),
        "layers": make_pipeline(SPREAD, mlp.set_params(random_state=0)).fit(X, Y),
    }


@pytest.fixture(scope="module", params=["members", "rest", "margins", "layers"])
def model(request):
    return models()[request.param]


def test_combinations_are_classes():
    """The last label changes first, whatever its values."""
    labels = np.column_stack([Y[:, 0], np.where(Y[:, 1], "yes", "no"), Y[:, 2] + 5])
    several = MultiOutputClassifier(LogisticRegression()).fit(X, labels)
    one = OneLabel(several, "any")
    assert list(one.classes_) == list(range(8))
    np.testing.assert_array_equal(one.codes(labels), Y @ [4, 2, 1])
    each = np.column_stack([OneLabel(several, k).predict(X) for k in range(3)])
    np.testing.assert_array_equal(one.predict(X), one.codes(each))
    p = [OneLabel(several, k).predict_proba(X) for k in range(3)]
    by_hand = [p[0][:, a] * p[1][:, b] * p[2][:, c] for a, b, c in np.ndindex(2, 2, 2)]
    np.testing.assert_allclose(one.predict_proba(X), np.transpose(by_hand))
    assert list(one.codes([["0", "maybe", "5"], ["0", "no", "6"]])) == [-1, 1]
    with pytest.raises(ValueError, match="codes needs Y without missing values; 1 of"):
        one.codes([["0", None, "5"], ["0", "no", "6"]])


def test_scores_have_the_probabilities_and_labels_of_the_model(model):
    one = OneLabel(model, "any")
    with differentiable_view(one, "PGD") as view:
        scores, pull = view.forward(X)
        decided = view.decision_scores(scores).argmax(axis=1)
        gradient = pull(np.eye(8)[[5]].repeat(40, axis=0))
        ahead = view.logits(X + 1e-6 * gradient)[:, 5] - scores[:, 5]
    np.testing.assert_array_equal(decided, one.predict(X))
    rise = 1e-6 * (gradient**2).sum(axis=1)
    np.testing.assert_allclose(ahead, rise, rtol=1e-3, atol=1e-12)
    if not hasattr(model, "predict_proba"):
        return
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(p, one.predict_proba(X), atol=1e-7)


@pytest.mark.parametrize("norm", [np.inf, 2])
@pytest.mark.parametrize("member", [LogisticRegression(), LinearSVC()], ids=str)
def test_the_nearest_boundary_of_any_label_is_known(member, norm):
    """The least distance over the labels, which are linear."""
    several = MultiOutputClassifier(make_pipeline(SPREAD, member)).fit(X, Y)
    dual = {np.inf: 1, 2: 2}[norm]
    distance = np.full(len(X), np.inf)
    for part, true in zip(several.estimators_, Y.T, strict=True):
        size = np.linalg.norm(part[-1].coef_[0] / part[0].scale_, dual)
        signed = part.decision_function(X) * np.where(true == 1, 1, -1) / size
        distance = np.minimum(distance, signed)
    one = OneLabel(several, "any")
    y = one.codes(Y)
    right = distance > 0
    np.testing.assert_array_equal(one.predict(X) == y, right)
    eps = np.sort(distance[right])[12:14].mean()  # not a distance itself
    r = robust_accuracy_bounds(one, X, y, eps=eps, norm=norm, random_state=0)
    np.testing.assert_array_equal(r.per_sample.lower, distance > eps)
    np.testing.assert_array_equal(r.per_sample.upper, distance > eps)
    if norm == 2:
        norms = DDN().minimal_norms(one, X, y)
        assert (norms >= np.maximum(distance, 0) * (1 - 1e-9)).all()
        assert np.median(norms[right] / distance[right]) < 1.001


@pytest.mark.parametrize(
    "attack",
    [FGSM(), PGD(n_steps=10), Square(n_steps=40), HopSkipJump(max_queries=80)],
    ids=lambda a: type(a).__name__,
)
def test_a_row_is_fooled_where_any_label_flips(model, attack):
    attack.set_params(eps=0.15, random_state=0)
    if isinstance(attack, Square) and not hasattr(model, "predict_proba"):
        with pytest.raises(ValueError, match=r"Square needs .*predict_proba"):
            attack.perturb(OneLabel(model, "any"), X)
        return
    one = OneLabel(model, "any")
    result = attack.run(one, X, one.codes(Y))
    flips = model.predict(result.X_adv) != Y
    np.testing.assert_array_equal(result.success, flips.any(axis=1))
    alone = [
        attack.run(OneLabel(model, k), X, Y[:, k]).success.mean() for k in range(3)
    ]
    assert result.success.mean() >= max(alone)
    assert 0 < result.success.mean() < 1


def test_scorers_and_evaluations_take_any_label():
    forest = RandomForestClassifier(5, random_state=0).fit(X, Y)
    one = OneLabel(forest, "any")
    y, attack = one.codes(Y), Square(0.2, n_steps=20, random_state=0)
    left = np.mean((forest.predict(attack.perturb(one, X, y)) == Y).all(axis=1))
    assert make_robust_scorer(attack)(one, X, y) == left
    assert evaluate_attack(one, X, y, attack).robust_accuracy == left
    assert left < np.mean((forest.predict(X) == Y).all(axis=1))


def test_what_is_no_combination_is_named():
    one = OneLabel(MultiOutputClassifier(LogisticRegression()).fit(X, Y), "any")
    with pytest.raises(ValueError, match=r"needs Y of shape \(n_samples, 3\). Got"):
        one.codes(Y[:, :2])
    with pytest.raises(
        ValueError, match=r"OneLabel\(model, 'any'\) and one.codes\(y\)"
    ):
        PGD().perturb(one, X, Y)
    for attack in (PGD(), Square()):
        with pytest.raises(ValueError, match="must be the place of a label, or 'any'"):
            attack.perturb(OneLabel(one.estimator, "all"), X)
    many = np.tile(Y, (1, 4))
    several = OneLabel(MultiOutputClassifier(LogisticRegression()).fit(X, many), "any")
    for attack in (PGD(), Square(), HopSkipJump()):
        with pytest.raises(ValueError, match="over 1024 combinations"):
            attack.perturb(several, X)


class Flags:
    """A model of three flags that lists no classes."""

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return (np.asarray(X)[:, :3] > 0).astype(int)


def test_a_model_that_lists_no_classes_has_flags():
    X = np.random.default_rng(0).normal(size=(20, 4))
    labels = Flags().predict(X)
    one = OneLabel(Flags(), 1)
    assert one.classes_.tolist() == [0, 1]
    assert (one.predict(X) == labels[:, 1]).all()
    assert OneLabel(Flags(), "any").codes(labels).tolist() == list(labels @ [4, 2, 1])


class Answering(BaseEstimator):
    """Model whose answers are given; it lists no classes."""

    def __init__(self, answers):
        self.answers = answers

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):
        return self.answers


@pytest.mark.parametrize(
    ("answers", "label", "below"),
    [(Y, 3, 3), (Y, -1, 3), (Y[:, :2], 2, 2), (Y[:, 0], 0, 1), (Y[:, 0], 1, 1)],
)
def test_a_label_is_one_of_those_that_the_model_answers(answers, label, below):
    rule = f"must be the place of a label, below {below}. Got {label}"
    with pytest.raises(ValueError, match=rule):
        OneLabel(Answering(answers), label).predict(X)


@pytest.mark.parametrize("name", ["members", "rest", "margins"])
def test_classes_of_every_label_are_the_values_it_takes(name):
    model = models()[name]
    for k in range(3):
        one = OneLabel(model, k)
        assert one.classes_.tolist() == [0, 1]
        assert set(one.predict(X)) == set(one.classes_)
    # Where the model has no such label, it is told on the first answer.
    none = OneLabel(model, 3)
    assert none.classes_.tolist() == [0, 1]
    with pytest.raises((ValueError, IndexError)):
        none.predict(X)
