"""What every gradient attack gets for free: labels, targets, batches, restarts."""

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np

from skrobust._differentiable import PRECISIONS, differentiable_view
from skrobust._responses import predicts_numbers
from skrobust._validation import check_choice, check_count, invalid
from skrobust.attacks.core.best_so_far import Record
from skrobust.attacks.core.loss_oracle import Oracle
from skrobust.attacks.core.losses import LOSS_NAMES
from skrobust.attacks.core.regression import attack_regressor, check_for_classes
from skrobust.attacks.core.straight_through import Ground
from skrobust.attacks.core.targets import (
    check_target_and_objective,
    target_columns,
    unknown_target,
)
from skrobust.base import BaseAttack

_NO_TF32 = (
    "{caller} has precision='tf32', which the device of this net does not know; the "
    "search ran in float32."
)


class Drive(NamedTuple):
    """One run: which loss of which class goes which way, and where to."""

    name: str
    column: Any
    sign: int = 1
    loss: str = "log_odds"
    aim: Any = None


def check_haste(attack):
    """Refuse what precision and compile of an attack cannot be."""
    caller = type(attack).__name__
    check_choice(attack.precision, "precision", caller, PRECISIONS)
    if not isinstance(attack.compile, (bool, np.bool_)):
        raise invalid("compile", caller, "True or False", attack.compile)


def _no_haste(attack):
    return ValueError(
        f"{type(attack).__name__} computes this model in numpy; precision and compile "
        "are for nets. Leave them at 'float32' and False."
    )


class GradientAttack(BaseAttack):
    """Base class of attacks that follow gradients.

    A subclass writes ``_attack_batch(oracle, x, rng)``: it starts from the rows ``x``,
    asks ``oracle.gradient(z)`` as often as it likes, and returns its last iterates. The
    oracle remembers the best iterate of every sample, lets settled samples leave, and
    offers ``steepest``, ``project`` and ``random_start``; ``rng`` draws by row. The
    same code runs in numpy on linear classifiers and in torch on nets, on the device
    of the net. Parameters ``loss`` and ``target`` of a subclass are understood.

    Examples
    --------
    >>> from skrobust.attacks import GradientAttack
    >>> class TwoSteps(GradientAttack):
    ...     def __init__(self, eps=0.1, norm=2, data_range=None, objective=None,
    ...                  random_state=None):
    ...         self.eps, self.norm, self.data_range = eps, norm, data_range
    ...         self.objective, self.random_state = objective, random_state
    ...     def _attack_batch(self, oracle, x, rng):
    ...         z, gradient = oracle.gradient(x)
    ...         z = oracle.project(z + self.eps / 2 * oracle.steepest(gradient))
    ...         z, gradient = oracle.gradient(z)
    ...         return oracle.project(z + self.eps * oracle.steepest(gradient))
    >>> TwoSteps(eps=0.2)
    TwoSteps(eps=0.2)
    """

    batch_size = 256
    loss = "log_odds"
    target = None
    precision, compile = "float32", False
    # Whether the last iterates need no judgement of their own (one-step attacks).
    _trusts_last = False

    def _attack(self, estimator, X, y, key):
        return self._attack_from(estimator, X, y, key)

    def _attack_from(self, estimator, X, y, key, start=None, candidates=()):
        """Attack rows, from given starts and with given candidates where there are."""
        hurries = self.precision != "float32" or self.compile
        if predicts_numbers(estimator):
            if hurries:
                raise _no_haste(self)
            return attack_regressor(self, estimator, X, y, key, start)
        check_for_classes(self)
        out = None
        forward, backward = (np.zeros(len(X), dtype=np.int64) for _ in range(2))
        n_flat, n_faint, sentences = 0, 0, []
        with differentiable_view(estimator, type(self).__name__) as view:
            if hurries and not hasattr(view, "hurried"):
                raise _no_haste(self)
            if self.precision == "tf32" and not view.has_tf32:
                sentences = [_NO_TF32.format(caller=type(self).__name__)]
            columns = self._columns(view, y, len(X))
            for first in range(0, len(X), self.batch_size):
                rows = slice(first, first + self.batch_size)
                record = self._attack_rows(
                    view,
                    X[rows],
                    None if columns is None else columns[rows],
                    key.take(rows),
                    None if start is None else start[rows],
                    [candidate[rows] for candidate in candidates],
                )
                moved = self._moved(record, X[rows])
                if len(moved) == len(X):
                    out = moved  # one batch needs no copy
                else:
                    out = np.empty_like(X) if out is None else out
                    out[rows] = moved
                forward[rows], backward[rows] = record.passes()
                n_flat += record.n_flat
                n_faint += record.n_faint
        sentences += self._sentences(n_flat, n_faint)
        counts = {"forward": forward, "backward": backward, "iterations": backward}
        return out, {**counts, "warnings": sentences}

    @staticmethod
    def _moved(record, values):
        """Return the best iterates on the host, in the dtype of the clean values."""
        moved = record.view.host(record.best)
        if moved.dtype == values.dtype:
            shares = np.may_share_memory(moved, values)
            return moved.copy() if shares else moved
        # What did not move stays bit for bit, whatever the precision.
        still = moved == record.view.host(record.x)
        return np.where(still, values, moved)

    def _sentences(self, n_flat, n_faint):
        caller, out = type(self).__name__, []
        if n_faint:
            out.append(
                f"{caller} met {n_faint} samples at which loss={self.loss!r} has no "
                "usable slope (a saturated model); there it followed the log odds, "
                "which have no scale."
            )
        return out + self._sentences_on_flat(n_flat)

    def _columns(self, view, y, n):
        """Return the column that each sample is driven from, or to if targeted."""
        if self.target is None:
            return None if y is None else view.columns(y)
        return target_columns(view, self.target, n, type(self).__name__)

    def _attack_rows(self, view, values, columns, key, start=None, candidates=()):
        x = view.tensor(values)
        if columns is not None:
            columns = view.integers(columns)
        targeted = self.target is not None
        if targeted and int(columns.max()) >= view.logits(x[:1]).shape[1]:
            raise unknown_target(self.target, type(self).__name__)
        settings = self._settings(view, values, start)
        candidates = [view.tensor(candidate) for candidate in candidates]

        def new_record():
            return Record(view, x, columns, self._aims_at_labels(), targeted=targeted)

        if self.precision == "float32" and not self.compile:
            record = new_record()
            self._search_rows(record, settings, key, candidates)
            return self._finished(record, settings)
        with view.hurried(self.precision, self.compile, self.batch_size):
            rough = new_record()
            rough_settings = dict(settings)
            self._search_rows(rough, rough_settings, key, candidates)
            rough.forget_clean_pass()
        with view.strict():
            record = new_record()
            record.forget_clean_pass()
            self._judge_candidates(record, settings, [*candidates, rough.best])
            record.add_passes(rough)
            record.n_flat += rough.n_flat
            record.n_faint += rough.n_faint
            if record.stops:
                # Full runs for the rows whose verdict the rounding may have turned.
                record.settle_all_but(record.doubtful(rough))
                n_flat, n_faint = record.n_flat, record.n_faint
                self._search_rows(record, settings, key)
                record.n_flat, record.n_faint = n_flat, n_faint
        return self._finished(record, settings)

    @staticmethod
    def _finished(record, settings):
        if "allowed" in settings:  # what is not kept rounded may not be allowed
            record.take_back()
        return record

    def _settings(self, view, values, start):
        """Return what the oracles of these rows have in common."""
        box = (None, None)
        if self.data_range is not None:
            box = tuple(view.tensor(np.asarray(b, float)) for b in self.data_range)
        settings = {"eps": self.eps, "norm": self.norm, "box": box}
        domain = self._domain(values)
        if domain.unit is not None:
            settings["unit"] = view.tensor(domain.unit[None])
        if domain.is_discrete:
            settings["allowed"] = Ground(view, domain, values).allowed
        if start is not None:
            settings["start"] = view.tensor(start)
        return settings

    @staticmethod
    def _judge_candidates(record, settings, candidates):
        for candidate in candidates:
            oracle = Oracle(record, record.column, 1, **settings)
            oracle.finish(candidate[oracle.rows])

    def _search_rows(self, record, settings, key, candidates=()):
        """Run every restart in every direction on the rows that stand."""
        self._judge_candidates(record, settings, candidates)
        if candidates:
            settings["start"] = record.best + 0
        for restart in range(self._n_restarts()):
            for drive in self._drives(record):
                oracle = Oracle(
                    record, drive.column, drive.sign, loss=drive.loss, aim=drive.aim,
                    **settings,
                )  # fmt: skip
                if len(oracle):
                    rng = key.derive("restart", restart, drive.name).generator()
                    z = self._attack_batch(oracle, oracle.start, rng)
                    trust = self._trusts_last and "allowed" not in settings
                    oracle.finish(z, trust=trust, own=True)
            settings.pop("start", None)  # further restarts are random

    def _drives(self, record):
        """Return the runs of one restart."""
        if self.objective == "probability_shift":
            return [Drive(1, record.predicted), Drive(-1, record.predicted, -1)]
        sign = -1 if record.targeted else 1
        aimed = record.targeted and self.loss == "dlr"
        loss = "aimed_dlr" if aimed else self.loss
        return [Drive(sign, record.column, sign, loss)]

    def _n_restarts(self):
        return 1

    def _check_parameters(self):
        super()._check_parameters()
        caller = type(self).__name__
        check_count(self.batch_size, "batch_size", caller)
        check_haste(self)
        self._check_loss()
        check_target_and_objective(self)

    def _check_loss(self):
        check_choice(self.loss, "loss", type(self).__name__, LOSS_NAMES)

    @abstractmethod
    def _attack_batch(self, oracle, x, rng):
        """Return the last iterates of the rows that are still live."""
