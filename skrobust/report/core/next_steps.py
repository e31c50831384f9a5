"""Next steps: what to do about a model, and what a report did not test."""

_NOISE = "Train with such rows as well (skrobust.perturbations.PerturbationSampler)"
_CHECK = "Check units, signs and ranges before predicting, and clip values to the "
_CHECK += "training range"
_DRIFT = "Monitor the input for drift, and retrain or recalibrate before it reaches "
_CURES = {
    "Outliers": _CHECK,
    "UnitError": _CHECK,
    "SignFlip": _CHECK,
    "FeatureLoss": "Train with columns that are missing, behind an imputer",
    "MissingValues": "Train with missing values, behind an imputer",
    "CategoryFlip": "Train with unknown and swapped categories",
}


def next_steps(model, verdict, collected):
    """Return sentences on what to do next about one model, the most urgent first.

    Parameters
    ----------
    model : dict
        One of the ``models`` of a collected report.
    verdict : dict
        Its verdict so far.
    collected : dict
        The whole report.

    Returns
    -------
    list of str
        At most four.
    """
    steps = []
    clean, worst, attacked = (verdict[k] for k in ("clean", "worst", "attacked"))
    if clean["side"] != "above":
        return ["Improve the model on clean rows before testing its robustness."]
    doubts = (model.get("doubts") or {}).get("found")
    if doubts:
        codes = ", ".join(dict.fromkeys(doubt["code"] for doubt in doubts))
        steps.append(f"Resolve the doubts about the attacks ({codes}).")
    lost = worst and worst["score"] < clean["value"] - 0.05
    if worst and (worst["side"] == "below" or lost):
        steps.append(f"{_cure(worst)}.")
    if attacked and attacked["side"] != "above":
        steps.append(
            "Do not rely on it where an adversary can choose the input; try "
            "adversarial training (AdversarialSampler) or randomised smoothing "
            "(SmoothedClassifier)."
            if model["kind"] == "classifier"
            else "Do not rely on it where an adversary can choose the input."
        )
    for need in verdict["needs"]:
        if need["status"] == "not shown":
            steps.append(
                f"Score more rows: the lower limit of the {need['words']} does not "
                f"reach {need['threshold']:g}, though the estimate does."
            )
    if worst is None and model["stability"] is None:
        steps.append("Give training rows or conditions, so that it is perturbed.")
    return steps[:4] or ["Repeat the test on rows from operation."]


def _cure(worst):
    kind = worst["corruption"]
    if kind in ("MeanDrift", "ScaleDrift"):
        return _DRIFT + (worst["first"] or worst["words"] or worst["name"])
    if kind in _CURES:
        return _CURES[kind]
    return f"{_NOISE}: {worst['words'] or worst['name']}"


def untested(collected):
    """Return what the report did not test, as sentences.

    Parameters
    ----------
    collected : dict
        From :func:`~skrobust.report.collect_report`.

    Returns
    -------
    list of str
        Sentences.
    """
    settings, models = collected["settings"], collected["models"]
    found = []
    for model in models:
        if model["stability"] is None:
            found.append(f"{model['name']}: no perturbation.")
    open_ones = [m["name"] for m in models if not any((m["attacks"] or {}).values())]
    if len(open_ones) == len(models):
        found.append("Attacks of any kind.")
    elif open_ones:
        found.append(f"Attacks on {', '.join(open_ones)}.")
    tables = [model["stability"] or {} for model in models]
    untouched = [t.get("untouched_columns") for t in tables]
    untouched = list(dict.fromkeys(str(c) for cs in untouched for c in cs or ()))
    if untouched:
        shown = ", ".join(untouched[:8]) + (" …" if len(untouched) > 8 else "")
        n = len(untouched)
        found.append(
            f"{n} column{'' if n == 1 else 's'} that no condition changes: {shown}."
        )
    idle = dict.fromkeys(k for t in tables for k in t.get("idle_kinds", ()))
    if idle:
        found.append(f"Kinds that change none of these rows: {', '.join(idle)}.")
    done = set()
    for model in models:
        if model["stability"] is not None:
            done |= {str(kind) for kind in model["stability"]["corruption"]}
    if settings.get("conditions") == "tabular":
        missing = [
            text
            for kind, text in (
                ("MissingValues", "missing values"),
                ("CategoryFlip", "wrong categories"),
            )
            if kind not in done
        ]
        if missing and done:
            text = " and ".join(missing)
            found.append(f"{text[:1].upper()}{text[1:]}.")
    if done:
        found.append("Several perturbations at once." * (not _has_pairs(models)))
    if not any(model["groups"] for model in models):
        found.append("Differences between groups of rows (give groups).")
    if not any(model["times"] for model in models):
        found.append("Change of the score over time (give times).")
    if not settings.get("n_train"):
        found.append("Whether rows were used in training (give X_train).")
    found.append("Rows from operation, unless the rows scored come from there.")
    return [text for text in found if text]


def untested_of(collected):
    """Return the sentences of :func:`untested` that a report has, else new ones.

    Reports of earlier versions have none.
    """
    return collected.get("untested") or untested(collected)


def _has_pairs(models):
    presets = {(m["stability"] or {}).get("preset") for m in models}
    return "asi68" in presets
