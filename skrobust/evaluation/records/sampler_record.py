"""Records of operational tests: the state of a sampler, its answers and its result."""

import dataclasses
import json

from skrobust import sampling
from skrobust._one_line import one_line
from skrobust._sealed import Damaged
from skrobust.evaluation.records.fingerprints import (
    facts_of_data,
    full_environment,
    model_facts,
)
from skrobust.evaluation.records.inner_checks import first_entry
from skrobust.evaluation.records.record_content import (
    DAMAGED,
    HOLDS,
    OPERATIONAL_TEST,
    RecordContent,
    as_json_digest,
)
from skrobust.evaluation.records.result_parts import digest_of_parts, parts_of
from skrobust.evaluation.records.source_digest import own_code, package_facts

STEP = "operational test"
_GENERATORS = {"PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"}


def sampler_kinds():
    """Return the public samplers whose state can be written, by name."""
    found = {name: getattr(sampling, name) for name in sampling.__all__}
    return {
        name: kind
        for name, kind in found.items()
        if isinstance(kind, type) and issubclass(kind, sampling.BaseSampler)
    }


def content_of_sampler(sampler, model, X):
    """Return the content of a record of an operational test.

    Parameters
    ----------
    sampler : BaseSampler
        With its answers.
    model : estimator or None
        The model that is tested.
    X : array-like or None
        The pool.

    Returns
    -------
    RecordContent
        For its ``write``.
    """
    name = type(sampler).__name__
    state = json.loads(sampler.to_json())
    numbers, arrays = parts_of(_result_of(sampler))
    models = {} if model is None else {type(model).__name__: model}
    settings = {
        "arguments": {},
        "not_replayable": ["the function loss"] if state.get("has_loss") else [],
        "own_classes": [],
        "without_seed": [],
    }
    facts = {
        "kind": OPERATIONAL_TEST,
        "data": facts_of_data(X, None),
        "models": [model_facts(name, one) for name, one in models.items()],
        "code": {"skrobust": package_facts(), "own": own_code(list(models.values()))},
        "environment": full_environment(),
        "steps": [{"name": STEP, "call": name, "model": next(iter(models), None)}],
        "settings": {STEP: settings},
        "numbers": {STEP: numbers},
        "sampler": state,
    }
    entries = [first_entry(facts), *_journal(state, numbers, arrays)]
    arrays = {(STEP, name): values for name, values in arrays.items()}
    return RecordContent(facts, arrays, entries)


def rows_of_sampler(content):
    """Return rows on a record of an operational test; its draws are made again.

    Parameters
    ----------
    content : RecordContent
        A record that was read.

    Returns
    -------
    list of (str, str, str)
        Part, state and what is wrong.
    """
    facts, arrays = content.facts, content.arrays_of(STEP)
    state, numbers = facts["sampler"], facts["numbers"][STEP]
    expected = [first_entry(facts), *_journal(state, numbers, arrays)]
    holds = expected == content.entries
    note = "" if holds else "it is not that of these events and results"
    rows = [("entries of the journal", HOLDS if holds else DAMAGED, note)]
    if state.get("has_loss"):
        return [*rows, ("draws", "not replayable", "without the function loss")]
    try:
        sampler = restored_sampler(content)
    except Exception as error:  # whatever a damaged state leads to
        return [*rows, ("draws", DAMAGED, one_line(error)[:300])]
    again, parts = parts_of(_result_of(sampler))
    same = again == numbers and digest_of_parts(sorted(parts.items())) == (
        digest_of_parts(sorted(arrays.items()))
    )
    note = "" if same else "it is not that of these draws and labels"
    return [*rows, ("draws", HOLDS, ""), ("result", HOLDS if same else DAMAGED, note)]


def restored_sampler(content, **known):
    """Return the sampler of a record, its draws made again from the seed.

    Parameters
    ----------
    content : RecordContent
        A record that was read.
    **known : object
        Further arguments of ``from_json``, such as X and estimator.

    Returns
    -------
    BaseSampler
        The sampler.
    """
    state = content.facts["sampler"]
    kind = sampler_kinds().get(state.get("class"))
    if kind is None:
        raise Damaged(f"The record names no public sampler: {state.get('class')!r}.")
    generator = state.get("generator")
    has_own = isinstance(generator, dict) and "bit_generator" in generator
    if has_own and generator["bit_generator"] not in _GENERATORS:
        raise Damaged("The record names no generator of numpy.")
    return kind.from_json(json.dumps(state), **known)


def told_labels(state):
    """Return the labels that were told, by id; the last one where it was corrected."""
    found = {}
    for verb, *event in state.get("events", ()):
        if verb != "ask" and event[1] == "y_true":
            found.update(zip(event[0], event[2], strict=True))
    return found


def _result_of(sampler):
    """Return the fields of a result; an operational test may have none yet."""
    return dataclasses.asdict(sampler.result())


def _journal(state, numbers, arrays):
    for i, event in enumerate(state.get("events", ()), 1):
        line = {"did": str(event[0]), "step": STEP, "number": i}
        yield line | {"result": as_json_digest(event)}
    parts = {"numbers": as_json_digest(numbers), "state": as_json_digest(state)}
    parts["arrays"] = digest_of_parts(sorted(arrays.items()))
    yield {"did": "end", "step": STEP, **parts}
