"""Parts of the page that show all models side by side."""

import numpy as np

from skrobust.report.core.heat_map import heat_map, severity_lines
from skrobust.report.core.model_verdict import verdicts_of
from skrobust.report.core.needs import bracket_of
from skrobust.report.core.next_steps import untested_of
from skrobust.report.core.severity_table import severity_table
from skrobust.report.core.summary_cells import ends_text, headline
from skrobust.report.core.undefined_numbers import undefined_of
from skrobust.report.pages.charts import heat_chart, interval_chart, line_chart

_PANELS = 6
MODE_WORDS = {
    "loss": "loss, run in full",
    "probability_shift": "probability shift",
    "prediction_shift": "move of the prediction",
    "given": "as given",
}
STATUS_WORDS = {"good": "passes", "bad": "fails", "open": "undecided"}


def page_parts(collected, models):
    """Return what the page shows of all models at once.

    Parameters
    ----------
    collected : dict
        From :func:`~skrobust.report.collect_report`.
    models : list of dict
        Its models, each with its ``slug``.

    Returns
    -------
    dict
        ``verdicts``, ``steps``, ``untested``, ``undefined``, ``reasons`` (by model and
        number), ``charts``, ``severities`` and ``groupings``.
    """
    undefined, verdicts = undefined_of(collected), verdicts_of(collected)
    return {
        "verdicts": verdicts,
        "steps": grouped_steps(verdicts),
        "untested": untested_of(collected),
        "undefined": undefined,
        "reasons": {(row["model"], row["number"]): row["reason"] for row in undefined},
        "charts": _charts(models),
        "severities": _severities(models),
        "groupings": _groupings(models),
        "status_words": STATUS_WORDS,
        "interval_text": lambda ends: ends_text(ends).replace("-", "\N{MINUS SIGN}"),
    }


def grouped_steps(verdicts):
    """Return each step once, with the models that it is for."""
    steps = {}
    for verdict in verdicts:
        for text in verdict["next"]:
            steps.setdefault(text, []).append(verdict["name"])
    return [{"text": text, "models": names} for text, names in steps.items()]


def _charts(models):
    found = dict.fromkeys(("heat", "severity", "bounds", "ratio", "times"))
    names = ", ".join(model["name"] for model in models)
    table = heat_map(models)
    if table is not None:
        label = f"Heat map of the mean and the lowest score by perturbation: {names}"
        found["heat"] = heat_chart(table, label)
    panels = severity_lines(models, most=None)
    found["n_severity"] = len(panels)
    constants = {model["clean"]["constant_model"] for model in models}
    constant = constants.pop() if len(constants) == 1 else None
    if panels:
        label = f"Scores against severity, one line a model: {names}"
        settings = {"axis": "severity", "reference": constant}
        found["severity"] = line_chart(panels[:_PANELS], label, **settings)
    rows = [
        {"name": m["name"], "low": b["lower"], "high": b["upper"], "color": i}
        for i, m in enumerate(models)
        if (b := bracket_of(m))
    ]
    if rows:
        label = f"Certified and attacked robust accuracy: {names}"
        found["bounds"] = interval_chart(rows, label, axis="robust accuracy")
    found["ratio_attack"] = headline({"models": models})
    panels = _ratio_panels(models, found["ratio_attack"])
    if panels:
        label = f"Robust ratio against the tolerance: {names}"
        settings = {"axis": "tolerance", "low": 0.0}
        found["ratio"] = line_chart(panels, label, **settings)
    times = [model for model in models if model["times"]]
    if times and len(times[0]["times"]["period"]) > 1:
        lines = [
            {
                "name": m["name"],
                "x": list(range(1, 1 + len(s))),
                "y": list(map(_float, s)),
            }
            for m in times
            if (s := m["times"]["score"]) is not None
        ]
        panels = [{"title": times[0]["times"]["metric"], "lines": lines}]
        label = f"Score of each period: {names}"
        found["times"] = line_chart(panels, label, axis="period")
    return found


def _ratio_panels(models, attack):
    """Return the robust ratios of one attack: loss, then probability shift."""
    panels = {}
    for model in models:
        results = (model["attacks"] or {}).get(attack) or {}
        for mode in results.get("modes", ()):
            y = [_float(v) for v in results[f"robust_ratio_{mode}"]]
            x = [_float(v) for v in results["tolerance"]]
            line = {"name": model["name"], "x": x, "y": y}
            panels.setdefault(MODE_WORDS[mode], []).append(line)
    return [{"title": title, "lines": lines} for title, lines in panels.items()]


def _float(value):
    return float("nan") if value is None else float(value)


def _severities(models):
    """Return the scores by perturbation, model and severity, as rows of one table."""
    tables = {
        model["name"]: (severity_table(model["stability"]), model["stability"])
        for model in models
        if model["stability"] is not None
    }
    tables = {name: pair for name, pair in tables.items() if pair[0] is not None}
    if not tables:
        return None
    levels = sorted({s for table, _ in tables.values() for s in table["severities"]})
    by_kind = {}
    for name, (table, results) in tables.items():
        for row in table["rows"]:
            known = dict(zip(table["severities"], row["scores"], strict=True))
            scores = [known.get(level, float("nan")) for level in levels]
            more = {"model": name, "scores": scores, "clean": results["clean"]}
            by_kind.setdefault(row["name"], []).append({**row, **more})
    order = sorted(by_kind, key=lambda n: np.mean([row["mean"] for row in by_kind[n]]))
    rows = [
        {**row, "is_first": i == 0}
        for name in order
        for i, row in enumerate(by_kind[name])
    ]
    return {"levels": levels, "rows": rows}


def _groupings(models):
    """Return one part for each grouping and measure, the models side by side."""
    parts = {}
    for place, model in enumerate(models):
        for grouping, measures in (model["groups"] or {}).items():
            for measure, table in measures.items():
                if table is not None:
                    one = {"name": model["name"], "table": table, "place": place}
                    one["slug"] = model["slug"]
                    parts.setdefault((grouping, measure), []).append(one)
    found, seen = [], set()
    for number, ((grouping, measure), ones) in enumerate(parts.items(), 1):
        first = ones[0]["table"]
        for one in ones:
            one["anchor"] = None if one["slug"] in seen else f"groups-{one['slug']}"
            seen.add(one["slug"])
        groups = [str(group) for group in first["group"]]
        rows = [
            {
                "name": f"{group}, {one['name']}" if len(ones) > 1 else group,
                "value": _float(one["table"]["value"][i]),
                "low": _float(one["table"]["low"][i]),
                "high": _float(one["table"]["high"][i]),
                "color": one["place"],
            }
            for i, group in enumerate(groups)
            for one in ones
        ]
        known = [row for row in rows if np.isfinite(row["value"])]
        label = f"Accuracy by group of {grouping}, {measure}"
        found.append(
            {
                "grouping": grouping,
                "measure": measure,
                "slug": f"part-{number}",
                "models": ones,
                "groups": groups,
                "n_samples": first["n_samples"],
                "is_small": first["is_small"],
                "chart": interval_chart(known, label, axis="accuracy") if known else "",
            }
        )
    return found
