"""Predictions of any estimator, with a clear sentence where there are none.

Scikit-learn's scorers share a cache of predictions that ignores which rows were
asked for; these functions never use it.
"""

import numpy as np
from sklearn.pipeline import Pipeline

from skrobust._containers import is_frame
from skrobust._validation import check_probabilities


def unwrap(estimator):
    """Split an estimator into its preprocessing steps and its final model.

    Looks through Pipeline, a fitted search (``best_estimator_``) and FrozenEstimator.

    Parameters
    ----------
    estimator : estimator
        Fitted or not.

    Returns
    -------
    steps : list of (str, transformer)
        In the order of application; passthrough steps are left out.
    model : estimator
        The last one.
    """
    steps = []
    while True:
        if isinstance(estimator, Pipeline):
            for name, step in estimator.steps[:-1]:
                if step is not None and not isinstance(step, str):
                    steps.append((name, step))
            estimator = estimator.steps[-1][1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif type(estimator).__name__ == "FrozenEstimator":
            estimator = estimator.estimator
        else:
            return steps, estimator


def is_net(estimator):
    """Say whether an estimator is a skorch net, without importing skorch."""
    return any(
        c.__name__ == "NeuralNet" and c.__module__.startswith("skorch.")
        for c in type(estimator).__mro__
    )


def _check_net_input(estimator, X):
    steps, model = unwrap(estimator)
    if steps or not is_net(model):
        return
    what = None
    if is_frame(X):
        what = "a data frame"
    elif getattr(X, "dtype", None) == np.float64:
        what = "a float64 array"
    if what:
        raise ValueError(
            f"{type(model).__name__} takes float32 arrays, not {what}. Put "
            "skrobust.nets.ToNetInput() before it: "
            "make_pipeline(ToNetInput(), net)."
        )


def _respond(estimator, method, X):
    try:
        return getattr(estimator, method)(X)
    except Exception as error:
        model = unwrap(estimator)[1]
        if is_net(model) and getattr(model, "iterator_valid__num_workers", 0):
            raise ValueError(
                f"{type(model).__name__} has loader workers of its own, which fail "
                "inside the workers of a parallel run. Set "
                "iterator_valid__num_workers=0 and iterator_train__num_workers=0, or "
                "use n_jobs=1."
            ) from error
        raise


def predict_labels(estimator, X):
    """Return ``estimator.predict(X)`` as a 1-D array."""
    _check_net_input(estimator, X)
    return np.asarray(_respond(estimator, "predict", X)).reshape(-1)


def predict_probabilities(estimator, X, owner):
    """Return ``estimator.predict_proba(X)``, or say that there is none."""
    _check_net_input(estimator, X)
    if not hasattr(estimator, "predict_proba"):
        model = unwrap(estimator)[1]
        cure = "Wrap it in CalibratedClassifierCV, or use a metric on labels."
        raise ValueError(
            f"{owner} needs predict_proba, which {type(model).__name__} has not. {cure}"
        )
    p = _respond(estimator, "predict_proba", X)
    return check_probabilities(p, owner, name="predict_proba")
