"""Preset of time series: each perturbation at several severities."""

from skrobust.perturbations.presets import register_preset
from skrobust.perturbations.severity_grid import severity_grid
from skrobust.perturbations.time_series._baseline_hum import BaselineWander
from skrobust.perturbations.time_series._loss import Gap, PointDropout
from skrobust.perturbations.time_series._signal_noise import Jitter, Spikes
from skrobust.perturbations.time_series._time import (
    Resampling,
    SegmentPermutation,
    TimeShift,
    TimeWarp,
)
from skrobust.perturbations.time_series._values import (
    SeriesClipping,
    SeriesQuantization,
    SeriesScaling,
    Smoothing,
)


@register_preset("series")
def series(severities=(1, 2, 3, 4, 5), *, channel_axis=None, random_state=None):
    """Return the conditions of the series perturbations at some severities.

    These are jitter, scaling, baseline wander, spikes, point dropout, gap, time shift,
    time warp, resampling, quantization, clipping, smoothing and segment permutation,
    each with its other parameters as they are by default. Lost points are held rather
    than made NaN, since most models take no NaN. What needs to know more about the data
    is left out: the hum of the mains (a sampling rate), the loss of channels (several
    of them) and sound.

    Parameters
    ----------
    severities : sequence of float in [0, 5], default=(1, 2, 3, 4, 5)
        Severities of each perturbation.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all conditions.

    Returns
    -------
    conditions : list of PerturbationSequence
        The clean one first; each with a ``name`` such as ``"jitter-3"`` and its
        ``number``. Some learn scales: fit them on the training data.

    Examples
    --------
    >>> from skrobust.perturbations import series
    >>> grid = series([1, 2.5])
    >>> len(grid), grid[0].name, grid[2].name
    (27, 'CLEAN', 'jitter-2.5')
    """
    kinds = {
        "jitter": Jitter(),
        "scaling": SeriesScaling(),
        "baseline-wander": BaselineWander(),
        "spikes": Spikes(),
        "point-dropout": PointDropout(fill="hold"),
        "gap": Gap(fill="hold"),
        "time-shift": TimeShift(),
        "time-warp": TimeWarp(),
        "resampling": Resampling(),
        "quantization": SeriesQuantization(),
        "clipping": SeriesClipping(),
        "smoothing": Smoothing(),
        "segment-permutation": SegmentPermutation(),
    }
    for kind in kinds.values():
        kind.set_params(channel_axis=channel_axis)
    return severity_grid(kinds, severities, "series", random_state)
