"""Base class of minimal-norm attacks."""

import warnings
from abc import abstractmethod
from contextlib import nullcontext
from copy import copy

import numpy as np

from skrobust._differentiable import differentiable_view
from skrobust._keyed_noise.generator import seed_number
from skrobust._norms import namespace, per_sample
from skrobust._parallel import count
from skrobust._parameters import Choice, Count, Radius, check_parameters
from skrobust.attacks.core.averaged_answers import averaged_answers
from skrobust.attacks.core.class_margins import margin_against
from skrobust.attacks.core.goal import Goal
from skrobust.attacks.core.gradient_masking import zero_gradient_message
from skrobust.attacks.core.minimal_norm_search import MinimalNormSearch
from skrobust.attacks.core.straight_through import StraightThrough
from skrobust.attacks.core.targets import target_index
from skrobust.base import BaseAttack
from skrobust.base.attack import OBJECTIVES
from skrobust.base.ball import Ball

# How much longer an example may become until it fools in the precision of the input.
_GROWTH = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0)


class MinimalNormAttack(BaseAttack):
    """Base class of attacks that look for the smallest adversarial perturbation.

    A subclass writes ``_minimize(search)``: it asks ``search.evaluate(z)`` for margins
    and gradients as often as it likes, and the search remembers the smallest example
    that fools. Steps are in units of ``search.reach``, the first-order distance of each
    row from the boundary, so that nothing depends on the scale of the features, of
    their number, or of the scores. Points are in the units of ``constraints``, frozen
    features have no gradient, and whole numbers, levels and one-hot groups are shown to
    the model as rounded. The same code runs in numpy and torch.

    Objectives, ``target``, ``batch_size`` and ``constraints`` come with the base: a
    subclass without parameters of its own inherits ``__init__``, one that adds some
    takes the others as ``**shared``.

    What comes back depends on ``objective``; ``eps`` bounds it, and ``numpy.inf`` does
    not:

    - ``"misclassification"`` (or None): the smallest example found; a row whose
      smallest example is longer than ``eps``, or for which none was found, is returned
      unchanged, and so is one that was wrong already.
    - ``"minimal"`` (or ``"loss"``): the smallest example against the *predicted* class,
      projected into the ball of radius ``eps`` where it is longer; where none was
      found, the iterate that came nearest. It is never replaced by the clean row.
    - ``"probability_shift"``: of all iterates in the ball, of the projected example,
      and of the example stretched to the surface in both directions, the one that moves
      the probability of the predicted class most.

    Parameters
    ----------
    eps : float, default=numpy.inf
        Radius of the ball around each row, in units of the raw input; infinity sets
        no bound.
    norm : {numpy.inf, 2, 1}, default=numpy.inf
        Norm that is to be small, and in which ``eps`` is meant.
    data_range : (low, high) or None, default=None
        Bounds of the raw input, scalars or one per feature.
    objective : str or None, default=None
        What is to be achieved; None follows the metric that asks, and is
        ``"misclassification"`` otherwise.
    target : None, label or array-like of shape (n_samples,), default=None
        Label, or one label per sample, that the model is driven to predict.
    batch_size : int, default=256
        Samples attacked at a time.
    n_draws : int, default=1
        Passes over which the answers of a net that draws noise are averaged: the
        search is then for the boundary of the mean output.
    constraints : Constraints or None, default=None
        Frozen, integer and categorical features, and units of their own.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust._norms import per_sample, steepest
    >>> from skrobust.attacks import MinimalNormAttack
    >>> class NewtonSteps(MinimalNormAttack):
    ...     def __init__(self, eps=float("inf"), *, n_steps=20, **shared):
    ...         super().__init__(eps, **shared)
    ...         self.n_steps = n_steps
    ...     def _minimize(self, search):
    ...         z, gradient = search.x, search.gradient
    ...         for _ in range(self.n_steps):
    ...             step = per_sample(search.reach / self.n_steps, z)
    ...             z = search.clip(z + 2 * step * steepest(gradient, self.norm))
    ...             _, gradient = search.evaluate(z)
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> norms = NewtonSteps(target=1, batch_size=32).minimal_norms(model, X, y)
    >>> bool((norms[y == 1] == 0).mean() > 0.9)
    True
    """

    batch_size = 256
    n_draws = 1
    _parameter_rules = {
        "eps": Radius(low=0, infinite=True),
        "batch_size": Count(),
        "n_draws": Count(),
        "objective": Choice(*OBJECTIVES, "minimal"),
    }
    _asks_in_container = True  # the model has the last word
    _draws = False
    _n_looks = 8  # evaluations of the search along the line at the end

    def __init__(
        self,
        eps=np.inf,
        *,
        norm=np.inf,
        data_range=None,
        objective=None,
        target=None,
        batch_size=256,
        n_draws=1,
        constraints=None,
        random_state=None,
    ):
        self.eps = eps
        self.norm = norm
        self.data_range = data_range
        self.objective = objective
        self.random_state = random_state
        self.target = target
        self.batch_size = batch_size
        self.n_draws = n_draws
        self.constraints = constraints

    @classmethod
    def _get_test_params(cls):
        return [{"n_steps": 5}]

    def minimal_norms(self, estimator, X, y=None):
        """Return the length of the smallest perturbation found for each row.

        Parameters
        ----------
        estimator : fitted classifier
            The model under attack.
        X : array-like, data frame or tensor of shape (n_samples, ...)
            Raw input of the whole pipeline.
        y : array-like of shape (n_samples,), default=None
            True labels; None stands for the estimator's own predictions.

        Returns
        -------
        norms : ndarray of shape (n_samples,)
            In ``norm`` and, with ``constraints``, in the units of their ``scale``;
            whatever ``eps``; 0 where the model is wrong already, or says the target,
            inf where the attack failed. Each example is judged by
            ``estimator.predict``.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> from skrobust.attacks import DDN
        >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
        >>> model = LogisticRegression(C=1e9).fit(X, [0, 0, 1, 1])
        >>> DDN().minimal_norms(model, X).round(2)
        array([2., 1., 1., 2.])
        """
        check_parameters(self)
        seed_number(self.random_state, type(self).__name__)
        # A clone would copy what no rule has looked at yet.
        free = copy(self).set_params(eps=np.inf, objective="misclassification")
        result = free.run(estimator, X, y)
        for message in result.warnings:
            warnings.warn(message, UserWarning, stacklevel=2)
        return np.where(result.success, result.norm, np.inf)

    def _attack(self, estimator, X, y, key):
        out, n_zero, n = X.copy(), 0, len(X)
        n_forward, n_backward = np.ones(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        n_queries = np.zeros(n, dtype=np.int64)  # of labels, to confirm examples
        objective, caller = self.objective or "misclassification", type(self).__name__
        goal = Goal(
            objective, self.target is not None, objective == "misclassification"
        )
        domain = self._domain(X)
        if objective != "probability_shift":
            domain.eps = np.inf
        whole_view = differentiable_view(estimator.model, caller)
        averaging = (
            averaged_answers(self, whole_view) if self.n_draws > 1 else nullcontext()
        )
        with whole_view as view, averaging:
            ball, label = Ball.of(view, domain), None
            if goal.targeted:
                label = target_index(view, self.target, X, caller)
            elif y is not None and goal.stops:
                label = view.label_index(y)
            for first in range(0, n, self.batch_size):
                part = slice(first, first + self.batch_size)
                x = view.tensor(X[part])
                scores = view.decision_scores(view.logits(x))
                predicted = scores.argmax(1)
                known = predicted if label is None else label[part]
                stands = predicted != known if goal.targeted else predicted == known
                rows = namespace(x).where(stands)[0]
                count(len(x))
                if not len(rows):
                    continue
                places = first + np.asarray(view.host(rows))
                if domain.is_discrete:
                    allowed = StraightThrough(view, domain, X[places])
                    ball = ball._replace(allowed=allowed)
                search = MinimalNormSearch(view, ball, goal, x[rows], known[rows])
                self._minimize(search)
                if self.norm != 0:
                    search.shorten(self._n_looks)
                asked = np.zeros(len(places), dtype=np.int64)
                out[places] = self._choose(search, domain, estimator, X[places], asked)
                n_queries[places] += asked
                for some, forward, backward in search.smallest.passes:
                    if not isinstance(some, (slice, np.ndarray)):
                        some = view.host(some)
                    n_forward[places[some]] += forward
                    n_backward[places[some]] += backward
                n_zero += int(search.zero_gradient.sum())
        messages = [zero_gradient_message(n_zero, caller)] if n_zero else []
        draws = self.n_draws
        counts = {"forward": draws * n_forward, "backward": draws * n_backward}
        counts |= {"queries": n_queries, "iterations": n_backward}
        return out, {**counts, "warnings": messages}

    def _choose(self, search, domain, estimator, values, asked):
        """Return what the objective asks for, in the precision of the input."""
        if self.objective == "probability_shift":
            return self._rounded(search, domain, search.shift_most(), values)
        found, confirmed = self._confirm(search, domain, estimator, values, asked)
        if search.goal.stops:
            size = domain.length(found.astype(np.float64) - values)
            keep = confirmed & (size <= self.eps)
            return np.where(per_sample(keep, values), found, values)
        loose = self._rounded(search, domain, search.strongest(), values)
        return np.where(per_sample(confirmed, values), found, loose)

    @staticmethod
    def _rounded(search, domain, z, values):
        host = search.view.host
        # What did not move stays bit for bit, whatever the working precision.
        units = search.ball.units
        raw = host(z if units.unit is None else units.rows(z))
        moved = np.where(host(z == search.x), values, raw)
        return domain.put_back(moved, values)

    def _confirm(self, search, domain, estimator, values, asked):
        """Return examples that fool once rounded, a little longer where they must.

        How often the model was asked for the label of each row is added to ``asked``.
        """
        view, out = search.view, values.copy()
        confirmed = np.zeros(len(values), dtype=bool)
        pending = np.isfinite(view.host(search.smallest.score))
        step = search.smallest.iterate - search.x
        for growth in _GROWTH:
            rows = np.flatnonzero(pending)
            if not len(rows):
                break
            z = search.clip(search.x + (1 + growth) * step)
            rounded = self._rounded(search, domain, z, values)[rows]
            if namespace(search.x) is not np:  # a net's own passes
                search.smallest.passes.append((rows, 1, 0))
                scores = view.decision_scores(view.logits(view.tensor(rounded)))
                margin = margin_against(scores, search.label[rows])
                margin = -margin if search.goal.targeted else margin
                good = view.host(margin > search.tolerance[rows])
            else:  # the rounding of a model may differ from that of its view
                labels = view.label_index(estimator.labels(rounded))
                asked[rows] += 1
                good = search.goal.is_reached(labels, search.label[rows])
            out[rows[good]], confirmed[rows[good]] = rounded[good], True
            pending[rows[good]] = False
        return out, confirmed

    @abstractmethod
    def _minimize(self, search):
        """Look for small examples of all rows of a MinimalNormSearch."""
