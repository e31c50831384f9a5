"""The sealed record of a report, and what the page says of it."""

from pathlib import Path

from skrobust.report._report_json import plain_report

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
