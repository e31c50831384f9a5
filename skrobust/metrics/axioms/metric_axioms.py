"""Audit of the axioms that a metric or a scorer keeps."""

import warnings

import numpy as np

from skrobust._results import Results
from skrobust._validation import check_choice, check_count, check_number
from skrobust.metrics.axioms.axioms import AXIOMS, FIXED
from skrobust.metrics.axioms.cases import Maker
from skrobust.metrics.axioms.evaluators import N_PERIODS, find_evaluator

_TASKS = ("classification", "regression", "clustering")


class Axioms(Results):
    """Table of the axioms of a metric; printed, it is aligned text."""

    def __str__(self):
        rows = zip(self.axiom, self.holds, self.counter_example, strict=True)
        lines = [f"Axioms of {self.name}"]
        for axiom, holds, example in rows:
            lines.append(f"  {axiom:18s} {holds:6s} {example}".rstrip())
        return "\n".join(lines)

    __repr__ = __str__


def metric_axioms(
    metric,
    *,
    task=None,
    greater_is_better=None,
    n_classes=2,
    n_samples=60,
    n_conditions=5,
    n_trials=100,
    atol=1e-9,
    random_state=0,
    **params,
):
    """Measure which axioms a metric or a scorer keeps, with counter-examples.

    Each axiom is a pair of cases whose values must be equal or in a given order. It is
    tried on ``n_trials`` random cases, and broken by a single one. An axiom that holds
    is one that no trial broke, which is no proof. Whether a metric should keep it is a
    question of its use: accuracy changes with the class ratio, and an index over time
    with the order of the rows, on purpose.

    Parameters
    ----------
    metric : str or callable
        A name or a function of the registry; a function of ``(y_true, y_pred)``, such
        as those of scikit-learn; the name of a scorer of scikit-learn; or a scorer, a
        callable whose first parameter is ``estimator``. A scorer gets a model that
        reads its prediction from the first of ``n_features`` columns in [0, 1], without
        a gradient; its perturbations change that column too.
    task : {"classification", "regression", "clustering"}, default=None
        Kind of true values and predictions; None: that of the metric of the registry,
        else classification.
    greater_is_better : bool, default=None
        Direction of a function. None: its name tells it, ``..._score`` or ``..._loss``
        and ``..._error``; metrics of the registry and scorers state it themselves.
    n_classes : int, default=2
        Number of classes, from 2 on.
    n_samples : int, default=60
        Number of rows of a random case, from 12 on.
    n_conditions : int, default=5
        Number of conditions, for metrics over conditions, from 2 on.
    n_trials : int, default=100
        Number of random cases of each axiom.
    atol : float, default=1e-9
        Difference of two values up to which an axiom is kept. A scorer that draws noise
        by the content of rows draws anew where these change or repeat; compare its
        differences with those of its ``random_state``.
    random_state : int, default=0
        Seed of the cases.
    **params : dict
        Options of the metric, such as ``average="macro"``. A tolerance is 0.1 unless
        given, and the probabilities of predicted classes are 0.9.

    Returns
    -------
    Results
        ``name`` of the metric and, for each axiom, ``axiom`` (its name), ``statement``,
        ``holds`` ("yes", "no" or "-" where the metric does not see what changes or has
        no value), ``before`` and ``after`` (the two values of the worst pair of cases,
        nan where none was tried) and ``counter_example`` in words. It prints as a
        table, and ``to_frame()`` is one of pandas.

    Raises
    ------
    ValueError
        For something that is no metric, or a parameter outside its range.

    Notes
    -----
    The axioms: *monotonicity*, correcting one prediction does not lower the value;
    *improvement*, the same for several predictions of one condition or period;
    *constant model*, the best constant prediction is not ahead of a model that is more
    accurate (under every condition); *shift* and *scale* of labels and predictions;
    *noise features*, 70 more columns; *class ratio*, with the same recall of each
    class; *perfect model*, the same for perfect predictions; *sampling interval*, a
    line of 12 or 23 points; *duplicates*, every row twice; *order of rows*. The value
    may not change in those after the first three.

    Examples
    --------
    >>> from skrobust.metrics import metric_axioms
    >>> table = metric_axioms("accuracy_stability_index")
    >>> dict(zip(table.axiom, table.holds))["monotonicity"]
    'no'
    """
    caller = "metric_axioms"
    if task is not None:
        check_choice(task, "task", caller, _TASKS)
    n_classes = check_count(n_classes, "n_classes", caller, low=2)
    n_samples = check_count(n_samples, "n_samples", caller, low=12)
    n_conditions = check_count(n_conditions, "n_conditions", caller, low=2)
    n_trials = check_count(n_trials, "n_trials", caller)
    atol = check_number(atol, "atol", caller, low=0)
    random_state = check_count(random_state, "random_state", caller, low=0)
    how = task, greater_is_better, params, caller
    value, needs, task = find_evaluator(metric, *how)
    n_rows = n_conditions if "conditions" in needs else 2 if "clean" in needs else 1
    n_periods = N_PERIODS if "periods" in needs else 1
    sizes = n_rows, n_periods, n_samples, n_classes
    rows = []
    for place, (axiom, (pair_of, may_rise, text)) in enumerate(AXIOMS.items()):
        rng = np.random.default_rng([random_state, place])
        maker = Maker(task, *sizes, rng)
        seen = axiom != "noise features" or needs & {"n_features", "model"}
        found = None
        if seen:
            n = 1 if axiom in FIXED else n_trials
            found = _worst(maker, pair_of, may_rise, value, n)
        rows.append((axiom, text, *_row(maker, found, atol)))
    names = "axiom", "statement", "holds", "before", "after", "counter_example"
    columns = dict(zip(names, map(_column, zip(*rows, strict=True)), strict=True))
    return Axioms(columns=names, name=_name_of(metric), **columns)


def _column(values):
    """Return numbers as an array of floats, and text as one of objects."""
    return np.array(values, dtype=object if isinstance(values[0], str) else float)


def _worst(maker, pair_of, may_rise, value, n_trials):
    """Return how far the worst pair breaks an axiom, its values and its cases.

    Text instead, where the metric raises an error; None where nothing was tried.
    """
    worst, gap = None, -np.inf
    for _ in range(n_trials):
        pair = pair_of(maker)
        if pair is None:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                before, after = (float(value(case)) for case in pair)
        except (ValueError, TypeError) as error:
            return f"not defined: {error}"
        fall = before - after if may_rise else abs(before - after)
        if fall > gap:
            worst, gap = (fall, before, after, *pair), fall
    return worst


def _row(maker, found, atol):
    """Return whether an axiom holds, its values and the counter-example."""
    if found is None or isinstance(found, str):
        text = (found or "").split("\n")[0]
        nan = float("nan")
        return "-", nan, nan, text if len(text) < 80 else text[:77] + "..."
    fall, before, after, *pair = found
    if fall <= atol:
        return "yes", before, after, ""
    first, second = map(maker.summary, pair)
    change = f"{first}" if first == second else f"{first} -> {second}"
    return "no", before, after, f"{before:.3g} -> {after:.3g} ({change})"


def _name_of(metric):
    return metric if isinstance(metric, str) else getattr(metric, "__name__", "metric")
