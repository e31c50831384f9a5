"""Display of robust accuracy against the radius of the attack."""

import numpy as np

from skrobust._responses import model_name
from skrobust.evaluation import robust_accuracy_curve
from skrobust.metrics import proportion_interval
from skrobust.plots.base import BaseDisplay
from skrobust.plots.drawing import label_axes, legend_above
from skrobust.plots.many_lines import draw_curves, is_grey, label_grey_lines

_COLUMNS = ("eps", "robust_accuracy", "low", "high")


class RobustAccuracyCurveDisplay(BaseDisplay):
    """Display of robust accuracy against radius, one line with its band per model.

    Radius 0 is the clean accuracy. The curve is an upper bound, as of any attack; the
    bands are Wilson intervals at each radius by itself.

    Parameters
    ----------
    curves : dict of str to dict of str to ndarray of shape (n_radii,)
        By label: ``eps`` (rising from 0), ``robust_accuracy``, ``low`` and ``high``.
    norm_name : str, default="units of X"
        Units of the radius.

    Attributes
    ----------
    ax_ : Axes
        Axes of the picture.
    figure_ : Figure
        Its figure.
    lines_, bands_ : dict of str to artist
        By label.
    legend_ : Legend or None
        Legend of the lines; None for one model without a name.

    See Also
    --------
    skrobust.evaluation.robust_accuracy_curve : Makes the results.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.attacks import PGD
    >>> from skrobust.plots import RobustAccuracyCurveDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> display = RobustAccuracyCurveDisplay.from_estimator(
    ...     model, X, y, PGD(random_state=0), np.linspace(0.2, 1, 5))
    >>> display.frame().shape
    (6, 5)
    >>> display.plot()  # doctest: +SKIP
    """

    curves: dict
    norm_name: str = "units of X"

    @classmethod
    def from_results(cls, results, *, name=None, norm_name="units of X"):
        """Make the display from the results of ``robust_accuracy_curve``.

        Parameters
        ----------
        results : Results or dict of str to Results
            Of one model or attack, or of several by name.
        name : str, default=None
            The name of one.
        norm_name : str, default="units of X"
            Units of the radius, such as "l-inf norm, pixel values".

        Returns
        -------
        display : RobustAccuracyCurveDisplay
            Not drawn yet. The interval of clean accuracy is Wilson's at 95 %.
        """
        curves = {}
        for label, one in cls._by_model(results, name, "eps").items():
            keys = ("eps", "robust_accuracy", "robust_accuracy_low", "clean_accuracy")
            cls._check_results(one, keys, "robust_accuracy_curve")
            clean, n = one["clean_accuracy"], len(one["radius"])
            first = [0.0, clean, *proportion_interval(round(clean * n), n)]
            rest = [one[part] for part in (*keys[:3], "robust_accuracy_high")]
            rows = np.vstack([first, np.column_stack(rest)])
            curves[label or ""] = dict(zip(_COLUMNS, rows.T, strict=True))
        return cls(curves=curves, norm_name=norm_name)

    @classmethod
    def from_estimator(cls, estimator, X, y, attack, eps_grid, *, name=None, **kwargs):
        """Attack a model with ``robust_accuracy_curve`` and make the display.

        Parameters
        ----------
        estimator : fitted classifier
            The model; used as it is.
        X : array-like or data frame of shape (n_samples, ...)
            Raw input of the whole pipeline; not changed.
        y : array-like of shape (n_samples,)
            True labels.
        attack : BaseAttack with a parameter ``eps``
            Run with the radii of the grid.
        eps_grid : array-like of float of shape (n_radii,)
            Rising positive radii.
        name : str, default=None
            The name of the model; None is the name of its class, of a pipeline that of
            its last step.
        **kwargs : dict
            Passed to ``robust_accuracy_curve``.

        Returns
        -------
        display : RobustAccuracyCurveDisplay
            Not drawn yet.
        """
        results = robust_accuracy_curve(estimator, X, y, attack, eps_grid, **kwargs)
        norm = getattr(attack, "norm", None)
        kind = "units of X" if norm is None else f"l-{norm} norm, units of X"
        name = cls._named(name, model_name(estimator))
        return cls.from_results(results, name=name, norm_name=kind)

    def frame(self):
        """Return the curves as a data frame of pandas.

        Returns
        -------
        DataFrame
            Columns ``model``, ``eps``, ``robust_accuracy``, ``low`` and ``high``.
        """
        return self._concatenated("model", self.curves)

    def plot(self, ax=None, *, line_kwargs=None):
        """Draw the curves.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a figure.
        line_kwargs : dict, default=None
            Passed to ``plot`` for all lines.

        Returns
        -------
        display : RobustAccuracyCurveDisplay
            The display itself.
        """
        ax, size = self._start(ax, 4, 2.8)
        curves = {
            label: [curve[name] for name in _COLUMNS]
            for label, curve in self.curves.items()
        }
        self.lines_, self.bands_ = draw_curves(ax, curves, line_kwargs)
        ax.set_ylim(0, 1.02)
        ax.set_xlim(left=0)
        label_axes(ax, size, x=f"radius eps ({self.norm_name})", y="robust accuracy")
        lines = self.lines_
        named = [lines[n] for n in lines if n and not is_grey(lines[n])]
        self.legend_ = legend_above(ax, size, named)
        label_grey_lines(ax, self.lines_, size)
        return self
