"""Adversarial training of skorch nets."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator

from skrobust._keyed_noise.generator import NoiseKey, stream_number
from skrobust._parameters import Choice, Count, Number, check_parameters
from skrobust._responses import predicts_numbers
from skrobust.base.training_attack import check_training_attack, training_attack


class AdversarialTraining(BaseEstimator):
    r"""Callback of skorch that trains a net on adversarial examples.

    .. math:: \min_\theta \sum_i \max_{x' \in B(x_i)} L(f_\theta(x'), y_i)

    Before each step of the optimizer the batch is attacked, with the weights as they
    are at that moment; the step then learns from the examples. Validation batches stay
    as they are. Give it to a net by name, as
    ``callbacks=[("adversarial", AdversarialTraining(attack))]``; a search then reaches
    ``callbacks__adversarial__eps``, ``..__share`` or ``..__attack`` (skorch does not
    reach deeper, into the parameters of the attack).

    Parameters
    ----------
    attack : attack
        Of :mod:`skrobust.attacks`, such as ``PGD(eps, n_steps=7)`` or ``FGSM(eps)``.
        ``eps`` and ``data_range`` are in the units that the *net* sees: behind a
        MinMaxScaler, those of [0, 1]. With ``objective=None`` an attack that has losses
        drives every row to the largest loss, instead of stopping at the first wrong
        label.
    eps : float, default=None
        Radius of the ball, in the place of that of the attack; None leaves it.
    share : float in (0, 1], default=1.0
        Share of the rows of a batch that is attacked (rounded half up), drawn anew for
        each batch.
    mode : {"replace", "add"}, default="replace"
        Whether the examples stand in the place of their rows, or come after them in a
        longer batch.
    ramp_epochs : int, default=0
        Epochs over which ``eps`` grows in equal steps, from ``eps / (ramp_epochs +
        1)`` in the first to ``eps`` from the epoch after them on. Large budgets may
        keep a net from learning at all without it. A ``step_size`` that was given stays
        as it is.

    Notes
    -----
    The examples are made against the net in evaluation mode: dropout is off, and batch
    normalisation uses its running statistics and does not update them; so examples do
    not depend on their batch mates, and nothing of the net changes. The step that
    learns from them runs in training mode as ever, and its statistics are those of the
    examples. The global generator of torch is not drawn from: with ``eps=0`` and
    ``mode="replace"`` the net is, bit for bit, the one that ordinary training gives.

    Epochs are counted by the history of the net, so ``partial_fit`` goes on where it
    stopped and ``warm_start`` does not repeat starts. An attack whose ``random_state``
    is an int draws new starts at every batch and is reproducible.

    Batches must come as the list (rows, labels) that torch's own collation gives. The
    first warning of the attack in a training is passed on once, at its end.

    References
    ----------
    .. [1] A. Madry, A. Makelov, L. Schmidt, D. Tsipras and A. Vladu, "Towards Deep
       Learning Models Resistant to Adversarial Attacks", ICLR 2018.
    .. [2] I. Goodfellow, J. Shlens and C. Szegedy, "Explaining and Harnessing
       Adversarial Examples", ICLR 2015 (half clean, half FGSM: ``mode="add"``).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from skrobust.attacks import PGD
    >>> from skrobust.nets import AdversarialTraining, small_cnn_classifier
    >>> X, y = load_digits(return_X_y=True)
    >>> attack = PGD(0.1, n_steps=3, data_range=(0, 1), random_state=0)
    >>> model = small_cnn_classifier(
    ...     (8, 8), 10, epochs=3, callbacks=[AdversarialTraining(attack)]
    ... )
    >>> bool(model.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.5)
    True
    """

    _parameter_rules = {
        "eps": Number(low=0, optional=True),
        "share": Number(low=0, high=1, low_open=True),
        "mode": Choice("replace", "add"),
        "ramp_epochs": Count(low=0),
    }

    def __init__(self, attack, *, eps=None, share=1.0, mode="replace", ramp_epochs=0):
        self.attack = attack
        self.eps = eps
        self.share = share
        self.mode = mode
        self.ramp_epochs = ramp_epochs

    def initialize(self):
        """Do nothing; the history of the net holds all that changes.

        Returns
        -------
        self : object
            The callback.
        """
        return self

    def on_train_begin(self, net, X=None, y=None, **kwargs):
        """Check the parameters.

        Parameters
        ----------
        net : skorch net
            In training.
        X, y : containers
            Not used.
        **kwargs : dict
            Not used.
        """
        caller = type(self).__name__
        if predicts_numbers(net):
            name = type(net).__name__
            raise ValueError(f"{caller} needs a classifier; {name} is a regressor.")
        check_training_attack(self.attack, caller)
        check_parameters(self)
        self.message_ = None

    def on_train_end(self, net, X=None, y=None, **kwargs):
        """Pass on the first warning of the attack.

        Parameters
        ----------
        net : skorch net
            In training.
        X, y : containers
            Not used.
        **kwargs : dict
            Not used.
        """
        if self.message_ is not None:
            warnings.warn(
                f"{type(self).__name__}, in a batch: {self.message_}",
                UserWarning,
                stacklevel=2,
            )

    def on_epoch_begin(self, net, **kwargs):
        """Do nothing; skorch calls it at the other moments too.

        Parameters
        ----------
        net : skorch net
            In training.
        **kwargs : dict
            Not used.
        """

    on_epoch_end = on_batch_end = on_grad_computed = on_epoch_begin

    def on_batch_begin(self, net, batch=None, training=None, **kwargs):
        """Put adversarial examples into a training batch.

        Parameters
        ----------
        net : skorch net
            In training.
        batch : list of two tensors
            Rows and labels; the list is changed, its tensors are not.
        training : bool
            Whether the batch is one of training; others stay as they are.
        **kwargs : dict
            Not used.
        """
        if not training:
            return
        X, y = self._rows_and_labels(batch)
        epoch, number = len(net.history), len(net.history[-1]["batches"])
        attack = training_attack(self.attack, "epoch", epoch, "batch", number)
        eps = self.attack.eps if self.eps is None else self.eps
        attack.set_params(eps=eps * min(1.0, epoch / (self.ramp_epochs + 1)))
        chosen = self._chosen(X, epoch, number)
        result, details, _ = attack._search(net, X[chosen], y[chosen].cpu().numpy())
        messages = details.get("warnings", ())
        if messages and self.message_ is None:
            self.message_ = messages[0]
        examples = X.new_tensor(result)
        if self.mode == "add":
            import torch

            batch[0] = torch.cat([X, examples])
            batch[1] = torch.cat([y, y[chosen]])
        else:
            batch[0] = X.clone()
            batch[0][chosen] = examples

    def _rows_and_labels(self, batch):
        import torch

        is_pair = isinstance(batch, list) and len(batch) == 2
        is_pair = is_pair and all(isinstance(part, torch.Tensor) for part in batch)
        is_pair = is_pair and len(batch[0]) == len(batch[1])
        if not is_pair or not batch[0].is_floating_point():
            raise ValueError(
                f"{type(self).__name__} needs each batch as a list of two tensors, "
                "rows of floats and their labels, as torch's own collation gives. Got "
                f"{_described(batch)}."
            )
        return batch

    def _chosen(self, X, epoch, number):
        """Return the positions of the rows to attack, in their order."""
        n = len(X)
        size = max(1, int(self.share * n + 0.5))
        if size == n:
            return slice(None)
        values = X.detach().cpu().numpy()
        key = NoiseKey.from_rows(values, stream_number("share", epoch, number))
        draws = key.generator().random((n,))
        return np.sort(np.argsort(draws, kind="stable")[:size])


def _described(batch):
    if not isinstance(batch, (list, tuple)):
        return type(batch).__name__
    return f"{type(batch).__name__} of {[type(part).__name__ for part in batch]}"
