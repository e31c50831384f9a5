"""Base class of wrapped models."""

import copy
import os
from hashlib import sha256
from html import escape
from pathlib import Path

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from skrobust._array_checks import checked_n_rows
from skrobust._containers import is_frame, refuse_mask, refuse_unordered
from skrobust._differentiable import differentiable_view
from skrobust._validation import invalid
from skrobust.wrappers.capabilities import Capabilities
from skrobust.wrappers.model_sources import source_of
from skrobust.wrappers.raw_answers import answer_array
from skrobust.wrappers.rows_for_model import CALLER, RowsForModel


class WrappedModel(BaseEstimator):
    """Base class of wrapped models: input, batches, the model inside, its display.

    Parameters
    ----------
    model : object
        What is wrapped.
    **settings : dict
        As for ``wrap``.
    """

    _copies_rows = True  # batch by batch, before the model sees them

    def __init__(
        self,
        model,
        *,
        classes=None,
        response=None,
        n_outputs=None,
        input_shape=None,
        layout=None,
        dtype=None,
        data_range=None,
        batch_size=None,
        device=None,
        output=None,
    ):
        self.model = model
        self.classes = classes
        self.response = response
        self.n_outputs = n_outputs
        self.input_shape = input_shape
        self.layout = layout
        self.dtype = dtype
        self.data_range = data_range
        self.batch_size = batch_size
        self.device = device
        self.output = output

    def fit(self, X, y=None):
        """Refuse: the model inside is trained.

        Parameters
        ----------
        X : array-like
            Rows.
        y : array-like, default=None
            Labels.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError(
            f"{type(self).__name__} holds a trained model and cannot fit it. Put "
            "sklearn.frozen.FrozenEstimator(model) where something fits, as "
            "cross_val_score does."
        )

    @property
    def capabilities_(self):
        """What the model is and can do."""
        source, step = self._source(), self._step()
        gradients = self._has_gradients()
        regresses = self.response == "values"
        inside = getattr(self, "wrapped_estimator_", None)
        scores = self.response in ("probabilities", "logits")
        scores = scores or hasattr(inside, "decision_function")
        dtype = None if step.dtype is None else np.dtype(step.dtype).name
        return Capabilities(
            kind=source.kind,
            answers=self.response,
            gradients=gradients,
            scores=bool(scores),
            n_classes=None if regresses else len(self.classes_),
            input_shape=step.input_shape or source.input_shape,
            layout=step.layout,
            dtype=dtype,
            batch_size=self._rows_at_once(),
        )

    @property
    def wrapped_estimator_(self):
        """The estimator inside, behind the step of its input.

        Attacks, certificates and evaluations see through the wrapper to it. Models
        without one have no gradients, and no such attribute.
        """
        found = self._inner("estimator", self._make_estimator)
        if found is None:
            kind = self._source().kind
            raise AttributeError(f"a wrapped {kind} has no wrapped_estimator_")
        return found

    def _make_estimator(self):
        source, step = self._source(), self._step()
        if source.estimator is not None:
            model = source.estimator
        elif hasattr(source, "net"):
            classes = None if self.response == "values" else self._labels().tolist()
            size = self._rows_at_once()
            model = source.net(self.response, self.n_outputs, classes, size)
        else:
            return None
        return model if step.is_idle else Pipeline([("rows", step), ("model", model)])

    def _has_gradients(self):
        return bool(self._inner("gradients", self._ask_gradients))

    def _ask_gradients(self):
        if not hasattr(self, "wrapped_estimator_"):
            return False
        try:
            differentiable_view(self.wrapped_estimator_, CALLER, regressors=True)
        except (ValueError, AttributeError, TypeError):
            return False
        return True

    def _source(self):
        def make():
            output, device = self.output, self.device
            return source_of(
                self.model, CALLER, output=output, device=device, response=self.response
            )

        return self._inner("source", make)

    def _inner(self, name, make):
        """Return what is made once for these parameters, and not pickled."""
        settings = {k: v for k, v in vars(self).items() if k != "_kept"}
        known = self.__dict__.get("_kept")
        if known is None or not _same(known["settings"], settings):
            known = self.__dict__["_kept"] = {"settings": settings}
        if name not in known:
            known[name] = make()
        return known[name]

    def _step(self):
        return RowsForModel(self.input_shape, self.layout, self.dtype, self.data_range)

    def _rows_at_once(self):
        source = self._source()
        return self.batch_size or source.fixed_batch or source.batch_size

    def _answers(self, X):
        """Return the answers to rows as an array."""
        names = None if self.classes is None else list(self.classes)
        size, prepare = self._rows_at_once(), self._step().transform
        return ask(self._source(), X, names, size, prepare)[0]

    def __sklearn_is_fitted__(self):
        return True

    def __sklearn_clone__(self):
        # The model is trained and only read, so that a copy may share it.
        return copy.copy(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        source = self._source()
        tags.input_tags.three_d_array = True
        if source.estimator is not None and hasattr(source.estimator, "get_params"):
            tags.input_tags = copy.copy(get_tags(source.estimator).input_tags)
        if source.kind == "text pipeline":
            tags.input_tags.string = True
        return tags

    def __getstate__(self):
        state = super().__getstate__()
        state = {k: v for k, v in state.items() if k != "_kept"}
        kind, is_path = self._source().kind, isinstance(self.model, (str, os.PathLike))
        endings = {"ONNX model": ".onnx", "tflite model": ".tflite"}
        if kind in endings and not is_path:
            raise TypeError(
                f"{type(self).__name__} of an open {kind} cannot be pickled. Wrap the "
                f"path of its file, skrobust.wrap('model{endings[kind]}'), or use "
                "n_jobs=1."
            )
        if kind in endings:
            # A checkpoint knows a model by its pickle: another file is another model.
            state["digest_"] = sha256(Path(self.model).read_bytes()).hexdigest()
        return state

    def __copy__(self):
        made = type(self).__new__(type(self))
        vars(made).update(vars(self))
        return made

    def __repr__(self, N_CHAR_MAX=700):
        facts = ", ".join(f"{k}: {v}" for k, v in self.capabilities_.words().items())
        return f"{type(self).__name__}({_name_of(self.model)}; {facts})"

    def _repr_html_(self):
        facts = self.capabilities_._repr_html_()
        title = f"{type(self).__name__}({_name_of(self.model)})"
        return f"<div><b>{escape(title)}</b>{facts}</div>"

    def _repr_mimebundle_(self, **kwargs):
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _name_of(model):
    if isinstance(model, (str, os.PathLike)):
        return repr(os.fspath(model))
    if type(model).__name__ == "HTTPEndpoint":
        return repr(model)
    return getattr(model, "__name__", type(model).__name__)


def _same(known, settings):
    return known.keys() == settings.keys() and all(
        known[name] is value for name, value in settings.items()
    )


def _rows_between(X, start, stop):
    """Return some rows of any container."""
    return X.iloc[start:stop] if hasattr(X, "iloc") else X[start:stop]


def _copied(rows):
    """Return a copy of rows of any container."""
    copied = getattr(rows, "copy", None) or getattr(rows, "clone", None)
    return rows if copied is None else copied()


def ask(source, rows, names, batch_size, prepare=None):
    """Return the answers of a source to rows, and the names of their columns.

    Parameters
    ----------
    source : FunctionSource
        The model.
    rows : container of shape (n_samples, ...)
        As the model takes them, or as ``prepare`` does.
    names : list or None
        Names of the classes, where the model answers with names.
    batch_size : int or None
        Rows at once.
    prepare : callable, default=None
        Makes a batch as the model takes it; images on disk are then read in batches.

    Returns
    -------
    answers : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Labels or numbers.
    names : list or None
        Names of the columns.
    """
    refuse_mask(rows, "X")
    if isinstance(rows, (str, bytes, bytearray)):
        raise invalid("X", CALLER, "rows, as a list of texts", rows)
    if not is_frame(rows) and not issparse(rows):
        refuse_unordered(rows, "X", CALLER)
    n = checked_n_rows(rows, "X", CALLER)
    if n == 0:
        raise ValueError(f"{CALLER} got no rows.")
    size, parts = batch_size or n, []
    for start in range(0, n, size):
        part = _rows_between(rows, start, start + size)
        part = part if prepare is None else prepare(part)
        part = _copied(part)  # functions may work in place
        count = min(size, n - start)
        missing = source.fixed_batch is not None and source.fixed_batch - count
        if missing and missing > 0:  # the model insists on the number of rows
            part = np.concatenate([part, np.repeat(part[-1:], missing, axis=0)])
        answers, names = answer_array(source(part), names, CALLER)
        if answers.ndim == 0 or len(answers) != count + (missing or 0):
            raise ValueError(
                f"{CALLER} gave the model {count} rows and got answers of shape "
                f"{answers.shape}; it needs one answer a row. Wrap a function of a "
                "batch, not of one row."
            )
        parts.append(answers[:count])
    return np.concatenate(parts), names
