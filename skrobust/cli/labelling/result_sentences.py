"""Results of operational testing in plain words."""

import math

from skrobust._safe_terminal import printable
from skrobust.cli.labelling.grading import written
from skrobust.cli.terminal_text import wrapped

N_NAMED = 10
_FEW = "Fewer than two usable answers"


def result_text(facts):
    """Return the facts as sentences: counts, the interval, failures, and what is left.

    Parameters
    ----------
    facts : dict
        From ``result_facts``.

    Returns
    -------
    str
        Lines.
    """
    lines = [counts_sentence(facts), estimate_sentence(facts), _failures(facts)]
    if "half_width" in facts:
        lines.append(_needed(facts))
    if "until" in facts:
        wanted = f"as narrow as wanted (+- {_width(facts['until'], facts)})"
        reached = "The interval is" if facts["reached"] else "The interval is not yet"
        first = "; the lists that were handed out come first"
        waits = not facts["reached"] and facts["handed_out"]
        lines.append(f"{reached} {wanted}{first if waits else ''}.")
    known = facts["estimate"] is not None  # else the sentence above says so already
    notes = [text for text in facts["warnings"] if known or not text.startswith(_FEW)]
    lines += [f"warning: {printable(text)}" for text in notes]
    return "\n".join(map(_wrapped, lines))


def progress_sentence(facts):
    """Return the facts of a result in one line, as it is shown after each answer."""
    return f"{progress_counts(facts)}. {estimate_sentence(facts)}"


def progress_counts(facts):
    """Return how many inputs are labelled, wrong and skipped so far."""
    text = f"{facts['n_labels']} labelled"
    if facts["range"] is None:
        text += f", {facts['n_failures']} wrong"
    return text + (f", {facts['n_skipped']} skipped" if facts["n_skipped"] else "")


def counts_sentence(facts):
    """Return how many inputs are labelled, wrong, open and skipped."""
    text = f"{facts['n_labels']} of {facts['n_pool']} labelled"
    if facts["n_open"]:
        having = (f"{name} has {n}" for name, n in facts["handed_out"].items())
        having = ", ".join(having)
        text += f", {facts['n_open']} open{f' ({having})' if having else ''}"
    if facts["n_skipped"]:
        text += f", {facts['n_skipped']} skipped"
    return f"{text}."


def estimate_sentence(facts):
    """Return what is known about the accuracy, or the mean loss, in one sentence.

    Parameters
    ----------
    facts : dict
        From ``estimate_facts``.

    Returns
    -------
    str
        The interval, with bounds rounded outwards, so that nothing says more than the
        interval does. Estimates outside of what is possible, which unbiased ones may
        be, are shown as the end of the range.
    """
    estimate, method, what = facts["estimate"], facts["method"], facts["measure"]
    if estimate is None or math.isnan(estimate):
        return f"Nothing is known about the {what} yet."
    least, most = facts["range"] or (0.0, 1.0)
    low, high = (min(max(bound, least), most) for bound in facts["interval"])
    digits = _digits(high - low, facts)
    best = _rounded(min(max(estimate, least), most), digits, facts, round)
    between = f"between {_rounded(low, digits, facts, math.floor)} and "
    between += _rounded(high, digits, facts, math.ceil)
    if method == "census":
        if not facts["n_skipped"]:
            exact = written(estimate)
            if facts["range"] is None:
                exact = f"{round(100 * estimate, 2):g} %"
            return f"All inputs are labelled: the {what} is {exact}."
        return (
            f"All inputs are labelled or skipped: the {what} lies {between}, "
            "depending on those skipped."
        )
    if method == "none":
        return (
            f"There is no interval (best estimate {best}); the labels alone prove "
            f"that the {what} lies {between}."
        )
    at_all_looks = facts["stopping"] or method in ("anytime", "asymptotic")
    always = ", whenever you stop," if at_all_looks else ""
    return (
        f"We are {100 * facts['confidence']:g} % sure{always} that the {what} lies "
        f"{between} (best estimate {best})."
    )


def _wrapped(line):
    # A number and its sign stay in one line.
    return wrapped(line.replace(" %", "\0%")).replace("\0%", " %")


def _digits(width, facts):
    """Return how many digits behind the point show an interval of a width."""
    if facts["range"] is None:  # of percentages
        return 1 if width >= 0.01 else 2
    least, most = facts["range"]
    width = max(width, 1e-6 * (most - least))
    return max(0, 2 - math.floor(math.log10(width) + 1e-9))


def _rounded(value, digits, facts, rounded):
    # What is off by the last bits of a float is not rounded away by a whole digit.
    is_share = facts["range"] is None
    scale = (100 if is_share else 1) * 10**digits
    text = f"{rounded(round(value * scale, 6)) / 10**digits:.{digits}f}"
    return f"{text} %" if is_share else text


def _width(half_width, facts):
    if facts["range"] is None:
        return f"{100 * half_width:g} percentage points"
    return f"{half_width:g}"


def _failures(facts):
    graded, rows = facts["range"] is not None, facts["failures"]
    named = [printable(row["item"]) for row in rows]
    what = "Failures found: "
    if graded:
        name, best = facts["measure"].removeprefix("mean "), facts["best"]
        is_score = name == "score"
        what = f"Scores below {best:g}" if is_score else f"Losses above {best:g}"
        what += f", {'lowest' if is_score else 'largest'} first: "
        rows = sorted(rows, key=lambda row: row[name], reverse=not is_score)
        named = [f"{printable(row['item'])} ({written(row[name])})" for row in rows]
    text = f"{len(named)}: {', '.join(named[:N_NAMED])}" if named else "0"
    if len(named) > N_NAMED:
        text += f" and {len(named) - N_NAMED} more"
    return f"{what}{text}"


def _needed(facts):
    needed, wanted = facts["labels_for_half_width"], _width(facts["half_width"], facts)
    if needed is None:
        return f"How many labels +- {wanted} would take: {facts['assumption']}"
    more = max(needed - facts["n_labels"] - facts["n_skipped"], 0)
    return (
        f"An interval of +- {wanted} would take about {needed} labels in all, {more} "
        "more."
    )
