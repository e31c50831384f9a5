"""Linear relations between features, read from text such as ``"a + b <= total"``."""

import ast
import operator
import re
from dataclasses import dataclass

import numpy as np

from skrobust._containers import is_frame
from skrobust._validation import invalid

_RULE = (
    "rules such as 'a <= b' or 'total == a + b' (linear, with <=, >= or ==), pairs "
    "(feature, function) or functions of rows"
)
_SIGNS = {ast.LtE: 1, ast.GtE: -1, ast.Eq: 0}
_SIDES = {ast.Add: operator.add, ast.Sub: operator.sub}


@dataclass(frozen=True)
class LinearRelation:
    """Relation ``sum of weights[i] * x[i] <= bound``, or ``==`` where it is exact.

    Attributes
    ----------
    weights : dict of int to float
        By the place of the feature.
    bound : float
        The right side.
    is_equal : bool
        Whether both sides are equal.
    given : int or None
        The feature that stands alone on a side of an equation: it follows the others.
    text : str
        As it was written.
    """

    weights: dict
    bound: float
    is_equal: bool
    given: int | None
    text: str

    def moved(self, places):
        """Return the same relation between features at other places."""
        weights = {places[place]: w for place, w in self.weights.items()}
        given = None if self.given is None else places[self.given]
        return LinearRelation(weights, self.bound, self.is_equal, given, self.text)


class _Terms(dict):
    """Weights of names, and under None the constant."""

    def __add__(self, other):
        names = {*self, *other}
        return _Terms({n: self.get(n, 0.0) + other.get(n, 0.0) for n in names})

    def __sub__(self, other):
        return self + other.times(-1.0)

    def times(self, factor):
        return _Terms({name: factor * w for name, w in self.items()})


def read_relation(text, names):
    """Return the linear relations of a text, one for each sign of comparison.

    Parameters
    ----------
    text : str
        Names of features, numbers, ``+ - * /`` and ``<= >= ==``. Names that are no
        words stand in backticks.
    names : dict of str to int
        Places of features.
    """
    quoted = {}

    def plain(match):
        quoted[f"_quoted_{len(quoted)}"] = match.group(1)
        return f"_quoted_{len(quoted) - 1}"

    try:
        tree = ast.parse(re.sub(r"`([^`]*)`", plain, text).strip(), mode="eval").body
        if not isinstance(tree, ast.Compare):
            raise ValueError
        sides = [_terms(s, quoted) for s in (tree.left, *tree.comparators)]
        signs = [_SIGNS[type(op)] for op in tree.ops]
    except (SyntaxError, ValueError, KeyError, TypeError, ZeroDivisionError):
        raise invalid("relations", "Constraints", _RULE, text) from None
    pairs = zip(sides[:-1], sides[1:], signs, strict=True)
    return [_relation(*pair, names, text) for pair in pairs]


def _terms(node, quoted):
    if isinstance(node, ast.Name):
        return _Terms({quoted.get(node.id, node.id): 1.0})
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return _Terms({None: float(node.value)})
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _terms(node.operand, quoted).times(-1.0)
    if isinstance(node, ast.BinOp):
        left, right = _terms(node.left, quoted), _terms(node.right, quoted)
        if type(node.op) in _SIDES:
            return _SIDES[type(node.op)](left, right)
        if isinstance(node.op, ast.Div) and set(right) == {None}:
            return left.times(1 / right[None])
        if isinstance(node.op, ast.Mult):
            for one, other in ((left, right), (right, left)):
                if set(one) == {None}:
                    return other.times(one[None])
    raise ValueError


def _relation(left, right, sign, names, text):
    terms = left - right if sign >= 0 else right - left
    bound = -terms.pop(None, 0.0)
    unknown = [name for name in terms if name not in names]
    if unknown:
        rule = f"of names of features; {unknown[0]!r} is none"
        raise invalid("relations", "Constraints", rule, text)
    alone = [next(iter(s)) for s in (left, right) if list(s.values()) == [1.0]]
    given = None
    if sign == 0 and alone and terms.get(alone[0]):  # else it is on both sides
        given = names[alone[0]]
    weights = {names[name]: w for name, w in terms.items() if w != 0}
    return LinearRelation(weights, bound, sign == 0, given, text)


def read_relations(relations, names):
    """Return relations in which text and names of features are places.

    Parameters
    ----------
    relations : None or sequence
        Of text, pairs (feature, function), functions and relations already read.
    names : dict of str to int
        Places of features.
    """
    if relations is None:
        return None
    if isinstance(relations, str) or not np.iterable(relations):
        raise invalid("relations", "Constraints", f"a list of {_RULE}", relations)
    out = []
    for one in relations:
        if isinstance(one, str):
            out += read_relation(one, names)
        elif isinstance(one, tuple) and len(one) == 2 and callable(one[1]):
            out.append((names.get(one[0], one[0]), one[1]))
        elif callable(one) or isinstance(one, LinearRelation):
            out.append(one)
        else:
            raise invalid("relations", "Constraints", _RULE, one)
    return out


class _OfRows:
    """A function of rows in a container, as one of rows of numbers too.

    An attack hands its constraints on to others, with rows of either kind.
    """

    def __init__(self, function, container):
        self._function, self._container = function, container

    def __call__(self, rows):
        return self._function(rows if is_frame(rows) else self._container(rows))

    def __deepcopy__(self, memo):
        return self  # clones of an attack share the rows behind it


def with_rows(relations, container):
    """Return relations whose functions get rows in a container.

    Parameters
    ----------
    relations : None or list
        As :func:`read_relations` returns them.
    container : callable
        From rows of numbers to what the functions take.
    """

    def bound(function):
        return _OfRows(function, container)

    out = []
    for one in relations or ():
        if isinstance(one, tuple):
            out.append((one[0], bound(one[1])))
        elif isinstance(one, LinearRelation):
            out.append(one)
        else:
            out.append(bound(one))
    return out or None
