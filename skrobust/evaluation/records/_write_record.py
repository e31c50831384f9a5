"""Record of an operational test."""

from skrobust._containers import shape_of
from skrobust._sealed import file_digest
from skrobust._validation import invalid
from skrobust.evaluation.records.recorder import check_record_path
from skrobust.evaluation.records.sampler_record import (
    content_of_sampler,
    sampler_kinds,
)

_FILE = "the path of a file in a folder that is there"


def write_record(path, sampler, *, model=None, X=None):
    """Write a sealed record of an operational test.

    Evaluations write theirs themselves: ``record=`` of
    :func:`~skrobust.evaluation.evaluate_perturbations`,
    :func:`~skrobust.evaluation.evaluate_attack` and
    :func:`~skrobust.report.create_report`.

    Parameters
    ----------
    path : str or path
        The file, such as "record.skr"; replaced if it is there.
    sampler : fitted sampler of skrobust.sampling
        With its answers. The record holds what ``to_json`` returns (parameters, scores
        and predictions of the pool, state of the generator, draws, labels), and the
        result.
    model : fitted estimator, default=None
        The model that is tested, for its fingerprint.
    X : array-like, default=None
        The pool, for its fingerprint.

    Returns
    -------
    str
        SHA-256 of the file: publish it elsewhere, so that nobody can replace the file.

    Raises
    ------
    ValueError
        For another object, and labels that JSON cannot hold.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from skrobust.evaluation import verify_record, write_record
    >>> from skrobust.sampling import SimpleRandomSampler
    >>> sampler = SimpleRandomSampler(random_state=0).fit(np.ones(100))
    >>> ids = sampler.ask(20)
    >>> sampler = sampler.tell(ids, failed=ids % 10 == 0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     digest = write_record(Path(folder) / "record.skr", sampler)
    ...     verify_record(Path(folder) / "record.skr").ok, len(digest)
    (True, 64)
    """
    caller = "write_record"
    path = check_record_path(path, caller, "path", _FILE)
    if type(sampler) not in sampler_kinds().values():
        rule = "a sampler of skrobust.sampling"
        cure = "Evaluations take record=path themselves."
        raise invalid("sampler", caller, rule, type(sampler).__name__, cure)
    if X is not None and not shape_of(X, "X", caller):
        raise invalid("X", caller, "None, or the rows of the pool", X)
    content_of_sampler(sampler, model, X).write(path)
    return file_digest(path)
