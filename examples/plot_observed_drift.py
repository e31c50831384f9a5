"""
How severe is the drift that was observed?
==========================================

A model of cars was trained on rows of one year. The rows of the next year are placed on
the scale of a drift of the mean, and the accuracy is read there on the severity curve.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import MeanDrift, calibrate_severity, severity_weights


def cars(n, drift, seed):
    rng = np.random.default_rng(seed)
    price, age = rng.normal(20, 5, n), rng.gamma(4, 2, n)
    is_sold = price + age + rng.normal(0, 2, n) < 28
    # Next year all cars are dearer and older, and sold as before.
    frame = pd.DataFrame({"price": price + 2 * drift, "age": age + 1.6 * drift})
    return frame, is_sold.astype(int)


X_train, y_train = cars(600, 0, seed=0)
X_test, y_test = cars(600, 0, seed=1)
X_next, y_next = cars(600, 1, seed=2)
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)

drift = calibrate_severity(X_train, X_next, random_state=0)
print(drift.words)
print(calibrate_severity(X_train, X_test, random_state=0).words)

levels = [0, 1, 2, 3, 4, 5]
conditions = [MeanDrift(severity) for severity in levels]
results = evaluate_perturbations(model, X_test, y_test, conditions, X_ref=X_train)
expected = severity_weights(levels, drift.severity) @ results.score
observed = model.score(X_next, y_next)
print(f"accuracy expected {expected:.3f}, observed {observed:.3f}")

_, ax = plt.subplots(layout="constrained")
ax.plot(levels, results.score, "o-", label="severity curve")
ax.axvspan(*drift.interval, alpha=0.2, label="observed drift, 95 % interval")
ax.plot(drift.severity, observed, "s", label="rows of the next year")
ax.set(xlabel="severity of a drift of the mean", ylabel="accuracy")
ax.legend()
plt.show()
