"""A sampler as text, and back, bit for bit."""

import copy
import hashlib
import inspect
import json
import os
import tempfile
from array import array
from pathlib import Path

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrobust.sampling.core.packing import (
    PLAIN,
    content,
    generator_at,
    pack,
    plain,
    unpack,
)

FORMAT = 1


class StateMixin:
    """The part of a sampler that writes itself as JSON and goes on from it.

    The text holds the parameters, the pool (or only its hash), the state of the
    generator when drawing began, every ``ask``, ``tell`` and ``correct``, and the draws
    with their probabilities. Reading it plays the events again and compares.
    """

    def to_json(self, *, include_pool=True):
        """Write the state as text.

        Parameters
        ----------
        include_pool : bool, default=True
            Whether to put the scores and predictions of the pool into the text, so
            that it can go on by itself. Otherwise only their hash is there, and
            ``from_json`` needs the pool again.

        Returns
        -------
        str
            JSON, for ``from_json`` of the same class.

        Raises
        ------
        ValueError
            Where a true label is of a type that JSON has not.
        """
        from skrobust import __version__

        check_is_fitted(self)
        rounds = self._rounds
        state = {
            "format": FORMAT,
            "class": type(self).__name__,
            "version": __version__,
            "parameters": self._plain_parameters(),
            "n_pool": self.n_pool_,
            "pool_hash": self._pool_hash(),
            "generator": self._rng_at_start,
            "events": self._events,
            "ids": rounds.ids.tolist(),
            "pi": rounds.pi.tolist(),
            "ends": rounds.ends.tolist(),
            "which": rounds.which.tolist(),
            "snapshots": rounds.snapshots,
            "spans": rounds.spans,
            "m": rounds.m.tolist() if rounds.snapshots else None,
            "m_free": rounds.m_free.tolist() if rounds.snapshots else None,
            "designs": list(rounds.designs.items()),
            "least": self._least.tolist(),
        }
        if include_pool:
            state["pool"] = {
                name: pack(value, name, type(self).__name__)
                for name, value in self._pool_arrays().items()
            }
            state["notes"] = self._pool_notes
        for i, label in self._labels.items():
            if not isinstance(label, PLAIN):
                raise ValueError(
                    f"{type(self).__name__}.to_json: the true label {label!r} of id "
                    f"{i} cannot be written as JSON; tell str, int, float or bool."
                )
        return json.dumps(state, default=plain)

    @classmethod
    def from_json(cls, text, X=None, *, estimator=None, y_pred=None, frozen=False,
                  **parameters):  # fmt: skip
        """Make a sampler that goes on where ``to_json`` was called.

        Parameters
        ----------
        text : str
            What ``to_json`` of this class returned.
        X : array-like, default=None
            The pool as ``fit`` took it; needed where the text does not hold it.
        estimator : fitted classifier, default=None
            The model, which is never in the text.
        y_pred : array-like of shape (n_pool,), default=None
            As in ``fit``.
        frozen : bool, default=False
            Take the stored draws as they are, without playing them again: the result is
            there and answers can be told, but nothing more can be drawn.
        **parameters
            Parameters that JSON cannot hold, such as a callable ``auxiliary``.

        Returns
        -------
        sampler
            Fitted.

        Raises
        ------
        ValueError
            For text of another class, format or pool, and where the stored draws
            cannot be made again (another version of numpy): nothing is lost then, see
            ``frozen``.
        """
        caller = f"{cls.__name__}.from_json"
        state = read_state(text, cls.__name__, caller)
        pool = state.get("pool")
        if pool is None and X is None:
            raise ValueError(
                f"{caller}: this state was written without its pool of "
                f"{state['n_pool']} inputs; pass it as X."
            )
        known = inspect.signature(cls).parameters
        given = {**state["parameters"], **parameters, "estimator": estimator}
        new = cls(**{
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.items() if name in known
        })  # fmt: skip
        if X is not None:
            new.fit(X, y_pred=y_pred)
            if new.n_pool_ != state["n_pool"] or new._pool_hash() != state["pool_hash"]:
                raise ValueError(
                    f"{caller}: this state belongs to another pool (of "
                    f"{state['n_pool']} inputs, with other scores or predictions)."
                )
        else:
            new._check_parameters()
            new._take_pool(state)
        new._rng = generator_at(state["generator"])
        new._restart()
        if frozen:
            new._take_draws(state)
        else:
            new._play(state, caller)
        return new

    def save(self, path, *, include_pool=True):
        """Write ``to_json`` to a file, whole or not at all.

        Parameters
        ----------
        path : str or path
            Read it back with ``from_json(Path(path).read_text())``.
        include_pool : bool, default=True
            As in ``to_json``.
        """
        text, path = self.to_json(include_pool=include_pool), Path(path)
        handle, name = tempfile.mkstemp(
            dir=path.parent, prefix=path.name, suffix=".tmp"
        )
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _pool_arrays(self):
        """Return what draws and answers need of the pool; a sampler may add to it."""
        return {"scores_": self.scores_, "y_pred_": self.y_pred_}

    def _plain_parameters(self):
        """Return the parameters that JSON can hold."""
        kept = {}
        for name, value in self.get_params(deep=False).items():
            value = value.item() if isinstance(value, np.generic) else value
            simple = isinstance(value, PLAIN) or (
                isinstance(value, (list, tuple))
                and all(isinstance(part, PLAIN) for part in value)
            )
            if simple and name != "estimator":
                kept[name] = value
        return kept

    def _pool_hash(self):
        digest = hashlib.blake2b(str(self.n_pool_).encode(), digest_size=16)
        for name, value in sorted(self._pool_arrays().items()):
            digest.update(name.encode())
            if value is not None:
                digest.update(content(np.asarray(value)))
        return digest.hexdigest()

    def _take_pool(self, state):
        for name, value in state["pool"].items():
            setattr(self, name, unpack(value))
        self.n_pool_, self._pool_notes = state["n_pool"], list(state["notes"])
        if "auxiliary" not in state["parameters"]:
            self.auxiliary = self.scores_  # an array or a function had made them

    def _play(self, state, caller):
        try:
            for verb, *event in state["events"]:
                if verb == "ask":
                    self.ask(event[0])
                else:
                    ids, kind, answers = event
                    getattr(self, verb)(ids, **{kind: answers})
            same = all(
                getattr(self._rounds, name).tolist() == state[name]
                for name in ("ids", "pi", "ends", *(("m",) if state["m"] else ()))
            )
        except ValueError:  # draws that differ leave answers without a question
            same = False
        if not same:
            raise ValueError(
                f"{caller}: the stored draws (skrobust {state['version']}) cannot be "
                "made again here. No label is lost: frozen=True gives their result."
            )

    def _history(self, n_points=50):
        """Yield a copy as it was after each answer, or after some of many at once.

        The events are played again from the start, in the order in which they came.
        """
        check_is_fitted(self)
        if self._frozen:
            raise ValueError(
                f"{type(self).__name__} was restored for its results alone "
                "(frozen=True): its draws cannot be played again."
            )
        past = copy.copy(self)
        past._rng.bit_generator.state = self._rng_at_start
        past._restart()
        answers = sum(len(event[1]) for event in self._events if event[0] != "ask")
        step = max(1, -(-answers // n_points))
        for verb, *event in self._events:
            if verb == "ask":
                past.ask(event[0])
                continue
            ids, kind, told = event
            for i in range(0, len(ids), step):
                part = {kind: told[i : i + step]}
                getattr(past, verb)(ids[i : i + step], **part)
                yield past

    def _take_draws(self, state):
        rounds = self._rounds
        rounds.ids, rounds.ends = array("q", state["ids"]), array("q", state["ends"])
        rounds.pi, rounds.which = array("d", state["pi"]), array("q", state["which"])
        rounds.m = array("d", state["m"] or np.zeros(len(rounds.ids)).tolist())
        rounds.m_free = array(
            "d", state["m_free"] or np.zeros(len(rounds.ends)).tolist()
        )
        rounds.snapshots = state["snapshots"]
        rounds.spans = [tuple(span) for span in state["spans"]]
        self._least = array("d", state["least"])
        rounds.designs = {int(t): design for t, design in state["designs"]}
        asked = 0
        for verb, *event in state["events"]:
            if verb == "ask":
                self._mark_asked(state["ids"][asked : asked + event[0]])
                asked += event[0]
            else:
                ids, kind, answers = event
                getattr(self, verb)(ids, **{kind: answers})
        self._events, self._frozen = state["events"], True


def read_state(text, name, caller):
    """Return the state in a text, or say why it is none of this class."""
    try:
        state = json.loads(text)
        kind, version = state["class"], state["format"]
    except (ValueError, TypeError, KeyError):
        raise ValueError(f"{caller} needs the text that to_json returned.") from None
    if kind != name:
        raise ValueError(
            f"{caller}: this is the state of {kind}; use {kind}.from_json."
        )
    if version != FORMAT:
        raise ValueError(
            f"{caller} reads format {FORMAT}; this state is of format {version}, "
            f"written by skrobust {state.get('version')}."
        )
    return state
