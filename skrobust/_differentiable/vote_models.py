"""Heads of models that count votes: one-vs-one, hard voting, AdaBoost, bagging."""

from itertools import combinations

import numpy as np

from skrobust._differentiable.heads import Head, mixture, two_columns
from skrobust._differentiable.maps import (
    Map,
    beside,
    chain,
    linear,
    pick,
    stand_in_of,
    total,
)
from skrobust._differentiable.member_responses import decisions, probabilities

_VOTES = "smooth votes in the place of counted ones"
STEEP = 4.0  # of the smooth votes whose slope is followed, per unit of a score


def counted_pairs(k, middle=0.0):
    """Return the map from decisions of pairs to votes plus bounded sums.

    The scores are those of scikit-learn. Votes have no slope, and that of the sums
    alone leads away from the duels that decide; so the slope is that of the same scores
    with a vote v = (1 + s d / (1 + s |d|)) / 2 of the decision d, s = STEEP.

    Parameters
    ----------
    k : int
        Number of classes; a decision above ``middle`` is for the first of the pair.
    middle : float, default=0.0
        Where a duel is even.
    """
    pairs = list(combinations(range(k), 2))
    first = np.zeros((len(pairs), k))
    for column, (i, j) in enumerate(pairs):
        first[column, i], first[column, j] = 1, -1

    def apply(d):
        sums, lead = d @ first, d - middle
        won = np.where(lead[:, :, None] >= 0, first > 0, first < 0).sum(axis=1)
        size = np.abs(sums) + 1

        def pullback(slope):
            votes = 0.5 * STEEP / (1 + STEEP * np.abs(lead)) ** 2
            return (slope / (3 * size * size)) @ first.T + votes * (slope @ first.T)

        return won + sums / (3 * size), pullback

    return Map(apply, stand_in=_VOTES)


def one_against_one_head(model, translate):
    """Return the head of OneVsOneClassifier: votes plus bounded sums of decisions."""
    if model.pairwise_indices_ is not None:
        return None
    found, middle = [], 0.0
    for member in model.estimators_:
        head = translate(member)
        response = decisions(head, member)
        if not hasattr(member, "decision_function"):
            response, middle = probabilities(head), -0.5
        if response is None or len(head.classes) != 2:
            return None
        found.append(chain([response, linear(np.array([[-1.0]]))]))
    k = len(model.classes_)
    scores = chain([beside(found), counted_pairs(k, middle)])
    if k > 2:
        return Head(scores, model.classes_)
    second = two_columns(chain([scores, pick(np.array([1]))]))
    return Head(second, model.classes_, offset=np.array([0.0, middle]))


def _vote(head):
    """Return the map to one vote for the predicted class, with a smooth slope.

    The slope is that of the softmax of the scores at STEEP.
    """

    def apply(x):
        raw, pull = head.map.apply(x)
        scores = head.decision_scores(raw)
        hot = np.eye(scores.shape[1])[scores.argmax(axis=1)]
        soft = np.exp(STEEP * (scores - scores.max(axis=1, keepdims=True)))
        soft /= soft.sum(axis=1, keepdims=True)

        def pullback(slope):
            inner = (slope * soft).sum(axis=1, keepdims=True)
            return pull(STEEP * soft * (slope - inner))

        return hot, pullback

    return Map(apply, stand_in=_VOTES)


def hard_voting(model, heads, weights):
    """Return the head of a hard vote; its slopes are those of smooth votes."""
    votes = total([_vote(head) for head in heads], weights)
    return Head(votes, model.classes_)


def adaboost_head(model, translate):
    """Return the head of AdaBoostClassifier: weighted votes, with smooth slopes."""
    heads = [translate(member) for member in model.estimators_]
    k = len(model.classes_)
    if any(len(head.classes) != k for head in heads):
        return None
    weights = np.asarray(model.estimator_weights_)[: len(heads)]
    weights = weights / weights.sum()
    votes = total([_vote(head) for head in heads], weights)
    # 1 for a vote, -1 / (k - 1) for none; of two classes the difference counts.
    if k == 2:
        spread = linear(np.array([[0.0, -2.0], [0.0, 2.0]]))
        return Head(chain([votes, spread]), model.classes_, "softmax")
    spread = linear(np.eye(k) * k / (k - 1), np.full(k, -1 / (k - 1)))
    return Head(chain([votes, spread]), model.classes_, model=model)


def adaboost_regression(model, translate):
    """Return the head of AdaBoostRegressor: the weighted median of its members."""
    members = [translate(member).map for member in model.estimators_]
    weights = np.asarray(model.estimator_weights_)[: len(members)]

    def apply(x):
        parts = [one.apply(x) for one in members]
        values = np.hstack([z for z, _ in parts])
        order = values.argsort(axis=1)
        share = weights[order].cumsum(axis=1)
        place = (share >= 0.5 * share[:, -1:]).argmax(axis=1)
        chosen = order[np.arange(len(values)), place]
        own = chosen[:, None] == np.arange(len(parts))

        def pullback(slope):
            pairs = enumerate(parts)
            return sum(pull(slope * own[:, [i]]) for i, (_, pull) in pairs)

        return (values * own).sum(axis=1, keepdims=True), pullback

    return Head(Map(apply, stand_in=stand_in_of(members)))


def _on_features(model, translate):
    """Return the maps to the features of each member of a bag, and their heads."""
    places = model.estimators_features_
    heads = [translate(member) for member in model.estimators_]
    return [pick(np.asarray(p)) for p in places], heads


def bagging_head(model, translate):
    """Return the head of BaggingClassifier: the mean of probabilities, or votes."""
    picks, heads = _on_features(model, translate)
    k = len(model.classes_)
    if any(len(head.classes) != k for head in heads):
        return None
    placed = [
        Head(chain([p, h.map]), h.classes, h.link, h.offset, h.decide, h.model)
        for p, h in zip(picks, heads, strict=True)
    ]
    if all(hasattr(member, "predict_proba") for member in model.estimators_):
        if any(head.link is None for head in placed):
            return None
        return mixture(placed, np.ones(len(placed)), model.classes_)
    if any(hasattr(member, "predict_proba") for member in model.estimators_):
        return None
    shares = np.full(len(placed), 1 / len(placed))
    votes = total([_vote(head) for head in placed], shares)
    return Head(chain([votes, Map(_log)]), model.classes_, "softmax")


def _log(p):
    p = p + 1e-12
    return np.log(p), lambda slope: slope / p


def bagging_regression(model, translate):
    """Return the head of BaggingRegressor: the mean of its members."""
    picks, heads = _on_features(model, translate)
    members = [chain([p, h.map]) for p, h in zip(picks, heads, strict=True)]
    return Head(total(members, np.full(len(members), 1 / len(members))))
