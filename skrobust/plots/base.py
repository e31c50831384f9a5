"""Base class of the displays."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

from skrobust._optional import require
from skrobust._results import columns_html, folded_html
from skrobust._validation import invalid
from skrobust.plots.drawing import check_axes, font_size, get_pyplot

_HALVES = re.compile("[\ud800-\udfff]")
# Types of fields that are checked; arrays and numbers are read where they are drawn.
_PLAIN = (dict, list, str, bool, dict | None, str | None, tuple | None)


class BaseDisplay:
    """Base class of the displays.

    A display holds the data of one picture: ``plot`` draws it, ``frame`` returns it as
    a table, and a notebook shows that table. A subclass declares its data as fields of
    a dataclass; its constructor takes them by name.
    """

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        dataclass(kw_only=True, eq=False, repr=False)(cls)

    def __post_init__(self):
        for one in fields(self):
            if one.type in _PLAIN and not isinstance(getattr(self, one.name), one.type):
                rule, value = f"of type {one.type}", getattr(self, one.name)
                if isinstance(one.type, type):
                    rule = f"a {one.type.__name__}"
                raise invalid(one.name, type(self).__name__, rule, value)

    @classmethod
    def _named(cls, name, default):
        """Return the name of a model, or what stands for None."""
        # Half of a pair of UTF-16 is in no text.
        if name is not None and (not isinstance(name, str) or _HALVES.search(name)):
            raise invalid("name", cls.__name__, "None or text", name)
        return name or default

    def _repr_html_(self):
        name = type(self).__name__
        try:
            frame = self.frame()
        except ImportError:
            return f"<p>{name}</p>"
        columns = {str(c): frame[c].tolist() for c in frame.columns}
        return folded_html(f"{name}: {len(frame)} rows", columns_html("", columns))

    @classmethod
    def _check_results(cls, results, keys, source):
        """Raise unless the results hold the keys that their source writes."""
        if not isinstance(results, Mapping) or any(key not in results for key in keys):
            raise invalid("results", cls.__name__, f"what {source} returns", results)

    @classmethod
    def _by_model(cls, results, name, key):
        """Return the results of one model, or of several by name, as a dict."""
        if isinstance(results, Mapping) and results and key not in results:
            if name is not None:
                rule = "None for several models, which carry their own names"
                raise invalid("name", cls.__name__, rule, name)
            return dict(results)
        return {cls._named(name, None): results}

    def _data_frame(self, data, **kwargs):
        """Return a data frame of pandas, or say how to install it."""
        caller = f"{type(self).__name__}.frame"
        pandas = require("pandas", caller, extra="report")
        return pandas.DataFrame(data, **kwargs)

    def _concatenated(self, column, tables):
        """Return tables below one another, with a first column of their names."""
        parts = [self._data_frame({column: k, **v}) for k, v in tables.items()]
        pandas = require("pandas", "frame", extra="report")
        return pandas.concat(parts, ignore_index=True)

    def _start(self, ax, width, height, *, three_d=False):
        """Set the axes and the figure; return the axes and a font size.

        Parameters
        ----------
        ax : Axes or None
            None makes a figure.
        width, height : float
            Inches that the picture needs at the default font size.
        three_d : bool, default=False
            Whether the axes are three-dimensional.
        """
        caller = type(self).__name__
        if ax is None:
            kind = {"projection": "3d"} if three_d else None
            plt = get_pyplot(caller)
            _, ax = plt.subplots(layout="constrained", subplot_kw=kind)
        self.ax_ = check_axes(ax, caller, three_d=three_d)
        self.figure_ = ax.figure
        return ax, font_size(ax, width, height)


def score_name(*results):
    """Return the name of the scores: correctness is kept for accuracy only."""
    is_accuracy = results and all("correct" in one for one in results)
    return "accuracy" if is_accuracy else "score"
