"""Models that answer the same rows differently, found by asking twice."""

import random
import sys
import warnings

import numpy as np

from skrobust._containers import n_rows
from skrobust._keyed_noise.rows import take_rows
from skrobust._responses import respond, undisturbed, unwrap
from skrobust._stacklevel import level_outside

_ROWS = 32  # rows that a model is asked about
_LARGEST = 1e-4  # of the scale of answers, which rounding stays below


def warn_if_random(estimator, X, caller):
    """Warn where a model answers the same rows differently, asked twice about a few.

    Labels are compared, and probabilities where there are any. Nothing is asked where
    questions cost, as over a network, and a model that raises is left to the run. The
    global generators of Python, numpy and torch are afterwards as they were.

    Parameters
    ----------
    estimator : fitted estimator
        The model.
    X : container of shape (n_samples, ...)
        Rows, of which at most 32 are taken.
    caller : str
        Name of the public function or class, for the warning.
    """
    if _costs(estimator) or not hasattr(estimator, "predict"):
        return
    # Models may draw from them.
    state = np.random.get_state(), random.getstate()  # noqa: NPY002
    torch = sys.modules.get("torch")
    drawn = None if torch is None else torch.get_rng_state()
    try:
        with undisturbed(estimator), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the run itself has them
            found = _difference(estimator, _few(X))
    except Exception:
        return
    finally:
        np.random.set_state(state[0])  # noqa: NPY002
        random.setstate(state[1])
        if drawn is not None:
            torch.set_rng_state(drawn)
    if found is None:
        return
    name = type(unwrap(estimator)[1]).__name__
    text = (
        f"{caller}: asked twice about the same rows, {name} "
        f"answers differently ({found}), so that the results change from one run to "
        "the next. Turn off what draws random numbers at predict, or give it a seed."
    )
    warnings.warn(text, UserWarning, stacklevel=level_outside())


def _costs(estimator):
    """Say whether a model, or the function that it wraps, says that asking costs."""
    model = unwrap(estimator)[1]
    parts = estimator, model, getattr(model, "model", None)
    return any(getattr(part, "asking_costs", False) is True for part in parts)


def _few(X):
    n = n_rows(X)
    return take_rows(X, np.unique(np.linspace(0, n - 1, min(n, _ROWS)).astype(int)))


def _difference(estimator, rows):
    """Return how two answers to the same rows differ, None where they do not."""
    first, second = (np.asarray(respond(estimator, "predict", rows)) for _ in range(2))
    if first.shape != second.shape:
        return f"the shapes {first.shape} and {second.shape}"
    if first.dtype.kind == "f" and second.dtype.kind == "f":
        if not _are_close(first, second):
            return f"by up to {np.nanmax(np.abs(first - second)):.3g}"
    elif not np.array_equal(first, second):
        share = np.mean(first != second)
        return f"another label for {share:.0%} of the rows"
    if not hasattr(estimator, "predict_proba"):
        return None
    first, second = (
        np.asarray(respond(estimator, "predict_proba", rows), dtype=np.float64)
        for _ in range(2)
    )
    if _are_close(first, second):
        return None
    return f"probabilities that differ by up to {np.nanmax(np.abs(first - second)):.3g}"


def _are_close(first, second):
    scale = max(1.0, float(np.nanmax(np.abs(first), initial=0.0)))
    options = {"rtol": 0.0, "atol": _LARGEST * scale, "equal_nan": True}
    return np.allclose(first, second, **options)
