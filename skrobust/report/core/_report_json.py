"""The JSON twin of a report: collected data as strict JSON and back."""

import json
import os

import numpy as np

from skrobust._results import Results
from skrobust._sealed import SEAL, open_seal, seal
from skrobust._validation import check_path, invalid
from skrobust.report.core.strict_json import strict_json, to_plain

FORMAT = "skrobust report"
VERSION = 4


def check_collected(collected, caller, parts=("settings", "models")):
    """Raise unless these are the data of a report, with the parts that are needed."""
    if not isinstance(collected, dict) or not set(parts) <= set(collected):
        rule = "what collect_report or report_from_json returns"
        raise invalid("collected", caller, rule, collected)


def plain_report(collected):
    """Return collected data as plain values, with the mark of the format."""
    settings = dict(collected["settings"])
    if settings.get("norm") == np.inf:
        settings["norm"] = "inf"  # a setting, not an undefined number
    mark = {"format": FORMAT, "format_version": VERSION}
    return to_plain({**mark, **collected, "settings": settings})


def to_json(collected):
    """Return collected data as the text of a JSON file, with its seal."""
    return strict_json(seal(plain_report(collected)))


def report_from_json(source):
    """Read the JSON twin of a report back, so that its page can be made again.

    Nothing is computed again: the page is made from the stored numbers.

    Parameters
    ----------
    source : path, str or dict
        The file, its text (which begins with a brace), or what ``json.load`` made of
        it.

    Returns
    -------
    collected : dict
        For :func:`build_report` and :func:`write_report`, as
        :func:`~skrobust.report.collect_report` made it, but for what the file leaves
        out: correctness of every row under every condition, and NaN and infinity, which
        are None, or NaN within columns.

    Raises
    ------
    ValueError
        For what is no JSON twin of a report, is of another format, or was changed since
        it was written: a number that was edited is refused.

    Notes
    -----
    The file holds ``format`` ("skrobust report"), ``format_version`` (4), which rises
    when a key changes its meaning or goes (keys may be added without it), and ``seal``,
    the SHA-256 of each part and of all: it finds damage and careless edits, and is no
    signature. The other keys are those of :func:`~skrobust.report.collect_report`; see
    :func:`report_schema` for their types. All numbers are finite; null stands for what
    is undefined or was skipped.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrobust.report import create_report, build_report, report_from_json
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier().fit(X[::2], y[::2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page, twin = Path(folder) / "r.html", Path(folder) / "r.json"
    ...     _ = create_report({"m": model}, X[1::2], y[1::2], out=page, json_out=twin)
    ...     again = build_report(report_from_json(twin))
    ...     again == page.read_text(encoding="utf-8")
    True
    """
    caller = "report_from_json"
    plain = source
    if isinstance(source, str) and source.lstrip().startswith("{"):
        plain = _parsed(source, caller, "its text")
    elif isinstance(source, (str, os.PathLike)):
        path = check_path(source, "source", caller)
        if not path.is_file():
            raise FileNotFoundError(f"{caller} found no file {str(path)!r}.")
        plain = _parsed(path.read_bytes(), caller, source)
    rule = "the JSON twin of a report: a file, its text or a dict"
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise invalid("source", caller, rule, source)
    version = plain.get("format_version")
    if version != VERSION:
        raise ValueError(
            f"{caller} reads the format version {VERSION}; this file has {version!r}. "
            "Use the version of skrobust that wrote it."
        )
    return restored(open_seal(plain, f"{caller}: the report"))


def _parsed(text, caller, name):
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"{caller} found no JSON in {name}: {error}.") from error


def restored(plain):
    """Return plain data with its tables as arrays again."""
    marks = ("format", "format_version", SEAL)
    collected = {key: value for key, value in plain.items() if key not in marks}
    settings = dict(collected["settings"])
    if settings.get("norm") == "inf":
        settings["norm"] = np.inf
    collected["settings"] = settings
    collected["models"] = [_model(model) for model in plain["models"]]
    return collected


def _model(model):
    model = dict(model)
    if model.get("stability"):
        model["stability"] = results = _table(model["stability"])
        if "score_low" in results:  # it is accuracy, though its rows are left out
            results["correct"] = None
    attacks = (model.get("attacks") or {}).items()
    model["attacks"] = {name: value and _table(value) for name, value in attacks}
    model["groups"] = model.get("groups") and {
        grouping: {measure: table and _groups(table) for measure, table in by.items()}
        for grouping, by in model["groups"].items()
    }
    model["curve"] = model.get("curve") and _table(model["curve"])
    return model


def _groups(plain):
    gaps = plain.get("gaps")
    return _table({**plain, "gaps": gaps and _table(gaps)})


def _table(plain):
    results = Results(**plain)
    for name in results.get("columns", ()):
        results[name] = _column(results[name])
    return results


def _column(values):
    is_text = any(isinstance(v, str) for v in values)
    if not is_text and any(v is None or isinstance(v, float) for v in values):
        return np.array(values, dtype=np.float64)
    return np.array(values)
