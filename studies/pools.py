"""Pools of predicted inputs whose failures are known, published or made here."""

import csv

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from worlds import worlds

AUXILIARIES = ("confidence", "dsa", "lsa", "combined")


def published(folder):
    """Yield name, failures and auxiliary scores of the pools of the DeepEST authors.

    Scores are higher where a failure is more likely: 1 - confidence, the surprise as a
    share of its largest value, and both together as in the released code.
    """
    for path in sorted((folder / "operational").glob("*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            header, *rows = csv.reader(file)
        names = [name.lower() for name in header]
        table = dict(zip(names, zip(*rows, strict=True), strict=True))
        column = {n: np.array(table[n], float) for n in ("confidence", "dsa", "lsa")}
        shares = {n: column[n] / column[n].max() for n in ("dsa", "lsa")}
        confidence = np.minimum(column["confidence"], 1)
        scores = {"confidence": 1 - confidence, **shares}
        scores["combined"] = 1 - confidence * (1 - shares["dsa"])
        yield path.stem, np.array([o == "Fail" for o in table["outcome"]]), scores


def fresh(folder):
    """Yield name, failures and scores of models that are trained here.

    Pictures: digits of MNIST, of which a tenth trains. A table: the electricity stream,
    whose first tenth trains and whose rest has drifted.
    """
    with np.load(folder / "mnist" / "mnist10k.npz") as file:
        arrays = [file[name] for name in file.files]
    images, labels = sorted(arrays, key=lambda a: -a.ndim)
    X, y = images.reshape(len(images), -1) / 255, labels.ravel()
    order = np.random.default_rng(0).permutation(len(y))  # they come by their labels
    X, y = X[order], y[order]
    yield "MNIST, logistic", *_predicted(LogisticRegression(max_iter=300), X, y)
    table = np.loadtxt(folder / "streams" / "elec.csv", delimiter=",", skiprows=1)
    X, y = table[:, 1:-1], table[:, -1]
    linear = make_pipeline(StandardScaler(), LogisticRegression())
    yield "electricity, logistic", *_predicted(linear, X, y)
    boosting = HistGradientBoostingClassifier(random_state=0)
    yield "electricity, boosting", *_predicted(boosting, X, y)


def _predicted(model, X, y):
    n = len(X) // 10
    model.fit(X[:n], y[:n])
    chances = model.predict_proba(X[n:])
    failed = model.classes_[chances.argmax(axis=1)] != y[n:]
    return failed, {"confidence": 1 - chances.max(axis=1)}


def simulated(per_family):
    """Yield name, failures and scores of worlds in which scores may mislead."""
    for name, scores, failed, _ in worlds(per_family=per_family):
        yield name, failed, {"confidence": scores}
