"""Display of a metric over time and of its stability index."""

import numpy as np

from skrobust._array_checks import check_scores, check_targets
from skrobust._parameters import Number, check_parameters
from skrobust._validation import invalid
from skrobust.metrics import period_stability_index, stability_pattern
from skrobust.metrics.callable_metrics import name_of
from skrobust.metrics.stability.period_rows import period_text
from skrobust.plots.base import BaseDisplay
from skrobust.plots.drawing import (
    color_of,
    draw_band,
    draw_reference,
    label_axes,
    label_some_ticks,
    legend_above,
)
from skrobust.plots.stability_trend import (
    answers_and_times,
    checked_periods,
    draw_limits,
    index_terms,
    legend_title,
    series_of,
    trend_of,
    trend_table,
)


class StabilityPatternDisplay(BaseDisplay):
    r"""Display of a metric over time with its trend and the stability index.

    The stability index is the mean, less a penalty for a falling trend, less a penalty
    for the scatter about it. The picture shows each: the points, their mean, the line
    of least squares, a band of one standard deviation of the residuals, and over
    the legend the index with its three terms. With ``high`` the most probable of the
    four patterns of :func:`stability_pattern` stands below them, with its probability.

    Parameters
    ----------
    scores : ndarray of shape (n_periods,)
        The metric in each period in the order of time; nan where it is undefined.
    periods : ndarray of shape (n_periods,) or None, default=None
        Names of the periods; None numbers them from 0.
    falling_rate_weight : float, default=12
        Non-negative weight of a falling slope, per period.
    variability_weight : float, default=0.5
        Non-negative weight of the scatter about the trend.
    score_name : str, default="score"
        Name of the metric.
    high : float or None, default=None
        Mean from which a stable series is high; None names no pattern.
    tolerance : float, default=0.05
        Non-negative penalty up to which a series is stable.
    limits : ndarray of shape (2, n_periods) or None, default=None
        Limits of the scores, as bars.

    Attributes
    ----------
    ax_ : Axes
        Axes of the picture.
    figure_ : Figure
        Its figure.
    points_, trend_line_, mean_line_ : Line2D
        The periods, the trend and the mean.
    band_ : artist
        The trend less and plus the standard deviation of the residuals.
    limits_ : LineCollection or None
        The bars of the limits.
    index_ : float
        The stability index.
    pattern_ : Results or None
        What :meth:`pattern` returns, None without ``high``.
    legend_ : Legend
        Legend of the lines.

    See Also
    --------
    skrobust.metrics.stability_index : The index.
    skrobust.metrics.period_stability_index : The index of rows with times.

    Examples
    --------
    >>> from skrobust.plots import StabilityPatternDisplay
    >>> display = StabilityPatternDisplay.from_periods([0.85, 0.86, 0.84, 0.83, 0.82])
    >>> {name: round(value, 4) for name, value in display.terms().items()}
    {'mean': 0.84, 'falling': -0.108, 'variability': -0.0031, 'index': 0.7289}
    >>> display.plot()  # doctest: +SKIP
    """

    _parameter_rules = {
        "falling_rate_weight": Number(low=0),
        "variability_weight": Number(low=0),
        "tolerance": Number(low=0),
    }

    scores: np.ndarray
    periods: np.ndarray | None = None
    falling_rate_weight: float = 12
    variability_weight: float = 0.5
    score_name: str = "score"
    high: float | None = None
    tolerance: float = 0.05
    limits: np.ndarray | None = None

    @classmethod
    def from_periods(cls, scores, periods=None, **kwargs):
        """Make the display from one score per period.

        Parameters
        ----------
        scores : array-like of shape (n_periods,)
            At least two finite scores in the order of time.
        periods : array-like of shape (n_periods,), default=None
            Names of the periods.
        **kwargs : dict
            Further parameters of the display.

        Returns
        -------
        display : StabilityPatternDisplay
            Not drawn yet.

        Raises
        ------
        ValueError
            For fewer than two scores, NaN, negative weights or lengths that differ.
        """
        scores = check_scores(scores, cls.__name__, min_size=2)
        return cls._checked(scores, periods, kwargs)

    @classmethod
    def from_results(cls, results, **kwargs):
        """Make the display from the periods of a function of rows with times.

        Parameters
        ----------
        results : Results
            Of :func:`period_stability_index` with ``return_periods=True``, or of
            :func:`simultaneous_intervals` with ``periods``, whose band is drawn.
        **kwargs : dict
            Further parameters of the display; the weights of the index you report.

        Returns
        -------
        display : StabilityPatternDisplay
            Not drawn yet. Undefined periods are left out of the index, as there.
        """
        source = "period_stability_index with return_periods=True"
        results, more = series_of(results)
        cls._check_results(results, ("period", "score"), source)
        scores, kwargs = np.asarray(results["score"], dtype=float), more | kwargs
        if np.isfinite(scores).sum() < 2:
            rule = "a table of at least two periods with a score"
            raise invalid("results", cls.__name__, rule, scores.tolist())
        return cls._checked(scores, results["period"], kwargs)

    @classmethod
    def from_predictions(cls, y_true, y_pred, times, *, metric="accuracy", **kwargs):
        """Score predictions in each period and make the display.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_pred : array-like of shape (n_samples,)
            Predicted labels, or scores for "gini" and "roc_auc".
        times : array-like of shape (n_samples,)
            The period of each row.
        metric : {"accuracy", "gini", "roc_auc"} or callable, default="accuracy"
            The metric of one period.
        **kwargs : dict
            Further parameters of the display.

        Returns
        -------
        display : StabilityPatternDisplay
            Not drawn yet.
        """
        _, periods = period_stability_index(
            y_true, y_pred, times, metric=metric, return_periods=True
        )
        called = metric if isinstance(metric, str) else name_of(metric)
        return cls.from_results(periods, **{"score_name": called} | kwargs)

    @classmethod
    def from_estimator(cls, estimator, X, y, times, *, metric="accuracy", **kwargs):
        """Predict rows with times with a fitted classifier and make the display.

        Parameters
        ----------
        estimator : fitted classifier
            Its labels are scored by "accuracy" and functions of labels, its scores or
            probabilities by functions that take these; its probabilities of the second
            class by "gini" and "roc_auc".
        X : array-like or data frame of shape (n_samples, n_features)
            Raw input of the whole pipeline; not changed.
        y : array-like of shape (n_samples,)
            True labels.
        times : array-like of shape (n_samples,) or str
            The period of each row, or the name of the column of ``X`` that holds it.
        metric : {"accuracy", "gini", "roc_auc"} or callable, default="accuracy"
            The metric of one period.
        **kwargs : dict
            Further parameters of the display.

        Returns
        -------
        display : StabilityPatternDisplay
            Not drawn yet.
        """
        y = check_targets(y, cls.__name__)
        rows = answers_and_times(estimator, X, times, metric, cls.__name__)
        return cls.from_predictions(y, *rows, metric=metric, **kwargs)

    @classmethod
    def _checked(cls, scores, periods, kwargs):
        periods = checked_periods(scores, periods, kwargs.get("limits"), cls.__name__)
        display = cls(scores=scores, periods=periods, **kwargs)
        check_parameters(display)
        return display

    def terms(self):
        """Return the terms of the index.

        Returns
        -------
        dict of str to float
            ``mean``, ``falling`` and ``variability`` (at most 0), and their sum, the
            ``index``.
        """
        weights = self.falling_rate_weight, self.variability_weight
        return index_terms(self.scores, *weights)

    def pattern(self):
        """Return the probabilities of the four patterns.

        Returns
        -------
        Results or None
            As of :func:`stability_pattern`, which takes three scores or more; None
            without ``high``.
        """
        if self.high is None:
            return None
        names = "high", "tolerance", "falling_rate_weight", "variability_weight"
        settings = {name: getattr(self, name) for name in names}
        return stability_pattern(self.scores[np.isfinite(self.scores)], **settings)

    def frame(self):
        """Return the periods as a data frame of pandas.

        Returns
        -------
        DataFrame
            Columns ``period``, ``score``, ``trend`` and ``residual`` (nan where the
            metric is undefined), with ``low`` and ``high`` where there are limits.
        """
        return self._data_frame(trend_table(self.scores, self.periods, self.limits))

    def plot(self, ax=None, *, line_kwargs=None):
        """Draw the metric, its trend and the band.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a figure.
        line_kwargs : dict, default=None
            Passed to ``plot`` for the metric.

        Returns
        -------
        display : StabilityPatternDisplay
            The display itself.
        """
        ax, size = self._start(ax, 4, 2.8)
        places, scores, trend, slope = trend_of(self.scores)
        terms, spread = self.terms(), (scores - trend).std()
        self.index_ = terms["index"]
        settings = {"marker": "o", "markersize": 3, "lw": 0.8, "color": color_of(0)}
        settings |= {"label": "period", **(line_kwargs or {})}
        (self.points_,) = ax.plot(places, scores, **settings)
        self.limits_ = draw_limits(ax, places, self.limits)
        text, color = f"trend {slope:+.2g} a period", color_of(1)
        (self.trend_line_,) = ax.plot(places, trend, "--", color=color, label=text)
        limits, text = (trend - spread, trend + spread), f"± residual std {spread:.2g}"
        self.band_ = draw_band(ax, places, limits, self.trend_line_, label=text)
        mean, text = terms["mean"], f"mean {terms['mean']:.3f}"
        self.mean_line_ = draw_reference(ax, mean, ls=":", zorder=2, label=text)
        label_axes(ax, size, x="period", y=self.score_name)
        if self.periods is None:
            ax.locator_params(axis="x", integer=True)
        else:
            label_some_ticks(ax, [period_text(period) for period in self.periods])
        self.pattern_ = self.pattern()
        title = legend_title(terms, self.pattern_)
        self.legend_ = legend_above(ax, size, title=title)
        return self
