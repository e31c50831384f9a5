"""Trees of which all is known: scores by the definition, rows by enumeration."""

import itertools

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    HistGradientBoostingClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from skrobust.attacks import Constraints, ExactTree
from skrobust.attacks.trees.catboost_trees import _nested
from skrobust.attacks.trees.tree_ensemble import TreeEnsemble
from skrobust.attacks.trees.tree_reader import read_trees

RNG = np.random.default_rng(0)


def test_votes_of_boosted_trees_are_those_of_samme():
    X = RNG.random((150, 2))
    y = (3 * X[:, 0] + np.sin(6 * X[:, 1])).astype(int) % 3
    tree = DecisionTreeClassifier(max_depth=2)
    model = AdaBoostClassifier(tree, n_estimators=5, random_state=0).fit(X, y)
    trees = read_trees(model, "ExactTree").trees
    scores = trees.scores(trees.in_its_precision(X))
    weights = model.estimator_weights_.sum()
    np.testing.assert_allclose(scores / weights, model.decision_function(X))
    assert np.abs(scores.sum(axis=1)).max() < 1e-9  # a vote for one is against others


def test_a_tree_that_is_not_symmetric_is_read_from_its_dump():
    floats = {
        0: {"flat_feature_index": 1, "nan_value_treatment": "AsFalse"},
        1: {"flat_feature_index": 0, "nan_value_treatment": "AsTrue"},
    }

    def split(feature, border, left, right):
        asked = {"float_feature_index": feature, "border": border}
        return {"split": asked, "left": left, "right": right}

    deep = split(1, 3.0, {"value": [1.0, 2.0]}, {"value": [3.0, 4.0]})
    tree = split(0, 0.5, {"value": [5.0, 6.0]}, split(0, 1.5, deep, {"value": [7, 8]}))
    table = _nested(tree, floats, 2)
    facts = {"classes": np.arange(2), "n_features": 2, "dtype": np.float32}
    trees = TreeEnsemble.of([table], np.zeros(2), **facts)
    rows = np.array([[9, 0.5], [3.0, 1.0], [3.5, 1.0], [0, 2.0], [0, np.nan],
                     [np.nan, 1.0]])  # fmt: skip
    expected = [[5, 6], [1, 2], [3, 4], [7, 8], [5, 6], [3, 4]]
    assert trees.scores(rows).tolist() == expected
    assert np.isin(table.feature, [-1, 0, 1]).all()
    assert (table.value[table.feature >= 0] == 0).all()


def categories(n=200):
    rng = np.random.default_rng(5)  # of its own, whatever ran before
    X = np.column_stack([rng.integers(0, k, n) for k in (8, 6, 8)]).astype(float)
    odd = np.isin(X[:, 1], [0, 2, 5])
    return X, ((X[:, 0] > 3) ^ odd ^ ((X[:, 2] > 5) & (X[:, 1] > 2))).astype(int)


# Codes cost a share of what numbers cost.
@pytest.mark.parametrize(("eps", "share"), [(1, 1), (1, 0.5), (0.5, 0.25)])
def test_categories_that_move_are_attacked_exactly(eps, share):
    X, y = categories()
    how = {"max_iter": 6, "max_depth": 4, "min_samples_leaf": 3}
    model = HistGradientBoostingClassifier(categorical_features=[1], **how).fit(X, y)
    unit = np.array([1, 1 / share, 1])
    rules = Constraints(integer=[0, 2], valid_values={1: list(range(6))}, scale=unit)
    attack = ExactTree(eps, constraints=rules, data_range=([0, 0, 0], [7, 5, 7]))
    rows, labels = X[:60], model.predict(X[:60])
    result = attack.run(model, rows, labels)
    points = np.array(list(itertools.product(range(8), range(6), range(8))), float)
    answers = model.predict(points)
    reached = (np.abs(points - rows[:, None]) <= eps * unit).all(axis=2)
    truth = (reached & (answers != labels[:, None])).any(axis=1)
    assert np.all(attack.proven_)
    assert (result.success == truth).all()
    assert 0 < truth.mean() < 1
