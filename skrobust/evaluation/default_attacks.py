"""Attacks that suit a model, where none are given."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from skrobust._keyed_noise.rows import take_rows
from skrobust.attacks import AutoPGD, ExactLinear, ExactTree, RandomSearch


@dataclass
class CleanRows:
    """Leaves the rows as they are, where only what is certified matters."""

    objective: Any = None
    severity = 0  # it is meant to change nothing

    def perturb(self, estimator, X, y=None):
        """Return X."""
        return X


def default_attacks(
    estimator, X, y, random_state, objective=None, *, eps, norm, data_range
):
    """Return the strongest attacks that a model takes.

    Parameters
    ----------
    estimator : fitted classifier
        The model.
    X : container of shape (n_samples, ...)
        Rows, of which a few are tried.
    y : ndarray of shape (n_samples,)
        Their labels.
    random_state : int, RandomState, Generator or None
        Seed.
    objective : {None, "probability_shift"}, default=None
        What is attacked; None: the labels.
    eps, norm, data_range : float, {inf, 2, 1}, None or (low, high)
        Ball and box.

    Returns
    -------
    list of attacks
        An exact one alone; else one that follows gradients, where the model has them,
        and one that asks for answers.
    """
    ball = {"eps": eps, "norm": norm, "data_range": data_range}
    ball["objective"] = objective
    few = take_rows(X, np.arange(min(2, len(y)))), y[:2]
    seed = {"random_state": random_state}
    search = RandomSearch(**ball, **seed)
    for attack in (ExactLinear(**ball), ExactTree(**ball), AutoPGD(**ball, **seed)):
        try:
            attack.run(estimator, *few)
        except ValueError:  # another kind of model
            continue
        # Trees are exact within a budget alone.
        return [attack] if isinstance(attack, ExactLinear) else [attack, search]
    return [search]
