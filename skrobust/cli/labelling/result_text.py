"""Results of operational testing: facts for JSON, and details for the terminal."""

import click

from skrobust.cli.labelling.estimate_facts import estimate_facts
from skrobust.cli.labelling.grading import grading_from
from skrobust.cli.labelling.handed_out import HandedOut
from skrobust.cli.labelling.result_sentences import result_text
from skrobust.cli.thresholds import write_json
from skrobust.report.core.strict_json import to_plain
from skrobust.sampling.core.rate_estimator import unknown_note

_OF_THE_RESULT = ("std_error", "effective_n", "n_pool", "warnings")


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
        labels that are missing) or ``until`` (half-width that ends the labelling).

    Returns
    -------
    dict
        For ``result_text``, ``details_text`` and JSON.
    """
    sampler, level = session.sampler, options["level"]
    grading = grading_from(session.facts["settings"])
    result = sampler.result(confidence=level, method=session.method)
    facts = {name: getattr(result, name) for name in _OF_THE_RESULT}
    facts |= {
        "sampler": type(sampler).__name__,
        "anytime_interval": _anytime(sampler, level, grading),
        "n_open": len(sampler.pending_),
        "handed_out": HandedOut(session).counts,
        "failures": [{"id": i, "item": pool.items[i]} for i in result.failures],
    }
    facts |= estimate_facts(result, grading, stopping=session.method == "stopping")
    facts |= _measured(result, grading)
    if grading is not None and result.losses is not None:
        for row, loss in zip(facts["failures"], result.losses, strict=True):
            row[grading.name] = grading.turned(loss)
    facts = to_plain(facts)
    half_width, until = options.get("half_width"), options.get("until")
    if half_width is not None:
        needed, assumption = _needed(sampler, result, half_width, level)
        facts |= {"half_width": half_width, "labels_for_half_width": needed}
        facts["assumption"] = assumption
    if until is not None:
        half = (result.interval[1] - result.interval[0]) / 2
        facts |= {"until": until, "reached": bool(half <= until)}
    return facts


def _measured(result, grading):
    """Return the estimate, and its bounds with and without skipped answers, by name."""
    if grading is None:
        bounds = {"accuracy_bounds": result.accuracy_bounds}
        return {"accuracy": result.accuracy, **bounds}
    name, ends = f"mean_{grading.name}", result.loss_bounds
    found = {name: grading.turned(result.mean_loss)}
    found[f"{name}_bounds"] = grading.between(*ends)
    if grading.higher_is_better:
        of_losses = unknown_note("", *ends, of="loss")
        of_scores = unknown_note("", *grading.between(*ends), of=grading.name)
        found["warnings"] = [x.replace(of_losses, of_scores) for x in result.warnings]
    return found


def give_result(session, pool, options, before=""):
    """Write and print what the answers of a session say."""
    facts = result_facts(session, pool, options)
    if options["json_out"]:
        write_json(options["json_out"], facts)
    if not options["quiet"]:
        click.echo(f"{before}{result_text(facts)}")
        if options["details"]:
            click.echo(f"\n{details_text(facts)}")


def _anytime(sampler, level, grading):
    """Return the anytime interval, or None where a sampler has none."""
    try:
        result = sampler.result(confidence=level, method="anytime")
    except ValueError:
        return None
    return estimate_facts(result, grading)["interval"]


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
    if facts["estimate"] is not None:
        rows.append((facts["measure"], f"{facts['estimate']:.4f}"))
        rows.append((f"{percent} interval", _range(facts, "interval")))
        redundant = facts["method"] in ("anytime", "census")
        if facts["anytime_interval"] is not None and not redundant:
            rows.append((f"{percent} anytime", _range(facts, "anytime_interval")))
        if facts["std_error"] is not None:
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
