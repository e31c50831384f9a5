"""Everything that is measured of one model."""

import numpy as np

from skrobust.report import _extras, _gallery, _sections

_NOTHING = (
    "normalized",
    "stability",
    "curve",
    "doubts",
    "gallery",
    "groups",
    "times",
)


def measure_model(name, model, kind, X, y, settings, work, log):
    """Run every section for one model; each that fails leaves its reason.

    Parameters
    ----------
    name : str
        Of the model.
    model : fitted estimator
        The model.
    kind : {"classifier", "regressor"}
        What it is.
    X, y : array-like
        Rows and their labels.
    settings : dict
        What the report says of itself.
    work : dict
        What only the measuring needs; ``right`` is filled.
    log : Log
        Takes reasons and warnings.

    Returns
    -------
    found : dict
        The sections.
    """
    if kind == "classifier" and y.dtype.kind == "f" and (y != np.round(y)).any():
        raise ValueError(f"collect_report needs labels in y for {name!r}; it holds "
                         "numbers.")  # fmt: skip
    clean = log.run(
        name, "clean score", _sections.clean_score, model, X, y, kind, required=True
    )
    predicted = clean.pop("predicted")
    found = {
        "name": name,
        "estimator": " ".join(repr(model).split()),
        "kind": kind,
        "clean": clean,
        "n_unknown": 0 if kind == "regressor" else _n_unknown(model, y),
        **dict.fromkeys(_NOTHING),
        "attacks": {},
        "labelling": {},
    }
    found["normalized"] = _normalized(name, y, predicted, kind, settings, log)
    if kind == "regressor":
        _keep(work, "R2", name, predicted)
        _regressor(found, model, X, y, settings, work, log)
        return found
    right = {"clean": np.asarray(predicted == y)}
    _keep(work, "clean accuracy", name, right["clean"])
    found["stability"] = _stability(name, model, X, y, settings, work, log)
    if found["stability"] is not None and "correct" in found["stability"]:
        held = found["stability"]["correct"]
        _keep(work, "mean accuracy", name, held.mean(axis=1))
        _keep(work, "stability", name, held)
    found["attacks"] = _attacks(name, model, X, y, settings, work, log)
    for attack, results in found["attacks"].items():
        if results is not None:
            held = right["clean"] & ~results["per_sample"]["success"]
            # An attack that counts otherwise, such as one with a target, is not paired.
            if np.isclose(held.mean(), results["robust_accuracy"]):
                right[attack] = held
                _keep(work, f"robust accuracy, {attack}", name, held)
    found["curve"] = _curve(name, model, X, y, settings, work, log)
    found["gallery"] = _gallery_of(found, model, X, y, settings, work, log)
    found["doubts"] = _doubts(found, model, X, y, settings, work, log)
    found["groups"] = _groups(name, right, y, settings, work, log)
    found["times"] = _times(name, predicted, y, kind, work, log)
    for sampler in _sections.SAMPLERS:
        found["labelling"][sampler] = log.run(
            name,
            f"operational testing, {sampler}",
            _sections.labelling,
            model,
            X,
            y,
            sampler,
            n_labels=settings["n_labels"],
            true_accuracy=clean["value"],
            random_state=settings["random_state"],
        )
    return found


def _keep(work, metric, name, values):
    work["right"].setdefault(metric, {})[name] = values


def _normalized(name, y, predicted, kind, settings, log):
    if settings["n_features"] is None:
        reason = "Text has no number of features to adapt the score to."
        log.skip(name, "normalized score", reason)
        return None
    given = settings["n_samples_given"] or settings["n_train"]
    return log.run(
        name,
        "normalized score",
        _sections.normalized_score,
        y,
        predicted,
        kind,
        n_samples=settings["n_samples"] if given else None,  # None: the score warns
        n_features=settings["n_features"],
        class_counts=settings["class_counts"],
    )


def _regressor(found, model, X, y, settings, work, log):
    """Fill what a regressor can have, and say what it cannot."""
    name, left_out = found["name"], "stability, attacks and operational testing"
    if work["conditions"] is not None:
        found["stability"] = _stability(name, model, X, y, settings, work, log)
        left_out = "attacks and operational testing"
    reason = "They count right and wrong labels, and a regressor gives none."
    log.skip(name, left_out, reason)
    if work["groups"]:
        log.skip(name, "groups", "They compare shares of right labels.")
    predicted = model.predict(X) if work["times"] is not None else None
    found["times"] = _times(name, predicted, y, "regressor", work, log)


def _stability(name, model, X, y, settings, work, log):
    if settings["conditions"] == "tabular" and work["X_train"] is None:
        log.skip(
            name,
            "stability",
            "The perturbations of tables learn their scales from training rows: give "
            "X_train (or image_shape, if the rows are flat images).",
        )
        return None
    return log.run(
        name,
        "stability",
        _sections.stability,
        model,
        X,
        y,
        settings,
        conditions=work["conditions"],
        X_train=work["X_train"],
        n_jobs=work["n_jobs"],
        verbose=work["verbose"],
        checkpoint=work["checkpoint"],
    )


def _attacks(name, model, X, y, settings, work, log):
    found = {}
    made = _sections.make_attacks(work["attacks"], settings)
    if made is None:
        reason = "eps was not given: the size of the attack in units of the raw input."
        log.skip(name, "attacks", reason)
        return {}
    for attack, one in made.items():
        results = log.run(
            name,
            attack,
            _sections.attack,
            model,
            X,
            y,
            one,
            checkpoint=work["checkpoint"],
        )
        found[attack] = results
        if results is not None and "skipped" in results:
            log.skip(name, f"{attack}, robust ratio", results["skipped"])
    return found


def _curve(name, model, X, y, settings, work, log):
    if work["radii"] is None:
        return None
    options = {k: settings[k] for k in ("norm", "data_range", "random_state")}
    return log.run(
        name,
        "robust accuracy curve",
        _extras.kept,
        work["checkpoint"],
        model,
        X,
        y,
        [work["radii"], *options.values()],
        _extras.curve,
        work["radii"],
        **options,
    )


def _gallery_of(found, model, X, y, settings, work, log):
    return log.run(
        found["name"],
        "gallery",
        _extras.kept,
        work["checkpoint"],
        model,
        X,
        y,
        [settings, work["conditions"], work["attacks"], work["X_train"], found["name"]],
        _gallery.draw_gallery,
        found,
        settings,
        work,
    )


def _doubts(found, model, X, y, settings, work, log):
    done = [a for a, results in found["attacks"].items() if results is not None]
    if not settings["checks"] or not done:
        return None
    chosen = "PGD" if "PGD" in done else done[-1]
    attack = _sections.make_attacks(work["attacks"], settings)[chosen]
    name, seed = found["name"], settings["random_state"]
    return log.run(
        name,
        "honest evaluation",
        _extras.kept,
        work["checkpoint"],
        model,
        X,
        y,
        [attack, seed],
        _extras.doubts,
        attack,
        chosen,
        random_state=seed,
    )


def _groups(name, right, y, settings, work, log):
    found = {}
    for grouping, groups in work["groups"].items():
        for measure, held in right.items():
            results = log.run(
                name,
                f"groups by {grouping}, {measure}",
                _extras.group_table,
                y,
                held,
                groups,
                random_state=settings["random_state"],
            )
            found.setdefault(grouping, {})[measure] = results
    return found or None


def _times(name, predicted, y, kind, work, log):
    if work["times"] is None:
        return None
    section = "stability over time"
    return log.run(name, section, _extras.periods, y, predicted, work["times"], kind)


def _n_unknown(model, y):
    classes = getattr(model, "classes_", None)
    if classes is None:
        return 0
    known = set(np.asarray(classes).tolist())
    return sum(label not in known for label in y.tolist())
