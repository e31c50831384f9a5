"""Raw and normalized scores of one table over data sets of growing size.

A data set of n rows is drawn from the table; 70 % of it train, 30 % are scored. What a
score should tell is the accuracy (or R2, or NMI) of the same model at the largest
size, on rows that no smaller data set contains.
"""

import warnings

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    matthews_corrcoef,
    normalized_mutual_info_score,
    r2_score,
)
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skrobust.metrics import (
    normalized_accuracy_score,
    normalized_clustering_score,
    normalized_r2_score,
)


def as_numbers(X):
    """Return a table as numbers, categories one column each."""
    return pd.get_dummies(X).to_numpy(dtype=float)


def _classified(X, y, rng, n_samples, counts):
    train, test = _split(X, y, rng)
    if len(np.unique(y[train])) < 2:
        return None
    labels = make_pipeline(StandardScaler(), SVC()).fit(X[train], y[train])
    pair = y[test], labels.predict(X[test])
    of = {"n_features": X.shape[1], "n_samples": n_samples, "class_counts": counts}
    return {
        "raw": accuracy_score(*pair),
        "normalized": normalized_accuracy_score(*pair, **of, labels=np.unique(y)),
        "balanced": balanced_accuracy_score(*pair),
        "MCC": matthews_corrcoef(*pair),
    }


def _regressed(X, y, rng, n_samples, counts):
    train, test = _split(X, y, rng)
    model = make_pipeline(StandardScaler(), LinearRegression()).fit(X[train], y[train])
    pair = y[test], model.predict(X[test])
    of = {"n_features": X.shape[1], "n_samples": n_samples}
    return {
        "raw": max(0.0, r2_score(*pair)),  # as the normalized score takes it
        "normalized": normalized_r2_score(*pair, **of),
    }


def _clustered(X, y, rng, n_samples, counts):
    X = StandardScaler().fit_transform(X)
    found = KMeans(len(np.unique(y)), n_init=3, random_state=0).fit_predict(X)
    of = {"n_features": X.shape[1], "n_samples": n_samples}
    return {
        "raw": normalized_mutual_info_score(y, found),
        "normalized": normalized_clustering_score(y, found, X=X, **of),
    }


TASKS = {
    "classification": _classified,
    "regression": _regressed,
    "clustering": _clustered,
}


def _split(X, y, rng):
    return train_test_split(
        np.arange(len(X)), test_size=0.3, random_state=int(rng.integers(2**31))
    )


def curve(task, X, y, sizes, n_repeats):
    """Return scores by size and repeat, and the raw score at the largest size.

    Parameters
    ----------
    task : {"classification", "regression", "clustering"}
        What is fitted: an SVM, a linear regression, or k-means.
    X, y : data frame and array-like
        The table; half of it gives the data sets, the other half is unseen.
    sizes : list of int
        At most half of the rows.

    Returns
    -------
    scores : dict of str to ndarray of shape (n_sizes, n_repeats)
        nan where a data set has one class.
    target : float
        Raw score of the model of the first half on the second half.
    """
    X, y = as_numbers(X), np.asarray(y)
    rng = np.random.default_rng(0)
    order, half = rng.permutation(len(X)), len(X) // 2
    seen, unseen = order[:half], order[half:]
    table = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, n in enumerate(sizes):
            for j in range(n_repeats):
                rows = rng.choice(seen, size=n, replace=False)
                counts = None
                if task == "classification":
                    counts = np.unique(y[rows], return_counts=True)[1]
                found = TASKS[task](X[rows], y[rows], rng, n, counts)
                for name, value in (found or {}).items():
                    empty = np.full((len(sizes), n_repeats), np.nan)
                    table.setdefault(name, empty)[i, j] = value
        target = _target(task, X, y, seen, unseen)
    return table, target


def _target(task, X, y, seen, unseen):
    if task == "clustering":
        model = KMeans(len(np.unique(y)), n_init=3, random_state=0)
        found = make_pipeline(StandardScaler(), model).fit(X[seen]).predict(X[unseen])
        return normalized_mutual_info_score(y[unseen], found)
    model = SVC() if task == "classification" else LinearRegression()
    found = make_pipeline(StandardScaler(), model).fit(X[seen], y[seen])
    score = accuracy_score if task == "classification" else r2_score
    return score(y[unseen], found.predict(X[unseen]))
