"""What every attack of minimal norm gets for free."""

from abc import abstractmethod

import numpy as np
from sklearn.base import clone

from skrobust._containers import to_array
from skrobust._differentiable import differentiable_view
from skrobust._norms import namespace
from skrobust._responses import predict_labels
from skrobust._validation import check_count
from skrobust.attacks.core.minimal_search import Pursuit
from skrobust.attacks.core.model_in_container import Asked
from skrobust.attacks.core.straight_through import Ground
from skrobust.attacks.core.targets import (
    check_target_and_objective,
    target_columns,
    unknown_target,
)
from skrobust.base import BaseAttack
from skrobust.base.attack import OBJECTIVES

# How much longer an example may become until it fools in the precision of the input.
_GROWTH = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0)


class MinimalNormAttack(BaseAttack):
    """Base class of attacks that look for the smallest adversarial perturbation.

    A subclass writes ``_pursue(pursuit)``: it asks ``pursuit.look(z)`` for margins and
    gradients as often as it likes, and the pursuit remembers the smallest example that
    fools. Steps are in units of ``pursuit.reach``, the first-order distance of each row
    from the boundary, so that nothing depends on the scale of the features, of their
    number, or of the scores. Points are in the units of ``constraints`` (a parameter
    that a subclass may have), frozen features have no gradient, and whole numbers,
    levels and one-hot groups are shown to the model as rounded. The same code runs in
    numpy and torch.

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

    Examples
    --------
    >>> from skrobust.attacks import DDN
    >>> from skrobust.attacks import MinimalNormAttack
    >>> issubclass(DDN, MinimalNormAttack)
    True
    """

    batch_size = 256
    target = None
    _objectives = (*OBJECTIVES, "minimal")
    _n_looks = 8  # evaluations of the search along the line at the end

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
        free = clone(self).set_params(eps=np.inf, objective="misclassification")
        found = free.perturb(estimator, X, y)
        predicted = predict_labels(estimator, found)
        if self.target is not None:
            fooled = predicted == np.asarray(self.target)
        else:
            labels = predict_labels(estimator, X) if y is None else np.asarray(y)
            fooled = predicted != labels
        values = np.asarray(to_array(X))
        step = np.asarray(to_array(found), np.float64) - values
        domain = free._by_position(X)._domain(values)
        return np.where(fooled, domain.length(step), np.inf)

    def _search(self, estimator, X, y, start=None):
        # The model has the last word, in the container that came in.
        return super()._search(Asked(estimator, X), X, y, start)

    def _attack(self, estimator, X, y, key):
        caller = type(self).__name__
        out, n_flat = X.copy(), 0
        with differentiable_view(estimator.model, caller) as view:
            columns = self._columns(view, y, len(X))
            for start in range(0, len(X), self.batch_size):
                part = slice(start, start + self.batch_size)
                known = None if columns is None else columns[part]
                out[part], flat = self._attack_rows(view, estimator, X[part], known)
                n_flat += flat
        return out, {"warnings": self._sentences_on_flat(n_flat)}

    def _columns(self, view, y, n):
        """Return the column that each row must leave, or come to if targeted."""
        if self.target is not None:
            return target_columns(view, self.target, n, type(self).__name__)
        return None if y is None or not self._aims_at_labels() else view.columns(y)

    def _attack_rows(self, view, estimator, values, columns):
        x, targeted = view.tensor(values), self.target is not None
        scores = view.verdicts(view.logits(x))
        predicted = scores.argmax(1)
        if targeted and int(columns.max()) >= scores.shape[1]:
            raise unknown_target(self.target, type(self).__name__)
        column = predicted if columns is None else view.integers(columns)
        rows = namespace(x).where((predicted == column) != targeted)[0]
        if not len(rows):
            return values, 0
        box = (None, None)
        if self.data_range is not None:
            box = tuple(view.tensor(np.asarray(b, float)) for b in self.data_range)
        shifts = self.objective == "probability_shift"
        places = np.asarray(view.host(rows))
        domain = self._domain(values)
        domain = domain if shifts else domain.without_ball()
        ground = Ground(view, domain, values[places])
        pursuit = Pursuit(
            ground, x[rows], column[rows], box, self.norm,
            self.eps if shifts else None, targeted=targeted,
        )  # fmt: skip
        self._pursue(pursuit)
        if self.norm != 0:
            pursuit.shorten(self._n_looks)
        out = values.copy()
        out[places] = self._choose(pursuit, estimator, values[places])
        return out, int(pursuit.flat.sum())

    def _aims_at_labels(self):
        return self.objective in (None, "misclassification")

    def _choose(self, pursuit, estimator, values):
        """Return what the objective asks for, in the precision of the input."""
        if self.objective == "probability_shift":
            return self._rounded(pursuit, pursuit.shift_most(), values)
        found, settled = self._settle(pursuit, estimator, values)
        if self._aims_at_labels():
            size = pursuit.ground.domain.length(found.astype(np.float64) - values)
            keep = settled & (size <= self.eps)
            return np.where(_spread(keep, values), found, values)
        loose = self._rounded(pursuit, pursuit.strongest(), values)
        return np.where(_spread(settled, values), found, loose)

    def _rounded(self, pursuit, z, values):
        ground, host = pursuit.ground, pursuit.view.host
        # What did not move stays bit for bit, whatever the working precision.
        moved = np.where(host(z == pursuit.x), values, host(ground.raw(z)))
        return ground.domain.put_back(moved, values)

    def _settle(self, pursuit, estimator, values):
        """Return examples that fool once rounded, a little longer where they must."""
        out = values.copy()
        settled = np.zeros(len(values), dtype=bool)
        pending = np.isfinite(pursuit.view.host(pursuit.size))
        step = pursuit.best - pursuit.x
        for growth in _GROWTH:
            rows = np.flatnonzero(pending)
            if not len(rows):
                break
            z = pursuit.clip(pursuit.x + (1 + growth) * step)
            rounded = self._rounded(pursuit, z, values)[rows]
            good = self._fools(pursuit, estimator, rounded, rows)
            out[rows[good]], settled[rows[good]] = rounded[good], True
            pending[rows[good]] = False
        return out, settled

    def _fools(self, pursuit, estimator, rounded, rows):
        """Say which rows fool the model itself."""
        view = pursuit.view
        if namespace(pursuit.x) is not np:  # a net's own passes
            rows = view.integers(rows)
            return view.host(pursuit.verdict(view.tensor(rounded), rows))
        # The rounding of a model may differ from that of its view.
        labels = view.columns(estimator.labels(rounded))
        return (labels == pursuit.column[rows]) == (self.target is not None)

    def _check_eps(self, caller):
        if not isinstance(self.eps, float) or self.eps != np.inf:
            super()._check_eps(caller)

    def _check_parameters(self):
        super()._check_parameters()
        check_count(self.batch_size, "batch_size", type(self).__name__)
        check_target_and_objective(self)

    @abstractmethod
    def _pursue(self, pursuit):
        """Look for small examples of all rows of a pursuit."""


def _spread(mask, values):
    return mask.reshape((-1,) + (1,) * (values.ndim - 1))
