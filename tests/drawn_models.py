"""Drawn linear models of two classes with rows, for tests with hypothesis."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from random_cases import seeds
from sklearn.linear_model import LogisticRegression

LABELS = st.sampled_from([(0, 1), (1, 0), (-1, 1), ("no", "yes"), ("猫", "<b>")])


class Case:
    """A linear model of two classes, rows and true labels, some of them wrong."""

    def __init__(self, weights, offset, X, y, box):
        self.weights, self.offset, self.X, self.y = weights, offset, X, y
        self.box = box
        labels = np.unique(y)
        model = LogisticRegression().fit(np.eye(2)[:, : len(weights)], [0, 1])
        model.coef_, model.intercept_ = weights[None], np.array([offset])
        model.classes_, model.n_features_in_ = labels, len(weights)
        self.model = model
        self.sign = np.where(y == labels[1], 1.0, -1.0)  # of the true class

    def __repr__(self):
        names = "weights", "offset", "X", "y", "box"
        return repr({name: getattr(self, name) for name in names})

    def margin(self, X):
        """Return how far the score is on the side of the true class."""
        return self.sign * (X @ self.weights + self.offset)


@st.composite
def cases(draw, border=True):
    """Return a case in a box or without one; rows may lie on the border itself.

    Without ``border`` none does: the last bits of a score depend on the other rows.
    """
    d, n = draw(st.integers(2, 5)), draw(st.integers(2, 9))
    weight = st.floats(-5, 5).map(lambda w: round(w, 3))
    weights = np.array(draw(st.lists(weight, min_size=d, max_size=d)))
    weights[0] = weights[0] or 1.0  # not all are 0
    rng = np.random.default_rng(draw(seeds))
    X = rng.random((n, d))
    labels = np.sort(draw(LABELS))
    offset = -np.median(X @ weights) + draw(st.floats(-0.2, 0.2))
    y = labels[(X @ weights + offset > 0).astype(int)]
    y[0], y[-1] = labels  # both occur, so that one may be wrong
    case = Case(weights, offset, X, y, draw(st.sampled_from([None, (0, 1), (-1, 2)])))
    assume(border or np.abs(case.margin(X)).min() > 1e-6)
    return case
