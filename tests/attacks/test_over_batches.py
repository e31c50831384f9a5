"""Every attack does to rows in batches what it does to all of them."""

import numpy as np
import pytest
from families import public_classes
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import minmax_scale
from sklearn.tree import DecisionTreeClassifier

import skrobust.attacks as family
from skrobust.attacks import ExactTree
from skrobust.base import BaseAttack
from skrobust.datasets import BatchedRows
from skrobust.testing import instances_for_checks

X, Y = load_iris(return_X_y=True)
X = minmax_scale(X)
LINEAR = LogisticRegression().fit(X, Y)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y)
PLACES = [*range(40, 60), *range(95, 110), *range(40, 50), *range(40, 43)]  # some again
CLASSES = public_classes(family, BaseAttack)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_batches_are_attacked_as_all_rows(kind):
    model = TREE if kind is ExactTree else LINEAR
    rows, y = X[PLACES], Y[PLACES]
    for attack in instances_for_checks(kind):
        if "random_state" in attack.get_params():
            attack.set_params(random_state=0)
        wanted = attack.perturb(model, rows, y)
        for size in (9, 30):
            batches = BatchedRows.from_arrays(rows, y, batch_size=size)
            parts = [part for part, _ in batches.perturbed(attack, model)]
            # The last digit of a product of matrices may depend on their size.
            np.testing.assert_allclose(np.concatenate(parts), wanted, atol=1e-9)
