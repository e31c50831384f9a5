"""Records that were changed by hand, for tests."""

import json

from skrobust._sealed import SEAL, seal
from skrobust.evaluation.core.score_summary import overall
from skrobust.evaluation.records.record_content import RecordContent, read_record
from skrobust.evaluation.records.record_file import FACTS, read_members, write_members
from skrobust.evaluation.records.recorder import journal_of_step
from skrobust.evaluation.records.result_parts import parts_of


def change_facts(path, change, *, sealed=False):
    """Change the facts of a record in place; the seal is made anew if asked."""
    members, _ = read_members(path)
    facts = json.loads(members[FACTS])
    change(facts)
    if sealed:
        facts.pop(SEAL)
        facts = seal(facts)
    text = json.dumps(facts, indent=1).encode() + b"\n"
    write_members(path, {**members, FACTS: text})


def forge(path, change, *, journal=True):
    """Change the content of a record and seal all of it again, as a forger would."""
    content = read_record(path)
    content.arrays = {key: values.copy() for key, values in content.arrays.items()}
    change(content)
    if journal:
        entries = content.entries[:1]
        for step in content.facts["steps"]:
            name, facts = step["name"], content.facts
            parts = facts["settings"][name]["arguments"], facts["numbers"][name]
            entries += journal_of_step(name, *parts, content.arrays_of(name))
        content.entries = entries
    skip = ("format", "version", "arrays", "journal")
    facts = {name: one for name, one in content.facts.items() if name not in skip}
    RecordContent(facts, content.arrays, content.entries).write(path)


def fit_summary(content):
    """Make the summary of the perturbations that of their scores."""
    arrays, numbers = content.arrays_of("perturbations"), content.facts["numbers"]
    clean = numbers["perturbations"]["clean_score"]
    summary, columns = parts_of(overall(arrays, clean))
    numbers["perturbations"] |= summary
    for name, values in columns.items():
        content.arrays["perturbations", name] = values


def bad_parts(results):
    """Return the parts of a verification that are damaged or differ."""
    return [
        part
        for part, state in zip(results["part"], results["state"], strict=True)
        if state in ("damaged", "differs")
    ]
