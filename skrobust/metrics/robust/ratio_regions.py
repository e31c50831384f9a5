"""Optimum regions of operation: tolerances at which each model leads."""

import itertools
import warnings

import numpy as np

from skrobust._array_checks import check_weights
from skrobust._keyed_noise.generator import seed_number
from skrobust._results import Results
from skrobust._validation import check_confidence, check_count, invalid
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.robust.probability_shift import check_tolerances, shifts

_CHUNK = 1 << 22  # random numbers held at a time


def robust_ratio_regions(
    models,
    *,
    tolerances=None,
    reference="predicted",
    y_true=None,
    labels=None,
    sample_weight=None,
    clusters=None,
    confidence=0.95,
    n_resamples=2000,
    random_state=None,
):
    r"""Find the ranges of tolerance in which each model has the highest robust ratio.

    A model leads at a tolerance :math:`b` where its robust ratio is above that of every
    other model by more than chance allows, for all models and tolerances at once:

    .. math:: \tilde d_{mk}(b) - c \, s_{mk}(b) > 0 \quad \text{for all } k \ne m,
        \qquad \tilde d_{mk} = \frac{n_{mk} - n_{km}}{n + 2 e}

    where :math:`n_{mk}` is the weight of the samples that are within the tolerance for
    model :math:`m` but not for :math:`k`, :math:`n` that of all samples, :math:`e` that
    of one sample (1 without weights), :math:`s` the standard error of
    :math:`\tilde d`, and :math:`c` the quantile of the largest
    :math:`|\tilde d - d| / s` over all pairs and tolerances.

    Parameters
    ----------
    models : dict
        Name of each model (two or more) to its data, samples in the same order: a tuple
        ``(y_prob, y_prob_perturbed)``, or the :func:`probability_shift` of each sample.
    tolerances : array-like of shape (n_tolerances,) or None, default=None
        Tolerances in [0, 1]; None: 0, 0.01, ..., 0.2 as in the source.
    reference : {"predicted", "true", "max"}, default="predicted"
        Class whose probability is compared, as in :func:`robust_ratio_curve`.
    y_true : array-like of shape (n_samples,) or None, default=None
        True classes, used with ``reference="true"`` only.
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights, as fixed by the design of the sample; those of weight 0
        count as absent.
    clusters : array-like of shape (n_samples,) or None, default=None
        Samples that were drawn together: the clip of a frame, the patient of a row.
    confidence : float in (0, 1), default=0.95
        Probability that no model is said to lead, at any tolerance, that does not.
    n_resamples : int, default=2000
        Draws of the multipliers that give :math:`c`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the multipliers.

    Returns
    -------
    Results
        Columns, one row per tolerance, which rise: ``tolerance``; ``best``, the model
        with the highest ratio (the first of equals), and ``margin``, by how much it is
        above the next; ``leader``, the model that leads, or "" where none does, and
        ``lead_low``, the lower limit of the best model's smallest lead (above 0
        where it leads). Beside them:

        - ``regions``, a table of the runs of tolerances in which one model leads:
          ``model``, ``start``, ``stop``, ``n_tolerances`` and ``lead_low``, the
          smallest;
        - ``pairs``, one row per pair and tolerance: ``first``, ``second``,
          ``tolerance``, ``difference`` (first less second), ``band_low``,
          ``band_high``;
        - ``models``, ``ratios`` of shape (n_tolerances, n_models) and ``contenders``,
          booleans of that shape: the models that no other one is shown to beat;
        - ``critical_value`` (:math:`c`), ``n``, ``unit``, ``confidence``, ``warnings``.

    Raises
    ------
    ValueError
        For fewer than two models, other samples, and what :func:`robust_ratio_curve`
        refuses.

    Warns
    -----
    UserWarning
        For few clusters.

    Notes
    -----
    The source compares models by eye. Multipliers: one standard normal number for each
    sample (or cluster) weighs its deviation in all pairs and tolerances alike, and the
    largest is divided by the root of a mean square on n - 1 degrees of freedom, fewer
    where a few units have most of the weight, so that c is a quantile of t where there
    is one comparison. Two more samples, one for each side, as Bonett and Price add
    them, keep the error above 0 where few or no samples differ; they have the weight
    :math:`e = \sum_i w_i^2 / \sum_i w_i`, and with clusters the mean size. The page
    "Coverage of intervals" of the guide has the measured errors. A region says nothing
    about tolerances between those given. Ratios from an attack are upper bounds, so
    that a lead may come from an attack that fails.

    References
    ----------
    Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795), for the regions; D. Bonett and R. Price
    (Journal of Educational and Behavioral Statistics, 2012); V. Chernozhukov, D.
    Chetverikov and K. Kato, "Gaussian approximations and multiplier bootstrap for
    maxima of sums of high-dimensional random vectors" (Annals of Statistics, 2013).

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.metrics import robust_ratio_regions
    >>> rng = np.random.default_rng(0)
    >>> brittle = np.where(rng.random(400) < 0.6, 0.01, 0.5)
    >>> shifts = {"steady": rng.uniform(0, 0.2, 400), "brittle": brittle}
    >>> found = robust_ratio_regions(shifts, random_state=0)
    >>> found.regions.model.tolist()
    ['brittle', 'steady']
    >>> found.regions.start, found.regions.stop
    (array([0.01, 0.14]), array([0.09, 0.2 ]))
    """
    caller = "robust_ratio_regions"
    confidence = check_confidence(confidence, caller)
    n_resamples = check_count(n_resamples, "n_resamples", caller, low=100)
    rng = np.random.default_rng(seed_number(random_state, caller) % 2**64)
    tolerances = np.unique(check_tolerances(tolerances, caller))
    if not isinstance(models, dict) or len(models) < 2:
        raise invalid("models", caller, "a dict of two or more models", models)
    within = _within(models, tolerances, (reference, y_true, labels), caller)
    weight = check_weights(sample_weight, within.shape[1], caller)
    units = make_units(clusters, within.shape[1], caller)
    if weight is not None and not weight.all():
        kept = weight > 0
        within, weight = within[:, kept], weight[kept]
        units = make_units(units.codes[kept], len(weight), caller)
    for text in units.warnings():
        warnings.warn(text, UserWarning, stacklevel=2)
    names = np.array([str(name) for name in models])
    pairs = np.transpose(list(itertools.combinations(range(len(names)), 2)))
    curves = _Curves(within, units, *pairs, weight)
    critical = curves.quantile(confidence, n_resamples, rng)
    low, high = curves.limits(critical)
    first, second = pairs
    leads = np.full((len(names), len(names), len(tolerances)), np.nan)
    leads[first, second], leads[second, first] = low, -high  # nan on the diagonal
    ratios = np.average(within, axis=1, weights=weight)
    results = _leaders(names, tolerances, ratios, np.nanmin(leads, axis=1))
    results["regions"] = _regions(results)
    table = {
        "first": np.repeat(names[first], len(tolerances)),
        "second": np.repeat(names[second], len(tolerances)),
        "tolerance": np.tile(tolerances, len(first)),
        "difference": (ratios[first] - ratios[second]).ravel(),
        "band_low": low.ravel(),
        "band_high": high.ravel(),
    }
    results["pairs"] = Results(columns=tuple(table), **table)
    results.update(
        models=names,
        ratios=ratios.T,
        contenders=~(leads > 0).any(axis=0).T,
        critical_value=critical,
        n=units.n,
        unit=units.name,
        confidence=confidence,
        warnings=units.warnings(),
    )
    return results


def _within(models, tolerances, settings, caller):
    """Return who is within which tolerance, shape (n_models, n_samples, n_bounds)."""
    found = {}
    for name, data in models.items():
        data = data if isinstance(data, tuple) else (data,)
        shift, atol = shifts(data, caller, *settings)
        found[name] = shift[:, None] <= tolerances + atol
    lengths = {name: len(rows) for name, rows in found.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name!r} has {n}" for name, n in lengths.items())
        raise ValueError(f"{caller} needs the same samples of each model; {listed}.")
    return np.stack(list(found.values()))


class _Curves:
    """Differences of the curves of pairs, with their errors and multipliers.

    Arrays are of shape (n_pairs, n_tolerances).
    """

    def __init__(self, within, units, first, second, weight=None):
        self.units, self.pairs = units, (first, second)
        weight = np.ones(len(units.codes)) if weight is None else weight / weight.mean()
        sums = [units.sums(rows * weight[:, None]) for rows in within]
        self.size = units.sums(weight)
        squares = self.size**2
        # Two more units: one for each side of a pair.
        self.extra = self.size.mean()
        if not units.clustered:  # as a sample that is drawn with its weight
            self.extra = squares.sum() / self.size.sum()
        self.df = max(1.0, squares.sum() ** 2 / (squares**2).sum() - 1)
        self.total = self.size.sum() + 2 * self.extra
        self.sums = np.stack(sums, axis=1)  # units, models, tolerances
        square, whole = [], []
        for a, b in zip(first, second, strict=True):
            moved = self.sums[:, a] - self.sums[:, b]
            centre = moved.sum(axis=0) / self.total
            ends = [side * self.extra - centre * self.extra for side in (1, -1)]
            rest = moved - centre * self.size[:, None]
            square.append((rest**2).sum(axis=0) + ends[0] ** 2 + ends[1] ** 2)
            whole.append(centre)
        correction = units.n / (units.n - 1) if units.clustered else 1.0
        self.difference = np.array(whole)
        self.error = np.sqrt(np.array(square) * correction) / self.total
        self.spread = np.sqrt(square)

    def quantile(self, confidence, n_resamples, rng):
        """Return the quantile of the largest studentised deviation."""
        if not self.units.enough:
            return float("nan")
        n = self.units.n
        flat = self.sums.reshape(n, -1)
        step = max(1, _CHUNK // (n + self.error.size))
        largest = []
        for start in range(0, n_resamples, step):
            m = min(step, n_resamples - start)
            draws = rng.normal(size=(m, n + 2))
            curves = (draws[:, :n] @ flat).reshape(m, *self.sums.shape[1:])
            moved = curves[:, self.pairs[0]] - curves[:, self.pairs[1]]
            both, sides = draws[:, n:].sum(axis=1), draws[:, n] - draws[:, n + 1]
            weight = draws[:, :n] @ self.size + self.extra * both
            moved -= weight[:, None, None] * self.difference
            moved += (self.extra * sides)[:, None, None]
            largest.append((np.abs(moved) / self.spread).max(axis=(1, 2)))
        scale = np.sqrt(rng.chisquare(self.df, size=n_resamples) / self.df)
        return float(np.quantile(np.concatenate(largest) / scale, confidence))

    def limits(self, critical):
        """Return simultaneous limits of the differences, within [-1, 1]."""
        if np.isnan(critical):
            return np.full((2, *self.error.shape), [[[-1.0]], [[1.0]]])
        half = critical * self.error
        return np.clip([self.difference - half, self.difference + half], -1, 1)


def _leaders(names, tolerances, ratios, smallest):
    """Return the best model at each tolerance, and whether it leads."""
    at = np.arange(len(tolerances))
    best = ratios.argmax(axis=0)
    ranked = np.sort(ratios, axis=0)
    lead_low = smallest[best, at]
    columns = {
        "tolerance": tolerances,
        "best": names[best],
        "margin": ranked[-1] - ranked[-2],
        "leader": np.where(lead_low > 0, names[best], ""),
        "lead_low": lead_low,
    }
    return Results(columns=tuple(columns), **columns)


def _regions(results):
    """Return the runs of neighbouring tolerances in which one model leads."""
    leader = results["leader"]
    starts = np.flatnonzero(np.append(True, leader[1:] != leader[:-1]))
    runs = zip(starts, np.append(starts[1:], len(leader)), strict=True)
    runs = [(a, b) for a, b in runs if leader[a]]
    first = np.array([a for a, _ in runs], dtype=int)
    last = np.array([b - 1 for _, b in runs], dtype=int)
    lows = [results["lead_low"][a:b].min() for a, b in runs]
    columns = {
        "model": leader[first],
        "start": results["tolerance"][first],
        "stop": results["tolerance"][last],
        "n_tolerances": last - first + 1,
        "lead_low": np.array(lows, dtype=np.float64),
    }
    return Results(columns=tuple(columns), **columns)
