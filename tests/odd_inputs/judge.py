"""What a call with an odd input did: a value, a clear sentence, or something worse."""

import contextlib
import inspect
import io
import linecache
import numbers
import pathlib
import resource
import signal
import sys
import traceback
import warnings

import numpy as np
import sklearn
from odd_inputs.odd_values import NO_PLAIN, Either

import skrobust

OURS = str(pathlib.Path(skrobust.__file__).parent)
THEIRS = str(pathlib.Path(sklearn.__file__).parent)
LIMIT = 10  # seconds of computing: no odd input keeps a call busy
MEMORY = 12 * 2**30
# Times of skorch; what a report was told: a model has words on frames alone; names of
# columns, which arrays have none of.
_NO_VALUES = {"dur", "warnings", "column"}
# Results may have the width of the input.
ROUNDED = {"float32": 1e-4}


class Hang(BaseException):
    """A call that did not come back."""


def leaves(value, found=None, depth=0):
    """Return the numbers of a result, as arrays by their places in it."""
    found = [] if found is None else found
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if depth > 6 or value is None or isinstance(value, (str, bytes)):
        return found
    if hasattr(value, "toarray"):
        value = value.toarray()
    if hasattr(value, "iloc"):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            value = value.to_numpy(dtype=float, na_value=np.nan)
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if isinstance(value, (numbers.Real, np.ndarray, np.generic)):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            found.append(np.asarray(value, dtype=float))
        return found
    if isinstance(value, dict):
        value = [
            one
            for name, one in value.items()
            if "seconds" not in str(name) and name not in _NO_VALUES
        ]
    if isinstance(value, (list, tuple)):
        # A container may come back as it came in: as an array or as lists.
        if len(value) and isinstance(value[0], (int, float, list, tuple)):
            with contextlib.suppress(TypeError, ValueError, OverflowError):
                found.append(np.asarray(value, dtype=float))
                return found
        for one in value[:200]:
            leaves(one, found, depth + 1)
    elif type(value).__module__.startswith("skrobust"):
        # Parameters are kept as they came.
        learned = hasattr(value, "get_params")
        for name, one in getattr(value, "__dict__", {}).items():
            hidden = name.startswith("_") or "seconds" in name
            if not hidden and (name.endswith("_") or not learned):
                leaves(one, found, depth + 1)
    return found


def in_both(a, b):
    """Return two results without what one of them alone has, as columns of a frame."""
    if type(a) is type(b) and type(a).__module__.startswith("skrobust.report"):
        a, b = vars(a), vars(b)
    if isinstance(a, dict) and isinstance(b, dict):
        there = dict(b.items())  # an item by name may warn that it is deprecated
        pairs = {n: in_both(one, there[n]) for n, one in a.items() if n in there}
        return [{n: pair[i] for n, pair in pairs.items()} for i in (0, 1)]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = [in_both(x, y) for x, y in zip(a, b, strict=True)]
        return [[pair[i] for pair in pairs] for i in (0, 1)]
    return [a, b]


def same(a, b, rtol=1e-9):
    """Say whether two results have the same numbers."""
    a, b = map(leaves, in_both(a, b))
    return len(a) == len(b) and all(
        x.shape == y.shape
        and np.allclose(x, y, rtol=rtol, atol=rtol / 1e3, equal_nan=True)
        for x, y in zip(a, b, strict=True)
    )


def has_nan(result):
    """Say whether a number of a result is NaN."""
    return any(np.isnan(one).any() for one in leaves(result))


def finite(value):
    """Say whether an argument holds no NaN, infinity or missing value."""
    try:
        return bool(np.isfinite(np.asarray(value, dtype=float)).all())
    except Exception:
        return False


def fingerprint(value):
    """Return what shows that an array was changed in place."""
    if isinstance(value, np.ma.MaskedArray):
        return value.data.tobytes() + np.ma.getmaskarray(value).tobytes()
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return value.tobytes()
    return None


def _alarm(*_):
    raise Hang


@contextlib.contextmanager
def limits():
    """Limit time and memory of a call."""
    old = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, old[1]))
    handler = signal.signal(signal.SIGPROF, _alarm)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        resource.setrlimit(resource.RLIMIT_AS, old)


def ours(error, argument):
    """Say whether an error is a sentence of ours, or of scikit-learn's checks."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    if not isinstance(error, (TypeError, ValueError, OSError)):
        return False
    line = linecache.getline(frame.filename, frame.lineno).strip()
    if frame.filename.startswith(OURS):
        return line.startswith("raise")
    if frame.filename.startswith(THEIRS) and line.startswith(("raise", "_assert_all")):
        words = str(error)
        return any(word in words for word in (argument, "X", "y ", "array", "Input"))
    return False


METHODS = {"fit", "fit_predict", "predict", "predict_proba", "decision_function",
           "score", "transform", "fit_transform"}  # fmt: skip


def of_value(error, value, callables=()):
    """Say whether an error is that of the user's code: of the model, or of a callable.

    Rows are handed to the model as they came, and what it says of them is its own, as
    is what a function says that is another argument (``callables`` are their names).
    """
    frames = traceback.extract_tb(error.__traceback__)
    last = max(
        (i for i, f in enumerate(frames) if f.filename.startswith(OURS)), default=-1
    )
    if last < 0:
        return False
    after = frames[last + 1 :]
    if any(f.filename.startswith(THEIRS) and f.name in METHODS for f in after):
        return True
    if any(f.filename == "<example>" or f.name in callables for f in after):
        return True
    if "unexpected keyword argument" in str(error):
        return True
    odd = inspect.isroutine(value) or inspect.isclass(value)
    line = linecache.getline(frames[last].filename, frames[last].lineno).strip()
    return odd and not line.startswith("raise")


def attempt(run, value=None):
    """Return ``("value", result, warned)``, ``("refused", error)`` and the like."""
    before = fingerprint(value)
    if "torch" in sys.modules:  # whose nets draw their first weights from it
        sys.modules["torch"].manual_seed(0)
    with warnings.catch_warnings(record=True) as told, np.errstate(all="warn"):
        warnings.simplefilter("always")
        try:
            with limits(), contextlib.redirect_stdout(io.StringIO()):
                result = run()
        except Hang:
            return "hang", None, False
        except (KeyboardInterrupt, SystemExit) as error:
            return "raised", error, False
        except Exception as error:
            if before is not None and fingerprint(value) != before:
                return "changed", None, False
            return "raised", error, False
        except BaseException as error:  # such as panics of polars
            return "raised", error, False
    if before is not None and fingerprint(value) != before:
        return "changed", None, False
    warned = any(not issubclass(one.category, RuntimeWarning) for one in told)
    return "value", result, warned


def against(run, plain, got, rtol):
    """Return how a result differs from that of the plain form, if it does."""
    if isinstance(plain, np.ndarray):
        plain = plain.copy()
    what, right, _ = attempt(lambda: run(plain))
    if what != "value":
        return f"accepted, and refused in plain form: {right}"[:300]
    return "" if same(got, right, rtol) else "not the value of the plain form"


def judge(run, argument, case, value, plain, valid, callables=()):
    """Return the verdict of one odd value and a word on it.

    Parameters
    ----------
    run : callable
        Makes the call with a value of the argument.
    argument, case : str
    value, plain : object
        The odd value, and the plain one that means the same or ``NO_PLAIN``.
    valid : object
        What the valid call returns.
    callables : set of str
        Names of the functions among the arguments.

    Returns
    -------
    verdict : {"accepted", "refused", "handed on", "inside", "silent"}
    word : str
    """
    what, got, warned = attempt(lambda: run(value), value)
    if what == "changed":
        return "silent", "input changed in place"
    if what == "hang":
        return "inside", "no end"
    if what == "raised":
        if ours(got, argument):
            return "refused", str(got)
        if of_value(got, value, callables):
            return "handed on", str(got)
        frame = traceback.extract_tb(got.__traceback__)[-1]
        last = [
            f"{pathlib.Path(f.filename).relative_to(OURS)}:{f.lineno}"
            for f in traceback.extract_tb(got.__traceback__)
            if f.filename.startswith(OURS)
        ][-2:]
        text = str(got).replace("\n", " ")[:120]
        where = pathlib.Path(frame.filename).name
        return "inside", f"{type(got).__name__}: {text} @ {where} < {last[::-1]}"
    if plain is not NO_PLAIN:
        word = ""
        for one in plain if isinstance(plain, Either) else [plain]:
            word = against(run, one, got, ROUNDED.get(case, 1e-9))
            if not word:
                return "accepted", ""
        return "silent", word
    if has_nan(got) and finite(value) and not has_nan(valid) and not warned:
        return "silent", "NaN of finite input"
    return "accepted", ""
