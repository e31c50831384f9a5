"""An endpoint, or any function that answers for rows."""

from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skrobust
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.perturbations import tabular

X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
hidden = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)


def answer(rows):
    """Stand for your service; wrap also takes the address of an HTTP endpoint."""
    return hidden.predict_proba(rows)


# From the model to a decision.
model = skrobust.wrap(answer, classes=[0, 1, 2], sample=X_test)
noise = tabular(random_state=0)
results = evaluate_perturbations(model, X_test, y_test, noise, X_ref=X_train)
attacked = evaluate_attack(model, X_test, y_test, "auto", eps="0.1 std")
low = min(results.worst_interval.low, attacked.robust_accuracy_interval.low)
print(results.verdict, attacked.verdict, "deploy" if low > 0.6 else "repair", sep="\n")
