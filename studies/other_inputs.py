"""Tasks that are no pictures: a table, days of a series, and texts, with models."""

import importlib
import inspect
import pkgutil
import re
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from skrobust.perturbations import two_factor_grid

LEVELS = (1, 3, 5)
SEED = {"random_state": 0}
TUESDAY, DAY = 1, 48  # of the first day, Monday is 0; half-hours
LIBRARIES = {
    "numpy": ["numpy", "numpy.linalg", "numpy.random", "numpy.fft", "numpy.ma"],
    "scipy": ["linalg", "ndimage", "optimize", "signal", "sparse", "special", "stats"],
    "sklearn": None,  # all of its subpackages
}


def table():
    """Return rows and classes of breast cancer, half for training."""
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(X, y, test_size=0.5, stratify=y, **SEED)


def series(folder):
    """Return days of electricity demand and whether they are of a weekend.

    The days follow each other, but one is there twice, after which the days of the
    week would be wrong by one; the second of the two is left out. The first half of
    the 943 days, 7 May 1996 to 5 December 1998, trains.
    """
    path = folder / "streams" / "elec.csv"
    demand = np.loadtxt(path, delimiter=",", skiprows=1, usecols=2)
    days = demand.reshape(-1, DAY)
    is_new = np.r_[True, (days[1:] != days[:-1]).any(axis=1)]
    days = days[is_new]
    is_weekend = (np.arange(len(days)) + TUESDAY) % 7 >= 5
    n = len(days) // 2
    return days[:n], days[n:], is_weekend[:n].astype(int), is_weekend[n:].astype(int)


def docstrings():
    """Return texts of public functions and classes, and the library that each is of.

    Names of libraries are taken out, and of each text the first 300 characters are
    kept without signatures.
    """
    texts = {}
    for library, parts in LIBRARIES.items():
        if parts is None:
            found = importlib.import_module(library)
            parts = [m.name for m in pkgutil.iter_modules(found.__path__)]
            parts = [name for name in parts if name not in ("tests", "conftest")]
        for part in parts:
            name = part if part.startswith(library) else f"{library}.{part}"
            for text in _texts_of(name):
                texts.setdefault(text, library)
    return np.array(list(texts), dtype=object), np.array(list(texts.values()))


def _texts_of(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module(name)
        public = [n for n in sorted(dir(module)) if not n.startswith("_")]
        things = [getattr(module, n, None) for n in public]
    for thing in things:
        home = (getattr(thing, "__module__", None) or name).split(".")[0]
        text = inspect.getdoc(thing) if callable(thing) else None
        if text is None or home != name.split(".")[0]:
            continue
        words = re.sub(r"\s+", " ", text)
        words = re.sub(r"^(\w+\(.*?\) )+", "", words)  # signatures
        words = re.sub(r"\b(numpy|scipy|sklearn|scikit-learn|np)\b\.?", "", words)
        words = re.sub(r"\s+", " ", words).strip()[:300]
        if len(words) > 60:
            yield words


def texts(most):
    """Return texts and libraries, as many of each, 60 % for training."""
    X, y = docstrings()
    kinds, counts = np.unique(y, return_counts=True)
    size, rng = min(most, counts.min()), np.random.default_rng(0)
    kept = [rng.permutation(np.flatnonzero(y == kind))[:size] for kind in kinds]
    kept = np.concatenate(kept)
    return train_test_split(X[kept], y[kept], test_size=0.4, stratify=y[kept], **SEED)


def of_numbers():
    """Return classifiers of rows of numbers by name."""
    scaled = {
        "logistic": LogisticRegression(max_iter=2000),
        "LDA": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
        "SVM, rbf": SVC(),
        "5 neighbours": KNeighborsClassifier(5),
        "Gaussian NB": GaussianNB(),
        "MLP, 50": MLPClassifier((50,), max_iter=300, **SEED),
    }
    return {
        **{name: make_pipeline(StandardScaler(), m) for name, m in scaled.items()},
        "random forest": RandomForestClassifier(100, **SEED),
        "boosting": HistGradientBoostingClassifier(max_iter=60, **SEED),
    }


def of_texts():
    """Return classifiers of texts by name, of words or of groups of letters."""
    letters = {"analyzer": "char_wb", "ngram_range": (2, 4), "min_df": 3}
    logistic = LogisticRegression(C=10, max_iter=1000)
    linear = LinearSVC(**SEED)
    return {
        "words, logistic": make_pipeline(TfidfVectorizer(), logistic),
        "words, SVM": make_pipeline(TfidfVectorizer(), linear),
        "words, ridge": make_pipeline(TfidfVectorizer(), RidgeClassifier()),
        "words, multinomial NB": make_pipeline(CountVectorizer(), MultinomialNB()),
        "words, Bernoulli NB": make_pipeline(CountVectorizer(), BernoulliNB()),
        "words, 5 neighbours": make_pipeline(
            TfidfVectorizer(), KNeighborsClassifier(5)
        ),
        "letters, logistic": make_pipeline(TfidfVectorizer(**letters), logistic),
        "letters, complement NB": make_pipeline(
            CountVectorizer(**letters), ComplementNB()
        ),
    }


def correctness(models, data, pair):
    """Return for each model a boolean array (n rows, 31 conditions) of a grid.

    Every condition is fitted on the training rows and changes each test row once, for
    all models alike.
    """
    X, X_test, y, y_test = data
    grid = two_factor_grid(*[(one, LEVELS) for one in pair], random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = {name: clone(model).fit(X, y) for name, model in models.items()}
    found = {name: [] for name in models}
    for condition in grid:
        moved = condition.fit(X).transform(X_test)
        for name, model in models.items():
            found[name].append(model.predict(moved) == y_test)
    return {name: np.transpose(columns) for name, columns in found.items()}
