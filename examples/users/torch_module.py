"""A trained torch module."""

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import skrobust
from skrobust.evaluation import evaluate_attack

# The model: trained by you.
digits, labels = load_digits(return_X_y=True)
X, y = (digits / 16).astype("float32"), labels
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
torch.manual_seed(0)
module = torch.nn.Sequential(
    torch.nn.Linear(64, 20), torch.nn.ReLU(), torch.nn.Linear(20, 10)
)
optimizer = torch.optim.Adam(module.parameters(), lr=0.01)
for _ in range(200):
    optimizer.zero_grad()
    answers = module(torch.from_numpy(X_train))
    torch.nn.functional.cross_entropy(answers, torch.from_numpy(y_train)).backward()
    optimizer.step()

# From the model to a decision.
model = skrobust.wrap(module, classes=range(10), sample=X_test)
limits = {"eps": 0.03, "data_range": (0, 1), "random_state": 0}
results = evaluate_attack(model, X_test[:60], y_test[:60], "auto", **limits)
print(results.verdict)
print("deploy" if results.robust_accuracy_interval.low > 0.5 else "train adversarially")
