"""Isolation as evaluations take it: the argument, and the context that it opens."""

from contextlib import nullcontext
from functools import wraps

from skrobust._parallel import isolated
from skrobust._validation import as_flag, invalid
from skrobust.evaluation.core._isolation import Isolation


def runs_apart(function):
    """Decorate an evaluation so that ``isolate=`` puts its model in a process apart."""

    @wraps(function)
    def evaluate(*arguments, **named):
        with isolation_of(named.get("isolate", False), function.__name__):
            return function(*arguments, **named)

    return evaluate


def isolation_of(isolate, caller):
    """Return the context that an argument asks for, which does nothing for False.

    Parameters
    ----------
    isolate : bool or Isolation
        The argument.
    caller : str
        Name of the public function, for the message.
    """
    limits = as_flag(isolate)
    if limits is None or limits is False:
        return nullcontext()
    limits = Isolation() if limits is True else limits
    if not isinstance(limits, Isolation):
        raise invalid("isolate", caller, "a bool or an Isolation", isolate)
    return isolated(limits.timeout, limits.memory)
