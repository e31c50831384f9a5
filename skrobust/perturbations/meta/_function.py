"""Perturbation from a function on arrays."""

import inspect

import numpy as np

from skrobust._validation import check_choice, invalid
from skrobust.base import BasePerturbation


def _add_noise(X, rng, scale=0.1):
    return X + scale * rng.normal(size=X.shape)


class FunctionPerturbation(BasePerturbation):
    """Perturbation from a function on arrays.

    Parameters
    ----------
    function : callable
        ``function(X, **kw_args)`` or ``function(X, rng, **kw_args)``: gets a copy of
        the rows as an array (the values of a frame), which it may change, and returns
        an array of the same shape. A row may not depend on the other rows of the call,
        or the result depends on the batch (``check_perturbation`` finds that out).
    kw_args : dict, default=None
        More keyword arguments of the function.
    draws : bool or "auto", default="auto"
        Whether the function draws random numbers and gets ``rng``. "auto": it does if
        one of its parameters is called ``rng``.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws. The same int gives the same noise for the same rows.
    name : str, default=None
        Name for tables and plots; None takes that of the function.

    Raises
    ------
    ValueError
        When it runs: for a function that changes the shape, returns no numbers, or
        asks ``rng`` for a verb that it has not.

    Notes
    -----
    ``rng`` has the verbs ``random(size)``, ``uniform(low, high, size)`` and
    ``normal(loc, scale, size)`` of numpy. The draws belong to the content of the rows,
    so ``size`` begins with the number of rows, as in ``rng.normal(size=X.shape)``. A
    function that ignores ``rng`` and draws from numpy's global state breaks all
    promises of reproducibility.

    Float rows come back in their dtype. Integer rows come back in the dtype that the
    function returns: round and cast them there. Frames of numbers come back as frames,
    with their index and columns; the function sees the values.

    Lambdas and functions defined inside functions cannot be pickled by the standard
    library. They run under loky and dask, which pickle by value, but not with
    ``checkpoint=`` and not in ``pickle.dump``: define the function in a module.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import FunctionPerturbation
    >>> def dropout(X, rng, share=0.1):
    ...     return np.where(rng.random(X.shape) < share, 0, X)
    >>> p = FunctionPerturbation(dropout, kw_args={"share": 0.5}, random_state=0)
    >>> bool(0.4 < p.perturb(None, np.ones((50, 8))).mean() < 0.6)
    True
    >>> str(p)
    'dropout'
    """

    @classmethod
    def _get_test_params(cls):
        noise = {"function": _add_noise, "kw_args": {"scale": 0.2}, "name": "noise"}
        return [noise, {"function": np.tanh}]

    def __init__(
        self, function, *, kw_args=None, draws="auto", random_state=None, name=None
    ):
        self.function = function
        self.kw_args = kw_args
        self.draws = draws
        self.random_state = random_state
        self.name = name

    def __str__(self):
        return self.name if self.name is not None else self._function_name()

    def _function_name(self):
        function = getattr(self.function, "func", self.function)  # a partial
        return getattr(function, "__name__", type(function).__name__)

    def _check_parameters(self):
        caller = "FunctionPerturbation"
        if not callable(self.function) or isinstance(self.function, type):
            raise invalid("function", caller, "a function of arrays", self.function)
        if self.kw_args is not None and not isinstance(self.kw_args, dict):
            raise invalid("kw_args", caller, "a dict or None", self.kw_args)
        check_choice(self.draws, "draws", caller, (True, False, "auto"))
        if self.name is not None and not isinstance(self.name, str):
            raise invalid("name", caller, "a string or None", self.name)

    def _rng_parameter(self):
        try:
            parameters = inspect.signature(self.function).parameters
        except (TypeError, ValueError):  # as for some functions written in C
            return None
        return parameters.get("rng")

    def _perturb(self, X, rng):
        parameter = self._rng_parameter()
        draws = parameter is not None if self.draws == "auto" else self.draws
        args, named = (X,), dict(self.kw_args or {})
        if draws:
            if parameter is not None and parameter.kind != parameter.POSITIONAL_ONLY:
                named["rng"] = rng
            else:
                args += (rng,)
        shape = X.shape
        try:
            out = np.asarray(self.function(*args, **named))
        except AttributeError as error:
            if error.obj is not rng:
                raise
            numpy_verbs = set(dir(np.random.Generator)) & set(dir(rng))
            verbs = ", ".join(sorted(v for v in numpy_verbs if v[0] != "_"))
            raise ValueError(
                f"The function {self._function_name()!r} of FunctionPerturbation asks "
                f"rng for {error.name!r}; draws that belong to rows are {verbs}."
            ) from error
        if out.shape != shape or out.dtype.kind not in "fiub":
            raise ValueError(
                f"The function {self._function_name()!r} of FunctionPerturbation must "
                f"return numbers of shape {shape}; it returned {out.dtype} of shape "
                f"{out.shape}."
            )
        return out


# A perturbation of any rows of numbers, for the test instances of what holds others.
TEST_NOISE = FunctionPerturbation(_add_noise, random_state=0)
