"""Input checks, row choice and tags shared by resamplers of training rows."""

import importlib
import sys

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import validate_data

from skrobust._array_checks import check_classes, check_same_length, refuse_missing
from skrobust._containers import is_frame, named_once, one_per_row, to_array
from skrobust._keyed_noise.row_hash import is_series
from skrobust._keyed_noise.rows import dense_rows, is_text, join_rows, take_rows


def check_training_rows(sampler, X, y):
    """Check rows and classes; set what scikit-learn remembers of them.

    Returns
    -------
    rows : container
        X with sparse columns made dense.
    labels : ndarray of shape (n_samples,)
        The class of each row; of one-hot columns their numbers.
    """
    caller = type(sampler).__name__
    if y is None:
        raise ValueError(f"{caller} requires y to be passed, but the target y is None.")
    y = one_per_row(y, "y", caller)
    refuse_missing(y, caller, "y")
    check_classes(y, caller)
    if type_of_target(y) == "multiclass-multioutput":
        raise ValueError(f"{caller} needs one class per row; y has several outputs.")
    labels = y
    if labels.ndim == 2 and labels.shape[1] > 1:
        if (labels.sum(axis=1) != 1).any():
            raise ValueError(f"{caller} needs one class per row; y has several.")
        labels = labels.argmax(axis=1)
    rows = dense_rows(X) if is_frame(X) else X
    if not is_text(rows):  # texts are checked by the perturbation
        if not is_frame(rows):
            rows = to_array(rows, "X", caller)
        how = {"dtype": None, "allow_nd": True, "ensure_all_finite": False}
        validate_data(sampler, named_once(rows), reset=True, **how)
    rows = rows if is_frame(X) or is_series(X) else to_array(X)
    labels = labels.ravel()
    check_same_length(caller, X=rows, y=labels)
    if len(np.unique(labels)) < 2:
        raise ValueError(f"{caller} needs at least two classes; y has one class.")
    return rows, labels


def choose_rows(codes, sizes, draws):
    """Return the positions of the rows with the smallest draws, so many per class."""
    chosen = []
    for code, size in enumerate(sizes):
        rows = np.flatnonzero(codes == code)
        chosen.append(rows[np.argsort(draws[rows], kind="stable")[:size]])
    return np.sort(np.concatenate(chosen))


def replace_rows(rows, new, chosen):
    """Return the rows with new ones in the place of the chosen."""
    kept = np.setdiff1d(np.arange(len(rows)), chosen)
    order = np.argsort(np.concatenate([kept, chosen]), kind="stable")
    return take_rows(join_rows([take_rows(rows, kept), new]), order)


def sampler_tags(tags):
    """Return the tags of a sampler, imbalanced-learn's own where it is in use."""
    tags.target_tags.required = True
    if "imblearn.utils" not in sys.modules:
        return tags
    imblearn = importlib.import_module("imblearn.utils._tags")  # some load it late
    return imblearn.Tags(
        estimator_type="sampler",
        target_tags=tags.target_tags,
        input_tags=imblearn.InputTags(dataframe=True),
        sampler_tags=imblearn.SamplerTags(sample_indices=True),
    )
