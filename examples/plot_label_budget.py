"""
How do estimates improve with the number of labels?
===================================================

Several samplers are simulated on the same pool with several budgets. Since the labels
of this pool are known, the estimates can be compared with the true accuracy.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from skrobust.plots import LabelBudgetDisplay
from skrobust.sampling import (
    DeepESTSampler,
    OperationalSampler,
    SimpleRandomSampler,
    simulate,
)

X, y = load_digits(return_X_y=True)
X_train, X_pool, y_train, y_pool = train_test_split(X, y, test_size=0.8, random_state=0)
model = LogisticRegression(max_iter=9999).fit(X_train[:100], y_train[:100])
scores = 1 - model.predict_proba(X_pool).max(axis=1)
failed = model.predict(X_pool) != y_pool

samplers = {
    "simple random": SimpleRandomSampler(),
    "DeepEST (released)": DeepESTSampler(rule="released"),
    "operational": OperationalSampler(),
    "operational, balanced": OperationalSampler(failure_emphasis="balanced"),
}
results = simulate(
    samplers, scores, failed, n_labels=(50, 100, 200, 400), n_repeats=100,
    random_state=0,
)  # fmt: skip

print(f"pool of {len(failed)}, true accuracy {results.true_accuracy:.3f}\n")
print("sampler                labels   RMSE  failures  coverage  width")
for i, name in enumerate(results.sampler):
    print(
        f"{name:22s} {results.n_labels[i]:6d}  {results.rmse[i]:.4f}  "
        f"{results.failures[i]:7.1f}  {results.coverage[i]:8.2f}  "
        f"{results.width[i]:.3f}"
    )

LabelBudgetDisplay.from_results(results).plot()
plt.show()
