"""Doubts, verdicts and parts of evaluations, each where it begins."""

import numpy as np
import pytest

from skrobust.evaluation.attacked import gradient_checks
from skrobust.evaluation.attacked.attack_batches import _joined_proof
from skrobust.evaluation.attacked.gradient_checks import _check_logits, check_gradients
from skrobust.evaluation.attacked.proved_rows import NOTHING
from skrobust.evaluation.core.model_checks import check_input
from skrobust.evaluation.core.verdict import verdict_on_bounds
from skrobust.evaluation.repairs.repair_chances import calibration_table
from skrobust.evaluation.repairs.repair_parts import Scores
from skrobust.evaluation.repairs.repair_table import ORIGINAL


def kinds(doubts):
    return [one.code for one in doubts]


@pytest.mark.parametrize(
    ("logits", "found"),
    [
        ([[0.2, 0.8], [0.6, 0.4]], ["PROBABILITIES_AS_LOGITS"]),
        ([[0.2, 0.3], [0.6, 0.4]], []),  # in [0, 1], but no probabilities
        ([[0.0, 0.3], [0.0, 0.9]], ["PROBABILITIES_AS_LOGITS"]),  # one output
        ([[0.0, 0.3, 0.2], [0.0, 0.9, 0.5]], []),
        ([[0.0, 0.0], [0.0, 0.0]], []),
        ([[0.2, 0.8]], []),
        ([[-0.2, 1.2], [0.6, 0.4]], []),
        ([[0.0, 150.0], [1.0, 2.0]], ["SATURATED_LOSS"]),
        ([[0.0, 90.0], [1.0, 2.0]], []),
    ],
)
def test_logits_that_are_none(logits, found):
    assert kinds(_check_logits(np.array(logits))) == found


class View:
    """A linear model whose gradient has the wrong sign for some rows."""

    def __init__(self, n_wrong):
        self.n_wrong = n_wrong

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def tensor(self, X):
        return X

    host = tensor

    def logits(self, x):
        return np.column_stack([np.zeros(len(x)), x @ [1.0, 2.0]])

    def forward(self, x):
        sign = np.where(np.arange(len(x)) < self.n_wrong, -1.0, 1.0)

        def pullback(slope):
            return (sign * slope[:, 1])[:, None] * [1.0, 2.0]

        return self.logits(x), pullback


@pytest.mark.parametrize(
    ("n", "n_wrong", "is_told"),
    [(20, 0, 0), (20, 1, 0), (20, 2, 1), (100, 4, 0), (100, 5, 1), (100, 60, 1)],
)
def test_wrong_gradients_are_told_from_a_twentieth_of_the_rows(
    n, n_wrong, is_told, monkeypatch
):
    monkeypatch.setattr(
        gradient_checks, "differentiable_view", lambda *_: View(n_wrong)
    )
    X = np.random.default_rng(0).normal(size=(n, 2))
    told = list(check_gradients(None, X, True, False))
    assert kinds(told) == ["WRONG_GRADIENT"] * is_told
    assert not list(check_gradients(None, X, False, False))


@pytest.mark.parametrize(
    ("low", "high", "eps", "is_small"),
    [(0, 255, 0.5, True), (0, 255, 4, False), (100, 200, 0.9, True),
     (-128, 127, 0.9, True), (1000, 1020, 0.5, False), (1000, 1020, 0.3, True)],
)  # fmt: skip
def test_eps_below_a_step_of_whole_numbers(low, high, eps, is_small):
    values = np.linspace(low, high, 41).round().reshape(-1, 1)
    told = kinds(check_input(values, eps, np.inf, None))
    assert told == ["INPUT_SCALE"] * is_small
    assert not kinds(check_input(values, eps, 2, None))


@pytest.mark.parametrize(
    ("data_range", "is_wide"),
    [((0, 255), True), ((0, 9.5), False), ((0, 10.5), True), ((-5, 5.5), True)],
)
@pytest.mark.parametrize("shift", [0.0, 300.0])
def test_a_range_of_data_that_is_ten_times_too_wide(data_range, is_wide, shift):
    values = np.random.default_rng(0).random((40, 2)) + shift
    values[0], values[1] = shift, 1 + shift
    told = kinds(check_input(values, None, np.inf, np.add(data_range, shift)))
    assert told == ["INPUT_SCALE"] * is_wide


def test_verdicts_of_brackets():
    same = verdict_on_bounds({"lower": 0.5, "upper": 0.5})
    assert same == "The robust accuracy is 0.500, certified and attacked."
    apart = verdict_on_bounds({"lower": 0.4, "upper": 0.5})
    assert "at least 0.400 (certified) and at most 0.500 (attacked)" in apart


def proof(reason="", name="exact", proved=(True,), exact=True):
    proved = np.array(proved)
    kinds = [("reason", "U80"), ("proved", bool, proved.shape), ("name", "U160")]
    record = np.zeros((), dtype=[*kinds, ("exact", bool)])
    record["reason"], record["proved"] = reason, proved
    record["name"], record["exact"] = name, exact
    return record


def test_proofs_of_batches_are_joined():
    parts = [proof(name="tree"), proof(name=f"{NOTHING} here", exact=False)]
    reason, proved, name, exact = _joined_proof(parts)
    assert (reason, name, exact) == ("", "tree", False)
    assert proved.tolist() == [True, True]
    only = [proof(name=f"{NOTHING} here"), proof(reason="why", name=f"{NOTHING} here")]
    reason, _, name, exact = _joined_proof(only)
    assert (reason, name, exact) == ("why", f"{NOTHING} here", True)
    assert _joined_proof([proof(name="a"), proof(name="b")])[2] == "a or b"


def scores_of(brier):
    n = len(brier)
    no = np.zeros(n, dtype=bool)
    return Scores(no, no[:, None], None, np.ones(1), brier, brier)


def test_calibration_needs_all_chances_of_the_original():
    rng = np.random.default_rng(0)
    first, second = rng.random((30, 2)), rng.random((30, 2))
    names = {ORIGINAL: ORIGINAL, "isotonic": "calibration"}
    scores = {ORIGINAL: scores_of(first), "isotonic": scores_of(second)}
    table = calibration_table(scores, names, None, 0.95, 0)
    assert table["clean_brier"] == pytest.approx(
        [first[:, 0].mean(), second[:, 0].mean()]
    )
    assert table["robust_brier"][1] == pytest.approx(second[:, 1].mean())
    first[3, 1] = np.nan
    assert calibration_table(scores, names, None, 0.95, 0) is None
    names["isotonic"] = "training"
    first[3, 1] = 0.5
    assert calibration_table(scores, names, None, 0.95, 0) is None
