"""Losses of single inputs: their range, their checks, and functions that give them."""

import numpy as np

from skrobust._containers import to_array
from skrobust._validation import as_float, invalid


class Loss:
    """Losses of one sampler, scaled to [0, 1] for its estimates.

    Parameters
    ----------
    function : callable or None
        ``function(y_true, y_pred)`` returns the loss of each input.
    bounds : (float, float)
        Least and largest loss.
    is_continuous : bool
        Whether the predictions are continuous numbers, whose comparison with true
        values says nothing.
    """

    def __init__(self, function=None, bounds=(0.0, 1.0), *, is_continuous=False):
        self.function = function
        self.low, self.high = float(bounds[0]), float(bounds[1])
        self.is_continuous = is_continuous

    @property
    def span(self):
        """Largest minus least loss."""
        return self.high - self.low

    @property
    def is_declared(self):
        """Whether losses are expected before any is told."""
        return self.function is not None or (self.low, self.high) != (0, 1)

    name = "mean_loss"

    def shown(self, rate):
        """Return a scaled loss, or several, in the units of the losses."""
        return self.low + self.span * rate

    def rate(self, loss):
        """Return a loss as a fraction of the range."""
        return (loss - self.low) / self.span

    def between(self, low, high):
        """Return two scaled losses in the units of the losses."""
        return float(self.shown(low)), float(self.shown(high))

    def of_labels(self, y_true, y_pred, ids, caller):
        """Return the loss of each true label that was told, in its own units."""
        y_true, n = to_array(y_true, "y_true", caller), len(ids)
        losses = to_array(self.function(y_true, y_pred), "losses", caller)
        if losses.shape != (n,):
            raise ValueError(
                f"{caller} needs loss to return one number for each of {n} inputs, "
                f"not their mean; got shape {losses.shape}."
            )
        return losses.tolist()

    def scaled(self, losses, ids, caller):
        """Return losses as fractions of the range, or raise with the first outside."""
        rounding = 1e-9 * self.span  # 1 - 1.0000000000000002 is a loss of 0
        for i, loss in zip(ids, losses, strict=True):
            value = as_float(loss)
            in_range = self.low - rounding <= value <= self.high + rounding
            if not in_range:
                raise ValueError(
                    f"{caller} needs losses in loss_range=({self.low:g}, "
                    f"{self.high:g}); got {loss!r} for id {i}. State the least and the "
                    "largest possible loss as loss_range= of the sampler."
                )
        values = np.array(losses, dtype=np.float64)
        return np.clip((values - self.low) / self.span, 0.0, 1.0)

    def refuse_comparison(self, y_true, caller):
        """Raise where equality of true and predicted values would say nothing."""
        if self.is_continuous or is_continuous(y_true):
            raise ValueError(
                f"{caller} does not compare continuous numbers, of which hardly any "
                "two are equal: tell loss= instead of y_true, or pass "
                "loss=lambda y_true, y_pred: abs(y_true - y_pred) (or any other "
                "function) and loss_range= to the sampler."
            )


def check_loss(value, name, caller):
    """Raise unless a loss is None or a function."""
    if value is not None and not callable(value):
        rule = "None or a function of (y_true, y_pred) that returns one loss per input"
        raise invalid(name, caller, rule, value)


def check_loss_range(value, name, caller):
    """Raise unless a range of losses is two finite numbers, the lower one first."""
    try:
        if not isinstance(value, (list, tuple, np.ndarray)):
            raise TypeError
        low, high = (as_float(end) for end in value)
        valid = np.isfinite(low) and np.isfinite(high) and low < high
    except (TypeError, ValueError):
        valid = False
    if not valid:
        rule = "the least and the largest possible loss, two finite numbers"
        raise invalid(name, caller, rule, value)


def is_continuous(values):
    """Return whether any value is a number that is not an integer."""
    if values is None:
        return False
    if not isinstance(values, list):  # of answers, each as it is
        values = np.asarray(values)
        if values.dtype.kind == "f":
            return bool((values % 1 != 0).any())
        values = values.ravel() if values.dtype.kind == "O" else ()
    return any(isinstance(v, float) and v % 1 != 0 for v in values)
