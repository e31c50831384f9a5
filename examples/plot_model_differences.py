"""Which of three models is more robust?
=====================================

All models are evaluated on the same noisy digits, and their differences are estimated
sample by sample. Hollow points are not significant after correction for all pairs.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from skrobust.perturbations import SaltAndPepper
from skrobust.plots import ModelComparisonDisplay

X, y = load_digits(return_X_y=True)
noise = SaltAndPepper(0.1, image_shape=(8, 8), data_range=(0, 16), random_state=0)
models = {
    "SVC": SVC(),
    "forest": RandomForestClassifier(random_state=0),
    "logistic": LogisticRegression(max_iter=5000),
}
noisy = noise.perturb(None, X[1000:])
predictions = {
    name: model.fit(X[:1000], y[:1000]).predict(noisy) for name, model in models.items()
}
display = ModelComparisonDisplay.from_predictions(
    predictions, y_true=y[1000:], random_state=0
)
print(display.frame().round(3).to_string(index=False))
display.plot()
plt.show()
