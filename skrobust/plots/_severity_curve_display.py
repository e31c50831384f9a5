"""Display of a score against the severity of corruptions."""

import numpy as np

from skrobust._validation import check_choice, invalid
from skrobust.plots.base import BaseDisplay, score_name
from skrobust.plots.cv_scores import mean_and_limits, scores_of
from skrobust.plots.drawing import draw_reference, label_axes, legend_above
from skrobust.plots.many_lines import draw_curves, label_grey_lines

_COLUMNS = ("severity", "score", "low", "high")


class SeverityCurveDisplay(BaseDisplay):
    """Display of a score against severity, one line with its interval per corruption.

    Severity 0 is the clean score. Bands are the intervals of the results (over folds
    where a model was cross-validated, and then too narrow, as folds share training
    rows); without intervals there is no band.

    Parameters
    ----------
    curves : dict of str to dict of str to ndarray of shape (n_severities,)
        By label: ``severity`` (rising), ``score``, ``low`` and ``high`` (nan: unknown).
    score_name : str, default="score"
        Name of the scores.

    Attributes
    ----------
    ax_ : Axes
        Axes of the picture.
    figure_ : Figure
        Its figure.
    lines_, bands_ : dict of str to artist
        By label; no band where no limit is known.
    legend_ : Legend or None
        Legend of the lines, above the axes.

    See Also
    --------
    skrobust.evaluation.cross_validate_perturbations : Makes the results.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.svm import SVC
    >>> from skrobust.evaluation import cross_validate_perturbations
    >>> from skrobust.perturbations import SaltAndPepper
    >>> from skrobust.plots import SeverityCurveDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> noise = [SaltAndPepper(severity=s, image_shape=(8, 8), random_state=0)
    ...          for s in (1, 3, 5)]
    >>> results = cross_validate_perturbations(SVC(), X[:600], y[:600], noise, cv=3)
    >>> display = SeverityCurveDisplay.from_results(results)
    >>> display.frame().severity.tolist()
    [0.0, 1.0, 3.0, 5.0]
    >>> display.plot()  # doctest: +SKIP
    """

    curves: dict
    score_name: str = "score"

    @classmethod
    def from_results(cls, results, *, name=None, limits="pointwise"):
        """Make the display from the results of an evaluation under perturbations.

        Parameters
        ----------
        results : Results or dict of str to Results
            Of ``evaluate_perturbations`` or ``cross_validate_perturbations``: one
            model, or several by name.
        name : str, default=None
            The name of one model.
        limits : {"pointwise", "simultaneous"}, default="pointwise"
            The limits of each condition alone, or ``band_low`` and ``band_high``, which
            hold for all conditions of a model at once; ``evaluate_perturbations`` has
            them for accuracy.

        Returns
        -------
        display : SeverityCurveDisplay
            Not drawn yet.

        Raises
        ------
        ValueError
            For results without a condition on a severity curve, or without a band.
        """
        models, curves = cls._by_model(results, name, "score"), {}
        check_choice(limits, "limits", cls.__name__, ("pointwise", "simultaneous"))
        needed, prefix = ("severity", "corruption"), "score"
        if limits == "simultaneous":
            needed, prefix = (*needed, "band_low", "band_high"), "band"
        for model, one in models.items():
            source = "evaluate_perturbations or cross_validate_perturbations"
            cls._check_results(one, ("clean_score", "score"), source)
            table = one.get("conditions", one)
            cls._check_results(table, needed, source)
            for corruption, curve in _curves(table, one["clean_score"], prefix).items():
                label = corruption if model is None else f"{model}, {corruption}"
                curves[label] = curve
        if not curves:
            raise ValueError(
                f"{cls.__name__} needs conditions on a severity curve, such as "
                "GaussianNoise(severity=3); these results hold none."
            )
        return cls(curves=curves, score_name=score_name(*models.values()))

    @classmethod
    def from_cv_results(cls, cv_results, severities, *, clean=None, name="model"):
        """Make the display from ``cross_validate`` with one scorer per condition.

        Parameters
        ----------
        cv_results : dict
            Of ``cross_validate`` with several metrics, or the ``cv_results_`` of a
            search, whose best candidate by ``rank_test_<clean>`` (else the first) is
            shown.
        severities : dict of str to float
            The severity at which each scorer perturbs, by the name of the scorer.
        clean : str, default=None
            The scorer of clean rows, severity 0.
        name : str, default="model"
            The label of the line.

        Returns
        -------
        display : SeverityCurveDisplay
            Its limits are one standard error over folds.
        """
        caller = f"{cls.__name__}.from_cv_results"
        if not isinstance(severities, dict) or not severities:
            rule = "a non-empty dict of scorers to severities"
            raise invalid("severities", caller, rule, severities)
        levels = ({clean: 0.0} if clean is not None else {}) | severities
        rows = []
        for scorer, level in levels.items():
            table = scores_of(cv_results, scorer, caller)
            best = np.argmin(cv_results.get(f"rank_test_{clean}", [0]))
            rows.append([float(level), *mean_and_limits(table[best])])
        rows = np.array(sorted(rows))
        curve = dict(zip(_COLUMNS, rows.T, strict=True))
        return cls(curves={name: curve})

    def frame(self):
        """Return the curves as a data frame of pandas.

        Returns
        -------
        DataFrame
            Columns ``curve``, ``severity``, ``low``, ``high`` and ``accuracy`` (or
            ``score``), one row per point.
        """
        table = self._concatenated("curve", self.curves)
        return table.rename(columns={"score": self.score_name})

    def plot(self, ax=None, *, kind="score", line_kwargs=None):
        """Draw the curves.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a figure.
        kind : {"score", "relative"}, default="score"
            The scores, or their share of the score of the least severity.
        line_kwargs : dict, default=None
            Passed to ``plot`` for all lines.

        Returns
        -------
        display : SeverityCurveDisplay
            The display itself.
        """
        caller = f"{type(self).__name__}.plot"
        check_choice(kind, "kind", caller, ("score", "relative"))
        ax, size = self._start(ax, 4, 2.8)
        curves = {}
        for label, curve in self.curves.items():
            base = curve["score"][0] if kind == "relative" else 1.0
            scores = [curve[name] / base for name in _COLUMNS[1:]]
            curves[label] = [curve["severity"], *scores]
        alpha = 0.2 if len(curves) < 3 else 0.1  # many bands lie on one another
        self.lines_, self.bands_ = draw_curves(
            ax, curves, line_kwargs, marker=True, alpha=alpha
        )
        if kind == "relative":
            draw_reference(ax, 1)
        y = self.score_name if kind == "score" else f"share of clean {self.score_name}"
        label_axes(ax, size, x="severity (0 is clean)", y=y)
        self.legend_ = legend_above(ax, size)
        label_grey_lines(ax, self.lines_, size)
        return self


def _curves(table, clean_score, prefix):
    """Return the curve of each corruption, from severity 0 on."""
    unknown = np.full(len(table["score"]), np.nan)
    names = ("severity", "score", f"{prefix}_low", f"{prefix}_high")
    columns = [np.asarray(table.get(name, unknown), dtype=float) for name in names]
    rows = np.column_stack(columns)
    curves = {}
    for corruption in dict.fromkeys(str(c) for c in table["corruption"] if c):
        chosen = rows[np.asarray(table["corruption"]) == corruption]
        if not (chosen[:, 0] == 0).any():
            chosen = np.vstack([[0.0, clean_score, np.nan, np.nan], chosen])
        chosen = chosen[np.argsort(chosen[:, 0], kind="stable")]
        curves[corruption] = dict(zip(_COLUMNS, chosen.T, strict=True))
    return curves
