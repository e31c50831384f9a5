"""Classifier of scikit-learn around a torch module."""

import numbers

from sklearn.utils import check_random_state

from skrobust._containers import to_array
from skrobust._optional import require
from skrobust._validation import as_flag, check_count, check_number, invalid


def make_net_classifier(
    module,
    *,
    classes=None,
    device="auto",
    fitted=False,
    freeze=None,
    early_stopping=None,
    max_epochs=10,
    lr=1e-3,
    batch_size=32,
    optimizer="adam",
    random_state=0,
    **skorch_kwargs,
):
    """Return a skorch classifier around a torch module, ready for scikit-learn.

    It clones, pickles and searches, takes labels of any kind (strings too), and is seen
    through by all attacks. A module with one output unit gets BCEWithLogitsLoss and two
    columns of probabilities, any other CrossEntropyLoss; modules return logits.

    Parameters
    ----------
    module : torch module, class or function that makes one
        An instance is copied at each fit and never changed: every fold starts from its
        weights, so it must not have seen the data. A class or function is called with
        the ``module__...`` parameters, and ``random_state`` draws its weights.
    classes : list, default=None
        The label of each output, in the order of the outputs; of a single logit first
        the label of a small, then that of a large one. None: the sorted labels of
        ``fit``, or 0, 1, ... with ``fitted=True``. ``classes_`` and the columns are
        always sorted, as scikit-learn expects.
    device : str, default="auto"
        ``"auto"`` is ``"cuda"`` where there is one, else ``"cpu"``.
    fitted : bool, default=False
        Use the weights of the instance as they are, without a fit. A clone is unfitted,
        as all clones: put it into ``sklearn.frozen.FrozenEstimator`` where something
        clones and fits, for example in ``cross_validate``.
    freeze : {None, "body"} or list of str, default=None
        Transfer learning: the parameters whose names begin so stay as they are, and
        their batch normalisation keeps its statistics. ``"body"`` is all but the last
        layer that has parameters.
    early_stopping : int, default=None
        Epochs without a better loss on a fifth of the training rows (stratified) after
        which training stops; it keeps the weights of the best epoch. Frames of one clip
        fall on both sides of such a split; for these pass ``train_split=``, as in
        skorch.
    max_epochs : int, default=10
        Passes over the training rows.
    lr : float, default=0.001
        Learning rate.
    batch_size : int, default=32
        Rows at once, also in prediction.
    optimizer : {"adam", "adamw", "sgd"} or class, default="adam"
        Optimizer of torch.
    random_state : int, RandomState or None, default=0
        Seed of weights, order, dropout and split. The same int gives the same net on
        the same kind of processor; torch's generator is left as it was.
    **skorch_kwargs : dict
        Further parameters of skorch, such as ``module__n_classes``, ``callbacks`` or
        ``criterion``.

    Returns
    -------
    net : skorch classifier
        Takes float32 arrays as the module does; put :class:`ToNetInput` before it for
        anything else, such as 8-bit images of shape (n, 256, 256, 3):
        ``make_pipeline(ToNetInput(channels_last=True, data_range=(0, 255)), net)``.

    Raises
    ------
    ValueError
        Where a parameter is out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import cross_validate
    >>> from torch import nn
    >>> from skrobust.nets import make_net_classifier
    >>> X = np.random.default_rng(0).normal(size=(200, 4)).astype("float32")
    >>> y = np.where(X[:, 0] > 0, "real", "fake")
    >>> net = make_net_classifier(nn.Linear(4, 1), lr=0.1, max_epochs=20)
    >>> bool(cross_validate(net, X, y)["test_score"].mean() > 0.9)
    True
    >>> net.fit(X, y).classes_.tolist()
    ['fake', 'real']

    Published weights, used as they are:

    >>> from skrobust.nets import Meso4
    >>> net = make_net_classifier(Meso4(), fitted=True, classes=["fake", "real"])
    >>> net.predict_proba(np.zeros((2, 3, 256, 256), dtype="float32")).shape
    (2, 2)
    """
    caller = "make_net_classifier"
    for package in ("torch", "skorch"):
        require(package, caller, extra="torch")
    from torch import nn

    from skrobust.nets.devices import find_device
    from skrobust.nets.frozen_layers import check_freeze, is_one_logit
    from skrobust.nets.net_classifiers import BinaryNetClassifier, NetClassifier

    is_instance = isinstance(module, nn.Module)
    if not is_instance and not callable(module):
        rule = "a torch module, or a class or function that makes one"
        raise invalid("module", caller, rule, module)
    own = {k for k in skorch_kwargs if k.startswith("module__")}
    if is_instance and own:
        raise ValueError(
            f"{caller} got a module that is already made together with "
            f"{sorted(own)[0]!r}, which would make another without its weights. Pass "
            "the class instead."
        )
    fitted = as_flag(fitted)
    if not isinstance(fitted, bool) or (fitted and not is_instance):
        raise invalid("fitted", caller, "a bool, True only for a made module", fitted)
    try:
        check_random_state(random_state)
    except Exception:  # numpy and scikit-learn have several
        rule = "None, an integer in [0, 2**32) or a RandomState"
        raise invalid("random_state", caller, rule, random_state) from None
    if classes is not None:
        labels = to_array(classes, "classes", caller)
        labels = list(classes) if labels.ndim == 1 else []
        known = all(isinstance(label, (str, bytes, numbers.Real)) for label in labels)
        if not known or len(labels) < 2 or len(set(map(str, labels))) < len(labels):
            rule = "None or a list of at least two different labels"
            raise invalid("classes", caller, rule, classes)
        classes = labels
    settings = {
        "classes": classes,
        "device": find_device(device, caller),
        "freeze": freeze,
        "max_epochs": check_count(max_epochs, "max_epochs", caller),
        "lr": check_number(lr, "lr", caller, low=0, low_open=True),
        "batch_size": check_count(batch_size, "batch_size", caller),
        "optimizer": _optimizer(optimizer, caller),
        "random_state": random_state,
        **_stopping(early_stopping, random_state, skorch_kwargs, caller),
    }
    criterion = settings.get("criterion", nn.CrossEntropyLoss)
    binary = "criterion" not in settings and is_one_logit(module, settings)
    binary = binary or criterion in (nn.BCEWithLogitsLoss, nn.BCELoss)
    kind = BinaryNetClassifier if binary else NetClassifier
    check_freeze(freeze)
    net = kind(module, **settings)
    return net.use_as_fitted() if fitted else net


def _optimizer(optimizer, caller):
    import torch

    named = {"adam": "Adam", "adamw": "AdamW", "sgd": "SGD"}
    if isinstance(optimizer, str) and optimizer in named:
        return getattr(torch.optim, named[optimizer])
    if isinstance(optimizer, type) and issubclass(optimizer, torch.optim.Optimizer):
        return optimizer
    rule = f"one of {', '.join(map(repr, named))} or an optimizer class of torch"
    raise invalid("optimizer", caller, rule, optimizer)


def _stopping(patience, random_state, kwargs, caller):
    """Return skorch's parameters, with the callback and the split of early stopping."""
    if patience is None:
        return kwargs
    from skorch.callbacks import EarlyStopping
    from skorch.dataset import ValidSplit

    patience = check_count(patience, "early_stopping", caller)
    stop = EarlyStopping(patience=patience, load_best=True, sink=_silent)
    seed = random_state if isinstance(random_state, numbers.Integral) else None
    split = ValidSplit(0.2, stratified=True, random_state=seed)
    callbacks = [*(kwargs.get("callbacks") or []), ("early_stopping", stop)]
    return {"train_split": split, **kwargs, "callbacks": callbacks}


def _silent(text):
    """Print nothing."""
