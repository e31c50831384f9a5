"""What every black-box attack gets for free: questions, verdicts, budgets, memory."""

from abc import abstractmethod
from collections import namedtuple

import numpy as np

from skrobust._responses import undisturbed
from skrobust.attacks.core.model_in_container import Asked
from skrobust.attacks.core.queries import Queries, check_query_parameters
from skrobust.attacks.core.query_search import Search
from skrobust.attacks.core.targets import check_target_and_objective, target_labels
from skrobust.base import BaseAttack

_SCORES = ("decision_function", "predict_proba", "predict")
_PROBABILITIES = ("predict_proba", "decision_function")
_BYTES_OF_CANDIDATES = 2**26

Call = namedtuple("Call", ["values", "y", "target", "key", "domain"])


class BlackBoxAttack(BaseAttack):
    """Base class of attacks that see answers alone: labels, probabilities, decisions.

    A subclass writes ``_search_rows(search)``: it asks ``search.ask(rows, candidates)``
    as often as it likes, for many candidates of many rows in one call of the model. The
    search puts candidates into the ball, the box and the constraints before they are
    judged, remembers the best of every row, counts, and lets settled rows leave. Draws
    from ``search.rng`` belong to rows, whatever the batch.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrobust.attacks import BlackBoxAttack
    >>> class Noise(BlackBoxAttack):
    ...     def __init__(self, eps=0.1, norm=np.inf, data_range=None, objective=None,
    ...                  random_state=None):
    ...         self.eps, self.norm, self.data_range = eps, norm, data_range
    ...         self.objective, self.random_state = objective, random_state
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
    target = None
    max_queries = None
    batch_size = None
    _n_candidates = 50  # per row and step, for the size of blocks of rows
    _needs_scores = False

    def _check_parameters(self):
        super()._check_parameters()
        check_query_parameters(self)
        check_target_and_objective(self)

    def _search(self, estimator, X, y, start=None):
        # The model is asked in the container that came in.
        return super()._search(Asked(estimator, X), X, y, start)

    def _attack(self, estimator, X, y, key):
        target = target_labels(self.target, len(X), type(self).__name__)
        call = Call(X, y, target, key, self._domain(X))
        shift = self.objective in ("loss", "probability_shift")
        queries = Queries(
            estimator.model,
            estimator.X,
            type(self).__name__,
            response=self.response,
            order=self._order(shift),
            max_queries=self.max_queries,
            batch_size=self.batch_size,
        )
        self._check_response(queries)
        if call.target is not None and queries.method == "predict":
            queries.learn(call.target)
        out = np.empty_like(X)
        iterations = np.zeros(len(out), dtype=int)
        sentences = []
        width = max(1, int(np.prod(out.shape[1:]))) * self._n_candidates * 8
        size = max(1, _BYTES_OF_CANDIDATES // width)
        with undisturbed(estimator.model):
            prepared = self._prepare(X, queries)
            for start in range(0, len(out), size):
                rows = np.arange(start, min(start + size, len(out)))
                search = Search(self, call, queries, rows)
                search.prepared = prepared
                for run in range(len(search.runs)):
                    search.start(run)
                    self._search_rows(search)
                out[rows] = search.finish()
                iterations[rows] = search.iterations
                sentences.extend(search.sentences)
        details = {"queries": queries.counts, "iterations": iterations}
        return out, {**details, "warnings": sentences}

    def _prepare(self, X, queries):
        """Return what all blocks of rows share, as ``search.prepared``."""
        return None

    def _order(self, shift):
        order = _PROBABILITIES if shift else _SCORES
        if self.objective == "loss":
            order = (*order, "predict")
        return order[:-1] if self._needs_scores and order[-1] == "predict" else order

    def _check_response(self, queries):
        caller = type(self).__name__
        if queries.method != "predict":
            return
        if self._needs_scores or self.objective == "probability_shift":
            raise ValueError(
                f"{caller} follows scores, and labels alone give none. Use "
                "response='predict_proba' or 'decision_function', or HopSkipJump."
            )

    @abstractmethod
    def _search_rows(self, search):
        """Ask until the budget or the idea is used up."""
