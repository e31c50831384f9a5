"""Scores of each fold from the dictionaries of scikit-learn."""

from collections.abc import Mapping

import numpy as np

from skrobust._validation import invalid


def scores_of(cv_results, scorer, caller):
    """Return the test scores of one scorer of shape (n_candidates, n_folds).

    Parameters
    ----------
    cv_results : dict
        Of ``cross_validate`` (then one candidate), or ``cv_results_`` of a search.
    scorer : str
        Its name; "score" where there was one scorer only.
    caller : str
        Name of the public function or class, for error messages.
    """
    if not isinstance(cv_results, Mapping):
        rule = "what cross_validate returns, or cv_results_ of a search"
        raise invalid("cv_results", caller, rule, cv_results)
    if f"test_{scorer}" in cv_results:
        return np.asarray(cv_results[f"test_{scorer}"], dtype=float)[np.newaxis]
    folds = []
    while f"split{len(folds)}_test_{scorer}" in cv_results:
        folds.append(cv_results[f"split{len(folds)}_test_{scorer}"])
    if folds:
        return np.array(folds, dtype=float).T
    known = sorted(
        {str(k).partition("test_")[2] for k in cv_results if "test_" in str(k)}
    )
    raise ValueError(
        f"{caller} finds no scores of {scorer!r} in cv_results; it holds scores of "
        f"{', '.join(map(repr, known)) or 'nothing'}."
    )


def mean_and_limits(scores):
    """Return the mean over folds, and it less and plus one standard error."""
    mean = float(scores.mean())
    if len(scores) < 2:
        return mean, np.nan, np.nan
    error = float(scores.std(ddof=1) / np.sqrt(len(scores)))
    return mean, mean - error, mean + error


def condition_scores(cv_results, conditions, caller, n_best):
    """Return the mean over folds under each condition, by model.

    Parameters
    ----------
    cv_results : dict
        As :func:`scores_of` takes.
    conditions : list of str
        One scorer each.
    caller : str
        Name of the public function or class, for error messages.
    n_best : int
        Candidates to keep, best mean first.

    Returns
    -------
    dict of str to ndarray of shape (n_conditions,)
        Named by the parameters of the candidates.
    """
    if isinstance(conditions, str) or not list(conditions):
        raise invalid("conditions", caller, "a non-empty list of scorers", conditions)
    means = [scores_of(cv_results, c, caller).mean(axis=1) for c in conditions]
    means = np.column_stack(means)
    params = cv_results.get("params", [{}])
    best = np.argsort(-means.mean(axis=1), kind="stable")[:n_best]
    names = {i: ", ".join(f"{k}={v}" for k, v in params[i].items()) for i in best}
    return {name or "model": means[i] for i, name in names.items()}
