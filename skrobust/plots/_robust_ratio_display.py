"""Display of robust ratio against tolerance, beside robust accuracy."""

import numpy as np

from skrobust.evaluation import evaluate_attack
from skrobust.plots.base import BaseDisplay
from skrobust.plots.drawing import color_of, draw_band, ink, label_axes, size_in_inches

_STYLES = {
    "loss": ("published loss", "-", "o"),
    "probability_shift": ("probability shift", "--", "s"),
    "given": ("attack as given", ":", "^"),
}


class RobustRatioDisplay(BaseDisplay):
    """Display of robust ratio against tolerance, with accuracies beside it.

    The robust ratio is never shown alone: beside each mode stand the same examples
    after temperature scaling (a thin line; where it is far off, the ratio tells
    of calibration rather than of robustness), the robust and the clean accuracy, and
    the accuracy of a model that always answers the largest class, whose robust ratio
    is 1 at every tolerance. Bands are the intervals of the results.

    Parameters
    ----------
    curves : dict of str to dict of str to ndarray of shape (n_tolerances,)
        By mode: ``tolerance``, ``robust_ratio``, the ends ``low`` and ``high`` of its
        interval, and ``tempered``, the ratio after temperature scaling.
    accuracies : dict of str to float
        ``robust_accuracy``, ``clean_accuracy`` and ``constant_model_accuracy``.
    intervals : dict of str to Interval or (low, high)
        Of the first two.
    temperature : float
        Of the temperature scaling.
    name : str, default=None
        The name of the model.

    Attributes
    ----------
    ax_, accuracy_ax_ : Axes
        The left and the right axis.
    figure_ : Figure
        The figure of these axes.
    lines_, bands_, tempered_lines_ : dict of str to artist
        Of the robust ratio, by mode.
    accuracy_lines_, accuracy_bands_ : dict of str to artist
        The horizontal lines on the right axis, and the intervals, by the names in
        ``accuracies``.
    legend_ : Legend
        Legend of the lines.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import FGSM
    >>> from skrobust.plots import RobustRatioDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> display = RobustRatioDisplay.from_estimator(
    ...     model, X, y, FGSM(0.05, data_range=(0, 1)))
    >>> list(display.curves)
    ['loss', 'probability_shift']
    >>> display.plot()  # doctest: +SKIP
    """

    curves: dict
    accuracies: dict
    intervals: dict
    temperature: float
    name: str | None = None

    @classmethod
    def from_results(cls, results, *, name=None):
        """Make the display from the results of ``evaluate_attack``.

        Parameters
        ----------
        results : Results
            Of a model with probabilities.
        name : str, default=None
            The name of the model, shown as the title.

        Returns
        -------
        display : RobustRatioDisplay
            Not drawn yet.
        """
        cls._check_results(results, ("robust_accuracy",), "evaluate_attack")
        if "skipped" in results or not results.get("modes"):
            reason = results.get("skipped", "no mode was run")
            raise ValueError(
                f"{cls.__name__} needs a robust ratio, and these results hold none "
                f"({reason})."
            )
        curves = {}
        for mode in results["modes"]:
            stem = f"robust_ratio_{mode}"
            curves[mode] = {
                "tolerance": results["tolerance"],
                "robust_ratio": results[stem],
                **{k: results[f"{stem}_{k}"] for k in ("low", "high", "tempered")},
            }
        judged = ("robust_accuracy", "clean_accuracy")
        return cls(
            curves=curves,
            accuracies={k: results[k] for k in (*judged, "constant_model_accuracy")},
            intervals={key: results[f"{key}_interval"] for key in judged},
            temperature=results["temperature"],
            name=name,
        )

    @classmethod
    def from_estimator(cls, estimator, X, y, attack, *, name=None, **kwargs):
        """Attack a model with ``evaluate_attack`` and make the display.

        Parameters
        ----------
        estimator : fitted classifier
            The model; it needs ``predict_proba``.
        X : array-like or data frame of shape (n_samples, ...)
            Raw input of the whole pipeline; not changed.
        y : array-like of shape (n_samples,)
            True labels.
        attack : object with ``perturb(estimator, X, y)``
            An attack, a perturbation, or an object of your own.
        name : str, default=None
            The name of the model; None is the name of its class.
        **kwargs : dict
            Passed to ``evaluate_attack``, for example ``tolerances``.

        Returns
        -------
        display : RobustRatioDisplay
            Not drawn yet.
        """
        results = evaluate_attack(estimator, X, y, attack, **kwargs)
        name = cls._named(name, type(estimator).__name__)
        return cls.from_results(results, name=name)

    def frame(self):
        """Return the curves and lines as a data frame of pandas.

        Returns
        -------
        DataFrame
            Columns ``mode``, ``tolerance``, ``robust_ratio``, ``low``, ``high``,
            ``tempered``, and, equal in all rows, ``robust_accuracy``,
            ``clean_accuracy`` and ``constant_model_accuracy``.
        """
        return self._concatenated("mode", self.curves).assign(**self.accuracies)

    def plot(self, ax=None, *, line_kwargs=None):
        """Draw the curves and the lines.

        Parameters
        ----------
        ax : Axes, default=None
            The left axis; the right one is made. None makes a figure. The legend stands
            above 1, where no data can be.
        line_kwargs : dict, default=None
            Passed to ``plot`` for the lines of the robust ratio.

        Returns
        -------
        display : RobustRatioDisplay
            The display itself.
        """
        ax, size = self._start(ax, 4.4, 3)
        self._draw_ratios(line_kwargs or {})
        self._draw_accuracies(ink())
        right, ticks = self.accuracy_ax_, np.linspace(0, 1, 6)
        # The curves stand over the horizontal lines of the right axis.
        ax.set_zorder(right.get_zorder() + 1)
        right.patch.set_visible(True)
        ax.patch.set_visible(False)
        x = "tolerance (bound on the change of probability)"
        label_axes(ax, size, x=x, y="robust ratio")
        right.set_ylabel("accuracy", fontsize=size)
        if self.name is not None:
            ax.set_title(self.name, fontsize=1.2 * size)
        thin = next(iter(self.tempered_lines_.values()))
        handles = [*self.lines_.values(), thin, *right.get_lines()]
        # Room for the legend: its lines of text in parts of the height of the axes.
        n_lines = -(-len(handles) // 2)
        height = 72 * size_in_inches(ax)[1]
        room = min(0.5, (1.2 * n_lines + 1.4) * size / height)
        for side in (ax, right):
            side.set_ylim(0, 1.02 / (1 - room))
            side.set_yticks(ticks)
            side.tick_params(labelsize=size)
        settings = {"ncols": 2, "loc": "upper center", "columnspacing": 1}
        settings |= {"handlelength": 2.5, "framealpha": 1, "fontsize": 0.83 * size}
        self.legend_ = ax.legend(handles=handles, **settings)
        return self

    def _draw_ratios(self, line_kwargs):
        self.lines_, self.bands_, self.tempered_lines_ = {}, {}, {}
        for i, (mode, curve) in enumerate(self.curves.items()):
            label, style, marker = _STYLES.get(mode, (mode, "-.", "D"))
            x = curve["tolerance"]
            # Markers of two modes alternate, so that equal curves show both.
            step = max(1, len(x) // 5)
            settings = {"color": color_of(i), "linestyle": style, "marker": marker}
            settings |= {"markersize": 4, "markevery": (i * step // 2, step)}
            settings |= {"label": f"robust ratio, {label}", **line_kwargs}
            (line,) = self.ax_.plot(x, curve["robust_ratio"], **settings)
            limits = curve["low"], curve["high"]
            self.lines_[mode] = line
            self.bands_[mode] = draw_band(self.ax_, x, limits, line)
            thin = {"color": line.get_color(), "linestyle": style, "linewidth": 0.8}
            thin["label"] = f"the same at temperature {self.temperature:.2g}"
            (self.tempered_lines_[mode],) = self.ax_.plot(x, curve["tempered"], **thin)

    def _draw_accuracies(self, color):
        self.accuracy_ax_ = right = self.ax_.twinx()
        lines, bands = {}, {}
        for key, label, style, width in (
            ("clean_accuracy", "clean accuracy {:.2f}", (0, (8, 2)), 1.5),
            ("robust_accuracy", "robust accuracy {:.2f}", "-.", 1.5),
            ("constant_model_accuracy", "constant model {:.2f} (ratio 1)", ":", 0.8),
        ):
            value = self.accuracies[key]
            settings = {"linestyle": style, "lw": width, "label": label.format(value)}
            lines[key] = right.axhline(value, color=color, **settings)
            if key in self.intervals:
                low, high = self.intervals[key]
                bands[key] = right.axhspan(low, high, color=color, alpha=0.1, lw=0)
        self.accuracy_lines_, self.accuracy_bands_ = lines, bands
