"""Tables with differentiable classifiers, attacked within a box."""

import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import MinMaxScaler
from tables import read_keel

from skrobust.attacks import PGD, ProbabilityShift

EPS = 0.05  # of the range of a feature
MODELS = {
    "logistic": LogisticRegression(max_iter=2000),
    "logistic, C=.01": LogisticRegression(C=0.01, max_iter=2000),
    "LDA": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    "Gaussian NB": GaussianNB(var_smoothing=0.01),
    "MLP, 50": MLPClassifier((50,), max_iter=500, random_state=0),
}


def rows_of(task, packages, most):
    """Return training and test rows in [0, 1] with labels 0, 1, ..."""
    if task == "breast cancer":
        X, y = load_breast_cancer(return_X_y=True)
    elif task == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        frame, labels = read_keel(packages, task)
        X = frame.select_dtypes("number").to_numpy()
        y = np.unique(labels.to_numpy(), return_inverse=True)[1]
    X, X_test, y, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=0
    )
    scale = MinMaxScaler(clip=True).fit(X)
    return scale.transform(X), scale.transform(X_test)[:most], y, y_test[:most]


def moved_within(model, X, y, eps, data_range):
    """Return clean and moved probabilities, and what stays right, within a box.

    The probabilities are moved by ``ProbabilityShift``; a row stays right where it is
    right after ``PGD``.
    """
    ball = {"eps": eps, "data_range": data_range, "n_steps": 20, "random_state": 0}
    moved = ProbabilityShift(n_restarts=1, **ball).perturb(model, X, y)
    wrong = PGD(**ball).perturb(model, X, y)
    chances = model.predict_proba(X), model.predict_proba(moved)
    return *chances, model.predict(wrong) == y


def measured(task, packages, names, most):
    """Return labels and, by model, what ``moved_within`` returns."""
    X, X_test, y, y_test = rows_of(task, packages, most)
    found = {}
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = MODELS[name].fit(X, y)
        found[name] = moved_within(model, X_test, y_test, EPS, (0, 1))
    return y_test, found
