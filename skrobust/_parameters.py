"""Declared rules for the parameters of a class, checked when an object is used.

A class lists its rules once, by the name of the parameter::

    _parameter_rules = {
        "n_steps": Count(),
        "step_size": Number(low=0, low_open=True, optional=True),
        "mode": Choice("pad", "roll"),
    }

The rules of base classes hold too; a subclass replaces a rule by its name, or lifts it
with None. What depends on two parameters or on the data stays code.

A constructor names the parameters that its class adds, and hands on those of the base::

    def __init__(self, eps=0.1, *, step_size=None, **shared):
        super().__init__(eps, **shared)
        self.step_size = step_size

It names in ``_left_out`` those of the base that it does not take.
"""

import inspect
import numbers
import re
from dataclasses import dataclass
from functools import cache, wraps

import numpy as np

from skrobust._validation import (
    MOST,
    check_choice,
    check_count,
    check_flag,
    check_number,
    invalid,
)

_NONE_KNOWN = object()  # stands for no default
_RADIUS_RULE = (
    "a number, or a number and its unit, such as '0.1 std', '0.1 iqr', '0.1 range'"
)
_RADIUS = re.compile(r"\s*(\S+)\s+(std|iqr|range)\s*")


@dataclass(frozen=True)
class Number:
    """A finite real number within its bounds; None too where it is optional."""

    low: float | None = None
    high: float | None = None
    low_open: bool = False
    optional: bool = False
    infinite: bool = False  # whether numpy.inf is allowed too

    def __call__(self, value, name, caller):
        """Raise unless the value obeys the rule."""
        if value is None and self.optional:
            return
        is_float = isinstance(value, (float, np.floating))
        if self.infinite and is_float and value == np.inf:
            return
        if type(value) is float and self.low == 0 < value < np.inf and not self.high:
            return  # the usual case
        check_number(
            value, name, caller, low=self.low, high=self.high, low_open=self.low_open
        )
        # It is computed with as it is, and products with halves are halves.
        is_plain = isinstance(value, (int, float, np.number))
        if not is_plain or isinstance(value, np.float16):
            raise invalid(name, caller, "a float", value, "Pass float(value).")


def parse_radius(text, name="eps", caller="an attack"):
    """Return the number and the unit of a radius that is text.

    Parameters
    ----------
    text : str
        Such as ``"0.1 std"`` (standard deviations), ``"0.1 iqr"`` (widths of the middle
        half) or ``"0.1 range"`` (greatest minus least value).
    name, caller : str
        For the error message.

    Returns
    -------
    number : float
        Not negative and finite.
    unit : {"std", "iqr", "range"}
        What it counts.
    """
    parts = _RADIUS.fullmatch(text)
    try:
        number = float(parts[1])
    except (TypeError, ValueError):
        raise invalid(name, caller, _RADIUS_RULE, text) from None
    if not 0 <= number < np.inf:
        raise invalid(name, caller, _RADIUS_RULE, text)
    return number, parts[2]


class Radius(Number):
    """A radius: a number within its bounds, or one in units of the spread."""

    def __call__(self, value, name, caller):
        """Raise unless the value obeys the rule."""
        if isinstance(value, str):
            parse_radius(value, name, caller)
        else:
            super().__call__(value, name, caller)


@dataclass(frozen=True)
class Count:
    """An integer of at least ``low``; None too where it is optional."""

    low: int = 1
    optional: bool = False

    def __call__(self, value, name, caller):
        """Raise unless the value obeys the rule."""
        if type(value) is int and self.low <= value <= MOST:
            return  # the usual case
        if value is None and self.optional:
            return
        check_count(value, name, caller, low=self.low)
        # It is computed with as it is, and sums of small integers begin anew.
        if isinstance(value, np.integer) and value.dtype.itemsize < 4:
            raise invalid(name, caller, "an int", value, "Pass int(value).")


class Choice:
    """One of the listed values."""

    def __init__(self, *choices):
        self.choices = choices

    def __call__(self, value, name, caller):
        """Raise unless the value obeys the rule."""
        check_choice(value, name, caller, self.choices)


class Norm:
    """One of the listed norms; numpy.inf is spelled out."""

    def __init__(self, *norms):
        self.norms = norms

    def __call__(self, value, name, caller):
        """Raise unless the value obeys the rule."""
        known = isinstance(value, (str, numbers.Real)) and not isinstance(value, bool)
        if not known or value not in self.norms:
            *first, last = ("numpy.inf" if n == np.inf else str(n) for n in self.norms)
            rule = f"{', '.join(first)} or {last}" if first else last
            raise invalid(name, caller, rule, value)


class Flag:
    """True or False."""

    def __call__(self, value, name, caller):
        """Raise unless the value obeys the rule."""
        check_flag(value, name, caller)


@dataclass(frozen=True)
class NamedOr:
    """One of the listed names where the value is text, else another rule, if any."""

    names: tuple
    otherwise: object = None

    def __call__(self, value, name, caller):
        """Raise unless the value obeys the rule."""
        rule = Choice(*self.names) if isinstance(value, str) else self.otherwise
        if rule is not None:
            rule(value, name, caller)


@dataclass(frozen=True)
class Instance:
    """An object of the given classes; None too where it is optional."""

    classes: type | tuple
    description: str
    optional: bool = False

    def __call__(self, value, name, caller):
        """Raise unless the value obeys the rule."""
        if value is None and self.optional:
            return
        if not isinstance(value, self.classes):
            raise invalid(name, caller, self.description, value)


@cache
def rules_of(cls):
    """Return the rules of a class, those of its bases first."""
    rules = {}
    for base in reversed(cls.__mro__):
        rules |= vars(base).get("_parameter_rules", {})
    lifted = {name for name, rule in rules.items() if rule is None}
    lifted.update(getattr(cls, "_left_out", ()))
    return {name: rule for name, rule in rules.items() if name not in lifted}


@cache
def _checked_defaults(cls):
    """Return the rules of a class with the default that is known to obey each."""
    parameters, checked = inspect.signature(cls.__init__).parameters, []
    for name, rule in rules_of(cls).items():
        default = parameters[name].default if name in parameters else _NONE_KNOWN
        try:
            rule(default, name, cls.__name__)
        except (TypeError, ValueError):
            default = _NONE_KNOWN
        checked.append((name, rule, default))
    return checked


def check_parameters(estimator):
    """Check the parameters of an object against the rules of its class."""
    caller = type(estimator).__name__
    for name, rule, default in _checked_defaults(type(estimator)):
        value = getattr(estimator, name)
        if value is not default:
            rule(value, name, caller)


class SharedParameters:
    """Mixin of estimators whose constructors hand parameters on as ``**shared``.

    In the signature, parameters of the base take the place of ``**shared``: signature,
    ``get_params``, ``clone``, ``repr`` and help know every parameter.
    """

    # The shared parameter that those of a subclass precede; None: all of them.
    _added_before = None
    # Shared parameters that a class does not take; its class attributes hold instead.
    _left_out = ()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "__init__" in vars(cls):
            cls.__init__ = _with_all_parameters(cls)


def _with_all_parameters(cls):
    """Return the constructor of a class with the parameters behind ``**shared``."""
    init = cls.__init__
    own = dict(inspect.signature(init).parameters)
    rest = [name for name, p in own.items() if p.kind is p.VAR_KEYWORD]
    if not rest:
        return init
    del own[rest[0]]
    shared = inspect.signature(super(cls, cls).__init__).parameters
    names = list(shared)
    place = names.index(cls._added_before) if cls._added_before in names else 0
    order = dict.fromkeys([*names[:place], *own, *names[place:]])
    left_out = set(cls._left_out).difference(own)
    parameters = {n: own.get(n) or shared[n] for n in order if n not in left_out}

    @wraps(init)
    def checked_init(self, *args, **params):
        for name in params:
            if name not in parameters:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword "
                    f"argument {name!r}"
                )
        init(self, *args, **params)
        for name in left_out:
            vars(self).pop(name, None)

    checked_init.__signature__ = inspect.Signature(parameters.values())
    return checked_init
