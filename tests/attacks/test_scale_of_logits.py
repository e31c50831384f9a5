"""A positive scale of the logits changes no label, and so no verdict of an attack."""

import copy

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from skrobust.attacks import (
    BIM,
    DDN,
    FAB,
    FGSM,
    FMN,
    PGD,
    AutoPGD,
    CarliniWagner,
    DeepFool,
    ExactLinear,
    MomentumPGD,
    Square,
)
from skrobust.attacks.core.class_margins import log_odds_against, soft_margin_against
from tests.problems import digit_rows

EPS = {np.inf: 0.1, 2: 0.6}
BALLS = {
    "FGSM": FGSM(0.1),
    "FGSM L2": FGSM(0.6, norm=2),
    "BIM": BIM(0.1),
    "MomentumPGD": MomentumPGD(0.1),
    "PGD": PGD(0.1, n_steps=10, random_state=0),
    "PGD L2": PGD(0.6, norm=2, n_steps=10, random_state=0),
    "PGD to a class": PGD(0.3, n_steps=10, target=3, random_state=0),
    "AutoPGD": AutoPGD(0.1, n_steps=15, random_state=0),
    "AutoPGD DLR": AutoPGD(0.1, n_steps=10, loss="targeted_dlr", random_state=0),
    "Square": Square(0.1, n_steps=30, random_state=0),
}
SHORTEST = {
    "DDN": DDN(n_steps=40),
    "FMN": FMN(norm=2, n_steps=40),
    "FMN Linf": FMN(norm=np.inf, n_steps=40),
    "CarliniWagner": CarliniWagner(n_steps=40, n_searches=4),
    "CarliniWagner Linf": CarliniWagner(norm=np.inf, n_steps=40, n_searches=4),
    "DeepFool": DeepFool(norm=2),
    "FAB": FAB(norm=2, n_steps=10),
}


@pytest.fixture(scope="module")
def models():
    X, y = digit_rows()
    X = X / 16
    linear = LogisticRegression(max_iter=1000).fit(X[200:700], y[200:700])
    net = MLPClassifier((16,), tol=0.02, learning_rate_init=0.01, random_state=0)
    net.fit(X[200:700], y[200:700])
    rows = np.flatnonzero((linear.predict(X) == y) & (net.predict(X) == y))[:40]
    return {"linear": linear, "net": net}, X[rows], y[rows]


def scaled(model, factor):
    """Return a copy of a model whose logits are multiplied."""
    model = copy.deepcopy(model)
    if hasattr(model, "coefs_"):
        model.coefs_[-1] *= factor
        model.intercepts_[-1] *= factor
    else:
        model.coef_ *= factor
        model.intercept_ *= factor
    return model


@pytest.mark.parametrize(
    ("kind", "name"),
    # Square sees the probabilities of the net, which are 0 and 1 in the end.
    [(k, n) for k in ("linear", "net") for n in BALLS if (k, n) != ("net", "Square")],
)
def test_rows_are_the_same_bit_for_bit_at_powers_of_two(models, kind, name):
    model, X, y = models[0][kind], *models[1:]
    attack = BALLS[name]
    plain = attack.perturb(model, X, y)
    for power in (-13, -3, 13):
        assert np.array_equal(attack.perturb(scaled(model, 2.0**power), X, y), plain)


@pytest.mark.parametrize("kind", ["linear", "net"])
@pytest.mark.parametrize("name", sorted(SHORTEST))
def test_norms_are_the_same_at_powers_of_two(models, kind, name):
    model, X, y = models[0][kind], *models[1:]
    plain = SHORTEST[name].minimal_norms(model, X, y)
    for power in (-13, 13):
        norms = SHORTEST[name].minimal_norms(scaled(model, 2.0**power), X, y)
        assert np.allclose(norms, plain, rtol=1e-5)  # ties of predict grow by 1e-6


@pytest.mark.parametrize("factor", [1e-4, 0.1, 1, 1e4])
@pytest.mark.parametrize("norm", [np.inf, 2])
def test_no_weaker_than_the_exact_distance_allows(models, factor, norm):
    model, X, y = scaled(models[0]["linear"], factor), *models[1:]
    exact = ExactLinear(norm=norm).minimal_norms(model, X, y)
    for name, attack in SHORTEST.items():
        if attack.norm == norm:
            share = attack.minimal_norms(model, X, y) / exact
            assert (share > 1 - 1e-9).all()
            assert np.median(share) < 1.03, name
    for name, attack in BALLS.items():
        if attack.norm == norm and attack.target is None and name != "Square":
            found = (model.predict(attack.perturb(model, X, y)) != y).mean()
            slack = 0.15 if name.startswith("FGSM") else 0.08
            least = (exact <= EPS[norm]).mean() - slack
            assert found >= least, name


def test_soft_margin_follows_the_nearest_class_where_log_odds_lose_it():
    z = np.array([[0.3, 0.2, 0.0, 0.0, 0.0]])
    label = np.array([0])
    for factor in (1e-6, 1, 1e6):
        value, slope, margin = soft_margin_against(z * factor, label)
        assert slope[0, 1] > 0.99
        assert np.isclose(margin[0], -0.1 * factor)
        assert margin[0] <= value[0] < 0
    assert log_odds_against(z * 1e-3, label)[1][0, 1] < 0.26
