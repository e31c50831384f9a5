"""The table of the guide: which attack and which certificate takes which model.

Nothing in it is written by hand: each estimator of scikit-learn is fitted on a few
rows, and attacks and certificates are tried on it.
"""

import warnings

from sklearn.base import is_classifier
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils import all_estimators

from skrobust.attacks import FGSM, ExactLinear, ExactTree, RandomSearch
from skrobust.evaluation import robust_accuracy_bounds, robust_ratio_bounds

COLUMNS = (
    "model", "white box", "exact attack", "certified labels",
    "certified probabilities", "black box",
)  # fmt: skip
# What a constructor needs beyond its defaults, or to be quick.
LINEAR, NUMBERS = LogisticRegression(max_iter=500), Ridge()
NEEDED = {
    "AdaBoostClassifier": {"n_estimators": 3},
    "BaggingClassifier": {"estimator": LINEAR, "n_estimators": 3},
    "BernoulliNB": {"binarize": None},
    "CalibratedClassifierCV": {"estimator": LINEAR, "cv": 2},
    "ExtraTreesClassifier": {"n_estimators": 3, "max_depth": 3},
    "FixedThresholdClassifier": {"estimator": LINEAR},
    "GradientBoostingClassifier": {"n_estimators": 3},
    "HistGradientBoostingClassifier": {"max_iter": 3},
    "KNeighborsClassifier": {"n_neighbors": 1},
    "MLPClassifier": {"hidden_layer_sizes": (5,), "max_iter": 300},
    "MLPRegressor": {"hidden_layer_sizes": (5,), "max_iter": 300},
    "OneVsOneClassifier": {"estimator": LINEAR},
    "OneVsRestClassifier": {"estimator": LINEAR},
    "OutputCodeClassifier": {"estimator": LINEAR},
    "RandomForestClassifier": {"n_estimators": 3, "max_depth": 3},
    "SelfTrainingClassifier": {"estimator": LINEAR},
    "StackingClassifier": {"estimators": [("a", LINEAR)], "cv": 2},
    "StackingRegressor": {"estimators": [("a", NUMBERS)], "cv": 2},
    "TunedThresholdClassifierCV": {"estimator": LINEAR, "cv": 2},
    "VotingClassifier": {"estimators": [("a", LINEAR)], "voting": "soft"},
    "VotingRegressor": {"estimators": [("a", NUMBERS)]},
}
TWO_CLASSES = {"FixedThresholdClassifier", "TunedThresholdClassifierCV"}
# Of several labels or targets a row, of classes as features, or of other kinds of rows.
LEFT_OUT = {
    "CategoricalNB": "its features are categories",
    "ClassifierChain": "several labels a row",
    "MultiOutputClassifier": "several labels a row",
    "CCA": "several targets a row",
    "IsotonicRegression": "a single feature",
    "MultiOutputRegressor": "several targets a row",
    "MultiTaskElasticNet": "several targets a row",
    "MultiTaskElasticNetCV": "several targets a row",
    "MultiTaskLasso": "several targets a row",
    "MultiTaskLassoCV": "several targets a row",
    "PLSCanonical": "several targets a row",
    "RegressorChain": "several targets a row",
}


def instance(name, kind):
    """Return an instance of a class of scikit-learn, small and quick."""
    params = dict(NEEDED.get(name, {}))
    few = {"n_estimators": 3, "max_iter": 3, "max_depth": 3}
    if name not in NEEDED:
        known = kind._get_param_names()
        boosts = "Boosting" in name or "Forest" in name or "ExtraTrees" in name
        params = {k: v for k, v in few.items() if boosts and k in known}
    return kind(**params)


def problem(name, classify):
    """Return a few rows and their labels or targets."""
    X, y = load_iris(return_X_y=True)
    if name in TWO_CLASSES:
        X, y = X[50:], y[50:]
    X = X / 8  # in [0, 1], as counts may not be negative
    return (X, y) if classify else (X[:, :3], X[:, 3])


def works(function, *arguments):
    """Return the answer of a call, or None where it says that it cannot."""
    try:
        return function(*arguments)
    except (ValueError, TypeError, AttributeError, NotImplementedError):
        return None


def strength(name):
    """Return in a word what the name of a certificate says."""
    if name is None or name.startswith("trivial"):
        return "no"
    if name.startswith("randomised"):
        return "with probability"
    return "exact" if name.startswith("exact") else "bound"


def row_of(name, kind):
    """Return the cells of one estimator, found by trying."""
    if name in LEFT_OUT:
        return [f"no: {LEFT_OUT[name]}"] * (len(COLUMNS) - 1)
    model = instance(name, kind)
    classify = is_classifier(model)
    X, y = problem(name, classify)
    model.fit(X, y)
    few = X[::10], y[::10]
    white = works(FGSM(0.01).perturb, model, *few) is not None
    exact = [
        attack.__name__
        for attack in (ExactLinear, ExactTree)
        if works(attack(0.01).perturb, model, *few) is not None
    ]
    search = RandomSearch(0.01, n_steps=1, n_candidates=3, random_state=0)
    black = works(search.perturb, model, *few) is not None
    cells = ["yes" if white else "no", ", ".join(exact) or "no"]
    if not classify:
        return [*cells, "-", "-", "yes" if black else "no"]
    bounds = works(robust_accuracy_bounds, model, *few, search)
    cells.append(strength(bounds and bounds.certificate))
    ratio = "-"
    if hasattr(model, "predict_proba"):
        bounds = works(robust_ratio_bounds, model, *few, search)
        ratio = strength(bounds and bounds.certificate)
    return [*cells, ratio, "yes" if black else "no"]


def rows(kind, only=None):
    """Return the rows of all classifiers or regressors, by name."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence, on a few rows
        for name, one in all_estimators(type_filter=kind):
            if only is None or name in only:
                found[name] = works(row_of, name, one) or ["not tried"] * 5
    return found


def attack_table(only=None):
    """Return reStructuredText: one table of classifiers and one of regressors."""
    lines = []
    for kind in ("classifier", "regressor"):
        lines += [f".. list-table:: {kind.capitalize()}s of scikit-learn"]
        lines += ["   :header-rows: 1", "   :stub-columns: 1", ""]
        table = {COLUMNS[0]: COLUMNS[1:], **rows(kind, only)}
        for name, cells in table.items():
            lines.append(f"   * - {name}")
            # A hyphen alone would be an item of another list.
            lines += [f"     - {cell}".replace("- -", "- n/a") for cell in cells]
        lines.append("")
    return "\n".join(lines) + "\n"
