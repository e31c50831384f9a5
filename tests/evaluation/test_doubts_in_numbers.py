"""Doubts about attacks and gradients: when they come, and the numbers in them."""

import numpy as np
import pytest
from scipy.stats import bernoulli, expon, norm, uniform
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from skrobust.base import BaseAttack
from skrobust.evaluation import check_evaluation, evaluate_attack
from skrobust.evaluation._check_evaluation import doubts_and_fallen
from skrobust.evaluation.attacked.attack_checks import (
    AttackCase,
    check_examples,
    check_radii,
)
from skrobust.evaluation.attacked.gradient_checks import check_gradients
from skrobust.evaluation.core.model_checks import check_answers, check_input

RNG = np.random.default_rng(0)
X = RNG.random((120, 6))
Y = (X[:, 0] + X[:, 1] > 1).astype(int)
MODEL = LogisticRegression(C=10).fit(X, Y)


class Idle(BaseAttack):
    """Leaves all rows as they are."""

    def __init__(self, eps=0.05, norm=np.inf, data_range=None, objective=None,
                 random_state=None):  # fmt: skip
        self.eps, self.norm, self.data_range = eps, norm, data_range
        self.objective, self.random_state = objective, random_state

    def _attack(self, estimator, X, y, key):
        return X


class Aside(BaseEstimator):
    """Moves all numbers of some rows by a constant, and has no radius."""

    def __init__(self, by, n, data_range=None):
        self.by, self.n, self.data_range = by, n, data_range

    def perturb(self, estimator, X, y):
        return X + self.by * (np.arange(len(X)) < self.n)[:, None]


SEEDS = [5, 69, -3, 2**32 - 1, 2**32 + 5, 2**70 + 7, np.int64(2**40),
         np.random.default_rng(2), np.random.RandomState(3)]  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: str(seed).partition("(")[0])
def test_doubts_beside_results_are_those_of_check_evaluation(seed):
    attack = Idle(data_range=(0, 1))
    how = {"checks": True, "random_state": seed}
    with pytest.warns(UserWarning, match="Idle changed no row"):
        found = evaluate_attack(MODEL, X, Y, attack, **how)
    alone = check_evaluation(MODEL, X, Y, attack, random_state=seed)
    assert found.warnings == alone
    codes = {one.code for one in alone}
    assert codes >= {"UNBOUNDED", "BLACK_BOX_BEATS_ATTACK", "TRANSFER_BEATS_ATTACK"}
    # A generator is read and not advanced.
    assert check_evaluation(MODEL, X, Y, attack, random_state=seed) == alone


@pytest.mark.parametrize("n", [30, 64, 130])
@pytest.mark.parametrize("eps", [0.1, 3.0])
def test_every_row_that_is_checked_and_falls_to_a_search_is_noted(n, eps):
    rows = np.where(np.arange(n) % 2, 2.0, -2.0)[:, None]
    labels = (rows[:, 0] > 0).astype(int)
    labels[:4] = 1 - labels[:4]  # wrong without an attack
    model = LogisticRegression().fit(rows, labels)
    is_right = np.arange(n) >= 4
    data = model, rows, labels
    doubts, fallen = doubts_and_fallen(*data, Idle(eps), random_state=0)
    codes = {one.code for one in doubts}
    searches = {"BLACK_BOX_BEATS_ATTACK", "TRANSFER_BEATS_ATTACK"}
    if eps > 1:
        assert codes >= searches
        checked = np.random.default_rng(0).permutation(n)[:64]
        wanted = is_right & np.isin(np.arange(n), checked)
        assert np.array_equal(fallen, wanted)
    else:
        assert not codes & searches
        assert not fallen.any()
    # What has no radius is compared with no search.
    doubts, fallen = doubts_and_fallen(*data, Aside(0.0, 0), random_state=0)
    assert doubts == []
    assert not fallen.any()


def test_another_seed_checks_other_rows():
    attack = Idle(data_range=(0, 1))
    found = [
        check_evaluation(MODEL, X, Y, attack, n_queries=5, random_state=seed)
        for seed in (5, 69, 5 + 2**20, 5 + 2**31, 5 + 2**32)
    ]
    shares = [tuple(one.numbers.get("share") for one in doubts) for doubts in found]
    assert len(set(shares[:4])) > 2
    assert shares[0] != shares[1]
    assert found[4] == found[0]  # scikit-learn takes seeds below 2**32


@pytest.mark.parametrize("way", [-1, 1])
@pytest.mark.parametrize(
    ("seen", "declared", "bounds"),
    [
        ((0, 1), None, (0, 1)),  # of pictures
        ((0, 255), None, (0, 255)),
        ((0, 2), None, None),
        ((0.5, 1), None, None),
        ((0, 1), (0, 1), (0, 1)),
        ((0, 2), (0, 2), (0, 2)),
        ((0, 1), (-9, 9), None),  # which no example leaves
    ],
)
def test_examples_outside_of_the_range_are_counted(seen, declared, bounds, way):
    rows = np.linspace(*seen, 40)[:, None] * np.ones(3)
    model = LogisticRegression().fit(rows, np.arange(40) % 2)
    attack = Aside(way * 4.0, 40, declared)
    case = AttackCase(attack, model, rows, np.arange(40) % 2, seen)
    doubts = list(check_examples(case))
    if bounds is None:
        assert doubts == []
        return
    (doubt,) = doubts
    out = rows + way * 4.0
    outside = (out < bounds[0]) | (out > bounds[1])
    share = outside.any(axis=1).mean()
    assert doubt.code == "OUT_OF_RANGE"
    assert doubt.numbers == {"share": share, "low": bounds[0], "high": bounds[1]}
    what = "data_range" if declared else "the range in which all of X lies. Declare"
    assert f"{share:.0%} of the examples leave {what}" in doubt.sentence


@pytest.mark.parametrize(("norm", "times"), [(np.inf, 1), (2, 6**0.5), (1, 6)])
@pytest.mark.parametrize(
    ("seen", "declared", "spread"),
    [
        ((0, 1), None, 1),  # of pictures
        ((0, 255), None, 255),
        ((0, 0.9), None, 1.8),  # twice that of all rows
        ((-3, 1), None, 8),
        ((0, 1), (0, 4), 4),
        ((0, 0.9), (np.full(6, -1), np.arange(1, 7)), 7),  # of the widest column
    ],
)
def test_the_largest_radius_is_as_wide_as_the_data(seen, declared, spread, norm, times):
    attack = Idle(0.1, norm, declared)
    case = AttackCase(attack, MODEL, X, MODEL.predict(X), seen)
    (doubt,) = check_radii(case)
    assert doubt.code == "UNBOUNDED"
    assert doubt.numbers["eps"] == pytest.approx(spread * times)
    assert doubt.numbers["accuracy"] == 1
    assert doubt.numbers["chance"] == 0.5


@pytest.mark.parametrize(
    "kind", [norm, uniform, expon, bernoulli(0.1), bernoulli(0.5), bernoulli(0.9)]
)
def test_standardised_columns_of_any_kind_are_doubted(kind):
    # Quantiles of the distribution, so that nothing depends on draws.
    places = (np.arange(500) + 0.5) / 500
    raw = np.stack([kind.ppf(places), kind.ppf(places[::-1])], axis=1).astype(float)
    whole = (raw - raw.mean(axis=0)) / raw.std(axis=0)
    (doubt,) = check_input(whole, 0.1, np.inf, None)
    assert doubt.code == "INPUT_SCALE"
    assert "looks standardised" in doubt.sentence
    assert doubt.numbers["sd"] == pytest.approx(1)
    for other in (whole - whole.min(), whole + 1, whole * 1.5):
        assert not list(check_input(other, 0.1, np.inf, None))


@pytest.mark.parametrize("n", [3, 4, 16, 40])
def test_answers_in_pairs_are_compared_with_those_of_all_rows(n):
    class Ranked(BaseEstimator):
        """Its scores depend on how many rows there are, or not."""

        depends = False

        def decision_function(self, X):
            return X[:, 0] + (len(X) == 2) * self.depends

    model = Ranked()
    assert not list(check_answers(model, X[:n], lambda X, rows: X[rows]))
    model.depends = True
    doubts = list(check_answers(model, X[:n], lambda X, rows: X[rows]))
    assert [one.code for one in doubts] == ["BATCH_DEPENDENT"] * (n >= 4)
    assert all(one.numbers["largest_difference"] == 1 for one in doubts)


@pytest.mark.torch
@pytest.mark.parametrize(("slope", "judged"), [(1e-7, False), (1e-2, True)])
@pytest.mark.parametrize("honest", [True, False])
def test_slopes_that_rounding_hides_are_not_judged(slope, judged, honest, nets):
    import torch

    class Slight(torch.nn.Module):
        """Logits of 10 and a little; its gradient is that of the next column."""

        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(1))

        def forward(self, x):
            x = x + self.weight * 0
            if not honest:  # the slope of another column than that of the values
                x = x[:, :1].detach() + x[:, 1:2] - x[:, 1:2].detach()
            z = slope * x[:, :1]
            return torch.cat([10 + z, 10 - z], dim=1)

    rows = X.astype(np.float32)
    net = nets.make_net(Slight, epochs=1).fit(rows, Y.astype(np.int64))
    doubts = [one.code for one in check_gradients(net, rows, True, False)]
    assert doubts == ["WRONG_GRADIENT"] * (judged and not honest)
