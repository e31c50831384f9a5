"""State of a sampler as JSON, and back, bit for bit."""

import copy
import inspect
import json

import numpy as np

from skrobust._sealed import Damaged, bytes_digest, sealed_text
from skrobust.sampling.core.draws import Draws
from skrobust.sampling.core.later_models import models_from_plain, models_to_plain
from skrobust.sampling.core.packing import (
    PLAIN,
    content,
    pack,
    parsed,
    plain,
    refuse_unwritable,
    restored_generator,
    unpack,
)

FORMAT = 2


class DrawsDiffer(ValueError):
    """Stored draws, whole as they were written, that cannot be made again here."""


class State:
    """Parameters, pool, generator, events and draws of a sampler as plain data.

    Restoring plays the events (every ``ask``, ``tell`` and ``correct``) again from the
    state of the generator when drawing began, and compares the draws with those stored.
    Before anything else the seal is verified: the digest of each part of the text.
    """

    def __init__(self, facts):
        self.facts = facts

    @classmethod
    def of(cls, sampler, *, include_pool=True):
        """Take the state of a fitted sampler."""
        from skrobust import __version__

        name = type(sampler).__name__
        facts = {
            "format": FORMAT,
            "class": name,
            "version": __version__,
            "parameters": plain_parameters(sampler),
            "n_pool": sampler.n_pool_,
            "pool_hash": pool_hash(sampler),
            "generator": sampler._rng_at_start,
            "events": sampler._answers.events,
            **sampler._draws.to_plain(),
        }
        if include_pool:
            facts["pool"] = {
                array: pack(values, array, name)
                for array, values in sampler._pool_arrays().items()
            }
            facts["notes"] = sampler._pool_notes
        if sampler._models:
            facts["models"] = models_to_plain(sampler._models, name)
        loss = sampler._answers.loss
        if loss.is_declared:
            facts["loss_range"] = [loss.low, loss.high]
            facts["has_loss"] = loss.function is not None
        for i, label in sampler._answers.labels.items():
            refuse_unwritable(label, i, f"{name}.to_json")
        return cls(facts)

    @classmethod
    def parse(cls, text, name, caller):
        """Read a text of ``to_json``, or raise where it is none of this class."""
        facts = parsed(text, FORMAT, caller)
        kind = facts.get("class")
        if kind is None:
            raise Damaged(f"{caller} needs the text that to_json returned.")
        if kind != name:
            raise ValueError(
                f"{caller}: this is the state of {kind}; use {kind}.from_json."
            )
        return cls(facts)

    def to_json(self):
        """Return the state as text, with its seal."""
        return sealed_text(self.facts, plain)

    def make(self, kind, X, of_rows, parameters, caller):
        """Return a sampler of the class with its pool, and nothing drawn yet."""
        facts = self.facts
        if "pool" not in facts and X is None:
            raise ValueError(
                f"{caller}: this state was written without its pool of "
                f"{facts['n_pool']} inputs; pass it as X."
            )
        if facts.get("has_loss") and parameters.get("loss") is None:
            raise ValueError(
                f"{caller}: this sampler computes a loss by a function, which JSON "
                "cannot hold; pass it as loss=."
            )
        known, stored = inspect.signature(kind).parameters, dict(facts["parameters"])
        if "loss_range" in facts:
            stored["loss_range"] = facts["loss_range"]
        parameters = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in {**stored, **parameters}.items()
            if name in known
        }
        new = kind(**parameters)
        if X is None:
            new._check_parameters()
            self._restore_pool(new)
        else:
            new.fit(X, **{k: v for k, v in of_rows.items() if v is not None})
            if new.n_pool_ != facts["n_pool"] or pool_hash(new) != facts["pool_hash"]:
                raise ValueError(
                    f"{caller}: this state belongs to another pool (of "
                    f"{facts['n_pool']} inputs, with other scores, predictions, "
                    "costs or features)."
                )
        new._rng = restored_generator(facts["generator"])
        new._models = models_from_plain(facts.get("models", {}))
        new._restart()
        return new

    def _restore_pool(self, sampler):
        sampler.scores_ = None
        for name, value in self.facts["pool"].items():
            setattr(sampler, name, unpack(value))
        sampler.n_pool_ = self.facts["n_pool"]
        sampler._pool_notes = list(self.facts["notes"])
        if "auxiliary" not in self.facts["parameters"]:
            # An array or a function had made them.
            sampler.auxiliary = next(iter(sampler._pool_arrays().values()))

    def play(self, sampler, caller):
        """Play the events again, and raise where the draws differ."""
        facts = self.facts
        try:
            for verb, *event in facts["events"]:
                repeat(sampler, verb, event)
            drawn = sampler._draws.to_plain()
            names = ("ids", "pi", "ends", *(("m",) if facts["m"] else ()))
            same = all(drawn[name] == facts[name] for name in names)
        except ValueError:  # draws that differ leave answers without a question
            same = False
        if not same:
            raise DrawsDiffer(
                f"{caller}: the stored draws (skrobust {facts['version']}) cannot be "
                "made again here. No label is lost: frozen=True gives their result."
            )

    def freeze(self, sampler):
        """Take the stored draws as they are; nothing more can be drawn."""
        sampler._draws, answers = Draws.from_plain(self.facts), sampler._answers
        asked = 0
        for verb, *event in self.facts["events"]:
            if verb == "ask":
                answers.open(self.facts["ids"][asked : asked + event[0]])
                asked += event[0]
            else:
                repeat(sampler, verb, event)
        answers.events, sampler._frozen = self.facts["events"], True


def repeat(sampler, verb, event, part=slice(None)):
    """Do again what an event of a sampler's log says, or a part of its answers."""
    if verb == "ask":
        sampler.ask(event[0])
        if len(event) > 1:  # by a budget
            sampler._plan_round(event[1])
    else:
        ids, kind, answers = event
        getattr(sampler, verb)(ids[part], **{kind: answers[part]})


def history(sampler, n_points):
    """Yield a copy as it was after each answer, or after some of many at once.

    The events are played again from the start, in the order in which they came.
    """
    if sampler._frozen:
        raise ValueError(
            f"{type(sampler).__name__} was restored for its results alone "
            "(frozen=True): its draws cannot be played again."
        )
    past, events = copy.copy(sampler), sampler._answers.events
    past._rng.bit_generator.state = sampler._rng_at_start
    past._restart()
    answers = sum(len(event[1]) for event in events if event[0] != "ask")
    step = max(1, -(-answers // n_points))
    for verb, *event in events:
        if verb == "ask":
            repeat(past, verb, event)
            continue
        for i in range(0, len(event[0]), step):
            repeat(past, verb, event, slice(i, i + step))
            yield past


def plain_parameters(sampler):
    """Return the parameters that JSON can hold."""
    kept = {}
    for name, value in sampler.get_params(deep=False).items():
        if name in ("loss", "loss_range"):
            continue  # stored as they are in force, and only where there are losses
        value = value.item() if isinstance(value, np.generic) else value
        parts = value if isinstance(value, (list, tuple)) else [value]
        if name != "estimator" and all(isinstance(part, PLAIN) for part in parts):
            kept[name] = value
    return kept


def digest_of_sampler(sampler):
    """Return what tells a sampler from others: its class, its pool and its seed."""
    known = [type(sampler).__name__, pool_hash(sampler), sampler._rng_at_start]
    return bytes_digest(json.dumps(known).encode())


def pool_hash(sampler):
    """Return a hash of what draws and answers need of the pool."""
    digests = {
        name: None if value is None else bytes_digest(content(np.asarray(value)))
        for name, value in sampler._pool_arrays().items()
    }
    known = [sampler.n_pool_, *sorted(digests.items())]
    return bytes_digest(json.dumps(known).encode())
