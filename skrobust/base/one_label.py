"""One label, or any label, of a model that answers with several, as a classifier."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from skrobust._array_checks import refuse_missing
from skrobust._containers import one_per_row
from skrobust._responses import is_net, respond, unwrap
from skrobust._validation import invalid
from skrobust.base.label_codes import codes, digits, joint

ANY = "any"


class OneLabel(ClassifierMixin, BaseEstimator):
    """One label, or any label, of a fitted model that predicts several labels per row.

    Attacks, scorers and evaluations see a classifier of this label alone. With
    ``label="any"`` they see one whose classes are the combinations of all labels, so
    that a row is right where all its labels are, and fooled where any of them flips:
    the margin of a combination is the smallest of the margins of its labels.

    Parameters
    ----------
    estimator : fitted estimator
        Of several labels: of scikit-learn (MultiOutputClassifier, OneVsRestClassifier,
        MLPClassifier, trees, forests, neighbours; bare or in a Pipeline), or a skorch
        net with BCEWithLogitsLoss or BCELoss, one output for each label.
    label : int or "any"
        Place of the label. "any": all of them, with at most 1024 combinations.

    Attributes
    ----------
    classes_ : ndarray
        The values of the label, or the codes 0, 1, ... of the combinations, of which
        the last label changes first. Nets do not list those.

    Notes
    -----
    The probability of a combination is the product of those of its labels, as if they
    were independent given the row.

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
    >>> whole = OneLabel(model, "any")
    >>> float(FGSM(0.6).run(whole, X, whole.codes(Y)).success.mean())
    1.0
    """

    def __init__(self, estimator, label):
        self.estimator = estimator
        self.label = label

    @property
    def place(self):
        """The parameter ``label``, checked."""
        if isinstance(self.label, str) and self.label != ANY:
            rule = "the place of a label, or 'any'"
            raise invalid("label", "OneLabel", rule, self.label)
        return self.label

    @property
    def classes_(self):
        """Values of the label, or codes of combinations."""
        values, is_any = self._values(), self.place == ANY
        if values is None:  # a net does not say how many labels it has
            if is_any:
                raise AttributeError("A net does not list its labels.")
            return np.array([0, 1])
        if is_any:
            return np.arange(len(digits([len(v) for v in values])))
        return values[self.label] if self.label < len(values) else np.array([0, 1])

    def _values(self):
        """Return the values of each label; None where the model does not list them."""
        model = unwrap(self.estimator)[1]
        if type(model).__name__ == "MultiOutputClassifier":
            return [member.classes_ for member in model.estimators_]
        listed = getattr(model, "classes_", None)
        if isinstance(listed, list):
            return [np.asarray(values) for values in listed]
        if is_net(model) or listed is None:
            return None
        return len(listed) * [np.array([0, 1])]

    def codes(self, Y):
        """Return the combinations of labels as codes, for ``label="any"``.

        Parameters
        ----------
        Y : array-like of shape (n_samples, n_labels)
            True labels.

        Returns
        -------
        ndarray of shape (n_samples,), int
            The ``y`` of attacks, scorers and evaluations; -1 for a combination with a
            value that the model never saw.
        """
        Y = one_per_row(Y.toarray() if hasattr(Y, "toarray") else Y)
        refuse_missing(Y, "OneLabel.codes", "Y")
        values = self._values()
        if Y.ndim != 2 or (values is not None and Y.shape[1] != len(values)):
            k = "n_labels" if values is None else len(values)
            raise ValueError(
                f"OneLabel.codes needs Y of shape (n_samples, {k}). Got shape "
                f"{Y.shape} instead."
            )
        return codes(Y, Y.shape[1] * [np.array([0, 1])] if values is None else values)

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
            if self.place == ANY:
                bits = [p[:, 1] > 0.5 for p in self._each(X)]
                return self.codes(np.column_stack(bits))
            return (self.predict_proba(X)[:, 1] > 0.5).astype(int)
        answers = respond(self.estimator, "predict", X)
        if self.place == ANY:
            return self.codes(answers)
        answers = answers.toarray() if hasattr(answers, "toarray") else answers
        return self._column(np.asarray(answers))

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
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
        if self.place == ANY:
            return joint(self._each(X))
        answers = respond(self.estimator, "predict_proba", X)
        if isinstance(answers, list):
            return np.asarray(answers[self.label])
        answers = np.asarray(answers)
        if answers.ndim == 3:  # skorch: both values before the labels
            answers = answers[:, 1]
        p = self._column(answers)
        return np.column_stack([1 - p, p])

    def _each(self, X):
        """Return the probabilities of the values of every label."""
        answers = respond(self.estimator, "predict_proba", X)
        if isinstance(answers, list):
            return [np.asarray(p) for p in answers]
        answers = np.asarray(answers)
        answers = answers[:, 1] if answers.ndim == 3 else answers
        return [np.column_stack([1 - p, p]) for p in answers.T]

    def _column(self, answers):
        if answers.ndim != 2 or not 0 <= self.label < answers.shape[1]:
            k = answers.shape[1] if answers.ndim == 2 else 1
            rule = f"the place of a label, below {k}"
            raise invalid("label", "OneLabel", rule, self.label)
        return answers[:, self.label]
