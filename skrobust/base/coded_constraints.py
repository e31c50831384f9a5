"""Constraints and bounds of the columns of a frame, for its coded rows."""

import numpy as np

from skrobust._containers import refuse_unordered
from skrobust._validation import as_flag, invalid
from skrobust.base.constraints import Constraints
from skrobust.base.linear_relation import LinearRelation, with_rows


def coded_constraints(frame, constraints, norm, reader):
    """Return the constraints of coded rows.

    Parameters
    ----------
    frame : CodedFrame
        The frame, and how it is coded.
    constraints : Constraints
        By the places of its columns.
    norm : float
        Norm of the ball.
    reader : Reader
        Of the columns, for messages about them.
    """
    coded = {place: column for column, place in enumerate(frame.coded)}
    integer = as_flag(constraints.integer)
    integer = frame.free if integer is True else reader.places(integer, "integer")
    integer = [p for p in np.asarray(integer).tolist() if p in coded]
    reader.integers(integer)  # names the column of X where a half is no whole number
    levels = constraints.valid_values
    if isinstance(levels, dict):
        levels = {coded[p]: known for p, known in levels.items() if p in frame.free}
    groups = [
        [coded[p] for p in reader.places(group, "one_hot").tolist() if p in coded]
        for group in constraints.one_hot or ()
    ]
    groups = [group for group in groups if group]
    groups += [list(range(p.start, p.stop)) for p in frame.groups.values()]
    n = frame.values.shape[1]
    return Constraints(
        frozen=[*range(len(frame.free), len(coded)), n - 1],
        integer=integer and [coded[p] for p in integer],
        valid_values=levels or None,
        one_hot=groups or None,
        relations=with_rows(_relations(frame, constraints, coded), frame.decode),
        scale=_units(frame, constraints, norm, reader),
    )


def _units(frame, constraints, norm, reader):
    """Return one unit for each place of coded rows."""
    none = np.array([], dtype=int)
    unit = reader.unit(constraints.scale, none, constraints.costs)
    scale = np.ones(frame.values.shape[1])
    if unit is not None:
        scale[: len(frame.coded)] = unit[frame.coded]
    # A switch moves two indicators by 1 each; it counts as one change by 1.
    longer = {1: 2.0, 2: np.sqrt(2)}.get(norm, 1.0)
    for place, part in frame.groups.items():
        scale[part] = longer * (1.0 if unit is None else unit[place])
    return scale


def _relations(frame, constraints, coded):
    """Return relations between places of coded rows."""
    out = []
    for one in constraints.relations or ():
        is_linear = isinstance(one, LinearRelation)
        named = list(one.weights) if is_linear else ()
        for place in one[:1] if isinstance(one, tuple) else named:
            if place not in coded:
                known = place in range(len(frame.names))
                what = frame.names[place] if known else place
                rule = f"between columns of numbers; {what!r} holds other cells"
                text = getattr(one, "text", one)
                raise invalid("relations", "Constraints", rule, text)
        if is_linear:
            one = one.moved(coded)
        elif isinstance(one, tuple):
            one = (coded[one[0]], one[1])
        out.append(one)
    return out


def coded_range(frame, data_range, caller):
    """Return bounds of coded rows for those of columns."""
    refuse_unordered(data_range, "data_range", caller)
    n, width = len(frame.names), frame.values.shape[1]
    codes, out = frame.values[:, -1], []
    try:
        low, high = (np.asarray(bound, dtype=np.float64) for bound in data_range)
    except (TypeError, ValueError):
        return data_range  # no pair of bounds: the attack says so
    for bound, end, last in ((low, 0.0, codes.min()), (high, 1.0, codes.max() + 1)):
        if bound.ndim and bound.shape != (n,):
            rule = f"scalars or one bound per column, of shape ({n},)"
            raise invalid("data_range", caller, rule, bound.shape)
        column = np.full(width, end)
        column[: len(frame.coded)] = np.broadcast_to(bound, n)[frame.coded]
        column[-1] = last
        out.append(column)
    return tuple(out)
