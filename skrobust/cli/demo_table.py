"""Two models for the demo, trained on a table of mixed columns."""

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skrobust._optional import require
from skrobust.attacks import StrongestAttack

_EPS = "0.1 std"  # a tenth of the standard deviation of each column
_MEDIAN = 140  # of the measure of disease progression after one year


def patients():
    """Return 442 patients as rows of mixed columns, and how fast the disease went on.

    These are the diabetes data of scikit-learn in their own units, with sex as text.

    Returns
    -------
    X : DataFrame of shape (442, 10)
        Text, whole numbers and others.
    y : ndarray of shape (442,)
        ``"slow"`` or ``"fast"``: below the median, or above it.
    """
    require("pandas", "skrobust demo", extra="report")
    bunch = load_diabetes(as_frame=True, scaled=False)
    X = bunch.data.assign(sex=bunch.data["sex"].map({1.0: "female", 2.0: "male"}))
    X["age"] = X["age"].astype(int)
    return X, np.where(bunch.target > _MEDIAN, "fast", "slow")


def table_demo(seed, quick):
    """Return the models of a table, not fitted, and the arguments of their report.

    Parameters
    ----------
    seed : int
        Seed of the split and the models.
    quick : bool
        Fewer trees and fewer rows scored.

    Returns
    -------
    models : dict of str to estimator
        Boosted trees and a logistic regression, not fitted.
    rows : tuple
        Training rows, test rows, training labels and test labels.
    settings : dict
        Further arguments of :func:`~skrobust.report.collect_report`.
    """
    X, y = patients()
    rows = train_test_split(
        X, y, test_size=100 if quick else 0.5, random_state=seed, stratify=y
    )
    trees = HistGradientBoostingClassifier(
        max_iter=10 if quick else 40, max_leaf_nodes=8, random_state=seed
    )
    line = LogisticRegression(max_iter=1000)
    models = {
        "boosted trees": make_pipeline(_with_text("passthrough"), trees),
        "logistic regression": make_pipeline(_with_text(StandardScaler()), line),
    }
    test = rows[1]
    age = np.where(test["age"] < 50, "under 50", "50 and over")
    attack = StrongestAttack(_EPS, max_queries=100 if quick else 500, random_state=seed)
    settings = {
        "eps": _EPS,
        "attacks": {"auto": attack},
        "checks": not quick,
        "thresholds": {"accuracy": 0.65, "worst_accuracy": 0.6},
        "groups": {"sex": test["sex"].to_numpy(), "age": age},
        "title": "Diabetes patients: two models of a table",
        "dataset": "diabetes (scikit-learn)",
    }
    return models, rows, settings


def _with_text(numbers):
    encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer((encode, ["sex"]), remainder=numbers)
