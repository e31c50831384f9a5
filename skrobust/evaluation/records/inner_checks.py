"""Whether the parts of a record follow from one another: rows of a table."""

import numpy as np

from skrobust.evaluation.core.model_checks import quietly
from skrobust.evaluation.core.score_summary import overall
from skrobust.evaluation.records.fingerprints import LABELS, ROWS
from skrobust.evaluation.records.record_content import (
    DAMAGED,
    EVALUATION,
    HOLDS,
    OPERATIONAL_TEST,
)
from skrobust.evaluation.records.recorder import journal_of_step
from skrobust.evaluation.records.replayed_steps import DIFFERS, Comparison, as_number
from skrobust.evaluation.records.result_parts import parts_of

NOT_REPLAYABLE = "not replayable"
# What an evaluation of accuracy always has.
_OF_ACCURACY = ("score", "score_low", "score_high", "band_low", "band_high")
_OF_ACCURACY += ("flip_rate", "correct", "flipped")
_OF_CONDITIONS = ("name", "corruption", "severity", "score")
_NOT_OF_STEPS = "settings, results, models or data are not those of the steps"
_ROUNDING = 1e-9  # of sums on another machine


def row_of_places(content):
    """Return a row that says whether all that a record holds belongs to its steps."""
    facts = content.facts
    names = [step["name"] for step in facts["steps"]]
    steps = {step.removeprefix("settings of ") for step, _ in content.arrays}
    fine = len(set(names)) == len(names) and steps <= set(names)
    fine &= set(facts["settings"]) == set(facts["numbers"]) == set(names)
    if not fine:
        return "parts of the steps", DAMAGED, _NOT_OF_STEPS
    models = {one["name"] for one in facts["models"]}
    if facts["kind"] != OPERATIONAL_TEST:
        fine &= facts["kind"] == EVALUATION
        fine &= {ROWS, LABELS} <= {one["name"] for one in facts["data"]}
    else:
        models.add(None)
    # Those of one target of a model have its name and are not replayed.
    asked = {
        step["model"]
        for step in facts["steps"]
        if not facts["settings"][step["name"]]["not_replayable"]
    }
    fine &= asked <= models
    state, note = (HOLDS, "") if fine else (DAMAGED, _NOT_OF_STEPS)
    return "parts of the steps", state, note


def rows_of_steps(content):
    """Return rows on each step of a record of evaluations.

    The journal must be the one that its settings and results make, the scores those of
    its samples, and the summary that of the scores.

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
        if step["call"] == "evaluate_perturbations" and "failed" not in numbers:
            rows.append(_row_of_summary(name, numbers, arrays))
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
    """Say whether scores are the means of their samples, where conditions have any."""
    there = {one for one in _OF_ACCURACY if one in arrays}
    if there - {"score"} and there != {*_OF_ACCURACY}:
        lost = ", ".join(one for one in _OF_ACCURACY if one not in there)
        yield f"accuracy of {name!r}", DAMAGED, f"without {lost}"
        return
    pairs = [("score", "correct"), ("flip_rate", "flipped")]
    failed = arrays.get("failed")
    went = slice(None) if failed is None else failed == ""
    for score, by_sample in pairs:
        if score in arrays and by_sample in arrays:
            mean = arrays[by_sample][:, went].mean(axis=0)
            same = np.array_equal(mean, arrays[score][went])
            note = "" if same else f"it is not the mean of {by_sample!r}"
            yield f"{score} of {name!r}", HOLDS if same else DAMAGED, note


def _row_of_summary(name, numbers, arrays):
    """Say whether mean, indices and severity curves are those of the scores."""
    table = {one: arrays[one] for one in _OF_CONDITIONS}
    clean = as_number(numbers["clean_score"])
    expected, columns = parts_of(quietly(overall, table, clean))
    comparison = Comparison(_ROUNDING)
    rows = comparison.numbers({k: numbers.get(k) for k in expected}, expected)
    for one, values in columns.items():
        rows += comparison.array(one, arrays.get(one), values)
    bad = [row[0] for row in rows if row[-1] == DIFFERS]
    note = f"{', '.join(bad)}: not that of the scores" if bad else ""
    return f"summary of {name!r}", DAMAGED if bad else HOLDS, note
