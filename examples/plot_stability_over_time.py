"""Is a model stable over time?
============================

A model is scored by period. The rows of the breast cancer data represent ten weeks,
once as recorded and once with a scale that increases by 2 % per week. The legend names
the patterns that the ten weeks allow, with their probabilities; an accuracy of 0.9
counts as high.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.plots import StabilityPatternDisplay

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.7, random_state=0)
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
week = np.arange(len(y_test)) * 10 // len(y_test)
# Instrument drift: the scale increases by 2 % per week.
drifted = X_test * (1 + 0.02 * week[:, None])
_, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
for name, rows, ax in zip(
    ("as recorded", "drifting"), (X_test, drifted), axes, strict=True
):
    display = StabilityPatternDisplay.from_estimator(
        model, rows, y_test, week, high=0.9
    )
    display.plot(ax)
    print(name, {k: round(v, 3) for k, v in display.terms().items()})
    print("  most probable pattern:", display.pattern_.most_probable)
plt.show()
