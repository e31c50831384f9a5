"""From fitted models to the plain data of a report."""

import time
from datetime import UTC, datetime

import numpy as np

from skrobust._containers import is_frame
from skrobust._validation import check_count, check_same_length, check_targets, invalid
from skrobust.report import _facts, _sections
from skrobust.report._log import Log

_OWNER = "collect_report"


def collect_report(
    models,
    X,
    y,
    *,
    X_train=None,
    image_shape=None,
    channel_axis=None,
    data_range=None,
    eps=None,
    norm=np.inf,
    n_samples=None,
    class_counts=None,
    n_labels=100,
    random_state=0,
    n_jobs=None,
    verbose=0,
    title=None,
    call=None,
    dataset=None,
    skipped=None,
    progress=None,
):
    """Measure everything that a report shows.

    A section that a model or the data do not allow is left out with its reason; the
    others go on.

    Parameters
    ----------
    models : dict of str to fitted estimator
        Classifiers or regressors, used as they are.
    X : array-like or data frame of shape (n_samples, ...)
        Rows to score: raw input of the whole pipelines, not seen in training.
    y : array-like of shape (n_samples,)
        True labels or values.
    X_train : array-like or data frame, default=None
        The training rows: they count into the size of the data set, are compared with
        ``X``, and give the range of the pixels where ``data_range`` does not.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Where the channels are, if the shape leaves it open.
    data_range : (low, high), default=None
        Bounds of the raw input.
    eps : float, default=None
        Radius of the attacks, in the units of the raw input; None: no attacks.
    norm : {inf, 2}, default=inf
        Norm of the attacks.
    n_samples : int, default=None
        Size of the whole data set, for the normalized score; None: the rows of ``X``
        and of ``X_train``.
    class_counts : array-like or mapping, default=None
        Class sizes of the whole data set, for the normalized score; None: those of
        ``y``.
    n_labels : int, default=100
        Labels to spend in the rehearsal of operational testing.
    random_state : int, RandomState, Generator or None, default=0
        Seed of everything that is drawn.
    n_jobs : int, default=None
        Conditions scored at a time.
    verbose : int, default=0
        From 1 on, a progress bar.
    title : str, default=None
        Heading of the report.
    call : str, default=None
        What reproduces the report.
    dataset : str, default=None
        Name of the data.
    skipped : dict of str to str, default=None
        Models that could not be had, and why.
    progress : callable, default=None
        Called with one line of text before each section.

    Returns
    -------
    collected : dict
        ``title``, ``created``, ``seconds``, ``call``, ``settings``, ``columns``,
        ``classes``, ``models`` (one dict each, with ``clean``, ``normalized``,
        ``stability``, ``attacks`` and ``labelling``, or None), ``skipped``,
        ``warnings`` and ``versions``.

    Raises
    ------
    ValueError
        For input that no section can use, and for a model that cannot predict it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrobust.report import collect_report
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier().fit(X[::2], y[::2])
    >>> collected = collect_report({"neighbours": model}, X[1::2], y[1::2])
    >>> collected["models"][0]["clean"]["n_rows"]
    75
    >>> [row["section"] for row in collected["skipped"]]
    ['stability', 'attacks']
    """
    started = time.perf_counter()
    _check_models(models)
    kinds = {name: _facts.kind_of(name, model) for name, model in models.items()}
    if not is_frame(X) and not hasattr(X, "shape"):
        X = np.asarray(X)
    y = np.asarray(check_targets(y, _OWNER))
    check_same_length(_OWNER, X=range(_facts.shape_of(X)[0]), y=y)
    shape = _facts.shape_of(X)
    if len(shape) < 2:
        raise invalid("X", _OWNER, "of shape (n_samples, ...)", tuple(shape))
    check_count(n_labels, "n_labels", _OWNER)
    n_train = 0 if X_train is None else _facts.shape_of(X_train)[0]
    if n_samples is not None:
        check_count(n_samples, "n_samples", _OWNER)
    settings = {
        "dataset": dataset,
        "n_rows": len(y),
        "n_train": n_train or None,
        "n_samples": len(y) + n_train if n_samples is None else n_samples,
        "n_samples_given": n_samples is not None,
        "n_features": int(np.prod(shape[1:])),
        "class_counts": class_counts,
        "image_shape": image_shape,
        "channel_axis": channel_axis,
        "sides": _facts.image_sides(X, image_shape, channel_axis),
        "data_range": data_range,
        "eps": eps,
        "norm": norm,
        "n_labels": n_labels,
        "random_state": random_state,
    }
    log = Log(progress)
    for name, reason in (skipped or {}).items():
        log.skip(name, "the whole model", reason)
    collected = {
        "title": title or "Robustness report",
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "call": call,
        "settings": settings,
        "columns": _facts.column_names(X),
        "classes": _facts.class_counts(y) if "classifier" in kinds.values() else None,
        "n_shared_rows": None,
    }
    if X_train is not None:
        collected["n_shared_rows"] = log.run(
            "data", "rows seen in training", _facts.shared_rows, X, X_train
        )
    work = {"X_train": X_train, "n_jobs": n_jobs, "verbose": verbose}
    collected["models"] = [
        _one_model(name, model, kinds[name], X, y, settings, work, log)
        for name, model in models.items()
    ]
    collected["skipped"], collected["warnings"] = log.skipped, log.warnings
    collected["versions"] = _facts.versions()
    collected["seconds"] = time.perf_counter() - started
    return collected


def _check_models(models):
    fine = isinstance(models, dict) and all(isinstance(name, str) for name in models)
    if not fine or not models:
        cure = "Write {'name': model}." if hasattr(models, "predict") else ""
        rule = "a non-empty dict of names to fitted estimators"
        raise invalid("models", _OWNER, rule, models, cure)


def _one_model(name, model, kind, X, y, settings, work, log):
    if kind == "classifier" and y.dtype.kind == "f" and (y != np.round(y)).any():
        raise ValueError(f"{_OWNER} needs labels in y for {name!r}; it holds numbers.")
    clean = log.run(
        name, "clean score", _sections.clean_score, model, X, y, kind, required=True
    )
    predicted = clean.pop("predicted")
    given = settings["n_samples_given"] or settings["n_train"]
    known_size = settings["n_samples"] if given else None  # None: the score warns
    found = {
        "name": name,
        "estimator": " ".join(repr(model).split()),
        "kind": kind,
        "clean": clean,
        "n_unknown": 0 if kind == "regressor" else _n_unknown(model, y),
        "normalized": log.run(
            name,
            "normalized score",
            _sections.normalized_score,
            y,
            predicted,
            kind,
            n_samples=known_size,
            n_features=settings["n_features"],
            class_counts=settings["class_counts"],
        ),
        "stability": None,
        "attacks": {},
        "labelling": {},
    }
    if kind == "regressor":
        log.skip(
            name,
            "stability, attacks and operational testing",
            "They count right and wrong labels, and a regressor gives none.",
        )
        return found
    found["stability"] = _stability(name, model, X, y, settings, work, log)
    found["attacks"] = _attacks(name, model, X, y, settings, log)
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


def _stability(name, model, X, y, settings, work, log):
    if settings["sides"] is None:
        log.skip(
            name,
            "stability",
            "The rows are no images, or image_shape was not given: the two-factor grid "
            "is noise and rotation of images.",
        )
        return None
    return log.run(
        name, "stability", _sections.stability, model, X, y, settings, **work
    )


def _attacks(name, model, X, y, settings, log):
    if settings["eps"] is None:
        reason = "eps was not given: the size of the attack in units of the raw input."
        log.skip(name, "attacks", reason)
        return {}
    options = {k: settings[k] for k in ("eps", "norm", "data_range", "random_state")}
    found = {}
    for attack in _sections.ATTACKS:
        results = log.run(
            name, attack, _sections.attack, model, X, y, attack, **options
        )
        found[attack] = results
        if results is not None and "skipped" in results:
            log.skip(name, f"{attack}, robust ratio", results["skipped"])
    return found


def _n_unknown(model, y):
    classes = getattr(model, "classes_", None)
    if classes is None:
        return 0
    known = set(np.asarray(classes).tolist())
    return sum(label not in known for label in y.tolist())
