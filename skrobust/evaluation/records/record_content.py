"""Content of a record, from what was measured to the members of its file, and back."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from skrobust._sealed import (
    SEAL,
    START,
    Damaged,
    bytes_digest,
    chained,
    damaged_parts,
    read_chain,
    seal,
    seal_of,
)
from skrobust.evaluation.records.npy_bytes import from_npy, to_npy
from skrobust.evaluation.records.record_file import (
    FACTS,
    JOURNAL,
    array_name,
    read_members,
    write_members,
)

FORMAT, VERSION = "skrobust record", 1
EVALUATION, OPERATIONAL_TEST = "evaluation", "operational test"
HOLDS, DAMAGED = "holds", "damaged"
_PARTS = ("format", "version", "kind", "data", "models", "code", "environment")
_PARTS += ("steps", "settings", "numbers", "arrays", "journal")


@dataclass
class RecordContent:
    """What a record holds.

    Parameters
    ----------
    facts : dict
        Plain data by part: ``kind``, ``data``, ``models``, ``code``, ``environment``,
        ``steps`` (names, functions and models, in order), ``settings`` and ``numbers``
        by step, and more parts of some kinds.
    arrays : dict of (str, str) to ndarray
        By step, or "settings of" it, and name.
    entries : list of dict
        The journal.
    rows : list of (str, str, str)
        Of a record that was read: part, state and what is wrong.
    """

    facts: dict
    arrays: dict = field(default_factory=dict)
    entries: list = field(default_factory=list)
    rows: list = field(default_factory=list)

    def write(self, path):
        """Write the record as one file; equal content has equal bytes."""
        members, index = {}, {}
        for place, ((step, name), values) in enumerate(self.arrays.items(), 1):
            content = to_npy(values)
            members[array_name(place)] = content
            index[array_name(place)] = {
                "step": step,
                "name": name,
                "dtype": values.dtype.str,
                "shape": list(values.shape),
                "sha256": bytes_digest(content),
            }
        link, lines = START, []
        for entry in self.entries:
            line, link = chained(link, json.loads(json.dumps(entry)))
            lines.append(line)
        facts = {"format": FORMAT, "version": VERSION, **self.facts, "arrays": index}
        facts["journal"] = {"entries": len(lines), "last": link}
        first = {FACTS: _text(seal(facts)), JOURNAL: b"".join(lines)}
        write_members(path, first | members)

    def arrays_of(self, step):
        """Return the arrays of a step by name."""
        return {name: one for (own, name), one in self.arrays.items() if own == step}


def read_record(path):
    """Read a record, and verify all that it says about itself.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    RecordContent
        With ``rows`` that say which parts hold.

    Raises
    ------
    Damaged
        Where the file is none, or too damaged to say more.
    """
    members, is_sound = read_members(path)
    what = repr(Path(path).name)
    facts = _read_facts(members[FACTS], what)
    rows = [("form of the file", *_state(is_sound, "it is not as it was written"))]
    rows += _rows_of_seal(facts, members[FACTS])
    facts = {name: value for name, value in facts.items() if name != SEAL}
    content = RecordContent(facts, rows=rows)
    try:
        _read_arrays(content, members)
        _read_journal(content, members)
    except (TypeError, KeyError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, Damaged):
            raise
        raise Damaged(f"{what} is damaged: its parts are not of this format.") from None
    return content


def _text(facts):
    return json.dumps(facts, indent=1, allow_nan=False).encode() + b"\n"


def _state(holds, note):
    return (HOLDS, "") if holds else (DAMAGED, note)


def _read_facts(content, what):
    try:
        facts = json.loads(content)
    except (ValueError, RecursionError):
        raise Damaged(f"{what} is damaged: {FACTS!r} cannot be read.") from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise Damaged(f"{what} is damaged, or no record of skrobust.")
    if facts.get("version") != VERSION:
        raise Damaged(
            f"{what} is damaged, or of another version than {VERSION}; use the "
            "skrobust that wrote it."
        )
    missing = [name for name in (*_PARTS, SEAL) if name not in facts]
    if missing:
        raise Damaged(f"{what} is damaged: it lacks {', '.join(missing)}.")
    return facts


def _rows_of_seal(facts, content):
    """Return a row for each part of the facts."""
    plain = {name: value for name, value in facts.items() if name != SEAL}
    bad = set(damaged_parts(plain, facts[SEAL]))
    note = "it is not what was sealed"
    rows = [(name, *_state(name not in bad, note)) for name in plain]
    try:
        is_whole = seal_of(plain) == facts[SEAL] and _text(facts) == content
    except ValueError:  # numbers that JSON does not have
        is_whole = False
    return [*rows, ("seal", *_state(is_whole, "it is not that of these parts"))]


def _read_arrays(content, members):
    index = content.facts["arrays"]
    bad = [(f"member {name}", DAMAGED, "it is in no list") for name in members
           if name not in index and name not in (FACTS, JOURNAL)]  # fmt: skip
    for name, about in index.items():
        step, own = about["step"], about["name"]
        part = f"array {own!r} of {step!r}"
        found = members.get(name)
        if found is None or bytes_digest(found) != about["sha256"]:
            note = "it is lost" if found is None else "it is not what was sealed"
            bad.append((part, DAMAGED, note))
            continue
        values = from_npy(found, part)
        if [values.dtype.str, list(values.shape)] != [about["dtype"], about["shape"]]:
            bad.append((part, DAMAGED, "it is of another shape or type"))
        content.arrays[step, own] = values
    note = f"{len(bad)} of {len(index)}"
    content.rows += [("content of arrays", *_state(not bad, note)), *bad]


def _read_journal(content, members):
    about = content.facts["journal"]
    try:
        entries, links, whole = read_chain(members.get(JOURNAL, b""), "the journal")
        last = links[-1] if links else START
        fine = [len(entries), last] == [about["entries"], about["last"]]
        fine = fine and whole == members.get(JOURNAL)
        note = "it is not that of the facts"
    except Damaged as error:
        entries, fine, note = [], False, str(error)
    content.entries = entries
    content.rows.append(("chain of the journal", *_state(fine, note)))


def as_json_digest(value):
    """Return the SHA-256 of plain data, as JSON holds it."""
    return bytes_digest(json.dumps(value, sort_keys=True).encode())


def same_bits(first, second):
    """Return whether arrays are equal bit for bit, but for the kind of a NaN."""
    if first.shape != second.shape or first.dtype.kind != second.dtype.kind:
        return False
    is_nan = first.dtype.kind in "fc"
    return bool(np.array_equal(first, second, equal_nan=is_nan))
