"""
Is one model more stable than another?
======================================

Both models are evaluated on the same images under the same conditions, and their
difference is estimated image by image.
"""

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from skrobust.evaluation import evaluate_perturbations
from skrobust.metrics import compare_models, confidence_interval
from skrobust.perturbations import two_factor_grid

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
grid = two_factor_grid("asi68", image_shape=(8, 8), data_range=(0, 16), random_state=0)

right = {}
for model in (SVC(), RandomForestClassifier(random_state=0)):
    model.fit(X_train, y_train)
    name = type(model).__name__
    right[name] = evaluate_perturbations(model, X_test, y_test, grid).correct
    print(name, confidence_interval("accuracy_stability_index", right[name]))

for metric in ("robust_accuracy", "accuracy_stability_index"):
    found = compare_models(right, metric=metric, random_state=0)
    print(
        f"{metric}: difference {found.difference[0]:.4f}, "
        f"{found.low[0]:.4f} to {found.high[0]:.4f}, p {found.p_value[0]:.2g}"
    )
