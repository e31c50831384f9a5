"""Tiles and lines of the gallery: images, series, and rows of text."""

import re
import textwrap

import numpy as np

from skrobust._array_checks import number_array
from skrobust._containers import shape_of, to_array
from skrobust._validation import invalid, is_integer
from skrobust.plots.drawing import size_in_inches


def in_words(name, width):
    """Return a name broken between its words, such as those of a class."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", str(name))
    return textwrap.fill(spaced, width, break_long_words=False)


def named_perturbations(perturbations, caller):
    """Return one or more perturbations as a dict by name, or raise."""
    if isinstance(perturbations, dict):
        named = {str(name): p for name, p in perturbations.items()}
    else:
        listed = isinstance(perturbations, (list, tuple))
        named = {}
        for one in perturbations if listed else [perturbations]:
            stem = name = str(getattr(one, "name", None) or type(one).__name__)
            severity = getattr(one, "severity", None)
            if isinstance(severity, (int, float)):
                stem = name = f"{name} {severity:g}"
            n = 1
            while name in named or name == "clean":
                n += 1
                name = f"{stem} ({n})"
            named[name] = one
    if not named or any(
        isinstance(p, type) or not hasattr(p, "perturb") for p in named.values()
    ):
        rule = "one or more objects with perturb(estimator, X, y)"
        raise invalid("perturbations", caller, rule, perturbations)
    return named


def kind_of(X, image_shape):
    """Return the kind of rows: "image", "series", "table" or "text"."""
    if hasattr(X, "columns"):
        return "table"
    first = np.asarray(to_array(X), dtype=object)[:1].ravel()
    if len(first) and isinstance(first[0], str):
        return "text"
    ndim = len(shape_of(X))
    if image_shape is not None or ndim == 4:
        return "image"
    return "series" if ndim == 3 or shape_of(X)[1] > 30 else "table"


def as_image(row, image_shape, caller):
    """Return a row as (height, width) or (height, width, channels)."""
    row = number_array(row, "X", caller).astype(float)
    shape = row.shape if image_shape is None else image_shape
    sides = isinstance(shape, (tuple, list)) and all(map(is_integer, shape))
    if not sides or np.prod(shape) != row.size or len(shape) not in (2, 3):
        rule = f"the shape of a row of {row.size} values, such as (height, width)"
        raise invalid("image_shape", caller, rule, image_shape)
    image = row.reshape(shape)
    if image.ndim == 3 and shape[-1] not in (1, 3, 4) and shape[0] in (1, 3, 4):
        image = np.moveaxis(image, 0, -1)
    if image.ndim == 3 and image.shape[-1] not in (3, 4):
        image = image.mean(axis=-1)
    return image


def draw_image(ax, image, limits):
    """Draw one image over the range of all of them."""
    low, high = limits
    if image.ndim == 3:
        share = (image - low) / (high - low if high > low else 1)
        return ax.imshow(np.clip(share, 0, 1))
    return ax.imshow(image, cmap="gray", vmin=low, vmax=high)


def draw_series(ax, row, clean, color, pale):
    """Draw one series over the clean one."""
    row, clean = (np.atleast_2d(np.asarray(r, dtype=float)) for r in (row, clean))
    for channel in clean:
        ax.plot(channel, color=pale, lw=1.6, alpha=0.45)
    lines = [ax.plot(channel, color=color, lw=0.9)[0] for channel in row]
    return lines[0]


def table_lines(clean, shown, n_features):
    """Return the names of the features that change most, and the cells of each row.

    Parameters
    ----------
    clean : array-like or data frame of shape (n_samples, n_features)
        Rows as they were.
    shown : list of the same
        Rows of each condition, the clean ones first.
    n_features : int
        How many features there is room for.

    Returns
    -------
    names : list of str
        Of the features, in their order.
    cells : list of ndarray of str of shape (n_samples, n_shown)
        The values of each condition.
    changed : list of ndarray of bool of shape (n_samples, n_shown)
        Whether they differ from the clean ones.
    """
    names = [str(c) for c in getattr(clean, "columns", range(np.shape(clean)[1]))]
    tables = [np.asarray(to_array(rows), dtype=object) for rows in shown]
    changed = [differs(table, tables[0]) for table in tables]
    total = sum(c.sum(axis=0) for c in changed)
    kept = np.sort(np.argsort(-total, kind="stable")[:n_features])
    cells = [np.vectorize(_short, otypes=[object])(t[:, kept]) for t in tables]
    return [names[i] for i in kept], cells, [c[:, kept] for c in changed]


def differs(first, second):
    """Return where two tables differ; two missing values are equal."""

    def one(a, b):
        missing = a != a and b != b
        return not missing and bool(a is not b and a != b)

    return np.vectorize(one, otypes=[bool])(first, second)


def _short(value):
    try:
        return f"{float(value):.4g}"
    except (TypeError, ValueError):
        return textwrap.shorten(str(value), 14, placeholder="…")


def draw_lines(ax, header, rows, bold, size, widths):
    """Write rows of cells, changed ones in bold, and return the texts."""
    texts, starts = [], np.r_[0, np.cumsum(widths)] / np.sum(widths)
    n_lines = [max(cell.count("\n") + 1 for cell in row) for row in [header, *rows]]
    # Lines stand together on top, also where there is room for more.
    height = 72 * size_in_inches(ax)[1]
    pitch = min(1.0 / (sum(n_lines) + 0.4 * len(n_lines)), 1.3 * size / height)
    tops = np.r_[0, np.cumsum(np.array(n_lines) + 0.4)[:-1]] * pitch
    for i, row in enumerate([header, *rows]):
        line = []
        for j, cell in enumerate(row):
            heavy = i == 0 or bold[i - 1][j]
            weight = {"fontsize": size, "fontweight": "bold" if heavy else "normal"}
            settings = {"transform": ax.transAxes, "va": "top", "parse_math": False}
            line.append(ax.text(starts[j], 1 - tops[i], cell, **settings, **weight))
        texts.append(line)
    return texts
