"""Options of a report, checked before the first measurement."""

from collections.abc import Callable, Mapping

import numpy as np

from skrobust._array_checks import check_scores, refuse_missing
from skrobust._containers import is_text, one_per_row, shape_of
from skrobust._keyed_noise.generator import seed_number
from skrobust._parameters import Count, Flag, Instance, Norm, Radius
from skrobust._validation import invalid
from skrobust.base.attack_by_name import AUTO
from skrobust.metrics.labels import label_array
from skrobust.metrics.registry import get_metric, metric_names
from skrobust.perturbations.presets import get_preset_names
from skrobust.report.core.needs import check_needs
from skrobust.report.core.preset_conditions import GIVEN
from skrobust.report.core.public_classes import get_attack_classes

_RULES = {
    "n_labels": Count(),
    "n_samples": Count(optional=True),
    "norm": Norm(np.inf, 2, 1),
    "checks": Flag(),
    "title": Instance(str, "None or text", optional=True),
    "dataset": Instance(str, "None or text", optional=True),
    "call": Instance(str, "None or text", optional=True),
    "skipped": Instance(Mapping, "None or a dict of names to reasons", optional=True),
    "progress": Instance(Callable, "None or a function of one text", optional=True),
}
_SIZE = Radius(low=0, low_open=True, optional=True)
_MOST_GROUPS = 50
_RESERVED = ("name", "kind", "clean", "normalized", "asi", "ratio", "estimate")


def check_options(options, n_rows, caller):
    """Check the options of a report.

    Parameters
    ----------
    options : dict
        Every keyword argument of :func:`~skrobust.report.collect_report`.
    n_rows : int
        Rows scored.
    caller : str
        Name of the function or command that the user called.

    Returns
    -------
    dict
        The options, with ``attacks`` (names to classes or objects), ``radii`` (an array
        or None), ``conditions``, ``groups`` (names to arrays) and ``metrics`` (names)
        in one form.

    Raises
    ------
    ValueError
        For a value that no section can use.
    """
    for name, rule in _RULES.items():
        rule(options[name], name, caller)
    seed_number(options["random_state"], caller)
    _check_eps(options["eps"], caller)
    radii, groups, times = (options[name] for name in ("radii", "groups", "times"))
    if radii is not None:
        radii = check_scores(radii, caller, name="radii", min_size=1)
        if radii[0] <= 0 or (np.diff(radii) <= 0).any():
            raise invalid("radii", caller, "rising positive radii", radii.tolist())
    if groups is not None and not isinstance(groups, dict):
        groups = {"group": groups}
    if times is not None:  # read as given: an ordered Categorical has its own order
        refuse_missing(_check_per_row("times", times, n_rows, caller), caller, "times")
    metrics = _check_metrics(options["metrics"], caller)
    thresholds = check_needs(options["thresholds"], metrics, caller)
    return options | {
        "attacks": _check_attacks(options["attacks"], (*_RESERVED, *metrics), caller),
        "radii": radii,
        "conditions": _check_conditions(options["conditions"], caller),
        "groups": {
            str(name): _check_groups(f"groups[{name!r}]", values, n_rows, caller)
            for name, values in (groups or {}).items()
        },
        "metrics": metrics,
        "thresholds": thresholds,
    }


def label_metric_names():
    """Return the registered metrics that take true and predicted labels only."""
    names = metric_names(needs=frozenset({"labels"}))
    return [name for name in names if name != "robust_accuracy"]  # of the attacks


def _check_metrics(metrics, caller):
    known = label_metric_names()
    rule = f"None or a list of names among {', '.join(known)}"
    if metrics is None:
        return []
    if not isinstance(metrics, (list, tuple)):
        raise invalid("metrics", caller, rule, metrics)
    found = [get_metric(metric, caller).name for metric in metrics]
    if not set(found) <= set(known):
        raise invalid("metrics", caller, rule, metrics)
    return list(dict.fromkeys(found))


def _check_attacks(attacks, reserved, caller):
    rule = "None, 'auto', a list of names of attacks, or a dict of names to attacks"
    if isinstance(attacks, str) and attacks == AUTO:
        attacks = None
    if attacks is None:
        attacks = [AUTO]
    if isinstance(attacks, dict) and attacks:
        for name, attack in attacks.items():
            is_free = isinstance(name, str) and name not in reserved
            if not is_free or not callable(getattr(attack, "perturb", None)):
                raise invalid("attacks", caller, rule, attacks)
        return dict(attacks)
    if not isinstance(attacks, (list, tuple)) or not attacks:
        raise invalid("attacks", caller, rule, attacks)
    classes = get_attack_classes()
    for name in attacks:
        if not isinstance(name, str) or name not in classes:
            rule = "names of attacks of skrobust.attacks that take eps"
            raise invalid("attacks", caller, rule, name)
    return {name: classes[name] for name in attacks}


def _check_conditions(conditions, caller):
    presets = get_preset_names()
    is_name = isinstance(conditions, str) and conditions in presets
    if conditions is None or is_name:
        return conditions
    is_list = isinstance(conditions, (list, tuple)) and len(conditions) > 0
    if not is_list or not all(hasattr(c, "perturb") for c in conditions):
        rule = f"None, a list of conditions, or one of {', '.join(presets)}"
        raise invalid("conditions", caller, rule, conditions)
    return list(conditions)


def _check_per_row(name, values, n_rows, caller):
    values = one_per_row(values)
    if values.ndim != 1 or len(values) != n_rows:
        rule = f"1-D with one entry for each of the {n_rows} rows"
        raise invalid(name, caller, rule, f"shape {values.shape}")
    return values


def _check_groups(name, values, n_rows, caller):
    values = label_array(values, caller, name)
    _check_per_row(name, values, n_rows, caller)
    n_groups = len(set(values.tolist()))
    if not 2 <= n_groups <= _MOST_GROUPS:
        rule = f"2 to {_MOST_GROUPS} different groups"
        raise invalid(name, caller, rule, f"{n_groups} of them")
    return values


def _check_eps(eps, caller):
    several = isinstance(eps, (list, tuple, np.ndarray))
    if several and not len(eps):
        raise invalid("eps", caller, "a number or a non-empty list of numbers", eps)
    for one in eps if several else [eps]:
        _SIZE(one, "eps", caller)


def name_of_conditions(conditions, X, image_shape):
    """Return the preset that fits the rows, or "given" for a list of conditions."""
    if isinstance(conditions, list):
        return GIVEN
    if conditions is not None:
        return conditions
    if is_text(X):
        return "text"
    is_flat = len(shape_of(X)) == 2
    return "tabular" if is_flat and image_shape is None else "asi68"
