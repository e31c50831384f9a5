"""Measurements of a report, one function each."""

import inspect

import numpy as np

from skrobust._guarded_rows import perturb_guarded
from skrobust._keyed_noise.generator import seed_number
from skrobust._responses import predict_labels
from skrobust.base.spread import with_number
from skrobust.evaluation import evaluate_perturbations
from skrobust.evaluation.attacked.regression_attack import regression_scores
from skrobust.metrics import (
    confidence_interval,
    normalized_score_parts,
    proportion_interval,
)
from skrobust.metrics.registry import get_metric
from skrobust.report.core.number_text import compact
from skrobust.report.core.preset_conditions import with_scales
from skrobust.report.core.public_classes import build_attack
from skrobust.report.core.summary_cells import interval_ends
from skrobust.report.measured.condition_words import condition_words
from skrobust.sampling import DeepESTSampler, SimpleRandomSampler

SAMPLERS = {"simple random": SimpleRandomSampler, "DeepEST": DeepESTSampler}
PHOTOGRAPH = 32  # pixels per side; the levels of the grid were set for larger images


def clean_score(model, X, y, kind):
    """Return the plain score of a fitted model on the rows as they are.

    Parameters
    ----------
    model : fitted estimator
        The model.
    X : array-like or data frame of shape (n_samples, ...)
        Rows.
    y : ndarray of shape (n_samples,)
        True labels or values.
    kind : {"classifier", "regressor"}
        Kind of the model.

    Returns
    -------
    dict
        ``metric``, ``value``, ``interval``, ``constant_model`` (the score of the best
        constant answer), ``n_rows``, and ``predicted``; of a regressor also
        ``mean_absolute_error`` with its interval.
    """
    predicted = predict_labels(model, X)
    n = len(y)
    found = {"n_rows": n, "predicted": predicted}
    if kind == "regressor":
        scores = regression_scores("clean", y, np.asarray(predicted, dtype=float))
        error = "mean_absolute_error"
        return found | {
            "metric": "R2",
            "value": scores["clean_r2"],
            "interval": scores["clean_r2_interval"],
            "constant_model": 0.0,
            error: scores[f"clean_{error}"],
            f"{error}_interval": scores[f"clean_{error}_interval"],
        }
    n_right = int((predicted == y).sum())
    _, counts = np.unique(y, return_counts=True)
    return found | {
        "metric": "accuracy",
        "value": n_right / n,
        "interval": proportion_interval(n_right, n),
        "constant_model": float(counts.max() / n),
        "n_right": n_right,
    }


def normalized_score(y, predicted, kind, *, class_counts, **size):
    """Return the normalized score of given predictions with each of its factors."""
    if kind == "classifier":
        size |= {"class_counts": class_counts}
    task = {"classifier": "classification", "regressor": "regression"}[kind]
    return normalized_score_parts(y, predicted, task=task, **size)


def metric_value(y, predicted, kind, name, *, random_state):
    """Return a registered metric of given predictions with its interval."""
    spec = get_metric(name)
    if (spec.task == "regression") != (kind == "regressor"):
        raise ValueError(f"This metric is for {spec.task}; the model is a {kind}.")
    seed = seed_number(random_state, "collect_report")
    found = confidence_interval(name, y, predicted, random_state=seed)
    ends, note = interval_ends(found)
    value = found.value if found.plug_in is None else found.plug_in
    return {
        "title": spec.title.capitalize(),
        "value": float(value),
        "interval": ends,
        "interval_note": note,
        "method": found.method,
        "n_units": found.n_units,
    }


def stability(model, X, y, settings, *, conditions, X_train, **jobs):
    """Score a model under every condition.

    Parameters
    ----------
    model : fitted estimator
        The model.
    X : array-like or data frame of shape (n_samples, ...)
        Rows.
    y : ndarray of shape (n_samples,)
        True labels or values.
    settings : dict
        As in :func:`make_conditions`, with the ``sides`` (height, width) in pixels of
        images.
    conditions : list, str or None
        Conditions as given by the user.
    X_train : array-like or None
        Training rows: the source of the pixel range, where none is given, and of the
        scales of tables.
    **jobs : object
        ``n_jobs``, ``verbose``, ``checkpoint`` and ``record``, as in
        :func:`~skrobust.evaluation.evaluate_perturbations`.

    Returns
    -------
    Results
        Those of :func:`~skrobust.evaluation.evaluate_perturbations`, with ``preset``,
        ``interval``, ``interval_note`` and ``corrected`` (the index without what
        sampling noise adds to the spread, its ends, and why one is None),
        ``variation_corrected`` (the coefficient of variation without it), the intervals
        of mean, variation and area as pairs or None, ``worst``
        (number, name, score; interval and estimate, corrected for its selection, of a
        regressor not corrected), ``words`` for each condition, ``clean`` and
        ``smoke_figure``.
    """
    preset, sides = settings["conditions"], settings["sides"]
    conditions, X_ref = with_scales(conditions, settings, X_train)
    results = evaluate_perturbations(model, X, y, conditions, X_ref=X_ref, **jobs)
    results["preset"] = preset
    results["interval"] = results["interval_note"] = results["corrected"] = None
    if any(failed_conditions(results)):  # the worst may be one of these
        results["worst"] = _unknown_worst(results)
        return _with_facts(results, preset, sides)
    worst = int(np.argmin(results.score))
    score = float(results.score[worst])
    bounds = corrected = None
    if "correct" in results:
        interval = results.pop("accuracy_stability_index_interval")
        if interval is not None:  # as for a single condition
            results["interval"], results["interval_note"] = interval_ends(interval)
            results["corrected"] = interval.value
        lowest = results.pop("worst_interval")
        if lowest is not None:
            bounds, corrected = tuple(lowest), lowest.value
        variation = results.get("coefficient_of_variation_interval")
        if variation is not None:
            results["variation_corrected"] = variation.value
        for name in ("mean", "coefficient_of_variation", "area_under_severity_curve"):
            key = f"{name}_interval"
            if key in results:
                results[key] = interval_ends(results[key])[0]
    else:
        moved = perturb_guarded(results["perturbations"][worst], model, X, y)
        moved = predict_labels(model, moved)
        bounds = regression_scores("worst", y, moved)["worst_r2_interval"]
    results["worst"] = {
        "number": int(results.number[worst]),
        "name": str(results.name[worst]),
        "score": score,
        "interval": bounds,
        "corrected": corrected,
    }
    return _with_facts(results, preset, sides)


def failed_conditions(results):
    """Return the names of conditions that failed, with the reasons."""
    reasons = (results or {}).get("failed", [])
    names = (results or {}).get("name", [])
    return [(str(n), str(r)) for n, r in zip(names, reasons, strict=False) if r]


def _unknown_worst(results):
    """Return what is said of the worst condition where some failed."""
    for name in ("accuracy_stability_index_interval", "worst_interval"):
        results.pop(name, None)
    n, failed = len(results["name"]), len(failed_conditions(results))
    return {
        "number": 0,
        "name": f"not known: {failed} of {n} conditions failed",
        "score": float("nan"),
        "interval": None,
        "corrected": None,
    }


def _with_facts(results, preset, sides):
    """Add the words of the conditions and what a report says beside the scores."""
    effects = results.get("effect", [""] * len(results.score))
    pairs = zip(results["perturbations"], effects, strict=True)
    results["words"] = [condition_words(one) or str(done) for one, done in pairs]
    results["clean"] = float(results.clean_score)
    results["sides"] = sides
    small = sides is not None and min(sides) < PHOTOGRAPH
    results["smoke_figure"] = small and preset == "asi68"
    return results


def make_attacks(attacks, settings, X_ref):
    """Return attacks by their names, or None where classes lack a radius.

    The spread of X_ref is the unit of a radius such as ``"0.1 std"``.
    """
    if settings["eps"] is None and any(inspect.isclass(a) for a in attacks.values()):
        return None
    options = {k: settings[k] for k in ("norm", "data_range", "random_state")}
    sizes, made = settings["eps"], {}
    sizes = sizes if isinstance(sizes, list) else [sizes]
    for name, one in attacks.items():
        if inspect.isclass(one):
            for eps in sizes:
                label = attack_label(name, eps, len(sizes))
                made[label] = build_attack(one, eps, options)
        else:
            made[name] = one
    return {name: with_number(one, X_ref) for name, one in made.items()}


def attack_label(name, eps, n_sizes):
    """Return the name of an attack in a report; of several radii it names one."""
    return name if n_sizes == 1 else f"{name}, eps {compact(eps)}"


def labelling(model, X, y, name, *, n_labels, true_accuracy, random_state):
    """Spend a budget of labels as if ``y`` were unknown, and compare with the truth.

    Parameters
    ----------
    model : fitted classifier
        The model.
    X : array-like or data frame of shape (n_samples, ...)
        The pool.
    y : ndarray of shape (n_samples,)
        The labels; only those of rows that the sampler asks for are shown to it.
    name : str
        Key of ``SAMPLERS``.
    n_labels : int
        Budget; at most the pool.
    true_accuracy : float
        Over the whole pool.
    random_state : int, RandomState, Generator or None
        Seed of the draws.

    Returns
    -------
    dict
        The fields of the sampling result, ``sampler``, ``true_accuracy`` and
        ``covered``: whether the interval holds the truth.
    """
    sampler = SAMPLERS[name](model, random_state=random_state).fit(X)
    ids = sampler.ask(min(n_labels, len(y)))
    result = sampler.tell(ids, y[ids]).result()
    low, high = (float(end) for end in result.interval)
    return {
        "sampler": name,
        "accuracy": float(result.accuracy),
        "interval": (low, high),
        "std_error": float(result.std_error),
        "n_labels": int(result.n_labels),
        "n_failures": int(result.n_failures),
        "failures": np.asarray(result.failures),
        "true_accuracy": true_accuracy,
        "covered": bool(low - 1e-12 <= true_accuracy <= high + 1e-12),
        "warnings": list(result.warnings),
    }
