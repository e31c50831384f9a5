"""Display of estimates and failures found against the number of labels."""

import numpy as np

from skrobust._validation import check_count, invalid
from skrobust.plots.base import BaseDisplay
from skrobust.plots.drawing import (
    LINES,
    check_axes,
    draw_band,
    draw_reference,
    get_pyplot,
    label_axes,
    legend_above,
)
from skrobust.plots.many_lines import is_grey, label_grey_lines, line_styles

_DODGE = 0.07  # of the distance between budgets: samplers side by side


class LabelBudgetDisplay(BaseDisplay):
    """Display of estimated accuracy and failures found against labels.

    Of one sampler (``from_sampler``): its estimate and interval after each answer, as
    it labelled. Of a simulation (``from_results``): for each sampler and budget the
    mean of its estimates and a bar that holds the middle 95 % of them, against the true
    accuracy. A shorter bar is a better estimate of the accuracy, a higher line below
    is more failures found with the same labels.

    Parameters
    ----------
    curves : dict of str to dict of str to ndarray of shape (n_points,)
        By sampler: ``n_labels``, ``accuracy``, ``low``, ``high``, ``failures``.
    true_accuracy : float, default=None
        A horizontal line, where it is known.
    simulated : bool, default=False
        Whether curves are summaries over repeats: drawn as bars side by side instead of
        steps with a band.
    band_name : str, default="interval"
        What the bands or bars are, for the legend.

    Attributes
    ----------
    ax_, failures_ax_ : Axes
        The upper and the lower axes; the second is None where one was given.
    figure_ : Figure
        Their figure.
    lines_, failure_lines_ : dict of str to artist
        Estimates, and failures found, by sampler.
    bands_ : dict of str to artist
        Intervals, or bars, by sampler.
    truth_line_ : Line2D or None
        The true accuracy.
    legend_ : Legend
        That of the upper axes: the bands, and the truth where it is known.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.plots import LabelBudgetDisplay
    >>> from skrobust.sampling import OperationalSampler
    >>> scores = np.linspace(0, 0.5, 1000)
    >>> sampler = OperationalSampler(random_state=0).fit(scores)
    >>> result = sampler.sample(60, lambda ids: ids % 7 == 0)
    >>> display = LabelBudgetDisplay.from_sampler(sampler)
    >>> int(display.curves["OperationalSampler"]["n_labels"][-1])
    60
    >>> display.plot()  # doctest: +SKIP
    """

    curves: dict
    true_accuracy: float | None = None
    simulated: bool = False
    band_name: str = "interval"

    @classmethod
    def from_results(cls, results):
        """Make the display from the results of ``simulate``.

        Parameters
        ----------
        results : Results
            What ``skrobust.sampling.simulate`` returns.

        Returns
        -------
        display : LabelBudgetDisplay
            Not drawn yet.
        """
        keys = ("sampler", "n_labels", "estimates", "found", "true_accuracy")
        cls._check_results(results, keys, "simulate")
        low, high = np.quantile(results["estimates"], [0.025, 0.975], axis=1)
        curves = {}
        for name in dict.fromkeys(results["sampler"]):
            rows = np.flatnonzero(results["sampler"] == name)
            rows = rows[np.argsort(results["n_labels"][rows])]
            curves[name] = {
                "n_labels": results["n_labels"][rows],
                "accuracy": results["estimates"][rows].mean(axis=1),
                "low": low[rows],
                "high": high[rows],
                "failures": results["found"][rows].mean(axis=1),
            }
        return cls(
            curves=curves,
            true_accuracy=results["true_accuracy"],
            simulated=True,
            band_name="middle 95 % of estimates",
        )

    @classmethod
    def from_sampler(cls, sampler, *, confidence=0.95, name=None, n_points=50):
        """Replay the questions and answers of a sampler and make the display.

        Parameters
        ----------
        sampler : fitted sampler
            With two answers at least; it is not changed.
        confidence : float in (0, 1), default=0.95
            Of its default interval, at each number of labels by itself.
        name : str, default=None
            None is the name of its class.
        n_points : int, default=50
            Approximate number of results to show.

        Returns
        -------
        display : LabelBudgetDisplay
            Not drawn yet.
        """
        if isinstance(sampler, type) or not hasattr(sampler, "_history"):
            raise invalid("sampler", cls.__name__, "a fitted sampler", sampler)
        n_points = check_count(n_points, "n_points", f"{cls.__name__}.from_sampler")
        if getattr(sampler.result(), "loss_range", None) is not None:
            raise ValueError(
                f"{cls.__name__} shows accuracies, and this sampler was told losses; "
                "plot result().mean_loss and its interval instead."
            )
        points = [
            (r.n_labels, r.accuracy, *r.interval, r.n_failures)
            for past in sampler._history(n_points)
            if not np.isnan((r := past.result(confidence=confidence)).accuracy)
        ]
        if not points:
            raise ValueError(
                f"{cls.__name__} needs a sampler with an estimate: answer its first "
                "questions."
            )
        names = ("n_labels", "accuracy", "low", "high", "failures")
        curve = dict(zip(names, np.array(points).T, strict=True))
        return cls(
            curves={cls._named(name, type(sampler).__name__): curve},
            band_name=f"{100 * confidence:g} % interval",
        )

    def frame(self):
        """Return the curves as a data frame of pandas.

        Returns
        -------
        DataFrame
            Columns ``sampler``, ``n_labels``, ``accuracy``, ``low``, ``high`` and
            ``failures``.
        """
        return self._concatenated("sampler", self.curves)

    def plot(self, ax=None, *, line_kwargs=None):
        """Draw estimates, and below them the failures found.

        Parameters
        ----------
        ax : Axes or pair of Axes, default=None
            One is for the estimates alone. None makes a figure of two.
        line_kwargs : dict, default=None
            Passed to ``plot`` for all lines.

        Returns
        -------
        display : LabelBudgetDisplay
            The display itself.
        """
        caller = type(self).__name__
        if ax is None:
            plt = get_pyplot(caller)
            _, ax = plt.subplots(2, 1, sharex=True, layout="constrained")
        pair = isinstance(ax, (tuple, list, np.ndarray)) and len(ax) == 2
        upper, lower = ax if pair else (ax, None)
        self.failures_ax_ = lower if lower is None else check_axes(lower, caller)
        upper, size = self._start(upper, 4, 1.8)
        self.lines_, self.bands_, self.failure_lines_ = {}, {}, {}
        places = {name: [place] for place, name in enumerate(self.curves)}
        styles = line_styles(places, marker=self.simulated)  # the first have colours
        for place, (name, curve) in enumerate(self.curves.items()):
            style = {**styles[name], **(line_kwargs or {})}
            self._draw_estimates(place, name, curve, style)
            if lower is not None:
                (self.failure_lines_[name],) = lower.plot(
                    curve["n_labels"], curve["failures"], **style
                )
        self.truth_line_ = None
        if self.true_accuracy is not None:
            self.truth_line_ = draw_reference(
                upper, self.true_accuracy, label="true accuracy"
            )
        self._label(upper, lower, size)
        return self

    def _draw_estimates(self, place, name, curve, style):
        x, ax, limits = curve["n_labels"], self.ax_, (curve["low"], curve["high"])
        if self.simulated:
            style = {**style, "linestyle": "none"}
            # Side by side, whatever the scale: budgets are multiplied by a little.
            x = x * np.exp(_DODGE * (place - (len(self.curves) - 1) / 2))
        else:
            style = {**style, "drawstyle": "steps-post"}
        (line,) = ax.plot(x, curve["accuracy"], **style)
        if self.simulated:
            dashes, color = LINES[place % len(LINES)], line.get_color()
            settings = {"linestyles": dashes, "color": color, "lw": 1.5}
            band = ax.vlines(x, *limits, label=self.band_name, **settings)
        else:
            settings = {"step": "post", "label": self.band_name}
            band = draw_band(ax, x, limits, line, **settings)
        self.lines_[name], self.bands_[name] = line, band

    def _label(self, upper, lower, size):
        axes = [upper] if lower is None else [upper, lower]
        for one, y in zip(axes, ("accuracy", "failures found"), strict=False):
            x = "labels spent" if one is axes[-1] else ""
            label_axes(one, size, x=x, y=y)
        if self.simulated:
            spent = [curve["n_labels"] for curve in self.curves.values()]
            budgets = np.unique(np.concatenate(spent))
            for one in axes:
                one.set_xscale("log")
                one.set_xticks(budgets, [f"{n:g}" for n in budgets])
                one.minorticks_off()
        if lower is not None:
            lower.set_ylim(bottom=0)
            lower.legend(fontsize=0.83 * size, loc="upper left")
        colored = [one for one in self.lines_.values() if not is_grey(one)]
        shown = colored if lower is None else []
        # One entry says what every band, or bar, is.
        band = next(iter(self.bands_.values()), None)
        shown += [one for one in (self.truth_line_, band) if one is not None]
        if shown:
            self.legend_ = legend_above(upper, size, shown)
        for one, lines in ((upper, self.lines_), (lower, self.failure_lines_)):
            if one is not None:
                label_grey_lines(one, lines, size)
