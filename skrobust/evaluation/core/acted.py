"""Did it act: which rows a condition changed, and how far."""

import warnings

import numpy as np

from skrobust._containers import n_rows
from skrobust._stacklevel import level_outside
from skrobust.base.changed_rows import changed_rows, is_clean, row_distortion
from skrobust.evaluation.core.condition_notes import condition_notes

_FIELDS = [("changed", np.float64), ("distortion", np.float64), ("unit", "U24")]
_FIELDS += [("moved", np.int64)]
_SHOWN = 3  # names in a warning


def part_of(X, moved, **results):
    """Return results of a condition and what it did, as one record.

    Parameters
    ----------
    X, moved : array-like, data frame, list of text or list of series
        Clean and perturbed rows.
    **results : float or ndarray of bool of shape (n_samples,)
        What was measured on the perturbed rows.

    Returns
    -------
    ndarray of shape (), structured
        The results by name; ``changed``, the share of rows that differ at all;
        ``distortion``, how far these moved on average; ``unit`` of that; ``moved``, the
        number of rows behind that mean.
    """
    kinds = [(k, np.asarray(v).dtype, np.shape(v)) for k, v in results.items()]
    part = np.zeros((), dtype=[*kinds, *_FIELDS])
    for name, value in results.items():
        part[name] = value
    for (name, _), value in zip(_FIELDS, _effect(X, moved), strict=True):
        part[name] = value
    return part


def _effect(X, moved):
    if n_rows(X) != n_rows(moved):
        return 1.0, np.nan, "", 0  # other rows, of which the metric speaks
    changed = changed_rows(X, moved)
    size, unit = row_distortion(X, moved)
    known = int((changed & ~np.isnan(size)).sum())
    return changed.mean(), mean_of_changed(changed, size), unit, known


def mean_of_changed(changed, size):
    """Return the mean size of the changes over changed rows, nan for none."""
    known = size[changed & ~np.isnan(size)]
    return float(known.mean()) if len(known) else float("nan")


def warn_idle_attack(attack, is_idle, caller):
    """Warn of an attack that changed nothing, unless its radius is 0."""
    if not is_idle or is_clean(attack):
        return
    text = (
        f"{caller}: {type(attack).__name__} changed no row, so that its scores are "
        "those of the clean rows. Take a larger eps or another attack; an attack "
        "that finds nothing shows no robustness."
    )
    warnings.warn(text, UserWarning, stacklevel=level_outside())


def add_effects(table, conditions, X, changed, distortion, units, caller):
    """Add the columns ``changed``, ``distortion`` and ``note``; name what did nothing.

    Parameters
    ----------
    table : dict
        Columns of the conditions; changed.
    conditions : list
        The conditions, fitted where they must be.
    X : container of rows
        The clean rows.
    changed, distortion : array-like of shape (n_conditions,)
        Of the parts.
    units : list of str
        Units of the distortion.
    caller : str
        Name of the public function, for the warning.

    Returns
    -------
    dict
        ``distortion_unit`` and, where there are any, ``idle_kinds``.
    """
    table["changed"] = np.array(changed, dtype=np.float64)
    table["distortion"] = np.array(distortion, dtype=np.float64)
    notes, idle_kinds = condition_notes(table, conditions, X)
    facts = {"distortion_unit": next((str(unit) for unit in units if unit), "")}
    if any(notes):
        table["note"] = np.array(notes)
    meant = np.array([is_clean(condition) for condition in conditions])
    idle = np.flatnonzero((table["changed"] == 0) & ~meant)
    if len(idle):
        shown = _some(repr(str(table["name"][i])) for i in idle)
        text = (
            f"{caller}: {len(idle)} of {len(conditions)} conditions changed no row, so "
            f"that their scores are those of the clean rows: {shown}. They stay in the "
            "table, where 'changed' is 0 and 'note' says more, and in its summary; "
            "leave them out, or use conditions that suit this kind of input."
        )
        if idle_kinds:
            facts["idle_kinds"] = idle_kinds
            kinds = _some((f"{k} ({why})" for k, why in idle_kinds.items()), "; ")
            text += f" Kinds that changed nothing: {kinds}."
        warnings.warn(text, UserWarning, stacklevel=level_outside())
    return facts


def _some(names, joint=", "):
    """Return the first names, and how many more there are."""
    names = list(names)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return joint.join(names[:_SHOWN]) + more
