"""Is a model equally robust for all groups?
=========================================

The same noise is added to all rows; the groups are age groups of patients. The figure
shows the value of each group and the gaps between groups, with their intervals.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict

from skrobust.metrics import group_robustness
from skrobust.perturbations import FeatureNoise, PerturbedClassifier
from skrobust.plots import GroupGapDisplay

data = load_diabetes(scaled=False)
X, y = data.data, (data.target > np.median(data.target)).astype(int)
age = np.array(["under 40", "40 to 54", "55 and over"])[np.digitize(X[:, 0], [40, 55])]
forest = RandomForestClassifier(100, random_state=0)
noisy = PerturbedClassifier(forest, FeatureNoise(severity=3, random_state=0))
y_pred = cross_val_predict(noisy, X, y, cv=5)
results = group_robustness(y, y_pred, age, random_state=0)
print(results.to_frame().round(3).to_string(index=False))
print(f"range {results.range:.3f}, by chance {results.range_by_chance:.3f}")
_, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
display = GroupGapDisplay.from_results(results)
display.plot(axes[0])
display.plot(axes[1], kind="gaps")
plt.show()
