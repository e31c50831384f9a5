"""Base class of skorch classifiers with labels of any kind."""

import copy

import numpy as np
import torch
from sklearn.utils import check_random_state

from skrobust._array_checks import check_same_length, check_targets
from skrobust.nets.frozen_layers import (
    CALLER,
    freeze_parameters,
    n_outputs,
    set_frozen_to_eval,
)
from skrobust.nets.seeded_classifier import SeededFit


class LabelledNet(SeededFit):
    """Base class of nets between the labels of the user and the outputs of a module.

    ``classes`` stands in the order of the module's outputs; everything that leaves
    ``infer`` stands in sorted order, so skorch, scorers and attacks see one order.
    """

    def __init__(self, module, *, classes=None, freeze=None, random_state=0, **kwargs):
        self.freeze = freeze
        self.random_state = random_state
        super().__init__(module, **kwargs)
        self.classes = classes

    @property
    def classes_(self):
        """Sorted labels; their positions while skorch fits."""
        if self.classes is not None:
            labels = np.sort(np.asarray(self.classes))
        elif hasattr(self, "labels_"):
            labels = self.labels_
        else:
            raise AttributeError(
                f"{type(self).__name__} knows its classes after fit, or by classes=."
            )
        return np.arange(len(labels)) if self._works_in_columns else labels

    _works_in_columns = False

    def label_columns(self, y):
        """Return the column of each label, -1 for labels that the net does not know.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        columns : ndarray of int of shape (n_samples,)
            Columns of ``predict_proba``.
        """
        values = np.asarray(y)
        columns = np.full(len(values), -1)
        for column, label in enumerate(self.classes_.tolist()):
            columns[np.asarray(values == label)] = column
        return columns

    def fit(self, X, y, **fit_params):
        """Fit to labels of any type.

        Parameters
        ----------
        X : ndarray of float32
            Inputs of the module.
        y : array-like of shape (n_samples,)
            Labels.
        **fit_params : dict
            As in skorch.

        Returns
        -------
        self : object
            The fitted net.
        """
        if y is not None:
            y = check_targets(y, type(self).__name__)
            if self.classes is None:
                self.labels_ = np.unique(y)
        return super().fit(X, y, **fit_params)

    def partial_fit(self, X, y=None, classes=None, **fit_params):
        """Continue a fit.

        Parameters
        ----------
        X : ndarray of float32
            Inputs of the module.
        y : array-like of shape (n_samples,)
            Labels.
        classes : list, default=None
            All labels, where the first call does not see all.
        **fit_params : dict
            As in skorch.

        Returns
        -------
        self : object
            The fitted net.
        """
        if y is not None:
            y = check_targets(y, type(self).__name__)
            if self.classes is None and not hasattr(self, "labels_"):
                self.labels_ = np.unique(y if classes is None else classes)
            if isinstance(X, (list, np.ndarray, torch.Tensor)):
                check_same_length(type(self).__name__, X=X, y=y)
            y = self._targets(y)
        self._works_in_columns = True
        try:
            return super().partial_fit(X, y, **fit_params)
        finally:
            del self._works_in_columns

    def _targets(self, y):
        columns = self.label_columns(y)
        if (columns < 0).any():
            raise ValueError(
                f"{type(self).__name__} got a label that is not among its classes "
                f"{self.classes_.tolist()[:5]}: {y[columns < 0][0]!r}."
            )
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes; y holds only "
                f"{self.classes_[0]!r}. Where a fold may lack one, pass classes=."
            )
        return columns.astype(np.int64)

    def predict(self, X):
        """Return the label of the largest probability.

        Parameters
        ----------
        X : ndarray of float32
            Inputs of the module.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Labels of ``classes_``.
        """
        columns = np.asarray(super().predict(X)).astype(np.int64)
        return self.classes_[columns]

    def _seed_of_fit(self):
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def initialize_module(self):
        """Make the module or copy the given one, and freeze parameters.

        Returns
        -------
        self : object
            The net.
        """
        super().initialize_module()
        if self.module_ is self.module:
            # The user's module and the start of the next fold stay as they are.
            self.module_ = copy.deepcopy(self.module)
        freeze_parameters(self.module_, self.freeze)
        return self

    def infer(self, x, **fit_params):
        """Return the module's output, its columns in the order of ``classes_``.

        Parameters
        ----------
        x : tensor
            A batch.
        **fit_params : dict
            As in skorch.

        Returns
        -------
        output : tensor
            Logits.
        """
        if self.freeze is not None and self.module_.training:
            set_frozen_to_eval(self.module_)
        output = super().infer(x, **fit_params)
        if self.classes is None:
            return output
        order = np.argsort(np.asarray(self.classes), kind="stable")
        if (order == np.arange(len(order))).all():
            return output
        first, *rest = output if isinstance(output, tuple) else (output,)
        first = self._reorder(first, order)
        return (first, *rest) if rest else first

    def get_dataset(self, X, y=None):
        """Return a data set of float32 arrays.

        Parameters
        ----------
        X : ndarray of float32 or Dataset
            Inputs.
        y : ndarray, default=None
            Columns.

        Returns
        -------
        dataset : Dataset
            Of both.
        """
        first = next(self.module_.parameters(), None)
        kind = str(getattr(X, "dtype", ""))
        refused = hasattr(X, "columns") or not hasattr(X, "__len__")
        if isinstance(X, (str, bytes, bytearray)) or (isinstance(X, dict) and not X):
            refused = True
        if refused:
            kind = "a data frame" if hasattr(X, "columns") else f"a {type(X).__name__}"
        if isinstance(X, np.ndarray) and X.dtype.kind not in "biuf":
            refused, kind = True, f"arrays of {kind}"
        single = first is not None and first.dtype == torch.float32
        if refused or (single and kind in ("float64", "uint8")):
            raise ValueError(
                f"{type(self).__name__} takes float32 arrays, not {kind}. Put "
                "skrobust.nets.ToNetInput() before it; for 8-bit images "
                "ToNetInput(data_range=(0, 255))."
            )
        if isinstance(X, np.ndarray):
            X = np.require(X, requirements=["C", "W"])  # torch warns of others
        return super().get_dataset(X, y)

    def use_as_fitted(self):
        """Use the module as it is, without a fit.

        Returns
        -------
        self : object
            The net, in evaluation mode.
        """
        if self.classes is None:
            count = n_outputs(self.module)
            if count is None:
                raise ValueError(
                    f"{CALLER} cannot see how many outputs the module has; pass "
                    "classes=."
                )
            self.labels_ = np.arange(max(2, count))
        self._is_trained = False
        try:
            self.initialize()
        finally:
            del self._is_trained
        self.module_.eval()
        return self

    def initialize_optimizer(self, *args, **kwargs):
        """Make the optimizer; a module used as it is may have nothing to train.

        Returns
        -------
        self : object
            The net.
        """
        trained = vars(self).get("_is_trained", True)
        if not trained and next(self.module_.parameters(), None) is None:
            return self
        return super().initialize_optimizer(*args, **kwargs)

    def _check_width(self, width):
        if width != len(self.classes_):
            raise ValueError(
                f"{type(self).__name__} has {len(self.classes_)} classes and a module "
                f"of {width} outputs; they must be as many."
            )
