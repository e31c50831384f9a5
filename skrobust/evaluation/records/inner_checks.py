"""Whether the parts of a record follow from one another: rows of a table."""

import numpy as np

from skrobust.evaluation.records.record_content import (
    DAMAGED,
    HOLDS,
)
from skrobust.evaluation.records.recorder import journal_of_step

NOT_REPLAYABLE = "not replayable"


def rows_of_steps(content):
    """Return rows on each step of a record of evaluations.

    The journal must be the one that its settings and results make, the scores those of
    its samples.

    Parameters
    ----------
    content : RecordContent
        A record that was read.

    Returns
    -------
    list of (str, str, str)
        Part, state and what is wrong.
    """
    facts, rows = content.facts, []
    expected = [first_entry(facts)]
    for step in facts["steps"]:
        name = step["name"]
        settings, numbers = facts["settings"][name], facts["numbers"][name]
        arrays = content.arrays_of(name)
        own = list(journal_of_step(name, settings["arguments"], numbers, arrays))
        found = [one for one in content.entries if one.get("step") == name]
        rows.append(_row_of_journal(name, own, found))
        rows += _rows_of_scores(name, arrays)
        expected += own
    holds = expected == content.entries
    note = "" if holds else "it is not that of these results in this order"
    rows.insert(0, ("entries of the journal", HOLDS if holds else DAMAGED, note))
    return rows


def rows_of_replay(facts):
    """Return a row for each step that nothing here can replay alone."""
    for step, settings in facts["settings"].items():
        own, missing = settings["own_classes"], settings["not_replayable"]
        notes = [f"without {one}" for one in missing]
        notes += [f"pass the class {one}" for one in own]
        if notes:
            yield f"replay of {step!r}", NOT_REPLAYABLE, "; ".join(notes)


def first_entry(facts):
    """Return the first line of a journal: fingerprints of what was read."""
    fingerprints = {
        kind: {one["name"]: one["fingerprint"] for one in facts[kind]}
        for kind in ("data", "models")
    }
    return {"did": "read", **fingerprints}


def _row_of_journal(name, own, found):
    part = f"results of {name!r}"
    if own == found:
        return part, HOLDS, ""
    for one, other in zip(own, found, strict=False):
        if one != other:
            what = one.get("name") or one["did"]
            return part, DAMAGED, f"{what!r} is not what the journal has"
    return part, DAMAGED, "lines of the journal are missing or added"


def _rows_of_scores(name, arrays):
    """Say whether scores are the means of their samples."""
    pairs = [("score", "correct"), ("flip_rate", "flipped")]
    for score, by_sample in pairs:
        if score in arrays and by_sample in arrays:
            same = np.array_equal(arrays[by_sample].mean(axis=0), arrays[score])
            note = "" if same else f"it is not the mean of {by_sample!r}"
            yield f"{score} of {name!r}", HOLDS if same else DAMAGED, note
