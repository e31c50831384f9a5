"""Quick classifiers on one data set, drawn from a table or from a normal design."""

import numpy as np
from label_scores import scores_of_models
from learning_curves import as_numbers
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

INFORMATIVE, FRESH = 5, 1000  # columns that tell the classes; rows that no fit sees
MODELS = {
    "logistic": LogisticRegression(max_iter=300),
    "naive Bayes": GaussianNB(),
    "LDA": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    "SVM": SVC(),
}


def measured(X, y, fresh, of_fresh, seed):
    """Return scores of each model on a data set, and its accuracy on fresh rows."""
    largest = y == np.bincount(y).argmax()  # so that two classes train
    split = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=largest)

    def at_large(model):
        return {"truth": accuracy_score(of_fresh, model.predict(fresh))}

    return scores_of_models(MODELS, split, y, at_large)


def two_classes(n, d, ratio, separation, rng):
    """Return normal rows whose classes lie ``separation`` apart in five columns."""
    few = max(2, round(n / (1 + ratio)))
    y = np.repeat([0, 1], [n - few, few])
    X = rng.normal(size=(n, d))
    X[:, :INFORMATIVE] += y[:, None] * separation / np.sqrt(INFORMATIVE)
    return X, y


def cell(n, d, ratio, separation, n_repeats):
    """Return the scores of each repeat in one cell of the design."""
    found = []
    for repeat in range(n_repeats):
        rng = np.random.default_rng((n, d, ratio, int(10 * separation), repeat))
        data = two_classes(n, d, ratio, separation, rng)
        found.append(measured(*data, *two_classes(FRESH, d, ratio, separation, rng), 0))
    return found


def real(X, y, size, n_repeats):
    """Return the scores of data sets of a table; all its other rows are fresh."""
    X, y, found = as_numbers(X), np.unique(y, return_inverse=True)[1], []
    for repeat in range(n_repeats):
        rows = np.random.default_rng(repeat).permutation(len(y))
        of, fresh = rows[:size], rows[size : size + FRESH]
        if np.unique(y[of], return_counts=True)[1].max() < size - 3:
            found.append(measured(X[of], y[of], X[fresh], y[fresh], repeat))
    return found
