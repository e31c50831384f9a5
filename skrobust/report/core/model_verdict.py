"""Verdict on each model of a report: what decides, in a few sentences."""

import math

import numpy as np

from skrobust.report.core.needs import (
    attacked_scores,
    bracket_of,
    judged,
    measured_values,
)
from skrobust.report.core.next_steps import next_steps
from skrobust.report.core.number_text import number
from skrobust.report.core.undefined_numbers import is_known

GOOD, BAD, OPEN = "good", "bad", "open"


def build_verdicts(collected):
    """Return a verdict on each model.

    Parameters
    ----------
    collected : dict
        From :func:`~skrobust.report.collect_report`, or read back from JSON.

    Returns
    -------
    list of dict
        ``name``, ``status`` ("good", "bad" or "open"), ``sentence``, ``needs``,
        ``clean``, ``worst``, ``responsible``, ``attacked`` (each a dict or None) and
        ``next``, sentences.
    """
    thresholds = (collected["settings"].get("thresholds")) or {}
    values, limits = measured_values(collected)
    found = []
    for model in collected["models"]:
        name = model["name"]
        one = {
            "name": name,
            "needs": judged(thresholds, values[name], limits[name]),
            "clean": _clean(model),
            "worst": worst_condition(model),
            "responsible": _responsible(model),
            "attacked": _attacked(model),
        }
        parts = _by_needs(one) if thresholds else _by_constant(one, _n_failed(model))
        one["status"], one["sentence"] = parts
        one["next"] = next_steps(model, one, collected)
        found.append(one)
    return found


def _n_failed(model):
    """Return the number of conditions that failed."""
    return sum(bool(why) for why in (model["stability"] or {}).get("failed", ()))


def verdicts_of(collected):
    """Return the verdicts that a report has, else new ones.

    Reports of earlier versions have none.
    """
    return collected.get("verdicts") or build_verdicts(collected)


def side(value, interval, constant):
    """Return "above", "below" or "open": a score against that of the constant model."""
    if value is None or not math.isfinite(value):
        return "open"
    low, high = interval or (value, value)
    low, high = (end if end is not None else value for end in (low, high))
    if low > constant:
        return "above"
    return "below" if high < constant else "open"


def _clean(model):
    clean = model["clean"]
    constant = clean["constant_model"]
    found = {k: clean[k] for k in ("metric", "value", "interval")}
    place = side(clean["value"], clean["interval"], constant)
    return found | {"constant": constant, "side": place}


def worst_condition(model):
    """Return the worst condition of a model in words, or None.

    Parameters
    ----------
    model : dict
        One of the ``models`` of a collected report.

    Returns
    -------
    dict or None
        ``score``, ``interval``, ``name``, ``words``, ``corruption``, ``constant`` (the
        score of the constant model), ``side`` of it, ``n_below`` of ``n`` conditions,
        and ``first``: the mildest condition of the same kind that is below, in words,
        with its ``first_severity``.
    """
    results = model["stability"]
    if results is None:
        return None
    constant = model["clean"]["constant_model"]
    scores = np.asarray(results["score"], dtype=np.float64)
    worst = results["worst"]
    if not np.isfinite(scores).any() or not is_known(worst["score"]):
        return None
    at = int(np.nanargmin(scores))
    words = list(results.get("words") or [""] * len(scores))
    highs = np.asarray(results.get("score_high", scores), dtype=np.float64)
    below = highs < constant
    corruption = str(np.asarray(results["corruption"])[at])
    first = severity = None
    if corruption and below[at]:
        same = np.flatnonzero(below & (np.asarray(results["corruption"]) == corruption))
        levels = np.asarray(results["severity"], dtype=np.float64)[same]
        place, severity = int(same[np.argmin(levels)]), float(levels.min())
        first = words[place] or str(results["name"][place])
    perturbed = np.asarray(results["severity"], dtype=np.float64) != 0
    return {
        "score": worst["score"],
        "interval": worst["interval"],
        "name": str(worst["name"]),
        "words": words[at],
        "corruption": corruption,
        "constant": constant,
        "side": side(worst["score"], worst["interval"], constant),
        "n_below": int((below & perturbed).sum()),
        "n": int(perturbed.sum()),
        "first": first,
        "first_severity": severity,
    }


def _responsible(model):
    found = model.get("weakness")
    if not found or not found["names"]:
        return None
    part, names, drops = found["part"], found["names"], found["drops"]
    whole = number(found["clean"] - found["score"])
    if found.get("together"):
        listed = ", ".join(found["together"])
        sentence = (
            f"{listed}: together {number(found['together_drop'])} of the loss of "
            f"{whole}; the largest loss by one {part} is {number(drops[0])} "
            f"({names[0]})."
        )
    elif drops[0] <= 0:
        sentence = f"No single {part} costs anything."
    elif part == "column":
        sentence = f"{names[0]}: alone {number(drops[0])} of the loss of {whole}."
    else:
        sentence = f"Without {part} {names[0]} the loss is {whole}."
    return {"sentence": sentence, "method": found["method"], "part": part}


def _attacked(model):
    scores = attacked_scores(model)
    if not scores:
        return None
    value, interval, _ = min(scores, key=lambda one: one[0])
    bracket = bracket_of(model)
    return {
        "value": value,
        "interval": interval,
        "side": side(value, interval, model["clean"]["constant_model"]),
        "attacks": [attack for _, _, attack in scores],
        "certified": bracket and bracket["lower"],
    }


def _by_needs(one):
    """Return status and sentence where needs were stated."""
    needs = one["needs"]
    n = len(needs)
    missed = [need["words"] for need in needs if need["status"] == "missed"]
    unknown = [n for n in needs if n["status"] in ("not shown", "not measured")]
    if missed:
        return BAD, f"Misses {len(missed)} of {n} needs: {', '.join(missed)}."
    if unknown:
        listed = ", ".join(f"{need['words']} is {need['status']}" for need in unknown)
        return OPEN, f"Not decided: {listed}."
    return GOOD, f"Meets {'the need' if n == 1 else f'all {n} needs'}."


def _by_constant(one, n_failed):
    """Return status and sentence of the comparison with a constant model."""
    clean, worst, attacked = one["clean"], one["worst"], one["attacked"]
    if clean["value"] is None or not math.isfinite(clean["value"]):
        return OPEN, "The clean score is undefined."
    if clean["side"] != "above":
        return BAD, "Not shown to be better than a constant model, even on clean rows."
    below = []
    if worst and worst["side"] == "below":
        below.append(f"in {worst['n_below']} of {worst['n']} conditions")
    if attacked and attacked["side"] == "below":
        below.append("under attack")
    if below:
        text = f"Worse than a constant model {' and '.join(below)}"
        return BAD, f"{text}; better on clean rows."
    if worst is None and attacked is None:
        rest = "nothing else was tested"
        if n_failed:
            rest = f"{n_failed} conditions failed, and nothing else was tested"
        return OPEN, f"Better than a constant model on clean rows; {rest}."
    unsure = []
    if worst and worst["side"] == "open":
        unsure.append("in the worst condition")
    if attacked and attacked["side"] == "open":
        unsure.append("under attack")
    if unsure:
        text = "Better than a constant model on clean rows; not shown to be better "
        return OPEN, f"{text}{' and '.join(unsure)}."
    where = ["on clean rows"]
    where += [f"in all {worst['n']} conditions"] if worst else []
    where += ["under attack"] if attacked else []
    text = ", ".join(where[:-1]) + (" and " if len(where) > 1 else "") + where[-1]
    return GOOD, f"Better than a constant model {text}."
