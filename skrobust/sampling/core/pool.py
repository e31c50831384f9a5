"""Pool of a sampler: scores, or inputs with a model."""

import inspect
import numbers
from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import validate_data

from skrobust._array_checks import check_finite_rows, check_scores, refuse_missing
from skrobust._containers import (
    is_frame,
    is_mapped,
    named_once,
    one_per_row,
    refuse_mask,
    shape_of,
    to_array,
)
from skrobust._responses import (
    predict_labels,
    predict_probabilities,
    predicts_numbers,
    respond,
)
from skrobust._validation import invalid, is_integer
from skrobust.base.checked_numbers import checked_numbers
from skrobust.metrics.labels import label_array

OWN_STREAM = 0x5A3B1E
NO_SCORES = "pass scores as auxiliary; SimpleRandomSampler needs none"


@dataclass(frozen=True)
class PoolAnswers:
    """What was answered to a pool of inputs that are not in memory.

    Parameters
    ----------
    n_pool : int
        Number of inputs.
    y_pred : ndarray of shape (n_pool,) or (n_pool, n_outputs), or None
        Predicted labels.
    confidence : ndarray of shape (n_pool,) or None
        Largest probability of each input.
    called : ndarray of shape (n_pool, ...) or None
        What a callable ``auxiliary`` returned.
    """

    n_pool: int
    y_pred: np.ndarray | None = None
    confidence: np.ndarray | None = None
    called: np.ndarray | None = None
    ndim = 2

    @property
    def shape(self):
        """Its number of inputs, as a shape."""
        return (self.n_pool,)

    def __array__(self, dtype=None, copy=None):
        raise ValueError(
            "This sampler reads the inputs themselves, which come in batches: give fit "
            "the scores, as numpy.concatenate of those of each batch."
        )


def called(auxiliary, X):
    """Return what a callable ``auxiliary`` says of a pool."""
    return X.called if isinstance(X, PoolAnswers) else auxiliary(X)


def confidence_of(estimator, X, caller, cure=""):
    """Return the largest probability of each input, shape (n_pool,)."""
    if isinstance(X, PoolAnswers):
        return X.confidence
    return predict_probabilities(estimator, X, caller, cure).max(axis=1)


def check_inputs(sampler, X):
    """Return the pool as it came, or as an array where there is no estimator."""
    if isinstance(X, PoolAnswers):
        return X
    caller = type(sampler).__name__
    refuse_mask(X, "X")
    n_dim = len(shape_of(X, "X", caller))
    takes_rows = sampler.estimator is not None or not isinstance(sampler.auxiliary, str)
    if not takes_rows and n_dim < 2:
        return to_array(X, "X", caller)
    if sampler.estimator is None and not is_frame(X):
        return check_finite_rows(checked_numbers(sampler, X, reset=True), caller)
    if n_dim == 2:
        validate_data(sampler, named_once(X), skip_check_array=True)
    return X


def read_scores(estimator, auxiliary, X, caller, *, needed=True):
    """Return the suspicion of each input, or None where it is not needed."""
    if not isinstance(auxiliary, str):
        scores = called(auxiliary, X) if callable(auxiliary) else auxiliary
    elif not needed and (estimator is not None or np.ndim(X) > 1):
        return None
    elif estimator is not None:
        sure = confidence_of(estimator, X, caller, NO_SCORES)
        scores = np.clip(1 - sure.astype(np.float64), 0, 1)
    elif np.ndim(X) > 1:
        raise ValueError(
            f"Without an estimator {caller}.fit takes 1-D scores (higher = more "
            f"likely mispredicted), or inputs and a callable auxiliary. Got shape "
            f"{np.shape(X)}."
        )
    else:
        scores = X
    scores = check_scores(scores, caller, copy=not is_mapped(scores))
    if scores.min() < 0:
        raise ValueError(
            f"{caller} needs scores of at least 0; got {scores.min():g}. Shift "
            "scores that may be negative, such as likelihood-based surprise."
        )
    return scores


def one_minus_confidence(p):
    """Return one minus the largest probability of each row, in [0, 1]."""
    return np.clip(1 - p.max(axis=1).astype(np.float64), 0, 1)


def read_predictions(estimator, X, y_pred, caller, *, any_kind=False):
    """Return predicted labels: given, or those of the estimator, or None.

    With ``any_kind``, where a loss is computed of them, also numbers and 2-D ones.
    """
    if y_pred is not None:
        # A copy: the caller may write to theirs.
        given = np.array(one_per_row(y_pred, "y_pred", caller))
        if given.ndim != 1 and not (any_kind and given.ndim == 2):
            cure = "" if any_kind else "Several labels of an input need loss=."
            raise invalid("y_pred", caller, "1-D labels", given.shape, cure)
        refuse_missing(given, caller, "y_pred")
        kinds = {type(label) for label in given.ravel().tolist()}
        own = all(
            not issubclass(kind, (str, bytes, numbers.Real)) and kind.__hash__
            for kind in kinds
        )
        if any_kind or (len(kinds) == 1 and own):  # such as tuples
            return given
        return label_array(given, caller, "y_pred")
    if isinstance(X, PoolAnswers):
        return X.y_pred
    if estimator is None or (predicts_numbers(estimator) and not any_kind):
        return None
    if any_kind and np.ndim(given := to_array(respond(estimator, "predict", X))) == 2:
        return given
    return predict_labels(estimator, X)


def own_generator(random_state, caller):
    """Return a new generator; a generator that is given is advanced once."""
    if isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state.integers(2**32, size=4))
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    try:
        if isinstance(random_state, bool) or hasattr(random_state, "__len__"):
            raise TypeError
        if is_integer(random_state) and random_state >= 0:
            # A stream of its own: pools made by a generator of the same int are
            # common, and must not share their noise with the draws.
            return np.random.default_rng([int(random_state), OWN_STREAM])
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        rule = "None, a non-negative int, a RandomState or a Generator"
        raise invalid("random_state", caller, rule, random_state) from None


# Which samplers take what only some of them take.
TAKEN_BY = {
    "costs": ("OperationalSampler", "StratifiedSampler"),
    "features": ("OperationalSampler",),
    "budget": ("OperationalSampler", "StratifiedSampler"),
}


def refuse_settings(settings, sampler, caller, verb):
    """Raise for settings that ``result`` of a sampler does not take."""
    known = inspect.signature(sampler.result).parameters
    unknown = [name for name in settings if name not in known]
    refuse_arguments(unknown, caller, verb)


def refuse_arguments(unknown, caller, verb="fit"):
    """Raise for an argument that a method of a sampler does not take.

    Parameters
    ----------
    unknown : dict or list
        The arguments, by name.
    caller : str
        Name of the class.
    verb : str, default="fit"
        Name of the method.
    """
    for name in unknown:
        who = " and ".join(TAKEN_BY.get(name, ()))
        cure = f"; {who} {'take' if ' and ' in who else 'takes'} it" if who else ""
        raise TypeError(f"{caller}.{verb} has no argument {name}={cure}.")
