"""Runs of an attack over batches of rows."""

from functools import partial

import numpy as np

from skrobust._guarded_rows import perturb_guarded
from skrobust._responses import predict_labels, predict_probabilities
from skrobust.evaluation.attacked.attack_run import attack_table, correct_labels
from skrobust.evaluation.attacked.proved_rows import NOTHING, proof_of_rows
from skrobust.evaluation.core.acted import part_of
from skrobust.evaluation.core.failures import check_any_left, reason_of
from skrobust.evaluation.core.joined_batches import joined


def full_run(estimator, attack, X, y):
    """Return the probabilities of the examples of an attack, and which are right."""
    moved = perturb_guarded(attack, estimator, X, y)
    q = predict_probabilities(estimator, moved, "evaluate_attack")
    kinds = [("probabilities", q.dtype, q.shape[1:]), ("correct", bool)]
    part = np.empty(len(q), dtype=kinds)
    part["probabilities"], part["correct"] = q, correct_labels(estimator, moved, y)
    return part


def clean_rows(estimator, X, y, has_probabilities):
    """Return which clean rows are right and, where there are any, probabilities."""
    found = {"correct": correct_labels(estimator, X, y)}
    if has_probabilities:
        p = predict_probabilities(estimator, X, "evaluate_attack")
        found["probabilities"] = p
    return part_of(X, X, **found)


def runs_over_batches(
    estimator, runs, quick, full, has_probabilities, prefix, certified=None
):
    """Return what was measured on all batches.

    Parameters
    ----------
    estimator : fitted classifier
        The model.
    runs : BatchedRuns
        The rows.
    quick : object with ``perturb``
        The attack for robust accuracy.
    full : list of (attack, str)
        Runs in full, and their modes.
    has_probabilities : bool
        Whether the model gives probabilities.
    prefix : str
        Of the keys of parts.
    certified : BaseAttack, default=None
        The attack within whose ball rows are to be proved.

    Returns
    -------
    clean : ndarray of bool of shape (n_samples,)
        Clean rows that are right.
    p : ndarray of shape (n_samples, n_classes) or None
        Their probabilities.
    table : ndarray of shape (n_facts, n_samples) or Exception
        As :func:`attack_table` returns it, or the error of this run.
    full : list of (attack, str, dict or Exception)
        With ``probabilities`` and ``correct`` of each run, or its error.
    proof : tuple or None
        As :func:`proof_of_rows` returns it.
    """
    things = [("clean rows", has_probabilities), ("right, changed", quick)]
    things += [("right, probabilities", run) for run, _ in full]

    def tasks_of(X, y, _):
        tasks = [(clean_rows, estimator, X, y, has_probabilities)]
        tasks.append((attack_table, estimator, quick, X, y))
        return tasks + [(full_run, estimator, run, X, y) for run, _ in full]

    after = None
    if certified is not None:
        after = ("proof", certified), partial(_proof, estimator, certified)
    found = runs.run(things, tasks_of, prefix, after=after, n_needed=1)
    errors, (clean, table, *parts) = dict(runs.errors), found
    without = errors.pop(len(things), None)
    check_any_left(errors, len(things) - 1, "evaluate_attack")
    proof, nothing = None, (np.zeros(len(runs.y), dtype=bool), "", False)
    if after is not None:
        proved = parts.pop()
        if errors:
            proof = "a run of the attack failed", *nothing
        elif without is not None:
            proof = f"it failed: {reason_of(without)}", *nothing
        else:
            proof = _joined_proof(proved)
    p = joined(clean, "probabilities") if has_probabilities else None
    names = "probabilities", "correct"
    made = [
        errors.get(i) or {name: joined(own, name) for name in names}
        for i, own in enumerate(parts, 2)
    ]
    full = [(*one, part) for one, part in zip(full, made, strict=True)]
    table = errors.get(1) or np.concatenate(table, axis=1)
    return joined(clean, "correct"), p, table, full, proof


def _proof(estimator, attack, X, y, parts):
    """Return what is proved of a batch, as a record."""
    clean, table, *full = parts
    stands, clean = table[0].astype(bool), clean["correct"]
    for part in full:
        stands &= ~(clean & ~part["correct"])
    parts = estimator, X, y, attack, stands, clean, "evaluate_attack"
    reason, proved, name, is_exact = proof_of_rows(*parts)
    kinds = [("reason", "U80"), ("proved", bool, proved.shape), ("name", "U160")]
    record = np.zeros((), dtype=[*kinds, ("exact", bool)])
    record["reason"], record["proved"] = reason, proved
    record["name"], record["exact"] = name, is_exact
    return record


def _joined_proof(parts):
    """Return the proofs of all batches as one; it is exact where all are."""
    reasons = [str(part["reason"]) for part in parts if str(part["reason"])]
    names = list(dict.fromkeys(str(part["name"]) for part in parts))
    told = [name for name in names if not name.startswith(NOTHING)] or names
    exact = all(bool(part["exact"]) for part in parts)
    reason = reasons[0] if reasons else ""
    return reason, joined(parts, "proved"), " or ".join(told), exact


def predictions_over_batches(estimator, runs, attacks, answers, prefix):
    """Return predictions of a regressor for clean rows, and under each attack.

    Parameters
    ----------
    estimator : fitted regressor
        The model.
    runs : BatchedRuns
        The rows.
    attacks : dict of str to object with ``perturb``
        The attacks.
    answers : callable
        Takes the model, an attack, rows and targets; returns an array of shape
        (n_samples, n_facts).
    prefix : str
        Of the keys of parts.

    Returns
    -------
    clean : ndarray of shape (n_samples,)
        Predictions for clean rows.
    found : dict of str to ndarray of shape (n_facts, n_samples) or Exception
        Under each attack, or its error.
    """

    def tasks_of(X, y, _):
        tasks = [(predict_labels, estimator, X)]
        return tasks + [(answers, estimator, one, X, y) for one in attacks.values()]

    things = ["clean rows", *attacks.values()]
    clean, *parts = runs.run(things, tasks_of, prefix, n_needed=1)
    check_any_left(runs.errors, len(attacks), "evaluate_attack")
    made = [
        runs.errors.get(i) or np.concatenate(part).T for i, part in enumerate(parts, 1)
    ]
    return np.concatenate(clean), dict(zip(attacks, made, strict=True))
