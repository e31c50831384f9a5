"""What minimal-norm attacks count, and how they confirm examples."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import DDN, FMN
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
