"""
Do predicted probabilities hold under attack?
=============================================

Two models have similar robust accuracy. The robust ratio is the proportion of samples
whose probability of the predicted class changes by at most a tolerance under attack. It
depends on calibration, so the curve after temperature scaling is shown as well.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from skrobust.attacks import PGD
from skrobust.evaluation import evaluate_attack
from skrobust.plots import RobustRatioDisplay

X, y = load_breast_cancer(return_X_y=True)
X = MinMaxScaler().fit_transform(X)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
attack = PGD(eps=0.03, data_range=(0, 1), random_state=0)

figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for C, ax in zip((0.1, 100.0), axes, strict=True):
    model = make_pipeline(MinMaxScaler(), LogisticRegression(C=C, max_iter=9999))
    model.fit(X_train, y_train)
    results = evaluate_attack(model, X_test, y_test, attack)
    print(
        f"C={C:g}: robust accuracy {results.robust_accuracy:.3f}, robust ratio at .05 "
        f"{results.robust_ratio_probability_shift[5]:.3f}"
    )
    RobustRatioDisplay.from_results(results, name=f"C = {C:g}").plot(ax=ax)
plt.show()
