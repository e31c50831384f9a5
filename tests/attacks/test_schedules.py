"""Step sizes, turns and passes of gradient attacks, as documented and published."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import DDN, PGD
from skrobust.attacks.core.loss_oracle import LossOracle

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = (X @ [1, -2, 0.5, 1] + RNG.normal(size=60) > 0).astype(int)
MODEL = LogisticRegression().fit(X, Y)


@pytest.mark.parametrize("norm", [2, 1])
@pytest.mark.parametrize("n_steps", [1, 2, 3, 4, 10])
def test_steps_fall_in_a_line_and_few_of_them_still_cross_the_ball(
    n_steps, norm, monkeypatch
):
    sizes, step = [], LossOracle.step

    def recorded(self, z, gradient, size):
        sizes.append(size)
        return step(self, z, gradient, size)

    monkeypatch.setattr(LossOracle, "step", recorded)
    PGD(0.2, norm=norm, n_steps=n_steps, objective="loss").perturb(MODEL, X, Y)
    sizes = np.array(sizes[:n_steps])  # the last candidate is the end of the gradient
    assert sizes[-1] == pytest.approx(sizes[0] / n_steps)
    assert np.diff(sizes) == pytest.approx(np.full(n_steps - 1, -sizes[-1]))
    if n_steps < 4:
        assert sizes.sum() == pytest.approx(2.5 * 0.2)  # all steps of the paper
    else:
        assert sizes[0] == pytest.approx(0.2)


def test_ddn_turns_by_a_share_that_falls_from_1_to_a_hundredth_by_a_cosine():
    points = []

    def evaluate(z):
        points.append(z[0])
        return np.array([-1.0]), np.array([[-z[0, 1], z[0, 0]]])  # at right angles

    search = SimpleNamespace(
        x=np.zeros((1, 2)), reach=np.ones(1), tolerance=np.zeros(1), clip=lambda z: z,
        margin=np.array([-1.0]), gradient=np.array([[1.0, 0.0]]), evaluate=evaluate,
        check=lambda z: points.append(z[0]),
    )  # fmt: skip
    DDN(n_steps=40, gamma=0)._minimize(search)
    points = np.array(points)
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.ones(40))
    turn = np.arccos((points[:-1] * points[1:]).sum(axis=1).clip(-1, 1))
    share = np.tan(turn)  # of the steps 1, ..., 39; the first has nothing to turn
    assert (np.diff(share) < 0).all()
    assert share[0] > 0.99
    assert share[19] == pytest.approx(0.505)  # half of the way
    assert share[-1] < 0.02
    assert share + share[::-1] == pytest.approx(np.full(39, 1.01))


def test_a_row_leaves_after_the_step_that_crosses_the_boundary():
    # Of a linear model each step of the maximum norm lowers the margin by the same.
    weights, eps, n_steps = MODEL.coef_[0], 0.8, 10
    margin = (2 * Y - 1) * MODEL.decision_function(X)
    fall = 2.5 / n_steps * eps * np.abs(weights).sum()
    crossing = np.ceil(margin / fall)
    soon = (margin > 0) & (crossing <= 4)  # of these no step leaves the ball
    result = PGD(eps, n_steps=n_steps, random_start=False).run(MODEL, X, Y)
    assert len(set(crossing[soon])) == 4
    assert (result.forward[soon] == crossing[soon] + 1).all()
    assert (result.backward[soon] == crossing[soon] + 1).all()
