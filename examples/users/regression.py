"""A regressor: how far its error grows under drift, noise and missing values."""

from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import train_test_split

from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import tabular

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
model = RandomForestRegressor(30, random_state=0).fit(X_train, y_train)

# From the model to a decision.
conditions = tabular(random_state=0)
results = evaluate_perturbations(model, X_test, y_test, conditions, X_ref=X_train)
print(results)
print("deploy" if results.worst_score > 0.2 else f"watch: {results.worst_condition}")
