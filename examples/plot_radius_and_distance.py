"""How large must an adversarial perturbation be?
==============================================

Robust accuracy over the radius of an attack, and the distance of each sample to its
nearest adversarial example. Both give the same curve.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import minmax_scale

from skrobust.attacks import PGD, ExactLinear
from skrobust.evaluation import robust_accuracy_curve
from skrobust.plots import MinimalNormDisplay, RobustAccuracyCurveDisplay

X, y = load_breast_cancer(return_X_y=True)
X = minmax_scale(X)
curves, norms = {}, {}
for C in (1, 0.02):
    model = LogisticRegression(C=C).fit(X[:400], y[:400])
    test, radii = (model, X[400:], y[400:]), np.linspace(0.01, 0.25, 25)
    curves[f"C = {C}"] = robust_accuracy_curve(*test, PGD(random_state=0), radii)
    norms[f"C = {C}"] = ExactLinear().minimal_norms(*test)
    print(f"C = {C}: median distance {np.median(norms[f'C = {C}']):.3f}")
_, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
unit = "l-inf norm, range of a feature is 1"
RobustAccuracyCurveDisplay.from_results(curves, norm_name=unit).plot(axes[0])
MinimalNormDisplay.from_results(norms, norm_name=unit).plot(axes[1])
plt.show()
