"""Attacks on blocks of rows: each block is a task, and a part of a checkpoint."""

import numpy as np

from skrobust._keyed_noise.splitmix import row_keys
from skrobust._parallel import ScaledBar
from skrobust.base import BaseAttack
from skrobust.evaluation.core.alike_warnings import AlikeWarnings
from skrobust.evaluation.core.failures import check_any_left

# Many batches, so that a task pays for its start; the results of an attack do not
# depend on it, nor on the number of workers.
_BLOCK = 1024


def row_blocks(attack, X):
    """Return the rows of each block: slices, arrays of positions, or all at once.

    A block is a whole number of batches, so that a net sees what it would have seen.
    Equal rows, which draw by their rank among each other, stay together. Only attacks
    that treat rows one by one are divided: with plain numbers, a radius that does not
    depend on the other rows, and no constraints.

    Parameters
    ----------
    attack : object with ``perturb``
        The attack.
    X : container of rows
        The rows.

    Returns
    -------
    list of slice or ndarray of int
        They cover each row once.
    """
    batch = getattr(attack, "batch_size", None) or 1
    size = batch * -(-_BLOCK // batch)
    plain = type(X) is np.ndarray and X.ndim > 1 and X.dtype.kind in "biuf"
    if not isinstance(attack, BaseAttack) or not plain or len(X) <= size:
        return [slice(None)]
    eps = getattr(attack, "eps", None)
    constraints = getattr(attack, "constraints", None)
    targets = np.ndim(getattr(attack, "target", None))
    if isinstance(eps, str) or constraints is not None or targets:
        return [slice(None)]
    if X.dtype.kind == "f" and not np.isfinite(X.sum()):
        return [slice(None)]  # missing values are a matter of columns
    _, first, group = np.unique(row_keys(X), return_index=True, return_inverse=True)
    if len(first) == len(X):
        return [slice(i, i + size) for i in range(0, len(X), size)]
    order = np.argsort(first[group], kind="stable")
    starts = np.flatnonzero(np.diff(first[group][order], prepend=-1))
    cuts, last = [], 0
    for start in starts:
        if start - last >= size:
            cuts.append(start)
            last = start
    # Without a cut the rows stay where they are: one block is not put back in order.
    return np.split(order, cuts) if cuts else [slice(None)]


def run_in_blocks(store, prefix, runs, estimator, X, y, *, n_jobs, bar, **errors):
    """Return what each run of an attack found, from its blocks of rows.

    Parameters
    ----------
    store : Checkpoint
        Keeps finished blocks.
    prefix : str
        Prefix of their keys.
    runs : list of (str, callable, attack)
        What is found; a function of ``(estimator, attack, X, y)`` that returns an array
        of one entry per row; and the attack.
    estimator, X, y : model, rows, labels
        What is attacked.
    n_jobs : int or None
        As everywhere in scikit-learn.
    bar : StepBar
        Moves by one for each run.
    **errors : object
        Which errors are results, as
        :func:`~skrobust.evaluation.core.failures.caught` says.

    Returns
    -------
    list of ndarray of shape (n_samples, ...) or Exception
        One per run; the error of one that failed.
    """
    blocks = [row_blocks(attack, X) for _, _, attack in runs]
    tasks, weights = [], []
    for (name, function, attack), rows in zip(runs, blocks, strict=True):
        for part in rows:
            which = () if len(rows) == 1 else (part,)
            key = store.key(prefix, name, attack, *which)
            tasks.append((key, _attack_rows, function, estimator, attack, X, y, part))
            weights.append(1 / len(rows))
    steps = ScaledBar(bar, sum(weights) / len(weights))
    if len(tasks) == len(runs):
        parts = store.run_all(tasks, n_jobs=n_jobs, bar=steps, **errors)
    else:
        told = AlikeWarnings("blocks of rows")
        with told.gathered():
            parts = store.run_all(tasks, n_jobs=n_jobs, bar=steps, **errors)
        told.show()
    parts, found = iter(parts), {}
    for i, rows in enumerate(blocks):
        own = [next(parts) for _ in rows]
        error = next((error for _, error in own if error is not None), None)
        joined = error or _joined([part for part, _ in own], rows, len(y))
        found[i] = joined
    failed = {i: one for i, one in found.items() if isinstance(one, Exception)}
    check_any_left(failed, len(runs), "The attack")
    return list(found.values())


def _attack_rows(function, estimator, attack, X, y, rows):
    if isinstance(rows, slice) and rows == slice(None):  # X may be no array
        return function(estimator, attack, X, y)
    return function(estimator, attack, X[rows], y[rows])


def _joined(parts, rows, n):
    if len(parts) == 1:
        return parts[0]
    out = np.empty((n, *parts[0].shape[1:]), dtype=parts[0].dtype)
    for part, places in zip(parts, rows, strict=True):
        out[places] = part
    return out
