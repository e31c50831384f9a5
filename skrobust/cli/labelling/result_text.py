"""Results of operational testing: facts for JSON, and details for the terminal."""

import click

from skrobust.cli.labelling.result_sentences import result_text
from skrobust.cli.thresholds import write_json
from skrobust.report.strict_json import to_plain

_OF_THE_RESULT = ("accuracy", "method", "std_error", "effective_n", "accuracy_bounds")
_OF_THE_RESULT += ("n_pool", "n_labels", "n_failures", "n_skipped", "warnings")


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
        interval that holds at any time is then the one).

    Returns
    -------
    dict
        For ``result_text``, ``details_text`` and JSON.
    """
    sampler, level = session.sampler, options["level"]
    half_width, until = options.get("half_width"), options.get("until")
    method = "stopping" if until else "default"
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
        half = (result.interval[1] - result.interval[0]) / 2
        facts |= {"until": until, "reached": bool(half <= until)}
    return facts


def give_result(session, pool, options, before=""):
    """Write and print what the answers of a session say."""
    facts = result_facts(session, pool, options)
    if options["json_out"]:
        write_json(options["json_out"], facts)
    if not options["quiet"]:
        click.echo(f"{before}{result_text(facts)}")
        if options["details"]:
            click.echo(f"\n{details_text(facts)}")


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


def details_text(facts):
    """Return the facts as an aligned table, with the exact numbers.

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
    rows = [("sampler", facts["sampler"])]
    if facts["accuracy"] is not None:
        rows.append(("accuracy", f"{facts['accuracy']:.4f}"))
        rows.append((f"{percent} interval", _range(facts, "interval")))
        redundant = facts["method"] in ("anytime", "census")
        if facts["anytime_interval"] is not None and not redundant:
            rows.append((f"{percent} anytime", _range(facts, "anytime_interval")))
        rows.append(("standard error", f"{facts['std_error']:.4f}"))
        rows.append(("effective n", f"{facts['effective_n']:.1f}"))
    if "half_width" in facts:
        rows.append((f"for +-{facts['half_width']:g}", facts["assumption"]))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name.ljust(width)}  {text}" for name, text in rows)


def _range(facts, name):
    low, high = facts[name]
    method = "exact, whenever you stop" if name != "interval" else facts["method"]
    return f"{low:.4f} to {high:.4f} ({method})"
