"""Combinations of several labels as the classes of one label."""

import numpy as np

from skrobust._validation import invalid

MOST_CODES = 1024  # combinations, each of which is a class


def check_codes(sizes):
    """Raise where labels of these numbers of values have too many combinations."""
    if np.prod(np.asarray(sizes, dtype=np.float64)) > MOST_CODES:
        rule = (
            f"the place of one label, where labels have over {MOST_CODES} combinations"
        )
        raise invalid("label", "OneLabel", rule, "any")


def digits(sizes):
    """Return the value of each label (by its place) in each combination.

    Parameters
    ----------
    sizes : sequence of int
        Values of each label.

    Returns
    -------
    ndarray of shape (n_codes, n_labels), int
        In the order of the codes: the last label changes first.
    """
    check_codes(sizes)
    return np.indices(sizes).reshape(len(sizes), -1).T


def selection(sizes):
    """Return the sums that make scores of combinations of the scores of all values.

    Parameters
    ----------
    sizes : sequence of int
        Values of each label.

    Returns
    -------
    ndarray of shape (sum of sizes, n_codes), of 0 and 1
    """
    places = digits(sizes) + np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(int)
    chosen = np.zeros((int(np.sum(sizes)), len(places)))
    chosen[places, np.arange(len(places))[:, None]] = 1.0
    return chosen


def codes(columns, values):
    """Return the code of each row; -1 where a label has a value that is not known.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_labels)
        Labels.
    values : list of ndarray
        Sorted values of each label.

    Returns
    -------
    ndarray of shape (n_samples,), int
    """
    check_codes([len(listed) for listed in values])
    code, known = np.zeros(len(columns), dtype=np.int64), np.ones(len(columns), bool)
    for column, listed in zip(columns.T, values, strict=True):
        is_value = column[:, None] == listed
        known &= is_value.any(axis=1)
        code = code * len(listed) + is_value.argmax(axis=1)
    return np.where(known, code, -1)


def joint(probabilities):
    """Return the probabilities of combinations of labels that are independent.

    Parameters
    ----------
    probabilities : list of ndarray of shape (n_samples, n_values)
        Of each label.

    Returns
    -------
    ndarray of shape (n_samples, n_codes)
    """
    check_codes([p.shape[1] for p in probabilities])
    whole = probabilities[0]
    for p in probabilities[1:]:
        whole = (whole[:, :, None] * p[:, None, :]).reshape(len(p), -1)
    return whole
