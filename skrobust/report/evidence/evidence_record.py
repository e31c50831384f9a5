"""Record of a measurement: fingerprints of data and models, and the environment."""

from skrobust.evaluation.records.fingerprints import (
    environment,
    facts_of_data,
    model_facts,
)

COVERS = (
    "values, shape, data types and column names; the order of rows and columns counts"
)
MODEL_COVERS = (
    "class, parameters and fitted attributes as they are pickled; code is known by name"
)


def record_of(models, X, y, X_train, recorder=None):
    """Return the fingerprints of what is measured, taken before it is measured.

    Parameters
    ----------
    models : dict of str to estimator
        The models as they were given.
    X, y, X_train : array-like
        Rows, labels, and training rows or None.
    recorder : Recorder, default=None
        What took the same fingerprints already.

    Returns
    -------
    dict
        ``data`` and ``models`` (lists of dict) and ``environment``.
    """
    if recorder is not None:
        data, facts = recorder.data, recorder.models
    else:
        data = facts_of_data(X, y, X_train)
        facts = [model_facts(name, model) for name, model in models.items()]
    return {"data": data, "models": facts, "environment": environment()}
