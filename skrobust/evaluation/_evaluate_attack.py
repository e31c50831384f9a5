"""Evaluation under an attack: robust accuracy and robust ratio."""

import numpy as np

from skrobust._keyed_noise.generator import seed_number
from skrobust._parallel import StepBar, alone
from skrobust._responses import predict_probabilities, predicts_numbers
from skrobust._results import Results
from skrobust._validation import check_flag
from skrobust.attacks import StrongestAttack
from skrobust.base.attack import own_params
from skrobust.base.attack_by_name import read_attack
from skrobust.evaluation._check_evaluation import doubts_or_unchecked
from skrobust.evaluation.attacked.attack_batches import full_run, runs_over_batches
from skrobust.evaluation.attacked.attack_modes import (
    column_names,
    failed_runs,
    full_runs,
    mark_failed,
    mode_name,
    ratio_columns,
    temperature_of,
    unknown_columns,
    why_no_ratio,
)
from skrobust.evaluation.attacked.attack_run import (
    N_FACTS,
    attack_table,
    correct_labels,
    per_sample,
)
from skrobust.evaluation.attacked.attacked_blocks import run_in_blocks
from skrobust.evaluation.attacked.proved_rows import bracket, bracket_of
from skrobust.evaluation.attacked.regression_attack import (
    refuse_for_numbers,
    regression_results,
)
from skrobust.evaluation.core.acted import mean_of_changed, warn_idle_attack
from skrobust.evaluation.core.argument_checks import check_labels
from skrobust.evaluation.core.batched_runs import (
    BatchedRuns,
    as_batches,
    refuse_in_batches,
)
from skrobust.evaluation.core.checkpoint import Checkpoint
from skrobust.evaluation.core.condition_table import object_array, shown
from skrobust.evaluation.core.failures import caught, tell_failed
from skrobust.evaluation.core.isolation_limits import runs_apart
from skrobust.evaluation.core.model_checks import check_repeats
from skrobust.evaluation.core.sample_groups import SampleGroups, group_results
from skrobust.evaluation.core.verdict import verdict_on_attack
from skrobust.evaluation.records.recorder import recorded
from skrobust.metrics.robust.probability_shift import check_tolerances
from skrobust.metrics.robust.unmoved import full_attack
from skrobust.metrics.scorers.attack_objective import (
    aimed_at_labels,
    column_labels,
    is_full,
)
from skrobust.metrics.scorers.classes import check_perturber


@runs_apart
def evaluate_attack(
    estimator,
    X,
    y,
    attack,
    *,
    eps=None,
    norm=None,
    data_range=None,
    tolerances=None,
    reference="predicted",
    confidence=0.95,
    checkpoint=None,
    checks=False,
    groups=None,
    clusters=None,
    n_permutations=999,
    certify=True,
    random_state=None,
    n_jobs=None,
    verbose=0,
    batch_size=None,
    record=None,
    error_score=np.nan,
    isolate=False,
):
    """Measure robust accuracy, and the robust ratio over tolerances, under an attack.

    The attack runs once for robust accuracy (it may stop at success) and, where the
    model has ``predict_proba``, in full for each mode of the robust ratio. Modes are
    never mixed: ``"loss"`` is the published loss run in full,
    ``"probability_shift"`` drives the probability of the predicted class itself, both
    ways. An attack finds examples but proves no absence of others, so all of these are
    upper bounds of the true values. With ``"auto"`` a certificate gives the lower bound
    of robust accuracy, every example that any run found counts, and the only mode is
    ``"probability_shift"``.

    Parameters
    ----------
    estimator : fitted classifier or regressor
        The model; used as it is.
    X : array-like or data frame of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed. Arrays in mapped files of more
        than 256 MB, of zarr and of h5py are read in batches. With ``y=None``, rows and
        labels that come in batches: :class:`~skrobust.datasets.BatchedRows`, or what
        that takes.
    y : array-like of shape (n_samples,) or None
        True labels; for a regressor, targets.
    attack : object with ``perturb(estimator, X, y)``, or "auto"
        An attack, a perturbation, or an object of your own; "auto" is
        :class:`~skrobust.attacks.StrongestAttack`, which chooses by the model.
    eps : float or str, default=None
        Radius of "auto", which needs it: in the units of X, or of the spread of each of
        its features, as in ``"0.1 std"``. An attack has its own, and texts have none.
    norm : {inf, 2, 1}, default=None
        Norm of "auto"; None is inf.
    data_range : (low, high), default=None
        Bounds of the raw input, for "auto".
    tolerances : array-like of floats in [0, 1], default=None
        Bounds on the change of probability; None is 0, .01, ..., .20. For a regressor,
        bounds of at least 0 on the change of the prediction, in the units of y; None
        is 0, .02, ..., .50 standard deviations of y.
    reference : {"predicted", "true", "max"}, default="predicted"
        The class whose probability counts. The attack drives that of the predicted
        class; for another reference the ratio is a looser upper bound.
    confidence : float in (0, 1), default=0.95
        Level of the intervals: Wilson's, with clusters at the effective n and with
        quantiles of t.
    checkpoint : str or path, default=None
        Folder of finished runs, from which a killed call goes on when made again.
    checks : bool, default=False
        Whether to add ``warnings``, the doubts of :func:`check_evaluation`. It attacks
        64 samples about seven times, and the examples that it finds count. Checks that
        fail are the doubt UNCHECKED. Of rows in batches the first batch is checked.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, for the tables in ``groups``. It takes no further run
        of the attack.
    clusters : array-like of shape (n_samples,), default=None
        Samples that belong together (frames of a clip, scans of a patient), each
        cluster within one group. All intervals are then over clusters.
    n_permutations : int, default=999
        Random assignments to the groups, with which gaps and ranges are compared.
    certify : bool, default=True
        Whether "auto" also looks for a certificate, which may take long for nets.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the permutations, of "auto" and of the checks (there None is 0); an
        attack has its own.
    n_jobs : int, default=None
        Number of runs of the attack, and of blocks of about a thousand rows, at a time,
        as everywhere in scikit-learn; with rows in batches, of runs on a batch, of
        which up to two for each worker are in memory. The result does not depend on it.
    verbose : int, default=0
        From 1 on, a progress bar over the runs of the attack, the checks and the
        certificate, with the time left.
    batch_size : int, default=None
        Rows of an array that are attacked at a time, so that memory does not grow with
        the number of rows. None: all rows of an array in memory, and 32 MB of one on
        disk. A checkpoint has the runs of each batch.
    record : str or path, default=None
        File for a sealed record, as in :func:`evaluate_perturbations`.
    error_score : "raise" or number, default=numpy.nan
        What the numbers of a run that fails are. Its reason is in ``failed``. If all
        runs fail, the first error is raised.
    isolate : bool or Isolation, default=False
        Whether the model runs in a process of its own, so that a run in which it hangs,
        or ends the process, fails alone; an :class:`Isolation` has the limits of time
        and memory.

    Returns
    -------
    results : Results
        ``clean_accuracy`` and ``robust_accuracy``, each with its
        :class:`~skrobust.metrics.Interval` (``..._interval``), ``n_samples`` and
        ``confidence``; ``per_sample``, the facts of the run for robust accuracy
        for each sample (``success``, ``norm``, ``changed``, ``distortion``, the root
        mean square of the change, and the passes or queries that the attack counted),
        with ``to_frame``; ``changed``, the share of rows that this run changed, and
        ``distortion``, its mean over these; ``perturbations``, an array of the attack
        itself, for :func:`suggest_repairs`; ``constant_model_accuracy``, the robust
        accuracy of a model that always answers the largest class (its robust ratio is 1
        at every tolerance). Where there are probabilities, ``modes`` and the columns
        ``tolerance`` and, for each mode, ``robust_ratio_<mode>``, its ``_low`` and
        ``_high``, and ``_tempered``: the same examples after temperature scaling
        on these labels (``temperature``), since the ratio depends on calibration.
        Otherwise ``skipped`` gives the reason. Where runs failed, ``failed``, a dict
        of their reasons by what they were for: ``robust_accuracy``, without
        ``per_sample`` and a certificate then, or ``robust_ratio_<mode>``.

        With "auto" (or :class:`~skrobust.attacks.StrongestAttack`) the bracket of the
        truth: ``robust_accuracy_lower``, the share of rows that are proved to keep
        their true label, with its interval, ``certificate``, where the proof comes
        from, and ``is_exact``; ``robust_accuracy_upper``, which is ``robust_accuracy``.
        Where nothing is proved for the kind of model, ``not_certified`` gives the
        reason instead. ``success`` of ``per_sample`` includes the rows that only other
        runs or checks fooled; their ``norm`` is nan.

        With clusters, ``interval_unit`` and ``n_clusters``. With groups, ``groups``:
        the tables ``robust_accuracy`` (as :func:`~skrobust.metrics.group_robustness`
        has it) and ``robust_ratio_<mode>`` (as
        :func:`~skrobust.metrics.group_robust_ratio_curve`), each with all pairwise
        ``gaps`` and their correction, the range against permutations, and
        ``is_small`` for groups below 30 samples; its ``to_frame`` has one row a
        measure, tolerance and group. Where each group holds one class alone (real
        faces only), ``true_rate`` stands in place of ``robust_accuracy``: the rate of
        that class under attack, without gaps where the classes differ.

        Of a regressor, ``clean_r2`` and ``robust_r2``, ``clean_mean_absolute_error``
        and ``robust_mean_absolute_error``, each with its ``..._interval`` (bootstrap,
        500 resamples), where the attack moves each prediction away from its target
        (``"prediction_error"``); and the columns ``tolerance`` and
        ``robust_ratio_prediction_shift`` with ``_low`` and ``_high``, the share of
        rows whose prediction moves by no more (``"prediction_shift"``), with
        ``prediction_shift`` (mean), ``largest_shift`` and ``target_std``. An attack
        with one of the two objectives gives its half.

    Raises
    ------
    ValueError
        For an attack without ``perturb``, "auto" without ``eps``, lengths that differ,
        fewer than two groups, a cluster in two groups, and groups or checks of a
        regressor.
    Exception
        What the model raises on the clean rows, or in every run.

    Warns
    -----
    UserWarning
        Where a run failed; and for a model that answers differently when it is asked
        again.
        Where the attack changed no row and no probability, unless ``eps=0``; and where
        an object of your own left rows clean, as
        :func:`~skrobust.metrics.robust_ratio_score` has it.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import minmax_scale
    >>> from skrobust.attacks import FGSM
    >>> from skrobust.evaluation import evaluate_attack
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LogisticRegression().fit(X, y)
    >>> results = evaluate_attack(model, X, y, FGSM(0.05, data_range=(0, 1)))
    >>> bool(results.robust_accuracy < results.clean_accuracy)
    True
    >>> results.robust_ratio_probability_shift.shape
    (21,)
    """
    if record is not None:
        return recorded(record, evaluate_attack, locals())
    caller, errors = "evaluate_attack", caught(error_score, "evaluate_attack")
    rows, runs = as_batches(X, y, batch_size, caller), None
    store = Checkpoint(checkpoint, caller)
    if rows is not None:
        refuse_in_batches(attack, eps, caller)
        runs = BatchedRuns(
            rows, store, caller, n_jobs=n_jobs, verbose=verbose, **errors
        )
        X, y = runs.first[0], runs.y
    ball = {"eps": eps, "norm": norm, "data_range": data_range}
    seed = {"random_state": random_state}
    attack = read_attack(attack, "attack", caller, X=X, **seed, **ball)
    check_perturber(attack, "attack", caller)
    check_repeats(estimator, X, caller)
    if predicts_numbers(estimator):
        refuse_for_numbers(caller, checks=checks, groups=groups)
        how = {"tolerances": tolerances, "clusters": clusters, "caller": caller}
        how |= {"confidence": confidence, "store": store, "verbose": verbose}
        how |= {"n_jobs": n_jobs, "errors": errors, "error_score": error_score}
        return regression_results(estimator, X, y, attack, runs=runs, **how)
    if runs is None:
        y = check_labels(estimator, X, y, caller)
    tolerances = check_tolerances(tolerances, caller)
    check_flag(checks, "checks", caller)
    draws = confidence, n_permutations, random_state
    if y is not None:
        samples = SampleGroups(y, groups, clusters, draws, caller)
    params, quick = own_params(attack), aimed_at_labels(attack)
    is_strongest = isinstance(attack, StrongestAttack)
    reason = why_no_ratio(estimator, attack)
    full = [] if reason else full_runs(attack, params)
    n_steps = 1 + bool(checks) + len(full) + bool(is_strongest and certify)
    bar = StepBar(n_steps, caller, verbose and runs is None)
    if runs is None:
        clean, p = alone(correct_labels, estimator, X, y), None
        prefix = store.prefix(estimator, X, y)
        tasks = [("right, changed, by row", _table_by_row, quick)]
        tasks += [("right, probabilities, by row", full_run, run) for run, _ in full]
        parts, how = (estimator, X, y), {"n_jobs": n_jobs, "bar": bar, **errors}
        table, *found = run_in_blocks(store, prefix, tasks, *parts, **how)
        table = table if isinstance(table, Exception) else table.T
        full = [(*run, part) for run, part in zip(full, found, strict=True)]
    else:
        prefix = store.prefix(estimator, (), (), "batches")
        parts = quick, full, reason is None, prefix
        parts = *parts, attack if is_strongest and certify else None
        clean, p, table, full, proof = runs_over_batches(estimator, runs, *parts)
        if y is None:
            samples = SampleGroups(runs.y, groups, clusters, draws, caller)
        y = runs.y
    failed = failed_runs(table, full)
    tell_failed(failed, error_score, caller)
    has_run = "robust_accuracy" not in failed
    table = table if has_run else np.full((N_FACTS, len(y)), np.nan)
    robust = table[0] == 1
    if quick is attack and getattr(attack, "objective", None) == "probability_shift":
        robust &= clean  # it turns wrong rows right as well
    doubts, fallen = [], np.zeros(len(y), dtype=bool)
    if checks:
        seed = 0 if random_state is None else seed_number(random_state, caller)
        checked = (X, y) if runs is None else runs.first
        parts = estimator, *checked, attack, seed
        doubts, fallen[: len(checked[1])] = doubts_or_unchecked(*parts)
        bar.done()
    if is_strongest or checks:
        for _, _, part in full:
            if not isinstance(part, Exception):
                fallen |= clean & ~part["correct"]
        robust &= ~fallen
    _, counts = np.unique(y, return_counts=True)
    results = Results(
        columns=(),
        clean_accuracy=float(clean.mean()),
        clean_accuracy_interval=samples.interval(clean),
        robust_accuracy=float(robust.mean()),
        robust_accuracy_interval=samples.interval(robust),
        constant_model_accuracy=float(counts.max() / len(y)),
        n_samples=len(y),
        confidence=float(confidence),
        attack=shown(attack),
        perturbations=object_array([attack]),
        per_sample=per_sample(table),
        **samples.facts(),
    )
    facts = results["per_sample"]
    if is_strongest or checks:
        facts["success"] = facts["success"] | fallen
    if is_strongest and certify and runs is not None and has_run:
        results.update(bracket_of(*proof, robust, samples))
    elif is_strongest and certify and has_run:
        parts = estimator, X, y, attack, robust, clean, samples, caller
        results.update(bracket(*parts, catches=bool(errors)))
        bar.done()
    bar.close()
    results["changed"] = float(facts.changed.mean())
    results["distortion"] = mean_of_changed(facts.changed, facts.distortion)
    if failed:
        mark_failed(results, failed, error_score)
    results["verdict"] = verdict_on_attack(results)
    tables = {}
    if groups is not None:
        name, tables[name] = samples.robust_accuracy(robust)
        results["groups"] = group_results(tables, confidence)
    if checks:
        results["warnings"] = doubts
    if reason is not None:
        results["skipped"] = f"robust ratio: {reason}"
        warn_idle_attack(attack, results["changed"] == 0, caller)
        return results
    if runs is None:
        p = alone(predict_probabilities, estimator, X, caller)
    labels = column_labels(estimator, p.shape[1])
    options = {"tolerance": tolerances, "reference": reference, "labels": labels}
    options["y_true"] = y
    temperature = results["temperature"] = temperature_of(p, y, labels)
    results["tolerance"] = tolerances
    modes, columns, idle = [], ["tolerance"], results["changed"] == 0
    for run, mode, part in full:
        name = mode_name(mode)
        if name in failed:
            modes.append(name.removeprefix("robust_ratio_"))
            results.update(unknown_columns(name, tolerances, error_score))
            columns += column_names(name)
            continue
        q = part["probabilities"]
        idle = idle and bool((p == q).all())
        modes.append(name.removeprefix("robust_ratio_"))
        with full_attack(is_full(run) or idle):
            within, found = ratio_columns(name, p, q, temperature, options, samples)
        results.update(found)
        columns += found
        if modes[-1] == "given":
            results["note"] = mode
        if groups is not None:
            tables[name] = samples.robust_ratio(within, tolerances)
            results["groups"] = group_results(tables, confidence)
    results["modes"], results["columns"] = tuple(modes), tuple(columns)
    warn_idle_attack(attack, idle, caller)
    return results


def _table_by_row(estimator, attack, X, y):
    return attack_table(estimator, attack, X, y).T
