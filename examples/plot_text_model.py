"""
How much do typos cost a text classifier, and what do pieces of words save?
===========================================================================

Two pipelines learn which module of scikit-learn a paragraph of its documentation is
from: one counts words, the other pieces of words. Misspelt words are unknown to the
first.
"""

import matplotlib.pyplot as plt
import numpy as np
import sklearn.cluster
import sklearn.linear_model
import sklearn.metrics
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from skrobust.evaluation import evaluate_perturbations
from skrobust.metrics import compare_models
from skrobust.perturbations import OCRErrors, Typos, WordDrop

documents, topics = [], []
for module in (sklearn.cluster, sklearn.linear_model, sklearn.metrics):
    for name in module.__all__:
        paragraphs = (getattr(module, name).__doc__ or "").split("\n\n")[1:4]
        documents += paragraphs
        topics += [module.__name__] * len(paragraphs)
X_train, X_test, y_train, y_test = train_test_split(documents, topics, random_state=0)
vectorizers = {
    "words": TfidfVectorizer(),
    "pieces of words": TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4)),
}
kinds = [Typos, OCRErrors, WordDrop]
conditions = [kind(severity=s, random_state=0) for kind in kinds for s in range(1, 6)]
results = {}
for name, vectorizer in vectorizers.items():
    model = make_pipeline(vectorizer, LogisticRegression(C=10)).fit(X_train, y_train)
    results[name] = evaluate_perturbations(model, X_test, y_test, conditions)
    print(f"{name}: {results[name].verdict}")

# %%
# Both answer for the same texts with the most typos, and are compared in pairs.
correct = {name: found.correct[:, 4] for name, found in results.items()}
print(compare_models(correct).to_frame().T)

# %%
for name, found in results.items():
    plt.plot(
        range(6), [found.clean_score, *np.reshape(found.score, (3, 5))[0]], label=name
    )
plt.gca().set(xlabel="Severity of typos", ylabel="Accuracy")
plt.legend()
plt.show()
