"""Display of a score over two factors, in both orders of application."""

import re

import numpy as np
from sklearn.utils import Bunch

from skrobust._validation import invalid
from skrobust.plots.base import BaseDisplay, score_name
from skrobust.plots.drawing import (
    check_axes,
    draw_colorbar,
    font_size,
    get_pyplot,
    label_axes,
)

# A factor is a name without digits, such as "GaussianNoise[std]", and a level.
_STEP = r"([^\d\W][^\d+-]*)([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
_NAME = re.compile(_STEP + _STEP)
_FACTORS = {
    "SP": "SP: salt and pepper (density)",
    "GA": "GA: Gaussian noise (level)",
    "RO": "RO: rotation (° clockwise)",
}


def _parse(name, caller):
    # "SP0.1RL30" -> (("SP", 0.1), ("RO", -30.0)); turns to the left are negative.
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(
            f"{caller} reads the two factors from the names of the conditions, such as "
            f"'SP0.1GA0.15' or 'RL60SP0.2'; {name!r} cannot be read. Use the "
            "conditions of two_factor_grid, with numbers as levels and no digits in "
            "the names of the factors."
        )
    steps = []
    for factor, level in (match.group(1, 2), match.group(3, 4)):
        sign = -1.0 if factor == "RL" else 1.0
        factor = "RO" if factor in ("RR", "RL") else factor
        steps.append((factor, sign * float(level) + 0.0))
    return tuple(steps)


def _panel(orders, first, second, clean):
    """Return the map of one order of application."""
    # The order of a pair that comes first sets the axes for both orders.
    row, column = next(o for o in orders if set(o) == {first, second})
    cells = orders[first, second]
    if first != row:
        cells = {(b, a): cell for (a, b), cell in cells.items()}
    cells = {(0.0, 0.0): ("CLEAN", clean)} | cells
    rows, columns = (sorted({key[i] for key in cells}) for i in (0, 1))
    grid = [[cells.get((r, c), ("", np.nan)) for c in columns] for r in rows]
    return Bunch(
        first=first,
        second=second,
        row_factor=row,
        column_factor=column,
        row_levels=np.array(rows),
        column_levels=np.array(columns),
        names=np.array([[name for name, _ in line] for line in grid]),
        scores=np.array([[score for _, score in line] for line in grid]),
    )


def _ink(color):
    # Black on light cells, white on dark ones, by relative luminance.
    rgb = np.asarray(color[:3])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return "black" if linear @ [0.2126, 0.7152, 0.0722] > 0.18 else "white"


class PerturbationGridDisplay(BaseDisplay):
    """Heat maps of a score over two factors, one for each order of application.

    Both orders of a pair have the same rows and columns, so that the same place in
    two neighbouring maps is the same pair of levels and a difference is an effect of
    the order (and of fresh noise). Level 0 has its row and column; the cell where both
    are 0 shows the clean score. Conditions that occur more than once (salt and pepper
    alone stands in all four maps of asi68) are shown each in its own map.

    Parameters
    ----------
    panels : list of Bunch
        One per order, with ``first`` and ``second`` (the factors in their order of
        application), ``row_factor`` and ``column_factor``, ``row_levels`` and
        ``column_levels``, ``names`` and ``scores`` of shape (n_rows, n_columns); a
        score is nan where no condition stands.
    score_name : str, default="accuracy"
        Name of the scores.

    Attributes
    ----------
    ax_ : ndarray of Axes
        One per map.
    figure_ : Figure
        The figure of these axes.
    images_ : list of AxesImage
        The maps.
    texts_ : list of ndarray
        The numbers in the cells, None where no condition stands.
    colorbar_ : Colorbar
        The scale that all maps share.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.svm import SVC
    >>> from skrobust.evaluation import evaluate_perturbations
    >>> from skrobust.perturbations import two_factor_grid
    >>> from skrobust.plots import PerturbationGridDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> model = SVC().fit(X[:1000], y[:1000])
    >>> grid = two_factor_grid(
    ...     "asi68", image_shape=(8, 8), data_range=(0, 16), random_state=0)
    >>> results = evaluate_perturbations(model, X[1000:1100], y[1000:1100], grid)
    >>> display = PerturbationGridDisplay.from_results(results)
    >>> [(p.first, p.second, p.scores.shape) for p in display.panels]
    [('SP', 'GA', (4, 4)), ('GA', 'SP', (4, 4)),
     ('SP', 'RO', (4, 5)), ('RO', 'SP', (4, 5))]
    >>> display.plot()  # doctest: +SKIP
    """

    panels: list
    score_name: str = "accuracy"

    @classmethod
    def from_results(cls, results):
        """Make the display from the results of ``evaluate_perturbations``.

        Parameters
        ----------
        results : Results
            Of the conditions of ``two_factor_grid``, or others whose names are two
            factors with a level each, such as ``"Rotation10GaussianNoise0.1"``.

        Returns
        -------
        display : PerturbationGridDisplay
            Not drawn yet.
        """
        caller = cls.__name__
        cls._check_results(results, ("score", "name"), "evaluate_perturbations")
        clean, orders = np.nan, {}
        for name, score in zip(results["name"], results["score"], strict=True):
            name = str(name)
            if name == "CLEAN":
                clean = float(score)
                continue
            (first, a), (second, b) = _parse(name, caller)
            cells = orders.setdefault((first, second), {})
            if (a, b) in cells:
                raise ValueError(
                    f"{caller} needs each condition once; {name!r} occurs twice."
                )
            cells[a, b] = (name, float(score))
        if not orders:
            rule = "results of at least one condition of two factors"
            raise invalid("results", caller, rule, results)
        panels = [_panel(orders, *order, clean) for order in orders]
        return cls(panels=panels, score_name=score_name(results))

    def frame(self):
        """Return the cells as a data frame of pandas.

        Returns
        -------
        DataFrame
            Columns ``order`` (such as "SP → GA"), ``first_level``, ``second_level``,
            ``name`` and ``accuracy`` (or ``score``), one row per cell with a condition.
        """
        rows = []
        for p in self.panels:
            for (i, j), name in np.ndenumerate(p.names):
                levels = [float(p.row_levels[i]), float(p.column_levels[j])]
                if p.first != p.row_factor:
                    levels.reverse()
                if np.isfinite(p.scores[i, j]):
                    order = f"{p.first} → {p.second}"
                    rows.append([order, *levels, str(name), float(p.scores[i, j])])
        columns = ["order", "first_level", "second_level", "name", self.score_name]
        return self._data_frame(rows, columns=columns)

    def plot(self, axes=None, *, values_format=".2f", image_kwargs=None):
        """Draw the maps.

        Parameters
        ----------
        axes : array-like of Axes, default=None
            As many axes as maps (4 for asi68), in any shape. None makes a figure.
        values_format : str, default=".2f"
            Format of the numbers in the cells.
        image_kwargs : dict, default=None
            Passed to ``imshow``, for example ``{"cmap": "cividis", "vmin": 0}``.

        Returns
        -------
        display : PerturbationGridDisplay
            The display itself.
        """
        caller, n = type(self).__name__, len(self.panels)
        if axes is None:
            plt, columns = get_pyplot(caller), min(n, 2)
            shape = (-(-n // columns), columns)
            _, axes = plt.subplots(*shape, layout="constrained", squeeze=False)
            for spare in axes.ravel()[n:]:
                spare.remove()
            axes = axes.ravel()[:n]
        self.ax_ = np.array(axes, dtype=object).ravel()
        if len(self.ax_) != n:
            raise invalid("axes", f"{caller}.plot", f"{n} axes or None", len(self.ax_))
        for ax in self.ax_:
            check_axes(ax, caller)
        self.figure_ = self.ax_[0].figure
        scores = np.concatenate([p.scores.ravel() for p in self.panels])
        settings = {"vmin": np.nanmin(scores), "vmax": np.nanmax(scores)}
        settings |= {"cmap": "viridis", "origin": "lower", "aspect": "auto"}
        settings |= image_kwargs or {}
        self.images_, self.texts_ = [], []
        for ax, panel in zip(self.ax_, self.panels, strict=True):
            self._draw(ax, panel, values_format, settings)
        parts = self.images_[0], list(self.ax_), self.score_name
        self.colorbar_ = draw_colorbar(*parts, font_size(self.ax_[0], 2, 1.9))
        return self

    def _draw(self, ax, panel, values_format, settings):
        image = ax.imshow(panel.scores, **settings)
        n_rows, n_columns = panel.scores.shape
        # Numbers no wider than their cells, names no longer than their axes.
        size = font_size(ax, 2, 1.9)
        number_size = font_size(ax, 0.54 * n_columns, 0.25 * n_rows)
        texts = np.full(panel.scores.shape, None)
        for (i, j), score in np.ndenumerate(panel.scores):
            if np.isfinite(score):
                settings = {"ha": "center", "va": "center", "fontsize": number_size}
                settings["color"] = _ink(image.cmap(image.norm(score)))
                texts[i, j] = ax.text(j, i, format(score, values_format), **settings)
        x, y = (_FACTORS.get(f, f) for f in (panel.column_factor, panel.row_factor))
        title = f"{panel.first} → {panel.second}"
        ax.set_xticks(range(n_columns), [f"{v:g}" for v in panel.column_levels])
        ax.set_yticks(range(n_rows), [f"{v:g}" for v in panel.row_levels])
        label_axes(ax, size, x=x, y=y, title=title)
        self.images_.append(image)
        self.texts_.append(texts)
