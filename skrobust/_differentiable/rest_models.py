"""Heads of OneVsRestClassifier."""

from dataclasses import replace

import numpy as np

from skrobust._differentiable.heads import Head
from skrobust._differentiable.maps import Map, beside, chain
from skrobust._differentiable.member_responses import decisions


def _log_probability(head):
    """Return the map to the logarithm of the probability of the second class."""

    def apply(x):
        log_p, pull = head.log_proba(x)

        def pullback(slope):
            return pull(np.hstack([np.zeros_like(slope), slope]))

        return log_p[:, 1:], pullback

    return Map(apply, stand_in=head.map.stand_in)


def one_against_rest_head(model, translate):
    """Return the head of OneVsRestClassifier over two-class members.

    Scores are decisions, whose sigmoids are the probabilities where members have the
    softmax of theirs; else the logarithms of probabilities.
    """
    if model.multilabel_:
        return None
    heads = [translate(member) for member in model.estimators_]
    if any(len(head.classes) != 2 for head in heads):
        return None
    if len(heads) == 1:
        return replace(heads[0], classes=model.classes_, model=None)
    if all(hasattr(member, "decision_function") for member in model.estimators_):
        pairs = zip(heads, model.estimators_, strict=True)
        scores = beside([decisions(*pair) for pair in pairs])
        known = all(head.link in ("softmax", "sigmoid") for head in heads)
        return Head(scores, model.classes_, "sigmoid" if known else None, model=model)
    if any(head.link is None for head in heads):
        return None
    scores = beside([_log_probability(head) for head in heads])
    return Head(scores, model.classes_, "softmax")


def output_code_head(model, translate):
    """Return the head of OutputCodeClassifier: minus the distance to each code."""
    columns = []
    for member in model.estimators_:
        head = translate(member)
        if not hasattr(member, "decision_function") or len(head.classes) != 2:
            return None
        columns.append(decisions(head, member))
    codes = np.asarray(model.code_book_, dtype=np.float64)

    def apply(d):
        apart = d[:, None, :] - codes
        far = np.sqrt((apart**2).sum(axis=2))

        def pullback(slope):
            share = slope / np.where(far > 0, far, 1.0)
            return -(share[:, :, None] * apart).sum(axis=1)

        return -far, pullback

    return Head(chain([beside(columns), Map(apply)]), model.classes_)
