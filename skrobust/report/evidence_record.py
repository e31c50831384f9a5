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


def record_of(models, X, y, X_train):
    """Return the fingerprints of what is measured, taken before it is measured.

    Parameters
    ----------
    models : dict of str to estimator
        The models as they were given.
    X, y, X_train : array-like
        Rows, labels, and training rows or None.

    Returns
    -------
    dict
        ``data`` and ``models`` (lists of dict) and ``environment``.
    """
    return {
        "data": facts_of_data(X, y, X_train),
        "models": [model_facts(name, model) for name, model in models.items()],
        "environment": environment(),
    }
