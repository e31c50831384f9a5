"""Doubts about attacks in small worlds: how many rows, which numbers, when none."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from skrobust.base import BaseAttack, Constraints
from skrobust.evaluation import evaluate_attack
from skrobust.evaluation.attacked.attack_checks import (
    AttackCase,
    check_radii,
    check_random_search,
)
from skrobust.evaluation.attacked.gradient_checks import _check_logits
from skrobust.evaluation.attacked.transfer_check import stays_under_transfer
from skrobust.evaluation.core.model_checks import check_answers

SIGN = np.repeat([-1.0, 1.0], 10)[:, None]
ABOVE = (SIGN[:, 0] > 0).astype(int)


class Positive(ClassifierMixin, BaseEstimator):
    """Whether the first feature is positive."""

    classes_ = np.array([0, 1])

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0).astype(int)


class Scripted(BaseEstimator):
    """Turns as many rows as are written down for a radius."""

    norm = np.inf

    def __init__(self, falls=None, eps=0.1):
        self.falls, self.eps = falls, eps

    def perturb(self, estimator, X, y):
        out = np.array(X)
        out[: self.falls.get(round(self.eps, 9), self.falls["far"])] *= -1
        return out


class Lazy(BaseAttack):
    """Does nothing at all."""

    def __init__(self, eps=0.1, norm=np.inf, data_range=None, constraints=None,
                 objective=None, random_state=None):  # fmt: skip
        self.eps, self.norm, self.data_range = eps, norm, data_range
        self.constraints, self.objective = constraints, objective
        self.random_state = random_state

    def _attack(self, estimator, X, y, key):
        return X


def doubts_of_radii(fallen, far=20):
    """Return the doubts where so many of 20 rows fall at 1/2, 1, 2 and 4 radii."""
    falls = dict(zip((0.05, 0.1, 0.2, 0.4), fallen, strict=True)) | {"far": far}
    case = AttackCase(Scripted(falls), Positive(), SIGN, ABOVE, (-1.0, 1.0))
    return {doubt.code: doubt for doubt in check_radii(case)}


@pytest.mark.parametrize(
    ("fallen", "doubted"),
    [
        ((3, 5, 5, 9), False),
        ((3, 5, 5, 4), False),  # a single row of 20 is no rise
        ((3, 5, 5, 3), True),
        ((5, 5, 5, 0), True),  # at the widest radius alone
        ((9, 5, 5, 9), True),
    ],
)
def test_accuracy_that_rises_by_more_than_a_row_is_doubted(fallen, doubted):
    found = doubts_of_radii(fallen)
    assert list(found) == ["NOT_FALLING"] * doubted
    if doubted:
        numbers = found["NOT_FALLING"].numbers
        assert numbers["accuracy"] == pytest.approx(1 - np.array(fallen) / 20)


def test_the_accuracy_without_a_bound_is_the_one_that_is_told():
    found = doubts_of_radii((1, 5, 7, 8), far=2)
    numbers = found["UNBOUNDED"].numbers
    assert numbers["accuracy"] == pytest.approx(0.9)
    assert numbers["chance"] == 0.5
    assert "UNBOUNDED" not in doubts_of_radii((1, 5, 7, 8), far=10)


@pytest.mark.filterwarnings("ignore:.*Lazy changed no row")
def test_what_a_check_fells_counts_as_fallen():
    # FGSM, one of the checks, is exact for a linear model.
    rng = np.random.default_rng(0)
    X = rng.random((50, 4))
    y = (X @ [1, -1, 2, 0.5] > 1.2).astype(int)
    model = LogisticRegression(C=100).fit(X, y)
    margin = np.where(y == 1, 1, -1) * model.decision_function(X)
    robust = margin > 0.1 * np.abs(model.coef_).sum()
    fallen = (margin > 0) & ~robust
    assert 5 < fallen.sum() < 45
    found = evaluate_attack(model, X, y, Lazy(), checks=True, random_state=0)
    assert found.robust_accuracy == robust.mean()
    assert np.array_equal(found.per_sample.success, fallen)
    unchecked = evaluate_attack(model, X, y, Lazy())
    assert unchecked.robust_accuracy == unchecked.clean_accuracy


def test_rows_that_fell_once_stay_fallen():
    case = AttackCase(Scripted(), Positive(), SIGN, ABOVE, (-1.0, 1.0))
    rows = np.arange(20)
    case.keep(rows != 3)
    case.keep(rows != 7)
    assert np.flatnonzero(case.fallen).tolist() == [3, 7]


def test_a_random_search_goes_where_the_evidence_falls():
    # Of 60 features a corner at random reaches .6 of the way in 1 of 10^6 draws.
    d = 60
    weights = np.random.default_rng(0).choice([-1.0, 1.0], size=d)
    model = LogisticRegression()
    model.classes_, model.intercept_ = np.array([0, 1]), np.zeros(1)
    model.coef_, model.n_features_in_ = weights[None], d
    X = np.array([0.06, -0.06, 0.06, -0.06])[:, None] * weights  # of a reach of 0.1
    y = np.array([1, 0, 1, 0])
    case = AttackCase(Lazy(0.1), model, X, y, (-1.0, 1.0))
    case.stays = case.correct
    (doubt,) = check_random_search(case, 300, np.random.default_rng(0))
    assert (doubt.code, doubt.numbers["n"]) == ("BLACK_BOX_BEATS_ATTACK", 4)
    assert case.fallen.all()


def test_probabilities_are_told_from_logits_by_their_values():
    p = np.array([[0.1, 0.9], [0.3, 0.7], [0.8, 0.2]])
    (doubt,) = _check_logits(p)
    assert doubt.code == "PROBABILITIES_AS_LOGITS"
    assert doubt.numbers == {"smallest": 0.1, "largest": 0.9}
    single = np.array([[0.0, 0.3], [0.0, 0.9]])  # a net of one output
    assert [d.code for d in _check_logits(single)] == ["PROBABILITIES_AS_LOGITS"]
    for logits in (single * 1.5, p + [[0.0, 0.5]], p - [[0.5, 0.0]]):
        assert not list(_check_logits(logits))


class OfBatch(Positive):
    """Adds to its chances a share of those of the rows beside."""

    def __init__(self, share=0.0):
        self.share = share

    def predict_proba(self, X):
        p = np.asarray(X)[:, 0] + self.share * np.mean(X)
        return np.array([1 - p, p]).T


@pytest.mark.parametrize(("share", "doubted"), [(0.0, False), (0.1, True)])
def test_chances_that_depend_on_the_batch_are_doubted(share, doubted):
    X = np.linspace(0.1, 0.8, 12)[:, None]
    found = list(check_answers(OfBatch(share), X, take))
    assert [d.code for d in found] == ["BATCH_DEPENDENT"] * doubted
    if doubted:  # the first pair is the farthest from the mean of all
        differ = share * abs(X[:2].mean() - X.mean())
        assert found[0].numbers["largest_difference"] == pytest.approx(differ)


def take(X, rows):
    return X[rows]


def test_transfer_takes_the_units_of_the_constraints():
    # Half a unit of 100 is enough for each row; half of 1 for none.
    rng = np.random.default_rng(0)
    X = rng.choice([20.0, 80.0], size=(60, 2)) + rng.normal(size=(60, 2))
    y = (X[:, 0] > 50).astype(int)
    model = LogisticRegression(C=1e3, max_iter=1000).fit(X, y)
    rules = Constraints(scale=[100.0, 100.0])
    for constraints, expected in ((rules, 0.0), (None, 1.0)):
        attack = Lazy(0.5, constraints=constraints)
        case = AttackCase(attack, model, X, y, (X.min(), X.max()))
        assert stays_under_transfer(case, X, 0).mean() == expected
