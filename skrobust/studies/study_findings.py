"""What of the findings of the paper holds in a study, counted over its attacks."""

import numpy as np

from skrobust.studies.study_comparisons import MARGIN

_ATTACK = ("attack", "norm", "eps")
_SLACK = 0.02  # of robust accuracy, by which an attack may find less than FGSM


def weak_attacks(cells):
    """Return the attacks of many steps that find less than FGSM at their budget.

    Too few steps do that; what such an attack says of detectors is about the attack.

    Parameters
    ----------
    cells : list of dict
        From :func:`~skrobust.studies.study_numbers.cell_numbers`.

    Returns
    -------
    list of dict
        ``attack``, ``norm``, ``eps``, ``detector``, and the robust accuracy under it
        and under FGSM.
    """
    places, found = ("detector", "norm", "eps"), []
    fast = {
        tuple(c[k] for k in places): c["accuracy"]["value"]
        for c in cells
        if c["attack"] == "FGSM"
    }
    for cell in cells:
        value = cell["accuracy"]["value"]
        fgsm = fast.get(tuple(cell[k] for k in places), 1.0)
        if value > fgsm + _SLACK:
            row = {k: cell[k] for k in ("attack", *places)}
            found.append(row | {"accuracy": value, "fgsm_accuracy": fgsm})
    return found


def findings(cells, comparisons):
    """Return one dictionary for each finding: what it says, and where it holds.

    Attacks that are weaker than FGSM on some detector are not counted.

    Parameters
    ----------
    cells : list of dict
        From :func:`~skrobust.studies.study_numbers.cell_numbers`.
    comparisons : list of dict
        From :func:`~skrobust.studies.study_comparisons.compare_detectors`.

    Returns
    -------
    list of dict
        ``claim`` (that of the paper), ``measure`` (how it is judged here), ``n_for``,
        ``n_against`` and ``n`` (how often it is judged), and ``values``, the smallest
        and largest value.
    """
    weak = {tuple(row[k] for k in _ATTACK) for row in weak_attacks(cells)}
    cells, comparisons = (
        [row for row in rows if tuple(row[k] for k in _ATTACK) not in weak]
        for rows in (cells, comparisons)
    )
    return [*_of_pairs(comparisons), _linearity(cells)]


def _of_pairs(comparisons):
    if not comparisons:
        return []
    spreads = [c["spread"] for c in comparisons]
    verdicts = [set(c["accuracy_pairs"]["verdict"]) for c in comparisons]
    differ = [np.min(c["accuracy_pairs"]["p_adjusted"]) < 0.05 for c in comparisons]
    leaders = [{r["detector"] for r in c["images"]["regions"]} for c in comparisons]
    low = [s["gain"]["low"] > 0 for s in spreads]
    high = [s["gain"]["high"] < 0 for s in spreads]
    return [
        _finding(
            "Robust accuracy is alike for all detectors.",
            f"attacks under which all pairs are equivalent, within {MARGIN:g}, or some "
            "pair differs significantly (against), and the spread over the detectors",
            [found == {"equivalent"} for found in verdicts],
            differ,
            [s["accuracy"] for s in spreads],
        ),
        _finding(
            "The robust ratio tells the detectors apart.",
            "attacks under which some pair differs at some tolerance, in the band for "
            f"all pairs and tolerances, or that band is within {MARGIN:g} (against), "
            "and the largest spread",
            [c["images"]["n_apart"] > 0 for c in comparisons],
            [c["images"]["is_alike"] for c in comparisons],
            [s["largest_ratio"] for s in spreads],
        ),
        _finding(
            "The robust ratio tells them apart better than robust accuracy does.",
            "attacks under which the spread of the robust ratio, averaged over the "
            "tolerances, less that of robust accuracy has an interval above 0, or "
            "below (against), and that difference",
            low,
            high,
            [s["gain"]["value"] for s in spreads],
        ),
        _finding(
            "Which detector is ahead depends on the tolerance.",
            "attacks under which two detectors lead, each in a region of its own, or "
            "only one leads anywhere (against), and the number that lead",
            [len(names) > 1 for names in leaders],
            [len(names) == 1 for names in leaders],
            [len(names) for names in leaders],
        ),
    ]


def _linearity(cells):
    found = [cell["linearity"]["difference"] for cell in cells]
    # Clips of one frame are images, and differ in nothing.
    found = [f for f in found if (f["low"], f["value"], f["high"]) != (0, 0, 0)]
    return _finding(
        "The robust ratio of videos is more linear in the tolerance than that of "
        "images.",
        "detectors and attacks for which R squared of the chord, clips less images, "
        "has an interval above 0, or below (against), and that difference",
        [f["low"] > 0 for f in found],
        [f["high"] < 0 for f in found],
        [f["value"] for f in found],
    )


def _finding(claim, measure, for_it, against, values):
    values = [float(v) for v in values if np.isfinite(v)]
    return {
        "claim": claim,
        "measure": measure,
        "n_for": int(np.sum(for_it)),
        "n_against": int(np.sum(against)),
        "n": len(for_it),
        "values": [min(values), max(values)] if values else None,
    }
