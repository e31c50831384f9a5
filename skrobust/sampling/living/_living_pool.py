"""Pool in which rows keep arriving."""

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from skrobust._sealed import sealed_text
from skrobust._validation import (
    check_confidence,
    check_count,
    check_number,
    invalid,
    is_integer,
)
from skrobust.sampling.core.answer_checks import NOT_GIVEN, one_kind
from skrobust.sampling.core.base import BaseSampler
from skrobust.sampling.core.packing import facts_from_json, restored_generator
from skrobust.sampling.core.pool import own_generator, refuse_settings
from skrobust.sampling.living.joined_parts import (
    drift_of_samplers,
    joined_result,
    shares_of_parts,
    table_of_parts,
)
from skrobust.sampling.living.told_parts import told_parts

FORMAT = 2


class LivingPool:
    r"""Estimate the accuracy, or mean loss, on a pool in which rows keep arriving.

    Each arrival is a part with a sampler of its own, which draws from its rows alone.
    Parts are strata by time, and the accuracy is that of the parts weighted by their
    sizes,

    .. math::

        \hat a = \sum_h \frac{N_h}{N} \hat a_h, \qquad
        \hat V = \sum_h \frac{N_h^2}{N^2} \hat V_h

    exactly unbiased where those of the parts are. Ids count through all parts in the
    order of arrival, and never change.

    Parameters
    ----------
    sampler : sampler
        Cloned for each part, with its ``loss`` and ``loss_range``; not fitted, and with
        ``auxiliary="confidence"`` or a callable, since an array would belong to one
        part.
    window : int, default=None
        Number of latest parts that ``ask`` draws from and ``result`` is about; None
        takes all.
    random_state : int, RandomState, Generator or None, default=None
        Of the samplers of the parts, instead of that of ``sampler``.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import LivingPool, SimpleRandomSampler
    >>> rng = np.random.default_rng(0)
    >>> failed = rng.random(1500) < np.repeat([0.05, 0.05, 0.25], 500)
    >>> pool = LivingPool(SimpleRandomSampler(), random_state=0)
    >>> for month in range(3):
    ...     pool = pool.extend(np.ones(500))                   # scores, or rows
    ...     ids = pool.ask(100)
    ...     pool = pool.tell(ids, failed=failed[ids])
    >>> print(pool.result())
    accuracy 0.8767, 95 % interval 0.8384 to 0.9055 for this pool (parts joined)
    95 % interval 0.8345 to 0.9095 for the operation behind it
    standard error 0.0159, effective n 175.4
    300 of 1500 labelled, 37 mispredictions found
    >>> pool.drift().alarm
    True
    """

    def __init__(self, sampler, *, window=None, random_state=None):
        caller = type(self).__name__
        if not isinstance(sampler, BaseSampler):
            raise invalid("sampler", caller, "a sampler", sampler)
        if window is not None:
            window = check_count(window, "window", caller)
        self.sampler = sampler
        self.window = window
        self.random_state = random_state
        self._rng = own_generator(random_state, caller)
        self.parts_ = []

    @property
    def starts_(self):
        """Id of the first row of each part, and the number of all rows."""
        return np.cumsum([0, *(part.n_pool_ for part in self.parts_)])

    def extend(self, X, *, y_pred=None, **of_rows):
        """Append rows that arrived, as a new part.

        Parameters
        ----------
        X : array-like of shape (n, ...)
            Rows, or scores, as ``fit`` of the sampler takes them.
        y_pred : array-like of shape (n,), default=None
            Predicted labels, as in ``fit``.
        **of_rows
            ``costs`` (shape (n,)) and ``features`` (shape (n, n_features)), as in
            ``fit`` of a sampler that takes them.

        Returns
        -------
        self : object
            The pool. Draws and answers of earlier parts stay as they are.

        Raises
        ------
        TypeError
            For arguments that the sampler does not take.
        ValueError
            As ``fit`` of the sampler. The pool is as before then.
        """
        part = clone(self.sampler)
        before = self._rng.bit_generator.state
        try:
            part.set_params(random_state=int(self._rng.integers(2**31)))
            self.parts_.append(part.fit(X, y_pred=y_pred, **of_rows))
        except Exception:
            self._rng.bit_generator.state = before
            raise
        return self

    def ask(self, n=None, *, part=None, budget=None):
        """Draw rows to label.

        Parameters
        ----------
        n : int, default=None
            How many; None is 1, without a budget.
        part : int, default=None
            Draw from this part (-1 is the latest). None divides them over the parts of
            the window so that labels come near to being in proportion to sizes; this
            depends on no answer.
        budget : float, default=None
            Instead of n, together with ``part``: as many as have an expected cost of at
            most this, as in ``ask`` of a sampler that was given ``costs``.

        Returns
        -------
        ids : ndarray of shape (n,)
            Positions among all rows, in the order of arrival.

        Raises
        ------
        ValueError
            If fewer are left, for a part that there is not, and for a budget without
            a part or beside n. Nothing is asked then.
        """
        caller = self._caller("ask")
        if budget is not None and (n is not None or part is None):
            rule = "together with part=" if part is None else "not beside n"
            raise ValueError(f"{caller} takes budget= {rule}; got budget={budget!r}.")
        n = check_count(1 if n is None else n, "n", caller)
        places, starts = self._inside(), self.starts_
        if part is not None:
            n_parts = len(self.parts_)
            if not is_integer(part) or not -n_parts <= part < n_parts:
                rule = f"the number of one of {n_parts} parts"
                raise invalid("part", caller, rule, part)
            places = [int(part) % n_parts]
        if budget is not None:
            return starts[places[0]] + self._ask_for(places[0], budget, caller)
        sizes = np.array([self.parts_[k].n_pool_ for k in places])
        asked = np.array([self.parts_[k]._n_asked for k in places])
        if n > (sizes - asked).sum():
            raise ValueError(f"{caller}: {(sizes - asked).sum()} left, {n} asked.")
        shares = shares_of_parts(sizes, asked, n)
        found = [
            starts[k] + self.parts_[k].ask(int(share))
            for k, share in zip(places, shares, strict=True)
            if share
        ]
        return np.concatenate(found).astype(np.intp)

    def _ask_for(self, place, budget, caller):
        """Return ids within a part."""
        part = self.parts_[place]
        if part.costs_ is None:
            raise ValueError(
                f"{caller} takes budget= for parts with costs; part {place} has none: "
                "give them to extend."
            )
        return part.ask(budget=budget)

    def tell(self, ids, y_true=NOT_GIVEN, *, failed=NOT_GIVEN, loss=NOT_GIVEN):
        """Store answers, as ``tell`` of a sampler.

        Parameters
        ----------
        ids : int or array-like of shape (n,)
            Positions that ``ask`` returned, of any parts.
        y_true, failed, loss : array-like of shape (n,)
            As for ``tell`` of the sampler: one of the three, the same kind in all
            parts; ``loss`` within ``loss_range`` of the sampler.

        Returns
        -------
        self : object
            The pool.

        Raises
        ------
        ValueError
            As ``tell`` of the sampler. Nothing is changed then.
        """
        return self._take_in("tell", ids, y_true, failed, loss)

    def correct(self, ids, y_true=NOT_GIVEN, *, failed=NOT_GIVEN, loss=NOT_GIVEN):
        """Replace answers, as ``correct`` of a sampler.

        Parameters
        ----------
        ids : int or array-like of shape (n,)
            Positions that were told.
        y_true, failed, loss : array-like of shape (n,)
            As for ``tell``.

        Returns
        -------
        self : object
            The pool.
        """
        return self._take_in("correct", ids, y_true, failed, loss)

    def _take_in(self, verb, ids, y_true, failed, loss):
        caller = self._caller(verb)
        given = {"y_true": y_true, "failed": failed, "loss": loss}
        kind, given = one_kind(given, caller)
        self.parts_ = told_parts(
            self.parts_, self.starts_, verb, ids, (kind, given), caller
        )
        return self

    def result(self, *, confidence=0.95, window="default", **settings):
        """Estimate the accuracy, or mean loss, on all rows of the window.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95
            Nominal coverage of the interval.
        window : int or None, default="default"
            Number of latest parts; "default" is that of the pool.
        **settings
            As for ``result`` of the sampler.

        Returns
        -------
        SamplingResult
            Of the parts with two labels or more, weighted by their sizes; those without
            are left out, and a warning says so. ``failures`` are ids of the pool.
        """
        caller = self._caller("result")
        refuse_settings(settings, self.sampler, type(self).__name__, "result")
        confidence = check_confidence(confidence, caller)
        places = self._inside(window, caller)
        found = [
            self.parts_[k].result(confidence=confidence, **settings) for k in places
        ]
        return joined_result(found, places, self.starts_, confidence)

    def results_by_part(self, *, confidence=0.95, **settings):
        """Estimate the accuracy, or mean loss, of each part.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95
            Nominal coverage of each interval.
        **settings
            As for ``result`` of the sampler.

        Returns
        -------
        Results
            Columns ``part``, ``n_pool``, ``n_labels``, ``accuracy`` (``mean_loss``
            where losses were told), ``low``, ``high``.
        """
        caller = self._caller("results_by_part")
        refuse_settings(settings, self.sampler, type(self).__name__, "results_by_part")
        confidence = check_confidence(confidence, caller)
        found = [part.result(confidence=confidence, **settings) for part in self.parts_]
        return table_of_parts(found, confidence)

    def drift(self, *, alpha=0.05, random_state=0):
        """Look for a change of the accuracy, or mean loss, from one part to the next.

        Parameters
        ----------
        alpha : float in (0, 1), default=0.05
            Probability of a false alarm, over all parts that there will ever be.
        random_state : int, RandomState, Generator or None, default=0
            Of the permutations, for losses of uniform draws.

        Returns
        -------
        Results
            As of :func:`detect_drift` with parts: each part is compared with all before
            it, by Fisher's exact test for uniform draws (of losses, by permutations),
            and otherwise by their estimates and standard errors in operation (normal
            approximation). Parts with fewer than two labels are passed over.
        """
        caller = self._caller("drift")
        ends = {"low": 0, "high": 1, "low_open": True, "high_open": True}
        alpha = check_number(alpha, "alpha", caller, **ends)
        return drift_of_samplers(
            self.parts_, alpha, own_generator(random_state, caller)
        )

    def to_json(self):
        """Write the state as text.

        Returns
        -------
        str
            JSON, for ``from_json``.
        """
        parts = [part.to_json() for part in self.parts_]
        facts = {"format": FORMAT, "window": self.window, "parts": parts}
        return sealed_text({**facts, "generator": self._rng.bit_generator.state})

    @classmethod
    def from_json(cls, text, sampler):
        """Restore a pool as it was.

        Parameters
        ----------
        text : str
            What ``to_json`` returned.
        sampler : sampler
            The one that the pool was made with, for the parts to come.

        Returns
        -------
        LivingPool
            With the draws and answers of all parts.

        Raises
        ------
        ValueError
            For another text, one that was changed, or one of other samplers.
        """
        names, caller = ("generator", "window", "parts"), f"{cls.__name__}.from_json"
        state, window, texts = facts_from_json(text, names, FORMAT, caller)
        new = cls(sampler, window=window)
        kept = {"estimator": sampler.estimator}
        for name in ("auxiliary", "loss"):  # functions, which JSON cannot hold
            if callable(getattr(sampler, name)):
                kept[name] = getattr(sampler, name)
        new.parts_ = [type(sampler).from_json(one, **kept) for one in texts]
        new._rng = restored_generator(state)
        return new

    def _inside(self, window="default", caller=""):
        """Return the numbers of the parts in the window."""
        if isinstance(window, str) and window == "default":
            window = self.window
        elif window is not None:
            window = check_count(window, "window", caller)
        n = len(self.parts_)
        return list(range(max(n - window, 0) if window else 0, n))

    def _caller(self, verb):
        name = f"{type(self).__name__}.{verb}"
        if not self.parts_:
            raise ValueError(f"{name} needs rows, and there are none yet: use extend.")
        for part in self.parts_:
            check_is_fitted(part)
        return name
