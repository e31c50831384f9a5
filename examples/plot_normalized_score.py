"""What do the factors of a normalized score do?
=============================================

They multiply the accuracy by properties of the data set. They do not make data sets
comparable: columns of noise raise the score while the accuracy falls, and a perfect
classifier of rare events scores as a coin flip does. The skill over the best constant
prediction, beside it, tells these cases apart.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from skrobust.metrics import accuracy_skill_score, normalized_accuracy_score
from skrobust.plots import NormalizedScoreDisplay

warnings.filterwarnings("ignore", message=".*divides by the imbalance factor")
X, y = load_breast_cancer(return_X_y=True)
noise = np.random.default_rng(0).normal(size=(len(X), 90))
tree = DecisionTreeClassifier(max_features=2, random_state=0)


def show(name, y_true, y_pred, n_features, n_samples):
    size = {"n_features": n_features, "n_samples": n_samples}
    score = normalized_accuracy_score(y_true, y_pred, **size)
    skill, accuracy = accuracy_skill_score(y_true, y_pred), np.mean(y_true == y_pred)
    print(f"{name:28s}{accuracy:10.3f}{score:12.3f}{skill:8.3f}")


print(f"{'':28s}{'accuracy':>10s}{'normalized':>12s}{'skill':>8s}")
for n_noise in (0, 30, 90):
    rows = np.hstack([X, noise[:, :n_noise]])
    y_pred = cross_val_predict(tree, rows, y, cv=5)
    d = rows.shape[1]
    show(f"{d} columns, {n_noise} of noise", y, y_pred, d, len(X))
rare, even = np.repeat([0, 1], [950, 50]), np.repeat([0, 1], 500)
show("perfect, classes 95 : 5", rare, rare, 10, 1000)
show("coin flip, classes 50 : 50", even, np.tile([0, 1], 500), 10, 1000)

size = {"n_features": d, "n_samples": len(X)}
display = NormalizedScoreDisplay.from_predictions(
    y, y_pred, task="classification", **size
)
display.plot()
plt.show()
