"""Runs of an attack over batches of rows."""

from functools import partial

import numpy as np

from skrobust._responses import predict_labels, predict_probabilities
from skrobust.evaluation.acted import part_of
from skrobust.evaluation.attack_run import attack_table, correct_labels
from skrobust.evaluation.joined_batches import joined
from skrobust.evaluation.proved_rows import NOTHING, proof_of_rows


def full_run(estimator, attack, X, y):
    """Return the probabilities of the examples of an attack, and which are right."""
    moved = attack.perturb(estimator, X, y)
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
    table : ndarray of shape (n_facts, n_samples)
        As :func:`attack_table` returns it.
    full : list of (attack, str, dict)
        With ``probabilities`` and ``correct`` of each run.
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
    clean, table, *parts = runs.run(things, tasks_of, prefix, after=after)
    proof = None if after is None else _joined_proof(parts.pop())
    p = joined(clean, "probabilities") if has_probabilities else None
    names = "probabilities", "correct"
    made = [{name: joined(own, name) for name in names} for own in parts]
    full = [(*one, part) for one, part in zip(full, made, strict=True)]
    return joined(clean, "correct"), p, np.concatenate(table, axis=1), full, proof


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
    found : dict of str to ndarray of shape (n_facts, n_samples)
        Under each attack.
    """

    def tasks_of(X, y, _):
        tasks = [(predict_labels, estimator, X)]
        return tasks + [(answers, estimator, one, X, y) for one in attacks.values()]

    clean, *parts = runs.run(["clean rows", *attacks.values()], tasks_of, prefix)
    made = [np.concatenate(part).T for part in parts]
    return np.concatenate(clean), dict(zip(attacks, made, strict=True))
