"""Robustness score and mean corruption error of the outcomes of samples."""

from dataclasses import replace
from functools import partial

import numpy as np

from skrobust._array_checks import (
    check_fractions,
    check_same_length,
    check_scores,
    check_weights,
)
from skrobust._validation import check_choice, invalid
from skrobust.metrics.intervals.row_outcomes import RowOutcomes
from skrobust.metrics.labels import label_array
from skrobust.metrics.robust.corruption_checks import quotients
from skrobust.metrics.robust.sample_values import correctness, paired_with_clean

_ABOVE = (0.0, np.inf)


def robustness_outcomes(*data, kind="ratio", sample_weight=None, caller):
    """Return the outcomes of the robustness score, clean rows last."""
    check_choice(kind, "kind", caller, ("ratio", "drop"))
    correct, clean = paired_with_clean(data, caller, "robustness score")
    rows = correct.mean(axis=1)
    weight = check_weights(sample_weight, len(rows), caller)
    columns = np.column_stack([rows, clean])
    # A drop is best at 0, as an error is.
    function, bounds = (_drop, (-1.0, 1.0)) if kind == "drop" else (_ratio, _ABOVE)
    settle = partial(_ends, kind, caller)
    return RowOutcomes(columns, function, bounds, weight=weight, settle=settle)


def _ends(kind, caller, means):
    share = float(means[1])
    if kind == "ratio" and share == 0:
        raise invalid("clean", caller, "right for some samples", 0.0)
    return {
        "worst": np.array([0.0, share]),
        "best": np.array([1.0, share]),
        "unseen": (np.array([0.0, 1.0]), np.array([1.0, 0.0])),
        "logarithmic": kind == "ratio",
    }


def _ratio(means):
    base = means[:, 1]
    return means[:, 0] / np.where(base > 1e-12, base, np.nan)


def _drop(means):
    return means[:, 1] - means[:, 0]


def error_outcomes(
    *data,
    corruptions=None,
    reference_errors=None,
    relative=False,
    clean=None,
    reference_clean=None,
    sample_weight=None,
    caller,
):
    """Return the outcomes of the mean corruption error.

    Parameters
    ----------
    *data : ndarray of shape (n_samples, n_conditions)
        Correctness of the model and, where it is known, of the reference model.
    corruptions : array-like of shape (n_conditions,) or None, default=None
        The corruption of each condition; those of one name are its severities. None:
        each condition is a corruption.
    reference_errors : array-like of shape (n_conditions,) or None, default=None
        Error rates of the reference, taken as known.
    relative : bool, default=False
        Whether the clean errors are subtracted.
    clean : array-like of shape (n_samples,) or None, default=None
        Correctness on the clean rows, with ``relative=True`` only.
    reference_clean : array-like of shape (n_samples,), float or None, default=None
        That of the reference, or its error rate.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights.
    caller : str
        Name of the public function, for error messages.

    Returns
    -------
    RowOutcomes
        Columns: errors of the model and, if ``relative``, on clean rows; then those of
        the reference.
    """
    own, base = _checked(data, reference_errors, caller)
    n, k = own.shape
    weight = check_weights(sample_weight, n, caller)
    names = _names(corruptions, k, caller)
    drawn = base is not None and base.ndim == 2
    if relative:
        if clean is not None and np.ndim(clean) == 0:
            rule = "the correctness of each sample on the clean rows"
            raise invalid("clean", caller, rule, clean)
        own = np.column_stack([own, _clean_errors(clean, "clean", n, caller)])
        if base is not None:
            plain = _clean_errors(reference_clean, "reference_clean", n, caller)
            if np.ndim(plain) != base.ndim - 1:
                rule = "correctness of samples beside that of the reference, or an "
                rule += "error rate beside reference_errors"
                raise invalid("reference_clean", caller, rule, np.shape(plain))
            base = np.column_stack([base, plain]) if drawn else np.append(base, plain)
    found = error_means(own, base, names, relative=relative, weight=weight)
    if base is None:
        return found
    settle = partial(_reference_ends, found.settle, names, relative, caller)
    if not drawn:
        settle = partial(settle, known=base)
    return replace(found, settle=settle)


def _reference_ends(settle, names, relative, caller, means, known=None):
    """Return what a mean corruption error takes of the means, or raise."""
    base = means[len(means) // 2 :] if known is None else known
    total = _sums(base[None], names, relative)[0]
    labels = np.array(list(dict.fromkeys(names.tolist())))
    quotients(np.ones(len(total)), total, labels, caller)
    return settle(means)


def error_means(own, base, names, *, relative=False, weight=None):
    """Return the outcomes of errors that have been checked.

    Parameters
    ----------
    own : ndarray of shape (n_samples, n_conditions)
        Errors of the model; with ``relative`` those on clean rows in one more column.
    base : ndarray of that shape or of shape (n_conditions,), or None
        Those of the reference, drawn with the model's or known.
    names : ndarray of shape (n_conditions,)
        The corruption of each condition.
    relative : bool, default=False
        Whether the clean errors are subtracted.
    weight : ndarray of shape (n_samples,) or None, default=None
        Weights.
    """
    drawn = base is not None and base.ndim == 2
    columns = np.hstack([own, base]) if drawn else own
    known = None if drawn else base
    how = {"width": own.shape[1], "names": names, "relative": relative}
    value = partial(_error_value, **how, has_base=base is not None, known=known)
    settle = partial(_error_ends, len(names), drawn and relative)
    bounds = (-np.inf if relative else 0.0, np.inf if base is not None else 1.0)
    settings = {"logarithmic": base is not None and not relative, "settle": settle}
    return RowOutcomes(columns, value, bounds, weight=weight, **settings)


def _error_value(means, width, names, relative, has_base, known):
    rises = _sums(means[:, :width], names, relative)
    if not has_base:
        ones = np.ones((1, width)) - (np.arange(width) == len(names))
        return (rises / _sums(ones, names, relative)).mean(axis=1)
    base = means[:, width:] if known is None else known[None]
    total = _sums(base, names, relative)
    return (rises / np.where(total > 1e-12, total, np.nan)).mean(axis=1)


def _error_ends(k, has_clean_base, whole):
    ends, unseen = [], []
    for error in (1.0, 0.0):
        end, rare = whole.copy(), np.full(len(whole), 1 - error)
        end[:k] = rare[:k] = error  # with the other errors as they are, or opposite
        if has_clean_base:
            rare[-1] = error
        ends.append(end)
        unseen.append(rare)
    return {"worst": ends[0], "best": ends[1], "unseen": tuple(unseen)}


def _sums(errors, names, relative):
    """Return sums over the severities of each corruption, (n_rows, n_corruptions)."""
    if relative:
        errors = errors[:, :-1] - errors[:, -1:]
    on = [names == name for name in dict.fromkeys(names.tolist())]
    return np.stack([errors[:, one].sum(axis=1) for one in on], axis=1)


def _checked(data, reference_errors, caller):
    """Return errors of samples, and those of the reference, known errors, or None."""
    if len(data) not in (1, 2) or np.ndim(data[0]) != 2:
        raise ValueError(
            f"{caller} of the mean corruption error takes no scores of conditions, "
            "which are no sample: resampling them says nothing about new data. It "
            "needs the correctness of each sample under each condition, of shape "
            "(n_samples, n_conditions), and that of the reference after it."
        )
    wrong = [1.0 - correctness((one,), caller) for one in data]
    if len(data) == 2:
        if reference_errors is not None:
            rule = "None beside the correctness of the reference"
            raise invalid("reference_errors", caller, rule, reference_errors)
        if wrong[0].shape != wrong[1].shape:
            rule = f"of the shape {wrong[0].shape}, as that of the model"
            raise invalid("correctness", caller, rule, wrong[1].shape)
        return wrong
    if reference_errors is None:
        return wrong[0], None
    name = "reference_errors"
    base = check_scores(reference_errors, caller, name=name)
    base = check_fractions(base, caller, name=name)
    if len(base) != wrong[0].shape[1]:
        rule = f"one error for each of the {wrong[0].shape[1]} conditions"
        raise invalid(name, caller, rule, len(base))
    return wrong[0], base


def _names(corruptions, k, caller):
    if corruptions is None:
        return np.arange(k)
    names = label_array(corruptions, caller, "corruptions")
    if names.shape != (k,):
        rule = f"one name for each of the {k} conditions"
        raise invalid("corruptions", caller, rule, names.shape)
    return names


def _clean_errors(clean, name, n, caller):
    if clean is None:
        raise ValueError(f"{caller} needs {name} when relative=True.")
    if np.ndim(clean) == 0:
        return check_fractions(np.array([clean], float), caller, name=name)[0]
    wrong = 1.0 - correctness((clean,), caller)[:, 0]
    check_same_length(caller, **{"data": np.empty(n), name: wrong})
    return wrong
