"""Classifiers of skorch around modules with one logit, or one for each class."""

import numpy as np
import torch
from skorch import NeuralNetBinaryClassifier, NeuralNetClassifier
from torch import nn

from skrobust.nets.labelled_nets import LabelledNet


class NetClassifier(LabelledNet, NeuralNetClassifier):
    """Classifier of a module with one logit a class; see ``make_net_classifier``."""

    def __init__(self, module, *, criterion=nn.CrossEntropyLoss, **kwargs):
        super().__init__(module, criterion=criterion, **kwargs)

    def _reorder(self, output, order):
        return output[:, torch.as_tensor(order, device=output.device)]

    def infer(self, x, **fit_params):
        """Return logits of shape (n, n_classes).

        Parameters
        ----------
        x : tensor
            A batch.
        **fit_params : dict
            As in skorch.

        Returns
        -------
        output : tensor
            Logits, or a tuple that begins with them.
        """
        output = super().infer(x, **fit_params)
        first = output[0] if isinstance(output, tuple) else output
        if first.ndim == 2:
            self._check_width(first.shape[1])
        return output


class BinaryNetClassifier(LabelledNet, NeuralNetBinaryClassifier):
    """Classifier of a module with one logit; see ``make_net_classifier``."""

    def __init__(self, module, *, criterion=nn.BCEWithLogitsLoss, **kwargs):
        super().__init__(module, criterion=criterion, **kwargs)

    def _targets(self, y):
        return super()._targets(y).astype(np.float32)

    def _reorder(self, output, order):
        is_logit = isinstance(self.criterion_, nn.BCEWithLogitsLoss)
        return -output if is_logit else 1 - output

    def get_loss(self, y_pred, y_true, *args, **kwargs):
        """Return the loss of a batch.

        Parameters
        ----------
        y_pred, y_true : tensor
            Logits and columns.
        *args, **kwargs : tuple and dict
            As in skorch.

        Returns
        -------
        loss : tensor
            Its mean.
        """
        self._check_width(2)
        return super().get_loss(y_pred, y_true, *args, **kwargs)
