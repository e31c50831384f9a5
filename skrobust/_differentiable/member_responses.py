"""Answers of the members of an ensemble: decisions and probabilities."""

import numpy as np

from skrobust._differentiable.maps import Map, chain, linear
from skrobust._responses import unwrap


def decisions(head, estimator):
    """Return the map to decisions, of two classes one column, or None."""
    two = len(head.classes) == 2
    shape = getattr(unwrap(estimator)[1], "decision_function_shape", "ovr")
    if shape == "ovo" and not two:
        return None
    difference = linear(np.array([[-1.0], [1.0]]))
    return chain([head.map, difference]) if two else head.map


def probabilities(head):
    """Return the map to probabilities, of two classes one column, or None."""
    if head.link is None:
        return None
    two = len(head.classes) == 2

    def apply(x):
        log_p, pull = head.log_proba(x)
        p = np.exp(log_p)
        if not two:
            return p, lambda slope: pull(slope * p)

        def pullback(slope):
            return pull(np.hstack([np.zeros_like(slope), slope * p[:, 1:]]))

        return p[:, 1:], pullback

    return Map(apply, stand_in=head.map.stand_in)
