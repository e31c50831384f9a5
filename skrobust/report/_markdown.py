"""Markdown twin of a report, short enough for a comment on a change."""

from skrobust.report.core._report_json import check_collected
from skrobust.report.core._summary import summary_rows
from skrobust.report.core.doubt_meanings import explained
from skrobust.report.core.summary_cells import interval_text, summary_columns
from skrobust.report.core.undefined_numbers import is_known
from skrobust.report.pages.evidence_text import evidence_lines
from skrobust.report.pages.markdown_parts import (
    bracket_lines,
    escaped,
    stability_lines,
    undefined_lines,
    untested_lines,
    verdict_lines,
)

_SHOWN = 10  # rows of long lists


def build_markdown(collected):
    """Return the report as GitHub-flavoured Markdown.

    Parameters
    ----------
    collected : dict
        From :func:`collect_report` or :func:`report_from_json`.

    Returns
    -------
    str
        Verdict, scores with intervals, stability, brackets, comparisons in words,
        doubts, what is undefined or was skipped or not tested, and the call.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrobust.report import build_markdown, collect_report
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier().fit(X[::2], y[::2])
    >>> collected = collect_report({"m": model}, X[1::2], y[1::2])
    >>> build_markdown(collected).splitlines()[0]
    '## Robustness report'
    """
    check_collected(collected, "build_markdown")
    settings = collected["settings"]
    count = len(collected["models"])
    about = f"{count} model{'' if count == 1 else 's'}, {settings['n_rows']} rows"
    if settings.get("dataset"):
        about += f" of {escaped(settings['dataset'])}"
    seed = escaped(settings["random_state"])
    lines = [f"## {escaped(collected['title'])}", "", f"{about}, seed {seed}.", ""]
    lines += [*verdict_lines(collected), *_summary(collected)]
    lines += [*stability_lines(collected), *bracket_lines(collected)]
    lines += [*_doubts(collected), *_words(collected), *untested_lines(collected)]
    skipped = _events(collected["skipped"], "reason")
    lines += _details("Undefined numbers", undefined_lines(collected))
    lines += _details("Parts that could not be measured", skipped)
    lines += _details("Warnings", _events(collected["warnings"], "text"))
    lines += evidence_lines(collected)
    if collected.get("call"):
        fence = "`" * max(3, 1 + _longest_ticks(collected["call"]))
        call = " ".join(collected["call"].splitlines())
        lines += _details("Reproduce", [fence, call, fence])
    versions = ", ".join(f"{k} {v}" for k, v in collected["versions"].items())
    lines += [f"<sub>{escaped(versions)}; {collected['created']}</sub>", ""]
    return "\n".join(lines)


def _summary(collected):
    rows = summary_rows(collected)
    columns = summary_columns(collected, rows)
    yield f"| Model | {' | '.join(escaped(h) for _, h in columns)} |"
    yield f"| :-- | {' | '.join('--:' for _ in columns)} |"
    for row in rows:
        cells = [_cell(row.get(key)) for key, _ in columns]
        yield f"| {escaped(row['name'])} | {' | '.join(cells)} |"
    yield ""
    yield "Each score is best at 1; its 95 % interval is in brackets."
    yield ""


def _cell(cell):
    if cell is None:
        return "skipped"
    if not is_known(cell["value"]):
        return escaped(f"undefined: {cell['note']}" if cell["note"] else "undefined")
    return interval_text(cell["value"], cell["interval"])


def _doubts(collected):
    rows = explained(collected["models"])
    if not rows:
        return
    yield "> [!WARNING]"
    yield "> The attacks show signs of overstated robustness:"
    for doubt in rows:
        yield f"> - **{doubt['code']}**: {doubt['meaning']} *Cure:* {doubt['cure']}"
        for seen in doubt["seen"]:
            names = ", ".join(escaped(name) for name in seen["models"])
            yield f">   - {names}: {escaped(seen['sentence'])}"
    yield ""


def _words(collected):
    for comparison in collected.get("comparisons", ()):
        words = escaped(comparison["words"])
        yield f"- **{words}**: {escaped(' '.join(comparison['sentences']))}"
    if collected.get("comparisons"):
        yield ""


def _events(rows, key):
    """Yield the first rows of a log as list items."""
    for row in rows[:_SHOWN]:
        where = f"**{escaped(row['model'])}**, {escaped(row['section'])}"
        yield f"- {where}: {escaped(row[key])}"
    if len(rows) > _SHOWN:
        yield f"- and {len(rows) - _SHOWN} more"


def _details(title, lines):
    lines = list(lines)
    if not lines:
        return []
    head = f"<details><summary>{title}</summary>"
    return [head, "", *lines, "", "</details>", ""]


def _longest_ticks(text):
    runs = "".join(c if c == "`" else " " for c in text).split()
    return max(map(len, runs), default=0)
