"""Factors of a two-factor grid: perturbation, parameter and levels."""

import numbers

from sklearn.base import clone

from skrobust._validation import invalid
from skrobust.base import BasePerturbation

SEVERITIES = (1, 2, 3, 4, 5)


def check_factor(factor, name):
    """Return perturbation, parameter and levels of a factor in any of its forms."""
    rule = (
        "a perturbation, (perturbation, levels of its severity) or (perturbation, "
        "parameter, levels)"
    )
    wrong = invalid(name, "two_factor_grid", rule, factor)
    parts = factor if isinstance(factor, (tuple, list)) else (factor,)
    if not 1 <= len(parts) <= 3 or not isinstance(parts[0], BasePerturbation):
        raise wrong
    perturbation = parts[0]
    parameter = parts[1] if len(parts) == 3 else "severity"
    levels = SEVERITIES if len(parts) == 1 else parts[-1]
    kind, known = type(perturbation).__name__, perturbation.get_params()
    if parameter not in known:
        raise ValueError(
            f"The {name!r} parameter of two_factor_grid names {parameter!r}; "
            f"{kind} has no such parameter, only {', '.join(sorted(known))}."
        )
    if isinstance(levels, (str, bytes, numbers.Number)):
        raise wrong
    levels = [getattr(level, "item", lambda v=level: v)() for level in levels]
    shown = [_shown(level) for level in levels]
    if not levels or 0 in levels or len(set(shown)) < len(shown):
        raise ValueError(
            f"The levels of {kind} in two_factor_grid must be different and not 0: the "
            f"grid without the factor is crossed in anyway. Got {levels!r}."
        )
    for level in levels:
        _with_level(perturbation, parameter, level)._check_parameters()
    return perturbation, parameter, levels


def _with_level(perturbation, parameter, level):
    return clone(perturbation).set_params(**{parameter: level})


def _shown(level):
    return f"{level:g}" if isinstance(level, numbers.Real) else str(level)


def _labels(a, b):
    """Return a name for each of two factors, with the parameter where it must be."""
    names = [str(getattr(p, "name", None) or type(p).__name__) for p, _, _ in (a, b)]
    if names[0] == names[1]:
        names = [f"{n}[{f[1]}]" for n, f in zip(names, (a, b), strict=True)]
    if names[0] == names[1]:
        names = [f"{names[0]}(A)", f"{names[1]}(B)"]
    return names


def cross(a, b):
    """Yield name, effect, steps and whether it is the second order, for each cell.

    Parameters
    ----------
    a, b : tuple
        Perturbation, parameter and levels.

    Yields
    ------
    name : str
        Labels and levels in the order of application; level 0 is no step.
    effect : tuple
        What acts in which order; equal ones are repeats.
    steps : list of perturbations
        One or two.
    is_second : bool
        Whether B comes before A.
    """
    factors = dict(zip(_labels(a, b), (a, b), strict=True))
    orders = list(factors), list(reversed(factors))
    for is_second, (first, second) in enumerate(orders):
        for x in [0, *factors[first][2]]:
            for y in [0, *factors[second][2]]:
                # 0 is no level, so that it stands for no step.
                effect = tuple((n, v) for n, v in ((first, x), (second, y)) if v != 0)
                if not effect:
                    continue
                steps = [_with_level(*factors[n][:2], v) for n, v in effect]
                name = f"{first}{_shown(x)}{second}{_shown(y)}"
                yield name, effect, steps, bool(is_second)
