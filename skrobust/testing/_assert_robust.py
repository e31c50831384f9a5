"""Assertion that a classifier is robust, for test suites."""

import numpy as np

from skrobust._array_checks import check_same_length, check_targets
from skrobust._guarded_rows import perturb_guarded
from skrobust._responses import predict_labels, predict_probabilities, refuse_regressor
from skrobust._validation import check_choice, check_number, invalid
from skrobust.base.attack_by_name import read_attack
from skrobust.metrics import probability_shift, proportion_interval
from skrobust.metrics.comparison.exact_shares import PairedShares
from skrobust.metrics.labels import label_pair
from skrobust.metrics.scorers import attack_objective

_CALLER = "assert_robust"
_DECISIONS = ("estimate", "unless_refuted", "only_if_shown")
_N_ROWS = 10


def assert_robust(
    estimator,
    X,
    y,
    *,
    perturbation=None,
    attack=None,
    conditions=None,
    min_accuracy=None,
    max_drop=None,
    min_robust_ratio=None,
    tolerance=0.05,
    decide="estimate",
    confidence=0.95,
    eps=None,
):
    """Assert that a fitted classifier is robust.

    Every threshold applies to each condition; the message is about the worst.

    Parameters
    ----------
    estimator : fitted classifier
        The model; used as it is.
    X : array-like or data frame of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed.
    y : array-like of shape (n_samples,)
        True labels.
    perturbation, attack : object with ``perturb(estimator, X, y)``, default=None
        One change of the input. Seed it with an int, so that the test is repeatable.
        The attack "auto" is the strongest that suits the model, with seed 0.
    conditions : list of such objects, default=None
        Several. Exactly one of the three is given.
    min_accuracy : float in [0, 1], default=None
        Threshold of the accuracy under the change.
    max_drop : float in [0, 1], default=None
        Largest drop below the accuracy on X itself, row by row.
    min_robust_ratio : float in [0, 1], default=None
        Threshold of the robust ratio: the proportion of rows whose probability of the
        predicted class moves by at most ``tolerance``. Attacks then run in full.
    tolerance : float in [0, 1], default=0.05
        Tolerance of the robust ratio.
    decide : {"estimate", "unless_refuted", "only_if_shown"}, default="estimate"
        "estimate": the estimate must reach the threshold. "unless_refuted": fails only
        where the interval lies wholly on the wrong side of the threshold; the level is
        shared among the conditions (Bonferroni). "only_if_shown": the lower limit of
        the interval (of a drop, the upper one) must reach the threshold under each
        condition.
    confidence : float in (0, 1), default=0.95
        Level of the two-sided intervals: Wilson for proportions, unconditional exact
        limits for the drop.
    eps : float or str, default=None
        Radius of ``attack="auto"``, which needs it: in the units of X, or in those of
        its spread, such as "0.1 std". Other attacks have their own.

    Raises
    ------
    AssertionError
        With the estimate, its interval, the worst condition, the rows that failed, and
        how to reproduce it. In pytest no line of skrobust is shown.
    ValueError
        For bad parameters.

    Notes
    -----
    The intervals treat the rows as a sample, for the change as given. Stronger attacks
    may exist: a model that passes is not proven to be robust.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.perturbations import FeatureNoise
    >>> from skrobust.testing import assert_robust
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=500).fit(X[::2], y[::2])
    >>> noise = FeatureNoise(severity=1, random_state=0).fit(X[::2])
    >>> assert_robust(model, X[1::2], y[1::2], perturbation=noise, max_drop=0.05)
    """
    __tracebackhide__ = True
    if attack is not None:
        seed = {"random_state": 0} if isinstance(attack, str) else {}
        attack = read_attack(attack, "attack", _CALLER, X=X, eps=eps, **seed)
    elif eps is not None:
        raise ValueError(f"{_CALLER} takes eps with attack='auto' alone.")
    changes = _changes(perturbation=perturbation, attack=attack, conditions=conditions)
    thresholds = _thresholds(
        min_accuracy=min_accuracy, max_drop=max_drop, min_robust_ratio=min_robust_ratio
    )
    tolerance = check_number(tolerance, "tolerance", _CALLER, low=0, high=1)
    check_choice(decide, "decide", _CALLER, _DECISIONS)
    if not isinstance(confidence, float) or not 0 < confidence < 1:
        raise invalid("confidence", _CALLER, "a float in (0, 1)", confidence)
    refuse_regressor(estimator, _CALLER, "It needs a classifier.")
    y = check_targets(y, _CALLER)
    check_same_length(_CALLER, X=X, y=y)
    level = confidence
    if decide == "unless_refuted":
        level = 1 - (1 - confidence) / len(changes)
    found = []
    for change in changes:
        found += _measure(estimator, X, y, change, thresholds, tolerance, level)
    failed = [one for one in found if not _passes(one, decide)]
    if failed:
        raise AssertionError(_message(failed, found, len(y), decide, level, estimator))


def _changes(**given):
    given = {name: value for name, value in given.items() if value is not None}
    if len(given) != 1:
        raise ValueError(
            f"{_CALLER} needs exactly one of perturbation, attack and conditions. Got "
            f"{len(given)}."
        )
    ((name, value),) = given.items()
    changes = value if name == "conditions" else [value]
    fine = isinstance(changes, (list, tuple)) and len(changes) > 0
    if not fine or not all(callable(getattr(c, "perturb", None)) for c in changes):
        rule = "made of objects with perturb(estimator, X, y)"
        raise invalid(name, _CALLER, rule, value)
    return list(changes)


def _thresholds(**given):
    thresholds = {name: value for name, value in given.items() if value is not None}
    if not thresholds:
        raise ValueError(f"{_CALLER} needs a threshold: {', '.join(given)}.")
    return {
        name: check_number(value, name, _CALLER, low=0, high=1)
        for name, value in thresholds.items()
    }


def _correct(estimator, X, y):
    y, predicted = label_pair(y, predict_labels(estimator, X), _CALLER)
    return predicted == y


def _measure(estimator, X, y, change, thresholds, tolerance, level):
    """Return one dict per threshold: estimate, interval and the rows that failed."""
    found = []

    def add(threshold, name, value, interval, failed):
        one = {"threshold": threshold, "limit": thresholds[threshold], "name": name}
        one |= {"value": float(value), "interval": interval, "change": change}
        found.append({**one, "rows": np.flatnonzero(failed)})

    def proportion(values):
        return proportion_interval(int(values.sum()), len(y), confidence=level)

    if "min_accuracy" in thresholds or "max_drop" in thresholds:
        before = _correct(estimator, X, y)
        changed = perturb_guarded(
            attack_objective.for_accuracy(change), estimator, X, y
        )
        after = _correct(estimator, changed, y)
        failed = before & ~after
    if "min_accuracy" in thresholds:
        add("min_accuracy", "accuracy", after.mean(), proportion(after), failed)
    if "max_drop" in thresholds:
        interval = PairedShares(before, after).limits((1 - level) / 2)
        drop = before.mean() - after.mean()
        add("max_drop", "drop of accuracy", drop, interval, failed)
    if "min_robust_ratio" in thresholds:
        full, _ = attack_objective.at_full_strength(change)
        p = predict_probabilities(estimator, X, _CALLER)
        q = predict_probabilities(
            estimator, perturb_guarded(full, estimator, X, y), _CALLER
        )
        labels = attack_objective.column_labels(estimator, p.shape[1])
        steady = probability_shift(p, q, labels=labels) <= tolerance + 1e-6
        name = f"robust ratio at {tolerance:g}"
        add("min_robust_ratio", name, steady.mean(), proportion(steady), ~steady)
    return found


def _margin(one, value):
    """Return how far a value is on the right side of its threshold."""
    sign = -1 if one["threshold"] == "max_drop" else 1
    return sign * (value - one["limit"])


def _passes(one, decide):
    ends = [_margin(one, end) for end in one["interval"]]
    margin = {
        "estimate": _margin(one, one["value"]),
        "unless_refuted": max(ends),
        "only_if_shown": min(ends),
    }[decide]
    return margin >= -1e-12


def _message(failed, found, n, decide, level, estimator):
    worst = min(failed, key=lambda one: _margin(one, one["value"]))
    low, high = worst["interval"]
    word = "at most" if worst["threshold"] == "max_drop" else "at least"
    change = worst["change"]
    found_text = f"{worst['name']} is {worst['value']:.4f}"
    if decide != "estimate":
        is_low = (decide == "only_if_shown") == (word == "at least")
        side, end = ("lower", low) if is_low else ("upper", high)
        found_text = (
            f"{worst['name']} has the {side} limit {end:.4f} (estimate "
            f"{worst['value']:.4f})"
        )
    name = getattr(change, "name", None) or type(change).__name__
    rows = worst["rows"].tolist()
    shown = ", ".join(map(str, rows[:_N_ROWS]))
    more = f" and {len(rows) - _N_ROWS} more" if len(rows) > _N_ROWS else ""
    lines = [
        f"{type(estimator).__name__} is not robust enough: its {found_text}, and must "
        f"be {word} {worst['limit']:g}.",
        f"  interval:  {low:.4f} to {high:.4f} ({100 * level:.4g} %, {n} rows)",
        f"  decided:   {decide}",
        f"  condition: {name}, the worst of {len(failed)} that failed; "
        f"{len(found)} checked",
        f"  rows:      {shown or 'none'}{more}",
        f"  reproduce: {' '.join(repr(change).split())}.perturb(estimator, X, y)",
    ]
    if isinstance(getattr(change, "random_state", 0), type(None)):
        lines.append("  note:      random_state is None; an int makes this repeatable")
    return "\n".join(lines)
