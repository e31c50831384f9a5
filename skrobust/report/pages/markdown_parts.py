"""Parts of the Markdown twin that show all models side by side."""

import math

from skrobust.report.core.model_verdict import verdicts_of
from skrobust.report.core.needs import bracket_of
from skrobust.report.core.next_steps import untested_of
from skrobust.report.core.number_text import number
from skrobust.report.core.summary_cells import interval_text
from skrobust.report.core.undefined_numbers import undefined_of
from skrobust.report.pages.page_parts import STATUS_WORDS, grouped_steps

# Characters that GitHub reads as markup, a mention, a link or HTML.
_ESCAPES = {sign: f"\\{sign}" for sign in "\\`*_{}[]()#+!~|$"}
_ESCAPES |= {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;", ":": "&#58;"}


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


def verdict_lines(collected):
    """Yield the verdict on each model, with what to do next."""
    verdicts = verdicts_of(collected)
    for verdict in verdicts:
        status = STATUS_WORDS[verdict["status"]]
        name, sentence = escaped(verdict["name"]), escaped(verdict["sentence"])
        yield f"- **{name}: {status}.** {sentence}"
        for need in verdict["needs"]:
            value = "not measured" if need["value"] is None else number(need["value"])
            low = "" if need["low"] is None else f", lower limit {number(need['low'])}"
            yield (
                f"  - {escaped(need['words'])} of at least {need['threshold']:g}: "
                f"{need['status']} ({value}{low})"
            )
        worst = verdict["worst"]
        if worst:
            score = interval_text(worst["score"], worst["interval"])
            words = worst["words"] or worst["name"]
            yield (
                f"  - Worst condition: {score} under {escaped(words)}; constant model "
                f"{number(worst['constant'])}."
            )
        if verdict["responsible"]:
            sentence = verdict["responsible"]["sentence"]
            yield f"  - Responsible: {escaped(sentence)}"
    yield ""
    yield "Next:"
    yield ""
    for step in grouped_steps(verdicts):
        names = f" ({', '.join(step['models'])})" if len(verdicts) > 1 else ""
        yield f"- {escaped(step['text'] + names)}"
    yield ""


def stability_lines(collected):
    """Yield the table of the scores over all conditions, with their intervals."""
    models = [m for m in collected["models"] if m["stability"] is not None]
    if not models:
        return
    heads = {
        "mean": "Mean",
        "coefficient_of_variation": "CV",
        "area_under_severity_curve": "Area",
        "mean_corruption_error": "mCE",
        "accuracy_stability_index": "ASI",
    }
    known = [k for k in heads if any(k in m["stability"] for m in models)]
    yield f"| Over all conditions | {' | '.join(heads[k] for k in known)} |"
    yield f"| :-- | {' | '.join('--:' for _ in known)} |"
    reasons = {
        (row["model"], row["number"]): row["reason"] for row in undefined_of(collected)
    }
    for model in models:
        cells = [_stability_cell(model["stability"], key) for key in known]
        for at, key in enumerate(known):
            words = {"accuracy_stability_index": "Accuracy-Stability Index"}
            reason = reasons.get((model["name"], words.get(key, key.replace("_", " "))))
            if reason:
                cells[at] = escaped(f"undefined: {reason}")
        yield f"| {escaped(model['name'])} | {' | '.join(cells)} |"
    yield ""
    found = [m["stability"].get("mean_corruption_error_reference") for m in models]
    named = next(filter(None, found), None)
    if named:
        text = f"mCE: mean corruption error, in which {named} has 1; smaller is better."
        yield escaped(text)
        yield ""


def _stability_cell(results, key):
    if key not in results:
        return ""
    name = "interval" if key == "accuracy_stability_index" else f"{key}_interval"
    value, ends = results[key], results.get(name)
    if key == "coefficient_of_variation" and ends:  # of the one without noise
        value = results["variation_corrected"]
    if key == "accuracy_stability_index" and ends:
        value = results["corrected"]
    if value is None or not math.isfinite(value):
        return "undefined"
    return interval_text(value, ends)


def bracket_lines(collected):
    """Yield the table of certified and attacked robust accuracy."""
    known = [(model["name"], bracket_of(model)) for model in collected["models"]]
    known = [(name, bracket) for name, bracket in known if bracket]
    if not known:
        return
    yield "| Robust accuracy | Certified | Attacked |"
    yield "| :-- | --: | --: |"
    for name, bracket in known:
        low, high = (
            interval_text(bracket[end], bracket[f"{end}_interval"])
            for end in ("lower", "upper")
        )
        yield f"| {escaped(name)} | {low} | {high} |"
    yield ""


def untested_lines(collected):
    """Yield what was not tested."""
    yield "Not tested:"
    yield ""
    for text in untested_of(collected):
        yield f"- {escaped(text)}"
    yield ""


def undefined_lines(collected):
    """Yield the undefined numbers with their reasons."""
    for row in undefined_of(collected):
        where = f"**{escaped(row['model'])}**, {escaped(row['number'])}"
        yield f"- {where}: {escaped(row['reason'])}"
