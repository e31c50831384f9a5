"""What runs and folds that fail leave: the rest, as if these had not been asked."""

from itertools import chain, combinations

import numpy as np
import pytest
from problems import linear_problem

from skrobust.base import BaseAttack
from skrobust.evaluation import evaluate_attack
from skrobust.evaluation._cross_validate_perturbations import _mean_of_known

MODEL, X, Y = linear_problem(40)
RUNS = ("misclassification", "loss", "probability_shift")
RATIOS = {name: f"robust_ratio_{name}" for name in RUNS[1:]}


class Against(BaseAttack):
    """Moves all numbers of a row, and raises for some objectives."""

    _moves_numbers = True

    def __init__(self, eps=0.1, norm=np.inf, data_range=None, objective=None,
                 random_state=None, fails=()):  # fmt: skip
        self.eps, self.norm, self.data_range = eps, norm, data_range
        self.objective, self.random_state, self.fails = objective, random_state, fails

    def _attack(self, estimator, X, y, key):
        if (self.objective or "misclassification") in self.fails:
            raise RuntimeError(f"no {self.objective}")
        return X + self.eps * (1 if self.objective == "loss" else -0.5)


SOME = chain.from_iterable(combinations(RUNS, n) for n in (0, 1, 2))


@pytest.mark.filterwarnings("ignore:.*the run of the attack for")
@pytest.mark.parametrize("fails", list(SOME), ids=" and ".join)
@pytest.mark.parametrize("error_score", [np.nan, 0.25])
def test_runs_of_an_attack_that_fail_leave_the_others(fails, error_score):
    plain = evaluate_attack(MODEL, X, Y, Against())
    found = evaluate_attack(MODEL, X, Y, Against(fails=fails), error_score=error_score)
    assert found.modes == plain.modes == RUNS[1:]
    assert found.columns == plain.columns
    for mode, name in RATIOS.items():
        for column in (name, f"{name}_low", f"{name}_high", f"{name}_tempered"):
            wanted = plain[column]
            if mode in fails:
                wanted = np.full_like(wanted, error_score if column == name else np.nan)
            np.testing.assert_array_equal(found[column], wanted)
    lost = "misclassification" in fails
    wanted = error_score if lost else plain.robust_accuracy
    np.testing.assert_equal(found.robust_accuracy, wanted)
    names = {"misclassification": "robust_accuracy", **RATIOS}
    assert set(found.get("failed", {})) == {names[run] for run in fails}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9, 1.0])
@pytest.mark.parametrize("size", [(1, 3, 1), (5, 4, 1), (4, 6, 3)])
def test_the_mean_of_what_is_known_is_that_of_its_parts(share, size):
    rng = np.random.default_rng(0)
    facts = rng.normal(size=size)
    facts[rng.random(size) < share] = np.nan
    found = _mean_of_known(facts)
    for k, mean in enumerate(found):
        known = [one for one in facts[:, k].ravel() if not np.isnan(one)]
        if known:
            assert mean == pytest.approx(sum(known) / len(known))
        else:
            assert np.isnan(mean)
