"""Examples of docstrings, run and stored."""

import doctest
import inspect

import numpy as np


def public_methods(thing):
    """Yield the methods and properties that the package itself documents."""
    for name, value in inspect.getmembers(thing):
        value = getattr(value, "fget", value)
        documented = inspect.isfunction(value) and not name.startswith("_")
        if documented and value.__module__.startswith("skrobust"):
            yield name, value


def examples(rec, family, title):
    """Store the values of the examples in the docstrings of a family."""
    for name in sorted(family._module.__all__):
        thing = getattr(family, name)
        documented = [("", thing)]
        if inspect.isclass(thing):
            documented += [(f" {n}", f) for n, f in public_methods(thing)]
        seen = set()
        for part, one in documented:
            text = getattr(one, "__doc__", None) or ""
            if text not in seen:
                seen.add(text)
                run_example(rec, f"{title}.{name}.example{part} ", text)


def run_example(rec, key, text):
    """Run one docstring; store each value it shows and each name it makes."""
    names = {"__name__": "example", "print": lambda *args: args}
    parts = doctest.DocTestParser().get_examples(text)
    np.random.seed(0)  # noqa: NPY002
    for i, example in enumerate(parts):
        if doctest.SKIP in example.options:
            continue
        try:
            code = compile(example.source, "example", "eval")
        except SyntaxError:
            rec(f"{key}{i}", exec, compile(example.source, "example", "exec"), names)
        else:
            rec(f"{key}{i} value", eval, code, names)
    for name, value in names.items():
        if not name.startswith("_") and not callable(value):
            rec.keep(f"{key}{name}", value)
