"""Accuracy of models of tables under everyday faults, and the skill that is kept."""

import re
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from table_models import pipeline

from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import tabular

TABLES = [
    "breast cancer", "wine", "iris", "digits", "australian", "ionosphere", "pima",
    "wisconsin", "mammographic", "dermatology", "segment", "vowel", "page-blocks",
    "car", "movement_libras",
]  # fmt: skip
DAMAGED = "australian"  # its numbers have lost their decimal points, see tables
SEVERITY, MOST = 3, 2500  # rows of a table, drawn where there are more


def rows_of(X, y):
    """Return rows in a fixed shuffled order, at most ``MOST`` of them.

    Labels are numbered in the order of their names, as XGBoost takes no others.
    """
    keep = np.random.default_rng(0).permutation(len(X))[:MOST]
    y = np.unique(y.iloc[keep].to_numpy(), return_inverse=True)[1]
    return X.iloc[keep].reset_index(drop=True), y


def split(X, y):
    """Return training and test rows and labels."""
    X, y = rows_of(X, y)
    return train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)


def scores(X, y, family, name):
    """Return the accuracy of one model on clean rows and under each fault."""
    X, X_test, y, y_test = split(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = pipeline(family, name).fit(X, y)
    conditions = tabular((SEVERITY,), random_state=0)
    found = evaluate_perturbations(model, X_test, y_test, conditions, X_ref=X)
    kinds = [re.sub(r"-[\d.]+$", "", str(one)) for one in found["name"]]
    majority = np.unique(y_test, return_counts=True)[1].max() / len(y_test)
    return dict(zip(kinds, np.asarray(found["score"]), strict=True)), majority


def kept_skill(run):
    """Return the share of the accuracy above the majority class that each fault leaves.

    nan for a model that is no better than the majority on clean rows.
    """
    by_kind, majority = run
    clean = by_kind["CLEAN"] - majority
    if clean < 0.05:
        return {}
    return {k: (v - majority) / clean for k, v in by_kind.items() if k != "CLEAN"}


def interval(values, seed=0):
    """Return the mean over tables and its percentile interval over drawn tables."""
    values = np.asarray(values, dtype=float)
    rng = np.random.default_rng(seed)
    draws = values[rng.integers(len(values), size=(2000, len(values)))].mean(axis=1)
    return values.mean(), tuple(np.percentile(draws, [2.5, 97.5]))
