"""Base class of measures of surprise."""

from abc import ABC, abstractmethod
from contextlib import contextmanager

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from skrobust._array_checks import check_classes, check_finite_rows, check_same_length
from skrobust._containers import is_frame, refuse_mask, shape_of
from skrobust._parallel import StepBar, counting
from skrobust._parameters import Choice, Count, SharedParameters, check_parameters
from skrobust._responses import predict_labels, refuse_regressor
from skrobust.base.checked_numbers import checked_numbers
from skrobust.metrics.labels import label_array
from skrobust.sampling.core.prefitted import PrefittedMixin
from skrobust.sampling.surprise._activations import POOLS, as_rows, extract_activations


class BaseSurprise(SharedParameters, PrefittedMixin, BaseEstimator, ABC):
    """Base class of measures of surprise: ``fit`` and ``score_samples``.

    A subclass writes ``_learn``, ``_scores`` and ``_fitting_class``. The model is used
    as it is, never refitted, and ``clone`` keeps it fitted.
    """

    _parameter_rules = {
        "pool": Choice(*POOLS),
        "unseen": Choice("raise", "inf", "nan"),
        "verbose": Count(low=0),
    }
    _added_before = "unseen"
    _n_searches = 1  # that a score takes

    def __init__(
        self,
        estimator=None,
        *,
        layer=None,
        pool="flatten",
        batch_size=None,
        unseen="raise",
        verbose=0,
    ):
        self.estimator = estimator
        self.layer = layer
        self.pool = pool
        self.batch_size = batch_size
        self.unseen = unseen
        self.verbose = verbose

    def fit(self, X, y=None, *, y_pred=None):
        """Fit the measure to the training activations.

        Parameters
        ----------
        X : array-like or tensor of shape (n_samples, n_units) or (n_samples, ...)
            Activations, or, with an ``estimator``, its training inputs.
        y : array-like of shape (n_samples,), default=None
            Predicted classes, as the literature has it; true labels would make another
            score. Ignored with an ``estimator``, which predicts itself.
        y_pred : array-like of shape (n_samples,), default=None
            The same by name, and also with an ``estimator``, whose predictions it
            replaces.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            For activations that are not finite, missing classes, unequal lengths, and
            where a class does not allow what has to be learned.
        """
        check_parameters(self)
        if y_pred is None and self.estimator is None and self._needs_classes():
            y_pred = y
        activations, labels = self._read(X, y_pred, reset=True)
        if self._needs_classes() and labels is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but "
                "the target y is None: give the predicted classes, or an estimator."
            )
        if labels is None:
            labels = np.zeros(len(activations), dtype=np.intp)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.n_units_ = activations.shape[1]
        with self._counted("fit", len(codes)):
            self._learn(activations, codes)
        return self

    def score_samples(self, X, y_pred=None):
        """Return the surprise of each input; higher is more surprising.

        Parameters
        ----------
        X : array-like or tensor of shape (n_samples, n_units) or (n_samples, ...)
            Activations, or, with an ``estimator``, its inputs.
        y_pred : array-like of shape (n_samples,), default=None
            Predicted classes. None: as the ``estimator`` predicts; without one, each
            input counts as of the class that fits its activations best.

        Returns
        -------
        scores : ndarray of shape (n_samples,), float64
            Each depends on its own row alone.

        Raises
        ------
        ValueError
            For activations that are not finite or of another width, and for classes
            that were never predicted in training (see ``unseen``).
        """
        check_is_fitted(self)
        check_parameters(self)
        activations, labels = self._read(X, y_pred, reset=False)
        if not self._needs_classes():
            codes = np.zeros(len(activations), dtype=np.intp)
            return self._counted_scores(activations, codes)
        if labels is None:
            return self._counted_scores(activations, self._fitting_class(activations))
        known, codes = self._codes(labels)
        scores = np.full(len(codes), np.nan if self.unseen == "nan" else np.inf)
        if known.any():
            scores[known] = self._counted_scores(activations[known], codes[known])
        return scores

    def _counted_scores(self, activations, codes):
        with self._counted("score", self._n_searches * len(codes)):
            return self._scores(activations, codes)

    @contextmanager
    def _counted(self, what, n_steps):
        """Context with a bar over rows, which loops inside of it move."""
        if not self.verbose:
            yield
            return
        label = f"{type(self).__name__}, {what}"
        with StepBar(n_steps, label, self.verbose) as bar, counting(bar):
            yield

    @abstractmethod
    def _learn(self, activations, codes):
        """Take in training activations and the position of each in ``classes_``."""

    @abstractmethod
    def _scores(self, activations, codes):
        """Return the score of each row, given its class."""

    @abstractmethod
    def _fitting_class(self, activations):
        """Return for each row the position of the class that fits it best."""

    def _needs_classes(self):
        return True

    def _read(self, X, labels, *, reset):
        """Return activations as rows, and classes where they are given or needed."""
        caller = type(self).__name__
        if self.estimator is None:
            activations = checked_numbers(self, X, reset=reset)
            if activations.dtype not in (np.float64, np.float32):
                activations = activations.astype(np.float64)
        else:
            refuse_mask(X, "X")
            if len(shape_of(X, "X", caller)) == 2 or is_frame(X):
                validate_data(self, X, skip_check_array=True, reset=reset)
            if labels is None and self._needs_classes():
                cure = "MahalanobisSurprise(covariance='global') needs no classes."
                refuse_regressor(self.estimator, caller, cure)
                labels = predict_labels(self.estimator, X)
            names = ("layer", "pool", "batch_size", "verbose")
            options = {name: getattr(self, name) for name in names}
            activations = extract_activations(self.estimator, X, **options)
        activations = as_rows(check_finite_rows(activations, caller), self.pool)
        if not reset and activations.shape[1] != self.n_units_:
            raise ValueError(
                f"{caller} was fitted on {self.n_units_} activations a row; got "
                f"{activations.shape[1]}."
            )
        if labels is not None:
            labels = label_array(labels, caller, "y_pred")
            check_classes(labels, caller, "y_pred")
            check_same_length(caller, X=activations, y_pred=labels)
        return activations, labels

    def _codes(self, labels):
        """Return which labels are known, and the position of each in ``classes_``."""
        found, inverse = np.unique(labels, return_inverse=True)
        place = {label: i for i, label in enumerate(self.classes_.tolist())}
        codes = np.array([place.get(label, -1) for label in found.tolist()])
        unseen = found[codes < 0].tolist()
        if unseen and self.unseen == "raise":
            raise ValueError(
                f"{type(self).__name__} knows no training activation of the predicted "
                f"classes {unseen}. Fit it on training data that cover them, or set "
                "unseen='inf' or 'nan'."
            )
        return (codes >= 0)[inverse], codes[inverse]

    def __sklearn_is_fitted__(self):
        return hasattr(self, "classes_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.estimator is None and self._needs_classes()
        tags.input_tags.three_d_array = True
        return tags
