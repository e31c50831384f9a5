"""Margins of one-vs-one votes: whose sign is the label, with true slopes."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skrobust._differentiable.duel_margins import duel_margins
from skrobust.attacks import BIM, FGSM, PGD, AutoPGD, Square
from tests.problems import digit_rows


def winner_by_counting(d, k):
    votes = np.zeros((len(d), k), dtype=int)
    for column, (i, j) in enumerate(combinations(range(k), 2)):
        votes[:, i] += d[:, column] > 0
        votes[:, j] += d[:, column] <= 0
    return votes.argmax(axis=1)


@pytest.mark.parametrize("k", [3, 4, 6])
def test_scores_are_zero_for_the_winner_and_below_for_others(k):
    rng = np.random.default_rng(0)
    d = rng.normal(size=(300, k * (k - 1) // 2))
    d[::3] = np.round(d[::3])  # duels that are even
    scores, _ = duel_margins(k).apply(d)
    assert np.array_equal(scores.argmax(axis=1), winner_by_counting(d, k))
    assert (scores.max(axis=1) == 0).all()
    others = np.sort(scores[d.all(axis=1)], axis=1)[:, :-1]
    assert (others < 0).all()


@pytest.mark.parametrize("k", [3, 5])
def test_slopes_are_those_of_the_scores(k):
    rng = np.random.default_rng(1)
    d = rng.normal(size=(60, k * (k - 1) // 2))
    slope, way = rng.normal(size=(60, k)), rng.normal(size=d.shape)
    _, pull = duel_margins(k).apply(d)
    up, down = (duel_margins(k).apply(d + h * way)[0] for h in (1e-7, -1e-7))
    numeric = ((up - down) / 2e-7 * slope).sum(axis=1)
    fine = np.isclose(numeric, (pull(slope) * way).sum(axis=1), atol=1e-5)
    assert fine.mean() > 0.95  # a change of the duels that count within a step


def test_scores_change_without_jumps_until_the_winner_changes():
    rng = np.random.default_rng(2)
    start, end = rng.normal(size=(2, 40, 10))
    share = np.linspace(0, 1, 2001)[:, None]
    for a, b in zip(start, end, strict=True):
        scores, _ = duel_margins(5).apply(a + share * (b - a))
        same = np.diff(scores.argmax(axis=1)) == 0
        jump = np.abs(np.diff(scores, axis=0)).max(axis=1)
        assert jump[same].max() < 20 * np.abs(b - a).max() / 2000


def test_a_score_by_hand():
    # 0 against 1, 0 against 2, 1 against 2: 0 wins both duels, and 2 that with 1.
    d = np.array([[1.0, 3.0, -2.0]])
    # 1 lacks three votes: two for half of its duel with 0 each, one for that with 2.
    # 2 lacks two: 0 loses its duel with 1, and half of that with 2.
    assert np.allclose(duel_margins(3).apply(d)[0], [[0, -3.0, -2.5]])


def test_gradients_leave_no_row_of_a_support_vector_machine_to_a_search():
    X, y = digit_rows()
    X = X / 16
    model = make_pipeline(StandardScaler(), SVC(gamma=0.01)).fit(X[:700], y[:700])
    rows = np.arange(1000, 1120)
    rows = rows[model.predict(X[rows]) == y[rows]]
    budget = {"eps": 0.03, "data_range": (0, 1)}

    def standing(attack):
        X_adv = attack.perturb(model, X[rows], y[rows])
        return int((model.predict(X_adv) == y[rows]).sum())

    least = standing(Square(n_steps=150, random_state=0, **budget))
    assert 0 < least < 0.3 * len(rows)
    assert standing(PGD(n_steps=20, random_state=0, **budget)) <= least
    assert standing(AutoPGD(n_steps=20, random_state=0, **budget)) <= least
    assert standing(BIM(**budget)) <= least + 6
    assert standing(FGSM(**budget)) <= least + 10  # 60 with slopes of votes
