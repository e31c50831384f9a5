"""Checkpoint of finished parts, from which a killed run continues."""

import errno
import importlib.metadata
import os
import pickle
import warnings
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np
import sklearn

from skrobust import __version__ as skrobust_version
from skrobust._containers import is_frame, to_array
from skrobust._parallel import StepBar, run_tasks
from skrobust._responses import is_net, unwrap
from skrobust._sealed import DamagedPart, read_array, write_array
from skrobust._stacklevel import level_outside
from skrobust._validation import invalid
from skrobust.base.content_digest import content_digest
from skrobust.base.net_content import net_content, plain_content


def fingerprint(estimator):
    """Return the SHA-256 of a fitted model.

    The pickle of a net differs from one time to the next, so a net is known by its
    classes, tensors and settings, and the order of its outputs.
    """
    steps, model = unwrap(estimator)
    if not is_net(model) or not hasattr(model, "module_"):
        return content_digest(estimator)
    kinds = [type(one).__qualname__ for one in (estimator, model, model.criterion_)]
    answers = plain_content(model.predict_nonlinearity)
    parts = [steps, kinds, answers, net_content(model.module_)]
    order = getattr(model, "classes", None)
    if order is not None and list(order) != list(model.classes_):
        parts.append(list(order))  # the same outputs mean other labels
    return content_digest(parts)


def versions_of(estimator):
    """Return the versions that the results of a model depend on, by package."""
    found = {"skrobust": skrobust_version, "scikit-learn": sklearn.__version__}
    found["numpy"] = np.__version__
    if is_net(unwrap(estimator)[1]):
        found |= {
            name: importlib.metadata.version(name) for name in ("torch", "skorch")
        }
    return found


class Checkpoint:
    """Folder of finished parts, one small file each.

    A part is reused only for the same model (by the content of its pickle, or the
    weights of a net), the same rows and labels, the same perturbation with the same
    parameters, and the same versions of the packages; so one folder may serve many
    runs, and a changed model never meets old results. A change in the *code* of your
    own classes and functions is not detected: use a new folder then. Files are written
    whole or not at all, each with its key and the SHA-256 of its content; what is not
    as it was written, or belongs to another key, is computed again, with a warning.
    Several runs may share a folder, also at the same time and from
    several machines: no run waits for another, and the last to write a part wins, with
    the same content.

    Parameters
    ----------
    folder : str, path or None
        Created where it is missing; None keeps nothing.
    caller : str
        Name of the public function or class, for error messages.
    """

    def __init__(self, folder, caller):
        self.folder, self._damaged, self._warned = folder, set(), set()
        if folder is None:
            return
        self._caller, self._told = caller, set()
        if "\0" in str(folder):
            raise self._unusable(folder, "no path holds a NUL")
        if not isinstance(folder, (str, os.PathLike)) or not str(folder):
            raise invalid("checkpoint", caller, "None or the path of a folder", folder)
        try:
            self.folder = Path(folder).resolve()  # a worker may start elsewhere
            if self.folder.exists() and not self.folder.is_dir():
                raise invalid("checkpoint", caller, "a folder, not a file", str(folder))
            self.folder.mkdir(parents=True, exist_ok=True)
            if not os.access(self.folder, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, "Permission denied")
        except OSError as error:
            raise self._unusable(folder, error.strerror or error) from error

    def _unusable(self, folder, why):
        rule = "None or a folder that can be made and written to"
        cure = f"It is none: {why}. Nothing was computed yet."
        return invalid("checkpoint", self._caller, rule, str(folder), cure)

    def prefix(self, estimator, X, y, *more):
        """Return the part of the key that all parts of one run share."""
        if self.folder is None:
            return ""
        X = X if is_frame(X) else to_array(X)
        known = [X, to_array(y), versions_of(estimator), *more]
        return self._hash(*known, model=estimator)

    def _hash(self, *parts, model=None):
        try:
            known = [] if model is None else [fingerprint(model)]
            return content_digest([*known, *parts])
        except (
            pickle.PicklingError,
            AttributeError,
            TypeError,
            RecursionError,
        ) as error:
            raise ValueError(
                f"The 'checkpoint' parameter of {self._caller} must be None here: an "
                "object that cannot be pickled cannot be recognised: "
                f"{' '.join(str(error).split())[:200]}. Define functions and classes "
                "in a module."
            ) from error

    def key(self, prefix, *parts):
        """Return the key of one part, the SHA-256 of all that it depends on.

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
        part = self._read(key)
        if part is None:
            self._warn()
            part = np.asarray(function(*arguments))
            self._keep(key, part)
        return part

    def run_all(
        self, tasks, *, catch=(), words=str, n_jobs=None, verbose=0, label="", bar=None
    ):
        """Return the parts of many tasks, which may run in parallel.

        What is there already is read here. A worker looks again before it computes,
        since other runs may share the folder, and writes what it computed; what it
        wrote to the disk of another machine is written here as well.

        Parameters
        ----------
        tasks : list of tuple
            Key, function and arguments of each, as :meth:`run` takes them.
        catch : tuple of exception types, default=()
            Errors that count as the result of their part.
        words : callable, default=str
            From such an error to its text.
        n_jobs, verbose, label, bar : object
            Options of :func:`~skrobust._parallel.run_tasks`.

        Returns
        -------
        list of (ndarray or None, str or None)
            Part of each task, or what its error says.
        """
        found = {i: (self._read(key), None) for i, (key, *_) in enumerate(tasks)}
        left = [i for i, (part, _) in found.items() if part is None]
        self._warn()

        def keep(place, result):
            key, part = tasks[left[place]][0], result[0]
            away = self.folder is not None and (
                key in self._damaged or not self._path(key).exists()
            )
            if away and part is not None:
                self._keep(key, part)

        run = partial(_part_or_error, self, catch, words)
        how = {"n_jobs": n_jobs, "on_result": keep}
        if catch:
            how["lost"] = lambda error: (None, words(error))
        own = StepBar(len(tasks), label, verbose) if bar is None else bar
        with own if bar is None else nullcontext():
            own.done(len(tasks) - len(left))
            try:
                done = run_tasks(run, [tasks[i] for i in left], bar=own, **how)
            except KeyboardInterrupt as stop:
                if self.folder is not None:
                    stop.add_note(
                        f"Finished parts are in {str(self.folder)!r}; go on with the "
                        "same call."
                    )
                raise
        found.update(zip(left, done, strict=True))
        return list(found.values())

    def _path(self, key):
        return self.folder / f"{key}.part"

    def _read(self, key):
        """Return a part, or None where it is missing or damaged."""
        if self.folder is None:
            return None
        try:
            return read_array(self._path(key), key)
        except (DamagedPart, OSError):
            self._damaged.add(key)
            return None

    def _warn(self):
        """Warn of damaged parts that were not warned of before."""
        n = len(self._damaged - self._warned)
        self._warned = set(self._damaged)  # workers get this with the store
        if n:
            warnings.warn(
                f"{self._caller}: {n} of the finished parts in {str(self.folder)!r} "
                "were damaged or of something else; they are computed again.",
                UserWarning,
                stacklevel=level_outside(),
            )

    def _keep(self, key, part):
        try:
            write_array(self._path(key), part, key)
        except OSError as error:  # a full disk loses no result
            text = (
                f"{self._caller}: a finished part could not be kept in "
                f"{str(self.folder)!r}: {error.strerror or error}. The run goes on, "
                "and parts that are there are safe; if it is stopped, the others are "
                "computed again."
            )
            if text not in self._told:  # once a run
                self._told.add(text)
                warnings.warn(text, UserWarning, stacklevel=level_outside())


def _part_or_error(store, catch, words, key, function, *arguments):
    try:
        return store.run(key, function, *arguments), None
    except catch as error:
        return None, words(error)
