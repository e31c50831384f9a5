"""Monte-Carlo comparison of samplers on a pool with known outcomes."""

import inspect
from collections.abc import Mapping

import numpy as np
from sklearn.base import clone

from skrobust._array_checks import check_same_length, check_scores, number_array
from skrobust._containers import to_array
from skrobust._keyed_noise.generator import seed_number
from skrobust._parallel import run_tasks
from skrobust._results import Results
from skrobust._validation import check_confidence, check_count, invalid
from skrobust.sampling.core.pool import TAKEN_BY

BLOCK = 25  # repeats of one task
DEFAULT_BUDGETS = (50, 200, 800)


def simulate(
    samplers,
    scores,
    failed,
    *,
    n_labels=None,
    n_repeats=100,
    confidence=0.95,
    random_state=None,
    n_jobs=None,
    verbose=0,
    y_pred=None,
    costs=None,
    features=None,
):
    r"""Compare samplers by repeated labelling of a pool whose outcomes are known.

    Each repeat gives every sampler the same seed. The truth is known, so errors,
    coverage and failures found are measured, each with the Monte-Carlo error that the
    number of repeats leaves.

    Parameters
    ----------
    samplers : dict of str to sampler
        Without an estimator; they are cloned. A single sampler is taken as well, under
        the name of its class.
    scores : array-like of shape (n_pool,)
        Suspicion of each input, higher = more likely mispredicted.
    failed : array-like of shape (n_pool,)
        Mispredicted inputs, as a mask; or the loss of each input, in [0, 1], where the
        accuracy is then one minus the mean loss, and failures are losses above 0.
    n_labels : int or sequence of int, default=None
        Budgets; each is spent by a ``sample(n, oracle)`` of its own. None: 50, 200 and
        800, as far as the pool reaches.
    n_repeats : int, default=100
        At least 2.
    confidence : float in (0, 1), default=0.95
        Of the default interval of each sampler.
    random_state : int or None, default=None
        Of the seeds of the repeats.
    n_jobs : int, default=None
        As in scikit-learn; results do not depend on it.
    verbose : int, default=0
        From 1 on, a progress bar.
    y_pred : array-like of shape (n_pool,), default=None
        Predicted labels, for samplers that need them.
    costs : array-like of shape (n_pool,), default=None
        What each label costs, above 0, for the samplers whose ``fit`` takes it; the
        others draw as they do without. Budgets are numbers of labels all the same.
    features : array-like of shape (n_pool, n_features), default=None
        What else is known of each input, for the samplers whose ``fit`` takes it.

    Returns
    -------
    Results
        One row a sampler and budget, with the columns

        * ``sampler``, ``n_labels``;
        * ``rmse`` and its Monte-Carlo error ``rmse_error``: root mean squared error of
          the unbiased estimate of the accuracy (``unbiased_value`` of a result, whose
          ``accuracy`` is cut to what its answers allow, and no further from the truth);
        * ``median_error``: median absolute error, blind to rare large ones;
        * ``bias`` and its Monte-Carlo error ``bias_error``;
        * ``failures``: mispredictions found, on average;
        * ``coverage``, ``width``: proportion of intervals that cover the truth, and
          their mean width;
        * ``cost``: what the labels cost, on average, where ``costs`` are given.

        Besides: ``true_accuracy``; ``estimates``, ``found``, ``low`` and ``high`` of
        every repeat, shape (n_rows, n_repeats), paired over rows; ``n_repeats``,
        ``confidence``.

    Raises
    ------
    ValueError
        For bad arguments, budgets above the size of the pool, and costs or features
        that no sampler takes.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import SimpleRandomSampler, OperationalSampler, simulate
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.3, 3, 2000)           # 1 - confidence
    >>> failed = rng.random(2000) < scores
    >>> samplers = {"uniform": SimpleRandomSampler(), "frontier": OperationalSampler()}
    >>> results = simulate(samplers, scores, failed, n_labels=100, random_state=0)
    >>> bool(results.rmse[1] < results.rmse[0])
    True
    >>> bool(results.failures[1] > results.failures[0])
    True
    """
    samplers = check_samplers(samplers)
    scores, failed = check_pool(scores, failed)
    y_true = None
    if y_pred is not None:
        y_pred = np.asarray(to_array(y_pred))
        check_same_length("simulate", scores=scores, y_pred=y_pred)
        y_true = wrong_where(failed, y_pred) if failed.dtype.kind == "b" else None
    of_rows = {"costs": costs, "features": features}
    of_rows = check_arrays(of_rows, samplers, scores)
    budgets = check_budgets(n_labels, len(scores))
    n_repeats = check_count(n_repeats, "n_repeats", "simulate", low=2)
    confidence = check_confidence(confidence, "simulate")
    seed = seed_number(random_state, "simulate") % 2**64
    seeds = np.random.SeedSequence(seed).generate_state(n_repeats).tolist()
    blocks = [seeds[i : i + BLOCK] for i in range(0, n_repeats, BLOCK)]
    rows = [(name, n) for name in samplers for n in budgets]
    tasks = [
        (samplers[name], scores, failed, y_pred, y_true, of_rows, n, block, confidence)
        for name, n in rows
        for block in blocks
    ]
    done = run_tasks(_repeat, tasks, n_jobs=n_jobs, verbose=verbose, label="sampling")
    runs = np.concatenate(done).reshape(len(rows), n_repeats, 5)
    table = summarise(rows, runs[..., :4], 1 - float(failed.mean()), float(confidence))
    if costs is not None:
        mean = runs[..., 4].mean(axis=1)
        table = Results(**{**table, "columns": (*table.columns, "cost"), "cost": mean})
    return table


def _repeat(sampler, scores, failed, y_pred, y_true, of_rows, n, seeds, confidence):
    """Return accuracy, failures found, interval and cost of each seed."""
    answers = failed if y_true is None else y_true
    kind = "loss" if failed.dtype.kind == "f" else None
    taken = {name: of_rows[name] for name in of_rows if takes(sampler, name)}
    costs = of_rows.get("costs", np.zeros(len(scores)))
    found = np.empty((len(seeds), 5))
    for row, seed in enumerate(seeds):
        one = clone(sampler).set_params(random_state=seed)
        one.fit(scores, y_pred=y_pred, **taken)
        result = one.sample(n, lambda ids: answers[ids], kind=kind)
        if confidence != result.confidence:
            result = one.result(confidence=confidence)
        value, ends = result.unbiased_value, tuple(result.interval)
        if kind == "loss":
            value, ends = 1 - value, (1 - ends[1], 1 - ends[0])
        found[row] = value, result.n_failures, *ends, costs[one.ids_].sum()
    return found


def summarise(rows, runs, truth, confidence):
    """Return the table of runs of shape (n_rows, n_repeats, 4)."""
    estimates, found, low, high = np.moveaxis(runs, -1, 0)
    n_repeats = runs.shape[1]
    error = estimates - truth
    square = error**2
    rmse = np.sqrt(square.mean(axis=1))
    noise = square.std(axis=1, ddof=1) / np.sqrt(n_repeats)
    covered = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
    table = {
        "sampler": np.array([name for name, _ in rows], dtype=object),
        "n_labels": np.array([n for _, n in rows]),
        "rmse": rmse,
        "rmse_error": noise / (2 * np.maximum(rmse, 1e-300)),
        "median_error": np.median(np.abs(error), axis=1),
        "bias": error.mean(axis=1),
        "bias_error": error.std(axis=1, ddof=1) / np.sqrt(n_repeats),
        "failures": found.mean(axis=1),
        "coverage": covered.mean(axis=1),
        "width": (high - low).mean(axis=1),
    }
    runs = {"estimates": estimates, "found": found, "low": low, "high": high}
    facts = {"n_repeats": n_repeats, "confidence": confidence}
    return Results(columns=tuple(table), **table, true_accuracy=truth, **runs, **facts)


def check_samplers(samplers):
    """Return samplers by name, or raise."""
    if not isinstance(samplers, Mapping):
        samplers = {type(samplers).__name__: samplers}
    if not samplers:
        raise invalid("samplers", "simulate", "a dict of at least one sampler", {})
    for name, sampler in samplers.items():
        is_one = hasattr(sampler, "sample") and hasattr(sampler, "get_params")
        if isinstance(sampler, type) or not is_one:
            raise invalid("samplers", "simulate", "a dict of samplers", {name: sampler})
        if getattr(sampler, "loss", None) is not None:
            raise ValueError(
                "simulate needs samplers without loss=, since outcomes are right or "
                f"wrong; {name!r} has one."
            )
        if getattr(sampler, "estimator", None) is not None:
            raise ValueError(
                "simulate needs samplers without an estimator, since the pool is "
                f"given as scores; {name!r} has one."
            )
    return dict(samplers)


def check_pool(scores, failed):
    """Return scores and outcomes as arrays, or raise."""
    scores = check_scores(to_array(scores), "simulate")
    failed = np.asarray(to_array(failed))
    rule = "1-D booleans, or losses in [0, 1]"
    if failed.ndim != 1 or failed.dtype.kind not in "biuf":
        raise invalid("failed", "simulate", rule, failed)
    if not ((failed >= 0) & (failed <= 1)).all():
        raise invalid("failed", "simulate", rule, failed)
    check_same_length("simulate", scores=scores, failed=failed)
    are_labels = np.isin(failed, (0, 1)).all()
    return scores, failed.astype(bool if are_labels else np.float64)


def takes(sampler, name):
    """Return whether ``fit`` of a sampler takes an argument."""
    return name in inspect.signature(sampler.fit).parameters


def check_arrays(of_rows, samplers, scores):
    """Return the arrays that are given, or raise for one that nobody takes."""
    given = {
        name: number_array(a, name, "simulate")
        for name, a in of_rows.items()
        if a is not None
    }
    for name, values in given.items():
        if not any(takes(sampler, name) for sampler in samplers.values()):
            who = " or ".join(TAKEN_BY[name])
            raise ValueError(
                f"simulate: none of the samplers takes {name}=; {who} does."
            )
        check_same_length("simulate", scores=scores, **{name: values})
    return given


def check_budgets(n_labels, n_pool):
    """Return the budgets as integers from 2 to the size of the pool, or raise."""
    if n_labels is None:
        n_labels = [n for n in DEFAULT_BUDGETS if n <= n_pool] or n_pool
    budgets = [n_labels] if np.ndim(n_labels) == 0 else list(n_labels)
    if not budgets:
        raise invalid("n_labels", "simulate", "at least one number of labels", n_labels)
    budgets = [check_count(n, "n_labels", "simulate", low=2) for n in budgets]
    if max(budgets) > n_pool:
        rule = f"at most the size of the pool, {n_pool}"
        raise invalid("n_labels", "simulate", rule, max(budgets))
    return budgets


def wrong_where(failed, y_pred):
    """Return labels that differ from the predictions exactly where they failed."""
    labels = np.unique(y_pred)
    if len(labels) > 1:
        after = np.roll(labels, -1)[np.searchsorted(labels, y_pred)]
    elif labels.dtype.kind in "US":
        after = np.char.add("not ", y_pred)
    else:
        after = np.logical_not(y_pred) if labels.dtype.kind == "b" else y_pred + 1
    return np.where(failed, after, y_pred)
