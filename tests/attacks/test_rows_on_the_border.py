"""Rows on the border of two classes, and rows that cross it by very little."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import (
    BIM,
    FGSM,
    PGD,
    AutoPGD,
    Constraints,
    ExactLinear,
    MomentumPGD,
    RandomSearch,
    Square,
)

GRADIENT = [
    kind(0.5, norm=norm, finish=None)
    for kind in (FGSM, BIM, PGD, MomentumPGD, AutoPGD)
    for norm in (np.inf, 2, 1)
    if not (kind is AutoPGD and norm == 1)
]
QUERIES = [
    RandomSearch(0.5, n_steps=2, random_state=0),
    Square(0.5, n_steps=5, random_state=0),
]
of_kind = {"ids": lambda attack: f"{type(attack).__name__}-{attack.norm}"}


def linear(weights, offset=0.0):
    """Return a model whose scores are known to the last digit."""
    n = len(weights)
    rows = np.vstack([np.eye(n), -np.eye(n)])
    model = LogisticRegression().fit(rows, np.repeat([1, 0], n))
    model.coef_, model.intercept_ = np.array([weights], float), np.array([offset])
    return model


@pytest.mark.parametrize("attack", [*GRADIENT, ExactLinear(0.5), *QUERIES], **of_kind)
def test_a_row_on_the_border_is_one_that_stands(attack):
    model = linear([1.0, -2.0])
    rows = np.array([[0.0, 0.0], [0.5, 0.25], [-2.0, -1.0]])
    assert (model.decision_function(rows) == 0).all()
    label = model.predict(rows)
    result = attack.run(model, rows, label)
    assert result.success.all()
    assert (model.predict(result.X_adv) != label).all()
    assert (result.norm > 0).all()


@pytest.mark.parametrize("excess", [0.01, 0.9, 3.0])
@pytest.mark.parametrize("attack", GRADIENT, **of_kind)
def test_whole_numbers_that_fool_by_however_little_are_kept(attack, excess):
    # The whole number 2 is beyond the border, and 1 is not.
    model = linear([1 + excess], -2 - excess)
    rules = {"eps": 2.0, "constraints": Constraints(integer=True)}
    attack = clone(attack).set_params(**rules)
    rows = np.zeros((3, 1))
    result = attack.run(model, rows, model.predict(rows))
    assert result.success.all()
    assert (result.X_adv == 2).all()
