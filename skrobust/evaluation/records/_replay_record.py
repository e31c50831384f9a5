"""Replay of a record."""

import inspect

import numpy as np

from skrobust._parameters import Number
from skrobust._results import Results
from skrobust._sealed import Damaged
from skrobust._validation import check_path, invalid
from skrobust.evaluation.core.model_checks import quietly
from skrobust.evaluation.records._verify_record import inner_rows
from skrobust.evaluation.records.fingerprints import LABELS, ROWS, TRAINING_ROWS
from skrobust.evaluation.records.input_checks import (
    DIFFERS,
    NOT_GIVEN,
    NOT_IN,
    models_by_name,
    rows_of_inputs,
)
from skrobust.evaluation.records.record_content import (
    DAMAGED,
    OPERATIONAL_TEST,
    read_record,
)
from skrobust.evaluation.records.recorder import ASIDE, DATA
from skrobust.evaluation.records.replayed_sampler import replay_sampler
from skrobust.evaluation.records.replayed_steps import (
    CLOSE,
    EQUAL,
    NO_NUMBER,
    SKIPPED,
    compare_step,
    settings_of,
)
from skrobust.evaluation.records.source_digest import source_digest

_COLUMNS = ("step", "quantity", "recorded", "replayed", "n_differing", "state")


def replay_record(
    path,
    model=None,
    X=None,
    y=None,
    *,
    X_train=None,
    classes=(),
    tolerance=1e-6,
    n_jobs=None,
    batch_size=None,
):
    """Run a recorded evaluation again, and compare.

    First the record is verified, and the digests of model and data are compared:
    nothing is computed where one of them differs.

    Parameters
    ----------
    path : str or path
        The record.
    model : fitted estimator or dict of str to estimator
        The model, or the models by their names in the record.
    X, y : array-like
        Rows and labels as they were given to the evaluation.
    X_train : array-like, default=None
        Training rows, where the record names them.
    classes : sequence of type, default=()
        Classes of your own that the record names. Those of skrobust are found by name;
        nothing else is.
    tolerance : float, default=1e-6
        Relative difference (absolute for numbers below 1) within which floats count as
        equal: the last bits depend on processor and linear algebra. Labels, and whether
        samples are correct or were fooled, must be equal.
    n_jobs, batch_size : int, default=None
        As in :func:`evaluate_perturbations`; results do not depend on them.

    Returns
    -------
    results : Results
        Columns ``step``, ``quantity`` (a condition, a number or an array), ``recorded``
        and ``replayed`` (the score, the number, or the mean of the array; nan for other
        things), ``n_differing`` (samples whose correctness differs, or entries) and
        ``state``: "equal" (bit for bit), "within tolerance", "differs", "not replayed"
        and "not replayable", for steps that need a class that was not passed, or an
        object that a record cannot hold. ``ok`` is whether all is equal or within the
        tolerance; ``largest_difference``, of floats, relative; ``reasons``, why steps
        are not replayable or may differ; ``verdict``, a sentence.

    Raises
    ------
    ValueError
        For a damaged record, and for another model or other data, which are named.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrobust.evaluation import evaluate_perturbations, replay_record
    >>> from skrobust.perturbations import GaussianNoise
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier().fit(X[::2], y[::2])
    >>> noise = [GaussianNoise(std=0.1, data_range=(0, 8), random_state=0)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "record.skr"
    ...     _ = evaluate_perturbations(model, X[1::2], y[1::2], noise, record=path)
    ...     again = replay_record(path, model, X[1::2], y[1::2])
    >>> again.ok, again.largest_difference, int(again.n_differing.sum())
    (True, 0.0, 0)
    """
    caller = "replay_record"
    Number(low=0)(tolerance, "tolerance", caller)
    classes = _check_classes(classes, caller)
    path = check_path(path, "path", caller)
    content = read_record(path)
    for part, state, _ in [*content.rows, *inner_rows(content, path)]:
        if state == DAMAGED:
            raise Damaged(f"{caller} replays no damaged record: {part} is damaged.")
    models = models_by_name(content.facts, model, caller)
    inputs = rows_of_inputs(content.facts, model, X, y, X_train, caller)
    if content.facts["kind"] == OPERATIONAL_TEST:
        _refuse_others(inputs, {DIFFERS}, caller)
        rows, largest, reasons = replay_sampler(content, models, X, y, tolerance)
        asked = [row for row in inputs if row[0] != LABELS]  # those told are compared
        reasons += [f"{part}: {note}" for part, _, note in asked if note == NOT_IN]
        found = rows, largest, reasons
    else:
        _refuse_others(inputs, {DIFFERS, NOT_GIVEN}, caller)
        data = {ROWS: X, LABELS: y, TRAINING_ROWS: X_train}
        jobs = {"n_jobs": n_jobs, "batch_size": batch_size}
        found = _replay_steps(content, models, data, classes, tolerance, jobs)
    return _results(*found)


def _check_classes(classes, caller):
    fine = isinstance(classes, (list, tuple))
    fine = fine and all(isinstance(kind, type) for kind in classes)
    if not fine:
        raise invalid("classes", caller, "a list of classes", classes)
    return classes


def _refuse_others(rows, states, caller):
    """Raise where model or data are not those of the record."""
    wrong = [
        f"{part} ({state}{': ' if note else ''}{note})"
        for part, state, note in rows
        if state in states
    ]
    if wrong:
        raise ValueError(
            f"{caller} needs the model and the data of the record, and nothing was "
            f"computed: {'; '.join(wrong)}."
        )


def _replay_steps(content, models, data, classes, tolerance, jobs):
    from skrobust import evaluation  # it imports this file

    rows, largest, reasons = [], 0.0, _other_sources(content.facts, classes)
    for about in content.facts["steps"]:
        step, stored = about["name"], content.facts["settings"][about["name"]]
        if stored["not_replayable"]:
            reasons.append(f"{step}: without {', '.join(stored['not_replayable'])}")
            rows.append((step, "all", NO_NUMBER, NO_NUMBER, 0, SKIPPED))
            continue
        try:
            arguments = settings_of(content, step, classes)
            call = _call_of(about["call"], arguments, evaluation)
        except Damaged as error:
            reasons.append(f"{step}: {error}")
            rows.append((step, "all", NO_NUMBER, NO_NUMBER, 0, SKIPPED))
            continue
        if arguments.pop("X_ref", None) is not None:
            arguments["X_ref"] = data[TRAINING_ROWS]
        parts = models[about["model"]], data[ROWS], data[LABELS]
        results = quietly(call, *parts, **arguments, **jobs)  # it warned before
        found, difference = compare_step(content, step, results, tolerance)
        if stored["without_seed"] and any(row[-1] == DIFFERS for row in found):
            named = ", ".join(stored["without_seed"])
            reasons.append(f"{step}: random_state is None in {named}")
        rows += [(step, *row) for row in found]
        largest = max(largest, difference)
    return rows, largest, reasons


def _call_of(name, arguments, evaluation):
    """Return the function of a step, or raise where it or its arguments are others."""
    if name not in ("evaluate_perturbations", "evaluate_attack"):
        raise Damaged(f"The record names no evaluation: {name!r}.")
    function = getattr(evaluation, name)
    known = set(inspect.signature(function).parameters) - {*DATA, *ASIDE} | {"X_ref"}
    unknown = arguments.keys() - known  # such as files to write
    if unknown:
        raise Damaged(f"The record has other arguments: {', '.join(sorted(unknown))}.")
    return function


def _other_sources(facts, classes):
    """Return what is to be said of classes whose source is not the recorded one."""
    recorded = {
        name.rpartition(".")[2]: one for name, one in facts["code"]["own"].items()
    }
    found = []
    for kind in classes:
        before, now = recorded.get(kind.__name__), source_digest(kind)
        if before is not None and before != now:
            found.append(f"the source of {kind.__name__} is another than the recorded")
    return found


def _results(rows, largest, reasons):
    columns = [np.array([row[i] for row in rows]) for i in range(len(_COLUMNS))]
    found = dict(zip(_COLUMNS, columns, strict=True))
    state = found["state"]
    ok = bool(rows) and bool(np.isin(state, (EQUAL, CLOSE)).all())
    verdict = f"All {len(rows)} compared quantities are equal"
    if not rows:
        verdict = "The record has no steps, and nothing was compared"
    elif ok and (state == CLOSE).any():
        verdict += f", floats within a relative difference of {largest:.1e}"
    elif not ok:
        bad = rows[int(np.flatnonzero(~np.isin(state, (EQUAL, CLOSE)))[0])]
        n = int((~np.isin(state, (EQUAL, CLOSE))).sum())
        verdict = f"{n} of {len(rows)} quantities are not equal; first {bad[1]!r} of "
        verdict += f"{bad[0]!r} ({bad[-1]})"
    return Results(
        columns=_COLUMNS,
        **found,
        ok=ok,
        largest_difference=float(largest),
        reasons=reasons,
        verdict=f"{verdict}.",
    )
