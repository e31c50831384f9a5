"""Pool whose inputs come in batches, of which the answers of the model are kept."""

import numpy as np

from skrobust._containers import n_rows, to_array
from skrobust._responses import predict_probabilities
from skrobust.sampling.core.pool import (
    NO_SCORES,
    PoolAnswers,
    check_inputs,
    read_predictions,
)


def in_memory(sampler, X, y_pred):
    """Return a pool as it came, or what a sampler needs of one in batches.

    Parameters
    ----------
    sampler : AskTellSampler
        Its ``estimator`` and ``auxiliary`` are asked about each batch, once.
    X : array-like or BatchedRows
        The pool.
    y_pred : array-like or None
        Predicted labels, where they are known.

    Returns
    -------
    array-like or PoolAnswers
        The pool.
    """
    if type(X).__name__ != "BatchedRows":  # of skrobust.datasets
        return X
    caller, auxiliary = type(sampler).__name__, sampler.auxiliary
    sampler._check_parameters()
    if isinstance(auxiliary, str) and auxiliary != "confidence":
        raise ValueError(
            f"{caller} with auxiliary={auxiliary!r} needs all inputs in memory; they "
            "come in batches. Give fit the scores, as numpy.concatenate of those of "
            "each batch."
        )
    asked = sampler._needs_scores or sampler._needs_confidence
    parts = {"rows": [], "y_pred": [], "confidence": [], "called": []}
    n_pool, any_kind = 0, sampler.loss is not None
    for rows, _ in X:
        rows = check_inputs(sampler, rows)
        n_pool += n_rows(rows)
        if y_pred is None:
            how = {"any_kind": any_kind}
            labels = read_predictions(sampler.estimator, rows, None, caller, **how)
            parts["y_pred"] += [] if labels is None else [labels]
        if callable(auxiliary):
            parts["called"].append(to_array(auxiliary(rows)))
        elif isinstance(auxiliary, str) and sampler.estimator is None:
            if asked or np.ndim(rows) == 1:
                parts["rows"].append(to_array(rows))
        elif isinstance(auxiliary, str) and asked:
            p = predict_probabilities(sampler.estimator, rows, caller, NO_SCORES)
            parts["confidence"].append(p.max(axis=1))
    joined = {k: np.concatenate(v) if v else None for k, v in parts.items()}
    rows = joined.pop("rows")
    return PoolAnswers(n_pool, **joined) if rows is None else rows
