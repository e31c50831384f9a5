"""Normalized scores over batches."""

from dataclasses import replace

import numpy as np

from skrobust._array_checks import check_weights
from skrobust.metrics.intervals.bootstrap import bootstrap_interval
from skrobust.metrics.labels import label_array
from skrobust.metrics.normalized import parts
from skrobust.metrics.normalized.factors import class_sizes
from skrobust.metrics.normalized.signal_to_noise import ratio_of_powers, value_pair
from skrobust.metrics.streaming.compensated_sums import CompensatedSums
from skrobust.metrics.streaming.label_cells import FunctionOfSums, LabelCells
from skrobust.metrics.streaming.sample_means import SampleMean
from skrobust.metrics.streaming.unit_sums import UnitSums, clusters_at
from skrobust.metrics.undefined import warn_undefined

_ACCURACY = "normalized_accuracy_score"
_R2 = "normalized_r2_score"


class StreamedAccuracy(LabelCells):
    """Normalized accuracy of pairs of labels.

    Parameters
    ----------
    params : dict
        Options.
    """

    def __init__(self, params):
        super().__init__(_of_pairs, "normalized accuracy", params)
        self.correct = SampleMean("accuracy", {})  # its interval is that of the best

    def update(self, data, rows, clusters, caller):
        """Add a batch."""
        self.correct.update(data, rows, clusters, caller)
        super().update(data, rows, clusters, caller)

    def merge(self, other):
        """Add what another one gathered."""
        self.correct.merge(other.correct)
        super().merge(other)

    def of_whole(self):
        """Return the number of rows."""
        return {"n_rows": self.n_rows}

    def of_resamples(self, caller):
        """Return the size and the class sizes of the whole, which stay."""
        more = {"n_rows": 0}
        if self.params.get("n_samples") is None:
            more["n_samples"] = self.n_rows
        if self.params.get("class_counts") is None:
            y_true = label_array([pair[0] for pair in self.places], caller, "y_true")
            more["class_counts"] = class_sizes(y_true, self.sums.totals)
        return more

    def interval(self, request):
        """Return the interval; of a perfect accuracy that of the share."""
        found = super().interval(request)
        if not np.isnan(found.low) or self.correct.value(request.caller) != 1:
            return found
        share = self.correct.interval(replace(request, method="auto"))
        limits = {"low": found.value * share.low, "high": found.value * share.high}
        return replace(share, value=found.value, **limits)


def _of_pairs(
    y_true,
    y_pred,
    *,
    n_rows,
    n_features,
    n_samples=None,
    class_counts=None,
    labels=None,
    snr="auto",
    signal=None,
    clip=True,
    sample_weight=None,
):
    data = {"class_counts": class_counts, "snr": snr, "labels": labels}
    data["sample_weight"] = sample_weight
    size = parts.check_size(n_features, n_samples, _ACCURACY)
    measured = parts.measure_labels(_ACCURACY, y_true, y_pred, **data)
    measured = (*measured[:3], n_rows, measured[4])
    return parts.assemble(_ACCURACY, measured, *size, signal, clip).score


class StreamedR2:
    """Normalized R2 of sums of squares about the mean target of the first batch.

    The sums are, of each row, its weight, and this times the deviation of the target
    from that mean, its square, and the squared error.

    Parameters
    ----------
    params : dict
        Options.
    """

    per_row = ("sample_weight",)

    def __init__(self, params):
        self.params, self.first = params, None
        self.sums, self.of_units, self.n_rows = CompensatedSums(4), UnitSums(4), 0

    def update(self, data, rows, clusters, caller):
        """Add a batch."""
        y_true, y_pred = value_pair(*data, caller)
        weight = check_weights(rows.get("sample_weight"), len(y_true), caller)
        self._check_options(rows)
        if weight is None:
            weight = np.ones(len(y_true))
        kept = weight > 0  # rows of weight 0 count as absent
        y_true, y_pred, weight = y_true[kept], y_pred[kept], weight[kept]
        clusters = clusters_at(clusters, kept, caller)
        if self.first is None:
            # Near their mean; and of equal targets these themselves.
            self.first = float(y_true[0] + (y_true - y_true[0]).mean())
        apart = y_true - self.first
        powers = [np.ones(len(apart)), apart, apart**2, (y_true - y_pred) ** 2]
        block = weight[:, None] * np.stack(powers, axis=1)
        self.of_units.add(block, clusters, caller)
        self.sums.add(block)
        self.n_rows += len(block)

    def _check_options(self, rows):
        """Raise for options of no use, whatever the rows."""
        options = self.params | _but_weight(rows)
        if options.get("n_samples") is None:  # so many that their number says nothing
            options["n_samples"] = 10**9
        _score(np.ones(4), 0.0, 0, **options)

    def merge(self, other):
        """Add what another one gathered."""
        if self.first is None:
            self.first = other.first
        by = other.first - self.first
        turn = np.eye(4)
        turn[0, 1], turn[0, 2], turn[1, 2] = by, by**2, 2 * by  # about another target
        for totals in (other.sums.high, other.sums.low):
            self.sums.add_totals(totals @ turn)
        units = UnitSums(4)
        vars(units).update(vars(other.of_units))
        units.sums = units.sums @ turn
        self.of_units.merge(units)
        self.n_rows += other.n_rows

    def value(self, caller):
        """Return the score."""
        return _score(self.sums.totals, self.first, self.n_rows, **self.params)

    def interval(self, request):
        """Return the interval over rows, groups of rows, or clusters."""
        units, _, sums = self.of_units.units()
        size = self.params.get("n_samples") or self.n_rows
        fixed = self.params | {"n_samples": size}
        statistic = FunctionOfSums(
            units, sums, lambda totals: _score(totals, self.first, 0, **fixed)
        )
        found = bootstrap_interval(statistic, request)
        return replace(found, value=self.value(request.caller), **self.of_units.facts)


def _but_weight(rows):
    return {name: value for name, value in rows.items() if name != "sample_weight"}


def _score(
    sums,
    first,
    n_rows,
    *,
    n_features,
    n_samples=None,
    center=False,
    signal=None,
    clip=True,
):
    """Return the normalized R2 of sums of squares."""
    size = parts.check_size(n_features, n_samples, _R2)
    total, linear, squares, errors = (float(one) for one in sums)
    centred = max(0.0, squares - linear**2 / total)
    raw = _r2(errors, centred, n_rows)
    power = centred
    if not center:
        power = squares + 2 * first * linear + first**2 * total
    ratio = ratio_of_powers(max(0.0, power), errors)
    measured = raw, ratio, 1.0, n_rows, None
    return float(parts.assemble(_R2, measured, *size, signal, clip).score)


def _r2(errors, centred, n_rows):
    """Return R2 cut at 0, as scikit-learn has it for a constant target."""
    if n_rows == 1:
        return warn_undefined(f"{_R2} is undefined for a single sample.")
    if centred == 0:
        return 1.0 if errors == 0 else 0.0
    return max(0.0, 1 - errors / centred)
