"""The ``score`` of a model as a scorer of its answers alone."""

from sklearn.base import RegressorMixin
from sklearn.metrics import get_scorer

# Where models of scikit-learn have the model whose score is theirs.
_INNER = {
    "FrozenEstimator": "estimator",
    "RANSACRegressor": "estimator_",
    "RFE": "estimator_",
    "RFECV": "estimator_",
}


def scorer_of_answers(scorer, estimator):
    """Return a scorer of labels and answers that gives what another one gives.

    The ``score`` of a pipeline or a search hands rows to the steps inside, and in the
    end it is R2 of what the whole predicts.

    Parameters
    ----------
    scorer : callable
        A scorer, of which one calls ``estimator.score``.
    estimator : fitted estimator
        The model.

    Returns
    -------
    callable
        The scorer itself where it is another one, or the ``score`` is not known to be a
        function of the answers.
    """
    inner, found = estimator, scorer
    while _calls_score(found):
        if getattr(type(inner), "score", None) is RegressorMixin.score:
            return get_scorer("r2")
        if hasattr(inner, "best_estimator_") and hasattr(inner, "scorer_"):
            found, inner = _scorer_of_search(inner), inner.best_estimator_
        elif hasattr(inner, "steps") and hasattr(inner, "named_steps"):
            inner = inner.steps[-1][1]
        elif type(inner).__name__ in _INNER:
            inner = getattr(inner, _INNER[type(inner).__name__])
        else:
            return scorer
    return found


def _scorer_of_search(search):
    found = search.scorer_
    return found[search.refit] if isinstance(found, dict) else found


def _calls_score(scorer):
    # What sklearn.metrics.check_scoring makes of None; the class is not public.
    return type(scorer).__name__ == "_PassthroughScorer"
