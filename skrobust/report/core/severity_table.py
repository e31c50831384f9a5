"""Table of scores by corruption and severity."""

import numpy as np


def severity_table(results):
    """Return scores by corruption and severity, or None where none has a severity.

    Parameters
    ----------
    results : Results or None
        Results of :func:`~skrobust.evaluation.evaluate_perturbations`.

    Returns
    -------
    dict or None
        ``severities`` and ``rows``: each with ``kind`` (a class), ``name``,
        ``scores`` (nan where there is no such condition) and ``mean``; the worst first.
    """
    if results is None or "corruption" not in results:
        return None
    kinds = np.asarray(results["corruption"])
    levels = np.asarray(results["severity"], dtype=np.float64)
    scores = np.asarray(results["score"], dtype=np.float64)
    inside = (kinds != "") & (levels > 0)
    if not inside.any():
        return None
    severities = np.unique(levels[inside])
    rows = []
    for kind in dict.fromkeys(kinds[inside].tolist()):
        of_kind = inside & (kinds == kind)
        cells = [scores[of_kind & (levels == level)] for level in severities]
        cells = [float(c.mean()) if len(c) else float("nan") for c in cells]
        name = _readable(kind, np.asarray(results["name"])[of_kind])
        row = {"kind": str(kind), "name": name, "scores": cells}
        rows.append(row | {"mean": float(np.nanmean(cells))})
    rows.sort(key=lambda row: row["mean"])
    return {"severities": severities.tolist(), "rows": rows}


def _readable(kind, names):
    """Return the name of a corruption as its conditions carry it, without the level."""
    stems = {str(name).rpartition("-")[0] for name in names}
    return stems.pop() if len(stems) == 1 and "" not in stems else str(kind)
