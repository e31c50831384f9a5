"""Nets of skorch whose fit depends on their own seed."""

import threading

import numpy as np
import torch
from skorch import NeuralNetClassifier
from torch import nn

from skrobust._loader_workers import loading_here

_SEED_LOCK = threading.RLock()


class SeededFit:
    """Mixin of skorch nets whose fit depends on its own seed.

    Parameters
    ----------
    module : torch module or class
        As in skorch.
    **kwargs : dict
        As in skorch, with other defaults where ``_defaults`` names them: a fit takes
        all rows, in random order and in silence.
    """

    _defaults = {"train_split": None, "iterator_train__shuffle": True, "verbose": 0}

    def __init__(self, module, **kwargs):
        super().__init__(module, **(self._defaults | kwargs))

    def _seed_of_fit(self):
        return self.seed

    def fit(self, X, y, **fit_params):
        """Fit from a fixed seed, leaving torch's global generator as it was.

        Parameters
        ----------
        X : ndarray of float32
            Inputs.
        y : ndarray
            Targets as the criterion takes them.
        **fit_params : dict
            As in skorch.

        Returns
        -------
        self : object
            The fitted net.
        """
        on_gpu = str(self.device).startswith("cuda")
        devices = range(torch.cuda.device_count()) if on_gpu else []
        # The generator is the process's, so only one thread at a time may seed it.
        with _SEED_LOCK, torch.random.fork_rng(devices=list(devices)):
            seed = self._seed_of_fit()
            if seed is not None:
                self._order = torch.Generator().manual_seed(seed)
                torch.default_generator.manual_seed(seed)
                if on_gpu:
                    torch.cuda.manual_seed_all(seed)
            return super().fit(X, y, **fit_params)

    def get_iterator(self, dataset, training=False):
        """Return the batches; no loader draws from the generator of the process.

        Parameters
        ----------
        dataset : Dataset
            Rows and labels.
        training : bool, default=False
            Whether to shuffle.

        Returns
        -------
        iterator : DataLoader
            Over the batches.
        """
        with loading_here(self):  # a search may have sent it to a worker of its own
            iterator = super().get_iterator(dataset, training=training)
        order = getattr(self, "_order", None) if training else torch.Generator()
        if order is not None:
            iterator.generator = order
            if hasattr(iterator.sampler, "generator"):
                iterator.sampler.generator = order
        return iterator


class SeededClassifier(SeededFit, NeuralNetClassifier):
    """Classifier of skorch whose fit depends on its own seed alone.

    Parameters
    ----------
    module : type
        Module class.
    seed : int or None, default=0
        Seed of the weights and of the order of the batches; the global generator of
        torch is put back afterwards.
    **kwargs : dict
        As in skorch, with defaults that suit small images.
    """

    _defaults = SeededFit._defaults | {
        "criterion": nn.CrossEntropyLoss,
        "optimizer": torch.optim.Adam,
        "lr": 3e-3,
        "batch_size": 64,
    }

    def __init__(self, module, *, seed=0, **kwargs):
        self.seed = seed
        super().__init__(module, **kwargs)

    def fit(self, X, y, **fit_params):
        """Fit from a fixed seed, leaving torch's global generator as it was.

        Parameters
        ----------
        X : ndarray of float32
            Inputs.
        y : ndarray of int64
            Labels.
        **fit_params : dict
            As in skorch.

        Returns
        -------
        self : object
            The fitted net.
        """
        y = np.asarray(y)
        whole = y.dtype.kind == "f" and bool((y == np.rint(y)).all())
        if y.dtype.kind in "iub" or whole:
            y = y.astype(np.int64)  # what the loss of torch takes
        return super().fit(X, y, **fit_params)
