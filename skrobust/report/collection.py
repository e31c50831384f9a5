"""Collection of the data of a report from fitted models."""

import time
from datetime import UTC, datetime

import numpy as np

from skrobust._containers import is_frame, is_text, shape_of
from skrobust._validation import check_same_length, check_targets, invalid
from skrobust.evaluation.checkpoint import Checkpoint
from skrobust.report import data_facts
from skrobust.report.measure_model import ModelSections
from skrobust.report.model_ranking import compare_all
from skrobust.report.report_options import check_options, name_of_conditions
from skrobust.report.section_log import Log

# Options that are shown as they were given.
_SHOWN = ("dataset", "class_counts", "image_shape", "channel_axis", "data_range")
_SHOWN += ("norm", "checks", "n_labels", "random_state")


def collect(caller, models, X, y, **options):
    """Return the data of a report.

    Parameters
    ----------
    caller : str
        Name of the function or command that the user called, for error messages.
    models, X, y : dict and array-likes
        As in :func:`~skrobust.report.collect_report`.
    **options : object
        Every keyword argument of :func:`~skrobust.report.collect_report`.

    Returns
    -------
    dict
        As from :func:`~skrobust.report.collect_report`.
    """
    started = time.perf_counter()
    _check_models(models, caller)
    kinds = {name: data_facts.kind_of(name, model) for name, model in models.items()}
    if not is_frame(X) and not hasattr(X, "shape"):
        X = np.asarray(X)
    y = np.asarray(check_targets(y, caller))
    shape, has_text = shape_of(X), is_text(X)
    check_same_length(caller, X=range(shape[0]), y=y)
    if len(shape) < 2 and not has_text:
        raise invalid("X", caller, "of shape (n_samples, ...)", tuple(shape))
    options = check_options(options, len(y), caller)
    log = Log(options["progress"])
    work = {
        **options,
        "caller": caller,
        "store": Checkpoint(options["checkpoint"], caller),
        "paired": {},  # by measure and model, for the comparisons
    }
    X_train, n_samples = options["X_train"], options["n_samples"]
    image = (options["image_shape"], options["channel_axis"], caller)
    n_train = 0 if X_train is None else shape_of(X_train)[0]
    settings = {name: options[name] for name in _SHOWN}
    settings |= {
        "n_rows": len(y),
        "n_train": n_train or None,
        "n_samples": len(y) + n_train if n_samples is None else n_samples,
        "n_samples_given": n_samples is not None,
        "n_features": None if has_text else int(np.prod(shape[1:])),
        "sides": None if has_text else data_facts.image_sides(X, *image),
        "eps": _plain_sizes(options["eps"]),
        "conditions": name_of_conditions(options["conditions"], X, image[0]),
    }
    for name, reason in (options["skipped"] or {}).items():
        log.skip(name, "the whole model", reason)
    has_classes = "classifier" in kinds.values()
    collected = {
        "title": options["title"] or "Robustness report",
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "call": options["call"],
        "settings": settings,
        "columns": data_facts.column_names(X),
        "classes": data_facts.class_counts(y) if has_classes else None,
        "n_shared_rows": None,
    }
    if X_train is not None:
        collected["n_shared_rows"] = log.run(
            "data", "rows seen in training", data_facts.shared_rows, X, X_train
        )
    collected["models"] = [
        ModelSections(name, model, kinds[name], X, y, settings, work, log).measure()
        for name, model in models.items()
    ]
    random_state = options["random_state"]
    collected["comparisons"] = compare_all(work["paired"], y, random_state, log)
    collected["skipped"], collected["warnings"] = log.skipped, log.warnings
    collected["versions"] = data_facts.versions()
    collected["seconds"] = time.perf_counter() - started
    return collected


def _plain_sizes(eps):
    """Return radii as numbers, text, a list of them or None."""
    if isinstance(eps, (list, tuple)):
        return [_plain_sizes(one) for one in eps]
    return np.asarray(eps).tolist()


def _check_models(models, caller):
    fine = isinstance(models, dict) and all(isinstance(name, str) for name in models)
    if not fine or not models:
        cure = "Write {'name': model}." if hasattr(models, "predict") else ""
        rule = "a non-empty dict of names to fitted estimators"
        raise invalid("models", caller, rule, models, cure)
