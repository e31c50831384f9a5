"""What every sampler of inputs to label promises."""

import copy
from abc import ABC
from array import array

import numpy as np
from sklearn.base import BaseEstimator

from skrobust._validation import check_choice, check_same_length
from skrobust.sampling.core.answers import UNASKED
from skrobust.sampling.core.ask_tell import AskTellMixin
from skrobust.sampling.core.estimate_interval import IntervalMixin
from skrobust.sampling.core.estimators import EstimateMixin
from skrobust.sampling.core.label_plan import PlanMixin
from skrobust.sampling.core.pool import PoolMixin, n_rows, own_generator
from skrobust.sampling.core.ratio_metrics import RatioMixin
from skrobust.sampling.core.reporting import ResultMixin
from skrobust.sampling.core.rounds import Rounds
from skrobust.sampling.core.state import StateMixin


class BaseSampler(
    PoolMixin,
    AskTellMixin,
    EstimateMixin,
    IntervalMixin,
    ResultMixin,
    RatioMixin,
    PlanMixin,
    StateMixin,
    BaseEstimator,
    ABC,
):
    """Base class of samplers: ``fit``, ``ask``, ``tell``, ``result``, ``sample``.

    A subclass stores ``estimator``, ``auxiliary`` and ``random_state`` in ``__init__``
    and writes ``_probabilities(taken)``, the probabilities of the next draw; or, where
    it knows a faster way, ``_draw(n)``, of one draw after the other or, with
    ``_sequential = False``, of a round. It may have a predictor (``_snapshot`` and
    ``_predict``), its own ``_estimate`` and variance (``_round_variance``). The base
    sees to the rest:

    * ids are row positions in the pool, drawn without replacement and never twice;
    * probabilities and predictions are stored at draw time, so answers may come in any
      order;
    * estimates use the longest answered run of rounds, from the first one on: answers
      out of order give the estimate of answers in order, and an open question is
      never divided by;
    * what is skipped is taken as right and as wrong, and both are shown;
    * an error changes nothing; a pickled sampler goes on bit for bit;
    * the model is used as it is, never refitted, and ``clone`` keeps it fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import BaseSampler
    >>> class BySquare(BaseSampler):
    ...     def __init__(self, estimator=None, *, auxiliary="confidence",
    ...                  random_state=None):
    ...         self.estimator, self.auxiliary = estimator, auxiliary
    ...         self.random_state = random_state
    ...     def _probabilities(self, taken):
    ...         weight = np.where(taken, 0, self.scores_**2 + 0.01)
    ...         return weight / weight.sum()
    >>> sampler = BySquare(random_state=0).fit(np.linspace(0, 1, 50))
    >>> result = sampler.sample(20, lambda ids: ids > 40)
    >>> result.n_labels
    20
    """

    _auxiliaries = ("confidence",)  # by name
    _kept = ("estimator",)  # parameters that are used as they are, and never cloned

    def fit(self, X, y=None, *, y_pred=None):
        """Take in the pool.

        Parameters
        ----------
        X : array-like of shape (n_pool,) or (n_pool, ...)
            With an estimator, or with a callable ``auxiliary``: the inputs, handed on
            as they are. Otherwise 1-D scores, finite and at least 0; higher means
            more likely mispredicted, for example 1 - confidence.
        y : None
            Ignored.
        y_pred : array-like of shape (n_pool,), default=None
            Predicted labels, where no estimator gives them.

        Returns
        -------
        self : object
            The sampler, with no input asked yet.

        Raises
        ------
        ValueError
            For an empty pool, bad scores, or unequal lengths.
        """
        caller = type(self).__name__
        self._check_parameters()
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        n_pool = n_rows(X)
        if n_pool == 0:
            raise ValueError(f"{caller} needs a pool of at least one input; got none.")
        X = self._check_pool(X)
        self._new_notes = []
        y_pred = self._predictions(X, y_pred)
        scores = self._suspicion(X, y_pred)
        check_same_length(caller, X=range(n_pool), scores=scores, y_pred=y_pred)
        self.n_pool_, self.scores_, self.y_pred_ = n_pool, scores, y_pred
        self._pool_notes = self._new_notes
        self._rng = own_generator(self.random_state, caller)
        self._restart()
        return self

    # What a new sampler may write.

    def _probabilities(self, taken):
        """Return the probabilities of the next draw.

        Parameters
        ----------
        taken : ndarray of shape (n_pool,), bool
            The inputs drawn before.

        Returns
        -------
        ndarray of shape (n_pool,)
            Sums to 1; 0 where taken, and positive elsewhere, or the estimate is biased.
        """
        raise NotImplementedError("Write _probabilities(taken) or _draw(n).")

    def _draw(self, n):
        """Return n positions and their probabilities, and at will a design.

        One draw after the other: the probability of each draw given those before it.
        In a round (``_sequential`` is False): that of being in it; and, as a third
        value, a dictionary of plain data that ``_round_variance`` gets.
        """
        taken = self._status != UNASKED
        ids, drawn_with, least = np.empty(n, dtype=np.intp), np.empty(n), np.empty(n)
        for step, coin in enumerate(self._rng.random(n)):
            q = np.asarray(self._probabilities(taken), dtype=np.float64)
            fair = q.shape == taken.shape and (q >= 0).all() and not q[taken].any()
            if not fair or abs(q.sum() - 1) > 1e-9:
                raise ValueError(
                    f"{type(self).__name__}._probabilities must return {len(taken)} "
                    "probabilities that sum to 1 and are 0 where taken."
                )
            reachable = np.flatnonzero(q)
            edges = np.cumsum(q[reachable])
            place = np.searchsorted(edges, coin * edges[-1], side="right")
            i = reachable[min(place, len(reachable) - 1)]
            least[step] = q[~taken].min()
            ids[step], drawn_with[step], taken[i] = i, q[i], True
        self._least.extend(least.tolist())
        return ids, drawn_with

    def _start(self):
        """Prepare the draws; ``scores_``, ``n_pool_`` and ``_rng`` are there."""

    def _snapshot(self):
        """Return the predictor for the coming draws as plain data, or None.

        Asked once at each ``ask``, before the draw. What it learns from is what was
        told before; it is kept as it is, so late answers cannot change it.
        """
        return None

    def _predict(self, snapshot):
        """Return the probability of a misprediction of each unit, from a snapshot."""
        raise NotImplementedError("Write _predict(snapshot) along with _snapshot().")

    def _check_parameters(self):
        """Raise for bad parameters; called by ``fit``."""
        if isinstance(self.auxiliary, str):
            caller = type(self).__name__
            check_choice(self.auxiliary, "auxiliary", caller, self._auxiliaries)

    # What the base does with the pool and the answers.

    def _restart(self):
        self._rounds, self._events, self._labels = Rounds(), [], {}
        self._foreseen, self._frozen, self._least = None, False, array("d")
        self._status = np.full(self.n_pool_, UNASKED, dtype=np.int8)
        self._rng_at_start = self._rng.bit_generator.state
        self._start()

    def _look(self):
        """Bring the predictions for the coming draws up to date."""
        snapshot = self._snapshot()
        known = self._rounds.snapshots[-1:]
        if snapshot is None:
            self._foreseen = None
        elif known != [snapshot] or self._foreseen is None:
            values = np.asarray(self._predict(snapshot), dtype=np.float64)
            if values.shape != (self.n_pool_,) or not (
                (values >= 0).all() and (values <= 1).all()
            ):
                raise ValueError(
                    f"{type(self).__name__}._predict must return {self.n_pool_} "
                    "probabilities in [0, 1]."
                )
            self._foreseen = values
        return snapshot

    def __copy__(self):
        # A shallow copy would share some of the running state, and not all of it.
        kept = [getattr(self, name) for name in self._kept]
        return copy.deepcopy(self, {id(part): part for part in kept})

    def __sklearn_clone__(self):
        params = {
            name: value if name in self._kept else copy.deepcopy(value)
            for name, value in self.get_params(deep=False).items()
        }
        new = type(self)(**params)
        if hasattr(self, "_metadata_request"):
            new._metadata_request = copy.deepcopy(self._metadata_request)
        return new

    def __sklearn_is_fitted__(self):
        return hasattr(self, "n_pool_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = not self._takes_rows()
        tags.input_tags.two_d_array = self._takes_rows() or not self._needs_scores
        return tags
