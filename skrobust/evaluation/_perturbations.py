"""Fit once, score every condition once."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring

from skrobust._parallel import run_tasks
from skrobust._responses import is_net, predict_labels, unwrap
from skrobust._results import Results
from skrobust._validation import check_same_length, check_targets, invalid
from skrobust.evaluation._checkpoint import Checkpoint
from skrobust.metrics import accuracy_stability_index, coefficient_of_variation
from skrobust.metrics._labels import label_pair


def _correctness(estimator, condition, X, y):
    predicted = predict_labels(estimator, condition.perturb(estimator, X, y))
    y, predicted = label_pair(y, predicted, "evaluate_perturbations")
    return predicted == y


def _score(estimator, condition, X, y, scorer):
    return float(scorer(estimator, condition.perturb(estimator, X, y), y))


def evaluate_perturbations(
    estimator,
    X,
    y,
    conditions,
    *,
    scoring=None,
    n_jobs=None,
    verbose=0,
    checkpoint=None,
):
    """Score a fitted model under every condition, once each.

    Parameters
    ----------
    estimator : fitted estimator
        The model; it is not refitted.
    X : array-like or data frame of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed.
    y : array-like of shape (n_samples,)
        True labels or targets.
    conditions : list of objects with ``perturb(estimator, X, y)``
        For example ``two_factor_grid("asi68", image_shape=(8, 8))``. A condition that
        learns scales must be fitted on training data.
    scoring : str, callable or None, default=None
        As in scikit-learn; None is accuracy for classifiers, and then the correctness
        of every sample under every condition is kept.
    n_jobs : int, default=None
        Conditions scored at a time; the result does not depend on it.
    verbose : int, default=0
        From 1 on, a progress bar.
    checkpoint : str or path, default=None
        Folder in which finished conditions are kept. A run that was killed goes on
        from there when it is called again with the same model, rows and conditions.

    Returns
    -------
    results : Results
        Columns ``number``, ``name`` and ``score``; ``mean``,
        ``coefficient_of_variation`` and ``accuracy_stability_index`` over the
        conditions (nan where a score is negative); ``n_samples``; for accuracy
        ``correct``, a boolean array of shape (n_samples, n_conditions).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.svm import SVC
    >>> from skrobust.evaluation import evaluate_perturbations
    >>> from skrobust.perturbations import two_factor_grid
    >>> X, y = load_digits(return_X_y=True)
    >>> model = SVC().fit(X[:1000], y[:1000])
    >>> grid = two_factor_grid(
    ...     "asi68", image_shape=(8, 8), data_range=(0, 16), random_state=0)
    >>> results = evaluate_perturbations(model, X[1000:], y[1000:], grid)
    >>> results.score.shape, bool(results.score[0] == results.score.max())
    ((69,), True)
    """
    owner = "evaluate_perturbations"
    listed = isinstance(conditions, Iterable) and not isinstance(conditions, str)
    conditions = list(conditions) if listed else [conditions]
    if not conditions or any(
        isinstance(c, type) or not hasattr(c, "perturb") for c in conditions
    ):
        rule = "a non-empty list of objects with perturb(estimator, X, y)"
        raise invalid("conditions", owner, rule, conditions)
    y = check_targets(y, owner)
    check_same_length(owner, X=X, y=y)
    correct = None
    model = unwrap(estimator)[1]
    kinds = {c.__name__ for c in type(model).__mro__} if is_net(model) else set()
    nets = {"NeuralNetClassifier", "NeuralNetBinaryClassifier"}
    is_class = is_classifier(estimator) or bool(kinds & nets)
    store = Checkpoint(checkpoint, owner)
    as_accuracy = scoring == "accuracy" or (scoring is None and is_class)
    if as_accuracy:
        function, extra = _correctness, ()
    else:
        function, extra = _score, (check_scoring(estimator, scoring=scoring),)
    prefix = store.prefix(estimator, X, y, "accuracy" if as_accuracy else extra)
    # Equal conditions are parts of their own, told apart by their number.
    keys = [store.key(prefix, c) for c in conditions]
    seen = Counter()
    tasks = []
    for key, condition in zip(keys, conditions, strict=True):
        part = f"{key}-{seen[key]}" if seen[key] else key
        seen[key] += 1
        tasks.append((part, function, estimator, condition, X, y, *extra))
    parts = run_tasks(
        store.run, tasks, n_jobs=n_jobs, verbose=verbose, label="conditions"
    )
    if as_accuracy:
        correct = np.column_stack(parts)
        scores = correct.mean(axis=0)
    else:
        scores = np.array(parts, dtype=np.float64)
    names = [getattr(c, "name", None) or str(c) for c in conditions]
    numbers = [getattr(c, "number", None) or i for i, c in enumerate(conditions, 1)]
    bounded = scores.min() >= 0 and scores.max() <= 1
    results = Results(
        columns=("number", "name", "score"),
        number=np.array(numbers),
        name=np.array(names),
        score=scores,
        mean=float(scores.mean()),
        coefficient_of_variation=(
            coefficient_of_variation(scores) if bounded else float("nan")
        ),
        accuracy_stability_index=(
            accuracy_stability_index(scores) if bounded else float("nan")
        ),
        n_samples=len(y),
    )
    if correct is not None:
        results["correct"] = correct
    return results
