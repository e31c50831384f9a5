"""Verification of a record."""

from pathlib import Path

import numpy as np

from skrobust._results import Results
from skrobust._sealed import Damaged, file_digest
from skrobust._validation import check_path
from skrobust.evaluation.records.inner_checks import (
    row_of_places,
    rows_of_replay,
    rows_of_steps,
)
from skrobust.evaluation.records.input_checks import (
    DIFFERS,
    rows_of_code,
    rows_of_inputs,
)
from skrobust.evaluation.records.record_content import (
    DAMAGED,
    OPERATIONAL_TEST,
    read_record,
)
from skrobust.evaluation.records.sampler_record import rows_of_sampler

# What parts of another form than that of a record lead to.
_NOT_ITS_FORM = (KeyError, TypeError, AttributeError, IndexError)


def verify_record(path, *, model=None, X=None, y=None, X_train=None):
    """Verify a sealed record, and whether model and data are those that it names.

    Nothing in the record is executed, and nothing is computed again but digests, means
    of samples, the summary of scores and, of an operational test, its draws; see
    :func:`replay_record`.

    Parameters
    ----------
    path : str or path
        The record.
    model : fitted estimator or dict of str to estimator, default=None
        The model, or the models by their names in the record.
    X, y, X_train : array-like, default=None
        Rows, labels and training rows as they were given to the evaluation.

    Returns
    -------
    results : Results
        Columns ``part``, ``state`` and ``note``. States: "holds"; "damaged" (it is not
        what was sealed, or does not follow from the rest); "differs" (the model or the
        data are others); "not given"; "unknown" (the record has no fingerprint of it);
        "other here" (the versions of this machine); "not replayable". ``ok`` is whether
        nothing is damaged and nothing differs; ``kind`` ("evaluation" or "operational
        test"); ``sha256`` of the file; ``verdict``, a sentence.

    Raises
    ------
    ValueError
        For a file that is no record, or too damaged for its parts to be told apart.

    Notes
    -----
    A seal finds damage and mistakes. Whoever changes numbers on purpose can seal them
    anew: compare ``sha256`` with one that was published elsewhere, or replay the record
    with the same model and data.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrobust.attacks import FGSM
    >>> from skrobust.evaluation import evaluate_perturbations, verify_record
    >>> from skrobust.perturbations import GaussianNoise
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier().fit(X[::2], y[::2])
    >>> noise = [GaussianNoise(std=0.1, data_range=(0, 8), random_state=0)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "record.skr"
    ...     _ = evaluate_perturbations(model, X[1::2], y[1::2], noise, record=path)
    ...     found = verify_record(path, model=model, X=X[1::2], y=1 - y[1::2])
    >>> found.ok, found.part[found.state == "differs"].tolist()
    (False, ['labels'])
    """
    caller = "verify_record"
    path = check_path(path, "path", caller)
    content = read_record(path)
    rows = [*content.rows, *inner_rows(content, path)]
    found = [row for row in rows if row[1] == DAMAGED]
    try:
        rows += rows_of_inputs(content.facts, model, X, y, X_train, caller)
        rows += [*rows_of_code(content.facts), *rows_of_replay(content.facts)]
        n_steps = len(content.facts["steps"])
    except _NOT_ITS_FORM:
        if not found:
            raise _no_fit(path) from None
        n_steps = 0  # it is known why
    part, state, note = (np.array(column) for column in zip(*rows, strict=True))
    bad = [f"{p} ({s})" for p, s, _ in rows if s in (DAMAGED, DIFFERS)]
    verdict = f"All that was compared holds, of {n_steps} recorded steps."
    if bad:
        verdict = f"The record does not hold: {', '.join(bad)}."
    return Results(
        columns=("part", "state", "note"),
        part=part,
        state=state,
        note=note,
        ok=not bad,
        kind=content.facts["kind"],
        sha256=file_digest(path),
        verdict=verdict,
    )


def inner_rows(content, path):
    """Return rows on whether the parts of a record follow from one another."""
    is_test = content.facts["kind"] == OPERATIONAL_TEST
    try:
        more = rows_of_sampler(content) if is_test else rows_of_steps(content)
        return [row_of_places(content), *more]
    except Exception as error:  # a record that was sealed by others may hold anything
        if isinstance(error, Damaged):
            raise
        if any(state == DAMAGED for _, state, _ in content.rows):  # it is known why
            return []
        raise _no_fit(path) from None


def _no_fit(path):
    return Damaged(f"{Path(path).name!r} is damaged: its parts do not fit.")
