"""Perturbations that cannot change the rows they get, found and named."""

import copy
import warnings

from sklearn.base import clone

from skrobust._containers import n_rows
from skrobust._stacklevel import level_outside
from skrobust.base.changed_rows import changed_rows, is_clean
from skrobust.base.sequence_steps import steps_of

_FIRST = 16  # rows that are compared before all of them are
_ROWS_TRIED = 256


def idle_reason(perturbation, X):
    """Return why a perturbation can never change rows like these, or None.

    Parameters
    ----------
    perturbation : object with ``perturb``
        The perturbation, fitted where it must be; what cannot tell is not asked.
    X : container of rows
        Rows that it did not change.

    Returns
    -------
    str or None
        For a sequence, that of its first step if none of them can change the rows.
    """
    steps = steps_of(perturbation)
    if steps is not None:
        reasons = [idle_reason(step, X) for step in steps if not is_clean(step)]
        return reasons[0] if reasons and None not in reasons else None
    ask = getattr(perturbation, "_idle_reason", None)
    try:
        return None if ask is None else ask(X)
    except Exception:
        # What only explains a result that is there must never cost the result.
        return None


def reason_by_trial(perturbation, X, strongest):
    """Return that rows stay at the strongest severity too, or None.

    Parameters
    ----------
    perturbation : BasePerturbation
        It is not changed.
    X : container of rows
        The rows. Few rows are tried more often, with other noise.
    strongest : float
        The severity tried, both with what ``fit`` has learned and with what it would
        learn from these rows at this severity.

    Returns
    -------
    str or None
        None also where a physical parameter is in place of the severity, and for a
        single row, which does not tell what the others are like.
    """
    levels = [declared.levels for declared in perturbation._strengths.values()]
    if n_rows(X) < 2 or not any(levels) or perturbation._severity() is None:
        return None
    for is_fitted_anew in (False, True):
        trial = clone(perturbation) if is_fitted_anew else copy.copy(perturbation)
        trial.severity = strongest
        if is_fitted_anew:
            trial.fit(X)
        if _ever_changes(trial, X):
            return None
    return f"they stay as they are at severity {strongest:g} too"


def _ever_changes(trial, X):
    for seed in range(max(1, _ROWS_TRIED // n_rows(X))):
        if hasattr(trial, "random_state"):
            trial.random_state = seed
        if changed_rows(X, trial._perturb_container(X, None)).any():
            return True
        if trial._noise == "fixed":
            break
    return False


def idle_sentence(perturbation, X, moved):
    """Return that no row changed and none like these ever will, or None.

    Parameters
    ----------
    perturbation : object with ``perturb``
        One of strength 0 may change nothing.
    X, moved : containers of rows
        Clean and perturbed rows.

    Returns
    -------
    str or None
        A sentence with the reason.
    """
    if not n_rows(X) or is_clean(perturbation) or _any_changed(X, moved):
        return None
    reason = idle_reason(perturbation, X)
    if reason is None:
        return None
    name = getattr(perturbation, "name", None) or type(perturbation).__name__
    return f"{name} does not apply to these rows, which stay unchanged: {reason}."


def warn_if_idle(perturbation, X, moved):
    """Return the perturbed rows; warn where :func:`idle_sentence` has one."""
    text = idle_sentence(perturbation, X, moved)
    if text is not None:
        # Scikit-learn wraps ``transform`` and calls it in pipelines.
        level = level_outside(("skrobust", "sklearn"))
        warnings.warn(text, UserWarning, stacklevel=level)
    return moved


def _any_changed(X, moved):
    """Return whether a row changed; most often the first ones say so."""
    for n in sorted({min(_FIRST, n_rows(X)), n_rows(X)}):
        if changed_rows(_first(X, n), _first(moved, n)).any():
            return True
    return False


def _first(X, n):
    return getattr(X, "iloc", X)[:n]
