"""Robust accuracy and robust ratio of one model under one attack."""

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.base import clone

from skrobust._responses import predict_probabilities, refuse_regressor
from skrobust._results import Results
from skrobust._validation import check_same_length, check_targets, invalid
from skrobust.base._attack import own_params
from skrobust.evaluation._attack_run import attack_table, per_sample, right_labels
from skrobust.evaluation._checkpoint import Checkpoint
from skrobust.evaluation._honest import check_evaluation
from skrobust.metrics import proportion_interval, robust_ratio_curve
from skrobust.metrics._objective import at_full_strength, column_labels

_MODES = ("loss", "probability_shift")


def _tempered(p, temperature):
    with np.errstate(divide="ignore"):
        z = np.log(p) / temperature
    z -= z.max(axis=-1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


def fit_temperature(y_prob, y_index):
    """Return the temperature that makes probabilities most likely given the labels.

    Parameters
    ----------
    y_prob : ndarray of shape (n_samples, n_classes)
        Class probabilities.
    y_index : ndarray of shape (n_samples,)
        Columns of the true classes.

    Returns
    -------
    float
        Between 1/20 and 20; above 1 the model was overconfident.
    """
    rows = np.arange(len(y_index))
    safe = np.clip(y_prob, 1e-12, 1)

    def loss(log_t):
        p = _tempered(safe, np.exp(log_t))[rows, y_index]
        return -np.log(np.clip(p, 1e-12, 1)).mean()

    edge = np.log(20)
    return float(
        np.exp(minimize_scalar(loss, bounds=(-edge, edge), method="bounded").x)
    )


def _probabilities(estimator, attack, X, y):
    perturbed = attack.perturb(estimator, X, y)
    return predict_probabilities(estimator, perturbed, "evaluate_attack")


def evaluate_attack(
    estimator,
    X,
    y,
    attack,
    *,
    tolerances=None,
    reference="predicted",
    confidence=0.95,
    checkpoint=None,
    checks=False,
):
    """Measure robust accuracy, and the robust ratio over tolerances, under an attack.

    The attack runs once for robust accuracy (it may stop at success) and, where the
    model has ``predict_proba``, in full for each mode of the robust ratio. The modes
    are never mixed: ``"loss"`` is the published loss run in full,
    ``"probability_shift"`` drives the probability of the predicted class itself, both
    ways. An attack finds examples but proves no absence of others, so all of these are
    upper bounds of the true values.

    Parameters
    ----------
    estimator : fitted classifier
        The model; used as it is.
    X : array-like or data frame of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed.
    y : array-like of shape (n_samples,)
        True labels.
    attack : object with ``perturb(estimator, X, y)``
        An attack, a perturbation, or an object of your own.
    tolerances : array-like of floats in [0, 1], default=None
        Bounds on the change of probability; None is 0, .01, ..., .20.
    reference : {"predicted", "true", "max"}, default="predicted"
        Whose probability the robust ratio watches. The attack drives that of the
        predicted class; for another reference the ratio is a looser upper bound.
    confidence : float in (0, 1), default=0.95
        Of the Wilson intervals.
    checkpoint : str or path, default=None
        Folder in which finished runs of the attack are kept. A call that was killed
        goes on from there when it is made again.
    checks : bool, default=False
        Whether to add ``warnings``, the doubts of :func:`check_evaluation`. It attacks
        64 samples about seven times.

    Returns
    -------
    results : Results
        ``clean_accuracy`` and ``robust_accuracy`` with their intervals, ``n_samples``
        and ``confidence``; ``per_sample``, what the run for robust accuracy says
        of each sample (``success``, ``norm`` and the passes or queries that the attack
        counted), with ``to_frame``; ``constant_model_accuracy``, the robust accuracy of
        a model that always answers the largest class (its robust ratio is 1 at every
        tolerance). Where there are probabilities, ``modes`` and the columns
        ``tolerance`` and, for each mode, ``robust_ratio_<mode>``, its ``_low`` and
        ``_high``, and ``_tempered``: the same examples judged after temperature scaling
        on these labels (``temperature``), since the ratio depends on calibration.
        Otherwise ``skipped`` says why there is none.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import FGSM
    >>> from skrobust.evaluation import evaluate_attack
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> results = evaluate_attack(model, X, y, FGSM(0.05, data_range=(0, 1)))
    >>> bool(results.robust_accuracy < results.clean_accuracy)
    True
    >>> results.robust_ratio_probability_shift.shape
    (21,)
    """
    owner = "evaluate_attack"
    if not callable(getattr(attack, "perturb", None)):
        raise invalid(
            "attack", owner, "an object with perturb(estimator, X, y)", attack
        )
    y = check_targets(y, owner)
    check_same_length(owner, X=X, y=y)
    refuse_regressor(estimator, owner, "It needs a classifier.")
    n = len(y)
    params = own_params(attack)
    has_objective = "objective" in params
    objective = None if has_objective else getattr(attack, "objective", None)
    quick = attack
    if has_objective:  # robust accuracy always aims at the label
        quick = clone(attack).set_params(objective="misclassification")
    clean = right_labels(estimator, X, y)
    store = Checkpoint(checkpoint, owner)
    prefix = store.prefix(estimator, X, y)
    key = store.key(prefix, "right", quick)
    table = store.run(key, attack_table, estimator, quick, X, y)
    robust = table[0].astype(bool)
    if objective == "probability_shift":  # it turns wrong rows right as well
        robust &= clean
    _, counts = np.unique(y, return_counts=True)
    results = Results(
        columns=(),
        clean_accuracy=float(clean.mean()),
        clean_accuracy_interval=proportion_interval(
            int(clean.sum()), n, confidence=confidence
        ),
        robust_accuracy=float(robust.mean()),
        robust_accuracy_interval=proportion_interval(
            int(robust.sum()), n, confidence=confidence
        ),
        constant_model_accuracy=float(counts.max() / n),
        n_samples=n,
        confidence=float(confidence),
        attack=repr(attack),
        per_sample=per_sample(table),
    )
    if checks:
        results["warnings"] = check_evaluation(estimator, X, y, attack)
    if getattr(attack, "target", None) is not None:
        results["skipped"] = "robust ratio: the attack has a target"
        return results
    if not hasattr(estimator, "predict_proba"):
        results["skipped"] = "robust ratio: the model has no predict_proba"
        return results
    p = predict_probabilities(estimator, X, owner)
    labels = column_labels(estimator, p.shape[1])
    settings = {"tolerances": tolerances, "reference": reference, "labels": labels}
    if reference == "true":
        settings["y_true"] = y
    index = np.searchsorted(labels, y).clip(0, len(labels) - 1)
    known = np.asarray(labels)[index] == y
    temperature = fit_temperature(p[known], index[known]) if known.any() else 1.0
    results["temperature"] = temperature
    if has_objective and params["objective"] in (None, "misclassification"):
        free = clone(attack).set_params(objective=None)
        runs = [at_full_strength(free, mode) for mode in _MODES]
    else:
        runs = [at_full_strength(attack)]
    columns, modes = ["tolerance"], []
    for run, mode in runs:
        key = store.key(prefix, "probabilities", run)
        q = store.run(key, _probabilities, estimator, run, X, y)
        results["tolerance"], ratio = robust_ratio_curve(p, q, **settings)
        bounds = [
            proportion_interval(round(r * n), n, confidence=confidence) for r in ratio
        ]
        _, tempered = robust_ratio_curve(
            _tempered(p, temperature), _tempered(q, temperature), **settings
        )
        name = mode if mode in _MODES else "given"
        modes.append(name)
        for suffix, values in (
            ("", ratio),
            ("_low", np.array([low for low, _ in bounds])),
            ("_high", np.array([high for _, high in bounds])),
            ("_tempered", tempered),
        ):
            results[f"robust_ratio_{name}{suffix}"] = values
            columns.append(f"robust_ratio_{name}{suffix}")
        if name == "given":
            results["note"] = mode
    results["modes"], results["columns"] = tuple(modes), tuple(columns)
    return results
