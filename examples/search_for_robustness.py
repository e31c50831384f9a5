"""
Choose a parameter by robust accuracy instead of by clean accuracy
==================================================================

A strong penalty makes the model a constant prediction, whose robust ratio is 1. The
search warns of it; with a ``floor`` of clean accuracy it cannot be chosen, since below
the floor the score is negative.
"""

import warnings

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, minmax_scale

from skrobust.attacks import PGD
from skrobust.metrics import make_robust_scorer

X, y = load_breast_cancer(return_X_y=True)
X = minmax_scale(X)
attack = PGD(eps=0.03, data_range=(0, 1), random_state=0)
ratio = {"metric": "robust_ratio", "tolerance": 0.05}
scoring = {
    "accuracy": "accuracy",
    "robust": make_robust_scorer(attack, floor=0.9),
    "ratio": make_robust_scorer(attack, **ratio),
    "ratio, floor": make_robust_scorer(attack, **ratio, floor=0.9),
}
model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=9999))
grid = {"logisticregression__C": [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10]}
search = GridSearchCV(model, grid, scoring=scoring, refit="robust")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    search.fit(X, y)

print("C       " + "".join(f"{name:>14s}" for name in scoring))
for i, C in enumerate(grid["logisticregression__C"]):
    row = [search.cv_results_[f"mean_test_{name}"][i] for name in scoring]
    print(f"{C:<8g}" + "".join(f"{value:14.3f}" for value in row))
print("most robust:", search.best_params_)
print(len(caught), "warnings, such as:", caught[0].message)
