"""Score of one condition: the part that runs in a worker and is kept on disk."""

from collections import Counter
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.metrics import get_scorer_names as scikit_learn_names

from skrobust._responses import (
    is_net,
    predict_labels,
    predicts_classes,
    refuse_unwrapped,
    score_guarded,
    unwrap,
)
from skrobust._validation import invalid
from skrobust.evaluation.conditions.refused_rows import answers, refused_score
from skrobust.evaluation.conditions.untouched import change_fields
from skrobust.evaluation.core.acted import part_of
from skrobust.evaluation.core.condition_table import perturb_rows
from skrobust.metrics.callable_metrics import is_function_of_answers
from skrobust.metrics.labels import label_pair
from skrobust.metrics.registry import find_metric, metric_names
from skrobust.metrics.scorers.classes import answers_for, signed_value

_ACCURACIES = ("accuracy", "robust_accuracy")  # equal under one condition
_NETS = {"NeuralNetClassifier", "NeuralNetBinaryClassifier"}


def answers_classes(estimator):
    """Return whether a model is a classifier, nets of skorch included."""
    model = unwrap(estimator)[1]
    kinds = {c.__name__ for c in type(model).__mro__} if is_net(model) else set()
    return predicts_classes(estimator) or bool(kinds & _NETS)


def score_answers(spec, estimator, X, y):
    """Return a registered metric of rows that a condition has already changed.

    Parameters
    ----------
    spec : MetricSpec
        The metric.
    estimator, X, y
        As for a scorer.

    Returns
    -------
    float
        Greater is better.
    """
    return signed_value(spec, y, answers_for(spec, estimator, X))


def find_scorer(estimator, scoring, caller):
    """Return None for accuracy, whose correctness is kept, and otherwise a scorer.

    Names of scikit-learn come before those of the registered metrics.
    """
    refuse_unwrapped(estimator, caller)
    spec = find_metric(scoring)
    if scoring is None and answers_classes(estimator):
        return None
    if spec is not None and spec.name in _ACCURACIES:
        return None
    if spec is None or scoring in scikit_learn_names():
        _check_scoring_name(scoring, caller)
        return check_scoring(estimator, scoring=scoring)
    if "outcomes" in spec.needs:
        raise ValueError(
            f"{caller} scores the rows of one condition at a time, and {spec.name!r} "
            "is a metric of all of them; take it of the results."
        )
    missing = sorted(spec.needs & {"clean", "tolerance", "conditions"})
    if missing:
        raise ValueError(
            f"{caller} scores the rows of one condition at a time, and {spec.name!r} "
            f"needs {' and '.join(missing)}. Pass a scorer made by "
            "skrobust.metrics.get_scorer instead."
        )
    return partial(score_answers, spec) if spec.scorer is None else spec.scorer()


def _check_scoring_name(scoring, caller):
    """Raise for anything but a callable, None or a name of scikit-learn."""
    names = scikit_learn_names()
    if callable(scoring) and is_function_of_answers(scoring):
        cure = (
            "Wrap it: sklearn.metrics.make_scorer(function, greater_is_better=..., "
            "response_method=...)."
        )
        rule = "a scorer of (estimator, X, y), not a function of (y_true, y_pred)"
        raise invalid("scoring", caller, rule, scoring, cure)
    if scoring is None or callable(scoring) or scoring in names:
        return
    cure = ""
    if isinstance(scoring, str):
        for near in get_close_matches(scoring, [*names, *metric_names()], n=1):
            cure = f"Did you mean {near!r}?"
    rule = "None, a callable, or the name of a scorer of scikit-learn or skrobust"
    raise invalid("scoring", caller, rule, scoring, cure)


@contextmanager
def answers_named(scorer, estimator, caller):
    """Say which answers a scorer asks for that a model does not give."""
    try:
        yield
    except AttributeError as error:
        asked = [m for m in ("predict_proba", "decision_function") if m in str(error)]
        if not asked or any(hasattr(estimator, method) for method in asked):
            raise
        raise ValueError(
            f"{caller} scores with {scorer!r}, which asks for {' or '.join(asked)}; "
            f"{type(unwrap(estimator)[1]).__name__} has none. Take another scoring, or "
            "CalibratedClassifierCV around the model."
        ) from error


def clean_part(estimator, X, y, scorer, caller):
    """Return the score on clean rows and, for accuracy, the predictions."""
    if scorer is not None:
        with answers_named(scorer, estimator, caller):
            return score_guarded(scorer, estimator, X, y), None
    predicted = predict_labels(estimator, X)
    y, labels = label_pair(y, predicted, caller)
    return float((labels == y).mean()), predicted


def condition_part(estimator, condition, X, y, scorer, clean, units, caller):
    """Return the score or, for accuracy, which predictions are correct and flipped.

    Parameters
    ----------
    estimator : fitted estimator
        The model.
    condition : object with ``perturb``
        The condition.
    X, y : array-like
        Rows and their labels or targets.
    scorer : callable or None
        None is accuracy.
    clean : ndarray of shape (n_samples,) or None
        Predictions for the clean rows.
    units : ColumnUnits or None
        Units in which changes of a table are told.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    ndarray of shape (), structured
        ``score``, or for accuracy ``correct`` and ``flipped`` of each sample; and what
        the condition did to the rows, as :func:`part_of` and :func:`change_fields` have
        it.
    """
    rows = perturb_rows(condition, estimator, X, y, caller)
    change = change_fields(X, rows, units)
    if scorer is not None:
        try:
            score = np.float64(score_guarded(scorer, estimator, rows, y))
        except ValueError as error:
            if units is None:
                raise
            raise refused_score(str(condition), error, caller) from error
        return part_of(X, rows, score=score, **change)
    predicted, refused, words = answers(estimator, X, rows, clean, bool(change))
    y, labels = label_pair(y, predicted, caller)
    if change:
        change |= {"refused": refused.mean(), "words": np.array(words, dtype="U160")}
    correct, flipped = (labels == y) & ~refused, (predicted != clean) | refused
    return part_of(X, rows, correct=correct, flipped=flipped, **change)


class PartKeys:
    """Keys of parts in a checkpoint, numbered where parts are equal."""

    def __init__(self, store):
        self.store = store
        self.seen = Counter()

    def prefix(self, estimator, X, y, scorer, *more):
        """Return the prefix of the keys of one model on the same rows.

        ``more`` is what else the parts depend on, such as the units of columns.
        """
        kind = "right and flipped" if scorer is None else scorer
        return self.store.prefix(estimator, X, y, kind, "refused rows", *more)

    def key(self, prefix, condition):
        """Return the key of one condition."""
        key = self.store.key(prefix, condition)
        self.seen[key] += 1
        n = self.seen[key] - 1
        return f"{key}-{n}" if n else key
