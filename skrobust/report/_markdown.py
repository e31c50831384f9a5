"""Markdown twin of a report, short enough for a comment on a change."""

from skrobust.report._summary import summary_rows
from skrobust.report.doubt_meanings import explained
from skrobust.report.summary_cells import interval_text, summary_columns

# Characters that GitHub reads as markup, a mention, a link or HTML.
_ESCAPES = {sign: f"\\{sign}" for sign in "\\`*_{}[]()#+!~|$"}
_ESCAPES |= {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;", ":": "&#58;"}
_SHOWN = 10  # rows of long lists


def escaped(text):
    r"""Return text of the user on one line, with nothing that Markdown would read.

    Parameters
    ----------
    text : object
        Any text.

    Returns
    -------
    str
        Markdown that is rendered as exactly that text.

    Examples
    --------
    >>> escaped("<b>| a_b @me")
    '&lt;b&gt;\\| a\\_b &#64;me'
    """
    line = " ".join(str(text).split())
    return "".join(_ESCAPES.get(sign, sign) for sign in line)


def build_markdown(collected):
    """Return the report as GitHub-flavoured Markdown.

    Parameters
    ----------
    collected : dict
        From :func:`collect_report` or :func:`report_from_json`.

    Returns
    -------
    str
        Summary, comparisons in words, doubts, what was skipped, and the call.

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
    settings = collected["settings"]
    count = len(collected["models"])
    about = f"{count} model{'' if count == 1 else 's'}, {settings['n_rows']} rows"
    if settings.get("dataset"):
        about += f" of {escaped(settings['dataset'])}"
    seed = escaped(settings["random_state"])
    lines = [f"## {escaped(collected['title'])}", "", f"{about}, seed {seed}.", ""]
    lines += [*_summary(collected), *_doubts(collected), *_words(collected)]
    skipped = _events(collected["skipped"], "reason")
    lines += _details("Parts that could not be measured", skipped)
    lines += _details("Warnings", _events(collected["warnings"], "text"))
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
    return "skipped" if cell is None else interval_text(cell["value"], cell["interval"])


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
