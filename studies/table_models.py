"""Thirty-three classifiers of tables by family, each a pipeline on raw columns."""

from importlib.util import find_spec

from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import (
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

SEED = {"random_state": 0}
FAMILIES = {
    "linear": {
        "logistic": LogisticRegression(max_iter=2000),
        "logistic, C=.01": LogisticRegression(C=0.01, max_iter=2000),
        "ridge": RidgeClassifier(),
        "linear SVM": LinearSVC(max_iter=5000, **SEED),
        "perceptron": Perceptron(**SEED),
        "SGD": SGDClassifier(loss="log_loss", **SEED),
        "SGD, Huber": SGDClassifier(loss="modified_huber", **SEED),
    },
    "Bayes": {
        "LDA": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
        "QDA": QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
        "Gaussian NB": GaussianNB(),
        "Bernoulli NB": BernoulliNB(),
    },
    "kernel": {
        "SVM, rbf": SVC(),
        "SVM, rbf, C=10": SVC(C=10),
        "SVM, poly": SVC(kernel="poly", coef0=1),
        "Gaussian process": GaussianProcessClassifier(**SEED),
    },
    "neighbours": {
        "1 neighbour": KNeighborsClassifier(1),
        "5 neighbours": KNeighborsClassifier(5),
        "15 neighbours": KNeighborsClassifier(15),
        "nearest centroid": NearestCentroid(),
    },
    "tree": {
        "tree": DecisionTreeClassifier(**SEED),
        "tree, depth 4": DecisionTreeClassifier(max_depth=4, **SEED),
        "extra tree": ExtraTreeClassifier(**SEED),
    },
    "forest": {
        "random forest": RandomForestClassifier(100, **SEED),
        "extra trees": ExtraTreesClassifier(100, **SEED),
        "bagging": BaggingClassifier(n_estimators=30, **SEED),
    },
    "boosting": {
        "AdaBoost": AdaBoostClassifier(n_estimators=100, **SEED),
        "gradient boosting": GradientBoostingClassifier(n_estimators=50, **SEED),
        "histogram boosting": HistGradientBoostingClassifier(max_iter=60, **SEED),
    },
    "net": {
        "MLP, 100": MLPClassifier((100,), max_iter=400, **SEED),
        "MLP, 30, 30": MLPClassifier((30, 30), max_iter=400, **SEED),
    },
}
UNSCALED = ("tree", "forest", "boosting")
OTHERS = {"XGBoost": "xgboost", "LightGBM": "lightgbm", "CatBoost": "catboost"}


def boosting_library(name):
    """Return an unfitted classifier of 60 trees of another library, in one thread."""
    if name == "XGBoost":
        from xgboost import XGBClassifier

        return XGBClassifier(n_estimators=60, n_jobs=1, **SEED)
    if name == "LightGBM":
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_estimators=60, n_jobs=1, verbose=-1, **SEED)
    from catboost import CatBoostClassifier

    silent = {"verbose": 0, "allow_writing_files": False, "thread_count": 1}
    return CatBoostClassifier(iterations=60, **silent, **SEED)


FAMILIES["boosting"] |= {
    name: boosting_library(name)
    for name, library in OTHERS.items()
    if find_spec(library)
}


def all_models():
    """Return the family and name of each model whose library is installed."""
    return [(family, name) for family, group in FAMILIES.items() for name in group]


def pipeline(family, name):
    """Return an unfitted pipeline of encoding and model.

    Trees get numbers as they are and categories as integers, the others standardised
    numbers and one column for each category.
    """
    numbers = make_column_selector(dtype_include="number")
    others = make_column_selector(dtype_exclude="number")
    if family in UNSCALED:
        of_numbers = "passthrough"
        unknown = {"handle_unknown": "use_encoded_value", "unknown_value": -1}
        of_others = OrdinalEncoder(**unknown)
    else:
        of_numbers = StandardScaler()
        of_others = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    encode = make_column_transformer((of_numbers, numbers), (of_others, others))
    return make_pipeline(encode, clone(FAMILIES[family][name]))
