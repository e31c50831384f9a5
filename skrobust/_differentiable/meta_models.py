"""Heads of meta-estimators: calibration, voting, stacking, thresholds, targets."""

from dataclasses import replace

import numpy as np
from scipy.special import log_expit, logsumexp

from skrobust._differentiable import rest_models, vote_models
from skrobust._differentiable.heads import Head, mixture
from skrobust._differentiable.maps import (
    Map,
    beside,
    chain,
    linear,
    sklearn_name,
    total,
)
from skrobust._differentiable.member_responses import decisions, probabilities
from skrobust._differentiable.steps import affine_parts


def _response(head, estimator):
    """Return the map to what calibrators take, and whether it is probabilities.

    As scikit-learn: decisions before probabilities; of two classes one column.
    """
    if hasattr(estimator, "decision_function"):
        return decisions(head, estimator), False
    return probabilities(head), True


def _sigmoid(response, calibrators):
    """Return the map to log probabilities of Platt's sigmoids, one per class."""
    a = np.array([c.a_ for c in calibrators])
    b = np.array([c.b_ for c in calibrators])

    def apply(x):
        t, pull = response.apply(x)
        u = -(a * t + b)
        if u.shape[1] == 1:
            log_p = np.hstack([log_expit(-u), log_expit(u)])
        else:
            log_p = log_expit(u)
            log_p = log_p - logsumexp(log_p, axis=1, keepdims=True)

        def pullback(slope):
            if u.shape[1] == 1:
                p = np.exp(log_p)
                by_u = slope[:, 1:] * p[:, :1] - slope[:, :1] * p[:, 1:]
            else:
                inner = slope - np.exp(log_p) * slope.sum(axis=1, keepdims=True)
                by_u = inner * np.exp(log_expit(-u))
            return pull(-a * by_u)

        return log_p, pullback

    return Map(apply, stand_in=response.stand_in)


def _temperature(response, is_proba, beta):
    """Return the map to scores whose softmax is the probabilities at a temperature."""
    tiny = 1e-12

    def apply(x):
        t, pull = response.apply(x)
        one = t.shape[1] == 1
        first = 1 - t if is_proba else -t
        scores = np.hstack([first, t]) if one else t

        def pullback(slope):
            if is_proba:
                slope = beta * slope / (scores + tiny)
            slope = slope[:, 1:] - slope[:, :1] if one else slope
            return pull(slope if is_proba else beta * slope)

        return beta * (np.log(scores + tiny) if is_proba else scores), pullback

    return Map(apply, stand_in=response.stand_in)


def calibrated_head(model, translate):
    """Return the head of CalibratedClassifierCV: the mean over its calibrated models.

    Isotonic calibration is a staircase, flat nearly everywhere, and is not translated.
    """
    heads = []
    for part in model.calibrated_classifiers_:
        inner = translate(part.estimator)
        if part.method == "isotonic" or len(inner.classes) != len(model.classes_):
            return None
        response, is_proba = _response(inner, part.estimator)
        if response is None:
            return None
        if part.method == "sigmoid":
            scores = _sigmoid(response, part.calibrators)
        else:
            beta = float(part.calibrators[0].beta_)
            scores = _temperature(response, is_proba, beta)
        heads.append(Head(scores, model.classes_, "softmax"))
    if len(heads) == 1:
        return heads[0]
    return mixture(heads, np.ones(len(heads)), model.classes_)


def _member_weights(model):
    if model.weights is None:
        return np.ones(len(model.estimators_))
    pairs = zip(model.estimators, model.weights, strict=True)
    return np.array([w for (_, member), w in pairs if not isinstance(member, str)])


def voting_head(model, translate):
    """Return the head of VotingClassifier; a hard one has slopes of smooth votes."""
    weights = _member_weights(model)
    heads = [translate(member) for member in model.estimators_]
    if model.voting != "soft":
        same = all(len(head.classes) == len(model.classes_) for head in heads)
        return vote_models.hard_voting(model, heads, weights) if same else None
    if any(head.link is None for head in heads):
        return None
    pairs = [(h, w) for h, w in zip(heads, weights, strict=True) if w > 0]
    heads, weights = zip(*pairs, strict=True)
    return mixture(heads, weights, model.classes_)


def voting_regression(model, translate):
    """Return the head of VotingRegressor: the weighted mean of its members."""
    weights = _member_weights(model)
    weights = weights / weights.sum()
    maps = [translate(member).map for member in model.estimators_]
    return Head(total(maps, weights))


def stacking_head(model, translate):
    """Return the head of StackingClassifier, None over members that give labels."""
    maps = []
    for member, method in zip(model.estimators_, model.stack_method_, strict=True):
        head = translate(member)
        response = None
        if method == "predict_proba":
            response = probabilities(head)
        elif method == "decision_function":
            response = decisions(head, member)
        if response is None:
            return None
        maps.append(response)
    final = translate(model.final_estimator_)
    # Where probabilities must be asked for, the whole is asked.
    asked = None if final.model is None else model
    whole = _stacked(model, maps, final)
    return replace(final, map=whole, classes=model.classes_, model=asked)


def stacking_regression(model, translate):
    """Return the head of StackingRegressor."""
    maps = [translate(member).map for member in model.estimators_]
    return Head(_stacked(model, maps, translate(model.final_estimator_)))


def _stacked(model, maps, final):
    if model.passthrough:
        maps = [*maps, Map(lambda x: (x, lambda slope: slope), True)]
    return chain([beside(maps), final.map])


def threshold_head(model, translate):
    """Return the head of a classifier with a threshold of its own on its scores."""
    inner_model = getattr(model, "estimator_", model.estimator)
    head = translate(inner_model)
    tuned = hasattr(model, "best_threshold_")  # TunedThresholdClassifierCV
    if tuned and not isinstance(model.scoring, str):
        return None  # a scorer object may have a positive label that it does not expose
    positive = None if tuned else model.pos_label
    column = 1 if positive is None else int(np.argmax(model.classes_ == positive))
    method = model.response_method
    if method == "auto":
        has = hasattr(inner_model, "predict_proba")
        method = "predict_proba" if has else "decision_function"
    threshold = model.best_threshold_ if tuned else model.threshold
    if isinstance(threshold, str):
        threshold = 0.5 if method == "predict_proba" else 0.0
    if method == "predict_proba":
        if head.link is None:
            return None
        with np.errstate(divide="ignore"):
            threshold = np.log(threshold) - np.log1p(-threshold)
        if head.link == "huber":
            threshold = np.tanh(threshold / 2)
    offset = np.zeros(2)
    offset[column] = -threshold
    return replace(head, offset=offset, decide=None)


def target_regression(model, translate):
    """Return the head of TransformedTargetRegressor over an affine transformer."""
    head = translate(model.regressor_)
    step = model.transformer_
    is_affine = sklearn_name(step) == "FunctionTransformer" or affine_parts(step)
    if model.func is not None or model.inverse_func is not None or not is_affine:
        return None
    low, high = np.asarray(step.inverse_transform([[0.0], [1.0]])).ravel()
    return Head(chain([head.map, linear(np.array([[high - low]]), low)]))


MODELS = {
    "AdaBoostClassifier": vote_models.adaboost_head,
    "AdaBoostRegressor": vote_models.adaboost_regression,
    "BaggingClassifier": vote_models.bagging_head,
    "BaggingRegressor": vote_models.bagging_regression,
    "CalibratedClassifierCV": calibrated_head,
    "FixedThresholdClassifier": threshold_head,
    "OneVsOneClassifier": vote_models.one_against_one_head,
    "OneVsRestClassifier": rest_models.one_against_rest_head,
    "OutputCodeClassifier": rest_models.output_code_head,
    "StackingClassifier": stacking_head,
    "StackingRegressor": stacking_regression,
    "TransformedTargetRegressor": target_regression,
    "TunedThresholdClassifierCV": threshold_head,
    "VotingClassifier": voting_head,
    "VotingRegressor": voting_regression,
}
