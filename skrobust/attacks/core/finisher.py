"""Finish of gradient attacks: a search by queries goes on from what they found."""

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


def finish_attack(attack, goal, estimator, X, y, out, why):
    """Go on by queries with what a gradient attack found, where its goal can.

    Parameters
    ----------
    attack : GradientAttack
        Its ball, ``target``, ``constraints``, ``finish`` and seed.
    goal : Goal
        Its goal: misclassification, or the shift of a probability.
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
        With what the search found.
    details : dict
        ``queries`` and ``found_by`` of each sample, and the sentence ``finish``; empty
        where nothing was asked.
    """
    if goal.stops:
        return finish_rows(attack, estimator, X, y, out, why)
    if goal.objective == "probability_shift":
        return finish_shift(attack, estimator, X, y, out, why)
    return out, {}


def finish_rows(attack, estimator, X, y, out, why):
    """Search for the rows that still stand; see ``finish_attack``.

    Square asks for scores, and HopSkipJump for labels where the model has none.
    """
    caller = type(attack).__name__
    goal = Goal("misclassification", attack.target is not None)
    with undisturbed(estimator.model):
        try:
            clean, found = estimator.labels(X), estimator.labels(out)
        except ValueError as error:  # a net takes rows of its own precision alone
            if attack.finish != "auto":
                raise
            return out, {"finish": _refused(caller, why, error)}
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
    what = f"with {len(rows)} rows that stood and fooled {n_fooled} of them."
    sentence = _said(caller, why, search, what)
    return out, {"queries": queries, "found_by": found_by, "finish": sentence}


def finish_shift(attack, estimator, X, y, out, why):
    """Move probabilities further than the gradients did; see ``finish_attack``.

    Square begins with what was found, so that nothing is lost.
    """
    caller = type(attack).__name__
    search = _search(attack, estimator)
    if not isinstance(search, Square):
        return out, {}
    search.objective, search.target = "probability_shift", attack.target
    out = attack._domain(X).put_back(out, X)
    given, start = estimator.container(X.copy()), estimator.container(out)
    try:
        result = search.run(estimator.model, given, y, start=start)
    except ValueError as error:
        if attack.finish != "auto":
            raise
        return out, {"finish": _refused(caller, why, error)}
    moved = np.asarray(result.X_adv).reshape(X.shape).astype(X.dtype)
    own = (moved != out).reshape(len(X), -1).any(axis=1)
    found_by = np.where(own, "square", caller.lower()).astype("U40")
    what = f"with all {len(X)} rows and kept its own for {int(own.sum())} of them."
    sentence = _said(caller, why, search, what)
    found = {"queries": result.queries, "found_by": found_by, "finish": sentence}
    return moved, found


def _said(caller, why, search, what):
    reason = f"{caller} followed {why}. " if why else ""
    budget = f"with at most {search.max_queries} queries a row"
    return f"{reason}{type(search).__name__}, {budget}, went on {what}"


def _refused(caller, why, error):
    return f"{caller} followed {why}, and no search: {error}"


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
