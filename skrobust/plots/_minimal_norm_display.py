"""Display of the distances to the nearest adversarial examples."""

import numpy as np

from skrobust._responses import model_name
from skrobust._validation import invalid
from skrobust.plots.base import BaseDisplay
from skrobust.plots.drawing import label_axes, legend_above
from skrobust.plots.many_lines import label_grey_lines, line_styles


class MinimalNormDisplay(BaseDisplay):
    """Display of robust accuracy by the smallest perturbation of each sample.

    The share that no perturbation up to a distance fools is the robust accuracy at
    that radius; its complement is the empirical distribution function (ECDF) of the
    distances. Samples that are wrong from the start count at 0, those never fooled
    keep the curve above 0.

    Parameters
    ----------
    norms : dict of str to ndarray of shape (n_samples,)
        Smallest distances by label, 0 where wrong from the start, inf where never
        fooled.
    norm_name : str, default="units of X"
        Units of the distance.

    Attributes
    ----------
    ax_ : Axes
        Axes of the picture.
    figure_ : Figure
        Its figure.
    lines_, median_lines_ : dict of str to artist
        The steps, and the median distance where half the samples are fooled.
    legend_ : Legend
        Legend of the lines, with the median.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.attacks import ExactLinear
    >>> from skrobust.plots import MinimalNormDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> display = MinimalNormDisplay.from_estimator(model, X, y, ExactLinear(norm=2))
    >>> len(display.frame())
    150
    >>> display.plot()  # doctest: +SKIP
    """

    norms: dict
    norm_name: str = "units of X"

    @classmethod
    def from_results(cls, results, *, name=None, norm_name="units of X"):
        """Make the display from distances, sample by sample.

        Parameters
        ----------
        results : Results, array-like of shape (n_samples,) or dict of either by name
            ``distance`` of ``robust_accuracy_curve`` or
            ``empirical_boundary_distance``, or what ``minimal_norms`` returns.
        name : str, default=None
            The name of one model.
        norm_name : str, default="units of X"
            Units of the distance.

        Returns
        -------
        display : MinimalNormDisplay
            Not drawn yet.

        Raises
        ------
        ValueError
            For distances that are nan, negative or empty.
        """
        caller, norms = cls.__name__, {}
        if isinstance(results, dict) and not results:
            raise invalid("results", caller, "not empty", results)
        for label, one in cls._by_model(results, name, "distance").items():
            values = one.get("distance") if isinstance(one, dict) else one
            try:
                values = np.asarray(values, dtype=float)
            except (TypeError, ValueError):
                values = np.array(np.nan)
            if values.ndim != 1 or not values.size or not (values >= 0).all():
                rule = "distances of shape (n_samples,), none of them negative or nan"
                raise invalid("results", caller, rule, one)
            norms[label or ""] = values
        return cls(norms=norms, norm_name=norm_name)

    @classmethod
    def from_estimator(cls, estimator, X, y, attack, *, name=None):
        """Compute minimal norms with an attack and make the display.

        Parameters
        ----------
        estimator : fitted classifier
            The model.
        X : array-like or data frame of shape (n_samples, ...)
            Raw input of the whole pipeline; not changed.
        y : array-like of shape (n_samples,)
            True labels.
        attack : attack with ``minimal_norms(estimator, X, y)``
            Such as ``DDN``, ``DeepFool`` or ``ExactLinear``.
        name : str, default=None
            The name of the model; None is the name of its class, of a pipeline that of
            its last step.

        Returns
        -------
        display : MinimalNormDisplay
            Not drawn yet.
        """
        if isinstance(attack, type) or not hasattr(attack, "minimal_norms"):
            rule = "an attack with minimal_norms, such as DDN"
            raise invalid("attack", cls.__name__, rule, attack)
        norms = attack.minimal_norms(estimator, X, y)
        kind = f"l-{attack.norm} norm, units of X"
        name = cls._named(name, model_name(estimator))
        return cls.from_results(norms, name=name, norm_name=kind)

    def frame(self):
        """Return the distances as a data frame of pandas.

        Returns
        -------
        DataFrame
            Columns ``model``, ``distance`` (rising) and ``robust_accuracy``, the share
            of samples not fooled within that distance.
        """
        tables = {}
        for label, norms in self.norms.items():
            x = np.sort(norms)
            # The same distance twice is one place of the curve.
            left = 1 - np.searchsorted(x, x, side="right") / len(x)
            left = np.where(np.isinf(x), np.nan, left)
            tables[label] = {"distance": x, "robust_accuracy": left}
        return self._concatenated("model", tables)

    def plot(self, ax=None, *, line_kwargs=None):
        """Draw the curves, and where half the samples are fooled.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a figure.
        line_kwargs : dict, default=None
            Passed to ``step`` for all lines.

        Returns
        -------
        display : MinimalNormDisplay
            The display itself.
        """
        ax, size = self._start(ax, 4, 2.8)
        self.lines_, self.median_lines_ = {}, {}
        finite = [n[np.isfinite(n)] for n in self.norms.values()]
        end = 1.05 * max((n.max() for n in finite if n.size), default=1.0) or 1.0
        styles = line_styles(self.norms, marker=False)
        for label, norms in self.norms.items():
            style = styles[label] | (line_kwargs or {})
            reached = np.sort(norms[np.isfinite(norms)])
            left = 1 - np.arange(1, len(reached) + 1) / len(norms)
            x, y = np.r_[0, reached, end], np.r_[1, left, left[-1:] if left.size else 1]
            median = np.sort(norms)[(len(norms) - 1) // 2]
            text = f"{median:.3g}" if np.isfinite(median) else "not reached"
            text = f"{label + ': ' if label else ''}median {text}"
            if style["label"] == label:
                style["label"] = text
            (line,) = ax.step(x, y, where="post", **style)
            self.lines_[label] = line
            if np.isfinite(median):
                self.median_lines_[label] = ax.vlines(
                    median, 0, 0.5, color=line.get_color(), lw=0.8, linestyles=":"
                )
        ax.set(xlim=(0, end), ylim=(0, 1.02))
        x = f"smallest perturbation ({self.norm_name})"
        label_axes(ax, size, x=x, y="share not fooled (robust accuracy)")
        self.legend_ = legend_above(ax, size)
        label_grey_lines(ax, self.lines_, size)
        return self
