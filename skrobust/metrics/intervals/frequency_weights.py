"""Frequency weights: rows that stand for several equal samples."""

import numpy as np

from skrobust._array_checks import check_weights
from skrobust._containers import one_per_row
from skrobust._validation import invalid


def repeat_rows(data, clusters, params, caller):
    """Return data, clusters and options with each row as often as its weight says.

    Parameters
    ----------
    data : tuple of array-like
        Arrays with one entry per sample along the first axis, or along the second as
        predictions of shape (n_conditions, n_samples) have it.
    clusters : array-like of shape (n_samples,) or None
        Repeated, too.
    params : dict
        Options of the metric, of which ``sample_weight`` is taken away, and those with
        one entry per sample are repeated.
    caller : str
        Name of the public function, for error messages.

    Returns
    -------
    data, clusters, params
        The same without weights.
    """
    params = dict(params)
    weight = params.pop("sample_weight", None)
    if weight is None:
        return data, clusters, params
    n = len(data[0])
    weight = check_weights(weight, n, caller)
    broken = weight[weight != np.rint(weight)]
    if len(broken):
        rule = "integers where weight_type='frequency'"
        raise invalid("sample_weight", caller, rule, broken[0])
    counts = weight.astype(np.int64)

    def repeat(values):
        values = one_per_row(values)
        axis = next((i for i, size in enumerate(values.shape[:2]) if size == n), None)
        return values if axis is None else np.repeat(values, counts, axis=axis)

    clusters = None if clusters is None else repeat(clusters)
    for name, value in params.items():
        params[name] = repeat(value) if np.ndim(value) else value
    return tuple(repeat(array) for array in data), clusters, params


def repeat_models(models, y_true, clusters, params, caller):
    """Return models, true labels, clusters and options with each row repeated.

    Parameters
    ----------
    models : dict of str to array-like or tuple of array-like
        Data of each model, over the same samples.
    y_true : array-like of shape (n_samples,) or None
        Repeated, too.
    clusters, params, caller
        As of :func:`repeat_rows`, for the weights of all models.

    Returns
    -------
    models, y_true, clusters, params
        The same without weights.
    """
    given, repeated = () if y_true is None else (y_true,), {}
    parts = clusters, params, caller
    for name, data in models.items():
        arrays = data if isinstance(data, tuple) else (data,)
        rows, clusters, params = repeat_rows((*given, *arrays), *parts)
        rows = rows[len(given) :]
        repeated[name] = rows if isinstance(data, tuple) else rows[0]
    if given:
        y_true = repeat_rows(given, None, parts[1], caller)[0][0]
    return repeated, y_true, clusters, params
