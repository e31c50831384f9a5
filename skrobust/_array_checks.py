"""The checks of arrays that several families share, each with its one sentence."""

from collections.abc import Mapping

import numpy as np
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from skrobust._containers import missing_mask, one_per_row, refuse_ragged, to_array
from skrobust._validation import invalid


def check_scores(scores, caller, *, name="scores", min_size=1, copy=True):
    """Return a 1-D float64 array of finite scores, or raise.

    Without ``copy``, scores that are float64 already are returned as they are.
    """
    scores = one_per_row(scores, name, caller)
    if scores.dtype.kind == "O":
        refuse_missing(scores, caller, name)
        scores = number_array(scores, name, caller)
    if scores.ndim != 1 or scores.dtype.kind not in "fiub":
        got = scores.shape if scores.ndim > 1 else scores.tolist()
        got = got[:3] if scores.ndim == 1 else got
        raise invalid(name, caller, "a 1-D array of numbers", got)
    scores = scores.astype(np.float64, copy=copy)
    if scores.size < min_size:
        rule = f"an array of at least {min_size} values"
        raise invalid(name, caller, rule, scores.size)
    if not np.isfinite(scores).all():
        raise ValueError(f"{caller} needs finite {name}; found NaN or infinity.")
    return scores


def check_fractions(values, caller, *, name="scores"):
    """Return an array of numbers in [0, 1]; percent get a sentence of their own."""
    values = number_array(values, name, caller).astype(np.float64, copy=False)
    if not np.isfinite(values).all():
        raise ValueError(f"{caller} needs finite {name}; found NaN or infinity.")
    # Softmax in single precision overshoots 1 by some 1e-7.
    if values.size and (values.min() < -1e-6 or values.max() > 1 + 1e-6):
        worst = values.flat[np.abs(values - 0.5).argmax()]
        cure = "Divide percent by 100." if 1 < values.max() <= 100 else ""
        raise invalid(name, caller, "fractions in [0, 1]", float(worst), cure)
    return values


def check_targets(y, caller, *, name="y", warn=False):
    """Return labels as a 1-D array; a matrix of columns is named and refused.

    With ``warn``, a single column is named as scikit-learn does.
    """
    if y is None:
        raise ValueError(
            f"{caller} needs {name}, one label or target for each row: {name} should "
            "be a 1d array, got None."
        )
    if not hasattr(y, "toarray"):
        y = one_per_row(y, name, caller)
    shape = np.shape(y)
    if len(shape) == 2 and shape[1] > 1:
        cure = (
            "score each column by itself, with skrobust.attacks.OneLabel(model, "
            "column), or rows with any wrong label, with one = OneLabel(model, 'any') "
            f"and one.codes({name})"
        )
        if _is_one_hot(y):
            cure = f"turn one-hot columns into labels with `{name}.argmax(axis=1)`"
        raise ValueError(
            f"{caller} needs {name} as 1-D labels of shape (n_samples,). Got shape "
            f"{tuple(shape)}; {cure}."
        )
    if len(shape) > 2:
        raise ValueError(
            f"{caller} needs {name} as 1-D labels of shape (n_samples,). Got shape "
            f"{tuple(shape)}; take one pixel or region of each label image."
        )
    y = one_per_row(y, name, caller)
    if not y.ndim:
        raise invalid(name, caller, "1-D labels of shape (n_samples,)", y.item())
    y = column_or_1d(y, warn=warn)
    refuse_missing(y, caller, name)
    several = _kinds_of_several(y)
    if several:
        rule = "1-D labels of shape (n_samples,), one value for each row"
        raise invalid(name, caller, rule, next(v for v in y if type(v) in several))
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError(f"{caller} needs finite {name}; found NaN or infinity.")
    return y


def _kinds_of_several(y):
    """Return the types of labels in objects that hold several values each."""
    kinds = set(map(type, y)) if y.dtype.kind == "O" else ()
    single = (str, bytes, type(np.ma.masked))
    return {k for k in kinds if hasattr(k, "__len__") and not issubclass(k, single)}


def check_classes(labels, caller, name="y"):
    """Raise for numbers that are measured, and for what else names no class."""
    try:
        check_classification_targets(labels)
    except ValueError:
        kind = type_of_target(labels, input_name=name)
        raise ValueError(
            f"{caller} needs {name} as classes: text, booleans or whole numbers that "
            f"64 bits hold. Unknown label type: {kind}. Cut measured numbers into "
            "classes, with numpy.digitize for example."
        ) from None


def refuse_missing(values, caller, name):
    """Raise with a count where values of an array are missing."""
    missing = missing_mask(values).ravel()
    if missing.any():
        raise ValueError(
            f"{caller} needs {name} without missing values; {int(missing.sum())} of "
            f"{len(missing)} are missing, first at position {int(missing.argmax())}. "
            "Leave these rows out, or give them a value of their own."
        )


def _is_one_hot(y):
    """Say whether each row of a matrix has a single 1 among zeros."""
    y = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
    return y.dtype.kind in "biuf" and bool(
        ((y == 0) | (y == 1)).all() and (y.sum(axis=1) == 1).all()
    )


def checked_n_rows(a, name, caller):
    """Return the number of rows of an array, a list or a frame, or raise."""
    # A sparse matrix has a shape, but no len.
    shape = () if isinstance(a, Mapping) else getattr(a, "shape", None)
    if shape is None and not hasattr(a, "__len__") and hasattr(a, "__array__"):
        shape = np.asarray(a).shape
    if shape == () or not (shape or hasattr(a, "__len__")):
        raise invalid(name, caller, "an array, a list or a frame of rows", a)
    return int(shape[0]) if shape else len(a)


def check_same_length(caller, **arrays):
    """Raise when the named arrays differ in their number of samples."""
    given = {name: a for name, a in arrays.items() if a is not None}
    lengths = {name: checked_n_rows(a, name, caller) for name, a in given.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise ValueError(f"{caller} needs inputs of equal length; {listed}.")
    if lengths and 0 in lengths.values():
        raise ValueError(f"{caller} needs at least one sample; got none.")


def check_probabilities(p, caller, *, name, ndims=(2,)):
    """Return class probabilities whose rows sum to one, or raise."""
    p = number_array(p, name, caller, what="an array of probabilities")
    if p.dtype.kind == "b":
        raise invalid(name, caller, "an array of probabilities", p.dtype)
    if p.ndim not in ndims or p.shape[-1] < 2:
        shapes = "(n_samples, n_classes)"
        if 3 in ndims:
            shapes += " or (n_perturbations, n_samples, n_classes)"
        cure = ""
        if p.ndim == 1 or (p.ndim and p.shape[-1] == 1):
            cure = f"For two classes pass `np.column_stack([1 - {name}, {name}])`."
        raise invalid(name, caller, f"of shape {shapes}", p.shape, cure)
    check_fractions(p, caller, name=name)
    sums = p.sum(axis=-1).ravel()
    if p.size and np.abs(sums - 1).max() > 1e-3:
        worst = sums[np.abs(sums - 1).argmax()]
        raise ValueError(
            f"{caller} needs {name} whose rows sum to 1; one row sums to {worst:g}."
        )
    return p


def check_weights(sample_weight, n_samples, caller):
    """Return non-negative weights of shape (n_samples,) or None."""
    if sample_weight is None:
        return None
    w = check_scores(sample_weight, caller, name="sample_weight")
    if w.shape[0] != n_samples:
        raise ValueError(
            f"{caller} needs one weight per sample; sample_weight has {w.shape[0]}, "
            f"the data {n_samples}."
        )
    with np.errstate(over="ignore", under="ignore"):
        total, largest = w.sum(), w.max()
        ends = largest**2, total**2  # of which standard errors are made
    if w.min() < 0 or not 0 < total < np.inf:
        rule = "non-negative with a positive, finite sum"
        raise invalid("sample_weight", caller, rule, w.min() if total else total)
    if not 0 < ends[0] <= ends[1] < np.inf:
        rule, cure = "numbers that 64 bits hold when squared", "Divide by the largest."
        raise invalid("sample_weight", caller, rule, float(largest), cure)
    return w


def number_array(values, name, caller, *, what="an array of numeric values"):
    """Return values as an array of booleans, integers or floats, or raise.

    Parameters
    ----------
    values : array-like
        Numbers; objects that are numbers (``Fraction``, ``Decimal``) become float64,
        and those that are missing NaN. Text is no number.
    name, caller : str
        The parameter and the function, for the message.
    what : str
        What the message says is needed.

    Returns
    -------
    ndarray
        Of the shape of the values.
    """
    values = to_array(values, name, caller)
    if values.dtype.kind == "O":
        flags = missing_mask(values).ravel()
        found = np.full(values.size, np.nan)
        for i, value in enumerate(values.ravel().tolist()):
            if flags[i]:
                continue
            try:
                if isinstance(value, (str, bytes, bytearray)):
                    raise ValueError
                found[i] = float(value)
            except (ValueError, OverflowError):
                raise invalid(name, caller, what, value) from None
            except Exception:
                refuse_ragged(values, caller, name=name)
                cure = "Each value of the argument must be no string, but a number."
                raise TypeError(invalid(name, caller, what, value, cure)) from None
        return found.reshape(values.shape)
    if values.dtype.kind not in "biuf":
        raise invalid(name, caller, what, values.dtype)
    return values


def check_rows(X, caller, *, name="X"):
    """Return a numeric, finite, non-empty array of at least two dimensions."""
    X = number_array(X, name, caller)
    if X.ndim < 2:
        cure = "Give each sample a row, with `.reshape(-1, 1)` for one feature."
        raise invalid(name, caller, "an array of two or more axes", X.shape, cure)
    X = check_array(
        X,
        dtype="numeric",
        allow_nd=True,
        ensure_all_finite=False,
        input_name=name,
        estimator=caller,
    )
    return check_finite_rows(X, caller)


def check_finite_rows(X, caller):
    """Return X, or say in which row the first NaN or infinity stands."""
    if 0 in X.shape[1:]:  # scikit-learn looks at two dimensions alone
        raise ValueError(
            f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is "
            f"required by {caller}."
        )
    if X.dtype.kind in "biu":
        return X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(X.sum()):  # no array of flags in the usual case
            return X
    finite = np.isfinite(X).reshape(len(X), -1).all(axis=1)
    if not finite.all():
        raise ValueError(
            f"{caller} needs finite X; it contains NaN or infinity, first in row "
            f"{int(finite.argmin())}."
        )
    return X
