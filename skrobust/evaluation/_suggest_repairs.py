"""Repairs of a model, proposed and measured on rows that have no part in the choice."""

import numpy as np
from sklearn.frozen import FrozenEstimator

from skrobust._keyed_noise.generator import seed_number
from skrobust._results import Results
from skrobust._validation import (
    check_confidence,
    check_count,
    check_number,
    invalid,
)
from skrobust.evaluation.conditions.condition_part import answers_classes
from skrobust.evaluation.core.argument_checks import check_labels
from skrobust.evaluation.core.checkpoint import Checkpoint
from skrobust.evaluation.repairs.estimator_code import estimator_code
from skrobust.evaluation.repairs.repair_arguments import (
    check_candidates,
    check_criterion,
    read_parts,
    read_tests,
)
from skrobust.evaluation.repairs.repair_chances import (
    abstention_table,
    calibration_table,
)
from skrobust.evaluation.repairs.repair_search import Search
from skrobust.evaluation.repairs.repair_table import ORIGINAL, repair_columns
from skrobust.evaluation.repairs.repair_verdict import verdict_of
from skrobust.metrics.labels import label_array
from skrobust.wrappers import WrappedClassifier

# Columns that a reader sees first.
_FIRST = ("name", "clean", "robust", "difference", "p_adjusted")


def suggest_repairs(
    model,
    X,
    y,
    results,
    *,
    X_train=None,
    y_train=None,
    candidates=None,
    n_repairs=1,
    criterion=None,
    max_clean_loss=0.02,
    confidence=0.95,
    clusters=None,
    n_jobs=None,
    verbose=0,
    checkpoint=None,
    random_state=None,
):
    """Propose repairs for the weaknesses of a classifier, and measure them.

    Repairs that suit the model and its rows are fitted, the best is chosen on other
    rows, and all that is reported comes from rows that had a part in neither. Without
    training rows the rows are split into three: a half fits, a fifth chooses, and the
    rest reports. With training rows these fit, two fifths of X choose, and the rest
    reports. The original is fitted again on the same rows as its repairs, so that the
    differences are those of the repair.

    Parameters
    ----------
    model : classifier
        Fitted or not; copies are fitted. Inside of
        :class:`~sklearn.frozen.FrozenEstimator`, or of :func:`skrobust.wrap`, it stays
        as it is, and only repairs in front of it, and its calibration, are tried; then
        X must be rows that it was not trained on.
    X : array-like or data frame of shape (n_samples, ...)
        Raw input of the whole pipeline; not changed.
    y : array-like of shape (n_samples,)
        True labels.
    results : Results, or list of Results or of objects with ``perturb``
        What the model was tested with: results of :func:`evaluate_perturbations` and
        :func:`evaluate_attack`, or conditions and attacks themselves. Only what was
        tested is taken of results, not the scores: these may be of the rows that
        report.
    X_train, y_train : array-like of shape (n_train, ...) and (n_train,), default=None
        Rows and labels that fit; None takes them from X and y.
    candidates : None, list of str, or dict of str to classifier, default=None
        The kinds of repairs: "imputer", "clipping", "scaling", "monotone",
        "drop_column", "coarsening", "noise_training", "adversarial_training",
        "calibration" and "smoothing"; None is all that suit. A dict has classifiers of
        your own in their place, by name, not fitted.
    n_repairs : int, default=1
        Repairs that may be combined: 2 tries the other kinds in front of the best one
        as well, and so on. Classifiers of your own are not combined.
    criterion : {"mean", "attack"}, default=None
        What repairs are chosen by: the mean accuracy over the conditions, or the
        accuracy under all attacks. None is the mean where there are conditions.
    max_clean_loss : float in [0, 1], default=0.02
        Clean accuracy that the winner may cost, on the rows that choose.
    confidence : float in (0, 1), default=0.95
        Level of the intervals; 1 less this is the level of the test.
    clusters : array-like of shape (n_samples,), default=None
        Samples that belong together (clips, patients): each cluster is in one part,
        and the intervals are over clusters.
    n_jobs : int, default=None
        Fits, and conditions scored, at a time; the result does not depend on it.
    verbose : int, default=0
        From 1 on, progress bars.
    checkpoint : str or path, default=None
        Folder in which finished conditions and attacks are kept. Candidates are fitted
        again, and their scores found again where the fit gives the same model.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the split, of what repairs draw, and of the resamples. Give conditions
        an int of their own, so that all models meet the same rows.

    Returns
    -------
    results : Results
        Columns, the original first and then the best of each kind of repair: ``name``
        and ``kind``; ``clean``, the accuracy, with ``clean_low`` and ``clean_high``
        (as all scores have); ``robust``, the criterion; for conditions ``worst``, the
        lowest accuracy, corrected for its selection, with ``worst_condition``,
        ``asi``, the Accuracy-Stability Index without sampling noise, and ``answered``,
        the lowest share of rows that the model answers; ``attacked``, the accuracy
        under every attack (nan where none was given or could be made); the paired
        differences to the original, ``difference`` (of the criterion) and
        ``clean_difference``, with their limits; ``p_value`` and ``p_adjusted`` (Holm)
        of the first; ``selection_score``, the criterion on the rows that choose, which
        is too good for the winner; ``fit_seconds``; and ``is_on_front``, whether no
        other row is better in ``clean`` and ``robust``, which describes these rows and
        tests nothing.

        About the whole: ``verdict``, a sentence; ``helps``, whether the winner is
        better than the original; ``chosen``, its name (None where none was better on
        the rows that choose); ``best``, the same, or "original" where no repair
        helps; ``best_``, that model as it was scored; ``code``, which constructs it
        unfitted; ``weaknesses``, a table of the conditions that cost most accuracy;
        ``columns_at_risk``, a table of the columns that cost accuracy when they alone
        change, on at most 500 rows; ``abstention``, a table of what the original gains
        where it does not answer below a margin between its two largest probabilities
        (``threshold``, chosen on other rows; coverage, and accuracy of the answers): a
        trade, not a gain; ``calibration``, a table of the Brier scores (0 to 2, less is
        better) of the original and the calibrated model with their differences, since
        accuracy does not show what calibration is for; ``skipped``, reasons by kind or
        name; ``warnings`` of fits and attacks;
        ``n_fit``, ``n_choose``, ``n_report``, ``n_candidates``, ``criterion`` and
        ``confidence``.

    Raises
    ------
    ValueError
        For bad parameters, a regressor, results without conditions, too few rows, or a
        model that cannot be fitted.

    Notes
    -----
    The winner has the largest criterion among all candidates on the rows that choose,
    of those that lose at most ``max_clean_loss`` there. It helps where its difference
    on the rows that report is above 0 with ``p_value`` at most 1 - confidence. That is
    one test, since its choice is independent of these rows: its level needs no
    correction, and its scores are unbiased. ``p_adjusted`` is for those who read all
    rows.

    Weaknesses are the three conditions with the lowest scores, below the clean one, on
    the rows that choose. A repair is measured under the same conditions that it was
    made for; it says nothing about others. Rows that a model refuses, such as those
    with missing values, count as wrong; a model that refuses complete rows as well gets
    none right. Under an attack a repair must hold against the attack on itself and
    against the examples made for the original, since it may only hide its gradient
    (Athalye, Carlini and Wagner, ICML 2018); the result is an upper bound of the true
    accuracy. A repair that the attack cannot attack has none.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.evaluation import evaluate_perturbations, suggest_repairs
    >>> from skrobust.perturbations import MeanDrift
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 300)
    >>> X = y[:, None] + rng.normal(size=(600, 2)) * [0.2, 0.21]
    >>> model = LogisticRegression().fit(X, y)
    >>> drift = [MeanDrift(size=2.0, columns=[0])]
    >>> results = evaluate_perturbations(model, X, y, drift, X_ref=X)
    >>> repairs = suggest_repairs(model, X, y, results, random_state=0)
    >>> repairs.helps, repairs.best
    (True, 'drop 0')
    >>> print(repairs.code)  # doctest: +ELLIPSIS
    from sklearn.compose import ColumnTransformer
    ...
    """
    caller = "suggest_repairs"
    y = label_array(check_labels(model, X, y, caller), caller, "y")
    if not answers_classes(model):
        raise invalid("model", caller, "a classifier", model)
    if isinstance(model, WrappedClassifier):  # which is trained, and stays so
        model = FrozenEstimator(model)
    conditions, attacks = read_tests(results, caller)
    criterion = check_criterion(criterion, conditions, attacks, caller)
    candidates = check_candidates(candidates, caller)
    confidence = check_confidence(confidence, caller)
    n_repairs = check_count(n_repairs, "n_repairs", caller)
    max_clean_loss = check_number(
        max_clean_loss, "max_clean_loss", caller, low=0, high=1
    )
    seed = seed_number(random_state, caller) % 2**31
    store = Checkpoint(checkpoint, caller)
    parts = read_parts(X, y, X_train, y_train, clusters, seed, caller)
    fit, choose, report = parts
    jobs = {"n_jobs": n_jobs, "verbose": verbose}
    data = conditions, attacks, criterion, store, jobs, seed, caller
    search = Search(model, *data)
    search.start(fit, choose)
    search.propose(candidates, len(report.y))
    for _ in range(0 if isinstance(candidates, dict) else n_repairs - 1):
        search.combine(candidates, len(report.y), max_clean_loss)
    kept = search.best_of_kinds(max_clean_loss)
    winner = search.winner(kept, max_clean_loss)
    scores = search.scores([ORIGINAL, *kept], report)
    settings = report.clusters, criterion, confidence, seed, caller
    columns = repair_columns(scores, search.table, *settings)
    columns = {
        "name": np.array(list(scores)),
        "kind": np.array([search.kinds[name] for name in scores]),
        **columns,
        "selection_score": np.array(
            [search.chosen[name].value(criterion) for name in scores]
        ),
        "fit_seconds": np.array([search.fitted[name].seconds for name in scores]),
    }
    columns = {k: columns[k] for k in dict.fromkeys([*_FIRST, *columns])}
    level = 1 - confidence
    helps = False
    if winner is not None:
        place = list(scores).index(winner)
        row = {name: values[place] for name, values in columns.items()}
        helps = bool(row["difference"] > 0 and row["p_value"] <= level)
    best = winner if helps else ORIGINAL
    found = search.fitted[best].model
    trade = scores[ORIGINAL], search.chosen[ORIGINAL], report.clusters
    abstention = abstention_table(*trade, confidence, caller)
    about = scores, search.kinds, report.clusters, confidence, seed
    calibration = calibration_table(*about)
    dear = None if winner else search.winner(kept, 1.0)  # whatever it costs
    about = columns, winner or dear, helps, criterion, len(report.y), confidence
    return Results(
        verdict=verdict_of(*about, None if winner else max_clean_loss),
        columns=tuple(columns),
        **columns,
        helps=helps,
        chosen=winner,
        best=best,
        best_=found,
        code=estimator_code(search.estimators[best]),
        weaknesses=_weaknesses(search),
        columns_at_risk=_at_risk(search),
        abstention=_table(abstention),
        calibration=_table(calibration),
        skipped=dict(search.skipped),
        warnings=tuple(dict.fromkeys(search.warnings)),
        n_fit=len(fit.y),
        n_choose=len(choose.y),
        n_report=len(report.y),
        n_candidates=len(search.chosen) - 1,
        criterion=criterion,
        confidence=confidence,
    )


def _weaknesses(search):
    """Return the conditions that cost most accuracy, on the rows that choose."""
    scores, places = search.chosen[ORIGINAL], search.weak_places()
    values = scores.correct.mean(axis=0)
    names = [str(search.table["name"][i]) for i in places]
    columns = {
        "condition": np.array(names, dtype=str),
        "accuracy": np.array([values[i] for i in places], dtype=np.float64),
    }
    clean = float(scores.clean.mean())
    return _table(columns, clean=clean)


def _at_risk(search):
    """Return the columns that cost accuracy when they alone change."""
    fragile = search.fragile
    columns = {
        "column": np.array([str(name) for name, _ in fragile], dtype=str),
        "loss": np.array([loss for _, loss in fragile], dtype=np.float64),
    }
    return _table(columns)


def _table(columns, **about):
    """Return columns as results, None for None."""
    if columns is None:
        return None
    return Results(columns=tuple(columns), **columns, **about)
