"""The sealed record of a report, and what the page says of it."""

from pathlib import Path

from skrobust.evaluation.records.input_checks import DIFFERS
from skrobust.evaluation.records.record_content import HOLDS, read_record
from skrobust.report.core._report_json import plain_report, report_from_json

# What two runs of one measurement differ in, and pictures of what is in the data.
_ASIDE = ("created", "seconds", "record", "evidence")


def sealed_report(recorder, path, collected):
    """Write the record of a report, and return what binds the report to it.

    The record holds the numbers of the report, and the report the digest of the record:
    neither digest can depend on the other.

    Parameters
    ----------
    recorder : Recorder
        What kept the evaluations.
    path : Path
        The file.
    collected : dict
        The data of the report.

    Returns
    -------
    dict or None
        ``file``, the name, and ``sha256`` of its bytes; None where it could not be
        written, of which the user was warned.
    """
    digest = recorder.write_or_warn(path, report=numbers_of_report(collected))
    return None if digest is None else {"file": Path(path).name, "sha256": digest}


def numbers_of_report(collected):
    """Return the data of a report as plain values, without time, and pictures."""
    kept = {name: one for name, one in collected.items() if name not in _ASIDE}
    models = [{**model, "gallery": None} for model in collected["models"]]
    return plain_report({**kept, "models": models})


def rows_of_twin(record, twin, sha256):
    """Return whether the JSON twin of a report belongs to a record.

    Parameters
    ----------
    record, twin : path-like
        The files.
    sha256 : str
        Digest of the record.

    Returns
    -------
    list of (str, str, str)
        Part, state and what is wrong, as of
        :func:`~skrobust.evaluation.verify_record`.
    """
    collected, facts = report_from_json(Path(twin)), read_record(record).facts
    named = (collected.get("record") or {}).get("sha256")
    note = "the report names another record" if named else "the report names no record"
    rows = [("digest in the report", *_state(named == sha256, note))]
    same = numbers_of_report(collected) == facts.get("report")
    return [*rows, ("numbers of the report", *_state(same, "they are others"))]


def _state(holds, note):
    return (HOLDS, "") if holds else (DIFFERS, note)
