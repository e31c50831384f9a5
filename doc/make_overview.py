"""Draw the figure of the README and a thumbnail for examples without figures.

``python doc/make_overview.py`` writes both into ``doc/images``.

One question a panel, on scikit-learn's digits: what the model is shown, how accuracy
falls with blur, how it falls under attack, and what a label buys.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from skrobust.attacks import PGD
from skrobust.evaluation import evaluate_perturbations, robust_accuracy_curve
from skrobust.perturbations import GaussianBlur, Rotation, SaltAndPepper
from skrobust.plots import (
    LabelBudgetDisplay,
    PerturbationGalleryDisplay,
    RobustAccuracyCurveDisplay,
    SeverityCurveDisplay,
)
from skrobust.sampling import OperationalSampler, SimpleRandomSampler, simulate

OUT = Path(__file__).parent / "images"
IMAGES = {"image_shape": (8, 8), "data_range": (0, 1), "random_state": 0}


def main():
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X / 16, y, random_state=0)
    models = {"SVC": SVC(), "logistic": LogisticRegression(max_iter=999)}
    for model in models.values():
        model.fit(X_train, y_train)
    figure = plt.figure(figsize=(10, 6.4), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)
    axes = figure.subplots(2, 2).ravel()
    draw_rows(models["SVC"], X_test, y_test, axes[0])
    draw_blur(models, X_test, y_test, axes[1])
    curves = draw_attack(models, X_test, y_test, axes[2])
    draw_labels(models["logistic"], X_test, y_test, axes[3])
    OUT.mkdir(exist_ok=True)
    # without a version in the file, the same picture is the same file
    figure.savefig(OUT / "overview.png", dpi=110, metadata={"Software": None})
    draw_printed(curves).savefig(
        OUT / "printed.png", dpi=60, metadata={"Software": None}
    )


def draw_rows(model, X, y, ax):
    shown = {
        "salt and pepper": SaltAndPepper(0.15, **IMAGES),
        "blur": GaussianBlur(severity=4, **IMAGES),
        "turned by 30°": Rotation(30, **IMAGES),
    }
    PerturbationGalleryDisplay.from_estimator(model, X, y, shown, n_samples=6).plot(ax)
    ax.set_title("What is the model shown?")


def draw_blur(models, X, y, ax):
    conditions = [GaussianBlur(severity=s, **IMAGES) for s in np.linspace(0.5, 5, 10)]
    results = {
        name: evaluate_perturbations(model, X, y, conditions)
        for name, model in models.items()
    }
    SeverityCurveDisplay.from_results(results).plot(ax)
    ax.set_title("How accurate is it where pictures blur?")


def draw_attack(models, X, y, ax):
    attack, radii = PGD(data_range=(0, 1), random_state=0), np.linspace(0.01, 0.2, 20)
    curves = {
        name: robust_accuracy_curve(model, X, y, attack, radii)
        for name, model in models.items()
    }
    RobustAccuracyCurveDisplay.from_results(curves).plot(ax)
    ax.set_title("How accurate is it under attack?")
    return curves


def draw_labels(model, X, y, ax):
    scores = 1 - model.predict_proba(X).max(axis=1)
    samplers = {
        "simple random": SimpleRandomSampler(),
        "operational": OperationalSampler(),
    }
    results = simulate(
        samplers, scores, model.predict(X) != y,
        n_labels=(25, 50, 100, 200), n_repeats=100, random_state=0,
    )  # fmt: skip
    LabelBudgetDisplay.from_results(results).plot(ax)
    ax.set_title("What does a label buy?")


def draw_printed(curves):
    lines = ["model     clean  robust", "-" * 23]
    lines += [
        f"{name:8}  {curve.clean_accuracy:.3f}   {curve.robust_accuracy[9]:.3f}"
        for name, curve in curves.items()
    ]
    figure = plt.figure(figsize=(4, 2.8), facecolor="#eef2f5")
    look = {"family": "monospace", "size": 13, "color": "black"}
    figure.text(0.5, 0.5, "\n".join(lines), ha="center", va="center", **look)
    return figure


if __name__ == "__main__":
    main()
