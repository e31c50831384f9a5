"""
How does accuracy decrease with noise?
======================================

Each model is fitted once per fold and scored at every severity. The bands are 95 %
intervals over folds, which are too narrow since folds share training rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skrobust.evaluation import cross_validate_perturbations
from skrobust.perturbations import SaltAndPepper

X, y = load_digits(return_X_y=True)
noise = [
    SaltAndPepper(severity=s, image_shape=(8, 8), data_range=(0, 16), random_state=0)
    for s in np.linspace(0, 5, 11)
]
models = {
    "SVC": SVC(),
    "logistic regression": make_pipeline(
        StandardScaler(), LogisticRegression(max_iter=500)
    ),
}
_, ax = plt.subplots(layout="constrained")
for (name, model), style in zip(models.items(), ("-", "--"), strict=True):
    results = cross_validate_perturbations(model, X, y, noise, n_repeats=2)
    curve = results.conditions
    ax.plot(curve.severity, curve.score, style, label=name)
    ax.fill_between(curve.severity, curve.score_low, curve.score_high, alpha=0.2)
    print(
        f"{name}: clean {results.clean_score:.3f}, "
        f"worst {results.worst_score:.3f}, "
        f"area under the curve {results.area_under_severity_curve:.3f}"
    )
ax.set(xlabel="severity of salt and pepper", ylabel="accuracy")
ax.legend()
plt.show()
