"""Facts about a pool for draws and answers: from a model, or from columns."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from skrobust._responses import predict_labels, predict_probabilities, refuse_regressor
from skrobust.cli import rows_file
from skrobust.cli.exit_codes import UserError
from skrobust.cli.image_input import image_batches
from skrobust.cli.piece_table import PieceTable
from skrobust.sampling.core.pool import TAKEN_BY

MOST_VALUES = 200  # of a column of text
_GOES_WITH = {
    "features": "--feature goes with --sampler operational, which learns from answers",
    "costs": "--cost goes with --sampler operational or stratified, which look at it",
}


@dataclass
class Facts:
    """Facts about a pool for draws and answers.

    Attributes
    ----------
    n_pool : int
        Number of inputs.
    scores : ndarray of shape (n_pool,) or None
        Suspicion of each input.
    y_pred : ndarray of shape (n_pool,) or None
        Predicted labels.
    classes : list
        Labels that are known.
    no_scores : Exception or None
        Why there are no scores.
    features : ndarray of shape (n_pool, n_features) or None
        What else may tell which inputs fail.
    costs : ndarray of shape (n_pool,) or None
        What the label of each input costs.
    """

    n_pool: int
    scores: np.ndarray | None = None
    y_pred: np.ndarray | None = None
    classes: list = field(default_factory=list)
    no_scores: Exception | None = None
    features: np.ndarray | None = None
    costs: np.ndarray | None = None

    def fit(self, sampler):
        """Return the sampler, fitted on the pool."""
        given = {"features": self.features, "costs": self.costs}
        given = {name: values for name, values in given.items() if values is not None}
        for name in given:
            if type(sampler).__name__ not in TAKEN_BY[name]:
                raise UserError(f"{_GOES_WITH[name]}; {type(sampler).__name__} cannot.")
        if given:
            scores = np.zeros(self.n_pool) if self.scores is None else self.scores
            return sampler.fit(scores, y_pred=self.y_pred, **given)
        if self.scores is not None:
            return sampler.fit(self.scores, y_pred=self.y_pred)
        try:  # only a sampler that needs no scores takes rows
            return sampler.fit(np.zeros((self.n_pool, 1)), y_pred=self.y_pred)
        except ValueError:
            raise self.no_scores from None


def facts_from_model(pool, model, drop=(), **images):
    """Return the facts that a model gives about a pool.

    Parameters
    ----------
    pool : Pool
        A table or a folder of images.
    model : fitted estimator
        Used as it is.
    drop : sequence of str, default=()
        Columns of the table that the model must not see.
    **images
        For :func:`~skrobust.cli.image_input.image_batches`.

    Returns
    -------
    Facts
        Without scores where the model gives no probabilities.
    """
    cure = "Without --model, --sampler simple-random takes answers right and wrong."
    refuse_regressor(model, "The sampler", cure)
    if pool.frame is not None:
        for name in drop:
            rows_file.column_of(pool.frame, name, pool.source, "--drop")
        seen = [name for name in pool.columns if name not in drop]
        if isinstance(pool.frame, PieceTable):
            named = getattr(model, "feature_names_in_", seen)
            frames = pool.frame.parts([name for name in seen if name in named])
        else:
            frames = [pool.frame[seen]]
        batches = (
            rows_file.columns_for(model, part, pool.source, beside="; see --drop")
            for part in frames
        )
    else:
        names = [Path(item) for item in pool.items]
        batches = image_batches(pool.folder, names, model, **images)
    facts = Facts(len(pool), classes=np.ravel(getattr(model, "classes_", ())).tolist())
    scores, labels = [], []
    for X in batches:
        labels.append(predict_labels(model, X))
        if facts.no_scores is None:
            try:
                cure = "take --scores, or --sampler simple-random, which needs none"
                p = predict_probabilities(model, X, "The sampler", cure)
            except ValueError as error:
                facts.no_scores = error
                continue
            scores.append(np.clip(1 - p.max(axis=1).astype(np.float64), 0, 1))
    facts.y_pred = np.concatenate(labels)
    if facts.no_scores is None:
        facts.scores = np.concatenate(scores)
    return facts


def facts_from_columns(pool, scores=None, as_confidence=False, predicted=None):
    """Return the facts that columns of a table give about a pool.

    Parameters
    ----------
    pool : Pool
        A table, where a column is named.
    scores : str, default=None
        Column of suspicion, higher is more suspicious.
    as_confidence : bool, default=False
        Whether that column is confidence in [0, 1], of which suspicion is the rest.
    predicted : str, default=None
        Column of predicted labels.

    Returns
    -------
    Facts
        Facts from the named columns.
    """
    facts = Facts(len(pool))
    facts.no_scores = UserError(
        "This sampler needs a suspicion of each input: give --model, or --scores; or "
        "take --sampler simple-random, which needs none."
    )
    if pool.frame is None and (scores or predicted):
        raise UserError(
            "--scores and --predicted name columns of a table, and "
            f"{pool.source!r} is a folder: make a table with a row for each file, name "
            "the column of paths with --item, and give the table in its place."
        )
    if predicted is not None:
        facts.y_pred = rows_file.full_column(
            pool.frame, predicted, pool.source, "--predicted"
        )
    if scores is not None:
        values = rows_file.full_column(pool.frame, scores, pool.source, "--scores")
        if values.dtype.kind not in "fiu":
            raise UserError(f"The column {scores!r} of {pool.source!r} is no number.")
        facts.scores = values.astype(np.float64)
        if as_confidence:
            low, high = facts.scores.min(), facts.scores.max()
            if low < 0 or high > 1:
                raise UserError(
                    f"Confidence must lie in [0, 1]; {scores!r} of {pool.source!r} "
                    f"goes from {low:g} to {high:g}."
                )
            facts.scores = 1 - facts.scores
    return facts


def features_from(pool, names):
    """Return columns of a table as features: numbers, and 0 or 1 for each text.

    Parameters
    ----------
    pool : Pool
        A table, where a column is named.
    names : sequence of str
        The columns.

    Returns
    -------
    ndarray of shape (n_pool, n_features) or None
        None where no column is named.
    """
    if not names:
        return None
    if pool.frame is None:
        raise UserError("--feature names columns of a table, and this is a folder.")
    found = []
    for name in names:
        values = rows_file.full_column(pool.frame, name, pool.source, "--feature")
        if values.dtype.kind in "fiub":
            found.append(values[:, None])
            continue
        known = np.unique(values)
        if len(known) > MOST_VALUES:
            raise UserError(
                f"The column {name!r} of {pool.source!r} has {len(known)} different "
                f"texts; --feature takes numbers, or {MOST_VALUES} texts at most."
            )
        found.append(values[:, None] == known)
    return np.hstack(found).astype(np.float64)


def costs_from(pool, name):
    """Return a column of a table as costs, or None where none is named.

    Parameters
    ----------
    pool : Pool
        A table, where a column is named.
    name : str or None
        The column.

    Returns
    -------
    ndarray of shape (n_pool,) or None
        Above 0.
    """
    if name is None:
        return None
    if pool.frame is None:
        raise UserError("--cost names a column of a table, and this is a folder.")
    costs = rows_file.full_column(pool.frame, name, pool.source, "--cost")
    if costs.dtype.kind not in "fiu" or not (np.isfinite(costs) & (costs > 0)).all():
        raise UserError(
            f"The column {name!r} of {pool.source!r} must hold what each label costs, "
            "finite numbers above 0."
        )
    return costs.astype(np.float64)
