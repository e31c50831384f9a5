"""What evaluation costs beyond the model: scorers, conditions, report, imports, memory.

The other side is what one would write by hand, without intervals, checks or tables: the
bare predictions of the same rows, or ``import sklearn``.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from paired import Case
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer as sklearn_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.attacks import FGSM
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.metrics import (
    accuracy_stability_index,
    make_asi_scorer,
    make_normalized_scorer,
)
from skrobust.perturbations import FeatureNoise, two_factor_grid
from skrobust.report import create_report


def _table(n):
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:300], y[:300])
    rows = np.resize(np.arange(300, len(X)), n)
    return model, X[rows], y[rows]


def _digits(n):
    X, y = load_digits(return_X_y=True)
    model = RandomForestClassifier(50, random_state=0).fit(X[:1200] / 16, y[:1200])
    rows = np.resize(np.arange(1200, len(X)), n)
    return model, X[rows] / 16, y[rows]


def scorers(short):
    """Yield scorers beside the accuracy scorer of scikit-learn."""
    model, X, y = _table(2_000 if short else 20_000)
    ours, bare = make_normalized_scorer(), sklearn_scorer("accuracy")
    sides = {
        "normalized": lambda: ours(model, X, y),
        "accuracy scorer": lambda: bare(model, X, y),
    }
    yield Case("scorers", "normalized metric", "rows", len(X), sides)


def conditions(short):
    """Yield evaluations beside bare loops over the same conditions."""
    model, X, y = _digits(100 if short else 500)
    grid = two_factor_grid(image_shape=(8, 8), random_state=0)
    grid = grid[:6] if short else grid
    score = make_asi_scorer(grid)

    def loop():
        accuracy = [np.mean(model.predict(p.perturb(y, X)) == y) for p in grid]
        return accuracy_stability_index(accuracy)

    def evaluated():
        return evaluate_perturbations(model, X, y, grid)

    name = f"{len(grid)} two-factor conditions"
    count, other = len(grid) * len(X), "perturb and predict"
    sides = {"scorer": lambda: score(model, X, y), other: loop}
    yield Case("evaluation", f"ASI, {name}", "predictions", count, sides)
    sides = {"evaluate": evaluated, other: loop}
    yield Case("evaluation", f"table of {name}", "predictions", count, sides)
    model, X, y = _table(1_000 if short else 20_000)
    noise = [FeatureNoise(s, random_state=0).fit(X) for s in (1, 3, 5)]

    def noisy():
        return [np.mean(model.predict(p.perturb(y, X)) == y) for p in noise]

    sides = {"evaluate": lambda: evaluate_perturbations(model, X, y, noise)}
    count = 4 * len(X)
    sides |= {other: lambda: (model.predict(X), noisy())}
    yield Case("evaluation", "feature noise, linear", "predictions", count, sides)


def reports(short):
    """Yield a written report beside the calls that it consists of."""
    model, X, y = _table(100 if short else 269)
    noise = [FeatureNoise(s, random_state=0).fit(X) for s in (1, 3, 5)]
    attack = FGSM(0.1, data_range=(X.min(), X.max()))
    settings = {"conditions": noise, "attacks": {"FGSM": attack}}

    def page():
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "report.html"
            create_report({"model": model}, X, y, out=out, **settings)

    def calls():
        evaluate_perturbations(model, X, y, noise)
        evaluate_attack(model, X, y, attack)

    sides = {"report": page, "its evaluations alone": calls}
    yield Case("report", "three conditions, FGSM", "pages", 1, sides)


def imports(short):
    """Yield the start of a process that imports the package."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}

    def start(module):
        command = [sys.executable, "-c", f"import {module}"]
        return lambda: subprocess.run(command, check=True, env=environment)

    def version():
        command = [sys.executable, "-m", "skrobust", "--version"]
        subprocess.run(command, check=True, env=environment, capture_output=True)

    sides = {"skrobust": start("skrobust"), "import sklearn": start("sklearn")}
    how = {"clock": child_seconds}
    yield Case("start", "import skrobust", "processes", 1, sides, **how)
    sides = {"--version": version, "import sklearn": start("sklearn")}
    yield Case("start", "skrobust --version", "processes", 1, sides, **how)


def cases(short):
    """Yield all cases."""
    for build in (scorers, conditions, reports, imports):
        yield from build(short)


def child_seconds():
    """Return CPU seconds of finished child processes, for what starts processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
