"""Results of operational testing for the terminal and for JSON."""

import click
import numpy as np

from skrobust.cli.terminal_text import wrapped
from skrobust.cli.thresholds import write_json
from skrobust.report.strict_json import to_plain

N_NAMED = 10
_OF_THE_RESULT = ("accuracy", "method", "std_error", "effective_n", "accuracy_bounds")
_OF_THE_RESULT += ("n_pool", "n_labels", "n_failures", "n_skipped", "warnings")


def plain_text(value):
    """Return a value as one line in which nothing steers the terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value))


def short(result):
    """Return a result in one line."""
    text = f"{result.n_labels} labelled, {result.n_failures} wrong"
    if result.n_skipped:
        text += f", {result.n_skipped} skipped"
    if np.isfinite(result.accuracy):
        low, high = result.interval
        text += f"; accuracy {result.accuracy:.3f} ({low:.3f} to {high:.3f})"
    return text


def result_facts(session, pool, options):
    """Return what the answers of a session say, as plain data.

    Parameters
    ----------
    session : Session
        With a sampler.
    pool : Pool
        Names the failures.
    options : dict
        Options of the command: ``level``; ``half_width`` (wanted, for the number of
        labels that are missing) or ``until`` (half-width that ends the labelling; the
        anytime interval is then the one).

    Returns
    -------
    dict
        For ``result_text`` and for JSON.
    """
    sampler, level = session.sampler, options["level"]
    half_width, until = options.get("half_width"), options.get("until")
    method = "anytime" if until else "default"
    result = sampler.result(confidence=level, method=method)
    facts = {name: getattr(result, name) for name in _OF_THE_RESULT}
    facts |= {
        "sampler": type(sampler).__name__,
        "interval": list(result.interval),
        "confidence": level,
        "anytime_interval": _anytime(sampler, level),
        "n_open": len(sampler.pending_),
        "failures": [{"id": i, "item": pool.items[i]} for i in result.failures],
    }
    facts = to_plain(facts)
    if half_width is not None:
        needed, assumption = _needed(sampler, result, half_width, level)
        facts |= {"half_width": half_width, "labels_for_half_width": needed}
        facts["assumption"] = assumption
    if until is not None:
        reached = sampler.should_stop(until, confidence=level)
        facts |= {"until": until, "reached": reached}
    return facts


def give_result(session, pool, options, before=""):
    """Write and print what the answers of a session say."""
    facts = result_facts(session, pool, options)
    if options["json_out"]:
        write_json(options["json_out"], facts)
    if not options["quiet"]:
        click.echo(f"{before}{result_text(facts)}")


def _anytime(sampler, level):
    """Return the anytime interval, or None where a sampler has none."""
    try:
        return list(sampler.result(confidence=level, method="anytime").interval)
    except ValueError:
        return None


def _needed(sampler, result, half_width, level):
    """Return how many labels in all a half-width takes, and what that rests on."""
    try:
        if result.n_labels < 2:
            plan = sampler.plan(half_width, confidence=level)
            return plan.n_labels, plan.assumption
        if result.n_used < 2 and result.n_used < result.n_pool:
            return None, "not known before there is an estimate"
        return result.labels_for(half_width), "Extrapolated from the present interval."
    except ValueError as error:
        return None, str(error)


def result_text(facts):
    """Return the facts as an aligned table.

    Parameters
    ----------
    facts : dict
        From ``result_facts``.

    Returns
    -------
    str
        Lines.
    """
    percent = f"{100 * facts['confidence']:g} %"
    labels = f"{facts['n_labels']} of {facts['n_pool']}"
    for name, word in (("n_open", "open"), ("n_skipped", "skipped")):
        if facts[name]:
            labels += f", {facts[name]} {word}"
    rows = [("labels", labels)]
    if facts["accuracy"] is not None:
        rows.append(("accuracy", f"{facts['accuracy']:.4f}"))
        rows.append((f"{percent} interval", _range(facts, "interval")))
        redundant = facts["method"] in ("anytime", "census")
        if facts["anytime_interval"] is not None and not redundant:
            rows.append((f"{percent} anytime", _range(facts, "anytime_interval")))
    rows.append(("failures found", _failures(facts)))
    if "half_width" in facts:
        rows.append((f"for +-{facts['half_width']:g}", _needed_text(facts)))
    if "until" in facts:
        reached = "reached" if facts["reached"] else "not reached yet"
        rows.append((f"until +-{facts['until']:g}", reached))
    width = max(len(name) for name, _ in rows)
    lines = [f"{name.ljust(width)}  {text}" for name, text in rows]
    lines += [wrapped(f"warning: {plain_text(text)}") for text in facts["warnings"]]
    return "\n".join(lines)


def _range(facts, name):
    low, high = facts[name]
    method = "whenever you stop" if name != "interval" else facts["method"]
    return f"{low:.4f} to {high:.4f} ({method})"


def _failures(facts):
    named = [plain_text(row["item"]) for row in facts["failures"]]
    text = f"{len(named)}: {', '.join(named[:N_NAMED])}" if named else "0"
    if len(named) > N_NAMED:
        text += f" and {len(named) - N_NAMED} more"
    return text


def _needed_text(facts):
    needed = facts["labels_for_half_width"]
    if needed is None:
        return facts["assumption"]
    more = max(needed - facts["n_labels"] - facts["n_skipped"], 0)
    return f"about {needed} labels in all, {more} more ({facts['assumption']})"
