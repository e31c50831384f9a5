"""Base class of gradient attacks: labels, targets, batches, restarts, precision."""

from abc import abstractmethod
from contextlib import nullcontext
from functools import partial

import numpy as np

from skrobust._differentiable import PRECISIONS, differentiable_view
from skrobust._keyed_noise.generator import KeyedGenerator
from skrobust._norms import namespace
from skrobust._parallel import count
from skrobust._parameters import Choice, Count, Flag, NamedOr
from skrobust.attacks.core.averaged_answers import averaged_answers
from skrobust.attacks.core.finisher import finish_attack
from skrobust.attacks.core.goal import Batch, Goal
from skrobust.attacks.core.gradient_masking import zero_gradient_message
from skrobust.attacks.core.loss_oracle import LossOracle, Run
from skrobust.attacks.core.losses import LOSS_NAMES
from skrobust.attacks.core.straight_through import StraightThrough
from skrobust.attacks.core.targets import target_index
from skrobust.base import BaseAttack
from skrobust.base.ball import Ball


class GradientAttack(BaseAttack):
    """Base class of attacks that follow gradients.

    A subclass writes ``_attack_batch(oracle, x, rng)``: it starts from the rows ``x``,
    asks ``oracle.gradient(z)`` as often as it likes, and returns its last iterates. The
    oracle remembers the best iterate of every sample, lets samples that are done leave,
    and offers ``steepest``, ``step``, ``project`` and ``random_start``; ``rng`` draws
    by row. The same code runs in numpy on models of scikit-learn and in torch on nets,
    on the device of the net.

    Objectives, ``loss``, ``target``, ``batch_size``, ``precision``, ``compile`` and
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
    loss : str, default="soft_margin"
        What the gradients are of; see :class:`PGD`.
    target : None, label or array-like of shape (n_samples,), default=None
        Label, or one label per sample, that the model is driven to predict.
    batch_size : int, default=256
        Samples attacked at a time.
    precision : {"float32", "tf32", "bfloat16"}, default="float32"
        Precision of the passes of a net while searching; verdicts are in float32.
    compile : bool, default=False
        Whether a net is compiled for the search.
    n_draws : int, default=1
        Passes over which the answers of a net that draws noise are averaged.
    finish : {"auto"}, int or None, default="auto"
        Whether a search by queries goes on from what was found; see :class:`PGD`.
    constraints : Constraints or None, default=None
        Frozen, integer and categorical features, and units of their own.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.attacks import GradientAttack
    >>> class SeveralSteps(GradientAttack):
    ...     def __init__(self, eps=0.1, *, n_steps=2, **shared):
    ...         super().__init__(eps, **shared)
    ...         self.n_steps = n_steps
    ...     def _attack_batch(self, oracle, x, rng):
    ...         for _ in range(self.n_steps):
    ...             x, gradient = oracle.gradient(x)
    ...             x = oracle.project(oracle.step(x, gradient, self.eps))
    ...         return x
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> attack = SeveralSteps(eps=0.5, target=2, batch_size=32)
    >>> bool((model.predict(attack.perturb(model, X, y)) == 2).mean() > 0.4)
    True
    """

    batch_size = 256
    n_restarts = 1
    loss = "soft_margin"
    precision, compile = "float32", False
    n_draws = 1
    finish = None
    _asks_in_container = True
    # Whether the last iterates need no judgement of their own (one-step attacks).
    _trusts_last = False
    _parameter_rules = {
        "batch_size": Count(),
        "precision": Choice(*PRECISIONS),
        "compile": Flag(),
        "n_draws": Count(),
        "finish": NamedOr(("auto",), Count(low=3, optional=True)),
        "loss": Choice(*LOSS_NAMES),
    }

    def __init__(
        self,
        eps=0.1,
        *,
        norm=np.inf,
        data_range=None,
        objective=None,
        loss="soft_margin",
        target=None,
        batch_size=256,
        precision="float32",
        compile=False,
        n_draws=1,
        finish="auto",
        constraints=None,
        random_state=None,
    ):
        self.eps = eps
        self.norm = norm
        self.data_range = data_range
        self.objective = objective
        self.random_state = random_state
        self.loss = loss
        self.target = target
        self.batch_size = batch_size
        self.precision = precision
        self.compile = compile
        self.n_draws = n_draws
        self.finish = finish
        self.constraints = constraints

    def _attack(self, estimator, X, y, key, start=None, candidates=()):
        """Attack rows, from given starts and with given candidates where there are."""
        caller, n = type(self).__name__, len(X)
        is_reduced = self.precision != "float32" or bool(self.compile)
        search = self._search_reduced if is_reduced else self._search_batch
        messages, out, n_zero, n_underflowed = [], None, 0, 0
        n_forward, n_backward = np.ones(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        domain = self._domain(X)
        whole_view = differentiable_view(estimator.model, caller, regressors=True)
        averaging = (
            averaged_answers(self, whole_view) if self.n_draws > 1 else nullcontext()
        )
        with whole_view as view, averaging:
            goal = Goal.of_regressor(self, y) if view.is_regressor else Goal.of(self)
            if is_reduced and not hasattr(view, "reduced_precision"):
                raise ValueError(
                    f"{caller} computes this model in numpy; precision and compile are "
                    "for nets. Leave them at 'float32' and False."
                )
            if self.precision == "tf32" and not view.has_tf32:
                messages.append(
                    f"{caller} has precision='tf32', which the device of this net does "
                    "not know; the search ran in float32."
                )
            why = view.stand_in
            if domain.is_discrete:
                why = why or "slopes at rounded rows"
            reference = None  # what each row is driven from, or to; see Batch
            if goal.targeted:
                reference = target_index(view, self.target, X, caller)
            elif goal.objective == "prediction_error":
                reference = view.tensor(y)
            elif y is not None and not goal.moves_prediction:
                reference = view.label_index(y)
            ball = Ball.of(view, domain)
            for first in range(0, n, self.batch_size):
                rows = slice(first, first + self.batch_size)
                if domain.is_discrete:
                    allowed = StraightThrough(view, domain, X[rows])
                    ball = ball._replace(allowed=allowed)
                of_rows = None if reference is None else reference[rows]
                new_batch = partial(Batch, view, view.tensor(X[rows]), goal, of_rows)
                begin = None if start is None else view.tensor(start[rows])
                given = [view.tensor(c[rows]) for c in candidates]
                part = key if n <= self.batch_size else key.take(rows)
                batch = search(new_batch, ball, part, given, begin)
                if ball.allowed is not None:  # what is not rounded may not be allowed
                    batch.take_back()
                moved = view.host(batch.iterate)
                if moved.dtype != X.dtype:
                    # What did not move stays bit for bit, whatever the precision.
                    still = moved == view.host(batch.x)
                    moved = np.where(still, X[rows], moved)
                if len(moved) == n and not view.is_regressor:
                    out = moved  # one batch needs no copy
                else:
                    out = np.empty_like(X) if out is None else out
                    out[rows] = moved
                for places, forward, backward in batch.passes:
                    places = first + view.host(places)
                    n_forward[places] += forward
                    n_backward[places] += backward
                count(len(moved))
                n_zero += batch.n_zero_gradients
                n_underflowed += batch.n_underflowed
        if n_underflowed:
            messages.append(
                f"{caller} met {n_underflowed} samples at which loss={self.loss!r} has "
                "no usable slope (a saturated model); there it followed the soft "
                "margin, which has no scale."
            )
        if n_zero:
            messages.append(zero_gradient_message(n_zero, caller))
            why = why or "gradients, of which some vanish"
        draws = self.n_draws
        details = {"forward": draws * n_forward, "backward": draws * n_backward}
        details |= {"iterations": n_backward, "warnings": messages}
        if self.finish is not None and (why or self.finish != "auto"):
            out, finished = finish_attack(self, goal, estimator, X, y, out, why)
            details |= finished
        return out, details

    _attack_from = _attack

    def _search_reduced(self, new_batch, ball, key, candidates, start):
        """Search in reduced precision, and judge what was found by the net itself."""
        view = new_batch.args[0]
        with view.reduced_precision(self.precision, self.compile, self.batch_size):
            rough = self._search_batch(new_batch, ball, key, candidates, start)
            rough.clean_pass = None
        with view.full_precision():
            batch = new_batch()
            batch.clean_pass = None
            self._judge(batch, ball, [*candidates, rough.iterate])
            batch.passes += rough.passes
            everyone = namespace(batch.x).where(batch.known | ~batch.known)[0]
            batch.passes.append((everyone, 1, 0))
            batch.n_zero_gradients += rough.n_zero_gradients
            batch.n_underflowed += rough.n_underflowed
            if batch.goal.stops:
                # Full runs for the rows whose label the rounding may have turned.
                self._leave_only_doubtful(batch, rough)
                counted = batch.n_zero_gradients, batch.n_underflowed
                self._search_batch(lambda: batch, ball, key, (), start)
                batch.n_zero_gradients, batch.n_underflowed = counted
        return batch

    @staticmethod
    def _leave_only_doubtful(batch, rough):
        """Leave only rows that a search in reduced precision may have got wrong.

        They still stand, at its best iterates, by no more than the two precisions
        differ anywhere in the batch. What it claimed and does not hold is among them.
        """
        xp, stand = namespace(batch.x), batch.known & ~(batch.score > 0)
        apart = xp.where(stand, xp.abs(batch.score - rough.score), 0.0)
        batch.known = stand & (batch.score >= -xp.amax(apart, 0))

    def _search_batch(self, new_batch, ball, key, candidates, start):
        """Run every restart in every direction on the rows that stand."""
        batch = new_batch()
        if candidates:
            self._judge(batch, ball, candidates)
            start = batch.iterate + 0
        for restart in range(self.n_restarts):
            for run in self._runs(batch):
                oracle = LossOracle(batch, run, ball, start)
                if len(oracle.rows):
                    rng = KeyedGenerator(key.derive("restart", restart, run.name))
                    z = self._attack_batch(oracle, oracle.start, rng)
                    trust = self._trusts_last and ball.allowed is None
                    oracle.finish(z, trust=trust, own=True)
            start = None  # further restarts are random
        return batch

    @staticmethod
    def _judge(batch, ball, candidates):
        for candidate in candidates:
            oracle = LossOracle(batch, Run("candidate", batch.label), ball)
            oracle.finish(candidate[oracle.rows])

    def _runs(self, batch):
        """Return the runs of one restart."""
        if batch.goal.objective == "probability_shift" or batch.goal.moves_prediction:
            return [Run(1, batch.predicted), Run(-1, batch.predicted, -1)]
        sign = -1 if batch.goal.targeted else 1
        upwards = batch.goal.targeted and self.loss == "dlr"
        return [Run(sign, batch.label, sign, "dlr_upwards" if upwards else self.loss)]

    @abstractmethod
    def _attack_batch(self, oracle, x, rng):
        """Return the last iterates of the rows that are still live."""
