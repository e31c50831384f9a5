"""Stability indices of periods over batches of rows."""

from dataclasses import replace

import numpy as np

from skrobust._array_checks import check_same_length, check_scores, check_weights
from skrobust._containers import one_per_row
from skrobust._validation import check_choice, check_count, check_number, invalid
from skrobust.metrics.labels import label_array
from skrobust.metrics.registry import call_with_options
from skrobust.metrics.stability.period_metrics import report_left_out
from skrobust.metrics.stability.period_rows import rows_of_periods
from skrobust.metrics.stability.trend_interval import RowNoise, Trend, trend_interval
from skrobust.metrics.streaming.period_moments import PeriodMoments
from skrobust.metrics.streaming.score_cells import MAX_CELLS, ScoreCells

_DRAWS = 200  # of the noise of each period, as for rows in memory
_SCORES = (None, "gini", "roc_auc")
_TITLE = "stability index"


class StreamedPeriods:
    """Stability index of the scores of periods, which are gathered one by one.

    Parameters
    ----------
    params : dict
        Options: ``falling_rate_weight``, ``variability_weight``, ``score`` and
        ``max_cells``; of the gini stability ``undefined`` and ``max_cells``.
    gini : bool, default=False
        Whether it is the gini stability, whose third array has the periods.
    """

    def __init__(self, params, *, gini=False):
        read, title = (_gini_options, "gini stability") if gini else (_options, _TITLE)
        caller = "StreamingMetric"
        found = call_with_options(read, (), params, caller, title)
        self.fall, self.scatter, self.score, self.undefined, self.max_cells = found
        self.gini, self.periods, self.n_rows = gini, {}, 0
        self.labels, self.categories, self.weighted = [], None, False

    def update(self, data, rows, clusters, caller):
        """Add a batch."""
        rows = dict(rows)
        data, times, name = self._read(data, rows, caller)
        n = len(data[0])
        weight = rows.pop("sample_weight", None)
        if rows or (weight is not None and self.score is None):
            unknown = next(iter(rows), "sample_weight")
            raise TypeError(f"{caller} of the {_TITLE} has no parameter {unknown!r}.")
        weight = check_weights(weight, n, caller)
        self.weighted |= weight is not None
        if clusters is not None:
            clusters = label_array(clusters, caller, "clusters")
            check_same_length(caller, data=data[0], clusters=clusters)
        ordered, categories = getattr(times, "cat", times), self.categories
        if getattr(ordered, "ordered", False) and hasattr(ordered, "categories"):
            own = list(ordered.categories)
            categories = _joined_categories(categories, own, caller)
        distinct, rows_of = rows_of_periods(times, n, caller, name=name)
        names = distinct.tolist() if distinct.dtype.kind in "iufbUO" else list(distinct)
        _check_known([*self.periods, *names], categories, caller)
        self.categories = categories
        for period, places in zip(names, rows_of, strict=True):
            self._update_period(period, data, weight, clusters, places)
        self.n_rows += n if weight is None else int(np.count_nonzero(weight))

    def _read(self, data, rows, caller):
        """Return checked arrays, the periods, and the name of these."""
        wanted = 2 if self.score is not None else 1
        if len(data) != wanted + self.gini:
            what = "y_true, y_score and times" if self.gini else "y_true and y_score"
            what = "one array of rows" if wanted == 1 else what
            raise ValueError(
                f"{caller} of the {_TITLE} takes {what}. Got {len(data)} arrays."
            )
        if not self.gini and "periods" not in rows:
            raise ValueError(
                f"{caller} of the {_TITLE} needs periods=, the period of each row: "
                "scores alone would depend on the order of the batches."
            )
        times, name = (
            (data[2], "times") if self.gini else (rows.pop("periods"), "periods")
        )
        if self.score is None:
            return (check_scores(data[0], caller, name="data"),), times, name
        y_true = label_array(data[0], caller, "y_true")
        y_score = check_scores(data[1], caller, name="y_score")
        check_same_length(caller, y_true=y_true, y_score=y_score)
        return (self._codes(y_true, caller), y_score), times, name

    def _codes(self, y_true, caller):
        names, codes = np.unique(y_true, return_inverse=True)
        known = list(dict.fromkeys([*self.labels, *names.tolist()]))
        if len(known) > 2:
            raise ValueError(
                f"{caller} needs two classes for areas under the ROC curve; y_true has "
                f"{len(known)}."
            )
        self.labels = known
        return np.array([self.labels.index(name) for name in names.tolist()])[codes]

    def _update_period(self, period, data, weight, clusters, places):
        gathered = self._of(period)
        own = None if weight is None else weight[places]
        if self.score is None:
            of_rows = None if clusters is None else clusters[places]
            gathered.update(data[0][places], of_rows)
        else:
            self.weighted |= clusters is not None  # neither has an error
            gathered.update(data[0][places], data[1][places], own)

    def _of(self, period):
        if period not in self.periods:
            is_mean = self.score is None
            made = PeriodMoments() if is_mean else ScoreCells(self.max_cells)
            self.periods[period] = made
        return self.periods[period]

    def merge(self, other):
        """Add what another one gathered."""
        swapped, caller = {}, "StreamingMetric"
        categories = _joined_categories(self.categories, other.categories, caller)
        _check_known([*self.periods, *other.periods], categories, caller)
        if other.labels:
            mine = list(dict.fromkeys([*self.labels, *other.labels]))
            if len(mine) > 2:
                raise ValueError(
                    "StreamingMetric needs two classes for areas under the ROC curve; "
                    f"both together have {len(mine)}."
                )
            self.labels = mine
            swapped = {"swapped": mine.index(other.labels[0]) == 1}
        for period, gathered in other.periods.items():
            self._of(period).merge(gathered, **swapped)
        self.n_rows += other.n_rows
        self.weighted |= other.weighted
        self.categories = categories

    def _in_time(self, caller):
        """Return the periods and what was gathered of each, in the order of time."""
        names = list(self.periods)
        if self.categories is not None:
            names.sort(key=self.categories.index)
            return np.array(names, dtype=object), [self.periods[n] for n in names]
        array = one_per_row(names) if isinstance(names[0], str) else np.array(names)
        distinct, places = rows_of_periods(array, len(names), caller)
        return distinct, [self.periods[names[i[0]]] for i in places]

    def _scores(self, caller):
        distinct, gathered = self._in_time(caller)
        if self.score is None:
            return distinct, gathered, np.array([one.mean for one in gathered])
        area = np.array([one.area(self._positive()) for one in gathered])
        return distinct, gathered, 2 * area - 1 if self.score == "gini" else area

    def _positive(self):
        """Return the code of the greater label; of a single one, all are positive."""
        greatest = np.unique(np.array(self.labels))[-1]
        return self.labels.index(greatest.item())

    def value(self, caller):
        """Return the index of the periods whose score is defined."""
        distinct, _, scores = self._scores(caller)
        counts = ~np.isnan(scores)
        report_left_out(distinct, counts, self.undefined, caller)
        if counts.sum() < 2:
            return float("nan")
        return self._index(scores[counts])

    def _index(self, scores):
        x = np.arange(len(scores), dtype=np.float64)
        return float(Trend(x, self.fall, self.scatter).index(scores))

    def error_bound(self, caller):
        """Return the largest distance of the value from that of all rows."""
        if self.score is None or not self.periods:
            return 0.0
        _, gathered, scores = self._scores(caller)
        bound = np.array([one.area_bound() for one in gathered])[~np.isnan(scores)]
        if len(bound) < 2 or not bound.any():
            return 0.0
        bound = bound * (2 if self.score == "gini" else 1)
        x = np.arange(len(bound)) - (len(bound) - 1) / 2
        slope = np.abs(x) @ bound / (x @ x)
        scatter = self.scatter * np.sqrt((bound**2).mean())
        return float(bound.mean() + self.fall * slope + scatter)

    def interval(self, request):
        """Return the interval over the periods, with the noise of their rows."""
        if self.score is not None and self.weighted:
            raise ValueError(
                f"{request.caller} of areas under the ROC curve has no interval with "
                "weights or clusters of rows."
            )
        _, gathered, scores = self._scores(request.caller)
        kept = np.flatnonzero(~np.isnan(scores))
        found, left_out = [gathered[i] for i in kept], len(scores) - len(kept)
        if not found:
            raise ValueError(
                f"{request.caller} found no period whose score is defined."
            )
        rows = self._noise(found, request)
        x = np.arange(len(found), dtype=np.float64)
        trend = Trend(x, self.fall, self.scatter)
        interval = trend_interval(scores[kept], trend, rows, request)
        if not left_out:
            return interval
        text = f"{left_out} of {len(scores)} periods have no score; left out."
        return replace(interval, warnings=(text, *interval.warnings))

    def _noise(self, gathered, request):
        """Return normal draws of the noise of each period."""
        if self.score is None:
            errors = np.array([one.error() for one in gathered])
            sizes = np.array([one.n_units for one in gathered])
            ends = min(one.low for one in gathered), max(one.high for one in gathered)
        else:
            errors = np.array([one.area_error(self._positive()) for one in gathered])
            errors = errors * (2 if self.score == "gini" else 1)
            sizes, ends = np.array([one.n_rows for one in gathered]), (-1.0, 1.0)
        normal = request.rng.normal(size=(_DRAWS, len(errors)))
        normal = (normal - normal.mean(axis=0)) / normal.std(axis=0)
        return RowNoise.of_periods(normal * errors, sizes, np.array(ends), self.score)


def _joined_categories(known, new, caller):
    """Return the order of the periods that both tell, or raise."""
    if known is None or new is None:
        return new if known is None else known
    few, many = sorted((known, new), key=len)
    if few != [name for name in many if name in set(few)]:
        rule = "ordered by the same categories in every batch"
        raise invalid("periods", caller, rule, new, f"Those before were {known}.")
    return many


def _check_known(names, categories, caller):
    """Raise for periods that have no place among the categories."""
    if categories is None:
        return
    unknown = [name for name in names if name not in categories]
    if unknown:
        rule = "an ordered Categorical in every batch, or in none"
        raise invalid("periods", caller, rule, unknown[0])


def _options(
    *,
    falling_rate_weight=12,
    variability_weight=0.5,
    score=None,
    max_cells=MAX_CELLS,
    caller,
):
    fall = check_number(falling_rate_weight, "falling_rate_weight", caller, low=0)
    scatter = check_number(variability_weight, "variability_weight", caller, low=0)
    if not isinstance(score, (str, type(None))) or score not in _SCORES:
        rule = "None (the mean of the rows), 'gini' or 'roc_auc' over batches"
        raise invalid("score", caller, rule, score)
    cells = check_count(max_cells, "max_cells", caller, low=2)
    return fall, scatter, score, "warn", cells


def _gini_options(*, undefined="warn", max_cells=MAX_CELLS, caller):
    check_choice(undefined, "undefined", caller, ("warn", "raise"))
    cells = check_count(max_cells, "max_cells", caller, low=2)
    return 88.0, 0.5, "gini", undefined, cells
