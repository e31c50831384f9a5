"""Calls of public names as the examples of their docstrings make them, to be replayed.

Each call of a public function, of a class and of methods of its instances is recorded
with copies of its arguments. A new public name is covered by its own example.
"""

import ast
import contextlib
import copy
import doctest
import importlib
import inspect
import io
import os
import tempfile
import warnings
from unittest import mock

FAMILIES = [
    "attacks", "base", "certificates", "datasets", "evaluation", "metrics", "nets",
    "perturbations", "plots", "report", "sampling", "studies", "testing", "wrappers",
]  # fmt: skip
# What examples repeat often, made small: the readers of arguments are the same.
SMALL = {"n_resamples": 100, "n_permutations": 19, "n_repeats": 3, "n_simulations": 20}


def public_names():
    """Return the public objects of all families, each by one of its full names."""
    found, seen = {}, set()
    for family in FAMILIES:
        module = importlib.import_module(f"skrobust.{family}")
        for name in module.__all__:
            one = getattr(module, name)
            if id(one) not in seen:  # some are in two families
                found[f"{family}.{name}"] = one
            seen.add(id(one))
    return found


def copied(value):
    """Return a copy of arguments; what cannot be copied is shared."""
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        return type(value)(copied(one) for one in value)
    if type(value) is dict:
        return {name: copied(one) for name, one in value.items()}
    if inspect.isroutine(value) or inspect.isclass(value):
        return value
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def bound(function, args, kwargs):
    """Return the arguments of a call by name, or None where it takes them by place."""
    try:
        signature = inspect.signature(function)
        given = signature.bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return None
    named = {}
    for name, value in given.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            named |= value
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            named |= {f"*{i}": one for i, one in enumerate(value)}
        else:
            named[name] = value
    return named


def small(function, given):
    """Return small numbers of repeats for the parameters that count them, and a seed.

    Without a seed two runs differ whatever the odd input does.
    """
    found = {}
    for name, one in inspect.signature(function).parameters.items():
        value = given.get(name, one.default)
        if name in SMALL and type(value) is int:
            found[name] = min(value, SMALL[name])
        if name == "random_state" and value is None:
            found[name] = 0
    return found


# Files that examples write are there when their calls are made again.
_HOME = tempfile.TemporaryDirectory()


def _kept_folder(*_args, **_kwargs):
    return contextlib.nullcontext(tempfile.mkdtemp(dir=_HOME.name))


class Program:
    """A call, or the making of an object and the calls of its methods."""

    callables = frozenset()  # names of functions of the user behind the call

    def __init__(self, name, first, params):
        self.name, self.steps = name, [(first, params)]

    def make(self):
        """Make the first call, and return what it makes."""
        (function, params), steps = self.steps[0], self.steps
        self.steps = [(function, params)]
        try:
            return self.run()[0]
        finally:
            self.steps = steps

    def run(self, place=0, changes=None):
        """Make all calls, with some arguments of one replaced; return all results.

        Up to the changed call when it is not the first, since what follows would have
        to fit the new data.
        """
        target, results = None, []
        for i, (function, params) in enumerate(self.steps):
            params = copied(params)
            if i == place:
                params |= changes or {}
            call = getattr(target, function) if isinstance(function, str) else function
            rest = [params.pop(n) for n in sorted(params) if n.startswith("*")]
            before = []
            if rest:
                for one in inspect.signature(call).parameters.values():
                    if one.kind is one.VAR_POSITIONAL:
                        break
                    if one.name in params:
                        before.append(params.pop(one.name))
            try:
                result = call(*before, *rest, **params)
            except Exception as error:
                # The sentence of a changed call counts, not that of a later one.
                error.step = i
                raise
            if i == 0:
                target = result
            if function != "get_params":  # what is given is kept as it came
                results.append(result)
            if i == place and i > 0:
                break
        return results[1:] or results


class Recorder(ast.NodeTransformer):
    """The calls of one example."""

    def __init__(self, public):
        self.names = {id(one): name for name, one in public.items()}
        self.programs, self._of, self._kept = [], {}, []

    def visit_Call(self, node):
        """Let each call go through the recorder."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            return node
        name = ast.Name("__recorded__", ast.Load())
        return ast.copy_location(
            ast.Call(name, [node.func, *node.args], node.keywords), node
        )

    def __call__(self, function, /, *args, **kwargs):
        """Record a call of the package and make it."""
        owner = getattr(function, "__self__", None)
        if owner is None and id(function) not in self.names:
            owner = function  # an instance that is called, as a scorer
            method = "__call__"
        else:
            method = getattr(function, "__name__", "")
        given = None
        public = self._name(function)
        maker = inspect.isclass(owner) and id(owner) in self.names
        step = id(owner) in self._of
        if public or maker or step:
            given = bound(function, args, kwargs)
            if given is not None:
                given = copied(given)
                added = small(function, given)
                if "random_state" not in given:
                    kwargs |= {n: v for n, v in added.items() if n == "random_state"}
                given |= added
        if step and given is not None:
            self._of[id(owner)].steps.append((method, given))
        program = None
        if (public or maker) and given is not None:
            name = public or f"{self.names[id(owner)]}.{method}"
            program = Program(name, function, given)
            self.programs.append(program)  # also where it fails, as without the data
        result = function(*args, **kwargs)
        if program and (inspect.isclass(function) or _ours(result)):
            self._of[id(result)] = program
            self._kept.append(result)
        return result

    def _name(self, function):
        """Return the name of a public object, or of the base of an example's class."""
        if id(function) in self.names:
            return self.names[id(function)]
        if not inspect.isclass(function) or function.__module__ != "__example__":
            return None
        known = [self.names[id(c)] for c in function.__mro__ if id(c) in self.names]
        return known[0] if known else None


def _ours(value):
    return type(value).__module__.startswith("skrobust")


def recorded(name, public):
    """Return the programs of the example of one public name, and why it stopped."""
    recorder = Recorder(public)
    text = inspect.getdoc(public[name]) or ""
    parts = [part.source for part in doctest.DocTestParser().get_examples(text)]
    space = {"__recorded__": recorder, "__name__": "__example__"}
    said = ""
    here = os.getcwd()
    with (
        mock.patch("tempfile.TemporaryDirectory", _kept_folder),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        os.chdir(tempfile.mkdtemp(dir=_HOME.name))
        try:
            for part in parts:
                tree = ast.fix_missing_locations(recorder.visit(ast.parse(part)))
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(tree, "<example>", "exec"), space)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        finally:
            os.chdir(here)
    return recorder.programs, said
