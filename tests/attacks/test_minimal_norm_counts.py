"""What minimal-norm attacks count, and how they confirm examples."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import DDN, FAB, FMN, CarliniWagner, DeepFool
from skrobust.attacks.core.minimal_norm_attack import MinimalNormAttack

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = (X @ [1, -2, 0.5, 1] + RNG.normal(size=60) > 0).astype(int)
MODEL = LogisticRegression().fit(X, Y)


def test_minimal_norm_attacks_count_the_labels_that_confirm_examples():
    result = DDN(n_steps=10).run(MODEL, X, Y)
    wrong = MODEL.predict(X) != Y
    assert wrong.any()
    assert (result.queries[wrong] == 0).all()
    assert (result.queries[~wrong] >= 1).all()
    assert result.success.all()


class Stubborn(LogisticRegression):
    """Never fooled, whatever its slopes promise."""

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


@pytest.mark.parametrize("attack", [DDN(n_steps=5), FMN(n_steps=5)], ids=repr)
def test_an_example_that_does_not_fool_grows_step_by_step_up_to_twice(
    attack, monkeypatch
):
    model, plain, tried = Stubborn().fit(X, Y), MinimalNormAttack._rounded, []

    def noted(search, domain, z, values):
        tried.append(np.abs(z - values).sum(axis=1))
        return plain(search, domain, z, values)

    monkeypatch.setattr(MinimalNormAttack, "_rounded", staticmethod(noted))
    rows = X[model.decision_function(X) < 0]
    result = attack.run(model, rows, np.zeros(len(rows), dtype=int))
    assert not result.success.any()
    assert (result.X_adv == rows).all()
    excess = np.array(tried) / tried[0] - 1
    assert (np.diff(excess, axis=0) > 0).all()  # the first that fools is the shortest
    assert excess[-1] == pytest.approx(1)
    assert (excess[1] < 1.1e-6).all()
    assert (excess[2:] < 11 * excess[1:-1]).all()  # and no step is skipped


MOVED = [
    (DDN(n_steps=8), 2),
    *((DeepFool(), norm) for norm in (2, np.inf, 1)),
    *((FMN(n_steps=10), norm) for norm in (2, np.inf, 1)),
    *((CarliniWagner(n_steps=5, n_searches=2), norm) for norm in (2, np.inf)),
    (FAB(random_state=0), 2),
]


@pytest.mark.parametrize(("attack", "norm"), MOVED, ids=lambda case: str(case)[:10])
def test_rows_far_from_the_origin_take_the_same_passes_and_ways(attack, norm):
    # Where the origin lies says nothing about the way to the boundary.
    attack.set_params(norm=norm)
    here = attack.run(MODEL, X, Y)
    for far in (32.0, 2048.0):
        model = LogisticRegression().fit(X, Y)
        model.intercept_ = MODEL.intercept_ - far * MODEL.coef_.sum()
        there = attack.run(model, X + far, Y)
        np.testing.assert_array_equal(there.forward, here.forward)
        np.testing.assert_array_equal(there.backward, here.backward)
        np.testing.assert_allclose(there.norm, here.norm, rtol=1e-6, atol=1e-9)
    assert (here.forward > 1).any()
