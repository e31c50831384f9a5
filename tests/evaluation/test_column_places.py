"""Models that name columns by position: a step before them may not move these."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.evaluation.repairs.column_places import speaks_of_places
from skrobust.evaluation.repairs.repair_candidates import make_candidates
from skrobust.evaluation.repairs.repair_case import Case
from skrobust.perturbations import FeatureNoise

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4))
Y = (X[:, 0] - X[:, 2] > 0).astype(int)


def chosen(columns):
    return ColumnTransformer([("scale", StandardScaler(), columns)])


def first_two(rows):
    return [0, 1]


BY_POSITION = [[0, 2], (1,), 3, -1, [True, False, True, True], np.array([0, 1]),
               slice(0, 2), slice(None, 3), slice(1, None), ["a", 1]]  # fmt: skip
BY_NAME = [["a", "c"], "a", ("b",), np.array(["a", "b"]), slice("a", "c"),
           slice(None, "b"), first_two]  # fmt: skip


@pytest.mark.parametrize("columns", [*BY_POSITION, *BY_NAME],
                         ids=lambda c: getattr(c, "__name__", str(c)))  # fmt: skip
def test_columns_are_chosen_by_position_or_by_name(columns):
    by_position = any(columns is one for one in BY_POSITION)
    model = make_pipeline(chosen(columns), LogisticRegression())
    assert speaks_of_places(model) is by_position
    assert speaks_of_places(make_pipeline(StandardScaler(), model)) is by_position


@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_choice_of_several_by_position_is_enough(place):
    for columns, by_position in (("b", False), ([1], True)):
        names = ["a", "a", "a"]
        names[place] = columns
        steps = [(f"{i}", StandardScaler(), [one] if isinstance(one, str) else one)
                 for i, one in enumerate(names)]  # fmt: skip
        model = make_pipeline(ColumnTransformer(steps), LogisticRegression())
        assert speaks_of_places(model) is by_position


@pytest.mark.parametrize(
    ("settings", "by_position"),
    [
        ({}, False),
        ({"categorical_features": "from_dtype"}, False),
        ({"categorical_features": ["a"]}, False),
        ({"categorical_features": [0]}, True),
        ({"categorical_features": [False, True, False, False]}, True),
        ({"monotonic_cst": {"a": 1}}, False),
        ({"monotonic_cst": {0: 1}}, True),
        ({"monotonic_cst": [0, 1, -1, 0]}, True),
        ({"interaction_cst": "pairwise"}, False),
        ({"interaction_cst": [{0, 1}, {2, 3}]}, True),
    ],
)
def test_parameters_of_trees_name_columns(settings, by_position):
    trees = HistGradientBoostingClassifier(**settings)
    assert speaks_of_places(trees) is by_position
    assert speaks_of_places(make_pipeline(StandardScaler(), trees)) is by_position


def test_what_has_no_parameters_speaks_of_no_places():
    assert speaks_of_places(object()) is False
    assert speaks_of_places(LogisticRegression()) is False


@pytest.mark.parametrize("by_position", [False, True])
def test_a_dropped_column_keeps_its_place_where_the_model_counts_places(by_position):
    first = chosen([0, 1, 3]) if by_position else StandardScaler()
    noise = FeatureNoise(3, random_state=0).fit(X)
    case = Case(
        model=make_pipeline(first, LogisticRegression()), X=X, y=Y,
        weak=[("noise", noise)], milder=[], attacks=[], fragile=[(1, 0.2)],
        numbers=[0, 1, 2, 3], has_gaps=False, n_predictions=10, most_predictions=1e6,
        seed=0,
    )  # fmt: skip
    (made,), _ = make_candidates(case, ["drop_column"])
    model = made.estimator.fit(X, Y)
    other = X.copy()
    other[:, 1] = 99.0
    assert np.array_equal(model.predict(other), model.predict(X))
    seen = model[0].transform(X)
    assert seen.shape[1] == (4 if by_position else 3)
    kept = seen[:, [0, 2, 3]] if by_position else seen
    assert np.array_equal(kept, X[:, [0, 2, 3]])
