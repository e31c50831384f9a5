"""Boosted trees: the strongest attack that is known for them."""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

from skrobust.evaluation import evaluate_attack

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
models = {"scikit-learn": HistGradientBoostingClassifier(max_iter=50)}
try:
    from xgboost import XGBClassifier

    models["XGBoost"] = XGBClassifier(n_estimators=50, max_depth=3)
except ImportError:  # pip install "skrobust[boosting]"
    pass
for model in models.values():
    model.fit(X_train, y_train)

# From the model to a decision.
for name, model in models.items():
    results = evaluate_attack(model, X_test, y_test, "auto", eps="0.1 std")
    print(name, results.verdict)
    print("deploy" if results.robust_accuracy_interval.low > 0.8 else "repair")
