"""The measurements of a report, one function each."""

import numpy as np
from sklearn.metrics import mean_absolute_error, r2_score

from skrobust._responses import predict_labels
from skrobust.attacks import FGSM, PGD
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.metrics import (
    confidence_interval,
    normalized_score_parts,
    proportion_interval,
)
from skrobust.perturbations import two_factor_grid
from skrobust.sampling import DeepESTSampler, SimpleRandomSampler

ATTACKS = {"FGSM": FGSM, "PGD": PGD}
SAMPLERS = {"simple random": SimpleRandomSampler, "DeepEST": DeepESTSampler}
PHOTOGRAPH = 32  # pixels a side; the levels of the grid were set for no less


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
        What the model is.

    Returns
    -------
    dict
        ``metric``, ``value``, ``interval`` (None for a regressor), ``constant_model``
        (the score of the best constant answer), ``n_rows``, and ``predicted``.
    """
    predicted = predict_labels(model, X)
    n = len(y)
    if kind == "regressor":
        return {
            "metric": "R2",
            "value": float(r2_score(y, predicted)) if n > 1 else float("nan"),
            "interval": None,
            "constant_model": 0.0,
            "mean_absolute_error": float(mean_absolute_error(y, predicted)),
            "n_rows": n,
            "predicted": predicted,
        }
    n_right = int((predicted == y).sum())
    _, counts = np.unique(y, return_counts=True)
    return {
        "metric": "accuracy",
        "value": n_right / n,
        "interval": proportion_interval(n_right, n),
        "constant_model": float(counts.max() / n),
        "n_rows": n,
        "n_right": n_right,
        "predicted": predicted,
    }


def normalized_score(y, predicted, kind, *, n_samples, n_features, class_counts):
    """Return the normalized score of given predictions with each of its factors."""
    settings = {"n_samples": n_samples, "n_features": n_features}
    if kind == "regressor":
        return normalized_score_parts(y, predicted, task="regression", **settings)
    settings["class_counts"] = class_counts
    return normalized_score_parts(y, predicted, task="classification", **settings)


def stability(model, X, y, images, *, X_train, n_jobs, verbose):
    """Score a classifier under the 69 conditions of the two-factor grid.

    Parameters
    ----------
    model : fitted classifier
        The model.
    X : array-like or data frame of shape (n_samples, ...)
        Images, or flat rows.
    y : ndarray of shape (n_samples,)
        True labels.
    images : dict
        ``image_shape``, ``channel_axis``, ``data_range``, ``random_state`` and the
        ``sides`` (height, width) in pixels.
    X_train : array-like or None
        Where no data range is given, the range of the pixels is learned here.
    n_jobs, verbose : int or None
        As in :func:`~skrobust.evaluation.evaluate_perturbations`.

    Returns
    -------
    Results
        Those of :func:`~skrobust.evaluation.evaluate_perturbations`, with ``interval``
        and ``corrected`` (the index without what sampling noise adds to the spread),
        ``worst`` (number, name, score, interval), ``clean`` and ``smoke_figure``.
    """
    sides, data_range = images["sides"], images["data_range"]
    grid = two_factor_grid(
        "asi68",
        image_shape=images["image_shape"],
        channel_axis=images["channel_axis"],
        data_range="auto" if data_range is None else data_range,
        random_state=images["random_state"],
    )
    if data_range is None and X_train is not None:
        grid = [condition.fit(X_train) for condition in grid]
    results = evaluate_perturbations(model, X, y, grid, n_jobs=n_jobs, verbose=verbose)
    interval = confidence_interval("accuracy_stability_index", results.correct)
    results["interval"] = (interval.low, interval.high)
    results["corrected"] = interval.value
    worst = int(np.argmin(results.score))
    n, score = results.n_samples, float(results.score[worst])
    results["worst"] = {
        "number": int(results.number[worst]),
        "name": str(results.name[worst]),
        "score": score,
        "interval": proportion_interval(round(score * n), n),
    }
    results["clean"] = float(results.score[0])
    results["sides"] = sides
    results["smoke_figure"] = min(sides) < PHOTOGRAPH
    return results


def attack(model, X, y, name, *, eps, norm, data_range, random_state):
    """Attack a classifier and return robust accuracy and robust ratio."""
    settings = {"norm": norm, "data_range": data_range, "random_state": random_state}
    return evaluate_attack(model, X, y, ATTACKS[name](eps, **settings))


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
