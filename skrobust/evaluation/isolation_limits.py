"""Isolation as evaluations take it: the argument, and the context that it opens."""

from functools import wraps

from skrobust._parallel import isolated
from skrobust._validation import invalid
from skrobust.evaluation._isolation import Isolation


def runs_apart(function):
    """Decorate an evaluation so that ``isolate=`` puts its model in a process apart."""

    @wraps(function)
    def evaluate(*arguments, **named):
        limits = read_isolation(named.get("isolate", False), function.__name__)
        if limits is None:
            return function(*arguments, **named)
        with isolated(limits.timeout, limits.memory):
            return function(*arguments, **named)

    return evaluate


def read_isolation(isolate, caller):
    """Return the limits that an argument states, None for no isolation."""
    if isolate is None or isolate is False:
        return None
    if isolate is True:
        return Isolation()
    if not isinstance(isolate, Isolation):
        raise invalid("isolate", caller, "a bool or an Isolation", isolate)
    return isolate
