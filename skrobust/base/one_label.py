"""One label of a model that answers with several, as a classifier."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from skrobust._responses import is_net, unwrap
from skrobust._validation import invalid


class OneLabel(ClassifierMixin, BaseEstimator):
    """One label of a fitted model that predicts several labels per row.

    Attacks, scorers and evaluations see a classifier of this label alone. A row is
    fooled in any label where one of these attacks fools it.

    Parameters
    ----------
    estimator : fitted estimator
        Of several labels: of scikit-learn (MultiOutputClassifier, OneVsRestClassifier,
        MLPClassifier, trees, forests, neighbours; bare or in a Pipeline), or a skorch
        net with BCEWithLogitsLoss or BCELoss, one output for each label.
    label : int
        Place of the label.

    Attributes
    ----------
    classes_ : ndarray
        The values of the label.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.multioutput import MultiOutputClassifier
    >>> from skrobust.attacks import FGSM, OneLabel
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> Y = X.astype(int)
    >>> model = MultiOutputClassifier(LogisticRegression(C=100)).fit(X, Y)
    >>> fooled = [
    ...     FGSM([0.4, 0.6][k]).run(OneLabel(model, k), X, Y[:, k]).success.mean()
    ...     for k in range(2)
    ... ]
    >>> [float(share) for share in fooled]
    [0.0, 1.0]
    """

    def __init__(self, estimator, label):
        self.estimator = estimator
        self.label = label

    def __sklearn_is_fitted__(self):
        return True

    @property
    def classes_(self):
        """Values of the label."""
        model = unwrap(self.estimator)[1]
        members = getattr(model, "estimators_", None)
        if type(model).__name__ == "MultiOutputClassifier":
            return members[self.label].classes_
        listed = getattr(model, "classes_", None)
        if isinstance(listed, list):
            return np.asarray(listed[self.label])
        return np.array([0, 1])

    def predict(self, X):
        """Return the predicted values of the label.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Rows, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            One value a row.
        """
        if is_net(unwrap(self.estimator)[1]):
            return (self.predict_proba(X)[:, 1] > 0.5).astype(int)
        answers = self.estimator.predict(X)
        answers = answers.toarray() if hasattr(answers, "toarray") else answers
        return self._column(np.asarray(answers))

    def predict_proba(self, X):
        """Return the probabilities of the values of the label.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Rows, as the model takes them.

        Returns
        -------
        ndarray of shape (n_samples, n_values)
            In the order of ``classes_``.
        """
        answers = self.estimator.predict_proba(X)
        if isinstance(answers, list):
            return np.asarray(answers[self.label])
        answers = np.asarray(answers)
        if answers.ndim == 3:  # skorch: both values before the labels
            answers = answers[:, 1]
        p = self._column(answers)
        return np.column_stack([1 - p, p])

    def _column(self, answers):
        if answers.ndim != 2 or not 0 <= self.label < answers.shape[1]:
            k = answers.shape[1] if answers.ndim == 2 else 1
            rule = f"the place of a label, below {k}"
            raise invalid("label", "OneLabel", rule, self.label)
        return answers[:, self.label]
