"""Checkpoint of finished parts, from which a killed run continues."""

import os
import pickle
from functools import partial
from pathlib import Path

import joblib
import numpy as np
import sklearn

from skrobust import __version__ as skrobust_version
from skrobust._containers import to_array
from skrobust._responses import is_net, unwrap
from skrobust._validation import invalid
from skrobust._whole_file import write_whole


def fingerprint(estimator):
    """Return a hash of a fitted model.

    The pickle of a net differs from one time to the next, so a net is known by its
    class, its weights and its buffers, and the order of its outputs.
    """
    steps, model = unwrap(estimator)
    if not is_net(model) or not hasattr(model, "module_"):
        return joblib.hash(estimator)
    weights = {k: v.cpu().numpy() for k, v in model.module_.state_dict().items()}
    kinds = [type(part).__qualname__ for part in (estimator, model, model.module_)]
    shown = repr(model.module_), type(model.criterion_).__qualname__
    parts = [steps, kinds, shown, weights]
    order = getattr(model, "classes", None)
    if order is not None and list(order) != list(model.classes_):
        parts.append(list(order))  # the same outputs mean other labels
    return joblib.hash(parts)


class Checkpoint:
    """Folder of finished parts, one small file each.

    A part is reused only for the same model (by the content of its pickle, or the
    weights of a net), the same rows and labels, and the same perturbation with the same
    parameters; so one folder may serve many runs, and a changed model never meets old
    results. A change in the *code* of your own classes and functions is not detected:
    use a new folder then. Files are written whole or not at all, and damaged ones are
    written again.

    Parameters
    ----------
    folder : str, path or None
        Created where it is missing; None keeps nothing.
    caller : str
        Name of the public function or class, for error messages.
    """

    def __init__(self, folder, caller):
        self.folder = folder
        if folder is None:
            return
        self._caller = caller
        if not isinstance(folder, (str, os.PathLike)) or not str(folder):
            raise invalid("checkpoint", caller, "None or the path of a folder", folder)
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise invalid("checkpoint", caller, "a folder, not a file", str(folder))
        self.folder.mkdir(parents=True, exist_ok=True)

    def prefix(self, estimator, X, y, *more):
        """Return the part of the key that all parts of one run share."""
        if self.folder is None:
            return ""
        versions = skrobust_version, sklearn.__version__
        return self._hash(to_array(X), to_array(y), versions, *more, model=estimator)

    def _hash(self, *parts, model=None):
        try:
            known = [] if model is None else [fingerprint(model)]
            return joblib.hash([*known, *parts])
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise ValueError(
                f"The 'checkpoint' parameter of {self._caller} must be None here: an "
                "object that cannot be pickled cannot be recognised: "
                f"{' '.join(str(error).split())[:200]}. Define functions and classes "
                "in a module."
            ) from error

    def key(self, prefix, *parts):
        """Return the key of one part, a hash of its pickle.

        It is made where the run starts, not in a worker: only there are the classes of
        a script or a notebook at hand.
        """
        return "" if self.folder is None else self._hash(prefix, *parts)

    def run(self, key, function, *arguments):
        """Return the array of a part: read it, or compute and keep it.

        Parameters
        ----------
        key : str
            From :meth:`key`.
        function : callable
            Computes the part as an array.
        *arguments : object
            Its arguments.

        Returns
        -------
        ndarray
            The part.
        """
        if self.folder is None:
            return function(*arguments)
        path = self.folder / f"{key}.npy"
        if path.exists():
            try:
                return np.load(path, allow_pickle=False)
            except (ValueError, EOFError, OSError):
                pass  # damaged; it is made again
        result = np.asarray(function(*arguments))
        write_whole(path, partial(np.save, arr=result, allow_pickle=False))
        return result
