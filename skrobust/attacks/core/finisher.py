"""Finish of gradient attacks: a search by queries on the rows that still stand."""

import numpy as np

from skrobust._keyed_noise.generator import seed_number
from skrobust._norms import per_sample
from skrobust._responses import undisturbed
from skrobust.attacks._hop_skip_jump import HopSkipJump
from skrobust.attacks._square import Square
from skrobust.attacks.core.goal import Goal
from skrobust.attacks.core.queries import Queries
from skrobust.attacks.core.targets import target_labels

AUTO_QUERIES = 100  # of each row, where finish="auto" finishes


def finish_rows(attack, estimator, X, y, out, why):
    """Search for the rows that a gradient attack left, and say what was done.

    Square asks for scores, and HopSkipJump for labels where the model has none.

    Parameters
    ----------
    attack : GradientAttack
        Its ball, ``target``, ``constraints``, ``finish`` and seed.
    estimator : ModelInContainer
        The model.
    X : ndarray of shape (n_samples, ...)
        Clean rows.
    y : ndarray of shape (n_samples,) or None
        True labels; None stands for the model's own predictions.
    out : ndarray of shape (n_samples, ...)
        What the gradients found.
    why : str
        What they followed in the place of slopes of the model; "" for nothing.

    Returns
    -------
    out : ndarray of shape (n_samples, ...)
        With the rows that the search fooled.
    details : dict
        ``queries`` and ``found_by`` of each sample, and the sentence ``finish``.
    """
    caller = type(attack).__name__
    goal = Goal("misclassification", attack.target is not None)
    with undisturbed(estimator.model):
        try:
            clean, found = estimator.labels(X), estimator.labels(out)
        except ValueError as error:  # a net takes rows of its own precision alone
            if attack.finish != "auto":
                raise
            return out, {"finish": f"{caller} followed {why}, and no search: {error}"}
        aim = target_labels(attack.target, len(X), caller)
        wanted = aim if goal.targeted else clean if y is None else y
        known = np.isin(wanted, getattr(estimator.model, "classes_", wanted))
        known &= ~goal.is_reached(clean, wanted)
        found_by = np.full(len(X), "", dtype="U40")
        found_by[~known] = "clean"
        found_by[known & goal.is_reached(found, wanted)] = caller.lower()
        rows = np.flatnonzero(known & ~goal.is_reached(found, wanted))
        queries, n_fooled = np.ones(len(X), dtype=np.int64), 0
        search = _search(attack, estimator)
        kind = type(search).__name__
        if len(rows):
            if goal.targeted:
                search.target = wanted[rows]
            given = estimator.container(X[rows])
            labels = None if goal.targeted else wanted[rows]
            result = search.run(estimator.model, given, labels)
            moved = np.asarray(result.X_adv).reshape(X[rows].shape).astype(X.dtype)
            won = result.success
            out = out.copy()
            out[rows] = np.where(per_sample(won, moved), moved, out[rows])
            found_by[rows[won]] = kind.lower()
            queries[rows] += result.queries
            n_fooled = int(won.sum())
    reason = f"{caller} followed {why}. " if why else ""
    sentence = (
        f"{reason}{kind}, with at most {search.max_queries} queries a row, went on "
        f"with {len(rows)} rows that stood and fooled {n_fooled} of them."
    )
    return out, {"queries": queries, "found_by": found_by, "finish": sentence}


def _search(attack, estimator):
    n_queries = AUTO_QUERIES if attack.finish == "auto" else int(attack.finish)
    shared = {
        "norm": attack.norm,
        "data_range": attack.data_range,
        "constraints": attack.constraints,
        "max_queries": n_queries,
        "random_state": seed_number(attack.random_state, "finish") % 2**32,
    }
    if Queries(estimator, type(attack).__name__).method == "predict":
        return HopSkipJump(attack.eps, **shared)
    return Square(attack.eps, **shared)
