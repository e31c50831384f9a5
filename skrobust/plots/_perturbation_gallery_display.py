"""Display of clean samples beside perturbed ones."""

import textwrap

import numpy as np

from skrobust._array_checks import check_same_length
from skrobust._containers import is_frame, shape_of, to_array
from skrobust._guarded_rows import perturb_guarded
from skrobust._responses import predict_labels
from skrobust._validation import check_choice, check_count, invalid
from skrobust.metrics.labels import label_array
from skrobust.plots.base import BaseDisplay
from skrobust.plots.drawing import color_of, font_size, ink, size_in_inches
from skrobust.plots.gallery_tiles import (
    as_image,
    draw_image,
    draw_lines,
    draw_series,
    in_words,
    kind_of,
    named_perturbations,
    table_lines,
)

_KINDS = ("auto", "image", "series", "table", "text")


class PerturbationGalleryDisplay(BaseDisplay):
    """Display of clean samples beside perturbed ones, with predictions.

    Images and series stand in a grid: one column per sample, one row per condition,
    the clean samples on top; a perturbed series is drawn over the clean one. Rows of
    tables and texts are written out, with what changed in bold. Where a model is given,
    each tile names its prediction, with a cross where it is not the true label.

    Parameters
    ----------
    rows : dict of str to array-like of shape (n_samples, ...)
        Samples by condition, the clean ones first.
    kind : {"image", "series", "table", "text"}
        How samples are drawn.
    predictions : dict of str to ndarray of shape (n_samples,), default=None
        By condition.
    y : ndarray of shape (n_samples,), default=None
        True labels.
    image_shape : tuple of int, default=None
        Of flat images.

    Attributes
    ----------
    ax_ : Axes
        The axes that hold the gallery.
    figure_ : Figure
        Their figure.
    tiles_ : ndarray of Axes of shape (n_conditions, n_samples), or None
        Of images and series.
    artists_ : list of list
        Images, lines or texts, condition by condition (texts line by line).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.svm import SVC
    >>> from skrobust.perturbations import SaltAndPepper
    >>> from skrobust.plots import PerturbationGalleryDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> noise = SaltAndPepper(
    ...     0.2, image_shape=(8, 8), data_range=(0, 16), random_state=0)
    >>> display = PerturbationGalleryDisplay.from_estimator(
    ...     SVC().fit(X, y), X, y, noise, n_samples=3)
    >>> display.frame().condition.tolist()[::3]
    ['clean', 'SaltAndPepper']
    >>> display.plot()  # doctest: +SKIP
    """

    rows: dict
    kind: str
    predictions: dict | None = None
    y: np.ndarray | None = None
    image_shape: tuple | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        y,
        perturbations,
        *,
        n_samples=5,
        kind="auto",
        image_shape=None,
    ):
        """Perturb and predict a few rows and make the display.

        Parameters
        ----------
        estimator : fitted classifier or None
            None shows the rows without predictions; attacks need a model.
        X : array-like or data frame of shape (n_samples, ...)
            Raw input of the whole pipeline; not changed.
        y : array-like of shape (n_samples,) or None
            True labels.
        perturbations : object with ``perturb(estimator, X, y)``, list or dict of them
            Perturbations, attacks, or objects of your own; a dict names them.
        n_samples : int, default=5
            Number of rows, the first ones of ``X``.
        kind : {"auto", "image", "series", "table", "text"}, default="auto"
            How rows are drawn. "auto": str as text, data frames as tables, rows with an
            image shape and 4-D input as images, rows of more than 30 features and 3-D
            input as series, else tables.
        image_shape : tuple of int, default=None
            Of flat images; None takes that of the first perturbation.

        Returns
        -------
        display : PerturbationGalleryDisplay
            Not drawn yet.

        Raises
        ------
        ValueError
            For no rows, no perturbation, or a shape that does not fit.
        """
        caller = f"{cls.__name__}.from_estimator"
        check_choice(kind, "kind", caller, _KINDS)
        n_samples = check_count(n_samples, "n_samples", caller)
        named = named_perturbations(perturbations, caller)
        if y is not None:
            y = label_array(y, caller, "y")
            check_same_length(caller, X=X, y=y)
            y = y[:n_samples]
        if not is_frame(X) and not hasattr(X, "shape"):
            X = to_array(X, "X", caller)
        if not shape_of(X, "X", caller) or X.shape[0] == 0:
            raise invalid("X", caller, "of at least one row", X)
        clean = X[:n_samples]
        if image_shape is None:
            shapes = (getattr(p, "image_shape", None) for p in named.values())
            image_shape = next((s for s in shapes if isinstance(s, tuple)), None)
        kind = kind_of(clean, image_shape) if kind == "auto" else kind
        if kind == "image":
            for row in np.asarray(to_array(clean))[:1]:
                as_image(row, image_shape, caller)
        rows = {"clean": clean}
        for name, perturbation in named.items():
            rows[name] = perturb_guarded(perturbation, estimator, clean, y)
        predictions = None
        if estimator is not None:
            predictions = {k: predict_labels(estimator, v) for k, v in rows.items()}
        return cls(
            rows=rows, kind=kind, predictions=predictions, y=y, image_shape=image_shape
        )

    def frame(self):
        """Return the samples as a data frame of pandas.

        Returns
        -------
        DataFrame
            Columns ``condition``, ``sample``, and where known ``true`` and
            ``predicted``.
        """
        tables = {}
        for condition, rows in self.rows.items():
            tables[condition] = {"sample": np.arange(len(rows))}
            if self.y is not None:
                tables[condition]["true"] = self.y
            if self.predictions is not None:
                tables[condition]["predicted"] = self.predictions[condition]
        return self._concatenated("condition", tables)

    def plot(self, ax=None):
        """Draw the gallery.

        Parameters
        ----------
        ax : Axes, default=None
            Axes that the gallery fills; None makes a figure.

        Returns
        -------
        display : PerturbationGalleryDisplay
            The display itself.
        """
        ax, _ = self._start(ax, 1, 1)
        self.tiles_ = None
        ax.set_axis_off()
        if self.kind in ("image", "series"):
            self._draw_tiles(ax)
        else:
            self._draw_text(ax)
        return self

    def _caption(self, condition, i):
        if self.predictions is None:
            return "" if self.y is None else str(self.y[i])
        said = self.predictions[condition][i]
        if self.y is None:
            return str(said)
        return f"{said} {'✓' if said == self.y[i] else '✗'}"

    def _draw_tiles(self, ax):
        n_rows, n_columns = len(self.rows), len(next(iter(self.rows.values())))
        size = font_size(ax, 0.75 * n_columns, 0.8 * n_rows)
        arrays = [np.asarray(to_array(r), dtype=float) for r in self.rows.values()]
        known = np.concatenate([a[np.isfinite(a)] for a in arrays])
        limits = (known.min(), known.max()) if known.size else (0.0, 1.0)
        # Room for a line of text over each tile, and for names on the left.
        height = 72 * size_in_inches(ax)[1] / n_rows
        free = min(0.45, 1.7 * size / height)
        names = [in_words(name, 10) for name in self.rows]
        longest = max(len(part) for name in names for part in name.split("\n"))
        left = min(0.35, 0.65 * size * longest / (72 * size_in_inches(ax)[0]))
        step = (1 - left) / n_columns
        shape = (n_rows, n_columns)
        self.tiles_, self.artists_ = np.empty(shape, object), []
        for i, (condition, rows) in enumerate(zip(self.rows, arrays, strict=True)):
            top, line = 1 - (i + 1) / n_rows, []
            for j, row in enumerate(rows):
                box = [left + j * step, top, 0.92 * step, (1 - free) / n_rows]
                tile = self.tiles_[i, j] = ax.inset_axes(box)
                tile.set(xticks=[], yticks=[])
                caption = self._caption(condition, j)
                tile.set_title(caption, fontsize=size, pad=2, parse_math=False)
                line.append(self._draw_tile(tile, row, arrays[0][j], limits))
            middle = 1 - (i + 0.5 + free / 2) / n_rows
            settings = {"va": "center", "transform": ax.transAxes, "parse_math": False}
            ax.text(0, middle, names[i], fontsize=size, **settings)
            self.artists_.append(line)

    def _draw_tile(self, tile, row, clean, limits):
        if self.kind == "image":
            image = as_image(row, self.image_shape, type(self).__name__)
            return draw_image(tile, image, limits)
        artist = draw_series(tile, row, clean, color_of(0), ink())
        tile.set_ylim(limits)
        return artist

    def _draw_text(self, ax):
        lines, bold, last = [], [], []
        if self.kind == "table":
            room = int((size_in_inches(ax)[0] - 1.2) / 0.6)
            n_features, rows = min(6, max(2, room)), list(self.rows.values())
            names, cells, changed = table_lines(self.rows["clean"], rows, n_features)
            names = [in_words(name, 12) for name in names]
        else:
            names = ["text"]
            cells = [
                np.array([[textwrap.fill(str(t), 46)] for t in rows], dtype=object)
                for rows in self.rows.values()
            ]
            changed = [c != cells[0] for c in cells]
        if self.predictions is not None or self.y is not None:
            last = ["predicted" if self.predictions is not None else "label"]
        header = ["sample", "shown", *names, *last]
        for i in range(len(self.rows["clean"])):
            for c, condition in enumerate(self.rows):
                row = ["" if c else str(i), in_words(condition, 16), *cells[c][i]]
                said = [self._caption(condition, i) for _ in last]
                lines.append(row + said)
                marks = ["✗" in text for text in said]
                bold.append([False, False, *changed[c][i], *marks])
        # Each column as wide as its longest line; bold letters are a sixth wider.
        table = [header, *lines]
        widths = [
            1.17 * (2 + max(len(part) for row in table for part in row[j].split("\n")))
            for j in range(len(header))
        ]
        width = 0.085 * sum(widths)
        tallest = [max(cell.count("\n") + 1.4 for cell in row) for row in table]
        size = font_size(ax, width, 0.19 * sum(tallest))
        self.artists_ = draw_lines(ax, header, lines, bold, size, widths)
