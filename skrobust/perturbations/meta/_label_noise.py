"""Classifier trained on noisy labels."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import (
    assert_all_finite,
    column_or_1d,
    get_tags,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skrobust._array_checks import (
    check_classes,
    check_same_length,
    check_weights,
    refuse_missing,
)
from skrobust._containers import n_rows, one_per_row, refuse_mask
from skrobust._keyed_noise.generator import seed_number
from skrobust._parameters import Choice, Number, check_parameters
from skrobust._validation import invalid
from skrobust.perturbations.meta.label_flips import (
    check_flip_matrix,
    flip_labels,
    flip_matrix,
)
from skrobust.perturbations.meta.perturbed_estimator import adopt_attributes, inner_has
from skrobust.perturbations.strength import Strength

_RATE = Strength((0.05, 0.1, 0.2, 0.3, 0.4), high=1)


class LabelNoiseClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Classifier trained on labels of which a share is flipped.

    Labels are flipped in ``fit`` alone; predictions and scores are those of the
    classifier that learned from them. Whether a label flips, and to which class,
    depends on ``random_state``, on the content of its row and on the label, not on the
    order of the rows; labels flipped at a low rate stay flipped, to the same label, at
    every higher one.

    Parameters
    ----------
    estimator : classifier
        What is fitted; a clone of it is used.
    rate : float in [0, 1], default=None
        Share of the labels that are flipped.
    kind : {"symmetric", "pair", "matrix"}, default="symmetric"
        A flipped label becomes any other class, evenly; the next class in sorted order
        (the first after the last); or a class by ``matrix``.
    severity : float in [0, 5], default=None
        Rate of .05, .1, .2, .3, .4 at severities 1 to 5, linear between, in place of
        ``rate``. With neither, severity 1 holds.
    matrix : array-like of shape (n_classes, n_classes), default=None
        For ``kind="matrix"``, and in place of rate and severity: the probability that
        a label of class i (row, in sorted order) is recorded as class j. Rows sum to 1.
    random_state : int, RandomState, Generator or None, default=None
        The same int flips the same labels.

    Attributes
    ----------
    estimator_ : classifier
        The fitted clone.
    classes_ : ndarray
        Its classes; one that lost all its labels is not among them.
    flipped_ : ndarray of shape (n_samples,), bool
        Which training labels were changed.
    n_features_in_ : int
        Number of features, where the classifier knows it.

    Raises
    ------
    ValueError
        For rates outside [0, 1], or a matrix that does not fit the classes.

    References
    ----------
    .. [1] G. Patrini et al., "Making Deep Neural Networks Robust to Label Noise: a Loss
       Correction Approach", CVPR 2017, for noise by a matrix of transitions.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.perturbations import LabelNoiseClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000)
    >>> noisy = LabelNoiseClassifier(model, rate=0.3, random_state=0).fit(X, y)
    >>> int(noisy.flipped_.sum())
    43
    >>> noisy.score(X, y) > 0.8
    True
    """

    _parameter_rules = {
        "kind": Choice("symmetric", "pair", "matrix"),
        "severity": Number(low=0, high=5, optional=True),
        "rate": _RATE,
    }

    @classmethod
    def _get_test_params(cls):
        params = {"estimator": LogisticRegression(), "random_state": 0}
        return [{**params, "severity": 1}, {**params, "rate": 0.1, "kind": "pair"}]

    def __init__(
        self,
        estimator,
        rate=None,
        *,
        kind="symmetric",
        severity=None,
        matrix=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.rate = rate
        self.kind = kind
        self.severity = severity
        self.matrix = matrix
        self.random_state = random_state

    def fit(self, X, y, **fit_params):
        """Flip labels and fit a clone of the classifier on them.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, ...)
            Training rows, as the classifier takes them.
        y : array-like of shape (n_samples,)
            Labels; never changed.
        **fit_params : dict
            Handed to the ``fit`` of the classifier.

        Returns
        -------
        self : object
            The fitted model.
        """
        caller = type(self).__name__
        if y is None:
            raise ValueError(
                f"{caller} requires y to be passed, but the target y is None."
            )
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise invalid("estimator", caller, "a classifier", self.estimator)
        refuse_mask(X, "X")
        y = column_or_1d(one_per_row(y, "y", caller), warn=True)
        refuse_missing(y, caller, "y")
        assert_all_finite(y, input_name="y")
        check_classes(y, caller)
        check_same_length(caller, X=X, y=y)
        classes, codes = np.unique(y, return_inverse=True)
        noisy = self._flip(codes, len(classes), X)
        self.flipped_ = noisy != codes
        self.estimator_ = clone(self.estimator).fit(X, classes[noisy], **fit_params)
        adopt_attributes(self, self.estimator_)
        return self

    def _flip(self, codes, n_classes, X):
        caller = type(self).__name__
        check_parameters(self)
        either = ("rate", "severity", "matrix")
        given = [name for name in either if getattr(self, name) is not None]
        if len(given) > 1 or (self.matrix is not None and self.kind != "matrix"):
            raise ValueError(
                f"{caller} takes one of 'rate', 'severity' and, with kind='matrix', "
                f"'matrix'. Got {', '.join(given)} and kind={self.kind!r}."
            )
        if self.kind == "matrix":
            flips = check_flip_matrix(self.matrix, n_classes, caller)
        else:
            rate = _RATE.in_force(self.rate, self.severity)
            flips = flip_matrix(self.kind, rate, n_classes)
        seed = seed_number(self.random_state, caller)
        return flip_labels(codes, flips, X, seed)

    @available_if(inner_has("predict"))
    def predict(self, X):
        """Predict labels.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        check_is_fitted(self)
        refuse_mask(X, "X")
        return self.estimator_.predict(X)

    def score(self, X, y, sample_weight=None):
        """Return the accuracy of the predictions; no label is flipped here.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Rows.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            Accuracy.
        """
        refuse_mask(X, "X")
        refuse_mask(y, "y")
        weight = check_weights(sample_weight, n_rows(X), type(self).__name__)
        return super().score(X, y, weight)

    @available_if(inner_has("predict_proba"))
    def predict_proba(self, X):
        """Predict probabilities.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    @available_if(inner_has("predict_log_proba"))
    def predict_log_proba(self, X):
        """Predict logarithms of probabilities.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms, in the order of ``classes_``.
        """
        check_is_fitted(self)
        return self.estimator_.predict_log_proba(X)

    @available_if(inner_has("decision_function"))
    def decision_function(self, X):
        """Return the decision values of the classifier.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            As the classifier gives them.
        """
        check_is_fitted(self)
        return self.estimator_.decision_function(X)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator)
            tags.input_tags = inner.input_tags
            if inner.classifier_tags is not None:
                tags.classifier_tags = inner.classifier_tags
            tags.non_deterministic = inner.non_deterministic
        return tags
