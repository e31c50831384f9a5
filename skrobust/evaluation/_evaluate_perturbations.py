"""Evaluation of a fitted model under many conditions."""

from functools import partial

import numpy as np

from skrobust._array_checks import check_same_length, check_targets
from skrobust._parallel import alone
from skrobust._results import Results
from skrobust._validation import invalid
from skrobust.evaluation.conditions.answering_devices import on_devices
from skrobust.evaluation.conditions.condition_part import find_scorer
from skrobust.evaluation.conditions.condition_scores import (
    scores_in_memory,
    scores_over_batches,
)
from skrobust.evaluation.conditions.refused_rows import add_refused
from skrobust.evaluation.conditions.untouched import (
    add_untouched,
    dependence,
    units_for,
)
from skrobust.evaluation.core import score_summary
from skrobust.evaluation.core.acted import add_effects
from skrobust.evaluation.core.batched_runs import BatchedRuns, as_batches
from skrobust.evaluation.core.checkpoint import Checkpoint
from skrobust.evaluation.core.condition_table import (
    fit_conditions,
    object_array,
    read_conditions,
    table_columns,
)
from skrobust.evaluation.core.failures import add_failed, caught, spread
from skrobust.evaluation.core.isolation_limits import runs_apart
from skrobust.evaluation.core.model_checks import check_repeats
from skrobust.evaluation.core.sample_groups import SampleGroups
from skrobust.evaluation.core.summary_intervals import summary_intervals
from skrobust.evaluation.core.verdict import verdict_on_perturbations
from skrobust.evaluation.records.recorder import recorded
from skrobust.metrics.labels import label_pair

_ENDS = ("score_low", "score_high", "band_low", "band_high")


@runs_apart
def evaluate_perturbations(
    estimator,
    X,
    y,
    conditions,
    *,
    scoring=None,
    X_ref=None,
    reference=None,
    confidence=0.95,
    n_jobs=None,
    verbose=0,
    checkpoint=None,
    groups=None,
    clusters=None,
    n_permutations=999,
    random_state=None,
    device=None,
    precision="float32",
    compile=False,
    batch_size=None,
    record=None,
    error_score=np.nan,
    isolate=False,
):
    r"""Score a fitted model under every condition, once each.

    Parameters
    ----------
    estimator : fitted estimator
        The model; it is not refitted.
    X : array-like or data frame of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed. Arrays in mapped files of more
        than 256 MB, of zarr and of h5py are read in batches. With ``y=None``, rows and
        labels that come in batches: :class:`~skrobust.datasets.BatchedRows`, or what
        that takes.
    y : array-like of shape (n_samples,) or None
        True labels or targets.
    conditions : list of objects with ``perturb(estimator, X, y)``
        For example ``two_factor_grid("asi68", image_shape=(8, 8))``. A condition that
        learns scales must be fitted on training data, or ``X_ref`` given.
    scoring : str, callable or None, default=None
        As in scikit-learn, or the name of a metric of :mod:`skrobust.metrics`, such as
        "normalized_accuracy". None is accuracy for classifiers, and then the
        correctness of every sample under every condition is kept.
    X_ref : array-like or data frame of shape (n_ref, ...), default=None
        Training rows on which copies of the conditions are fitted.
    reference : dict of one name to Results, default=None
        Another model's results under the same conditions and its name, such as
        ``{"AlexNet": its_results}``, for the mean corruption error. Without one there
        is none. Accuracy only.
    confidence : float in (0, 1), default=0.95
        Level of the intervals.
    n_jobs : int, default=None
        Tasks at a time; the result does not depend on it. A task is a condition or,
        with rows in batches, a condition on a batch, so that ``batch_size`` keeps more
        workers busy than there are conditions; up to two batches for each are then in
        memory. Other rows are not divided, since a model may answer to fewer rows at a
        time with other last bits.
    verbose : int, default=0
        From 1 on, a progress bar.
    checkpoint : str or path, default=None
        Folder in which finished conditions are kept. A run that was killed goes on
        from there when it is called again with the same model, rows and conditions.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, for the table ``groups``. Accuracy only.
    clusters : array-like of shape (n_samples,), default=None
        Samples that belong together (clips, patients), each cluster within one group;
        intervals of accuracies are then over clusters.
    n_permutations : int, default=999
        Random assignments to the groups, with which their range is compared.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the permutations alone.
    device : str, torch device, list of these or None, default=None
        Where a net answers, in batches of its ``batch_size``; on a list, batches are
        spread over copies of the net. If all conditions are perturbations of images, an
        array is moved to the (first) device once and perturbed there; it must fit. None
        is where the net is. Other models are refused.
    precision : {"float32", "tf32", "bfloat16"}, default="float32"
        Precision in which a net answers first, as in the attacks. The net itself
        answers again the rows that are not sure of their label, in single precision.
    compile : bool, default=False
        Whether the copy of a net that answers first is compiled by torch.
    batch_size : int, default=None
        Rows of an array that are perturbed at a time, so that memory does not grow with
        the number of rows; the result does not depend on it. None: all rows of an array
        in memory, and 32 MB of one on disk.
    record : str or path, default=None
        File in which a sealed record of this evaluation is written, for
        :func:`verify_record` and :func:`replay_record`; such as "record.skr".
    error_score : "raise" or number, default=numpy.nan
        Score of a condition that fails: an error of the condition or of the model, or
        a worker that died. Its reason is in the column ``failed``. If all fail, the
        first error is raised.
    isolate : bool or Isolation, default=False
        Whether the model runs in a process of its own, so that a condition under which
        it hangs, or ends the process, fails alone; an :class:`Isolation` has the
        limits of time and memory.

    Returns
    -------
    results : Results
        Columns, one row a condition: ``number``, ``name``, ``score``; ``corruption``
        and ``severity`` (empty and nan unless the condition is a single step with a
        severity); ``changed``, the share of rows that the condition changed at all, and
        ``distortion``, how far it moved these on average. Where a condition changed no
        row, or a severity no more than the one below, ``note`` says so, with the
        reason where its kind cannot apply to these rows; ``idle_kinds`` is a dict of
        the kinds that changed nothing and the reasons; where conditions failed,
        ``failed``, the reasons, empty for the others. Numbers that need the score of a
        failed condition are then nan, intervals over all conditions None, and columns
        of ``correct`` and ``flipped`` nan. Numbers:

        - ``mean``, ``coefficient_of_variation`` (population standard deviation) and
          ``accuracy_stability_index`` over the conditions (nan where a score lies
          outside [0, 1]);
        - ``clean_score``, on X itself; ``worst_condition`` and ``worst_score``, the
          lowest of the scores, which is low by chance where there are many;
        - ``left_out``, the names of conditions for which the table has no column;
        - ``perturbations``, an array of the conditions themselves (fitted, with
          ``X_ref``), for :func:`suggest_repairs`;
        - ``n_samples``, ``confidence``; ``distortion_unit``: "root mean square" of the
          changes in a row, in the units of X; "words" of a text that are gone; or
          "cells" of mixed columns that changed.

        For tables the columns ``effect``, what the condition did in words;
        ``std_change``, the mean absolute change of numbers in standard deviations of
        ``X_ref`` (of ``X`` without it); ``percent_changed``, of the cells of
        categories; and, for accuracy and where it occurs, ``refused``, the share of
        rows on which the model raises an error, which count as wrong; with
        ``untouched_columns``, which no condition changed, and ``untouched_dependence``,
        the share of answers that change (the change of a ``scoring``) when these are
        shuffled among the rows (nan, with a warning, where the model fails then).

        Where conditions have a severity, ``corruptions``, a table of the severity
        curves with ``area``, and ``area_under_severity_curve``, the mean area. For
        accuracy the columns ``score_low``, ``score_high`` (Wilson, for one condition
        that was chosen beforehand), ``band_low``, ``band_high`` (for all conditions at
        once, as :func:`~skrobust.metrics.simultaneous_intervals` has them) and
        ``flip_rate`` (share of predictions that differ from those for the clean rows);
        ``worst_interval``, the :class:`~skrobust.metrics.Interval` of the lowest
        accuracy, corrected for its selection (as
        :func:`~skrobust.metrics.worst_case_interval` has it; its ``plug_in`` is
        ``worst_score``); ``accuracy_stability_index_interval`` (as
        :func:`~skrobust.metrics.confidence_interval` has it, with its warnings);
        ``mean_interval``, ``coefficient_of_variation_interval`` (without what the noise
        of sampling adds; its ``plug_in`` is the coefficient above) and
        ``area_under_severity_curve_interval``, over the samples or clusters; and
        ``correct`` and ``flipped`` (the prediction differs from that for the clean
        row), boolean arrays of shape (n_samples, n_conditions). With a reference,
        ``mean_corruption_error``, ``mean_corruption_error_interval``,
        ``relative_mean_corruption_error`` and ``reference``, its name. With
        groups, ``groups``: accuracy by ``number`` and ``group`` with ``gaps`` and
        ``ranges``, as
        :func:`~skrobust.metrics.group_robust_ratio_curve` has them along tolerances;
        where each group holds one class alone it is the rate of that class.

    Raises
    ------
    ValueError
        For bad parameters, conditions that are not fitted but must be, and a reference
        of other conditions, other scores or no errors.
    Exception
        What the model raises on the clean rows, or under every condition.

    Warns
    -----
    UserWarning
        For conditions that failed; for a model that answers differently when it is
        asked again; for conditions that changed no row, other than those of strength 0;
        for columns
        on which the model depends and that none of the conditions, of more than one
        kind, changed; and for rows of tables on which the model raises an error.

    Notes
    -----
    The area under the severity curve of a corruption with the scores :math:`a(s)` is

    .. math:: \frac{1}{s_{max}} \int_0^{s_{max}} a(s)\, ds

    by trapezoids, where :math:`a(0)` is the clean score: the mean height, in [0, 1] for
    scores in [0, 1]. This summary is our choice; it compares only over the same
    severities. The mean corruption error is that of
    :func:`~skrobust.metrics.mean_corruption_error`, over the conditions with a
    positive severity.

    With ``precision`` or ``compile`` the rows pass through a fast copy of the net, and
    then, from the least sure on, through the net itself in single precision, until the
    next row's margin (between its two largest logits) is more than twice the largest
    difference that the two were seen to have. So the labels are those of single
    precision, unless a surer row differs by more. Probabilities, which some scores
    need, are always of single precision. On a device, only labels and a few numbers a
    row come back to the host, and ``n_jobs`` are threads.

    Rows in batches are gone over once, each batch under all conditions; parts of a
    checkpoint are those of a batch under a condition, which go on with the same batches
    alone. The noise of a row is that of all rows in one call, also where rows in
    different batches are equal. What is kept are the answers: a byte for each row and
    condition, or those that a ``scoring`` is a function of. Of tables there is no
    ``untouched_dependence``, which needs all rows at once. The frames of a clip must be
    in one batch.

    The intervals of mean, area and mean corruption error are those of the delete-one
    jackknife over samples or clusters, with the quantile of t at its estimated degrees
    of freedom (of the logarithm for the mean corruption error), and none is surer than
    if all samples were right. That of the variation is found as that of the index. They
    hold for these conditions, not for others. The reference's errors are drawn with the
    model's if it has results of as many rows, and else count as known.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.svm import SVC
    >>> from skrobust.evaluation import evaluate_perturbations
    >>> from skrobust.perturbations import two_factor_grid
    >>> X, y = load_digits(return_X_y=True)
    >>> model = SVC().fit(X[:1000], y[:1000])
    >>> grid = two_factor_grid(
    ...     "asi68", image_shape=(8, 8), data_range=(0, 16), random_state=0)
    >>> results = evaluate_perturbations(model, X[1000:], y[1000:], grid)
    >>> results.score.shape, bool(results.score[0] == results.score.max())
    ((69,), True)
    """
    if record is not None:
        return recorded(record, evaluate_perturbations, locals())
    caller = "evaluate_perturbations"
    errors = caught(error_score, caller)
    rows = as_batches(X, y, batch_size, caller)
    store = Checkpoint(checkpoint, caller)
    jobs, runs = {"n_jobs": n_jobs, "verbose": verbose, **errors}, None
    if rows is None:
        y = check_targets(y, caller)
        check_same_length(caller, X=X, y=y)
    else:
        runs = BatchedRuns(rows, store, caller, **jobs)
        X, y = runs.first[0], runs.y
    conditions, table, left_out = read_conditions(conditions, caller, X, X_ref)
    scorer = find_scorer(estimator, scoring, caller)
    alike = estimator
    estimator = on_devices(estimator, X, device, precision, compile, caller)
    if isolate and estimator is not alike:
        raise invalid("isolate", caller, "False with device= or precision=", isolate)
    if groups is not None and scorer is not None:
        raise ValueError(f"{caller} compares groups for accuracy only.")
    draws = confidence, n_permutations, random_state
    samples = None
    if y is not None:
        samples = SampleGroups(y, groups, clusters, draws, caller)
    check_repeats(alike, X, caller)
    reference = score_summary.check_reference_model(reference, table, scorer, caller)
    if X_ref is not None:
        conditions = fit_conditions(conditions, X_ref)
    units = units_for(conditions, X if X_ref is None else X_ref)
    parts = conditions, scorer, units, store, caller
    if rows is None:
        found = scores_in_memory(estimator, X, y, *parts, jobs)
    else:
        how = {"of_reference": X_ref is not None}
        found = scores_over_batches(estimator, runs, *parts, **how)
    y, clean, correct = found.y, found.clean, found.correct
    if samples is None:
        samples = SampleGroups(y, groups, clusters, draws, caller)
    table["score"], places = found.score, found.places(len(conditions))
    table["score"][list(found.errors)] = error_score if found.errors else 0
    if scorer is None:
        right = correct[:, places].astype(bool)
        limits = samples.limits(right)
        ends = *limits, *samples.bands(right, limits)
        for name, end in zip(_ENDS, ends, strict=True):
            table[name] = spread(end, places, len(conditions))
        flipped = found.flipped[:, places].astype(bool)
        rates = flipped.mean(axis=0)
        table["flip_rate"] = spread(rates, places, len(conditions))
    add_failed(table, found.errors, error_score, caller)
    effects = found.changed, found.distortion, found.unit
    facts = add_effects(table, conditions, X, *effects, caller)
    if found.figures is not None:
        known = {"scorer": scorer, "y": y, "clean": (found.clean_score, clean)}
        depends = None
        if runs is None:
            depends = partial(alone, partial(dependence, **known), estimator, X)
        told = found.figures, found.touched
        add_untouched(facts, table, conditions, told, X, depends, caller)
    if found.refused is not None:
        add_refused(table, found.refused, found.words, caller)
    results = Results(
        columns=table_columns(table),
        **table,
        **facts,
        **score_summary.overall(table, found.clean_score),
        left_out=left_out,
        perturbations=object_array(conditions),
        n_samples=len(y),
        confidence=samples.confidence,
        **samples.facts(),
    )
    if scorer is None:
        parts = correct, samples.units, samples.confidence, caller
        truth, predicted = label_pair(y, clean, caller)
        other = None if reference is None else reference[1]
        units = samples.units, samples.confidence
        data = table, correct, truth == predicted, other
        if found.errors:
            results.update(score_summary.no_intervals(table))
        else:
            results.update(score_summary.correctness_intervals(*parts))
            results.update(summary_intervals(*data, *units))
        results["correct"], results["flipped"] = correct, found.flipped
        if groups is not None:
            results["groups"] = samples.accuracy(right, table["number"][places])
    if reference is not None:
        score_summary.against_reference(
            results, table, found.clean_score, reference, caller
        )
    results["verdict"] = verdict_on_perturbations(results)
    return results
