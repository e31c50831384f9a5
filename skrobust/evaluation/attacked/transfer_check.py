"""Check of an attack by examples made for another model."""

import warnings

import numpy as np
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust._containers import to_array
from skrobust._keyed_noise.rows import take_rows
from skrobust._responses import predict_labels
from skrobust.attacks import PGD
from skrobust.evaluation.core.model_checks import quietly

_MOST = 500  # rows that the stand-in is trained on


def stays_under_transfer(case, X, seed):
    """Return which rows stay correct under examples made for a stand-in, or None.

    The stand-in is a small net, trained on what the model says of rows X; its gradients
    are right, whatever those of the model are.

    Parameters
    ----------
    case : AttackCase
        The rows and the budget.
    X : array-like or data frame
        All rows that are known.
    seed : int
        Of the stand-in.
    """
    some = take_rows(X, np.arange(min(_MOST, len(X))))
    values = _flat(some)
    labels = predict_labels(case.estimator, some)
    if len(np.unique(labels)) < 2:
        return None
    net = MLPClassifier((32,), solver="lbfgs", max_iter=50, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stand_in = make_pipeline(StandardScaler(), net).fit(values, labels)
    attack = PGD(
        case.eps,
        norm=case.norm,
        n_steps=10,
        data_range=_flat_range(case),
        constraints=case.constraints if case.values.ndim == 2 else None,
        objective="loss",
        random_state=seed,
    )
    known = np.isin(case.y, net.classes_)
    if not known.any():
        return None
    flat = _flat(case.X)
    found = flat.copy()
    found[known] = quietly(attack.perturb, stand_in, flat[known], case.y[known])
    moved = case.within(found.reshape(case.values.shape))
    return case.is_correct(moved) & case.correct


def _flat(X):
    values = np.asarray(to_array(X), dtype=np.float64)
    return values.reshape(len(values), -1)


def _flat_range(case):
    if case.data_range is None:
        return None
    bounds = [np.asarray(bound, dtype=np.float64) for bound in case.data_range]
    return tuple(bound.ravel() if bound.ndim else bound for bound in bounds)
