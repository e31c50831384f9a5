"""Options of a report, checked before the first measurement."""

import inspect

import numpy as np

from skrobust import attacks as family
from skrobust._containers import shape_of
from skrobust._validation import check_number, check_scores, invalid
from skrobust.report.data_facts import is_text

_OWNER = "collect_report"
_PRESETS = ("asi68", "cifar_c", "imagenet_c", "mnist_c", "series", "tabular", "text")
_MOST_GROUPS = 50
RESERVED = ("name", "kind", "clean", "normalized", "asi", "ratio", "estimate")


def check_options(attacks, radii, conditions, groups, times, metrics, checks, n_rows):
    """Check the optional parts of a report.

    Parameters
    ----------
    attacks, radii, conditions, groups, times, metrics, checks : object
        As in :func:`~skrobust.report.collect_report`.
    n_rows : int
        Rows scored.

    Returns
    -------
    options : dict
        ``attacks`` (names to classes or objects), ``radii``, ``conditions``,
        ``groups`` (names to arrays) and ``times``.

    Raises
    ------
    ValueError
        For a value that no section can use.
    """
    if radii is not None:
        radii = check_scores(radii, _OWNER, name="radii", min_size=1)
        if radii[0] <= 0 or (np.diff(radii) <= 0).any():
            raise invalid("radii", _OWNER, "rising positive radii", radii.tolist())
    if not isinstance(checks, (bool, np.bool_)):
        raise invalid("checks", _OWNER, "True or False", checks)
    if groups is not None and not isinstance(groups, dict):
        groups = {"group": groups}
    return {
        "attacks": _attacks(attacks),
        "radii": radii,
        "conditions": _conditions(conditions),
        "groups": {
            str(name): _grouping(f"groups[{name!r}]", values, n_rows)
            for name, values in (groups or {}).items()
        },
        "times": None if times is None else _per_row("times", times, n_rows),
        "metrics": [],
    }


def _attacks(attacks):
    rule = "None, a list of names of attacks, or a dict of names to attacks"
    if attacks is None:
        attacks = ["FGSM", "PGD"]
    if isinstance(attacks, dict) and attacks:
        for name, attack in attacks.items():
            fine = isinstance(name, str) and name not in RESERVED
            if not fine or not callable(getattr(attack, "perturb", None)):
                raise invalid("attacks", _OWNER, rule, attacks)
        return dict(attacks)
    if not isinstance(attacks, (list, tuple)) or not attacks:
        raise invalid("attacks", _OWNER, rule, attacks)
    found = {}
    for name in attacks:
        kind = getattr(family, name, None) if isinstance(name, str) else None
        if not inspect.isclass(kind) or "eps" not in inspect.signature(kind).parameters:
            rule = "names of attacks of skrobust.attacks that take eps"
            raise invalid("attacks", _OWNER, rule, name)
        found[name] = kind
    return found


def _conditions(conditions):
    if conditions is None or (isinstance(conditions, str) and conditions in _PRESETS):
        return conditions
    good = isinstance(conditions, (list, tuple)) and len(conditions) > 0
    if not good or not all(hasattr(c, "perturb") for c in conditions):
        rule = f"None, a list of conditions, or one of {', '.join(_PRESETS)}"
        raise invalid("conditions", _OWNER, rule, conditions)
    return list(conditions)


def _per_row(name, values, n_rows):
    values = np.asarray(values)
    if values.ndim != 1 or len(values) != n_rows:
        rule = f"1-D with one entry for each of the {n_rows} rows"
        raise invalid(name, _OWNER, rule, f"shape {values.shape}")
    return values


def _grouping(name, values, n_rows):
    values = _per_row(name, values, n_rows)
    n_groups = len(set(values.tolist()))
    if not 2 <= n_groups <= _MOST_GROUPS:
        rule = f"2 to {_MOST_GROUPS} different groups"
        raise invalid(name, _OWNER, rule, f"{n_groups} of them")
    return values


def check_size(eps, norm):
    """Check the radius and the norm of attacks."""
    several = isinstance(eps, (list, tuple, np.ndarray))
    if several and not len(eps):
        raise invalid("eps", _OWNER, "a number or a non-empty list of numbers", eps)
    if eps is not None:
        for one in eps if several else [eps]:
            check_number(one, "eps", _OWNER, low=0, low_open=True)
    if norm not in (np.inf, 2, 1):
        raise invalid("norm", _OWNER, "numpy.inf, 2 or 1", norm)


def name_of_conditions(conditions, X, image_shape):
    """Return the name of the conditions that fit the rows.

    Parameters
    ----------
    conditions : str, list or None
        Conditions as given by the user.
    X : array-like
        The rows.
    image_shape : tuple or None
        Shape of flat images.

    Returns
    -------
    str
        A preset, or "given" for a list of conditions.
    """
    if isinstance(conditions, list):
        return "given"
    if conditions is not None:
        return conditions
    if is_text(X):
        return "text"
    flat = len(shape_of(X)) == 2
    return "tabular" if flat and image_shape is None else "asi68"
