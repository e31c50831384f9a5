"""Cross-validation of a model under many conditions."""

import warnings

import numpy as np
from sklearn.exceptions import FitFailedWarning

from skrobust._array_checks import check_same_length, check_targets
from skrobust._parallel import run_tasks
from skrobust._results import Results
from skrobust._validation import check_confidence, check_count, invalid
from skrobust.base.streams import other_noise
from skrobust.evaluation.conditions.condition_part import (
    PartKeys,
    answers_classes,
    condition_part,
    find_scorer,
)
from skrobust.evaluation.conditions.fold_columns import add_columns
from skrobust.evaluation.conditions.fold_fits import fit_fold, guarded, split_rows
from skrobust.evaluation.conditions.fold_intervals import (
    NOTE,
    add_rows,
    fold_intervals,
    fold_limits,
    row_facts,
)
from skrobust.evaluation.core import score_summary
from skrobust.evaluation.core.acted import add_effects
from skrobust.evaluation.core.checkpoint import Checkpoint
from skrobust.evaluation.core.condition_table import read_conditions, table_columns
from skrobust.evaluation.core.failures import caught, check_any_left, reason_of
from skrobust.evaluation.core.isolation_limits import runs_apart
from skrobust.metrics.labels import label_array


@runs_apart
def cross_validate_perturbations(
    estimator,
    X,
    y,
    conditions,
    *,
    cv=5,
    groups=None,
    scoring=None,
    n_repeats=1,
    reference=None,
    confidence=0.95,
    params=None,
    n_jobs=None,
    verbose=0,
    checkpoint=None,
    error_score=np.nan,
    isolate=False,
):
    """Fit a model once per fold and score every condition on every test fold.

    Copies of the conditions are fitted on each training fold, so that what they learn
    (scales, ranges) never comes from the rows that they perturb.

    Parameters
    ----------
    estimator : estimator
        The model; copies are fitted.
    X : array-like or data frame of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed.
    y : array-like of shape (n_samples,)
        True labels or targets.
    conditions : list of objects with ``perturb(estimator, X, y)``
        For example ``two_factor_grid("asi68", image_shape=(8, 8))``.
    cv : int, splitter or iterable, default=5
        As in scikit-learn.
    groups : array-like of shape (n_samples,), default=None
        For splitters that take groups; they are also the independent units of the
        interval of the index.
    scoring : str, callable or None, default=None
        As in scikit-learn, or the name of a metric of :mod:`skrobust.metrics`; None is
        accuracy for classifiers.
    n_repeats : int, default=1
        Draws of each condition on each fold. The first repeat has the noise of the
        condition's own ``random_state``. Conditions without noise repeat their scores.
    reference : dict of one name to Results, default=None
        Another model's results under the same conditions and its name, such as
        ``{"AlexNet": its_results}``, for the mean corruption error. Accuracy only.
    confidence : float in (0, 1), default=0.95
        Level of the intervals.
    params : dict, default=None
        More arguments of ``fit``; those with one entry per sample are cut to the fold.
    n_jobs : int, default=None
        Folds fitted and conditions scored at a time; the result does not depend on it.
    verbose : int, default=0
        From 1 on, progress bars.
    checkpoint : str or path, default=None
        Folder in which finished conditions are kept. A run that was killed goes on from
        there: folds are fitted again, and the conditions of a fold are found again if
        the fit gives the same model (give it an int as ``random_state``).
    error_score : "raise" or number, default=numpy.nan
        Score where a fit or a score fails, as in scikit-learn; a warning says how many
        did. If all fail, the first error is raised.
    isolate : bool or Isolation, default=False
        Whether models are fitted and asked in a process of their own, as in
        :func:`evaluate_perturbations`: a fold whose fit hangs or ends the process, or a
        condition on a fold, then fails alone.

    Returns
    -------
    results : Results
        Columns, one row for each condition, fold and repeat: ``number``, ``name``,
        ``score``, ``corruption``, ``severity``, ``fold`` and ``repeat`` (from 0),
        ``changed`` and ``distortion`` (as in :func:`evaluate_perturbations`), and for
        accuracy ``flip_rate``; where fits or scores failed, ``failed``, the reasons,
        empty for the others, and nan for what needs them. ``conditions``, a table of
        the conditions whose
        ``score`` (and each of the others; for tables ``effect`` and what belongs to it,
        in units of the training fold) is the mean over folds and repeats, with
        ``score_low`` and ``score_high``, and its own ``note`` as there;
        ``clean_score``, ``idle_kinds`` and all numbers of
        :func:`evaluate_perturbations`, of these means; ``note``, on the intervals. For
        accuracy ``worst_interval``, ``accuracy_stability_index_interval`` and
        ``coefficient_of_variation_interval``; and for any score ``mean_interval``,
        ``area_under_severity_curve_interval`` and, with a reference,
        ``mean_corruption_error_interval``, each where its number is. For accuracy
        ``correct`` of shape (n_test_rows, n_conditions, n_repeats), and
        ``rows``, the row of X that each stands for, in ascending order.

    Raises
    ------
    ValueError
        For bad parameters, a reference of other conditions or other scores, and
        shuffled folds under a scorer over time.
    Exception
        Where everything failed.

    Warns
    -----
    FitFailedWarning
        Where ``error_score`` is a number and something failed.
    UserWarning
        For conditions that changed no row in any fold, other than those of strength 0;
        for columns on which the model depends and that none of the conditions, of more
        than one kind, changed; and for rows of tables on which a model raises an error,
        which count as wrong.

    Notes
    -----
    The intervals of the conditions, and of the mean, the area and the mean corruption
    error (by its delete-one-fold jackknife), are Student's t over folds (of the mean of
    the repeats), nan for a single fold, and too narrow: folds share training rows, and
    no unbiased estimate of the variance exists (Bengio and Grandvalet, JMLR 2004). The
    intervals of the index, the coefficient of variation and the worst condition are
    over samples or groups, and take the fitted models as given. For accuracy the first
    three numbers have such an interval, too, as :func:`evaluate_perturbations` has it,
    and theirs over folds is widened to it: a few folds may agree by chance, and one
    has none. The errors of the reference are drawn with the model's where it was scored
    on as many folds, or the same rows, and else count as known.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.svm import SVC
    >>> from skrobust.evaluation import cross_validate_perturbations
    >>> from skrobust.perturbations import GaussianNoise
    >>> X, y = load_digits(return_X_y=True)
    >>> noise = [GaussianNoise(severity=s, image_shape=(8, 8), random_state=0)
    ...          for s in (1, 3, 5)]
    >>> results = cross_validate_perturbations(SVC(), X[:600], y[:600], noise, cv=3)
    >>> results.score.shape, results.conditions.score.shape
    ((9,), (3,))
    >>> results.corruptions.corruption.tolist()
    ['GaussianNoise']
    """
    caller = "cross_validate_perturbations"
    confidence = check_confidence(confidence, caller)
    n_repeats = check_count(n_repeats, "n_repeats", caller)
    catches = caught(error_score, caller)
    if params is not None and not isinstance(params, dict):
        raise invalid("params", caller, "a dict of arguments of fit, or None", params)
    y = check_targets(y, caller)
    if groups is not None:  # as scikit-learn makes text of a NaN among text
        groups = label_array(groups, caller, "groups")
    check_same_length(caller, X=X, y=y, groups=groups)
    conditions, table, left_out = read_conditions(conditions, caller, X, X)
    scorer = find_scorer(estimator, scoring, caller)
    reference = score_summary.check_reference_model(reference, table, scorer, caller)
    keys = PartKeys(Checkpoint(checkpoint, caller))
    splits = split_rows(cv, X, y, groups, answers_classes(estimator), caller)
    if hasattr(scorer, "check_folds"):  # a scorer over time
        scorer.check_folds(splits)
    jobs = {"n_jobs": n_jobs, "verbose": verbose}
    run, shared = (bool(catches), fit_fold), (params, scorer, caller)
    tasks = [(*run, estimator, conditions, X, y, split, *shared) for split in splits]
    lost = {"lost": _lost_fold} if catches else {}
    folds = run_tasks(guarded, tasks, label="folds", **lost, **jobs)
    check_any_left(dict(enumerate(e for _, e in folds if e)), len(folds), caller)
    done = _score_folds(folds, keys, n_repeats, scorer, caller, catches, jobs)
    errors = {place: e for place, (_, e) in done.items() if e is not None}
    check_any_left(errors, len(done), caller)
    errors |= {(f, None, None): e for f, (_, e) in enumerate(folds) if e is not None}
    if errors:
        first = reason_of(next(iter(errors.values())))
        text = f"{caller}: {len(errors)} fits or scores failed and count as "
        text += f"{float(error_score):g}; the first: {first}"
        warnings.warn(text, FitFailedWarning, stacklevel=2)
    size = (len(folds), len(conditions), n_repeats)
    fill = float(error_score) if catches else np.nan
    scores, flips = _scores_and_flips(done, size, fill, scorer)
    effects = [_facts(done, size, name) for name in ("changed", "distortion")]
    clean = [fill if fold is None else fold.clean_score for fold, _ in folds]
    by_fold = {"flip_rate": flips} if scorer is None else {}
    by_fold |= zip(("changed", "distortion"), effects, strict=True)
    if errors:
        by_fold["failed"] = _reasons(errors, size)
    results = _long_table(table, scores, by_fold)
    table["score"] = scores.mean(axis=(0, 2))
    limits = fold_limits(scores.mean(axis=2), confidence)
    table["score_low"], table["score_high"] = limits
    if scorer is None:
        table["flip_rate"] = flips.mean(axis=(0, 2))
    units = [part["unit"] for part, error in done.values() if error is None]
    changed, distortion = (_mean_of_known(parts) for parts in effects)
    fitted = next((f.conditions for f, _ in folds if f is not None), conditions)
    facts = add_effects(table, fitted, X, changed, distortion, units, caller)
    add_columns(results, table, conditions, folds, done, scorer, X, caller)
    clean_score = float(np.mean(clean))
    results["conditions"] = Results(columns=table_columns(table), **table)
    results.update(
        score_summary.overall(table, clean_score),
        **facts,
        left_out=left_out,
        n_samples=len(y),
        n_folds=len(folds),
        n_repeats=n_repeats,
        confidence=confidence,
        note=NOTE,
    )
    rival = None if reference is None or errors else reference[3]
    by_fold = scores.mean(axis=2), np.array(clean), rival
    results.update(fold_intervals(table, *by_fold, confidence))
    if scorer is None and not errors:
        facts = row_facts(folds, done, splits, size, groups, caller)
        add_rows(results, facts, table, rival, caller)
    if reference is not None and not errors:
        score_summary.against_reference(results, table, clean_score, reference, caller)
    return results


def _lost_fold(error):
    return None, error


def _reasons(errors, size):
    """Return the reason of each fold, condition and repeat that failed."""
    reasons = np.full(size, "", dtype=object)
    for (f, c, r), error in errors.items():
        places = (f,) if c is None else (f, c, r)
        reasons[places] = reason_of(error)
    return reasons.astype(str)


def _score_folds(folds, keys, n_repeats, scorer, caller, catches, jobs):
    """Return the part and the error of each fold, condition and repeat."""
    places, tasks = [], []
    for f, (fold, _) in enumerate(folds):
        if fold is None:
            continue
        prefix = keys.prefix(fold.model, fold.X, fold.y, scorer, fold.units)
        shared = fold.X, fold.y, scorer, fold.clean, fold.units, caller
        for c, condition in enumerate(fold.conditions):
            for r in range(n_repeats):
                drawn = other_noise(condition, "repeat", r) if r else condition
                task = fold.model, drawn, *shared
                tasks.append((keys.key(prefix, drawn), condition_part, *task))
                places.append((f, c, r))
    done = keys.store.run_all(tasks, label="conditions", **catches, **jobs)
    return dict(zip(places, done, strict=True))


def _scores_and_flips(done, size, fill, scorer):
    """Return arrays of shape (n_folds, n_conditions, n_repeats)."""
    scores, flips = np.full(size, fill), np.full(size, np.nan)
    for place, (part, error) in done.items():
        if error is None and scorer is None:
            scores[place] = part["correct"].mean()
            flips[place] = part["flipped"].mean()
        elif error is None:
            scores[place] = part["score"]
    return scores, flips


def _facts(done, size, name):
    """Return a number of each part, nan where it failed."""
    facts = np.full(size, np.nan)
    for place, (part, error) in done.items():
        if error is None:
            facts[place] = part[name]
    return facts


def _mean_of_known(facts):
    """Return the mean of each condition over folds and repeats, nan for none."""
    known = ~np.isnan(facts)
    n = known.sum(axis=(0, 2))
    total = np.where(known, facts, 0.0).sum(axis=(0, 2))
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def _long_table(table, scores, more):
    """Return one row for each condition, fold and repeat, in this order."""
    by_condition = np.moveaxis(scores, 1, 0)
    condition, fold, repeat = (i.ravel() for i in np.indices(by_condition.shape))
    columns = {name: values[condition] for name, values in table.items()}
    columns["score"] = by_condition.ravel()
    columns |= {"fold": fold, "repeat": repeat}
    columns |= {k: np.moveaxis(facts, 1, 0).ravel() for k, facts in more.items()}
    return Results(columns=table_columns(columns), **columns)
