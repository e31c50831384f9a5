"""
Which columns of a mixed table is boosting fragile to?
======================================================

A data frame with a text column, whole numbers and measurements goes through a
``ColumnTransformer`` into boosted trees. Each condition changes columns of its kind.
Then, one column changes at a time.
"""

import matplotlib.pyplot as plt
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import CategoryFlip, MeanDrift, tabular
from skrobust.plots import SeverityCurveDisplay

table = load_diabetes(as_frame=True, scaled=False)
X = table.data.assign(sex=table.data["sex"].map({1: "female", 2: "male"}))
y = table.target > 140
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
columns = make_column_transformer((encode, ["sex"]), remainder="passthrough")
trees = HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=8, random_state=0)
model = make_pipeline(columns, trees).fit(X_train, y_train)

conditions = tabular((1, 3, 5), random_state=0)
results = evaluate_perturbations(model, X_test, y_test, conditions, X_ref=X_train)
print(results.verdict)

# %%
# The worst condition shifts every number. One column at a time:
numbers = X.columns.drop("sex")
shifts = [MeanDrift(severity=5, columns=[c]) for c in numbers]
shifts.append(CategoryFlip(severity=5, columns=["sex"], random_state=0))
alone = evaluate_perturbations(model, X_test, y_test, shifts, X_ref=X_train)
for score, column in sorted(zip(alone.score, [*numbers, "sex"], strict=True))[:3]:
    print(f"{column}: {results.clean_score:.3f} -> {score:.3f}")

# %%
SeverityCurveDisplay.from_results(results).plot()
plt.show()
