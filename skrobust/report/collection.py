"""Collection of the data of a report from fitted models."""

import time
from datetime import UTC, datetime

import numpy as np

from skrobust._array_checks import check_same_length, check_targets, checked_n_rows
from skrobust._containers import is_frame, is_text, shape_of, to_array
from skrobust._validation import invalid
from skrobust.datasets import BatchedRows
from skrobust.evaluation.core.checkpoint import Checkpoint
from skrobust.evaluation.core.isolation_limits import isolation_of
from skrobust.evaluation.records.recorder import Recorder, check_record_path
from skrobust.report.core.model_ranking import compare_all
from skrobust.report.core.model_verdict import build_verdicts
from skrobust.report.core.next_steps import untested
from skrobust.report.core.report_options import check_options, name_of_conditions
from skrobust.report.core.sealed_report import sealed_report
from skrobust.report.core.section_log import Log
from skrobust.report.core.undefined_numbers import undefined_numbers
from skrobust.report.evidence.evidence_by_clause import build_evidence, check_evidence
from skrobust.report.evidence.evidence_record import record_of
from skrobust.report.measured import data_facts
from skrobust.report.measured.corruption_error import (
    add_corruption_errors,
    check_reference,
)
from skrobust.report.measured.measure_model import ModelSections
from skrobust.report.measured.several_targets import by_target

# Options that are shown as they were given.
_SHOWN = ("dataset", "class_counts", "image_shape", "channel_axis", "data_range")
_SHOWN += ("norm", "checks", "n_labels", "random_state", "thresholds", "reference")


def collect(caller, models, X, y, *, isolate=False, **options):
    """Return the data of a report.

    Parameters
    ----------
    caller : str
        Name of the function or command that the user called, for error messages.
    models, X, y : dict and array-likes
        As in :func:`~skrobust.report.collect_report`.
    isolate : bool or Isolation
        As there.
    **options : object
        Every keyword argument of :func:`~skrobust.report.collect_report`.

    Returns
    -------
    dict
        As from :func:`~skrobust.report.collect_report`.
    """
    with isolation_of(isolate, caller):
        return _collect(caller, models, X, y, **options)


def _collect(caller, models, X, y, **options):
    started = time.perf_counter()
    _check_models(models, caller)
    _refuse_batches({"X": X, "X_train": options["X_train"]}, caller)
    for name, model in models.items():
        data_facts.kind_of(name, model)
    if not is_frame(X) and not hasattr(X, "shape"):
        X = to_array(X, "X", caller)
    frameworks = check_evidence(options["evidence"], caller)
    data, path, recorder = (models, X, y, options["X_train"]), options["record"], None
    if path is not None:
        path, recorder = check_record_path(path, caller), Recorder(*data, caller)
    record = record_of(*data, recorder) if frameworks else None
    models, columns, y = by_target(models, X, y)
    kinds = {name: data_facts.kind_of(name, model) for name, model in models.items()}
    targets = None if columns is None else list(dict.fromkeys(columns.values()))
    y = np.asarray(y if targets else check_targets(y, caller))
    shape, has_text = shape_of(X, "X", caller), is_text(X)
    check_same_length(caller, X=X, y=y)
    if len(shape) < 2 and not has_text:
        raise invalid("X", caller, "of shape (n_samples, ...)", tuple(shape))
    options = check_options(options, len(y), caller)
    check_reference(options["reference"], models, caller)
    log = Log(options["progress"], len(models), options["verbose"])
    # The bar of the report stands in place of those of its parts.
    options["verbose"] = int(bool(options["verbose"] and options["progress"]))
    work = {
        **{k: v for k, v in options.items() if k != "progress"},  # it stays here
        "caller": caller,
        "store": Checkpoint(options["checkpoint"], caller),
        "paired": {},  # by measure and model, for the comparisons
    }
    X_train, n_samples = options["X_train"], options["n_samples"]
    image = (options["image_shape"], options["channel_axis"], caller)
    n_train = 0 if X_train is None else checked_n_rows(X_train, "X_train", caller)
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
    settings["targets"] = targets
    has_classes = "classifier" in kinds.values() and targets is None
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
    collected["models"] = []
    for name, model in models.items():
        target = None if targets is None else columns[name]
        own = y if targets is None else y[:, targets.index(target)]
        work["recorder"] = recorder and recorder.of_model(name, model, target)
        data = name, model, kinds[name], X, own, settings, work, log, target
        collected["models"].append(ModelSections(*data).measure())
        log.finish_model()
    random_state = options["random_state"]
    held = {
        name: values
        for (metric, _), found in work["paired"].items()
        if metric == "stability"
        for name, values in found.items()
    }
    if targets is None:
        reference = options["reference"]
        add_corruption_errors(held, collected["models"], y, reference, log)
    truths = y if targets is None else dict(zip(targets, y.T, strict=True))
    collected["comparisons"] = compare_all(work["paired"], truths, random_state, log)
    collected["skipped"], collected["warnings"] = log.skipped, log.warnings
    collected["undefined"] = undefined_numbers(collected)
    collected["verdicts"] = build_verdicts(collected)
    collected["untested"] = untested(collected)
    log.close()
    collected["versions"] = data_facts.versions()
    collected["record"] = recorder and sealed_report(recorder, path, collected)
    evidence = build_evidence(collected, frameworks, record) if frameworks else None
    collected["evidence"] = evidence
    collected["seconds"] = time.perf_counter() - started
    return collected


def _plain_sizes(eps):
    """Return radii as numbers, text, a list of them or None."""
    if isinstance(eps, (list, tuple)):
        return [_plain_sizes(one) for one in eps]
    return np.asarray(eps).tolist()


def _refuse_batches(given, caller):
    for name, rows in given.items():
        if isinstance(rows, BatchedRows):
            raise ValueError(
                f"{caller} needs {name} in memory, and these rows come in batches: "
                f"give it a sample of them, such as {name}, y = next(iter(rows)). "
                "evaluate_perturbations and evaluate_attack take all batches."
            )


def _check_models(models, caller):
    fine = isinstance(models, dict) and all(isinstance(name, str) for name in models)
    if not fine or not models:
        cure = "Write {'name': model}." if hasattr(models, "predict") else ""
        rule = "a non-empty dict of names to fitted estimators"
        raise invalid("models", caller, rule, models, cure)
