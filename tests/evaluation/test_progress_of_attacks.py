"""Long calls say how far they are: with verbose=1, and else nothing."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor

from skrobust._parallel import StepBar, counting
from skrobust.attacks import (
    FGSM,
    PGD,
    AutoAttack,
    DeepFool,
    Square,
    StrongestAttack,
)
from skrobust.evaluation import (
    boundary_steps,
    check_evaluation,
    empirical_boundary_distance,
    evaluate_attack,
    robust_accuracy_bounds,
    robust_accuracy_curve,
    robust_ratio_bounds,
)

pytest.importorskip("tqdm")
X = np.random.default_rng(0).normal(size=(30, 2))
Y = (X[:, 0] > 0).astype(int)
MODEL = LogisticRegression().fit(X, Y)
LINE = LinearRegression().fit(X, X[:, 0] + X[:, 1] ** 2)
CALLS = {
    "attack": lambda **k: evaluate_attack(MODEL, X, Y, FGSM(0.1), **k),
    "auto": lambda **k: evaluate_attack(MODEL, X, Y, "auto", eps=0.1, **k),
    "checks": lambda **k: evaluate_attack(MODEL, X, Y, FGSM(0.1), checks=True, **k),
    "regression": lambda **k: evaluate_attack(LINE, X, X[:, 0], FGSM(0.1), **k),
    "curve": lambda **k: robust_accuracy_curve(MODEL, X, Y, FGSM(), [0.1, 1], **k),
    "queries": lambda **k: robust_accuracy_curve(
        MODEL, X, Y, Square(max_queries=20, random_state=0), [0.1], **k
    ),
    "ratio": lambda **k: robust_ratio_bounds(MODEL, X, Y, eps=0.1, **k),
    "distance": lambda **k: empirical_boundary_distance(
        MODEL, X, Y, n_directions=10, data_range=(-9, 9), random_state=0, **k
    ),
    "steps": lambda **k: boundary_steps(MODEL, X, Y, data_range=(-9, 9), **k),
    "doubts": lambda **k: check_evaluation(MODEL, X, Y, FGSM(0.1), **k),
    "bounds": lambda **k: robust_accuracy_bounds(MODEL, X, Y, eps=0.1, **k),
}


@pytest.mark.filterwarnings("ignore:regression_robust_ratio")
@pytest.mark.parametrize("name", CALLS)
def test_the_bar_ends_at_all_of_its_steps(name, capsys):
    loud, shown = CALLS[name](verbose=1), capsys.readouterr().err
    assert "100%" in shown
    assert "<" in shown  # the time left
    quiet = CALLS[name]()
    assert capsys.readouterr().err == ""
    assert repr(loud) == repr(quiet)


@pytest.mark.parametrize(
    "attack",
    [
        FGSM(0.1, batch_size=8),
        DeepFool(batch_size=8),
        Square(max_queries=20, random_state=0),
        StrongestAttack(0.1, max_queries=20, random_state=0),
    ],
)
def test_an_attack_shows_how_far_it_is(attack, capsys):
    loud, shown = attack.run(MODEL, X, Y, verbose=1), capsys.readouterr().err
    assert "100%" in shown
    assert type(attack).__name__ in shown
    quiet = attack.run(MODEL, X, Y)
    assert capsys.readouterr().err == ""
    assert np.array_equal(loud.X_adv, quiet.X_adv)


def test_the_bar_moves_by_batches_and_not_inside_members():
    moves = []

    class Bar:
        done = staticmethod(moves.append)

    with counting(Bar()):
        FGSM(0.1, batch_size=8).perturb(MODEL, X, Y)
        with counting(None):
            FGSM(0.1).perturb(MODEL, X, Y)
    assert moves == [8, 8, 8, 6]


def test_activations_show_how_far_they_are(capsys):
    from sklearn.neural_network import MLPClassifier

    from skrobust.sampling import extract_activations

    mlp = MLPClassifier((4,), max_iter=2, random_state=0)
    with pytest.warns(ConvergenceWarning):
        mlp.fit(X, Y)
    loud = extract_activations(mlp, X, batch_size=7, verbose=1)
    assert "100%" in capsys.readouterr().err
    assert np.array_equal(loud, extract_activations(mlp, X))


def test_a_bar_without_a_total_counts_and_says_no_time_left(capsys):
    with StepBar(None, "batches", 1) as bar:
        bar.done(1234)
    shown = capsys.readouterr().err
    assert "1234 done" in shown
    assert "<" not in shown


MEMBERS = AutoAttack(0.1, attacks=[FGSM(), PGD(n_steps=2), Square(n_steps=3)])
ANY = StrongestAttack(0.1, max_queries=20, random_state=0)
CURVE = KNeighborsRegressor(3).fit(X, np.sin(3 * X[:, 0]))


@pytest.mark.parametrize(
    ("attack", "model", "objective"),
    [
        (MEMBERS, MODEL, "probability_shift"),
        (MEMBERS, MODEL, "loss"),
        (ANY, CURVE, "prediction_shift"),
        (ANY, CURVE, "prediction_error"),
    ],
    ids=lambda case: case if isinstance(case, str) else type(case).__name__,
)
def test_members_that_attack_all_rows_move_the_bar_by_equal_parts(
    attack, model, objective
):
    moves = []

    class Bar:
        done = staticmethod(moves.append)

    attack = clone(attack).set_params(objective=objective)
    with counting(Bar()):
        attack.perturb(model, X, Y)
    assert len(moves) > 1
    assert moves == pytest.approx([30 / len(moves)] * len(moves))
