"""Rows that are proved to keep their true label within a ball."""

import warnings

import numpy as np

from skrobust._parallel import alone
from skrobust._stacklevel import level_outside
from skrobust.base import Constraints
from skrobust.evaluation.attacked.certificates import certify_labels
from skrobust.evaluation.core.argument_checks import float_rows, model_classes
from skrobust.evaluation.core.failures import reason_of

NOTHING = "trivial"  # how the name of a proof of nothing begins


def proved_rows(estimator, X, y, values, stands, clean, ball, caller):
    """Return which rows are proved to keep their label, where it comes from, if exact.

    Parameters
    ----------
    estimator, X, y : object
        Model, rows and labels.
    values : ndarray of shape (n_samples, ...)
        The rows as an array of floats.
    stands : ndarray of shape (n_samples,), dtype bool
        Rows that are right, and that no attack fooled; others are not proved.
    clean : ndarray of shape (n_samples,), dtype bool
        Rows that are right as they are.
    ball : dict
        ``eps``, ``norm``, ``data_range`` and, if any, ``scale``.
    caller : str
        Name of the public function.

    Returns
    -------
    proved : ndarray of shape (n_samples,), dtype bool
        Whether each row keeps its label.
    name : str
        Of the proof.
    is_exact : bool
        Whether the other rows are known to lose it.
    """
    classes = model_classes(estimator, X, y, caller)
    own = np.full(len(y), -1)
    for index, label in enumerate(classes):
        own[y == label] = index
    parts = estimator, X, values.astype(np.float64), y, own, len(classes)
    proved, name, is_exact = certify_labels(*parts, caller=caller, **ball)
    beyond = int((proved & clean & ~stands).sum())
    if beyond:
        text = (
            f"{caller} found examples for {beyond} samples that the certificate "
            f"({name}) calls robust; they count as fooled. Does predict give the same "
            "answer twice?"
        )
        warnings.warn(text, UserWarning, stacklevel=level_outside())
    return proved & stands, name, is_exact


def bracket(estimator, X, y, attack, stands, clean, samples, caller, *, catches=False):
    """Return the bounds of robust accuracy as results, or why there is no lower one.

    Parameters
    ----------
    estimator, X, y, stands, clean, caller : object
        As for :func:`proved_rows`.
    attack : BaseAttack
        Whose ball it is; with a number as its radius.
    samples : SampleGroups
        Makes the intervals.
    catches : bool, default=False
        Whether an error is the reason why there is none.

    Returns
    -------
    dict
        ``robust_accuracy_upper``, and ``robust_accuracy_lower``, its interval,
        ``certificate`` and ``is_exact``, or the reason ``not_certified``.
    """
    parts = estimator, X, y, attack, stands, clean, caller
    try:
        reason, *parts = alone(proof_of_rows, *parts)
    except Exception as error:
        if not catches:
            raise
        nothing = np.zeros(len(y), dtype=bool), "", False
        return bracket_of(f"it failed: {reason_of(error)}", *nothing, stands, samples)
    return bracket_of(reason, *parts, stands, samples)


def bracket_of(reason, proved, name, is_exact, stands, samples):
    """Return the bounds of robust accuracy from what was proved, as :func:`bracket`."""
    found = {"robust_accuracy_upper": float(stands.mean())}
    if not reason and name.startswith(NOTHING) and not proved.any():
        reason = name
    if reason:
        return found | {"not_certified": reason}
    return found | {
        "robust_accuracy_lower": float(proved.mean()),
        "robust_accuracy_lower_interval": samples.interval(proved),
        "certificate": name,
        "is_exact": bool(is_exact or (proved == stands).all()),
    }


def proof_of_rows(estimator, X, y, attack, stands, clean, caller):
    """Return why nothing is proved or "", which rows are, the proof, and if exact.

    The parameters are those of :func:`bracket`.
    """
    none = np.zeros(len(y), dtype=bool), "", False
    rules = attack.constraints
    scale = None if rules is None else rules.scale
    others = [] if rules is None else rules.get_params(deep=False).items()
    if attack.target is not None:
        return "the attack has a target", *none
    if any(value is not None for name, value in others if name != "scale"):
        return "the attack has constraints", *none
    try:
        values = float_rows(X, caller)
    except (TypeError, ValueError):
        return "the rows are not all finite numbers", *none
    if scale is not None:
        names = range(values.shape[1])
        names = getattr(X, "columns", names)
        scale = np.asarray(Constraints(scale=scale).by_position(names).scale)
    ball = {name: getattr(attack, name) for name in ("eps", "norm", "data_range")}
    ball["scale"] = scale
    parts = estimator, X, y, values, stands, clean, ball, caller
    return "", *proved_rows(*parts)
