"""
What repairs a model?
=====================

A logistic regression on breast cancer data loses accuracy where units are mixed up and
where columns drift. :func:`~skrobust.evaluation.suggest_repairs` fits repairs, chooses
one on other rows than those that report, and shows both scores of each.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.evaluation import suggest_repairs
from skrobust.perturbations import tabular
from skrobust.plots import RepairParetoDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = make_pipeline(StandardScaler(), LogisticRegression())
conditions = tabular(severities=(3, 5), random_state=0)
kinds = ["clipping", "scaling", "drop_column", "noise_training", "calibration"]
repairs = suggest_repairs(model, X, y, conditions, candidates=kinds, random_state=0)
print(repairs.verdict)
print(repairs.weaknesses.to_frame())

# %%
# The dashed line is the front: nothing is better in both. Where intervals overlap, the
# paired differences tell more.
RepairParetoDisplay.from_results(repairs).plot()
plt.show()
columns = ["name", "difference", "difference_low", "difference_high", "p_adjusted"]
print(repairs.to_frame()[columns].round(3).to_string())

# %%
# The winner, as code. It is measured under these conditions and under no others.
print(repairs.code)
