"""Robust accuracy over many radii, by bisection."""

import warnings

import numpy as np
from sklearn.base import clone

from skrobust._array_checks import check_scores, number_array
from skrobust._containers import to_array
from skrobust._keyed_noise.rows import take_rows
from skrobust._parallel import StepBar
from skrobust._responses import predict_labels
from skrobust._results import Results
from skrobust._validation import check_flag, invalid
from skrobust.attacks import AutoPGD, GradientAttack
from skrobust.base import BaseAttack
from skrobust.base.attack_by_name import read_attack
from skrobust.base.changed_rows import changed_rows
from skrobust.base.rows_as_numbers import as_numbers
from skrobust.evaluation.core.acted import warn_idle_attack
from skrobust.evaluation.core.argument_checks import check_labels
from skrobust.evaluation.core.verdict import verdict_on_curve
from skrobust.metrics import proportion_interval
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.column_means import ColumnMeans
from skrobust.metrics.intervals.simultaneous import simultaneous_band

_CALLER = "robust_accuracy_curve"
_TIGHTENING = 12  # steps
# Where a bracket is cut: what falls leaves early, what stands takes every step, so
# that the larger part lies below.
_CUT = 0.75


class _Sweep:
    """Bracket of radii of each sample, robust at ``low`` and fooled at ``high``.

    Places are positions in the grid; -1 is no perturbation at all, and the length of
    the grid is beyond it.
    """

    def __init__(self, attack, estimator, X, y, eps):
        self.attack, self.estimator, self.X, self.y = attack, estimator, X, y
        self.eps = eps
        n = len(y)
        self.low, self.high = np.full(n, -1), np.full(n, len(eps))
        self.ends = number_array(X, "X", _CALLER).astype(np.float64)
        self.reached = np.full(n, np.inf)
        self.changed = np.zeros(n, dtype=bool)  # by any run
        self.n_passes, self.n_runs, self.messages = 0, 0, []

    def attack_at(self, place, rows, attack, *, warm=False):
        """Attack some rows at one radius and narrow their brackets."""
        attack = clone(attack).set_params(eps=float(self.eps[place]))
        attack._tells_units = False  # the radius is one of many
        data = self.estimator, take_rows(self.X, rows), self.y[rows]
        result = attack.run(*data, start=self.ends[rows] if warm else None)
        self.n_runs += 1
        self.n_passes += result.n_passes or 0
        self.messages += [s for s in result.warnings if s not in self.messages]
        self.changed[rows] |= changed_rows(data[1], result.X_adv)
        won = result.success
        found = np.asarray(to_array(result.X_adv), dtype=np.float64)
        nearer = ~won | (result.norm < self.reached[rows])
        self.ends[rows[nearer]] = found[nearer]
        # An example proves every radius from its own distance on, not only this one.
        distance = np.where(won, result.norm, np.inf)
        known = np.where(won, place, 1e9)
        proven = np.minimum(np.searchsorted(self.eps, distance), known)
        self.reached[rows] = np.minimum(self.reached[rows], distance)
        self.high[rows] = np.minimum(self.high[rows], proven)
        self.low[rows[~won]] = np.maximum(self.low[rows[~won]], place)
        self.low = np.minimum(self.low, self.high - 1)

    def n_open(self):
        """Return the number of radii, of all samples, that are not decided."""
        return int(np.maximum(self.high - self.low - 1, 0).sum())

    def bisect(self, bar):
        """Cut the brackets until they are one step of the grid."""
        while (self.high - self.low > 1).any():
            open_rows = np.flatnonzero(self.high - self.low > 1)
            low, high = self.low[open_rows], self.high[open_rows]
            middle = np.clip(np.rint(low + _CUT * (high - low)), low + 1, high - 1)
            middle = middle.astype(int)
            for place in np.unique(middle):
                left = self.n_open()
                self.attack_at(place, open_rows[middle == place], self.attack)
                bar.done(left - self.n_open())

    def tighten(self, loss, *, warm):
        """Attack each sample at its largest robust radius with AutoPGD while it falls.

        What falls goes on at the next radius below, so radii run downwards.
        """
        names = ("norm", "data_range", "target", "batch_size", "random_state")
        names += ("constraints", "n_draws")
        known = {name: getattr(self.attack, name) for name in names}
        attack = AutoPGD(loss=loss, n_steps=_TIGHTENING, **known)
        for place in range(len(self.eps) - 1, -1, -1):
            rows = np.flatnonzero(self.high - 1 == place)
            if len(rows):
                self.attack_at(place, rows, attack, warm=warm)


def robust_accuracy_curve(
    estimator,
    X,
    y,
    attack,
    eps_grid,
    *,
    norm=None,
    data_range=None,
    tighten=True,
    confidence=0.95,
    random_state=None,
    verbose=0,
):
    """Measure robust accuracy at every radius of a grid.

    The radius at which each sample falls is bracketed by bisection over the grid:
    fooled samples leave, and an example counts from its own distance on. Then each
    sample is attacked again at the largest radius it withstood, and below while it
    falls. That takes a few runs' worth of passes instead of one run for each radius,
    and the curve cannot rise.

    Parameters
    ----------
    estimator : fitted classifier
        The model; used as it is.
    X : array-like or data frame of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed.
    y : array-like of shape (n_samples,)
        True labels.
    attack : BaseAttack with a parameter ``eps``, or "auto"
        Run with the radii of the grid; its own ``eps`` is not used, except for the unit
        of such as ``"1 std"``, in which the radii are then meant. Its norm must be that
        of the grid. "auto" is :class:`~skrobust.attacks.StrongestAttack`.
    eps_grid : array-like of float of shape (n_radii,)
        Rising positive radii.
    norm : {inf, 2, 1}, default=None
        Norm of "auto"; None is inf.
    data_range : (low, high), default=None
        Bounds of the raw input, for "auto".
    tighten : bool, default=True
        Whether to attack again, where the attack follows gradients: by short runs of
        :class:`~skrobust.attacks.AutoPGD` on DLR from the example found just beyond,
        and on the soft margin from a random point.
    confidence : float in (0, 1), default=0.95
        Level of the Wilson intervals.
    random_state : int, RandomState, Generator or None, default=None
        Seed of "auto".
    verbose : int, default=0
        From 1 on, a progress bar with the time left: over the radii that are open, of
        all samples, and the two runs that attack again.

    Returns
    -------
    results : Results
        Columns ``eps``, ``robust_accuracy`` with ``_low`` and ``_high`` (of one radius)
        and ``_band_low`` and ``_band_high`` (of all radii at once);
        ``clean_accuracy`` (for a targeted attack: the share not yet predicted as the
        target); ``radius``, the smallest radius of the grid at which each sample is
        fooled (0 where it was wrong from the start, inf where it never is) and
        ``distance``, that of its nearest example; ``n_passes``, forward and backward
        passes or queries over all samples, ``n_runs``, and ``warnings``; ``changed``,
        the share of rows that any run changed (rows that are wrong from the start are
        not attacked).

    Raises
    ------
    ValueError
        For radii that do not rise or are not positive, and attacks without ``eps``.

    Warns
    -----
    UserWarning
        Where no run changed any row, and what the attack itself warns of.

    Notes
    -----
    Robust accuracy is an upper bound, as of any attack. A single attack may fool a
    sample at one radius and miss it at a larger one; here it counts as fooled there.

    References
    ----------
    N. Carlini et al., "On evaluating adversarial robustness" (2019), on curves of
    accuracy against the radius that must not rise.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.attacks import PGD
    >>> from skrobust.evaluation import robust_accuracy_curve
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> curve = robust_accuracy_curve(
    ...     model, X, y, PGD(random_state=0), np.linspace(0.1, 2, 20)
    ... )
    >>> bool((np.diff(curve.robust_accuracy) <= 0).all())
    True
    """
    eps = check_scores(eps_grid, _CALLER, name="eps_grid", min_size=1)
    ball = {"norm": norm, "data_range": data_range}
    if isinstance(attack, str):
        ball["eps"] = float(eps[-1])
    seed = {"random_state": random_state}
    attack = read_attack(attack, "attack", _CALLER, X=X, **seed, **ball)
    if not isinstance(attack, BaseAttack) or "eps" not in attack.get_params(deep=False):
        raise invalid("attack", _CALLER, "an attack with a parameter eps", attack)
    if np.ndim(getattr(attack, "target", None)) > 0:
        rule = "an attack with one target for all samples, if any"
        raise invalid("attack", _CALLER, rule, attack)
    if eps[0] <= 0 or (np.diff(eps) <= 0).any():
        raise invalid("eps_grid", _CALLER, "rising positive radii", eps.tolist())
    y = check_labels(estimator, X, y, _CALLER)
    if "objective" in attack.get_params(deep=False):
        attack = clone(attack).set_params(objective="misclassification")
    attack, estimator, X, _ = as_numbers(attack, estimator, X)
    sweep = _Sweep(attack, estimator, X, y, eps)
    predicted = predict_labels(estimator, X)
    target = getattr(attack, "target", None)
    fallen = predicted != y if target is None else predicted == target
    sweep.high[fallen], sweep.reached[fallen] = -1, 0.0
    sweep.low = np.minimum(sweep.low, sweep.high)
    again = check_flag(tighten, "tighten", _CALLER) and isinstance(
        attack, GradientAttack
    )
    n_open = sweep.n_open()
    bar = StepBar(n_open * (2 if again else 1), _CALLER, verbose)
    sweep.bisect(bar)
    if again:
        sweep.tighten("dlr", warm=True)
        bar.done(n_open / 2)
        sweep.tighten("soft_margin", warm=False)
        bar.done(n_open / 2)
    bar.close()
    for message in sweep.messages:
        warnings.warn(message, UserWarning, stacklevel=2)
    idle = sweep.n_runs > 0 and not sweep.changed.any()
    widest = clone(attack).set_params(eps=float(eps[-1]))
    warn_idle_attack(widest, idle, _CALLER)
    return _curve(sweep, confidence, attack)


def _curve(sweep, confidence, attack):
    n, high_place = len(sweep.y), sweep.high
    standing = (high_place[None] > np.arange(len(sweep.eps))[:, None]).sum(axis=1)
    bounds = [proportion_interval(int(k), n, confidence=confidence) for k in standing]
    low, high = band_low, band_high = np.array(bounds).T
    if n > 1:
        robust = high_place[:, None] > np.arange(len(sweep.eps))
        means = ColumnMeans(robust, make_units(None, n, _CALLER))
        band_low, band_high = simultaneous_band(means, confidence, low, high)
    columns = {
        "eps": sweep.eps,
        "robust_accuracy": standing / n,
        "robust_accuracy_low": low,
        "robust_accuracy_high": high,
        "robust_accuracy_band_low": band_low,
        "robust_accuracy_band_high": band_high,
    }
    results = Results(
        columns=tuple(columns),
        **columns,
        clean_accuracy=float((high_place >= 0).mean()),
        radius=np.r_[sweep.eps, np.inf, 0.0][high_place],
        distance=sweep.reached,
        changed=float(sweep.changed.mean()),
        n_samples=n,
        n_passes=sweep.n_passes,
        n_runs=sweep.n_runs,
        warnings=list(sweep.messages),
        attack=repr(attack),
    )
    results["verdict"] = verdict_on_curve(results)
    return results
