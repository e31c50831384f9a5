"""Every public function, and every sampler, has a test of a property."""

import ast
import importlib
import inspect
from functools import cache
from pathlib import Path

import pytest

import skrobust
from skrobust import sampling
from skrobust.sampling import BaseSampler

TESTS = Path(__file__).parent
WITHOUT = {
    "deepfake_study": "a whole study; tests/studies runs its parts and all of it",
    "get_scorer_names": "takes nothing; test_scorers.py tries every name",
    "load_mesonet_weights": "four published files, each run by test_mesonet.py",
}


def is_given(node):
    """Whether a function is decorated with ``@given``."""
    calls = [d.func for d in node.decorator_list if isinstance(d, ast.Call)]
    return any(getattr(call, "id", None) == "given" for call in calls)


def names_in(node):
    """Return the names that occur in a piece of code, attributes among them."""
    return {
        name
        for part in ast.walk(node)
        for name in (getattr(part, "id", None), getattr(part, "attr", None))
        if isinstance(name, str)
    }


def names_of_properties(source):
    """Return what the properties of a file use, also through its own helpers."""
    tree = ast.parse(source)
    helpers = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            helpers[node.name] = names_in(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                helpers.update(dict.fromkeys(names_in(target), names_in(node.value)))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    found, new = set(), set()
    for node in filter(is_given, functions):
        new |= names_in(node)
    while new:
        found |= new
        new = set().union(*(helpers.get(name, ()) for name in new)) - found
    return found


@cache
def used():
    """Return the names that the properties of all tests use."""
    sources = (path.read_text() for path in TESTS.rglob("test_*.py"))
    return set().union(*(names_of_properties(s) for s in sources if "@given" in s))


def functions_of(package):
    package = importlib.import_module(f"skrobust.{package}")
    return {n for n in package.__all__ if inspect.isfunction(getattr(package, n))}


FAMILIES = sorted(
    name
    for name in skrobust.__all__
    if inspect.ismodule(getattr(skrobust, name)) and functions_of(name)
)


def samplers():
    kinds = {name: getattr(sampling, name) for name in sampling.__all__}
    return {
        name
        for name, kind in kinds.items()
        if inspect.isclass(kind)
        and issubclass(kind, BaseSampler)
        and kind is not BaseSampler
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_every_public_function_has_a_property(family):
    assert not functions_of(family) - used() - set(WITHOUT)


def test_every_sampler_has_a_property():
    assert len(samplers()) > 9
    assert not samplers() - used()


def test_no_exception_is_out_of_date():
    assert len(FAMILIES) > 7
    assert not set(WITHOUT) & used()
    assert set(WITHOUT) <= set().union(*map(functions_of, FAMILIES))


def test_names_are_found_through_helpers_alone():
    source = """
KINDS = [first]
def helper(x):
    return second(x)
def unused():
    return third
@few
@given(seeds)
def test_law(seed):
    package.fourth(helper(KINDS))
def test_plain():
    fifth()
"""
    found = names_of_properties(source)
    assert {"first", "second", "fourth"} <= found
    assert not {"third", "fifth"} & found
