"""What is computed with is the number that a check has read, not what came in."""

import ast
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from messages import check_one_sentence

import skrobust
from skrobust.datasets import FaceCrop
from skrobust.sampling import (
    ConfidenceStratifiedSampler,
    DeepESTSampler,
    SimpleRandomSampler,
)

SCORES = np.linspace(0, 0.5, 40)
CHECKS = {"check_number", "check_count", "check_confidence"}


def answered(sampler):
    sampler = sampler.fit(SCORES)
    return sampler.tell(sampler.ask(20), failed=np.arange(20) % 4 == 0)


def test_a_half_is_the_float_of_its_value():
    half = np.float16(0.95)
    sampler = answered(DeepESTSampler(random_state=0))
    results = [sampler.result(confidence=one) for one in (half, float(half))]
    assert results[0].interval == results[1].interval
    plans = [sampler.plan(one, confidence=one) for one in (half, float(half))]
    assert plans[0] == plans[1]
    crops = [FaceCrop(one) for one in (np.float16(1.3), float(np.float16(1.3)))]
    squares = [one.square((40, 20, 50, 60), height=200, width=300) for one in crops]
    assert squares[0] == squares[1]


def test_a_half_width_is_compared_with_all_digits():
    sampler = answered(SimpleRandomSampler(random_state=0))
    low, high = sampler.result(method="stopping").interval
    width = (high - low) / 2
    half = np.float16(width)
    below = half if float(half) < width else np.nextafter(half, np.float16(0))
    above = np.nextafter(below, np.float16(1))
    assert float(below) < width < float(above)
    assert sampler.should_stop(above)
    assert not sampler.should_stop(below)


@pytest.mark.parametrize("name", ["mixing", "threshold"])
def test_a_half_is_no_parameter_of_a_sampler(name):
    half = np.float16(0.4)
    check_one_sentence(lambda: DeepESTSampler(**{name: half}).fit(SCORES), name)
    DeepESTSampler(**{name: float(half)}).fit(SCORES)


def test_shares_may_be_any_numbers():
    shares, exact = (0.75, 0.25), (Fraction(3, 4), Fraction(1, 4))
    for name in ("pool_shares", "label_shares"):
        both = {"pool_shares": shares, "label_shares": shares, "random_state": 0}
        right = ConfidenceStratifiedSampler(**both).fit(SCORES)
        expected = right.ask(20)
        for odd in (exact, np.array(shares, dtype=object)):
            sampler = ConfidenceStratifiedSampler(**both | {name: odd}).fit(SCORES)
            np.testing.assert_array_equal(sampler.strata_, right.strata_)
            np.testing.assert_array_equal(sampler.ask(20), expected)
    whole = ConfidenceStratifiedSampler(
        pool_shares=np.array([1], dtype=object), label_shares=[1]
    )
    assert not whole.fit(SCORES).strata_.any()


def thrown_away(tree):
    """Yield the checks of an argument whose number is dropped."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        given = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
        if "name" in given:  # the rule of a parameter, which returns nothing
            continue
        for one in ast.walk(function):
            call = one.value if isinstance(one, ast.Expr) else None
            if getattr(getattr(call, "func", None), "id", "") not in CHECKS:
                continue
            if isinstance(call.args[0], ast.Name) and call.args[0].id in given:
                yield ast.unparse(call)


def test_a_checked_argument_is_never_dropped():
    dropped = "def f(step):\n    check_number(step, 'step', 'f')\n    return step"
    assert [*thrown_away(ast.parse(dropped))] == ["check_number(step, 'step', 'f')"]
    files = [*Path(skrobust.__file__).parent.rglob("*.py")]
    trees = [ast.parse(path.read_text()) for path in files]
    assert not [text for tree in trees for text in thrown_away(tree)]
