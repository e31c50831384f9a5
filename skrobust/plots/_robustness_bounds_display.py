"""Display of the bounds of a robustness metric, with the band between them."""

import numpy as np

from skrobust._array_checks import check_scores
from skrobust._results import Results
from skrobust._validation import invalid
from skrobust.evaluation import robust_accuracy_bounds
from skrobust.plots.base import BaseDisplay
from skrobust.plots.drawing import draw_band, label_axes, legend_above
from skrobust.plots.many_lines import label_grey_lines, line_styles

_COLUMNS = ("x", "lower", "upper", "low", "high")
_LABELS = {
    "robust_ratio": ("tolerance (bound on the change of probability)", "robust ratio"),
    "robust_accuracy": ("radius eps (units of X)", "robust accuracy"),
}


class RobustnessBoundsDisplay(BaseDisplay):
    """Display of what is certified and what attacks leave, with the band between.

    The truth lies in the band: what is below is proved, what is above is refuted. A
    thin line on each side is the interval for all samples of their kind.

    Parameters
    ----------
    curves : dict of str to dict of str to ndarray of shape (n_points,)
        By name of the model: ``x`` (tolerances or radii), ``lower``, ``upper``, and
        ``low`` and ``high``, the limits of the interval.
    metric : {"robust_ratio", "robust_accuracy"}
        What is bounded.
    certificates : dict of str to str
        Where the lower ends come from, by name of the model.

    Attributes
    ----------
    ax_ : Axes
        Axes of the picture.
    figure_ : Figure
        Its figure.
    lower_lines_, upper_lines_, bands_ : dict of str to artist
        By name of the model.
    legend_ : Legend
        Legend of the lines.

    See Also
    --------
    skrobust.evaluation.robust_accuracy_bounds : Makes the results of one radius.
    skrobust.evaluation.robust_ratio_bounds : Makes the results over tolerances.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skrobust.plots import RobustnessBoundsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = RobustnessBoundsDisplay.from_estimator(
    ...     GaussianNB().fit(X, y), X, y, [0.1, 0.2, 0.4], random_state=0)
    >>> frame = display.frame()
    >>> bool((frame.lower <= frame.upper).all())
    True
    >>> display.plot()  # doctest: +SKIP
    """

    curves: dict
    metric: str
    certificates: dict

    @classmethod
    def from_results(cls, results, *, name=None):
        """Make the display from the results of one model, or of several.

        Parameters
        ----------
        results : Results, list of Results, or dict of str to one of these
            What ``robust_ratio_bounds`` returns, or a list of what
            ``robust_accuracy_bounds`` returns for rising radii; several models by name.
        name : str, default=None
            The name of one model.

        Returns
        -------
        display : RobustnessBoundsDisplay
            Not drawn yet.
        """
        several = isinstance(results, dict) and not isinstance(results, Results)
        if several and name is not None:
            rule = "None for several models, which carry their own names"
            raise invalid("name", cls.__name__, rule, name)
        curves, certificates, metrics = {}, {}, set()
        for label, one in (
            results if several else {cls._named(name, ""): results}
        ).items():
            metric, curves[label], certificates[label] = cls._curve(one)
            metrics.add(metric)
        if len(metrics) != 1:
            rule = "bounds of one metric, of at least one model"
            raise invalid("results", cls.__name__, rule, sorted(metrics))
        return cls(curves=curves, metric=metrics.pop(), certificates=certificates)

    @classmethod
    def _curve(cls, results):
        """Return the metric, the columns and the certificate of one model."""
        if isinstance(results, Results) and "tolerances" in results:
            cls._check_results(results, _COLUMNS[1:], "robust_ratio_bounds")
            columns = [results["tolerances"], *(results[c] for c in _COLUMNS[1:])]
            curve = dict(zip(_COLUMNS, map(np.asarray, columns), strict=True))
            return "robust_ratio", curve, results["certificate"]
        rows = [results] if isinstance(results, Results) else results
        source = "robust_ratio_bounds or robust_accuracy_bounds"
        if not isinstance(rows, (list, tuple)) or not rows:
            raise invalid("results", cls.__name__, f"what {source} returns", results)
        for row in rows:
            cls._check_results(row, ("eps", *_COLUMNS[1:]), source)
        columns = [[row[c] for row in rows] for c in ("eps", *_COLUMNS[1:])]
        curve = dict(zip(_COLUMNS, map(np.array, columns), strict=True))
        order = np.argsort(curve["x"], kind="stable")
        curve = {key: values[order] for key, values in curve.items()}
        named = dict.fromkeys(row["certificate"] for row in rows if row["eps"] > 0)
        return "robust_accuracy", curve, "; ".join(named)

    @classmethod
    def from_estimator(cls, estimator, X, y, eps_grid, *, name=None, **kwargs):
        """Bound the robust accuracy of a model at several radii and make the display.

        Parameters
        ----------
        estimator : fitted classifier
            The model; used as it is.
        X : array-like or data frame of shape (n_samples, ...)
            Raw input of the whole pipeline; not changed.
        y : array-like of shape (n_samples,)
            True labels.
        eps_grid : array-like of float of shape (n_radii,)
            Radii; 0, the clean accuracy, is added.
        name : str, default=None
            The name of the model; None is the name of its class.
        **kwargs : dict
            Passed to ``robust_accuracy_bounds``, for example ``norm``.

        Returns
        -------
        display : RobustnessBoundsDisplay
            Not drawn yet.
        """
        grid = np.unique(check_scores(eps_grid, cls.__name__, name="eps_grid"))
        results = [
            robust_accuracy_bounds(estimator, X, y, eps=float(eps), **kwargs)
            for eps in np.union1d(grid, [0.0])
        ]
        name = cls._named(name, type(estimator).__name__)
        return cls.from_results(results, name=name)

    def frame(self):
        """Return the bounds as a data frame of pandas.

        Returns
        -------
        DataFrame
            Columns ``model``, ``x``, ``lower``, ``upper``, ``low`` and ``high``.
        """
        return self._concatenated("model", self.curves)

    def plot(self, ax=None, *, line_kwargs=None):
        """Draw the bounds.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a figure.
        line_kwargs : dict, default=None
            Passed to ``plot`` for all lines.

        Returns
        -------
        display : RobustnessBoundsDisplay
            The display itself.
        """
        ax, size = self._start(ax, 4.2, 3)
        self.lower_lines_, self.upper_lines_, self.bands_ = {}, {}, {}
        styles = line_styles({n: curve["lower"] for n, curve in self.curves.items()})
        for label, curve in self.curves.items():
            style = styles[label] | (line_kwargs or {})
            below = style | {"linestyle": "-", "markerfacecolor": "none"}
            if style["label"] == label:
                before = f"{label}: " if label else ""
                style["label"] = f"{before}attacked"
                below["label"] = f"{before}certified"
            x = curve["x"]
            (upper,) = ax.plot(x, curve["upper"], **style)
            (lower,) = ax.plot(x, curve["lower"], **below)
            limits = curve["lower"], curve["upper"]
            self.bands_[label] = draw_band(ax, x, limits, upper)
            for end in ("low", "high"):
                ax.plot(x, curve[end], color=upper.get_color(), lw=0.5, alpha=0.6)
            self.lower_lines_[label], self.upper_lines_[label] = lower, upper
        ax.set_ylim(0, 1.02)
        ax.set_xlim(left=0)
        x_label, y_label = _LABELS[self.metric]
        label_axes(ax, size, x=x_label, y=y_label)
        self.legend_ = legend_above(ax, size)
        label_grey_lines(ax, self.upper_lines_, size)
        return self
