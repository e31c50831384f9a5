"""What a docstring says that a parameter may be is what its rule takes, and no more."""

import importlib
import inspect
import re

import numpy as np
import pytest

import skrobust
from skrobust._parameters import Choice, Count, Flag, NamedOr, Norm, Number, rules_of
from skrobust.sampling.core.answer_checks import NOT_GIVEN

FAMILIES = ["attacks", "evaluation", "metrics", "nets", "perturbations", "sampling"]
RANGE = re.compile(r"float in ([\[(])(\S+), (\S+)([\])])")


def documented():
    """Yield class, parameter, what the docstring says of it, and its rule."""
    for family in FAMILIES:
        module = importlib.import_module(f"skrobust.{family}")
        for cls in {getattr(module, n): n for n in module.__all__}:
            if not inspect.isclass(cls):
                continue
            rules = {**getattr(cls, "_strengths", {}), **rules_of(cls)}
            for docs in [inspect.getdoc(one) or "" for one in reversed(cls.__mro__)]:
                said = dict(re.findall(r"^(\w+) : (.+)$", docs, re.M))
            for name in sorted(rules.keys() & said.keys()):
                yield pytest.param(
                    cls, name, said[name], rules[name], id=f"{cls.__name__}-{name}"
                )


DOCUMENTED = list(documented())


def takes(rule, value):
    try:
        rule(value, "name", "Caller")
    except (TypeError, ValueError):
        return False
    return True


def outside(end, way):
    """The next double beyond an end."""
    return float(np.nextafter(end, way))


@pytest.mark.parametrize(("cls", "name", "said", "rule"), DOCUMENTED)
def test_the_default_is_the_documented_one_and_may_be_given(cls, name, said, rule):
    found = re.search(r"default=(.+?)\.?$", said)
    if not found:
        return
    default = inspect.signature(cls.__init__).parameters[name].default
    text = found[1].replace("numpy.", "")
    assert eval(text, {"inf": np.inf}) == default
    assert takes(rule, default)


@pytest.mark.parametrize(
    ("cls", "name", "said", "rule"),
    [p for p in DOCUMENTED if RANGE.search(p.values[2])],
)
def test_the_ends_of_a_documented_range_are_where_values_are_refused(
    cls, name, said, rule
):
    left, low, high, right = RANGE.search(said).groups()
    low, high = float(low), float(high)
    assert takes(rule, low) == (left == "[")
    assert takes(rule, high) == (right == "]")
    for value in [outside(low, high), outside(high, low), (low + high) / 2]:
        assert takes(rule, value)
    for value in [outside(low, -np.inf), outside(high, np.inf), np.nan]:
        assert not takes(rule, value)


@pytest.mark.parametrize(
    ("cls", "name", "said", "rule"),
    [p for p in DOCUMENTED if isinstance(p.values[3], (Choice, Norm, NamedOr, Flag))],
)
def test_every_documented_choice_is_taken_and_no_other(cls, name, said, rule):
    kind = said.split(", default=")[0]
    listed = re.search(r"^\{(.+?)\}", kind)
    if listed:
        values = eval(f"[{listed[1]}]", {"inf": np.inf, "numpy": np})
        assert all(takes(rule, value) for value in values)
        texts = [value for value in values if isinstance(value, str)]
        assert all(takes(rule, name) for name in np.array(texts))  # numpy.str_
        known = {*getattr(rule, "choices", ()), *getattr(rule, "norms", ())}
        if name not in ("objective", "response"):  # the model narrows these further
            assert known - {None} <= set(values)
    if kind.startswith("bool"):
        assert takes(rule, True)
        assert takes(rule, False)
        assert takes(rule, np.True_)
    if isinstance(rule, NamedOr):
        assert all(takes(rule, value) for value in rule.names)
    else:
        assert not takes(rule, 0.123)
    assert not takes(rule, "no such value")


@pytest.mark.parametrize(
    ("cls", "name", "said", "rule"),
    [p for p in DOCUMENTED if isinstance(p.values[3], (Number, Count, Flag, NamedOr))
     and getattr(p.values[3], "otherwise", True)],
)  # fmt: skip
def test_none_is_taken_where_the_docstring_says_so_and_nowhere_else(
    cls, name, said, rule
):
    assert takes(rule, None) == ("None" in said)


@pytest.mark.parametrize(
    ("cls", "name", "said", "rule"),
    [p for p in DOCUMENTED if isinstance(p.values[3], (Number, Count))],
)
def test_numbers_are_numbers(cls, name, said, rule):
    assert not takes(rule, np.nan)
    assert not takes(rule, -1.5 if isinstance(rule, Number) and rule.low == 0 else [1])
    assert takes(rule, np.inf) == getattr(rule, "infinite", False)
    if isinstance(rule, Count):
        assert takes(rule, rule.low)
        assert not takes(rule, rule.low - 1)
        assert not takes(rule, rule.low + 0.5)


def functions():
    """Yield public functions, and public methods of public classes."""
    for family in skrobust.__all__:
        module = getattr(skrobust, family)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                yield pytest.param(thing, id=f"{family}.{name}")
            elif inspect.isclass(thing):
                for own, method in vars(thing).items():
                    if inspect.isfunction(method) and not own.startswith("_"):
                        yield pytest.param(method, id=f"{family}.{name}.{own}")


@pytest.mark.parametrize("function", list(functions()))
def test_defaults_of_functions_are_the_documented_ones(function):
    docs = inspect.getdoc(function) or ""
    docs = docs.partition("Parameters\n----------\n")[2]
    docs = re.split(r"\n\w[\w ]+\n-{3,}\n", docs)[0]
    parameters = inspect.signature(function).parameters
    for names, said in re.findall(r"^(\w+(?:, \w+)*) : (.+)$", docs, re.M):
        for name in names.split(", "):
            default = parameters[name].default
            found = re.search(r"default=(.+?)\.?$", said)
            if found:
                value = eval(found[1].replace("numpy.", ""), vars(np).copy())
                np.testing.assert_equal(value, default, name)
            elif said != "object":  # which leads to another docstring
                assert default in (None, NOT_GIVEN, inspect.Parameter.empty), name
