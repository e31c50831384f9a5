"""
Which of two models is more stable under image perturbations?
=============================================================

Both models are scored under the 68 two-factor conditions and the clean one. The levels
were chosen for photographs; on digits of 8 x 8 pixels, the figure is only a smoke test.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import two_factor_grid
from skrobust.plots import PerturbationGridDisplay, StabilitySurfaceDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
grid = two_factor_grid("asi68", image_shape=(8, 8), data_range=(0, 16), random_state=0)

results = {}
for model in (SVC(), RandomForestClassifier(random_state=0)):
    name = type(model).__name__
    model.fit(X_train, y_train)
    results[name] = evaluate_perturbations(model, X_test, y_test, grid)
    print(
        f"{name}: clean {results[name].score[0]:.3f}, "
        f"mean {results[name].mean:.3f}, "
        f"ASI {results[name].accuracy_stability_index:.3f}"
    )

StabilitySurfaceDisplay.from_results(results).plot()
PerturbationGridDisplay.from_results(results["SVC"]).plot()
plt.show()
