"""Display of a normalized score and its factors."""

import numpy as np

from skrobust._containers import shape_of
from skrobust._responses import (
    model_name,
    predicts_classes,
    predicts_numbers,
    refuse_unwrapped,
    respond,
)
from skrobust._validation import check_choice
from skrobust.metrics import normalized_score_parts
from skrobust.plots.base import BaseDisplay
from skrobust.plots.drawing import color_of, draw_reference, label_axes, size_in_inches

_KEYS = ("raw", "dimensionality", "signal", "imbalance", "unclipped", "score")
_TASKS = {
    "classification": "accuracy",
    "regression": "R²",
    "clustering": "clustering score",
}


class NormalizedScoreDisplay(BaseDisplay):
    """Bar chart of a raw score and the score after each factor.

    The first bar is the raw score; each next one is the bar above times the
    dimensionality factor, times the signal factor, divided by the imbalance factor; the
    last is the normalized score, clipped to [0, 1] on request.

    Parameters
    ----------
    parts : dict of str to float
        ``raw``, ``dimensionality``, ``signal``, ``imbalance``, ``unclipped`` and
        ``score``.
    raw_name : str, default="score"
        Name of the raw score.
    name : str, default=None
        The name of the model, shown as the title.

    Attributes
    ----------
    ax_ : Axes
        Axes of the picture.
    figure_ : Figure
        Its figure.
    bars_ : BarContainer
        One bar a step, the raw score first.
    texts_ : list of Text
        The values of the bars.

    See Also
    --------
    skrobust.metrics.normalized_score_parts : Makes the results.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skrobust.plots import NormalizedScoreDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> display = NormalizedScoreDisplay.from_estimator(
    ...     model, X, y, n_samples=len(X))
    >>> display.frame().step.tolist()
    ['accuracy', 'times dimensionality', 'times signal',
     'divided by imbalance', 'normalized score']
    >>> display.plot()  # doctest: +SKIP
    """

    parts: dict
    raw_name: str = "score"
    name: str | None = None

    @classmethod
    def from_results(cls, results, *, raw_name="score", name=None):
        """Make the display from ``normalized_score_parts``.

        Parameters
        ----------
        results : dict
            Of ``normalized_score_parts``.
        raw_name : str, default="score"
            Name of the raw score.
        name : str, default=None
            The name of the model.

        Returns
        -------
        display : NormalizedScoreDisplay
            Not drawn yet.
        """
        cls._check_results(results, _KEYS, "normalized_score_parts")
        parts = {key: float(results[key]) for key in _KEYS}
        return cls(parts=parts, raw_name=raw_name, name=name)

    @classmethod
    def from_predictions(cls, y_true, y_pred, *, task, name=None, **kwargs):
        """Compute the parts of a score and make the display.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            Labels, targets or clusters.
        task : {"classification", "regression", "clustering"}
            Task of the score.
        name : str, default=None
            The name of the model.
        **kwargs : dict
            Passed to ``normalized_score_parts``; ``n_features`` is needed.

        Returns
        -------
        display : NormalizedScoreDisplay
            Not drawn yet.
        """
        check_choice(task, "task", f"{cls.__name__}.from_predictions", tuple(_TASKS))
        parts = normalized_score_parts(y_true, y_pred, task=task, **kwargs)
        return cls.from_results(parts, raw_name=_TASKS[task], name=name)

    @classmethod
    def from_estimator(cls, estimator, X, y, *, name=None, **kwargs):
        """Predict with a fitted model and make the display.

        Parameters
        ----------
        estimator : fitted classifier, regressor or clusterer
            A model with ``predict``; what it is says which score.
        X : array-like or data frame of shape (n_samples, ...)
            Raw input of the whole pipeline; not changed.
        y : array-like of shape (n_samples,)
            True labels or targets.
        name : str, default=None
            The name of the model; None is the name of its class, of a pipeline that of
            its last step.
        **kwargs : dict
            Passed to ``normalized_score_parts``; ``n_features`` is that of ``X`` unless
            given.

        Returns
        -------
        display : NormalizedScoreDisplay
            Not drawn yet.
        """
        refuse_unwrapped(estimator, cls.__name__)
        task = "clustering"
        if predicts_classes(estimator):
            task = "classification"
        elif predicts_numbers(estimator):
            task = "regression"
        shape = shape_of(X)
        kwargs = {"n_features": int(np.prod(shape[1:]))} | kwargs
        name = cls._named(name, model_name(estimator))
        return cls.from_predictions(
            y, respond(estimator, "predict", X), task=task, name=name, **kwargs
        )

    def _steps(self):
        p = self.parts
        reduced = p["raw"] * p["dimensionality"]
        return [
            (self.raw_name, np.nan, p["raw"]),
            ("times dimensionality", p["dimensionality"], reduced),
            ("times signal", p["signal"], reduced * p["signal"]),
            ("divided by imbalance", p["imbalance"], p["unclipped"]),
            ("normalized score", np.nan, p["score"]),
        ]

    def frame(self):
        """Return the steps as a data frame of pandas.

        Returns
        -------
        DataFrame
            Columns ``step``, ``factor`` (nan for the scores) and ``value``, the score
            after that step.
        """
        return self._data_frame(self._steps(), columns=["step", "factor", "value"])

    def plot(self, ax=None, *, values_format=".3f"):
        """Draw the steps.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a figure.
        values_format : str, default=".3f"
            Format of the numbers.

        Returns
        -------
        display : NormalizedScoreDisplay
            The display itself.
        """
        ax, size = self._start(ax, 3.5, 2)
        names, factors, values = zip(*self._steps(), strict=True)
        places = np.arange(len(names))[::-1]
        # Scores are full bars, what stands between them is pale and hatched.
        self.bars_ = ax.barh(places, values, height=0.6, color=color_of(0))
        for bar in self.bars_[1:-1]:
            bar.set(alpha=0.45, hatch="//")
        steps = zip(names, factors, strict=True)
        labels = [n if np.isnan(factor) else f"{n} {factor:.3g}" for n, factor in steps]
        ax.set_yticks(places, labels)
        # Numbers stand beside the bars, with room on both sides where one is negative.
        low, high = min(0.0, *values), max(1.0, *values)
        wide = 3.2 * size / (0.55 * 72 * size_in_inches(ax)[0])  # of the axes
        room = (high - low) * min(0.6, wide / (1 - wide))
        ax.set_xlim(low - (room if low < 0 else 0), high + room)
        self.texts_ = [
            ax.annotate(
                format(value, values_format),
                (value, place),
                xytext=(4 if value >= 0 else -4, 0),
                textcoords="offset points",
                ha="left" if value >= 0 else "right",
                va="center",
                fontsize=size,
                bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 0.5},
            )
            for value, place in zip(values, places, strict=True)
        ]
        draw_reference(ax, 1, vertical=True, ls=":")
        label_axes(ax, size, x="score after each step", y="", title=self.name)
        return self
