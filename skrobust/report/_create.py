"""A report in one call, and the files that it leaves."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from skrobust._optional import require
from skrobust.report._collect import collect_report
from skrobust.report._html import build_report
from skrobust.report._plain import to_json


@dataclass(frozen=True, eq=False)
class Report(os.PathLike):
    """A report that was written.

    Attributes
    ----------
    path : Path
        The HTML file.
    json_path : Path or None
        Its machine-readable twin.
    collected : dict
        The data of both, from :func:`collect_report`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from skrobust.report import Report
    >>> report = Report(Path("report.html"))
    >>> report
    Report(path=...Path('report.html'), json_path=None)
    >>> Path(report).name
    'report.html'
    """

    path: Path
    json_path: Path | None = None
    collected: dict = field(default_factory=dict, repr=False)

    def __fspath__(self):
        return str(self.path)


def write_report(collected, out, *, json_out=None):
    """Write collected data as one self-contained HTML file.

    Parameters
    ----------
    collected : dict
        From :func:`collect_report`.
    out : path-like
        The HTML file; replaced if it is there.
    json_out : path-like, default=None
        A strict JSON file with the same numbers; NaN and infinity are null.

    Returns
    -------
    Report
        Where the files are.

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
    path = Path(out)
    if json_out is not None and Path(json_out).resolve() == path.resolve():
        raise ValueError(f"The page and its JSON twin need two names; both are {out}.")
    page = build_report(collected)
    path.write_text(page, encoding="utf-8")
    json_path = None
    if json_out is not None:
        json_path = Path(json_out)
        json_path.write_text(to_json(collected), encoding="utf-8")
    return Report(path, json_path, collected)


def create_report(models, X, y, *, out, json_out=None, call=None, **settings):
    """Measure fitted models and write one HTML page about them.

    The page needs no network and no other file. It shows the clean and the normalized
    score, the stability under 69 conditions (for images), robust accuracy and robust
    ratio (where the attacks understand the model), a rehearsal of operational testing,
    what was skipped and why, warnings, versions, seeds, and the call that reproduces
    it.

    Parameters
    ----------
    models : dict of str to fitted estimator
        Classifiers or regressors, used as they are.
    X : array-like or data frame of shape (n_samples, ...)
        Rows to score: raw input of the whole pipelines, not seen in training.
    y : array-like of shape (n_samples,)
        True labels or values.
    out : path-like
        The HTML file.
    json_out : path-like, default=None
        A machine-readable twin.
    call : str, default=None
        What reproduces the report; None: this call.
    **settings : dict
        As in :func:`collect_report`: ``X_train``, ``image_shape``, ``channel_axis``,
        ``data_range``, ``eps``, ``norm``, ``n_samples``, ``class_counts``,
        ``n_labels``, ``random_state``, ``n_jobs``, ``verbose``, ``title``, ``dataset``.

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
    folder = Path(out).resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"create_report found no folder {folder}.")
    if call is None:
        call = _call(out, json_out, settings)
    collected = collect_report(models, X, y, call=call, **settings)
    return write_report(collected, out, json_out=json_out)


def _call(out, json_out, settings):
    parts = ["models", "X", "y", f"out={os.fspath(out)!r}"]
    if json_out is not None:
        parts.append(f"json_out={os.fspath(json_out)!r}")
    for name, value in settings.items():
        if name == "X_train":
            parts.append("X_train=X_train")
        elif isinstance(value, float) and np.isinf(value):
            parts.append(f"{name}=np.inf")
        elif name != "progress":
            parts.append(f"{name}={value!r}")
    return f"create_report({', '.join(parts)})"
