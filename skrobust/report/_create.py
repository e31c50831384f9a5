"""Reports in one call, and the files they are written to."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from skrobust._optional import require
from skrobust._validation import check_path, invalid
from skrobust._whole_file import write_text_whole
from skrobust.report._html import build_report
from skrobust.report._markdown import build_markdown
from skrobust.report.collect_for import collect_for
from skrobust.report.core._report_json import check_collected, report_from_json, to_json

# Arguments that hold data: the call names them and does not print them.
_DATA = ("X_train", "groups", "times", "radii", "conditions", "class_counts")


@dataclass(frozen=True, eq=False)
class Report(os.PathLike):
    """A report that was written, or read back from its JSON twin.

    Attributes
    ----------
    path : Path or None
        The HTML file; None until it is written.
    json_path : Path or None
        Its machine-readable twin.
    markdown_path : Path or None
        Its Markdown twin.
    collected : dict
        The data of both, from :func:`collect_report`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from skrobust.report import Report
    >>> report = Report(Path("report.html"))
    >>> report
    Report(path=...Path('report.html'), json_path=None, markdown_path=None)
    >>> Path(report).name
    'report.html'
    """

    path: Path | None = None
    json_path: Path | None = None
    collected: dict = field(default_factory=dict, repr=False)
    markdown_path: Path | None = None

    def __fspath__(self):
        if self.path is None:
            raise TypeError("This report has no HTML file yet; call its save(out).")
        return str(self.path)

    @classmethod
    def load(cls, path):
        """Read a report back from its JSON twin; nothing is computed again.

        Parameters
        ----------
        path : path-like
            The JSON file.

        Returns
        -------
        Report
            Without an HTML file; see :func:`report_from_json`.
        """
        return cls(None, Path(path), report_from_json(Path(path)))

    def save(self, out, *, json_out=None, markdown_out=None):
        """Write the page again, and its twins if asked.

        Parameters
        ----------
        out, json_out, markdown_out : path-like or None
            As in :func:`write_report`.

        Returns
        -------
        Report
            Paths of the files.
        """
        twins = {"json_out": json_out, "markdown_out": markdown_out}
        return write_report(self.collected, out, **twins)

    def to_html(self):
        """Return the page as text.

        Returns
        -------
        str
            The HTML page.
        """
        return build_report(self.collected)

    def to_json(self):
        """Return the machine-readable twin as text.

        Returns
        -------
        str
            Strict JSON.
        """
        return to_json(self.collected)

    def to_markdown(self):
        """Return the Markdown twin as text.

        Returns
        -------
        str
            GitHub-flavoured Markdown.
        """
        return build_markdown(self.collected)


def write_report(collected, out, *, json_out=None, markdown_out=None):
    """Write collected data as one self-contained HTML file.

    Parameters
    ----------
    collected : dict
        From :func:`collect_report`.
    out : path-like
        The HTML file; replaced if it is there.
    json_out : path-like, default=None
        A strict JSON file with the same numbers; NaN and infinity are null. See
        :func:`report_from_json` for what it holds, and to make the page again.
    markdown_out : path-like, default=None
        A Markdown file as GitHub reads it: the summary, for comments on a change.

    Returns
    -------
    Report
        Paths of the files.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrobust.report import collect_report, write_report
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier().fit(X[::2], y[::2])
    >>> collected = collect_report({"neighbours": model}, X[1::2], y[1::2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page, twin = Path(folder) / "r.html", Path(folder) / "r.json"
    ...     report = write_report(collected, page, json_out=twin)
    ...     page.is_file(), twin.is_file()
    (True, True)
    """
    caller = "write_report"
    check_collected(collected, caller)
    named = {"out": out, "json_out": json_out, "markdown_out": markdown_out}
    files = [_file(p, name, caller) for name, p in named.items() if p is not None]
    if len({path.resolve() for path in files}) < len(files):
        raise ValueError(
            "The page and its twins need a name each; one is used twice: "
            f"{', '.join(map(str, files))}."
        )
    # The numbers first: a picture that cannot be drawn loses no measurement.
    json_path = _written(json_out, to_json, collected)
    markdown_path = _written(markdown_out, build_markdown, collected)
    path = _written(out, build_report, collected)
    return Report(path, json_path, collected, markdown_path)


def _file(path, name, caller):
    """Return the path of a file that can be made, or raise before the work."""
    file = check_path(path, name, caller)
    folder = file.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{caller} found no folder {folder}.")
    if file.is_dir():
        raise invalid(name, caller, "the path of a file, not of a folder", path)
    return file


def _written(path, make, collected):
    if path is None:
        return None
    path = Path(path)
    write_text_whole(path, make(collected))
    return path


def create_report(
    models, X, y, *, out, json_out=None, markdown_out=None, call=None, **settings
):
    """Measure fitted models and write one HTML page about them.

    The page needs no network and no other file. It begins with a verdict on each model:
    stated needs or a constant model, the worst condition and what it rests on, the
    score under attack, what to do next and what was not tested. Then follow, with the
    models side by side, stability under perturbation, attacks and certificates, groups,
    doubts, comparisons, data, what was skipped and why, warnings, versions, seeds, the
    call that reproduces it and, for classifiers, a rehearsal of operational testing.

    Parameters
    ----------
    models : dict of str to fitted estimator
        Classifiers or regressors, used as they are.
    X : array-like or data frame of shape (n_samples, ...)
        Rows to score: raw input of the whole pipelines, not seen in training.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        True labels or values.
    out : path-like
        The HTML file.
    json_out : path-like, default=None
        A machine-readable twin.
    markdown_out : path-like, default=None
        A Markdown twin, as in :func:`write_report`.
    call : str, default=None
        Call that reproduces the report; None: this call.
    **settings : dict
        As in :func:`collect_report`: ``X_train``, ``image_shape``, ``channel_axis``,
        ``data_range``, ``eps``, ``norm``, ``attacks``, ``radii``, ``conditions``,
        ``groups``, ``times``, ``metrics``, ``checks``, ``thresholds``,
        ``reference``, ``evidence``, ``n_samples``, ``class_counts``, ``n_labels``,
        ``random_state``, ``n_jobs``, ``verbose``, ``checkpoint``, ``record``,
        ``isolate``, ``title``, ``dataset``. The page links to the record by its name,
        so that both are in one folder.

    Returns
    -------
    Report
        With ``path``, ``json_path`` and ``collected``; usable as a path.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skrobust.report import create_report
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), LogisticRegression())
    >>> model = model.fit(X[:400], y[:400])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     out = Path(folder) / "report.html"
    ...     report = create_report(
    ...         {"logistic": model}, X[400:], y[400:], X_train=X[:400], out=out)
    ...     page = out.read_text(encoding="utf-8")
    >>> page.startswith("<!doctype html>"), report.collected["settings"]["n_samples"]
    (True, 569)
    """
    require("jinja2", "create_report", extra="report")
    files = {"out": out, "json_out": json_out, "markdown_out": markdown_out}
    files = {name: path for name, path in files.items() if path is not None}
    for name, path in files.items():
        _file(path, name, "create_report")
    record = settings.get("record")
    if record is not None and _folder(record) != _folder(out):
        raise ValueError(
            "create_report needs record and out in one folder, since the page links to "
            f"the record by its name; record is in {str(_folder(record))!r}."
        )
    settings["call"] = _call(files, settings) if call is None else call
    collected = collect_for("create_report", models, X, y, **settings)
    return write_report(collected, **files)


def _folder(path):
    return Path(path).resolve().parent


def _call(files, settings):
    parts = ["models", "X", "y"]
    parts += [f"{name}={os.fspath(path)!r}" for name, path in files.items()]
    for name, value in settings.items():
        if name in _DATA and value is not None and not isinstance(value, str):
            parts.append(f"{name}={name}")
        elif isinstance(value, float) and np.isinf(value):
            parts.append(f"{name}=np.inf")
        elif name != "progress":
            parts.append(f"{name}={value!r}")
    return f"create_report({', '.join(parts)})"
