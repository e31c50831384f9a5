"""Reader of times and periods.

They are numbers, dates (of NumPy, pandas or the standard library), periods of pandas,
an ordered Categorical, or text that sorts in time, as dates in ISO format do.
"""

import numbers
import re
from itertools import pairwise

import numpy as np
from sklearn.utils import column_or_1d

from skrobust._array_checks import check_scores, refuse_missing
from skrobust._containers import one_per_row, shown_value
from skrobust._validation import invalid
from skrobust.metrics.labels import check_one_each

_ISO = re.compile(r"\d{4}(-\d\d){0,2}([T ][\d:.]+)?$")


def period_text(period):
    """Return a period as text, a day without its midnight."""
    text = re.sub(r"(:\d\d)\.0+$", r"\1", str(period))
    return re.sub(r"(?<=\d)[T ]00:00(:00)?$", "", text)


def time_values(times, caller, *, name="times", rule="numbers, dates or ISO text"):
    """Return times as floats: numbers as they are, dates in days from the first.

    Parameters
    ----------
    times : array-like of shape (n_times,)
        Numbers, dates, periods (which begin) or text in ISO format.
    caller, name : str
        The function and the parameter that an error names.
    rule : str, default="numbers, dates or ISO text"
        What an error asks for.

    Returns
    -------
    ndarray of shape (n_times,), dtype float64
        The times.

    Raises
    ------
    ValueError
        For missing times and for what is neither a number nor a date.
    """
    values = one_per_row(times, name, caller)
    refuse_missing(values, caller, name)
    if values.dtype.kind in "iufb" or values.ndim != 1:
        return check_scores(values, caller, name=name, min_size=0)
    try:
        dates = np.array([_as_date(value) for value in values], dtype="datetime64[us]")
    except (TypeError, ValueError):
        shown = [shown_value(value) for value in values[:3].tolist()]
        raise invalid(name, caller, rule, shown) from None
    return (dates - dates[:1]).astype(np.float64) / 86_400e6


def _as_date(value):
    """Return a date that NumPy reads: the beginning of a period, without time zone."""
    value = getattr(value, "start_time", value)
    is_text = isinstance(value, str)
    if isinstance(value, numbers.Number) or (is_text and not _ISO.match(value)):
        raise TypeError
    if getattr(value, "tzinfo", None) is not None:
        value = value.replace(tzinfo=None) - value.utcoffset()
    return np.datetime64(value, "us")


def rows_of_periods(times, n_samples, caller, *, name="times"):
    """Return the distinct periods in the order of time and the rows of each.

    Parameters
    ----------
    times : array-like of shape (n_samples,)
        The period of each row.
    n_samples : int
        Number of rows.
    caller, name : str
        The function and the parameter that an error names.

    Returns
    -------
    distinct : ndarray of shape (n_periods,)
        The periods.
    rows : list of ndarray
        The rows of each.

    Raises
    ------
    ValueError
        For a missing time, and for text whose order is not that of its numbers.
    """
    ordered = getattr(times, "cat", times)
    categories = None
    if getattr(ordered, "ordered", False) and hasattr(ordered, "codes"):
        categories, times = np.asarray(ordered.categories), np.asarray(ordered.codes)
        refuse_missing(np.where(times < 0, np.nan, times), caller, name)
    times = column_or_1d(one_per_row(times, name, caller))
    check_one_each(times, n_samples, "one time per sample", name, caller)
    refuse_missing(times, caller, name)
    if times.dtype.kind == "f" and np.isinf(times).any():
        raise ValueError(f"{caller} needs finite {name}; found infinity.")
    try:
        distinct, period = np.unique(times, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(time).__name__ for time in times})
        raise invalid(name, caller, "values of one kind that sort", kinds) from error
    if categories is not None:
        distinct = categories[distinct]
    else:
        _check_order(distinct, caller, name)
    order = np.argsort(period, kind="stable")
    return distinct, np.split(order, np.cumsum(np.bincount(period))[:-1])


def _check_order(distinct, caller, name):
    """Refuse text that need not sort in time, as names of months do not.

    It must be the same but for its numbers, of which there is one, or of which the
    first is a year: "week 03", "2022-10", "2020Q1". Week 10 before week 2 is refused.
    """
    texts = distinct.tolist()
    if len(texts) < 2 or not all(isinstance(text, str) for text in texts):
        return
    cure = "Give dates, numbers or an ordered Categorical."
    if len({re.sub(r"\d+", "0", text) for text in texts}) > 1 or not all(
        re.fullmatch(r"\D*\d+\D*|\D*\d{4}\D.*", text) for text in texts
    ):
        rule = "text that sorts in time, such as dates in ISO format"
        raise invalid(name, caller, rule, texts[:3], cure)
    for before, after in pairwise(texts):
        if _counted(before) > _counted(after):
            rule = f"text that sorts in time; as text {before!r} is before {after!r}"
            raise invalid(name, caller, rule, texts[:3], cure)


def _counted(text):
    """Return the parts of a text, numbers as numbers, in an order of their own."""
    parts = re.split(r"(\d+)", text)
    return [int(part) if i % 2 else part for i, part in enumerate(parts)]
