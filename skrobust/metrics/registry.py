"""Registry of metrics: one specification each, registered beside its function."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from skrobust._validation import invalid

_FORMULA = r"\.\. math::(.*?)(?:\n\s*\n|\Z)"
_SOURCE = r"References\n-+\n(.*?)(?:\n\s*\n\w|\Z)"
_SPECS = {}  # by name, in the order of registration


@dataclass(frozen=True)
class MetricSpec:
    """Specification of a metric, read by everything that takes metrics by name.

    Parameters
    ----------
    name : str
        Its name, in lower case; ``name + "_score"`` names it too.
    function : callable
        Takes arrays and returns a float. By default ``(y_true, y_pred)``, and
        ``sample_weight=`` where it has weights.
    aliases : tuple of str, default=()
        Other names.
    title : str, default=""
        Words for people; empty: the name with spaces.
    task : {"classification", "regression", "clustering"}, default="classification"
        Models that it suits.
    bounds : (float, float), default=(0.0, 1.0)
        Smallest and largest value.
    greater_is_better : bool, default=True
        A scorer negates the metric where it is False.
    needs : set of str, default={"labels"}
        What the function takes: "labels" (true and predicted labels or targets),
        "probabilities", "clean" (answers on clean rows, then on perturbed ones),
        "tolerance", "conditions", "periods", "scores", "n_features"; or "outcomes",
        what happened to each sample, of which the function takes summaries alone.
    per_sample : callable, default=None
        Takes the data of the function and returns one value per sample, whose weighted
        mean is the metric. Booleans are a share, which has Wilson's interval and exact
        tests; numbers are resampled. Its keyword-only parameters are the options of the
        metric; one named ``caller`` gets the function that an error should name.
    interval : callable, default=None
        Takes ``(data, request)`` and options, returns an ``Interval``; None: made of
        ``per_sample``, or else a bootstrap of the function.
    compare : callable, default=None
        Takes ``(data)`` and options, returns a function of the units that makes their
        ``Statistic``; None: as for ``interval``.
    streaming : callable, default=None
        Takes ``params=``, the options, and returns what gathers the metric over
        batches: an object with ``update(data, rows, clusters, caller)``,
        ``merge(other)``, ``value(caller)``, ``interval(request)`` and ``n_rows``. None:
        made of ``per_sample``; without both, the metric is not gathered.
    scorer : callable, default=None
        Makes its scorer; None: a ``RobustScorer`` with this metric.
    objective : str, default=None
        What an attack must maximise: "misclassification", "probability_shift" or
        "prediction_shift". The scorer refuses an attack that was set to another
        objective. None: any attack will do.
    formula, source : str, default=""
        Definition and reference; empty: those of the docstring of the function.

    Examples
    --------
    >>> from skrobust.metrics.registry import get_metric
    >>> spec = get_metric("robust_ratio")
    >>> spec.title, spec.bounds, sorted(spec.needs)
    ('robust ratio', (0.0, 1.0), ['clean', 'probabilities', 'tolerance'])
    """

    name: str
    function: Callable
    aliases: tuple = ()
    title: str = ""
    task: str = "classification"
    bounds: tuple = (0.0, 1.0)
    greater_is_better: bool = True
    needs: frozenset = frozenset({"labels"})
    per_sample: Callable | None = None
    interval: Callable | None = None
    compare: Callable | None = None
    streaming: Callable | None = None
    scorer: Callable | None = None
    objective: str | None = None
    formula: str = ""
    source: str = ""

    def __post_init__(self):
        text = inspect.getdoc(self.function) or ""
        derived = {
            "title": self.title or self.name.replace("_", " "),
            "needs": frozenset(self.needs),
            "formula": self.formula or _found(_FORMULA, text),
            "source": self.source or _found(_SOURCE, text),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @property
    def names(self):
        """Return all names of the metric."""
        return (self.name, f"{self.name}_score", *self.aliases)

    @property
    def has_scorer(self):
        """Say whether a scorer can compute it from an estimator, X and y."""
        given = {"labels", "probabilities", "clean", "tolerance"}
        return self.scorer is not None or self.needs <= given

    def values(self, data, params, caller):
        """Return the value of each sample.

        Parameters
        ----------
        data : tuple of array-like
            The data of the metric.
        params : dict
            Its options.
        caller : str
            Name of the public function or class, for error messages.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_columns)
            Booleans for a share; columns where an option holds several values.
        """
        values = call_with_options(self.per_sample, data, params, caller, self.title)
        return np.asarray(values)


def register(spec):
    """Register a metric under its names.

    Parameters
    ----------
    spec : MetricSpec
        The metric.

    Returns
    -------
    MetricSpec
        The same.

    Raises
    ------
    ValueError
        When one of its names is taken.
    """
    taken = {name for known in _SPECS.values() for name in known.names}
    for name in spec.names:
        if name in taken:
            raise ValueError(f"The name {name!r} belongs to another metric.")
    _SPECS[spec.name] = spec
    return spec


def find_metric(metric):
    """Return the specification of a name or a function, or None."""
    for spec in _SPECS.values():
        is_named = isinstance(metric, str) and metric in spec.names
        if is_named or metric is spec.function:
            return spec
    return None


def resolve_metric(metric, caller):
    """Return the specification of a metric, None for any other callable, or raise."""
    spec = find_metric(metric)
    if spec is None and not callable(metric):
        rule = f"a callable or one of {', '.join(metric_names())}"
        raise invalid("metric", caller, rule, metric)
    return spec


def get_metric(metric, caller="get_metric"):
    """Return the specification of a metric.

    Parameters
    ----------
    metric : str or callable
        One of its names, or its function.
    caller : str, default="get_metric"
        Name of the public function or class, for the error message.

    Returns
    -------
    MetricSpec
        The specification.

    Raises
    ------
    ValueError
        For an unknown metric.

    Examples
    --------
    >>> from skrobust.metrics.registry import get_metric
    >>> get_metric("asi").name
    'accuracy_stability_index'
    """
    spec = find_metric(metric)
    if spec is None:
        raise invalid("metric", caller, f"one of {', '.join(metric_names())}", metric)
    return spec


def metric_names(**only):
    """Return the names of the metrics, filtered by their specification.

    Parameters
    ----------
    **only : object
        Value of a field of :class:`MetricSpec`: ``task="regression"``;
        ``needs="labels"`` for one of several; True or False for whether it is given, as
        in ``per_sample=True``.

    Returns
    -------
    list of str
        Sorted.

    Examples
    --------
    >>> from skrobust.metrics.registry import metric_names
    >>> metric_names(needs="probabilities")
    ['robust_ratio']
    """

    def fits(value, wanted):
        if isinstance(wanted, str) and isinstance(value, frozenset):
            return wanted in value
        return (bool(value) if isinstance(wanted, bool) else value) == wanted

    return sorted(
        spec.name
        for spec in _SPECS.values()
        if all(fits(getattr(spec, name), wanted) for name, wanted in only.items())
    )


def parameters_of(function):
    """Return the parameters of a function; none for one of C without a signature."""
    try:
        return tuple(inspect.signature(function).parameters.values())
    except ValueError:  # as of a ufunc before numpy 2.4
        return ()


def call_with_options(function, args, params, caller, title):
    """Call a function with those options that its keyword-only parameters name.

    Raises
    ------
    TypeError
        For an option that it does not have.
    """
    parameters = parameters_of(function)
    known = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    is_open = any(p.kind is p.VAR_KEYWORD for p in parameters)
    options = [name for name in known if name != "caller"]
    unknown = sorted(set(params) - set(options))
    if unknown and not is_open:
        listed = ", ".join(options) or "none"
        raise TypeError(
            f"{caller} of the {title} has no parameter {unknown[0]!r}; it takes "
            f"{listed}."
        )
    if "caller" in known:
        params = {**params, "caller": caller}
    return function(*args, **params)


def _found(pattern, text):
    found = re.search(pattern, text, re.DOTALL)
    return " ".join(found[1].split()) if found else ""
