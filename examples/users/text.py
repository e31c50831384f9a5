"""Text: typos, missing words, and words exchanged by an attack."""

import sklearn.cluster
import sklearn.linear_model
import sklearn.metrics
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import text

# Stands for your documents: what scikit-learn says about its classes and functions.
modules = [sklearn.cluster, sklearn.linear_model, sklearn.metrics]
documents, topics = [], []
for module in modules:
    for name in module.__all__:
        paragraphs = (getattr(module, name).__doc__ or "").split("\n\n")[1:4]
        documents += paragraphs
        topics += [module.__name__] * len(paragraphs)
X_train, X_test, y_train, y_test = train_test_split(documents, topics, random_state=0)
model = make_pipeline(TfidfVectorizer(), LogisticRegression(C=10))
model.fit(X_train, y_train)

# From the model to a decision.
conditions = [c for c in text(random_state=0) if "accents" not in c.name]  # English
results = evaluate_perturbations(model, X_test, y_test, conditions)
print(results)
lost = results.clean_score - results.worst_score
print("deploy" if lost < 0.1 else f"correct the spelling: {results.worst_condition}")
