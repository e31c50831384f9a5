"""Repairs of a model, proposed and measured on rows that have no part in the choice."""

import numpy as np
from sklearn.base import is_classifier

from skrobust._keyed_noise.generator import seed_number
from skrobust._results import Results
from skrobust._validation import (
    check_confidence,
    check_number,
    check_same_length,
    check_targets,
    invalid,
)
from skrobust.base import BaseAttack
from skrobust.evaluation.argument_checks import check_labels
from skrobust.evaluation.checkpoint import Checkpoint
from skrobust.evaluation.condition_part import answers_classes
from skrobust.evaluation.estimator_code import estimator_code
from skrobust.evaluation.repair_candidates import KINDS
from skrobust.evaluation.repair_parts import Part, split_parts
from skrobust.evaluation.repair_search import Search
from skrobust.evaluation.repair_table import (
    ORIGINAL,
    abstention_table,
    repair_columns,
)
from skrobust.metrics.labels import label_array


def suggest_repairs(
    model,
    X,
    y,
    results,
    *,
    X_train=None,
    y_train=None,
    candidates=None,
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
        :class:`~sklearn.frozen.FrozenEstimator` it stays as it is, and only repairs in
        front of it are tried; then X must be rows that it was not trained on.
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
        Columns, the original first and then the best of each kind of repair: ``name``,
        ``kind``; ``clean``, the accuracy, with ``clean_low`` and ``clean_high`` (as all
        scores have); ``robust``, the criterion; for conditions ``worst``, the lowest
        accuracy, corrected for its selection, with ``worst_condition``, ``asi``, the
        Accuracy-Stability Index without sampling noise, and ``answered``, the lowest
        share of rows that the model answers; ``attacked``, the accuracy under every
        attack (nan where none was given or could be made); the paired differences to
        the original, ``difference`` (of the criterion) and ``clean_difference``, with
        their limits; ``p_value`` and ``p_adjusted`` (Holm) of the first;
        ``selection_score``, the criterion on the rows that choose, which is too good
        for the winner; ``fit_seconds``; and ``is_on_front``, whether no other row is
        better in ``clean`` and ``robust``, which describes these rows and tests
        nothing.

        About the whole: ``verdict``, a sentence; ``helps``, whether the winner is
        better than the original; ``chosen``, its name (None where none was better on
        the rows that choose); ``best``, the same, or "original" where no repair
        helps; ``best_``, that model as it was scored; ``code``, which constructs it
        unfitted; ``weaknesses``, a table of the conditions that cost most accuracy;
        ``columns_at_risk``, a table of the columns that cost accuracy when they alone
        change; ``abstention``, a table of what the original gains where it does not
        answer below a margin between its two largest probabilities (``threshold``,
        chosen on other rows; coverage, and accuracy of the answers): a trade, not a
        gain; ``skipped``, reasons by kind or name; ``warnings`` of the fits;
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
    conditions, attacks = read_tests(results, caller)
    criterion = _check_criterion(criterion, conditions, attacks, caller)
    candidates = _check_candidates(candidates, caller)
    confidence = check_confidence(confidence, caller)
    max_clean_loss = check_number(
        max_clean_loss, "max_clean_loss", caller, low=0, high=1
    )
    seed = seed_number(random_state, caller) % 2**31
    store = Checkpoint(checkpoint, caller)
    parts = _parts(X, y, X_train, y_train, clusters, seed, caller)
    fit, choose, report = parts
    jobs = {"n_jobs": n_jobs, "verbose": verbose}
    data = conditions, attacks, criterion, store, jobs, seed, caller
    search = Search(model, *data)
    search.start(fit, choose)
    search.propose(candidates, len(report.y))
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
        abstention=abstention and Results(columns=tuple(abstention), **abstention),
        skipped=dict(search.skipped),
        warnings=tuple(dict.fromkeys(search.warnings)),
        n_fit=len(fit.y),
        n_choose=len(choose.y),
        n_report=len(report.y),
        n_candidates=len(search.chosen) - 1,
        criterion=criterion,
        confidence=confidence,
    )


def read_tests(results, caller):
    """Return the conditions and the attacks that results were made with."""
    listed = (
        [results] if _is_results(results) or hasattr(results, "perturb") else results
    )
    rule = (
        "results of evaluate_perturbations or evaluate_attack, or a list of these or "
        "of objects with perturb"
    )
    if not isinstance(listed, (list, tuple)) or not listed:
        raise invalid("results", caller, rule, results)
    found = []
    for one in listed:
        if _is_results(one) and "perturbations" in one:
            found += list(one["perturbations"])
        elif hasattr(one, "perturb") and not isinstance(one, type):
            found.append(one)
        else:
            raise invalid("results", caller, rule, results)
    attacks = [one for one in found if isinstance(one, BaseAttack)]
    return [one for one in found if not isinstance(one, BaseAttack)], attacks


def _is_results(value):
    return isinstance(value, Results)


def _check_criterion(criterion, conditions, attacks, caller):
    there = {"mean": conditions, "attack": attacks}
    known = [name for name, found in there.items() if found]
    if criterion is None:
        return known[0]
    if criterion not in known:
        rule = f"None or one of {', '.join(map(repr, known))}, as tested"
        raise invalid("criterion", caller, rule, criterion)
    return criterion


def _check_candidates(candidates, caller):
    if candidates is None:
        return None
    if isinstance(candidates, dict):
        if not candidates or not all(
            isinstance(name, str) and hasattr(one, "fit") and is_classifier(one)
            for name, one in candidates.items()
        ):
            rule = "a dict of names to classifiers"
            raise invalid("candidates", caller, rule, candidates)
        return candidates
    listed = isinstance(candidates, (list, tuple)) and candidates
    if not listed or any(kind not in KINDS for kind in candidates):
        rule = f"None, a dict of classifiers, or a list of {', '.join(KINDS)}"
        raise invalid("candidates", caller, rule, candidates)
    return list(dict.fromkeys(candidates))


def _parts(X, y, X_train, y_train, clusters, seed, caller):
    """Return the rows that fit, choose and report."""
    if (X_train is None) != (y_train is None):
        raise ValueError(f"{caller} needs X_train and y_train together, or neither.")
    if clusters is not None:
        clusters = label_array(clusters, caller, "clusters")
        check_same_length(caller, X=X, clusters=clusters)
    rng = np.random.default_rng(seed)
    n_parts = 3 if X_train is None else 2
    parts = split_parts(X, y, clusters, n_parts, rng)
    if X_train is not None:
        y_train = label_array(check_targets(y_train, caller, name="y_train"), caller,
                              "y_train")  # fmt: skip
        check_same_length(caller, X_train=X_train, y_train=y_train)
        parts.insert(0, Part(X_train, y_train))
    if min(len(part.y) for part in parts) < 10:
        sizes = ", ".join(str(len(part.y)) for part in parts)
        raise ValueError(
            f"{caller} needs ten rows or more that fit, that choose, and that report. "
            f"Got {sizes}."
        )
    return parts


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
    return Results(columns=tuple(columns), **columns, clean=clean)


def _at_risk(search):
    """Return the columns that cost accuracy when they alone change."""
    fragile = search.fragile
    columns = {
        "column": np.array([str(name) for name, _ in fragile], dtype=str),
        "loss": np.array([loss for _, loss in fragile], dtype=np.float64),
    }
    return Results(columns=tuple(columns), **columns)


def verdict_of(columns, name, helps, criterion, n_rows, confidence, clean_loss):
    """Return the outcome as a sentence.

    Parameters
    ----------
    columns : dict of str to ndarray
        The table, the original first.
    name : str or None
        The best repair where it was chosen.
    helps : bool
        Whether it does.
    criterion : {"mean", "attack"}
        What it was chosen by.
    n_rows : int
        Rows that report.
    confidence : float
        Level of the intervals.
    clean_loss : float or None
        What a repair may cost, where the best one costs more.

    Returns
    -------
    str
        The verdict.
    """
    n = len(columns["name"]) - 1
    what = "accuracy under attack" if criterion == "attack" else "mean accuracy"
    if not n:
        return "No repair helps: none suits this model and these rows."
    if name is None:
        kinds = "the one kind that was tried" if n == 1 else f"{n} kinds"
        return (
            f"No repair helps: of {kinds}, none had a higher {what} than the original "
            "where it was chosen."
        )
    place = columns["name"].tolist().index(name)
    row = {key: values[place] for key, values in columns.items()}
    limits = f"{100 * confidence:g} % interval {row['difference_low']:.3f} to "
    limits += f"{row['difference_high']:.3f}, p = {row['p_value']:.2g}"
    rows = f"on {n_rows} rows that had no part in its choice"
    before = f"{columns['clean'][0]:.3f}"
    if clean_loss is not None:
        return (
            f"No repair helps at a clean accuracy that is lower by {clean_loss:g} at "
            f"most: the best one, {name!r}, changes the {what} by "
            f"{row['difference']:+.3f} ({limits}), at a clean accuracy of "
            f"{row['clean']:.3f} in place of {before}, {rows}."
        )
    if not helps:
        return (
            f"No repair helps: the best where it was chosen, {name!r}, changes the "
            f"{what} by {row['difference']:+.3f} ({limits}) {rows}."
        )
    return (
        f"{name!r} raises the {what} from {columns['robust'][0]:.3f} to "
        f"{row['robust']:.3f} (difference {row['difference']:.3f}, {limits}), at a "
        f"clean accuracy of {row['clean']:.3f} in place of {before}, {rows}."
    )
