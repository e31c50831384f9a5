"""Logits of skorch nets, asked without the loader that a prediction goes through."""

import numpy as np
from sklearn.exceptions import NotFittedError

from skrobust._containers import to_array
from skrobust._differentiable import differentiable_view
from skrobust._responses import is_net, respond, unwrap

# What leads from rows to a prediction; where a net has its own way, it is asked so.
_WAY = (
    "predict",
    "predict_proba",
    "forward_iter",
    "evaluation_step",
    "get_dataset",
    "get_iterator",
)
_HARMLESS = {"batch_size", "num_workers", "pin_memory"}  # of a loader


class NetLogits:
    """Logits of a skorch net, bare or behind steps that are applied as they are.

    The largest one stands where ``predict`` finds the label: classes that are equally
    likely to the last digit get the same logit. Modules are in evaluation mode
    meanwhile, and afterwards as they were.

    Parameters
    ----------
    steps : list of (str, transformer)
        Before the net.
    net : skorch net
        Of one of the kinds that ``of`` takes.
    view : NetView
        Of the net alone.
    """

    def __init__(self, steps, net, view):
        self._steps, self._view = steps, view
        self._is_binary = view.answer[2]
        size = net.get_params_for("iterator_valid").get("batch_size", net.batch_size)
        self._batch_size = size if size > 0 else None
        self.has_answered = False

    @classmethod
    def of(cls, estimator, caller):
        """Return the logits of an estimator; None where it must be asked itself."""
        steps, net = unwrap(estimator)
        if not is_net(net) or not _predicts_as_skorch_does(net):
            return None
        try:
            view = differentiable_view(net, caller)
        except (ValueError, NotFittedError):
            return None
        _, kind, is_binary, threshold = view.answer
        wanted = "binary logits" if is_binary else "logits"
        return cls(steps, net, view) if (kind, threshold) == (wanted, 0.5) else None

    def __call__(self, rows):
        """Return logits of shape (n, n_classes), float64, of rows as they are given.

        Raises ValueError where the view does not understand them.
        """
        for _, step in self._steps:
            rows = respond(step, "transform", rows)
        rows = to_array(rows) if hasattr(rows, "detach") else rows  # a tensor
        if not isinstance(rows, np.ndarray):
            raise ValueError(f"a net behind {type(rows).__name__}")
        parts, size = [], self._batch_size or len(rows)
        with self._view as view:
            for start in range(0, len(rows), size):
                z = view.tensor(rows[start : start + size])
                if not str(z.dtype).endswith(f".{rows.dtype}"):
                    raise ValueError(f"{rows.dtype} rows for a net of {z.dtype}")
                parts.append(view.host(self._judged(view.logits(z))))
        self.has_answered = True
        return np.concatenate(parts).astype(np.float64)

    def _judged(self, logits):
        """Return logits whose first largest is the label of the probabilities."""
        if self._is_binary:
            p = logits[:, 1:].sigmoid()
            is_top = (p <= 0.5).expand_as(logits).clone()
            is_top[:, 1] = (p >= 0.5)[:, 0]
        else:
            p = logits.softmax(1)
            is_top = p == p.amax(1, keepdim=True)
        # A class that is masked has the logit minus infinity, of which there is no
        # margin.
        logits = logits.clamp_min(-1e37)
        return logits.where(~is_top, logits.amax(1, keepdim=True))


def _predicts_as_skorch_does(net):
    ways = [getattr(type(net), name, None) for name in _WAY]
    ours = ("skorch.", "skrobust.nets.")
    if not all(getattr(way, "__module__", "").startswith(ours) for way in ways):
        return False
    if set(_WAY) & set(vars(net)) or net.predict_nonlinearity != "auto":
        return False
    parts = [net.dataset.__module__, net.iterator_valid.__module__]
    settings = set(net.get_params_for("iterator_valid")) - _HARMLESS
    return parts == ["skorch.dataset", "torch.utils.data.dataloader"] and not (
        settings or net.get_params_for("dataset")
    )
