"""Pool, questions and answers of a sampler: ``fit``, ``ask`` and ``tell``."""

import copy

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrobust._array_checks import check_same_length
from skrobust._containers import n_rows
from skrobust._repeated_answers import warn_if_random
from skrobust._validation import check_count
from skrobust.sampling.core.answer_checks import (
    NOT_GIVEN,
)
from skrobust.sampling.core.answers import Answers
from skrobust.sampling.core.asked_so_far import AskedSoFar
from skrobust.sampling.core.batched_pool import in_memory
from skrobust.sampling.core.draws import Draws
from skrobust.sampling.core.loss_scale import (
    Loss,
    check_loss,
    check_loss_range,
    is_continuous,
)
from skrobust.sampling.core.pool import (
    PoolAnswers,
    check_inputs,
    own_generator,
    read_predictions,
    refuse_arguments,
)


class AskTellSampler(AskedSoFar):
    """Sampler that holds its ``Draws`` and its ``Answers``, without estimates."""

    # For classes of your own whose constructor does not hand these on.
    loss, loss_range = None, (0.0, 1.0)
    # Of samplers whose ``fit`` takes them.
    costs_, features_ = None, None
    _parameter_rules = {"loss": check_loss, "loss_range": check_loss_range}

    def __init__(
        self,
        estimator=None,
        *,
        auxiliary="confidence",
        loss=None,
        loss_range=(0.0, 1.0),
        random_state=None,
    ):
        self.estimator = estimator
        self.auxiliary = auxiliary
        self.loss = loss
        self.loss_range = loss_range
        self.random_state = random_state

    def fit(self, X, y=None, *, y_pred=None, **unknown):
        """Read the pool.

        Parameters
        ----------
        X : array-like of shape (n_pool,) or (n_pool, ...)
            With an estimator, or with a callable ``auxiliary``: the inputs, handed on
            as they are. Otherwise 1-D scores, finite and at least 0; higher means
            more likely mispredicted, for example 1 - confidence. Inputs may come in
            :class:`~skrobust.datasets.BatchedRows`: the model, or the callable, is then
            asked about one batch after the other.
        y : None
            Ignored.
        y_pred : array-like of shape (n_pool,) or (n_pool, n_outputs), default=None
            Predicted labels, where no estimator gives them; 2-D, or numbers of a
            regressor, where the sampler has a ``loss``.
        **unknown
            Refused: ``costs`` and ``features`` of other samplers, and wrong names.

        Returns
        -------
        self : object
            The sampler, with no input asked yet.

        Raises
        ------
        TypeError
            For arguments that this sampler does not take.
        ValueError
            For an empty pool, bad scores, or unequal lengths.

        Warns
        -----
        UserWarning
            For a model that answers the same rows differently when it is asked again.
        """
        refuse_arguments(unknown, type(self).__name__)
        return self._read_pool(in_memory(self, X, y_pred), y_pred)

    def _read_pool(self, X, y_pred, **arrays):
        """Read the pool, with further arrays by attribute; all of it or nothing."""
        caller = type(self).__name__
        self._check_parameters()
        for name in ("n_features_in_", "feature_names_in_"):
            if not isinstance(X, PoolAnswers):  # whose batches were looked at
                self.__dict__.pop(name, None)
        n_pool = n_rows(X)
        if n_pool == 0:
            raise ValueError(f"{caller} needs a pool of at least one input; got none.")
        X = check_inputs(self, X)
        any_kind, is_given = self.loss is not None, y_pred is not None
        y_pred = read_predictions(self.estimator, X, y_pred, caller, any_kind=any_kind)
        scores, notes = self._suspicion(X, y_pred)
        if self.estimator is not None and not is_given:
            warn_if_random(self.estimator, X, caller)
        check_same_length(caller, X=range(n_pool), scores=scores, y_pred=y_pred)
        self.n_pool_, self.scores_, self.y_pred_ = n_pool, scores, y_pred
        self.__dict__.update(arrays)
        self._pool_notes = notes
        self._rng = own_generator(self.random_state, caller)
        self._models = {}  # of add_model, by name
        self._restart()
        return self

    def _restart(self):
        """Forget draws and answers; the generator goes on."""
        is_float = self.loss is None and is_continuous(self.y_pred_)
        loss = Loss(self.loss, self.loss_range, is_continuous=is_float)
        self._draws, self._answers = Draws(), Answers(self.n_pool_, loss)
        self._foreseen, self._frozen = None, False
        self._rng_at_start = self._rng.bit_generator.state
        self._start()

    def ask(self, n=1, **unknown):
        """Draw inputs to label.

        Parameters
        ----------
        n : int, default=1
            How many. With one draw after the other ``ask(20)`` draws what twenty
            ``ask(1)`` draw; where a sampler draws in rounds, each ``ask`` is one.
        **unknown
            Refused, such as the ``budget`` of samplers that know costs.

        Returns
        -------
        ids : ndarray of shape (n,)
            Distinct row positions in the pool, never asked before.

        Raises
        ------
        TypeError
            For arguments that this sampler does not take.
        ValueError
            If fewer than n are left.
        """
        refuse_arguments(unknown, type(self).__name__, "ask")
        n = self._check_left(n, "ask")
        before = self._rng.bit_generator.state
        try:
            snapshot = self._update_predictions()
            ids, pi, *design = self._draw(n)
        except Exception:
            self._rng.bit_generator.state = before
            raise
        design = design[0] if design else None
        self._draws.add(ids, pi, sequential=self._sequential, design=design)
        self._draws.add_predictor(snapshot, self._foreseen)
        self._answers.open(ids)
        return np.array(ids, dtype=np.intp)

    def _check_left(self, n, verb):
        """Return how many inputs to ask for, or raise where there are too few."""
        caller = type(self).__name__
        n = check_count(n, "n", self._caller(verb))
        self._check_parameters()
        if self._frozen:
            raise ValueError(
                f"{caller} was restored for its results alone (frozen=True): it takes "
                "answers and cannot draw."
            )
        left = self.n_pool_ - self._n_asked
        if n > left:
            done = "" if left else f": all {self.n_pool_} inputs were asked already"
            raise ValueError(f"{caller}: {left} left, {n} asked{done}.")
        return n

    def _update_predictions(self):
        """Bring the predictions for the coming draws up to date."""
        snapshot = self._snapshot()
        if snapshot is None:
            self._foreseen = None
        elif self._draws.snapshots[-1:] != [snapshot] or self._foreseen is None:
            values = np.asarray(self._predict(snapshot), dtype=np.float64)
            in_range = (values >= 0).all() and (values <= 1).all()
            if values.shape != (self.n_pool_,) or not in_range:
                raise ValueError(
                    f"{type(self).__name__}._predict must return {self.n_pool_} "
                    "probabilities in [0, 1]."
                )
            self._foreseen = values
        return snapshot

    def tell(self, ids, y_true=NOT_GIVEN, *, failed=NOT_GIVEN, loss=NOT_GIVEN):
        """Store answers to any of the open inputs, in any order.

        Parameters
        ----------
        ids : int or array-like of shape (n,)
            Positions that ``ask`` returned.
        y_true : array-like of shape (n,) or (n, n_outputs)
            True labels of any type; needs predictions. They count as mispredicted where
            they differ, or by the ``loss`` of the sampler. None or NaN means that an
            input cannot be labelled: it is skipped, counts as either correct or
            mispredicted from then on, and may still be told later. A single None skips
            all.
        failed : array-like of shape (n,)
            Instead of ``y_true``: whether each was mispredicted (booleans, or 0 and 1,
            or None or NaN).
        loss : array-like of shape (n,)
            Instead of both: the loss of each, within ``loss_range`` (or None or NaN).
            ``result`` then gives the mean loss. A skipped input counts as the least and
            as the largest loss.

        Returns
        -------
        self : object
            The sampler.

        Raises
        ------
        ValueError
            With the index, for an id that is unknown, never asked or told already,
            and for an impossible answer; where losses and other answers are mixed; and
            for continuous numbers as ``y_true``, without a ``loss`` of the sampler.
            Nothing is changed then.
        """
        return self._take_in("tell", ids, y_true, failed, loss)

    def correct(self, ids, y_true=NOT_GIVEN, *, failed=NOT_GIVEN, loss=NOT_GIVEN):
        """Replace answers that were told before.

        Estimates are then as if the new answer had been told first. Draws made in the
        meantime keep their probabilities and predictions, so the estimate stays
        unbiased.

        Parameters
        ----------
        ids, y_true, failed, loss
            As for ``tell``; None takes an answer back (the input is skipped).

        Returns
        -------
        self : object
            The sampler.

        Raises
        ------
        ValueError
            With the index, for an id that is unknown or never asked, and for an
            impossible answer. Nothing is changed then.
        """
        return self._take_in("correct", ids, y_true, failed, loss)

    def _take_in(self, verb, ids, y_true, failed, loss):
        caller = self._caller(verb)
        given = {"y_true": y_true, "failed": failed, "loss": loss}
        self._answers.take_in(verb, ids, given, self.y_pred_, caller)
        return self

    def _caller(self, verb):
        """Return the name of a method for messages; raise unless fitted."""
        check_is_fitted(self)
        return f"{type(self).__name__}.{verb}"

    def __copy__(self):
        # A shallow copy would share some of the running state, and not all of it.
        kept = [getattr(self, name) for name in self._kept]
        return copy.deepcopy(self, {id(part): part for part in kept})

    def __sklearn_is_fitted__(self):
        return hasattr(self, "n_pool_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        takes_rows = self.estimator is not None or not isinstance(self.auxiliary, str)
        tags.input_tags.one_d_array = not takes_rows
        tags.input_tags.two_d_array = takes_rows or not self._needs_scores
        return tags
