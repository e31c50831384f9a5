"""Results of operational testing in plain words."""

import math

from skrobust.cli.terminal_text import wrapped

N_NAMED = 10
_FEW = "Fewer than two usable answers"


def plain_text(value):
    """Return a value as one line in which nothing steers the terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value))


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
    lines = [counts_sentence(facts), accuracy_sentence(facts), _failures(facts)]
    if "half_width" in facts:
        lines.append(_needed(facts))
    if "until" in facts:
        wanted = f"as narrow as wanted (+- {_points(facts['until'])})"
        reached = "The interval is" if facts["reached"] else "The interval is not yet"
        lines.append(f"{reached} {wanted}.")
    known = facts["accuracy"] is not None  # else the sentence above says so already
    notes = [text for text in facts["warnings"] if known or not text.startswith(_FEW)]
    lines += [f"warning: {plain_text(text)}" for text in notes]
    return "\n".join(map(_wrapped, lines))


def progress_sentence(result):
    """Return a ``SamplingResult`` in one line, as it is shown after each answer."""
    facts = {name: getattr(result, name) for name in ("n_labels", "n_failures")}
    text = f"{facts['n_labels']} labelled, {facts['n_failures']} wrong"
    if result.n_skipped:
        text += f", {result.n_skipped} skipped"
    return f"{text}. {accuracy_sentence(facts_of(result))}"


def facts_of(result):
    """Return the facts of a ``SamplingResult`` that ``accuracy_sentence`` takes."""
    names = ("accuracy", "interval", "confidence", "method", "n_skipped")
    return {name: getattr(result, name) for name in names}


def counts_sentence(facts):
    """Return how many inputs are labelled, wrong, open and skipped."""
    text = f"{facts['n_labels']} of {facts['n_pool']} labelled"
    for name, word in (("n_open", "open"), ("n_skipped", "skipped")):
        if facts[name]:
            text += f", {facts[name]} {word}"
    return f"{text}."


def accuracy_sentence(facts):
    """Return what is known about the accuracy, in one sentence.

    Parameters
    ----------
    facts : dict
        With ``accuracy`` (None or nan where nothing is estimated), ``interval``,
        ``confidence``, ``method`` and ``n_skipped``.

    Returns
    -------
    str
        Bounds are rounded outwards, so that the sentence never says more than the
        interval does. Estimates outside of [0, 1], which unbiased ones may be, are
        shown as 0 or 100 %.
    """
    accuracy, method = facts["accuracy"], facts["method"]
    if accuracy is None or math.isnan(accuracy):
        return "Nothing is known about the accuracy yet."
    low, high = (min(max(bound, 0.0), 1.0) for bound in facts["interval"])
    digits = 1 if high - low >= 0.01 else 2
    best = f"{100 * min(max(accuracy, 0.0), 1.0):.{digits}f} %"
    between = f"between {_bound(low, digits, math.floor)} and "
    between += _bound(high, digits, math.ceil)
    if method == "census":
        if not facts["n_skipped"]:
            exact = f"{round(100 * accuracy, 2):g} %"
            return f"All inputs are labelled: the accuracy is {exact}."
        return (
            f"All inputs are labelled or skipped: the accuracy lies {between}, "
            "depending on those skipped."
        )
    if method == "none":
        return (
            f"There is no interval (best estimate {best}); the labels alone prove "
            f"that the accuracy lies {between}."
        )
    always = ", whenever you stop," if method in ("anytime", "asymptotic") else ""
    return (
        f"We are {100 * facts['confidence']:g} % sure{always} that the accuracy lies "
        f"{between} (best estimate {best})."
    )


def _wrapped(line):
    # A number and its sign stay in one line.
    return wrapped(line.replace(" %", "\0%")).replace("\0%", " %")


def _bound(share, digits, rounded):
    # What is off by the last bits of a float is not rounded away by a whole digit.
    scale = 100 * 10**digits
    return f"{rounded(round(share * scale, 6)) / 10**digits:.{digits}f} %"


def _points(half_width):
    return f"{100 * half_width:g} percentage points"


def _failures(facts):
    named = [plain_text(row["item"]) for row in facts["failures"]]
    text = f"{len(named)}: {', '.join(named[:N_NAMED])}" if named else "0"
    if len(named) > N_NAMED:
        text += f" and {len(named) - N_NAMED} more"
    return f"Failures found: {text}"


def _needed(facts):
    needed, wanted = facts["labels_for_half_width"], _points(facts["half_width"])
    if needed is None:
        return f"How many labels +- {wanted} would take: {facts['assumption']}"
    more = max(needed - facts["n_labels"] - facts["n_skipped"], 0)
    return (
        f"An interval of +- {wanted} would take about {needed} labels in all, {more} "
        "more."
    )
