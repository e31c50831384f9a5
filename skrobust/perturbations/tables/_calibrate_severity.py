"""Severity of observed drift: two samples of rows on the scale of a perturbation."""

import numpy as np
from sklearn.base import clone

from skrobust._containers import is_frame
from skrobust._keyed_noise.generator import seed_number
from skrobust._keyed_noise.rows import take_rows
from skrobust._results import Results
from skrobust._validation import check_confidence, check_count, invalid
from skrobust.base.perturbation import MAX_SEVERITY
from skrobust.base.table_change import column_labels
from skrobust.perturbations.meta._sequence import PerturbationSequence
from skrobust.perturbations.tables._drift import MeanDrift
from skrobust.perturbations.tables.drift_distance import (
    DriftDistance,
    KindError,
    PooledDistance,
)
from skrobust.perturbations.tables.table_perturbation import (
    TablePerturbation,
    check_container,
)

_LEVELS = np.linspace(0.0, MAX_SEVERITY, 11)
_CELLS = 1 << 22  # numbers that are held at once
_ENOUGH = 1000  # rows on which the draws of a perturbation average out


def calibrate_severity(
    reference,
    later,
    perturbation=None,
    *,
    confidence=0.95,
    n_resamples=400,
    random_state=None,
):
    r"""Return the severity of a perturbation that is as large as an observed drift.

    The drift between two samples of rows is the mean over columns of the first
    Wasserstein distance of their values, in standard deviations of ``reference``; of
    the total variation distance of their frequencies, for categories; and of the
    difference of their shares of missing values, for :class:`MissingValues`. Only the
    columns that the perturbation acts on count, and missing values are left out else.

    Samples of the same source differ, too. So the scale is that of samples of these
    sizes: for each severity s, rows are drawn with replacement as often as there are
    rows in ``reference`` and in ``later``, both from ``reference``, and the second
    sample is perturbed; :math:`D(s)` is the distribution of their distance. The
    severity is where the median of :math:`D(s)` is the observed distance, linear
    between severities in steps of .5. The interval consists of the severities s under
    which the observed distance lies between the quantiles of :math:`D(s)`. Zero
    belongs to it, too, where the rows of both samples, dealt out anew at random, are as
    far apart in more than half of 1 - ``confidence`` of all deals: this permutation
    test is exact for samples of one source, of any distribution. Where 0 belongs to the
    interval, the drift is below the noise floor and the severity is 0.

    Parameters
    ----------
    reference : array-like or data frame of shape (n_reference, n_features)
        The earlier rows, such as those of training.
    later : array-like or data frame of shape (n_later, n_features)
        Rows with the same columns, paired in no way.
    perturbation : TablePerturbation, default=None
        Whose severity is the scale; a copy is fitted on ``reference``. None is
        :class:`MeanDrift`, a shift of all numbers.
    confidence : float in (0, 1), default=0.95
        Level of the interval.
    n_resamples : int, default=400
        Number of samples drawn for each severity.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the samples and of the perturbation.

    Returns
    -------
    results : Results
        ``severity``, 0 below the noise floor and inf beyond 5; ``interval``, (low,
        high) in the same terms; ``words``, what was found; ``noise_floor``, the
        severity from which on a drift stands out half the time with samples of these
        sizes; ``p_value`` of the permutation test;
        ``distance``; ``perturbation``, ``confidence``, ``n_reference`` and ``n_later``;
        ``left_out``, columns of numbers that are constant in ``reference``, which give
        no unit. Columns of the table, one row a column of the rows: ``column``,
        ``distance_of_column`` and ``noise_of_column``, the median without drift.

    Raises
    ------
    ValueError
        For a perturbation that is none of tables or has no severity, and samples with
        other columns.

    Notes
    -----
    Neither the (positive) units of the columns nor the order of the rows matter, for a
    given int as ``random_state``. The distance looks at each column by itself: drift of
    the dependence between columns, or of the labels, is not seen. The time grows with
    the number of rows times ``n_resamples``. The mean over columns and the interval,
    the inversion of a bootstrap test, are our choice. The interval is
    too short where few rows have heavy tails, as bootstraps are.

    References
    ----------
    .. [1] L. N. Vaserstein, "Markov processes over denumerable products of spaces",
       Problems of Information Transmission 5, 1969, for the distance.
    .. [2] B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap", 1993,
       for resampling and intervals by the inversion of a test.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import calibrate_severity
    >>> rng = np.random.default_rng(0)
    >>> before, after = rng.normal(size=(300, 2)), rng.normal(size=(300, 2)) + 0.5
    >>> drift = calibrate_severity(before, after, random_state=0)
    >>> bool(drift.interval[0] < 3 < drift.interval[1])  # severity 3: 0.5 deviations
    True
    >>> calibrate_severity(before[:150], before[150:], random_state=0).severity
    0.0
    """
    caller = "calibrate_severity"
    confidence = check_confidence(confidence, caller)
    n_resamples = check_count(n_resamples, "n_resamples", caller, low=20)
    seed = seed_number(random_state, caller)
    scale = _scale(perturbation, caller)
    reference, later = (
        check_container(scale, X, reset=False) for X in (reference, later)
    )
    _check_columns(reference, later, caller)
    scale.fit(reference)
    known = DriftDistance(reference, scale.columns_, scale._drifts == "missing")
    if len(known.left_out) == len(known.places):
        raise ValueError(
            f"{caller} needs a column that varies in 'reference'; those on which "
            f"{type(scale).__name__} acts are constant there."
        )
    rows = take_rows(reference, known.order())
    known = DriftDistance(rows, known.places, known.missing)
    labels = column_labels(reference)
    try:
        observed = _mean_distance(known.pairs(later), len(rows), len(later))
    except KindError as error:
        place, first, second = error.args
        raise ValueError(
            f"{caller} needs columns of one kind; column {labels[place]!r} holds "
            f"{first} in 'reference' and {second} in 'later'."
        ) from None
    places = [j for j in known.places if j not in known.left_out]
    if not np.isfinite(observed).all():
        place = places[int(np.argmin(np.isfinite(observed)))]
        raise ValueError(
            f"{caller} needs values in each column of both samples, and no infinity; "
            f"column {labels[place]!r} has none, or an infinite one."
        )
    draws = np.random.default_rng(seed & (2**64 - 1))
    # A perturbation that draws is seen on many rows, so that its draws average out.
    n_copies = 1 if scale._noise == "fixed" else -(-_ENOUGH // len(rows))
    many = take_rows(rows, np.tile(np.arange(len(rows)), n_copies))
    weights = _Weights(draws, len(rows), len(many), len(later), n_resamples)
    sequence = PerturbationSequence([scale], noise_key="position", random_state=seed)
    found = []
    for severity in _LEVELS:
        scale.set_params(severity=float(severity))
        moved = sequence.perturb(None, many, None)
        found.append(weights.distances(known.pairs(moved)))
    alpha = (1 - confidence) / 2
    # A sample in which a column has no value says nothing of this column.
    means = np.array([_mean_of_known(by_column) for by_column in found])
    low, middle, high = np.nanquantile(means, [alpha, 0.5, 1 - alpha], axis=1)
    distance = float(observed.mean())
    pooled, n_deals = PooledDistance(known, later), max(n_resamples, round(2 / alpha))
    p_value = pooled.p_value(distance, len(rows), n_deals, draws, _CELLS)
    lowest = _severity_of(distance, high) if p_value <= alpha else 0.0
    interval = lowest, _severity_of(distance, low)
    severity = _severity_of(distance, middle) if interval[0] > 0 else 0.0
    results = Results(
        columns=("column", "distance_of_column", "noise_of_column"),
        column=np.array([str(labels[j]) for j in places]),
        distance_of_column=observed,
        noise_of_column=np.nanmedian(found[0], axis=1),
        severity=severity,
        interval=interval,
        noise_floor=_severity_of(high[0], middle),
        p_value=p_value,
        distance=distance,
        perturbation=type(scale).__name__,
        confidence=confidence,
        n_reference=len(rows),
        n_later=len(later),
        left_out=tuple(labels[j] for j in known.left_out),
    )
    results["words"] = _words(results, scale, rows, sequence)
    return results


def _scale(perturbation, caller):
    """Return a copy of the perturbation, of which the severity is in force."""
    scale = MeanDrift() if perturbation is None else perturbation
    if isinstance(scale, type) or not isinstance(scale, TablePerturbation):
        raise invalid("perturbation", caller, "a perturbation of tables", perturbation)
    scale = clone(scale)
    names = scale.get_params(deep=False)
    if "severity" not in names or not scale._strengths:
        rule = "a perturbation with a severity"
        raise invalid("perturbation", caller, rule, perturbation)
    return scale.set_params(severity=1.0, **dict.fromkeys(scale._strengths))


def _check_columns(reference, later, caller):
    frames = is_frame(reference) and is_frame(later)
    if frames and list(reference.columns) != list(later.columns):
        names = list(reference.columns), list(later.columns)
        other = [n for n in names[0] if n not in names[1]]
        other += [n for n in names[1] if n not in names[0]]
        text = f"they differ in {other[0]!r}" if other else "their order differs"
        raise ValueError(
            f"{caller} needs the same columns in 'reference' and 'later'; {text}."
        )
    if reference.shape[1] != later.shape[1]:
        raise ValueError(
            f"{caller} needs the same columns in 'reference' and 'later'. Got "
            f"{reference.shape[1]} and {later.shape[1]} columns."
        )


class _Weights:
    """How often each row is drawn, in each of the samples.

    The same samples serve all severities, so that the scale is smooth.
    """

    def __init__(self, draws, n, n_perturbed, m, n_resamples):
        self.n, self.n_perturbed, self.m = n, n_perturbed, m
        self.n_resamples = n_resamples
        self.seed = draws.integers(2**63)

    def distances(self, pairs):
        """Return distances of shape (n_columns, n_resamples)."""
        draws = np.random.default_rng(self.seed)
        step, parts = max(1, _CELLS // (2 * (self.n + self.n_perturbed))), []
        sizes = (self.n, self.n), (self.m, self.n_perturbed)
        even = [(k, np.full(n, 1 / n)) for k, n in sizes]
        for start in range(0, self.n_resamples, step):
            size = min(step, self.n_resamples - start)
            both = (draws.multinomial(k, shares, size=size) for k, shares in even)
            first, second = (counts.astype(np.float64) for counts in both)
            parts.append([p.distance(first, second) for p in pairs.values()])
        return np.concatenate(parts, axis=1)


def _mean_distance(pairs, n, m):
    """Return the distance of each column with each row once."""
    once = np.ones((1, n)), np.ones((1, m))
    return np.array([pair.distance(*once)[0] for pair in pairs.values()])


def _mean_of_known(by_column):
    known = ~np.isnan(by_column)
    total, n = np.where(known, by_column, 0.0).sum(axis=0), known.sum(axis=0)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def _severity_of(distance, curve):
    """Return the severity at which a curve has this height, inf where it never does."""
    curve = np.maximum.accumulate(curve)
    if distance <= curve[0]:
        return 0.0
    return float(np.interp(distance, curve, _LEVELS, right=np.inf))


def _words(results, scale, rows, sequence):
    name, level = results.perturbation, f"{results.confidence:.0%}"
    low, high = results.interval
    if results.severity == 0:
        if np.isinf(results.noise_floor):
            return (
                f"no drift found, but {results.n_reference} and {results.n_later} rows "
                f"cannot tell severity {MAX_SEVERITY:g} of {name} from noise"
            )
        upper = f"beyond {MAX_SEVERITY:g}" if np.isinf(high) else f"{high:.2g}"
        return (
            f"below the noise floor: no drift found that samples of "
            f"{results.n_reference} and {results.n_later} rows would not show without "
            f"one ({level} upper limit of the severity of {name}: {upper})"
        )
    if np.isinf(results.severity):
        return (
            f"beyond severity {MAX_SEVERITY:g} of {name}, the strongest of the scale: "
            f"columns differ by {results.distance:.2g} on average"
        )
    upper = f"beyond {MAX_SEVERITY:g}" if np.isinf(high) else f"{high:.2g}"
    scale.set_params(severity=results.severity)
    return (
        f"severity {results.severity:.2g} of {name} ({level} interval {low:.2g} to "
        f"{upper}): {sequence.describe(rows).words}"
    )
