"""Do the parameters of a model change its robustness to noise?
============================================================

The results of a search with one scorer per condition contain the severity curve and the
stability surface of its candidates.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from skrobust.metrics import make_robust_scorer
from skrobust.perturbations import SaltAndPepper
from skrobust.plots import SeverityCurveDisplay, StabilitySurfaceDisplay

X, y = load_digits(return_X_y=True)
images = {"image_shape": (8, 8), "data_range": (0, 16), "random_state": 0}
levels = {f"noise {s}": s for s in (1, 3, 5)}
scoring = {"clean": "accuracy"} | {
    name: make_robust_scorer(SaltAndPepper(severity=s, **images))
    for name, s in levels.items()
}
search = GridSearchCV(
    SVC(), {"gamma": [0.0005, 0.002, 0.005]}, scoring=scoring, refit="clean", cv=3
).fit(X[:900], y[:900])
curve = SeverityCurveDisplay.from_cv_results(
    search.cv_results_, levels, clean="clean", name=str(search.best_params_)
)
print(curve.frame().round(3).to_string(index=False))
curve.plot()
surface = StabilitySurfaceDisplay.from_cv_results(
    search.cv_results_, ["clean", *levels]
)
surface.plot()  # surface.plot_interactive() turns in a notebook
plt.show()
