"""Base class of black-box attacks: queries, labels, budgets."""

from abc import abstractmethod

import numpy as np

from skrobust._parallel import count
from skrobust._parameters import Choice, Count
from skrobust._responses import predicts_numbers, undisturbed
from skrobust._validation import invalid
from skrobust.attacks.core.goal import Goal
from skrobust.attacks.core.queries import RESPONSES, Queries
from skrobust.attacks.core.query_search import QuerySearch
from skrobust.attacks.core.targets import target_labels
from skrobust.base import BaseAttack

_SCORES = ("decision_function", "predict_proba", "predict")
_PROBABILITIES = ("predict_proba", "decision_function")
_BYTES_OF_CANDIDATES = 2**26


class BlackBoxAttack(BaseAttack):
    """Base class of attacks that query labels, probabilities or decision values.

    A subclass writes ``_search_rows(search)``: it asks ``search.ask(rows, candidates)``
    as often as it likes, for many candidates of many rows in one call of the model. The
    search puts candidates into the ball, the box and the constraints before they are
    judged, remembers the best of every row, counts, and lets rows that are done leave.
    Draws from ``search.rng`` belong to rows, whatever the batch.

    Of a regressor its prediction is driven up and down, and the candidate that moves it
    most is kept.

    Objectives, ``target``, ``response``, ``max_queries``, ``batch_size`` and
    ``constraints`` come with the base: a subclass without parameters of its own
    inherits ``__init__``, one that adds some takes the others as ``**shared``.

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball around each row, in units of the raw input.
    norm : {numpy.inf, 2, 1}, default=numpy.inf
        Norm in which ``eps`` is meant.
    data_range : (low, high) or None, default=None
        Bounds of the raw input, scalars or one per feature.
    objective : str or None, default=None
        What is to be achieved; None follows the metric that asks, and is
        ``"misclassification"`` otherwise.
    target : None, label or array-like of shape (n_samples,), default=None
        Label, or one label per sample, that the model is driven to predict.
    response : str, default="auto"
        What the model is asked for; see :class:`Square`.
    max_queries : int or None, default=None
        Most queries per sample.
    batch_size : int or None, default=None
        Samples attacked at a time.
    constraints : Constraints or None, default=None
        Frozen, integer and categorical features, and units of their own.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrobust.attacks import BlackBoxAttack
    >>> class Noise(BlackBoxAttack):
    ...     def _search_rows(self, search):
    ...         live = search.live()
    ...         shape = (len(live), 50, *search.x.shape[1:])
    ...         step = search.rng(0, live).uniform(-1, 1, size=shape)
    ...         search.ask(live, search.x[live][:, None] + self.eps * step)
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier().fit(X, y)
    >>> X_adv = Noise(eps=0.5, random_state=0).perturb(model, X, y)
    >>> bool(model.score(X_adv, y) < model.score(X, y))
    True
    """

    response = "auto"
    max_queries = None
    batch_size = None
    _parameter_rules = {
        "response": Choice(*RESPONSES),
        "max_queries": Count(low=3, optional=True),
        "batch_size": Count(optional=True),
    }
    _asks_in_container = True
    _n_candidates = 50  # per row and step, for the size of blocks of rows
    _needs_scores = False
    _moves_numbers = True  # whether it attacks regressors too

    def __init__(
        self,
        eps=0.1,
        *,
        norm=np.inf,
        data_range=None,
        objective=None,
        target=None,
        response="auto",
        max_queries=None,
        batch_size=None,
        constraints=None,
        random_state=None,
    ):
        self.eps = eps
        self.norm = norm
        self.data_range = data_range
        self.objective = objective
        self.random_state = random_state
        self.target = target
        self.response = response
        self.max_queries = max_queries
        self.batch_size = batch_size
        self.constraints = constraints

    def _attack(self, estimator, X, y, key, start=None):
        target = target_labels(self.target, len(X), type(self).__name__)
        objective = self.objective or "misclassification"
        stops = objective == "misclassification"
        goal = Goal(objective, target is not None, stops)
        of_numbers = self._moves_numbers and predicts_numbers(estimator.model)
        if of_numbers:
            goal = Goal.of_regressor(self, y)
        queries = Queries(
            estimator,
            type(self).__name__,
            response=self.response,
            order=self._order(goal.objective in ("loss", "probability_shift")),
            max_queries=self.max_queries,
            batch_size=self.batch_size,
            of_numbers=of_numbers,
        )
        self._check_response(queries)
        if target is not None and queries.method == "predict":
            queries.learn(target)
        domain, out = self._domain(X), np.empty_like(X)
        iterations, messages = np.zeros(len(X), dtype=np.int64), []
        width = max(1, int(np.prod(out.shape[1:]))) * self._n_candidates * 8
        size = max(1, _BYTES_OF_CANDIDATES // width)
        with undisturbed(estimator.model):
            prepared = self._prepare(X, queries)
            for first in range(0, len(out), size):
                rows = np.arange(first, min(first + size, len(out)))
                search = QuerySearch(goal, domain, queries, X, rows, key)
                search.set_labels(y, target, self.target)
                search.prepared = prepared
                for run in range(len(search.runs)):
                    search.start(run, None if start is None else start[rows])
                    self._search_rows(search)
                out[rows] = search.finish()
                iterations[rows] = search.iterations
                messages.extend(search.messages)
                count(len(rows))
        counts = {"queries": queries.counts, "iterations": iterations}
        return out, {**counts, "warnings": messages}

    def _prepare(self, X, queries):
        """Return what all blocks of rows share, as ``search.prepared``."""
        return None

    def _order(self, shift):
        order = _PROBABILITIES if shift else _SCORES
        if self.objective == "loss":
            order = (*order, "predict")
        return order[:-1] if self._needs_scores and order[-1] == "predict" else order

    def _check_response(self, queries):
        if queries.of_numbers:
            return
        if self.objective in ("prediction_shift", "prediction_error"):
            rule = "one of the objectives of classifiers; this one is of regressors"
            raise invalid("objective", type(self).__name__, rule, self.objective)
        if queries.method != "predict":
            return
        if self._needs_scores or self.objective == "probability_shift":
            raise ValueError(
                f"{type(self).__name__} follows scores, and labels alone give none. "
                "Use response='predict_proba' or 'decision_function', or HopSkipJump."
            )

    @abstractmethod
    def _search_rows(self, search):
        """Ask until the budget or the idea is used up."""
