"""
How accurate is a model in operation, from few labels?
======================================================

The sampler selects a few inputs of an unlabelled pool, which a person labels.
"""

from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from skrobust.sampling import DeepESTSampler, SimpleRandomSampler

X, y = load_digits(return_X_y=True)
X_train, X_pool, y_train, y_pool = train_test_split(X, y, test_size=0.8, random_state=0)
model = LogisticRegression(max_iter=9999).fit(X_train[:100], y_train[:100])
print(f"true accuracy on the pool: {model.score(X_pool, y_pool):.3f}\n")

for sampler in (
    SimpleRandomSampler(model, random_state=0),
    DeepESTSampler(model, rule="paper", random_state=0),
):
    sampler.fit(X_pool)
    for _ in range(5):
        ids = sampler.ask(40)  # rows that a person looks at
        sampler.tell(ids, y_pool[ids])  # what the person answers
    print(type(sampler).__name__)
    print(sampler.result(), "\n")
